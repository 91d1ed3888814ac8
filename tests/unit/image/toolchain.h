/*
 * toolchain.h - programs compiled for a test, and what the binutils say about
 * them. All files live in a directory that is removed afterwards. A test
 * without the cross compiler skips, visibly.
 */
#ifndef TEST_PROG_TOOLCHAIN_H
#define TEST_PROG_TOOLCHAIN_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define TOOLCHAIN_PREFIX "riscv64-linux-gnu-"

struct toolchain {
	char directory[256];
};

/* Runs a shell command in the directory; its output is to be freed. Fails the
 * test if the command does. */
static inline char *toolchain_run(const struct toolchain *toolchain, const char *format, ...)
{
	char command[2048];
	char *output = NULL;
	size_t used = 0, capacity = 0;
	va_list ap;
	int byte;

	int prefix = snprintf(command, sizeof(command), "cd %s && ", toolchain->directory);
	va_start(ap, format);
	vsnprintf(command + prefix, sizeof(command) - (size_t)prefix, format, ap);
	va_end(ap);
	FILE *pipe = popen(command, "r");
	assert_non_null(pipe);
	while ((byte = fgetc(pipe)) != EOF)
		*ARRAY_PUSH(output, used, capacity) = (char)byte;
	*ARRAY_PUSH(output, used, capacity) = 0;
	if (pclose(pipe))
		fail_msg("failed: %s", command);
	return output;
}

/* Leaves NULL in *state without a cross compiler; the test then skips. */
static inline int toolchain_setup(void **state)
{
	if (system("command -v " TOOLCHAIN_PREFIX "gcc >/dev/null && command -v " TOOLCHAIN_PREFIX
		   "addr2line >/dev/null"))
		return 0;
	struct toolchain *toolchain = mem_alloc(sizeof(*toolchain));
	const char *parent = getenv("TMPDIR");
	snprintf(toolchain->directory, sizeof(toolchain->directory), "%s/prog-test-XXXXXX",
		 parent ? parent : P_tmpdir);
	*state = toolchain;
	return mkdtemp(toolchain->directory) ? 0 : -1;
}

static inline int toolchain_teardown(void **state)
{
	struct toolchain *toolchain = *state;
	char command[512];

	if (!toolchain)
		return 0;
	snprintf(command, sizeof(command), "rm -r %s", toolchain->directory);
	free(toolchain);
	return system(command);
}

static inline FILE *toolchain_open(const struct toolchain *toolchain, const char *name,
				   const char *mode)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", toolchain->directory, name);
	FILE *file = fopen(path, mode);
	assert_non_null(file);
	return file;
}

/* The contents, to be freed. */
static inline uint8_t *toolchain_load(const struct toolchain *toolchain, const char *name,
				      size_t *size)
{
	FILE *file = toolchain_open(toolchain, name, "rb");

	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	long bytes = ftell(file);
	assert_true(bytes > 0);
	rewind(file);
	uint8_t *contents = mem_alloc((size_t)bytes);
	*size = fread(contents, 1, (size_t)bytes, file);
	assert_int_equal(*size, bytes);
	fclose(file);
	return contents;
}

/* Ends the line at *text, moves *text behind it and returns it; NULL at the
 * end. */
static inline char *toolchain_line(char **text)
{
	char *line = *text;

	if (!*line)
		return NULL;
	char *end = strchr(line, '\n');
	*text = end ? end + 1 : line + strlen(line);
	if (end)
		*end = 0;
	return line;
}

#endif
