/*
 * windows.h - what a run would take on other machines, measured: at moments of the run the worker
 * is copied; the copy makes one more copy for each machine, which changes into that machine
 * (simulation_reconfigure) and simulates the next instructions; their cycles are compared with each
 * other and with those of a copy that stays the machine that runs. In calling order: create, poll
 * while the run goes on, finish, estimate, destroy.
 *
 * The run is divided into strata of instructions, each with one window at a place drawn from a
 * seed. The first strata are as long as a window, so that a short run is measured whole; then they
 * grow with what has passed, and as the schedule's budget asks for. Where the schedule stretches
 * windows, those that would follow on each other are one: a machine then has its own caches,
 * predictors and backlog from the beginning of that on. The first instructions of a
 * window, in which what was in flight or busy when the machine changed still matters, are not
 * counted, but for the window that begins the run. An estimate is what an instruction costs more
 * in the window, times the instructions of the stratum, added up. With slots to compare with, known
 * for the whole run and counted in the windows too, only what the cost is beyond these is
 * estimated, which varies less. Its error is twice the standard error by the differences of
 * neighbours, more with few windows; how far strata without a reading may be from the others, with
 * a single window as much as it measured; if the cost grows within the windows by more than chance,
 * by how much; and the two of WINDOWS_BIAS. Stores can pile up behind few MSHRs for longer than any
 * window. What more of them wait at the end of a window than on the machine that runs will still
 * take, and is part of the window's cost as if nothing hid it; all of that is part of the error.
 *
 * Where the schedule spares copies, a machine that has differed from the one it may be like by at
 * most DULL_CHANGE (windows.c) of the cycles in the last two windows that it simulated counts as
 * equal to it in the next three, unless more than DULL_SLOTS of a window's slots are charged to
 * what the two differ by. A machine that divides a whole into parts is simulated in one of three
 * windows that are not early; the others say nothing of it.
 *
 * Where the schedule keeps windows, copies are made and wait: they are simulated when the run is
 * over, and only then is it known which machines they become. All strata are as long as each other;
 * when there are as many as may be kept, of each two neighbours one keeps its window, drawn as
 * by its cycles, and the strata from there on are twice as long, in cycles: so that a phase of few
 * instructions that takes long has windows too. A stratum then weighs as much as its cycles, and an
 * estimate is what a cycle of the window costs more. A copy that waits costs what the run
 * writes to memory after it. With machines that are ideal for some instructions (config/ideal_at.h)
 * an estimate can go by the slots charged to these: known for the whole run, and counted in the
 * windows; what the machine gains for each of them is fitted to the windows, and what is left over
 * is estimated as above. Of the charged cycles that the windows do not stand for it is not known
 * what a cycle gains: their error is what windows have differed by, at least whole with few windows
 * that have any.
 *
 * Invariant: nothing here depends on the host: how many copies run at once changes no estimate. A
 * copy has no effect outside itself: it ends before the program's first system call that may
 * have one (another window then follows), fault or read of a counter, and dies with the worker. A
 * program that shares memory with files, or whose windows are all cut short at once, has fewer
 * windows or none.
 *
 * Not modelled: what caches, TLBs and predictors would hold if the run had had the other machine
 * from before its window; how loads wait for MSHRs behind stores that have piled up before the
 * window.
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

#define WINDOWS_RUN	SIZE_MAX       /* the machine that runs */
#define WINDOWS_NONE	(SIZE_MAX - 1) /* a machine that takes no time */
#define WINDOWS_SIGNALS 4

struct windows;

/* Where windows are, in instructions. */
struct windows_schedule {
	uint64_t length, settles; /* counted, and before that */
	/* While strata are as long as windows, these go on, and their strata with them, for so many
	 * instructions or until something outside ends them; 0: they do not. */
	uint64_t stretch;
	double growth; /* a stratum is so much of what has passed, at least a window */
	/* When `early` instructions have passed, it is `later` of them, at most `longest`. */
	uint64_t early, longest;
	double later;
	/* Instructions that copies may simulate: so many, and this part of those that have passed.
	 */
	double allowance, budget;
	/* Machines that have told little are left out of some windows; only with `like`. */
	bool spares;
	/* All windows wait until the run is over, at most so many, an even number; 0: none does.
	 * Then `growth` and what follows it says nothing, and `machines` may change until
	 * windows_set_machines. */
	unsigned keeps;
};

/* A machine takes as long as another one does in a window in which none of these has counted. */
struct windows_like {
	size_t machine; /* a later one, or WINDOWS_RUN */
	const struct signal_row *unless[WINDOWS_SIGNALS];
	uint64_t causes; /* for which the slots are charged that the machine gains, as bits */
	bool is_part;	 /* it divides into parts what machines around it tell as a whole */
};

struct windows_plan {
	struct simulation *simulation;
	const struct process *process;
	struct observer_thread *thread; /* that observes, or NULL */
	const struct config *run;
	/* Must outlive the windows, and if they are kept lie in memory that copies share. */
	const struct config *machines;
	size_t count;
	const struct windows_like *like; /* of each machine; or NULL */
	struct windows_schedule schedule;
	bool counts_slots; /* of the machine that runs, in the windows */
	bool counts_at;	   /* these also by the instructions for which a machine is ideal */
	uint64_t last;	   /* no window reaches beyond so many instructions */
	unsigned copies;   /* at work at once, at least 1 */
	bool is_worker;	   /* if a copy is killed from outside, so is this process */
	/* If not NULL, what is known so far is wide enough apart to look more closely. */
	bool (*wants_more)(void *context);
	void *context;
};

/* What `machine` takes beyond `less`, in cycles of the whole run. */
struct windows_question {
	size_t machine, less; /* or WINDOWS_RUN; `less`: or WINDOWS_NONE */
	/* To compare with, if the windows count slots: those of these causes, as bits, and how many
	 * cycles of the run they are. */
	uint64_t causes;
	double cycles;
	/* If the windows count by instructions: how many cycles of the run are charged to those for
	 * which `machine` is ideal; 0: that is not compared with. */
	double cycles_at;
};

struct windows_estimate {
	size_t windows;	       /* with a reading; 0: nothing is known */
	uint64_t instructions; /* in them */
	double cycles;
	double error; /* the truth is within so many cycles in 19 of 20 cases */
};

/* NULL with a sentence if there is no memory that copies can share. */
struct windows *windows_create(const struct windows_plan *plan, struct err *err);
void windows_poll(struct windows *windows);
/* Of windows that are kept: the first `count` machines of the plan are now what they will be. The
 * others are simulated in no window. */
void windows_set_machines(struct windows *windows, size_t count);
/* The run is over, or is read and may go on as if it had not been; waits for all copies, or, if
 * somebody has stopped it, ends those that are still at work. False with a sentence if the host did
 * not let one be made or work to its end: what is estimated would depend on the host. */
bool windows_finish(struct windows *windows, bool is_stopped, struct err *err);
struct windows_estimate windows_estimate(const struct windows *windows,
					 const struct windows_question *question);
void windows_destroy(struct windows *windows); /* NULL is allowed */

#endif
