#include "experiment/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "config/config_json.h"
#include "core/core.h"
#include "count/count.h"
#include "experiment/grid.h"
#include "value/layout.h"
#include "value/member.h"

/* A machine of the sweep. Equal ones are run once: they have the same number `run`. */
struct swept {
	struct job_machine machine;
	char hash[65];
	size_t run;
};

struct sweep {
	const struct subject *subject;
	struct grid grid; /* the changes of each machine: the subject's first */
	/* Those of the grid; if the subject's machine is none of them, that is the first. */
	struct swept *machines;
	size_t machine_count;
	size_t run_count;   /* of each program */
	size_t base;	    /* the `run` of the subject's machine */
	bool *is_swept;	    /* by config_id: some change beyond the subject's names it */
	json_t *parameters; /* their keys, in the order given */
	json_t **results;   /* by program and `run`; NULL until done */
};

static bool fail_full(struct err *err)
{
	return err_set(err, "--vary and --grid make more than %d machines", SWEEP_MACHINES_MOST);
}

static bool make_grid(struct grid *grid, const struct sweep_request *request, struct err *err)
{
	const struct job_machine *machine = &request->subject->machine;

	grid_add(grid, GRID_EMPTY, NULL);
	for (size_t i = 0; i < machine->change_count; i++)
		grid_add_change(grid, machine->changes[i]);
	for (size_t i = 0; i < request->variation_count; i++) {
		if (grid->count == SWEEP_MACHINES_MOST)
			return fail_full(err);
		grid_add(grid, 0, request->variations[i]);
	}
	for (size_t i = 0; i < request->grid_count; i++) {
		if (!grid_is_axis(request->grid[i]))
			return err_set(err, "--grid: \"%s\" is not KEY=VALUE,VALUE,...",
				       request->grid[i]);
		if (!grid_multiply(grid, request->grid[i], SWEEP_MACHINES_MOST))
			return fail_full(err);
	}
	return true;
}

static bool settle(struct swept *swept, const char *const *changes, size_t count, struct err *err)
{
	struct job_machine *machine = &swept->machine;
	struct err why;

	machine->changes = changes;
	machine->change_count = count;
	for (size_t i = 0; i < count; i++)
		if (!config_set(&machine->config, changes[i], &why))
			return err_set(err, "%s: %s", changes[i], why.text);
	if (!config_settle(&machine->config, &why) || !core_kind_of(&machine->config, &why))
		return err_set(err, "%s: %s", count ? changes[count - 1] : "the machine", why.text);
	config_hash(&machine->config, swept->hash);
	return true;
}

/* The next machine, after all others. It has the run of an equal one before it, or a new one. */
static struct swept *add_machine(struct sweep *sweep, const struct swept *added)
{
	struct swept *swept = &sweep->machines[sweep->machine_count];
	size_t equal = 0;

	while (equal < sweep->machine_count &&
	       strcmp(sweep->machines[equal].hash, added->hash) != 0)
		equal++;
	*swept = *added;
	swept->run = equal < sweep->machine_count ? sweep->machines[equal].run : sweep->run_count++;
	sweep->machine_count++;
	return swept;
}

/* Notes which parameters the changes beyond the subject's name. */
static void note_parameters(struct sweep *sweep, const struct grid_point *point)
{
	for (size_t i = sweep->subject->machine.change_count; i < point->count; i++) {
		const char *change = point->changes[i];
		char *key = mem_strndup(change, strcspn(change, "="));
		const enum config_id id = config_find(key);
		BUG_ON(id == CONFIG_COUNT);
		if (!sweep->is_swept[id])
			json_array_append_new(sweep->parameters, json_string(key));
		sweep->is_swept[id] = true;
		free(key);
	}
}

static bool make_machines(struct sweep *sweep, struct err *err)
{
	const struct grid *grid = &sweep->grid;
	const struct job_machine *given = &sweep->subject->machine;
	struct swept base = {.machine = *given}, *points;
	bool ok, has_base = false;

	sweep->is_swept = mem_alloc_array(CONFIG_COUNT, sizeof(bool));
	sweep->parameters = json_array();
	sweep->machines = mem_alloc_array(grid->count + 1, sizeof(*sweep->machines));
	points = mem_alloc_array(grid->count, sizeof(*points));
	ok = settle(&base, given->changes, given->change_count, err);
	for (size_t i = 0; ok && i < grid->count; i++) {
		const struct grid_point *point = &grid->points[i];

		points[i].machine = *given;
		ok = settle(&points[i], (const char *const *)point->changes, point->count, err);
		has_base = has_base || (ok && strcmp(points[i].hash, base.hash) == 0);
	}
	if (ok && !has_base)
		add_machine(sweep, &base);
	for (size_t i = 0; ok && i < grid->count; i++) {
		const struct swept *added = add_machine(sweep, &points[i]);

		if (strcmp(added->hash, base.hash) == 0)
			sweep->base = added->run;
		note_parameters(sweep, &grid->points[i]);
	}
	free(points);
	return ok;
}

static void add_points(struct plan *plan, const struct sweep *sweep)
{
	static const struct observer_kind *const observers[] = {&count_exact, NULL};

	for (size_t p = 0; p < sweep->subject->program_count; p++)
		for (size_t m = 0, runs = 0; m < sweep->machine_count; m++) {
			if (sweep->machines[m].run < runs)
				continue;
			runs++;
			struct point point =
				point_of(&sweep->subject->programs[p], &sweep->machines[m].machine);

			point.observers = observers;
			plan_add(plan, &point);
		}
}

/* A run's machine without its parameters: the base machine's are in the result once, and the
 * changes say what differs. */
static json_t *short_machine(const struct job_machine *machine)
{
	json_t *body = job_machine_json(machine);

	json_object_del(body, "parameters");
	return body;
}

static bool take(struct plan *plan, size_t i, json_t *result, struct err *err)
{
	struct sweep *sweep = plan->own;
	const json_t *program = json_object_get(result, "program");
	json_t *arguments = json_object_get(program, "arguments");
	json_t *stack = json_object_get(json_object_get(result, "stacks"), count_exact.name);

	(void)err;
	sweep->results[i] =
		json_pack("{s:O, s:O*, s:O, s:O}", "program", json_object_get(program, "name"),
			  "arguments", arguments, "values", json_object_get(result, "values"),
			  "components", json_object_get(stack, "components"));
	BUG_ON(!sweep->results[i]);
	return true;
}

static json_t *settings_json(const struct sweep *sweep, const struct config *config)
{
	json_t *settings = json_object(), *key;
	size_t i;

	json_array_foreach(sweep->parameters, i, key)
	{
		const enum config_id id = config_find(json_string_value(key));

		json_object_set_new(settings, json_string_value(key),
				    config_applies(config, id) ? config_json_value(config, id)
							       : json_null());
	}
	return settings;
}

static json_t *run_json(const struct sweep *sweep, const struct swept *swept, json_t *result)
{
	const json_t *values = json_object_get(result, "values");
	json_t *run =
		json_pack("{s:O, s:O*, s:o, s:b, s:o, s:I, s:I, s:O, s:O}", "program",
			  json_object_get(result, "program"), "arguments",
			  json_object_get(result, "arguments"), "configuration",
			  short_machine(&swept->machine), "is_base", swept->run == sweep->base,
			  "settings", settings_json(sweep, &swept->machine.config), "instructions",
			  (json_int_t)member_whole(values, "instructions"), "cycles",
			  (json_int_t)member_whole(values, "cycles"), "values", values,
			  "components", json_object_get(result, "components"));

	BUG_ON(!run);
	return run;
}

static json_t *conclude(struct plan *plan, bool interrupted, struct err *err)
{
	const struct sweep *sweep = plan->own;
	json_t *runs = json_array();

	(void)interrupted;
	(void)err;
	for (size_t p = 0; p < sweep->subject->program_count; p++)
		for (size_t m = 0; m < sweep->machine_count; m++) {
			const struct swept *swept = &sweep->machines[m];
			json_t *result = sweep->results[p * sweep->run_count + swept->run];

			if (result)
				json_array_append_new(runs, run_json(sweep, swept, result));
		}
	return json_pack("{s:s, s:o, s:O, s:o}", "schema", layout_sweep.schema, "configuration",
			 job_machine_json(&sweep->subject->machine), "swept", sweep->parameters,
			 "runs", runs);
}

static void release(struct plan *plan)
{
	struct sweep *sweep = plan->own;

	for (size_t i = 0; i < plan->count; i++)
		json_decref(sweep->results[i]);
	free(sweep->results);
	free(sweep->machines);
	free(sweep->is_swept);
	json_decref(sweep->parameters);
	grid_release(&sweep->grid);
}

static const struct plan functions = {.take = take, .conclude = conclude, .release = release};

struct plan *sweep_plan(const struct sweep_request *request, struct err *err)
{
	struct plan *plan = plan_create(sizeof(struct sweep), &functions);
	struct sweep *sweep = plan->own;

	sweep->subject = request->subject;
	if (!make_grid(&sweep->grid, request, err) || !make_machines(sweep, err)) {
		plan_destroy(plan);
		return NULL;
	}
	add_points(plan, sweep);
	sweep->results = mem_alloc_array(plan->count, sizeof(json_t *));
	return plan;
}
