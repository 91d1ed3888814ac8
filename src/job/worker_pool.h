/*
 * worker_pool.h - many bodies of work, each in a jailed worker of its own, some at a
 * time.
 *
 * Results come in the order in which the work ends; what they say does not depend on
 * that order. A finished result is handed over at once, so an interruption loses only
 * what is under way. Work whose worker was killed from outside is begun again after the
 * rest; work that fails by itself is not.
 */
#ifndef JOB_WORKER_POOL_H
#define JOB_WORKER_POOL_H

#include "job/worker.h"

struct worker_pool {
	/* Says what number i is to do; warn and progress are not used. */
	void (*task)(void *context, size_t i, struct worker_task *task);
	/* Number i is done; the result is valid during the call. False with a sentence
	 * ends the rest. */
	bool (*done)(void *context, size_t i, const char *result, size_t bytes, struct err *err);
	/* At least five times a second: how many are done. May be NULL. */
	void (*progress)(void *context, size_t done);
	void *context;
	size_t count;
	unsigned at_once;
	unsigned retries; /* how often the same work is begun again at most */
};

/* True if all were done, or the user interrupted (then *interrupted). False with a
 * sentence about the first that failed. */
bool worker_pool_run(const struct worker_pool *pool, bool *interrupted, struct err *err);

#endif
