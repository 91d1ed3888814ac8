/* Which files are opened, which of their sections are code, and what a file without names of
 * sections or with broken debugging information is; all made by hand. */
#include "../test.h"

#include "image.h"
#include "image/elf_file.h"
#include "image/lines.h"

static void opens(const struct image *image, const char *sentence)
{
	struct err err = {.text = ""};
	struct elf_file file;

	assert_int_equal(elf_file_open_dwarf(&file, image->bytes, image->size, "prog", &err),
			 !*sentence);
	assert_string_equal(err.text, sentence);
	if (!*sentence)
		elf_file_close(&file);
}

TEST(only_linked_files_of_64_bits_in_little_endian_are_opened)
{
	static const char other[] = "prog: not a 64-bit little-endian ELF file";
	struct image image = image_program();

	opens(&image, "");
	image_put(&image, offsetof(Elf64_Ehdr, e_type), ET_DYN, 2);
	opens(&image, "");
	image_put(&image, offsetof(Elf64_Ehdr, e_type), ET_CORE, 2);
	opens(&image, "prog: not a linked program or library (ELF type 4); link it first");
	image_put(&image, offsetof(Elf64_Ehdr, e_type), ET_EXEC, 2);
	image_put(&image, EI_CLASS, ELFCLASS32, 1);
	opens(&image, other);
	image_put(&image, EI_CLASS, ELFCLASS64, 1);
	image_put(&image, EI_DATA, ELFDATA2MSB, 1);
	opens(&image, other);
	image_put(&image, EI_DATA, ELFDATA2LSB, 1);
	opens(&image, "");
	image_put(&image, EI_MAG0, 'x', 1);
	opens(&image, other);
	image_release(&image);
}

static void add_data(struct image_sections *sections, const char *name, uint64_t address)
{
	const unsigned index = image_section(sections, name, SHT_NOBITS, NULL, 0);

	image_put(&sections->headers, IMAGE_SHDR(index, sh_flags), SHF_ALLOC, 8);
	image_put(&sections->headers, IMAGE_SHDR(index, sh_addr), address, 8);
	image_put(&sections->headers, IMAGE_SHDR(index, sh_size), 0x100, 8);
}

/* Sections come in no order; ten are more than the first piece of the table holds. */
TEST(code_is_found_by_address)
{
	struct image_sections sections = image_sections_begin();
	struct elf_file file;

	for (unsigned i = 9; i >= 1; i--)
		image_code_section(&sections, ".text.more", IMAGE_TEXT + 0x10000 * i, 0x10 * i);
	image_code_section(&sections, ".text.empty", IMAGE_TEXT + 0x5000, 0);
	image_code_section(&sections, ".text.wraps", UINT64_MAX - 7, 8);
	image_code_section(&sections, ".text.last", UINT64_MAX - 7, 7);
	add_data(&sections, ".data", IMAGE_TEXT + 0x4000);
	struct image image = image_sections_end(&sections);
	assert_true(elf_file_open(&file, image.bytes, image.size, "prog", NULL));
	assert_int_equal(file.code_count, 11);
	for (uint64_t i = 1; i <= 9; i++) {
		const uint64_t start = IMAGE_TEXT + 0x10000 * i;
		const struct elf_code *code = elf_file_code_at(&file, start);

		assert_non_null(code);
		assert_int_equal(code->start, start);
		assert_int_equal(code->end, start + 0x10 * i);
		assert_ptr_equal(elf_file_code_at(&file, code->end - 1), code);
		assert_null(elf_file_code_at(&file, code->end));
	}
	assert_null(elf_file_code_at(&file, 0));
	assert_null(elf_file_code_at(&file, IMAGE_TEXT - 1));
	assert_null(elf_file_code_at(&file, IMAGE_TEXT + 0x4000));
	assert_null(elf_file_code_at(&file, IMAGE_TEXT + 0x5000));
	assert_non_null(elf_file_code_at(&file, UINT64_MAX - 1));
	assert_null(elf_file_code_at(&file, UINT64_MAX));
	elf_file_close(&file);
	assert_null(file.elf);
	image_release(&image);
}

/* Debugging information is known by its name: there is none to be read. */
TEST(sections_may_have_no_names)
{
	struct image_sections sections = image_sections_begin();
	struct lines *lines;
	struct err err = {.text = ""};

	image_section(&sections, ".debug_line", SHT_PROGBITS, "broken", 6);
	struct image image = image_sections_end(&sections);
	image_put(&image, offsetof(Elf64_Ehdr, e_shstrndx), SHN_LORESERVE, 2);
	opens(&image, "");
	image_put(&image, offsetof(Elf64_Ehdr, e_shstrndx), 99, 2);
	opens(&image, "");
	lines = lines_read(image.bytes, image.size, "prog", &err);
	assert_non_null(lines);
	assert_int_equal(lines_count(lines), 0);
	lines_free(lines);
	image_release(&image);
}

/* A file of debugging information alone has sections without contents. */
TEST(sections_without_contents_have_no_debugging_information)
{
	struct image_sections sections = image_sections_begin();

	image_section(&sections, ".debug_info", SHT_NOBITS, NULL, 0);
	image_section(&sections, ".debugger", SHT_PROGBITS, "other", 5);
	struct image image = image_sections_end(&sections);
	opens(&image, "");
	image_release(&image);
}

/* libelf writes to the headers of compressed sections, if they lie at an address for numbers: of a
 * copy, not of the caller's bytes. The older way to compress is known by the section's name alone.
 */
TEST(compressed_sections_are_read_from_a_copy)
{
	/* 64 zeros. */
	static const char older[] = "ZLIB\0\0\0\0\0\0\0\x40"
				    "\x78\x9c\x63\x60\xa0\x0c\0\0\0\x40\0\x01";
	static const char newer[] = "\1\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"
				    "\x78\x9c\x63\x60\xa0\x0c\0\0\0\x40\0\x01";

	for (unsigned i = 0; i < 16; i++) {
		struct image_sections sections = image_sections_begin();
		const unsigned index =
			i % 2 ? image_section(&sections, ".debug_info", SHT_PROGBITS, newer, 36)
			      : image_section(&sections, ".zdebug_info", SHT_PROGBITS, older, 24);

		image_put(&sections.headers, IMAGE_SHDR(index, sh_flags),
			  i % 2 ? SHF_COMPRESSED : 0, 8);
		image_section(&sections, ".comment", SHT_PROGBITS, "padding", i / 2);
		struct image image = image_sections_end(&sections);
		uint8_t *before = malloc(image.size);
		memcpy(before, image.bytes, image.size);
		opens(&image, "");
		assert_memory_equal(image.bytes, before, image.size);
		free(before);
		image_release(&image);
	}
}

/* Without anything that can be read the sentence says so. */
TEST(information_that_is_broken_is_told)
{
	struct image_sections sections = image_sections_begin();
	const unsigned index =
		image_section(&sections, ".debug_info", SHT_PROGBITS, "no header", 9);

	image_put(&sections.headers, IMAGE_SHDR(index, sh_flags), SHF_COMPRESSED, 8);
	struct image image = image_sections_end(&sections);
	opens(&image, "prog: its debugging information cannot be read: no DWARF information");
	image_release(&image);
}
