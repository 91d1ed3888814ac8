/*
 * The window characteristic against a slow twin that keeps all times and looks for what each step
 * waits for; and labels of accesses that reach into two lines.
 */
#include "../test.h"
#include "base/array.h"
#include "base/rng.h"
#include "core/frontend.h"
#include "model/curve.h"
#include "model/label.h"

#define STEPS 2500 /* times are moved twice */
#define SEEDS 24

struct twin_step {
	struct trace_op op;
	struct trace_step step;
	struct label label;
	uint64_t fetched, entered, issued, done, left, address_at;
};

struct twin {
	struct config c;
	uint32_t window;
	bool mispredicts;
	struct twin_step steps[STEPS];
};

static void not_before(uint64_t *at, uint64_t other)
{
	*at = other > *at ? other : *at;
}

static unsigned pool_of(unsigned unit)
{
	switch (unit) {
	case UNIT_MUL:
	case UNIT_DIV: return 1;
	case UNIT_LOAD:
	case UNIT_STORE: return 2;
	case UNIT_FP_ADD: return 3;
	case UNIT_FP_MUL:
	case UNIT_FP_DIV: return 4;
	default: return 0;
	}
}

static uint64_t latency_of(const struct config *c, const struct twin_step *s)
{
	const uint32_t latencies[UNIT_COUNT] = {
		[UNIT_MUL] = c->int_mul_latency,   [UNIT_DIV] = c->int_div_latency,
		[UNIT_FP_ADD] = c->fp_add_latency, [UNIT_FP_MUL] = c->fp_mul_latency,
		[UNIT_FP_DIV] = c->fp_div_latency,
	};
	uint64_t latency = c->l1d_latency;

	if (!s->op.is_load) {
		uint32_t its = latencies[s->op.unit];

		return c->ideal_units ? 1 : its ? its : c->int_alu_latency;
	}
	if (s->label.level != LEVEL_L1 && !c->ideal_l1d && c->cache_levels >= 2)
		latency += c->l2_latency;
	if (s->label.level >= LEVEL_L3 && !c->ideal_l1d && !c->ideal_l2d && c->cache_levels == 3)
		latency += c->l3_latency;
	return latency + (s->label.tlb_miss && !c->ideal_dtlb ? c->dtlb_miss : 0);
}

static void twin_fetch(struct twin *t, size_t n)
{
	struct twin_step *s = &t->steps[n];
	const size_t ahead = t->c.fetch_buffer + frontend_room(&t->c);
	const uint64_t room_at = n >= ahead ? t->steps[n - ahead].entered : 0;
	uint64_t group = 1;

	if (!n) {
		s->fetched = 1;
		return;
	}
	const struct twin_step *last = s - 1;
	bool redirected = t->mispredicts && last->label.is_mispredicted;
	bool taken = last->op.control != CONTROL_NONE &&
		     last->step.next_pc != last->op.pc + last->op.bytes;

	/* How many were fetched together with the last one. */
	while (group <= n - 1 && t->steps[n - 1 - group].fetched == last->fetched)
		group++;
	s->fetched = redirected ? last->done - 2 : last->fetched;
	if (redirected || taken || last->op.pc / t->c.l1i_line != s->op.pc / t->c.l1i_line ||
	    group >= t->c.fetch_width || s->fetched < room_at) {
		s->fetched++;
		not_before(&s->fetched, room_at);
	}
}

static void twin_issue(struct twin *t, size_t n, uint64_t ready)
{
	struct twin_step *s = &t->steps[n];
	const uint32_t units[] = {t->c.int_alu_count, t->c.int_muldiv_count, t->c.memory_ports,
				  t->c.fp_add_count, t->c.fp_muldiv_count};

	for (s->issued = ready;; s->issued++) {
		unsigned all = 0, same = 0;

		for (size_t k = 0; k < n; k++) {
			const struct twin_step *o = &t->steps[k];
			bool holds = o->op.unit == UNIT_DIV || o->op.unit == UNIT_FP_DIV;
			uint64_t until = o->issued + (holds ? latency_of(&t->c, o) : 1);

			all += o->issued == s->issued;
			same += pool_of(o->op.unit) == pool_of(s->op.unit) &&
				o->issued <= s->issued && s->issued < until;
		}
		if (all < t->c.issue_width && same < units[pool_of(s->op.unit)])
			return;
	}
}

static void twin_add(struct twin *t, size_t n)
{
	struct twin_step *s = &t->steps[n];
	uint64_t ready, accesses = 0;

	twin_fetch(t, n);
	s->entered = s->fetched + frontend_stages(&t->c) + 1;
	if (n)
		not_before(&s->entered, s[-1].entered);
	if (n >= t->c.dispatch_width)
		not_before(&s->entered, t->steps[n - t->c.dispatch_width].entered + 1);
	if (n >= t->window)
		not_before(&s->entered, t->steps[n - t->window].left);
	for (size_t k = n; s->op.access_bytes && k-- > 0;)
		if (t->steps[k].op.access_bytes && ++accesses == t->c.lsq_size)
			not_before(&s->entered, t->steps[k].left);
	ready = s->entered + 1;
	for (unsigned i = 0; i < TRACE_SOURCES; i++) {
		uint64_t at = 0;

		for (size_t k = 0; k < n && s->op.sources[i]; k++)
			for (unsigned d = 0; d < TRACE_DESTINATIONS; d++)
				if (t->steps[k].op.destinations[d] == s->op.sources[i])
					at = t->steps[k].done;
		not_before(&ready, at);
		if (i < s->op.address_sources)
			not_before(&s->address_at, at);
	}
	for (size_t k = 0; s->op.is_load && k < n; k++) {
		const struct twin_step *o = &t->steps[k];
		bool is_last = o->op.is_store && o->step.address / 8 == s->step.address / 8;

		if (!o->op.is_store)
			continue;
		if (t->c.disambiguation == DISAMBIGUATION_CONSERVATIVE) {
			not_before(&ready, o->entered + 1);
			not_before(&ready, o->address_at);
		}
		for (size_t m = k + 1; m < n; m++)
			if (t->steps[m].op.is_store &&
			    t->steps[m].step.address / 8 == s->step.address / 8)
				is_last = false;
		if (is_last)
			not_before(&ready, o->done);
	}
	twin_issue(t, n, ready);
	s->done = s->left = s->issued + latency_of(&t->c, s);
	if (n)
		not_before(&s->left, s[-1].left);
	if (n >= t->c.commit_width)
		not_before(&s->left, t->steps[n - t->c.commit_width].left + 1);
}

static void make_step(struct twin_step *s, struct rng *rng, uint64_t pc)
{
	static const uint8_t units[] = {UNIT_ALU,    UNIT_ALU,	  UNIT_BRANCH, UNIT_MUL,
					UNIT_DIV,    UNIT_LOAD,	  UNIT_LOAD,   UNIT_STORE,
					UNIT_FP_ADD, UNIT_FP_MUL, UNIT_FP_DIV};
	const unsigned unit = units[rng_below(rng, ARRAY_COUNT(units))];

	*s = (struct twin_step){.op = {.pc = pc, .bytes = 4, .unit = (uint8_t)unit}};
	for (unsigned i = 0; i < TRACE_SOURCES; i++)
		s->op.sources[i] = (uint8_t)(rng_below(rng, 3) ? rng_below(rng, 12) : 0);
	for (unsigned i = 0; i < TRACE_DESTINATIONS && unit != UNIT_STORE; i++)
		s->op.destinations[i] = (uint8_t)(rng_below(rng, 3) ? rng_below(rng, 12) : 0);
	s->op.is_load = unit == UNIT_LOAD;
	s->op.is_store = unit == UNIT_STORE;
	s->op.address_sources = s->op.is_load ? TRACE_SOURCES : s->op.is_store ? 1 : 0;
	if (s->op.is_load || s->op.is_store) {
		s->op.access_bytes = 8;
		s->step.address = 0x4000 + 8 * rng_below(rng, 40);
		s->label.level = (uint8_t)rng_below(rng, LEVEL_COUNT);
		s->label.data = s->label.level == LEVEL_L1	 ? DATA_HIT
				: s->label.level == LEVEL_MEMORY ? DATA_LONG_MISS
								 : DATA_SHORT_MISS;
		s->label.tlb_miss = rng_below(rng, 8) == 0;
	}
	s->step.next_pc = pc + 4;
	if (unit == UNIT_BRANCH) {
		s->op.control = CONTROL_CONDITIONAL;
		s->label.is_mispredicted = rng_below(rng, 5) == 0;
		if (rng_below(rng, 2))
			s->step.next_pc = 0x1000 + 4 * rng_below(rng, 100);
	}
}

static uint32_t from_1_to(struct rng *rng, uint32_t most)
{
	return 1 + (uint32_t)rng_below(rng, most);
}

static void make_machine(struct config *c, struct rng *rng)
{
	config_reset(c);
	c->cache_levels = from_1_to(rng, 3);
	c->fetch_width = from_1_to(rng, 8);
	c->fetch_buffer = from_1_to(rng, 8);
	c->decode_width = from_1_to(rng, 3);
	c->frontend_depth = from_1_to(rng, 6);
	c->dispatch_width = from_1_to(rng, 5);
	c->issue_width = from_1_to(rng, 5);
	c->commit_width = from_1_to(rng, 5);
	c->lsq_size = from_1_to(rng, 10);
	c->int_alu_count = from_1_to(rng, 3);
	c->int_muldiv_count = from_1_to(rng, 2);
	c->memory_ports = from_1_to(rng, 2);
	c->fp_add_count = from_1_to(rng, 2);
	c->fp_muldiv_count = from_1_to(rng, 2);
	c->int_mul_latency = 4;
	c->int_div_latency = 9;
	c->fp_add_latency = 3;
	c->fp_mul_latency = 5;
	c->fp_div_latency = 11;
	c->l1d_latency = 2;
	c->l2_latency = 7;
	c->l3_latency = 13;
	c->dtlb_miss = 17;
	c->ideal_l1d = rng_below(rng, 4) == 0;
	c->ideal_l2d = rng_below(rng, 4) == 0;
	c->ideal_dtlb = rng_below(rng, 4) == 0;
	c->ideal_units = rng_below(rng, 4) == 0;
	c->disambiguation =
		rng_below(rng, 2) ? DISAMBIGUATION_CONSERVATIVE : DISAMBIGUATION_PERFECT;
}

TEST(times_equal_the_twins)
{
	struct twin *twin = malloc(sizeof(*twin));

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct rng rng = {seed + 1};
		uint64_t pc = 0x1000;

		make_machine(&twin->c, &rng);
		twin->window = from_1_to(&rng, 40);
		twin->mispredicts = seed % 2;
		struct curve *curve = curve_create(&twin->c, twin->window, twin->mispredicts);

		assert_int_equal(curve_window(curve), twin->window);
		assert_true(curve_instructions_per_cycle(curve) == twin->c.dispatch_width);
		for (size_t n = 0; n < STEPS; n++) {
			struct twin_step *s = &twin->steps[n];

			make_step(s, &rng, pc);
			s->step.op = &s->op;
			pc = s->step.next_pc;
			struct label label = s->label;
			curve_add(curve, &s->step, &label, 1);
			twin_add(twin, n);
			if (curve_cycles(curve) != s->left)
				fail_msg("seed %llu: step %zu leaves in %llu instead of %llu",
					 (unsigned long long)seed, n,
					 (unsigned long long)curve_cycles(curve),
					 (unsigned long long)s->left);
			assert_int_equal(label.base_issued, twin->mispredicts ? 0 : s->issued);
			assert_int_equal(label.base_left, twin->mispredicts ? 0 : s->left);
		}
		assert_true(curve_instructions_per_cycle(curve) ==
			    (double)STEPS / (double)twin->steps[STEPS - 1].left);
		curve_destroy(curve);
	}
	free(twin);
	curve_destroy(NULL);
}

static struct label access_at(struct labeller *labeller, uint64_t address, unsigned bytes)
{
	const struct trace_op op = {.pc = 0x100,
				    .bytes = 4,
				    .unit = UNIT_LOAD,
				    .access_bytes = (uint8_t)bytes,
				    .is_load = true};
	const struct trace_step step = {&op, address, 0x104};
	struct label label;

	labeller_next(labeller, &step, &label, 1);
	return label;
}

/* Lines of 32 bytes in the L1D, of 64 in the L2. The slower of two lines counts, whichever it is.
 */
TEST(an_access_to_two_lines_is_the_slower_one)
{
	struct config config;
	struct err err;

	config_reset(&config);
	struct labeller *labeller = labeller_create(&config, &err);
	assert_non_null(labeller);
	assert_int_equal(access_at(labeller, 0x8000, 8).data, DATA_LONG_MISS);
	assert_int_equal(access_at(labeller, 0x8000, 8).data, DATA_HIT);
	/* The other half of the L2's line. */
	assert_int_equal(access_at(labeller, 0x8020, 8).data, DATA_SHORT_MISS);
	/* The first of two lines is there, the second is in memory. */
	struct label label = access_at(labeller, 0x803c, 8);
	assert_int_equal(label.data, DATA_LONG_MISS);
	assert_int_equal(label.block, 0x8040 / 64);
	/* The second is there, the first is in memory. */
	access_at(labeller, 0x9040, 8);
	label = access_at(labeller, 0x903c, 8);
	assert_int_equal(label.data, DATA_LONG_MISS);
	assert_int_equal(label.block, 0x9000 / 64);
	/* Both are there. */
	label = access_at(labeller, 0x903c, 8);
	assert_int_equal(label.data, DATA_HIT);
	assert_int_equal(label.level, LEVEL_L1);
	labeller_destroy(labeller);
	labeller_destroy(NULL);
}
