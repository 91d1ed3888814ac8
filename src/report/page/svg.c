#include "report/page/svg.h"

#include <math.h>
#include <stdlib.h>

#include "report/page/html.h"
#include "value/component.h"

#define FONT "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, DejaVu Sans, sans-serif"

#define MOST_PIXELS 1e6

static const struct {
	const char *file, *page;
} colours[SVG_COLOURS] = {
	[SVG_NONE] = {"none", "none"},
	[SVG_INK] = {"#1b1f24", "var(--ink)"},
	[SVG_MUTED] = {"#59626d", "var(--muted)"},
	[SVG_LINE] = {"#dfe3e8", "var(--line)"},
	[SVG_PALE] = {"#b9d7f0", "var(--accent)"},
	[SVG_FIRST] = {"#0b62b0", "var(--accent)"},
	[SVG_SECOND] = {"#d55e00", "var(--l2d)"},
	[SVG_THIRD] = {"#009e73", "var(--resource)"},
	[SVG_WARN] = {"#a3261a", "var(--bad)"},
};

/* Pale on any background; only for fills. */
#define PALE_OPACITY " fill-opacity=\"0.25\""

static const char *opacity_text(const struct svg *svg, enum svg_colour colour)
{
	return svg->is_page && colour == SVG_PALE ? PALE_OPACITY : "";
}

static const char *colour_text(const struct svg *svg, enum svg_colour colour)
{
	return svg->is_page ? colours[colour].page : colours[colour].file;
}

/* Writes hundredths, without trailing zeros; printf is not used for decimals, because the user's
 * locale may write them with a comma. */
static void put_number(FILE *out, double value)
{
	/* Values far outside the drawing, and NaN, are limited. */
	long long scaled = llround(100 * fmax(-MOST_PIXELS, fmin(MOST_PIXELS, value)));
	long long whole = llabs(scaled) / 100, rest = llabs(scaled) % 100;

	fprintf(out, "%s%lld", scaled < 0 ? "-" : "", whole);
	if (rest)
		fprintf(out, rest % 10 ? ".%02lld" : ".%lld", rest % 10 ? rest : rest / 10);
}

static void put(struct svg *svg, const char *name, double value)
{
	fprintf(svg->out, " %s=\"", name);
	put_number(svg->out, value);
	fputc('"', svg->out);
}

void svg_begin(struct svg *svg, FILE *out, bool is_page, unsigned width, unsigned height,
	       const char *title, const char *description)
{
	*svg = (struct svg){.out = out, .is_page = is_page};
	fprintf(out, "<svg%s viewBox=\"0 0 %u %u\" width=\"%u\" height=\"%u\" role=\"img\"",
		is_page ? " class=\"plot\"" : " xmlns=\"http://www.w3.org/2000/svg\"", width,
		height, width, height);
	if (!is_page)
		fputs(" font-family=\"" FONT "\"", out);
	fputs(">\n<title>", out);
	html_text(out, title);
	fputs("</title>\n<desc>", out);
	html_text(out, description);
	fputs("</desc>\n", out);
	if (!is_page)
		fprintf(out, "<rect width=\"%u\" height=\"%u\" fill=\"#ffffff\"/>\n", width,
			height);
}

void svg_end(struct svg *svg)
{
	fputs("</svg>\n", svg->out);
}

static void begin_rect(struct svg *svg, double x, double y, double width, double height)
{
	fputs("<rect", svg->out);
	put(svg, "x", x);
	put(svg, "y", y);
	put(svg, "width", width);
	put(svg, "height", height);
}

void svg_rect(struct svg *svg, double x, double y, double width, double height,
	      enum svg_colour fill)
{
	begin_rect(svg, x, y, width, height);
	fprintf(svg->out, " fill=\"%s\"%s/>\n", colour_text(svg, fill), opacity_text(svg, fill));
}

void svg_rect_component(struct svg *svg, double x, double y, double width, double height,
			unsigned component)
{
	const struct component_row *row = &component_rows[component];

	begin_rect(svg, x, y, width, height);
	if (svg->is_page)
		fprintf(svg->out, " class=\"%s\"/>\n", row->name);
	else
		fprintf(svg->out, " fill=\"%s\" stroke=\"#ffffff\" stroke-width=\"0.6\"/>\n",
			row->rgb);
}

static void put_stroke(struct svg *svg, enum svg_colour colour, double width, bool is_dashed)
{
	fprintf(svg->out, " stroke=\"%s\"", colour_text(svg, colour));
	put(svg, "stroke-width", width);
	if (is_dashed)
		fputs(" stroke-dasharray=\"4 3\"", svg->out);
}

void svg_line(struct svg *svg, double x1, double y1, double x2, double y2, enum svg_colour colour,
	      double width, bool is_dashed)
{
	fputs("<line", svg->out);
	put(svg, "x1", x1);
	put(svg, "y1", y1);
	put(svg, "x2", x2);
	put(svg, "y2", y2);
	put_stroke(svg, colour, width, is_dashed);
	fputs("/>\n", svg->out);
}

void svg_text_turned(struct svg *svg, double x, double y, enum svg_anchor anchor, unsigned size,
		     enum svg_colour colour, int degrees, const char *text)
{
	static const char *const anchors[] = {"start", "middle", "end"};

	fputs("<text", svg->out);
	put(svg, "x", x);
	put(svg, "y", y);
	fprintf(svg->out, " font-size=\"%u\" fill=\"%s\"", size, colour_text(svg, colour));
	if (anchor != SVG_START)
		fprintf(svg->out, " text-anchor=\"%s\"", anchors[anchor]);
	if (degrees) {
		fprintf(svg->out, " transform=\"rotate(%d ", degrees);
		put_number(svg->out, x);
		fputc(' ', svg->out);
		put_number(svg->out, y);
		fputs(")\"", svg->out);
	}
	fputc('>', svg->out);
	html_text(svg->out, text);
	fputs("</text>\n", svg->out);
}

void svg_text(struct svg *svg, double x, double y, enum svg_anchor anchor, unsigned size,
	      enum svg_colour colour, const char *text)
{
	svg_text_turned(svg, x, y, anchor, size, colour, 0, text);
}

void svg_path_begin(struct svg *svg)
{
	fputs("<path d=\"", svg->out);
	svg->has_points = false;
}

void svg_path_point(struct svg *svg, double x, double y)
{
	fputc(svg->has_points ? 'L' : 'M', svg->out);
	put_number(svg->out, x);
	fputc(' ', svg->out);
	put_number(svg->out, y);
	svg->has_points = true;
}

void svg_path_end(struct svg *svg, enum svg_colour fill, enum svg_colour stroke, double width,
		  bool is_dashed)
{
	fprintf(svg->out, "%s\" fill=\"%s\"%s", fill == SVG_NONE ? "" : "Z", colour_text(svg, fill),
		opacity_text(svg, fill));
	if (stroke != SVG_NONE)
		put_stroke(svg, stroke, width, is_dashed);
	fputs("/>\n", svg->out);
}
