#include <math.h>
#include <string.h>

#include "report/common.h"
#include "report/run.h"
#include "value/member.h"

#define CURVES_MOST 8 /* in one plot */

/* Of a place: its line, or its function if no line is known or it was named as one. */
static const char *place_name(struct doc *doc, const json_t *place)
{
	const char *named = json_string_value(json_object_get(place, "named"));
	const char *file = member_text(place, "file");

	if (named)
		return named;
	if (*file && member_whole(place, "line"))
		return common_place(doc, file, member_whole(place, "line"));
	return member_text(place, "function");
}

/* The function that it is in, if its name is not that. */
static const char *place_function(struct doc *doc, const json_t *place)
{
	const char *function = json_string_value(json_object_get(place, "function"));

	return function && strcmp(function, place_name(doc, place)) != 0 ? function : NULL;
}

static double charged_to(const struct run_report *run, const json_t *place)
{
	return common_ratio(member_number(place, "slots"),
			    (double)run->stacks->slots_per_cycle * run->cycles);
}

/* The point with the shortest time; NULL if the place has none. */
static const json_t *shortest(const json_t *place)
{
	return json_array_get(json_object_get(place, "points"), 0);
}

/* The place with the largest gain among those whose gain is certain; NULL if there is none. */
static const json_t *best_of(const json_t *places)
{
	const json_t *best = NULL;
	json_t *place;
	size_t i;

	json_array_foreach(places, i, place)
	{
		const json_t *point = shortest(place);

		if (point && member_number(point, "gain") > member_number(point, "error") &&
		    (!best || member_number(point, "gain") > member_number(shortest(best), "gain")))
			best = place;
	}
	return best;
}

static void answer(const struct run_report *run, const json_t *causal)
{
	const json_t *places = json_object_get(causal, "places");
	const json_t *best = best_of(places), *point = shortest(best);
	struct doc *doc = run->doc;

	if (!member_whole(causal, "windows")) {
		doc_conclusion(doc,
			       "Nothing is known of how the program's time depends on its lines: "
			       "every window ended at once, at a system call or a read of a "
			       "counter, or the program shares memory with a file, or the run was "
			       "stopped; --set ideal.at simulates it.");
		return;
	}
	if (!best) {
		doc_conclusion(doc,
			       json_array_size(places) == 1
				       ? "If this place took no time, the program would take as "
					 "long, within the interval."
				       : "If any one of these places took no time, the program "
					 "would take as long, within the interval.");
		return;
	}
	const char *function = place_function(doc, best);
	struct doc_text *text = doc_text(doc, DOC_STRONG);

	doc_say(text, "If ");
	doc_word(text, place_name(doc, best));
	if (function) {
		doc_say(text, " in ");
		doc_word(text, function);
	}
	doc_say(text, " took no time, the program would take ");
	doc_bold(text, "%s %%", doc_decimal(doc, 100 * member_number(point, "gain"), 1));
	doc_say(text, " less, +-%s; %s %% of its cycles are charged to it.",
		doc_decimal(doc, 100 * member_number(point, "error"), 1),
		doc_decimal(doc, 100 * charged_to(run, best), 1));
}

/* Program time by place and time left, and how wide the widest interval is. */
static void curves_table(const struct run_report *run, const json_t *places)
{
	struct doc *doc = run->doc;
	struct doc_table *table = doc_table(doc, "causal-table", NULL, "place");
	const json_t *points = NULL;
	json_t *place;
	size_t i;

	json_array_foreach(places, i, place) if (shortest(place)) points =
		json_object_get(place, "points");
	doc_column(table, "charged", DOC_PERCENT, 1)->about =
		"of the cycles of the run, to its instructions";
	for (size_t k = json_array_size(points); k-- > 0;)
		doc_column(table,
			   doc_words(doc, "at %.0f %%",
				     100 * member_number(json_array_get(points, k), "left")),
			   DOC_PERCENT, 1)
			->about = "the program's time, of that of the run, if the place took so "
				  "much of its own time";
	doc_column(table, "+-", DOC_PERCENT, 1)->about =
		"by which these may be wrong in 19 of 20 cases, the largest";
	json_array_foreach(places, i, place)
	{
		const json_t *own = json_object_get(place, "points");
		double error = 0;

		doc_row(table, place_name(doc, place))->detail = place_function(doc, place);
		doc_value(table, charged_to(run, place));
		for (size_t k = json_array_size(own); k-- > 0;) {
			const json_t *point = json_array_get(own, k);

			doc_value(table, 1 - member_number(point, "gain"));
			error = fmax(error, member_number(point, "error"));
		}
		if (json_array_size(own))
			doc_value(table, error);
	}
}

/* Each point with its interval. */
static void points_table(const struct run_report *run, const json_t *places)
{
	struct doc *doc = run->doc;
	json_t *place, *point;
	size_t i, k;

	doc_fold(doc, "Each point with its interval");
	struct doc_table *table = doc_table(doc, "causal-points", NULL, "place");

	doc_column(table, "function", DOC_WORDS, 0);
	doc_column(table, "time left", DOC_PERCENT, 0)->about = "of the place's own";
	doc_column(table, "cycles", DOC_COUNT, 0)->about = "the program's";
	doc_column(table, "gain", DOC_PERCENT, 2)->about =
		"the part of the cycles that would go away";
	doc_column(table, "+-", DOC_PERCENT, 2)->about =
		"by which the gain may be wrong in 19 of 20 cases";
	json_array_foreach(places, i, place)
		json_array_foreach(json_object_get(place, "points"), k, point)
	{
		doc_row(table, place_name(doc, place));
		doc_cell_words(table, member_text(place, "function"));
		doc_value(table, member_number(point, "left"));
		doc_value(table, member_number(point, "cycles"));
		doc_value(table, member_number(point, "gain"));
		doc_value(table, member_number(point, "error"));
	}
	doc_end(doc);
	doc_only(doc, DOC_IN_PAGE | DOC_IN_CSV);
}

/* A line from all of its time to none, with its points. */
static void draw_place(struct doc *doc, struct doc_drawing *drawing, struct doc_panel *panel,
		       const json_t *place, unsigned index)
{
	const json_t *points = json_object_get(place, "points");
	json_t *values = json_array(), *point;
	size_t i;

	json_array_foreach(points, i, point)
		json_array_append_new(values, json_real(100 * (1 - member_number(point, "gain"))));
	json_array_append_new(values, json_real(100));
	for (int is_marks = 0; is_marks < 2; is_marks++) {
		struct doc_series *series = doc_plot_series(drawing, panel, values);

		series->name = is_marks ? NULL : place_name(doc, place);
		series->words = series->name;
		series->colour = doc_method(1 + index);
		series->style = is_marks ? DOC_POINTS : DOC_LINE;
	}
	json_decref(values);
}

static void plot(const struct run_report *run, const json_t *places)
{
	struct doc *doc = run->doc;
	json_t *xs = json_array(), *place, *point;
	unsigned drawn = 0;
	size_t i;

	for (i = 0; i < json_array_size(places) && !json_array_size(xs); i++) {
		const json_t *points = json_object_get(json_array_get(places, i), "points");
		size_t k;

		json_array_foreach(points, k, point)
			json_array_append_new(xs, json_real(100 * member_number(point, "left")));
	}
	if (json_array_size(xs)) {
		json_array_append_new(xs, json_real(100));
		struct doc_drawing *drawing = doc_drawing(
			doc, DOC_PLOT, "The program's time by the time of a place",
			"For each place a line from 100 % of its own time at the right to none of "
			"it at the left; its height is the program's time in percent.");
		drawing->x_title = "time that the place takes, in percent of its own";
		drawing->x_name = "percent";
		drawing->shown = "the program's time, in percent";
		drawing->xs = doc_numbers(doc, xs, json_array_size(xs));
		drawing->x_count = json_array_size(xs);
		drawing->places = 1;
		struct doc_panel *panel = doc_panel(drawing, 64, 200, 100, 5);
		panel->title = drawing->shown;
		json_array_foreach(places, i, place) if (shortest(place) && drawn < CURVES_MOST)
			draw_place(doc, drawing, panel, place, drawn++);
		doc_only(doc, DOC_IN_PAGE);
	}
	json_decref(xs);
}

static void notes(const struct run_report *run, const json_t *causal)
{
	const json_t *places = json_object_get(causal, "places");
	struct doc *doc = run->doc;
	json_t *place;
	size_t i;

	if (member_whole(causal, "windows"))
		doc_note(
			doc,
			doc_words(
				doc,
				"Simulated in %s windows with %s %% of the instructions. The "
				"time of a place is what its operations take beyond a cycle, its "
				"loads and stores beyond a hit, and its mispredicted branches; it "
				"still fills its slots of fetch, dispatch and commit, and what it "
				"calls takes as long as ever.",
				doc_whole(doc, member_number(causal, "windows")),
				doc_decimal(doc,
					    100 * common_ratio(member_number(causal,
									     "window_instructions"),
							       run->instructions),
					    1)));
	json_array_foreach(places, i, place)
	{
		const double slots = member_number(place, "slots");
		const double covered = member_number(place, "covered");

		if (slots == 0)
			doc_note(doc, doc_words(doc, "No instruction of %s was executed.",
						place_name(doc, place)));
		else if (covered < slots)
			doc_note(doc,
				 doc_words(
					 doc,
					 "%s is in more pieces than a machine can have ranges: its "
					 "curve is of those with %s %% of its cycles.",
					 place_name(doc, place),
					 doc_decimal(doc, 100 * common_ratio(covered, slots), 1)));
	}
}

void run_causal(const struct run_report *run)
{
	const json_t *causal = json_object_get(run->result, "causal");
	const json_t *places = json_object_get(causal, "places");

	if (!causal)
		return;
	doc_section(run->doc, "causal", "If a line took less time")->short_title = "Causal";
	answer(run, causal);
	if (json_array_size(places)) {
		curves_table(run, places);
		plot(run, places);
		points_table(run, places);
	}
	notes(run, causal);
	doc_end(run->doc);
}
