/*
 * Pipes in packet mode keep what is written together apart; sizes, and pages given to a full pipe.
 *
 * link: static
 * beside: host
 */
#include "check.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

static char buffer[100000] __attribute__((aligned(4096)));

static void packets(void)
{
	int ends[2], count;

	TRY(pipe2(ends, O_DIRECT | O_NONBLOCK));
	SHOW(!!(fcntl(ends[1], F_GETFL) & O_DIRECT));
	TRY(write(ends[1], "one", 3));
	TRY(write(ends[1], "twotwo", 6));
	TRY(write(ends[1], "three", 5));
	TRY(ioctl(ends[0], FIONREAD, &count));
	SHOW(count);
	TRY(read(ends[0], buffer, sizeof(buffer)));
	/* What does not fit is lost. */
	TRY(read(ends[0], buffer, 2));
	printf("%.2s\n", buffer);
	TRY(read(ends[0], buffer, sizeof(buffer)));
	TRY(read(ends[0], buffer, sizeof(buffer)));
	/* More than a page is more than a packet. */
	TRY(write(ends[1], buffer, 5000));
	TRY(read(ends[0], buffer, sizeof(buffer)));
	TRY(read(ends[0], buffer, sizeof(buffer)));
	for (count = 0; write(ends[1], "x", 1) == 1;)
		count++;
	SHOW(count);
	/* The mode can be changed. */
	TRY(read(ends[0], buffer, 1));
	TRY(fcntl(ends[1], F_SETFL, O_NONBLOCK));
	TRY(write(ends[1], "yy", 2));
	TRY(write(ends[1], "zz", 2));
	while ((count = (int)read(ends[0], buffer, 100)) == 1)
		;
	SHOW(count);
	TRY(fcntl(ends[1], F_SETFL, O_NONBLOCK | O_DIRECT));
	TRY(write(ends[1], "a", 1));
	TRY(write(ends[1], "b", 1));
	TRY(read(ends[0], buffer, 100));
	close(ends[0]);
	close(ends[1]);
}

static void *drain(void *argument)
{
	usleep(10000);
	return (void *)read(*(int *)argument, buffer, 5000);
}

static void sizes(void)
{
	pthread_t thread;
	void *got;
	struct iovec page = {buffer, 4096};
	int ends[2];

	TRY(pipe(ends));
	TRY(fcntl(ends[0], F_GETPIPE_SZ));
	TRY(fcntl(ends[0], F_SETPIPE_SZ, 0));
	TRY(fcntl(ends[0], F_SETPIPE_SZ, 1));
	TRY(fcntl(ends[0], F_SETPIPE_SZ, 5000));
	TRY(fcntl(ends[1], F_SETPIPE_SZ, 70000));
	TRY(fcntl(ends[1], F_SETPIPE_SZ, 1 << 20));
	TRY(fcntl(ends[1], F_SETPIPE_SZ, -1));
	TRY(write(ends[1], buffer, 10000));
	TRY(fcntl(ends[1], F_SETPIPE_SZ, 4096));
	TRY(fcntl(ends[1], F_SETPIPE_SZ, 16384));
	TRY(fcntl(ends[1], F_SETFL, O_NONBLOCK));
	TRY(vmsplice(ends[1], &page, 1, 0));
	TRY(vmsplice(ends[1], &page, 1, SPLICE_F_NONBLOCK));
	/* A pipe that does not wait makes the call wait all the same. */
	pthread_create(&thread, NULL, drain, ends);
	TRY(vmsplice(ends[1], &page, 1, 0));
	pthread_join(thread, &got);
	SHOW((long)got);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	packets();
	sizes();
	return 0;
}
