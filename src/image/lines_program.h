/*
 * lines_program.h - one unit of .debug_line: its tables of directories and
 * files, and the state machine that its program drives (DWARF 5, section 6.2;
 * versions 2 to 4 as in their own texts).
 *
 * Rows are read one at a time. Every step takes at least one byte of the unit,
 * and units follow each other without overlap, so all of it together is linear
 * in the section. A unit does not outlive the bytes it was opened on.
 *
 * Registers that have no use here (is_stmt, basic_block, prologue and epilogue
 * marks, isa, discriminator, op_index) are not kept: RISC-V is not VLIW.
 */
#ifndef IMAGE_LINES_PROGRAM_H
#define IMAGE_LINES_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/reader.h"

#define LINE_UNIT_FILES_MAX (1u << 20) /* files, or directories, of one unit */
#define LINE_TEXT_MAX	    8192       /* names are read up to this length */
#define LINE_FILE_UNSEEN    UINT32_MAX

struct line_text {
	const uint8_t *bytes; /* NULL: none; not ended by NUL */
	size_t length;
};

struct line_strings {
	struct line_text line_str; /* .debug_line_str, or none */
	struct line_text str;	   /* .debug_str, or none */
};

struct line_file {
	struct line_text name;
	uint32_t directory; /* index in directories[]; 0: where the compiler ran */
	uint32_t seen_as;   /* for the caller's use; LINE_FILE_UNSEEN at first */
};

struct line_row {
	uint64_t address;
	uint64_t file; /* index in files[], not checked */
	uint32_t line;
	uint32_t column;
	bool ends_sequence; /* address is the first after the sequence; the other fields are not
			       valid */
};

struct line_unit {
	struct reader program;
	const char *trouble; /* what is broken, for a sentence; NULL: nothing */
	struct line_row row;
	struct line_text *directories; /* numbered from 0 in all versions; owned */
	size_t directory_count;
	size_t directory_capacity;
	struct line_file *files; /* numbered as in the line number program; owned */
	size_t file_count;
	size_t file_capacity;
	const uint8_t *opcode_arguments; /* the number of arguments of opcodes 1 .. opcode_base-1 */
	unsigned opcode_base;		 /* at least 1 */
	unsigned line_range;		 /* at least 1 */
	int line_base;
	unsigned instruction_bytes;
};

/* Opens the unit at the position of the section's reader and moves the reader past it. On
 * failure returns false with unit->trouble set. Release it in either case. */
bool line_unit_open(struct line_unit *unit, struct reader *section,
		    const struct line_strings *strings);

void line_unit_release(struct line_unit *unit);

/* The next row into unit->row. False at the end, or, with unit->trouble set,
 * where the program is broken. */
bool line_unit_next(struct line_unit *unit);

#endif
