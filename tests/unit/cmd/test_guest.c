/* What is said around the run of a program: what --verbose tells, how many instructions are
 * expected, what stopped it; what a watcher is passed. */
#include <unistd.h>

#include "../replace.h"
#include "cmd/guest.h"
#include "cmd/progress.h"
#include "screen.h"

const struct option_row option_rows[OPTION_COUNT] = {
	[OPTION_CONFIG] = {"config", "NAME", "usual", NULL},
};

static const char *option_config, *option_verbose;

const char *args_get(const struct args *args, enum option_id id)
{
	(void)args;
	return id == OPTION_CONFIG ? option_config : id == OPTION_VERBOSE ? option_verbose : NULL;
}

static uint64_t jobs_least, jobs_most, jobs_given;

bool args_get_count(const struct args *args, enum option_id id, uint64_t least, uint64_t most,
		    uint64_t *value, struct err *err)
{
	(void)args;
	assert_int_equal(id, OPTION_JOBS);
	jobs_least = least;
	jobs_most = most;
	*value = jobs_given ? jobs_given : *value;
	return jobs_given != 99 || err_set(err, "99 are too many");
}

bool config_from_args(struct config *config, const struct args *args, struct err *err)
{
	(void)args;
	(void)err;
	config->rob_size = 41;
	return true;
}

void print_printable(FILE *out, const char *text)
{
	fprintf(out, "<%s>", text);
}

static void tell(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
}

void say_warning(void *unused, const char *sentence)
{
	(void)unused;
	tell("warning %s\n", sentence);
}

void progress_start(struct progress *progress, const struct args *args, uint64_t total,
		    bool is_limit)
{
	(void)args;
	*progress = (struct progress){0};
	tell("start %lld%s\n", (long long)total, is_limit ? " at most" : "");
}

void progress_update(struct progress *progress, uint64_t instructions)
{
	(void)progress;
	tell("update %llu\n", (unsigned long long)instructions);
}

void progress_end(struct progress *progress)
{
	(void)progress;
	tell("end\n");
}

double progress_seconds(const struct progress *progress)
{
	(void)progress;
	return 2.5;
}

static bool fails, has_observers;
static int watched;

static bool start_made_up(const struct job *job, const struct job_listener *listener,
			  json_t **result, struct worker_report *report, struct err *err)
{
	(void)job;
	listener->warn(listener->context, "careful");
	listener->progress(listener->context, 12);
	listener->data(listener->context, "bytes", 5);
	if (listener->watched)
		listener->ready(listener->context);
	watched = listener->watched;
	*result = NULL;
	*report = (struct worker_report){.instructions = 5000000,
					 .time_ns = 1234567890,
					 .observer_time_ns = has_observers ? 500000000 : 0};
	return !fails || err_set(err, "it failed");
}
REPLACE(job_start, start_made_up);

/* What the job that is made up does to the screen between its start and its end. */
#define RUNNING "end\nwarning careful\nupdate 12\nend\n"

static char name[] = "a program";
static struct program program = {.name = name, .image_bytes = 777, .hash = "abc"};

ON_SCREEN(verbose_runs_say_what_and_how_long)
{
	struct job_machine machine = {.name = "some machine"};
	struct job job = {.program = &program, .max_instructions = INT64_MAX};
	struct worker_report report;
	char hash[65], wanted[1024];
	struct err err;
	json_t *result;

	option_verbose = NULL;
	assert_true(guest_run(&job, NULL, &result, &report, &err));
	printed("start 0\n" RUNNING);
	option_verbose = "";
	assert_true(guest_run(&job, NULL, &result, &report, &err));
	printed("cyclestack: <a program>: 777 bytes, sha256 abc\n"
		"start 0\n" RUNNING
		"cyclestack: 2.50 s, 5000000 instructions, 2.0 million a second\n"
		"cyclestack: processor time 1.235 s\n");
	has_observers = true;
	job.machine = &machine;
	config_hash(&machine.config, hash);
	assert_true(guest_run(&job, NULL, &result, &report, &err));
	snprintf(wanted, sizeof(wanted),
		 "cyclestack: <a program>: 777 bytes, sha256 abc\n"
		 "cyclestack: machine <some machine>, sha256 %s\n"
		 "start 0\n" RUNNING
		 "cyclestack: 2.50 s, 5000000 instructions, 2.0 million a second\n"
		 "cyclestack: processor time 1.235 s, and 0.500 s in the thread of the observers\n",
		 hash);
	printed(wanted);
	job.machine = NULL;
	fails = true;
	assert_false(guest_run(&job, NULL, &result, &report, &err));
	assert_string_equal(err.text, "it failed");
	printed("cyclestack: <a program>: 777 bytes, sha256 abc\n"
		"start 0\n" RUNNING);
	fails = has_observers = false;
	option_verbose = NULL;
}

ON_SCREEN(expected_instructions_are_what_is_left)
{
	static const struct {
		uint64_t usual, skip, most;
		const char *roi;
		uint64_t total;
		bool is_limit;
	} rows[] = {
		{0, 0, INT64_MAX, NULL, 0, false},	  {1000, 0, INT64_MAX, NULL, 1000, false},
		{1000, 300, INT64_MAX, NULL, 700, false}, {1000, 999, INT64_MAX, NULL, 1, false},
		{1000, 1000, INT64_MAX, NULL, 0, false},  {1000, 2000, INT64_MAX, NULL, 0, false},
		{1000, 0, INT64_MAX, "main", 0, false},	  {0, 0, 50, NULL, 50, true},
		{1000, 0, 50, NULL, 50, false},		  {1000, 0, 5000, NULL, 1000, false},
		{1000, 0, 5000, "main", 5000, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct program usual = {.usual_instructions = rows[i].usual};
		const struct job job = {.program = &usual,
					.skip = rows[i].skip,
					.roi = rows[i].roi,
					.max_instructions = rows[i].most};
		struct worker_report report;
		struct err err;
		json_t *result;
		char wanted[128];

		assert_true(guest_run(&job, NULL, &result, &report, &err));
		snprintf(wanted, sizeof(wanted), "start %llu%s\n" RUNNING,
			 (unsigned long long)rows[i].total, rows[i].is_limit ? " at most" : "");
		printed(wanted);
	}
}

static void hear_data(void *context, const void *bytes, size_t size)
{
	tell("data %s %zu %s\n", (const char *)bytes, size, (const char *)context);
}

static void hear_tick(void *context)
{
	tell("tick %s\n", (const char *)context);
}

static void hear_ready(void *context)
{
	tell("ready %s\n", (const char *)context);
}

ON_SCREEN(watchers_are_passed_what_comes)
{
	char context[] = "mine";
	struct guest_watcher watcher = {.context = context};
	const struct job job = {.program = &program, .max_instructions = INT64_MAX};
	struct worker_report report;
	struct err err;
	json_t *result;

	assert_true(guest_run_watched(&job, NULL, &watcher, &result, &report, &err));
	printed("start 0\n" RUNNING);
	assert_int_equal(watched, 0);
	watcher.data = hear_data;
	watcher.tick = hear_tick;
	watcher.ready = hear_ready;
	watcher.watched = 7;
	assert_true(guest_run_watched(&job, NULL, &watcher, &result, &report, &err));
	printed("start 0\nend\nwarning careful\nupdate 12\ntick mine\ndata bytes 5 mine\n"
		"ready mine\nend\n");
	assert_int_equal(watched, 7);
	watcher.hides_progress = true;
	watcher.watched = 0;
	assert_true(guest_run_watched(&job, NULL, &watcher, &result, &report, &err));
	printed("start 0\nend\nwarning careful\ntick mine\ndata bytes 5 mine\nend\n");
}

ON_SCREEN(stops_are_explained)
{
	struct worker_report report = {.stop = WORKER_INTERRUPTED};

	assert_int_equal(guest_explain_stop(&report, 17, true), 130);
	printed("cyclestack: interrupted after 17 instructions: the result is partial\n");
	report.stop = WORKER_TIMEOUT;
	assert_int_equal(guest_explain_stop(&report, 18, false), 124);
	printed("cyclestack: stopped by --timeout after 18 instructions: there is no result\n");
	report.stop = WORKER_GO_ON;
	assert_int_equal(guest_explain_stop(&report, 19, true), 124);
	printed("cyclestack: stopped by --max-insns after 19 instructions: the result is partial\n");
	assert_int_equal(guest_explain_nothing(&report), 124);
	printed("cyclestack: no result came within the time given\n");
	report.stop = WORKER_INTERRUPTED;
	assert_int_equal(guest_explain_nothing(&report), 130);
	printed("cyclestack: interrupted before anything was simulated\n");
}

ON_SCREEN(machines_are_named_without_their_directory)
{
	const char *changes[] = {"a=1", "b=2"};
	struct args args = {0};
	struct job_machine machine;
	struct err err;

	args.values[OPTION_SET] = changes;
	args.counts[OPTION_SET] = 2;
	assert_true(machine_from_args(&machine, &args, &err));
	assert_string_equal(machine.name, "usual");
	assert_int_equal(machine.change_count, 2);
	assert_string_equal(machine.changes[1], "b=2");
	assert_int_equal(machine.config.rob_size, 41);
	option_config = "some/where/x.cfg";
	assert_true(machine_from_args(&machine, &args, &err));
	assert_string_equal(machine.name, "x.cfg");
	option_config = "plain";
	assert_true(machine_from_args(&machine, &args, &err));
	assert_string_equal(machine.name, "plain");
	unsigned at_once = 0;
	assert_true(jobs_from_args(&at_once, &args, &err));
	assert_int_equal(at_once, sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(jobs_least, 1);
	assert_int_equal(jobs_most, 1024);
	jobs_given = 5;
	assert_true(jobs_from_args(&at_once, &args, &err));
	assert_int_equal(at_once, 5);
	jobs_given = 99;
	assert_false(jobs_from_args(&at_once, &args, &err));
	assert_int_equal(at_once, 5);
}
