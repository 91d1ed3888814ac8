/*
 * test.h - what every unit test begins with: cmocka with the headers that it wants, and tests that
 * list themselves. TEST(name) { ... } is a test; tests run in the order of their definition, under
 * the main of main.c. A program that needs a main of its own calls test_run() in it.
 *
 * Invariant: one file of a program has tests, since their order is that within a file.
 */
#ifndef TESTS_UNIT_TEST_H
#define TESTS_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

struct test_row {
	struct CMUnitTest unit;
	int order;
	struct test_row *next;
};

/* A test between a set-up and a tear-down of its own, which share *test_state with it. */
#define TEST_WITH(test_name, setup, teardown)                                   \
	static void test_name(void **test_state);                               \
                                                                                \
	__attribute__((constructor)) static void test_name##_is_listed(void)    \
	{                                                                       \
		static struct test_row test_row_ = {                            \
			.unit = {#test_name, test_name, setup, teardown, NULL}, \
			.order = __COUNTER__,                                   \
		};                                                              \
                                                                                \
		test_list(&test_row_);                                          \
	}                                                                       \
                                                                                \
	static void test_name(void **test_state __attribute__((unused)))

#define TEST(name) TEST_WITH(name, NULL, NULL)

/* Once before all tests of the program, and once after them; either may be NULL. */
#define TEST_GROUP(setup, teardown)                                    \
	__attribute__((constructor)) static void group_is_listed(void) \
	{                                                              \
		test_group(setup, teardown);                           \
	}

/* The test must stay: it is linked into the list. */
void test_list(struct test_row *test);
void test_group(CMFixtureFunction setup, CMFixtureFunction teardown);

/* All tests of the program, in order. The caller frees them. */
struct CMUnitTest *test_all(size_t *count);

/* Runs them; the number of those that failed. */
int test_run(void);

#endif
