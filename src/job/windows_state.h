/*
 * windows_state.h - what windows on other machines consist of (windows.h): the strata of a run and
 * what copies have measured in them. windows.c makes the copies and adds up what they say,
 * windows_waiting.c lets copies wait, windows_copy.c is what happens in a copy; windows_estimate.c
 * says what follows for the whole run.
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

#define MACHINES_MOST 64 /* that may be like others */

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
	/* Followed, if the windows count by instructions, by the slots of slots_at. */
	struct measured measured[];
};

/* By machine, of `count`: the slots of the machine that runs, charged to the instructions for which
 * that one is ideal. */
static inline uint64_t *slots_at(struct readings *readings, size_t count)
{
	return (uint64_t *)&readings->measured[count + 1];
}

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
	unsigned lanes;	 /* machines that it simulates at once */
	size_t machines; /* that it simulates, from the first on */
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
	uint64_t open_at;      /* instructions at which the next window opens; UINT64_MAX: none */
	uint64_t window_end;   /* where the last one ends if nothing cuts it short */
	uint64_t counted_from; /* where it has settled */
	uint64_t stratum_end;  /* of the stratum under way */
	uint64_t outside;      /* what the process had done outside itself when it opened */
	unsigned tries;	       /* windows of the stratum under way */
	bool is_stretched;     /* the last window is, and no end of it has been seen */
	int error;	       /* why a copy could not be made or work; 0: none failed */
	double spent;	       /* instructions of copies so far, if nothing cuts them short */
	bool is_thin;	       /* few of the early windows are left */
	size_t machines;       /* of the plan, that are simulated */
	uint64_t kept_length;  /* of a stratum whose window is kept */
	bool is_by_cycles;     /* that, open_at and stratum_end are cycles: some were halved */
	double allowance; /* the schedule\'s, or what is left of it when the run is not short */
	struct copy *copies;
	const struct copy *own;	 /* in a copy: what it is to the worker */
	struct decoded *decoded; /* in the copy of a window and its own; NULL: none */
	unsigned next_copy;	 /* the place of the one that was made first */
	char *shared;
};

/* A machine that tells parts is simulated in one of so many windows. */
#define PARTS_EVERY 3

static inline struct reading since(struct reading begin, struct reading end)
{
	return (struct reading){end.instructions - begin.instructions, end.cycles - begin.cycles};
}

/* By what strata are weighed, and the windows of several are chosen: instructions, or cycles where
 * windows are kept. */
static inline uint64_t windows_extent(const struct windows *w, struct reading r)
{
	return w->plan.schedule.keeps ? r.cycles : r.instructions;
}

/* windows.c */
unsigned windows_copy_count(const struct windows *w);
double windows_cost_of_one(const struct windows *w);
/* Adds up what a copy has measured. */
void windows_add_readings(struct windows *w, const struct copy *copy);
/* Takes what a copy has measured, for which it waits unless `options` is WNOHANG. Of one that is
 * simulated only for a reading, what it has measured stays where it is. */
void windows_take(struct windows *w, struct copy *copy, int options);
void windows_take_all(struct windows *w, int options);
/* Why a copy did not work to its end: ECHILD if it was killed from outside. */
int windows_failure_of(int status);

/* windows_waiting.c */
void windows_drop(struct copy *copy);
void windows_drop_all(struct windows *w);
/* Of all machines, as bits, those to simulate. */
uint64_t windows_choose_machines(const struct windows *w, struct readings *to,
				 struct leaving_out without);
void windows_release_all(struct windows *w, uint64_t parts_every, bool for_good);
/* The run is not a short one: of its first windows few are simulated. */
void windows_thin_out(struct windows *w);
void windows_halve(struct windows *w);

/* windows_copy.c: in the copy of a window. */
_Noreturn void windows_run_copy(struct windows *w, struct copy *copy, pid_t parent,
				uint64_t settles, uint64_t length);

static inline struct reading now(const struct simulation *s)
{
	return (struct reading){simulation_instructions(s), simulation_cycles(s)};
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
