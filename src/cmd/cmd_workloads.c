#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/command.h"
#include "cmd/outputs.h"
#include "cmd/program.h"
#include "value/layout.h"

/* The name that an operand means: without @ and without a size. */
static void plain_name(const char *operand, char name[64])
{
	operand += operand[0] == '@';
	snprintf(name, 64, "%.*s", (int)strcspn(operand, ":"), operand);
}

static bool is_wanted(const struct args *args, const char *name)
{
	char wanted[64];

	for (size_t i = 0; i < args->rest_count; i++) {
		plain_name(args->rest[i], wanted);
		if (strcmp(wanted, name) == 0)
			return true;
	}
	return !args->rest_count;
}

static bool check_names(const struct args *args, struct err *err)
{
	struct workload workload;
	char name[64];

	for (size_t i = 0; i < args->rest_count; i++) {
		plain_name(args->rest[i], name);
		if (!workload_find(name, &workload, err))
			return false;
	}
	return true;
}

static json_t *instructions_json(const char *directory, const char *name)
{
	json_t *counts = json_object();

	for (size_t i = 0; workload_sizes[i]; i++) {
		uint64_t count = workload_instructions(directory, name, workload_sizes[i]);

		if (count)
			json_object_set_new(counts, workload_sizes[i],
					    json_integer((json_int_t)count));
	}
	return counts;
}

/* One workload in full, for a reader who asked for it by name. */
static void print_described(const char *directory, const char *name, const char *about)
{
	struct workload workload;
	struct err err;

	printf("@%s: %s\n", name, about);
	for (size_t i = 0; workload_sizes[i]; i++) {
		uint64_t count = workload_instructions(directory, name, workload_sizes[i]);

		if (count)
			printf("  @%s:%-*s %11llu instructions\n", name, 6, workload_sizes[i],
			       (unsigned long long)count);
	}
	if (workload_find(name, &workload, &err))
		printf("  file: %s\n", workload.elf);
}

/* Whether the workloads are asked for as a list, and not by name or for their names. */
static bool is_list(const struct args *args)
{
	return outputs_has_format(args) || (!args->rest_count && !args_get(args, OPTION_NAMES));
}

static int show_list(const struct args *args, json_t *list)
{
	json_t *result =
		json_pack("{s:s, s:o}", "schema", layout_workloads.schema, "workloads", list);
	struct err err;
	bool ok = outputs_show_list(args, result, &err);

	json_decref(result);
	if (!ok)
		return fail_tool(err.text);
	if (!args->rest_count && isatty(STDOUT_FILENO))
		puts("\nRun one with `cyclestack exec @NAME` or @NAME:SIZE (test, small, ref); "
		     "`cyclestack\nworkloads NAME` says more about it.");
	return 0;
}

static int list_workloads(const struct args *args, const char *directory, struct err *err)
{
	char **names = workloads_names(directory, err);

	if (!names)
		return fail_tool(err->text);
	json_t *list = json_array();
	for (char **name = names; *name; name++) {
		char about[256] = "";

		if (!is_wanted(args, *name))
			continue;
		workload_read_line(directory, *name, ".about", about, sizeof(about));
		if (is_list(args))
			json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name", *name,
							      "about", about, "instructions",
							      instructions_json(directory, *name)));
		else if (args_get(args, OPTION_NAMES))
			puts(*name);
		else
			print_described(directory, *name, about);
	}
	workloads_names_free(names);
	if (is_list(args))
		return show_list(args, list);
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
	workloads_names_free(names);
	return status;
}

int cmd_workloads(const struct args *args)
{
	const char *elf = args_get(args, OPTION_ELF), *arguments = args_get(args, OPTION_ARGS);
	const char *wanted = elf ? elf : arguments;
	char directory[PATH_BYTES], name[64], size[16];
	struct workload workload;
	struct err err;

	if (!workloads_directory(directory, sizeof(directory), &err))
		return fail_tool(err.text);
	if (!check_names(args, &err))
		return fail_usage(command_named("workloads"), err.text);
	if (args_get(args, OPTION_MEASURE))
		return measure_named(args, directory, &err);
	if (!wanted)
		return list_workloads(args, directory, &err);
	wanted += wanted[0] == '@';
	if (!workload_split(wanted, name, size, &err))
		return fail_usage(command_named("workloads"), err.text);
	if (!workload_find(wanted, &workload, &err))
		return fail_usage(command_named("workloads"), err.text);
	if (elf)
		puts(workload.elf);
	else
		print_arguments(&workload);
	return 0;
}
