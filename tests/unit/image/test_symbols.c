#include "../test.h"

#include <inttypes.h>

#include "base/rng.h"
#include "symbol_table.h"
#include "toolchain.h"

static void check_found(const struct symbols *symbols, uint64_t address, const char *name)
{
	const struct symbol *symbol = symbols_find(symbols, address);

	if (!name) {
		assert_null(symbol);
		return;
	}
	assert_non_null(symbol);
	assert_string_equal(symbol->name, name);
}

TEST(test_addresses_find_their_function)
{
	struct table table = table_begin();

	table_add(&table, "second", FUNCTION(LOCAL), 1, 0x10200, 0x20);
	table_add(&table, "first", FUNCTION(GLOBAL), 1, 0x10100, 0x10);
	table_add(&table, "chosen", ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC), 1, 0x10300, 4);
	struct symbols *symbols = table_read(&table);
	assert_int_equal(symbols_count(symbols), 3);
	assert_string_equal(symbols_at(symbols, 0)->name, "first");
	assert_int_equal(symbols_at(symbols, 1)->address, 0x10200);
	assert_int_equal(symbols_at(symbols, 1)->bytes, 0x20);
	check_found(symbols, 0x100ff, NULL);
	check_found(symbols, 0x10100, "first");
	check_found(symbols, 0x1010f, "first");
	check_found(symbols, 0x10110, NULL);
	check_found(symbols, 0x1021f, "second");
	check_found(symbols, 0x10303, "chosen");
	check_found(symbols, 0x10304, NULL);
	check_found(symbols, 0, NULL);
	check_found(symbols, UINT64_MAX, NULL);
	symbols_free(symbols);
}

TEST(test_only_functions_are_listed)
{
	struct table table = table_begin();

	image_section(&table.sections, ".data", SHT_PROGBITS, "data", 4);
	table_add(&table, "object", ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), 1, 0x10100, 4);
	table_add(&table, "undefined", FUNCTION(GLOBAL), SHN_UNDEF, 0x10110, 4);
	table_add(&table, "absolute", FUNCTION(GLOBAL), SHN_ABS, 0x10120, 4);
	table_add(&table, "in_data", FUNCTION(GLOBAL), 2, 0, 4);
	table_add(&table, "nowhere", FUNCTION(GLOBAL), 77, 0x10130, 4);
	table_add(&table, "below", FUNCTION(GLOBAL), 1, 0xfffe, 4);
	table_add(&table, "etext", NOTYPE(GLOBAL), 1, 0x11000, 0);
	table_add(&table, "label", NOTYPE(LOCAL), 1, 0x10140, 0);
	table_add(&table, "$x", NOTYPE(GLOBAL), 1, 0x10150, 0);
	table_add(&table, "$d.5", NOTYPE(GLOBAL), 1, 0x10160, 0);
	table_add(&table, ".L7", NOTYPE(GLOBAL), 1, 0x10170, 0);
	table_add(&table, "", FUNCTION(GLOBAL), 1, 0x10180, 4);
	table_add(&table, "assembly", NOTYPE(GLOBAL), 1, 0x10190, 0);
	table_add(&table, "weak_assembly", NOTYPE(WEAK), 1, 0x101a0, 0);
	struct symbols *symbols = table_read(&table);
	assert_int_equal(symbols_count(symbols), 2);
	assert_string_equal(symbols_at(symbols, 0)->name, "assembly");
	assert_string_equal(symbols_at(symbols, 1)->name, "weak_assembly");
	symbols_free(symbols);
}

TEST(test_unknown_sizes_reach_to_the_next_function)
{
	struct table table = table_begin();

	image_code_section(&table.sections, ".fini", 0x12000, 0x10);
	table_add(&table, "a", FUNCTION(GLOBAL), 1, 0x10100, 0);
	table_add(&table, "b", FUNCTION(GLOBAL), 1, 0x10180, 0);
	table_add(&table, "too_long", FUNCTION(GLOBAL), 1, 0x10ff0, UINT64_MAX);
	table_add(&table, "c", FUNCTION(GLOBAL), 2, 0x12008, 0);
	table_add(&table, "sized", FUNCTION(LOCAL), 2, 0x12002, 2);
	table_add(&table, "alias", FUNCTION(GLOBAL), 2, 0x12002, 0);
	struct symbols *symbols = table_read(&table);
	assert_int_equal(symbols_by_name(symbols, "a")->bytes, 0x80);
	assert_int_equal(symbols_by_name(symbols, "b")->bytes, 0x10ff0 - 0x10180);
	assert_int_equal(symbols_by_name(symbols, "too_long")->bytes, 0x10);
	assert_int_equal(symbols_by_name(symbols, "c")->bytes, 8);
	assert_int_equal(symbols_by_name(symbols, "alias")->bytes, 2);
	symbols_free(symbols);
}

TEST(test_global_names_come_before_weak_before_local)
{
	struct table table = table_begin();

	table_add(&table, "local", FUNCTION(LOCAL), 1, 0x10100, 8);
	table_add(&table, "weak", FUNCTION(WEAK), 1, 0x10100, 8);
	table_add(&table, "global", FUNCTION(GLOBAL), 1, 0x10100, 8);
	table_add(&table, "_IO_puts", FUNCTION(GLOBAL), 1, 0x10200, 8);
	table_add(&table, "puts", FUNCTION(GLOBAL), 1, 0x10200, 8);
	table_add(&table, "only_local", FUNCTION(LOCAL), 1, 0x10300, 8);
	table_add(&table, "a_weak", FUNCTION(WEAK), 1, 0x10300, 8);
	struct symbols *symbols = table_read(&table);
	assert_int_equal(symbols_count(symbols), 3);
	check_found(symbols, 0x10104, "global");
	check_found(symbols, 0x10204, "puts");
	check_found(symbols, 0x10304, "a_weak");
	assert_int_equal(symbols_by_name(symbols, "local")->address, 0x10100);
	assert_int_equal(symbols_by_name(symbols, "_IO_puts")->address, 0x10200);
	symbols_free(symbols);
}

TEST(test_names_shared_by_functions_find_the_best)
{
	struct table table = table_begin();

	table_add(&table, "helper", FUNCTION(LOCAL), 1, 0x10100, 8);
	table_add(&table, "helper", FUNCTION(LOCAL), 1, 0x10080, 8);
	table_add(&table, "init", FUNCTION(LOCAL), 1, 0x10200, 8);
	table_add(&table, "init", FUNCTION(GLOBAL), 1, 0x10300, 8);
	struct symbols *symbols = table_read(&table);
	assert_int_equal(symbols_by_name(symbols, "helper")->address, 0x10080);
	assert_int_equal(symbols_by_name(symbols, "init")->address, 0x10300);
	assert_null(symbols_by_name(symbols, "hel"));
	assert_null(symbols_by_name(symbols, "helpers"));
	assert_null(symbols_by_name(symbols, "zzz"));
	assert_null(symbols_by_name(symbols, ""));
	symbols_free(symbols);
}

TEST(test_of_nested_functions_the_latest_wins)
{
	struct table table = table_begin();

	table_add(&table, "outer", FUNCTION(GLOBAL), 1, 0x10100, 0x100);
	table_add(&table, "inner", FUNCTION(LOCAL), 1, 0x10140, 0x40);
	table_add(&table, "innermost", FUNCTION(LOCAL), 1, 0x10150, 0x10);
	table_add(&table, "across", FUNCTION(LOCAL), 1, 0x101f0, 0x20);
	struct symbols *symbols = table_read(&table);
	check_found(symbols, 0x1013f, "outer");
	check_found(symbols, 0x10140, "inner");
	check_found(symbols, 0x10150, "innermost");
	check_found(symbols, 0x10160, "inner");
	check_found(symbols, 0x10180, "outer");
	check_found(symbols, 0x101f0, "across");
	check_found(symbols, 0x1020f, "across");
	check_found(symbols, 0x10210, NULL);
	symbols_free(symbols);
}

/* Slow and obvious: the last to begin of those that contain the address. */
static const struct symbol *find_slowly(const struct symbols *symbols, uint64_t address)
{
	for (size_t i = symbols_count(symbols); i--;) {
		const struct symbol *symbol = symbols_at(symbols, i);

		if (symbol->address <= address && address - symbol->address < symbol->bytes)
			return symbol;
	}
	return NULL;
}

TEST(test_any_overlap_is_found_as_by_looking_at_all)
{
	struct rng rng = {.state = 1};

	for (unsigned round = 0; round < 200; round++) {
		struct table table = table_begin();
		unsigned count = (unsigned)rng_below(&rng, 40);

		for (unsigned i = 0; i < count; i++) {
			char name[16];

			snprintf(name, sizeof(name), "f%u", i);
			table_add(&table, name, FUNCTION(GLOBAL), 1,
				  IMAGE_TEXT + rng_below(&rng, 256), rng_below(&rng, 64));
		}
		struct symbols *symbols = table_read(&table);
		for (uint64_t at = IMAGE_TEXT - 2; at < IMAGE_TEXT + 400; at++)
			assert_ptr_equal(symbols_find(symbols, at), find_slowly(symbols, at));
		symbols_free(symbols);
	}
}

TEST(test_names_are_printable)
{
	static const struct {
		const char *written, *read;
	} names[] = {
		{"red\x1b[31m", "red?[31m"},
		{"tab\tnewline\n\x7f", "tab?newline??"},
		{"gr\xc3\xb6\xc3\x9f"
		 "e",
		 "gr\xc3\xb6\xc3\x9f"
		 "e"},
		{"bad\xff\xc3", "bad??"},
		{"overlong\xc0\xaf", "overlong??"},
		{"surrogate\xed\xa0\x80", "surrogate???"},
		{"c1\xc2\x9b", "c1?"},
		{"rtl\xe2\x80\xae", "rtl?"},
		{"beyond\xf4\x90\x80\x80", "beyond????"},
		{"face\xf0\x9f\x98\x80", "face\xf0\x9f\x98\x80"},
	};
	struct table table = table_begin();
	char name[SYMBOL_NAME_BYTES + 8], expected[SYMBOL_NAME_BYTES + 1];

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		table_add(&table, names[i].written, FUNCTION(GLOBAL), 1, IMAGE_TEXT + 16 * i, 8);
	memset(name, 'n', sizeof(name));
	strcpy(name + SYMBOL_NAME_BYTES - 1, "\xc3\xb6tail");
	table_add(&table, name, FUNCTION(GLOBAL), 1, 0x10800, 8);
	struct symbols *symbols = table_read(&table);
	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		check_found(symbols, IMAGE_TEXT + 16 * i, names[i].read);
	memset(expected, 'n', sizeof(expected));
	expected[SYMBOL_NAME_BYTES - 1] = 0;
	check_found(symbols, 0x10800, expected);
	symbols_free(symbols);
}

TEST(test_stripped_programs_use_dynamic_symbols)
{
	struct table table = table_begin();

	table_add(&table, "exported", FUNCTION(GLOBAL), 1, 0x10100, 8);
	struct symbols *symbols = read_image(table_end(&table, SHT_DYNSYM));
	check_found(symbols, 0x10100, "exported");
	symbols_free(symbols);
}

TEST(test_no_symbols_are_an_empty_table)
{
	struct image_sections sections = image_sections_begin();
	struct symbols *symbols = read_image(image_sections_end(&sections));

	assert_int_equal(symbols_count(symbols), 0);
	check_found(symbols, 0x10000, NULL);
	assert_null(symbols_by_name(symbols, "main"));
	symbols_free(symbols);
	symbols = read_image(image_program());
	assert_int_equal(symbols_count(symbols), 0);
	symbols_free(symbols);
	symbols_free(NULL);
}

static void check_refused(struct image *image, size_t size, const char *sentence)
{
	struct err err = {0};
	uint8_t *exact = malloc(size ? size : 1);

	memcpy(exact, image->bytes, size);
	assert_null(symbols_read(exact, size, "prog", &err));
	assert_string_equal(err.text, sentence);
	free(exact);
}

TEST(test_broken_tables_are_refused)
{
	struct table table = table_begin();

	table_add(&table, "main", FUNCTION(GLOBAL), 1, 0x10100, 8);
	struct image image = table_end(&table, SHT_SYMTAB);
	size_t headers = image.size - 5 * sizeof(Elf64_Shdr);
	size_t symtab = headers + IMAGE_SHDR(2, sh_name);

	check_refused(&image, 10, "prog: not a 64-bit little-endian ELF file");
	/* Without names and without headers there is nothing to find. */
	for (unsigned i = 0; i < 2; i++) {
		image_put(&image, symtab + offsetof(Elf64_Shdr, sh_link), 9, 4);
		struct symbols *symbols = symbols_read(image.bytes, image.size - i, "prog", NULL);
		assert_non_null(symbols);
		assert_int_equal(symbols_count(symbols), 0);
		symbols_free(symbols);
	}
	image_put(&image, symtab + offsetof(Elf64_Shdr, sh_size), 4800, 8);
	check_refused(&image, image.size,
		      "prog: its table of symbols cannot be read: invalid section header; build it "
		      "again");
	image_put(&image, offsetof(Elf64_Ehdr, e_type), ET_REL, 2);
	check_refused(&image, image.size,
		      "prog: not a linked program or library (ELF type 1); link it first");
	image_release(&image);
}

static void check_selected(const struct symbols *symbols, const char *wanted, const char *shown)
{
	struct err err = {0};
	const struct symbol *symbol = symbols_select(symbols, wanted, &err);

	if (!symbol)
		fail_msg("%s: %s", wanted, err.text);
	assert_string_equal(symbols_shown(symbols, symbol), shown);
}

static void check_not_selected(const struct symbols *symbols, const char *wanted,
			       const char *sentence)
{
	struct err err = {0};

	assert_null(symbols_select(symbols, wanted, &err));
	assert_string_equal(err.text, sentence);
}

TEST(test_functions_are_selected_as_people_name_them)
{
	static const char *const names[] = {"_ZNK2ns3BoxIiE5heavyEi",
					    "_ZNK2ns3BoxIlE5heavyEl",
					    "_ZN2ns5outerEi",
					    "outer",
					    "main",
					    "[odd]"};
	struct table table = table_begin();

	for (unsigned i = 0; i < ARRAY_COUNT(names); i++)
		table_add(&table, names[i], FUNCTION(GLOBAL), 1, 0x10100 + 16 * i, 8);
	/* A constructor has two names for one place. */
	table_add(&table, "_ZN2ns3BoxIiEC1Ev", FUNCTION(GLOBAL), 1, 0x10800, 8);
	table_add(&table, "_ZN2ns3BoxIiEC2Ev", FUNCTION(GLOBAL), 1, 0x10800, 8);
	struct symbols *symbols = table_read(&table);
	check_selected(symbols, "main", "main");
	check_selected(symbols, "outer", "outer");
	check_selected(symbols, "ns::outer", "ns::outer(int)");
	check_selected(symbols, "ns::o*", "ns::outer(int)");
	check_selected(symbols, "Box<int>::heavy", "ns::Box<int>::heavy(int) const");
	check_selected(symbols, "_ZNK2ns3BoxIlE5heavyEl", "ns::Box<long>::heavy(long) const");
	check_selected(symbols, "Box<l*>::heavy", "ns::Box<long>::heavy(long) const");
	check_selected(symbols, "Box<int>::Box", "ns::Box<int>::Box()");
	check_selected(symbols, "[odd]", "[odd]");
	check_not_selected(symbols, "Box<*>::heavy",
			   "Box<*>::heavy means several functions: ns::Box<int>::heavy(int) const; "
			   "ns::Box<long>::heavy(long) const");
	check_not_selected(symbols, "heavy",
			   "heavy means several functions: ns::Box<int>::heavy(int) const; "
			   "ns::Box<long>::heavy(long) const");
	check_not_selected(symbols, "light", "light: the program has no function of that name");
	check_not_selected(symbols, "l*", "l*: the program has no function of that name");
	symbols_show_raw(symbols);
	check_selected(symbols, "ns::outer", "_ZN2ns5outerEi");
	symbols_free(symbols);
}

/* Many symbols on one long name must not multiply into unbounded memory. */
TEST(test_names_have_a_limit_together)
{
	struct table table = table_begin();
	char *name = malloc(SYMBOL_NAME_BYTES + 1);

	memset(name, 'x', SYMBOL_NAME_BYTES);
	name[SYMBOL_NAME_BYTES] = 0;
	table_add(&table, name, FUNCTION(GLOBAL), 1, 0x10100, 8);
	size_t at = table.entries.size - sizeof(Elf64_Sym);
	uint8_t entry[sizeof(Elf64_Sym)];
	memcpy(entry, table.entries.bytes + at, sizeof(entry));
	for (unsigned i = 0; i < (1u << 28) / SYMBOL_NAME_BYTES; i++)
		image_add(&table.entries, entry, sizeof(entry));
	struct image image = table_end(&table, SHT_SYMTAB);
	check_refused(&image, image.size,
		      "prog: the names of its functions need more than 268435456 bytes; strip the "
		      "program's symbols or part of them");
	image_release(&image);
	free(name);
}

struct nm_symbol {
	char name[128];
	char kind;
	char type[16];
	uint64_t address;
	uint64_t bytes;
	bool code; /* in a section of code, not of data */
};

static bool parse_nm(char *line, struct nm_symbol *symbol)
{
	char size[32] = "", section[64] = "";

	*symbol = (struct nm_symbol){0};
	if (sscanf(line, "%127[^| ] |%" SCNx64 "| %c |%*[ ]%15[^|]|%31[^|]|%*[ ]|%63s",
		   symbol->name, &symbol->address, &symbol->kind, symbol->type, size, section) != 6)
		return false;
	symbol->bytes = strtoull(size, NULL, 16);
	symbol->code = !strcmp(section, ".text") || !strcmp(section, "__libc_freeres_fn") ||
		       !strncmp(section, ".text.", 6);
	return true;
}

static const char asm_source[] = ".globl bare, typed\n"
				 "bare: li a0, 1\n ret\n"
				 ".type typed, @function\n"
				 "typed: li a0, 2\n inner: ret\n"
				 ".size typed, .-typed\n";

static const char c_source[] =
	"#include <stdio.h>\n"
	"int bare(void), typed(void);\n"
	"static __attribute__((noinline)) int local(int x) { return x * 3 + bare(); }\n"
	"__attribute__((weak)) int weak(int x) { return local(x) + typed(); }\n"
	"int alias(int) __attribute__((alias(\"weak\")));\n"
	"int main(int argc, char **argv) { (void)argv; printf(\"%d\\n\", weak(argc)); }\n";

TEST_WITH(test_compiled_program_agrees_with_nm, toolchain_setup, toolchain_teardown)
{
	const struct toolchain *toolchain = *test_state;
	struct err err = {0};
	unsigned functions = 0, named = 0, sized = 0;
	size_t size;
	char *line;

	if (!toolchain)
		skip();
	FILE *file = toolchain_open(toolchain, "main.c", "w");
	fputs(c_source, file);
	fclose(file);
	file = toolchain_open(toolchain, "code.s", "w");
	fputs(asm_source, file);
	fclose(file);
	free(toolchain_run(toolchain, TOOLCHAIN_PREFIX "gcc -O2 -g -static main.c code.s -o main"));
	uint8_t *bytes = toolchain_load(toolchain, "main", &size);
	struct symbols *symbols = symbols_read(bytes, size, "main", &err);
	if (!symbols)
		fail_msg("%s", err.text);

	char *text = toolchain_run(toolchain, TOOLCHAIN_PREFIX "nm -n --format=sysv main");
	char *rest = text;
	uint64_t last = 0, addresses = 0;
	while ((line = toolchain_line(&rest))) {
		struct nm_symbol nm;

		if (!parse_nm(line, &nm) || !nm.code)
			continue;
		bool global = nm.kind == 'T' || nm.kind == 'W';
		bool function = !strcmp(nm.type, "FUNC") || strstr(nm.type, "IFUNC");
		if (!function && !(global && !strcmp(nm.type, "NOTYPE")))
			continue;
		functions++;
		addresses += nm.address != last;
		last = nm.address;
		const struct symbol *found = symbols_find(symbols, nm.address);
		assert_non_null(found);
		assert_int_equal(found->address, nm.address);
		const struct symbol *by_name = symbols_by_name(symbols, nm.name);
		assert_non_null(by_name);
		if (global) {
			assert_int_equal(by_name->address, nm.address);
			named++;
		}
		if (global && nm.bytes) {
			assert_int_equal(by_name->bytes, nm.bytes);
			sized++;
		}
	}
	/* glibc alone has hundreds; fewer would mean that nothing was compared. */
	assert_true(functions > 500 && named > 200 && sized > 200);
	assert_int_equal(symbols_count(symbols), addresses);
	assert_non_null(symbols_by_name(symbols, "bare"));
	assert_non_null(symbols_by_name(symbols, "local"));
	assert_null(symbols_by_name(symbols, "inner"));
	assert_int_equal(symbols_by_name(symbols, "alias")->address,
			 symbols_by_name(symbols, "weak")->address);
	print_message("# %u functions of nm, %u global, %u with size\n", functions, named, sized);
	free(text);
	symbols_free(symbols);
	free(bytes);
}
