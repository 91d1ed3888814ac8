/* What each paper's tables, figures and claims are made of, from hand-made measurements in which
 * every number tells the program, technique and member it belongs to. */
#include "dump.h"

#include "report/papers/inspect_figures.h"
#include "report/papers/paper_chen2008.h"
#include "report/papers/paper_danalis2017.h"
#include "report/papers/paper_eyerman2006.h"
#include "report/papers/paper_hough2006.h"

#define DATA "tests/unit/report/papers/data/"

static void is_made_of_its_measurements(const struct paper *paper, const char *measured_path,
					const char *expected)
{
	json_t *measured = expected_json(measured_path);
	struct config config;
	struct err err = {""};

	if (!config_load_preset(&config, paper->machine, "configs", &err))
		fail_msg("%s", err.text);
	json_t *result = paper_result(paper, "test", &config, measured, false);
	if (!paper_check_result(paper, result, &err))
		fail_msg("%s: %s", measured_path, err.text);
	char *text = dump_paper(paper, result);
	expected_text(expected, text);
	free(text);
	json_decref(result);
	json_decref(measured);
}

static void chen2008(void **state)
{
	(void)state;
	is_made_of_its_measurements(&paper_chen2008, DATA "chen2008.json", DATA "chen2008.txt");
}

static void danalis2017(void **state)
{
	(void)state;
	is_made_of_its_measurements(&paper_danalis2017, DATA "danalis2017.json",
				    DATA "danalis2017.txt");
}

static void eyerman2006(void **state)
{
	(void)state;
	is_made_of_its_measurements(&paper_eyerman2006, DATA "eyerman2006.json",
				    DATA "eyerman2006.txt");
}

static void hough2006(void **state)
{
	(void)state;
	is_made_of_its_measurements(&paper_hough2006, DATA "hough2006.json", DATA "hough2006.txt");
}

/* Figures of a result in which nothing was measured. */
static void without_measurements_figures_say_so(void **state)
{
	json_t *nothing = json_object();
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	for (size_t i = 0; papers[i]; i++) {
		fprintf(out, "== %s\n", papers[i]->name);
		dump_figures(out, papers[i]->figures, nothing);
		dump_figures(out, papers[i]->additions, nothing);
	}
	fclose(out);
	expected_text(DATA "nothing.txt", text);
	free(text);
	json_decref(nothing);
}

/* With one level of cache, with an event called cycles, with events that have no readings. */
static void figures_take_the_next_best_event(void **state)
{
	static const char *const paths[] = {DATA "inspect_one_level.json",
					    DATA "inspect_cycles.json", DATA "inspect_bare.json"};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		json_t *inspection = expected_json(paths[i]);

		fprintf(out, "== %s\n", paths[i]);
		for (const struct inspect_figure *f = inspect_figures; f->id; f++) {
			struct content content;

			fprintf(out, "%s %s\n", f->id, f->title);
			content_init(&content);
			f->build(&content, inspection);
			dump_content(out, &content);
			content_release(&content);
		}
		json_decref(inspection);
	}
	fclose(out);
	expected_text(DATA "inspect.txt", text);
	free(text);
}

/* Two rows are the fewest that grow; a machine that was not measured has the ratio 0. */
static void claims_of_hough2006_need_rows(void **state)
{
	static const struct {
		const char *storage, *ours;
	} rows[] = {
		{"[]", "nothing was measured"},
		{"[{\"n\": \"2\", \"ranges\": 1}]", "nothing was measured"},
		{"[{\"n\": \"2\", \"ranges\": 2, \"signals\": 4, \"counters\": 8, \"naive\": 16},"
		 " {\"n\": \"6\", \"ranges\": 3, \"signals\": 10, \"counters\": 16, \"naive\": 64}]",
		 "for N 3 times as large ours is at most 2.5 times, naive 4.0 times"},
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		json_t *result = json_pack("{s:{s:[{s:s, s:i, s:i}], s:o}}", "variations",
					   "programs", "name", "@hanoi:t", "back", 1, "through", 2,
					   "storage", json_loads(rows[i].storage, 0, NULL));
		json_t *claims = paper_claims(&paper_hough2006, result);

		assert_string_equal(
			json_string_value(json_object_get(json_array_get(claims, 0), "ours")),
			rows[i].ours);
		assert_int_equal(json_is_null(json_object_get(json_array_get(claims, 0), "holds")),
				 i < 2);
		assert_string_equal(
			json_string_value(json_object_get(json_array_get(claims, 2), "ours")),
			"hanoi 0.00, others up to 1.00");
		json_decref(claims);
		json_decref(result);
	}
}

/* A curve has room for 128 points: those that come first. */
static void a_curve_has_at_most_128_points(void **state)
{
	json_t *slopes = json_object();

	(void)state;
	for (unsigned i = 0; i < 130; i++) {
		char point[32];

		snprintf(point, sizeof(point), "branch_k:%u", 1000 - i);
		json_object_set_new(slopes, point, json_real(0.5 * i));
	}
	json_t *inspection = json_pack("{s:[{s:s, s:s, s:o}]}", "events", "name", "e", "verdict",
				       "conditional branches, retired", "slopes", slopes);
	struct content content;
	content_init(&content);
	inspect_figures[0].build(&content, inspection);
	const struct content_drawing *drawing = content_picture(&content);
	assert_int_equal(drawing->x_count, 128);
	const struct content_series *series = &drawing->panels[0].series[0];
	assert_int_equal(series->value_count, 128);
	for (unsigned i = 0; i < 128; i++)
		assert_true(series->values[i] == 0.5 * (127 - i));
	content_release(&content);
	json_decref(inspection);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(chen2008),
	cmocka_unit_test(danalis2017),
	cmocka_unit_test(eyerman2006),
	cmocka_unit_test(hough2006),
	cmocka_unit_test(without_measurements_figures_say_so),
	cmocka_unit_test(figures_take_the_next_best_event),
	cmocka_unit_test(claims_of_hough2006_need_rows),
	cmocka_unit_test(a_curve_has_at_most_128_points),
};

EXPECTED_MAIN(tests)
