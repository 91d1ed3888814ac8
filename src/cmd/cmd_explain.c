#include <jansson.h>

#include "base/array.h"
#include "cmd/command.h"
#include "cmd/explain.h"
#include "cmd/outputs.h"
#include "value/layout.h"
#include "value/member.h"

/* The things that a word means, without those that an earlier word has brought. */
static bool take_meant(const char *word, json_t *things, bool *is_taken, json_t *explained)
{
	bool found = false;
	json_t *thing;
	size_t i;

	json_array_foreach(things, i, thing)
	{
		if (!explain_means(word, thing))
			continue;
		found = true;
		if (!is_taken[i])
			json_array_append(explained, thing);
		is_taken[i] = true;
	}
	return found;
}

static bool take_words(const struct args *args, json_t *things, json_t *explained, struct err *err)
{
	bool *is_taken = mem_alloc_array(json_array_size(things), sizeof(*is_taken));
	bool ok = true;

	for (size_t i = 0; ok && i < args->rest_count; i++) {
		const char *word = args->rest[i];

		ok = take_meant(word, things, is_taken, explained);
		if (ok)
			continue;
		struct nearest nearest = explain_nearest(word, things);
		err_set(err, "nothing is called \"%s\"; %s`cyclestack explain` lists what can be",
			word, nearest_ask(&nearest, "did you mean ", "? ").text);
	}
	free(is_taken);
	return ok;
}

/* Where no word is given: the kinds with how many things there are of each, and the things of those
 * that are short. */
static json_t *list_kinds(json_t *explained)
{
	json_t *kinds = json_array();

	for (const struct explain_kind *kind = explain_kinds; kind->name; kind++) {
		json_t *things = json_array();

		kind->collect(things);
		json_array_append_new(kinds, json_pack("{s:s, s:s, s:I}", "name", kind->name,
						       "meaning", kind->meaning, "count",
						       (json_int_t)json_array_size(things)));
		if (kind->is_short)
			json_array_extend(explained, things);
		json_decref(things);
	}
	return kinds;
}

int cmd_explain(const struct args *args)
{
	json_t *explained = json_array(), *kinds = NULL;
	struct err err;
	int status = 0;

	if (args->rest_count) {
		json_t *things = explain_all();

		if (!take_words(args, things, explained, &err))
			status = fail_usage(command_named("explain"), err.text);
		json_decref(things);
	} else {
		kinds = list_kinds(explained);
	}
	json_t *result = json_pack("{s:s, s:o*, s:o}", "schema", layout_explain.schema, "kinds",
				   kinds, "explained", explained);
	bool (*show)(const struct args *, const json_t *, struct err *) =
		args->rest_count ? outputs_show_answer : outputs_show_list;
	if (!status && !show(args, result, &err))
		status = fail_tool(err.text);
	json_decref(result);
	return status;
}
