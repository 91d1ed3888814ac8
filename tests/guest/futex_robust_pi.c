/*
 * A mutex with priority inheritance whose owner died goes to the next one, who is told.
 * only: cyclestack
 *
 * qemu-riscv64 has no robust lists. What is expected is in pthread_mutexattr_setrobust(3) and
 * futex(2), FUTEX_LOCK_PI.
 */
#include "check.h"
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t mutex;
static int result = -1;
static uint32_t lock;

static void *lock_and_die(void *unused)
{
	pthread_mutex_lock(&mutex);
	usleep(20000);
	return unused;
}

static void *wait_for_mutex(void *unused)
{
	usleep(5000);
	result = pthread_mutex_lock(&mutex);
	pthread_mutex_consistent(&mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *own_and_die(void *unused)
{
	syscall(SYS_futex, &lock, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
	usleep(20000);
	return unused;
}

static void try_robust(int protocol)
{
	pthread_mutexattr_t kind;
	pthread_t owner, waiter;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_setprotocol(&kind, protocol);
	pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
	TRUTH(pthread_mutex_init(&mutex, &kind) == 0);
	pthread_create(&owner, NULL, lock_and_die, NULL);
	pthread_join(owner, NULL);
	TRUTH(pthread_mutex_trylock(&mutex) == EOWNERDEAD);
	TRUTH(pthread_mutex_consistent(&mutex) == 0);
	TRUTH(pthread_mutex_unlock(&mutex) == 0);
	/* The same with someone who waits. */
	pthread_create(&owner, NULL, lock_and_die, NULL);
	pthread_create(&waiter, NULL, wait_for_mutex, NULL);
	pthread_join(owner, NULL);
	pthread_join(waiter, NULL);
	TRUTH(result == EOWNERDEAD);
	TRUTH(pthread_mutex_lock(&mutex) == 0);
	TRUTH(pthread_mutex_unlock(&mutex) == 0);
	/* Left without being made consistent, it is of no use any more. */
	pthread_create(&owner, NULL, lock_and_die, NULL);
	pthread_join(owner, NULL);
	TRUTH(pthread_mutex_lock(&mutex) == EOWNERDEAD);
	TRUTH(pthread_mutex_unlock(&mutex) == 0);
	TRUTH(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE);
}

int main(void)
{
	pthread_t owner;

	try_robust(PTHREAD_PRIO_NONE);
	try_robust(PTHREAD_PRIO_INHERIT);
	/* No list names this one, but the kernel knows who waits for whom. */
	pthread_create(&owner, NULL, own_and_die, NULL);
	usleep(5000);
	TRUTH(syscall(SYS_futex, &lock, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == 0);
	TRUTH((lock & FUTEX_TID_MASK) == (uint32_t)syscall(SYS_gettid));
	TRUTH(lock & FUTEX_OWNER_DIED);
	pthread_join(owner, NULL);
	return 0;
}
