/*
 * stat_live.h - the counters of `stat` on the terminal while the program runs: a line each with its
 * total and a sparkline of the last intervals. Nothing is printed if standard error is no terminal,
 * with --quiet, or in the first second.
 */
#ifndef CMD_STAT_LIVE_H
#define CMD_STAT_LIVE_H

#include "cmd/command.h"
#include "job/stat.h"
#include "doc/terminal.h"

#define STAT_LIVE_COLUMNS 40
#define STAT_LIVE_ROWS	  16

struct stat_live {
	bool is_shown;
	double began, drawn; /* in seconds */
	struct terminal terminal;
	unsigned lines; /* on the screen */
	uint32_t epoch;
	size_t count; /* counters of the epoch, at most STAT_LIVE_ROWS */
	char names[STAT_LIVE_ROWS][64];
	uint64_t totals[STAT_LIVE_ROWS];
	double recent[STAT_LIVE_ROWS][STAT_LIVE_COLUMNS];
	size_t recent_count;
};

void stat_live_start(struct stat_live *live, const struct args *args);
void stat_live_take(struct stat_live *live, const struct stat_frame *frame);
/* At most five times a second, however often it is called. */
void stat_live_draw(struct stat_live *live);
void stat_live_end(struct stat_live *live); /* erases the lines */

#endif
