#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "count/retime.h"
#include "count/what_if.h"
#include "value/member.h"
#include "value/printable_json.h"

static const char *const kind_names[] = {
#define KIND(id, name, meaning) [WHAT_IF_##id] = (name),
#include "count/what_if.def"
};

/* The kinds of parameters that can be answered, plus one; 0: it cannot be. */
static const uint8_t kinds[CONFIG_COUNT] = {
#define ANSWERS(field, kind) [CONFIG_##field] = WHAT_IF_##kind + 1,
#include "count/what_if.def"
};

static const struct {
	double mean, largest;
} errors[WHAT_IF_KINDS] = {
#define MEASURED(kind, mean, largest) [WHAT_IF_##kind] = {mean, largest},
#include "count/what_if_errors.def"
};

static enum config_id id_of(const char *assignment)
{
	char key[64];

	snprintf(key, sizeof(key), "%.*s", (int)strcspn(assignment, "="), assignment);
	return config_find(key);
}

static bool is_answered(const struct config *run, const struct config *machine, enum config_id id,
			struct err *err)
{
	const struct config_row *row = &config_rows[id];
	const uint32_t value = config_get(machine, id);

	if (!kinds[id])
		return err_set(
			err,
			"%s cannot be answered from this run, whose misses, mispredictions and "
			"waits are taken as they were; sizes and widths of the core, its units, "
			"their latencies, l1d.latency_cycles, ideal.branch, ideal.l1d and the like "
			"can be; "
			"--set simulates the change",
			row->key);
	if (value == config_get(run, id))
		return true;
	if (row->type == CONFIG_IS_SWITCH && !value)
		return err_set(
			err,
			"%s=false cannot be answered from this run, which has it true and so "
			"does not tell what happens without; --set simulates the change",
			row->key);
	if (id == CONFIG_disambiguation && value == DISAMBIGUATION_PREDICT)
		return err_set(err,
			       "%s=predict cannot be answered from this run, which does not tell "
			       "what loads would be predicted to wait; --set simulates the change",
			       row->key);
	return true;
}

/* One change; before the first, the machine's kind is WHAT_IF_KINDS. */
static bool apply(struct what_if *w, const struct config *run, const char *change, struct err *err)
{
	if (!config_set(&w->machine, change, err))
		return false;
	const enum config_id id = id_of(change);
	if (!is_answered(run, &w->machine, id, err))
		return false;
	const enum what_if_kind kind = (enum what_if_kind)(kinds[id] - 1);
	w->kind = w->kind == WHAT_IF_KINDS || w->kind == kind ? kind : WHAT_IF_SEVERAL;
	return true;
}

bool what_if_read(struct what_if *w, const struct config *run, const char *changes, struct err *err)
{
	char *copy = mem_strdup(changes), *rest = copy;
	bool ok = true;

	*w = (struct what_if){.changes = changes, .machine = *run, .kind = WHAT_IF_KINDS};
	if (run->core_kind != CORE_OOO)
		ok = err_set(err, "what commits is timed again on out-of-order cores only, and "
				  "core.kind is inorder; --set simulates a change");
	for (const char *change; ok && (change = strsep(&rest, ","));)
		ok = apply(w, run, change, err);
	strcpy(copy, changes);
	rest = copy;
	for (const char *change; ok && (change = strsep(&rest, ","));)
		ok = config_set_matters(&w->machine, change, err);
	free(copy);
	return ok && config_settle(&w->machine, err);
}

struct observer {
	struct config run;
	struct retime *retime; /* the machine that runs, then the others */
	const struct what_if *machines;
	size_t count;
};

static void *create(const struct config *config, uint32_t slots)
{
	struct observer *o = mem_alloc(sizeof(*o));

	(void)slots;
	o->run = *config;
	what_if_set_machines(o, NULL, 0);
	return o;
}

void what_if_set_machines(void *observer, const struct what_if *machines, size_t count)
{
	struct observer *o = observer;
	struct config *all = mem_alloc_array(count + 1, sizeof(*all));

	all[0] = o->run;
	for (size_t i = 0; i < count; i++)
		all[i + 1] = machines[i].machine;
	retime_destroy(o->retime);
	o->retime = retime_create(all, (unsigned)count + 1);
	o->machines = machines;
	o->count = count;
	free(all);
}

static void destroy(void *observer)
{
	struct observer *o = observer;

	retime_destroy(o->retime);
	free(o);
}

static void cycle(void *observer, const struct cycle *c)
{
	struct observer *o = observer;

	retime_cycle(o->retime, c);
}

static json_t *changes_json(const char *changes)
{
	char *copy = mem_strdup(changes), *rest = copy;
	json_t *list = json_array();

	for (const char *change; (change = strsep(&rest, ","));)
		json_array_append_new(list, printable_json(change));
	free(copy);
	return list;
}

static json_t *answer(const struct what_if *w, int64_t cycles, uint64_t time, uint64_t run_time)
{
	const int64_t estimate =
		(int64_t)(((unsigned __int128)time * (uint64_t)cycles + run_time / 2) / run_time);

	return json_pack("{s:o, s:I, s:f, s:s, s:f, s:f}", "changes", changes_json(w->changes),
			 "cycles", (json_int_t)estimate, "gain",
			 (double)(cycles - estimate) / (double)cycles, "kind", kind_names[w->kind],
			 "mean_error", errors[w->kind].mean / 100, "largest_error",
			 errors[w->kind].largest / 100);
}

/* Before anything has committed there is nothing to answer. */
static void describe(const struct observer_kind *kind, void *observer, json_t *result)
{
	const struct observer *o = observer;
	const uint64_t *times = retime_commits(o->retime);
	const int64_t cycles = member_whole(json_object_get(result, "values"), "cycles");
	json_t *list = json_array();

	for (size_t i = 0; i < o->count && times[0]; i++)
		json_array_append_new(list,
				      answer(&o->machines[i], cycles, times[i + 1], times[0]));
	json_object_set_new(result, kind->name, list);
}

const struct observer_kind count_what_if = {
	.name = "what_if",
	.summary = "what commits, timed again on other machines",
	.needs_ooo = true,
	.events = EVENTS_RETIRED,
	.create = create,
	.cycle = cycle,
	.describe = describe,
	.destroy = destroy,
};
