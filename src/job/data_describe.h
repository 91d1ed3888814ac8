/*
 * data_describe.h - misses and their cycles by object, type and set, for the result.
 *
 * The slots of each cell become those that `exact` gives its instruction (data_cells_settle), so
 * that all of them add up to what the run lost to causes of data.
 */
#ifndef JOB_DATA_DESCRIBE_H
#define JOB_DATA_DESCRIBE_H

#include <jansson.h>

#include "count/ledger.h"
#include "job/data_objects.h"

void data_describe(struct data_cells *cells, struct data_objects *objects,
		   const struct ledger *exact, json_t *result);

#endif
