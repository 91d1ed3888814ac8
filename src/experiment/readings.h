/*
 * readings.h - plans the runs of the collector (kernels/collect.c), and reads what it printed.
 *
 * The readings of a machine are collected in two steps: the lines and pages first, then everything
 * else with these as the distance of elements. In the simulator all events are counted at once, and
 * the parts of the plan run in workers side by side; on the host a few events at a time. There a
 * point is a process: its program has the arguments, `output` and `errors` are where it prints.
 *
 * What a point prints is its result, so none is kept, and these plans conclude nothing.
 */
#ifndef EXPERIMENT_READINGS_H
#define EXPERIMENT_READINGS_H

#include <stdio.h>

#include "experiment/plan.h"

/* An event as perf_event_open has it, and the name it goes by. */
struct collect_event {
	uint32_t type;
	uint64_t config;
	char *name;
};

struct collect_events {
	struct collect_event *list;
	size_t count, room;
};

void collect_add_event(struct collect_events *events, uint32_t type, uint64_t config,
		       const char *name);
void collect_events_release(struct collect_events *events);

struct collect_request {
	const struct collect_events *events;
	const struct job_machine *machine; /* NULL: this host */
	const char *path;		   /* of the collector for the simulator */
	bool is_brief;			   /* only what verdicts need, without the plots' points */
};

/* NULL with a sentence. The machine must outlive the plan. */
struct plan *collect_plan_lines(const struct collect_request *request, struct err *err);
/* `line` and `page` as the first step has found them; 0: not found. */
struct plan *collect_plan_kernels(const struct collect_request *request, uint64_t line,
				  uint64_t page, struct err *err);
/* One point for each event, to see which can be counted: being listed says little, and a group may
 * fail because of its leader. */
struct plan *collect_plan_probe(const struct collect_request *request, struct err *err);

/* Writes what all points printed, in the order of the plan. False with a sentence about the first
 * that did not print all its readings. */
bool collect_read(const struct plan *plan, FILE *out, struct err *err);
/* Whether point i of a probe could count its event; false with a sentence. */
bool collect_has_opened(const struct plan *plan, size_t i, bool *opens, struct err *err);

#endif
