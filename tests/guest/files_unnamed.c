/*
 * A file without a name (O_TMPFILE) gets one by linkat, or goes with its descriptor.
 * data: yes
 * beside: host
 */
#include "check.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void try_in(const char *directory)
{
	char path[256], text[16] = "", link[256] = "", name[256];
	struct stat info;

	snprintf(name, sizeof(name), "%s/unnamed.%d.%d", directory, getpid(), getppid());
	TRY(open(directory, O_TMPFILE | O_RDONLY, 0600));
	TRY(open(directory, (O_TMPFILE & ~O_DIRECTORY) | O_RDWR, 0600));
	TRY(open(name, O_TMPFILE | O_RDWR, 0600));
	int fd = OPEN(open(directory, O_TMPFILE | O_RDWR, 0640));
	TRY(write(fd, "unnamed", 7));
	TRY(fstat(fd, &info));
	SHOW(info.st_mode);
	SHOW(info.st_nlink);
	SHOW(info.st_size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	TRUTH(readlink(path, link, sizeof(link) - 1) > 0);
	TRUTH(strstr(link, "/#") && strstr(link, " (deleted)"));
	TRY(linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW));
	TRY(linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW));
	TRY(fstat(fd, &info));
	SHOW(info.st_nlink);
	int named = OPEN(open(name, O_RDONLY));
	TRY(read(named, text, sizeof(text)));
	puts(text);
	TRY(unlink(name));
	close(named);
	close(fd);
	fd = OPEN(open(directory, O_TMPFILE | O_EXCL | O_WRONLY, 0600));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	TRY(linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW));
	close(fd);
	TRY(access(name, F_OK));
}

int main(int argc, char **argv)
{
	(void)argc;
	try_in(argv[1]);
	try_in("/dev/shm");
	TRY(open("/proc/self", O_TMPFILE | O_RDWR, 0600) < 0);
	return 0;
}
