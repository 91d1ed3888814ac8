/*
 * kernel.h - micro-benchmarks whose counts are known beforehand.
 *
 * A kernel is a loop that does the same in every iteration. expected.txt has a row for each: how
 * many branches, loads, additions ... an iteration has, and the shape of its loop, to which
 * tools/hold-kernels holds every build. An event that is counted around loops of different lengths
 * grows with the iterations; its slope is compared with the row.
 *
 * Kernels are C without calls into libraries. The compiler must not know the values it handles
 * (BLIND), and a block that a branch jumps over begins with a mark (MARK), a symbol that the check
 * finds in the disassembly. After Danalis, Jagode, Hanumantharayappa, Ragate and Dongarra: Counter
 * Inspection Toolkit (2017), figures 1, 2, 5, 9, 11 and 16.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* The compiler has to take the variable as changed. */
#define BLIND(variable) __asm__ volatile("" : "+r"(variable))
/* A symbol at this place of the code. */
#define MARK(name) __asm__ volatile("mark_" name "_%=:" : :)
/* Instructions that are not counted. */
#define NOPS(count) __asm__ volatile(".rept " #count "\n\tnop\n\t.endr" : : : "memory")
/* Behind a loop: a core that predicts no branch runs on here in every iteration. */
#define LOOP_END NOPS(128)
/* A place in page i that is a multiple of 64 below `unit`, a power of two: it differs from page to
 * page without a pattern, so that pages do not compete for one set of a cache. */
#define SPREAD(i, unit) ((i)*UINT64_C(2654435761) >> 10 & ((unit)-1) & ~UINT64_C(63))
/* A function of its own, in one copy, and not directly behind the return of another. */
#define KERNEL __attribute__((noinline, noclone, noipa, aligned(64)))

/* The next pseudo-random number, without a branch. High bits are tested, because the low bits of
 * simple generators are easy to predict. */
#define RANDOM(x)                 \
	do {                      \
		(x) ^= (x) << 13; \
		(x) ^= (x) >> 7;  \
		(x) ^= (x) << 17; \
		BLIND(x);         \
	} while (0)
/* True for one number in `k`. */
#define ONE_IN(x, k) ((((x) >> 32) * (k)) >> 32 == 0)

/* The statement four times. */
#define FOUR(operation) \
	operation;      \
	operation;      \
	operation;      \
	operation

/* A buffer that begins at a multiple of 2 MB, so that its parts are in one page, or line, if they
 * are no larger; NULL if there is no memory. */
static inline char *kernel_map(uint64_t bytes)
{
	const uint64_t alignment = UINT64_C(2) << 20;
	char *buffer = mmap(NULL, bytes + alignment, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (buffer == MAP_FAILED)
		return NULL;
	return buffer + (-(uint64_t)(uintptr_t)buffer & (alignment - 1));
}

/* What a kernel is run with. */
struct kernel_run {
	uint64_t unit;	/* bytes from element to element, or what the kernel says it is */
	uint64_t value; /* bytes of the buffer, or what the kernel says it is */
	uint64_t iterations;
};

struct kernel {
	const char *name;
	/* Before the first of the runs with this unit and value, not measured; NULL: nothing to do.
	 * False with a reason if there is no such unit or value. */
	bool (*prepare)(const struct kernel_run *run, const char **reason);
	/* What is measured. */
	void (*run)(const struct kernel_run *run);
	/* The numbers of iterations to run with, in steps of this; if it is 0, in whole rounds over
	 * the buffer, or the parts of it that kernel_round says. */
	uint64_t step;
	unsigned steps;
	bool has_unit, has_value;
	uint64_t round_most;
	/* Before every run, not measured: puts back what the collector has pushed out of small
	 * caches; NULL: nothing to do. */
	void (*warm)(const struct kernel_run *run);
};

/* The elements in a round: all of the buffer, or `most`, if it can be cut into parts of that many.
 */
static inline uint64_t kernel_round(const struct kernel_run *run, uint64_t most)
{
	uint64_t all = run->value / run->unit;

	return all % most == 0 ? most : all;
}

extern const struct kernel kernels[]; /* the last row has a NULL name */

/* What a random start value is; the same in every process, so that it can be repeated. */
#define KERNEL_SEED UINT64_C(0x9e3779b97f4a7c15)

/* branch.c; `k` is used by branch_k alone. */
#define BRANCH_KERNELS(row)                                                                      \
	row(plain) row(random) row(random_work) row(k) row(a) row(b) row(c) row(d) row(e) row(f) \
		row(g) row(indirect) row(indirect_random) row(indirect_apart) row(call)          \
			row(call_indirect)
#define BRANCH_DECLARE(name) void kernel_branch_##name(const struct kernel_run *run);
BRANCH_KERNELS(BRANCH_DECLARE)

/* compute.c */
#define COMPUTE_KERNELS(row) \
	row(load) row(store) row(multiply) row(divide) row(fp_add) row(fp_multiply) row(fp_divide)
#define COMPUTE_DECLARE(name) void kernel_##name(const struct kernel_run *run);
COMPUTE_KERNELS(COMPUTE_DECLARE)

/* memory.c: chains of pointers and other patterns in one large buffer. */
bool memory_prepare_chain(const struct kernel_run *run, const char **reason);
bool memory_prepare_pages(const struct kernel_run *run, const char **reason);
bool memory_prepare_blocks(const struct kernel_run *run, const char **reason);
bool memory_prepare_order(const struct kernel_run *run, const char **reason);
bool memory_prepare_write(const struct kernel_run *run, const char **reason);
void memory_warm_write(const struct kernel_run *run);
bool memory_prepare_pair(const struct kernel_run *run, const char **reason);
bool memory_prepare_half(const struct kernel_run *run, const char **reason);
bool memory_prepare_whole(const struct kernel_run *run, const char **reason);
bool memory_prepare_stream(const struct kernel_run *run, const char **reason);
void kernel_read(const struct kernel_run *run);
void kernel_order(const struct kernel_run *run);
void kernel_write(const struct kernel_run *run);
void kernel_apart(const struct kernel_run *run);
void kernel_pair(const struct kernel_run *run);
void kernel_half(const struct kernel_run *run);
void kernel_whole(const struct kernel_run *run);
void kernel_stream(const struct kernel_run *run);

/* code.c: jumps through a buffer of instructions. */
#define CODE_ROUND_MOST UINT64_C(4096)
bool code_prepare(const struct kernel_run *run, const char **reason);
bool code_prepare_line(const struct kernel_run *run, const char **reason);
bool code_prepare_pages(const struct kernel_run *run, const char **reason);
bool code_prepare_far(const struct kernel_run *run, const char **reason);
void kernel_code(const struct kernel_run *run);

#endif
