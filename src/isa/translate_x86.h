/*
 * translate_x86.h - writes x86-64 instructions.
 *
 * An instruction is an opcode with one register and one operand, which is a register or a place in
 * memory; those of AVX have a second source register. Opcodes are written as in the
 * manuals: 0x01, 0x0faf; a mandatory prefix comes before them in the same number (0xf30fb8).
 *
 * The bytes are written through one mapping of the code and run through another; all distances
 * within the code are the same in both. Who writes sees to it that there is room.
 */
#ifndef ISA_TRANSLATE_X86_H
#define ISA_TRANSLATE_X86_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum x86_register {
	X86_RAX,
	X86_RCX,
	X86_RDX,
	X86_RBX,
	X86_RSP,
	X86_RBP,
	X86_RSI,
	X86_RDI,
	X86_R8,
	X86_R9,
	X86_R10,
	X86_R11,
	X86_R12,
	X86_R13,
	X86_R14,
	X86_R15,
};

enum x86_condition {
	X86_OVERFLOW = 0,
	X86_BELOW = 2,
	X86_NOT_BELOW,
	X86_EQUAL,
	X86_NOT_EQUAL,
	X86_NOT_ABOVE,
	X86_ABOVE,
	X86_PARITY = 10,
	X86_NOT_PARITY,
	X86_LESS,
	X86_NOT_LESS,
	X86_NOT_GREATER,
	X86_GREATER,
};

enum x86_kind { X86_IS_REGISTER, X86_IS_BASED, X86_IS_INDEXED, X86_IS_NEAR };

struct x86_operand {
	enum x86_kind kind;
	uint8_t base; /* or the register itself */
	uint8_t index;
	uint8_t scale; /* the logarithm of what the index is multiplied by */
	int32_t displacement;
	const uint8_t *target; /* X86_IS_NEAR: within the code */
};

struct x86 {
	uint8_t *at;
};

/* How wide an integer instruction is: 32 bits, 64, or a register of 8. */
enum x86_width { X86_32, X86_64, X86_8 };

static inline struct x86_operand x86_reg(unsigned reg)
{
	return (struct x86_operand){.kind = X86_IS_REGISTER, .base = (uint8_t)reg};
}

static inline struct x86_operand x86_at(unsigned base, int32_t displacement)
{
	return (struct x86_operand){
		.kind = X86_IS_BASED, .base = (uint8_t)base, .displacement = displacement};
}

static inline struct x86_operand x86_indexed(unsigned base, unsigned index, int32_t displacement)
{
	return (struct x86_operand){.kind = X86_IS_INDEXED,
				    .base = (uint8_t)base,
				    .index = (uint8_t)index,
				    .displacement = displacement};
}

/* A place within the code, which no immediate may follow. */
static inline struct x86_operand x86_near(const uint8_t *target)
{
	return (struct x86_operand){.kind = X86_IS_NEAR, .target = target};
}

static inline void x86_byte(struct x86 *x, unsigned byte)
{
	*x->at++ = (uint8_t)byte;
}

static inline void x86_word(struct x86 *x, uint32_t word)
{
	memcpy(x->at, &word, 4);
	x->at += 4;
}

static inline void x86_modrm(struct x86 *x, unsigned reg, const struct x86_operand *o)
{
	const unsigned field = (reg & 7) << 3;
	const int32_t d = o->displacement;

	if (o->kind == X86_IS_REGISTER) {
		x86_byte(x, 0xc0 | field | (o->base & 7));
		return;
	}
	if (o->kind == X86_IS_NEAR) {
		x86_byte(x, field | 5);
		x86_word(x, (uint32_t)(o->target - (x->at + 4)));
		return;
	}
	const unsigned mode = d == 0 && (o->base & 7) != 5 ? 0 : d == (int8_t)d ? 1 : 2;
	if (o->kind == X86_IS_INDEXED || (o->base & 7) == 4) {
		const unsigned index = o->kind == X86_IS_INDEXED ? o->index & 7 : 4;

		x86_byte(x, mode << 6 | field | 4);
		x86_byte(x, o->scale << 6 | index << 3 | (o->base & 7));
	} else {
		x86_byte(x, mode << 6 | field | (o->base & 7));
	}
	if (mode == 1)
		x86_byte(x, (uint8_t)d);
	else if (mode == 2)
		x86_word(x, (uint32_t)d);
}

static inline unsigned x86_high_base(const struct x86_operand *o)
{
	return o->kind != X86_IS_NEAR && o->base & 8;
}

static inline unsigned x86_high_index(const struct x86_operand *o)
{
	return o->kind == X86_IS_INDEXED && o->index & 8;
}

static inline void x86_op(struct x86 *x, enum x86_width width, uint32_t opcode, unsigned reg,
			  struct x86_operand o)
{
	const unsigned rex = (width == X86_64 ? 8 : 0) | (reg & 8 ? 4 : 0) |
			     (x86_high_index(&o) ? 2 : 0) | (x86_high_base(&o) ? 1 : 0);

	if (opcode >> 16)
		x86_byte(x, opcode >> 16);
	if (rex || width == X86_8)
		x86_byte(x, 0x40 | rex);
	if (opcode & 0xff00)
		x86_byte(x, opcode >> 8 & 0xff);
	x86_byte(x, opcode & 0xff);
	x86_modrm(x, reg, &o);
}

/* The mandatory prefix of an instruction of AVX or BMI, and the map its opcode is in. */
enum x86_prefix { X86_NONE, X86_66, X86_F3, X86_F2 };
enum x86_map { X86_0F = 1, X86_0F38, X86_0F3A };

static inline void x86_vex(struct x86 *x, enum x86_prefix prefix, enum x86_map map, bool wide,
			   unsigned opcode, unsigned reg, unsigned second, struct x86_operand o)
{
	const unsigned last = (~second & 15) << 3 | prefix;

	if (map == X86_0F && !wide && !x86_high_index(&o) && !x86_high_base(&o)) {
		x86_byte(x, 0xc5);
		x86_byte(x, (reg & 8 ? 0 : 0x80) | last);
	} else {
		x86_byte(x, 0xc4);
		x86_byte(x, (reg & 8 ? 0 : 0x80) | (x86_high_index(&o) ? 0 : 0x40) |
				    (x86_high_base(&o) ? 0 : 0x20) | map);
		x86_byte(x, (wide ? 0x80u : 0) | last);
	}
	x86_byte(x, opcode);
	x86_modrm(x, reg, &o);
}

/* What is done with an immediate, by the number in the instruction's register field. */
enum x86_immediate_op {
	X86_ADD_I,
	X86_OR_I,
	X86_AND_I = 4,
	X86_SUB_I,
	X86_XOR_I,
	X86_CMP_I,
};

static inline void x86_immediate(struct x86 *x, enum x86_width width, enum x86_immediate_op op,
				 struct x86_operand o, int32_t value)
{
	const bool is_short = value == (int8_t)value;

	x86_op(x, width, is_short ? 0x83 : 0x81, op, o);
	if (is_short)
		x86_byte(x, (uint8_t)value);
	else
		x86_word(x, (uint32_t)value);
}

enum x86_shift_op { X86_ROL_I, X86_ROR_I, X86_SHL_I = 4, X86_SHR_I, X86_SAR_I = 7 };

static inline void x86_shift(struct x86 *x, enum x86_width width, enum x86_shift_op op,
			     struct x86_operand o, unsigned count)
{
	x86_op(x, width, 0xc1, op, o);
	x86_byte(x, count);
}

static inline void x86_move(struct x86 *x, enum x86_width width, unsigned to, struct x86_operand o)
{
	if (o.kind != X86_IS_REGISTER || o.base != to || width != X86_64)
		x86_op(x, width, 0x8b, to, o);
}

static inline void x86_store(struct x86 *x, enum x86_width width, struct x86_operand o,
			     unsigned from)
{
	x86_op(x, width, 0x89, from, o);
}

static inline void x86_constant(struct x86 *x, unsigned to, uint64_t value)
{
	if (value == 0) {
		x86_op(x, X86_32, 0x31, to, x86_reg(to));
	} else if (value >> 32 == 0) {
		if (to & 8)
			x86_byte(x, 0x41);
		x86_byte(x, 0xb8 | (to & 7));
		x86_word(x, (uint32_t)value);
	} else if ((int64_t)value == (int32_t)value) {
		x86_op(x, X86_64, 0xc7, 0, x86_reg(to));
		x86_word(x, (uint32_t)value);
	} else {
		x86_byte(x, 0x48 | (to >> 3));
		x86_byte(x, 0xb8 | (to & 7));
		memcpy(x->at, &value, 8);
		x->at += 8;
	}
}

/* Both return where the distance stands, for x86_set_target. */
static inline uint8_t *x86_jump_if(struct x86 *x, enum x86_condition condition)
{
	x86_byte(x, 0x0f);
	x86_byte(x, 0x80 | condition);
	x86_word(x, 0);
	return x->at - 4;
}

static inline uint8_t *x86_jump(struct x86 *x)
{
	x86_byte(x, 0xe9);
	x86_word(x, 0);
	return x->at - 4;
}

static inline void x86_set_target(uint8_t *distance, const uint8_t *target)
{
	const int32_t value = (int32_t)(target - (distance + 4));

	memcpy(distance, &value, 4);
}

#endif
