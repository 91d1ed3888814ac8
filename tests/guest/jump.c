/*
 * setjmp and longjmp unwind frames; contexts made by hand take turns.
 */
#include "check.h"
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

static jmp_buf back;
static ucontext_t main_context, side_context;

static int __attribute__((noinline)) dive(int depth)
{
	volatile int frame[16];

	frame[depth & 15] = depth;
	if (depth == 0)
		longjmp(back, 99);
	return dive(depth - 1) + frame[depth & 15];
}

static void side(int number)
{
	for (int i = 0; i < 3; i++) {
		printf("side %d %d\n", number, i);
		swapcontext(&side_context, &main_context);
	}
}

int main(void)
{
	static char stack[65536];
	volatile int rounds = 0;
	sigjmp_buf masked;
	sigset_t set;
	int value = setjmp(back);

	SHOW(value);
	if (rounds++ < 3)
		dive(rounds * 50);
	if (setjmp(back) == 0)
		longjmp(back, 0);
	else
		puts("zero becomes one");

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	if (sigsetjmp(masked, 1) == 0) {
		sigprocmask(SIG_BLOCK, &set, NULL);
		siglongjmp(masked, 1);
	}
	sigprocmask(SIG_BLOCK, NULL, &set);
	SHOW(sigismember(&set, SIGUSR1));

	getcontext(&side_context);
	side_context.uc_stack.ss_sp = stack;
	side_context.uc_stack.ss_size = sizeof(stack);
	side_context.uc_link = &main_context;
	makecontext(&side_context, (void (*)(void))side, 1, 7);
	for (int i = 0; i < 4; i++) {
		swapcontext(&main_context, &side_context);
		printf("main %d\n", i);
	}
	return 0;
}
