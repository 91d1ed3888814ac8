/*
 * data_types.h - the type and the field that a cell's accesses are of.
 *
 * Of a variable whose type is known, by where in it they are; of all else by the instruction
 * (image/types.h). Types of the same name and size are one, whatever file declares them.
 */
#ifndef JOB_DATA_TYPES_H
#define JOB_DATA_TYPES_H

#include "image/types.h"
#include "job/data_objects.h"

struct data_typed {
	const struct type *type;	/* NULL: not known */
	const struct type_field *field; /* NULL: it has none there */
};

/* `pc` and the type at it are kept from the last cell; zeros at first. */
struct data_types {
	uint64_t pc;
	bool is_known;
	struct data_typed typed;
};

struct data_typed data_types_of(struct data_types *types, struct data_objects *objects,
				const struct data_cell *cell);

#endif
