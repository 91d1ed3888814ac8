#include "job/sample.h"

#include <math.h>

#include "base/rng.h"

#define PLACE_SEED 20

uint64_t sample_stretches(const struct sample_plan *plan)
{
	const uint64_t slice = sample_slice(plan);

	if (!plan->end)
		return UINT64_MAX;
	return plan->end > slice ? (plan->end - slice) / plan->period : 0;
}

static uint64_t begin_of_point(const struct sample_plan *plan, uint64_t number)
{
	if (number >= plan->point_count)
		return UINT64_MAX;
	const uint64_t interval = plan->points[number].interval * plan->unit;

	return interval > plan->settle ? interval - plan->settle : 0;
}

uint64_t sample_length(const struct sample_plan *plan, uint64_t number, uint64_t begin)
{
	if (!plan->points_most)
		return sample_slice(plan);
	return (plan->points[number].interval + 1) * plan->unit + SAMPLE_BEHIND - begin;
}

uint64_t sample_begin(const struct sample_plan *plan, uint64_t number)
{
	const uint64_t slice = sample_slice(plan), stretches = sample_stretches(plan);
	struct rng rng = {PLACE_SEED + number};

	if (plan->points_most)
		return begin_of_point(plan, number);
	if (!number)
		return 0;
	if (number > stretches)
		return number == stretches + 1 ? plan->end : UINT64_MAX;
	return slice + (number - 1) * plan->period +
	       (plan->period > slice ? rng_below(&rng, plan->period - slice + 1) : 0);
}

double sample_widths(size_t readings)
{
	return readings > 1 ? 2 + 2.6 / (double)(readings - 1) : 2;
}

struct sample_estimate sample_estimate(const struct sample_units *units, const uint32_t *sums,
				       size_t stride)
{
	const size_t end = units->count - units->has_end, count = end - 1;
	double sum = 0, all = 0, variance = 0, before = 0;
	double known = units->instructions[0], value = sums[0];

	for (size_t i = 1; i < end; i++) {
		sum += sums[i * stride];
		all += units->instructions[i];
	}
	if (units->has_end) {
		known += units->instructions[end];
		value += sums[end * stride];
	}
	if (all == 0)
		return (struct sample_estimate){value, INFINITY};
	const double rate = sum / all, rest = (double)units->program - known;
	struct sample_estimate estimate = {value + rate * rest, INFINITY};

	if (count < 2)
		return estimate;
	/* What a unit has beyond the mean. The mean of squares of n - 1 neighbours, halved, is the
	 * variance of one unit. */
	for (size_t i = 1; i < end; i++) {
		const double beyond = sums[i * stride] - rate * units->instructions[i];

		if (i > 1)
			variance += (beyond - before) * (beyond - before) / 2;
		before = beyond;
	}
	variance /= (double)(count - 1);
	/* The sum of n units has n times that. What was measured is known; what is behind the last
	 * stretch is one more unit, as long as it is. */
	const double unit = all / (double)count, behind = (double)units->behind / unit;
	const double squares =
		variance * ((double)count * fmax(0, 1 - all / rest) * (rest / all) * (rest / all) +
			    behind * behind);
	estimate.error = sample_widths(count) * sqrt(squares) + SAMPLE_BIAS * fabs(estimate.value);
	return estimate;
}
