/*
 * progress.h - one line on a terminal that says how far a long run is. Silent
 * when standard error is not a terminal, and for the first second.
 */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	bool is_shown; /* on a terminal */
	bool has_line;
	double started, last;
	uint64_t last_instructions, limit; /* 0 = no limit known */
};

void progress_start(struct progress *progress, uint64_t limit);
void progress_update(struct progress *progress, uint64_t instructions);
/* "3 of 13 simulations done" */
void progress_count(struct progress *progress, size_t done, size_t all, const char *what);
void progress_end(struct progress *progress); /* wipes the line */

#endif
