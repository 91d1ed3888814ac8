/*
 * Locks of two descriptions of one file exclude each other within one process.
 *
 * data: yes
 * link: static
 * beside: host
 */
#include "check.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

static int set(int fd, int command, int type, off_t start, off_t bytes)
{
	struct flock lock = {.l_type = (short)type, .l_start = start, .l_len = bytes};

	return fcntl(fd, command, &lock);
}

static void query(int fd, int type, off_t start, off_t bytes)
{
	struct flock lock = {.l_type = (short)type, .l_start = start, .l_len = bytes};

	if (fcntl(fd, F_OFD_GETLK, &lock) != 0)
		printf("query -> %s\n", check_error(errno));
	else if (lock.l_type == F_UNLCK)
		puts("query -> free");
	else
		printf("query -> %d from %ld, %ld bytes, of %d\n", lock.l_type, (long)lock.l_start,
		       (long)lock.l_len, lock.l_pid);
}

static void whole(int a, int b, int same)
{
	TRY(flock(a, LOCK_SH));
	TRY(flock(b, LOCK_SH | LOCK_NB));
	TRY(flock(a, LOCK_EX | LOCK_NB));
	TRY(flock(b, LOCK_UN));
	TRY(flock(a, LOCK_EX | LOCK_NB));
	TRY(flock(b, LOCK_SH | LOCK_NB));
	TRY(flock(same, LOCK_SH | LOCK_NB));
	TRY(flock(b, LOCK_SH | LOCK_NB));
	TRY(flock(same, LOCK_UN));
	TRY(flock(b, LOCK_EX | LOCK_NB));
	TRY(flock(b, LOCK_UN));
}

static void ranges(int a, int b)
{
	TRY(set(a, F_OFD_SETLK, F_WRLCK, 10, 10));
	TRY(set(b, F_OFD_SETLK, F_RDLCK, 0, 10));
	TRY(set(b, F_OFD_SETLK, F_RDLCK, 0, 11));
	TRY(set(b, F_OFD_SETLK, F_WRLCK, 19, 0));
	query(b, F_RDLCK, 15, 1);
	query(b, F_RDLCK, 20, 1);
	TRY(set(a, F_OFD_SETLK, F_RDLCK, 10, 10));
	TRY(set(b, F_OFD_SETLK, F_RDLCK, 0, 0));
	TRY(set(a, F_OFD_SETLK, F_WRLCK, 12, 1));
	TRY(set(b, F_OFD_SETLK, F_UNLCK, 12, 1));
	TRY(set(a, F_OFD_SETLK, F_WRLCK, 12, 1));
	query(b, F_RDLCK, 0, 0);
	query(a, F_WRLCK, 0, 5);
	/* The process's own locks do not exclude each other, but those of descriptions do. */
	TRY(set(a, F_SETLK, F_WRLCK, 100, 10));
	TRY(set(b, F_SETLK, F_UNLCK, 0, 0));
	TRY(set(a, F_OFD_SETLK, F_UNLCK, 0, 0));
	TRY(set(b, F_OFD_SETLK, F_UNLCK, 0, 0));
	TRY(set(b, F_SETLK, F_WRLCK, 100, 10));
	TRY(set(a, F_SETLK, F_WRLCK, 100, 10));
	TRY(set(a, F_OFD_SETLK, F_WRLCK, 105, 1));
	TRY(set(a, F_SETLK, F_UNLCK, 0, 0));
}

static void *lock_later(void *argument)
{
	usleep(20000);
	flock(*(int *)argument, LOCK_UN);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	check_enter(argc, argv, chdir);
	int a = open("file", O_RDWR | O_CREAT, 0644), b = open("file", O_RDWR), same = dup(a);

	whole(a, b, same);
	ranges(a, b);
	/* Closing the last descriptor of a description gives its locks up. */
	TRY(flock(a, LOCK_EX));
	close(a);
	TRY(flock(b, LOCK_SH | LOCK_NB));
	close(same);
	TRY(flock(b, LOCK_SH | LOCK_NB));
	a = open("file", O_RDWR);
	pthread_create(&thread, NULL, lock_later, &b);
	TRY(flock(a, LOCK_EX));
	pthread_join(thread, NULL);
	return 0;
}
