#include <math.h>
#include <string.h>

#include "doc/doc_svg_parts.h"
#include "doc/field.h"

#define MARK_LEVELS 3
#define MARK_PIXELS 12 /* distance between two lines of words above a plot */

/* The x at which value i begins, and the x at which a line passes through it. */
static double begin_of(const struct doc_drawing *drawing, size_t i)
{
	if (!drawing->xs || !drawing->x_count)
		return drawing->first + (double)i;
	return drawing->xs[i < drawing->x_count ? i : drawing->x_count - 1];
}

static double middle_of(const struct doc_drawing *drawing, size_t i)
{
	return begin_of(drawing, i) + (drawing->xs ? 0 : 0.5);
}

static void draw_area(struct picture *picture, const struct field *field,
		      const struct doc_drawing *drawing, const struct doc_series *series)
{
	picture_path_begin(picture);
	picture_path_point(picture, field_x(field, field->first), field_y(field, 0));
	for (size_t i = 0; i < series->value_count; i++) {
		double y = field_y(field, series->values[i]);

		picture_path_point(picture, field_x(field, begin_of(drawing, i)), y);
		picture_path_point(picture, field_x(field, begin_of(drawing, i + 1)), y);
	}
	picture_path_point(picture, field_x(field, field->last), field_y(field, 0));
	picture_path_end(picture, series->colour, PICTURE_NONE, 0, false);
}

static void draw_line(struct picture *picture, const struct field *field,
		      const struct doc_drawing *drawing, const struct doc_series *series)
{
	picture_path_begin(picture);
	for (size_t i = 0; i < series->value_count; i++)
		picture_path_point(picture, field_x(field, middle_of(drawing, i)),
				   field_y(field, series->values[i]));
	picture_path_end(picture, PICTURE_NONE, series->colour, 1.8, series->style == DOC_DASHED);
}

static void draw_points(struct picture *picture, const struct field *field,
			const struct doc_drawing *drawing, const struct doc_series *series)
{
	for (size_t i = 0; i < series->value_count; i++)
		picture_rect(picture, field_x(field, middle_of(drawing, i)) - 2,
			     field_y(field, series->values[i]) - 2, 4, 4, series->colour);
}

/* Words that would overlap move up one line; of consecutive marks with the same words only the
 * first has them, except for single letters. */
static void draw_marks(struct picture *picture, const struct field *field,
		       const struct doc_drawing *drawing)
{
	double taken[MARK_LEVELS] = {0};
	const char *last = "";

	for (size_t i = 0; i < drawing->mark_count; i++) {
		const char *words = drawing->marks[i].words;
		double x = field_x(field, drawing->marks[i].x);
		bool is_named = strcmp(words, last) != 0 || !words[0] || !words[1];
		unsigned level = 0;

		while (level < MARK_LEVELS - 1 && x < taken[level])
			level++;
		double y = field->top - 6 - MARK_PIXELS * (double)level;
		picture_line(picture, x, is_named ? y + 2 : field->top, x, field->bottom,
			     PICTURE_WARN, 1, true);
		if (!is_named)
			continue;
		picture_text(picture, x + 2, y, PICTURE_START, 11, PICTURE_INK, words);
		taken[level] = x + 8 + PICTURE_LETTER * (double)strlen(words);
		last = words;
	}
}

static void find_panel_range(struct field *field, const struct doc_panel *panel)
{
	field->low = 0;
	field->high = panel->least_high;
	for (size_t k = 0; k < panel->series_count; k++)
		for (size_t i = 0; i < panel->series[k].value_count; i++)
			if (panel->series[k].style != DOC_UNDRAWN) {
				field->high = fmax(field->high, panel->series[k].values[i]);
				field->low = fmin(field->low, panel->series[k].values[i]);
			}
	field_make_wide(field->low, &field->high);
}

static void draw_panel(struct picture *picture, struct field *field,
		       const struct doc_drawing *drawing, const struct doc_panel *panel,
		       double keys_y)
{
	static void (*const draw[])(struct picture *, const struct field *,
				    const struct doc_drawing *, const struct doc_series *) = {
		[DOC_AREA] = draw_area,	    [DOC_LINE] = draw_line, [DOC_DASHED] = draw_line,
		[DOC_POINTS] = draw_points, [DOC_UNDRAWN] = NULL,
	};

	struct field keys = *field;

	/* The legend begins after the title of the axis if it is in the same line. */
	if (panel->title && field->top - keys_y < MARK_PIXELS)
		keys.left = fmax(keys.left, 4 + PICTURE_LETTER * (double)strlen(panel->title) + 14);
	find_panel_range(field, panel);
	/* Several lines end where one does, above the panel, if there is room. */
	const double more = field_draw_keys(NULL, &keys, 0, panel->series, panel->series_count);
	if (keys_y - more >= field->top - panel->above)
		keys_y -= more;
	field_draw_keys(picture, &keys, keys_y, panel->series, panel->series_count);
	field_draw_y_axis(picture, field, panel->steps, DOC_NUMBER, 0);
	for (size_t k = 0; k < panel->series_count; k++)
		if (draw[panel->series[k].style] && panel->series[k].value_count)
			draw[panel->series[k].style](picture, field, drawing, &panel->series[k]);
	if (panel->title)
		picture_text(picture, 4, field->top - 8, PICTURE_START, 11, PICTURE_MUTED,
			     panel->title);
}

void doc_svg_plot_range(const struct doc_drawing *drawing, double *first, double *last)
{
	*first = begin_of(drawing, 0);
	*last = *first;
	for (size_t i = 0; i < drawing->panel_count; i++)
		for (size_t k = 0; k < drawing->panels[i].series_count; k++) {
			size_t count = drawing->panels[i].series[k].value_count;

			if (count)
				*last = fmax(*last, begin_of(drawing, count));
		}
	field_make_wide(*first, last);
}

void doc_svg_plot(FILE *out, const struct doc_drawing *drawing, bool is_page)
{
	struct field field = {.left = DOC_SVG_LEFT, .right = DOC_SVG_WIDTH - DOC_SVG_RIGHT};
	double height = 36;
	struct picture picture;

	for (size_t i = 0; i < drawing->panel_count; i++)
		height += drawing->panels[i].above + drawing->panels[i].height;
	doc_svg_plot_range(drawing, &field.first, &field.last);
	picture_begin(&picture, out, is_page, DOC_SVG_WIDTH, height, drawing->title,
		      drawing->description);
	for (size_t i = 0; i < drawing->panel_count; i++) {
		const struct doc_panel *panel = &drawing->panels[i];
		double marks = i || !drawing->mark_count ? 0 : MARK_PIXELS * MARK_LEVELS - 4;

		field.top = field.bottom + panel->above;
		field.bottom = field.top + panel->height;
		draw_panel(&picture, &field, drawing, panel, field.top - 10 - marks);
		if (!i)
			draw_marks(&picture, &field, drawing);
	}
	field_draw_x_axis(&picture, &field, DOC_NUMBER, drawing->x_title);
	picture_end(&picture);
}
