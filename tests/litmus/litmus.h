/*
 * litmus.h - runs a tiny program on the out-of-order core and finds the cycle in which each of its
 * instructions was fetched, dispatched and committed.
 *
 * The times come from the core's own output: records contain how many instructions of the right
 * path were fetched and dispatched and how many committed, all three in program order, and a
 * functional run of the same program identifies them. The core's internal state is not used.
 *
 * Every run is made twice side by side, with skipping and without, and the records must be the
 * same cycle by cycle; litmus_run() fails otherwise.
 *
 * The initial state of a program (registers, caches, TLBs, predictor) is set up before the first
 * cycle by steps, in the order given, so that programs need no prologue and cycle 0 is the fetch
 * of the first instruction under test.
 */
#ifndef LITMUS_LITMUS_H
#define LITMUS_LITMUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "config/config.h"
#include "core/core.h"
#include "mem/hierarchy.h"

enum step_kind {
	STEP_REGISTER,	/* register `at` gets `value` */
	STEP_FETCH,	/* access `bytes` of text from `at` on, line by line */
	STEP_LOAD,	/* access `bytes` of data from `at` on, line by line */
	STEP_DTLB,	/* access the page of `at` through its last line, `bytes` / page times */
	STEP_TAKEN,	/* train the branch at `at` as taken to `value`, `bytes` times */
	STEP_NOT_TAKEN, /* train the branch at `at` as not taken */
	STEP_CHAIN,	/* a ring of `bytes` pointers from `at`, `value` apart */
	STEP_WORD,	/* store `value` in the 8 bytes at `at` */
};

struct litmus_step {
	enum step_kind kind;
	uint64_t at, value, bytes;
};

struct litmus_setup {
	struct config config;
	const uint8_t *image;
	size_t image_bytes;
	uint64_t entry; /* 0: the entry in the program's file */
	struct litmus_step *steps;
	size_t step_count, step_capacity;
	/* If not NULL, called for each core that is created and before it is destroyed; step is
	 * called with each record. */
	const struct litmus_observer *observer;
};

struct litmus_observer {
	void (*create)(const struct core *core, const struct config *config);
	void (*step)(const struct core *core, const struct cycle *record);
	void (*destroy)(const struct core *core);
};

#define LITMUS_STALLS 16

struct litmus_result {
	uint64_t cycles;
	size_t count; /* number of committed instructions, the length of the arrays */
	uint64_t *pc, *fetched_at, *dispatched_at, *committed_at;
	struct core_totals core;
	struct hierarchy_counters memory; /* without the accesses of the steps */
	/* Cycles by enum fetch_stall, dispatch_stall, head_state and head_late. */
	uint64_t fetch_stall[LITMUS_STALLS], dispatch_stall[LITMUS_STALLS], head[LITMUS_STALLS];
	uint64_t excess[4]; /* by bit of enum cycle_excess */
	uint64_t late[LITMUS_STALLS];
	uint64_t rob_most, lsq_most, iq_most, store_buffer_most;
};

/* False with a sentence if the program cannot be run, does not end with exit status 0, or runs
 * differently with skipping. Release the result in both cases. */
bool litmus_run(const struct litmus_setup *setup, struct litmus_result *result, struct err *err);
void litmus_release(struct litmus_result *result);

/* The index of the nth execution (from 0) of the instruction at pc; false if there
 * is none. */
bool litmus_find(const struct litmus_result *result, uint64_t pc, uint64_t nth, size_t *index);

#endif
