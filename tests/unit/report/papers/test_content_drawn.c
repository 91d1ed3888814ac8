/*
 * Drawings, tables and plots to the pixel and to the letter. Ranges are chosen so that a unit of
 * each axis is a whole number of pixels, which makes every coordinate of the expected files a sum
 * that can be done in the head: stacks go from 34 to 300 and 7 units, 38 pixels each; bars from 62
 * to 270 and 0.26, 800 a unit; plots from 46 to 746 and 7 cycles, 100 each.
 */
#include "../expected.h"

#include <math.h>

#include "report/papers/content_html.h"
#include "report/papers/content_svg.h"
#include "report/papers/content_text.h"
#include "value/component.h"

#define DATA "tests/unit/report/papers/data/"

struct sheet {
	FILE *out;
	char *text;
	size_t size;
	struct content content;
};

static void begin(struct sheet *sheet)
{
	sheet->text = NULL;
	sheet->out = open_memstream(&sheet->text, &sheet->size);
	content_init(&sheet->content);
}

static void end(struct sheet *sheet, const char *path)
{
	fclose(sheet->out);
	expected_text(path, sheet->text);
	free(sheet->text);
	content_release(&sheet->content);
}

static void draw_all(struct sheet *sheet, bool is_page)
{
	for (size_t i = 0; i < sheet->content.count; i++)
		if (sheet->content.blocks[i].drawing)
			content_svg_draw(sheet->out, sheet->content.blocks[i].drawing, is_page);
}

static struct content_group *group(struct content *content, struct content_drawing *drawing,
				   const char *name, const double *values)
{
	struct content_group *made = content_group(content, drawing, name);

	for (size_t i = 0; i < drawing->series_count; i++)
		content_set(made, i, values[i]);
	return made;
}

static void add_stack_series(struct content *content, struct content_drawing *drawing)
{
	content_series(content, drawing, "one", SVG_FIRST, COMPONENT_L2D);
	content_series(content, drawing, "two", SVG_SECOND, -1);
	content_series(content, drawing, "three", SVG_THIRD, COMPONENT_BASE);
	content_series(content, drawing, "four", SVG_WARN, -1);
}

/* 4 + 2 up and 1 down: a unit is 38 pixels, zero is at 262. */
static void stacks_are_to_scale(void **state)
{
	struct sheet sheet;

	(void)state;
	begin(&sheet);
	struct content_drawing *drawing =
		content_drawing(&sheet.content, CONTENT_STACKS, "Title <1>", "Said & done");
	drawing->heading = "heading";
	drawing->places = 2;
	add_stack_series(&sheet.content, drawing);
	group(&sheet.content, drawing, "labelled", (const double[]){4, -1, 0.005, 1.995})
		->is_labelled = true;
	group(&sheet.content, drawing, "plain", (const double[]){1, 0.001, 0.004, 2});
	group(&sheet.content, drawing, "ends", (const double[]){0.5, -0.5, 0, 0})->ends_block =
		true;
	group(&sheet.content, drawing, "last", (const double[]){3, 0, 0, -0.25});
	draw_all(&sheet, false);
	draw_all(&sheet, true);
	end(&sheet, DATA "stacks.svg.txt");
}

/* Four of 180, six of 74 and four of 54 pixels are 1380: half of it is there. */
static void stacks_that_need_more_room_are_narrower(void **state)
{
	struct sheet sheet;

	(void)state;
	begin(&sheet);
	struct content_drawing *drawing =
		content_drawing(&sheet.content, CONTENT_STACKS, "narrow", "d");
	add_stack_series(&sheet.content, drawing);
	for (unsigned i = 0; i < 14; i++) {
		struct content_group *made =
			group(&sheet.content, drawing, content_words(&sheet.content, "g%u", i),
			      (const double[]){1, 2, 3, 1});

		made->is_labelled = i < 4;
		made->ends_block = i < 10;
	}
	draw_all(&sheet, false);
	end(&sheet, DATA "narrow.svg.txt");
}

/* 0.26 from -0.06 to 0.2: a hundredth is 8 pixels, zero is at 222. */
static void bars_are_to_scale(void **state)
{
	struct sheet sheet;

	(void)state;
	begin(&sheet);
	struct content_drawing *drawing =
		content_drawing(&sheet.content, CONTENT_BARS, "Bars", "described");
	drawing->unit = CONTENT_PERCENT;
	drawing->top = 0.2;
	drawing->limit = 0.04;
	drawing->places = 1;
	content_series(&sheet.content, drawing, "first", SVG_FIRST, -1);
	content_series(&sheet.content, drawing, "second one", SVG_SECOND, -1);
	content_series(&sheet.content, drawing, "third", SVG_PALE, -1);
	group(&sheet.content, drawing, "left", (const double[]){0.1, -0.06, 0.2});
	group(&sheet.content, drawing, "right", (const double[]){0.31416, 0.05, 0});
	/* The highest bar is the end of the axis. */
	drawing = content_drawing(&sheet.content, CONTENT_BARS, "Free", "described");
	drawing->places = 2;
	content_series(&sheet.content, drawing, "only", SVG_THIRD, -1);
	for (unsigned i = 0; i < 7; i++)
		group(&sheet.content, drawing, "g", (const double[]){(double)i * 1.04 - 1.04});
	drawing = content_drawing(&sheet.content, CONTENT_BARS, "No groups", "at all");
	draw_all(&sheet, false);
	draw_all(&sheet, true);
	end(&sheet, DATA "bars.svg.txt");
}

static struct content_series *add_series(struct content *content, struct content_panel *panel,
					 const char *numbers, const char *name,
					 enum svg_colour colour, int style)
{
	json_t *values = json_loads(numbers, 0, NULL);
	struct content_series *series = content_plot_series(content, panel, values);

	series->name = name;
	series->colour = colour;
	series->style = style;
	json_decref(values);
	return series;
}

/* Seven cycles from -2 on; marks that would overlap are on three levels. */
static struct content_drawing *two_panels(struct content *content)
{
	static const struct {
		double x;
		const char *words;
	} marks[] = {{-1, "miss"},     {-0.9, "other thing"}, {-0.8, "third"},
		     {-0.7, "fourth"}, {0, "fourth"},	      {1, "B"},
		     {2, "B"},	       {3, "again"},	      {4, "again"},
		     {4.5, "miss"}};
	struct content_drawing *drawing = content_drawing(content, CONTENT_PLOT, "Plot", "curves");

	drawing->first = -2;
	drawing->x_title = "cycles";
	drawing->x_name = "cycle";
	drawing->shown = "mean";
	drawing->other = "example";
	drawing->places = 2;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		content_mark(content, drawing, marks[i].x, marks[i].words);
	struct content_panel *panel = content_panel(drawing, 58, 140, 4, 4);
	add_series(content, panel, "[0, 1, 7, 2.5, 3, 0, 1]", "area", SVG_PALE, CONTENT_AREA);
	struct content_series *series = add_series(content, panel, "[1, 2, 3, 4, 5, 6, 7]",
						   "a line", SVG_FIRST, CONTENT_LINE);
	series->words = "said";
	series->others = content_numbers(content, NULL, 7);
	series->others[2] = 0.125;
	series->curve = "curve";
	series = add_series(content, panel, "[100, 100]", "not drawn", SVG_WARN, CONTENT_UNDRAWN);
	series->curve = "undrawn";
	series->curve_unit = 50;
	panel = content_panel(drawing, 34, 70, 4, 3);
	add_series(content, panel, "[1, -3, 4]", "dashes", SVG_THIRD, CONTENT_DASHED);
	add_series(content, panel, "[2, 1]", NULL, SVG_WARN, CONTENT_LINE);
	add_series(content, panel, "[0, 1, 2]", "points", SVG_SECOND, CONTENT_POINTS)->words = "p";
	return drawing;
}

static struct content_drawing *over_xs(struct content *content)
{
	static double xs[] = {0, 10, 40};
	struct content_drawing *drawing = content_drawing(content, CONTENT_PLOT, "Over xs", "d");

	drawing->xs = xs;
	drawing->x_count = 3;
	drawing->x_title = "bytes";
	drawing->x_name = "size";
	drawing->shown = "LUTs";
	struct content_panel *panel = content_panel(drawing, 34, 100, 1, 5);
	add_series(content, panel, "[1, 2, 4]", "up", SVG_FIRST, CONTENT_LINE);
	add_series(content, panel, "[3, 1, 0]", "down", SVG_SECOND, CONTENT_AREA);
	return drawing;
}

static void plots_are_to_scale(void **state)
{
	struct sheet sheet;

	(void)state;
	begin(&sheet);
	two_panels(&sheet.content);
	over_xs(&sheet.content);
	/* One value, all values equal: the ranges are one. */
	struct content_drawing *drawing =
		content_drawing(&sheet.content, CONTENT_PLOT, "One value", "d");
	drawing->first = 5;
	drawing->x_title = "x";
	add_series(&sheet.content, content_panel(drawing, 20, 50, 0, 2), "[0]", "zero", SVG_INK,
		   CONTENT_LINE);
	draw_all(&sheet, false);
	end(&sheet, DATA "plots.svg.txt");
}

/* From -1 to 1 over 100 pixels, then from 0 to 2 over 60: each panel has an axis of its own. */
static void panels_have_their_own_range(void **state)
{
	struct sheet sheet;

	(void)state;
	begin(&sheet);
	struct content_drawing *drawing = content_drawing(&sheet.content, CONTENT_PLOT, "t", "d");
	drawing->x_title = "x";
	add_series(&sheet.content, content_panel(drawing, 10, 100, 0, 2), "[-1, 1]", "a", SVG_INK,
		   CONTENT_LINE);
	add_series(&sheet.content, content_panel(drawing, 20, 60, 0, 2), "[1, 2]", "b", SVG_INK,
		   CONTENT_LINE);
	draw_all(&sheet, false);
	fclose(sheet.out);
	assert_non_null(strstr(sheet.text, "<path d=\"M221 110L571 10\" fill=\"none\""));
	assert_non_null(strstr(sheet.text, "<path d=\"M221 160L571 130\" fill=\"none\""));
	assert_non_null(strstr(sheet.text, "viewBox=\"0 0 760 226\""));
	free(sheet.text);
	content_release(&sheet.content);
}

static void a_page_has_the_values(void **state)
{
	struct sheet sheet;

	(void)state;
	begin(&sheet);
	two_panels(&sheet.content);
	over_xs(&sheet.content);
	for (unsigned columns = 8; columns <= 9; columns++) {
		struct content_table *table = content_table(
			&sheet.content, columns == 8 ? "Caption & <c>" : NULL, "names <n>");

		for (unsigned i = 0; i < columns; i++)
			content_column(&sheet.content, table, i ? "c" : "left \"l\"",
				       i == 0	? CONTENT_LEFT
				       : i == 1 ? CONTENT_PERCENT
				       : i == 2 ? CONTENT_COUNT
						: CONTENT_NUMBER,
				       i);
		content_row(&sheet.content, table, "total & sum");
		content_row_total(table);
		content_cell_words(&sheet.content, table, "words <w>");
		content_value(table, 0.5);
		content_row(&sheet.content, table, "row");
		content_cell_words(&sheet.content, table, "w");
		content_value(table, -0.12345);
		content_value(table, 1234567.891);
		content_value(table, 3.14159);
		content_value(table, 1e13);
		content_value(table, 1.001e13);
		content_value(table, -1e13);
		content_value(table, INFINITY);
	}
	content_paragraph(&sheet.content, "A paragraph & more.");
	content_conclusion(&sheet.content, "A conclusion <c>.");
	content_html_write(sheet.out, &sheet.content);
	end(&sheet, DATA "content.html.txt");
}

static void print_at(struct sheet *sheet, unsigned width)
{
	const struct terminal terminal = {.width = width};

	fprintf(sheet->out, "== %u columns\n", width);
	content_text_print(sheet->out, &sheet->content, &terminal);
}

/* Each digit is the mean of as many values as make the curve fit; bars share one scale. */
static void text_has_curves_and_bars(void **state)
{
	struct sheet sheet;
	json_t *ramp = json_array();

	(void)state;
	begin(&sheet);
	two_panels(&sheet.content);
	struct content_drawing *drawing =
		content_drawing(&sheet.content, CONTENT_PLOT, "ramp", "d");
	drawing->first = 3;
	drawing->x_title = "cycles";
	drawing->shown = "example";
	for (int i = 0; i < 27; i++)
		json_array_append_new(ramp, json_integer(i));
	struct content_series *series =
		content_plot_series(&sheet.content, content_panel(drawing, 0, 10, 1, 1), ramp);
	series->curve = "ramp";
	series->curve_unit = 2;
	json_decref(ramp);
	drawing = over_xs(&sheet.content);
	drawing->has_bars = true;
	drawing = content_drawing(&sheet.content, CONTENT_PLOT, "many", "d");
	drawing->xs = content_numbers(&sheet.content, NULL, 2);
	drawing->xs[1] = 1024;
	drawing->x_count = 2;
	drawing->x_name = "N";
	drawing->shown = "ten";
	drawing->has_bars = true;
	struct content_panel *panel = content_panel(drawing, 0, 10, 1, 1);
	add_series(&sheet.content, panel, "[-5, 100]", "name that is too long", SVG_INK,
		   CONTENT_LINE);
	add_series(&sheet.content, panel, "[50, 0]", "b", SVG_INK, CONTENT_LINE);
	add_series(&sheet.content, panel, "[25, 75]", "another long one", SVG_INK, CONTENT_LINE);
	/* Nothing above zero: nothing is shown. */
	drawing = content_drawing(&sheet.content, CONTENT_PLOT, "none", "d");
	drawing->has_bars = true;
	add_series(&sheet.content, content_panel(drawing, 0, 10, 1, 1), "[0, -1]", "n", SVG_INK,
		   CONTENT_LINE);
	print_at(&sheet, 80);
	print_at(&sheet, 40);
	end(&sheet, DATA "content.txt");
}

/* At 40 columns 26 are left for digits: 26 values have one each, 27 share. */
static void curves_share_digits_only_where_they_must(void **state)
{
	struct sheet sheet;

	(void)state;
	for (unsigned length = 26; length <= 27; length++) {
		const struct terminal terminal = {.width = 40};
		json_t *ones = json_array();

		begin(&sheet);
		struct content_drawing *drawing =
			content_drawing(&sheet.content, CONTENT_PLOT, "t", "d");
		drawing->x_title = "x";
		drawing->shown = "s";
		for (unsigned i = 0; i < length; i++)
			json_array_append_new(ones, json_integer(1));
		content_plot_series(&sheet.content, content_panel(drawing, 0, 10, 1, 1), ones)
			->curve = "ones";
		json_decref(ones);
		content_text_print(sheet.out, &sheet.content, &terminal);
		fclose(sheet.out);
		assert_string_equal(sheet.text,
				    length == 26 ? "s; x 0 to 25, 1 to a digit, . is below a half\n"
						   "ones         11111111111111111111111111\n"
						 : "s; x 0 to 26, 2 to a digit, . is below a half\n"
						   "ones         11111111111111\n");
		free(sheet.text);
		content_release(&sheet.content);
	}
}

/* Of 34 columns beside the names eight series have four each, of which two are for the bar; eleven
 * have three, and a bar is one. */
static void many_series_have_short_bars(void **state)
{
	static const struct {
		size_t series;
		const char *wanted;
	} rows[] = {{8, "s; # is 2.0\n     n  a   a   a   a   a   a   a   a\n"
			"     1  ##  ##  ##  ##  ##  ##  ##  ##\n"},
		    {11, "s; # is 4.0\n     n  a  a  a  a  a  a  a  a  a  a  a\n"
			 "     1  #  #  #  #  #  #  #  #  #  #  #\n"}};
	static double xs[] = {1};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct terminal terminal = {.width = 40};
		struct sheet sheet;

		begin(&sheet);
		struct content_drawing *drawing =
			content_drawing(&sheet.content, CONTENT_PLOT, "t", "d");
		drawing->xs = xs;
		drawing->x_count = 1;
		drawing->x_name = "n";
		drawing->shown = "s";
		drawing->has_bars = true;
		struct content_panel *panel = content_panel(drawing, 0, 10, 1, 1);
		for (size_t k = 0; k < rows[i].series; k++)
			add_series(&sheet.content, panel, "[4]", "a", SVG_INK, CONTENT_LINE);
		content_text_print(sheet.out, &sheet.content, &terminal);
		fclose(sheet.out);
		assert_string_equal(sheet.text, rows[i].wanted);
		free(sheet.text);
		content_release(&sheet.content);
	}
}

static void words_may_be_none(void **state)
{
	struct content content;

	(void)state;
	content_init(&content);
	assert_string_equal(content_words(&content, "%s", ""), "");
	assert_string_equal(content_words(&content, "%d %s", 7, "x"), "7 x");
	assert_string_equal(content_whole(&content, 1234567.5), "1,234,568");
	assert_string_equal(content_whole(&content, INFINITY), "0");
	assert_string_equal(content_whole(&content, -1.1e13), "0");
	assert_null(content_picture(&content));
	content_release(&content);
}

/* More rows than the last one has cells; values of six digits; a plot of no values. */
static void pages_have_all_rows_and_digits(void **state)
{
	struct sheet sheet;

	(void)state;
	begin(&sheet);
	struct content_table *table = content_table(&sheet.content, NULL, "t");
	content_column(&sheet.content, table, "c", CONTENT_NUMBER, 0);
	for (unsigned i = 0; i < 3; i++) {
		content_row(&sheet.content, table, "row");
		content_value(table, i);
	}
	for (unsigned i = 0; i < 2; i++) {
		struct content_drawing *drawing =
			content_drawing(&sheet.content, CONTENT_PLOT, "t", "d");

		drawing->x_name = drawing->x_title = drawing->shown = "x";
		struct content_panel *panel = content_panel(drawing, 10, 20, 1, 2);
		if (i)
			add_series(&sheet.content, panel, "[1.23456789]", "n", SVG_INK,
				   CONTENT_LINE)
				->words = "w";
	}
	content_html_write(sheet.out, &sheet.content);
	fclose(sheet.out);
	assert_non_null(strstr(sheet.text,
			       "<tbody>\n"
			       "<tr><th scope=\"row\"><bdi>row</bdi></th><td>0</td></tr>\n"
			       "<tr><th scope=\"row\"><bdi>row</bdi></th><td>1</td></tr>\n"
			       "<tr><th scope=\"row\"><bdi>row</bdi></th><td>2</td></tr>\n"
			       "</tbody>"));
	assert_non_null(strstr(sheet.text, "&quot;length&quot;:0,&quot;series&quot;:[]}"));
	assert_non_null(strstr(sheet.text,
			       "&quot;length&quot;:1,&quot;series&quot;:[[&quot;w&quot;,"
			       "[1.23457],[]]]}"));
	free(sheet.text);
	content_release(&sheet.content);
}

/* What is not finite, or too large, counts as nothing. */
static void absent_numbers_are_zero(void **state)
{
	json_t *values = json_pack("[f, f, n, f]", 1.5, 1.1e13, -1e13);
	struct content content;

	(void)state;
	content_init(&content);
	struct content_drawing *drawing = content_drawing(&content, CONTENT_PLOT, "t", "d");
	content_mark(&content, drawing, INFINITY, "m");
	content_mark(&content, drawing, -1e13, "n");
	assert_true(drawing->marks[0].x == 0 && drawing->marks[1].x == -1e13);
	assert_string_equal(drawing->marks[1].words, "n");
	content_series(&content, drawing, "s", SVG_INK, -1);
	struct content_group *made = content_group(&content, drawing, "g");
	content_set(made, 0, NAN);
	assert_true(made->values[0] == 0);
	content_set(made, 0, 1e13);
	assert_true(made->values[0] == 1e13);
	const double *numbers = content_numbers(&content, values, 4);
	assert_true(numbers[0] == 1.5 && numbers[1] == 0 && numbers[2] == 0 && numbers[3] == -1e13);
	struct content_series *series =
		content_plot_series(&content, content_panel(drawing, 1, 2, 3, 4), values);
	assert_int_equal(series->value_count, 4);
	assert_int_equal(series->component, -1);
	assert_true(series->curve_unit == 1 && series->values[0] == 1.5);
	content_release(&content);
	json_decref(values);
}

/* A cell without a row, one more than there are columns, a column or series that comes late. */
static void misuse(unsigned what)
{
	struct content content;

	content_init(&content);
	struct content_table *table = content_table(&content, NULL, "t");
	struct content_drawing *drawing = content_drawing(&content, CONTENT_BARS, "t", "d");
	content_column(&content, table, "c", CONTENT_NUMBER, 0);
	if (what == 0) {
		content_value(table, 1);
	} else if (what == 1) {
		content_row(&content, table, "r");
		content_value(table, 1);
		content_value(table, 2);
	} else if (what == 2) {
		content_row(&content, table, "r");
		content_column(&content, table, "d", CONTENT_NUMBER, 0);
	} else if (what == 3) {
		content_group(&content, drawing, "g");
		content_series(&content, drawing, "s", SVG_INK, -1);
	}
}

static void misuse_is_a_bug(void **state)
{
	(void)state;
	for (unsigned what = 0; what < 5; what++)
		assert_int_equal(expected_is_bug(misuse, what), what < 4);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(stacks_are_to_scale),
	cmocka_unit_test(stacks_that_need_more_room_are_narrower),
	cmocka_unit_test(bars_are_to_scale),
	cmocka_unit_test(plots_are_to_scale),
	cmocka_unit_test(panels_have_their_own_range),
	cmocka_unit_test(a_page_has_the_values),
	cmocka_unit_test(text_has_curves_and_bars),
	cmocka_unit_test(curves_share_digits_only_where_they_must),
	cmocka_unit_test(many_series_have_short_bars),
	cmocka_unit_test(words_may_be_none),
	cmocka_unit_test(pages_have_all_rows_and_digits),
	cmocka_unit_test(absent_numbers_are_zero),
	cmocka_unit_test(misuse_is_a_bug),
};

EXPECTED_MAIN(tests)
