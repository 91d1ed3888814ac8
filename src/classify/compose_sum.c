#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "classify/compose_state.h"

#define FACTOR_LEAST 0.05 /* of an event in a sum */
#define PARTS_MOST   4	  /* of an event, that a factor may have */
#define ERROR_STEP   0.03 /* errors of sums are compared in such steps */

/* Between which the metric is on a probe where it is not known, if it is one category; at least 0.
 */
static bool is_within_bounds(const struct question *q, const struct candidates *all,
			     const struct sum *sum)
{
	const struct categories *categories = &q->c->categories;
	const double factor = q->metric->terms[0].factor;

	for (size_t k = 0; q->metric->term_count == 1 && factor > 0 && k < categories->probe_count;
	     k++) {
		const struct probe *probe = &categories->probes[k];
		double value = 0;

		if (!isnan(q->categories[0]->expected[k]))
			continue;
		for (size_t i = 0; i < sum->count; i++)
			value += sum->factors[i] * slopes_at(&q->c->slopes,
							     all->events[sum->columns[i]],
							     probe->point);
		if (value > factor * q->categories[0]->most[k] + probe->tolerance ||
		    value < factor * fmax(q->categories[0]->least[k], 0) - probe->tolerance)
			return false;
	}
	return true;
}

static void judge_sum(const struct question *q, const struct candidates *all, struct sum *sum)
{
	double squares = 0;

	sum->fits_rows = sum->count > 0;
	sum->is_whole = true;
	for (size_t i = 0; i < sum->count; i++)
		sum->is_whole &= sum->factors[i] == round(sum->factors[i]);
	for (size_t i = 0; i < q->rows; i++) {
		double off = compose_sum_at(all, sum, i) - q->target[i];

		squares += off * off;
		sum->fits_rows &= fabs(off) <= pivot_slack(q->target[i]);
	}
	sum->error = sqrt(squares / (double)(q->rows ? q->rows : 1));
	sum->fits = sum->fits_rows && is_within_bounds(q, all, sum);
}

static void solve(const struct question *q, const struct candidates *all, struct sum *sum)
{
	pivot_solve(&all->matrix, sum->columns, sum->count, q->target, sum->factors);
}

/* Leaves out events with a factor near 0. */
static bool drop_small(struct sum *sum)
{
	size_t kept = 0;

	for (size_t i = 0; i < sum->count; i++) {
		if (fabs(sum->factors[i]) < FACTOR_LEAST)
			continue;
		sum->columns[kept] = sum->columns[i];
		sum->factors[kept++] = sum->factors[i];
	}
	bool is_shorter = kept < sum->count;
	sum->count = kept;
	return is_shorter;
}

/* The sum with whole factors, or with halves or quarters if those do not fit; false if none does.
 * An event that counts each twice is worth a half. */
static bool make_simple(const struct question *q, const struct candidates *all, struct sum *sum)
{
	for (double parts = 1; parts <= PARTS_MOST; parts *= 2) {
		struct sum simple = *sum;

		for (size_t i = 0; i < simple.count; i++)
			simple.factors[i] = round(simple.factors[i] * parts) / parts;
		drop_small(&simple);
		judge_sum(q, all, &simple);
		if (!simple.fits)
			continue;
		*sum = simple;
		return true;
	}
	return false;
}

static double sum_besides(const struct candidates *all, const struct sum *sum)
{
	double total = 0;

	for (size_t i = 0; i < sum->count; i++)
		total += fabs(sum->factors[i]) * all->besides[sum->columns[i]];
	return total;
}

/* Of all factors. A sum with small ones is the more likely meaning: where a call and a return are
 * always together, twice the calls are both of them. */
static double size_of(const struct sum *sum)
{
	double size = 0;

	for (size_t i = 0; i < sum->count; i++)
		size += fabs(sum->factors[i]);
	return size;
}

/* Whether a sum that fits is the better one: by its factors, then by its events, by its error in
 * steps, by what it counts besides. */
static bool is_better(const struct candidates *all, const struct sum *sum, const struct sum *than)
{
	const double by[][2] = {
		{!sum->is_whole, !than->is_whole},
		{size_of(sum), size_of(than)},
		{(double)sum->count, (double)than->count},
		{floor(sum->error / ERROR_STEP), floor(than->error / ERROR_STEP)},
		{sum_besides(all, sum), sum_besides(all, than)},
	};

	for (size_t i = 0; than->fits && i < ARRAY_COUNT(by); i++)
		if (by[i][0] != by[i][1])
			return by[i][0] < by[i][1];
	return !than->fits;
}

static void keep_better(const struct candidates *all, const struct sum *sum, struct sum *best)
{
	if (sum->fits && is_better(all, sum, best))
		*best = *sum;
}

/* The sum of all these columns, with simple factors if those fit. */
static void try_columns(const struct question *q, const struct candidates *all, struct sum *sum,
			struct sum *best)
{
	solve(q, all, sum);
	for (size_t i = 0; i < sum->count; i++)
		if (fabs(sum->factors[i]) < FACTOR_LEAST)
			return;
	if (!make_simple(q, all, sum))
		judge_sum(q, all, sum);
	keep_better(all, sum, best);
}

static void try_few(const struct question *q, const struct candidates *all, struct sum *best)
{
	const size_t columns = all->matrix.columns;

	for (size_t a = 0; a < columns; a++)
		try_columns(q, all, &(struct sum){.columns = {a}, .count = 1}, best);
	if (best->fits && best->is_whole && size_of(best) == 1)
		return;
	for (size_t a = 0; a < columns; a++)
		for (size_t b = a + 1; b < columns; b++)
			try_columns(q, all, &(struct sum){.columns = {a, b}, .count = 2}, best);
}

/* The sum of the chosen events, and `factor` times one more (none if that is 0), that comes
 * nearest. */
static struct sum nearest_sum(const struct question *q, const struct candidates *all,
			      const size_t *chosen, size_t count, size_t more, double factor)
{
	double *target = mem_alloc_array(q->rows + 1, sizeof(double));
	double *factors = mem_alloc_array(count + 1, sizeof(double));
	struct sum sum = {0};

	for (size_t i = 0; i < q->rows; i++)
		target[i] = q->target[i] -
			    (factor != 0 ? factor * matrix_column(&all->matrix, more)[i] : 0);
	pivot_solve(&all->matrix, chosen, count, target, factors);
	if (factor != 0) {
		sum.columns[0] = more;
		sum.factors[sum.count++] = factor;
	}
	for (size_t i = 0; i < count && sum.count < SUM_MOST; i++)
		if (fabs(factors[i]) >= FACTOR_LEAST) {
			sum.columns[sum.count] = chosen[i];
			sum.factors[sum.count++] = factors[i];
		}
	free(factors);
	free(target);
	judge_sum(q, all, &sum);
	return sum;
}

/* Tries each event that was not chosen with those that were: it may take the place of several, or
 * of factors above 1. Sums of two have been tried. */
static void make_smaller(const struct question *q, const struct candidates *all,
			 const size_t *chosen, size_t count, struct sum *best)
{
	for (size_t c = 0; c < all->matrix.columns && (!best->fits || size_of(best) > 2); c++)
		for (int factor = -1; factor <= 1; factor += 2) {
			struct sum sum = nearest_sum(q, all, chosen, count, c, factor);

			if (make_simple(q, all, &sum))
				keep_better(all, &sum, best);
		}
}

/* Tries what the events that make all others come to; the sum that comes nearest, whether or not it
 * fits. */
static struct sum try_chosen(const struct question *q, const struct candidates *all,
			     struct sum *best)
{
	size_t *chosen = mem_alloc_array(all->matrix.columns + 1, sizeof(size_t));
	size_t count = pivot_choose(&all->matrix, all->cost, chosen);
	struct sum sum = nearest_sum(q, all, chosen, count, 0, 0), nearest;

	if (!make_simple(q, all, &sum)) {
		do
			solve(q, all, &sum);
		while (drop_small(&sum));
		judge_sum(q, all, &sum);
	}
	keep_better(all, &sum, best);
	nearest = sum;
	if (sum.fits_rows)
		make_smaller(q, all, chosen, count, best);
	free(chosen);
	return nearest;
}

struct sum compose_find_sum(const struct question *q, const struct candidates *all)
{
	struct sum best = {0};

	try_few(q, all, &best);
	if (best.fits && best.is_whole && size_of(&best) == 1)
		return best;
	struct sum nearest = try_chosen(q, all, &best);

	return best.fits ? best : nearest;
}
