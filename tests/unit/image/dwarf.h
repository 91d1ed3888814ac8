/*
 * dwarf.h - debugging information of version 4 made by hand, on top of image.h: units whose trees
 * are written tag by tag, and line tables row by row. Includes what cmocka wants.
 */
#ifndef TESTS_UNIT_IMAGE_DWARF_H
#define TESTS_UNIT_IMAGE_DWARF_H

#include <dwarf.h>

#include "image.h"

/* What a DIE says of itself. */
enum dwarf_form {
	DWARF_BARE,    /* nothing */
	DWARF_SIBLING, /* where the one after it begins */
	DWARF_RANGE,   /* addresses */
	DWARF_CALL,    /* name, addresses, line and file of the call */
	DWARF_LINKED,  /* the same, after a name for the linker */
	DWARF_UNIT,    /* name, directory, addresses, line table */
	DWARF_FORMS,
};

static const uint16_t dwarf_attributes[DWARF_FORMS][14] = {
	[DWARF_BARE] = {0},
	[DWARF_SIBLING] = {DW_AT_sibling, DW_FORM_ref4},
	[DWARF_RANGE] = {DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8},
	[DWARF_CALL] = {DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
			DW_FORM_data8, DW_AT_call_line, DW_FORM_udata, DW_AT_call_file,
			DW_FORM_udata},
	[DWARF_LINKED] = {DW_AT_linkage_name, DW_FORM_string, DW_AT_name, DW_FORM_string,
			  DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8, DW_AT_call_line,
			  DW_FORM_udata, DW_AT_call_file, DW_FORM_udata},
	[DWARF_UNIT] = {DW_AT_name, DW_FORM_string, DW_AT_comp_dir, DW_FORM_string, DW_AT_low_pc,
			DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8, DW_AT_stmt_list,
			DW_FORM_sec_offset},
};

/* The tags below this one have a code for every form, and all have children. */
#define DWARF_TAGS 0x44

struct dwarf {
	struct image info, types, lines;
	size_t unit, table; /* where the ones under way begin */
};

static inline void dwarf_leb(struct image *image, uint64_t value)
{
	do {
		image_number(image, (value & 0x7f) | (value > 0x7f ? 0x80 : 0), 1);
		value >>= 7;
	} while (value);
}

static inline void dwarf_text(struct image *image, const char *text)
{
	image_add(image, text, strlen(text) + 1);
}

static inline void dwarf_begin_unit(struct dwarf *dwarf)
{
	dwarf->unit = dwarf->info.size;
	image_number(&dwarf->info, 0, 4);
	image_number(&dwarf->info, 4, 2);
	image_number(&dwarf->info, 0, 4);
	image_number(&dwarf->info, 8, 1);
}

/* Ends the children of a DIE. */
static inline void dwarf_up(struct dwarf *dwarf)
{
	image_number(&dwarf->info, 0, 1);
}

static inline void dwarf_end_unit(struct dwarf *dwarf)
{
	image_put(&dwarf->info, dwarf->unit, dwarf->info.size - dwarf->unit - 4, 4);
}

static inline void dwarf_tag_of(struct dwarf *dwarf, unsigned tag, enum dwarf_form form)
{
	dwarf_leb(&dwarf->info, 1 + tag * DWARF_FORMS + form);
}

static inline void dwarf_range(struct dwarf *dwarf, uint64_t start, uint64_t end)
{
	image_number(&dwarf->info, start, 8);
	image_number(&dwarf->info, end - start, 8);
}

static inline void dwarf_call(struct dwarf *dwarf, const char *name, uint64_t start, uint64_t end,
			      uint64_t line, uint64_t file)
{
	dwarf_tag_of(dwarf, DW_TAG_inlined_subroutine, DWARF_CALL);
	dwarf_text(&dwarf->info, name);
	dwarf_range(dwarf, start, end);
	dwarf_leb(&dwarf->info, line);
	dwarf_leb(&dwarf->info, file);
}

/* A unit with the line table that begins there. */
static inline void dwarf_unit(struct dwarf *dwarf, const char *directory, uint64_t start,
			      uint64_t end, size_t table)
{
	dwarf_begin_unit(dwarf);
	dwarf_tag_of(dwarf, DW_TAG_compile_unit, DWARF_UNIT);
	dwarf_text(&dwarf->info, "unit.c");
	dwarf_text(&dwarf->info, directory);
	dwarf_range(dwarf, start, end);
	image_number(&dwarf->info, table, 4);
}

/* Begins a line table with these files, up to a NULL. Where it begins. */
static inline size_t dwarf_table(struct dwarf *dwarf, const char *const *files)
{
	static const uint8_t lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
	struct image *out = &dwarf->lines;

	dwarf->table = out->size;
	image_number(out, 0, 4);
	image_number(out, 4, 2);
	const size_t header = out->size;
	image_number(out, 0, 4);
	image_add(out, "\x01\x01\x01\xfb\x0e\x0d", 6);
	image_add(out, lengths, sizeof(lengths));
	image_number(out, 0, 1);
	for (; *files; files++) {
		dwarf_text(out, *files);
		image_number(out, 0, 3);
	}
	image_number(out, 0, 1);
	image_put(out, header, out->size - header - 4, 4);
	return dwarf->table;
}

static inline void dwarf_at(struct dwarf *dwarf, uint64_t address)
{
	image_add(&dwarf->lines, "\x00\x09\x02", 3);
	image_number(&dwarf->lines, address, 8);
}

/* A row at the address so far, with another file, with the line raised by `step`, which is below
 * 64; then the address goes on by `bytes`. */
static inline void dwarf_row(struct dwarf *dwarf, unsigned file, unsigned step, uint64_t bytes)
{
	image_number(&dwarf->lines, DW_LNS_set_file, 1);
	dwarf_leb(&dwarf->lines, file);
	image_number(&dwarf->lines, DW_LNS_advance_line, 1);
	dwarf_leb(&dwarf->lines, step);
	image_number(&dwarf->lines, DW_LNS_copy, 1);
	image_number(&dwarf->lines, DW_LNS_advance_pc, 1);
	dwarf_leb(&dwarf->lines, bytes);
}

static inline void dwarf_end_rows(struct dwarf *dwarf)
{
	image_add(&dwarf->lines, "\x00\x01\x01", 3);
}

static inline void dwarf_end_table(struct dwarf *dwarf)
{
	image_put(&dwarf->lines, dwarf->table, dwarf->lines.size - dwarf->table - 4, 4);
}

/* The file. */
static inline struct image dwarf_image(struct dwarf *dwarf)
{
	struct image_sections sections = image_sections_begin();
	struct image codes = {0};

	for (unsigned tag = 1; tag < DWARF_TAGS; tag++)
		for (unsigned form = 0; form < DWARF_FORMS; form++) {
			dwarf_leb(&codes, 1 + tag * DWARF_FORMS + form);
			dwarf_leb(&codes, tag);
			image_number(&codes, DW_CHILDREN_yes, 1);
			for (unsigned i = 0; dwarf_attributes[form][i]; i++)
				dwarf_leb(&codes, dwarf_attributes[form][i]);
			image_number(&codes, 0, 2);
		}
	image_number(&codes, 0, 1);
	if (dwarf->info.size) {
		image_section(&sections, ".debug_abbrev", SHT_PROGBITS, codes.bytes, codes.size);
		image_section(&sections, ".debug_info", SHT_PROGBITS, dwarf->info.bytes,
			      dwarf->info.size);
	}
	if (dwarf->types.size)
		image_section(&sections, ".debug_types", SHT_PROGBITS, dwarf->types.bytes,
			      dwarf->types.size);
	if (dwarf->lines.size)
		image_section(&sections, ".debug_line", SHT_PROGBITS, dwarf->lines.bytes,
			      dwarf->lines.size);
	image_release(&codes);
	image_release(&dwarf->info);
	image_release(&dwarf->types);
	image_release(&dwarf->lines);
	return image_sections_end(&sections);
}

#endif
