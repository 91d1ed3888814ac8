/*
 * dies.h - debugging information of version 4 made by hand, entry by entry, each with attributes of
 * its own, on top of dwarf.h: die_open() or die_leaf() begins an entry, what follows are its
 * attributes. A place in a unit is what die_open() and die_leaf() return.
 */
#ifndef TESTS_UNIT_IMAGE_DIES_H
#define TESTS_UNIT_IMAGE_DIES_H

#include "dwarf.h"

struct dies {
	struct image info, codes, frames;
	struct image other; /* .debug_types, or .debug_info if that is under way */
	size_t unit;	    /* where the one under way begins */
	unsigned code;
	bool is_other;
	bool has_eh_frame; /* `frames` are in .eh_frame, not .debug_frame */
};

static inline size_t die_begin(struct dies *dies, unsigned tag, unsigned children)
{
	const size_t place = dies->info.size - dies->unit;

	if (dies->code)
		image_number(&dies->codes, 0, 2);
	dwarf_leb(&dies->codes, ++dies->code);
	dwarf_leb(&dies->codes, tag);
	image_number(&dies->codes, children, 1);
	dwarf_leb(&dies->info, dies->code);
	return place;
}

/* One with children, up to die_up(). */
static inline size_t die_open(struct dies *dies, unsigned tag)
{
	return die_begin(dies, tag, DW_CHILDREN_yes);
}

static inline size_t die_leaf(struct dies *dies, unsigned tag)
{
	return die_begin(dies, tag, DW_CHILDREN_no);
}

static inline void die_up(struct dies *dies)
{
	image_number(&dies->info, 0, 1);
}

static inline void die_form(struct dies *dies, unsigned attribute, unsigned form)
{
	dwarf_leb(&dies->codes, attribute);
	dwarf_leb(&dies->codes, form);
}

static inline void die_flag(struct dies *dies, unsigned attribute)
{
	die_form(dies, attribute, DW_FORM_flag_present);
}

static inline void die_number(struct dies *dies, unsigned attribute, uint64_t value)
{
	die_form(dies, attribute, DW_FORM_udata);
	dwarf_leb(&dies->info, value);
}

static inline void die_text(struct dies *dies, unsigned attribute, const char *text)
{
	die_form(dies, attribute, DW_FORM_string);
	dwarf_text(&dies->info, text);
}

static inline void die_refer(struct dies *dies, unsigned attribute, size_t place)
{
	die_form(dies, attribute, DW_FORM_ref4);
	image_number(&dies->info, place, 4);
}

static inline void die_range(struct dies *dies, uint64_t start, uint64_t end)
{
	die_form(dies, DW_AT_low_pc, DW_FORM_addr);
	image_number(&dies->info, start, 8);
	die_number(dies, DW_AT_high_pc, end - start);
}

/* Where a variable is: bytes of an expression. */
static inline void die_location(struct dies *dies, const void *bytes, size_t count)
{
	die_form(dies, DW_AT_location, DW_FORM_exprloc);
	dwarf_leb(&dies->info, count);
	image_add(&dies->info, bytes, count);
}

/* At an address. */
static inline void die_located(struct dies *dies, uint64_t address)
{
	uint8_t bytes[9] = {DW_OP_addr};

	memcpy(bytes + 1, &address, 8);
	die_location(dies, bytes, sizeof(bytes));
}

static inline void dies_begin_unit(struct dies *dies, unsigned version)
{
	dies->unit = dies->info.size;
	image_number(&dies->info, 0, 4);
	image_number(&dies->info, version, 2);
	if (version == 5)
		image_number(&dies->info, (unsigned)DW_UT_compile | 8u << 8, 2);
	image_number(&dies->info, 0, 4);
	if (version == 4)
		image_number(&dies->info, 8, 1);
}

static inline void dies_end_unit(struct dies *dies)
{
	die_up(dies);
	image_put(&dies->info, dies->unit, dies->info.size - dies->unit - 4, 4);
}

/* Begins the first unit, whose children follow. */
static inline struct dies dies_begin(void)
{
	struct dies dies = {.code = 0};

	dies_begin_unit(&dies, 4);
	die_open(&dies, DW_TAG_compile_unit);
	return dies;
}

/* Goes on with a unit of the tag. */
static inline void dies_next(struct dies *dies, unsigned tag)
{
	dies_end_unit(dies);
	dies_begin_unit(dies, 4);
	die_open(dies, tag);
}

/* Goes on with a unit in the section of types: one of version 4, or one of code of version 5, which
 * may not be there. */
static inline void dies_next_types(struct dies *dies, unsigned version)
{
	dies_end_unit(dies);
	dies->other = dies->info;
	dies->info = (struct image){0};
	dies->is_other = true;
	dies_begin_unit(dies, version);
	if (version == 4) {
		image_number(&dies->info, 0x1122334455667788, 8);
		image_number(&dies->info, 23, 4);
	}
	die_open(dies, version == 4 ? DW_TAG_type_unit : DW_TAG_compile_unit);
}

/* The file. */
static inline struct image dies_end(struct dies *dies)
{
	struct image_sections sections = image_sections_begin();

	dies_end_unit(dies);
	if (dies->is_other) {
		const struct image types = dies->info;

		dies->info = dies->other;
		dies->other = types;
	}
	image_number(&dies->codes, 0, 3);
	image_section(&sections, ".debug_abbrev", SHT_PROGBITS, dies->codes.bytes,
		      dies->codes.size);
	image_section(&sections, ".debug_info", SHT_PROGBITS, dies->info.bytes, dies->info.size);
	if (dies->other.size)
		image_section(&sections, ".debug_types", SHT_PROGBITS, dies->other.bytes,
			      dies->other.size);
	if (dies->frames.size)
		image_section(&sections, dies->has_eh_frame ? ".eh_frame" : ".debug_frame",
			      SHT_PROGBITS, dies->frames.bytes, dies->frames.size);
	image_release(&dies->info);
	image_release(&dies->codes);
	image_release(&dies->frames);
	image_release(&dies->other);
	return image_sections_end(&sections);
}

#endif
