/*
 * Waits that a handler ends with EINTR although it restarts other calls: events, signals, sockets
 * with a timeout.
 *
 * link: static
 * beside: host
 */
#include "check.h"
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static int handled;

static void handle(int number)
{
	(void)number;
	handled++;
}

static void soon(void)
{
	setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, 20000}}, NULL);
}

static void of_sockets(void)
{
	struct timeval second = {1, 0}, none = {0, 0};
	int ends[2];
	char byte;

	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second));
	soon();
	TRY(recv(ends[0], &byte, 1, 0));
	soon();
	TRY(read(ends[0], &byte, 1));
	setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &second, sizeof(second));
	while (send(ends[0], "0123456789", 10, MSG_DONTWAIT) == 10)
		;
	soon();
	TRY(send(ends[0], &byte, 1, 0));
	setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &none, sizeof(none));
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
	struct epoll_event event;
	struct pollfd nothing = {-1, 0, 0};
	siginfo_t info;
	sigset_t set;
	int poller = epoll_create1(0);

	sigaction(SIGALRM, &action, NULL);
	soon();
	TRY(epoll_wait(poller, &event, 1, 2000));
	soon();
	TRY(epoll_wait(poller, &event, 1, -1));
	soon();
	TRY(poll(&nothing, 1, 2000));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	soon();
	TRY(sigtimedwait(&set, &info, &(struct timespec){2, 0}));
	soon();
	TRY(sigwaitinfo(&set, &info));
	of_sockets();
	SHOW(handled);
	return 0;
}
