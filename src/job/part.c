#include "job/part.h"

#include <stdlib.h>

#include "base/array.h"
#include "job/job.h"

static size_t count_parts(const struct job *job)
{
	size_t count = 0;

	while (job->parts && job->parts[count])
		count++;
	return count;
}

bool job_part_key_nothing(const struct job_part *part, struct job_key *key)
{
	(void)part;
	(void)key;
	return true;
}

bool job_part_key_refuse(const struct job_part *part, struct job_key *key)
{
	(void)part;
	(void)key;
	return false;
}

bool job_parts_admit(const struct job *job, struct process *process, struct err *err)
{
	unsigned senders = 0;

	for (size_t i = 0; i < count_parts(job); i++) {
		const struct job_part_kind *kind = job->parts[i]->kind;

		/* Without it, a result could be kept and found under the name of another job. */
		BUG_ON(!kind->key);
		senders += kind->sends;
		BUG_ON(senders > 1);
		if (kind->admit && !kind->admit(job->parts[i], process, err))
			return false;
	}
	return true;
}

bool job_parts_begin(struct job_simulation *run, const struct job_watch *watch, struct err *err)
{
	const size_t count = count_parts(run->job);
	bool ok = true;

	run->parts = mem_alloc_array(count, sizeof(*run->parts));
	for (size_t i = 0; ok && i < count; i++) {
		struct job_part_run *self = &run->parts[run->part_count++];

		*self = (struct job_part_run){.part = run->job->parts[i], .run = run};
		ok = !self->part->kind->begin || self->part->kind->begin(self, watch, err);
	}
	return ok;
}

void job_parts_poll(struct job_simulation *run)
{
	for (size_t i = 0; i < run->part_count; i++)
		if (run->parts[i].part->kind->poll)
			run->parts[i].part->kind->poll(&run->parts[i]);
}

void job_parts_slice_ended(struct job_simulation *run)
{
	for (size_t i = 0; i < run->part_count; i++)
		if (run->parts[i].part->kind->slice_ended)
			run->parts[i].part->kind->slice_ended(&run->parts[i]);
}

void job_parts_slice_begins(struct job_simulation *run)
{
	for (size_t i = 0; i < run->part_count; i++)
		if (run->parts[i].part->kind->slice_begins)
			run->parts[i].part->kind->slice_begins(&run->parts[i]);
}

uint64_t job_parts_poll_cycles(const struct job_simulation *run, uint64_t most)
{
	for (size_t i = 0; i < run->part_count; i++) {
		const uint64_t cycles = run->parts[i].part->kind->poll_cycles;

		most = cycles && cycles < most ? cycles : most;
	}
	return most;
}

bool job_parts_copy(const struct job *job)
{
	for (size_t i = 0; i < count_parts(job); i++)
		if (job->parts[i]->kind->copies)
			return true;
	return false;
}

bool job_parts_conclude(const struct job_simulation *run, struct err *err)
{
	for (size_t i = 0; i < run->part_count; i++) {
		const struct job_part_kind *kind = run->parts[i].part->kind;

		if (kind->conclude && !kind->conclude(&run->parts[i], err))
			return false;
	}
	return true;
}

void job_parts_describe(const struct job_simulation *run, json_t *result)
{
	for (size_t i = 0; i < run->part_count; i++)
		if (run->parts[i].part->kind->describe)
			run->parts[i].part->kind->describe(&run->parts[i], result);
}

void job_parts_end(struct job_simulation *run)
{
	for (size_t i = 0; i < run->part_count; i++)
		if (run->parts[i].part->kind->end)
			run->parts[i].part->kind->end(&run->parts[i]);
	free(run->parts);
	run->parts = NULL;
	run->part_count = 0;
}

static bool has_kind(const struct observer_kind *const *kinds, size_t count,
		     const struct observer_kind *kind)
{
	for (size_t i = 0; i < count; i++)
		if (kinds[i] == kind)
			return true;
	return false;
}

const struct observer_kind **job_parts_observers(const struct job *job)
{
	const struct observer_kind **kinds = NULL;
	size_t count = 0, capacity = 0;

	for (size_t i = 0; i < count_parts(job); i++) {
		const struct observer_kind *const *more = job->parts[i]->observers;

		for (size_t k = 0; more && more[k]; k++)
			if (!has_kind(kinds, count, more[k]))
				*ARRAY_PUSH(kinds, count, capacity) = more[k];
	}
	if (kinds)
		*ARRAY_PUSH(kinds, count, capacity) = NULL;
	return kinds;
}

const char *job_parts_schema(const struct job *job)
{
	for (size_t i = 0; i < count_parts(job); i++)
		if (job->parts[i]->kind->schema)
			return job->parts[i]->kind->schema;
	return "cyclestack-run-2";
}
