/*
 * program.h - the program a command line names.
 *
 * "@name:size" is a built-in workload, found beside the executable or under its
 * prefix's share directory, or where CYCLESTACK_WORKLOADS points; "@real/name" is
 * one of the programs `make real-workloads` puts there, which sees its input,
 * read-only, under /input. Anything else is a file. The ELF is only read here;
 * parsing it is the jailed worker's work.
 */
#ifndef CMD_PROGRAM_H
#define CMD_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/command.h"
#include "job/program.h"

/* From the guest options and the operands of a command. False with a sentence;
 * *status then is the exit status to use. Release either way. */
bool program_open(struct program *program, const struct args *args, int *status, struct err *err);

/* The directory that holds the built-in workloads, or false with a sentence. */
bool workloads_directory(char *path, size_t bytes, struct err *err);
/* Sorted names, the real programs last, NULL-terminated; free each and the list. */
char **workloads_names(const char *directory, struct err *err);
/* Splits "name[:size]"; size is "small" if not given. False if size is unknown. */
bool workload_split(const char *text, char name[64], char size[16], struct err *err);

/* Where a real workload sees its input. */
#define WORKLOAD_INPUT "/input"

/* What "name[:size]" or "real/name" stands for; arguments point into line. */
struct workload {
	char elf[2 * PATH_BYTES];
	char input[2 * PATH_BYTES]; /* the host directory to be WORKLOAD_INPUT, or "" */
	char line[1024];
	char *arguments[32];
	size_t argument_count;
};

/* False with a sentence if it is not there. */
bool workload_find(const char *text, struct workload *workload, struct err *err);
/* The first line of the file `name` and `suffix` make; false if there is none. */
bool workload_read_line(const char *directory, const char *name, const char *suffix, char *line,
			size_t bytes);

#endif
