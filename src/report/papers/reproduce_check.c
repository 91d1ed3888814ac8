#include "report/papers/reproduce_check.h"

#include <string.h>

#include "base/array.h"
#include "report/page/check.h"

static bool is_string(const json_t *value)
{
	return json_is_string(value);
}

static bool is_number(const json_t *value)
{
	return json_is_number(value);
}

static bool is_list(const json_t *value)
{
	return json_is_array(value);
}

static bool is_object(const json_t *value)
{
	return json_is_object(value);
}

static bool is_verdict(const json_t *value)
{
	return json_is_boolean(value) || json_is_null(value);
}

struct wanted {
	const char *name;
	bool (*is)(const json_t *value); /* NULL ends the list */
	const char *what;
};

static bool has(const json_t *object, const struct wanted *wanted, const char *place,
		struct err *err)
{
	for (; wanted->is; wanted++)
		if (!wanted->is(json_object_get(object, wanted->name)))
			return err_set(err, "%s: \"%s\" is not %s", place, wanted->name,
				       wanted->what);
	return true;
}

static bool each_has(const json_t *list, const struct wanted *wanted, const char *place,
		     struct err *err)
{
	size_t i;
	json_t *item;

	json_array_foreach(list, i, item)
	{
		if (!has(item, wanted, place, err))
			return err_prefix(err, "entry %zu", i + 1);
	}
	return true;
}

/* Curves of one plot are as long as each other, and there is something to draw. */
static bool check_plot(const json_t *plot, struct err *err)
{
	static const char *const series[] = {"useful_issued", "dispatched", "useful_dispatched",
					     "committed", "rob_used"};
	static const char *const parts[] = {"example", "mean"};
	static const struct wanted events[] = {
		{"cycle", is_number, "a number"}, {"what", is_string, "a string"}, {0}};
	const json_t *example = json_object_get(plot, "example");
	size_t length = json_array_size(json_object_get(example, series[0]));

	for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
		for (size_t k = 0; k < ARRAY_COUNT(series); k++) {
			const json_t *values =
				json_object_get(json_object_get(plot, parts[i]), series[k]);

			if (!length || json_array_size(values) != length)
				return err_set(err,
					       "\"%s\": \"%s\" is not an array as long as the "
					       "others",
					       parts[i], series[k]);
		}
	return each_has(json_object_get(example, "events"), events, "\"events\"", err);
}

bool page_check_reproduce(const json_t *result, struct err *err)
{
	static const struct wanted members[] = {
		{"paper", is_object, "an object"},    {"size", is_string, "a string"},
		{"example", is_string, "a string"},   {"programs", is_list, "an array"},
		{"figures", is_list, "an array"},     {"machine", is_list, "an array"},
		{"plots", is_list, "an array"},	      {"claims", is_list, "an array"},
		{"clearing", is_object, "an object"}, {0}};
	static const struct wanted paper[] = {{"title", is_string, "a string"},
					      {"venue", is_string, "a string"},
					      {"authors", is_list, "an array"},
					      {0}};
	static const struct wanted programs[] = {{"name", is_string, "a string"},
						 {"paper", is_string, "a string"},
						 {"ours", is_string, "a string"},
						 {"overlap", is_number, "a number"},
						 {0}};
	static const struct wanted figures[] = {
		{"id", is_string, "a string"},	  {"label", is_string, "a string"},
		{"title", is_string, "a string"}, {"shows", is_string, "a string"},
		{"paper", is_list, "an array"},	  {0}};
	static const struct wanted machine[] = {{"what", is_string, "a string"},
						{"key", is_string, "a string"},
						{"paper", is_string, "a string"},
						{"ours", is_string, "a string"},
						{0}};
	static const struct wanted plots[] = {
		{"figure", is_number, "a number"},  {"kind", is_string, "a string"},
		{"program", is_string, "a string"}, {"found", is_number, "a number"},
		{"before", is_number, "a number"},  {0}};
	static const struct wanted claims[] = {{"claim", is_string, "a string"},
					       {"section", is_string, "a string"},
					       {"test", is_string, "a string"},
					       {"ours", is_string, "a string"},
					       {"holds", is_verdict, "true, false or null"},
					       {0}};
	static const struct wanted clearing[] = {{"programs", is_list, "an array"},
						 {"total", is_object, "an object"},
						 {"answer", is_string, "a string"},
						 {0}};
	const char *schema = json_string_value(json_object_get(result, "schema"));
	size_t i;
	json_t *plot;

	if (!schema || strcmp(schema, "cyclestack-reproduce-1") != 0)
		return err_set(err,
			       "a page is made of a result of schema cyclestack-reproduce-1, and "
			       "this is %s%s",
			       schema ? "of schema " : "not one", schema ? schema : "");
	if (!has(result, members, "the result", err) ||
	    !has(json_object_get(result, "paper"), paper, "\"paper\"", err) ||
	    !each_has(json_object_get(result, "programs"), programs, "\"programs\"", err) ||
	    !each_has(json_object_get(result, "figures"), figures, "\"figures\"", err) ||
	    !each_has(json_object_get(result, "machine"), machine, "\"machine\"", err) ||
	    !each_has(json_object_get(result, "plots"), plots, "\"plots\"", err) ||
	    !each_has(json_object_get(result, "claims"), claims, "\"claims\"", err) ||
	    !has(json_object_get(result, "clearing"), clearing, "\"clearing\"", err))
		return false;
	json_array_foreach(json_object_get(result, "plots"), i, plot)
	{
		if (!check_plot(plot, err))
			return err_prefix(err, "plot %zu", i + 1);
	}
	return page_check_judge(json_object_get(result, "judge"), err);
}
