/*
 * program.h - a program to be run: its bytes, its arguments, and the parts of the host it may use.
 *
 * The ELF is only stored here; the jailed worker parses it.
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
	char *name; /* the name that the user gave, for messages */
	uint8_t *image;
	size_t image_bytes;
	/* A file with its symbols and debugging information (debug_file.h); NULL: none. */
	uint8_t *debug;
	size_t debug_bytes;
	bool raw_names; /* functions are named as in the file */
	char hash[65];	/* SHA-256 of the image, in hexadecimal */
	char **argv;
	size_t argc;
	const char **env;
	struct mount *mounts;
	size_t mount_count;
	/* Behind the mounts: directories with debugging information of libraries (--debug-dir). The
	 * worker may read them, and the guest does not see them. */
	size_t debug_mount_count;
	char *cwd;
	uint64_t seed, memory_bytes, max_instructions;
	uint64_t usual_instructions; /* it executes about so many; 0: not known */
	double timeout_seconds;
	enum config_profile profile; /* of a run without a machine */
	bool strict;
	bool keeps_mtime;	   /* as process_options has it */
	bool stdin_is_file;	   /* the same */
	bool may_lack_landlock;	   /* run with mounts even where the kernel has no Landlock */
	const char *const *denied; /* not owned */
	size_t denied_count;
};

/* Of the mounts, and of the directories behind them: what the jail lets a worker use. */
size_t program_directories(const struct program *program);
/* Reads the file at `path` into the program and hashes it; false with a sentence. */
bool program_read(struct program *program, const char *path, struct err *err);
/* Sets the hash of an image that is there. */
void program_hash(struct program *program);
void program_release(struct program *program);

/* The options for process_create, without the function that receives warnings. */
struct process_options program_process_options(const struct program *program);

/* The program as it is named in results: argv[0], the other arguments, the file's hash. Bytes
 * that are not UTF-8 become '?'. */
json_t *program_json(const struct program *program);

#endif
