#include "papers/hough2006_variations.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "papers/paper_hough2006.h"
#include "stats/module.h"
#include "value/member.h"

#define RUNS	      2 /* of each machine of figure 5 */
#define MACHINES_MOST 16
#define WIDTH_BITS    32
#define STORAGE_MOST  64

static const char *const policies[] = {"l1d.write=back", "l1d.write=through", "l1d.write=live"};

/* The points: for each program each machine of figure 5, RUNS times, then each policy. */
struct variations {
	const struct subject *subject;
	struct job_machine machines[MACHINES_MOST];
	size_t figure_machines, machine_count;
	int64_t *cycles, *writes, *instructions; /* by point */
	json_t *synthesis;
};

static bool add_machine(struct variations *v, const char *changes, struct err *err)
{
	struct job_machine *machine = &v->machines[v->machine_count++];
	char *copy = mem_strdup(changes), *rest = NULL;

	BUG_ON(v->machine_count > MACHINES_MOST);
	*machine = (struct job_machine){.config = v->subject->machine.config, .name = ""};
	for (char *one = strtok_r(copy, ",", &rest); one; one = strtok_r(NULL, ",", &rest))
		BUG_ON(!config_set(&machine->config, one, err));
	free(copy);
	return config_settle(&machine->config, err);
}

static bool add_machines(struct variations *v, struct err *err)
{
	bool ok = true;

	for (const struct hough2006_machine *m = hough2006_machines; ok && m->name; m++)
		ok = add_machine(v, m->changes, err);
	v->figure_machines = v->machine_count;
	for (size_t i = 0; ok && i < ARRAY_COUNT(policies); i++)
		ok = add_machine(v, policies[i], err);
	return ok;
}

static bool take(struct plan *plan, size_t i, json_t *result, struct err *err)
{
	struct variations *v = plan->own;
	const json_t *values = json_object_get(result, "values");

	(void)err;
	v->cycles[i] = member_whole(values, "cycles");
	v->writes[i] = member_whole(values, "memory.writes");
	v->instructions[i] = member_whole(values, "instructions");
	return true;
}

static size_t points_of_program(const struct variations *v)
{
	return v->machine_count - v->figure_machines + RUNS * v->figure_machines;
}

static void add_points(struct plan *plan, const struct variations *v)
{
	for (size_t p = 0; p < v->subject->program_count; p++)
		for (size_t m = 0; m < v->machine_count; m++)
			for (unsigned run = 0; run < (m < v->figure_machines ? RUNS : 1); run++) {
				struct point point =
					point_of(&v->subject->programs[p], &v->machines[m]);

				point.repetition = run;
				plan_add(plan, &point);
			}
}

/* The short name of "@name:size". */
static void short_name(const char *name, char text[64])
{
	snprintf(text, 64, "%.*s", (int)strcspn(name + 1, ":"), name + 1);
}

static json_t *machines_json(const struct variations *v)
{
	const struct subject *subject = v->subject;
	json_t *rows = json_array();

	for (size_t m = 0; m < v->figure_machines; m++) {
		json_t *ratios = json_object(), *cycles = json_object();
		int64_t differ = 0;

		for (size_t p = 0; p < subject->program_count; p++) {
			const int64_t *runs = v->cycles + p * points_of_program(v);
			int64_t first = runs[RUNS * m], second = runs[RUNS * m + 1];
			char name[64];

			short_name(subject->programs[p].name, name);
			json_object_set_new(cycles, name, json_integer(first));
			json_object_set_new(ratios, name,
					    json_real((double)first / (double)runs[0]));
			differ = llabs(first - second) > differ ? llabs(first - second) : differ;
		}
		json_array_append_new(rows,
				      json_pack("{s:s, s:o, s:o, s:I}", "name",
						hough2006_machines[m].name, "cycles", cycles,
						"ratios", ratios, "differ", (json_int_t)differ));
	}
	return rows;
}

static json_t *programs_json(const struct variations *v)
{
	const struct subject *subject = v->subject;
	json_t *rows = json_array();

	for (size_t p = 0; p < subject->program_count; p++) {
		const size_t first = p * points_of_program(v);
		const int64_t *writes = v->writes + first + RUNS * v->figure_machines;

		json_t *row =
			json_pack("{s:s, s:I, s:I, s:I, s:I}", "name", subject->programs[p].name,
				  "instructions", (json_int_t)v->instructions[first], "back",
				  (json_int_t)writes[0], "through", (json_int_t)writes[1], "live",
				  (json_int_t)writes[2]);
		if (writes[0])
			json_object_set_new(row, "saved_percent",
					    json_real(100 * (double)(writes[0] - writes[2]) /
						      (double)writes[0]));
		json_array_append_new(rows, row);
	}
	return rows;
}

static json_t *storage_json(void)
{
	json_t *rows = json_array();

	for (size_t n = 2; n <= STORAGE_MOST; n += n < 8 ? 1 : n < 16 ? 2 : n < 32 ? 4 : 16) {
		char text[16];

		snprintf(text, sizeof(text), "%zu", n);
		json_array_append_new(
			rows, json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "n", text, "ranges",
					(json_int_t)stats_bits(2, n, 2, WIDTH_BITS), "signals",
					(json_int_t)stats_bits(n, 2, 2, WIDTH_BITS), "counters",
					(json_int_t)stats_bits(2, 2, n, WIDTH_BITS), "naive",
					(json_int_t)stats_naive_bits(n, n, WIDTH_BITS), "compared",
					(json_int_t)stats_compared_bits(n, 1), "compared_four",
					(json_int_t)stats_compared_bits(n, 4)));
	}
	return rows;
}

static json_t *conclude(struct plan *plan, bool interrupted, struct err *err)
{
	const struct variations *v = plan->own;

	(void)err;
	if (interrupted)
		return NULL;
	json_t *result = json_pack("{s:o, s:o, s:o}", "programs", programs_json(v), "machines",
				   machines_json(v), "storage", storage_json());
	if (v->synthesis)
		json_object_update(result, v->synthesis);
	return result;
}

static void release(struct plan *plan)
{
	struct variations *v = plan->own;

	json_decref(v->synthesis);
	free(v->cycles);
	free(v->writes);
	free(v->instructions);
}

static const struct plan functions = {.take = take, .conclude = conclude, .release = release};

struct plan *hough2006_variations(const struct measurement_request *request, struct err *err)
{
	struct plan *plan = plan_create(sizeof(struct variations), &functions);
	struct variations *v = plan->own;

	v->subject = request->subject;
	v->synthesis = json_incref(request->synthesis);
	if (!add_machines(v, err)) {
		plan_destroy(plan);
		return NULL;
	}
	add_points(plan, v);
	v->cycles = mem_alloc_array(plan->count, sizeof(*v->cycles));
	v->writes = mem_alloc_array(plan->count, sizeof(*v->writes));
	v->instructions = mem_alloc_array(plan->count, sizeof(*v->instructions));
	return plan;
}
