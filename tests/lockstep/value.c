#include "value.h"

#include "base/array.h"
#include "base/err.h"

/* The shape of an IEEE 754 binary format. */
struct shape {
	unsigned exponent_bits;
	unsigned fraction_bits;
};

static const struct shape shape_single = {8, 23};
static const struct shape shape_double = {11, 52};

/* As in builder.h: one draw in an expression, since their order is not C's business. */
static uint64_t below(struct value_source *source, uint64_t bound)
{
	return rng_below(source->rng, bound);
}

uint64_t value_integer(struct value_source *source)
{
	static const uint64_t special[] = {
		0,
		1,
		UINT64_MAX,
		UINT64_C(1) << 63,
		(UINT64_C(1) << 63) - 1,
		UINT64_C(0xffffffff80000000),
		0x80000000,
		0x7fffffff,
		0xffffffff,
		UINT64_C(0x100000000),
		UINT64_C(0x7fffffff00000000),
		UINT64_C(0x8000000080000000),
		0x7fff,
		0x8000,
		0xffff,
		0x7f,
		0x80,
		0xff,
	};
	uint64_t word = rng_next(source->rng);

	switch (below(source, 9)) {
	case 0:
	case 1: return special[below(source, ARRAY_COUNT(special))];
	case 2: return (UINT64_C(1) << (word & 63)) + below(source, 3) - 1;
	case 3: return -(UINT64_C(1) << (word & 63)) + below(source, 3) - 1;
	case 4: return below(source, 130) - 65;
	case 5:
		/* Few bits set: the half-way cases of int to float conversion. */
		return UINT64_C(1) << (word & 63) | UINT64_C(1) << (word >> 8 & 63) |
		       (word >> 16 & 1) << (word >> 20 & 63);
	case 6: return (uint64_t)(int64_t)(int32_t)word;
	case 7: return word & 0xffffffff;
	default: return word;
	}
}

static uint64_t fraction(struct value_source *source, unsigned bits)
{
	uint64_t all = (UINT64_C(1) << bits) - 1;
	uint64_t word = rng_next(source->rng);
	uint64_t bit = UINT64_C(1) << below(source, bits);

	switch (below(source, 9)) {
	case 0: return 0;
	case 1: return all;
	case 2: return bit;
	case 3: return below(source, 4);
	case 4: return all - below(source, 4);
	case 5: return all & ~(bit - 1);
	case 6: return (word & all) >> (bits / 2) << (bits / 2);
	case 7: return bit | below(source, 2);
	default: return word & all;
	}
}

static uint64_t assemble(const struct shape *shape, uint64_t sign, int64_t exponent, uint64_t frac)
{
	int64_t top = (INT64_C(1) << shape->exponent_bits) - 1;

	if (exponent < 0)
		exponent = 0;
	if (exponent >= top)
		exponent = top - 1;
	return sign << (shape->exponent_bits + shape->fraction_bits) |
	       (uint64_t)exponent << shape->fraction_bits | frac;
}

/* A whole number of at most 66 bits, or one with a half or a quarter: the
 * limits and roundings of conversion to integers. */
static uint64_t near_integer(struct value_source *source, const struct shape *shape)
{
	static const int limits[] = {7, 8, 15, 16, 24, 31, 32, 53, 62, 63, 64};
	int64_t bias = (INT64_C(1) << (shape->exponent_bits - 1)) - 1;
	uint64_t sign = below(source, 2);
	unsigned bits = shape->fraction_bits;

	if (below(source, 2)) {
		int power = limits[below(source, ARRAY_COUNT(limits))];
		uint64_t all = (UINT64_C(1) << bits) - 1;

		switch (below(source, 4)) {
		case 0: return assemble(shape, sign, bias + power, 0);
		case 1: return assemble(shape, sign, bias + power - 1, all - below(source, 3));
		case 2: return assemble(shape, sign, bias + power, 1 + below(source, 3));
		default:
			/* The limit minus a half, if the format can hold it. */
			if ((unsigned)power + 1 > bits)
				return assemble(shape, sign, bias + power - 1, all);
			return assemble(shape, sign, bias + power - 1,
					all & ~((UINT64_C(1) << (bits - (unsigned)power)) - 1));
		}
	}
	int power = (int)below(source, 8) - 2;
	unsigned kept = (unsigned)(power + 2);
	uint64_t frac = kept ? below(source, UINT64_C(1) << kept) << (bits - kept) : 0;

	return assemble(shape, sign, bias + power, frac);
}

static uint64_t special(struct value_source *source, const struct shape *shape)
{
	unsigned bits = shape->fraction_bits;
	uint64_t all = (UINT64_C(1) << bits) - 1;
	uint64_t quiet = UINT64_C(1) << (bits - 1);
	uint64_t exponents = (UINT64_C(1) << shape->exponent_bits) - 1;
	uint64_t infinity = exponents << bits;
	uint64_t one = exponents >> 1 << bits;
	uint64_t sign = below(source, 2) << (shape->exponent_bits + bits);

	switch (below(source, 15)) {
	case 0:
	case 1:
	case 13: return sign;
	case 14: return sign | infinity;
	case 2: return sign | infinity;
	case 3: return infinity | quiet;
	case 4: return sign | infinity | quiet | fraction(source, bits - 1);
	case 5: return sign | infinity | 1;
	case 6: return sign | infinity | (fraction(source, bits - 1) & ~UINT64_C(1)) | 2;
	case 7: return sign | 1;
	case 8: return sign | all;
	case 9: return sign | UINT64_C(1) << bits;
	case 10: return sign | (infinity - 1);
	case 11: return sign | one;
	default: return sign | (one + 1 - 2 * below(source, 2));
	}
}

/* A fraction next to a power of two: products of two of these lie within a
 * fraction of the last place of one. */
static uint64_t edge_fraction(struct value_source *source, unsigned bits)
{
	uint64_t near = below(source, 2);

	return below(source, 2) ? near : (UINT64_C(1) << bits) - 1 - near;
}

/* One factor is near 1, the other near the limit. */
static uint64_t near_limit(struct value_source *source, const struct shape *shape, int64_t limit)
{
	int64_t bias = (INT64_C(1) << (shape->exponent_bits - 1)) - 1;
	int64_t exponent = (int64_t)below(source, 2) - 1;
	uint64_t sign = below(source, 2);

	exponent += below(source, 2) ? bias : limit;
	return assemble(shape, sign, exponent, edge_fraction(source, shape->fraction_bits));
}

/* (1 + 2^-i)(1 + 2^-j) is half way when i + j is the number of digits; a third
 * operand far below decides which way it goes. */
static uint64_t half_way(struct value_source *source, const struct shape *shape)
{
	int64_t bias = (INT64_C(1) << (shape->exponent_bits - 1)) - 1;
	unsigned bits = shape->fraction_bits;
	uint64_t sign = below(source, 2);
	uint64_t middle = UINT64_C(1) << (bits / 2 - (bits % 2 ? 0 : below(source, 2)));
	int64_t far = bias - (int64_t)bits - 1;

	switch (below(source, 9)) {
	case 0: return assemble(shape, sign, bias, below(source, 3));
	case 1: return assemble(shape, sign, far + (int64_t)below(source, 3) - 1, 0);
	case 2: return assemble(shape, sign, far, edge_fraction(source, bits));
	case 3:
	case 4: return assemble(shape, sign, far - (int64_t)below(source, 60), 0);
	default: return assemble(shape, sign, bias + (int64_t)below(source, 2), middle);
	}
}

static uint64_t family_shape(struct value_source *source, const struct shape *shape,
			     enum value_family family)
{
	switch (family) {
	case FAMILY_SPECIAL: return special(source, shape);
	case FAMILY_TINY: return near_limit(source, shape, 1);
	case FAMILY_HUGE: return near_limit(source, shape, (1 << shape->exponent_bits) - 2);
	case FAMILY_HALF_WAY: return half_way(source, shape);
	case FAMILY_INTEGER: return near_integer(source, shape);
	case FAMILY_MIXED:
	case FAMILY_COUNT: break;
	}
	BUG("no family of numbers");
}

uint64_t value_family_double(struct value_source *source, enum value_family family)
{
	return family_shape(source, &shape_double, family);
}

uint16_t value_family_half(struct value_source *source, enum value_family family)
{
	static const struct shape shape_half = {.exponent_bits = 5, .fraction_bits = 10};

	return (uint16_t)family_shape(source, &shape_half, family);
}

uint32_t value_family_single(struct value_source *source, enum value_family family)
{
	return (uint32_t)family_shape(source, &shape_single, family);
}

static uint64_t value_shape(struct value_source *source, const struct shape *shape)
{
	int64_t bias = (INT64_C(1) << (shape->exponent_bits - 1)) - 1;
	int64_t top = (INT64_C(1) << shape->exponent_bits) - 1;
	int64_t digits = shape->fraction_bits;
	uint64_t sign = below(source, 2);
	uint64_t word = rng_next(source->rng);
	int64_t way = below(source, 2) ? 1 : -1;
	int64_t exponent;

	if (source->family != FAMILY_MIXED && below(source, 4))
		return family_shape(source, shape, source->family);
	switch (below(source, 14)) {
	case 0:
	case 1: return special(source, shape);
	case 2:
	case 3: return near_integer(source, shape);
	case 4: exponent = (int64_t)below(source, 3); break;
	case 5: exponent = top - 1 - (int64_t)below(source, 3); break;
	case 6: exponent = bias + way * (digits + (int64_t)below(source, 4)); break;
	case 7: exponent = (int64_t)below(source, 2 * (uint64_t)digits); break;
	case 8: exponent = bias / 2 + (int64_t)below(source, 5) - 2; break;
	case 9: return word & ((UINT64_C(1) << (shape->exponent_bits + digits) << 1) - 1);
	default: exponent = bias + source->cluster + (int64_t)below(source, 7) - 3; break;
	}
	return assemble(shape, sign, exponent, fraction(source, shape->fraction_bits));
}

uint64_t value_double(struct value_source *source)
{
	/* Doubles at the edges of the single format, for fcvt.s.d. */
	if (!below(source, 8)) {
		uint64_t kept = fraction(source, 24) << 28;
		uint64_t lost = fraction(source, 28);
		uint64_t shift = below(source, 28);
		int64_t exponent = below(source, 2) ? 1023 + 127 - (int64_t)below(source, 2)
						    : 1023 - 126 - (int64_t)below(source, 26);

		return assemble(&shape_double, below(source, 2), exponent, kept | lost >> shift);
	}
	return value_shape(source, &shape_double);
}

uint32_t value_single(struct value_source *source)
{
	return (uint32_t)value_shape(source, &shape_single);
}

uint64_t value_float_register(struct value_source *source)
{
	uint64_t boxed = UINT64_C(0xffffffff00000000);
	uint64_t choice = below(source, 20);
	uint64_t flipped = UINT64_C(1) << (32 + below(source, 32));

	if (choice < 9)
		return value_double(source);
	if (choice < 18)
		return boxed | value_single(source);
	if (choice == 18)
		return (boxed ^ flipped) | value_single(source);
	return value_single(source);
}

uint64_t value_memory_word(struct value_source *source)
{
	uint64_t low = value_single(source);

	switch (below(source, 3)) {
	case 0: return value_integer(source);
	case 1: return value_double(source);
	default: return (uint64_t)value_single(source) << 32 | low;
	}
}
