/*
 * pmu.h - the performance monitoring unit of a simulated processor: counters of signals, behind the
 * guest's perf_event_open and the counter CSRs.
 *
 * Counter 0 counts cycles and counter 2 instructions, always; from 3 on there are pmu.counters of
 * them that count any event. Up to 31 they are the CSRs cycle, instret and hpmcounter3 .. 31. What
 * a counter shows is the sum of its event's signals since it was started, exactly as an observer of
 * every record would add them up: a signal with a running total is read from that, any other is
 * added up record by record while a counter needs it. Nothing is observed until the program opens
 * its first event, and nothing it observes changes what the core does.
 *
 * Between two cycles of a core, or in a cycle of an empty core before anything is fetched, totals
 * and sums belong together; nobody reads counters at another time (linux/perf.h).
 *
 * Before a core has taken over, and where none does (exec), only instructions are counted.
 *
 * With pmu.noise_percent a programmable counter is wrong at each reading: what was added since the
 * last one is off by up to so many percent, up to so many percent of a count for each sixteen
 * instructions are added, and one reading in a hundred is wrong by up to as much again. The noise
 * depends on the seed and on the readings alone.
 *
 * Not modelled: interrupts on overflow (counters have 64 bits), privilege modes.
 */
#ifndef PMU_PMU_H
#define PMU_PMU_H

#include "config/config.h"
#include "linux/process.h"
#include "machine/simulation.h"
#include "pmu/events.h"

struct pmu;

/* Gives the process its counters; without a configuration those of a processor without time. NULL
 * with a sentence if the configuration is wrong. The process must outlive it. */
struct pmu *pmu_create(const struct config *config, struct process *process, struct err *err);
/* A core executes the process from now on. */
void pmu_attach(struct pmu *pmu, struct simulation *simulation);
/* The process must not execute any more. */
void pmu_destroy(struct pmu *pmu);

#endif
