#include "model/isolated.h"

void isolated_serve_long_misses(struct config *config)
{
	if (config->cache_levels == 1)
		config->ideal_l1d = true;
	else if (config->cache_levels == 2)
		config->ideal_l2d = true;
	else
		config->memory_latency = 1;
}

void isolated_set(struct config *config, enum isolated kind)
{
	if (kind == ISOLATED_WHOLE)
		return;
	if (kind != ISOLATED_BRANCH)
		config->ideal_branch = true;
	if (kind != ISOLATED_ICACHE)
		config->ideal_l1i = config->ideal_itlb = true;
	if (kind != ISOLATED_DMISS)
		isolated_serve_long_misses(config);
}
