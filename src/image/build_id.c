#include "image/build_id.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"

static const char owner[] = "GNU";

/* Looks for the note in a block of notes. */
static bool read_notes(struct build_id *id, const uint8_t *bytes, size_t size)
{
	struct reader reader = reader_of(bytes, size);

	while (reader_left(&reader)) {
		uint32_t name_bytes = reader_u32(&reader), value_bytes = reader_u32(&reader);
		uint32_t type = reader_u32(&reader);
		const uint8_t *name =
			reader_take(&reader, (name_bytes + UINT64_C(3)) & ~UINT64_C(3));
		const uint8_t *value =
			reader_take(&reader, (value_bytes + UINT64_C(3)) & ~UINT64_C(3));

		if (!value || type != NT_GNU_BUILD_ID || name_bytes != sizeof(owner) ||
		    memcmp(name, owner, sizeof(owner)) != 0)
			continue;
		if (value_bytes < 2 || value_bytes > BUILD_ID_BYTES_MOST)
			return false;
		memcpy(id->bytes, value, value_bytes);
		id->count = value_bytes;
		return true;
	}
	return false;
}

/* A table of headers of one size, of which each names a block of bytes. */
struct table {
	size_t offset, entry_bytes, type_at, offset_at, size_at;
	unsigned count;
	uint32_t notes; /* the type of a block of notes */
};

static uint64_t number_at(const uint8_t *bytes, size_t size, size_t at, unsigned length)
{
	struct reader reader = reader_of(bytes, size);

	reader.at = at;
	return reader_number(&reader, length);
}

static bool read_table(struct build_id *id, const uint8_t *bytes, size_t size,
		       const struct table *table)
{
	bool found = false;

	for (unsigned i = 0; !found && i < table->count; i++) {
		size_t at = table->offset + i * table->entry_bytes;

		if (!reader_fits(table->offset, (i + UINT64_C(1)) * table->entry_bytes, size))
			return false;
		uint64_t offset = number_at(bytes, size, at + table->offset_at, 8);
		uint64_t length = number_at(bytes, size, at + table->size_at, 8);
		if (number_at(bytes, size, at + table->type_at, 4) == table->notes &&
		    reader_fits(offset, length, size))
			found = read_notes(id, bytes + offset, (size_t)length);
	}
	return found;
}

bool build_id_read(struct build_id *id, const uint8_t *bytes, size_t size)
{
	Elf64_Ehdr header;

	*id = (struct build_id){.count = 0};
	if (size < sizeof(header) || memcmp(bytes, ELFMAG, SELFMAG) != 0 ||
	    bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != ELFDATA2LSB)
		return false;
	const struct table segments = {
		.offset = number_at(bytes, size, offsetof(Elf64_Ehdr, e_phoff), 8),
		.entry_bytes = sizeof(Elf64_Phdr),
		.type_at = offsetof(Elf64_Phdr, p_type),
		.offset_at = offsetof(Elf64_Phdr, p_offset),
		.size_at = offsetof(Elf64_Phdr, p_filesz),
		.count = (unsigned)number_at(bytes, size, offsetof(Elf64_Ehdr, e_phnum), 2),
		.notes = PT_NOTE,
	};
	const struct table sections = {
		.offset = number_at(bytes, size, offsetof(Elf64_Ehdr, e_shoff), 8),
		.entry_bytes = sizeof(Elf64_Shdr),
		.type_at = offsetof(Elf64_Shdr, sh_type),
		.offset_at = offsetof(Elf64_Shdr, sh_offset),
		.size_at = offsetof(Elf64_Shdr, sh_size),
		.count = (unsigned)number_at(bytes, size, offsetof(Elf64_Ehdr, e_shnum), 2),
		.notes = SHT_NOTE,
	};
	return read_table(id, bytes, size, &segments) || read_table(id, bytes, size, &sections);
}

void build_id_path(const struct build_id *id, char *path)
{
	path += sprintf(path, "/.build-id/%02x/", id->bytes[0]);
	for (size_t i = 1; i < id->count; i++)
		path += sprintf(path, "%02x", id->bytes[i]);
	strcpy(path, ".debug");
}
