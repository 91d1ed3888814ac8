/*
 * model_explain.h - why the model says what it says: which windows hold the longest chains of
 * misses, what the misses of a chain depend on, what ended the window, and which lines the lost
 * cycles belong to.
 */
#ifndef JOB_MODEL_EXPLAIN_H
#define JOB_MODEL_EXPLAIN_H

#include <jansson.h>

#include "model/model.h"
#include "trace/places.h"

/* The explanation of one point by one technique. */
json_t *model_explain(const struct model *model, size_t point, size_t technique,
		      const struct trace_places *places);

#endif
