/*
 * simpoint_files.h - the text files of SimPoint 3.2, in which others choose what to simulate:
 *
 *   vectors      T:block:instructions :block:instructions ...   a line per interval
 *   simulation points      interval cluster                     a line per cluster
 *   weights                weight cluster                       a line per cluster
 *
 * Intervals are counted from 0. What comes from a file is checked: numbers, ranges, a point for
 * each weight and a weight for each point. A sentence about a file names it and the line.
 */
#ifndef MEASURE_SIMPOINT_FILES_H
#define MEASURE_SIMPOINT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "trace/vectors.h"

#define SIMULATION_POINTS_MOST 1000

struct simulation_point {
	uint64_t interval;
	uint32_t cluster;
	double weight;
};

/* A file that was read. */
struct simpoint_text {
	const char *name;
	const char *bytes;
	size_t count;
};

/* Calls `add` with every vector; one that has no instructions is refused. False with a sentence. */
typedef void simpoint_add_vector(void *context, const struct vector_entry *counts, size_t count);
bool simpoint_read_vectors(const struct simpoint_text *text, simpoint_add_vector *add,
			   void *context, struct err *err);

/* The points of both files, in the order of their intervals, into `points`, which has room for
 * SIMULATION_POINTS_MOST. False with a sentence. */
bool simpoint_read_points(const struct simpoint_text *intervals,
			  const struct simpoint_text *weights, struct simulation_point *points,
			  size_t *count, struct err *err);

/* In the order of their intervals. */
void simpoint_sort(struct simulation_point *points, size_t count);

/* In the order of the clusters, which are numbered from 0 without a gap. */
void simpoint_write_intervals(FILE *out, const struct simulation_point *points, size_t count);
void simpoint_write_weights(FILE *out, const struct simulation_point *points, size_t count);

#endif
