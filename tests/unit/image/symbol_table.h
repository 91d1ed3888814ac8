/*
 * symbol_table.h - files with a table of symbols made by hand, on top of image.h: a table is begun,
 * given symbols, and read. Includes what cmocka wants.
 */
#ifndef TESTS_UNIT_IMAGE_SYMBOL_TABLE_H
#define TESTS_UNIT_IMAGE_SYMBOL_TABLE_H

#include "image.h"
#include "image/symbols.h"

/* A file of symbols being written. */
struct table {
	struct image_sections sections;
	struct image entries;
	struct image strings;
};

#define FUNCTION(binding) ELF64_ST_INFO(STB_##binding, STT_FUNC)
#define NOTYPE(binding)	  ELF64_ST_INFO(STB_##binding, STT_NOTYPE)

static inline void table_add(struct table *table, const char *name, unsigned info, unsigned section,
			     uint64_t address, uint64_t bytes)
{
	size_t at = image_add(&table->entries, NULL, sizeof(Elf64_Sym));

	image_put(&table->entries, at + offsetof(Elf64_Sym, st_name),
		  image_add(&table->strings, name, strlen(name) + 1), 4);
	image_put(&table->entries, at + offsetof(Elf64_Sym, st_info), info, 1);
	image_put(&table->entries, at + offsetof(Elf64_Sym, st_shndx), section, 2);
	image_put(&table->entries, at + offsetof(Elf64_Sym, st_value), address, 8);
	image_put(&table->entries, at + offsetof(Elf64_Sym, st_size), bytes, 8);
}

static inline struct table table_begin(void)
{
	struct table table = {.sections = image_sections_begin()};

	image_number(&table.strings, 0, 1);
	table_add(&table, "", 0, 0, 0, 0);
	return table;
}

static inline struct image table_end(struct table *table, unsigned type)
{
	unsigned symbols = image_section(&table->sections, ".symtab", type, table->entries.bytes,
					 table->entries.size);
	unsigned strings = image_section(&table->sections, ".strtab", SHT_STRTAB,
					 table->strings.bytes, table->strings.size);

	image_put(&table->sections.headers, IMAGE_SHDR(symbols, sh_entsize), sizeof(Elf64_Sym), 8);
	image_put(&table->sections.headers, IMAGE_SHDR(symbols, sh_link), strings, 4);
	image_release(&table->entries);
	image_release(&table->strings);
	return image_sections_end(&table->sections);
}

static inline struct symbols *read_image(struct image image)
{
	struct err err = {0};
	struct symbols *symbols = symbols_read(image.bytes, image.size, "prog", &err);

	if (!symbols)
		fail_msg("%s", err.text);
	image_release(&image);
	return symbols;
}

static inline struct symbols *table_read(struct table *table)
{
	return read_image(table_end(table, SHT_SYMTAB));
}

#endif
