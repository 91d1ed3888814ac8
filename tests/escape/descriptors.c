/*
 * Closes the three descriptors it was given, then opens and pipes until told EMFILE, in
 * the directory that is its argument. The status is the report: 0 is well.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char path[256];
	int ends[2], count = 0, fd;

	if (argc < 2)
		return 2;
	snprintf(path, sizeof(path), "%s/flood", argv[1]);
	for (int i = 0; i < 3; i++)
		if (close(i))
			return 10 + i;
	while ((fd = open(path, O_CREAT | O_RDWR, 0644)) >= 0)
		if (fd != count++)
			return 20;
	if (errno != EMFILE || count < 16)
		return 21;
	if (pipe(ends) != -1 || errno != EMFILE)
		return 22;
	if (dup(0) != -1 || errno != EMFILE)
		return 23;
	if (write(1, "into the file", 13) != 13)
		return 24;
	for (int i = 0; i < count; i++)
		if (close(i))
			return 25;
	while (pipe(ends) == 0)
		;
	return errno == EMFILE ? 0 : 26;
}
