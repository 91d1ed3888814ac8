#include "report/papers/paper.h"

#include <string.h>

#include "base/array.h"
#include "report/page/check.h"
#include "value/member.h"

/* A member that is looked at before anything is shown: of the result itself, of one of its
 * members, or of every entry of one that is a list. What only some papers measure may be missing
 * as a whole. */
struct wanted {
	const char *in; /* NULL: the result */
	const char *name;
	enum { TEXT, NUMBER, LIST, OBJECT, VERDICT } type;
};

/* clang-format off */
static const struct wanted wanted[] = {
	{NULL, "paper", OBJECT}, {NULL, "size", TEXT}, {NULL, "example", TEXT},
	{NULL, "programs", LIST}, {NULL, "figures", LIST}, {NULL, "machine", LIST},
	{NULL, "claims", LIST},
	{"paper", "title", TEXT}, {"paper", "venue", TEXT}, {"paper", "authors", LIST},
	{"programs", "name", TEXT}, {"programs", "paper", TEXT}, {"programs", "ours", TEXT},
	{"figures", "id", TEXT}, {"figures", "label", TEXT}, {"figures", "title", TEXT},
	{"figures", "shows", TEXT}, {"figures", "paper", LIST},
	{"machine", "what", TEXT}, {"machine", "key", TEXT}, {"machine", "paper", TEXT},
	{"machine", "ours", TEXT},
	{"claims", "claim", TEXT}, {"claims", "section", TEXT}, {"claims", "test", TEXT},
	{"claims", "ours", TEXT}, {"claims", "holds", VERDICT},
	{"plots", "kind", TEXT}, {"plots", "program", TEXT}, {"plots", "found", NUMBER},
	{"plots", "before", NUMBER}, {"plots", "example", OBJECT}, {"plots", "mean", OBJECT},
	{"clearing", "programs", LIST}, {"clearing", "total", OBJECT}, {"clearing", "answer", TEXT},
};
/* clang-format on */

static bool check_member(const json_t *object, const struct wanted *row, struct err *err)
{
	static const char *const words[] = {
		[TEXT] = "a string",
		[NUMBER] = "a number",
		[LIST] = "an array",
		[OBJECT] = "an object",
		[VERDICT] = "true, false or null",
	};
	const json_t *value = json_object_get(object, row->name);
	bool is[] = {
		[TEXT] = json_is_string(value),
		[NUMBER] = json_is_number(value),
		[LIST] = json_is_array(value),
		[OBJECT] = json_is_object(value),
		[VERDICT] = json_is_boolean(value) || json_is_null(value),
	};

	if (is[row->type])
		return true;
	if (!row->in)
		return err_set(err, "the result: \"%s\" is not %s", row->name, words[row->type]);
	return err_set(err, "\"%s\": \"%s\" is not %s", row->in, row->name, words[row->type]);
}

static bool check_row(const json_t *result, const struct wanted *row, struct err *err)
{
	const json_t *in = row->in ? json_object_get(result, row->in) : result;
	json_t *entry;
	size_t i;

	if (!json_is_array(in))
		return !in || check_member(in, row, err);
	json_array_foreach(in, i, entry)
	{
		if (!check_member(entry, row, err))
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
	size_t length =
		json_array_size(json_object_get(json_object_get(plot, parts[0]), series[0]));

	for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
		for (size_t k = 0; k < ARRAY_COUNT(series); k++)
			if (!length ||
			    json_array_size(json_object_get(json_object_get(plot, parts[i]),
							    series[k])) != length)
				return err_set(err,
					       "\"%s\": \"%s\" is not an array as long as the "
					       "others",
					       parts[i], series[k]);
	return true;
}

bool paper_check_result(const struct paper *paper, const json_t *result, struct err *err)
{
	const struct wanted stated = {"programs", paper->stated_as, NUMBER};
	const char *schema = json_string_value(json_object_get(result, "schema"));
	json_t *plot;
	size_t i;

	if (!schema || strcmp(schema, "cyclestack-reproduce-1") != 0)
		return err_set(err,
			       "a page is made of a result of schema cyclestack-reproduce-1, and "
			       "this is %s%s",
			       schema ? "of schema " : "not one", schema ? schema : "");
	for (i = 0; i < ARRAY_COUNT(wanted); i++)
		if (!check_row(result, &wanted[i], err))
			return false;
	if (paper->stated_as && !check_row(result, &stated, err))
		return false;
	for (i = 0; paper->needs[i]; i++)
		if (!json_object_get(result, paper->needs[i]))
			return err_set(err, "the result: \"%s\" is missing", paper->needs[i]);
	json_array_foreach(json_object_get(result, "plots"), i, plot)
	{
		if (!check_plot(plot, err))
			return err_prefix(err, "plot %zu", i + 1);
	}
	const json_t *judge = json_object_get(result, "judge");
	return !judge || page_check_judge(judge, err);
}
