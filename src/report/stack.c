#include "report/stack.h"

#include <string.h>

#include "count/component.h"
#include "report/terminal.h"

const struct stack_component_row stack_components[STACK_COMPONENT_COUNT] = {
	[STACK_BASE] = {"base", "useful work, operands, and slots fetch cannot fill", '=', 246,
			false, "#949494"},
	[STACK_L1I] = {"l1i", "first-level instruction cache misses", 'i', 74, false, "#56b4e9"},
	[STACK_L2I] = {"l2i", "second-level instruction misses", 'I', 25, true, "#0072b2"},
	[STACK_L3I] = {"l3i", "third-level instruction misses", 'J', 18, true, "#1b2f8a"},
	[STACK_ITLB] = {"itlb", "instruction TLB misses", 't', 80, false, "#44c7c7"},
	[STACK_BRANCH] = {"branch", "mispredicted branches", 'B', 178, false, "#e69f00"},
	[STACK_L1D] = {"l1d", "first-level data cache misses", 'd', 216, false, "#f4a582"},
	[STACK_L2D] = {"l2d", "second-level data misses", 'D', 166, true, "#d55e00"},
	[STACK_L3D] = {"l3d", "third-level data misses", 'E', 88, true, "#8b1a1a"},
	[STACK_DTLB] = {"dtlb", "data TLB misses", 'T', 175, false, "#cc79a7"},
	[STACK_RESOURCE] = {"resource", "long operations and full store buffers", 'R', 36, true,
			    "#009e73"},
};

const struct stack_cause_row stack_causes[STACK_CAUSE_COUNT] = {
#define CAUSE(id, text, component, about) {text, about, STACK_##component},
#include "count/causes.def"
#undef CAUSE
};

/* The two lists of components are one. */
_Static_assert((int)STACK_COMPONENT_COUNT == (int)COMPONENT_COUNT, "components");
_Static_assert((int)STACK_RESOURCE == (int)COMPONENT_RESOURCE, "components");
_Static_assert((int)STACK_CAUSE_COUNT == (int)CAUSE_COUNT, "causes");

int stack_component_named(const char *name)
{
	for (int i = 0; i < STACK_COMPONENT_COUNT; i++)
		if (strcmp(stack_components[i].name, name) == 0)
			return i;
	return -1;
}

int stack_cause_named(const char *name)
{
	for (int i = 0; i < STACK_CAUSE_COUNT; i++)
		if (strcmp(stack_causes[i].name, name) == 0)
			return i;
	return -1;
}

enum stack_component stack_component_of(enum stack_cause cause, unsigned levels)
{
	if (stack_causes[cause].component == STACK_LAST_D)
		return levels >= 3 ? STACK_L3D : levels == 2 ? STACK_L2D : STACK_L1D;
	return stack_causes[cause].component;
}

void stack_roll_up(struct stack_parts *stack, const int64_t causes[STACK_CAUSE_COUNT],
		   unsigned levels)
{
	*stack = (struct stack_parts){0};
	for (int i = 0; i < STACK_CAUSE_COUNT; i++)
		stack->parts[stack_component_of((enum stack_cause)i, levels)] += causes[i];
}

int64_t stack_parts_sum(const struct stack_parts *stack)
{
	int64_t sum = 0;

	for (int i = 0; i < STACK_COMPONENT_COUNT; i++)
		sum += stack->parts[i];
	return sum;
}

void stack_segments(const struct stack_parts *stack, double whole, unsigned columns,
		    unsigned segments[STACK_COMPONENT_COUNT])
{
	double rest[STACK_COMPONENT_COUNT] = {0}, sum = 0;
	unsigned used = 0, wanted;

	memset(segments, 0, STACK_COMPONENT_COUNT * sizeof(segments[0]));
	for (int i = 0; i < STACK_COMPONENT_COUNT; i++)
		sum += stack->parts[i] > 0 ? (double)stack->parts[i] : 0;
	if (sum <= 0)
		return;
	if (whole < sum)
		whole = sum;
	wanted = (unsigned)(sum / whole * columns + 0.5);
	for (int i = 0; i < STACK_COMPONENT_COUNT; i++) {
		double share = stack->parts[i] > 0 ? (double)stack->parts[i] / sum * wanted : 0;

		segments[i] = (unsigned)share;
		rest[i] = share - segments[i];
		used += segments[i];
	}
	for (; used < wanted; used++) {
		int most = 0;

		for (int i = 1; i < STACK_COMPONENT_COUNT; i++)
			if (rest[i] > rest[most])
				most = i;
		segments[most]++;
		rest[most] = -1;
	}
}

unsigned stack_put_bar(FILE *out, const struct terminal *terminal, const struct stack_parts *stack,
		       double whole, unsigned columns)
{
	unsigned segments[STACK_COMPONENT_COUNT], used = 0;

	stack_segments(stack, whole, columns, segments);
	for (int i = 0; i < STACK_COMPONENT_COUNT; i++) {
		const struct stack_component_row *row = &stack_components[i];

		if (!segments[i])
			continue;
		if (terminal->colour)
			fprintf(out, "\033[48;5;%u;38;5;%um", row->colour, row->is_dark ? 231 : 16);
		for (unsigned k = 0; k < segments[i]; k++)
			fputc(row->letter, out);
		if (terminal->colour)
			fputs("\033[0m", out);
		used += segments[i];
	}
	return used;
}
