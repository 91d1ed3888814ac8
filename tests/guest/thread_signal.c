/*
 * Signals go to the thread named, masks are per thread, and one thread can wait for all.
 */
#include "check.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

static __thread int is_target;
static volatile sig_atomic_t hits, wrong;
static sem_t ready, handled;
static volatile int stop;

static void handler(int number)
{
	(void)number;
	if (is_target)
		hits++;
	else
		wrong++;
	sem_post(&handled);
}

static void *target(void *unused)
{
	(void)unused;
	is_target = 1;
	sem_post(&ready);
	while (!stop)
		sched_yield();
	return NULL;
}

static void *waiter(void *set)
{
	int number = 0;

	sem_post(&ready);
	sigwait(set, &number);
	return (void *)(long)number;
}

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore) && errno == EINTR)
		;
}

int main(void)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	pthread_t thread;
	sigset_t set, now;
	void *result;

	sem_init(&ready, 0, 0);
	sem_init(&handled, 0, 0);
	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&thread, NULL, target, NULL);
	wait_for(&ready);
	for (int i = 0; i < 5; i++) {
		SHOW(pthread_kill(thread, SIGUSR1));
		wait_for(&handled);
	}
	stop = 1;
	pthread_join(thread, NULL);
	SHOW(hits);
	SHOW(wrong);

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	SHOW(pthread_sigmask(SIG_BLOCK, &set, NULL));
	pthread_create(&thread, NULL, waiter, &set);
	wait_for(&ready);
	kill(getpid(), SIGUSR2);
	pthread_join(thread, &result);
	SHOW((long)result == SIGUSR2);
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	SHOW(sigismember(&now, SIGUSR2));
	return 0;
}
