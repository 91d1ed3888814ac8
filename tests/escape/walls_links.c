/*
 * Puts a symbolic link where the tool is about to write its result:
 *
 *   walls_links file NAME TEXT      NAME becomes a link that says TEXT
 *   walls_links parent NAME TEXT    the directory NAME is renamed to NAME.old, then the same
 *
 * Prints `ok`, or what went wrong.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char old[4096];

	if (argc != 4)
		return 2;
	snprintf(old, sizeof(old), "%s.old", argv[2]);
	if (strcmp(argv[1], "parent") == 0 ? rename(argv[2], old) != 0 : unlink(argv[2]) != 0)
		perror("out of the way");
	if (symlink(argv[3], argv[2]) != 0)
		perror("link");
	else
		puts("ok");
	return 0;
}
