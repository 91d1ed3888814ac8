#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/common.h"
#include "report/run_data.h"
#include "value/member.h"

#define TYPES	   8	/* that text shows */
#define FIELDS	   12	/* of each, with most misses or accesses */
#define HOT	   0.1	/* of the accesses of a type: its field is hot */
#define COLD	   0.01 /* less: it is cold */
#define TYPE_SHARE 0.01 /* of all misses: lines of the type are looked at */
#define LINES	   8	/* that text shows */

static double share_in(const json_t *type, const json_t *field)
{
	return common_ratio(member_number(field, "accesses"), member_number(type, "accesses"));
}

static const char *warmth(const json_t *type, const json_t *field)
{
	const double share = share_in(type, field);

	return share >= HOT ? "hot" : share < COLD ? "cold" : "";
}

static void field_rows(const struct data_report *d, struct doc_table *table, const json_t *type)
{
	const json_t *field;
	size_t i, shown = 0;

	json_array_foreach(json_object_get(type, "fields"), i, field)
	{
		struct doc_row *row = doc_child(table, member_text(field, "name"));

		row->is_kept = run_data_is_much(d, type) &&
			       (run_data_is_much(d, field) || share_in(type, field) >= HOT) &&
			       shown++ < FIELDS;
		run_data_cells(d, table, field);
		doc_value(table, member_number(field, "offset"));
		doc_value(table, member_number(field, "bytes"));
		doc_cell_words(table, warmth(type, field));
	}
}

static void types_table(const struct data_report *d, const json_t *types)
{
	struct doc_table *table = doc_table(d->run->doc, "data-types", NULL, "type, field");
	const json_t *type;
	size_t i;

	table->text_limit = TYPES;
	table->limit = 20;
	table->has_whole_names = true;
	run_data_columns(d, table);
	doc_column(table, "at", DOC_COUNT, 0)->about = "offset of the field in its type, in bytes";
	doc_column(table, "bytes", DOC_COUNT, 0);
	doc_column(table, "is", DOC_WORDS, 0)->about =
		"hot: at least a tenth of the accesses to the type; cold: less than a hundredth";
	json_array_foreach(types, i, type)
	{
		doc_row(table, member_text(type, "name"))->is_folded = true;
		run_data_cells(d, table, type);
		doc_cell_none(table);
		doc_value(table, member_number(type, "bytes"));
		doc_cell_none(table);
		field_rows(d, table, type);
	}
}

/* The fields of a type that lie in one of its lines, if any bytes of them do. */
struct line {
	const char *hot, *cold; /* their names */
	double hot_share;	/* of the accesses to the type */
	double cold_bytes;
	bool is_shared;
};

/* How many bytes of a field are in [start, start + bytes). */
static double bytes_in(const json_t *field, int64_t start, int64_t bytes)
{
	const int64_t low = member_whole(field, "offset"),
		      high = low + member_whole(field, "bytes");
	const int64_t from = low > start ? low : start,
		      to = high < start + bytes ? high : start + bytes;

	return to > from ? (double)(to - from) : 0;
}

static const char *and_name(struct doc *doc, const char *names, const char *name)
{
	return doc_words(doc, "%s%s%s", names ? names : "", names ? ", " : "", name);
}

static struct line line_of(const struct data_report *d, const json_t *type, int64_t start,
			   int64_t bytes)
{
	struct line line = {.hot = NULL};
	const json_t *field;
	size_t i;

	json_array_foreach(json_object_get(type, "fields"), i, field)
	{
		const double here = bytes_in(field, start, bytes);
		const char *name = member_text(field, "name");

		if (here == 0)
			continue;
		if (share_in(type, field) >= HOT) {
			line.hot = and_name(d->run->doc, line.hot, name);
			line.hot_share += share_in(type, field);
		} else if (share_in(type, field) < COLD) {
			line.cold = and_name(d->run->doc, line.cold, name);
			line.cold_bytes += here;
		}
	}
	line.is_shared = line.hot && line.cold;
	return line;
}

static int64_t line_bytes_of(const struct data_report *d)
{
	const json_t *first = json_array_get(json_object_get(d->data, "caches"), 0);
	const int64_t bytes = member_whole(first, "line_bytes");

	return bytes > 0 ? bytes : 64;
}

/* One row for each line of a type that hot and cold fields share. */
static void line_rows(const struct data_report *d, struct doc_table *table, const json_t *type)
{
	const int64_t line_bytes = line_bytes_of(d), all = member_whole(type, "bytes");
	struct doc *doc = d->run->doc;

	for (int64_t start = 0; start < all && start < 64 * line_bytes; start += line_bytes) {
		const int64_t bytes = all - start < line_bytes ? all - start : line_bytes;
		const struct line line = line_of(d, type, start, bytes);

		if (!line.is_shared)
			continue;
		doc_row(table, doc_words(doc, "%s, bytes %" PRId64 " to %" PRId64,
					 member_text(type, "name"), start, start + bytes - 1));
		doc_value(table, common_ratio(member_number(type, "l1d_misses"), d->misses));
		doc_value(table, line.hot_share);
		doc_value(table, line.cold_bytes / (double)bytes);
		doc_cell_words(table, doc_words(doc, "%s; cold: %s", line.hot, line.cold));
	}
}

static void shared_lines(const struct data_report *d, const json_t *types)
{
	struct doc_table *table = doc_table(
		d->run->doc, "data-lines",
		"Lines that hot and cold fields share, if an element begins a line", "type");
	const json_t *type;
	size_t i;

	table->text_limit = LINES;
	table->limit = 20;
	doc_column(table, "misses", DOC_PERCENT, 1)->about =
		"of the whole type, of all misses of data in the L1D";
	doc_column(table, "hot", DOC_PERCENT, 1)->about =
		"of the accesses to the type, to the hot fields in the line";
	doc_column(table, "cold bytes", DOC_PERCENT, 0)->about =
		"of the type's bytes in the line, of cold fields: they are brought in with the hot ones";
	doc_column(table, "hot fields; cold fields", DOC_WORDS, 0)->flags =
		DOC_WHOLE | DOC_UNSORTED;
	json_array_foreach(types, i, type)
	{
		if (common_ratio(member_number(type, "l1d_misses"), d->misses) >= TYPE_SHARE)
			line_rows(d, table, type);
	}
	if (!table->row_count)
		doc_only(d->run->doc, DOC_IN_CSV);
}

void run_data_types(const struct data_report *d)
{
	const json_t *types = json_object_get(d->data, "types");
	const json_t *typed = json_object_get(d->data, "typed");
	struct doc *doc = d->run->doc;

	doc_heading(doc, "Types and fields");
	struct doc_text *text = doc_text(doc, DOC_PARAGRAPH);
	doc_say(text, "The type is known of ");
	doc_bold(text, "%s %%",
		 doc_decimal(doc, 100 * common_ratio(member_number(typed, "l1d_misses"), d->misses),
			     1));
	doc_say(text, " of the misses, %s %% of their cycles and %s %% of the accesses.",
		doc_decimal(doc, 100 * common_ratio(run_data_cycles(d, typed), d->cycles), 1),
		doc_decimal(doc,
			    100 * common_ratio(member_number(typed, "accesses"),
					       member_number(d->data, "accesses")),
			    1));
	if (!json_array_size(types)) {
		doc_say(text, " Types need debugging information: compile with -g.");
		return;
	}
	types_table(d, types);
	shared_lines(d, types);
}
