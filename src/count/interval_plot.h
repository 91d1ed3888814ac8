/*
 * interval_plot.h - what a core does around a miss, cycle by cycle (Eyerman et al. 2006,
 * section 3: figures 2, 3, 5, 7 and 8, from real runs).
 *
 * An observer that looks for clean events: an L1I miss, a misprediction, a long data miss
 * alone and several that overlap, each with nothing else near that would blur its course;
 * and one stretch in which several kinds follow each other. Around each it keeps what was
 * issued, dispatched and committed: the first clean one as an example, all of them as sums.
 * Cycle 0 of a view is the one in which the event begins: the miss, or the dispatch of the
 * mispredicted branch.
 *
 * An L1I miss must have been felt (the fetch buffer hides some from dispatch), a long miss
 * must have filled the window.
 *
 * Knows the right path, so this is not what a hardware counter could see. Which events are
 * clean is a choice made for pictures: their number says nothing of how many there were.
 * Events less than a view's length from the end of the run, or within the warm-up, are not
 * looked at.
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

/* What happens in a cycle, as bits. */
enum interval_mark {
	INTERVAL_FETCH_MISS = 1,  /* a right-path fetch misses in the L1I, and hits after it */
	INTERVAL_DISPATCH = 2,	  /* a mispredicted branch of the right path enters the window */
	INTERVAL_RESOLVE = 4,	  /* ... and is found out */
	INTERVAL_LOAD_MISS = 8,	  /* a right-path load misses in the last cache */
	INTERVAL_MORE_LOADS = 16, /* more than one does */
	INTERVAL_OTHER = 32,	  /* TLB and longer I-side misses of the right path, draining */
	INTERVAL_BLOCKED = 64,	  /* a long data miss keeps the oldest instruction */
	INTERVAL_FULL = 128,	  /* dispatch stands still before a full window */
	INTERVAL_EVENTS = INTERVAL_FETCH_MISS | INTERVAL_DISPATCH | INTERVAL_LOAD_MISS,
};

/* One cycle. */
struct interval_sample {
	uint16_t useful_issued, dispatched, useful_dispatched, committed, rob_used;
	uint16_t marks;
	uint64_t pc; /* of the event, if there is one */
};

/* The same cycle of all clean events, added up. */
struct interval_sum {
	uint64_t useful_issued, dispatched, useful_dispatched, committed, rob_used;
};

/* The first sample is the one `before` cycles ahead of the event. */
struct interval_view {
	unsigned before, length;
	uint64_t found;	      /* clean events; the rest is valid if there is one */
	uint64_t first_cycle; /* in which the example begins, of the run */
	uint64_t first_pc;
	const struct interval_sample *example;
	const struct interval_sum *sums;
};

struct interval_plot;

struct interval_plot *interval_plot_create(const struct config *config, uint64_t warm_up_cycles);
void interval_plot_destroy(struct interval_plot *plot);
/* The record of one or more cycles; to be called in order, with every one. */
void interval_plot_cycle(void *plot, const struct cycle *cycle);
/* What points anywhere is the plot's. */
void interval_plot_read(const struct interval_plot *plot, enum interval_kind kind,
			struct interval_view *view);
const char *interval_kind_name(enum interval_kind kind);

#endif
