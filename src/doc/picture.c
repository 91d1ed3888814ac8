#include "doc/picture.h"

#include <math.h>
#include <stdlib.h>

#include "doc/markup.h"

#define FONT "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, DejaVu Sans, sans-serif"

/* Pale on any background; only for fills. */
#define PALE_OPACITY " fill-opacity=\"0.25\""

/* The variable of the style sheet. */
static const char *variable_of(struct doc_colour colour)
{
	switch (colour.kind) {
	case DOC_GRID: return "line";
	case DOC_PALE: return "accent";
	case DOC_WARN: return "bad";
	default: return doc_colour_class(colour);
	}
}

static void put_colour(struct picture *picture, const char *name, struct doc_colour colour)
{
	if (!picture->is_page || colour.kind == DOC_NO_COLOUR)
		fprintf(picture->out, " %s=\"%s\"", name, doc_colour_rgb(colour));
	else
		fprintf(picture->out, " %s=\"var(--%s)\"", name, variable_of(colour));
}

/* Colours that may have a pattern are classes. */
static bool has_class(struct doc_colour colour)
{
	return colour.kind == DOC_COMPONENT || colour.kind == DOC_METHOD ||
	       colour.kind == DOC_OTHER || colour.kind == DOC_CHANGED;
}

void picture_fill(struct picture *picture, struct doc_colour colour)
{
	if (picture->is_page && has_class(colour)) {
		fprintf(picture->out, " class=\"%s\"", doc_colour_class(colour));
		return;
	}
	put_colour(picture, "fill", colour);
	if (picture->is_page && colour.kind == DOC_PALE)
		fputs(PALE_OPACITY, picture->out);
	if (!picture->is_page && has_class(colour))
		fputs(" stroke=\"#ffffff\" stroke-width=\"0.6\"", picture->out);
}

void picture_attribute(struct picture *picture, const char *name, double value)
{
	fprintf(picture->out, " %s=\"", name);
	markup_length(picture->out, value);
	fputc('"', picture->out);
}

void picture_begin(struct picture *picture, FILE *out, bool is_page, double width, double height,
		   const char *title, const char *description)
{
	*picture = (struct picture){.out = out, .is_page = is_page};
	fputs("<svg", out);
	fputs(is_page ? " class=\"plot\"" : " xmlns=\"http://www.w3.org/2000/svg\"", out);
	fprintf(out, " viewBox=\"0 0 %.0f %.0f\"", ceil(width), ceil(height));
	picture_attribute(picture, "width", ceil(width));
	picture_attribute(picture, "height", ceil(height));
	fputs(" role=\"img\"", out);
	if (!is_page)
		fputs(" font-family=\"" FONT "\"", out);
	/* A browser would show a title to who points anywhere at the picture. */
	if (is_page)
		markup_attribute(out, "aria-label", title);
	fputs(">\n", out);
	if (!is_page) {
		fputs("<title>", out);
		markup_text(out, title);
		fputs("</title>\n", out);
	}
	if (description) {
		fputs("<desc>", out);
		markup_text(out, description);
		fputs("</desc>\n", out);
	}
	if (!is_page)
		fputs("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", out);
}

void picture_end(struct picture *picture)
{
	fputs("</svg>\n", picture->out);
}

static void begin_rect(struct picture *picture, double x, double y, double width, double height)
{
	fputs("<rect", picture->out);
	picture_attribute(picture, "x", x);
	picture_attribute(picture, "y", y);
	picture_attribute(picture, "width", width);
	picture_attribute(picture, "height", height);
}

void picture_rect(struct picture *picture, double x, double y, double width, double height,
		  struct doc_colour fill)
{
	begin_rect(picture, x, y, width, height);
	picture_fill(picture, fill);
	fputs("/>\n", picture->out);
}

void picture_rect_about(struct picture *picture, double x, double y, double width, double height,
			struct doc_colour fill, const char *title, const char *label,
			const char *value)
{
	FILE *out = picture->out;

	begin_rect(picture, x, y, width, height);
	picture_fill(picture, fill);
	fputs(picture->is_page ? " data-tip=\"" : "><title>", out);
	markup_text(out, title);
	fputs(picture->is_page ? "&#10;&#9;" : ": ", out);
	markup_text(out, label);
	fputs(picture->is_page ? "&#9;" : " ", out);
	markup_text(out, value);
	fputs(picture->is_page ? "\"/>\n" : "</title></rect>\n", out);
}

static void put_stroke(struct picture *picture, struct doc_colour colour, double width,
		       bool is_dashed)
{
	put_colour(picture, "stroke", colour);
	picture_attribute(picture, "stroke-width", width);
	if (is_dashed)
		fputs(" stroke-dasharray=\"4 3\"", picture->out);
}

void picture_line(struct picture *picture, double x1, double y1, double x2, double y2,
		  struct doc_colour colour, double width, bool is_dashed)
{
	fputs("<line", picture->out);
	picture_attribute(picture, "x1", x1);
	picture_attribute(picture, "y1", y1);
	picture_attribute(picture, "x2", x2);
	picture_attribute(picture, "y2", y2);
	put_stroke(picture, colour, width, is_dashed);
	fputs("/>\n", picture->out);
}

void picture_text_turned(struct picture *picture, double x, double y, enum picture_anchor anchor,
			 unsigned size, struct doc_colour colour, int degrees, const char *text)
{
	static const char *const anchors[] = {"start", "middle", "end"};

	fputs("<text", picture->out);
	picture_attribute(picture, "x", x);
	picture_attribute(picture, "y", y);
	fprintf(picture->out, " font-size=\"%u\"", size);
	put_colour(picture, "fill", colour);
	if (anchor != PICTURE_START)
		fprintf(picture->out, " text-anchor=\"%s\"", anchors[anchor]);
	if (degrees) {
		fprintf(picture->out, " transform=\"rotate(%d ", degrees);
		markup_length(picture->out, x);
		fputc(' ', picture->out);
		markup_length(picture->out, y);
		fputs(")\"", picture->out);
	}
	fputc('>', picture->out);
	markup_text(picture->out, text);
	fputs("</text>\n", picture->out);
}

void picture_text(struct picture *picture, double x, double y, enum picture_anchor anchor,
		  unsigned size, struct doc_colour colour, const char *text)
{
	picture_text_turned(picture, x, y, anchor, size, colour, 0, text);
}

void picture_path_begin(struct picture *picture)
{
	fputs("<path d=\"", picture->out);
	picture->has_points = false;
}

static bool is_same(double a, double b)
{
	return fabs(a - b) < 0.005;
}

/* Steps, of which most long paths are made, need one number for each point. */
void picture_path_point(struct picture *picture, double x, double y)
{
	bool is_level = picture->has_points && is_same(y, picture->y);
	bool is_upright = picture->has_points && is_same(x, picture->x) && !is_level;

	fputc(is_level ? 'H' : is_upright ? 'V' : picture->has_points ? 'L' : 'M', picture->out);
	if (!is_upright)
		markup_length(picture->out, x);
	if (!is_level && !is_upright)
		fputc(' ', picture->out);
	if (!is_level)
		markup_length(picture->out, y);
	/* What was not written has not moved: small differences do not add up. */
	if (!is_upright)
		picture->x = x;
	if (!is_level)
		picture->y = y;
	picture->has_points = true;
}

void picture_path_end(struct picture *picture, struct doc_colour fill, struct doc_colour stroke,
		      double width, bool is_dashed)
{
	fputs(fill.kind == DOC_NO_COLOUR ? "\"" : "Z\"", picture->out);
	picture_fill(picture, fill);
	if (stroke.kind != DOC_NO_COLOUR)
		put_stroke(picture, stroke, width, is_dashed);
	fputs("/>\n", picture->out);
}
