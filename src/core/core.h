/*
 * core.h - a simulated core, in calling order: find the kind that a configuration names, create,
 * step until done, check, destroy.
 *
 * A core executes a process and reports each cycle as a struct cycle. It does not know its
 * observers. A kind is a folder that exports one `const struct core_kind`, and a row in
 * CONFIG_WORDS_core (config/words.h); nothing outside the folder uses its headers.
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

/* A call of a function: the address of the call, the one it returns to, and how many calls made at
 * `site` since then have not returned. */
struct core_call {
	uint64_t site, return_to, depth;
};

/* The first member of every kind's state: what all kinds have. */
struct core {
	const struct core_kind *kind;
	struct process *process;
	struct cpu *cpu; /* of the process */
	struct hierarchy *memory;
	uint64_t now;
	struct core_totals totals;
	struct cycle *record;  /* of this cycle, where `lists` says */
	uint32_t wants;	       /* kinds of events asked for, as EVENT_BITs */
	uint32_t plain_wants;  /* of these, accesses of which plain hits are needed */
	uint16_t commit_needs; /* of struct event_needs */
	bool is_mistaken_only; /* EVENT_BRANCH_DISPATCH is of EVENTS_MISTAKEN alone */
	uint32_t thread;
	/* What is ideal for some instructions alone; NULL: for none. A part of the kind's own copy
	 * of its configuration. */
	const struct ideal_at *ideal_at;
	bool skips;
	bool progressed; /* the state changed in this cycle */
	/* Fetch has stopped: until the core is empty, after the process was called; because a wrong
	 * path leads nowhere; for good, because the process has ended. */
	bool is_draining, is_nowhere, is_ended;
	uint64_t commit_limit;
	struct core_call last_call; /* with whose return a run ends; return_to UINT64_MAX: none */
	/* The call, or the slice up to so many executed instructions, that is measured by itself,
	 * and whether it has ended in what was fetched. */
	struct core_call call;
	uint64_t slice_end;
	bool is_measured, call_has_ended;
	/* The function given to core_end_at_return or core_measure_call has returned, or the slice
	 * of core_measure_slice has ended. */
	bool has_returned;
	struct cycle_transfer *transfers; /* of this cycle; NULL: nobody asked for them */
	struct cycle_accesses *accesses;  /* the same */
	struct cycle_lists *lists;	  /* `own`, or those of an observer that keeps records */
	struct cycle_lists own;
	struct cycle own_record;
	uint64_t committed_pcs[CYCLE_WIDTH_MAX]; /* of the record */
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
	/* Other events are wanted than before; NULL: that changes nothing but the record. */
	void (*wants_changed)(struct core *core);
	/* Makes an empty core fetch anew where the process is. */
	void (*restart)(struct core *core);
	/* Between two steps: goes on as a core of this configuration, of which only what
	 * machine/live.def names differs. The ring grows if it has to. */
	void (*reconfigure)(struct core *core, const struct config *config);
	/* Committed stores of which no access to memory has begun. */
	uint64_t (*unwritten)(const struct core *core);
	/* Checks identities between the totals; false with a sentence that names the first that
	 * does not hold. */
	bool (*check)(const struct core *core, struct err *err);
	void (*destroy)(struct core *core); /* NULL is allowed */
};

#define KIND(id, word) extern const struct core_kind core_##word;
CONFIG_WORDS_core(KIND)
#undef KIND

	/* NULL with a sentence if the configuration exceeds the limits of its kind. */
	const struct core_kind *core_kind_of(const struct config *config, struct err *err);

/* Skipping over cycles in which nothing changes: on at first, without effect on results. */
void core_set_skipping(struct core *core, bool skips);
/* From now on writes its records and their lists there. */
void core_write_to(struct core *core, struct cycle_lists *lists);
/* Selects the kinds of events that records carry, as EVENT_BITs; 0 at first. */
void core_want_events(struct core *core, uint32_t kinds);
/* Selects those of these kinds that are of use; all at first. */
void core_need_events(struct core *core, const struct event_needs *needs);
/* Commits at most this many instructions in all; the last cycle may commit fewer than it could. */
void core_limit_commits(struct core *core, uint64_t committed);
/* Ends before the instruction at `return_to` commits for the return of the current call; each call
 * committed at `call` from now on also returns there and is waited for. */
void core_end_at_return(struct core *core, uint64_t call, uint64_t return_to);
/* Goes on where the process is, with an empty pipeline, for one call of a function: fetch stops
 * where it returns, and when the core is empty has_returned. Between two such calls the process may
 * be executed without the core. */
void core_measure_call(struct core *core, uint64_t site, uint64_t return_to);
/* The same for a slice of the program: fetch stops at the first control transfer after so many
 * instructions. */
void core_measure_slice(struct core *core, uint64_t instructions);

/* ---- for the kinds ---- */

void core_init(struct core *core, const struct core_kind *kind, struct process *process,
	       struct hierarchy *hierarchy, uint32_t width);
void core_release(struct core *core);

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

#define DATA_MISS_SHIFT 8 /* from FETCH_MISS bits to DATA_MISS bits */
_Static_assert(FETCH_MISS_TLB << DATA_MISS_SHIFT == DATA_MISS_TLB &&
		       FETCH_MISS_L3 << DATA_MISS_SHIFT == DATA_MISS_L3,
	       "the same four bits");
_Static_assert(EVENT_LOAD_ACCESS - EVENT_FETCH_ACCESS == ACCESS_LOAD &&
		       EVENT_STORE_ACCESS - EVENT_FETCH_ACCESS == ACCESS_STORE,
	       "in the order of enum hierarchy_operation");

/* Whether what found no MSHR in a machine of the one configuration may find one in the other's. */
static inline bool core_changes_mshrs(const struct config *a, const struct config *b)
{
	return a->l1d_mshrs != b->l1d_mshrs || a->l2_mshrs != b->l2_mshrs ||
	       a->l3_mshrs != b->l3_mshrs || a->ideal_l1d != b->ideal_l1d ||
	       a->ideal_mshrs != b->ideal_mshrs || a->ideal_l2d != b->ideal_l2d ||
	       a->ideal_l3d != b->ideal_l3d || !ideal_at_same(&a->ideal_at, &b->ideal_at);
}

/* core.c: as below, of a core for which something is ideal for some instructions alone. */
bool core_spares_branch(const struct core *core, uint64_t pc);
uint32_t core_spared_latency(const struct core *core, uint64_t pc, uint32_t latency);
void core_access_spared(struct core *core, enum hierarchy_operation operation, uint64_t for_pc,
			uint64_t pc, uint64_t address, struct access_result *result);

/* What ideal.at changes is behind one test of a pointer. */

/* From now on this list holds, which must outlive the core. */
static inline void core_set_ideal_at(struct core *core, const struct ideal_at *at)
{
	core->ideal_at = at->count ? at : NULL;
}

/* Whether the branch at `pc`, which is fetched, is not mispredicted, though branches are not ideal.
 */
static inline bool core_hides_branch(const struct core *core, uint64_t pc)
{
	return UNLIKELY(core->ideal_at) && core_spares_branch(core, pc);
}

/* The cycles that an operation of the instruction at `pc` takes, which are `latency` for others. */
static inline uint32_t core_latency(const struct core *core, uint64_t pc, uint32_t latency)
{
	return LIKELY(!core->ideal_at) ? latency : core_spared_latency(core, pc, latency);
}

/* hierarchy_access in this cycle, for the instruction at `for_pc`. */
static inline void core_access(struct core *core, enum hierarchy_operation operation,
			       uint64_t for_pc, uint64_t pc, uint64_t address,
			       struct access_result *result)
{
	if (LIKELY(!core->ideal_at))
		hierarchy_access(core->memory, operation, pc, address, core->now, result);
	else
		core_access_spared(core, operation, for_pc, pc, address, result);
}

/* The level of the miss that a wait is for: 0 for the L1, 1 for the L2, 2 for the L3. */
static inline unsigned core_wait_level(uint64_t now, const uint64_t miss_until[2])
{
	return now < miss_until[0] ? 0 : now < miss_until[1] ? 1 : 2;
}

/* Whether a call returns with the step from `pc` to `next_pc`. */
static inline bool core_call_returns(struct core_call *call, uint64_t pc, uint64_t next_pc)
{
	if (next_pc == call->return_to && call->depth-- == 0)
		return true;
	call->depth += pc == call->site;
	return false;
}

/* A control transfer of the right path at `pc` to `next_pc` is fetched. */
static inline void core_follow_call(struct core *core, uint64_t pc, uint64_t next_pc)
{
	if (UNLIKELY(core->is_measured) && (core_call_returns(&core->call, pc, next_pc) ||
					    core->cpu->instructions >= core->slice_end))
		core->call_has_ended = true;
}

/* core.c: adds a transfer; what a control transfer is follows from its enum control. */
void core_add_transfer(struct core *core, enum transfer_kind kind, uint64_t pc, uint64_t next,
		       uint64_t target);
void core_add_control(struct core *core, unsigned control, uint64_t pc, unsigned bytes,
		      uint64_t target, unsigned uncounted);

/* A control transfer of the right path, an enum control, is fetched for the first time.
 * `uncounted`: 1 if useful_fetched does not have it yet. */
static inline void core_note_control(struct core *core, unsigned control, uint64_t pc,
				     unsigned bytes, uint64_t target, unsigned uncounted)
{
	if (UNLIKELY(core->transfers))
		core_add_control(core, control, pc, bytes, target, uncounted);
}

/* The call that is measured has returned, and what follows is not fetched. */
static inline bool core_is_past_call(const struct core *core, bool is_wrong)
{
	return UNLIKELY(core->call_has_ended) && !is_wrong;
}

/* Whether the run ends before the instruction at `pc` commits. */
static inline bool core_ends_before(struct core *core, uint64_t pc)
{
	if (LIKELY(core->last_call.return_to != pc) || core->last_call.depth)
		return false;
	core->has_returned = true;
	return true;
}

/* The instruction at `pc` commits: counts the calls made in between. Not before: a store may wait
 * for the store buffer for many cycles. */
static inline void core_follow_commit(struct core *core, uint64_t pc)
{
	if (LIKELY(core->last_call.return_to == UINT64_MAX))
		return;
	core->last_call.depth -= pc == core->last_call.return_to;
	core->last_call.depth += pc == core->last_call.site;
}

/* How many instructions may commit in this cycle. */
static inline uint64_t core_commit_width(const struct core *core, uint32_t width)
{
	const uint64_t left = core->commit_limit - core->totals.committed;

	return left < width ? left : width;
}

/* Calls the process for a system call, a fault or a bad fetch on the right path. Fetch goes on,
 * where the process says, when the core is empty. `slot` is that of the next instruction. */
void core_stop(struct core *core, enum cpu_stop stop, uint32_t slot);
/* The thread's time slice has ended, after which the process may run another thread. */
void core_end_slice(struct core *core, uint32_t slot);

/* True if fetch goes on in this cycle after the process was called. */
static inline bool core_resumes(struct core *core, bool is_empty)
{
	if (LIKELY(!core->is_draining) || core->is_ended || !is_empty)
		return false;
	core->is_draining = false;
	core->thread = process_enter_thread(core->process);
	core->progressed = true;
	if (UNLIKELY(core->transfers))
		core_add_transfer(core, TRANSFER_ENTER, core->cpu->hart.pc, core->cpu->hart.pc,
				  core->cpu->hart.pc);
	return true;
}

/* Why fetch has stopped; FETCH_NONE if it has not. */
static inline enum fetch_stall core_fetch_stop(struct core *core, bool is_wrong, bool is_empty)
{
	if (core->is_ended)
		return FETCH_DONE;
	if (core_is_past_call(core, is_wrong)) {
		core->has_returned = is_empty;
		return FETCH_DONE;
	}
	if (core->is_draining)
		return FETCH_SERIALISE;
	return core->is_nowhere ? FETCH_NOWHERE : FETCH_NONE;
}

/* Sets the fields that not every stage writes. Clearing the whole record became a string
 * instruction that took 2 to 3 % of all time. */
static inline struct cycle *core_begin_record(struct core *core)
{
	struct cycle *cycle = core->record = core->lists->record;

	cycle->number = core->now;
	cycle->repeat = 1;
	cycle->thread = core->thread;
	cycle->fetched = cycle->useful_fetched = 0;
	cycle->squashed = 0;
	cycle->excess = 0;
	cycle->is_fronted = cycle->front_waits = 0;
	cycle->event_count = cycle->event_kinds = cycle->transfer_count = 0;
	cycle->head_pc = 0;
	core->progressed = false;
	return cycle;
}

/* The room for one more event of the record. */
static inline struct cycle_event *core_next_event(struct core *core)
{
	if (UNLIKELY(core->record->event_count == core->lists->event_capacity))
		core->lists->grow(core->lists);
	return &core->lists->events[core->record->event_count++];
}

void core_add_event(struct core *core, const struct cycle_event *event);
/* Adds an event for each counter that the last access to memory changed. */
void core_add_access(struct core *core, enum cycle_event_kind kind, uint32_t slot, uint64_t pc,
		     bool is_wrong);

/* core.c: the record gets its list of accesses, empty at first; adds what the last access to memory
 * did, or a plain hit. For cores that were asked for EVENTS_ACCESSES. */
void core_begin_accesses(struct core *core);
void core_add_looked_up(struct core *core, uint64_t pc, uint64_t address, unsigned marks);
void core_add_hit(struct core *core, uint64_t pc, uint64_t address, unsigned marks);

/* The record is complete: its lists are those that were written. */
static inline const struct cycle *core_end_record(struct core *core, bool wants_retired)
{
	const struct cycle_lists *lists = core->lists;
	struct cycle *cycle = core->record;

	cycle->events = lists->events;
	cycle->transfers = core->transfers;
	cycle->useful_pcs = lists->useful_pcs;
	cycle->committed_pcs = core->wants & EVENTS_COMMITTED ? core->committed_pcs : NULL;
	cycle->retired = wants_retired ? lists->retired : NULL;
	cycle->waits = wants_retired ? lists->waits : NULL;
	core->now += cycle->repeat;
	core->totals.cycles += cycle->repeat;
	return cycle;
}

/* For checks: false with a sentence unless both are equal. */
bool core_identity(const char *identity, uint64_t left, uint64_t right, struct err *err);
/* The identities of every kind. */
bool core_check(const struct core *core, uint64_t in_flight, struct err *err);

#endif
