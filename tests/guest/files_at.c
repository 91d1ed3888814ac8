/*
 * The calls that take a directory descriptor work below it, and below AT_FDCWD.
 *
 * data: yes
 */
#include "check.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct timespec times[2] = {{1000000000, 123456789}, {1234567890, 987654321}};
	struct statx sx;
	struct stat st;
	char text[32];
	ssize_t length;
	int top, sub, fd;

	if (argc < 2)
		return 99;
	umask(027);
	top = OPEN(open(argv[1], O_RDONLY | O_DIRECTORY));
	TRY(mkdirat(top, "sub", 0777));
	sub = OPEN(openat(top, "sub", O_PATH | O_DIRECTORY));
	fd = OPEN(openat(sub, "file", O_CREAT | O_RDWR, 0666));
	TRY(write(fd, "0123456789", 10));
	TRY(close(fd));
	TRY(fstatat(top, "sub/file", &st, 0));
	printf("mode %o size %lld\n", st.st_mode & 0777, (long long)st.st_size);
	TRY(fstatat(top, "sub", &st, 0));
	printf("mode %o\n", st.st_mode & 0777);
	TRY(faccessat(sub, "file", R_OK, 0));
	TRY(faccessat(sub, "gone", R_OK, 0));
	TRY(symlinkat("file", sub, "soft"));
	length = TRY(readlinkat(sub, "soft", text, sizeof(text)));
	printf("<%.*s>\n", (int)length, text);
	TRY(fstatat(sub, "soft", &st, AT_SYMLINK_NOFOLLOW));
	SHOW(S_ISLNK(st.st_mode));
	TRY(linkat(sub, "file", top, "hard", 0));
	TRY(renameat(sub, "file", top, "moved"));
	TRY(fstatat(top, "moved", &st, 0));
	SHOW(st.st_nlink);
	TRY(utimensat(top, "moved", times, 0));
	TRY(fstatat(top, "moved", &st, 0));
	printf("%lld.%09ld %lld.%09ld\n", (long long)st.st_atim.tv_sec, st.st_atim.tv_nsec,
	       (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	TRY(statx(top, "moved", 0, STATX_BASIC_STATS, &sx));
	printf("mode %o size %lld links %d\n", sx.stx_mode, (long long)sx.stx_size, sx.stx_nlink);
	fd = OPEN(openat(top, "moved", O_RDONLY));
	TRY(fstatat(fd, "", &st, AT_EMPTY_PATH));
	SHOW(st.st_size);
	OPEN(openat(fd, "below", O_RDONLY));
	TRY(fchmod(fd, 0640));
	TRY(fstat(fd, &st));
	printf("mode %o\n", st.st_mode);
	TRY(close(fd));
	OPEN(openat(-5, "relative", O_RDONLY));
	TRY(unlinkat(top, "sub", 0));
	TRY(unlinkat(top, "hard", AT_REMOVEDIR));
	TRY(unlinkat(top, "hard", 0));
	TRY(unlinkat(sub, "soft", 0));
	TRY(unlinkat(top, "sub", AT_REMOVEDIR));
	TRY(close(sub));
	TRY(fchdir(top));
	TRY(faccessat(AT_FDCWD, "moved", F_OK, 0));
	TRY(renameat2(top, "moved", top, "moved", RENAME_NOREPLACE));
	TRY(close(top));
	return 0;
}
