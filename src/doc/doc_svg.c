#include "doc/doc_svg.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "doc/doc_svg_parts.h"
#include "doc/field.h"
#include "doc/markup.h"

#define LEFT  DOC_SVG_LEFT
#define RIGHT DOC_SVG_RIGHT
#define WIDTH DOC_SVG_WIDTH

#define LEAST_ROOM   30 /* of a group of bars */
#define MOST_THICK   16 /* of a bar */
#define LYING_HEIGHT 16
#define LYING_MAIN   40
#define LYING_GAP    10

/* The value of a series in a group, or 0 if it is absent. */
static double value_of(const struct doc_group *group, size_t series)
{
	return isnan(group->values[series]) ? 0 : group->values[series];
}

void doc_svg_range(const struct doc_drawing *drawing, const struct doc_group *group, double *low,
		   double *high)
{
	double up = 0, down = 0;

	for (size_t i = 0; i < drawing->series_count; i++) {
		double value = value_of(group, i);

		*(value > 0 ? &up : &down) += value;
	}
	*high = fmax(*high, up);
	*low = fmin(*low, down);
}

static void value_words(char text[MARKUP_VALUE_BYTES], const struct doc_drawing *drawing,
			double value)
{
	markup_value(text, drawing->unit, drawing->places, false, value);
}

/* Upright stacks: positive parts upwards from zero, negative ones downwards. */
static void draw_stack(struct picture *picture, const struct field *field, double x, double width,
		       const struct doc_drawing *drawing, const struct doc_group *group)
{
	double up = 0, down = 0, last = field->bottom + 20;

	for (size_t i = 0; i < drawing->series_count; i++) {
		const struct doc_series *series = &drawing->series[i];
		double part = value_of(group, i), *from = part > 0 ? &up : &down;
		double a = field_y(field, *from), b = field_y(field, *from + part);
		char words[MARKUP_VALUE_BYTES];

		*from += part;
		if (fabs(a - b) < 0.05)
			continue;
		value_words(words, drawing, part);
		picture_rect_about(picture, x, fmin(a, b), width, fabs(a - b), series->colour,
				   group->name, series->name, words);
		double y = fmin((a + b) / 2 + 4, last - 12);
		if (group->is_labelled && fabs(part) >= 0.005) {
			char text[160];

			snprintf(text, sizeof(text), "%.80s %s", series->name ? series->name : "",
				 words);
			picture_text(picture, x + width + 5, y, PICTURE_START, 11, PICTURE_INK,
				     text);
			last = y;
		}
	}
}

static double room_of(const struct doc_group *group)
{
	return group->is_labelled ? 180 : group->ends_block ? 74 : 54;
}

/* Labelled stacks name their parts; all others need a legend. */
static bool needs_keys(const struct doc_drawing *drawing)
{
	for (size_t i = 0; i < drawing->group_count; i++)
		if (drawing->groups[i].is_labelled)
			return false;
	return true;
}

static void draw_stack_name(struct picture *picture, const struct field *field, double middle,
			    const struct doc_group *group)
{
	if (group->is_labelled)
		picture_text(picture, middle, field->bottom + 18, PICTURE_MIDDLE, 11, PICTURE_INK,
			     group->name);
	else
		picture_text_turned(picture, middle + 3, field->bottom + 16, PICTURE_END, 11,
				    PICTURE_INK, -30, group->name);
}

static void draw_stacks(FILE *out, const struct doc_drawing *drawing, bool is_page)
{
	struct field field = {LEFT, WIDTH - RIGHT, 34, 300, 0, 0, 0, 1};
	double x = LEFT + 10, needed = 0;
	struct picture picture;

	for (size_t i = 0; i < drawing->group_count; i++) {
		doc_svg_range(drawing, &drawing->groups[i], &field.low, &field.high);
		needed += room_of(&drawing->groups[i]);
	}
	field_make_wide(field.low, &field.high);
	bool has_keys = !is_page && needs_keys(drawing);
	if (has_keys)
		field.top += 20 + field_draw_keys(NULL, &field, 0, drawing->series,
						  drawing->series_count);
	field.bottom += field.top - 34;
	double scale = fmin(1, (WIDTH - RIGHT - x) / fmax(1, needed));
	picture_begin(&picture, out, is_page, WIDTH, field.bottom + 70, drawing->title,
		      drawing->description);
	if (drawing->heading)
		picture_text(&picture, LEFT, 18, PICTURE_START, 12, PICTURE_INK, drawing->heading);
	if (has_keys)
		field_draw_keys(&picture, &field, 36, drawing->series, drawing->series_count);
	field_draw_y_axis(&picture, &field, 6, drawing->unit, drawing->places);
	for (size_t i = 0; i < drawing->group_count; i++) {
		const struct doc_group *group = &drawing->groups[i];
		double width = scale * (group->is_labelled ? 60 : 34);

		draw_stack(&picture, &field, x, width, drawing, group);
		draw_stack_name(&picture, &field, x + width / 2, group);
		x += scale * room_of(group);
	}
	picture_line(&picture, LEFT, field_y(&field, 0), WIDTH - RIGHT, field_y(&field, 0),
		     PICTURE_INK, 1, false);
	if (drawing->x_title)
		picture_text(&picture, WIDTH - RIGHT, field.bottom + 60, PICTURE_END, 11,
			     PICTURE_MUTED, drawing->x_title);
	picture_end(&picture);
}

/* Bars in groups. Each bar is drawn from x = 0 and moved to its place, so that a script can spread
 * those of a group again when a series is hidden. */
struct bars {
	struct picture *picture;
	struct field field;
	const struct doc_drawing *drawing;
	double room, thick;
};

static void draw_cut(const struct bars *bars, double value)
{
	struct picture *picture = bars->picture;
	double top = bars->field.top;
	char words[MARKUP_VALUE_BYTES];

	value_words(words, bars->drawing, value);
	fputs("<path class=\"torn\" transform=\"scale(", picture->out);
	markup_length(picture->out, bars->thick);
	fputs(" 1)\" d=\"M-.1 ", picture->out);
	markup_length(picture->out, top + 9);
	fprintf(picture->out, "l1.2 -4v3l-1.2 4z\"%s/>\n",
		picture->is_page ? "" : " fill=\"#ffffff\"");
	fputs("<text class=\"cut\" font-size=\"9\" transform=\"translate(", picture->out);
	markup_length(picture->out, bars->thick / 2 + 3);
	fputc(' ', picture->out);
	markup_length(picture->out, top - 4);
	fprintf(picture->out, ") rotate(-90)\">%s</text>\n", words);
}

static void draw_bar(const struct bars *bars, const struct doc_group *group, size_t index, double x)
{
	const struct doc_series *series = &bars->drawing->series[index];
	struct picture *picture = bars->picture;
	double value = group->values[index], zero = field_y(&bars->field, 0),
	       y = field_y(&bars->field, value);
	char words[MARKUP_VALUE_BYTES];

	if (isnan(value))
		return;
	value_words(words, bars->drawing, value);
	fprintf(picture->out, "<g data-series=\"%zu\" transform=\"translate(", index);
	markup_length(picture->out, x);
	fputs(" 0)\">", picture->out);
	picture_rect_about(picture, 0, fmin(y, zero), bars->thick, fmax(0.5, fabs(zero - y)),
			   series->colour, group->name, series->name, words);
	if (value > bars->field.high)
		draw_cut(bars, value);
	fputs("</g>\n", picture->out);
}

static void draw_group(const struct bars *bars, const struct doc_group *group, double x)
{
	const struct doc_drawing *drawing = bars->drawing;
	struct picture *picture = bars->picture;
	double start = x + (bars->room - bars->thick * (double)drawing->series_count) / 2;

	fputs("<g class=\"group\"", picture->out);
	if (picture->is_page) {
		markup_attribute(picture->out, "data-key", group->key);
		picture_attribute(picture, "data-x", x);
		picture_attribute(picture, "data-room", bars->room);
	}
	fputs(">\n", picture->out);
	if (picture->is_page) {
		fputs("<rect class=\"band\" y=\"0\"", picture->out);
		picture_attribute(picture, "x", x);
		picture_attribute(picture, "width", bars->room);
		picture_attribute(picture, "height", bars->field.bottom + 70);
		fputs("/>\n", picture->out);
	}
	for (size_t i = 0; i < drawing->series_count; i++)
		draw_bar(bars, group, i, start + bars->thick * (double)i);
	picture_text_turned(picture, x + bars->room / 2 + 4, bars->field.bottom + 14, PICTURE_END,
			    group->is_total ? 12 : 11,
			    group->is_total ? PICTURE_INK : PICTURE_MUTED, -35, group->name);
	fputs("</g>\n", picture->out);
}

static void find_bar_range(struct field *field, const struct doc_drawing *drawing)
{
	field->high = drawing->top;
	for (size_t i = 0; i < drawing->group_count; i++)
		for (size_t k = 0; k < drawing->series_count; k++) {
			double value = value_of(&drawing->groups[i], k);

			field->low = fmin(field->low, value);
			if (drawing->top <= 0)
				field->high = fmax(field->high, value);
		}
	/* Far below zero is no more to be seen than far above the top. */
	if (drawing->top > 0)
		field->low = fmax(field->low, -drawing->top / 4);
	field_make_wide(field->low, &field->high);
}

static void draw_limit(const struct bars *bars, double limit)
{
	const struct field *field = &bars->field;
	double y = field_y(field, limit);
	char words[MARKUP_VALUE_BYTES];

	value_words(words, bars->drawing, limit);
	picture_line(bars->picture, field->left, y, field->right, y, PICTURE_WARN, 1.2, true);
	picture_text(bars->picture, field->right, y - 4, PICTURE_END, 11, PICTURE_WARN, words);
}

static void draw_bars(FILE *out, const struct doc_drawing *drawing, bool is_page)
{
	double groups = fmax(1, (double)drawing->group_count),
	       series = fmax(1, (double)drawing->series_count);
	double least = fmax(LEAST_ROOM, fmin(64, series * 7 + 12));
	double wide = is_page ? DOC_SVG_PAGE_WIDTH : WIDTH;
	struct picture picture;
	struct bars bars = {.picture = &picture, .drawing = drawing};

	bars.room = fmax((wide - LEFT - RIGHT) / groups, least);
	bars.thick = fmin(MOST_THICK, (bars.room - 8) / series);
	bars.field = (struct field){LEFT, LEFT + bars.room * groups, 46, 254, 0, 0, 0, 1};
	find_bar_range(&bars.field, drawing);
	/* A page has the legend outside the picture, for its buttons. */
	if (!is_page)
		bars.field.top += 24 + field_draw_keys(NULL, &bars.field, 0, drawing->series,
						       drawing->series_count);
	bars.field.bottom = bars.field.top + 208;
	picture_begin(&picture, out, is_page, bars.field.right + RIGHT, bars.field.bottom + 70,
		      drawing->title, drawing->description);
	if (!is_page)
		field_draw_keys(&picture, &bars.field, 16, drawing->series, drawing->series_count);
	field_draw_y_axis(&picture, &bars.field, 5, drawing->unit, 0);
	for (size_t i = 0; i < drawing->group_count; i++)
		draw_group(&bars, &drawing->groups[i], LEFT + bars.room * (double)i);
	picture_line(&picture, LEFT, field_y(&bars.field, 0), bars.field.right,
		     field_y(&bars.field, 0), PICTURE_MUTED, 1, false);
	if (drawing->limit)
		draw_limit(&bars, drawing->limit);
	picture_end(&picture);
}

/* Lying stacks, for files: a page has them as elements as wide as the window. */
static void draw_lying_group(struct picture *picture, const struct field *field, double y,
			     double height, const struct doc_drawing *drawing,
			     const struct doc_group *group)
{
	double right = 0, left = 0;

	for (size_t i = 0; i < drawing->series_count; i++) {
		double part = value_of(group, i), *from = part > 0 ? &right : &left;
		double a = field_x(field, *from), b = field_x(field, *from + part);
		char words[MARKUP_VALUE_BYTES];

		*from += part;
		if (fabs(a - b) < 0.05)
			continue;
		value_words(words, drawing, part);
		picture_rect_about(picture, fmin(a, b), y, fabs(a - b), height,
				   drawing->series[i].colour, group->name, drawing->series[i].name,
				   words);
	}
	picture_text(picture, field->left - 8, y + height / 2 + 4, PICTURE_END, 11, PICTURE_INK,
		     group->name);
	if (group->beside)
		picture_text(picture, field->right + 6, y + height / 2 + 4, PICTURE_START, 11,
			     group->is_marked ? PICTURE_WARN : PICTURE_MUTED, group->beside);
}

static void make_lying_room(struct field *field, const struct doc_drawing *drawing)
{
	double names = 0, words = 0;

	for (size_t i = 0; i < drawing->group_count; i++) {
		const struct doc_group *group = &drawing->groups[i];

		doc_svg_range(drawing, group, &field->first, &field->last);
		names = fmax(names, (double)strlen(group->name));
		words = fmax(words, group->beside ? (double)strlen(group->beside) : 0);
	}
	field->left = 20 + PICTURE_LETTER * fmin(names, 40);
	field->right = WIDTH - RIGHT - PICTURE_LETTER * fmin(words, 20);
	field_make_wide(field->first, &field->last);
}

static void draw_lying(FILE *out, const struct doc_drawing *drawing, bool is_page)
{
	double height = drawing->is_main ? LYING_MAIN : LYING_HEIGHT;
	struct field field = {0, 0, 0, 0, 0, 1, 0, 0};
	struct picture picture;

	make_lying_room(&field, drawing);
	field.top = 40 + field_draw_keys(NULL, &field, 0, drawing->series, drawing->series_count);
	field.bottom = field.top + (double)drawing->group_count * (height + LYING_GAP);
	picture_begin(&picture, out, is_page, WIDTH, field.bottom + (drawing->has_axis ? 40 : 10),
		      drawing->title, drawing->description);
	field_draw_keys(&picture, &field, 18, drawing->series, drawing->series_count);
	for (size_t i = 0; i < drawing->group_count; i++)
		draw_lying_group(&picture, &field, field.top + (double)i * (height + LYING_GAP),
				 height, drawing, &drawing->groups[i]);
	if (field.first < 0)
		picture_line(&picture, field_x(&field, 0), field.top - 4, field_x(&field, 0),
			     field.bottom, PICTURE_INK, 1, false);
	if (drawing->limit > 0 && drawing->limit < field.last)
		picture_line(&picture, field_x(&field, drawing->limit), field.top - 4,
			     field_x(&field, drawing->limit), field.bottom, PICTURE_INK, 1, true);
	if (drawing->has_axis)
		field_draw_x_axis(&picture, &field, drawing->unit, NULL);
	picture_end(&picture);
}

void doc_svg_drawing(FILE *out, const struct doc_drawing *drawing, bool is_page)
{
	static void (*const draw[])(FILE *, const struct doc_drawing *, bool) = {
		[DOC_STACKS] = draw_stacks,
		[DOC_LYING] = draw_lying,
		[DOC_BARS] = draw_bars,
		[DOC_PLOT] = doc_svg_plot,
		[DOC_OVER_TIME] = doc_svg_over_time,
	};

	draw[drawing->kind](out, drawing, is_page);
}

bool doc_svg_write(FILE *out, const struct doc_block *block)
{
	if (block->drawing)
		doc_svg_drawing(out, block->drawing, false);
	else if (block->flame)
		doc_svg_flame(out, block->flame, false);
	else if (block->pipeline)
		doc_svg_pipeline(out, block->pipeline, false);
	else {
		for (const struct doc_block *part = block->first; part; part = part->next)
			if (doc_svg_write(out, part))
				return true;
		return false;
	}
	return true;
}
