/*
 * annotate.h - functions instruction by instruction, as JSON: the members "annotation",
 * "more_annotations", "hot_functions" and "hottest" of a run's result.
 *
 * Instructions are read from memory as it is when the run is described: code that the program has
 * changed is shown as it is then. Only what was executed, or charged, is listed.
 */
#ifndef JOB_ANNOTATE_H
#define JOB_ANNOTATE_H

#include <jansson.h>

#include "job/libraries.h"
#include "job/origin.h"
#include "job/parts.h"
#include "linux/process.h"

struct sites;

/* Of what instructions are described: the origin of every address with slots. */
struct annotate {
	const struct config *config;
	struct process *process;
	struct libraries *libraries;
	const struct sites *sites; /* NULL: what happened at each is not known */
	struct origin *origins;	   /* in the order of their functions; it is changed */
	size_t count;
};

/* Adds the members that are asked for. */
void annotate_describe(const struct annotate *annotate, const struct part_places *places,
		       json_t *result);

#endif
