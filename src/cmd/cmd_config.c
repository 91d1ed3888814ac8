#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/outputs.h"
#include "config/config.h"
#include "linux/files.h"

static const struct command *this_command(void)
{
	const struct command *command = commands;

	while (command->run != cmd_config)
		command++;
	return command;
}

static int fail(int status, const struct err *err)
{
	return status == EXIT_USAGE ? fail_usage(this_command(), err->text) : fail_tool(err->text);
}

static int write_json(const struct args *args, const char *schema, json_t *body)
{
	struct err err;

	return outputs_write_only_json(args, schema, body, &err) ? 0 : fail_tool(err.text);
}

static json_t *value_json(const struct config *config, enum config_id id)
{
	char text[CONFIG_TEXT_BYTES];
	uint32_t value = config_get(config, id);

	if (config_rows[id].type == CONFIG_IS_SWITCH)
		return json_boolean(value);
	config_value_text(config, id, text);
	if (text[0] >= '0' && text[0] <= '9')
		return json_integer(value);
	return json_string(text);
}

/* The first line of a preset, without its comment sign. */
static void read_about(const char *directory, const char *name, char *text, size_t bytes)
{
	char path[3 * PATH_BYTES];

	text[0] = 0;
	snprintf(path, sizeof(path), "%s/%s.cfg", directory, name);
	FILE *in = fopen(path, "re");
	if (!in)
		return;
	if (!fgets(text, (int)bytes, in) || text[0] != '#')
		text[0] = 0;
	text[strcspn(text, "\n")] = 0;
	fclose(in);
	memmove(text, text + strspn(text, "# "), strlen(text + strspn(text, "# ")) + 1);
}

static int list_presets(const struct args *args)
{
	bool bare = args_get(args, OPTION_NAMES);
	bool is_json = args_get(args, OPTION_JSON);
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

		read_about(directory, *name, about, sizeof(about));
		if (is_json)
			json_array_append_new(
				list, json_pack("{s:s, s:s}", "name", *name, "about", about));
		else if (bare)
			puts(*name);
		else
			printf("%-12s %s\n", *name, about);
		free(*name);
	}
	free(names);
	if (is_json)
		return write_json(args, "cyclestack-config-list-1",
				  json_pack("{s:o}", "presets", list));
	json_decref(list);
	return 0;
}

static int dump_machine(const struct args *args)
{
	bool is_json = args_get(args, OPTION_JSON);
	struct config config;
	char hash[65];
	struct err err;
	int status;

	if (args->rest_count > 1)
		return fail_usage(this_command(), "config dump takes its machine from --config");
	if (!config_from_args(&config, args, &status, &err))
		return fail(status, &err);
	if (!is_json) {
		config_dump(&config, stdout);
		return 0;
	}
	json_t *values = json_object();
	for (enum config_id id = 0; id < CONFIG_COUNT; id++)
		if (config_applies(&config, id))
			json_object_set_new(values, config_rows[id].key, value_json(&config, id));
	config_hash(&config, hash);
	return write_json(args, "cyclestack-config-1",
			  json_pack("{s:s, s:o}", "hash", hash, "parameters", values));
}

static int check_files(const struct args *args)
{
	bool is_json = args_get(args, OPTION_JSON);
	json_t *list = json_array();
	int verdict = 0;

	if (args->rest_count < 2) {
		json_decref(list);
		return fail_usage(this_command(), "config check needs at least one file");
	}
	for (size_t i = 1; i < args->rest_count; i++) {
		struct config config;
		struct err err;
		int status;
		bool good = config_open(&config, args->rest[i], &status, &err);

		if (is_json)
			json_array_append_new(list, json_pack("{s:s, s:b, s:s*}", "file",
							      args->rest[i], "good", good,
							      "trouble", good ? NULL : err.text));
		else {
			print_printable(stdout, good ? args->rest[i] : err.text);
			puts(good ? ": good" : "");
		}
		if (!good)
			verdict = EXIT_NEGATIVE;
	}
	if (is_json) {
		int status = write_json(args, "cyclestack-config-check-1",
					json_pack("{s:o}", "files", list));

		return status ? status : verdict;
	}
	json_decref(list);
	return verdict;
}

static void print_names(int key_columns, int value_columns, char *const *names)
{
	int missing = value_columns - (int)strlen(names[0]);

	printf("%-*s  ", key_columns, "");
	print_printable(stdout, names[0]);
	printf("%*s  ", missing, "");
	print_printable(stdout, names[1]);
	puts("");
}

static void print_difference(const struct config *a, const struct config *b,
			     const enum config_id *ids, size_t count, char *const *names)
{
	int key_columns = 0, value_columns = (int)strlen(names[0]);

	for (size_t i = 0; i < count; i++) {
		int columns = (int)strlen(config_rows[ids[i]].key);

		key_columns = columns > key_columns ? columns : key_columns;
	}
	value_columns = value_columns > 12 ? value_columns : 12;
	if (count)
		print_names(key_columns, value_columns, names);
	for (size_t i = 0; i < count; i++) {
		char text_a[CONFIG_TEXT_BYTES] = "-", text_b[CONFIG_TEXT_BYTES] = "-";

		if (config_applies(a, ids[i]))
			config_value_text(a, ids[i], text_a);
		if (config_applies(b, ids[i]))
			config_value_text(b, ids[i], text_b);
		printf("%-*s  %-*s  %s\n", key_columns, config_rows[ids[i]].key, value_columns,
		       text_a, text_b);
	}
}

static int diff_machines(const struct args *args)
{
	bool is_json = args_get(args, OPTION_JSON);
	enum config_id ids[CONFIG_COUNT];
	struct config a, b;
	struct err err;
	int status;

	if (args->rest_count != 3)
		return fail_usage(this_command(), "config diff needs two machines, each a preset "
						  "or a file");
	if (!config_open(&a, args->rest[1], &status, &err) ||
	    !config_open(&b, args->rest[2], &status, &err))
		return fail(status, &err);
	size_t count = config_diff(&a, &b, ids);
	if (!is_json) {
		print_difference(&a, &b, ids, count, args->rest + 1);
		return 0;
	}
	json_t *list = json_array();
	for (size_t i = 0; i < count; i++) {
		json_t *row = json_pack("{s:s}", "key", config_rows[ids[i]].key);

		json_object_set_new(row, "a",
				    config_applies(&a, ids[i]) ? value_json(&a, ids[i])
							       : json_null());
		json_object_set_new(row, "b",
				    config_applies(&b, ids[i]) ? value_json(&b, ids[i])
							       : json_null());
		json_array_append_new(list, row);
	}
	return write_json(args, "cyclestack-config-diff-1",
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
	bool is_json = args_get(args, OPTION_JSON);
	json_t *list = json_array();
	struct config config;

	config_reset(&config);
	for (enum config_id id = 0; id < CONFIG_COUNT; id++) {
		const struct config_row *row = &config_rows[id];
		char range[256], value[CONFIG_TEXT_BYTES];

		range_text(row, range, sizeof(range));
		config_value_text(&config, id, value);
		if (is_json)
			json_array_append_new(list,
					      json_pack("{s:s, s:s, s:o, s:s, s:s}", "key",
							row->key, "takes", range, "fallback",
							value_json(&config, id), "help", row->help,
							"when", config_when_text(row->when)));
		else if (bare)
			puts(row->key);
		else
			printf("%-38s %-12s %-20s  %s%s%s%s\n", row->key, value, range, row->help,
			       row->when == WHEN_ALWAYS ? "" : " [",
			       row->when == WHEN_ALWAYS ? "" : config_when_text(row->when),
			       row->when == WHEN_ALWAYS ? "" : "]");
	}
	if (is_json)
		return write_json(args, "cyclestack-config-keys-1",
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
