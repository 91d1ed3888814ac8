#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/command.h"
#include "report/file/file.h"
#include "signal/signal.h"

static json_t *describe(const struct signal_row *row)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s}", "name", row->name, "source",
			 signal_source_name(row->source), "unit", row->unit, "category",
			 signal_category_name(row->category), "meaning", row->meaning);
}

int cmd_signals(const struct args *args)
{
	const char *path = args_get(args, OPTION_JSON);
	json_t *list = json_array();
	struct err err;
	int status = 0;

	for (size_t i = 0; i < args->rest_count; i++)
		if (!signal_find(args->rest[i])) {
			err_set(&err, "there is no signal \"%s\"; `cyclestack signals` lists them",
				args->rest[i]);
			json_decref(list);
			return fail_tool(err.text);
		}
	for (size_t i = 0; i < signal_count(); i++) {
		const struct signal_row *row = &signal_rows[i];
		bool is_wanted = !args->rest_count;

		for (size_t k = 0; k < args->rest_count; k++)
			is_wanted |= strcmp(args->rest[k], row->name) == 0;
		if (!is_wanted)
			continue;
		if (path)
			json_array_append_new(list, describe(row));
		else
			printf("%-20s %-6s %-12s %s\n", row->name, signal_source_name(row->source),
			       row->unit, row->meaning);
	}
	if (path) {
		json_t *root =
			json_pack("{s:s, s:O}", "schema", "cyclestack-signals-1", "signals", list);
		char *text = json_dumps(root, JSON_INDENT(1));

		if (!report_write_file(path, text, strlen(text), &err))
			status = fail_tool(err.text);
		free(text);
		json_decref(root);
	}
	json_decref(list);
	return status;
}
