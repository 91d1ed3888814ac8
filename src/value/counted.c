#include "value/counted.h"

#include <string.h>

const struct counted_row counted_rows[] = {
#define COUNTED(name, signal, unit, meaning) {name, signal, unit, meaning},
#include "value/counted.def"
#undef COUNTED
	{NULL, NULL, NULL, NULL},
};

const struct counted_row *counted_named(const char *name)
{
	const struct counted_row *row = counted_rows;

	while (row->name && strcmp(row->name, name) != 0)
		row++;
	return row->name ? row : NULL;
}
