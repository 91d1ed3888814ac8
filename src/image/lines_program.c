#include "image/lines_program.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"

enum standard_opcode {
	LNS_EXTENDED,
	LNS_COPY,
	LNS_ADVANCE_PC,
	LNS_ADVANCE_LINE,
	LNS_SET_FILE,
	LNS_SET_COLUMN,
	LNS_NEGATE_STMT,
	LNS_SET_BASIC_BLOCK,
	LNS_CONST_ADD_PC,
	LNS_FIXED_ADVANCE_PC,
	LNS_SET_PROLOGUE_END,
	LNS_SET_EPILOGUE_BEGIN,
	LNS_SET_ISA,
	LNS_COUNT,
};

/* The number of arguments in the DWARF specification. In a unit that states another number the
 * opcode has an unknown meaning. */
static const uint8_t standard_arguments[LNS_COUNT] = {
	[LNS_ADVANCE_PC] = 1, [LNS_ADVANCE_LINE] = 1,	  [LNS_SET_FILE] = 1,
	[LNS_SET_COLUMN] = 1, [LNS_FIXED_ADVANCE_PC] = 1, [LNS_SET_ISA] = 1,
};

enum extended_opcode {
	LNE_END_SEQUENCE = 1,
	LNE_SET_ADDRESS = 2,
	LNE_DEFINE_FILE = 3,
};

enum content { CONTENT_PATH = 1, CONTENT_DIRECTORY = 2 };

enum form {
	FORM_BLOCK2 = 0x03,
	FORM_BLOCK4 = 0x04,
	FORM_DATA2 = 0x05,
	FORM_DATA4 = 0x06,
	FORM_DATA8 = 0x07,
	FORM_STRING = 0x08,
	FORM_BLOCK = 0x09,
	FORM_BLOCK1 = 0x0a,
	FORM_DATA1 = 0x0b,
	FORM_STRP = 0x0e,
	FORM_UDATA = 0x0f,
	FORM_DATA16 = 0x1e,
	FORM_LINE_STRP = 0x1f,
};

/* The fields of an entry in the tables of a version 5 unit. */
struct value {
	struct line_text text;
	uint64_t number;
};

struct format {
	unsigned count;
	struct {
		uint64_t content;
		uint64_t form;
	} columns[UINT8_MAX];
};

static bool fail(struct line_unit *unit, const char *trouble)
{
	unit->trouble = trouble;
	return false;
}

static void add_directory(struct line_unit *unit, struct line_text name)
{
	*ARRAY_PUSH(unit->directories, unit->directory_count, unit->directory_capacity) = name;
}

static void add_file(struct line_unit *unit, struct line_text name, uint64_t directory)
{
	/* An impossible directory becomes the last one, which no table has. */
	*ARRAY_PUSH(unit->files, unit->file_count, unit->file_capacity) = (struct line_file){
		.name = name,
		.directory = directory > UINT32_MAX ? UINT32_MAX : (uint32_t)directory,
		.seen_as = LINE_FILE_UNSEEN,
	};
}

static struct line_text read_string(struct reader *reader)
{
	struct line_text text;

	text.bytes = reader_string(reader, &text.length);
	return text;
}

/* The three numbers are directory, time of change and length. */
static void read_file(struct line_unit *unit, struct reader *reader, struct line_text name)
{
	uint64_t directory = reader_uleb(reader);

	reader_uleb(reader);
	reader_uleb(reader);
	if (!reader->bad)
		add_file(unit, name, directory);
}

/* Versions 2 to 4: strings up to an empty one, then files up to an empty name;
 * both count from 1. */
static bool read_tables(struct line_unit *unit, struct reader *reader)
{
	struct line_text text;

	add_directory(unit, (struct line_text){0});
	while ((text = read_string(reader)).length) {
		if (unit->directory_count >= LINE_UNIT_FILES_MAX)
			return fail(unit, "it has too many directories");
		add_directory(unit, text);
	}
	add_file(unit, (struct line_text){0}, 0);
	while (!reader->bad && (text = read_string(reader)).length) {
		if (unit->file_count >= LINE_UNIT_FILES_MAX)
			return fail(unit, "it has too many files");
		read_file(unit, reader, text);
	}
	return !reader->bad || fail(unit, "its tables of names do not end");
}

static bool string_at(struct line_unit *unit, const struct line_text *section, uint64_t offset,
		      struct line_text *text)
{
	if (offset >= section->length)
		return fail(unit, "a file name lies outside the section of strings");
	/* The search is limited to the longest path that is kept; otherwise a small table
	 * could cause a search of the whole section for each entry. */
	size_t left = section->length - (size_t)offset;
	const char *found = (const char *)section->bytes + offset;
	*text = (struct line_text){
		.bytes = section->bytes + offset,
		.length = strnlen(found, left < LINE_TEXT_MAX ? left : LINE_TEXT_MAX),
	};
	return true;
}

/* Every form takes at least one byte, which bounds the loops over entries. */
static bool read_value(struct line_unit *unit, struct reader *reader, uint64_t form,
		       unsigned offset_bytes, const struct line_strings *strings,
		       struct value *value)
{
	uint64_t length = 0;

	*value = (struct value){0};
	switch (form) {
	case FORM_STRING: value->text = read_string(reader); break;
	case FORM_LINE_STRP:
	case FORM_STRP: {
		uint64_t offset = reader_number(reader, offset_bytes);

		if (!reader->bad &&
		    !string_at(unit, form == FORM_STRP ? &strings->str : &strings->line_str, offset,
			       &value->text))
			return false;
		break;
	}
	case FORM_DATA1: value->number = reader_u8(reader); break;
	case FORM_DATA2: value->number = reader_u16(reader); break;
	case FORM_DATA4: value->number = reader_u32(reader); break;
	case FORM_DATA8: value->number = reader_u64(reader); break;
	case FORM_UDATA: value->number = reader_uleb(reader); break;
	case FORM_DATA16: reader_take(reader, 16); break;
	case FORM_BLOCK: length = reader_uleb(reader); break;
	case FORM_BLOCK1: length = reader_u8(reader); break;
	case FORM_BLOCK2: length = reader_u16(reader); break;
	case FORM_BLOCK4: length = reader_u32(reader); break;
	default: return fail(unit, "its tables use a form of value that is not known");
	}
	reader_take(reader, length);
	return !reader->bad || fail(unit, "its tables of names are truncated");
}

/* One of the two self-describing tables of version 5. */
static bool read_table(struct line_unit *unit, struct reader *reader, bool of_files,
		       unsigned offset_bytes, const struct line_strings *strings)
{
	struct format format = {.count = reader_u8(reader)};

	for (unsigned i = 0; i < format.count; i++) {
		format.columns[i].content = reader_uleb(reader);
		format.columns[i].form = reader_uleb(reader);
	}
	uint64_t count = reader_uleb(reader);
	if (reader->bad || count > reader_left(reader) || (count && !format.count))
		return fail(unit, "its tables of names are truncated");
	if (count > LINE_UNIT_FILES_MAX)
		return fail(unit, "it has too many files or directories");
	for (uint64_t entry = 0; entry < count; entry++) {
		struct line_text name = {0};
		uint64_t directory = 0;

		for (unsigned i = 0; i < format.count; i++) {
			struct value value;

			if (!read_value(unit, reader, format.columns[i].form, offset_bytes, strings,
					&value))
				return false;
			if (format.columns[i].content == CONTENT_PATH)
				name = value.text;
			else if (format.columns[i].content == CONTENT_DIRECTORY)
				directory = value.number;
		}
		if (of_files)
			add_file(unit, name, directory);
		else
			add_directory(unit, name);
	}
	return true;
}

static void start_sequence(struct line_unit *unit)
{
	unit->row = (struct line_row){.file = 1, .line = 1};
}

/* From the version on; `unit_reader` ends where the unit does. */
static bool read_header(struct line_unit *unit, struct reader *unit_reader, unsigned offset_bytes,
			const struct line_strings *strings)
{
	unsigned version = reader_u16(unit_reader);

	if (unit_reader->bad || version < 2 || version > 5)
		return fail(unit, "its version is none of DWARF 2 to 5");
	if (version == 5) {
		unsigned address_bytes = reader_u8(unit_reader);

		reader_u8(unit_reader); /* bytes of a segment selector */
		if (address_bytes != 8)
			return fail(unit, "its addresses do not have 8 bytes");
	}
	uint64_t header_bytes = reader_number(unit_reader, offset_bytes);
	const uint8_t *header = reader_take(unit_reader, header_bytes);
	if (!header)
		return fail(unit, "its header is truncated");
	unit->program = *unit_reader;

	struct reader reader = reader_of(header, (size_t)header_bytes);
	unit->instruction_bytes = reader_u8(&reader);
	unsigned operations = version >= 4 ? reader_u8(&reader) : 1;
	reader_u8(&reader); /* first value of is_stmt */
	unit->line_base = (int)bits_sign_extend(reader_u8(&reader), 8);
	unit->line_range = reader_u8(&reader);
	unit->opcode_base = reader_u8(&reader);
	if (reader.bad || operations != 1 || !unit->line_range || !unit->opcode_base)
		return fail(unit, "its header has impossible values");
	unit->opcode_arguments = reader_take(&reader, unit->opcode_base - 1);
	if (!unit->opcode_arguments)
		return fail(unit, "its header is truncated");
	if (version < 5)
		return read_tables(unit, &reader);
	return read_table(unit, &reader, false, offset_bytes, strings) &&
	       read_table(unit, &reader, true, offset_bytes, strings);
}

bool line_unit_open(struct line_unit *unit, struct reader *section,
		    const struct line_strings *strings)
{
	unsigned offset_bytes = 4;
	uint64_t bytes = reader_u32(section);

	*unit = (struct line_unit){0};
	start_sequence(unit);
	if (bytes == UINT32_MAX) {
		offset_bytes = 8;
		bytes = reader_u64(section);
	} else if (bytes >= 0xfffffff0) {
		return fail(unit, "its length is a reserved value");
	}
	const uint8_t *contents = reader_take(section, bytes);
	if (!contents)
		return fail(unit, "it is truncated");
	/* Some linkers pad with zeros. */
	if (!bytes)
		return true;
	struct reader reader = reader_of(contents, (size_t)bytes);
	return read_header(unit, &reader, offset_bytes, strings);
}

void line_unit_release(struct line_unit *unit)
{
	free(unit->directories);
	free(unit->files);
	*unit = (struct line_unit){0};
}

static void advance(struct line_unit *unit, uint64_t instructions)
{
	unit->row.address += instructions * unit->instruction_bytes;
}

/* As the address, the line wraps around, so that no value in the file can overflow. */
static void advance_line(struct line_unit *unit, int64_t lines)
{
	unit->row.line += (uint32_t)lines;
}

/* True if it made a row. */
static bool extended(struct line_unit *unit)
{
	uint64_t bytes = reader_uleb(&unit->program);
	const uint8_t *contents = reader_take(&unit->program, bytes);

	if (!contents || !bytes)
		return fail(unit, "an extended opcode is truncated");
	struct reader reader = reader_of(contents, (size_t)bytes);
	switch (reader_u8(&reader)) {
	case LNE_END_SEQUENCE: unit->row.ends_sequence = true; return true;
	case LNE_SET_ADDRESS:
		if (reader_left(&reader) != 8)
			return fail(unit, "it sets an address that does not have 8 bytes");
		unit->row.address = reader_u64(&reader);
		return false;
	case LNE_DEFINE_FILE:
		if (unit->file_count >= LINE_UNIT_FILES_MAX)
			return fail(unit, "it has too many files");
		read_file(unit, &reader, read_string(&reader));
		if (reader.bad)
			return fail(unit, "it defines a file in too few bytes");
		return false;
	default: return false;
	}
}

/* True if it made a row. */
static bool standard(struct line_unit *unit, unsigned opcode)
{
	struct reader *program = &unit->program;
	unsigned arguments = unit->opcode_arguments[opcode - 1];

	if (opcode >= LNS_COUNT || arguments != standard_arguments[opcode]) {
		while (arguments--)
			reader_uleb(program);
		return false;
	}
	switch ((enum standard_opcode)opcode) {
	case LNS_COPY: return true;
	case LNS_ADVANCE_PC: advance(unit, reader_uleb(program)); break;
	case LNS_ADVANCE_LINE: advance_line(unit, reader_sleb(program)); break;
	case LNS_SET_FILE: unit->row.file = reader_uleb(program); break;
	case LNS_SET_COLUMN: {
		uint64_t column = reader_uleb(program);

		unit->row.column = column > UINT32_MAX ? 0 : (uint32_t)column;
		break;
	}
	case LNS_CONST_ADD_PC:
		advance(unit, (UINT8_MAX - unit->opcode_base) / unit->line_range);
		break;
	case LNS_FIXED_ADVANCE_PC: unit->row.address += reader_u16(program); break;
	case LNS_SET_ISA: reader_uleb(program); break;
	default: break;
	}
	return false;
}

bool line_unit_next(struct line_unit *unit)
{
	if (unit->row.ends_sequence)
		start_sequence(unit);
	while (reader_left(&unit->program) && !unit->trouble) {
		unsigned opcode = reader_u8(&unit->program);

		if (opcode >= unit->opcode_base) {
			unsigned adjusted = opcode - unit->opcode_base;

			advance(unit, adjusted / unit->line_range);
			advance_line(unit, unit->line_base + (int)(adjusted % unit->line_range));
			return true;
		}
		if (opcode == LNS_EXTENDED ? extended(unit) : standard(unit, opcode))
			return true;
	}
	if (unit->program.bad && !unit->trouble)
		return fail(unit, "its program ends in the middle of an opcode");
	return false;
}
