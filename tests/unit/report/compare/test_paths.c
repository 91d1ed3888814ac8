/* Two runs by path of calls, both made by hand: which paths are one, what each takes in both, what
 * is too small to be told apart, and results that cannot be. */
#include "../../test.h"

#include "base/array.h"
#include "report/compare/paths.h"

struct row {
	int parent; /* -1: a root */
	const char *function, *kind;
	int calls, slots;
};

struct run {
	json_t *result;
	struct stacks stacks;
	struct calls calls;
};

static void make(struct run *run, const struct row *rows, size_t count, int64_t slots_per_cycle)
{
	json_t *nodes = json_array();
	int64_t sum = 0;
	struct err err;

	for (size_t i = 0; i < count; i++) {
		const struct row *row = &rows[i];

		json_array_append_new(
			nodes,
			json_pack("{s:o, s:s, s:s, s:i, s:i, s:{s:i}}", "parent",
				  row->parent < 0 ? json_null() : json_integer(row->parent),
				  "function", row->function, "kind", row->kind, "calls", row->calls,
				  "executed", 0, "slots", cause_rows[CAUSE_BASE].name, row->slots));
		sum += row->slots;
	}
	run->result = json_pack("{s:{s:i, s:o}}", "calls", "nodes_most", 100, "nodes", nodes);
	run->stacks = (struct stacks){.slots_per_cycle = slots_per_cycle,
				      .slots = {.causes = {[CAUSE_BASE] = sum}, .total = sum}};
	if (!calls_read(&run->calls, &run->stacks, run->result, &err))
		fail_msg("%s", err.text);
}

static void release(struct run *run)
{
	calls_release(&run->calls);
	json_decref(run->result);
}

/* Whether the names from a root to the node are those of "main/f/g", of which so many characters
 * are left. */
static bool is_path(const struct paths *paths, size_t node, const char *path, size_t length)
{
	const char *name = paths->nodes[node].function;
	const size_t bytes = strlen(name), parent = paths->nodes[node].parent;

	if (length < bytes || strncmp(path + length - bytes, name, bytes) != 0)
		return false;
	if (parent == PATHS_NO_PARENT)
		return length == bytes;
	return length > bytes && path[length - bytes - 1] == '/' &&
	       is_path(paths, parent, path, length - bytes - 1);
}

/* NULL if there is none. */
static const struct path_node *at(const struct paths *paths, const char *path)
{
	for (size_t i = 0; i < paths->count; i++)
		if (is_path(paths, i, path, strlen(path)))
			return &paths->nodes[i];
	return NULL;
}

static void is_node(const struct paths *paths, const char *path, double a, double b, double all_a,
		    double all_b)
{
	const struct path_node *node = at(paths, path);

	if (!node)
		fail_msg("there is no path %s", path);
	assert_true(node->a == a);
	assert_true(node->b == b);
	assert_true(node->all_a == all_a);
	assert_true(node->all_b == all_b);
}

/* In the second run f calls g by a tail call, h is new, and i is gone; it has two slots a cycle. */
static const struct row first[] = {
	{-1, "T", "thread", 0, 0}, {0, "main", "start", 1, 1000}, {1, "f", "call", 2, 300},
	{2, "g", "call", 2, 50},   {1, "i", "call", 1, 20},	  {1, "g", "call", 4, 7},
};
static const struct row second[] = {
	{-1, "T", "thread", 0, 0}, {0, "main", "start", 1, 2000}, {1, "g", "call", 4, 14},
	{1, "f", "call", 3, 800},  {3, "g", "jump", 3, 60},	  {4, "h", "call", 9, 40},
};

TEST(paths_are_one_by_the_names_of_their_functions)
{
	struct run a, b;
	struct paths paths;

	make(&a, first, ARRAY_COUNT(first), 1);
	make(&b, second, ARRAY_COUNT(second), 2);
	paths_merge(&paths, &a.stacks, &a.calls, &b.stacks, &b.calls);
	assert_int_equal(paths.count, 7);
	is_node(&paths, "T", 0, 0, 1377, 1457);
	is_node(&paths, "T/main", 1000, 1000, 1377, 1457);
	is_node(&paths, "T/main/f", 300, 400, 350, 450);
	is_node(&paths, "T/main/f/g", 50, 30, 50, 50);
	is_node(&paths, "T/main/f/g/h", 0, 20, 0, 20);
	is_node(&paths, "T/main/i", 20, 0, 20, 0);
	is_node(&paths, "T/main/g", 7, 7, 7, 7);
	assert_int_equal(at(&paths, "T/main/f")->calls_a, 2);
	assert_int_equal(at(&paths, "T/main/f")->calls_b, 3);
	assert_false(at(&paths, "T/main/f/g/h")->is_in_a);
	assert_false(at(&paths, "T/main/i")->is_in_b);
	paths_release(&paths);
	release(&a);
	release(&b);
}

TEST(small_paths_are_one_below_what_called_them_and_nothing_is_lost)
{
	static const struct row many[] = {
		{-1, "T", "thread", 0, 0}, {0, "main", "start", 1, 9990}, {1, "u", "call", 1, 1},
		{2, "v", "call", 1, 2},	   {1, "w", "call", 5, 3},	  {1, "x", "call", 1, 4},
	};
	static const struct row few[] = {
		{-1, "T", "thread", 0, 0},
		{0, "main", "start", 1, 9000},
		{1, "w", "call", 7, 1},
		{1, "x", "call", 1, 999},
	};
	struct run a, b;
	struct paths paths;
	double sum_a = 0, sum_b = 0;

	make(&a, many, ARRAY_COUNT(many), 1);
	make(&b, few, ARRAY_COUNT(few), 1);
	paths_merge(&paths, &a.stacks, &a.calls, &b.stacks, &b.calls);
	assert_int_equal(paths.count, 4);
	/* x is small in the one run alone. */
	is_node(&paths, "T/main/x", 4, 999, 4, 999);
	is_node(&paths, "T/main/" PATHS_SMALL, 6, 1, 6, 1);
	assert_int_equal(at(&paths, "T/main/" PATHS_SMALL)->calls_a, 6);
	assert_int_equal(at(&paths, "T/main/" PATHS_SMALL)->calls_b, 7);
	for (size_t i = 0; i < paths.count; i++) {
		sum_a += paths.nodes[i].a;
		sum_b += paths.nodes[i].b;
	}
	assert_true(sum_a == 10000 && sum_b == 10000);
	paths_release(&paths);
	release(&a);
	release(&b);
}

TEST(paths_are_read_back_as_they_were_written)
{
	struct run a, b;
	struct paths paths, again;
	struct err err;

	make(&a, first, ARRAY_COUNT(first), 1);
	make(&b, second, ARRAY_COUNT(second), 2);
	paths_merge(&paths, &a.stacks, &a.calls, &b.stacks, &b.calls);
	json_t *list = paths_json(&paths);
	assert_true(paths_read(&again, list, &err));
	assert_int_equal(again.count, paths.count);
	for (size_t i = 0; i < paths.count; i++) {
		const struct path_node *one = &paths.nodes[i], *other = &again.nodes[i];

		assert_int_equal(one->parent, other->parent);
		assert_string_equal(one->function, other->function);
		assert_int_equal(one->is_in_a, other->is_in_a);
		assert_int_equal(one->is_in_b, other->is_in_b);
		assert_true(one->a == other->a && one->b == other->b);
		assert_true(one->all_a == other->all_a && one->all_b == other->all_b);
		assert_int_equal(one->calls_a, other->calls_a);
		assert_int_equal(one->calls_b, other->calls_b);
	}
	paths_release(&again);
	paths_release(&paths);
	json_decref(list);
	release(&a);
	release(&b);
}

TEST(paths_that_cannot_be_are_refused)
{
	static const struct {
		const char *list, *sentence;
	} cases[] = {
		{"[{'parent': 0, 'function': 'f', 'a': 1, 'b': 1}]",
		 "paths[0].parent is not the number of a path before it"},
		{"[{'parent': null, 'function': 'f', 'a': 1, 'b': 1},"
		 " {'parent': -1, 'function': 'f', 'a': 1, 'b': 1}]",
		 "paths[1].parent is not the number of a path before it"},
		{"[{'parent': null, 'function': 'f', 'a': -1, 'b': 1}]",
		 "paths[0]: cycles are at least 0, and fewer than 2^53"},
		{"[{'parent': null, 'function': 'f', 'a': 1, 'b': 1e300}]",
		 "paths[0]: cycles are at least 0, and fewer than 2^53"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		char text[256];
		struct paths paths;
		struct err err;

		snprintf(text, sizeof(text), "%s", cases[i].list);
		for (char *c = text; *c; c++)
			*c = *c == '\'' ? '"' : *c;
		json_t *list = json_loads(text, 0, NULL);
		assert_non_null(list);
		assert_false(paths_read(&paths, list, &err));
		if (strcmp(err.text, cases[i].sentence) != 0)
			fail_msg("%s", err.text);
		paths_release(&paths);
		json_decref(list);
	}
}
