#include "sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "core/core.h"
#include "count/count.h"
#include "value/member.h"

/* A machine, and the changes that make it: those of the request first. */
struct sweep_machine {
	struct job_machine machine;
	char **changes;
	size_t count, capacity;
};

struct sweep_machines {
	struct sweep_machine *items;
	size_t count, capacity;
};

static void add_change(struct sweep_machine *m, const char *text, size_t bytes)
{
	char *copy = mem_alloc(bytes + 1);

	memcpy(copy, text, bytes);
	*ARRAY_PUSH(m->changes, m->count, m->capacity) = copy;
}

static void release(struct sweep_machines *machines)
{
	for (size_t i = 0; i < machines->count; i++) {
		for (size_t k = 0; k < machines->items[i].count; k++)
			free(machines->items[i].changes[k]);
		free(machines->items[i].changes);
	}
	free(machines->items);
}

/* Appends a machine with the changes of `from`, which may be NULL. */
static struct sweep_machine *add_machine(struct sweep_machines *machines,
					 const struct sweep_machine *from)
{
	struct sweep_machine added = {0};

	for (size_t i = 0; from && i < from->count; i++)
		add_change(&added, from->changes[i], strlen(from->changes[i]));
	struct sweep_machine *m = ARRAY_PUSH(machines->items, machines->count, machines->capacity);
	*m = added;
	return m;
}

static bool is_full(const struct sweep_machines *machines, struct err *err)
{
	return machines->count >= SWEEP_MACHINES_MOST &&
	       !err_set(err, "--vary and --grid make more than %d machines", SWEEP_MACHINES_MOST);
}

static bool add_variation(struct sweep_machines *machines, const char *text, struct err *err)
{
	if (is_full(machines, err))
		return false;
	const struct sweep_machine first = machines->items[0];
	struct sweep_machine *m = add_machine(machines, &first);

	for (const char *at = text;; at++) {
		size_t bytes = strcspn(at, ",");

		add_change(m, at, bytes);
		at += bytes;
		if (!*at)
			return true;
	}
}

/* Replaces each machine by one for each value. */
static bool multiply(struct sweep_machines *machines, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	struct sweep_machines all = {0};
	bool ok = true;

	if (!equals)
		return err_set(err, "--grid: \"%s\" is not KEY=VALUE,VALUE,...", text);
	for (size_t i = 0; ok && i < machines->count; i++)
		for (const char *at = equals + 1; ok; at++) {
			size_t bytes = strcspn(at, ",");
			size_t key = (size_t)(equals - text) + 1;
			char *change = mem_alloc(key + bytes + 1);

			memcpy(change, text, key);
			memcpy(change + key, at, bytes);
			ok = !is_full(&all, err);
			if (ok)
				add_change(add_machine(&all, &machines->items[i]), change,
					   key + bytes);
			free(change);
			at += bytes;
			if (!*at)
				break;
		}
	release(machines);
	*machines = all;
	return ok;
}

static bool settle(const struct sweep_request *request, struct sweep_machine *m, struct err *err)
{
	struct err why;

	m->machine = request->base.machine;
	m->machine.changes = (const char *const *)m->changes;
	m->machine.change_count = m->count;
	for (size_t i = 0; i < m->count; i++)
		if (!config_set(&m->machine.config, m->changes[i], &why))
			return err_set(err, "%s: %s", m->changes[i], why.text);
	if (!config_settle(&m->machine.config, &why) || !core_kind_of(&m->machine.config, &why))
		return err_set(err, "%s: %s", m->count ? m->changes[m->count - 1] : "the machine",
			       why.text);
	return true;
}

struct sweep_machines *sweep_plan(const struct sweep_request *request, struct err *err)
{
	struct sweep_machines *machines = mem_alloc(sizeof(*machines));
	bool ok = true;

	struct sweep_machine *first = add_machine(machines, NULL);
	for (size_t i = 0; i < request->base.machine.change_count; i++)
		add_change(first, request->base.machine.changes[i],
			   strlen(request->base.machine.changes[i]));
	for (size_t i = 0; ok && i < request->variation_count; i++)
		ok = add_variation(machines, request->variations[i], err);
	for (size_t i = 0; ok && i < request->grid_count; i++)
		ok = multiply(machines, request->grid[i], err);
	for (size_t i = 0; ok && i < machines->count; i++)
		ok = settle(request, &machines->items[i], err);
	if (ok)
		return machines;
	sweep_machines_release(machines);
	return NULL;
}

void sweep_machines_release(struct sweep_machines *machines)
{
	if (!machines)
		return;
	release(machines);
	free(machines);
}

struct sweeping {
	const struct sweep_request *request;
	size_t machines;
	json_t **runs; /* by program and machine; NULL until done */
};

static bool take_result(void *context, size_t i, json_t *result, struct err *err)
{
	struct sweeping *sweeping = context;
	const json_t *values = json_object_get(result, "values");
	json_t *stack = json_object_get(json_object_get(result, "stacks"), count_exact.name);

	(void)err;
	sweeping->runs[i] =
		json_pack("{s:O, s:O, s:I, s:I, s:O}", "program",
			  json_object_get(json_object_get(result, "program"), "name"),
			  "configuration", json_object_get(result, "configuration"), "instructions",
			  (json_int_t)member_whole(values, "instructions"), "cycles",
			  (json_int_t)member_whole(values, "cycles"), "components",
			  json_object_get(stack, "components"));
	BUG_ON(!sweeping->runs[i]);
	return true;
}

static void report_progress(void *context, size_t done)
{
	const struct sweeping *sweeping = context;
	const struct judge_request *base = &sweeping->request->base;

	if (base->progress)
		base->progress(base->context, done, base->program_count * sweeping->machines);
}

json_t *sweep_run(const struct sweep_request *request, const struct sweep_machines *machines,
		  bool *interrupted, struct err *err)
{
	static const struct observer_kind *const observers[] = {&count_exact, NULL};
	const size_t count = request->base.program_count * machines->count;
	struct job *jobs = mem_alloc_array(count, sizeof(*jobs));
	struct sweeping sweeping = {.request = request, .machines = machines->count};
	json_t *result = NULL, *runs = json_array();

	sweeping.runs = mem_alloc_array(count, sizeof(json_t *));
	for (size_t i = 0; i < count; i++) {
		const struct program *program = &request->base.programs[i / machines->count];

		jobs[i] = (struct job){
			.program = program,
			.machine = &machines->items[i % machines->count].machine,
			.observers = observers,
			.max_instructions = program->max_instructions,
			.is_silent = true,
			.is_whole = true,
		};
	}
	const struct job_batch batch = {
		.jobs = jobs,
		.count = count,
		.at_once = request->base.at_once,
		.done = take_result,
		.progress = report_progress,
		.context = &sweeping,
	};
	bool ok = jobs_run(&batch, interrupted, err);
	for (size_t i = 0; i < count; i++)
		if (sweeping.runs[i])
			json_array_append_new(runs, sweeping.runs[i]);
	if (ok)
		result = json_pack("{s:s, s:o, s:O}", "schema", "cyclestack-sweep-1",
				   "configuration", job_machine_json(&request->base.machine),
				   "runs", runs);
	json_decref(runs);
	free(sweeping.runs);
	free(jobs);
	return result;
}
