/*
 * simulation.h - a complete simulated machine: a configuration, a process, caches and predictor, a
 * core, and its observers.
 *
 * Observers receive every record of the core in order; any number may observe, and none can change
 * what happens. Sums of signals over the run can be read at any time; simulation_check compares
 * totals by the identities they must satisfy, and every run ends with it.
 *
 * Does not run programs in parallel: one process on one core.
 */
#ifndef MACHINE_SIMULATION_H
#define MACHINE_SIMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "config/config.h"
#include "core/core.h"
#include "linux/process.h"
#include "machine/warm.h"
#include "signal/signal.h"

struct observer {
	void (*cycle)(void *context, const struct cycle *cycle);
	void *context;
	uint32_t events; /* kinds of events it needs, as EVENT_BITs */
};

struct cycle_batch;
struct simulation;

/* The caller keeps the process. NULL with a sentence if the configuration's core is not
 * implemented or a part cannot be created. */
struct simulation *simulation_create(const struct config *config, struct process *process,
				     struct err *err);
void simulation_destroy(struct simulation *simulation);
/* The same in two steps, with functional warming between: prepare makes caches and predictor,
 * begin the core, which starts where the process then is. */
struct simulation *simulation_prepare(const struct config *config, struct process *process,
				      struct err *err);
void simulation_warm(struct simulation *simulation, struct warm *warm); /* begins warming */
void simulation_begin(struct simulation *simulation, const struct config *config);
void simulation_attach(struct simulation *simulation, struct observer observer);
/* Of the events that the observer attached last asks for, these are of use. Where others ask for
 * events too, before or after, all are. */
void simulation_need_events(struct simulation *simulation, const struct event_needs *needs);
/* One observer may have a batch, which it empties when it is called because the batch is full, and
 * before it tells anything. False: there is such an observer already. */
bool simulation_attach_batch(struct simulation *simulation, struct cycle_batch *batch,
			     struct observer when_full);
/* From now on the core writes its records and their lists there. */
void simulation_write_to(struct simulation *simulation, struct cycle_lists *lists);
/* The kinds of events, as EVENT_BITs, that are asked for from now on besides those of the
 * observers. Fewer than before may be asked for by an observer of a cycle alone. */
void simulation_want_events(struct simulation *simulation, uint32_t kinds);
/* From now on the program's clocks advance by cycles instead of instructions. Its instruction
 * stream may then differ from one machine to another. */
void simulation_time_by_cycles(struct simulation *simulation);
/* In a copy of the host process: nobody observes any more, and the program only looks ahead. */
void simulation_look_ahead(struct simulation *simulation);
/* Between two runs: the machine goes on as one of this configuration, of which only parameters of
 * machine/live.def may differ; what is in flight keeps the times it has. False with a sentence that
 * names the first parameter that cannot change, and nothing has changed. Nobody may observe: what
 * observers know of the machine would be wrong. */
bool simulation_reconfigure(struct simulation *simulation, const struct config *config,
			    struct err *err);
void simulation_set_skipping(struct simulation *simulation, bool skips);

/* Runs until the program has ended or about `cycles` more have passed. True while
 * there is more to do. */
bool simulation_run(struct simulation *simulation, uint64_t cycles);
/* The same, but it also ends when exactly `instructions` have committed. */
bool simulation_run_to(struct simulation *simulation, uint64_t cycles, uint64_t instructions);
/* From now on a run also ends when the function entered last returns: before the instruction at
 * `return_to` commits. Calls made at `call` in between return there too and do not end it. */
void simulation_end_at_return(struct simulation *simulation, uint64_t call, uint64_t return_to);
/* The process is at the start of a function that was called at `call`; it may have been executed
 * since the last such call returned. From now on a run also ends when that call has returned and
 * the core is empty; it can then go on with another. */
void simulation_measure_call(struct simulation *simulation, uint64_t call, uint64_t return_to);
/* The same for the next `instructions` of the program, and those up to a control transfer. */
void simulation_measure_slice(struct simulation *simulation, uint64_t instructions);
bool simulation_has_returned(const struct simulation *simulation);

uint64_t simulation_cycles(const struct simulation *simulation);
uint64_t simulation_instructions(const struct simulation *simulation); /* committed instructions */

/* Committed stores that wait to be written, and those whose writing has begun. */
struct simulation_stores {
	uint64_t waiting, written;
};
struct simulation_stores simulation_stores(const struct simulation *simulation);

/* The sum of a signal since the simulation began; the signal must have a total. */
uint64_t simulation_total(const struct simulation *simulation, const struct signal_row *signal);

/* Checks the identities; false with a sentence that names the first that does not hold. */
bool simulation_check(const struct simulation *simulation, struct err *err);

#endif
