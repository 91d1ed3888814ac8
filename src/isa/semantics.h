/*
 * semantics.h - what each instruction does, written once.
 *
 * This file is included inside a function, possibly several times, by each way
 * of executing (exec_fast.c, exec_core.c), which first defines:
 *
 *   OP(id)                 starts an instruction: a label or a case
 *   NEXT                   ends it: on to the following instruction
 *   A B C IMM RM_FIELD     sources, immediate, rm field of the instruction
 *   IS_X0(field)           whether its rs1 is x0
 *   WR(value)              writes rd
 *   PC LINK                its address; the address after it
 *   BRANCH(taken)          to PC + IMM if taken, else NEXT; ends it
 *   JUMP_RELATIVE          to PC + IMM; ends it
 *   JUMP_TO(address)       anywhere; ends it
 *   LOAD(type, address)    declares `type loaded` with the value there, or faults
 *   STORE(type, address, value)   stores, or faults
 *   ATOMIC(type, address)  declares `type loaded` for a read-modify-write of
 *                          aligned, writable memory, or faults
 *   ATOMIC_LOAD(type, address)    the same where it is only read
 *   RESERVE(address, value), RESERVED(address, value), UNRESERVE
 *   BLOCK_ALLOWED(address) goes on if the cache block there can be accessed, or faults
 *   BLOCK_ZERO(address)    writes zeros to it, or faults
 *   COMPARE_AND_SWAP_16    amocas.q, whose operands are pairs of registers
 *   FFLAGS FRM             pointer to the accrued flags; the dynamic mode
 *   CSR(how, operand, is_write)   reads `old`, writes; or ILLEGAL
 *   ILLEGAL ECALL EBREAK SYNC_CODE
 *
 * Everything else here is arithmetic on uint64_t. Single- and half-precision values
 * are NaN-boxed in 64-bit registers.
 */
/* clang-format off */

#define SEXT32(value) ((uint64_t)(int64_t)(int32_t)(value))
#define SA	      ((int64_t)(A))
#define SB	      ((int64_t)(B))
#define A32	      ((int32_t)(A))
#define B32	      ((int32_t)(B))
#define UNBOX(reg)    ((reg) >> 32 == 0xffffffff ? (uint32_t)(reg) : UINT32_C(0x7fc00000))
#define BOX(value)    ((uint64_t)(value) | UINT64_C(0xffffffff00000000))
#define FA	      UNBOX(A)
#define FB	      UNBOX(B)
#define FC	      UNBOX(C)
#define UNBOX16(reg)  ((reg) >> 16 == 0xffffffffffff ? (uint16_t)(reg) : UINT16_C(0x7e00))
#define BOX16(value)  ((uint64_t)(value) | UINT64_C(0xffffffffffff0000))
#define HA	      UNBOX16(A)
#define HB	      UNBOX16(B)
#define HC	      UNBOX16(C)
#define SIGN16	      UINT16_C(0x8000)
#define FLIP16(half)  ((uint16_t)((half) ^ SIGN16))
#define SIGN32	      UINT32_C(0x80000000)
#define SIGN64	      (UINT64_C(1) << 63)

/* The rounding mode in effect; a reserved one makes the instruction illegal. */
#define ROUNDING                                                                                   \
	unsigned rm = RM_FIELD == 7 ? FRM : RM_FIELD;                                              \
	if (UNLIKELY(rm > RM_RMM))                                                                 \
	ILLEGAL

#define LOAD_INT(type)                                                                             \
	{                                                                                          \
		LOAD(type, A + (uint64_t)(int64_t)IMM)                                             \
		WR((uint64_t)(int64_t)loaded);                                                     \
		NEXT                                                                               \
	}
#define LOAD_UNSIGNED(type)                                                                        \
	{                                                                                          \
		LOAD(type, A + (uint64_t)(int64_t)IMM)                                             \
		WR(loaded);                                                                        \
		NEXT                                                                               \
	}
#define STORE_INT(type)                                                                            \
	{                                                                                          \
		STORE(type, A + (uint64_t)(int64_t)IMM, (type)B)                                   \
		NEXT                                                                               \
	}
#define AMO(type, signed_type, expression)                                                         \
	ATOMIC(type, A)                                                                            \
	type operand = (type)B;                                                                    \
	STORE(type, A, expression)                                                                 \
	WR((uint64_t)(int64_t)(signed_type)loaded);                                                \
	NEXT
#define LR(type, signed_type)                                                                      \
	ATOMIC_LOAD(type, A)                                                                       \
	RESERVE(A, loaded);                                                                        \
	WR((uint64_t)(int64_t)(signed_type)loaded);                                                \
	NEXT
#define SC(type)                                                                                   \
	ATOMIC(type, A)                                                                            \
	if (RESERVED(A, loaded)) {                                                                 \
		STORE(type, A, (type)B)                                                            \
		UNRESERVE;                                                                         \
		WR(0);                                                                             \
	} else {                                                                                   \
		UNRESERVE;                                                                         \
		WR(1);                                                                             \
	}                                                                                          \
	NEXT

#define CAS(type, signed_type)                                                                     \
	ATOMIC(type, A)                                                                            \
	if (loaded == (type)C) {                                                                   \
		STORE(type, A, (type)B)                                                            \
	}                                                                                          \
	WR((uint64_t)(int64_t)(signed_type)loaded);                                                \
	NEXT

OP(LUI) WR((uint64_t)(int64_t)IMM); NEXT
OP(AUIPC) WR(PC + (uint64_t)(int64_t)IMM); NEXT
OP(JAL) WR(LINK); JUMP_RELATIVE
OP(JALR) { uint64_t target = (A + (uint64_t)(int64_t)IMM) & ~UINT64_C(1); WR(LINK); JUMP_TO(target) }
OP(BEQ) BRANCH(A == B)
OP(BNE) BRANCH(A != B)
OP(BLT) BRANCH(SA < SB)
OP(BGE) BRANCH(SA >= SB)
OP(BLTU) BRANCH(A < B)
OP(BGEU) BRANCH(A >= B)
OP(LB) LOAD_INT(int8_t)
OP(LH) LOAD_INT(int16_t)
OP(LW) LOAD_INT(int32_t)
OP(LD) LOAD_UNSIGNED(uint64_t)
OP(LBU) LOAD_UNSIGNED(uint8_t)
OP(LHU) LOAD_UNSIGNED(uint16_t)
OP(LWU) LOAD_UNSIGNED(uint32_t)
OP(SB) STORE_INT(uint8_t)
OP(SH) STORE_INT(uint16_t)
OP(SW) STORE_INT(uint32_t)
OP(SD) STORE_INT(uint64_t)
OP(ADDI) WR(A + (uint64_t)(int64_t)IMM); NEXT
OP(SLTI) WR(SA < (int64_t)IMM); NEXT
OP(SLTIU) WR(A < (uint64_t)(int64_t)IMM); NEXT
OP(XORI) WR(A ^ (uint64_t)(int64_t)IMM); NEXT
OP(ORI) WR(A | (uint64_t)(int64_t)IMM); NEXT
OP(ANDI) WR(A & (uint64_t)(int64_t)IMM); NEXT
OP(SLLI) WR(A << IMM); NEXT
OP(SRLI) WR(A >> IMM); NEXT
OP(SRAI) WR((uint64_t)(SA >> IMM)); NEXT
OP(ADD) WR(A + B); NEXT
OP(SUB) WR(A - B); NEXT
OP(SLL) WR(A << (B & 63)); NEXT
OP(SLT) WR(SA < SB); NEXT
OP(SLTU) WR(A < B); NEXT
OP(XOR) WR(A ^ B); NEXT
OP(SRL) WR(A >> (B & 63)); NEXT
OP(SRA) WR((uint64_t)(SA >> (B & 63))); NEXT
OP(OR) WR(A | B); NEXT
OP(AND) WR(A & B); NEXT
OP(ADDIW) WR(SEXT32((uint32_t)A + (uint32_t)IMM)); NEXT
OP(SLLIW) WR(SEXT32((uint32_t)A << IMM)); NEXT
OP(SRLIW) WR(SEXT32((uint32_t)A >> IMM)); NEXT
OP(SRAIW) WR(SEXT32(A32 >> IMM)); NEXT
OP(ADDW) WR(SEXT32((uint32_t)A + (uint32_t)B)); NEXT
OP(SUBW) WR(SEXT32((uint32_t)A - (uint32_t)B)); NEXT
OP(SLLW) WR(SEXT32((uint32_t)A << (B & 31))); NEXT
OP(SRLW) WR(SEXT32((uint32_t)A >> (B & 31))); NEXT
OP(SRAW) WR(SEXT32(A32 >> (B & 31))); NEXT
OP(FENCE) NEXT
OP(FENCE_I) SYNC_CODE; NEXT
OP(ECALL) ECALL
OP(EBREAK) EBREAK
OP(CSRRW) CSR(CSR_WRITE, A, true)
OP(CSRRS) CSR(CSR_SET, A, !IS_X0(rs1))
OP(CSRRC) CSR(CSR_CLEAR, A, !IS_X0(rs1))
OP(CSRRWI) CSR(CSR_WRITE, RM_FIELD, true)
OP(CSRRSI) CSR(CSR_SET, RM_FIELD, RM_FIELD != 0)
OP(CSRRCI) CSR(CSR_CLEAR, RM_FIELD, RM_FIELD != 0)

OP(MUL) WR(A * B); NEXT
OP(MULH) WR((uint64_t)(((__int128)SA * SB) >> 64)); NEXT
OP(MULHSU) WR((uint64_t)(((__int128)SA * (__int128)(B)) >> 64)); NEXT
OP(MULHU) WR((uint64_t)(((unsigned __int128)A * B) >> 64)); NEXT
OP(DIV) WR(B == 0 ? ~UINT64_C(0) : SB == -1 ? -A : (uint64_t)(SA / SB)); NEXT
OP(DIVU) WR(B == 0 ? ~UINT64_C(0) : A / B); NEXT
OP(REM) WR(B == 0 ? A : SB == -1 ? 0 : (uint64_t)(SA % SB)); NEXT
OP(REMU) WR(B == 0 ? A : A % B); NEXT
OP(MULW) WR(SEXT32((uint32_t)A * (uint32_t)B)); NEXT
OP(DIVW) WR(B32 == 0 ? ~UINT64_C(0) : B32 == -1 ? SEXT32(-(uint32_t)A) : SEXT32(A32 / B32)); NEXT
OP(DIVUW) WR((uint32_t)B == 0 ? ~UINT64_C(0) : SEXT32((uint32_t)A / (uint32_t)B)); NEXT
OP(REMW) WR(B32 == 0 ? SEXT32(A) : B32 == -1 ? 0 : SEXT32(A32 % B32)); NEXT
OP(REMUW) WR((uint32_t)B == 0 ? SEXT32(A) : SEXT32((uint32_t)A % (uint32_t)B)); NEXT

OP(LR_W) { LR(uint32_t, int32_t) }
OP(SC_W) { SC(uint32_t) }
OP(AMOSWAP_W) { AMO(uint32_t, int32_t, operand) }
OP(AMOADD_W) { AMO(uint32_t, int32_t, loaded + operand) }
OP(AMOXOR_W) { AMO(uint32_t, int32_t, loaded ^ operand) }
OP(AMOAND_W) { AMO(uint32_t, int32_t, loaded & operand) }
OP(AMOOR_W) { AMO(uint32_t, int32_t, loaded | operand) }
OP(AMOMIN_W) { AMO(uint32_t, int32_t, (int32_t)loaded < (int32_t)operand ? loaded : operand) }
OP(AMOMAX_W) { AMO(uint32_t, int32_t, (int32_t)loaded > (int32_t)operand ? loaded : operand) }
OP(AMOMINU_W) { AMO(uint32_t, int32_t, loaded < operand ? loaded : operand) }
OP(AMOMAXU_W) { AMO(uint32_t, int32_t, loaded > operand ? loaded : operand) }
OP(LR_D) { LR(uint64_t, int64_t) }
OP(SC_D) { SC(uint64_t) }
OP(AMOSWAP_D) { AMO(uint64_t, int64_t, operand) }
OP(AMOADD_D) { AMO(uint64_t, int64_t, loaded + operand) }
OP(AMOXOR_D) { AMO(uint64_t, int64_t, loaded ^ operand) }
OP(AMOAND_D) { AMO(uint64_t, int64_t, loaded & operand) }
OP(AMOOR_D) { AMO(uint64_t, int64_t, loaded | operand) }
OP(AMOMIN_D) { AMO(uint64_t, int64_t, (int64_t)loaded < (int64_t)operand ? loaded : operand) }
OP(AMOMAX_D) { AMO(uint64_t, int64_t, (int64_t)loaded > (int64_t)operand ? loaded : operand) }
OP(AMOMINU_D) { AMO(uint64_t, int64_t, loaded < operand ? loaded : operand) }
OP(AMOMAXU_D) { AMO(uint64_t, int64_t, loaded > operand ? loaded : operand) }

OP(FLW) { LOAD(uint32_t, A + (uint64_t)(int64_t)IMM) WR(BOX(loaded)); NEXT }
OP(FSW) STORE_INT(uint32_t)
OP(FLD) LOAD_UNSIGNED(uint64_t)
OP(FSD) STORE_INT(uint64_t)

OP(FMADD_S) { ROUNDING; WR(BOX(fpu_f32_fma(FA, FB, FC, rm, FFLAGS))); NEXT }
OP(FMSUB_S) { ROUNDING; WR(BOX(fpu_f32_fma(FA, FB, FC ^ SIGN32, rm, FFLAGS))); NEXT }
OP(FNMSUB_S) { ROUNDING; WR(BOX(fpu_f32_fma(FA ^ SIGN32, FB, FC, rm, FFLAGS))); NEXT }
OP(FNMADD_S) { ROUNDING; WR(BOX(fpu_f32_fma(FA ^ SIGN32, FB, FC ^ SIGN32, rm, FFLAGS))); NEXT }
OP(FADD_S) { ROUNDING; WR(BOX(fpu_f32_add(FA, FB, rm, FFLAGS))); NEXT }
OP(FSUB_S) { ROUNDING; WR(BOX(fpu_f32_sub(FA, FB, rm, FFLAGS))); NEXT }
OP(FMUL_S) { ROUNDING; WR(BOX(fpu_f32_mul(FA, FB, rm, FFLAGS))); NEXT }
OP(FDIV_S) { ROUNDING; WR(BOX(fpu_f32_div(FA, FB, rm, FFLAGS))); NEXT }
OP(FSQRT_S) { ROUNDING; WR(BOX(fpu_f32_sqrt(FA, rm, FFLAGS))); NEXT }
OP(FSGNJ_S) WR(BOX((FA & ~SIGN32) | (FB & SIGN32))); NEXT
OP(FSGNJN_S) WR(BOX((FA & ~SIGN32) | (~FB & SIGN32))); NEXT
OP(FSGNJX_S) WR(BOX(FA ^ (FB & SIGN32))); NEXT
OP(FMIN_S) WR(BOX(fpu_f32_min(FA, FB, FFLAGS))); NEXT
OP(FMAX_S) WR(BOX(fpu_f32_max(FA, FB, FFLAGS))); NEXT
OP(FCVT_W_S) { ROUNDING; WR((uint64_t)fpu_f32_to_i32(FA, rm, FFLAGS)); NEXT }
OP(FCVT_WU_S) { ROUNDING; WR(fpu_f32_to_u32(FA, rm, FFLAGS)); NEXT }
OP(FCVT_L_S) { ROUNDING; WR((uint64_t)fpu_f32_to_i64(FA, rm, FFLAGS)); NEXT }
OP(FCVT_LU_S) { ROUNDING; WR(fpu_f32_to_u64(FA, rm, FFLAGS)); NEXT }
OP(FMV_X_W) WR(SEXT32(A)); NEXT
OP(FEQ_S) WR(fpu_f32_eq(FA, FB, FFLAGS)); NEXT
OP(FLT_S) WR(fpu_f32_lt(FA, FB, FFLAGS)); NEXT
OP(FLE_S) WR(fpu_f32_le(FA, FB, FFLAGS)); NEXT
OP(FCLASS_S) WR(f32_class(FA)); NEXT
OP(FCVT_S_W) { ROUNDING; WR(BOX(fpu_i32_to_f32(A32, rm, FFLAGS))); NEXT }
OP(FCVT_S_WU) { ROUNDING; WR(BOX(fpu_u32_to_f32((uint32_t)A, rm, FFLAGS))); NEXT }
OP(FCVT_S_L) { ROUNDING; WR(BOX(fpu_i64_to_f32(SA, rm, FFLAGS))); NEXT }
OP(FCVT_S_LU) { ROUNDING; WR(BOX(fpu_u64_to_f32(A, rm, FFLAGS))); NEXT }
OP(FMV_W_X) WR(BOX((uint32_t)A)); NEXT

OP(FMADD_D) { ROUNDING; WR(fpu_f64_fma(A, B, C, rm, FFLAGS)); NEXT }
OP(FMSUB_D) { ROUNDING; WR(fpu_f64_fma(A, B, C ^ SIGN64, rm, FFLAGS)); NEXT }
OP(FNMSUB_D) { ROUNDING; WR(fpu_f64_fma(A ^ SIGN64, B, C, rm, FFLAGS)); NEXT }
OP(FNMADD_D) { ROUNDING; WR(fpu_f64_fma(A ^ SIGN64, B, C ^ SIGN64, rm, FFLAGS)); NEXT }
OP(FADD_D) { ROUNDING; WR(fpu_f64_add(A, B, rm, FFLAGS)); NEXT }
OP(FSUB_D) { ROUNDING; WR(fpu_f64_sub(A, B, rm, FFLAGS)); NEXT }
OP(FMUL_D) { ROUNDING; WR(fpu_f64_mul(A, B, rm, FFLAGS)); NEXT }
OP(FDIV_D) { ROUNDING; WR(fpu_f64_div(A, B, rm, FFLAGS)); NEXT }
OP(FSQRT_D) { ROUNDING; WR(fpu_f64_sqrt(A, rm, FFLAGS)); NEXT }
OP(FSGNJ_D) WR((A & ~SIGN64) | (B & SIGN64)); NEXT
OP(FSGNJN_D) WR((A & ~SIGN64) | (~(B) & SIGN64)); NEXT
OP(FSGNJX_D) WR(A ^ (B & SIGN64)); NEXT
OP(FMIN_D) WR(fpu_f64_min(A, B, FFLAGS)); NEXT
OP(FMAX_D) WR(fpu_f64_max(A, B, FFLAGS)); NEXT
OP(FCVT_S_D) { ROUNDING; WR(BOX(fpu_f64_to_f32(A, rm, FFLAGS))); NEXT }
OP(FCVT_D_S) { ROUNDING; WR(fpu_f32_to_f64(FA, FFLAGS)); NEXT }
OP(FCVT_W_D) { ROUNDING; WR((uint64_t)fpu_f64_to_i32(A, rm, FFLAGS)); NEXT }
OP(FCVT_WU_D) { ROUNDING; WR(fpu_f64_to_u32(A, rm, FFLAGS)); NEXT }
OP(FCVT_L_D) { ROUNDING; WR((uint64_t)fpu_f64_to_i64(A, rm, FFLAGS)); NEXT }
OP(FCVT_LU_D) { ROUNDING; WR(fpu_f64_to_u64(A, rm, FFLAGS)); NEXT }
OP(FMV_X_D) WR(A); NEXT
OP(FEQ_D) WR(fpu_f64_eq(A, B, FFLAGS)); NEXT
OP(FLT_D) WR(fpu_f64_lt(A, B, FFLAGS)); NEXT
OP(FLE_D) WR(fpu_f64_le(A, B, FFLAGS)); NEXT
OP(FCLASS_D) WR(f64_class(A)); NEXT
OP(FCVT_D_W) { ROUNDING; WR(fpu_i32_to_f64(A32)); NEXT }
OP(FCVT_D_WU) { ROUNDING; WR(fpu_u32_to_f64((uint32_t)A)); NEXT }
OP(FCVT_D_L) { ROUNDING; WR(fpu_i64_to_f64(SA, rm, FFLAGS)); NEXT }
OP(FCVT_D_LU) { ROUNDING; WR(fpu_u64_to_f64(A, rm, FFLAGS)); NEXT }
OP(FMV_D_X) WR(A); NEXT

OP(ADD_UW) WR((uint32_t)A + B); NEXT
OP(SH1ADD) WR((A << 1) + B); NEXT
OP(SH2ADD) WR((A << 2) + B); NEXT
OP(SH3ADD) WR((A << 3) + B); NEXT
OP(SH1ADD_UW) WR(((uint64_t)(uint32_t)A << 1) + B); NEXT
OP(SH2ADD_UW) WR(((uint64_t)(uint32_t)A << 2) + B); NEXT
OP(SH3ADD_UW) WR(((uint64_t)(uint32_t)A << 3) + B); NEXT
OP(SLLI_UW) WR((uint64_t)(uint32_t)A << IMM); NEXT

OP(ANDN) WR(A & ~B); NEXT
OP(ORN) WR(A | ~B); NEXT
OP(XNOR) WR(~(A ^ B)); NEXT
OP(CLZ) WR(A ? (uint64_t)__builtin_clzll(A) : 64); NEXT
OP(CTZ) WR(A ? (uint64_t)__builtin_ctzll(A) : 64); NEXT
OP(CPOP) WR((uint64_t)__builtin_popcountll(A)); NEXT
OP(CLZW) WR((uint32_t)A ? (uint64_t)__builtin_clz((uint32_t)A) : 32); NEXT
OP(CTZW) WR((uint32_t)A ? (uint64_t)__builtin_ctz((uint32_t)A) : 32); NEXT
OP(CPOPW) WR((uint64_t)__builtin_popcount((uint32_t)A)); NEXT
OP(MIN) WR(SA < SB ? A : B); NEXT
OP(MINU) WR(A < B ? A : B); NEXT
OP(MAX) WR(SA > SB ? A : B); NEXT
OP(MAXU) WR(A > B ? A : B); NEXT
OP(SEXT_B) WR((uint64_t)(int64_t)(int8_t)A); NEXT
OP(SEXT_H) WR((uint64_t)(int64_t)(int16_t)A); NEXT
OP(ZEXT_H) WR((uint16_t)A); NEXT
OP(ROL) WR(A << (B & 63) | A >> (-B & 63)); NEXT
OP(ROLW) WR(SEXT32((uint32_t)A << (B & 31) | (uint32_t)A >> (-B & 31))); NEXT
OP(ROR) WR(A >> (B & 63) | A << (-B & 63)); NEXT
OP(RORW) WR(SEXT32((uint32_t)A >> (B & 31) | (uint32_t)A << (-B & 31))); NEXT
OP(RORI) WR(A >> IMM | A << (-IMM & 63)); NEXT
OP(RORIW) WR(SEXT32((uint32_t)A >> IMM | (uint32_t)A << (-IMM & 31))); NEXT
OP(ORC_B) WR(bitmanip_or_bytes(A)); NEXT
OP(REV8) WR(__builtin_bswap64(A)); NEXT

OP(CLMUL) WR((uint64_t)bitmanip_carryless(A, B)); NEXT
OP(CLMULH) WR((uint64_t)(bitmanip_carryless(A, B) >> 64)); NEXT
OP(CLMULR) WR((uint64_t)(bitmanip_carryless(A, B) >> 63)); NEXT

OP(BCLR) WR(A & ~(UINT64_C(1) << (B & 63))); NEXT
OP(BCLRI) WR(A & ~(UINT64_C(1) << IMM)); NEXT
OP(BEXT) WR(A >> (B & 63) & 1); NEXT
OP(BEXTI) WR(A >> IMM & 1); NEXT
OP(BINV) WR(A ^ UINT64_C(1) << (B & 63)); NEXT
OP(BINVI) WR(A ^ UINT64_C(1) << IMM); NEXT
OP(BSET) WR(A | UINT64_C(1) << (B & 63)); NEXT
OP(BSETI) WR(A | UINT64_C(1) << IMM); NEXT

OP(PACK) WR((uint32_t)A | B << 32); NEXT
OP(PACKH) WR((uint8_t)A | (uint64_t)(uint8_t)B << 8); NEXT
OP(PACKW) WR(SEXT32((uint16_t)A | (uint32_t)B << 16)); NEXT
OP(BREV8) WR(bitmanip_reverse_in_bytes(A)); NEXT

OP(CZERO_EQZ) WR(B ? A : 0); NEXT
OP(CZERO_NEZ) WR(B ? 0 : A); NEXT

OP(MOP_R) WR(0); NEXT
OP(MOP_RR) WR(0); NEXT

OP(WRS_NTO) NEXT
OP(WRS_STO) NEXT

OP(CBO_INVAL) { BLOCK_ALLOWED(A) NEXT }
OP(CBO_CLEAN) { BLOCK_ALLOWED(A) NEXT }
OP(CBO_FLUSH) { BLOCK_ALLOWED(A) NEXT }
OP(CBO_ZERO) { BLOCK_ZERO(A) NEXT }

OP(AMOCAS_W) { CAS(uint32_t, int32_t) }
OP(AMOCAS_D) { CAS(uint64_t, int64_t) }
OP(AMOCAS_Q) { COMPARE_AND_SWAP_16 NEXT }

OP(FLH) { LOAD(uint16_t, A + (uint64_t)(int64_t)IMM) WR(BOX16(loaded)); NEXT }
OP(FSH) STORE_INT(uint16_t)
OP(FMV_X_H) WR((uint64_t)(int64_t)(int16_t)A); NEXT
OP(FMV_H_X) WR(BOX16((uint16_t)A)); NEXT
OP(FCVT_S_H) { ROUNDING; WR(BOX(f16_to_f32(HA, FFLAGS))); NEXT }
OP(FCVT_H_S) { ROUNDING; WR(BOX16(f32_to_f16(FA, rm, FFLAGS))); NEXT }
OP(FCVT_D_H) { ROUNDING; WR(f16_to_f64(HA, FFLAGS)); NEXT }
OP(FCVT_H_D) { ROUNDING; WR(BOX16(f64_to_f16(A, rm, FFLAGS))); NEXT }

OP(FMADD_H) { ROUNDING; WR(BOX16(f16_fma(HA, HB, HC, rm, FFLAGS))); NEXT }
OP(FMSUB_H) { ROUNDING; WR(BOX16(f16_fma(HA, HB, FLIP16(HC), rm, FFLAGS))); NEXT }
OP(FNMSUB_H) { ROUNDING; WR(BOX16(f16_fma(FLIP16(HA), HB, HC, rm, FFLAGS))); NEXT }
OP(FNMADD_H) { ROUNDING; WR(BOX16(f16_fma(FLIP16(HA), HB, FLIP16(HC), rm, FFLAGS))); NEXT }
OP(FADD_H) { ROUNDING; WR(BOX16(f16_add(HA, HB, rm, FFLAGS))); NEXT }
OP(FSUB_H) { ROUNDING; WR(BOX16(f16_sub(HA, HB, rm, FFLAGS))); NEXT }
OP(FMUL_H) { ROUNDING; WR(BOX16(f16_mul(HA, HB, rm, FFLAGS))); NEXT }
OP(FDIV_H) { ROUNDING; WR(BOX16(f16_div(HA, HB, rm, FFLAGS))); NEXT }
OP(FSQRT_H) { ROUNDING; WR(BOX16(f16_sqrt(HA, rm, FFLAGS))); NEXT }
OP(FSGNJ_H) WR(BOX16((HA & (SIGN16 - 1)) | (HB & SIGN16))); NEXT
OP(FSGNJN_H) WR(BOX16((HA & (SIGN16 - 1)) | (FLIP16(HB) & SIGN16))); NEXT
OP(FSGNJX_H) WR(BOX16(HA ^ (HB & SIGN16))); NEXT
OP(FMIN_H) WR(BOX16(f16_min(HA, HB, FFLAGS))); NEXT
OP(FMAX_H) WR(BOX16(f16_max(HA, HB, FFLAGS))); NEXT
OP(FCVT_W_H) { ROUNDING; WR((uint64_t)f16_to_i32(HA, rm, FFLAGS)); NEXT }
OP(FCVT_WU_H) { ROUNDING; WR(f16_to_u32(HA, rm, FFLAGS)); NEXT }
OP(FCVT_L_H) { ROUNDING; WR((uint64_t)f16_to_i64(HA, rm, FFLAGS)); NEXT }
OP(FCVT_LU_H) { ROUNDING; WR(f16_to_u64(HA, rm, FFLAGS)); NEXT }
OP(FEQ_H) WR(f16_eq(HA, HB, FFLAGS)); NEXT
OP(FLT_H) WR(f16_lt(HA, HB, FFLAGS)); NEXT
OP(FLE_H) WR(f16_le(HA, HB, FFLAGS)); NEXT
OP(FCLASS_H) WR(f16_class(HA)); NEXT
OP(FCVT_H_W) { ROUNDING; WR(BOX16(i64_to_f16(A32, rm, FFLAGS))); NEXT }
OP(FCVT_H_WU) { ROUNDING; WR(BOX16(u64_to_f16((uint32_t)A, rm, FFLAGS))); NEXT }
OP(FCVT_H_L) { ROUNDING; WR(BOX16(i64_to_f16(SA, rm, FFLAGS))); NEXT }
OP(FCVT_H_LU) { ROUNDING; WR(BOX16(u64_to_f16(A, rm, FFLAGS))); NEXT }

OP(FLI_S) WR(BOX(f32_constant((unsigned)IMM))); NEXT
OP(FMINM_S) WR(BOX(f32_minimum(FA, FB, FFLAGS))); NEXT
OP(FMAXM_S) WR(BOX(f32_maximum(FA, FB, FFLAGS))); NEXT
OP(FROUND_S) { ROUNDING; WR(BOX(f32_round(FA, rm, false, FFLAGS))); NEXT }
OP(FROUNDNX_S) { ROUNDING; WR(BOX(f32_round(FA, rm, true, FFLAGS))); NEXT }
OP(FLEQ_S) WR(f32_le_quiet(FA, FB, FFLAGS)); NEXT
OP(FLTQ_S) WR(f32_lt_quiet(FA, FB, FFLAGS)); NEXT

OP(FLI_D) WR(f64_constant((unsigned)IMM)); NEXT
OP(FMINM_D) WR(f64_minimum(A, B, FFLAGS)); NEXT
OP(FMAXM_D) WR(f64_maximum(A, B, FFLAGS)); NEXT
OP(FROUND_D) { ROUNDING; WR(f64_round(A, rm, false, FFLAGS)); NEXT }
OP(FROUNDNX_D) { ROUNDING; WR(f64_round(A, rm, true, FFLAGS)); NEXT }
OP(FLEQ_D) WR(f64_le_quiet(A, B, FFLAGS)); NEXT
OP(FLTQ_D) WR(f64_lt_quiet(A, B, FFLAGS)); NEXT

OP(FLI_H) WR(BOX16(f16_constant((unsigned)IMM))); NEXT
OP(FMINM_H) WR(BOX16(f16_minimum(HA, HB, FFLAGS))); NEXT
OP(FMAXM_H) WR(BOX16(f16_maximum(HA, HB, FFLAGS))); NEXT
OP(FROUND_H) { ROUNDING; WR(BOX16(f16_round(HA, rm, false, FFLAGS))); NEXT }
OP(FROUNDNX_H) { ROUNDING; WR(BOX16(f16_round(HA, rm, true, FFLAGS))); NEXT }
OP(FLEQ_H) WR(f16_le_quiet(HA, HB, FFLAGS)); NEXT
OP(FLTQ_H) WR(f16_lt_quiet(HA, HB, FFLAGS)); NEXT
OP(FCVTMOD_W_D) WR((uint64_t)f64_to_i32_modular(A, FFLAGS)); NEXT
OP(ILLEGAL) ILLEGAL

/* clang-format on */

#undef SEXT32
#undef SA
#undef SB
#undef A32
#undef B32
#undef UNBOX
#undef BOX
#undef FA
#undef FB
#undef FC
#undef SIGN32
#undef SIGN64
#undef ROUNDING
#undef LOAD_INT
#undef LOAD_UNSIGNED
#undef STORE_INT
#undef AMO
#undef LR
#undef SC
#undef CAS
#undef UNBOX16
#undef BOX16
#undef HA
#undef HB
#undef HC
#undef SIGN16
#undef FLIP16
