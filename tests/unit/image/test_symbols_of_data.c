/* Symbols of variables, and of those that each thread has, in tables made by hand; and that what a
 * program's debugging information says is read once. */
#include "../test.h"

#include "dies.h"
#include "symbol_table.h"
#include "image/debug.h"

#define DATA	  0x30000
#define OBJECT	  ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT)
#define COMMON	  ELF64_ST_INFO(STB_GLOBAL, STT_COMMON)
#define OF_THREAD ELF64_ST_INFO(STB_GLOBAL, STT_TLS)
#define MOST	  (UINT64_C(1) << 32) /* of what a thread has of its own */

static unsigned add_section(struct table *table, const char *name, uint64_t flags, uint64_t address,
			    uint64_t bytes)
{
	const unsigned index = image_section(&table->sections, name, SHT_NOBITS, NULL, 0);

	image_put(&table->sections.headers, IMAGE_SHDR(index, sh_flags), flags, 8);
	image_put(&table->sections.headers, IMAGE_SHDR(index, sh_addr), address, 8);
	image_put(&table->sections.headers, IMAGE_SHDR(index, sh_size), bytes, 8);
	return index;
}

struct sections {
	unsigned text, data, own, comment, wraps;
};

static struct sections add_sections(struct table *table)
{
	return (struct sections){
		.text = 1,
		.data = add_section(table, ".data", SHF_ALLOC | SHF_WRITE, DATA, 0x1000),
		.own = add_section(table, ".tdata", SHF_ALLOC | SHF_WRITE | SHF_TLS, DATA + 0x1000,
				   0x100),
		.comment = add_section(table, ".comment", 0, 0, 0x1000),
		.wraps = add_section(table, ".wraps", SHF_ALLOC, UINT64_MAX - 7, 16),
	};
}

/* Each where it is listed, and its bytes there; 0: nowhere. */
TEST(variables_and_those_of_threads_are_listed_by_kind)
{
	struct table table = table_begin();
	const struct sections in = add_sections(&table);
	const struct {
		const char *name;
		unsigned info, section;
		uint64_t address, bytes, listed[3]; /* functions, objects, of threads */
	} rows[] = {
		{"function", FUNCTION(GLOBAL), in.text, IMAGE_TEXT, 8, {8, 0, 0}},
		{"number", OBJECT, in.data, DATA, 8, {0, 8, 0}},
		{"common", COMMON, in.data, DATA + 8, 8, {0, 8, 0}},
		/* No more of it than its section has. */
		{"long", OBJECT, in.data, DATA + 0xff0, 0x100, {0, 0x10, 0}},
		{"behind", OBJECT, in.data, DATA + 0x1000, 8, {0}},
		{"before", OBJECT, in.data, DATA - 1, 8, {0}},
		{"constant", OBJECT, in.text, IMAGE_TEXT + 0x100, 4, {0, 4, 0}},
		{"untyped", NOTYPE(GLOBAL), in.data, DATA + 0x20, 8, {0}},
		{"not_loaded", OBJECT, in.comment, 0x10, 8, {0}},
		{"wraps", OBJECT, in.wraps, UINT64_MAX - 3, 4, {0}},
		{"undefined", OBJECT, SHN_UNDEF, DATA + 0x30, 8, {0}},
		{"absolute", OBJECT, SHN_ABS, DATA + 0x40, 8, {0}},
		{"nowhere", OBJECT, 99, DATA + 0x50, 8, {0}},
		/* Of each thread by its offset, whatever address the section has. */
		{"own", OF_THREAD, in.own, 0x10, 8, {0, 0, 8}},
		{"own_empty", OF_THREAD, in.own, 0x20, 0, {0}},
		{"own_last", OF_THREAD, in.own, MOST - 1, 8, {0, 0, 8}},
		{"own_far", OF_THREAD, in.own, MOST, 8, {0}},
		{"own_huge", OF_THREAD, in.own, 0x30, MOST, {0}},
		/* A kind that does not go with its section. */
		{"shared", OF_THREAD, in.data, DATA + 0x60, 8, {0}},
		{"object", OBJECT, in.own, DATA + 0x1000, 8, {0}},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		table_add(&table, rows[i].name, rows[i].info, rows[i].section, rows[i].address,
			  rows[i].bytes);
	struct image image = table_end(&table, SHT_SYMTAB);
	for (enum symbols_kind kind = SYMBOLS_FUNCTIONS; kind <= SYMBOLS_TLS; kind++) {
		struct err err = {.text = ""};
		struct symbols *symbols =
			symbols_read_kind(kind, image.bytes, image.size, "prog", &err);

		if (!symbols)
			fail_msg("%s", err.text);
		for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
			const struct symbol *found = symbols_by_name(symbols, rows[i].name);

			if ((found ? found->bytes : 0) != rows[i].listed[kind])
				fail_msg("%s, kind %u", rows[i].name, kind);
			if (found)
				assert_int_equal(found->address, rows[i].address);
		}
		symbols_free(symbols);
	}
	image_release(&image);
}

/* Counts when reading begins, and that it ends each time. */
static void note(void *context, bool reads)
{
	unsigned *counts = context;

	counts[reads]++;
	assert_int_equal(counts[true], counts[false] + reads);
}

TEST(variables_are_read_once_and_shown_as_asked)
{
	for (unsigned is_raw = 0; is_raw < 2; is_raw++) {
		struct table table = table_begin();
		const struct sections in = add_sections(&table);
		unsigned counts[2] = {0};

		table_add(&table, "_ZN2ns4heldE", OBJECT, in.data, DATA, 8);
		table_add(&table, "_ZN2ns3ownE", OF_THREAD, in.own, 0, 8);
		struct image image = table_end(&table, SHT_SYMTAB);
		const struct debug_options options = {.bytes = image.bytes,
						      .size = image.size,
						      .name = "prog",
						      .raw_names = is_raw,
						      .note = note,
						      .context = counts};
		struct debug debug;
		debug_init(&debug, &options);
		const struct symbols *objects = debug_objects(&debug), *tls = debug_tls(&debug);
		assert_string_equal(symbols_shown(objects, symbols_find(objects, DATA + 7)),
				    is_raw ? "_ZN2ns4heldE" : "ns::held");
		assert_string_equal(symbols_shown(tls, symbols_find(tls, 0)),
				    is_raw ? "_ZN2ns3ownE" : "ns::own");
		assert_ptr_equal(debug_objects(&debug), objects);
		assert_int_equal(counts[true], 1);
		debug_release(&debug);
		assert_null(debug.objects);
		image_release(&image);
	}
}

static bool read_nothing(void *context, uint64_t address, uint32_t *raw)
{
	(void)context, (void)address, (void)raw;
	return false;
}

/* The second time they are not looked for, be they there or not. */
TEST(types_are_looked_for_once)
{
	const struct type_code code = {read_nothing, NULL};
	struct dies dies = dies_begin();
	const size_t number = die_leaf(&dies, DW_TAG_base_type);

	die_text(&dies, DW_AT_name, "long");
	die_number(&dies, DW_AT_byte_size, 8);
	die_leaf(&dies, DW_TAG_variable);
	die_refer(&dies, DW_AT_type, number);
	die_located(&dies, DATA);
	struct image image = dies_end(&dies);
	for (unsigned is_broken = 0; is_broken < 2; is_broken++) {
		unsigned counts[2] = {0};
		const struct debug_options options = {.bytes = image.bytes,
						      .size = is_broken ? 3 : image.size,
						      .name = "prog",
						      .note = note,
						      .context = counts};
		struct debug debug;

		debug_init(&debug, &options);
		const struct type *type = debug_type_of_variable(&debug, DATA, false);
		assert_int_equal(type != NULL, !is_broken);
		if (type)
			assert_string_equal(type->name, "long");
		assert_ptr_equal(debug_type_of_variable(&debug, DATA, false), type);
		assert_null(debug_type_of_access(&debug, &code, IMAGE_TEXT).type);
		assert_int_equal(debug_objects(&debug) != NULL, !is_broken);
		assert_int_equal(debug_tls(&debug) != NULL, !is_broken);
		debug_release(&debug);
		assert_null(debug.types);
	}
	image_release(&image);
}
