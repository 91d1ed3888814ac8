#include "job/circuits.h"
#include "job/job.h"
#include "job/parts.h"

static bool begin(struct job_part_run *self, const struct job_watch *watch, struct err *err)
{
	const struct part_circuits *part = (const struct part_circuits *)self->part;

	(void)err;
	self->state = job_circuits_begin(part->circuits, part->count, self->run->simulation, watch);
	return true;
}

static bool begin_stat(struct job_part_run *self, const struct job_watch *watch, struct err *err)
{
	const struct part_stat_circuits *part = (const struct part_stat_circuits *)self->part;

	self->state = job_circuits_begin_stat(part->request, self->run, watch, err);
	return self->state;
}

/* A result is the end of the stimulus. */
static void describe(struct job_part_run *self, json_t *result)
{
	(void)result;
	job_circuits_finish(self->state);
}

static void end(struct job_part_run *self)
{
	job_circuits_end(self->state);
}

static const struct job_part_kind kind = {
	.name = "circuits",
	.sends = true,
	.begin = begin,
	.describe = describe,
	.end = end,
	.key = job_part_key_refuse,
};

static const struct job_part_kind kind_stat = {
	.name = "stat_circuits",
	.sends = true,
	.begin = begin_stat,
	.describe = describe,
	.end = end,
	.key = job_part_key_refuse,
};

const struct job_part *part_circuits_init(struct part_circuits *circuits,
					  const struct circuit *list, size_t count)
{
	*circuits = (struct part_circuits){{.kind = &kind}, list, count};
	return &circuits->part;
}

const struct job_part *part_stat_circuits_init(struct part_stat_circuits *circuits,
					       const struct stats_request *request)
{
	*circuits = (struct part_stat_circuits){{.kind = &kind_stat}, request};
	return &circuits->part;
}
