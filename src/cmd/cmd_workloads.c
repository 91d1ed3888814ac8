#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/outputs.h"
#include "cmd/program.h"

static int list_workloads(const struct args *args, const char *directory, struct err *err)
{
	bool bare = args_get(args, OPTION_NAMES);
	bool is_json = args_get(args, OPTION_JSON);
	char **names = workloads_names(directory, err);
	json_t *list = json_array();

	if (!names) {
		json_decref(list);
		return fail_tool(err->text);
	}
	for (char **name = names; *name; name++) {
		char about[256] = "";

		workload_read_line(directory, *name, ".about", about, sizeof(about));
		if (is_json)
			json_array_append_new(
				list, json_pack("{s:s, s:s}", "name", *name, "about", about));
		else if (bare)
			puts(*name);
		else
			printf("@%-15s %s\n", *name, about);
		free(*name);
	}
	free(names);
	if (is_json)
		return outputs_write_only_json(args, "cyclestack-workloads-1",
					       json_pack("{s:o}", "workloads", list), err)
			       ? 0
			       : fail_tool(err->text);
	if (!bare && isatty(STDOUT_FILENO))
		puts("\nRun one with `cyclestack exec @NAME` or @NAME:SIZE (test, small, ref).");
	json_decref(list);
	return 0;
}

/* Prints host paths in place of the paths that the simulated program sees, so that a simulator
 * that runs on the host can use them. */
static void print_arguments(const struct workload *workload)
{
	const size_t prefix = strlen(WORKLOAD_INPUT);

	for (size_t i = 0; i < workload->argument_count; i++) {
		const char *argument = workload->arguments[i];
		bool is_input = strncmp(argument, WORKLOAD_INPUT "/", prefix + 1) == 0;

		printf("%s%s%s", i ? " " : "", is_input ? workload->input : "",
		       is_input ? argument + prefix : argument);
	}
	puts("");
}

/* Measures the workloads named, or all but the real ones, which have one size only. */
static int measure_named(const struct args *args, const char *directory, struct err *err)
{
	if (args->rest_count)
		return measure_workloads(args, args->rest);
	char **names = workloads_names(directory, err);
	if (!names)
		return fail_tool(err->text);
	int status = measure_workloads(args, names);
	for (char **name = names; *name; name++)
		free(*name);
	free(names);
	return status;
}

int cmd_workloads(const struct args *args)
{
	const char *elf = args_get(args, OPTION_ELF), *arguments = args_get(args, OPTION_ARGS);
	const char *wanted = elf ? elf : arguments;
	char directory[PATH_BYTES], name[64], size[16];
	struct workload workload;
	struct err err;

	if (args->rest_count && !args_get(args, OPTION_MEASURE))
		return fail_usage(command_named("workloads"),
				  "workloads takes names only with --measure");
	if (!workloads_directory(directory, sizeof(directory), &err))
		return fail_tool(err.text);
	if (args_get(args, OPTION_MEASURE))
		return measure_named(args, directory, &err);
	if (!wanted)
		return list_workloads(args, directory, &err);
	wanted += wanted[0] == '@';
	if (!workload_split(wanted, name, size, &err))
		return fail_usage(command_named("workloads"), err.text);
	if (!workload_find(wanted, &workload, &err))
		return fail_tool(err.text);
	if (elf)
		puts(workload.elf);
	else
		print_arguments(&workload);
	return 0;
}
