#include "report/collected.h"

#include <inttypes.h>
#include <time.h>

static const char *run_name(struct doc *doc, uint64_t run)
{
	return doc_words(doc, "%016" PRIx64, run);
}

/* In universal time; "" if it is not known. */
static const char *time_words(struct doc *doc, uint64_t seconds)
{
	const time_t when = (time_t)seconds;
	struct tm tm;
	char text[64];

	if (!seconds || !gmtime_r(&when, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		return "";
	return doc_words(doc, "%s", text);
}

static void run_row(void *context, const struct store_run *run)
{
	struct doc_table *table = context;

	doc_row(table, run_name(table->doc, run->run));
	doc_cell_words(table, !run->is_complete ? "incomplete after"
			      : run->is_partial ? "stopped by a limit, complete to"
						: "complete to");
	doc_value(table, (double)run->cycle);
	doc_value(table, (double)run->intervals);
	doc_value(table, (double)run->missing)->is_marked = run->missing;
	doc_cell_words(table, run->program ? run->program : "");
	doc_cell_words(table, run->machine ? run->machine : "");
	doc_cell_words(table, run->sender ? run->sender : "");
	doc_cell_words(table, time_words(table->doc, run->first_received));
	doc_cell_words(table, time_words(table->doc, run->last_received));
}

static void value_cells(struct doc_table *table, const struct store_value *value)
{
	doc_row(table, run_name(table->doc, value->run));
	doc_value(table, (double)value->epoch);
}

/* A count; a counter that has reached all ones says only "at least". */
static void count_cells(struct doc_table *table, const struct store_value *value)
{
	doc_cell_words(table, value->name ? value->name : "(name not received)");
	struct doc_cell *count = doc_value(table, (double)value->value);
	if (value->is_saturated)
		count->shown = doc_words(table->doc, ">=%" PRIu64, value->value);
}

static void interval_row(void *context, const struct store_value *value)
{
	struct doc_table *table = context;

	value_cells(table, value);
	doc_value(table, (double)value->start);
	doc_value(table, (double)value->cycles);
	count_cells(table, value);
}

static void total_row(void *context, const struct store_value *value)
{
	value_cells(context, value);
	count_cells(context, value);
	doc_cell_words(context, value->is_saturated ? "at least" : "");
}

static void dropped_row(void *context, const char *reason, uint64_t packets)
{
	struct doc_table *table = context;

	doc_row(table, reason);
	doc_value(table, (double)packets);
}

static struct doc_table *begin(struct doc *doc, const char *id, const char *title,
			       const char *names)
{
	doc_section(doc, id, title);
	return doc_table(doc, doc_words(doc, "%s-table", id), NULL, names);
}

static bool runs(struct doc *doc, struct store *store, struct err *err)
{
	struct doc_table *table = begin(doc, "runs", "Runs", "run");

	doc_column(table, "state", DOC_WORDS, 0);
	doc_column(table, "cycle", DOC_COUNT, 0);
	doc_column(table, "intervals", DOC_COUNT, 0)->about = "received";
	doc_column(table, "missing", DOC_COUNT, 0);
	doc_column(table, "program", DOC_WORDS, 0);
	doc_column(table, "machine", DOC_WORDS, 0);
	doc_column(table, "sender", DOC_WORDS, 0)->flags = DOC_OPTIONAL;
	doc_column(table, "received", DOC_WORDS, 0)->about = "its first packet, in universal time";
	doc_column(table, "until", DOC_WORDS, 0)->flags = DOC_OPTIONAL;
	const bool ok = store_each_run(store, run_row, table, err);
	doc_end(doc);
	return ok;
}

static bool totals(struct doc *doc, struct store *store, struct err *err)
{
	struct doc_table *table = begin(doc, "totals", "Totals", "run");

	doc_column(table, "epoch", DOC_COUNT, 0);
	doc_column(table, "counter", DOC_WORDS, 0);
	doc_column(table, "total", DOC_COUNT, 0);
	doc_column(table, "", DOC_WORDS, 0)->where = DOC_IN_CSV;
	table->has_filter = true;
	const bool ok = store_each_total(store, total_row, table, err);
	doc_end(doc);
	return ok;
}

static bool intervals(struct doc *doc, struct store *store, struct err *err)
{
	struct doc_table *table = begin(doc, "intervals", "Intervals", "run");

	doc_column(table, "epoch", DOC_COUNT, 0);
	doc_column(table, "cycle", DOC_COUNT, 0);
	doc_column(table, "cycles", DOC_COUNT, 0);
	doc_column(table, "counter", DOC_WORDS, 0);
	doc_column(table, "count", DOC_COUNT, 0);
	table->limit = 200;
	const bool ok = store_each_value(store, interval_row, table, err);
	doc_end(doc);
	return ok;
}

static bool dropped(struct doc *doc, struct store *store, struct err *err)
{
	struct doc_table *table = begin(doc, "dropped", "Dropped packets", "reason");

	doc_column(table, "packets", DOC_COUNT, 0);
	const bool ok = store_each_dropped(store, dropped_row, table, err);
	if (!table->row_count)
		doc_last(doc)->where = 0;
	doc_end(doc);
	if (!table->row_count)
		doc_only(doc, 0);
	return ok;
}

/* Rows that no collector wrote are not shown, and that is said. */
static bool damaged(struct doc *doc, struct store *store, struct err *err)
{
	uint64_t rows;

	if (!store_count_damaged(store, &rows, err))
		return false;
	if (rows)
		doc_say(doc_text(doc, DOC_WARNING),
			"%" PRIu64
			" rows of the database are damaged, or of another origin, and are "
			"left out.",
			rows);
	return true;
}

bool collected_build(struct doc *doc, struct store *store, struct err *err)
{
	doc->title = "Collected runs - cyclestack";
	doc_say(&doc->heading, "Collected runs");
	return damaged(doc, store, err) && runs(doc, store, err) && intervals(doc, store, err) &&
	       totals(doc, store, err) && dropped(doc, store, err);
}
