/*
 * progress.h - one line on a terminal that shows the progress of a long run. Nothing is printed
 * when standard error is not a terminal, or in the first second.
 */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	bool is_shown; /* standard error is a terminal */
	bool has_line;
	double started, last;
	uint64_t last_instructions, limit; /* 0: no limit is known */
};

void progress_start(struct progress *progress, uint64_t limit);
void progress_update(struct progress *progress, uint64_t instructions);
/* Shows, for example, "3 of 13 simulations done". */
void progress_count(struct progress *progress, size_t done, size_t all, const char *what);
void progress_end(struct progress *progress); /* erases the line */

#endif
