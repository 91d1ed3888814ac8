/*
 * What stat tells is consistent between its forms, listings and links; times that are set read
 * back.
 *
 * data: yes
 */
#include "check.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct timespec times[2] = {{1000, 5}, {2000, 123456789}};
	struct stat a, b, c;
	struct statx x;
	int fd, listed = 0, agree = 0;
	DIR *d;

	check_enter(argc, argv, chdir);
	fd = open("one", O_CREAT | O_RDWR, 0640);
	write(fd, "12345", 5);
	mkdir("sub", 0755);
	symlink("one", "soft");
	link("one", "sub/hard");
	fstat(fd, &a);
	stat("one", &b);
	TRUTH(a.st_ino == b.st_ino && a.st_dev == b.st_dev);
	stat("soft", &b);
	TRUTH(a.st_ino == b.st_ino);
	lstat("soft", &c);
	TRUTH(a.st_ino != c.st_ino && c.st_size == 3);
	stat("sub/hard", &b);
	TRUTH(a.st_ino == b.st_ino);
	SHOW(b.st_nlink);
	SHOW(b.st_size);
	printf("%o\n", b.st_mode);
	statx(AT_FDCWD, "one", 0, STATX_BASIC_STATS, &x);
	TRUTH(x.stx_ino == a.st_ino && x.stx_size == 5 && x.stx_nlink == 2);
	TRUTH(a.st_uid == getuid() && a.st_gid == getgid() && geteuid() == getuid());
	TRUTH(a.st_blksize > 0);
	d = opendir(".");
	for (struct dirent *e; (e = readdir(d));) {
		lstat(e->d_name, &b);
		listed++;
		agree += b.st_ino == e->d_ino && IFTODT(b.st_mode) == e->d_type;
	}
	closedir(d);
	/* ".." of a mount and of an ordinary directory need not be listed alike. */
	TRUTH(listed == 5 && agree >= 4);
	stat("sub/..", &b);
	stat(".", &c);
	TRUTH(b.st_ino == c.st_ino);

	TRY(futimens(fd, times));
	stat("sub/hard", &b);
	printf("%ld.%09ld %ld.%09ld\n", b.st_atim.tv_sec, b.st_atim.tv_nsec, b.st_mtim.tv_sec,
	       b.st_mtim.tv_nsec);
	times[0].tv_nsec = UTIME_OMIT;
	times[1].tv_sec = 3000;
	TRY(utimensat(AT_FDCWD, "one", times, 0));
	fstat(fd, &b);
	printf("%ld.%09ld %ld.%09ld\n", b.st_atim.tv_sec, b.st_atim.tv_nsec, b.st_mtim.tv_sec,
	       b.st_mtim.tv_nsec);
	times[1].tv_nsec = 1000000000;
	TRY(utimensat(AT_FDCWD, "one", times, 0));
	TRY(utimensat(AT_FDCWD, "one", NULL, 0));
	stat("one", &b);
	TRUTH(b.st_mtim.tv_sec > 3000);

	/* A file in place of a removed one is another file while the old one is open. */
	unlink("one");
	unlink("sub/hard");
	close(open("one", O_CREAT | O_RDWR, 0640));
	stat("one", &b);
	fstat(fd, &c);
	TRUTH(c.st_ino == a.st_ino && b.st_ino != a.st_ino);
	SHOW(c.st_nlink);
	rename("one", "two");
	stat("two", &c);
	TRUTH(c.st_ino == b.st_ino);
	return 0;
}
