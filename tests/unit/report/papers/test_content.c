/* Tables, drawings and paragraphs as text, HTML and SVG, independent of any paper. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report/papers/content_html.h"
#include "report/papers/content_svg.h"
#include "report/papers/content_text.h"

static char *as_text(const struct content *content)
{
	struct terminal terminal = {.width = 80};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	content_text_print(out, content, &terminal);
	fclose(out);
	return text;
}

static char *as_html(const struct content *content)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	content_html_write(out, content);
	fclose(out);
	return text;
}

static char *as_picture(const struct content *content)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	content_svg_draw(out, content_picture(content), false);
	fclose(out);
	return text;
}

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	while ((text = strstr(text, part)) != NULL) {
		count++;
		text += strlen(part);
	}
	return count;
}

static void a_table_has_its_units_and_gaps(void **state)
{
	struct content content;

	(void)state;
	content_init(&content);
	struct content_table *table = content_table(&content, "Errors <1>", "program");
	content_column(&content, table, "cycles", CONTENT_NUMBER, 0);
	content_column(&content, table, "error", CONTENT_PERCENT, 1);
	content_column(&content, table, "events", CONTENT_COUNT, 0);
	content_column(&content, table, "why", CONTENT_LEFT, 0);
	content_row(&content, table, "a&b");
	content_value(table, 1234567);
	content_value(table, 0.0316);
	content_value(table, 18500);
	content_cell_words(&content, table, "<none>");
	content_row(&content, table, "mean");
	content_row_total(table);
	content_value(table, 1.0 / 0.0);
	content_value_of(table, NULL);

	char *text = as_text(&content);
	assert_string_equal(text, "Errors <1>\n"
				  "      cycles error % events    why\n"
				  "a&b  1234567     3.2  18.5k <none>\n"
				  "mean       -       -      -      -\n");
	free(text);
	text = as_html(&content);
	assert_non_null(strstr(text, "<h3>Errors &lt;1&gt;</h3>"));
	assert_non_null(strstr(text, "<bdi>a&amp;b</bdi></th><td>1,234,567</td><td>3.2 %</td>"
				     "<td>18,500</td><td class=\"left\">&lt;none&gt;</td>"));
	assert_non_null(strstr(text, "<tfoot>\n<tr><th scope=\"row\"><bdi>mean</bdi></th>"
				     "<td></td><td></td>"));
	free(text);
	content_release(&content);
}

static void the_unit_percent_is_given_once(void **state)
{
	struct content content;

	(void)state;
	content_init(&content);
	content_paragraph(&content, "Words & more.");
	struct content_table *table = content_table(&content, NULL, "");
	content_column(&content, table, "x", CONTENT_PERCENT, 0);
	content_row(&content, table, "p");
	content_value(table, -0.5);
	content_conclusion(&content, "So.");
	char *text = as_text(&content);
	assert_string_equal(text, "Words & more.\nIn percent\n    x\np -50\nSo.\n");
	free(text);
	text = as_html(&content);
	assert_non_null(strstr(text, "<p class=\"note\">Words &amp; more.</p>"));
	assert_non_null(strstr(text, "<p><strong>So.</strong></p>"));
	free(text);
	content_release(&content);
}

static struct content_drawing *bars(struct content *content, enum content_kind kind, double value)
{
	struct content_drawing *drawing = content_drawing(content, kind, "T", "D");

	content_series(content, drawing, "one", SVG_FIRST, -1);
	content_series(content, drawing, "two", SVG_SECOND, -1);
	content_set(content_group(content, drawing, "g"), 0, value);
	return drawing;
}

static void bars_above_the_top_are_cut_and_labelled(void **state)
{
	struct content content;

	(void)state;
	content_init(&content);
	struct content_drawing *drawing = bars(&content, CONTENT_BARS, 0.314);
	drawing->unit = CONTENT_PERCENT;
	drawing->top = 0.2;
	char *text = as_picture(&content);
	assert_non_null(strstr(text, ">31</text>"));
	assert_non_null(strstr(text, ">20 %</text>"));
	assert_null(strstr(text, "dasharray"));
	free(text);
	drawing->top = 0;
	drawing->limit = 0.1;
	text = as_picture(&content);
	assert_null(strstr(text, ">31</text>"));
	assert_int_equal(count_of(text, "dasharray"), 1);
	free(text);
	content_release(&content);
}

static void any_values_give_a_valid_drawing(void **state)
{
	static const double values[] = {0, -3, 5e-324, 1e300, 1e13, -1e13};

	(void)state;
	for (size_t i = 0; i <= sizeof(values) / sizeof(values[0]); i++)
		for (unsigned kind = CONTENT_STACKS; kind <= CONTENT_BARS; kind++) {
			struct content content;

			content_init(&content);
			bars(&content, kind,
			     i < sizeof(values) / sizeof(values[0]) ? values[i] : NAN);
			char *text = as_picture(&content);
			assert_null(strstr(text, "nan"));
			assert_null(strstr(text, "inf"));
			assert_true(strlen(text) < 10000);
			free(text);
			content_release(&content);
		}
}

static void stacked_values_have_names(void **state)
{
	struct content content;

	(void)state;
	content_init(&content);
	struct content_drawing *drawing = bars(&content, CONTENT_STACKS, 0.75);
	drawing->places = 2;
	content_set(&drawing->groups[0], 1, -0.25);
	drawing->groups[0].is_labelled = true;
	char *text = as_picture(&content);
	assert_non_null(strstr(text, ">one 0.75</text>"));
	assert_non_null(strstr(text, ">two -0.25</text>"));
	free(text);
	content_release(&content);
}

static struct content_drawing *plot(struct content *content, const char *numbers, int style)
{
	struct content_drawing *drawing = content_drawing(content, CONTENT_PLOT, "T", "D");
	json_t *values = json_loads(numbers, 0, NULL);

	drawing->first = -2;
	drawing->x_title = "cycles";
	drawing->x_name = "cycle";
	drawing->shown = "mean";
	struct content_series *series =
		content_plot_series(content, content_panel(drawing, 58, 100, 4, 4), values);
	series->name = "line";
	series->words = "said";
	series->curve = "curve";
	series->style = style;
	series->colour = SVG_FIRST;
	json_decref(values);
	return drawing;
}

static void a_plot_is_digits_in_a_text(void **state)
{
	struct content content;

	(void)state;
	content_init(&content);
	plot(&content, "[0, 1, 2.4, 11, -3]", CONTENT_LINE);
	char *text = as_text(&content);
	assert_string_equal(text, "mean; cycles -2 to 2, 1 to a digit, . is below a half\n"
				  "curve        .129.\n");
	free(text);
	text = as_html(&content);
	assert_non_null(strstr(text, "&quot;x&quot;:-2.0"));
	assert_non_null(strstr(text, "[&quot;said&quot;,[0.0,1.0,2.4,11.0,-3.0],[]]"));
	free(text);
	content_release(&content);
}

static void points_are_at_their_x(void **state)
{
	static double xs[] = {0, 10, 40};
	struct content content;

	(void)state;
	content_init(&content);
	struct content_drawing *drawing = plot(&content, "[1, 2, 4]", CONTENT_POINTS);
	drawing->xs = xs;
	drawing->x_count = 3;
	char *text = as_picture(&content);
	/* The axis goes from pixel 46 to 746, 0 to 40; the points are 4 pixels wide. */
	assert_non_null(strstr(text, "<rect x=\"44\" y=\"131\" width=\"4\""));
	assert_non_null(strstr(text, "<rect x=\"219\" y=\"106\" width=\"4\""));
	assert_non_null(strstr(text, "<rect x=\"744\" y=\"56\" width=\"4\""));
	free(text);
	content_release(&content);
}

static void steps_of_an_axis_have_different_labels(void **state)
{
	struct content content;

	(void)state;
	content_init(&content);
	struct content_drawing *drawing = plot(&content, "[0.1, 0.2, 0.4]", CONTENT_LINE);
	drawing->panels[0].least_high = 0;
	char *text = as_picture(&content);
	assert_non_null(strstr(text, ">0.1</text>"));
	assert_non_null(strstr(text, ">0.4</text>"));
	free(text);
	content_release(&content);
}

static void marks_of_the_same_words_have_them_once(void **state)
{
	struct content content;

	(void)state;
	content_init(&content);
	struct content_drawing *drawing = plot(&content, "[1, 2, 3, 4]", CONTENT_AREA);
	content_mark(&content, drawing, -1, "miss");
	content_mark(&content, drawing, 0, "miss");
	content_mark(&content, drawing, 1, "full");
	char *text = as_picture(&content);
	assert_int_equal(count_of(text, ">miss</text>"), 1);
	assert_int_equal(count_of(text, ">full</text>"), 1);
	assert_int_equal(count_of(text, "dasharray"), 3);
	free(text);
	content_release(&content);
}

static void a_plot_without_values_is_empty(void **state)
{
	struct content content;

	(void)state;
	content_init(&content);
	plot(&content, "[]", CONTENT_AREA)->first = 1e300;
	char *text = as_picture(&content);
	assert_null(strstr(text, "nan"));
	assert_true(strlen(text) < 10000);
	free(text);
	text = as_text(&content);
	assert_string_equal(text, "");
	free(text);
	content_release(&content);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_has_its_units_and_gaps),
		cmocka_unit_test(the_unit_percent_is_given_once),
		cmocka_unit_test(bars_above_the_top_are_cut_and_labelled),
		cmocka_unit_test(any_values_give_a_valid_drawing),
		cmocka_unit_test(stacked_values_have_names),
		cmocka_unit_test(a_plot_is_digits_in_a_text),
		cmocka_unit_test(points_are_at_their_x),
		cmocka_unit_test(steps_of_an_axis_have_different_labels),
		cmocka_unit_test(marks_of_the_same_words_have_them_once),
		cmocka_unit_test(a_plot_without_values_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
