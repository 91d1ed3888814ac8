/* The list of the tests of a program, and the main of programs that have none of their own. */
#include "test.h"

static struct test_row *first;
static struct {
	CMFixtureFunction setup, teardown;
} group;

/* Constructors of a file are called in any order. */
void test_list(struct test_row *test)
{
	struct test_row **at = &first;

	while (*at && (*at)->order < test->order)
		at = &(*at)->next;
	test->next = *at;
	*at = test;
}

void test_group(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	group.setup = setup;
	group.teardown = teardown;
}

struct CMUnitTest *test_all(size_t *count)
{
	struct CMUnitTest *tests = NULL;

	*count = 0;
	for (const struct test_row *test = first; test; test = test->next) {
		tests = realloc(tests, (*count + 1) * sizeof(*tests));
		if (!tests)
			abort();
		tests[(*count)++] = test->unit;
	}
	return tests;
}

int test_run(void)
{
	size_t count;
	struct CMUnitTest *tests = test_all(&count);
	int failed = _cmocka_run_group_tests("tests", tests, count, group.setup, group.teardown);

	free(tests);
	return failed;
}

__attribute__((weak)) int main(void)
{
	return test_run();
}
