#include "config/check.h"

#include <stdarg.h>

#include "base/bits.h"

struct rules {
	const struct config *config;
	struct check_violation *violations;
	size_t count;
};

/* The parameters of one cache, and of one TLB. */
struct cache_ids {
	enum config_id size, line, ways, replacement;
};

struct tlb_ids {
	enum config_id entries, ways;
};

void check_quote(const char *text, size_t bytes, char quoted[CHECK_QUOTE_BYTES])
{
	enum { MOST = 60 };
	size_t shown = bytes <= MOST ? bytes : MOST;

	for (size_t i = 0; i < shown; i++)
		quoted[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
	snprintf(quoted + shown, CHECK_QUOTE_BYTES - shown, "%s", shown < bytes ? "..." : "");
}

__attribute__((format(printf, 5, 6))) static void add(struct rules *rules, enum config_id a,
						      enum config_id b, enum config_id c,
						      const char *format, ...)
{
	va_list ap;

	BUG_ON(rules->count == CHECK_MOST_VIOLATIONS);
	struct check_violation *violation = &rules->violations[rules->count++];

	violation->ids[0] = a;
	violation->ids[1] = b;
	violation->ids[2] = c;
	va_start(ap, format);
	vsnprintf(violation->text, sizeof(violation->text), format, ap);
	va_end(ap);
}

static const char *key(enum config_id id)
{
	return config_rows[id].key;
}

static uint32_t get(const struct rules *rules, enum config_id id)
{
	return config_get(rules->config, id);
}

static bool check_power(struct rules *rules, enum config_id id)
{
	if (!config_applies(rules->config, id) || bits_is_power_of_two(get(rules, id)))
		return true;
	add(rules, id, CONFIG_COUNT, CONFIG_COUNT, "%s must be a power of two, not %u", key(id),
	    get(rules, id));
	return false;
}

/* `small` must not exceed `large`; `why` is the reason in the sentence. */
static void check_order(struct rules *rules, enum config_id small, enum config_id large,
			const char *why)
{
	if (config_applies(rules->config, small) && config_applies(rules->config, large) &&
	    get(rules, small) > get(rules, large))
		add(rules, small, large, CONFIG_COUNT, "%s (%u) must not be above %s (%u): %s",
		    key(small), get(rules, small), key(large), get(rules, large), why);
}

static void check_cache(struct rules *rules, const struct cache_ids *ids)
{
	if (!config_applies(rules->config, ids->size))
		return;
	uint32_t size = get(rules, ids->size), line = get(rules, ids->line),
		 ways = get(rules, ids->ways);
	bool line_is_power = check_power(rules, ids->line);

	if (size % ways)
		add(rules, ids->size, ids->ways, CONFIG_COUNT,
		    "%s (%u) cannot be divided into %u equal ways (%s)", key(ids->size), size, ways,
		    key(ids->ways));
	else if (!bits_is_power_of_two(size / ways))
		add(rules, ids->size, ids->ways, CONFIG_COUNT,
		    "%s (%u) divided by %s (%u) must be a power of two, not %u", key(ids->size),
		    size, key(ids->ways), ways, size / ways);
	else if (line_is_power && size / ways < line)
		add(rules, ids->size, ids->ways, ids->line,
		    "%s (%u) divided by %s (%u) leaves %u bytes a way, less than %s (%u)",
		    key(ids->size), size, key(ids->ways), ways, size / ways, key(ids->line), line);
	else if (line_is_power && size / line > CHECK_MOST_LINES)
		add(rules, ids->size, ids->line, CONFIG_COUNT,
		    "%s (%u) divided by %s (%u) must be at most %u lines, not %u", key(ids->size),
		    size, key(ids->line), line, CHECK_MOST_LINES, size / line);
	if (get(rules, ids->replacement) == REPLACE_PLRU && !bits_is_power_of_two(ways))
		add(rules, ids->replacement, ids->ways, CONFIG_COUNT,
		    "%s = plru needs %s to be a power of two, not %u", key(ids->replacement),
		    key(ids->ways), ways);
}

static void check_tlb(struct rules *rules, const struct tlb_ids *ids)
{
	uint32_t entries = get(rules, ids->entries), ways = get(rules, ids->ways);

	if (!config_applies(rules->config, ids->ways))
		return;
	if (entries % ways)
		add(rules, ids->entries, ids->ways, CONFIG_COUNT,
		    "%s (%u) cannot be divided into sets of %u (%s)", key(ids->entries), entries,
		    ways, key(ids->ways));
	else if (!bits_is_power_of_two(entries / ways))
		add(rules, ids->entries, ids->ways, CONFIG_COUNT,
		    "%s (%u) divided by %s (%u) must be a power of two, not %u", key(ids->entries),
		    entries, key(ids->ways), ways, entries / ways);
}

static void check_predictor(struct rules *rules)
{
	static const enum config_id powers[] = {
		CONFIG_bimodal_entries, CONFIG_gshare_entries, CONFIG_chooser_entries,
		CONFIG_tage_entries,	CONFIG_btb_sets,       CONFIG_indirect_entries,
	};
	const struct config *config = rules->config;

	if (config->core_kind == CORE_OOO && config->predictor_kind == PREDICTOR_NONE)
		add(rules, CONFIG_predictor_kind, CONFIG_core_kind, CONFIG_COUNT,
		    "predictor.kind = none is for core.kind = inorder; out of order, the simplest is "
		    "static_not_taken");
	for (size_t i = 0; i < sizeof(powers) / sizeof(powers[0]); i++)
		check_power(rules, powers[i]);
	if (config_applies(config, CONFIG_gshare_history) &&
	    bits_is_power_of_two(config->gshare_entries) &&
	    config->gshare_history > bits_log2(config->gshare_entries))
		add(rules, CONFIG_gshare_history, CONFIG_gshare_entries, CONFIG_COUNT,
		    "predictor.gshare_history_bits (%u) must not be above the %u bits that index "
		    "predictor.gshare_entries (%u)",
		    config->gshare_history, bits_log2(config->gshare_entries),
		    config->gshare_entries);
	if (config_applies(config, CONFIG_tage_tables) &&
	    config->tage_longest < config->tage_shortest + config->tage_tables - 1)
		add(rules, CONFIG_tage_longest, CONFIG_tage_shortest, CONFIG_tage_tables,
		    "predictor.tage_longest_history_bits (%u) must be at least %u: each of the %u "
		    "predictor.tage_tables looks further back, the first %u "
		    "(predictor.tage_shortest_history_bits)",
		    config->tage_longest, config->tage_shortest + config->tage_tables - 1,
		    config->tage_tables, config->tage_shortest);
}

/* A branch resolves in execute, behind the stages of fetch (those of the L1I) and one of decode:
 * what it costs cannot be less than that. */
static void check_branch_cost(struct rules *rules)
{
	const bool is_predicting = rules->config->predictor_kind != PREDICTOR_NONE;
	const enum config_id cost =
		is_predicting ? CONFIG_inorder_mispredict : CONFIG_inorder_taken_branch;
	const uint32_t fetch = get(rules, CONFIG_l1i_latency);

	if (rules->config->core_kind != CORE_INORDER || get(rules, cost) > fetch)
		return;
	add(rules, cost, CONFIG_l1i_latency, CONFIG_COUNT,
	    "%s (%u) must be above %s (%u)%s: a branch resolves in execute, behind %u stage%s of "
	    "fetch and one of decode",
	    key(cost), get(rules, cost), key(CONFIG_l1i_latency), fetch,
	    is_predicting ? "" : " with predictor.kind = none", fetch, fetch == 1 ? "" : "s");
}

/* Only what executes one instruction after the other knows the stack pointer of each. */
static void check_write(struct rules *rules)
{
	if (rules->config->l1d_write == WRITE_LIVE && rules->config->core_kind != CORE_INORDER)
		add(rules, CONFIG_l1d_write, CONFIG_core_kind, CONFIG_COUNT,
		    "%s = live needs core.kind = inorder: only that core tells the caches its stack "
		    "pointer; use back or through",
		    key(CONFIG_l1d_write));
}

/* An event of a cache that the machine does not have. */
static void check_ideal_at(struct rules *rules)
{
	static const struct {
		uint32_t events, levels;
		const char *cache;
	} needs[] = {
		{IDEAL_AT_BIT(L2I) | IDEAL_AT_BIT(L2D), 2, "L2"},
		{IDEAL_AT_BIT(L3I) | IDEAL_AT_BIT(L3D), 3, "L3"},
	};
	const struct config *config = rules->config;
	uint32_t events = 0;

	for (uint64_t i = 0; i < config->ideal_at.count; i++)
		events |= config->ideal_at.ranges[i].events;
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (events & needs[i].events && config->cache_levels < needs[i].levels)
			add(rules, CONFIG_ideal_at, CONFIG_cache_levels, CONFIG_COUNT,
			    "%s has misses of an %s, and %s is %u", key(CONFIG_ideal_at),
			    needs[i].cache, key(CONFIG_cache_levels), config->cache_levels);
}

size_t check_rules(const struct config *config,
		   struct check_violation violations[CHECK_MOST_VIOLATIONS])
{
#define CACHE_IDS(cache)                                                             \
	{                                                                            \
		CONFIG_##cache##_size, CONFIG_##cache##_line, CONFIG_##cache##_ways, \
			CONFIG_##cache##_replacement                                 \
	}
	static const struct cache_ids caches[] = {CACHE_IDS(l1i), CACHE_IDS(l1d), CACHE_IDS(l2),
						  CACHE_IDS(l3)};
#undef CACHE_IDS
	static const struct tlb_ids tlbs[] = {{CONFIG_itlb_entries, CONFIG_itlb_ways},
					      {CONFIG_dtlb_entries, CONFIG_dtlb_ways},
					      {CONFIG_tlb2_entries, CONFIG_tlb2_ways}};
	struct rules rules = {.config = config, .violations = violations};

	check_order(&rules, CONFIG_fetch_width, CONFIG_fetch_buffer,
		    "what is fetched in a cycle must fit");
	check_order(&rules, CONFIG_dispatch_width, CONFIG_rob_size,
		    "what is dispatched in a cycle must fit");
	check_order(&rules, CONFIG_commit_width, CONFIG_rob_size,
		    "no more can be committed than is there");
	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++)
		check_cache(&rules, &caches[i]);
	check_order(&rules, CONFIG_l1i_line, CONFIG_l2_line, "an L2 line holds whole L1 lines");
	check_order(&rules, CONFIG_l1d_line, CONFIG_l2_line, "an L2 line holds whole L1 lines");
	check_order(&rules, CONFIG_l2_line, CONFIG_l3_line, "an L3 line holds whole L2 lines");
	check_power(&rules, CONFIG_page_bytes);
	check_power(&rules, CONFIG_dram_banks);
	check_power(&rules, CONFIG_dram_row);
	check_order(&rules, CONFIG_dram_hit, CONFIG_dram_closed, "a closed row is opened first");
	check_order(&rules, CONFIG_dram_closed, CONFIG_dram_conflict,
		    "another row is closed and then this one opened");
	check_power(&rules, CONFIG_store_sets_entries);
	for (size_t i = 0; i < sizeof(tlbs) / sizeof(tlbs[0]); i++)
		check_tlb(&rules, &tlbs[i]);
	check_predictor(&rules);
	check_branch_cost(&rules);
	check_write(&rules);
	check_ideal_at(&rules);
	return rules.count;
}

bool config_check(const struct config *config, struct err *err)
{
	struct check_violation violations[CHECK_MOST_VIOLATIONS];

	if (!check_rules(config, violations))
		return true;
	return err_set(err, "%s", violations[0].text);
}
