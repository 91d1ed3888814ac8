#include "report/inspect_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "classify/claim.h"
#include "value/member.h"

#define POINTS_MOST 128
#define PLOT_HEIGHT 220
#define EXECUTED    "conditional branches, executed"
#define RETIRED	    "conditional branches, retired"

static const struct doc_colour colours[] = {
	{DOC_METHOD, 1}, {DOC_METHOD, 2}, {DOC_METHOD, 3}, {DOC_WARN, 0}};

const json_t *inspect_event_of(const json_t *inspection, const char *category)
{
	const json_t *event;
	size_t i;

	json_array_foreach(json_object_get(inspection, "events"), i, event)
	{
		if (claim_has_category(event, category))
			return event;
	}
	return NULL;
}

double inspect_slope(const json_t *event, const char *point)
{
	const json_t *value = json_object_get(json_object_get(event, "slopes"), point);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *name_of(struct doc *doc, const json_t *event)
{
	if (*member_text(event, "name"))
		return member_text(event, "name");
	return doc_words(doc, "event %lld:%lld", (long long)member_whole(event, "type"),
			 (long long)member_whole(event, "code"));
}

/* A curve: values by parameter, sorted. */
struct curve {
	double x[POINTS_MOST], y[POINTS_MOST];
	size_t count;
};

/* The slopes of the event on the points "KERNEL:UNIT:VALUE", or "KERNEL:VALUE" without a unit. */
static void curve_of(struct curve *curve, const json_t *event, const char *kernel, uint64_t unit)
{
	char prefix[64];
	const char *key;
	const json_t *value;
	union {
		const json_t *read;
		json_t *any;
	} slopes = {json_object_get(event, "slopes")};
	int length = unit ? snprintf(prefix, sizeof(prefix), "%s:%llu:", kernel,
				     (unsigned long long)unit)
			  : snprintf(prefix, sizeof(prefix), "%s:", kernel);

	curve->count = 0;
	json_object_foreach(slopes.any, key, value)
	{
		double x;
		size_t i = curve->count;

		if (strncmp(key, prefix, (size_t)length) != 0 || strchr(key + length, ':') ||
		    curve->count == POINTS_MOST)
			continue;
		for (x = strtod(key + length, NULL); i > 0 && curve->x[i - 1] > x; i--) {
			curve->x[i] = curve->x[i - 1];
			curve->y[i] = curve->y[i - 1];
		}
		curve->x[i] = x;
		curve->y[i] = json_number_value(value);
		curve->count++;
	}
}

static json_t *numbers(const double *values, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_real(values[i]));
	return list;
}

struct plot {
	struct doc *doc;
	struct doc_drawing *drawing;
	struct doc_panel *panel;
	const struct curve *axis;
	size_t series;
};

/* A plot over the logarithm of the parameter. */
static void plot_begin(struct plot *plot, struct doc *doc, const struct curve *axis,
		       const char *title, const char *x_title, const char *x_name)
{
	double logs[POINTS_MOST];

	for (size_t i = 0; i < axis->count; i++)
		logs[i] = log2(axis->x[i]);
	json_t *xs = numbers(logs, axis->count);
	*plot = (struct plot){.doc = doc, .axis = axis};
	plot->drawing = doc_drawing(doc, DOC_PLOT, title, title);
	plot->drawing->xs = doc_numbers(doc, xs, axis->count);
	plot->drawing->x_count = axis->count;
	plot->drawing->x_title = x_title;
	plot->drawing->x_name = x_name;
	plot->drawing->shown = "per access";
	plot->panel = doc_panel(plot->drawing, 0, PLOT_HEIGHT, 1, 5);
	json_decref(xs);
}

static void plot_add(struct plot *plot, const char *name, const struct curve *curve, bool is_dashed)
{
	double values[POINTS_MOST];

	/* A curve may lack points of the axis. */
	for (size_t i = 0; i < plot->axis->count; i++) {
		values[i] = NAN;
		for (size_t k = 0; k < curve->count; k++)
			if (curve->x[k] == plot->axis->x[i])
				values[i] = curve->y[k];
	}
	json_t *list = json_array();
	for (size_t i = 0; i < plot->axis->count; i++)
		json_array_append_new(list, isnan(values[i]) ? json_null() : json_real(values[i]));
	struct doc_series *series = doc_plot_series(plot->drawing, plot->panel, list);
	series->name = series->words = series->curve = name;
	series->curve_unit = 0.1;
	series->colour = colours[plot->series++ % ARRAY_COUNT(colours)];
	series->style = is_dashed ? DOC_DASHED : DOC_LINE;
	json_decref(list);
}

static void say_missing(struct doc *doc, const char *what)
{
	doc_paragraph(doc, doc_words(doc, "Not drawn: %s.", what));
}

/* Figure 10: conditional branches executed, over K. */
static void build_10(struct doc *doc, const json_t *inspection)
{
	const json_t *event = inspect_event_of(inspection, EXECUTED);
	struct curve measured, naive;
	struct plot plot;

	if (!event)
		event = inspect_event_of(inspection, RETIRED);
	if (event)
		curve_of(&measured, event, "branch_k", 0);
	if (!event || !measured.count) {
		say_missing(doc, "no event counts conditional branches here");
		return;
	}
	naive = measured;
	for (size_t i = 0; i < naive.count; i++)
		naive.y[i] = 2 * (naive.x[i] - 1) / naive.x[i] + 3 / naive.x[i];
	plot_begin(&plot, doc, &measured, "Conditional branches executed an iteration, over K",
		   "log2 of K", "log2 K");
	plot_add(&plot, name_of(doc, event), &measured, false);
	plot_add(&plot, "2 (K-1)/K + 3/K, the naive prediction", &naive, true);
	doc_paragraph(doc,
		      "The naive prediction assumes that the branch is always predicted not "
		      "taken from K = 3 on, and that one more branch is executed for each wrong "
		      "prediction. How many are depends on how far the core runs ahead.");
}

/* The bytes from element to element of the sweeps of caches. */
static uint64_t unit_of(const json_t *inspection)
{
	const json_t *machine = json_object_get(inspection, "machine");
	long long block = member_whole(machine, "block_bytes");

	return (uint64_t)(block ? block : member_whole(machine, "line_bytes"));
}

/* Figures 12 and 13: what each level makes of growing buffers. */
static void build_levels(struct doc *doc, const json_t *inspection, const char *role)
{
	static const char *const levels[] = {"first level", "second level", "third level"};
	struct curve curves[ARRAY_COUNT(levels)];
	struct plot plot = {0};

	for (size_t i = 0; i < ARRAY_COUNT(levels); i++) {
		static const char *const kinds[] = {"reads", "accesses"};
		const json_t *event = NULL;

		for (size_t k = 0; !event && k < ARRAY_COUNT(kinds); k++)
			event = inspect_event_of(inspection,
						 doc_words(doc, "data cache %s, level %zu, %s",
							   kinds[k], i + 1, role));
		curve_of(&curves[i], event, "read", unit_of(inspection));
		if (!curves[i].count)
			continue;
		if (!plot.doc)
			plot_begin(&plot, doc, &curves[i],
				   doc_words(doc, "Cache %s per access, over the buffer", role),
				   "log2 of the bytes of the buffer", "log2 bytes");
		plot_add(&plot, doc_words(doc, "%s: %s", levels[i], name_of(doc, event)),
			 &curves[i], false);
	}
	if (!plot.doc)
		say_missing(doc, "no event counts them here");
}

static void build_12(struct doc *doc, const json_t *inspection)
{
	build_levels(doc, inspection, "hits");
}

static void build_13(struct doc *doc, const json_t *inspection)
{
	build_levels(doc, inspection, "misses");
}

/* The event of hits in the second level, or if there is only one in the first. */
static const json_t *hits_event(struct doc *doc, const json_t *inspection)
{
	for (unsigned level = 2; level >= 1; level--) {
		const json_t *event = inspect_event_of(
			inspection, doc_words(doc, "data cache accesses, level %u, hits", level));

		if (event)
			return event;
	}
	return NULL;
}

static void build_units(struct doc *doc, const json_t *inspection, const char *kernel,
			const uint64_t units[3], const char *unit_name, const char *title)
{
	const json_t *event = hits_event(doc, inspection);
	struct curve curves[3];
	struct plot plot = {0};

	for (size_t i = 0; event && i < 3; i++) {
		curve_of(&curves[i], event, kernel, units[i]);
		if (!curves[i].count)
			continue;
		if (!plot.doc)
			plot_begin(&plot, doc, &curves[i], title, "log2 of the bytes of the buffer",
				   "log2 bytes");
		plot_add(&plot,
			 doc_words(doc, "%llu %s: %s", (unsigned long long)units[i], unit_name,
				   name_of(doc, event)),
			 &curves[i], false);
	}
	if (!plot.doc)
		say_missing(doc, "no event counts hits here, or there are no such readings");
}

static void build_14(struct doc *doc, const json_t *inspection)
{
	uint64_t line = unit_of(inspection);
	const uint64_t units[] = {line, 2 * line, 4 * line};

	build_units(doc, inspection, "read", units, "bytes a unit",
		    "Hits per access, over the buffer, by the size of a unit");
}

static void build_15(struct doc *doc, const json_t *inspection)
{
	static const uint64_t units[] = {4, 16, 64};

	build_units(doc, inspection, "block", units, "pages a block",
		    "Hits per access, over the buffer, by the pages of a block");
}

static void build_16(struct doc *doc, const json_t *inspection)
{
	struct doc_table *table = doc_table(doc, "access_order", NULL, "round");

	(void)inspection;
	doc_column(table, "without an offset", DOC_WORDS, 0);
	doc_column(table, "offset = 1", DOC_WORDS, 0);
	for (unsigned round = 0; round < 3; round++) {
		const char *plain = "", *offset = "";

		for (unsigned i = 0; i < 9; i++) {
			plain = doc_words(doc, "%s%s%u", plain, i ? " " : "", i);
			offset = doc_words(doc, "%s%s%u", offset, i ? " " : "", (round + i) % 9);
		}
		doc_row(table, doc_words(doc, "%u", round + 1));
		doc_cell_words(table, plain);
		doc_cell_words(table, offset);
	}
	doc_paragraph(doc,
		      "Nine blocks of 4096 bytes in the order of access, where the cache holds "
		      "eight. In order, the least recently used block is always the next one, "
		      "and every access misses; with an offset only the blocks left for the end "
		      "of a round do.");
}

/* The event that is called cycles, if one is. */
static const json_t *cycles_event(const json_t *inspection)
{
	const json_t *event;
	size_t i;

	json_array_foreach(json_object_get(inspection, "events"), i, event)
	{
		if (strcmp(member_text(event, "name"), "cycles") == 0 ||
		    strcmp(member_text(event, "name"), "cpu-cycles") == 0)
			return event;
	}
	return inspect_event_of(inspection, "data cache accesses, level 1, misses");
}

static void build_17(struct doc *doc, const json_t *inspection)
{
	const json_t *event = cycles_event(inspection);
	struct curve curves[3];
	struct plot plot = {0};

	for (uint64_t offset = 0; event && offset < 3; offset++) {
		curve_of(&curves[offset], event, "order", offset);
		if (!curves[offset].count)
			continue;
		if (!plot.doc)
			plot_begin(&plot, doc, &curves[offset],
				   "Cycles (or misses) per access, over the buffer, by offset",
				   "log2 of the bytes of the buffer", "log2 bytes");
		plot_add(&plot,
			 doc_words(doc, "offset %llu: %s", (unsigned long long)offset,
				   name_of(doc, event)),
			 &curves[offset], false);
	}
	if (!plot.doc)
		say_missing(doc, "there is no event of cycles, or there are no such readings");
}

const struct inspect_figure inspect_figures[] = {
	{"figure10", "Controlling the misprediction rate", build_10},
	{"figure12", "Cache hits", build_12},
	{"figure13", "Cache misses", build_13},
	{"figure14", "Effect of the unit size on hits", build_14},
	{"figure15", "Effect of the block size on hits", build_15},
	{"figure16", "Access patterns with and without offset", build_16},
	{"figure17", "Cache replacement and access pattern", build_17},
	{0},
};
