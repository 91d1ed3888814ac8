/* Pairs that name source lines, from a table that is made up. */
#include "../test.h"
#include "../replace.h"
#include "base/array.h"
#include "image/lines.h"
#include "stats/pairs.h"

static const char *const files[] = {"/x/a.c", "/y/a.c", "ba.c", "a.c"};
static const struct line_range ranges[] = {
	{.start = 0x10, .end = 0x14, .file = 0, .line = 7},
	{.start = 0x14, .end = 0x18, .file = 0, .line = 7}, /* goes on */
	{.start = 0x18, .end = 0x20, .file = 0, .line = 8},
	{.start = 0x20, .end = 0x22, .file = 0, .line = 7},
	{.start = 0x30, .end = 0x40, .file = 1, .line = 7},
	{.start = 0x50, .end = 0x60, .file = 2, .line = 7},
	{.start = 0x70, .end = 0x71, .file = 3, .line = 9},
};
static size_t known = ARRAY_COUNT(ranges);

static size_t line_count(const struct lines *lines)
{
	assert_non_null(lines);
	return known;
}
REPLACE(lines_count, line_count);

static const struct line_range *line_at(const struct lines *lines, size_t index)
{
	(void)lines;
	assert_true(index < known);
	return &ranges[index];
}
REPLACE(lines_at, line_at);

static const char *file_of(const struct lines *lines, size_t file)
{
	(void)lines;
	return files[file];
}
REPLACE(lines_file, file_of);

TEST(lines_are_pieces)
{
	static const struct {
		const char *text;
		unsigned count;
		struct stats_range pieces[3];
	} cases[] = {
		{"cycles@a.c:7", 3, {{0x1010, 0x1017}, {0x1020, 0x1021}, {0x1030, 0x103f}}},
		{"cycles@x/a.c:7", 2, {{0x1010, 0x1017}, {0x1020, 0x1021}}},
		{"cycles@/y/a.c:7", 1, {{0x1030, 0x103f}}},
		{"cycles@ba.c:7", 1, {{0x1050, 0x105f}}},
		{"cycles@a.c:8", 1, {{0x1018, 0x101f}}},
		{"cycles@a.c:9", 1, {{0x1070, 0x1070}}},
	};
	const struct stats_places places = {.lines = (const void *)files, .bias = 0x1000};
	struct err err;

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct stats_pairs pairs = {0};

		assert_true(stats_pairs_add(&pairs, cases[i].text, &places, &err));
		assert_int_equal(pairs.count, 1);
		assert_string_equal(pairs.items[0].where, cases[i].text + 7);
		assert_int_equal(pairs.items[0].piece_count, cases[i].count);
		for (unsigned k = 0; k < cases[i].count; k++) {
			assert_int_equal(pairs.items[0].pieces[k].low, cases[i].pieces[k].low);
			assert_int_equal(pairs.items[0].pieces[k].high, cases[i].pieces[k].high);
		}
		stats_pairs_release(&pairs);
	}
}

TEST(lines_without_code)
{
	const struct stats_places places = {.lines = (const void *)files};
	struct stats_pairs pairs = {0};
	struct err err;

	assert_false(stats_pairs_add(&pairs, "cycles@a.c:6", &places, &err));
	assert_string_equal(err.text, "the program has no code of line a.c:6");
	assert_false(stats_pairs_add(&pairs, "cycles@aa.c:7", &places, &err));
	assert_string_equal(err.text, "the program has no code of line aa.c:7");
	known = 0;
	assert_false(stats_pairs_add(&pairs, "cycles@a.c:7", &places, &err));
	assert_string_equal(err.text,
			    "the program has no code of line a.c:7: it was compiled without -g");
	known = ARRAY_COUNT(ranges);
}
