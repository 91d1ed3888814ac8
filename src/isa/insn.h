/*
 * insn.h - a decoded instruction, and the properties of its opcode from the
 * table.
 *
 * Registers share one numbering: x0..x31 are 0..31, f0..f31 are 32..63, and 64
 * is a sink that nothing reads, so that writing x0 needs no test. A source
 * field an instruction does not use is 0 (x0, always ready, always zero); an
 * rd it does not have is the sink. A compressed instruction is the one it
 * abbreviates, with bytes = 2.
 *
 * The size of 16 bytes matters to the interpreter's speed: it indexes an array
 * of them by (pc - text)/2.
 */
#ifndef ISA_INSN_H
#define ISA_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REG_FP	  32
#define REG_SINK  64
#define REG_COUNT 65
#define REG_RA	  1
#define REG_SP	  2
#define REG_TP	  4
#define REG_A0	  10

enum op {
#define INSN(id, mnemonic, match, mask, operands, unit) OP_##id,
#include "isa/insns.def"
#undef INSN
	OP_ILLEGAL,
	OP_COUNT
};

/* The kind of unit that executes an instruction, and whether it accesses memory or changes
 * control flow. */
enum unit {
	UNIT_ALU,
	UNIT_MUL,
	UNIT_DIV,
	UNIT_BRANCH,
	UNIT_JUMP,
	UNIT_JUMP_INDIRECT,
	UNIT_LOAD,
	UNIT_STORE,
	UNIT_AMO,
	UNIT_FP_ADD,
	UNIT_FP_MUL,
	UNIT_FP_DIV,
	UNIT_FENCE,
	UNIT_CSR,
	UNIT_SYSTEM,
	UNIT_COUNT
};

struct insn {
	int32_t handler; /* an interpreter's handler (code.h); 0 = not decoded for it yet */
	int32_t imm;	 /* immediate, displacement, CSR number or constant of fli */
	uint8_t rd, rs1, rs2, rs3;
	uint16_t op;	   /* enum op */
	uint8_t unit;	   /* enum unit of op, from the table */
	uint8_t bytes : 3; /* 2 or 4; 0 = not decoded */
	uint8_t rm : 5;	   /* rounding mode; zimm of csrr?i; aq and rl of atomics */
};

_Static_assert(sizeof(struct insn) == 16, "four in a cache line");

struct insn_kind {
	const char *mnemonic;
	uint32_t match, mask;
	const char *operands;
	uint8_t unit;
	uint64_t needs; /* extensions (profile.h), all of them; 0: every machine has it */
};

/* Indexed by enum op; OP_ILLEGAL has the mnemonic "illegal". */
extern const struct insn_kind insn_kinds[OP_COUNT];

/* Decodes the 2 or 4 bytes in `raw` (the upper half is ignored when the lower
 * is a compressed instruction). Every pattern decodes: those that mean nothing
 * to the table as OP_ILLEGAL. handler is left 0. */
struct insn insn_decode(uint32_t raw);
/* The same on a machine that has these extensions (profile.h): what it lacks is OP_ILLEGAL. */
struct insn insn_decode_for(uint32_t raw, uint64_t features);

/* The 32-bit instruction a compressed one stands for; 0 if it is not valid. */
uint32_t insn_expand(uint16_t raw);
/* The extensions that a compressed encoding belongs to beyond C; 0: none. */
uint64_t insn_compressed_needs(uint16_t raw);

static inline bool insn_is_compressed(uint32_t raw)
{
	return (raw & 3) != 3;
}

/* Of the atomics: load-reserved writes nothing. */
static inline bool insn_only_reserves(unsigned op)
{
	return op == OP_LR_W || op == OP_LR_D;
}

/* What cbo.zero writes, and what the other instructions on cache blocks name, at once. */
#define CACHE_BLOCK_BYTES 64

/* How many bytes a load, store or atomic accesses. */
unsigned insn_access_bytes(unsigned op);

#define INSN_TEXT_BYTES 80

/* Assembler text in the form objdump prints by default (aliases such as li,
 * mv, ret), mnemonic and operands separated by a tab. Branch and jump targets
 * are absolute, in hexadecimal. Returns `text`. */
char *insn_disassemble(const struct insn *insn, uint32_t raw, uint64_t pc,
		       char text[INSN_TEXT_BYTES]);

#endif
