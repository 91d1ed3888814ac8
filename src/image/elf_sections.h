/*
 * elf_sections.h - the sections of a linked ELF file, for readers of symbols
 * and debug information. Running a program does not need them.
 *
 * Reading succeeds for a file without section headers (the list is empty). Once
 * read, the header table lies within the file; a section's own bytes are
 * checked only when they are used, by elf_sections_data(), so that a broken
 * section that is not used causes no error. Addresses are checked by
 * elf_section_is_code().
 *
 * Not done: decompression, relocation, the group and note sections.
 */
#ifndef IMAGE_ELF_SECTIONS_H
#define IMAGE_ELF_SECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct elf_section {
	uint32_t name; /* offset in the table of section names */
	uint32_t type;
	uint64_t flags;
	uint64_t address;
	uint64_t offset;
	uint64_t bytes;
	uint32_t link;
	uint64_t entry_bytes;
};

struct elf_sections {
	const uint8_t *file; /* not owned: must outlive this value */
	size_t file_bytes;
	const char *file_name;	   /* not owned: must outlive this value */
	struct elf_section *items; /* owned */
	size_t count;
	const uint8_t *names; /* within file; NULL: sections have no names */
	size_t names_bytes;
};

/* Fills *sections. Fails on what is not a linked 64-bit little-endian ELF file
 * and on a header table that leaves the file; the value then needs no release. */
bool elf_sections_read(struct elf_sections *sections, const uint8_t *bytes, size_t size,
		       const char *name, struct err *err);

void elf_sections_release(struct elf_sections *sections);

/* The first section of that name, or of that type, or NULL. */
const struct elf_section *elf_sections_named(const struct elf_sections *sections, const char *name);
const struct elf_section *elf_sections_typed(const struct elf_sections *sections, uint32_t type);

/* The section's bytes in the file. `what` names it in the sentence. Fails if it
 * has none, is compressed, or leaves the file. */
bool elf_sections_data(const struct elf_sections *sections, const struct elf_section *section,
		       const char *what, const uint8_t **data, size_t *data_bytes, struct err *err);

/* Is it loaded as executable code, not empty, at addresses that do not wrap? */
bool elf_section_is_code(const struct elf_section *section);

#endif
