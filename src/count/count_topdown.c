#include "count/topdown.h"

static const struct {
	const char *name;
	enum topdown_group group;
} rows[TOPDOWN_COUNT] = {
	[TOPDOWN_RETIRING] = {"retiring", TOPDOWN_GROUP_RETIRING},
	[TOPDOWN_BRANCH_MISPREDICTS] = {"branch_mispredicts", TOPDOWN_BAD},
	[TOPDOWN_FETCH_LATENCY] = {"fetch_latency", TOPDOWN_FRONTEND},
	[TOPDOWN_FETCH_BANDWIDTH] = {"fetch_bandwidth", TOPDOWN_FRONTEND},
	[TOPDOWN_MEMORY_BOUND] = {"memory_bound", TOPDOWN_BACKEND},
	[TOPDOWN_CORE_BOUND] = {"core_bound", TOPDOWN_BACKEND},
};

static const char *const groups[TOPDOWN_GROUPS] = {
	[TOPDOWN_GROUP_RETIRING] = "retiring",
	[TOPDOWN_BAD] = "bad_speculation",
	[TOPDOWN_FRONTEND] = "frontend_bound",
	[TOPDOWN_BACKEND] = "backend_bound",
};

const char *topdown_name(enum topdown_slot slot)
{
	return rows[slot].name;
}

const char *topdown_group_name(enum topdown_group group)
{
	return groups[group];
}

enum topdown_group topdown_group(enum topdown_slot slot)
{
	return rows[slot].group;
}

void topdown_init(struct topdown *topdown, const struct config *config)
{
	*topdown = (struct topdown){.width = config->dispatch_width};
}

static enum topdown_slot why_lost(const struct topdown *topdown, const struct cycle *c)
{
	bool waits_for_memory = count_head_miss(c) != COMPONENT_BASE ||
				c->head_state == HEAD_STORE || c->head_state == HEAD_MSHR;

	if (topdown->is_flushed)
		return TOPDOWN_BRANCH_MISPREDICTS;
	if (c->dispatch_stall == DISPATCH_EMPTY)
		return c->dispatched ? TOPDOWN_FETCH_BANDWIDTH : TOPDOWN_FETCH_LATENCY;
	return waits_for_memory ? TOPDOWN_MEMORY_BOUND : TOPDOWN_CORE_BOUND;
}

void topdown_cycle(struct topdown *topdown, const struct cycle *c)
{
	if (c->event_kinds & COUNT_EVENT(EVENT_MISPREDICT))
		topdown->is_flushed = true;
	if (c->dispatched)
		topdown->is_flushed = false;
	if (c->dispatched < topdown->width)
		topdown->lost[why_lost(topdown, c)] += (topdown->width - c->dispatched) * c->repeat;
	topdown->dispatched += c->dispatched * c->repeat;
	topdown->retired += c->committed * c->repeat;
	topdown->in_window = c->rob_used;
}

void topdown_read(const struct topdown *topdown, uint64_t slots[TOPDOWN_COUNT])
{
	uint64_t retiring = topdown->retired + topdown->in_window;

	for (unsigned i = 0; i < TOPDOWN_COUNT; i++)
		slots[i] = topdown->lost[i];
	slots[TOPDOWN_RETIRING] += retiring;
	slots[TOPDOWN_BRANCH_MISPREDICTS] += topdown->dispatched - retiring;
}
