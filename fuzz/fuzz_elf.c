/*
 * The loader's view of any bytes: parsing them either fails with a sentence or
 * yields what elf.h promises, which is checked here again, plainly.
 */
#include <stdlib.h>
#include <string.h>

#include "image/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_segment(const struct elf_segment *segment, const struct elf_segment *below,
			  size_t size)
{
	BUG_ON(!segment->mem_bytes || segment->file_bytes > segment->mem_bytes);
	BUG_ON(segment->vaddr > ELF_ADDRESS_LIMIT || segment->mem_bytes > ELF_ADDRESS_LIMIT ||
	       segment->vaddr + segment->mem_bytes > ELF_ADDRESS_LIMIT);
	BUG_ON(!segment->align || (segment->align & (segment->align - 1)));
	BUG_ON(below && below->vaddr + below->mem_bytes > segment->vaddr);
	if (!segment->file_bytes)
		return;
	BUG_ON(segment->file_offset > size || segment->file_bytes > size - segment->file_offset);
	BUG_ON(segment->vaddr % ELF_PAGE_BYTES != segment->file_offset % ELF_PAGE_BYTES);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct err err = {0};
	struct elf elf;
	bool entered = false;

	elf_init(&elf);
	if (!elf_parse(&elf, bytes, size, "input", &err)) {
		BUG_ON(strncmp(err.text, "input: ", 7) || elf.segments || elf.interp);
		return 0;
	}
	BUG_ON(!elf.segment_count);
	for (size_t i = 0; i < elf.segment_count; i++) {
		const struct elf_segment *segment = &elf.segments[i];

		check_segment(segment, i ? segment - 1 : NULL, size);
		entered |= segment->executable && elf.entry >= segment->vaddr &&
			   elf.entry < segment->vaddr + segment->mem_bytes;
	}
	BUG_ON(!entered || (elf.entry & 1));
	BUG_ON((elf.type == ELF_DYNAMIC) != (elf.interp != NULL));
	BUG_ON(elf.interp && (!*elf.interp || strlen(elf.interp) >= ELF_INTERP_BYTES));
	elf_release(&elf);
	return 0;
}
