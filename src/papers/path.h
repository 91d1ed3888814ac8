/*
 * path.h - the value at a path of a result: names of members joined by dots, such as
 * "judge.summary.mean_error". If there is no such member, the value is NULL and the number 0.
 * Names of members must not contain a dot; items of arrays have no path.
 */
#ifndef PAPERS_PATH_H
#define PAPERS_PATH_H

#include <jansson.h>
#include <string.h>

static inline const json_t *path_value(const json_t *from, const char *path)
{
	while (from && path) {
		size_t length = strcspn(path, ".");

		from = json_object_getn(from, path, length);
		path = path[length] ? path + length + 1 : NULL;
	}
	return from;
}

static inline double path_number(const json_t *from, const char *path)
{
	return json_number_value(path_value(from, path));
}

#endif
