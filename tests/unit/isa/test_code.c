/* Decoded instructions: their list, and filling from it. */
#include "../test.h"
#include "isa/code.h"

#define CODE  UINT64_C(0x10000)
#define LIMIT (UINT64_C(1) << 24)

static struct code *make(struct memory *memory)
{
	/* addi, c.nop, addi across the end of the first page. */
	static const uint8_t first[] = {0x13, 0x05, 0x15, 0x00, 0x01, 0x00};
	static const uint8_t last[] = {0x93, 0x85, 0x25, 0x00};
	struct err err;

	assert_true(memory_init(memory, LIMIT, &err));
	struct code *code = code_create(memory);
	assert_non_null(code);
	assert_true(memory_map(memory, CODE, 2 * GUEST_PAGE_BYTES, PAGE_READ | PAGE_WRITE));
	assert_true(memory_write(memory, CODE, first, sizeof(first)));
	assert_true(memory_write(memory, CODE + GUEST_PAGE_BYTES - 2, last, sizeof(last)));
	assert_true(memory_protect(memory, CODE, 2 * GUEST_PAGE_BYTES, PAGE_READ | PAGE_EXEC));
	return code;
}

static void end(struct code *code, struct memory *memory)
{
	code_destroy(code);
	memory_release(memory);
}

TEST(what_was_decoded_is_listed_and_can_be_decoded_elsewhere)
{
	static const uint64_t places[] = {CODE, CODE + 4, CODE + GUEST_PAGE_BYTES - 2};
	struct memory memory, other_memory;
	struct code *code = make(&memory), *other = make(&other_memory);
	uint64_t fault, pcs[8];

	assert_int_equal(code_list(code, pcs, 8), 0);
	for (int i = 2; i >= 0; i--)
		assert_non_null(code_at(code, places[i], &fault));
	assert_int_equal(code_list(code, pcs, 8), 3);
	assert_memory_equal(pcs, places, sizeof(places));
	assert_int_equal(code_list(code, pcs, 2), 2);

	/* What cannot be executed there stays empty. */
	pcs[0] = CODE + GUEST_PAGE_BYTES * 5;
	code_fill(other, pcs, 2);
	assert_int_equal(code_list(other, pcs, 8), 1);
	assert_true(pcs[0] == CODE + 4);
	code_fill(other, places, 3);
	assert_int_equal(code_list(other, pcs, 8), 3);
	for (unsigned i = 0; i < 3; i++)
		assert_memory_equal(code_at(code, places[i], &fault),
				    code_at(other, places[i], &fault), sizeof(struct insn));
	end(code, &memory);
	end(other, &other_memory);
}

TEST(accesses_have_the_bytes_of_their_instruction)
{
	static const struct {
		unsigned op, bytes;
	} rows[] = {
		{OP_LB, 1},	  {OP_LHU, 2},	    {OP_SW, 4},	       {OP_LD, 8},
		{OP_FLW, 4},	  {OP_FSD, 8},	    {OP_FLH, 2},       {OP_AMOADD_W, 4},
		{OP_AMOADD_D, 8}, {OP_AMOCAS_D, 8}, {OP_AMOCAS_Q, 16}, {OP_CBO_ZERO, 64},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(insn_access_bytes(rows[i].op), rows[i].bytes);
}
