/* Many bodies of work at a time: what becomes of results, sentences, workers that die or are
 * killed, and interruptions. In place of each worker is a function of the test's, which runs in the
 * process that would wait for the worker. */
#include "../test.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../replace.h"
#include "base/array.h"
#include "job/worker_pool.h"

#define NUMBERS 6

enum act { SUCCEEDS, IS_LARGE, FAILS, IS_LATE, IS_INTERRUPTED, IS_LOST, DIES, DIES_HALFWAY, WAITS };

/* Shared with the processes: how often each number was begun. */
static struct shared {
	_Atomic unsigned begun[NUMBERS];
} * shared;

/* What number i does, and how often before it succeeds; 0: always. */
static enum act acts[NUMBERS];
static unsigned times[NUMBERS];
static int number_of_this; /* in such a process */

static bool set_text(struct worker_report *report, const char *text, size_t bytes)
{
	report->result = malloc(bytes + 1);
	memset(report->result, 'x', bytes + 1);
	memcpy(report->result, text, strlen(text) < bytes ? strlen(text) : bytes);
	report->result_bytes = bytes;
	return true;
}

static bool run_in_its_place(const struct worker_task *task, struct worker_report *report,
			     struct err *err)
{
	const int i = (int)(size_t)task->context;
	const unsigned begun = ++shared->begun[i];
	char text[32];

	number_of_this = i;
	*report = (struct worker_report){0};
	switch (times[i] && begun > times[i] ? SUCCEEDS : acts[i]) {
	case IS_LARGE: return set_text(report, "large", 200000);
	case FAILS: err_set(err, "number %d failed", i); return err_as_usage(err);
	case IS_LATE: report->stop = WORKER_TIMEOUT; return true;
	case IS_INTERRUPTED: report->stop = WORKER_INTERRUPTED; return true;
	case IS_LOST: report->is_lost = true; return err_set(err, "number %d is lost", i);
	case DIES: raise(SIGKILL); return false;
	case WAITS:
		/* Until it is told to stop. */
		for (sigset_t set;;) {
			int got;

			sigemptyset(&set);
			sigaddset(&set, SIGINT);
			sigwait(&set, &got);
			report->stop = WORKER_INTERRUPTED;
			return true;
		}
	default: snprintf(text, sizeof(text), "number %d", i);
	}
	return set_text(report, text, strlen(text));
}
REPLACE(worker_run, run_in_its_place);

REPLACED(write);

/* Each write(2) of such a process is interrupted once, and does half of what it was asked to; one
 * that is to die dies between the two. */
static ssize_t write_some(int fd, const void *bytes, size_t size)
{
	static unsigned calls;

	if (!shared || !number_of_this || size < 2)
		return __real_write(fd, bytes, size);
	if (calls++ % 2 == 0) {
		errno = EINTR;
		return -1;
	}
	if (acts[number_of_this] == DIES_HALFWAY &&
	    (!times[number_of_this] || shared->begun[number_of_this] <= times[number_of_this]) &&
	    calls > 2) {
		errno = EPIPE;
		return -1;
	}
	return __real_write(fd, bytes, size / 2);
}
REPLACE(write, write_some);

/* How many pipes and processes can be made before one cannot; and the signals. */
static int pipes_left = 1000, forks_left = 1000;
static bool no_signals;

REPLACED(worker_pipe);

static bool make_pipe(int ends[2])
{
	if (pipes_left-- > 0)
		return __real_worker_pipe(ends);
	errno = EMFILE;
	return false;
}
REPLACE(worker_pipe, make_pipe);

REPLACED(fork);

static pid_t make_process(void)
{
	if (forks_left-- > 0)
		return __real_fork();
	errno = EAGAIN;
	return -1;
}
REPLACE(fork, make_process);

REPLACED(worker_watch_signals);

static int watch(sigset_t *before, struct err *err)
{
	if (!no_signals)
		return __real_worker_watch_signals(before, err);
	err_set(err, "no signals");
	return -1;
}
REPLACE(worker_watch_signals, watch);

static void take_task(void *context, size_t i, struct worker_task *task)
{
	assert_ptr_equal(context, acts);
	task->context = (void *)i;
}

static char results[256];
static size_t largest, most_done;
static int refused = -1, interrupts = -1;

static bool take_result(void *context, size_t i, const char *result, size_t bytes, struct err *err)
{
	assert_ptr_equal(context, acts);
	const size_t used = strlen(results);
	snprintf(results + used, sizeof(results) - used, "%zu:%.*s ", i,
		 bytes < 20 ? (int)bytes : 5, result);
	largest = bytes > largest ? bytes : largest;
	if ((int)i == interrupts)
		raise(SIGINT);
	return (int)i != refused || err_set(err, "number %zu is refused", i);
}

static void note_progress(void *context, size_t done)
{
	assert_ptr_equal(context, acts);
	assert_true(done >= most_done);
	most_done = done;
}

/* Six numbers, so many at once; what it says, or "" */
static const char *run(unsigned at_once, unsigned retries, bool *interrupted)
{
	static struct err err;
	const struct worker_pool pool = {.task = take_task,
					 .done = take_result,
					 .progress = note_progress,
					 .context = acts,
					 .count = NUMBERS,
					 .at_once = at_once,
					 .retries = retries};

	results[0] = '\0';
	largest = most_done = 0;
	for (int i = 0; i < NUMBERS; i++)
		shared->begun[i] = 0;
	err.text[0] = '\0';
	const bool ok = worker_pool_run(&pool, interrupted, &err);
	if (!ok)
		assert_string_not_equal(err.text, "");
	err.kind = ok ? ERR_TOOL : err.kind;
	return ok ? "" : err.text;
}

static int begin(void **unused)
{
	(void)unused;
	memset(acts, 0, sizeof(acts));
	memset(times, 0, sizeof(times));
	refused = interrupts = -1;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	return shared == MAP_FAILED ? -1 : 0;
}

static int end(void **unused)
{
	(void)unused;
	munmap(shared, sizeof(*shared));
	shared = NULL;
	return 0;
}

#define POOL(test) TEST_WITH(test, begin, end)

POOL(each_result_is_handed_over_whole)
{
	bool interrupted = true;

	acts[2] = IS_LARGE;
	assert_string_equal(run(1, 0, &interrupted), "");
	assert_false(interrupted);
	assert_string_equal(results, "0:number 0 1:number 1 2:large 3:number 3 4:number 4 "
				     "5:number 5 ");
	assert_int_equal(largest, 200000);
	assert_true(most_done >= NUMBERS - 1);
	/* Several at a time, in whatever order. */
	assert_string_equal(run(4, 0, &interrupted), "");
	assert_int_equal(strlen(results), strlen("0:number 0 ") * 5 + strlen("2:large "));
	assert_int_equal(largest, 200000);
}

/* The first that fails is told, with its kind; what runs beside it is stopped, and nothing more is
 * begun. */
POOL(one_that_fails_ends_the_rest)
{
	static const struct {
		enum act act;
		const char *sentence;
	} rows[] = {{FAILS, "number 3 failed"},
		    {IS_LATE, "a simulation was stopped by --timeout before it was done"},
		    {DIES, "a worker process died"},
		    {DIES_HALFWAY, "a worker process died"},
		    {IS_LOST, "number 3 is lost"}};
	bool interrupted;

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		acts[3] = rows[i].act;
		acts[2] = WAITS;
		assert_string_equal(run(2, 0, &interrupted), rows[i].sentence);
		assert_false(interrupted);
		assert_true(strstr(results, "0:") && strstr(results, "1:"));
		assert_null(strstr(results, "2:"));
		assert_int_equal(shared->begun[3], 1);
		assert_int_equal(shared->begun[4] + shared->begun[5], 0);
	}
	memset(acts, 0, sizeof(acts));
	refused = 1;
	assert_string_equal(run(1, 0, &interrupted), "number 1 is refused");
	assert_string_equal(results, "0:number 0 1:number 1 ");
}

/* What was killed from outside is begun again after the rest, so often and not more; what fails by
 * itself is not. */
POOL(what_is_killed_is_begun_again)
{
	static const enum act killed[] = {IS_LOST, DIES, DIES_HALFWAY};
	bool interrupted;

	for (size_t i = 0; i < ARRAY_COUNT(killed); i++) {
		acts[1] = killed[i];
		times[1] = 2;
		assert_string_equal(run(1, 2, &interrupted), "");
		assert_string_equal(results, "0:number 0 2:number 2 3:number 3 4:number 4 "
					     "5:number 5 1:number 1 ");
		assert_int_equal(shared->begun[1], 3);
		assert_string_not_equal(run(1, 1, &interrupted), "");
		assert_int_equal(shared->begun[1], 2);
		times[1] = 0;
	}
	acts[1] = FAILS;
	assert_string_equal(run(1, 2, &interrupted), "number 1 failed");
	assert_int_equal(shared->begun[1], 1);
	/* Two that are killed are both begun again. */
	acts[1] = acts[4] = IS_LOST;
	times[1] = times[4] = 1;
	assert_string_equal(run(3, 1, &interrupted), "");
	assert_int_equal(shared->begun[1], 2);
	assert_int_equal(shared->begun[4], 2);
}

/* What is done is kept, and what is under way is left out without a sentence. */
POOL(an_interruption_is_no_failure)
{
	bool interrupted = false;

	acts[2] = IS_INTERRUPTED;
	assert_string_equal(run(1, 3, &interrupted), "");
	assert_true(interrupted);
	assert_string_equal(results, "0:number 0 1:number 1 ");
	assert_int_equal(shared->begun[3], 0);
	/* By a signal to this process, which is passed on. */
	acts[2] = WAITS;
	interrupts = 0;
	interrupted = false;
	assert_string_equal(run(2, 3, &interrupted), "");
	assert_true(interrupted);
	assert_true(strstr(results, "0:number 0 ") && !strstr(results, "2:"));
}

POOL(what_cannot_be_started_is_told)
{
	bool interrupted;

	acts[0] = WAITS;
	pipes_left = 1;
	assert_string_equal(run(2, 0, &interrupted),
			    "cannot make a pipe to a worker process: Too many open files");
	pipes_left = 1000;
	forks_left = 1;
	assert_string_equal(run(2, 0, &interrupted),
			    "cannot start a worker process: Resource temporarily unavailable");
	assert_false(interrupted);
	forks_left = 1000;
	no_signals = true;
	assert_string_equal(run(2, 0, &interrupted), "no signals");
	no_signals = false;
	assert_string_equal(results, "");
}
