/* The stacks of a judgement have the same components in truth and methods, in results of all
 * versions. */
#include "../test.h"
#include "printed.h"

#include "report/judge_stack.h"

#define PROGRAM "'truth': {'a': {'base': 70, 'l2d': 20, 'branch': 10}"
#define METHOD	"{'base': 55, 'resource': 12, 'l2d': 15, 'l3d': 8, 'branch': 10}"

#define UNFOLDED                                                                           \
	"{'truth': {'a': {'base': 56, 'l2d': 15, 'l3d': 5, 'branch': 10, 'resource': 14}," \
	" 'parts': {'dependence': 4, 'latency': 11, 'store': 3}},"                         \
	" 'methods': {'m': {'errors': {'base': 0.01, 'resource': 0.02}}}}"

TEST(stacks_are_shown_as_they_are)
{
	json_t *program = json_of(UNFOLDED), *method = json_of(METHOD);
	const struct judge_stack truth =
		judge_stack_truth(program, json_object_get(json_object_get(program, "truth"), "a"));
	const struct judge_stack stack = judge_stack_method(program, method);

	assert_int_equal(judge_stack_base(program), JUDGE_BASE_ALONE);
	assert_true(judge_stack_has(program, COMPONENT_RESOURCE));
	assert_true(judge_stack_has(program, COMPONENT_L3D));
	assert_true(truth.cycles[COMPONENT_BASE] == 56 && truth.cycles[COMPONENT_RESOURCE] == 14);
	assert_true(truth.cycles[COMPONENT_L2D] == 15 && truth.cycles[COMPONENT_L3D] == 5);
	assert_true(stack.cycles[COMPONENT_BASE] == 55 && stack.cycles[COMPONENT_RESOURCE] == 12);
	assert_true(stack.cycles[COMPONENT_L2D] == 15 && stack.cycles[COMPONENT_L3D] == 8);
	json_decref(program);
	json_decref(method);
}

/* As a paper shows them: the stacks have resource, the errors do not. */
TEST(errors_can_be_those_of_base_and_resource_together)
{
	json_t *program = json_of(UNFOLDED);
	json_t *method = json_object_get(json_object_get(program, "methods"), "m");

	json_object_del(json_object_get(method, "errors"), "resource");
	assert_int_equal(judge_stack_base(program), JUDGE_BASE_SPLIT);
	json_decref(program);
}

/* An early version. */
TEST(base_is_split_by_its_parts)
{
	json_t *program = json_of("{" PROGRAM ", 'base_parts': {'unit': 3, 'latency': 11}}}");
	json_t *method = json_of(METHOD);
	const struct judge_stack truth =
		judge_stack_truth(program, json_object_get(json_object_get(program, "truth"), "a"));
	const struct judge_stack stack = judge_stack_method(program, method);

	assert_int_equal(judge_stack_base(program), JUDGE_BASE_SPLIT);
	assert_true(judge_stack_has(program, COMPONENT_RESOURCE));
	assert_false(judge_stack_has(program, COMPONENT_L3D));
	assert_true(truth.cycles[COMPONENT_BASE] == 56 && truth.cycles[COMPONENT_RESOURCE] == 14);
	assert_true(truth.cycles[COMPONENT_L2D] == 20 && truth.cycles[COMPONENT_BRANCH] == 10);
	assert_true(stack.cycles[COMPONENT_BASE] == 55 && stack.cycles[COMPONENT_RESOURCE] == 12);
	assert_true(stack.cycles[COMPONENT_L2D] == 23 && stack.cycles[COMPONENT_L3D] == 0);
	json_decref(program);
	json_decref(method);
}

/* An earlier one. */
TEST(without_parts_there_is_one_base)
{
	json_t *program = json_of("{" PROGRAM "}}"), *method = json_of(METHOD);
	const struct judge_stack truth =
		judge_stack_truth(program, json_object_get(json_object_get(program, "truth"), "a"));
	const struct judge_stack stack = judge_stack_method(program, method);

	assert_int_equal(judge_stack_base(program), JUDGE_BASE_FOLDED);
	assert_false(judge_stack_has(program, COMPONENT_RESOURCE));
	assert_true(truth.cycles[COMPONENT_BASE] == 70 && truth.cycles[COMPONENT_RESOURCE] == 0);
	assert_true(stack.cycles[COMPONENT_BASE] == 67 && stack.cycles[COMPONENT_RESOURCE] == 0);
	json_decref(program);
	json_decref(method);
}
