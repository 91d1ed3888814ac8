/*
 * Calls that take a path refuse each wrong flag, name and length, and cut what they tell to its
 * room.
 *
 * data: yes
 * link: static
 * beside: host
 */
#include "edge.h"
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

static char long_name[300], long_path[5000], in[5000];

static void show_link(const char *path, size_t room)
{
	memset(in, '-', sizeof(in));
	ssize_t got = readlink(path, in, room);

	printf("readlink %s room %zu: %zd %.12s\n", path, room, got, in);
}

static void opening(int dir)
{
	int fd;

	puts("# open");
	TRY(close(OPEN(open("file", O_RDONLY))));
	OPEN(open("file", O_CREAT | O_EXCL | O_RDWR, 0644));
	OPEN(open("new", O_CREAT | O_EXCL | O_RDWR, 0644));
	OPEN(open("new", O_CREAT | O_EXCL | O_RDWR, 0644));
	OPEN(open("link", O_CREAT | O_EXCL | O_RDWR, 0644));
	OPEN(open("link", O_NOFOLLOW));
	OPEN(open("link", O_NOFOLLOW | O_PATH));
	OPEN(open("dangling", O_RDONLY));
	OPEN(open("dangling", O_RDWR | O_CREAT, 0644));
	TRY(access("made_by_link", F_OK));
	OPEN(open("dir", O_RDWR));
	OPEN(open("dir", O_RDONLY | O_CREAT, 0644));
	OPEN(open("dir/", O_RDONLY));
	OPEN(open("file/", O_RDONLY));
	OPEN(open("none/", O_RDWR | O_CREAT, 0644));
	OPEN(open("file/", O_RDWR | O_CREAT, 0644));
	OPEN(open("dir/", O_RDWR | O_CREAT, 0644));
	OPEN(open("file", O_DIRECTORY));
	OPEN(open("file", O_PATH | O_DIRECTORY));
	OPEN(open("dir", O_PATH | O_DIRECTORY));
	OPEN(open("", O_RDONLY));
	OPEN(open(long_name, O_RDONLY));
	OPEN(open(long_path, O_RDONLY));
	OPEN(open((void *)1, O_RDONLY));
	OPEN(openat(dir, "inside", O_RDONLY));
	OPEN(openat(dir, "../file", O_RDONLY));
	OPEN(openat(999, "file", O_RDONLY));
	fd = open("file", O_RDONLY);
	OPEN(openat(fd, "file", O_RDONLY));
	OPEN(openat(fd, "", O_RDONLY));
	OPEN(open("loop1", O_RDONLY));
	OPEN(open("chain0", O_RDONLY));
	OPEN(open("chain1", O_RDONLY));
	fd = OPEN(open("file", O_RDWR | O_TRUNC | O_APPEND | O_CLOEXEC | O_NONBLOCK));
	SHOW(fcntl(fd, F_GETFL) & (O_ACCMODE | O_APPEND | O_NONBLOCK | O_DIRECTORY | O_PATH));
	SHOW(fcntl(fd, F_GETFD));
	fd = open("dir", O_RDONLY | O_DIRECTORY);
	SHOW(!!(fcntl(fd, F_GETFL) & O_DIRECTORY));
	SHOW(fcntl(fd, F_GETFD));
	fd = open("file", O_WRONLY | O_PATH);
	SHOW(fcntl(fd, F_GETFL) & (O_ACCMODE | O_PATH));
	TRY(fchdir(fd));
	TRY(fchmod(fd, 0600));
}

static void modes(void)
{
	struct stat info;
	int fd;

	puts("# modes");
	SHOW(umask(027));
	SHOW(umask(01777));
	SHOW(umask(0));
	SHOW(umask(027));
	fd = open("m1", O_CREAT | O_RDWR, 0777);
	fstat(fd, &info);
	SHOW(info.st_mode & 07777);
	mkdir("m2", 0777);
	stat("m2", &info);
	SHOW(info.st_mode & 07777);
	TRY(fchmod(fd, 0421));
	fstat(fd, &info);
	SHOW(info.st_mode & 07777);
	TRY(chmod("m1", 0142));
	stat("m1", &info);
	SHOW(info.st_mode & 07777);
	TRY(chmod("m1", 0644));
	TRY(chmod("none", 0644));
	TRY(fchmod(999, 0644));
	TRY(chmod("", 0644));
	umask(022);
	TRY(access("m1", R_OK | W_OK));
	TRY(access("m1", X_OK));
	TRY(access("m2", X_OK));
	TRY(access("m1", 8));
	TRY(access("m1", -1));
	TRY(access("none", F_OK));
	TRY(access((void *)1, F_OK));
	TRY(access("file/x", F_OK));
	TRY(access("dangling2", F_OK));
	chmod("m1", 0010);
	TRY(access("m1", X_OK));
	RAW(faccessat2, AT_FDCWD, "dangling2", F_OK, AT_SYMLINK_NOFOLLOW);
	RAW(faccessat2, AT_FDCWD, "file", F_OK, 0x40);
	RAW(faccessat2, fd, "", F_OK, AT_EMPTY_PATH);
	RAW(faccessat2, fd, "", F_OK, 0);
	RAW(faccessat2, 999, "", F_OK, AT_EMPTY_PATH);
	RAW(faccessat2, AT_FDCWD, "file", R_OK, AT_EACCESS);
	RAW(faccessat2, AT_FDCWD, "file", X_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW);
	RAW(faccessat2, AT_FDCWD, "dangling2", F_OK, AT_EACCESS);
	RAW(faccessat2, fd, "", R_OK, AT_EACCESS | AT_EMPTY_PATH);
	RAW(faccessat2, AT_FDCWD, "file", F_OK, AT_NO_AUTOMOUNT);
	RAW(faccessat2, AT_FDCWD, "file", F_OK, AT_SYMLINK_FOLLOW);
	RAW(fchmodat2, AT_FDCWD, "file", 0604, 0);
	RAW(fchmodat2, AT_FDCWD, "file", 0644, AT_SYMLINK_NOFOLLOW);
	RAW(fchmodat2, AT_FDCWD, "dangling2", 0644, AT_SYMLINK_NOFOLLOW);
	RAW(fchmodat2, AT_FDCWD, "dangling2", 0644, 0);
	RAW(fchmodat2, fd, "", 0600, AT_EMPTY_PATH);
	RAW(fchmodat2, fd, "", 0600, 0);
	RAW(fchmodat2, 999, "", 0600, AT_EMPTY_PATH);
	RAW(fchmodat2, AT_FDCWD, "file", 0600, AT_EACCESS);
	TRY(strcmp(realpath("dir/../file", NULL), realpath("file", NULL)));
	TRUTH(!realpath("file/../file", NULL));
}

static void naming(int dir)
{
	puts("# names");
	TRY(mkdir("d1", 0755));
	TRY(mkdir("d1", 0755));
	TRY(mkdir("d2/", 0755));
	TRY(mkdir("d3//", 0755));
	TRY(mkdir("file", 0755));
	TRY(mkdir("link", 0755));
	TRY(mkdir("dangling2", 0755));
	TRY(mkdir("none/d", 0755));
	TRY(mkdir("file/d", 0755));
	TRY(mkdir(".", 0755));
	TRY(mkdir("d1/..", 0755));
	TRY(mkdir("d1/.", 0755));
	TRY(mkdir("", 0755));
	TRY(mkdir(long_name, 0755));
	TRY(mkdir((void *)1, 0755));
	TRY(mkdirat(dir, "d4", 0755));
	TRY(mkdirat(999, "d4", 0755));
	TRY(symlink("target", "s1"));
	TRY(symlink("target", "s1"));
	TRY(symlink("target", "s2/"));
	TRY(symlink("", "s3"));
	TRY(symlink("target", ""));
	TRY(symlink("target", "none/s"));
	TRY(symlink((void *)1, "s3"));
	TRY(symlink("target", (void *)1));
	TRY(symlinkat("target", 999, "s3"));
	TRY(link("file", "l1"));
	TRY(link("file", "l1"));
	TRY(link("dir", "l2"));
	TRY(link("none", "l2"));
	TRY(link("file", "l2/"));
	TRY(link("file/", "l2"));
	TRY(link("", "l2"));
	TRY(linkat(AT_FDCWD, "s1", AT_FDCWD, "l3", 0));
	TRY(linkat(AT_FDCWD, "link", AT_FDCWD, "l4", AT_SYMLINK_FOLLOW));
	TRY(linkat(AT_FDCWD, "s1", AT_FDCWD, "l5", AT_SYMLINK_FOLLOW));
	TRY(linkat(AT_FDCWD, "file", AT_FDCWD, "l6", 0x100));
	TRY(linkat(999, "file", AT_FDCWD, "l6", 0));
	TRY(linkat(AT_FDCWD, "file", 999, "l6", 0));
	TRY(linkat(AT_FDCWD, "", AT_FDCWD, "l6", AT_EMPTY_PATH));
	TRY(linkat(999, "", AT_FDCWD, "l6", AT_EMPTY_PATH));
	struct stat info;
	lstat("l3", &info);
	SHOW(info.st_mode);
	SHOW(info.st_size);
	lstat("l4", &info);
	SHOW(info.st_mode);
	SHOW(info.st_nlink);
	puts("# removal");
	TRY(unlinkat(AT_FDCWD, "l4", 1));
	TRY(unlinkat(AT_FDCWD, "l4", AT_REMOVEDIR | 1));
	TRY(rmdir("l4"));
	TRY(unlink("l4"));
	TRY(unlink("l4"));
	TRY(unlink("d1"));
	TRY(unlink("d1/"));
	TRY(unlink("file/"));
	TRY(unlink("."));
	TRY(unlink("d1/."));
	TRY(unlink("d1/.."));
	TRY(rmdir("d1/."));
	TRY(rmdir("d1/.."));
	TRY(rmdir("dir"));
	TRY(rmdir("d1/"));
	TRY(rmdir("none"));
	TRY(unlink(""));
	TRY(unlink((void *)1));
	TRY(unlink(long_name));
	TRY(unlinkat(999, "x", 0));
	TRY(unlinkat(dir, "d4", AT_REMOVEDIR));
	puts("# renaming");
	close(open("a", O_CREAT | O_RDWR, 0644));
	close(open("b", O_CREAT | O_RDWR, 0644));
	truncate("b", 5);
	RAW(renameat2, AT_FDCWD, "a", AT_FDCWD, "b", RENAME_NOREPLACE);
	RAW(renameat2, AT_FDCWD, "a", AT_FDCWD, "b", RENAME_EXCHANGE);
	stat("a", &info);
	SHOW(info.st_size);
	RAW(renameat2, AT_FDCWD, "a", AT_FDCWD, "none", RENAME_EXCHANGE);
	RAW(renameat2, AT_FDCWD, "a", AT_FDCWD, "b", RENAME_EXCHANGE | RENAME_NOREPLACE);
	RAW(renameat2, AT_FDCWD, "a", AT_FDCWD, "b", RENAME_EXCHANGE | RENAME_WHITEOUT);
	RAW(renameat2, AT_FDCWD, "a", AT_FDCWD, "b", 8);
	RAW(renameat2, AT_FDCWD, "a", AT_FDCWD, "c", RENAME_NOREPLACE);
	RAW(renameat2, AT_FDCWD, "c", AT_FDCWD, ".", RENAME_NOREPLACE);
	RAW(renameat2, AT_FDCWD, "c", AT_FDCWD, ".", 0);
	RAW(renameat2, AT_FDCWD, ".", AT_FDCWD, "c", 0);
	RAW(renameat2, AT_FDCWD, "none", AT_FDCWD, ".", 0);
	RAW(renameat2, AT_FDCWD, "none/x", AT_FDCWD, "c", 0);
	RAW(renameat2, AT_FDCWD, "c", AT_FDCWD, "none/x", 0);
	RAW(renameat2, AT_FDCWD, "c", AT_FDCWD, "c/x", 0);
	RAW(renameat2, AT_FDCWD, "c", AT_FDCWD, "x/", 0);
	RAW(renameat2, AT_FDCWD, "c/", AT_FDCWD, "x", 0);
	RAW(renameat2, AT_FDCWD, "d2/", AT_FDCWD, "d9/", 0);
	RAW(renameat2, AT_FDCWD, "dir", AT_FDCWD, "dir/x", 0);
	RAW(renameat2, AT_FDCWD, "d9", AT_FDCWD, "dir", 0);
	RAW(renameat2, AT_FDCWD, "c", AT_FDCWD, "d9", 0);
	RAW(renameat2, AT_FDCWD, "d9", AT_FDCWD, "c", 0);
	RAW(renameat2, AT_FDCWD, long_name, AT_FDCWD, "c", 0);
	RAW(renameat2, AT_FDCWD, "c", AT_FDCWD, long_name, 0);
	RAW(renameat2, AT_FDCWD, long_name, AT_FDCWD, ".", 0);
	RAW(renameat2, AT_FDCWD, (void *)1, AT_FDCWD, "c", 0);
	RAW(renameat2, AT_FDCWD, "c", AT_FDCWD, (void *)1, 0);
	RAW(renameat2, 999, "c", AT_FDCWD, "x", 0);
	RAW(renameat2, AT_FDCWD, "c", 999, "x", 0);
	TRY(rename("b", "c"));
	TRY(access("b", F_OK));
}

static void describing(int dir)
{
	struct stat info;
	struct statx wide;
	int fd = open("file", O_RDONLY), link = open("link", O_PATH | O_NOFOLLOW);

	puts("# links");
	show_link("link", 1);
	show_link("link", 3);
	show_link("link", 4);
	show_link("link", 100);
	TRY(readlink("link", in, 0));
	TRY(readlink("link", in, -1));
	TRY(readlink("file", in, 10));
	TRY(readlink("dir", in, 10));
	TRY(readlink("none", in, 10));
	TRY(readlink("", in, 10));
	TRY(readlink("file/x", in, 10));
	TRY(readlink("link", (void *)1, 10));
	TRY(readlinkat(999, "link", in, 10));
	TRY(readlinkat(dir, "../link", in, 10));
	puts("# status");
	TRY(fstat(link, &info));
	SHOW(info.st_mode);
	SHOW(info.st_size);
	TRY(fstat(999, &info));
	RAW(newfstatat, AT_FDCWD, "link", &info, 0);
	SHOW(info.st_mode);
	RAW(newfstatat, AT_FDCWD, "link", &info, AT_SYMLINK_NOFOLLOW);
	SHOW(info.st_mode);
	RAW(newfstatat, AT_FDCWD, "link", &info, 0x40);
	RAW(newfstatat, AT_FDCWD, "link", &info, AT_NO_AUTOMOUNT);
	RAW(newfstatat, fd, "", &info, AT_EMPTY_PATH);
	SHOW(info.st_mode);
	RAW(newfstatat, fd, "", &info, 0);
	RAW(newfstatat, fd, "x", &info, AT_EMPTY_PATH);
	RAW(newfstatat, AT_FDCWD, "", &info, AT_EMPTY_PATH);
	SHOW(info.st_mode);
	RAW(newfstatat, 999, "", &info, AT_EMPTY_PATH);
	RAW(newfstatat, 999, "", &info, 0);
	RAW(newfstatat, AT_FDCWD, "file", (void *)1, 0);
	RAW(newfstatat, AT_FDCWD, (void *)1, &info, 0);
	RAW(newfstatat, AT_FDCWD, "loop1", &info, 0);
	RAW(newfstatat, AT_FDCWD, "dir/inside/", &info, 0);
	RAW(statx, AT_FDCWD, "file", 0, STATX_BASIC_STATS, &wide);
	SHOW((wide.stx_mask & STATX_BASIC_STATS) == STATX_BASIC_STATS);
	SHOW(wide.stx_mode);
	SHOW(wide.stx_nlink);
	SHOW(wide.stx_size);
	RAW(statx, AT_FDCWD, "link", AT_SYMLINK_NOFOLLOW, STATX_SIZE, &wide);
	SHOW(wide.stx_mode);
	RAW(statx, AT_FDCWD, "file", AT_STATX_FORCE_SYNC, STATX_SIZE, &wide);
	RAW(statx, AT_FDCWD, "file", AT_STATX_SYNC_TYPE, STATX_SIZE, &wide);
	RAW(statx, AT_FDCWD, "file", 0, STATX__RESERVED, &wide);
	RAW(statx, AT_FDCWD, "file", 0x40, STATX_SIZE, &wide);
	RAW(statx, AT_FDCWD, "file", 0, STATX_SIZE, BEFORE(wide));
	RAW(statx, AT_FDCWD, "file", 0, STATX_SIZE, PAST(wide));
	struct statfs disk;
	RAW(statfs, "file", BEFORE(disk));
	RAW(statfs, "file", PAST(disk));
	RAW(statfs, "none", &disk);
	RAW(fstatfs, fd, BEFORE(disk));
	RAW(fstatfs, fd, PAST(disk));
	RAW(fstatfs, 999, &disk);
	RAW(statfs, "file", &disk);
	SHOW(disk.f_namelen);
}

static void times(int dir)
{
	struct timespec set[2] = {{1000000007, 123}, {1100000009, 456}};
	struct stat info;
	int fd = open("file", O_RDONLY);

#define SHOW_TIMES(path)                                                                        \
	(lstat(path, &info),                                                                    \
	 printf("%s: %ld.%ld %ld.%ld\n", path, (long)info.st_atim.tv_sec, info.st_atim.tv_nsec, \
		(long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec))
	puts("# times");
	RAW(utimensat, AT_FDCWD, "file", set, 0);
	SHOW_TIMES("file");
	set[0].tv_sec = 1200000001;
	set[1].tv_nsec = UTIME_OMIT;
	RAW(utimensat, fd, NULL, set, 0);
	SHOW_TIMES("file");
	set[0].tv_nsec = UTIME_OMIT;
	set[1] = (struct timespec){1300000003, 999999999};
	RAW(utimensat, AT_FDCWD, "file", set, 0);
	SHOW_TIMES("file");
	set[0] = (struct timespec){1400000005, 5};
	RAW(utimensat, AT_FDCWD, "link", set, AT_SYMLINK_NOFOLLOW);
	SHOW_TIMES("link");
	SHOW_TIMES("file");
	RAW(utimensat, fd, "", set, AT_EMPTY_PATH);
	SHOW_TIMES("file");
	RAW(utimensat, dir, "inside", set, 0);
	SHOW_TIMES("dir/inside");
	RAW(utimensat, fd, NULL, set, AT_SYMLINK_NOFOLLOW);
	RAW(utimensat, fd, NULL, set, AT_EMPTY_PATH);
	RAW(utimensat, AT_FDCWD, NULL, set, 0);
	RAW(utimensat, AT_FDCWD, "none", set, 0);
	RAW(utimensat, AT_FDCWD, "file", set, 0x40);
	RAW(utimensat, AT_FDCWD, "", set, 0);
	RAW(utimensat, 999, NULL, set, 0);
	RAW(utimensat, 999, "file", set, 0);
	RAW(utimensat, AT_FDCWD, "file", BEFORE(set), 0);
	RAW(utimensat, AT_FDCWD, "file", PAST(set), 0);
	set[1].tv_nsec = 1000000000;
	RAW(utimensat, AT_FDCWD, "file", set, 0);
	set[1].tv_nsec = -1;
	RAW(utimensat, AT_FDCWD, "file", set, 0);
	set[1].tv_nsec = 0;
	set[0].tv_nsec = 1000000000;
	RAW(utimensat, AT_FDCWD, "file", set, 0);
	set[0].tv_nsec = set[1].tv_nsec = UTIME_OMIT;
	RAW(utimensat, AT_FDCWD, "none", set, 0);
	SHOW_TIMES("file");
	set[0].tv_nsec = UTIME_NOW;
	RAW(utimensat, AT_FDCWD, "file", set, 0);
	lstat("file", &info);
	TRUTH(info.st_atim.tv_sec != 1400000005 && info.st_mtim.tv_sec == 1300000003);
	RAW(utimensat, AT_FDCWD, "file", NULL, 0);
	lstat("file", &info);
	TRUTH(info.st_mtim.tv_sec != 1300000003);
	int pipes[2];
	pipe(pipes);
	RAW(utimensat, pipes[0], NULL, set, 0);
	TRY(fchmod(pipes[0], 0600));
	TRY(fchown(pipes[0], -1, -1));
	RAW(fchownat, AT_FDCWD, "file", -1, -1, 0x40);
	RAW(fchownat, AT_FDCWD, "none", -1, -1, 0);
	RAW(fchownat, AT_FDCWD, "dangling2", -1, -1, 0);
	RAW(fchownat, AT_FDCWD, "dangling2", -1, -1, AT_SYMLINK_NOFOLLOW);
	RAW(fchownat, 999, "", -1, -1, AT_EMPTY_PATH);
}

static void directories(int dir)
{
	char *edge = edge_new(), here[4096];
	size_t length;

	puts("# working directory");
	TRY(chdir("file"));
	TRY(chdir("none"));
	TRY(chdir(""));
	TRY(chdir((void *)1));
	TRY(fchdir(999));
	TRY(fchdir(dir));
	TRY(access("inside", F_OK));
	getcwd(here, sizeof(here));
	length = strlen(here) + 1;
	TRUTH(!strcmp(strrchr(here, '/'), "/dir"));
	TRUTH(syscall(SYS_getcwd, here, length) == (long)length);
	RAW(getcwd, here, length - 1);
	RAW(getcwd, here, 0);
	RAW(getcwd, (void *)1, 4096);
	TRUTH(syscall(SYS_getcwd, edge - length, 4096) == (long)length);
	RAW(getcwd, edge - length + 1, 4096);
	TRY(chdir(".."));
	TRY(access("inside", F_OK));
	TRY(access("dir/inside", F_OK));
	puts("# listing");
	mkdir("list", 0755);
	for (int i = 1; i <= 12; i++) {
		char name[30] = "list/";

		memset(name + 5, 'a' + i, i);
		name[5 + i] = 0;
		close(open(name, O_CREAT | O_RDWR, 0644));
	}
	int list = open("list", O_RDONLY);
	RAW(getdents64, list, in, 23);
	RAW(getdents64, list, in, 0);
	RAW(getdents64, 999, in, 100);
	RAW(getdents64, open("file", O_RDONLY), in, 100);
	long total = 0, got, names = 0;
	while ((got = syscall(SYS_getdents64, list, in, 48)) > 0) {
		total += got;
		for (long at = 0; at < got; at += *(unsigned short *)(in + at + 16)) {
			names++;
			TRUTH(strlen(in + at + 19) < 13 &&
			      *(unsigned short *)(in + at + 16) ==
				      (19 + strlen(in + at + 19) + 1 + 7) / 8 * 8);
			TRUTH(in[at + 18] == (in[at + 19] == '.' ? 4 : 8));
		}
	}
	SHOW(got);
	SHOW(total);
	SHOW(names);
	TRY(lseek(list, 0, SEEK_SET));
	RAW(getdents64, list, in, 5000);
	RAW(getdents64, list, in, 5000);
}

int main(int argc, char **argv)
{
	check_enter(argc, argv, chdir);
	memset(long_name, 'n', 256);
	memset(long_path, '/', 4096);
	mkdir("dir", 0755);
	close(open("dir/inside", O_CREAT | O_RDWR, 0644));
	close(open("file", O_CREAT | O_RDWR, 0644));
	symlink("file", "link");
	symlink("made_by_link", "dangling");
	symlink("nowhere", "dangling2");
	symlink("loop2", "loop1");
	symlink("loop1", "loop2");
	/* From the first on there are 41 links to follow, from the second on 40. */
	for (int i = 0; i <= 40; i++) {
		char from[20], to[20];

		sprintf(from, "chain%d", i);
		sprintf(to, i < 40 ? "chain%d" : "file", i + 1);
		symlink(to, from);
	}
	int dir = open("dir", O_RDONLY);

	opening(dir);
	modes();
	describing(dir);
	times(dir);
	naming(dir);
	directories(dir);
	return 0;
}
