/*
 * repeat.h - the same program on the same machine, with one seed after the other: what was counted
 * as means, and how far the runs are apart (schema cyclestack-repeat-1).
 *
 * A seed decides the random numbers that a program asks the system for (getrandom, AT_RANDOM,
 * /dev/urandom) and which lines caches with random replacement evict. Everything else is the same
 * in every run: what TAGE chooses when it allocates, the noise of the PMU (pmu.noise_seed), the
 * arguments of the built-in workloads. So where neither the program nor a cache asks for random
 * numbers nothing varies, and the result says so: that is no measurement of a spread.
 *
 * The spread is what perf stat -r prints: the standard error of the mean, the square root of the
 * variance (over n - 1) divided by n, as a fraction of the mean.
 */
#ifndef EXPERIMENT_REPEAT_H
#define EXPERIMENT_REPEAT_H

#include "experiment/plan.h"

#define REPEAT_MOST 1000

/* Said in place of spreads that are 0. */
#define REPEAT_NOTHING_VARIES                                                                     \
	"nothing that was counted varies with the seed: neither the program nor a cache of this " \
	"machine used random numbers to an effect"

/* So many runs, with the seeds from the program's on. The part counts: part_stat_init's. All must
 * outlive the plan. Runs that were not done when the user interrupted are left out. */
struct plan *repeat_plan(const struct program *program, const struct job_machine *machine,
			 const struct job_part *part, size_t count);

#endif
