/* Each pattern is named of steps that have it, with their numbers, and not of steps that lack what
 * it asks for. */
#include "base/array.h"
#include "base/rng.h"
#include "measure/pattern.h"
#include "steps.h"

static const char *hexadecimal(void *context, uint64_t pc, char text[PATTERN_PLACE_BYTES])
{
	++*(unsigned *)context;
	snprintf(text, PATTERN_PLACE_BYTES, "0x%llx", (unsigned long long)pc);
	return text;
}

static struct config small_machine(void)
{
	struct config c;

	config_reset(&c);
	c.l1d_size = 1024;
	c.l1d_ways = 2;
	c.dtlb_entries = c.dtlb_ways = 4;
	return c;
}

static struct pattern_finding find(const struct steps *s, uint64_t pc, enum cause cause)
{
	unsigned named = 0;
	const struct pattern_namer namer = {hexadecimal, &named};
	uint64_t slots[CAUSE_COUNT] = {[CAUSE_BASE] = 1000};
	struct pattern_finding finding;

	slots[cause] += 100;
	pattern_find(s->facts, pc, slots, &namer, &finding);
	return finding;
}

static void expect(const struct steps *s, uint64_t pc, enum cause cause, enum pattern pattern,
		   const char *evidence)
{
	const struct pattern_finding finding = find(s, pc, cause);

	assert_string_equal(pattern_rows[finding.pattern].name, pattern_rows[pattern].name);
	if (!strstr(finding.evidence, evidence))
		fail_msg("\"%s\" is not in \"%s\"", evidence, finding.evidence);
}

TEST(every_pattern_has_a_name_of_its_own)
{
	for (int i = 0; i < PATTERN_COUNT; i++)
		assert_int_equal(pattern_named(pattern_rows[i].name), i);
	assert_int_equal(pattern_named("nonesuch"), -1);
}

TEST(loads)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);
	struct rng rng = {9};

	for (unsigned i = 0; i < 1000; i++) {
		uint64_t far = 0x100000 + (rng_next(&rng) >> 44 & ~UINT64_C(7));

		step_at(&s, 0x10000, LD(5, 5, 0), far);			 /* follows itself */
		step_at(&s, 0x10004, LD(6, 5, 8), far + 8);		 /* beside it */
		step_at(&s, 0x10008, LD(7, 8, 0), 0x2000000 + 8 * i);	 /* an index */
		step_at(&s, 0x1000c, LD(9, 7, 0), far ^ 0x800000);	 /* by the index */
		step_at(&s, 0x10010, LD(10, 11, 0), 0x3000000 + 32 * i); /* in steps of a line */
		step_at(&s, 0x10014, LD(12, 13, 0), far ^ 0x400000);	 /* computed */
		jump_to(&s, 0x10000);
	}
	expect(&s, 0x10000, CAUSE_L1D, PATTERN_POINTER_CHASE, "99.9 % of 1000 executions");
	expect(&s, 0x10004, CAUSE_L1D, PATTERN_POINTER_CHASE, "mostly that of 0x10000");
	expect(&s, 0x1000c, CAUSE_L2D, PATTERN_DEPENDENT_LOAD, "mostly what 0x10008 loads");
	expect(&s, 0x10010, CAUSE_L2D, PATTERN_STREAM, "each 32 bytes from the last in 99.9 %");
	expect(&s, 0x10014, CAUSE_MSHR, PATTERN_SCATTERED, "accesses miss in the L2");
	expect(&s, 0x10000, CAUSE_DEPENDENCE, PATTERN_POINTER_CHASE, "its own last value");
	steps_end(&s);
}

TEST(sets_and_pages)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	for (unsigned i = 0; i < 600; i++) {
		step_at(&s, 0x10000, LD(5, 6, 0), 0x20060 + 512 * (i % 3));
		step_at(&s, 0x10004, LD(7, 8, 0), 0x40000 + (4096 + 32) * (i * 5 % 7));
	}
	expect(&s, 0x10000, CAUSE_L1D, PATTERN_CONFLICT,
	       "3 lines in 1 of 16 sets of 2 ways; set 3");
	expect(&s, 0x10004, CAUSE_DTLB, PATTERN_PAGES,
	       "7 pages, and the TLB knows 4; 100.0 % of 600");
	expect(&s, 0x10000, CAUSE_DTLB, PATTERN_NONE, "1 pages");
	steps_end(&s);
}

TEST(stores)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	for (unsigned i = 0; i < 100; i++) {
		step_at(&s, 0x10000, SD(5, 6, 0), 0x20000 + 64 * i);
		step_at(&s, 0x10004, SD(5, 2, 0), 0x80000);
	}
	expect(&s, 0x10000, CAUSE_L2D, PATTERN_STORE_MISS, "each 64 bytes from the last");
	expect(&s, 0x10000, CAUSE_STORE, PATTERN_STORE_MISS, "100.0 % of 100 miss");
	expect(&s, 0x10004, CAUSE_STORE, PATTERN_STORE_BURST, "64 at most; 1.0 % of 100 miss");
	steps_end(&s);
}

/* A prefetcher brings in all but the first lines of each page, which lie in few sets. */
TEST(stores_in_even_steps_are_no_conflict_because_a_prefetcher_helps)
{
	struct config c = small_machine();

	c.l1d_line = c.l2_line = 64;
	c.l1d_prefetch = PREFETCH_STRIDE;
	c.l2_size = 16384;
	c.l2_ways = 4;
	struct steps s = steps_begin(&c, NULL, 0);
	for (unsigned i = 0; i < 2048; i++) {
		step_at(&s, 0x10000, SD(5, 6, 0), 0x40000 + 64 * (i % 512));
		step_at(&s, 0x10004, LD(5, 6, 0), 0x80000 + 64 * (i % 512));
	}
	expect(&s, 0x10000, CAUSE_L2D, PATTERN_STORE_MISS, "each 64 bytes from the last");
	expect(&s, 0x10004, CAUSE_L2D, PATTERN_STREAM, "each 64 bytes from the last");
	steps_end(&s);
}

TEST(loads_behind_stores)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	for (unsigned i = 0; i < 100; i++) {
		step_at(&s, 0x10000, SW(5, 6, 0), 0x20000);
		step_at(&s, 0x10004, LD(7, 6, 0), 0x20000);
		step_at(&s, 0x10008, LW(8, 6, 0), 0x20000);
		step_at(&s, 0x1000c, ADD(9, 9, 7), 0);
		step_at(&s, 0x10010, LW(8, 6, 64), 0x20040);
	}
	expect(&s, 0x10004, CAUSE_FORWARD, PATTERN_FORWARD_FAILS, "mostly that of 0x10000");
	expect(&s, 0x10008, CAUSE_FORWARD, PATTERN_FORWARD_CHAIN, "100.0 % one that wrote all");
	/* Who needs the value waits as long. */
	expect(&s, 0x1000c, CAUSE_FORWARD, PATTERN_FORWARD_FAILS, "of 100 loads 100.0 %");
	assert_int_equal(find(&s, 0x1000c, CAUSE_FORWARD).about, 0x10004);
	expect(&s, 0x10010, CAUSE_FORWARD, PATTERN_NONE, "0.0 %");
	expect(&s, 0x10004, CAUSE_WAIT, PATTERN_HELD_LOAD, "100 loads");
	expect(&s, 0x10004, CAUSE_REPLAY, PATTERN_REPLAYED, "of which 100.0 % meet");
	steps_end(&s);
}

TEST(branches)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);
	struct rng rng = {2};

	for (unsigned i = 0; i < 4000; i++) {
		unsigned bits = (unsigned)rng_below(&rng, 4);

		step_at(&s, 0x10000, LD(5, 6, 0), 0x20000 + 8 * (i % 100));
		jump_at(&s, 0x10004, BEQ(5, 0), bits & 1 ? 0x10014 : 0x10008);
		jump_at(&s, 0x10020, BEQ(7, 8), bits & 2 ? 0x10030 : 0x10024);
		jump_at(&s, 0x10040, BEQ(9, 8), 0x10044);
	}
	expect(&s, 0x10004, CAUSE_BRANCH, PATTERN_DATA_BRANCH, "tests what 0x10000 loads");
	expect(&s, 0x10004, CAUSE_BRANCH, PATTERN_DATA_BRANCH, "of 4000, entropy 1.00 bit");
	expect(&s, 0x10020, CAUSE_BRANCH, PATTERN_BRANCH, "of 4000");
	expect(&s, 0x10040, CAUSE_BTB, PATTERN_TARGETS, "4000 executions");
	steps_end(&s);
}

TEST(a_branch_that_never_was_mispredicted_has_no_pattern)
{
	struct config c = small_machine();

	c.predictor_kind = PREDICTOR_STATIC_NOT_TAKEN;
	struct steps s = steps_begin(&c, NULL, 0);
	for (unsigned i = 0; i < 100; i++)
		jump_at(&s, 0x10000, BEQ(9, 8), 0x10004);
	expect(&s, 0x10000, CAUSE_BRANCH, PATTERN_NONE, "taken 0.0 % of 100, entropy 0.00 bit");
	steps_end(&s);
}

TEST(a_branch_that_another_predictor_would_learn)
{
	struct config c = small_machine();

	c.predictor_kind = PREDICTOR_STATIC_NOT_TAKEN;
	struct steps s = steps_begin(&c, NULL, 0);
	for (unsigned i = 0; i < 400; i++)
		jump_at(&s, 0x10000, BEQ(9, 8), i % 2 ? 0x10010 : 0x10004);
	expect(&s, 0x10000, CAUSE_BRANCH, PATTERN_BRANCH_OTHERS, "50.0 % mispredicted");
	steps_end(&s);
}

TEST(jumps)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	for (unsigned i = 0; i < 30; i++)
		jump_at(&s, 0x30000, JALR(0, 7), 0x40000 + 0x100 * (i % 3));
	for (unsigned i = 0; i < 30; i++)
		jump_at(&s, 0x30100, JALR(0, 7), 0x40000);
	for (unsigned i = 0; i < 20; i++)
		jump_at(&s, 0x10000 + 0x100 * i, JAL_RA, 0x10000 + 0x100 * (i + 1));
	for (unsigned i = 20; i-- > 0;)
		jump_at(&s, 0x20000, JALR(0, 1), 0x10004 + 0x100 * i);
	expect(&s, 0x30000, CAUSE_BRANCH, PATTERN_INDIRECT, "3 targets in 30 times");
	expect(&s, 0x30100, CAUSE_BRANCH, PATTERN_NONE, "1 targets");
	expect(&s, 0x20000, CAUSE_BRANCH, PATTERN_RETURN_STACK, "60.0 % to callers");
	steps_end(&s);
}

TEST(operations)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);

	for (unsigned i = 0; i < 100; i++) {
		step_at(&s, 0x10000, DIV(5, 6, 5), 0);
		step_at(&s, 0x10004, DIV(7, 8, 9), 0);
		step_at(&s, 0x10008, ADD(10, 10, 5), 0);
		step_at(&s, 0x1000c, LD(11, 12, 0), 0x2001c);
		step_at(&s, 0x10010, AMOADD(11, 12, 13), 0x20000);
		step_at(&s, 0x10014, ADDI(14, 14, 1), 0);
		jump_to(&s, 0x10000);
	}
	expect(&s, 0x10000, CAUSE_LATENCY, PATTERN_LATENCY_CHAIN, "grows by 20.0 cycles each time");
	expect(&s, 0x10000, CAUSE_LATENCY, PATTERN_LATENCY_CHAIN, "through its own last result");
	expect(&s, 0x10004, CAUSE_LATENCY, PATTERN_LONG_OPERATION, "a division of 20 cycles");
	/* Who waits for the division is charged for it. */
	expect(&s, 0x10008, CAUSE_LATENCY, PATTERN_LATENCY_CHAIN, "a division of 20 cycles, 100");
	expect(&s, 0x10008, CAUSE_UNIT_INT_MULDIV, PATTERN_UNIT_TAKEN, "a division");
	expect(&s, 0x10004, CAUSE_UNIT_INT_MULDIV, PATTERN_UNIT_TAKEN, "19 at most");
	expect(&s, 0x10014, CAUSE_UNIT_INT_MULDIV, PATTERN_NONE, "executed 100 times");
	expect(&s, 0x10008, CAUSE_DEPENDENCE, PATTERN_DEPENDENCE_CHAIN, "grows by 20.0 cycles");
	expect(&s, 0x10014, CAUSE_DEPENDENCE, PATTERN_NONE, "grows by 1.0 cycles");
	expect(&s, 0x1000c, CAUSE_DEPENDENCE, PATTERN_SPLIT, "100.0 % of 100 accesses");
	expect(&s, 0x1000c, CAUSE_UNIT_MEMORY, PATTERN_SPLIT, "second line");
	expect(&s, 0x10010, CAUSE_SERIALISE, PATTERN_SERIALISING, "an atomic, 100 times");
	expect(&s, 0x10014, CAUSE_SERIALISE, PATTERN_SERIALISING, "an atomic, 100 times");
	assert_int_equal(find(&s, 0x10014, CAUSE_SERIALISE).about, 0x10010);
	steps_end(&s);
}

TEST(code)
{
	struct config c = small_machine();

	/* An L1I of 1 KB, direct-mapped, 32-byte lines. */
	c.l1i_size = 1024;
	c.itlb_entries = c.itlb_ways = 2;
	struct steps s = steps_begin(&c, NULL, 0);
	for (unsigned i = 0; i < 40; i++)
		for (unsigned line = 0; line < 40; line++)
			step_at(&s, 0x10000 + 32 * line, ADDI(5, 5, 1), 0);
	expect(&s, 0x10000, CAUSE_L1I, PATTERN_CODE, "up to 1 KB of code");
	expect(&s, 0x10000, CAUSE_ITLB, PATTERN_NONE, "1 pages");
	steps_end(&s);
	s = steps_begin(&c, NULL, 0);
	for (unsigned i = 0; i < 40; i++)
		for (unsigned line = 0; line < 3; line++)
			step_at(&s, 0x10000 + 4096 * line, ADDI(5, 5, 1), 0);
	expect(&s, 0x10000, CAUSE_L1I, PATTERN_CODE_CONFLICT, "97.5 % of them for its sets alone");
	expect(&s, 0x10000, CAUSE_ITLB, PATTERN_CODE_PAGES, "up to 3 pages of code");
	steps_end(&s);
}

TEST(what_is_not_known_has_no_pattern)
{
	struct config c = small_machine();
	const uint64_t asked[] = {0x50000};
	struct steps s = steps_begin(&c, asked, 1);

	step_at(&s, 0x10000, ADDI(5, 5, 1), 0);
	step_at(&s, 0x10000, LD(5, 5, 0), 0x20000);
	expect(&s, 0x10000, CAUSE_L2D, PATTERN_NONE, "its code changed meanwhile");
	expect(&s, 0x50000, CAUSE_L2D, PATTERN_NONE, "");
	expect(&s, 0x60000, CAUSE_L2D, PATTERN_NONE, "");
	for (enum cause cause = CAUSE_BASE; cause < CAUSE_COUNT; cause++)
		expect(&s, 0x60000, cause, PATTERN_NONE, "");
	steps_end(&s);
}

/* No cause at any instruction gives a pattern without numbers, or reads what is not there. */
TEST(every_cause_at_every_instruction)
{
	struct config c = small_machine();
	struct steps s = steps_begin(&c, NULL, 0);
	const uint32_t raws[] = {ADDI(5, 5, 1),	       LD(5, 5, 0), SD(5, 6, 0), MUL(5, 5, 5),
				 AMOADD(5, 6, 7),      ECALL,	    JALR(0, 7),	 JALR(0, 1),
				 0x00b50463 /* beq */, JAL_RA};

	for (unsigned i = 0; i < 50; i++)
		for (unsigned j = 0; j < ARRAY_COUNT(raws); j++)
			step_at(&s, 0x10000 + 4 * j, raws[j], 0x20000 + 8 * i);
	for (unsigned j = 0; j < ARRAY_COUNT(raws); j++)
		for (enum cause cause = CAUSE_BASE; cause < CAUSE_COUNT; cause++) {
			const struct pattern_finding finding = find(&s, 0x10000 + 4 * j, cause);

			assert_true(strlen(finding.evidence) > 5);
			assert_non_null(facts_find(s.facts, finding.about));
			if (cause == CAUSE_BASE)
				assert_int_equal(finding.pattern, PATTERN_NONE);
		}
	steps_end(&s);
}
