#include <string.h>

#include "base/array.h"
#include "classify/classify.h"
#include "report/inspect_figures.h"
#include "report/report.h"
#include "value/member.h"

static bool is_verdict(const json_t *event, const char *verdict)
{
	return strcmp(member_text(event, "verdict"), verdict) == 0;
}

/* Whether a verdict says what the event counts, or something was claimed of it. */
static bool is_told(const json_t *event)
{
	return json_object_get(event, "holds") ||
	       (!is_verdict(event, VERDICT_NONE) && !is_verdict(event, VERDICT_ZERO) &&
		!is_verdict(event, VERDICT_REFUSED));
}

static const char *name_of(struct doc *doc, const json_t *event)
{
	return *member_text(event, "name")
		       ? member_text(event, "name")
		       : doc_words(doc, "%lld:%lld", (long long)member_whole(event, "type"),
				   (long long)member_whole(event, "code"));
}

static const char *machine_of(const json_t *result)
{
	const json_t *configuration = json_object_get(result, "configuration");

	if (configuration)
		return member_text(configuration, "name");
	return strcmp(member_text(result, "on"), "host") == 0 ? "this host" : "the readings";
}

static void heading(struct doc *doc, const json_t *result)
{
	doc->title = doc_words(doc, "Events of %s - cyclestack", machine_of(result));
	doc_say(&doc->heading, "What the events of %s count", machine_of(result));
	doc_note(doc, doc_words(doc,
				"%zu events, judged from readings alone, after Danalis and others "
				"(2017).",
				json_array_size(json_object_get(result, "events"))));
	doc_only(doc, DOC_IN_PAGE);
}

/* "4096, 32768 bytes" */
static void size_fact(struct doc *doc, const char *label, const json_t *sizes, const char *unit)
{
	struct doc_text *text;
	const json_t *value;
	size_t i;

	if (!json_array_size(sizes))
		return;
	text = doc_fact(doc, label);
	json_array_foreach(sizes, i, value)
		doc_say(text, "%s%lld", i ? ", " : "", (long long)json_integer_value(value));
	doc_say(text, " %s", unit);
}

static void found(struct doc *doc, const json_t *machine)
{
	const long long line = member_whole(machine, "line_bytes");
	const long long block = member_whole(machine, "block_bytes");
	const long long page = member_whole(machine, "page_bytes");

	doc_section(doc, "machine", "Found on the way")->short_title = "Machine";
	if (line)
		doc_say(doc_fact(doc, "lines"), "%lld bytes", line);
	if (block)
		doc_say(doc_fact(doc, "brought in by a miss"), "%lld bytes", block);
	if (page)
		doc_say(doc_fact(doc, "pages"), "%lld bytes", page);
	if (!line && !page)
		doc_say(doc_fact(doc, "lines and pages"), "no event tells them");
	size_fact(doc, "caches of data", json_object_get(machine, "data_bytes"), "bytes");
	size_fact(doc, "caches of instructions", json_object_get(machine, "instruction_bytes"),
		  "bytes");
	size_fact(doc, "TLBs of data", json_object_get(machine, "data_pages"), "pages");
	size_fact(doc, "TLBs of instructions", json_object_get(machine, "instruction_pages"),
		  "pages");
	if (!json_is_true(json_object_get(machine, "tells_executed")))
		doc_note(doc, "no event counts branches of wrong paths: executed and retired "
			      "cannot be told apart");
	doc_end(doc);
}

static bool any_claim(const json_t *events)
{
	const json_t *event;
	bool any = false;
	size_t i;

	json_array_foreach(events, i, event) any |= json_object_get(event, "holds") != NULL;
	return any;
}

static const char *holds_words(const json_t *holds)
{
	return !holds ? "" : json_is_true(holds) ? "yes" : "NO";
}

/* More about an event, below what it counts. */
static void told_child(struct doc_table *table, const char *words)
{
	doc_child(table, "");
	for (size_t i = 0; i + 1 < table->column_count; i++)
		doc_cell_words(table, "");
	doc_cell_words(table, words);
}

static void told_rows(struct doc *doc, struct doc_table *table, const json_t *event,
		      bool has_claims)
{
	const json_t *holds = json_object_get(event, "holds"), *other;
	size_t i;

	doc_row(table, name_of(doc, event));
	if (has_claims)
		doc_cell_words(table, holds_words(holds))->is_marked = json_is_false(holds);
	doc_value(table, member_number(event, "confidence"));
	doc_cell_words(table, member_text(event, "verdict"));
	json_array_foreach(json_object_get(event, "also"), i, other)
		told_child(table, doc_words(doc, "or %s", json_string_value(other)));
	if (json_is_false(holds))
		told_child(table, doc_words(doc, "its name says: %s", member_text(event, "claim")));
}

/* For text: what the events count that count something, a line for each thing it may be. */
static void told(struct doc *doc, const json_t *events)
{
	const bool has_claims = any_claim(events);
	struct doc_table *table = doc_table(doc, NULL, NULL, "event");
	const json_t *event;
	size_t i;

	doc_only(doc, DOC_IN_TEXT);
	if (has_claims)
		doc_column(table, "holds", DOC_WORDS, 0);
	doc_column(table, "sure", DOC_NUMBER, 2);
	doc_column(table, "counts", DOC_WORDS, 0)->flags = DOC_WHOLE;
	json_array_foreach(events, i, event)
	{
		if (is_told(event))
			told_rows(doc, table, event, has_claims);
	}
}

static const char *joined(struct doc *doc, const json_t *words)
{
	const char *text = "";
	const json_t *word;
	size_t i;

	json_array_foreach(words, i, word) text =
		doc_words(doc, "%s%s%s", text, i ? ", or " : "", json_string_value(word));
	return text;
}

static void event_row(struct doc *doc, struct doc_table *table, const json_t *event,
		      bool has_claims)
{
	const json_t *holds = json_object_get(event, "holds");

	doc_row(table, name_of(doc, event));
	doc_cell_words(table, member_text(event, "verdict"));
	doc_value(table, member_number(event, "confidence"));
	doc_cell_words(table, joined(doc, json_object_get(event, "also")));
	if (!has_claims)
		return;
	doc_cell_words(table, member_text(event, "claim"));
	doc_cell_words(table, holds_words(holds))->is_marked = json_is_false(holds);
}

/* For a page and CSV: every event, a row each, those first of which something is told. */
static void all_events(struct doc *doc, const json_t *events)
{
	const bool has_claims = any_claim(events);
	struct doc_table *table = doc_table(doc, "verdicts", NULL, "event");
	const json_t *event;
	size_t i;

	doc_only(doc, DOC_IN_PAGE | DOC_IN_CSV);
	table->has_filter = true;
	doc_column(table, "counts", DOC_WORDS, 0);
	doc_column(table, "sure", DOC_NUMBER, 2);
	doc_column(table, "the same here as", DOC_WORDS, 0);
	if (has_claims) {
		doc_column(table, "its name says", DOC_WORDS, 0);
		doc_column(table, "holds", DOC_WORDS, 0);
	}
	json_array_foreach(events, i, event)
	{
		if (is_told(event))
			event_row(doc, table, event, has_claims);
	}
	json_array_foreach(events, i, event)
	{
		if (!is_told(event))
			event_row(doc, table, event, has_claims);
	}
}

/* The names of the events with a verdict that says no more. */
static void names_of(struct doc *doc, const json_t *events, const char *verdict, const char *one,
		     const char *many)
{
	struct doc_text *text;
	const json_t *event;
	size_t i, count = 0;

	json_array_foreach(events, i, event) count += is_verdict(event, verdict);
	if (!count)
		return;
	doc_fold(doc, doc_words(doc, "%zu event%s", count, count == 1 ? one : many));
	text = doc_text(doc, DOC_PARAGRAPH);
	json_array_foreach(events, i, event)
	{
		if (!is_verdict(event, verdict))
			continue;
		doc_word(text, name_of(doc, event));
		doc_say(text, " ");
	}
	doc_end(doc);
}

static void verdicts(struct doc *doc, const json_t *events)
{
	doc_section(doc, "events", "Verdicts")->short_title = "Events";
	told(doc, events);
	all_events(doc, events);
	names_of(doc, events, VERDICT_NONE, " counts none of these", "s count none of these");
	names_of(doc, events, VERDICT_ZERO, " counts nothing here", "s count nothing here");
	names_of(doc, events, VERDICT_REFUSED, " cannot be counted here",
		 "s cannot be counted here");
	doc_end(doc);
}

REPORT_BUILDER(inspect)
{
	(void)options;
	(void)err;
	heading(doc, result);
	found(doc, json_object_get(result, "machine"));
	verdicts(doc, json_object_get(result, "events"));
	for (const struct inspect_figure *figure = inspect_figures; figure->id; figure++) {
		struct doc_block *section = doc_section(doc, figure->id, figure->title);

		section->where = DOC_IN_PAGE;
		section->short_title = doc_words(doc, "Figure %s", figure->id + strlen("figure"));
		figure->build(doc, result);
		doc_end(doc);
	}
	return true;
}
