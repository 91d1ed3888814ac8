#include "job/parts.h"
#include "job/stat.h"

static bool begin(struct job_part_run *self, const struct job_watch *watch, struct err *err)
{
	const struct part_stat *part = (const struct part_stat *)self->part;
	const struct job_simulation *run = self->run;

	self->state = job_stat_begin(part->request, run->process, run->simulation, watch->send,
				     watch->context, err);
	return self->state;
}

static void poll_parent(struct job_part_run *self)
{
	job_stat_poll(self->state);
}

static void describe(struct job_part_run *self, json_t *result)
{
	job_stat_describe(self->state, result);
}

static void end(struct job_part_run *self)
{
	job_stat_end(self->state);
}

/* What is sent besides the result is not kept. */
static const struct job_part_kind kind = {
	.name = "stat",
	.schema = "cyclestack-stat-1",
	.sends = true,
	.begin = begin,
	.poll = poll_parent,
	.describe = describe,
	.end = end,
	.key = job_part_key_refuse,
};

const struct job_part *part_stat_init(struct part_stat *stat, const struct stats_request *request)
{
	*stat = (struct part_stat){{.kind = &kind}, request};
	return &stat->part;
}
