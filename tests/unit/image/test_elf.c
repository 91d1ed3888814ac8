#include "../test.h"
#include "image.h"
#include "toolchain.h"
#include "image/elf.h"

#define HINT "riscv64-linux-gnu-gcc -O2 -g -static"

/* Parses what must be refused, from a block of exactly its size so that a
 * sanitizer sees a step too far, and compares the sentence. */
static void check_refused(const void *bytes, size_t size, const char *sentence)
{
	struct err err = {0};
	struct elf elf;
	uint8_t *exact = malloc(size ? size : 1);

	if (size)
		memcpy(exact, bytes, size);
	elf_init(&elf);
	assert_false(elf_parse(&elf, exact, size, "prog", &err));
	assert_string_equal(err.text, sentence);
	assert_null(elf.segments);
	assert_null(elf.interp);
	assert_false(elf_parse(&elf, exact, size, "prog", NULL));
	free(exact);
}

/* The minimal program with one number changed. */
static void check_spoilt(size_t at, uint64_t value, unsigned bytes, const char *sentence)
{
	struct image image = image_program();

	image_put(&image, at, value, bytes);
	check_refused(image.bytes, image.size, sentence);
	image_release(&image);
}

TEST(test_program_is_described_as_written)
{
	struct image image = image_program();
	struct err err;
	struct elf elf;

	elf_init(&elf);
	assert_true(elf_parse(&elf, image.bytes, image.size, "prog", &err));
	assert_int_equal(elf.type, ELF_STATIC);
	assert_false(elf.position_independent);
	assert_int_equal(elf.entry, 0x10180);
	assert_int_equal(elf.phdr_offset, 64);
	assert_int_equal(elf.phdr_vaddr, 0x10040);
	assert_int_equal(elf.phnum, 4);
	assert_int_equal(elf.phentsize, 56);
	assert_null(elf.interp);
	assert_false(elf.stack_executable);
	assert_int_equal(elf.float_abi, ELF_FLOAT_DOUBLE);
	assert_true(elf.compressed);
	assert_int_equal(elf.segment_count, 2);
	const struct elf_segment *code = &elf.segments[0], *data = &elf.segments[1];
	assert_int_equal(code->vaddr, 0x10000);
	assert_int_equal(code->file_offset, 0);
	assert_int_equal(code->file_bytes, 0x1c0);
	assert_true(code->readable && !code->writable && code->executable);
	assert_int_equal(data->vaddr, 0x111c0);
	assert_int_equal(data->mem_bytes, 0x2000);
	assert_int_equal(data->file_offset, 0x1c0);
	assert_int_equal(data->file_bytes, 0x40);
	assert_int_equal(data->align, 0x1000);
	assert_true(data->readable && data->writable && !data->executable);
	elf_release(&elf);
	image_release(&image);
}

TEST(test_kinds_of_program_are_told_apart)
{
	static const char interp[] = "/lib/ld.so";
	struct image image = image_program();
	struct elf elf;

	elf_init(&elf);
	image_put(&image, offsetof(Elf64_Ehdr, e_type), ET_DYN, 2);
	assert_true(elf_parse(&elf, image.bytes, image.size, "prog", NULL));
	assert_int_equal(elf.type, ELF_STATIC_PIE);
	assert_true(elf.position_independent);
	elf_release(&elf);

	memcpy(image.bytes + 0x1a0, interp, sizeof(interp));
	image_segment(&image, 3, PT_INTERP, PF_R, 0x1a0, 0x101a0, sizeof(interp), sizeof(interp));
	assert_true(elf_parse(&elf, image.bytes, image.size, "prog", NULL));
	assert_int_equal(elf.type, ELF_DYNAMIC);
	assert_true(elf.position_independent);
	assert_string_equal(elf.interp, interp);
	elf_release(&elf);

	image_put(&image, offsetof(Elf64_Ehdr, e_type), ET_EXEC, 2);
	assert_true(elf_parse(&elf, image.bytes, image.size, "prog", NULL));
	assert_int_equal(elf.type, ELF_DYNAMIC);
	assert_false(elf.position_independent);
	elf_release(&elf);
	image_release(&image);
}

TEST(test_segments_are_sorted_and_empty_ones_left_out)
{
	struct image image = image_program();
	struct elf elf;

	image_segment(&image, 0, PT_LOAD, PF_R | PF_W, 0x1c0, 0x111c0, 0x40, 0x2000);
	image_segment(&image, 1, PT_LOAD, PF_R | PF_X, 0, IMAGE_TEXT, 0x1c0, 0x1c0);
	image_segment(&image, 2, PT_GNU_STACK, PF_R | PF_X, 0, 0, 0, 0);
	image_segment(&image, 3, PT_LOAD, PF_R, 0x123456, 0x10010, 0, 0);
	image_put(&image, IMAGE_PHDR(0, p_align), 0, 8);
	elf_init(&elf);
	assert_true(elf_parse(&elf, image.bytes, image.size, "prog", NULL));
	assert_int_equal(elf.segment_count, 2);
	assert_int_equal(elf.segments[0].vaddr, IMAGE_TEXT);
	assert_int_equal(elf.segments[1].vaddr, 0x111c0);
	assert_int_equal(elf.segments[1].align, 1);
	assert_true(elf.stack_executable);
	elf_release(&elf);
	image_release(&image);
}

TEST(test_headers_outside_every_segment_have_no_address)
{
	struct image image = image_program();
	struct elf elf;

	/* One byte of the table is missing in the segment. */
	image_put(&image, IMAGE_PHDR(0, p_filesz), 64 + 4 * 56 - 1, 8);
	elf_init(&elf);
	assert_true(elf_parse(&elf, image.bytes, image.size, "prog", NULL));
	assert_int_equal(elf.phdr_vaddr, 0);
	elf_release(&elf);
	image_release(&image);
}

TEST(test_what_is_no_elf_is_named)
{
	check_refused("", 0, "prog: the file is empty; give a RISC-V ELF program");
	check_refused("#!/bin/sh\n", 10,
		      "prog: a script, not a program; give the RISC-V ELF program that would "
		      "interpret it, with the script as an argument");
	check_refused("!<arch>\nx", 9,
		      "prog: a library archive, not a program; link it into one with " HINT);
	check_refused("hello, world", 12,
		      "prog: not an ELF file (it does not begin with 7f 45 4c 46); give a program "
		      "built with " HINT);
	check_refused("\x7f"
		      "EL",
		      3,
		      "prog: not an ELF file (it does not begin with 7f 45 4c 46); give a program "
		      "built with " HINT);
}

TEST(test_other_architectures_are_named)
{
	static const struct {
		unsigned machine;
		const char *name;
	} machines[] = {
		{EM_X86_64, "x86-64"},	{EM_386, "32-bit x86"},	  {EM_AARCH64, "AArch64"},
		{EM_ARM, "32-bit ARM"}, {EM_MIPS, "MIPS"},	  {EM_PPC64, "64-bit PowerPC"},
		{EM_S390, "s390"},	{999, "ELF machine 999"},
	};
	char sentence[256];

	for (size_t i = 0; i < ARRAY_COUNT(machines); i++) {
		snprintf(sentence, sizeof(sentence), "prog: built for %s, not RISC-V; try " HINT,
			 machines[i].name);
		check_spoilt(offsetof(Elf64_Ehdr, e_machine), machines[i].machine, 2, sentence);
	}

	/* A big-endian file writes its machine the other way round. */
	struct image image = image_program();
	image_put(&image, EI_DATA, ELFDATA2MSB, 1);
	image_put(&image, offsetof(Elf64_Ehdr, e_machine), EM_S390 << 8, 2);
	check_refused(image.bytes, image.size, "prog: built for s390, not RISC-V; try " HINT);
	image_release(&image);
}

TEST(test_identification_is_checked)
{
	struct image image = image_program();

	check_spoilt(EI_CLASS, ELFCLASS32, 1,
		     "prog: a 32-bit RISC-V program; rv64 is needed, try " HINT);
	check_spoilt(EI_CLASS, 7, 1,
		     "prog: ELF class 7 at offset 4 is neither 32-bit nor 64-bit; the file is "
		     "damaged, build it again");
	check_spoilt(
		EI_DATA, 0, 1,
		"prog: not little-endian (byte order 0 at offset 5); RISC-V Linux programs are, "
		"try " HINT);
	check_spoilt(EI_VERSION, 2, 1,
		     "prog: ELF version 2 at offset 6, where only 1 exists; the file is damaged, "
		     "build it again");
	image_put(&image, EI_DATA, ELFDATA2MSB, 1);
	image_put(&image, offsetof(Elf64_Ehdr, e_machine), EM_RISCV << 8, 2);
	check_refused(image.bytes, image.size,
		      "prog: not little-endian (byte order 2 at offset 5); RISC-V Linux programs "
		      "are, try " HINT);
	image_release(&image);
}

TEST(test_files_of_other_types_are_named)
{
	size_t type = offsetof(Elf64_Ehdr, e_type);

	check_spoilt(type, ET_REL, 2, "prog: an object file, not yet linked; link it with " HINT);
	check_spoilt(type, ET_CORE, 2,
		     "prog: a core dump, not a program; give the program that left it");
	check_spoilt(type, 0xfe00, 2,
		     "prog: ELF type 65024 at offset 16 is not a program's; give a program built "
		     "with " HINT);
}

TEST(test_abis_beyond_the_machine_are_refused)
{
	size_t flags = offsetof(Elf64_Ehdr, e_flags);

	check_spoilt(flags, 0x8, 4,
		     "prog: built for the embedded base RV64E with 16 registers; build it for "
		     "RV64GC with " HINT);
	check_spoilt(flags, 0x6, 4,
		     "prog: uses the quad-precision float ABI (lp64q), which RV64GC does not have; "
		     "build it with -mabi=lp64d");
}

TEST(test_truncation_says_what_is_missing)
{
	struct image image = image_program();

	check_refused(
		image.bytes, 19,
		"prog: truncated: the ELF header needs 64 bytes at offset 0, but the file has "
		"19; copy or build it again");
	check_refused(
		image.bytes, 63,
		"prog: truncated: the ELF header needs 64 bytes at offset 0, but the file has "
		"63; copy or build it again");
	check_refused(image.bytes, 64,
		      "prog: truncated: the program headers need 224 bytes at offset 64, but the "
		      "file has 64; copy or build it again");
	check_refused(image.bytes, 287,
		      "prog: truncated: the program headers need 224 bytes at offset 64, but the "
		      "file has 287; copy or build it again");
	check_refused(image.bytes, 0x1ff,
		      "prog: truncated: the load segment in program header 1 needs 64 bytes at "
		      "offset 448, but the file has 511; copy or build it again");
	check_spoilt(offsetof(Elf64_Ehdr, e_phoff), UINT64_MAX - 8, 8,
		     "prog: truncated: the program headers need 224 bytes at offset "
		     "18446744073709551607, but the file has 512; copy or build it again");
	check_spoilt(IMAGE_PHDR(1, p_offset), 0xfffffffffffff1c0, 8,
		     "prog: truncated: the load segment in program header 1 needs 64 bytes at "
		     "offset 18446744073709547968, but the file has 512; copy or build it again");
	image_release(&image);
}

TEST(test_every_shorter_file_is_refused)
{
	struct image image = image_program();

	for (size_t size = 0; size < image.size; size++) {
		struct err err = {0};
		struct elf elf;
		uint8_t *exact = malloc(size ? size : 1);

		memcpy(exact, image.bytes, size);
		elf_init(&elf);
		assert_false(elf_parse(&elf, exact, size, "prog", &err));
		assert_int_equal(strncmp(err.text, "prog: ", 6), 0);
		free(exact);
	}
	image_release(&image);
}

TEST(test_program_header_table_is_checked)
{
	check_spoilt(offsetof(Elf64_Ehdr, e_phnum), 0, 2,
		     "prog: no program headers, so there is nothing to load; link it with " HINT);
	check_spoilt(offsetof(Elf64_Ehdr, e_phentsize), 32, 2,
		     "prog: program headers have 32 bytes each (offset 54), where ELF says 56; the "
		     "file is damaged, build it again");
	check_spoilt(
		offsetof(Elf64_Ehdr, e_phnum), 1171, 2,
		"prog: 1171 program headers (offset 56), more than the 1170 Linux accepts; link "
		"it with fewer segments");
}

TEST(test_segments_are_checked)
{
	struct image image = image_program();

	check_spoilt(
		IMAGE_PHDR(1, p_memsz), 0x3f, 8,
		"prog: load segment in program header 1 has 64 bytes in the file but only 63 in "
		"memory; the file is damaged, build it again");
	check_spoilt(
		IMAGE_PHDR(1, p_vaddr), 0xfffffffffffff1c0, 8,
		"prog: load segment in program header 1 wraps around the address space (0x2000 "
		"bytes at 0xfffffffffffff1c0); the file is damaged, build it again");
	check_spoilt(
		IMAGE_PHDR(1, p_vaddr), 0x3fffffe1c0, 8,
		"prog: load segment in program header 1 ends at 0x40000001c0, above the guest's "
		"address space of 0x4000000000 bytes; link it at lower addresses");
	check_spoilt(IMAGE_PHDR(1, p_align), 0x1800, 8,
		     "prog: load segment in program header 1 has alignment 0x1800, not a power of "
		     "two below 0x4000000000; the file is damaged, build it again");
	check_spoilt(
		IMAGE_PHDR(1, p_align), UINT64_C(1) << 63, 8,
		"prog: load segment in program header 1 has alignment 0x8000000000000000, not a "
		"power of two below 0x4000000000; the file is damaged, build it again");
	check_spoilt(IMAGE_PHDR(1, p_vaddr), 0x111c8, 8,
		     "prog: load segment in program header 1 cannot be mapped: address 0x111c8 and "
		     "file offset 0x1c0 differ modulo the page size 4096; link it with -z "
		     "max-page-size=4096");
	check_spoilt(IMAGE_PHDR(1, p_vaddr), 0x101c0 - 0x1000, 8,
		     "prog: load segments overlap: 0xf1c0 to 0x111c0 and 0x10000 to 0x101c0; the "
		     "file is damaged, build it again");
	image_segment(&image, 0, PT_NULL, 0, 0, 0, 0, 0);
	image_segment(&image, 1, PT_NULL, 0, 0, 0, 0, 0);
	check_refused(image.bytes, image.size,
		      "prog: no load segments, so there is nothing to run; link it with " HINT);
	image_release(&image);
}

TEST(test_last_address_may_be_used)
{
	struct image image = image_program();
	struct elf elf;

	image_put(&image, IMAGE_PHDR(1, p_vaddr), ELF_ADDRESS_LIMIT - 0xe40, 8);
	image_put(&image, IMAGE_PHDR(1, p_memsz), 0xe40, 8);
	elf_init(&elf);
	assert_true(elf_parse(&elf, image.bytes, image.size, "prog", NULL));
	elf_release(&elf);
	image_release(&image);
}

TEST(test_entry_must_be_code)
{
	size_t entry = offsetof(Elf64_Ehdr, e_entry);

	check_spoilt(entry, 0x10181, 8,
		     "prog: the entry point 0x10181 is odd, but instructions are not; build it "
		     "again");
	check_spoilt(entry, 0x111c0, 8,
		     "prog: the entry point 0x111c0 is in no executable segment; give a program, "
		     "not a shared library");
	check_spoilt(entry, 0x101c0, 8,
		     "prog: the entry point 0x101c0 is in no executable segment; give a program, "
		     "not a shared library");
	check_spoilt(entry, 0, 8,
		     "prog: the entry point 0x0 is in no executable segment; give a program, not a "
		     "shared library");
}

TEST(test_interpreter_is_checked)
{
	struct image image = image_program();

	image_segment(&image, 3, PT_INTERP, PF_R, 0x1a0, 0x101a0, 4097, 4097);
	check_refused(image.bytes, image.size,
		      "prog: the program interpreter's name (PT_INTERP) has 4097 bytes, more than "
		      "4096; the file is damaged, build it again");
	image_segment(&image, 3, PT_INTERP, PF_R, 0x1ff, 0x101ff, 2, 2);
	check_refused(
		image.bytes, image.size,
		"prog: truncated: the program interpreter's name (PT_INTERP) needs 2 bytes at "
		"offset 511, but the file has 512; copy or build it again");
	memcpy(image.bytes + 0x1a0, "/ld", 3);
	image_segment(&image, 3, PT_INTERP, PF_R, 0x1a0, 0x101a0, 3, 3);
	check_refused(image.bytes, image.size,
		      "prog: the program interpreter's name (PT_INTERP) at offset 416 is not ended "
		      "by a NUL; the file is damaged, build it again");
	image_segment(&image, 3, PT_INTERP, PF_R, 0x1a3, 0x101a3, 1, 1);
	check_refused(
		image.bytes, image.size,
		"prog: the program interpreter's name (PT_INTERP) at offset 419 is empty; the "
		"file is damaged, build it again");
	image_segment(&image, 3, PT_INTERP, PF_R, 0x200, 0x10200, 0, 0);
	check_refused(
		image.bytes, image.size,
		"prog: the program interpreter's name (PT_INTERP) at offset 512 is empty; the "
		"file is damaged, build it again");
	image_segment(&image, 2, PT_INTERP, PF_R, 0x1a0, 0x101a0, 4, 4);
	image_segment(&image, 3, PT_INTERP, PF_R, 0x1a0, 0x101a0, 4, 4);
	check_refused(
		image.bytes, image.size,
		"prog: names two program interpreters (PT_INTERP); the file is damaged, build "
		"it again");
	image_release(&image);
}

static void check_built(const struct toolchain *toolchain, const char *flags, enum elf_type type)
{
	struct err err = {0};
	struct elf elf;
	size_t size;
	unsigned long entry = 0;

	free(toolchain_run(toolchain, TOOLCHAIN_PREFIX "gcc %s main.c -o main", flags));
	char *text = toolchain_run(toolchain, TOOLCHAIN_PREFIX
				   "readelf -h main | sed -n 's/.*Entry point address: *//p'");
	assert_int_equal(sscanf(text, "%lx", &entry), 1);
	uint8_t *bytes = toolchain_load(toolchain, "main", &size);
	elf_init(&elf);
	if (!elf_parse(&elf, bytes, size, "main", &err))
		fail_msg("%s: %s", flags, err.text);
	assert_int_equal(elf.type, type);
	assert_int_equal(elf.entry, entry);
	assert_int_equal(elf.float_abi, ELF_FLOAT_DOUBLE);
	assert_true(elf.phdr_vaddr != 0);
	elf_release(&elf);
	free(bytes);
	free(text);
}

TEST_WITH(test_compiled_programs_are_accepted, toolchain_setup, toolchain_teardown)
{
	const struct toolchain *toolchain = *test_state;

	if (!toolchain)
		skip();
	FILE *source = toolchain_open(toolchain, "main.c", "w");
	fputs("int main(void) { return 0; }\n", source);
	fclose(source);
	check_built(toolchain, "-static", ELF_STATIC);
	check_built(toolchain, "-nostdlib -e main -pie -Wl,--no-dynamic-linker", ELF_STATIC_PIE);
	check_built(toolchain, "-pie", ELF_DYNAMIC);
	check_built(toolchain, "-no-pie", ELF_DYNAMIC);
}
