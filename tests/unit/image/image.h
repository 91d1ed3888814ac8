/*
 * image.h - ELF files made by hand, for tests: bytes that grow, numbers in
 * little-endian order, and two starting points, a minimal program and a file of
 * sections. Tests then spoil them one field at a time.
 */
#ifndef TEST_PROG_IMAGE_H
#define TEST_PROG_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct image {
	uint8_t *bytes;
	size_t size;
	size_t capacity;
};

#define IMAGE_TEXT	 0x10000 /* address of the code in both kinds of image */
#define IMAGE_TEXT_BYTES 0x1000

static inline void image_release(struct image *image)
{
	free(image->bytes);
	*image = (struct image){0};
}

static inline size_t image_add(struct image *image, const void *bytes, size_t count)
{
	size_t at = image->size;

	for (size_t i = 0; i < count; i++)
		*ARRAY_PUSH(image->bytes, image->size, image->capacity) =
			bytes ? ((const uint8_t *)bytes)[i] : 0;
	return at;
}

static inline void image_number(struct image *image, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		*ARRAY_PUSH(image->bytes, image->size, image->capacity) =
			(uint8_t)(value >> (8 * i));
}

static inline void image_put(struct image *image, size_t at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		image->bytes[at + i] = (uint8_t)(value >> (8 * i));
}

static inline void image_header(struct image *image, unsigned type)
{
	static const uint8_t ident[EI_NIDENT] = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1};

	image_add(image, NULL, sizeof(Elf64_Ehdr));
	memcpy(image->bytes, ident, sizeof(ident));
	image_put(image, offsetof(Elf64_Ehdr, e_type), type, 2);
	image_put(image, offsetof(Elf64_Ehdr, e_machine), EM_RISCV, 2);
	image_put(image, offsetof(Elf64_Ehdr, e_version), 1, 4);
	image_put(image, offsetof(Elf64_Ehdr, e_flags), 0x5, 4);
	image_put(image, offsetof(Elf64_Ehdr, e_ehsize), sizeof(Elf64_Ehdr), 2);
}

/* Offset in the file of a field of program header `index`. */
#define IMAGE_PHDR(index, field) \
	(sizeof(Elf64_Ehdr) + (index) * sizeof(Elf64_Phdr) + offsetof(Elf64_Phdr, field))

static inline void image_segment(struct image *image, size_t index, uint32_t type, uint32_t flags,
				 uint64_t offset, uint64_t vaddr, uint64_t file_bytes,
				 uint64_t mem_bytes)
{
	image_put(image, IMAGE_PHDR(index, p_type), type, 4);
	image_put(image, IMAGE_PHDR(index, p_flags), flags, 4);
	image_put(image, IMAGE_PHDR(index, p_offset), offset, 8);
	image_put(image, IMAGE_PHDR(index, p_vaddr), vaddr, 8);
	image_put(image, IMAGE_PHDR(index, p_filesz), file_bytes, 8);
	image_put(image, IMAGE_PHDR(index, p_memsz), mem_bytes, 8);
	image_put(image, IMAGE_PHDR(index, p_align), 0x1000, 8);
}

/* 0x200 bytes: header, four program headers (code with the headers in it, data
 * with bss above it, a stack that is not executable, an unused one), code. */
static inline struct image image_program(void)
{
	struct image image = {0};

	image_header(&image, ET_EXEC);
	image_put(&image, offsetof(Elf64_Ehdr, e_entry), IMAGE_TEXT + 0x180, 8);
	image_put(&image, offsetof(Elf64_Ehdr, e_phoff), sizeof(Elf64_Ehdr), 8);
	image_put(&image, offsetof(Elf64_Ehdr, e_phentsize), sizeof(Elf64_Phdr), 2);
	image_put(&image, offsetof(Elf64_Ehdr, e_phnum), 4, 2);
	image_add(&image, NULL, 0x200 - image.size);
	image_segment(&image, 0, PT_LOAD, PF_R | PF_X, 0, IMAGE_TEXT, 0x1c0, 0x1c0);
	image_segment(&image, 1, PT_LOAD, PF_R | PF_W, 0x1c0, 0x111c0, 0x40, 0x2000);
	image_segment(&image, 2, PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0);
	image_segment(&image, 3, PT_NULL, 0, 0, 0, 0, 0);
	return image;
}

/* A file of sections is begun, given sections, and ended. Section 1 is .text,
 * executable, IMAGE_TEXT_BYTES at IMAGE_TEXT. */
struct image_sections {
	struct image file;
	struct image headers;
	struct image names;
	unsigned count;
};

#define IMAGE_SHDR(index, field) ((index) * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, field))

static inline unsigned image_section(struct image_sections *sections, const char *name,
				     uint32_t type, const void *bytes, size_t count)
{
	unsigned index = sections->count++;

	image_add(&sections->headers, NULL, sizeof(Elf64_Shdr));
	image_put(&sections->headers, IMAGE_SHDR(index, sh_name),
		  image_add(&sections->names, name, strlen(name) + 1), 4);
	image_put(&sections->headers, IMAGE_SHDR(index, sh_type), type, 4);
	image_put(&sections->headers, IMAGE_SHDR(index, sh_offset),
		  image_add(&sections->file, bytes, count), 8);
	image_put(&sections->headers, IMAGE_SHDR(index, sh_size), count, 8);
	return index;
}

static inline unsigned image_code_section(struct image_sections *sections, const char *name,
					  uint64_t address, uint64_t bytes)
{
	unsigned index = image_section(sections, name, SHT_NOBITS, NULL, 0);

	image_put(&sections->headers, IMAGE_SHDR(index, sh_flags), SHF_ALLOC | SHF_EXECINSTR, 8);
	image_put(&sections->headers, IMAGE_SHDR(index, sh_addr), address, 8);
	image_put(&sections->headers, IMAGE_SHDR(index, sh_size), bytes, 8);
	return index;
}

static inline struct image_sections image_sections_begin(void)
{
	struct image_sections sections = {0};

	image_header(&sections.file, ET_EXEC);
	image_section(&sections, "", SHT_NULL, NULL, 0);
	image_code_section(&sections, ".text", IMAGE_TEXT, IMAGE_TEXT_BYTES);
	return sections;
}

static inline struct image image_sections_end(struct image_sections *sections)
{
	image_section(sections, ".shstrtab", SHT_STRTAB, NULL, 0);
	unsigned index = sections->count - 1;
	image_put(&sections->headers, IMAGE_SHDR(index, sh_offset),
		  image_add(&sections->file, sections->names.bytes, sections->names.size), 8);
	image_put(&sections->headers, IMAGE_SHDR(index, sh_size), sections->names.size, 8);
	image_put(&sections->file, offsetof(Elf64_Ehdr, e_shoff),
		  image_add(&sections->file, sections->headers.bytes, sections->headers.size), 8);
	image_put(&sections->file, offsetof(Elf64_Ehdr, e_shentsize), sizeof(Elf64_Shdr), 2);
	image_put(&sections->file, offsetof(Elf64_Ehdr, e_shnum), sections->count, 2);
	image_put(&sections->file, offsetof(Elf64_Ehdr, e_shstrndx), index, 2);
	image_release(&sections->headers);
	image_release(&sections->names);
	return sections->file;
}

#endif
