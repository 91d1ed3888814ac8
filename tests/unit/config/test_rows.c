/*
 * The rows of the parameters: which machines have each, read a second time from its key; and
 * parameters of one kind accept the same values.
 */
#include "../test.h"
#include "base/array.h"
#include "base/rng.h"
#include "config/config.h"

/* A machine, in the words of the rules below. */
struct traits {
	bool any, ooo, inorder, unified, split, sets, pairs, predicts, writes_through;
	bool has_l2, has_l3, ooo_l2, ooo_l3, dram, fixed, walks, has_tlb2;
	bool bimodal, gshare, hybrid, tage, targets, history, noise, sabotage;
};

static struct traits traits_of(const struct config *c)
{
	const enum config_predictor p = c->predictor_kind;
	struct traits t = {.any = true,
			   .ooo = c->core_kind == CORE_OOO,
			   .has_l2 = c->cache_levels > 1,
			   .has_l3 = c->cache_levels > 2,
			   .dram = c->memory_kind == MEMORY_DRAM,
			   .walks = c->tlb_miss == TLB_MISS_WALK,
			   .has_tlb2 = c->tlb2_entries != 0,
			   .hybrid = p == PREDICTOR_HYBRID,
			   .tage = p == PREDICTOR_TAGE,
			   .targets = p != PREDICTOR_NONE && p != PREDICTOR_PERFECT,
			   .noise = c->pmu_noise != 0,
			   .sabotage = c->pmu_sabotage != 0};

	t.inorder = !t.ooo;
	t.split = t.ooo && c->issue_queue_kind == ISSUE_QUEUE_SPLIT;
	t.unified = t.ooo && !t.split;
	t.sets = t.ooo && c->disambiguation == DISAMBIGUATION_PREDICT;
	t.pairs = t.inorder && c->inorder_issue_width > 1;
	t.predicts = t.inorder && p != PREDICTOR_NONE;
	t.writes_through = t.inorder && c->l1d_write == WRITE_THROUGH;
	t.ooo_l2 = t.ooo && t.has_l2;
	t.ooo_l3 = t.ooo && t.has_l3;
	t.fixed = !t.walks;
	t.bimodal = p == PREDICTOR_BIMODAL || t.hybrid || t.tage;
	t.gshare = p == PREDICTOR_GSHARE || t.hybrid;
	t.history = t.targets && c->indirect_kind == INDIRECT_HISTORY;
	return t;
}

/* By how a key begins; the first row that fits counts. */
static const struct {
	const char *begin;
	size_t trait;
} rules[] = {
#define RULE(begin, trait)                            \
	{                                             \
		begin, offsetof(struct traits, trait) \
	}
	RULE("inorder.pairing", pairs),
	RULE("inorder.mispredict", predicts),
	RULE("inorder.write_cycles", writes_through),
	RULE("inorder.", inorder),
	RULE("core.max_branches", ooo),
	RULE("fetch.", ooo),
	RULE("decode.", ooo),
	RULE("frontend.", ooo),
	RULE("dispatch.", ooo),
	RULE("issue.", ooo),
	RULE("commit.", ooo),
	RULE("rob.", ooo),
	RULE("lsq.", ooo),
	RULE("wrong_path.", ooo),
	RULE("store.", ooo),
	RULE("issue_queue.kind", ooo),
	RULE("issue_queue.size", unified),
	RULE("issue_queue.", split),
	RULE("store_sets.", sets),
	RULE("ideal.replay", sets),
	RULE("ideal.ports", ooo),
	RULE("ideal.mshrs", ooo),
	RULE("ideal.queues", ooo),
	RULE("ideal.max_branches", ooo),
	RULE("ideal.forwarding", ooo),
	RULE("ideal.int_alu", ooo),
	RULE("ideal.int_muldiv", ooo),
	RULE("ideal.memory_ports", ooo),
	RULE("ideal.fp_", ooo),
	RULE("ideal.store", ooo),
	RULE("ideal.pending", ooo),
	RULE("ideal.l2", has_l2),
	RULE("ideal.l3", has_l3),
	RULE("ideal.walk", walks),
	RULE("l1d.mshrs", ooo),
	RULE("l2.mshrs", ooo_l2),
	RULE("l3.mshrs", ooo_l3),
	RULE("l2.", has_l2),
	RULE("l3.", has_l3),
	RULE("dram.", dram),
	RULE("walk.", walks),
	RULE("itlb.miss", fixed),
	RULE("dtlb.miss", fixed),
	RULE("tlb2.entries", any),
	RULE("tlb2.", has_tlb2),
	RULE("predictor.bimodal", bimodal),
	RULE("predictor.gshare", gshare),
	RULE("predictor.chooser", hybrid),
	RULE("predictor.tage", tage),
	RULE("btb.", targets),
	RULE("return_stack.", targets),
	RULE("indirect.kind", targets),
	RULE("indirect.", history),
	RULE("pmu.noise_seed", noise),
	RULE("pmu.sabotage_", sabotage),
	RULE("", any),
#undef RULE
};

/* Every machine that differs in what the rules ask for. */
static struct config random_traits(struct rng *rng)
{
	struct config c;

	config_reset(&c);
	c.core_kind = rng_below(rng, 2) ? CORE_OOO : CORE_INORDER;
	c.issue_queue_kind = rng_below(rng, 2) ? ISSUE_QUEUE_SPLIT : ISSUE_QUEUE_UNIFIED;
	c.disambiguation = (enum config_disambiguation)rng_below(rng, DISAMBIGUATION_PREDICT + 1);
	c.inorder_issue_width = 1 + (uint32_t)rng_below(rng, 2);
	c.predictor_kind = (enum config_predictor)rng_below(rng, PREDICTOR_PERFECT + 1);
	c.indirect_kind = rng_below(rng, 2) ? INDIRECT_HISTORY : INDIRECT_BTB;
	c.l1d_write = (enum config_write)rng_below(rng, WRITE_LIVE + 1);
	c.cache_levels = 1 + (uint32_t)rng_below(rng, 3);
	c.memory_kind = rng_below(rng, 2) ? MEMORY_DRAM : MEMORY_FIXED;
	c.tlb_miss = rng_below(rng, 2) ? TLB_MISS_WALK : TLB_MISS_FIXED;
	c.tlb2_entries = (uint32_t)rng_below(rng, 2);
	c.pmu_noise = (uint32_t)rng_below(rng, 2);
	c.pmu_sabotage = (uint32_t)rng_below(rng, 2);
	return c;
}

TEST(machines_have_the_parameters_that_keys_say)
{
	struct rng rng = {1};

	for (unsigned n = 0; n < 2000; n++) {
		const struct config config = random_traits(&rng);
		const struct traits traits = traits_of(&config);

		for (enum config_id id = 0; id < CONFIG_COUNT; id++) {
			const char *key = config_rows[id].key;
			size_t i = 0;

			while (strncmp(key, rules[i].begin, strlen(rules[i].begin)) != 0)
				i++;
			bool wanted = *(const bool *)((const char *)&traits + rules[i].trait);
			if (config_applies(&config, id) != wanted)
				fail_msg("a machine %s %s, which is for %s",
					 wanted ? "lacks" : "has", key,
					 config_when_text(config_rows[id].when));
		}
	}
}

/* Parameters of one kind, in one row. */
TEST(parameters_of_a_kind_accept_the_same_values)
{
	static const enum config_id kinds[][6] = {
		{CONFIG_fetch_width, CONFIG_decode_width, CONFIG_dispatch_width, CONFIG_issue_width,
		 CONFIG_commit_width},
		{CONFIG_issue_queue_int, CONFIG_issue_queue_memory, CONFIG_issue_queue_fp},
		{CONFIG_inorder_load_use, CONFIG_inorder_address_use,
		 CONFIG_inorder_load_address_use, CONFIG_inorder_taken_branch},
		{CONFIG_int_alu_count, CONFIG_int_muldiv_count, CONFIG_memory_ports,
		 CONFIG_fp_add_count, CONFIG_fp_muldiv_count},
		{CONFIG_int_alu_latency, CONFIG_int_mul_latency, CONFIG_fp_add_latency,
		 CONFIG_fp_mul_latency},
		{CONFIG_int_div_latency, CONFIG_fp_div_latency},
		{CONFIG_dram_hit, CONFIG_dram_closed, CONFIG_dram_conflict, CONFIG_memory_line},
		{CONFIG_l1i_size, CONFIG_l1d_size},
		{CONFIG_l2_size, CONFIG_l3_size},
		{CONFIG_l1i_line, CONFIG_l1d_line, CONFIG_l2_line, CONFIG_l3_line},
		{CONFIG_l1i_ways, CONFIG_l1d_ways, CONFIG_l2_ways, CONFIG_l3_ways, CONFIG_btb_ways},
		{CONFIG_l1i_latency, CONFIG_l1d_latency, CONFIG_l2_latency, CONFIG_l3_latency},
		{CONFIG_l1i_replacement, CONFIG_l1d_replacement, CONFIG_l2_replacement,
		 CONFIG_l3_replacement},
		{CONFIG_l1i_prefetch, CONFIG_l1d_prefetch, CONFIG_l2_prefetch, CONFIG_l3_prefetch},
		{CONFIG_l1d_mshrs, CONFIG_l2_mshrs, CONFIG_l3_mshrs, CONFIG_store_buffer},
		{CONFIG_itlb_entries, CONFIG_dtlb_entries},
		{CONFIG_itlb_ways, CONFIG_dtlb_ways, CONFIG_tlb2_ways},
		{CONFIG_itlb_miss, CONFIG_dtlb_miss},
		{CONFIG_bimodal_entries, CONFIG_gshare_entries, CONFIG_chooser_entries},
		{CONFIG_pmu_sabotage_event, CONFIG_pmu_sabotage_signal},
	};

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		for (size_t k = 1; k < ARRAY_COUNT(kinds[i]) && kinds[i][k]; k++) {
			const struct config_row *a = &config_rows[kinds[i][0]];
			const struct config_row *b = &config_rows[kinds[i][k]];

			if (a->least != b->least || a->most != b->most || a->type != b->type ||
			    a->words != b->words)
				fail_msg("%s does not accept what %s does", b->key, a->key);
		}
	/* A window holds at most as many as the core can number. */
	for (enum config_id id = CONFIG_rob_size; id <= CONFIG_lsq_size; id++)
		if (config_rows[id].type == CONFIG_IS_NUMBER)
			assert_int_equal(config_rows[id].most, config_rows[CONFIG_rob_size].most);
}

/* The least and the most are accepted, and nothing beyond. */
TEST(ranges_end_where_they_say)
{
	for (enum config_id id = 0; id < CONFIG_COUNT; id++) {
		const struct config_row *row = &config_rows[id];
		char text[32];
		uint32_t value;

		if (row->type > CONFIG_IS_COUNT)
			continue;
		for (int end = 0; end < 2; end++) {
			uint32_t last = end ? row->most : row->least;

			snprintf(text, sizeof(text), "%u", last);
			assert_true(config_read_number(id, text, &value));
			assert_int_equal(value, last);
			if (!end && !last)
				continue;
			snprintf(text, sizeof(text), "%u", end ? last + 1 : last - 1);
			assert_false(config_read_number(id, text, &value));
		}
		assert_int_equal(config_read_number(id, "unlimited", &value),
				 row->type == CONFIG_IS_COUNT);
	}
}

/* Somebody who sets a parameter that the machine lacks is told which machines have it. */
TEST(a_setting_without_effect_is_refused)
{
	struct rng rng = {2};

	for (unsigned n = 0; n < 200; n++) {
		const struct config config = random_traits(&rng);

		for (enum config_id id = 0; id < CONFIG_COUNT; id++) {
			char assignment[CONFIG_TEXT_BYTES + 96], value[CONFIG_TEXT_BYTES];
			struct err err = {.text = ""};

			config_value_text(&config, id, value);
			snprintf(assignment, sizeof(assignment), "%s=%s", config_rows[id].key,
				 value);
			bool matters = config_set_matters(&config, assignment, &err);
			assert_int_equal(matters, config_applies(&config, id));
			if (!matters) {
				assert_non_null(strstr(err.text, config_rows[id].key));
				assert_non_null(
					strstr(err.text, config_when_text(config_rows[id].when)));
			}
		}
	}
}
