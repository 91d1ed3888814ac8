/*
 * sequence.h - what the programs of random sequences share: numbers, lines, workers.
 *
 *	PROGRAM SEED STEPS [DIRECTORY]
 *
 * A program makes STEPS random steps that change some objects, and prints one line for each: what
 * was done, what it answered, and the state after it. The same source is compiled for the host and
 * for the simulated machine, and both must print the same text. So a line has no address, process
 * number, time or machine's constant in it.
 *
 * Workers are threads that make one system call at a time, when the first thread says so. After
 * each step worker_settle waits until every worker has returned or sleeps in its call: the host
 * tells by /proc/self/task/TID/stat. The simulator has no such file; there all others have run
 * until they wait when a short sleep ends. Wake-ups therefore never race with the next step.
 *
 * Invariant: a worker writes only its own struct, and prints nothing.
 */
#ifndef SEQUENCE_H
#define SEQUENCE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define COUNT(x) (sizeof(x) / sizeof((x)[0]))
#define PAGE	 4096

static uint64_t sequence_state;

static inline uint32_t sequence_random(void)
{
	sequence_state = sequence_state * 6364136223846793005u + 1442695040888963407u;
	uint64_t x = sequence_state;

	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdu;
	return (uint32_t)(x >> 32);
}

/* 0 .. n-1 */
static inline unsigned below(unsigned n)
{
	return sequence_random() % n;
}

/* Holds once in n times. */
static inline bool one_in(unsigned n)
{
	return below(n) == 0;
}

#define PICK(list) ((list)[below(COUNT(list))])

/* The line of a step is collected here and printed when it is complete. */
static char line_text[8192];
static size_t line_used;

static inline void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline void say(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	line_used += (size_t)vsnprintf(line_text + line_used, sizeof(line_text) - line_used, format,
				       list);
	va_end(list);
	if (line_used >= sizeof(line_text))
		line_used = sizeof(line_text) - 1;
}

/* Writes the line. A program that has come to a wrong state still shows all lines before. */
static inline void line_end(unsigned step)
{
	char number[16];
	int bytes = snprintf(number, sizeof(number), "%u ", step);

	if (write(1, number, (size_t)bytes) != bytes ||
	    write(1, line_text, line_used) != (ssize_t)line_used || write(1, "\n", 1) != 1)
		_exit(97);
	line_used = 0;
}

static inline const char *error_name(int number)
{
	const char *name = strerrorname_np(number);

	return name ? name : "unknown error";
}

/* The result of a call as the C library gives it. */
static inline void say_result(const char *before, long result)
{
	if (result == -1)
		say("%s%s", before, error_name(errno));
	else
		say("%s%ld", before, result);
}

struct worker {
	pthread_t thread;
	int tid;
	int stat;      /* descriptor of the host's file about it, or -1 */
	uint32_t turn; /* raised to let it make a call */
	bool is_busy;  /* the call has not returned; written by the worker when it has */
	bool is_shown; /* the result has been printed */
	long number;
	long argument[6];
	long result;
	int error;
	const char *what; /* a word for the call */
	int bell;	  /* read at once after the call, with no other call in between; -1: not */
	long bell_result;
	int bell_error;
};

#ifndef WORKERS
#define WORKERS 4
#endif
static struct worker workers[WORKERS];
static bool has_stat; /* the host tells what a thread does */

static inline void worker_futex(uint32_t *word, int operation, uint32_t value)
{
	syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

#ifdef WORKER_PREPARES
/* What a worker of this program does before its first call. */
static void worker_prepare(struct worker *worker);
#else
static inline void worker_prepare(struct worker *worker)
{
	(void)worker;
}
#endif

static inline void *worker_run(void *context)
{
	struct worker *worker = context;
	uint32_t turn = 0;

	worker_prepare(worker);
	worker->tid = (int)syscall(SYS_gettid);
	__atomic_store_n(&worker->is_busy, false, __ATOMIC_SEQ_CST);
	for (;;) {
		while (__atomic_load_n(&worker->turn, __ATOMIC_SEQ_CST) == turn)
			worker_futex(&worker->turn, FUTEX_WAIT, turn);
		turn++;
		long *a = worker->argument;
		errno = 0;
		worker->result = syscall(worker->number, a[0], a[1], a[2], a[3], a[4], a[5]);
		worker->error = errno;
		if (worker->bell >= 0) {
			char byte;

			errno = 0;
			worker->bell_result = read(worker->bell, &byte, 1);
			worker->bell_error = errno;
		}
		__atomic_store_n(&worker->is_busy, false, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static inline void short_sleep(long us)
{
	struct timespec time = {us / 1000000, us % 1000000 * 1000};

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &time, &time))
		;
}

static inline bool worker_is_busy(struct worker *worker)
{
	return __atomic_load_n(&worker->is_busy, __ATOMIC_SEQ_CST);
}

static inline void worker_start(struct worker *worker)
{
	char path[64];
	pthread_attr_t attributes;

	memset(worker, 0, sizeof(*worker));
	worker->is_busy = worker->is_shown = true;
	worker->stat = worker->bell = -1;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 1 << 20);
	if (pthread_create(&worker->thread, &attributes, worker_run, worker))
		_exit(96);
	while (worker_is_busy(worker))
		short_sleep(50);
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", worker->tid);
	int found = open(path, O_RDONLY | O_CLOEXEC);
	/* Out of the way of the descriptors that a sequence opens. */
	worker->stat = found < 0 ? -1 : fcntl(found, F_DUPFD_CLOEXEC, 200);
	if (found >= 0)
		close(found);
	has_stat = worker->stat >= 0;
}

static inline void workers_start(void)
{
	for (int i = 0; i < WORKERS; i++)
		worker_start(&workers[i]);
}

/* Whether the worker sleeps, in its call or until the next. */
static inline bool worker_is_quiet(struct worker *worker)
{
	char text[256];
	ssize_t bytes = pread(worker->stat, text, sizeof(text) - 1, 0);

	if (bytes <= 0)
		return true; /* it has ended */
	text[bytes] = 0;
	const char *after = strrchr(text, ')');
	return after && after[2] == 'S';
}

/* Twice in a row, because one worker may wake another that was looked at before. */
static inline void worker_settle(void)
{
	unsigned quiet = 0;

	if (!has_stat) {
		short_sleep(400);
		return;
	}
	while (quiet < 2 * WORKERS) {
		if (worker_is_quiet(&workers[quiet % WORKERS])) {
			quiet++;
			continue;
		}
		quiet = 0;
		sched_yield();
	}
}

/* Lets time pass: all that is due within `ms` has happened. */
static inline void time_passes(long ms)
{
	short_sleep(ms * 1000);
	worker_settle();
}

/* Waits for a call that ends by itself after a moment, however the host measures that. */
static inline void worker_await(struct worker *worker)
{
	for (int i = 0; i < 300 && worker_is_busy(worker); i++)
		short_sleep(500);
	worker_settle();
}

/* A call of a worker that waits for orders; say_returned shows its result. Pointers among the
 * arguments are written as (long). */
static inline void worker_call(struct worker *worker, const char *what, long number,
			       const long argument[6])
{
	memcpy(worker->argument, argument, sizeof(worker->argument));
	worker->number = number;
	worker->what = what;
	worker->is_shown = false;
	__atomic_store_n(&worker->is_busy, true, __ATOMIC_SEQ_CST);
	__atomic_add_fetch(&worker->turn, 1, __ATOMIC_SEQ_CST);
	worker_futex(&worker->turn, FUTEX_WAKE, 1);
	worker_settle();
}
#define WORKER_CALL(worker, what, number, ...) \
	worker_call(worker, what, number, (const long[6]){__VA_ARGS__})

/* Ends the worker's thread at once and starts another in its place. */
static inline void worker_replace(struct worker *worker)
{
	worker->is_shown = true;
	worker->number = SYS_exit;
	worker->argument[0] = 0;
	__atomic_add_fetch(&worker->turn, 1, __ATOMIC_SEQ_CST);
	worker_futex(&worker->turn, FUTEX_WAKE, 1);
	pthread_join(worker->thread, NULL);
	if (worker->stat >= 0)
		close(worker->stat);
}

static inline void say_worker(int index)
{
	struct worker *worker = &workers[index];

	say(" w%d:%s=", index, worker->what);
	errno = worker->error;
	say_result("", worker->result);
	if (worker->bell < 0)
		return;
	errno = worker->bell_error;
	say_result(", bell=", worker->bell_result);
}

/* Says which calls have returned since it was last asked. True for each of them in a mask. */
static inline unsigned say_returned(void)
{
	unsigned returned = 0;

	for (int i = 0; i < WORKERS; i++) {
		if (workers[i].is_shown || worker_is_busy(&workers[i]))
			continue;
		workers[i].is_shown = true;
		say_worker(i);
		returned |= 1u << i;
	}
	return returned;
}

/* A worker that waits for orders, or NULL. */
static inline struct worker *worker_idle(void)
{
	unsigned first = below(WORKERS);

	for (unsigned i = 0; i < WORKERS; i++)
		if (!worker_is_busy(&workers[(first + i) % WORKERS]))
			return &workers[(first + i) % WORKERS];
	return NULL;
}

static inline int worker_index(const struct worker *worker)
{
	return (int)(worker - workers);
}

/* Reads the arguments, and gives the number of steps. */
static inline unsigned sequence_begin(int argc, char **argv)
{
	if (argc < 3)
		_exit(98);
	sequence_state = strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15u + 1;
	for (int i = 0; i < 4; i++)
		sequence_random();
	return (unsigned)strtoul(argv[2], NULL, 10);
}

#endif
