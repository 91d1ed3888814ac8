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

#include "base/bits.h"
#include "base/err.h"
#include "config/config.h"
#include "linux/process.h"
#include "mem/hierarchy.h"
#include "pred/predictor.h"
#include "signal/cycle.h"

struct core_kind;

/* One call of a function that is measured by itself: the address of the call, the one it returns
 * to, and how many calls made at `site` since then have not returned. */
struct core_call {
	bool is_measured, has_ended; /* it has ended in what was fetched */
	uint64_t site, return_to, depth;
};

/* The first member of every kind's state. */
struct core {
	const struct core_kind *kind;
	uint64_t now;
	struct core_totals totals;
	struct core_call call;
	/* The function given to end_at_return or measure_call has returned. */
	bool has_returned;
	struct cycle_lists *lists; /* `own`, or those of an observer that keeps records */
	struct cycle_lists own;
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
	/* Goes on where the process is, with an empty pipeline, for one call of a function: fetch
	 * stops where it returns, and when the core is empty has_returned. Between two such calls
	 * the process may be executed without the core. */
	void (*measure_call)(struct core *core, uint64_t site, uint64_t return_to);
	/* Checks identities between the totals; false with a sentence that names the first that
	 * does not hold. */
	bool (*check)(const struct core *core, struct err *err);
	void (*destroy)(struct core *core); /* NULL is allowed */
};

extern const struct core_kind core_ooo, core_inorder;

/* NULL with a sentence if the configuration exceeds the limits of its kind. */
const struct core_kind *core_kind_of(const struct config *config, struct err *err);

/* The enum insn_class of an instruction that is no control transfer, by its enum unit. */
extern const uint8_t core_classes[];

/* The misses that begin with an access made in cycle `now`, as FETCH_MISS bits. Misses that an
 * ideal switch hides, and levels that the machine does not have, set no bit. */
static inline unsigned core_misses(const struct access_result *result, unsigned levels,
				   uint64_t now)
{
	unsigned tag = result->tag_level < result->level ? result->tag_level : result->level;

	return (result->tlb_miss && result->tlb_done_at > now ? FETCH_MISS_TLB : 0) |
	       (tag > LEVEL_L1 ? FETCH_MISS_L1 : 0) |
	       (tag > LEVEL_L2 && levels >= 2 ? FETCH_MISS_L2 : 0) |
	       (tag > LEVEL_L3 && levels >= 3 ? FETCH_MISS_L3 : 0);
}

/* The level of the miss that a wait is for: 0 for the L1, 1 for the L2, 2 for the L3. */
static inline unsigned core_wait_level(uint64_t now, const uint64_t miss_until[2])
{
	return now < miss_until[0] ? 0 : now < miss_until[1] ? 1 : 2;
}

/* A control transfer of the right path at `pc` to `next_pc` is fetched while a call is measured. */
static inline void core_follow_call(struct core_call *call, uint64_t pc, uint64_t next_pc)
{
	if (next_pc == call->return_to && call->depth-- == 0)
		call->has_ended = true;
	call->depth += pc == call->site;
}

/* The lists of a core's own. */
void core_create_lists(struct core *core);
void core_destroy_lists(struct core *core);

/* The room for one more event of a record. */
static inline struct cycle_event *core_next_event(struct core *core, struct cycle *cycle)
{
	if (UNLIKELY(cycle->event_count == core->lists->event_capacity))
		core->lists->grow(core->lists);
	return &core->lists->events[cycle->event_count++];
}

/* The record is complete: its lists are those that were written. */
static inline void core_end_record(const struct core *core, struct cycle *cycle, bool wants_retired)
{
	const struct cycle_lists *lists = core->lists;

	cycle->events = lists->events;
	cycle->useful_pcs = lists->useful_pcs;
	cycle->retired = wants_retired ? lists->retired : NULL;
	cycle->waits = wants_retired ? lists->waits : NULL;
}

/* For checks: false with a sentence unless both are equal. */
bool core_identity(const char *identity, uint64_t left, uint64_t right, struct err *err);

#endif
