/*
 * retimer_state.h - the state of retimer.h, shared by model/retimer*.c.
 *
 * Rings are indexed by the numbers of instructions, of accesses, of branches, of stores: the last
 * RETIMER_KEPT of each are known, which is more than any machine has in flight. The entry of one
 * that is not there yet is 0: it was over before the first cycle.
 */
#ifndef MODEL_RETIMER_STATE_H
#define MODEL_RETIMER_STATE_H

#include <stdbool.h>

#include "core/ooo/store_sets.h"
#include "count/retime_rule.h"
#include "mem/hierarchy.h"
#include "mem/mshr.h"
#include "model/retimer.h"
#include "pred/predictor.h"

#define RETIMER_KEPT	 16384
#define RETIMER_CYCLES	 32768 /* whose taken units are kept */
#define RETIMER_GRANULES 8192
#define RETIMER_LEVELS	 3 /* of caches of data */

struct retimer_step {
	uint64_t fed, dispatched, committed;
};

struct retimer_store {
	uint64_t address, pc, sequence;
	uint64_t known;	    /* its address is; it issued in the cycle before */
	uint64_t complete;  /* its data is there too */
	uint64_t committed; /* written from the cycle after that on */
	uint64_t written;   /* once it has been written */
	uint64_t freed;	    /* it and all before it have been */
	uint64_t before[2]; /* the store before it to its first and last granule, number + 1 */
	uint8_t bytes;
};

struct retimer_branch {
	uint64_t pc, next_pc, committed;
	struct prediction prediction;
	uint8_t kind, bytes;
	bool taken;
};

/* A miss holds an MSHR in [start, end). */
struct retimer_miss {
	uint64_t line, start, end;
};

struct retimer_misses {
	struct retimer_miss *list;
	size_t count, capacity;
	uint32_t limit;
};

/* What is taken in a cycle. */
struct retimer_slots {
	uint64_t cycle;
	uint16_t used[KINDS];
};

struct retimer_front {
	uint64_t cycle; /* of the group under way */
	uint64_t line;
	uint64_t resumes; /* nothing is fetched before */
	uint32_t used;
	bool ends; /* the next instruction is of another group */
};

struct retimer {
	struct config config;
	struct retime_rule rule;
	struct hierarchy *memory;
	struct predictor *predictor; /* NULL: perfect */
	struct store_sets sets;
	bool has_sets;
	struct mshr queues[QUEUES]; /* issue queues, each as the times at which places are free */
	struct retimer_front front;
	struct retimer_step last;
	uint64_t number, access_number, branch_number, control_number, store_number;
	uint64_t updated;      /* controls that the predictor has been told of */
	uint64_t stores_begun; /* stores that have been written, or are being */
	uint64_t last_write;   /* when the last of these began */
	uint64_t stores_known; /* the addresses of all stores so far are */
	uint64_t serial_until; /* nothing dispatches before */
	uint32_t buffer_size;  /* stores */
	uint32_t in_flight;
	uint64_t ready[TRACE_REGISTERS];
	struct retimer_events events;
	struct retimer_misses misses[RETIMER_LEVELS];
	uint64_t granules[RETIMER_GRANULES]; /* the last store to each, its number + 1 */
	struct retimer_step steps[RETIMER_KEPT];
	uint64_t accesses[RETIMER_KEPT]; /* when each commits */
	uint64_t branches[RETIMER_KEPT];
	struct retimer_branch controls[RETIMER_KEPT];
	struct retimer_store stores[RETIMER_KEPT];
	struct retimer_slots slots[RETIMER_CYCLES];
};

static inline uint64_t retimer_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The step so many before the next one. */
static inline const struct retimer_step *retimer_before(const struct retimer *r, uint64_t count)
{
	return &r->steps[(r->number - count) % RETIMER_KEPT];
}

static inline struct retimer_store *retimer_store(struct retimer *r, uint64_t number)
{
	return &r->stores[number % RETIMER_KEPT];
}

/* Times of a load or store as it executes. */
struct retimer_access {
	uint64_t issued, complete;
	uint64_t replay; /* the load must be fetched again from this cycle on; 0: not */
};

/* retimer.c: the first cycle from `from` on in which the unit is free; takes it. */
uint64_t retimer_take_unit(struct retimer *r, unsigned unit, uint64_t from);

/* retimer_front.c: when the next instruction is fetched. */
uint64_t retimer_fetch(struct retimer *r, const struct trace_step *step);
/* Says when and whether fetch goes on behind the instruction, which is a control transfer that is
 * fed, complete and committed in these cycles. */
void retimer_follow(struct retimer *r, const struct trace_step *step, uint64_t fetched,
		    uint64_t fed, uint64_t complete, uint64_t committed);

/* retimer_data.c: a load whose operands and place in the window are there in cycle `ready`. */
struct retimer_access retimer_load(struct retimer *r, const struct trace_step *step,
				   uint64_t dispatched, uint64_t ready);
/* The same of a store; `data` is when its data is there. */
struct retimer_access retimer_issue_store(struct retimer *r, const struct trace_step *step,
					  uint64_t dispatched, uint64_t ready, uint64_t data);
/* When there is room in the store buffer for the next store. */
uint64_t retimer_store_room(struct retimer *r);
/* Puts the store that was issued last, or an atomic, into the store buffer. */
void retimer_put_store(struct retimer *r, const struct trace_step *step,
		       const struct retimer_access *access, uint64_t committed);

#endif
