/* What errors may be, and which of two methods is better, if the truth is somewhere in a box:
 * beside every point of a grid over boxes of three components. */
#include "../test.h"

#include <math.h>

#include "base/rng.h"
#include "experiment/judge_box.h"

#define STEPS 24 /* of an interval, so that its ends and its middle are looked at */

static const int some[] = {COMPONENT_BASE, COMPONENT_BRANCH, COMPONENT_L2D};

static double error_at(const struct judge_told *told, const double truth[3])
{
	double most = 0;

	for (int i = 0; i < 3; i++)
		most = fmax(most, fabs(told->at[some[i]] - truth[i]));
	return most;
}

/* What is least and largest at any point of the grid. */
struct seen {
	double low, high, excess;
};

static struct seen look(const struct judge_box *box, const struct judge_told *one,
			const struct judge_told *other)
{
	struct seen seen = {INFINITY, 0, INFINITY};
	double truth[3];

	for (int i = 0; i < (STEPS + 1) * (STEPS + 1) * (STEPS + 1); i++) {
		const int at[] = {i % (STEPS + 1), i / (STEPS + 1) % (STEPS + 1),
				  i / (STEPS + 1) / (STEPS + 1)};

		for (int k = 0; k < 3; k++)
			truth[k] = box->at[some[k]] + box->off[some[k]] * (2.0 * at[k] / STEPS - 1);
		seen.low = fmin(seen.low, error_at(one, truth));
		seen.high = fmax(seen.high, error_at(one, truth));
		seen.excess = fmin(seen.excess, error_at(one, truth) - error_at(other, truth));
	}
	return seen;
}

static double any(struct rng *rng)
{
	return (double)rng_below(rng, 1001) / 1000;
}

TEST(ranges_and_excesses_are_those_of_every_truth_in_the_box)
{
	struct rng rng = {.state = 5};
	unsigned certain = 0, open = 0;

	for (int round = 0; round < 150; round++) {
		struct judge_box box = {.has = {false}};
		struct judge_told one, other;

		for (int i = 0; i < COMPONENT_COUNT; i++) {
			/* Components that are not there must not matter. */
			box.at[i] = any(&rng);
			box.off[i] = any(&rng) / 5;
			one.at[i] = box.at[i] + (any(&rng) - 0.5) * (round % 3 ? 1 : 0.2);
			other.at[i] = box.at[i] + (any(&rng) - 0.5) * (round % 2 ? 1 : 0.2);
		}
		for (int i = 0; i < 3; i++)
			box.has[some[i]] = true;
		const struct judge_range range = judge_box_error(&box, &one);
		const double excess = judge_box_excess(&box, &one, &other);
		const struct seen seen = look(&box, &one, &other);
		/* Between points of the grid, errors change by no more than half a step each. */
		const double step = 2 * 0.2 / STEPS;

		assert_true(range.low <= seen.low + 1e-12 && range.low >= seen.low - step);
		assert_true(fabs(range.high - seen.high) < 1e-12);
		assert_true(excess <= seen.excess + 1e-12 && excess >= seen.excess - 2 * step);
		certain += excess > 0;
		open += excess <= 0 && -judge_box_excess(&box, &other, &one) >= 0;
	}
	assert_true(certain > 10 && open > 10);
}

TEST(a_truth_without_intervals_leaves_nothing_open)
{
	struct judge_box box = {.at = {[COMPONENT_BASE] = 0.5, [COMPONENT_RESOURCE] = 0.25},
				.has = {[COMPONENT_BASE] = true, [COMPONENT_RESOURCE] = true}};
	const struct judge_told one = {{[COMPONENT_BASE] = 0.75, [COMPONENT_RESOURCE] = 0.25}},
				other = {{[COMPONENT_BASE] = 0.5, [COMPONENT_RESOURCE] = 0.375}};
	struct judge_range range = judge_box_error(&box, &one);

	assert_true(range.low == 0.25 && range.high == 0.25);
	assert_true(judge_box_excess(&box, &one, &other) == 0.125);
	assert_true(judge_box_excess(&box, &other, &one) == -0.125);
	box.off[COMPONENT_BASE] = 0.0625;
	box.off[COMPONENT_RESOURCE] = 0.03125;
	judge_box_fold(&box);
	assert_true(box.at[COMPONENT_BASE] == 0.75 && box.off[COMPONENT_BASE] == 0.09375);
	assert_true(box.at[COMPONENT_RESOURCE] == 0 && box.off[COMPONENT_RESOURCE] == 0);
	range = judge_box_error(&box, &(struct judge_told){{[COMPONENT_BASE] = 0.75}});
	assert_true(range.low == 0 && range.high == 0.09375);
}
