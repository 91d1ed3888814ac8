/*
 * Decimal and binary floating point convert into each other without losing a bit.
 */
#include "check.h"
#include <float.h>
#include <math.h>

static uint64_t state = 88172645463325252u;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

int main(void)
{
	static const char *const texts[] = {"0",
					    "-0",
					    "1e308",
					    "1e309",
					    "1e-400",
					    "4.9e-324",
					    "2.4703282292062327e-324",
					    "2.4703282292062328e-324",
					    "0x1.fffffffffffffp1023",
					    "0x1p-1074",
					    "9007199254740993",
					    "9007199254740992.99999999999999999999999",
					    "123456789012345678901234567890",
					    "nan(123)",
					    "-infinity",
					    "1.7976931348623158e308",
					    "1.7976931348623159e308",
					    ".5",
					    "5.",
					    "1e",
					    "e1",
					    "0.1e-2x"};
	uint64_t digest = DIGEST_START;
	char text[64], *end;
	int lost = 0;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		errno = 0;
		double d = strtod(texts[i], &end);
		int error = errno;
		float f = strtof(texts[i], NULL);
		long double l = strtold(texts[i], NULL);

		printf("%s: %a %a %La rest <%s> errno %d\n", texts[i], isnan(d) ? 0.0 : d,
		       isnan(f) ? 0.0 : (double)f, isnan(l) ? 0.0L : l, end, error);
	}
	for (int i = 0; i < 3000; i++) {
		union {
			uint64_t bits;
			double value;
		} x = {next()}, y;
		union {
			uint32_t bits;
			float value;
		} s, t;

		if (isnan(x.value))
			continue;
		snprintf(text, sizeof(text), "%.17g", x.value);
		y.value = strtod(text, NULL);
		lost += x.bits != y.bits;
		digest = check_digest(digest, text, strlen(text));
		s.value = (float)x.value;
		snprintf(text, sizeof(text), "%.9g", (double)s.value);
		t.value = strtof(text, NULL);
		lost += s.bits != t.bits;
		snprintf(text, sizeof(text), "%.6e %g", x.value, x.value);
		digest = check_digest(digest, text, strlen(text));
	}
	SHOW(lost);
	printf("%016llx\n", (unsigned long long)digest);
	return 0;
}
