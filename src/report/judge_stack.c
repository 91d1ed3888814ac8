#include "report/judge_stack.h"

#include "value/member.h"

/* What early versions call parts of the base. */
static json_t *base_parts_of(const json_t *program)
{
	return json_object_get(json_object_get(program, "truth"), "base_parts");
}

/* Whether order A of the truth has a component. */
static bool truth_says(const json_t *program, enum component component)
{
	const json_t *truth = json_object_get(json_object_get(program, "truth"), "a");

	return json_object_get(truth, component_rows[component].name);
}

/* Whether any method's errors have one of resource. */
static bool has_error(const json_t *program)
{
	const char *unused, *resource = component_rows[COMPONENT_RESOURCE].name;
	json_t *method;

	json_object_foreach(json_object_get(program, "methods"), unused, method)
	{
		if (json_object_get(json_object_get(method, "errors"), resource))
			return true;
	}
	return false;
}

enum judge_base judge_stack_base(const json_t *program)
{
	if (!judge_stack_has(program, COMPONENT_RESOURCE))
		return JUDGE_BASE_FOLDED;
	return has_error(program) ? JUDGE_BASE_ALONE : JUDGE_BASE_SPLIT;
}

bool judge_stack_has(const json_t *program, enum component component)
{
	return truth_says(program, component) ||
	       (component == COMPONENT_RESOURCE && base_parts_of(program));
}

struct judge_stack judge_stack_truth(const json_t *program, const json_t *components)
{
	struct judge_stack stack = {0};
	const char *unused;
	json_t *cycles;

	for (int i = 0; i < COMPONENT_COUNT; i++)
		stack.cycles[i] = member_number(components, component_rows[i].name);
	if (truth_says(program, COMPONENT_RESOURCE))
		return stack;
	json_object_foreach(base_parts_of(program), unused, cycles)
	{
		stack.cycles[COMPONENT_BASE] -= json_number_value(cycles);
		stack.cycles[COMPONENT_RESOURCE] += json_number_value(cycles);
	}
	return stack;
}

/* Adds one component to another if the program's stacks do not have it. */
static void fold(struct judge_stack *stack, const json_t *program, enum component from,
		 enum component into)
{
	if (judge_stack_has(program, from))
		return;
	stack->cycles[into] += stack->cycles[from];
	stack->cycles[from] = 0;
}

struct judge_stack judge_stack_method(const json_t *program, const json_t *components)
{
	struct judge_stack stack;

	for (int i = 0; i < COMPONENT_COUNT; i++)
		stack.cycles[i] = member_number(components, component_rows[i].name);
	fold(&stack, program, COMPONENT_RESOURCE, COMPONENT_BASE);
	fold(&stack, program, COMPONENT_L3I, COMPONENT_L2I);
	fold(&stack, program, COMPONENT_L3D, COMPONENT_L2D);
	return stack;
}
