#include "value/topdown.h"

#include <string.h>

const struct topdown_row topdown_groups[TOPDOWN_GROUPS] = {
#define TOPDOWN_GROUP(id, name, component, meaning) \
	{name, TOPDOWN_GROUP_##id, COMPONENT_##component, meaning},
#include "value/topdown.def"
#undef TOPDOWN_GROUP
};

const struct topdown_row topdown_slots[TOPDOWN_COUNT] = {
#define TOPDOWN_SLOT(id, name, group, component, meaning) \
	{name, TOPDOWN_GROUP_##group, COMPONENT_##component, meaning},
#include "value/topdown.def"
#undef TOPDOWN_SLOT
};

const char *topdown_group_of(const char *slot)
{
	for (unsigned i = 0; i < TOPDOWN_COUNT; i++)
		if (strcmp(topdown_slots[i].name, slot) == 0)
			return topdown_groups[topdown_slots[i].group].name;
	return "";
}
