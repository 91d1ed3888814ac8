/* Inlined calls of trees made by hand: how they nest, what of them is not known, and trees that are
 * deep, broken or not about code. What compilers write is test_addr2line.c's. */
#include "../test.h"

#include <unistd.h>

#include "dwarf.h"
#include "image/inlined.h"

static struct inlined *read_tree(struct dwarf *dwarf, struct image *image)
{
	struct err err = {.text = ""};

	*image = dwarf_image(dwarf);
	struct inlined *inlined = inlined_read(image->bytes, image->size, "prog", &err);
	if (!inlined)
		fail_msg("%s", err.text);
	return inlined;
}

/* The names of the calls at an address, each with a comma, and where they were made. */
static void is_at(struct inlined *inlined, uint64_t address, const char *wanted)
{
	const struct inlined_call *calls = NULL;
	const size_t count = inlined_find(inlined, address, &calls);
	char text[1024] = "";

	for (size_t i = 0; i < count; i++)
		sprintf(text + strlen(text), "%s%s from %s:%u", i ? ", " : "", calls[i].name,
			calls[i].file, calls[i].line);
	assert_string_equal(text, wanted);
}

static void release(struct inlined *inlined, struct image *image)
{
	inlined_free(inlined);
	image_release(image);
}

static const char *const files[] = {"a.c", "b.h", NULL};

/* A unit of all code with a function in it, and its line table of these files. */
static void begin_function(struct dwarf *dwarf)
{
	const size_t table = dwarf_table(dwarf, files);

	dwarf_end_table(dwarf);
	dwarf_unit(dwarf, "/build", 0x10000, 0x11000, table);
	dwarf_tag_of(dwarf, DW_TAG_subprogram, DWARF_BARE);
}

static void end_function(struct dwarf *dwarf)
{
	dwarf_up(dwarf);
	dwarf_up(dwarf);
	dwarf_end_unit(dwarf);
}

TEST(calls_nest_the_outermost_first)
{
	struct dwarf dwarf = {0};
	struct image image;

	begin_function(&dwarf);
	dwarf_call(&dwarf, "outer", 0x10100, 0x10200, 10, 1);
	dwarf_call(&dwarf, "inner", 0x10140, 0x10180, 20, 2);
	dwarf_up(&dwarf);
	/* Of two that claim the same addresses the later one is the inner one; the one with none
	 * is nowhere. */
	dwarf_call(&dwarf, "first", 0x101c0, 0x101e0, 30, 1);
	dwarf_up(&dwarf);
	dwarf_call(&dwarf, "second", 0x101c0, 0x101e0, 40, 1);
	dwarf_up(&dwarf);
	dwarf_call(&dwarf, "empty", 0x10104, 0x10104, 50, 1);
	dwarf_up(&dwarf);
	dwarf_up(&dwarf);
	end_function(&dwarf);
	struct inlined *inlined = read_tree(&dwarf, &image);
	is_at(inlined, 0xffff, "");
	is_at(inlined, 0x11000, "");
	is_at(inlined, 0x100ff, "");
	is_at(inlined, 0x10100, "outer from a.c:10");
	is_at(inlined, 0x10104, "outer from a.c:10");
	is_at(inlined, 0x10140, "outer from a.c:10, inner from b.h:20");
	is_at(inlined, 0x1017f, "outer from a.c:10, inner from b.h:20");
	is_at(inlined, 0x10180, "outer from a.c:10");
	is_at(inlined, 0x101c0, "outer from a.c:10, second from a.c:40");
	is_at(inlined, 0x10200, "");
	release(inlined, &image);
}

/* Within anything that holds code; what holds none is not gone through. */
TEST(calls_are_found_in_every_scope)
{
	static const struct {
		unsigned tag;
		bool is_scope;
	} rows[] = {
		{DW_TAG_lexical_block, true},	 {DW_TAG_try_block, true},
		{DW_TAG_catch_block, true},	 {DW_TAG_namespace, true},
		{DW_TAG_module, true},		 {DW_TAG_structure_type, true},
		{DW_TAG_class_type, true},	 {DW_TAG_union_type, true},
		{DW_TAG_enumeration_type, true}, {DW_TAG_subprogram, true},
		{DW_TAG_subroutine_type, false}, {DW_TAG_variable, false},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct dwarf dwarf = {0};
		struct image image;

		begin_function(&dwarf);
		dwarf_tag_of(&dwarf, rows[i].tag, DWARF_BARE);
		dwarf_call(&dwarf, "call", 0x10100, 0x10200, 10, 1);
		dwarf_up(&dwarf);
		dwarf_up(&dwarf);
		end_function(&dwarf);
		struct inlined *inlined = read_tree(&dwarf, &image);
		is_at(inlined, 0x10100, rows[i].is_scope ? "call from a.c:10" : "");
		release(inlined, &image);
	}
}

/* A function within a call, such as a method of a class that stands in it, is not called
 * there. */
TEST(a_function_begins_anew)
{
	struct dwarf dwarf = {0};
	struct image image;

	begin_function(&dwarf);
	dwarf_call(&dwarf, "outer", 0x10100, 0x10200, 10, 1);
	dwarf_tag_of(&dwarf, DW_TAG_subprogram, DWARF_BARE);
	dwarf_call(&dwarf, "of_the_method", 0x10400, 0x10500, 11, 1);
	dwarf_up(&dwarf);
	dwarf_up(&dwarf);
	dwarf_up(&dwarf);
	end_function(&dwarf);
	struct inlined *inlined = read_tree(&dwarf, &image);
	is_at(inlined, 0x10100, "outer from a.c:10");
	is_at(inlined, 0x10400, "of_the_method from a.c:11");
	release(inlined, &image);
}

TEST(what_is_not_known_of_a_call_is_empty)
{
	struct dwarf dwarf = {0};
	struct image image;

	begin_function(&dwarf);
	dwarf_tag_of(&dwarf, DW_TAG_inlined_subroutine, DWARF_RANGE);
	dwarf_range(&dwarf, 0x10100, 0x10200);
	dwarf_up(&dwarf);
	dwarf_call(&dwarf, "", 0x10200, 0x10300, UINT32_MAX, 3);
	dwarf_up(&dwarf);
	dwarf_call(&dwarf, "far", 0x10300, 0x10400, UINT64_C(1) << 32 | 5, 2);
	dwarf_up(&dwarf);
	end_function(&dwarf);
	/* A unit without a line table. */
	dwarf_begin_unit(&dwarf);
	dwarf_tag_of(&dwarf, DW_TAG_compile_unit, DWARF_RANGE);
	dwarf_range(&dwarf, 0x20000, 0x21000);
	dwarf_call(&dwarf, "elsewhere", 0x20000, 0x20100, 5, 1);
	dwarf_up(&dwarf);
	dwarf_up(&dwarf);
	dwarf_end_unit(&dwarf);
	struct inlined *inlined = read_tree(&dwarf, &image);
	is_at(inlined, 0x10100, "(unknown) from :0");
	is_at(inlined, 0x10200, "(unknown) from :4294967295");
	is_at(inlined, 0x10300, "far from b.h:0");
	is_at(inlined, 0x20000, "elsewhere from :5");
	release(inlined, &image);
}

TEST(names_are_those_of_the_linker)
{
	for (unsigned is_raw = 0; is_raw < 2; is_raw++) {
		struct dwarf dwarf = {0};
		struct image image;

		begin_function(&dwarf);
		dwarf_tag_of(&dwarf, DW_TAG_inlined_subroutine, DWARF_LINKED);
		dwarf_text(&dwarf.info, "_ZN2ns5outerEi");
		dwarf_text(&dwarf.info, "outer");
		dwarf_range(&dwarf, 0x10100, 0x10200);
		dwarf_leb(&dwarf.info, 3);
		dwarf_leb(&dwarf.info, 1);
		dwarf_up(&dwarf);
		dwarf_call(&dwarf, "a\033[2J", 0x10200, 0x10300, 4, 1);
		dwarf_up(&dwarf);
		end_function(&dwarf);
		struct inlined *inlined = read_tree(&dwarf, &image);
		if (is_raw)
			inlined_show_raw(inlined);
		is_at(inlined, 0x10100,
		      is_raw ? "_ZN2ns5outerEi from a.c:3" : "ns::outer(int) from a.c:3");
		/* What a terminal would obey is not printed either way. */
		is_at(inlined, 0x10200, "a?[2J from a.c:4");
		release(inlined, &image);
	}
}

/* So many calls within each other, each in a smaller range. */
static void nest(struct dwarf *dwarf, unsigned count, unsigned tag)
{
	begin_function(dwarf);
	for (unsigned i = 0; i < count; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%u", i);
		if (tag)
			dwarf_tag_of(dwarf, tag, DWARF_BARE);
		else
			dwarf_call(dwarf, name, 0x10000 + 4 * i, 0x11000, i + 1, 1);
	}
	if (tag) {
		dwarf_call(dwarf, "deep", 0x10100, 0x10200, 7, 1);
		dwarf_up(dwarf);
	}
	for (unsigned i = 0; i < count; i++)
		dwarf_up(dwarf);
	end_function(dwarf);
}

/* The outermost are those that tell where the code comes from. */
TEST(of_many_calls_the_inner_ones_are_left_out)
{
	const struct inlined_call *calls;
	struct dwarf dwarf = {0};
	struct image image;

	nest(&dwarf, INLINED_MOST + 6, 0);
	struct inlined *inlined = read_tree(&dwarf, &image);
	assert_int_equal(inlined_find(inlined, 0x10000 + 4 * (INLINED_MOST - 1), &calls),
			 INLINED_MOST);
	assert_string_equal(calls[INLINED_MOST - 1].name, "f63");
	assert_int_equal(inlined_find(inlined, 0x10fff, &calls), INLINED_MOST);
	assert_string_equal(calls[0].name, "f0");
	assert_string_equal(calls[INLINED_MOST - 1].name, "f63");
	assert_int_equal(calls[INLINED_MOST - 1].line, INLINED_MOST);
	release(inlined, &image);
}

/* A tree may be as deep as its file is long: what lies deeper than 256 is left out. */
TEST(a_tree_is_read_to_a_depth)
{
	static const struct {
		unsigned depth;
		const char *wanted;
	} rows[] = {{254, "deep from a.c:7"}, {255, ""}, {5000, ""}};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct dwarf dwarf = {0};
		struct image image;

		nest(&dwarf, rows[i].depth, DW_TAG_lexical_block);
		struct inlined *inlined = read_tree(&dwarf, &image);
		is_at(inlined, 0x10100, rows[i].wanted);
		release(inlined, &image);
	}
}

/* What is in another kind of unit has no code. */
TEST(only_units_of_code_are_searched)
{
	const struct inlined_call *calls;
	struct dwarf dwarf = {0};
	struct image image;

	/* More units than the first piece of a table holds. */
	for (unsigned i = 0; i < 10; i++) {
		dwarf_begin_unit(&dwarf);
		dwarf_tag_of(&dwarf, i % 2 ? DW_TAG_partial_unit : DW_TAG_compile_unit,
			     DWARF_RANGE);
		dwarf_range(&dwarf, 0x10000 + 0x100 * i, 0x10100 + 0x100 * i);
		dwarf_call(&dwarf, "call", 0x10000 + 0x100 * i, 0x10080 + 0x100 * i, i, 1);
		dwarf_up(&dwarf);
		dwarf_up(&dwarf);
		dwarf_end_unit(&dwarf);
	}
	struct inlined *inlined = read_tree(&dwarf, &image);
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(inlined_find(inlined, 0x1007f + 0x100 * i, &calls), 1);
		assert_int_equal(calls[0].line, i);
		assert_int_equal(inlined_find(inlined, 0x10080 + 0x100 * i, &calls), 0);
	}
	release(inlined, &image);
}

/* A type that many units use stands in a unit of its own, which holds no code, whatever it says. */
TEST(units_of_types_are_not_searched)
{
	struct dwarf dwarf = {0}, types = {0};
	struct image image;

	begin_function(&dwarf);
	dwarf_call(&dwarf, "call", 0x10100, 0x10200, 10, 1);
	dwarf_up(&dwarf);
	end_function(&dwarf);
	/* Its header goes on with the type's number and place. */
	dwarf_begin_unit(&types);
	image_number(&types.info, 0x1122334455667788, 8);
	image_number(&types.info, 23, 4);
	dwarf_tag_of(&types, DW_TAG_type_unit, DWARF_RANGE);
	dwarf_range(&types, 0x20000, 0x21000);
	dwarf_call(&types, "of_a_type", 0x20000, 0x20100, 11, 1);
	dwarf_up(&types);
	dwarf_up(&types);
	dwarf_end_unit(&types);
	dwarf.types = types.info;
	struct inlined *inlined = read_tree(&dwarf, &image);
	is_at(inlined, 0x10100, "call from a.c:10");
	is_at(inlined, 0x20000, "");
	release(inlined, &image);
}

/* A broken tree in which what comes after a DIE is its own child: each level would double the
 * work. */
TEST(what_is_in_a_tree_twice_is_read_once)
{
	struct dwarf dwarf = {0};
	struct image image;

	begin_function(&dwarf);
	dwarf_call(&dwarf, "before", 0x10100, 0x10200, 7, 1);
	dwarf_up(&dwarf);
	for (unsigned i = 0; i < 60; i++) {
		dwarf_tag_of(&dwarf, DW_TAG_lexical_block, DWARF_SIBLING);
		image_number(&dwarf.info, dwarf.info.size + 4, 4);
	}
	for (unsigned i = 0; i < 60; i++)
		dwarf_up(&dwarf);
	end_function(&dwarf);
	struct inlined *inlined = read_tree(&dwarf, &image);
	alarm(20);
	is_at(inlined, 0x10100, "before from a.c:7");
	alarm(0);
	is_at(inlined, 0x10200, "");
	release(inlined, &image);
}

TEST(a_file_may_have_none)
{
	const struct inlined_call *calls;
	struct err err = {.text = ""};
	struct image image = image_program();
	struct inlined *inlined = inlined_read(image.bytes, image.size, "prog", &err);

	assert_non_null(inlined);
	assert_int_equal(inlined_find(inlined, IMAGE_TEXT, &calls), 0);
	release(inlined, &image);
	assert_null(inlined_read((const uint8_t *)"no ELF", 6, "text", &err));
	assert_string_equal(err.text, "text: not a 64-bit little-endian ELF file");
	inlined_free(NULL);
}
