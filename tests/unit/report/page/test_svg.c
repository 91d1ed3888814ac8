/* Plain drawings: the bytes that are written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "value/component.h"
#include "report/page/svg.h"

struct sheet {
	struct svg svg;
	FILE *out;
	char *text;
	size_t bytes;
};

static void sheet_open(struct sheet *sheet, bool is_page)
{
	sheet->text = NULL;
	sheet->out = open_memstream(&sheet->text, &sheet->bytes);
	svg_begin(&sheet->svg, sheet->out, is_page, 100, 50, "A <title>", "said & done");
}

static const char *sheet_end(struct sheet *sheet)
{
	svg_end(&sheet->svg);
	fclose(sheet->out);
	return sheet->text;
}

static void a_file_needs_no_style_sheet(void **state)
{
	struct sheet sheet;

	(void)state;
	sheet_open(&sheet, false);
	const char *text = sheet_end(&sheet);
	assert_memory_equal(text,
			    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 100 50\"", 60);
	assert_non_null(strstr(text, "<title>A &lt;title&gt;</title>"));
	assert_non_null(strstr(text, "<desc>said &amp; done</desc>"));
	assert_non_null(strstr(text, "fill=\"#ffffff\""));
	assert_non_null(strstr(text, "</svg>\n"));
	free(sheet.text);
}

static void a_page_provides_the_colours(void **state)
{
	struct sheet sheet;

	(void)state;
	sheet_open(&sheet, true);
	svg_rect(&sheet.svg, 0, 0, 1, 1, SVG_INK);
	svg_rect_component(&sheet.svg, 0, 0, 1, 1, COMPONENT_L2D);
	const char *text = sheet_end(&sheet);
	assert_null(strstr(text, "xmlns"));
	assert_null(strstr(text, "#"));
	assert_null(strstr(text, "style"));
	assert_non_null(strstr(text, "fill=\"var(--ink)\""));
	assert_non_null(strstr(text, "class=\"l2d\""));
	free(sheet.text);
}

static void a_component_has_the_colour_of_every_report(void **state)
{
	struct sheet sheet;

	(void)state;
	for (int i = 0; i < COMPONENT_COUNT; i++) {
		sheet_open(&sheet, false);
		svg_rect_component(&sheet.svg, 0, 0, 1, 1, (unsigned)i);
		assert_non_null(strstr(sheet_end(&sheet), component_rows[i].rgb));
		free(sheet.text);
	}
}

static void numbers_have_no_more_digits_than_they_need(void **state)
{
	struct sheet sheet;

	(void)state;
	sheet_open(&sheet, false);
	svg_line(&sheet.svg, 1, 2.5, -3.25, 1.0 / 3, SVG_LINE, 0.999, true);
	svg_line(&sheet.svg, -0.001, 10.05, 1e6, -0.5, SVG_LINE, 1, false);
	const char *text = sheet_end(&sheet);
	assert_non_null(strstr(text, "<line x1=\"1\" y1=\"2.5\" x2=\"-3.25\" y2=\"0.33\" "
				     "stroke=\"#dfe3e8\" stroke-width=\"1\" "
				     "stroke-dasharray=\"4 3\"/>\n"));
	assert_non_null(strstr(text, "<line x1=\"0\" y1=\"10.05\" x2=\"1000000\" y2=\"-0.5\" "
				     "stroke=\"#dfe3e8\" stroke-width=\"1\"/>\n"));
	free(sheet.text);
}

static void a_path_is_closed_if_it_is_filled(void **state)
{
	struct sheet sheet;

	(void)state;
	sheet_open(&sheet, false);
	for (unsigned i = 0; i < 2; i++) {
		svg_path_begin(&sheet.svg);
		svg_path_point(&sheet.svg, 0, 0);
		svg_path_point(&sheet.svg, 4, 5);
		svg_path_end(&sheet.svg, i ? SVG_PALE : SVG_NONE, i ? SVG_NONE : SVG_FIRST, 2,
			     false);
	}
	const char *text = sheet_end(&sheet);
	assert_non_null(strstr(text, "<path d=\"M0 0L4 5\" fill=\"none\" stroke=\"#0b62b0\" "
				     "stroke-width=\"2\"/>\n"));
	assert_non_null(strstr(text, "<path d=\"M0 0L4 5Z\" fill=\"#b9d7f0\"/>\n"));
	free(sheet.text);
}

static void words_are_escaped_and_turned(void **state)
{
	struct sheet sheet;

	(void)state;
	sheet_open(&sheet, false);
	svg_text_turned(&sheet.svg, 3, 4.5, SVG_END, 11, SVG_INK, -35, "a<b\"&");
	svg_text(&sheet.svg, 3, 4, SVG_START, 9, SVG_INK, "x");
	const char *text = sheet_end(&sheet);
	assert_non_null(strstr(text, "<text x=\"3\" y=\"4.5\" font-size=\"11\" fill=\"#1b1f24\" "
				     "text-anchor=\"end\" transform=\"rotate(-35 3 4.5)\">"
				     "a&lt;b&quot;&amp;</text>\n"));
	assert_non_null(
		strstr(text, "<text x=\"3\" y=\"4\" font-size=\"9\" fill=\"#1b1f24\">x</text>"));
	free(sheet.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_needs_no_style_sheet),
		cmocka_unit_test(a_page_provides_the_colours),
		cmocka_unit_test(a_component_has_the_colour_of_every_report),
		cmocka_unit_test(numbers_have_no_more_digits_than_they_need),
		cmocka_unit_test(a_path_is_closed_if_it_is_filled),
		cmocka_unit_test(words_are_escaped_and_turned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
