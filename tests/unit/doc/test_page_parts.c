/* Parts of pages and pictures that few documents have: what has no name or no id, what is in no
 * page, curves of many points, deep flame graphs, marks side by side. */
#include "../test.h"

#include <math.h>

#include "base/array.h"
#include "doc/doc_html.h"
#include "doc/doc_svg.h"
#include "doc/doc_svg_parts.h"

/* What is in <main>; releases the document. */
static char *body_of(struct doc *doc)
{
	static char *text;
	static size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	struct err err = {.text = ""};

	assert_true(doc_html_write(out, doc, &err));
	fclose(out);
	doc_release(doc);
	char *begin = strstr(text, "<main"), *end = strstr(text, "</main>");
	assert_non_null(begin);
	assert_non_null(end);
	*end = '\0';
	char *body = mem_strdup(begin);
	free(text);
	return body;
}

static size_t count_of(const char *text, const char *part)
{
	size_t count = 0;

	for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
		count++;
	return count;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no %s in\n%s", part, text);
}

TEST(blocks_may_have_no_ids_and_no_titles)
{
	struct doc_text about = {0};
	struct doc doc;

	doc_init(&doc, "made-up");
	about.doc = &doc;
	doc_say(&about, "on %s", "midcore");
	doc.about = &about;
	doc_section(&doc, NULL, "Without an id");
	doc_choice(&doc, NULL);
	doc_alternative(&doc, "not here");
	doc_paragraph(&doc, "Unseen.");
	doc_end(&doc);
	doc_only(&doc, DOC_IN_TEXT);
	doc_alternative(&doc, NULL);
	doc_paragraph(&doc, "Seen.");
	doc_end(&doc);
	doc_end(&doc);
	doc_end(&doc);
	doc_section(&doc, "in-text", "In text");
	doc_end(&doc);
	doc_only(&doc, DOC_IN_TEXT);
	char *body = body_of(&doc);
	has(body, "<p class=\"facts\">on midcore</p>");
	has(body, "<section>\n<h2>Without an id</h2>");
	/* The first that is shown is the one that is to be seen. */
	has(body, "<div class=\"alternatives\" data-label=\"\">\n"
		  "<div class=\"alternative\" data-label=\"\">\n<p>Seen.</p>");
	assert_null(strstr(body, "Unseen."));
	assert_null(strstr(body, "in-text"));
	/* No link leads to what has no id. */
	has(body, "<nav id=\"contents\" aria-label=\"Contents\"></nav>");
	free(body);
}

TEST(tables_have_curves_heat_and_order)
{
	static double curve[250];
	struct doc doc;

	for (size_t i = 0; i < ARRAY_COUNT(curve); i++)
		curve[i] = i < 5 ? 1 : 0;
	doc_init(&doc, "made-up");
	struct doc_table *table = doc_table(&doc, "table", NULL, "row");
	table->sorted = "hot";
	table->is_ascending = true;
	doc_column(table, "curve", DOC_SPARK, 0);
	struct doc_column *hot = doc_column(table, "hot", DOC_WORDS, 0);
	hot->flags = DOC_HEAT;
	doc_column(table, "marked", DOC_NUMBER, 1)->flags = DOC_HEAT;
	doc_column(table, "seen", DOC_NUMBER, 1)->flags = DOC_VIEWED;
	for (unsigned i = 0; i < 4; i++)
		doc_column(table, "more", DOC_COUNT, 0);
	doc_row(table, "folded")->is_folded = true;
	doc_cell_values(table, curve, ARRAY_COUNT(curve));
	doc_value(table, 4);
	doc_value(table, 2)->is_marked = true;
	doc_value(table, 2.5);
	doc_row(table, "last")->is_folded = true;
	char *body = body_of(&doc);
	has(body, "<table id=\"table\" class=\"wide\"");
	has(body, "aria-sort=\"ascending\">hot");
	/* A point is the mean of two or three values. */
	assert_int_equal(count_of(body, "h1"), 100 + 2);
	has(body, "viewBox=\"0 0 100 ");
	has(body, "class=\"left heat");
	has(body, "class=\"over heat");
	assert_null(strstr(body, "data-viewed"));
	has(body, ">2.5");
	/* There is nothing to unfold below them. */
	assert_null(strstr(body, "data-f"));
	free(body);
}

static char *picture_of(struct doc *doc)
{
	static char *text;
	static size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_true(doc_svg_write(out, doc_find(doc, "drawn")));
	fclose(out);
	doc_release(doc);
	return text;
}

/* What is too deep, too narrow or of no time is not drawn. */
TEST(flames_have_a_depth)
{
	struct doc_colour base = doc_component_named("base");
	char name[401];
	struct doc doc;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	doc_init(&doc, "made-up");
	struct doc_flame *flame = doc_flame(&doc, "drawn", "Flames", "cycles");
	for (unsigned i = 0; i < 120; i++)
		doc_node(flame, i, i ? "f" : name, 1000, base);
	char *picture = picture_of(&doc);
	assert_int_equal(count_of(picture, "<g class=\"node\">"), 101);
	/* A name ends where its bar does. */
	has(picture, "nnn..</text>");
	free(picture);
	doc_init(&doc, "made-up");
	flame = doc_flame(&doc, "drawn", "Flames", "cycles");
	doc_node(flame, 0, "all", 0, base);
	doc_node(flame, 1, "more than all", 5, base);
	picture = picture_of(&doc);
	has(picture, "more than all: cycles 5, 0.00");
	assert_null(strstr(picture, "nan"));
	assert_null(strstr(picture, "inf"));
	free(picture);
}

/* Moments are joined to at most a thousand steps, of which the last may have fewer. */
TEST(the_last_step_has_what_is_left)
{
	struct doc doc;
	size_t count;

	doc_init(&doc, "made-up");
	struct doc_drawing *drawing = doc_drawing(&doc, DOC_OVER_TIME, "over time", "of moments");
	drawing->unit = DOC_NUMBER;
	doc_series(drawing, "base", doc_component_named("base"));
	for (unsigned i = 0; i < 1999; i++)
		doc_set(doc_moment(drawing, "moment", 10), 0, i < 1998 ? 10 : 20);
	struct doc_step *steps = doc_svg_steps(drawing, &count);
	assert_int_equal(count, 1000);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(steps[i].first, 2 * i);
		assert_int_equal(steps[i].count, i < 999 ? 2 : 1);
		assert_true(steps[i].from == 20.0 * (double)i);
		assert_true(steps[i].values[0] == (i < 999 ? 1 : 2));
	}
	assert_true(steps[999].to == 19990);
	free(steps);
	doc_release(&doc);
}

/* Spans are cut to the cycles that are shown; the words have them whole. */
TEST(pipelines_are_cut_to_their_cycles)
{
	struct doc doc;

	doc_init(&doc, "made-up");
	struct doc_pipeline *pipeline =
		doc_pipeline(&doc, "drawn", 1234567890000000, 1234567890000040);
	unsigned stage = 0;

	for (unsigned i = 0; i < 9; i++) {
		const char name[] = {(char)('A' + i), '\0'};

		stage = doc_stage(pipeline, name);
	}
	struct doc_lane *lane = doc_lane(pipeline, NULL);
	doc_span(lane, 1234567889999990, 1234567890000050, 0);
	doc_span(lane, 1234567890000010, 1234567890000010, stage);
	doc_span(lane, 1234567890000050, 1234567890000060, stage);
	doc_span(lane, 1234567890000020, 1234567890000021, stage + 1);
	char *picture = picture_of(&doc);
	has(picture, "A cycles 1234567889999990 to 1234567890000049");
	assert_int_equal(count_of(picture, "<title>"), 2);
	/* Long numbers stand at every second step. */
	has(picture, ">1234567890000020</text>");
	assert_null(strstr(picture, ">1234567890000010</text>"));
	has(picture, ">I</text>");
	free(picture);
}

/* Marks that would cover each other are above each other; of equal ones the first is named. */
TEST(marks_do_not_cover_each_other)
{
	static const char *const words[] = {"miss", "miss", "data", "x", "x"};
	json_t *values = json_array();
	struct doc doc;

	for (unsigned i = 0; i < 40; i++)
		json_array_append_new(values, json_integer(i % 3));
	doc_init(&doc, "made-up");
	doc_section(&doc, "drawn", "Drawn");
	struct doc_drawing *drawing = doc_drawing(&doc, DOC_PLOT, "plot", "of values");
	drawing->x_title = "cycles";
	struct doc_panel *panel = doc_panel(drawing, 60, 120, 4, 4);
	struct doc_series *series = doc_plot_series(drawing, panel, values);
	series->name = series->words = "used";
	series->style = DOC_DASHED;
	series = doc_plot_series(drawing, panel, values);
	series->name = series->words = "seen";
	series->style = DOC_POINTS;
	for (unsigned i = 0; i < ARRAY_COUNT(words); i++)
		doc_mark(drawing, 10 + 0.1 * i, words[i]);
	char *picture = picture_of(&doc);
	assert_int_equal(count_of(picture, ">miss</text>"), 1);
	assert_int_equal(count_of(picture, ">data</text>"), 1);
	assert_int_equal(count_of(picture, ">x</text>"), 2);
	has(picture, "stroke-dasharray");
	/* A square for each value, and one in the legend. */
	assert_int_equal(count_of(picture, "width=\"4\" height=\"4\""), 41);
	free(picture);
	json_decref(values);
}
