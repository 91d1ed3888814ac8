#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/program.h"
#include "report/file.h"

/* The line that says what a workload is like, from NAME.about beside it. */
static void read_about(const char *directory, const char *name, char *text, size_t bytes)
{
	char path[2 * PATH_BYTES];

	snprintf(path, sizeof(path), "%s/%s.about", directory, name);
	text[0] = 0;
	FILE *in = fopen(path, "r");
	if (!in)
		return;
	if (fgets(text, (int)bytes, in))
		text[strcspn(text, "\n")] = 0;
	fclose(in);
}

static int list_workloads(const struct args *args, const char *directory, struct err *err)
{
	bool bare = args_get(args, OPTION_NAMES);
	const char *json_path = args_get(args, OPTION_JSON);
	char **names = workloads_names(directory, err);
	json_t *list = json_array();
	int status = 0;

	if (!names) {
		json_decref(list);
		return fail_tool(err->text);
	}
	for (char **name = names; *name; name++) {
		char about[256];

		read_about(directory, *name, about, sizeof(about));
		if (json_path)
			json_array_append_new(
				list, json_pack("{s:s, s:s}", "name", *name, "about", about));
		else if (bare)
			puts(*name);
		else
			printf("@%-12s %s\n", *name, about);
		free(*name);
	}
	free(names);
	if (json_path) {
		json_t *root = json_pack("{s:s, s:O}", "schema", "cyclestack-workloads-1",
					 "workloads", list);
		char *text = json_dumps(root, JSON_INDENT(2));

		if (!report_write_file(json_path, text, strlen(text), err))
			status = fail_tool(err->text);
		free(text);
		json_decref(root);
	} else if (!bare && isatty(STDOUT_FILENO)) {
		puts("\nRun one with `cyclestack exec @NAME` or @NAME:SIZE (test, small, ref).");
	}
	json_decref(list);
	return status;
}

int cmd_workloads(const struct args *args)
{
	const char *elf = args_get(args, OPTION_ELF), *arguments = args_get(args, OPTION_ARGS);
	const char *wanted = elf ? elf : arguments;
	char directory[PATH_BYTES], path[2 * PATH_BYTES], name[64], size[16];
	struct err err;

	if (args->rest_count)
		return fail_usage(&commands[1], "workloads takes no operands");
	if (!workloads_directory(directory, sizeof(directory), &err))
		return fail_tool(err.text);
	if (!wanted)
		return list_workloads(args, directory, &err);
	if (!workload_split(wanted + (wanted[0] == '@'), name, size, &err))
		return fail_usage(&commands[1], err.text);
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	if (!name[0] || strpbrk(name, "/.") || access(path, R_OK) != 0) {
		err_set(&err, "there is no workload \"%s\"; `cyclestack workloads` lists them",
			name);
		return fail_tool(err.text);
	}
	puts(elf ? path : size);
	return 0;
}
