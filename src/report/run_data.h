/*
 * run_data.h - what the files run_data*.c share: the part of a run's document about which data
 * misses.
 */
#ifndef REPORT_RUN_DATA_H
#define REPORT_RUN_DATA_H

#include "report/run.h"

struct data_report {
	const struct run_report *run;
	const json_t *data, *objects;
	double misses; /* in the L1D */
	double cycles; /* of causes of data */
};

/* The run's cycles that an object, a type or a line of the result took. */
double run_data_cycles(const struct data_report *d, const json_t *of);
/* An object's name, with where it was allocated. */
const char *run_data_name(const struct data_report *d, const json_t *object);
/* Columns of what all rows have: misses, cycles, accesses; and their cells. */
void run_data_columns(const struct data_report *d, struct doc_table *table);
void run_data_cells(const struct data_report *d, struct doc_table *table, const json_t *of);
/* Whether it has enough of the misses or of the cycles to be in text. */
bool run_data_is_much(const struct data_report *d, const json_t *of);

/* run_data_types.c: by type and field, and the lines that hot and cold fields share. */
void run_data_types(const struct data_report *d);
/* run_data_sets.c: by set of the caches. */
void run_data_sets(const struct data_report *d);

#endif
