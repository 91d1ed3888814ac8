/*
 * race swap DIRECTORY: exchanges DIRECTORY/d, a directory, and DIRECTORY/l, a link, until
 * DIRECTORY/stop exists.
 * race change DIRECTORY COUNT: changes what is below DIRECTORY/d in every way there is, COUNT
 * times, and makes DIRECTORY/stop. Nothing that fails matters; the script looks at where the link
 * leads.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void swap(void)
{
	while (access("stop", F_OK) != 0)
		for (int i = 0; i < 100; i++)
			renameat2(AT_FDCWD, "d", AT_FDCWD, "l", RENAME_EXCHANGE);
}

static void put(int fd)
{
	if (fd < 0)
		return;
	write(fd, "overwritten", 11);
	close(fd);
}

static void change(void)
{
	put(open("d/file", O_WRONLY | O_CREAT | O_TRUNC, 0644));
	put(open("d/made", O_WRONLY | O_CREAT | O_EXCL, 0644));
	truncate("d/shorter", 1);
	chmod("d/mode", 0600);
	utimensat(AT_FDCWD, "d/time", NULL, 0);
	mkdir("d/directory", 0755);
	symlink("nowhere", "d/link");
	unlink("d/link");
	link("d/file", "linked");
	unlink("linked");
	rename("d/here", "d/there");
	rename("d/there", "d/here");
	unlink("d/removed");
	put(open("d/removed", O_WRONLY | O_CREAT, 0644));
	rmdir("d/directory");
	unlink("d/made");
}

int main(int argc, char **argv)
{
	if (argc < 3 || chdir(argv[2]) != 0)
		return 2;
	if (strcmp(argv[1], "swap") == 0) {
		swap();
	} else {
		for (int i = atoi(argv[3]); i > 0; i--)
			change();
		put(open("stop", O_WRONLY | O_CREAT, 0644));
	}
	puts("done");
	return 0;
}
