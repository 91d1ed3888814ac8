/* The pages as a reader without scripts sees them, whole, from hand-made results; besides, what
 * they share: the head, the policy with its hashes, escaped text and data, numbers, and the names
 * that scripts are given. */
#include "../expected.h"

#include "report/file/kanata.h"
#include "report/page/html.h"
#include "report/page/inspect_page.h"
#include "report/page/judge_page.h"
#include "report/page/model_page.h"
#include "report/page/names.h"
#include "report/page/pipeview_page.h"
#include "report/page/run_page.h"
#include "report/page/stat_page.h"
#include "report/text/pipeview_text.h"

#define DATA "tests/unit/report/page/data/"

typedef bool page_writer(FILE *out, const json_t *result, struct err *err);

/* The page without what is the same in all of them: style, patterns, names, and the result that it
 * was made from. */
static char *without_assets(const char *page)
{
	static const char *const left_out[][2] = {
		{"'sha256-", "'"},
		{"<style>", "</style>"},
		{"<body>\n", "<main"},
		{"<script type=\"application/json\" id=\"names\">", "</script>"},
		{"<script type=\"application/json\" id=\"result\">", "</script>"},
		{"<script type=\"module\">", "</script>"},
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	while (*page) {
		fputc(*page++, out);
		for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++)
			if (strncmp(page, left_out[i][0], strlen(left_out[i][0])) == 0) {
				fputs(left_out[i][0], out);
				page = strstr(page + strlen(left_out[i][0]), left_out[i][1]);
				assert_non_null(page);
			}
	}
	fclose(out);
	return text;
}

static void expect_page(page_writer *write, const char *result_path, const char *expected)
{
	json_t *result = expected_json(result_path);
	char *page = NULL;
	size_t size;
	FILE *out = open_memstream(&page, &size);
	struct err err = {""};

	if (!write(out, result, &err))
		fail_msg("%s: %s", result_path, err.text);
	fclose(out);
	char *text = without_assets(page);
	expected_text(expected, text);
	free(text);
	free(page);
	json_decref(result);
}

static void pages_show_their_results(void **state)
{
	(void)state;
	expect_page(page_write, DATA "run.json", DATA "run.html.txt");
	expect_page(page_write, DATA "run_plain.json", DATA "run_plain.html.txt");
	expect_page(stat_page_write, DATA "stat.json", DATA "stat.html.txt");
	expect_page(stat_page_write, DATA "stat_one.json", DATA "stat_one.html.txt");
	expect_page(judge_page_write, DATA "judge.json", DATA "judge.html.txt");
	expect_page(judge_page_write, DATA "judge_one.json", DATA "judge_one.html.txt");
	expect_page(model_page_write, DATA "model.json", DATA "model.html.txt");
	expect_page(model_page_write, DATA "model_one.json", DATA "model_one.html.txt");
	expect_page(inspect_page_write, DATA "inspect.json", DATA "inspect.html.txt");
	expect_page(inspect_page_write, DATA "inspect_host.json", DATA "inspect_host.html.txt");
}

/* Results of another kind are refused, and a model needs a point. */
static void pages_check_their_results(void **state)
{
	static page_writer *const writers[] = {page_write, stat_page_write, judge_page_write,
					       model_page_write, inspect_page_write};
	json_t *other = json_pack("{s:s}", "schema", "cyclestack-else-1");
	json_t *model = expected_json(DATA "model_one.json");
	FILE *out = fopen("/dev/null", "w");
	struct err err = {""};

	(void)state;
	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
		assert_false(writers[i](out, other, &err));
		assert_non_null(strstr(err.text, "cyclestack-else-1"));
	}
	json_array_clear(json_object_get(model, "points"));
	assert_false(model_page_write(out, model, &err));
	assert_string_equal(err.text, "points is empty");
	json_decref(model);
	json_decref(other);
	fclose(out);
}

/* 43 points on the axis: 40 are drawn. */
static void a_drawing_has_at_most_40_points(void **state)
{
	json_t *model = expected_json(DATA "model_one.json");
	json_t *points = json_object_get(model, "points");
	char *page = NULL;
	size_t size, stacks = 0;
	FILE *out = open_memstream(&page, &size);
	struct err err = {""};

	(void)state;
	for (unsigned i = 0; i < 42; i++)
		json_array_append_new(points, json_deep_copy(json_array_get(points, 0)));
	assert_true(model_page_write(out, model, &err));
	fclose(out);
	for (const char *at = page; (at = strstr(at, ">model</text>")); at++)
		stacks++;
	assert_int_equal(stacks, 40);
	free(page);
	json_decref(model);
}

static void expect_pipeline(uint64_t from, uint64_t to, const char *expected)
{
	const struct pipeview_range range = {.from = from, .to = to};
	char *log = expected_read(DATA "pipeview.kanata"), *page = NULL;
	size_t size;
	FILE *out = open_memstream(&page, &size);
	struct kanata kanata;
	struct err err = {""};

	if (!kanata_read(&kanata, log, strlen(log), "log", &err) ||
	    !pipeview_page_write(out, &kanata, &range, &err))
		fail_msg("%s", err.text);
	fclose(out);
	char *text = without_assets(page);
	expected_text(expected, text);
	free(text);
	free(page);
	free(log);
	kanata_release(&kanata);
}

/* A cycle is 8 pixels wide from 300 on, a row 15 high. */
static void a_pipeline_is_to_scale(void **state)
{
	(void)state;
	expect_pipeline(100, 119, DATA "pipeview.html.txt");
	expect_pipeline(104, 109, DATA "pipeview_part.html.txt");
	/* The first ends where the range begins, the last begins where it ends. */
	expect_pipeline(105, 110, DATA "pipeview_edge.html.txt");
	/* None of them: there is no more of them than there are, either. */
	expect_pipeline(0, 1, DATA "pipeview_none.html.txt");
}

static char *written(void (*write)(FILE *, double, unsigned), double value, unsigned places)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	write(out, value, places);
	fclose(out);
	return text;
}

static void write_integer(FILE *out, double value, unsigned unused)
{
	(void)unused;
	html_integer(out, (json_int_t)value);
}

static void numbers_are_grouped_and_rounded(void **state)
{
	static const struct {
		double value;
		unsigned places;
		const char *wanted;
	} decimals[] = {
		{0, 0, "0"},
		{999, 0, "999"},
		{1000, 0, "1,000"},
		{-1234.5678, 2, "-1,234.57"},
		{0.005, 1, "0.0"},
		{-0.004, 2, "0.00"},
		{0.0625, 3, "0.063"},
		{1234567.0625, 4, "1,234,567.0625"},
		{9.99, 1, "10.0"},
		{8e18, 0, "8,000,000,000,000,000,000"},
		{1e19, 0, "9,000,000,000,000,000,000"},
		{-1e300, 1, "-9,000,000,000,000,000,000.0"},
		{9e17, 1, "900,000,000,000,000,000.0"},
		{8e17, 1, "800,000,000,000,000,000.0"},
		{-5e18, 3, "-5,000,000,000,000,000,000.000"},
	};
	static const struct {
		double value;
		const char *wanted;
	} integers[] = {
		{0, "0"},	   {12, "12"},	    {-12, "-12"},      {123, "123"},
		{-123, "-123"},	   {1234, "1,234"}, {-1234, "-1,234"}, {-123456, "-123,456"},
		{1e6, "1,000,000"}};

	(void)state;
	for (size_t i = 0; i < sizeof(decimals) / sizeof(decimals[0]); i++) {
		char *text = written(html_decimal, decimals[i].value, decimals[i].places);

		assert_string_equal(text, decimals[i].wanted);
		free(text);
	}
	for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++) {
		char *text = written(write_integer, integers[i].value, 0);

		assert_string_equal(text, integers[i].wanted);
		free(text);
	}
}

static void data_cannot_end_its_element(void **state)
{
	json_t *json = json_pack("{s:s, s:i}", "a", "</script>&\"'\303\266\001", "b", 7);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_true(html_json(out, "id-1", json));
	html_text(out, "a&b<c>d\"e'f");
	fclose(out);
	assert_string_equal(text,
			    "<script type=\"application/json\" id=\"id-1\">"
			    "{\"a\":\"\\u003c/script\\u003e\\u0026\\\"'\\u00F6\\u0001\",\"b\":7}"
			    "</script>\na&amp;b&lt;c&gt;d&quot;e&#39;f");
	free(text);
	json_decref(json);
	out = fopen("/dev/null", "w");
	assert_false(html_json(out, "x", NULL));
	fclose(out);
}

/* The hashes are those that `openssl dgst -sha256 -binary | base64` prints. */
static void the_policy_allows_these_scripts_alone(void **state)
{
	static const struct page_asset scripts[] = {{"alert(1)....", 8}, {"more..", 4}};
	static const char begin[] =
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"script-src 'sha256-RZagr/wF4dSKYBMqULFUw9wvFbCbYDUX99fhkGJfCEA='; style-src "
		"'sha256-";
	static const char middle[] =
		"'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<meta name=\"referrer\" content=\"no-referrer\">\n"
		"<link rel=\"icon\" href=\"data:,\">\n<title>A &amp; B</title>\n<style>";
	json_t *result = json_pack("{s:i}", "x", 1);
	char *page = NULL, *style = page_component_style();
	size_t size;
	FILE *out = open_memstream(&page, &size);
	struct err err = {""};

	(void)state;
	html_begin(out, "A & B", scripts, 2);
	assert_true(html_end(out, result, scripts, 2, &err));
	fclose(out);
	assert_memory_equal(page, begin, sizeof(begin) - 1);
	assert_memory_equal(page + sizeof(begin) - 1 + 44, middle, sizeof(middle) - 1);
	const char *at = page + sizeof(begin) - 1 + 44 + sizeof(middle) - 1;
	assert_memory_equal(at, style, strlen(style));
	at += strlen(style);
	assert_memory_equal(at, page_asset_style().bytes, page_asset_style().size);
	at += page_asset_style().size;
	assert_memory_equal(at, "</style>\n</head>\n<body>\n", 24);
	at += 24;
	assert_memory_equal(at, page_asset_patterns().bytes, page_asset_patterns().size);
	at += page_asset_patterns().size;
	static const char main_part[] =
		"<main id=\"page\">\n<noscript><p class=\"note\">With scripts allowed, this page also "
		"shows the rest of the result; it asks for nothing from any "
		"network.</p></noscript>\n</main>\n<script type=\"application/json\" id=\"names\">";
	assert_memory_equal(at, main_part, sizeof(main_part) - 1);
	assert_string_equal(strstr(at, "<script type=\"application/json\" id=\"result\">"),
			    "<script type=\"application/json\" id=\"result\">{\"x\":1}</script>\n"
			    "<script type=\"module\">alert(1)more</script>\n</body>\n</html>\n");
	free(page);
	free(style);
	json_decref(result);
}

/* A page that cannot be written, or whose result is no JSON, is an error. */
static void what_cannot_be_written_is_told(void **state)
{
	json_t *result = json_object();
	FILE *out = fopen("/dev/full", "w");
	struct err err = {""};

	(void)state;
	setvbuf(out, NULL, _IONBF, 0);
	assert_false(html_end(out, result, NULL, 0, &err));
	assert_non_null(strstr(err.text, "the page"));
	fclose(out);
	out = fopen("/dev/null", "w");
	assert_false(html_end(out, NULL, NULL, 0, &err));
	assert_string_equal(err.text, "the result cannot be written as JSON");
	fclose(out);
	json_decref(result);
}

static void scripts_are_given_the_names(void **state)
{
	json_t *names = page_names();
	char *text = NULL, *style = page_component_style();
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	json_dumpf(names, out, JSON_INDENT(1));
	json_decref(names);
	for (unsigned levels = 1; levels <= 3; levels++) {
		json_t *causes = page_causes(levels);

		fprintf(out, "\n%u levels ", levels);
		json_dumpf(causes, out, JSON_INDENT(1));
		json_decref(causes);
	}
	fprintf(out, "\n%s", style);
	fclose(out);
	expected_text(DATA "names.txt", text);
	free(style);
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(pages_show_their_results),
	cmocka_unit_test(pages_check_their_results),
	cmocka_unit_test(a_drawing_has_at_most_40_points),
	cmocka_unit_test(a_pipeline_is_to_scale),
	cmocka_unit_test(numbers_are_grouped_and_rounded),
	cmocka_unit_test(data_cannot_end_its_element),
	cmocka_unit_test(the_policy_allows_these_scripts_alone),
	cmocka_unit_test(what_cannot_be_written_is_told),
	cmocka_unit_test(scripts_are_given_the_names),
};

EXPECTED_MAIN(tests)
