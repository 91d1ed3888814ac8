/* Combinations of values: their order, what is no axis, and how many there may be. */
#include "../test.h"
#include "base/array.h"
#include "experiment/grid.h"

/* "change change; change; ..." */
static const char *text_of(const struct grid *grid)
{
	static char text[1024];
	size_t at = 0;

	text[0] = 0;
	for (size_t i = 0; i < grid->count; i++) {
		for (size_t k = 0; k < grid->points[i].count; k++)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", k ? " " : "",
					       grid->points[i].changes[k]);
		at += (size_t)snprintf(text + at, sizeof(text) - at, "; ");
	}
	return text;
}

TEST(the_first_axis_is_the_slowest)
{
	struct grid grid = {0};

	assert_string_equal(text_of(&grid), "");
	grid_add(&grid, GRID_EMPTY, NULL);
	assert_string_equal(text_of(&grid), "; ");
	assert_true(grid_multiply(&grid, "a=1,2", 100));
	assert_string_equal(text_of(&grid), "a=1; a=2; ");
	assert_true(grid_multiply(&grid, "b.c=x,y,z", 100));
	assert_string_equal(text_of(&grid),
			    "a=1 b.c=x; a=1 b.c=y; a=1 b.c=z; a=2 b.c=x; a=2 b.c=y; a=2 b.c=z; ");
	/* One value multiplies by one; the same key again comes behind the first. */
	assert_true(grid_multiply(&grid, "a=7", 100));
	assert_int_equal(grid.count, 6);
	assert_string_equal(grid.points[5].changes[2], "a=7");
	grid_release(&grid);
	assert_string_equal(text_of(&grid), "");
	/* Nothing times something. */
	assert_true(grid_multiply(&grid, "a=1,2", 100));
	assert_int_equal(grid.count, 0);
	grid_release(&grid);
}

TEST(lists_begin_with_those_of_another)
{
	struct grid grid = {0};

	grid_add(&grid, GRID_EMPTY, NULL);
	grid_add_change(&grid, "set=1,2"); /* one change, whatever is in it */
	grid_add(&grid, 0, "a=1,b=2");
	grid_add(&grid, 0, "c=3");
	grid_add(&grid, 1, NULL);
	assert_string_equal(text_of(&grid),
			    "set=1,2; set=1,2 a=1 b=2; set=1,2 c=3; set=1,2 a=1 b=2; ");
	assert_int_equal(grid.points[0].count, 1);
	assert_true(grid_multiply(&grid, "d=4", 4));
	assert_string_equal(
		text_of(&grid),
		"set=1,2 d=4; set=1,2 a=1 b=2 d=4; set=1,2 c=3 d=4; set=1,2 a=1 b=2 d=4; ");
	grid_release(&grid);
}

TEST(bad_input)
{
	static const struct {
		const char *axis, *text; /* NULL: no axis */
	} rows[] = {
		{"", NULL},	{"a", NULL},	      {"a,b", NULL},
		{"a=", "a=; "}, {"a=,", "a=; a=; "},  {"a=1,,2", "a=1; a=; a=2; "},
		{"=1", "=1; "}, {"a=b=c", "a=b=c; "}, {"a=1,b=2", "a=1; a=b=2; "},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct grid grid = {0};

		grid_add(&grid, GRID_EMPTY, NULL);
		assert_int_equal(grid_is_axis(rows[i].axis), rows[i].text != NULL);
		if (rows[i].text) {
			assert_true(grid_multiply(&grid, rows[i].axis, 100));
			assert_string_equal(text_of(&grid), rows[i].text);
		}
		grid_release(&grid);
	}
}

TEST(there_is_a_most)
{
	static const struct {
		size_t most;
		bool ok;
	} rows[] = {{5, false}, {6, true}, {7, true}};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct grid grid = {0};

		grid_add(&grid, GRID_EMPTY, NULL);
		assert_true(grid_multiply(&grid, "a=1,2", rows[i].most));
		assert_int_equal(grid_multiply(&grid, "b=1,2,3", rows[i].most), rows[i].ok);
		grid_release(&grid);
	}
}
