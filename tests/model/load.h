/*
 * load.h - a workload as a process of this program and as a machine of the library, for programs
 * that compare both or measure them. What goes wrong ends the program with a sentence.
 */
#ifndef LOAD_H
#define LOAD_H

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "config/config.h"
#include "cyclestack.h"
#include "linux/process.h"

static inline void fail(const char *sentence)
{
	fprintf(stderr, "%s\n", sentence);
	exit(1);
}

/* The caller owns the bytes. */
static inline uint8_t *read_whole(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");

	if (!file || fseek(file, 0, SEEK_END) != 0)
		fail("the program cannot be read");
	*bytes = (size_t)ftell(file);
	rewind(file);
	uint8_t *image = mem_alloc(*bytes + 1);
	if (fread(image, 1, *bytes, file) != *bytes)
		fail("the program cannot be read");
	fclose(file);
	return image;
}

/* A silent process of the workload; the image must outlive it. */
static inline struct process *load_process(const uint8_t *image, size_t bytes, const char *name,
					   const char *size)
{
	const char *const argv[] = {name, size, NULL};
	const struct process_options options = {.program = name,
						.image = image,
						.image_bytes = bytes,
						.argv = argv,
						.seed = 1,
						.memory_limit_bytes = UINT64_C(4) << 30,
						.silent = true};
	struct err err = {.text = ""};
	struct process *process = process_create(&options, &err);

	if (!process)
		fail(err.text);
	return process;
}

/* The workload on chen2008 with perfect predictor and instruction cache; not yet started. */
static inline struct cs_machine *load_machine(const char *path, const char *size)
{
	char error[512];
	struct cs_machine *m = cs_open(path, error, sizeof(error));

	if (!m)
		fail(error);
	if (!cs_configure(m, "argv", size) || !cs_configure(m, "presets", "configs") ||
	    !cs_set_machine(m, "chen2008") || !cs_set_parameter(m, "ideal.branch", "true") ||
	    !cs_set_parameter(m, "ideal.l1i", "true"))
		fail(cs_error(m));
	return m;
}

static inline void load_config(struct config *config, const char *change)
{
	struct err err = {.text = ""};

	if (!config_load_preset(config, "chen2008", "configs", &err) ||
	    !config_set(config, change, &err))
		fail(err.text);
}

#endif
