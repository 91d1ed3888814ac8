/*
 * Futexes: wrong arguments, sizes and clocks; how many are woken and moved, and in which order.
 *
 * link: static
 * beside: host
 */
#include "edge.h"
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

static uint32_t word, other, third;
static volatile int woken[8], begun;
static int bits_of[8];

static long futex(void *at, int op, long value, const void *time, void *second, long value3)
{
	return syscall(SYS_futex, at, op, value, time, second, value3);
}
#define FUTEX(...) (errno = 0, check_result("futex(" #__VA_ARGS__ ")", futex(__VA_ARGS__)))

static void *waiter(void *number)
{
	long i = (long)number;

	begun = 1;
	futex(&word, bits_of[i] ? FUTEX_WAIT_BITSET : FUTEX_WAIT, 0, NULL, NULL, bits_of[i]);
	woken[i] = 1;
	return NULL;
}

static pthread_t threads[8];

/* Starts waiters one after the other; each waits before the next begins. */
static void start(int count, const int *bits)
{
	for (long i = 0; i < count; i++) {
		bits_of[i] = bits ? bits[i] : 0;
		woken[i] = begun = 0;
		pthread_create(&threads[i], NULL, waiter, (void *)i);
		while (!begun)
			sched_yield();
		usleep(10000);
	}
}

/* Who is awake, once there are as many as there should be. */
static void finish(int count, int expected, const char *what)
{
	int found = 0;

	for (int tries = 0; found < expected && tries < 100; tries++) {
		usleep(1000);
		found = 0;
		for (int i = 0; i < count; i++)
			found += woken[i];
	}
	printf("%s:", what);
	for (int i = 0; i < count; i++)
		printf(" %d", woken[i]);
	puts("");
	futex(&word, FUTEX_WAKE, 100, NULL, NULL, 0);
	futex(&other, FUTEX_WAKE, 100, NULL, NULL, 0);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static void wrong(void)
{
	struct timespec none = {0}, bad = {0, 1000000000}, negative = {-1, 0}, brief = {0, 1000000};
	char *edge = edge_new();

	puts("# wrong");
	word = 5;
	FUTEX(&word, FUTEX_WAIT, 4, NULL, NULL, 0);
	FUTEX(&word, FUTEX_WAIT, 6, NULL, NULL, 0);
	FUTEX((char *)&word + 1, FUTEX_WAIT, 5, &none, NULL, 0);
	FUTEX((char *)&word + 2, FUTEX_WAKE, 5, NULL, NULL, 0);
	FUTEX((void *)4, FUTEX_WAIT, 5, &none, NULL, 0);
	FUTEX((void *)-4, FUTEX_WAKE, 5, NULL, NULL, 0);
	FUTEX(edge, FUTEX_WAIT, 0, &none, NULL, 0);
	FUTEX(edge - 4, FUTEX_WAIT, 0, &none, NULL, 0);
	FUTEX(&word, FUTEX_WAIT, 5, &none, NULL, 0);
	FUTEX(&word, FUTEX_WAIT, 5, &bad, NULL, 0);
	FUTEX(&word, FUTEX_WAIT, 5, &negative, NULL, 0);
	FUTEX(&word, FUTEX_WAIT, 5, (void *)1, NULL, 0);
	FUTEX(&word, FUTEX_WAIT, 5, BEFORE(brief), NULL, 0);
	FUTEX(&word, FUTEX_WAIT, 5, PAST(brief), NULL, 0);
	FUTEX(&word, FUTEX_WAIT_BITSET, 5, &brief, NULL, 0);
	FUTEX(&word, FUTEX_WAIT_BITSET, 5, &brief, NULL, 1);
	FUTEX(&word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 5, &brief, NULL, 1);
	FUTEX(&word, FUTEX_WAKE_BITSET, 5, NULL, NULL, 0);
	FUTEX(&word, FUTEX_WAKE_BITSET, 5, NULL, NULL, 1);
	FUTEX(&word, FUTEX_WAKE | FUTEX_CLOCK_REALTIME, 5, NULL, NULL, 0);
	FUTEX(&word, FUTEX_FD, 5, NULL, NULL, 0);
	FUTEX(&word, 14, 5, NULL, NULL, 0);
	FUTEX(&word, 99, 5, NULL, NULL, 0);
	FUTEX(&word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 5, NULL, NULL, 0);
	FUTEX(&word, FUTEX_REQUEUE, -1, (void *)1, &other, 0);
	FUTEX(&word, FUTEX_REQUEUE, 1, (void *)-1l, &other, 0);
	FUTEX(&word, FUTEX_REQUEUE, 1, (void *)1, (char *)&other + 2, 0);
	FUTEX(&word, FUTEX_REQUEUE, 1, (void *)1, (void *)4, 0);
	FUTEX((void *)4, FUTEX_REQUEUE, 1, (void *)1, &other, 0);
	FUTEX(&word, FUTEX_REQUEUE, 1, (void *)1, &other, 0);
	FUTEX(&word, FUTEX_CMP_REQUEUE, 1, (void *)1, &other, 5);
	FUTEX(&word, FUTEX_CMP_REQUEUE, 1, (void *)1, &other, 4);
	/* The second word is not the one that is compared. */
	other = 4;
	FUTEX(&word, FUTEX_CMP_REQUEUE, 1, (void *)1, &other, 4);
	FUTEX(&word, FUTEX_CMP_REQUEUE, 1, (void *)1, &other, 5);
	other = 0;
}

static void waking(void)
{
	static const int bits[4] = {1, 2, 3, 4};

	puts("# waking");
	word = 0;
	start(4, NULL);
	FUTEX(&word, FUTEX_WAKE, 2, NULL, NULL, 0);
	finish(4, 2, "two of four");
	start(3, NULL);
	FUTEX(&word, FUTEX_WAKE, 0, NULL, NULL, 0);
	finish(3, 1, "one of three");
	start(4, bits);
	FUTEX(&word, FUTEX_WAKE_BITSET, 9, NULL, NULL, 2);
	finish(4, 2, "by bits");
	start(4, bits);
	FUTEX(&word, FUTEX_WAKE_BITSET, 1, NULL, NULL, 6);
	finish(4, 1, "the first by bits");
	start(4, NULL);
	FUTEX(&word, FUTEX_REQUEUE, 1, (void *)2, &other, 0);
	FUTEX(&word, FUTEX_WAKE, 9, NULL, NULL, 0);
	FUTEX(&other, FUTEX_WAKE, 1, NULL, NULL, 0);
	finish(4, 3, "moved");
	start(4, NULL);
	FUTEX(&word, FUTEX_CMP_REQUEUE, 1, (void *)9, &other, 0);
	FUTEX(&word, FUTEX_WAKE, 9, NULL, NULL, 0);
	FUTEX(&other, FUTEX_WAKE, 9, NULL, NULL, 0);
	finish(4, 4, "compared and moved");
	start(3, NULL);
	FUTEX(&word, FUTEX_CMP_REQUEUE, 0, (void *)1, &other, 0);
	FUTEX(&other, FUTEX_WAKE, 9, NULL, NULL, 0);
	finish(3, 1, "none woken");
}

/* What FUTEX_WAKE_OP makes of the second word, and whether the comparison holds for it. */
static void operations(void)
{
	static const int values[] = {0, 1, 2, 5, -1, -3, 2047, -2048};

	puts("# operations");
	for (int op = 0; op < 16; op++)
		for (int i = 0; i < 8; i++) {
			other = 5;
			errno = 0;
			long got = futex(&word, FUTEX_WAKE_OP, 1, (void *)1, &other,
					 (long)(unsigned)(op << 28 | (values[i] & 0xfff) << 12));
			printf("%d %d: %ld %s %x\n", op, values[i], got, check_error(errno), other);
		}
	FUTEX(&word, FUTEX_WAKE_OP, 1, (void *)1, (char *)&other + 1, 0);
	FUTEX(&word, FUTEX_WAKE_OP, 1, (void *)1, (void *)4, 0);
	for (int compare = 0; compare < 8; compare++)
		for (int value = 4; value <= 6; value++) {
			/* The waiters are at the second word: they are woken where it holds. */
			word = 0;
			start(1, NULL);
			third = 0;
			word = 5;
			errno = 0;
			long got = futex(&third, FUTEX_WAKE_OP, 1, (void *)1, &word,
					 (long)(unsigned)(FUTEX_OP_ADD << 28 | compare << 24 |
							  2 << 12 | value));
			printf("%d %d: %ld %s %u\n", compare, value, got, check_error(errno), word);
			word = 0;
			finish(1, (int)(got > 0), "woken");
		}
}

static void locks(void)
{
	uint32_t tid = gettid();
	struct timespec past = {0, 1000}, bad = {0, 1000000000};

	puts("# locks");
	word = 0;
	FUTEX(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
	SHOW(word == tid);
	FUTEX(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
	FUTEX(&word, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0);
	FUTEX(&word, FUTEX_LOCK_PI2, 0, NULL, NULL, 0);
	FUTEX(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
	SHOW(word);
	FUTEX(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
	FUTEX(&word, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0);
	SHOW(word == tid);
	FUTEX(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
	word = 0x3ffffffe;
	FUTEX(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
	FUTEX(&word, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0);
	FUTEX(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
	word = 0;
	FUTEX((void *)4, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
	FUTEX((void *)4, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
	FUTEX((char *)&word + 1, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
	FUTEX(&word, FUTEX_LOCK_PI, 0, &bad, NULL, 0);
	FUTEX(&word, FUTEX_LOCK_PI | FUTEX_CLOCK_REALTIME, 0, NULL, NULL, 0);
	FUTEX(&word, FUTEX_LOCK_PI2 | FUTEX_CLOCK_REALTIME, 0, &past, NULL, 0);
	FUTEX(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
	FUTEX(&word, FUTEX_WAIT_REQUEUE_PI, 0, NULL, &word, 0);
	FUTEX(&word, FUTEX_WAIT_REQUEUE_PI, 0, &past, (char *)&other + 1, 0);
	FUTEX(&word, FUTEX_WAIT_REQUEUE_PI, 1, &past, &other, 0);
	FUTEX(&word, FUTEX_WAIT_REQUEUE_PI, 0, &past, &other, 0);
	FUTEX(&word, FUTEX_CMP_REQUEUE_PI, 1, (void *)1, &word, 0);
	FUTEX(&word, FUTEX_CMP_REQUEUE_PI, 2, (void *)1, &other, 0);
	FUTEX(&word, FUTEX_CMP_REQUEUE_PI, 1, (void *)-1l, &other, 0);
	FUTEX(&word, FUTEX_CMP_REQUEUE_PI, 1, (void *)1, &other, 7);
	FUTEX(&word, FUTEX_CMP_REQUEUE_PI, 1, (void *)1, &other, 0);
	struct {
		void *next;
		long offset;
		void *pending;
	} head = {&head, 0, NULL}, *got = NULL;
	size_t bytes = 0;
	RAW(set_robust_list, &head, 23);
	RAW(set_robust_list, &head, 24);
	RAW(get_robust_list, 0, &got, &bytes);
	TRUTH(got == &head && bytes == 24);
	RAW(get_robust_list, 0, (void *)1, &bytes);
	RAW(get_robust_list, 0, &got, (void *)1);
	RAW(get_robust_list, 0x7ffffffe, &got, &bytes);
}

static uint32_t seen[2];
static int owned[2];

static void *lock_it(void *number)
{
	long i = (long)number;

	begun = 1;
	futex(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
	seen[i] = word;
	owned[i] = (word & FUTEX_TID_MASK) == (uint32_t)gettid();
	futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
	return NULL;
}

/* Who gets a lock that others wait for owns it, and its word says that they do. */
static void handing_over(void)
{
	puts("# handing over");
	word = 0;
	FUTEX(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
	for (long i = 0; i < 2; i++) {
		begun = 0;
		pthread_create(&threads[i], NULL, lock_it, (void *)i);
		while (!begun)
			sched_yield();
		usleep(20000);
	}
	SHOW((word & FUTEX_TID_MASK) == (uint32_t)gettid());
	SHOW(word >> 30);
	FUTEX(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	SHOW(owned[0]);
	SHOW(owned[1]);
	SHOW(seen[0] >> 30);
	SHOW(word);
}

int main(void)
{
	wrong();
	waking();
	operations();
	locks();
	handing_over();
	return 0;
}
