#include "pred/indirect_kind.h"

#include <string.h>

#include "base/array.h"

static const struct indirect_kind *const kinds[] = {&indirect_btb, &indirect_history};

const struct indirect_kind *indirect_kind_find(const char *name, struct err *err)
{
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		if (!strcmp(kinds[i]->name, name))
			return kinds[i];
	}
	err_set(err, "indirect.kind: '%s' is neither %s nor %s", name, indirect_btb.name,
		indirect_history.name);
	return NULL;
}
