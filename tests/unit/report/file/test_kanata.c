/* Pipeline files are read whole or refused with the line that is wrong. */
#include "../../test.h"
#include "../../directory.h"

#include <sys/stat.h>

#include "../printed.h"
#include "report/file/kanata.h"

#define HEAD	   "Kanata\t0004\nC=\t10\n"
#define ONE	   HEAD "I\t0\t7\t0\n"
#define TWO	   ONE "I\t1\t8\t0\n"
#define NOT_KANATA "file: line 1: not a pipeline file: it must begin with Kanata, a tab and 0004"

TEST(test_a_file_is_read)
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
	{ONE "R\t0\t0\t0\nL\t0\t0\tF\n", "file: line 5: instruction 0 has already ended"},
	{ONE "R\t0\t0\t0\nR\t0\t0\t0\n", "file: line 5: instruction 0 has already ended"},
	{TWO "R\t1\t0\t0\nW\t1\t0\t0\n", "file: line 6: instruction 1 has already ended"},
	{ONE "L\t0\t0\n", "file: line 4: L has an instruction, a type and a text"},
	{ONE "S\t0\t0\n", "file: line 4: S has an instruction, a lane and a stage"},
	{ONE "E\t0\t0\n", "file: line 4: E has an instruction, a lane and a stage"},
	{ONE "R\t0\t0\n", "file: line 4: R has an instruction, a number and a type"},
	{ONE "W\t0\t0\n", "file: line 4: W has a consumer, a producer and a type"},
	{ONE "L\tx\t0\tt\n", "file: line 4: the instruction's number is not a whole number"},
	{ONE "S\t1\t0\tt\n", "file: line 4: there is no instruction 1 yet"},
	{ONE "L\t1000001\t0\tt\n", "file: line 4: the instruction's number is above 1000000"},
	{ONE "L\t1000000\t0\tt\n", "file: line 4: there is no instruction 1000000 yet"},
	{HEAD "I\t1000001\t0\t0\n", "file: line 3: the instruction's number is above 1000000"},
	{HEAD "I\t0\t1152921504606846976\t0\n",
	 "file: line 3: the simulator's number is above 1152921504606846975"},
	{HEAD "I\t0\t0\t1152921504606846976\n",
	 "file: line 3: the thread is above 1152921504606846975"},
	{HEAD "I\t0\t0\tx\n", "file: line 3: the thread is not a whole number"},
	{ONE "R\t0\t1152921504606846976\t0\n",
	 "file: line 4: the number of retirement is above 1152921504606846975"},
	{ONE "R\t0\tx\t0\n", "file: line 4: the number of retirement is not a whole number"},
	{TWO "W\t1\t0\t16\n", "file: line 5: the type of dependence is above 15"},
	{TWO "W\t2\t0\t0\n", "file: line 5: there is no instruction 2 yet"},
	{ONE "S\t0\t0\t01234567890123456789012345678901\n",
	 "file: line 4: the name of a stage has 1 to 31 characters"},
	{HEAD "C\t/\n", "file: line 3: the number of cycles is not a whole number"},
	{HEAD "C\t:\n", "file: line 3: the number of cycles is not a whole number"},
	{HEAD "C\t4503599627370497\n",
	 "file: line 3: the number of cycles is above 4503599627370496"},
	{HEAD "C\t4503599627370487\n", "file: line 3: the cycle is beyond 2^52"},
	{"Kanata\t0004\nC=\t4503599627370497\n",
	 "file: line 2: the number of cycles is above 4503599627370496"},
	{"Kanata\t0004\nC=\t1\t2\n", "file: line 2: one number is expected after C="},
	{HEAD "C\t1\t2\n", "file: line 3: one number is expected after C"},
	{HEAD "CC\t1\n", "file: line 3: unknown command; C=, C, I, L, S, E, R and W are known"},
	{"Kanata\t0004\nC?\t1\n",
	 "file: line 2: unknown command; C=, C, I, L, S, E, R and W are known"},
	{"Kanata\t0004\t1\n", NOT_KANATA},
	{"Kanata\n", NOT_KANATA},
	{"Kanatb\t0004\n", NOT_KANATA},
	{"Kanata1\t0004\n", NOT_KANATA},
	{"Kanata\t00040\n", NOT_KANATA},
	{"Kanata\t0005\n", NOT_KANATA},
	{"\r\n", NOT_KANATA},
	{TWO "R\t0\t0\t0\n", "file: it ends before instruction 1 does (no line R)"},
};

TEST(test_what_is_wrong_is_said_with_its_line)
{
	for (size_t i = 0; i < ARRAY_COUNT(wrong); i++) {
		struct kanata k;
		struct err err;

		assert_false(kanata_read(&k, wrong[i].text, strlen(wrong[i].text), "file", &err));
		assert_string_equal(err.text, wrong[i].sentence);
		kanata_release(&k);
	}
}

TEST(test_a_zero_byte_is_refused)
{
	static const char text[] = HEAD "C\t1\0\n";
	struct kanata k;
	struct err err;

	assert_false(kanata_read(&k, text, sizeof(text) - 1, "file", &err));
	assert_string_equal(err.text, "file: line 3: a zero byte");
	kanata_release(&k);
}

TEST(test_lines_may_end_as_on_windows_and_the_last_not_at_all)
{
	static const char text[] = "Kanata\t0004\r\nC=\t10\r\nI\t0\t0\t0\r\nL\t0\t0\tx\r\nC\t2\r\n"
				   "S\t0\t1\tl2d\r\nC\t4503599627370484\r\n"
				   "R\t0\t1152921504606846975\t1\r";
	struct kanata k;
	struct err err;

	assert_true(kanata_read(&k, text, sizeof(text) - 1, "file", &err));
	assert_string_equal(k.insns[0].label, "x");
	assert_int_equal(k.first_cycle, 10);
	assert_int_equal(k.last_cycle, INT64_C(1) << 52);
	assert_int_equal(k.stage_count, 1);
	assert_int_equal(k.stages[0].begin, 12);
	assert_int_equal(k.stages[0].end, INT64_C(1) << 52);
	assert_string_equal(k.names[0], "l2d");
	assert_int_equal(k.name_count, 1);
	assert_true(k.insns[0].is_flushed);
	kanata_release(&k);
}

/* Everything that is at its limit: 4096 bytes of text, 31 of a name, 256 names. */
TEST(test_limits_can_be_reached)
{
	struct printed p;
	struct kanata k;
	struct err err;

	for (int more = 0; more < 3; more++) {
		FILE *out = printed_open(&p);

		fprintf(out, TWO "L\t0\t0\t%02000d\nL\t0\t1\t%05000d\nL\t0\t0\t%0*d\n", 1, 2,
			2096 + (more == 1), 3);
		for (int i = 0; i < 256 + (more == 2); i++)
			fprintf(out, "S\t0\t0\t%031d\nS\t1\t1\t%031d\n", i, i);
		fprintf(out, "W\t1\t0\t15\nR\t0\t0\t0\nW\t1\t0\t0\nR\t1\t0\t0\n");
		fclose(out);
		bool ok = kanata_read(&k, p.text, p.bytes, "file", &err);
		assert_int_equal(ok, more == 0);
		if (more == 1)
			assert_string_equal(err.text,
					    "file: line 7: an instruction's text is longer "
					    "than 4096 bytes");
		if (more == 2)
			assert_string_equal(err.text,
					    "file: line 520: more than 256 names of stages");
		if (more == 0) {
			assert_int_equal(strlen(k.insns[0].label), 4096);
			assert_int_equal(k.insns[0].label[1999], '1');
			assert_int_equal(k.insns[0].label[4095], '3');
			assert_int_equal(k.name_count, 256);
			assert_int_equal(k.stage_count, 512);
			assert_int_equal(k.insns[1].producers, 2);
			assert_int_equal(k.insns[0].producers, 0);
			assert_null(k.insns[1].label);
			/* Stages of the two lanes alternate, each instruction has its own. */
			assert_int_equal(k.insns[0].first_stage, 0);
			assert_int_equal(k.insns[0].last_stage, 510);
			assert_int_equal(k.stages[508].next, 510);
			assert_int_equal(k.stages[510].next, KANATA_NONE);
			assert_int_equal(k.insns[1].first_stage, 1);
			assert_int_equal(k.stages[511].lane, 1);
			assert_int_equal(k.stages[511].name, 255);
		}
		kanata_release(&k);
		free(p.text);
	}
}

IN_DIRECTORY(test_files_are_read_whole)
{
	FILE *out = fopen("long", "w");
	struct kanata k;
	struct err err;

	assert_non_null(out);
	fputs(HEAD, out);
	for (int i = 0; i < 40000; i++)
		fprintf(out, "C\t1\n");
	fclose(out);
	MEMORY_IS_GIVEN_BACK({
		assert_true(kanata_read_file(&k, "long", &err));
		assert_int_equal(k.last_cycle, 40010);
		kanata_release(&k);
	});
	assert_false(kanata_read_file(&k, "absent", &err));
	assert_string_equal(err.text, "absent: No such file or directory");
	kanata_release(&k);
	assert_int_equal(mkdir("directory", 0700), 0);
	assert_false(kanata_read_file(&k, "directory", &err));
	assert_string_equal(err.text, "directory: Is a directory");
	kanata_release(&k);
	write_file("empty", "");
	assert_false(kanata_read_file(&k, "empty", &err));
	assert_string_equal(err.text, "empty: it ends before the line C=");
	kanata_release(&k);
}

static void is_written(const char *text, const char *wanted)
{
	json_t *result = json_of(text);
	struct printed p;
	struct err err;

	PRINTS_AND_GIVES_BACK(p, kanata_write(p.out, result, &err));
	if (!kanata_write(printed_open(&p), result, &err))
		fail_msg("%s", err.text);
	printed_is(&p, wanted);
	json_decref(result);
}

/* Two stores issue before the load that makes their data is complete. One waits for them, and is in
 * X in the cycle in which they come; the other is squashed before, and nothing points at it. */
TEST(test_store_data_that_come_late_point_forward)
{
	is_written("{'pipeline': {'from': 0, 'cycles': 40, 'instructions': ["
		   "{'thread': 0, 'pc': '0x100', 'text': 'ld', 'fetched': 0, 'dispatched': 1,"
		   " 'issued': 2, 'completed': 9, 'ended': 10},"
		   "{'thread': 0, 'pc': '0x104', 'text': 'sd', 'fetched': 0, 'dispatched': 1,"
		   " 'issued': 3, 'completed': 9, 'ended': 10, 'producers': [0]},"
		   "{'thread': 0, 'pc': '0x108', 'text': 'sd', 'fetched': 0, 'dispatched': 1,"
		   " 'issued': 4, 'ended': 6, 'squashed': true, 'producers': [0]}],"
		   " 'lost': []}}",

		   "Kanata\t0004\n"
		   "C=\t0\n"
		   "I\t0\t0\t0\nL\t0\t0\t0x100: ld\nL\t0\t1\tfetched on the right path\n"
		   "I\t1\t1\t0\nL\t1\t0\t0x104: sd\nL\t1\t1\tfetched on the right path\n"
		   "I\t2\t2\t0\nL\t2\t0\t0x108: sd\nL\t2\t1\tfetched on the right path\n"
		   "S\t0\t0\tF\nS\t1\t0\tF\nS\t2\t0\tF\n"
		   "C\t1\n"
		   "E\t0\t0\tF\nE\t1\t0\tF\nE\t2\t0\tF\n"
		   "S\t0\t0\tW\nS\t1\t0\tW\nS\t2\t0\tW\n"
		   "W\t1\t0\t0\n"
		   "C\t1\n"
		   "E\t0\t0\tW\nS\t0\t0\tX\n"
		   "C\t1\n"
		   "E\t1\t0\tW\nS\t1\t0\tA\n"
		   "C\t1\n"
		   "E\t2\t0\tW\nS\t2\t0\tA\n"
		   "C\t2\n"
		   "E\t2\t0\tA\nR\t2\t0\t1\n"
		   "C\t2\n"
		   "E\t1\t0\tA\nS\t1\t0\tX\n"
		   "C\t1\n"
		   "E\t0\t0\tX\nE\t1\t0\tX\nS\t0\t0\tC\nS\t1\t0\tC\n"
		   "C\t1\n"
		   "E\t0\t0\tC\nE\t1\t0\tC\nR\t0\t0\t0\nR\t1\t1\t0\n");
}

/* Of five instructions one is squashed before it is issued, one after it has completed, one is in
 * flight at the end and one was fetched alone. */
TEST(test_a_pipeline_is_written)
{
	is_written(
		"{'pipeline': {'from': 3, 'cycles': 40, 'instructions': ["
		"{'thread': 1, 'pc': '0x100', 'text': 'add\\ta0\\u007f\\u001f\\u0020~', 'fetched': 5, 'dispatched': 8,"
		" 'issued': 10, 'completed': 11, 'ended': 13},"
		"{'thread': 2, 'pc': '0x104', 'text': 'ld', 'fetched': 5, 'dispatched': 8,"
		" 'issued': 13, 'completed': 20, 'ended': 21, 'producers': [0, 1, 0, 2]},"
		"{'thread': 1, 'pc': '0x108', 'text': 'x', 'fetched': 6, 'dispatched': 9,"
		" 'ended': 12, 'squashed': true, 'wrong_path': true, 'producers': [1, 0]},"
		"{'thread': 1, 'pc': '0x10c', 'text': 'y', 'fetched': 6, 'dispatched': 7,"
		" 'issued': 7, 'completed': 9, 'ended': 12, 'squashed': true},"
		"{'thread': 1, 'pc': '0x110', 'fetched': 30}],"
		" 'lost': [{'cycle': 2, 'cycles': 2, 'cause': 'l1i'},"
		" {'cycle': 12, 'cycles': 3, 'cause': 'l2d'},"
		" {'cycle': 22, 'cycles': 4, 'cause': 'branch'},"
		" {'cycle': 39, 'cycles': 9, 'cause': 'late'}]}}",

		"Kanata\t0004\n"
		"C=\t2\n"
		"I\t0\t0\t1\n"
		"L\t0\t0\t0x100: add a0   ~\n"
		"L\t0\t1\tfetched on the right path\n"
		"S\t0\t1\tl1i\n"
		"C\t2\n"
		"E\t0\t1\tl1i\n"
		"C\t1\n"
		"I\t1\t1\t2\n"
		"L\t1\t0\t0x104: ld\n"
		"L\t1\t1\tfetched on the right path\n"
		"S\t0\t0\tF\n"
		"S\t1\t0\tF\n"
		"C\t1\n"
		"E\t0\t0\tF\n"
		"E\t1\t0\tF\n"
		"I\t2\t2\t1\n"
		"L\t2\t0\t0x108: x\n"
		"L\t2\t1\tfetched on a wrong path\n"
		"I\t3\t3\t1\n"
		"L\t3\t0\t0x10c: y\n"
		"L\t3\t1\tfetched on the right path\n"
		"S\t0\t0\tD\n"
		"S\t1\t0\tD\n"
		"S\t2\t0\tF\n"
		"S\t3\t0\tF\n"
		"C\t1\n"
		"E\t2\t0\tF\n"
		"E\t3\t0\tF\n"
		"S\t2\t0\tD\n"
		"S\t3\t0\tX\n"
		"C\t1\n"
		"E\t0\t0\tD\n"
		"E\t1\t0\tD\n"
		"S\t0\t0\tW\n"
		"S\t1\t0\tW\n"
		"W\t1\t0\t0\n"
		"W\t1\t0\t0\n"
		"C\t1\n"
		"E\t2\t0\tD\n"
		"E\t3\t0\tX\n"
		"S\t2\t0\tW\n"
		"S\t3\t0\tC\n"
		"C\t1\n"
		"E\t0\t0\tW\n"
		"S\t0\t0\tX\n"
		"C\t1\n"
		"E\t0\t0\tX\n"
		"S\t0\t0\tC\n"
		"C\t1\n"
		"E\t2\t0\tW\n"
		"E\t3\t0\tC\n"
		"R\t2\t0\t1\n"
		"R\t3\t0\t1\n"
		"S\t0\t1\tl2d\n"
		"C\t1\n"
		"E\t0\t0\tC\n"
		"E\t0\t1\tl2d\n"
		"E\t1\t0\tW\n"
		"R\t0\t0\t0\n"
		"S\t1\t0\tX\n"
		"S\t1\t1\tl2d\n"
		"C\t2\n"
		"E\t1\t1\tl2d\n"
		"C\t5\n"
		"E\t1\t0\tX\n"
		"S\t1\t0\tC\n"
		"C\t1\n"
		"E\t1\t0\tC\n"
		"R\t1\t1\t0\n"
		"C\t1\n"
		"I\t4\t4\t1\n"
		"L\t4\t0\t0x110: \n"
		"L\t4\t1\tfetched on the right path\n"
		"S\t4\t1\tbranch\n"
		"C\t4\n"
		"E\t4\t1\tbranch\n"
		"C\t4\n"
		"S\t4\t0\tF\n"
		"C\t1\n"
		"E\t4\t0\tF\n"
		"S\t4\t0\tD\n"
		"C\t8\n"
		"S\t4\t1\tlate\n"
		"C\t1\n"
		"E\t4\t0\tD\n"
		"E\t4\t1\tlate\n"
		"R\t4\t2\t1\n");
	is_written("{'pipeline': {'from': 3, 'cycles': 40, 'instructions': [],"
		   " 'lost': [{'cycle': 2, 'cycles': 2, 'cause': 'l1i'}]}}",
		   "Kanata\t0004\nC=\t3\n");
}

/* Fetched, dispatched, issued, completed and ended; -1: never. */
static bool is_in_order(const int cycles[5], char *sentence)
{
	static const char *const names[] = {"fetched", "dispatched", "issued", "completed",
					    "ended"};
	json_t *insn = json_pack("{s:i, s:s, s:s}", "thread", 0, "pc", "0x100", "text", "t");
	struct printed p;
	struct err err;

	for (int i = 0; i < 5; i++)
		if (cycles[i] >= 0)
			json_object_set_new(insn, names[i], json_integer(cycles[i]));
	json_t *result = json_pack("{s:{s:i, s:i, s:[{s:i}, o]}}", "pipeline", "from", 0, "cycles",
				   20, "instructions", "fetched", 5, insn);
	bool ok = kanata_write(printed_open(&p), result, &err);
	fclose(p.out);
	free(p.text);
	json_decref(result);
	if (!ok)
		strcpy(sentence, err.text);
	return ok;
}

TEST(test_cycles_that_are_not_in_order_are_refused)
{
	static const struct {
		int cycles[5];
		bool ok;
	} cases[] = {
		{{5, 6, 7, 8, 9}, true},       {{5, 5, 5, 5, 6}, true},
		{{5, 6, 7, 9, 9}, true},       {{5, 6, 7, 10, 9}, false},
		{{5, 6, 9, 8, 10}, false},     {{5, 8, 7, 9, 10}, false},
		{{7, 6, 7, 8, 9}, false},      {{9, 9, 9, 9, 9}, false},
		{{4, 6, 7, 8, 9}, false},      {{5, -1, -1, -1, 6}, true},
		{{5, -1, 7, 8, 9}, false},     {{5, 6, -1, 8, 9}, false},
		{{5, 6, 7, 30, -1}, true},     {{19, -1, -1, -1, -1}, true},
		{{20, -1, -1, -1, -1}, false}, {{-1, -1, -1, -1, 6}, false},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		char sentence[sizeof(((struct err *)0)->text)] = "";

		if (is_in_order(cases[i].cycles, sentence) != cases[i].ok)
			fail_msg("case %zu", i);
		if (!cases[i].ok)
			assert_string_equal(
				sentence,
				"the cycles of pipeline.instructions[1] are not in order");
	}
}

TEST(test_a_pipeline_must_be_there_and_delivered)
{
	json_t *result = json_of("{}");
	FILE *full = fopen("/dev/full", "w");
	struct printed p;
	struct err err;

	assert_false(kanata_write(printed_open(&p), result, &err));
	printed_is(&p, "");
	assert_string_equal(err.text, "the result has no pipeline to write");
	json_object_set_new(result, "pipeline", json_object());
	if (!full)
		skip();
	assert_false(kanata_write(full, result, &err));
	assert_string_equal(err.text, "cannot write the pipeline: No space left on device");
	fclose(full);
	json_decref(result);
}
