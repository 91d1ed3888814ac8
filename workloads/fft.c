/*
 * fft - stands for SPEC CPU2000 189.lucas: Lucas-Lehmer iterations, whose
 * whole cost is squaring a huge number modulo 2^p - 1 by a floating-point
 * FFT.
 *
 * As in lucas the number lies in an array of doubles in a variable base, the
 * digits are multiplied by irrational weights so that a cyclic convolution
 * reduces modulo 2^p - 1 by itself (Crandall and Fagin, 1994), a real FFT is
 * done as a complex one of half the length, and a final pass rounds, carries
 * and renormalises. Every one of the FFT's passes streams the whole array,
 * with strides that halve from half the array downwards and powers of two
 * that collide in the cache; the tables of roots and weights are streamed
 * beside it. Straight-line floating point, hardly a branch to mispredict.
 *
 * Checked: p is chosen so that 2^p - 1 has the small factor q = 2p + 1, and
 * the number modulo q, which plain integer arithmetic can follow, must agree
 * after every iteration; besides, the rounding error must stay small.
 */
#include <math.h>
#include "workload.h"

struct complex {
	double re, im;
};

struct transform {
	int bits;	      /* log2 of the complex length */
	int length;	      /* complex points */
	struct complex *root; /* root[k] = exp(-2 pi i k / (2 length)), k < length */
};

/* A number modulo 2^exponent - 1: digits of alternating width, each near [-base/2, base/2). */
struct number {
	int exponent;
	int digits; /* 2 * transform length */
	double *digit;
	double *weight;
	double *unweight; /* 1 / (weight * transform length) */
	unsigned char *width;
};

struct plan {
	int bits, iterations;
};

static const struct plan plans[] = {
	[SIZE_TEST] = {10, 2},
	[SIZE_SMALL] = {14, 3},
	[SIZE_REF] = {17, 6},
};

static struct complex complex_multiply(struct complex a, struct complex b)
{
	return (struct complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static struct complex complex_conjugate(struct complex a)
{
	return (struct complex){a.re, -a.im};
}

/*
 * Roots by half-angle formulas and products of at most `bits` of them, which
 * keeps the error near the last digit without any libm.
 */
static void transform_init(struct transform *t, int bits)
{
	struct complex power = {0.0, -1.0}; /* exp(-2 pi i / 4) */

	t->bits = bits;
	t->length = 1 << bits;
	t->root = workload_alloc((size_t)t->length * sizeof(*t->root));
	t->root[0] = (struct complex){1.0, 0.0};
	for (int span = t->length / 2; span > 0; span /= 2) {
		double half_sine;

		for (int k = 0; k < t->length; k += 2 * span)
			t->root[k + span] = complex_multiply(t->root[k], power);
		/* sin(x / 2) without cancellation: sin(x) / (2 cos(x / 2)). */
		half_sine = power.im / (2.0 * sqrt((1.0 + power.re) / 2.0));
		power.re = sqrt((1.0 + power.re) / 2.0);
		power.im = half_sine;
	}
}

/* Decimation in frequency: natural order in, bit-reversed order out. */
static __attribute__((noinline)) void transform_forward(const struct transform *t,
							struct complex *z)
{
	for (int half = t->length / 2, stride = 2; half > 0; half /= 2, stride *= 2)
		for (int block = 0; block < t->length; block += 2 * half) {
			struct complex *a = z + block, *b = a + half;
			const struct complex *root = t->root;

			for (int k = 0; k < half; k++, root += stride) {
				struct complex low = a[k], high = b[k], d;

				a[k].re = low.re + high.re;
				a[k].im = low.im + high.im;
				d.re = low.re - high.re;
				d.im = low.im - high.im;
				b[k] = complex_multiply(d, *root);
			}
		}
}

/* Decimation in time with conjugate roots: undoes transform_forward, times the length. */
static __attribute__((noinline)) void transform_backward(const struct transform *t,
							 struct complex *z)
{
	for (int half = 1, stride = t->length; half < t->length; half *= 2, stride /= 2)
		for (int block = 0; block < t->length; block += 2 * half) {
			struct complex *a = z + block, *b = a + half;
			const struct complex *root = t->root;

			for (int k = 0; k < half; k++, root += stride) {
				struct complex low = a[k];
				struct complex high =
					complex_multiply(b[k], complex_conjugate(*root));

				a[k].re = low.re + high.re;
				a[k].im = low.im + high.im;
				b[k].re = low.re - high.re;
				b[k].im = low.im - high.im;
			}
		}
}

static int bit_reverse(int value, int bits)
{
	int reversed = 0;

	for (int i = 0; i < bits; i++) {
		reversed = reversed << 1 | (value & 1);
		value >>= 1;
	}
	return reversed;
}

/*
 * Splits one pair of half-length frequencies into those of the real sequence,
 * squares them, and joins them again. `root` is exp(-2 pi i k / 2N) for the
 * first of the pair.
 */
static void square_pair(struct complex *first, struct complex *second, struct complex root)
{
	struct complex a = *first, b = complex_conjugate(*second);
	struct complex even = {0.5 * (a.re + b.re), 0.5 * (a.im + b.im)};
	struct complex odd = {0.5 * (a.im - b.im), -0.5 * (a.re - b.re)};
	struct complex turned = complex_multiply(odd, root);
	struct complex x = {even.re + turned.re, even.im + turned.im};
	struct complex y = {even.re - turned.re, even.im - turned.im};
	struct complex sum, difference;

	x = complex_multiply(x, x);
	y = complex_multiply(y, y);
	sum = (struct complex){0.5 * (x.re + y.re), 0.5 * (x.im + y.im)};
	difference = (struct complex){0.5 * (x.re - y.re), 0.5 * (x.im - y.im)};
	difference = complex_multiply(difference, complex_conjugate(root));
	*first = (struct complex){sum.re - difference.im, sum.im + difference.re};
	*second = (struct complex){sum.re + difference.im, difference.re - sum.im};
}

/*
 * In bit-reversed order the partner of frequency k, which is N - k, mirrors it
 * within its block [2^m, 2^(m+1)), so the pairs close in from both ends.
 */
static __attribute__((noinline)) void square_spectrum(const struct transform *t, struct complex *z)
{
	double zero = z[0].re, middle = z[0].im;
	struct complex quarter = z[1];

	/* Frequencies 0 and N of the real sequence are real and share the first point. */
	double sum = (zero + middle) * (zero + middle);
	double difference = (zero - middle) * (zero - middle);

	z[0] = (struct complex){0.5 * (sum + difference), 0.5 * (sum - difference)};
	z[1] = complex_multiply(quarter, quarter);
	for (int block = 2; block < t->length; block *= 2)
		for (int i = block, j = 2 * block - 1; i < j; i++, j--)
			square_pair(&z[i], &z[j], t->root[bit_reverse(i, t->bits)]);
}

/* Weights 2^(r/n) come from products of two short tables made with square roots only. */
static void number_make_weights(struct number *x)
{
	int half = 0, low_size;
	double *high, *low, step = 2.0;
	uint32_t mask = (uint32_t)x->digits - 1;

	while (1 << (2 * half) < x->digits)
		half++;
	low_size = 1 << half;
	high = workload_alloc((size_t)(x->digits / low_size) * sizeof(*high));
	low = workload_alloc((size_t)low_size * sizeof(*low));
	high[0] = low[0] = 1.0;
	for (int span = x->digits / 2; span > 0; span /= 2) {
		step = sqrt(step); /* 2^(span / digits) */
		if (span >= low_size)
			for (int k = 0; k < x->digits; k += 2 * span)
				high[(k + span) / low_size] = high[k / low_size] * step;
		else
			for (int k = 0; k < low_size; k += 2 * span)
				low[k + span] = low[k] * step;
	}
	for (int j = 0; j < x->digits; j++) {
		uint64_t bits = (uint64_t)j * (uint32_t)x->exponent;
		uint32_t r = -(uint32_t)bits & mask;
		uint64_t begin = (bits + mask) / (mask + 1);
		uint64_t end = (bits + (uint32_t)x->exponent + mask) / (mask + 1);

		x->weight[j] = high[r / (uint32_t)low_size] * low[r % (uint32_t)low_size];
		x->unweight[j] = 2.0 / (x->weight[j] * x->digits);
		x->width[j] = (unsigned char)(end - begin);
	}
	free(high);
	free(low);
}

static void number_init(struct number *x, struct workload *w, int exponent, int digits)
{
	x->exponent = exponent;
	x->digits = digits;
	x->digit = workload_alloc((size_t)digits * sizeof(*x->digit));
	x->weight = workload_alloc((size_t)digits * sizeof(*x->weight));
	x->unweight = workload_alloc((size_t)digits * sizeof(*x->unweight));
	x->width = workload_alloc((size_t)digits);
	number_make_weights(x);
	for (int j = 0; j < digits; j++) {
		int base = 1 << x->width[j];

		x->digit[j] = (int)(workload_random(w) >> 40 & (uint32_t)(base - 1)) - base / 2;
	}
}

static void number_release(struct number *x)
{
	free(x->digit);
	free(x->weight);
	free(x->unweight);
	free(x->width);
}

static uint64_t power_modulo(uint64_t base, uint64_t exponent, uint64_t q)
{
	uint64_t result = 1;

	for (; exponent; exponent >>= 1) {
		if (exponent & 1)
			result = result * base % q;
		base = base * base % q;
	}
	return result;
}

static uint64_t number_modulo(const struct number *x, uint64_t q)
{
	uint64_t result = 0;

	for (int j = x->digits - 1; j >= 0; j--) {
		int64_t value = (int64_t)(result << x->width[j]) + (int64_t)x->digit[j];

		value %= (int64_t)q;
		result = (uint64_t)(value < 0 ? value + (int64_t)q : value);
	}
	return result;
}

static void number_weigh(struct number *x)
{
	for (int j = 0; j < x->digits; j++)
		x->digit[j] *= x->weight[j];
}

/* Adding and taking away 1.5 * 2^52 rounds to nearest without a library call. */
static double round_nearest(double value)
{
	const double magic = 6755399441055744.0;

	return (value + magic) - magic;
}

/*
 * Takes the weights off, rounds, and carries into balanced digits; the carry
 * out of the top digit re-enters at the bottom because 2^p = 1. Returns the
 * largest distance from an integer seen.
 */
static __attribute__((noinline)) double number_carry(struct number *x, double carry)
{
	double worst = 0.0;

	for (int j = 0; j < x->digits; j++) {
		double exact = x->digit[j] * x->unweight[j];
		double value = round_nearest(exact);
		double error = fabs(exact - value);
		double base = (double)(1 << x->width[j]);

		if (error > worst)
			worst = error;
		value += carry;
		carry = round_nearest(value / base);
		x->digit[j] = value - carry * base;
	}
	for (int j = 0; carry != 0.0; j = j + 1 < x->digits ? j + 1 : 0) {
		double base = (double)(1 << x->width[j]);
		double value = x->digit[j] + carry;

		carry = round_nearest(value / base);
		x->digit[j] = value - carry * base;
	}
	return worst;
}

/* x = x^2 - 2; returns the rounding error. */
static double number_lucas_step(struct number *x, const struct transform *t)
{
	struct complex *z = (struct complex *)x->digit;

	number_weigh(x);
	transform_forward(t, z);
	square_spectrum(t, z);
	transform_backward(t, z);
	return number_carry(x, -2.0);
}

/* The first p from a seeded start for which 2p + 1 divides 2^p - 1. */
static int choose_exponent(struct workload *w, int digits)
{
	int p = digits * 17 + (int)workload_below(w, (uint32_t)digits / 2);

	for (p |= 3;; p += 4)
		if (power_modulo(2, (uint64_t)p, 2 * (uint64_t)p + 1) == 1)
			return p;
}

int main(int argc, char **argv)
{
	struct workload w = workload_begin("fft", argc, argv);
	const struct plan *plan = &plans[w.size];
	struct transform t;
	struct number x;
	uint64_t q, residue;

	transform_init(&t, plan->bits);
	number_init(&x, &w, choose_exponent(&w, 2 * t.length), 2 * t.length);
	q = 2 * (uint64_t)x.exponent + 1;
	residue = number_modulo(&x, q);
	workload_digest(&w, q);
	for (int i = 0; i < plan->iterations; i++) {
		double error = number_lucas_step(&x, &t);

		workload_check(&w, error < 0.4, "digits come out near integers");
		residue = (residue * residue + q - 2) % q;
		workload_check(&w, number_modulo(&x, q) == residue,
			       "number agrees with integer arithmetic modulo 2p + 1");
		workload_digest(&w, residue);
	}
	for (int j = 0; j < 64; j++)
		workload_digest(&w, (uint64_t)(int64_t)x.digit[j]);
	number_release(&x);
	free(t.root);
	return workload_end(&w);
}
