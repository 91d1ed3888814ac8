/* Readings as a collector prints them: every sentence about a wrong line, the limits, what several
 * readings say together, and the slopes of runs worked out on paper. */
#include "../test.h"

#include <math.h>

#include "base/array.h"
#include "classify/classify.h"
#include "classify/expected.h"
#include "classify/slope.h"

#define FIRST  "cyclestack-readings 1\n"
#define EVENTS FIRST "events 4:1\n"
#define RUN    "run a 3 5 7 0 9\n"

TEST(every_wrong_line_has_its_sentence)
{
	static const struct {
		const char *text, *sentence;
	} rows[] = {
		{"", "readings, line 1: they end before \"end\""},
		{"x\n", "readings, line 1: expected \"cyclestack-readings 1\""},
		{"cyclestack-readings 1", "readings, line 1: it is cut off"},
		{"cyclestack-readings 10\n",
		 "readings, line 1: expected \"cyclestack-readings 1\""},
		{FIRST, "readings, line 2: they end before \"end\""},
		{FIRST FIRST, "readings, line 2: readings begin before the ones above have ended"},
		{FIRST "\n", "readings, line 2: the line is empty"},
		{FIRST "Refused 4:1 2\n",
		 "readings, line 2: expected refused, events, run or end, in this order"},
		{FIRST RUN,
		 "readings, line 2: expected refused, events, run or end, in this order"},
		{FIRST "end 0\n",
		 "readings, line 2: expected refused, events, run or end, in this order"},
		{EVENTS "events 4:2\n",
		 "readings, line 3: expected refused, events, run or end, in this order"},
		{EVENTS "refused 4:2 1\n",
		 "readings, line 3: expected refused, events, run or end, in this order"},
		{FIRST "refused 4:2\n", "readings, line 2: expected \"refused TYPE:CONFIG ERRNO\""},
		{FIRST "refused 4:2 0\n",
		 "readings, line 2: expected \"refused TYPE:CONFIG ERRNO\""},
		{FIRST "refused 4:2 4096\n",
		 "readings, line 2: expected \"refused TYPE:CONFIG ERRNO\""},
		{FIRST "refused 2\n", "readings, line 2: expected \"refused TYPE:CONFIG ERRNO\""},
		{FIRST "events 4\n", "readings, line 2: expected TYPE:CONFIG, two numbers"},
		{FIRST "events 4:\n", "readings, line 2: expected TYPE:CONFIG, two numbers"},
		{FIRST "events :4\n", "readings, line 2: expected TYPE:CONFIG, two numbers"},
		{FIRST "events 4;4\n", "readings, line 2: expected TYPE:CONFIG, two numbers"},
		{FIRST "events 4:4x\n", "readings, line 2: expected TYPE:CONFIG, two numbers"},
		{FIRST "events 4:/\n", "readings, line 2: expected TYPE:CONFIG, two numbers"},
		{FIRST "events 4294967296:1\n",
		 "readings, line 2: expected TYPE:CONFIG, two numbers"},
		{FIRST "events 4:18446744073709551616\n",
		 "readings, line 2: expected TYPE:CONFIG, two numbers"},
		{FIRST "events 4:1  4:2\n", "readings, line 2: expected TYPE:CONFIG, two numbers"},
		{FIRST "events 4:1 4:12 4:1\n", "readings, line 2: the event 4:1 occurs twice"},
		{EVENTS "run A 3 5 7 0 9\n",
		 "readings, line 3: expected \"run KERNEL UNIT VALUE ITERATIONS REPEAT\""},
		{EVENTS "run a{ 3 5 7 0 9\n",
		 "readings, line 3: expected \"run KERNEL UNIT VALUE ITERATIONS REPEAT\""},
		{EVENTS "run a` 3 5 7 0 9\n",
		 "readings, line 3: expected \"run KERNEL UNIT VALUE ITERATIONS REPEAT\""},
		{EVENTS "run a/ 3 5 7 0 9\n",
		 "readings, line 3: expected \"run KERNEL UNIT VALUE ITERATIONS REPEAT\""},
		{EVENTS "run a: 3 5 7 0 9\n",
		 "readings, line 3: expected \"run KERNEL UNIT VALUE ITERATIONS REPEAT\""},
		/* 32 letters: one more than fit. */
		{EVENTS "run abcdefghijklmnopqrstuvwxyz012345 3 5 7 0 9\n",
		 "readings, line 3: expected \"run KERNEL UNIT VALUE ITERATIONS REPEAT\""},
		{EVENTS "run a x 5 7 0 9\n",
		 "readings, line 3: expected \"run KERNEL UNIT VALUE ITERATIONS REPEAT\""},
		{EVENTS "run a 3 x 7 0 9\n",
		 "readings, line 3: expected \"run KERNEL UNIT VALUE ITERATIONS REPEAT\""},
		{EVENTS "run a 3 5 x 0 9\n",
		 "readings, line 3: expected \"run KERNEL UNIT VALUE ITERATIONS REPEAT\""},
		{EVENTS "run a 3 5 7 x 9\n",
		 "readings, line 3: expected \"run KERNEL UNIT VALUE ITERATIONS REPEAT\""},
		{EVENTS "run a 3 5\n",
		 "readings, line 3: expected \"run KERNEL UNIT VALUE ITERATIONS REPEAT\""},
		/* 2^53 + 2: a double has no number between it and 2^53. */
		{EVENTS "run a 3 5 9007199254740994 0 9\n",
		 "readings, line 3: expected \"run KERNEL UNIT VALUE ITERATIONS REPEAT\""},
		{EVENTS "run a 3 5 7 0\n",
		 "readings, line 3: expected 1 numbers, one for each event"},
		{EVENTS "run a 3 5 7 0 --\n",
		 "readings, line 3: expected 1 numbers, one for each event"},
		{EVENTS "run a 3 5 7 0 9.5\n",
		 "readings, line 3: expected 1 numbers, one for each event"},
		{EVENTS "run a 3 5 7 0 9007199254740994\n",
		 "readings, line 3: expected 1 numbers, one for each event"},
		{EVENTS "run a 3 5 7 0 9 9\n", "readings, line 3: more numbers than events"},
		{EVENTS RUN "end 0\n", "readings, line 4: expected \"end 1\", the number of runs"},
		{EVENTS RUN RUN "end 3\n",
		 "readings, line 5: expected \"end 2\", the number of runs"},
		{EVENTS RUN "end 1 \n", "readings, line 4: expected \"end 1\", the number of runs"},
		{EVENTS RUN "end\n", "readings, line 4: expected \"end 1\", the number of runs"},
		{EVENTS RUN, "readings, line 4: they end before \"end\""},
		{EVENTS RUN "end 1\n" RUN, "readings, line 5: expected \"cyclestack-readings 1\""},
		/* The runs of each of the readings are counted for themselves. */
		{EVENTS RUN "end 1\n" EVENTS RUN "end 2\n",
		 "readings, line 8: expected \"end 1\", the number of runs"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct err err = {.text = ""};
		struct readings readings;

		assert_false(readings_parse(&readings, rows[i].text, &err));
		readings_release(&readings);
		assert_string_equal(err.text, rows[i].sentence);
	}
}

static void parse(struct readings *readings, const char *text)
{
	struct err err = {.text = ""};

	if (!readings_parse(readings, text, &err))
		fail_msg("%s", err.text);
}

TEST(all_that_is_written_is_read)
{
	struct readings readings;

	/* The largest numbers that are taken, and the longest name. */
	parse(&readings, FIRST "refused 7:8 1\nrefused 4294967295:18446744073709551615 4095\n"
			       "events 4:10 5:11\n"
			       "run az09_ 3 5 9007199254740992 1 20 -\n"
			       "run abcdefghijklmnopqrstuvwxyz01234 18446744073709551615 6 0 9 "
			       "9007199254740992 30\n"
			       "run az09_ 3 5 7 0 40 50\n"
			       "end 3\n");
	assert_int_equal(readings.event_count, 4);
	static const struct readings_event events[] = {
		{7, 8, 1}, {UINT32_MAX, UINT64_MAX, 4095}, {4, 10, 0}, {5, 11, 0}};
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(readings.events[i].type, events[i].type);
		assert_int_equal(readings.events[i].config, events[i].config);
		assert_int_equal(readings.events[i].refused, events[i].refused);
	}
	assert_int_equal(readings.point_count, 2);
	assert_string_equal(readings.points[0].kernel, "az09_");
	assert_int_equal(readings.points[0].unit, 3);
	assert_int_equal(readings.points[0].value, 5);
	assert_string_equal(readings.points[1].kernel, "abcdefghijklmnopqrstuvwxyz01234");
	assert_true(readings.points[1].unit == UINT64_MAX);
	assert_int_equal(readings.points[1].value, 6);
	assert_int_equal(readings.run_count, 3);
	assert_int_equal(readings.part_count, 1);
	assert_int_equal(readings.parts[0].count, 2);
	assert_int_equal(readings.parts[0].events[0], 2);
	assert_int_equal(readings.parts[0].events[1], 3);
	static const struct {
		size_t point;
		double iterations, first;
	} runs[] = {{0, 9007199254740992.0, 20}, {1, 0, 9007199254740992.0}, {0, 7, 40}};
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(readings.runs[i].point, runs[i].point);
		assert_true(readings.runs[i].iterations == runs[i].iterations);
		assert_int_equal(readings.runs[i].part, 0);
		assert_true(readings.runs[i].values[0] == runs[i].first);
	}
	assert_true(isnan(readings.runs[0].values[1]));
	assert_true(readings.runs[1].values[1] == 30);
	assert_true(readings.runs[2].values[1] == 50);
	readings_release(&readings);
	assert_int_equal(readings.run_count, 0);
	assert_null(readings.runs);
}

/* An event that one collector could not open and another could is counted; points that differ in
 * one of three things are three. */
TEST(readings_may_follow_each_other)
{
	struct readings readings;

	parse(&readings,
	      FIRST "refused 4:1 13\nevents 4:2 5:1\nrun a 1 2 10 0 5 6\nend 1\n" FIRST
		    "refused 4:2 14\nevents 4:1 4:2\nrun a 1 2 20 0 7 8\nrun a 1 3 20 0 7 8\n"
		    "run a 2 2 20 0 7 8\nrun b 1 2 20 0 7 8\nend 4\n");
	assert_int_equal(readings.event_count, 3);
	assert_int_equal(readings.events[0].refused, 0);
	assert_int_equal(readings.events[1].refused, 0);
	assert_int_equal(readings.point_count, 4);
	assert_int_equal(readings.part_count, 2);
	assert_int_equal(readings.parts[1].events[0], 0);
	assert_int_equal(readings.parts[1].events[1], 1);
	assert_int_equal(readings.runs[1].part, 1);
	assert_int_equal(readings.runs[1].point, 0);
	for (size_t i = 2; i < 5; i++)
		assert_int_equal(readings.runs[i].point, i - 1);
	readings_release(&readings);
	/* Once counted, it stays so. */
	parse(&readings, FIRST "events 4:1\nend 0\n" FIRST "refused 4:1 13\nevents 4:2\nend 0\n");
	assert_int_equal(readings.events[0].refused, 0);
	readings_release(&readings);
	parse(&readings, FIRST "refused 4:1 13\nevents 4:2\nend 0\n" FIRST
			       "refused 4:1 14\nevents 4:3\nend 0\n");
	assert_int_equal(readings.events[0].refused, 13);
	assert_int_equal(readings.event_count, 3);
	readings_release(&readings);
}

/* `events` of them, some of them refused; `runs` runs. */
static char *make_text(unsigned refused, unsigned events, unsigned runs)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	fputs(FIRST, out);
	for (unsigned i = 0; i < refused; i++)
		fprintf(out, "refused 4:%u 2\n", i);
	fputs("events", out);
	for (unsigned i = 0; i < events; i++)
		fprintf(out, " 5:%u", i);
	fputc('\n', out);
	for (unsigned i = 0; i < runs; i++)
		fputs("run a 0 0 1 0\n", out);
	fprintf(out, "end %u\n", runs);
	fclose(out);
	return text;
}

TEST(there_is_a_limit_of_each)
{
	static const struct {
		unsigned refused, events, runs;
		const char *sentence;
	} rows[] = {
		{4096, 0, 0, NULL},
		{4097, 0, 0, "readings, line 4098: more than 4096 events"},
		{1, 4095, 0, NULL},
		{1, 4096, 0, "readings, line 3: more than 4096 events"},
		{0, 0, 100000, NULL},
		{0, 0, 100001, "readings, line 100003: more than 100000 runs"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct err err = {.text = ""};
		struct readings readings;
		char *text = make_text(rows[i].refused, rows[i].events, rows[i].runs);

		assert_int_equal(readings_parse(&readings, text, &err), !rows[i].sentence);
		if (rows[i].sentence)
			assert_string_equal(err.text, rows[i].sentence);
		readings_release(&readings);
		free(text);
	}
}

TEST(medians_are_in_the_middle)
{
	double odd[] = {9, 1, 5}, even[] = {8, 2, 40, 4}, two[] = {3, 1}, one[] = {7};

	assert_true(slope_median(odd, 3) == 5);
	assert_true(odd[0] == 1 && odd[1] == 5 && odd[2] == 9);
	assert_true(slope_median(even, 4) == 6);
	assert_true(slope_median(two, 2) == 2);
	assert_true(slope_median(one, 1) == 7);
	assert_true(isnan(slope_median(one, 0)));
}

/* y = (1, 2, 4) over x = (1, 2, 3): the means are 2 and 7/3, so that xx = 2, xy = 3 and yy = 14/3.
 */
TEST(a_line_is_fitted_to_what_is_no_line)
{
	const double x[] = {1, 2, 3}, y[] = {1, 2, 4}, falls[] = {4, 2, 1};
	struct slope slope = slope_fit(x, y, 3);

	assert_true(fabs(slope.slope - 1.5) < 1e-12);
	assert_true(fabs(slope.r2 - 27. / 28) < 1e-12);
	slope = slope_fit(x, falls, 3);
	assert_true(fabs(slope.slope + 1.5) < 1e-12);
	assert_true(fabs(slope.r2 - 27. / 28) < 1e-12);
	slope = slope_fit(x, y, 1);
	assert_true(slope.slope == 0 && slope.r2 == 0);
	assert_true(fabs(slope_goodness(1, 3) - exp(-8)) < 1e-15);
	assert_true(fabs(slope_goodness(3, 1) - exp(-8)) < 1e-15);
}

/* Runs of two points mixed, of two readings, of which the second has the events in another order:
 * medians of repeats first, then the line. */
TEST(slopes_are_by_event_and_point)
{
	struct readings readings;
	struct slopes slopes;

	parse(&readings, FIRST "refused 9:9 2\nevents 4:1 4:2\n"
			       "run b 0 0 10 0 100 -\n" /* b */
			       "run a 0 0 30 0 60 7\n"
			       "run a 0 0 10 0 20 7\n"
			       "run a 0 0 10 1 900 7\n"
			       "run b 0 0 20 0 150 -\n"
			       "run a 0 0 10 2 10 7\n"
			       "end 6\n" FIRST "events 4:2 4:3\n"
			       "run b 0 0 30 0 31 1\n"
			       "run b 0 0 40 0 51 1\n"
			       "run c 0 0 40 0 51 1\n"
			       "end 3\n");
	slopes_init(&slopes, &readings);
	assert_int_equal(slopes.event_count, 4);
	assert_int_equal(slopes.point_count, 3);
	static const double expected[4][3] = {
		{NAN, NAN, NAN},
		{5, 2, NAN}, /* b: 50 in 10; a: (10, 20) and (30, 60), as the median of 20, 900 and
				10 is 20 */
		{2, 0, 0},   /* b: 20 in 10, of the second readings; c: one length alone */
		{0, NAN, 0},
	};
	for (size_t e = 0; e < 4; e++)
		for (size_t p = 0; p < 3; p++) {
			double found = slopes_at(&slopes, e, p);

			if (isnan(expected[e][p]) ? !isnan(found)
						  : !(fabs(found - expected[e][p]) < 1e-12))
				fail_msg("event %zu, point %zu: %g, expected %g", e, p, found,
					 expected[e][p]);
		}
	slopes_release(&slopes);
	assert_null(slopes.values);
	assert_int_equal(slopes.event_count, 0);
	readings_release(&readings);
}

TEST(the_table_has_rows_and_columns)
{
	static const struct {
		const char *kernel, *column;
		double value;
	} rows[] = {
		{"branch_plain", "cond", 2},
		{"branch_plain", "taken", 1.5},
		{"branch_f", "jump", 1},
		{"branch_call", "call", 1},
		{"branch_call_indirect", "icall", 1},
		{"branch_indirect", "indirect", 1},
		{"branch_call", "return", 1},
		{"branch_random", "wrong", 0.5},
		{"branch_indirect_random", "wrongi", 0.75},
		{"load", "load", 4},
		{"store", "store", 4},
		{"write", "multiply", 3},
		{"apart", "divide", 64},
		{"fp_add", "fp_add", 4},
		{"fp_multiply", "fp_multiply", 4},
		{"fp_divide", "fp_divide", 4},
		{"stream", "load", 1},
		{"branch_a", "load", 0},
	};
	double value = 17;

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		assert_true(expected_find(rows[i].kernel, rows[i].column, &value));
		assert_true(value == rows[i].value);
	}
	value = 17;
	assert_false(expected_find("branch_plain", "con", &value));
	assert_false(expected_find("branch_plain", "condi", &value));
	assert_false(expected_find("branch_plai", "cond", &value));
	assert_false(expected_find("branch_plainx", "cond", &value));
	assert_false(expected_find("#", "cond", &value));
	assert_false(expected_find("", "cond", &value));
	assert_true(value == 17);
	/* Words are no numbers. */
	assert_false(expected_find("branch_plain", "shape", &value));
}
