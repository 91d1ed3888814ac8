/* Branch kernels: section 2 (plain, random, random_work), figure 9 (k) and figure 11 (a to g) of
 * the paper named in kernel.h; indirect jumps, calls and returns. Every loop ends with a
 * conditional branch that is taken; a condition that holds goes through the marked block, one that
 * does not jumps over it. */
#include "kernel.h"

/* Where the next run goes on: a large predictor would learn a sequence that begins again. */
static uint64_t random_state = KERNEL_SEED;

/* A block the compiler cannot turn into a conditional move. */
#define THEN(variable)           \
	do {                     \
		MARK("then");    \
		(variable) += 2; \
		BLIND(variable); \
	} while (0)

#define NEXT(i)           \
	do {              \
		(i)++;    \
		BLIND(i); \
	} while (0)

/* Work that depends on itself and takes longer than a branch does to resolve. */
#define WORK(x)            \
	do {               \
		RANDOM(x); \
		RANDOM(x); \
		RANDOM(x); \
		RANDOM(x); \
		RANDOM(x); \
		RANDOM(x); \
		RANDOM(x); \
		RANDOM(x); \
	} while (0)

KERNEL void kernel_branch_plain(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations, sum = 0;

	do {
		NEXT(i);
		if ((i & 1) == 0)
			THEN(sum);
	} while (i < size);
	LOOP_END;
}

KERNEL void kernel_branch_random(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations, sum = 0, x = random_state;

	do {
		NEXT(i);
		RANDOM(x);
		if (x >> 63 == 0)
			THEN(sum);
	} while (i < size);
	LOOP_END;
	random_state = x;
}

KERNEL void kernel_branch_random_work(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations, sum = 0, x = random_state;

	do {
		NEXT(i);
		RANDOM(x);
		if (x >> 63 == 0)
			THEN(sum);
		WORK(x);
	} while (i < size);
	LOOP_END;
	random_state = x;
}

KERNEL void kernel_branch_k(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations, k = run->value, sum = 0, x = random_state;

	do {
		NEXT(i);
		RANDOM(x);
		if (ONE_IN(x, k))
			THEN(sum);
	} while (i < size);
	LOOP_END;
	random_state = x;
}

KERNEL void kernel_branch_a(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations, half = size / 2, sum = 0, x = random_state;

	do {
		if (i < half)
			THEN(sum);
		RANDOM(x);
		NEXT(i);
	} while (i < size);
	LOOP_END;
	random_state = x;
}

KERNEL void kernel_branch_b(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations, sum = 0, limit = 0, x = random_state;

	do {
		limit += 2;
		BLIND(limit);
		if (i < limit)
			THEN(sum);
		RANDOM(x);
		NEXT(i);
	} while (i < size);
	LOOP_END;
	random_state = x;
}

KERNEL void kernel_branch_c(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations, sum = 0, limit = 0, x = random_state;

	do {
		limit += 2;
		BLIND(limit);
		if (i > limit)
			THEN(sum);
		RANDOM(x);
		NEXT(i);
	} while (i < size);
	LOOP_END;
	random_state = x;
}

KERNEL void kernel_branch_d(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations, sum = 0, x = random_state;

	do {
		RANDOM(x);
		if (x >> 63 == 0)
			THEN(sum);
		WORK(x);
		NEXT(i);
	} while (i < size);
	LOOP_END;
	random_state = x;
}

KERNEL void kernel_branch_e(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations, sum = 0, x = random_state;

	do {
		RANDOM(x);
		if (x >> 63 == 0)
			THEN(sum);
		NEXT(i);
	} while (i < size);
	LOOP_END;
	random_state = x;
}

KERNEL void kernel_branch_f(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations, sum = 0, limit = 0, x = random_state;

	do {
		limit += 2;
		BLIND(limit);
		if (i < limit) {
			THEN(sum);
			goto after;
		}
		MARK("else");
		RANDOM(x);
	after:
		MARK("after");
		NEXT(i);
		RANDOM(x);
	} while (i < size);
	LOOP_END;
	random_state = x;
}

KERNEL void kernel_branch_g(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations, sum = 0;

	do {
		sum += 2;
		BLIND(sum);
		NEXT(i);
	} while (i < size);
	LOOP_END;
}

/* Always the same target: every predictor of targets has it after the first time. */
KERNEL void kernel_branch_indirect(const struct kernel_run *run)
{
	static const void *const targets[] = {&&first, &&second};
	const void *target = targets[run->iterations == 0];
	uint64_t i = 0, size = run->iterations;

	do {
		BLIND(target);
		goto *target;
	second:
		MARK("second");
		NEXT(i);
	first:
		MARK("first");
		NEXT(i);
	} while (i < size);
	LOOP_END;
}

/* One of four targets, at random, with something behind it in each iteration. The choice takes no
 * branch and no load. */
#define INDIRECT_KERNEL(name, behind)                                                           \
	KERNEL void kernel_branch_##name(const struct kernel_run *run)                          \
	{                                                                                       \
		static const void *const targets[] = {&&first, &&second, &&third, &&fourth};    \
		const void *const first_target = targets[0], *const second_target = targets[1]; \
		const void *const third_target = targets[2], *const fourth_target = targets[3]; \
		uint64_t i = 0, size = run->iterations, sum = 0, x = random_state;              \
                                                                                                \
		do {                                                                            \
			RANDOM(x);                                                              \
			uint64_t high = -(x >> 63), low = -(x >> 62 & 1);                       \
			BLIND(high);                                                            \
			BLIND(low);                                                             \
			uint64_t target = (((uint64_t)(uintptr_t)first_target & ~low) |         \
					   ((uint64_t)(uintptr_t)second_target & low)) &        \
					  ~high;                                                \
			target |= (((uint64_t)(uintptr_t)third_target & ~low) |                 \
				   ((uint64_t)(uintptr_t)fourth_target & low)) &                \
				  high;                                                         \
			BLIND(target);                                                          \
			goto *(const void *)(uintptr_t)target;                                  \
		fourth:                                                                         \
			MARK("fourth");                                                         \
			NEXT(sum);                                                              \
		third:                                                                          \
			MARK("third");                                                          \
			NEXT(sum);                                                              \
		second:                                                                         \
			MARK("second");                                                         \
			NEXT(sum);                                                              \
		first:                                                                          \
			MARK("first");                                                          \
			NEXT(i);                                                                \
			behind;                                                                 \
		} while (i < size);                                                             \
		LOOP_END;                                                                       \
		random_state = x;                                                               \
	}

INDIRECT_KERNEL(indirect_random, )
/* What is fetched behind a wrong target seldom reaches the next jump. */
INDIRECT_KERNEL(indirect_apart, NOPS(48))

static KERNEL void callee(void)
{
	__asm__ volatile("");
}

KERNEL void kernel_branch_call(const struct kernel_run *run)
{
	uint64_t i = 0, size = run->iterations;

	do {
		callee();
		NEXT(i);
	} while (i < size);
	LOOP_END;
}

KERNEL void kernel_branch_call_indirect(const struct kernel_run *run)
{
	void (*target)(void) = callee;
	uint64_t i = 0, size = run->iterations;

	do {
		BLIND(target);
		target();
		NEXT(i);
	} while (i < size);
	LOOP_END;
}
