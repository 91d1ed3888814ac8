/*
 * The C locale, wide characters, multibyte conversion, getopt, regular expressions, globbing.
 */
#include "check.h"
#include <fnmatch.h>
#include <getopt.h>
#include <langinfo.h>
#include <libgen.h>
#include <locale.h>
#include <regex.h>
#include <wchar.h>
#include <wctype.h>

static void options(void)
{
	char *words[] = {"program", "-a", "--long=value", "-b", "argument", "rest", NULL};
	static const struct option longs[] = {{"long", required_argument, NULL, 'l'},
					      {NULL, 0, NULL, 0}};
	int c;

	optind = 1;
	while ((c = getopt_long(6, words, "ab:", longs, NULL)) != -1)
		printf("option %c <%s>\n", c, optarg ? optarg : "");
	printf("rest <%s>\n", words[optind]);
}

static void expressions(void)
{
	regex_t regex;
	regmatch_t match[3];

	SHOW(regcomp(&regex, "([a-z]+)@([a-z.]+)", REG_EXTENDED));
	SHOW(regexec(&regex, "mail to someone@example.org now", 3, match, 0));
	printf("%d-%d %d-%d\n", (int)match[1].rm_so, (int)match[1].rm_eo, (int)match[2].rm_so,
	       (int)match[2].rm_eo);
	SHOW(regexec(&regex, "nothing here", 3, match, 0));
	regfree(&regex);
	SHOW(regcomp(&regex, "(", REG_EXTENDED) != 0);
	SHOW(fnmatch("*.[ch]", "file.c", 0));
	SHOW(fnmatch("*.[ch]", "file.o", 0));
}

int main(void)
{
	char path[] = "/usr/lib/file.so", other[] = "/usr/lib/file.so", multi[32];
	wchar_t wide[32];
	mbstate_t state;

	puts(setlocale(LC_ALL, NULL));
	puts(setlocale(LC_ALL, "C"));
	TRUTH(setlocale(LC_ALL, "xx_YY") == NULL);
	puts(nl_langinfo(CODESET));
	puts(localeconv()->decimal_point);
	SHOW(strcoll("a", "B") > 0);
	SHOW(mbstowcs(wide, "plain", 32));
	SHOW(wcslen(wide));
	SHOW(wcstombs(multi, L"back", 32));
	puts(multi);
	memset(&state, 0, sizeof(state));
	SHOW(mbrtowc(wide, "\xc3\xa4", 2, &state));
	SHOW(towupper(L'q') == L'Q');
	swprintf(wide, 32, L"%d %ls", 5, L"wide");
	printf("%ls\n", wide);
	puts(basename(path));
	puts(dirname(other));
	puts(strerror(ENOENT));
	puts(strsignal(11));
	options();
	expressions();
	return 0;
}
