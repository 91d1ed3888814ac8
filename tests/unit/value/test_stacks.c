/* Reading a result: what stacks_read guarantees, and what it does with a result from any
 * source. */
#include "../test.h"
#include "../report/sample.h"

#include "report/file/callgrind.h"
#include "report/file/folded.h"
#include "value/stacks.h"

TEST(slots_add_up_from_lines_to_the_run)
{
	for (unsigned levels = 1; levels <= 3; levels++)
		for (uint64_t seed = 1; seed <= 20; seed++) {
			json_t *result = sample_result(seed, 1000, levels, 5 + seed);
			struct stacks_slots functions = {0};
			struct stacks p;
			struct err err;

			assert_true(stacks_read(&p, result, &err));
			assert_int_equal(p.levels, levels);
			assert_int_equal(p.slots.total, sample_total(result));
			assert_int_equal(p.slots.total, p.cycles * p.slots_per_cycle);
			for (size_t i = 0; i < p.function_count; i++) {
				struct stacks_slots lines = {0};

				for (size_t k = 0; k < p.functions[i].line_count; k++)
					stacks_slots_add(&lines, &p.functions[i].lines[k].slots);
				assert_memory_equal(&lines, &p.functions[i].slots, sizeof(lines));
				stacks_slots_add(&functions, &p.functions[i].slots);
			}
			assert_memory_equal(&functions, &p.slots, sizeof(functions));
			struct stack stack = stacks_of_slots(&p, &p.slots);
			assert_int_equal(stack_sum(&stack), p.slots.total);
			stacks_release(&p);
			json_decref(result);
		}
}

/* Each stage's stack is that of the result, component by component. */
TEST(stages_are_those_of_the_result)
{
	for (unsigned levels = 1; levels <= 3; levels++) {
		json_t *result = sample_result(levels, 1000, levels, 9);
		json_t *stages = json_object_get(result, "stages");
		struct stacks p;
		struct err err;

		assert_true(stacks_read(&p, result, &err));
		assert_int_equal(p.stage_count, json_object_size(stages));
		assert_true(p.stage_count > 0);
		for (size_t i = 0; i < p.stage_count; i++)
			for (enum component c = COMPONENT_BASE; c < COMPONENT_COUNT; c++) {
				json_t *stage = json_object_get(stages, p.stages[i].name);
				json_t *value = json_object_get(stage, component_rows[c].name);

				assert_int_equal(p.stages[i].has[c], value != NULL);
				assert_int_equal(p.stages[i].stack.cycles[c],
						 json_integer_value(value));
			}
		stacks_release(&p);
		json_decref(result);
	}
}

static json_t *at(json_t *root, const char *a, const char *b)
{
	json_t *found = json_object_get(root, a);

	return b ? json_object_get(found, b) : found;
}

/* A result may leave out what is nothing: one side of a level says that the level is there. */
TEST(one_side_of_a_level_is_enough)
{
	static const struct {
		const char *left_out;
		unsigned levels, wanted;
	} rows[] = {{"l3i", 3, 3}, {"l3d", 3, 3}, {"l2i", 2, 2}, {"l2d", 2, 2}, {"l1d", 1, 1}};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		json_t *result = sample_result(i + 1, 1000, rows[i].levels, 9);
		struct stacks p;
		struct err err;

		assert_int_equal(
			json_object_del(at(at(result, "stacks", "exact"), "components", NULL),
					rows[i].left_out),
			0);
		assert_true(stacks_read(&p, result, &err));
		assert_int_equal(p.levels, rows[i].wanted);
		stacks_release(&p);
		json_decref(result);
	}
}

TEST(slots_left_out_of_the_lists_are_added)
{
	json_t *result = sample_result(3, 1000, 2, 12);
	json_t *functions = at(result, "exact", "functions");
	struct stacks p;
	struct err err;
	int64_t sum = 0;

	json_array_remove(functions, 0);
	json_array_clear(at(json_array_get(functions, 0), "lines", NULL));
	assert_true(stacks_read(&p, result, &err));
	assert_int_equal(p.function_count, 12);
	assert_string_equal(p.functions[11].name, "(other)");
	assert_true(p.functions[11].slots.total > 0);
	assert_int_equal(p.functions[0].line_count, 1);
	assert_int_equal(p.functions[0].lines[0].line, 0);
	for (size_t i = 0; i < p.function_count; i++)
		for (size_t k = 0; k < p.functions[i].line_count; k++)
			sum += p.functions[i].lines[k].slots.total;
	assert_int_equal(sum, p.slots.total);
	stacks_release(&p);
	json_decref(result);
}

static void is_refused(json_t *result, const char *wanted)
{
	struct stacks p;
	struct err err;

	assert_false(stacks_read(&p, result, &err));
	assert_string_equal(err.text, wanted);
	json_decref(result);
}

/* A call that was inlined into the first function, with this much of its slots of the cause base.
 */
static void add_inlined(json_t *result, const char *name, json_int_t depth, json_int_t base)
{
	json_t *first = json_array_get(at(result, "exact", "functions"), 0);

	if (!json_object_get(first, "inlined"))
		json_object_set_new(first, "inlined", json_array());
	json_object_set_new(first, "executed", json_integer(1000));
	json_array_clear(at(first, "lines", NULL));
	json_object_set_new(at(result, "exact", "causes"), "base", json_integer(1000000));
	json_object_set_new(at(first, "slots", NULL), "base", json_integer(100));
	json_array_append_new(at(first, "inlined", NULL),
			      json_pack("{s:s, s:I, s:I, s:{s:I}}", "function", name, "depth",
					depth, "executed", 10 * base, "slots", "base", base));
}

TEST(an_inlined_call_has_what_was_inlined_into_it)
{
	static const struct {
		const char *name;
		unsigned depth;
		int64_t own, all;
	} calls[] = {
		{"a", 1, 1, 15}, {"b", 2, 2, 6}, {"c", 3, 4, 4}, {"d", 2, 8, 8}, {"e", 1, 16, 16}};
	json_t *result = sample_result(1, 100, 2, 6);
	struct stacks p;
	struct err err;

	for (size_t i = 0; i < ARRAY_COUNT(calls); i++)
		add_inlined(result, calls[i].name, calls[i].depth, calls[i].own);
	if (!stacks_read(&p, result, &err))
		fail_msg("%s", err.text);
	assert_int_equal(p.functions[0].inlined_count, ARRAY_COUNT(calls));
	for (size_t i = 0; i < ARRAY_COUNT(calls); i++) {
		const struct stacks_inlined *call = &p.functions[0].inlined[i];

		assert_string_equal(call->function, calls[i].name);
		assert_int_equal(call->depth, calls[i].depth);
		assert_int_equal(call->slots.total, calls[i].all);
		assert_int_equal(call->executed, 10 * calls[i].all);
	}
	stacks_release(&p);
	json_decref(result);
}

TEST(inlined_calls_are_a_tree_within_their_function)
{
	json_t *r = sample_result(1, 100, 2, 6);

	add_inlined(r, "a", 2, 1);
	is_refused(r, "exact.functions[0]: inlined[0].depth is not 1 to 1");
	r = sample_result(1, 100, 2, 6);
	add_inlined(r, "a", 0, 1);
	is_refused(r, "exact.functions[0]: inlined[0].depth is not 1 to 1");
	r = sample_result(1, 100, 2, 6);
	for (int i = 1; i <= STACKS_INLINED_MOST + 1; i++)
		add_inlined(r, "a", i, 1);
	is_refused(r, "exact.functions[0]: inlined[64].depth is not 1 to 64");
	r = sample_result(1, 100, 2, 6);
	add_inlined(r, "a", 1, 60);
	add_inlined(r, "a", 2, 41);
	is_refused(r,
		   "exact.functions[0]: inlined[1]: with these slots there are more of cause base "
		   "than the function has");
	r = sample_result(1, 100, 2, 6);
	add_inlined(r, "a", 1, 60);
	json_object_set_new(json_array_get(at(r, "exact", "functions"), 0), "executed",
			    json_integer(599));
	is_refused(r, "exact.functions[0]: inlined[0]: more is executed than of the function");
}

TEST(the_sentence_names_the_member)
{
	json_t *r;

	is_refused(json_array(), "\"schema\" is missing");
	is_refused(json_pack("{s:s}", "schema", "cyclestack-run-1\n"),
		   "the schema is \"cyclestack-run-1?\"; only \"cyclestack-run-2\" says where the "
		   "cycles went");
	r = sample_result(1, 100, 2, 6);
	json_object_del(at(r, "stacks", NULL), "exact");
	is_refused(r, "stacks.exact is missing");
	r = sample_result(1, 100, 2, 6);
	json_object_set_new(at(at(r, "stacks", "exact"), "components", NULL), "l9d",
			    json_integer(1));
	is_refused(r, "stacks.exact.components.l9d is no component");
	r = sample_result(1, 100, 2, 6);
	json_object_set_new(at(r, "exact", "causes"), "luck", json_integer(1));
	is_refused(r, "exact.causes.luck is no cause");
	r = sample_result(1, 100, 2, 6);
	json_object_set_new(at(r, "exact", NULL), "slots_per_cycle", json_integer(0));
	is_refused(r, "exact.slots_per_cycle is not 1 to 1024");
	r = sample_result(1, 100, 2, 6);
	json_object_del(json_array_get(at(r, "exact", "functions"), 2), "name");
	is_refused(r, "exact.functions[2].name is missing");
	r = sample_result(1, 100, 2, 6);
	json_object_set_new(at(json_array_get(at(r, "exact", "functions"), 0), "slots", NULL),
			    "base", json_integer(-1));
	is_refused(r, "exact.functions[0].slots.base is negative");
	r = sample_result(1, 100, 2, 6);
	json_object_set_new(at(json_array_get(at(r, "exact", "functions"), 0), "slots", NULL),
			    "store", json_integer(1000000));
	is_refused(r, "exact.functions[0]: with these slots there are more of cause store than the "
		      "run has");
	r = sample_result(1, 100, 2, 6);
	json_object_set_new(at(r, "exact", "causes"), "base", json_integer(INT64_MAX));
	is_refused(r, "exact.causes.base is too large");
}

static FILE *nowhere(void)
{
	FILE *out = fopen("/dev/null", "w");

	assert_non_null(out);
	return out;
}

/* Writes all reports of a JSON value that may be anything: no crash, and files only if it can be
 * read. */
static void report_all(const json_t *result)
{
	struct stacks p;
	struct err err = {.text = ""};
	FILE *out = nowhere();
	bool ok = stacks_read(&p, result, &err);

	if (ok)
		stacks_release(&p);
	else
		assert_true(strlen(err.text) > 5 && !strchr(err.text, '\n'));
	assert_int_equal(folded_write(out, result, &err), ok);
	assert_int_equal(callgrind_write(out, result, &err), ok);
	fclose(out);
}

static json_t *substitute(unsigned which)
{
	switch (which) {
	case 0: return json_null();
	case 1: return json_string("\033[2J%s\n");
	case 2: return json_integer(-1);
	case 3: return json_integer(INT64_MAX);
	case 4: return json_integer(INT64_MIN);
	case 5: return json_real(1e300);
	case 6: return json_array();
	case 7: return json_object();
	case 8: return json_pack("[[], {}, 1]");
	case 9: return json_integer(0);
	default: return NULL;
	}
}

#define SUBSTITUTES 11 /* the last one removes the member */

/* Puts each substitute in the place of each member below `node`, and reports on `root`. */
static unsigned mutate(json_t *root, json_t *node)
{
	unsigned count = 0;

	if (json_is_object(node)) {
		json_t *keys = json_array();
		const char *key;
		json_t *value;

		json_object_foreach(node, key, value) json_array_append_new(keys, json_string(key));
		for (size_t i = 0; i < json_array_size(keys); i++) {
			key = json_string_value(json_array_get(keys, i));
			value = json_incref(json_object_get(node, key));
			for (unsigned k = 0; k < SUBSTITUTES; k++, count++) {
				if (k == SUBSTITUTES - 1)
					json_object_del(node, key);
				else
					json_object_set_new(node, key, substitute(k));
				report_all(root);
			}
			json_object_set(node, key, value);
			count += mutate(root, value);
			json_decref(value);
		}
		json_decref(keys);
	}
	/* One item of each list is enough, because the others are alike. */
	if (json_is_array(node) && json_array_size(node)) {
		json_t *value = json_incref(json_array_get(node, 0));

		for (unsigned k = 0; k < SUBSTITUTES - 1; k++, count++) {
			json_array_set_new(node, 0, substitute(k));
			report_all(root);
		}
		json_array_set(node, 0, value);
		count += mutate(root, value);
		json_decref(value);
	}
	return count;
}

TEST(no_member_can_crash_a_report)
{
	json_t *result = sample_result(9, 100, 3, 5);

	report_all(result);
	assert_true(mutate(result, result) > 1000);
	json_decref(result);
}

/* A run that was stopped before its first cycle. */
TEST(a_run_of_no_cycles_can_be_shown)
{
	json_t *result = json_pack(
		"{s:s, s:{s:s, s:s}, s:{s:s, s:s}, s:i, s:b, s:i, s:{s:i, s:i}, s:{s:{s:{s:i}}}, "
		"s:{s:i, s:{}, s:[]}}",
		"schema", "cyclestack-run-2", "program", "name", "none", "sha256", "00",
		"configuration", "name", "none", "sha256", "00", "skipped_instructions", 0,
		"partial", 1, "status", 124, "values", "cycles", 0, "instructions", 0, "stacks",
		"exact", "components", "base", 0, "exact", "slots_per_cycle", 4, "causes",
		"functions");
	struct stacks p;
	struct err err = {.text = ""};

	assert_non_null(result);
	assert_true(stacks_read(&p, result, &err));
	stacks_release(&p);
	report_all(result);
	json_decref(result);
}

TEST(files_are_listed_once_in_order)
{
	struct stacks_line lines[12];
	struct stacks_function functions[] = {
		{.file = "m.c", .lines = lines, .line_count = 12}, {.file = "a.c"}, {.file = ""}};
	const struct stacks p = {.functions = functions, .function_count = 3};
	char names[12][8];
	size_t count;

	for (int i = 0; i < 12; i++) {
		snprintf(names[i], sizeof(names[i]), "%c.c", 'z' - i % 6);
		lines[i] = (struct stacks_line){.file = names[i]};
	}
	const char **files = stacks_files(&p, &count);
	assert_int_equal(count, 9);
	static const char *const wanted[] = {"",    "a.c", "m.c", "u.c", "v.c",
					     "w.c", "x.c", "y.c", "z.c"};
	for (size_t i = 0; i < count; i++)
		assert_string_equal(files[i], wanted[i]);
	free(files);
	files = stacks_files(&(struct stacks){0}, &count);
	assert_int_equal(count, 0);
	free(files);
}
