/* Blocks that are not tables as text: key figures, stacks, plots, flame graphs and pipelines, each
 * with what it shows where there is little or nothing. */
#include "../test.h"

#include <math.h>

#include "printed_text.h"
#include "base/array.h"

static const struct terminal wide = {.width = 60, .height = 24};

/* As on a page. */
TEST(figures_that_are_no_numbers_are_dashes)
{
	struct doc doc;

	doc_init(&doc, "made-up");
	doc_figure(&doc, "CPI", DOC_NUMBER, 3, 1.25);
	doc_figure(&doc, "IPC", DOC_NUMBER, 2, NAN);
	doc_figure(&doc, "share", DOC_PERCENT, 1, INFINITY);
	doc_figure(&doc, "cycles", DOC_COUNT, 0, 0);
	is_printed(&doc, &wide, "CPI 1.250, IPC -, share -, cycles 0\n");
}

/* Of a choice the first alternative; a choice between nothing is none. */
TEST(a_document_may_have_a_line_about_it_and_an_empty_choice)
{
	struct doc_text about = {0};
	struct doc doc;

	doc_init(&doc, "made-up");
	about.doc = &doc;
	doc_say(&about, "on %s", "midcore");
	doc.about = &about;
	doc_choice(&doc, "between nothing");
	doc_end(&doc);
	doc_choice(&doc, "between two");
	doc_alternative(&doc, "first");
	doc_paragraph(&doc, "This.");
	doc_end(&doc);
	doc_alternative(&doc, "second");
	doc_paragraph(&doc, "That.");
	doc_end(&doc);
	doc_end(&doc);
	is_printed(&doc, &wide, "on midcore\nThis.\n");
}

static struct doc_drawing *begin_over_time(struct doc *doc, const char *title)
{
	doc_init(doc, "made-up");
	struct doc_drawing *drawing = doc_drawing(doc, DOC_OVER_TIME, title, "a description");
	doc_series(drawing, "base", doc_component_named("base"));
	doc_series(drawing, "branch", doc_component_named("branch"));
	return drawing;
}

static void add_moment(struct doc_drawing *drawing, double weight, double base, double branch)
{
	struct doc_group *group = doc_moment(drawing, "moment", weight);

	doc_set(group, 0, base);
	doc_set(group, 1, branch);
}

TEST(a_stack_over_time_may_have_no_names)
{
	const struct terminal narrow = {.width = 26, .height = 24};
	struct doc doc;

	struct doc_drawing *drawing = begin_over_time(&doc, NULL);
	add_moment(drawing, 10, 10, 10);
	add_moment(drawing, 10, 5, NAN);
	add_moment(drawing, 10, 0, 0);
	is_printed(&doc, &narrow,
		   "3 intervals, 1 a line; a\n"
		   "  full bar is 2.000\n"
		   "=:base B:branch\n"
		   " up to\n"
		   "    10   2.000 ======BBBBB\n"
		   "    20   0.500 ===\n"
		   "    30   0.000\n");
	drawing = begin_over_time(&doc, "CPI");
	drawing->shown = "CPI";
	add_moment(drawing, 10, 10, 10);
	add_moment(drawing, 2, 8, 0);
	is_printed(&doc, &narrow,
		   "CPI: 2 intervals, 1 a\n"
		   "  line; a full bar is CPI\n"
		   "  2.000, the last line is\n"
		   "  a shorter time\n"
		   "=:base B:branch\n"
		   " up to     CPI\n"
		   "    10   2.000 ======BBBBB\n"
		   "    12   4.000 ===========\n");
}

/* Nothing happened, or there was no time. */
TEST(a_stack_over_no_time_is_empty)
{
	struct doc doc;

	begin_over_time(&doc, "CPI");
	is_printed(&doc, &wide, "");
	add_moment(begin_over_time(&doc, "CPI"), 0, 0, 0);
	is_printed(&doc, &wide,
		   "CPI: 1 intervals, 1 a line; a full bar is 0.000\n"
		   "=:base B:branch\n"
		   " up to\n"
		   "     0   0.000\n");
}

/* More moments than lines are joined; lines are as many as the screen has. */
TEST(moments_are_joined_to_fit_the_screen)
{
	const struct terminal low = {.width = 40, .height = 5};
	struct doc doc;
	struct doc_drawing *drawing = begin_over_time(&doc, "CPI");

	for (unsigned i = 0; i < 17; i++)
		add_moment(drawing, 10, i < 3 ? 20 : 10, 0);
	is_printed(&doc, &low,
		   "CPI: 17 intervals, 3 a line; a full bar\n"
		   "  is 2.000, the last line is a shorter\n"
		   "  time\n"
		   "=:base B:branch\n"
		   " up to\n"
		   "    30   2.000 =========================\n"
		   "    60   1.000 =============\n"
		   "    90   1.000 =============\n"
		   "   120   1.000 =============\n"
		   "   150   1.000 =============\n"
		   "   170   1.000 =============\n");
}

static json_t *numbers(const double *values, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_real(values[i]));
	return list;
}

static struct doc_drawing *begin_plot(struct doc *doc, const double *values, size_t count)
{
	json_t *list = numbers(values, count);

	doc_init(doc, "made-up");
	struct doc_drawing *drawing = doc_drawing(doc, DOC_PLOT, "a plot", "a description");
	struct doc_panel *panel = doc_panel(drawing, 10, 100, 1, 4);
	struct doc_series *series = doc_plot_series(drawing, panel, list);
	series->name = series->curve = "used";
	series->curve_unit = 2;
	json_decref(list);
	return drawing;
}

/* A digit for each value, in units; what is below a half is a point, and what is too large a 9. */
TEST(curves_are_digits)
{
	static const double values[] = {0, 0.9, 1, 3, 17, 1e9, -5, 2e15}, xs[] = {1, 2, 3};
	struct doc doc;
	struct doc_drawing *drawing = begin_plot(&doc, values, ARRAY_COUNT(values));

	drawing->shown = "mean";
	drawing->x_title = "cycles";
	drawing->first = -3;
	drawing->panels[0].series[0].values[7] = NAN;
	is_printed(&doc, &wide,
		   "mean; cycles -3 to 4, 1 to a digit, . is below a half\n"
		   "used         ..1299..\n");
	/* Without names; fewer places than values are none. */
	json_t *list = numbers(xs, 3);
	drawing = begin_plot(&doc, values, ARRAY_COUNT(values));
	drawing->xs = doc_numbers(&doc, list, 3);
	drawing->x_count = 3;
	is_printed(&doc, &wide,
		   "0 to 7, 1 to a digit, . is below a half\n"
		   "used         ..1299..\n");
	/* Places of their own, and a narrow screen, where a digit is the mean of two. */
	drawing = begin_plot(&doc, (const double[]){2, 6, 4, 4, 0, 0, 18, 18, 2, 2, 20}, 11);
	json_decref(list);
	list = numbers((const double[]){5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 30}, 11);
	drawing->xs = doc_numbers(&doc, list, 11);
	drawing->x_count = 11;
	drawing->panels[0].series[0].curve = "a name that is too long";
	is_printed(&doc, &(struct terminal){.width = 20, .height = 24},
		   "5 to 30, 2 to a\n"
		   "  digit, . is below\n"
		   "  a half\n"
		   "a name tha 22.919\n");
	json_decref(list);
	/* A plot that has no curves is for pages. */
	drawing = begin_plot(&doc, values, ARRAY_COUNT(values));
	drawing->panels[0].series[0].curve = NULL;
	is_printed(&doc, &wide, "");
}

static struct doc_drawing *begin_bars(struct doc *doc, const double *values)
{
	static const double xs[] = {1, 2, 4};
	struct doc_drawing *drawing = begin_plot(doc, values, 3);
	json_t *list = numbers(xs, 3), *others = numbers((const double[]){0, 8, 0}, 3);
	struct doc_series *series =
		doc_plot_series(drawing, &drawing->panels[0], values[0] > 0 ? others : list);

	series->name = "other";
	if (!(values[0] > 0))
		memset(series->values, 0, 3 * sizeof(double));
	drawing->has_bars = true;
	drawing->xs = doc_numbers(doc, list, 3);
	drawing->x_count = 3;
	json_decref(list);
	json_decref(others);
	return drawing;
}

TEST(bars_have_one_scale)
{
	static const double values[] = {4, 2, 16}, none[] = {0, 0, 0};
	const struct terminal narrow = {.width = 26, .height = 24};
	struct doc doc;
	struct doc_drawing *drawing = begin_bars(&doc, values);

	drawing->shown = "cycles";
	drawing->x_name = "size";
	is_printed(&doc, &narrow,
		   "cycles; # is 2.0\n"
		   "  size  used      other\n"
		   "     1  ##\n"
		   "     2  #         ####\n"
		   "     4  ########\n");
	/* Without names, and without room for more than a column each. */
	begin_bars(&doc, values);
	is_printed(&doc, &(struct terminal){.width = 10, .height = 24},
		   "# is 16\n"
		   "        u  o\n"
		   "     1\n"
		   "     2     #\n"
		   "     4  #\n");
	begin_bars(&doc, none);
	is_printed(&doc, &narrow, "");
}

/* What is below a hundredth of the whole is left out; deep places are indented to a quarter. */
TEST(a_flame_has_its_larger_places)
{
	const struct terminal narrow = {.width = 40, .height = 24};
	struct doc_colour base = doc_component_named("base");
	struct doc doc;

	doc_init(&doc, "made-up");
	doc_flame(&doc, "flame", "no places", "cycles");
	is_printed(&doc, &narrow, "");
	doc_init(&doc, "made-up");
	doc_node(doc_flame(&doc, "flame", "no time", "cycles"), 0, "main", 0, base);
	is_printed(&doc, &narrow, "");
	doc_init(&doc, "made-up");
	struct doc_flame *flame = doc_flame(&doc, "flame", "places", "cycles");
	doc_node(flame, 0, "main", 1000, base);
	doc_node(flame, 1, "seldom", 9, base);
	doc_node(flame, 1, "often", 500, base);
	for (unsigned i = 2; i < 8; i++)
		doc_node(flame, i, "deep", 500 - i, base);
	is_printed(&doc, &narrow,
		   "main                  100.0% ===========\n"
		   "  often                50.0% ======\n"
		   "    deep               49.8% =====\n"
		   "      deep             49.7% =====\n"
		   "        deep           49.6% =====\n"
		   "          deep         49.5% =====\n"
		   "          deep         49.4% =====\n"
		   "          deep         49.3% =====\n");
}

/* Retirement is an R, stages their letter; what a letter cannot be is a question mark. */
TEST(a_pipeline_is_cut_into_parts)
{
	const struct terminal narrow = {.width = 30, .height = 24};
	struct doc doc;

	doc_init(&doc, "made-up");
	struct doc_pipeline *pipeline = doc_pipeline(&doc, "pipeline", 100, 130);
	const unsigned fetch = doc_stage(pipeline, "fetch"), odd = doc_stage(pipeline, "\xc3\xb6");

	assert_int_equal(doc_stage(pipeline, "fetch"), fetch);
	struct doc_lane *lane = doc_lane(pipeline, "lost");
	lane->is_loss = true;
	doc_span(lane, 103, 104, fetch);
	doc_span(lane, 118, 121, odd);
	lane = doc_lane(pipeline, "add");
	doc_span(lane, 98, 103, fetch);
	doc_span(lane, 103, 105, odd);
	lane->has_end = true;
	lane->end = 106;
	lane = doc_lane(pipeline, "mul");
	lane->is_pale = true;
	doc_span(lane, 117, 122, fetch);
	lane->has_end = true;
	lane->end = 131;
	/* Behind all that is shown. */
	lane = doc_lane(pipeline, "next");
	doc_span(lane, 140, 150, fetch);
	is_printed(&doc, &narrow,
		   "cycle      100       110\n"
		   "add        FFF?? R\n"
		   "mul                         ff\n"
		   "lost          f              ?\n"
		   "lost: 103 fetch, 118 ?\n"
		   "cycle      119\n"
		   "mul        fff\n"
		   "lost       ??\n"
		   "lost: 119-120 ?\n");
}
