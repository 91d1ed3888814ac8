/*
 * A handler runs on its alternate stack, overflow of the main stack included.
 */
#include "check.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>

static char stack[65536] __attribute__((aligned(16)));
static volatile sig_atomic_t on_stack, flags;
static sigjmp_buf back;

static void where(int number)
{
	volatile char here = 0;
	stack_t now;

	(void)number;
	on_stack = (char *)&here >= stack && (char *)&here < stack + sizeof(stack);
	sigaltstack(NULL, &now);
	flags = now.ss_flags;
	errno = 0;
	now.ss_flags = SS_DISABLE;
	TRY(sigaltstack(&now, NULL));
}

static void overflowed(int number, siginfo_t *info, void *context)
{
	volatile char here = 0;

	(void)context;
	TRUTH((char *)&here >= stack && (char *)&here < stack + sizeof(stack));
	TRUTH(number == SIGSEGV);
	TRUTH(info->si_addr != NULL);
	siglongjmp(back, 1);
}

static int __attribute__((noinline)) recurse(volatile char *above)
{
	volatile char block[4096];

	block[0] = above[0] + 1;
	if (block[0] == 77 && above[0] == 77)
		return 0;
	return recurse(block) + block[0];
}

int main(void)
{
	struct sigaction action = {.sa_handler = where, .sa_flags = SA_ONSTACK};
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)}, old;
	volatile char first[1] = {0};

	TRY(sigaltstack(NULL, &old));
	SHOW(old.ss_flags == SS_DISABLE);
	TRY(sigaltstack(&alternate, NULL));
	TRY(sigaltstack(NULL, &old));
	SHOW(old.ss_flags);
	TRUTH(old.ss_sp == stack && old.ss_size == sizeof(stack));
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	SHOW(on_stack);
	SHOW(flags == SS_ONSTACK);
	action.sa_flags = 0;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	SHOW(on_stack);

	sigaltstack(&alternate, NULL);
	action.sa_sigaction = overflowed;
	action.sa_flags = SA_ONSTACK | SA_SIGINFO;
	sigaction(SIGSEGV, &action, NULL);
	if (sigsetjmp(back, 1) == 0)
		SHOW(recurse(first));
	else
		puts("came back from the overflow");
	alternate.ss_size = 16;
	TRY(sigaltstack(&alternate, NULL));
	alternate.ss_flags = SS_DISABLE;
	TRY(sigaltstack(&alternate, NULL));
	return 0;
}
