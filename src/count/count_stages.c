#include "count/stages.h"

#include <stdlib.h>

#include "base/array.h"
#include "core/shape.h"

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

void *stages_create(const struct config *config, uint32_t slots)
{
	struct stages *stages = mem_alloc(sizeof(*stages));

	(void)slots;
	*stages = (struct stages){
		.config = *config,
		.width = least(shape_width(config),
			       least(shape_issue_width(config), shape_commit_width(config))),
	};
	return stages;
}

const char *stage_view_name(enum stage_view view)
{
	static const char *const names[STAGE_COUNT] = {"dispatch", "issue", "commit"};

	return names[view];
}

/* The cause for which the front end delivers nothing: a wrong path, an I-side miss, or the refill
 * after a wrong path. */
static enum component front_cause(const struct stages *stages, const struct cycle *c)
{
	enum component stall = count_fetch_stall(c);

	if (stages->shadow.is_wrong)
		return COMPONENT_BRANCH;
	if (stall != COMPONENT_BASE)
		return stall;
	if (stages->shadow.is_refilling || c->fetch_stall == FETCH_MISFETCH ||
	    c->fetch_stall == FETCH_TAKEN)
		return COMPONENT_BRANCH;
	return stages->shadow.is_replaying ? COMPONENT_RESOURCE : COMPONENT_BASE;
}

static enum component head_cause(const struct cycle *c)
{
	switch ((enum head_late)c->head_late) {
	case LATE_STORE_DTLB: return COMPONENT_DTLB;
	case LATE_STORE_L1D: return COMPONENT_L1D;
	case LATE_STORE_L2D: return COMPONENT_L2D;
	case LATE_STORE_L3D: return COMPONENT_L3D;
	case LATE_NONE: break;
	default: return COMPONENT_RESOURCE;
	}
	if (c->head_state == HEAD_UNIT || c->head_state == HEAD_STORE || c->head_state == HEAD_MSHR)
		return COMPONENT_RESOURCE;
	return count_head_miss(c);
}

static enum component why_lost(const struct stages *stages, enum stage_view view,
			       const struct cycle *c)
{
	switch (view) {
	case STAGE_DISPATCH:
		return c->dispatch_stall == DISPATCH_NONE || c->dispatch_stall == DISPATCH_EMPTY
			       ? front_cause(stages, c)
			       : head_cause(c);
	case STAGE_ISSUE:
		/* The issue queue has no instruction of the right path, though the window has room;
		 * or none of them is ready. */
		return (!c->iq_used && !count_held_is_full(c)) || c->issued > c->useful_issued
			       ? front_cause(stages, c)
			       : head_cause(c);
	default: return c->head_state == HEAD_EMPTY ? front_cause(stages, c) : head_cause(c);
	}
}

static void charge(struct stages *stages, enum stage_view view, const struct cycle *c,
		   uint64_t passed)
{
	uint64_t *shares = stages->shares[view];

	/* With a surplus, the cycles of a record are charged differently. */
	for (uint64_t left = c->repeat; left;) {
		uint64_t useful = passed + stages->surplus[view];
		uint64_t used = useful < stages->width ? useful : stages->width;
		uint64_t cycles = stages->surplus[view] || useful > stages->width ? 1 : left;

		stages->surplus[view] = useful - used;
		shares[COMPONENT_BASE] += used * cycles;
		shares[why_lost(stages, view, c)] += (stages->width - used) * cycles;
		left -= cycles;
	}
}

/* Slots that were owed are lost to what the oldest instruction waits for; they have been base. */
static void charge_dispatch(struct stages *stages, const struct cycle *c)
{
	const bool is_full = count_held_is_full(c);
	uint64_t used = c->useful_dispatched;

	if (is_full || stages->held.owed)
		used = count_held_used(&stages->held, c, stages->width, used);
	if (is_full || used == c->useful_dispatched) {
		charge(stages, STAGE_DISPATCH, c, used);
		return;
	}
	charge(stages, STAGE_DISPATCH, c, c->useful_dispatched);
	stages->shares[STAGE_DISPATCH][COMPONENT_BASE] -= c->useful_dispatched - used;
	stages->shares[STAGE_DISPATCH][head_cause(c)] += c->useful_dispatched - used;
}

void stages_cycle(void *observer, const struct cycle *c)
{
	struct stages *stages = observer;
	count_shadow_follow(&stages->shadow, c);
	charge_dispatch(stages, c);
	charge(stages, STAGE_ISSUE, c, c->useful_issued);
	charge(stages, STAGE_COMMIT, c, c->committed);
}

void stages_read(const struct stages *stages, enum stage_view view, struct stack *stack)
{
	apportion(stages->shares[view], COMPONENT_COUNT, stages->width, stack->cycles);
}

static bool check(const void *observer, uint64_t cycles, struct err *err)
{
	for (enum stage_view view = STAGE_DISPATCH; view < STAGE_COUNT; view++) {
		struct stack stack;

		stages_read(observer, view, &stack);
		if (!observer_adds_up(stage_view_name(view), (uint64_t)stack_sum(&stack), cycles,
				      err))
			return false;
	}
	return true;
}

static void describe(const struct observer_kind *kind, void *observer, json_t *result)
{
	const struct stages *stages = observer;
	json_t *object = observer_member(result, kind->name);

	for (enum stage_view view = STAGE_DISPATCH; view < STAGE_COUNT; view++) {
		struct stack stack;

		stages_read(stages, view, &stack);
		json_object_set_new(object, stage_view_name(view),
				    observer_components(&stages->config, &stack));
	}
}

const struct observer_kind count_stages = {
	.name = "stages",
	.summary = "three stacks: as dispatch, issue and commit see the run",
	.is_usual = true,
	.events = EVENTS_USUAL,
	.create = stages_create,
	.cycle = stages_cycle,
	.check = check,
	.describe = describe,
	.destroy = free,
};
