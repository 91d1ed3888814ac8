/* A document before it is shown: lists of any length, numbers that are none, what is found by name;
 * and what a page makes of the rarer properties of tables. */
#include "../test.h"

#include <math.h>

#include "base/array.h"
#include "doc/doc.h"
#include "doc/doc_csv.h"
#include "doc/doc_html.h"

#define MANY 40

static char *page_of(const struct doc *doc)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	struct err err;

	assert_true(doc_html_write(out, doc, &err));
	fclose(out);
	char *copy = mem_strdup(text);
	free(text);
	return copy;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("the page has no %s", part);
}

TEST(every_list_may_be_long)
{
	json_t *values = json_pack("[f, f]", 1.5, 2.5);
	struct doc doc;
	char name[32];

	doc_init(&doc, "long");
	struct doc_drawing *plot = doc_drawing(&doc, DOC_PLOT, "plot", "about it");
	struct doc_panel *first = doc_panel(plot, 10, 20, 1, 4);
	for (unsigned i = 0; i < MANY; i++)
		doc_plot_series(plot, first, values)->name = "series";
	assert_int_equal(first->series_count, MANY);
	for (unsigned i = 1; i < MANY; i++)
		doc_panel(plot, 10, 20 + i, 1, 4);
	struct doc_table *table = doc_table(&doc, "table", NULL, "name");
	struct doc_pipeline *pipeline = doc_pipeline(&doc, "pipeline", 0, 10);
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "name %u", i);
		doc_warn(&doc, name);
		doc_mark(plot, i, name);
		doc_view(table, name, DOC_PERCENT, i, DOC_BY_WHOLE);
		doc_part(table, name, doc_method(i));
		doc_stage(pipeline, name);
		assert_string_equal(doc_key(&doc, "thing", name), name);
	}
	for (unsigned i = 0; i < MANY; i++)
		doc_figure(&doc, "figure", DOC_COUNT, 0, i);
	for (unsigned i = 0; i < MANY; i++)
		doc_say(doc_fact(&doc, "fact"), "%u", i);
	assert_int_equal(doc.warning_count, MANY);
	assert_int_equal(doc.key_count, MANY);
	assert_string_equal(doc.keys[MANY - 1], "name 39");
	assert_string_equal(doc.warnings[MANY - 1], "name 39");
	assert_int_equal(plot->panel_count, MANY);
	assert_true(plot->panels[MANY - 1].height == 20 + MANY - 1);
	assert_int_equal(table->views[MANY - 1].places, MANY - 1);
	assert_string_equal(table->parts[MANY - 1].name, "name 39");
	assert_int_equal(pipeline->stage_count, MANY);
	/* The figures are one block, and so are the facts. */
	assert_int_equal(doc.root.last->kind, DOC_FACTS);
	assert_int_equal(doc.root.last->count, MANY);
	assert_string_equal(doc.root.last->facts[MANY - 1].text->pieces[0].text, "39");
	/* A key that is known is the same one. */
	assert_ptr_equal(doc_key(&doc, "thing", "name 7"), doc.keys[7]);
	assert_int_equal(doc.key_count, MANY);
	doc_release(&doc);
	json_decref(values);
}

TEST(numbers_that_are_none_are_zero_or_absent)
{
	static const double none[] = {NAN, INFINITY, -INFINITY, 1e16, -1e16};

	for (size_t i = 0; i < ARRAY_COUNT(none); i++) {
		struct doc doc;

		doc_init(&doc, "none");
		assert_string_equal(doc_whole(&doc, none[i]), "0");
		struct doc_drawing *drawing = doc_drawing(&doc, DOC_OVER_TIME, "time", "");
		doc_series(drawing, "base", doc_component(0));
		doc_set(doc_moment(drawing, "first", none[i]), 0, none[i]);
		assert_true(drawing->weights[0] == 0);
		assert_true(isnan(drawing->groups[0].values[0]));
		struct doc_flame *flame = doc_flame(&doc, "flame", "Flames", "cycles");
		doc_node(flame, 0, "main", none[i], doc_component(0));
		assert_true(flame->nodes[0].value == 0);
		struct doc_table *table = doc_table(&doc, "table", NULL, "name");
		doc_column(table, "value", DOC_NUMBER, 1);
		doc_row(table, "row");
		doc_value(table, none[i]);
		assert_int_equal(table->rows[0].cells[0].kind, DOC_NONE);
		char *page = page_of(&doc);
		assert_null(strstr(page, ">nan"));
		assert_null(strstr(page, ">inf"));
		free(page);
		doc_release(&doc);
	}
}

TEST(blocks_and_tables_are_found_by_id)
{
	struct doc doc;
	struct err err = {.text = ""};

	doc_init(&doc, "found");
	assert_null(doc_find(&doc, "none"));
	assert_false(doc_csv_write(stderr, &doc, NULL, &err));
	assert_string_equal(err.text, "this result has no table to write as CSV");
	doc_section(&doc, "outer", "Outer");
	doc_table(&doc, "first", NULL, "name");
	doc_end(&doc);
	doc_table(&doc, "second", NULL, "name");
	assert_int_equal(doc_find(&doc, "second")->kind, DOC_TABLE);
	assert_null(doc_find(&doc, "third"));
	assert_false(doc_csv_write(stderr, &doc, "third", &err));
	assert_string_equal(err.text,
			    "there is no table \"third\" in this result; there is first, second");
	doc_release(&doc);
}

/* Sorted by its names, with views of signs and changes, cells that lead somewhere and have words.
 */
TEST(a_page_has_the_rarer_properties_of_tables)
{
	struct doc doc;

	doc_init(&doc, "rare");
	doc_key(&doc, "a thing", "one");
	struct doc_table *table = doc_table(&doc, "rare", NULL, "name");
	table->sorted = "name";
	table->is_ascending = true;
	doc_view(table, "more", DOC_SIGNED, 2, DOC_BY_NOTHING);
	doc_view(table, "change", DOC_CHANGE, 1, DOC_BY_WEIGHT);
	doc_view(table, "short", DOC_SHORT, 3, DOC_BY_WHOLE);
	doc_column(table, "cost", DOC_NUMBER, 1);
	doc_column(table, "heat", DOC_NUMBER, 1)->flags = DOC_HEAT;
	doc_column(table, "seen", DOC_NUMBER, 1)->flags = DOC_VIEWED;
	doc_column(table, "bar", DOC_BAR, 0);
	doc_row(table, "first")->weight = 0;
	struct doc_cell *cell = doc_value(table, 1.25);
	cell->target = "there";
	cell->words = "at least";
	doc_value(table, -3);
	doc_value(table, 4);
	doc_value(table, 0);
	char *page = page_of(&doc), *body = strstr(page, "<main");

	has(body, "<th scope=\"col\" data-sort=\"w\" aria-sort=\"ascending\">name");
	has(body, "[&quot;more&quot;,&quot;s&quot;,2,0],[&quot;change&quot;,&quot;c&quot;,1,2],"
		  "[&quot;short&quot;,&quot;n&quot;,0,1]");
	has(body, "<a href=\"#there\">1.3</a> at least");
	/* A bar without a colour has that of what has none of its own. */
	has(body, "<rect class=\"other\"");
	has(body, "<label for=\"a-thing\">a thing</label> <select id=\"a-thing\">");
	free(page);
	table->is_ascending = false;
	page = page_of(&doc);
	has(page, "data-sort=\"w\" aria-sort=\"descending\">name");
	free(page);
	doc_release(&doc);
}
