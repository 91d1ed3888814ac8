/*
 * inlined.h - the functions that a compiler inlined at an address, by DWARF's
 * DW_TAG_inlined_subroutine.
 *
 * Finding out which unit an address belongs to is done once for all units; a unit's tree is read
 * when an address in it is first asked for. Of overlapping ranges the one that begins last is taken
 * for the inner one, which it is if they nest.
 *
 * Names are shown as in names.h. A unit whose tree is broken has what was read before the break.
 * Units in separate .dwo files are not read.
 */
#ifndef IMAGE_INLINED_H
#define IMAGE_INLINED_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define INLINED_MOST 64 /* calls within each other at one address; inner ones are left out */

struct inlined_call {
	const char *name; /* of the function that was called; owned by the table, as is the file */
	const char *file; /* from where; as in lines.h; "": not known */
	uint32_t line;	  /* 0: not known */
};

struct inlined;

/* A table to be freed with inlined_free(); an empty one if there is no debugging information. NULL
 * with a sentence as for lines_read(). `bytes` must outlive the table. */
struct inlined *inlined_read(const uint8_t *bytes, size_t size, const char *name, struct err *err);
void inlined_free(struct inlined *inlined); /* NULL is accepted */

/* From now on names are as in the file. */
void inlined_show_raw(struct inlined *inlined);

/* The calls at an address, the outermost first: it was made in the function that the address has a
 * symbol of, and each that follows in the one before it. How many there are; 0: nothing was inlined
 * here. The array is valid until the table is freed. */
size_t inlined_find(struct inlined *inlined, uint64_t address, const struct inlined_call **calls);

#endif
