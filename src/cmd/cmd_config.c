#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/outputs.h"
#include "config/config_json.h"
#include "linux/files.h"
#include "value/layout.h"

static const struct command *this_command(void)
{
	const struct command *command = commands;

	while (command->run != cmd_config)
		command++;
	return command;
}

/* Shows a result of this schema with the members of `body`, which it takes. */
static int show(const struct args *args, const char *schema, json_t *body)
{
	json_t *result = json_pack("{s:s}", "schema", schema);
	struct err err;

	json_object_update(result, body);
	bool ok = outputs_show_list(args, result, &err);
	json_decref(result);
	json_decref(body);
	return ok ? 0 : fail_tool(err.text);
}

static int list_presets(const struct args *args)
{
	bool bare = args_get(args, OPTION_NAMES);
	char directory[2 * PATH_BYTES];
	struct err err;

	if (args->rest_count > 1)
		return fail_usage(this_command(), "config list takes no operands");
	if (!presets_directory(directory, sizeof(directory), &err))
		return fail_tool(err.text);
	char **names = config_presets(directory, &err);
	if (!names)
		return fail_tool(err.text);
	json_t *list = json_array();
	for (char **name = names; *name; name++) {
		char about[256];

		preset_about(directory, *name, about, sizeof(about));
		json_array_append_new(list, json_pack("{s:s, s:s}", "name", *name, "about", about));
		if (bare)
			puts(*name);
		free(*name);
	}
	free(names);
	if (!bare)
		return show(args, layout_config_list.schema, json_pack("{s:o}", "presets", list));
	json_decref(list);
	return 0;
}

/* The preset that the machine is, or was before --set; NULL if it comes from a file. */
static const char *preset_of(const struct args *args, struct config *preset)
{
	const char *name = args_get(args, OPTION_CONFIG);
	struct config_left_out left_out;
	struct err err;

	config_default(preset);
	if (!name)
		return CONFIG_DEFAULT;
	return !strpbrk(name, "/.") && config_open(preset, name, &left_out, &err) ? name : NULL;
}

static json_t *setting_or_null(const struct config *config, enum config_id id)
{
	return config_is_named(config, id) ? config_json_value(config, id) : json_null();
}

static json_t *machine_json(const struct config *config, const char *preset,
			    const struct config *base)
{
	json_t *before = json_object();
	char hash[65];

	for (enum config_id id = 0; id < CONFIG_COUNT; id++) {
		if (!config_applies(config, id))
			continue;
		const bool is_same = config_applies(base, id) && config_is_same(base, config, id);

		if (!is_same)
			json_object_set_new(before, config_rows[id].key, setting_or_null(base, id));
	}
	config_hash(config, hash);
	json_t *body =
		json_pack("{s:s, s:o}", "hash", hash, "parameters", config_json_parameters(config));
	if (preset)
		json_object_update_new(body,
				       json_pack("{s:s, s:O}", "based_on", preset, "base", before));
	json_decref(before);
	return body;
}

static int dump_machine(const struct args *args)
{
	struct config config, base;
	struct err err;

	if (args->rest_count > 1)
		return fail_usage(this_command(), "config dump takes its machine from --config");
	if (!config_from_args(&config, args, &err))
		return fail_err(this_command(), &err);
	if (!outputs_has_format(args)) {
		config_dump(&config, stdout);
		return 0;
	}
	const char *preset = preset_of(args, &base);
	return show(args, layout_config.schema, machine_json(&config, preset, &base));
}

static int check_files(const struct args *args)
{
	const bool has_format = outputs_has_format(args);
	int verdict = 0;

	if (args->rest_count < 2)
		return fail_usage(this_command(), "config check needs at least one file");
	json_t *list = json_array();
	for (size_t i = 1; i < args->rest_count; i++) {
		struct config_left_out left_out;
		struct config config;
		struct err err;
		bool good = config_open(&config, args->rest[i], &left_out, &err);

		json_array_append_new(list,
				      json_pack("{s:s, s:b, s:s*}", "file", args->rest[i], "good",
						good, "trouble", good ? NULL : err.text));
		if (!has_format) {
			print_printable(stdout, good ? args->rest[i] : err.text);
			puts(good ? ": good" : "");
		}
		if (good)
			config_say_doubts(&config, args->rest[i], &left_out);
		if (!good)
			verdict = EXIT_NEGATIVE;
	}
	if (has_format) {
		int status =
			show(args, layout_config_check.schema, json_pack("{s:O}", "files", list));

		verdict = status ? status : verdict;
	}
	json_decref(list);
	return verdict;
}

static int diff_machines(const struct args *args)
{
	enum config_id ids[CONFIG_COUNT];
	struct config_left_out left_out;
	struct config a, b;
	struct err err;

	if (args->rest_count != 3)
		return fail_usage(this_command(), "config diff needs two machines, each a preset "
						  "or a file");
	if (!config_open(&a, args->rest[1], &left_out, &err) ||
	    !config_open(&b, args->rest[2], &left_out, &err))
		return fail_err(this_command(), &err);
	size_t count = config_diff(&a, &b, ids);
	json_t *list = json_array();
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list,
				      json_pack("{s:s, s:o, s:o}", "key", config_rows[ids[i]].key,
						"a", setting_or_null(&a, ids[i]), "b",
						setting_or_null(&b, ids[i])));
	return show(args, layout_config_diff.schema,
		    json_pack("{s:s, s:s, s:o}", "a", args->rest[1], "b", args->rest[2],
			      "differences", list));
}

/* The values that a parameter can have, in few words. */
static void range_text(const struct config_row *row, char *text, size_t bytes)
{
	size_t used = 0;

	switch (row->type) {
	case CONFIG_IS_NUMBER: snprintf(text, bytes, "%u..%u", row->least, row->most); break;
	case CONFIG_IS_COUNT:
		snprintf(text, bytes, "%u..%u|unlimited", row->least, row->most);
		break;
	case CONFIG_IS_SWITCH: snprintf(text, bytes, "true|false"); break;
	case CONFIG_IS_LIST: snprintf(text, bytes, "none|PC[-PC]:EVENT[+EVENT][/...]"); break;
	case CONFIG_IS_SET: used = (size_t)snprintf(text, bytes, "none|");
	/* fall through */
	case CONFIG_IS_CHOICE:
		for (uint32_t i = 0; row->words[i] && used < bytes; i++)
			used += (size_t)snprintf(text + used, bytes - used, "%s%s",
						 !i			      ? ""
						 : row->type == CONFIG_IS_SET ? "+"
									      : "|",
						 row->words[i]);
		break;
	}
}

static int list_keys(const struct args *args)
{
	bool bare = args_get(args, OPTION_NAMES);
	json_t *list = json_array();
	struct config config;

	config_reset(&config);
	for (enum config_id id = 0; id < CONFIG_COUNT; id++) {
		const struct config_row *row = &config_rows[id];
		char range[256];

		if (bare)
			puts(row->key);
		range_text(row, range, sizeof(range));
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:o, s:s, s:s}", "key", row->key, "takes",
					range, "fallback", config_json_value(&config, id), "help",
					row->help, "when", config_when_text(row->when)));
	}
	if (!bare)
		return show(args, layout_config_keys.schema,
			    json_pack("{s:o}", "parameters", list));
	json_decref(list);
	return 0;
}

int cmd_config(const struct args *args)
{
	static const struct {
		const char *name;
		int (*run)(const struct args *args);
	} actions[] = {
		{"list", list_presets},	 {"dump", dump_machine}, {"check", check_files},
		{"diff", diff_machines}, {"keys", list_keys},
	};

	for (size_t i = 0; args->rest_count && i < sizeof(actions) / sizeof(actions[0]); i++)
		if (strcmp(args->rest[0], actions[i].name) == 0)
			return actions[i].run(args);
	return fail_usage(this_command(), "config is followed by list, dump, check, diff or keys");
}
