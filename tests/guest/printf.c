/*
 * printf of every conversion, flag and length, with exact digits of floating values.
 */
#include "check.h"
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <wchar.h>

static void integers(void)
{
	static const long long values[] = {0, 1, -1, 42, INT_MAX, INT_MIN, LLONG_MAX, LLONG_MIN};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		long long v = values[i];

		printf("[%lld] [%20lld] [%-20lld] [%020lld] [%+lld] [% lld]\n", v, v, v, v, v, v);
		printf("[%llx] [%#llX] [%llo] [%#llo] [%llu]\n", v, v, v, v, v);
		printf("[%hhd] [%hd] [%d] [%ld] [%jd] [%zd] [%td]\n", (signed char)v, (short)v,
		       (int)v, (long)v, (intmax_t)v, (size_t)v, (ptrdiff_t)v);
		printf("[%.0lld] [%.5lld] [%10.5lld] [%-10.3lldx]\n", v, v, v, v);
	}
	printf("[%*d] [%-*d] [%.*d]\n", 8, 5, 8, 5, 3, 7);
	printf("[%2$d %1$s]\n", "second", 1);
}

static void floats(void)
{
	static const double values[] = {0.0,
					-0.0,
					1.0,
					-1.5,
					0.1,
					1.0 / 3,
					2.5,
					3.5,
					1e15,
					1e16,
					123456789.987654321,
					1e100,
					1e-100,
					DBL_MAX,
					DBL_MIN,
					4.9406564584124654e-324,
					0.5,
					1.5,
					9.9999995,
					999999.5,
					INFINITY,
					-INFINITY};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		double v = values[i];

		printf("[%f] [%e] [%g] [%a]\n", v, v, v, v);
		printf("[%.0f] [%.3f] [%20.10e] [%-20.3g] [%+.17g] [%#.0f] [%G] [%A]\n", v, v, v, v,
		       v, v, v, v);
	}
	printf("[%f] [%F] [%5.1f]\n", fabs(NAN), fabs(NAN), fabs(NAN));
	printf("[%.60f]\n[%.40g]\n", 0.1, M_PI);
	printf("[%Lf] [%Le] [%.35Lg] [%La]\n", 1.0L / 3, LDBL_MAX, 1.0L / 7, LDBL_MIN);
}

static void texts(void)
{
	char small[8];
	int count = -1;

	printf("[%s] [%10s] [%-10s] [%.2s] [%c] [%5c] [%%]\n", "text", "text", "text", "text", 'x',
	       'y');
	printf("[%p] [%ls]\n", (void *)0, L"wide");
	printf("abc%n def\n", &count);
	SHOW(count);
	SHOW(snprintf(small, sizeof(small), "%s", "far too long for it"));
	puts(small);
	SHOW(snprintf(NULL, 0, "%d %s", 12345, "xyz"));
	errno = ENOENT;
	printf("%m\n");
	fprintf(stdout, "%s%c", "through fprintf", '\n');
	dprintf(1, "%s", "");
}

int main(void)
{
	integers();
	floats();
	texts();
	return 0;
}
