/* What a worker sends and how it ends, one and many at a time. */
#include "../test.h"

#include <fcntl.h>
#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job/worker.h"

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

TEST(frames_arrive_in_order)
{
	struct worker_report report;
	struct heard heard;
	struct err err;

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
	worker_send_error(worker, &(const struct err){"it did not work", ERR_USAGE});
}

/* Two that an honest child does not send. */
static void send_error_of_no_kind(struct worker *worker, void *context)
{
	static const struct {
		uint32_t kind, bytes;
		char text[4];
	} frame = {'e', 4, {(char)200, 'o', 'd', 'd'}};

	(void)context;
	(void)!write(worker->to_parent, &frame, sizeof(frame));
}

static void send_empty_error(struct worker *worker, void *context)
{
	static const uint32_t frame[] = {'e', 0};

	(void)context;
	(void)!write(worker->to_parent, frame, sizeof(frame));
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

static void crash_in_a_library(struct worker *worker, void *context)
{
	(void)context;
	worker_note_reading(worker, true);
	signal(SIGSEGV, SIG_DFL); /* the test's own handler would take it */
	raise(SIGSEGV);
}

static void exit_in_a_library(struct worker *worker, void *context)
{
	(void)context;
	worker_note_reading(worker, true);
	_exit(1);
}

static void be_killed_in_a_library(struct worker *worker, void *context)
{
	(void)context;
	worker_note_reading(worker, true);
	raise(SIGKILL);
}

static void crash_behind_a_library(struct worker *worker, void *context)
{
	worker_note_reading(worker, true);
	worker_note_reading(worker, false);
	abort_itself(worker, context);
}

static void stay_in_a_library(struct worker *worker, void *context)
{
	(void)context;
	worker_note_reading(worker, true);
	for (;;)
		usleep(1000);
}

TEST(reading_has_a_limit)
{
	const struct worker_task task = {.body = stay_in_a_library, .reading_seconds = 0.5};
	struct worker_report report;
	struct err err;

	assert_false(worker_run(&task, &report, &err));
	assert_string_equal(
		err.text, "reading the program's symbols and debugging information takes longer "
			  "than 0.5 s: the file is damaged; build it again, or strip the program");
}

TEST(ends_have_their_sentences)
{
	static const struct {
		void (*body)(struct worker *, void *);
		const char *sentence;
		enum err_kind kind;
	} cases[] = {
		{send_error, "it did not work", ERR_USAGE},
		{send_error_of_no_kind, "odd", ERR_TOOL},
		{send_empty_error, "", ERR_TOOL},
		{end_as_if_out_of_memory,
		 "the run was ended: beside the program's own memory (--memory) it needs more than "
		 "the 4 GB that the tool allows itself",
		 ERR_TOOL},
		{end_early,
		 "internal error: the worker process ended (status 124) without a result",
		 ERR_TOOL},
		{be_killed,
		 "the run was killed from outside (SIGKILL): by a user, or by the kernel "
		 "because the machine ran out of memory",
		 ERR_TOOL},
		{abort_itself,
		 "internal error: the worker process was killed by signal 6 (Aborted)", ERR_TOOL},
		{crash_in_a_library,
		 "the program's symbols or debugging information cannot be read (Segmentation "
		 "fault in libelf or libdw): the file is damaged; build it again, or strip the "
		 "program",
		 ERR_INPUT},
		{exit_in_a_library,
		 "the program's symbols or debugging information cannot be read (an exit in "
		 "libelf or libdw): the file is damaged; build it again, or strip the program",
		 ERR_INPUT},
		{be_killed_in_a_library,
		 "the run was killed from outside (SIGKILL): by a user, or by the kernel "
		 "because the machine ran out of memory",
		 ERR_TOOL},
		{crash_behind_a_library,
		 "internal error: the worker process was killed by signal 6 (Aborted)", ERR_TOOL},
	};
	struct worker_report report;
	struct heard heard;
	struct err err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_false(run(cases[i].body, &heard, &report, &err));
		assert_string_equal(err.text, cases[i].sentence);
		assert_int_equal(err.kind, cases[i].kind);
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
TEST(a_timeout_is_no_failure)
{
	const struct worker_task task = {.body = wait_for_the_wish, .timeout_seconds = 0.05};
	struct worker_report report;
	struct err err;

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

TEST(an_interrupt_is_passed_on)
{
	static const int signals[] = {SIGINT, SIGTERM};
	struct worker_report report;
	struct err err;

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

TEST(streams_are_directed)
{
	int first = in_memory(), second = in_memory();
	int output = dup(STDOUT_FILENO), errors = dup(STDERR_FILENO);
	struct worker_report report;
	struct err err;

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

TEST(a_watched_descriptor_is_reported)
{
	struct heard heard = {.ready = 0};
	struct worker_report report;
	struct err err;
	int ends[2];

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
TEST(pipes_leave_the_standard_descriptors_free)
{
	int status = 0;
	pid_t child = fork();

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

TEST(signals_of_writing_are_errors)
{
	int ends[2], reasons[2];
	struct worker_report report;
	struct err err;

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
