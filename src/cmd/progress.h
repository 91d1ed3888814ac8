/*
 * progress.h - one line on a terminal that shows the progress of long work: how far it is, and
 * where a total is known, the percentage and the time left. Nothing is printed when standard error
 * is not a terminal, with --quiet, or in the first second.
 *
 * The time left is what the rest takes at the average speed so far.
 */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/command.h"

struct progress {
	bool is_shown;
	bool has_line;
	bool is_limit; /* the work may end before its total */
	bool has_count;
	double began; /* the whole of it; `started`: what `total` is about */
	double started;
	uint64_t last_instructions, total; /* instructions; 0: not known */
	size_t already;			   /* parts that were done before this work began */
};

void progress_start(struct progress *progress, const struct args *args, uint64_t total,
		    bool is_limit);
void progress_update(struct progress *progress, uint64_t instructions);
/* Shows, for example, "3 of 13 simulations done, 23 %, 40 s left". */
void progress_count(struct progress *progress, size_t done, size_t all, const char *what);
void progress_end(struct progress *progress);		  /* erases the line */
double progress_seconds(const struct progress *progress); /* since the start */

#endif
