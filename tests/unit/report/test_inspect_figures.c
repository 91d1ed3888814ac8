/* The figures of an inspection: which events they take, and how long a curve may be. */
#include "../test.h"
#include "../golden.h"

#include "doc/doc_text.h"
#include "report/inspect_figures.h"

#define DATA "tests/unit/report/data/"

static json_t *load(const char *path)
{
	json_error_t where;
	json_t *json = json_load_file(path, 0, &where);

	if (!json)
		fail_msg("%s: %s", path, where.text);
	return json;
}

/* With one level of cache, with an event called cycles, with events that have no readings. */
TEST(figures_take_the_next_best_event)
{
	static const char *const paths[] = {DATA "inspect_one_level.json",
					    DATA "inspect_cycles.json", DATA "inspect_bare.json"};
	const struct terminal terminal = {.width = 100, .height = 24};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < 3; i++) {
		json_t *inspection = load(paths[i]);
		struct doc doc;

		doc_init(&doc, "inspect");
		doc_heading(&doc, paths[i]);
		for (const struct inspect_figure *f = inspect_figures; f->id; f++) {
			doc_section(&doc, f->id, f->title);
			f->build(&doc, inspection);
			doc_end(&doc);
		}
		doc_text_write(out, &doc, &terminal);
		doc_release(&doc);
		json_decref(inspection);
	}
	fclose(out);
	golden_is(DATA "inspect_figures.txt", text, size);
	free(text);
}

/* A curve has room for 128 points: those that come first. */
TEST(a_curve_has_at_most_128_points)
{
	json_t *slopes = json_object();

	for (unsigned i = 0; i < 130; i++) {
		char point[32];

		snprintf(point, sizeof(point), "branch_k:%u", 1000 - i);
		json_object_set_new(slopes, point, json_real(0.5 * i));
	}
	json_t *inspection = json_pack("{s:[{s:s, s:s, s:o}]}", "events", "name", "e", "verdict",
				       "conditional branches, retired", "slopes", slopes);
	struct doc doc;
	doc_init(&doc, "inspect");
	inspect_figures[0].build(&doc, inspection);
	const struct doc_drawing *drawing = doc_picture(&doc.root);
	assert_int_equal(drawing->x_count, 128);
	const struct doc_series *series = &drawing->panels[0].series[0];
	assert_int_equal(series->value_count, 128);
	for (unsigned i = 0; i < 128; i++)
		assert_true(series->values[i] == 0.5 * (127 - i));
	doc_release(&doc);
	json_decref(inspection);
}
