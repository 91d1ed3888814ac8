#include "isa/translate_block.h"

/* Loads, stores and atomics. Each access tests one byte of the guest's page table, which lies at a
 * fixed distance before guest address 0. */

#define PAGES_DISPLACEMENT (-(int32_t)MEMORY_TABLE_BYTES)

/* What follows a jump that is taken for addresses that are not aligned or not in the guest's space:
 * the first may lie within a page. */
static void examine(struct translation *t, uint8_t *distance, unsigned at, unsigned bytes)
{
	const uint8_t *const corner = translate_corner_exit(t);
	struct x86 *const cold = &t->cold;
	const struct x86_operand rdx = x86_reg(X86_RDX);

	x86_set_target(distance, cold->at);
	x86_move(cold, X86_64, X86_RDX, x86_reg(at));
	x86_shift(cold, X86_64, X86_SHR_I, rdx, GUEST_SPACE_BITS);
	x86_set_target(x86_jump_if(cold, X86_NOT_EQUAL), corner);
	x86_move(cold, X86_32, X86_RDX, x86_reg(at));
	x86_immediate(cold, X86_32, X86_AND_I, rdx, (int32_t)GUEST_PAGE_BYTES - 1);
	x86_immediate(cold, X86_32, X86_CMP_I, rdx, (int32_t)(GUEST_PAGE_BYTES - bytes));
	x86_set_target(x86_jump_if(cold, X86_ABOVE), corner);
	x86_set_target(x86_jump(cold), t->x.at);
}

/* Leaves a checked guest address in the host register that is returned. What straddles pages, an
 * address outside the guest's space, which has no page, and what the page's flags do not allow go
 * to the interpreter; so does what is not aligned if it must be. */
static unsigned address(struct translation *t, unsigned reg, int32_t displacement, unsigned bytes,
			unsigned flag, bool is_atomic)
{
	unsigned at = X86_RAX;

	if (reg == 0) {
		x86_constant(&t->x, at, (uint64_t)(int64_t)displacement);
	} else if (is_pinned(reg) && displacement == 0) {
		at = translate_pins[reg];
	} else if (is_pinned(reg)) {
		x86_op(&t->x, X86_64, 0x8d, at, x86_at(translate_pins[reg], displacement));
	} else {
		x86_move(&t->x, X86_64, at, guest_operand(reg));
		if (displacement)
			x86_immediate(&t->x, X86_64, X86_ADD_I, x86_reg(at), displacement);
	}
	x86_move(&t->x, X86_64, X86_RCX, x86_reg(at));
	x86_shift(&t->x, X86_64, X86_SHR_I, x86_reg(X86_RCX), GUEST_PAGE_BITS);
	x86_op(&t->x, X86_64, 0x85, at, x86_near((const uint8_t *)&t->constants->wrong[bytes]));
	if (is_atomic || bytes == 1)
		translate_corner_if(t, X86_NOT_EQUAL);
	else
		examine(t, x86_jump_if(&t->x, X86_NOT_EQUAL), at, bytes);
	x86_op(&t->x, X86_32, 0xf6, 0, x86_indexed(HOST_BASE, X86_RCX, PAGES_DISPLACEMENT));
	x86_byte(&t->x, flag);
	translate_corner_if(t, X86_EQUAL);
	return at;
}

static bool load(struct translation *t, const struct insn *insn, enum x86_width width,
		 uint32_t opcode, unsigned bytes)
{
	const unsigned at = address(t, insn->rs1, insn->imm, bytes, PAGE_READ, false);
	const unsigned to = result_register(insn->rd);

	x86_op(&t->x, width, opcode, to, x86_indexed(HOST_BASE, at, 0));
	translate_write(t, insn->rd, to);
	return true;
}

/* Writes the register's lower bytes at a checked address. */
static void put(struct translation *t, unsigned from, unsigned at, unsigned bytes)
{
	const struct x86_operand place = x86_indexed(HOST_BASE, at, 0);

	switch (bytes) {
	case 1: x86_op(&t->x, X86_8, 0x88, from, place); break;
	case 2: x86_op(&t->x, X86_32, 0x660089, from, place); break;
	case 4: x86_store(&t->x, X86_32, place, from); break;
	default: x86_store(&t->x, X86_64, place, from); break;
	}
}

static bool store(struct translation *t, const struct insn *insn, unsigned bytes)
{
	const unsigned at = address(t, insn->rs1, insn->imm, bytes, PAGE_STORE, false);

	put(t, translate_read(t, insn->rs2, X86_RCX), at, bytes);
	return true;
}

static bool load_float(struct translation *t, const struct insn *insn)
{
	const unsigned at = address(t, insn->rs1, insn->imm, 8, PAGE_READ, false);

	if (is_pinned(insn->rd)) {
		x86_vex(&t->x, X86_F2, X86_0F, false, 0x10, translate_pins[insn->rd], 0,
			x86_indexed(HOST_BASE, at, 0));
	} else {
		x86_move(&t->x, X86_64, X86_RAX, x86_indexed(HOST_BASE, at, 0));
		x86_store(&t->x, X86_64, guest_operand(insn->rd), X86_RAX);
	}
	t->boxed &= ~(1u << (insn->rd - REG_FP));
	return true;
}

static bool load_single(struct translation *t, const struct insn *insn)
{
	const unsigned at = address(t, insn->rs1, insn->imm, 4, PAGE_READ, false);

	if (is_pinned(insn->rd)) {
		const unsigned to = translate_pins[insn->rd];

		x86_vex(&t->x, X86_F3, X86_0F, false, 0x10, to, 0, x86_indexed(HOST_BASE, at, 0));
		x86_vex(&t->x, X86_NONE, X86_0F, false, 0x56, to, to,
			x86_near((const uint8_t *)t->constants->box));
	} else {
		x86_move(&t->x, X86_32, X86_RAX, x86_indexed(HOST_BASE, at, 0));
		x86_store(&t->x, X86_32, x86_at(HOST_HART, hart_offset(insn->rd)), X86_RAX);
		x86_op(&t->x, X86_32, 0xc7, 0, x86_at(HOST_HART, hart_offset(insn->rd) + 4));
		x86_word(&t->x, UINT32_MAX);
	}
	t->boxed |= 1u << (insn->rd - REG_FP);
	return true;
}

static bool store_float(struct translation *t, const struct insn *insn, unsigned bytes)
{
	const unsigned at = address(t, insn->rs1, insn->imm, bytes, PAGE_STORE, false);

	if (is_pinned(insn->rs2)) {
		x86_vex(&t->x, bytes == 8 ? X86_F2 : X86_F3, X86_0F, false, 0x11,
			translate_pins[insn->rs2], 0, x86_indexed(HOST_BASE, at, 0));
	} else {
		x86_move(&t->x, X86_64, X86_RCX, guest_operand(insn->rs2));
		put(t, X86_RCX, at, bytes);
	}
	return true;
}

bool translate_memory(struct translation *t, const struct insn *insn)
{
	switch (insn->op) {
	case OP_LB: return load(t, insn, X86_64, 0x0fbe, 1);
	case OP_LH: return load(t, insn, X86_64, 0x0fbf, 2);
	case OP_LW: return load(t, insn, X86_64, 0x63, 4);
	case OP_LD: return load(t, insn, X86_64, 0x8b, 8);
	case OP_LBU: return load(t, insn, X86_32, 0x0fb6, 1);
	case OP_LHU: return load(t, insn, X86_32, 0x0fb7, 2);
	case OP_LWU: return load(t, insn, X86_32, 0x8b, 4);
	case OP_SB: return store(t, insn, 1);
	case OP_SH: return store(t, insn, 2);
	case OP_SW: return store(t, insn, 4);
	case OP_SD: return store(t, insn, 8);
	case OP_FLD: return load_float(t, insn);
	case OP_FLW: return load_single(t, insn);
	case OP_FSD: return store_float(t, insn, 8);
	case OP_FSW: return store_float(t, insn, 4);
	default: return false;
	}
}

/* What an atomic operation does with the value that it loaded: the opcode of `reg op= reg`; 0: the
 * operand replaces it. */
#define AMO_SWAP 0
#define AMO_ADD	 0x03
#define AMO_AND	 0x23
#define AMO_OR	 0x0b
#define AMO_XOR	 0x33

static bool amo(struct translation *t, const struct insn *insn, unsigned bytes, unsigned opcode)
{
	const enum x86_width width = bytes == 8 ? X86_64 : X86_32;
	const unsigned at = address(t, insn->rs1, 0, bytes, PAGE_STORE, true);
	const struct x86_operand place = x86_indexed(HOST_BASE, at, 0);
	unsigned from;

	x86_op(&t->x, X86_64, bytes == 8 ? 0x8b : 0x63, X86_RDX, place);
	if (opcode == AMO_SWAP) {
		from = translate_read(t, insn->rs2, X86_RCX);
	} else {
		from = X86_RCX;
		x86_op(&t->x, width, 0x8b, from, x86_reg(X86_RDX));
		if (insn->rs2)
			x86_op(&t->x, width, opcode, from, guest_operand(insn->rs2));
		else if (opcode == AMO_AND)
			x86_constant(&t->x, from, 0);
	}
	x86_store(&t->x, width, place, from);
	translate_write(t, insn->rd, X86_RDX);
	return true;
}

static struct x86_operand hart_field(size_t offset)
{
	return x86_at(HOST_HART, (int32_t)offset - HART_BIAS);
}

static bool load_reserved(struct translation *t, const struct insn *insn, unsigned bytes)
{
	const unsigned at = address(t, insn->rs1, 0, bytes, PAGE_READ, true);
	const struct x86_operand value = hart_field(offsetof(struct hart, reserved_value));

	/* The reserved value of four bytes has no sign. */
	x86_op(&t->x, bytes == 8 ? X86_64 : X86_32, 0x8b, X86_RDX, x86_indexed(HOST_BASE, at, 0));
	x86_store(&t->x, X86_64, hart_field(offsetof(struct hart, reservation)), at);
	x86_store(&t->x, X86_64, value, X86_RDX);
	if (bytes == 4)
		x86_op(&t->x, X86_64, 0x63, X86_RDX, x86_reg(X86_RDX));
	translate_write(t, insn->rd, X86_RDX);
	return true;
}

/* The store of a reservation that holds; one that does not is left to the interpreter. */
static bool store_conditional(struct translation *t, const struct insn *insn, unsigned bytes)
{
	const enum x86_width width = bytes == 8 ? X86_64 : X86_32;
	const unsigned at = address(t, insn->rs1, 0, bytes, PAGE_STORE, true);

	x86_op(&t->x, width, 0x8b, X86_RDX, x86_indexed(HOST_BASE, at, 0));
	x86_op(&t->x, X86_64, 0x3b, at, hart_field(offsetof(struct hart, reservation)));
	translate_corner_if(t, X86_NOT_EQUAL);
	x86_op(&t->x, X86_64, 0x3b, X86_RDX, hart_field(offsetof(struct hart, reserved_value)));
	translate_corner_if(t, X86_NOT_EQUAL);
	put(t, translate_read(t, insn->rs2, X86_RCX), at, bytes);
	x86_op(&t->x, X86_64, 0xc7, 0, hart_field(offsetof(struct hart, reservation)));
	x86_word(&t->x, UINT32_MAX);
	translate_write_constant(t, insn->rd, 0);
	return true;
}

_Static_assert(NO_RESERVATION == UINT64_MAX, "an immediate of -1");

bool translate_atomic(struct translation *t, const struct insn *insn)
{
	switch (insn->op) {
	case OP_LR_W: return load_reserved(t, insn, 4);
	case OP_LR_D: return load_reserved(t, insn, 8);
	case OP_SC_W: return store_conditional(t, insn, 4);
	case OP_SC_D: return store_conditional(t, insn, 8);
	case OP_AMOSWAP_W: return amo(t, insn, 4, AMO_SWAP);
	case OP_AMOADD_W: return amo(t, insn, 4, AMO_ADD);
	case OP_AMOXOR_W: return amo(t, insn, 4, AMO_XOR);
	case OP_AMOAND_W: return amo(t, insn, 4, AMO_AND);
	case OP_AMOOR_W: return amo(t, insn, 4, AMO_OR);
	case OP_AMOSWAP_D: return amo(t, insn, 8, AMO_SWAP);
	case OP_AMOADD_D: return amo(t, insn, 8, AMO_ADD);
	case OP_AMOXOR_D: return amo(t, insn, 8, AMO_XOR);
	case OP_AMOAND_D: return amo(t, insn, 8, AMO_AND);
	case OP_AMOOR_D: return amo(t, insn, 8, AMO_OR);
	default: return false;
	}
}
