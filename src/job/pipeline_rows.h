/*
 * pipeline_rows.h - "instructions" of the member "pipeline" of a run's result: the rows of the
 * observer of that name, with the text of each instruction and the instructions in flight whose
 * results it reads.
 *
 * Text and registers are those of the bytes in memory when the run ends; code that the program
 * changed or unmapped meanwhile is shown as it is then.
 */
#ifndef JOB_PIPELINE_ROWS_H
#define JOB_PIPELINE_ROWS_H

#include <jansson.h>

#include "count/pipeline.h"
#include "guest/memory.h"

void pipeline_describe(const struct pipeline *pipeline, const struct memory *memory,
		       json_t *result);

#endif
