/*
 * steps.h - steps of instructions that are given by their encodings, one at a time, for tests of
 * what is collected from them.
 */
#ifndef TESTS_UNIT_MEASURE_STEPS_H
#define TESTS_UNIT_MEASURE_STEPS_H

#include "../test.h"
#include "config/config.h"
#include "measure/facts.h"

#define STEPS_OPS 16384

struct steps {
	struct facts *facts;
	struct trace_op *ops;
	uint32_t count, thread;
	uint64_t pc; /* of the instruction that follows */
};

static inline uint32_t insn_r(uint32_t funct7, uint32_t funct3, unsigned rd, unsigned rs1,
			      unsigned rs2, uint32_t opcode)
{
	return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

static inline uint32_t insn_i(uint32_t imm, uint32_t funct3, unsigned rd, unsigned rs1,
			      uint32_t opcode)
{
	return imm << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}

static inline uint32_t insn_s(uint32_t imm, uint32_t funct3, unsigned rs1, unsigned rs2)
{
	return imm >> 5 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (imm & 31) << 7 | 0x23;
}

#define ADD(rd, rs1, rs2)    insn_r(0, 0, rd, rs1, rs2, 0x33)
#define ADDI(rd, rs1, imm)   insn_i(imm, 0, rd, rs1, 0x13)
#define MUL(rd, rs1, rs2)    insn_r(1, 0, rd, rs1, rs2, 0x33)
#define DIV(rd, rs1, rs2)    insn_r(1, 4, rd, rs1, rs2, 0x33)
#define LBU(rd, rs1, imm)    insn_i(imm, 4, rd, rs1, 0x03)
#define LW(rd, rs1, imm)     insn_i(imm, 2, rd, rs1, 0x03)
#define LD(rd, rs1, imm)     insn_i(imm, 3, rd, rs1, 0x03)
#define SW(rs2, rs1, imm)    insn_s(imm, 2, rs1, rs2)
#define SD(rs2, rs1, imm)    insn_s(imm, 3, rs1, rs2)
#define BEQ(rs1, rs2)	     ((insn_s(16, 0, rs1, rs2) & ~0x7fU) | 0x63) /* 16 bytes on */
#define JALR(rd, rs1)	     insn_i(0, 0, rd, rs1, 0x67)
#define JAL_RA		     0x000000efU
#define AMOADD(rd, rs1, rs2) insn_r(0, 3, rd, rs1, rs2, 0x2f)
#define ECALL		     0x00000073U

static inline struct steps steps_begin(const struct config *config, const uint64_t *pcs,
				       size_t count)
{
	struct err err;
	struct steps s = {.facts = facts_create(config, pcs, count, &err), .pc = 0x10000};

	assert_non_null(s.facts);
	s.ops = calloc(STEPS_OPS, sizeof(*s.ops));
	assert_non_null(s.ops);
	return s;
}

static inline void steps_end(struct steps *s)
{
	facts_destroy(s->facts);
	free(s->ops);
}

static inline const struct trace_op *steps_op(struct steps *s, uint64_t pc, uint32_t raw)
{
	for (uint32_t i = s->count; i > 0; i--)
		if (s->ops[i - 1].pc == pc && s->ops[i - 1].raw == raw)
			return &s->ops[i - 1];
	const struct insn insn = insn_decode(raw);
	assert_int_not_equal(insn.op, OP_ILLEGAL);
	assert_true(s->count < STEPS_OPS);
	struct trace_op *op = &s->ops[s->count];
	trace_op_init(op, pc, &insn, raw);
	op->number = s->count++;
	return op;
}

/* The instruction at `pc`, which accesses `address` and leads to `next`. */
static inline void steps_take(struct steps *s, uint64_t pc, uint32_t raw, uint64_t address,
			      uint64_t next, bool was_interrupted)
{
	const struct trace_step step = {steps_op(s, pc, raw), address, next};

	facts_add(s->facts, &step, 1, s->thread, was_interrupted);
	s->pc = next;
}

/* The instruction at `pc`, after which comes the next in memory. */
static inline void step_at(struct steps *s, uint64_t pc, uint32_t raw, uint64_t address)
{
	steps_take(s, pc, raw, address, pc + 4, false);
}

static inline void jump_at(struct steps *s, uint64_t pc, uint32_t raw, uint64_t next)
{
	steps_take(s, pc, raw, 0, next, false);
}

/* Jumps from where the last instruction led to. */
static inline void jump_to(struct steps *s, uint64_t next)
{
	jump_at(s, s->pc, 0x0000006f, next);
}

#endif
