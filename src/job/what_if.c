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

/* Why a parameter cannot change while a machine runs, by the beginning and the end of its key. */
static const struct {
	const char *begins, *ends, *why;
} reasons[] = {
	{"l", ".prefetch", "its caches hold what the prefetchers of its own machine brought"},
	{"l1", "", "its caches hold what those of its own machine do"},
	{"l2", "", "its caches hold what those of its own machine do"},
	{"l3", "", "its caches hold what those of its own machine do"},
	{"cache.", "", "its caches hold what those of its own machine do"},
	{"itlb.", "", "its TLBs hold the pages that those of its own machine do"},
	{"dtlb.", "", "its TLBs hold the pages that those of its own machine do"},
	{"tlb", "", "its TLBs hold the pages that those of its own machine do"},
	{"page.", "", "its TLBs hold the pages that those of its own machine do"},
	{"walk.", "", "its TLBs hold the pages that those of its own machine do"},
	{"predictor.", "", "its predictors have learnt what those of its own machine do"},
	{"btb.", "", "its predictors have learnt what those of its own machine do"},
	{"return_stack.", "", "its predictors have learnt what those of its own machine do"},
	{"indirect.", "", "its predictors have learnt what those of its own machine do"},
	{"store_sets.", "", "its store sets have learnt what those of its own machine do"},
	{"wrong_path.", "",
	 "its caches and predictors have met the wrong paths of its own machine"},
	{"dram.", "", "its memory has the rows open that its own machine opened"},
	{"memory.", "", "its memory has the rows open that its own machine opened"},
	{"pmu.", "", "it decides what the program itself reads, and so what it does"},
	{"", "", "it decides which parts there are, and the run has those of its own machine"},
};

static bool matches(const char *key, const char *begins, const char *ends)
{
	const size_t length = strlen(key), end = strlen(ends);

	return strncmp(key, begins, strlen(begins)) == 0 && length >= end &&
	       strcmp(key + length - end, ends) == 0;
}

static const char *reason_of(const char *key)
{
	size_t i = 0;

	while (!matches(key, reasons[i].begins, reasons[i].ends))
		i++;
	return reasons[i].why;
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
			       "store sets; run again with --set %s",
			       config_rows[id].key, change);
	return live_can_change(id) ||
	       err_set(err, "%s cannot be answered from this run: %s; run again with --set %s",
		       config_rows[id].key, reason_of(config_rows[id].key), change);
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
