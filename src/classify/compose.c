#include "classify/compose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "classify/compose_state.h"

#define FAILS_MOST   6
#define ALSO_MOST    8
#define COUNTS_LEAST 0.1 /* of a thing, by an event */
/* What an event counts of a thing may differ from a whole number by so much. */
#define PART_MOST    0.25
#define HITS_COST    1000 /* the basis has misses rather than hits, which are the rest */
#define COST_STEP    20.0 /* costs are compared in steps of 1 / 20 */
#define BESIDES_PART 1e-3 /* of a step, so that it only decides between equal costs */

static const struct probe *probe_at(const struct question *q, size_t row)
{
	return &q->c->categories.probes[q->probe[row]];
}

static size_t point_at(const struct question *q, size_t row)
{
	return probe_at(q, row)->point;
}

static const struct category *find_category(const struct categories *categories, const char *name)
{
	for (size_t i = 0; i < categories->count; i++)
		if (strcmp(categories->list[i].name, name) == 0)
			return &categories->list[i];
	return NULL;
}

static double expectation(const struct question *q, size_t probe)
{
	double sum = 0;

	for (size_t t = 0; t < q->metric->term_count; t++)
		sum += q->metric->terms[t].factor * q->categories[t]->expected[probe];
	return sum;
}

static void question_release(struct question *q)
{
	free(q->probe);
	free(q->expected);
	free(q->noise);
	free(q->target);
	free(q->is_asked);
}

static void add_row(struct question *q, size_t k, double expected)
{
	const struct probe *probe = &q->c->categories.probes[k];

	q->probe[q->rows] = k;
	q->expected[q->rows] = expected;
	q->noise[q->rows] = probe->tolerance;
	q->target[q->rows++] = expected / probe->tolerance;
	q->is_asked[probe->point] = true;
}

/* Why the question cannot be asked of this machine; NULL if it can. Free it. */
static char *question_init(struct question *q, const struct classifier *c,
			   const struct metric *metric)
{
	const size_t probes = c->categories.probe_count;

	*q = (struct question){
		.c = c,
		.metric = metric,
		.probe = mem_alloc_array(probes + 1, sizeof(size_t)),
		.expected = mem_alloc_array(probes + 1, sizeof(double)),
		.noise = mem_alloc_array(probes + 1, sizeof(double)),
		.target = mem_alloc_array(probes + 1, sizeof(double)),
		.is_asked = mem_alloc_array(c->readings.point_count + 1, sizeof(bool)),
	};
	for (size_t t = 0; t < metric->term_count; t++) {
		q->categories[t] = find_category(&c->categories, metric->terms[t].category);
		if (!q->categories[t])
			return mem_format("no event shows that the machine has this: %s",
					  metric->terms[t].category);
	}
	for (size_t k = 0; k < probes; k++) {
		double expected = expectation(q, k);

		if (!c->categories.probes[k].is_between && !isnan(expected))
			add_row(q, k, expected);
	}
	for (size_t t = 0; t < metric->term_count; t++) {
		bool is_seen = false;

		for (size_t i = 0; i < q->rows; i++)
			is_seen |= q->categories[t]->expected[q->probe[i]] > 0;
		if (!is_seen)
			return mem_format("no kernel tells: there is none on which all of it is "
					  "known and that has %s",
					  metric->terms[t].category);
	}
	return NULL;
}

/*
 * What the kernels do on the rows, as independent columns. A function that is not known on a row of
 * a sweep is no part of the basis; a row without a sweep on which another is not known is left out.
 */
struct basis {
	struct matrix matrix;
	size_t *rows; /* of the question */
	size_t *chosen, chosen_count;
};

static bool is_in_basis(const struct question *q, const struct category *category)
{
	for (size_t i = 0; i < q->rows; i++)
		if (isnan(category->expected[q->probe[i]]) && probe_at(q, i)->sweep != SWEEPS)
			return false;
	return !category->is_executed;
}

static bool is_row_known(const struct question *q, size_t row)
{
	const struct categories *all = &q->c->categories;

	for (size_t i = 0; i < all->count; i++)
		if (is_in_basis(q, &all->list[i]) && isnan(all->list[i].expected[q->probe[row]]))
			return false;
	return true;
}

static void basis_init(struct basis *basis, const struct question *q)
{
	const struct categories *all = &q->c->categories;
	double *cost = mem_alloc_array(all->count + 1, sizeof(double));
	size_t rows = 0, columns = 0;

	*basis = (struct basis){.rows = mem_alloc_array(q->rows + 1, sizeof(size_t)),
				.chosen = mem_alloc_array(all->count + 1, sizeof(size_t))};
	for (size_t i = 0; i < q->rows; i++)
		if (is_row_known(q, i))
			basis->rows[rows++] = i;
	basis->matrix.values = mem_alloc_array(rows * all->count + 1, sizeof(double));
	for (size_t i = 0; i < all->count; i++) {
		const struct category *category = &all->list[i];

		if (!is_in_basis(q, category))
			continue;
		for (size_t r = 0; r < rows; r++)
			basis->matrix.values[columns * rows + r] =
				category->expected[q->probe[basis->rows[r]]] /
				q->noise[basis->rows[r]];
		cost[columns++] = (double)i + (strstr(category->name, ", hits") ? HITS_COST : 0);
	}
	basis->matrix.rows = rows;
	basis->matrix.columns = columns;
	basis->chosen_count = pivot_choose(&basis->matrix, cost, basis->chosen);
	free(cost);
}

static void basis_release(struct basis *basis)
{
	free(basis->matrix.values);
	free(basis->rows);
	free(basis->chosen);
}

/* What an event costs: how many things it counts, how often. INFINITY if it is no combination of
 * what the kernels do, or counts a part of something: it then counts something else, which happens
 * as often on these kernels. */
static double basis_cost(const struct basis *basis, const struct question *q, size_t event)
{
	size_t rows = basis->matrix.rows;
	double *values = mem_alloc_array(rows + 1, sizeof(double));
	double *factors = mem_alloc_array(basis->chosen_count + 1, sizeof(double));
	double cost = 0;

	for (size_t r = 0; r < rows; r++)
		values[r] = slopes_at(&q->c->slopes, event, point_at(q, basis->rows[r])) /
			    q->noise[basis->rows[r]];
	pivot_solve(&basis->matrix, basis->chosen, basis->chosen_count, values, factors);
	for (size_t r = 0; r < rows; r++) {
		double left = values[r];

		for (size_t i = 0; i < basis->chosen_count; i++)
			left -= factors[i] * matrix_column(&basis->matrix, basis->chosen[i])[r];
		if (fabs(left) > pivot_slack(values[r]))
			cost = INFINITY;
	}
	for (size_t i = 0; i < basis->chosen_count; i++) {
		double counts = fabs(factors[i]);

		cost += counts < COUNTS_LEAST			   ? 0
			: fabs(counts - round(counts)) > PART_MOST ? INFINITY
								   : counts;
	}
	free(values);
	free(factors);
	return round(cost * COST_STEP) / COST_STEP;
}

/* What it counts on kernels of which the metric says nothing, in the mean. */
static double besides(const struct question *q, size_t event)
{
	double sum = 0;
	size_t count = 0;

	for (size_t p = 0; p < q->c->readings.point_count; p++) {
		double value = slopes_at(&q->c->slopes, event, p);

		if (q->is_asked[p] || isnan(value))
			continue;
		sum += fabs(value);
		count++;
	}
	return count ? sum / (double)count : 0;
}

static bool is_allowed(const struct readings_event *event, const struct compose_event *allowed,
		       size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (allowed[i].type == event->type && allowed[i].code == event->config)
			return true;
	return !allowed;
}

static enum fate judge_event(const struct question *q, const struct basis *basis, size_t event,
			     double *cost)
{
	const struct slopes *slopes = &q->c->slopes;

	for (size_t i = 0; i < q->rows; i++)
		if (isnan(slopes_at(slopes, event, point_at(q, i))))
			return UNCOUNTED;
	for (size_t i = 0; i < q->rows; i++) {
		double value = slopes_at(slopes, event, point_at(q, i)) / q->noise[i];
		double spread =
			slopes->spreads[event * slopes->point_count + point_at(q, i)] / q->noise[i];

		if (spread > pivot_slack(value))
			return UNSTEADY;
	}
	*cost = basis_cost(basis, q, event);
	return isinf(*cost) ? UNFIT : KEPT;
}

static void add_candidate(struct candidates *all, const struct question *q, size_t event,
			  double cost)
{
	size_t column = all->matrix.columns++;

	all->events[column] = event;
	all->besides[column] = besides(q, event);
	all->cost[column] =
		cost + BESIDES_PART / COST_STEP * all->besides[column] / (1 + all->besides[column]);
	for (size_t i = 0; i < q->rows; i++)
		matrix_column(&all->matrix, column)[i] =
			slopes_at(&q->c->slopes, event, point_at(q, i)) / q->noise[i];
}

static void candidates_init(struct candidates *all, const struct question *q,
			    const struct compose_event *allowed, size_t count)
{
	const size_t events = q->c->readings.event_count;
	struct basis basis;

	*all = (struct candidates){
		.events = mem_alloc_array(events + 1, sizeof(size_t)),
		.cost = mem_alloc_array(events + 1, sizeof(double)),
		.besides = mem_alloc_array(events + 1, sizeof(double)),
		.matrix = {q->rows, 0, mem_alloc_array(events * q->rows + 1, sizeof(double))},
	};
	basis_init(&basis, q);
	for (size_t e = 0; e < events; e++) {
		double cost = 0;
		enum fate fate = is_allowed(&q->c->readings.events[e], allowed, count)
					 ? judge_event(q, &basis, e, &cost)
					 : FORBIDDEN;

		all->fates[fate]++;
		if (fate == KEPT)
			add_candidate(all, q, e, cost);
	}
	basis_release(&basis);
}

static void candidates_release(struct candidates *all)
{
	free(all->events);
	free(all->cost);
	free(all->besides);
	free(all->matrix.values);
}

static json_t *event_json(const struct question *q, const struct candidates *all, size_t column)
{
	const struct readings_event *event = &q->c->readings.events[all->events[column]];

	return json_pack("{s:I, s:I, s:n}", "type", (json_int_t)event->type, "code",
			 (json_int_t)event->config, "name");
}

/* The events that are the same on every row of the metric. */
static json_t *also_json(const struct question *q, const struct candidates *all, size_t column)
{
	json_t *list = json_array();
	const double *values = matrix_column(&all->matrix, column);

	for (size_t c = 0; c < all->matrix.columns && json_array_size(list) < ALSO_MOST; c++) {
		const double *other = matrix_column(&all->matrix, c);
		bool is_same = c != column;

		for (size_t i = 0; i < q->rows; i++)
			is_same &= fabs(values[i] - other[i]) <= pivot_slack(values[i]);
		if (is_same)
			json_array_append_new(list, event_json(q, all, c));
	}
	return list;
}

static json_t *terms_json(const struct question *q, const struct candidates *all,
			  const struct sum *sum)
{
	json_t *list = json_array();

	/* What is added comes first. */
	for (int turn = 0; turn < 2; turn++)
		for (size_t i = 0; i < sum->count; i++) {
			if ((sum->factors[i] < 0) != turn)
				continue;
			json_t *term = event_json(q, all, sum->columns[i]);

			json_object_set_new(term, "factor",
					    json_real(classifier_rounded(sum->factors[i])));
			json_object_set_new(term, "also", also_json(q, all, sum->columns[i]));
			json_array_append_new(list, term);
		}
	return list;
}

static double excess(const struct question *q, const struct candidates *all, const struct sum *sum,
		     size_t row)
{
	return fabs(compose_sum_at(all, sum, row) - q->target[row]) / pivot_slack(q->target[row]);
}

/* The row on which the sum is off most, of those on which it is off less than `below`. */
static size_t worst_row(const struct question *q, const struct candidates *all,
			const struct sum *sum, const bool *is_told)
{
	size_t worst = q->rows;

	for (size_t i = 0; i < q->rows; i++)
		if (!is_told[i] && (worst == q->rows ||
				    excess(q, all, sum, i) > excess(q, all, sum, worst) + 1e-9))
			worst = i;
	return worst;
}

static json_t *row_json(const struct question *q, const struct candidates *all,
			const struct sum *sum, size_t row)
{
	char name[POINT_NAME_BYTES];

	classifier_point_name(name, &q->c->readings.points[point_at(q, row)]);
	return json_pack("{s:s, s:f, s:f}", "kernel", name, "expected",
			 classifier_rounded(q->expected[row]), "found",
			 classifier_rounded(compose_sum_at(all, sum, row) * q->noise[row]));
}

/* The kernels on which the sum is off, the worst first; of a sum that fits the worst alone. */
static json_t *rows_json(const struct question *q, const struct candidates *all,
			 const struct sum *sum)
{
	bool *is_told = mem_alloc_array(q->rows + 1, sizeof(bool));
	json_t *list = json_array();

	while (json_array_size(list) < (sum->fits ? 1 : FAILS_MOST)) {
		size_t row = worst_row(q, all, sum, is_told);

		if (row == q->rows || (!sum->fits && excess(q, all, sum, row) <= 1))
			break;
		is_told[row] = true;
		json_array_append_new(list, row_json(q, all, sum, row));
	}
	free(is_told);
	return list;
}

/* Of the expectation, in the root of the sum of squares. */
static double relative_error(const struct question *q, const struct candidates *all,
			     const struct sum *sum)
{
	double off = 0, of = 0;

	for (size_t i = 0; i < q->rows; i++) {
		double found = compose_sum_at(all, sum, i) * q->noise[i];

		off += (found - q->expected[i]) * (found - q->expected[i]);
		of += q->expected[i] * q->expected[i];
	}
	return of > 0 ? sqrt(off / of) : 0;
}

static size_t failing(const struct question *q, const struct candidates *all, const struct sum *sum)
{
	size_t count = 0;

	for (size_t i = 0; i < q->rows; i++)
		count += excess(q, all, sum, i) > 1;
	return count;
}

static char *reason_of(const struct question *q, const struct candidates *all,
		       const struct sum *sum)
{
	size_t off = failing(q, all, sum);

	if (!all->matrix.columns)
		return mem_format("no event may be in the sum: all are left out");
	if (off)
		return mem_format("the nearest sum of events is off on %zu of %zu kernels", off,
				  q->rows);
	return mem_format("the nearest sum of events is beyond what the metric can be on kernels "
			  "of which only bounds are known");
}

static json_t *metric_json(const struct metric *metric)
{
	return json_pack("{s:s, s:s, s:s, s:s}", "name", metric->name, "preset", metric->preset,
			 "expectation", metric->expectation, "meaning", metric->meaning);
}

static void set_refused(json_t *answer, const char *reason)
{
	json_object_set_new(answer, "composed", json_false());
	json_object_set_new(answer, "reason", json_string(reason));
}

static void set_answer(json_t *answer, const struct question *q, const struct candidates *all)
{
	struct sum sum = compose_find_sum(q, all);

	if (sum.fits) {
		json_object_set_new(answer, "composed", json_true());
		json_object_set_new(answer, "terms", terms_json(q, all, &sum));
	} else {
		char *reason = reason_of(q, all, &sum);

		set_refused(answer, reason);
		free(reason);
	}
	json_object_set_new(answer, "error",
			    json_real(classifier_rounded(relative_error(q, all, &sum))));
	json_object_set_new(answer, "kernels", json_integer((json_int_t)q->rows));
	json_object_set_new(answer, "worst", rows_json(q, all, &sum));
	json_object_set_new(answer, "events",
			    json_pack("{s:I, s:I, s:I, s:I, s:I}", "kept",
				      (json_int_t)all->fates[KEPT], "forbidden",
				      (json_int_t)all->fates[FORBIDDEN], "not_counted",
				      (json_int_t)all->fates[UNCOUNTED], "not_repeated",
				      (json_int_t)all->fates[UNSTEADY], "not_fitting",
				      (json_int_t)all->fates[UNFIT]));
}

static json_t *answer(const struct classifier *c, const struct metric *metric,
		      const struct compose_event *allowed, size_t count)
{
	json_t *result = metric_json(metric);
	struct question q;
	char *reason = question_init(&q, c, metric);

	if (reason) {
		set_refused(result, reason);
	} else {
		struct candidates all;

		candidates_init(&all, &q, allowed, count);
		set_answer(result, &q, &all);
		candidates_release(&all);
	}
	free(reason);
	question_release(&q);
	return result;
}

json_t *compose_list(void)
{
	json_t *list = json_array();
	struct metric metric;

	for (size_t i = 0; metric_at(&metric, i); i++)
		json_array_append_new(list, metric_json(&metric));
	return list;
}

bool compose_knows(const char *word, struct err *err)
{
	struct metric metric;

	return strcmp(word, COMPOSE_LIST) == 0 || strcmp(word, COMPOSE_ALL) == 0 ||
	       metric_find(&metric, word, err);
}

json_t *compose_text(const char *text, const char *word, const struct compose_event *allowed,
		     size_t count, struct err *err)
{
	const bool is_all = strcmp(word, COMPOSE_ALL) == 0;
	struct classifier c;
	struct metric metric;
	json_t *list = NULL;

	if (!is_all && !metric_find(&metric, word, err))
		return NULL;
	if (classifier_init(&c, text, err)) {
		classifier_find_categories(&c);
		list = json_array();
		if (!is_all)
			json_array_append_new(list, answer(&c, &metric, allowed, count));
		for (size_t i = 0; is_all && metric_at(&metric, i); i++)
			json_array_append_new(list, answer(&c, &metric, allowed, count));
	}
	classifier_release(&c);
	return list;
}
