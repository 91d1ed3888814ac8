/*
 * /dev/stdin and its kin, /dev/fd, /proc/self/fd and /proc/self/exe lead where they lead on Linux.
 *
 * data: yes
 * link: static
 * stdin: first line\nsecond line\n
 */
#include "check.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void kind(const char *path, int (*get)(const char *, struct stat *))
{
	struct stat st;

	if (get(path, &st))
		printf("%s: %s\n", path, check_error(errno));
	else
		printf("%s: %o\n", path, st.st_mode & S_IFMT);
}

static int has(const char *directory, const char *name)
{
	DIR *d = opendir(directory);
	int found = 0;

	for (struct dirent *e; d && (e = readdir(d));)
		found += strcmp(e->d_name, name) == 0;
	if (d)
		closedir(d);
	return found;
}

int main(int argc, char **argv)
{
	char text[4096] = "", name[64], line[32];
	unsigned char magic[4] = "";
	struct stat a, b;
	int fd, again, ends[2];
	ssize_t length;
	FILE *in;

	check_enter(argc, argv, chdir);
	in = fopen("/dev/stdin", "r");
	SHOW(in != NULL);
	printf("%s", fgets(line, sizeof(line), in));
	OPEN(open("/dev/stdout", O_WRONLY));
	OPEN(open("/dev/stderr", O_WRONLY));
	OPEN(open("/dev/fd/1", O_WRONLY));
	OPEN(open("/dev/fd/77", O_RDONLY));
	OPEN(open("/proc/self/fd/x", O_RDONLY));

	/* A file opened again has a position of its own. */
	fd = open("file", O_CREAT | O_RDWR, 0644);
	write(fd, "0123456789", 10);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	again = OPEN(open(name, O_RDONLY));
	SHOW(read(again, text, 4));
	SHOW(lseek(fd, 0, SEEK_CUR));
	TRY(write(again, "x", 1));
	fstat(fd, &a);
	stat(name, &b);
	TRUTH(a.st_ino == b.st_ino && a.st_dev == b.st_dev && b.st_size == 10);
	kind(name + 5, stat);
	length = readlink(name, text, sizeof(text) - 1);
	text[length > 0 ? length : 0] = 0;
	TRUTH(length > 5 && strcmp(text + length - 5, "/file") == 0);
	TRUTH(has("/proc/self/fd", strrchr(name, '/') + 1) == 1);
	TRUTH(has("/dev/fd", "0") == 1);
	TRUTH(has("/proc/self/fd", "900") == 0);

	pipe(ends);
	snprintf(name, sizeof(name), "/dev/fd/%d", ends[0]);
	again = OPEN(open(name, O_RDONLY));
	write(ends[1], "pipe", 4);
	SHOW(read(again, text, 10));
	readlink(name, text, sizeof(text));
	printf("%.6s\n", text);

	/* A directory is where its path leads. */
	mkdir("sub", 0755);
	close(open("sub/inner", O_CREAT | O_WRONLY, 0644));
	fd = open("sub", O_RDONLY);
	snprintf(name, sizeof(name), "/proc/self/fd/%d/inner", fd);
	TRY(access(name, F_OK));

	fd = OPEN(open("/proc/self/exe", O_RDONLY));
	TRY(read(fd, magic, 4));
	TRUTH(!memcmp(magic, "\177ELF", 4));
	fstat(fd, &a);
	SHOW(lseek(fd, 0, SEEK_END) == a.st_size && a.st_size > 1000);
	SHOW(pread(fd, magic, 2, 1));
	printf("%.2s\n", magic);
	TRUTH(readlink("/proc/self/exe", text, sizeof(text)) > 0 && text[0] == '/');
	kind("/proc/self/exe", stat);
	kind("/proc/self/exe", lstat);
	kind("/proc/self", lstat);
	kind("/proc/self/", lstat);
	kind("/dev/fd", lstat);
	kind("/dev/stdin", lstat);
	kind("/dev/null", stat);
	kind("/dev/full", stat);
	kind("/dev", stat);
	kind("/", stat);

	fd = open("/dev/full", O_RDWR);
	TRY(write(fd, "x", 1));
	TRY(read(fd, magic, 4));
	SHOW(magic[0] | magic[1] | magic[2] | magic[3]);
	fd = open("/dev/random", O_RDONLY);
	TRY(read(fd, text, 16));
	TRY(mkdir("/dev", 0755));
	TRUTH(has("/", "dev") == 1 && has("/", "proc") == 1);
	OPEN(open("/", O_RDONLY | O_DIRECTORY));
	OPEN(open("/", O_WRONLY));
	TRY(chdir("/dev"));
	TRY(access("null", R_OK | W_OK));
	TRY(chdir("/"));
	return 0;
}
