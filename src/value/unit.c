#include "value/unit.h"

#include <string.h>

const struct unit_row unit_rows[] = {
#define UNIT(name, meaning) {name, meaning},
#include "value/units.def"
#undef UNIT
	{0},
};

const struct unit_row *unit_find(const char *name)
{
	for (const struct unit_row *row = unit_rows; row->name; row++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}
