#include "job/key.h"

#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>

#include "job/job.h"
#include "job/part.h"

struct job_key {
	struct sha256_ctx sha;
};

void job_key_number(struct job_key *key, uint64_t number)
{
	uint8_t bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(number >> 8 * i);
	sha256_update(&key->sha, sizeof(bytes), bytes);
}

void job_key_bytes(struct job_key *key, const void *bytes, size_t count)
{
	job_key_number(key, bytes ? count : UINT64_MAX);
	if (bytes)
		sha256_update(&key->sha, count, bytes);
}

void job_key_text(struct job_key *key, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	job_key_number(key, text ? length : UINT64_MAX);
	sha256_update(&key->sha, length, (const uint8_t *)text);
}

void job_key_texts(struct job_key *key, const char *const *texts, size_t count)
{
	job_key_number(key, count);
	for (size_t i = 0; i < count; i++)
		job_key_text(key, texts[i]);
}

static void add_program(struct job_key *key, const struct program *program)
{
	size_t variables = 0;

	while (program->env && program->env[variables])
		variables++;
	job_key_text(key, program->hash);
	job_key_texts(key, (const char *const *)program->argv, program->argc);
	job_key_texts(key, program->env, variables);
	job_key_texts(key, program->denied, program->denied_count);
	job_key_text(key, program->cwd);
	job_key_number(key, program->seed);
	job_key_number(key, program->memory_bytes);
	job_key_number(key, program->strict);
	job_key_number(key, program->raw_names);
	/* Its name says what is in it: the build id, which is in the program. */
	job_key_number(key, program->debug_bytes);
	job_key_number(key, program->keeps_mtime);
	job_key_number(key, program->stdin_is_file);
	/* A machine has its own, which the key of its configuration has. */
	if (program->profile)
		job_key_number(key, program->profile);
}

static void add_machine(struct job_key *key, const struct job_machine *machine)
{
	char hash[65];

	config_hash(&machine->config, hash);
	job_key_text(key, hash);
	job_key_text(key, machine->name);
	job_key_texts(key, machine->changes, machine->change_count);
}

static bool add_part(struct job_key *key, const struct job_part *part)
{
	BUG_ON(!part->kind->key);
	job_key_text(key, part->kind->name);
	for (size_t i = 0; part->observers && part->observers[i]; i++)
		job_key_text(key, part->observers[i]->name);
	job_key_text(key, NULL);
	return part->kind->key(part, key);
}

static bool add_parts(struct job_key *key, const struct job *job)
{
	bool ok = true;

	for (size_t i = 0; ok && job->parts && job->parts[i]; i++)
		ok = add_part(key, job->parts[i]);
	job_key_text(key, NULL);
	return ok;
}

/* Those that a file gave: others follow from the program. */
static void add_points(struct job_key *key, const struct sample_plan *plan)
{
	job_key_number(key, plan->points_most);
	job_key_number(key, plan->point_count);
	for (size_t i = 0; i < plan->point_count; i++) {
		job_key_number(key, plan->points[i].interval);
		job_key_number(key, plan->points[i].cluster);
		job_key_bytes(key, &plan->points[i].weight, sizeof(plan->points[i].weight));
	}
}

static void add_extent(struct job_key *key, const struct job *job)
{
	job_key_number(key, job->skip);
	job_key_text(key, job->roi);
	job_key_number(key, job->roi_call);
	job_key_number(key, job->sample.period);
	job_key_number(key, job->sample.settle);
	job_key_number(key, job->sample.unit);
	job_key_number(key, job->sample.end);
	if (job->sample.points_most)
		add_points(key, &job->sample);
	job_key_number(key, job->is_cold);
	job_key_number(key, job->max_instructions);
	job_key_number(key, job->by_cycles);
	job_key_number(key, job->is_silent);
	job_key_number(key, job->is_whole);
}

bool job_key(const struct job *job, const char *tool, char text[JOB_KEY_BYTES])
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct job_key key;

	sha256_init(&key.sha);
	job_key_text(&key, tool);
	add_program(&key, job->program);
	add_machine(&key, job->machine);
	add_extent(&key, job);
	if (job->program->mount_count || !add_parts(&key, job))
		return false;
	sha256_digest(&key.sha, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	return true;
}
