#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "core/frontend.h"
#include "count/slot_rule.h"
#include "count/slots.h"

struct slots {
	struct config config;
	struct slot_rule rule;
	struct ledger ledger;
	/* The last right-path instructions dispatched, by number modulo ring_size, which is at
	 * least what the window holds: those that have not committed are among them. */
	uint64_t *ring;
	uint64_t ring_size, dispatched;
	uint64_t uncommitted; /* of these, no longer counted as executed, since the last request */
	/* What was undecided at the last request has been charged until the next record. */
	struct slot_charge *provisional;
	size_t provisional_count, provisional_capacity;
};

static void *create(const struct config *config, uint32_t in_flight)
{
	struct slots *slots = mem_alloc(sizeof(*slots));

	(void)in_flight;
	slots->config = *config;
	slot_rule_init(&slots->rule, config);
	ledger_init(&slots->ledger);
	for (slots->ring_size = 1; slots->ring_size < config->rob_size + slots->rule.width;)
		slots->ring_size *= 2;
	slots->ring = mem_alloc_array(slots->ring_size, sizeof(*slots->ring));
	return slots;
}

static void destroy(void *counter)
{
	struct slots *slots = counter;

	slot_rule_release(&slots->rule);
	ledger_release(&slots->ledger);
	free(slots->ring);
	free(slots->provisional);
	free(slots);
}

static void take_charges(struct slots *slots)
{
	struct slot_rule *rule = &slots->rule;

	for (size_t i = 0; i < rule->charge_count; i++)
		ledger_charge(&slots->ledger, rule->charges[i].cause, rule->charges[i].pc,
			      rule->charges[i].slots);
	rule->charge_count = 0;
}

/* Charges what is undecided as the rule would by now; taken back before the next record, so that
 * reading changes nothing. */
static void settle_provisionally(struct slots *slots)
{
	struct slot_rule *rule = &slots->rule;
	uint64_t undecided[CAUSE_COUNT];

	if (!rule->has_undecided || slots->provisional_count)
		return;
	memcpy(undecided, rule->undecided, sizeof(undecided));
	slot_rule_decide(rule, false);
	for (size_t i = 0; i < rule->charge_count; i++)
		*ARRAY_PUSH(slots->provisional, slots->provisional_count,
			    slots->provisional_capacity) = rule->charges[i];
	take_charges(slots);
	memcpy(rule->undecided, undecided, sizeof(undecided));
	rule->has_undecided = true;
}

static void take_back(struct slots *slots)
{
	for (size_t i = 0; i < slots->provisional_count; i++)
		ledger_charge(&slots->ledger, slots->provisional[i].cause, slots->provisional[i].pc,
			      -slots->provisional[i].slots);
	slots->provisional_count = 0;
}

/* Every interval must add up. */
static void settle(struct slots *slots)
{
	slot_rule_decide(&slots->rule, false);
	take_charges(slots);
}

static uint64_t *dispatched_pc(const struct slots *slots, uint64_t number)
{
	return &slots->ring[number & (slots->ring_size - 1)];
}

/* Adds `change` to how often the last `last` dispatched instructions count as executed: 1, or -1 to
 * take it back. */
static void count_last(struct slots *slots, uint64_t last, uint64_t change)
{
	for (uint64_t i = 1; i <= last; i++)
		ledger_row_of(&slots->ledger, *dispatched_pc(slots, slots->dispatched - i))
			->executed += change;
}

static void see(struct slots *slots, const struct cycle *c)
{
	struct ledger *ledger = &slots->ledger;

	if (UNLIKELY(ledger_is_other_thread(ledger, c->thread)))
		ledger_set_thread(ledger, c->thread);
	slot_rule_cycle(&slots->rule, c);
	for (unsigned i = 0; i < c->useful_dispatched; i++) {
		ledger_use(ledger, c->useful_pcs[i], c->repeat,
			   i < slots->rule.filled ? c->repeat : 0);
		*dispatched_pc(slots, slots->dispatched++) = c->useful_pcs[i];
	}
	ledger->slots[CAUSE_BASE] += slots->rule.filled * c->repeat;
	take_charges(slots);
	if (ledger_advance(ledger, c->repeat, c->committed)) {
		settle(slots);
		ledger_end_interval(ledger);
	}
}

/* Takes back what reading has charged and counted. */
static void go_on(struct slots *slots)
{
	if (UNLIKELY(slots->provisional_count))
		take_back(slots);
	if (UNLIKELY(slots->uncommitted)) {
		count_last(slots, slots->uncommitted, 1);
		slots->uncommitted = 0;
	}
}

static void cycle(void *counter, const struct cycle *c)
{
	go_on(counter);
	see(counter, c);
}

/* So many instructions are looked up together. */
#define PIECE 1024

/* The rows of instructions; false if one is not known at once, or has none yet. */
static bool find_rows(const struct slots *slots, const uint64_t *pcs, size_t count,
		      uint32_t rows[PIECE])
{
	const struct ledger_page *page = NULL;

	if (count > PIECE)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!page || page->number != pcs[i] >> LEDGER_PAGE_BITS)
			page = ledger_cached_page(&slots->ledger, pcs[i]);
		rows[i] = LIKELY(page) ? page->rows[pcs[i] / 2 % LEDGER_PAGE_INSTRUCTIONS] : 0;
		if (UNLIKELY(!rows[i]))
			return false;
	}
	return true;
}

/* Of as many instructions as the ring has, those that are not in the window any more are only
 * written over. */
static void keep_dispatched(struct slots *slots, const uint64_t *pcs, size_t count)
{
	const size_t first = count > slots->ring_size ? count - slots->ring_size : 0;

	for (size_t i = first; i < count; i++)
		*dispatched_pc(slots, slots->dispatched + i) = pcs[i];
	slots->dispatched += count;
}

/* Records all of whose instructions have rows, so that the order in which rows are made, by which
 * sums are added up later, is that of `see`, though instructions are counted before charges are
 * taken. Charges to one cause and instruction in a row of records are one then. */
static void see_known(struct slots *slots, const struct cycle *cycles, size_t count,
		      const uint32_t *rows, size_t row_count)
{
	const uint64_t *pcs = cycles->useful_pcs;
	struct ledger *ledger = &slots->ledger;

	for (size_t i = 0; i < row_count; i++)
		ledger->used[rows[i]].executed++;
	keep_dispatched(slots, pcs, row_count);
	for (size_t i = 0; i < count; i++) {
		const struct cycle *c = &cycles[i];

		if (UNLIKELY(ledger_is_other_thread(ledger, c->thread))) {
			take_charges(slots);
			ledger_set_thread(ledger, c->thread);
		}
		slot_rule_cycle(&slots->rule, c);
		for (unsigned k = slots->rule.filled; k < c->useful_dispatched; k++)
			ledger->used[rows[c->useful_pcs - pcs + k]].unfilled++;
		ledger->slots[CAUSE_BASE] += slots->rule.filled * c->repeat;
		if (ledger_advance(ledger, c->repeat, c->committed)) {
			settle(slots);
			ledger_end_interval(ledger);
		}
	}
	take_charges(slots);
}

static void cycles(void *counter, const struct cycle *cycles, size_t count)
{
	struct slots *slots = counter;
	size_t useful = 0;
	bool are_single = true;
	uint32_t rows[PIECE];

	go_on(slots);
	for (size_t i = 0; i < count; i++) {
		useful += cycles[i].useful_dispatched;
		are_single &= !cycles[i].useful_dispatched || cycles[i].repeat == 1;
	}
	if (LIKELY(count && are_single && find_rows(slots, cycles->useful_pcs, useful, rows))) {
		see_known(slots, cycles, count, rows, useful);
		return;
	}
	for (size_t i = 0; i < count; i++)
		see(slots, &cycles[i]);
}

static void read(const void *counter, uint64_t cycles, struct stack *stack)
{
	const struct slots *slots = counter;
	uint64_t sums[CAUSE_COUNT];

	(void)cycles;
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		sums[i] = slots->ledger.slots[i] +
			  (slots->provisional_count ? 0 : slots->rule.undecided[i]);
	ledger_stack(sums, &slots->config, slots->rule.width, stack);
}

void slots_set_interval(struct slots *slots, uint64_t instructions)
{
	slots->ledger.interval = instructions;
}

uint64_t slots_per_cycle(const struct slots *slots)
{
	return slots->rule.width;
}

struct ledger *slots_ledger(struct slots *slots)
{
	const struct ledger *ledger = &slots->ledger;
	uint64_t in_flight =
		slots->dispatched > ledger->committed ? slots->dispatched - ledger->committed : 0;

	ledger_fold(&slots->ledger);
	/* Reading ends the interval under way, which must add up. */
	if (ledger->interval)
		settle(slots);
	else
		settle_provisionally(slots);
	if (!slots->uncommitted) {
		slots->uncommitted = in_flight < slots->ring_size ? in_flight : slots->ring_size;
		count_last(slots, slots->uncommitted, UINT64_MAX);
	}
	return &slots->ledger;
}

const struct observer_kind count_slots = {
	.name = "slots",
	.summary = "every lost dispatch slot charged to a cause; uses what hardware cannot see",
	.charges_base = true,
	.events = SLOT_RULE_EVENTS,
	.create = create,
	.cycle = cycle,
	.cycles = cycles,
	.read = read,
	.destroy = destroy,
};
