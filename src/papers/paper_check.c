#include "base/array.h"
#include "papers/paper.h"
#include "value/layout.h"

/* The curves of one plot must have the same length and at least one value. */
static bool check_plot(const json_t *plot, struct err *err)
{
	static const char *const series[] = {"useful_issued", "dispatched", "useful_dispatched",
					     "committed", "rob_used"};
	static const char *const parts[] = {"example", "mean"};
	size_t length =
		json_array_size(json_object_get(json_object_get(plot, parts[0]), series[0]));

	for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
		for (size_t k = 0; k < ARRAY_COUNT(series); k++)
			if (!length ||
			    json_array_size(json_object_get(json_object_get(plot, parts[i]),
							    series[k])) != length)
				return err_set(err, "%s.%s is not as long as the other lists",
					       parts[i], series[k]);
	return true;
}

/* Checks the number that a paper states for each program, which the layout does not describe. */
static bool check_stated(const struct paper *paper, const json_t *result, struct err *err)
{
	json_t *program;
	size_t i;

	json_array_foreach(json_object_get(result, "programs"), i, program)
	{
		if (paper->stated_as && !json_object_get(program, paper->stated_as))
			return err_set(err, "programs[%zu].%s is missing", i, paper->stated_as);
	}
	return true;
}

bool paper_check_result(const struct paper *paper, const json_t *result, struct err *err)
{
	json_t *plot;
	size_t i;

	if (!layout_check(result, &layout_reproduce, err) || !check_stated(paper, result, err))
		return false;
	for (i = 0; paper->needs[i]; i++)
		if (!json_object_get(result, paper->needs[i]))
			return err_set(err, "%s is missing", paper->needs[i]);
	json_array_foreach(json_object_get(result, "plots"), i, plot)
	{
		if (!check_plot(plot, err))
			return err_prefix(err, "plots[%zu]", i);
	}
	return true;
}
