/* The terms of a model from counts that are made up, and which kept skeletons fit which machine. */
#include "../test.h"
#include "base/array.h"
#include "model/kept.h"
#include "model/label.h"
#include "model/state.h"

/* No two values are equal. */
static struct config machine(unsigned levels)
{
	struct config c;

	config_default(&c);
	c.core_kind = CORE_OOO;
	c.cache_levels = levels;
	c.rob_size = 96;
	c.dispatch_width = 5;
	c.l1d_latency = 3;
	c.l2_latency = 11;
	c.l3_latency = 31;
	c.memory_latency = 210;
	c.itlb_miss = 17;
	c.l1d_mshrs = 12;
	c.l2_mshrs = 10;
	c.l3_mshrs = 8;
	return c;
}

TEST(design_points)
{
	for (unsigned levels = 1; levels <= 3; levels++) {
		static const uint32_t hit[] = {3, 14, 45}, mshrs[] = {12, 10, 8};
		struct config c = machine(levels);
		struct design_point d = model_design_point(&c);

		assert_int_equal(d.rob_size, 96);
		assert_int_equal(d.width, 5);
		assert_int_equal(d.mshrs, mshrs[levels - 1]);
		assert_int_equal(d.hit_latency_cycles, hit[levels - 1]);
		assert_int_equal(d.memory_latency_cycles, 210);
		/* The smallest number, wherever it is. */
		c.l1d_mshrs = 7;
		assert_int_equal(model_design_point(&c).mshrs, 7);
		c.l1d_mshrs = c.l2_mshrs = c.l3_mshrs = UNLIMITED;
		assert_int_equal(model_design_point(&c).mshrs, MSHRS_UNLIMITED);
		c.ideal_l1d = true;
		assert_int_equal(model_design_point(&c).memory_latency_cycles, 0);
		c.ideal_l1d = false;
		c.ideal_l2d = true;
		assert_int_equal(model_design_point(&c).memory_latency_cycles, 0);
	}
}

TEST(fetches_take_their_time)
{
	static const struct {
		unsigned levels;
		bool ideal_itlb, ideal_l1i, ideal_l2i;
		double cycles;
	} cases[] = {
		/* 2 TLB misses; 30 from the L2, 5 from the L3, 7 from memory. */
		{1, false, false, false, 2 * 17 + 7 * 210},
		{2, false, false, false, 2 * 17 + 42 * 11 + 7 * 210},
		{3, false, false, false, 2 * 17 + 42 * 11 + 12 * 31 + 7 * 210},
		{3, true, false, false, 42 * 11 + 12 * 31 + 7 * 210},
		{3, false, true, false, 2 * 17},
		{3, false, false, true, 2 * 17 + 42 * 11},
		{2, false, false, true, 2 * 17 + 42 * 11},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct config c = machine(cases[i].levels);
		struct model_components components;
		struct technique_result result;
		struct err err;

		c.ideal_itlb = cases[i].ideal_itlb;
		c.ideal_l1i = cases[i].ideal_l1i;
		c.ideal_l2i = cases[i].ideal_l2i;
		struct model *model = model_create(&c, 1, &technique_default, 1, false, &err);
		struct geometry *g = &model->geometries[0];
		model->instructions = 1;
		g->fetch_tlb_misses = 2;
		g->fetches[LEVEL_L2] = 30;
		g->fetches[LEVEL_L3] = 5;
		g->fetches[LEVEL_MEMORY] = 7;
		model_evaluate(model, 0, 0, &components, &result, NULL);
		assert_true(components.icache == cases[i].cycles);
		model_destroy(model);
	}
}

TEST(components_are_parts_of_the_instructions)
{
	const struct config c = machine(2);
	struct err err;
	struct model *model = model_create(&c, 1, &technique_default, 1, false, &err);
	struct geometry *g = &model->geometries[0];
	struct window_state *window = &g->sets[0].windows[0];
	struct model_components components;
	struct technique_result result;
	struct model_events events;

	model->instructions = 1000;
	g->mispredictions = 9;
	g->fetches[LEVEL_L2] = 30;
	g->fetches[LEVEL_L3] = 5;
	g->fetches[LEVEL_MEMORY] = 7;
	window->cycles = 400;
	window->mispredicting_cycles = 520;
	model_evaluate(model, 0, 0, &components, &result, NULL);
	assert_true(components.base == 0.4);
	assert_true(components.branch == 0.12);
	assert_true(components.icache == (42 * 11 + 7 * 210) / 1000.0);
	assert_true(components.dmiss == 0);
	assert_true(components.cpi == components.base + components.branch + components.icache);
	assert_true(model_instructions_per_cycle(model, 0) == 2.5);
	window->mispredicts = false;
	model_evaluate(model, 0, 0, &components, &result, NULL);
	assert_true(components.branch == 0);
	window->cycles = 0;
	assert_true(model_instructions_per_cycle(model, 0) == 5);
	model_events(model, 0, &events);
	assert_int_equal(events.mispredictions, 9);
	assert_int_equal(events.fetch_misses, 42);
	assert_int_equal(events.fetch_long_misses, 7);
	assert_int_equal(events.store_misses, 0);
	model_destroy(model);
	model_destroy(NULL);
}

/* Where a point's machine and window are. */
static const struct window_state *window_at(const struct model *model, size_t point)
{
	const struct point *p = &model->points[point];
	const struct curve_set *set = &model->geometries[p->geometry].sets[p->set];

	for (size_t i = 0; i < set->count; i++)
		if (set->windows[i].rob_size == p->config.rob_size)
			return &set->windows[i];
	fail_msg("point %zu has no window", point);
	return NULL;
}

TEST(machines_share_what_they_can)
{
	struct config points[6];
	struct err err;

	for (unsigned i = 0; i < 6; i++)
		points[i] = machine(2);
	points[1].rob_size = 32;
	points[2].l2_mshrs = 2;	      /* the same in all that is kept */
	points[3].l1d_size *= 2;      /* other labels */
	points[4].dispatch_width = 3; /* other base cycles */
	points[5].ideal_branch = true;
	struct model *model = model_create(points, 5, &technique_default, 1, false, &err);
	assert_int_equal(model_labellings(model), 2);
	assert_int_equal(model->geometries[0].set_count, 2);
	assert_int_equal(model->geometries[0].sets[0].count, 2);
	assert_int_equal(model->geometries[0].window_most, 96);
	assert_int_equal(model->points[2].set, model->points[0].set);
	assert_int_not_equal(model->points[4].set, model->points[0].set);
	assert_ptr_equal(window_at(model, 2), window_at(model, 0));
	assert_int_equal(window_at(model, 1)->rob_size, 32);
	assert_ptr_equal(window_at(model, 3), &model->geometries[1].sets[0].windows[0]);
	assert_ptr_equal(window_at(model, 4), &model->geometries[0].sets[1].windows[0]);
	assert_true(window_at(model, 0)->mispredicts);
	model_destroy(model);
	points[0].predictor_kind = PREDICTOR_PERFECT;
	for (unsigned i = 0; i <= 5; i += 5) {
		model = model_create(&points[i], 1, &technique_default, 1, false, &err);
		assert_false(window_at(model, 0)->mispredicts);
		model_destroy(model);
	}
	/* Skeletons: of the largest window, those of a timeline of all. */
	struct technique two[] = {technique_default, technique_timeline};
	points[0] = machine(2);
	points[0].disambiguation = DISAMBIGUATION_CONSERVATIVE;
	model = model_create(points, 2, two, 2, true, &err);
	const struct skeleton_options *plain = &model_skeleton(model, 1, 0)->options,
				      *timeline = &model_skeleton(model, 0, 1)->options;
	assert_int_equal(plain->window_most, 96);
	assert_int_equal(plain->forward_most, 96);
	assert_true(plain->links && plain->pending_hits && plain->store_fills_miss);
	assert_false(plain->store_addresses);
	assert_int_equal(timeline->window_most, 1024);
	assert_int_equal(timeline->forward_most, 96);
	assert_true(timeline->store_addresses);
	assert_int_equal(model_skeleton(model, 1, 1)->options.forward_most, 32);
	model_destroy(model);
	points[0].disambiguation = DISAMBIGUATION_PERFECT;
	model = model_create(points, 1, &technique_timeline, 1, true, &err);
	assert_false(model_skeleton(model, 0, 0)->options.store_addresses);
	model_destroy(model);
	points[0].core_kind = CORE_INORDER;
	assert_null(model_create(points, 1, two, 1, false, &err));
	assert_string_equal(err.text,
			    "the model is of out-of-order cores, and core.kind is inorder: "
			    "simulate it with run");
}

/* A skeleton for each combination of what skeletons depend on. */
TEST(skeletons_are_told_apart)
{
	struct technique all[12];
	struct config c = machine(2);
	struct err err;

	c.disambiguation = DISAMBIGUATION_CONSERVATIVE;
	for (unsigned i = 0; i < 12; i++)
		all[i] = (struct technique){
			.windows = i < 8 ? WINDOWS_TIMELINE : WINDOWS_SWAM,
			.pending_hits = i & 1,
			.store_fills_miss = i >> 1 & 1,
			.store_addresses = i >> 2 & 1,
		};
	struct model *model = model_create(&c, 1, all, 12, false, &err);
	for (unsigned i = 0; i < 12; i++) {
		const struct skeleton_options *o = &model_skeleton(model, 0, i)->options;

		assert_int_equal(o->pending_hits, i & 1);
		assert_int_equal(o->store_fills_miss, i >> 1 & 1);
		assert_int_equal(o->store_addresses, i < 8 ? i >> 2 & 1 : 0);
		assert_int_equal(o->window_most, i < 8 ? 1024 : 96);
	}
	model_destroy(model);
}

TEST(so_many_windows)
{
	struct config points[65];
	struct err err;

	for (unsigned i = 0; i < 65; i++) {
		points[i] = machine(1);
		points[i].rob_size = 20 + i;
	}
	struct model *model = model_create(points, 64, &technique_default, 1, false, &err);
	assert_non_null(model);
	model_destroy(model);
	assert_null(model_create(points, 65, &technique_default, 1, false, &err));
	assert_string_equal(err.text, "more than 64 different sizes of the window in one call");
}

/* Keeps a model of one machine and reads it for another. */
static void assert_taken(const struct config *made, const struct technique *by, bool explained,
			 const struct config *asked, const struct technique *with, bool explains,
			 const char *what)
{
	const struct kept_key key = {"k"};
	char sentence[300] = "";
	struct err err = {.text = ""};
	struct model *model = model_create(made, 1, by, 1, explained, &err);
	model->instructions = 77;
	struct bytes bytes = kept_write(model, &key);
	struct model *again = model_create(asked, 1, with, 1, explains, &err);

	if (what)
		snprintf(sentence, sizeof(sentence), "f %s; make it anew with --save-skeleton",
			 what);
	assert_int_equal(kept_read(again, bytes.bytes, bytes.count, &key, "f", &err), !what);
	assert_string_equal(err.text, sentence);
	if (!what)
		assert_int_equal(model_instructions(again), 77);
	model_destroy(model);
	model_destroy(again);
	free(bytes.bytes);
}

TEST(what_is_kept_fits_some_machines)
{
	const struct config c = machine(2);
	struct config other = c;
	struct technique without = technique_default, timeline = technique_timeline;

	assert_taken(&c, &technique_default, true, &c, &technique_default, true, NULL);
	assert_taken(&c, &technique_default, true, &c, &technique_default, false, NULL);
	assert_taken(&c, &technique_default, false, &c, &technique_default, true,
		     "was made without --explain");
	without.pending_hits = false;
	assert_taken(&c, &technique_default, false, &c, &without, false,
		     "has no skeleton for this technique");
	assert_taken(&c, &technique_default, false, &c, &timeline, false,
		     "has no skeleton for this technique");
	other.l2_mshrs = 3;
	assert_taken(&c, &technique_default, false, &other, &technique_default, false, NULL);
	other = c;
	other.l1d_size *= 2;
	assert_taken(&c, &technique_default, false, &other, &technique_default, false,
		     "was made for other caches, TLBs or predictors");
	other = c;
	other.dispatch_width = 3;
	assert_taken(&c, &technique_default, false, &other, &technique_default, false,
		     "has no base cycles for these units, widths and latencies");
	other = c;
	other.rob_size = 97;
	assert_taken(&c, &technique_default, false, &other, &technique_default, false,
		     "has no base cycles for rob.size=97");
}

TEST(what_is_kept_may_be_damaged)
{
	const struct config c = machine(2);
	const struct kept_key key = {"k"}, another = {"l"};
	struct err err;
	struct model *model = model_create(&c, 1, &technique_default, 1, false, &err);
	struct bytes bytes = kept_write(model, &key);
	char sentence[200];

	/* 8 bytes of magic, 96 of key, length, check value. */
	uint64_t length;
	memcpy(&length, bytes.bytes + 104, 8);
	assert_int_equal(length, bytes.count - 116);
	assert_memory_equal(bytes.bytes, "CYSKEL02k", 10);
	assert_false(kept_read(model, bytes.bytes, 115, &key, "f", &err));
	assert_string_equal(err.text,
			    "f is no file of --save-skeleton; make it anew with --save-skeleton");
	assert_false(kept_read(model, bytes.bytes, bytes.count, &another, "f", &err));
	assert_string_equal(err.text, "f is of another trace; make it anew with --save-skeleton");
	assert_false(kept_read(model, bytes.bytes, bytes.count - 1, &key, "f", &err));
	snprintf(sentence, sizeof(sentence),
		 "f is damaged: %zu bytes follow byte 116, and %zu are expected; make it anew with "
		 "--save-skeleton",
		 bytes.count - 117, bytes.count - 116);
	assert_string_equal(err.text, sentence);
	bytes.bytes[120] ^= 1;
	assert_false(kept_read(model, bytes.bytes, bytes.count, &key, "f", &err));
	assert_string_equal(err.text,
			    "f is damaged after byte 116: its check value differs; make it "
			    "anew with --save-skeleton");
	bytes.bytes[120] ^= 1;
	bytes.bytes[3] ^= 1;
	assert_false(kept_read(model, bytes.bytes, bytes.count, &key, "f", &err));
	assert_string_equal(err.text,
			    "f is no file of --save-skeleton; make it anew with --save-skeleton");
	free(bytes.bytes);
	model_destroy(model);
}

/* An instruction fetches every line that one of its halves is in, and a line once as it enters it.
 */
TEST(an_instruction_may_fetch_two_lines)
{
	static const struct {
		uint64_t pc;
		uint8_t bytes;
		unsigned lines;
	} steps[] = {{0x10000, 4, 1}, {0x10004, 4, 0}, {0x1003c, 4, 0},
		     {0x2007e, 2, 1}, {0x300be, 3, 2}, {0x400fe, 4, 2}};
	struct config c = machine(1);
	struct err err;

	c.l1i_line = 64;
	c.l1i_prefetch = PREFETCH_NONE;
	struct labeller *labeller = labeller_create(&c, &err);
	assert_non_null(labeller);
	for (size_t i = 0; i < ARRAY_COUNT(steps); i++) {
		const struct trace_op op = {
			.pc = steps[i].pc, .bytes = steps[i].bytes, .insn = {.op = OP_ILLEGAL}};
		const struct trace_step step = {&op, 0, steps[i].pc + steps[i].bytes};
		struct label label = {.data = DATA_NONE};
		unsigned fetched = 0;

		labeller_next(labeller, &step, &label, 1);
		for (unsigned k = 0; k < LEVEL_COUNT; k++)
			fetched += label.fetches[k];
		assert_int_equal(fetched, steps[i].lines);
	}
	labeller_destroy(labeller);
}
