/* Readers of files at their limits: programs in which every field has a value of its own, at the
 * last value that is accepted and one beyond it. */
#include "../test.h"
#include "../report/expected.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image.h"
#include "image/elf.h"
#include "image/image.h"

/* Parses the program with numbers changed; the caller releases it. */
struct change {
	size_t at;
	uint64_t value;
	unsigned bytes;
};

static bool parses(struct elf *elf, const struct change *changes, size_t count, struct err *err)
{
	struct image image = image_program();

	for (size_t i = 0; i < count; i++)
		image_put(&image, changes[i].at, changes[i].value, changes[i].bytes);
	elf_init(elf);
	bool ok = elf_parse(elf, image.bytes, image.size, "prog", err);
	image_release(&image);
	return ok;
}

static void is_accepted(size_t at, uint64_t value, unsigned bytes, bool wanted)
{
	struct elf elf;

	assert_int_equal(parses(&elf, &(struct change){at, value, bytes}, 1, NULL), wanted);
	elf_release(&elf);
}

TEST(programs_are_accepted_up_to_their_limits)
{
	/* The data ends at the top of the address space, or one page above it. */
	is_accepted(IMAGE_PHDR(1, p_memsz), 0x4000000000 - 0x111c0, 8, true);
	is_accepted(IMAGE_PHDR(1, p_memsz), 0x4000000000 - 0x111c0 + 1, 8, false);
	is_accepted(IMAGE_PHDR(1, p_memsz), 0x40, 8, true);
	is_accepted(IMAGE_PHDR(1, p_memsz), 0x3f, 8, false);
	/* Alignments: none, one, powers of two below the top. */
	is_accepted(IMAGE_PHDR(1, p_align), 0, 8, true);
	is_accepted(IMAGE_PHDR(1, p_align), 1, 8, true);
	is_accepted(IMAGE_PHDR(1, p_align), 2, 8, true);
	is_accepted(IMAGE_PHDR(1, p_align), 3, 8, false);
	is_accepted(IMAGE_PHDR(1, p_align), 0x2000000000, 8, true);
	is_accepted(IMAGE_PHDR(1, p_align), 0x4000000000, 8, false);
	/* The code goes up to the data and no farther. */
	is_accepted(IMAGE_PHDR(0, p_memsz), 0x11c0, 8, true);
	is_accepted(IMAGE_PHDR(0, p_memsz), 0x11c1, 8, false);
	/* The entry is the first or the last even address of the code. */
	is_accepted(offsetof(Elf64_Ehdr, e_entry), 0x10000, 8, true);
	is_accepted(offsetof(Elf64_Ehdr, e_entry), 0x101be, 8, true);
	is_accepted(offsetof(Elf64_Ehdr, e_entry), 0xfffe, 8, false);
	is_accepted(offsetof(Elf64_Ehdr, e_entry), 0x101c0, 8, false);
	/* The data lies at the same place of a page in the file. */
	is_accepted(IMAGE_PHDR(1, p_vaddr), 0x121c0, 8, true);
	is_accepted(IMAGE_PHDR(1, p_vaddr), 0x121c1, 8, false);
	is_accepted(IMAGE_PHDR(1, p_vaddr), 0x119c0, 8, false);
	/* Without contents the offset does not matter. */
	struct elf elf;
	assert_true(parses(&elf,
			   (const struct change[]){{IMAGE_PHDR(1, p_filesz), 0, 8},
						   {IMAGE_PHDR(1, p_offset), 0x99999, 8}},
			   2, NULL));
	assert_int_equal(elf.segment_count, 2);
	elf_release(&elf);
	/* A segment that wraps is told as such, one that only ends too high is not. */
	struct err err = {.text = ""};
	assert_false(
		parses(&elf,
		       (const struct change[]){{IMAGE_PHDR(1, p_vaddr), 0x111c0, 8},
					       {IMAGE_PHDR(1, p_memsz), UINT64_MAX - 0x111c0, 8}},
		       2, &err));
	assert_non_null(strstr(err.text, "ends at 0xffffffffffffffff, above"));
	assert_false(
		parses(&elf,
		       (const struct change[]){{IMAGE_PHDR(1, p_vaddr), 0x111c0, 8},
					       {IMAGE_PHDR(1, p_memsz), UINT64_MAX - 0x111bf, 8}},
		       2, &err));
	assert_non_null(strstr(err.text, "wraps around the address space"));
}

TEST(every_flag_is_its_own)
{
	static const struct {
		uint32_t flags;
		bool readable, writable, executable;
	} rows[] = {
		{PF_R, true, false, false}, {PF_W, false, true, false}, {PF_X, false, false, true}};
	static const struct {
		uint32_t flags;
		enum elf_float_abi abi;
		bool compressed;
	} abis[] = {{0, ELF_FLOAT_SOFT, false},	  {1, ELF_FLOAT_SOFT, true},
		    {2, ELF_FLOAT_SINGLE, false}, {4, ELF_FLOAT_DOUBLE, false},
		    {5, ELF_FLOAT_DOUBLE, true},  {0x10, ELF_FLOAT_SOFT, false}};
	struct elf elf;

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		assert_true(parses(&elf, &(struct change){IMAGE_PHDR(1, p_flags), rows[i].flags, 4},
				   1, NULL));
		assert_int_equal(elf.segments[1].readable, rows[i].readable);
		assert_int_equal(elf.segments[1].writable, rows[i].writable);
		assert_int_equal(elf.segments[1].executable, rows[i].executable);
		elf_release(&elf);
		assert_true(parses(&elf, &(struct change){IMAGE_PHDR(2, p_flags), rows[i].flags, 4},
				   1, NULL));
		assert_int_equal(elf.stack_executable, rows[i].executable);
		elf_release(&elf);
	}
	for (size_t i = 0; i < ARRAY_COUNT(abis); i++) {
		assert_true(parses(
			&elf, &(struct change){offsetof(Elf64_Ehdr, e_flags), abis[i].flags, 4}, 1,
			NULL));
		assert_int_equal(elf.float_abi, abis[i].abi);
		assert_int_equal(elf.compressed, abis[i].compressed);
		elf_release(&elf);
	}
}

/* The program headers are looked for in every segment, where its part of the file begins. */
TEST(program_headers_have_an_address)
{
	static const struct {
		uint64_t offset, vaddr, bytes, wanted;
	} rows[] = {
		{0x40, 0x11040, 224, 0x11040}, {0x40, 0x11040, 223, 0},
		{0x3f, 0x1103f, 225, 0x11040}, {0x41, 0x11041, 300, 0},
		{0x30, 0x21030, 240, 0x21040},
	};
	struct elf elf;

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct change changes[] = {
			/* The code has no headers in it. */
			{IMAGE_PHDR(0, p_offset), 0x180, 8},
			{IMAGE_PHDR(0, p_vaddr), 0x10180, 8},
			{IMAGE_PHDR(0, p_filesz), 0x40, 8},
			{IMAGE_PHDR(0, p_memsz), 0x40, 8},
			{IMAGE_PHDR(1, p_offset), rows[i].offset, 8},
			{IMAGE_PHDR(1, p_vaddr), rows[i].vaddr, 8},
			{IMAGE_PHDR(1, p_filesz), rows[i].bytes, 8},
		};

		assert_true(parses(&elf, changes, ARRAY_COUNT(changes), NULL));
		assert_true(elf.phdr_vaddr == rows[i].wanted);
		assert_int_equal(elf.segments[0].mem_bytes, 0x40);
		assert_int_equal(elf.segments[0].file_offset, 0x180);
		elf_release(&elf);
	}
}

/* As many program headers as Linux accepts, and an interpreter's name as long as that. */
TEST(tables_have_their_largest_size)
{
	struct image image = image_program();
	struct elf elf;
	struct err err = {.text = ""};

	image_put(&image, offsetof(Elf64_Ehdr, e_phnum), 1170, 2);
	image_add(&image, NULL, 64 + 1170 * 56 - image.size);
	/* Past the four that are used the code would be read as headers. */
	memset(image.bytes + 64 + 4 * 56, 0, 0x200 - 64 - 4 * 56);
	elf_init(&elf);
	if (!elf_parse(&elf, image.bytes, image.size, "prog", &err))
		fail_msg("%s", err.text);
	assert_int_equal(elf.phnum, 1170);
	elf_release(&elf);
	image_release(&image);

	image = image_program();
	image_add(&image, NULL, 4096);
	memset(image.bytes + 0x200, 'i', 4095);
	image_segment(&image, 3, PT_INTERP, PF_R, 0x200, 0, 4096, 4096);
	assert_true(elf_parse(&elf, image.bytes, image.size, "prog", &err));
	assert_int_equal(strlen(elf.interp), 4095);
	elf_release(&elf);
	/* The shortest one has a letter. */
	image_segment(&image, 3, PT_INTERP, PF_R, 0x200 + 4094, 0, 2, 2);
	assert_true(elf_parse(&elf, image.bytes, image.size, "prog", &err));
	assert_string_equal(elf.interp, "i");
	elf_release(&elf);
	image_release(&image);
}

TEST(all_machines_have_names)
{
	static const struct {
		unsigned machine;
		const char *name;
	} machines[] = {
		{3, "32-bit x86"},
		{62, "x86-64"},
		{40, "32-bit ARM"},
		{183, "AArch64"},
		{8, "MIPS"},
		{20, "32-bit PowerPC"},
		{21, "64-bit PowerPC"},
		{22, "s390"},
		{2, "SPARC"},
		{43, "64-bit SPARC"},
		{50, "Itanium"},
		{0x9026, "Alpha"},
		{4, "m68k"},
		{42, "SuperH"},
		{15, "PA-RISC"},
		{247, "BPF"},
		{258, "LoongArch"},
		{257, "ELF machine 257"},
		{259, "ELF machine 259"},
	};
	char wanted[160];

	for (size_t i = 0; i < ARRAY_COUNT(machines); i++) {
		struct err err = {.text = ""};
		struct elf elf;

		assert_false(parses(
			&elf,
			&(struct change){offsetof(Elf64_Ehdr, e_machine), machines[i].machine, 2},
			1, &err));
		snprintf(wanted, sizeof(wanted),
			 "prog: built for %s, not RISC-V; try riscv64-linux-gnu-gcc -O2 -g -static",
			 machines[i].name);
		assert_string_equal(err.text, wanted);
	}
}

TEST(an_empty_value_is_zeros)
{
	static const struct elf zeros;
	struct elf elf;

	memset(&elf, 0xff, sizeof(elf));
	elf_init(&elf);
	assert_int_equal(elf.type, ELF_STATIC);
	assert_null(elf.segments);
	assert_null(elf.interp);
	assert_int_equal(elf.segment_count, 0);
	assert_true(parses(&elf, NULL, 0, NULL));
	elf_release(&elf);
	assert_memory_equal(&elf, &zeros, sizeof(elf));
}

/* Both bytes of a machine's number are the other way round. */
TEST(big_endian_machines_are_named)
{
	struct err err = {.text = ""};
	struct elf elf;

	assert_false(parses(&elf,
			    (const struct change[]){{EI_DATA, ELFDATA2MSB, 1},
						    {offsetof(Elf64_Ehdr, e_machine), 0x0201, 2}},
			    2, &err));
	assert_non_null(strstr(err.text, "built for LoongArch, not RISC-V"));
	assert_false(parses(&elf,
			    (const struct change[]){{EI_DATA, ELFDATA2MSB, 1},
						    {offsetof(Elf64_Ehdr, e_machine), 0xf700, 2}},
			    2, &err));
	assert_non_null(strstr(err.text, "built for BPF, not RISC-V"));
}

TEST(a_file_is_read_whole)
{
	char directory[] = "/tmp/test_limits.XXXXXX", path[64], wanted[160];
	struct err err = {.text = ""};
	size_t bytes = 0;

	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/file", directory);
	assert_null(image_read(path, &bytes, &err));
	snprintf(wanted, sizeof(wanted), "cannot open %s: No such file or directory", path);
	assert_string_equal(err.text, wanted);
	assert_null(image_read(directory, &bytes, &err));
	snprintf(wanted, sizeof(wanted), "%s is a directory, not a RISC-V program", directory);
	assert_string_equal(err.text, wanted);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(image_read(path, &bytes, &err));
	snprintf(wanted, sizeof(wanted), "%s is not a regular file", path);
	assert_string_equal(err.text, wanted);
	unlink(path);

	FILE *out = fopen(path, "w");
	fputs("seven..", out);
	fclose(out);
	uint8_t *image = image_read(path, &bytes, &err);
	assert_non_null(image);
	assert_int_equal(bytes, 7);
	assert_memory_equal(image, "seven..", 7);
	free(image);
	/* No descriptor is left open: the next one has the lowest number again. */
	int before = open(path, O_RDONLY);
	close(before);
	for (unsigned i = 0; i < 3; i++) {
		free(image_read(path, &bytes, &err));
		assert_null(image_read(directory, &bytes, &err));
	}
	int after = open(path, O_RDONLY);
	close(after);
	assert_int_equal(before, after);

	assert_int_equal(truncate(path, (off_t)(1 << 30) + 1), 0);
	assert_null(image_read(path, &bytes, &err));
	snprintf(wanted, sizeof(wanted),
		 "%s has 1073741825 bytes; programs over 1 GB are not loaded", path);
	assert_string_equal(err.text, wanted);
	unlink(path);
	rmdir(directory);
}

EXPECTED_MAIN
