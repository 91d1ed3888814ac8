/*
 * simpoint.h - what run --sample=simpoint does before its job: reads the simulation points that
 * --load-simpoints and --load-weights give, or executes the program once for its basic-block
 * vectors, finds its phases (measure/phases.h), and writes what --save-simpoints and --save-weights
 * name.
 */
#ifndef CMD_SIMPOINT_H
#define CMD_SIMPOINT_H

#include <stdbool.h>

#include "cmd/command.h"
#include "cmd/outputs.h"
#include "job/job.h"

struct simpoint {
	struct simulation_point *points; /* owned; room for SIMULATION_POINTS_MOST */
	bool is_loaded;
};

/* Reads the options; `settle` is in instructions. False with a sentence; release either way. */
bool simpoint_from_args(struct simpoint *simpoint, struct job *job, uint64_t settle,
			const struct args *args, struct err *err);
/* False with a sentence if one of its options is given without it. */
bool simpoint_refuse_options(const struct args *args, struct err *err);
/* Chooses the points of a job whose program is open; executes it if it must. False with a sentence.
 */
bool simpoint_prepare(struct simpoint *simpoint, struct job *job, const struct args *args,
		      struct outputs *outputs, struct err *err);
void simpoint_release(struct simpoint *simpoint);

#endif
