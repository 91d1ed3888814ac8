#include <math.h>
#include <string.h>

#include "base/array.h"
#include "report/common.h"
#include "report/judge.h"
#include "value/member.h"

static const struct event_row {
	const char *event, *title, *values;
} event_rows[] = {
	{"l1i", "Cycles per L1I miss", "Cycles per L1I miss of the right path"},
	{"branch", "Cycles per misprediction", "Cycles per committed misprediction"},
	{"l2d", "Cycles per long data miss", "Cycles per long data miss of the right path"},
};

static const json_t *costs_of(const json_t *program, const char *event)
{
	return json_object_get(json_object_get(program, "per_event"), event);
}

/* The names that charge something for the event in any program; the caller owns the object. */
static json_t *names_of(const struct judge_report *judge, const char *event)
{
	json_t *names = json_object(), *program, *costs;
	size_t i;

	json_array_foreach(judge->programs, i, program)
	{
		costs = json_object_get(json_object_get(program, "per_event"), event);
		json_object_update_missing(names, costs);
	}
	return names;
}

static double cost_of(const json_t *program, const char *event, const char *name)
{
	const json_t *cost = json_object_get(costs_of(program, event), name);

	return cost ? json_number_value(cost) : NAN;
}

static void draw_event(const struct judge_report *judge, const struct event_row *row, json_t *names)
{
	struct doc_drawing *drawing =
		doc_drawing(judge->doc, DOC_BARS, row->title,
			    "By program and method; the table below has the values.");
	const char *name;
	json_t *program, *unused;
	size_t i;

	drawing->places = 1;
	drawing->can_hide = true;
	json_object_foreach(names, name, unused)
		doc_series(drawing, name, common_method_colour(name))
			->about = common_method_about(name);
	json_array_foreach(judge->programs, i, program)
	{
		struct doc_group *group = doc_group(drawing, member_text(program, "name"));
		size_t k = 0;

		group->key = judge_key(judge, program);
		json_object_foreach(names, name, unused)
			doc_set(group, k++, cost_of(program, row->event, name));
	}
}

static void event_table(const struct judge_report *judge, const struct event_row *row,
			json_t *names)
{
	struct doc_table *table = doc_table(
		judge->doc, doc_words(judge->doc, "cycles-per-%s", row->event), NULL, "program");
	const char *name;
	json_t *program, *unused;
	size_t i;

	doc_column(table, "events", DOC_SHORT, 0);
	json_object_foreach(names, name, unused) doc_column(table, name, DOC_NUMBER, 1)->about =
		common_method_about(name);
	json_array_foreach(judge->programs, i, program)
	{
		judge_row(judge, table, program);
		doc_value(table, member_number(json_object_get(program, "events"), row->event));
		json_object_foreach(names, name, unused)
			doc_value(table, cost_of(program, row->event, name));
	}
}

static void event_part(const struct judge_report *judge, const struct event_row *row)
{
	json_t *names = names_of(judge, row->event);

	if (json_object_size(names)) {
		draw_event(judge, row, names);
		doc_fold(judge->doc, row->values);
		event_table(judge, row, names);
		doc_end(judge->doc);
	}
	json_decref(names);
}

void judge_event(const struct judge_report *judge, const char *event)
{
	for (size_t i = 0; i < ARRAY_COUNT(event_rows); i++)
		if (strcmp(event_rows[i].event, event) == 0)
			event_part(judge, &event_rows[i]);
}

static bool has_event(const struct judge_report *judge, const char *event)
{
	json_t *names = names_of(judge, event);
	const bool has = json_object_size(names);

	json_decref(names);
	return has;
}

void judge_events(const struct judge_report *judge)
{
	struct doc *doc = judge->doc;
	bool has_any = false;

	for (size_t i = 0; i < ARRAY_COUNT(event_rows); i++)
		has_any |= has_event(judge, event_rows[i].event);
	if (!has_any)
		return;
	doc_section(doc, "events", "Cycles per event")->short_title = "Per event";
	doc_note(doc, "What each method charges, over the same number of events for all: primary "
		      "misses on the correct path, mispredictions that committed. The simulated "
		      "difference is what idealising that structure saves, over the same events.");
	for (size_t i = 0; i < ARRAY_COUNT(event_rows); i++) {
		if (!has_event(judge, event_rows[i].event))
			continue;
		doc_heading(doc, event_rows[i].title);
		doc_only(doc, DOC_IN_PAGE);
		event_part(judge, &event_rows[i]);
	}
	doc_end(doc);
}

/* What a variant of sfmt loses; older results have that of sfmt alone. */
static const json_t *losses_of(const json_t *program, const char *method)
{
	const json_t *all = json_object_get(program, "sfmt_losses");

	if (!all && strcmp(method, "sfmt") == 0)
		return json_object_get(program, "sfmt");
	return json_object_get(all, method);
}

/* A loss as a part of the run, and on a page in cycles. */
static void loss_cells(struct doc_table *table, const json_t *program, const char *method,
		       const char *member)
{
	const json_t *cycles = json_object_get(losses_of(program, method), member);

	doc_value(table,
		  cycles ? common_ratio(json_number_value(cycles), member_number(program, "cycles"))
			 : NAN);
	doc_value_of(table, cycles);
}

static void loss_columns(struct doc_table *table, const char *title, const char *about)
{
	judge_percent(table, title, 2)->about = about;
	struct doc_column *column = doc_column(table, "cycles", DOC_COUNT, 0);

	column->about = about;
	column->where = DOC_IN_PAGE | DOC_IN_CSV;
}

void judge_overlap(const struct judge_report *judge)
{
	struct doc *doc = judge->doc;
	json_t *program;
	size_t i;

	if (!json_object_get(json_array_get(judge->programs, 0), "overlap"))
		return;
	doc_section(doc, "overlap", "Overlap and losses")->short_title = "Overlap";
	doc_note(doc,
		 "Overlap of frontend and long data miss penalties, all and with a full window: "
		 "charged to one, these cycles could be charged to the other. What clearing loses "
		 "in sFMT, in which all branches share one set of counters: older counts "
		 "(sfmt-resolve), younger counts and wrong-path counts kept (sfmt). In percent of "
		 "the run's cycles.");
	struct doc_table *table = doc_table(doc, "overlap-and-losses", NULL, "program");
	judge_percent(table, "overlap %", 2);
	judge_percent(table, "full %", 2)->about = "the window is full as well";
	loss_columns(table, "older lost",
		     "counts of older misses lost when clearing at resolution");
	loss_columns(table, "younger lost",
		     "counts of younger correct-path misses lost when clearing at commit");
	loss_columns(table, "wrong kept", "counts of wrong-path misses that stayed");
	json_array_foreach(judge->programs, i, program)
	{
		judge_row(judge, table, program);
		doc_value_of(table, json_object_get(program, "overlap"));
		doc_value_of(table, json_object_get(program, "overlap_full"));
		loss_cells(table, program, "sfmt-resolve", "older_lost");
		loss_cells(table, program, "sfmt", "younger_lost");
		loss_cells(table, program, "sfmt", "wrong_path_kept");
	}
	doc_end(doc);
}

/* Storage may depend on the program: the least and the most. */
static void bits_cell(const struct judge_report *judge, struct doc_table *table, const char *method)
{
	double least = INFINITY, most = -1;
	json_t *program;
	size_t i;

	json_array_foreach(judge->programs, i, program)
	{
		const json_t *bits = json_object_get(judge_method(program, method), "bits");

		if (!json_is_integer(bits))
			continue;
		least = fmin(least, json_number_value(bits));
		most = fmax(most, json_number_value(bits));
	}
	if (most < 0)
		doc_cell_none(table);
	else if (least == most)
		doc_value(table, most);
	else
		doc_cell_words(table,
			       doc_words(judge->doc, "%s to %s", doc_whole(judge->doc, least),
					 doc_whole(judge->doc, most)));
}

void judge_storage(const struct judge_report *judge)
{
	static const char *const errors[][2] = {{"mean error", "mean_error"},
						{"largest error", "largest_error"}};
	const char *method;
	json_t *unused;

	doc_section(judge->doc, "storage", "Storage and error")->short_title = "Storage";
	struct doc_table *table = doc_table(judge->doc, "storage-and-error", NULL, "method");
	doc_column(table, "", DOC_WORDS, 0)->where = DOC_IN_PAGE;
	doc_column(table, "bits", DOC_COUNT, 0)->about = "of storage";
	for (size_t i = 0; i < ARRAY_COUNT(errors); i++) {
		struct doc_column *column = doc_column(table, errors[i][0], DOC_PERCENT, 2);

		column->flags = DOC_LIMIT;
		column->limit = JUDGE_LIMIT;
	}
	json_object_foreach(judge->methods, method, unused)
	{
		const char *about = common_method_about(method);

		doc_row(table, method)->colour = common_method_colour(method);
		doc_cell_words(table, about ? about : "");
		bits_cell(judge, table, method);
		for (size_t i = 0; i < ARRAY_COUNT(errors); i++)
			doc_value_of(table,
				     json_object_get(json_object_get(judge->summary, errors[i][1]),
						     method));
	}
	doc_end(judge->doc);
}

static const char *joined(struct doc *doc, const json_t *words)
{
	const char *text = "";
	json_t *word;
	size_t i;

	json_array_foreach(words, i, word) text =
		doc_words(doc, "%s%s%s", text, i ? " " : "", json_string_value(word));
	return text;
}

/* In a result of an early version: the base of the truth when all units take one cycle. */
static const json_t *unitless_of(const json_t *program)
{
	return json_object_get(json_object_get(program, "truth"), "base_without_units");
}

void judge_about(const struct judge_report *judge)
{
	const bool has_unitless = unitless_of(json_array_get(judge->programs, 0));
	struct doc *doc = judge->doc;
	json_t *program;
	size_t i;

	doc_section(doc, "about", "What was judged")->short_title = "About";
	common_machine_facts(doc, json_object_get(judge->result, "configuration"));
	doc_fold(doc, "Programs");
	struct doc_table *table = doc_table(doc, "programs", NULL, "program");
	doc_column(table, "arguments", DOC_CODE, 0);
	doc_column(table, "instructions", DOC_COUNT, 0);
	doc_column(table, "cycles", DOC_COUNT, 0);
	doc_column(table, "CPI", DOC_NUMBER, 4);
	if (has_unitless)
		doc_column(table, "base without units", DOC_COUNT, 0)->about =
			"base of the truth when all units take one cycle";
	doc_column(table, "SHA-256", DOC_CODE, 0);
	json_array_foreach(judge->programs, i, program)
	{
		judge_row(judge, table, program);
		doc_cell_words(table, joined(doc, json_object_get(program, "arguments")));
		doc_value(table, member_number(program, "instructions"));
		doc_value(table, member_number(program, "cycles"));
		doc_value(table, common_ratio(member_number(program, "cycles"),
					      member_number(program, "instructions")));
		if (has_unitless)
			doc_value_of(table, unitless_of(program));
		doc_cell_words(table, doc_words(doc, "%.16s", member_text(program, "sha256")));
	}
	doc_end(doc);
	doc_end(doc);
	doc_only(doc, DOC_IN_PAGE);
}
