/* A position-independent static program that unwinds: backtraces, cleanup of cancelled threads and
 * of frames left by longjmp-free unwinding, as the run-time systems of newer languages do. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

static void say_end(const char **what)
{
	printf("cleaned %s\n", *what);
}

#define CLEANED __attribute__((cleanup(say_end)))

static _Unwind_Reason_Code count_frame(struct _Unwind_Context *context, void *count)
{
	(void)context;
	++*(int *)count;
	return _URC_NO_REASON;
}

static __attribute__((noinline)) int depth_here(int n)
{
	int count = 0;

	if (n == 0)
		_Unwind_Backtrace(count_frame, &count);
	else
		count = depth_here(n - 1);
	__asm__ volatile("" ::: "memory"); /* keeps the frame */
	return count;
}

struct panic {
	struct _Unwind_Exception exception;
	const char *message;
};

static _Unwind_Reason_Code stop_at_end(int version, _Unwind_Action actions,
				       _Unwind_Exception_Class class,
				       struct _Unwind_Exception *exception,
				       struct _Unwind_Context *context, void *end)
{
	(void)version, (void)class, (void)context;
	if (actions & _UA_END_OF_STACK) {
		printf("the end of the stack; the message was: %s\n",
		       ((struct panic *)exception)->message);
		fflush(stdout);
		_exit(*(int *)end);
	}
	return _URC_NO_REASON;
}

static __attribute__((noinline)) void unwind(int n)
{
	CLEANED const char *what = n & 1 ? "an odd frame" : "an even frame";
	static struct panic panic = {.message = "out of cheese"};
	static int status = 101;

	if (n == 0)
		_Unwind_ForcedUnwind(&panic.exception, stop_at_end, &status);
	else
		unwind(n - 1);
	__asm__ volatile("" ::: "memory");
}

static void *wait_for_ever(void *argument)
{
	CLEANED const char *what = "a cancelled thread";

	(void)argument;
	for (;;)
		pause();
	return NULL;
}

int main(void)
{
	pthread_t thread;
	void *result;

	printf("ten frames more make a difference of %d\n", depth_here(11) - depth_here(1));
	pthread_create(&thread, NULL, wait_for_ever, NULL);
	usleep(1000);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	printf("cancelled: %d\n", result == PTHREAD_CANCELED);
	unwind(4);
	return 0;
}
