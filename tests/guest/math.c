/*
 * libm gives the same bits over many points, in double, float and long double.
 */
#include "check.h"
#include <complex.h>
#include <math.h>

struct function {
	const char *name;
	double (*call)(double);
	double low, high;
};

static const struct function functions[] = {
	{"sin", sin, -100, 100},
	{"cos", cos, -100, 100},
	{"tan", tan, -50, 50},
	{"asin", asin, -1.1, 1.1},
	{"acos", acos, -1.1, 1.1},
	{"atan", atan, -50, 50},
	{"sinh", sinh, -20, 20},
	{"cosh", cosh, -20, 20},
	{"tanh", tanh, -20, 20},
	{"exp", exp, -750, 720},
	{"exp2", exp2, -1080, 1030},
	{"expm1", expm1, -50, 50},
	{"log", log, -1, 1000},
	{"log2", log2, 0, 1e300},
	{"log10", log10, 0, 1e10},
	{"log1p", log1p, -1.1, 100},
	{"sqrt", sqrt, -1, 1e20},
	{"cbrt", cbrt, -1e6, 1e6},
	{"erf", erf, -6, 6},
	{"erfc", erfc, -6, 30},
	{"lgamma", lgamma, -20, 170},
	{"tgamma", tgamma, -20, 172},
	{"floor", floor, -9, 9},
	{"ceil", ceil, -9, 9},
	{"round", round, -9, 9},
	{"trunc", trunc, -9, 9},
	{"rint", rint, -9, 9},
	{"nearbyint", nearbyint, -9, 9},
	{"j0", j0, 0, 50},
	{"asinh", asinh, -1e5, 1e5},
	{"acosh", acosh, 0.5, 1e5},
	{"atanh", atanh, -1.1, 1.1},
	{"logb", logb, -1e5, 1e5},
	{"big sin", sin, -1e18, 1e18},
};

static uint64_t add(uint64_t digest, double value)
{
	if (isnan(value))
		return check_digest(digest, "nan", 3);
	return check_digest(digest, &value, sizeof(value));
}

static void two_arguments(void)
{
	uint64_t digest = DIGEST_START;

	for (int i = -40; i <= 40; i++) {
		for (int j = -40; j <= 40; j++) {
			double x = i * 0.37, y = j * 0.81;
			int quotient = 0;

			digest = add(digest, pow(fabs(x), y));
			digest = add(digest, pow(x, (double)j));
			digest = add(digest, atan2(y, x));
			digest = add(digest, hypot(x, y));
			digest = add(digest, fmod(x, y));
			digest = add(digest, remainder(x, y));
			digest = add(digest, remquo(x, y, &quotient));
			digest = add(digest, fma(x, y, 0.1));
			digest = add(digest, fmin(x, y) + 2 * fmax(x, y));
			digest = add(digest, copysign(x, y));
			digest = add(digest, nextafter(x, y));
			digest = add(digest, ldexp(x, j));
			digest = add(digest, quotient);
		}
	}
	printf("two arguments %016llx\n", (unsigned long long)digest);
}

static void other_widths(void)
{
	uint64_t digest = DIGEST_START;
	long double l = 0.1L;

	for (int i = 1; i < 800; i++) {
		float x = (float)i * 0.173f;
		float results[] = {sinf(x),  cosf(x), expf(x * 0.1f), logf(x),	     powf(x, 1.3f),
				   sqrtf(x), tanf(x), cbrtf(x),	      fmodf(x, 1.7f)};

		digest = check_digest(digest, results, sizeof(results));
	}
	printf("float %016llx\n", (unsigned long long)digest);
	for (int i = 0; i < 60; i++) {
		l = sinl(l) + expl(-l) * 1.5L + sqrtl(l) / 3;
		digest = check_digest(digest, &l, sizeof(l));
	}
	printf("long double %.34Lg %016llx\n", l, (unsigned long long)digest);
	double complex z = cexp(1.0 + 2.0 * I) * csqrt(-3.0 + 1.0 * I);

	printf("complex %.17g %.17g\n", creal(z), cimag(z));
}

int main(void)
{
	for (size_t f = 0; f < sizeof(functions) / sizeof(functions[0]); f++) {
		const struct function *fn = &functions[f];
		uint64_t digest = DIGEST_START;
		double step = (fn->high - fn->low) / 397;

		for (int i = 0; i <= 397; i++)
			digest = add(digest, fn->call(fn->low + i * step));
		printf("%s %016llx\n", fn->name, (unsigned long long)digest);
	}
	two_arguments();
	other_widths();
	return 0;
}
