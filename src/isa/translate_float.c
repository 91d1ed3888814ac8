#include "isa/softfloat.h"
#include "isa/translate_block.h"

/*
 * Floating point by the host's scalar instructions of AVX and FMA.
 *
 * While translated code runs, the host rounds to nearest even, masks all exceptions, and collects
 * flags that were clear at entry; they are added to the guest's when the code is left. Host and
 * guest agree on all five flags of an operation (both detect tininess after rounding), and on all
 * results but NaNs. A result that is a NaN is left to the interpreter, which computes the operation
 * again and raises what is due: no flag that the host has collected until then is one that the
 * guest does not raise. The dynamic rounding mode is to nearest even wherever translated code runs;
 * operations with another mode are left to the interpreter, save truncation to integers.
 */

#define HART_FFLAGS (x86_at(HOST_HART, (int32_t)offsetof(struct hart, fflags) - HART_BIAS))

_Static_assert(OP_CSRRS == OP_CSRRW + 1 && OP_CSRRC == OP_CSRRW + 2 && OP_CSRRWI == OP_CSRRW + 3,
	       "those with an immediate come last");

#define TO_NEAREST(rm) ((rm) == RM_RNE || (rm) == 7)

static unsigned source(struct translation *t, unsigned reg, unsigned temporary)
{
	if (is_pinned(reg))
		return translate_pins[reg];
	x86_vex(&t->x, X86_F2, X86_0F, false, 0x10, temporary, 0, guest_operand(reg));
	return temporary;
}

static void finish(struct translation *t, unsigned rd, unsigned from, bool is_boxed)
{
	const uint32_t bit = 1u << (rd - REG_FP);

	if (!is_pinned(rd))
		x86_vex(&t->x, X86_66, X86_0F, false, 0xd6, from, 0, guest_operand(rd));
	else if (translate_pins[rd] != from)
		x86_vex(&t->x, X86_NONE, X86_0F, false, 0x28, translate_pins[rd], 0, x86_reg(from));
	t->boxed = is_boxed ? t->boxed | bit : t->boxed & ~bit;
}

/* Leaves a single-precision operand that is not boxed, which is a NaN, to the interpreter. */
static void require_boxed(struct translation *t, unsigned reg)
{
	const uint32_t bit = 1u << (reg - REG_FP);

	if (t->boxed & bit)
		return;
	if (is_pinned(reg)) {
		/* vpextrd */
		x86_vex(&t->x, X86_66, X86_0F3A, false, 0x16, translate_pins[reg], 0,
			x86_reg(X86_RAX));
		x86_byte(&t->x, 1);
		x86_immediate(&t->x, X86_32, X86_CMP_I, x86_reg(X86_RAX), -1);
	} else {
		x86_immediate(&t->x, X86_32, X86_CMP_I, x86_at(HOST_HART, hart_offset(reg) + 4),
			      -1);
	}
	translate_corner_if(t, X86_NOT_EQUAL);
	t->boxed |= bit;
}

static void require_operands(struct translation *t, const struct insn *insn, bool single,
			     unsigned count)
{
	const unsigned regs[3] = {insn->rs1, insn->rs2, insn->rs3};

	for (unsigned i = 0; single && i < count; i++)
		require_boxed(t, regs[i]);
}

/* vucomiss, vucomisd; the signalling ones have opcode 0x2f. */
static void compare(struct translation *t, bool single, unsigned opcode, unsigned a,
		    struct x86_operand b)
{
	x86_vex(&t->x, single ? X86_NONE : X86_66, X86_0F, false, opcode, a, 0, b);
}

static void leave_nan(struct translation *t, bool single, unsigned result)
{
	compare(t, single, 0x2e, result, x86_reg(result));
	translate_corner_if(t, X86_PARITY);
}

/* The result may be computed in its own register if no operand is there, which the interpreter
 * would need. */
static unsigned result_of(const struct insn *insn)
{
	const unsigned rd = insn->rd;

	return is_pinned(rd) && rd != insn->rs1 && rd != insn->rs2 && rd != insn->rs3
		       ? translate_pins[rd]
		       : 0;
}

/* One or two operands; the bits above a single-precision result are those of the first. */
static bool arithmetic(struct translation *t, const struct insn *insn, bool single, unsigned opcode)
{
	const bool is_unary = insn->op == OP_FSQRT_S || insn->op == OP_FSQRT_D;

	if (!TO_NEAREST(insn->rm))
		return false;
	require_operands(t, insn, single, is_unary ? 1 : 2);
	const unsigned to = result_of(insn), a = source(t, insn->rs1, 0);
	x86_vex(&t->x, single ? X86_F3 : X86_F2, X86_0F, false, opcode, to, a,
		is_unary ? x86_reg(a) : guest_operand(insn->rs2));
	leave_nan(t, single, to);
	finish(t, insn->rd, to, single);
	return true;
}

/* vfmadd213 and its three relatives: xmm0 = rs1, then xmm0 * rs2 + rs3. */
static bool fused(struct translation *t, const struct insn *insn, bool single, unsigned opcode)
{
	if (!TO_NEAREST(insn->rm))
		return false;
	require_operands(t, insn, single, 3);
	const unsigned a = source(t, insn->rs1, 0), b = source(t, insn->rs2, 1);
	if (a)
		x86_vex(&t->x, X86_NONE, X86_0F, false, 0x28, 0, 0, x86_reg(a));
	x86_vex(&t->x, X86_66, X86_0F38, !single, opcode, 0, b, guest_operand(insn->rs3));
	leave_nan(t, single, 0);
	finish(t, insn->rd, 0, single);
	return true;
}

/* Equal operands of min and max have the same bits or are zeros, of which OR picks the negative and
 * AND the positive one. */
static bool select_float(struct translation *t, const struct insn *insn, bool single,
			 unsigned opcode, unsigned pick)
{
	require_operands(t, insn, single, 2);
	const unsigned a = source(t, insn->rs1, 0), b = source(t, insn->rs2, 1);
	compare(t, single, 0x2e, a, x86_reg(b));
	translate_corner_if(t, X86_PARITY);
	/* Does not change the condition; xmm0 may be a. */
	uint8_t *const different = x86_jump_if(&t->x, X86_NOT_EQUAL);
	x86_vex(&t->x, X86_NONE, X86_0F, false, pick, 0, a, x86_reg(b));
	uint8_t *const end = x86_jump(&t->x);
	x86_set_target(different, t->x.at);
	x86_vex(&t->x, single ? X86_F3 : X86_F2, X86_0F, false, opcode, 0, a, x86_reg(b));
	x86_set_target(end, t->x.at);
	finish(t, insn->rd, 0, single);
	return true;
}

/* Unordered operands give 0: the host's conditions for "above" do not hold for them. */
static bool compare_float(struct translation *t, const struct insn *insn, bool single)
{
	const bool is_equal = insn->op == OP_FEQ_S || insn->op == OP_FEQ_D;
	const bool is_less = insn->op == OP_FLT_S || insn->op == OP_FLT_D;

	require_operands(t, insn, single, 2);
	const unsigned a = source(t, insn->rs1, 0), b = source(t, insn->rs2, 1);
	/* a < b is b > a. */
	compare(t, single, is_equal ? 0x2e : 0x2f, is_equal ? a : b, x86_reg(is_equal ? b : a));
	if (insn->rd == REG_SINK)
		return true;
	const unsigned to = result_register(insn->rd);
	const unsigned condition = is_equal ? X86_EQUAL : is_less ? X86_ABOVE : X86_NOT_BELOW;
	x86_op(&t->x, X86_8, 0x0f90 | condition, 0, x86_reg(X86_RAX));
	if (is_equal) {
		x86_op(&t->x, X86_8, 0x0f90 | X86_NOT_PARITY, 0, x86_reg(X86_RCX));
		x86_op(&t->x, X86_8, 0x22, X86_RAX, x86_reg(X86_RCX));
	}
	x86_op(&t->x, X86_8, 0x0fb6, to, x86_reg(X86_RAX));
	translate_write(t, insn->rd, to);
	return true;
}

static void bitwise(struct translation *t, unsigned opcode, unsigned to, unsigned a,
		    const uint64_t *mask)
{
	x86_vex(&t->x, X86_NONE, X86_0F, false, opcode, to, a, x86_near((const uint8_t *)mask));
}

#define AND 0x54
#define OR  0x56
#define XOR 0x57

/* The first operand's magnitude with a sign made of the second's. The masks leave the upper half of
 * a single-precision value alone. */
static bool inject_sign(struct translation *t, const struct insn *insn, bool single)
{
	const uint64_t *const sign = single ? t->constants->sign32 : t->constants->sign64;
	const uint64_t *const magnitude =
		single ? t->constants->magnitude32 : t->constants->magnitude64;
	const bool is_not = insn->op == OP_FSGNJN_S || insn->op == OP_FSGNJN_D;
	const bool is_xor = insn->op == OP_FSGNJX_S || insn->op == OP_FSGNJX_D;

	require_operands(t, insn, single, 2);
	const unsigned a = source(t, insn->rs1, 0);
	if (insn->rs1 == insn->rs2) {
		if (is_not)
			bitwise(t, XOR, 0, a, sign);
		else if (is_xor)
			bitwise(t, AND, 0, a, magnitude);
		finish(t, insn->rd, is_not || is_xor ? 0 : a, single);
		return true;
	}
	bitwise(t, AND, 1, source(t, insn->rs2, 1), sign);
	if (is_not)
		bitwise(t, XOR, 1, 1, sign);
	if (is_xor) {
		x86_vex(&t->x, X86_NONE, X86_0F, false, XOR, 0, a, x86_reg(1));
	} else {
		bitwise(t, AND, 0, a, magnitude);
		x86_vex(&t->x, X86_NONE, X86_0F, false, OR, 0, 0, x86_reg(1));
	}
	finish(t, insn->rd, 0, single);
	return true;
}

/* To a signed integer, whose most negative number may stand for one out of range. Up and down the
 * number is rounded first; one out of range must then be a whole number, for which no flag is due
 * but that. */
static bool to_integer(struct translation *t, const struct insn *insn, bool single, bool wide)
{
	const bool truncates = insn->rm == RM_RTZ;
	const bool is_directed = (insn->rm == RM_RDN || insn->rm == RM_RUP) && (single || wide);

	if (!truncates && !is_directed && !TO_NEAREST(insn->rm))
		return false;
	require_operands(t, insn, single, 1);
	unsigned a = source(t, insn->rs1, 0);
	if (is_directed) {
		/* vroundss, vroundsd */
		x86_vex(&t->x, X86_66, X86_0F3A, false, single ? 0x0a : 0x0b, 0, a, x86_reg(a));
		x86_byte(&t->x, insn->rm == RM_RDN ? 1 : 2);
		a = 0;
	}
	x86_vex(&t->x, single ? X86_F3 : X86_F2, X86_0F, wide, truncates ? 0x2c : 0x2d, X86_RAX, 0,
		x86_reg(a));
	/* The only number that overflows when 1 is subtracted. */
	x86_immediate(&t->x, wide ? X86_64 : X86_32, X86_CMP_I, x86_reg(X86_RAX), 1);
	translate_corner_if(t, X86_OVERFLOW);
	if (insn->rd == REG_SINK)
		return true;
	const unsigned to = result_register(insn->rd);
	if (!wide)
		x86_op(&t->x, X86_64, 0x63, to, x86_reg(X86_RAX));
	translate_write(t, insn->rd, wide ? X86_RAX : to);
	return true;
}

/* Truncation to an unsigned integer, of what the host's for signed ones serves for: from 0 up to
 * the limit. */
static bool to_unsigned(struct translation *t, const struct insn *insn, bool single, bool wide)
{
	const struct code_constants *const constants = t->constants;
	const uint64_t *const limit =
		single ? (wide ? constants->limit64_of_32 : constants->limit32_of_32)
		       : (wide ? constants->limit64_of_64 : constants->limit32_of_64);

	if (insn->rm != RM_RTZ)
		return false;
	require_operands(t, insn, single, 1);
	const unsigned a = source(t, insn->rs1, 0);
	x86_vex(&t->x, X86_NONE, X86_0F, false, XOR, 1, 1, x86_reg(1));
	compare(t, single, 0x2e, a, x86_reg(1));
	/* Below, or unordered. */
	translate_corner_if(t, X86_BELOW);
	compare(t, single, 0x2e, a, x86_near((const uint8_t *)limit));
	translate_corner_if(t, X86_NOT_BELOW);
	x86_vex(&t->x, single ? X86_F3 : X86_F2, X86_0F, true, 0x2c, X86_RAX, 0, x86_reg(a));
	if (insn->rd == REG_SINK)
		return true;
	const unsigned to = result_register(insn->rd);
	if (!wide)
		x86_op(&t->x, X86_64, 0x63, to, x86_reg(X86_RAX));
	translate_write(t, insn->rd, wide ? X86_RAX : to);
	return true;
}

/* From a signed integer of 32 or 64 bits, or an unsigned one of 32. In other modes only where all
 * bits have a place. Above a single-precision result stay the ones that are there before. */
static bool from_integer(struct translation *t, const struct insn *insn, bool single, bool wide,
			 bool is_unsigned)
{
	const bool is_legal = insn->rm <= RM_RMM;

	if (!TO_NEAREST(insn->rm) && (!is_legal || (single && !wide)))
		return false;
	unsigned from = translate_read(t, insn->rs1, X86_RAX);
	if (is_unsigned) {
		x86_move(&t->x, X86_32, X86_RAX, x86_reg(from));
		from = X86_RAX;
	}
	if (!TO_NEAREST(insn->rm) && wide) {
		const struct x86_operand rdx = x86_reg(X86_RDX);

		/* 0 or -1 */
		x86_move(&t->x, X86_64, X86_RDX, x86_reg(from));
		x86_shift(&t->x, X86_64, X86_SAR_I, rdx, single ? 24 : 53);
		x86_immediate(&t->x, X86_64, X86_ADD_I, rdx, 1);
		x86_immediate(&t->x, X86_64, X86_CMP_I, rdx, 1);
		translate_corner_if(t, X86_ABOVE);
	}
	/* vpcmpeqd: all ones; vpxor: all zeros, so that nothing waits for an old value. */
	x86_vex(&t->x, X86_66, X86_0F, false, single ? 0x76 : 0xef, 0, 0, x86_reg(0));
	x86_vex(&t->x, single ? X86_F3 : X86_F2, X86_0F, wide || is_unsigned, 0x2a, 0, 0,
		x86_reg(from));
	finish(t, insn->rd, 0, single);
	return true;
}

static bool narrow(struct translation *t, const struct insn *insn)
{
	if (!TO_NEAREST(insn->rm))
		return false;
	const unsigned a = source(t, insn->rs1, 1);
	x86_vex(&t->x, X86_66, X86_0F, false, 0x76, 0, 0, x86_reg(0));
	x86_vex(&t->x, X86_F2, X86_0F, false, 0x5a, 0, 0, x86_reg(a));
	leave_nan(t, true, 0);
	finish(t, insn->rd, 0, true);
	return true;
}

static bool widen(struct translation *t, const struct insn *insn)
{
	/* Exact in every mode; the others are illegal. */
	if (insn->rm > RM_RMM && insn->rm != 7)
		return false;
	require_operands(t, insn, true, 1);
	const unsigned a = source(t, insn->rs1, 0);
	x86_vex(&t->x, X86_F3, X86_0F, false, 0x5a, 0, a, x86_reg(a));
	leave_nan(t, false, 0);
	finish(t, insn->rd, 0, false);
	return true;
}

static bool move_to_integer(struct translation *t, const struct insn *insn, bool single)
{
	const unsigned to = result_register(insn->rd);

	if (insn->rd == REG_SINK)
		return true;
	if (is_pinned(insn->rs1))
		x86_vex(&t->x, X86_66, X86_0F, true, 0x7e, translate_pins[insn->rs1], 0,
			x86_reg(X86_RAX));
	else
		x86_move(&t->x, X86_64, X86_RAX, guest_operand(insn->rs1));
	if (single)
		x86_op(&t->x, X86_64, 0x63, to, x86_reg(X86_RAX));
	translate_write(t, insn->rd, single ? to : X86_RAX);
	return true;
}

static bool move_from_integer(struct translation *t, const struct insn *insn, bool single)
{
	const unsigned from = translate_read(t, insn->rs1, X86_RAX);

	if (single) {
		/* vmovd, vorps */
		x86_vex(&t->x, X86_66, X86_0F, false, 0x6e, 0, 0, x86_reg(from));
		bitwise(t, OR, 0, 0, t->constants->box);
	} else {
		x86_vex(&t->x, X86_66, X86_0F, true, 0x6e, 0, 0, x86_reg(from));
	}
	finish(t, insn->rd, 0, single);
	return true;
}

uint32_t translate_flags(uint32_t mxcsr)
{
	return (mxcsr & 1 ? FFLAG_NV : 0) | (mxcsr & 4 ? FFLAG_DZ : 0) |
	       (mxcsr & 8 ? FFLAG_OF : 0) | (mxcsr & 16 ? FFLAG_UF : 0) |
	       (mxcsr & 32 ? FFLAG_NX : 0);
}

/* Adds the flags that the host has collected to the guest's, in RAX. RCX changes, too. */
static void read_flags(struct translation *t)
{
	struct x86_operand mapped = x86_indexed(X86_RAX, X86_RCX, 0);

	x86_op(&t->x, X86_32, 0x0fae, 3, x86_at(X86_RSP, HOST_MXCSR_SLOT)); /* stmxcsr */
	x86_move(&t->x, X86_32, X86_RCX, x86_at(X86_RSP, HOST_MXCSR_SLOT));
	x86_immediate(&t->x, X86_32, X86_AND_I, x86_reg(X86_RCX), MXCSR_FLAGS);
	x86_op(&t->x, X86_64, 0x8d, X86_RAX, x86_near(t->constants->flags));
	x86_op(&t->x, X86_32, 0x0fb6, X86_RAX, mapped);
	x86_op(&t->x, X86_32, 0x0b, X86_RAX, HART_FFLAGS);
}

/* fflags, frm and fcsr, as floor and the like and changes of the environment read and write them.
 * The dynamic mode is 0, to nearest even, wherever translated code runs; another one is for the
 * interpreter to set. */
static bool access_flags(struct translation *t, const struct insn *insn)
{
	const bool is_immediate = insn->op >= OP_CSRRWI;
	const bool is_write = insn->op == OP_CSRRW || insn->op == OP_CSRRWI;
	const unsigned csr = (unsigned)insn->imm;
	const struct x86_operand rdx = x86_reg(X86_RDX);

	if (csr != CSR_FFLAGS && csr != CSR_FRM && csr != CSR_FCSR)
		return false;
	if (!is_write && (is_immediate ? insn->rm : insn->rs1))
		return false;
	if (is_write && (is_immediate || !insn->rs1))
		x86_constant(&t->x, X86_RDX, is_immediate ? insn->rm : 0);
	else if (is_write)
		x86_move(&t->x, X86_64, X86_RDX, guest_operand(insn->rs1));
	if (is_write && csr != CSR_FFLAGS) {
		x86_op(&t->x, X86_32, 0xf7, 0, rdx); /* test */
		x86_word(&t->x, csr == CSR_FRM ? 7 : 7 << 5);
		translate_corner_if(t, X86_NOT_EQUAL);
	}
	if (csr == CSR_FRM) {
		translate_write_constant(t, insn->rd, 0);
		return true;
	}
	if (insn->rd != REG_SINK) {
		read_flags(t);
		translate_write(t, insn->rd, X86_RAX);
	}
	if (is_write) {
		x86_immediate(&t->x, X86_32, X86_AND_I, rdx, 31);
		x86_store(&t->x, X86_32, HART_FFLAGS, X86_RDX);
		/* ldmxcsr */
		x86_op(&t->x, X86_32, 0x0fae, 2, x86_near((const uint8_t *)&t->constants->mxcsr));
	}
	return true;
}

#define ADD    0x58
#define MUL    0x59
#define SUB    0x5c
#define MIN    0x5d
#define DIV    0x5e
#define MAX    0x5f
#define SQRT   0x51
#define FMADD  0xa9
#define FMSUB  0xab
#define FNMADD 0xad
#define FNMSUB 0xaf

bool translate_float(struct translation *t, const struct insn *insn)
{
	switch (insn->op) {
	case OP_CSRRW:
	case OP_CSRRS:
	case OP_CSRRC:
	case OP_CSRRWI:
	case OP_CSRRSI:
	case OP_CSRRCI: return access_flags(t, insn);
	case OP_FADD_S: return arithmetic(t, insn, true, ADD);
	case OP_FSUB_S: return arithmetic(t, insn, true, SUB);
	case OP_FMUL_S: return arithmetic(t, insn, true, MUL);
	case OP_FDIV_S: return arithmetic(t, insn, true, DIV);
	case OP_FSQRT_S: return arithmetic(t, insn, true, SQRT);
	case OP_FADD_D: return arithmetic(t, insn, false, ADD);
	case OP_FSUB_D: return arithmetic(t, insn, false, SUB);
	case OP_FMUL_D: return arithmetic(t, insn, false, MUL);
	case OP_FDIV_D: return arithmetic(t, insn, false, DIV);
	case OP_FSQRT_D: return arithmetic(t, insn, false, SQRT);
	/* The guest's fnmsub is -(a*b) + c, the host's fnmadd. */
	case OP_FMADD_S: return fused(t, insn, true, FMADD);
	case OP_FMSUB_S: return fused(t, insn, true, FMSUB);
	case OP_FNMSUB_S: return fused(t, insn, true, FNMADD);
	case OP_FNMADD_S: return fused(t, insn, true, FNMSUB);
	case OP_FMADD_D: return fused(t, insn, false, FMADD);
	case OP_FMSUB_D: return fused(t, insn, false, FMSUB);
	case OP_FNMSUB_D: return fused(t, insn, false, FNMADD);
	case OP_FNMADD_D: return fused(t, insn, false, FNMSUB);
	case OP_FMIN_S: return select_float(t, insn, true, MIN, OR);
	case OP_FMAX_S: return select_float(t, insn, true, MAX, AND);
	case OP_FMIN_D: return select_float(t, insn, false, MIN, OR);
	case OP_FMAX_D: return select_float(t, insn, false, MAX, AND);
	case OP_FEQ_S:
	case OP_FLT_S:
	case OP_FLE_S: return compare_float(t, insn, true);
	case OP_FEQ_D:
	case OP_FLT_D:
	case OP_FLE_D: return compare_float(t, insn, false);
	case OP_FSGNJ_S:
	case OP_FSGNJN_S:
	case OP_FSGNJX_S: return inject_sign(t, insn, true);
	case OP_FSGNJ_D:
	case OP_FSGNJN_D:
	case OP_FSGNJX_D: return inject_sign(t, insn, false);
	case OP_FCVT_W_S: return to_integer(t, insn, true, false);
	case OP_FCVT_L_S: return to_integer(t, insn, true, true);
	case OP_FCVT_W_D: return to_integer(t, insn, false, false);
	case OP_FCVT_L_D: return to_integer(t, insn, false, true);
	case OP_FCVT_WU_S: return to_unsigned(t, insn, true, false);
	case OP_FCVT_LU_S: return to_unsigned(t, insn, true, true);
	case OP_FCVT_WU_D: return to_unsigned(t, insn, false, false);
	case OP_FCVT_LU_D: return to_unsigned(t, insn, false, true);
	case OP_FCVT_S_W: return from_integer(t, insn, true, false, false);
	case OP_FCVT_S_L: return from_integer(t, insn, true, true, false);
	case OP_FCVT_S_WU: return from_integer(t, insn, true, false, true);
	case OP_FCVT_D_W: return from_integer(t, insn, false, false, false);
	case OP_FCVT_D_L: return from_integer(t, insn, false, true, false);
	case OP_FCVT_D_WU: return from_integer(t, insn, false, false, true);
	case OP_FCVT_S_D: return narrow(t, insn);
	case OP_FCVT_D_S: return widen(t, insn);
	case OP_FMV_X_D: return move_to_integer(t, insn, false);
	case OP_FMV_X_W: return move_to_integer(t, insn, true);
	case OP_FMV_D_X: return move_from_integer(t, insn, false);
	case OP_FMV_W_X: return move_from_integer(t, insn, true);
	default: return false;
	}
}
