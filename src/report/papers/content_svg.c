#include "report/papers/content_svg.h"

#include <math.h>
#include <string.h>

#include "base/array.h"

#define WIDTH CONTENT_SVG_WIDTH
#define LEFT  CONTENT_SVG_LEFT
#define RIGHT CONTENT_SVG_RIGHT

#define LEAST_RANGE 1e-9
#define MARK_LEVELS 3
#define MARK_PIXELS 12 /* distance between two lines of words above a plot */

/* The area of a drawing inside its axes, with their ranges. */
struct field {
	double top, bottom, low, high;
	double first, last; /* range of the x axis */
};

static double x_of(const struct field *field, double value)
{
	double part = (value - field->first) / (field->last - field->first);

	return LEFT + (WIDTH - LEFT - RIGHT) * part;
}

static double y_of(const struct field *field, double value)
{
	double part = (value - field->low) / (field->high - field->low);

	return field->bottom - (field->bottom - field->top) * fmin(1, fmax(0, part));
}

/* Widens a range so that it can be a divisor, even if all values are equal. */
static void make_wide(double low, double *high)
{
	if (!(*high - low > LEAST_RANGE))
		*high = low + 1;
}

/* The smallest of 1, 2 and 5 times a power of ten that gives at most so many steps. */
static double step_of(double range, unsigned most)
{
	double step = pow(10, floor(log10(range / most)));

	while (range / step > most)
		step *= range / (2 * step) <= most ? 2 : range / (5 * step) <= most ? 5 : 10;
	return step;
}

/* Numbers have as many decimals as the drawing, and more if steps would look equal. */
static void draw_y_axis(struct svg *svg, const struct field *field, unsigned steps,
			enum content_unit unit, unsigned places)
{
	double step = step_of(field->high - field->low, steps),
	       scale = unit == CONTENT_PERCENT ? 100 : 1;
	long first = lround(ceil(field->low / step)),
	     last = lround(floor(field->high / step + 0.001));
	int needed = (int)fmax(places, ceil(-log10(step * scale) - 0.001));

	for (long i = first; i <= last; i++) {
		double value = (double)i * step;
		char text[64];

		snprintf(text, sizeof(text), "%.*f%s", needed, value * scale,
			 unit == CONTENT_PERCENT ? " %" : "");
		svg_line(svg, LEFT, y_of(field, value), WIDTH - RIGHT, y_of(field, value), SVG_LINE,
			 1, false);
		svg_text(svg, LEFT - 6, y_of(field, value) + 4, SVG_END, 11, SVG_MUTED, text);
	}
}

static void draw_x_axis(struct svg *svg, const struct field *field, const char *title)
{
	double step = step_of(field->last - field->first, 10);
	long first = lround(ceil(field->first / step)), last = lround(floor(field->last / step));

	for (long i = first; i <= last; i++) {
		double value = (double)i * step;
		char text[64];

		snprintf(text, sizeof(text), "%g", value);
		svg_line(svg, x_of(field, value), field->bottom, x_of(field, value),
			 field->bottom + 4, SVG_MUTED, 1, false);
		svg_text(svg, x_of(field, value), field->bottom + 16, SVG_MIDDLE, 11, SVG_MUTED,
			 text);
	}
	svg_text(svg, WIDTH - RIGHT, field->bottom + 30, SVG_END, 11, SVG_MUTED, title);
}

/* Draws an entry of a legend; returns the x of the next one. */
static double draw_key(struct svg *svg, double x, double y, const struct content_series *series)
{
	if (series->style == CONTENT_AREA)
		svg_rect(svg, x, y - 9, 18, 10, series->colour);
	else
		svg_line(svg, x, y - 4, x + 18, y - 4, series->colour, 2,
			 series->style == CONTENT_DASHED);
	svg_text(svg, x + 23, y, SVG_START, 11, SVG_MUTED, series->name);
	return x + 40 + 6.2 * (double)strlen(series->name);
}

static void draw_keys(struct svg *svg, double y, const struct content_series *series, size_t count)
{
	double x = LEFT;

	for (size_t i = 0; i < count; i++)
		if (series[i].name && series[i].style != CONTENT_UNDRAWN)
			x = draw_key(svg, x, y, &series[i]);
}

/* Draws positive parts upwards from zero, negative ones downwards. */
static void draw_stack(struct svg *svg, const struct field *field, double x, double width,
		       const struct content_drawing *drawing, const struct content_group *group)
{
	double up = 0, down = 0, last = field->bottom + 20;

	for (size_t i = 0; i < drawing->series_count; i++) {
		const struct content_series *series = &drawing->series[i];
		double part = group->values[i], *from = part > 0 ? &up : &down;
		double a = y_of(field, *from), b = y_of(field, *from + part);

		*from += part;
		if (fabs(a - b) < 0.05)
			continue;
		if (series->component >= 0)
			svg_rect_component(svg, x, fmin(a, b), width, fabs(a - b),
					   (unsigned)series->component);
		else
			svg_rect(svg, x, fmin(a, b), width, fabs(a - b), series->colour);
		double y = fmin((a + b) / 2 + 4, last - 12);
		if (group->is_labelled && fabs(part) >= 0.005) {
			char text[96];

			snprintf(text, sizeof(text), "%s %.*f", series->name, (int)drawing->places,
				 part);
			svg_text(svg, x + width + 5, y, SVG_START, 11, SVG_INK, text);
			last = y;
		}
	}
}

static void extend_by_stack(struct field *field, const double *values, size_t count)
{
	double up = 0, down = 0;

	for (size_t i = 0; i < count; i++)
		*(values[i] > 0 ? &up : &down) += values[i];
	field->high = fmax(field->high, up);
	field->low = fmin(field->low, down);
}

static double room_of(const struct content_group *group)
{
	return group->is_labelled ? 180 : group->ends_block ? 74 : 54;
}

static void draw_stacks(FILE *out, const struct content_drawing *drawing, bool is_page)
{
	struct field field = {34, 300, 0, 0, 0, 1};
	double x = LEFT + 10, needed = 0;
	struct svg svg;

	for (size_t i = 0; i < drawing->group_count; i++) {
		extend_by_stack(&field, drawing->groups[i].values, drawing->series_count);
		needed += room_of(&drawing->groups[i]);
	}
	make_wide(field.low, &field.high);
	double scale = fmin(1, (WIDTH - RIGHT - x) / needed);
	svg_begin(&svg, out, is_page, WIDTH, 370, drawing->title, drawing->description);
	if (drawing->heading)
		svg_text(&svg, LEFT, 18, SVG_START, 12, SVG_INK, drawing->heading);
	draw_y_axis(&svg, &field, 6, drawing->unit, drawing->places);
	for (size_t i = 0; i < drawing->group_count; i++) {
		const struct content_group *group = &drawing->groups[i];
		double width = scale * (group->is_labelled ? 60 : 34);

		draw_stack(&svg, &field, x, width, drawing, group);
		if (group->is_labelled)
			svg_text(&svg, x + width / 2, field.bottom + 18, SVG_MIDDLE, 11, SVG_INK,
				 group->name);
		else
			svg_text_turned(&svg, x + width / 2 + 3, field.bottom + 16, SVG_END, 11,
					SVG_INK, -30, group->name);
		x += scale * room_of(group);
	}
	svg_line(&svg, LEFT, y_of(&field, 0), WIDTH - RIGHT, y_of(&field, 0), SVG_INK, 1, false);
	svg_end(&svg);
}

static void draw_group(struct svg *svg, const struct field *field, double x, double room,
		       const struct content_drawing *drawing, const struct content_group *group)
{
	double thick = (room - 8) / (double)drawing->series_count, zero = y_of(field, 0);

	for (size_t i = 0; i < drawing->series_count; i++) {
		double value = group->values[i], left = x + 4 + thick * (double)i,
		       y = y_of(field, value);

		svg_rect(svg, left, fmin(y, zero), thick - 0.6, fabs(zero - y),
			 drawing->series[i].colour);
		if (value > field->high) {
			char text[64];

			snprintf(text, sizeof(text), "%.*f", (int)drawing->places,
				 drawing->unit == CONTENT_PERCENT ? 100 * value : value);
			svg_text_turned(svg, left + thick - 1, field->top - 3, SVG_START, 9,
					SVG_INK, -90, text);
		}
	}
	svg_text_turned(svg, x + room / 2 + 4, field->bottom + 14, SVG_END, 11, SVG_INK, -35,
			group->name);
}

static void draw_bars(FILE *out, const struct content_drawing *drawing, bool is_page)
{
	double room = (WIDTH - LEFT - RIGHT) / fmax(1, (double)drawing->group_count), x = LEFT;
	struct field field = {62, 270, 0, drawing->top, 0, 1};
	struct svg svg;

	for (size_t i = 0; i < drawing->group_count; i++)
		for (size_t k = 0; k < drawing->series_count; k++) {
			double value = drawing->groups[i].values[k];

			field.low = fmin(field.low, value);
			if (!drawing->top)
				field.high = fmax(field.high, value);
		}
	make_wide(field.low, &field.high);
	svg_begin(&svg, out, is_page, WIDTH, 340, drawing->title, drawing->description);
	draw_keys(&svg, 16, drawing->series, drawing->series_count);
	draw_y_axis(&svg, &field, 5, drawing->unit, drawing->places);
	for (size_t i = 0; i < drawing->group_count; i++, x += room)
		draw_group(&svg, &field, x, room, drawing, &drawing->groups[i]);
	if (drawing->limit)
		svg_line(&svg, LEFT, y_of(&field, drawing->limit), WIDTH - RIGHT,
			 y_of(&field, drawing->limit), SVG_WARN, 1.2, true);
	svg_end(&svg);
}

/* The x at which value i begins, and the x at which a line passes through it. */
static double begin_of(const struct content_drawing *drawing, size_t i)
{
	return drawing->xs ? drawing->xs[i < drawing->x_count ? i : drawing->x_count - 1]
			   : drawing->first + (double)i;
}

static double middle_of(const struct content_drawing *drawing, size_t i)
{
	return begin_of(drawing, i) + (drawing->xs ? 0 : 0.5);
}

static void draw_area(struct svg *svg, const struct field *field,
		      const struct content_drawing *drawing, const struct content_series *series)
{
	svg_path_begin(svg);
	svg_path_point(svg, x_of(field, field->first), y_of(field, 0));
	for (size_t i = 0; i < series->value_count; i++) {
		double y = y_of(field, series->values[i]);

		svg_path_point(svg, x_of(field, begin_of(drawing, i)), y);
		svg_path_point(svg, x_of(field, begin_of(drawing, i + 1)), y);
	}
	svg_path_point(svg, x_of(field, field->last), y_of(field, 0));
	svg_path_end(svg, series->colour, SVG_NONE, 0, false);
}

static void draw_line(struct svg *svg, const struct field *field,
		      const struct content_drawing *drawing, const struct content_series *series)
{
	svg_path_begin(svg);
	for (size_t i = 0; i < series->value_count; i++)
		svg_path_point(svg, x_of(field, middle_of(drawing, i)),
			       y_of(field, series->values[i]));
	svg_path_end(svg, SVG_NONE, series->colour, 1.8, series->style == CONTENT_DASHED);
}

static void draw_points(struct svg *svg, const struct field *field,
			const struct content_drawing *drawing, const struct content_series *series)
{
	for (size_t i = 0; i < series->value_count; i++)
		svg_rect(svg, x_of(field, middle_of(drawing, i)) - 2,
			 y_of(field, series->values[i]) - 2, 4, 4, series->colour);
}

/* Words that would overlap move up one line; of consecutive marks with the same words only the
 * first has them, except for single letters. */
static void draw_marks(struct svg *svg, const struct field *field,
		       const struct content_drawing *drawing)
{
	double taken[MARK_LEVELS] = {0};
	const char *last = "";

	for (size_t i = 0; i < drawing->mark_count; i++) {
		const char *words = drawing->marks[i].words;
		double x = x_of(field, drawing->marks[i].x);
		bool is_named = strcmp(words, last) != 0 || !words[1];
		unsigned level = 0;

		while (level < MARK_LEVELS - 1 && x < taken[level])
			level++;
		double y = field->top - 6 - MARK_PIXELS * (double)level;
		svg_line(svg, x, is_named ? y + 2 : field->top, x, field->bottom, SVG_WARN, 1,
			 true);
		if (!is_named)
			continue;
		svg_text(svg, x + 2, y, SVG_START, 11, SVG_INK, words);
		taken[level] = x + 8 + 6.2 * (double)strlen(words);
		last = words;
	}
}

static void draw_panel(struct svg *svg, struct field *field, const struct content_drawing *drawing,
		       const struct content_panel *panel, double keys_y)
{
	field->low = 0;
	field->high = panel->least_high;
	for (size_t k = 0; k < panel->series_count; k++)
		for (size_t i = 0; i < panel->series[k].value_count; i++)
			if (panel->series[k].style != CONTENT_UNDRAWN) {
				field->high = fmax(field->high, panel->series[k].values[i]);
				field->low = fmin(field->low, panel->series[k].values[i]);
			}
	make_wide(field->low, &field->high);
	draw_keys(svg, keys_y, panel->series, panel->series_count);
	draw_y_axis(svg, field, panel->steps, CONTENT_NUMBER, 0);
	for (size_t k = 0; k < panel->series_count; k++) {
		static void (*const draw[])(struct svg *, const struct field *,
					    const struct content_drawing *,
					    const struct content_series *) = {
			[CONTENT_AREA] = draw_area,   [CONTENT_LINE] = draw_line,
			[CONTENT_DASHED] = draw_line, [CONTENT_POINTS] = draw_points,
			[CONTENT_UNDRAWN] = NULL,
		};

		if (draw[panel->series[k].style])
			draw[panel->series[k].style](svg, field, drawing, &panel->series[k]);
	}
}

static void draw_plot(FILE *out, const struct content_drawing *drawing, bool is_page)
{
	struct field field = {.bottom = 0};
	double height = 36;
	struct svg svg;

	field.first = begin_of(drawing, 0);
	field.last = field.first;
	for (size_t i = 0; i < drawing->panel_count; i++) {
		const struct content_panel *panel = &drawing->panels[i];

		height += panel->above + panel->height;
		for (size_t k = 0; k < panel->series_count; k++)
			if (panel->series[k].value_count)
				field.last = fmax(field.last,
						  begin_of(drawing, panel->series[k].value_count));
	}
	make_wide(field.first, &field.last);
	svg_begin(&svg, out, is_page, WIDTH, (unsigned)height, drawing->title,
		  drawing->description);
	for (size_t i = 0; i < drawing->panel_count; i++) {
		const struct content_panel *panel = &drawing->panels[i];
		double marks = i || !drawing->mark_count ? 0 : MARK_PIXELS * MARK_LEVELS - 4;

		field.top = field.bottom + panel->above;
		field.bottom = field.top + panel->height;
		draw_panel(&svg, &field, drawing, panel, field.top - 10 - marks);
		if (!i)
			draw_marks(&svg, &field, drawing);
	}
	draw_x_axis(&svg, &field, drawing->x_title);
	svg_end(&svg);
}

void content_svg_draw(FILE *out, const struct content_drawing *drawing, bool is_page)
{
	static void (*const draw[])(FILE *, const struct content_drawing *, bool) = {
		[CONTENT_STACKS] = draw_stacks,
		[CONTENT_BARS] = draw_bars,
		[CONTENT_PLOT] = draw_plot,
	};

	draw[drawing->kind](out, drawing, is_page);
}
