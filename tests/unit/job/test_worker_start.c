/* A worker that cannot be started: each call on the way in turn. It says why, no descriptor stays
 * open, and signals are as they were. */
#include "../test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "../replace.h"
#include "base/array.h"
#include "job/worker.h"

/* The next call of these fails. */
static enum call { NONE, MMAP, PIPE, FIRST_COPY, SECOND_COPY, SIGNALS, FORK, CALLS } fails;

static bool is(enum call call)
{
	errno = EMFILE;
	return fails == call;
}

REPLACED(mmap);

static void *map(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	return flags & MAP_SHARED && is(MMAP)
		       ? MAP_FAILED
		       : __real_mmap(at, bytes, protection, flags, fd, offset);
}
REPLACE(mmap, map);

REPLACED(pipe2);

static int make_pipe(int ends[2], int flags)
{
	return is(PIPE) ? -1 : __real_pipe2(ends, flags);
}
REPLACE(pipe2, make_pipe);

REPLACED(fcntl);

static int control(int fd, int command, ...)
{
	static unsigned copies;
	va_list ap;

	va_start(ap, command);
	const int argument = va_arg(ap, int);
	va_end(ap);
	if (command == F_DUPFD_CLOEXEC && is(copies++ % 2 ? SECOND_COPY : FIRST_COPY))
		return -1;
	return __real_fcntl(fd, command, argument);
}
REPLACE(fcntl, control);

REPLACED(signalfd);

static int watch(int fd, const sigset_t *set, int flags)
{
	return is(SIGNALS) ? -1 : __real_signalfd(fd, set, flags);
}
REPLACE(signalfd, watch);

REPLACED(fork);

static pid_t make_process(void)
{
	return is(FORK) ? -1 : __real_fork();
}
REPLACE(fork, make_process);

/* Answers with the context. */
static void answer(struct worker *worker, void *context)
{
	worker_send_result(worker, context, strlen(context));
}

static unsigned count_open(void)
{
	unsigned count = 0;

	for (int fd = 0; fd < 64; fd++)
		count += __real_fcntl(fd, F_GETFD, 0) >= 0;
	return count;
}

TEST(what_cannot_be_made_is_told_and_given_back)
{
	static const char *const sentences[CALLS] = {
		[MMAP] = "cannot share a page with the worker process: Too many open files",
		[PIPE] = "cannot make a pipe to the worker process: Too many open files",
		[FIRST_COPY] = "cannot make a pipe to the worker process: Too many open files",
		[SECOND_COPY] = "cannot make a pipe to the worker process: Too many open files",
		[SIGNALS] = "cannot watch for signals: Too many open files",
		[FORK] = "cannot start the worker process: Too many open files",
	};
	static char text[] = "an answer";
	const struct worker_task task = {.body = answer, .context = text};
	struct worker_report report;
	struct err err;
	sigset_t set;

	for (int call = MMAP; call < CALLS; call++) {
		const unsigned before = count_open();

		fails = (enum call)call;
		assert_false(worker_run(&task, &report, &err));
		fails = NONE;
		assert_string_equal(err.text, sentences[call]);
		assert_null(report.result);
		assert_int_equal(count_open(), before);
		sigprocmask(SIG_BLOCK, NULL, &set);
		assert_false(sigismember(&set, SIGINT) || sigismember(&set, SIGHUP));
	}
	assert_true(worker_run(&task, &report, &err));
	assert_int_equal(report.result_bytes, strlen(text));
	assert_memory_equal(report.result, text, strlen(text));
	free(report.result);
}

/* A SIGHUP that is ignored, as nohup does, is not watched for; others are, and what came and was
 * not read is forgotten. */
TEST(signals_are_watched_unless_they_are_ignored)
{
	struct signalfd_siginfo info;
	sigset_t before, set;
	struct err err;

	signal(SIGHUP, SIG_IGN);
	int fd = worker_watch_signals(&before, &err);
	assert_true(fd >= 0);
	raise(SIGHUP);
	assert_int_equal(read(fd, &info, sizeof(info)), -1);
	raise(SIGTERM);
	assert_int_equal(read(fd, &info, sizeof(info)), sizeof(info));
	assert_int_equal(info.ssi_signo, SIGTERM);
	raise(SIGINT);
	raise(SIGTERM);
	worker_unwatch_signals(fd, &before);
	sigpending(&set);
	assert_false(sigismember(&set, SIGINT) || sigismember(&set, SIGTERM));
	signal(SIGHUP, SIG_DFL);
	fd = worker_watch_signals(&before, &err);
	raise(SIGHUP);
	assert_int_equal(read(fd, &info, sizeof(info)), sizeof(info));
	assert_int_equal(info.ssi_signo, SIGHUP);
	worker_unwatch_signals(fd, &before);
}
