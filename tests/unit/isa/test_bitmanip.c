/* Zba, Zbb, Zbc and Zbs give what their definitions, written bit by bit, give; in the interpreter
 * that is fast and in the one that it is compared with. */
#include "../test.h"
#include "base/array.h"
#include "base/rng.h"
#include "isa/profile.h"
#include "isa/cpu.h"

#define CODE_ADDRESS UINT64_C(0x10000)
#define ROUNDS	     20000

static bool bit(uint64_t value, unsigned number)
{
	return number < 64 && (value >> number & 1);
}

static uint64_t low_word(uint64_t value)
{
	return value % (UINT64_C(1) << 32);
}

/* Bits from `low` up to `width` bits of the value, the highest of them repeated above. */
static uint64_t extended(uint64_t value, unsigned width, bool is_signed)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < 64; i++)
		if (bit(value, i < width ? i : is_signed ? width - 1 : 64))
			result += UINT64_C(1) << i;
	return result;
}

static uint64_t zeros(uint64_t value, unsigned width, bool from_above)
{
	uint64_t count = 0;

	while (count < width && !bit(value, (unsigned)(from_above ? width - 1 - count : count)))
		count++;
	return count;
}

static uint64_t ones(uint64_t value, unsigned width)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < width; i++)
		count += bit(value, i);
	return count;
}

static uint64_t rotated_right(uint64_t value, unsigned by, unsigned width)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < width; i++)
		if (bit(value, (i + by) % width))
			result += UINT64_C(1) << i;
	return extended(result, width, true);
}

static uint64_t bytes_reversed(uint64_t value)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < 8; i++)
		result = result * 256 + (value >> 8 * i) % 256;
	return result;
}

/* Bit i of each byte goes to bit 7 - i. */
static uint64_t bits_reversed(uint64_t value)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < 64; i++)
		result += (uint64_t)bit(value, i) << (i / 8 * 8 + 7 - i % 8);
	return result;
}

static uint64_t bytes_or(uint64_t value)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < 8; i++)
		if ((value >> 8 * i) % 256)
			result += UINT64_C(255) << 8 * i;
	return result;
}

/* 64 bits of the carry-less product from bit `low` on: each is the parity of the pairs of bits
 * whose numbers add up to its number. */
static uint64_t product_bits(uint64_t a, uint64_t b, unsigned low)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < 64; i++) {
		bool parity = false;

		for (unsigned j = 0; j < 64; j++)
			parity ^= bit(a, j) && low + i >= j && bit(b, low + i - j);
		result += (uint64_t)parity << i;
	}
	return result;
}

/* What the instruction with sources a and b, or a and the amount imm, is defined to give. */
static uint64_t defined(enum op op, uint64_t a, uint64_t b, unsigned imm)
{
	uint64_t power = UINT64_C(1) << (b % 64), power_imm = UINT64_C(1) << imm;

	switch (op) {
	case OP_ADD_UW: return low_word(a) + b;
	case OP_SH1ADD: return a * 2 + b;
	case OP_SH2ADD: return a * 4 + b;
	case OP_SH3ADD: return a * 8 + b;
	case OP_SH1ADD_UW: return low_word(a) * 2 + b;
	case OP_SH2ADD_UW: return low_word(a) * 4 + b;
	case OP_SH3ADD_UW: return low_word(a) * 8 + b;
	case OP_SLLI_UW: return low_word(a) * power_imm;
	case OP_ANDN: return a - (a & b);
	case OP_ORN: return UINT64_MAX - (b - (a & b));
	case OP_XNOR: return UINT64_MAX - ((a | b) - (a & b));
	case OP_CLZ: return zeros(a, 64, true);
	case OP_CTZ: return zeros(a, 64, false);
	case OP_CPOP: return ones(a, 64);
	case OP_CLZW: return zeros(a, 32, true);
	case OP_CTZW: return zeros(a, 32, false);
	case OP_CPOPW: return ones(a, 32);
	case OP_MIN: return (int64_t)a < (int64_t)b ? a : b;
	case OP_MINU: return a < b ? a : b;
	case OP_MAX: return (int64_t)a < (int64_t)b ? b : a;
	case OP_MAXU: return a < b ? b : a;
	case OP_SEXT_B: return extended(a, 8, true);
	case OP_SEXT_H: return extended(a, 16, true);
	case OP_ZEXT_H: return extended(a, 16, false);
	case OP_ROL: return rotated_right(a, 64 - b % 64, 64);
	case OP_ROLW: return rotated_right(a, 32 - b % 32, 32);
	case OP_ROR: return rotated_right(a, b % 64, 64);
	case OP_RORW: return rotated_right(a, b % 32, 32);
	case OP_RORI: return rotated_right(a, imm, 64);
	case OP_RORIW: return rotated_right(a, imm, 32);
	case OP_ORC_B: return bytes_or(a);
	case OP_REV8: return bytes_reversed(a);
	case OP_CLMUL: return product_bits(a, b, 0);
	case OP_CLMULH: return product_bits(a, b, 64);
	case OP_CLMULR: return product_bits(a, b, 63);
	case OP_PACK: return low_word(a) + low_word(b) * 0x100000000;
	case OP_PACKH: return a % 256 + b % 256 * 256;
	case OP_PACKW: return extended(a % 65536 + b % 65536 * 65536, 32, true);
	case OP_BREV8: return bits_reversed(a);
	case OP_CZERO_EQZ: return b == 0 ? 0 : a;
	case OP_CZERO_NEZ: return b != 0 ? 0 : a;
	case OP_MOP_R:
	case OP_MOP_RR: return 0;
	case OP_BCLR: return bit(a, b % 64) ? a - power : a;
	case OP_BCLRI: return bit(a, imm) ? a - power_imm : a;
	case OP_BEXT: return bit(a, b % 64);
	case OP_BEXTI: return bit(a, imm);
	case OP_BINV: return bit(a, b % 64) ? a - power : a + power;
	case OP_BINVI: return bit(a, imm) ? a - power_imm : a + power_imm;
	case OP_BSET: return bit(a, b % 64) ? a : a + power;
	case OP_BSETI: return bit(a, imm) ? a : a + power_imm;
	default: fail_msg("no definition of %s", insn_kinds[op].mnemonic); return 0;
	}
}

static uint64_t operand(struct rng *rng)
{
	static const uint64_t special[] = {
		0,
		1,
		UINT64_MAX,
		UINT64_C(1) << 63,
		UINT64_MAX >> 1,
		UINT64_C(0xffffffff),
		UINT64_C(0x80000000),
		UINT64_C(0xffffffff00000000),
		UINT64_C(0x100000000),
		0x80,
		0x8000,
		63,
		64,
		UINT64_C(0x8000000000000001),
		UINT64_C(0x0100010000ff0001),
	};
	uint64_t word = rng_next(rng);

	switch (rng_below(rng, 4)) {
	case 0: return special[rng_below(rng, ARRAY_COUNT(special))];
	case 1: return word >> rng_below(rng, 64);
	case 2: return word << rng_below(rng, 64);
	default: return word;
	}
}

static uint64_t executed(struct cpu *cpu, uint32_t word, uint64_t a, uint64_t b, bool fast)
{
	/* Writing the code empties its decoded slots. */
	assert_true(memory_write(cpu->memory, CODE_ADDRESS, &word, sizeof(word)));
	hart_init(&cpu->hart);
	cpu->hart.pc = CODE_ADDRESS;
	cpu->hart.r[REG_A0 + 1] = a;
	cpu->hart.r[REG_A0 + 2] = b;
	assert_int_equal(fast ? cpu_run(cpu, cpu->instructions + 1) : cpu_step(cpu), STOP_LIMIT);
	assert_int_equal(cpu->hart.pc, CODE_ADDRESS + 4);
	return cpu->hart.r[REG_A0];
}

TEST(test_results_are_those_defined)
{
	struct memory memory;
	struct cpu cpu = {.memory = &memory};
	struct rng rng = {1};
	struct err err;

	assert_true(memory_init(&memory, UINT64_C(1) << 30, &err));
	assert_true(memory_map(&memory, CODE_ADDRESS, GUEST_PAGE_BYTES,
			       PAGE_READ | PAGE_WRITE | PAGE_EXEC));
	cpu.code = code_create(&memory);
	assert_non_null(cpu.code);
	cpu.code->features = FEATURES_ALL;
	for (unsigned op = OP_ADD_UW; op <= OP_MOP_RR; op++) {
		const struct insn_kind *kind = &insn_kinds[op];
		bool has_amount = strchr(kind->operands, 'h') != NULL;
		bool has_second = strchr(kind->operands, 't') != NULL;

		for (unsigned round = 0; round < ROUNDS / 43; round++) {
			uint64_t a = operand(&rng), b = operand(&rng);
			/* The shift amounts of words have five bits. */
			unsigned imm = (unsigned)rng_below(&rng, kind->mask >> 25 & 1 ? 32 : 64);
			uint32_t word = kind->match | REG_A0 << 7 | (REG_A0 + 1) << 15;

			if (has_amount)
				word |= imm << 20;
			if (has_second)
				word |= (REG_A0 + 2) << 20;
			assert_int_equal(insn_decode(word).op, op);
			for (unsigned fast = 0; fast < 2; fast++) {
				uint64_t is = executed(&cpu, word, a, b, fast);
				uint64_t should = defined(op, a, b, imm);

				if (is != should)
					fail_msg("%s of %#llx, %#llx, amount %u: %#llx, not %#llx",
						 kind->mnemonic, (unsigned long long)a,
						 (unsigned long long)b, imm, (unsigned long long)is,
						 (unsigned long long)should);
			}
		}
	}
	code_destroy(cpu.code);
	memory_release(&memory);
}
