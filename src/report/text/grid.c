#include "report/text/grid.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define MOST_NAME_COLUMNS 24

struct cell {
	char text[GRID_CELL_BYTES];
};

struct grid {
	size_t rows, columns;
	char **names;
	struct cell *headings, *cells; /* cells are stored row by row */
};

struct grid *grid_create(size_t rows, size_t columns)
{
	struct grid *grid = mem_alloc(sizeof(*grid));

	grid->rows = rows;
	grid->columns = columns;
	grid->names = mem_alloc_array(rows, sizeof(*grid->names));
	grid->headings = mem_alloc_array(columns, sizeof(*grid->headings));
	grid->cells = mem_alloc_array(rows * columns, sizeof(*grid->cells));
	return grid;
}

void grid_destroy(struct grid *grid)
{
	for (size_t i = 0; i < grid->rows; i++)
		free(grid->names[i]);
	free(grid->names);
	free(grid->headings);
	free(grid->cells);
	free(grid);
}

static void set(struct cell *cell, const char *text)
{
	snprintf(cell->text, sizeof(cell->text), "%s", text);
}

void grid_set_row(struct grid *grid, size_t row, const char *name)
{
	free(grid->names[row]);
	grid->names[row] = mem_strdup(name);
}

void grid_set_column(struct grid *grid, size_t column, const char *heading)
{
	set(&grid->headings[column], heading);
}

void grid_set(struct grid *grid, size_t row, size_t column, const char *text)
{
	set(&grid->cells[row * grid->columns + column], text);
}

static unsigned column_width(const struct grid *grid, size_t column)
{
	size_t width = strlen(grid->headings[column].text);

	for (size_t i = 0; i < grid->rows; i++) {
		size_t cell = strlen(grid->cells[i * grid->columns + column].text);

		if (cell > width)
			width = cell;
	}
	return (unsigned)width;
}

static unsigned names_width(const struct grid *grid, const struct terminal *terminal)
{
	unsigned width = 0;

	for (size_t i = 0; i < grid->rows; i++) {
		unsigned columns = terminal_columns(terminal, grid->names[i]);

		if (columns > width)
			width = columns;
	}
	return width < MOST_NAME_COLUMNS ? width : MOST_NAME_COLUMNS;
}

/* Prints the columns [first, end) after the row names. */
static void print_block(FILE *out, const struct grid *grid, const struct terminal *terminal,
			unsigned names, size_t first, size_t end)
{
	fprintf(out, "%*s", (int)names, "");
	for (size_t k = first; k < end; k++)
		fprintf(out, " %*s", (int)column_width(grid, k), grid->headings[k].text);
	fputc('\n', out);
	for (size_t i = 0; i < grid->rows; i++) {
		const struct cell *cells = &grid->cells[i * grid->columns];
		size_t last = end;

		terminal_put(out, terminal, grid->names[i], names);
		while (last > first && !cells[last - 1].text[0])
			last--;
		for (size_t k = first; k < last; k++)
			fprintf(out, " %*s", (int)column_width(grid, k), cells[k].text);
		fputc('\n', out);
	}
}

void grid_print(FILE *out, const struct grid *grid, const struct terminal *terminal)
{
	unsigned names = names_width(grid, terminal);

	for (size_t first = 0, end; first < grid->columns; first = end) {
		unsigned used = names;

		for (end = first; end < grid->columns; end++) {
			unsigned width = column_width(grid, end) + 1;

			if (end > first && used + width > terminal->width)
				break;
			used += width;
		}
		print_block(out, grid, terminal, names, first, end);
		if (end < grid->columns)
			fputc('\n', out);
	}
}
