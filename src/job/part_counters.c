#include "job/parts.h"

/* Observers say who they are by their names, which every key has. */
static const struct job_part_kind kind = {.name = "counters", .key = job_part_key_nothing};

const struct job_part *part_counters_init(struct part_counters *counters,
					  const struct observer_kind *const *kinds)
{
	*counters = (struct part_counters){.part = {&kind, kinds}};
	return &counters->part;
}
