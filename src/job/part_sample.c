#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "count/exact.h"
#include "job/job.h"
#include "job/key.h"
#include "job/parts.h"
#include "job/sample_functions.h"
#include "value/counted.h"

#define VALUES_MOST 512
/* More units tell little, and each takes a row of numbers. */
#define UNITS_MOST 50000
/* The beginning, and two that tell how far units are apart. */
#define UNITS_LEAST 3

enum part_of_slice { BEFORE_UNIT, IN_UNIT, BEHIND_UNIT };

struct sampling {
	const struct job_simulation *run;
	const struct signal_row *signals[VALUES_MOST]; /* of the counted values */
	size_t value_count;
	enum part_of_slice place;
	uint64_t slice_began;		     /* commits before the slice that is simulated */
	uint64_t until;			     /* commits at which the place changes */
	uint64_t began, before[VALUES_MOST]; /* commits, and values, before the unit */
	/* Of each unit: its instructions; a row of counted values; and of each whole slice its
	 * instructions and the slots that were charged to each cause in it. */
	uint32_t *instructions, *values;
	size_t count, capacity, value_capacity;
	uint32_t *slice_instructions, *slots;
	bool has_end; /* the last unit is the program's end */
	size_t slice_count, slice_capacity, slot_capacity;
	uint64_t charged[CAUSE_COUNT];
	struct sample_functions *functions;
};

static uint32_t narrow(uint64_t number)
{
	return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static void *room(void *items, size_t count, size_t *capacity)
{
	if (count <= *capacity)
		return items;
	*capacity = 2 * count;
	return mem_realloc(items, *capacity, sizeof(uint32_t));
}

static void add_unit(struct sampling *s, uint64_t committed)
{
	if (s->count == UNITS_MOST)
		return;

	s->instructions = room(s->instructions, s->count + 1, &s->capacity);
	s->values = room(s->values, (s->count + 1) * s->value_count, &s->value_capacity);
	uint32_t *row = &s->values[s->count * s->value_count];

	for (size_t i = 0; i < s->value_count; i++)
		row[i] = narrow(simulation_total(s->run->simulation, s->signals[i]) - s->before[i]);
	s->instructions[s->count++] = narrow(committed - s->began);
}

static void begin_slice(struct sampling *s)
{
	const struct sample_plan *plan = &s->run->job->sample;

	s->slice_began = s->run->slice_began;
	s->place = s->run->slice ? BEFORE_UNIT : IN_UNIT;
	s->until = s->slice_began + plan->settle + (s->run->slice ? 0 : plan->unit);
	s->began = s->slice_began;
}

/* Sees every record: what most do is to pass the first test. */
static void see(void *context, const struct cycle *cycle)
{
	struct sampling *s = context;
	const struct sample_plan *plan = &s->run->job->sample;

	if (LIKELY(cycle->totals->committed < s->until))
		return;
	if (s->place == BEFORE_UNIT) {
		for (size_t i = 0; i < s->value_count; i++)
			s->before[i] = simulation_total(s->run->simulation, s->signals[i]);
		s->began = cycle->totals->committed;
		s->place = IN_UNIT;
		/* The last unit ends with the program. */
		s->until = s->run->slice > sample_stretches(plan)
				   ? UINT64_MAX
				   : cycle->totals->committed + plan->unit;
	} else {
		add_unit(s, cycle->totals->committed);
		s->place = BEHIND_UNIT;
		s->until = UINT64_MAX;
	}
}

/* What was charged since the last slice, by cause. */
static void slice_ended(struct job_part_run *self)
{
	struct sampling *s = self->state;
	struct observers *observers = s->run->observers;
	struct exact *exact = observers ? observers_find(observers, &count_exact) : NULL;
	const uint64_t *charged = exact ? exact_charged(exact) : NULL;

	if (charged && s->slice_count < UNITS_MOST) {
		const size_t i = s->slice_count++;

		s->slice_instructions =
			room(s->slice_instructions, s->slice_count, &s->slice_capacity);
		s->slots = room(s->slots, s->slice_count * CAUSE_COUNT, &s->slot_capacity);
		s->slice_instructions[i] =
			narrow(simulation_instructions(s->run->simulation) - s->slice_began);
		for (size_t cause = 0; cause < CAUSE_COUNT; cause++)
			s->slots[i * CAUSE_COUNT + cause] =
				narrow(charged[cause] - s->charged[cause]);
		memcpy(s->charged, charged, sizeof(s->charged));
		sample_functions_end_slice(s->functions, exact);
	}
}

static void slice_begins(struct job_part_run *self)
{
	begin_slice(self->state);
}

static bool begin(struct job_part_run *self, const struct job_watch *watch, struct err *err)
{
	(void)watch;
	(void)err;
	if (!self->run->job->sample.period)
		return true;
	struct sampling *s = mem_alloc(sizeof(*s));
	self->state = s;
	s->run = self->run;
	for (const struct counted_row *row = counted_rows; row->name; row++) {
		BUG_ON(s->value_count == VALUES_MOST);
		s->signals[s->value_count++] = signal_find(row->signal);
	}
	s->functions = sample_functions_create(self->run->process);
	begin_slice(s);
	simulation_attach(self->run->simulation, (struct observer){see, s, 0});
	return true;
}

static json_t *estimate_json(struct sample_estimate estimate)
{
	return json_pack("{s:f, s:f}", "value", estimate.value, "error",
			 isfinite(estimate.error) ? estimate.error : 0.0);
}

static json_t *values_json(const struct sampling *s, const struct sample_units *units)
{
	json_t *values = json_object();

	for (size_t i = 0; i < s->value_count; i++)
		json_object_set_new(
			values, counted_rows[i].name,
			estimate_json(sample_estimate(units, &s->values[i], s->value_count)));
	return values;
}

/* The slots of a component in each slice. */
static struct sample_estimate component_estimate(const struct sampling *s, enum component component,
						 const struct sample_units *slices)
{
	const unsigned levels = s->run->job->machine->config.cache_levels;
	uint32_t *sums = mem_alloc_array(s->slice_count, sizeof(*sums));

	for (size_t i = 0; i < s->slice_count; i++)
		for (enum cause cause = 0; cause < CAUSE_COUNT; cause++)
			if (cause_component(levels, cause) == component)
				sums[i] += s->slots[i * CAUSE_COUNT + cause];
	const struct sample_estimate estimate = sample_estimate(slices, sums, 1);

	free(sums);
	return estimate;
}

/* Components of slots, scaled to the cycles of the program, which the units say more exactly: a
 * slice begins and ends with an empty core. */
static json_t *components_json(const struct sampling *s, const struct sample_units *slices,
			       double cycles)
{
	json_t *components = json_object();
	struct sample_estimate estimates[COMPONENT_COUNT];
	double all = 0;

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++) {
		estimates[i] = component_estimate(s, i, slices);
		all += estimates[i].value;
	}
	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT && all > 0; i++)
		if (observer_has_component(&s->run->job->machine->config, i))
			json_object_set_new(
				components, component_rows[i].name,
				estimate_json((struct sample_estimate){
					estimates[i].value / all * cycles,
					estimates[i].error / all * cycles + SAMPLE_BIAS * cycles}));
	return components;
}

/* The program is over in its last slice, or a limit is reached in any. */
static bool conclude(struct job_part_run *self, struct err *err)
{
	struct sampling *s = self->state;
	const struct simulation *simulation = self->run->simulation;

	(void)err;
	if (!s || s->has_end || self->run->slice != sample_stretches(&self->run->job->sample) + 1 ||
	    s->place != IN_UNIT || job_ending(self->run) != JOB_WHOLE)
		return true;
	s->has_end = true;
	add_unit(s, simulation_instructions(simulation));
	slice_ended(self);
	return true;
}

static void describe(struct job_part_run *self, json_t *result)
{
	const struct sampling *s = self->state;
	const struct job_simulation *run = self->run;
	const struct sample_plan *plan = &run->job->sample;
	const uint64_t program =
		run->skipped - run->job->skip + simulation_instructions(run->simulation);

	if (!s)
		return;
	struct sample_units units = {
		.instructions = s->instructions,
		.count = s->count,
		.has_end = s->has_end,
		.program = program,
	};
	const uint64_t known =
		sample_slice(plan) + (s->count - s->has_end) * plan->period - plan->period;
	uint64_t cycles_at = 0;
	json_t *sample =
		json_pack("{s:I, s:I, s:I, s:I, s:I}", "period", (json_int_t)plan->period, "settle",
			  (json_int_t)plan->settle, "unit", (json_int_t)plan->unit, "units",
			  (json_int_t)s->count, "instructions", (json_int_t)program);

	json_object_set_new(result, "sample", sample);
	if (s->count < (size_t)UNITS_LEAST + s->has_end)
		return;
	if (!s->has_end && known < program)
		units.behind = program - known;
	while (strcmp(counted_rows[cycles_at].name, "cycles") != 0)
		cycles_at++;
	const struct sample_estimate cycles =
		sample_estimate(&units, &s->values[cycles_at], s->value_count);

	json_object_set_new(sample, "cycles", estimate_json(cycles));
	json_object_set_new(sample, "values", values_json(s, &units));
	if (s->slice_count < (size_t)UNITS_LEAST + s->has_end)
		return;
	units.instructions = s->slice_instructions;
	units.count = s->slice_count;
	json_object_set_new(sample, "components", components_json(s, &units, cycles.value));
	json_object_set_new(sample, "functions",
			    sample_functions_json(s->functions, &units, cycles.value));
}

static void end(struct job_part_run *self)
{
	struct sampling *s = self->state;

	if (!s)
		return;
	free(s->instructions);
	free(s->values);
	free(s->slice_instructions);
	free(s->slots);
	sample_functions_destroy(s->functions);
	free(s);
}

static const struct job_part_kind kind = {
	.name = "sample",
	.begin = begin,
	.slice_ended = slice_ended,
	.slice_begins = slice_begins,
	.conclude = conclude,
	.describe = describe,
	.end = end,
	.key = job_part_key_nothing,
};

const struct job_part *part_sample_init(struct part_sample *sample)
{
	*sample = (struct part_sample){{.kind = &kind}};
	return &sample->part;
}
