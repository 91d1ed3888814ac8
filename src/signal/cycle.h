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
 */
#ifndef SIGNAL_CYCLE_H
#define SIGNAL_CYCLE_H

#include <stdint.h>

/* Why fetch delivered nothing. */
enum fetch_stall {
	FETCH_NONE,	 /* it delivered something */
	FETCH_ITLB,	 /* waits for the I-TLB */
	FETCH_L1I,	 /* waits for a line from the next cache */
	FETCH_L2I,	 /* waits for a line from memory */
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
	HEAD_L1D,      /* served by the next cache */
	HEAD_L2D,      /* its fill from memory is under way */
};

enum cycle_event_kind {
	EVENT_COMMIT,	    /* an instruction; in order */
	EVENT_BRANCH_FETCH, /* conditional, indirect or return */
	EVENT_BRANCH_DISPATCH,
	EVENT_MISPREDICT, /* resolved: a misprediction; everything younger is gone */
	EVENT_FETCH_MISS, /* begun: L1I, L2I or I-TLB */
	EVENT_DATA_MISS,  /* begun: L1D, L2D or D-TLB */
};

/* `detail` of miss events. */
enum {
	MISS_TLB = 1,
	MISS_NEAR = 2, /* served by the next cache */
	MISS_FAR = 4,  /* served by memory */
};

struct cycle_event {
	uint8_t kind;
	uint8_t detail;
	uint8_t wrong_path; /* oracle */
	uint32_t slot;	    /* names the instruction while it is in flight */
	uint64_t pc;
};

#define CYCLE_EVENTS_MAX 128

struct cycle {
	uint64_t number; /* of the first cycle the record stands for */
	uint64_t repeat; /* how many equal cycles it stands for */
	uint16_t fetched, fed, dispatched, issued, committed;
	uint16_t useful_fetched, useful_dispatched, useful_issued; /* oracle */
	uint16_t fetch_stall, dispatch_stall, head_state;
	uint16_t wrong_path; /* oracle: fetch is on a wrong path */
	uint16_t squashed;
	uint16_t buffer_used, rob_used, iq_used, lsq_used, store_buffer_used;
	uint64_t head_pc;
	uint32_t event_count;
	const struct cycle_event *events;
};

_Static_assert(sizeof(struct cycle) <= 128, "two cache lines");

#endif
