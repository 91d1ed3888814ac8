/*
 * sample.h - what a run that simulates only slices of its program says of all of it.
 *
 * Systematic sampling in the manner of SMARTS (Wunderlich, Wenisch, Falsafi and Hoe 2003): the
 * program is divided into stretches of `period` instructions; in each a slice is simulated, at a
 * place drawn from a seed, and everything between warms caches, TLBs and predictor. The first
 * `settle` instructions of a slice, in which the pipeline fills and wrong paths leave their marks,
 * are simulated and not counted; the `unit` instructions after them are the unit of the sample.
 * Then fetch stops, and the next stretch goes on from an empty core. The program's beginning, which
 * is like nothing that follows, is a slice of its own, all of which counts, for itself alone; so is
 * its end, where it is known in advance.
 *
 * An estimate is that of beginning and end and a ratio: the sum over the units by their
 * instructions, times the instructions of the rest. Its error is Student's quantile for 19 of 20
 * cases times the standard error by what neighbours differ by, which is what a sample with one unit
 * in each stretch allows; what is behind the last whole stretch is as far from the mean as any unit
 * may be. SAMPLE_BIAS of the estimate is added for what warming does not know.
 *
 * Not modelled: what wrong paths and the order of accesses in time leave in caches and predictor
 * between slices; how far stretches are alike within a unit of time shorter than a slice.
 */
#ifndef JOB_SAMPLE_H
#define JOB_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/simpoint_files.h"

/* What warming without wrong paths and without time may add: in parts of an estimate. */
#define SAMPLE_BIAS 0.005

/* A unit ends at the first record that has all of it, some instructions late; a slice is so much
 * longer that every one of them has its unit. */
#define SAMPLE_BEHIND 64

/* A run of slices; `period` 0: everything is simulated. */
struct sample_plan {
	uint64_t period, settle, unit; /* instructions */
	uint64_t end;		       /* at which the last slice begins; 0: not known */
	/* Instead of one unit in each stretch: the intervals, of `unit` instructions, that stand
	 * for the program's phases, and how many there may be. 0: no phases. */
	const struct simulation_point *points;
	size_t point_count, points_most;
};

static inline uint64_t sample_slice(const struct sample_plan *plan)
{
	return plan->settle + plan->unit + SAMPLE_BEHIND;
}

/* Stretches up to the last slice; UINT64_MAX: no end is known. */
uint64_t sample_stretches(const struct sample_plan *plan);
/* The instruction, counted from the first, at which a slice begins: 0 is the beginning, then come
 * the stretches, and the end. UINT64_MAX: there is none. */
uint64_t sample_begin(const struct sample_plan *plan, uint64_t number);

/* How many instructions that slice has if it begins at `begin`: where one simulation point is right
 * behind another, that is later than sample_begin says. */
uint64_t sample_length(const struct sample_plan *plan, uint64_t number, uint64_t begin);

struct sample_estimate {
	double value;
	double error; /* the truth is within so much in 19 of 20 cases */
};

/* The units of a sample: how many instructions each had. Unit 0 is the beginning, and the last the
 * end of the program if has_end. */
struct sample_units {
	const uint32_t *instructions;
	size_t count;
	bool has_end;
	uint64_t program, behind; /* instructions; of these, behind the last whole stretch */
};

/* Of a quantity that was `sums[i * stride]` in unit i. Fewer than two units between beginning and
 * end have an infinite error. */
struct sample_estimate sample_estimate(const struct sample_units *units, const uint32_t *sums,
				       size_t stride);

/* How many standard errors an estimate from so many readings may be off in 19 of 20 cases: the
 * fewer, the less is known of the standard error too. Near the quantiles of Student's
 * distribution. */
double sample_widths(size_t readings);

#endif
