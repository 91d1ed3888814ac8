/*
 * result_text.h - the text of a result: what --json writes, byte by byte.
 */
#ifndef VALUE_RESULT_TEXT_H
#define VALUE_RESULT_TEXT_H

#include <jansson.h>
#include <stddef.h>

/* With a newline at its end, and a 0 behind that which does not count. To be freed; NULL if it
 * cannot be written as JSON. */
char *result_text(const json_t *result, size_t *bytes);

#endif
