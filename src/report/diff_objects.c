#include "report/diff_objects.h"

#include <inttypes.h>

#include "report/common.h"
#include "value/member.h"

#define CHANGES_SHOWN 10 /* in text, as of other changes */

/* "pool.c:12", or "pool.c:12 -> 14" if the line has moved. */
static const char *place_of(struct doc *doc, const json_t *object)
{
	const char *file = member_text(object, "file");
	const int64_t line = member_whole(object, "line"), line_a = member_whole(object, "line_a");

	if (!*file)
		return NULL;
	return line_a ? doc_words(doc, "%s -> %" PRId64, common_place(doc, file, line_a), line)
		      : common_place(doc, file, line);
}

static void both_cells(struct doc_table *table, const json_t *a, const json_t *b)
{
	doc_value_of(table, a);
	doc_value_of(table, b);
}

static double difference(const json_t *a, const json_t *b)
{
	return json_number_value(b) - json_number_value(a);
}

static void row_of(struct doc *doc, struct doc_table *table, const json_t *object)
{
	const json_t *a = json_object_get(object, "a"), *b = json_object_get(object, "b");
	const json_t *misses_a = json_object_get(object, "misses_a");
	const json_t *misses_b = json_object_get(object, "misses_b");

	doc_row(table, common_object_name(doc, object, place_of(doc, object)));
	both_cells(table, a, b);
	common_more_cycles_cell(doc, table, difference(a, b));
	both_cells(table, misses_a, misses_b);
	doc_value(table, difference(misses_a, misses_b));
}

void diff_objects(struct doc *doc, const json_t *result)
{
	const json_t *rows = json_object_get(result, "objects"), *row;
	const size_t count = json_array_size(rows);
	size_t i;

	if (!count)
		return;
	doc_section(doc, "objects", "cycles and misses by object of data")->short_title = "objects";
	doc_note(doc,
		 "What data belongs to: cycles lost while the oldest instruction waited for it, "
		 "and accesses to it that missed in the L1D.");
	doc_only(doc, DOC_IN_PAGE);
	struct doc_table *table = doc_table(doc, "objects-table", NULL, "object");
	doc_column(table, "cycles A", DOC_NUMBER, 0);
	doc_column(table, "cycles B", DOC_NUMBER, 0);
	doc_column(table, "difference", DOC_SIGNED, 0);
	doc_column(table, "misses A", DOC_NUMBER, 0);
	doc_column(table, "misses B", DOC_NUMBER, 0);
	doc_column(table, "more misses", DOC_SIGNED, 0)->flags = DOC_OPTIONAL;
	table->text_limit = count <= CHANGES_SHOWN + 1 ? 0 : CHANGES_SHOWN;
	table->limit = 50;
	table->has_filter = count > CHANGES_SHOWN;
	table->has_whole_names = true;
	json_array_foreach(rows, i, row)
	{
		row_of(doc, table, row);
	}
	doc_end(doc);
}
