/* A pipeline as text: rows, the ruler, losses, and a range that takes several parts. */
#include "../printed.h"

#include "report/text/pipeview_text.h"

/* Four instructions: one from cycle 10 to 16 with a loss of l2d in 12 and 13 and of branch in 15,
 * one squashed from 11 to 14, one without a text from 13 to 30, one from 28 to 31. */
static const char file[] = "Kanata\t0004\nC=\t10\n"
			   "I\t0\t7\t0\nL\t0\t0\tadd a0, a1, a2\nS\t0\t0\tf\n"
			   "C\t1\n"
			   "S\t0\t0\tX\n"
			   "I\t1\t8\t0\nL\t1\t0\tbeq a0, zero, 0x10000 <main+0x20>\nS\t1\t0\tF\n"
			   "C\t1\n"
			   "S\t0\t1\tl2d\n"
			   "C\t1\n"
			   "I\t2\t9\t0\nS\t2\t0\t\001g\nS\t2\t0\t g\n"
			   "C\t1\n"
			   "E\t0\t1\tl2d\n"
			   "S\t2\t0\t\177g\n"
			   "R\t1\t0\t1\n"
			   "C\t1\n"
			   "S\t0\t1\tbranch\n"
			   "C\t1\n"
			   "E\t0\t1\tbranch\n"
			   "R\t0\t0\t0\n"
			   "C\t12\n"
			   "I\t3\t10\t0\nL\t3\t0\tld\nS\t3\t0\tF\n"
			   "C\t2\n"
			   "R\t2\t0\t0\n"
			   "C\t1\n"
			   "R\t3\t0\t0\n";

static void is_pipeline(uint64_t from, uint64_t to, const struct terminal *terminal,
			const char *wanted)
{
	const struct pipeview_range range = {from, to};
	struct kanata kanata;
	struct printed p;
	struct err err;

	if (!kanata_read(&kanata, file, sizeof(file) - 1, "file", &err))
		fail_msg("%s", err.text);
	pipeview_text_print(printed_open(&p), &kanata, &range, terminal);
	printed_is(&p, wanted);
	kanata_release(&kanata);
}

static void a_range_is_printed(void **state)
{
	const struct terminal wide = {.width = 120}, narrow = {.width = 40},
			      colour = {.width = 80, .colour = true};

	(void)state;
	is_pipeline(10, 31, &wide,
		    "cycle                                10        20        30\n"
		    "add a0, a1, a2                       FXXXXXR\n"
		    "beq a0, zero, 0x10000 <main+0x20>     fff\n"
		    "                                        ?????????????????R\n"
		    "ld                                                     FFFR\n"
		    "lost                                   ll b\n"
		    "lost: 12-13 l2d, 15 branch\n"
		    "4 instructions in cycles 10 to 31: 3 retired, 1 squashed\n");
	is_pipeline(10, 31, &narrow,
		    "cycle         10        20        30\n"
		    "add a0, a1, a FXXXXXR\n"
		    "beq a0, zero,  fff\n"
		    "                 ?????????????????R\n"
		    "ld                              FFFR\n"
		    "lost            ll b\n"
		    "lost: 12-13 l2d, 15 branch\n"
		    "4 instructions in cycles 10 to 31: 3\n"
		    "  retired, 1 squashed\n");
	is_pipeline(12, 14, &colour,
		    "cycle                      12\n"
		    "add a0, a1, a2             XXX\n"
		    "\033[2mbeq a0, zero, 0x10000 <mai ff\033[0m\n"
		    "                            ??\n"
		    "lost                       ll\n"
		    "lost: 12-13 l2d\n"
		    "3 instructions in cycles 12 to 14: 2 retired, 1 squashed\n");
	is_pipeline(8, 20, &wide,
		    "cycle                                8 10\n"
		    "add a0, a1, a2                         FXXXXXR\n"
		    "beq a0, zero, 0x10000 <main+0x20>       fff\n"
		    "                                          ????????\n"
		    "lost                                     ll b\n"
		    "lost: 12-13 l2d, 15 branch\n"
		    "3 instructions in cycles 8 to 20: 2 retired, 1 squashed\n");
	is_pipeline(17, 27, &wide,
		    "cycle                                17 20\n"
		    "                                     ???????????\n"
		    "1 instructions in cycles 17 to 27: 1 retired, 0 squashed\n");
	is_pipeline(32, 200, &wide, "0 instructions in cycles 32 to 200: 0 retired, 0 squashed\n");
	is_pipeline(31, 31, &wide,
		    "cycle                                \n"
		    "ld                                   R\n"
		    "1 instructions in cycles 31 to 31: 1 retired, 0 squashed\n");
	is_pipeline(16, 16, &wide,
		    "cycle                                \n"
		    "add a0, a1, a2                       R\n"
		    "                                     ?\n"
		    "2 instructions in cycles 16 to 16: 2 retired, 0 squashed\n");
}

/* The label has a third of the columns, and 36 at most. */
static void labels_have_a_third(void **state)
{
	const struct terminal widest = {.width = 111}, narrower = {.width = 107};

	(void)state;
	is_pipeline(11, 11, &widest,
		    "cycle                                \n"
		    "add a0, a1, a2                       X\n"
		    "beq a0, zero, 0x10000 <main+0x20>    f\n"
		    "2 instructions in cycles 11 to 11: 1 retired, 1 squashed\n");
	is_pipeline(11, 11, &narrower,
		    "cycle                               \n"
		    "add a0, a1, a2                      X\n"
		    "beq a0, zero, 0x10000 <main+0x20>   f\n"
		    "2 instructions in cycles 11 to 11: 1 retired, 1 squashed\n");
}

/* 26 cycles a part beside labels of 13 columns: 0 to 25 and 26 to 40. */
static void what_does_not_fit_follows_below(void **state)
{
	const struct terminal narrow = {.width = 40};

	(void)state;
	is_pipeline(0, 40, &narrow,
		    "cycle         0         10        20\n"
		    "add a0, a1, a           FXXXXXR\n"
		    "beq a0, zero,            fff\n"
		    "                           ?????????????\n"
		    "lost                      ll b\n"
		    "lost: 12-13 l2d, 15 branch\n"
		    "cycle         26  30\n"
		    "              ????R\n"
		    "ld              FFFR\n"
		    "4 instructions in cycles 0 to 40: 3\n"
		    "  retired, 1 squashed\n");
	is_pipeline(5, 30, &narrow,
		    "cycle         5    10        20\n"
		    "add a0, a1, a      FXXXXXR\n"
		    "beq a0, zero,       fff\n"
		    "                      ?????????????????R\n"
		    "ld                                   FFF\n"
		    "lost                 ll b\n"
		    "lost: 12-13 l2d, 15 branch\n"
		    "4 instructions in cycles 5 to 30: 3\n"
		    "  retired, 1 squashed\n");
	is_pipeline(5, 31, &narrow,
		    "cycle         5    10        20\n"
		    "add a0, a1, a      FXXXXXR\n"
		    "beq a0, zero,       fff\n"
		    "                      ?????????????????R\n"
		    "ld                                   FFF\n"
		    "lost                 ll b\n"
		    "lost: 12-13 l2d, 15 branch\n"
		    "cycle         \n"
		    "ld            R\n"
		    "4 instructions in cycles 5 to 31: 3\n"
		    "  retired, 1 squashed\n");
}

/* A number of the ruler needs a space before it. */
static void numbers_of_the_ruler_are_apart(void **state)
{
	const struct terminal wide = {.width = 120};

	(void)state;
	is_pipeline(9, 15, &wide,
		    "cycle                                9\n"
		    "add a0, a1, a2                        FXXXXX\n"
		    "beq a0, zero, 0x10000 <main+0x20>      fff\n"
		    "                                         ???\n"
		    "lost                                    ll b\n"
		    "lost: 12-13 l2d, 15 branch\n"
		    "3 instructions in cycles 9 to 15: 2 retired, 1 squashed\n");
}

static void memory_is_given_back(void **state)
{
	const struct terminal narrow = {.width = 40};

	(void)state;
	MEMORY_IS_GIVEN_BACK(is_pipeline(32, 200, &narrow,
					 "0 instructions in cycles 32 to 200: 0\n"
					 "  retired, 0 squashed\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_does_not_fit_follows_below),
		cmocka_unit_test(numbers_of_the_ruler_are_apart),
		cmocka_unit_test(memory_is_given_back),
		cmocka_unit_test(a_range_is_printed),
		cmocka_unit_test(labels_have_a_third),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
