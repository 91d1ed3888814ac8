/*
 * lines.h - the source line of an address.
 *
 * Runs the line number programs of .debug_line (DWARF 2 to 5, 32- and 64-bit
 * format) once and keeps the result as an array of address ranges, ascending
 * and disjoint, each not empty and within one executable section. Neighbours
 * with the same file, line and column are one range. Where two sequences claim
 * an address (functions folded together by the linker) the one that begins
 * lower wins, then the one earlier in the section. Sequences that begin outside
 * the executable sections are code the linker threw away, and rows with line 0
 * have no source: both are left out.
 *
 * Everything in the file is hostile until checked: work and memory are linear
 * in the size of the file, and limited by LINES_LIMIT and LINES_NAMES_LIMIT.
 *
 * File names are what the compiler was given: the name alone, or its directory,
 * a slash and the name. The directory in which the compiler ran is kept beside
 * them, so that a name does not depend on where a program was built (unless the
 * compiler was given absolute names). Both are printable as in symbols.h.
 *
 * .debug_info is not read, so in DWARF 2 to 4 the compiler's directory is not
 * known; is_stmt, views, discriminators and prologue marks are
 * ignored. Compressed sections and unlinked objects are refused.
 */
#ifndef IMAGE_LINES_H
#define IMAGE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define LINES_LIMIT	  (UINT32_C(1) << 24) /* ranges; a larger table is refused */
#define LINES_NAMES_LIMIT (UINT32_C(1) << 28) /* bytes of all distinct file names */
#define LINES_PATH_BYTES  4096		      /* longer file names are cut */

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
 * information is compressed, broken or too large; a caller can go on without lines. `bytes` is
 * not kept. */
struct lines *lines_read(const uint8_t *bytes, size_t size, const char *name, struct err *err);

/* NULL is accepted. */
void lines_free(struct lines *lines);

/* False, leaving *out alone, if nothing is known about the address. */
bool lines_find(const struct lines *lines, uint64_t address, struct source_line *out);

size_t lines_count(const struct lines *lines);
const struct line_range *lines_at(const struct lines *lines, size_t index);

/* The files ranges refer to; no two have the same name and the same directory. */
size_t lines_file_count(const struct lines *lines);
const char *lines_file(const struct lines *lines, size_t index);

#endif
