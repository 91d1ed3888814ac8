/*
 * elf_file.h - a linked ELF file in memory, opened by libelf and libdw for readers of symbols and
 * debugging information. Running a program does not need them.
 *
 * libelf and libdw check what they read, but were not written for hostile files: a broken file may
 * end the process or take long. So only a jailed worker opens one, and its parent says what
 * happened (worker.h). What holds after elf_file_open():
 *   - it is a linked 64-bit little-endian file;
 *   - the sections with code are not empty and their addresses do not wrap.
 *
 * No other file is opened: debugging information that stands in a second file (.gnu_debugaltlink,
 * .dwo) is not read, and nothing is asked of a server.
 */
#ifndef IMAGE_ELF_FILE_H
#define IMAGE_ELF_FILE_H

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* A section with code; not in the order of the file, but ascending by start. */
struct elf_code {
	uint64_t start;
	uint64_t end;
};

struct elf_file {
	Elf *elf;
	Dwarf *dwarf;	  /* NULL: not opened, or there is no debugging information */
	const char *name; /* not owned: must outlive this value */
	uint8_t *copy;	  /* owned; libelf writes to the headers of compressed sections */
	struct elf_code *code;
	size_t code_count;
};

/* A section of it; zeros are before the first one. */
struct elf_section {
	Elf_Scn *section;
	GElf_Shdr header;
	const char *name; /* owned by the file; "" if it has none or that cannot be read */
};

/* `bytes` must outlive the value. False with a sentence that begins with the name; the value then
 * needs no closing. */
bool elf_file_open(struct elf_file *file, const uint8_t *bytes, size_t size, const char *name,
		   struct err *err);
/* The same with debugging information, if there is any. */
bool elf_file_open_dwarf(struct elf_file *file, const uint8_t *bytes, size_t size, const char *name,
			 struct err *err);
void elf_file_close(struct elf_file *file);

/* Goes on to the next section; false after the last. */
bool elf_section_next(struct elf_section *at, Elf *elf);

/* Is it loaded as executable code, not empty, at addresses that do not wrap? */
bool elf_file_is_code(const GElf_Shdr *header);

/* The section with code that contains the address, or NULL. */
const struct elf_code *elf_file_code_at(const struct elf_file *file, uint64_t address);

#endif
