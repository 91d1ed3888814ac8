/*
 * insn.h - the instructions the lockstep programs are made of, and their
 * encodings.
 *
 * One row per instruction of RV64GC, Zba, Zbb, Zbc and Zbs, and behind them one per
 * instruction of the levels above, which only some machines have: name, format, fixed bits, bytes
 * of memory touched, and the kind by which a sequence chooses what to emit. The encoders place
 * operands into a row's fixed bits and check that they fit.
 *
 * This table is deliberately not the simulator's: it is a second, independent
 * statement of the encodings, so that a mistake in one of them is found. ebreak
 * and c.ebreak are missing, because they end the program with a signal; so are
 * the counter registers, whose values no two machines share.
 */
#ifndef LOCKSTEP_INSN_H
#define LOCKSTEP_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum insn_format {
	FORMAT_R,
	FORMAT_R1, /* rd, rs1 */
	FORMAT_I,
	FORMAT_SHIFT64,
	FORMAT_SHIFT32,
	FORMAT_U,
	FORMAT_LOAD,
	FORMAT_STORE,
	FORMAT_FLOAD,
	FORMAT_FSTORE,
	FORMAT_BRANCH,
	FORMAT_JAL,
	FORMAT_JALR,
	FORMAT_FENCE,
	FORMAT_FENCE_I,
	FORMAT_ECALL,
	FORMAT_CSR,
	FORMAT_CSR_IMM,
	FORMAT_AMO,
	FORMAT_LR,
	FORMAT_SC,
	FORMAT_FP_2,	/* fd, fs1, fs2 */
	FORMAT_FP_2_RM, /* the same with a rounding mode */
	FORMAT_FP_3_RM, /* fd, fs1, fs2, fs3 */
	FORMAT_FP_1_RM, /* fd, fs1 */
	FORMAT_FP_CMP,	/* rd, fs1, fs2 */
	FORMAT_FP_TO_X, /* rd, fs1 */
	FORMAT_FP_TO_X_RM,
	FORMAT_X_TO_FP, /* fd, rs1 */
	FORMAT_X_TO_FP_RM,
	FORMAT_C_NOP,
	FORMAT_C_ADDI4SPN,
	FORMAT_C_LOAD, /* rd', offset(rs1') */
	FORMAT_C_FLOAD,
	FORMAT_C_STORE,
	FORMAT_C_FSTORE,
	FORMAT_C_IMM, /* rd, imm6: c.addi, c.addiw, c.li */
	FORMAT_C_ADDI16SP,
	FORMAT_C_LUI,
	FORMAT_C_SHIFT, /* rd', shamt */
	FORMAT_C_SLLI,
	FORMAT_C_ANDI,
	FORMAT_C_ARITH, /* rd', rs2' */
	FORMAT_C_J,
	FORMAT_C_BRANCH,
	FORMAT_C_LOAD_SP,
	FORMAT_C_FLOAD_SP,
	FORMAT_C_STORE_SP,
	FORMAT_C_FSTORE_SP,
	FORMAT_C_JR,
	FORMAT_C_JALR,
	FORMAT_C_MOVE, /* rd, rs2: c.mv, c.add */
	FORMAT_C_UNARY,
	FORMAT_C_NARROW_LOAD, /* of Zcb: bytes and half words */
	FORMAT_C_NARROW_STORE,
	FORMAT_C_MOP,
	FORMAT_MOP_R,
	FORMAT_MOP_RR,
	FORMAT_NONE,
	FORMAT_BLOCK, /* cbo: an address without offset */
	FORMAT_CAS,
	FORMAT_FLI,
};

enum insn_kind {
	KIND_INTEGER,
	KIND_MULDIV,
	KIND_MEMORY,
	KIND_ATOMIC,
	KIND_FLOAT,
	KIND_CONTROL,
	KIND_SYSTEM,
	KIND_C_INTEGER,
	KIND_C_MEMORY,
	KIND_BITS,
	KIND_LATER, /* instructions of the levels above that are in no other kind */
	KIND_COUNT
};

/* What the machines must have that run a program. */
enum insn_level {
	LEVEL_BASE,
	LEVEL_HALF,  /* Zfh and Zbkb, which qemu 7.2 can have as well */
	LEVEL_LATER, /* Zfa, Zicond, Zcb, Zimop, Zcmop, Zawrs, Zicboz and Zacas too */
	LEVEL_COUNT
};

struct insn {
	const char *name;
	enum insn_format format;
	enum insn_kind kind;
	uint32_t bits;
	unsigned size_bytes;
};

extern const struct insn insn_rows[];
/* How many rows, from the first, are of this level or below. */
size_t insn_row_count(enum insn_level level);

/* The row of that name; a name not in the table is a BUG. */
const struct insn *insn_find(const char *name);

/* Whether it has a rounding mode. Coverage counts each mode by itself: variant
 * 0 to 4 and 7 (dynamic); the rest count as variant 0. */
#define INSN_VARIANTS 8
bool insn_rounds(const struct insn *row);
const char *insn_variant_suffix(const struct insn *row, unsigned variant); /* NULL: no such */

/* 32-bit formats. Immediates are byte values as in assembly; encode_u takes
 * the upper 20 bits as a number. */
uint32_t encode_r(uint32_t bits, unsigned rd, unsigned rs1, unsigned rs2);
uint32_t encode_i(uint32_t bits, unsigned rd, unsigned rs1, int imm);
uint32_t encode_s(uint32_t bits, unsigned rs1, unsigned rs2, int imm);
uint32_t encode_b(uint32_t bits, unsigned rs1, unsigned rs2, int offset);
uint32_t encode_u(uint32_t bits, unsigned rd, uint32_t upper);
uint32_t encode_j(uint32_t bits, unsigned rd, int offset);

/* 16-bit formats. Registers are full numbers (8..15 where three bits hold
 * them); `size` is 4 or 8, the scale of a memory offset. */
uint32_t encode_ci(uint32_t bits, unsigned rd, int imm);
uint32_t encode_cb_imm(uint32_t bits, unsigned rd, int imm);
uint32_t encode_ca(uint32_t bits, unsigned rd, unsigned rs2);
uint32_t encode_cr(uint32_t bits, unsigned rd, unsigned rs2);
uint32_t encode_addi4spn(uint32_t bits, unsigned rd, unsigned imm);
uint32_t encode_addi16sp(uint32_t bits, int imm);
uint32_t encode_c_memory(uint32_t bits, unsigned reg, unsigned rs1, unsigned imm, unsigned size);
uint32_t encode_c_load_sp(uint32_t bits, unsigned rd, unsigned imm, unsigned size);
uint32_t encode_c_store_sp(uint32_t bits, unsigned rs2, unsigned imm, unsigned size);
uint32_t encode_cj(uint32_t bits, int offset);
uint32_t encode_c_branch(uint32_t bits, unsigned rs1, int offset);

#endif
