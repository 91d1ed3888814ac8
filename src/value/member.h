/*
 * member.h - reads members of a result's JSON that has been checked against its layout: an absent
 * member reads as 0 or "".
 */
#ifndef VALUE_MEMBER_H
#define VALUE_MEMBER_H

#include <jansson.h>
#include <stdint.h>
#include <string.h>

static inline double member_number(const json_t *object, const char *name)
{
	return json_number_value(json_object_get(object, name));
}

static inline int64_t member_whole(const json_t *object, const char *name)
{
	return json_integer_value(json_object_get(object, name));
}

static inline const char *member_text(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

/* The first entry of a list that has this "name"; NULL if there is none. */
static inline const json_t *member_named(const json_t *list, const char *name)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(list, i, entry)
	{
		if (strcmp(member_text(entry, "name"), name) == 0)
			return entry;
	}
	return NULL;
}

#endif
