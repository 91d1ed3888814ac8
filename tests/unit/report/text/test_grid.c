/* Tables of text: widths of columns, columns continued below, empty cells and long names. */
#include "../printed.h"

#include "report/text/grid.h"

static const char *const names[] = {"a", "second row", "third"};
static const char *const headings[] = {"x", "wide heading", "y", "z"};
static const char *const cells[3][4] = {
	{"1.25", "2", "", ""}, {"-3", "", "44", ""}, {"", "", "", "123456"}};

static struct grid *small_grid(void)
{
	struct grid *grid = grid_create(3, 4);

	for (size_t k = 0; k < 4; k++)
		grid_set_column(grid, k, headings[k]);
	for (size_t i = 0; i < 3; i++) {
		grid_set_row(grid, i, "renamed");
		grid_set_row(grid, i, names[i]);
		for (size_t k = 0; k < 4; k++)
			grid_set(grid, i, k, cells[i][k]);
	}
	return grid;
}

static void is_grid(unsigned width, const char *wanted)
{
	const struct terminal terminal = {.width = width};
	struct grid *grid = small_grid();
	struct printed p;

	grid_print(printed_open(&p), grid, &terminal);
	grid_destroy(grid);
	printed_is(&p, wanted);
}

/* Names take 10 columns, the others 1+4, 1+12, 1+2 and 1+6: 38 together. */
static void columns_are_as_wide_as_their_widest_cell(void **state)
{
	static const char wanted[] = "              x wide heading  y      z\n"
				     "a          1.25            2\n"
				     "second row   -3              44\n"
				     "third                           123456\n";

	(void)state;
	is_grid(100, wanted);
	is_grid(38, wanted);
}

static void columns_that_do_not_fit_are_continued_below(void **state)
{
	(void)state;
	is_grid(37, "              x wide heading  y\n"
		    "a          1.25            2\n"
		    "second row   -3              44\n"
		    "third     \n"
		    "\n"
		    "                z\n"
		    "a         \n"
		    "second row\n"
		    "third      123456\n");
	is_grid(28, "              x wide heading\n"
		    "a          1.25            2\n"
		    "second row   -3\n"
		    "third     \n"
		    "\n"
		    "            y      z\n"
		    "a         \n"
		    "second row 44\n"
		    "third         123456\n");
	/* A column that is too wide alone is printed all the same. */
	is_grid(20, "              x\n"
		    "a          1.25\n"
		    "second row   -3\n"
		    "third     \n"
		    "\n"
		    "           wide heading\n"
		    "a                     2\n"
		    "second row\n"
		    "third     \n"
		    "\n"
		    "            y      z\n"
		    "a         \n"
		    "second row 44\n"
		    "third         123456\n");
}

/* Names have at most 24 columns, and a cell 31 bytes. */
static void long_names_and_cells_are_cut(void **state)
{
	const struct terminal terminal = {.width = 100};
	struct grid *grid = grid_create(2, 1);
	struct printed p;

	(void)state;
	grid_set_row(grid, 0, "abcdefghijklmnopqrstuvwxyz");
	grid_set_row(grid, 1, "abcdefghijklmnopqrstuvwx");
	grid_set_column(grid, 0, "c");
	grid_set(grid, 0, 0, "0123456789012345678901234567890123456789");
	grid_set(grid, 1, 0, "9");
	grid_print(printed_open(&p), grid, &terminal);
	printed_is(&p, "                                                       c\n"
		       "abcdefghijk...qrstuvwxyz 0123456789012345678901234567890\n"
		       "abcdefghijklmnopqrstuvwx                               9\n");
	grid_destroy(grid);
	grid = grid_create(1, 1);
	grid_set_row(grid, 0, "abcdefghijklmnopqrstuvw");
	grid_set_column(grid, 0, "c");
	grid_set(grid, 0, 0, "9");
	grid_print(printed_open(&p), grid, &terminal);
	printed_is(&p, "                        c\n"
		       "abcdefghijklmnopqrstuvw 9\n");
	grid_destroy(grid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_as_wide_as_their_widest_cell),
		cmocka_unit_test(columns_that_do_not_fit_are_continued_below),
		cmocka_unit_test(long_names_and_cells_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
