/*
 * collect.h - runs the collector (kernels/collect.c) in the simulator or on this machine and
 * returns what it prints.
 *
 * The readings of a machine are collected in two steps: the lines and pages first, then everything
 * else with these as the distance of elements. In the simulator all events are counted at once, and
 * the parts of the plan run in workers side by side; on the host a few events at a time.
 */
#ifndef CMD_COLLECT_H
#define CMD_COLLECT_H

#include "cmd/command.h"
#include "job/job.h"

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
	const struct args *args;
	const struct collect_events *events;
	const struct job_machine *machine; /* NULL: this host */
	unsigned at_once;
	bool is_brief; /* only what verdicts need, without the plots' points */
};

/* The readings as text, owned by the caller. NULL with a sentence; NULL and *interrupted if the
 * user interrupted. */
char *collect(const struct collect_request *request, bool *interrupted, struct err *err);

/* Adds to `opened` those of the events that open on this host: being listed says little. False with
 * a sentence. */
bool collect_host_probe(const struct collect_events *events, struct collect_events *opened,
			struct err *err);
/* The events that a host may have: those of perf_event_open(2) that have names, and what libpfm4
 * names besides where it is installed. */
void collect_host_events(struct collect_events *events);
/* The part of libpfm4: without the library, and of events that are listed already, it adds none. */
void collect_pfm_events(struct collect_events *events);

#endif
