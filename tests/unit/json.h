/* json.h - members of results, for tests of what they say. */
#ifndef TESTS_UNIT_JSON_H
#define TESTS_UNIT_JSON_H

#include "test.h"

#include <jansson.h>

/* A number that is there, up to what rounding may do. */
static inline void assert_number(const json_t *object, const char *name, double want)
{
	double got = json_number_value(json_object_get(object, name));

	if (!json_object_get(object, name) || got < want - 1e-9 || got > want + 1e-9)
		fail_msg("%s is %.9g, not %.9g", name, got, want);
}

/* A text, or "(none)". */
static inline const char *text(const json_t *object, const char *name)
{
	const char *value = json_string_value(json_object_get(object, name));

	return value ? value : "(none)";
}

#endif
