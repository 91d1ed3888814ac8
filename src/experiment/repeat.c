#include "experiment/repeat.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "value/layout.h"
#include "value/member.h"

struct repeat {
	const struct job_machine *machine;
	struct program *programs; /* that differ in the seed alone, and own nothing */
	json_t **results;	  /* by run; NULL until done; without intervals */
};

/* The lists of what was counted, each with the member that names it and the one that counts. */
static const struct list {
	const char *list, *value, *values;
	const char *kept[4];
} lists[] = {
	{"counters", "total", "totals", {"signal", "where", "unit", NULL}},
	{"derived", "value", "values", {"name", "formula", "where", NULL}},
};

static bool take(struct plan *plan, size_t i, json_t *result, struct err *err)
{
	struct repeat *repeat = plan->own;
	json_t *item;
	size_t k;

	(void)err;
	for (size_t l = 0; l < ARRAY_COUNT(lists); l++)
		json_array_foreach(json_object_get(result, lists[l].list), k, item)
			json_object_del(item, "intervals");
	json_object_del(result, "intervals");
	repeat->results[i] = json_incref(result);
	return true;
}

/* The mean, and the spread: NAN if there is none. */
static double mean_of(const json_t *values, double *spread)
{
	const size_t count = json_array_size(values);
	double sum = 0, squares = 0;
	bool varies = false;

	for (size_t i = 0; i < count; i++) {
		const double value = json_number_value(json_array_get(values, i));

		sum += value;
		varies |= value != json_number_value(json_array_get(values, 0));
	}
	const double mean = sum / (double)count;
	for (size_t i = 0; i < count; i++) {
		const double away = json_number_value(json_array_get(values, i)) - mean;

		squares += away * away;
	}
	const double error = sqrt(squares / (double)(count - 1) / (double)count);
	*spread = varies && mean != 0 ? error / fabs(mean) : NAN;
	return mean;
}

static bool are_numbers(const json_t *values)
{
	bool are = true;

	for (size_t i = 0; i < json_array_size(values); i++)
		are &= json_is_number(json_array_get(values, i));
	return are;
}

static bool are_equal(const json_t *values)
{
	bool are = true;

	for (size_t i = 1; i < json_array_size(values); i++)
		are &= json_equal(json_array_get(values, i), json_array_get(values, 0));
	return are;
}

/* Adds "mean" and "spread" of the values. */
static void add_mean(json_t *object, const json_t *values, bool *varies)
{
	double spread = NAN;
	const double mean = are_numbers(values) ? mean_of(values, &spread) : NAN;

	json_object_set_new(object, "mean", isnan(mean) ? json_null() : json_real(mean));
	json_object_set_new(object, "spread", isnan(spread) ? json_null() : json_real(spread));
	*varies |= !are_equal(values);
}

/* One counter or derived value, of all runs. False if they do not all have it. */
static bool add_item(json_t *to, const struct list *list, json_t *const *results, size_t count,
		     size_t k, bool *varies)
{
	const json_t *first = json_array_get(json_object_get(results[0], list->list), k);
	json_t *object = json_object(), *values = json_array();
	bool is_saturated = false, ok = true;

	for (size_t m = 0; list->kept[m]; m++)
		json_object_set(object, list->kept[m], json_object_get(first, list->kept[m]));
	for (size_t i = 0; i < count; i++) {
		const json_t *item = json_array_get(json_object_get(results[i], list->list), k);

		ok &= item &&
		      json_equal(json_object_get(item, list->kept[0]),
				 json_object_get(first, list->kept[0])) &&
		      json_equal(json_object_get(item, "where"), json_object_get(first, "where"));
		json_array_append(values, json_object_get(item, list->value));
		is_saturated |= json_is_true(json_object_get(item, "saturated"));
	}
	json_object_set_new(object, "saturated", json_boolean(is_saturated));
	if (ok)
		add_mean(object, values, varies);
	json_object_set_new(object, list->values, values);
	json_array_append_new(to, object);
	return ok;
}

static bool add_list(json_t *result, const struct list *list, json_t *const *results, size_t count,
		     bool *varies)
{
	const size_t items = json_array_size(json_object_get(results[0], list->list));
	json_t *to = json_array();
	bool ok = true;

	json_object_set_new(result, list->list, to);
	for (size_t k = 0; ok && k < items; k++)
		ok = add_item(to, list, results, count, k, varies);
	return ok;
}

/* Of the counted values that every run has. */
static void add_value(json_t *result, const char *name, json_t *const *results, size_t count,
		      bool *varies)
{
	json_t *values = json_array(), *object = json_object();

	for (size_t i = 0; i < count; i++)
		json_array_append(values,
				  json_object_get(json_object_get(results[i], "values"), name));
	add_mean(object, values, varies);
	json_object_set_new(result, name, object);
	json_decref(values);
}

static json_t *run_json(const json_t *result, uint64_t seed)
{
	const json_t *values = json_object_get(result, "values");
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, seed);
	return json_pack("{s:s, s:O, s:O, s:O}", "seed", text, "instructions",
			 json_object_get(values, "instructions"), "cycles",
			 json_object_get(values, "cycles"), "status",
			 json_object_get(result, "status"));
}

/* Of the results that are there, in the order of their seeds. */
static json_t *put_together(const struct repeat *repeat, json_t *const *results, json_t *runs,
			    struct err *err)
{
	const size_t count = json_array_size(runs);
	bool is_partial = false, varies = false;

	for (size_t i = 0; i < count; i++)
		is_partial |= json_is_true(json_object_get(results[i], "partial"));
	json_t *result =
		json_pack("{s:s, s:o, s:o, s:b, s:o}", "schema", layout_repeat.schema, "program",
			  program_json(&repeat->programs[0]), "configuration",
			  job_machine_json(repeat->machine), "partial", is_partial, "runs", runs);
	add_value(result, "instructions", results, count, &varies);
	add_value(result, "cycles", results, count, &varies);
	for (size_t l = 0; l < ARRAY_COUNT(lists); l++)
		if (!add_list(result, &lists[l], results, count, &varies)) {
			err_set(err, "the runs did not count the same: there is no mean of them");
			json_decref(result);
			return NULL;
		}
	json_object_set_new(result, "varies", json_boolean(varies));
	return result;
}

static json_t *conclude(struct plan *plan, bool interrupted, struct err *err)
{
	const struct repeat *repeat = plan->own;
	json_t **done = mem_alloc_array(plan->count, sizeof(*done)), *runs = json_array();
	size_t count = 0;

	(void)interrupted;
	for (size_t i = 0; i < plan->count; i++)
		if (repeat->results[i]) {
			json_array_append_new(
				runs, run_json(repeat->results[i], repeat->programs[i].seed));
			done[count++] = repeat->results[i];
		}
	/* A mean of one has no spread; the sentence of an interruption is there already. */
	json_t *result = count > 1 ? put_together(repeat, done, runs, err) : NULL;
	if (count <= 1)
		json_decref(runs);
	free(done);
	return result;
}

static void release(struct plan *plan)
{
	struct repeat *repeat = plan->own;

	for (size_t i = 0; i < plan->count; i++)
		json_decref(repeat->results[i]);
	free(repeat->results);
	free(repeat->programs);
}

static const struct plan functions = {.take = take, .conclude = conclude, .release = release};

struct plan *repeat_plan(const struct program *program, const struct job_machine *machine,
			 const struct job_part *part, size_t count)
{
	struct plan *plan = plan_create(sizeof(struct repeat), &functions);
	struct repeat *repeat = plan->own;

	repeat->machine = machine;
	repeat->programs = mem_alloc_array(count, sizeof(*repeat->programs));
	repeat->results = mem_alloc_array(count, sizeof(*repeat->results));
	for (size_t i = 0; i < count; i++) {
		repeat->programs[i] = *program;
		repeat->programs[i].seed += i;
		struct point point = point_of(&repeat->programs[i], machine);

		point.part = part;
		point.repetition = (unsigned)i;
		plan_add(plan, &point);
	}
	return plan;
}
