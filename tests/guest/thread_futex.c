/*
 * futex itself: wrong value, wake of nobody, timeout, requeue, bitsets, robust mutexes.
 */
#include "check.h"
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic uint32_t word, second;
static _Atomic int waiting, woken;

static long futex(_Atomic uint32_t *address, int operation, uint32_t value, const void *timeout,
		  _Atomic uint32_t *other, uint32_t bits)
{
	return syscall(SYS_futex, address, operation, value, timeout, other, bits);
}

static void *wait_on(void *unused)
{
	(void)unused;
	waiting++;
	while (futex(&word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, NULL, NULL, 0) && errno == EINTR)
		;
	woken++;
	return NULL;
}

static pthread_mutex_t robust;

static void *die_holding(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&robust);
	return NULL;
}

int main(void)
{
	struct timespec soon = {0, 1000000}, bad = {0, 2000000000};
	pthread_mutexattr_t attr;
	pthread_t threads[3];
	long moved = 0;

	TRY(futex(&word, FUTEX_WAIT, 1, NULL, NULL, 0));
	TRY(futex(&word, FUTEX_WAIT, 0, &soon, NULL, 0));
	TRY(futex(&word, FUTEX_WAIT, 0, &bad, NULL, 0));
	TRY(futex(&word, FUTEX_WAKE, 1, NULL, NULL, 0));
	TRY(futex((void *)((char *)&word + 1), FUTEX_WAIT, 0, &soon, NULL, 0));
	TRY(futex(&word, FUTEX_WAIT_BITSET, 0, NULL, NULL, 0));
	TRY(futex(&word, 77, 0, NULL, NULL, 0));

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, wait_on, NULL);
	while (waiting < 3)
		sched_yield();
	usleep(20000);
	while (futex(&word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0) != 1)
		usleep(1000);
	while (moved < 2) {
		long now = futex(&word, FUTEX_CMP_REQUEUE | FUTEX_PRIVATE_FLAG, 0, (void *)5,
				 &second, 0);

		moved += now > 0 ? now : 0;
	}
	SHOW(moved);
	TRY(futex(&word, FUTEX_CMP_REQUEUE | FUTEX_PRIVATE_FLAG, 0, (void *)5, &second, 9));
	TRY(futex(&word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 10, NULL, NULL, 0));
	TRY(futex(&second, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 10, NULL, NULL, 0));
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	SHOW(woken);

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attr);
	pthread_create(&threads[0], NULL, die_holding, NULL);
	pthread_join(threads[0], NULL);
	SHOW(pthread_mutex_lock(&robust) == EOWNERDEAD);
	SHOW(pthread_mutex_consistent(&robust));
	SHOW(pthread_mutex_unlock(&robust));
	SHOW(pthread_mutex_lock(&robust));
	return 0;
}
