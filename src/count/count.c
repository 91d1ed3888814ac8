#include "count/count.h"

#include <stdio.h>
#include <string.h>

#include "core/frontend.h"

const struct observer_kind *const observer_kinds[] = {
	&count_exact,
	&count_slots,
	&count_retimed,
	&count_naive,
	&count_naive_nonspec,
	&count_power5,
	&count_fmt,
	&count_fmt_published,
	&count_fmt_rob,
	&count_sfmt,
	&count_sfmt_resolve,
	&count_sfmt_counters,
	&count_sfmt_resolve_counters,
	&count_afmt,
	&count_vclk,
	&count_topdown,
	&count_stages,
	&count_overlap,
	&count_plots,
	&count_pipeline,
	NULL,
};

size_t observer_methods(void)
{
	size_t count = 0;

	while (observer_kinds[count] && observer_kinds[count]->read)
		count++;
	return count;
}

const struct observer_kind *observer_kind_named(const char *name)
{
	for (size_t i = 0; observer_kinds[i]; i++)
		if (strcmp(observer_kinds[i]->name, name) == 0)
			return observer_kinds[i];
	return NULL;
}

bool observer_fits(const struct observer_kind *kind, const struct config *config)
{
	return !kind->needs_ooo || config->core_kind == CORE_OOO;
}

bool observers_fit(const struct observer_kind *const *kinds, const struct config *config,
		   struct err *err)
{
	char fitting[256] = "";

	for (; *kinds && observer_fits(*kinds, config); kinds++)
		;
	if (!*kinds)
		return true;
	for (size_t i = 0; observer_kinds[i]; i++)
		if (observer_fits(observer_kinds[i], config))
			snprintf(fitting + strlen(fitting), sizeof(fitting) - strlen(fitting),
				 "%s%s", *fitting ? ", " : "", observer_kinds[i]->name);
	return err_set(
		err,
		"%s counts what only an out-of-order core has; on a machine with core.kind = "
		"inorder there are %s",
		(*kinds)->name, fitting);
}

uint32_t count_branch_rows(const struct config *config)
{
	uint32_t fits = frontend_in_flight(config);

	/* One row more, for the next branch. */
	return (config->max_branches < fits && !config->ideal_max_branches ? config->max_branches
									   : fits) +
	       1;
}

/* A counter for every component but the base, and one for all cycles. No hardware method of the
 * papers tells page walks' misses and a busy memory from the misses that they make longer. */
uint64_t count_global_bits(const struct config *config)
{
	uint64_t counters = 0;

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		counters += component_exists(config->cache_levels, i) && i != COMPONENT_WALK &&
			    i != COMPONENT_BANDWIDTH;
	return counters * COUNT_GLOBAL_BITS;
}
