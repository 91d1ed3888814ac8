/*
 * ooo.h - the out-of-order core: its state, shared by the files of this folder, one per stage.
 *
 * Instructions are in one ring of slots from fetch to commit; four sequence numbers divide it:
 *
 *     head <= dispatched <= fed <= fetched
 *       [head, dispatched)   the window (ROB): renamed, waiting, executing, done
 *       [dispatched, fed)    the front end's stages
 *       [fed, fetched)       the fetch buffer
 *
 * Each instruction is executed functionally when fetched, in program order along the predicted
 * path; its results do not affect timing before they would be known. A branch whose outcome
 * differs from its prediction takes a checkpoint and fetch continues on the wrong path; when the
 * branch resolves, everything younger is squashed and its effects are undone.
 *
 * Timing. An instruction fetched in cycle t is fed the same cycle if decode has room, dispatches
 * at t + frontend.depth at the earliest, issues the cycle after dispatch at the earliest, and its
 * result can be used `latency` cycles after issue. It commits when complete. A branch resolves at
 * the end of its last cycle of execution and fetch is redirected in the next.
 *
 * Replay. With store sets a load may start before an older store has its address. If the store
 * then turns out to overlap it, the load and everything younger are squashed and fetched again:
 *
 *     fetched <= again_end       [fetched, again_end)   to be fetched again
 *
 * They have been executed, so they keep what they did: a branch follows its first prediction, or
 * if it has resolved its target; nothing is predicted or executed a second time.
 *
 * Deliberately not modelled: register files and their ports, replays of instructions that were
 * woken too early, bypass limits, partial forwarding (such a load waits until the store is
 * written).
 */
#ifndef CORE_OOO_OOO_H
#define CORE_OOO_OOO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "config/config.h"
#include "core/branch_kind.h"
#include "core/core.h"
#include "core/fetch_common.h"
#include "core/frontend.h"
#include "core/ooo/store_sets.h"
#include "isa/undo.h"

#define NEVER	   UINT64_MAX
#define NO_LINK	   UINT16_MAX
#define SLOTS_MAX  4096
#define MASK_WORDS (SLOTS_MAX / 64)
#define WIDTH_MAX  CYCLE_WIDTH_MAX

/* Most waits are short; an instruction that waits longer is scheduled again after this many
 * cycles. With 256 the wheel alone, of which every cycle uses another place, fills a first-level
 * data cache. */
#define WHEEL_SLOTS 64

enum entry_flags {
	ENTRY_BRANCH = RETIRED_BRANCH, /* conditional, indirect or return */
	ENTRY_TAKEN = RETIRED_TAKEN,
	/* Fetch continued at another address than the branch's target. */
	ENTRY_MISPREDICTED = RETIRED_MISPREDICTED,
	ENTRY_RESOLVED = 8,		      /* a mispredicted branch that has resolved */
	ENTRY_SERIALISE = RETIRED_SERIALISES, /* must be alone in the window */
	ENTRY_WRONG = 32,		      /* on a wrong path (oracle) */
	ENTRY_LOAD = RETIRED_LOADS,	      /* a load or an atomic */
	ENTRY_STORE = RETIRED_STORES,
	ENTRY_ISSUED = 256,	/* has left the issue queue */
	ENTRY_PREDICTED = 512,	/* the predictor predicted it and must be updated at commit */
	ENTRY_CONTROL = 2048,	/* any jump or branch */
	ENTRY_DATA_WAIT = 1024, /* a store whose data producer has not issued */
	ENTRY_NO_MSHR = 4096,	/* a load that found no MSHR free when it last tried */
	/* It dispatched and issued already before a replay. */
	ENTRY_REDISPATCH = 8192,
	ENTRY_REISSUE = 16384,
	/* Not issued: it could not start when it was ready. Issued: it is late from `ready_at` on,
	 * and `waiting` is the enum head_late. */
	ENTRY_DELAYED = 32768,
};

/* One instruction in flight: the state that every stage uses. Small fields that change are 16
 * bits wide: a store through a byte pointer may alias any object, so the compiler would reload
 * everything after it. A source operand that waits for a producer is a link, slot * 4 + operand,
 * in the producer's list of consumers. */
struct entry {
	uint64_t pc;
	uint64_t complete_at; /* NEVER until known */
	/* For an instruction in the window, the cycle in which its sources are ready. */
	uint64_t ready_at;
	uint64_t previous;     /* sequence number of the previous writer of rd */
	uint16_t consumers;    /* first link of the list of consumers, or NO_LINK */
	uint16_t next_link[3]; /* the next links in the producers' lists */
	uint16_t producers[3]; /* slots of the producers in whose lists it is, or NO_LINK */
	uint16_t waiting;      /* number of sources whose producer has not issued */
	uint8_t rd, rs[3];     /* rd to rm are the same eight bytes as in struct insn */
	uint16_t op;
	uint8_t unit;
	uint8_t bytes : 3, rm : 5;
	uint16_t flags;
	uint16_t tags;	  /* FETCH_MISS_TLB .. DATA_MISS_L3 */
	uint16_t queue;	  /* enum issue_queue */
	uint16_t control; /* enum control, if ENTRY_CONTROL */
} __attribute__((aligned(64)));

/* A store's data is its third operand: stores have no other third operand, and few other
 * instructions have one. */
#define OPERAND_DATA 2

/* State that only some instructions have; it has the same index as the entry. */
struct detail {
	union {
		uint64_t next_pc; /* for a branch, the actual next pc */
		struct {
			/* For a load: how much of its TLB phase and of its wait for the data, at
			 * their ends, is due to misses of the page walk and to a busy memory. */
			uint32_t walk_cycles, queue_cycles;
		};
		/* For a load or store that has not issued, the store that its set says it waits
		 * for; 0: none. Only with store sets. */
		uint64_t waits_for;
	};
	union {
		uint64_t tlb_done_at; /* for a load, the end of its TLB phase */
		uint64_t data_at;     /* for a store, the cycle in which its data is available */
		uint64_t misfetched;  /* for a branch, whether decode had to supply its target */
		/* For an operation of a pool that has ENTRY_DELAYED and has not issued, the cycle
		 * in which it was ready. */
		uint64_t wanted_at;
	};
	union {
		/* For a load that missed: the end of its wait for an L1 miss and the end of its
		 * wait for an L2 miss. 0: it hits. */
		uint64_t miss_until[2];
		struct {
			/* For a mispredicted branch: the core's values after it was fetched. */
			uint32_t branches_fetched, wrong_depth;
			uint64_t fetched_at;
		};
		struct {
			/* For a load that has not issued and that its set held back: since when,
			 * or NEVER if it depends on the store; and in the end how long. */
			uint64_t held_at, held_cycles;
		};
		uint64_t set; /* for a store, its store set; 0: none */
	};
};

_Static_assert(sizeof(struct detail) == 32, "half a cache line");

/* Instructions in the same queue compete for the same units. Ready instructions are kept by
 * queue, so that a queue whose units are used up is not searched. */
enum issue_queue { QUEUE_ALU, QUEUE_MEMORY, QUEUE_FP_LONG, QUEUE_OTHER, QUEUE_COUNT };

/* The queues of issue_queue.kind = split, which limit what dispatches. */
enum issue_class { ISSUE_INT, ISSUE_MEMORY, ISSUE_FP, ISSUE_CLASSES };

static inline enum issue_class issue_class_of(const struct entry *e)
{
	return e->queue == QUEUE_MEMORY				  ? ISSUE_MEMORY
	       : e->unit >= UNIT_FP_ADD && e->unit <= UNIT_FP_DIV ? ISSUE_FP
								  : ISSUE_INT;
}

_Static_assert(UNIT_FP_DIV - UNIT_FP_ADD == 2, "the floating-point units are neighbours");
_Static_assert(sizeof(struct entry) == 64, "a cache line");

/* The last writer of a register, and the cycle in which its value is available: NEVER if the
 * writer has not issued. */
struct reg_state {
	uint64_t writer, at;
};

/* Instructions fed in one cycle, up to `end`, may dispatch from cycle `at` on. */
struct fed_group {
	uint64_t end, at;
};

struct pending_store {
	uint64_t address, pc;
	uint64_t done_at; /* NEVER until it is written */
	/* As for a load in struct detail, once it is written, which begins at written_at. */
	uint64_t written_at, tlb_done_at, miss_until[2];
	uint32_t walk_cycles, queue_cycles;
	uint8_t bytes;
};

#define STORE_BUFFER_MAX 4096
#define BROUGHT_LINES	 256
/* With 256 entries stencil ran at 16.2 MIPS instead of 18.4: too many loads searched for a store
 * and found none. */
#define FILTER_ENTRIES 2048

struct ooo;

/* What a stage does in a cycle. Stages that are different for machines with and without a feature
 * have several functions, of which the core calls one: a machine does not pay for what it does not
 * have. */
typedef void ooo_stage(struct ooo *core);

struct ooo {
	struct core base;
	ooo_stage *issue, *dispatch;
	struct config config;
	struct predictor *predictor;

	struct entry *entries;
	struct detail *details;		/* same index as entries */
	struct step_ring accesses;	/* accesses of loads and stores; same index as entries */
	struct prediction *predictions; /* same index as entries */
	struct checkpoint *checkpoints; /* for mispredicted branches; same index */
	uint32_t slot_mask, mask_words;
	uint32_t stages, frontend_room;		 /* of frontend.h */
	uint64_t head, dispatched, fed, fetched; /* sequence numbers */
	uint64_t again_end; /* [fetched, again_end) are to be fetched again; 0: none */
	uint64_t passed;    /* instructions before this sequence number have passed the front end */
	struct fed_group *groups; /* a ring of the groups that are still in the front end */
	uint64_t group_first, group_last;
	uint32_t group_mask;

	uint64_t fetch_ready_at; /* the cycle in which an outstanding access delivers */
	uint64_t fetch_tlb_until, fetch_miss_until[MISS_LEVELS];
	uint64_t fetch_walk_from, fetch_queue_from; /* as in struct detail, as times */
	uint16_t fetch_tags;		/* tags of the instruction that fetch waits for */
	struct cycle_waits fetch_waits; /* those of fetch, as long as there are tags */
	bool has_drained;		/* since the last instruction fetched */
	struct decoded_chunk chunk;
	uint64_t misfetch_sequence; /* the branch whose target decode must supply; NEVER if none */
	uint64_t misfetch_until;
	uint64_t arrived[2];  /* lines that fetch has waited for; NEVER if none */
	uint32_t wrong_depth; /* number of unresolved mispredicted branches fetched */
	uint32_t branches_fetched, branches_committed; /* modulo 2^32, without squashed ones */
	/* The last run of cycles, [held_from, held_until], in which the front end was short of
	 * instructions because core.max_branches had held fetch: until branches_fetched has become
	 * hold_ends, so that every branch in flight was fetched since, or fetch waits for something
	 * else. held_until is NEVER while that lasts, held_from if there is no such run. */
	uint64_t held_from, held_until;
	uint32_t hold_ends;
	struct undo_log undo;

	struct reg_state regs[REG_COUNT];
	uint32_t iq_used, lsq_used;
	bool is_split; /* there is an issue queue for each enum issue_class */
	uint32_t split_used[ISSUE_CLASSES], split_size[ISSUE_CLASSES];
	bool window_serialised;
	/* One bit for each slot; QUEUE_COUNT masks of mask_words words each, by queue. */
	uint64_t ready[QUEUE_COUNT * MASK_WORDS];
	uint64_t hidden[MASK_WORDS]; /* loads that wait for the address of an older store */
	/* Loads that wait until a store they overlap issues, commits or is written. */
	uint64_t blocked[MASK_WORDS];
	bool has_hidden, has_blocked;
	/* A store has issued or was written: make blocked loads ready in the next cycle. */
	bool unblock;
	uint64_t visit_at; /* when blocked loads are tried again in any case; NEVER: not */
	uint64_t *wheel;   /* masks like `ready`, for each of the next WHEEL_SLOTS cycles */
	uint64_t wheel_used[WHEEL_SLOTS / 64]; /* cycles whose masks may have a bit set */
	uint64_t *resolving; /* sequence numbers of issued mispredicted branches */
	size_t resolving_count, resolving_capacity;
	uint64_t *stores; /* a ring of the sequence numbers of stores in the window, oldest first */
	uint64_t store_first, store_last;
	uint64_t unknown_from; /* position in `stores` of the oldest store without an address */
	/* The sequence number of that store if loads wait for it, else no_unknown_store. That is
	 * NEVER, so that no load is younger; or 0 with store sets, so that the same comparison
	 * finds all loads, which the sets decide on. */
	uint64_t unknown_store, no_unknown_store;
	bool is_conservative;
	uint16_t store_filter[FILTER_ENTRIES];
	bool has_sets; /* loads start before older stores have addresses */
	struct store_sets sets;
	/* With store sets: the stores that issued in the last cycle. */
	uint64_t known_stores[WIDTH_MAX];
	uint64_t *load_sources;	   /* by slot: the store that a load has read; 0: none */
	uint16_t *marks;	   /* by slot: RETIRED_DRAINED, _REPLAYED and _HELD */
	uint32_t *unit_waits;	   /* by slot, of operations of a pool: for one of a wrong path */
	uint32_t *tlb_waits;	   /* by slot: the TLB phase of a load */
	struct cycle_waits *waits; /* by slot: the waits of fetch, if there are such tags */
	unsigned known_count;
	/* By enum head_late: the last run of cycles, [since, until), in each of which all units of
	 * the kind were taken. */
	struct taken {
		uint64_t since, until;
	} taken[LATE_FP_MULDIV + 1];
	/* The cycle in which each unit of a pool is free; [0] integer, [1] floating point. */
	uint64_t div_free_at[2][16];
	uint64_t div_wrong_until[2]; /* until when an operation of a wrong path holds one */

	/* Committed stores not yet written. */
	struct pending_store *store_buffer;
	uint64_t buffer_first, buffer_written, buffer_last, buffer_limit;
	uint64_t store_retry_at;
	uint64_t drain_at; /* the first cycle in which the store buffer can change */

	uint64_t counters_at; /* the cycle in which an empty core may read counters */
	/* Since when the oldest instruction has been complete and without a store buffer entry,
	 * because of the same oldest store there: NEVER if it is not. */
	uint64_t store_waits_since;
	uint64_t store_waited_for;	   /* that store's number in the buffer */
	struct pending_store store_waited; /* as it was, if it has been written */
	bool store_is_written;		   /* else it waits for an MSHR, or to be written */
	bool store_finds_no_mshr;
	struct cycle_waits store_waits; /* for stores that have been written */
	/* Lines that wrong paths have brought in, by side, each until it is used; 0: none. */
	struct brought {
		uint64_t line;
		uint64_t since; /* when the mispredicted branch was fetched */
		uint32_t after; /* how long before */
		bool is_far;
	} brought[SIDE_COUNT][BROUGHT_LINES];
	uint64_t has_brought[SIDE_COUNT][BROUGHT_LINES / 64]; /* a bit for each of these */
	uint64_t line_masks[SIDE_COUNT];		      /* of the first caches */
	/* When the oldest mispredicted branch was fetched, and the last that has committed. */
	uint64_t wrong_since, retired_wrong_since;
};

static inline uint32_t ooo_slot(const struct ooo *core, const struct entry *e)
{
	return (uint32_t)(e - core->entries);
}

/* The number of instructions in the window that are older than this one. */
static inline uint32_t ooo_age(const struct ooo *core, uint32_t slot)
{
	return (slot - (uint32_t)core->head) & core->slot_mask;
}

/* The slot of the instruction that is fetched next. */
static inline uint32_t ooo_next_slot(const struct ooo *core)
{
	return (uint32_t)(core->fetched & core->slot_mask);
}

static inline uint32_t ooo_branches(const struct ooo *core)
{
	return core->branches_fetched - core->branches_committed;
}

static inline struct entry *ooo_entry(struct ooo *core, uint64_t sequence)
{
	return &core->entries[sequence & core->slot_mask];
}

/* Whether fetch delivers instructions again that a replay has squashed. */
static inline bool ooo_is_replaying(const struct ooo *core)
{
	return UNLIKELY(core->fetched < core->again_end);
}

static inline bool ooo_wants(const struct ooo *core, enum cycle_event_kind kind)
{
	return UNLIKELY(core->base.wants & EVENT_BIT(kind));
}

/* Whether an instruction writes to memory when it commits. */
static inline bool ooo_does_write(const struct ooo *core, const struct entry *e)
{
	return e->flags & ENTRY_STORE ||
	       (e->unit == UNIT_AMO && core->accesses.slots[ooo_slot(core, e)].bytes &&
		!insn_only_reserves(e->op));
}

/* retire.c: notes that the oldest instruction finds no room in the store buffer. */
void ooo_retire_note_store(struct ooo *core, enum head_late late);
/* Notes that a wrong path brings in the line of an address; `misses` are FETCH_MISS bits. */
void ooo_retire_note_line(struct ooo *core, enum hierarchy_side side, uint64_t address,
			  unsigned misses);
/* Writes what was asked for of the instructions [first, end), which commit in this cycle. */
void ooo_retire(struct ooo *core, uint64_t first, uint64_t end);
/* Of these, only events that are needed (core_need_events). */
void ooo_retire_needed(struct ooo *core, uint64_t first, uint64_t end);

/* Three stores write the event: a struct that narrow stores have put together on the stack could be
 * copied only when these have reached the cache. */
static inline __attribute__((always_inline)) void ooo_add_event(struct ooo *core,
								struct cycle_event event)
{
	_Static_assert(offsetof(struct cycle_event, wrong_path) == 1 &&
			       offsetof(struct cycle_event, mispredicted) == 2 &&
			       offsetof(struct cycle_event, insn_class) == 3 &&
			       offsetof(struct cycle_event, again) == 4 &&
			       offsetof(struct cycle_event, detail) == 6 &&
			       offsetof(struct cycle_event, slot) == 8 &&
			       offsetof(struct cycle_event, amount) == 12 &&
			       offsetof(struct cycle_event, pc) == 16,
		       "put together below");
	if (!(core->base.wants & EVENT_BIT(event.kind)))
		return;
	const uint64_t first = event.kind | (uint64_t)event.wrong_path << 8 |
			       (uint64_t)event.mispredicted << 16 |
			       (uint64_t)event.insn_class << 24 | (uint64_t)event.again << 32 |
			       (uint64_t)event.detail << 48;
	const uint64_t second = event.slot | (uint64_t)event.amount << 32;
	struct cycle_event *to = core_next_event(&core->base);

	core->base.record->event_kinds |= EVENT_BIT(event.kind);
	memcpy(to, &first, sizeof(first));
	memcpy(&to->slot, &second, sizeof(second));
	to->pc = event.pc;
}

/* As much of a 64-bit number as fits into 32 bits. */
static inline uint32_t ooo_at_most_32_bits(uint64_t number)
{
	return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

/* Adds the event of a miss that begins with an access. */
static inline void ooo_event_miss(struct ooo *core, enum cycle_event_kind kind, uint32_t slot,
				  uint64_t pc, unsigned flags, unsigned detail,
				  const struct access_result *result)
{
	ooo_add_event(core, (struct cycle_event){
				    .kind = (uint8_t)kind,
				    .wrong_path = !!(flags & ENTRY_WRONG),
				    .mispredicted = !!(flags & ENTRY_MISPREDICTED),
				    .detail = (uint16_t)detail,
				    .slot = slot,
				    .amount = ooo_at_most_32_bits(result->queue_cycles),
				    .pc = pc,
			    });
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

/* Adds the event of a branch, which is no longer mispredicted once it has resolved. */
static inline void ooo_event_branch(struct ooo *core, enum cycle_event_kind kind,
				    const struct entry *e)
{
	unsigned flags = e->flags;

	ooo_event_at(core, kind, ooo_slot(core, e), e->pc,
		     flags & ENTRY_RESOLVED ? flags & ~ENTRY_MISPREDICTED : flags, 0);
}

_Static_assert((int)CLASS_RETURN - CLASS_CONDITIONAL == (int)CONTROL_RETURN - CONTROL_CONDITIONAL,
	       "control transfers in the order of enum control");

/* Adds an event with the instruction's class; `again` is not 0 if it is not the first such event
 * of the instruction. */
static inline void ooo_event_of_class(struct ooo *core, enum cycle_event_kind kind,
				      const struct entry *e, unsigned detail, unsigned again)
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
								 : core_classes[e->unit],
					   .again = again != 0,
					   .detail = (uint16_t)detail,
					   .slot = ooo_slot(core, e),
					   .pc = e->pc});
}

/* Adds the event of an access that hit in TLB and L1 at once. */
static inline unsigned ooo_access_marks(enum cycle_event_kind kind, unsigned flags)
{
	return (kind == EVENT_STORE_ACCESS ? ACCESS_STORES : 0) |
	       (flags & ENTRY_WRONG ? ACCESS_WRONG : 0);
}

static inline void ooo_note_hit(struct ooo *core, enum cycle_event_kind kind, uint64_t pc,
				uint64_t address, unsigned flags)
{
	if (core->base.wants & EVENTS_ACCESSES && kind != EVENT_FETCH_ACCESS)
		core_add_hit(&core->base, pc, address, ooo_access_marks(kind, flags));
}

static inline void ooo_event_plain(struct ooo *core, enum cycle_event_kind kind, uint32_t slot,
				   uint64_t pc, uint64_t address, unsigned flags)
{
	if (UNLIKELY(core->base.plain_wants & EVENT_BIT(kind))) {
		ooo_note_hit(core, kind, pc, address, flags);
		ooo_add_event(core,
			      (struct cycle_event){.kind = (uint8_t)kind,
						   .wrong_path = !!(flags & ENTRY_WRONG),
						   .detail = (uint16_t)(MEMORY_EVENT(plain) + kind -
									EVENT_FETCH_ACCESS),
						   .amount = 1,
						   .slot = slot,
						   .pc = pc});
	}
}

static inline unsigned ooo_misses(const struct ooo *core, const struct access_result *result)
{
	return core_misses(result, core->config.cache_levels, core->base.now);
}

static inline unsigned ooo_wait_level(const struct ooo *core, const uint64_t miss_until[2])
{
	return core_wait_level(core->base.now, miss_until);
}

static inline void mask_set(uint64_t *mask, uint32_t slot)
{
	mask[slot / 64] |= UINT64_C(1) << (slot % 64);
}

static inline void mask_clear(uint64_t *mask, uint32_t slot)
{
	mask[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
}

/* Makes loads that waited for a store ready again. */
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

/* Records that all units of a kind are taken from this cycle to the one before `until`. */
static inline void ooo_take_all(struct ooo *core, enum head_late kind, uint64_t until)
{
	struct taken *taken = &core->taken[kind];
	const uint64_t now = core->base.now, since = taken->since;

	taken->since = taken->until < now ? now : since;
	taken->until = until;
}

/* Whether all units of a kind were taken in the last cycle. */
static inline bool ooo_was_taken(const struct ooo *core, enum head_late kind)
{
	return core->taken[kind].until == core->base.now;
}

/* Records how late an instruction is that issues now and was ready in cycle `ready`, after all
 * units of its kind were taken in the last cycle. */
static inline void ooo_delay(const struct ooo *core, struct entry *e, enum head_late kind,
			     uint64_t ready)
{
	uint64_t since = core->taken[kind].since;

	e->ready_at = e->complete_at - (core->base.now - (ready > since ? ready : since));
	e->waiting = (uint16_t)kind;
	e->flags |= ENTRY_DELAYED;
}

/* commit.c: what makes the oldest instruction late in cycle `now`, which it is not complete in. */
uint8_t ooo_late_state(const struct ooo *core, const struct entry *e, uint64_t now);

/* Makes a load or store that cannot start not ready until a store issues, commits or is written. */
static inline void ooo_block(struct ooo *core, uint32_t slot)
{
	mask_clear(core->ready + QUEUE_MEMORY * core->mask_words, slot);
	mask_set(core->blocked, slot);
	core->has_blocked = true;
}

static inline bool ooo_overlap(uint64_t address, unsigned bytes, const struct step_access *load)
{
	return address < load->address + load->bytes && load->address < address + bytes;
}

/* configure.c: takes over the parameters of a configuration, before the first cycle or between two.
 * Instructions in flight keep the times that they have. */
void ooo_configure(struct ooo *core, const struct config *config);
/* Makes room for so many instructions in flight, a power of two; they move to their new slots. */
void ooo_grow_ring(struct ooo *core, uint32_t slots);
/* The stages, oldest instructions first; one file each. */
void ooo_resolve(struct ooo *core);
void ooo_commit(struct ooo *core);
ooo_stage *ooo_choose_issue(const struct ooo *core);
ooo_stage *ooo_choose_dispatch(const struct ooo *core);
void ooo_fetch(struct ooo *core);
void ooo_feed(struct ooo *core);

/* Makes the instruction in `slot` ready in cycle `at`, which is later than `now`, when all its
 * sources are available. `words` is mask_words, a constant where this is inlined. */
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

/* With store sets: blocked loads are tried again in cycle `at`, or before it. */
static inline void ooo_visit(struct ooo *core, uint64_t at)
{
	uint64_t last = core->base.now + WHEEL_SLOTS - 1;

	at = at < last ? at : last;
	if (at < core->visit_at)
		core->visit_at = at;
	mask_set(core->wheel_used, (uint32_t)(at % WHEEL_SLOTS));
}

/* Makes an instruction that could not start ready again in cycle `at`. */
static inline void ooo_park(struct ooo *core, struct entry *e, uint64_t at)
{
	uint32_t slot = ooo_slot(core, e), words = core->mask_words;

	mask_clear(core->ready + e->queue * words, slot);
	e->ready_at = at;
	ooo_schedule(core, core->wheel, e->queue, slot, core->base.now, at, words);
}

/* issue.c: removes `count` slots from `first` on from all masks. */
void ooo_unschedule(struct ooo *core, uint32_t first, uint32_t count);
/* lsq.c */
void ooo_lsq_add_store(struct ooo *core, struct entry *e, uint64_t sequence);
void ooo_lsq_squash_store(struct ooo *core, struct entry *e);
void ooo_lsq_commit_store(struct ooo *core, struct entry *e);
static inline bool ooo_store_buffer_has_room(const struct ooo *core)
{
	return core->buffer_last - core->buffer_first < core->buffer_limit;
}
/* Advances past the stores that have issued before this cycle and so have an address. */
void ooo_lsq_know_addresses(struct ooo *core);
/* What loads wait for has changed: all of them are tried again. */
void ooo_lsq_change_disambiguation(struct ooo *core);
/* Starts a load. True if it issued; otherwise it waits in the wheel or in a mask. */
bool ooo_lsq_start_load(struct ooo *core, struct entry *e, uint32_t slot);
void ooo_store_buffer_put(struct ooo *core, const struct entry *e);
void ooo_store_buffer_drain(struct ooo *core);
/* recover.c: squashes the load and everything younger, to be fetched again. */
void ooo_replay(struct ooo *core, uint64_t load);
/* disambiguate.c: what is done with store sets alone. */
void ooo_sets_add_load(struct ooo *core, const struct entry *e, uint32_t slot);
void ooo_sets_add_store(struct ooo *core, const struct entry *e, uint64_t sequence);
/* True if a load that may start has to wait for a store of its set; it is then not ready. */
bool ooo_sets_hold_load(struct ooo *core, uint32_t slot);
/* True if a store that may issue has to wait for another of its set; it is then not ready. */
bool ooo_sets_hold_store(struct ooo *core, uint32_t slot);
void ooo_sets_store_issued(struct ooo *core, uint32_t slot);
void ooo_sets_squash_store(struct ooo *core, uint32_t slot, uint64_t sequence);
/* Compares the stores whose addresses are known since the last cycle with younger loads. */
void ooo_sets_check(struct ooo *core);
/* Store sets begin in the middle of a run: nothing in the window is in a set or was wrong. */
void ooo_sets_begin(struct ooo *core);
/* skip.c: the next cycle in which the state can change. */
uint64_t ooo_next_event(const struct ooo *core);

#endif
