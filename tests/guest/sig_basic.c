/*
 * Handlers run on raise and kill, with their masks, flags and SA_SIGINFO data.
 */
#include "check.h"
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile sig_atomic_t seen, calls, depth, deepest, code, sender_is_me, value;

static void plain(int number)
{
	seen = number;
}

static void nested(int number)
{
	depth++;
	if (depth > deepest)
		deepest = depth;
	if (++calls < 3)
		raise(number);
	depth--;
}

static void informed(int number, siginfo_t *info, void *context)
{
	seen = number;
	code = info->si_code;
	sender_is_me = info->si_pid == getpid();
	value = info->si_value.sival_int;
	TRUTH(info->si_signo == number);
	TRUTH(context != NULL);
}

int main(void)
{
	struct sigaction action = {.sa_handler = plain}, old;

	for (int number = 1; number < 63; number++) {
		if (number == SIGKILL || number == SIGSTOP || number == 32 || number == 33)
			continue;
		seen = 0;
		if (sigaction(number, &action, NULL) || raise(number) || seen != number)
			printf("signal %d was not handled\n", number);
	}
	TRY(sigaction(SIGKILL, &action, NULL));
	TRY(sigaction(SIGSTOP, &action, NULL));
	TRY(sigaction(65, &action, NULL));
	TRY(sigaction(SIGUSR1, NULL, &old));
	TRUTH(old.sa_handler == plain);
	TRY(kill(getpid(), SIGUSR2));
	SHOW(seen == SIGUSR2);
	TRY(kill(getpid(), 0));
	TRY(kill(getpid(), 99));
	seen = 0;
	TRY(syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1));
	SHOW(seen == SIGUSR1);
	seen = 0;
	TRY(syscall(SYS_tkill, gettid(), SIGUSR1));
	SHOW(seen == SIGUSR1);

	action.sa_handler = nested;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	SHOW(deepest);
	deepest = depth = calls = 0;
	action.sa_flags = SA_NODEFER;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	SHOW(deepest);

	action.sa_handler = plain;
	action.sa_flags = SA_RESETHAND;
	sigaction(SIGURG, &action, NULL);
	seen = 0;
	raise(SIGURG);
	SHOW(seen == SIGURG);
	sigaction(SIGURG, NULL, &old);
	TRUTH(old.sa_handler == SIG_DFL);
	seen = 0;
	raise(SIGURG);
	SHOW(seen);

	action.sa_flags = SA_SIGINFO;
	action.sa_sigaction = informed;
	sigaction(SIGUSR2, &action, NULL);
	kill(getpid(), SIGUSR2);
	SHOW(code == SI_USER);
	SHOW(sender_is_me);
	raise(SIGUSR2);
	SHOW(code == SI_TKILL);
	TRY(sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = 4711}));
	SHOW(code == SI_QUEUE);
	SHOW(value);

	signal(SIGTERM, SIG_IGN);
	TRY(raise(SIGTERM));
	signal(SIGCHLD, SIG_DFL);
	TRY(raise(SIGCHLD));
	return 0;
}
