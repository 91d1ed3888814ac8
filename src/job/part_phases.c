#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "count/exact.h"
#include "job/job.h"
#include "job/key.h"
#include "job/parts.h"
#include "value/counted.h"

#define VALUES_MOST 512

enum part_of_slice { BEFORE_UNIT, IN_UNIT, BEHIND_UNIT };

/* What was measured of a simulation point; nothing if it has no instructions. */
struct measured {
	uint64_t instructions;
	uint64_t values[VALUES_MOST];
	uint64_t slots[CAUSE_COUNT]; /* of the whole slice, with what settled it */
};

struct phases {
	const struct job_simulation *run;
	const struct signal_row *signals[VALUES_MOST]; /* of the counted values */
	size_t value_count, cycles;		       /* and which of them is that of cycles */
	enum part_of_slice place;
	uint64_t until; /* commits at which the place changes */
	uint64_t unit_instructions;
	uint64_t began, before[VALUES_MOST]; /* commits, and values, before the unit */
	uint64_t charged[CAUSE_COUNT];	     /* before the slice */
	struct measured *points;
};

static void begin_unit(struct phases *s, uint64_t committed)
{
	for (size_t i = 0; i < s->value_count; i++)
		s->before[i] = simulation_total(s->run->simulation, s->signals[i]);
	s->began = committed;
	s->place = IN_UNIT;
	s->until = committed + s->unit_instructions;
}

static void end_unit(struct phases *s, uint64_t committed)
{
	struct measured *point = &s->points[s->run->slice];

	for (size_t i = 0; i < s->value_count; i++)
		point->values[i] =
			simulation_total(s->run->simulation, s->signals[i]) - s->before[i];
	point->instructions = committed - s->began;
	s->place = BEHIND_UNIT;
	s->until = UINT64_MAX;
}

/* The slice begins before its interval, or, right behind another point, a little late. */
static void begin_slice(struct phases *s)
{
	const struct job_simulation *run = s->run;
	const struct sample_plan *plan = &run->job->sample;
	const uint64_t interval = plan->points[run->slice].interval * plan->unit;
	const uint64_t at = run->skipped - run->job->skip + run->slice_began;

	s->unit_instructions = at > interval ? plan->unit - (at - interval) : plan->unit;
	s->place = BEFORE_UNIT;
	s->until = run->slice_began + (interval > at ? interval - at : 0);
	if (at >= interval)
		begin_unit(s, run->slice_began);
}

/* Sees every record: what most do is to pass the first test. */
static void see(void *context, const struct cycle *cycle)
{
	struct phases *s = context;

	if (LIKELY(cycle->totals->committed < s->until))
		return;
	if (s->place == BEFORE_UNIT)
		begin_unit(s, cycle->totals->committed);
	else
		end_unit(s, cycle->totals->committed);
}

/* What was charged since the last slice, by cause. */
static void slice_ended(struct job_part_run *self)
{
	struct phases *s = self->state;
	struct observers *observers = s->run->observers;
	struct exact *exact = observers ? observers_find(observers, &count_exact) : NULL;
	const uint64_t *charged = exact ? exact_charged(exact) : NULL;

	for (size_t i = 0; charged && i < CAUSE_COUNT; i++) {
		s->points[s->run->slice].slots[i] = charged[i] - s->charged[i];
		s->charged[i] = charged[i];
	}
}

static void slice_begins(struct job_part_run *self)
{
	begin_slice(self->state);
}

static bool begin(struct job_part_run *self, const struct job_watch *watch, struct err *err)
{
	const struct sample_plan *plan = &self->run->job->sample;
	struct phases *s = mem_alloc(sizeof(*s));

	(void)watch;
	(void)err;
	self->state = s;
	s->run = self->run;
	s->points = mem_alloc_array(plan->point_count, sizeof(*s->points));
	for (const struct counted_row *row = counted_rows; row->name; row++) {
		BUG_ON(s->value_count == VALUES_MOST);
		if (!strcmp(row->name, "cycles"))
			s->cycles = s->value_count;
		s->signals[s->value_count++] = signal_find(row->signal);
	}
	begin_slice(s);
	simulation_attach(self->run->simulation, (struct observer){see, s, 0});
	return true;
}

/* The program is over in a point. */
static bool conclude(struct job_part_run *self, struct err *err)
{
	struct phases *s = self->state;
	const uint64_t committed = simulation_instructions(self->run->simulation);

	(void)err;
	if (s->place == IN_UNIT && job_ending(self->run) == JOB_WHOLE && committed > s->began) {
		end_unit(s, committed);
		slice_ended(self);
	}
	return true;
}

/* Of all that was measured: weights, and cycles an instruction, which are weighted, unlike
 * instructions a cycle, whose mean is of no use. */
struct rates {
	double coverage, values[VALUES_MOST], components[COMPONENT_COUNT];
	bool has_components;
};

/* Slots of a point by component, as parts of its cycles an instruction. */
static void add_components(const struct phases *s, const struct measured *point, double weight,
			   struct rates *rates)
{
	const unsigned levels = s->run->job->machine->config.cache_levels;
	uint64_t all = 0;

	for (enum cause cause = 0; cause < CAUSE_COUNT; cause++)
		all += point->slots[cause];
	if (!all)
		return;
	const double share = weight * (double)point->values[s->cycles] /
			     (double)point->instructions / (double)all;

	rates->has_components = true;
	for (enum cause cause = 0; cause < CAUSE_COUNT; cause++)
		rates->components[cause_component(levels, cause)] +=
			share * (double)point->slots[cause];
}

static void add_rates(const struct phases *s, struct rates *rates)
{
	const struct sample_plan *plan = &s->run->job->sample;

	for (size_t i = 0; i < plan->point_count; i++)
		if (s->points[i].instructions)
			rates->coverage += plan->points[i].weight;
	for (size_t i = 0; i < plan->point_count; i++) {
		const struct measured *point = &s->points[i];

		if (!point->instructions)
			continue;
		const double weight = plan->points[i].weight / rates->coverage;

		for (size_t k = 0; k < s->value_count; k++)
			rates->values[k] +=
				weight * (double)point->values[k] / (double)point->instructions;
		add_components(s, point, weight, rates);
	}
}

static json_t *points_json(const struct phases *s)
{
	const struct sample_plan *plan = &s->run->job->sample;
	json_t *points = json_array();

	for (size_t i = 0; i < plan->point_count; i++)
		json_array_append_new(points,
				      json_pack("{s:I, s:I, s:f, s:I, s:I}", "interval",
						(json_int_t)plan->points[i].interval, "cluster",
						(json_int_t)plan->points[i].cluster, "weight",
						plan->points[i].weight, "instructions",
						(json_int_t)s->points[i].instructions, "cycles",
						(json_int_t)s->points[i].values[s->cycles]));
	return points;
}

static json_t *values_json(const struct phases *s, const struct rates *rates, double program)
{
	json_t *values = json_object();

	for (size_t i = 0; i < s->value_count; i++)
		json_object_set_new(values, counted_rows[i].name,
				    json_real(rates->values[i] * program));
	return values;
}

static json_t *components_json(const struct phases *s, const struct rates *rates, double program)
{
	json_t *components = json_object();

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		if (observer_has_component(&s->run->job->machine->config, i))
			json_object_set_new(components, component_rows[i].name,
					    json_real(rates->components[i] * program));
	return components;
}

static void describe(struct job_part_run *self, json_t *result)
{
	const struct phases *s = self->state;
	const struct job_simulation *run = self->run;
	const uint64_t program =
		run->skipped - run->job->skip + simulation_instructions(run->simulation);
	struct rates rates = {0};

	add_rates(s, &rates);
	json_t *phases =
		json_pack("{s:I, s:I, s:f, s:o}", "interval", (json_int_t)run->job->sample.unit,
			  "instructions", (json_int_t)program, "coverage", rates.coverage, "points",
			  points_json(s));

	json_object_set_new(result, "phases", phases);
	if (rates.coverage <= 0)
		return;
	json_object_set_new(phases, "cycles", json_real(rates.values[s->cycles] * (double)program));
	json_object_set_new(phases, "values", values_json(s, &rates, (double)program));
	if (rates.has_components)
		json_object_set_new(phases, "components",
				    components_json(s, &rates, (double)program));
}

static void end(struct job_part_run *self)
{
	struct phases *s = self->state;

	if (!s)
		return;
	free(s->points);
	free(s);
}

static const struct job_part_kind kind = {
	.name = "phases",
	.begin = begin,
	.slice_ended = slice_ended,
	.slice_begins = slice_begins,
	.conclude = conclude,
	.describe = describe,
	.end = end,
	.key = job_part_key_nothing,
};

const struct job_part *part_phases_init(struct part_phases *phases)
{
	*phases = (struct part_phases){{.kind = &kind}};
	return &phases->part;
}
