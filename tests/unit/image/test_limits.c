/* Readers of files at their limits: numbers and strings of a block, sections and their names, and
 * programs in which every field has a value of its own, at the last value that is accepted and one
 * beyond it. */
#include "../report/expected.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image.h"
#include "image/elf.h"
#include "image/elf_sections.h"
#include "image/image.h"
#include "image/reader.h"

static void a_part_fits_into_a_block(void **state)
{
	(void)state;
	assert_true(reader_fits(0, 0, 0));
	assert_true(reader_fits(4, 0, 4));
	assert_true(reader_fits(3, 1, 4));
	assert_true(reader_fits(0, 4, 4));
	assert_false(reader_fits(5, 0, 4));
	assert_false(reader_fits(3, 2, 4));
	assert_false(reader_fits(0, 5, 4));
	assert_false(reader_fits(UINT64_MAX, 2, 4));
	assert_false(reader_fits(2, UINT64_MAX, 4));
}

static void numbers_are_little_endian(void **state)
{
	static const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
	struct reader reader = reader_of(bytes, 15);

	(void)state;
	assert_int_equal(reader_left(&reader), 15);
	assert_int_equal(reader_u8(&reader), 1);
	assert_int_equal(reader_left(&reader), 14);
	assert_int_equal(reader_u16(&reader), 0x0302);
	assert_int_equal(reader_u32(&reader), 0x07060504);
	assert_true(reader_u64(&reader) == UINT64_C(0x0f0e0d0c0b0a0908));
	assert_int_equal(reader_left(&reader), 0);
	assert_false(reader.bad);
	/* One byte more is too many, and nothing is read after that. */
	assert_int_equal(reader_u8(&reader), 0);
	assert_true(reader.bad);
	assert_int_equal(reader_left(&reader), 0);
	reader = reader_of(bytes, 3);
	assert_int_equal(reader_u32(&reader), 0);
	assert_true(reader.bad);
	assert_null(reader_take(&reader, 0));
	assert_int_equal(reader_u8(&reader), 0);
	assert_int_equal(reader_left(&reader), 0);
	reader = reader_of(bytes, 3);
	assert_ptr_equal(reader_take(&reader, 1), bytes);
	assert_ptr_equal(reader_take(&reader, 2), bytes + 1);
	assert_ptr_equal(reader_take(&reader, 0), bytes + 3);
	assert_null(reader_take(&reader, 1));
}

static void leb128_is_read(void **state)
{
	static const struct {
		uint8_t bytes[12];
		size_t count;
		uint64_t value;
		int64_t with_sign;
		size_t read;
		bool bad;
	} rows[] = {
		{{0}, 1, 0, 0, 1, false},
		{{0x3f}, 1, 63, 63, 1, false},
		{{0x40}, 1, 64, -64, 1, false},
		{{0x7f}, 2, 127, -1, 1, false},
		{{0x80, 0x01}, 2, 128, 128, 2, false},
		{{0x80, 0x7f}, 2, 16256, -128, 2, false},
		{{0xe5, 0x8e, 0x26}, 3, 624485, 624485, 3, false},
		{{0x80, 0x80, 0x40}, 3, 1048576, -1048576, 3, false},
		{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
		 10,
		 UINT64_MAX,
		 -1,
		 10,
		 false},
		{{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7e}, 10, 0, 0, 10, false},
		{{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x81, 0x7f},
		 11,
		 UINT64_C(1) << 63,
		 INT64_MIN,
		 11,
		 false},
		{{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40},
		 9,
		 UINT64_C(1) << 62,
		 -(INT64_C(1) << 62),
		 9,
		 false},
		{{0x85}, 1, 0, 0, 1, true},
		{{0}, 0, 0, 0, 0, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct reader reader = reader_of(rows[i].bytes, rows[i].count);

		assert_true(reader_uleb(&reader) == rows[i].value);
		assert_int_equal(reader.at, rows[i].read);
		assert_int_equal(reader.bad, rows[i].bad);
		reader = reader_of(rows[i].bytes, rows[i].count);
		assert_true(reader_sleb(&reader) == rows[i].with_sign);
		assert_int_equal(reader.at, rows[i].read);
		assert_int_equal(reader.bad, rows[i].bad);
	}
}

static void strings_end_within_the_block(void **state)
{
	static const uint8_t bytes[] = {'a', 'b', 0, 0, 'c'};
	struct reader reader = reader_of(bytes, 5);
	size_t length = 9;

	(void)state;
	assert_ptr_equal(reader_string(&reader, &length), bytes);
	assert_int_equal(length, 2);
	assert_int_equal(reader.at, 3);
	assert_ptr_equal(reader_string(&reader, &length), bytes + 3);
	assert_int_equal(length, 0);
	assert_int_equal(reader.at, 4);
	assert_null(reader_string(&reader, &length));
	assert_int_equal(length, 0);
	assert_true(reader.bad);
	/* After the end, and after trouble, there is none, although zeros follow. */
	reader = reader_of(bytes, 3);
	assert_non_null(reader_take(&reader, 3));
	length = 9;
	assert_null(reader_string(&reader, &length));
	assert_int_equal(length, 0);
	reader = reader_of(bytes, 3);
	assert_null(reader_take(&reader, 4));
	assert_null(reader_string(&reader, &length));
	assert_int_equal(reader.at, 0);
}

/* A file of three sections besides the first, with a value of its own in every field. */
static struct image some_sections(void)
{
	struct image_sections sections = image_sections_begin();
	unsigned index = image_section(&sections, ".one", SHT_PROGBITS, "12345", 5);

	image_put(&sections.headers, IMAGE_SHDR(index, sh_flags), 0x1122334455667700, 8);
	image_put(&sections.headers, IMAGE_SHDR(index, sh_addr), 0x8899aabbccddeeff, 8);
	image_put(&sections.headers, IMAGE_SHDR(index, sh_link), 0x01020304, 4);
	image_put(&sections.headers, IMAGE_SHDR(index, sh_info), 0x05060708, 4);
	image_put(&sections.headers, IMAGE_SHDR(index, sh_addralign), 0x090a0b0c0d0e0f10, 8);
	image_put(&sections.headers, IMAGE_SHDR(index, sh_entsize), 0x1112131415161718, 8);
	image_section(&sections, ".two", SHT_NOTE, "67", 2);
	return image_sections_end(&sections);
}

static void sections_have_their_fields(void **state)
{
	struct image image = some_sections();
	struct elf_sections sections;
	struct err err = {""};

	(void)state;
	assert_true(elf_sections_read(&sections, image.bytes, image.size, "prog", &err));
	assert_int_equal(sections.count, 5);
	assert_ptr_equal(sections.file, image.bytes);
	assert_int_equal(sections.file_bytes, image.size);
	assert_string_equal(sections.file_name, "prog");
	const struct elf_section *one = elf_sections_named(&sections, ".one");
	assert_ptr_equal(one, &sections.items[2]);
	assert_int_equal(one->type, SHT_PROGBITS);
	assert_true(one->flags == UINT64_C(0x1122334455667700));
	assert_true(one->address == UINT64_C(0x8899aabbccddeeff));
	assert_int_equal(one->bytes, 5);
	assert_int_equal(one->offset, 64);
	assert_int_equal(one->link, 0x01020304);
	assert_true(one->entry_bytes == UINT64_C(0x1112131415161718));
	assert_ptr_equal(elf_sections_named(&sections, ".text"), &sections.items[1]);
	assert_ptr_equal(elf_sections_named(&sections, ".two"), &sections.items[3]);
	assert_ptr_equal(elf_sections_named(&sections, ".shstrtab"), &sections.items[4]);
	assert_null(elf_sections_named(&sections, ".on"));
	assert_null(elf_sections_named(&sections, ".ones"));
	/* The first section has no name, whatever the table says. */
	assert_null(elf_sections_named(&sections, ""));
	assert_ptr_equal(elf_sections_typed(&sections, SHT_NOTE), &sections.items[3]);
	assert_ptr_equal(elf_sections_typed(&sections, SHT_NOBITS), &sections.items[1]);
	assert_null(elf_sections_typed(&sections, SHT_NULL));
	assert_null(elf_sections_typed(&sections, SHT_DYNSYM));
	const uint8_t *data;
	size_t bytes;
	sections.items[2].flags = 0;
	assert_true(elf_sections_data(&sections, one, ".one", &data, &bytes, &err));
	assert_int_equal(bytes, 5);
	assert_memory_equal(data, "12345", 5);
	elf_sections_release(&sections);
	assert_int_equal(sections.count, 0);
	assert_null(sections.items);
	assert_null(sections.names);
	assert_null(sections.file);
	image_release(&image);
}

/* Names are found in the section that the header names, or the first one. */
static void names_may_be_elsewhere_or_missing(void **state)
{
	static const struct {
		uint64_t index, link;
		bool has_names;
	} rows[] = {{4, 0, true},  {0, 4, false},     {5, 4, false},	  {3, 0, false},
		    {1, 0, false}, {0xffff, 4, true}, {0xffff, 5, false}, {0xffff, 0, false}};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct image image = some_sections();
		struct elf_sections sections;
		size_t headers = image.size - 5 * sizeof(Elf64_Shdr);

		image_put(&image, offsetof(Elf64_Ehdr, e_shstrndx), rows[i].index, 2);
		image_put(&image, headers + IMAGE_SHDR(0, sh_link), rows[i].link, 4);
		/* The first section is none, even if it says that it is such a table. */
		memcpy(image.bytes + headers + IMAGE_SHDR(0, sh_offset),
		       image.bytes + headers + IMAGE_SHDR(4, sh_offset), 16);
		image_put(&image, headers + IMAGE_SHDR(0, sh_type), SHT_STRTAB, 4);
		assert_true(elf_sections_read(&sections, image.bytes, image.size, "p", NULL));
		assert_int_equal(elf_sections_named(&sections, ".two") != NULL, rows[i].has_names);
		assert_int_equal(sections.names_bytes, rows[i].has_names ? 27 : 0);
		elf_sections_release(&sections);
		image_release(&image);
	}
	/* A table of names that does not fit in the file is none. */
	for (uint64_t more = 0; more < 2; more++) {
		struct image image = some_sections();
		struct elf_sections sections;
		size_t headers = image.size - 5 * sizeof(Elf64_Shdr);

		image_put(&image, headers + IMAGE_SHDR(4, sh_offset), image.size - 27 + more, 8);
		assert_true(elf_sections_read(&sections, image.bytes, image.size, "p", NULL));
		assert_int_equal(sections.names_bytes, more ? 0 : 27);
		elf_sections_release(&sections);
		image_release(&image);
	}
}

/* A name that ends where the table of names ends is found. */
static void the_last_name_is_found(void **state)
{
	static const uint8_t names[] = "x\0.two";
	struct elf_section items[] = {{.name = 2}, {.name = 3}, {.name = 2}};
	struct elf_sections sections = {
		.items = items, .count = 3, .names = names, .names_bytes = 7};

	(void)state;
	assert_ptr_equal(elf_sections_named(&sections, ".two"), &items[2]);
	sections.names_bytes = 6;
	assert_null(elf_sections_named(&sections, ".two"));
	/* What follows the last section is none. */
	sections.names_bytes = 7;
	sections.count = 2;
	items[2].type = SHT_NOTE;
	assert_null(elf_sections_named(&sections, ".two"));
	assert_null(elf_sections_typed(&sections, SHT_NOTE));
}

static void refuses_sections(const struct image *image, const char *wanted)
{
	struct elf_sections sections;
	struct err err = {""};

	assert_false(elf_sections_read(&sections, image->bytes, image->size, "prog", &err));
	assert_string_equal(err.text, wanted);
	assert_null(sections.items);
}

static void section_headers_are_checked(void **state)
{
	struct image image = some_sections();
	struct elf_sections sections;
	uint64_t headers = image.size - 5 * sizeof(Elf64_Shdr);
	char wanted[160];

	(void)state;
	/* Five headers fit, six do not. */
	image_put(&image, offsetof(Elf64_Ehdr, e_shnum), 6, 2);
	snprintf(wanted, sizeof(wanted),
		 "prog: truncated: 6 section headers at offset %zu do not fit in the file's %zu "
		 "bytes; copy or build it again",
		 (size_t)headers, image.size);
	refuses_sections(&image, wanted);
	/* None: the number is the size of the first. */
	image_put(&image, offsetof(Elf64_Ehdr, e_shnum), 0, 2);
	image_put(&image, headers + IMAGE_SHDR(0, sh_size), 4, 8);
	assert_true(elf_sections_read(&sections, image.bytes, image.size, "prog", NULL));
	assert_int_equal(sections.count, 4);
	elf_sections_release(&sections);
	image_put(&image, offsetof(Elf64_Ehdr, e_shoff), image.size - sizeof(Elf64_Shdr), 8);
	image_put(&image, headers + IMAGE_SHDR(4, sh_size), 1, 8);
	assert_true(elf_sections_read(&sections, image.bytes, image.size, "prog", NULL));
	assert_int_equal(sections.count, 1);
	elf_sections_release(&sections);
	image_put(&image, offsetof(Elf64_Ehdr, e_shoff), image.size, 8);
	assert_true(elf_sections_read(&sections, image.bytes, image.size, "prog", NULL));
	assert_int_equal(sections.count, 0);
	elf_sections_release(&sections);
	image_put(&image, offsetof(Elf64_Ehdr, e_shoff), image.size + 1, 8);
	snprintf(wanted, sizeof(wanted),
		 "prog: truncated: 0 section headers at offset %zu do not fit in the file's %zu "
		 "bytes; copy or build it again",
		 image.size + 1, image.size);
	refuses_sections(&image, wanted);
	/* No table at all is no error, whatever the other fields say. */
	image_put(&image, offsetof(Elf64_Ehdr, e_shoff), 0, 8);
	image_put(&image, offsetof(Elf64_Ehdr, e_shentsize), 7, 2);
	assert_true(elf_sections_read(&sections, image.bytes, image.size, "prog", NULL));
	assert_int_equal(sections.count, 0);
	elf_sections_release(&sections);
	image_put(&image, offsetof(Elf64_Ehdr, e_shoff), headers, 8);
	refuses_sections(&image, "prog: section headers have 7 bytes each, where ELF says 64; the "
				 "file is damaged, build it again");
	image_put(&image, offsetof(Elf64_Ehdr, e_type), ET_CORE, 2);
	refuses_sections(&image,
			 "prog: not a linked program or library (ELF type 4); link it first");
	image_put(&image, offsetof(Elf64_Ehdr, e_type), ET_DYN, 2);
	image_put(&image, offsetof(Elf64_Ehdr, e_shoff), 0, 8);
	assert_true(elf_sections_read(&sections, image.bytes, image.size, "prog", NULL));
	static const struct {
		size_t at;
		uint8_t value;
	} spoilt[] = {{0, 0}, {3, 'G'}, {EI_CLASS, ELFCLASS32}, {EI_DATA, ELFDATA2MSB}};
	for (size_t i = 0; i < ARRAY_COUNT(spoilt); i++) {
		uint8_t kept = image.bytes[spoilt[i].at];

		image.bytes[spoilt[i].at] = spoilt[i].value;
		refuses_sections(&image, "prog: not a 64-bit little-endian ELF file");
		image.bytes[spoilt[i].at] = kept;
	}
	image.size = sizeof(Elf64_Ehdr);
	assert_true(elf_sections_read(&sections, image.bytes, image.size, "prog", NULL));
	image.size--;
	refuses_sections(&image, "prog: not a 64-bit little-endian ELF file");
	image_release(&image);
}

static void contents_are_checked(void **state)
{
	static const struct {
		struct elf_section section;
		const char *wanted;
	} rows[] = {
		{{.type = SHT_PROGBITS, .offset = 10, .bytes = 90}, NULL},
		{{.type = SHT_PROGBITS, .offset = 10, .bytes = 91},
		 "f: truncated: section .w needs 91 bytes at offset 10, but the file has 100; copy "
		 "or build it again"},
		{{.type = SHT_PROGBITS, .flags = SHF_COMPRESSED, .bytes = 1},
		 "f: section .w is compressed, which is not supported; link the program again with "
		 "-gz=none"},
		{{.type = SHT_NOBITS, .bytes = 1},
		 "f: section .w has no contents (debug information was split off?); use the file it "
		 "was split from"},
	};
	static const uint8_t file[100];
	const struct elf_sections sections = {.file = file, .file_bytes = 100, .file_name = "f"};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const uint8_t *data = NULL;
		size_t bytes = 0;
		struct err err = {""};

		assert_int_equal(
			elf_sections_data(&sections, &rows[i].section, ".w", &data, &bytes, &err),
			!rows[i].wanted);
		assert_string_equal(err.text, rows[i].wanted ? rows[i].wanted : "");
		if (!rows[i].wanted) {
			assert_ptr_equal(data, file + 10);
			assert_int_equal(bytes, 90);
		}
	}
}

static void code_is_allocated_and_executable(void **state)
{
	static const struct {
		uint64_t flags, address, bytes;
		bool is_code;
	} rows[] = {
		{SHF_ALLOC | SHF_EXECINSTR, 16, 1, true},
		{SHF_ALLOC | SHF_EXECINSTR | SHF_WRITE, 16, 1, true},
		{SHF_ALLOC, 16, 1, false},
		{SHF_EXECINSTR, 16, 1, false},
		{SHF_ALLOC | SHF_EXECINSTR, 16, 0, false},
		{SHF_ALLOC | SHF_EXECINSTR, 16, UINT64_MAX - 16, true},
		{SHF_ALLOC | SHF_EXECINSTR, 16, UINT64_MAX - 15, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const struct elf_section section = {
			.flags = rows[i].flags, .address = rows[i].address, .bytes = rows[i].bytes};

		assert_int_equal(elf_section_is_code(&section), rows[i].is_code);
	}
}

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

static void programs_are_accepted_up_to_their_limits(void **state)
{
	(void)state;
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
	struct err err = {""};
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

static void every_flag_is_its_own(void **state)
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

	(void)state;
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
static void program_headers_have_an_address(void **state)
{
	static const struct {
		uint64_t offset, vaddr, bytes, wanted;
	} rows[] = {
		{0x40, 0x11040, 224, 0x11040}, {0x40, 0x11040, 223, 0},
		{0x3f, 0x1103f, 225, 0x11040}, {0x41, 0x11041, 300, 0},
		{0x30, 0x21030, 240, 0x21040},
	};
	struct elf elf;

	(void)state;
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
static void tables_have_their_largest_size(void **state)
{
	struct image image = image_program();
	struct elf elf;
	struct err err = {""};

	(void)state;
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

static void all_machines_have_names(void **state)
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

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(machines); i++) {
		struct err err = {""};
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

static void an_empty_value_is_zeros(void **state)
{
	static const struct elf zeros;
	struct elf elf;

	(void)state;
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
static void big_endian_machines_are_named(void **state)
{
	struct err err = {""};
	struct elf elf;

	(void)state;
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

static void a_file_is_read_whole(void **state)
{
	char directory[] = "/tmp/test_limits.XXXXXX", path[64], wanted[160];
	struct err err = {""};
	size_t bytes = 0;

	(void)state;
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

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_part_fits_into_a_block),
	cmocka_unit_test(numbers_are_little_endian),
	cmocka_unit_test(leb128_is_read),
	cmocka_unit_test(strings_end_within_the_block),
	cmocka_unit_test(sections_have_their_fields),
	cmocka_unit_test(names_may_be_elsewhere_or_missing),
	cmocka_unit_test(the_last_name_is_found),
	cmocka_unit_test(section_headers_are_checked),
	cmocka_unit_test(contents_are_checked),
	cmocka_unit_test(code_is_allocated_and_executable),
	cmocka_unit_test(programs_are_accepted_up_to_their_limits),
	cmocka_unit_test(every_flag_is_its_own),
	cmocka_unit_test(program_headers_have_an_address),
	cmocka_unit_test(tables_have_their_largest_size),
	cmocka_unit_test(all_machines_have_names),
	cmocka_unit_test(an_empty_value_is_zeros),
	cmocka_unit_test(big_endian_machines_are_named),
	cmocka_unit_test(a_file_is_read_whole),
};

EXPECTED_MAIN(tests)
