#include "web/machine_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "config/check.h"
#include "config/config.h"
#include "config/doubt.h"

static void say(json_t *messages, const char *key, const char *sentence)
{
	if (!json_object_get(messages, key))
		json_object_set_new(messages, key, json_string(sentence));
}

/* Puts the values that can be read; says of the others why not. */
static void put_all(struct config *config, const json_t *set, json_t *messages)
{
	struct err err;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)set, key, value)
	{
		char *assignment = mem_format("%s=%s", key, json_string_value(value));

		if (!config_set(config, assignment, &err))
			say(messages, key, err.text);
		free(assignment);
	}
	json_object_foreach((json_t *)(uintptr_t)set, key, value)
	{
		char *assignment = mem_format("%s=%s", key, json_string_value(value));

		if (!json_object_get(messages, key) &&
		    !config_set_matters(config, assignment, &err))
			say(messages, key, err.text);
		free(assignment);
	}
}

/* A broken rule is told beside each parameter that it is about. */
static void tell_rules(const struct config *config, json_t *messages)
{
	struct check_violation *violations =
		mem_alloc_array(CHECK_MOST_VIOLATIONS, sizeof(*violations));
	const size_t count = check_rules(config, violations);

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < ARRAY_COUNT(violations[i].ids); k++)
			if (violations[i].ids[k] != CONFIG_COUNT)
				say(messages, config_rows[violations[i].ids[k]].key,
				    violations[i].text);
	free(violations);
}

json_t *machine_check(const char *presets, const char *name, const json_t *set, struct err *err)
{
	struct config config;
	struct doubt doubts[DOUBT_MOST];
	json_t *messages, *list;

	config_reset(&config);
	if (!config_load_preset(&config, name, presets, err))
		return NULL;
	messages = json_object();
	list = json_array();
	put_all(&config, set, messages);
	tell_rules(&config, messages);
	const bool ok = !json_object_size(messages) && config_settle(&config, NULL);
	const size_t count = ok ? doubt_all(&config, doubts) : 0;
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_string(doubts[i].text));
	return json_pack("{s:b, s:o, s:o}", "ok", ok, "messages", messages, "doubts", list);
}
