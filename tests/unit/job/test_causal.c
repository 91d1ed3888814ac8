/* causal: what a person may name; which lines are the hottest, in which order and with which
 * ranges; the machines on which they take a part of their time. */
#include "../test.h"
#include "base/array.h"
#include "job/causal.h"
#include "count/ledger.h"

/* The instructions of a program: address, slots, function, file and line. */
static const struct instruction {
	uint64_t pc, slots;
	const char *function, *file;
	uint32_t line;
} list[] = {
	{0x118, 5, "main", "src/a.c", 11},  {0x100, 40, "main", "src/a.c", 10},
	{0x102, 0, "main", "src/a.c", 10},  {0x104, 30, "main", "src/a.c", 11},
	{0x108, 20, "main", "src/a.c", 10}, {0x10c, 70, "work", "lib/a.c", 10},
	{0x110, 50, "work", "", 0},	    {0x114, 25, "work", "src/a.c", 11},
	{0x200, 0, "idle", "src/b.c", 1},   {0x204, 50, "other", "", 0},
};

struct program {
	struct ledger_row rows[ARRAY_COUNT(list)];
	struct origin origins[ARRAY_COUNT(list)];
};

static void make(struct program *p)
{
	memset(p, 0, sizeof(*p));
	for (size_t i = 0; i < ARRAY_COUNT(list); i++) {
		p->rows[i] = (struct ledger_row){.pc = list[i].pc, .executed = 1};
		p->rows[i].slots[CAUSE_BASE] = list[i].slots / 2;
		p->rows[i].slots[CAUSE_L1D] = list[i].slots - list[i].slots / 2;
		p->origins[i] = (struct origin){.row = &p->rows[i],
						.function = list[i].function,
						.entry = (uint64_t)list[i].function[0],
						.file = list[i].file,
						.directory = "",
						.line = list[i].line};
	}
}

static void check_range(const struct causal_place *place, size_t i, uint64_t first, uint64_t last)
{
	assert_true(i < place->at.count);
	assert_int_equal(place->at.ranges[i].first, first);
	assert_int_equal(place->at.ranges[i].last, last);
}

TEST(names_are_lines_or_functions)
{
	static const struct {
		const char *text;
		bool is_good, is_line;
		uint32_t line;
	} cases[] = {
		{"sort.c:11", true, true, 11},
		{"src/sort.c:4294967295", true, true, UINT32_MAX},
		{"sort.c:4294967296", false, true, 0},
		{"sort.c:99999999999999999999999", false, true, 0},
		{"sort.c:0", false, true, 0},
		{"sort.c:", false, true, 0},
		{"sort.c:-1", false, true, 0},
		{"sort.c:1k", false, true, 0},
		{":11", false, true, 0},
		{":", false, true, 0},
		{"main", true, false, 0},
		{"std::sort", true, false, 0},
		{"a:b", false, true, 0},
		{"c:\\a.c:3", true, true, 3},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct causal_name name;
		struct err err;

		assert_int_equal(causal_name_read(&name, cases[i].text, &err), cases[i].is_good);
		assert_int_equal(name.is_line, cases[i].is_line);
		if (!cases[i].is_good)
			assert_non_null(
				strstr(err.text, "neither a number of lines nor FILE:LINE"));
		else
			assert_int_equal(name.line, cases[i].line);
	}
}

TEST(a_file_is_its_name_or_the_end_of_its_path)
{
	struct causal_name name;

	assert_true(causal_name_read(&name, "a.c:1", NULL));
	assert_true(causal_name_is_file(&name, "a.c"));
	assert_true(causal_name_is_file(&name, "/x/a.c"));
	assert_false(causal_name_is_file(&name, "ba.c"));
	assert_false(causal_name_is_file(&name, "a.cc"));
	assert_false(causal_name_is_file(&name, ""));
	assert_true(causal_name_read(&name, "x/a.c:1", NULL));
	assert_true(causal_name_is_file(&name, "/y/x/a.c"));
	assert_false(causal_name_is_file(&name, "a.c"));
}

TEST(hottest_first_with_all_their_instructions)
{
	struct causal_place places[8];
	struct program p;

	make(&p);
	/* lib/a.c:10 has 70 slots, src/a.c:10 and src/a.c:11 60, two functions without lines 50. */
	assert_int_equal(causal_choose(p.origins, ARRAY_COUNT(list), NULL, 0, 8, 32, places), 5);
	assert_string_equal(places[0].origin->file, "lib/a.c");
	assert_int_equal(places[0].at.count, 1);
	check_range(&places[0], 0, 0x10c, 0x10c);
	assert_int_equal(places[1].origin->line, 10);
	assert_int_equal(places[1].slots, 60);
	assert_int_equal(places[1].executed, 3);
	check_range(&places[1], 0, 0x100, 0x102);
	check_range(&places[1], 1, 0x108, 0x108);
	assert_int_equal(places[1].at.count, 2);
	/* The line is in two functions; 0x114 and 0x118 are neighbours. */
	assert_int_equal(places[2].origin->line, 11);
	check_range(&places[2], 0, 0x104, 0x104);
	check_range(&places[2], 1, 0x114, 0x118);
	assert_string_equal(places[3].origin->function, "other");
	assert_string_equal(places[4].origin->function, "work");
	check_range(&places[4], 0, 0x110, 0x110);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(places[i].covered, places[i].slots);
	/* Nobody but the hottest, in whatever order the instructions come. */
	make(&p);
	for (size_t i = 0; i < ARRAY_COUNT(list) / 2; i++) {
		const struct origin swapped = p.origins[i];

		p.origins[i] = p.origins[ARRAY_COUNT(list) - 1 - i];
		p.origins[ARRAY_COUNT(list) - 1 - i] = swapped;
	}
	assert_int_equal(causal_choose(p.origins, ARRAY_COUNT(list), NULL, 0, 2, 32, places), 2);
	assert_string_equal(places[0].origin->file, "lib/a.c");
	assert_int_equal(places[1].origin->line, 10);
	assert_int_equal(causal_choose(p.origins, 0, NULL, 0, 5, 32, places), 0);
}

TEST(places_of_many_pieces_keep_the_hottest)
{
	struct causal_place place;
	struct program p;

	make(&p);
	struct causal_name name = {.text = "work"};
	assert_int_equal(causal_choose(p.origins, ARRAY_COUNT(list), &name, 1, 0, 1, &place), 1);
	assert_int_equal(place.slots, 145);
	assert_int_equal(place.covered, 145);
	assert_true(causal_name_read(&name, "src/a.c:10", NULL));
	assert_int_equal(causal_choose(p.origins, ARRAY_COUNT(list), &name, 1, 0, 1, &place), 1);
	assert_int_equal(place.slots, 60);
	assert_int_equal(place.covered, 40);
	assert_int_equal(place.at.count, 1);
	check_range(&place, 0, 0x100, 0x102);
}

TEST(named_places_come_first_and_once)
{
	struct causal_name names[3];
	struct causal_place places[8];
	struct program p;

	make(&p);
	assert_true(causal_name_read(&names[0], "nowhere.c:7", NULL));
	assert_true(causal_name_read(&names[1], "a.c:10", NULL));
	assert_true(causal_name_read(&names[2], "other", NULL));
	assert_int_equal(causal_choose(p.origins, ARRAY_COUNT(list), names, 3, 2, 32, places), 5);
	assert_null(places[0].origin);
	assert_int_equal(places[0].slots, 0);
	assert_int_equal(places[0].at.count, 0);
	/* The line 10 of both files. */
	assert_int_equal(places[1].slots, 130);
	assert_int_equal(places[1].origin->row->pc, 0x10c);
	check_range(&places[1], 1, 0x108, 0x10c);
	assert_string_equal(places[2].origin->function, "other");
	assert_int_equal(places[3].origin->line, 11);
	assert_string_equal(places[4].origin->function, "work");
}

TEST(machines_take_a_part_of_the_time_of_a_place)
{
	struct config run, machine;
	struct causal_place places[2];
	struct program p;
	struct err err;

	make(&p);
	assert_true(config_load_preset(&run, "midcore", "configs", &err));
	assert_true(ideal_at_read(&run.ideal_at, "0x5000:l1i", &err));
	assert_int_equal(causal_choose(p.origins, ARRAY_COUNT(list), NULL, 0, 2, 31, places), 2);
	causal_machine(&machine, &run, &places[1], 25);
	char text[IDEAL_AT_TEXT_BYTES];
	ideal_at_text(&machine.ideal_at, text);
	assert_string_equal(text, "0x5000:l1i/0x100-0x102:branch=25%+time=25%/"
				  "0x108:branch=25%+time=25%");
	causal_machine(&machine, &run, &places[0], 0);
	ideal_at_text(&machine.ideal_at, text);
	assert_string_equal(text, "0x5000:l1i/0x10c:branch+time");
	machine.ideal_at = run.ideal_at;
	enum config_id ids[CONFIG_COUNT];
	assert_int_equal(config_diff(&machine, &run, ids), 0);
}
