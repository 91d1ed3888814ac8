/*
 * Blocked signals stay pending, come when unblocked, and can be waited for.
 */
#include "check.h"
#include <signal.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t count, order[8];

static void counted(int number)
{
	order[count & 7] = number;
	count++;
}

int main(void)
{
	struct sigaction action = {.sa_handler = counted};
	struct timespec soon = {0, 1000000};
	sigset_t set, old, pending;
	siginfo_t info;
	int number;

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	sigaction(SIGRTMIN, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGRTMIN);
	TRY(sigprocmask(SIG_BLOCK, &set, &old));
	SHOW(sigismember(&old, SIGUSR1));
	raise(SIGUSR1);
	raise(SIGUSR1);
	raise(SIGUSR2);
	for (int i = 0; i < 3; i++)
		raise(SIGRTMIN);
	SHOW(count);
	TRY(sigpending(&pending));
	printf("pending %d %d %d %d\n", sigismember(&pending, SIGUSR1),
	       sigismember(&pending, SIGUSR2), sigismember(&pending, SIGRTMIN),
	       sigismember(&pending, SIGHUP));
	TRY(sigprocmask(SIG_SETMASK, &old, &set));
	SHOW(sigismember(&set, SIGUSR2));
	SHOW(count);
	sigpending(&pending);
	SHOW(sigisemptyset(&pending));

	count = 0;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	TRY(sigwaitinfo(&set, &info) == SIGUSR1);
	SHOW(info.si_signo == SIGUSR1);
	TRY(sigtimedwait(&set, &info, &soon));
	SHOW(count);
	raise(SIGUSR1);
	SHOW(sigwait(&set, &number));
	SHOW(number == SIGUSR1);
	raise(SIGUSR1);
	sigemptyset(&set);
	TRY(sigsuspend(&set));
	SHOW(count);
	sigprocmask(SIG_BLOCK, NULL, &set);
	SHOW(sigismember(&set, SIGUSR1));
	TRY(sigprocmask(77, &set, NULL));
	sigfillset(&set);
	TRY(sigprocmask(SIG_SETMASK, &set, NULL));
	sigprocmask(SIG_BLOCK, NULL, &set);
	printf("unblockable: %d %d\n", sigismember(&set, SIGKILL), sigismember(&set, SIGSTOP));

	return 0;
}
