/*
 * names MODE: what the host's names and limits do to the tool: `execute FILE` copies a function
 * into the file, maps it and calls it; `argv0` prints how much of /proc/self/exe is readable;
 * `fill FILE` writes until the host's limit on the size of files.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int fd = argc > 2 ? open(argv[2], O_RDWR | O_CREAT, 0644) : -1;

	if (!strcmp(mode, "execute")) {
		const uint32_t code = 0x00008067; /* ret */

		write(fd, &code, sizeof(code));
		((void (*)(void))mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0))();
		puts("executed");
	} else if (!strcmp(mode, "argv0")) {
		static char text[65536];
		ssize_t length = readlink("/proc/self/exe", text, sizeof(text));

		puts(length < 0 ? strerrorname_np(errno) : length > 4096 ? "leak" : "short");
	} else if (!strcmp(mode, "fill")) {
		static char block[65536];

		for (int i = 0; i < 1000; i++)
			if (write(fd, block, sizeof(block)) < 0) {
				puts(strerrorname_np(errno));
				return 0;
			}
		puts("no limit");
	} else {
		return 2;
	}
	return 0;
}
