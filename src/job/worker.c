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

#define FRAME_LIMIT		 (UINT32_C(1) << 29)
#define TICK_MS			 200
#define PATIENCE_SECONDS	 2 /* after asking the child to stop */
#define PATIENCE_AT_WORK_SECONDS 30.0
#define AT_WORK_SECONDS		 0.005 /* of processor time between two looks */
#define STOPPING_SECONDS	 1     /* of processor time, to stop and to send the result */
#define READING_SECONDS		 120

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

/* The kind, then the sentence. */
void worker_send_error(struct worker *worker, const struct err *err)
{
	char bytes[1 + ERR_TEXT_BYTES] = {(char)err->kind};
	const size_t length = strlen(err->text);

	memcpy(bytes + 1, err->text, length);
	send_frame(worker, FRAME_ERROR, bytes, 1 + length);
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
		worker_send_error(worker, &err);
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

static const int asking_to_stop[] = {SIGINT, SIGTERM, SIGHUP};

/* In the child, before it unblocks them: the parent tells it through the page. */
static void ignore_signals(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(asking_to_stop); i++)
		signal(asking_to_stop[i], SIG_IGN);
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
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a write past the host's limit is EFBIG for the guest */
	if (direct_streams(task, &err) && (!task->prepare || task->prepare(task->context, &err)) &&
	    jail_enter(task->mounts, task->mount_count, task->copies, &err))
		task->body(&worker, task->context);
	else
		worker_send_error(&worker, &err);
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
	/* When a child that was asked to stop is killed, unless it is at work; when it is in any
	 * case, if it has not seen the wish, and if it has; 0: not asked. The processor time it had
	 * used when it was asked, and when that was last looked at. */
	double kill_at, kill_at_first, kill_at_last, used_before, used_seconds;
	double seen_at, reading_seconds; /* since when, and how long debug information was read */
	bool has_error;
	/* The frame that is coming in, of which `received` bytes are there, header included. */
	struct frame_header header;
	char *bytes;
	size_t received;
};

/* A child that is not honest gets a kind, as it gets a sentence. */
static void take_error(const char *bytes, size_t size, struct err *err)
{
	const unsigned char kind = size ? (unsigned char)bytes[0] : ERR_TOOL;

	err_set(err, "%s", size ? bytes + 1 : "");
	err_change_kind(err, kind < ERR_KINDS ? (enum err_kind)kind : ERR_TOOL);
}

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
		take_error(bytes, l->header.bytes, err);
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
		return err_tool(err, "the worker process sent nonsense");
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

/* Processor time that a child has used; 0 if the host does not tell. */
static double child_seconds(pid_t child)
{
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &time) != 0)
		return 0;
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* A child that waits uses no processor time. One that is at work sees the wish to stop soon, and
 * then writes its result, which takes long on a busy host, but not more of its own time. */
static void end_patience(struct listener *l)
{
	const double now = now_seconds(), used = child_seconds(l->child);
	const bool is_stopping = atomic_load(&l->page->is_stopping);
	const double last = is_stopping ? l->kill_at_last : l->kill_at_first;

	if (used < l->used_seconds + AT_WORK_SECONDS || used > l->used_before + STOPPING_SECONDS ||
	    now >= last) {
		kill(l->child, SIGKILL);
		return;
	}
	l->used_seconds = used;
	l->kill_at = now + PATIENCE_SECONDS / 4.0;
}

static void ask_to_stop(struct listener *l, enum worker_stop why)
{
	if (l->report->stop != WORKER_GO_ON)
		return;
	l->report->stop = why;
	l->kill_at = now_seconds() + PATIENCE_SECONDS;
	l->kill_at_first = l->kill_at + PATIENCE_SECONDS / 2.0;
	l->kill_at_last = now_seconds() + PATIENCE_AT_WORK_SECONDS;
	l->used_before = l->used_seconds = child_seconds(l->child);
	atomic_store(&l->page->stop, why);
}

static double reading_limit(const struct listener *l)
{
	return l->task->reading_seconds > 0 ? l->task->reading_seconds : READING_SECONDS;
}

/* Ends a child that reads debugging information for too long. */
static void watch_reading(struct listener *l)
{
	double now = now_seconds();

	if (l->seen_at > 0 && atomic_load(&l->page->reads_debug))
		l->reading_seconds += now - l->seen_at;
	l->seen_at = now;
	if (l->reading_seconds > reading_limit(l))
		kill(l->child, SIGKILL);
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
			end_patience(l);
		watch_reading(l);
		if (ready != 0)
			continue;
		l->report->instructions = atomic_load(&l->page->instructions);
		if (l->task->progress && l->report->stop == WORKER_GO_ON)
			l->task->progress(l->task->context, l->report->instructions);
	}
}

/* Whether a child ended because of the symbols and debugging information that it was reading. */
static bool died_reading(const struct listener *l, int status)
{
	bool is_other = WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL
					    : WEXITSTATUS(status) == STATUS_TOOL;

	return l->reading_seconds > reading_limit(l) ||
	       (atomic_load(&l->page->reads_debug) && !is_other);
}

static bool fail_reading(const struct listener *l, int status, struct err *err)
{
	const char *hint = "the file is damaged; build it again, or strip the program";

	if (l->reading_seconds > reading_limit(l))
		return err_set(err,
			       "reading the program's symbols and debugging information takes "
			       "longer than %g s: %s",
			       reading_limit(l), hint);
	return err_set(err,
		       "the program's symbols or debugging information cannot be read (%s in "
		       "libelf or libdw): %s",
		       WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "an exit", hint);
}

static bool judge_end(struct listener *l, int status, struct err *err)
{
	if (l->has_error)
		return false;
	if (l->report->result || l->report->stop != WORKER_GO_ON)
		return true;
	if (died_reading(l, status))
		return fail_reading(l, status, err);
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_TOOL)
		return err_tool(err,
				"the run was ended: beside the program's own memory (--memory) it "
				"needs more than the %u GB that the tool allows itself",
				(unsigned)(JAIL_TOOL_BYTES >> 30));
	l->report->is_lost = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	if (l->report->is_lost)
		return err_tool(err,
				"the run was killed from outside (SIGKILL): by a user, or by the "
				"kernel because the machine ran out of memory");
	if (WIFSIGNALED(status))
		return err_tool(err,
				"internal error: the worker process was killed by signal %d (%s)",
				WTERMSIG(status), strsignal(WTERMSIG(status)));
	return err_tool(err,
			"internal error: the worker process ended (status %d) without a result",
			WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

int worker_watch_signals(sigset_t *before, struct err *err)
{
	struct sigaction hangup;
	sigset_t watched;

	sigemptyset(&watched);
	for (size_t i = 0; i < ARRAY_COUNT(asking_to_stop); i++)
		sigaddset(&watched, asking_to_stop[i]);
	if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler == SIG_IGN)
		sigdelset(&watched, SIGHUP);
	sigprocmask(SIG_BLOCK, &watched, before);
	int fd = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd >= 0)
		return fd;
	err_set_errno(err, errno, "cannot watch for signals");
	sigprocmask(SIG_SETMASK, before, NULL);
	return -1;
}

void worker_unwatch_signals(int fd, const sigset_t *before)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == sizeof(info))
		;
	close(fd);
	sigprocmask(SIG_SETMASK, before, NULL);
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
		ignore_signals();
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
	worker_unwatch_signals(l.signals, &before);
	munmap(page, sizeof(*page));
	return ok;
}
