/*
 * path.h - the value at a path of a result: names of members joined by dots, such as
 * "judge.summary.mean_error". If there is no such member, the value is NULL and the number 0.
 * A path may be several joined by "|", for results of several versions: the first that leads to a
 * value counts. Names of members must contain neither; items of arrays have no path.
 */
#ifndef PAPERS_PATH_H
#define PAPERS_PATH_H

#include <jansson.h>
#include <string.h>

static inline const json_t *path_value(const json_t *from, const char *path)
{
	const json_t *at = from;

	while (at && path) {
		size_t length = strcspn(path, ".|");

		at = json_object_getn(at, path, length);
		path = at ? path + length : strchr(path, '|');
		if (!path || !*path || (at && *path == '|'))
			break;
		at = at ? at : from;
		path++;
	}
	return at;
}

static inline double path_number(const json_t *from, const char *path)
{
	return json_number_value(path_value(from, path));
}

#endif
