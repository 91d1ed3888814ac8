/*
 * interval_plot.h - what a core does around a miss, cycle by cycle (Eyerman et al. 2006, section
 * 3: figures 2, 3, 5, 7 and 8, from real runs).
 *
 * An observer that searches for clean events: an L1I miss, a misprediction, a single long data
 * miss and several that overlap, each without another event near it that would change its course;
 * and one stretch in which several kinds follow each other. Around each event it keeps the numbers
 * of instructions issued, dispatched and committed: of the first clean one as an example, of all
 * of them as sums. Cycle 0 of a view is the one in which the event begins: the miss, or the
 * dispatch of the mispredicted branch.
 *
 * An L1I miss must have delayed dispatch (the fetch buffer hides some misses), and a long miss
 * must have filled the window.
 *
 * Uses knowledge of the right path, so a hardware counter could not do this. Which events are
 * clean is a choice made for plots: their number does not say how many events there were. Events
 * less than a view's length from the end of the run, or within the warm-up, are ignored.
 */
#ifndef COUNT_INTERVAL_PLOT_H
#define COUNT_INTERVAL_PLOT_H

#include <stdint.h>

#include "config/config.h"
#include "signal/cycle.h"

enum interval_kind {
	INTERVAL_STRETCH,
	INTERVAL_L1I,
	INTERVAL_BRANCH,
	INTERVAL_LONG,
	INTERVAL_OVERLAP,
	INTERVAL_KINDS
};

/* Events in a cycle, as bits. */
enum interval_mark {
	INTERVAL_FETCH_MISS = 1,  /* a right-path fetch misses in the L1I, but not further */
	INTERVAL_DISPATCH = 2,	  /* a mispredicted branch of the right path enters the window */
	INTERVAL_RESOLVE = 4,	  /* a mispredicted branch of the right path resolves */
	INTERVAL_LOAD_MISS = 8,	  /* a right-path load misses in the last cache */
	INTERVAL_MORE_LOADS = 16, /* more than one right-path load misses in the last cache */
	INTERVAL_OTHER = 32,	  /* a TLB or longer I-side miss of the right path, or draining */
	INTERVAL_BLOCKED = 64,	  /* the oldest instruction waits for a long data miss */
	INTERVAL_FULL = 128,	  /* dispatch is stopped by a full window */
	INTERVAL_EVENTS = INTERVAL_FETCH_MISS | INTERVAL_DISPATCH | INTERVAL_LOAD_MISS,
};

struct interval_sample {
	uint16_t useful_issued, dispatched, useful_dispatched, committed, rob_used;
	uint16_t marks;
	uint64_t pc; /* pc of the event, if there is one */
};

/* Sums of the same cycle over all clean events. */
struct interval_sum {
	uint64_t useful_issued, dispatched, useful_dispatched, committed, rob_used;
};

/* The first sample is `before` cycles earlier than the event. */
struct interval_view {
	unsigned before, length;
	uint64_t found; /* number of clean events; the other members are valid if it is not 0 */
	uint64_t first_cycle; /* the cycle of the run in which the example begins */
	uint64_t first_pc;
	const struct interval_sample *example;
	const struct interval_sum *sums;
};

struct interval_plot;

struct interval_plot *interval_plot_create(const struct config *config, uint64_t warm_up_cycles);
void interval_plot_destroy(struct interval_plot *plot);
/* The record of one or more cycles; it must be called in order, for every record. */
void interval_plot_cycle(void *plot, const struct cycle *cycle);
/* The plot owns what the view's pointers point to. */
void interval_plot_read(const struct interval_plot *plot, enum interval_kind kind,
			struct interval_view *view);
const char *interval_kind_name(enum interval_kind kind);

#endif
