/*
 * windows_state.h - what windows on other machines consist of (windows.h): the strata of a run and
 * what copies have measured in them. windows.c makes the copies and adds up what they say;
 * windows_estimate.c says what follows for the whole run.
 */
#ifndef JOB_WINDOWS_STATE_H
#define JOB_WINDOWS_STATE_H

#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/rng.h"
#include "job/windows.h"
#include "value/component.h"

/* In instructions: a window below this says too little. */
#define WINDOW_LEAST 500

struct reading {
	uint64_t instructions, cycles;
};

/* What a copy has measured: the whole window, and its first half. */
struct measured {
	struct reading all, half;
	uint64_t waiting, written; /* stores, when it ended and while it was counted */
};

/* What the copies of a window have measured, the one of the machine that runs first. */
struct readings {
	uint64_t slots[CAUSE_COUNT]; /* of the machine that runs */
	/* Machines, as bits: for which something has counted; which were simulated; which were
	 * not, because they tell little. */
	uint64_t differs, simulated, spared;
	uint64_t passed_over; /* parts, whose turn it is not: known only while the window lasts */
	struct measured measured[];
};

/* A stratum of the run and what its windows have measured, added up. */
struct stratum {
	struct reading begin, end; /* of the run */
	struct readings *readings;
};

/* Which machines a window is to leave out, as bits: those that have told little so far, and those
 * that tell parts and whose turn it is not. */
struct leaving_out {
	uint64_t dull, parts;
};

/* What a copy that waits is told, in memory that it shares. */
struct order {
	sem_t go;
	bool is_dropped; /* it ends at once, whatever it does; read and written atomically */
	struct leaving_out without;
	unsigned lanes; /* machines that it simulates at once */
};

/* A copy at work, or waiting for its order, which writes to `shared`. */
struct copy {
	pid_t pid; /* 0: none, or it waits and has been simulated for a reading */
	size_t stratum;
	struct readings *shared;
	struct order *order;
	bool waits;
};

struct windows {
	struct windows_plan plan;
	struct stratum *list;
	size_t count, capacity;
	/* After a reading, until the run goes on: the readings of the strata without what was
	 * added for it. */
	struct readings **unread;
	size_t unread_count;
	struct rng rng;
	uint64_t open_at;     /* instructions at which the next window opens; UINT64_MAX: none */
	uint64_t window_end;  /* where the last one ends if nothing cuts it short */
	uint64_t stratum_end; /* of the stratum under way */
	uint64_t outside;     /* what the process had done outside itself when it opened */
	unsigned tries;	      /* windows of the stratum under way */
	int error;	      /* why a copy could not be made or work; 0: none failed */
	double spent;	      /* instructions of copies so far, if nothing cuts them short */
	bool is_thin;	      /* few of the early windows are left */
	double allowance;     /* the schedule\'s, or what is left of it when the run is not short */
	struct copy *copies;
	const struct copy *own;	 /* in a copy: what it is to the worker */
	struct decoded *decoded; /* in the copy of a window and its own; NULL: none */
	unsigned next_copy;	 /* the place of the one that was made first */
	char *shared;
};

static inline struct reading since(struct reading begin, struct reading end)
{
	return (struct reading){end.instructions - begin.instructions, end.cycles - begin.cycles};
}

static inline size_t place_of(size_t machine)
{
	return machine == WINDOWS_RUN ? 0 : machine + 1;
}

static inline double cost_of(const struct reading *r)
{
	return r->instructions ? (double)r->cycles / (double)r->instructions : 0;
}

/* Of the slots of a window, the part that is charged to these causes. */
static inline double part_of_slots(const struct readings *r, uint64_t causes)
{
	uint64_t slots = 0, all = 0;

	for (unsigned i = 0; i < CAUSE_COUNT; i++) {
		all += r->slots[i];
		slots += causes >> i & 1 ? r->slots[i] : 0;
	}
	return all ? (double)slots / (double)all : 0;
}

#endif
