#include "doc/text_drawing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "doc/cell.h"
#include "doc/number.h"
#include "doc/text_bar.h"

#define CURVE_NAME_COLUMNS 13
#define BAR_NAME_COLUMNS   6
#define SHORT_COLUMNS	   6
#define RATIO_COLUMNS	   7
#define RATIO_PLACES	   3
#define LEAST_LINES	   8	/* of what goes over time */
#define OTHER_LINES	   6	/* of the screen, which other text uses */
#define SHORT_MOMENT	   0.9	/* of the longest: one below it does not set the axis */
#define FLAME_LEAST	   0.01 /* of the whole: what is narrower is left out */

void text_legend_print(FILE *out, const struct doc_part *parts, size_t count,
		       const struct terminal *terminal)
{
	char *text = NULL;
	size_t bytes;
	FILE *words = mem_stream_open(&text, &bytes);

	for (size_t i = 0; i < count; i++)
		fprintf(words, "%s%c:%s", i ? " " : "", doc_colour_letter(parts[i].colour),
			parts[i].name);
	mem_stream_close(words);
	terminal_put_words(out, terminal, 2, text);
	free(text);
}

/* The series of a drawing as parts of a stack; to be freed. */
static struct doc_part *parts_of(const struct doc_drawing *drawing)
{
	struct doc_part *parts = mem_alloc_array(drawing->series_count + 1, sizeof(*parts));

	for (size_t i = 0; i < drawing->series_count; i++)
		parts[i] = (struct doc_part){drawing->series[i].name, drawing->series[i].colour};
	return parts;
}

static double sum_of(const struct doc_group *group, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += isnan(group->values[i]) ? 0 : group->values[i];
	return sum;
}

/* A line for each stack: its name, its sum and its bar. */
static void print_stacks(FILE *out, const struct doc_drawing *drawing,
			 const struct terminal *terminal)
{
	struct doc_part *parts = parts_of(drawing);
	unsigned names = 0;
	double most = 0;

	for (size_t i = 0; i < drawing->group_count; i++) {
		const unsigned needed = terminal_columns(terminal, drawing->groups[i].name);

		names = needed > names ? needed : names;
		most = fmax(most, sum_of(&drawing->groups[i], drawing->series_count));
	}
	names = names < terminal->width / 3 ? names : terminal->width / 3;
	if (drawing->heading)
		terminal_put_words(out, terminal, 2, drawing->heading);
	text_legend_print(out, parts, drawing->series_count, terminal);
	for (size_t i = 0; i < drawing->group_count; i++) {
		const struct doc_group *group = &drawing->groups[i];
		const double sum = sum_of(group, drawing->series_count);
		char text[CELL_BYTES];

		terminal_put(out, terminal, group->name, names);
		fprintf(out, " %*s ", RATIO_COLUMNS,
			cell_number(text, drawing->unit, drawing->places, 0, sum, CELL_PLAIN));
		text_bar_stack(out, terminal, parts, group->values, drawing->series_count, most,
			       terminal->width - names - RATIO_COLUMNS - 2);
		fputc('\n', out);
	}
	free(parts);
}

static const char *or_nothing(const char *text)
{
	return text ? text : "";
}

/* Some neighbouring moments as one. */
struct stretch {
	double weight, sum, *values;
};

static void add_up(struct stretch *stretch, const struct doc_drawing *drawing, size_t first,
		   size_t count)
{
	stretch->weight = stretch->sum = 0;
	memset(stretch->values, 0, drawing->series_count * sizeof(*stretch->values));
	for (size_t i = first; i < first + count && i < drawing->group_count; i++) {
		stretch->weight += drawing->weights[i];
		stretch->sum += sum_of(&drawing->groups[i], drawing->series_count);
		for (size_t k = 0; k < drawing->series_count; k++)
			stretch->values[k] += isnan(drawing->groups[i].values[k])
						      ? 0
						      : drawing->groups[i].values[k];
	}
}

static double height_of(const struct stretch *stretch)
{
	return stretch->weight > 0 ? stretch->sum / stretch->weight : 0;
}

/* The longest stretch, and the highest of those that are about as long. */
static void find_axis(const struct doc_drawing *drawing, struct stretch *stretch, size_t each,
		      double *longest, double *highest)
{
	*longest = *highest = 0;
	for (size_t i = 0; i < drawing->group_count; i += each) {
		add_up(stretch, drawing, i, each);
		*longest = fmax(*longest, stretch->weight);
	}
	for (size_t i = 0; i < drawing->group_count; i += each) {
		add_up(stretch, drawing, i, each);
		if (stretch->weight >= SHORT_MOMENT * *longest)
			*highest = fmax(*highest, height_of(stretch));
	}
}

static void print_over_time(FILE *out, const struct doc_drawing *drawing,
			    const struct terminal *terminal)
{
	const size_t lines = terminal->height > LEAST_LINES + OTHER_LINES
				     ? terminal->height - OTHER_LINES
				     : LEAST_LINES;
	const size_t each = (drawing->group_count + lines - 1) / lines;
	const unsigned bar = terminal->width - SHORT_COLUMNS - 1 - RATIO_COLUMNS - 1;
	struct doc_part *parts = parts_of(drawing);
	struct stretch stretch = {
		.values = mem_alloc_array(drawing->series_count + 1, sizeof(double))};
	double longest, highest, at = drawing->first;
	char text[NUMBER_BYTES], *line = NULL;

	if (!each)
		goto done;
	find_axis(drawing, &stretch, each, &longest, &highest);
	line = mem_format(
		"%s%s%zu intervals, %zu a line; a full bar is %s%s%s%s", or_nothing(drawing->title),
		drawing->title ? ": " : "", drawing->group_count, each, or_nothing(drawing->shown),
		drawing->shown ? " " : "", number_plain(text, highest, RATIO_PLACES),
		stretch.weight < SHORT_MOMENT * longest ? ", the last line is a shorter time" : "");
	terminal_put_words(out, terminal, 2, line);
	text_legend_print(out, parts, drawing->series_count, terminal);
	fprintf(out, "%*s", SHORT_COLUMNS, "up to");
	if (drawing->shown)
		fprintf(out, " %*s", RATIO_COLUMNS, drawing->shown);
	fputc('\n', out);
	for (size_t i = 0; i < drawing->group_count; i += each) {
		add_up(&stretch, drawing, i, each);
		const double share = highest > 0 ? fmin(1, height_of(&stretch) / highest) : 0;

		at += stretch.weight;
		fprintf(out, "%*s ", SHORT_COLUMNS, number_short(text, at));
		fprintf(out, "%*s", RATIO_COLUMNS,
			number_plain(text, height_of(&stretch), RATIO_PLACES));
		fputs(stretch.sum > 0 ? " " : "", out);
		text_bar_stack(out, terminal, parts, stretch.values, drawing->series_count, 0,
			       (unsigned)(share * bar + 0.5));
		fputc('\n', out);
	}
done:
	free(line);
	free(stretch.values);
	free(parts);
}

/* The curves of a plot as rows of digits. */
struct curves {
	unsigned names;	     /* width of their names */
	size_t length, each; /* values, and how many of them make a digit */
};

/* Each digit is the mean of `each` values; a point that is absent counts nothing. */
static void print_curve(FILE *out, const struct doc_series *series, const struct curves *curves,
			const struct terminal *terminal)
{
	terminal_put_start(out, terminal, series->curve, curves->names, curves->names);
	fputc(' ', out);
	for (size_t i = 0; i < series->value_count; i += curves->each) {
		const size_t end = i + curves->each < series->value_count ? i + curves->each
									  : series->value_count;
		double sum = 0;

		for (size_t k = i; k < end; k++)
			sum += doc_is_shown(series->values[k]) ? series->values[k] : 0;
		long digit = lround(fmax(0, sum / (double)(end - i) / series->curve_unit));
		fputc(digit == 0 ? '.' : '0' + (digit < 9 ? (int)digit : 9), out);
	}
	fputc('\n', out);
}

/* Measures the curves, or prints them if there is a stream. */
static void walk_curves(FILE *out, const struct doc_drawing *drawing, struct curves *curves,
			const struct terminal *terminal)
{
	for (size_t i = 0; i < drawing->panel_count; i++)
		for (size_t k = 0; k < drawing->panels[i].series_count; k++) {
			const struct doc_series *series = &drawing->panels[i].series[k];

			if (!series->curve)
				continue;
			if (out) {
				print_curve(out, series, curves, terminal);
				continue;
			}
			const unsigned needed = terminal_columns(terminal, series->curve);

			curves->names = needed > curves->names ? needed : curves->names;
			if (series->value_count > curves->length)
				curves->length = series->value_count;
		}
}

/* Prints nothing of a drawing that has no curves. */
static void print_plot(FILE *out, const struct doc_drawing *drawing,
		       const struct terminal *terminal)
{
	struct curves curves = {.names = CURVE_NAME_COLUMNS - 1};
	char *line;

	walk_curves(NULL, drawing, &curves, terminal);
	if (!curves.length)
		return;
	if (curves.names > terminal->width / 2)
		curves.names = terminal->width / 2;
	const size_t columns = terminal->width - curves.names - 2;
	curves.each = (curves.length + columns - 1) / columns;
	const bool has_xs = drawing->xs && drawing->x_count >= curves.length;
	const double first = has_xs ? drawing->xs[0] : drawing->first;
	const double last = has_xs ? drawing->xs[curves.length - 1]
				   : drawing->first + (double)curves.length - 1;
	line = mem_format("%s%s%s%s%.0f to %.0f, %zu to a digit, . is below a half",
			  or_nothing(drawing->shown), drawing->shown ? "; " : "",
			  or_nothing(drawing->x_title), drawing->x_title ? " " : "", first, last,
			  curves.each);
	terminal_put_words(out, terminal, 2, line);
	free(line);
	walk_curves(out, drawing, &curves, terminal);
}

/* A row for each x, with a bar of every series, all to one scale. */
static void print_bars(FILE *out, const struct doc_drawing *drawing,
		       const struct terminal *terminal)
{
	const struct doc_panel *panel = &drawing->panels[0];
	const unsigned room = (terminal->width - BAR_NAME_COLUMNS) / (unsigned)panel->series_count;
	const unsigned columns = room > 3 ? room - 2 : 1;
	char text[NUMBER_BYTES];
	double most = 0;

	for (size_t k = 0; k < panel->series_count; k++)
		for (size_t i = 0; i < panel->series[k].value_count; i++)
			most = fmax(most, panel->series[k].values[i]);
	if (!(most > 0))
		return;
	const double each = most / columns;
	fprintf(out, "%s%s# is %s\n%*s", or_nothing(drawing->shown), drawing->shown ? "; " : "",
		number_plain(text, each, each < 10), BAR_NAME_COLUMNS, or_nothing(drawing->x_name));
	for (size_t k = 0; k < panel->series_count; k++) {
		fputs("  ", out);
		terminal_put_start(out, terminal, panel->series[k].name,
				   k + 1 < panel->series_count ? columns : 0, columns);
	}
	for (size_t i = 0; i < drawing->x_count; i++) {
		fprintf(out, "\n%*s", BAR_NAME_COLUMNS, number_exact(text, drawing->xs[i]));
		unsigned blanks = 0; /* since the end of the last bar */
		for (size_t k = 0; k < panel->series_count; k++) {
			const double value = fmax(0, panel->series[k].values[i]);
			const unsigned full = (unsigned)lround(value / each);

			blanks += 2;
			if (full)
				fprintf(out, "%*s", (int)blanks, "");
			for (unsigned n = 0; n < full; n++)
				fputc('#', out);
			blanks = full ? columns - full : blanks + columns;
		}
	}
	fputc('\n', out);
}

void text_drawing_print(FILE *out, const struct doc_drawing *drawing,
			const struct terminal *terminal)
{
	switch (drawing->kind) {
	case DOC_STACKS:
	case DOC_LYING: print_stacks(out, drawing, terminal); break;
	case DOC_OVER_TIME: print_over_time(out, drawing, terminal); break;
	case DOC_PLOT:
		if (drawing->has_bars)
			print_bars(out, drawing, terminal);
		else
			print_plot(out, drawing, terminal);
		break;
	case DOC_BARS: break;
	}
}

void text_flame_print(FILE *out, const struct doc_flame *flame, const struct terminal *terminal)
{
	const unsigned names = terminal->width / 2;
	const double whole = flame->count ? flame->nodes[0].value : 0;

	for (size_t i = 0; i < flame->count; i++) {
		const struct doc_node *node = &flame->nodes[i];
		const double share = whole > 0 ? node->value / whole : 0;
		const unsigned indent = 2 * node->level < names / 2 ? 2 * node->level : names / 2;
		char text[CELL_BYTES];

		if (share < FLAME_LEAST)
			continue;
		fprintf(out, "%*s", (int)indent, "");
		terminal_put(out, terminal, node->name, names - indent);
		fprintf(out, " %*s ", RATIO_COLUMNS,
			cell_number(text, DOC_PERCENT, 1, 0, share, CELL_PLAIN));
		text_bar_one(out, terminal, node->colour, share,
			     terminal->width - names - RATIO_COLUMNS - 2);
		fputc('\n', out);
	}
}
