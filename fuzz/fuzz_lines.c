/*
 * Line tables, inlined calls and types of any bytes: reading them fails with a
 * sentence or yields tables that keep what lines.h, inlined.h and types.h promise.
 *
 * An input that is no ELF file is taken as the contents of .debug_line and put
 * into one, so that the fuzzer need not find its way through headers first.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "image/inlined.h"
#include "image/lines.h"
#include "image/names.h"
#include "image/source_file.h"
#include "image/types.h"

#define CODE_START 0x10000
#define CODE_BYTES 0x10000

static const char section_names[] = "\0.text\0.debug_line\0.debug_line_str\0.debug_str";
static const char strings[] = "main.c\0include\0/absolute/name.h\0\x1b[31m";

struct wrapped {
	Elf64_Ehdr header;
	Elf64_Shdr sections[6];
	char names[sizeof(section_names)];
	char strings[sizeof(strings)];
	uint8_t lines[];
};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static Elf64_Shdr section(uint32_t name, uint32_t type, size_t offset, size_t bytes)
{
	return (Elf64_Shdr){
		.sh_name = name, .sh_type = type, .sh_offset = offset, .sh_size = bytes};
}

static struct wrapped *wrap(const uint8_t *bytes, size_t size)
{
	struct wrapped *file = mem_alloc(sizeof(*file) + size);

	memcpy(file->header.e_ident, ELFMAG, SELFMAG);
	file->header.e_ident[EI_CLASS] = ELFCLASS64;
	file->header.e_ident[EI_DATA] = ELFDATA2LSB;
	file->header.e_type = ET_EXEC;
	file->header.e_shoff = offsetof(struct wrapped, sections);
	file->header.e_shentsize = sizeof(Elf64_Shdr);
	file->header.e_shnum = 6;
	file->header.e_shstrndx = 5;
	file->sections[1] = section(1, SHT_NOBITS, 0, CODE_BYTES);
	file->sections[1].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	file->sections[1].sh_addr = CODE_START;
	file->sections[2] = section(7, SHT_PROGBITS, offsetof(struct wrapped, lines), size);
	file->sections[3] =
		section(19, SHT_PROGBITS, offsetof(struct wrapped, strings), sizeof(file->strings));
	file->sections[4] = file->sections[3];
	file->sections[4].sh_name = 35;
	file->sections[5] =
		section(0, SHT_STRTAB, offsetof(struct wrapped, names), sizeof(file->names));
	memcpy(file->names, section_names, sizeof(file->names));
	memcpy(file->strings, strings, sizeof(file->strings));
	if (size)
		memcpy(file->lines, bytes, size);
	return file;
}

static void check_range(const struct lines *lines, size_t index)
{
	const struct line_range *range = lines_at(lines, index);
	struct source_line found = {0};

	BUG_ON(range->start >= range->end || !range->line);
	BUG_ON(index && lines_at(lines, index - 1)->end > range->start);
	BUG_ON(!lines_find(lines, range->start, &found) || found.line != range->line);
	BUG_ON(!lines_find(lines, range->end - 1, &found) || found.column != range->column);
	BUG_ON(found.file != lines_file(lines, range->file));
}

static void check_name(const char *name, size_t most)
{
	size_t length = strlen(name);

	BUG_ON(!length || length > most);
	for (size_t i = 0; i < length; i++)
		BUG_ON((uint8_t)name[i] < ' ' || name[i] == 0x7f);
}

static void check_inlined(const struct lines *lines, const uint8_t *bytes, size_t size)
{
	struct err err = {0};
	struct inlined *inlined = inlined_read(bytes, size, "input", &err);
	const struct inlined_call *calls;

	for (size_t i = 0; inlined && i < lines_count(lines); i++) {
		size_t count = inlined_find(inlined, lines_at(lines, i)->start, &calls);

		BUG_ON(count > INLINED_MOST);
		for (size_t k = 0; k < count; k++)
			check_name(calls[k].name, NAME_BYTES);
	}
	inlined_free(inlined);
}

/* Any bytes are code too. */
struct code {
	const uint8_t *bytes;
	size_t size;
};

static bool read_code(void *context, uint64_t address, uint32_t *raw)
{
	const struct code *code = context;

	if (code->size < sizeof(*raw))
		return false;
	memcpy(raw, code->bytes + address % (code->size - sizeof(*raw) + 1), sizeof(*raw));
	return true;
}

static void check_type(const struct type *type)
{
	if (!type)
		return;
	check_name(type->name, 4 * TYPE_NAME_BYTES);
	BUG_ON(!type->bytes || type->field_count > TYPE_FIELDS_MOST);
	for (size_t i = 0; i < type->field_count; i++) {
		const struct type_field *field = &type->fields[i];

		BUG_ON(field->offset >= type->bytes || field->bytes > type->bytes - field->offset);
		BUG_ON(i && field->offset < type->fields[i - 1].offset);
		BUG_ON(!type_field_at(type, field->offset));
	}
}

static void check_types(const struct lines *lines, const uint8_t *bytes, size_t size)
{
	struct err err = {0};
	struct types *types = types_read(bytes, size, "input", &err);
	struct code code = {bytes, size};
	const struct type_code reader = {read_code, &code};

	for (size_t i = 0; types && i < lines_count(lines); i++) {
		const uint64_t start = lines_at(lines, i)->start;
		const struct typed typed = types_of_access(types, &reader, start);

		check_type(typed.type);
		BUG_ON(typed.type && typed.offset >= typed.type->bytes);
		check_type(types_of_variable(types, start, false));
	}
	types_free(types);
}

static void check(const uint8_t *bytes, size_t size)
{
	struct err err = {0};
	struct lines *lines = lines_read(bytes, size, "input", &err);

	if (!lines) {
		BUG_ON(strncmp(err.text, "input: ", 7));
		return;
	}
	for (size_t i = 0; i < lines_count(lines); i++)
		check_range(lines, i);
	for (size_t i = 0; i < lines_file_count(lines); i++)
		check_name(lines_file(lines, i), SOURCE_FILE_BYTES);
	check_inlined(lines, bytes, size);
	check_types(lines, bytes, size);
	lines_free(lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size >= SELFMAG && !memcmp(bytes, ELFMAG, SELFMAG)) {
		check(bytes, size);
		return 0;
	}
	struct wrapped *file = wrap(bytes, size);
	check((const uint8_t *)file, sizeof(*file) + size);
	free(file);
	return 0;
}
