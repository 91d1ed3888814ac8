#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/program.h"

#define REAL "real/"

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

bool workload_split(const char *text, char name[64], char size[16], struct err *err)
{
	size_t length = strcspn(text, ":");

	snprintf(name, 64, "%.*s", (int)(length < 63 ? length : 63), text);
	snprintf(size, 16, "%.15s", text[length] ? text + length + 1 : "small");
	if (strcmp(size, "test") != 0 && strcmp(size, "small") != 0 && strcmp(size, "ref") != 0)
		return err_set(err, "workload sizes are test, small and ref, not \"%s\"", size);
	return true;
}

bool workload_read_line(const char *directory, const char *name, const char *suffix, char *line,
			size_t bytes)
{
	char path[2 * PATH_BYTES];

	snprintf(path, sizeof(path), "%s/%s%s", directory, name, suffix);
	FILE *in = fopen(path, "r");
	if (!in)
		return false;
	bool ok = fgets(line, (int)bytes, in);
	fclose(in);
	if (ok)
		line[strcspn(line, "\n")] = 0;
	return ok;
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
		return err_set(err,
			       "there is no workload \"%s\"; `cyclestack workloads` lists them%s",
			       name, is_real ? ", `make real-workloads` builds the real ones" : "");
	if (!is_real) {
		snprintf(workload->line, sizeof(workload->line), "%s", size);
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
