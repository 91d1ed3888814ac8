/*
 * Locks of ranges refuse each wrong number, are cut, joined and told from both ends, and go when
 * Linux lets them go.
 *
 * data: yes
 * link: static
 * beside: host
 */
#include "edge.h"
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <unistd.h>

static int whence;

static int set(int fd, int command, int type, off_t start, off_t bytes)
{
	struct flock lock = {
		.l_type = (short)type, .l_whence = (short)whence, .l_start = start, .l_len = bytes};

	return fcntl(fd, command, &lock);
}

static void query(int fd, int command, int type, off_t start, off_t bytes)
{
	struct flock lock = {
		.l_type = (short)type, .l_whence = (short)whence, .l_start = start, .l_len = bytes};

	if (fcntl(fd, command, &lock) != 0)
		printf("query %ld %ld -> %s\n", (long)start, (long)bytes, check_error(errno));
	else if (lock.l_type == F_UNLCK)
		printf("query %ld %ld -> free\n", (long)start, (long)bytes);
	else
		printf("query %ld %ld -> %d from %ld, %ld bytes, of %s\n", (long)start, (long)bytes,
		       lock.l_type, (long)lock.l_start, (long)lock.l_len,
		       lock.l_pid == getpid() ? "us"
		       : lock.l_pid == -1     ? "-1"
					      : "another");
}

/* Ends of the range at the ends of numbers. */
static void numbers(int fd, int other)
{
	static const struct {
		int whence;
		off_t start, bytes;
	} rows[] = {
		{SEEK_SET, -1, 1},
		{SEEK_SET, 0, -1},
		{SEEK_SET, 5, -5},
		{SEEK_SET, 5, -6},
		{SEEK_SET, -5, INT64_MIN},
		{SEEK_SET, -1, INT64_MIN},
		{SEEK_SET, INT64_MIN, -1},
		{SEEK_SET, INT64_MIN, INT64_MIN},
		{SEEK_SET, INT64_MAX, 1},
		{SEEK_SET, INT64_MAX, 2},
		{SEEK_SET, INT64_MAX, 0},
		{SEEK_SET, INT64_MAX, -1},
		{SEEK_SET, 1, INT64_MAX},
		{SEEK_SET, 2, INT64_MAX},
		{SEEK_SET, INT64_MAX, INT64_MAX},
		{SEEK_CUR, INT64_MAX, 1},
		{SEEK_CUR, INT64_MAX - 3, 1},
		{SEEK_CUR, -3, 1},
		{SEEK_CUR, -4, 1},
		{SEEK_CUR, INT64_MIN, 1},
		{SEEK_END, -10, 5},
		{SEEK_END, -11, 5},
		{SEEK_END, INT64_MAX - 9, 5},
		{SEEK_END, 0, -10},
		{SEEK_END, 0, -11},
		{3, 0, 1},
		{-1, 0, 1},
	};

	puts("# numbers");
	lseek(fd, 3, SEEK_SET);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		whence = rows[i].whence;
		printf("%d %ld %ld: %d", whence, (long)rows[i].start, (long)rows[i].bytes,
		       set(fd, F_OFD_SETLK, F_WRLCK, rows[i].start, rows[i].bytes));
		printf(" %s\n", errno ? check_error(errno) : "");
		errno = 0;
		query(fd, F_OFD_GETLK, F_WRLCK, rows[i].start, rows[i].bytes);
		whence = SEEK_SET;
		query(other, F_OFD_GETLK, F_WRLCK, 0, 0);
		set(fd, F_OFD_SETLK, F_UNLCK, 0, 0);
		errno = 0;
	}
}

/* What is left of a lock of which a part is given up or becomes another. */
static void parts(int a, int b)
{
	puts("# parts");
	for (int command = F_SETLK; command <= F_OFD_SETLK; command += F_OFD_SETLK - F_SETLK) {
		const int ask = F_OFD_GETLK;

		TRY(set(a, command, F_WRLCK, 10, 0));
		TRY(set(a, command, F_WRLCK, 2, 3));
		query(b, ask, F_RDLCK, 0, 0);
		query(b, ask, F_RDLCK, 5, 0);
		TRY(set(a, command, F_UNLCK, 20, 5));
		query(b, ask, F_RDLCK, 15, 10);
		query(b, ask, F_RDLCK, 20, 5);
		query(b, ask, F_RDLCK, 20, 0);
		TRY(set(a, command, F_RDLCK, 12, 2));
		query(b, ask, F_RDLCK, 10, 5);
		query(b, ask, F_RDLCK, 12, 2);
		query(b, ask, F_WRLCK, 12, 2);
		/* Neighbours on both sides become one again. */
		TRY(set(a, command, F_WRLCK, 12, 2));
		TRY(set(a, command, F_WRLCK, 20, 5));
		TRY(set(a, command, F_WRLCK, 5, 5));
		query(b, ask, F_RDLCK, 0, 0);
		TRY(set(a, command, F_UNLCK, 0, 3));
		TRY(set(a, command, F_UNLCK, 50, 0));
		query(b, ask, F_RDLCK, 0, 0);
		TRY(set(a, command, F_UNLCK, 0, 0));
		query(b, ask, F_RDLCK, 0, 0);
	}
}

/* Several others: the first of the file is told. */
static void others(int a, int b, int c)
{
	puts("# others");
	TRY(set(a, F_OFD_SETLK, F_RDLCK, 30, 10));
	TRY(set(b, F_OFD_SETLK, F_RDLCK, 20, 15));
	TRY(set(a, F_OFD_SETLK, F_WRLCK, 5, 1));
	query(c, F_OFD_GETLK, F_WRLCK, 0, 0);
	query(c, F_OFD_GETLK, F_WRLCK, 6, 0);
	query(c, F_OFD_GETLK, F_RDLCK, 6, 0);
	query(c, F_GETLK, F_WRLCK, 32, 1);
	query(c, F_OFD_GETLK, F_UNLCK, 0, 0);
	query(c, F_GETLK, F_UNLCK, 0, 0);
	TRY(set(a, F_SETLK, F_WRLCK, 32, 1));
	TRY(set(c, F_SETLK, F_WRLCK, 50, 1));
	query(a, F_OFD_GETLK, F_WRLCK, 45, 0);
	query(c, F_GETLK, F_WRLCK, 45, 0);
	TRY(set(a, F_OFD_SETLK, F_UNLCK, 0, 0));
	TRY(set(b, F_OFD_SETLK, F_UNLCK, 0, 0));
	TRY(set(c, F_SETLK, F_UNLCK, 0, 0));
}

/* The process's own locks of a file go with any of its descriptors, those of a description and of
 * the whole file with that. */
static void leaves(int a, int b)
{
	puts("# leaves");
	for (int way = 0; way < 6; way++) {
		const int other = way == 0 ? dup(a) : open("file", way == 5 ? O_PATH : O_RDONLY);
		const int another = open("another", O_RDWR | O_CREAT, 0644);

		TRY(set(a, F_SETLK, F_WRLCK, 2, 3));
		TRY(set(a, F_SETLK, F_RDLCK, 8, 2));
		TRY(set(another, F_SETLK, F_WRLCK, 1, 1));
		TRY(set(b, F_OFD_SETLK, F_WRLCK, 20, 1));
		query(b, F_OFD_GETLK, F_WRLCK, 0, 0);
		switch (way) {
		case 2: dup2(a, other); break;
		case 3: dup3(b, other, O_CLOEXEC); break;
		case 4: close_range((unsigned)other, (unsigned)other, 0); break;
		}
		query(b, F_OFD_GETLK, F_WRLCK, 0, 0);
		close(other);
		query(b, F_OFD_GETLK, F_WRLCK, 0, 0);
		query(a, F_OFD_GETLK, F_WRLCK, 0, 0);
		const int beside = open("another", O_RDWR);
		query(beside, F_OFD_GETLK, F_WRLCK, 0, 0);
		close(beside);
		query(another, F_OFD_GETLK, F_WRLCK, 0, 0);
		close(another);
		TRY(set(a, F_SETLK, F_UNLCK, 0, 0));
		TRY(set(b, F_OFD_SETLK, F_UNLCK, 0, 0));
		errno = 0;
	}
	unlink("another");
}

static void wrong(int fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_len = 1};
	const int reads = open("file", O_RDONLY), writes = open("file", O_WRONLY);
	const int path = open("file", O_PATH);
	int ends[2];

	puts("# wrong");
	TRY(fcntl(fd, F_SETLK, PAST(lock)));
	TRY(fcntl(fd, F_SETLK, BEFORE(lock)));
	TRY(fcntl(fd, F_GETLK, PAST(lock)));
	TRY(fcntl(fd, F_GETLK, NULL));
	lock.l_type = 3;
	TRY(fcntl(fd, F_SETLK, &lock));
	lock.l_type = -1;
	TRY(fcntl(fd, F_OFD_SETLK, &lock));
	lock.l_type = F_WRLCK;
	lock.l_pid = 1;
	TRY(fcntl(fd, F_OFD_SETLK, &lock));
	TRY(fcntl(fd, F_OFD_GETLK, &lock));
	TRY(fcntl(fd, F_SETLK, &lock));
	TRY(set(reads, F_OFD_SETLK, F_WRLCK, 0, 1));
	TRY(set(reads, F_SETLK, F_RDLCK, 0, 1));
	TRY(set(writes, F_SETLK, F_RDLCK, 0, 1));
	TRY(set(writes, F_SETLK, F_UNLCK, 0, 1));
	query(reads, F_OFD_GETLK, F_WRLCK, 0, 1);
	query(writes, F_OFD_GETLK, F_RDLCK, 0, 1);
	TRY(set(path, F_SETLK, F_RDLCK, 0, 1));
	TRY(set(99, F_SETLK, F_RDLCK, 0, 1));
	pipe(ends);
	TRY(set(ends[1], F_SETLK, F_WRLCK, 0, 1));
	query(ends[0], F_GETLK, F_RDLCK, 0, 1);
	TRY(flock(ends[0], LOCK_EX));
	TRY(flock(path, LOCK_EX));
	TRY(flock(99, LOCK_EX));
	TRY(flock(fd, 0));
	TRY(flock(fd, LOCK_SH | LOCK_EX));
	TRY(flock(fd, LOCK_NB));
	TRY(flock(99, 3));
	/* Locks of whole files and of ranges do not see each other. */
	TRY(flock(fd, LOCK_EX | LOCK_NB));
	TRY(set(reads, F_OFD_SETLK, F_RDLCK, 0, 0));
	query(writes, F_OFD_GETLK, F_WRLCK, 0, 0);
	TRY(flock(reads, LOCK_SH | LOCK_NB));
	/* Nor do those of two files. */
	const int another = open("another", O_RDWR | O_CREAT, 0644);
	TRY(flock(another, LOCK_EX | LOCK_NB));
	TRY(set(another, F_OFD_SETLK, F_WRLCK, 0, 0));
}

int main(int argc, char **argv)
{
	check_enter(argc, argv, chdir);
	int a = open("file", O_RDWR | O_CREAT, 0644), b = open("file", O_RDWR),
	    c = open("file", O_RDWR);

	write(a, "ten bytes.", 10);
	numbers(a, b);
	parts(a, b);
	others(a, b, c);
	leaves(a, b);
	wrong(a);
	return 0;
}
