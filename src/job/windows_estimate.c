#include <math.h>

#include "job/sample.h"
#include "job/windows_state.h"

/* Up to so many stores that wait to be written are what many machines have now and then. */
#define STORES_FEW 64
/* What a machine gains for a cycle is fitted to no fewer windows. */
#define FIT_LEAST 6

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

/* Cycles an instruction that are charged to the instructions for which the machine is ideal. */
static double at_cost(const struct windows *w, struct readings *r, const struct windows_question *q)
{
	uint64_t all = 0;

	if (q->cycles_at <= 0)
		return 0;
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		all += r->slots[i];
	return all ? (double)slots_at(r, w->plan.count)[q->machine] / (double)all *
			       cost_of(&r->measured[0].all)
		   : 0;
}

/* What a stratum says. */
struct said {
	double weight;
	double unit;  /* what is weighed in, in instructions of the window */
	double cost;  /* in cycles a unit of weight */
	double later; /* the part of it that is behind the window */
};

/* Whether the windows of a stratum are all of it, up to the end of the run: behind them is nothing.
 */
static bool reaches_end(const struct windows *w, const struct stratum *s)
{
	const uint64_t measured = s->readings->measured[0].all.instructions;

	return s->end.instructions == now(w->plan.simulation).instructions &&
	       measured + WINDOW_LEAST >= s->end.instructions - s->begin.instructions;
}

/* False if it says nothing. */
static bool read_stratum(const struct windows *w, const struct stratum *s,
			 const struct windows_question *q, struct said *said)
{
	const struct measured nothing = {0};
	const size_t place = place_of(q->machine);
	const bool is_alone = q->less == WINDOWS_NONE;
	const struct measured *less =
		is_alone ? &nothing : &s->readings->measured[place_of(q->less)];

	if (!says(s, place) || (!is_alone && !says(s, place_of(q->less))))
		return false;
	said->weight = (double)windows_extent(w, since(s->begin, s->end));
	said->unit = w->plan.schedule.keeps ? 1 / cost_of(&s->readings->measured[0].all) : 1;
	said->later = behind_by(s->readings, place) -
		      (is_alone ? 0 : behind_by(s->readings, place_of(q->less)));
	said->later *= reaches_end(w, s) ? 0 : said->unit;
	said->cost = difference(&less->all, &s->readings->measured[place].all) * said->unit +
		     said->later;
	return true;
}

/* What the machine takes more for each cycle that is charged to the instructions for which it is
 * ideal, fitted to the windows by least squares. */
struct fit {
	double slope;	/* 0 with few windows, to which it would be fitted too closely */
	double outside; /* of the cycles charged to them, those that the windows do not stand for */
	double spread;	/* by how much a cycle may be off the slope outside of the windows */
};

static struct fit fit_at(const struct windows *w, const struct windows_question *q)
{
	double products = 0, squares = 0, off = 0, charged = 0, weights = 0;
	size_t count = 0, with = 0;
	struct said said;

	if (q->cycles_at <= 0)
		return (struct fit){0};
	for (size_t i = 0; i < w->count; i++) {
		if (!read_stratum(w, &w->list[i], q, &said))
			continue;
		const double at = at_cost(w, w->list[i].readings, q) * said.unit;

		products += said.weight * said.cost * at;
		squares += said.weight * at * at;
		charged += said.weight * at;
		weights += said.weight;
		with += at > 0;
		count++;
	}
	const double slope = squares > 0 ? products / squares : 0;
	for (size_t i = 0; i < w->count; i++)
		if (read_stratum(w, &w->list[i], q, &said))
			off += said.weight *
			       fabs(said.cost -
				    slope * at_cost(w, w->list[i].readings, q) * said.unit);
	const double all = (double)windows_extent(w, now(w->plan.simulation));
	const double spread = charged > 0 ? 2 * off / charged : 1;

	return (struct fit){
		.slope = count >= FIT_LEAST ? slope : 0,
		.outside = count ? fabs(q->cycles_at - charged * all / weights) : 0,
		.spread = with < FIT_LEAST ? fmax(1, spread) : spread,
	};
}

struct windows_estimate windows_estimate(const struct windows *w, const struct windows_question *q)
{
	const struct fit fit = fit_at(w, q);
	const double extent = (double)windows_extent(w, now(w->plan.simulation));
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

		const double weight = (double)windows_extent(w, since(s->begin, s->end));
		struct said said;

		unread += says(s, 0) ? 0 : weight;
		if (!read_stratum(w, s, q, &said))
			continue;
		const double later = said.later, whole = said.cost;
		const double cost = whole - said.unit * (slots_cost(s->readings, q->causes) +
							 fit.slope * at_cost(w, s->readings, q));
		/* What is left out of a stratum is known as well as neighbours are alike. */
		const double spread =
			weight * fmax(0, weight - (double)windows_extent(w, *run)) / 2;

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
		const double growing = weight * said.unit * growth(less, more);
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
	const double scale = extent / weights, missing = unread / scale;
	if (estimate.windows > 1)
		variance += missing * missing * differences / (2 * (double)(estimate.windows - 1));

	estimate.cycles = q->cycles + fit.slope * q->cycles_at + sum * scale;
	estimate.error = (sample_widths(estimate.windows) * sqrt(variance) +
			  fmax(0, fabs(grows) - 2 * sqrt(grows_squares)) + fabs(behind)) *
				 scale +
			 fit.outside * fit.spread +
			 WINDOWS_BIAS * (double)simulation_cycles(w->plan.simulation) +
			 WINDOWS_BIAS_OF_CHANGE * fabs(q->causes ? 0 : all * scale);
	/* One window without a neighbour tells little of what is outside it. */
	if (estimate.windows == 1)
		estimate.error +=
			fabs(sum) * scale * sqrt(2 * first) / weights + missing * scale * alone;
	return estimate;
}
