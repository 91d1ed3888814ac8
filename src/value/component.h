/*
 * component.h - the components of a CPI stack, and the causes that lost dispatch slots are charged
 * to, each of which rolls up to one component.
 *
 * One table each (components.def, causes.def): names as in every result, meaning, letter and
 * colour. All code that counts, writes, reads or shows them uses these tables, in this order.
 *
 * Which components a machine has follows from its levels of cache: with N there are l1i .. lNi and
 * l1d .. lNd; the last one is the "long" miss. (Walk and bandwidth are there if the machine's
 * configuration says so; results without them have no such member.) Results are read back without
 * their configuration, so functions here take the number of levels and not a configuration. A cause
 * belongs to exactly one component, so a roll-up keeps the sum; waiting for a miss register belongs
 * to the data misses of the machine's last level.
 *
 * Does not define how slots are charged to causes.
 */
#ifndef VALUE_COMPONENT_H
#define VALUE_COMPONENT_H

#include <stdbool.h>
#include <stdint.h>

enum component {
#define COMPONENT(id, name, levels, letter, colour, is_dark, rgb, meaning, helps) COMPONENT_##id,
#include "value/components.def"
#undef COMPONENT
	COMPONENT_COUNT,
	COMPONENT_LAST_D = COMPONENT_COUNT /* in a row of a cause: data misses of the last level */
};

enum cause {
#define CAUSE(id, name, component, meaning, helps) CAUSE_##id,
#include "value/causes.def"
#undef CAUSE
	CAUSE_COUNT
};

struct component_row {
	const char *name;
	const char *meaning;
	const char *helps; /* sentences: what usually makes it smaller */
	const char *rgb;
	unsigned levels;
	char letter;
	uint8_t colour;
	bool is_dark;
};

struct cause_row {
	const char *name;
	const char *meaning;
	const char *helps;	  /* sentences: what usually makes it smaller */
	enum component component; /* COMPONENT_LAST_D is resolved by cause_component */
};

extern const struct component_row component_rows[COMPONENT_COUNT];
extern const struct cause_row cause_rows[CAUSE_COUNT];

/* The index of a name; -1 if there is none. */
int component_named(const char *name);
int cause_named(const char *name);

/* `levels` is the number of cache levels: 1, 2 or 3. */
bool component_exists(unsigned levels, enum component component);
enum component cause_component(unsigned levels, enum cause cause);
/* l1d, l2d or l3d: the misses that go to memory. */
enum component component_long(unsigned levels);

/* Cycles or slots by component. Only a component that a method computes as a remainder, or
 * counts twice elsewhere, can be negative. */
struct stack {
	int64_t cycles[COMPONENT_COUNT];
};

int64_t stack_sum(const struct stack *stack);
void stack_roll_up(struct stack *stack, const int64_t causes[CAUSE_COUNT], unsigned levels);

/* Splits whole cycles in proportion to shares that add up to `per_cycle` times their number: each
 * share gets its quotient rounded down; the shares with the largest remainders get one cycle more
 * until all are assigned; equal remainders are served in order. */
void apportion(const uint64_t *shares, unsigned count, uint64_t per_cycle, int64_t *cycles);

#endif
