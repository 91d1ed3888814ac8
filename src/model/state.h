/*
 * state.h - what a model keeps of the trace it has read, for model.c and the file of it (kept.h).
 *
 * A geometry is one labelling. Under it are the skeletons of windows, and for each machine (units,
 * widths, latencies) and size of the window the base cycles and the skeletons of the timeline,
 * which have its base times. A point that is retimed has a recurrence of its own. Whether a slot is
 * there is decided when the model is created.
 */
#ifndef MODEL_STATE_H
#define MODEL_STATE_H

#include "mem/hierarchy.h"
#include "model/curve.h"
#include "model/model.h"
#include "model/retimer_stack.h"

#define CURVE_SIZES 64 /* different windows of one curve */
#define SKELETON_KINDS                                                             \
	8 /* by the switches of skeleton_options; NULL where no technique needs it \
	   */

/* A machine with one size of the window: its curve, and the skeletons that have its base times. */
struct window_state {
	uint32_t rob_size;
	bool mispredicts; /* the predictor is not perfect */
	/* NULL: the cycles come from a file. */
	struct curve *curve, *mispredicting;
	uint64_t cycles, mispredicting_cycles; /* once all steps have been added */
	struct skeleton_builder *timelines[SKELETON_KINDS];
};

struct curve_set {
	struct config config;
	struct window_state windows[CURVE_SIZES]; /* of the points */
	size_t count;
};

/* What one labelling of the trace gives. */
struct geometry {
	struct config config;
	struct labeller *labeller;
	struct skeleton_builder *skeletons[SKELETON_KINDS];
	uint32_t window_most;
	struct curve_set *sets;
	size_t set_count, set_capacity;
	uint64_t mispredictions, fetches[LEVEL_COUNT], fetch_tlb_misses;
};

struct point {
	struct config config;
	size_t geometry, set;
	struct retimer_stack *retimed; /* NULL: no technique retimes */
};

struct model {
	struct point *points;
	size_t point_count;
	struct technique *techniques;
	size_t technique_count;
	struct geometry *geometries;
	size_t geometry_count, geometry_capacity;
	uint64_t instructions;
};

#endif
