/* A program that tries what a server must contain; the first argument says what. It says what came
 * of it. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void tell(const char *what, long result)
{
	printf("%s: %s\n", what, result < 0 ? strerror(errno) : "it worked");
}

static void files(void)
{
	static const char *const paths[] = {"/etc/passwd", "/proc/1/environ", "../order.json",
					    "/tmp", "key"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		tell(paths[i], open(paths[i], O_RDONLY));
	tell("write", open("/tmp/escaped", O_WRONLY | O_CREAT, 0600));
	tell("write here", open("/files/new", O_WRONLY | O_CREAT, 0600));
}

/* Writes wherever it can be written, until that fails. */
static void fill(const char *path)
{
	static char block[1 << 20];
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	long result = fd;

	while (result >= 0)
		result = write(fd, block, sizeof(block));
	tell(path, result);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (strcmp(what, "files") == 0) {
		files();
	} else if (strcmp(what, "connect") == 0) {
		struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(80)};
		const int fd = socket(AF_INET, SOCK_STREAM, 0);

		tell("socket", fd);
		tell("connect", connect(fd, (struct sockaddr *)&to, sizeof(to)));
	} else if (strcmp(what, "fork") == 0) {
		tell("fork", fork());
	} else if (strcmp(what, "exec") == 0) {
		tell("exec", execv("/bin/sh", argv));
	} else if (strcmp(what, "disk") == 0) {
		fill("/files/filled");
		fill("/tmp/filled");
		fill("/dev/shm/filled");
	} else if (strcmp(what, "memory") == 0) {
		for (;;)
			memset(malloc(1 << 20), 1, 1 << 20);
	} else if (strcmp(what, "print") == 0) {
		for (;;)
			puts("<script>alert(1)</script> \033[31m and so on and so on and so on");
	} else if (strcmp(what, "read") == 0) {
		char line[256];

		while (fgets(line, sizeof(line), stdin))
			fputs(line, stdout);
		tell("/files/list.txt", open("/files/list.txt", O_RDONLY));
	} else {
		for (volatile unsigned long i = 0;; i++)
			;
	}
	return 0;
}
