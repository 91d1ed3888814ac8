/* Line tables at their limits: every form of value, lengths that are just reserved, opcodes beyond
 * those that are known, code in several sections, names at the length that is kept. And symbols:
 * where names begin and end, and which of several at one address is told. */
#include "../report/expected.h"
#include "line_unit.h"

#include "image/symbols.h"

/* The directory of each file is written in another form, and blocks of every form stand between. */
static void every_form_of_value_is_read(void **state)
{
	static const char *const names[] = {"one/a", "two/b", "three/c", "four/d", "five/e"};
	static const uint8_t forms[] = {0x0b, 0x05, 0x06, 0x07, 0x0f}; /* data1, 2, 4, 8, udata */
	static const uint8_t bytes[] = {1, 2, 4, 8, 1};

	(void)state;
	for (size_t f = 0; f < ARRAY_COUNT(forms); f++) {
		struct unit unit = unit_begin(5, 4);

		UNIT(&unit, 1, 1, 0x08, 6); /* six directories, as strings */
		unit_bytes(&unit, "/top\0one\0two\0three\0four\0five", 29);
		/* A block of each form, the path, another of them, the directory. */
		UNIT(&unit, 7, 0x80, 0x40, 0x0a, 0x80, 0x40, 0x03, 1, 0x08, 0x80, 0x40, 0x04, 0x80,
		     0x40, 0x09, 3, 0x1e, 2, forms[f], 6);
		for (uint8_t i = 0; i < 6; i++) {
			UNIT(&unit, 1, 0xaa);				  /* block1 */
			UNIT(&unit, 2, 0, 0xbb, 0xbb);			  /* block2 */
			UNIT(&unit, (uint8_t)('a' + (i ? i - 1 : 0)), 0); /* string */
			UNIT(&unit, 3, 0, 0, 0, 0xcc, 0xcc, 0xcc);	  /* block4 */
			UNIT(&unit, 0x81, 0, 0xdd);			  /* block */
			image_add(&unit.image, NULL, 16);		  /* data16 */
			image_number(&unit.image, i, bytes[f]);
		}
		unit_end_header(&unit);
		unit_address(&unit, 0x10100);
		for (uint8_t file = 1; file <= 5; file++)
			UNIT(&unit, SET_FILE, file, COPY, ADVANCE_PC, 1);
		unit_end_sequence(&unit);
		struct lines *lines = unit_read(&unit);
		for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
			struct source_line found;

			assert_true(lines_find(lines, 0x10100 + 2 * i, &found));
			assert_string_equal(found.file, names[i]);
			assert_string_equal(found.directory, "/top");
		}
		lines_free(lines);
	}
}

/* Numbers of directories that no table has, the largest of 32 bits and one that would wrap to 1. */
static void impossible_directories_are_none(void **state)
{
	static const uint64_t numbers[] = {2, UINT32_MAX, (UINT64_C(1) << 32) + 1};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(numbers); i++) {
		struct unit unit = unit_begin(5, 4);

		UNIT(&unit, 1, 1, 0x08, 2, 't', 0, 'd', 0);
		UNIT(&unit, 2, 1, 0x08, 2, 0x07, 2, 'x', 0);
		image_number(&unit.image, 1, 8);
		UNIT(&unit, 'y', 0);
		image_number(&unit.image, numbers[i], 8);
		unit_end_header(&unit);
		unit_address(&unit, 0x10100);
		UNIT(&unit, SET_FILE, 0, COPY, ADVANCE_PC, 1, SET_FILE, 1, COPY, ADVANCE_PC, 1);
		unit_end_sequence(&unit);
		struct lines *lines = unit_read(&unit);
		check_line(lines, 0x10100, "d/x", 1, 0);
		check_line(lines, 0x10102, "y", 1, 0);
		lines_free(lines);
	}
}

static void lengths_are_reserved_from_there_on(void **state)
{
	static const struct {
		uint32_t length;
		const char *reason;
	} rows[] = {{0xffffffef, "it is truncated"},
		    {0xfffffff0, "its length is a reserved value"},
		    {0xfffffffe, "its length is a reserved value"},
		    {0xffffffff, "it is truncated"}};
	char sentence[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct image section = {0};

		image_number(&section, rows[i].length, 4);
		snprintf(sentence, sizeof(sentence),
			 "prog: the line table at offset 0x0 of .debug_line is broken: %s; build "
			 "the program again, or go on without line numbers",
			 rows[i].reason);
		check_section(&section, sentence);
		image_release(&section);
	}
}

/* The sentence has the offset of the unit that is broken. */
static void the_broken_unit_is_named(void **state)
{
	struct unit unit = unit_begin(4, 4);
	struct image section = {0};
	char sentence[256];

	(void)state;
	unit_names(&unit);
	unit_sequence(&unit, 0x10100, 10, 4);
	unit_end(&unit);
	image_add(&section, unit.image.bytes, unit.image.size);
	snprintf(sentence, sizeof(sentence),
		 "prog: the line table at offset 0x%zx of .debug_line is broken: it is truncated; "
		 "build the program again, or go on without line numbers",
		 unit.image.size);
	image_number(&section, 1, 4);
	check_section(&section, sentence);
	image_release(&section);
	image_release(&unit.image);
}

/* Opcode 13 of a unit with more of them has two arguments; what it means is not known. */
static void opcodes_beyond_the_known_are_skipped(void **state)
{
	struct image section = {0};

	(void)state;
	image_number(&section, 0, 4);
	image_number(&section, 3, 2);
	image_number(&section, 0, 4);
	size_t header = section.size;
	static const uint8_t fields[] = {4, 1, (uint8_t)-1, 4, 14, 0, 1, 1, 1,
					 1, 0, 0,	    0, 1,  0, 0, 1, 2};
	image_add(&section, fields, sizeof(fields));
	image_add(&section, "\0m.c\0\0\0\0\0", 10);
	image_put(&section, 6, section.size - header, 4);
	static const uint8_t program[] = {
		0,	    9, 2,  0, 1,    1, 0, 0, 0,
		0,	    0, 13, 5, 0x81, 1, 1, 8, /* (255 - 14) / 4 = 60 instructions of 4 bytes
						      */
		14 + 4 + 3,			     /* one instruction, two lines */
		2,	    2, 0,  1, 1};
	image_add(&section, program, sizeof(program));
	image_put(&section, 0, section.size - 4, 4);
	struct lines *lines = read_image(file_of(&section, ".debug_line", 0));
	assert_int_equal(lines_count(lines), 2);
	check_line(lines, 0x10100, "m.c", 1, 0);
	check_line(lines, 0x101f3, "m.c", 1, 0);
	check_line(lines, 0x101f4, "m.c", 3, 0);
	check_line(lines, 0x101fb, "m.c", 3, 0);
	check_line(lines, 0x101fc, NULL, 0, 0);
	lines_free(lines);
	image_release(&section);
}

/* The first line of a special opcode is a number of eight bits with a sign. */
static void special_opcodes_go_far(void **state)
{
	static const struct {
		int base;
		uint32_t line;
	} rows[] = {{100, 302}, {127, 329}, {-100, 102}, {-128, 74}};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct unit unit = unit_begin(4, 4);

		/* After the shortest instruction, operations and is_stmt. */
		image_put(&unit.image, unit.header_length_at + 4 + 3, (uint8_t)rows[i].base, 1);
		unit_names(&unit);
		unit_address(&unit, 0x10100);
		UNIT(&unit, ADVANCE_LINE, 0xc8, 0x01); /* line 201 */
		UNIT(&unit, OPCODE_BASE + 1, ADVANCE_PC, 1);
		unit_end_sequence(&unit);
		struct lines *lines = unit_read(&unit);
		check_line(lines, 0x10100, "main.c", rows[i].line, 0);
		lines_free(lines);
	}
}

static void columns_have_32_bits(void **state)
{
	static const struct {
		uint8_t bytes[5];
		uint32_t column;
	} rows[] = {{{0xff, 0xff, 0xff, 0xff, 0x0f}, UINT32_MAX},
		    {{0x80, 0x80, 0x80, 0x80, 0x10}, 0},
		    {{0x81, 0x80, 0x80, 0x80, 0x10}, 0}};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct unit unit = unit_begin(4, 4);

		unit_names(&unit);
		unit_address(&unit, 0x10100);
		UNIT(&unit, SET_COLUMN);
		unit_bytes(&unit, rows[i].bytes, 5);
		UNIT(&unit, COPY, ADVANCE_PC, 1);
		unit_end_sequence(&unit);
		struct lines *lines = unit_read(&unit);
		check_line(lines, 0x10100, "main.c", 1, rows[i].column);
		lines_free(lines);
	}
}

/* Every sequence begins with file 1, line 1, column 0, whatever the one before it ended with. */
static void sequences_begin_anew(void **state)
{
	struct unit unit = unit_begin(4, 4);

	(void)state;
	unit_names(&unit);
	unit_address(&unit, 0x10100);
	UNIT(&unit, SET_FILE, 2, SET_COLUMN, 9, ADVANCE_LINE, 5, COPY, ADVANCE_PC, 1);
	unit_end_sequence(&unit);
	unit_address(&unit, 0x10200);
	UNIT(&unit, COPY, ADVANCE_PC, 1);
	unit_end_sequence(&unit);
	struct lines *lines = unit_read(&unit);
	assert_int_equal(lines_count(lines), 2);
	check_line(lines, 0x10100, "include/head.h", 6, 9);
	check_line(lines, 0x10200, "main.c", 1, 0);
	lines_free(lines);
}

/* Code in three sections that are not in the order of their addresses; each sequence ends where its
 * section does. */
static void sequences_end_with_their_section(void **state)
{
	struct unit unit = unit_begin(4, 4);
	struct image_sections sections = image_sections_begin();

	(void)state;
	unit_names(&unit);
	unit_sequence(&unit, 0x20000, 10, 100); /* 0x20 bytes are code */
	unit_sequence(&unit, 0x0fff0, 11, 4);	/* 8 bytes of 0x10 */
	unit_sequence(&unit, 0x1fffe, 12, 4);	/* begins before the code */
	unit_sequence(&unit, 0x10ffe, 13, 9);	/* 2 bytes up to the end of .text */
	unit_sequence(&unit, 0x11000, 14, 9);	/* behind it */
	unit_end(&unit);
	image_code_section(&sections, ".high", 0x20000, 0x20);
	image_code_section(&sections, ".low", 0x0fff0, 0x10);
	image_section(&sections, ".debug_line", SHT_PROGBITS, unit.image.bytes, unit.image.size);
	struct lines *lines = read_image(image_sections_end(&sections));
	assert_int_equal(lines_count(lines), 3);
	check_line(lines, 0x0ffef, NULL, 0, 0);
	check_line(lines, 0x0fff0, "main.c", 11, 0);
	check_line(lines, 0x0fff7, "main.c", 11, 0);
	check_line(lines, 0x0fff8, NULL, 0, 0);
	check_line(lines, 0x10ffe, "main.c", 13, 0);
	check_line(lines, 0x10fff, "main.c", 13, 0);
	check_line(lines, 0x11000, NULL, 0, 0);
	check_line(lines, 0x1ffff, NULL, 0, 0);
	check_line(lines, 0x20000, "main.c", 10, 0);
	check_line(lines, 0x2001f, "main.c", 10, 0);
	check_line(lines, 0x20020, NULL, 0, 0);
	lines_free(lines);
	image_release(&unit.image);
}

/* Ranges are joined only where file, line, column and place continue. */
static void ranges_continue_only_themselves(void **state)
{
	struct unit unit = unit_begin(4, 4);

	(void)state;
	unit_names(&unit);
	unit_address(&unit, 0x10100);
	UNIT(&unit, COPY, ADVANCE_PC, 1);		      /* main.c:1 */
	UNIT(&unit, COPY, ADVANCE_PC, 1);		      /* the same: joined */
	UNIT(&unit, SET_FILE, 3, COPY, ADVANCE_PC, 1);	      /* another file */
	UNIT(&unit, SET_COLUMN, 4, COPY, ADVANCE_PC, 1);      /* another column */
	UNIT(&unit, ADVANCE_LINE, 1, COPY, ADVANCE_PC, 1);    /* another line */
	UNIT(&unit, ADVANCE_LINE, 0x7e, COPY, ADVANCE_PC, 1); /* line 0: a gap */
	UNIT(&unit, ADVANCE_LINE, 2, COPY, ADVANCE_PC, 1);    /* as before the gap */
	unit_end_sequence(&unit);
	struct lines *lines = unit_read(&unit);
	static const struct line_range wanted[] = {
		{0x10100, 0x10104, 0, 1, 0}, {0x10104, 0x10106, 1, 1, 0},
		{0x10106, 0x10108, 1, 1, 4}, {0x10108, 0x1010a, 1, 2, 4},
		{0x1010c, 0x1010e, 1, 2, 4},
	};
	assert_int_equal(lines_count(lines), ARRAY_COUNT(wanted));
	for (size_t i = 0; i < ARRAY_COUNT(wanted); i++) {
		assert_int_equal(lines_at(lines, i)->start, wanted[i].start);
		assert_int_equal(lines_at(lines, i)->end, wanted[i].end);
		assert_int_equal(lines_at(lines, i)->file, wanted[i].file);
		assert_int_equal(lines_at(lines, i)->line, wanted[i].line);
		assert_int_equal(lines_at(lines, i)->column, wanted[i].column);
	}
	lines_free(lines);
}

/* Of sequences that overlap each address belongs to the lowest; what continues across them is one
 * range. */
static void sequences_are_joined(void **state)
{
	struct unit unit = unit_begin(4, 4);

	(void)state;
	unit_names(&unit);
	unit_sequence(&unit, 0x10120, 10, 8); /* 120 to 130 */
	unit_sequence(&unit, 0x10110, 10, 8); /* 110 to 120, the same line */
	unit_sequence(&unit, 0x10112, 12, 2); /* within it */
	unit_sequence(&unit, 0x1012e, 13, 4); /* 12e to 136, of which 130 on are left */
	unit_sequence(&unit, 0x10136, 14, 1); /* begins where that one ends */
	struct lines *lines = unit_read(&unit);
	static const struct line_range wanted[] = {{0x10110, 0x10130, 0, 10, 0},
						   {0x10130, 0x10136, 0, 13, 0},
						   {0x10136, 0x10138, 0, 14, 0}};
	assert_int_equal(lines_count(lines), ARRAY_COUNT(wanted));
	for (size_t i = 0; i < ARRAY_COUNT(wanted); i++) {
		assert_int_equal(lines_at(lines, i)->start, wanted[i].start);
		assert_int_equal(lines_at(lines, i)->end, wanted[i].end);
		assert_int_equal(lines_at(lines, i)->line, wanted[i].line);
	}
	lines_free(lines);
}

/* Names of 4096 bytes are whole, longer ones are cut before a character that does not fit. */
static void names_are_kept_up_to_their_length(void **state)
{
	static const struct {
		size_t directory, name; /* lengths */
		bool has_umlaut;	/* at the end of the name */
		size_t wanted;
	} rows[] = {
		{0, 4095, false, 4095},	 {0, 4096, false, 4096},  {0, 4097, false, 4096},
		{0, 4096, true, 4096},	 {0, 4097, true, 4095},	  {0, 4098, true, 4096},
		{95, 4000, false, 4096}, {95, 4001, false, 4096}, {94, 4000, false, 4095},
		{4094, 1, false, 4096},	 {4095, 1, false, 4096},  {4096, 1, false, 4096},
		{4097, 1, false, 4096},	 {4100, 1, false, 4096},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct unit unit = unit_begin(4, 4);
		struct source_line found;

		for (size_t k = 0; k < rows[i].directory; k++)
			UNIT(&unit, 'd');
		if (rows[i].directory)
			UNIT(&unit, 0);
		UNIT(&unit, 0);
		for (size_t k = rows[i].has_umlaut ? 2 : 0; k < rows[i].name; k++)
			UNIT(&unit, 'n');
		if (rows[i].has_umlaut)
			UNIT(&unit, 0xc3, 0xb6);
		UNIT(&unit, 0, 1, 0, 0, 0);
		unit_end_header(&unit);
		unit_sequence(&unit, 0x10100, 10, 4);
		struct lines *lines = unit_read(&unit);
		assert_true(lines_find(lines, 0x10100, &found));
		assert_int_equal(strlen(found.file), rows[i].wanted);
		assert_int_equal(strspn(found.file, "d"),
				 rows[i].directory < 4096 ? rows[i].directory : 4096);
		lines_free(lines);
	}
}

/* Of .debug_line_str at most 8192 bytes of a name are looked at; the compiler's directory is cut at
 * 4096. */
static void directories_of_the_compiler_are_cut(void **state)
{
	static const size_t lengths[] = {4095, 4096, 4097};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(lengths); i++) {
		struct unit unit = unit_begin(5, 4);
		struct source_line found;

		UNIT(&unit, 1, 1, 0x08, 1, '/');
		for (size_t k = 1; k < lengths[i]; k++)
			UNIT(&unit, 'd');
		UNIT(&unit, 0);
		UNIT(&unit, 1, 1, 0x08, 3, 'x', 0, 'x', 0, '/', 'y', 0);
		unit_end_header(&unit);
		unit_address(&unit, 0x10100);
		UNIT(&unit, COPY, ADVANCE_PC, 1, SET_FILE, 2, COPY, ADVANCE_PC, 1);
		unit_end_sequence(&unit);
		struct lines *lines = unit_read(&unit);
		assert_true(lines_find(lines, 0x10100, &found));
		assert_string_equal(found.file, "x");
		assert_int_equal(strlen(found.directory), lengths[i] < 4096 ? lengths[i] : 4096);
		/* A name that begins at the root is complete. */
		assert_true(lines_find(lines, 0x10102, &found));
		assert_string_equal(found.file, "/y");
		assert_string_equal(found.directory, "");
		lines_free(lines);
	}
}

/* The strings have 43 bytes: the last letter, its NUL, and what lies behind them. */
static void strings_end_with_their_section(void **state)
{
	static const char *const wanted[] = {"e", NULL};

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		struct unit unit = unit_begin(5, 4);

		UNIT(&unit, 0, 0, 1, 1, 0x1f, 2);
		image_number(&unit.image, 0, 4);
		image_number(&unit.image, 41 + i, 4);
		unit_end_header(&unit);
		unit_sequence(&unit, 0x10100, 10, 4);
		if (i == 2) {
			check_broken(&unit, "a file name lies outside the section of strings");
		} else {
			struct lines *lines = unit_read(&unit);

			check_line(lines, 0x10100, wanted[i], 10, 0);
			lines_free(lines);
		}
	}
}

/* A unit has at most 2^20 directories and as many files, the first of which older versions do not
 * write. */
#define MOST (1u << 20)

/* Reads the unit, or compares the reason for which it is refused. */
static void expect_unit(struct unit *unit, const char *reason)
{
	if (reason)
		check_broken(unit, reason);
	else
		lines_free(unit_read(unit));
}

static void tables_have_a_largest_size(void **state)
{
	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		struct unit unit = unit_begin(4, 4);

		for (unsigned i = 0; i < MOST - 1 + more; i++)
			unit_bytes(&unit, "d", 2);
		UNIT(&unit, 0, 0);
		unit_end_header(&unit);
		expect_unit(&unit, more ? "it has too many directories" : NULL);

		unit = unit_begin(4, 4);
		UNIT(&unit, 0);
		for (unsigned i = 0; i < MOST - 1 + more; i++)
			unit_bytes(&unit, "f\0\0\0", 5);
		UNIT(&unit, 0);
		unit_end_header(&unit);
		expect_unit(&unit, more ? "it has too many files" : NULL);

		unit = unit_begin(5, 4);
		UNIT(&unit, 1, 1, 0x08, 0x80 | more, 0x80, 0x40); /* 2^20, or one more */
		for (unsigned i = 0; i < MOST + more; i++)
			unit_bytes(&unit, "d", 2);
		UNIT(&unit, 0, 0);
		unit_end_header(&unit);
		expect_unit(&unit, more ? "it has too many files or directories" : NULL);
	}
	/* One that the program defines is one too many. */
	for (unsigned more = 0; more < 2; more++) {
		struct unit unit = unit_begin(4, 4);

		UNIT(&unit, 0);
		for (unsigned i = 0; i < MOST - 2 + more; i++)
			unit_bytes(&unit, "f\0\0\0", 5);
		UNIT(&unit, 0);
		unit_end_header(&unit);
		UNIT(&unit, EXTENDED, 6, DEFINE_FILE, 'l', 0, 0, 0, 0);
		expect_unit(&unit, more ? "it has too many files" : NULL);
	}
}

/* A file of symbols, each with a name at an offset of its own choice. */
struct entry {
	uint32_t name;
	uint8_t info;
	uint16_t section;
	uint64_t address, bytes;
};

static struct symbols *symbols_of(const struct entry *entries, size_t count, const char *strings,
				  size_t strings_bytes)
{
	struct image_sections sections = image_sections_begin();
	struct image table = {0};
	struct err err = {""};

	image_code_section(&sections, ".more", 0x20000, 0x100);
	for (size_t i = 0; i < count; i++) {
		image_number(&table, entries[i].name, 4);
		image_number(&table, entries[i].info, 1);
		image_number(&table, 0, 1);
		image_number(&table, entries[i].section, 2);
		image_number(&table, entries[i].address, 8);
		image_number(&table, entries[i].bytes, 8);
	}
	unsigned symbols = image_section(&sections, ".symtab", SHT_SYMTAB, table.bytes, table.size);
	unsigned text = image_section(&sections, ".strtab", SHT_STRTAB, strings, strings_bytes);
	image_put(&sections.headers, IMAGE_SHDR(symbols, sh_entsize), sizeof(Elf64_Sym), 8);
	image_put(&sections.headers, IMAGE_SHDR(symbols, sh_link), text, 4);
	image_release(&table);
	struct image image = image_sections_end(&sections);
	struct symbols *read = symbols_read(image.bytes, image.size, "prog", &err);
	if (!read)
		fail_msg("%s", err.text);
	image_release(&image);
	return read;
}

#define FUNCTION ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)
#define WEAK	 ELF64_ST_INFO(STB_WEAK, STT_FUNC)
#define LOCAL	 ELF64_ST_INFO(STB_LOCAL, STT_FUNC)
#define LABEL	 ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE)

static void names_of_symbols_lie_in_their_table(void **state)
{
	/* 0 "", 1 "main", 6 ".", 8 ".L", 11 "$", 13 ".l", 16 "z" up to the end. */
	static const char strings[] = "\0main\0.\0.L\0$\0.l\0z";
	static const struct entry entries[] = {
		{1, FUNCTION, 1, 0x10100, 4},  {2, FUNCTION, 1, 0x10110, 4},
		{0, FUNCTION, 1, 0x10120, 4},  {6, FUNCTION, 1, 0x10130, 4},
		{8, FUNCTION, 1, 0x10140, 4},  {11, FUNCTION, 1, 0x10150, 4},
		{13, FUNCTION, 1, 0x10160, 4}, {16, FUNCTION, 1, 0x10170, 4},
		{17, FUNCTION, 1, 0x10180, 4}, {UINT32_MAX, FUNCTION, 1, 0x10190, 4},
	};
	static const char *const wanted[] = {"main", "ain", ".", ".l", "z"};

	(void)state;
	struct symbols *symbols = symbols_of(entries, ARRAY_COUNT(entries), strings, 17);
	assert_int_equal(symbols_count(symbols), ARRAY_COUNT(wanted));
	for (size_t i = 0; i < ARRAY_COUNT(wanted); i++)
		assert_string_equal(symbols_at(symbols, i)->name, wanted[i]);
	symbols_free(symbols);
}

/* At the first and last address of a section, and in the sections that there are. */
static void symbols_lie_in_their_section(void **state)
{
	static const char strings[] = "\0a\0b\0c\0d\0e\0f";
	static const struct entry entries[] = {
		{1, FUNCTION, 1, 0x10000, 0x1000}, {3, FUNCTION, 2, 0x200ff, 2},
		{5, FUNCTION, 2, 0x20100, 1},	   {7, FUNCTION, 2, 0x1ffff, 4},
		{9, FUNCTION, 6, 0x20000, 4},	   {11, FUNCTION, 0xff00, 0x20000, 4},
	};

	(void)state;
	struct symbols *symbols =
		symbols_of(entries, ARRAY_COUNT(entries), strings, sizeof(strings));
	assert_int_equal(symbols_count(symbols), 2);
	assert_int_equal(symbols_at(symbols, 0)->bytes, 0x1000);
	assert_string_equal(symbols_at(symbols, 1)->name, "b");
	assert_int_equal(symbols_at(symbols, 1)->bytes, 1);
	symbols_free(symbols);
}

/* At one address: binding, then type, then size, then underscores, then the alphabet. */
static void the_most_telling_name_comes_first(void **state)
{
	static const char strings[] = "\0a\0b\0_c\0__d";
	static const struct {
		struct entry first, second;
		const char *wanted;
	} rows[] = {
		{{1, LOCAL, 1, 0x10100, 9}, {7, WEAK, 1, 0x10100, 1}, "__d"},
		{{1, WEAK, 1, 0x10100, 9}, {8, FUNCTION, 1, 0x10100, 1}, "__d"},
		{{1, LABEL, 1, 0x10100, 9}, {8, FUNCTION, 1, 0x10100, 1}, "__d"},
		{{1, FUNCTION, 1, 0x10100, 8}, {8, FUNCTION, 1, 0x10100, 9}, "__d"},
		{{5, FUNCTION, 1, 0x10100, 8}, {8, FUNCTION, 1, 0x10100, 8}, "_c"},
		{{1, FUNCTION, 1, 0x10100, 8}, {3, FUNCTION, 1, 0x10100, 8}, "a"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct entry both[] = {rows[i].first, rows[i].second};

		for (unsigned order = 0; order < 2; order++) {
			both[order] = rows[i].first;
			both[!order] = rows[i].second;
			for (unsigned k = 0; k < 2; k++)
				if (both[k].name == 7)
					both[k].name = 8;
			struct symbols *symbols = symbols_of(both, 2, strings, sizeof(strings));
			assert_int_equal(symbols_count(symbols), 1);
			assert_string_equal(symbols_find(symbols, 0x10100)->name, rows[i].wanted);
			assert_non_null(symbols_by_name(symbols, strings + both[0].name));
			assert_non_null(symbols_by_name(symbols, strings + both[1].name));
			symbols_free(symbols);
		}
	}
}

/* Names of 512 bytes are whole. */
static void names_of_symbols_are_cut(void **state)
{
	static const size_t lengths[] = {511, 512, 513, 600};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(lengths); i++) {
		char strings[700] = "";
		static const struct entry entry = {1, FUNCTION, 1, 0x10100, 4};

		memset(strings + 1, 'n', lengths[i]);
		struct symbols *symbols = symbols_of(&entry, 1, strings, lengths[i] + 2);
		assert_int_equal(strlen(symbols_at(symbols, 0)->name),
				 lengths[i] < 512 ? lengths[i] : 512);
		symbols_free(symbols);
	}
}

/* More rows than there may be ranges are accepted if they continue each other. */
static void rows_of_one_line_are_one_range(void **state)
{
	const size_t rows = (1 << 24) + 1;
	struct unit unit = unit_begin(4, 4);
	struct image_sections sections = image_sections_begin();
	uint8_t *program = malloc(rows);

	(void)state;
	unit_names(&unit);
	unit_address(&unit, 0x100000);
	memset(program, SPECIAL(1, 0), rows);
	unit_bytes(&unit, program, rows);
	unit_end_sequence(&unit);
	unit_end(&unit);
	image_code_section(&sections, ".large", 0x100000, 4 * rows);
	image_section(&sections, ".debug_line", SHT_PROGBITS, unit.image.bytes, unit.image.size);
	struct lines *lines = read_image(image_sections_end(&sections));
	assert_int_equal(lines_count(lines), 1);
	assert_int_equal(lines_at(lines, 0)->start, 0x100002);
	assert_int_equal(lines_at(lines, 0)->end, 0x100000 + 2 * rows);
	lines_free(lines);
	image_release(&unit.image);
	free(program);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(every_form_of_value_is_read),
	cmocka_unit_test(impossible_directories_are_none),
	cmocka_unit_test(lengths_are_reserved_from_there_on),
	cmocka_unit_test(the_broken_unit_is_named),
	cmocka_unit_test(opcodes_beyond_the_known_are_skipped),
	cmocka_unit_test(special_opcodes_go_far),
	cmocka_unit_test(columns_have_32_bits),
	cmocka_unit_test(sequences_begin_anew),
	cmocka_unit_test(sequences_end_with_their_section),
	cmocka_unit_test(ranges_continue_only_themselves),
	cmocka_unit_test(sequences_are_joined),
	cmocka_unit_test(names_are_kept_up_to_their_length),
	cmocka_unit_test(directories_of_the_compiler_are_cut),
	cmocka_unit_test(strings_end_with_their_section),
	cmocka_unit_test(tables_have_a_largest_size),
	cmocka_unit_test(names_of_symbols_lie_in_their_table),
	cmocka_unit_test(symbols_lie_in_their_section),
	cmocka_unit_test(the_most_telling_name_comes_first),
	cmocka_unit_test(names_of_symbols_are_cut),
};

static void nothing_is_left_in_memory(void **state)
{
	(void)state;
	expected_no_growth(tests, ARRAY_COUNT(tests));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest memory[] = {cmocka_unit_test(nothing_is_left_in_memory),
					    cmocka_unit_test(rows_of_one_line_are_one_range)};

	(void)argc;
	expected_exact_memory(argv);
	return cmocka_run_group_tests_name("lines and symbols", tests, NULL, NULL) +
	       cmocka_run_group_tests_name("memory", memory, NULL, NULL);
}
