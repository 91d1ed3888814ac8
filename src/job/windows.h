/*
 * windows.h - what a run would take on other machines, measured: at moments of the run the worker
 * is copied, once for each machine; the copy changes into that machine (simulation_reconfigure) and
 * simulates the next instructions, and its cycles are compared with those of a copy that stays the
 * machine that runs. In calling order: create, poll while the run goes on, finish, estimate,
 * destroy.
 *
 * The run is divided into strata of instructions, each with one window at a place drawn from a
 * seed. The first strata are as long as a window, so that a short run is measured whole; then they
 * grow with what has passed, so that the number of windows grows with the logarithm of the run. The
 * first instructions of a window, in which what was in flight or busy when the machine changed
 * still matters, are not counted, but for the window that begins the run. An
 * estimate is what an instruction costs more in the window, times the instructions of the stratum,
 * added up. Its error is twice the standard error by the differences of neighbours; if that cost
 * grows within the windows by more than chance, by how much; and the two of WINDOWS_BIAS.
 *
 * Invariant: nothing here depends on the host: how many copies run at once changes no estimate. A
 * copy has no effect outside itself: it ends before the program's first system call that may
 * have one (another window then follows), fault or read of a counter, and dies with the worker. A
 * program that shares memory with files, or whose windows are all cut short at once, has fewer
 * windows or none.
 *
 * Not modelled: what caches, TLBs and predictors would hold if the run had had the other machine
 * from the beginning; what has piled up longer than the first instructions of a window, such as
 * thousands of stores behind two MSHRs in a store buffer without a limit.
 */
#ifndef JOB_WINDOWS_H
#define JOB_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"
#include "machine/observer_thread.h"
#include "machine/simulation.h"

/* How far apart, in cycles, a run looks whether a window is due. */
#define WINDOWS_POLL_CYCLES 100
/* What slowly changing state may add to the error: in parts of the cycles, and of the change. */
#define WINDOWS_BIAS	       0.003
#define WINDOWS_BIAS_OF_CHANGE 0.02

struct windows;

struct windows_plan {
	struct simulation *simulation;
	const struct process *process;
	struct observer_thread *thread; /* that observes, or NULL */
	const struct config *run;
	const struct config *machines; /* must outlive the windows */
	size_t count;
	uint64_t last;	 /* no window reaches beyond so many instructions */
	unsigned copies; /* at once, at least 1 */
};

struct windows_estimate {
	size_t windows;	       /* with a reading; 0: nothing is known */
	uint64_t instructions; /* in them */
	double ratio;	       /* of the cycles to those of the run */
	double error;	       /* of the ratio: it is within this of the truth in 19 of 20 cases */
};

/* NULL with a sentence if there is no memory that copies can share. */
struct windows *windows_create(const struct windows_plan *plan, struct err *err);
void windows_poll(struct windows *windows);
/* The run is over, or is read; waits for all copies. */
void windows_finish(struct windows *windows);
struct windows_estimate windows_estimate(const struct windows *windows, size_t machine);
void windows_destroy(struct windows *windows); /* NULL is allowed */

#endif
