#include "experiment/point.h"

#include <stdio.h>
#include <unistd.h>

#include "job/parts.h"

/* A job and what it points to. */
struct made_job {
	struct job job;
	struct part_counters counters;
	struct part_gain gain;
	const struct job_part *parts[4];
};

/* The only place that makes a job of a point. */
static void make_job(struct made_job *made, const struct point *point)
{
	made->parts[0] =
		point->part ? point->part : part_counters_init(&made->counters, point->observers);
	made->parts[1] =
		point->part ? NULL
			    : part_gain_init(&made->gain, point->gain ? point->gain_copies : 1);
	if (!point->part && point->gain)
		made->gain.options = *point->gain;
	made->parts[2] = point->part ? NULL : point->places;
	made->parts[3] = NULL;
	made->job = (struct job){
		.program = point->program,
		.machine = point->machine,
		.parts = made->parts,
		.max_instructions = point->max_instructions,
		.is_silent = !point->output,
		.output = point->output,
		.errors = point->errors ? point->errors : point->dropped_errors,
		.is_whole = true,
	};
}

static void simulate(struct worker *worker, void *context)
{
	struct made_job made;

	make_job(&made, context);
	job_work(&made.job, worker);
}

/* A worker that died may have printed something. */
static void empty_file(int fd)
{
	if (fd && ftruncate(fd, 0) == 0)
		lseek(fd, 0, SEEK_SET);
}

static bool may_simulate(const struct point *point, struct err *err)
{
	return job_may_start(point->program, err);
}

static void fill_simulation(const struct point *point, struct worker_task *task)
{
	struct made_job made;

	empty_file(point->output);
	empty_file(point->errors);
	make_job(&made, point);
	job_fill_task(&made.job, task);
	task->body = simulate;
}

static json_t *read_simulation(const struct point *point, const char *bytes, size_t count,
			       struct err *err)
{
	(void)point;
	return job_read(bytes, count, err);
}

/* What the program prints is not part of the result, and so would be lost. */
static bool key_simulation(const struct point *point, const char *tool, char text[JOB_KEY_BYTES])
{
	struct made_job made;
	char repeated[JOB_KEY_BYTES + 16];

	if (point->output || point->errors)
		return false;
	make_job(&made, point);
	const int length = snprintf(repeated, sizeof(repeated), "%s %u", tool, point->repetition);
	BUG_ON(length < 0 || (size_t)length >= sizeof(repeated));
	return job_key(&made.job, repeated, text);
}

static bool owns_simulation(const struct point *point, const json_t *result, struct err *err)
{
	json_t *program = program_json(point->program);
	json_t *machine = job_machine_json(point->machine);
	bool ok = json_equal(json_object_get(result, "program"), program) &&
		  json_equal(json_object_get(result, "configuration"), machine);

	json_decref(program);
	json_decref(machine);
	return ok || err_set(err, "it is the result of another program or machine");
}

const struct point_kind point_simulated = {
	.may_start = may_simulate,
	.fill = fill_simulation,
	.read = read_simulation,
	.key = key_simulation,
	.owns = owns_simulation,
};

static bool may_model(const struct point *point, struct err *err)
{
	return model_may_start(point->model, err);
}

static void model(struct worker *worker, void *context)
{
	model_work(((const struct point *)context)->model, worker);
}

static void fill_model(const struct point *point, struct worker_task *task)
{
	model_fill_task(point->model, task);
	task->body = model;
}

static json_t *read_model(const struct point *point, const char *bytes, size_t count,
			  struct err *err)
{
	return model_read(point->model, bytes, count, err);
}

const struct point_kind point_modelled = {
	.may_start = may_model,
	.fill = fill_model,
	.read = read_model,
};

static bool may_find_facts(const struct point *point, struct err *err)
{
	return job_may_start(point->facts->program, err);
}

static void find_facts(struct worker *worker, void *context)
{
	facts_work(((const struct point *)context)->facts, worker);
}

static void fill_facts(const struct point *point, struct worker_task *task)
{
	facts_fill_task(point->facts, task);
	task->errors = point->dropped_errors;
	task->body = find_facts;
}

static json_t *read_facts(const struct point *point, const char *bytes, size_t count,
			  struct err *err)
{
	return facts_read(point->facts, bytes, count, err);
}

const struct point_kind point_facts = {
	.may_start = may_find_facts,
	.fill = fill_facts,
	.read = read_facts,
};

struct point point_of(const struct program *program, const struct job_machine *machine)
{
	return (struct point){
		.kind = &point_simulated,
		.program = program,
		.machine = machine,
		.max_instructions = program->max_instructions,
	};
}
