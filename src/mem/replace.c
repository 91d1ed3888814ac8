#include "mem/replace.h"

#include <string.h>

#include "base/array.h"

#define KIND(id, word) {#word, &replace_##word},
static const struct {
	const char *word;
	const struct replace_kind *kind;
} kinds[] = {CONFIG_WORDS_replacement(KIND)};
#undef KIND

const struct replace_kind *replace_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (!strcmp(kinds[i].word, name))
			return kinds[i].kind;
	return NULL;
}
