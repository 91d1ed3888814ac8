/*
 * cycle.h - what a core did in one cycle: its only output.
 *
 * Counts, stall reasons and flags, plus the short list of instruction events of
 * the cycle. A run of equal cycles without events, found by skipping ahead, is
 * one record with `repeat` > 1. Observers read it and change nothing; what they
 * need and do not find here is a field to add, never a way round.
 *
 * Fields marked "oracle" know what hardware could not know at that time: whether
 * an instruction is on the wrong path.
 *
 * `totals` and `memory` are running totals, so that what happened over any stretch of a
 * run is a difference, whether or not anybody observed each cycle of it; events say to
 * which instructions it happened.
 */
#ifndef SIGNAL_CYCLE_H
#define SIGNAL_CYCLE_H

#include <stdint.h>

#include "mem/events.h"

/* Why fetch delivered nothing. */
enum fetch_stall {
	FETCH_NONE,	 /* it delivered something */
	FETCH_ITLB,	 /* waits for the I-TLB */
	FETCH_L1I,	 /* missed in the L1I: waits for the next level */
	FETCH_L2I,	 /* missed in the L2 as well: waits for the one after that */
	FETCH_L3I,	 /* missed in the L3 too: waits for memory */
	FETCH_BUFFER,	 /* no room in the fetch buffer */
	FETCH_MISFETCH,	 /* decode must supply a target first */
	FETCH_BRANCHES,	 /* core.max_branches in flight */
	FETCH_NOWHERE,	 /* an indirect target is unknown, or the wrong path ended */
	FETCH_SERIALISE, /* a serialising instruction or thread switch drains the core */
	FETCH_DONE,	 /* the program has ended */
};

/* Why dispatch was not full. */
enum dispatch_stall {
	DISPATCH_NONE,
	DISPATCH_EMPTY, /* the front end had nothing to give */
	DISPATCH_ROB,
	DISPATCH_IQ,
	DISPATCH_LSQ,
	DISPATCH_SERIALISE,
};

/* What the oldest instruction in the window is doing. */
enum head_state {
	HEAD_EMPTY,    /* there is none */
	HEAD_DONE,     /* complete: it commits, or the store buffer keeps it */
	HEAD_STORE,    /* complete, but no store buffer entry is free */
	HEAD_WAITS,    /* not issued */
	HEAD_EXECUTES, /* in a unit of one cycle */
	HEAD_UNIT,     /* in a unit of more than one */
	HEAD_DTLB,     /* in its D-TLB phase */
	HEAD_L1D,      /* missed in the L1D: waits for the next level */
	HEAD_L2D,      /* missed in the L2 as well: waits for the one after that */
	HEAD_L3D,      /* missed in the L3 too: waits for memory */
	HEAD_MSHR,     /* a load that found no MSHR free */
};

/* The first seven are there whenever anybody observes; the others only if asked for. */
enum cycle_event_kind {
	EVENT_COMMIT,	    /* a branch, or an instruction with tags; in order */
	EVENT_BRANCH_FETCH, /* conditional, indirect or return */
	EVENT_BRANCH_DISPATCH,
	EVENT_MISPREDICT,   /* resolved: a misprediction; everything younger is gone */
	EVENT_FETCH_MISS,   /* begun: the instruction waited for will be tagged with it */
	EVENT_LOAD_MISS,    /* begun: the load is tagged with it */
	EVENT_STORE_MISS,   /* begun, after the store has committed */
	EVENT_COMMIT_PLAIN, /* any other commit; in order with EVENT_COMMIT */
	EVENT_FETCH,	    /* an instruction was delivered by fetch */
	EVENT_DISPATCH,	    /* an instruction entered the window */
	EVENT_ISSUE,	    /* an instruction began to execute */
	EVENT_SQUASH,	    /* an instruction was taken back */
	EVENT_MISFETCH,	    /* decode must supply the target of a direct branch */
	EVENT_FORWARD,	    /* a load was served by a store that is not written yet */
	EVENT_THREAD_SWITCH,
	/* An access to memory had an effect: `detail` is its MEMORY_EVENT, `amount` how often. */
	EVENT_FETCH_ACCESS,
	EVENT_LOAD_ACCESS,
	EVENT_STORE_ACCESS,
	EVENT_KINDS
};

#define EVENT_BIT(kind) (UINT32_C(1) << (kind))
#define EVENTS_USUAL	(EVENT_BIT(EVENT_COMMIT_PLAIN) - 1)

/* What an instruction is, as counts tell them apart. */
enum insn_class {
	CLASS_INTEGER,
	CLASS_MULTIPLY,
	CLASS_DIVIDE,
	CLASS_LOAD,
	CLASS_STORE,
	CLASS_ATOMIC,
	CLASS_FP_ADD,	   /* and compare, convert, move */
	CLASS_FP_MULTIPLY, /* and fused */
	CLASS_FP_DIVIDE,   /* and square root */
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

/* `detail` of an event: the misses that begin with it; at commit, the instruction's
 * tags. A miss that merged with one under way, and one an ideal switch hides, is none;
 * what the instruction waited for when it was fetched is told apart from that. An L2
 * miss is also an L1 miss. */
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
	COMMIT_TAKEN = 16384,  /* of a branch or jump */
	COMMIT_WRITES = 32768, /* a store, or an atomic that stores */
	FETCH_WAITS = FETCH_WAIT_TLB | FETCH_WAIT_L1 | FETCH_WAIT_L2 | FETCH_WAIT_L3,
};

struct cycle_event {
	uint8_t kind;
	uint8_t wrong_path;   /* oracle */
	uint8_t mispredicted; /* oracle, of a branch's fetch and dispatch */
	uint8_t insn_class;   /* of EVENT_FETCH .. EVENT_SQUASH and commits */
	uint16_t detail;
	uint32_t slot; /* names the instruction while it is in flight */
	uint32_t amount;
	uint64_t pc;
};

_Static_assert(sizeof(struct cycle_event) == 24, "events are written often");

/* What a core has counted since it began. */
struct core_totals {
	uint64_t cycles, committed, fetched, dispatched, issued, squashed;
	uint64_t wrong_fetched; /* oracle */
	uint64_t branches, mispredictions, conditional, conditional_mispredictions;
	uint64_t indirect_mispredictions, return_mispredictions;
	uint64_t misfetches; /* on the right path */
	uint64_t loads, stores, forwarded, serialised, thread_switches;
};

struct cycle {
	uint64_t number; /* of the first cycle the record stands for */
	uint64_t repeat; /* how many equal cycles it stands for */
	uint16_t fetched, fed, dispatched, issued, committed;
	uint16_t useful_fetched, useful_dispatched, useful_issued; /* oracle */
	uint16_t fetch_stall, dispatch_stall, head_state;
	uint16_t wrong_path; /* oracle: fetch is on a wrong path */
	uint16_t squashed;
	uint16_t buffer_used, rob_used, iq_used, lsq_used, store_buffer_used;
	uint16_t width;	      /* of dispatch: slots in each cycle */
	uint16_t is_fronted;  /* with nothing in the window before dispatch: something comes */
	uint16_t front_waits; /* the FETCH_WAITS of what comes */
	uint32_t event_count;
	uint32_t event_kinds; /* EVENT_BIT(kind) for each kind of event there is */
	uint32_t thread;      /* whose instructions they are */
	uint64_t head_pc;
	uint64_t fetch_pc; /* the next to fetch, or waited for */
	const struct cycle_event *events;
	const uint64_t *useful_pcs; /* oracle: of the useful_dispatched, if asked for */
	/* Everything counted since the start, this record's cycles included. */
	const struct core_totals *totals;
	const struct memory_events *memory;
};

_Static_assert(sizeof(struct cycle) <= 128, "two cache lines");

#endif
