#include "cmd/gain_options.h"

#include <math.h>
#include <string.h>

bool gain_options_from_args(struct gain_options *options, bool *is_none, const struct args *args,
			    struct err *err)
{
	const char *budget = args_get(args, OPTION_GAIN_BUDGET);
	uint64_t within = 0, part = 0;

	*is_none = budget && strcmp(budget, "none") == 0;
	options->budget = GAIN_BUDGET;
	if (!args_get_percent(args, OPTION_WITHIN, &within, err))
		return false;
	options->within = (double)within / 1e8;
	if (!budget || *is_none)
		return true;
	if (strcmp(budget, "all") == 0) {
		options->budget = INFINITY;
		return true;
	}
	if (!args_get_percent(args, OPTION_GAIN_BUDGET, &part, err))
		return false;
	options->budget = (double)part / 1e8;
	return true;
}
