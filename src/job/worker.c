#include "job/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "job/jail.h"

#define FRAME_LIMIT	 (UINT32_C(1) << 29)
#define TICK_MS		 200
#define PATIENCE_SECONDS 2 /* after asking the child to stop */

#define STATUS_TOOL 125 /* of a child that ran out of memory */

enum frame_kind { FRAME_WARNING = 'w', FRAME_ERROR = 'e', FRAME_DATA = 'd', FRAME_RESULT = 'r' };

struct frame_header {
	uint32_t kind;
	uint32_t bytes;
};

static bool write_all(int fd, const void *from, size_t bytes)
{
	const uint8_t *p = from;

	while (bytes) {
		ssize_t put = write(fd, p, bytes);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		p += put;
		bytes -= (size_t)put;
	}
	return true;
}

static void send_frame(struct worker *worker, enum frame_kind kind, const void *bytes, size_t size)
{
	struct frame_header header = {kind, (uint32_t)size};

	/* Without a parent that reads, nothing is left to do. */
	if (!write_all(worker->to_parent, &header, sizeof(header)) ||
	    !write_all(worker->to_parent, bytes, size))
		_exit(1);
}

void worker_send_warning(struct worker *worker, const char *sentence)
{
	send_frame(worker, FRAME_WARNING, sentence, strlen(sentence));
}

void worker_send_error(struct worker *worker, const char *sentence)
{
	send_frame(worker, FRAME_ERROR, sentence, strlen(sentence));
}

void worker_send_data(struct worker *worker, const void *bytes, size_t size)
{
	send_frame(worker, FRAME_DATA, bytes, size);
}

void worker_send_result(struct worker *worker, const void *bytes, size_t size)
{
	struct err err;

	if (size <= FRAME_LIMIT) {
		send_frame(worker, FRAME_RESULT, bytes, size);
	} else {
		err_set(&err, "the result would take %zu MB, more than the %u MB a result may have",
			size >> 20, FRAME_LIMIT >> 20);
		worker_send_error(worker, err.text);
	}
}

bool worker_pipe(int ends[2])
{
	int made[2];

	if (pipe2(made, O_CLOEXEC) != 0)
		return false;
	/* The guest uses descriptors 0 to 2 as they are. */
	for (int i = 0; i < 2; i++)
		ends[i] = fcntl(made[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int reason = errno;
	close(made[0]);
	close(made[1]);
	if (ends[0] >= 0 && ends[1] >= 0)
		return true;
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
	errno = reason;
	return false;
}

/* A stream that takes the other's place is read before that place is changed. */
static bool direct_streams(const struct worker_task *task, struct err *err)
{
	bool output_first = task->output == STDERR_FILENO, ok = true;

	for (int i = 0; ok && i < 2; i++) {
		bool is_output = (i == 0) == output_first;
		int from = is_output ? task->output : task->errors;

		ok = !from || dup2(from, is_output ? STDOUT_FILENO : STDERR_FILENO) >= 0;
	}
	return ok ? true : err_set_errno(err, errno, "cannot direct the program's output");
}

static _Noreturn void run_child(const struct worker_task *task, struct worker_page *page,
				int to_parent, pid_t parent)
{
	struct worker worker = {page, to_parent};
	struct err err;

	jail_die_with(parent);
	signal(SIGINT, SIG_IGN); /* the parent tells us through the page */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a write past the host's limit is EFBIG for the guest */
	if (direct_streams(task, &err) && (!task->prepare || task->prepare(task->context, &err)) &&
	    jail_enter(task->mounts, task->mount_count, &err))
		task->body(&worker, task->context);
	else
		worker_send_error(&worker, err.text);
	_exit(0);
}

/* What the parent keeps while it listens. */
struct listener {
	const struct worker_task *task;
	struct worker_report *report;
	struct worker_page *page;
	int from_child;
	int signals;
	pid_t child;
	double kill_at; /* when a child that was asked to stop is killed; 0: not asked */
	bool has_error;
	/* The frame that is coming in, of which `received` bytes are there, header included. */
	struct frame_header header;
	char *bytes;
	size_t received;
};

/* Acts on a frame that is complete. */
static void take_frame(struct listener *l, struct err *err)
{
	char *bytes = l->bytes;

	l->bytes = NULL;
	l->received = 0;
	if (l->header.kind == FRAME_WARNING && l->task->warn)
		l->task->warn(l->task->context, bytes);
	if (l->header.kind == FRAME_DATA && l->task->data)
		l->task->data(l->task->context, bytes, l->header.bytes);
	if (l->header.kind == FRAME_ERROR) {
		l->has_error = true;
		err_set(err, "%s", bytes);
	}
	if (l->header.kind == FRAME_RESULT) {
		free(l->report->result);
		l->report->result = bytes;
		l->report->result_bytes = l->header.bytes;
		return;
	}
	free(bytes);
}

/* Reads what has come of a frame, without waiting for the rest. False when there is nothing more to
 * come. */
static bool receive(struct listener *l, struct err *err)
{
	const size_t header_bytes = sizeof(l->header);
	bool is_header = l->received < header_bytes;
	size_t end = is_header ? header_bytes : header_bytes + l->header.bytes;
	char *to = is_header ? (char *)&l->header + l->received
			     : l->bytes + (l->received - header_bytes);
	ssize_t got = read(l->from_child, to, end - l->received);

	if (got <= 0)
		return got < 0 && errno == EINTR;
	l->received += (size_t)got;
	if (l->received < end)
		return true;
	if (is_header && l->header.bytes > FRAME_LIMIT) {
		l->has_error = true;
		return err_set(err, "the worker process sent nonsense");
	}
	if (is_header)
		l->bytes = mem_alloc((size_t)l->header.bytes + 1);
	if (!is_header || !l->header.bytes)
		take_frame(l, err);
	return true;
}

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void ask_to_stop(struct listener *l, enum worker_stop why)
{
	if (l->report->stop != WORKER_GO_ON)
		return;
	l->report->stop = why;
	l->kill_at = now_seconds() + PATIENCE_SECONDS;
	atomic_store(&l->page->stop, why);
}

static void listen_to(struct listener *l, struct err *err)
{
	double deadline =
		l->task->timeout_seconds > 0 ? now_seconds() + l->task->timeout_seconds : 0;

	for (;;) {
		struct pollfd sources[3] = {{l->from_child, POLLIN, 0},
					    {l->signals, POLLIN, 0},
					    {l->task->watched ? l->task->watched : -1, POLLIN, 0}};
		int tick_ms = TICK_MS;

		if (deadline > 0 && l->report->stop == WORKER_GO_ON) {
			double left_ms = (deadline - now_seconds()) * 1000;

			tick_ms = left_ms < 1 ? 1 : left_ms < TICK_MS ? (int)left_ms : TICK_MS;
		}
		int ready = poll(sources, 3, tick_ms);
		if (sources[1].revents & POLLIN) {
			struct signalfd_siginfo info;

			if (read(l->signals, &info, sizeof(info)) == sizeof(info))
				ask_to_stop(l, WORKER_INTERRUPTED);
		}
		if (sources[2].revents)
			l->task->ready(l->task->context);
		if (sources[0].revents && !receive(l, err))
			return;
		if (deadline > 0 && now_seconds() >= deadline)
			ask_to_stop(l, WORKER_TIMEOUT);
		if (l->kill_at > 0 && now_seconds() >= l->kill_at)
			kill(l->child, SIGKILL);
		if (ready != 0)
			continue;
		l->report->instructions = atomic_load(&l->page->instructions);
		if (l->task->progress && l->report->stop == WORKER_GO_ON)
			l->task->progress(l->task->context, l->report->instructions);
	}
}

static bool judge_end(struct listener *l, int status, struct err *err)
{
	if (l->has_error)
		return false;
	if (l->report->result || l->report->stop != WORKER_GO_ON)
		return true;
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_TOOL)
		return err_set(err,
			       "the run was ended: beside the program's own memory (--memory) it "
			       "needs more than the %u GB that the tool allows itself",
			       (unsigned)(JAIL_TOOL_BYTES >> 30));
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return err_set(err,
			       "the run was killed from outside (SIGKILL): by a user, or by the "
			       "kernel because the machine ran out of memory");
	if (WIFSIGNALED(status))
		return err_set(err,
			       "internal error: the worker process was killed by signal %d (%s)",
			       WTERMSIG(status), strsignal(WTERMSIG(status)));
	return err_set(err, "internal error: the worker process ended (status %d) without a result",
		       WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

int worker_watch_signals(sigset_t *before, struct err *err)
{
	sigset_t watched;

	sigemptyset(&watched);
	sigaddset(&watched, SIGINT);
	sigaddset(&watched, SIGTERM);
	sigprocmask(SIG_BLOCK, &watched, before);
	int fd = signalfd(-1, &watched, SFD_CLOEXEC);
	if (fd >= 0)
		return fd;
	err_set_errno(err, errno, "cannot watch for signals");
	sigprocmask(SIG_SETMASK, before, NULL);
	return -1;
}

bool worker_run(const struct worker_task *task, struct worker_report *report, struct err *err)
{
	int pipe_ends[2], status = 0;
	sigset_t before;
	bool ok = true;

	*report = (struct worker_report){0};
	struct worker_page *page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return err_set_errno(err, errno, "cannot share a page with the worker process");
	if (!worker_pipe(pipe_ends)) {
		int reason = errno;

		munmap(page, sizeof(*page));
		return err_set_errno(err, reason, "cannot make a pipe to the worker process");
	}
	struct listener l = {.task = task, .report = report, .page = page};
	l.signals = worker_watch_signals(&before, err);
	if (l.signals < 0) {
		close(pipe_ends[0]);
		close(pipe_ends[1]);
		munmap(page, sizeof(*page));
		return false;
	}
	l.from_child = pipe_ends[0];
	fflush(NULL);
	pid_t parent = getpid();
	l.child = fork();
	if (l.child == 0) {
		close(pipe_ends[0]);
		close(l.signals);
		sigprocmask(SIG_SETMASK, &before, NULL);
		run_child(task, page, pipe_ends[1], parent);
	}
	int reason = errno;
	close(pipe_ends[1]);
	if (l.child < 0) {
		ok = err_set_errno(err, reason, "cannot start the worker process");
	} else {
		listen_to(&l, err);
		/* An honest child closes the pipe by ending; this ends any other. */
		kill(l.child, SIGKILL);
		while (waitpid(l.child, &status, 0) < 0 && errno == EINTR)
			;
		report->instructions = atomic_load(&page->instructions);
		report->time_ns = atomic_load(&page->time_ns);
		report->observer_time_ns = atomic_load(&page->observer_time_ns);
		ok = judge_end(&l, status, err);
	}
	free(l.bytes);
	close(pipe_ends[0]);
	close(l.signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	munmap(page, sizeof(*page));
	return ok;
}
