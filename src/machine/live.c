#include "machine/live.h"

#define LIVE(field) [CONFIG_##field] = true,
static const bool is_live[CONFIG_COUNT] = {
#include "machine/live.def"
};
#undef LIVE

bool live_can_change(enum config_id id)
{
	return is_live[id];
}

bool live_check(const struct config *from, const struct config *to, struct err *err)
{
	for (enum config_id id = 0; id < CONFIG_COUNT; id++) {
		/* If only one of them has the parameter, another one differs that decides that. */
		const bool applies = config_applies(from, id) && config_applies(to, id);

		if (applies && !is_live[id] && !config_is_same(from, to, id))
			return err_set(err,
				       "%s cannot change while the machine runs: it decides what "
				       "the machine consists of or remembers; simulate both "
				       "machines instead",
				       config_rows[id].key);
	}
	return true;
}
