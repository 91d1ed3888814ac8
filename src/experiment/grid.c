#include "experiment/grid.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"

/* Appends the change "key=value", of which `key` has so many bytes with the sign. */
static void push(struct grid_point *point, const char *key, size_t key_bytes, const char *value,
		 size_t value_bytes)
{
	char *change = mem_alloc(key_bytes + value_bytes + 1);

	memcpy(change, key, key_bytes);
	memcpy(change + key_bytes, value, value_bytes);
	*ARRAY_PUSH(point->changes, point->count, point->capacity) = change;
}

static struct grid_point copy_of(const struct grid_point *from)
{
	struct grid_point copy = {0};

	for (size_t i = 0; i < from->count; i++)
		push(&copy, "", 0, from->changes[i], strlen(from->changes[i]));
	return copy;
}

/* The text up to the next comma; *at becomes what is behind that, or NULL. */
static size_t next_bytes(const char **at)
{
	const char *text = *at;
	size_t bytes = strcspn(text, ",");

	*at = text[bytes] ? text + bytes + 1 : NULL;
	return bytes;
}

void grid_add(struct grid *grid, size_t from, const char *changes)
{
	struct grid_point point = {0};

	if (from != GRID_EMPTY)
		point = copy_of(&grid->points[from]);
	for (const char *at = changes, *text; (text = at);) {
		size_t bytes = next_bytes(&at);

		push(&point, "", 0, text, bytes);
	}
	*ARRAY_PUSH(grid->points, grid->count, grid->capacity) = point;
}

void grid_add_change(struct grid *grid, const char *change)
{
	push(&grid->points[grid->count - 1], "", 0, change, strlen(change));
}

bool grid_is_axis(const char *text)
{
	return strchr(text, '=') != NULL;
}

bool grid_multiply(struct grid *grid, const char *axis, size_t most)
{
	const char *equals = strchr(axis, '=');
	struct grid all = {0};
	bool ok = true;

	BUG_ON(!equals);
	for (size_t i = 0; ok && i < grid->count; i++)
		for (const char *at = equals + 1, *value; ok && (value = at);) {
			size_t bytes = next_bytes(&at);

			ok = all.count < most;
			if (!ok)
				break;
			struct grid_point point = copy_of(&grid->points[i]);
			push(&point, axis, (size_t)(equals + 1 - axis), value, bytes);
			*ARRAY_PUSH(all.points, all.count, all.capacity) = point;
		}
	grid_release(grid);
	*grid = all;
	return ok;
}

void grid_release(struct grid *grid)
{
	for (size_t i = 0; i < grid->count; i++) {
		for (size_t k = 0; k < grid->points[i].count; k++)
			free(grid->points[i].changes[k]);
		free(grid->points[i].changes);
	}
	free(grid->points);
	*grid = (struct grid){0};
}
