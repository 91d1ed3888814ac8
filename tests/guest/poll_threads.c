/*
 * poll, select and epoll with a time limit see what another thread makes ready.
 */
#include "check.h"
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void *write_later(void *number)
{
	const uint64_t one = 1;

	usleep(20000);
	write(*(int *)number, &one, sizeof(one));
	return NULL;
}

static void *close_later(void *number)
{
	usleep(20000);
	close(*(int *)number);
	return NULL;
}

/* Three ways to wait for one descriptor that a thread writes to. */
static void see(const char *what, int reader, int writer)
{
	uint64_t value[4];
	struct pollfd one = {reader, POLLIN, 0};
	struct timeval time = {5, 0};
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = 77};
	pthread_t other;
	fd_set set;
	int poller = epoll_create1(0);

	puts(what);
	pthread_create(&other, NULL, write_later, &writer);
	TRY(poll(&one, 1, 5000));
	SHOW(one.revents);
	pthread_join(other, NULL);
	TRY(read(reader, value, 8));
	FD_ZERO(&set);
	FD_SET(reader, &set);
	pthread_create(&other, NULL, write_later, &writer);
	TRY(select(reader + 1, &set, NULL, NULL, &time));
	pthread_join(other, NULL);
	TRY(read(reader, value, 8));
	TRY(epoll_ctl(poller, EPOLL_CTL_ADD, reader, &event));
	pthread_create(&other, NULL, write_later, &writer);
	event.data.u64 = 0;
	TRY(epoll_wait(poller, &event, 1, 5000));
	SHOW(event.data.u64);
	pthread_join(other, NULL);
	TRY(read(reader, value, 8));
	TRY(poll(&one, 1, 10));
	SHOW(one.revents);
	TRY(epoll_wait(poller, &event, 1, 10));
	close(poller);
}

int main(void)
{
	struct itimerspec setting = {{0, 0}, {0, 20000000}};
	int ends[2], sockets[2], event = eventfd(0, 0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
	pthread_t other;

	pipe(ends);
	see("pipe", ends[0], ends[1]);
	see("event", event, event);
	socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
	see("stream", sockets[0], sockets[1]);
	socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets);
	see("datagrams", sockets[0], sockets[1]);
	struct pollfd several[3] = {
		{sockets[0], POLLIN, 0}, {timer, POLLIN, 0}, {ends[0], POLLIN, 0}};
	TRY(timerfd_settime(timer, 0, &setting, NULL));
	TRY(poll(several, 3, 5000));
	SHOW(several[1].revents);
	several[1].fd = -1;
	pthread_create(&other, NULL, close_later, &ends[1]);
	TRY(poll(several, 3, 5000));
	SHOW(several[0].revents);
	SHOW(several[2].revents);
	pthread_join(other, NULL);
	/* A writer waits for room. */
	char block[4096] = "";
	pipe(ends);
	for (int i = 0; i < 16; i++)
		write(ends[1], block, sizeof(block));
	struct pollfd room = {ends[1], POLLOUT, 0};
	TRY(poll(&room, 1, 10));
	pthread_create(&other, NULL, write_later, &event);
	several[0].fd = event;
	TRY(poll(several, 1, -1));
	pthread_join(other, NULL);
	for (int i = 0; i < 16; i++)
		read(ends[0], block, sizeof(block));
	TRY(poll(&room, 1, 10));
	SHOW(room.revents);
	TRY(close(ends[0]));
	TRY(poll(&room, 1, 10));
	SHOW(room.revents & POLLERR);
	return 0;
}
