/* The instruction side: a random order of direct jumps through a buffer, one instruction in each
 * unit. The only kernels whose code is made at run time, because a compiler places no instruction a
 * given number of bytes from another. */
#include "kernel.h"

#include <string.h>

#define CODE_BYTES    (UINT64_C(256) << 20)
#define BLOCK_BYTES   (UINT64_C(512) << 10) /* a jump of RISC-V reaches over two of them */
#define ELEMENTS_MOST 65536

/* The jumps of a large buffer are cut into parts, each of which ends with a return, so that a run
 * need not go over all of it. */
static struct {
	char *buffer;
	void (*entries[ELEMENTS_MOST / CODE_ROUND_MOST])(void);
	uint64_t parts, part_jumps;
	uint64_t next; /* the part with which the next run begins */
} code;

static void put_jump(char *from, const char *to)
{
	int64_t distance = to - from;
#if defined(__riscv)
	uint32_t d = (uint32_t)distance;
	uint32_t word = 0x6f | (d >> 20 & 1) << 31 | (d >> 1 & 0x3ff) << 21 | (d >> 11 & 1) << 20 |
			(d >> 12 & 0xff) << 12;

	memcpy(from, &word, sizeof(word));
#elif defined(__x86_64__)
	int32_t relative = (int32_t)(distance - 5);

	*from = (char)0xe9;
	memcpy(from + 1, &relative, sizeof(relative));
#else
#error "the jump instruction of this machine is not known here"
#endif
}

static void put_return(char *at)
{
#if defined(__riscv)
	const uint32_t word = 0x8067;

	memcpy(at, &word, sizeof(word));
#else
	*at = (char)0xc3;
#endif
}

static char *place(uint64_t i, uint64_t unit, bool is_spread)
{
	return code.buffer + i * unit + (is_spread ? SPREAD(i, unit) : 0);
}

/* At random within blocks, one block after the other. */
static void order_at_random(uint32_t *order, uint64_t count, uint64_t unit)
{
	uint64_t in_block = BLOCK_BYTES / unit, x = KERNEL_SEED;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t first = i - i % in_block;

		RANDOM(x);
		uint64_t other = first + (((x >> 32) * (i - first + 1)) >> 32);
		order[i] = order[other];
		order[other] = (uint32_t)i;
	}
}

/* Up through the even elements and down through the odd ones: no jump is far, however many there
 * are. */
static void order_up_and_down(uint32_t *order, uint64_t count, uint64_t unit)
{
	(void)unit;
	for (uint64_t i = 0; i < count; i++)
		order[i % 2 ? count - 1 - i / 2 : i / 2] = (uint32_t)i;
}

/* Each to the next one. */
static void order_upwards(uint32_t *order, uint64_t count, uint64_t unit)
{
	(void)unit;
	for (uint64_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
}

static void run_parts(uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		code.entries[code.next]();
		/* Without a branch, which would count among those of the loop. */
		code.next++;
		code.next &= -(uint64_t)(code.next < code.parts);
	}
}

static bool make(const struct kernel_run *run,
		 void (*put_order)(uint32_t *order, uint64_t count, uint64_t unit), bool is_spread,
		 const char **reason)
{
	static uint32_t order[ELEMENTS_MOST];
	uint64_t unit = run->unit, count = unit ? run->value / unit : 0;

	*reason = "expected a unit that is a power of two from 8 to 256 KB, and 2 to 65536 units "
		  "in at most 256 MB";
	if (unit < 8 || unit > BLOCK_BYTES / 2 || (unit & (unit - 1)) || run->value > CODE_BYTES ||
	    count < 2 || count > ELEMENTS_MOST)
		return false;
	*reason = "there is no memory for instructions";
	if (!code.buffer && !(code.buffer = kernel_map(CODE_BYTES)))
		return false;
	if (mprotect(code.buffer, run->value, PROT_READ | PROT_WRITE) != 0)
		return false;
	put_order(order, count, unit);
	code.part_jumps = kernel_round(run, CODE_ROUND_MOST);
	code.parts = count / code.part_jumps;
	code.next = 0;
	for (uint64_t i = 0; i < count; i++) {
		char *at = place(order[i], unit, is_spread);

		if (i % code.part_jumps == 0)
			code.entries[i / code.part_jumps] = (void (*)(void))(uintptr_t)at;
		if ((i + 1) % code.part_jumps)
			put_jump(at, place(order[i + 1], unit, is_spread));
		else
			put_return(at);
	}
	if (mprotect(code.buffer, run->value, PROT_READ | PROT_EXEC) != 0)
		return false;
	__builtin___clear_cache(code.buffer, code.buffer + run->value);
	run_parts(2 * code.parts);
	return true;
}

bool code_prepare(const struct kernel_run *run, const char **reason)
{
	return make(run, order_at_random, false, reason);
}

bool code_prepare_line(const struct kernel_run *run, const char **reason)
{
	return make(run, order_upwards, false, reason);
}

bool code_prepare_pages(const struct kernel_run *run, const char **reason)
{
	return make(run, order_up_and_down, true, reason);
}

/* Not spread: with a large unit the jumps compete for few sets of every cache, so that few of them
 * exceed a cache that no buffer of jumps does. */
bool code_prepare_far(const struct kernel_run *run, const char **reason)
{
	return make(run, order_up_and_down, false, reason);
}

/* An iteration is one jump; they come in whole parts. */
void kernel_code(const struct kernel_run *run)
{
	run_parts(run->iterations / code.part_jumps);
}
