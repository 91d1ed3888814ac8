/*
 * program.h - a program to be run: its bytes, its arguments, and what of the host it may use.
 *
 * The ELF is only held here; parsing it is the work of whoever runs it, in the jailed worker.
 */
#ifndef JOB_PROGRAM_H
#define JOB_PROGRAM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linux/files.h"
#include "linux/process.h"

struct program {
	char *name; /* as the user said it, for messages */
	uint8_t *image;
	size_t image_bytes;
	char hash[65]; /* SHA-256 of the image, in hexadecimal */
	char **argv;
	size_t argc;
	const char **env;
	struct mount *mounts;
	size_t mount_count;
	char *cwd;
	uint64_t seed, memory_bytes, max_instructions;
	double timeout_seconds;
	bool strict;
	const char *const *denied; /* not owned */
	size_t denied_count;
};

/* Reads the file at `path` into the program and hashes it; false with a sentence. */
bool program_read(struct program *program, const char *path, struct err *err);
void program_release(struct program *program);

/* What process_create wants, less where warnings go. */
struct process_options program_process_options(const struct program *program);

/* The program as results name it: argv[0], the other arguments, the file's hash. Bytes
 * that are not UTF-8 become '?'. */
json_t *program_json(const struct program *program);

#endif
