/* What each paper's tables, figures and claims are made of, from hand-made measurements in which
 * every number tells the program, technique and member it belongs to. */
#include "dump.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chen2008),
		cmocka_unit_test(danalis2017),
		cmocka_unit_test(eyerman2006),
		cmocka_unit_test(hough2006),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
