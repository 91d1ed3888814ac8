/* Line tables made by hand: code that two of them claim, rows without a source, names of files and
 * the directories they are seen from. Tables of the assembler are test_lines.c's. */
#include "../test.h"

#include <search.h>

#include "../bug.h"
#include "../replace.h"
#include "dwarf.h"
#include "image/lines.h"

static struct lines *read_lines(struct dwarf *dwarf)
{
	struct err err = {.text = ""};
	struct image image = dwarf_image(dwarf);
	struct lines *lines = lines_read(image.bytes, image.size, "prog", &err);

	if (!lines)
		fail_msg("%s", err.text);
	image_release(&image);
	return lines;
}

/* All ranges: "start+bytes file:line;". */
static void are(const struct lines *lines, const char *wanted)
{
	char text[1024] = "";

	for (size_t i = 0; i < lines_count(lines); i++) {
		const struct line_range *range = lines_at(lines, i);

		sprintf(text + strlen(text), "%llx+%llx %s:%u;", (unsigned long long)range->start,
			(unsigned long long)(range->end - range->start),
			lines_file(lines, range->file), range->line);
	}
	assert_string_equal(text, wanted);
}

static const char *const files[] = {"a.c", "b.c", NULL};

/* The lines of a.c, from line 1 on, each raised by one, of so many bytes each. */
static void add_sequence(struct dwarf *dwarf, uint64_t start, unsigned rows, uint64_t bytes)
{
	dwarf_at(dwarf, start);
	for (unsigned i = 0; i < rows; i++)
		dwarf_row(dwarf, 1, i ? 1 : 0, bytes);
	dwarf_end_rows(dwarf);
}

TEST(code_claimed_twice_has_the_range_that_begins_lower)
{
	struct dwarf dwarf = {0};

	dwarf_table(&dwarf, files);
	add_sequence(&dwarf, 0x10100, 2, 0x10);
	dwarf_end_table(&dwarf);
	/* One that begins within, one that lies within, and one that is the same. */
	static const uint64_t starts[] = {0x10118, 0x10104, 0x10100};
	static const uint64_t bytes[] = {0x10, 4, 0x10};
	for (unsigned i = 0; i < 3; i++) {
		dwarf_table(&dwarf, files);
		dwarf_at(&dwarf, starts[i]);
		dwarf_row(&dwarf, 2, 10 * (i + 1), bytes[i]);
		dwarf_end_rows(&dwarf);
		dwarf_end_table(&dwarf);
	}
	struct lines *lines = read_lines(&dwarf);
	are(lines, "10100+10 a.c:1;10110+10 a.c:2;10120+8 b.c:11;");
	lines_free(lines);
}

/* Code without a source, and what the linker has thrown away. */
TEST(rows_without_a_source_are_left_out)
{
	struct dwarf dwarf = {0};

	dwarf_table(&dwarf, files);
	dwarf_at(&dwarf, 0x10100);
	dwarf_row(&dwarf, 1, 4, 8);
	/* Line 0: minus five. */
	image_add(&dwarf.lines, "\x03\x7b\x01\x02\x08", 5);
	dwarf_row(&dwarf, 2, 7, 8);
	dwarf_end_rows(&dwarf);
	add_sequence(&dwarf, 0x40000, 2, 8);
	/* Code ends where its section does. */
	add_sequence(&dwarf, 0x10ff0, 1, 0x100);
	dwarf_end_table(&dwarf);
	struct lines *lines = read_lines(&dwarf);
	are(lines, "10100+8 a.c:5;10110+8 b.c:7;10ff0+10 a.c:1;");
	lines_free(lines);
}

/* The row is left out; those around it are read. */
TEST(a_row_of_an_unknown_file_has_no_line)
{
	struct dwarf dwarf = {0};

	dwarf_table(&dwarf, files);
	dwarf_at(&dwarf, 0x10100);
	dwarf_row(&dwarf, 1, 4, 8);
	dwarf_row(&dwarf, 9, 1, 8);
	dwarf_row(&dwarf, 2, 1, 8);
	dwarf_end_rows(&dwarf);
	dwarf_end_table(&dwarf);
	struct lines *lines = read_lines(&dwarf);
	are(lines, "10100+8 a.c:5;10110+8 b.c:7;");
	lines_free(lines);
}

/* What is in the compiler's directory is named from there; what only begins like it is not. */
TEST(names_are_seen_from_where_the_compiler_ran)
{
	static const char *const names[] = {
		"in.c", "/build/sub/in.c", "/buildings/out.c", "/build/", "../up.c", NULL,
	};
	static const char *const wanted[][2] = {
		{"in.c", "/build"}, {"sub/in.c", "/build"}, {"/buildings/out.c", ""},
		{"/build/", ""},    {"../up.c", "/build"},
	};
	struct dwarf dwarf = {0};
	struct source_line line;

	dwarf_unit(&dwarf, "/build", 0x10000, 0x11000, dwarf_table(&dwarf, names));
	dwarf_up(&dwarf);
	dwarf_end_unit(&dwarf);
	dwarf_at(&dwarf, 0x10100);
	for (unsigned i = 0; names[i]; i++)
		dwarf_row(&dwarf, i + 1, 1, 4);
	dwarf_end_rows(&dwarf);
	dwarf_end_table(&dwarf);
	struct lines *lines = read_lines(&dwarf);
	assert_int_equal(lines_file_count(lines), ARRAY_COUNT(wanted));
	for (unsigned i = 0; i < ARRAY_COUNT(wanted); i++) {
		assert_true(lines_find(lines, 0x10100 + 4 * i, &line));
		assert_string_equal(line.file, wanted[i][0]);
		assert_string_equal(line.directory, wanted[i][1]);
	}
	lines_free(lines);
}

/* The same name from two directories is two files, and from one directory one. */
TEST(files_of_several_tables_are_told_apart)
{
	static const char *const directories[] = {"/one", "/two", "/one"};
	struct dwarf dwarf = {0};
	struct source_line line;

	for (unsigned i = 0; i < 3; i++) {
		dwarf_unit(&dwarf, directories[i], 0x10100 + 0x100 * i, 0x10200 + 0x100 * i,
			   dwarf_table(&dwarf, files));
		dwarf_up(&dwarf);
		dwarf_end_unit(&dwarf);
		add_sequence(&dwarf, 0x10100 + 0x100 * i, 1, 0x10);
		dwarf_end_table(&dwarf);
	}
	struct lines *lines = read_lines(&dwarf);
	assert_int_equal(lines_file_count(lines), 2);
	assert_int_equal(lines_at(lines, 0)->file, lines_at(lines, 2)->file);
	assert_true(lines_find(lines, 0x10200, &line));
	assert_string_equal(line.directory, "/two");
	lines_free(lines);
}

/* Without a unit it is not known where the compiler ran. */
TEST(a_table_of_no_unit_has_no_directory)
{
	struct dwarf dwarf = {0};
	struct source_line line;

	dwarf_table(&dwarf, files);
	add_sequence(&dwarf, 0x10100, 3, 4);
	dwarf_end_table(&dwarf);
	struct lines *lines = read_lines(&dwarf);
	assert_true(lines_find(lines, 0x1010b, &line));
	assert_int_equal(line.line, 3);
	assert_string_equal(line.file, "a.c");
	assert_string_equal(line.directory, "");
	assert_false(lines_find(lines, 0x1010c, &line));
	lines_free(lines);
}

/* A file that is defined between rows may have an empty name; without a directory it has none. */
TEST(rows_of_a_file_without_a_name_are_left_out)
{
	struct dwarf dwarf = {0};

	dwarf_table(&dwarf, files);
	/* DW_LNE_define_file, with four bytes: the end of its name, directory, time and length. */
	image_add(&dwarf.lines, "\x00\x05\x03\0\0\0\0", 7);
	dwarf_at(&dwarf, 0x10100);
	dwarf_row(&dwarf, 1, 4, 8);
	dwarf_row(&dwarf, 3, 1, 8);
	dwarf_row(&dwarf, 2, 1, 8);
	dwarf_end_rows(&dwarf);
	dwarf_end_table(&dwarf);
	struct lines *lines = read_lines(&dwarf);
	are(lines, "10100+8 a.c:5;10110+8 b.c:7;");
	assert_int_equal(lines_file_count(lines), 2);
	lines_free(lines);
}

/* In version 5 even the compiler's directory is an entry of the table, which may have no entries.
 */
TEST(a_table_may_name_no_directory)
{
	static const uint8_t rest_of_header[] = {1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1,
						 0, 0, 0, 1,	0,  0,	1, 0, 0, 0, 0};
	struct dwarf dwarf = {0};
	struct source_line line;

	image_number(&dwarf.lines, 0, 4);
	image_number(&dwarf.lines, 5, 2);
	image_number(&dwarf.lines, 8, 2);
	image_number(&dwarf.lines, sizeof(rest_of_header), 4);
	image_add(&dwarf.lines, rest_of_header, sizeof(rest_of_header));
	dwarf_at(&dwarf, 0x10100);
	dwarf_row(&dwarf, 0, 4, 8);
	dwarf_row(&dwarf, 1, 1, 8);
	dwarf_end_rows(&dwarf);
	dwarf_end_table(&dwarf);
	struct lines *lines = read_lines(&dwarf);
	are(lines, "10100+8 ???:5;");
	assert_true(lines_find(lines, 0x10100, &line));
	assert_string_equal(line.directory, "");
	lines_free(lines);
}

static bool is_out_of_memory;
REPLACED(tsearch);

static void *search_if_there_is_memory(const void *key, void **root,
				       int (*compare)(const void *, const void *))
{
	return is_out_of_memory ? NULL : __real_tsearch(key, root, compare);
}
REPLACE(tsearch, search_if_there_is_memory);

static void read_a_file_name(void *unused)
{
	struct dwarf dwarf = {0};

	(void)unused;
	dwarf_table(&dwarf, files);
	add_sequence(&dwarf, 0x10100, 1, 4);
	dwarf_end_table(&dwarf);
	lines_free(read_lines(&dwarf));
}

/* As any other lack of memory does; what is read is not taken for a table without names. */
TEST(no_memory_for_a_name_ends_the_process)
{
	assert_false(is_bug(read_a_file_name, NULL));
	is_out_of_memory = true;
	assert_true(is_bug(read_a_file_name, NULL));
	is_out_of_memory = false;
}

/* A unit may refer to a table that is not there. */
TEST(units_alone_have_no_lines)
{
	struct dwarf dwarf = {0};
	struct source_line line;

	dwarf_unit(&dwarf, "/build", 0x10000, 0x11000, 0);
	dwarf_up(&dwarf);
	dwarf_end_unit(&dwarf);
	struct lines *lines = read_lines(&dwarf);
	assert_int_equal(lines_count(lines), 0);
	assert_int_equal(lines_file_count(lines), 0);
	assert_false(lines_find(lines, 0x10100, &line));
	lines_free(lines);
}

TEST(a_broken_table_is_named_by_its_place)
{
	struct err err = {.text = ""};
	struct dwarf dwarf = {0};

	dwarf_table(&dwarf, files);
	add_sequence(&dwarf, 0x10100, 3, 4);
	dwarf_end_table(&dwarf);
	const size_t second = dwarf_table(&dwarf, files);
	add_sequence(&dwarf, 0x10200, 3, 4);
	dwarf_end_table(&dwarf);
	/* The second is of a version that does not exist. */
	image_put(&dwarf.lines, second + 4, 99, 2);
	struct image image = dwarf_image(&dwarf);
	char wanted[160];
	snprintf(wanted, sizeof(wanted),
		 "prog: the line table at offset 0x%zx of .debug_line is broken: ", second);
	assert_null(lines_read(image.bytes, image.size, "prog", &err));
	assert_memory_equal(err.text, wanted, strlen(wanted));
	assert_non_null(strstr(err.text, "; build the program again, or go on without line "
					 "numbers"));
	image_release(&image);
}
