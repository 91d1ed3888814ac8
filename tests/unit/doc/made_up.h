/*
 * made_up.h - documents that no command makes: one with every kind of block, for the tests of
 * renderers, and a large one.
 */
#ifndef TESTS_UNIT_DOC_MADE_UP_H
#define TESTS_UNIT_DOC_MADE_UP_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "doc/doc.h"

#define MADE_UP_PARTS 4
#define MADE_UP_ROWS  12

static const char *const made_up_parts[MADE_UP_PARTS] = {"base", "branch", "l1d", "dtlb"};
static const char *const made_up_programs[] = {"chess", "sort", "fft"};
static const char *const made_up_methods[] = {"naive", "fmt", "exact"};

/* Any value that is not the same for all; from 0 up to 1. */
static double made_up_value(unsigned seed)
{
	return (double)(seed * 2654435761u >> 12 & 1023) / 1024;
}

static void made_up_parts_of(struct doc_table *table)
{
	for (size_t i = 0; i < MADE_UP_PARTS; i++)
		doc_part(table, made_up_parts[i], doc_component_named(made_up_parts[i]));
}

/* Functions with their lines, seen in three ways. */
static struct doc_table *made_up_columns(struct doc *doc, const char *id, double whole)
{
	struct doc_table *table = doc_table(doc, id, "Functions, each with its stack", "function");

	table->whole = whole;
	table->has_filter = true;
	table->can_fill = true;
	table->sorted = "share";
	doc_view(table, "% of run", DOC_PERCENT, 2, DOC_BY_WHOLE);
	doc_view(table, "cycles", DOC_COUNT, 0, DOC_BY_NOTHING);
	doc_view(table, "CPI", DOC_NUMBER, 3, DOC_BY_WEIGHT);
	made_up_parts_of(table);
	doc_column(table, "stack", DOC_STACK, 0);
	doc_column(table, "share", DOC_PERCENT, 2)->flags = DOC_HEAT;
	doc_column(table, "cycles", DOC_COUNT, 0)->about = "of the run";
	doc_column(table, "CPI", DOC_NUMBER, 3);
	for (size_t i = 0; i < MADE_UP_PARTS; i++)
		doc_column(table, made_up_parts[i], DOC_COUNT, 0)->flags = DOC_VIEWED;
	return table;
}

static void made_up_cells(struct doc_table *table, const double *values, double weight)
{
	double cycles = 0;

	for (size_t i = 0; i < MADE_UP_PARTS; i++)
		cycles += values[i];
	doc_cell_values(table, values, MADE_UP_PARTS);
	doc_value(table, cycles / table->whole);
	doc_value(table, cycles);
	doc_value(table, cycles / weight);
	for (size_t i = 0; i < MADE_UP_PARTS; i++)
		doc_value(table, values[i]);
}

static void made_up_functions(struct doc *doc, size_t rows, size_t limit, const char *hostile)
{
	struct doc_table *table =
		made_up_columns(doc, "functions", 100.0 * (double)rows * (double)rows);

	table->limit = limit;
	for (size_t i = 0; i < rows; i++) {
		double size = (double)(rows - i),
		       values[MADE_UP_PARTS] = {40 * size, i % 3 ? 30 * size : 0, 20 * size,
						i % 2 ? 10 * size : 1};
		char name[64];

		snprintf(name, sizeof(name), "function_%zu", (i * 7919) % rows);
		struct doc_row *row = doc_row(table, hostile && i == 1 ? hostile : name);
		row->detail = hostile ? hostile : "file.c:12";
		row->weight = 50 * (double)(i + 1);
		row->is_folded = true;
		row->target = i == 3 ? "listing" : NULL;
		double weight = row->weight;
		made_up_cells(table, values, weight);
		for (unsigned k = 0; k < 2; k++) {
			double half[MADE_UP_PARTS];

			for (size_t p = 0; p < MADE_UP_PARTS; p++)
				half[p] = values[p] * (k ? 0.25 : 0.75);
			snprintf(name, sizeof(name), "file.c:%zu", i * 10 + k);
			doc_child(table, name)->weight = weight / 2;
			made_up_cells(table, half, weight / 2);
		}
	}
	doc_row(table, "all")->weight = 1;
	doc_row_total(table);
	doc_cell_none(table);
	doc_value(table, 1);
}

/* Lines with their instructions, of which the first line has the smaller ones. */
static void made_up_listing(struct doc *doc)
{
	struct doc_table *table = doc_table(doc, "listing", NULL, "line");

	table->is_listing = true;
	made_up_parts_of(table);
	doc_column(table, "source", DOC_CODE, 0);
	doc_column(table, "stack", DOC_STACK, 0);
	for (unsigned i = 0; i < 2; i++) {
		doc_row(table, i ? "2" : "1");
		doc_cell_words(table, "a  =  b;");
		for (unsigned k = 1; k <= 2; k++) {
			const double values[MADE_UP_PARTS] = {k, i ? 8 : 0};

			doc_child(table, "80001234");
			doc_cell_words(table, "addi\ta0,a0,1");
			doc_cell_values(table, values, MADE_UP_PARTS);
		}
	}
}

static void made_up_texts(struct doc *doc, const char *name)
{
	struct doc_text *text = doc_text(doc, DOC_VERDICT);

	doc_say(text, "%d %% of the cycles of ", 40);
	doc_word(text, name);
	doc_say(text, " went to ");
	doc_swatch(text, doc_component_named("branch"));
	doc_bold(text, "branch");
	doc_say(text, "; see ");
	doc_link(text, "functions", "its functions");
	doc_say(text, ".");
	doc_paragraph(doc, "A paragraph.");
	doc_note(doc, "A note that explains.");
	doc_conclusion(doc, "A conclusion.");
	doc_say(doc_text(doc, DOC_WARNING), "%s", "A warning.");
}

static void made_up_main_bar(struct doc *doc)
{
	struct doc_drawing *drawing =
		doc_drawing(doc, DOC_LYING, "The stack of the run", "One bar of all components");

	drawing->is_main = true;
	drawing->unit = DOC_PERCENT;
	drawing->places = 1;
	for (size_t i = 0; i < MADE_UP_PARTS; i++)
		doc_series(drawing, made_up_parts[i], doc_component_named(made_up_parts[i]));
	struct doc_group *group = doc_group(drawing, "the run");
	for (size_t i = 0; i < MADE_UP_PARTS; i++)
		doc_set(group, i, i ? 0.2 / (double)i : 1 - 0.2 - 0.1 - 0.2 / 3);
}

/* A table of every unit, without folded rows. */
static void made_up_units(struct doc *doc, const char *name)
{
	struct doc_table *table = doc_table(doc, "units", NULL, "thing");
	const double curve[] = {1, 3, 2, 5, 4, 4};

	doc_column(table, "words", DOC_WORDS, 0);
	doc_column(table, "code", DOC_CODE, 0);
	doc_column(table, "count", DOC_COUNT, 0);
	doc_column(table, "signed", DOC_SIGNED, 2)->flags = DOC_RED;
	struct doc_column *column = doc_column(table, "percent", DOC_PERCENT, 1);
	column->flags = DOC_LIMIT | DOC_BARE;
	column->limit = 0.5;
	doc_column(table, "change", DOC_CHANGE, 1);
	doc_column(table, "bar", DOC_BAR, 0)->colour = doc_method(1);
	doc_column(table, "curve", DOC_SPARK, 0);
	doc_column(table, "text only", DOC_NUMBER, 1)->where = DOC_IN_TEXT;
	for (unsigned i = 0; i < MADE_UP_ROWS; i++) {
		char words[32];

		snprintf(words, sizeof(words), "word %u", (i * 5) % MADE_UP_ROWS);
		struct doc_row *row = doc_row(table, i == 2 ? name : words);
		row->colour = doc_method(i);
		row->about = "about this thing";
		row->is_hot = i == 3;
		doc_cell_words(table, words)->target = i == 4 ? "functions" : NULL;
		doc_cell_words(table, "addi\ta0,a0,1");
		doc_value(table, i == 5 ? NAN : 1e6 * made_up_value(i));
		doc_value(table, made_up_value(i + 20) - 0.5);
		doc_value(table, made_up_value(i + 40));
		doc_value(table, made_up_value(i + 60) - 0.5)->is_marked = i == 6;
		doc_value(table, made_up_value(i + 80));
		doc_cell_values(table, curve, ARRAY_COUNT(curve));
	}
}

static void made_up_lying(struct doc *doc)
{
	struct doc_drawing *drawing = doc_drawing(doc, DOC_LYING, "Stacks of methods",
						  "What is negative is left of zero");

	drawing->unit = DOC_PERCENT;
	drawing->places = 1;
	drawing->has_axis = true;
	drawing->limit = 0.9;
	drawing->heading = "Stacks of methods";
	for (size_t i = 0; i < MADE_UP_PARTS; i++)
		doc_series(drawing, made_up_parts[i], doc_component_named(made_up_parts[i]));
	for (unsigned i = 0; i < ARRAY_COUNT(made_up_methods); i++) {
		struct doc_group *group = doc_group(drawing, made_up_methods[i]);

		group->about = i ? "a method" : "below zero: base -10 %";
		group->beside = i ? "4.0 %" : "12.0 %";
		group->is_marked = !i;
		for (unsigned k = 0; k < MADE_UP_PARTS; k++)
			doc_set(group, k, !i && !k ? -0.1 : 0.1 + 0.3 * made_up_value(i * 9 + k));
	}
}

static void made_up_stacks(struct doc *doc)
{
	struct doc_drawing *drawing =
		doc_drawing(doc, DOC_STACKS, "Upright stacks", "Three stacks beside each other");

	drawing->places = 2;
	for (size_t i = 0; i < MADE_UP_PARTS; i++)
		doc_series(drawing, made_up_parts[i], doc_component_named(made_up_parts[i]));
	for (unsigned i = 0; i < ARRAY_COUNT(made_up_programs); i++) {
		struct doc_group *group = doc_group(drawing, made_up_programs[i]);

		group->is_labelled = !i;
		for (unsigned k = 0; k < MADE_UP_PARTS; k++)
			doc_set(group, k, made_up_value(i * 7 + k + 3));
	}
}

static void made_up_bars(struct doc *doc, double top)
{
	struct doc_drawing *drawing = doc_drawing(doc, DOC_BARS, "Errors of methods",
						  "A bar for each method on each program");

	drawing->unit = DOC_PERCENT;
	drawing->places = 1;
	drawing->top = top;
	drawing->limit = 0.04;
	drawing->can_hide = true;
	for (unsigned i = 0; i < ARRAY_COUNT(made_up_methods); i++)
		doc_series(drawing, made_up_methods[i], doc_method(i))->about = "a method";
	for (unsigned i = 0; i < ARRAY_COUNT(made_up_programs); i++) {
		struct doc_group *group = doc_group(drawing, made_up_programs[i]);

		group->key = doc_key(doc, "program", made_up_programs[i]);
		for (unsigned k = 0; k < ARRAY_COUNT(made_up_methods); k++)
			doc_set(group, k, 0.3 * made_up_value(i * 5 + k));
	}
	struct doc_group *mean = doc_group(drawing, "mean");
	mean->is_total = true;
	doc_set(mean, 0, NAN);
	doc_set(mean, 1, 0.1);
	doc_set(mean, 2, -0.02);
}

static void made_up_programs_table(struct doc *doc)
{
	struct doc_table *table = doc_table(doc, "errors", "Errors in percent", "program");

	doc_column(table, "naive", DOC_PERCENT, 2);
	doc_column(table, "fmt", DOC_PERCENT, 2);
	for (unsigned i = 0; i < ARRAY_COUNT(made_up_programs); i++) {
		doc_row(table, made_up_programs[i])->key =
			doc_key(doc, "program", made_up_programs[i]);
		doc_value(table, 0.3 * made_up_value(i * 5));
		doc_value(table, 0.3 * made_up_value(i * 5 + 1));
	}
}

static void made_up_cards(struct doc *doc)
{
	doc_cards(doc);
	for (size_t i = 0; i < ARRAY_COUNT(made_up_programs); i++) {
		doc_card(doc, made_up_programs[i], doc_key(doc, "program", made_up_programs[i]));
		struct doc_drawing *drawing = doc_drawing(doc, DOC_LYING, "Stacks", "Two stacks");
		drawing->unit = DOC_PERCENT;
		doc_series(drawing, "base", doc_component_named("base"));
		doc_series(drawing, "branch", doc_component_named("branch"));
		for (unsigned k = 0; k < 2; k++) {
			struct doc_group *group = doc_group(drawing, k ? "fmt" : "truth");

			group->beside = "3.1 %";
			doc_set(group, 0, 0.6);
			doc_set(group, 1, 0.4);
		}
		doc_end(doc);
	}
	doc_end(doc);
	for (size_t i = 0; i < ARRAY_COUNT(made_up_programs); i++) {
		char id[32];

		snprintf(id, sizeof(id), "chosen-%zu", i);
		struct doc_block *block = doc_section(doc, id, made_up_programs[i]);
		block->is_detail = true;
		block->key = doc_key(doc, "program", made_up_programs[i]);
		doc_paragraph(doc, "Details of this program.");
		doc_end(doc);
	}
}

static void made_up_over_time(struct doc *doc, size_t moments, enum doc_unit unit)
{
	struct doc_drawing *drawing =
		doc_drawing(doc, DOC_OVER_TIME, "Stack over time", "A stack for each interval");

	drawing->unit = unit;
	drawing->places = 3;
	drawing->x_title = "instructions";
	for (size_t i = 0; i < MADE_UP_PARTS; i++)
		doc_series(drawing, made_up_parts[i], doc_component_named(made_up_parts[i]));
	for (unsigned i = 0; i < moments; i++) {
		char name[48];

		snprintf(name, sizeof(name), "interval %u", i);
		struct doc_group *group = doc_moment(drawing, name, i + 1 < moments ? 1000 : 100);
		for (unsigned k = 0; k < MADE_UP_PARTS; k++)
			doc_set(group, k, 1000 * made_up_value(i * 4 + k) * (k ? 0.5 : 1));
	}
}

static void made_up_plot(struct doc *doc)
{
	struct doc_drawing *drawing = doc_drawing(doc, DOC_PLOT, "Around a miss", "Two panels");
	json_t *values = json_array(), *others = json_array();

	for (unsigned i = 0; i < 40; i++) {
		json_array_append_new(values, json_real(4 * made_up_value(i)));
		json_array_append_new(others, json_integer(i));
	}
	drawing->first = -10;
	drawing->places = 2;
	drawing->x_title = "cycles";
	drawing->x_name = "cycle";
	drawing->shown = "mean";
	drawing->other = "example";
	struct doc_panel *panel = doc_panel(drawing, 60, 120, 4, 4);
	struct doc_series *series = doc_plot_series(drawing, panel, values);
	series->name = series->words = "instructions";
	series->colour = (struct doc_colour){DOC_PALE, 0};
	series->others = doc_numbers(doc, others, 40);
	panel = doc_panel(drawing, 40, 80, 0, 3);
	series = doc_plot_series(drawing, panel, others);
	series->name = series->words = "used";
	series->style = DOC_LINE;
	series->colour = doc_method(1);
	doc_mark(drawing, 0, "miss");
	doc_mark(drawing, 12, "data");
	json_decref(values);
	json_decref(others);
}

static void made_up_flame(struct doc *doc, const char *name)
{
	struct doc_flame *flame = doc_flame(doc, "flame", "Where the cycles went", "cycles");

	doc_node(flame, 0, "main", 1000, doc_component_named("base"));
	doc_node(flame, 1, "solve", 600, doc_component_named("l1d"));
	doc_node(flame, 2, name, 400, doc_component_named("branch"));
	doc_node(flame, 1, "print", 300, doc_component_named("base"));
}

static void made_up_pipeline(struct doc *doc, const char *name)
{
	struct doc_pipeline *pipeline = doc_pipeline(doc, "pipeline", 100, 140);
	unsigned fetch = doc_stage(pipeline, "fetch"), issue = doc_stage(pipeline, "issue"),
		 loss = doc_stage(pipeline, "branch");

	struct doc_lane *lane = doc_lane(pipeline, "lost cycles");
	lane->is_loss = true;
	doc_span(lane, 110, 125, loss);
	for (unsigned i = 0; i < 6; i++) {
		lane = doc_lane(pipeline, i == 3 ? name : "80001234 addi a0, a0, 1");
		lane->is_pale = i == 4;
		doc_span(lane, 98 + 2 * i, 104 + 2 * i, fetch);
		doc_span(lane, 104 + 2 * i, 112 + 3 * i, issue);
	}
}

static void made_up_begin(struct doc *doc, const char *name)
{
	doc_init(doc, "made-up");
	doc->title = "made up - cyclestack";
	doc_word(&doc->heading, name);
	doc_say(&doc->heading, " on midcore");
	doc->about = NULL;
	doc_warn(doc, "the run was stopped early");
}

/* Every kind of block; `name` stands where a result has names. */
static inline void made_up_document(struct doc *doc, const char *name)
{
	const struct doc_part parts[] = {{"base", doc_component_named("base")},
					 {name, doc_component_named(name)}};

	made_up_begin(doc, name);
	doc_figure(doc, "CPI", DOC_NUMBER, 3, 1.234);
	doc_figure(doc, "cycles", DOC_COUNT, 0, 1234567);
	doc_figure(doc, "IPC", DOC_NUMBER, 2, NAN);
	doc_section(doc, "stack", "Where the cycles went")->short_title = "Stack";
	made_up_texts(doc, name);
	made_up_main_bar(doc);
	doc_legend(doc, parts, ARRAY_COUNT(parts));
	made_up_units(doc, name);
	doc_end(doc);
	doc_section(doc, "all-functions", "Functions");
	made_up_functions(doc, MADE_UP_ROWS, 8, strcmp(name, "plain") ? name : NULL);
	made_up_listing(doc);
	doc_end(doc);
	doc_section(doc, "drawings", "Drawings");
	doc_heading(doc, "A heading");
	made_up_lying(doc);
	made_up_stacks(doc);
	made_up_plot(doc);
	doc_choice(doc, "over time as");
	doc_alternative(doc, "CPI");
	made_up_over_time(doc, 96, DOC_NUMBER);
	doc_end(doc);
	doc_alternative(doc, "shares");
	made_up_over_time(doc, 96, DOC_PERCENT);
	doc_end(doc);
	doc_end(doc);
	made_up_flame(doc, name);
	made_up_pipeline(doc, name);
	doc_end(doc);
	doc_section(doc, "judged", "Errors of methods");
	made_up_bars(doc, 0.2);
	made_up_programs_table(doc);
	made_up_cards(doc);
	doc_end(doc);
	doc_section(doc, "about", "About this result");
	doc_fold(doc, "Everything")->id = "everything";
	doc_word(doc_fact(doc, "program"), name);
	doc_say(doc_fact(doc, "configuration"), "midcore");
	doc_end(doc);
	doc_paragraph(doc, "Not in a page.");
	doc_only(doc, DOC_IN_TEXT);
	doc_end(doc);
}

/* 2,000 functions and 5,000 moments. */
static inline void made_up_large(struct doc *doc)
{
	made_up_begin(doc, "large");
	doc_section(doc, "all-functions", "Functions");
	made_up_functions(doc, 2000, 50, NULL);
	doc_end(doc);
	doc_section(doc, "time", "Over time");
	made_up_over_time(doc, 5000, DOC_NUMBER);
	doc_end(doc);
}

#endif
