#include "model/retimer.h"

#include <stdlib.h>

#include "base/array.h"
#include "core/frontend.h"
#include "machine/parts.h"
#include "model/retimer_state.h"

#define STORE_BUFFER_MOST 4096

static bool has_predictor(const struct config *config)
{
	return !config->ideal_branch && config->predictor_kind != PREDICTOR_PERFECT &&
	       config->predictor_kind != PREDICTOR_NONE;
}

static bool create_parts(struct retimer *r, struct err *err)
{
	struct config without_mshrs = r->config;

	without_mshrs.ideal_mshrs = true;
	r->memory = parts_hierarchy(&without_mshrs, err);
	if (!r->memory || !has_predictor(&r->config))
		return r->memory;
	r->predictor = parts_predictor(&r->config, r->in_flight, err);
	return r->predictor;
}

static void set_limits(struct retimer *r)
{
	const struct config *c = &r->config;
	const uint32_t mshrs[RETIMER_LEVELS] = {c->l1d_mshrs, c->l2_mshrs, c->l3_mshrs};

	for (unsigned i = 0; i < RETIMER_LEVELS; i++)
		r->misses[i].limit =
			c->ideal_mshrs || mshrs[i] == UNLIMITED ? MSHR_UNLIMITED : mshrs[i];
	for (unsigned i = 0; i < QUEUES; i++)
		mshr_init(&r->queues[i], r->rule.queue_size[i] ? r->rule.queue_size[i] : 1);
	r->buffer_size = r->rule.has_store_buffer ? c->store_buffer : STORE_BUFFER_MOST;
}

struct retimer *retimer_create(const struct config *config, struct err *err)
{
	static const struct retime_limits none = {.unit_cycles = RETIMER_CYCLES};
	struct retimer *r;

	if (frontend_in_flight(config) > RETIMER_KEPT / 2) {
		err_set(err,
			"%u instructions in flight cannot be timed, only %u: make the window or "
			"the front end smaller",
			frontend_in_flight(config), RETIMER_KEPT / 2);
		return NULL;
	}
	r = mem_alloc(sizeof(*r));
	r->config = *config;
	r->rule = retime_rule_of(config, &none);
	r->in_flight = frontend_in_flight(config);
	r->has_sets = config->disambiguation == DISAMBIGUATION_PREDICT;
	if (r->has_sets)
		store_sets_init(&r->sets, config);
	set_limits(r);
	r->front.line = r->front.cycle = UINT64_MAX; /* the first cycle is 0 */
	for (size_t i = 0; i < RETIMER_CYCLES; i++)
		r->slots[i].cycle = UINT64_MAX;
	if (create_parts(r, err))
		return r;
	retimer_destroy(r);
	return NULL;
}

void retimer_destroy(struct retimer *r)
{
	if (!r)
		return;
	hierarchy_destroy(r->memory);
	predictor_destroy(r->predictor);
	if (r->has_sets)
		store_sets_release(&r->sets);
	for (unsigned i = 0; i < QUEUES; i++)
		mshr_release(&r->queues[i]);
	for (unsigned i = 0; i < RETIMER_LEVELS; i++)
		free(r->misses[i].list);
	free(r);
}

uint64_t retimer_cycles(const struct retimer *r)
{
	return r->number ? r->last.committed + 1 : 0;
}

struct retimer_events retimer_events(const struct retimer *r)
{
	return r->events;
}

static struct retimer_slots *slots_at(struct retimer *r, uint64_t cycle)
{
	struct retimer_slots *slots = &r->slots[cycle % RETIMER_CYCLES];

	if (slots->cycle != cycle)
		*slots = (struct retimer_slots){.cycle = cycle};
	return slots;
}

uint64_t retimer_take_unit(struct retimer *r, unsigned unit, uint64_t from)
{
	const unsigned kind = retime_unit_kinds[unit];
	struct retimer_slots *slots = slots_at(r, from);

	while (slots->used[kind] >= r->rule.units[kind] ||
	       slots->used[KIND_ALL] >= r->rule.units[KIND_ALL])
		slots = slots_at(r, ++from);
	slots->used[KIND_ALL]++;
	for (uint32_t i = 0; i < r->rule.busy[unit]; i++)
		slots_at(r, from + i)->used[kind]++;
	return from;
}

/* When the instruction that is fetched in that cycle is fed to decode. */
static uint64_t feed(const struct retimer *r, uint64_t fetched)
{
	const struct retime_rule *rule = &r->rule;
	uint64_t at = retimer_later(fetched, r->last.fed);

	if (r->number >= rule->decode_width)
		at = retimer_later(at, retimer_before(r, rule->decode_width)->fed + 1);
	return retimer_later(at, retimer_before(r, rule->room)->dispatched);
}

static bool is_serialising(const struct trace_op *op)
{
	return op->unit == UNIT_AMO || op->unit == UNIT_FENCE || op->unit == UNIT_CSR ||
	       op->unit == UNIT_SYSTEM;
}

static struct mshr *queue_of(struct retimer *r, const struct trace_op *op)
{
	return &r->queues[r->rule.is_split ? retime_queues[retime_unit_kinds[op->unit]]
					   : QUEUE_INT];
}

static uint64_t dispatch(struct retimer *r, const struct trace_op *op, uint64_t fed)
{
	const struct retime_rule *rule = &r->rule;
	uint64_t at = retimer_later(fed + rule->stages, r->last.dispatched);

	at = retimer_later(at, r->serial_until);
	if (r->number >= rule->dispatch_width)
		at = retimer_later(at, retimer_before(r, rule->dispatch_width)->dispatched + 1);
	at = retimer_later(at, retimer_before(r, rule->rob_size)->committed);
	at = retimer_later(at, mshr_free_at(queue_of(r, op)));
	if (op->access_bytes)
		at = retimer_later(at,
				   r->accesses[(r->access_number - rule->lsq_size) % RETIMER_KEPT]);
	return is_serialising(op) ? retimer_later(at, r->last.committed) : at;
}

/* When the sources [first, end) are there. */
static uint64_t operands(const struct retimer *r, const struct trace_op *op, unsigned first,
			 unsigned end)
{
	uint64_t at = 0;

	for (unsigned i = first; i < end; i++)
		at = retimer_later(at, r->ready[op->sources[i]]);
	return at;
}

static bool is_plain_store(const struct trace_op *op)
{
	return op->access_bytes && op->is_store && op->unit != UNIT_AMO;
}

static struct retimer_access execute(struct retimer *r, const struct trace_step *step,
				     uint64_t dispatched)
{
	const struct trace_op *op = step->op;
	const bool stores = is_plain_store(op);
	const unsigned count = stores ? op->address_sources : TRACE_SOURCES;
	const uint64_t ready = retimer_later(dispatched + 1, operands(r, op, 0, count));

	if (stores)
		return retimer_issue_store(r, step, dispatched, ready,
					   operands(r, op, count, TRACE_SOURCES));
	if (op->access_bytes)
		return retimer_load(r, step, dispatched, ready);
	const uint64_t issued = retimer_take_unit(r, op->unit, ready);

	return (struct retimer_access){.issued = issued,
				       .complete = issued + r->rule.latency[op->unit]};
}

static uint64_t commit(struct retimer *r, const struct trace_op *op, uint64_t complete)
{
	uint64_t at = retimer_later(complete, r->last.committed);

	if (r->number >= r->rule.commit_width)
		at = retimer_later(at, retimer_before(r, r->rule.commit_width)->committed + 1);
	return op->access_bytes && op->is_store ? retimer_later(at, retimer_store_room(r)) : at;
}

static void add_step(struct retimer *r, const struct trace_step *step)
{
	const struct trace_op *op = step->op;
	struct retimer_access access = {0};
	struct retimer_step now;
	uint64_t fetched;

	do {
		fetched = retimer_fetch(r, step);
		now.fed = feed(r, fetched);
		now.dispatched = dispatch(r, op, now.fed);
		access = execute(r, step, now.dispatched);
		r->front.resumes = retimer_later(r->front.resumes, access.replay);
	} while (access.replay);
	now.committed = commit(r, op, access.complete);
	mshr_take(queue_of(r, op), now.dispatched, access.issued);
	if (op->access_bytes)
		r->accesses[r->access_number++ % RETIMER_KEPT] = now.committed;
	if (op->access_bytes && op->is_store)
		retimer_put_store(r, step, &access, now.committed);
	if (is_serialising(op))
		r->serial_until = now.committed;
	if (op->unit == UNIT_SYSTEM)
		r->front.resumes = now.committed;
	if (op->control != CONTROL_NONE)
		retimer_follow(r, step, fetched, now.fed, access.complete, now.committed);
	for (unsigned i = 0; i < TRACE_DESTINATIONS; i++)
		r->ready[op->destinations[i]] = access.complete;
	r->ready[0] = 0;
	r->steps[r->number++ % RETIMER_KEPT] = r->last = now;
}

void retimer_add(struct retimer *r, const struct trace_step *steps, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_step(r, &steps[i]);
}
