#include "pred/indirect_kind.h"

#include <string.h>

#include "base/array.h"

#define KIND(id, word) {#word, &indirect_##word},
static const struct {
	const char *word;
	const struct indirect_kind *kind;
} kinds[] = {CONFIG_WORDS_indirect(KIND)};
#undef KIND

const struct indirect_kind *indirect_kind_find(const char *name, struct err *err)
{
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		if (!strcmp(kinds[i].word, name))
			return kinds[i].kind;
	}
	err_set(err, "indirect.kind: '%s' is neither %s nor %s", name, kinds[0].word,
		kinds[1].word);
	return NULL;
}
