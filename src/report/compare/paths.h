/*
 * paths.h - the calls of two runs as one tree: what each path of calls took in the one and in the
 * other, in cycles.
 *
 * A path is the names of the functions that called each other, the outermost first; how one was
 * entered (by a call, a tail call or a signal) does not tell paths apart, because that changes with
 * the compiler. A function that was renamed, or a path that became another by inlining, is in one
 * of the runs alone.
 *
 * A node comes before those below it. The own cycles of all nodes add up to the cycles of each run.
 */
#ifndef REPORT_COMPARE_PATHS_H
#define REPORT_COMPARE_PATHS_H

#include <jansson.h>

#include "value/calls.h"

#define PATHS_NO_PARENT SIZE_MAX

struct path_node {
	size_t parent;	      /* its index; or PATHS_NO_PARENT */
	const char *function; /* belongs to the JSON of a run */
	bool is_in_a, is_in_b;
	double a, b;	     /* own cycles; 0 in a run that does not have it */
	double all_a, all_b; /* with all below it */
	int64_t calls_a, calls_b;
};

struct paths {
	struct path_node *nodes;
	size_t count;
};

/* Paths with less than this share of each run are one path with their sum, below what called them.
 */
#define PATHS_LEAST 0.0005
#define PATHS_SMALL "(small paths)"

void paths_merge(struct paths *paths, const struct stacks *a, const struct calls *calls_a,
		 const struct stacks *b, const struct calls *calls_b);
void paths_release(struct paths *paths);

/* The member "paths" of a result of `diff`, and back from a file of any origin: false with a
 * sentence. Strings belong to the list. */
json_t *paths_json(const struct paths *paths);
bool paths_read(struct paths *paths, const json_t *list, struct err *err);

#endif
