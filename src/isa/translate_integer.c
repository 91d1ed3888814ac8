#include "isa/translate_block.h"

/* Integer instructions between registers. */

unsigned translate_read(struct translation *t, unsigned reg, unsigned temporary)
{
	if (is_pinned(reg))
		return translate_pins[reg];
	if (reg == 0)
		x86_constant(&t->x, temporary, 0);
	else
		x86_move(&t->x, X86_64, temporary, guest_operand(reg));
	return temporary;
}

void translate_write(struct translation *t, unsigned reg, unsigned from)
{
	if (is_pinned(reg))
		x86_move(&t->x, X86_64, translate_pins[reg], x86_reg(from));
	else if (reg != REG_SINK)
		x86_store(&t->x, X86_64, guest_operand(reg), from);
}

void translate_write_constant(struct translation *t, unsigned reg, uint64_t value)
{
	if (reg == REG_SINK)
		return;
	if (is_pinned(reg)) {
		x86_constant(&t->x, translate_pins[reg], value);
	} else if ((int64_t)value == (int32_t)value) {
		x86_op(&t->x, X86_64, 0xc7, 0, guest_operand(reg));
		x86_word(&t->x, (uint32_t)value);
	} else {
		x86_constant(&t->x, X86_RAX, value);
		translate_write(t, reg, X86_RAX);
	}
}

/* Loads the value of a guest register into this host register. */
static void load(struct translation *t, enum x86_width width, unsigned to, unsigned reg)
{
	if (reg == 0)
		x86_constant(&t->x, to, 0);
	else if (!is_pinned(reg) || translate_pins[reg] != to)
		x86_move(&t->x, width, to, guest_operand(reg));
}

/* What is done with two registers, or one and an immediate. */
struct binary {
	uint8_t opcode; /* reg op= operand */
	uint8_t immediate;
	bool is_commutative;
	bool keeps_with_zero; /* x op 0 = x */
};

static const struct binary op_add = {0x03, X86_ADD_I, true, true};
static const struct binary op_sub = {0x2b, X86_SUB_I, false, true};
static const struct binary op_and = {0x23, X86_AND_I, true, false};
static const struct binary op_or = {0x0b, X86_OR_I, true, true};
static const struct binary op_xor = {0x33, X86_XOR_I, true, true};

static void copy(struct translation *t, unsigned rd, unsigned rs)
{
	const unsigned to = result_register(rd);

	if (rd == rs)
		return;
	if (rs == 0) {
		translate_write_constant(t, rd, 0);
	} else if (is_pinned(rs)) {
		translate_write(t, rd, translate_pins[rs]);
	} else {
		load(t, X86_64, to, rs);
		translate_write(t, rd, to);
	}
}

static bool binary(struct translation *t, const struct insn *insn, const struct binary *op)
{
	unsigned a = insn->rs1, b = insn->rs2, to = result_register(insn->rd);

	if (insn->rd == REG_SINK)
		return true;
	if (a == 0 && op->is_commutative) {
		a = b;
		b = 0;
	}
	if (b == 0) {
		if (op->keeps_with_zero)
			copy(t, insn->rd, a);
		else
			translate_write_constant(t, insn->rd, 0);
		return true;
	}
	if (insn->rd == b && op->is_commutative) {
		b = a;
		a = insn->rd;
	}
	if (insn->rd == a && !is_pinned(a) && is_pinned(b)) {
		/* In memory. */
		x86_op(&t->x, X86_64, op->opcode - 2, translate_pins[b], guest_operand(a));
		return true;
	}
	if (op == &op_add && is_pinned(a) && is_pinned(b) && insn->rd != a) {
		x86_op(&t->x, X86_64, 0x8d, to,
		       x86_indexed(translate_pins[a], translate_pins[b], 0));
	} else {
		if (insn->rd == b)
			to = X86_RAX;
		load(t, X86_64, to, a);
		x86_op(&t->x, X86_64, op->opcode, to, guest_operand(b));
	}
	translate_write(t, insn->rd, to);
	return true;
}

static bool binary_immediate(struct translation *t, const struct insn *insn,
			     const struct binary *op)
{
	const unsigned a = insn->rs1, to = result_register(insn->rd);

	if (insn->rd == REG_SINK)
		return true;
	if (a == 0) {
		translate_write_constant(t, insn->rd,
					 op == &op_and ? 0 : (uint64_t)(int64_t)insn->imm);
	} else if (insn->imm == 0) {
		if (op->keeps_with_zero)
			copy(t, insn->rd, a);
		else
			translate_write_constant(t, insn->rd, 0);
	} else if (insn->rd == a) {
		x86_immediate(&t->x, X86_64, op->immediate, guest_operand(a), insn->imm);
	} else if (op == &op_add && is_pinned(a)) {
		x86_op(&t->x, X86_64, 0x8d, to, x86_at(translate_pins[a], insn->imm));
		translate_write(t, insn->rd, to);
	} else {
		load(t, X86_64, to, a);
		x86_immediate(&t->x, X86_64, op->immediate, x86_reg(to), insn->imm);
		translate_write(t, insn->rd, to);
	}
	return true;
}

/* Extends the lower half of RAX's or another register's value by its sign. */
static void write_sign_extended(struct translation *t, unsigned rd, unsigned from)
{
	const unsigned to = result_register(rd);

	x86_op(&t->x, X86_64, 0x63, to, x86_reg(from));
	translate_write(t, rd, to);
}

static bool binary_word(struct translation *t, const struct insn *insn, const struct binary *op)
{
	if (insn->rd == REG_SINK)
		return true;
	load(t, X86_32, X86_RAX, insn->rs1);
	if (insn->rs2)
		x86_op(&t->x, X86_32, op->opcode, X86_RAX, guest_operand(insn->rs2));
	write_sign_extended(t, insn->rd, X86_RAX);
	return true;
}

static bool add_word_immediate(struct translation *t, const struct insn *insn)
{
	const unsigned to = result_register(insn->rd);

	if (insn->rd == REG_SINK)
		return true;
	if (insn->rs1 == 0) {
		translate_write_constant(t, insn->rd, (uint64_t)(int64_t)insn->imm);
	} else if (insn->imm == 0) {
		x86_op(&t->x, X86_64, 0x63, to, guest_operand(insn->rs1));
		translate_write(t, insn->rd, to);
	} else if (is_pinned(insn->rs1)) {
		x86_op(&t->x, X86_32, 0x8d, X86_RAX, x86_at(translate_pins[insn->rs1], insn->imm));
		write_sign_extended(t, insn->rd, X86_RAX);
	} else {
		load(t, X86_32, X86_RAX, insn->rs1);
		x86_immediate(&t->x, X86_32, X86_ADD_I, x86_reg(X86_RAX), insn->imm);
		write_sign_extended(t, insn->rd, X86_RAX);
	}
	return true;
}

static bool shift_immediate(struct translation *t, const struct insn *insn, enum x86_shift_op op)
{
	const unsigned to = result_register(insn->rd);

	if (insn->rd == REG_SINK)
		return true;
	load(t, X86_64, to, insn->rs1);
	if (insn->imm)
		x86_shift(&t->x, X86_64, op, x86_reg(to), (unsigned)insn->imm);
	translate_write(t, insn->rd, to);
	return true;
}

static bool shift_word_immediate(struct translation *t, const struct insn *insn,
				 enum x86_shift_op op)
{
	if (insn->rd == REG_SINK)
		return true;
	load(t, X86_32, X86_RAX, insn->rs1);
	if (insn->imm)
		x86_shift(&t->x, X86_32, op, x86_reg(X86_RAX), (unsigned)insn->imm);
	write_sign_extended(t, insn->rd, X86_RAX);
	return true;
}

/* shlx, shrx, sarx: by the prefix. They take the count modulo the width, as the guest does. */
static bool shift(struct translation *t, const struct insn *insn, enum x86_prefix prefix)
{
	const unsigned to = result_register(insn->rd);

	if (insn->rd == REG_SINK)
		return true;
	const unsigned count = translate_read(t, insn->rs2, X86_RCX);
	const unsigned value = translate_read(t, insn->rs1, X86_RAX);
	x86_vex(&t->x, prefix, X86_0F38, true, 0xf7, to, count, x86_reg(value));
	translate_write(t, insn->rd, to);
	return true;
}

static bool shift_word(struct translation *t, const struct insn *insn, enum x86_prefix prefix)
{
	if (insn->rd == REG_SINK)
		return true;
	const unsigned count = translate_read(t, insn->rs2, X86_RCX);
	const unsigned value = translate_read(t, insn->rs1, X86_RAX);
	x86_vex(&t->x, prefix, X86_0F38, false, 0xf7, X86_RAX, count, x86_reg(value));
	write_sign_extended(t, insn->rd, X86_RAX);
	return true;
}

/* rol or ror by a register's value, which must be in RCX. */
static bool rotate(struct translation *t, const struct insn *insn, enum x86_shift_op op,
		   enum x86_width width)
{
	if (insn->rd == REG_SINK)
		return true;
	load(t, X86_32, X86_RCX, insn->rs2);
	load(t, width, X86_RAX, insn->rs1);
	x86_op(&t->x, width, 0xd3, op, x86_reg(X86_RAX));
	if (width == X86_32)
		write_sign_extended(t, insn->rd, X86_RAX);
	else
		translate_write(t, insn->rd, X86_RAX);
	return true;
}

static void write_condition(struct translation *t, unsigned rd, enum x86_condition condition)
{
	const unsigned to = result_register(rd);

	x86_op(&t->x, X86_8, 0x0f90 | condition, 0, x86_reg(X86_RAX));
	x86_op(&t->x, X86_8, 0x0fb6, to, x86_reg(X86_RAX));
	translate_write(t, rd, to);
}

static bool set_less(struct translation *t, const struct insn *insn, enum x86_condition condition)
{
	if (insn->rd == REG_SINK)
		return true;
	const unsigned a = translate_read(t, insn->rs1, X86_RAX);
	if (insn->rs2)
		x86_op(&t->x, X86_64, 0x3b, a, guest_operand(insn->rs2));
	else
		x86_immediate(&t->x, X86_64, X86_CMP_I, x86_reg(a), 0);
	write_condition(t, insn->rd, condition);
	return true;
}

static bool set_less_immediate(struct translation *t, const struct insn *insn,
			       enum x86_condition condition)
{
	if (insn->rd == REG_SINK)
		return true;
	const unsigned a = translate_read(t, insn->rs1, X86_RAX);
	x86_immediate(&t->x, X86_64, X86_CMP_I, x86_reg(a), insn->imm);
	write_condition(t, insn->rd, condition);
	return true;
}

static bool multiply(struct translation *t, const struct insn *insn, enum x86_width width)
{
	const bool is_word = width == X86_32;
	unsigned to = is_word ? X86_RAX : result_register(insn->rd);

	if (insn->rd == REG_SINK)
		return true;
	if (insn->rs1 == 0 || insn->rs2 == 0) {
		translate_write_constant(t, insn->rd, 0);
		return true;
	}
	if (insn->rd == insn->rs2 && insn->rd != insn->rs1)
		to = X86_RAX;
	load(t, width, to, insn->rs1);
	x86_op(&t->x, width, 0x0faf, to, guest_operand(insn->rs2));
	if (is_word)
		write_sign_extended(t, insn->rd, to);
	else
		translate_write(t, insn->rd, to);
	return true;
}

/* The upper half of the product: the number is imul's or mul's in the register field. */
static bool multiply_high(struct translation *t, const struct insn *insn, unsigned number)
{
	if (insn->rd == REG_SINK)
		return true;
	load(t, X86_64, X86_RAX, insn->rs1);
	const unsigned b = translate_read(t, insn->rs2, X86_RCX);
	x86_op(&t->x, X86_64, 0xf7, number, x86_reg(b));
	if (insn->op == OP_MULHSU) {
		/* As an unsigned number a negative one is 2^64 more. */
		load(t, X86_64, X86_RAX, insn->rs1);
		x86_shift(&t->x, X86_64, X86_SAR_I, x86_reg(X86_RAX), 63);
		x86_op(&t->x, X86_64, 0x23, X86_RAX, x86_reg(b));
		x86_op(&t->x, X86_64, 0x2b, X86_RDX, x86_reg(X86_RAX));
	}
	translate_write(t, insn->rd, X86_RDX);
	return true;
}

/* Quotient (in RAX) or remainder (in RDX). What traps on the host is left to the interpreter:
 * division by 0 and, of signed numbers, by -1. */
static bool divide(struct translation *t, const struct insn *insn, enum x86_width width,
		   bool is_signed, unsigned result)
{
	if (insn->rd == REG_SINK)
		return true;
	load(t, width, X86_RCX, insn->rs2);
	if (is_signed) {
		x86_op(&t->x, width, 0x8d, X86_RDX, x86_at(X86_RCX, 1));
		x86_immediate(&t->x, width, X86_CMP_I, x86_reg(X86_RDX), 1);
		translate_corner_if(t, X86_NOT_ABOVE);
	} else {
		x86_op(&t->x, width, 0x85, X86_RCX, x86_reg(X86_RCX));
		translate_corner_if(t, X86_EQUAL);
	}
	load(t, width, X86_RAX, insn->rs1);
	if (is_signed) {
		if (width == X86_64)
			x86_byte(&t->x, 0x48);
		x86_byte(&t->x, 0x99); /* cdq, cqo */
	} else {
		x86_constant(&t->x, X86_RDX, 0);
	}
	x86_op(&t->x, width, 0xf7, is_signed ? 7 : 6, x86_reg(X86_RCX));
	if (width == X86_32)
		write_sign_extended(t, insn->rd, result);
	else
		translate_write(t, insn->rd, result);
	return true;
}

/* rd = (rs1 << by) + rs2, of all of rs1 or its lower half. */
static bool shift_add(struct translation *t, const struct insn *insn, unsigned by, bool is_word)
{
	if (insn->rd == REG_SINK)
		return true;
	load(t, is_word ? X86_32 : X86_64, X86_RAX, insn->rs1);
	if (by)
		x86_shift(&t->x, X86_64, X86_SHL_I, x86_reg(X86_RAX), by);
	if (insn->rs2)
		x86_op(&t->x, X86_64, 0x03, X86_RAX, guest_operand(insn->rs2));
	translate_write(t, insn->rd, X86_RAX);
	return true;
}

/* rd = rs1 op ~rs2, or the complement of rs1 op rs2. */
static bool logic_not(struct translation *t, const struct insn *insn, const struct binary *op)
{
	const bool is_after = op == &op_xor;
	const struct x86_operand rax = x86_reg(X86_RAX);

	if (insn->rd == REG_SINK)
		return true;
	load(t, X86_64, X86_RAX, insn->rs2);
	if (!is_after)
		x86_op(&t->x, X86_64, 0xf7, 2, rax);
	const unsigned a = translate_read(t, insn->rs1, X86_RCX);
	x86_op(&t->x, X86_64, op->opcode, X86_RAX, x86_reg(a));
	if (is_after)
		x86_op(&t->x, X86_64, 0xf7, 2, rax);
	translate_write(t, insn->rd, X86_RAX);
	return true;
}

/* lzcnt, tzcnt, popcnt and the like: one operand, any result. */
static bool unary(struct translation *t, const struct insn *insn, enum x86_width width,
		  uint32_t opcode)
{
	const unsigned to = result_register(insn->rd);

	if (insn->rd == REG_SINK)
		return true;
	const unsigned a = translate_read(t, insn->rs1, X86_RAX);
	x86_op(&t->x, width, opcode, to, x86_reg(a));
	translate_write(t, insn->rd, to);
	return true;
}

/* rd = rs1 if rs1 is in this relation to rs2, else rs2. */
static bool choose(struct translation *t, const struct insn *insn, enum x86_condition condition)
{
	if (insn->rd == REG_SINK)
		return true;
	load(t, X86_64, X86_RAX, insn->rs2);
	const unsigned a = translate_read(t, insn->rs1, X86_RCX);
	x86_op(&t->x, X86_64, 0x3b, a, x86_reg(X86_RAX));
	x86_op(&t->x, X86_64, 0x0f40 | condition, X86_RAX, x86_reg(a));
	translate_write(t, insn->rd, X86_RAX);
	return true;
}

/* bts, btr, btc or bt: the number is that of their immediate form, 0xa3 + 8 * it that of the
 * other. */
enum bit_op { BIT_TEST = 4, BIT_SET, BIT_RESET, BIT_COMPLEMENT };

static bool bit(struct translation *t, const struct insn *insn, enum bit_op op, bool is_immediate)
{
	if (insn->rd == REG_SINK)
		return true;
	load(t, X86_64, X86_RAX, insn->rs1);
	if (is_immediate) {
		x86_op(&t->x, X86_64, 0x0fba, op, x86_reg(X86_RAX));
		x86_byte(&t->x, (unsigned)insn->imm);
	} else {
		const unsigned b = translate_read(t, insn->rs2, X86_RCX);

		x86_op(&t->x, X86_64, 0x0f83 | op << 3, b, x86_reg(X86_RAX));
	}
	if (op == BIT_TEST)
		write_condition(t, insn->rd, X86_BELOW);
	else
		translate_write(t, insn->rd, X86_RAX);
	return true;
}

static bool zero_extend_shift(struct translation *t, const struct insn *insn)
{
	if (insn->rd == REG_SINK)
		return true;
	load(t, X86_32, X86_RAX, insn->rs1);
	x86_shift(&t->x, X86_64, X86_SHL_I, x86_reg(X86_RAX), (unsigned)insn->imm);
	translate_write(t, insn->rd, X86_RAX);
	return true;
}

static bool reverse_bytes(struct translation *t, const struct insn *insn)
{
	if (insn->rd == REG_SINK)
		return true;
	load(t, X86_64, X86_RAX, insn->rs1);
	x86_byte(&t->x, 0x48);
	x86_byte(&t->x, 0x0f);
	x86_byte(&t->x, 0xc8);
	translate_write(t, insn->rd, X86_RAX);
	return true;
}

#define LZCNT  0xf30fbd
#define TZCNT  0xf30fbc
#define POPCNT 0xf30fb8

static bool translate_bits(struct translation *t, const struct insn *insn)
{
	switch (insn->op) {
	case OP_ADD_UW: return shift_add(t, insn, 0, true);
	case OP_SH1ADD: return shift_add(t, insn, 1, false);
	case OP_SH2ADD: return shift_add(t, insn, 2, false);
	case OP_SH3ADD: return shift_add(t, insn, 3, false);
	case OP_SH1ADD_UW: return shift_add(t, insn, 1, true);
	case OP_SH2ADD_UW: return shift_add(t, insn, 2, true);
	case OP_SH3ADD_UW: return shift_add(t, insn, 3, true);
	case OP_SLLI_UW: return zero_extend_shift(t, insn);
	case OP_ANDN: return logic_not(t, insn, &op_and);
	case OP_ORN: return logic_not(t, insn, &op_or);
	case OP_XNOR: return logic_not(t, insn, &op_xor);
	case OP_CLZ: return unary(t, insn, X86_64, LZCNT);
	case OP_CTZ: return unary(t, insn, X86_64, TZCNT);
	case OP_CPOP: return unary(t, insn, X86_64, POPCNT);
	case OP_CLZW: return unary(t, insn, X86_32, LZCNT);
	case OP_CTZW: return unary(t, insn, X86_32, TZCNT);
	case OP_CPOPW: return unary(t, insn, X86_32, POPCNT);
	case OP_MIN: return choose(t, insn, X86_LESS);
	case OP_MINU: return choose(t, insn, X86_BELOW);
	case OP_MAX: return choose(t, insn, X86_GREATER);
	case OP_MAXU: return choose(t, insn, X86_ABOVE);
	/* movsx and movzx read a whole register, whose lower part they take. */
	case OP_SEXT_B: return unary(t, insn, X86_64, 0x0fbe);
	case OP_SEXT_H: return unary(t, insn, X86_64, 0x0fbf);
	case OP_ZEXT_H: return unary(t, insn, X86_64, 0x0fb7);
	case OP_ROL: return rotate(t, insn, X86_ROL_I, X86_64);
	case OP_ROR: return rotate(t, insn, X86_ROR_I, X86_64);
	case OP_ROLW: return rotate(t, insn, X86_ROL_I, X86_32);
	case OP_RORW: return rotate(t, insn, X86_ROR_I, X86_32);
	case OP_RORI: return shift_immediate(t, insn, X86_ROR_I);
	case OP_RORIW: return shift_word_immediate(t, insn, X86_ROR_I);
	case OP_REV8: return reverse_bytes(t, insn);
	case OP_BCLR: return bit(t, insn, BIT_RESET, false);
	case OP_BCLRI: return bit(t, insn, BIT_RESET, true);
	case OP_BEXT: return bit(t, insn, BIT_TEST, false);
	case OP_BEXTI: return bit(t, insn, BIT_TEST, true);
	case OP_BINV: return bit(t, insn, BIT_COMPLEMENT, false);
	case OP_BINVI: return bit(t, insn, BIT_COMPLEMENT, true);
	case OP_BSET: return bit(t, insn, BIT_SET, false);
	case OP_BSETI: return bit(t, insn, BIT_SET, true);
	default: return false;
	}
}

bool translate_integer(struct translation *t, const struct insn *insn)
{
	const uint64_t imm = (uint64_t)(int64_t)insn->imm;

	switch (insn->op) {
	case OP_LUI: translate_write_constant(t, insn->rd, imm); return true;
	case OP_AUIPC: translate_write_constant(t, insn->rd, t->pc + imm); return true;
	case OP_FENCE:
	case OP_FENCE_I: return true;
	case OP_ADD: return binary(t, insn, &op_add);
	case OP_SUB: return binary(t, insn, &op_sub);
	case OP_AND: return binary(t, insn, &op_and);
	case OP_OR: return binary(t, insn, &op_or);
	case OP_XOR: return binary(t, insn, &op_xor);
	case OP_ADDI: return binary_immediate(t, insn, &op_add);
	case OP_ANDI: return binary_immediate(t, insn, &op_and);
	case OP_ORI: return binary_immediate(t, insn, &op_or);
	case OP_XORI: return binary_immediate(t, insn, &op_xor);
	case OP_ADDIW: return add_word_immediate(t, insn);
	case OP_ADDW: return binary_word(t, insn, &op_add);
	case OP_SUBW: return binary_word(t, insn, &op_sub);
	case OP_SLLI: return shift_immediate(t, insn, X86_SHL_I);
	case OP_SRLI: return shift_immediate(t, insn, X86_SHR_I);
	case OP_SRAI: return shift_immediate(t, insn, X86_SAR_I);
	case OP_SLLIW: return shift_word_immediate(t, insn, X86_SHL_I);
	case OP_SRLIW: return shift_word_immediate(t, insn, X86_SHR_I);
	case OP_SRAIW: return shift_word_immediate(t, insn, X86_SAR_I);
	case OP_SLL: return shift(t, insn, X86_66);
	case OP_SRL: return shift(t, insn, X86_F2);
	case OP_SRA: return shift(t, insn, X86_F3);
	case OP_SLLW: return shift_word(t, insn, X86_66);
	case OP_SRLW: return shift_word(t, insn, X86_F2);
	case OP_SRAW: return shift_word(t, insn, X86_F3);
	case OP_SLT: return set_less(t, insn, X86_LESS);
	case OP_SLTU: return set_less(t, insn, X86_BELOW);
	case OP_SLTI: return set_less_immediate(t, insn, X86_LESS);
	case OP_SLTIU: return set_less_immediate(t, insn, X86_BELOW);
	case OP_MUL: return multiply(t, insn, X86_64);
	case OP_MULW: return multiply(t, insn, X86_32);
	case OP_MULH: return multiply_high(t, insn, 5);
	case OP_MULHU:
	case OP_MULHSU: return multiply_high(t, insn, 4);
	case OP_DIV: return divide(t, insn, X86_64, true, X86_RAX);
	case OP_DIVU: return divide(t, insn, X86_64, false, X86_RAX);
	case OP_REM: return divide(t, insn, X86_64, true, X86_RDX);
	case OP_REMU: return divide(t, insn, X86_64, false, X86_RDX);
	case OP_DIVW: return divide(t, insn, X86_32, true, X86_RAX);
	case OP_DIVUW: return divide(t, insn, X86_32, false, X86_RAX);
	case OP_REMW: return divide(t, insn, X86_32, true, X86_RDX);
	case OP_REMUW: return divide(t, insn, X86_32, false, X86_RDX);
	default: return translate_bits(t, insn);
	}
}
