/*
 * technique.h - the CPI of long data misses by the techniques of Chen and Aamodt (2008), from a
 * miss skeleton and the few parameters of a design point.
 *
 * Windows (sections 2, 3.4): plain ones follow each other every rob_size instructions; those of
 * swam and swam_mlp start with a load miss. With a limited number N of MSHRs a window ends with its
 * N-th miss, in swam_mlp with the N-th that depends on no earlier miss of the window (section 3.3);
 * the next begins after that miss. The misses of a window take as long as its longest chain.
 *
 * Compensation (sections 2, 3.2) is what is hidden while older instructions drain: nothing; a fixed
 * part of rob_size / width for each serialized miss; or the mean distance between consecutive load
 * misses, each capped at rob_size, over the width, for each load miss. Fewer than two load misses
 * have no distance and no compensation. The result may be negative; it is not clamped.
 *
 * The timeline (timeline.h) goes beyond the paper; its windows, for an explanation, are those of
 * swam_mlp. Retiming (retimer_stack.h) is no technique of long data misses alone: it gives all
 * terms from the trace itself, and of the skeleton nothing but counts.
 *
 * Store misses hold no MSHRs here, though they do in the simulator. Not modelled: overlap of one
 * window's end with the next, short misses on the critical path, branches that wait for misses,
 * bandwidth.
 */
#ifndef MODEL_TECHNIQUE_H
#define MODEL_TECHNIQUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/skeleton.h"

#define TECHNIQUE_TEXT_BYTES 128
#define MSHRS_UNLIMITED	     UINT32_MAX

enum technique_windows {
	WINDOWS_PLAIN,
	WINDOWS_SWAM,
	WINDOWS_SWAM_MLP,
	WINDOWS_TIMELINE,
	WINDOWS_RETIME
};
enum technique_compensation { COMPENSATION_NONE, COMPENSATION_FIXED, COMPENSATION_DISTANCE };

struct technique {
	enum technique_windows windows;
	enum technique_compensation compensation;
	uint32_t fixed_quarters; /* of rob_size / width, 0 to 4 */
	bool pending_hits;
	bool mshr_aware;
	bool store_fills_miss; /* see skeleton.h */
	/* Of the timeline alone (timeline.h). */
	bool store_addresses; /* see skeleton.h; where the machine's loads wait for them */
	bool store_mshrs;     /* store misses hold MSHRs */
	bool base_times;      /* the base machine's times, not its mean rate */
};

/* swam_mlp with everything on; the timeline with everything on. */
extern const struct technique technique_default, technique_timeline;

/* Such as "swam-mlp, pending hits, distance". */
void technique_text(const struct technique *technique, char text[TECHNIQUE_TEXT_BYTES]);

struct design_point {
	uint32_t rob_size, width, mshrs; /* mshrs: MSHRS_UNLIMITED */
	uint32_t memory_latency_cycles;
	uint32_t hit_latency_cycles; /* of a load that hits in the last cache; for the timeline */
};

enum window_end { WINDOW_FULL, WINDOW_MSHRS, WINDOW_TRACE_END, WINDOW_ENDS };

/* One window with misses, for an explanation. */
struct model_window {
	uint64_t start, end;  /* sequence numbers; end is the first one after it */
	size_t first, count;  /* of its misses in the skeleton */
	size_t last_of_chain; /* the miss that ends the longest chain */
	uint32_t chain;	      /* misses in it */
	uint32_t misses;      /* that count; some of `count` may not */
	enum window_end ended;
};

/* What sees how a result is made; a NULL function sees nothing. */
struct technique_observer {
	void (*window)(void *context, const struct model_window *window); /* that has misses */
	/* Of the timeline: each miss of the skeleton in order, and the cycles lost at it, negative
	 * where work was hidden behind earlier ones. They add up to the result. */
	void (*miss)(void *context, size_t miss, double cycles);
	void *context;
};

struct technique_result {
	uint64_t windows; /* that have misses */
	uint64_t ended[WINDOW_ENDS];
	uint64_t serialized;  /* misses, the sum of the longest chains */
	uint64_t misses;      /* of loads */
	double mean_distance; /* of consecutive ones, each capped */
	double compensation_cycles;
	double cycles; /* lost to long data misses */
};

/* The skeleton must be of the technique's pending_hits and store_fills_miss, and of windows up to
 * rob_size at least. The observer may be NULL. */
void technique_evaluate(const struct technique *technique, const struct design_point *point,
			const struct skeleton *skeleton, struct technique_result *result,
			const struct technique_observer *observer);

#endif
