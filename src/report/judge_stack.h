/*
 * judge_stack.h - the stacks of a judgement as every format shows them: those of the truth and of
 * the methods, with the same components.
 *
 * Idealised machines give one base, in which operations take their time, units are limited, stores
 * wait for room and loads are replayed. Methods call what these cost `resource`. Further runs of a
 * judgement tell these parts of the base ("base_parts"), so both are shown split: base without
 * them, and resource. A result without these parts has one base; there the methods' resource is
 * added to their base. The L3 is part of the L2, as in the truth.
 *
 * The error of a method, which is a number of the result, is that of base and resource together.
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

/* Whether the stacks of this program have a component. */
bool judge_stack_has(const json_t *program, enum component component);
/* One of the truth's stacks: order A or B, or what all orders give. */
struct judge_stack judge_stack_truth(const json_t *program, const json_t *components);
struct judge_stack judge_stack_method(const json_t *program, const json_t *components);

#endif
