#include "report/page/check.h"

#include <stdint.h>
#include <string.h>

#include "base/array.h"

struct member {
	const char *name;
	bool (*is)(const json_t *value); /* NULL ends the list */
	bool may_be_missing;
};

static bool is_text(const json_t *value)
{
	return json_is_string(value);
}

static bool is_integer(const json_t *value)
{
	return json_is_integer(value);
}

static bool is_number(const json_t *value)
{
	return json_is_number(value);
}

static bool is_number_or_null(const json_t *value)
{
	return json_is_number(value) || json_is_null(value);
}

static bool is_truth(const json_t *value)
{
	return json_is_boolean(value);
}

static bool is_object(const json_t *value)
{
	return json_is_object(value);
}

static bool is_list(const json_t *value)
{
	return json_is_array(value);
}

static bool is_texts(const json_t *value)
{
	size_t i;
	json_t *item;

	json_array_foreach(value, i, item)
	{
		if (!json_is_string(item))
			return false;
	}
	return json_is_array(value);
}

static bool is_numbers(const json_t *value)
{
	const char *key;
	json_t *item;

	/* The library iterates only over what it could change, which nothing here does. */
	json_object_foreach((json_t *)(uintptr_t)value, key, item)
	{
		if (!json_is_number(item))
			return false;
	}
	return json_is_object(value);
}

static const struct {
	bool (*is)(const json_t *value);
	const char *what;
} kinds[] = {
	{is_text, "a string"},
	{is_integer, "an integer"},
	{is_number, "a number"},
	{is_number_or_null, "a number or null"},
	{is_truth, "true or false"},
	{is_object, "an object"},
	{is_list, "an array"},
	{is_texts, "an array of strings"},
	{is_numbers, "an object of numbers"},
};

static const char *kind_of(bool (*is)(const json_t *value))
{
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		if (kinds[i].is == is)
			return kinds[i].what;
	}
	BUG("a check without words");
}

static bool check_members(const json_t *object, const struct member *members, const char *place,
			  struct err *err)
{
	if (!json_is_object(object))
		return err_set(err, "%s is not an object", place);
	for (; members->is; members++) {
		const json_t *value = json_object_get(object, members->name);

		if (!value && members->may_be_missing)
			continue;
		if (!value || !members->is(value))
			return err_set(err, "%s: \"%s\" is %s %s", place, members->name,
				       value ? "not" : "missing; it should be",
				       kind_of(members->is));
	}
	return true;
}

static bool check_each(const json_t *list, const struct member *members, const char *place,
		       struct err *err)
{
	size_t i;
	json_t *item;

	json_array_foreach(list, i, item)
	{
		if (!check_members(item, members, place, err))
			return err_prefix(err, "entry %zu", i + 1);
	}
	return true;
}

static bool check_values(const json_t *object, const struct member *members, const char *place,
			 struct err *err)
{
	const char *key;
	json_t *item;

	json_object_foreach((json_t *)(uintptr_t)object, key, item)
	{
		if (!check_members(item, members, place, err))
			return err_prefix(err, "\"%s\"", key);
	}
	return true;
}

static const struct member configuration_members[] = {
	{"name", is_text, false}, {"changes", is_texts, false}, {"sha256", is_text, false}, {0}};

static bool check_schema(const json_t *result, const char *wanted, struct err *err)
{
	const char *schema = json_string_value(json_object_get(result, "schema"));

	if (!schema || strcmp(schema, wanted) != 0)
		return err_set(err, "a page is made of a result of schema %s, and this is %s%s",
			       wanted, schema ? "of schema " : "not one", schema ? schema : "");
	return true;
}

static bool check_exact(const json_t *exact, struct err *err)
{
	static const struct member members[] = {
		{"slots_per_cycle", is_integer, false}, {"causes", is_numbers, false},
		{"functions", is_list, false},		{"threads", is_list, true},
		{"intervals", is_list, true},		{0}};
	static const struct member function_members[] = {{"name", is_text, false},
							 {"file", is_text, false},
							 {"line", is_integer, false},
							 {"executed", is_integer, false},
							 {"slots", is_numbers, false},
							 {"lines", is_list, false},
							 {0}};
	static const struct member line_members[] = {{"file", is_text, false},
						     {"line", is_integer, false},
						     {"executed", is_integer, false},
						     {"slots", is_numbers, false},
						     {0}};
	static const struct member thread_members[] = {
		{"id", is_integer, false}, {"slots", is_numbers, false}, {0}};
	static const struct member interval_members[] = {{"instructions", is_integer, false},
							 {"cycles", is_number, false},
							 {"slots", is_numbers, false},
							 {0}};
	const json_t *functions = json_object_get(exact, "functions");
	size_t i;
	json_t *function;

	if (!check_members(exact, members, "\"exact\"", err) ||
	    !check_each(functions, function_members, "\"functions\"", err) ||
	    !check_each(json_object_get(exact, "threads"), thread_members, "\"threads\"", err) ||
	    !check_each(json_object_get(exact, "intervals"), interval_members, "\"intervals\"",
			err))
		return false;
	if (json_integer_value(json_object_get(exact, "slots_per_cycle")) < 1)
		return err_set(err, "\"exact\": \"slots_per_cycle\" is below 1");
	json_array_foreach(functions, i, function)
	{
		if (!check_each(json_object_get(function, "lines"), line_members, "\"lines\"", err))
			return err_prefix(err, "function %zu", i + 1);
	}
	return true;
}

bool page_check_run(const json_t *result, struct err *err)
{
	static const struct member members[] = {{"program", is_object, false},
						{"configuration", is_object, false},
						{"skipped_instructions", is_integer, true},
						{"partial", is_truth, false},
						{"status", is_integer, false},
						{"values", is_numbers, false},
						{"stacks", is_object, false},
						{"exact", is_object, false},
						{"topdown", is_object, true},
						{"stages", is_object, true},
						{"annotation", is_object, true},
						{0}};
	static const struct member program_members[] = {{"name", is_text, false},
							{"arguments", is_texts, false},
							{"sha256", is_text, false},
							{0}};
	static const struct member value_members[] = {
		{"cycles", is_integer, false}, {"instructions", is_integer, false}, {0}};
	static const struct member stack_members[] = {
		{"components", is_numbers, false}, {"bits", is_number_or_null, true}, {0}};
	static const struct member topdown_members[] = {{"slots_per_cycle", is_integer, false},
							{"level1", is_numbers, false},
							{"level2", is_numbers, true},
							{0}};
	static const struct member annotation_members[] = {
		{"function", is_text, false}, {"instructions", is_list, false}, {0}};
	static const struct member instruction_members[] = {{"pc", is_text, false},
							    {"text", is_text, false},
							    {"file", is_text, false},
							    {"line", is_integer, false},
							    {"executed", is_integer, false},
							    {"slots", is_numbers, false},
							    {0}};
	const json_t *stacks = json_object_get(result, "stacks");
	const json_t *topdown = json_object_get(result, "topdown");
	const json_t *stages = json_object_get(result, "stages");
	const json_t *annotation = json_object_get(result, "annotation");
	const char *key;
	json_t *stage;

	if (!check_schema(result, "cyclestack-run-2", err) ||
	    !check_members(result, members, "the result", err) ||
	    !check_members(json_object_get(result, "program"), program_members, "\"program\"",
			   err) ||
	    !check_members(json_object_get(result, "configuration"), configuration_members,
			   "\"configuration\"", err) ||
	    !check_members(json_object_get(result, "values"), value_members, "\"values\"", err) ||
	    !check_values(stacks, stack_members, "\"stacks\"", err) ||
	    !check_exact(json_object_get(result, "exact"), err) ||
	    (topdown && !check_members(topdown, topdown_members, "\"topdown\"", err)) ||
	    (annotation && !check_members(annotation, annotation_members, "\"annotation\"", err)) ||
	    (annotation && !check_each(json_object_get(annotation, "instructions"),
				       instruction_members, "\"annotation\"", err)))
		return false;
	if (!json_object_get(stacks, "exact"))
		return err_set(err, "\"stacks\": \"exact\" is missing");
	json_object_foreach((json_t *)(uintptr_t)stages, key, stage)
	{
		if (!is_numbers(stage))
			return err_set(err, "\"stages\": \"%s\" is not an object of numbers", key);
	}
	return true;
}

bool page_check_judge(const json_t *judge, struct err *err)
{
	static const struct member members[] = {{"configuration", is_object, false},
						{"programs", is_list, false},
						{"summary", is_object, false},
						{0}};
	static const struct member summary_members[] = {
		{"mean_error", is_numbers, false}, {"largest_error", is_numbers, false}, {0}};
	static const struct member program_members[] = {{"name", is_text, false},
							{"arguments", is_texts, false},
							{"sha256", is_text, false},
							{"instructions", is_integer, false},
							{"cycles", is_integer, false},
							{"truth", is_object, false},
							{"methods", is_object, false},
							{"events", is_numbers, true},
							{"per_event", is_object, true},
							{"overlap", is_number, true},
							{"overlap_full", is_number, true},
							{"sfmt", is_numbers, true},
							{0}};
	static const struct member truth_members[] = {{"a", is_numbers, false},
						      {"b", is_numbers, false},
						      {"base_without_units", is_number, true},
						      {0}};
	static const struct member method_members[] = {{"components", is_numbers, false},
						       {"errors", is_numbers, true},
						       {"max_error", is_number, false},
						       {"max_error_a", is_number, true},
						       {"max_error_b", is_number, true},
						       {"max_error_interval", is_number, true},
						       {"worst", is_text, true},
						       {"bits", is_number_or_null, true},
						       {0}};
	size_t i;
	json_t *program;

	if (!check_schema(judge, "cyclestack-judge-1", err) ||
	    !check_members(judge, members, "the result", err) ||
	    !check_members(json_object_get(judge, "configuration"), configuration_members,
			   "\"configuration\"", err) ||
	    !check_members(json_object_get(judge, "summary"), summary_members, "\"summary\"",
			   err) ||
	    !check_each(json_object_get(judge, "programs"), program_members, "\"programs\"", err))
		return false;
	json_array_foreach(json_object_get(judge, "programs"), i, program)
	{
		const char *key;
		json_t *event;

		if (!check_members(json_object_get(program, "truth"), truth_members, "\"truth\"",
				   err) ||
		    !check_values(json_object_get(program, "methods"), method_members,
				  "\"methods\"", err))
			return err_prefix(err, "program %zu", i + 1);
		json_object_foreach(json_object_get(program, "per_event"), key, event)
		{
			if (!is_numbers(event))
				return err_set(err,
					       "program %zu: \"per_event\": \"%s\" is not an "
					       "object of numbers",
					       i + 1, key);
		}
	}
	return true;
}
