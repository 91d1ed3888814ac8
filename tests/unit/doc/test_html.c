/* A document as a page and as pictures: their structure, and what names could do to it. */
#include "../test.h"
#include "doc/doc_html.h"
#include "doc/doc_svg.h"
#include "doc/markup.h"
#include "made_up.h"

#define HOSTILE "<script>\"'&\x01\n\xe2\x80\xae\xff]]>"

/* A copy: the compiler takes what a stream has made for a pointer to the stream's variable. */
static char *taken(char *text)
{
	char *copy = mem_strdup(text);

	free(text);
	return copy;
}

static char *page_of(const struct doc *doc)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	struct err err;

	bool ok = doc_html_write(out, doc, &err);
	fclose(out);
	assert_true(ok);
	return taken(text);
}

static char *made_up_page(const char *name)
{
	struct doc doc;

	made_up_document(&doc, name);
	char *text = page_of(&doc);
	doc_release(&doc);
	return text;
}

/* Only what is in <main>: the style sheet and the script have words of their own. */
static char *body_of(char *page)
{
	char *begin = strstr(page, "<main"), *end = strstr(page, "</main>");

	assert_non_null(begin);
	assert_non_null(end);
	*end = '\0';
	return begin;
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
		fail_msg("the page has no %s", part);
}

TEST(a_page_has_every_block)
{
	static const char *const parts[] = {
		"<p class=\"kicker\">cyclestack made-up</p>",
		"<h1><code>plain</code> on midcore</h1>",
		"<span class=\"badge warn\">the run was stopped early</span>",
		"<a href=\"#stack\">Stack</a>",
		"<section id=\"stack\" aria-labelledby=\"stack-title\">\n<h2 id=\"stack-title\">",
		"<dt>cycles</dt><dd>1,234,567</dd>",
		"<dt>IPC</dt><dd>-</dd>",
		"<p class=\"verdict\">40 % of the cycles of <code>plain</code> went to "
		"<i class=\"swatch branch\"></i><strong>branch</strong>; see "
		"<a href=\"#functions\">its functions</a>.</p>",
		"<p class=\"note\">A note that explains.</p>",
		"<p class=\"strong\">A conclusion.</p>",
		"<h3>A heading</h3>",
		"<details id=\"everything\"><summary>Everything</summary>",
		"<dt>configuration<dd>midcore",
		"<div class=\"alternatives\" data-label=\"over time as\">",
		"<div class=\"alternative\" data-label=\"shares\" hidden>",
		"<div class=\"card\" data-key=\"sort\"><h3><bdi>sort</bdi></h3>",
		("<section id=\"chosen-1\" aria-labelledby=\"chosen-1-title\" data-key=\"sort\" "
		 "data-detail hidden>"),
		"<select id=\"program\"><option value=\"\">none<option value=\"chess\">chess",
	};
	char *page = made_up_page("plain"), *body = body_of(page);

	for (size_t i = 0; i < ARRAY_COUNT(parts); i++)
		has(body, parts[i]);
	assert_int_equal(count_of(body, "<table"), 3);
	assert_int_equal(count_of(body, "<div class=\"listing\""), 1);
	assert_int_equal(count_of(body, "<svg class=\"plot\""), 7);
	assert_null(strstr(body, "Not in a page."));
	assert_null(strstr(body, " style="));
	free(page);
}

TEST(key_figures_precede_the_contents)
{
	char *page = made_up_page("plain"), *body = body_of(page);

	assert_true(strstr(body, "class=\"tiles\"") < strstr(body, "<nav"));
	assert_true(strstr(body, "<nav") < strstr(body, "<section"));
	free(page);
}

TEST(a_table_has_every_row_and_hides_some)
{
	char *page = made_up_page("plain");
	char *table = strstr(body_of(page), "<table id=\"functions\"");

	assert_non_null(table);
	*strstr(table, "</table>") = '\0';
	has(table, " class=\"wide\" data-limit=\"8\" data-filter data-whole=\"14400\"");
	has(table, "data-views=\"[[&quot;% of run&quot;,&quot;p&quot;,2,1],");
	has(table, "data-parts=\"base branch l1d dtlb\"");
	has(table, "data-sort=\"n\" aria-sort=\"descending\">share");
	assert_int_equal(count_of(table, "<tr"), 1 + 3 * MADE_UP_ROWS + 1);
	/* Those below folded rows, and four beyond the limit. */
	assert_int_equal(count_of(table, " hidden>"), 2 * MADE_UP_ROWS + 4);
	assert_int_equal(count_of(table, " data-f data-w"), MADE_UP_ROWS);
	has(table, "data-s=\"480 0 240 1\"");
	/* Through the first view, with the value behind it. */
	has(table, "data-v=\"480\">3.33\302\240%");
	has(table, "<td>\302\267");
	has(table, "<tfoot>\n<tr");
	free(page);
}

TEST(cells_are_as_their_units_say)
{
	char *page = made_up_page("plain");
	char *table = strstr(body_of(page), "<table id=\"units\"");

	*strstr(table, "</table>") = '\0';
	has(table, "<td class=\"code\"><code>addi a0,a0,1</code>");
	has(table, "<td class=\"left\"><a href=\"#functions\">word 8</a>");
	has(table, "<td>866,211<");
	has(table, "class=\"over\">-0.");
	has(table, "<svg class=\"bar small\" aria-hidden=\"true\"><rect class=\"m-1\" x=\"0%\"");
	has(table, "<svg class=\"spark\" viewBox=\"0 0 6 20\"");
	has(table, "<tr class=\"hot\"><th scope=\"row\" title=\"about this thing\">");
	assert_null(strstr(table, "text only"));
	free(page);
}

TEST(names_do_nothing)
{
	char *page = made_up_page(HOSTILE), *body = body_of(page);

	assert_null(strstr(body, "<script>"));
	has(body, "&lt;script&gt;&quot;&#39;&amp;? ??]]&gt;");
	for (const char *c = body; *c; c++)
		assert_true((uint8_t)*c >= ' ' || *c == '\n');
	assert_null(strstr(body, "\xe2\x80\xae"));
	free(page);
}

TEST(the_same_document_gives_the_same_bytes)
{
	char *one = made_up_page("plain"), *other = made_up_page("plain");

	assert_string_equal(one, other);
	free(one);
	free(other);
}

TEST(a_full_disk_is_said)
{
	FILE *out = fopen("/dev/full", "w");
	struct doc doc;
	struct err err;

	assert_non_null(out);
	made_up_document(&doc, "plain");
	assert_false(doc_html_write(out, &doc, &err));
	assert_string_equal(err.text, "cannot write the page: No space left on device");
	doc_release(&doc);
	fclose(out);
}

TEST(an_empty_document_is_a_page)
{
	struct doc doc;

	doc_init(&doc, "nothing");
	char *page = page_of(&doc);
	has(page, "<h1></h1>");
	has(page, "</html>\n");
	free(page);
	doc_release(&doc);
}

/* Drawings without series, groups, values or width. */
TEST(empty_drawings_are_drawn)
{
	struct doc doc;

	doc_init(&doc, "nothing");
	for (int kind = DOC_STACKS; kind <= DOC_OVER_TIME; kind++)
		doc_drawing(&doc, (enum doc_drawing_kind)kind, "title", "description");
	doc_panel(doc_drawing(&doc, DOC_PLOT, "title", "description"), 10, 10, 0, 0);
	doc_moment(doc_drawing(&doc, DOC_OVER_TIME, "title", "description"), "none", 0);
	doc_flame(&doc, "flame", "title", "cycles");
	doc_pipeline(&doc, "pipeline", 5, 4);
	doc_column(doc_table(&doc, "table", NULL, NULL), "spark", DOC_SPARK, 0);
	char *page = page_of(&doc), *body = body_of(page);
	assert_null(strstr(body, "nan"));
	assert_null(strstr(body, "inf"));
	assert_int_equal(count_of(body, "<svg"), count_of(body, "</svg>"));
	free(page);
	doc_release(&doc);
}

static char *picture_of(const struct doc *doc, const char *id)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	bool ok = doc_svg_write(out, doc_find(doc, id));
	fclose(out);
	assert_true(ok);
	return taken(text);
}

TEST(a_picture_is_a_file_of_its_own)
{
	static const char *const ids[] = {"stack", "drawings", "judged", "flame", "pipeline"};
	struct doc doc;

	made_up_document(&doc, HOSTILE);
	for (size_t i = 0; i < ARRAY_COUNT(ids); i++) {
		char *text = picture_of(&doc, ids[i]);

		has(text, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ");
		has(text, "<title>");
		has(text, "fill=\"#ffffff\"");
		assert_null(strstr(text, "var(--"));
		assert_null(strstr(text, "<script>"));
		free(text);
	}
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	assert_false(doc_svg_write(out, doc_find(&doc, "about")));
	fclose(out);
	assert_int_equal(bytes, 0);
	free(text);
	doc_release(&doc);
}

TEST(negative_parts_are_left_of_zero)
{
	struct doc doc;

	made_up_document(&doc, "plain");
	char *text = picture_of(&doc, "drawings");
	/* The first part of the first stack begins at the left end of the axis, before zero. */
	char *first = strstr(
		text,
		"fill=\"#949494\" stroke=\"#ffffff\" stroke-width=\"0.6\"><title>naive: base -10.0");
	assert_non_null(first);
	free(text);
	doc_release(&doc);
}

TEST(long_runs_have_at_most_1000_steps)
{
	struct doc doc;

	made_up_large(&doc);
	char *page = page_of(&doc);
	char *titles = strstr(page, "&quot;titles&quot;:[");
	assert_non_null(titles);
	*strchr(titles, ']') = '\0';
	assert_int_equal(count_of(titles, "interval"), 2 * 1000);
	has(titles, "&quot;interval 5 ... interval 9&quot;");
	free(page);
	doc_release(&doc);
}

static void is_written(enum doc_unit unit, unsigned places, double value, const char *wanted)
{
	char text[MARKUP_VALUE_BYTES];

	assert_string_equal(markup_value(text, unit, places, false, value), wanted);
}

TEST(values_have_the_form_of_their_unit)
{
	is_written(DOC_COUNT, 0, 1234567, "1,234,567");
	is_written(DOC_NUMBER, 3, -0.0001, "0.000");
	is_written(DOC_SIGNED, 1, 2.25, "+2.3");
	is_written(DOC_SIGNED, 1, 0.01, "0.0");
	is_written(DOC_CHANGE, 1, -0.5, "-50.0\302\240%");
	is_written(DOC_CHANGE, 0, 0.5, "+50\302\240%");
	is_written(DOC_PERCENT, 2, 0.12345, "12.35\302\240%");
}

static void number_is(double value, const char *wanted)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	markup_number(out, value);
	fclose(out);
	assert_string_equal(text, wanted);
	free(text);
}

TEST(numbers_for_scripts_are_short)
{
	number_is(0, "0");
	number_is(-0.0, "0");
	number_is(1200, "1200");
	number_is(123456789, "123456789");
	number_is(1.0 / 3, "0.333333");
	number_is(-1234.5678, "-1234.57");
	number_is(0.00012345678, "0.000123457");
	number_is(1e-20, "0");
}
