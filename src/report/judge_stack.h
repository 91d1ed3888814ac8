/*
 * judge_stack.h - the stacks of a judgement as every format shows them: those of the truth and of
 * the methods, with the same components.
 *
 * The truth has all components that methods have, and both are shown as they are. Results of early
 * versions have less: there resource is a part of the truth's base and an L3 a part of the L2, and
 * so are the errors. If such a result tells which cycles of the base are resource ("base_parts"),
 * truth and methods are shown with them split off; else the methods' resource is added to their
 * base. Their L3 is added to the L2.
 */
#ifndef REPORT_JUDGE_STACK_H
#define REPORT_JUDGE_STACK_H

#include <jansson.h>
#include <stdbool.h>

#include "value/component.h"

/* Cycles by component; means need not be whole. */
struct judge_stack {
	double cycles[COMPONENT_COUNT];
};

/* What base is in the stacks of a program. */
enum judge_base {
	JUDGE_BASE_ALONE,  /* resource is a component of its own */
	JUDGE_BASE_SPLIT,  /* the same, but errors are of both together */
	JUDGE_BASE_FOLDED, /* resource is a part of base */
};

enum judge_base judge_stack_base(const json_t *program);
/* Whether the stacks of this program have a component. */
bool judge_stack_has(const json_t *program, enum component component);
/* One of the truth's stacks: order A or B, or what all orders give. */
struct judge_stack judge_stack_truth(const json_t *program, const json_t *components);
struct judge_stack judge_stack_method(const json_t *program, const json_t *components);

#endif
