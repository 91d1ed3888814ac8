/* Names of functions that mean several, or none, sizes at the end of a section, and what is asked
 * of a program by address: all with tables made by hand. */
#include "../test.h"

#include "base/bytes.h"
#include "symbol_table.h"
#include "image/debug.h"

/* A name need not be one of a function's own: the ends and patterns of names count, too. */
TEST(a_text_is_known_if_it_means_one_function_or_several)
{
	struct table table = table_begin();

	table_add(&table, "_ZN2ns5outerEi", FUNCTION(GLOBAL), 1, 0x10100, 8);
	table_add(&table, "_ZN4more5outerEi", FUNCTION(GLOBAL), 1, 0x10200, 8);
	struct symbols *symbols = table_read(&table);
	assert_true(symbols_know(symbols, "ns::outer"));
	assert_true(symbols_know(symbols, "outer"));
	assert_null(symbols_select(symbols, "outer", NULL));
	assert_true(symbols_know(symbols, "*::out*"));
	assert_false(symbols_know(symbols, "inner"));
	assert_false(symbols_know(symbols, "in*"));
	symbols_free(symbols);
}

/* Other names of the function that is meant are no second one. */
TEST(two_names_of_one_place_are_one_function)
{
	struct table table = table_begin();

	table_add(&table, "_ZN2ns5outerEi", FUNCTION(GLOBAL), 1, 0x10100, 8);
	table_add(&table, "_ZN4more5outerEi", FUNCTION(GLOBAL), 1, 0x10100, 8);
	struct symbols *symbols = table_read(&table);
	const struct symbol *symbol = symbols_select(symbols, "outer", NULL);
	assert_non_null(symbol);
	assert_string_equal(symbols_shown(symbols, symbol), "ns::outer(int)");
	symbols_free(symbols);
}

/* The sentence has an end, however many there are, and says that it is not all. */
TEST(a_long_list_of_functions_is_cut)
{
	struct table table = table_begin();
	struct err err = {.text = ""};

	for (unsigned i = 0; i < 100; i++) {
		char name[32];

		snprintf(name, sizeof(name), "_ZN4many5_a%02u_Ev", i);
		table_add(&table, name, FUNCTION(GLOBAL), 1, 0x10100 + 16 * i, 8);
	}
	struct symbols *symbols = table_read(&table);
	assert_int_equal(symbols_count(symbols), 100);
	assert_null(symbols_select(symbols, "many::_a*", &err));
	assert_memory_equal(err.text,
			    "many::_a* means several functions: many::_a00_(); many::", 56);
	assert_string_equal(err.text + strlen(err.text) - 3, "...");
	assert_null(strchr(err.text, '\n'));
	symbols_free(symbols);
}

/* What follows in another section does not end it, and neither does what begins at its end. */
TEST(a_function_without_a_size_ends_with_its_section)
{
	struct table table = table_begin();

	image_code_section(&table.sections, ".fini", 0x12000, 0x10);
	table_add(&table, "last", FUNCTION(GLOBAL), 1, 0x10f00, 0);
	table_add(&table, "next", FUNCTION(GLOBAL), 2, 0x12000, 0);
	struct symbols *symbols = table_read(&table);
	assert_int_equal(symbols_by_name(symbols, "last")->bytes, 0x100);
	assert_int_equal(symbols_by_name(symbols, "next")->bytes, 0x10);
	assert_null(symbols_find(symbols, 0x11000));
	symbols_free(symbols);
}

/* Names of the assembler's own labels begin with .L; others with a point are functions. */
TEST(a_name_may_begin_with_a_point)
{
	struct table table = table_begin();

	table_add(&table, ".text_start", FUNCTION(GLOBAL), 1, 0x10100, 8);
	table_add(&table, ".L1", FUNCTION(GLOBAL), 1, 0x10200, 8);
	struct symbols *symbols = table_read(&table);
	assert_int_equal(symbols_count(symbols), 1);
	assert_string_equal(symbols_at(symbols, 0)->name, ".text_start");
	symbols_free(symbols);
}

/* A table of no entries is no error, and neither is one whose contents are not in the file. */
TEST(an_empty_table_has_no_functions)
{
	for (unsigned i = 0; i < 2; i++) {
		struct image_sections sections = image_sections_begin();

		image_section(&sections, ".symtab", i ? SHT_DYNSYM : SHT_SYMTAB, NULL, 0);
		struct symbols *symbols = read_image(image_sections_end(&sections));
		assert_int_equal(symbols_count(symbols), 0);
		assert_null(symbols_find(symbols, IMAGE_TEXT));
		symbols_free(symbols);
	}
}

struct notes {
	unsigned begun, ended;
};

static void count_notes(void *context, bool reads)
{
	struct notes *notes = context;

	notes->begun += reads;
	notes->ended += !reads;
	assert_in_range(notes->begun - notes->ended, 0, 1);
}

TEST(what_is_read_is_read_once_and_told)
{
	struct table table = table_begin();
	struct notes notes = {0};
	const struct symbol *symbol = NULL;
	const struct inlined_call *calls;
	struct debug debug;

	table_add(&table, "_ZN2ns5outerEi", FUNCTION(GLOBAL), 1, 0x10100, 8);
	struct image image = table_end(&table, SHT_SYMTAB);
	const struct debug_options options = {.bytes = image.bytes,
					      .size = image.size,
					      .name = "prog",
					      .note = count_notes,
					      .context = &notes};
	debug_init(&debug, &options);
	assert_string_equal(debug_function(&debug, 0x10104, &symbol), "ns::outer(int)");
	assert_int_equal(symbol->address, 0x10100);
	assert_int_equal(notes.ended, 1);
	symbol = NULL;
	assert_null(debug_function(&debug, 0x10200, &symbol));
	assert_null(symbol);
	assert_string_equal(debug_function(&debug, 0x10100, NULL), "ns::outer(int)");
	assert_int_equal(notes.begun, 1);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(lines_count(debug_lines(&debug)), 0);
	assert_int_equal(notes.ended, 2);
	assert_int_equal(debug_inlined(&debug, 0x10100, &calls), 0);
	assert_int_equal(notes.ended, 3);
	debug_release(&debug);
	assert_null(debug.symbols);

	struct debug_options raw = options;
	raw.raw_names = true;
	raw.note = NULL;
	debug_init(&debug, &raw);
	assert_string_equal(debug_function(&debug, 0x10100, NULL), "_ZN2ns5outerEi");
	assert_int_equal(debug_inlined(&debug, 0x10100, &calls), 0);
	debug_release(&debug);
	image_release(&image);
}

TEST(what_cannot_be_read_has_no_names)
{
	const struct debug_options options = {
		.bytes = (const uint8_t *)"no ELF", .size = 6, .name = "text", .raw_names = true};
	const struct inlined_call *calls;
	struct err err = {.text = ""};
	struct debug debug;

	debug_init(&debug, &options);
	assert_null(debug_symbols(&debug, &err));
	assert_string_equal(err.text, "text: not a 64-bit little-endian ELF file");
	assert_null(debug_function(&debug, 0x10100, NULL));
	assert_null(debug_lines(&debug));
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(debug_inlined(&debug, 0x10100, &calls), 0);
	debug_release(&debug);
}

/* A table that says it is compressed has no entries for libelf, whatever its bytes are. */
TEST(a_compressed_table_has_no_functions)
{
	for (unsigned is_compressed = 0; is_compressed < 2; is_compressed++) {
		struct table table = table_begin();

		table_add(&table, "plain", FUNCTION(GLOBAL), 1, IMAGE_TEXT, 16);
		const unsigned index = table.sections.count;
		struct image image = table_end(&table, SHT_SYMTAB);
		const size_t headers = bytes_load(image.bytes + offsetof(Elf64_Ehdr, e_shoff), 8);
		if (is_compressed)
			image_put(&image, headers + IMAGE_SHDR(index, sh_flags), SHF_COMPRESSED, 8);
		struct symbols *symbols = read_image(image);
		assert_int_equal(symbols_count(symbols), !is_compressed);
		symbols_free(symbols);
	}
}
