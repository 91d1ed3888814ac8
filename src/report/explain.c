/* What names mean: one thing below the other, or, where no name was asked for, tables. */
#include "report/common.h"
#include "report/report.h"
#include "value/member.h"

static const char *facts_text(struct doc *doc, const json_t *thing)
{
	const char *label, *text = "";
	json_t *value;

	json_object_foreach(json_object_get(thing, "facts"), label, value)
	{
		text = doc_words(doc, "%s%s%s: %s", text, *text ? "; " : "", label,
				 json_string_value(value));
	}
	return text;
}

static void csv_table(struct doc *doc, const json_t *explained)
{
	struct doc_table *table = doc_table(doc, "explained", NULL, "name");
	const json_t *thing;
	size_t i;

	doc_only(doc, DOC_IN_CSV);
	doc_column(table, "kind", DOC_WORDS, 0);
	doc_column(table, "meaning", DOC_WORDS, 0);
	doc_column(table, "facts", DOC_WORDS, 0);
	doc_column(table, "helps", DOC_WORDS, 0);
	json_array_foreach(explained, i, thing)
	{
		doc_row(table, member_text(thing, "name"));
		doc_cell_words(table, member_text(thing, "kind"));
		doc_cell_words(table, member_text(thing, "meaning"));
		doc_cell_words(table, facts_text(doc, thing));
		doc_cell_words(table, member_text(thing, "helps"));
	}
}

static void things(struct doc *doc, const json_t *explained)
{
	const json_t *thing;
	size_t i;

	json_array_foreach(explained, i, thing)
	{
		const char *label, *help = member_text(thing, "helps");
		json_t *value;

		doc_section(doc, doc_words(doc, "thing-%zu", i + 1),
			    doc_words(doc, "%s (%s)", member_text(thing, "name"),
				      member_text(thing, "kind")));
		doc_paragraph(doc, member_text(thing, "meaning"));
		json_object_foreach(json_object_get(thing, "facts"), label, value)
			doc_say(doc_fact(doc, label), "%s", json_string_value(value));
		if (*help)
			doc_say(doc_fact(doc, "what usually helps"), "%s", help);
		doc_end(doc);
	}
}

static void lists(struct doc *doc, const json_t *kinds, const json_t *explained)
{
	struct doc_table *table = doc_table(doc, "kinds", NULL, "kind");
	const json_t *row;
	size_t i;

	doc_only(doc, DOC_IN_TEXT | DOC_IN_PAGE);
	doc_column(table, "names", DOC_COUNT, 0);
	doc_column(table, "meaning", DOC_WORDS, 0)->flags = DOC_WHOLE;
	json_array_foreach(kinds, i, row)
	{
		doc_row(table, member_text(row, "name"));
		doc_value_of(table, json_object_get(row, "count"));
		doc_cell_words(table, member_text(row, "meaning"));
	}
	table = doc_table(doc, "names", NULL, "name");
	doc_only(doc, DOC_IN_TEXT | DOC_IN_PAGE);
	table->has_filter = true;
	table->has_whole_names = true;
	doc_column(table, "kind", DOC_WORDS, 0);
	doc_column(table, "meaning", DOC_WORDS, 0)->flags = DOC_WHOLE;
	json_array_foreach(explained, i, row)
	{
		doc_row(table, member_text(row, "name"));
		doc_cell_words(table, member_text(row, "kind"));
		doc_cell_words(table, member_text(row, "meaning"));
	}
}

REPORT_BUILDER(explain)
{
	const json_t *kinds = json_object_get(result, "kinds");
	const json_t *explained = json_object_get(result, "explained");

	(void)options;
	(void)err;
	common_list_heading(doc, "What names mean");
	if (kinds)
		lists(doc, kinds, explained);
	else
		things(doc, explained);
	csv_table(doc, explained);
	return true;
}
