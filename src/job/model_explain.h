/*
 * model_explain.h - why the model says what it says of long data misses: which functions and lines
 * the lost cycles belong to, which windows they are lost in, the chain of misses in each, through
 * what each miss depends on the one before it, and what ended the window.
 *
 * Each miss has its part of the cycles: by the timeline those lost at it; by windows the latency if
 * it is on the longest chain of its window, less its part of the compensation (a fixed one belongs
 * to misses on chains, a distance to all). The parts add up to the cycles lost. Windows that have
 * the same chain, instruction by instruction, and ended in the same way are one row. Those of the
 * timeline, which has none, are the windows of swam-mlp.
 */
#ifndef JOB_MODEL_EXPLAIN_H
#define JOB_MODEL_EXPLAIN_H

#include <jansson.h>

#include "model/model.h"
#include "trace/places.h"

/* The explanation of one point by one technique; the model must have been made to explain. */
json_t *model_explain(const struct model *model, size_t point, size_t technique_number,
		      const struct technique *technique, const struct trace_places *places);

#endif
