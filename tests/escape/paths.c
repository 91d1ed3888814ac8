/*
 * One attempt on the file system per run: paths ACTION ARGUMENT... prints `ok`,
 * `ok TEXT` or the name of the error. The script has the expected results.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static void finish(long result)
{
	if (result < 0) {
		puts(strerrorname_np(errno));
		exit(0);
	}
}

static void show(int fd)
{
	char text[64];
	ssize_t got;

	finish(fd);
	got = read(fd, text, sizeof(text));
	finish(got);
	printf("ok %.*s\n", (int)strcspn(text, "\n") < got ? (int)strcspn(text, "\n") : (int)got,
	       text);
	exit(0);
}

static int put(int fd)
{
	finish(fd);
	finish(write(fd, "overwritten", 11));
	return fd;
}

static int list(const char *path)
{
	struct dirent **names;
	int count = scandir(path, &names, NULL, alphasort);

	finish(count);
	fputs("ok", stdout);
	for (int i = 0; i < count; i++)
		printf(" %s", names[i]->d_name);
	putchar('\n');
	exit(0);
}

static int descend(char **paths)
{
	int fd = open(*paths++, O_RDONLY | O_DIRECTORY);

	for (; fd >= 0 && paths[1]; paths++)
		fd = openat(fd, *paths, O_RDONLY | O_DIRECTORY);
	finish(fd);
	show(openat(fd, *paths, O_RDONLY));
	return 0;
}

static int swap_and_read(const char *dir, const char *evil)
{
	/* A link put where a directory was must not be followed out either. */
	int fd = open(dir, O_RDONLY | O_DIRECTORY);

	finish(fd);
	finish(mkdirat(fd, "swap", 0755));
	finish(unlinkat(fd, "swap", AT_REMOVEDIR));
	finish(symlinkat(evil, fd, "swap"));
	show(openat(fd, "swap", O_RDONLY));
	return 0;
}

/* A file that was moved is emptied through its descriptor; another has its name now. */
static void truncate_moved(const char *path, const char *other)
{
	int fd = put(open(path, O_WRONLY | O_CREAT, 0644));
	char name[64];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	finish(rename(path, other));
	finish(write(open(path, O_WRONLY | O_CREAT, 0644), "kept\n", 5));
	open(name, O_WRONLY | O_TRUNC);
	show(open(path, O_RDONLY));
}

int main(int argc, char **argv)
{
	const char *action = argc > 1 ? argv[1] : "", *a = argc > 2 ? argv[2] : "",
		   *b = argc > 3 ? argv[3] : "";
	char text[256];
	struct stat st;
	ssize_t length;

	if (!strcmp(action, "read"))
		show(open(a, O_RDONLY));
	else if (!strcmp(action, "write"))
		put(open(a, O_WRONLY | O_CREAT, 0644));
	else if (!strcmp(action, "write_setuid")) {
		umask(0);
		put(open(a, O_WRONLY | O_CREAT, 07755));
	} else if (!strcmp(action, "mkdir_setuid")) {
		umask(0);
		finish(mkdir(a, 07755));
	} else if (!strcmp(action, "chmod_setuid"))
		finish(chmod(a, 07755));
	else if (!strcmp(action, "fchmod_setuid"))
		finish(fchmod(open(a, O_RDONLY), 07755));
	else if (!strcmp(action, "overwrite"))
		put(open(a, O_WRONLY | O_TRUNC));
	else if (!strcmp(action, "append"))
		put(open(a, O_RDWR | O_APPEND));
	else if (!strcmp(action, "list"))
		list(a);
	else if (!strcmp(action, "descend"))
		descend(argv + 2);
	else if (!strcmp(action, "truncate_moved"))
		truncate_moved(a, b);
	else if (!strcmp(action, "swap"))
		swap_and_read(a, b);
	else if (!strcmp(action, "chdir")) {
		finish(chdir(a));
		show(open(b, O_RDONLY));
	} else if (!strcmp(action, "stat"))
		finish(stat(a, &st));
	else if (!strcmp(action, "access"))
		finish(access(a, atoi(b)));
	else if (!strcmp(action, "mkdir"))
		finish(mkdir(a, 0755));
	else if (!strcmp(action, "rmdir"))
		finish(rmdir(a));
	else if (!strcmp(action, "unlink"))
		finish(unlink(a));
	else if (!strcmp(action, "rename"))
		finish(rename(a, b));
	else if (!strcmp(action, "exchange"))
		finish(renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE));
	else if (!strcmp(action, "link"))
		finish(link(a, b));
	else if (!strcmp(action, "link_follow"))
		finish(linkat(AT_FDCWD, a, AT_FDCWD, b, AT_SYMLINK_FOLLOW));
	else if (!strcmp(action, "symlink"))
		finish(symlink(a, b));
	else if (!strcmp(action, "symlink_read")) {
		finish(symlink(a, b));
		show(open(b, O_RDONLY));
	} else if (!strcmp(action, "truncate"))
		finish(truncate(a, 0));
	else if (!strcmp(action, "chmod"))
		finish(chmod(a, 0600));
	else if (!strcmp(action, "utime"))
		finish(utimensat(AT_FDCWD, a, NULL, 0));
	else if (!strcmp(action, "fchmod"))
		finish(fchmod(open(a, O_RDONLY), 0600));
	else if (!strcmp(action, "mknod"))
		finish(mknod(a, S_IFCHR | 0600, 0x103));
	else if (!strcmp(action, "readlink")) {
		length = readlink(a, text, sizeof(text));
		finish(length);
		printf("ok %.*s\n", (int)length, text);
		return 0;
	} else
		return 2;
	puts("ok");
	return 0;
}
