#include "trace/cycles_check.h"

#include <stdlib.h>

#include "base/array.h"
#include "core/core.h"
#include "core/shape.h"
#include "count/count.h"

struct cycles_check {
	struct config config;
	uint32_t slots, rows;
	uint64_t next; /* number of the next record's first cycle */
	/* Branches in flight, as in count/branch_table.h. */
	uint64_t head, tail, fetch;
	uint64_t *row_of; /* by slot: of a branch that has dispatched, its number */
};

struct cycles_check *cycles_check_create(const struct config *config)
{
	struct cycles_check *check = mem_alloc(sizeof(*check));
	const struct core_kind *core = core_kind_of(config, NULL);

	BUG_ON(!core);
	check->config = *config;
	check->slots = core->in_flight(config);
	check->rows = count_branch_rows(config);
	check->row_of = mem_alloc_array(check->slots, sizeof(*check->row_of));
	return check;
}

void cycles_check_destroy(struct cycles_check *check)
{
	if (check)
		free(check->row_of);
	free(check);
}

/* What is wrong with an event, or NULL. */
static const char *follow_branch(struct cycles_check *check, const struct cycle_event *e)
{
	const uint64_t row = check->row_of[e->slot];

	switch ((enum cycle_event_kind)e->kind) {
	case EVENT_BRANCH_FETCH:
		if (check->fetch - check->head + 1 >= check->rows)
			return "more branches are in flight than the machine allows";
		check->fetch++;
		return NULL;
	case EVENT_BRANCH_DISPATCH:
		if (check->tail == check->fetch)
			return "a branch dispatches that was not fetched";
		check->row_of[e->slot] = check->tail++;
		return NULL;
	case EVENT_MISPREDICT:
		if (row < check->head || row >= check->tail)
			return "a branch resolves that is not in the window";
		check->tail = check->fetch = row + 1;
		return NULL;
	case EVENT_REPLAY:
		if (e->amount > check->fetch - check->head)
			return "more branches are fetched again than are in flight";
		check->fetch -= e->amount;
		if (check->tail > check->fetch)
			check->tail = check->fetch;
		return NULL;
	case EVENT_COMMIT:
		if (e->detail & COMMIT_BRANCH && check->head++ == check->tail)
			return "a branch commits that did not dispatch";
		return NULL;
	default: return NULL;
	}
}

static const char *check_events(struct cycles_check *check, const struct cycle *c)
{
	/* In the order in which the core's stages have them. */
	static const uint8_t stages[EVENT_KINDS] = {
		[EVENT_MISPREDICT] = 1,	     [EVENT_REPLAY] = 2,       [EVENT_COMMIT] = 3,
		[EVENT_BRANCH_DISPATCH] = 4, [EVENT_BRANCH_FETCH] = 5,
	};
	uint32_t counts[EVENT_KINDS] = {0};
	unsigned stage = 0;
	const char *wrong = NULL;

	for (uint32_t i = 0; i < c->event_count && !wrong; i++) {
		const struct cycle_event *e = &c->events[i];

		counts[e->kind]++;
		if (e->slot >= check->slots)
			return "an event's slot is not one of the machine";
		if (!stages[e->kind])
			continue;
		if (stages[e->kind] < stage)
			return "events are not in the order of the core's stages";
		stage = stages[e->kind];
		wrong = follow_branch(check, e);
	}
	if (counts[EVENT_MISPREDICT] > 1 || counts[EVENT_REPLAY] > 1 ||
	    counts[EVENT_COMMIT] > c->committed || counts[EVENT_BRANCH_DISPATCH] > c->dispatched ||
	    counts[EVENT_BRANCH_FETCH] > c->fetched)
		return "there are more events than the core can have in a cycle";
	return wrong;
}

static const char *check_state(const struct cycles_check *check, const struct cycle *c)
{
	const struct config *config = &check->config;

	if (c->number != check->next)
		return "a record does not follow the one before it";
	if (c->repeat > 1 && (c->event_count || c->committed || c->dispatched || c->fetched))
		return "a record of many cycles has events";
	if (c->committed > shape_commit_width(config) || c->dispatched > shape_width(config) ||
	    c->fetched > config->fetch_width)
		return "a cycle has more instructions than the core is wide";
	if (c->rob_used > shape_window(config))
		return "more instructions are in the window than fit";
	if (c->committed && !c->retired && config->core_kind == CORE_OOO)
		return "instructions retire that are not listed";
	return NULL;
}

/* What timing instructions again relies on (count/retime.h). */
static const char *check_retired(const struct cycle *c)
{
	const struct cycle_waits *waits = c->waits;

	for (unsigned i = 0; c->retired && i < c->committed; i++) {
		const struct cycle_retired *r = &c->retired[i];

		if (r->marks >= 2 * RETIRED_FETCH_BROUGHT_FAR)
			return "an instruction has a mark that there is not";
		if (!r->has_waits && r->marks & (RETIRED_DATA_BROUGHT | RETIRED_FETCH_BROUGHT))
			return "an instruction without waits has a line from a wrong path";
		if (!r->has_waits)
			continue;
		if (waits->fetch_walk > waits->fetch[0] || waits->data_walk > waits->data[0] ||
		    waits->store_walk > waits->store[0])
			return "a page walk takes longer than the TLB miss it is part of";
		waits++;
	}
	return NULL;
}

bool cycles_check_record(struct cycles_check *check, const struct cycle *c, struct err *err)
{
	const char *wrong = check_state(check, c);

	if (!wrong)
		wrong = check_events(check, c);
	if (!wrong)
		wrong = check_retired(c);
	if (wrong)
		return err_set(err, "cycle %llu: %s: these are not cycles of this machine",
			       (unsigned long long)c->number, wrong);
	check->next = c->number + c->repeat;
	return true;
}
