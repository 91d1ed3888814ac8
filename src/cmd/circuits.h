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

/* Writes the sources of the circuits into the directory, for this machine. False with a sentence.
 */
bool circuits_write(const char *path, const struct circuit *circuits, size_t count,
		    const struct job_machine *machine, struct err *err);

/* Runs the job, whose circuits are those that were written there, and writes their stimulus. False
 * with a sentence. */
bool circuits_stimulate(const char *path, const struct job *job, const struct args *args,
			struct err *err);

/* `judge --rtl`. */
int judge_circuits(const struct args *args);

#endif
