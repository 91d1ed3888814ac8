#include "line_unit.h"

#include "base/rng.h"

static void test_every_opcode_means_what_dwarf_says(void **state)
{
	static const unsigned formats[][2] = {{2, 4}, {3, 4}, {4, 4}, {5, 4}, {3, 8}, {5, 8}};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(formats); i++) {
		struct unit unit = unit_begin(formats[i][0], formats[i][1]);

		unit_names(&unit);
		unit_address(&unit, 0x10100);
		UNIT(&unit, SET_COLUMN, 7, ADVANCE_LINE, 9, COPY); /* main.c:10:7 at 100 */
		UNIT(&unit, SPECIAL(2, 5));			   /* :15 at 104 */
		UNIT(&unit, SET_FILE, 2, ADVANCE_PC, 0x83, 0x01);  /* 131 instructions */
		UNIT(&unit, NEGATE_STMT, SET_BASIC_BLOCK, SET_PROLOGUE_END, SET_EPILOGUE_BEGIN);
		UNIT(&unit, SET_ISA, 1, EXTENDED, 2, SET_DISCRIMINATOR, 3, SET_COLUMN, 0);
		UNIT(&unit, COPY);				    /* include/head.h:15 at 20a */
		UNIT(&unit, CONST_ADD_PC, SPECIAL(0, -3));	    /* 242/12 = 20: :12 at 232 */
		UNIT(&unit, FIXED_ADVANCE_PC, 0x01, 0x01);	    /* 257 bytes */
		UNIT(&unit, ADVANCE_LINE, 0x7e, SET_FILE, 3, COPY); /* /abs/gen.c:10 at 333 */
		UNIT(&unit, EXTENDED, 3, 0x80, 1, 2);		    /* a vendor's */
		UNIT(&unit, ADVANCE_PC, 1);
		unit_end_sequence(&unit); /* at 335 */
		struct lines *lines = unit_read(&unit);

		assert_int_equal(lines_count(lines), 5);
		assert_int_equal(lines_file_count(lines), 3);
		check_line(lines, 0x100ff, NULL, 0, 0);
		check_line(lines, 0x10100, "main.c", 10, 7);
		check_line(lines, 0x10103, "main.c", 10, 7);
		check_line(lines, 0x10104, "main.c", 15, 7);
		check_line(lines, 0x10209, "main.c", 15, 7);
		check_line(lines, 0x1020a, "include/head.h", 15, 0);
		check_line(lines, 0x10231, "include/head.h", 15, 0);
		check_line(lines, 0x10232, "include/head.h", 12, 0);
		check_line(lines, 0x10332, "include/head.h", 12, 0);
		check_line(lines, 0x10333, "/abs/gen.c", 10, 0);
		check_line(lines, 0x10334, "/abs/gen.c", 10, 0);
		check_line(lines, 0x10335, NULL, 0, 0);
		lines_free(lines);
	}
}

static void test_opcodes_may_be_fewer_or_redefined(void **state)
{
	struct unit unit = unit_begin(3, 4);
	size_t arguments = unit.image.size - (OPCODE_BASE - 1);

	(void)state;
	/* Opcode 12 with two arguments is not set_isa any more, but is skipped. */
	image_put(&unit.image, arguments + SET_ISA - 1, 2, 1);
	unit_names(&unit);
	unit_address(&unit, 0x10100);
	UNIT(&unit, SET_ISA, COPY, COPY, SPECIAL(0, 4), SPECIAL(1, 0));
	unit_end_sequence(&unit);
	struct lines *lines = unit_read(&unit);
	assert_int_equal(lines_count(lines), 1);
	check_line(lines, 0x10101, "main.c", 5, 0);
	lines_free(lines);
}

static void test_of_rows_at_one_address_the_last_counts(void **state)
{
	struct unit unit = unit_begin(4, 4);

	(void)state;
	unit_names(&unit);
	unit_address(&unit, 0x10100);
	UNIT(&unit, SPECIAL(0, 1), SPECIAL(0, 1), SPECIAL(0, 1), SPECIAL(1, 0), SPECIAL(1, 1));
	UNIT(&unit, ADVANCE_PC, 2);
	unit_end_sequence(&unit);
	struct lines *lines = unit_read(&unit);
	/* Line 4 on both sides of 102 is one range. */
	assert_int_equal(lines_count(lines), 2);
	assert_int_equal(lines_at(lines, 0)->start, 0x10100);
	assert_int_equal(lines_at(lines, 0)->end, 0x10104);
	assert_int_equal(lines_at(lines, 0)->line, 4);
	assert_int_equal(lines_at(lines, 1)->end, 0x10108);
	assert_int_equal(lines_at(lines, 1)->line, 5);
	lines_free(lines);
}

static void test_rows_without_source_are_gaps(void **state)
{
	struct unit unit = unit_begin(4, 4);

	(void)state;
	unit_names(&unit);
	unit_address(&unit, 0x10100);
	UNIT(&unit, SPECIAL(0, 1), SPECIAL(2, -2), SPECIAL(2, 5)); /* 2, 0, 5 */
	UNIT(&unit, SET_FILE, 99, SPECIAL(2, 0), SET_FILE, 0, SPECIAL(2, 0));
	UNIT(&unit, SET_FILE, 1, SPECIAL(2, 0), ADVANCE_PC, 2);
	unit_end_sequence(&unit);
	struct lines *lines = unit_read(&unit);
	check_line(lines, 0x10100, "main.c", 2, 0);
	check_line(lines, 0x10104, NULL, 0, 0);
	check_line(lines, 0x10108, "main.c", 5, 0);
	check_line(lines, 0x1010c, NULL, 0, 0);
	check_line(lines, 0x10110, NULL, 0, 0);
	check_line(lines, 0x10114, "main.c", 5, 0);
	lines_free(lines);
}

static void test_sequences_outside_the_code_are_left_out(void **state)
{
	struct unit unit = unit_begin(5, 4);

	(void)state;
	unit_names(&unit);
	unit_sequence(&unit, 0, 10, 50);
	unit_sequence(&unit, IMAGE_TEXT - 2, 11, 50);
	unit_sequence(&unit, IMAGE_TEXT + IMAGE_TEXT_BYTES, 12, 50);
	unit_sequence(&unit, UINT64_MAX - 1, 13, 50);
	unit_sequence(&unit, IMAGE_TEXT + IMAGE_TEXT_BYTES - 4, 14, 50);
	struct lines *lines = unit_read(&unit);
	assert_int_equal(lines_count(lines), 1);
	assert_int_equal(lines_at(lines, 0)->line, 14);
	assert_int_equal(lines_at(lines, 0)->end, IMAGE_TEXT + IMAGE_TEXT_BYTES);
	lines_free(lines);
}

static void test_where_sequences_overlap_the_lower_wins(void **state)
{
	struct unit unit = unit_begin(5, 4);

	(void)state;
	unit_names(&unit);
	unit_sequence(&unit, 0x10108, 10, 8); /* 108 to 118 */
	unit_sequence(&unit, 0x10100, 11, 8); /* 100 to 110 */
	unit_sequence(&unit, 0x10100, 12, 6);
	struct lines *lines = unit_read(&unit);
	assert_int_equal(lines_count(lines), 2);
	check_line(lines, 0x10100, "main.c", 11, 0);
	check_line(lines, 0x1010f, "main.c", 11, 0);
	assert_int_equal(lines_at(lines, 0)->end, 0x10110);
	assert_int_equal(lines_at(lines, 1)->start, 0x10110);
	check_line(lines, 0x10110, "main.c", 10, 0);
	check_line(lines, 0x10117, "main.c", 10, 0);
	check_line(lines, 0x10118, NULL, 0, 0);
	lines_free(lines);
}

static void test_addresses_that_go_down_start_anew(void **state)
{
	struct unit unit = unit_begin(5, 4);

	(void)state;
	unit_names(&unit);
	unit_address(&unit, 0x10200);
	UNIT(&unit, SPECIAL(0, 1), SPECIAL(4, 1)); /* 2 at 200, 3 at 208 */
	unit_address(&unit, 0x10100);
	UNIT(&unit, SPECIAL(0, 1), SPECIAL(4, 1)); /* 4 at 100, 5 at 108 */
	unit_end_sequence(&unit);
	struct lines *lines = unit_read(&unit);
	assert_int_equal(lines_count(lines), 2);
	check_line(lines, 0x10100, "main.c", 4, 0);
	check_line(lines, 0x10200, "main.c", 2, 0);
	check_line(lines, 0x10208, NULL, 0, 0);
	lines_free(lines);
}

static void test_several_units_share_names(void **state)
{
	struct unit units[] = {unit_begin(4, 4), unit_begin(5, 8), unit_begin(2, 4)};
	struct image section = {0};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
		unit_names(&units[i]);
		unit_sequence(&units[i], 0x10100 + 0x100 * i, (uint8_t)(10 + i), 4);
		unit_end(&units[i]);
		image_add(&section, units[i].image.bytes, units[i].image.size);
		image_number(&section, 0, 4); /* padding, as a unit of no bytes */
		image_release(&units[i].image);
	}
	struct lines *lines = read_image(file_of(&section, ".debug_line", 0));
	/* Version 5 says where the compiler ran, versions 2 and 4 do not. */
	struct source_line found;
	assert_int_equal(lines_file_count(lines), 2);
	assert_string_equal(lines_file(lines, 0), "main.c");
	assert_string_equal(lines_file(lines, 1), "main.c");
	assert_true(lines_find(lines, 0x10100, &found));
	assert_string_equal(found.directory, "");
	assert_true(lines_find(lines, 0x10200, &found));
	assert_string_equal(found.directory, "/run/here");
	assert_true(lines_find(lines, 0x10300, &found));
	assert_string_equal(found.directory, "");
	check_line(lines, 0x10100, "main.c", 10, 0);
	check_line(lines, 0x10200, "main.c", 11, 0);
	check_line(lines, 0x10300, "main.c", 12, 0);
	lines_free(lines);
	image_release(&section);
}

static void test_file_names_are_joined_and_printable(void **state)
{
	static const char tables[] = "dir\0slash/\0\0"
				     "a.c\0\1\0\0"
				     "b.c\0\2\0\0"
				     "c.c\0\x63\0\0"
				     "bell\a.c\0\1\0\0";
	static const char *const names[] = {"dir/a.c", "slash/b.c", "c.c", "dir/bell?.c",
					    "dir/late.c"};
	struct unit unit = unit_begin(4, 4);

	(void)state;
	unit_bytes(&unit, tables, sizeof(tables));
	unit_end_header(&unit);
	UNIT(&unit, EXTENDED, 11, DEFINE_FILE, 'l', 'a', 't', 'e', '.', 'c', 0, 1, 0, 0);
	unit_address(&unit, 0x10100);
	for (uint8_t file = 1; file <= ARRAY_COUNT(names); file++)
		UNIT(&unit, SET_FILE, file, COPY, ADVANCE_PC, 1);
	unit_end_sequence(&unit);
	struct lines *lines = unit_read(&unit);
	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		check_line(lines, 0x10100 + 2 * i, names[i], 1, 0);
	lines_free(lines);
}

static void test_names_may_stand_in_other_sections(void **state)
{
	struct unit unit = unit_begin(5, 4);

	(void)state;
	UNIT(&unit, 1, 1, 0x08, 1, 'd', 0); /* directory 0 as a string */
	UNIT(&unit, 1, 1, 0x0e, 2, 2, 0, 0, 0, 2, 0, 0, 0);
	unit_end_header(&unit);
	unit_sequence(&unit, 0x10100, 10, 4);
	struct lines *lines = unit_read(&unit);
	check_line(lines, 0x10100, "from_str.c", 10, 0);
	lines_free(lines);
}

static void test_long_paths_are_cut(void **state)
{
	struct unit unit = unit_begin(4, 4);
	struct source_line found;
	char *name = malloc(10001);

	(void)state;
	memset(name, 'p', 10000);
	name[10000] = 0;
	unit_bytes(&unit, name, 10001);
	UNIT(&unit, 0);
	unit_bytes(&unit, name, 10001);
	UNIT(&unit, 1, 0, 0, 0);
	unit_end_header(&unit);
	unit_sequence(&unit, 0x10100, 10, 4);
	struct lines *lines = unit_read(&unit);
	assert_true(lines_find(lines, 0x10100, &found));
	assert_int_equal(strlen(found.file), LINES_PATH_BYTES);
	lines_free(lines);
	free(name);
}

static void test_no_line_information_is_an_empty_table(void **state)
{
	struct image empty = {0};
	struct lines *lines = read_image(image_program());

	(void)state;
	assert_int_equal(lines_count(lines), 0);
	assert_int_equal(lines_file_count(lines), 0);
	check_line(lines, 0x10180, NULL, 0, 0);
	lines_free(lines);
	lines = read_image(file_of(&empty, ".debug_line", 0));
	assert_int_equal(lines_count(lines), 0);
	lines_free(lines);
	lines_free(NULL);
}

static void test_compressed_sections_say_what_to_do(void **state)
{
	struct unit unit = unit_begin(5, 4);
	struct image image = file_of(&unit.image, ".debug_line", SHF_COMPRESSED);
	struct err err = {0};

	(void)state;
	assert_null(lines_read(image.bytes, image.size, "prog", &err));
	assert_string_equal(err.text,
			    "prog: section .debug_line is compressed, which is not supported; link "
			    "the program again with -gz=none");
	image_release(&image);
	image = file_of(&unit.image, ".zdebug_line", 0);
	assert_null(lines_read(image.bytes, image.size, "prog", &err));
	assert_string_equal(err.text,
			    "prog: section .zdebug_line is compressed, which is not supported; "
			    "link the program again with -gz=none");
	image_release(&image);
	image_release(&unit.image);
}

static void test_what_is_no_linked_elf_is_refused(void **state)
{
	struct image image = image_program();
	struct err err = {0};

	(void)state;
	assert_null(lines_read(image.bytes, 63, "prog", &err));
	assert_string_equal(err.text, "prog: not a 64-bit little-endian ELF file");
	image_put(&image, offsetof(Elf64_Ehdr, e_type), ET_REL, 2);
	assert_null(lines_read(image.bytes, image.size, "prog", &err));
	assert_string_equal(err.text,
			    "prog: not a linked program or library (ELF type 1); link it first");
	image_release(&image);
}

/* Offsets of fields in the header of a version 4 unit of 32 bits. */
enum {
	OFFSET_VERSION = 4,
	OFFSET_HEADER_LENGTH = 6,
	OFFSET_OPERATIONS = 11,
	OFFSET_RANGE = 14,
	OFFSET_BASE = 15
};

static void check_spoilt(size_t at, uint64_t value, unsigned bytes, const char *reason)
{
	struct unit unit = unit_begin(4, 4);

	unit_names(&unit);
	unit_sequence(&unit, 0x10100, 10, 4);
	image_put(&unit.image, at, value, bytes);
	check_broken(&unit, reason);
}

static void test_broken_headers_are_refused(void **state)
{
	(void)state;
	check_spoilt(OFFSET_VERSION, 1, 2, "its version is none of DWARF 2 to 5");
	check_spoilt(OFFSET_VERSION, 6, 2, "its version is none of DWARF 2 to 5");
	check_spoilt(OFFSET_HEADER_LENGTH, 0xffffff, 4, "its header is truncated");
	check_spoilt(OFFSET_HEADER_LENGTH, 3, 4, "its header has impossible values");
	check_spoilt(OFFSET_OPERATIONS, 4, 1, "its header has impossible values");
	check_spoilt(OFFSET_RANGE, 0, 1, "its header has impossible values");
	check_spoilt(OFFSET_BASE, 0, 1, "its header has impossible values");
	check_spoilt(OFFSET_BASE, 255, 1, "its header is truncated");
	check_spoilt(OFFSET_HEADER_LENGTH, 30, 4, "its tables of names do not end");

	struct unit unit = unit_begin(5, 4);
	unit_names(&unit);
	image_put(&unit.image, 6, 4, 1);
	check_broken(&unit, "its addresses do not have 8 bytes");
}

static void test_broken_lengths_are_refused(void **state)
{
	static const struct {
		uint8_t bytes[12];
		size_t count;
		const char *reason;
	} sections[] = {
		{{1, 2, 3}, 3, "it is truncated"},
		{{1, 0, 0, 0}, 4, "it is truncated"},
		{{0xf5, 0xff, 0xff, 0xff}, 4, "its length is a reserved value"},
		{{0xff, 0xff, 0xff, 0xff, 1, 0}, 6, "it is truncated"},
		{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		 12,
		 "it is truncated"},
		{{1, 0, 0, 0, 4}, 5, "its version is none of DWARF 2 to 5"},
	};
	char sentence[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(sections); i++) {
		struct image section = {0};

		image_add(&section, sections[i].bytes, sections[i].count);
		snprintf(sentence, sizeof(sentence),
			 "prog: the line table at offset 0x0 of .debug_line is broken: %s; build "
			 "the program again, or go on without line numbers",
			 sections[i].reason);
		check_section(&section, sentence);
		image_release(&section);
	}
}

static void check_tables(const uint8_t *bytes, size_t count, const char *reason)
{
	struct unit unit = unit_begin(5, 4);

	unit_bytes(&unit, bytes, count);
	unit_end_header(&unit);
	check_broken(&unit, reason);
}

#define CHECK_TABLES(reason, ...) \
	check_tables((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), reason)

static void test_broken_tables_are_refused(void **state)
{
	(void)state;
	/* Entries of no bytes, as many as a number can say. */
	CHECK_TABLES("its tables of names are truncated", 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		     0xff, 0xff, 0x7f);
	CHECK_TABLES("its tables of names are truncated", 0, 1, 0, 0, 0, 0, 0);
	CHECK_TABLES("its tables of names are truncated", 1, 1, 0x08, 200, 1, 'a', 0);
	CHECK_TABLES("its tables of names are truncated", 1, 1, 0x1f, 2, 0, 0, 0, 0, 1, 0);
	CHECK_TABLES("its tables of names are truncated", 1, 1, 0x09, 2, 0xff, 0xff, 0xff, 0x7f);
	CHECK_TABLES("its tables of names are truncated", 1, 1);
	CHECK_TABLES("its tables use a form of value that is not known", 1, 1, 0x19, 1, 0, 0);
	CHECK_TABLES("a file name lies outside the section of strings", 1, 1, 0x1f, 1, 0xff, 0, 0,
		     0);
	CHECK_TABLES("a file name lies outside the section of strings", 1, 1, 0x0e, 1, 0xff, 0xff,
		     0xff, 0xff);
}

static void check_program(const uint8_t *bytes, size_t count, const char *reason)
{
	struct unit unit = unit_begin(4, 4);

	unit_names(&unit);
	unit_bytes(&unit, bytes, count);
	check_broken(&unit, reason);
}

#define CHECK_PROGRAM(reason, ...)                                                            \
	check_program((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), \
		      reason)

static void test_broken_programs_are_refused(void **state)
{
	(void)state;
	CHECK_PROGRAM("an extended opcode is truncated", EXTENDED, 0);
	CHECK_PROGRAM("an extended opcode is truncated", EXTENDED, 9, SET_ADDRESS, 1);
	CHECK_PROGRAM("an extended opcode is truncated", EXTENDED, 0xff, 0xff, 0xff, 0xff, 0xff,
		      0xff, 0xff, 0xff, 0xff, 0x01, 1);
	CHECK_PROGRAM("it sets an address that does not have 8 bytes", EXTENDED, 5, SET_ADDRESS, 1,
		      0, 0, 0);
	CHECK_PROGRAM("it defines a file in too few bytes", EXTENDED, 3, DEFINE_FILE, 'a', 0);
	CHECK_PROGRAM("it defines a file in too few bytes", EXTENDED, 3, DEFINE_FILE, 'a', 'b', 0,
		      0, 0, 0);
	CHECK_PROGRAM("its program ends in the middle of an opcode", ADVANCE_PC, 0x80);
	CHECK_PROGRAM("its program ends in the middle of an opcode", ADVANCE_LINE);
	CHECK_PROGRAM("its program ends in the middle of an opcode", FIXED_ADVANCE_PC, 1);
}

static void test_absurd_advances_wrap_and_end(void **state)
{
	struct unit unit = unit_begin(4, 4);
	static const uint8_t huge[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
				       0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};

	(void)state;
	unit_names(&unit);
	unit_address(&unit, 0x10100);
	UNIT(&unit, COPY, ADVANCE_PC);
	unit_bytes(&unit, huge, sizeof(huge)); /* 2 * (2^64 - 1) bytes: back by 2 */
	UNIT(&unit, ADVANCE_LINE);
	unit_bytes(&unit, huge, sizeof(huge)); /* back by 1, to line 0 */
	UNIT(&unit, ADVANCE_LINE, 1, COPY, ADVANCE_PC, 1, SET_COLUMN);
	unit_bytes(&unit, huge, sizeof(huge));
	unit_end_sequence(&unit);
	struct lines *lines = unit_read(&unit);
	assert_int_equal(lines_count(lines), 1);
	check_line(lines, 0x100fe, "main.c", 1, 0);
	lines_free(lines);
}

/* Hostile sizes: a megabyte of rows, of sequences, of units, each read in time
 * proportional to it. A quadratic reader would need hours. */
static void test_large_tables_are_read_in_linear_time(void **state)
{
	struct unit unit = unit_begin(4, 4);

	(void)state;
	unit_names(&unit);
	unit_address(&unit, 0x10100);
	for (unsigned i = 0; i < 1000000; i++)
		UNIT(&unit, i % 2 ? SPECIAL(0, 1) : SPECIAL(0, -1));
	UNIT(&unit, ADVANCE_PC, 1);
	unit_end_sequence(&unit);
	for (unsigned i = 0; i < 100000; i++)
		unit_sequence(&unit, 0x10200 + (i * 7919 % 3500), (uint8_t)(1 + i % 60), 60);
	struct lines *lines = unit_read(&unit);
	assert_int_equal(lines_at(lines, 0)->line, 1);
	lines_free(lines);

	struct image section = {0};
	for (unsigned i = 0; i < 20000; i++) {
		struct unit small = unit_begin(5, 4);

		unit_names(&small);
		unit_sequence(&small, 0x10200 + i % 3000, 10, 4);
		unit_end(&small);
		image_add(&section, small.image.bytes, small.image.size);
		image_release(&small.image);
	}
	lines = read_image(file_of(&section, ".debug_line", 0));
	assert_int_equal(lines_file_count(lines), 1);
	lines_free(lines);
	image_release(&section);
}

/* Many names cut out of one string must not multiply into unbounded memory. */
static void test_names_have_a_limit_together(void **state)
{
	const unsigned files = LINES_NAMES_LIMIT / LINES_PATH_BYTES;
	struct image_sections sections = image_sections_begin();
	struct unit unit = unit_begin(5, 4);
	struct rng rng = {.state = 1};
	struct image strings = {0};
	struct err err = {0};

	(void)state;
	for (unsigned i = 0; i < files + LINES_PATH_BYTES; i++)
		image_number(&strings, 'a' + rng_below(&rng, 26), 1);
	UNIT(&unit, 0, 0, 1, 1, 0x1f, 0x80 | (files & 0x7f), 0x80 | (files >> 7 & 0x7f),
	     files >> 14);
	for (unsigned i = 0; i < files; i++)
		image_number(&unit.image, i, 4);
	unit_end_header(&unit);
	unit_address(&unit, 0x10100);
	for (unsigned i = 0; i < files; i++) {
		UNIT(&unit, SET_FILE, 0x80 | (i & 0x7f), 0x80 | (i >> 7 & 0x7f), i >> 14);
		UNIT(&unit, COPY, ADVANCE_PC, 1, COPY);
		unit_address(&unit, 0x10100);
	}
	unit_end(&unit);
	image_section(&sections, ".debug_line", SHT_PROGBITS, unit.image.bytes, unit.image.size);
	image_section(&sections, ".debug_line_str", SHT_PROGBITS, strings.bytes, strings.size);
	struct image image = image_sections_end(&sections);
	assert_null(lines_read(image.bytes, image.size, "prog", &err));
	assert_string_equal(err.text,
			    "prog: the names of its source files need more than 268435456 "
			    "bytes; go on without line numbers");
	image_release(&image);
	image_release(&strings);
	image_release(&unit.image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_opcode_means_what_dwarf_says),
		cmocka_unit_test(test_opcodes_may_be_fewer_or_redefined),
		cmocka_unit_test(test_of_rows_at_one_address_the_last_counts),
		cmocka_unit_test(test_rows_without_source_are_gaps),
		cmocka_unit_test(test_sequences_outside_the_code_are_left_out),
		cmocka_unit_test(test_where_sequences_overlap_the_lower_wins),
		cmocka_unit_test(test_addresses_that_go_down_start_anew),
		cmocka_unit_test(test_several_units_share_names),
		cmocka_unit_test(test_file_names_are_joined_and_printable),
		cmocka_unit_test(test_names_may_stand_in_other_sections),
		cmocka_unit_test(test_long_paths_are_cut),
		cmocka_unit_test(test_no_line_information_is_an_empty_table),
		cmocka_unit_test(test_compressed_sections_say_what_to_do),
		cmocka_unit_test(test_what_is_no_linked_elf_is_refused),
		cmocka_unit_test(test_broken_headers_are_refused),
		cmocka_unit_test(test_broken_lengths_are_refused),
		cmocka_unit_test(test_broken_tables_are_refused),
		cmocka_unit_test(test_broken_programs_are_refused),
		cmocka_unit_test(test_absurd_advances_wrap_and_end),
		cmocka_unit_test(test_large_tables_are_read_in_linear_time),
		cmocka_unit_test(test_names_have_a_limit_together),
	};

	return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}
