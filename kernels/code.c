/* The instruction side: a random cycle of direct jumps through a buffer, one instruction in each
 * unit. The only kernels whose code is made at run time, because a compiler places no instruction a
 * given number of bytes from another. */
#include "kernel.h"

#include <string.h>
#include <sys/mman.h>

#define CODE_BYTES    (UINT64_C(256) << 20)
#define RANDOM_BYTES  (UINT64_C(1) << 20) /* what a jump of RISC-V reaches */
#define ELEMENTS_MOST 16384

static struct {
	char *buffer;
	void (*entry)(void);
	uint64_t count;
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

/* A random cycle. */
static void link_at_random(uint16_t *next, uint64_t count)
{
	uint64_t x = KERNEL_SEED;

	next[0] = 0;
	for (uint64_t i = 1; i < count; i++) {
		RANDOM(x);
		uint64_t before = ((x >> 32) * i) >> 32;

		next[i] = next[before];
		next[before] = (uint16_t)i;
	}
}

/* Up through the even elements and down through the odd ones: no jump is far, however many there
 * are. */
static void link_up_and_down(uint16_t *next, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		next[i] = (uint16_t)(i % 2	     ? i - 2
				     : i + 2 < count ? i + 2
				     : i + 1 < count ? i + 1
						     : i - 1);
	next[1] = 0;
}

/* Each to the next one. */
static void link_in_order(uint16_t *next, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		next[i] = (uint16_t)(i + 1 < count ? i + 1 : 0);
}

static bool make(const struct kernel_run *run, void (*link)(uint16_t *next, uint64_t count),
		 const char **reason)
{
	static uint16_t next[ELEMENTS_MOST];
	bool is_spread = link == link_up_and_down;
	uint64_t count = run->unit ? run->value / run->unit : 0;
	uint64_t most = is_spread ? CODE_BYTES : RANDOM_BYTES;

	*reason =
		"expected a unit that is a power of two from 8 on, and 2 to 16384 units in at most "
		"1 MB, or 256 MB of pages";
	if (run->unit < 8 || run->unit > (UINT64_C(1) << 18) || (run->unit & (run->unit - 1)) ||
	    run->value > most || count < 2 || count > ELEMENTS_MOST)
		return false;
	*reason = "there is no memory for instructions";
	if (!code.buffer) {
		code.buffer = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (code.buffer == MAP_FAILED) {
			code.buffer = NULL;
			return false;
		}
	}
	if (mprotect(code.buffer, run->value, PROT_READ | PROT_WRITE) != 0)
		return false;
	link(next, count);
	for (uint64_t i = 0; i < count; i++)
		if (next[i])
			put_jump(place(i, run->unit, is_spread),
				 place(next[i], run->unit, is_spread));
		else
			put_return(place(i, run->unit, is_spread));
	if (mprotect(code.buffer, run->value, PROT_READ | PROT_EXEC) != 0)
		return false;
	__builtin___clear_cache(code.buffer, code.buffer + run->value);
	code.entry = (void (*)(void))(uintptr_t)place(0, run->unit, is_spread);
	code.count = count;
	code.entry();
	code.entry();
	return true;
}

bool code_prepare(const struct kernel_run *run, const char **reason)
{
	return make(run, link_at_random, reason);
}

bool code_prepare_line(const struct kernel_run *run, const char **reason)
{
	return make(run, link_in_order, reason);
}

bool code_prepare_pages(const struct kernel_run *run, const char **reason)
{
	return make(run, link_up_and_down, reason);
}

/* An iteration is one jump; they come in whole rounds. */
void kernel_code(const struct kernel_run *run)
{
	for (uint64_t i = 0; i < run->iterations; i += code.count)
		code.entry();
}
