/* Progress with a clock of the test's own: when it is shown, and every form of share and time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double the_time;
static bool is_terminal = true, is_quiet;
static FILE *screen;

static int read_clock(int clock, struct timespec *now)
{
	assert_int_equal(clock, CLOCK_MONOTONIC);
	now->tv_sec = (time_t)the_time;
	now->tv_nsec = (long)((the_time - (double)now->tv_sec) * 1e9 + 0.5);
	return 0;
}

static int is_a_terminal(int fd)
{
	assert_int_equal(fd, 2);
	return is_terminal;
}

#define clock_gettime read_clock
#define isatty	      is_a_terminal
#undef stderr
#define stderr screen
#include "cmd/progress.c"
#undef stderr

const char *args_get(const struct args *args, enum option_id id)
{
	(void)args;
	assert_int_equal(id, OPTION_QUIET);
	return is_quiet ? "" : NULL;
}

static char *text;
static size_t bytes;

static int open_screen(void **state)
{
	(void)state;
	screen = open_memstream(&text, &bytes);
	the_time = 100;
	is_terminal = true;
	is_quiet = false;
	return screen ? 0 : -1;
}

static int close_screen(void **state)
{
	(void)state;
	fclose(screen);
	free(text);
	return 0;
}

/* Compares what was printed since the last call. */
static void printed(const char *wanted)
{
	fflush(screen);
	assert_string_equal(bytes ? text : "", wanted);
	fclose(screen);
	free(text);
	screen = open_memstream(&text, &bytes);
}

static void instructions_have_a_share_and_a_rate(void **state)
{
	struct progress progress;

	(void)state;
	progress_start(&progress, NULL, 40000000, false);
	the_time = 100.75;
	progress_update(&progress, 1000000);
	printed("");
	/* Exactly a second is enough. */
	the_time = 101;
	progress_update(&progress, 2500000);
	printed("\r\033[K2.5 M instructions, 6 %, 15 s left, 2.5 MIPS\r");
	the_time = 104;
	progress_update(&progress, 10000000);
	printed("\r\033[K10.0 M instructions, 25 %, 12 s left, 2.5 MIPS\r");
	/* More than was foreseen has no share; as much has one, and nothing left. */
	progress_update(&progress, 40000000);
	printed("\r\033[K40.0 M instructions, 100 %, 0 s left, 10.0 MIPS\r");
	progress_update(&progress, 40000001);
	printed("\r\033[K40.0 M instructions, 10.0 MIPS\r");
	assert_true(progress_seconds(&progress) == 4);
	/* Fewer than before: the core takes over and counts anew. */
	the_time = 110;
	progress_update(&progress, 500);
	printed("");
	the_time = 112;
	progress_update(&progress, 20000000);
	printed("\r\033[K20.0 M instructions, 50 %, 2 s left, 10.0 MIPS\r");
	assert_true(progress_seconds(&progress) == 12);
	progress_end(&progress);
	printed("\r\033[K");
	progress_end(&progress);
	printed("");
}

/* Before the first instruction; and where the count stands still, which is no new beginning. */
static void counts_may_stand_still(void **state)
{
	struct progress progress;

	(void)state;
	the_time = 100.25;
	progress_start(&progress, NULL, 0, false);
	the_time = 101.5;
	progress_update(&progress, 0);
	printed("\r\033[K0.0 M instructions, 0.0 MIPS\r");
	progress_start(&progress, NULL, 8000000, false);
	the_time = 102.75;
	progress_update(&progress, 0);
	printed("\r\033[K0.0 M instructions, 0 %, 0.0 MIPS\r");
	progress_update(&progress, 2000000);
	printed("\r\033[K2.0 M instructions, 25 %, 4 s left, 1.6 MIPS\r");
	progress_update(&progress, 2000000);
	printed("\r\033[K2.0 M instructions, 25 %, 4 s left, 1.6 MIPS\r");
}

static void nothing_is_said_of_a_total_that_is_not_known(void **state)
{
	struct progress progress;

	(void)state;
	progress_start(&progress, NULL, 0, false);
	the_time = 102;
	progress_update(&progress, 1000000);
	printed("\r\033[K1.0 M instructions, 0.5 MIPS\r");
	progress_start(&progress, NULL, 4000000, true);
	the_time = 104;
	progress_update(&progress, 1000000);
	printed("\r\033[K1.0 M instructions, 25 %, at most 6 s left, 0.5 MIPS\r");
}

static void only_terminals_that_are_not_quiet_show_it(void **state)
{
	struct progress progress;

	(void)state;
	for (int i = 0; i < 2; i++) {
		is_terminal = i;
		is_quiet = i;
		the_time = 100;
		progress_start(&progress, NULL, 100, false);
		the_time = 105;
		progress_update(&progress, 50);
		progress_count(&progress, 1, 2, "things");
		progress_end(&progress);
		printed("");
	}
}

/* What is left is told from what was done since the first call; that itself tells nothing. */
static void counts_leave_out_what_was_there_before(void **state)
{
	struct progress progress;

	(void)state;
	progress_start(&progress, NULL, 0, false);
	the_time = 100.5;
	progress_count(&progress, 10, 50, "cases done");
	printed("");
	the_time = 102;
	progress_count(&progress, 10, 50, "cases done");
	printed("\r\033[K10 of 50 cases done, 20 %\r");
	the_time = 104;
	progress_count(&progress, 20, 50, "cases done");
	printed("\r\033[K20 of 50 cases done, 40 %, 12 s left\r");
	progress_end(&progress);
	printed("\r\033[K");
}

static void times_are_rounded_to_what_is_worth_saying(void **state)
{
	static const struct {
		double seconds;
		const char *text;
	} rows[] = {
		{0.4, "0 s"},
		{0.6, "1 s"},
		{99.4, "99 s"},
		{99.6, "2 min"},
		{149, "2 min"},
		{150, "3 min"},
		{5999.4, "100 min"},
		{5999.6, "1 h 40 min"},
		{7260, "2 h 1 min"},
		{10799, "2 h 59 min"},
		{86400 + 59, "24 h 0 min"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put_time(rows[i].seconds);
		printed(rows[i].text);
	}
}

#define ON_SCREEN(test) cmocka_unit_test_setup_teardown(test, open_screen, close_screen)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_SCREEN(instructions_have_a_share_and_a_rate),
		ON_SCREEN(counts_may_stand_still),
		ON_SCREEN(nothing_is_said_of_a_total_that_is_not_known),
		ON_SCREEN(only_terminals_that_are_not_quiet_show_it),
		ON_SCREEN(counts_leave_out_what_was_there_before),
		ON_SCREEN(times_are_rounded_to_what_is_worth_saying),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
