/*
 * Rounding modes and exception flags follow every operation, and libm respects them.
 */
#include "check.h"
#include <fenv.h>
#include <float.h>
#include <math.h>

static const struct {
	const char *name;
	int mode;
} modes[] = {{"nearest", FE_TONEAREST},
	     {"up", FE_UPWARD},
	     {"down", FE_DOWNWARD},
	     {"zero", FE_TOWARDZERO}};

static void show(const char *what, double value)
{
	int flags = fetestexcept(FE_ALL_EXCEPT);

	if (isnan(value))
		printf("  %s = nan", what);
	else
		printf("  %s = %a", what, value);
	printf("%s%s%s%s%s\n", flags & FE_INVALID ? " invalid" : "",
	       flags & FE_DIVBYZERO ? " divbyzero" : "", flags & FE_OVERFLOW ? " overflow" : "",
	       flags & FE_UNDERFLOW ? " underflow" : "", flags & FE_INEXACT ? " inexact" : "");
	feclearexcept(FE_ALL_EXCEPT);
}

#define DO(expr)                                 \
	do {                                     \
		feclearexcept(FE_ALL_EXCEPT);    \
		volatile double result = (expr); \
		show(#expr, result);             \
	} while (0)

int main(void)
{
	volatile double one = 1, three = 3, zero = 0, big = DBL_MAX, tiny = DBL_MIN, half = 2.5,
			inf = INFINITY, quiet = NAN, minus = -1, odd = 0.1;
	volatile float f = 1.1f;
	fenv_t saved;

	for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++) {
		SHOW(fesetround(modes[m].mode));
		TRUTH(fegetround() == modes[m].mode);
		puts(modes[m].name);
		DO(one / three);
		DO(-one / three);
		DO(odd + odd * three);
		DO(one - one);
		DO(big * three);
		DO(-big * three);
		DO(tiny / three);
		DO(one / zero);
		DO(zero / zero);
		DO(inf - inf);
		DO(sqrt(three));
		DO(sqrt(minus));
		DO(rint(half));
		DO(nearbyint(-half));
		DO(lrint(half + odd));
		DO(fma(odd, three, -0.3));
		DO(f * 3.3f);
		DO((float)odd);
		DO((float)1e-46);
		DO((int)(half * 1.3));
		DO(lrint(1e30));
		DO((double)INT64_MAX);
		DO((double)(uint64_t)(INT64_MAX - 1));
		DO(quiet < one);
		DO(quiet == one);
		DO(fmin(quiet, one));
		DO(fmax(-zero, zero));
		DO(fmin(zero, -zero));
		DO(exp(one));
		DO(sin(three));
		DO(pow(odd, three));
		DO(strtod("0.1", NULL));
		printf("%.3f %.0f %.5e\n", odd, half, one / three);
	}
	fesetround(FE_TONEAREST);
	feclearexcept(FE_ALL_EXCEPT);
	feraiseexcept(FE_INVALID | FE_INEXACT);
	SHOW(feholdexcept(&saved));
	SHOW(fetestexcept(FE_ALL_EXCEPT));
	feraiseexcept(FE_OVERFLOW);
	SHOW(feupdateenv(&saved));
	SHOW(fetestexcept(FE_ALL_EXCEPT));
	return 0;
}
