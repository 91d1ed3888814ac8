/* The data of two runs by what it belongs to, both made by hand: which objects are one, what each
 * costs in both, and results whose objects are not what the run has. */
#include "../../test.h"

#include "base/array.h"
#include "report/compare/objects.h"

struct row {
	const char *kind, *name, *file;
	int line, misses, slots;
};

struct run {
	json_t *data;
	struct stacks stacks;
	struct stacks_function function;
	struct objects_side side;
};

/* A run with one function, of that file. */
static void make(struct run *run, const struct row *rows, size_t count, int64_t slots_per_cycle,
		 const char *file)
{
	json_t *objects = json_array();
	int misses = 0, slots = 0;

	for (size_t i = 0; i < count; i++) {
		const struct row *row = &rows[i];

		json_array_append_new(objects,
				      json_pack("{s:s, s:s, s:s*, s:i, s:i, s:{s:i}}", "kind",
						row->kind, "name", row->name, "file", row->file,
						"line", row->line, "l1d_misses", row->misses,
						"slots", cause_rows[CAUSE_L1D].name, row->slots));
		misses += row->misses;
		slots += row->slots;
	}
	run->data = json_pack("{s:i, s:{s:i}, s:o}", "l1d_misses", misses, "slots",
			      cause_rows[CAUSE_L1D].name, slots, "objects", objects);
	run->function = (struct stacks_function){.name = "main", .file = file};
	run->stacks = (struct stacks){.slots_per_cycle = slots_per_cycle,
				      .functions = &run->function,
				      .function_count = 1};
	run->side = (struct objects_side){&run->stacks, run->data};
}

/* "kind name file line_a>line_b a>b misses_a>misses_b" for each, "-" where a run does not have it.
 */
static void are(const struct run *a, const struct run *b, bool is_same_program, const char *wanted)
{
	char *text;
	size_t bytes, count;
	FILE *out = mem_stream_open(&text, &bytes);
	struct object_change *changes =
		objects_changes(&a->side, &b->side, is_same_program, &count);

	for (size_t i = 0; i < count; i++) {
		const struct object_change *c = &changes[i];

		fprintf(out, "%s %s %s %d>%d ", c->kind, c->name, *c->file ? c->file : "-",
			(int)c->line_a, (int)c->line_b);
		if (c->is_in_a)
			fprintf(out, "%g,%d", c->a, (int)c->misses_a);
		fputs(">", out);
		if (c->is_in_b)
			fprintf(out, "%g,%d", c->b, (int)c->misses_b);
		fputs("\n", out);
	}
	mem_stream_close(out);
	assert_string_equal(text, wanted);
	free(text);
	free(changes);
}

static void release(struct run *run)
{
	json_decref(run->data);
}

TEST(objects_that_differ_are_listed_with_cycles_and_misses_of_both)
{
	static const struct row first[] = {
		{"variable", "same", NULL, 0, 40, 400},	 {"variable", "table", NULL, 0, 10, 100},
		{"heap", "main", "/s/pool.c", 12, 7, 8}, {"stack", "main", NULL, 0, 3, 0},
		{"variable", "gone", NULL, 0, 1, 0},
	};
	/* Two slots a cycle. */
	static const struct row second[] = {
		{"variable", "same", NULL, 0, 40, 800},	 {"variable", "table", NULL, 0, 90, 1000},
		{"heap", "main", "/s/pool.c", 12, 6, 4}, {"stack", "main", NULL, 0, 5, 0},
		{"thread", "main", NULL, 0, 2, 14},
	};
	struct run a, b;

	make(&a, first, ARRAY_COUNT(first), 1, "/s/main.c");
	make(&b, second, ARRAY_COUNT(second), 2, "/s/main.c");
	are(&a, &b, true,
	    "variable table - 0>0 100,10>500,90\n"
	    "thread main - 0>0 >7,2\n"
	    "heap main /s/pool.c 12>12 8,7>2,6\n"
	    "stack main - 0>0 0,3>0,5\n"
	    "variable gone - 0>0 0,1>\n");
	are(&a, &a, true, "");
	release(&a);
	release(&b);
}

static const struct row sites[] = {
	{"heap", "main", "pool.c", 12, 100, 0},
	{"heap", "main", "pool.c", 30, 200, 0},
	{"heap", "other", "pool.c", 50, 300, 0},
};

TEST(lines_of_another_program_that_moved_are_the_same_in_their_order)
{
	static const struct row moved[] = {
		{"heap", "main", "pool.c", 48, 201, 0},
		{"heap", "main", "pool.c", 30, 101, 0},
		{"heap", "other", "pool.c", 68, 300, 0},
	};
	struct run a, b;

	make(&a, sites, ARRAY_COUNT(sites), 1, "pool.c");
	make(&b, moved, ARRAY_COUNT(moved), 1, "pool.c");
	are(&a, &b, false,
	    "heap main pool.c 12>30 0,100>0,101\n"
	    "heap main pool.c 30>48 0,200>0,201\n");
	/* Of the same program no line has moved. */
	are(&a, &b, true,
	    "heap other pool.c 0>68 >0,300\n"
	    "heap other pool.c 50>0 0,300>\n"
	    "heap main pool.c 0>48 >0,201\n"
	    "heap main pool.c 12>0 0,100>\n"
	    "heap main pool.c 30>30 0,200>0,101\n");
	release(&a);
	release(&b);
}

TEST(where_a_line_went_or_came_lines_are_the_same_by_their_numbers)
{
	static const struct row fewer[] = {
		{"heap", "main", "pool.c", 30, 222, 0},
		{"heap", "other", "pool.c", 50, 300, 0},
	};
	struct run a, b;

	make(&a, sites, ARRAY_COUNT(sites), 1, "pool.c");
	make(&b, fewer, ARRAY_COUNT(fewer), 1, "pool.c");
	are(&a, &b, false,
	    "heap main pool.c 12>0 0,100>\n"
	    "heap main pool.c 30>30 0,200>0,222\n");
	are(&b, &a, false,
	    "heap main pool.c 0>12 >0,100\n"
	    "heap main pool.c 30>30 0,222>0,200\n");
	release(&a);
	release(&b);
}

TEST(what_was_built_in_another_folder_is_the_same_by_the_base_names_of_files)
{
	static const struct row here[] = {{"heap", "main", "/here/pool.c", 12, 100, 0}};
	static const struct row there[] = {{"heap", "main", "/there/pool.c", 12, 101, 0}};
	struct run a, b, c;

	make(&a, here, 1, 1, "/here/pool.c");
	make(&b, there, 1, 1, "/there/pool.c");
	make(&c, there, 1, 1, "/here/pool.c");
	are(&a, &b, true, "heap main pool.c 12>12 0,100>0,101\n");
	are(&a, &c, true,
	    "heap main /there/pool.c 0>12 >0,101\n"
	    "heap main /here/pool.c 12>0 0,100>\n");
	release(&a);
	release(&b);
	release(&c);
}

TEST(what_has_one_name_twice_in_a_run_is_one_object)
{
	static const struct row twice[] = {{"variable", "state", NULL, 0, 5, 7},
					   {"variable", "other", NULL, 0, 1, 1},
					   {"variable", "state", NULL, 0, 6, 8}};
	static const struct row once[] = {{"variable", "state", NULL, 0, 12, 15},
					  {"variable", "other", NULL, 0, 1, 1}};
	struct run a, b;

	make(&a, twice, ARRAY_COUNT(twice), 1, "");
	make(&b, once, ARRAY_COUNT(once), 1, "");
	are(&a, &b, true, "variable state - 0>0 15,11>15,12\n");
	release(&a);
	release(&b);
}

TEST(a_change_is_written_with_null_for_the_run_that_does_not_have_it)
{
	static const struct row moved[] = {{"heap", "main", "pool.c", 14, 100, 3}};
	static const struct row none[] = {{"variable", "x", NULL, 0, 1, 0}};
	struct run a, b, c;
	size_t count;

	make(&a, sites, 1, 1, "pool.c");
	make(&b, moved, 1, 1, "pool.c");
	make(&c, none, 1, 1, "pool.c");
	struct object_change *changes = objects_changes(&a.side, &b.side, false, &count);
	json_t *json = objects_json(changes, count);
	char *text = json_dumps(json, JSON_COMPACT);
	assert_string_equal(text, "[{\"name\":\"main\",\"kind\":\"heap\",\"file\":\"pool.c\","
				  "\"line\":14,\"line_a\":12,\"a\":0.0,\"b\":3.0,\"misses_a\":100,"
				  "\"misses_b\":100}]");
	free(text);
	json_decref(json);
	free(changes);
	changes = objects_changes(&a.side, &c.side, false, &count);
	json = objects_json(changes, count);
	text = json_dumps(json, JSON_COMPACT);
	assert_string_equal(text, "[{\"name\":\"main\",\"kind\":\"heap\",\"file\":\"pool.c\","
				  "\"line\":12,\"a\":0.0,\"b\":null,\"misses_a\":100,"
				  "\"misses_b\":null},{\"name\":\"x\",\"kind\":\"variable\","
				  "\"line\":0,\"a\":null,\"b\":0.0,\"misses_a\":null,"
				  "\"misses_b\":1}]");
	free(text);
	json_decref(json);
	free(changes);
	release(&a);
	release(&b);
	release(&c);
}

TEST(objects_that_do_not_add_up_to_the_run_are_refused)
{
	struct run a;
	struct err err;
	const struct objects_side nothing = {&a.stacks, NULL};

	make(&a, sites, ARRAY_COUNT(sites), 1, "pool.c");
	assert_true(objects_check(&a.side, &err));
	assert_true(objects_check(&nothing, &err));
	json_object_set_new(a.data, "l1d_misses", json_integer(599));
	assert_false(objects_check(&a.side, &err));
	assert_string_equal(err.text, "data.objects do not have the l1d_misses that data has");
	json_object_set_new(a.data, "l1d_misses", json_integer(600));
	json_object_set_new(a.data, "slots", json_pack("{s:i}", cause_rows[CAUSE_L1D].name, 1));
	assert_false(objects_check(&a.side, &err));
	assert_string_equal(err.text,
			    "data.objects do not have the slots of cause l1d that data has");
	release(&a);
}
