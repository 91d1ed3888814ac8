#include "experiment/against.h"

#include <stdlib.h>

#include "base/array.h"
#include "model/isolated.h"
#include "value/member.h"

struct simulated {
	double cpis[ISOLATED_KINDS];
};

struct against {
	const struct model_request *request;
	json_t *modelled;
	struct job_machine *machines;
	struct simulated *points;
	uint64_t instructions; /* that the model saw */
};

static bool take(struct plan *plan, size_t i, json_t *result, struct err *err)
{
	struct against *against = plan->own;
	const json_t *values = json_object_get(result, "values");
	double cycles = member_number(values, "cycles");
	double instructions = member_number(values, "instructions");

	if ((uint64_t)instructions != against->instructions)
		return err_set(err,
			       "the simulation committed %.0f instructions and the model saw %llu: "
			       "the program does not do the same each time",
			       instructions, (unsigned long long)against->instructions);
	against->points[i / ISOLATED_KINDS].cpis[i % ISOLATED_KINDS] = cycles / instructions;
	return true;
}

static double error_of(double modelled, double simulated)
{
	return simulated != 0 ? (modelled - simulated) / simulated : 0;
}

static void add_simulated(json_t *point, const struct simulated *s)
{
	const json_t *components = json_object_get(point, "components");
	double base = s->cpis[ISOLATED_BASE], dmiss = s->cpis[ISOLATED_DMISS] - base;

	json_object_set_new(point, "simulated",
			    json_pack("{s:f, s:{s:f, s:f, s:f, s:f}}", "cpi",
				      s->cpis[ISOLATED_WHOLE], "components", "base", base, "branch",
				      s->cpis[ISOLATED_BRANCH] - base, "icache",
				      s->cpis[ISOLATED_ICACHE] - base, "dmiss", dmiss));
	json_object_set_new(
		point, "error",
		json_pack("{s:f, s:f}", "dmiss",
			  error_of(member_number(components, "dmiss"), dmiss), "cpi",
			  error_of(member_number(point, "cpi"), s->cpis[ISOLATED_WHOLE])));
}

static json_t *conclude(struct plan *plan, bool interrupted, struct err *err)
{
	const struct against *against = plan->own;
	json_t *points = json_object_get(against->modelled, "points");

	(void)err;
	if (interrupted)
		return NULL;
	for (size_t i = 0; i < json_array_size(points); i++)
		add_simulated(json_array_get(points, i),
			      &against->points[i / against->request->technique_count]);
	return json_incref(against->modelled);
}

static void release(struct plan *plan)
{
	struct against *against = plan->own;

	json_decref(against->modelled);
	free(against->machines);
	free(against->points);
}

static const struct plan functions = {.take = take, .conclude = conclude, .release = release};

struct plan *against_plan(const struct model_request *request, json_t *modelled)
{
	const size_t count = request->point_count * ISOLATED_KINDS;
	struct plan *plan = plan_create(sizeof(struct against), &functions);
	struct against *against = plan->own;

	*against = (struct against){
		.request = request,
		.modelled = json_incref(modelled),
		.machines = mem_alloc_array(count, sizeof(*against->machines)),
		.points = mem_alloc_array(request->point_count, sizeof(*against->points)),
		.instructions = (uint64_t)member_whole(modelled, "instructions"),
	};
	for (size_t i = 0; i < count; i++) {
		struct job_machine *machine = &against->machines[i];

		*machine = *request->machine;
		machine->config = request->points[i / ISOLATED_KINDS].config;
		isolated_set(&machine->config, (enum isolated)(i % ISOLATED_KINDS));
		const struct point point = point_of(request->program, machine);
		plan_add(plan, &point);
	}
	return plan;
}
