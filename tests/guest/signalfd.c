/*
 * Signals are read through a descriptor, of the thread and of the process.
 */
#include "check.h"
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void *send_later(void *unused)
{
	usleep(20000);
	kill(getpid(), SIGUSR1);
	return unused;
}

int main(void)
{
	struct signalfd_siginfo info[4];
	union sigval value = {.sival_int = 99};
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = 5};
	sigset_t set, pending;
	pthread_t other;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	TRY(signalfd(-1, &set, 4));
	TRY(signalfd(0, &set, 0));
	TRY(signalfd(999, &set, 0));
	int fd = OPEN(signalfd(-1, &set, SFD_NONBLOCK));
	struct pollfd one = {fd, POLLIN, 0};
	TRY(read(fd, info, sizeof(info)));
	TRY(read(fd, info, 8));
	TRY(poll(&one, 1, 0));
	raise(SIGUSR1);
	TRY(poll(&one, 1, 0));
	TRY(read(fd, info, sizeof(info)));
	SHOW(info[0].ssi_signo);
	TRUTH(info[0].ssi_pid == (uint32_t)getpid());
	sigqueue(getpid(), SIGRTMIN, value);
	sigqueue(getpid(), SIGRTMIN, value);
	kill(getpid(), SIGCHLD);
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGUSR1);
	TRY(sigpending(&pending));
	SHOW(sigismember(&pending, SIGCHLD));
	TRY(read(fd, info, sizeof(info)));
	for (int i = 0; i < 4; i++) {
		SHOW(info[i].ssi_signo);
		SHOW(info[i].ssi_code);
		SHOW(info[i].ssi_int);
	}
	TRY(read(fd, info, sizeof(info)));
	close(fd);
	fd = OPEN(signalfd(-1, &set, 0));
	int poller = epoll_create1(0);
	TRY(epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event));
	pthread_create(&other, NULL, send_later, NULL);
	TRY(epoll_wait(poller, &event, 1, 5000));
	pthread_join(other, NULL);
	TRY(read(fd, info, sizeof(info)));
	pthread_create(&other, NULL, send_later, NULL);
	TRY(read(fd, info, sizeof(info)));
	SHOW(info[0].ssi_signo);
	pthread_join(other, NULL);
	sigdelset(&set, SIGUSR1);
	TRUTH(signalfd(fd, &set, 0) == fd);
	raise(SIGUSR1);
	one.fd = fd;
	TRY(poll(&one, 1, 0));
	TRY(write(fd, info, 1));
	return 0;
}
