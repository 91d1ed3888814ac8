/* The documentation of results contains everything in the tables, and every link has a target. */
#include "../sample.h"

#include "report/text/layout_text.h"
#include "value/layout.h"

static char *printed(void)
{
	FILE *out = tmpfile();

	assert_non_null(out);
	layout_text_print(out);
	return sample_read(out);
}

static void has(const char *text, const char *before, const char *name, const char *after)
{
	char wanted[256];

	snprintf(wanted, sizeof(wanted), "%s%s%s", before, name, after);
	if (!strstr(text, wanted))
		fail_msg("there is no \"%s\"", wanted);
}

/* The text has the layout's heading and, between it and the next, a row for every member. */
static void has_layout(const char *text, const struct layout *layout)
{
	char heading[128];

	snprintf(heading, sizeof(heading), "\n### %s\n",
		 layout->schema ? layout->schema : layout->name);
	const char *at = strstr(text, heading);
	assert_non_null(at);
	for (const struct layout_member *m = layout->members; m->name; m++) {
		const char *row = strstr(at, m->name), *next = strstr(at + 1, "\n### ");

		has(at, "| `", m->name, "` |");
		assert_non_null(row);
		assert_true(!next || row < next);
		if (m->of)
			has_layout(text, m->of);
	}
}

static void every_member_of_every_result_is_there(void **state)
{
	char *text = printed();

	(void)state;
	for (size_t i = 0; layouts[i]; i++)
		has_layout(text, layouts[i]);
	free(text);
}

static void every_component_and_cause_is_there(void **state)
{
	char *text = printed();
	const char *components = strstr(text, "\n## Components\n"),
		   *causes = strstr(text, "\n## Causes\n");

	(void)state;
	assert_true(components && causes);
	for (int i = 0; i < COMPONENT_COUNT; i++)
		has(components, "\n| ", component_rows[i].name, " | `");
	for (int i = 0; i < CAUSE_COUNT; i++)
		has(causes, "\n| ", cause_rows[i].name, " | ");
	free(text);
}

static void every_link_has_a_heading(void **state)
{
	char *text = printed();
	unsigned count = 0;

	(void)state;
	for (const char *link = strstr(text, "](#"); link; link = strstr(link + 1, "](#")) {
		char heading[128] = "## ";
		size_t length = strcspn(link + 3, ")");

		snprintf(heading + 3, sizeof(heading) - 3, "%.*s\n", (int)length, link + 3);
		bool is_there = strcasestr(text, heading);
		for (char *p = heading; (p = strchr(p, '-'));)
			*p = ' ';
		if (!is_there && !strcasestr(text, heading))
			fail_msg("nothing is called %s", heading);
		count++;
	}
	assert_true(count > 20);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_member_of_every_result_is_there),
		cmocka_unit_test(every_component_and_cause_is_there),
		cmocka_unit_test(every_link_has_a_heading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
