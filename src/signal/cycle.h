/*
 * cycle.h - what a core did in one cycle: its only output.
 *
 * Counts, stall reasons and flags, plus the short list of instruction events of the cycle. A run
 * of equal cycles without events, found by skipping ahead, is one record with `repeat` > 1.
 * Observers read the record and change nothing. An observer that needs more information needs a
 * new field here; it never reads the core's own state.
 *
 * Fields marked "oracle" hold what hardware could not know at that time: whether an instruction is
 * on the wrong path.
 *
 * `totals` and `memory` are running totals: the counts over any part of a run are a difference of
 * two readings, even if no observer read the cycles in between. Events name the instructions that
 * caused the counts.
 */
#ifndef SIGNAL_CYCLE_H
#define SIGNAL_CYCLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem/events.h"

/* Why fetch delivered no instruction. */
enum fetch_stall {
	FETCH_NONE,	 /* it delivered at least one */
	FETCH_ITLB,	 /* waits for the I-TLB */
	FETCH_L1I,	 /* missed in the L1I: waits for the next level or memory */
	FETCH_L2I,	 /* missed in the L2: waits for the next level or memory */
	FETCH_L3I,	 /* missed in the L3: waits for memory */
	FETCH_BUFFER,	 /* no room in the fetch buffer */
	FETCH_MISFETCH,	 /* decode must supply a target first */
	FETCH_TAKEN,	 /* the bubbles behind a branch predicted taken; in-order cores only */
	FETCH_BRANCHES,	 /* core.max_branches branches are in flight */
	FETCH_NOWHERE,	 /* an indirect target is unknown, or the wrong path ended */
	FETCH_SERIALISE, /* a serialising instruction or thread switch drains the core */
	FETCH_DONE,	 /* the program has ended */
};

/* Why dispatch used less than its width. */
enum dispatch_stall {
	DISPATCH_NONE,
	DISPATCH_EMPTY, /* no instruction has passed the front end */
	DISPATCH_ROB,
	DISPATCH_IQ,
	DISPATCH_LSQ,
	DISPATCH_ORDER, /* in order: the next instruction cannot issue; head_state says why */
	DISPATCH_SERIALISE,
	/* No instruction has passed the front end, because core.max_branches were in flight when it
	 * would have been fed: the window is not empty, and as full as that limit lets it be. */
	DISPATCH_BRANCHES,
};

/* What the oldest instruction in the window is doing. An in-order core that cannot issue
 * (DISPATCH_ORDER) says it of the instruction that stops issue, and head_pc is its pc: one that
 * holds the pipeline or whose result is needed, the first of a pair that the second cannot join, or
 * the next instruction itself if it finds no room in the write buffer (HEAD_STORE); but if the
 * store being written waits for its line, that store and its miss. */
enum head_state {
	HEAD_EMPTY,    /* the window is empty */
	HEAD_DONE,     /* complete, but the commit width is used up or the run ends before it */
	HEAD_STORE,    /* complete, but no store buffer entry is free */
	HEAD_WAITS,    /* not issued */
	HEAD_EXECUTES, /* executes in a unit of one cycle */
	HEAD_UNIT,     /* executes in a unit of more than one cycle */
	HEAD_DTLB,     /* in its D-TLB phase */
	HEAD_L1D,      /* missed in the L1D: waits for the next level or memory */
	HEAD_L2D,      /* missed in the L2: waits for the next level or memory */
	HEAD_L3D,      /* missed in the L3: waits for memory */
	HEAD_MSHR,     /* a load that found no MSHR free */
};

/* Why the wait that head_state or fetch_stall names is not over yet; 0: it would not be in any
 * case. */
enum cycle_excess {
	EXCESS_HEAD_WALK = 1,	   /* the loads of its page walk missed in the L1D */
	EXCESS_HEAD_BANDWIDTH = 2, /* memory was busy */
	EXCESS_FETCH_WALK = 4,
	EXCESS_FETCH_BANDWIDTH = 8,
};

/* Why the oldest instruction is not complete, or cannot commit, although it could have been by
 * now: head_state says what it does, this what made it late. An instruction that began n cycles
 * later than it could have would have been complete n cycles earlier; in those last n cycles it is
 * late. */
enum head_late {
	LATE_NONE,
	/* It was ready and did not issue, because all units of its kind were taken. */
	LATE_INT_ALU,
	LATE_INT_MULDIV,
	LATE_MEMORY, /* ports */
	LATE_FP_ADD,
	LATE_FP_MULDIV,
	LATE_WAIT, /* a load that its store set held back for a store it did not depend on */
	/* A store without a store buffer entry, because the oldest store there */
	LATE_STORE_DTLB, /* is in its D-TLB phase */
	LATE_STORE_L1D,	 /* missed in the L1D: waits for the next level or memory */
	LATE_STORE_L2D,	 /* missed in the L2: waits for the next level or memory */
	LATE_STORE_L3D,	 /* missed in the L3: waits for memory */
	LATE_STORE_MSHR, /* found no MSHR free */
};

/* A record has the kinds of events that were asked for (want_events of struct core_kind). The
 * first eight are EVENTS_USUAL. */
enum cycle_event_kind {
	EVENT_COMMIT,	    /* a branch, or an instruction with tags, commits; in program order */
	EVENT_BRANCH_FETCH, /* a conditional, indirect or return branch was fetched */
	EVENT_BRANCH_DISPATCH,
	/* A mispredicted branch resolves; all younger instructions are squashed. */
	EVENT_MISPREDICT,
	/* A load has read before an older store had its address, and the store overlaps it: the
	 * load and all younger instructions are squashed and fetched again. `amount` is the number
	 * of branches among them. */
	EVENT_REPLAY,
	EVENT_FETCH_MISS,   /* a miss begins; the instruction that waits for it will be tagged */
	EVENT_LOAD_MISS,    /* a miss begins; the load is tagged */
	EVENT_STORE_MISS,   /* a miss begins, after the store has committed */
	EVENT_COMMIT_PLAIN, /* any other instruction commits; in program order with EVENT_COMMIT */
	EVENT_FETCH,	    /* an instruction was delivered by fetch */
	EVENT_DISPATCH,	    /* an instruction entered the window */
	/* An instruction began to execute. `amount` is the number of cycles until it is complete
	 * (oracle); 0 if that is not known, as for a store, whose data may come later. */
	EVENT_ISSUE,
	EVENT_SQUASH,	/* an instruction was squashed */
	EVENT_MISFETCH, /* decode must supply the target of a direct branch */
	EVENT_FORWARD,	/* a load was served by a store that is not written yet */
	EVENT_THREAD_SWITCH,
	/* An access to memory changed a counter: `detail` is its MEMORY_EVENT, `amount` the
	 * increment. */
	EVENT_FETCH_ACCESS,
	EVENT_LOAD_ACCESS,
	EVENT_STORE_ACCESS,
	EVENT_KINDS
};

#define EVENT_BIT(kind) (UINT32_C(1) << (kind))
#define EVENTS_USUAL	(EVENT_BIT(EVENT_COMMIT_PLAIN) - 1)
/* Asked for like a kind of events: the lists `retired` and `waits` of a record; the list
 * `useful_pcs`; the list `committed_pcs`; the list `transfers`; EVENT_BRANCH_DISPATCH of those
 * mispredicted branches alone that are on the right path, unless it is asked for of all;
 * `accesses`. */
#define EVENTS_RETIRED	 EVENT_BIT(EVENT_KINDS)
#define EVENTS_USEFUL	 EVENT_BIT(EVENT_KINDS + 1)
#define EVENTS_MISTAKEN	 EVENT_BIT(EVENT_KINDS + 2)
#define EVENTS_COMMITTED EVENT_BIT(EVENT_KINDS + 3)
#define EVENTS_TRANSFERS EVENT_BIT(EVENT_KINDS + 4)
#define EVENTS_ACCESSES	 EVENT_BIT(EVENT_KINDS + 5)
_Static_assert(EVENT_KINDS + 5 < 32, "a bit for each kind and list");
/* Each event that an instruction has when it commits. */
#define EVENTS_OF_COMMIT (EVENT_BIT(EVENT_COMMIT) | EVENT_BIT(EVENT_COMMIT_PLAIN))

/* Classes of instructions that are counted separately. */
enum insn_class {
	CLASS_INTEGER,
	CLASS_MULTIPLY,
	CLASS_DIVIDE,
	CLASS_LOAD,
	CLASS_STORE,
	CLASS_ATOMIC,
	CLASS_FP_ADD,	   /* also compare, convert and move */
	CLASS_FP_MULTIPLY, /* also fused multiply-add */
	CLASS_FP_DIVIDE,   /* also square root */
	CLASS_FENCE,
	CLASS_CSR,
	CLASS_SYSTEM,
	CLASS_CONDITIONAL,
	CLASS_JUMP,
	CLASS_CALL,
	CLASS_INDIRECT,
	CLASS_INDIRECT_CALL,
	CLASS_RETURN,
	CLASS_COUNT
};

/* `detail` of an event: the misses that begin with it; at commit, the instruction's tags. A miss
 * that merges with an outstanding one, or that an ideal switch hides, sets no FETCH_MISS or
 * DATA_MISS bit; the FETCH_WAIT bits are what the instruction waited for when it was fetched. An
 * L2 miss is also an L1 miss. */
enum {
	FETCH_MISS_TLB = 1,
	FETCH_MISS_L1 = 2,
	FETCH_MISS_L2 = 4,
	FETCH_MISS_L3 = 8,
	FETCH_WAIT_TLB = 16,
	FETCH_WAIT_L1 = 32,
	FETCH_WAIT_L2 = 64,
	FETCH_WAIT_L3 = 128,
	DATA_MISS_TLB = 256,
	DATA_MISS_L1 = 512,
	DATA_MISS_L2 = 1024,
	DATA_MISS_L3 = 2048,
	COMMIT_BRANCH = 4096,
	COMMIT_MISPREDICTED = 8192,
	COMMIT_TAKEN = 16384,  /* a taken branch or jump */
	COMMIT_WRITES = 32768, /* a store, or an atomic that stores */
	FETCH_WAITS = FETCH_WAIT_TLB | FETCH_WAIT_L1 | FETCH_WAIT_L2 | FETCH_WAIT_L3,
};

struct cycle_event {
	uint8_t kind;
	uint8_t wrong_path;   /* oracle */
	uint8_t mispredicted; /* oracle; set when a branch is fetched and dispatched */
	uint8_t insn_class;   /* enum insn_class, in EVENT_FETCH .. EVENT_SQUASH and commits */
	/* In EVENT_FETCH, EVENT_DISPATCH and EVENT_ISSUE: not for the first time, because of a
	 * replay. */
	uint8_t again;
	uint16_t detail;
	uint32_t slot; /* identifies the instruction while it is in flight */
	/* When a miss begins, by how many cycles a busy memory makes it longer. */
	uint32_t amount;
	uint64_t pc;
};

_Static_assert(sizeof(struct cycle_event) == 24, "events are written often");

/* Which events of the kinds asked for are of use: a core may leave out others. */
struct event_needs {
	uint16_t commits; /* those EVENT_COMMIT that have one of these bits in `detail` */
	bool accesses[MEMORY_EVENT_COUNT]; /* accesses, by their `detail` */
};

/* An instruction that commits, with what timing it again needs to know (count/retime.h). All of it
 * is known to the core when the instruction commits. */
enum retired_marks {
	RETIRED_BRANCH = 1, /* conditional, indirect or return */
	RETIRED_TAKEN = 2,  /* a taken branch or jump */
	RETIRED_MISPREDICTED = 4,
	RETIRED_MISFETCHED = 8, /* decode had to supply its target */
	RETIRED_SERIALISES = 16,
	RETIRED_DRAINED = 32, /* fetch waited until the core was empty before it fetched this */
	RETIRED_LOADS = 64,
	RETIRED_STORES = 128,	/* it has written to the store buffer */
	RETIRED_REPLAYED = 256, /* a load that read too early, and was fetched again */
	RETIRED_HELD = 512,	/* its store set held it back */
	/* It hit in a line that a wrong path has brought in from the next level, or from further
	 * away, and that no instruction has used since: of a load, of a fetch. */
	RETIRED_DATA_BROUGHT = 1024,
	RETIRED_DATA_BROUGHT_FAR = 2048,
	RETIRED_FETCH_BROUGHT = 4096,
	RETIRED_FETCH_BROUGHT_FAR = 8192,
};

struct cycle_retired {
	uint64_t pc;
	uint64_t address;  /* of its access to memory */
	uint8_t rd, rs[3]; /* as in struct insn */
	uint8_t reserved;
	uint8_t unit;	    /* enum unit */
	uint8_t bytes;	    /* of the instruction */
	uint8_t accessed;   /* bytes of memory; 0: none */
	uint16_t marks;	    /* enum retired_marks */
	uint16_t tags;	    /* FETCH_MISS_TLB .. DATA_MISS_L3 */
	uint32_t has_waits; /* one of the record's `waits` is of this instruction, in order */
};

_Static_assert(sizeof(struct cycle_retired) == 32, "half a cache line");

/* For how many cycles an instruction waited: its fetch, and the data of a load after the latency of
 * an L1D hit. By phase: TLB, then misses in the L1, L2, L3. `walk` and `queue` are the parts of
 * these due to misses of the page walk and to a busy memory. */
struct cycle_waits {
	uint32_t fetch[4], fetch_walk, fetch_queue;
	uint32_t data[4], data_walk, data_queue;
	/* Complete, but without a store buffer entry: by phases of the oldest store there, in
	 * proportion to how long it takes in each, since with a full buffer one place is free as
	 * often as stores take time; [4]: in none of the phases. */
	uint32_t store[5];
	uint32_t store_walk, store_queue; /* parts of these, as above */
	uint32_t unit;			  /* for a unit that an operation of a wrong path held */
	/* Not a wait: if the wrong path of the last mispredicted branch has brought in its line,
	 * how long after the branch was fetched; 0 if that of an earlier one has. */
	uint32_t fetch_brought, data_brought;
};

/* Where the program, or Linux in its place, leaves the order of the instructions in memory. */
enum transfer_kind {
	TRANSFER_CALL,	 /* a jump that writes a link register, x1 or x5 */
	TRANSFER_JUMP,	 /* any other jump, direct or not; no conditional branch */
	TRANSFER_RETURN, /* a jump to what a link register has */
	TRANSFER_LAST,	 /* as TRANSFER_RETURN; the call that is measured ends with it */
	/* Fetch stops at an instruction that calls Linux, or that a signal or another thread may
	 * follow; `target` is its address or that of the next, `pc` and `next` are the same. */
	TRANSFER_LEAVE,
	/* Linux lets the program go on at `target`, maybe in another thread: when the core is
	 * empty; now. */
	TRANSFER_ENTER_LATER,
	TRANSFER_ENTER,
};

/* Oracle: on the right path, when it is fetched for the first time. */
struct cycle_transfer {
	uint64_t pc, next; /* of the instruction, and behind it */
	uint64_t target;
	uint64_t sp;	       /* the stack pointer then */
	uint64_t arguments[3]; /* a0, a1, a2 then: of a call's, or the first is a result */
	uint32_t thread;
	/* How many instructions that are fetched in this cycle on the right path for the first time
	 * precede the target, itself included. */
	uint16_t after;
	uint16_t kind; /* enum transfer_kind */
};

/* At most so many in a cycle: one ends a group of instructions. */
#define CYCLE_TRANSFERS_MAX 32

/* What a core has counted since its creation. */
struct core_totals {
	uint64_t cycles, committed, fetched, dispatched, issued, squashed;
	uint64_t wrong_fetched; /* oracle: those on wrong paths or fetched again */
	uint64_t branches, mispredictions, conditional, conditional_mispredictions;
	uint64_t indirect_mispredictions, return_mispredictions;
	uint64_t misfetches; /* only those on the right path */
	uint64_t loads, stores, forwarded, serialised, thread_switches;
	uint64_t replays,
		held_loads; /* loads that read too early; loads that their set held back */
};

/* What an access to data in one line did. Without a bit for the L1 it hit there. */
enum access_marks {
	ACCESS_STORES = 1,
	ACCESS_WRONG = 2,      /* oracle: on a wrong path */
	ACCESS_L1_PENDING = 4, /* the line was on its way */
	ACCESS_L1_MISS = 8,
	ACCESS_L2 = 16, /* the L2 was asked too */
	ACCESS_L2_MISS = 32,
	ACCESS_L3 = 64,
	ACCESS_L3_MISS = 128,
	ACCESS_TLB_MISS = 256, /* in the first TLB */
	ACCESS_WALK = 512,     /* no TLB had the page */
};

struct cycle_access {
	uint64_t pc, address; /* of a byte in the line */
	uint16_t marks;	      /* enum access_marks */
};

struct cycle_accesses {
	/* Of the access that is waited for, where head_state or head_late name a phase of an
	 * access: that of the oldest instruction, or of the oldest store that is not written. */
	uint64_t head_address, head_by; /* and its instruction */
	struct cycle_access *items;
	size_t count, capacity;
};

struct cycle {
	uint64_t number; /* number of the record's first cycle */
	uint64_t repeat; /* number of equal cycles in the record */
	uint16_t fetched, fed, dispatched, issued, committed;
	/* Oracle: those on the right path that did so for the first time. */
	uint16_t useful_fetched, useful_dispatched, useful_issued;
	uint16_t again_dispatched; /* oracle: those on the right path, not for the first time */
	uint16_t fetch_stall, dispatch_stall, head_state;
	uint16_t excess;     /* enum cycle_excess bits */
	uint16_t head_late;  /* oracle: enum head_late */
	uint16_t wrong_path; /* oracle: fetch is on a wrong path */
	uint16_t squashed;
	uint16_t buffer_used, rob_used, iq_used, lsq_used, store_buffer_used;
	uint16_t width; /* dispatch slots in each cycle */
	/* The window is empty before dispatch, and an instruction has been fetched. */
	uint16_t is_fronted;
	/* If is_fronted, the FETCH_WAITS bits of the next instruction to dispatch. */
	uint16_t front_waits;
	uint32_t event_count;
	uint32_t event_kinds; /* EVENT_BIT(kind) for each kind of event in `events` */
	uint32_t thread;      /* the thread whose instructions are in the core */
	uint32_t wait_count;  /* of `waits` */
	uint64_t head_pc;
	uint64_t fetch_pc; /* the next instruction to fetch, or the one that fetch waits for */
	/* What a pointer leads to is kept by machine/observer_thread.c, or is NULL there. */
	const struct cycle_event *events;
	/* Oracle: the useful_dispatched instructions, if EVENTS_USEFUL was asked for. */
	const uint64_t *useful_pcs;
	/* The `committed` instructions in program order, and the waits of those that have any; only
	 * if EVENTS_RETIRED was asked for, else NULL. */
	const struct cycle_retired *retired;
	const struct cycle_waits *waits;
	/* Everything counted since the start, this record's cycles included. */
	const struct core_totals *totals;
	const struct memory_events *memory;
	/* The `committed` instructions in program order, if EVENTS_COMMITTED was asked for, else
	 * NULL. */
	const uint64_t *committed_pcs;
	/* Oracle: in program order, if EVENTS_TRANSFERS was asked for. Not kept by
	 * machine/observer_thread.c. */
	const struct cycle_transfer *transfers;
	/* Every look-up of data in the L1D, in the order in which they were made, if
	 * EVENTS_ACCESSES was asked for. Not kept by machine/observer_thread.c. */
	const struct cycle_accesses *accesses;
	uint32_t transfer_count;
};

_Static_assert(offsetof(struct cycle, totals) <= 128, "two cache lines");

/* At most so many instructions are dispatched or commit in a cycle. */
#define CYCLE_WIDTH_MAX 16

/* Where a core writes its next record, and the lists of that. `useful_pcs`, `retired` and `waits`
 * have room for CYCLE_WIDTH_MAX; `grow` makes more for events and keeps those written. They are the
 * core's own, or belong to an observer that keeps records, which moves them on when it has one. */
struct cycle_lists {
	struct cycle *record;
	uint32_t record_count; /* places of records from this one on, when a core is given them */
	struct cycle_event *events;
	uint64_t *useful_pcs;
	struct cycle_retired *retired;
	struct cycle_waits *waits;
	uint32_t event_capacity;
	void (*grow)(struct cycle_lists *lists);
};

#endif
