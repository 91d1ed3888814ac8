/*
 * circuits.h - the directory of --rtl: circuits as Verilog, their test benches, a Makefile, and the
 * stimulus that a run makes for them.
 *
 * Stimulus is written beside its name while the run goes on, and gets its name when the run is
 * over: a run that failed leaves none.
 */
#ifndef CMD_CIRCUITS_H
#define CMD_CIRCUITS_H

#include "cmd/command.h"
#include "job/circuits.h"
#include "job/job.h"
#include "rtl/stats_plan.h"

/* Writes the sources of the circuits into the directory, for this machine. False with a sentence.
 */
bool circuits_write(const char *path, const struct circuit *circuits, size_t count,
		    const struct job_machine *machine, struct err *err);

/* Runs the job and writes the stimulus of its circuits: those that were written there, or of the
 * statistics module, whose plan *plan then is; NULL for others. False with a sentence. */
bool circuits_stimulate(const char *path, const struct job *job, const struct args *args,
			struct stats_plan *plan, struct err *err);

/* Whether the file holds recorded cycles instead of a program. */
bool circuits_is_cycles_file(const char *path);
/* Writes the stimulus of the circuits from the recorded cycles of a file, of which no record may
 * stand for more than repeat_most cycles, unless that is 0. False with a sentence. */
bool circuits_stimulate_from_file(const char *path, const char *file,
				  const struct circuit *circuits, size_t count,
				  const struct job_machine *machine, uint64_t repeat_most,
				  struct err *err);

/* `judge --rtl` and `stat --rtl`. */
int judge_circuits(const struct args *args);
int stat_circuits(const struct args *args);

#endif
