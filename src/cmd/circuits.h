/*
 * circuits.h - the directory of --rtl: circuits as Verilog, their test benches, a Makefile, and the
 * stimulus that a run makes for them.
 *
 * Stimulus is written beside its name while the run goes on, and gets its name when the run is
 * over: a run that failed leaves none. Files that the tool did not write are not replaced: where
 * one has a name that is needed, nothing is written.
 */
#ifndef CMD_CIRCUITS_H
#define CMD_CIRCUITS_H

#include "cmd/command.h"
#include "job/circuits.h"
#include "job/job.h"
#include "rtl/stats_plan.h"

/* To be asked before anything is written: whether all names in the directory that are to be used
 * are free, or the tool's own files have them; for the statistics module too. False with a
 * sentence. */
bool circuits_may_write(const char *path, const struct circuit *circuits, size_t count,
			struct err *err);
bool circuits_may_write_stat(const char *path, struct err *err);

/* Writes the sources of the circuits into the directory, for this machine. False with a sentence.
 */
bool circuits_write(const char *path, const struct circuit *circuits, size_t count,
		    const struct job_machine *machine, struct err *err);

/* Runs the job, whose part these circuits are, and writes their stimulus. False with a sentence. */
bool circuits_stimulate(const char *path, const struct circuit *circuits, size_t count,
			const struct job *job, const struct args *args, struct err *err);
/* The same with the circuits of the statistics module, whose plan *plan then is. */
bool circuits_stimulate_stat(const char *path, const struct job *job, const struct args *args,
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
