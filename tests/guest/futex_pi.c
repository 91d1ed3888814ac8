/*
 * Futexes with an owner are locked and handed over; those with bits wake the right threads.
 */
#include "check.h"
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex;
static int result = -1, tried, is_owner;
static uint32_t lock, other, woken;

static long futex(uint32_t *word, int operation, uint32_t value, const void *time, uint32_t *second,
		  uint32_t third)
{
	return syscall(SYS_futex, word, operation, value, time, second, third);
}

static void *wait_for_mutex(void *unused)
{
	result = pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *wait_for_lock(void *unused)
{
	tried = futex(&lock, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0) == -1 ? errno : 0;
	result = (int)futex(&lock, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
	is_owner = (lock & FUTEX_TID_MASK) == (uint32_t)syscall(SYS_gettid);
	futex(&lock, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
	return unused;
}

static void *wait_to_be_moved(void *unused)
{
	result = (int)futex(&other, FUTEX_WAIT_REQUEUE_PI, 0, NULL, &lock, 0);
	is_owner = (lock & FUTEX_TID_MASK) == (uint32_t)syscall(SYS_gettid);
	futex(&lock, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
	return unused;
}

static void *wait_for_bit(void *bit)
{
	futex(&other, FUTEX_WAIT_BITSET, 0, NULL, NULL, (uint32_t)(uintptr_t)bit);
	__atomic_fetch_or(&woken, (uint32_t)(uintptr_t)bit, __ATOMIC_SEQ_CST);
	return NULL;
}

static void use_mutex(void)
{
	pthread_mutexattr_t kind;
	pthread_t thread;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_INHERIT);
	SHOW(pthread_mutex_init(&mutex, &kind));
	SHOW(pthread_mutex_lock(&mutex));
	pthread_create(&thread, NULL, wait_for_mutex, NULL);
	usleep(20000);
	SHOW(result);
	SHOW(pthread_mutex_unlock(&mutex));
	pthread_join(thread, NULL);
	SHOW(result);
	SHOW(pthread_mutex_trylock(&mutex));
	SHOW(pthread_mutex_unlock(&mutex));
}

int main(void)
{
	struct timespec past = {0, 0}, soon;
	pthread_t thread, second;

	use_mutex();

	TRY(futex(&lock, FUTEX_LOCK_PI, 0, NULL, NULL, 0));
	TRUTH(lock == (uint32_t)syscall(SYS_gettid));
	TRY(futex(&lock, FUTEX_LOCK_PI, 0, NULL, NULL, 0));
	TRY(futex(&lock, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0));
	pthread_create(&thread, NULL, wait_for_lock, NULL);
	usleep(20000);
	TRUTH(lock == ((uint32_t)syscall(SYS_gettid) | FUTEX_WAITERS));
	TRY(futex(&lock, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0));
	pthread_join(thread, NULL);
	SHOW(tried == EAGAIN);
	SHOW(result);
	SHOW(is_owner);
	SHOW(lock);
	TRY(futex(&lock, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0));
	lock = 0x3ffffff;
	TRY(futex(&lock, FUTEX_LOCK_PI, 0, NULL, NULL, 0));
	lock = 1;
	TRY(futex(&lock, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0));
	lock = 0;

	puts("requeue");
	pthread_create(&thread, NULL, wait_to_be_moved, NULL);
	usleep(20000);
	TRY(futex(&other, FUTEX_CMP_REQUEUE_PI, 1, (void *)1, &lock, 1));
	TRY(futex(&other, FUTEX_CMP_REQUEUE_PI, 2, (void *)1, &lock, 0));
	TRY(futex(&other, FUTEX_CMP_REQUEUE_PI, 1, (void *)1, &lock, 0));
	pthread_join(thread, NULL);
	SHOW(result);
	SHOW(is_owner);
	TRY(futex(&lock, FUTEX_LOCK_PI, 0, NULL, NULL, 0));
	pthread_create(&thread, NULL, wait_to_be_moved, NULL);
	usleep(20000);
	TRY(futex(&other, FUTEX_CMP_REQUEUE_PI, 1, (void *)1, &lock, 0));
	usleep(20000);
	TRY(futex(&lock, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0));
	pthread_join(thread, NULL);
	SHOW(result);
	SHOW(is_owner);

	puts("bits");
	pthread_create(&thread, NULL, wait_for_bit, (void *)1);
	pthread_create(&second, NULL, wait_for_bit, (void *)2);
	usleep(20000);
	TRY(futex(&other, FUTEX_WAKE_BITSET, 9, NULL, NULL, 4));
	TRY(futex(&other, FUTEX_WAKE_BITSET, 9, NULL, NULL, 2));
	pthread_join(second, NULL);
	SHOW(woken);
	TRY(futex(&other, FUTEX_WAKE_BITSET, 9, NULL, NULL, 0));
	uint32_t operation = FUTEX_OP(FUTEX_OP_ADD, 5, FUTEX_OP_CMP_GT, 3);
	lock = 4;
	TRY(futex(&other, FUTEX_WAKE_OP, 1, (void *)1, &lock, operation));
	SHOW(lock);
	pthread_join(thread, NULL);
	SHOW(woken);
	TRY(futex(&other, FUTEX_WAIT_BITSET, 0, &past, NULL, 1));
	TRY(futex(&other, FUTEX_WAIT_BITSET, 0, &past, NULL, 0));
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_nsec = soon.tv_nsec / 2 + 1000;
	TRY(futex(&other, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &soon, NULL, 1));
	TRY(futex(&other, FUTEX_WAIT, 1, NULL, NULL, 0));
	TRY(futex((uint32_t *)((char *)&other + 1), FUTEX_WAIT, 1, NULL, NULL, 0));
	TRY(futex((uint32_t *)8, FUTEX_WAIT, 1, NULL, NULL, 0));
	TRY(futex(&other, 99, 1, NULL, NULL, 0));
	return 0;
}
