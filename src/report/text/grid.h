/*
 * grid.h - a table of short strings for a terminal: rows with a name, columns with a heading.
 * Columns that do not fit are continued below, with the names repeated, so no line wraps.
 */
#ifndef REPORT_TEXT_GRID_H
#define REPORT_TEXT_GRID_H

#include <stddef.h>
#include <stdio.h>

#include "report/text/terminal.h"

#define GRID_CELL_BYTES TERMINAL_NUMBER_BYTES

struct grid;

struct grid *grid_create(size_t rows, size_t columns);
void grid_destroy(struct grid *grid);
/* Strings are copied; those of cells are cut to GRID_CELL_BYTES. */
void grid_set_row(struct grid *grid, size_t row, const char *name);
void grid_set_column(struct grid *grid, size_t column, const char *heading);
void grid_set(struct grid *grid, size_t row, size_t column, const char *text);
void grid_print(FILE *out, const struct grid *grid, const struct terminal *terminal);

#endif
