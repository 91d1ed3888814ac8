#include "base/bits.h"
#include "base/err.h"
#include "isa/insn.h"
#include "isa/profile.h"

const struct insn_kind insn_kinds[OP_COUNT] = {
#define HAS(id) FEATURE_BIT(id)
#define INSN(id, mnemonic, match, mask, operands, unit) \
	INSN_OF(id, mnemonic, match, mask, operands, unit, 0)
#define INSN_OF(id, mnemonic, match, mask, operands, unit, needs) \
	[OP_##id] = {mnemonic, match, mask, operands, UNIT_##unit, needs},
#include "isa/insns.def"
#undef INSN
#undef HAS
	[OP_ILLEGAL] = {"illegal", 0, 0, "", UNIT_SYSTEM, 0},
};

unsigned insn_access_bytes(unsigned op)
{
	switch (op) {
	case OP_CBO_ZERO: return CACHE_BLOCK_BYTES;
	case OP_AMOCAS_Q: return 16;
	/* The two low bits of funct3 are the logarithm of the size in all others. */
	default: return 1U << (insn_kinds[op].match >> 12 & 3);
	}
}

static int32_t branch_displacement(uint32_t raw)
{
	uint64_t bits = bits_field(raw, 31, 1) << 12 | bits_field(raw, 7, 1) << 11 |
			bits_field(raw, 25, 6) << 5 | bits_field(raw, 8, 4) << 1;

	return (int32_t)bits_sign_extend(bits, 13);
}

static int32_t jump_displacement(uint32_t raw)
{
	uint64_t bits = bits_field(raw, 31, 1) << 20 | bits_field(raw, 12, 8) << 12 |
			bits_field(raw, 20, 1) << 11 | bits_field(raw, 21, 10) << 1;

	return (int32_t)bits_sign_extend(bits, 21);
}

static void decode_operand(struct insn *insn, uint32_t raw, char operand)
{
	uint8_t rd = (uint8_t)bits_field(raw, 7, 5);
	uint8_t rs1 = (uint8_t)bits_field(raw, 15, 5);
	uint8_t rs2 = (uint8_t)bits_field(raw, 20, 5);

	switch (operand) {
	case 'd': insn->rd = rd ? rd : REG_SINK; break;
	case 'e':
		insn->rd = rd ? rd : REG_SINK;
		insn->rs3 = rd;
		break;
	case 's': insn->rs1 = rs1; break;
	case 't': insn->rs2 = rs2; break;
	case 'D': insn->rd = rd + REG_FP; break;
	case 'S': insn->rs1 = rs1 + REG_FP; break;
	case 'T': insn->rs2 = rs2 + REG_FP; break;
	case 'R': insn->rs3 = (uint8_t)bits_field(raw, 27, 5) + REG_FP; break;
	case 'i': insn->imm = (int32_t)raw >> 20; break;
	case 'j': insn->imm = ((int32_t)raw >> 25) * 32 + rd; break;
	case 'h': insn->imm = (int32_t)bits_field(raw, 20, 6); break;
	case 'k': insn->imm = rs1; break;
	case 'u': insn->imm = (int32_t)(raw & 0xfffff000); break;
	case 'p': insn->imm = branch_displacement(raw); break;
	case 'a': insn->imm = jump_displacement(raw); break;
	case 'c': insn->imm = (int32_t)bits_field(raw, 20, 12); break;
	case 'z': insn->rm = rs1 & 31; break;
	case 'm': insn->rm = bits_field(raw, 12, 3) & 7; break;
	case 'f': insn->imm = (int32_t)raw >> 20; break;
	case ',':
	case '(':
	case ')': break;
	default: BUG("operand letter '%c' in insns.def", operand);
	}
}

struct insn insn_decode(uint32_t raw)
{
	return insn_decode_for(raw, FEATURES_ALL);
}

struct insn insn_decode_for(uint32_t raw, uint64_t features)
{
	struct insn insn = {.op = OP_ILLEGAL, .unit = UNIT_SYSTEM, .rd = REG_SINK, .bytes = 4};

	if (insn_is_compressed(raw)) {
		insn.bytes = 2;
		if (insn_compressed_needs((uint16_t)raw) & ~features)
			return insn;
		raw = insn_expand((uint16_t)raw);
	}
	for (unsigned op = 0; op < OP_ILLEGAL; op++) {
		const struct insn_kind *kind = &insn_kinds[op];

		if ((raw & kind->mask) != kind->match || kind->needs & ~features)
			continue;
		insn.op = (uint16_t)op;
		insn.unit = kind->unit;
		for (const char *p = kind->operands; *p; p++)
			decode_operand(&insn, raw, *p);
		if (kind->unit == UNIT_AMO)
			insn.rm = bits_field(raw, 25, 2) & 3;
		break;
	}
	return insn;
}
