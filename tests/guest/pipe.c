/*
 * A pipe carries bytes in order, ends in end-of-file, and breaks with EPIPE and SIGPIPE.
 */
#include "check.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/select.h>
#include <unistd.h>

static volatile sig_atomic_t broken;

static void on_pipe(int number)
{
	broken = number;
}

static void waiting(int out, int in)
{
	struct pollfd fds[2] = {{out, POLLIN, 0}, {in, POLLOUT, 0}};
	struct timeval now = {0, 0};
	fd_set set;
	char byte;

	TRY(poll(fds, 2, 0));
	printf("%x %x\n", fds[0].revents, fds[1].revents);
	write(in, "p", 1);
	TRY(poll(fds, 2, -1));
	printf("%x %x\n", fds[0].revents, fds[1].revents);
	FD_ZERO(&set);
	FD_SET(out, &set);
	TRY(select(out + 1, &set, NULL, NULL, &now));
	SHOW(FD_ISSET(out, &set) != 0);
	read(out, &byte, 1);
	TRY(select(out + 1, &set, NULL, NULL, &now));
	fds[0].fd = -1;
	fds[1].fd = 1000;
	TRY(poll(fds, 2, 0));
	printf("%x %x\n", fds[0].revents, fds[1].revents);
}

int main(void)
{
	static char block[4096];
	int ends[2];
	char text[16] = "";
	long total = 0, got;

	TRY(pipe(ends));
	TRY(write(ends[1], "hello", 5));
	TRY(write(ends[1], "world", 5));
	TRY(read(ends[0], text, 3));
	TRY(read(ends[0], text + 3, 12));
	puts(text);
	waiting(ends[0], ends[1]);
	TRY(lseek(ends[0], 0, SEEK_SET));
	TRY(write(ends[0], "x", 1));
	TRY(read(ends[1], text, 1));
	TRY(fcntl(ends[0], F_SETFL, O_NONBLOCK));
	TRY(read(ends[0], text, 1));
	TRY(fcntl(ends[1], F_SETFL, O_NONBLOCK));
	while ((got = write(ends[1], block, sizeof(block))) > 0)
		total += got;
	printf("full: %s after %ld\n", check_error(errno), total);
	while ((got = read(ends[0], block, sizeof(block))) > 0)
		total -= got;
	SHOW(total);
	TRY(close(ends[1]));
	TRY(read(ends[0], text, 1));
	TRY(close(ends[0]));

	TRY(pipe2(ends, O_CLOEXEC));
	SHOW(fcntl(ends[0], F_GETFD));
	TRY(close(ends[0]));
	signal(SIGPIPE, SIG_IGN);
	TRY(write(ends[1], "x", 1));
	signal(SIGPIPE, on_pipe);
	TRY(write(ends[1], "x", 1));
	SHOW(broken == SIGPIPE);
	fflush(stdout);
	signal(SIGPIPE, SIG_DFL);
	write(ends[1], "x", 1);
	puts("a write to a broken pipe returned");
	return 0;
}
