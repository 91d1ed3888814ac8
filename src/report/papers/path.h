/*
 * path.h - what a path leads to in a result: names of members joined by dots, such as
 * "judge.summary.mean_error". Where it leads to nothing, the value is NULL and the number 0. No
 * member's name may have a dot in it; entries of arrays have no path.
 */
#ifndef REPORT_PAPERS_PATH_H
#define REPORT_PAPERS_PATH_H

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
