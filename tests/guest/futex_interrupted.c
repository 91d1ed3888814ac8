/*
 * A wait for a lock that a signal interrupts is made again: its handler is told of the call itself.
 *
 * only: cyclestack
 */
#include "check.h"
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static uint32_t lock;
static volatile int is_held, handled, is_call;
static pid_t waiter;

static long futex(int operation)
{
	return syscall(SYS_futex, &lock, operation, 0, NULL, NULL, 0);
}

static void look(int number, siginfo_t *info, void *context)
{
	static const unsigned char ecall[4] = {0x73};
	const ucontext_t *at = context;

	(void)number;
	(void)info;
	is_call = memcmp((const void *)at->uc_mcontext.__gregs[REG_PC], ecall, 4) == 0;
	handled++;
}

static void *hold(void *unused)
{
	futex(FUTEX_LOCK_PI);
	is_held = 1;
	usleep(20000);
	syscall(SYS_tgkill, getpid(), waiter, SIGUSR1);
	while (!handled)
		usleep(1000);
	TRUTH(!(lock & FUTEX_TID_MASK) == 0);
	TRY(futex(FUTEX_UNLOCK_PI));
	return unused;
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = look, .sa_flags = SA_SIGINFO};
	pthread_t holder;

	waiter = (pid_t)syscall(SYS_gettid);
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&holder, NULL, hold, NULL);
	while (!is_held)
		usleep(1000);
	TRY(futex(FUTEX_LOCK_PI));
	pthread_join(holder, NULL);
	TRUTH((lock & FUTEX_TID_MASK) == (uint32_t)waiter);
	SHOW(handled);
	TRUTH(is_call);
	return 0;
}
