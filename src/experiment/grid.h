/*
 * grid.h - the combinations of values of some parameters: each a list of changes "key=value".
 *
 * A grid begins with lists that the caller adds; an axis "key=value,value,..." replaces each list
 * by one for each value, with that change behind the others. The first axis is the slowest: the
 * order is that of nested loops. What keys and values mean is not known here.
 */
#ifndef EXPERIMENT_GRID_H
#define EXPERIMENT_GRID_H

#include <stdbool.h>
#include <stddef.h>

struct grid_point {
	char **changes;
	size_t count, capacity;
};

struct grid {
	struct grid_point *points;
	size_t count, capacity;
};

/* Appends a list of changes: those of point number `from`, unless `from` is GRID_EMPTY, and then
 * those of the text "key=value,key=value,...", if it is not NULL. */
#define GRID_EMPTY SIZE_MAX
void grid_add(struct grid *grid, size_t from, const char *changes);
/* Appends one change to the last list. */
void grid_add_change(struct grid *grid, const char *change);
/* Whether the text has the form KEY=VALUE,VALUE,... */
bool grid_is_axis(const char *text);
/* Multiplies the grid by an axis. False if it would have more than `most` points. Release it either
 * way. */
bool grid_multiply(struct grid *grid, const char *axis, size_t most);
void grid_release(struct grid *grid);

#endif
