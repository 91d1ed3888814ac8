/*
 * A read interrupted by a signal is EINTR, or is restarted under SA_RESTART.
 */
#include "check.h"
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int ends[2];
static volatile sig_atomic_t calls, stop;
static pthread_t reader;

static void interrupt(int number)
{
	(void)number;
	calls++;
}

/* Signals again and again, as one may come before the reader waits. */
static void *disturb(void *unused)
{
	(void)unused;
	while (!stop) {
		usleep(5000);
		pthread_kill(reader, SIGUSR1);
	}
	return NULL;
}

static void *disturb_and_feed(void *unused)
{
	(void)unused;
	for (int i = 0; i < 5; i++) {
		usleep(5000);
		pthread_kill(reader, SIGUSR1);
	}
	write(ends[1], "fed", 3);
	return NULL;
}

int main(void)
{
	struct sigaction action = {.sa_handler = interrupt};
	char text[8] = "";
	pthread_t other;

	reader = pthread_self();
	pipe(ends);
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&other, NULL, disturb, NULL);
	TRY(read(ends[0], text, sizeof(text)));
	stop = 1;
	pthread_join(other, NULL);
	action.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&other, NULL, disturb_and_feed, NULL);
	TRY(read(ends[0], text, sizeof(text)));
	pthread_join(other, NULL);
	puts(text);
	TRUTH(calls >= 2);
	return 0;
}
