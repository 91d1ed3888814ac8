#include "count/topdown.h"

#include <stdlib.h>

#include "base/array.h"
#include "count/topdown_rule.h"
#include "count/usual.h"

void *topdown_create(const struct config *config, uint32_t slots)
{
	struct topdown *topdown = mem_alloc(sizeof(*topdown));

	(void)slots;
	*topdown = (struct topdown){.width = config->dispatch_width};
	return topdown;
}

void topdown_cycle(void *observer, const struct cycle *c)
{
	topdown_record(observer, c, count_head_miss(c));
}

void topdown_read(const struct topdown *topdown, uint64_t slots[TOPDOWN_COUNT])
{
	uint64_t retiring = topdown->retired + topdown->in_window;

	for (unsigned i = 0; i < TOPDOWN_COUNT; i++)
		slots[i] = topdown->lost[i];
	slots[topdown->owed_to] += topdown->held.owed;
	slots[TOPDOWN_RETIRING] += retiring;
	slots[TOPDOWN_BRANCH_MISPREDICTS] += topdown->dispatched - retiring - topdown->again;
}

static bool check(const void *observer, uint64_t cycles, struct err *err)
{
	const struct topdown *topdown = observer;
	uint64_t slots[TOPDOWN_COUNT], sum = 0;

	topdown_read(topdown, slots);
	for (unsigned i = 0; i < TOPDOWN_COUNT; i++)
		sum += slots[i];
	return observer_adds_up("topdown", sum, cycles * topdown->width, err);
}

static void describe(const struct observer_kind *kind, void *observer, json_t *result)
{
	const struct topdown *topdown = observer;
	uint64_t slots[TOPDOWN_COUNT], sums[TOPDOWN_GROUPS] = {0};
	json_t *level1 = json_object(), *level2 = json_object();

	topdown_read(topdown, slots);
	for (enum topdown_slot i = TOPDOWN_RETIRING; i < TOPDOWN_COUNT; i++) {
		sums[topdown_slots[i].group] += slots[i];
		json_object_set_new(level2, topdown_slots[i].name,
				    json_integer((json_int_t)slots[i]));
	}
	for (enum topdown_group i = TOPDOWN_GROUP_RETIRING; i < TOPDOWN_GROUPS; i++)
		json_object_set_new(level1, topdown_groups[i].name,
				    json_integer((json_int_t)sums[i]));
	json_object_set_new(result, kind->name,
			    json_pack("{s:I, s:o, s:o}", "slots_per_cycle",
				      (json_int_t)topdown->width, "level1", level1, "level2",
				      level2));
}

const struct observer_kind count_topdown = {
	.name = "topdown",
	.summary = "top-down analysis in dispatch slots, levels 1 and 2",
	.needs_ooo = true,
	.is_usual = true,
	.events = EVENTS_USUAL,
	.create = topdown_create,
	.cycle = topdown_cycle,
	.group = &count_usual,
	.check = check,
	.describe = describe,
	.destroy = free,
};
