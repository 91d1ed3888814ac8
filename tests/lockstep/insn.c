#include "insn.h"

#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/err.h"

#define OP_F3(opcode, funct3)		    ((uint32_t)(funct3) << 12 | (opcode))
#define OP_F7(opcode, funct3, funct7)	    ((uint32_t)(funct7) << 25 | OP_F3(opcode, funct3))
#define OP_F12(opcode, funct3, funct7, rs2) ((uint32_t)(rs2) << 20 | OP_F7(opcode, funct3, funct7))
#define AMO(funct5, width)		    OP_F7(0x2f, width, (funct5) << 2)
#define FP(funct7, funct3)		    OP_F7(0x53, funct3, funct7)
#define FP_1(funct7, rs2, funct3)	    OP_F12(0x53, funct3, funct7, rs2)
#define C(quadrant, funct3)		    ((uint32_t)(funct3) << 13 | (quadrant))

const struct insn insn_rows[] = {
	{"lui", FORMAT_U, KIND_INTEGER, 0x37, 0},
	{"auipc", FORMAT_U, KIND_INTEGER, 0x17, 0},
	{"addi", FORMAT_I, KIND_INTEGER, OP_F3(0x13, 0), 0},
	{"slti", FORMAT_I, KIND_INTEGER, OP_F3(0x13, 2), 0},
	{"sltiu", FORMAT_I, KIND_INTEGER, OP_F3(0x13, 3), 0},
	{"xori", FORMAT_I, KIND_INTEGER, OP_F3(0x13, 4), 0},
	{"ori", FORMAT_I, KIND_INTEGER, OP_F3(0x13, 6), 0},
	{"andi", FORMAT_I, KIND_INTEGER, OP_F3(0x13, 7), 0},
	{"slli", FORMAT_SHIFT64, KIND_INTEGER, OP_F3(0x13, 1), 0},
	{"srli", FORMAT_SHIFT64, KIND_INTEGER, OP_F3(0x13, 5), 0},
	{"srai", FORMAT_SHIFT64, KIND_INTEGER, OP_F7(0x13, 5, 0x20), 0},
	{"addiw", FORMAT_I, KIND_INTEGER, OP_F3(0x1b, 0), 0},
	{"slliw", FORMAT_SHIFT32, KIND_INTEGER, OP_F3(0x1b, 1), 0},
	{"srliw", FORMAT_SHIFT32, KIND_INTEGER, OP_F3(0x1b, 5), 0},
	{"sraiw", FORMAT_SHIFT32, KIND_INTEGER, OP_F7(0x1b, 5, 0x20), 0},
	{"add", FORMAT_R, KIND_INTEGER, OP_F7(0x33, 0, 0), 0},
	{"sub", FORMAT_R, KIND_INTEGER, OP_F7(0x33, 0, 0x20), 0},
	{"sll", FORMAT_R, KIND_INTEGER, OP_F7(0x33, 1, 0), 0},
	{"slt", FORMAT_R, KIND_INTEGER, OP_F7(0x33, 2, 0), 0},
	{"sltu", FORMAT_R, KIND_INTEGER, OP_F7(0x33, 3, 0), 0},
	{"xor", FORMAT_R, KIND_INTEGER, OP_F7(0x33, 4, 0), 0},
	{"srl", FORMAT_R, KIND_INTEGER, OP_F7(0x33, 5, 0), 0},
	{"sra", FORMAT_R, KIND_INTEGER, OP_F7(0x33, 5, 0x20), 0},
	{"or", FORMAT_R, KIND_INTEGER, OP_F7(0x33, 6, 0), 0},
	{"and", FORMAT_R, KIND_INTEGER, OP_F7(0x33, 7, 0), 0},
	{"addw", FORMAT_R, KIND_INTEGER, OP_F7(0x3b, 0, 0), 0},
	{"subw", FORMAT_R, KIND_INTEGER, OP_F7(0x3b, 0, 0x20), 0},
	{"sllw", FORMAT_R, KIND_INTEGER, OP_F7(0x3b, 1, 0), 0},
	{"srlw", FORMAT_R, KIND_INTEGER, OP_F7(0x3b, 5, 0), 0},
	{"sraw", FORMAT_R, KIND_INTEGER, OP_F7(0x3b, 5, 0x20), 0},

	{"mul", FORMAT_R, KIND_MULDIV, OP_F7(0x33, 0, 1), 0},
	{"mulh", FORMAT_R, KIND_MULDIV, OP_F7(0x33, 1, 1), 0},
	{"mulhsu", FORMAT_R, KIND_MULDIV, OP_F7(0x33, 2, 1), 0},
	{"mulhu", FORMAT_R, KIND_MULDIV, OP_F7(0x33, 3, 1), 0},
	{"div", FORMAT_R, KIND_MULDIV, OP_F7(0x33, 4, 1), 0},
	{"divu", FORMAT_R, KIND_MULDIV, OP_F7(0x33, 5, 1), 0},
	{"rem", FORMAT_R, KIND_MULDIV, OP_F7(0x33, 6, 1), 0},
	{"remu", FORMAT_R, KIND_MULDIV, OP_F7(0x33, 7, 1), 0},
	{"mulw", FORMAT_R, KIND_MULDIV, OP_F7(0x3b, 0, 1), 0},
	{"divw", FORMAT_R, KIND_MULDIV, OP_F7(0x3b, 4, 1), 0},
	{"divuw", FORMAT_R, KIND_MULDIV, OP_F7(0x3b, 5, 1), 0},
	{"remw", FORMAT_R, KIND_MULDIV, OP_F7(0x3b, 6, 1), 0},
	{"remuw", FORMAT_R, KIND_MULDIV, OP_F7(0x3b, 7, 1), 0},

	{"add.uw", FORMAT_R, KIND_BITS, OP_F7(0x3b, 0, 0x04), 0},
	{"sh1add", FORMAT_R, KIND_BITS, OP_F7(0x33, 2, 0x10), 0},
	{"sh2add", FORMAT_R, KIND_BITS, OP_F7(0x33, 4, 0x10), 0},
	{"sh3add", FORMAT_R, KIND_BITS, OP_F7(0x33, 6, 0x10), 0},
	{"sh1add.uw", FORMAT_R, KIND_BITS, OP_F7(0x3b, 2, 0x10), 0},
	{"sh2add.uw", FORMAT_R, KIND_BITS, OP_F7(0x3b, 4, 0x10), 0},
	{"sh3add.uw", FORMAT_R, KIND_BITS, OP_F7(0x3b, 6, 0x10), 0},
	{"slli.uw", FORMAT_SHIFT64, KIND_BITS, OP_F7(0x1b, 1, 0x04), 0},
	{"andn", FORMAT_R, KIND_BITS, OP_F7(0x33, 7, 0x20), 0},
	{"orn", FORMAT_R, KIND_BITS, OP_F7(0x33, 6, 0x20), 0},
	{"xnor", FORMAT_R, KIND_BITS, OP_F7(0x33, 4, 0x20), 0},
	{"clz", FORMAT_R1, KIND_BITS, OP_F12(0x13, 1, 0x30, 0), 0},
	{"ctz", FORMAT_R1, KIND_BITS, OP_F12(0x13, 1, 0x30, 1), 0},
	{"cpop", FORMAT_R1, KIND_BITS, OP_F12(0x13, 1, 0x30, 2), 0},
	{"clzw", FORMAT_R1, KIND_BITS, OP_F12(0x1b, 1, 0x30, 0), 0},
	{"ctzw", FORMAT_R1, KIND_BITS, OP_F12(0x1b, 1, 0x30, 1), 0},
	{"cpopw", FORMAT_R1, KIND_BITS, OP_F12(0x1b, 1, 0x30, 2), 0},
	{"sext.b", FORMAT_R1, KIND_BITS, OP_F12(0x13, 1, 0x30, 4), 0},
	{"sext.h", FORMAT_R1, KIND_BITS, OP_F12(0x13, 1, 0x30, 5), 0},
	{"zext.h", FORMAT_R1, KIND_BITS, OP_F12(0x3b, 4, 0x04, 0), 0},
	{"min", FORMAT_R, KIND_BITS, OP_F7(0x33, 4, 0x05), 0},
	{"minu", FORMAT_R, KIND_BITS, OP_F7(0x33, 5, 0x05), 0},
	{"max", FORMAT_R, KIND_BITS, OP_F7(0x33, 6, 0x05), 0},
	{"maxu", FORMAT_R, KIND_BITS, OP_F7(0x33, 7, 0x05), 0},
	{"rol", FORMAT_R, KIND_BITS, OP_F7(0x33, 1, 0x30), 0},
	{"rolw", FORMAT_R, KIND_BITS, OP_F7(0x3b, 1, 0x30), 0},
	{"ror", FORMAT_R, KIND_BITS, OP_F7(0x33, 5, 0x30), 0},
	{"rorw", FORMAT_R, KIND_BITS, OP_F7(0x3b, 5, 0x30), 0},
	{"rori", FORMAT_SHIFT64, KIND_BITS, OP_F7(0x13, 5, 0x30), 0},
	{"roriw", FORMAT_SHIFT32, KIND_BITS, OP_F7(0x1b, 5, 0x30), 0},
	{"orc.b", FORMAT_R1, KIND_BITS, OP_F12(0x13, 5, 0x14, 7), 0},
	{"rev8", FORMAT_R1, KIND_BITS, OP_F12(0x13, 5, 0x35, 24), 0},
	{"clmul", FORMAT_R, KIND_BITS, OP_F7(0x33, 1, 0x05), 0},
	{"clmulh", FORMAT_R, KIND_BITS, OP_F7(0x33, 3, 0x05), 0},
	{"clmulr", FORMAT_R, KIND_BITS, OP_F7(0x33, 2, 0x05), 0},
	{"bclr", FORMAT_R, KIND_BITS, OP_F7(0x33, 1, 0x24), 0},
	{"bclri", FORMAT_SHIFT64, KIND_BITS, OP_F7(0x13, 1, 0x24), 0},
	{"bext", FORMAT_R, KIND_BITS, OP_F7(0x33, 5, 0x24), 0},
	{"bexti", FORMAT_SHIFT64, KIND_BITS, OP_F7(0x13, 5, 0x24), 0},
	{"binv", FORMAT_R, KIND_BITS, OP_F7(0x33, 1, 0x34), 0},
	{"binvi", FORMAT_SHIFT64, KIND_BITS, OP_F7(0x13, 1, 0x34), 0},
	{"bset", FORMAT_R, KIND_BITS, OP_F7(0x33, 1, 0x14), 0},
	{"bseti", FORMAT_SHIFT64, KIND_BITS, OP_F7(0x13, 1, 0x14), 0},

	{"lb", FORMAT_LOAD, KIND_MEMORY, OP_F3(0x03, 0), 1},
	{"lh", FORMAT_LOAD, KIND_MEMORY, OP_F3(0x03, 1), 2},
	{"lw", FORMAT_LOAD, KIND_MEMORY, OP_F3(0x03, 2), 4},
	{"ld", FORMAT_LOAD, KIND_MEMORY, OP_F3(0x03, 3), 8},
	{"lbu", FORMAT_LOAD, KIND_MEMORY, OP_F3(0x03, 4), 1},
	{"lhu", FORMAT_LOAD, KIND_MEMORY, OP_F3(0x03, 5), 2},
	{"lwu", FORMAT_LOAD, KIND_MEMORY, OP_F3(0x03, 6), 4},
	{"sb", FORMAT_STORE, KIND_MEMORY, OP_F3(0x23, 0), 1},
	{"sh", FORMAT_STORE, KIND_MEMORY, OP_F3(0x23, 1), 2},
	{"sw", FORMAT_STORE, KIND_MEMORY, OP_F3(0x23, 2), 4},
	{"sd", FORMAT_STORE, KIND_MEMORY, OP_F3(0x23, 3), 8},
	{"flw", FORMAT_FLOAD, KIND_MEMORY, OP_F3(0x07, 2), 4},
	{"fld", FORMAT_FLOAD, KIND_MEMORY, OP_F3(0x07, 3), 8},
	{"fsw", FORMAT_FSTORE, KIND_MEMORY, OP_F3(0x27, 2), 4},
	{"fsd", FORMAT_FSTORE, KIND_MEMORY, OP_F3(0x27, 3), 8},

	{"beq", FORMAT_BRANCH, KIND_CONTROL, OP_F3(0x63, 0), 0},
	{"bne", FORMAT_BRANCH, KIND_CONTROL, OP_F3(0x63, 1), 0},
	{"blt", FORMAT_BRANCH, KIND_CONTROL, OP_F3(0x63, 4), 0},
	{"bge", FORMAT_BRANCH, KIND_CONTROL, OP_F3(0x63, 5), 0},
	{"bltu", FORMAT_BRANCH, KIND_CONTROL, OP_F3(0x63, 6), 0},
	{"bgeu", FORMAT_BRANCH, KIND_CONTROL, OP_F3(0x63, 7), 0},
	{"jal", FORMAT_JAL, KIND_CONTROL, 0x6f, 0},
	{"jalr", FORMAT_JALR, KIND_CONTROL, OP_F3(0x67, 0), 0},
	{"c.j", FORMAT_C_J, KIND_CONTROL, C(1, 5), 0},
	{"c.beqz", FORMAT_C_BRANCH, KIND_CONTROL, C(1, 6), 0},
	{"c.bnez", FORMAT_C_BRANCH, KIND_CONTROL, C(1, 7), 0},
	{"c.jr", FORMAT_C_JR, KIND_CONTROL, C(2, 4), 0},
	{"c.jalr", FORMAT_C_JALR, KIND_CONTROL, C(2, 4) | 1 << 12, 0},

	{"fence", FORMAT_FENCE, KIND_SYSTEM, OP_F3(0x0f, 0), 0},
	{"fence.i", FORMAT_FENCE_I, KIND_SYSTEM, OP_F3(0x0f, 1), 0},
	{"ecall", FORMAT_ECALL, KIND_SYSTEM, 0x73, 0},
	{"csrrw", FORMAT_CSR, KIND_SYSTEM, OP_F3(0x73, 1), 0},
	{"csrrs", FORMAT_CSR, KIND_SYSTEM, OP_F3(0x73, 2), 0},
	{"csrrc", FORMAT_CSR, KIND_SYSTEM, OP_F3(0x73, 3), 0},
	{"csrrwi", FORMAT_CSR_IMM, KIND_SYSTEM, OP_F3(0x73, 5), 0},
	{"csrrsi", FORMAT_CSR_IMM, KIND_SYSTEM, OP_F3(0x73, 6), 0},
	{"csrrci", FORMAT_CSR_IMM, KIND_SYSTEM, OP_F3(0x73, 7), 0},

	{"lr.w", FORMAT_LR, KIND_ATOMIC, AMO(0x02, 2), 4},
	{"lr.d", FORMAT_LR, KIND_ATOMIC, AMO(0x02, 3), 8},
	{"sc.w", FORMAT_SC, KIND_ATOMIC, AMO(0x03, 2), 4},
	{"sc.d", FORMAT_SC, KIND_ATOMIC, AMO(0x03, 3), 8},
	{"amoswap.w", FORMAT_AMO, KIND_ATOMIC, AMO(0x01, 2), 4},
	{"amoadd.w", FORMAT_AMO, KIND_ATOMIC, AMO(0x00, 2), 4},
	{"amoxor.w", FORMAT_AMO, KIND_ATOMIC, AMO(0x04, 2), 4},
	{"amoand.w", FORMAT_AMO, KIND_ATOMIC, AMO(0x0c, 2), 4},
	{"amoor.w", FORMAT_AMO, KIND_ATOMIC, AMO(0x08, 2), 4},
	{"amomin.w", FORMAT_AMO, KIND_ATOMIC, AMO(0x10, 2), 4},
	{"amomax.w", FORMAT_AMO, KIND_ATOMIC, AMO(0x14, 2), 4},
	{"amominu.w", FORMAT_AMO, KIND_ATOMIC, AMO(0x18, 2), 4},
	{"amomaxu.w", FORMAT_AMO, KIND_ATOMIC, AMO(0x1c, 2), 4},
	{"amoswap.d", FORMAT_AMO, KIND_ATOMIC, AMO(0x01, 3), 8},
	{"amoadd.d", FORMAT_AMO, KIND_ATOMIC, AMO(0x00, 3), 8},
	{"amoxor.d", FORMAT_AMO, KIND_ATOMIC, AMO(0x04, 3), 8},
	{"amoand.d", FORMAT_AMO, KIND_ATOMIC, AMO(0x0c, 3), 8},
	{"amoor.d", FORMAT_AMO, KIND_ATOMIC, AMO(0x08, 3), 8},
	{"amomin.d", FORMAT_AMO, KIND_ATOMIC, AMO(0x10, 3), 8},
	{"amomax.d", FORMAT_AMO, KIND_ATOMIC, AMO(0x14, 3), 8},
	{"amominu.d", FORMAT_AMO, KIND_ATOMIC, AMO(0x18, 3), 8},
	{"amomaxu.d", FORMAT_AMO, KIND_ATOMIC, AMO(0x1c, 3), 8},

	{"fmadd.s", FORMAT_FP_3_RM, KIND_FLOAT, 0x43, 0},
	{"fmsub.s", FORMAT_FP_3_RM, KIND_FLOAT, 0x47, 0},
	{"fnmsub.s", FORMAT_FP_3_RM, KIND_FLOAT, 0x4b, 0},
	{"fnmadd.s", FORMAT_FP_3_RM, KIND_FLOAT, 0x4f, 0},
	{"fadd.s", FORMAT_FP_2_RM, KIND_FLOAT, FP(0x00, 0), 0},
	{"fsub.s", FORMAT_FP_2_RM, KIND_FLOAT, FP(0x04, 0), 0},
	{"fmul.s", FORMAT_FP_2_RM, KIND_FLOAT, FP(0x08, 0), 0},
	{"fdiv.s", FORMAT_FP_2_RM, KIND_FLOAT, FP(0x0c, 0), 0},
	{"fsqrt.s", FORMAT_FP_1_RM, KIND_FLOAT, FP(0x2c, 0), 0},
	{"fsgnj.s", FORMAT_FP_2, KIND_FLOAT, FP(0x10, 0), 0},
	{"fsgnjn.s", FORMAT_FP_2, KIND_FLOAT, FP(0x10, 1), 0},
	{"fsgnjx.s", FORMAT_FP_2, KIND_FLOAT, FP(0x10, 2), 0},
	{"fmin.s", FORMAT_FP_2, KIND_FLOAT, FP(0x14, 0), 0},
	{"fmax.s", FORMAT_FP_2, KIND_FLOAT, FP(0x14, 1), 0},
	{"fle.s", FORMAT_FP_CMP, KIND_FLOAT, FP(0x50, 0), 0},
	{"flt.s", FORMAT_FP_CMP, KIND_FLOAT, FP(0x50, 1), 0},
	{"feq.s", FORMAT_FP_CMP, KIND_FLOAT, FP(0x50, 2), 0},
	{"fcvt.w.s", FORMAT_FP_TO_X_RM, KIND_FLOAT, FP_1(0x60, 0, 0), 0},
	{"fcvt.wu.s", FORMAT_FP_TO_X_RM, KIND_FLOAT, FP_1(0x60, 1, 0), 0},
	{"fcvt.l.s", FORMAT_FP_TO_X_RM, KIND_FLOAT, FP_1(0x60, 2, 0), 0},
	{"fcvt.lu.s", FORMAT_FP_TO_X_RM, KIND_FLOAT, FP_1(0x60, 3, 0), 0},
	{"fcvt.s.w", FORMAT_X_TO_FP_RM, KIND_FLOAT, FP_1(0x68, 0, 0), 0},
	{"fcvt.s.wu", FORMAT_X_TO_FP_RM, KIND_FLOAT, FP_1(0x68, 1, 0), 0},
	{"fcvt.s.l", FORMAT_X_TO_FP_RM, KIND_FLOAT, FP_1(0x68, 2, 0), 0},
	{"fcvt.s.lu", FORMAT_X_TO_FP_RM, KIND_FLOAT, FP_1(0x68, 3, 0), 0},
	{"fmv.x.w", FORMAT_FP_TO_X, KIND_FLOAT, FP_1(0x70, 0, 0), 0},
	{"fclass.s", FORMAT_FP_TO_X, KIND_FLOAT, FP_1(0x70, 0, 1), 0},
	{"fmv.w.x", FORMAT_X_TO_FP, KIND_FLOAT, FP_1(0x78, 0, 0), 0},

	{"fmadd.d", FORMAT_FP_3_RM, KIND_FLOAT, 0x43 | 1 << 25, 0},
	{"fmsub.d", FORMAT_FP_3_RM, KIND_FLOAT, 0x47 | 1 << 25, 0},
	{"fnmsub.d", FORMAT_FP_3_RM, KIND_FLOAT, 0x4b | 1 << 25, 0},
	{"fnmadd.d", FORMAT_FP_3_RM, KIND_FLOAT, 0x4f | 1 << 25, 0},
	{"fadd.d", FORMAT_FP_2_RM, KIND_FLOAT, FP(0x01, 0), 0},
	{"fsub.d", FORMAT_FP_2_RM, KIND_FLOAT, FP(0x05, 0), 0},
	{"fmul.d", FORMAT_FP_2_RM, KIND_FLOAT, FP(0x09, 0), 0},
	{"fdiv.d", FORMAT_FP_2_RM, KIND_FLOAT, FP(0x0d, 0), 0},
	{"fsqrt.d", FORMAT_FP_1_RM, KIND_FLOAT, FP(0x2d, 0), 0},
	{"fsgnj.d", FORMAT_FP_2, KIND_FLOAT, FP(0x11, 0), 0},
	{"fsgnjn.d", FORMAT_FP_2, KIND_FLOAT, FP(0x11, 1), 0},
	{"fsgnjx.d", FORMAT_FP_2, KIND_FLOAT, FP(0x11, 2), 0},
	{"fmin.d", FORMAT_FP_2, KIND_FLOAT, FP(0x15, 0), 0},
	{"fmax.d", FORMAT_FP_2, KIND_FLOAT, FP(0x15, 1), 0},
	{"fle.d", FORMAT_FP_CMP, KIND_FLOAT, FP(0x51, 0), 0},
	{"flt.d", FORMAT_FP_CMP, KIND_FLOAT, FP(0x51, 1), 0},
	{"feq.d", FORMAT_FP_CMP, KIND_FLOAT, FP(0x51, 2), 0},
	{"fcvt.s.d", FORMAT_FP_1_RM, KIND_FLOAT, FP_1(0x20, 1, 0), 0},
	{"fcvt.d.s", FORMAT_FP_1_RM, KIND_FLOAT, FP_1(0x21, 0, 0), 0},
	{"fcvt.w.d", FORMAT_FP_TO_X_RM, KIND_FLOAT, FP_1(0x61, 0, 0), 0},
	{"fcvt.wu.d", FORMAT_FP_TO_X_RM, KIND_FLOAT, FP_1(0x61, 1, 0), 0},
	{"fcvt.l.d", FORMAT_FP_TO_X_RM, KIND_FLOAT, FP_1(0x61, 2, 0), 0},
	{"fcvt.lu.d", FORMAT_FP_TO_X_RM, KIND_FLOAT, FP_1(0x61, 3, 0), 0},
	{"fcvt.d.w", FORMAT_X_TO_FP_RM, KIND_FLOAT, FP_1(0x69, 0, 0), 0},
	{"fcvt.d.wu", FORMAT_X_TO_FP_RM, KIND_FLOAT, FP_1(0x69, 1, 0), 0},
	{"fcvt.d.l", FORMAT_X_TO_FP_RM, KIND_FLOAT, FP_1(0x69, 2, 0), 0},
	{"fcvt.d.lu", FORMAT_X_TO_FP_RM, KIND_FLOAT, FP_1(0x69, 3, 0), 0},
	{"fmv.x.d", FORMAT_FP_TO_X, KIND_FLOAT, FP_1(0x71, 0, 0), 0},
	{"fclass.d", FORMAT_FP_TO_X, KIND_FLOAT, FP_1(0x71, 0, 1), 0},
	{"fmv.d.x", FORMAT_X_TO_FP, KIND_FLOAT, FP_1(0x79, 0, 0), 0},

	{"c.nop", FORMAT_C_NOP, KIND_C_INTEGER, C(1, 0), 0},
	{"c.addi4spn", FORMAT_C_ADDI4SPN, KIND_C_INTEGER, C(0, 0), 0},
	{"c.addi", FORMAT_C_IMM, KIND_C_INTEGER, C(1, 0), 0},
	{"c.addiw", FORMAT_C_IMM, KIND_C_INTEGER, C(1, 1), 0},
	{"c.li", FORMAT_C_IMM, KIND_C_INTEGER, C(1, 2), 0},
	{"c.addi16sp", FORMAT_C_ADDI16SP, KIND_C_INTEGER, C(1, 3), 0},
	{"c.lui", FORMAT_C_LUI, KIND_C_INTEGER, C(1, 3), 0},
	{"c.srli", FORMAT_C_SHIFT, KIND_C_INTEGER, C(1, 4), 0},
	{"c.srai", FORMAT_C_SHIFT, KIND_C_INTEGER, C(1, 4) | 1 << 10, 0},
	{"c.andi", FORMAT_C_ANDI, KIND_C_INTEGER, C(1, 4) | 2 << 10, 0},
	{"c.sub", FORMAT_C_ARITH, KIND_C_INTEGER, C(1, 4) | 3 << 10, 0},
	{"c.xor", FORMAT_C_ARITH, KIND_C_INTEGER, C(1, 4) | 3 << 10 | 1 << 5, 0},
	{"c.or", FORMAT_C_ARITH, KIND_C_INTEGER, C(1, 4) | 3 << 10 | 2 << 5, 0},
	{"c.and", FORMAT_C_ARITH, KIND_C_INTEGER, C(1, 4) | 3 << 10 | 3 << 5, 0},
	{"c.subw", FORMAT_C_ARITH, KIND_C_INTEGER, C(1, 4) | 7 << 10, 0},
	{"c.addw", FORMAT_C_ARITH, KIND_C_INTEGER, C(1, 4) | 7 << 10 | 1 << 5, 0},
	{"c.slli", FORMAT_C_SLLI, KIND_C_INTEGER, C(2, 0), 0},
	{"c.mv", FORMAT_C_MOVE, KIND_C_INTEGER, C(2, 4), 0},
	{"c.add", FORMAT_C_MOVE, KIND_C_INTEGER, C(2, 4) | 1 << 12, 0},

	{"c.fld", FORMAT_C_FLOAD, KIND_C_MEMORY, C(0, 1), 8},
	{"c.lw", FORMAT_C_LOAD, KIND_C_MEMORY, C(0, 2), 4},
	{"c.ld", FORMAT_C_LOAD, KIND_C_MEMORY, C(0, 3), 8},
	{"c.fsd", FORMAT_C_FSTORE, KIND_C_MEMORY, C(0, 5), 8},
	{"c.sw", FORMAT_C_STORE, KIND_C_MEMORY, C(0, 6), 4},
	{"c.sd", FORMAT_C_STORE, KIND_C_MEMORY, C(0, 7), 8},
	{"c.fldsp", FORMAT_C_FLOAD_SP, KIND_C_MEMORY, C(2, 1), 8},
	{"c.lwsp", FORMAT_C_LOAD_SP, KIND_C_MEMORY, C(2, 2), 4},
	{"c.ldsp", FORMAT_C_LOAD_SP, KIND_C_MEMORY, C(2, 3), 8},
	{"c.fsdsp", FORMAT_C_FSTORE_SP, KIND_C_MEMORY, C(2, 5), 8},
	{"c.swsp", FORMAT_C_STORE_SP, KIND_C_MEMORY, C(2, 6), 4},
	{"c.sdsp", FORMAT_C_STORE_SP, KIND_C_MEMORY, C(2, 7), 8},

	/* LEVEL_HALF */
	{"fmadd.h", FORMAT_FP_3_RM, KIND_FLOAT, 0x43 | 2 << 25, 0},
	{"fmsub.h", FORMAT_FP_3_RM, KIND_FLOAT, 0x47 | 2 << 25, 0},
	{"fnmsub.h", FORMAT_FP_3_RM, KIND_FLOAT, 0x4b | 2 << 25, 0},
	{"fnmadd.h", FORMAT_FP_3_RM, KIND_FLOAT, 0x4f | 2 << 25, 0},
	{"flh", FORMAT_FLOAD, KIND_MEMORY, OP_F3(0x07, 1), 2},
	{"fsh", FORMAT_FSTORE, KIND_MEMORY, OP_F3(0x27, 1), 2},
	{"fadd.h", FORMAT_FP_2_RM, KIND_FLOAT, FP(0x02, 0), 0},
	{"fsub.h", FORMAT_FP_2_RM, KIND_FLOAT, FP(0x06, 0), 0},
	{"fmul.h", FORMAT_FP_2_RM, KIND_FLOAT, FP(0x0a, 0), 0},
	{"fdiv.h", FORMAT_FP_2_RM, KIND_FLOAT, FP(0x0e, 0), 0},
	{"fsqrt.h", FORMAT_FP_1_RM, KIND_FLOAT, FP(0x2e, 0), 0},
	{"fsgnj.h", FORMAT_FP_2, KIND_FLOAT, FP(0x12, 0), 0},
	{"fsgnjn.h", FORMAT_FP_2, KIND_FLOAT, FP(0x12, 1), 0},
	{"fsgnjx.h", FORMAT_FP_2, KIND_FLOAT, FP(0x12, 2), 0},
	{"fmin.h", FORMAT_FP_2, KIND_FLOAT, FP(0x16, 0), 0},
	{"fmax.h", FORMAT_FP_2, KIND_FLOAT, FP(0x16, 1), 0},
	{"fle.h", FORMAT_FP_CMP, KIND_FLOAT, FP(0x52, 0), 0},
	{"flt.h", FORMAT_FP_CMP, KIND_FLOAT, FP(0x52, 1), 0},
	{"feq.h", FORMAT_FP_CMP, KIND_FLOAT, FP(0x52, 2), 0},
	{"fcvt.w.h", FORMAT_FP_TO_X_RM, KIND_FLOAT, FP_1(0x62, 0, 0), 0},
	{"fcvt.h.w", FORMAT_X_TO_FP_RM, KIND_FLOAT, FP_1(0x6a, 0, 0), 0},
	{"fcvt.wu.h", FORMAT_FP_TO_X_RM, KIND_FLOAT, FP_1(0x62, 1, 0), 0},
	{"fcvt.h.wu", FORMAT_X_TO_FP_RM, KIND_FLOAT, FP_1(0x6a, 1, 0), 0},
	{"fcvt.l.h", FORMAT_FP_TO_X_RM, KIND_FLOAT, FP_1(0x62, 2, 0), 0},
	{"fcvt.h.l", FORMAT_X_TO_FP_RM, KIND_FLOAT, FP_1(0x6a, 2, 0), 0},
	{"fcvt.lu.h", FORMAT_FP_TO_X_RM, KIND_FLOAT, FP_1(0x62, 3, 0), 0},
	{"fcvt.h.lu", FORMAT_X_TO_FP_RM, KIND_FLOAT, FP_1(0x6a, 3, 0), 0},
	{"fmv.x.h", FORMAT_FP_TO_X, KIND_FLOAT, FP_1(0x72, 0, 0), 0},
	{"fclass.h", FORMAT_FP_TO_X, KIND_FLOAT, FP_1(0x72, 0, 1), 0},
	{"fmv.h.x", FORMAT_X_TO_FP, KIND_FLOAT, FP_1(0x7a, 0, 0), 0},
	{"fcvt.s.h", FORMAT_FP_1_RM, KIND_FLOAT, FP_1(0x20, 2, 0), 0},
	{"fcvt.d.h", FORMAT_FP_1_RM, KIND_FLOAT, FP_1(0x21, 2, 0), 0},
	{"fcvt.h.s", FORMAT_FP_1_RM, KIND_FLOAT, FP_1(0x22, 0, 0), 0},
	{"fcvt.h.d", FORMAT_FP_1_RM, KIND_FLOAT, FP_1(0x22, 1, 0), 0},
	{"pack", FORMAT_R, KIND_BITS, OP_F7(0x33, 4, 0x04), 0},
	{"packh", FORMAT_R, KIND_BITS, OP_F7(0x33, 7, 0x04), 0},
	{"packw", FORMAT_R, KIND_BITS, OP_F7(0x3b, 4, 0x04), 0},
	{"brev8", FORMAT_R1, KIND_BITS, OP_F12(0x13, 5, 0x34, 7), 0},

	/* LEVEL_LATER */
	{"czero.eqz", FORMAT_R, KIND_LATER, OP_F7(0x33, 5, 0x07), 0},
	{"czero.nez", FORMAT_R, KIND_LATER, OP_F7(0x33, 7, 0x07), 0},
	{"wrs.nto", FORMAT_NONE, KIND_LATER, OP_F12(0x73, 0, 0, 13), 0},
	{"wrs.sto", FORMAT_NONE, KIND_LATER, OP_F12(0x73, 0, 0, 29), 0},
	{"fli.s", FORMAT_FLI, KIND_FLOAT, FP_1(0x78, 1, 0), 0},
	{"fminm.s", FORMAT_FP_2, KIND_FLOAT, FP(0x14, 2), 0},
	{"fmaxm.s", FORMAT_FP_2, KIND_FLOAT, FP(0x14, 3), 0},
	{"fround.s", FORMAT_FP_1_RM, KIND_FLOAT, FP_1(0x20, 4, 0), 0},
	{"froundnx.s", FORMAT_FP_1_RM, KIND_FLOAT, FP_1(0x20, 5, 0), 0},
	{"fleq.s", FORMAT_FP_CMP, KIND_FLOAT, FP(0x50, 4), 0},
	{"fltq.s", FORMAT_FP_CMP, KIND_FLOAT, FP(0x50, 5), 0},
	{"fli.d", FORMAT_FLI, KIND_FLOAT, FP_1(0x79, 1, 0), 0},
	{"fminm.d", FORMAT_FP_2, KIND_FLOAT, FP(0x15, 2), 0},
	{"fmaxm.d", FORMAT_FP_2, KIND_FLOAT, FP(0x15, 3), 0},
	{"fround.d", FORMAT_FP_1_RM, KIND_FLOAT, FP_1(0x21, 4, 0), 0},
	{"froundnx.d", FORMAT_FP_1_RM, KIND_FLOAT, FP_1(0x21, 5, 0), 0},
	{"fleq.d", FORMAT_FP_CMP, KIND_FLOAT, FP(0x51, 4), 0},
	{"fltq.d", FORMAT_FP_CMP, KIND_FLOAT, FP(0x51, 5), 0},
	{"fli.h", FORMAT_FLI, KIND_FLOAT, FP_1(0x7a, 1, 0), 0},
	{"fminm.h", FORMAT_FP_2, KIND_FLOAT, FP(0x16, 2), 0},
	{"fmaxm.h", FORMAT_FP_2, KIND_FLOAT, FP(0x16, 3), 0},
	{"fround.h", FORMAT_FP_1_RM, KIND_FLOAT, FP_1(0x22, 4, 0), 0},
	{"froundnx.h", FORMAT_FP_1_RM, KIND_FLOAT, FP_1(0x22, 5, 0), 0},
	{"fleq.h", FORMAT_FP_CMP, KIND_FLOAT, FP(0x52, 4), 0},
	{"fltq.h", FORMAT_FP_CMP, KIND_FLOAT, FP(0x52, 5), 0},
	{"fcvtmod.w.d", FORMAT_FP_TO_X, KIND_FLOAT, FP_1(0x61, 8, 1), 0},
	{"mop.r", FORMAT_MOP_R, KIND_LATER, OP_F12(0x73, 4, 0x40, 28), 0},
	{"mop.rr", FORMAT_MOP_RR, KIND_LATER, OP_F7(0x73, 4, 0x41), 0},
	{"c.mop", FORMAT_C_MOP, KIND_LATER, C(1, 3) | 1 << 7, 0},
	{"c.lbu", FORMAT_C_NARROW_LOAD, KIND_LATER, C(0, 4), 1},
	{"c.lhu", FORMAT_C_NARROW_LOAD, KIND_LATER, C(0, 4) | 1 << 10, 2},
	{"c.lh", FORMAT_C_NARROW_LOAD, KIND_LATER, C(0, 4) | 1 << 10 | 1 << 6, 2},
	{"c.sb", FORMAT_C_NARROW_STORE, KIND_LATER, C(0, 4) | 2 << 10, 1},
	{"c.sh", FORMAT_C_NARROW_STORE, KIND_LATER, C(0, 4) | 3 << 10, 2},
	{"c.zext.b", FORMAT_C_UNARY, KIND_LATER, C(1, 4) | 7 << 10 | 3 << 5 | 0 << 2, 0},
	{"c.sext.b", FORMAT_C_UNARY, KIND_LATER, C(1, 4) | 7 << 10 | 3 << 5 | 1 << 2, 0},
	{"c.zext.h", FORMAT_C_UNARY, KIND_LATER, C(1, 4) | 7 << 10 | 3 << 5 | 2 << 2, 0},
	{"c.sext.h", FORMAT_C_UNARY, KIND_LATER, C(1, 4) | 7 << 10 | 3 << 5 | 3 << 2, 0},
	{"c.zext.w", FORMAT_C_UNARY, KIND_LATER, C(1, 4) | 7 << 10 | 3 << 5 | 4 << 2, 0},
	{"c.not", FORMAT_C_UNARY, KIND_LATER, C(1, 4) | 7 << 10 | 3 << 5 | 5 << 2, 0},
	{"c.mul", FORMAT_C_ARITH, KIND_C_INTEGER, C(1, 4) | 7 << 10 | 2 << 5, 0},
	{"cbo.zero", FORMAT_BLOCK, KIND_LATER, OP_F12(0x0f, 2, 0, 4), 0},
	{"amocas.w", FORMAT_CAS, KIND_LATER, AMO(0x05, 2), 4},
	{"amocas.d", FORMAT_CAS, KIND_LATER, AMO(0x05, 3), 8},
	{"amocas.q", FORMAT_CAS, KIND_LATER, AMO(0x05, 4), 16},
};

size_t insn_row_count(enum insn_level level)
{
	/* The first rows that a level does not have. */
	static const char *const ends[] = {"fmadd.h", "czero.eqz"};

	return level == LEVEL_LATER ? ARRAY_COUNT(insn_rows)
				    : (size_t)(insn_find(ends[level]) - insn_rows);
}

const struct insn *insn_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(insn_rows); i++)
		if (!strcmp(insn_rows[i].name, name))
			return &insn_rows[i];
	BUG("no instruction named %s", name);
}

bool insn_rounds(const struct insn *row)
{
	switch (row->format) {
	case FORMAT_FP_1_RM:
	case FORMAT_FP_2_RM:
	case FORMAT_FP_3_RM:
	case FORMAT_FP_TO_X_RM:
	case FORMAT_X_TO_FP_RM: return true;
	default: return false;
	}
}

const char *insn_variant_suffix(const struct insn *row, unsigned variant)
{
	static const char *const modes[INSN_VARIANTS] = {
		"/rne", "/rtz", "/rdn", "/rup", "/rmm", NULL, NULL, "/dyn",
	};

	if (insn_rounds(row))
		return modes[variant];
	return variant ? NULL : "";
}

static void check_signed(int value, unsigned width)
{
	if (value < -(1 << (width - 1)) || value >= 1 << (width - 1))
		BUG("%d does not fit in %u bits", value, width);
}

static uint32_t field(int value, unsigned low, unsigned width, unsigned to)
{
	return (uint32_t)bits_field((uint64_t)(int64_t)value, low, width) << to;
}

static uint32_t short_reg(unsigned reg)
{
	BUG_ON(reg < 8 || reg > 15);
	return reg - 8;
}

uint32_t encode_r(uint32_t bits, unsigned rd, unsigned rs1, unsigned rs2)
{
	return bits | rd << 7 | rs1 << 15 | rs2 << 20;
}

uint32_t encode_i(uint32_t bits, unsigned rd, unsigned rs1, int imm)
{
	check_signed(imm, 12);
	return bits | rd << 7 | rs1 << 15 | field(imm, 0, 12, 20);
}

uint32_t encode_s(uint32_t bits, unsigned rs1, unsigned rs2, int imm)
{
	check_signed(imm, 12);
	return bits | rs1 << 15 | rs2 << 20 | field(imm, 0, 5, 7) | field(imm, 5, 7, 25);
}

uint32_t encode_b(uint32_t bits, unsigned rs1, unsigned rs2, int offset)
{
	check_signed(offset, 13);
	return bits | rs1 << 15 | rs2 << 20 | field(offset, 11, 1, 7) | field(offset, 1, 4, 8) |
	       field(offset, 5, 6, 25) | field(offset, 12, 1, 31);
}

uint32_t encode_u(uint32_t bits, unsigned rd, uint32_t upper)
{
	return bits | rd << 7 | upper << 12;
}

uint32_t encode_j(uint32_t bits, unsigned rd, int offset)
{
	check_signed(offset, 21);
	return bits | rd << 7 | field(offset, 12, 8, 12) | field(offset, 11, 1, 20) |
	       field(offset, 1, 10, 21) | field(offset, 20, 1, 31);
}

uint32_t encode_ci(uint32_t bits, unsigned rd, int imm)
{
	return bits | rd << 7 | field(imm, 0, 5, 2) | field(imm, 5, 1, 12);
}

uint32_t encode_cb_imm(uint32_t bits, unsigned rd, int imm)
{
	return encode_ci(bits, short_reg(rd), imm);
}

uint32_t encode_ca(uint32_t bits, unsigned rd, unsigned rs2)
{
	return bits | short_reg(rd) << 7 | short_reg(rs2) << 2;
}

uint32_t encode_cr(uint32_t bits, unsigned rd, unsigned rs2)
{
	return bits | rd << 7 | rs2 << 2;
}

uint32_t encode_addi4spn(uint32_t bits, unsigned rd, unsigned imm)
{
	int value = (int)imm;

	return bits | short_reg(rd) << 2 | field(value, 3, 1, 5) | field(value, 2, 1, 6) |
	       field(value, 6, 4, 7) | field(value, 4, 2, 11);
}

uint32_t encode_addi16sp(uint32_t bits, int imm)
{
	check_signed(imm, 10);
	return bits | 2 << 7 | field(imm, 5, 1, 2) | field(imm, 7, 2, 3) | field(imm, 6, 1, 5) |
	       field(imm, 4, 1, 6) | field(imm, 9, 1, 12);
}

uint32_t encode_c_memory(uint32_t bits, unsigned reg, unsigned rs1, unsigned imm, unsigned size)
{
	int value = (int)imm;

	bits |= short_reg(reg) << 2 | short_reg(rs1) << 7 | field(value, 3, 3, 10);
	if (size == 4)
		return bits | field(value, 6, 1, 5) | field(value, 2, 1, 6);
	return bits | field(value, 6, 2, 5);
}

uint32_t encode_c_load_sp(uint32_t bits, unsigned rd, unsigned imm, unsigned size)
{
	int value = (int)imm;

	bits |= rd << 7 | field(value, 5, 1, 12);
	if (size == 4)
		return bits | field(value, 6, 2, 2) | field(value, 2, 3, 4);
	return bits | field(value, 6, 3, 2) | field(value, 3, 2, 5);
}

uint32_t encode_c_store_sp(uint32_t bits, unsigned rs2, unsigned imm, unsigned size)
{
	int value = (int)imm;

	bits |= rs2 << 2;
	if (size == 4)
		return bits | field(value, 6, 2, 7) | field(value, 2, 4, 9);
	return bits | field(value, 6, 3, 7) | field(value, 3, 3, 10);
}

uint32_t encode_cj(uint32_t bits, int offset)
{
	check_signed(offset, 12);
	return bits | field(offset, 5, 1, 2) | field(offset, 1, 3, 3) | field(offset, 7, 1, 6) |
	       field(offset, 6, 1, 7) | field(offset, 10, 1, 8) | field(offset, 8, 2, 9) |
	       field(offset, 4, 1, 11) | field(offset, 11, 1, 12);
}

uint32_t encode_c_branch(uint32_t bits, unsigned rs1, int offset)
{
	check_signed(offset, 9);
	return bits | short_reg(rs1) << 7 | field(offset, 5, 1, 2) | field(offset, 1, 2, 3) |
	       field(offset, 6, 2, 5) | field(offset, 3, 2, 10) | field(offset, 8, 1, 12);
}
