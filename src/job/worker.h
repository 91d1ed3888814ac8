/*
 * worker.h - runs a body of work in a jailed child process and hears from it.
 *
 * The child gets a copy of everything the parent has, enters the jail, does
 * the work and sends frames back: warnings as they arise, at the end a result
 * or a sentence about what failed. What it sends is not trusted further than
 * being bytes of a stated length. Parent and child share one page: progress
 * upwards, the wish to stop downwards. Signals that ask the tool to stop may reach the whole
 * process group: the child ignores them, since the parent passes the wish on and waits for what the
 * child has to say. A child that does not answer the wish within two seconds is killed,
 * or three if it is at work; one that has seen the wish has a second of processor time, and half a
 * minute on a busy host. The parent never waits for the rest of a frame, so no child can keep it
 * from that. A child that dies while it reads symbols and debugging information, or reads them for
 * two minutes, was given a broken file: the parent says so.
 */
#ifndef JOB_WORKER_H
#define JOB_WORKER_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "linux/files.h"

enum worker_stop { WORKER_GO_ON, WORKER_INTERRUPTED, WORKER_TIMEOUT };

struct worker_page {
	_Atomic uint32_t stop;	       /* enum worker_stop; set by the parent */
	_Atomic uint32_t is_stopping;  /* the child has seen that */
	_Atomic uint64_t instructions; /* done so far; set by the child */
	_Atomic uint32_t reads_debug;  /* symbols and debugging information; set by the child */
	/* Processor time at the end, of the thread that ran the body and of another, if there was
	 * one; set by the child. */
	_Atomic uint64_t time_ns, observer_time_ns;
};

struct worker {
	struct worker_page *page;
	int to_parent;
};

struct worker_task {
	/* Runs in the child before it enters the jail, to start threads, which enter one by
	 * themselves. False with a sentence. May be NULL. */
	bool (*prepare)(void *context, struct err *err);
	/* Runs in the child. Ends by returning, after worker_send_result or
	 * worker_send_error. */
	void (*body)(struct worker *worker, void *context);
	const struct mount *mounts;
	size_t mount_count;
	bool copies;		/* the child may make copies of itself (job/jail.h) */
	double timeout_seconds; /* 0 = none */
	double reading_seconds; /* for symbols and debugging information; 0 = two minutes */
	/* What becomes the child's standard output and error; 0: what the parent has. The output
	 * may be the parent's error, or the error its output, but not both. */
	int output, errors;
	/* In the parent: a sentence from the child; about five times a second,
	 * how far it is. Either may be NULL. */
	void (*warn)(void *context, const char *sentence);
	void (*progress)(void *context, uint64_t instructions);
	/* In the parent: bytes that the child sent, aligned to 8. May be NULL. */
	void (*data)(void *context, const void *bytes, size_t size);
	/* In the parent: `watched` can be read; 0: nothing is watched. */
	void (*ready)(void *context);
	int watched;
	void *context; /* for all of them */
};

struct worker_report {
	char *result; /* owned; NULL if none came */
	size_t result_bytes;
	enum worker_stop stop; /* what the parent asked for, if anything */
	bool is_lost;	       /* the child was killed from outside, whatever it was doing */
	uint64_t instructions; /* the last progress seen */
	uint64_t time_ns, observer_time_ns;
};

/* True if the child sent a result, or was stopped on request. False with a
 * sentence if it sent an error or died. */
bool worker_run(const struct worker_task *task, struct worker_report *report, struct err *err);

/* Blocks SIGINT, SIGTERM and SIGHUP, which are then read from the descriptor it returns: no
 * handler, no global flag. A SIGHUP that is ignored, as nohup does, stays so. -1 with the signals
 * as before if that fails. */
int worker_watch_signals(sigset_t *before, struct err *err);
/* Ends that; a signal that came and was not read is forgotten, since what it asks for has
 * happened. */
void worker_unwatch_signals(int fd, const sigset_t *before);

/* A pipe whose ends are above the three standard descriptors, which a guest uses even if they were
 * closed when the tool started. False with errno. */
bool worker_pipe(int ends[2]);

/* In the child, which ends if the parent no longer reads. */
void worker_send_warning(struct worker *worker, const char *sentence);
void worker_send_error(struct worker *worker, const struct err *err);
void worker_send_data(struct worker *worker, const void *bytes, size_t size);
void worker_send_result(struct worker *worker, const void *bytes, size_t size);

static inline bool worker_should_stop(const struct worker *worker)
{
	if (atomic_load_explicit(&worker->page->stop, memory_order_relaxed) == WORKER_GO_ON)
		return false;
	atomic_store_explicit(&worker->page->is_stopping, 1, memory_order_relaxed);
	return true;
}

/* For a process's note_reading; the context is the worker. */
static inline void worker_note_reading(void *context, bool reads)
{
	const struct worker *worker = context;

	atomic_store_explicit(&worker->page->reads_debug, reads, memory_order_relaxed);
}

static inline void worker_note_progress(struct worker *worker, uint64_t instructions)
{
	atomic_store_explicit(&worker->page->instructions, instructions, memory_order_relaxed);
}

#endif
