/*
 * model.h - the CPI of many design points from one reading of a trace, without simulating time:
 * CPI = base + branch + icache + dmiss (Karkhanis and Smith 2004; Chen and Aamodt 2008, equation
 * 1).
 *
 *   base    from the program's window characteristic (curve.h)
 *   branch  mispredictions of the configured predictor: what they add to that curve, whose window
 *           drains behind each until it resolves, and the stages of the front end
 *   icache  fetches that leave the L1I, by the latency of the level that has them; I-TLB misses
 *   dmiss   long data misses by a technique (technique.h)
 *
 * A technique that retimes (retimer_stack.h) gives all four terms by one recurrence instead.
 *
 * Points that differ only in window, MSHRs, widths or latencies share one labelling and one
 * skeleton of misses. The model is for out-of-order cores; what the terms leave out is said where
 * they are made.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "config/config.h"
#include "model/technique.h"
#include "trace/step.h"

struct model_components {
	double base, branch, icache, dmiss; /* cycles per instruction */
	double cpi;			    /* their sum */
};

struct model;

/* For these machines and techniques; both are copied. `explains`: skeletons have links. NULL with a
 * sentence if a machine cannot be modelled. */
struct model *model_create(const struct config *points, size_t point_count,
			   const struct technique *techniques, size_t technique_count,
			   bool explains, struct err *err);
void model_destroy(struct model *model); /* NULL is accepted */
/* A trace_sink. */
bool model_add(void *model, const struct trace_step *steps, size_t count);

uint64_t model_instructions(const struct model *model);
/* How many times the trace was labelled: the number of different geometries. */
size_t model_labellings(const struct model *model);
/* By a technique, which sees every window of misses through `visit` (NULL: none). */
void model_evaluate(const struct model *model, size_t point, size_t technique,
		    struct model_components *components, struct technique_result *result,
		    const struct technique_observer *observer);
/* The skeleton that this is made from. */
const struct skeleton *model_skeleton(const struct model *model, size_t point, size_t technique);

/* Whether a technique retimes: what is kept of a trace (kept.h) does not serve it. */
bool model_retimes(const struct model *model);

struct model_events {
	uint64_t mispredictions, fetch_misses, fetch_long_misses, store_misses;
};
void model_events(const struct model *model, size_t point, struct model_events *events);
/* The program's window characteristic at the point's rob.size. */
double model_instructions_per_cycle(const struct model *model, size_t point);

struct design_point model_design_point(const struct config *config);

#endif
