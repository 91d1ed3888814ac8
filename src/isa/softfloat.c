/*
 * softfloat.c - one set of algorithms for all formats.
 *
 * An operand is unpacked into sign, exponent and a 64-bit significand whose top
 * bit is set, which leaves at least 11 bits below the format's own. Operations
 * work on those, fold whatever falls off the low end into the lowest bit (the
 * sticky bit: the value is kept, or replaced by one on the same side of every
 * rounding boundary) and leave rounding, overflow and underflow to round_pack.
 * Every function that takes a struct format is inlined into a function for a
 * single format, where its fields are constants.
 */
#include "isa/softfloat.h"

#include "base/bits.h"

#define INLINE static inline __attribute__((always_inline))

typedef unsigned __int128 uint128_t;

struct format {
	unsigned fraction_bits;
	unsigned exponent_bits;
};

static const struct format f16_format = {.fraction_bits = 10, .exponent_bits = 5};
static const struct format f32_format = {.fraction_bits = 23, .exponent_bits = 8};
static const struct format f64_format = {.fraction_bits = 52, .exponent_bits = 11};

/* The order matters: the kinds that arithmetic treats specially come last. */
enum kind {
	KIND_FINITE,
	KIND_ZERO,
	KIND_INFINITY,
	KIND_QUIET_NAN,
	KIND_SIGNALLING_NAN,
};

/* The value is significand * 2^(exponent - 63). */
struct number {
	uint64_t significand;
	int exponent;
	enum kind kind;
	bool sign;
};

/* Below any exponent that sums and differences of real ones can reach. */
#define ZERO_EXPONENT (-0x100000)

INLINE unsigned exponent_max(struct format format)
{
	return (1u << format.exponent_bits) - 1;
}

INLINE int exponent_bias(struct format format)
{
	return (int)(exponent_max(format) >> 1);
}

INLINE uint64_t fraction_mask(struct format format)
{
	return (UINT64_C(1) << format.fraction_bits) - 1;
}

INLINE uint64_t sign_bit(struct format format)
{
	return UINT64_C(1) << (format.fraction_bits + format.exponent_bits);
}

INLINE uint64_t pack_zero(struct format format, bool sign)
{
	return sign ? sign_bit(format) : 0;
}

INLINE uint64_t pack_infinity(struct format format, bool sign)
{
	return pack_zero(format, sign) | (uint64_t)exponent_max(format) << format.fraction_bits;
}

INLINE uint64_t canonical_nan(struct format format)
{
	return pack_infinity(format, false) | UINT64_C(1) << (format.fraction_bits - 1);
}

INLINE uint64_t invalid(struct format format, uint32_t *fflags)
{
	*fflags |= FFLAG_NV;
	return canonical_nan(format);
}

INLINE struct number unpack(struct format format, uint64_t bits)
{
	uint64_t fraction = bits & fraction_mask(format);
	unsigned biased = (unsigned)(bits >> format.fraction_bits) & exponent_max(format);
	struct number n = {
		.significand = UINT64_C(1) << 63 | fraction << (63 - format.fraction_bits),
		.exponent = (int)biased - exponent_bias(format),
		.kind = KIND_FINITE,
		.sign = bits & sign_bit(format),
	};

	if (UNLIKELY(biased == 0)) {
		if (fraction == 0) {
			n.kind = KIND_ZERO;
			n.significand = 0;
			n.exponent = ZERO_EXPONENT;
		} else {
			int shift = __builtin_clzll(fraction);

			n.significand = fraction << shift;
			n.exponent = 64 - shift - exponent_bias(format) - (int)format.fraction_bits;
		}
	} else if (UNLIKELY(biased == exponent_max(format))) {
		if (fraction == 0)
			n.kind = KIND_INFINITY;
		else if (fraction >> (format.fraction_bits - 1))
			n.kind = KIND_QUIET_NAN;
		else
			n.kind = KIND_SIGNALLING_NAN;
	}
	return n;
}

INLINE bool is_nan(struct number n)
{
	return n.kind >= KIND_QUIET_NAN;
}

INLINE bool is_special(struct number n)
{
	return n.kind >= KIND_INFINITY;
}

/* What an operation with a NaN among its operands gives. */
INLINE uint64_t nan_result(struct format format, struct number a, struct number b, uint32_t *fflags)
{
	if (a.kind == KIND_SIGNALLING_NAN || b.kind == KIND_SIGNALLING_NAN)
		*fflags |= FFLAG_NV;
	return canonical_nan(format);
}

/*
 * Whether a magnitude whose integer part is odd or even goes up, when `rest` of
 * it remains below the last place and `half` of the last place is as given.
 */
INLINE bool rounds_up(unsigned rm, bool sign, bool odd, uint64_t rest, uint64_t half)
{
	switch (rm) {
	case RM_RNE: return (rest > half) | ((rest == half) & odd);
	case RM_RTZ: return false;
	case RM_RDN: return sign & (rest != 0);
	case RM_RUP: return !sign & (rest != 0);
	default: return rest >= half;
	}
}

INLINE uint64_t overflow(struct format format, bool sign, unsigned rm, uint32_t *fflags)
{
	uint64_t infinity = pack_infinity(format, sign);

	*fflags |= FFLAG_OF | FFLAG_NX;
	/* The pattern before infinity's is the largest number. */
	if (rm == RM_RTZ || rm == (sign ? RM_RUP : RM_RDN))
		return infinity - 1;
	return infinity;
}

INLINE uint64_t shift_right_sticky(uint64_t value, unsigned count)
{
	uint64_t shifted;

	if (count > 63)
		return value != 0;
	shifted = value >> count;
	return shifted | (shifted << count != value);
}

INLINE uint128_t shift_right_sticky_wide(uint128_t value, unsigned count)
{
	uint128_t shifted;

	if (count > 127)
		return value != 0;
	shifted = value >> count;
	return shifted | (shifted << count != value);
}

/* The significand has its top bit set, and a sticky lowest bit. */
INLINE uint64_t round_pack(struct format format, bool sign, int exponent, uint64_t significand,
			   unsigned rm, uint32_t *fflags)
{
	const unsigned drop = 63 - format.fraction_bits;
	const uint64_t half = UINT64_C(1) << (drop - 1);
	const uint64_t rest_mask = (half << 1) - 1;
	int biased = exponent + exponent_bias(format);
	uint64_t kept, rest, magnitude;
	bool tiny = false;

	if (UNLIKELY(biased <= 0)) {
		/* Only from the binade next to the normal numbers can rounding reach them. */
		kept = significand >> drop;
		rest = significand & rest_mask;
		kept += rounds_up(rm, sign, kept & 1, rest, half);
		tiny = biased < 0 || !(kept >> (format.fraction_bits + 1));
		significand = shift_right_sticky(significand, (unsigned)(1 - biased));
		biased = 1;
	} else if (UNLIKELY(biased >= (int)exponent_max(format))) {
		return overflow(format, sign, rm, fflags);
	}

	kept = significand >> drop;
	rest = significand & rest_mask;
	/*
	 * The leading one of a normal number counts the exponent up from biased - 1,
	 * and so does a carry out of the fraction; a subnormal has none.
	 */
	magnitude = ((uint64_t)(biased - 1) << format.fraction_bits) + kept +
		    rounds_up(rm, sign, kept & 1, rest, half);
	if (UNLIKELY(magnitude >= pack_infinity(format, false)))
		return overflow(format, sign, rm, fflags);
	if (rest != 0)
		*fflags |= tiny ? FFLAG_NX | FFLAG_UF : FFLAG_NX;
	return pack_zero(format, sign) | magnitude;
}

/* The same for 128 bits worth value * 2^(exponent - 127), value not 0, at any alignment. */
INLINE uint64_t round_pack_wide(struct format format, bool sign, int exponent, uint128_t value,
				unsigned rm, uint32_t *fflags)
{
	uint64_t high = (uint64_t)(value >> 64);
	int shift = high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)value);

	value <<= shift;
	return round_pack(format, sign, exponent - shift,
			  (uint64_t)(value >> 64) | ((uint64_t)value != 0), rm, fflags);
}

/*
 * a + b, each worth value * 2^(exponent - 125) and below 2^126, so that sum and
 * difference fit in two's complement. What the sticky shift loses can only matter
 * to a difference of nearly equal values, and then it loses nothing: a product of
 * significands has 20 zeros at its low end and a single one has 73, while
 * cancellation of more than two bits needs exponents at most two apart.
 *
 * Free of branches on signs and order, which in real sums are as good as random:
 * with them f64_fma took 31 ns on such operands, without 15.
 */
INLINE uint64_t sum_wide(struct format format, bool a_sign, int a_exponent, uint128_t a,
			 bool b_sign, int b_exponent, uint128_t b, unsigned rm, uint32_t *fflags)
{
	int distance = a_exponent - b_exponent;
	bool swap = distance < 0;
	uint128_t swap_mask = (a ^ b) & -(uint128_t)swap;
	uint128_t differ_mask = -(uint128_t)(a_sign != b_sign);
	uint128_t sum, negative_mask;
	bool sign = swap ? b_sign : a_sign;

	a ^= swap_mask;
	b ^= swap_mask;
	b = shift_right_sticky_wide(b, (unsigned)(swap ? -distance : distance));
	sum = a + ((b ^ differ_mask) - differ_mask);
	negative_mask = -(sum >> 127);
	sum = (sum ^ negative_mask) - negative_mask;
	if (UNLIKELY(sum == 0))
		return pack_zero(format, a_sign == b_sign ? sign : rm == RM_RDN);
	return round_pack_wide(format, sign ^ (negative_mask & 1),
			       (swap ? b_exponent : a_exponent) + 2, sum, rm, fflags);
}

INLINE uint64_t add(struct format format, uint64_t a_bits, uint64_t b_bits, unsigned rm,
		    uint32_t *fflags)
{
	struct number a = unpack(format, a_bits);
	struct number b = unpack(format, b_bits);

	if (UNLIKELY(is_special(a) || is_special(b))) {
		if (is_nan(a) || is_nan(b))
			return nan_result(format, a, b, fflags);
		if (a.kind == b.kind && a.sign != b.sign)
			return invalid(format, fflags);
		return a.kind == KIND_INFINITY ? a_bits : b_bits;
	}
	return sum_wide(format, a.sign, a.exponent, (uint128_t)a.significand << 62, b.sign,
			b.exponent, (uint128_t)b.significand << 62, rm, fflags);
}

INLINE uint64_t multiply(struct format format, uint64_t a_bits, uint64_t b_bits, unsigned rm,
			 uint32_t *fflags)
{
	struct number a = unpack(format, a_bits);
	struct number b = unpack(format, b_bits);
	bool sign = a.sign ^ b.sign;

	if (UNLIKELY(a.kind != KIND_FINITE || b.kind != KIND_FINITE)) {
		if (is_nan(a) || is_nan(b))
			return nan_result(format, a, b, fflags);
		if (!is_special(a) && !is_special(b))
			return pack_zero(format, sign);
		if (a.kind == KIND_ZERO || b.kind == KIND_ZERO)
			return invalid(format, fflags);
		return pack_infinity(format, sign);
	}
	return round_pack_wide(format, sign, a.exponent + b.exponent + 1,
			       (uint128_t)a.significand * b.significand, rm, fflags);
}

INLINE uint64_t fused_multiply_add(struct format format, uint64_t a_bits, uint64_t b_bits,
				   uint64_t c_bits, unsigned rm, uint32_t *fflags)
{
	struct number a = unpack(format, a_bits);
	struct number b = unpack(format, b_bits);
	struct number c = unpack(format, c_bits);
	bool sign = a.sign ^ b.sign;

	if (UNLIKELY(is_special(a) || is_special(b) || is_special(c))) {
		if ((a.kind == KIND_INFINITY && b.kind == KIND_ZERO) ||
		    (a.kind == KIND_ZERO && b.kind == KIND_INFINITY))
			return invalid(format, fflags);
		if (is_nan(a) || is_nan(b) || is_nan(c)) {
			nan_result(format, a, b, fflags);
			return nan_result(format, c, c, fflags);
		}
		if (!is_special(a) && !is_special(b))
			return c_bits;
		if (c.kind == KIND_INFINITY && c.sign != sign)
			return invalid(format, fflags);
		return pack_infinity(format, sign);
	}
	return sum_wide(format, sign, a.exponent + b.exponent + 1,
			(uint128_t)a.significand * b.significand >> 2, c.sign, c.exponent,
			(uint128_t)c.significand << 62, rm, fflags);
}

INLINE uint64_t divide(struct format format, uint64_t a_bits, uint64_t b_bits, unsigned rm,
		       uint32_t *fflags)
{
	struct number a = unpack(format, a_bits);
	struct number b = unpack(format, b_bits);
	bool sign = a.sign ^ b.sign;
	unsigned below;
	uint128_t dividend;
	uint64_t quotient;

	if (UNLIKELY(a.kind != KIND_FINITE || b.kind != KIND_FINITE)) {
		if (is_nan(a) || is_nan(b))
			return nan_result(format, a, b, fflags);
		if (a.kind == b.kind)
			return invalid(format, fflags);
		if (a.kind == KIND_ZERO || b.kind == KIND_INFINITY)
			return pack_zero(format, sign);
		if (a.kind == KIND_FINITE)
			*fflags |= FFLAG_DZ;
		return pack_infinity(format, sign);
	}
	below = a.significand < b.significand;
	dividend = (uint128_t)a.significand << (63 + below);
	quotient = (uint64_t)(dividend / b.significand);
	/* The low 64 bits decide, since the remainder is less than the divisor. */
	quotient |= quotient * b.significand != (uint64_t)dividend;
	return round_pack(format, sign, a.exponent - b.exponent - (int)below, quotient, rm, fflags);
}

/*
 * One bit of the root at a time, and two more than the format has: `rest` is
 * what the bits of the radicand so far exceed the square of `root` by.
 */
INLINE uint64_t square_root(struct format format, uint64_t a_bits, unsigned rm, uint32_t *fflags)
{
	const unsigned root_bits = format.fraction_bits + 3;
	struct number a = unpack(format, a_bits);
	unsigned odd = (unsigned)a.exponent & 1;
	uint64_t radicand = a.significand >> (1 - odd);
	uint64_t root = 0, rest = 0;

	if (is_nan(a))
		return nan_result(format, a, a, fflags);
	if (a.kind == KIND_ZERO)
		return a_bits;
	if (a.sign)
		return invalid(format, fflags);
	if (a.kind == KIND_INFINITY)
		return a_bits;

	for (unsigned i = 0; i < root_bits; i++) {
		uint64_t step = root << 2 | 1;
		bool fits;

		rest = rest << 2 | radicand >> 62;
		radicand <<= 2;
		fits = rest >= step;
		rest -= step & -(uint64_t)fits;
		root = root << 1 | fits;
	}
	root <<= 64 - root_bits;
	return round_pack(format, false, (a.exponent - (int)odd) / 2, root | (rest != 0), rm,
			  fflags);
}

/* Orders numbers as their values, with -0 just below +0. */
INLINE int64_t order(struct format format, uint64_t bits)
{
	int64_t magnitude = (int64_t)(bits & (sign_bit(format) - 1));

	return bits & sign_bit(format) ? ~magnitude : magnitude;
}

INLINE uint64_t pick(struct format format, uint64_t a_bits, uint64_t b_bits, bool larger,
		     uint32_t *fflags)
{
	struct number a = unpack(format, a_bits);
	struct number b = unpack(format, b_bits);

	if (is_nan(a) || is_nan(b)) {
		uint64_t nan = nan_result(format, a, b, fflags);

		if (is_nan(a) && is_nan(b))
			return nan;
		return is_nan(a) ? b_bits : a_bits;
	}
	return (order(format, a_bits) > order(format, b_bits)) == larger ? a_bits : b_bits;
}

/* True if the operands can be compared; otherwise the answer is no. */
INLINE bool is_ordered(struct format format, uint64_t a_bits, uint64_t b_bits, bool signalling,
		       uint32_t *fflags)
{
	struct number a = unpack(format, a_bits);
	struct number b = unpack(format, b_bits);

	if (!is_nan(a) && !is_nan(b))
		return true;
	nan_result(format, a, b, fflags);
	if (signalling)
		*fflags |= FFLAG_NV;
	return false;
}

INLINE bool both_zero(struct format format, uint64_t a, uint64_t b)
{
	return ((a | b) & ~sign_bit(format)) == 0;
}

INLINE bool equal(struct format format, uint64_t a, uint64_t b, uint32_t *fflags)
{
	return is_ordered(format, a, b, false, fflags) && (a == b || both_zero(format, a, b));
}

INLINE bool less(struct format format, uint64_t a, uint64_t b, uint32_t *fflags)
{
	return is_ordered(format, a, b, true, fflags) && order(format, a) < order(format, b) &&
	       !both_zero(format, a, b);
}

INLINE bool less_or_equal(struct format format, uint64_t a, uint64_t b, uint32_t *fflags)
{
	return is_ordered(format, a, b, true, fflags) &&
	       (order(format, a) <= order(format, b) || both_zero(format, a, b));
}

INLINE uint32_t classify(struct format format, uint64_t bits)
{
	struct number n = unpack(format, bits);
	bool normal = n.exponent > -exponent_bias(format);

	switch (n.kind) {
	case KIND_SIGNALLING_NAN: return 1u << 8;
	case KIND_QUIET_NAN: return 1u << 9;
	case KIND_INFINITY: return 1u << (n.sign ? 0 : 7);
	case KIND_ZERO: return 1u << (n.sign ? 3 : 4);
	case KIND_FINITE: break;
	}
	return 1u << (n.sign ? (normal ? 1 : 2) : (normal ? 6 : 5));
}

/* To an integer of `width` bits, 32 or 64, in two's complement. */
INLINE uint64_t to_integer(struct format format, uint64_t bits, unsigned width, bool is_signed,
			   unsigned rm, uint32_t *fflags)
{
	const uint64_t half = UINT64_C(1) << 63;
	struct number n = unpack(format, bits);
	bool negative = n.sign && !is_nan(n);
	uint64_t limit = UINT64_MAX >> (64 - width);
	uint64_t magnitude;

	if (is_signed)
		limit = (limit >> 1) + negative;
	else if (negative)
		limit = 0;

	if (!is_special(n) && n.exponent <= 63) {
		uint128_t fixed = shift_right_sticky_wide((uint128_t)n.significand << 64,
							  (unsigned)(63 - n.exponent));
		uint64_t rest = (uint64_t)fixed;

		/* No carry out: with all 64 bits in use there is no rest. */
		magnitude = (uint64_t)(fixed >> 64);
		magnitude += rounds_up(rm, negative, magnitude & 1, rest, half);
		if (magnitude <= limit) {
			if (rest != 0)
				*fflags |= FFLAG_NX;
			return negative ? -magnitude : magnitude;
		}
	}
	*fflags |= FFLAG_NV;
	return negative ? -limit : limit;
}

INLINE uint64_t from_integer(struct format format, bool sign, uint64_t magnitude, unsigned rm,
			     uint32_t *fflags)
{
	int shift;

	if (magnitude == 0)
		return 0;
	shift = __builtin_clzll(magnitude);
	return round_pack(format, sign, 63 - shift, magnitude << shift, rm, fflags);
}

INLINE uint64_t convert(struct format to, struct format from, uint64_t bits, unsigned rm,
			uint32_t *fflags)
{
	struct number n = unpack(from, bits);

	if (is_nan(n))
		return nan_result(to, n, n, fflags);
	if (n.kind == KIND_INFINITY)
		return pack_infinity(to, n.sign);
	if (n.kind == KIND_ZERO)
		return pack_zero(to, n.sign);
	return round_pack(to, n.sign, n.exponent, n.significand, rm, fflags);
}

/* A NaN, if there is one, and not the other operand: minimum and maximum of IEEE 754-2019. */
INLINE uint64_t pick_or_nan(struct format format, uint64_t a_bits, uint64_t b_bits, bool larger,
			    uint32_t *fflags)
{
	struct number a = unpack(format, a_bits);
	struct number b = unpack(format, b_bits);

	if (is_nan(a) || is_nan(b))
		return nan_result(format, a, b, fflags);
	return (order(format, a_bits) > order(format, b_bits)) == larger ? a_bits : b_bits;
}

INLINE bool less_quiet(struct format format, uint64_t a, uint64_t b, uint32_t *fflags)
{
	return is_ordered(format, a, b, false, fflags) && order(format, a) < order(format, b) &&
	       !both_zero(format, a, b);
}

INLINE bool less_or_equal_quiet(struct format format, uint64_t a, uint64_t b, uint32_t *fflags)
{
	return is_ordered(format, a, b, false, fflags) &&
	       (order(format, a) <= order(format, b) || both_zero(format, a, b));
}

/* To a whole number of the same format. */
INLINE uint64_t round_to_whole(struct format format, uint64_t bits, unsigned rm, bool tells,
			       uint32_t *fflags)
{
	struct number n = unpack(format, bits);
	uint32_t inexact = 0;
	uint64_t whole, rounded;

	if (is_nan(n))
		return nan_result(format, n, n, fflags);
	/* From 2^fraction_bits on every number is whole. */
	if (n.kind != KIND_FINITE || n.exponent >= (int)format.fraction_bits)
		return bits;
	whole = to_integer(format, bits & ~sign_bit(format), 64, false,
			   n.sign && rm == RM_RDN   ? RM_RUP
			   : n.sign && rm == RM_RUP ? RM_RDN
						    : rm,
			   &inexact);
	rounded = from_integer(format, false, whole, RM_RNE, &inexact);
	if (tells)
		*fflags |= inexact;
	return rounded | (bits & sign_bit(format));
}

/* The constants of fli, but for the second, which is the smallest normal number. */
static const uint32_t constants[32] = {
	0xbf800000, 0,		0x37800000, 0x38000000, 0x3b800000, 0x3c000000, 0x3d800000,
	0x3e000000, 0x3e800000, 0x3ea00000, 0x3ec00000, 0x3ee00000, 0x3f000000, 0x3f200000,
	0x3f400000, 0x3f600000, 0x3f800000, 0x3fa00000, 0x3fc00000, 0x3fe00000, 0x40000000,
	0x40200000, 0x40400000, 0x40800000, 0x41000000, 0x41800000, 0x43000000, 0x43800000,
	0x47000000, 0x47800000, 0x7f800000, 0x7fc00000,
};

INLINE uint64_t constant(struct format format, unsigned number)
{
	uint32_t none = 0;

	if (number == 1)
		return UINT64_C(1) << format.fraction_bits;
	return convert(format, f32_format, constants[number & 31], RM_RNE, &none);
}

#define DEFINE_FORMAT(f, bits_t, sign)                                                 \
	bits_t f##_add(bits_t a, bits_t b, unsigned rm, uint32_t *fflags)              \
	{                                                                              \
		return (bits_t)add(f##_format, a, b, rm, fflags);                      \
	}                                                                              \
                                                                                       \
	bits_t f##_sub(bits_t a, bits_t b, unsigned rm, uint32_t *fflags)              \
	{                                                                              \
		return (bits_t)add(f##_format, a, (bits_t)(b ^ sign), rm, fflags);     \
	}                                                                              \
                                                                                       \
	bits_t f##_mul(bits_t a, bits_t b, unsigned rm, uint32_t *fflags)              \
	{                                                                              \
		return (bits_t)multiply(f##_format, a, b, rm, fflags);                 \
	}                                                                              \
                                                                                       \
	bits_t f##_div(bits_t a, bits_t b, unsigned rm, uint32_t *fflags)              \
	{                                                                              \
		return (bits_t)divide(f##_format, a, b, rm, fflags);                   \
	}                                                                              \
                                                                                       \
	bits_t f##_sqrt(bits_t a, unsigned rm, uint32_t *fflags)                       \
	{                                                                              \
		return (bits_t)square_root(f##_format, a, rm, fflags);                 \
	}                                                                              \
                                                                                       \
	bits_t f##_fma(bits_t a, bits_t b, bits_t c, unsigned rm, uint32_t *fflags)    \
	{                                                                              \
		return (bits_t)fused_multiply_add(f##_format, a, b, c, rm, fflags);    \
	}                                                                              \
                                                                                       \
	bits_t f##_min(bits_t a, bits_t b, uint32_t *fflags)                           \
	{                                                                              \
		return (bits_t)pick(f##_format, a, b, false, fflags);                  \
	}                                                                              \
                                                                                       \
	bits_t f##_max(bits_t a, bits_t b, uint32_t *fflags)                           \
	{                                                                              \
		return (bits_t)pick(f##_format, a, b, true, fflags);                   \
	}                                                                              \
                                                                                       \
	bits_t f##_minimum(bits_t a, bits_t b, uint32_t *fflags)                       \
	{                                                                              \
		return (bits_t)pick_or_nan(f##_format, a, b, false, fflags);           \
	}                                                                              \
                                                                                       \
	bits_t f##_maximum(bits_t a, bits_t b, uint32_t *fflags)                       \
	{                                                                              \
		return (bits_t)pick_or_nan(f##_format, a, b, true, fflags);            \
	}                                                                              \
                                                                                       \
	bool f##_lt_quiet(bits_t a, bits_t b, uint32_t *fflags)                        \
	{                                                                              \
		return less_quiet(f##_format, a, b, fflags);                           \
	}                                                                              \
                                                                                       \
	bool f##_le_quiet(bits_t a, bits_t b, uint32_t *fflags)                        \
	{                                                                              \
		return less_or_equal_quiet(f##_format, a, b, fflags);                  \
	}                                                                              \
                                                                                       \
	bits_t f##_round(bits_t a, unsigned rm, bool tells, uint32_t *fflags)          \
	{                                                                              \
		return (bits_t)round_to_whole(f##_format, a, rm, tells, fflags);       \
	}                                                                              \
                                                                                       \
	bits_t f##_constant(unsigned number)                                           \
	{                                                                              \
		return (bits_t)constant(f##_format, number);                           \
	}                                                                              \
                                                                                       \
	bool f##_eq(bits_t a, bits_t b, uint32_t *fflags)                              \
	{                                                                              \
		return equal(f##_format, a, b, fflags);                                \
	}                                                                              \
                                                                                       \
	bool f##_lt(bits_t a, bits_t b, uint32_t *fflags)                              \
	{                                                                              \
		return less(f##_format, a, b, fflags);                                 \
	}                                                                              \
                                                                                       \
	bool f##_le(bits_t a, bits_t b, uint32_t *fflags)                              \
	{                                                                              \
		return less_or_equal(f##_format, a, b, fflags);                        \
	}                                                                              \
                                                                                       \
	uint32_t f##_class(bits_t a)                                                   \
	{                                                                              \
		return classify(f##_format, a);                                        \
	}                                                                              \
                                                                                       \
	int64_t f##_to_i32(bits_t a, unsigned rm, uint32_t *fflags)                    \
	{                                                                              \
		return (int64_t)to_integer(f##_format, a, 32, true, rm, fflags);       \
	}                                                                              \
                                                                                       \
	uint64_t f##_to_u32(bits_t a, unsigned rm, uint32_t *fflags)                   \
	{                                                                              \
		uint64_t u = to_integer(f##_format, a, 32, false, rm, fflags);         \
                                                                                       \
		return (uint64_t)bits_sign_extend(u, 32);                              \
	}                                                                              \
                                                                                       \
	int64_t f##_to_i64(bits_t a, unsigned rm, uint32_t *fflags)                    \
	{                                                                              \
		return (int64_t)to_integer(f##_format, a, 64, true, rm, fflags);       \
	}                                                                              \
                                                                                       \
	uint64_t f##_to_u64(bits_t a, unsigned rm, uint32_t *fflags)                   \
	{                                                                              \
		return to_integer(f##_format, a, 64, false, rm, fflags);               \
	}                                                                              \
                                                                                       \
	bits_t i64_to_##f(int64_t a, unsigned rm, uint32_t *fflags)                    \
	{                                                                              \
		uint64_t magnitude = a < 0 ? -(uint64_t)a : (uint64_t)a;               \
                                                                                       \
		return (bits_t)from_integer(f##_format, a < 0, magnitude, rm, fflags); \
	}                                                                              \
                                                                                       \
	bits_t u64_to_##f(uint64_t a, unsigned rm, uint32_t *fflags)                   \
	{                                                                              \
		return (bits_t)from_integer(f##_format, false, a, rm, fflags);         \
	}

DEFINE_FORMAT(f16, uint16_t, F16_SIGN)
DEFINE_FORMAT(f32, uint32_t, F32_SIGN)
DEFINE_FORMAT(f64, uint64_t, F64_SIGN)

uint32_t i32_to_f32(int32_t a, unsigned rm, uint32_t *fflags)
{
	return i64_to_f32(a, rm, fflags);
}

uint32_t u32_to_f32(uint32_t a, unsigned rm, uint32_t *fflags)
{
	return u64_to_f32(a, rm, fflags);
}

uint64_t i32_to_f64(int32_t a)
{
	uint32_t none = 0;

	return i64_to_f64(a, RM_RNE, &none);
}

uint64_t u32_to_f64(uint32_t a)
{
	uint32_t none = 0;

	return u64_to_f64(a, RM_RNE, &none);
}

uint64_t f32_to_f64(uint32_t a, uint32_t *fflags)
{
	return convert(f64_format, f32_format, a, RM_RNE, fflags);
}

uint32_t f64_to_f32(uint64_t a, unsigned rm, uint32_t *fflags)
{
	return (uint32_t)convert(f32_format, f64_format, a, rm, fflags);
}

uint32_t f16_to_f32(uint16_t a, uint32_t *fflags)
{
	return (uint32_t)convert(f32_format, f16_format, a, RM_RNE, fflags);
}

uint64_t f16_to_f64(uint16_t a, uint32_t *fflags)
{
	return convert(f64_format, f16_format, a, RM_RNE, fflags);
}

uint16_t f32_to_f16(uint32_t a, unsigned rm, uint32_t *fflags)
{
	return (uint16_t)convert(f16_format, f32_format, a, rm, fflags);
}

uint16_t f64_to_f16(uint64_t a, unsigned rm, uint32_t *fflags)
{
	return (uint16_t)convert(f16_format, f64_format, a, rm, fflags);
}

int64_t f64_to_i32_modular(uint64_t a, uint32_t *fflags)
{
	struct number n = unpack(f64_format, a);
	uint64_t magnitude = 0;

	/* Flags are those of fcvt.w.d. */
	f64_to_i32(a, RM_RTZ, fflags);
	if (n.kind != KIND_FINITE || n.exponent < 0 || n.exponent >= 63 + 32)
		return 0;
	/* Bits from 2^32 on do not matter. */
	magnitude = n.exponent <= 63 ? n.significand >> (63 - n.exponent)
				     : n.significand << (n.exponent - 63);
	return bits_sign_extend(n.sign ? -magnitude : magnitude, 32);
}
