/* Pictures are to scale: what is drawn of a value begins and ends where the axis has its number, or
 * is as long beside others as its value is. Coordinates are read from the pictures. */
#include "../test.h"

#include <math.h>

#include "base/array.h"
#include "doc/doc_svg.h"

struct box {
	double x, y, width, height;
};

/* The picture of the section "drawn". */
static char *picture_of(struct doc *doc)
{
	static char *text;
	static size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_true(doc_svg_write(out, doc_find(doc, "drawn")));
	fclose(out);
	doc_release(doc);
	return text;
}

static double attribute(const char *element, const char *name)
{
	char wanted[32];

	snprintf(wanted, sizeof(wanted), " %s=\"", name);
	const char *at = strstr(element, wanted);
	assert_non_null(at);
	return strtod(at + strlen(wanted), NULL);
}

/* The last element of that kind before a place. */
static const char *element_before(const char *picture, const char *place, const char *kind)
{
	const size_t length = strlen(kind);

	while (place > picture && strncmp(place, kind, length) != 0)
		place--;
	assert_true(place > picture);
	return place;
}

/* What is drawn of a value, by how the words begin that a reader who points at it is shown. */
static struct box box_of(const char *picture, const char *words)
{
	char title[128];

	snprintf(title, sizeof(title), "<title>%s", words);
	const char *at = strstr(picture, title);
	if (!at)
		fail_msg("there is no %s", words);
	const char *rect = element_before(picture, at, "<rect ");
	return (struct box){attribute(rect, "x"), attribute(rect, "y"), attribute(rect, "width"),
			    attribute(rect, "height")};
}

/* Where the axis has this number: the line that is drawn before it. */
static double axis_at(const char *picture, const char *number, const char *coordinate)
{
	char label[64];

	snprintf(label, sizeof(label), ">%s</text>", number);
	const char *at = strstr(picture, label);
	if (!at)
		fail_msg("the axis has no %s", number);
	return attribute(element_before(picture, at, "<line "), coordinate);
}

/* Coordinates have two decimals. */
static void is_at(double got, double wanted)
{
	if (fabs(got - wanted) > 0.02)
		fail_msg("it is at %g, not at %g", got, wanted);
}

/* A drawing of these groups: a stack or bars of parts a and b each. */
static struct doc_drawing *begin(struct doc *doc, enum doc_drawing_kind kind)
{
	doc_init(doc, "made-up");
	doc_section(doc, "drawn", "Drawn");
	struct doc_drawing *drawing = doc_drawing(doc, kind, "drawing", "of a and b");
	drawing->unit = DOC_NUMBER;
	drawing->places = 1;
	doc_series(drawing, "a", doc_component_named("base"));
	doc_series(drawing, "b", doc_component_named("l1d"));
	return drawing;
}

static void put_group(struct doc_group *group, double a, double b)
{
	doc_set(group, 0, a);
	doc_set(group, 1, b);
}

/* Those above the end of the axis end with it; a limit is a dashed line. */
TEST(bars_are_to_scale)
{
	static const struct {
		const char *words, *top;
	} bars[] = {{"p: a 2.0", "2"}, {"p: b 4.0", "4"}, {"q: a 6.0", "6"}, {"q: b 9.0", "8"}};
	struct doc doc;
	struct doc_drawing *drawing = begin(&doc, DOC_BARS);

	drawing->top = 8;
	drawing->limit = 4;
	put_group(doc_group(drawing, "p"), 2, 4);
	put_group(doc_group(drawing, "q"), 6, 9);
	char *picture = picture_of(&doc);
	for (size_t i = 0; i < ARRAY_COUNT(bars); i++) {
		const struct box box = box_of(picture, bars[i].words);

		is_at(box.y, axis_at(picture, bars[i].top, "y1"));
		is_at(box.y + box.height, axis_at(picture, "0", "y1"));
	}
	const char *dashes = strstr(picture, "stroke-dasharray");
	assert_non_null(dashes);
	is_at(attribute(element_before(picture, dashes, "<line "), "y1"),
	      axis_at(picture, "4", "y1"));
	free(picture);
}

TEST(stacks_are_to_scale)
{
	static const struct {
		const char *words, *from, *to;
	} parts[] = {{"p: a 1.0", "0.0", "1.0"},
		     {"p: b 2.0", "1.0", "3.0"},
		     {"q: a 2.0", "0.0", "2.0"},
		     {"q: b 4.0", "2.0", "6.0"}};
	struct doc doc;
	struct doc_drawing *drawing = begin(&doc, DOC_STACKS);

	put_group(doc_group(drawing, "p"), 1, 2);
	put_group(doc_group(drawing, "q"), 2, 4);
	char *picture = picture_of(&doc);
	for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
		const struct box box = box_of(picture, parts[i].words);

		is_at(box.y + box.height, axis_at(picture, parts[i].from, "y1"));
		is_at(box.y, axis_at(picture, parts[i].to, "y1"));
	}
	free(picture);
}

TEST(lying_stacks_are_to_scale)
{
	static const struct {
		const char *words, *from, *to;
	} parts[] = {{"p: a 1.0", "0", "1"},
		     {"p: b 2.0", "1", "3"},
		     {"q: a 2.0", "0", "2"},
		     {"q: b 4.0", "2", "6"}};
	struct doc doc;
	struct doc_drawing *drawing = begin(&doc, DOC_LYING);

	drawing->has_axis = true;
	put_group(doc_group(drawing, "p"), 1, 2);
	put_group(doc_group(drawing, "q"), 2, 4);
	char *picture = picture_of(&doc);
	for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
		const struct box box = box_of(picture, parts[i].words);

		is_at(box.x, axis_at(picture, parts[i].from, "x1"));
		is_at(box.x + box.width, axis_at(picture, parts[i].to, "x1"));
	}
	free(picture);
}

/* As wide as its weight, as high as its values by its weight. */
TEST(stacks_over_time_are_to_scale)
{
	double from, base, until, upper, end;
	struct doc doc;
	struct doc_drawing *drawing = begin(&doc, DOC_OVER_TIME);

	put_group(doc_moment(drawing, "p", 10), 10, 15);
	put_group(doc_moment(drawing, "q", 20), 30, 20);
	char *picture = picture_of(&doc);
	/* The lowest part: at 1 for weights 0 to 10, at 1.5 up to 30. */
	assert_int_equal(sscanf(strstr(picture, "<path d="), "<path d=\"M%lf %lfH%lfV%lfH%lf",
				&from, &base, &until, &upper, &end),
			 5);
	is_at(from, axis_at(picture, "0", "x1"));
	is_at(base, axis_at(picture, "1.0", "y1"));
	is_at(until, axis_at(picture, "10", "x1"));
	is_at(upper, axis_at(picture, "1.5", "y1"));
	is_at(end, axis_at(picture, "30", "x1"));
	free(picture);
}

/* A value is in the middle of what it covers, and a mark where that begins. */
TEST(plots_are_to_scale)
{
	static const struct {
		const char *x, *y;
	} points[] = {{"10.5", "0"}, {"11.5", "1"}, {"12.5", "2"}, {"13.5", "4"}};
	struct doc doc;
	struct doc_drawing *drawing = begin(&doc, DOC_PLOT);
	json_t *values = json_pack("[i, i, i, i]", 0, 1, 2, 4);

	drawing->first = 10;
	drawing->x_title = "cycles";
	struct doc_panel *panel = doc_panel(drawing, 0, 100, 0, 4);
	struct doc_series *series = doc_plot_series(drawing, panel, values);
	series->style = DOC_LINE;
	series->name = "curve";
	series->colour = doc_component_named("base");
	doc_mark(drawing, 12, "here");
	char *picture = picture_of(&doc), *at = strstr(picture, "<path d=\"M") + 10;
	for (size_t i = 0; i < ARRAY_COUNT(points); i++) {
		is_at(strtod(at, &at), axis_at(picture, points[i].x, "x1"));
		is_at(strtod(at, &at), axis_at(picture, points[i].y, "y1"));
		assert_int_equal(*at++, i + 1 < ARRAY_COUNT(points) ? 'L' : '"');
	}
	is_at(axis_at(picture, "here", "x1"), axis_at(picture, "12.0", "x1"));
	free(picture);
	json_decref(values);
}

TEST(flames_are_to_scale)
{
	struct doc doc;

	doc_init(&doc, "made-up");
	struct doc_flame *flame = doc_flame(&doc, "drawn", "Flames", "cycles");
	doc_node(flame, 0, "all", 100, doc_component_named("base"));
	doc_node(flame, 1, "f", 75, doc_component_named("base"));
	doc_node(flame, 1, "g", 25, doc_component_named("base"));
	char *picture = picture_of(&doc);
	const struct box all = box_of(picture, "all: cycles 100,"),
			 f = box_of(picture, "f: cycles 75,"), g = box_of(picture, "g: cycles 25,");
	is_at(f.x, all.x);
	is_at(f.width, all.width * 0.75);
	is_at(g.x, f.x + f.width);
	is_at(g.width, all.width * 0.25);
	assert_true(f.y == g.y && f.y >= all.y + all.height);
	free(picture);
}

TEST(pipelines_are_to_scale)
{
	struct doc doc;

	doc_init(&doc, "made-up");
	struct doc_pipeline *pipeline = doc_pipeline(&doc, "drawn", 10, 20);
	const unsigned fetch = doc_stage(pipeline, "F"), wait = doc_stage(pipeline, "W");
	struct doc_lane *lane = doc_lane(pipeline, "first");
	doc_span(lane, 10, 12, fetch);
	doc_span(lane, 14, 20, wait);
	doc_span(doc_lane(pipeline, "second"), 12, 13, fetch);
	char *picture = picture_of(&doc);
	const double cycle = (axis_at(picture, "20", "x1") - axis_at(picture, "10", "x1")) / 10;
	const struct box one = box_of(picture, "first: F cycles 10 to 11"),
			 two = box_of(picture, "first: W cycles 14 to 19"),
			 three = box_of(picture, "second: F cycles 12 to 12");
	is_at(one.x, axis_at(picture, "10", "x1"));
	is_at(one.width, 2 * cycle);
	is_at(two.x, one.x + 4 * cycle);
	is_at(two.width, 6 * cycle);
	is_at(three.x, one.x + 2 * cycle);
	is_at(three.width, cycle);
	assert_true(one.y == two.y && three.y >= one.y + one.height);
	free(picture);
}
