#include <math.h>
#include <string.h>

#include "base/array.h"
#include "job/job.h"
#include "job/key.h"
#include "job/parts.h"
#include "job/windows.h"
#include "value/printable_json.h"

/* Machines that differ in anything settle slowly, and are few. */
static const struct windows_schedule schedule = {
	.length = 50000,
	.settles = 4000,
	.stretch = 1000000,
	.growth = 1.0 / 20,
	.allowance = INFINITY,
	.budget = 1,
};

static bool begin(struct job_part_run *self, const struct job_watch *watch, struct err *err)
{
	const struct part_what_if *part = (const struct part_what_if *)self->part;
	const struct job_simulation *run = self->run;

	self->state = windows_create(&(struct windows_plan){.simulation = run->simulation,
							    .process = run->process,
							    .thread = watch->thread,
							    .run = &run->job->machine->config,
							    .machines = part->machines,
							    .count = part->count,
							    .schedule = schedule,
							    .last = run->job->max_instructions,
							    .copies = part->copies,
							    .is_worker = watch->is_worker},
				     err);
	return self->state;
}

static void poll_windows(struct job_part_run *self)
{
	windows_poll(self->state);
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

static json_t *answer_json(const struct windows *windows, const struct part_what_if *part, size_t i,
			   uint64_t cycles)
{
	const struct windows_estimate estimate = windows_estimate(
		windows, &(struct windows_question){.machine = i, .less = WINDOWS_RUN});
	json_t *answer = json_pack("{s:o, s:I, s:I}", "changes", changes_json(part->changes[i]),
				   "windows", (json_int_t)estimate.windows, "window_instructions",
				   (json_int_t)estimate.instructions);

	if (!estimate.windows)
		return answer;
	const double all = (double)cycles;

	json_object_set_new(answer, "cycles",
			    json_integer((json_int_t)llround(all + estimate.cycles)));
	json_object_set_new(answer, "gain", json_real(-estimate.cycles / all));
	json_object_set_new(answer, "error", json_real(estimate.error / all));
	return answer;
}

static void describe(struct job_part_run *self, json_t *result)
{
	const struct part_what_if *part = (const struct part_what_if *)self->part;
	json_t *answers = json_array();

	for (size_t i = 0; i < part->count; i++)
		json_array_append_new(answers,
				      answer_json(self->state, part, i,
						  simulation_cycles(self->run->simulation)));
	json_object_set_new(result, "what_if", answers);
}

static bool conclude(struct job_part_run *self, struct err *err)
{
	return windows_finish(self->state, self->run->is_stopped, err);
}

static void end(struct job_part_run *self)
{
	windows_destroy(self->state);
}

static bool add_key(const struct job_part *self, struct job_key *key)
{
	const struct part_what_if *what_if = (const struct part_what_if *)self;

	job_key_texts(key, what_if->changes, what_if->count);
	for (size_t i = 0; i < what_if->count; i++) {
		char hash[65];

		config_hash(&what_if->machines[i], hash);
		job_key_text(key, hash);
	}
	return true;
}

static const struct job_part_kind kind = {
	.name = "what_if",
	.copies = true,
	.begin = begin,
	.poll = poll_windows,
	.poll_cycles = WINDOWS_POLL_CYCLES,
	.conclude = conclude,
	.describe = describe,
	.end = end,
	.key = add_key,
};

const struct job_part *part_what_if_init(struct part_what_if *what_if,
					 const struct config *machines, const char *const *changes,
					 size_t count, unsigned copies)
{
	*what_if = (struct part_what_if){{&kind, NULL}, machines, changes, count, copies};
	return &what_if->part;
}
