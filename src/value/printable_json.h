/*
 * printable_json.h - text from outside as a JSON string: bytes that are not UTF-8, which JSON
 * cannot hold, and control characters become '?'.
 */
#ifndef VALUE_PRINTABLE_JSON_H
#define VALUE_PRINTABLE_JSON_H

#include <jansson.h>

json_t *printable_json(const char *text);

#endif
