/* Types of what instructions access, by locations, frames and code made by hand; what compilers
 * write is test_types.c's. */
#include "../test.h"

#include <unistd.h>

#include "dies.h"
#include "image/types.h"
#include "isa/insn.h"

#define START 0x10100 /* of the function */
#define NODE  48      /* bytes of a node */
#define A0    10
#define A1    11
#define A2    12
#define S0    8
#define SP    2

/* Code of the function; behind it there is none. */
struct program {
	const uint32_t *words;
	size_t count;
};

static bool read_code(void *context, uint64_t address, uint32_t *raw)
{
	const struct program *program = context;
	const uint64_t index = (address - START) / 4;

	if (address < START || index >= program->count)
		return false;
	*raw = program->words[index];
	return true;
}

#define LD(rd, imm, rs)	   ((uint32_t)(imm) << 20 | (rs) << 15 | 3 << 12 | (rd) << 7 | 0x03u)
#define SD(from, rs)	   ((from) << 20 | (rs) << 15 | 3 << 12 | 8 << 7 | 0x23u) /* at 8 */
#define AMOADD(rd, rs)	   ((rs) << 15 | 3 << 12 | (rd) << 7 | 0x2fu)
#define ADDI(rd, rs, n)	   ((uint32_t)(n) << 20 | (rs) << 15 | (rd) << 7 | 0x13u)
#define ADD(rd, a, b)	   ((b) << 20 | (a) << 15 | (rd) << 7 | 0x33u)
#define MUL(rd, a, b)	   (1u << 25 | ADD(rd, a, b))
#define SHADD(n, rd, a, b) (0x10u << 25 | (n) << 13 | ADD(rd, a, b))
#define NOP		   ADDI(0, 0, 0)
#define JUMP		   0x0080006fu /* j .+8 */
#define RETURN		   0x00008067u
#define ECALL		   0x00000073u
#define BRANCH		   0x00000463u /* beqz zero, .+8 */
#define FSD		   0x00a53427u /* fsd fa0, 8(a0) */

/* The types of all tests: a node of two pointers and a number, and lists of them. */
struct made {
	struct dies dies;
	size_t number, node, pointer, pointers, nothing, held, own, code, to_code;
};

static void add_member(struct dies *dies, unsigned tag, const char *name, size_t type,
		       uint64_t offset)
{
	die_leaf(dies, tag);
	if (name)
		die_text(dies, DW_AT_name, name);
	if (type)
		die_refer(dies, DW_AT_type, type);
	die_number(dies, DW_AT_data_member_location, offset);
}

static size_t add_type(struct dies *dies, unsigned tag, const char *name, uint64_t bytes)
{
	const size_t place = die_open(dies, tag);

	if (name)
		die_text(dies, DW_AT_name, name);
	if (bytes)
		die_number(dies, DW_AT_byte_size, bytes);
	return place;
}

static size_t add_link(struct dies *dies, unsigned tag, size_t of)
{
	const size_t place = die_leaf(dies, tag);

	if (of)
		die_refer(dies, DW_AT_type, of);
	return place;
}

static struct made begin(void)
{
	struct made made = {.dies = dies_begin()};
	struct dies *dies = &made.dies;

	made.number = add_type(dies, DW_TAG_base_type, "long", 8);
	die_up(dies);
	made.nothing = add_link(dies, DW_TAG_pointer_type, 0);
	made.node = add_type(dies, DW_TAG_structure_type, "node", NODE);
	/* A pointer to what contains it, whose entry comes later. */
	die_leaf(dies, DW_TAG_member);
	die_text(dies, DW_AT_name, "next");
	die_refer(dies, DW_AT_type, 0);
	const size_t forward = dies->info.size - 4;
	die_number(dies, DW_AT_data_member_location, 0);
	add_member(dies, DW_TAG_member, "key", made.number, 8);
	add_member(dies, DW_TAG_member, "any", made.nothing, 16);
	add_member(dies, DW_TAG_member, "last", made.number, 40);
	die_up(dies);
	made.pointer = add_link(dies, DW_TAG_pointer_type, made.node);
	image_put(&dies->info, forward, made.pointer, 4);
	made.pointers = die_open(dies, DW_TAG_array_type);
	die_refer(dies, DW_AT_type, made.pointer);
	die_leaf(dies, DW_TAG_subrange_type);
	die_number(dies, DW_AT_count, 4);
	die_up(dies);
	/* One that has it by inheritance, behind what cannot have it. */
	made.held = add_type(dies, DW_TAG_class_type, "held", 80);
	die_leaf(dies, DW_TAG_subprogram);
	add_member(dies, DW_TAG_member, "untyped", 0, 0);
	add_member(dies, DW_TAG_member, "code", add_link(dies, DW_TAG_subroutine_type, 0), 0);
	add_member(dies, DW_TAG_inheritance, NULL, made.node, 16);
	die_up(dies);
	made.own = die_leaf(dies, DW_TAG_typedef);
	die_refer(dies, DW_AT_type, made.own);
	made.code = add_link(dies, DW_TAG_subroutine_type, 0);
	made.to_code = add_link(dies, DW_TAG_pointer_type, made.code);
	return made;
}

/* A function whose variables follow, up to die_up(). */
static void open_function(struct made *made, uint64_t bytes)
{
	die_open(&made->dies, DW_TAG_subprogram);
	die_range(&made->dies, START, START + bytes);
}

static void add_variable(struct made *made, size_t type, const char *bytes, size_t count)
{
	die_leaf(&made->dies, DW_TAG_variable);
	if (type)
		die_refer(&made->dies, DW_AT_type, type);
	die_location(&made->dies, bytes, count);
}

/* What the last word accesses: "type+offset", or "" if that is not known. */
static void accesses(struct made *made, const uint32_t *words, size_t count, const char *wanted)
{
	struct image image = dies_end(&made->dies);
	struct program program = {words, count};
	const struct type_code code = {read_code, &program};
	struct err err = {.text = ""};
	struct types *types = types_read(image.bytes, image.size, "prog", &err);
	char text[64] = "";

	if (!types)
		fail_msg("%s", err.text);
	for (unsigned again = 0; again < 2; again++) {
		const struct typed typed = types_of_access(types, &code, START + 4 * (count - 1));

		snprintf(text, sizeof(text), typed.type ? "%s+%u" : "%.0s%.0u",
			 typed.type ? typed.type->name : "", (unsigned)typed.offset);
		assert_string_equal(text, wanted);
	}
	types_free(types);
	image_release(&image);
}

/* Of a function with one variable. */
static void access_is(size_t offset_of_type, const char *location, size_t location_bytes,
		      const uint32_t *words, size_t count, const char *wanted)
{
	struct made made = begin();
	size_t type;

	memcpy(&type, (const uint8_t *)&made + offset_of_type, sizeof(type));
	open_function(&made, 0x100);
	add_variable(&made, type, location, location_bytes);
	die_up(&made.dies);
	accesses(&made, words, count, wanted);
}

#define OF(member) offsetof(struct made, member)
#define CODE(...)  (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4
#define IN_A0	   "\x5a", 1	 /* DW_OP_reg10 */
#define ON_STACK   "\x72\x10", 2 /* DW_OP_breg2 16 */

TEST(what_a_pointer_in_a_register_points_to_is_accessed)
{
	access_is(OF(pointer), IN_A0, CODE(LD(A1, 8, A0)), "struct node+8");
	access_is(OF(pointer), IN_A0, CODE(SD(A1, A0)), "struct node+8");
	access_is(OF(pointer), IN_A0, CODE(FSD), "struct node+8");
	/* What an atomic instruction adds is no displacement. */
	access_is(OF(pointer), IN_A0, CODE(AMOADD(A1, A0)), "struct node+0");
	/* An element before and one behind are like any other. */
	access_is(OF(pointer), IN_A0, CODE(LD(A1, -40, A0)), "struct node+8");
	access_is(OF(pointer), IN_A0, CODE(LD(A1, NODE + 16, A0)), "struct node+16");
	/* A register by its number. */
	access_is(OF(pointer), "\x90\x0a", 2, CODE(LD(A1, 8, A0)), "struct node+8");
	access_is(OF(pointer), "\x90\x0b", 2, CODE(LD(A1, 8, A0)), "");
	/* Another register, no register of the processor, x0, and no access. */
	access_is(OF(pointer), IN_A0, CODE(LD(A1, 8, A1)), "");
	access_is(OF(pointer), "\x50", 1, CODE(LD(A1, 8, 0)), "");
	access_is(OF(pointer), IN_A0, CODE(ADDI(A1, A0, 8)), "");
	/* What is in the register points to nothing that has a type or a size. */
	access_is(OF(number), IN_A0, CODE(LD(A1, 8, A0)), "");
	access_is(OF(nothing), IN_A0, CODE(LD(A1, 8, A0)), "");
	access_is(OF(pointer), "\x5a\x9f", 2, CODE(LD(A1, 8, A0)), "");
	access_is(OF(to_code), IN_A0, CODE(LD(A1, 8, A0)), "");
	access_is(OF(own), IN_A0, CODE(LD(A1, 8, A0)), "");
	access_is(OF(pointer), "", 0, CODE(LD(A1, 8, A0)), "");
	/* It is at an address. */
	access_is(OF(pointer), "\x03\0\0\x02\0\0\0\0\0", 9, CODE(LD(A1, 8, A0)), "");
}

TEST(what_lies_in_the_frame_is_accessed)
{
	access_is(OF(node), ON_STACK, CODE(LD(A1, 24, SP)), "struct node+8");
	access_is(OF(node), ON_STACK, CODE(LD(A1, 16 + NODE - 1, SP)), "struct node+47");
	access_is(OF(node), ON_STACK, CODE(LD(A1, 16 + NODE, SP)), "");
	access_is(OF(node), ON_STACK, CODE(LD(A1, 15, SP)), "");
	access_is(OF(node), ON_STACK, CODE(LD(A1, 24, A0)), "");
	access_is(OF(pointers), ON_STACK, CODE(LD(A1, 32, SP)), "struct node *+0");
	access_is(OF(code), ON_STACK, CODE(LD(A1, 16, SP)), "");
	/* An operation above those of registers; the frame, of which nothing is known. */
	access_is(OF(node), "\x92\x02\x10", 3, CODE(LD(A1, 24, SP)), "");
	access_is(OF(node), "\x91\x10", 2, CODE(LD(A1, 24, SP)), "");
}

/* Pointers that are loaded from something typed. */
TEST(what_a_loaded_pointer_points_to_is_accessed)
{
	access_is(OF(pointer), IN_A0, CODE(LD(A1, 0, A0), LD(A2, 8, A1)), "struct node+8");
	access_is(OF(pointer), IN_A0, CODE(LD(A0, 0, A0), LD(A2, 40, A0)), "struct node+40");
	access_is(OF(pointer), ON_STACK, CODE(LD(A1, 16, SP), LD(A2, 8, A1)), "struct node+8");
	access_is(OF(pointers), ON_STACK, CODE(LD(A1, 40, SP), LD(A2, 8, A1)), "struct node+8");
	access_is(OF(held), ON_STACK, CODE(LD(A1, 32, SP), LD(A2, 8, A1)), "struct node+8");
	/* No pointer, one to nothing, padding, and what is before and behind all members. */
	access_is(OF(pointer), IN_A0, CODE(LD(A1, 8, A0), LD(A2, 8, A1)), "");
	access_is(OF(pointer), IN_A0, CODE(LD(A1, 16, A0), LD(A2, 8, A1)), "");
	access_is(OF(pointer), IN_A0, CODE(LD(A1, 24, A0), LD(A2, 8, A1)), "");
	access_is(OF(held), ON_STACK, CODE(LD(A1, 16, SP), LD(A2, 8, A1)), "");
	access_is(OF(held), ON_STACK, CODE(LD(A1, 16 + 72, SP), LD(A2, 8, A1)), "");
	access_is(OF(number), ON_STACK, CODE(LD(A1, 16, SP), LD(A2, 8, A1)), "");
	/* From what nothing is known of. */
	access_is(OF(pointer), IN_A0, CODE(LD(A1, 0, A2), LD(A2, 8, A1)), "");
}

TEST(registers_are_followed_through_sums)
{
	access_is(OF(pointer), IN_A0, CODE(ADDI(A1, A0, 16), LD(A2, -8, A1)), "struct node+8");
	access_is(OF(pointer), IN_A0, CODE(ADD(A1, A0, S0), LD(A2, 8, A1)), "struct node+8");
	access_is(OF(pointer), IN_A0, CODE(ADD(A1, S0, A0), LD(A2, 8, A1)), "struct node+8");
	access_is(OF(pointer), IN_A0, CODE(ADD(A1, 0, A0), LD(A2, 8, A1)), "struct node+8");
	access_is(OF(pointer), IN_A0, CODE(ADD(A1, A0, 0), LD(A2, 8, A1)), "struct node+8");
	access_is(OF(pointer), IN_A0, CODE(ADD(A1, S0, 0), LD(A2, 8, A1)), "");
	access_is(OF(pointer), IN_A0, CODE(ADD(A1, S0, S0), LD(A2, 8, A1)), "");
	for (unsigned n = 1; n <= 3; n++) {
		access_is(OF(pointer), IN_A0, CODE(SHADD(n, A1, S0, A0), LD(A2, 8, A1)),
			  "struct node+8");
		/* What is shifted is no address. */
		access_is(OF(pointer), IN_A0, CODE(SHADD(n, A1, A0, S0), LD(A2, 8, A1)), "");
	}
	access_is(OF(pointer), IN_A0, CODE(MUL(A1, A0, S0), LD(A2, 8, A1)), "");
	/* Through four instructions, and no more. */
	access_is(OF(pointer), IN_A0,
		  CODE(ADDI(A1, A0, 1), ADDI(A1, A1, 1), ADDI(A1, A1, 1), ADDI(A1, A1, 1),
		       LD(A2, 4, A1)),
		  "struct node+8");
	access_is(OF(pointer), IN_A0,
		  CODE(ADDI(A1, A0, 1), ADDI(A1, A1, 1), ADDI(A1, A1, 1), ADDI(A1, A1, 1),
		       ADDI(A1, A1, 1), LD(A2, 3, A1)),
		  "");
}

/* Only in a straight line of code, and over a few instructions. */
TEST(registers_are_followed_in_a_straight_line)
{
	static const uint32_t between[] = {JUMP, RETURN, ECALL, BRANCH};
	uint32_t words[27] = {ADDI(A1, A0, 8)};

	for (size_t i = 0; i < ARRAY_COUNT(between); i++)
		access_is(OF(pointer), IN_A0, CODE(ADDI(A1, A0, 8), between[i], LD(A2, 0, A1)),
			  between[i] == BRANCH ? "struct node+8" : "");
	for (unsigned i = 1; i < ARRAY_COUNT(words); i++)
		words[i] = NOP;
	words[24] = LD(A2, 0, A1);
	access_is(OF(pointer), IN_A0, words, 25, "struct node+8");
	words[24] = NOP;
	words[25] = LD(A2, 0, A1);
	access_is(OF(pointer), IN_A0, words, 26, "");
}

/* Chains of structures within structures end, as do members in a broken tree. */
TEST(pointers_are_looked_for_in_structures_to_a_depth)
{
	for (unsigned depth = 7; depth <= 8; depth++) {
		struct made made = begin();
		size_t type = made.pointer;

		for (unsigned i = 0; i < depth; i++) {
			const size_t inner = type;

			type = add_type(&made.dies, DW_TAG_structure_type, "outer", 8);
			add_member(&made.dies, DW_TAG_member, "inner", inner, 0);
			die_up(&made.dies);
		}
		open_function(&made, 0x100);
		add_variable(&made, type, ON_STACK);
		die_up(&made.dies);
		accesses(&made, CODE(LD(A1, 16, SP), LD(A2, 8, A1)),
			 depth == 7 ? "struct node+8" : "");
	}
	struct made made = begin();
	const size_t type = add_type(&made.dies, DW_TAG_structure_type, "broken", 16);
	die_refer(&made.dies, DW_AT_sibling, 0);
	const size_t first = made.dies.info.size;
	add_member(&made.dies, DW_TAG_member, "key", made.number, 0);
	die_refer(&made.dies, DW_AT_sibling, first);
	add_member(&made.dies, DW_TAG_member, "next", made.pointer, 8);
	die_up(&made.dies);
	image_put(&made.dies.info, first - 4, made.dies.info.size, 4);
	open_function(&made, 0x100);
	add_variable(&made, type, ON_STACK);
	die_up(&made.dies);
	accesses(&made, CODE(LD(A1, 24, SP), LD(A2, 8, A1)), "");
}

/* A structure without members, those without a size, without bytes, and larger than anything, and a
 * name of itself. */
TEST(pointers_are_loaded_only_from_what_has_a_size)
{
	static const uint64_t sizes[] = {8, 0, 0, (UINT64_C(1) << 38) + 1};

	for (unsigned i = 0; i < 5; i++) {
		struct made made = begin();
		size_t type;

		if (i < 4) {
			type = add_type(&made.dies, DW_TAG_structure_type, "odd", sizes[i]);
			if (i == 2)
				die_number(&made.dies, DW_AT_byte_size, 0);
			if (i)
				add_member(&made.dies, DW_TAG_member, "next", made.pointer, 0);
		} else {
			type = die_open(&made.dies, DW_TAG_typedef);
			die_refer(&made.dies, DW_AT_type, type);
		}
		die_up(&made.dies);
		const size_t to = add_link(&made.dies, DW_TAG_pointer_type, type);
		open_function(&made, 0x100);
		add_variable(&made, to, IN_A0);
		die_up(&made.dies);
		accesses(&made, CODE(LD(A1, 0, A0), LD(A2, 8, A1)), "");
	}
}

/* The innermost scope that has the address tells. */
TEST(variables_of_inner_scopes_come_first)
{
	static const unsigned tags[] = {DW_TAG_lexical_block, DW_TAG_inlined_subroutine,
					DW_TAG_label};

	for (unsigned i = 0; i < 6; i++) {
		struct made made = begin();

		open_function(&made, 0x100);
		/* One without a type, and two at one place, of which the first tells. */
		add_variable(&made, 0, ON_STACK);
		die_leaf(&made.dies, DW_TAG_formal_parameter);
		die_refer(&made.dies, DW_AT_type, made.number);
		die_location(&made.dies, ON_STACK);
		add_variable(&made, made.pointer, ON_STACK);
		die_open(&made.dies, tags[i / 2]);
		die_range(&made.dies, START + (i % 2 ? 4 : 0), START + 8);
		add_variable(&made, made.node, ON_STACK);
		die_up(&made.dies);
		die_up(&made.dies);
		accesses(&made, CODE(LD(A1, 16, SP)),
			 i == 0 || i == 2 ? "struct node+0" : "long+0");
	}
}

/* Blocks within blocks are searched to a depth; what comes after one may be before it. */
TEST(scopes_are_searched_to_a_depth)
{
	for (unsigned depth = 255; depth <= 256; depth++) {
		struct made made = begin();

		open_function(&made, 0x100);
		for (unsigned i = 0; i < depth; i++) {
			die_open(&made.dies, DW_TAG_lexical_block);
			die_range(&made.dies, START, START + 8);
		}
		add_variable(&made, made.pointer, IN_A0);
		for (unsigned i = 0; i < depth; i++)
			die_up(&made.dies);
		die_up(&made.dies);
		accesses(&made, CODE(LD(A1, 8, A0)), depth == 255 ? "struct node+8" : "");
	}
	struct made made = begin();
	open_function(&made, 0x100);
	const size_t first = made.dies.info.size;
	add_variable(&made, made.number, ON_STACK);
	add_variable(&made, made.number, ON_STACK);
	die_refer(&made.dies, DW_AT_sibling, first);
	add_variable(&made, made.pointer, IN_A0);
	die_up(&made.dies);
	accesses(&made, CODE(LD(A1, 8, A0)), "");
}

/* What comes after a block is its own child: each level would double the work. */
TEST(scopes_that_are_there_twice_are_searched_once)
{
	struct made made = begin();

	open_function(&made, 0x100);
	for (unsigned i = 0; i < 60; i++) {
		die_open(&made.dies, DW_TAG_lexical_block);
		die_refer(&made.dies, DW_AT_sibling, 0);
		const size_t after = made.dies.info.size;
		die_range(&made.dies, START, START + 8);
		image_put(&made.dies.info, after - 4, made.dies.info.size, 4);
	}
	add_variable(&made, made.pointer, IN_A0);
	for (unsigned i = 0; i <= 60; i++)
		die_up(&made.dies);
	alarm(20);
	accesses(&made, CODE(LD(A1, 8, A0)), "struct node+8");
	alarm(0);
}

/* Records of unwinding that say where the frame's address is: a register and what is added. */
static void add_frame(struct dies *dies, const void *rule, size_t bytes, uint64_t start)
{
	struct image *out = &dies->frames;

	image_number(out, 20, 4);
	image_number(out, dies->has_eh_frame ? 0 : UINT32_MAX, 4);
	image_add(out, "\x01\0\x01\x78\x01", 5);
	image_add(out, rule, bytes);
	image_add(out, NULL, 11 - bytes);
	image_number(out, 20, 4);
	image_number(out, dies->has_eh_frame ? out->size : 0, 4);
	image_number(out, start, 8);
	image_number(out, 0x100, 8);
}

TEST(the_frame_is_where_its_record_says)
{
	static const struct {
		const char *rule;
		size_t bytes;
		uint64_t start;
		const char *wanted;
	} rows[] = {
		/* sp + 32, of which the variable is 16 below: at 16. */
		{"\x0c\x02\x20", 3, START, "struct node+8"},
		{"\x0c\x02\x28", 3, START, "struct node+0"},
		/* Another register; one of a large number; an expression; another function. */
		{"\x0c\x08\x20", 3, START, ""},
		{"\x0c\x41\x20", 3, START, ""},
		{"\x0f\x03\x72\x20\x06", 5, START, ""},
		{"\x0f\x01\x30", 3, START, ""},
		/* As an expression of a register; relative to itself; of no operation. */
		{"\x0f\x02\x72\x20", 4, START, "struct node+8"},
		{"\x0f\x02\x91\x20", 4, START, ""},
		{"\x0f\x01\xff", 3, START, ""},
		{"\x0c\x02\x20", 3, START + 0x100, ""},
	};

	for (size_t i = 0; i < 2 * ARRAY_COUNT(rows); i++) {
		struct made made = begin();

		/* In either section that has such records. */
		made.dies.has_eh_frame = i % 2;
		open_function(&made, 0x100);
		add_variable(&made, made.node, "\x91\x70", 2);
		die_up(&made.dies);
		add_frame(&made.dies, rows[i / 2].rule, rows[i / 2].bytes, rows[i / 2].start);
		accesses(&made, CODE(LD(A1, 24, SP)), rows[i / 2].wanted);
	}
}

/* Between functions, between instructions, and where code cannot be read. */
TEST(accesses_are_at_an_instruction_of_a_function)
{
	static const uint32_t words[0x40] = {[0] = LD(A1, 8, A0),
					     [1] = LD(A2, 0, A0),
					     [0x20] = LD(A1, 8, A0),
					     [0x30] = LD(A1, 8, A0)};
	struct program program = {words, ARRAY_COUNT(words)};
	const struct type_code code = {read_code, &program};
	static const struct {
		uint64_t pc;
		bool is_known;
	} rows[] = {
		{START, true},
		{START + 4, true},
		{START + 2, false},
		{START + 8, false},
		{START - 4, false},
		{START + 0x80, true},
		{START + 0x82, false},
		{START + 0xfc, false},
		{START + 0xc0, false},
		{START + 0x100, false},
		{0, false},
		{START, true},
	};
	/* In no order; one twice, one that is empty, one of which no code can be read, and one
	 * without variables. */
	static const struct {
		uint64_t start, end;
	} ranges[] = {
		{START + 0x80, START + 0x100},	{START, START + 0x80},
		{START, START + 0x80},		{START + 0x40, START + 0x40},
		{START + 0x100, START + 0x140},
	};
	struct made made = begin();
	struct err err;

	/* More than the first piece of a table holds. */
	for (unsigned i = 0; i < 10; i++) {
		die_leaf(&made.dies, DW_TAG_subprogram);
		die_range(&made.dies, 0x40000 + i, 0x40001 + i);
	}
	for (size_t i = 0; i < ARRAY_COUNT(ranges); i++) {
		die_open(&made.dies, DW_TAG_subprogram);
		die_range(&made.dies, ranges[i].start, ranges[i].end);
		add_variable(&made, made.pointer, IN_A0);
		die_up(&made.dies);
	}
	die_leaf(&made.dies, DW_TAG_subprogram);
	die_range(&made.dies, START + 0xc0, START + 0x100);
	struct image image = dies_end(&made.dies);
	struct types *types = types_read(image.bytes, image.size, "prog", &err);
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		assert_int_equal(types_of_access(types, &code, rows[i].pc).type != NULL,
				 rows[i].is_known);
	types_free(types);
	image_release(&image);
}

static bool read_one_word(void *context, uint64_t address, uint32_t *raw)
{
	(void)address;
	*raw = *(const uint32_t *)context;
	return true;
}

/* Of a function that is longer than any, the first 65536 instructions. */
TEST(long_functions_are_read_in_part)
{
	uint32_t word = LD(A1, 8, A0);
	const struct type_code code = {read_one_word, &word};
	struct made made = begin();
	struct err err;

	open_function(&made, UINT64_C(1) << 40);
	add_variable(&made, made.pointer, IN_A0);
	die_up(&made.dies);
	struct image image = dies_end(&made.dies);
	struct types *types = types_read(image.bytes, image.size, "prog", &err);
	assert_non_null(types_of_access(types, &code, START + 4 * 65535).type);
	assert_null(types_of_access(types, &code, START + 4 * 65536).type);
	types_free(types);
	image_release(&image);
}
