#include "report/judge_stack.h"

#include "count/truth.h"
#include "value/member.h"

static json_t *parts_of(const json_t *program)
{
	return json_object_get(json_object_get(program, "truth"), "base_parts");
}

bool judge_stack_has(const json_t *program, enum component component)
{
	const json_t *truth = json_object_get(json_object_get(program, "truth"), "a");

	return json_object_get(truth, component_rows[component].name) ||
	       (component == COMPONENT_RESOURCE && parts_of(program));
}

struct judge_stack judge_stack_truth(const json_t *program, const json_t *components)
{
	struct judge_stack stack = {0};
	const char *name;
	json_t *cycles;

	for (int i = 0; i < COMPONENT_COUNT; i++)
		stack.cycles[i] = member_number(components, component_rows[i].name);
	json_object_foreach(parts_of(program), name, cycles)
	{
		stack.cycles[COMPONENT_BASE] -= json_number_value(cycles);
		stack.cycles[COMPONENT_RESOURCE] += json_number_value(cycles);
	}
	return stack;
}

struct judge_stack judge_stack_method(const json_t *program, const json_t *components)
{
	struct judge_stack stack = {0};
	struct stack folded;

	for (int i = 0; i < COMPONENT_COUNT; i++)
		folded.cycles[i] = member_whole(components, component_rows[i].name);
	const int64_t resource = folded.cycles[COMPONENT_RESOURCE];
	truth_fold(&folded);
	for (int i = 0; i < COMPONENT_COUNT; i++)
		stack.cycles[i] = (double)folded.cycles[i];
	if (parts_of(program)) {
		stack.cycles[COMPONENT_BASE] -= (double)resource;
		stack.cycles[COMPONENT_RESOURCE] = (double)resource;
	}
	return stack;
}
