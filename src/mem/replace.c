#include "mem/replace.h"

#include <string.h>

#include "base/array.h"

static const struct replace_kind *const kinds[] = {&replace_lru, &replace_lrr, &replace_random,
						   &replace_plru, &replace_srrip};

const struct replace_kind *replace_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (!strcmp(kinds[i]->name, name))
			return kinds[i];
	return NULL;
}
