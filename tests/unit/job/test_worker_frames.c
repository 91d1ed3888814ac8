/* What a worker sends and how it ends, one and many at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "job/worker.h"
#include "job/worker_pool.h"

struct heard {
	char warnings[64];
	char data[64];
	size_t data_bytes;
	unsigned ready;
	int descriptor;
};

static void warn(void *context, const char *sentence)
{
	struct heard *heard = context;

	strcat(heard->warnings, sentence);
	strcat(heard->warnings, "|");
}

static void take_data(void *context, const void *bytes, size_t size)
{
	struct heard *heard = context;

	memcpy(heard->data + heard->data_bytes, bytes, size);
	heard->data_bytes += size;
}

static bool run(void (*body)(struct worker *, void *), struct heard *heard,
		struct worker_report *report, struct err *err)
{
	const struct worker_task task = {
		.body = body, .warn = warn, .data = take_data, .context = heard};

	err->text[0] = 0;
	*heard = (struct heard){.ready = 0};
	return worker_run(&task, report, err);
}

static void send_everything(struct worker *worker, void *context)
{
	(void)context;
	worker_send_warning(worker, "one");
	worker_send_data(worker, "a\0b", 3);
	worker_send_warning(worker, "two");
	worker_send_data(worker, "", 0);
	worker_send_data(worker, "cd", 2);
	worker_note_progress(worker, 123456789);
	atomic_store(&worker->page->time_ns, 5000);
	atomic_store(&worker->page->observer_time_ns, 7000);
	worker_send_result(worker, "first", 5);
	worker_send_result(worker, "second\0!", 8);
}

static void frames_arrive_in_order(void **unused)
{
	struct worker_report report;
	struct heard heard;
	struct err err;

	(void)unused;
	assert_true(run(send_everything, &heard, &report, &err));
	assert_string_equal(heard.warnings, "one|two|");
	assert_int_equal(heard.data_bytes, 5);
	assert_memory_equal(heard.data, "a\0bcd", 5);
	assert_int_equal(report.result_bytes, 8);
	assert_memory_equal(report.result, "second\0!", 9);
	assert_int_equal(report.stop, WORKER_GO_ON);
	assert_int_equal(report.instructions, 123456789);
	assert_int_equal(report.time_ns, 5000);
	assert_int_equal(report.observer_time_ns, 7000);
	free(report.result);
	/* Nobody needs to hear them. */
	const struct worker_task deaf = {.body = send_everything};
	assert_true(worker_run(&deaf, &report, &err));
	assert_int_equal(report.result_bytes, 8);
	free(report.result);
}

static void send_nothing(struct worker *worker, void *context)
{
	(void)context;
	worker_send_result(worker, "", 0);
}

static void send_error(struct worker *worker, void *context)
{
	(void)context;
	worker_send_result(worker, "a result", 8);
	worker_send_error(worker, "it did not work");
}

static void end_as_if_out_of_memory(struct worker *worker, void *context)
{
	(void)worker, (void)context;
	_exit(125);
}

static void end_early(struct worker *worker, void *context)
{
	(void)worker, (void)context;
	_exit(124);
}

static void be_killed(struct worker *worker, void *context)
{
	(void)worker, (void)context;
	raise(SIGKILL);
}

static void abort_itself(struct worker *worker, void *context)
{
	(void)worker, (void)context;
	abort();
}

static void ends_have_their_sentences(void **unused)
{
	static const struct {
		void (*body)(struct worker *, void *);
		const char *sentence;
	} cases[] = {
		{send_error, "it did not work"},
		{end_as_if_out_of_memory,
		 "the run was ended: beside the program's own memory (--memory) it needs more than "
		 "the 4 GB that the tool allows itself"},
		{end_early,
		 "internal error: the worker process ended (status 124) without a result"},
		{be_killed,
		 "the run was killed from outside (SIGKILL): by a user, or by the kernel "
		 "because the machine ran out of memory"},
		{abort_itself,
		 "internal error: the worker process was killed by signal 6 (Aborted)"},
	};
	struct worker_report report;
	struct heard heard;
	struct err err;

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_false(run(cases[i].body, &heard, &report, &err));
		assert_string_equal(err.text, cases[i].sentence);
		free(report.result);
	}
	assert_true(run(send_nothing, &heard, &report, &err));
	assert_non_null(report.result);
	assert_int_equal(report.result_bytes, 0);
	free(report.result);
}

static void wait_for_the_wish(struct worker *worker, void *context)
{
	(void)context;
	while (!worker_should_stop(worker))
		usleep(1000);
	worker_note_progress(worker, atomic_load(&worker->page->stop));
}

/* One that is stopped needs no result. */
static void a_timeout_is_no_failure(void **unused)
{
	const struct worker_task task = {.body = wait_for_the_wish, .timeout_seconds = 0.05};
	struct worker_report report;
	struct err err;

	(void)unused;
	assert_true(worker_run(&task, &report, &err));
	assert_null(report.result);
	assert_int_equal(report.stop, WORKER_TIMEOUT);
	assert_int_equal(report.instructions, WORKER_TIMEOUT);
}

static void interrupt_the_parent(struct worker *worker, void *context)
{
	(void)context;
	while (!worker_should_stop(worker))
		usleep(1000);
	worker_note_progress(worker, atomic_load(&worker->page->stop));
	worker_send_result(worker, "part", 4);
}

static bool send_signal(void *context, struct err *err)
{
	(void)err;
	kill(getppid(), *(const int *)context);
	return true;
}

static void an_interrupt_is_passed_on(void **unused)
{
	static const int signals[] = {SIGINT, SIGTERM};
	struct worker_report report;
	struct err err;

	(void)unused;
	for (unsigned i = 0; i < 2; i++) {
		int number = signals[i];
		const struct worker_task task = {
			.body = interrupt_the_parent, .prepare = send_signal, .context = &number};

		assert_true(worker_run(&task, &report, &err));
		assert_int_equal(report.stop, WORKER_INTERRUPTED);
		assert_int_equal(report.instructions, WORKER_INTERRUPTED);
		assert_int_equal(report.result_bytes, 4);
		free(report.result);
	}
}

static void say_where(struct worker *worker, void *context)
{
	(void)context;
	(void)!write(STDOUT_FILENO, "output", 6);
	(void)!write(STDERR_FILENO, "errors", 6);
	worker_send_result(worker, "", 0);
}

static void assert_holds(int fd, const char *text)
{
	char bytes[32] = "";

	assert_int_equal(pread(fd, bytes, sizeof(bytes) - 1, 0), strlen(text));
	assert_string_equal(bytes, text);
	assert_int_equal(ftruncate(fd, 0), 0);
	lseek(fd, 0, SEEK_SET);
}

static int in_memory(void)
{
	char name[] = "/tmp/worker-XXXXXX";
	int fd = mkstemp(name);

	unlink(name);
	return fd;
}

static void streams_are_directed(void **unused)
{
	int first = in_memory(), second = in_memory();
	int output = dup(STDOUT_FILENO), errors = dup(STDERR_FILENO);
	struct worker_report report;
	struct err err;

	(void)unused;
	/* Each to its own. */
	struct worker_task task = {.body = say_where, .output = first, .errors = second};
	assert_true(worker_run(&task, &report, &err));
	free(report.result);
	assert_holds(first, "output");
	assert_holds(second, "errors");
	/* The output goes where the parent's errors go, while the errors go elsewhere. */
	fflush(NULL);
	dup2(first, STDERR_FILENO);
	task = (struct worker_task){.body = say_where, .output = STDERR_FILENO, .errors = second};
	assert_true(worker_run(&task, &report, &err));
	dup2(errors, STDERR_FILENO);
	free(report.result);
	assert_holds(first, "output");
	assert_holds(second, "errors");
	/* And the other way round. */
	fflush(NULL);
	dup2(first, STDOUT_FILENO);
	task = (struct worker_task){.body = say_where, .output = second, .errors = STDOUT_FILENO};
	bool ok = worker_run(&task, &report, &err);
	dup2(output, STDOUT_FILENO);
	assert_true(ok);
	free(report.result);
	assert_holds(first, "errors");
	assert_holds(second, "output");
	/* A descriptor that is not open. */
	task = (struct worker_task){.body = say_where, .output = 999};
	assert_false(worker_run(&task, &report, &err));
	assert_string_equal(err.text, "cannot direct the program's output: Bad file descriptor");
	close(first);
	close(second);
	close(output);
	close(errors);
}

static void read_what_is_there(void *context)
{
	struct heard *heard = context;
	char byte;

	assert_int_equal(read(heard->descriptor, &byte, 1), 1);
	assert_int_equal(byte, 'x');
	heard->ready++;
}

static void send_late(struct worker *worker, void *context)
{
	(void)context;
	usleep(30000);
	worker_send_result(worker, "r", 1);
}

static void a_watched_descriptor_is_reported(void **unused)
{
	struct heard heard = {.ready = 0};
	struct worker_report report;
	struct err err;
	int ends[2];

	(void)unused;
	assert_true(worker_pipe(ends));
	assert_true(ends[0] > STDERR_FILENO && ends[1] > STDERR_FILENO);
	assert_int_equal(fcntl(ends[0], F_GETFD), FD_CLOEXEC);
	assert_int_equal(write(ends[1], "x", 1), 1);
	heard.descriptor = ends[0];
	const struct worker_task task = {.body = send_late,
					 .ready = read_what_is_there,
					 .watched = ends[0],
					 .context = &heard};
	assert_true(worker_run(&task, &report, &err));
	assert_int_equal(heard.ready, 1);
	free(report.result);
	close(ends[0]);
	close(ends[1]);
}

/* In a process that has no descriptors at all, the ends are the first above the standard ones. */
static void pipes_leave_the_standard_descriptors_free(void **unused)
{
	int status = 0;
	pid_t child = fork();

	(void)unused;
	if (child == 0) {
		int ends[2];

		for (int fd = 0; fd < 1024; fd++)
			close(fd);
		_exit(!worker_pipe(ends) ? 1 : ends[0] != 3 ? 2 : ends[1] != 4 ? 3 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static bool limit_files(void *context, struct err *err)
{
	const struct rlimit limit = {10, 10};

	(void)context, (void)err;
	return setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

/* What would end a process is an error for the guest. */
static void write_where_it_cannot(struct worker *worker, void *context)
{
	const int *fds = context;
	int reasons[2] = {0, 0};

	raise(SIGINT);
	if (write(fds[0], "0123456789abcdef", 16) == 10 && write(fds[0], "x", 1) < 0)
		reasons[0] = errno;
	if (write(fds[1], "x", 1) < 0)
		reasons[1] = errno;
	worker_send_result(worker, reasons, sizeof(reasons));
}

static void signals_of_writing_are_errors(void **unused)
{
	int ends[2], reasons[2];
	struct worker_report report;
	struct err err;

	(void)unused;
	assert_true(worker_pipe(ends));
	close(ends[0]);
	int fds[2] = {in_memory(), ends[1]};
	const struct worker_task task = {
		.body = write_where_it_cannot, .prepare = limit_files, .context = fds};
	assert_true(worker_run(&task, &report, &err));
	assert_int_equal(report.result_bytes, sizeof(reasons));
	memcpy(reasons, report.result, sizeof(reasons));
	assert_int_equal(reasons[0], EFBIG);
	assert_int_equal(reasons[1], EPIPE);
	free(report.result);
	close(fds[0]);
	close(fds[1]);
}

/* ---- many ---- */

#define TASKS 7

struct pool {
	size_t numbers[TASKS];
	void (*body)(struct worker *, void *);
	size_t special; /* the number that has this body */
	double timeout_seconds;
	size_t done[TASKS], refused; /* a result that is refused; TASKS: none */
	size_t count, progress;
};

static void send_number(struct worker *worker, void *context)
{
	static char many[200000];
	size_t number = *(const size_t *)context;

	/* More than a pipe holds at once. */
	memset(many, 'a' + (int)number, sizeof(many));
	worker_send_result(worker, many, number == 5 ? sizeof(many) : number);
}

static struct pool *current; /* for the tasks, whose context is their number */

static void make_task(void *context, size_t i, struct worker_task *task)
{
	struct pool *pool = context;

	pool->numbers[i] = i;
	task->body = i == pool->special ? pool->body : send_number;
	task->timeout_seconds = i == pool->special ? pool->timeout_seconds : 0;
	task->context = &pool->numbers[i];
}

static bool take_done(void *context, size_t i, const char *result, size_t bytes, struct err *err)
{
	struct pool *pool = context;

	assert_ptr_equal(pool, current);
	assert_int_equal(bytes, i == 5 ? 200000 : i);
	for (size_t k = 0; k < bytes; k++)
		if (result[k] != 'a' + (int)i)
			fail_msg("byte %zu of %zu", k, i);
	pool->done[i]++;
	pool->count++;
	if (i == pool->refused) {
		err_set(err, "number %zu is refused", i);
		return false;
	}
	return true;
}

static void note_progress(void *context, size_t done)
{
	struct pool *pool = context;

	assert_true(done >= pool->progress && done <= TASKS);
	pool->progress = done;
}

static bool run_pool(struct pool *pool, unsigned at_once, bool *interrupted, struct err *err)
{
	const struct worker_pool workers = {.task = make_task,
					    .done = take_done,
					    .progress = note_progress,
					    .context = pool,
					    .count = TASKS,
					    .at_once = at_once};

	current = pool;
	err->text[0] = 0;
	return worker_pool_run(&workers, interrupted, err);
}

static void all_are_done_once(void **unused)
{
	struct err err;
	bool interrupted = true;

	(void)unused;
	for (unsigned at_once = 1; at_once <= 9; at_once += 4) {
		struct pool pool = {.special = TASKS, .refused = TASKS};

		assert_true(run_pool(&pool, at_once, &interrupted, &err));
		assert_false(interrupted);
		for (size_t i = 0; i < TASKS; i++)
			assert_int_equal(pool.done[i], 1);
		assert_int_equal(pool.progress, TASKS);
	}
}

static void send_failure(struct worker *worker, void *context)
{
	(void)context;
	worker_send_error(worker, "it failed");
}

static void kill_the_waiter(struct worker *worker, void *context)
{
	(void)worker, (void)context;
	pause();
}

static bool die_with_parent(void *context, struct err *err)
{
	(void)context, (void)err;
	kill(getppid(), SIGKILL);
	return true;
}

static void make_dying_task(void *context, size_t i, struct worker_task *task)
{
	make_task(context, i, task);
	task->prepare = die_with_parent;
	task->body = kill_the_waiter;
}

static void one_failure_ends_the_rest(void **unused)
{
	struct err err;
	bool interrupted = true;

	(void)unused;
	/* One at a time: those before it are done, those after it are not begun. */
	struct pool pool = {.special = 2, .body = send_failure, .refused = TASKS};
	assert_false(run_pool(&pool, 1, &interrupted, &err));
	assert_string_equal(err.text, "it failed");
	assert_false(interrupted);
	assert_int_equal(pool.count, 2);
	/* A result that is refused. */
	pool = (struct pool){.special = TASKS, .refused = 3};
	assert_false(run_pool(&pool, 1, &interrupted, &err));
	assert_string_equal(err.text, "number 3 is refused");
	assert_int_equal(pool.count, 4);
	/* One that takes too long. */
	pool = (struct pool){
		.special = 1, .body = wait_for_the_wish, .timeout_seconds = 0.02, .refused = TASKS};
	assert_false(run_pool(&pool, 1, &interrupted, &err));
	assert_string_equal(err.text, "a simulation was stopped by --timeout before it was done");
	assert_int_equal(pool.count, 1);
	/* One whose waiter is killed. */
	const struct worker_pool workers = {.task = make_dying_task,
					    .done = take_done,
					    .context = &pool,
					    .count = 1,
					    .at_once = 1};
	assert_false(worker_pool_run(&workers, &interrupted, &err));
	assert_string_equal(err.text, "a worker process died");
}

static void interrupt_everybody(struct worker *worker, void *context)
{
	wait_for_the_wish(worker, context);
}

static pid_t the_parent;

static bool interrupt_the_pool(void *context, struct err *err)
{
	(void)context, (void)err;
	kill(the_parent, SIGINT);
	return true;
}

static void make_interrupting_task(void *context, size_t i, struct worker_task *task)
{
	make_task(context, i, task);
	if (i == 1) {
		task->prepare = interrupt_the_pool;
		task->body = interrupt_everybody;
	}
}

static void an_interrupt_ends_the_rest(void **unused)
{
	struct pool pool = {.special = TASKS, .refused = TASKS};
	const struct worker_pool workers = {.task = make_interrupting_task,
					    .done = take_done,
					    .context = &pool,
					    .count = TASKS,
					    .at_once = 1};
	struct err err;
	bool interrupted = false;

	(void)unused;
	current = &pool;
	the_parent = getpid();
	assert_true(worker_pool_run(&workers, &interrupted, &err));
	assert_true(interrupted);
	assert_int_equal(pool.count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_arrive_in_order),
		cmocka_unit_test(ends_have_their_sentences),
		cmocka_unit_test(a_timeout_is_no_failure),
		cmocka_unit_test(an_interrupt_is_passed_on),
		cmocka_unit_test(streams_are_directed),
		cmocka_unit_test(a_watched_descriptor_is_reported),
		cmocka_unit_test(pipes_leave_the_standard_descriptors_free),
		cmocka_unit_test(signals_of_writing_are_errors),
		cmocka_unit_test(all_are_done_once),
		cmocka_unit_test(one_failure_ends_the_rest),
		cmocka_unit_test(an_interrupt_ends_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
