#include "image/elf_sections.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "image/reader.h"

static void read_section(struct elf_section *section, const uint8_t *bytes)
{
	struct reader reader = reader_of(bytes, sizeof(Elf64_Shdr));

	section->name = reader_u32(&reader);
	section->type = reader_u32(&reader);
	section->flags = reader_u64(&reader);
	section->address = reader_u64(&reader);
	section->offset = reader_u64(&reader);
	section->bytes = reader_u64(&reader);
	section->link = reader_u32(&reader);
	reader_u32(&reader); /* sh_info */
	reader_u64(&reader); /* sh_addralign */
	section->entry_bytes = reader_u64(&reader);
}

/* Without names no section can be found, as if there were none. */
static void find_names(struct elf_sections *sections, uint32_t index)
{
	if (index == SHN_XINDEX && sections->count)
		index = sections->items[0].link;
	if (index == SHN_UNDEF || index >= sections->count)
		return;
	const struct elf_section *names = &sections->items[index];
	if (names->type != SHT_STRTAB ||
	    !reader_fits(names->offset, names->bytes, sections->file_bytes))
		return;
	sections->names = sections->file + names->offset;
	sections->names_bytes = (size_t)names->bytes;
}

bool elf_sections_read(struct elf_sections *sections, const uint8_t *bytes, size_t size,
		       const char *name, struct err *err)
{
	struct reader reader = reader_of(bytes, size);
	const uint8_t *ident = reader_take(&reader, EI_NIDENT);

	*sections = (struct elf_sections){.file = bytes, .file_bytes = size, .file_name = name};
	if (size < sizeof(Elf64_Ehdr) || memcmp(ident, ELFMAG, SELFMAG) != 0 ||
	    ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB)
		return err_set(err, "%s: not a 64-bit little-endian ELF file", name);

	uint16_t type = reader_u16(&reader);
	if (type != ET_EXEC && type != ET_DYN)
		return err_set(err,
			       "%s: not a linked program or library (ELF type %u); link it first",
			       name, type);
	reader.at = offsetof(Elf64_Ehdr, e_shoff);
	uint64_t table = reader_u64(&reader);
	reader.at = offsetof(Elf64_Ehdr, e_shentsize);
	uint16_t entry_bytes = reader_u16(&reader);
	uint64_t count = reader_u16(&reader);
	uint16_t names_index = reader_u16(&reader);

	if (!table)
		return true;
	if (entry_bytes != sizeof(Elf64_Shdr))
		return err_set(err,
			       "%s: section headers have %u bytes each, where ELF says %zu; the "
			       "file is damaged, build it again",
			       name, entry_bytes, sizeof(Elf64_Shdr));
	/* With 65280 sections or more their number moves into the first one. */
	if (!count && reader_fits(table, sizeof(Elf64_Shdr), size)) {
		struct elf_section first;

		read_section(&first, bytes + table);
		count = first.bytes;
	}
	if (table > size || count > (size - table) / sizeof(Elf64_Shdr))
		return err_set(err,
			       "%s: truncated: %" PRIu64 " section headers at offset %" PRIu64
			       " do not fit in the file's %zu bytes; copy or build it again",
			       name, count, table, size);

	sections->items = mem_alloc_array((size_t)count, sizeof(*sections->items));
	sections->count = (size_t)count;
	for (size_t i = 0; i < sections->count; i++)
		read_section(&sections->items[i], bytes + table + i * sizeof(Elf64_Shdr));
	find_names(sections, names_index);
	return true;
}

void elf_sections_release(struct elf_sections *sections)
{
	free(sections->items);
	*sections = (struct elf_sections){0};
}

const struct elf_section *elf_sections_named(const struct elf_sections *sections, const char *name)
{
	size_t bytes = strlen(name) + 1;

	for (size_t i = 1; i < sections->count; i++) {
		const struct elf_section *section = &sections->items[i];

		if (reader_fits(section->name, bytes, sections->names_bytes) &&
		    !memcmp(sections->names + section->name, name, bytes))
			return section;
	}
	return NULL;
}

const struct elf_section *elf_sections_typed(const struct elf_sections *sections, uint32_t type)
{
	for (size_t i = 1; i < sections->count; i++) {
		if (sections->items[i].type == type)
			return &sections->items[i];
	}
	return NULL;
}

bool elf_sections_data(const struct elf_sections *sections, const struct elf_section *section,
		       const char *what, const uint8_t **data, size_t *data_bytes, struct err *err)
{
	if (section->flags & SHF_COMPRESSED)
		return err_set(err,
			       "%s: section %s is compressed, which is not supported; link the "
			       "program again with -gz=none",
			       sections->file_name, what);
	if (section->type == SHT_NOBITS)
		return err_set(err,
			       "%s: section %s has no contents (debug information was split off?); "
			       "use the file it was split from",
			       sections->file_name, what);
	if (!reader_fits(section->offset, section->bytes, sections->file_bytes))
		return err_set(err,
			       "%s: truncated: section %s needs %" PRIu64
			       " bytes at offset %" PRIu64
			       ", but the file has %zu; copy or build it again",
			       sections->file_name, what, section->bytes, section->offset,
			       sections->file_bytes);
	*data = sections->file + section->offset;
	*data_bytes = (size_t)section->bytes;
	return true;
}

bool elf_section_is_code(const struct elf_section *section)
{
	uint64_t wanted = SHF_ALLOC | SHF_EXECINSTR;

	return (section->flags & wanted) == wanted && section->bytes &&
	       section->bytes <= UINT64_MAX - section->address;
}
