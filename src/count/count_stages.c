#include "count/stages.h"

#include <stdlib.h>

#include "base/array.h"
#include "core/shape.h"
#include "count/stages_rule.h"
#include "count/usual.h"

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

const char *stage_view_meaning(enum stage_view view)
{
	static const char *const meanings[STAGE_COUNT] = {
		"instructions enter the window; its stack charges most to the instruction side",
		"instructions begin to execute; its stack is between those of dispatch and commit",
		"instructions leave the window in order; its stack charges most to the data side",
	};

	return meanings[view];
}

void stages_cycle(void *observer, const struct cycle *c)
{
	struct stages *stages = observer;

	count_shadow_follow(&stages->shadow, c);
	stages_record(stages, c, count_fetch_stall(c));
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
	.group = &count_usual,
	.check = check,
	.describe = describe,
	.destroy = free,
};
