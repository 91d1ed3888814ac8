/*
 * softfloat.h - IEEE 754 binary16, binary32 and binary64 as RISC-V defines them,
 * in integer arithmetic only.
 *
 * Values are bit patterns: f16 in uint16_t and f32 in uint32_t (unboxed), f64 in uint64_t. `rm` is
 * one of RM_RNE .. RM_RMM; resolving the dynamic mode and refusing the reserved
 * ones is left to the caller. Exceptions are OR-ed into *fflags, never cleared.
 * A NaN result is always the canonical one. Tininess is detected after
 * rounding. Conversions to integers saturate, raise NV (and then not NX) when
 * out of range, and turn a NaN into the largest number.
 *
 * Depends on nothing of the host: no floating-point type, no fenv. fpu.h has
 * faster versions of the same operations with the same results.
 *
 * Not here: NaN boxing, sign injection and moves, which are plain bit work of
 * the register file; the quad format; trapping.
 */
#ifndef ISA_SOFTFLOAT_H
#define ISA_SOFTFLOAT_H

#include <stdbool.h>
#include <stdint.h>

/* Rounding modes, as encoded in instructions and in frm. */
enum {
	RM_RNE = 0, /* to nearest, ties to even */
	RM_RTZ = 1, /* towards zero */
	RM_RDN = 2, /* down */
	RM_RUP = 3, /* up */
	RM_RMM = 4, /* to nearest, ties away from zero */
};

/* Accrued exceptions, as laid out in fflags. */
enum {
	FFLAG_NX = 1,  /* inexact */
	FFLAG_UF = 2,  /* underflow */
	FFLAG_OF = 4,  /* overflow */
	FFLAG_DZ = 8,  /* division by zero */
	FFLAG_NV = 16, /* invalid operation */
};

#define F16_SIGN      UINT16_C(0x8000)
#define F32_SIGN      UINT32_C(0x80000000)
#define F64_SIGN      UINT64_C(0x8000000000000000)
#define F32_CANON_NAN UINT32_C(0x7fc00000)
#define F64_CANON_NAN UINT64_C(0x7ff8000000000000)

uint32_t f32_add(uint32_t a, uint32_t b, unsigned rm, uint32_t *fflags);
uint64_t f64_add(uint64_t a, uint64_t b, unsigned rm, uint32_t *fflags);
uint32_t f32_sub(uint32_t a, uint32_t b, unsigned rm, uint32_t *fflags);
uint64_t f64_sub(uint64_t a, uint64_t b, unsigned rm, uint32_t *fflags);
uint32_t f32_mul(uint32_t a, uint32_t b, unsigned rm, uint32_t *fflags);
uint64_t f64_mul(uint64_t a, uint64_t b, unsigned rm, uint32_t *fflags);
uint32_t f32_div(uint32_t a, uint32_t b, unsigned rm, uint32_t *fflags);
uint64_t f64_div(uint64_t a, uint64_t b, unsigned rm, uint32_t *fflags);
uint32_t f32_sqrt(uint32_t a, unsigned rm, uint32_t *fflags);
uint64_t f64_sqrt(uint64_t a, unsigned rm, uint32_t *fflags);

/*
 * a * b + c with one rounding. The other three of the family are this one with
 * the sign of a and/or c flipped beforehand: fmsub (a, b, -c), fnmsub
 * (-a, b, c), fnmadd (-a, b, -c). Infinity times zero raises NV whatever c is.
 */
uint32_t f32_fma(uint32_t a, uint32_t b, uint32_t c, unsigned rm, uint32_t *fflags);
uint64_t f64_fma(uint64_t a, uint64_t b, uint64_t c, unsigned rm, uint32_t *fflags);

/*
 * minimumNumber and maximumNumber: -0 is below +0, a NaN loses against a
 * number, two NaNs give the canonical one, and a signalling NaN raises NV.
 */
uint32_t f32_min(uint32_t a, uint32_t b, uint32_t *fflags);
uint64_t f64_min(uint64_t a, uint64_t b, uint32_t *fflags);
uint32_t f32_max(uint32_t a, uint32_t b, uint32_t *fflags);
uint64_t f64_max(uint64_t a, uint64_t b, uint32_t *fflags);

/* False if either is a NaN. NV: eq on a signalling NaN, lt and le on any. */
bool f32_eq(uint32_t a, uint32_t b, uint32_t *fflags);
bool f64_eq(uint64_t a, uint64_t b, uint32_t *fflags);
bool f32_lt(uint32_t a, uint32_t b, uint32_t *fflags);
bool f64_lt(uint64_t a, uint64_t b, uint32_t *fflags);
bool f32_le(uint32_t a, uint32_t b, uint32_t *fflags);
bool f64_le(uint64_t a, uint64_t b, uint32_t *fflags);

/*
 * The one-hot mask of fclass, from bit 0: -inf, negative normal, negative
 * subnormal, -0, +0, positive subnormal, positive normal, +inf, signalling NaN,
 * quiet NaN.
 */
uint32_t f32_class(uint32_t a);
uint32_t f64_class(uint64_t a);

/*
 * To integers. The result is what the register gets: the 32-bit ones, the
 * unsigned too, are sign-extended from bit 31.
 */
int64_t f32_to_i32(uint32_t a, unsigned rm, uint32_t *fflags);
int64_t f64_to_i32(uint64_t a, unsigned rm, uint32_t *fflags);
uint64_t f32_to_u32(uint32_t a, unsigned rm, uint32_t *fflags);
uint64_t f64_to_u32(uint64_t a, unsigned rm, uint32_t *fflags);
int64_t f32_to_i64(uint32_t a, unsigned rm, uint32_t *fflags);
int64_t f64_to_i64(uint64_t a, unsigned rm, uint32_t *fflags);
uint64_t f32_to_u64(uint32_t a, unsigned rm, uint32_t *fflags);
uint64_t f64_to_u64(uint64_t a, unsigned rm, uint32_t *fflags);

/* From integers. 32 bits always fit in an f64, so those two cannot round. */
uint32_t i32_to_f32(int32_t a, unsigned rm, uint32_t *fflags);
uint32_t u32_to_f32(uint32_t a, unsigned rm, uint32_t *fflags);
uint32_t i64_to_f32(int64_t a, unsigned rm, uint32_t *fflags);
uint32_t u64_to_f32(uint64_t a, unsigned rm, uint32_t *fflags);
uint64_t i32_to_f64(int32_t a);
uint64_t u32_to_f64(uint32_t a);
uint64_t i64_to_f64(int64_t a, unsigned rm, uint32_t *fflags);
uint64_t u64_to_f64(uint64_t a, unsigned rm, uint32_t *fflags);

/* Widening is exact; it can still meet a signalling NaN. */
uint64_t f32_to_f64(uint32_t a, uint32_t *fflags);
uint32_t f64_to_f32(uint64_t a, unsigned rm, uint32_t *fflags);

/* Half precision: the operations above, by the same rules. */
uint16_t f16_add(uint16_t a, uint16_t b, unsigned rm, uint32_t *fflags);
uint16_t f16_sub(uint16_t a, uint16_t b, unsigned rm, uint32_t *fflags);
uint16_t f16_mul(uint16_t a, uint16_t b, unsigned rm, uint32_t *fflags);
uint16_t f16_div(uint16_t a, uint16_t b, unsigned rm, uint32_t *fflags);
uint16_t f16_sqrt(uint16_t a, unsigned rm, uint32_t *fflags);
uint16_t f16_fma(uint16_t a, uint16_t b, uint16_t c, unsigned rm, uint32_t *fflags);
uint16_t f16_min(uint16_t a, uint16_t b, uint32_t *fflags);
uint16_t f16_max(uint16_t a, uint16_t b, uint32_t *fflags);
bool f16_eq(uint16_t a, uint16_t b, uint32_t *fflags);
bool f16_lt(uint16_t a, uint16_t b, uint32_t *fflags);
bool f16_le(uint16_t a, uint16_t b, uint32_t *fflags);
uint32_t f16_class(uint16_t a);
int64_t f16_to_i32(uint16_t a, unsigned rm, uint32_t *fflags);
uint64_t f16_to_u32(uint16_t a, unsigned rm, uint32_t *fflags);
int64_t f16_to_i64(uint16_t a, unsigned rm, uint32_t *fflags);
uint64_t f16_to_u64(uint16_t a, unsigned rm, uint32_t *fflags);
uint16_t i64_to_f16(int64_t a, unsigned rm, uint32_t *fflags);
uint16_t u64_to_f16(uint64_t a, unsigned rm, uint32_t *fflags);
uint32_t f16_to_f32(uint16_t a, uint32_t *fflags);
uint64_t f16_to_f64(uint16_t a, uint32_t *fflags);
uint16_t f32_to_f16(uint32_t a, unsigned rm, uint32_t *fflags);
uint16_t f64_to_f16(uint64_t a, unsigned rm, uint32_t *fflags);

/*
 * Of Zfa. minimum and maximum are min and max but for a NaN, which wins; the quiet comparisons
 * raise NV for signalling NaNs only; round gives a whole number and raises NX only if `tells`;
 * constant is what fli loads, by its number below 32.
 */
uint16_t f16_minimum(uint16_t a, uint16_t b, uint32_t *fflags);
uint16_t f16_maximum(uint16_t a, uint16_t b, uint32_t *fflags);
bool f16_lt_quiet(uint16_t a, uint16_t b, uint32_t *fflags);
bool f16_le_quiet(uint16_t a, uint16_t b, uint32_t *fflags);
uint16_t f16_round(uint16_t a, unsigned rm, bool tells, uint32_t *fflags);
uint16_t f16_constant(unsigned number);
uint32_t f32_minimum(uint32_t a, uint32_t b, uint32_t *fflags);
uint32_t f32_maximum(uint32_t a, uint32_t b, uint32_t *fflags);
bool f32_lt_quiet(uint32_t a, uint32_t b, uint32_t *fflags);
bool f32_le_quiet(uint32_t a, uint32_t b, uint32_t *fflags);
uint32_t f32_round(uint32_t a, unsigned rm, bool tells, uint32_t *fflags);
uint32_t f32_constant(unsigned number);
uint64_t f64_minimum(uint64_t a, uint64_t b, uint32_t *fflags);
uint64_t f64_maximum(uint64_t a, uint64_t b, uint32_t *fflags);
bool f64_lt_quiet(uint64_t a, uint64_t b, uint32_t *fflags);
bool f64_le_quiet(uint64_t a, uint64_t b, uint32_t *fflags);
uint64_t f64_round(uint64_t a, unsigned rm, bool tells, uint32_t *fflags);
uint64_t f64_constant(unsigned number);
/* Truncated to a whole number, modulo 2^32, sign-extended; 0 for infinities and NaNs. */
int64_t f64_to_i32_modular(uint64_t a, uint32_t *fflags);

#endif
