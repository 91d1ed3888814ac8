#include "isa/translate_block.h"

#include "isa/softfloat.h"

/* The integer registers that compilers use most, and what is left of the host's for floating
 * point. */
const uint8_t translate_pins[REG_COUNT] = {
	[0] = NOT_PINNED,
	[1] = NOT_PINNED,
	[2] = X86_RSI, /* sp */
	[3 ... 7] = NOT_PINNED,
	[8] = X86_R14, /* s0 */
	[9] = NOT_PINNED,
	[10] = X86_R13, /* a0 to a5 */
	[11] = X86_R12,
	[12] = X86_R11,
	[13] = X86_R10,
	[14] = X86_R9,
	[15] = X86_R8,
	[16] = X86_RDI, /* a6 */
	[17 ... 31] = NOT_PINNED,
	[REG_FP + 0] = 10, /* ft0 to ft5 */
	[REG_FP + 1] = 11,
	[REG_FP + 2] = 12,
	[REG_FP + 3] = 13,
	[REG_FP + 4] = 14,
	[REG_FP + 5] = 15,
	[REG_FP + 6 ... REG_FP + 9] = NOT_PINNED,
	[REG_FP + 10] = 2, /* fa0 to fa7 */
	[REG_FP + 11] = 3,
	[REG_FP + 12] = 4,
	[REG_FP + 13] = 5,
	[REG_FP + 14] = 6,
	[REG_FP + 15] = 7,
	[REG_FP + 16] = 8,
	[REG_FP + 17] = 9,
	[REG_FP + 18 ... REG_SINK] = NOT_PINNED,
};

#define HART_PC (x86_at(HOST_HART, (int32_t)offsetof(struct hart, pc) - HART_BIAS))

_Static_assert(offsetof(struct hart, r) == 0, "hart_offset counts from the hart's beginning");

/* Gives back the instructions of the block from `done` on; their number is filled in when the block
 * is complete. */
static void refund(struct translation *t, unsigned done)
{
	x86_op(&t->cold, X86_64, 0x83, X86_ADD_I, x86_reg(HOST_LEFT));
	t->refunds[t->refund_count++] = (struct refund){t->cold.at, done};
	x86_byte(&t->cold, 0);
}

static void leave(struct translation *t, uint64_t pc, const uint8_t *exit)
{
	x86_constant(&t->cold, X86_RAX, pc);
	x86_set_target(x86_jump(&t->cold), exit);
}

const uint8_t *translate_corner_exit(struct translation *t)
{
	if (!t->corner) {
		t->corner = t->cold.at;
		refund(t, t->done);
		leave(t, t->pc, t->translator->exit_step);
	}
	return t->corner;
}

void translate_corner_if(struct translation *t, enum x86_condition condition)
{
	x86_set_target(x86_jump_if(&t->x, condition), translate_corner_exit(t));
}

void translate_corner(struct translation *t)
{
	x86_set_target(x86_jump(&t->x), translate_corner_exit(t));
}

void translate_link(struct translation *t, uint8_t *distance, uint64_t pc)
{
	const struct block *const known = translator_find(t->translator, pc);

	if (known) {
		x86_set_target(distance, t->translator->writable + known->entry);
		return;
	}
	x86_set_target(distance, t->cold.at);
	x86_constant(&t->cold, X86_RCX, (uint64_t)(distance - t->translator->writable));
	leave(t, pc, t->translator->exit_link);
}

static enum x86_condition swapped(enum x86_condition condition)
{
	switch (condition) {
	case X86_LESS: return X86_GREATER;
	case X86_NOT_LESS: return X86_NOT_GREATER;
	case X86_BELOW: return X86_ABOVE;
	case X86_NOT_BELOW: return X86_NOT_ABOVE;
	default: return condition;
	}
}

static bool branch(struct translation *t, const struct insn *insn, enum x86_condition condition,
		   uint64_t *next)
{
	unsigned a = insn->rs1, b = insn->rs2;

	if (a == 0 || (!is_pinned(a) && is_pinned(b))) {
		a = insn->rs2;
		b = insn->rs1;
		condition = swapped(condition);
	}
	if (b == 0 && is_pinned(a)) {
		x86_op(&t->x, X86_64, 0x85, translate_pins[a], guest_operand(a));
	} else if (b == 0 && a != 0) {
		x86_immediate(&t->x, X86_64, X86_CMP_I, guest_operand(a), 0);
	} else if (b == 0) {
		x86_op(&t->x, X86_64, 0x3b, X86_RAX, x86_reg(X86_RAX));
	} else {
		const unsigned left = translate_read(t, a, X86_RAX);

		x86_op(&t->x, X86_64, 0x3b, left, guest_operand(b));
	}
	translate_link(t, x86_jump_if(&t->x, condition), t->pc + (uint64_t)(int64_t)insn->imm);
	*next = t->pc + insn->bytes;
	return true;
}

/* Looks the target up by its hash. */
static bool jump_to_register(struct translation *t, const struct insn *insn, uint64_t *next)
{
	struct x86_operand slot = x86_indexed(X86_RAX, X86_RCX, 0);
	const uint32_t mask = (JUMP_TARGETS - 1) << 1;

	slot.scale = 3;
	_Static_assert(sizeof(struct jump_target) == 16, "twice the number of a slot, times 8");
	if (insn->rs1)
		x86_move(&t->x, X86_64, X86_RDX, guest_operand(insn->rs1));
	else
		x86_constant(&t->x, X86_RDX, 0);
	if (insn->imm)
		x86_immediate(&t->x, X86_64, X86_ADD_I, x86_reg(X86_RDX), insn->imm);
	x86_immediate(&t->x, X86_64, X86_AND_I, x86_reg(X86_RDX), -2);
	translate_write_constant(t, insn->rd, t->pc + insn->bytes);
	x86_op(&t->x, X86_64, 0x8d, X86_RAX, x86_near(t->translator->writable + CACHE_TARGETS));
	x86_op(&t->x, X86_32, 0x8b, X86_RCX, x86_reg(X86_RDX));
	x86_immediate(&t->x, X86_32, X86_AND_I, x86_reg(X86_RCX), (int32_t)mask);
	x86_op(&t->x, X86_64, 0x3b, X86_RDX, slot);
	x86_set_target(x86_jump_if(&t->x, X86_NOT_EQUAL), t->translator->exit_jump);
	slot.displacement = offsetof(struct jump_target, code);
	x86_op(&t->x, X86_32, 0xff, 4, slot);
	*next = NO_NEXT;
	return true;
}

bool translate_control(struct translation *t, const struct insn *insn, uint64_t *next)
{
	switch (insn->op) {
	case OP_BEQ: return branch(t, insn, X86_EQUAL, next);
	case OP_BNE: return branch(t, insn, X86_NOT_EQUAL, next);
	case OP_BLT: return branch(t, insn, X86_LESS, next);
	case OP_BGE: return branch(t, insn, X86_NOT_LESS, next);
	case OP_BLTU: return branch(t, insn, X86_BELOW, next);
	case OP_BGEU: return branch(t, insn, X86_NOT_BELOW, next);
	case OP_JAL:
		translate_write_constant(t, insn->rd, t->pc + insn->bytes);
		*next = t->pc + (uint64_t)(int64_t)insn->imm;
		return true;
	case OP_JALR: return jump_to_register(t, insn, next);
	default: return false;
	}
}

/* Instructions of one block, until one that ends it; where it goes on. False if what may be fetched
 * has changed meanwhile. */
static bool translate_instructions(struct translation *t, struct block *block, uint64_t *next)
{
	struct translator *const translator = t->translator;
	const uint64_t page = t->pc >> GUEST_PAGE_BITS, forgot = translator->forgot_pages;
	uint64_t fault_address;

	translator_note_page(translator, block, 0, t->pc);
	for (;;) {
		const struct insn *const slot = code_at(translator->code, t->pc, &fault_address);

		if (translator->forgot_pages != forgot)
			return false;
		*next = t->pc;
		if (!slot || t->done == BLOCK_INSTRUCTIONS)
			return true;
		const struct insn insn = *slot;
		t->corner = NULL;
		if ((t->pc + insn.bytes - 1) >> GUEST_PAGE_BITS != page)
			translator_note_page(translator, block, 1, t->pc + insn.bytes - 1);
		if (translate_control(t, &insn, next)) {
			t->done++;
			return true;
		}
		if (!translate_integer(t, &insn) && !translate_memory(t, &insn) &&
		    !translate_float(t, &insn) && !translate_atomic(t, &insn)) {
			translate_corner(t);
			*next = NO_NEXT;
			return true;
		}
		t->done++;
		t->pc += insn.bytes;
		*next = t->pc;
		if (t->pc >> GUEST_PAGE_BITS != page)
			return true;
	}
}

/* One block, and where it goes on. */
static struct block *translate_one(struct translation *t, uint64_t pc, uint64_t *next)
{
	struct translator *const translator = t->translator;
	struct block *const block = translator_add(translator, pc, t->x.at);

	t->pc = pc;
	t->done = t->refund_count = 0;
	t->boxed = 0;
	x86_op(&t->x, X86_64, 0x83, X86_SUB_I, x86_reg(HOST_LEFT));
	uint8_t *const count = t->x.at;
	x86_byte(&t->x, 0);
	x86_set_target(x86_jump_if(&t->x, X86_BELOW), t->cold.at);
	refund(t, 0);
	block->dead = (uint32_t)(t->cold.at - translator->writable);
	leave(t, pc, translator->exit_lookup);
	if (!translate_instructions(t, block, next))
		return NULL;
	block->count = *count = (uint8_t)t->done;
	for (unsigned i = 0; i < t->refund_count; i++)
		*t->refunds[i].at = (uint8_t)(t->done - t->refunds[i].done);
	return block;
}

struct block *translate_block(struct translator *translator, uint64_t pc)
{
	struct translation t = {
		.translator = translator,
		.x.at = translator->hot,
		.cold.at = translator->cold,
		.constants = (const struct code_constants *)translator->writable,
	};
	struct block *first = NULL;
	uint64_t fault_address, next = pc;

	if (!code_at(translator->code, pc, &fault_address))
		return NULL;
	for (unsigned i = 0; i < BLOCKS_AT_ONCE; i++) {
		struct block *const block = translate_one(&t, next, &next);

		/* Rare: all decoded instructions were forgotten. */
		if (!block)
			return NULL;
		if (!first)
			first = block;
		if (next == NO_NEXT)
			break;
		if (next >> GUEST_PAGE_BITS != pc >> GUEST_PAGE_BITS || i + 1 == BLOCKS_AT_ONCE ||
		    translator_find(translator, next) ||
		    !code_at(translator->code, next, &fault_address)) {
			translate_link(&t, x86_jump(&t.x), next);
			break;
		}
	}
	translator->hot = t.x.at;
	translator->cold = t.cold.at;
	return first;
}

static const uint8_t saved[] = {X86_RBX, X86_RBP, X86_R12, X86_R13, X86_R14, X86_R15};

static void move_pinned(struct x86 *x, bool to_hart)
{
	for (unsigned reg = 1; reg < REG_SINK; reg++) {
		const struct x86_operand place = x86_at(HOST_HART, hart_offset(reg));

		if (!is_pinned(reg))
			continue;
		if (reg < REG_FP)
			x86_op(x, X86_64, to_hart ? 0x89 : 0x8b, translate_pins[reg], place);
		else
			x86_vex(x, X86_F2, X86_0F, false, to_hart ? 0x11 : 0x10,
				translate_pins[reg], 0, place);
	}
}

/* stmxcsr is 3, ldmxcsr 2. */
static void mxcsr(struct x86 *x, unsigned number, struct x86_operand place)
{
	x86_op(x, X86_32, 0x0fae, number, place);
}

static void write_enter(struct translator *translator, struct x86 *x)
{
	const struct code_constants *const constants =
		(const struct code_constants *)translator->writable;
	const uint8_t *const start = translator->executable + (x->at - translator->writable);

	/* A function in data. */
	memcpy(&translator->enter, &start, sizeof(start));
	for (unsigned i = 0; i < sizeof(saved); i++) {
		if (saved[i] & 8)
			x86_byte(x, 0x41);
		x86_byte(x, 0x50 | (saved[i] & 7));
	}
	x86_immediate(x, X86_64, X86_SUB_I, x86_reg(X86_RSP), 8);
	mxcsr(x, 3, x86_at(X86_RSP, 0));
	mxcsr(x, 2, x86_near((const uint8_t *)&constants->mxcsr));
	x86_move(x, X86_64, HOST_HART, x86_reg(X86_RDI));
	x86_move(x, X86_64, HOST_BASE, x86_reg(X86_RSI));
	x86_move(x, X86_64, HOST_LEFT, x86_reg(X86_RCX));
	x86_move(x, X86_64, X86_RAX, x86_reg(X86_RDX));
	move_pinned(x, false);
	x86_op(x, X86_32, 0xff, 4, x86_reg(X86_RAX));
}

static void write_exit(struct x86 *x)
{
	move_pinned(x, true);
	mxcsr(x, 3, x86_at(X86_RSP, HOST_MXCSR_SLOT));
	mxcsr(x, 2, x86_at(X86_RSP, 0));
	x86_move(x, X86_32, X86_RDX, x86_at(X86_RSP, HOST_MXCSR_SLOT));
	x86_shift(x, X86_64, X86_SHL_I, x86_reg(X86_RDX), 32);
	x86_op(x, X86_64, 0x0b, X86_RAX, x86_reg(X86_RDX));
	x86_move(x, X86_64, X86_RDX, x86_reg(HOST_LEFT));
	x86_immediate(x, X86_64, X86_ADD_I, x86_reg(X86_RSP), 8);
	for (unsigned i = sizeof(saved); i-- > 0;) {
		if (saved[i] & 8)
			x86_byte(x, 0x41);
		x86_byte(x, 0x58 | (saved[i] & 7));
	}
	x86_byte(x, 0xc3);
}

/* An exit with the next pc in this register. */
static const uint8_t *write_exit_for(struct translator *translator, struct x86 *x, unsigned pc,
				     unsigned why)
{
	const uint8_t *const start = x->at;

	x86_store(x, X86_64, HART_PC, pc);
	x86_constant(x, X86_RAX, why);
	x86_set_target(x86_jump(x), translator->exit_common);
	return start;
}

void translate_stubs(struct translator *translator)
{
	const uint64_t box = UINT64_C(0xffffffff00000000), sign32 = UINT64_C(1) << 31;
	const uint64_t sign64 = UINT64_C(1) << 63;
	struct code_constants constants = {
		.sign64 = {sign64},
		.magnitude64 = {~sign64},
		.sign32 = {sign32},
		.magnitude32 = {~sign32},
		.box = {box},
		.limit32_of_64 = {UINT64_C(0x41f0000000000000)},
		.limit64_of_64 = {UINT64_C(0x43e0000000000000)},
		.limit32_of_32 = {0x4f800000},
		.limit64_of_32 = {0x5f000000},
		.mxcsr = 0x1f80,
	};
	struct x86 x = {translator->writable + CACHE_STUBS};

	for (unsigned bytes = 1; bytes < SIZE_MASKS; bytes++)
		constants.wrong[bytes] = ~(GUEST_SPACE_BYTES - 1) | (bytes - 1);
	for (unsigned i = 0; i <= MXCSR_FLAGS; i++)
		constants.flags[i] = (uint8_t)translate_flags(i);
	_Static_assert(sizeof(constants) <= CACHE_TARGETS, "constants come first");
	memcpy(translator->writable, &constants, sizeof(constants));
	write_enter(translator, &x);
	translator->exit_common = x.at;
	write_exit(&x);
	translator->exit_lookup = write_exit_for(translator, &x, X86_RAX, LEFT_FOR_CODE);
	translator->exit_jump = write_exit_for(translator, &x, X86_RDX, LEFT_FOR_CODE);
	translator->exit_step = write_exit_for(translator, &x, X86_RAX, LEFT_FOR_STEP);
	translator->exit_link = x.at;
	x86_store(&x, X86_64, HART_PC, X86_RAX);
	x86_move(&x, X86_64, X86_RAX, x86_reg(X86_RCX));
	x86_set_target(x86_jump(&x), translator->exit_common);
	BUG_ON(x.at > translator->writable + CACHE_BLOCKS);
}
