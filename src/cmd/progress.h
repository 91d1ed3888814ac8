/*
 * progress.h - one line on a terminal that shows the progress of long work: how far it is, and
 * where a total is known, the percentage and the time left. Nothing is printed with --quiet or in
 * the first second. Where standard error is no terminal nothing is printed either, unless
 * --progress asks for it: then the same is said in lines, one every few seconds.
 *
 * The time left is what the rest takes at the average speed so far.
 */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/command.h"
#include "experiment/experiment.h"

struct progress {
	bool is_shown;
	bool has_line;
	double every; /* seconds between two lines of --progress; 0: one line is drawn over and over
		       */
	double said;  /* when the last of these lines was printed */
	bool is_limit; /* the work may end before its total */
	double began;  /* the whole of it; `started`: what `total` is about */
	double started;
	uint64_t last_instructions, total; /* instructions; 0: not known */
};

void progress_start(struct progress *progress, const struct args *args, uint64_t total,
		    bool is_limit);
void progress_update(struct progress *progress, uint64_t instructions);
/* Shows, for example, "3 of 13 simulations done, 23 %, 40 s left". */
void progress_count(struct progress *progress, const struct experiment_progress *count,
		    const char *what);
void progress_end(struct progress *progress);		  /* erases the line */
double progress_seconds(const struct progress *progress); /* since the start */

#endif
