/* What both cores and their observers share: which misses begin, for which level a wait is, calls
 * that are measured, the shape of a core and the stages of its front end. */
#include "../test.h"
#include "base/array.h"
#include "core/core.h"
#include "core/frontend.h"
#include "isa/insn.h"

/* A level is missed in if it is above the one that held the line, is there, and is not hidden. */
TEST(misses_are_the_levels_above_the_line)
{
	static const unsigned above[] = {[LEVEL_L1] = 0,
					 [LEVEL_L2] = FETCH_MISS_L1,
					 [LEVEL_L3] = FETCH_MISS_L1 | FETCH_MISS_L2,
					 [LEVEL_MEMORY] =
						 FETCH_MISS_L1 | FETCH_MISS_L2 | FETCH_MISS_L3};

	for (unsigned levels = 1; levels <= 3; levels++)
		for (uint8_t tag = LEVEL_L1; tag <= LEVEL_MEMORY; tag++)
			for (uint8_t level = LEVEL_L1; level <= LEVEL_MEMORY; level++) {
				struct access_result result = {
					.level = level, .tag_level = tag, .tlb_done_at = 100};
				/* An ideal switch hides what its latency does not include; a
				 * pending hit includes more than it missed. */
				unsigned wanted = above[tag] & above[level];

				if (levels < 3)
					wanted &= ~(unsigned)FETCH_MISS_L3;
				if (levels < 2)
					wanted &= ~(unsigned)FETCH_MISS_L2;
				assert_int_equal(core_misses(&result, levels, 100), wanted);
				/* A TLB miss that takes no time is hidden. */
				result.tlb_miss = true;
				assert_int_equal(core_misses(&result, levels, 100), wanted);
				result.tlb_done_at = 101;
				assert_int_equal(core_misses(&result, levels, 100),
						 wanted | FETCH_MISS_TLB);
				result.tlb_miss = false;
				assert_int_equal(core_misses(&result, levels, 100), wanted);
			}
}

TEST(a_wait_is_for_the_first_level_that_is_not_over)
{
	const uint64_t until[] = {10, 20};

	assert_int_equal(core_wait_level(9, until), 0);
	assert_int_equal(core_wait_level(10, until), 1);
	assert_int_equal(core_wait_level(19, until), 1);
	assert_int_equal(core_wait_level(20, until), 2);
}

/* The function called at 0x100 returns to 0x104. It calls itself from the same place once. */
TEST(a_call_ends_with_its_own_return)
{
	struct core_call call = {.site = 0x100, .return_to = 0x104};

	assert_false(core_call_returns(&call, 0x200, 0x210)); /* a branch within it */
	assert_false(core_call_returns(&call, 0x100, 0x200));
	assert_int_equal(call.depth, 1);
	assert_false(core_call_returns(&call, 0x220, 0x104));
	assert_int_equal(call.depth, 0);
	/* A jump at the place that it returns to. */
	assert_false(core_call_returns(&call, 0x104, 0x108));
	assert_true(core_call_returns(&call, 0x220, 0x104));
}

TEST(a_run_ends_before_the_return_of_its_function)
{
	struct core core = {.last_call = {UINT64_MAX, UINT64_MAX, 0}, .commit_limit = 10};

	assert_false(core_ends_before(&core, 0x104));
	core_end_at_return(&core, 0x100, 0x104);
	assert_false(core_ends_before(&core, 0x100));
	core_follow_commit(&core, 0x100);
	/* The return of the inner call: it may be asked in several cycles before it commits. */
	assert_false(core_ends_before(&core, 0x104));
	assert_false(core_ends_before(&core, 0x104));
	core_follow_commit(&core, 0x104);
	assert_false(core.has_returned);
	assert_true(core_ends_before(&core, 0x104));
	assert_true(core.has_returned);
	core.totals.committed = 7;
	assert_int_equal(core_commit_width(&core, 4), 3);
	assert_int_equal(core_commit_width(&core, 3), 3);
	assert_int_equal(core_commit_width(&core, 2), 2);
}

TEST(an_identity_that_does_not_hold_is_said)
{
	struct err err = {.text = ""};

	assert_true(core_identity("a = b", 7, 7, &err));
	assert_string_equal(err.text, "");
	assert_false(core_identity("a = b", 7, 8, &err));
	assert_string_equal(err.text,
			    "internal error: a = b does not hold: 7 is not 8; please report this");
}

TEST(each_unit_has_its_class)
{
	static const struct {
		enum unit unit;
		enum insn_class class;
	} rows[] = {{UNIT_ALU, CLASS_INTEGER},	    {UNIT_MUL, CLASS_MULTIPLY},
		    {UNIT_DIV, CLASS_DIVIDE},	    {UNIT_LOAD, CLASS_LOAD},
		    {UNIT_STORE, CLASS_STORE},	    {UNIT_AMO, CLASS_ATOMIC},
		    {UNIT_FP_ADD, CLASS_FP_ADD},    {UNIT_FP_MUL, CLASS_FP_MULTIPLY},
		    {UNIT_FP_DIV, CLASS_FP_DIVIDE}, {UNIT_FENCE, CLASS_FENCE},
		    {UNIT_CSR, CLASS_CSR},	    {UNIT_SYSTEM, CLASS_SYSTEM}};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		assert_int_equal(core_classes[rows[i].unit], rows[i].class);
}

/* A machine whose numbers are all different, once of either kind. */
static struct config unequal(enum config_core kind)
{
	struct config c;

	config_reset(&c);
	c.core_kind = kind;
	c.dispatch_width = 3;
	c.issue_width = 5;
	c.commit_width = 6;
	c.decode_width = 7;
	c.fetch_width = 8;
	c.fetch_buffer = 19;
	c.rob_size = 101;
	c.frontend_depth = 9;
	c.l1i_latency = 4;
	c.inorder_issue_width = 2;
	c.inorder_taken_branch = 11;
	c.inorder_mispredict = 13;
	c.inorder_fill_word = 15;
	return c;
}

TEST(the_shape_is_that_of_the_machine)
{
	struct config ooo = unequal(CORE_OOO), inorder = unequal(CORE_INORDER);

	assert_false(shape_is_inorder(&ooo));
	assert_true(shape_is_inorder(&inorder));
	assert_int_equal(shape_width(&ooo), 3);
	assert_int_equal(shape_width(&inorder), 2);
	assert_int_equal(shape_issue_width(&ooo), 5);
	assert_int_equal(shape_issue_width(&inorder), 2);
	assert_int_equal(shape_commit_width(&ooo), 6);
	assert_int_equal(shape_commit_width(&inorder), 2);
	assert_int_equal(shape_window(&ooo), 101);
	assert_int_equal(shape_window(&inorder), SHAPE_INORDER_WINDOW);
	assert_int_equal(shape_mispredict_cycles(&ooo), 9);
	assert_int_equal(shape_mispredict_cycles(&inorder), 13);
	inorder.predictor_kind = PREDICTOR_NONE;
	assert_int_equal(shape_mispredict_cycles(&inorder), 11);
	/* The first word of 8 comes with the miss itself. */
	assert_int_equal(shape_fill_cycles(&inorder, 32), 15 * 7);
	assert_int_equal(shape_fill_cycles(&ooo, 32), 0);
	/* An L1I of one cycle is part of the first stage. */
	assert_int_equal(frontend_stages(&ooo), 9 + 3);
	assert_int_equal(frontend_stages(&inorder), 2 + 3);
	assert_int_equal(frontend_room(&ooo), 12 * 7);
	assert_int_equal(frontend_in_flight(&ooo), 101 + 84 + 19 + 8);
}

/* A core holds at most so many instructions; the sentence says what makes it more. */
TEST(a_core_that_is_too_large_is_refused)
{
	struct config c = unequal(CORE_OOO);
	struct err err = {.text = ""};

	assert_ptr_equal(core_kind_of(&c, &err), &core_ooo);
	/* A power of two that holds all of them. */
	assert_int_equal(core_ooo.in_flight(&c), 256);
	c.rob_size = 101 + 256 - (101 + 84 + 19 + 8);
	assert_int_equal(core_ooo.in_flight(&c), 256);
	c.rob_size++;
	assert_int_equal(core_ooo.in_flight(&c), 512);
	/* 1024 in the window, 256 in the fetch buffer, 16 fetched, 16 in each of 175 stages: 4096.
	 */
	c.rob_size = 1024;
	c.fetch_buffer = 256;
	c.fetch_width = c.decode_width = 16;
	c.frontend_depth = 64;
	c.l1i_latency = 175 - 63;
	assert_int_equal(core_ooo.in_flight(&c), 4096);
	assert_ptr_equal(core_kind_of(&c, &err), &core_ooo);
	c.l1i_latency++;
	assert_null(core_kind_of(&c, &err));
	assert_non_null(strstr(err.text, "together hold more than 4096 instructions"));
	c = unequal(CORE_INORDER);
	assert_ptr_equal(core_kind_of(&c, &err), &core_inorder);
}
