/* Estimates from units against arithmetic on paper, and against made-up programs whose sums are
 * known. */
#include "job/sample.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/rng.h"
#include "../test.h"

#define SETTLE 20
#define UNIT   200
#define SLICE  (SETTLE + UNIT + SAMPLE_BEHIND)

/* Slices are in order, each within its stretch, and elsewhere in one than in the next. */
TEST(each_stretch_has_one_slice)
{
	const struct sample_plan plan = {.period = 5000, .settle = SETTLE, .unit = UNIT};
	uint64_t places = 0, sum = 0;

	assert_int_equal(sample_slice(&plan), SLICE);
	assert_int_equal(sample_begin(&plan, 0), 0);
	for (uint64_t i = 1; i <= 2000; i++) {
		const uint64_t begin = sample_begin(&plan, i), stretch = SLICE + (i - 1) * 5000;

		assert_true(begin >= stretch && begin + SLICE <= stretch + 5000);
		assert_int_equal(begin, sample_begin(&plan, i));
		places += begin - stretch != sample_begin(&plan, i + 1) - stretch - 5000;
		sum += begin - stretch;
	}
	assert_true(places > 1900);
	/* On average in the middle of what is left. */
	assert_true(labs((long)(sum / 2000) - (5000 - SLICE) / 2) < 120);
}

TEST(without_room_slices_follow_each_other)
{
	const struct sample_plan plan = {.period = SLICE, .settle = SETTLE, .unit = UNIT};

	for (uint64_t i = 0; i < 10; i++)
		assert_int_equal(sample_begin(&plan, i), i * SLICE);
}

/* Between the beginning and the end, as many whole stretches as fit. */
TEST(a_known_end_is_the_last_slice)
{
	const struct sample_plan plan = {
		.period = 1000, .settle = SETTLE, .unit = UNIT, .end = SLICE + 3 * 1000 + 10};

	assert_int_equal(sample_stretches(&plan), 3);
	assert_true(sample_begin(&plan, 3) + SLICE <= SLICE + 3 * 1000);
	assert_int_equal(sample_begin(&plan, 4), SLICE + 3 * 1000 + 10);
	assert_int_equal(sample_begin(&plan, 5), UINT64_MAX);
}

/* Simulation points begin so early that they settle, but not before the program; one that begins
 * late ends where it would have. */
TEST(points_are_slices)
{
	const struct simulation_point points[] = {{0, 0, 0.5}, {7, 1, 0.25}, {8, 2, 0.25}};
	const struct sample_plan plan = {.period = 1000,
					 .settle = SETTLE,
					 .unit = 1000,
					 .points = points,
					 .point_count = 3,
					 .points_most = 30};

	assert_int_equal(sample_begin(&plan, 0), 0);
	assert_int_equal(sample_begin(&plan, 1), 7000 - SETTLE);
	assert_int_equal(sample_begin(&plan, 2), 8000 - SETTLE);
	assert_int_equal(sample_begin(&plan, 3), UINT64_MAX);
	assert_int_equal(sample_length(&plan, 0, 0), 1000 + SAMPLE_BEHIND);
	assert_int_equal(sample_length(&plan, 1, 7000 - SETTLE), 1000 + SETTLE + SAMPLE_BEHIND);
	assert_int_equal(sample_length(&plan, 2, 8070), 930 + SAMPLE_BEHIND);
}

static const uint32_t ten[] = {10, 10, 10, 10, 10, 10};

/* The beginning: 50 in 10 instructions. Then units of 10 with 20, 40, 20, 40: 3 an instruction, and
 * beyond that -10, 10, -10, 10. Neighbours differ by 20: three times 400 / 2 over 3 is a variance
 * of 200 of a unit, of the sum 800. Of 1010 instructions 1000 are the rest, of which 40 were
 * measured. */
TEST(an_estimate_is_worked_out_on_paper)
{
	const uint32_t sums[] = {50, 20, 40, 20, 40};
	const struct sample_units units = {ten, 5, false, 1010, 0};
	const struct sample_estimate e = sample_estimate(&units, sums, 1);

	assert_float_equal(e.value, 50 + 3 * 1000, 1e-9);
	assert_float_equal(e.error,
			   (2 + 2.6 / 3) * sqrt(800 * (1 - 40.0 / 1000)) / 40 * 1000 +
				   SAMPLE_BIAS * 3050,
			   1e-9);
}

/* The same with an end of 70 in 10 instructions, which counts for itself. */
TEST(an_end_counts_for_itself)
{
	const uint32_t sums[] = {50, 20, 40, 20, 40, 70};
	const struct sample_units units = {ten, 6, true, 1020, 0};
	const struct sample_estimate e = sample_estimate(&units, sums, 1);

	assert_float_equal(e.value, 50 + 70 + 3 * 1000, 1e-9);
	assert_float_equal(e.error,
			   (2 + 2.6 / 3) * sqrt(800 * (1 - 40.0 / 1000)) / 40 * 1000 +
				   SAMPLE_BIAS * 3120,
			   1e-9);
}

/* 30 instructions behind the last stretch are three units that may all be as far from the mean as
 * one of variance 200 is. */
TEST(what_is_behind_the_last_stretch_is_not_known)
{
	const uint32_t sums[] = {50, 20, 40, 20, 40};
	const struct sample_units units = {ten, 5, false, 1010, 30};
	const struct sample_estimate e = sample_estimate(&units, sums, 1);

	assert_float_equal(e.value, 50 + 3 * 1000, 1e-9);
	assert_float_equal(e.error,
			   (2 + 2.6 / 3) * sqrt(800 * (1 - 40.0 / 1000) * 25 * 25 + 200 * 9) +
				   SAMPLE_BIAS * 3050,
			   1e-9);
}

TEST(rows_of_other_values_lie_between)
{
	const uint32_t rows[] = {1, 50, 2, 20, 3, 40, 4, 20}, alone[] = {50, 20, 40, 20};
	const struct sample_units units = {ten, 4, false, 400, 0};
	const struct sample_estimate a = sample_estimate(&units, &rows[1], 2);
	const struct sample_estimate b = sample_estimate(&units, alone, 1);

	assert_float_equal(a.value, b.value, 0);
	assert_float_equal(a.error, b.error, 0);
}

TEST(too_few_units_know_no_error)
{
	const uint32_t sums[] = {5, 5, 5, 5};
	struct sample_units units = {ten, 1, false, 100, 0};

	assert_true(isinf(sample_estimate(&units, sums, 1).error));
	units.count = 2;
	assert_true(isinf(sample_estimate(&units, sums, 1).error));
	assert_float_equal(sample_estimate(&units, sums, 1).value, 50, 1e-9);
	units.count = 3;
	assert_float_equal(sample_estimate(&units, sums, 1).error, SAMPLE_BIAS * 50, 1e-9);
	units.has_end = true;
	assert_true(isinf(sample_estimate(&units, sums, 1).error));
}

TEST(widths_are_near_students_quantiles)
{
	static const struct {
		size_t readings;
		double quantile;
	} rows[] = {{3, 4.303}, {5, 2.776}, {10, 2.262}, {30, 2.045}, {1000, 1.962}};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		assert_true(fabs(sample_widths(rows[i].readings) / rows[i].quantile - 1) < 0.25);
}

/* A program of 400 phases by chance: some slow, some that rise, some with rare bursts. What a
 * stretch of it costs is known at every instruction. */
static double *random_program(struct rng *rng, size_t instructions)
{
	double *sums = mem_alloc_array(instructions + 1, sizeof(*sums));
	double rate = 1, rise = 0, burst = 0;

	for (size_t i = 0; i < instructions; i++) {
		if (i % (instructions / 400) == 0) {
			rate = 0.3 + (double)rng_below(rng, 1000) / 500;
			rise = rng_below(rng, 3) ? 0 : 1.0 / (double)instructions;
			burst = rng_below(rng, 3) ? 0 : 0.02;
		}
		rate += rise;
		sums[i + 1] =
			sums[i] + rate + ((double)rng_below(rng, 1000000) < 1e6 * burst ? 30 : 0);
	}
	return sums;
}

/* At least 93 of 100 intervals hold what is true, of 600 samples of 30 programs. */
TEST(intervals_hold_what_is_true)
{
	const size_t instructions = 400000;
	struct rng rng = {7};
	unsigned held = 0, all = 0;

	for (unsigned program = 0; program < 30; program++) {
		double *sums = random_program(&rng, instructions);

		for (unsigned period = 2000; period < 2400; period += 20, all++) {
			const struct sample_plan plan = {
				.period = period, .settle = SETTLE, .unit = UNIT};
			uint32_t costs[300], lengths[300];
			size_t count = 0;

			for (uint64_t i = 0; sample_begin(&plan, i) + SLICE < instructions; i++) {
				const size_t from = sample_begin(&plan, i) + (i ? SETTLE : 0);
				const size_t to = sample_begin(&plan, i) + SETTLE + UNIT;

				lengths[count] = (uint32_t)(to - from);
				costs[count++] = (uint32_t)(sums[to] - sums[from] + 0.5);
			}
			const struct sample_units units = {lengths, count, false, instructions,
							   instructions - SLICE -
								   (count - 1) * period};
			const struct sample_estimate e = sample_estimate(&units, costs, 1);

			/* Nothing is warmed here. */
			held += fabs(e.value - sums[instructions]) <=
				e.error - SAMPLE_BIAS * e.value;
		}
		free(sums);
	}
	assert_int_equal(all, 600);
	if (held < 558)
		fail_msg("%u of 600 intervals hold what is true", held);
}
