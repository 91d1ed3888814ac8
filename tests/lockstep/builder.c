#include "builder.h"

#include "base/array.h"
#include "base/err.h"

void code_emit(struct code *code, uint32_t word)
{
	unsigned bytes = (word & 3) == 3 ? 4 : 2;

	for (unsigned i = 0; i < bytes; i++)
		*ARRAY_PUSH(code->bytes, code->count, code->capacity) = (uint8_t)(word >> 8 * i);
}

void code_pad(struct code *code, size_t count)
{
	while (count--)
		*ARRAY_PUSH(code->bytes, code->count, code->capacity) = 0;
}

uint64_t code_here(const struct code *code)
{
	return code->address + code->count;
}

unsigned pick_below(struct builder *b, unsigned bound)
{
	return (unsigned)rng_below(&b->rng, bound);
}

bool pick_one_in(struct builder *b, unsigned n)
{
	return pick_below(b, n) == 0;
}

bool builder_is_busy(const struct builder *b, unsigned reg)
{
	return b->busy >> reg & 1;
}

unsigned pick_free(struct builder *b, unsigned first, unsigned count)
{
	for (unsigned tries = 0; tries < 40; tries++) {
		unsigned reg = first + pick_below(b, count);

		if (!builder_is_busy(b, reg))
			return reg;
	}
	return NO_REG;
}

unsigned pick_rd(struct builder *b)
{
	unsigned reg = pick_free(b, 0, 32);

	BUG_ON(reg == NO_REG);
	b->recent_x = reg;
	return reg;
}

unsigned pick_rd_nonzero(struct builder *b)
{
	unsigned reg = pick_free(b, 1, 31);

	BUG_ON(reg == NO_REG);
	b->recent_x = reg;
	return reg;
}

unsigned pick_rs(struct builder *b)
{
	return pick_one_in(b, 4) ? b->recent_x : pick_below(b, 32);
}

unsigned pick_rs_short(struct builder *b)
{
	return 8 + pick_below(b, 8);
}

unsigned pick_fd(struct builder *b)
{
	return b->recent_f = pick_below(b, 32);
}

unsigned pick_fs(struct builder *b)
{
	return pick_one_in(b, 4) ? b->recent_f : pick_below(b, 32);
}

int pick_imm12(struct builder *b)
{
	static const int special[] = {0, 1, -1, 2047, -2048, 31, 32, 63, 64, 1024};

	if (pick_one_in(b, 3))
		return special[pick_below(b, ARRAY_COUNT(special))];
	return (int)pick_below(b, 4096) - 2048;
}

unsigned pick_rounding(struct builder *b)
{
	/* To nearest even, what programs use, twice as often as the rest. */
	static const unsigned modes[] = {0, 0, 1, 2, 3, 4, 7, 7, 7};

	return modes[pick_below(b, ARRAY_COUNT(modes))];
}

int64_t pick_target(struct builder *b, unsigned size)
{
	unsigned last = WINDOW_BYTES - size;
	int64_t line = 64 * (1 + pick_below(b, WINDOW_BYTES / 64 - 1));

	switch (pick_below(b, 4)) {
	case 0: return pick_below(b, WINDOW_BYTES / size) * size;
	case 1: return pick_below(b, last + 1);
	case 2:
		if (size > 1)
			return line - 1 - pick_below(b, size - 1);
		return line - pick_below(b, 2);
	default:
		if (size > 1)
			return WINDOW_BYTES / 2 - 1 - pick_below(b, size - 1);
		return WINDOW_BYTES / 2 - pick_below(b, 2);
	}
}

const struct base *pick_base(struct builder *b)
{
	return &b->bases[pick_below(b, b->base_count)];
}

bool pick_scaled(struct builder *b, unsigned first, unsigned count, unsigned max, unsigned size,
		 unsigned *reg, unsigned *imm)
{
	for (unsigned tries = 0; tries < 60; tries++) {
		const struct base *base = pick_base(b);
		unsigned offset = pick_below(b, max / size + 1) * size;
		int64_t target = base->offset + offset;

		if (base->reg < first || base->reg >= first + count)
			continue;
		if (target < 0 || target > WINDOW_BYTES - (int)size)
			continue;
		*reg = base->reg;
		*imm = offset;
		return true;
	}
	return false;
}

void builder_emit(struct builder *b, const struct insn *row, uint32_t word)
{
	unsigned variant = insn_rounds(row) ? word >> 12 & 7 : 0;

	b->coverage[(size_t)(row - insn_rows) * INSN_VARIANTS + variant]++;
	code_emit(b->code, word);
}

void builder_addi(struct builder *b, unsigned rd, unsigned rs1, int imm)
{
	const struct insn *row = insn_find("addi");

	builder_emit(b, row, encode_i(row->bits, rd, rs1, imm));
}

void builder_branch(struct builder *b, const char *name, unsigned rs1, unsigned rs2, size_t target)
{
	const struct insn *row = insn_find(name);
	int offset = (int)((int64_t)target - (int64_t)b->code->count);

	builder_emit(b, row, encode_b(row->bits, rs1, rs2, offset));
}
