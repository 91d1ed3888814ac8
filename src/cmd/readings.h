/*
 * readings.h - runs the collector (experiment/readings.h) in the simulator or on this machine and
 * returns what it prints.
 */
#ifndef CMD_READINGS_H
#define CMD_READINGS_H

#include "cmd/runner.h"
#include "experiment/readings.h"

/* The readings as text, owned by the caller; the path of the collector is set here. NULL with a
 * sentence; NULL and *interrupted if the user interrupted. */
char *collect(struct runner *runner, struct collect_request *request, bool *interrupted,
	      struct err *err);

/* Adds to `opened` those of the events that open on this host. False with a sentence. */
bool collect_host_probe(const struct collect_events *events, struct collect_events *opened,
			struct err *err);
/* The events that a host may have: those of perf_event_open(2) that have names, and what libpfm4
 * names besides where it is installed. */
void collect_host_events(struct collect_events *events);
/* The part of libpfm4: without the library, and of events that are listed already, it adds none. */
void collect_pfm_events(struct collect_events *events);

#endif
