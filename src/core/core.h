/*
 * core.h - a simulated core, in calling order: find the kind that a configuration names, create,
 * step until done, check, destroy.
 *
 * A core executes a process and reports each cycle as a struct cycle. It does not know its
 * observers. A kind is a folder that exports one `const struct core_kind`, and a row in core.c;
 * nothing outside the folder uses its headers.
 */
#ifndef CORE_CORE_H
#define CORE_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "config/config.h"
#include "linux/process.h"
#include "mem/hierarchy.h"
#include "pred/predictor.h"
#include "signal/cycle.h"

struct core_kind;

/* The first member of every kind's state. */
struct core {
	const struct core_kind *kind;
	uint64_t now;
	struct core_totals totals;
	bool has_returned; /* the function given to end_at_return has returned */
};

struct core_kind {
	const char *name; /* the value of core.kind that selects it */
	/* The largest number of instructions in flight, a power of two: an event's `slot` is
	 * below it. */
	uint32_t (*in_flight)(const struct config *config);
	/* Whether a core of this configuration can be built; false with a sentence. */
	bool (*fits)(const struct config *config, struct err *err);
	/* The caller keeps the parts, which must outlive the core. */
	struct core *(*create)(const struct config *config, struct process *process,
			       struct hierarchy *hierarchy, struct predictor *predictor);
	/* Simulates one cycle, or a run of equal ones, and returns its record, valid until
	 * the next call; NULL when the program has ended and the core is empty. */
	const struct cycle *(*step)(struct core *core);
	/* Skipping over cycles in which nothing changes: on at first, without effect on results. */
	void (*set_skipping)(struct core *core, bool skips);
	/* Selects the kinds of events that records carry, as EVENT_BITs; 0 at first. */
	void (*want_events)(struct core *core, uint32_t kinds);
	/* Commits at most this many instructions in all; the last cycle may commit fewer than it
	 * could. */
	void (*limit_commits)(struct core *core, uint64_t committed);
	/* Ends before the instruction at `return_to` commits for the return of the current call;
	 * each call committed at `call` from now on also returns there and is waited for. */
	void (*end_at_return)(struct core *core, uint64_t call, uint64_t return_to);
	/* Checks identities between the totals; false with a sentence that names the first that
	 * does not hold. */
	bool (*check)(const struct core *core, struct err *err);
	void (*destroy)(struct core *core); /* NULL is allowed */
};

extern const struct core_kind core_ooo;

/* NULL with a sentence if the kind is not implemented or the configuration exceeds its limits. */
const struct core_kind *core_kind_of(const struct config *config, struct err *err);

/* For checks: false with a sentence unless both are equal. */
bool core_identity(const char *identity, uint64_t left, uint64_t right, struct err *err);

#endif
