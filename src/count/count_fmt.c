/*
 * fmt: the frontend miss event table (Eyerman et al. 2006, section 4.1.1), by two rules.
 *
 * published: exactly as the paper says. Every branch counts its cycles in the window except full
 * cycles; when a mispredicted one commits it adds them, and the global counter continues until an
 * instruction enters the window. Branches that wait together for one long miss count the same
 * cycles twice, so the base can be negative.
 *
 * exclusive: I-side counters do not count in full cycles, and a mispredicted branch counts from
 * its dispatch to the first dispatch after its resolution, without full cycles and without I-side
 * stalls after the resolution. No cycle is then counted twice.
 *
 * In both, a full cycle is charged to what the oldest instruction waits for. A full window is one
 * without a free entry in reorder buffer, issue queue or load/store queue; fmt-rob follows the
 * paper's text and uses the reorder buffer alone.
 */
#include <stdlib.h>

#include "base/array.h"
#include "count/branch_table.h"

struct fmt {
	bool is_published, only_rob;
	struct branch_table table;
	uint64_t global[COMPONENT_COUNT];
	uint64_t running; /* cycles that are not full */
	/* exclusive: the row of the branch resolved last, until an instruction dispatches; NULL
	 * once the branch has committed, after which the global counter counts. */
	struct branch_row *refilling;
	bool is_refilling;
	bool runs_on; /* published: the global branch counter counts */
};

static void *create(const struct config *config, uint32_t slots, bool is_published, bool only_rob)
{
	struct fmt *fmt = mem_alloc(sizeof(*fmt));

	(void)config;
	fmt->is_published = is_published;
	fmt->only_rob = only_rob;
	branch_table_init(&fmt->table, slots);
	return fmt;
}

static void *create_exclusive(const struct config *config, uint32_t slots)
{
	return create(config, slots, false, false);
}

static void *create_published(const struct config *config, uint32_t slots)
{
	return create(config, slots, true, false);
}

static void *create_rob(const struct config *config, uint32_t slots)
{
	return create(config, slots, false, true);
}

static void destroy(void *counter)
{
	struct fmt *fmt = counter;

	branch_table_release(&fmt->table);
	free(fmt);
}

static void resolve(struct fmt *fmt, uint32_t slot)
{
	struct branch_row *row = branch_table_resolve(&fmt->table, slot);

	row->penalty = fmt->running - row->since;
	fmt->refilling = row;
	fmt->is_refilling = true;
}

static void commit(struct fmt *fmt, bool is_mispredicted)
{
	struct branch_row *row = branch_table_commit(&fmt->table);

	for (unsigned i = 0; i < I_COUNTERS; i++)
		fmt->global[COMPONENT_L1I + i] += row->stalls[i];
	if (!is_mispredicted)
		return;
	uint64_t cycles = fmt->is_published ? fmt->running - row->since : row->penalty;
	fmt->global[COMPONENT_BRANCH] += count_saturated(cycles);
	fmt->runs_on = true;
	if (fmt->refilling == row)
		fmt->refilling = NULL;
}

static void take_events(struct fmt *fmt, const struct cycle *c)
{
	for (uint32_t i = 0; i < c->event_count; i++) {
		const struct cycle_event *e = &c->events[i];

		switch ((enum cycle_event_kind)e->kind) {
		case EVENT_BRANCH_FETCH: branch_table_fetch(&fmt->table); break;
		case EVENT_BRANCH_DISPATCH:
			branch_table_dispatch(&fmt->table, e->slot, fmt->running);
			break;
		case EVENT_MISPREDICT: resolve(fmt, e->slot); break;
		case EVENT_REPLAY:
			branch_table_replay(&fmt->table, e->amount);
			fmt->is_refilling = false;
			fmt->refilling = NULL;
			break;
		case EVENT_COMMIT:
			if (e->detail & COMMIT_BRANCH)
				commit(fmt, e->detail & COMMIT_MISPREDICTED);
			break;
		default: break;
		}
	}
}

static void count_refill(struct fmt *fmt, const struct cycle *c, bool is_full, enum component stall)
{
	if (c->dispatched) {
		fmt->is_refilling = false;
		fmt->refilling = NULL;
	} else if (fmt->is_refilling && !is_full && stall == COMPONENT_BASE) {
		if (fmt->refilling)
			fmt->refilling->penalty += c->repeat;
		else
			fmt->global[COMPONENT_BRANCH] += c->repeat;
	}
}

static void cycle(void *counter, const struct cycle *c)
{
	struct fmt *fmt = counter;
	bool is_full = count_is_full(c, fmt->only_rob);
	enum component stall = count_fetch_stall(c);

	if (c->event_kinds)
		take_events(fmt, c);
	if (is_full) {
		enum component head = count_head_miss(c);

		fmt->global[head == COMPONENT_BASE ? COMPONENT_RESOURCE : head] += c->repeat;
	} else {
		fmt->running += c->repeat;
	}
	if (stall != COMPONENT_BASE && (fmt->is_published || !is_full)) {
		uint32_t *stalls = &branch_table_next(&fmt->table)->stalls[stall - COMPONENT_L1I];

		*stalls = (uint32_t)count_saturated(*stalls + c->repeat);
	}
	if (!fmt->is_published) {
		count_refill(fmt, c, is_full, stall);
	} else if (c->dispatched) {
		fmt->runs_on = false;
	} else if (fmt->runs_on) {
		fmt->global[COMPONENT_BRANCH] += c->repeat;
	}
}

static void read(const void *counter, uint64_t cycles, struct stack *stack)
{
	const struct fmt *fmt = counter;

	for (unsigned i = 0; i < COMPONENT_COUNT; i++)
		stack->cycles[i] = (int64_t)fmt->global[i];
	/* Rows of branches in flight. */
	for (uint64_t n = fmt->table.head; n <= fmt->table.fetch; n++)
		for (unsigned i = 0; i < I_COUNTERS; i++)
			stack->cycles[COMPONENT_L1I + i] +=
				branch_table_row(&fmt->table, n)->stalls[i];
	stack->cycles[COMPONENT_BASE] = 0;
	stack->cycles[COMPONENT_BASE] = (int64_t)cycles - stack_sum(stack);
}

/* A row has the I-side counters, the branch penalty, a bit for a misprediction, and the index in
 * the reorder buffer by which a resolving branch finds it. */
static uint64_t bits(const struct config *config)
{
	uint64_t row = (config->cache_levels + 1) * COUNT_LOCAL_BITS + COUNT_LOCAL_BITS + 1;
	unsigned place = 1;

	while (1u << place < config->rob_size)
		place++;
	return count_global_bits(config) + count_branch_rows(config) * (row + place);
}

const struct observer_kind count_fmt = {
	.name = "fmt",
	.summary = "frontend miss event table, every cycle charged once",
	.needs_ooo = true,
	.is_hardware = true,
	.is_usual = true,
	.events = EVENTS_USUAL,
	.create = create_exclusive,
	.cycle = cycle,
	.read = read,
	.bits = bits,
	.destroy = destroy,
};

const struct observer_kind count_fmt_published = {
	.name = "fmt-published",
	.summary = "frontend miss event table, to the letter of the paper",
	.needs_ooo = true,
	.is_hardware = true,
	.is_usual = true,
	.events = EVENTS_USUAL,
	.create = create_published,
	.cycle = cycle,
	.read = read,
	.bits = bits,
	.destroy = destroy,
};

const struct observer_kind count_fmt_rob = {
	.name = "fmt-rob",
	.summary = "fmt, full meaning the reorder buffer alone",
	.needs_ooo = true,
	.is_hardware = true,
	.events = EVENTS_USUAL,
	.create = create_rob,
	.cycle = cycle,
	.read = read,
	.bits = bits,
	.destroy = destroy,
};
