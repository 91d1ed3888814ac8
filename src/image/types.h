/*
 * types.h - the type of a variable, and of what an instruction accesses, by DWARF.
 *
 * A variable has the type of its declaration; of an array, the type is that of its elements. What
 * an instruction accesses has a type if its base register
 *   - holds a variable that is a pointer, at that address (by its location), or the frame in which
 *     a variable lies;
 *   - or was last written, in the straight line of code before it, by a load of a pointer from
 *     something typed itself, by a move, or by adding to something typed (an index, whose size is
 *     not looked at: an element of an array is like any other).
 * Nothing is known of what else a register holds: then there is no type. Code that is jumped into
 * from elsewhere may have another value in it than the line before it says.
 *
 * A type's fields are those that are no structures themselves, by the path of their names; an array
 * in it is one field. What holds: fields ascend by offset and lie within the type; those of a union
 * may overlap. Bit fields are their storage; types that are only declared are not known.
 *
 * Everything in the file is hostile: chains, depths and numbers are bounded.
 */
#ifndef IMAGE_TYPES_H
#define IMAGE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define TYPE_FIELDS_MOST 512
#define TYPE_NAME_BYTES	 256

struct type_field {
	char *name;
	uint64_t offset, bytes;
};

struct type {
	char *name;		   /* "struct node", "double", "long *" */
	uint64_t bytes;		   /* not 0 */
	struct type_field *fields; /* none: it is no structure */
	size_t field_count;
};

/* Where in a type an access begins. */
struct typed {
	const struct type *type; /* owned by the table */
	uint64_t offset;	 /* below its bytes */
};

/* The four bytes of code at an address of the file, or the two that there are; false: none. */
struct type_code {
	bool (*read)(void *context, uint64_t address, uint32_t *raw);
	void *context;
};

struct types;

/* To be freed with types_free(). NULL with a sentence if the file is no ELF file, or its debugging
 * information is broken. `bytes` must outlive it. */
struct types *types_read(const uint8_t *bytes, size_t size, const char *name, struct err *err);
void types_free(struct types *types); /* NULL is accepted */

/* The type of the variable that begins at this address of the file, as far as that is known; for a
 * variable of threads (`is_tls`) at this offset, if the compiler wrote that (gcc does not). */
const struct type *types_of_variable(struct types *types, uint64_t address, bool is_tls);
/* What the load or store at an address of the file accesses; its `type` is NULL if that is not
 * known. */
struct typed types_of_access(struct types *types, const struct type_code *code, uint64_t pc);

/* The field that has this offset, the last that begins at or before it; NULL: none has. */
const struct type_field *type_field_at(const struct type *type, uint64_t offset);

#endif
