#include "job/what_if.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "core/core.h"
#include "machine/live.h"

static enum config_id id_of(const char *assignment)
{
	char key[64];

	snprintf(key, sizeof(key), "%.*s", (int)strcspn(assignment, "="), assignment);
	return config_find(key);
}

static bool apply(struct config *machine, const struct config *run, const char *change,
		  struct err *err)
{
	if (!config_set(machine, change, err))
		return false;
	const enum config_id id = id_of(change);

	if (id == CONFIG_disambiguation && machine->disambiguation == DISAMBIGUATION_PREDICT &&
	    run->disambiguation != DISAMBIGUATION_PREDICT)
		return err_set(err,
			       "%s=predict cannot be answered from this run, which has learnt no "
			       "store sets; --set simulates the change",
			       config_rows[id].key);
	return live_can_change(id) ||
	       err_set(err,
		       "%s cannot be answered from this run: it decides what caches, TLBs and "
		       "predictors hold or which parts there are, and the run has those of its own "
		       "machine; widths, sizes of windows and queues, units, latencies, MSHRs and "
		       "ideal.* can be; --set simulates the change",
		       config_rows[id].key);
}

bool what_if_read(struct config *machine, const struct config *run, const char *changes,
		  struct err *err)
{
	char *copy = mem_strdup(changes), *rest = copy;
	bool ok = true;

	*machine = *run;
	for (const char *change; ok && (change = strsep(&rest, ","));)
		ok = apply(machine, run, change, err);
	strcpy(copy, changes);
	rest = copy;
	for (const char *change; ok && (change = strsep(&rest, ","));)
		ok = config_set_matters(machine, change, err);
	free(copy);
	return ok && config_settle(machine, err) && core_kind_of(machine, err);
}
