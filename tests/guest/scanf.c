/*
 * scanf and the strto functions read numbers, words and sets, and stop where they must.
 *
 * stdin: 12 -34 0x1f 077 3.25 1e3 nan inf word [set]rest x\n   last 99 bad\nremaining line\n
 */
#include "check.h"
#include <limits.h>

static void conversions(void)
{
	static const char *const texts[] = {"0",
					    "  +17 ",
					    "-9223372036854775809",
					    "18446744073709551616",
					    "0x",
					    "0x7fffffffffffffffz",
					    "zz",
					    "",
					    "0777",
					    "99999999999"};
	char *end;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		for (int base = 0; base <= 36; base += 8) {
			if (base == 0 || base > 1) {
				errno = 0;
				long v = strtol(texts[i], &end, base);

				printf("strtol <%s> base %d: %ld rest <%s> errno %d\n", texts[i],
				       base, v, end, errno);
			}
		}
		errno = 0;
		printf("strtoul %lu errno %d\n", strtoul(texts[i], NULL, 0), errno);
	}
	SHOW(atoi("  -12abc"));
	SHOW(atoll("123456789012345"));
}

int main(void)
{
	int a, b, i, o, n = -1, last;
	double d, e, f, g;
	char word[16], set[16], c;

	SHOW(scanf("%d %d %i %i", &a, &b, &i, &o));
	printf("%d %d %d %d\n", a, b, i, o);
	SHOW(scanf("%lf %lf %lf %lf", &d, &e, &f, &g));
	printf("%.17g %.17g %d %.17g\n", d, e, f != f, g);
	SHOW(scanf("%15s [%15[a-z]]%n%*s %c", word, set, &n, &c));
	printf("<%s> <%s> %d <%c>\n", word, set, n, c);
	SHOW(scanf(" last %d", &last));
	SHOW(last);
	SHOW(scanf("%d", &last));
	SHOW(scanf("%3s", word));
	puts(word);
	SHOW(getchar());
	SHOW(scanf("%*[^\n]"));
	SHOW(getchar());
	SHOW(scanf("%d", &a));
	SHOW(sscanf("10:20:30", "%d:%d:%d", &a, &b, &i));
	SHOW(a + b + i);
	SHOW(sscanf("7fffffff", "%x", (unsigned *)&a));
	SHOW(a);
	conversions();
	return 0;
}
