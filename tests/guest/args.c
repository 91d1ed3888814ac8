/*
 * Arguments, environment and standard input arrive unchanged.
 *
 * args: one "two words" "" "tab	inside" "ünïcode" -- -x
 * env: NAME=value EMPTY= SPACED="a b=c"
 * stdin: first line\n\nthird\twith tab\nlast without newline
 */
#include "check.h"
#include <unistd.h>

extern char **environ;

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int main(int argc, char **argv)
{
	size_t count = 0;
	int c, lines = 0, bytes = 0;

	SHOW(argc);
	for (int i = 1; i < argc; i++)
		printf("argv[%d] = <%s> (%zu bytes)\n", i, argv[i], strlen(argv[i]));
	TRUTH(argv[argc] == NULL);

	while (environ[count])
		count++;
	qsort(environ, count, sizeof(*environ), compare);
	SHOW(count);
	for (size_t i = 0; i < count; i++)
		printf("env <%s>\n", environ[i]);
	printf("NAME=<%s>\n", getenv("NAME"));
	printf("EMPTY=<%s>\n", getenv("EMPTY"));
	TRUTH(getenv("PATH") == NULL);
	TRUTH(getenv("NAM") == NULL);
	setenv("NAME", "changed", 1);
	setenv("FRESH", "new", 0);
	unsetenv("EMPTY");
	printf("NAME=<%s> FRESH=<%s> EMPTY %s\n", getenv("NAME"), getenv("FRESH"),
	       getenv("EMPTY") ? "set" : "unset");

	while ((c = getchar()) != EOF) {
		lines += c == '\n';
		bytes++;
		putchar(c);
	}
	putchar('\n');
	SHOW(lines);
	SHOW(bytes);
	SHOW(read(0, &c, 1));
	return 0;
}
