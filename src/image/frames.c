#include "image/frames.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "image/elf_file.h"

/* Whether the ranges of a CIE's records are relative to where they stand, in four bytes, signed. */
static bool is_usual(const Dwarf_CIE *cie)
{
	struct reader data = reader_of(cie->augmentation_data, cie->augmentation_data_size);

	/* "zR", and before R what has a byte of its own (L) or nothing (S, B). */
	if (cie->augmentation[0] != 'z')
		return false;
	for (const char *p = cie->augmentation + 1; *p; p++) {
		if (*p == 'R')
			return reader_u8(&data) == (DW_EH_PE_pcrel | DW_EH_PE_sdata4);
		if (*p == 'P') {
			/* The personality: how it is encoded, then four bytes if that is usual. */
			if ((reader_u8(&data) & 0x0f) != DW_EH_PE_sdata4)
				return false;
			reader_take(&data, 4);
		} else if (*p == 'L') {
			reader_u8(&data);
		} else if (*p != 'S' && *p != 'B') {
			return false;
		}
	}
	return false;
}

/* The range of code of a record. False if it cannot be read or is no code. */
static bool read_range(const struct elf_file *file, const Elf_Data *data, uint64_t address,
		       const Dwarf_FDE *fde, struct frame_range *range)
{
	struct reader record = reader_of(fde->start, (size_t)(fde->end - fde->start));
	const int32_t start = (int32_t)reader_u32(&record);
	const uint32_t bytes = reader_u32(&record);

	range->start = address + (uint64_t)(fde->start - (const uint8_t *)data->d_buf) +
		       (uint64_t)(int64_t)start;
	const struct elf_code *code = elf_file_code_at(file, range->start);
	/* A record that is too short has no bytes. */
	if (!code || !bytes || bytes > code->end - range->start)
		return false;
	range->end = range->start + bytes;
	return true;
}

static int by_start(const void *left, const void *right)
{
	const struct frame_range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

struct offsets {
	uint64_t *items; /* ascending */
	size_t count, capacity;
};

static bool has_offset(const struct offsets *offsets, uint64_t wanted)
{
	size_t low = 0, high = offsets->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (offsets->items[middle] < wanted)
			low = middle + 1;
		else
			high = middle;
	}
	return low < offsets->count && offsets->items[low] == wanted;
}

/* Records follow each other, each somewhere after the CIE that it names. */
static void read_section(struct frames *frames, const struct elf_file *file, Elf_Data *data,
			 uint64_t address)
{
	const unsigned char *ident = (const unsigned char *)elf_getident(file->elf, NULL);
	struct offsets usual = {0};
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	for (Dwarf_Off offset = 0; offset < data->d_size; offset = next) {
		struct frame_range range;

		if (dwarf_next_cfi(ident, data, true, offset, &next, &entry) != 0)
			break;
		if (dwarf_cfi_cie_p(&entry)) {
			if (is_usual(&entry.cie))
				*ARRAY_PUSH(usual.items, usual.count, usual.capacity) = offset;
		} else if (has_offset(&usual, entry.fde.CIE_pointer) &&
			   read_range(file, data, address, &entry.fde, &range)) {
			*ARRAY_PUSH(frames->items, frames->count, frames->capacity) = range;
		}
	}
	free(usual.items);
}

void frames_read(struct frames *frames, const uint8_t *bytes, size_t size, const char *name)
{
	struct elf_file file;
	size_t kept = 0;

	*frames = (struct frames){0};
	if (!elf_file_open(&file, bytes, size, name, NULL))
		return;
	for (struct elf_section at = {0}; elf_section_next(&at, file.elf);) {
		Elf_Data *data =
			at.header.sh_type != SHT_NOBITS && strcmp(at.name, ".eh_frame") == 0
				? elf_rawdata(at.section, NULL)
				: NULL;

		if (data && data->d_buf)
			read_section(frames, &file, data, at.header.sh_addr);
	}
	elf_file_close(&file);
	if (frames->count)
		qsort(frames->items, frames->count, sizeof(*frames->items), by_start);
	for (size_t i = 0; i < frames->count; i++)
		if (!kept || frames->items[i].start != frames->items[kept - 1].start)
			frames->items[kept++] = frames->items[i];
	frames->count = kept;
}

void frames_release(struct frames *frames)
{
	free(frames->items);
	*frames = (struct frames){0};
}

const struct frame_range *frames_find(const struct frames *frames, uint64_t address)
{
	size_t low = 0, high = frames->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (frames->items[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < frames->items[low - 1].end ? &frames->items[low - 1] : NULL;
}
