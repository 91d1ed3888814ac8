/*
 * What is created has the mode that the program asks for, less the program's own umask.
 *
 * data: yes
 */
#include "check.h"
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static void show(const char *name)
{
	struct stat info;

	TRY(stat(name, &info));
	printf("%s %o\n", name, info.st_mode & 07777);
}

static void make(mode_t mask, mode_t mode)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
	int fd, listener = socket(AF_UNIX, SOCK_STREAM, 0);

	umask(mask);
	printf("umask %o, mode %o\n", mask, mode);
	fd = OPEN(open("file", O_RDWR | O_CREAT, mode));
	TRY(write(fd, "abc", 3));
	close(fd);
	close(OPEN(open("exclusive", O_WRONLY | O_CREAT | O_EXCL, mode)));
	TRY(mkdir("dir", mode));
	TRY(bind(listener, (void *)&address, sizeof(address)));
	show("file");
	show("exclusive");
	show("dir");
	show("socket");
	/* What is there keeps its mode. */
	close(OPEN(open("file", O_RDONLY | O_CREAT, 0700)));
	show("file");
	TRY(unlink("file"));
	TRY(unlink("exclusive"));
	TRY(rmdir("dir"));
	TRY(unlink("socket"));
	close(listener);
}

int main(int argc, char **argv)
{
	check_enter(argc, argv, chdir);
	make(022, 0666);
	make(0, 0777);
	make(077, 0755);
	make(027, 0640);
	make(002, 0444);
	return 0;
}
