/*
 * stack.h - how reports show the components of a CPI stack and the causes that roll up
 * to them.
 *
 * One table each: names as in results, letter, colour and meaning. The causes are those
 * of count/causes.def, the components those of count/component.h. Every report (terminal,
 * files, pages) takes them from here and shows them in this order, so that a component
 * looks the same everywhere. Letters are unique: a bar can be read without colour.
 *
 * Results are read back without their configuration, so the number of cache levels stands
 * in for it here.
 *
 * Each cause belongs to exactly one component, so a roll-up keeps the sum. The
 * causes l3i and l3d exist on machines with three levels of cache only; waiting for
 * a miss register belongs to the data misses of the last level there is.
 *
 * Says nothing about how slots are charged to causes.
 */
#ifndef REPORT_STACK_H
#define REPORT_STACK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct terminal;

enum stack_component {
	STACK_BASE,
	STACK_L1I,
	STACK_L2I,
	STACK_L3I,
	STACK_ITLB,
	STACK_BRANCH,
	STACK_L1D,
	STACK_L2D,
	STACK_L3D,
	STACK_DTLB,
	STACK_RESOURCE,
	STACK_COMPONENT_COUNT,
	STACK_LAST_D = STACK_COMPONENT_COUNT /* data misses of the last level, whichever that is */
};

/* As the core charges them: see count/causes.def. */
enum stack_cause {
#define CAUSE(id, name, component, meaning) STACK_CAUSE_##id,
#include "count/causes.def"
#undef CAUSE
	STACK_CAUSE_COUNT
};

struct stack_component_row {
	const char *name;
	const char *meaning;
	char letter;
	uint8_t colour; /* of the 256 a terminal has */
	bool is_dark;	/* text on it is light */
	const char *rgb;
};

struct stack_cause_row {
	const char *name;
	const char *meaning;
	enum stack_component component; /* STACK_LAST_D: see stack_component_of */
};

extern const struct stack_component_row stack_components[STACK_COMPONENT_COUNT];
extern const struct stack_cause_row stack_causes[STACK_CAUSE_COUNT];

/* Cycles or slots by component; may be negative where a counter architecture errs. */
struct stack_parts {
	int64_t parts[STACK_COMPONENT_COUNT];
};

/* By name; -1 if there is none. */
int stack_component_named(const char *name);
int stack_cause_named(const char *name);

/* `levels` of cache: 1, 2 or 3. */
enum stack_component stack_component_of(enum stack_cause cause, unsigned levels);
void stack_roll_up(struct stack_parts *stack, const int64_t causes[STACK_CAUSE_COUNT],
		   unsigned levels);
int64_t stack_parts_sum(const struct stack_parts *stack);

/* Divides the columns a bar of `whole` would fill among the parts that are above
 * zero, by largest remainder: the segments add up to the rounded share of the sum,
 * and never to more than `columns`. */
void stack_segments(const struct stack_parts *stack, double whole, unsigned columns,
		    unsigned segments[STACK_COMPONENT_COUNT]);

/* One bar of letters, coloured if the terminal is; no padding. Returns its columns. */
unsigned stack_put_bar(FILE *out, const struct terminal *terminal, const struct stack_parts *stack,
		       double whole, unsigned columns);

#endif
