#include "base/bits.h"
#include "isa/insn.h"
#include "isa/profile.h"

/* The RISC-V C extension, quadrant by quadrant. Bit ranges are named as in the
 * instruction set manual: nzuimm[5:4|9:6|2|3] and the like. */

static uint32_t i_type(uint32_t match, unsigned rd, unsigned rs1, int32_t imm)
{
	return match | rd << 7 | rs1 << 15 | (uint32_t)imm << 20;
}

static uint32_t s_type(uint32_t match, unsigned rs1, unsigned rs2, uint32_t imm)
{
	return match | (imm & 0x1f) << 7 | rs1 << 15 | rs2 << 20 | (imm >> 5) << 25;
}

static uint32_t r_type(uint32_t match, unsigned rd, unsigned rs1, unsigned rs2)
{
	return match | rd << 7 | rs1 << 15 | rs2 << 20;
}

static uint32_t b_type(uint32_t match, unsigned rs1, int32_t displacement)
{
	uint32_t d = (uint32_t)displacement;

	return match | rs1 << 15 | (d >> 11 & 1) << 7 | (d >> 1 & 0xf) << 8 |
	       (d >> 5 & 0x3f) << 25 | (d >> 12 & 1) << 31;
}

static uint32_t j_type(unsigned rd, int32_t displacement)
{
	uint32_t d = (uint32_t)displacement;

	return 0x6f | rd << 7 | (d & 0xff000) | (d >> 11 & 1) << 20 | (d >> 1 & 0x3ff) << 21 |
	       (d >> 20 & 1) << 31;
}

#define MATCH(id)     (insn_kinds[OP_##id].match)
#define C_MOP	      0x6081
#define C_MOP_MASK    0xf8ff
#define C(low, width) ((uint32_t)bits_field(c, low, width))

/* Loads and stores of bytes and half words (Zcb). */
static uint32_t expand_narrow(uint32_t c, unsigned reg, unsigned rs1)
{
	uint32_t byte = C(6, 1) | C(5, 1) << 1, half = C(5, 1) << 1;

	switch (C(10, 3)) {
	case 0: return i_type(MATCH(LBU), reg, rs1, (int32_t)byte);
	case 1: return i_type(C(6, 1) ? MATCH(LH) : MATCH(LHU), reg, rs1, (int32_t)half);
	case 2: return s_type(MATCH(SB), rs1, reg, byte);
	case 3: return C(6, 1) ? 0 : s_type(MATCH(SH), rs1, reg, half);
	default: return 0;
	}
}

static uint32_t expand_quadrant0(uint32_t c)
{
	unsigned rd = C(2, 3) + 8, rs1 = C(7, 3) + 8;
	uint32_t word = C(6, 1) << 2 | C(10, 3) << 3 | C(5, 1) << 6;
	uint32_t doubleword = C(10, 3) << 3 | C(5, 2) << 6;
	uint32_t addi4spn = C(6, 1) << 2 | C(5, 1) << 3 | C(11, 2) << 4 | C(7, 4) << 6;

	switch (C(13, 3)) {
	case 0: return addi4spn ? i_type(MATCH(ADDI), rd, REG_SP, (int32_t)addi4spn) : 0;
	case 1: return i_type(MATCH(FLD), rd, rs1, (int32_t)doubleword);
	case 2: return i_type(MATCH(LW), rd, rs1, (int32_t)word);
	case 3: return i_type(MATCH(LD), rd, rs1, (int32_t)doubleword);
	case 4: return expand_narrow(c, rd, rs1);
	case 5: return s_type(MATCH(FSD), rs1, rd, doubleword);
	case 6: return s_type(MATCH(SW), rs1, rd, word);
	case 7: return s_type(MATCH(SD), rs1, rd, doubleword);
	default: return 0;
	}
}

/* Operations on one register (Zcb). */
static uint32_t expand_unary(uint32_t c, unsigned rd)
{
	switch (C(2, 3)) {
	case 0: return i_type(MATCH(ANDI), rd, rd, 255);
	case 1: return MATCH(SEXT_B) | rd << 7 | rd << 15;
	case 2: return MATCH(ZEXT_H) | rd << 7 | rd << 15;
	case 3: return MATCH(SEXT_H) | rd << 7 | rd << 15;
	case 4: return r_type(MATCH(ADD_UW), rd, rd, 0);
	case 5: return i_type(MATCH(XORI), rd, rd, -1);
	default: return 0;
	}
}

static uint32_t expand_arithmetic(uint32_t c, int32_t imm)
{
	unsigned rd = C(7, 3) + 8, rs2 = C(2, 3) + 8;
	unsigned shift = C(12, 1) << 5 | C(2, 5);

	switch (C(10, 2)) {
	case 0: return i_type(MATCH(SRLI), rd, rd, (int32_t)shift);
	case 1: return i_type(MATCH(SRAI), rd, rd, (int32_t)shift);
	case 2: return i_type(MATCH(ANDI), rd, rd, imm);
	}
	switch (C(12, 1) << 2 | C(5, 2)) {
	case 0: return r_type(MATCH(SUB), rd, rd, rs2);
	case 1: return r_type(MATCH(XOR), rd, rd, rs2);
	case 2: return r_type(MATCH(OR), rd, rd, rs2);
	case 3: return r_type(MATCH(AND), rd, rd, rs2);
	case 4: return r_type(MATCH(SUBW), rd, rd, rs2);
	case 5: return r_type(MATCH(ADDW), rd, rd, rs2);
	case 6: return r_type(MATCH(MUL), rd, rd, rs2);
	default: return expand_unary(c, rd);
	}
}

static uint32_t expand_quadrant1(uint32_t c)
{
	unsigned rd = C(7, 5);
	int32_t imm = (int32_t)bits_sign_extend(C(12, 1) << 5 | C(2, 5), 6);
	int32_t addi16sp = (int32_t)bits_sign_extend(
		C(12, 1) << 9 | C(6, 1) << 4 | C(5, 1) << 6 | C(3, 2) << 7 | C(2, 1) << 5, 10);
	int32_t jump = (int32_t)bits_sign_extend(C(12, 1) << 11 | C(11, 1) << 4 | C(9, 2) << 8 |
							 C(8, 1) << 10 | C(7, 1) << 6 |
							 C(6, 1) << 7 | C(3, 3) << 1 | C(2, 1) << 5,
						 12);
	int32_t branch = (int32_t)bits_sign_extend(
		C(12, 1) << 8 | C(10, 2) << 3 | C(5, 2) << 6 | C(3, 2) << 1 | C(2, 1) << 5, 9);

	switch (C(13, 3)) {
	case 0: return i_type(MATCH(ADDI), rd, rd, imm);
	case 1: return rd ? i_type(MATCH(ADDIW), rd, rd, imm) : 0;
	case 2: return i_type(MATCH(ADDI), rd, 0, imm);
	case 3:
		if (rd == REG_SP)
			return addi16sp ? i_type(MATCH(ADDI), rd, rd, addi16sp) : 0;
		if (imm)
			return MATCH(LUI) | rd << 7 | (uint32_t)imm << 12;
		/* c.mop.n, which writes nothing. */
		return (c & C_MOP_MASK) == C_MOP ? i_type(MATCH(ADDI), 0, 0, 0) : 0;
	case 4: return expand_arithmetic(c, imm);
	case 5: return j_type(0, jump);
	case 6: return b_type(MATCH(BEQ), C(7, 3) + 8, branch);
	default: return b_type(MATCH(BNE), C(7, 3) + 8, branch);
	}
}

static uint32_t expand_quadrant2(uint32_t c)
{
	unsigned rd = C(7, 5), rs2 = C(2, 5);
	unsigned shift = C(12, 1) << 5 | C(2, 5);
	uint32_t load_word = C(4, 3) << 2 | C(12, 1) << 5 | C(2, 2) << 6;
	uint32_t load_doubleword = C(5, 2) << 3 | C(12, 1) << 5 | C(2, 3) << 6;
	uint32_t store_word = C(9, 4) << 2 | C(7, 2) << 6;
	uint32_t store_doubleword = C(10, 3) << 3 | C(7, 3) << 6;

	switch (C(13, 3)) {
	case 0: return i_type(MATCH(SLLI), rd, rd, (int32_t)shift);
	case 1: return i_type(MATCH(FLD), rd, REG_SP, (int32_t)load_doubleword);
	case 2: return rd ? i_type(MATCH(LW), rd, REG_SP, (int32_t)load_word) : 0;
	case 3: return rd ? i_type(MATCH(LD), rd, REG_SP, (int32_t)load_doubleword) : 0;
	case 4:
		if (C(12, 1) == 0) {
			if (rs2)
				return r_type(MATCH(ADD), rd, 0, rs2);
			return rd ? i_type(MATCH(JALR), 0, rd, 0) : 0;
		}
		if (rs2)
			return r_type(MATCH(ADD), rd, rd, rs2);
		return rd ? i_type(MATCH(JALR), REG_RA, rd, 0) : MATCH(EBREAK);
	case 5: return s_type(MATCH(FSD), REG_SP, rs2, store_doubleword);
	case 6: return s_type(MATCH(SW), REG_SP, rs2, store_word);
	default: return s_type(MATCH(SD), REG_SP, rs2, store_doubleword);
	}
}

uint64_t insn_compressed_needs(uint16_t raw)
{
	if ((raw & 0xe003) == 0x8000)
		return FEATURE_BIT(ZCB);
	if ((raw & 0xfc63) == 0x9c41 || (raw & 0xfc63) == 0x9c61)
		return FEATURE_BIT(ZCB);
	return (raw & C_MOP_MASK) == C_MOP ? FEATURE_BIT(ZCMOP) : 0;
}

uint32_t insn_expand(uint16_t raw)
{
	switch (raw & 3) {
	case 0: return expand_quadrant0(raw);
	case 1: return expand_quadrant1(raw);
	case 2: return expand_quadrant2(raw);
	default: return 0;
	}
}
