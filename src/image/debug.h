/*
 * debug.h - what is known about the code of a program: its functions, source lines and inlined
 * calls. Each table is read when it is first asked for, and once.
 *
 * They come from the program's own file, or from a file that its debugging information was split
 * off to, which has them all. Reading runs libelf and libdw over bytes that may be hostile; a
 * function of the caller is told when that begins and ends.
 */
#ifndef IMAGE_DEBUG_H
#define IMAGE_DEBUG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "image/inlined.h"
#include "image/lines.h"
#include "image/symbols.h"
#include "image/types.h"

struct debug_options {
	const uint8_t *bytes; /* of an ELF file; not owned */
	size_t size;
	const char *name; /* for messages; not owned */
	bool raw_names;	  /* names are shown as they are in the file */
	/* Told when reading begins and ends; may be NULL. */
	void (*note)(void *context, bool reads);
	void *context;
};

struct debug {
	struct debug_options options;
	struct symbols *symbols; /* NULL: not read yet, or cannot be read; as the others */
	struct symbols *objects, *tls;
	struct types *types;
	struct lines *lines;
	struct inlined *inlined;
	bool lines_tried, inlined_tried, objects_tried, types_tried;
};

void debug_init(struct debug *debug, const struct debug_options *options);
void debug_release(struct debug *debug);

/* NULL with a sentence if they cannot be read. */
const struct symbols *debug_symbols(struct debug *debug, struct err *err);

/* Its variables, and those that each thread has (SYMBOLS_TLS); NULL if they cannot be read. */
const struct symbols *debug_objects(struct debug *debug);
const struct symbols *debug_tls(struct debug *debug);

/* As types_of_variable() and types_of_access(). */
const struct type *debug_type_of_variable(struct debug *debug, uint64_t address, bool is_tls);
struct typed debug_type_of_access(struct debug *debug, const struct type_code *code, uint64_t pc);

/* NULL if they cannot be read: a caller goes on without them. */
const struct lines *debug_lines(struct debug *debug);

/* As inlined_find(). */
size_t debug_inlined(struct debug *debug, uint64_t address, const struct inlined_call **calls);

/* The name of the function at an address, to be shown; NULL if it has none. *symbol, if not NULL,
 * is set then. */
const char *debug_function(struct debug *debug, uint64_t address, const struct symbol **symbol);

#endif
