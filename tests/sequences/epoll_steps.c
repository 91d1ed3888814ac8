/*
 * epoll_steps.c - sequences on event polls that are changed while their sources change.
 *
 * Sources are pipes, event counters, a timer and pairs of sockets, all non-blocking; descriptors
 * are closed, copied, sent through sockets and opened anew while event polls watch them. e0 and e1
 * have a worker each that may wait for them, e2 may watch both. A line shows what happened, and
 * what poll says of every source.
 *
 * Each event poll has at most one waiter: the kernel promises no order among several. Little is put
 * into sockets, whose room is a matter of the kernel's bookkeeping.
 */
#define WORKERS 4
#include "sequence.h"
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#define FIRST_FD 20
enum slot {
	PIPE, /* and the next */
	EVENT = 2,
	SEMAPHORE,
	TIMER,
	STREAM, /* and the next */
	DATAGRAM = 7,
	PACKET = 9,
	SOURCES = 11,
	COPY = 11, /* and the next: copies of others */
	SLOTS = 13,
	POLL0 = 13,
	POLL2 = 15,
	ALL = 16,
	TIMED = 16, /* and the next: a pair of sockets that block */
};

static struct epoll_event found[WORKERS][8];
static struct pollfd polled[WORKERS][4];
static char received[4096];
static unsigned long nonce;

static int fd_of(int slot)
{
	return FIRST_FD + slot;
}

/* Who is woken by this has returned before something else changes. */
static void place(int fd, int slot)
{
	dup2(fd, fd_of(slot));
	close(fd);
	worker_settle();
}

/* Whether w2 polls it now. The kernel then watches what was there before, and asks what is there
 * after; what follows from changing it depends on who else is woken when. */
static bool is_polled(int slot)
{
	for (int i = 0; worker_is_busy(&workers[2]) && i < 4; i++)
		if (polled[2][i].fd == fd_of(slot))
			return true;
	return false;
}

/* The first slot of the object that a slot belongs to. */
static int object_of(int slot)
{
	if (slot < EVENT)
		return PIPE;
	return slot < STREAM ? slot : STREAM + (slot - STREAM) / 2 * 2;
}

static void open_object(int slot)
{
	static const int kinds[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
	int ends[2];

	switch (slot) {
	case PIPE: pipe2(ends, O_NONBLOCK); break;
	case EVENT: place(eventfd(0, EFD_NONBLOCK), slot); return;
	case SEMAPHORE: place(eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE), slot); return;
	case TIMER: place(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), slot); return;
	default: socketpair(AF_UNIX, kinds[(slot - STREAM) / 2] | SOCK_NONBLOCK, 0, ends); break;
	}
	/* Of two ends the second may have the number at which the first is to be. */
	place(ends[0], slot);
	place(ends[1], slot + 1);
}

static uint32_t any_events(void)
{
	static const uint32_t lists[] = {EPOLLIN,
					 EPOLLIN,
					 EPOLLOUT,
					 EPOLLIN | EPOLLOUT,
					 EPOLLIN | EPOLLRDHUP,
					 EPOLLRDHUP,
					 EPOLLIN | EPOLLPRI | EPOLLOUT,
					 0};
	static const uint32_t kinds[] = {
		0, 0, EPOLLET, EPOLLET, EPOLLONESHOT, EPOLLET | EPOLLONESHOT};

	return PICK(lists) | PICK(kinds) | (one_in(12) ? EPOLLEXCLUSIVE : 0);
}

static void step_control(void)
{
	static const char *const names[] = {"", "add", "del", "mod"};
	int at = POLL0 + (int)below(3), slot = (int)below(at == POLL2 || one_in(10) ? ALL : SLOTS);
	int operation = 1 + (int)below(3);
	struct epoll_event event = {.events = any_events(), .data.u64 = ++nonce};

	if (operation == EPOLL_CTL_DEL && one_in(2))
		operation = EPOLL_CTL_ADD;
	/* What two workers wait for must not be one: its edge would be for either. */
	if (at != POLL2 && (slot == POLL0 || slot == POLL0 + 1))
		return;
	say("%s e%d %d %x #%lu", names[operation], at - POLL0, slot, event.events, nonce);
	say_result(" = ", epoll_ctl(fd_of(at), operation, fd_of(slot), &event));
}

static void say_events(const struct epoll_event *events, long count)
{
	for (long i = 0; i < count; i++)
		say(" #%lu:%x", (unsigned long)events[i].data.u64, events[i].events);
}

/* Memory for so many events, behind which there is none. */
static struct epoll_event *room_for(int count)
{
	static char *pages;

	if (!pages) {
		pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);
		munmap(pages + PAGE, PAGE);
	}
	return (struct epoll_event *)(pages + PAGE) - count;
}

static void step_ask(void)
{
	int at = POLL0 + (int)below(3), most = 1 + (int)below(8);
	int room = one_in(4) ? (int)below(3) : most;
	struct epoll_event *events = room_for(room);

	if (at != POLL2 && worker_is_busy(&workers[at - POLL0]))
		return;
	say("ask e%d for %d", at - POLL0, most);
	if (room < most)
		say(" with room for %d", room);
	int count = epoll_wait(fd_of(at), events, most, 0);
	say_result(" = ", count);
	say_events(events, count);
}

static void step_wait(void)
{
	int which = (int)below(2);
	struct worker *worker = &workers[which];
	bool is_soon = one_in(6);

	if (worker_is_busy(worker))
		return;
	say("w%d waits for e%d%s", which, which, is_soon ? " for a moment" : "");
	WORKER_CALL(worker, "epoll", SYS_epoll_pwait, fd_of(POLL0 + which), (long)found[which],
		    1 + below(4), is_soon ? 2 : -1, 0, 8);
	if (is_soon)
		worker_await(worker);
}

static void step_poll(void)
{
	static const short events[] = {POLLIN, POLLOUT, POLLIN | POLLOUT, POLLRDHUP, 0};
	struct worker *worker = &workers[2];

	if (worker_is_busy(worker))
		return;
	say("w2 polls");
	for (int i = 0; i < 4; i++) {
		int slot = (int)below(SLOTS);

		/* A closed one would be found at once. */
		if (fcntl(fd_of(slot), F_GETFD) < 0 && !one_in(4))
			slot = EVENT;
		polled[2][i] = (struct pollfd){fd_of(slot), PICK(events), 0};
		say(" %d:%x", slot, (unsigned)polled[2][i].events);
	}
	WORKER_CALL(worker, "poll", SYS_ppoll, (long)polled[2], 4, 0, 0, 8);
}

static void step_select(void)
{
	fd_set sets[3];
	struct timeval now = {0, 0};

	say("select");
	for (int s = 0; s < 3; s++) {
		FD_ZERO(&sets[s]);
		for (int i = 0; i < 4; i++)
			FD_SET(fd_of((int)below(ALL)), &sets[s]);
	}
	if (one_in(2))
		for (int i = 0; i < ALL; i++)
			if (fcntl(fd_of(i), F_GETFD) < 0)
				for (int s = 0; s < 3; s++)
					FD_CLR(fd_of(i), &sets[s]);
	int count = select(fd_of(ALL), &sets[0], &sets[1], &sets[2], &now);
	say_result(" = ", count);
	for (int s = 0; s < 3 && count > 0; s++) {
		say(" /");
		for (int i = 0; i < ALL; i++)
			if (FD_ISSET(fd_of(i), &sets[s]))
				say(" %d", i);
	}
}

/* A datagram that nobody takes is made and thrown away, which the kernel tells as room for more. */
static bool fails_late(int slot)
{
	return (slot == DATAGRAM && fcntl(fd_of(DATAGRAM + 1), F_GETFD) < 0) ||
	       (slot == DATAGRAM + 1 && fcntl(fd_of(DATAGRAM), F_GETFD) < 0) || slot >= COPY;
}

static void step_put(void)
{
	int slot = (int)below(SLOTS);
	static const uint64_t values[] = {1, 2, 3, UINT64_MAX - 1};
	static const char text[65536];
	uint64_t value = PICK(values);
	bool is_large = slot < EVENT && one_in(3);

	if (fails_late(slot))
		return;
	say("put %d", slot);
	if (slot == EVENT || slot == SEMAPHORE)
		say_result(" = ", write(fd_of(slot), &value, 8));
	else
		say_result(" = ", write(fd_of(slot), text, is_large ? sizeof(text) : 8));
}

static void step_take(void)
{
	int slot = (int)below(SLOTS);
	static char text[70000];

	say("take %d", slot);
	say_result(" = ", read(fd_of(slot), text, one_in(2) ? 8 : sizeof(text)));
}

static void step_timer(void)
{
	struct itimerspec time = {{0, 0}, {0, one_in(3) ? 0 : 1000000}};

	say("timer %s", time.it_value.tv_nsec ? "soon" : "never");
	say_result(" = ", timerfd_settime(fd_of(TIMER), 0, &time, NULL));
	time_passes(3);
}

static void step_shut(void)
{
	int slot = STREAM + (int)below(6), how = (int)below(3);

	if (!one_in(3) || (slot >= DATAGRAM && slot < PACKET && how != SHUT_WR))
		return;
	say("shutdown %d %d", slot, how);
	say_result(" = ", shutdown(fd_of(slot), how));
}

static void step_close(void)
{
	int slot = (int)below(SLOTS);

	if (!one_in(2) || is_polled(slot))
		return;
	say("close %d", slot);
	say_result(" = ", close(fd_of(slot)));
}

static void step_open(void)
{
	int slot = object_of((int)below(SOURCES));
	bool has_two = slot == PIPE || slot >= STREAM;

	if (is_polled(slot) || (has_two && is_polled(slot + 1)))
		return;
	if (fcntl(fd_of(slot), F_GETFD) >= 0 &&
	    (!has_two || fcntl(fd_of(slot + 1), F_GETFD) >= 0) && !one_in(20))
		return;
	say("open %d", slot);
	open_object(slot);
}

static void step_copy(void)
{
	int from = (int)below(SOURCES), to = COPY + (int)below(2);

	if (!one_in(3) || is_polled(to))
		return;
	say("copy %d to %d", from, to);
	say_result(" = ", dup3(fd_of(from), fd_of(to), one_in(2) ? O_CLOEXEC : 0) < 0 ? -1 : 0);
}

static void step_send_right(void)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {.bytes = {0}};
	/* No socket is sent: the kernel collects those that hold each other when it has time. */
	int slot = STREAM + (int)below(6), sent = (int)below(STREAM), fd = fd_of(sent);
	struct iovec vector = {(char[]){"x"}, 1};
	struct msghdr message = {.msg_iov = &vector,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};

	control.header = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	if (fails_late(slot))
		return;
	say("send %d through %d", sent, slot);
	say_result(" = ", sendmsg(fd_of(slot), &message, MSG_NOSIGNAL));
}

static void step_receive_right(void)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	int slot = STREAM + (int)below(6), to = COPY + (int)below(2), fd,
	    flags = one_in(4) ? MSG_PEEK : 0;
	/* Where it leaves what it shows, the kernel also shows rights behind the last byte shown.
	 */
	struct iovec vector = {received, one_in(2) && !flags ? 1 : sizeof(received)};
	struct msghdr message = {.msg_iov = &vector,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};

	if (is_polled(to))
		return;
	say("receive from %d%s", slot, flags ? " and leave" : "");
	long bytes = recvmsg(fd_of(slot), &message, flags);
	say_result(" = ", bytes);
	if (bytes < 0)
		return;
	say(" flags %x", (unsigned)message.msg_flags);
	const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	if (!header || header->cmsg_type != SCM_RIGHTS)
		return;
	memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	say(" with one");
	place(fd, to);
}

/* A pair of sockets that block, with a time after which a call gives up. */
static void step_timed(void)
{
	struct worker *worker = &workers[3];
	struct timeval limit = {0, one_in(2) ? 2000 : 0};

	if (one_in(3)) {
		say("put timed");
		say_result(" = ", send(fd_of(TIMED), "abc", 1 + below(3), MSG_DONTWAIT));
		return;
	}
	if (worker_is_busy(worker))
		return;
	setsockopt(fd_of(TIMED + 1), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	int flags = one_in(3) ? MSG_WAITALL : one_in(4) ? MSG_PEEK : 0;
	say("w3 receives%s%s", limit.tv_usec ? " for a moment" : "",
	    flags == MSG_WAITALL ? " all"
	    : flags		 ? " and leaves"
				 : "");
	WORKER_CALL(worker, "receive", SYS_recvfrom, fd_of(TIMED + 1), (long)received, 1 + below(5),
		    flags, 0, 0);
	if (limit.tv_usec)
		worker_await(worker);
}

static void say_state(unsigned returned)
{
	struct pollfd list[ALL];

	for (int i = 0; i < 2; i++)
		if (returned >> i & 1)
			say_events(found[i], workers[i].result);
	for (int i = 0; returned >> 2 & 1 && i < 4; i++)
		say(" %x", (unsigned)polled[2][i].revents);
	say(" |");
	for (int i = 0; i < ALL; i++)
		list[i] = (struct pollfd){fd_of(i), POLLIN | POLLOUT | POLLRDHUP | POLLPRI, 0};
	/* Asking an event poll drops what is no longer ready from its queue, so not always. */
	poll(list, nonce % 3 ? SLOTS : ALL, 0);
	for (int i = 0; i < (nonce % 3 ? SLOTS : ALL); i++)
		say(" %x", (unsigned)list[i].revents);
}

static void step(void)
{
	static void (*const kinds[])(void) = {
		step_control, step_control, step_control,    step_control,	 step_control,
		step_control, step_control, step_ask,	     step_ask,		 step_ask,
		step_wait,    step_wait,    step_poll,	     step_select,	 step_put,
		step_put,     step_put,	    step_take,	     step_take,		 step_take,
		step_timer,   step_shut,    step_close,	     step_open,		 step_open,
		step_copy,    step_timed,   step_send_right, step_receive_right, step_receive_right,
	};

	PICK(kinds)();
}

int main(int argc, char **argv)
{
	unsigned steps = sequence_begin(argc, argv);
	int ends[2];

	signal(SIGPIPE, SIG_IGN);
	for (int i = 0; i < SOURCES; i++)
		if (object_of(i) == i)
			open_object(i);
	for (int i = POLL0; i <= POLL2; i++)
		place(epoll_create1(0), i);
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	place(ends[0], TIMED);
	place(ends[1], TIMED + 1);
	workers_start();
	for (unsigned i = 1; i <= steps; i++) {
		while (!line_used)
			step();
		worker_settle();
		say_state(say_returned());
		line_end(i);
	}
	_exit(0);
}
