#include "cmd/reproduce_variations.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cmd/progress.h"
#include "cmd/reproduce_synthesis.h"
#include "report/papers/paper_hough2006.h"
#include "stats/module.h"
#include "value/member.h"

#define RUNS	      2 /* of each machine of figure 5 */
#define MACHINES_MOST 16
#define WIDTH_BITS    32
#define STORAGE_MOST  64

static const char *const policies[] = {"l1d.write=back", "l1d.write=through", "l1d.write=live"};

/* The jobs: for each program each machine of figure 5, RUNS times, then each policy. */
struct plan {
	const struct judge_request *request;
	struct job_machine machines[MACHINES_MOST];
	size_t figure_machines, machine_count;
	struct job *jobs;
	size_t count;
	int64_t *cycles, *writes;
	struct progress progress;
};

static bool add_machine(struct plan *plan, const char *changes, struct err *err)
{
	struct job_machine *machine = &plan->machines[plan->machine_count++];
	char *copy = mem_strdup(changes), *rest = NULL;
	bool ok = true;

	BUG_ON(plan->machine_count > MACHINES_MOST);
	*machine = (struct job_machine){.config = plan->request->machine.config, .name = ""};
	for (char *one = strtok_r(copy, ",", &rest); ok && one; one = strtok_r(NULL, ",", &rest))
		ok = config_set(&machine->config, one, err);
	free(copy);
	return ok && config_settle(&machine->config, err);
}

static bool take_result(void *context, size_t i, json_t *result, struct err *err)
{
	struct plan *plan = context;
	const json_t *values = json_object_get(result, "values");

	(void)err;
	plan->cycles[i] = member_whole(values, "cycles");
	plan->writes[i] = member_whole(values, "memory.writes");
	return true;
}

static void show_progress(void *context, size_t done)
{
	struct plan *plan = context;

	progress_count(&plan->progress, done, plan->count, "simulations done");
}

static size_t jobs_of_program(const struct plan *plan)
{
	return plan->machine_count - plan->figure_machines + RUNS * plan->figure_machines;
}

static void plan_jobs(struct plan *plan)
{
	const struct judge_request *request = plan->request;
	size_t all = request->program_count * jobs_of_program(plan);

	plan->jobs = mem_alloc_array(all + 1, sizeof(*plan->jobs));
	plan->cycles = mem_alloc_array(all + 1, sizeof(*plan->cycles));
	plan->writes = mem_alloc_array(all + 1, sizeof(*plan->writes));
	for (size_t p = 0; p < request->program_count; p++)
		for (size_t m = 0; m < plan->machine_count; m++)
			for (int run = 0; run < (m < plan->figure_machines ? RUNS : 1); run++)
				plan->jobs[plan->count++] = (struct job){
					.program = &request->programs[p],
					.machine = &plan->machines[m],
					.max_instructions = request->programs[p].max_instructions,
					.is_silent = true,
					.is_whole = true,
				};
}

/* The short name of "@name:size". */
static void short_name(const char *name, char text[64])
{
	snprintf(text, 64, "%.*s", (int)strcspn(name + 1, ":"), name + 1);
}

static json_t *machines_json(const struct plan *plan)
{
	const struct judge_request *request = plan->request;
	json_t *rows = json_array();

	for (size_t m = 0; m < plan->figure_machines; m++) {
		json_t *ratios = json_object(), *cycles = json_object();
		int64_t differ = 0;

		for (size_t p = 0; p < request->program_count; p++) {
			const int64_t *runs = plan->cycles + p * jobs_of_program(plan);
			int64_t first = runs[RUNS * m], second = runs[RUNS * m + 1];
			char name[64];

			short_name(request->programs[p].name, name);
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

static json_t *programs_json(const struct plan *plan)
{
	const struct judge_request *request = plan->request;
	json_t *rows = json_array();

	for (size_t p = 0; p < request->program_count; p++) {
		const int64_t *writes =
			plan->writes + p * jobs_of_program(plan) + RUNS * plan->figure_machines;

		json_t *row = json_pack("{s:s, s:I, s:I, s:I}", "name", request->programs[p].name,
					"back", (json_int_t)writes[0], "through",
					(json_int_t)writes[1], "live", (json_int_t)writes[2]);
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

json_t *reproduce_variations(const struct judge_request *request, const struct args *args,
			     bool *interrupted, struct err *err)
{
	struct plan *plan = mem_alloc(sizeof(*plan));
	json_t *result = NULL, *synthesis = json_object();
	const char *path = args_get(args, OPTION_SYNTHESIS);
	bool ok = !path || reproduce_synthesis(path, synthesis, err);

	plan->request = request;
	for (const struct hough2006_machine *m = hough2006_machines; ok && m->name; m++)
		ok = add_machine(plan, m->changes, err);
	plan->figure_machines = plan->machine_count;
	for (size_t i = 0; ok && i < ARRAY_COUNT(policies); i++)
		ok = add_machine(plan, policies[i], err);
	plan_jobs(plan);
	progress_start(&plan->progress, args, 0, false);
	/* No shelf: the second run of a configuration is to be made. */
	const struct job_batch batch = {
		.jobs = plan->jobs,
		.count = plan->count,
		.at_once = request->at_once,
		.done = take_result,
		.progress = show_progress,
		.context = plan,
	};
	ok = ok && jobs_run(&batch, interrupted, err);
	progress_end(&plan->progress);
	if (ok && !*interrupted)
		result = json_pack("{s:o, s:o, s:o}", "programs", programs_json(plan), "machines",
				   machines_json(plan), "storage", storage_json());
	if (result)
		json_object_update(result, synthesis);
	json_decref(synthesis);
	free(plan->jobs);
	free(plan->cycles);
	free(plan->writes);
	free(plan);
	return result;
}
