/*
 * warm.h - functional warming: executes a program in program order, without time, and trains the
 * caches, TLBs, prefetchers and branch predictor that a core will use, so that a simulation that
 * begins in the middle finds them as a simulation of everything before would have left them, but
 * for wrong paths and the order of accesses in time.
 *
 * Each instruction's line is fetched when it is another one than the last; then come its data
 * accesses, two where it reaches into a second line, an atomic's load before its store; then its
 * branch is predicted and the predictor updated. These are the core's own parts, through the
 * functions that src/mem and src/pred have for it, so any kind of core can be warmed.
 *
 * Without parts it only executes: to a count of instructions exactly, or to a call of a function.
 */
#ifndef MACHINE_WARM_H
#define MACHINE_WARM_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/branch.h"
#include "linux/process.h"
#include "mem/hierarchy.h"
#include "pred/predictor.h"

struct warm {
	struct hierarchy *hierarchy; /* NULL: nothing is warmed */
	struct predictor *predictor; /* likewise */
	uint64_t fetch_line;	     /* of the last fetch */
	/* The last instruction executed. */
	uint64_t last_pc;
	enum control last_control;
	/* What the hierarchy had counted, and whether it kept a log, when warm_interrupt began. */
	struct memory_events events;
	bool keeps_log;
};

/* The caller keeps the parts; both or none. */
void warm_init(struct warm *warm, struct hierarchy *hierarchy, struct predictor *predictor);

/* Executes until `instructions` instructions are committed in all. True while the program runs. */
bool warm_run(struct warm *warm, struct process *process, uint64_t instructions);

/* Around warming in the middle of a simulation: what happens in between is not counted. */
void warm_interrupt(struct warm *warm);
void warm_resume(struct warm *warm);

/* A function, by the address of its first instruction and the one after its last. */
struct warm_function {
	uint64_t entry, end;
	uint64_t calls; /* calls of it until now */
};

/* Executes until the function has been called `calls` times, or about `instructions` are committed
 * in all; the process is then at its first instruction. A call is an arrival there by a call
 * instruction, or in any other way from outside the function. True if it is there. */
bool warm_run_to_call(struct warm *warm, struct process *process, struct warm_function *function,
		      uint64_t calls, uint64_t instructions);

#endif
