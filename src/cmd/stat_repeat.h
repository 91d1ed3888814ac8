/* stat_repeat.h - `stat --repeat`: the same program and counters with several seeds. */
#ifndef CMD_STAT_REPEAT_H
#define CMD_STAT_REPEAT_H

#include "cmd/outputs.h"
#include "cmd/stat_rows.h"

/* Runs, shows and returns the status: that of the first run whose is not 0. */
int stat_repeat(const struct args *args, struct outputs *outputs, const struct program *program,
		const struct job_machine *machine, const struct job_part *part,
		struct stat_rows *rows);

#endif
