/* Reading who called whom: what calls_read guarantees, sums over functions and edges, and results
 * that cannot be. */
#include "../test.h"

#include "value/calls.h"

static struct stacks_slots run_of(int64_t base)
{
	return (struct stacks_slots){.causes = {[CAUSE_BASE] = base}, .total = base};
}

static void add(json_t *nodes, json_t *parent, const char *function, int calls, int base)
{
	json_array_append_new(nodes, json_pack("{s:o, s:s, s:s, s:i, s:i, s:{s:i}}", "parent",
					       parent, "function", function, "kind", "call",
					       "calls", calls, "executed", base, "slots",
					       cause_rows[CAUSE_BASE].name, base));
}

/* main calls f twice and g once; f calls itself and g. */
static json_t *made(void)
{
	json_t *nodes = json_array();

	add(nodes, json_null(), "(thread 1)", 0, 0);
	add(nodes, json_integer(0), "main", 1, 10);
	add(nodes, json_integer(1), "g", 1, 5);
	add(nodes, json_integer(1), "f", 2, 20);
	add(nodes, json_integer(3), "f", 3, 7);
	add(nodes, json_integer(4), "g", 4, 1);
	add(nodes, json_integer(3), "g", 6, 2);
	return json_pack("{s:{s:i, s:o}}", "calls", "nodes_most", 100, "nodes", nodes);
}

TEST(nodes_have_what_is_below_them_the_largest_first)
{
	static const size_t order[] = {0, 1, 3, 4, 5, 6, 2};
	static const int64_t all[] = {45, 45, 5, 30, 8, 1, 2};
	const struct stacks stacks = {.slots = run_of(45)};
	json_t *result = made();
	struct calls calls;
	struct err err;

	assert_true(calls_read(&calls, &stacks, result, &err));
	assert_int_equal(calls.count, 7);
	assert_true(calls_has_one_root(&calls));
	for (size_t i = 0; i < calls.count; i++) {
		assert_int_equal(calls.order[i], order[i]);
		assert_int_equal(calls.nodes[i].all.total, all[i]);
	}
	calls_release(&calls);
	json_decref(result);
}

TEST(a_recursion_counts_once)
{
	const struct stacks stacks = {.slots = run_of(45)};
	json_t *result = made();
	struct calls calls;
	struct err err;
	size_t count;

	assert_true(calls_read(&calls, &stacks, result, &err));
	struct calls_function *functions = calls_functions(&calls, &count);
	assert_int_equal(count, 3);
	assert_string_equal(functions[1].function, "f");
	assert_int_equal(functions[1].all.total, 30);
	assert_int_equal(functions[1].own.total, 27);
	assert_int_equal(functions[1].calls, 5);
	assert_string_equal(functions[2].function, "g");
	assert_int_equal(functions[2].all.total, 8);
	assert_int_equal(functions[2].calls, 11);
	free(functions);
	struct calls_edge *edges = calls_edges(&calls, &count);
	assert_int_equal(count, 4);
	for (size_t i = 0; i < count; i++) {
		const bool is_own = !strcmp(edges[i].caller, "f") && !strcmp(edges[i].callee, "f");
		const bool is_g = !strcmp(edges[i].caller, "f") && !strcmp(edges[i].callee, "g");

		if (is_own)
			assert_int_equal(edges[i].all.total, 8);
		if (is_g) {
			assert_int_equal(edges[i].calls, 10);
			assert_int_equal(edges[i].all.total, 3);
		}
	}
	free(edges);
	calls_release(&calls);
	json_decref(result);
}

TEST(a_long_path_is_cut_before_its_end)
{
	const struct stacks stacks = {.slots = run_of(1)};
	json_t *nodes = json_array(), *result;
	size_t path[CALLS_PATH_MOST + 1];
	struct calls calls;
	struct err err;

	for (int i = 0; i < 1000; i++)
		add(nodes, i ? json_integer(i - 1) : json_null(), "f", 1, i == 999);
	result = json_pack("{s:{s:i, s:o}}", "calls", "nodes_most", 9, "nodes", nodes);
	assert_true(calls_read(&calls, &stacks, result, &err));
	assert_int_equal(calls_path(&calls, CALLS_PATH_MOST - 1, path), CALLS_PATH_MOST);
	assert_int_equal(path[CALLS_PATH_MOST - 1], CALLS_PATH_MOST - 1);
	assert_int_equal(calls_path(&calls, 999, path), CALLS_PATH_MOST + 1);
	assert_int_equal(path[CALLS_PATH_MOST - 2], CALLS_PATH_MOST - 2);
	assert_int_equal(path[CALLS_PATH_MOST - 1], CALLS_CUT);
	assert_int_equal(path[CALLS_PATH_MOST], 999);
	calls_release(&calls);
	json_decref(result);
}

static void is_refused(json_t *result, int64_t slots, const char *sentence)
{
	const struct stacks stacks = {.slots = run_of(slots)};
	struct calls calls;
	struct err err;

	assert_false(calls_read(&calls, &stacks, result, &err));
	assert_string_equal(err.text, sentence);
	json_decref(result);
}

static json_t *node_of(json_t *result, size_t i)
{
	return json_array_get(json_object_get(json_object_get(result, "calls"), "nodes"), i);
}

TEST(what_cannot_be_is_refused)
{
	json_t *result = made();

	is_refused(result, 46, "calls.nodes do not have the slots of cause base that the run has");
	result = made();
	json_object_set_new(node_of(result, 2), "parent", json_integer(2));
	is_refused(result, 45, "calls.nodes[2].parent is no node before it");
	result = made();
	json_object_set_new(node_of(result, 1), "parent", json_null());
	is_refused(result, 45, "calls.nodes[1] has no parent, and slots of its own");
}

TEST(without_the_member_there_are_no_nodes)
{
	const struct stacks stacks = {.slots = run_of(45)};
	json_t *result = json_object();
	struct calls calls;
	struct err err;

	assert_true(calls_read(&calls, &stacks, result, &err));
	assert_int_equal(calls.count, 0);
	calls_release(&calls);
	json_decref(result);
}
