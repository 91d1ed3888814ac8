/*
 * ppoll, pselect and epoll_pwait wait with the signal mask they are given, and restore it.
 */
#include "check.h"
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile sig_atomic_t calls;
static int masked_in_handler;

static void handler(int number)
{
	sigset_t now;

	sigprocmask(SIG_SETMASK, NULL, &now);
	masked_in_handler = sigismember(&now, SIGUSR2) * 2 + sigismember(&now, number);
	calls++;
}

static int is_blocked(int number)
{
	sigset_t now;

	sigprocmask(SIG_SETMASK, NULL, &now);
	return sigismember(&now, number);
}

int main(void)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct timespec soon = {0, 20000000}, none = {0, 0};
	sigset_t usr1, usr2, empty;
	int ends[2], poller = epoll_create1(0);

	pipe(ends);
	struct pollfd one = {ends[0], POLLIN, 0};
	struct epoll_event event = {.events = EPOLLIN};
	epoll_ctl(poller, EPOLL_CTL_ADD, ends[0], &event);
	sigemptyset(&empty);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigemptyset(&usr2);
	sigaddset(&usr2, SIGUSR2);
	sigaction(SIGUSR1, &action, NULL);
	sigprocmask(SIG_SETMASK, &usr1, NULL);

	raise(SIGUSR1);
	SHOW(calls);
	TRY(ppoll(&one, 1, &soon, NULL));
	SHOW(calls);
	TRY(ppoll(&one, 1, NULL, &usr2));
	SHOW(calls);
	SHOW(masked_in_handler);
	SHOW(is_blocked(SIGUSR1));
	SHOW(is_blocked(SIGUSR2));

	raise(SIGUSR1);
	TRY(ppoll(&one, 1, &none, &empty));
	SHOW(calls);
	raise(SIGUSR1);
	TRY(pselect(0, NULL, NULL, NULL, &soon, &empty));
	SHOW(calls);
	SHOW(is_blocked(SIGUSR1));
	raise(SIGUSR1);
	TRY(epoll_pwait(poller, &event, 1, -1, &empty));
	SHOW(calls);
	raise(SIGUSR1);
	TRY(epoll_pwait(poller, &event, 1, 0, &empty));
	SHOW(calls);

	/* What is ready comes first; the signal waits. */
	write(ends[1], "x", 1);
	raise(SIGUSR1);
	TRY(ppoll(&one, 1, NULL, &empty));
	SHOW(calls);
	TRY(epoll_pwait(poller, &event, 1, -1, &empty));
	SHOW(calls);
	SHOW(is_blocked(SIGUSR1));
	TRY(sigsuspend(&empty));
	SHOW(calls);
	SHOW(is_blocked(SIGUSR1));
	TRY(syscall(SYS_ppoll, &one, 1, NULL, &empty, 4));
	TRY(syscall(SYS_ppoll, &one, 1, NULL, 8, 8));
	return 0;
}
