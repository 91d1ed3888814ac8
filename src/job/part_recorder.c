#include <stdlib.h>

#include "job/job.h"
#include "job/parts.h"
#include "trace/cycles.h"
#include "value/layout.h"

static bool begin(struct job_part_run *self, const struct job_watch *watch, struct err *err)
{
	const struct job *job = self->run->job;
	json_t *about = json_pack("{s:s, s:o, s:o}", "schema", layout_cycles_head.schema, "program",
				  program_json(job->program), "configuration",
				  job_machine_json(job->machine));
	char *description = json_dumps(about, JSON_COMPACT);

	(void)err;
	if (watch->send) {
		self->state = cycles_writer_create(description, watch->send, watch->context);
		simulation_attach(self->run->simulation,
				  (struct observer){cycles_writer_add, self->state, CYCLES_EVENTS});
	}
	free(description);
	json_decref(about);
	return true;
}

static void describe(struct job_part_run *self, json_t *result)
{
	(void)result;
	if (self->state)
		cycles_writer_finish(self->state);
}

static void end(struct job_part_run *self)
{
	cycles_writer_destroy(self->state);
}

static const struct job_part_kind kind = {
	.name = "recorder",
	.sends = true,
	.begin = begin,
	.describe = describe,
	.end = end,
	.key = job_part_key_refuse,
};

const struct job_part *part_recorder_init(struct part_recorder *recorder)
{
	*recorder = (struct part_recorder){{.kind = &kind}};
	return &recorder->part;
}
