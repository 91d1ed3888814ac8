#include "image/elf_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

bool elf_file_is_code(const GElf_Shdr *header)
{
	uint64_t wanted = SHF_ALLOC | SHF_EXECINSTR;

	return (header->sh_flags & wanted) == wanted && header->sh_size &&
	       header->sh_size <= UINT64_MAX - header->sh_addr;
}

bool elf_section_next(struct elf_section *at, Elf *elf)
{
	size_t names = SHN_UNDEF;

	at->section = elf_nextscn(elf, at->section);
	if (!at->section)
		return false;
	/* libelf has no section if its table of headers does not lie within the file. */
	BUG_ON(!gelf_getshdr(at->section, &at->header));
	elf_getshdrstrndx(elf, &names);
	const char *name = elf_strptr(elf, names, at->header.sh_name);
	at->name = name ? name : "";
	return true;
}

static int compare_code(const void *left, const void *right)
{
	const struct elf_code *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

static void collect_code(struct elf_file *file)
{
	size_t capacity = 0;

	for (struct elf_section at = {0}; elf_section_next(&at, file->elf);)
		if (elf_file_is_code(&at.header))
			*ARRAY_PUSH(file->code, file->code_count, capacity) = (struct elf_code){
				at.header.sh_addr, at.header.sh_addr + at.header.sh_size};
	if (file->code_count)
		qsort(file->code, file->code_count, sizeof(*file->code), compare_code);
}

const struct elf_code *elf_file_code_at(const struct elf_file *file, uint64_t address)
{
	size_t low = 0, high = file->code_count;

	/* The last section that begins at or below the address is at low - 1. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->code[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < file->code[low - 1].end ? &file->code[low - 1] : NULL;
}

static bool has_compressed_section(Elf *elf)
{
	for (struct elf_section at = {0}; elf_section_next(&at, elf);)
		if (at.header.sh_flags & SHF_COMPRESSED || strncmp(at.name, ".zdebug", 7) == 0)
			return true;
	return false;
}

/* libelf takes a pointer to bytes that may change, but changes only compressed sections. */
static Elf *open_bytes(const uint8_t *bytes, size_t size)
{
	union {
		const uint8_t *given;
		char *taken;
	} image = {bytes};

	elf_version(EV_CURRENT);
	return elf_memory(image.taken, size);
}

static bool check_header(struct elf_file *file, struct err *err)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(file->elf, &header) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != ELFDATA2LSB)
		return err_set(err, "%s: not a 64-bit little-endian ELF file", file->name);
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return err_set(err,
			       "%s: not a linked program or library (ELF type %u); link it first",
			       file->name, header.e_type);
	return true;
}

bool elf_file_open(struct elf_file *file, const uint8_t *bytes, size_t size, const char *name,
		   struct err *err)
{
	*file = (struct elf_file){.elf = open_bytes(bytes, size), .name = name};
	if (!check_header(file, err)) {
		elf_file_close(file);
		return false;
	}
	if (has_compressed_section(file->elf)) {
		elf_end(file->elf);
		file->copy = mem_alloc(size);
		memcpy(file->copy, bytes, size);
		file->elf = open_bytes(file->copy, size);
	}
	collect_code(file);
	return true;
}

static bool has_debug_section(Elf *elf)
{
	for (struct elf_section at = {0}; elf_section_next(&at, elf);)
		if (at.header.sh_type != SHT_NOBITS &&
		    (strncmp(at.name, ".debug_", 7) == 0 || strncmp(at.name, ".zdebug_", 8) == 0))
			return true;
	return false;
}

/* Ends the process as any other lack of memory does. */
static __attribute__((noreturn)) void no_memory(void)
{
	mem_alloc_array(SIZE_MAX, 1);
	BUG("memory for everything was to be had");
}

bool elf_file_open_dwarf(struct elf_file *file, const uint8_t *bytes, size_t size, const char *name,
			 struct err *err)
{
	if (!elf_file_open(file, bytes, size, name, err))
		return false;
	if (!has_debug_section(file->elf))
		return true;
	file->dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	if (!file->dwarf) {
		err_set(err, "%s: its debugging information cannot be read: %s", name,
			dwarf_errmsg(-1));
		elf_file_close(file);
		return false;
	}
	/* This is how libdw itself notes that a second file was looked for and is not there. */
	dwarf_setalt(file->dwarf, (Dwarf *)-1);
	dwarf_new_oom_handler(file->dwarf, no_memory);
	return true;
}

void elf_file_close(struct elf_file *file)
{
	dwarf_end(file->dwarf);
	elf_end(file->elf);
	free(file->copy);
	free(file->code);
	*file = (struct elf_file){0};
}
