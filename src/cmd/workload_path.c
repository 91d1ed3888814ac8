#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/nearest.h"
#include "base/number.h"
#include "cmd/program.h"

#define REAL "real/"

const char *const workload_sizes[] = {"test", "small", "ref", NULL};

bool workloads_directory(char *path, size_t bytes, struct err *err)
{
	return installed_directory("workloads", "CYCLESTACK_WORKLOADS", path, bytes, err);
}

/* Program files have no extension; the files that describe them have one. */
static int is_program(const struct dirent *entry)
{
	return !strchr(entry->d_name, '.') && strcmp(entry->d_name, "real") != 0 &&
	       strcmp(entry->d_name, "input") != 0;
}

struct name_list {
	char **names;
	size_t count, capacity;
};

static bool list_programs(struct name_list *list, const char *directory, const char *prefix)
{
	char path[2 * PATH_BYTES], name[sizeof(((struct dirent *)NULL)->d_name) + 8];
	struct dirent **entries;

	snprintf(path, sizeof(path), "%s/%s", directory, prefix);
	int count = scandir(path, &entries, is_program, alphasort);
	if (count < 0)
		return false;
	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%s%s", prefix, entries[i]->d_name);
		*ARRAY_PUSH(list->names, list->count, list->capacity) = mem_strdup(name);
		free(entries[i]);
	}
	free(entries);
	return true;
}

char **workloads_names(const char *directory, struct err *err)
{
	struct name_list list = {0};

	if (!list_programs(&list, directory, "")) {
		err_set_errno(err, errno, "%s", directory);
		return NULL;
	}
	list_programs(&list, directory, REAL);
	*ARRAY_PUSH(list.names, list.count, list.capacity) = NULL;
	return list.names;
}

void workloads_names_free(char **names)
{
	for (char **name = names; name && *name; name++)
		free(*name);
	free(names);
}

bool workload_split(const char *text, char name[64], char size[16], struct err *err)
{
	size_t length = strcspn(text, ":");

	snprintf(name, 64, "%.*s", (int)(length < 63 ? length : 63), text);
	snprintf(size, 16, "%.15s", text[length] ? text + length + 1 : "small");
	size_t known = 0;
	while (workload_sizes[known] && strcmp(size, workload_sizes[known]) != 0)
		known++;
	if (!workload_sizes[known])
		return err_set(err, "workload sizes are test, small and ref, not \"%s\"", size);
	return true;
}

/* Line number `number` of the file, from 1. */
static bool read_line(const char *directory, const char *name, const char *suffix, unsigned number,
		      char *line, size_t bytes)
{
	char path[2 * PATH_BYTES];
	bool ok = true;

	snprintf(path, sizeof(path), "%s/%s%s", directory, name, suffix);
	FILE *in = fopen(path, "r");
	if (!in)
		return false;
	for (unsigned i = 0; ok && i < number; i++)
		ok = fgets(line, (int)bytes, in);
	fclose(in);
	if (ok)
		line[strcspn(line, "\n")] = 0;
	return ok;
}

bool workload_read_line(const char *directory, const char *name, const char *suffix, char *line,
			size_t bytes)
{
	return read_line(directory, name, suffix, 1, line, bytes);
}

uint64_t workload_instructions(const char *directory, const char *name, const char *size)
{
	char line[256], *rest = NULL;
	uint64_t count;

	if (!read_line(directory, name, ".about", 2, line, sizeof(line)))
		return 0;
	char *word = strtok_r(line, " ", &rest);
	for (size_t i = 0; workload_sizes[i] && word; i++, word = strtok_r(NULL, " ", &rest))
		if (strcmp(workload_sizes[i], size) == 0)
			return number_read(word, NUMBER_OF_THINGS, &count) ? count : 0;
	return 0;
}

static bool split_arguments(struct workload *workload)
{
	char *rest = NULL;

	for (char *word = strtok_r(workload->line, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest)) {
		if (workload->argument_count == ARRAY_COUNT(workload->arguments))
			return false;
		workload->arguments[workload->argument_count++] = word;
	}
	return true;
}

static bool fail_unknown(const char *directory, const char *name, bool is_real, struct err *err)
{
	struct nearest nearest = {0};
	struct err ignored;
	char **names = workloads_names(directory, &ignored);

	for (char **known = names; known && *known; known++)
		nearest_consider(&nearest, name, *known);
	err_set(err, "there is no workload \"%s\"; %s`cyclestack workloads` lists them%s", name,
		nearest_ask(&nearest, "did you mean @", "? ").text,
		is_real ? ", `make real-workloads` builds the real ones" : "");
	workloads_names_free(names);
	return false;
}

bool workload_find(const char *text, struct workload *workload, struct err *err)
{
	char directory[PATH_BYTES], name[64], size[16];

	*workload = (struct workload){0};
	if (!workloads_directory(directory, sizeof(directory), err) ||
	    !workload_split(text, name, size, err))
		return false;
	bool is_real = strncmp(name, REAL, strlen(REAL)) == 0;
	const char *base = is_real ? name + strlen(REAL) : name;
	snprintf(workload->elf, sizeof(workload->elf), "%s/%s", directory, name);
	if (!base[0] || strpbrk(base, "/.") || access(workload->elf, R_OK) != 0)
		return fail_unknown(directory, name, is_real, err);
	if (!is_real) {
		snprintf(workload->line, sizeof(workload->line), "%s", size);
		workload->instructions = workload_instructions(directory, name, size);
		return split_arguments(workload);
	}
	if (strchr(text, ':'))
		return err_set(err, "@%s: real programs have one input and no sizes; write @%s",
			       text, name);
	if (!workload_read_line(directory, name, ".args", workload->line, sizeof(workload->line)) ||
	    !split_arguments(workload))
		return err_set(err,
			       "%s.args does not hold the arguments of %s; `make "
			       "real-workloads` writes it",
			       workload->elf, name);
	snprintf(workload->input, sizeof(workload->input), "%s/" REAL "input", directory);
	return true;
}
