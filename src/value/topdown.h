/*
 * topdown.h - the categories of top-down analysis: names, which belongs to which, meanings.
 */
#ifndef VALUE_TOPDOWN_H
#define VALUE_TOPDOWN_H

#include "value/component.h"

enum topdown_group {
#define TOPDOWN_GROUP(id, name, component, meaning) TOPDOWN_GROUP_##id,
#include "value/topdown.def"
#undef TOPDOWN_GROUP
	TOPDOWN_GROUPS
};

enum topdown_slot {
#define TOPDOWN_SLOT(id, name, group, component, meaning) TOPDOWN_##id,
#include "value/topdown.def"
#undef TOPDOWN_SLOT
	TOPDOWN_COUNT
};

struct topdown_row {
	const char *name;
	enum topdown_group group; /* of a group: itself */
	enum component component; /* whose colour it has */
	const char *meaning;
};

extern const struct topdown_row topdown_groups[TOPDOWN_GROUPS], topdown_slots[TOPDOWN_COUNT];

/* The name of the group that a slot of the second level belongs to; "" if it is not known. */
const char *topdown_group_of(const char *slot);

#endif
