/*
 * Event counters add up, count down as semaphores, and wait where they must.
 */
#include "check.h"
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int event;

static void *take(void *unused)
{
	uint64_t value;

	usleep(20000);
	read(event, &value, 8);
	return unused;
}

static long long get(int fd)
{
	uint64_t value = 0;
	ssize_t got = read(fd, &value, 8);

	return got == 8 ? (long long)value : got;
}

static long long put(int fd, uint64_t value)
{
	return write(fd, &value, 8);
}

int main(void)
{
	struct stat info;
	char small[4] = "";
	pthread_t other;

	TRY(syscall(SYS_eventfd2, 0, 4));
	event = OPEN(eventfd(3, EFD_NONBLOCK));
	TRY(get(event));
	TRY(get(event));
	TRY(put(event, 5));
	TRY(put(event, 7));
	TRY(get(event));
	TRY(put(event, UINT64_MAX));
	TRY(put(event, UINT64_MAX - 1));
	TRY(put(event, 1));
	struct pollfd one = {event, POLLIN | POLLOUT, 0};
	TRY(poll(&one, 1, 0));
	SHOW(one.revents);
	TRY(get(event));
	TRY(poll(&one, 1, 0));
	SHOW(one.revents);
	TRY(read(event, small, 4));
	TRY(write(event, small, 4));
	TRY(write(event, (void *)8, 8));
	TRY(lseek(event, 0, SEEK_CUR));
	TRY(pread(event, small, 4, 0));
	TRY(ftruncate(event, 0));
	TRY(fcntl(event, F_GETFL));
	TRY(fstat(event, &info));
	SHOW(info.st_mode & S_IFMT);
	close(event);

	event = eventfd(2, EFD_SEMAPHORE);
	int copy = dup(event);
	TRY(get(event));
	TRY(get(copy));
	TRY(fcntl(copy, F_SETFL, O_NONBLOCK));
	TRY(get(event));
	TRY(fcntl(copy, F_SETFL, 0));
	TRY(put(event, UINT64_MAX - 1));
	pthread_create(&other, NULL, take, NULL);
	TRY(put(event, 1));
	pthread_join(other, NULL);
	TRY(close(event));
	TRY(get(copy));
	TRY(close(copy));
	TRY(get(copy));
	return 0;
}
