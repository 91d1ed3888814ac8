/* An experiment with points of the test's own, in real workers: whatever the order, the shelf, an
 * interruption or a worker that dies, the plan concludes the same bytes. */
#include "../test.h"

#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "experiment/experiment.h"

#define POINTS 8

/* Shared with the workers. */
static struct shared {
	_Atomic unsigned starts[POINTS];
	_Atomic int deaths;	/* the worker of point 3 dies so often */
	_Atomic int interrupts; /* point 5 interrupts the experiment so often */
} * shared;

/* What a test changes, in this process alone. */
static struct {
	size_t fails;	/* a point that fails with a sentence */
	size_t refused; /* a point whose result the plan refuses */
	size_t sends_nonsense, may_not_start, is_slow;
	size_t waits; /* a point that does not end by itself */
	bool has_timeout;
	bool loses_waiter; /* with its worker, point 3 loses the process that waits for it */
	bool is_disowned;  /* kept results are said to be of others */
	pid_t pid;
} test;

static size_t number_of(const struct point *point)
{
	return (size_t)point->max_instructions;
}

static bool may_start(const struct point *point, struct err *err)
{
	return number_of(point) != test.may_not_start || err_set(err, "not here");
}

/* Before the worker is jailed. */
static bool prepare(void *context, struct err *err)
{
	const size_t i = number_of(context);

	(void)err;
	shared->starts[i]++;
	if (i == 3 && shared->deaths > 0) {
		shared->deaths--;
		if (test.loses_waiter)
			kill(getppid(), SIGKILL);
		raise(SIGKILL);
	}
	if (i == 5 && shared->interrupts > 0) {
		shared->interrupts--;
		kill(test.pid, SIGINT);
	}
	return true;
}

static void work(struct worker *worker, void *context)
{
	const size_t i = number_of(context);
	static char text[200000]; /* more than a pipe holds at once */

	while (i == test.waits && !worker_should_stop(worker))
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	if (i == test.waits)
		return;
	if (i == test.is_slow)
		nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
	snprintf(text, sizeof(text), "{\"schema\":\"cyclestack-test-1\",\"x\":%*zu}",
		 i == 6 ? 199000 : 0, 100 + i * i);
	if (i == test.fails)
		worker_send_error(worker, &(const struct err){"it failed", ERR_USAGE});
	else
		worker_send_result(worker, i == test.sends_nonsense ? "{" : text,
				   i == test.sends_nonsense ? 1 : strlen(text));
}

static void fill(const struct point *point, struct worker_task *task)
{
	*task = (struct worker_task){
		.prepare = prepare,
		.body = work,
		.timeout_seconds = test.has_timeout && number_of(point) == test.waits ? 0.02 : 0};
}

static json_t *read_result(const struct point *point, const char *bytes, size_t count,
			   struct err *err)
{
	json_t *result = json_loadb(bytes, count, 0, NULL);

	(void)point;
	if (!result)
		err_set(err, "it is not JSON");
	return result;
}

/* Point 7 has no name. */
static bool key_of(const struct point *point, const char *tool, char text[JOB_KEY_BYTES])
{
	(void)tool;
	snprintf(text, JOB_KEY_BYTES, "%064llx", (unsigned long long)point->max_instructions);
	return number_of(point) != 7;
}

static bool owns(const struct point *point, const json_t *result, struct err *err)
{
	(void)point;
	(void)result;
	return !test.is_disowned || err_set(err, "it is another's");
}

static const struct point_kind kind = {may_start, fill, read_result, key_of, owns};

struct own {
	json_int_t taken[POINTS];
	size_t count;
};

static bool take(struct plan *plan, size_t i, json_t *result, struct err *err)
{
	struct own *own = plan->own;

	assert_int_equal(own->taken[i], 0);
	own->taken[i] = json_integer_value(json_object_get(result, "x"));
	own->count++;
	return i != test.refused || err_set(err, "not this one");
}

static json_t *conclude(struct plan *plan, bool interrupted, struct err *err)
{
	const struct own *own = plan->own;
	json_t *list = json_array();

	(void)err;
	for (size_t i = 0; i < POINTS; i++)
		json_array_append_new(list, json_integer(own->taken[i]));
	if (!interrupted)
		return list;
	json_decref(list);
	return NULL;
}

static void release(struct plan *plan)
{
	assert_non_null(plan->own);
}

static struct plan *make_plan(void)
{
	static const struct plan functions = {
		.take = take, .conclude = conclude, .release = release};
	struct plan *plan = plan_create(sizeof(struct own), &functions);

	for (size_t i = 0; i < POINTS; i++)
		plan_add(plan, &(struct point){.kind = &kind, .max_instructions = i});
	return plan;
}

#define WHOLE "[100,101,104,109,116,125,136,149]"

static char warnings[2048];

static void warn(void *context, const char *sentence)
{
	assert_ptr_equal(context, &test);
	strcat(warnings, sentence);
	strcat(warnings, "\n");
}

struct outcome {
	bool ok, interrupted;
	enum err_kind kind; /* of the sentence */
	size_t taken, kept, starts;
	char text[ERR_TEXT_BYTES]; /* what was concluded, or the sentence */
};

/* Runs the plan once, with a store in the directory `path`, or without. */
static struct outcome run(unsigned at_once, const char *path)
{
	struct experiment experiment = {.at_once = at_once};
	struct plan *plan = make_plan();
	struct outcome outcome = {0};
	struct shelf shelf = {.path = NULL};
	struct err err = {.text = "before"};

	warnings[0] = 0;
	for (size_t i = 0; i < POINTS; i++)
		shared->starts[i] = 0;
	if (path) {
		char store[256];

		snprintf(store, sizeof(store), "%s/kept.db", path);
		assert_true(shelf_open(&shelf, store, &err));
		shelf.warn = warn;
		shelf.context = &test;
		experiment.shelf = &shelf;
	}
	json_t *result = experiment_result(&experiment, plan, &outcome.interrupted, &err);
	char *text = json_dumps(result, JSON_COMPACT);
	snprintf(outcome.text, sizeof(outcome.text), "%s", text ? text : err.text);
	free(text);
	json_decref(result);
	outcome.ok = result;
	outcome.kind = err.kind;
	outcome.taken = ((struct own *)plan->own)->count;
	outcome.kept = shelf.count;
	for (size_t i = 0; i < POINTS; i++)
		outcome.starts += shared->starts[i];
	shelf_close(&shelf, false);
	plan_destroy(plan);
	return outcome;
}

static char directory[64];

static int remove_one(const char *path, const struct stat *info, int flag, struct FTW *walk)
{
	(void)info, (void)flag, (void)walk;
	return remove(path);
}

static int enter(void **state)
{
	(void)state;
	memset(&test, 0, sizeof(test));
	test.fails = test.refused = test.sends_nonsense = POINTS;
	test.may_not_start = test.is_slow = test.waits = POINTS;
	test.pid = getpid();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	snprintf(directory, sizeof(directory), "/tmp/experiment.XXXXXX");
	return shared != MAP_FAILED && mkdtemp(directory) ? 0 : -1;
}

static int leave(void **state)
{
	(void)state;
	munmap(shared, sizeof(*shared));
	return nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#define WITH_WORKERS(test) TEST_WITH(test, enter, leave)

WITH_WORKERS(results_do_not_depend_on_the_order)
{
	test.is_slow = 0; /* with others beside it, it ends after them */
	for (unsigned at_once = 1; at_once <= 9; at_once += 4) {
		const struct outcome outcome = run(at_once, NULL);

		assert_true(outcome.ok && !outcome.interrupted);
		assert_string_equal(outcome.text, WHOLE);
		assert_int_equal(outcome.starts, POINTS);
	}
}

WITH_WORKERS(what_is_on_the_shelf_is_not_run)
{
	struct outcome outcome = run(3, directory);

	assert_string_equal(outcome.text, WHOLE);
	assert_int_equal(outcome.starts, POINTS);
	assert_int_equal(outcome.kept, POINTS - 1);
	outcome = run(3, directory);
	assert_string_equal(outcome.text, WHOLE);
	assert_int_equal(outcome.starts, 1); /* the one without a name */
	assert_int_equal(shared->starts[7], 1);
	assert_string_equal(warnings, "");
	/* Refused: made anew, and told. */
	test.is_disowned = true;
	outcome = run(3, directory);
	assert_string_equal(outcome.text, WHOLE);
	assert_int_equal(outcome.starts, POINTS);
	assert_int_equal(outcome.kept, POINTS - 1);
	unsigned lines = 0;
	for (const char *at = warnings; (at = strstr(at, " is ignored: it is another's; it is made "
							 "anew\n"));
	     at++)
		lines++;
	assert_int_equal(lines, POINTS - 1);
}

/* Interrupted again and again until it is whole: each time it goes on. */
WITH_WORKERS(an_interruption_loses_only_what_is_under_way)
{
	struct outcome outcome;
	size_t starts = 0, before = 0;

	shared->interrupts = 2;
	for (int pass = 0; pass < 2; pass++) {
		outcome = run(1, directory);
		assert_true(outcome.interrupted);
		assert_false(outcome.ok);
		assert_string_equal(outcome.text, "interrupted"); /* no part of a result */
		assert_int_equal(outcome.kind, ERR_STOPPED);
		assert_true(outcome.taken >= 5 && outcome.taken < POINTS);
		assert_true(outcome.kept >= before);
		before = outcome.kept;
		starts += outcome.starts;
	}
	outcome = run(1, directory);
	assert_true(outcome.ok && !outcome.interrupted);
	assert_string_equal(outcome.text, WHOLE);
	starts += outcome.starts;
	/* Points 0 to 4 were begun once in all of that; what was under way, again. */
	assert_int_equal(starts, POINTS + 2);
}

WITH_WORKERS(a_worker_that_dies_is_begun_again)
{
	for (int loses_waiter = 0; loses_waiter < 2; loses_waiter++)
		for (int deaths = 1; deaths <= EXPERIMENT_RETRIES; deaths++) {
			test.loses_waiter = loses_waiter;
			shared->deaths = deaths;
			const struct outcome outcome = run(2, NULL);

			assert_true(outcome.ok);
			assert_string_equal(outcome.text, WHOLE);
			assert_int_equal(shared->starts[3], 1 + deaths);
			assert_int_equal(outcome.starts, POINTS + deaths);
		}
	/* Not for ever. */
	shared->deaths = 1000;
	struct outcome outcome = run(2, NULL);
	assert_false(outcome.ok);
	assert_string_equal(outcome.text, "a worker process died");
	assert_int_equal(shared->starts[3], 1 + EXPERIMENT_RETRIES);
	test.loses_waiter = false;
	outcome = run(2, NULL);
	assert_string_equal(outcome.text,
			    "the run was killed from outside (SIGKILL): by a user, or by the "
			    "kernel because the machine ran out of memory");
	assert_int_equal(shared->starts[3], 1 + EXPERIMENT_RETRIES);
}

WITH_WORKERS(one_that_fails_ends_the_rest)
{
	test.fails = 2;
	struct outcome outcome = run(1, directory);
	assert_false(outcome.ok);
	assert_false(outcome.interrupted);
	assert_string_equal(outcome.text, "it failed");
	assert_int_equal(outcome.kind, ERR_USAGE);
	assert_int_equal(outcome.starts, 3); /* and it is not tried again */
	assert_int_equal(outcome.kept, 2);
	/* What runs beside it is stopped, and nothing is begun after that. */
	test.fails = 1;
	test.waits = 0;
	outcome = run(2, NULL);
	assert_string_equal(outcome.text, "it failed");
	assert_false(outcome.interrupted);
	assert_int_equal(outcome.starts, 2);
	assert_int_equal(outcome.taken, 0);
	test.fails = test.waits = POINTS;
	test.sends_nonsense = 2;
	outcome = run(1, directory);
	assert_string_equal(outcome.text, "internal error: the worker's result: it is not JSON");
	assert_int_equal(outcome.starts, 1);
	/* A result that the plan refuses is not kept, and ends the rest wherever it comes from. */
	test.sends_nonsense = POINTS;
	test.refused = 4;
	outcome = run(1, directory);
	assert_string_equal(outcome.text, "not this one");
	assert_int_equal(outcome.kept, 4);
	test.refused = 1;
	outcome = run(1, directory);
	assert_string_equal(outcome.text, "not this one");
	assert_int_equal(outcome.starts, 0);
	/* One that takes too long. */
	test.refused = POINTS;
	test.waits = 1;
	test.has_timeout = true;
	outcome = run(1, NULL);
	assert_string_equal(outcome.text,
			    "a simulation was stopped by --timeout before it was done");
	assert_int_equal(outcome.taken, 1);
	/* Before anything runs. */
	test.may_not_start = 7;
	outcome = run(1, NULL);
	assert_string_equal(outcome.text, "not here");
	assert_int_equal(outcome.starts, 0);
}

static struct experiment_progress last;

static void hear(void *context, const struct experiment_progress *progress)
{
	assert_ptr_equal(context, &test);
	assert_true(progress->done >= last.done);
	assert_int_equal(progress->all, POINTS);
	last = *progress;
}

WITH_WORKERS(progress_has_the_time_left)
{
	const struct experiment experiment = {.at_once = 2, .progress = hear, .context = &test};
	struct plan *plan = make_plan();
	bool interrupted;
	struct err err;

	last = (struct experiment_progress){0};
	assert_true(experiment_run(&experiment, plan, &interrupted, &err));
	assert_int_equal(last.done, POINTS);
	assert_true(last.seconds_left == 0);
	plan_destroy(plan);
	/* Ten seconds for two beside the three that were found: six more take thirty. */
	struct experiment_progress p = experiment_progress_since(experiment_now() - 10, 3, 5, 11);
	assert_int_equal(p.done, 5);
	assert_int_equal(p.all, 11);
	assert_true(p.seconds_left >= 30 && p.seconds_left < 33);
	assert_true(experiment_progress_since(0, 3, 3, 11).seconds_left < 0);
}
