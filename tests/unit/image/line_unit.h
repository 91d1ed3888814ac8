/*
 * line_unit.h - line number programs made by hand, for tests: a unit is begun, given names and
 * opcodes, ended, and read as the only one of a file, or refused with its sentence.
 */
#ifndef TEST_IMAGE_LINE_UNIT_H
#define TEST_IMAGE_LINE_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>

#include "image.h"
#include "image/lines.h"

/* Opcodes of line programs, under DWARF's own names. */
enum {
	EXTENDED,
	COPY,
	ADVANCE_PC,
	ADVANCE_LINE,
	SET_FILE,
	SET_COLUMN,
	NEGATE_STMT,
	SET_BASIC_BLOCK,
	CONST_ADD_PC,
	FIXED_ADVANCE_PC,
	SET_PROLOGUE_END,
	SET_EPILOGUE_BEGIN,
	SET_ISA,
	OPCODE_BASE,
};

enum { END_SEQUENCE = 1, SET_ADDRESS, DEFINE_FILE, SET_DISCRIMINATOR };

#define LINE_BASE  -3
#define LINE_RANGE 12
/* The special opcode that advances by so many instructions and lines. */
#define SPECIAL(instructions, lines) \
	(OPCODE_BASE + (instructions)*LINE_RANGE + ((lines) - (LINE_BASE)))

static const char line_strings[] = "main.c\0include\0head.h\0/abs/gen.c\0/run/here";

/* A unit being written. The lengths it begins with are put in at its end. */
struct unit {
	struct image image;
	unsigned version;
	unsigned offset_bytes;
	size_t header_length_at;
};

static inline struct unit unit_begin(unsigned version, unsigned offset_bytes)
{
	struct unit unit = {.version = version, .offset_bytes = offset_bytes};
	static const uint8_t arguments[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};

	if (offset_bytes == 8)
		image_number(&unit.image, UINT32_MAX, 4);
	image_number(&unit.image, 0, offset_bytes);
	image_number(&unit.image, version, 2);
	if (version >= 5) {
		image_number(&unit.image, 8, 1);
		image_number(&unit.image, 0, 1);
	}
	unit.header_length_at = unit.image.size;
	image_number(&unit.image, 0, offset_bytes);
	image_number(&unit.image, 2, 1); /* bytes of the shortest instruction */
	if (version >= 4)
		image_number(&unit.image, 1, 1);
	image_number(&unit.image, 1, 1);
	image_number(&unit.image, (uint8_t)LINE_BASE, 1);
	image_number(&unit.image, LINE_RANGE, 1);
	image_number(&unit.image, OPCODE_BASE, 1);
	image_add(&unit.image, arguments, sizeof(arguments));
	return unit;
}

static inline void unit_bytes(struct unit *unit, const void *bytes, size_t count)
{
	image_add(&unit->image, bytes, count);
}

#define UNIT(unit, ...) \
	unit_bytes((unit), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static inline void unit_end_header(struct unit *unit)
{
	image_put(&unit->image, unit->header_length_at,
		  unit->image.size - unit->header_length_at - unit->offset_bytes,
		  unit->offset_bytes);
}

static inline void unit_end(struct unit *unit)
{
	size_t at = unit->offset_bytes == 8 ? 4 : 0;

	image_put(&unit->image, at, unit->image.size - at - unit->offset_bytes, unit->offset_bytes);
}

/* Files 1: main.c, 2: include/head.h, 3: /abs/gen.c, in any version. */
static inline void unit_names(struct unit *unit)
{
	static const char tables[] = "include\0\0"
				     "main.c\0\0\0\0"
				     "head.h\0\1\0\0"
				     "/abs/gen.c\0\1\0\0";

	if (unit->version < 5) {
		unit_bytes(unit, tables, sizeof(tables));
		unit_end_header(unit);
		return;
	}
	UNIT(unit, 1, 1, 0x1f, 2); /* one column: path, line_strp; two directories */
	image_number(&unit->image, 33, unit->offset_bytes);
	image_number(&unit->image, 7, unit->offset_bytes);
	/* path by line_strp, directory by udata, MD5 by data16, a vendor's block */
	UNIT(unit, 4, 1, 0x1f, 2, 0x0f, 5, 0x1e, 0x81, 0x40, 0x0a, 4);
	static const struct {
		uint8_t name, directory;
	} files[] = {{0, 0}, {0, 0}, {15, 1}, {22, 1}};
	for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
		image_number(&unit->image, files[i].name, unit->offset_bytes);
		image_number(&unit->image, files[i].directory, 1);
		image_add(&unit->image, NULL, 16);
		UNIT(unit, 2, 0xaa, 0xbb);
	}
	unit_end_header(unit);
}

static inline void unit_address(struct unit *unit, uint64_t address)
{
	UNIT(unit, EXTENDED, 9, SET_ADDRESS);
	image_number(&unit->image, address, 8);
}

static inline void unit_end_sequence(struct unit *unit)
{
	UNIT(unit, EXTENDED, 1, END_SEQUENCE);
}

static inline struct image file_of(const struct image *section, const char *name, uint64_t flags)
{
	struct image_sections sections = image_sections_begin();
	unsigned index =
		image_section(&sections, name, SHT_PROGBITS, section->bytes, section->size);

	image_put(&sections.headers, IMAGE_SHDR(index, sh_flags), flags, 8);
	image_section(&sections, ".debug_line_str", SHT_PROGBITS, line_strings,
		      sizeof(line_strings));
	image_section(&sections, ".debug_str", SHT_PROGBITS, "x\0from_str.c", 13);
	return image_sections_end(&sections);
}

static inline struct lines *read_image(struct image image)
{
	struct err err = {0};
	uint8_t *exact = malloc(image.size);

	memcpy(exact, image.bytes, image.size);
	struct lines *lines = lines_read(exact, image.size, "prog", &err);
	if (!lines)
		fail_msg("%s", err.text);
	free(exact);
	image_release(&image);
	return lines;
}

/* Ends the unit, reads it as a file's only one, and forgets it. */
static inline struct lines *unit_read(struct unit *unit)
{
	unit_end(unit);
	struct lines *lines = read_image(file_of(&unit->image, ".debug_line", 0));
	image_release(&unit->image);
	return lines;
}

static inline void check_section(const struct image *section, const char *sentence)
{
	struct image image = file_of(section, ".debug_line", 0);
	struct err err = {0};

	assert_null(lines_read(image.bytes, image.size, "prog", &err));
	assert_string_equal(err.text, sentence);
	image_release(&image);
}

/* The same for a unit that must be refused, for this reason. */
static inline void check_broken(struct unit *unit, const char *reason)
{
	char sentence[256];

	unit_end(unit);
	snprintf(sentence, sizeof(sentence),
		 "prog: the line table at offset 0x0 of .debug_line is broken: %s; build the "
		 "program again, or go on without line numbers",
		 reason);
	check_section(&unit->image, sentence);
	image_release(&unit->image);
}

static inline void check_line(const struct lines *lines, uint64_t address, const char *file,
			      uint32_t line, uint32_t column)
{
	struct source_line found = {0};

	if (!file) {
		assert_false(lines_find(lines, address, &found));
		return;
	}
	assert_true(lines_find(lines, address, &found));
	assert_string_equal(found.file, file);
	assert_int_equal(found.line, line);
	assert_int_equal(found.column, column);
}

static inline void unit_sequence(struct unit *unit, uint64_t address, uint8_t line,
				 uint8_t instructions)
{
	unit_address(unit, address);
	UNIT(unit, ADVANCE_LINE, (uint8_t)(line - 1), COPY, ADVANCE_PC, instructions);
	unit_end_sequence(unit);
}

#endif
