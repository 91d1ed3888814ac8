/* Pipeline files are read whole or refused with the line that is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/array.h"
#include "report/file/kanata.h"

#define HEAD "Kanata\t0004\nC=\t10\n"
#define ONE  HEAD "I\t0\t7\t0\n"

static void test_a_file_is_read(void **state)
{
	static const char text[] = ONE "L\t0\t0\tadd a0\n"
				       "L\t0\t0\t, a1\n"
				       "L\t0\t1\tnote\twith a tab\n"
				       "S\t0\t0\tF\n"
				       "C\t2\n"
				       "S\t0\t0\tX\n" /* ends F */
				       "S\t0\t1\tl2d\n"
				       "I\t1\t8\t0\n"
				       "W\t1\t0\t0\n"
				       "C\t3\n"
				       "E\t0\t1\tl2d\n"
				       "R\t0\t0\t0\n"
				       "R\t1\t0\t1\n";
	struct kanata k;
	struct err err;

	(void)state;
	assert_true(kanata_read(&k, text, sizeof(text) - 1, "file", &err));
	assert_int_equal(k.count, 2);
	assert_string_equal(k.insns[0].label, "add a0, a1");
	assert_int_equal(k.insns[0].begin, 10);
	assert_int_equal(k.insns[0].end, 15);
	assert_false(k.insns[0].is_flushed);
	assert_true(k.insns[1].is_flushed);
	assert_int_equal(k.insns[1].producers, 1);
	const struct kanata_stage *f = &k.stages[k.insns[0].first_stage], *x = &k.stages[f->next];
	assert_int_equal(f->begin, 10);
	assert_int_equal(f->end, 12);
	assert_int_equal(x->end, 15);
	assert_string_equal(k.names[x->name], "X");
	assert_int_equal(k.stages[x->next].lane, 1);
	assert_int_equal(k.last_cycle, 15);
	kanata_release(&k);
}

static const struct {
	const char *text, *sentence;
} wrong[] = {
	{"", "file: it ends before the line C="},
	{"Kanata\t0003\n",
	 "file: line 1: not a pipeline file: it must begin with Kanata, a tab and 0004"},
	{"Kanata\t0004\n", "file: it ends before the line C="},
	{"Kanata\t0004\nI\t0\t0\t0\n", "file: line 2: C= must come before everything else"},
	{"Kanata\t0004\nC\t1\n", "file: line 2: C= must come before everything else"},
	{HEAD "C=\t1\n", "file: line 3: C= for the second time"},
	{HEAD "C\t-1\n", "file: line 3: the number of cycles is not a whole number"},
	{HEAD "C\t\n", "file: line 3: the number of cycles is missing"},
	{HEAD "C\n", "file: line 3: one number is expected after C"},
	{HEAD "C\t99999999999999999999\n",
	 "file: line 3: the number of cycles is above 4503599627370496"},
	{HEAD "C\t4503599627370496\n", "file: line 3: the cycle is beyond 2^52"},
	{HEAD "Q\t1\n", "file: line 3: unknown command; C=, C, I, L, S, E, R and W are known"},
	{HEAD "\n", "file: line 3: unknown command; C=, C, I, L, S, E, R and W are known"},
	{HEAD "I\t1\t0\t0\n", "file: line 3: the next instruction is number 0, not 1"},
	{HEAD "I\t0\t0\n", "file: line 3: I has three numbers: id, the simulator's id, thread"},
	{HEAD "R\t0\t0\t0\n", "file: line 3: there is no instruction 0 yet"},
	{ONE, "file: it ends before instruction 0 does (no line R)"},
	{ONE "L\t0\t2\tx\n", "file: line 4: the type of text is above 1"},
	{ONE "S\t0\t2\tF\n", "file: line 4: the lane is above 1"},
	{ONE "S\t0\t0\t\n", "file: line 4: the name of a stage has 1 to 31 characters"},
	{ONE "E\t0\t0\tF\n", "file: line 4: the stage that ends is not the one that began"},
	{ONE "S\t0\t0\tF\nE\t0\t0\tD\n",
	 "file: line 5: the stage that ends is not the one that began"},
	{ONE "W\t0\t0\t0\n", "file: line 4: an instruction cannot depend on itself"},
	{ONE "W\t0\t1\t0\n", "file: line 4: there is no instruction 1 yet"},
	{ONE "R\t0\t0\t2\n", "file: line 4: the type of ending is above 1"},
	{ONE "R\t0\t0\t0\nS\t0\t0\tF\n", "file: line 5: instruction 0 has already ended"},
};

static void test_what_is_wrong_is_said_with_its_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
		struct kanata k;
		struct err err;

		assert_false(kanata_read(&k, wrong[i].text, strlen(wrong[i].text), "file", &err));
		assert_string_equal(err.text, wrong[i].sentence);
		kanata_release(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_is_read),
		cmocka_unit_test(test_what_is_wrong_is_said_with_its_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
