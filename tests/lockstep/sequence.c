#include "sequence.h"

#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/err.h"
#include "builder.h"
#include "straight.h"
#include "value.h"

/* How often each kind is chosen, out of 100. */
static const unsigned themes[][KIND_COUNT] = {
	/* int, muldiv, memory, atomic, float, control, system, c.int, c.memory, bits, later */
	{16, 6, 14, 6, 22, 8, 4, 10, 8, 6}, {4, 2, 10, 1, 68, 4, 5, 2, 2, 2},
	{10, 2, 35, 12, 5, 8, 2, 6, 18, 2}, {12, 4, 4, 2, 4, 28, 4, 36, 4, 2},
	{32, 28, 4, 2, 4, 8, 2, 14, 2, 4},  {3, 1, 8, 1, 75, 3, 4, 2, 2, 1},
	{16, 4, 6, 1, 2, 8, 1, 8, 2, 52},
};

/* The same of LEVEL_LATER. */
static const unsigned later_themes[][KIND_COUNT] = {
	{10, 4, 10, 6, 16, 8, 4, 6, 6, 6, 24},
	{4, 2, 8, 1, 62, 4, 5, 2, 2, 2, 8},
	{6, 2, 10, 4, 4, 8, 2, 10, 6, 8, 40},
};

/*
 * Control flow
 */

static bool has_small_reach(const struct insn *row)
{
	return row->format != FORMAT_BRANCH && row->format != FORMAT_JAL;
}

static void patch(struct builder *b, const struct fixup *fixup)
{
	int offset = (int)(b->code->count - fixup->origin);
	uint32_t word = fixup->word;
	unsigned bytes;

	switch (fixup->row->format) {
	case FORMAT_BRANCH: word = encode_b(word, 0, 0, offset); break;
	case FORMAT_JAL: word = encode_j(word, 0, offset); break;
	case FORMAT_C_J: word = encode_cj(word, offset); break;
	case FORMAT_C_BRANCH:
		/* The register is in place already; 8 encodes as 0. */
		word = encode_c_branch(word, 8, offset);
		break;
	case FORMAT_JALR:
	case FORMAT_I: word = encode_i(word, 0, 0, offset); break;
	default: BUG("%s is no jump", fixup->row->name);
	}
	if (has_small_reach(fixup->row))
		b->short_jumps--;
	bytes = (word & 3) == 3 ? 4 : 2;
	for (unsigned i = 0; i < bytes; i++)
		b->code->bytes[fixup->position + i] = (uint8_t)(word >> 8 * i);
}

/* Emits `word`, whose offset is put in when the target is reached. */
static struct fixup emit_jump(struct builder *b, const struct insn *row, uint32_t word,
			      size_t origin)
{
	struct fixup fixup = {.row = row, .position = b->code->count, .origin = origin};

	fixup.word = word;
	fixup.units_left = 1 + pick_below(b, 4);
	if (has_small_reach(row))
		b->short_jumps++;
	builder_emit(b, row, word);
	return fixup;
}

static void jump_later(struct builder *b, struct fixup fixup)
{
	BUG_ON(b->block->fixup_count == MAX_FIXUPS);
	b->block->fixups[b->block->fixup_count++] = fixup;
}

/* At a unit boundary: jumps that have skipped enough land here. */
static void land_jumps(struct builder *b, bool all)
{
	struct block *block = b->block;
	unsigned kept = 0;

	for (unsigned i = 0; i < block->fixup_count; i++) {
		struct fixup fixup = block->fixups[i];

		if (all || --fixup.units_left == 0)
			patch(b, &fixup);
		else
			block->fixups[kept++] = fixup;
	}
	block->fixup_count = kept;
}

static void emit_unit(struct builder *b);

static void emit_block(struct builder *b, unsigned units)
{
	struct block block = {.outer = b->block};

	b->block = &block;
	for (unsigned i = 0; i < units && b->sequence->units < b->limit; i++) {
		emit_unit(b);
		land_jumps(b, false);
	}
	land_jumps(b, true);
	b->block = block.outer;
}

static bool compound_allowed(const struct builder *b)
{
	return !b->short_jumps && !b->in_call && b->loop_depth < 2;
}

/* After an unconditional jump nothing falls through: now and then an illegal
 * instruction stands there, which must not be executed. */
static void emit_unreachable(struct builder *b)
{
	if (pick_one_in(b, 3))
		code_pad(b->code, 2);
}

static int back_to(const struct builder *b, size_t target)
{
	return (int)((int64_t)target - (int64_t)b->code->count);
}

/* A bounded loop closed by `row`. The counter is busy inside, and so is
 * `helper`, which the closing needs for a comparison or an address. */
static bool emit_loop(struct builder *b, const struct insn *row)
{
	bool counts_up = !strcmp(row->name, "blt") || !strcmp(row->name, "bgeu");
	int rounds = 1 + (int)pick_below(b, 5);
	unsigned counter = pick_free(b, 8, 8);
	const struct insn *addi = insn_find("addi");
	unsigned helper;
	uint32_t busy = b->busy;
	size_t top;

	if (counter == NO_REG || !pick_one_in(b, 2))
		counter = row->format == FORMAT_C_BRANCH ? counter : pick_rd_nonzero(b);
	if (counter == NO_REG)
		return false;
	b->busy |= 1u << counter;
	helper = pick_free(b, 8, 8);
	if (helper == NO_REG)
		helper = row->format == FORMAT_C_BRANCH ? NO_REG : pick_free(b, 1, 31);
	if (helper == NO_REG) {
		b->busy = busy;
		return false;
	}
	b->busy |= 1u << helper;

	builder_addi(b, counter, 0, counts_up ? -rounds : rounds);
	if (row->format == FORMAT_JALR) {
		const struct insn *auipc = insn_find("auipc");

		builder_emit(b, auipc, encode_u(auipc->bits, helper, 0));
	}
	top = b->code->count;
	b->loop_depth++;
	emit_block(b, 1 + pick_below(b, 5));
	b->loop_depth--;
	builder_emit(b, addi, encode_i(addi->bits, counter, counter, counts_up ? 1 : -1));

	switch (row->format) {
	case FORMAT_BRANCH:
		if (!strcmp(row->name, "beq")) {
			const struct insn *slti = insn_find("slti");

			builder_emit(b, slti, encode_i(slti->bits, helper, counter, 1));
			builder_branch(b, "beq", helper, 0, top);
		} else if (!strcmp(row->name, "bgeu")) {
			builder_addi(b, helper, 0, -16);
			builder_branch(b, "bgeu", counter, helper, top);
		} else if (!strcmp(row->name, "bltu")) {
			builder_branch(b, "bltu", 0, counter, top);
		} else {
			builder_branch(b, row->name, counter, 0, top);
		}
		break;
	case FORMAT_C_BRANCH:
		if (back_to(b, top) < -240) {
			builder_branch(b, "bne", counter, 0, top);
		} else if (!strcmp(row->name, "c.bnez")) {
			builder_emit(b, row, encode_c_branch(row->bits, counter, back_to(b, top)));
		} else {
			const struct insn *slti = insn_find("slti");

			builder_emit(b, slti, encode_i(slti->bits, helper, counter, 1));
			builder_emit(b, row, encode_c_branch(row->bits, helper, back_to(b, top)));
		}
		break;
	case FORMAT_JAL:
		builder_branch(b, "beq", counter, 0, b->code->count + 8);
		builder_emit(b, row,
			     encode_j(row->bits, pick_one_in(b, 2) ? 0 : helper, back_to(b, top)));
		break;
	case FORMAT_C_J:
		if (back_to(b, top) < -2000) {
			builder_branch(b, "bne", counter, 0, top);
			break;
		}
		builder_branch(b, "beq", counter, 0, b->code->count + 6);
		builder_emit(b, row, encode_cj(row->bits, back_to(b, top)));
		break;
	case FORMAT_JALR:
		builder_branch(b, "beq", counter, 0, b->code->count + 8);
		builder_emit(b, row, encode_i(row->bits, 0, helper, 4));
		break;
	default: BUG("%s closes no loop", row->name);
	}
	b->busy = busy;
	return true;
}

/* A call of a small function right behind the caller, entered by `row`. */
static bool emit_call(struct builder *b, const struct insn *row)
{
	const struct insn *jal = insn_find("jal");
	const struct insn *jalr = insn_find("jalr");
	const struct insn *c_jr = insn_find("c.jr");
	const struct insn *c_j = insn_find("c.j");
	unsigned link = row->format == FORMAT_C_JALR ? 1 : pick_rd_nonzero(b);
	uint32_t busy = b->busy;
	struct fixup to_function, to_end;
	unsigned rd;
	int odd; /* jalr clears the lowest bit of its target, so it may be set */

	if (builder_is_busy(b, link))
		return false;
	b->in_call = true;
	if (row->format == FORMAT_C_JALR) {
		const struct insn *auipc = insn_find("auipc");
		const struct insn *addi = insn_find("addi");
		unsigned pointer = pick_rd_nonzero(b);
		size_t origin = b->code->count;

		builder_emit(b, auipc, encode_u(auipc->bits, pointer, 0));
		to_function = emit_jump(b, addi, encode_i(addi->bits, pointer, pointer, 0), origin);
		builder_emit(b, row, encode_cr(row->bits, pointer, 0));
	} else {
		to_function = emit_jump(b, jal, encode_j(jal->bits, link, 0), b->code->count);
	}
	emit_block(b, 1 + pick_below(b, 2));
	if (pick_one_in(b, 2))
		to_end = emit_jump(b, c_j, c_j->bits, b->code->count);
	else
		to_end = emit_jump(b, jal, encode_j(jal->bits, 0, 0), b->code->count);
	emit_unreachable(b);

	patch(b, &to_function);
	b->busy |= 1u << link;
	emit_block(b, 1 + pick_below(b, 2));
	b->busy = busy;
	odd = (int)pick_below(b, 2);
	rd = pick_one_in(b, 2) ? 0 : pick_rd(b);
	if (pick_one_in(b, 2))
		builder_emit(b, c_jr, encode_cr(c_jr->bits, link, 0));
	else
		builder_emit(b, jalr, encode_i(jalr->bits, rd, link, odd));
	emit_unreachable(b);
	patch(b, &to_end);
	b->in_call = false;
	return true;
}

static bool emit_control(struct builder *b, const struct insn *row)
{
	const struct insn *auipc = insn_find("auipc");
	const struct insn *addi = insn_find("addi");
	size_t origin = b->code->count;
	struct fixup fixup;
	unsigned pointer, link, rs1, rs2;
	uint32_t word;

	if (compound_allowed(b) && pick_one_in(b, 3)) {
		if (row->format == FORMAT_C_JALR || row->format == FORMAT_C_JR ||
		    (row->format == FORMAT_JAL && pick_one_in(b, 2)))
			return emit_call(b, row);
		return emit_loop(b, row);
	}
	switch (row->format) {
	case FORMAT_BRANCH:
		rs1 = pick_rs(b);
		rs2 = pick_one_in(b, 4) ? rs1 : pick_one_in(b, 3) ? 0 : pick_rs(b);
		fixup = emit_jump(b, row, encode_b(row->bits, rs1, rs2, 0), origin);
		break;
	case FORMAT_C_BRANCH:
		fixup = emit_jump(b, row, encode_c_branch(row->bits, pick_rs_short(b), 0), origin);
		break;
	case FORMAT_JAL:
		fixup = emit_jump(b, row, encode_j(row->bits, pick_rd(b), 0), origin);
		emit_unreachable(b);
		break;
	case FORMAT_C_J:
		fixup = emit_jump(b, row, row->bits, origin);
		emit_unreachable(b);
		break;
	case FORMAT_JALR:
		pointer = pick_rd_nonzero(b);
		builder_emit(b, auipc, encode_u(auipc->bits, pointer, 0));
		link = pick_one_in(b, 4) ? pointer : pick_rd(b);
		/* jalr clears the lowest bit of its target, so it may be set. */
		word = encode_i(row->bits, link, pointer, (int)pick_below(b, 2));
		fixup = emit_jump(b, row, word, origin);
		emit_unreachable(b);
		break;
	case FORMAT_C_JR:
	case FORMAT_C_JALR:
		if (row->format == FORMAT_C_JALR && builder_is_busy(b, 1))
			return false;
		pointer = pick_rd_nonzero(b);
		builder_emit(b, auipc, encode_u(auipc->bits, pointer, 0));
		fixup = emit_jump(b, addi, encode_i(addi->bits, pointer, pointer, 0), origin);
		builder_emit(b, row, encode_cr(row->bits, pointer, 0));
		emit_unreachable(b);
		break;
	default: BUG("%s is no jump", row->name);
	}
	jump_later(b, fixup);
	return true;
}

static const struct insn *pick_row(struct builder *b)
{
	unsigned share = pick_below(b, 100);
	unsigned kind = 0;
	const struct insn *row;

	while (share >= b->weights[kind])
		share -= b->weights[kind++];
	do
		row = &insn_rows[pick_below(b, b->row_count)];
	while (row->kind != kind);
	return row;
}

static void emit_unit(struct builder *b)
{
	const struct insn *row;

	BUG_ON(b->sequence->units == SEQUENCE_MAX_UNITS);
	b->sequence->unit_address[b->sequence->units++] = code_here(b->code);
	do
		row = pick_row(b);
	while (!(row->kind == KIND_CONTROL ? emit_control(b, row) : straight_emit(b, row)));
}

/*
 * What a sequence starts with
 */

static void add_base(struct builder *b, unsigned reg)
{
	struct base *base = &b->bases[b->base_count];

	if (b->base_count == MAX_BASES || builder_is_busy(b, reg))
		return;
	switch (pick_below(b, 4)) {
	case 0: base->offset = 8 * pick_below(b, WINDOW_BYTES / 8); break;
	case 1: base->offset = pick_below(b, WINDOW_BYTES); break;
	case 2: base->offset = -(int)pick_below(b, 250); break;
	default: base->offset = (int)pick_below(b, 3000) - 1500; break;
	}
	base->reg = reg;
	b->base_count++;
	b->busy |= 1u << reg;
	b->sequence->entry[SLOT_X + reg] = (uint64_t)(WINDOW_ADDRESS + base->offset);
}

static void choose_entry(struct builder *b)
{
	uint64_t *entry = b->sequence->entry;

	for (unsigned i = 1; i < 32; i++)
		entry[SLOT_X + i] = value_integer(&b->values);
	for (unsigned i = 0; i < 32; i++)
		entry[SLOT_F + i] = value_float_register(&b->values);
	for (unsigned i = 0; i < WINDOW_BYTES / 8; i++)
		entry[SLOT_WINDOW + i] = value_memory_word(&b->values);
	entry[SLOT_FCSR] = pick_below(b, 5) << 5;
	if (pick_one_in(b, 2))
		entry[SLOT_FCSR] |= pick_below(b, 32);

	b->sequence->harness_reg = 1 + pick_below(b, 31);
	b->busy = 1u << b->sequence->harness_reg;
	b->constants_reg = b->sum_reg = NO_REG;
	if (b->weights[KIND_FLOAT] > 20 && !pick_one_in(b, 4)) {
		b->constants_reg = pick_rd_nonzero(b);
		b->busy |= 1u << b->constants_reg;
		b->sum_reg = pick_rd_nonzero(b);
		b->busy |= 1u << b->sum_reg;
		entry[SLOT_X + b->constants_reg] = CONSTANTS_ADDRESS + CONSTANTS_BYTES / 2;
	}
	if (pick_one_in(b, 2))
		add_base(b, 2);
	if (!pick_one_in(b, 4))
		add_base(b, 8 + pick_below(b, 8));
	do
		add_base(b, 1 + pick_below(b, 31));
	while (!b->base_count || pick_one_in(b, 2));
}

/* Most sequences start at a random halfword; some near the end of a page, so
 * that instructions lie across it. */
static void place(struct builder *b)
{
	code_pad(b->code, 2 * pick_below(b, 4));
	if (pick_one_in(b, 16)) {
		uint64_t page_end = bits_align_up(code_here(b->code), 4096);
		uint64_t wanted = page_end - 2 - 2 * pick_below(b, 60);

		if (wanted > code_here(b->code))
			code_pad(b->code, wanted - code_here(b->code));
	}
}

void sequence_constants(uint64_t seed, uint8_t constants[CONSTANTS_BYTES])
{
	struct rng rng = {~seed};
	struct value_source source = {.rng = &rng};
	uint8_t *next = constants;

	_Static_assert((FAMILY_COUNT - 1) * 2 * CONSTANTS_DOUBLES * 8 <= CONSTANTS_BYTES,
		       "the families do not fit");
	memset(constants, 0, CONSTANTS_BYTES);
	for (unsigned family = FAMILY_MIXED + 1; family < FAMILY_COUNT; family++) {
		for (unsigned i = 0; i < CONSTANTS_DOUBLES; i++, next += 8) {
			uint64_t value = value_family_double(&source, family);

			memcpy(next, &value, 8);
		}
		for (unsigned i = 0; i < 2 * CONSTANTS_DOUBLES; i++, next += 4) {
			uint32_t value = value_family_single(&source, family);

			memcpy(next, &value, 4);
		}
	}
}

void sequence_generate(struct sequence *sequence, const struct sequence_request *request,
		       struct code *code, const uint64_t savers[32], uint64_t *coverage)
{
	struct rng mixer = {request->seed};
	struct builder b = {.code = code, .sequence = sequence, .coverage = coverage};
	const struct insn *lui = insn_find("lui");
	const struct insn *jalr = insn_find("jalr");
	unsigned units, reg;
	uint64_t saver;

	mixer.state = rng_next(&mixer) + request->number;
	b.rng.state = rng_next(&mixer);
	memset(sequence, 0, sizeof(*sequence));
	b.values.rng = &b.rng;
	b.values.cluster = (int)pick_below(&b, 9) - 4;
	if (pick_one_in(&b, 4))
		b.values.cluster = (int)pick_below(&b, 240) - 120;
	b.values.family = pick_one_in(&b, 3) ? FAMILY_MIXED : pick_below(&b, FAMILY_COUNT);
	b.row_count = (unsigned)insn_row_count(request->level);
	if (request->level < LEVEL_LATER)
		b.weights = themes[pick_below(&b, ARRAY_COUNT(themes))];
	else
		b.weights = later_themes[pick_below(&b, ARRAY_COUNT(later_themes))];
	choose_entry(&b);
	units = 20 + pick_below(&b, 41);
	b.limit = units < request->cut ? units : request->cut;

	place(&b);
	sequence->start = code_here(code);
	reg = sequence->harness_reg;
	sequence->entry[SLOT_X + reg] = sequence->start;
	sequence->entry[SLOT_NUMBER] = request->number;
	emit_block(&b, units);

	sequence->sabotaged_reg = pick_rd_nonzero(&b);
	if (request->sabotage && units <= request->cut)
		builder_addi(&b, sequence->sabotaged_reg, sequence->sabotaged_reg, 1);
	saver = savers[reg];
	code_emit(code, encode_u(lui->bits, reg, (uint32_t)((saver + 0x800) >> 12)));
	code_emit(code, encode_i(jalr->bits, 0, reg, (int)bits_sign_extend(saver, 12)));
	sequence->end = code_here(code);
}
