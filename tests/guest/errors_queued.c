/*
 * Signals that carry information: what a process may say to itself and to others, and what arrives.
 *
 * link: static
 * beside: host
 */
#include "edge.h"
#include <signal.h>
#include <time.h>

#define SEND(to, number, info)		 RAW(rt_sigqueueinfo, to, number, info)
#define SEND_TO(group, to, number, info) RAW(rt_tgsigqueueinfo, group, to, number, info)

static siginfo_t with_code(int code)
{
	siginfo_t info = {.si_signo = 99};

	info.si_code = code;
	info.si_pid = 12345;
	info.si_uid = 54321;
	info.si_value.sival_int = 77;
	return info;
}

/* What arrives, if anything does. */
static void take(void)
{
	struct timespec none = {0};
	siginfo_t got;
	sigset_t set;

	sigfillset(&set);
	memset(&got, 0, sizeof(got));
	const int number = sigtimedwait(&set, &got, &none);
	if (number < 0)
		printf("nothing: %s\n", check_error(errno));
	else
		printf("signal %d: %d code %d pid %d uid %d value %d\n", number, got.si_signo,
		       got.si_code, (int)got.si_pid, (int)got.si_uid, got.si_value.sival_int);
}

int main(void)
{
	static const int codes[] = {SI_USER, SI_QUEUE, SI_TKILL, SI_MESGQ, 1, 5, SI_KERNEL, -100};
	const pid_t us = getpid();
	siginfo_t info;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		printf("# code %d\n", codes[i]);
		info = with_code(codes[i]);
		SEND(us, SIGUSR1, &info);
		take();
		SEND_TO(us, us, SIGRTMIN, &info);
		take();
		SEND(us, SIGCHLD, &info);
		take();
		SEND(1 << 29, SIGUSR1, &info);
		SEND_TO(1 << 29, us, SIGUSR1, &info);
		SEND_TO(us, 1 << 29, SIGUSR1, &info);
		SEND_TO(us, us, 0, &info);
		SEND_TO(us, us, 65, &info);
		SEND_TO(us, us, -1, &info);
		SEND(us, 0, &info);
		SEND(us, 65, &info);
		take();
	}
	puts("# wrong");
	info = with_code(SI_QUEUE);
	SEND(us, SIGUSR1, NULL);
	SEND(us, SIGUSR1, BEFORE(info));
	take();
	SEND(1 << 29, SIGUSR1, NULL);
	SEND_TO(1 << 29, 1 << 29, SIGUSR1, NULL);
	SEND_TO(us, us, 65, NULL);
	SEND_TO(0, us, SIGUSR1, &info);
	SEND_TO(us, 0, SIGUSR1, &info);
	SEND_TO(-1, us, SIGUSR1, &info);
	SEND_TO(us, -1, SIGUSR1, &info);
	SEND_TO(0, 0, SIGUSR1, NULL);
	SEND_TO(0, 0, 65, &info);
	take();
	return 0;
}
