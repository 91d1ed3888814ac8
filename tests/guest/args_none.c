/*
 * No argument, no environment, empty input; argv[0] is there.
 */
#include "check.h"
#include <unistd.h>
#include <sys/auxv.h>

extern char **environ;

int main(int argc, char **argv)
{
	char c;

	SHOW(argc);
	TRUTH(argv[0] != NULL && argv[0][0] != '\0');
	TRUTH(environ[0] == NULL);
	SHOW(read(0, &c, 1));
	SHOW(getauxval(AT_PAGESZ));
	TRUTH(getauxval(AT_PHDR) != 0);
	TRUTH(getauxval(AT_ENTRY) != 0);
	TRUTH(getauxval(AT_RANDOM) != 0);
	SHOW(getauxval(AT_SECURE));
	SHOW(getauxval(AT_HWCAP) & 0x112d);
	return 0;
}
