/* Lists of stored results, and what queries of a store say. */
#include <math.h>
#include <time.h>

#include "report/common.h"
#include "report/report.h"
#include "value/member.h"

#define WHOLE_SHOWN 1e15 /* beyond it a document has no numbers */

/* In universal time; "" if it is not known. */
static const char *time_words(struct doc *doc, int64_t seconds)
{
	const time_t when = (time_t)seconds;
	struct tm tm;
	char text[64];

	if (!seconds || !gmtime_r(&when, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		return "";
	return doc_words(doc, "%s", text);
}

static const char *state_of(const json_t *item)
{
	const bool is_step = json_is_true(json_object_get(item, "step"));

	if (json_is_true(json_object_get(item, "partial")))
		return is_step ? "step, partial" : "partial";
	return is_step ? "step" : "";
}

REPORT_BUILDER(results)
{
	static const char *const members[] = {"command", "program", "arguments",
					      "machine", "changes", "tags"};
	const json_t *removed = json_object_get(result, "removed"), *item;
	size_t i;

	(void)options;
	(void)err;
	common_list_heading(doc, !removed		 ? "Stored results"
				 : json_is_true(removed) ? "Results that were removed"
							 : "Results that would be removed");
	struct doc_table *table = doc_table(doc, "results", NULL, "id");
	table->has_filter = true;
	table->has_whole_names = true;
	for (size_t k = 0; k < sizeof(members) / sizeof(*members); k++)
		doc_column(table, members[k], DOC_WORDS, 0);
	doc_column(table, "state", DOC_WORDS, 0)->about =
		"a step: one of the simulations that a longer command is made of";
	doc_column(table, "received", DOC_WORDS, 0)->about = "in universal time";
	doc_column(table, "bytes", DOC_COUNT, 0)->flags = DOC_OPTIONAL;
	doc_column(table, "version", DOC_WORDS, 0)->where = DOC_IN_PAGE | DOC_IN_CSV;
	doc_column(table, "schema", DOC_WORDS, 0)->where = DOC_IN_PAGE | DOC_IN_CSV;
	json_array_foreach(json_object_get(result, "results"), i, item)
	{
		doc_row(table, member_text(item, "id"));
		for (size_t k = 0; k < sizeof(members) / sizeof(*members); k++)
			doc_cell_words(table, member_text(item, members[k]));
		doc_cell_words(table, state_of(item));
		doc_cell_words(table, time_words(doc, member_whole(item, "received")));
		doc_value(table, member_number(item, "bytes"));
		doc_cell_words(table, member_text(item, "version"));
		doc_cell_words(table, member_text(item, "result"));
	}
	return true;
}

/* What all values of a column can be shown as. */
static enum doc_unit unit_of(const json_t *rows, const char *column)
{
	enum doc_unit unit = DOC_COUNT;
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		const json_t *value = json_object_get(row, column);

		if (json_is_real(value))
			unit = DOC_NUMBER;
		if ((value && !json_is_number(value) && !json_is_null(value)) ||
		    fabs(json_number_value(value)) >= WHOLE_SHOWN)
			return DOC_WORDS;
	}
	return unit;
}

static void query_cell(struct doc_table *table, const struct doc_column *column,
		       const json_t *value)
{
	if (column->unit != DOC_WORDS)
		doc_value_of(table, value);
	else if (json_is_string(value))
		doc_cell_words(table, json_string_value(value));
	else if (json_is_integer(value))
		doc_cell_words(table,
			       doc_words(table->doc, "%lld", (long long)json_integer_value(value)));
	else if (json_is_real(value))
		doc_cell_words(table, doc_words(table->doc, "%.17g", json_real_value(value)));
	else
		doc_cell_none(table);
}

REPORT_BUILDER(query)
{
	const json_t *columns = json_object_get(result, "columns"), *column, *row;
	const json_t *rows = json_object_get(result, "rows");
	size_t i, k;

	(void)options;
	(void)err;
	common_list_heading(doc, "What the query says");
	struct doc_table *table = doc_table(doc, "rows", NULL, NULL);
	table->has_whole_names = true;
	table->limit = 1000;
	json_array_foreach(columns, i, column)
	{
		const char *name = json_string_value(column);

		doc_column(table, doc_words(doc, "%s", name), unit_of(rows, name), 4);
	}
	json_array_foreach(rows, k, row)
	{
		doc_row(table, "");
		json_array_foreach(columns, i, column)
		{
			query_cell(table, &table->columns[i],
				   json_object_get(row, json_string_value(column)));
		}
	}
	return true;
}
