/* Facts of instructions that are given step by step equal what was worked out on paper, or what a
 * slow twin counts. */
#include "base/rng.h"
#include "steps.h"

/* 1 KB of 2 ways and 32-byte lines: 16 sets, 512 bytes a way. */
static struct config small_machine(void)
{
	struct config c;

	config_reset(&c);
	c.l1d_size = 1024;
	c.l1d_ways = 2;
	return c;
}

static const struct fact *fact_of(const struct steps *s, uint64_t pc)
{
	const struct fact *fact = facts_find(s->facts, pc);

	assert_non_null(fact);
	return fact;
}

static struct frequent_item most_of(const struct frequent *frequent)
{
	struct frequent_item most;

	assert_true(frequent_most(frequent, &most));
	return most;
}

TEST(distances_lines_and_pages_of_a_load)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	/* 0x20000, 0x20040 ... 0x218c0: 100 lines of 32 bytes, on pages 0x20 and 0x21. */
	for (unsigned i = 0; i < 100; i++)
		step_at(&s, 0x10000, LD(5, 6, 0), 0x20000 + 64 * i);
	const struct fact_memory *m = fact_of(&s, 0x10000)->memory;
	assert_int_equal(m->accesses, 100);
	assert_int_equal(most_of(&m->strides).key, 64);
	assert_int_equal(most_of(&m->strides).count, 99);
	assert_int_equal(distinct_count(&m->lines), 100);
	assert_int_equal(distinct_count(&m->pages), 2);
	assert_int_equal(m->first, 100);
	assert_int_equal(m->found[LEVEL_L1], 0);
	assert_int_equal(m->tlb_misses, 2);
	assert_int_equal(m->line_splits, 0);
	steps_end(&s);
}

TEST(a_load_whose_address_is_its_own_last_value)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);
	unsigned links = 0;

	for (unsigned i = 0; i < 10; i++) {
		step_at(&s, 0x10000, LD(5, 5, 8), 0x20000 + i * 1000 % 4096);
		step_at(&s, 0x10004, LD(7, 5, 16), 0x30000 + i * 1000 % 4096);
		jump_to(&s, 0x10000);
	}
	const struct fact *next = fact_of(&s, 0x10000), *value = fact_of(&s, 0x10004);
	assert_int_equal(next->fed, 9);
	assert_int_equal(next->fed_anew, 9);
	assert_true(facts_feeds_itself(s.facts, next, &links));
	assert_int_equal(links, 1);
	/* The other reads what the first one brought, and nothing of it comes back. */
	assert_int_equal(most_of(&value->loads).key, 0x10000);
	assert_int_equal(value->fed, 9);
	assert_false(facts_feeds_itself(s.facts, value, &links));
	steps_end(&s);
}

TEST(a_chain_by_way_of_another_load)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);
	unsigned links = 0;

	for (unsigned i = 0; i < 10; i++) {
		step_at(&s, 0x10000, LD(5, 6, 0), 0x20000 + i * 72);
		step_at(&s, 0x10004, ADDI(5, 5, 8), 0);
		step_at(&s, 0x10008, LD(6, 5, 0), 0x30000 + i * 96);
		jump_to(&s, 0x10000);
	}
	assert_true(facts_feeds_itself(s.facts, fact_of(&s, 0x10000), &links));
	assert_int_equal(links, 2);
	steps_end(&s);
}

TEST(what_stays_the_same_feeds_nothing_anew)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	/* A base that is loaded from one place again and again, and one that was loaded once. */
	step_at(&s, 0x10000, LD(9, 6, 0), 0x40000);
	for (unsigned i = 0; i < 10; i++) {
		step_at(&s, 0x10004, LD(5, 6, 8), 0x40008);
		step_at(&s, 0x10008, LD(7, 5, 0), 0x20000 + 8 * i);
		step_at(&s, 0x1000c, LD(8, 9, 0), 0x30000 + 8 * i);
		jump_to(&s, 0x10004);
	}
	assert_int_equal(fact_of(&s, 0x10008)->fed, 9);
	assert_int_equal(fact_of(&s, 0x10008)->fed_anew, 0);
	assert_int_equal(fact_of(&s, 0x1000c)->fed, 0);
	steps_end(&s);
}

TEST(an_index_counts_before_the_base_it_is_added_to)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	for (unsigned i = 0; i < 10; i++) {
		step_at(&s, 0x10000, LD(5, 6, 0), 0x20000 + 8 * i); /* the index */
		step_at(&s, 0x10004, LD(9, 2, 8), 0x7f000);	    /* the base, loaded later */
		step_at(&s, 0x10008, ADD(5, 5, 9), 0);
		step_at(&s, 0x1000c, LD(7, 5, 0), 0x30000 + i * 1992 % 4096);
	}
	const struct fact *fact = fact_of(&s, 0x1000c);
	assert_int_equal(most_of(&fact->loads).key, 0x10000);
	assert_int_equal(fact->fed_anew, 9);
	steps_end(&s);
}

TEST(what_was_put_on_the_stack_comes_from_where_it_came_from)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	for (unsigned i = 0; i < 10; i++) {
		step_at(&s, 0x10000, LD(5, 6, 0), 0x20000 + 8 * i);
		step_at(&s, 0x10004, SD(5, 2, 16), 0x7f010);
		step_at(&s, 0x10008, LD(7, 2, 16), 0x7f010);
		step_at(&s, 0x1000c, LD(8, 7, 0), 0x30000 + i * 24);
		/* By way of another register the same bytes are a load of their own. */
		step_at(&s, 0x10010, LD(9, 10, 0), 0x7f010);
		step_at(&s, 0x10014, LD(8, 9, 0), 0x30000 + i * 24);
	}
	assert_int_equal(most_of(&fact_of(&s, 0x1000c)->loads).key, 0x10000);
	assert_int_equal(most_of(&fact_of(&s, 0x10014)->loads).key, 0x10010);
	steps_end(&s);
}

TEST(three_lines_in_a_set_of_two_ways_conflict)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	/* Set 3, in turn: least recently used replacement misses always, and 32 lines without sets
	 * would miss three times. */
	for (unsigned i = 0; i < 60; i++)
		step_at(&s, 0x10000, LD(5, 6, 0), 0x20060 + 512 * (i % 3));
	const struct fact_memory *m = fact_of(&s, 0x10000)->memory;
	const struct fact_conflicts *conflicts = &m->conflicts[LEVEL_L1];
	assert_int_equal(m->found[LEVEL_L1], 0);
	assert_int_equal(m->first, 3);
	assert_int_equal(conflicts->misses, 57);
	assert_int_equal(most_of(&conflicts->sets).key, 3);
	assert_int_equal(most_of(&conflicts->sets).count, 57);
	assert_int_equal(distinct_count(&conflicts->set_count), 1);
	assert_int_equal(distinct_count(&conflicts->lines), 3);
	assert_int_equal(m->conflicts[LEVEL_L2].misses, 0);
	steps_end(&s);
}

TEST(more_lines_than_the_cache_has_are_no_conflict)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	for (unsigned i = 0; i < 400; i++)
		step_at(&s, 0x10000, LD(5, 6, 0), 0x20000 + 32 * (i % 40));
	/* In 16 sets of two ways 40 lines in turn: sets 0 to 7 have three, the others two. */
	const struct fact_memory *m = fact_of(&s, 0x10000)->memory;
	assert_int_equal(m->found[LEVEL_L1], 9 * 16);
	assert_int_equal(m->conflicts[LEVEL_L1].misses, 0);
	steps_end(&s);
}

/* The L1D misses at the first lines of each page alone, few enough for any L2; the others came
 * through the L2 all the same. */
TEST(what_prefetchers_bring_in_takes_room_too)
{
	struct config c = small_machine();

	c.l1d_prefetch = PREFETCH_STRIDE;
	c.l2_size = 8192;
	c.l2_ways = 4;
	struct steps s = steps_begin(&c, NULL, 0);
	for (unsigned i = 0; i < 2048; i++)
		step_at(&s, 0x10000, LD(5, 6, 0), 0x40000 + 32 * (i % 1024));
	const struct fact_memory *m = fact_of(&s, 0x10000)->memory;
	assert_true(m->found[LEVEL_MEMORY] > 8);
	assert_true(m->found[LEVEL_MEMORY] < 200);
	assert_int_equal(m->conflicts[LEVEL_L2].misses, 0);
	steps_end(&s);
}

TEST(accesses_that_reach_into_a_second_line_or_page)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	step_at(&s, 0x10000, LD(5, 6, 0), 0x20018); /* the last 8 bytes of a line */
	step_at(&s, 0x10000, LD(5, 6, 0), 0x20019);
	step_at(&s, 0x10000, LD(5, 6, 0), 0x2001f);
	step_at(&s, 0x10000, LD(5, 6, 0), 0x20ffc);
	const struct fact_memory *m = fact_of(&s, 0x10000)->memory;
	assert_int_equal(m->line_splits, 3);
	assert_int_equal(m->page_splits, 1);
	assert_int_equal(distinct_count(&m->pages), 2);
	assert_int_equal(distinct_count(&m->lines), 4); /* 20000 20020 20fe0 21000 */
	steps_end(&s);
}

TEST(stores_that_loads_meet)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	for (unsigned i = 0; i < 5; i++) {
		step_at(&s, 0x10000, SW(5, 6, 0), 0x20000);
		step_at(&s, 0x10004, SW(5, 6, 4), 0x20004);
		step_at(&s, 0x10008, LD(7, 6, 0), 0x20000);  /* of two stores */
		step_at(&s, 0x1000c, LBU(7, 6, 5), 0x20005); /* all of it of the second */
		step_at(&s, 0x10010, LW(7, 6, 6), 0x20006);  /* two bytes that no store wrote */
		step_at(&s, 0x10014, LD(7, 6, 64), 0x20040); /* elsewhere */
	}
	assert_int_equal(fact_of(&s, 0x10008)->memory->partial, 5);
	assert_int_equal(fact_of(&s, 0x10008)->memory->forwarded, 0);
	assert_int_equal(most_of(&fact_of(&s, 0x10008)->memory->stores).key, 0x10004);
	assert_int_equal(fact_of(&s, 0x1000c)->memory->forwarded, 5);
	assert_int_equal(fact_of(&s, 0x10010)->memory->partial, 5);
	assert_int_equal(fact_of(&s, 0x10014)->memory->partial, 0);
	assert_int_equal(fact_of(&s, 0x10014)->memory->forwarded, 0);
	steps_end(&s);
}

TEST(a_store_before_the_window_is_met_no_more)
{
	struct config c = small_machine();

	for (unsigned between = 126; between <= 129; between++) {
		struct steps s = steps_begin(&c, NULL, 0);

		assert_int_equal(c.rob_size, 128);
		step_at(&s, 0x10000, SD(5, 6, 0), 0x20000);
		for (unsigned i = 0; i < between; i++)
			step_at(&s, 0x10004, ADDI(8, 8, 1), 0);
		step_at(&s, 0x10008, LD(7, 6, 0), 0x20000);
		/* The store is between + 1 steps before. */
		assert_int_equal(fact_of(&s, 0x10008)->memory->forwarded, between + 1 <= 128);
		steps_end(&s);
	}
}

TEST(chains_grow_by_the_latencies_in_them)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);
	unsigned links = 0;

	assert_int_equal(c.int_mul_latency, 3);
	for (unsigned i = 0; i < 11; i++) {
		step_at(&s, 0x10000, MUL(5, 5, 6), 0);
		step_at(&s, 0x10004, ADDI(5, 5, 1), 0);
		step_at(&s, 0x10008, DIV(7, 8, 9), 0); /* of what never changes */
		step_at(&s, 0x1000c, ADD(10, 10, 7), 0);
		jump_to(&s, 0x10000);
	}
	const struct fact *mul = fact_of(&s, 0x10000), *div = fact_of(&s, 0x10008);
	assert_int_equal(mul->chain_links, 10);
	assert_int_equal(mul->chain_cycles, 40);
	assert_int_equal(mul->serial, 10);
	assert_true(facts_is_serial(s.facts, mul, &links));
	assert_int_equal(links, 1);
	assert_int_equal(div->chain_cycles, 0);
	assert_false(facts_is_serial(s.facts, div, &links));
	/* The sum of divisions grows by its own cycle, from the first one's end on. */
	assert_int_equal(fact_of(&s, 0x1000c)->chain_cycles, 10);
	assert_int_equal(fact_of(&s, 0x1000c)->serial, 0);
	steps_end(&s);
}

TEST(a_chain_goes_through_memory)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	assert_int_equal(c.l1d_latency, 2);
	for (unsigned i = 0; i < 11; i++) {
		step_at(&s, 0x10000, LD(5, 6, 0), 0x20000);
		step_at(&s, 0x10004, ADDI(5, 5, 1), 0);
		step_at(&s, 0x10008, SD(5, 6, 0), 0x20000);
	}
	assert_int_equal(fact_of(&s, 0x10000)->chain_cycles, 30);
	steps_end(&s);
}

/* The slow twin of the two simple predictors and of what is counted of outcomes. */
struct twin {
	uint64_t own[256][2], all[256][2];
	unsigned own_history;
	uint64_t outcomes, taken, changes, run, longest, wrong_own, wrong_all;
	bool last;
};

static void twin_outcome(struct twin *t, unsigned history, bool taken)
{
	uint64_t *own = t->own[t->own_history], *all = t->all[history];

	t->wrong_own += (own[1] >= own[0]) != taken;
	t->wrong_all += (all[1] >= all[0]) != taken;
	own[taken]++;
	all[taken]++;
	if (t->outcomes && taken != t->last) {
		t->changes++;
		t->run = 0;
	}
	t->run++;
	t->longest = t->run > t->longest ? t->run : t->longest;
	t->outcomes++;
	t->taken += taken;
	t->last = taken;
	t->own_history = (t->own_history * 2 + taken) % 256;
}

TEST(outcomes_equal_a_slow_twin)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);
	static struct twin twins[3];
	struct rng rng = {1};
	unsigned history = 0;

	memset(twins, 0, sizeof(twins));
	for (unsigned i = 0; i < 20000; i++) {
		unsigned which = (unsigned)rng_below(&rng, 3);
		uint64_t pc = 0x10000 + 0x100 * which;
		/* One at random, one that repeats itself, one that does as the last one did. */
		bool taken = which == 0	  ? rng_below(&rng, 2)
			     : which == 1 ? twins[1].outcomes % 5 == 0
					  : history & 1;

		twin_outcome(&twins[which], history, taken);
		jump_at(&s, pc, BEQ(5, 6), pc + (taken ? 16 : 4));
		history = (history * 2 + taken) % 256;
	}
	for (unsigned i = 0; i < 3; i++) {
		const struct fact_branch *b = fact_of(&s, 0x10000 + 0x100 * i)->branch;

		assert_int_equal(b->outcomes, twins[i].outcomes);
		assert_int_equal(b->taken, twins[i].taken);
		assert_int_equal(b->changes, twins[i].changes);
		assert_int_equal(b->longest_run, twins[i].longest);
		assert_int_equal(b->wrong_own, twins[i].wrong_own);
		assert_int_equal(b->wrong_all, twins[i].wrong_all);
	}
	/* The first is hard for all, the second easy by its own past, the third by that of all. */
	assert_true(twins[0].wrong_own > 2800 && twins[0].wrong_all > 2800);
	assert_true(twins[1].wrong_own < 20 && twins[2].wrong_all < 300);
	steps_end(&s);
}

TEST(what_a_branch_tests)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	for (unsigned i = 0; i < 10; i++) {
		step_at(&s, 0x10000, LD(5, 6, 0), 0x20000 + 8 * i);
		step_at(&s, 0x10004, ADDI(7, 5, 1), 0);
		jump_at(&s, 0x10008, BEQ(7, 0), 0x1000c);
		jump_at(&s, 0x1000c, BEQ(8, 0), 0x10010);
	}
	assert_int_equal(most_of(&fact_of(&s, 0x10008)->loads).key, 0x10000);
	assert_int_equal(fact_of(&s, 0x10008)->fed_anew, 9);
	assert_int_equal(fact_of(&s, 0x1000c)->fed, 0);
	steps_end(&s);
}

TEST(targets_of_an_indirect_jump)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	for (unsigned i = 0; i < 30; i++)
		jump_at(&s, 0x10000, JALR(0, 7), 0x20000 + 0x100 * (i / 2 % 3));
	const struct fact_jump *j = fact_of(&s, 0x10000)->jump;
	assert_int_equal(j->jumps, 30);
	assert_int_equal(j->changes, 14);
	assert_int_equal(distinct_count(&j->targets), 3);
	/* The last seen target is wrong whenever it changes, and the first time. */
	assert_int_equal(j->wrong, 15);
	steps_end(&s);
}

TEST(returns_deeper_than_the_return_stack)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	assert_int_equal(c.ras_entries, 8);
	for (unsigned i = 0; i < 20; i++)
		jump_at(&s, 0x10000 + 0x100 * i, JAL_RA, 0x10000 + 0x100 * (i + 1));
	for (unsigned i = 20; i-- > 0;)
		jump_at(&s, 0x20000, JALR(0, 1), 0x10004 + 0x100 * i);
	const struct fact_jump *j = fact_of(&s, 0x20000)->jump;
	assert_int_equal(j->jumps, 20);
	assert_int_equal(j->wrong, 12);
	assert_int_equal(j->overflows, 12);
	steps_end(&s);
}

TEST(instructions_for_the_same_unit)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	/* 1, 2, 3 ... 64, 64, 64 stores among the last 64 instructions. */
	for (unsigned i = 0; i < 66; i++)
		step_at(&s, 0x10000, SD(5, 6, 0), 0x20000);
	assert_int_equal(fact_of(&s, 0x10000)->near_sum, 64 * 65 / 2 + 2 * 64);
	assert_int_equal(fact_of(&s, 0x10000)->near_most, 64);
	for (unsigned i = 0; i < 32; i++)
		step_at(&s, 0x10004, ADDI(5, 5, 1), 0);
	step_at(&s, 0x10008, LD(7, 6, 0), 0x30000);
	/* Itself, and the 31 stores that are left; loads compete with stores. */
	assert_int_equal(fact_of(&s, 0x10008)->near_sum, 32);
	steps_end(&s);
}

TEST(lines_of_code)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	/* 8 instructions in a line of 32 bytes; 20 lines, twice. */
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 160; i++)
			step_at(&s, 0x10000 + 4 * i, ADDI(5, 5, 1), 0);
	const struct fact_code *code = facts_code(s.facts);
	assert_int_equal(code->bytes, 640);
	assert_int_equal(code->lines, 20);
	assert_int_equal(code->pages, 1);
	assert_int_equal(code->fetches, 40);
	assert_int_equal(code->misses, 20);
	assert_int_equal(code->busiest_lines, 20);
	assert_int_equal(fact_of(&s, 0x10020)->fetch_misses, 1);
	assert_int_equal(fact_of(&s, 0x10024)->fetch_misses, 0);
	/* Windows of 100000 instructions are by themselves. */
	for (unsigned i = 320; i < FACTS_WINDOW_INSNS; i++)
		step_at(&s, 0x10000, ADDI(5, 5, 1), 0);
	for (unsigned i = 0; i < 240; i++)
		step_at(&s, 0x20000 + 4 * i, ADDI(5, 5, 1), 0);
	assert_int_equal(code->lines, 50);
	assert_int_equal(code->busiest_lines, 30);
	steps_end(&s);
}

TEST(threads_have_registers_of_their_own)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	for (unsigned i = 0; i < 10; i++) {
		s.thread = 1;
		step_at(&s, 0x10000, LD(5, 6, 0), 0x20000 + 8 * i);
		s.thread = 2;
		step_at(&s, 0x10100, LD(5, 6, 0), 0x28000 + 8 * i);
		s.thread = 1;
		step_at(&s, 0x10004, LD(7, 5, 0), 0x30000 + 40 * i);
		s.thread = 2;
		step_at(&s, 0x10104, LD(7, 5, 0), 0x38000 + 40 * i);
	}
	assert_int_equal(most_of(&fact_of(&s, 0x10004)->loads).key, 0x10000);
	assert_int_equal(fact_of(&s, 0x10004)->fed, 9);
	assert_int_equal(most_of(&fact_of(&s, 0x10104)->loads).key, 0x10100);
	/* A thread that takes the place of another has nothing of its. */
	s.thread = 1 + 16;
	step_at(&s, 0x10004, LD(7, 5, 0), 0x30000);
	assert_int_equal(fact_of(&s, 0x10004)->fed, 9);
	steps_end(&s);
}

TEST(what_was_interrupted_has_no_outcome)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	jump_at(&s, 0x10000, BEQ(5, 6), 0x10010);
	steps_take(&s, 0x10000, BEQ(5, 6), 0, 0x55550, true);
	assert_int_equal(fact_of(&s, 0x10000)->executed, 2);
	assert_int_equal(fact_of(&s, 0x10000)->branch->outcomes, 1);
	steps_take(&s, 0x10020, JALR(0, 7), 0, 0x55550, true);
	assert_int_equal(fact_of(&s, 0x10020)->jump->jumps, 0);
	steps_end(&s);
}

TEST(a_signal_makes_registers_unknown)
{
	struct config c = small_machine();

	for (unsigned is_signal = 0; is_signal < 2; is_signal++) {
		struct steps s = steps_begin(&c, NULL, 0);

		for (unsigned i = 0; i < 2; i++) {
			step_at(&s, 0x10000, LD(5, 6, 0), 0x20000 + 8 * i);
			if (is_signal)
				steps_take(&s, 0x10004, ADDI(8, 8, 1), 0, 0x90000, true);
			else
				step_at(&s, 0x10004, ADDI(8, 8, 1), 0);
			step_at(&s, 0x10008, LD(7, 5, 0), 0x30000 + 80 * i);
		}
		assert_int_equal(fact_of(&s, 0x10008)->fed, !is_signal);
		steps_end(&s);
	}
}

TEST(code_that_changes_is_marked)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	step_at(&s, 0x10000, ADDI(5, 5, 1), 0);
	step_at(&s, 0x10004, ADDI(5, 5, 1), 0);
	step_at(&s, 0x10000, LD(5, 6, 0), 0x20000);
	jump_at(&s, 0x10000, BEQ(5, 6), 0x10010);
	const struct fact *fact = fact_of(&s, 0x10000);
	assert_true(fact->changed);
	assert_int_equal(fact->executed, 3);
	assert_int_equal(fact->memory->accesses, 1);
	assert_int_equal(fact->branch->taken, 1);
	assert_false(fact_of(&s, 0x10004)->changed);
	/* Numbers of ops that begin anew are others' from then on. */
	facts_add(s.facts, NULL, 0, 0, false);
	s.count = 0;
	step_at(&s, 0x10008, MUL(5, 5, 5), 0);
	assert_int_equal(fact_of(&s, 0x10008)->executed, 1);
	assert_int_equal(fact_of(&s, 0x10000)->executed, 3);
	steps_end(&s);
}

TEST(no_more_places_than_there_is_room_for)
{
	struct config c = small_machine();
	const uint64_t asked[] = {0x90000, 0x10010, 0x90000};
	struct steps s = steps_begin(&c, asked, 3);

	for (unsigned i = 0; i < FACTS_PLACES_MOST + 100; i++)
		step_at(&s, 0x10000 + 4 * i, ADDI(5, 5, 1), 0);
	step_at(&s, 0x90000, LD(5, 5, 0), 0x20000);
	assert_int_equal(facts_count(s.facts), FACTS_PLACES_MOST);
	/* Of all but the two that were asked for, one of which is among them. */
	assert_int_equal(facts_left_out(s.facts), 100 + 1);
	assert_int_equal(facts_steps(s.facts), FACTS_PLACES_MOST + 101);
	assert_int_equal(facts_at(s.facts, 0)->pc, 0x90000);
	assert_true(facts_at(s.facts, 0)->is_asked);
	assert_int_equal(facts_at(s.facts, 0)->executed, 1);
	assert_null(facts_find(s.facts, 0x10000 + 4 * (FACTS_PLACES_MOST + 50)));
	assert_int_equal(facts_find(s.facts, 0x10010)->executed, 1);
	steps_end(&s);
}

TEST(wild_addresses_do_no_harm)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);
	const uint64_t wild[] = {
		UINT64_MAX, UINT64_MAX - 7, GUEST_SPACE_BYTES - 4, GUEST_SPACE_BYTES, 0, 1};

	for (unsigned i = 0; i < 6; i++) {
		step_at(&s, 0x10000, LD(5, 6, 0), wild[i]);
		step_at(&s, 0x10004, SD(5, 6, 0), wild[i]);
		jump_at(&s, 0x10008, JALR(0, 7), wild[i]);
		step_at(&s, wild[i] & ~UINT64_C(3), ADDI(5, 5, 1), 0);
		step_at(&s, 0x10010, AMOADD(5, 6, 7), wild[i]);
	}
	/* Those beyond the guest's space would have faulted. */
	assert_int_equal(fact_of(&s, 0x10000)->memory->accesses, 3);
	assert_int_equal(fact_of(&s, 0x10010)->memory->accesses, 3);
	steps_end(&s);
}
