/*
 * FUTEX_WAKE_OP changes the second word, compares what was there, and wakes as the kernel does.
 * link: static
 */
#include "check.h"
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile uint32_t first, second;
static volatile int about_to_wait;

/* What the thread waits for, and how its wait ended. */
struct waiter {
	volatile uint32_t *word;
	uint32_t value;
};

static long futex(volatile void *address, int operation, uint32_t value, long more,
		  volatile void *other, uint32_t bits)
{
	return syscall(SYS_futex, address, operation | FUTEX_PRIVATE_FLAG, value, more, other,
		       bits);
}

static void *wait_once(void *waiter)
{
	const struct waiter *w = waiter;

	__atomic_add_fetch(&about_to_wait, 1, __ATOMIC_SEQ_CST);
	futex(w->word, FUTEX_WAIT, w->value, 0, NULL, 0);
	return NULL;
}

/* With `firsts` threads at the first word and `seconds` at the second: how many are woken, and how
 * many were left at each. */
static void wake(int firsts, int seconds, uint32_t old, uint32_t how, int count, int count_second)
{
	struct waiter waiters[8];
	pthread_t threads[8];
	int n = firsts + seconds;

	first = 7;
	second = old;
	about_to_wait = 0;
	for (int i = 0; i < n; i++) {
		waiters[i] =
			i < firsts ? (struct waiter){&first, 7} : (struct waiter){&second, old};
		pthread_create(&threads[i], NULL, wait_once, &waiters[i]);
	}
	/* A thread that was about to wait a while ago does. */
	while (about_to_wait < n)
		usleep(1000);
	usleep(30000);
	long woken = futex(&first, FUTEX_WAKE_OP, count, count_second, &second, how);
	long left = futex(&first, FUTEX_WAKE, 9, 0, NULL, 0);
	long left_second = futex(&second, FUTEX_WAKE, 9, 0, NULL, 0);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("%d %d at %d, %08x, %d %d: %s %ld, left %ld %ld, now %d\n", firsts, seconds, old,
	       how, count, count_second, woken < 0 ? check_error(errno) : "woken", woken, left,
	       left_second, second);
}

static uint32_t code(unsigned operation, unsigned comparison, int operand, int compared)
{
	return operation << 28 | comparison << 24 | (operand & 0xfffu) << 12 | (compared & 0xfffu);
}

int main(void)
{
	static const int operands[] = {0, 1, 5, 31, 33, -1, -2048, 2047};
	static const uint32_t olds[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xa5a5a5a5};
	uint64_t digest = DIGEST_START;

	for (unsigned operation = 0; operation < 16; operation++) {
		for (unsigned i = 0; i < 8; i++)
			for (unsigned j = 0; j < 6; j++) {
				second = olds[j];
				futex(&first, FUTEX_WAKE_OP, 1, 1, &second,
				      code(operation, 0, operands[i], 0));
				digest = check_digest(digest, (const void *)&second, 4);
			}
		printf("operation %u: %llx\n", operation, (unsigned long long)digest);
	}
	for (unsigned comparison = 0; comparison < 7; comparison++)
		for (int old = -1; old <= 1; old++)
			wake(0, 1, old, code(FUTEX_OP_ADD, comparison, 3, 0), 1, 1);
	wake(0, 1, -2048, code(FUTEX_OP_SET, FUTEX_OP_CMP_EQ, -1, -2048), 1, 1);
	wake(0, 1, 2047, code(FUTEX_OP_SET, FUTEX_OP_CMP_EQ, 0, 2047), 1, 1);
	wake(2, 2, 0, code(FUTEX_OP_OR, FUTEX_OP_CMP_EQ, 6, 0), 1, 1);
	wake(2, 2, 0, code(FUTEX_OP_OR, FUTEX_OP_CMP_NE, 6, 0), 1, 1);
	wake(2, 2, 0, code(FUTEX_OP_OR, FUTEX_OP_CMP_EQ, 6, 0), 2, 1);
	wake(2, 2, 0, code(FUTEX_OP_OR, FUTEX_OP_CMP_EQ, 6, 0), 1, 2);
	wake(3, 3, 0, code(FUTEX_OP_OR, FUTEX_OP_CMP_EQ, 6, 0), 9, 9);
	/* At least one is woken, whatever the number. */
	wake(2, 2, 0, code(FUTEX_OP_OR, FUTEX_OP_CMP_EQ, 6, 0), 0, 0);
	wake(2, 2, 0, code(FUTEX_OP_OR, FUTEX_OP_CMP_EQ, 6, 0), -1, -1);
	char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	TRY(futex(&first, FUTEX_WAKE_OP, 1, 1, page, 0));
	TRY(futex(&first, FUTEX_WAKE_OP, 1, 1, (char *)&second + 2, 0));
	TRY(futex((char *)&first + 2, FUTEX_WAKE_OP, 1, 1, &second, 0));
	munmap(page, 4096);
	TRY(futex(&first, FUTEX_WAKE_OP, 1, 1, page, 0));
	return 0;
}
