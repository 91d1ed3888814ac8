/* Types of variables in debugging information made by hand: their names, their fields, and trees
 * that are broken. What compilers write is test_types.c's. */
#include "../test.h"

#include "dies.h"
#include "image/types.h"

#define DATA                                                                                 \
	0x20000 /* the address of the first variable; each has a multiple of 0x100 to itself \
		 */

struct opened {
	struct image image;
	struct types *types;
};

static struct opened open_dies(struct dies *dies)
{
	struct opened opened = {.image = dies_end(dies)};
	struct err err = {.text = ""};

	opened.types = types_read(opened.image.bytes, opened.image.size, "prog", &err);
	if (!opened.types)
		fail_msg("%s", err.text);
	return opened;
}

static void release(struct opened *opened)
{
	types_free(opened->types);
	image_release(&opened->image);
}

static size_t add_base(struct dies *dies, const char *name, uint64_t bytes)
{
	const size_t place = die_leaf(dies, DW_TAG_base_type);

	die_text(dies, DW_AT_name, name);
	die_number(dies, DW_AT_byte_size, bytes);
	return place;
}

/* A type that leads to another; that it leads to itself is said by `of` 0, to none by 1. */
static size_t add_link(struct dies *dies, unsigned tag, const char *name, size_t of)
{
	const size_t place = die_leaf(dies, tag);

	if (name)
		die_text(dies, DW_AT_name, name);
	if (of != 1)
		die_refer(dies, DW_AT_type, of ? of : place);
	return place;
}

/* A structure without members. */
static size_t add_empty(struct dies *dies, unsigned tag, const char *name, uint64_t bytes)
{
	const size_t place = die_leaf(dies, tag);

	if (name)
		die_text(dies, DW_AT_name, name);
	die_number(dies, DW_AT_byte_size, bytes);
	return place;
}

static size_t add_array(struct dies *dies, size_t of, uint64_t count)
{
	const size_t place = die_open(dies, DW_TAG_array_type);

	if (of != 1)
		die_refer(dies, DW_AT_type, of ? of : place);
	die_leaf(dies, DW_TAG_subrange_type);
	die_number(dies, DW_AT_count, count);
	die_up(dies);
	return place;
}

static void add_variable(struct dies *dies, unsigned number, size_t type)
{
	die_leaf(dies, DW_TAG_variable);
	die_refer(dies, DW_AT_type, type);
	die_located(dies, DATA + 0x100 * number);
}

/* A type of eight bytes behind so many names. */
static size_t add_chain(struct dies *dies, size_t of, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		of = add_link(dies, DW_TAG_typedef, i ? "outer" : "inner", of);
	return of;
}

/* The variable's type is called so; NULL: it has none. */
static void is_called(struct opened *opened, unsigned number, const char *name, uint64_t bytes)
{
	const struct type *type = types_of_variable(opened->types, DATA + 0x100 * number, false);

	if (!name && type)
		fail_msg("%u: %s in place of nothing", number, type->name);
	if (!name)
		return;
	if (!type)
		fail_msg("%u: nothing in place of %s", number, name);
	assert_string_equal(type->name, name);
	assert_int_equal(type->bytes, bytes);
}

TEST(types_are_called_as_in_c)
{
	struct dies dies = dies_begin();
	const size_t number = add_base(&dies, "long", 8);
	const size_t node = add_empty(&dies, DW_TAG_structure_type, "node", 24);
	const size_t nameless = add_empty(&dies, DW_TAG_structure_type, NULL, 16);
	const size_t pointer = die_leaf(&dies, DW_TAG_pointer_type);
	const struct {
		size_t type;
		const char *name;
		uint64_t bytes;
	} rows[] = {
		{number, "long", 8},
		{add_link(&dies, DW_TAG_const_type, NULL, number), "long", 8},
		{add_link(&dies, DW_TAG_volatile_type, NULL, number), "long", 8},
		{add_link(&dies, DW_TAG_restrict_type, NULL, number), "long", 8},
		{add_link(&dies, DW_TAG_atomic_type, NULL, number), "long", 8},
		{node, "struct node", 24},
		{add_empty(&dies, DW_TAG_union_type, "word", 4), "union word", 4},
		{add_empty(&dies, DW_TAG_enumeration_type, "colour", 4), "enum colour", 4},
		{add_empty(&dies, DW_TAG_class_type, "box", 12), "box", 12},
		/* Without a name of its own a type has the innermost that leads to it. */
		{nameless, "(unnamed)", 16},
		{add_empty(&dies, DW_TAG_union_type, NULL, 4), "(unnamed)", 4},
		{add_empty(&dies, DW_TAG_enumeration_type, NULL, 4), "(unnamed)", 4},
		{add_chain(&dies, add_empty(&dies, DW_TAG_structure_type, NULL, 40), 3), "inner",
		 40},
		{add_chain(&dies, node, 2), "struct node", 24},
		/* Of arrays, and of arrays of arrays, it is that of the elements. */
		{add_array(&dies, number, 10), "long", 8},
		{add_array(&dies, add_array(&dies, node, 3), 2), "struct node", 24},
		{add_link(&dies, DW_TAG_typedef, "many",
			  add_array(&dies, add_empty(&dies, DW_TAG_structure_type, NULL, 32), 3)),
		 "(unnamed)", 32},
		/* Pointers to nothing, to a number, to pointers, to names. */
		{pointer, "void *", 8},
		{add_link(&dies, DW_TAG_pointer_type, NULL, number), "long *", 8},
		{add_link(&dies, DW_TAG_reference_type, NULL, node), "struct node *", 8},
		{add_link(&dies, DW_TAG_rvalue_reference_type, NULL, number), "long *", 8},
		{add_link(&dies, DW_TAG_pointer_type, NULL, pointer), "void * *", 8},
		{add_link(&dies, DW_TAG_pointer_type, NULL, add_array(&dies, node, 4)),
		 "struct node *", 8},
		{add_link(&dies, DW_TAG_pointer_type, NULL, add_chain(&dies, nameless, 1)),
		 "inner *", 8},
		{add_link(&dies, DW_TAG_pointer_type, NULL, nameless), "(unnamed) *", 8},
		/* What is named to no end is nothing that could be pointed to. */
		{add_link(&dies, DW_TAG_pointer_type, NULL,
			  add_link(&dies, DW_TAG_typedef, "own", 0)),
		 "void *", 8},
	};

	for (unsigned i = 0; i < ARRAY_COUNT(rows); i++)
		add_variable(&dies, i, rows[i].type);
	struct opened opened = open_dies(&dies);
	for (unsigned i = 0; i < ARRAY_COUNT(rows); i++)
		is_called(&opened, i, rows[i].name, rows[i].bytes);
	release(&opened);
}

TEST(types_that_lead_nowhere_are_none)
{
	struct dies dies = dies_begin();
	const size_t number = add_base(&dies, "long", 8);
	const size_t most = add_base(&dies, "most", UINT64_C(1) << 38);
	const struct {
		size_t type;
		const char *name;
		uint64_t bytes;
	} rows[] = {
		{add_link(&dies, DW_TAG_typedef, "own", 0), NULL, 0},
		{add_link(&dies, DW_TAG_typedef, "nothing", 1), NULL, 0},
		{add_link(&dies, DW_TAG_const_type, NULL, 1), NULL, 0},
		{add_array(&dies, 0, 2), NULL, 0},
		{add_array(&dies, 1, 2), NULL, 0},
		{add_array(&dies, add_link(&dies, DW_TAG_typedef, "own", 0), 2), NULL, 0},
		{add_chain(&dies, number, 64), "long", 8},
		{add_chain(&dies, number, 65), NULL, 0},
		/* Without a size, of none, and of more than anything has. */
		{add_link(&dies, DW_TAG_subroutine_type, NULL, 1), NULL, 0},
		{add_base(&dies, "none", 0), NULL, 0},
		{most, "most", UINT64_C(1) << 38},
		{add_base(&dies, "more", (UINT64_C(1) << 38) + 1), NULL, 0},
	};

	for (unsigned i = 0; i < ARRAY_COUNT(rows); i++)
		add_variable(&dies, i, rows[i].type);
	/* Two that do not say of what type they are, and one whose type is not there. */
	die_leaf(&dies, DW_TAG_variable);
	die_located(&dies, DATA + 0x100 * ARRAY_COUNT(rows));
	add_variable(&dies, ARRAY_COUNT(rows) + 1, 0x7fffffff);
	struct opened opened = open_dies(&dies);
	for (unsigned i = 0; i < ARRAY_COUNT(rows); i++)
		is_called(&opened, i, rows[i].name, rows[i].bytes);
	is_called(&opened, ARRAY_COUNT(rows), NULL, 0);
	is_called(&opened, ARRAY_COUNT(rows) + 1, NULL, 0);
	release(&opened);
}

/* What a terminal would obey is not printed; names are kept up to a length. */
TEST(names_of_types_are_printable_and_cut)
{
	char lengthy[400], wanted[TYPE_NAME_BYTES + 1];
	struct dies dies = dies_begin();

	memset(lengthy, 'n', sizeof(lengthy) - 1);
	lengthy[sizeof(lengthy) - 1] = '\0';
	memset(wanted, 'n', TYPE_NAME_BYTES);
	wanted[TYPE_NAME_BYTES] = '\0';
	add_variable(&dies, 0, add_base(&dies, "a\033[2J\n", 8));
	add_variable(&dies, 1, add_base(&dies, lengthy, 8));
	struct opened opened = open_dies(&dies);
	is_called(&opened, 0, "a?[2J?", 8);
	is_called(&opened, 1, wanted, 8);
	release(&opened);
}

static void add_member(struct dies *dies, const char *name, size_t type, uint64_t offset)
{
	die_leaf(dies, DW_TAG_member);
	if (name)
		die_text(dies, DW_AT_name, name);
	if (type)
		die_refer(dies, DW_AT_type, type);
	die_number(dies, DW_AT_data_member_location, offset);
}

/* A structure whose members follow, up to die_up(). */
static size_t open_structure(struct dies *dies, const char *name, uint64_t bytes)
{
	const size_t place = die_open(dies, DW_TAG_structure_type);

	if (name)
		die_text(dies, DW_AT_name, name);
	die_number(dies, DW_AT_byte_size, bytes);
	return place;
}

/* All fields of the variable's type: "offset+bytes name;". */
static void has_fields(struct opened *opened, unsigned number, const char *wanted)
{
	const struct type *type = types_of_variable(opened->types, DATA + 0x100 * number, false);
	char text[1024] = "";

	assert_non_null(type);
	for (size_t i = 0; i < type->field_count; i++)
		sprintf(text + strlen(text), "%u+%u %s;", (unsigned)type->fields[i].offset,
			(unsigned)type->fields[i].bytes, type->fields[i].name);
	assert_string_equal(text, wanted);
}

/* A point of two numbers of four bytes. */
static size_t add_point(struct dies *dies, size_t number)
{
	const size_t point = open_structure(dies, "point", 8);

	add_member(dies, "y", number, 4);
	add_member(dies, "x", number, 0);
	die_up(dies);
	return point;
}

TEST(fields_are_those_of_structures_within_too)
{
	struct dies dies = dies_begin();
	const size_t number = add_base(&dies, "int", 4), point = add_point(&dies, number);
	const size_t opaque = add_empty(&dies, DW_TAG_structure_type, "opaque", 8);
	const size_t whole = open_structure(&dies, "whole", 64);

	/* What it inherits, and what has no name, is named as if it were its own. */
	die_leaf(&dies, DW_TAG_inheritance);
	die_refer(&dies, DW_AT_type, point);
	die_number(&dies, DW_AT_data_member_location, 8);
	add_member(&dies, NULL, point, 16);
	add_member(&dies, "at", add_link(&dies, DW_TAG_typedef, "place", point), 24);
	add_member(&dies, "points", add_array(&dies, point, 2), 32);
	add_member(&dies, "opaque", opaque, 48);
	add_member(&dies, "first", number, 0);
	die_up(&dies);
	add_variable(&dies, 0, whole);
	struct opened opened = open_dies(&dies);
	has_fields(&opened, 0,
		   "0+4 first;8+4 x;12+4 y;16+4 x;20+4 y;24+4 at.x;28+4 at.y;32+16 points;"
		   "48+8 opaque;");
	const struct type *type = types_of_variable(opened.types, DATA, false);
	assert_string_equal(type_field_at(type, 3)->name, "first");
	assert_null(type_field_at(type, 4));
	assert_string_equal(type_field_at(type, 47)->name, "points");
	assert_null(type_field_at(type, 56));
	/* The same type again is the same. */
	assert_ptr_equal(types_of_variable(opened.types, DATA, false), type);
	release(&opened);
}

/* Each of these is left out; those around it are there. */
TEST(members_that_are_no_fields_are_left_out)
{
	struct dies dies = dies_begin();
	const size_t number = add_base(&dies, "int", 4), none = add_base(&dies, "none", 0);
	const size_t code = add_link(&dies, DW_TAG_subroutine_type, NULL, 1);
	const size_t whole = open_structure(&dies, "whole", 16);

	add_member(&dies, "first", number, 0);
	add_member(&dies, "no_type", 0, 4);
	add_member(&dies, "no_size", code, 4);
	add_member(&dies, "no_bytes", none, 4);
	add_member(&dies, "behind", number, 16);
	add_member(&dies, "across", number, 13);
	add_member(&dies, "far", number, UINT64_MAX - 1);
	add_member(&dies, "shared", number, 4);
	die_flag(&dies, DW_AT_external);
	add_member(&dies, "declared", number, 4);
	die_flag(&dies, DW_AT_declaration);
	die_leaf(&dies, DW_TAG_subprogram);
	die_refer(&dies, DW_AT_type, number);
	/* Bit fields are their storage; one without bytes has none. */
	add_member(&dies, "bits", number, 0);
	die_number(&dies, DW_AT_data_bit_offset, 70);
	add_member(&dies, "no_bits", none, 0);
	die_number(&dies, DW_AT_data_bit_offset, 70);
	add_member(&dies, "last", number, 12);
	die_up(&dies);
	add_variable(&dies, 0, whole);
	struct opened opened = open_dies(&dies);
	has_fields(&opened, 0, "0+4 first;8+4 bits;12+4 last;");
	release(&opened);
}

/* The longest first, then by name. */
TEST(fields_at_one_place_have_an_order)
{
	struct dies dies = dies_begin();
	const size_t byte = add_base(&dies, "char", 1), number = add_base(&dies, "int", 4);
	const size_t word = die_open(&dies, DW_TAG_union_type);

	die_number(&dies, DW_AT_byte_size, 4);
	add_member(&dies, "low", byte, 0);
	add_member(&dies, "whole", number, 0);
	add_member(&dies, "again", number, 0);
	add_member(&dies, "first", byte, 0);
	add_member(&dies, "other", number, 0);
	die_up(&dies);
	add_variable(&dies, 0, word);
	struct opened opened = open_dies(&dies);
	has_fields(&opened, 0, "0+4 again;0+4 other;0+4 whole;0+1 first;0+1 low;");
	release(&opened);
}

/* Behind more names than are looked through there is no type. */
TEST(members_are_looked_for_behind_so_many_names)
{
	for (unsigned count = 64; count <= 65; count++) {
		struct dies dies = dies_begin();
		const size_t point = add_point(&dies, add_base(&dies, "int", 4));
		const size_t chain = add_chain(&dies, point, count);
		const size_t whole = open_structure(&dies, "whole", 8);

		add_member(&dies, "at", chain, 0);
		die_up(&dies);
		add_variable(&dies, 0, whole);
		struct opened opened = open_dies(&dies);
		has_fields(&opened, 0, count == 64 ? "0+4 at.x;4+4 at.y;" : "");
		release(&opened);
	}
}

/* A structure that has itself in it is read to a depth; so are names that grow with it. */
TEST(structures_within_themselves_end)
{
	static const char wanted[] = "own.own.own.own.own.own.own.own.own";
	char lengthy[TYPE_NAME_BYTES + 1];
	struct dies dies = dies_begin();

	memset(lengthy, 'n', TYPE_NAME_BYTES);
	lengthy[TYPE_NAME_BYTES] = '\0';
	for (unsigned i = 0; i < 2; i++) {
		const size_t own = open_structure(&dies, "own", 8);

		add_member(&dies, i ? lengthy : "own", own, 0);
		die_up(&dies);
		add_variable(&dies, i, own);
	}
	struct opened opened = open_dies(&dies);
	const struct type *type = types_of_variable(opened.types, DATA, false);
	assert_int_equal(type->field_count, 1);
	assert_string_equal(type->fields[0].name, wanted);
	type = types_of_variable(opened.types, DATA + 0x100, false);
	assert_int_equal(type->field_count, 1);
	assert_int_equal(strlen(type->fields[0].name), 4 * TYPE_NAME_BYTES + 3);
	release(&opened);
}

TEST(fields_are_so_many_at_most)
{
	for (unsigned more = 0; more < 2; more++) {
		struct dies dies = dies_begin();
		const size_t byte = add_base(&dies, "char", 1);
		/* The last ones are in a structure of their own. */
		const size_t pair = open_structure(&dies, "pair", 2);

		add_member(&dies, "a", byte, 0);
		add_member(&dies, "b", byte, 1);
		die_up(&dies);
		const size_t whole = open_structure(&dies, "whole", 1024);
		for (unsigned i = 0; i < TYPE_FIELDS_MOST - 2 + more; i++)
			add_member(&dies, "m", byte, i);
		add_member(&dies, "pair", pair, 600);
		add_member(&dies, "beyond", byte, 700);
		die_up(&dies);
		add_variable(&dies, 0, whole);
		struct opened opened = open_dies(&dies);
		const struct type *type = types_of_variable(opened.types, DATA, false);
		assert_int_equal(type->field_count, TYPE_FIELDS_MOST);
		assert_non_null(type_field_at(type, 600));
		assert_int_equal(type_field_at(type, 601) != NULL, !more);
		assert_null(type_field_at(type, 700));
		release(&opened);
	}
}

/* A broken tree in which what comes after a member is before it. */
TEST(members_are_read_once)
{
	struct dies dies = dies_begin();
	const size_t number = add_base(&dies, "int", 4);
	const size_t whole = open_structure(&dies, "whole", 16);

	/* Where the structure ends is said by itself. */
	die_refer(&dies, DW_AT_sibling, 0);
	const size_t first = dies.info.size;
	add_member(&dies, "first", number, 0);
	add_member(&dies, "second", number, 4);
	die_refer(&dies, DW_AT_sibling, first);
	add_member(&dies, "unreached", number, 8);
	die_up(&dies);
	image_put(&dies.info, first - 4, dies.info.size, 4);
	add_variable(&dies, 0, whole);
	struct opened opened = open_dies(&dies);
	has_fields(&opened, 0, "0+4 first;4+4 second;");
	release(&opened);
}

TEST(variables_are_found_wherever_they_are_declared)
{
	static const unsigned tags[] = {
		DW_TAG_subprogram, DW_TAG_lexical_block,    DW_TAG_inlined_subroutine,
		DW_TAG_namespace,  DW_TAG_module,	    DW_TAG_structure_type,
		DW_TAG_class_type, DW_TAG_enumeration_type,
	};
	struct dies dies = dies_begin();
	const size_t number = add_base(&dies, "long", 8);

	for (unsigned i = 0; i < ARRAY_COUNT(tags); i++) {
		die_open(&dies, tags[i]);
		add_variable(&dies, i, number);
		die_up(&dies);
	}
	struct opened opened = open_dies(&dies);
	/* In a list of constants there are none. */
	for (unsigned i = 0; i < ARRAY_COUNT(tags); i++)
		is_called(&opened, i, i < ARRAY_COUNT(tags) - 1 ? "long" : NULL, 8);
	assert_null(types_of_variable(opened.types, DATA - 1, false));
	assert_null(types_of_variable(opened.types, DATA + 1, false));
	assert_null(types_of_variable(opened.types, UINT64_MAX, false));
	release(&opened);
}

/* What lies deeper is left out, and what is its own child is gone through once. */
TEST(a_tree_of_types_is_read_to_a_depth)
{
	for (unsigned depth = 255; depth <= 256; depth++) {
		struct dies dies = dies_begin();
		const size_t number = add_base(&dies, "long", 8);

		for (unsigned i = 0; i < depth; i++)
			die_open(&dies, DW_TAG_lexical_block);
		add_variable(&dies, 0, number);
		for (unsigned i = 0; i < depth; i++)
			die_up(&dies);
		struct opened opened = open_dies(&dies);
		is_called(&opened, 0, depth == 255 ? "long" : NULL, 8);
		release(&opened);
	}
	struct dies dies = dies_begin();
	const size_t number = add_base(&dies, "long", 8);
	add_variable(&dies, 0, number);
	for (unsigned i = 0; i < 60; i++) {
		die_open(&dies, DW_TAG_lexical_block);
		die_refer(&dies, DW_AT_sibling, dies.info.size + 4);
	}
	for (unsigned i = 0; i < 60; i++)
		die_up(&dies);
	struct opened opened = open_dies(&dies);
	is_called(&opened, 0, "long", 8);
	release(&opened);
}

/* Places that are told by anything but an address, and those of threads, which are offsets. */
TEST(variables_have_an_address_or_an_offset_of_threads)
{
	static const struct {
		const char *bytes;
		size_t count;
		bool is_found, is_tls;
	} rows[] = {
		{"", 0, false, false},
		{"\x03\x40\0\0\0\0\0\0\0", 9, true, false},
		/* Of threads, as two compilers write it, and by an address. */
		{"\x0e\x40\0\0\0\0\0\0\0\xe0", 10, true, true},
		{"\x0e\x40\0\0\0\0\0\0\0\x9b", 10, true, true},
		{"\x03\x40\0\0\0\0\0\0\0\xe0", 10, true, true},
		/* A number alone, with another operation, and with two. */
		{"\x0e\x40\0\0\0\0\0\0\0", 9, false, false},
		{"\x0e\x40\0\0\0\0\0\0\0\x1f", 10, false, false},
		{"\x0e\x40\0\0\0\0\0\0\0\xe0\x1f", 11, false, false},
		/* Of threads, but told in four bytes. */
		{"\x0c\x40\0\0\0\xe0", 6, false, false},
		{"\x91\x40", 2, false, false},
	};

	for (unsigned i = 0; i < ARRAY_COUNT(rows); i++) {
		struct dies dies = dies_begin();
		const size_t number = add_base(&dies, "long", 8);

		die_leaf(&dies, DW_TAG_variable);
		die_refer(&dies, DW_AT_type, number);
		die_location(&dies, rows[i].bytes, rows[i].count);
		/* Two that have no place. */
		die_leaf(&dies, DW_TAG_variable);
		die_leaf(&dies, DW_TAG_variable);
		die_number(&dies, DW_AT_location, 0x40);
		struct opened opened = open_dies(&dies);
		for (unsigned is_tls = 0; is_tls < 2; is_tls++) {
			const struct type *type = types_of_variable(opened.types, 0x40, is_tls);

			assert_int_equal(type != NULL,
					 rows[i].is_found && rows[i].is_tls == is_tls);
		}
		release(&opened);
	}
}

/* Those of partial units, too, but not those of units of types. */
TEST(variables_are_those_of_units_of_code)
{
	static const char *const names[] = {"first", "second", NULL};

	for (unsigned version = 4; version <= 5; version++) {
		struct dies dies = dies_begin();

		add_variable(&dies, 0, add_base(&dies, "first", 8));
		dies_next(&dies, DW_TAG_partial_unit);
		add_variable(&dies, 1, add_base(&dies, "second", 8));
		dies_next_types(&dies, version);
		for (unsigned i = 0; i < 10; i++)
			add_base(&dies, "a name that is longer than all of the other section", 8);
		add_variable(&dies, 2, add_base(&dies, "third", 8));
		/* The section of types has one of code: what is in it is not there. */
		struct opened opened = open_dies(&dies);
		for (unsigned i = 0; i < ARRAY_COUNT(names); i++)
			is_called(&opened, i, names[i], 8);
		release(&opened);
	}
}

/* Of many in any order, some at one address: the one declared first. */
TEST(variables_are_told_apart_by_address_and_kind)
{
	struct dies dies = dies_begin();
	const size_t number = add_base(&dies, "long", 8), other = add_base(&dies, "int", 4);
	const size_t own = add_base(&dies, "own", 2);

	for (unsigned i = 0; i < 16; i++)
		add_variable(&dies, i * 7 % 16, i == 5 ? other : number);
	add_variable(&dies, 3, own);
	die_leaf(&dies, DW_TAG_variable);
	die_refer(&dies, DW_AT_type, own);
	/* Of threads, at the offset that is the address of another. */
	die_location(&dies, "\x0e\0\0\x02\0\0\0\0\0\xe0", 10);
	struct opened opened = open_dies(&dies);
	for (unsigned i = 0; i < 16; i++)
		is_called(&opened, i, i == 3 ? "int" : "long", i == 3 ? 4 : 8);
	assert_string_equal(types_of_variable(opened.types, DATA, true)->name, "own");
	assert_null(types_of_variable(opened.types, DATA + 0x100, true));
	release(&opened);
}

TEST(a_file_without_debugging_information_has_no_types)
{
	struct image image = image_program();
	struct err err = {.text = ""};
	struct types *types = types_read(image.bytes, image.size, "prog", &err);
	const struct type_code code = {NULL, NULL};

	assert_non_null(types);
	for (unsigned i = 0; i < 2; i++) {
		assert_null(types_of_variable(types, DATA, false));
		assert_null(types_of_access(types, &code, IMAGE_TEXT).type);
	}
	types_free(types);
	image_release(&image);
}
