/* Progress with a clock of the test's own: when it is shown, and every form of share and time. */
#include <unistd.h>

#include "../replace.h"
#include "screen.h"
#include "cmd/progress.h"

static double the_time;
static bool is_terminal = true, is_quiet;
static double every; /* of --progress; 0: it is not given, below 0: without a number */

static int is_a_terminal(int fd)
{
	assert_int_equal(fd, 2);
	return is_terminal;
}
REPLACE(isatty, is_a_terminal);

static double read_clock(void)
{
	return the_time;
}
REPLACE(experiment_now, read_clock);

const char *args_get(const struct args *args, enum option_id id)
{
	(void)args;
	assert_true(id == OPTION_QUIET || id == OPTION_PROGRESS);
	return (id == OPTION_QUIET ? is_quiet : every != 0) ? "" : NULL;
}

bool args_get_seconds(const struct args *args, enum option_id id, double *value, struct err *err)
{
	(void)args;
	(void)err;
	assert_int_equal(id, OPTION_PROGRESS);
	*value = every > 0 ? every : *value;
	return true;
}

static int show(void **state)
{
	the_time = 100;
	is_terminal = true;
	is_quiet = false;
	every = 0;
	return screen_open(state);
}

#define SHOWING(test) TEST_WITH(test, show, screen_close)

SHOWING(instructions_have_a_share_and_a_rate)
{
	struct progress progress;

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
SHOWING(counts_may_stand_still)
{
	struct progress progress;

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

SHOWING(nothing_is_said_of_a_total_that_is_not_known)
{
	struct progress progress;

	progress_start(&progress, NULL, 0, false);
	the_time = 102;
	progress_update(&progress, 1000000);
	printed("\r\033[K1.0 M instructions, 0.5 MIPS\r");
	progress_start(&progress, NULL, 4000000, true);
	the_time = 104;
	progress_update(&progress, 1000000);
	printed("\r\033[K1.0 M instructions, 25 %, at most 6 s left, 0.5 MIPS\r");
}

SHOWING(only_terminals_that_are_not_quiet_show_it)
{
	struct progress progress;

	for (int i = 0; i < 2; i++) {
		is_terminal = i;
		is_quiet = i;
		the_time = 100;
		progress_start(&progress, NULL, 100, false);
		the_time = 105;
		progress_update(&progress, 50);
		progress_count(&progress, &(struct experiment_progress){1, 2, 5}, "things");
		progress_end(&progress);
		printed("");
	}
}

/* A line every ten seconds, which stays; on a terminal that is not quiet, as without --progress. */
SHOWING(lines_where_there_is_no_terminal)
{
	struct progress progress;

	for (int i = 0; i < 2; i++) {
		is_terminal = is_quiet = i;
		every = -1;
		the_time = 100;
		progress_start(&progress, NULL, 80000000, false);
		the_time = 109.9;
		progress_update(&progress, 9000000);
		printed("");
		the_time = 110;
		progress_update(&progress, 10000000);
		printed("cyclestack: 10.0 M instructions, 12 %, 70 s left, 1.0 MIPS\n");
		the_time = 119;
		progress_update(&progress, 12000000);
		printed("");
		the_time = 125;
		progress_update(&progress, 50000000);
		printed("cyclestack: 50.0 M instructions, 62 %, 15 s left, 2.0 MIPS\n");
		/* There is nothing to erase. */
		progress_end(&progress);
		printed("");
	}
	is_quiet = false;
	the_time = 100;
	progress_start(&progress, NULL, 0, false);
	the_time = 101;
	progress_update(&progress, 1000000);
	printed("\r\033[K1.0 M instructions, 1.0 MIPS\r");
}

SHOWING(lines_come_as_often_as_asked_for)
{
	struct experiment_progress count = {1, 4, 9};
	struct progress progress;

	is_terminal = false;
	every = 2.5;
	progress_start(&progress, NULL, 0, false);
	the_time = 102;
	progress_count(&progress, &count, "cases done");
	printed("");
	the_time = 102.5;
	progress_count(&progress, &count, "cases done");
	printed("cyclestack: 1 of 4 cases done, 25 %, 9 s left\n");
	/* Where the core takes over, the very moment has no rate. */
	every = 1;
	the_time = 110;
	progress_start(&progress, NULL, 0, false);
	progress_update(&progress, 5000000);
	the_time = 112;
	progress_update(&progress, 0);
	printed("cyclestack: 0.0 M instructions, 0.0 MIPS\n");
}

/* The time left is not known before something was done. */
SHOWING(counts_have_a_share_and_a_time)
{
	struct experiment_progress count = {10, 50, -1};
	struct progress progress;

	progress_start(&progress, NULL, 0, false);
	the_time = 100.5;
	progress_count(&progress, &count, "cases done");
	printed("");
	the_time = 102;
	progress_count(&progress, &count, "cases done");
	printed("\r\033[K10 of 50 cases done, 20 %\r");
	the_time = 104;
	count = (struct experiment_progress){20, 50, 12};
	progress_count(&progress, &count, "cases done");
	printed("\r\033[K20 of 50 cases done, 40 %, 12 s left\r");
	progress_end(&progress);
	printed("\r\033[K");
}

SHOWING(times_are_rounded_to_what_is_worth_saying)
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

	struct progress progress;

	progress_start(&progress, NULL, 0, false);
	the_time = 102;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct experiment_progress count = {1, 2, rows[i].seconds};
		char wanted[64];

		progress_count(&progress, &count, "done");
		snprintf(wanted, sizeof(wanted), "\r\033[K1 of 2 done, 50 %%, %s left\r",
			 rows[i].text);
		printed(wanted);
	}
}
