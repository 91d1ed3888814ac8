#include <math.h>

#include "job/sample.h"
#include "job/windows_state.h"

/* Up to so many stores that wait to be written are what many machines have now and then. */
#define STORES_FEW 64

/* What an instruction costs more on a machine than on another one. */
static double difference(const struct reading *less, const struct reading *more)
{
	return cost_of(more) - cost_of(less);
}

/* By how much that grows from the first half of a window to the second. */
static double growth(const struct measured *less, const struct measured *more)
{
	const struct reading less_rest = since(less->half, less->all);
	const struct reading more_rest = since(more->half, more->all);

	if (!less->half.instructions || !more->half.instructions || !less_rest.instructions ||
	    !more_rest.instructions)
		return 0;
	return difference(&less_rest, &more_rest) - difference(&less->half, &more->half);
}

/* How far a machine is behind when a window ends, in cycles an instruction: it has more stores to
 * write than the one that runs, whose history it began with, and goes on at the rate of the window.
 * Where it has fewer, it has written some of that history too; that is not known apart. */
static double behind_by(const struct readings *r, size_t place)
{
	const struct measured *m = &r->measured[place], *run = &r->measured[0];

	if (m->waiting <= run->waiting + STORES_FEW || !m->all.instructions)
		return 0;
	return (double)(m->waiting - run->waiting) * cost_of(&m->all) /
	       (double)(m->written ? m->written : 1);
}

/* Whether a stratum says something of a machine: a short one may be all there is. */
static bool says(const struct stratum *stratum, size_t place)
{
	const uint64_t measured = stratum->readings->measured[0].all.instructions;

	return measured && stratum->readings->measured[place].all.instructions &&
	       (measured >= WINDOW_LEAST ||
		2 * measured > stratum->end.instructions - stratum->begin.instructions);
}

/* Slots of the causes, in cycles an instruction. */
static double slots_cost(const struct readings *r, uint64_t causes)
{
	return part_of_slots(r, causes) * cost_of(&r->measured[0].all);
}

struct windows_estimate windows_estimate(const struct windows *w, const struct windows_question *q)
{
	const double instructions = (double)simulation_instructions(w->plan.simulation);
	const size_t place = place_of(q->machine);
	const struct measured nothing = {0};
	struct windows_estimate estimate = {0};
	double sum = 0, weights = 0, variance = 0, before = 0, first = 0, all = 0;
	/* The squares of what neighbours differ by; what one window says at most; the weight of
	 * strata without a window. */
	double differences = 0, alone = 0, unread = 0;
	double grows = 0, grows_squares = 0, behind = 0;

	for (size_t i = 0; i < w->count; i++) {
		const struct stratum *s = &w->list[i];
		const struct measured *more = &s->readings->measured[place];
		const struct measured *less = q->less == WINDOWS_NONE
						      ? &nothing
						      : &s->readings->measured[place_of(q->less)];
		const struct reading *run = &s->readings->measured[0].all;

		const double weight = (double)(s->end.instructions - s->begin.instructions);

		unread += says(s, 0) ? 0 : weight;
		if (!says(s, place) || (q->less != WINDOWS_NONE && !says(s, place_of(q->less))))
			continue;
		const double later =
			behind_by(s->readings, place) -
			(q->less == WINDOWS_NONE ? 0 : behind_by(s->readings, place_of(q->less)));
		const double whole = difference(&less->all, &more->all) + later;
		const double cost = whole - slots_cost(s->readings, q->causes);
		/* What is left out of a stratum is known as well as neighbours are alike. */
		const double spread = weight * fmax(0, weight - (double)run->instructions) / 2;

		if (estimate.windows) {
			variance += (cost - before) * (cost - before) *
				    (spread + (estimate.windows == 1 ? first : 0));
			differences += (cost - before) * (cost - before);
		} else {
			first = spread;
			alone = fmax(fabs(cost), fabs(whole));
		}
		before = cost;
		sum += weight * cost;
		all += weight * whole;
		weights += weight;
		const double growing = weight * growth(less, more);
		grows += growing;
		grows_squares += growing * growing;
		behind += weight * later;
		estimate.windows++;
		estimate.instructions += run->instructions;
	}
	if (!estimate.windows)
		return estimate;
	/* Strata without a window count as the others do on the average, but are like none of them
	 * in particular; one window says nothing of how far they may be from it. Those that have
	 * one, in which these machines were left out, lie between the others. */
	const double scale = instructions / weights, missing = unread / scale;
	if (estimate.windows > 1)
		variance += missing * missing * differences / (2 * (double)(estimate.windows - 1));

	estimate.cycles = q->cycles + sum * scale;
	estimate.error = (sample_widths(estimate.windows) * sqrt(variance) +
			  fmax(0, fabs(grows) - 2 * sqrt(grows_squares)) + fabs(behind)) *
				 scale +
			 WINDOWS_BIAS * (double)simulation_cycles(w->plan.simulation) +
			 WINDOWS_BIAS_OF_CHANGE * fabs(q->causes ? 0 : all * scale);
	/* One window without a neighbour tells little of what is outside it. */
	if (estimate.windows == 1)
		estimate.error +=
			fabs(sum) * scale * sqrt(2 * first) / weights + missing * scale * alone;
	return estimate;
}
