/*
 * epoll reports levels, edges and one-shot events in order, and refuses what it must.
 */
#include "check.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int poller;

static void wait_for_events(int most)
{
	struct epoll_event list[8];
	int count = epoll_wait(poller, list, most, 0);

	printf("%d:", count);
	for (int i = 0; i < count; i++)
		printf(" %llu=%x", (unsigned long long)list[i].data.u64, list[i].events);
	puts("");
}

static int change(int operation, int fd, uint32_t events, uint64_t data)
{
	struct epoll_event event = {.events = events, .data.u64 = data};

	return epoll_ctl(poller, operation, fd, &event);
}

int main(void)
{
	int ends[2], other[2], sockets[2], event = eventfd(0, EFD_NONBLOCK), chain[8];
	struct epoll_event list[4];
	const uint64_t one = 1;
	uint64_t value;
	char text[16];

	pipe(ends);
	pipe(other);
	poller = epoll_create1(EPOLL_CLOEXEC);
	TRY(epoll_create1(1));
	TRY(change(EPOLL_CTL_ADD, ends[0], EPOLLIN, 1));
	TRY(change(EPOLL_CTL_ADD, ends[0], EPOLLIN, 1));
	TRY(change(EPOLL_CTL_MOD, other[0], EPOLLIN, 2));
	TRY(change(EPOLL_CTL_DEL, other[0], EPOLLIN, 2));
	TRY(change(7, other[0], EPOLLIN, 2));
	TRY(change(EPOLL_CTL_ADD, poller, EPOLLIN, 2));
	TRY(change(EPOLL_CTL_ADD, 999, EPOLLIN, 2));
	TRY(epoll_ctl(ends[0], EPOLL_CTL_ADD, other[0], list));
	TRY(epoll_ctl(poller, EPOLL_CTL_ADD, other[0], NULL));
	TRY(epoll_wait(poller, list, 0, 0));
	TRY(epoll_wait(ends[0], list, 1, 0));
	TRY(epoll_wait(999, list, 1, 0));
	wait_for_events(4);

	puts("level");
	write(ends[1], "abc", 3);
	wait_for_events(4);
	wait_for_events(4);
	read(ends[0], text, 16);
	wait_for_events(4);

	puts("edge");
	TRY(change(EPOLL_CTL_MOD, ends[0], EPOLLIN | EPOLLET, 3));
	write(ends[1], "abc", 3);
	wait_for_events(4);
	wait_for_events(4);
	write(ends[1], "d", 1);
	wait_for_events(4);
	wait_for_events(4);
	TRY(change(EPOLL_CTL_MOD, ends[0], EPOLLIN | EPOLLET, 4));
	wait_for_events(4);
	wait_for_events(4);

	puts("one shot");
	TRY(change(EPOLL_CTL_MOD, ends[0], EPOLLIN | EPOLLONESHOT, 5));
	wait_for_events(4);
	write(ends[1], "e", 1);
	wait_for_events(4);
	TRY(change(EPOLL_CTL_MOD, ends[0], EPOLLIN | EPOLLONESHOT, 6));
	wait_for_events(4);
	TRY(change(EPOLL_CTL_DEL, ends[0], 0, 0));

	puts("order");
	change(EPOLL_CTL_ADD, ends[0], EPOLLIN, 1);
	change(EPOLL_CTL_ADD, other[0], EPOLLIN, 2);
	change(EPOLL_CTL_ADD, event, EPOLLIN, 3);
	write(event, &one, 8);
	write(other[1], "x", 1);
	wait_for_events(4);
	wait_for_events(1);
	wait_for_events(1);
	wait_for_events(1);
	wait_for_events(2);
	wait_for_events(2);
	read(event, &value, 8);
	wait_for_events(4);

	puts("closing");
	close(other[1]);
	wait_for_events(4);
	close(other[0]);
	wait_for_events(4);
	int copy = dup(ends[0]);
	close(ends[0]);
	wait_for_events(4);
	close(copy);
	wait_for_events(4);

	puts("sockets");
	socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
	change(EPOLL_CTL_ADD, sockets[0], EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, 9);
	wait_for_events(4);
	write(sockets[1], "x", 1);
	wait_for_events(4);
	shutdown(sockets[1], SHUT_WR);
	wait_for_events(4);
	close(sockets[1]);
	wait_for_events(4);

	puts("exclusive");
	TRY(change(EPOLL_CTL_MOD, sockets[0], EPOLLIN | EPOLLEXCLUSIVE, 9));
	TRY(change(EPOLL_CTL_DEL, sockets[0], 0, 0));
	TRY(change(EPOLL_CTL_ADD, sockets[0], EPOLLIN | EPOLLEXCLUSIVE | EPOLLONESHOT, 9));
	TRY(change(EPOLL_CTL_ADD, sockets[0], EPOLLIN | EPOLLEXCLUSIVE, 9));
	TRY(change(EPOLL_CTL_MOD, sockets[0], EPOLLIN, 9));
	TRY(change(EPOLL_CTL_DEL, sockets[0], 0, 0));

	puts("nested");
	for (int i = 0; i < 8; i++)
		chain[i] = epoll_create1(0);
	list[0] = (struct epoll_event){.events = EPOLLIN};
	for (int i = 0; i < 7; i++)
		TRY(epoll_ctl(chain[i], EPOLL_CTL_ADD, chain[i + 1], list));
	TRY(epoll_ctl(chain[1], EPOLL_CTL_ADD, chain[0], list));
	int inner = epoll_create1(0), outer = epoll_create1(0);
	TRY(epoll_ctl(outer, EPOLL_CTL_ADD, inner, list));
	TRY(epoll_ctl(inner, EPOLL_CTL_ADD, outer, list));
	TRY(epoll_ctl(inner, EPOLL_CTL_ADD, event, list));
	struct pollfd polled = {outer, POLLIN, 0};
	TRY(poll(&polled, 1, 0));
	write(event, &one, 8);
	TRY(poll(&polled, 1, 0));
	TRY(epoll_wait(outer, list, 4, 0));
	TRY(epoll_wait(inner, list, 4, 0));
	read(event, &value, 8);
	TRY(epoll_wait(outer, list, 4, 0));
	TRY(read(outer, text, 1));
	TRY(write(outer, text, 1));
	TRY(lseek(outer, 0, SEEK_SET));
	return 0;
}
