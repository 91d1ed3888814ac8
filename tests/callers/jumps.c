/* Frames that are left by longjmp: from depths, from a function without recursion between, from
 * handlers on both stacks. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf back;
static sigjmp_buf from_handler;
static volatile int sink;

#define APART __attribute__((noinline, noclone))

static APART void after(void)
{
	sink++;
}

static APART void hop(void)
{
	sink++;
	longjmp(back, 1);
}

static APART int dive(int depth)
{
	if (!depth)
		hop();
	return dive(depth - 1) + sink;
}

/* Sets the place to come back to in a frame that calls itself: the inner one must stay. */
static APART int nest(int depth)
{
	int seen = sink;

	if (depth)
		seen += nest(depth - 1);
	if (!depth && !setjmp(back))
		dive(3);
	after();
	return seen + sink;
}

static APART void leave(void)
{
	siglongjmp(from_handler, 1);
}

static void handler(int number)
{
	sink += number;
	after();
}

static void leaving(int number)
{
	sink += number;
	leave();
}

static void on(int number, void (*function)(int), int flags)
{
	struct sigaction action = {.sa_handler = function, .sa_flags = flags};

	sigaction(number, &action, NULL);
}

static APART void signals(void)
{
	char here[SIGSTKSZ < 65536 ? 65536 : SIGSTKSZ]; /* above the frames of what is called */
	stack_t stack = {.ss_sp = here, .ss_size = sizeof(here)};

	sigaltstack(&stack, NULL);
	on(SIGUSR1, handler, 0);
	on(SIGUSR2, handler, SA_ONSTACK);
	on(SIGTERM, leaving, SA_ONSTACK);
	for (int i = 0; i < 3; i++) {
		raise(SIGUSR1);
		raise(SIGUSR2);
		if (!sigsetjmp(from_handler, 1))
			raise(SIGTERM);
		after();
	}
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
}

int main(void)
{
	for (volatile int i = 0; i < 20; i++) {
		if (!setjmp(back))
			dive(i);
		after();
	}
	nest(2);
	signals();
	after();
	printf("%d\n", sink);
	return 0;
}
