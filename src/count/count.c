#include "count/count.h"

#include <string.h>

#include "base/array.h"

const struct count_kind *const count_kinds[] = {
	&count_exact,
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
	NULL,
};

const struct count_kind *const count_main_kinds[] = {
	&count_exact,	      &count_naive, &count_naive_nonspec, &count_power5, &count_fmt,
	&count_fmt_published, &count_sfmt,  &count_afmt,	  NULL,
};

size_t count_kind_count(void)
{
	return ARRAY_COUNT(count_kinds) - 1;
}

const struct count_kind *count_kind_named(const char *name)
{
	for (size_t i = 0; count_kinds[i]; i++)
		if (strcmp(count_kinds[i]->name, name) == 0)
			return count_kinds[i];
	return NULL;
}

uint32_t count_branch_rows(const struct config *config)
{
	uint32_t stages = config->frontend_depth + config->l1i_latency - 1;
	uint32_t fits = config->rob_size + stages * config->decode_width + config->fetch_buffer +
			config->fetch_width;

	/* One more: that of the branch to come. */
	return (config->max_branches < fits ? config->max_branches : fits) + 1;
}

/* One for every component but the base, and one for all cycles. */
uint64_t count_global_bits(const struct config *config)
{
	uint64_t counters = 0;

	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		counters += component_exists(config->cache_levels, i);
	return counters * COUNT_GLOBAL_BITS;
}
