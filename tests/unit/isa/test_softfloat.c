/*
 * test_softfloat.c - softfloat.h against the host's floating point, fpu.h
 * against softfloat.h.
 *
 * Build with -frounding-math: the host is run in each of its four rounding
 * modes, its exceptions read through fenv. RMM, which it lacks, is worked out
 * from the truncated result in long double (the twin of every rounding: compare
 * with the midpoint of the two neighbours). Comparisons, min, max and
 * conversions to integers are checked against their definitions. Operands come
 * from a fixed seed and from draws that favour trouble: specials, subnormals,
 * edges of overflow and underflow, cancellation, ties and near ties.
 */
#include "../test.h"

#include <fenv.h>
#include <inttypes.h>
#include <math.h>

#include "base/bits.h"
#include "base/rng.h"
#include "isa/fpu.h"
#include "isa/softfloat.h"

#define DRAWS	     200000
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct format {
	unsigned fraction_bits;
	unsigned exponent_bits;
};

static const struct format f32_format = {23, 8};
static const struct format f64_format = {52, 11};

static uint64_t low_mask(unsigned width)
{
	return (UINT64_C(1) << width) - 1;
}

static uint64_t sign_of(const struct format *f)
{
	return UINT64_C(1) << (f->fraction_bits + f->exponent_bits);
}

static int64_t exponent_of(const struct format *f, uint64_t bits)
{
	return (int64_t)bits_field(bits, f->fraction_bits, f->exponent_bits);
}

/* Exponents outside the format's range are brought to its ends. */
static uint64_t with_exponent(const struct format *f, uint64_t bits, int64_t exponent)
{
	int64_t max = (int64_t)low_mask(f->exponent_bits);
	uint64_t field;

	if (exponent < 0)
		exponent = 0;
	if (exponent > max)
		exponent = max;
	field = (uint64_t)exponent << f->fraction_bits;
	return (bits & ~(low_mask(f->exponent_bits) << f->fraction_bits)) | field;
}

static int64_t between(struct rng *rng, int64_t low, int64_t high)
{
	return low + (int64_t)rng_below(rng, (uint64_t)(high - low + 1));
}

/* A fraction of few bits, or of a run of ones, or next to either. */
static uint64_t draw_fraction(struct rng *rng, unsigned width)
{
	uint64_t mask = low_mask(width);
	uint64_t fraction = 0;

	switch (rng_below(rng, 4)) {
	case 0: return rng_next(rng) & mask;
	case 1: fraction = mask >> rng_below(rng, width); break;
	case 2: fraction = ~(mask >> rng_below(rng, width)); break;
	default:
		for (uint64_t n = rng_below(rng, 4); n > 0; n--)
			fraction ^= UINT64_C(1) << rng_below(rng, width);
	}
	if (rng_below(rng, 4) == 0)
		fraction += (uint64_t)between(rng, -2, 2);
	return fraction & mask;
}

static uint64_t draw_float(struct rng *rng, const struct format *f)
{
	static const uint8_t integer_widths[] = {0, 7, 8, 15, 16, 30, 31, 32, 52, 53, 62, 63, 64};
	int64_t max = (int64_t)low_mask(f->exponent_bits);
	int64_t bias = max / 2;
	uint64_t sign = rng_next(rng) & sign_of(f);
	uint64_t bits = sign | draw_fraction(rng, f->fraction_bits);
	int64_t shift;

	switch (rng_below(rng, 9)) {
	case 0: return (rng_next(rng) & (sign_of(f) - 1)) | sign;
	case 1: return sign;
	case 2: /* infinities and NaNs of both kinds */
		if (rng_below(rng, 2))
			bits = sign;
		return with_exponent(f, bits, max);
	case 3: return with_exponent(f, bits, between(rng, 0, 1));
	case 4: return with_exponent(f, bits, between(rng, max - 3, max - 1));
	case 5: return with_exponent(f, bits, between(rng, 0, max - 1));
	case 6: return with_exponent(f, bits, bias + integer_widths[rng_below(rng, 13)]);
	case 7: /* an integer and a half, or nearly */
		shift = between(rng, 0, f->fraction_bits - 1);
		bits |= UINT64_C(1) << (f->fraction_bits - 1 - shift);
		bits &= ~low_mask((unsigned)(f->fraction_bits - 1 - shift));
		if (rng_below(rng, 2))
			bits += (uint64_t)between(rng, -1, 1);
		return with_exponent(f, bits, bias + shift);
	default: return with_exponent(f, bits, bias + between(rng, -66, 66));
	}
}

/* Three operands, related in ways that meet in sums, products and quotients. */
static void draw_floats(struct rng *rng, const struct format *f, uint64_t v[3])
{
	int64_t max = (int64_t)low_mask(f->exponent_bits);
	int64_t bias = max / 2;
	int64_t wide = f->fraction_bits + 4;
	int64_t edge = rng_below(rng, 2) ? between(rng, -wide, 3) : between(rng, max - 4, max + 2);
	uint32_t ignored = 0;
	int64_t shift;

	for (int i = 0; i < 3; i++)
		v[i] = draw_float(rng, f);
	switch (rng_below(rng, 6)) {
	case 0:
		v[1] = (v[0] + (uint64_t)between(rng, -2, 2)) & (2 * sign_of(f) - 1);
		v[1] ^= rng_next(rng) & sign_of(f);
		break;
	case 1:
		v[1] = with_exponent(f, v[1], exponent_of(f, v[0]) + between(rng, -wide, wide));
		break;
	case 2: v[1] = with_exponent(f, v[1], edge + bias - exponent_of(f, v[0])); break;
	case 3: v[1] = with_exponent(f, v[1], exponent_of(f, v[0]) + bias - edge); break;
	case 4: /* products and quotients within ulps of the smallest normal */
		shift = between(rng, 2, max - 2);
		v[0] = with_exponent(f, 0, shift) + (uint64_t)between(rng, -2, 2);
		v[1] = with_exponent(f, 0, rng_below(rng, 2) ? bias + 1 - shift : shift + bias - 1);
		v[1] += v[1] ? (uint64_t)between(rng, -2, 2) : 0;
		v[0] ^= rng_next(rng) & sign_of(f);
		break;
	default: break;
	}
	switch (rng_below(rng, 4)) {
	case 0:
		if (f == &f32_format)
			v[2] = f32_mul((uint32_t)v[0], (uint32_t)v[1], RM_RNE, &ignored);
		else
			v[2] = f64_mul(v[0], v[1], RM_RNE, &ignored);
		v[2] = (v[2] + (uint64_t)between(rng, -1, 1)) & (2 * sign_of(f) - 1);
		v[2] ^= rng_next(rng) & sign_of(f);
		break;
	case 1:
		v[2] = with_exponent(f, v[2],
				     exponent_of(f, v[0]) + exponent_of(f, v[1]) - bias +
					     between(rng, -2 * wide, 2 * wide));
		break;
	default: break;
	}
}

static uint64_t draw_integer(struct rng *rng)
{
	uint64_t value = draw_fraction(rng, 63) << rng_below(rng, 2);

	value >>= rng_below(rng, 64);
	return rng_below(rng, 2) ? -value : value;
}

/*
 * An operation in four versions, over bit patterns. `host` raises the host's
 * exceptions and obeys its mode; `wide` is the same in long double, which holds
 * every midpoint of both formats. Integer operands have no format.
 */
struct operation {
	const char *name;
	const struct format *from;
	const struct format *to;
	uint64_t (*soft)(const uint64_t v[3], unsigned rm, uint32_t *fflags);
	uint64_t (*fpu)(const uint64_t v[3], unsigned rm, uint32_t *fflags);
	uint64_t (*host)(const uint64_t v[3]);
	long double (*wide)(const uint64_t v[3]);
};

#define f32_host_t float
#define f64_host_t double
#define i32_host_t int32_t
#define u32_host_t uint32_t
#define i64_host_t int64_t
#define u64_host_t uint64_t
#define i32_bits_t int32_t
#define u32_bits_t uint32_t
#define i64_bits_t int64_t
#define u64_bits_t uint64_t
#define f32_bits_t uint32_t
#define f64_bits_t uint64_t

#define f32_value(v) fpu_f32_host((uint32_t)(v))
#define f64_value(v) fpu_f64_host(v)
#define i32_value(v) ((int32_t)(v))
#define u32_value(v) ((uint32_t)(v))
#define i64_value(v) ((int64_t)(v))
#define u64_value(v) (v)

#define DEFINE_OPERATION(to, from, name, soft_call, fpu_call, host_expr, wide_expr)     \
	static uint64_t name##_soft(const uint64_t v[3], unsigned rm, uint32_t *fflags) \
	{                                                                               \
		(void)rm, (void)fflags;                                                 \
		return soft_call;                                                       \
	}                                                                               \
	static uint64_t name##_fpu(const uint64_t v[3], unsigned rm, uint32_t *fflags)  \
	{                                                                               \
		(void)rm, (void)fflags;                                                 \
		return fpu_call;                                                        \
	}                                                                               \
	static uint64_t name##_host(const uint64_t v[3])                                \
	{                                                                               \
		volatile from##_host_t a = from##_value(v[0]);                          \
		volatile from##_host_t b = from##_value(v[1]);                          \
		volatile from##_host_t c = from##_value(v[2]);                          \
		volatile to##_host_t r = host_expr;                                     \
                                                                                        \
		(void)a, (void)b, (void)c;                                              \
		return fpu_##to##_bits(r);                                              \
	}                                                                               \
	static long double name##_wide(const uint64_t v[3])                             \
	{                                                                               \
		volatile long double a = from##_value(v[0]);                            \
		volatile long double b = from##_value(v[1]);                            \
		volatile long double c = from##_value(v[2]);                            \
		volatile long double r = wide_expr;                                     \
                                                                                        \
		(void)a, (void)b, (void)c;                                              \
		return r;                                                               \
	}

#define A(f) ((f##_bits_t)v[0])
#define B(f) ((f##_bits_t)v[1])
#define C(f) ((f##_bits_t)v[2])

#define DEFINE_BINARY(f, name, op)                                             \
	DEFINE_OPERATION(f, f, f##_##name, f##_##name(A(f), B(f), rm, fflags), \
			 fpu_##f##_##name(A(f), B(f), rm, fflags), a op b, a op b)

#define DEFINE_ARITHMETIC(f, sqrt_host, fma_host)                                        \
	DEFINE_BINARY(f, add, +)                                                         \
	DEFINE_BINARY(f, sub, -)                                                         \
	DEFINE_BINARY(f, mul, *)                                                         \
	DEFINE_BINARY(f, div, /)                                                         \
	DEFINE_OPERATION(f, f, f##_sqrt, f##_sqrt(A(f), rm, fflags),                     \
			 fpu_##f##_sqrt(A(f), rm, fflags), sqrt_host(a), sqrtl(a))       \
	DEFINE_OPERATION(f, f, f##_fma, f##_fma(A(f), B(f), C(f), rm, fflags),           \
			 fpu_##f##_fma(A(f), B(f), C(f), rm, fflags), fma_host(a, b, c), \
			 fmal(a, b, c))

/*
 * From integers the host goes through long double, which is exact: compilers
 * have their own ways with unsigned numbers, not all good under every mode.
 */
#define DEFINE_FROM_INTEGER(to, from)                                                   \
	DEFINE_OPERATION(to, from, from##_to_##to, from##_to_##to(A(from), rm, fflags), \
			 fpu_##from##_to_##to(A(from), rm, fflags), (long double)a, a)

DEFINE_ARITHMETIC(f32, sqrtf, fmaf)
DEFINE_ARITHMETIC(f64, sqrt, fma)
DEFINE_OPERATION(f32, f64, f64_to_f32, f64_to_f32(A(f64), rm, fflags),
		 fpu_f64_to_f32(A(f64), rm, fflags), (float)a, a)
DEFINE_OPERATION(f64, f32, f32_to_f64, f32_to_f64(A(f32), fflags), fpu_f32_to_f64(A(f32), fflags),
		 (double)a, a)
DEFINE_FROM_INTEGER(f32, i32)
DEFINE_FROM_INTEGER(f32, u32)
DEFINE_FROM_INTEGER(f32, i64)
DEFINE_FROM_INTEGER(f32, u64)
DEFINE_FROM_INTEGER(f64, i64)
DEFINE_FROM_INTEGER(f64, u64)
DEFINE_OPERATION(f64, i32, i32_to_f64, i32_to_f64(A(i32)), fpu_i32_to_f64(A(i32)), a, a)
DEFINE_OPERATION(f64, u32, u32_to_f64, u32_to_f64(A(u32)), fpu_u32_to_f64(A(u32)), a, a)

#define ROW(name, from, to)                                                        \
	{                                                                          \
#name, from, to, name##_soft, name##_fpu, name##_host, name##_wide \
	}

static const struct operation operations[] = {
	ROW(f32_add, &f32_format, &f32_format),	   ROW(f64_add, &f64_format, &f64_format),
	ROW(f32_sub, &f32_format, &f32_format),	   ROW(f64_sub, &f64_format, &f64_format),
	ROW(f32_mul, &f32_format, &f32_format),	   ROW(f64_mul, &f64_format, &f64_format),
	ROW(f32_div, &f32_format, &f32_format),	   ROW(f64_div, &f64_format, &f64_format),
	ROW(f32_sqrt, &f32_format, &f32_format),   ROW(f64_sqrt, &f64_format, &f64_format),
	ROW(f32_fma, &f32_format, &f32_format),	   ROW(f64_fma, &f64_format, &f64_format),
	ROW(f32_to_f64, &f32_format, &f64_format), ROW(f64_to_f32, &f64_format, &f32_format),
	ROW(i32_to_f32, NULL, &f32_format),	   ROW(u32_to_f32, NULL, &f32_format),
	ROW(i64_to_f32, NULL, &f32_format),	   ROW(u64_to_f32, NULL, &f32_format),
	ROW(i32_to_f64, NULL, &f64_format),	   ROW(u32_to_f64, NULL, &f64_format),
	ROW(i64_to_f64, NULL, &f64_format),	   ROW(u64_to_f64, NULL, &f64_format),
};

static void draw_operands(struct rng *rng, const struct format *from, uint64_t v[3])
{
	if (from) {
		draw_floats(rng, from, v);
	} else {
		v[0] = draw_integer(rng);
		v[1] = v[2] = 0;
	}
}

static bool is_nan(const struct format *f, uint64_t bits)
{
	return (bits & (sign_of(f) - 1)) > low_mask(f->exponent_bits) << f->fraction_bits;
}

static bool is_signalling(const struct format *f, uint64_t bits)
{
	return is_nan(f, bits) && !bits_field(bits, f->fraction_bits - 1, 1);
}

static uint64_t infinity_of(const struct format *f)
{
	return low_mask(f->exponent_bits) << f->fraction_bits;
}

static uint64_t canonical(const struct format *f, uint64_t bits)
{
	if (!is_nan(f, bits))
		return bits;
	return infinity_of(f) | UINT64_C(1) << (f->fraction_bits - 1);
}

static bool is_infinity_times_zero(const struct format *f, const uint64_t v[3])
{
	uint64_t a = v[0] & (sign_of(f) - 1);
	uint64_t b = v[1] & (sign_of(f) - 1);

	return (a == 0 && b == infinity_of(f)) || (a == infinity_of(f) && b == 0);
}

static uint32_t raised(void)
{
	int host = fetestexcept(FE_ALL_EXCEPT);
	uint32_t fflags = 0;

	fflags |= host & FE_INEXACT ? FFLAG_NX : 0;
	fflags |= host & FE_UNDERFLOW ? FFLAG_UF : 0;
	fflags |= host & FE_OVERFLOW ? FFLAG_OF : 0;
	fflags |= host & FE_DIVBYZERO ? FFLAG_DZ : 0;
	fflags |= host & FE_INVALID ? FFLAG_NV : 0;
	return fflags;
}

static uint64_t run_host(const struct operation *op, const uint64_t v[3], uint32_t *fflags)
{
	uint64_t result;

	feclearexcept(FE_ALL_EXCEPT);
	result = canonical(op->to, op->host(v));
	*fflags = raised();
	/* Left open by IEEE 754, and hosts differ. */
	if (op->host == f32_fma_host || op->host == f64_fma_host)
		*fflags |= is_infinity_times_zero(op->from, v) ? FFLAG_NV : 0;
	return result;
}

static long double wide_value(const struct format *f, uint64_t bits)
{
	return f == &f32_format ? fpu_f32_host((uint32_t)bits) : fpu_f64_host(bits);
}

/*
 * RMM from truncated results, the host's in the format and a wider one: a
 * midpoint, being a long double, is above the exact value if and only if it is
 * above the truncated wide one. The neighbour of the largest number is 2^emax.
 */
static uint64_t run_host_rmm(const struct operation *op, const uint64_t v[3], uint32_t *fflags)
{
	const struct format *f = op->to;
	uint64_t toward = run_host(op, v, fflags);
	uint64_t magnitude = toward & (sign_of(f) - 1);
	int bias = (int)low_mask(f->exponent_bits - 1);
	long double exact, low, high, least_normal;

	if (!(*fflags & FFLAG_NX))
		return toward;
	exact = fabsl(op->wide(v));
	low = wide_value(f, magnitude);
	high = magnitude + 1 == infinity_of(f) ? ldexpl(1, bias + 1) : wide_value(f, magnitude + 1);
	least_normal = ldexpl(1, 1 - bias);

	*fflags = FFLAG_NX;
	/* Tiny: even with one binade more, RMM would not have reached the normal numbers. */
	if (exact < least_normal - ldexpl(least_normal, -(int)f->fraction_bits - 2))
		*fflags |= FFLAG_UF;
	if (exact < (low + high) / 2)
		return toward;
	if (magnitude + 1 == infinity_of(f))
		*fflags |= FFLAG_OF;
	return toward + 1;
}

static void check(const char *name, const uint64_t v[3], unsigned rm, uint64_t result,
		  uint32_t fflags, uint64_t expected, uint32_t expected_fflags)
{
	if (LIKELY(result == expected && fflags == expected_fflags))
		return;
	fesetround(FE_TONEAREST);
	fail_msg("%s %016" PRIx64 " %016" PRIx64 " %016" PRIx64 " rm %u: %016" PRIx64
		 " fflags %02x, expected %016" PRIx64 " fflags %02x",
		 name, v[0], v[1], v[2], rm, result, (unsigned)fflags, expected,
		 (unsigned)expected_fflags);
}

TEST(test_rounding_modes_equal_the_host)
{
	static const int host_modes[] = {
		[RM_RNE] = FE_TONEAREST,
		[RM_RTZ] = FE_TOWARDZERO,
		[RM_RDN] = FE_DOWNWARD,
		[RM_RUP] = FE_UPWARD,
	};
	struct rng rng = {1};

	for (size_t i = 0; i < COUNT(operations); i++) {
		const struct operation *op = &operations[i];

		for (unsigned rm = RM_RNE; rm <= RM_RUP; rm++) {
			assert_int_equal(fesetround(host_modes[rm]), 0);
			for (int n = 0; n < DRAWS; n++) {
				uint32_t fflags = 0, expected_fflags;
				uint64_t v[3], result, expected;

				draw_operands(&rng, op->from, v);
				expected = run_host(op, v, &expected_fflags);
				result = op->soft(v, rm, &fflags);
				check(op->name, v, rm, result, fflags, expected, expected_fflags);
			}
		}
	}
	fesetround(FE_TONEAREST);
}

TEST(test_rmm_rounds_ties_away_from_zero)
{
	struct rng rng = {2};
	uint64_t differ = 0;

	for (size_t i = 0; i < COUNT(operations); i++) {
		const struct operation *op = &operations[i];

		assert_int_equal(fesetround(FE_TOWARDZERO), 0);
		for (int n = 0; n < DRAWS; n++) {
			uint32_t fflags = 0, expected_fflags, ignored = 0;
			uint64_t v[3], result, expected;

			draw_operands(&rng, op->from, v);
			expected = run_host_rmm(op, v, &expected_fflags);
			result = op->soft(v, RM_RMM, &fflags);
			check(op->name, v, RM_RMM, result, fflags, expected, expected_fflags);
			differ += result != op->soft(v, RM_RNE, &ignored);
		}
	}
	fesetround(FE_TONEAREST);
	/* Otherwise the draws would not tell RMM from RNE. */
	assert_true(differ > 10000);
}

TEST(test_fpu_equals_softfloat)
{
	struct rng rng = {3};

	for (size_t i = 0; i < COUNT(operations); i++) {
		const struct operation *op = &operations[i];

		for (int n = 0; n < 3 * DRAWS; n++) {
			uint32_t before = (uint32_t)rng_below(&rng, 32);
			uint32_t fflags = before, expected_fflags = before;
			unsigned rm = n % 3 ? RM_RNE : (unsigned)rng_below(&rng, 5);
			uint64_t v[3], result, expected;

			if (n % 3 == 1)
				fflags = expected_fflags = before | FFLAG_NX;
			draw_operands(&rng, op->from, v);
			expected = op->soft(v, rm, &expected_fflags);
			result = op->fpu(v, rm, &fflags);
			check(op->name, v, rm, result, fflags, expected, expected_fflags);
		}
	}
}

/* f32_fma's way through double needs more than chance to meet its halfway points. */
TEST(test_fpu_f32_fma_survives_double_rounding)
{
	struct rng rng = {4};

	for (int n = 0; n < DRAWS; n++) {
		uint32_t fflags = FFLAG_NX, expected_fflags = FFLAG_NX;
		uint64_t sign = rng_next(&rng) & F32_SIGN;
		int64_t exponent = between(&rng, 100, 150);
		uint64_t v[3], result, expected;

		/* c +- half an ulp of c from the product, +- something far below a double's last */
		v[2] = with_exponent(&f32_format, draw_fraction(&rng, 23) | sign, exponent);
		v[0] = with_exponent(&f32_format, draw_fraction(&rng, 12) << 11, 127);
		v[1] = with_exponent(&f32_format, draw_fraction(&rng, 11) << 12, exponent - 24);
		if (rng_below(&rng, 2)) {
			/* (1 + 2^-23)(1 - 2^-23) = 1 - 2^-46, and neighbours of it */
			v[0] = with_exponent(&f32_format, (uint64_t)between(&rng, 0, 2), 127);
			v[1] = with_exponent(&f32_format, low_mask(23) - rng_below(&rng, 3),
					     exponent - 25);
		}
		v[1] ^= rng_next(&rng) & F32_SIGN;
		expected = f32_fma_soft(v, RM_RNE, &expected_fflags);
		result = f32_fma_fpu(v, RM_RNE, &fflags);
		check("f32_fma", v, RM_RNE, result, fflags, expected, expected_fflags);
	}
}

struct to_integer {
	const char *name;
	const struct format *from;
	uint64_t (*soft)(uint64_t a, unsigned rm, uint32_t *fflags);
	uint64_t (*fpu)(uint64_t a, unsigned rm, uint32_t *fflags);
	unsigned width;
	bool is_signed;
};

#define DEFINE_TO_INTEGER(f, i)                                                      \
	static uint64_t f##_to_##i##_soft(uint64_t a, unsigned rm, uint32_t *fflags) \
	{                                                                            \
		return (uint64_t)f##_to_##i((f##_bits_t)a, rm, fflags);              \
	}                                                                            \
	static uint64_t f##_to_##i##_fpu(uint64_t a, unsigned rm, uint32_t *fflags)  \
	{                                                                            \
		return (uint64_t)fpu_##f##_to_##i((f##_bits_t)a, rm, fflags);        \
	}

DEFINE_TO_INTEGER(f32, i32)
DEFINE_TO_INTEGER(f32, u32)
DEFINE_TO_INTEGER(f32, i64)
DEFINE_TO_INTEGER(f32, u64)
DEFINE_TO_INTEGER(f64, i32)
DEFINE_TO_INTEGER(f64, u32)
DEFINE_TO_INTEGER(f64, i64)
DEFINE_TO_INTEGER(f64, u64)

static const struct to_integer to_integers[] = {
	{"f32_to_i32", &f32_format, f32_to_i32_soft, f32_to_i32_fpu, 32, true},
	{"f32_to_u32", &f32_format, f32_to_u32_soft, f32_to_u32_fpu, 32, false},
	{"f32_to_i64", &f32_format, f32_to_i64_soft, f32_to_i64_fpu, 64, true},
	{"f32_to_u64", &f32_format, f32_to_u64_soft, f32_to_u64_fpu, 64, false},
	{"f64_to_i32", &f64_format, f64_to_i32_soft, f64_to_i32_fpu, 32, true},
	{"f64_to_u32", &f64_format, f64_to_u32_soft, f64_to_u32_fpu, 32, false},
	{"f64_to_i64", &f64_format, f64_to_i64_soft, f64_to_i64_fpu, 64, true},
	{"f64_to_u64", &f64_format, f64_to_u64_soft, f64_to_u64_fpu, 64, false},
};

static uint64_t define_to_integer(const struct to_integer *op, uint64_t bits, unsigned rm,
				  uint32_t *fflags)
{
	long double x = wide_value(op->from, bits);
	long double low = op->is_signed ? -ldexpl(1, (int)op->width - 1) : 0;
	long double high = ldexpl(1, (int)op->width - op->is_signed) - 1;
	long double r = 0;
	uint64_t result;

	switch (rm) {
	case RM_RNE: r = rintl(x); break;
	case RM_RTZ: r = truncl(x); break;
	case RM_RDN: r = floorl(x); break;
	case RM_RUP: r = ceill(x); break;
	case RM_RMM: r = roundl(x); break;
	}
	*fflags = r != x ? FFLAG_NX : 0;
	if (!(r >= low && r <= high)) {
		*fflags = FFLAG_NV;
		r = r < low ? low : high;
	}
	result = r < 0 ? (uint64_t)(int64_t)r : (uint64_t)r;
	return op->width == 32 ? (uint64_t)bits_sign_extend(result, 32) : result;
}

TEST(test_conversions_to_integers_round_and_saturate)
{
	struct rng rng = {5};

	for (size_t i = 0; i < COUNT(to_integers); i++) {
		const struct to_integer *op = &to_integers[i];

		for (int n = 0; n < 5 * DRAWS; n++) {
			unsigned rm = (unsigned)n % 5;
			uint64_t v[3] = {draw_float(&rng, op->from)};
			uint32_t before = (uint32_t)rng_below(&rng, 32);
			uint32_t fflags = 0, fpu_fflags = before, expected_fflags;
			uint64_t expected = define_to_integer(op, v[0], rm, &expected_fflags);
			uint64_t result = op->soft(v[0], rm, &fflags);

			check(op->name, v, rm, result, fflags, expected, expected_fflags);
			result = op->fpu(v[0], rm, &fpu_fflags);
			check(op->name, v, rm, result, fpu_fflags, expected,
			      before | expected_fflags);
		}
	}
}

struct relation {
	const char *name;
	const struct format *f;
	uint64_t (*soft)(uint64_t a, uint64_t b, uint32_t *fflags);
	uint64_t (*fpu)(uint64_t a, uint64_t b, uint32_t *fflags);
	char kind; /* '<', '=', 'l' for <=, 'm'in, 'M'ax */
};

#define DEFINE_RELATION(f, name)                                                    \
	static uint64_t f##_##name##_soft(uint64_t a, uint64_t b, uint32_t *fflags) \
	{                                                                           \
		return f##_##name((f##_bits_t)a, (f##_bits_t)b, fflags);            \
	}                                                                           \
	static uint64_t f##_##name##_fpu(uint64_t a, uint64_t b, uint32_t *fflags)  \
	{                                                                           \
		return fpu_##f##_##name((f##_bits_t)a, (f##_bits_t)b, fflags);      \
	}

DEFINE_RELATION(f32, lt)
DEFINE_RELATION(f64, lt)
DEFINE_RELATION(f32, eq)
DEFINE_RELATION(f64, eq)
DEFINE_RELATION(f32, le)
DEFINE_RELATION(f64, le)
DEFINE_RELATION(f32, min)
DEFINE_RELATION(f64, min)
DEFINE_RELATION(f32, max)
DEFINE_RELATION(f64, max)

static const struct relation relations[] = {
	{"f32_lt", &f32_format, f32_lt_soft, f32_lt_fpu, '<'},
	{"f64_lt", &f64_format, f64_lt_soft, f64_lt_fpu, '<'},
	{"f32_eq", &f32_format, f32_eq_soft, f32_eq_fpu, '='},
	{"f64_eq", &f64_format, f64_eq_soft, f64_eq_fpu, '='},
	{"f32_le", &f32_format, f32_le_soft, f32_le_fpu, 'l'},
	{"f64_le", &f64_format, f64_le_soft, f64_le_fpu, 'l'},
	{"f32_min", &f32_format, f32_min_soft, f32_min_fpu, 'm'},
	{"f64_min", &f64_format, f64_min_soft, f64_min_fpu, 'm'},
	{"f32_max", &f32_format, f32_max_soft, f32_max_fpu, 'M'},
	{"f64_max", &f64_format, f64_max_soft, f64_max_fpu, 'M'},
};

static uint64_t define_relation(const struct relation *op, uint64_t a, uint64_t b, uint32_t *fflags)
{
	const struct format *f = op->f;
	long double x = wide_value(f, a), y = wide_value(f, b);
	bool any_nan = is_nan(f, a) || is_nan(f, b);
	bool a_first;

	*fflags = is_signalling(f, a) || is_signalling(f, b) ? FFLAG_NV : 0;
	if (any_nan && (op->kind == '<' || op->kind == 'l'))
		*fflags = FFLAG_NV;
	switch (op->kind) {
	case '<': return !any_nan && x < y;
	case '=': return !any_nan && x == y;
	case 'l': return !any_nan && x <= y;
	}
	if (is_nan(f, a))
		return canonical(f, b);
	if (is_nan(f, b))
		return a;
	a_first = x < y || (x == y && (a & sign_of(f)));
	return a_first == (op->kind == 'm') ? a : b;
}

TEST(test_comparisons_min_and_max_follow_their_definitions)
{
	struct rng rng = {6};

	for (size_t i = 0; i < COUNT(relations); i++) {
		const struct relation *op = &relations[i];

		for (int n = 0; n < DRAWS; n++) {
			uint32_t before = (uint32_t)rng_below(&rng, 32);
			uint32_t fflags = 0, fpu_fflags = before, expected_fflags;
			uint64_t v[3], result, expected;

			draw_floats(&rng, op->f, v);
			expected = define_relation(op, v[0], v[1], &expected_fflags);
			result = op->soft(v[0], v[1], &fflags);
			check(op->name, v, 0, result, fflags, expected, expected_fflags);
			result = op->fpu(v[0], v[1], &fpu_fflags);
			check(op->name, v, 0, result, fpu_fflags, expected,
			      before | expected_fflags);
		}
	}
}

TEST(test_class_names_each_kind_of_number)
{
	static const struct {
		uint32_t f32;
		uint64_t f64;
		unsigned bit;
	} rows[] = {
		{0xff800000, UINT64_C(0xfff0000000000000), 0},
		{0xff7fffff, UINT64_C(0xffefffffffffffff), 1},
		{0x80800000, UINT64_C(0x8010000000000000), 1},
		{0x807fffff, UINT64_C(0x800fffffffffffff), 2},
		{0x80000001, UINT64_C(0x8000000000000001), 2},
		{0x80000000, UINT64_C(0x8000000000000000), 3},
		{0x00000000, UINT64_C(0x0000000000000000), 4},
		{0x00000001, UINT64_C(0x0000000000000001), 5},
		{0x007fffff, UINT64_C(0x000fffffffffffff), 5},
		{0x00800000, UINT64_C(0x0010000000000000), 6},
		{0x7f7fffff, UINT64_C(0x7fefffffffffffff), 6},
		{0x7f800000, UINT64_C(0x7ff0000000000000), 7},
		{0x7f800001, UINT64_C(0x7ff0000000000001), 8},
		{0xffbfffff, UINT64_C(0xfff7ffffffffffff), 8},
		{0x7fc00000, UINT64_C(0x7ff8000000000000), 9},
		{0xffffffff, UINT64_C(0xffffffffffffffff), 9},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(f32_class(rows[i].f32), 1u << rows[i].bit);
		assert_int_equal(f64_class(rows[i].f64), 1u << rows[i].bit);
	}
}

/* Worked by hand, for the choices that hosts and standards leave open. */
TEST(test_corners_worked_by_hand)
{
	const uint64_t one = UINT64_C(0x3ff0000000000000);
	const uint64_t infinity = UINT64_C(0x7ff0000000000000);
	const uint64_t quiet = UINT64_C(0xfff8000000000123);
	uint32_t fflags = 0;

	assert_int_equal(f64_fma(infinity, 0, quiet, RM_RNE, &fflags), F64_CANON_NAN);
	assert_int_equal(fflags, FFLAG_NV);
	fflags = 0;
	assert_int_equal(f64_fma(one, one, quiet, RM_RNE, &fflags), F64_CANON_NAN);
	assert_int_equal(fflags, 0);

	/* 1 - 1 is +0, but -0 when rounding down. */
	assert_int_equal(f64_sub(one, one, RM_RUP, &fflags), 0);
	assert_int_equal(f64_sub(one, one, RM_RDN, &fflags), F64_SIGN);
	assert_int_equal(f64_fma(one, one, one ^ F64_SIGN, RM_RDN, &fflags), F64_SIGN);
	assert_int_equal(fflags, 0);

	/*
	 * (1 - 2^-24) * 2^-126 is a tie between the largest subnormal and the least
	 * normal; with unbounded exponent it is exact and so tiny. Half an ulp of
	 * that more, (1 - 2^-25) * 2^-126, would round up to 2^-126: not tiny.
	 */
	assert_int_equal(f64_to_f32(UINT64_C(0x380fffffe0000000), RM_RNE, &fflags), 0x00800000);
	assert_int_equal(fflags, FFLAG_NX | FFLAG_UF);
	fflags = 0;
	assert_int_equal(f64_to_f32(UINT64_C(0x380ffffff0000000), RM_RNE, &fflags), 0x00800000);
	assert_int_equal(fflags, FFLAG_NX);
	fflags = 0;

	/* Overflow stops at the largest number when rounding the other way. */
	assert_int_equal(f64_add(infinity - 1, infinity - 1, RM_RDN, &fflags), infinity - 1);
	assert_int_equal(fflags, FFLAG_OF | FFLAG_NX);
	fflags = 0;

	/* Negative numbers that round to zero are in the range of unsigned integers. */
	assert_int_equal(f64_to_u32(UINT64_C(0xbfe0000000000000), RM_RNE, &fflags), 0);
	assert_int_equal(fflags, FFLAG_NX);
	fflags = 0;
	assert_int_equal(f64_to_u32(UINT64_C(0xbfe0000000000000), RM_RMM, &fflags), 0);
	assert_int_equal(fflags, FFLAG_NV);
	fflags = 0;
	assert_int_equal(f64_to_u32(quiet, RM_RNE, &fflags), UINT64_MAX);
	assert_int_equal(f64_to_i32(quiet, RM_RNE, &fflags), INT32_MAX);
	assert_int_equal(f64_to_u32(UINT64_C(0x41e0000000000000), RM_RNE, &fflags),
			 UINT64_C(0xffffffff80000000));
	assert_int_equal(fflags, FFLAG_NV);
	fflags = 0;

	assert_int_equal(f32_min(0, F32_SIGN, &fflags), F32_SIGN);
	assert_int_equal(f32_max(F32_SIGN, 0, &fflags), 0);
	assert_int_equal(f32_max(0x7fc12345, 0xffc12345, &fflags), F32_CANON_NAN);
	assert_int_equal(fflags, 0);
	assert_int_equal(f32_min(0x7f812345, 0x3f800000, &fflags), 0x3f800000);
	assert_int_equal(fflags, FFLAG_NV);
}
