/*
 * ooo.h - the out-of-order core: its state, shared by the files of this folder,
 * one per stage.
 *
 * Instructions live in one ring of slots from fetch to commit; four sequence
 * numbers divide it:
 *
 *     head <= dispatched <= fed <= fetched
 *       [head, dispatched)   the window (ROB): renamed, waiting, executing, done
 *       [dispatched, fed)    the front end's stages
 *       [fed, fetched)       the fetch buffer
 *
 * Each instruction is executed functionally when fetched, in program order along
 * the predicted path; its results are hidden from timing. A branch whose outcome
 * differs from its prediction takes a checkpoint and fetch goes on down the wrong
 * path; when the branch resolves, everything younger is taken back.
 *
 * Timing. An instruction fetched in cycle t is fed the same cycle if decode has
 * room, dispatches at t + frontend.depth at the earliest, issues the cycle after
 * dispatch at the earliest, and its result can be used `latency` cycles after
 * issue. It commits when complete. A branch resolves at the end of its last cycle
 * of execution and fetch is redirected in the next.
 *
 * Deliberately not modelled: register files and their ports, replays, bypass
 * limits, partial forwarding (such a load waits until the store is written),
 * memory dependence prediction.
 */
#ifndef CORE_OOO_OOO_H
#define CORE_OOO_OOO_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "core/branch_kind.h"
#include "core/core.h"
#include "core/frontend.h"
#include "isa/undo.h"

#define NEVER	   UINT64_MAX
#define NO_LINK	   UINT16_MAX
#define SLOTS_MAX  4096
#define MASK_WORDS (SLOTS_MAX / 64)
#define WIDTH_MAX  16

/* Waits are mostly short; a longer one comes by once a turn. 64 to 1024 are equally fast. */
#define WHEEL_SLOTS 256

enum entry_flags {
	ENTRY_WRONG = 1,	/* on a wrong path (oracle) */
	ENTRY_MISPREDICTED = 2, /* fetch went elsewhere than it will */
	ENTRY_LOAD = 8,		/* also atomics */
	ENTRY_STORE = 16,
	ENTRY_BRANCH = 32,    /* conditional, indirect or return */
	ENTRY_SERIALISE = 64, /* alone in the window */
	ENTRY_TAKEN = 128,
	ENTRY_ISSUED = 256,	/* has left the issue queue */
	ENTRY_PREDICTED = 512,	/* the predictor was asked and will be told */
	ENTRY_CONTROL = 2048,	/* any jump or branch */
	ENTRY_DATA_WAIT = 1024, /* a store whose data producer has not issued */
	ENTRY_NO_MSHR = 4096,	/* a load that found none free when it last tried */
};

/* One instruction in flight: what every stage looks at. Small numbers that change are 16 bits
 * wide: writing a byte may, to the compiler, change anything, and it would load all it holds
 * again. A source operand waiting for a producer is a link, slot * 4 + operand, in the
 * producer's list of consumers. */
struct entry {
	uint64_t pc;
	uint64_t complete_at;  /* NEVER until known */
	uint64_t ready_at;     /* in the window: sources ready */
	uint64_t previous;     /* sequence of who wrote rd before */
	uint16_t consumers;    /* first link of those waiting for this one, or NO_LINK */
	uint16_t next_link[3]; /* this one's links in the lists of its producers */
	uint16_t producers[3]; /* slots of producers it is linked to, or NO_LINK */
	uint16_t waiting;      /* sources whose producer has not issued */
	uint8_t rd, rs[3];     /* these eight bytes are those of struct insn */
	uint8_t op, unit, bytes, rm;
	uint16_t flags;
	uint16_t tags;	  /* FETCH_MISS_TLB ... DATA_MISS_L3 */
	uint16_t queue;	  /* enum issue_queue */
	uint16_t control; /* enum control, if ENTRY_CONTROL */
} __attribute__((aligned(64)));

/* A store's data comes third: it has no other third operand, and others seldom have one. */
#define OPERAND_DATA 2

/* What only some of them have; same index. */
struct detail {
	uint64_t next_pc; /* of a branch: where control really goes */
	union {
		uint64_t tlb_done_at; /* of a load: end of its TLB phase */
		uint64_t data_at;     /* of a store: when its data is there */
	};
	union {
		/* Of a load that missed: until when it waits for an L1 miss, and until when for
		 * an L2 miss. 0: it hits. */
		uint64_t miss_until[2];
		struct {
			/* Of a mispredicted branch: what they were, itself counted in. */
			uint32_t branches_fetched, wrong_depth;
		};
	};
};

_Static_assert(sizeof(struct detail) == 32, "half a cache line");

/* What competes for the same units. Those ready are known by queue, so that once its units
 * are used up those waiting for them cost no look. */
enum issue_queue { QUEUE_ALU, QUEUE_MEMORY, QUEUE_FP_LONG, QUEUE_OTHER, QUEUE_COUNT };

_Static_assert(sizeof(struct entry) == 64, "a cache line");

/* Who last wrote a register, and when its value is there: NEVER if the writer has not issued. */
struct reg_state {
	uint64_t writer, at;
};

/* Instructions fed in one cycle, up to `end`, may dispatch from cycle `at` on. */
struct fed_group {
	uint64_t end, at;
};

struct pending_store {
	uint64_t address, pc;
	uint64_t done_at; /* NEVER until written */
	uint8_t bytes;
};

#define STORE_BUFFER_MAX 4096
/* With 256 stencil ran at 16.2 MIPS instead of 18.4: loads looked for stores in vain. */
#define FILTER_ENTRIES 2048

struct ooo {
	struct core base;
	struct config config;
	struct process *process;
	struct cpu *cpu;
	struct hierarchy *memory;
	struct predictor *predictor;

	/* The ring. */
	struct entry *entries;
	struct detail *details;		/* same index */
	struct step_ring accesses;	/* of loads and stores; same index */
	struct prediction *predictions; /* same index */
	struct checkpoint *checkpoints; /* of mispredicted branches; same index */
	uint32_t slot_mask, mask_words;
	uint64_t head, dispatched, fed, fetched; /* sequence numbers */
	uint64_t ripe;				 /* up to here they have passed the front end */
	struct fed_group *groups;		 /* of those that have not; a ring */
	uint64_t group_first, group_last;

	/* Fetch. */
	uint64_t fetch_ready_at; /* an outstanding access delivers in this cycle */
	uint64_t fetch_tlb_until, fetch_miss_until[MISS_LEVELS];
	uint16_t fetch_tags; /* of the instruction waited for */
	struct insn *chunk;  /* decoded instructions round chunk_pc, or NULL */
	uint64_t chunk_pc;
	uint64_t misfetch_sequence; /* the branch that decode must reach; NEVER if none */
	uint64_t misfetch_until;
	bool is_nowhere, is_draining, is_ended, skips;
	uint32_t wants;	      /* kinds of events, as EVENT_BITs */
	uint64_t arrived[2];  /* lines that have been waited for; NEVER if none */
	uint32_t wrong_depth; /* unresolved mispredicted branches fetched */
	uint32_t branches_fetched, branches_committed; /* modulo 2^32; without those squashed */
	struct undo_log undo;

	/* Window. */
	struct reg_state regs[REG_COUNT];
	uint32_t iq_used, lsq_used;
	bool window_serialised;
	/* One bit a slot. By queue, one behind the other, each of mask_words. */
	uint64_t ready[QUEUE_COUNT * MASK_WORDS];
	uint64_t hidden[MASK_WORDS];  /* loads behind a store without an address */
	uint64_t blocked[MASK_WORDS]; /* loads waiting for a store they overlap to move */
	bool has_hidden, has_blocked;
	bool unblock;	 /* a store has: look at them again in the next cycle */
	uint64_t *wheel; /* as `ready`, for each of the next WHEEL_SLOTS cycles */
	uint64_t wheel_used[WHEEL_SLOTS / 64]; /* cycles in which there may be anything */
	uint64_t *resolving;		       /* sequences of issued mispredicted branches */
	size_t resolving_count, resolving_capacity;
	uint64_t *stores; /* sequences of stores in the window, oldest first, a ring */
	uint64_t store_first, store_last;
	uint64_t unknown_from;	/* oldest store, by position in `stores`, without an address */
	uint64_t unknown_store; /* its sequence; NEVER if there is none, or loads do not wait */
	uint16_t store_filter[FILTER_ENTRIES];
	uint64_t div_free_at[2][16]; /* integer, floating: when each unpipelined unit is free */

	/* Committed stores not yet written. */
	struct pending_store *store_buffer;
	uint64_t buffer_first, buffer_written, buffer_last, buffer_limit;
	uint64_t store_retry_at;
	uint64_t drain_at; /* there is nothing to do for them before */

	uint64_t commit_limit;
	uint64_t roi_call, roi_return, roi_depth; /* of the function that ends the run */
	uint32_t thread;
	struct cycle cycle;
	uint64_t useful_pcs[WIDTH_MAX];
	struct cycle_event *events;
	uint32_t event_capacity;
	bool progressed; /* something happened in this cycle */
};

static inline uint32_t ooo_slot(const struct ooo *core, const struct entry *e)
{
	return (uint32_t)(e - core->entries);
}

/* Of an instruction in the window, how many are before it. */
static inline uint32_t ooo_age(const struct ooo *core, uint32_t slot)
{
	return (slot - (uint32_t)core->head) & core->slot_mask;
}

static inline uint32_t ooo_branches(const struct ooo *core)
{
	return core->branches_fetched - core->branches_committed;
}

static inline struct entry *ooo_entry(struct ooo *core, uint64_t sequence)
{
	return &core->entries[sequence & core->slot_mask];
}

static inline bool ooo_wants(const struct ooo *core, enum cycle_event_kind kind)
{
	return UNLIKELY(core->wants & EVENT_BIT(kind));
}

/* events.c: room for more events in this cycle. */
void ooo_grow_events(struct ooo *core);

static inline void ooo_add_event(struct ooo *core, struct cycle_event event)
{
	if (!(core->wants & EVENT_BIT(event.kind)))
		return;
	if (UNLIKELY(core->cycle.event_count == core->event_capacity))
		ooo_grow_events(core);
	core->cycle.event_kinds |= EVENT_BIT(event.kind);
	core->events[core->cycle.event_count++] = event;
}

static inline void ooo_event_at(struct ooo *core, enum cycle_event_kind kind, uint32_t slot,
				uint64_t pc, unsigned flags, unsigned detail)
{
	ooo_add_event(core, (struct cycle_event){.kind = (uint8_t)kind,
						 .wrong_path = !!(flags & ENTRY_WRONG),
						 .mispredicted = !!(flags & ENTRY_MISPREDICTED),
						 .detail = (uint16_t)detail,
						 .slot = slot,
						 .pc = pc});
}

static inline void ooo_event(struct ooo *core, enum cycle_event_kind kind, const struct entry *e,
			     unsigned detail)
{
	ooo_event_at(core, kind, ooo_slot(core, e), e->pc, e->flags, detail);
}

extern const uint8_t ooo_classes[UNIT_COUNT];

_Static_assert((int)CLASS_RETURN - CLASS_CONDITIONAL == (int)CONTROL_RETURN - CONTROL_CONDITIONAL,
	       "control transfers in the order of enum control");

/* Of an instruction, with its class. */
static inline void ooo_event_of_class(struct ooo *core, enum cycle_event_kind kind,
				      const struct entry *e, unsigned detail)
{
	const unsigned flags = e->flags;

	ooo_add_event(core,
		      (struct cycle_event){.kind = (uint8_t)kind,
					   .wrong_path = !!(flags & ENTRY_WRONG),
					   .mispredicted = !!(flags & ENTRY_MISPREDICTED),
					   .insn_class = flags & ENTRY_CONTROL
								 ? (uint8_t)(CLASS_CONDITIONAL +
									     e->control -
									     CONTROL_CONDITIONAL)
								 : ooo_classes[e->unit],
					   .detail = (uint16_t)detail,
					   .slot = ooo_slot(core, e),
					   .pc = e->pc});
}

/* events.c: what the last access to memory did, other than a plain hit. */
void ooo_event_access(struct ooo *core, enum cycle_event_kind kind, uint32_t slot, uint64_t pc,
		      unsigned flags);

/* An access that hit in TLB and L1 at once. */
static inline void ooo_event_plain(struct ooo *core, enum cycle_event_kind kind, uint32_t slot,
				   uint64_t pc, unsigned flags)
{
	if (ooo_wants(core, kind))
		ooo_add_event(core,
			      (struct cycle_event){.kind = (uint8_t)kind,
						   .wrong_path = !!(flags & ENTRY_WRONG),
						   .detail = (uint16_t)(MEMORY_EVENT(plain) + kind -
									EVENT_FETCH_ACCESS),
						   .amount = 1,
						   .slot = slot,
						   .pc = pc});
}

_Static_assert(EVENT_LOAD_ACCESS - EVENT_FETCH_ACCESS == ACCESS_LOAD &&
		       EVENT_STORE_ACCESS - EVENT_FETCH_ACCESS == ACCESS_STORE,
	       "in the order of enum hierarchy_operation");

/* The misses that begin with an access, as FETCH_MISS bits. Those an ideal switch hides,
 * and levels the machine does not have, are none. */
static inline unsigned ooo_misses(const struct ooo *core, const struct access_result *result)
{
	unsigned tag = result->tag_level < result->level ? result->tag_level : result->level;
	unsigned levels = core->config.cache_levels;

	return (result->tlb_miss && result->tlb_done_at > core->base.now ? FETCH_MISS_TLB : 0) |
	       (tag > LEVEL_L1 ? FETCH_MISS_L1 : 0) |
	       (tag > LEVEL_L2 && levels >= 2 ? FETCH_MISS_L2 : 0) |
	       (tag > LEVEL_L3 && levels >= 3 ? FETCH_MISS_L3 : 0);
}

#define DATA_MISS_SHIFT 8
_Static_assert(FETCH_MISS_TLB << DATA_MISS_SHIFT == DATA_MISS_TLB &&
		       FETCH_MISS_L3 << DATA_MISS_SHIFT == DATA_MISS_L3,
	       "the same four bits");

/* Which level a wait has come to: 0 missed in the L1, 1 in the L2, 2 in the L3. */
static inline unsigned ooo_wait_level(const struct ooo *core, const uint64_t miss_until[2])
{
	return core->base.now < miss_until[0] ? 0 : core->base.now < miss_until[1] ? 1 : 2;
}

static inline void mask_set(uint64_t *mask, uint32_t slot)
{
	mask[slot / 64] |= UINT64_C(1) << (slot % 64);
}

static inline void mask_clear(uint64_t *mask, uint32_t slot)
{
	mask[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
}

/* Loads that waited for a store are looked at again. */
static inline void ooo_unblock(struct ooo *core)
{
	if (!core->has_blocked)
		return;
	core->has_blocked = false;
	for (uint32_t w = 0; w < core->mask_words; w++) {
		core->ready[QUEUE_MEMORY * core->mask_words + w] |= core->blocked[w];
		core->blocked[w] = 0;
	}
}

/* The stages, oldest instructions first; one file each. */
void ooo_resolve(struct ooo *core);
void ooo_commit(struct ooo *core);
void ooo_issue(struct ooo *core);
void ooo_dispatch(struct ooo *core);
void ooo_fetch(struct ooo *core);
void ooo_feed(struct ooo *core);
/* fetch.c: the thread's slice is used up; the process may choose another. */
void ooo_end_slice(struct ooo *core);

/* Wakes the instruction in `slot` in cycle `at`, which is later than `now`: all its sources
 * are there then. `words` is mask_words, a constant where this is inlined. */
static inline __attribute__((always_inline)) void ooo_schedule(struct ooo *core, uint64_t *wheel,
							       uint32_t queue, uint32_t slot,
							       uint64_t now, uint64_t at,
							       uint32_t words)
{
	if (UNLIKELY(at - now >= WHEEL_SLOTS))
		at = now + WHEEL_SLOTS - 1;
	uint32_t place = at % WHEEL_SLOTS;

	mask_set(wheel + (place * QUEUE_COUNT + queue) * words, slot);
	mask_set(core->wheel_used, place);
}

/* Parks an instruction that could not start until `at`. */
static inline void ooo_park(struct ooo *core, struct entry *e, uint64_t at)
{
	uint32_t slot = ooo_slot(core, e), words = core->mask_words;

	mask_clear(core->ready + e->queue * words, slot);
	e->ready_at = at;
	ooo_schedule(core, core->wheel, e->queue, slot, core->base.now, at, words);
}

/* issue.c: forgets `count` slots from `first` on. */
void ooo_unschedule(struct ooo *core, uint32_t first, uint32_t count);
/* lsq.c */
void ooo_lsq_add_store(struct ooo *core, struct entry *e, uint64_t sequence);
void ooo_lsq_squash_store(struct ooo *core, struct entry *e);
void ooo_lsq_commit_store(struct ooo *core, struct entry *e);
static inline bool ooo_store_buffer_has_room(const struct ooo *core)
{
	return core->buffer_last - core->buffer_first < core->buffer_limit;
}
/* Counts in the stores that issued before this cycle. */
void ooo_lsq_know_addresses(struct ooo *core);
/* Starts a load. True if it issued; else it is parked or blocked. */
bool ooo_lsq_start_load(struct ooo *core, struct entry *e, uint32_t slot);
void ooo_store_buffer_put(struct ooo *core, const struct entry *e);
void ooo_store_buffer_drain(struct ooo *core);
/* skip.c: the next cycle in which anything can happen. */
uint64_t ooo_next_event(const struct ooo *core);

#endif
