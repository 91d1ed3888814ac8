#include "machine/parts.h"

#include <string.h>

static const char *word_of(const struct config *config, enum config_id id)
{
	return config_rows[id].words[config_get(config, id)];
}

static struct level_parameters level_of(const struct config *config, enum config_id size,
					enum config_id line, enum config_id ways,
					enum config_id latency, enum config_id replacement,
					enum config_id mshrs, enum config_id prefetch)
{
	struct level_parameters level = {
		.cache = {.size_bytes = config_get(config, size),
			  .line_bytes = config_get(config, line),
			  .ways = config_get(config, ways),
			  .replacement = replace_find(word_of(config, replacement))},
		.latency_cycles = config_get(config, latency),
		.mshrs = mshrs == CONFIG_COUNT ? MSHR_UNLIMITED : config_get(config, mshrs),
	};

	if (level.mshrs == UNLIMITED || config->ideal_mshrs)
		level.mshrs = MSHR_UNLIMITED;
	for (uint32_t i = 0, count = 0; config_rows[prefetch].words[i]; i++)
		if (config_get(config, prefetch) >> i & 1)
			level.prefetch[count++] = prefetch_find(config_rows[prefetch].words[i]);
	return level;
}

#define LEVEL(name, mshrs)                                                                 \
	level_of(config, CONFIG_##name##_size, CONFIG_##name##_line, CONFIG_##name##_ways, \
		 CONFIG_##name##_latency, CONFIG_##name##_replacement, mshrs,              \
		 CONFIG_##name##_prefetch)

struct hierarchy_parameters parts_hierarchy_parameters(const struct config *config)
{
	struct hierarchy_parameters parameters = {
		.levels = config->cache_levels,
		.l1i = LEVEL(l1i, CONFIG_COUNT),
		.l1d = LEVEL(l1d, CONFIG_l1d_mshrs),
		.l2 = LEVEL(l2, CONFIG_l2_mshrs),
		.l3 = LEVEL(l3, CONFIG_l3_mshrs),
		.l1d_write_through = config->l1d_write == WRITE_THROUGH,
		.memory = {.latency_cycles = config->memory_latency,
			   .line_cycles = config->memory_line,
			   .banks = config->memory_kind == MEMORY_DRAM ? config->dram_banks : 0,
			   .row_bytes = config->dram_row,
			   .row_hit_cycles = config->dram_hit,
			   .row_closed_cycles = config->dram_closed,
			   .row_conflict_cycles = config->dram_conflict,
			   .closes_rows = config->dram_rows == ROWS_CLOSED},
		.page_bytes = config->page_bytes,
		.itlb = {config->itlb_entries, config->itlb_ways, config->itlb_miss},
		.dtlb = {config->dtlb_entries, config->dtlb_ways, config->dtlb_miss},
		.tlb2 = {config->tlb2_entries, config->tlb2_ways, 0},
		.tlb2_latency_cycles = config->tlb2_latency,
		.walks = config->tlb_miss == TLB_MISS_WALK,
		.walk_cache_entries = config->walk_cache,
		.ideal_l1i = config->ideal_l1i,
		.ideal_l2i = config->ideal_l2i,
		.ideal_l3i = config->ideal_l3i,
		.ideal_itlb = config->ideal_itlb,
		.ideal_l1d = config->ideal_l1d,
		.ideal_l2d = config->ideal_l2d,
		.ideal_l3d = config->ideal_l3d,
		.ideal_dtlb = config->ideal_dtlb,
		.ideal_pending = config->ideal_pending,
		.ideal_walk = config->ideal_walk,
		.ideal_bandwidth = config->ideal_bandwidth,
		.seed = 1,
	};

	if (config->core_kind == CORE_INORDER)
		parameters.l1d.mshrs = 1; /* a blocking cache: one data miss at a time */
	return parameters;
}

struct hierarchy *parts_hierarchy(const struct config *config, struct err *err)
{
	const struct hierarchy_parameters parameters = parts_hierarchy_parameters(config);

	return hierarchy_create(&parameters, err);
}

struct predictor *parts_predictor(const struct config *config, uint32_t in_flight, struct err *err)
{
	struct predictor_params params = {
		.kind = word_of(config, CONFIG_predictor_kind),
		.bimodal_entries = config->bimodal_entries,
		.gshare_entries = config->gshare_entries,
		.gshare_history_bits = config->gshare_history,
		.chooser_entries = config->chooser_entries,
		.tage_tables = config->tage_tables,
		.tage_entries = config->tage_entries,
		.tage_shortest_history = config->tage_shortest,
		.tage_longest_history = config->tage_longest,
		.btb_sets = config->btb_sets,
		.btb_ways = config->btb_ways,
		.return_stack_entries = config->ras_entries,
		.indirect_kind = word_of(config, CONFIG_indirect_kind),
		.indirect_entries = config->indirect_entries,
		.in_flight = in_flight,
	};

	/* Without a predictor the core still classifies branches; its predictions are not used. */
	if (config->predictor_kind == PREDICTOR_NONE || config->predictor_kind == PREDICTOR_PERFECT)
		params.kind = "static_not_taken";
	return predictor_create(&params, err);
}
