#include "job/key.h"
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

static void add_wish(struct job_key *key, const struct stats_wish *wish)
{
	job_key_number(key, wish->at);
	job_key_number(key, wish->period_cycles);
	job_key_texts(key, (const char *const *)wish->pairs, wish->pair_count);
}

/* What is sent besides the result is not kept, and what is received is not known. */
static bool add_key(const struct job_part *self, struct job_key *key)
{
	const struct stats_request *request = ((const struct part_stat *)self)->request;

	if (request->mailbox || request->is_watched || request->first_is_foreign)
		return false;
	add_wish(key, &request->first);
	job_key_number(key, request->change_count);
	for (size_t i = 0; i < request->change_count; i++)
		add_wish(key, &request->changes[i]);
	job_key_number(key, request->formula_count);
	for (size_t i = 0; i < request->formula_count; i++) {
		job_key_text(key, request->formulas[i].text);
		job_key_text(key, request->formulas[i].where);
	}
	job_key_number(key, request->width_bits);
	job_key_number(key, request->counters_most);
	job_key_number(key, request->ranges_most);
	job_key_number(key, request->circuit_counters);
	job_key_number(key, request->circuit_ranges);
	job_key_bytes(key, request->map, request->map_bytes);
	return true;
}

static const struct job_part_kind kind = {
	.name = "stat",
	.schema = "cyclestack-stat-1",
	.sends = true,
	.begin = begin,
	.poll = poll_parent,
	.describe = describe,
	.end = end,
	.key = add_key,
};

const struct job_part *part_stat_init(struct part_stat *stat, const struct stats_request *request)
{
	*stat = (struct part_stat){{.kind = &kind}, request};
	return &stat->part;
}
