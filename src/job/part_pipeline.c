#include "count/count.h"
#include "job/job.h"
#include "job/key.h"
#include "job/parts.h"
#include "job/pipeline_rows.h"

static const struct observer_kind *const observers[] = {&count_pipeline, NULL};

static const struct part_pipeline *pipeline_of(const struct job_part *part)
{
	return (const struct part_pipeline *)part;
}

static bool begin(struct job_part_run *self, const struct job_watch *watch, struct err *err)
{
	const struct part_pipeline *part = pipeline_of(self->part);

	(void)watch;
	(void)err;
	self->state =
		self->run->observers ? observers_find(self->run->observers, &count_pipeline) : NULL;
	if (part->has_window)
		pipeline_set_window(self->state, part->from, part->to);
	return true;
}

static void describe(struct job_part_run *self, json_t *result)
{
	if (self->state)
		pipeline_describe(self->state, &self->run->process->memory, result);
}

static bool add_key(const struct job_part *part, struct job_key *key)
{
	const struct part_pipeline *pipeline = pipeline_of(part);

	job_key_number(key, pipeline->has_window);
	job_key_number(key, pipeline->from);
	job_key_number(key, pipeline->to);
	return true;
}

static const struct job_part_kind kind = {
	.name = "pipeline",
	.begin = begin,
	.describe = describe,
	.key = add_key,
};

const struct job_part *part_pipeline_init(struct part_pipeline *pipeline)
{
	*pipeline = (struct part_pipeline){.part = {.kind = &kind}};
	return &pipeline->part;
}

void part_pipeline_set_window(struct part_pipeline *pipeline, uint64_t from, uint64_t to)
{
	pipeline->part.observers = observers;
	pipeline->has_window = true;
	pipeline->from = from;
	pipeline->to = to;
}
