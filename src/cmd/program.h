/*
 * program.h - the program that a command line names.
 *
 * "@name:size" is a built-in workload, found beside the executable or under its prefix's share
 * directory, or in the directory of CYCLESTACK_WORKLOADS; "@real/name" is one of the programs that
 * `make real-workloads` installs there, which finds its input, read-only, under /input. Anything
 * else is a file. The ELF is only read here; the jailed worker parses it.
 */
#ifndef CMD_PROGRAM_H
#define CMD_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/command.h"
#include "job/program.h"

/* Opens the program of a command's guest options and operands. False with a sentence. Release it
 * in both cases. */
bool program_open(struct program *program, const struct args *args, struct err *err);

/* The directory that holds the built-in workloads, or false with a sentence. */
bool workloads_directory(char *path, size_t bytes, struct err *err);
/* Sorted names, the real programs last, NULL-terminated; to be freed with the second, which accepts
 * NULL. */
char **workloads_names(const char *directory, struct err *err);
void workloads_names_free(char **names);
/* Splits "name[:size]"; size is "small" if not given. False if size is unknown. */
bool workload_split(const char *text, char name[64], char size[16], struct err *err);

/* The guest path of a real workload's input. */
#define WORKLOAD_INPUT "/input"

/* A resolved "name[:size]" or "real/name"; arguments point into line. */
struct workload {
	char elf[2 * PATH_BYTES];
	char input[2 * PATH_BYTES]; /* the host directory to mount as WORKLOAD_INPUT, or "" */
	char line[1024];
	char *arguments[32];
	size_t argument_count;
	uint64_t instructions; /* it executes about so many; 0: not known */
};

/* The sizes of a workload, the smallest first; NULL-terminated. */
extern const char *const workload_sizes[];
/* How many instructions a workload executes in a size, by the second line of its .about file, which
 * was measured on one build of it; 0: not known. */
uint64_t workload_instructions(const char *directory, const char *name, const char *size);

/* False with a sentence if the workload does not exist. */
bool workload_find(const char *text, struct workload *workload, struct err *err);
/* Reads the first line of the file whose name is `name` followed by `suffix`; false if there is
 * none. */
bool workload_read_line(const char *directory, const char *name, const char *suffix, char *line,
			size_t bytes);

#endif
