/*
 * pipe_steps.c - sequences on pipes that fill and drain.
 *
 * Workers read and write two pipes in all sizes, and wait where they must; descriptors become
 * non-blocking and back, are closed while somebody waits, and are opened anew. A line shows for
 * each pipe what poll says of both ends and how many bytes are in it, and for each returned call a
 * digest of what was read.
 *
 * At most one worker waits to read a pipe and one to write it: the kernel promises no order among
 * several. Each worker has a bell, a pipe of its own, which it may wait for right after its call:
 * what one call leaves behind must not show in the next.
 */
#define WORKERS 4
#include "sequence.h"
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/uio.h>

#define PIPES	     2
#define BUFFER_BYTES 140000
#define FIRST_FD     20
#define FIRST_BELL   40

/* The descriptors of pipe n are FIRST_FD + 2n and the next, whatever is behind them. */
static char buffers[WORKERS][BUFFER_BYTES];
/* What is written is a part of this. Its pages may be in a pipe, so they are never changed. */
static char constant[BUFFER_BYTES] __attribute__((aligned(PAGE)));
static struct iovec vectors[WORKERS][3];
static int broken; /* SIGPIPEs */
/* The descriptors that a worker uses, or -1. */
static int reads_from[WORKERS], writes_to[WORKERS];

static const unsigned sizes[] = {0,    1,    2,	   100,	  511,	 4000,	4095,  4096,
				 4097, 5000, 8192, 20000, 65535, 65536, 65537, 100000};

static int reader(int pipe)
{
	return FIRST_FD + 2 * pipe;
}

static int writer(int pipe)
{
	return FIRST_FD + 2 * pipe + 1;
}

static bool is_in_use(const int *list, int fd)
{
	for (int i = 0; i < WORKERS; i++)
		if (worker_is_busy(&workers[i]) && list[i] == fd)
			return true;
	return false;
}

/* The read end gets this number and the write end the next. */
static void make_pipe_at(int fd)
{
	int ends[2];

	if (pipe2(ends, 0))
		_exit(95);
	dup2(ends[0], fd);
	dup2(ends[1], fd + 1);
	close(ends[0]);
	close(ends[1]);
}

static int bell(int worker)
{
	return FIRST_BELL + 2 * worker;
}

static void make_pipe(int pipe)
{
	make_pipe_at(reader(pipe));
}

static void use(struct worker *worker, int from, int to)
{
	worker->bell = one_in(3) ? bell(worker_index(worker)) : -1;
	if (worker->bell >= 0)
		say("with bell, ");
	reads_from[worker_index(worker)] = from;
	writes_to[worker_index(worker)] = to;
}

static void fill(char *buffer, unsigned bytes)
{
	uint32_t start = sequence_random();

	for (unsigned i = 0; i < bytes; i++)
		buffer[i] = (char)((start + i) * 2654435761u >> 24);
}

static void step_read(void)
{
	struct worker *worker = worker_idle();
	int pipe = (int)below(PIPES), fd = reader(pipe);
	unsigned bytes = PICK(sizes);

	if (!worker || is_in_use(reads_from, fd))
		return;
	int at = worker_index(worker);
	use(worker, fd, -1);
	say("w%d reads %u of %d", at, bytes, pipe);
	if (one_in(4)) {
		say(" in three");
		for (int i = 0; i < 3; i++)
			vectors[at][i] = (struct iovec){buffers[at] + i * 40000, bytes % 40000};
		WORKER_CALL(worker, "read", SYS_readv, fd, (long)vectors[at], 3);
	} else {
		WORKER_CALL(worker, "read", SYS_read, fd, (long)buffers[at], bytes);
	}
}

static void step_write(void)
{
	struct worker *worker = worker_idle();
	int pipe = (int)below(PIPES), fd = writer(pipe);
	unsigned bytes = PICK(sizes);

	if (!worker || is_in_use(writes_to, fd))
		return;
	int at = worker_index(worker);
	use(worker, -1, fd);
	const char *from = constant + below(PAGE);
	say("w%d writes %u to %d", at, bytes, pipe);
	if (one_in(4)) {
		say(" in three");
		for (int i = 0; i < 3; i++)
			vectors[at][i] = (struct iovec){(char *)from + i * 100, bytes % 40000};
		WORKER_CALL(worker, "write", SYS_writev, fd, (long)vectors[at], 3);
	} else {
		WORKER_CALL(worker, "write", SYS_write, fd, (long)from, bytes);
	}
}

static void step_move(void)
{
	struct worker *worker = worker_idle();
	int pipe = (int)below(PIPES), from = reader(pipe), to = writer(PIPES - 1 - pipe);
	unsigned bytes = PICK(sizes), flags = one_in(2) ? SPLICE_F_NONBLOCK : 0;
	bool is_tee = one_in(2);

	if (!worker || is_in_use(reads_from, from) || is_in_use(writes_to, to))
		return;
	use(worker, from, to);
	say("w%d %s %u from %d%s", worker_index(worker), is_tee ? "copies" : "moves", bytes, pipe,
	    flags ? " without waiting" : "");
	if (is_tee)
		WORKER_CALL(worker, "tee", SYS_tee, from, to, bytes, flags);
	else
		WORKER_CALL(worker, "splice", SYS_splice, from, 0, to, 0, bytes, flags);
}

static void step_give(void)
{
	struct worker *worker = worker_idle();
	int pipe = (int)below(PIPES), fd = writer(pipe);
	unsigned bytes = PICK(sizes), flags = one_in(2) ? SPLICE_F_NONBLOCK : 0;

	if (!worker || is_in_use(writes_to, fd))
		return;
	int at = worker_index(worker);
	use(worker, -1, fd);
	vectors[at][0] = (struct iovec){constant + below(100), bytes};
	say("w%d gives %u to %d%s", at, bytes, pipe, flags ? " without waiting" : "");
	WORKER_CALL(worker, "vmsplice", SYS_vmsplice, fd, (long)vectors[at], 1, flags);
}

static void step_toggle(void)
{
	int fd = FIRST_FD + (int)below(2 * PIPES);
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return;
	say("%s %d", flags & O_NONBLOCK ? "blocking" : "non-blocking", fd - FIRST_FD);
	say_result(" = ", fcntl(fd, F_SETFL, flags ^ O_NONBLOCK));
}

static void step_close(void)
{
	int fd = FIRST_FD + (int)below(2 * PIPES);

	if (!one_in(3))
		return;
	say("close %d", fd - FIRST_FD);
	say_result(" = ", close(fd));
}

static void step_open(void)
{
	int pipe = (int)below(PIPES);

	if (fcntl(reader(pipe), F_GETFL) >= 0 && fcntl(writer(pipe), F_GETFL) >= 0 && !one_in(20))
		return;
	say("open %d", pipe);
	make_pipe(pipe);
}

static void step_resize(void)
{
	static const int limits[] = {4096, 5000, 8192, 16384, 65536, 100000, 131072};
	int pipe = (int)below(PIPES), bytes = PICK(limits);

	if (!one_in(3))
		return;
	say("size of %d for %d", bytes, pipe);
	say_result(" = ", fcntl(reader(pipe), F_SETPIPE_SZ, bytes));
}

static void step_signal(void)
{
	struct worker *worker = &workers[below(WORKERS)];
	bool restarts = one_in(2);

	if (!worker_is_busy(worker))
		return;
	say("signal w%d%s", worker_index(worker), restarts ? ", which restarts" : "");
	syscall(SYS_tgkill, getpid(), worker->tid, restarts ? SIGUSR2 : SIGUSR1);
	worker_settle();
}

static void step_ring(void)
{
	int worker = (int)below(WORKERS);

	if (!worker_is_busy(&workers[worker]) || workers[worker].bell < 0)
		return;
	say("ring w%d", worker);
	say_result(" = ", write(bell(worker) + 1, "x", 1));
}

static void on_signal(int number)
{
	if (number == SIGPIPE)
		__atomic_add_fetch(&broken, 1, __ATOMIC_SEQ_CST);
}

/* Of much, one byte in 61 is enough: what is written has no period. */
static uint32_t digest(const char *bytes, size_t count)
{
	const size_t stride = count > 8192 ? 61 : 1;
	uint32_t sum = 2166136261u;

	for (size_t i = 0; i < count; i += stride)
		sum = (sum ^ (unsigned char)bytes[i]) * 16777619u;
	return sum;
}

/* What was read, whether into one range or three. */
static void say_read(int worker)
{
	const struct worker *from = &workers[worker];
	size_t left = from->result > 0 ? (size_t)from->result : 0;

	if (from->number == SYS_read) {
		say(" %08x", digest(buffers[worker], left));
		return;
	}
	for (int i = 0; i < 3; i++) {
		size_t part = vectors[worker][i].iov_len < left ? vectors[worker][i].iov_len : left;

		say(" %08x", digest(vectors[worker][i].iov_base, part));
		left -= part;
	}
}

static void say_state(unsigned returned)
{
	for (int i = 0; i < WORKERS; i++)
		if (returned >> i & 1 && reads_from[i] >= 0 && writes_to[i] < 0)
			say_read(i);
	say(" |");
	for (int i = 0; i < PIPES; i++) {
		struct pollfd ends[2] = {{reader(i), POLLIN, 0}, {writer(i), POLLOUT, 0}};
		int bytes = -1;

		poll(ends, 2, 0);
		ioctl(reader(i), FIONREAD, &bytes);
		say(" %x %x %d;", (unsigned)ends[0].revents, (unsigned)ends[1].revents, bytes);
	}
	say(" %d", __atomic_exchange_n(&broken, 0, __ATOMIC_SEQ_CST));
}

static void step(void)
{
	static void (*const kinds[])(void) = {
		step_read,  step_read,	step_read,   step_read,	  step_write,  step_write,
		step_write, step_write, step_move,   step_move,	  step_give,   step_toggle,
		step_close, step_open,	step_resize, step_signal, step_signal, step_ring,
	};

	PICK(kinds)();
}

int main(int argc, char **argv)
{
	unsigned steps = sequence_begin(argc, argv);
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGPIPE, &action, NULL);
	action.sa_flags = SA_RESTART;
	sigaction(SIGUSR2, &action, NULL);
	fill(constant, BUFFER_BYTES);
	for (int i = 0; i < PIPES; i++)
		make_pipe(i);
	for (int i = 0; i < WORKERS; i++)
		make_pipe_at(bell(i));
	workers_start();
	for (unsigned i = 1; i <= steps; i++) {
		while (!line_used)
			step();
		worker_settle();
		say_state(say_returned());
		line_end(i);
	}
	_exit(0);
}
