/* Counters on the terminal while a program runs, with a clock and a screen of the test's own: what
 * is kept of intervals, and when and how lines are drawn again. */
#include <time.h>
#include <unistd.h>

#include "../replace.h"
#include "cmd/stat_live.h"
#include "doc/text_bar.h"
#include "screen.h"

static double the_time;
static bool is_terminal = true, is_quiet;

static int read_clock(clockid_t clock, struct timespec *now)
{
	assert_int_equal(clock, CLOCK_MONOTONIC);
	now->tv_sec = (time_t)the_time;
	now->tv_nsec = (long)((the_time - (double)now->tv_sec) * 1e9 + 0.5);
	return 0;
}
REPLACE(clock_gettime, read_clock);

REPLACED(isatty);

static int is_a_terminal(int fd)
{
	return fd == STDERR_FILENO ? is_terminal : __real_isatty(fd);
}
REPLACE(isatty, is_a_terminal);

/* In place of the sparkline: its width and values. */
static unsigned put_spark(FILE *out, const struct terminal *terminal, const double *values,
			  size_t count, unsigned width)
{
	(void)terminal;
	fprintf(out, "%u:", width);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%.0f", i ? "," : "", values[i]);
	return width;
}
REPLACE(text_bar_spark, put_spark);

const char *args_get(const struct args *args, enum option_id id)
{
	(void)args;
	assert_int_equal(id, OPTION_QUIET);
	return is_quiet ? "" : NULL;
}

static void start(struct stat_live *live)
{
	the_time = 100;
	stat_live_start(live, NULL);
	live->terminal = (struct terminal){.width = 100, .height = 10};
}

static void take_names(struct stat_live *live, uint32_t count, const char *names)
{
	struct stat_frame frame = {0};

	frame.head.kind = STAT_FRAME_EPOCH;
	frame.head.count = count;
	frame.text = names;
	stat_live_take(live, &frame);
}

/* Interval number n: counter i counts 10 n + i, in all 100 n + i. */
static void take_interval(struct stat_live *live, uint32_t count, uint64_t n)
{
	struct stat_frame frame = {0};
	struct stat_count counts[32] = {0};

	frame.head.kind = STAT_FRAME_INTERVAL;
	frame.head.count = count;
	frame.counts = counts;
	for (uint32_t i = 0; i < count; i++) {
		counts[i].value = 10 * n + i;
		counts[i].total = 100 * n + i;
	}
	stat_live_take(live, &frame);
}

#define FIRST  "first                       " /* 28 columns */
#define SECOND "second                      "

ON_SCREEN(lines_are_drawn_over_the_last)
{
	struct stat_live live;

	start(&live);
	take_names(&live, 2, "first\0second");
	the_time = 105;
	stat_live_draw(&live);
	printed("");
	take_interval(&live, 2, 1);
	stat_live_draw(&live);
	printed(FIRST "     100 40:10\n" SECOND "     101 40:11\n");
	take_interval(&live, 2, 2);
	the_time = 105.19;
	stat_live_draw(&live);
	printed("");
	the_time = 105.25;
	stat_live_draw(&live);
	printed("\033[2A\033[J" FIRST "     200 40:10,20\n" SECOND "     201 40:11,21\n");
	/* Other counters begin anew; an interval of fewer is not theirs. */
	take_names(&live, 1, "third");
	the_time = 106;
	stat_live_draw(&live);
	printed("");
	take_interval(&live, 0, 4);
	stat_live_draw(&live);
	printed("");
	take_interval(&live, 1, 3);
	stat_live_draw(&live);
	printed("\033[2A\033[Jthird                            300 40:30\n");
	stat_live_end(&live);
	printed("\033[1A\033[J");
	stat_live_end(&live);
	printed("");
}

ON_SCREEN(lines_fit_the_terminal)
{
	static const struct {
		unsigned width, shown;
	} rows[] = {{78, 40}, {77, 39}, {50, 12}};

	for (size_t i = 0; i < 3; i++) {
		struct stat_live live;
		char wanted[128];

		start(&live);
		live.terminal.width = rows[i].width;
		live.terminal.height = 3;
		take_names(&live, 2, "first\0second");
		take_interval(&live, 2, 1);
		the_time = 101;
		stat_live_draw(&live);
		snprintf(wanted, sizeof(wanted), FIRST "     100 %u:10\n", rows[i].shown);
		printed(wanted);
	}
}

ON_SCREEN(last_forty_intervals_are_kept)
{
	static const char names[] = "a\0b\0c\0d\0e\0f\0g\0h\0i\0j\0k\0l\0m\0n\0o\0p\0q\0r";
	struct stat_live live;

	start(&live);
	take_names(&live, 18, names);
	assert_int_equal(live.count, 16);
	assert_string_equal(live.names[15], "p");
	for (uint64_t n = 0; n < 40; n++)
		take_interval(&live, 18, n);
	assert_int_equal(live.recent_count, 40);
	assert_true(live.recent[3][0] == 3 && live.recent[3][39] == 393);
	take_interval(&live, 18, 40);
	take_interval(&live, 18, 41);
	assert_int_equal(live.recent_count, 40);
	assert_true(live.recent[3][0] == 23 && live.recent[3][38] == 403);
	assert_true(live.recent[3][39] == 413);
	assert_int_equal(live.totals[3], 4103);
	take_names(&live, 18, names);
	assert_int_equal(live.totals[3], 0);
	assert_int_equal(live.recent_count, 0);
	/* A name longer than its place is cut short. */
	char name[100];
	memset(name, 'x', 99);
	name[99] = 0;
	take_names(&live, 1, name);
	assert_int_equal(strlen(live.names[0]), 63);
}

ON_SCREEN(nothing_is_drawn_where_it_is_not_wanted)
{
	for (int i = 0; i < 3; i++) {
		struct stat_live live;

		is_terminal = i != 0;
		is_quiet = i == 1;
		start(&live);
		assert_int_equal(live.is_shown, i == 2);
		take_names(&live, 1, "first");
		take_interval(&live, 1, 1);
		the_time = i == 2 ? 100.99 : 105;
		stat_live_draw(&live);
		printed("");
	}
	is_terminal = true;
	is_quiet = false;
}
