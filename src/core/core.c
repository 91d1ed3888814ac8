#include "core/core.h"

#include <inttypes.h>

/* By enum core_kind of the configuration; NULL: the configuration knows the kind, but it is not
 * implemented. */
static const struct core_kind *const kinds[] = {
	[CORE_OOO] = &core_ooo,
	[CORE_INORDER] = NULL,
};

const struct core_kind *core_kind_of(const struct config *config, struct err *err)
{
	const struct core_kind *kind = kinds[config->core_kind];

	if (!kind) {
		err_set(err, "core.kind = inorder is not built yet; use a configuration with "
			     "core.kind = ooo, such as eyerman2006");
		return NULL;
	}
	return kind->fits(config, err) ? kind : NULL;
}

bool core_identity(const char *identity, uint64_t left, uint64_t right, struct err *err)
{
	return left == right ? true
			     : err_set(err,
				       "internal error: %s does not hold: %" PRIu64
				       " is not %" PRIu64 "; please report this",
				       identity, left, right);
}
