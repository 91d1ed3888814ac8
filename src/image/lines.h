/*
 * lines.h - the source line of an address.
 *
 * libdw runs the line number programs of .debug_line; the result is an array of address ranges,
 * ascending and disjoint, each not empty and within one executable section. Neighbours with the
 * same file, line and column are one range. Where two ranges claim an address (functions folded
 * together by the linker) the one that begins lower wins, then the one earlier in the section.
 * Rows outside the executable sections are code the linker threw away, and rows with line 0 have
 * no source: both are left out.
 *
 * File names are what the compiler was given, without the directory in which the compiler ran. That
 * is kept beside them, so that a name does not depend on where a program was built. Both are
 * printable as in symbols.h.
 *
 * libdw sorts the rows of a unit, which hides where its sequences begin: if the linker threw away a
 * function and left it address 0, rows of it that reach up to the first executable section are
 * taken for code there. That takes a position-independent program with -ffunction-sections whose
 * code begins below the size of the function. is_stmt, views, discriminators and prologue marks are
 * ignored. What was inlined is told by inlined.h.
 */
#ifndef IMAGE_LINES_H
#define IMAGE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define LINES_LIMIT (UINT32_C(1) << 24) /* ranges; a larger table is refused */

struct source_line {
	const char *file;      /* owned by the table, as is the directory */
	const char *directory; /* where the compiler ran, if `file` is relative; "": not known */
	uint32_t line;	       /* never 0 */
	uint32_t column;       /* 0: not known */
};

struct line_range {
	uint64_t start;
	uint64_t end;  /* the first address after the range */
	uint32_t file; /* an index for lines_file() */
	uint32_t line;
	uint32_t column;
};

struct lines;

/* A table to be freed with lines_free(); an empty one when the file has no line information.
 * NULL with a sentence when the file is not a linked 64-bit little-endian ELF, or the
 * information is broken or too large; a caller can go on without lines. `bytes` is not kept. */
struct lines *lines_read(const uint8_t *bytes, size_t size, const char *name, struct err *err);

/* NULL is accepted. */
void lines_free(struct lines *lines);

/* False, leaving *out alone, if nothing is known about the address. */
bool lines_find(const struct lines *lines, uint64_t address, struct source_line *out);

size_t lines_count(const struct lines *lines);
const struct line_range *lines_at(const struct lines *lines, size_t index);

/* The files that ranges refer to. */
size_t lines_file_count(const struct lines *lines);
const char *lines_file(const struct lines *lines, size_t index);

#endif
