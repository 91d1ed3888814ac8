/*
 * readings.h - the readings of a collector, as it prints them (kernels/collect.c): for every kernel
 * and parameter, runs of different lengths with the value of every event.
 *
 * Text is hostile until it is read here: a line that is not what kernels/collect.c describes is
 * refused with its number. Several readings may follow each other; an event or a point that occurs
 * in several gets the runs of all. Nothing here knows what an event is called or counts: it is two
 * numbers of perf_event_open.
 */
#ifndef CLASSIFY_READINGS_H
#define CLASSIFY_READINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define READINGS_NAME_BYTES  32
#define READINGS_EVENTS_MOST 4096
#define READINGS_RUNS_MOST   100000

struct readings_event {
	uint32_t type;
	uint64_t config;
	int refused; /* errno with which it did not open; 0: it was counted */
};

/* A kernel with its parameters. */
struct readings_point {
	char kernel[READINGS_NAME_BYTES];
	uint64_t unit, value;
};

struct readings_run {
	size_t point;
	double iterations;
	size_t part;	/* whose events the values are of */
	double *values; /* NAN: not counted */
};

/* The events of one of the readings, as places in the list of all. */
struct readings_part {
	size_t *events;
	size_t count, room;
};

struct readings {
	struct readings_event *events;
	struct readings_point *points; /* in the order in which they first occur */
	struct readings_run *runs;
	struct readings_part *parts;
	size_t event_count, point_count, run_count, part_count;
	size_t event_room, point_room, run_room, part_room;
};

/* False with a sentence that names the line. Release it either way. */
bool readings_parse(struct readings *readings, const char *text, struct err *err);
void readings_release(struct readings *readings);

#endif
