/*
 * fpu.h - the operations of softfloat.h, done by the host's floating point
 * where that provably gives the same bits and the same fflags.
 *
 * The host's exception flags are never read and its rounding mode never set, so
 * there is no state to save and the compiler may move these freely. Instead the
 * arithmetic takes the fast path only when the guest rounds to nearest even, as
 * the host does, and has NX already set, so that whether this result is exact
 * does not matter: after the first inexact operation of a program that is
 * nearly always. What remains is to show that no *other* flag is due, which
 * each function argues from its result. Everything else goes to softfloat.
 *
 * One fact serves throughout: a finite result of + - * / sqrt fma had finite
 * operands and, save x/inf = 0, raised neither NV nor DZ nor OF; a magnitude
 * strictly above the smallest normal was not tiny after rounding, so not UF.
 * (One equal to it may have been tiny: with unbounded exponent it could have
 * rounded to just below.)
 *
 * Assumes of the host: IEEE 754 formats evaluated in their own precision,
 * round-to-nearest, subnormals not flushed, -ffp-contract=off, no -ffast-math.
 */
#ifndef ISA_FPU_H
#define ISA_FPU_H

#include <float.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/bits.h"
#include "isa/softfloat.h"

_Static_assert(FLT_EVAL_METHOD == 0, "float and double must be evaluated in their own precision");
_Static_assert(FLT_MANT_DIG == 24 && DBL_MANT_DIG == 53, "the host must have IEEE 754 formats");

static inline float fpu_f32_host(uint32_t a)
{
	float x;

	memcpy(&x, &a, sizeof x);
	return x;
}

static inline double fpu_f64_host(uint64_t a)
{
	double x;

	memcpy(&x, &a, sizeof x);
	return x;
}

static inline uint32_t fpu_f32_bits(float x)
{
	uint32_t a;

	memcpy(&a, &x, sizeof a);
	return a;
}

static inline uint64_t fpu_f64_bits(double x)
{
	uint64_t a;

	memcpy(&a, &x, sizeof a);
	return a;
}

static inline bool fpu_f32_is_finite(uint32_t a)
{
	return (a << 1) < UINT32_C(0xff000000);
}

static inline bool fpu_f64_is_finite(uint64_t a)
{
	return (a << 1) < UINT64_C(0xffe0000000000000);
}

/* Finite and of a magnitude strictly above the smallest normal. */
static inline bool fpu_f32_is_settled(uint32_t a)
{
	return (a << 1) - UINT32_C(0x01000001) < UINT32_C(0xff000000 - 0x01000001);
}

static inline bool fpu_f64_is_settled(uint64_t a)
{
	return (a << 1) - UINT64_C(0x0020000000000001) <
	       UINT64_C(0xffe0000000000000 - 0x0020000000000001);
}

static inline bool fpu_f32_is_zero(uint32_t a)
{
	return (a << 1) == 0;
}

static inline bool fpu_f64_is_zero(uint64_t a)
{
	return (a << 1) == 0;
}

static inline float fpu_f32_host_sqrt(float x)
{
#ifdef __SSE2__
	/* The builtin would call libm to set errno. */
	return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x)));
#else
	return __builtin_sqrtf(x);
#endif
}

static inline double fpu_f64_host_sqrt(double x)
{
#ifdef __SSE2__
	__m128d v = _mm_set_sd(x);

	return _mm_cvtsd_f64(_mm_sqrt_sd(v, v));
#else
	return __builtin_sqrt(x);
#endif
}

/* The guest rounds as the host does, and NX is already set. */
static inline bool fpu_is_easy(unsigned rm, uint32_t fflags)
{
	return LIKELY(rm == RM_RNE && (fflags & FFLAG_NX));
}

/*
 * fN_add, fN_sub: any finite result will do. Operands are multiples of the
 * smallest subnormal, so a sum below the normal range is exact: never UF.
 *
 * fN_mul, fN_div: the result must be settled, or a zero that comes from a zero
 * operand and is therefore exact. Such a product or quotient is not a NaN, which
 * rules out 0 * inf and 0 / 0; 0 / inf is an exact zero as well.
 *
 * fN_sqrt: any finite result will do. Negative numbers give a NaN, -0 itself,
 * and a root lies far inside the normal range.
 *
 * fN_eq, fN_lt, fN_le, fN_min, fN_max: flags are due for NaNs only, and those
 * are the unordered operands. Equal operands of min and max have the same bits
 * or are zeros, of which OR picks the negative and AND the positive one.
 */
#define FPU_DEFINE_ADDITIVE(f, bits_t, name, op)                                                 \
	static inline bits_t fpu_##f##_##name(bits_t a, bits_t b, unsigned rm, uint32_t *fflags) \
	{                                                                                        \
		if (fpu_is_easy(rm, *fflags)) {                                                  \
			bits_t r = fpu_##f##_bits(fpu_##f##_host(a) op fpu_##f##_host(b));       \
                                                                                                 \
			if (LIKELY(fpu_##f##_is_finite(r)))                                      \
				return r;                                                        \
		}                                                                                \
		return f##_##name(a, b, rm, fflags);                                             \
	}

#define FPU_DEFINE_SCALING(f, bits_t, name, op, zero_operand)                                    \
	static inline bits_t fpu_##f##_##name(bits_t a, bits_t b, unsigned rm, uint32_t *fflags) \
	{                                                                                        \
		if (fpu_is_easy(rm, *fflags)) {                                                  \
			bits_t r = fpu_##f##_bits(fpu_##f##_host(a) op fpu_##f##_host(b));       \
                                                                                                 \
			if (LIKELY(fpu_##f##_is_settled(r)))                                     \
				return r;                                                        \
			if (fpu_##f##_is_zero(r) && (zero_operand))                              \
				return r;                                                        \
		}                                                                                \
		return f##_##name(a, b, rm, fflags);                                             \
	}

#define FPU_DEFINE_COMPARISON(f, bits_t, name, op)                                         \
	static inline bool fpu_##f##_##name(bits_t a, bits_t b, uint32_t *fflags)          \
	{                                                                                  \
		if (UNLIKELY(__builtin_isunordered(fpu_##f##_host(a), fpu_##f##_host(b)))) \
			return f##_##name(a, b, fflags);                                   \
		return fpu_##f##_host(a) op fpu_##f##_host(b);                             \
	}

#define FPU_DEFINE_SELECTION(f, bits_t, name, op, pick)                                    \
	static inline bits_t fpu_##f##_##name(bits_t a, bits_t b, uint32_t *fflags)        \
	{                                                                                  \
		if (UNLIKELY(__builtin_isunordered(fpu_##f##_host(a), fpu_##f##_host(b)))) \
			return f##_##name(a, b, fflags);                                   \
		if (fpu_##f##_host(a) == fpu_##f##_host(b))                                \
			return a pick b;                                                   \
		return fpu_##f##_host(a) op fpu_##f##_host(b) ? a : b;                     \
	}

#define FPU_DEFINE(f, bits_t)                                                               \
	FPU_DEFINE_ADDITIVE(f, bits_t, add, +)                                              \
	FPU_DEFINE_ADDITIVE(f, bits_t, sub, -)                                              \
	FPU_DEFINE_SCALING(f, bits_t, mul, *, fpu_##f##_is_zero(a) || fpu_##f##_is_zero(b)) \
	FPU_DEFINE_SCALING(f, bits_t, div, /, fpu_##f##_is_zero(a))                         \
	FPU_DEFINE_COMPARISON(f, bits_t, eq, ==)                                            \
	FPU_DEFINE_COMPARISON(f, bits_t, lt, <)                                             \
	FPU_DEFINE_COMPARISON(f, bits_t, le, <=)                                            \
	FPU_DEFINE_SELECTION(f, bits_t, min, <, |)                                          \
	FPU_DEFINE_SELECTION(f, bits_t, max, >, &)                                          \
	static inline bits_t fpu_##f##_sqrt(bits_t a, unsigned rm, uint32_t *fflags)        \
	{                                                                                   \
		if (fpu_is_easy(rm, *fflags)) {                                             \
			bits_t r = fpu_##f##_bits(fpu_##f##_host_sqrt(fpu_##f##_host(a)));  \
                                                                                            \
			if (LIKELY(fpu_##f##_is_finite(r)))                                 \
				return r;                                                   \
		}                                                                           \
		return f##_sqrt(a, rm, fflags);                                             \
	}

FPU_DEFINE(f32, uint32_t)
FPU_DEFINE(f64, uint64_t)

#undef FPU_DEFINE
#undef FPU_DEFINE_ADDITIVE
#undef FPU_DEFINE_SCALING
#undef FPU_DEFINE_COMPARISON
#undef FPU_DEFINE_SELECTION

/*
 * In double the product of two floats is exact and the sum rounds once, to 53
 * bits. The halfway points between floats are doubles and rounding is monotonic,
 * so a sum that is not such a point lies on the same side of all of them as the
 * exact one, and rounding it again is rounding once. Those that are, about one
 * in 2^29, and results that are not settled go the slow way.
 */
static inline uint32_t fpu_f32_fma(uint32_t a, uint32_t b, uint32_t c, unsigned rm,
				   uint32_t *fflags)
{
	if (fpu_is_easy(rm, *fflags)) {
		double product = (double)fpu_f32_host(a) * (double)fpu_f32_host(b);
		double sum = product + (double)fpu_f32_host(c);
		uint32_t r = fpu_f32_bits((float)sum);
		uint64_t below = fpu_f64_bits(sum) & UINT64_C(0x1fffffff);

		if (LIKELY(fpu_f32_is_settled(r) && below != UINT64_C(0x10000000)))
			return r;
	}
	return f32_fma(a, b, c, rm, fflags);
}

/*
 * The host's fused multiply-add, if it has one as an instruction. Code built for
 * any x86-64 must ask the processor and then call: 1.7 ns, where inlined it is 1.1
 * and softfloat's takes 15.
 */
#if defined(__x86_64__) && !defined(__FMA__)
#define FPU_HAS_HOST_FMA() __builtin_cpu_supports("fma")
#define FPU_FMA_TARGET	   __attribute__((target("fma")))
#elif defined(__FMA__) || defined(__aarch64__)
#define FPU_HAS_HOST_FMA() true
#define FPU_FMA_TARGET
#else
#define FPU_HAS_HOST_FMA() false
#define FPU_FMA_TARGET
#endif

FPU_FMA_TARGET static inline double fpu_f64_host_fma(double a, double b, double c)
{
	return __builtin_fma(a, b, c);
}

/* A settled result will do. */
static inline uint64_t fpu_f64_fma(uint64_t a, uint64_t b, uint64_t c, unsigned rm,
				   uint32_t *fflags)
{
	if (fpu_is_easy(rm, *fflags) && FPU_HAS_HOST_FMA()) {
		uint64_t r = fpu_f64_bits(
			fpu_f64_host_fma(fpu_f64_host(a), fpu_f64_host(b), fpu_f64_host(c)));

		if (LIKELY(fpu_f64_is_settled(r)))
			return r;
	}
	return f64_fma(a, b, c, rm, fflags);
}

#undef FPU_HAS_HOST_FMA
#undef FPU_FMA_TARGET

/*
 * Truncation of a number in range is what the host's cast does. An integer that
 * converts back to the operand was exact, whatever the rounding mode; one that
 * does not is right under RTZ only, with NX.
 */
static inline bool fpu_is_truncation(double x, int64_t i, unsigned rm, uint32_t *fflags)
{
	if ((double)i == x)
		return true;
	if (rm != RM_RTZ)
		return false;
	*fflags |= FFLAG_NX;
	return true;
}

static inline int64_t fpu_f64_to_i32(uint64_t a, unsigned rm, uint32_t *fflags)
{
	double x = fpu_f64_host(a);

	if (LIKELY(x > -2147483649.0 && x < 2147483648.0)) {
		int32_t i = (int32_t)x;

		if (LIKELY(fpu_is_truncation(x, i, rm, fflags)))
			return i;
	}
	return f64_to_i32(a, rm, fflags);
}

static inline uint64_t fpu_f64_to_u32(uint64_t a, unsigned rm, uint32_t *fflags)
{
	double x = fpu_f64_host(a);

	if (LIKELY(x > -1.0 && x < 4294967296.0)) {
		int64_t i = (int64_t)x;

		if (LIKELY(fpu_is_truncation(x, i, rm, fflags)))
			return (uint64_t)bits_sign_extend((uint64_t)i, 32);
	}
	return f64_to_u32(a, rm, fflags);
}

static inline int64_t fpu_f64_to_i64(uint64_t a, unsigned rm, uint32_t *fflags)
{
	double x = fpu_f64_host(a);

	if (LIKELY(x >= -0x1p63 && x < 0x1p63)) {
		int64_t i = (int64_t)x;

		if (LIKELY(fpu_is_truncation(x, i, rm, fflags)))
			return i;
	}
	return f64_to_i64(a, rm, fflags);
}

/* The upper half of the range is left to softfloat: the host has no cast for it. */
static inline uint64_t fpu_f64_to_u64(uint64_t a, unsigned rm, uint32_t *fflags)
{
	double x = fpu_f64_host(a);

	if (LIKELY(x > -1.0 && x < 0x1p63)) {
		int64_t i = (int64_t)x;

		if (LIKELY(fpu_is_truncation(x, i, rm, fflags)))
			return (uint64_t)i;
	}
	return f64_to_u64(a, rm, fflags);
}

/* Widening is exact, so an f32 converts as the f64 of the same value; NaNs alike. */
static inline int64_t fpu_f32_to_i32(uint32_t a, unsigned rm, uint32_t *fflags)
{
	return fpu_f64_to_i32(fpu_f64_bits((double)fpu_f32_host(a)), rm, fflags);
}

static inline uint64_t fpu_f32_to_u32(uint32_t a, unsigned rm, uint32_t *fflags)
{
	return fpu_f64_to_u32(fpu_f64_bits((double)fpu_f32_host(a)), rm, fflags);
}

static inline int64_t fpu_f32_to_i64(uint32_t a, unsigned rm, uint32_t *fflags)
{
	return fpu_f64_to_i64(fpu_f64_bits((double)fpu_f32_host(a)), rm, fflags);
}

static inline uint64_t fpu_f32_to_u64(uint32_t a, unsigned rm, uint32_t *fflags)
{
	return fpu_f64_to_u64(fpu_f64_bits((double)fpu_f32_host(a)), rm, fflags);
}

static inline uint64_t fpu_i32_to_f64(int32_t a)
{
	return fpu_f64_bits((double)a);
}

static inline uint64_t fpu_u32_to_f64(uint32_t a)
{
	return fpu_f64_bits((double)a);
}

/*
 * From wider integers the only flag there can be is NX. Magnitudes up to 2^53
 * in an f64, or 2^24 in an f32, are exact in every mode.
 */
static inline uint64_t fpu_i64_to_f64(int64_t a, unsigned rm, uint32_t *fflags)
{
	if (LIKELY((uint64_t)a + (UINT64_C(1) << 53) <= UINT64_C(1) << 54) ||
	    fpu_is_easy(rm, *fflags))
		return fpu_f64_bits((double)a);
	return i64_to_f64(a, rm, fflags);
}

static inline uint64_t fpu_u64_to_f64(uint64_t a, unsigned rm, uint32_t *fflags)
{
	if (LIKELY(a <= UINT64_C(1) << 53) || fpu_is_easy(rm, *fflags))
		return fpu_f64_bits((double)a);
	return u64_to_f64(a, rm, fflags);
}

static inline uint32_t fpu_i64_to_f32(int64_t a, unsigned rm, uint32_t *fflags)
{
	if (LIKELY((uint64_t)a + (UINT64_C(1) << 24) <= UINT64_C(1) << 25) ||
	    fpu_is_easy(rm, *fflags))
		return fpu_f32_bits((float)a);
	return i64_to_f32(a, rm, fflags);
}

static inline uint32_t fpu_u64_to_f32(uint64_t a, unsigned rm, uint32_t *fflags)
{
	if (LIKELY(a <= UINT64_C(1) << 24) || fpu_is_easy(rm, *fflags))
		return fpu_f32_bits((float)a);
	return u64_to_f32(a, rm, fflags);
}

static inline uint32_t fpu_i32_to_f32(int32_t a, unsigned rm, uint32_t *fflags)
{
	return fpu_i64_to_f32(a, rm, fflags);
}

static inline uint32_t fpu_u32_to_f32(uint32_t a, unsigned rm, uint32_t *fflags)
{
	return fpu_i64_to_f32(a, rm, fflags);
}

/* Exact; only a NaN has to be made canonical and may raise NV. */
static inline uint64_t fpu_f32_to_f64(uint32_t a, uint32_t *fflags)
{
	float x = fpu_f32_host(a);

	if (UNLIKELY(x != x))
		return f32_to_f64(a, fflags);
	return fpu_f64_bits((double)x);
}

/*
 * A float that widens back to the operand is it, in every mode and without a
 * flag; of the others a settled result will do.
 */
static inline uint32_t fpu_f64_to_f32(uint64_t a, unsigned rm, uint32_t *fflags)
{
	double x = fpu_f64_host(a);
	float y = (float)x;
	uint32_t r = fpu_f32_bits(y);

	if ((double)y == x || (fpu_is_easy(rm, *fflags) && LIKELY(fpu_f32_is_settled(r))))
		return r;
	return f64_to_f32(a, rm, fflags);
}

#endif
