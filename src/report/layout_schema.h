/*
 * layout_schema.h - the layout of a result as a JSON Schema (draft 2020-12), for programs that read
 * results: the files docs/schemas/SCHEMA.json.
 *
 * A schema says what layout_check holds: members of other names are allowed, counts and amounts are
 * in the range of layout.h, components and causes have the names of their tables. It does not say
 * that a whole number is written without a point, since JSON Schema counts 1.0 as whole.
 */
#ifndef REPORT_LAYOUT_SCHEMA_H
#define REPORT_LAYOUT_SCHEMA_H

#include "value/layout.h"

/* The schema of a whole result, owned by the caller. */
json_t *layout_schema(const struct layout *layout);

#endif
