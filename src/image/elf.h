/*
 * elf.h - the parts of an ELF program that a loader needs.
 *
 * elf_parse() turns the bytes of a file into a struct elf, or says in one
 * sentence why it cannot. The file is hostile until checked; once parsed,
 * these hold and no user needs to check them again:
 *   - the load segments are sorted by vaddr, not empty, do not overlap by a
 *     byte, and end at or below ELF_ADDRESS_LIMIT (before any load bias);
 *     segments may still share a page;
 *   - file_offset + file_bytes lies within the file, file_bytes <= mem_bytes,
 *     and a segment with file bytes has vaddr and file_offset equal modulo
 *     ELF_PAGE_BYTES;
 *   - the entry point is even and inside an executable segment;
 *   - the interpreter's name is not empty. The path is not checked: keeping it
 *     below the sysroot is the task of the caller that opens it.
 *
 * Not read here: sections (elf_file.h), the dynamic section, TLS, notes and
 * relocations, which the guest's own start-up code handles.
 */
#ifndef IMAGE_ELF_H
#define IMAGE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define ELF_ADDRESS_LIMIT (UINT64_C(1) << 38) /* the user half of Sv39 */
#define ELF_PAGE_BYTES	  4096
#define ELF_INTERP_BYTES  4096 /* longest interpreter name, with its NUL */

enum elf_type {
	ELF_STATIC,	/* ET_EXEC without an interpreter */
	ELF_STATIC_PIE, /* ET_DYN without one: a static PIE, or the interpreter itself */
	ELF_DYNAMIC,	/* either, with an interpreter */
};

enum elf_float_abi {
	ELF_FLOAT_SOFT,
	ELF_FLOAT_SINGLE,
	ELF_FLOAT_DOUBLE,
};

struct elf_segment {
	uint64_t vaddr;
	uint64_t mem_bytes;
	uint64_t file_offset;
	uint64_t file_bytes;
	uint64_t align; /* a power of two, at least 1, below ELF_ADDRESS_LIMIT */
	bool readable;
	bool writable;
	bool executable;
};

struct elf {
	enum elf_type type;
	bool position_independent; /* ET_DYN: the loader chooses a bias */
	uint64_t entry;
	uint64_t phdr_offset; /* file offset of the program headers */
	uint64_t phdr_vaddr; /* address of the program headers (AT_PHDR); 0 if no load segment holds
				them */
	unsigned phnum;
	unsigned phentsize;
	struct elf_segment *segments; /* owned */
	size_t segment_count;	      /* at least 1 */
	char *interp;		      /* owned; NULL without PT_INTERP */
	bool stack_executable;	      /* PT_GNU_STACK says so; false without one, as on Linux */
	enum elf_float_abi float_abi;
	bool compressed; /* e_flags says the code has 16-bit instructions */
};

/* An empty value that elf_release() accepts. */
void elf_init(struct elf *elf);

/* Frees what the value owns and makes it empty again. */
void elf_release(struct elf *elf);

/* Checks the whole file and fills an initialised elf. `name` is used in the
 * sentence only. `bytes` is not kept. On failure returns false and leaves elf
 * empty. */
bool elf_parse(struct elf *elf, const uint8_t *bytes, size_t size, const char *name,
	       struct err *err);

#endif
