#include "report/papers/reproduce_drawings.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "value/component.h"
#include "report/page/svg.h"
#include "value/member.h"

#define WIDTH 760
#define LEFT  46
#define RIGHT 14

/* A field of a drawing with its axes' ranges. */
struct field {
	double top, bottom, low, high;
	double first, last; /* on the x axis */
};

static double x_of(const struct field *field, double value)
{
	return LEFT +
	       (WIDTH - LEFT - RIGHT) * (value - field->first) / (field->last - field->first);
}

static double y_of(const struct field *field, double value)
{
	double part = (value - field->low) / (field->high - field->low);

	return field->bottom - (field->bottom - field->top) * fmin(1, fmax(0, part));
}

/* The least of 1, 2 and 5 times a power of ten that gives at most so many steps. */
static double step_of(double range, unsigned most)
{
	double step = pow(10, floor(log10(range / most)));

	while (range / step > most)
		step *= range / (2 * step) <= most ? 2 : range / (5 * step) <= most ? 5 : 10;
	return step;
}

static void draw_grid(struct svg *svg, const struct field *field, unsigned steps,
		      const char *format, double scale)
{
	double step = step_of(field->high - field->low, steps);
	long first = lround(ceil(field->low / step)),
	     last = lround(floor(field->high / step + 0.001));

	for (long i = first; i <= last; i++) {
		double value = (double)i * step;
		char text[32];

		snprintf(text, sizeof(text), format, value * scale);
		svg_line(svg, LEFT, y_of(field, value), WIDTH - RIGHT, y_of(field, value), SVG_LINE,
			 1, false);
		svg_text(svg, LEFT - 6, y_of(field, value) + 4, SVG_END, 11, SVG_MUTED, text);
	}
}

static void draw_cycles(struct svg *svg, const struct field *field)
{
	double step = step_of(field->last - field->first, 10);
	long first = lround(ceil(field->first / step)), last = lround(floor(field->last / step));

	for (long i = first; i <= last; i++) {
		double value = (double)i * step;
		char text[32];

		snprintf(text, sizeof(text), "%.0f", value);
		svg_line(svg, x_of(field, value), field->bottom, x_of(field, value),
			 field->bottom + 4, SVG_MUTED, 1, false);
		svg_text(svg, x_of(field, value), field->bottom + 16, SVG_MIDDLE, 11, SVG_MUTED,
			 text);
	}
	svg_text(svg, WIDTH - RIGHT, field->bottom + 30, SVG_END, 11, SVG_MUTED, "cycles");
}

/* Cycle by cycle, as steps down to zero. */
static void draw_area(struct svg *svg, const struct field *field, const json_t *values,
		      enum svg_colour fill)
{
	size_t i;
	json_t *value;

	svg_path_begin(svg);
	svg_path_point(svg, x_of(field, field->first), y_of(field, 0));
	json_array_foreach(values, i, value)
	{
		double y = y_of(field, json_number_value(value));

		svg_path_point(svg, x_of(field, field->first + (double)i), y);
		svg_path_point(svg, x_of(field, field->first + (double)i + 1), y);
	}
	svg_path_point(svg, x_of(field, field->last), y_of(field, 0));
	svg_path_end(svg, fill, SVG_NONE, 0, false);
}

static void draw_line(struct svg *svg, const struct field *field, const json_t *values,
		      enum svg_colour colour, bool is_dashed)
{
	size_t i;
	json_t *value;

	svg_path_begin(svg);
	json_array_foreach(values, i, value)
		svg_path_point(svg, x_of(field, field->first + (double)i + 0.5),
			       y_of(field, json_number_value(value)));
	svg_path_end(svg, SVG_NONE, colour, 1.8, is_dashed);
}

static double largest_of(const json_t *values)
{
	double most = 1;
	size_t i;
	json_t *value;

	json_array_foreach(values, i, value) most = fmax(most, json_number_value(value));
	return most;
}

/* A legend's entry; returns where the next begins. */
static double draw_key(struct svg *svg, double x, double y, enum svg_colour colour, bool is_area,
		       bool is_dashed, const char *text)
{
	if (is_area)
		svg_rect(svg, x, y - 9, 18, 10, colour);
	else
		svg_line(svg, x, y - 4, x + 18, y - 4, colour, 2, is_dashed);
	svg_text(svg, x + 23, y, SVG_START, 11, SVG_MUTED, text);
	return x + 40 + 6.2 * (double)strlen(text);
}

/* `kinds` are the plots in which an event has words; in a stretch it has a letter. */
static const struct event_row {
	const char *what, *words, *letter, *kinds;
} event_rows[] = {
	{"l1i", "L1I miss", "i", "l1i"},
	{"branch", "branch enters window", "B", "branch"},
	{"resolved", "resolved", NULL, "branch"},
	{"long", "L2 miss", "D", "long overlap"},
	{"full", "full behind miss", NULL, "long overlap"},
	{"data", "data", NULL, "long overlap"},
};

static const char *event_words(const json_t *event, const char *kind)
{
	const char *what = json_string_value(json_object_get(event, "what"));

	for (size_t i = 0; i < ARRAY_COUNT(event_rows); i++) {
		const struct event_row *row = &event_rows[i];

		if (strcmp(row->what, what) != 0)
			continue;
		if (strcmp(kind, "stretch") == 0)
			return row->letter;
		return member_number(event, "cycle") >= 0 && strstr(row->kinds, kind) ? row->words
										      : NULL;
	}
	return NULL;
}

/* Each with its words, or its letter; words that would overlap go one line up, and of events
 * that follow each other only the first has them. */
static void draw_events(struct svg *svg, const struct field *field, const json_t *plot)
{
	const json_t *events = json_object_get(json_object_get(plot, "example"), "events");
	const char *kind = json_string_value(json_object_get(plot, "kind")), *last = "";
	double taken[3] = {0, 0, 0};
	size_t i;
	json_t *event;

	json_array_foreach(events, i, event)
	{
		const char *words = event_words(event, kind);
		double x = x_of(field, member_number(event, "cycle"));
		unsigned level = 0;

		if (!words)
			continue;
		bool is_named = strcmp(words, last) != 0 || !words[1];
		while (level < 2 && x < taken[level])
			level++;
		double y = field->top - 6 - 12 * (double)level;
		svg_line(svg, x, is_named ? y + 2 : field->top, x, field->bottom, SVG_WARN, 1,
			 true);
		if (!is_named)
			continue;
		svg_text(svg, x + 2, y, SVG_START, 11, SVG_INK, words);
		taken[level] = x + 8 + 6.2 * (double)strlen(words);
		last = words;
	}
}

void reproduce_draw_interval(FILE *out, const json_t *plot, bool is_page)
{
	const json_t *example = json_object_get(plot, "example"),
		     *mean = json_object_get(plot, "mean");
	const json_t *issued = json_object_get(example, "useful_issued");
	bool is_stretch = strcmp(json_string_value(json_object_get(plot, "kind")), "stretch") == 0;
	const json_t *shown = is_stretch ? example : mean;
	double before = member_number(plot, "before"), length = (double)json_array_size(issued);
	struct field field = {58, 198, 0, 0, -before, length - before};
	char title[128], key[64];
	struct svg svg;

	field.high = fmax(largest_of(issued), largest_of(json_object_get(shown, "useful_issued")));
	field.high = fmax(field.high, 4);
	snprintf(title, sizeof(title), "Useful instructions issued per cycle in %s",
		 json_string_value(json_object_get(plot, "program")));
	svg_begin(&svg, out, is_page, WIDTH, 420, title,
		  "Over it what is issued, then what is dispatched and committed, then entries of "
		  "the reorder buffer in use; cycle by cycle, the event at 0.");
	snprintf(key, sizeof(key), "mean of %.0f", member_number(plot, "found"));
	double x = draw_key(&svg, LEFT, 16, SVG_PALE, true, false, "issued, useful: one example");
	if (!is_stretch)
		draw_key(&svg, x, 16, SVG_FIRST, false, false, key);
	draw_grid(&svg, &field, 4, "%.0f", 1);
	draw_area(&svg, &field, issued, SVG_PALE);
	if (!is_stretch)
		draw_line(&svg, &field, json_object_get(mean, "useful_issued"), SVG_FIRST, false);
	draw_events(&svg, &field, plot);

	struct field flow = {232, 302, 0, 4, field.first, field.last};
	x = draw_key(&svg, LEFT, 222, SVG_SECOND, false, false, "dispatched, useful");
	draw_key(&svg, x, 222, SVG_THIRD, false, true,
		 is_stretch ? "committed" : "committed (both: mean)");
	flow.high = fmax(4, largest_of(json_object_get(shown, "useful_dispatched")));
	draw_grid(&svg, &flow, 3, "%.0f", 1);
	draw_line(&svg, &flow, json_object_get(shown, "useful_dispatched"), SVG_SECOND, false);
	draw_line(&svg, &flow, json_object_get(shown, "committed"), SVG_THIRD, true);

	struct field room = {334, 384, 0, 1, field.first, field.last};
	room.high = fmax(largest_of(json_object_get(shown, "rob_used")), 8);
	draw_key(&svg, LEFT, 324, SVG_PALE, true, false,
		 is_stretch ? "reorder buffer in use" : "reorder buffer in use: mean");
	draw_grid(&svg, &room, 2, "%.0f", 1);
	draw_area(&svg, &room, json_object_get(shown, "rob_used"), SVG_PALE);
	draw_cycles(&svg, &room);
	svg_end(&svg);
}

/* Parts above zero upwards from it, the others downwards. */
static void draw_stack(struct svg *svg, const struct field *field, double x, double width,
		       const json_t *components, double instructions, bool is_named)
{
	double up = 0, down = 0, last = field->bottom + 20;

	for (unsigned i = 0; i < COMPONENT_COUNT; i++) {
		double part = member_number(components, component_rows[i].name) / instructions;
		double *from = part > 0 ? &up : &down;
		double a = y_of(field, *from), b = y_of(field, *from + part);

		*from += part;
		if (fabs(a - b) < 0.05)
			continue;
		svg_rect_component(svg, x, fmin(a, b), width, fabs(a - b), i);
		double y = fmin((a + b) / 2 + 4, last - 12);
		if (is_named && fabs(part) >= 0.005) {
			char text[64];

			snprintf(text, sizeof(text), "%s %.2f", component_rows[i].name, part);
			svg_text(svg, x + width + 5, y, SVG_START, 11, SVG_INK, text);
			last = y;
		}
	}
}

static void extend(struct field *field, const json_t *components, double instructions)
{
	double up = 0, down = 0;

	for (unsigned i = 0; i < COMPONENT_COUNT; i++) {
		double part = member_number(components, component_rows[i].name) / instructions;

		*(part > 0 ? &up : &down) += part;
	}
	field->high = fmax(field->high, up);
	field->low = fmin(field->low, down);
}

void reproduce_draw_stacks(FILE *out, const json_t *program, bool is_page)
{
	static const char *const shown[] = {"naive",	     "naive-nonspec", "power5", "fmt",
					    "fmt-published", "sfmt",	      "afmt"};
	const json_t *methods = json_object_get(program, "methods");
	const json_t *truth = json_object_get(program, "truth");
	const json_t *exact = json_object_get(json_object_get(methods, "exact"), "components");
	double instructions = member_number(program, "instructions"), x = LEFT + 10;
	struct field field = {34, 300, 0, 0, 0, 1};
	char title[128], text[64];
	struct svg svg;

	snprintf(title, sizeof(title), "CPI stacks of %s",
		 json_string_value(json_object_get(program, "name")));
	extend(&field, exact, instructions);
	for (size_t i = 0; i < ARRAY_COUNT(shown); i++)
		extend(&field, json_object_get(json_object_get(methods, shown[i]), "components"),
		       instructions);
	svg_begin(&svg, out, is_page, WIDTH, 370, title,
		  "Cycles per instruction by component: exact with its values, both simulated "
		  "stacks, then each counter architecture; what is below zero was charged twice.");
	snprintf(text, sizeof(text), "cycles per instruction; CPI %.3f",
		 member_number(program, "cycles") / instructions);
	svg_text(&svg, LEFT, 18, SVG_START, 12, SVG_INK, text);
	draw_grid(&svg, &field, 6, "%.2f", 1);
	draw_stack(&svg, &field, x, 60, exact, instructions, true);
	svg_text(&svg, x + 30, field.bottom + 18, SVG_MIDDLE, 11, SVG_INK, "exact");
	x += 180;
	draw_stack(&svg, &field, x, 34, json_object_get(truth, "a"), instructions, false);
	svg_text_turned(&svg, x + 20, field.bottom + 16, SVG_END, 11, SVG_INK, -30, "simulated A");
	x += 54;
	draw_stack(&svg, &field, x, 34, json_object_get(truth, "b"), instructions, false);
	svg_text_turned(&svg, x + 20, field.bottom + 16, SVG_END, 11, SVG_INK, -30, "simulated B");
	x += 74;
	for (size_t i = 0; i < ARRAY_COUNT(shown); i++) {
		draw_stack(&svg, &field, x, 34,
			   json_object_get(json_object_get(methods, shown[i]), "components"),
			   instructions, false);
		svg_text_turned(&svg, x + 20, field.bottom + 16, SVG_END, 11, SVG_INK, -30,
				shown[i]);
		x += 54;
	}
	svg_line(&svg, LEFT, y_of(&field, 0), WIDTH - RIGHT, y_of(&field, 0), SVG_INK, 1, false);
	svg_end(&svg);
}

static const struct {
	const char *name;
	enum svg_colour colour;
} error_bars[] = {
	{"naive", SVG_MUTED}, {"naive-nonspec", SVG_LINE}, {"power5", SVG_PALE},
	{"fmt", SVG_SECOND},  {"sfmt", SVG_THIRD},	   {"afmt", SVG_WARN},
	{"exact", SVG_FIRST},
};

static void draw_group(struct svg *svg, const struct field *field, double x, double room,
		       const char *name, double (*error)(const json_t *, const char *),
		       const json_t *of)
{
	size_t bars = ARRAY_COUNT(error_bars);
	double thick = (room - 8) / (double)bars;

	for (size_t i = 0; i < ARRAY_COUNT(error_bars); i++) {
		double value = error(of, error_bars[i].name), left = x + 4 + thick * (double)i;

		svg_rect(svg, left, y_of(field, value), thick - 0.6,
			 field->bottom - y_of(field, value), error_bars[i].colour);
		if (value > field->high) {
			char text[32];

			snprintf(text, sizeof(text), "%.0f", 100 * value);
			svg_text_turned(svg, left + thick - 1, field->top - 3, SVG_START, 9,
					SVG_INK, -90, text);
		}
	}
	svg_text_turned(svg, x + room / 2 + 4, field->bottom + 14, SVG_END, 11, SVG_INK, -35, name);
}

static double program_error(const json_t *program, const char *method)
{
	return member_number(json_object_get(json_object_get(program, "methods"), method),
			     "max_error");
}

static double mean_error(const json_t *judge, const char *method)
{
	return member_number(json_object_get(json_object_get(judge, "summary"), "mean_error"),
			     method);
}

void reproduce_draw_errors(FILE *out, const json_t *judge, bool is_page)
{
	const json_t *programs = json_object_get(judge, "programs");
	double room = (double)(WIDTH - LEFT - RIGHT) / (double)(json_array_size(programs) + 1);
	struct field field = {62, 270, 0, 0.2, 0, 1};
	double x = LEFT;
	struct svg svg;
	json_t *program;
	size_t i;

	svg_begin(&svg, out, is_page, WIDTH, 340, "Largest error of a component",
		  "In percent of the run's cycles, by program and method; a bar higher than the "
		  "axis has its number above it; the dashed line is at 4 %.");
	for (i = 0; i < ARRAY_COUNT(error_bars); i++)
		x = draw_key(&svg, x, 16, error_bars[i].colour, true, false, error_bars[i].name);
	draw_grid(&svg, &field, 5, "%.0f %%", 100);
	x = LEFT;
	json_array_foreach(programs, i, program)
	{
		const char *name = json_string_value(json_object_get(program, "name"));
		char text[64];

		name += *name == '@';
		snprintf(text, sizeof(text), "%.*s", (int)strcspn(name, ":"), name);
		draw_group(&svg, &field, x, room, text, program_error, program);
		x += room;
	}
	draw_group(&svg, &field, x, room, "mean", mean_error, judge);
	svg_line(&svg, LEFT, y_of(&field, 0.04), WIDTH - RIGHT, y_of(&field, 0.04), SVG_WARN, 1.2,
		 true);
	svg_end(&svg);
}
