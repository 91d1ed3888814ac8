#include "straight.h"

#include <string.h>

#include "base/array.h"
#include "base/err.h"

#define CSR_FFLAGS 1u
#define CSR_FRM	   2u

/* Loads an aligned window address into a free register and returns it. */
static unsigned emit_aligned_address(struct builder *b, unsigned size, int64_t *target)
{
	const struct base *base = pick_base(b);
	bool direct = pick_one_in(b, 2);
	unsigned reg;

	*target = pick_below(b, WINDOW_BYTES / size) * size;
	if (direct && base->offset >= 0 && base->offset <= WINDOW_BYTES - (int)size &&
	    base->offset % size == 0) {
		*target = base->offset;
		return base->reg;
	}
	reg = pick_rd_nonzero(b);
	builder_addi(b, reg, base->reg, (int)(*target - base->offset));
	return reg;
}

static void emit_atomic_access(struct builder *b, const struct insn *row, unsigned rd,
			       unsigned address, unsigned rs2)
{
	uint32_t aq_rl = pick_below(b, 4) << 25;

	builder_emit(b, row, encode_r(row->bits, rd, address, rs2) | aq_rl);
}

static void emit_sc(struct builder *b, unsigned size, unsigned rd, unsigned address)
{
	emit_atomic_access(b, insn_find(size == 4 ? "sc.w" : "sc.d"), rd, address, pick_rs(b));
}

static void emit_register_filler(struct builder *b)
{
	static const char *const names[] = {"add", "xor", "subw", "sltu", "mul"};
	const struct insn *row = insn_find(names[pick_below(b, ARRAY_COUNT(names))]);
	unsigned rs1 = pick_rs(b), rs2 = pick_rs(b), rd = pick_rd(b);

	builder_emit(b, row, encode_r(row->bits, rd, rs1, rs2));
}

/* An LR with what follows it: its SC, a second SC that must fail, or only an SC
 * to another line, which must fail too. */
static void emit_lr(struct builder *b, const struct insn *row)
{
	unsigned size = row->size_bytes;
	uint32_t busy = b->busy;
	int64_t target, other;
	unsigned address = emit_aligned_address(b, size, &target);
	unsigned elsewhere = NO_REG;
	size_t top;

	b->busy |= 1u << address;
	if (pick_one_in(b, 4)) {
		elsewhere = emit_aligned_address(b, size, &other);
		b->busy |= 1u << elsewhere;
		if (other / 64 == target / 64)
			elsewhere = NO_REG;
	}
	top = b->code->count;
	emit_atomic_access(b, row, pick_rd(b), address, 0);
	for (unsigned i = pick_below(b, 4); i > 0; i--)
		emit_register_filler(b);
	if (elsewhere != NO_REG)
		emit_sc(b, size, pick_rd(b), elsewhere);
	if (elsewhere == NO_REG || pick_one_in(b, 2)) {
		unsigned rd = pick_rd_nonzero(b);

		emit_sc(b, size, rd, address);
		if (elsewhere == NO_REG && pick_one_in(b, 3))
			builder_branch(b, "bne", rd, 0, top);
	}
	if (pick_one_in(b, 3))
		emit_sc(b, size, pick_rd(b), address);
	b->busy = busy;
}

static bool emit_atomic(struct builder *b, const struct insn *row)
{
	int64_t target;
	unsigned address, rs2;

	if (row->format == FORMAT_LR) {
		emit_lr(b, row);
		return true;
	}
	address = emit_aligned_address(b, row->size_bytes, &target);
	rs2 = pick_rs(b);
	emit_atomic_access(b, row, pick_rd(b), address, rs2);
	return true;
}

static bool emit_system(struct builder *b, const struct insn *row)
{
	const struct insn *csrrwi = insn_find("csrrwi");
	unsigned csr = 1 + pick_below(b, 3);
	unsigned pred_succ = pick_below(b, 256);
	bool tso = pick_one_in(b, 4);
	unsigned operand, rd, mode;

	switch (row->format) {
	case FORMAT_FENCE:
		builder_emit(b, row, row->bits | (tso ? 0x833u : pred_succ) << 20);
		return true;
	case FORMAT_FENCE_I: builder_emit(b, row, row->bits); return true;
	case FORMAT_ECALL:
		/* close(-1) fails alike everywhere; all but a0 must survive it. */
		if (builder_is_busy(b, 10) || builder_is_busy(b, 17))
			return false;
		builder_addi(b, 17, 0, 57);
		builder_addi(b, 10, 0, -1);
		builder_emit(b, row, row->bits);
		return true;
	default: break;
	}
	operand = row->format == FORMAT_CSR ? pick_rs(b) : pick_below(b, 32);
	rd = pick_rd(b);
	builder_emit(b, row, encode_r(row->bits, rd, operand, csr));
	if (csr >= CSR_FRM) {
		mode = pick_below(b, 5);
		rd = pick_rd(b);
		builder_emit(b, csrrwi, encode_r(csrrwi->bits, rd, mode, CSR_FRM));
	}
	return true;
}

/* Loads a member of the family from the constants. */
static void emit_constant(struct builder *b, unsigned fd, unsigned family, bool is_double)
{
	const struct insn *row = insn_find(is_double ? "fld" : "flw");
	unsigned start = (family - FAMILY_MIXED - 1) * 2 * CONSTANTS_DOUBLES * 8;

	start += is_double ? 8 * pick_below(b, CONSTANTS_DOUBLES)
			   : CONSTANTS_DOUBLES * 8 + 4 * pick_below(b, 2 * CONSTANTS_DOUBLES);
	builder_emit(b, row,
		     encode_i(row->bits, fd, b->constants_reg, (int)start - CONSTANTS_BYTES / 2));
}

/* The same of half precision, of which there are no constants. */
static void emit_half(struct builder *b, unsigned fd, unsigned family)
{
	const struct insn *lui = insn_find("lui"), *srai = insn_find("srai");
	const struct insn *move = insn_find("fmv.h.x");
	uint32_t half = value_family_half(&b->values, family);
	unsigned rd = pick_rd_nonzero(b);

	builder_emit(b, lui, encode_u(lui->bits, rd, half << 4));
	builder_emit(b, srai, encode_r(srai->bits, rd, rd, 16));
	builder_emit(b, move, encode_r(move->bits, fd, rd, 0));
}

static void emit_operand(struct builder *b, unsigned fd, unsigned family, char format)
{
	if (format == 'h')
		emit_half(b, fd, family);
	else
		emit_constant(b, fd, family, format == 'd');
}

/* The format, of s, d and h, of the operands: that which the name ends with. */
static char operand_format(const struct insn *row)
{
	return row->name[strlen(row->name) - 1];
}

/* There are more results than registers to the end: add this one up. */
static void emit_sum(struct builder *b, unsigned reg)
{
	const struct insn *add = insn_find("add");

	if (b->sum_reg != NO_REG)
		builder_emit(b, add, encode_r(add->bits, b->sum_reg, b->sum_reg, reg));
}

static void emit_sum_float(struct builder *b, unsigned reg)
{
	const struct insn *move = insn_find("fmv.x.d");
	unsigned rd = pick_rd_nonzero(b);

	if (b->sum_reg == NO_REG)
		return;
	builder_emit(b, move, encode_r(move->bits, rd, reg, 0));
	emit_sum(b, rd);
}

/* Half of the time the family that is most difficult for this instruction. */
static unsigned pick_family(struct builder *b, const struct insn *row)
{
	unsigned any = FAMILY_MIXED + 1 + pick_below(b, FAMILY_COUNT - 1);

	if (pick_one_in(b, 2))
		return any;
	switch (row->format) {
	case FORMAT_FP_2_RM: return pick_one_in(b, 2) ? FAMILY_TINY : FAMILY_HALF_WAY;
	case FORMAT_FP_3_RM: return FAMILY_HALF_WAY;
	case FORMAT_FP_TO_X_RM: return FAMILY_INTEGER;
	default: return FAMILY_SPECIAL;
	}
}

static void emit_float_once(struct builder *b, const struct insn *row)
{
	const struct insn *csrrw = insn_find("csrrw");
	const struct insn *csrrwi = insn_find("csrrwi");
	bool lone_flags = pick_one_in(b, 2);
	bool related = pick_one_in(b, 2) && b->constants_reg != NO_REG;
	bool cancel = pick_one_in(b, 3);
	unsigned earlier_flags = pick_below(b, 2);
	unsigned family = pick_family(b, row);
	uint32_t rounding = pick_rounding(b) << 12;
	uint32_t product_rounding = pick_rounding(b) << 12;
	unsigned fs1 = pick_fs(b), fs2 = pick_fs(b), fs3 = pick_fs(b), rs1 = pick_rs(b);
	unsigned fd = pick_fd(b);
	unsigned rd = NO_REG; /* if the result is an integer */
	uint32_t word;

	switch (row->format) {
	case FORMAT_FP_CMP:
	case FORMAT_FP_TO_X:
	case FORMAT_FP_TO_X_RM: rd = pick_rd(b); break;
	default: break;
	}
	if (related) {
		char format = operand_format(row);

		emit_operand(b, fs1, family, format);
		if (row->format != FORMAT_FP_1_RM)
			emit_operand(b, fs2, family, format);
		if (row->format == FORMAT_FP_3_RM)
			emit_operand(b, fs3, family, format);
	}
	/* The rounded product taken from the exact one: cancellation that only a
	 * single rounding gets right. */
	if (row->format == FORMAT_FP_3_RM && cancel) {
		const char format = operand_format(row);
		const struct insn *mul = insn_find(format == 'd'   ? "fmul.d"
						   : format == 's' ? "fmul.s"
								   : "fmul.h");

		builder_emit(b, mul, encode_r(mul->bits, fs3, fs1, fs2) | product_rounding);
	}
	/* Flags only accumulate: clear them first, all or all but NX, which some
	 * machines have a quicker way for, and keep what this one raises. */
	if (lone_flags)
		builder_emit(b, csrrwi, encode_r(csrrwi->bits, 0, earlier_flags, CSR_FFLAGS));
	switch (row->format) {
	case FORMAT_FP_2:
	case FORMAT_FP_2_RM: word = encode_r(row->bits, fd, fs1, fs2); break;
	case FORMAT_FP_3_RM: word = encode_r(row->bits, fd, fs1, fs2) | fs3 << 27; break;
	case FORMAT_FP_1_RM: word = encode_r(row->bits, fd, fs1, 0); break;
	case FORMAT_FLI: word = encode_r(row->bits, fd, rs1, 0); break;
	case FORMAT_FP_CMP: word = encode_r(row->bits, rd, fs1, fs2); break;
	case FORMAT_FP_TO_X:
	case FORMAT_FP_TO_X_RM: word = encode_r(row->bits, rd, fs1, 0); break;
	case FORMAT_X_TO_FP:
	case FORMAT_X_TO_FP_RM: word = encode_r(row->bits, fd, rs1, 0); break;
	default: BUG("%s is not floating point", row->name);
	}
	builder_emit(b, row, insn_rounds(row) ? word | rounding : word);
	if (rd != NO_REG)
		emit_sum(b, rd);
	else
		emit_sum_float(b, fd);
	if (lone_flags) {
		unsigned next_flags = pick_rs(b), flags = pick_rd(b);

		builder_emit(b, csrrw, encode_r(csrrw->bits, flags, next_flags, CSR_FFLAGS));
		emit_sum(b, flags);
	}
}

static bool emit_float(struct builder *b, const struct insn *row)
{
	unsigned rounds = 1 + pick_below(b, 4);

	/* Several with different operands, unless a jump must reach beyond them. */
	if (b->short_jumps)
		rounds = 1;
	while (rounds--)
		emit_float_once(b, row);
	return true;
}

static bool emit_memory(struct builder *b, const struct insn *row)
{
	const struct base *base = pick_base(b);
	int imm = (int)(pick_target(b, row->size_bytes) - base->offset);
	uint32_t word;

	switch (row->format) {
	case FORMAT_LOAD: word = encode_i(row->bits, pick_rd(b), base->reg, imm); break;
	case FORMAT_FLOAD: word = encode_i(row->bits, pick_fd(b), base->reg, imm); break;
	case FORMAT_STORE: word = encode_s(row->bits, base->reg, pick_rs(b), imm); break;
	case FORMAT_FSTORE: word = encode_s(row->bits, base->reg, pick_fs(b), imm); break;
	default: BUG("%s is no memory access", row->name);
	}
	builder_emit(b, row, word);
	return true;
}

static bool emit_c_memory(struct builder *b, const struct insn *row)
{
	unsigned size = row->size_bytes;
	bool by_sp = row->format >= FORMAT_C_LOAD_SP;
	unsigned base, imm, reg;
	uint32_t word;

	if (by_sp ? !pick_scaled(b, 2, 1, 63 * size, size, &base, &imm)
		  : !pick_scaled(b, 8, 8, 31 * size, size, &base, &imm))
		return false;
	switch (row->format) {
	case FORMAT_C_LOAD:
		reg = pick_free(b, 8, 8);
		if (reg == NO_REG)
			return false;
		b->recent_x = reg;
		word = encode_c_memory(row->bits, reg, base, imm, size);
		break;
	case FORMAT_C_FLOAD:
		b->recent_f = pick_rs_short(b);
		word = encode_c_memory(row->bits, b->recent_f, base, imm, size);
		break;
	case FORMAT_C_STORE:
	case FORMAT_C_FSTORE:
		word = encode_c_memory(row->bits, pick_rs_short(b), base, imm, size);
		break;
	case FORMAT_C_LOAD_SP:
		word = encode_c_load_sp(row->bits, pick_rd_nonzero(b), imm, size);
		break;
	case FORMAT_C_FLOAD_SP: word = encode_c_load_sp(row->bits, pick_fd(b), imm, size); break;
	case FORMAT_C_STORE_SP: word = encode_c_store_sp(row->bits, pick_rs(b), imm, size); break;
	case FORMAT_C_FSTORE_SP: word = encode_c_store_sp(row->bits, pick_fs(b), imm, size); break;
	default: BUG("%s is no compressed memory access", row->name);
	}
	builder_emit(b, row, word);
	return true;
}

static bool emit_c_integer(struct builder *b, const struct insn *row)
{
	int imm6 = (int)pick_below(b, 64) - 32;
	int nonzero = imm6 ? imm6 : 1;
	unsigned rs2 = 1 + pick_below(b, 31);
	unsigned rs2_short = pick_rs_short(b);
	unsigned rd;
	uint32_t word;

	switch (row->format) {
	case FORMAT_C_NOP: word = encode_ci(row->bits, 0, pick_one_in(b, 2) ? 0 : imm6); break;
	case FORMAT_C_IMM:
		/* c.addiw x0 is reserved, c.addi x0 is c.nop, c.li x0 a hint. */
		rd = strcmp(row->name, "c.li") ? pick_rd_nonzero(b) : pick_rd(b);
		word = encode_ci(row->bits, rd, imm6);
		break;
	case FORMAT_C_ADDI16SP:
		if (builder_is_busy(b, 2))
			return false;
		word = encode_addi16sp(row->bits, nonzero * 16);
		break;
	case FORMAT_C_LUI:
		rd = pick_rd(b);
		if (rd == 2)
			return false;
		word = encode_ci(row->bits, rd, nonzero);
		break;
	case FORMAT_C_SLLI: word = encode_ci(row->bits, pick_rd(b), imm6); break;
	case FORMAT_C_MOVE: word = encode_cr(row->bits, pick_rd(b), rs2); break;
	default:
		rd = pick_free(b, 8, 8);
		if (rd == NO_REG)
			return false;
		b->recent_x = rd;
		if (row->format == FORMAT_C_ADDI4SPN)
			word = encode_addi4spn(row->bits, rd, 4 * (1 + pick_below(b, 255)));
		else if (row->format == FORMAT_C_ARITH)
			word = encode_ca(row->bits, rd, rs2_short);
		else
			word = encode_cb_imm(row->bits, rd, imm6);
		break;
	}
	builder_emit(b, row, word);
	return true;
}

/* Compare and swap, of the value there or of another one. Pairs of registers are even and odd.
 * Never into x0, with which qemu 10 goes wrong. */
static void emit_cas(struct builder *b, const struct insn *row)
{
	const struct insn *load = insn_find("ld");
	unsigned size = row->size_bytes, rd, rs2 = pick_rs(b), address;
	bool equal = !pick_one_in(b, 3);
	uint32_t busy = b->busy;
	int64_t target;

	address = emit_aligned_address(b, size, &target);
	b->busy |= 1u << address;
	if (size == 16) {
		rs2 &= ~1u;
		do
			rd = pick_rd_nonzero(b);
		while (rd % 2 || builder_is_busy(b, rd + 1));
	} else {
		rd = pick_rd_nonzero(b);
	}
	if (equal)
		builder_emit(b, load, encode_i(load->bits, rd, address, 0));
	if (equal && size == 16)
		builder_emit(b, load, encode_i(load->bits, rd + 1, address, 8));
	emit_atomic_access(b, row, rd, address, rs2);
	b->busy = busy;
}

static bool emit_later(struct builder *b, const struct insn *row)
{
	uint32_t number = pick_below(b, 32);
	unsigned rs1 = pick_rs(b), rs2 = pick_rs(b), rd = pick_rd(b), base, imm;
	int64_t target;
	uint32_t word;

	switch (row->format) {
	case FORMAT_R: word = encode_r(row->bits, rd, rs1, rs2); break;
	case FORMAT_NONE: word = row->bits; break;
	case FORMAT_C_MOP: word = row->bits | (number & 7) << 8; break;
	case FORMAT_MOP_R:
		word = encode_r(row->bits, rd, rs1, 0) | (number >> 4) << 30 |
		       (number >> 2 & 3) << 26 | (number & 3) << 20;
		break;
	case FORMAT_MOP_RR:
		word = encode_r(row->bits, rd, rs1, rs2) | (number >> 2 & 1) << 30 |
		       (number & 3) << 26;
		break;
	case FORMAT_BLOCK:
		word = encode_r(row->bits, 0, emit_aligned_address(b, 1, &target), 0);
		break;
	case FORMAT_CAS: emit_cas(b, row); return true;
	case FORMAT_C_UNARY:
		rd = pick_free(b, 8, 8);
		if (rd == NO_REG)
			return false;
		b->recent_x = rd;
		word = encode_ca(row->bits, rd, 8);
		break;
	case FORMAT_C_NARROW_LOAD:
	case FORMAT_C_NARROW_STORE:
		if (!pick_scaled(b, 8, 8, row->size_bytes == 1 ? 3 : 2, row->size_bytes, &base,
				 &imm))
			return false;
		rd = row->format == FORMAT_C_NARROW_LOAD ? pick_free(b, 8, 8) : pick_rs_short(b);
		if (rd == NO_REG)
			return false;
		word = row->bits | (rd - 8) << 2 | (base - 8) << 7 | (imm >> 1) << 5 |
		       (imm & 1) << 6;
		break;
	default: BUG("%s is of no later extension", row->name);
	}
	builder_emit(b, row, word);
	return true;
}

static bool emit_integer(struct builder *b, const struct insn *row)
{
	unsigned rs1 = pick_rs(b), rs2 = pick_rs(b), rd = pick_rd(b);
	uint32_t word;

	/* qemu 7.2 counts beyond the low word where that is zero. */
	if (!strcmp(row->name, "ctzw")) {
		const struct insn *set = insn_find("bseti");
		unsigned bit = pick_below(b, 32);

		rs2 = pick_rd_nonzero(b);
		builder_emit(b, set, encode_r(set->bits, rs2, rs1, bit));
		rs1 = rs2;
	}
	switch (row->format) {
	case FORMAT_R: word = encode_r(row->bits, rd, rs1, rs2); break;
	case FORMAT_R1: word = encode_r(row->bits, rd, rs1, 0); break;
	case FORMAT_I: word = encode_i(row->bits, rd, rs1, pick_imm12(b)); break;
	case FORMAT_SHIFT64: word = encode_r(row->bits, rd, rs1, pick_below(b, 64)); break;
	case FORMAT_SHIFT32: word = encode_r(row->bits, rd, rs1, pick_below(b, 32)); break;
	case FORMAT_U: word = encode_u(row->bits, rd, pick_below(b, 1 << 20)); break;
	default: BUG("%s is no integer instruction", row->name);
	}
	builder_emit(b, row, word);
	return true;
}

bool straight_emit(struct builder *b, const struct insn *row)
{
	switch (row->kind) {
	case KIND_INTEGER:
	case KIND_BITS:
	case KIND_MULDIV: return emit_integer(b, row);
	case KIND_MEMORY: return emit_memory(b, row);
	case KIND_ATOMIC: return emit_atomic(b, row);
	case KIND_FLOAT: return emit_float(b, row);
	case KIND_SYSTEM: return emit_system(b, row);
	case KIND_C_INTEGER: return emit_c_integer(b, row);
	case KIND_C_MEMORY: return emit_c_memory(b, row);
	case KIND_LATER: return emit_later(b, row);
	case KIND_CONTROL:
	case KIND_COUNT: break;
	}
	BUG("%s is no straight-line instruction", row->name);
}
