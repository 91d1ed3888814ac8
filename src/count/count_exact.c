#include <stdlib.h>

#include "base/array.h"
#include "core/shape.h"
#include "count/exact.h"
#include "count/slot_rule.h"
#include "count/slots.h"

struct exact {
	struct config config;
	struct slots *slots;
	/* As of the cycle anchored.cycles; 0: none yet. */
	struct ledger anchored;
};

static void *create(const struct config *config, uint32_t in_flight)
{
	struct exact *exact = mem_alloc(sizeof(*exact));

	exact->config = *config;
	exact->slots = count_slots.create(config, in_flight);
	return exact;
}

static void destroy(void *counter)
{
	struct exact *exact = counter;

	count_slots.destroy(exact->slots);
	ledger_release(&exact->anchored);
	free(exact);
}

static void cycle(void *counter, const struct cycle *c)
{
	count_slots.cycle(((struct exact *)counter)->slots, c);
}

static void cycles(void *counter, const struct cycle *cycles, size_t count)
{
	count_slots.cycles(((struct exact *)counter)->slots, cycles, count);
}

void exact_set_interval(struct exact *exact, uint64_t instructions)
{
	slots_set_interval(exact->slots, instructions);
}

uint64_t exact_slots_per_cycle(const struct exact *exact)
{
	return slots_per_cycle(exact->slots);
}

const uint64_t *exact_charged(struct exact *exact)
{
	return slots_ledger(exact->slots)->slots;
}

const struct ledger_row *exact_charged_rows(struct exact *exact, size_t *count)
{
	return ledger_rows(slots_ledger(exact->slots), count);
}

void exact_anchor(struct exact *exact, const struct anchor_group *groups, size_t count)
{
	struct ledger *charged = slots_ledger(exact->slots);

	ledger_release(&exact->anchored);
	anchor_ledger(charged, groups, count, &exact->anchored);
}

struct ledger *exact_ledger(struct exact *exact)
{
	struct ledger *charged = slots_ledger(exact->slots);

	return charged->cycles && exact->anchored.cycles == charged->cycles ? &exact->anchored
									    : charged;
}

static void read(const void *counter, uint64_t cycles, struct stack *stack)
{
	const struct exact *exact = counter;

	if (cycles && exact->anchored.cycles == cycles)
		ledger_stack(exact->anchored.slots, &exact->config, shape_width(&exact->config),
			     stack);
	else
		count_slots.read(exact->slots, cycles, stack);
}

const struct observer_kind count_exact = {
	.name = "exact",
	.summary = "what would go away without each cause, as measured without it",
	.charges_base = true,
	.is_usual = true,
	.events = SLOT_RULE_EVENTS,
	.create = create,
	.cycle = cycle,
	.cycles = cycles,
	.read = read,
	.destroy = destroy,
};
