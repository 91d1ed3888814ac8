/* The layouts of results: what they accept, and that their own rows are complete. */
#include "../test.h"
#include "../report/sample.h"

#include "value/layout.h"
#include "value/unit.h"

TEST(every_layout_is_found_by_its_schema)
{
	for (size_t i = 0; layouts[i]; i++) {
		json_t *result = json_pack("{s:s}", "schema", layouts[i]->schema);
		struct err err;

		assert_ptr_equal(layout_of(result, &err), layouts[i]);
		json_decref(result);
	}
}

TEST(an_unknown_schema_is_an_error)
{
	json_t *result = json_pack("{s:s}", "schema", "cyclestack-\033[31m");
	struct err err;

	assert_null(layout_of(result, &err));
	assert_string_equal(err.text, "the schema \"cyclestack-?[31m\" is not known");
	json_decref(result);
	assert_null(layout_of(NULL, &err));
	assert_string_equal(err.text, "\"schema\" is missing");
}

/* Names are unique within a layout, and every member has a meaning. */
static void check_rows(const struct layout *layout)
{
	for (const struct layout_member *m = layout->members; m->name; m++) {
		assert_ptr_equal(layout_member(layout, m->name), m);
		assert_true(*m->meaning);
		assert_true(!*m->unit || unit_find(m->unit));
		assert_int_equal(m->kind == LAYOUT_OBJECT, m->of != NULL);
		if (m->of)
			check_rows(m->of);
	}
}

TEST(every_row_says_what_it_is)
{
	for (size_t i = 0; layouts[i]; i++)
		check_rows(layouts[i]);
}

TEST(a_sample_has_its_layout)
{
	json_t *result = sample_result(1, 1000, 3, 9);
	struct err err = {.text = ""};

	assert_true(layout_check(result, &layout_run, &err));
	json_decref(result);
}

/* Changes one member of a sample and compares the error sentence; takes ownership of `value`. */
static void is_told(const char *path, json_t *value, const char *wanted)
{
	json_t *result = sample_result(1, 1000, 2, 9), *at = result;
	char copy[128], *rest = NULL, *name, *next;
	struct err err;

	snprintf(copy, sizeof(copy), "%s", path);
	name = strtok_r(copy, "/", &rest);
	while ((next = strtok_r(NULL, "/", &rest))) {
		at = json_is_array(at) ? json_array_get(at, (size_t)atoi(name))
				       : json_object_get(at, name);
		assert_non_null(at);
		name = next;
	}
	if (!value)
		assert_int_equal(json_object_del(at, name), 0);
	else if (json_is_array(at))
		json_array_set_new(at, (size_t)atoi(name), value);
	else
		json_object_set_new(at, name, value);
	assert_false(layout_check(result, &layout_run, &err));
	assert_string_equal(err.text, wanted);
	json_decref(result);
}

TEST(the_sentence_has_the_path)
{
	is_told("schema", NULL, "schema is missing");
	is_told("schema", json_string("x\n"), "schema is \"x?\", not \"cyclestack-run-2\"");
	is_told("program", NULL, "program is missing");
	is_told("program", json_array(), "program is not an object");
	is_told("program/name", json_integer(7), "program.name is not text");
	is_told("program/arguments/1", json_null(), "program.arguments[1] is not text");
	is_told("partial", json_integer(0), "partial is not true or false");
	is_told("status", json_real(0.5), "status is not a whole number");
	is_told("skipped_instructions", json_integer(-1), "skipped_instructions is negative");
	is_told("skipped_instructions", json_integer(LAYOUT_MOST + 1),
		"skipped_instructions is too large");
	is_told("values/cycles", NULL, "values.cycles is missing");
	is_told("values/l1d.misses", json_string("7"), "values.l1d.misses is not a number");
	is_told("values/l1d.misses", json_real(-0.5), "values.l1d.misses is negative");
	is_told("values/new\n", json_object(), "values.new? is not a number");
	is_told("stacks/fmt", json_null(), "stacks.fmt is not an object");
	is_told("stacks/fmt/bits", json_string("many"),
		"stacks.fmt.bits is not a whole number or null");
	is_told("stacks/fmt/components/l9d", json_integer(0),
		"stacks.fmt.components.l9d is no component");
	is_told("stacks/fmt/components/l2d", json_real(1),
		"stacks.fmt.components.l2d is not a whole number");
	is_told("stacks/fmt/components/base", json_integer(INT64_MIN),
		"stacks.fmt.components.base is too large");
	is_told("stages/commit/base", json_true(), "stages.commit.base is not a whole number");
	is_told("topdown/level1/retiring", json_integer(-1), "topdown.level1.retiring is negative");
	is_told("exact/functions", json_object(), "exact.functions is not a list");
	is_told("exact/functions/3", json_null(), "exact.functions[3] is not an object");
	is_told("exact/functions/3/lines/0/slots/luck", json_integer(1),
		"exact.functions[3].lines[0].slots.luck is no cause");
	is_told("exact/functions/3/lines/0/slots/base", json_integer(-1),
		"exact.functions[3].lines[0].slots.base is negative");
}

TEST(a_value_that_is_no_object_has_no_layout)
{
	json_t *list = json_array();
	struct err err;

	for (size_t i = 0; layouts[i]; i++) {
		assert_false(layout_check(list, layouts[i], &err));
		assert_string_equal(err.text, "the result is not an object");
		assert_false(layout_check(NULL, layouts[i], &err));
	}
	json_decref(list);
}

TEST(optional_negative_and_new_members_are_accepted)
{
	static const char *const options[] = {"stacks", "topdown", "stages", "exact", "annotation"};
	json_t *result = sample_result(1, 1000, 2, 9);
	json_t *naive = json_object_get(json_object_get(result, "stacks"), "naive");
	struct err err = {.text = ""};

	json_object_set_new(json_object_get(naive, "components"), "base", json_integer(-5));
	json_object_set_new(result, "of a later version", json_array());
	assert_true(layout_check(result, &layout_run, &err));
	for (size_t i = 0; i < ARRAY_COUNT(options); i++)
		assert_int_equal(json_object_del(result, options[i]), 0);
	assert_true(layout_check(result, &layout_run, &err));
	json_decref(result);
}
