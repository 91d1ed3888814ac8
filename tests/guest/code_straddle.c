/*
 * An instruction that lies in two pages is executed as it is now, whichever half changed and how.
 * link: static
 */
#include "check.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE  4096
#define PAGES 12

static unsigned char *text;
static sigjmp_buf back;
static void *volatile fault;

static void caught(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	fault = info->si_addr;
	siglongjmp(back, 1);
}

/* addi RD, x0, VALUE, of which the value is in the second half. */
static uint32_t load(unsigned rd, unsigned value)
{
	return 0x13 | rd << 7 | value << 20;
}

static void changed(unsigned char *at, size_t bytes)
{
	__builtin___clear_cache((char *)at, (char *)at + bytes);
}

static long call(const unsigned char *at, long given)
{
	return ((long (*)(long))at)(given);
}

/* The instruction begins two bytes before `second`, after a nop; a return follows it. */
static void put(unsigned char *second, uint32_t insn)
{
	static const uint16_t nop = 1, ret = 0x8082;

	memcpy(second - 4, &nop, 2);
	memcpy(second - 2, &insn, 4);
	memcpy(second + 2, &ret, 2);
	changed(second - 4, 8);
}

static long both(unsigned char *second)
{
	long direct = call(second - 2, 99), through = call(second - 4, 99);

	return direct == through ? direct : -1;
}

static long try_second_half(unsigned char *second)
{
	long wrong = 0;

	put(second, load(10, 1));
	wrong += both(second) != 1;
	for (unsigned i = 2; i < 50; i++) {
		*(volatile uint16_t *)second = (uint16_t)(i << 4);
		changed(second, 2);
		wrong += both(second) != i;
	}
	return wrong;
}

static long try_first_half(unsigned char *second)
{
	long wrong = 0;

	put(second, load(10, 7));
	wrong += both(second) != 7;
	for (unsigned i = 0; i < 50; i++) {
		/* Into a1 the given number stays in a0. */
		*(volatile uint16_t *)(second - 2) = (uint16_t)load(10 + i % 2, 0);
		changed(second - 2, 2);
		wrong += both(second) != (i % 2 ? 99 : 7);
	}
	return wrong;
}

static long try_one_byte(unsigned char *second)
{
	long wrong = 0;

	put(second, load(10, 5));
	wrong += both(second) != 5;
	for (unsigned i = 1; i < 16; i++) {
		((volatile unsigned char *)second)[0] = (unsigned char)(i << 4);
		changed(second, 1);
		wrong += both(second) != i;
	}
	return wrong;
}

/* The system writes the half, as the answer of a call. */
static long try_by_call(unsigned char *second, const int ends[2])
{
	long wrong = 0;

	put(second, load(10, 1));
	wrong += both(second) != 1;
	for (unsigned i = 2; i < 20; i++) {
		uint16_t half = (uint16_t)(i << 4);

		write(ends[1], &half, 2);
		read(ends[0], second, 2);
		changed(second, 2);
		wrong += both(second) != i;
	}
	return wrong;
}

/* The second page becomes another one, first none, then one that may not be executed. */
static long try_other_page(unsigned char *second)
{
	const int rights = PROT_READ | PROT_WRITE | PROT_EXEC;
	long wrong = 0;

	put(second, load(10, 11));
	wrong += both(second) != 11;
	munmap(second, PAGE);
	if (!sigsetjmp(back, 1))
		wrong += 1 + 0 * call(second - 2, 99);
	wrong += fault != second;
	mmap(second, PAGE, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	put(second, load(10, 12));
	wrong += both(second) != 12;
	mprotect(second, PAGE, PROT_READ | PROT_WRITE);
	fault = NULL;
	if (!sigsetjmp(back, 1))
		wrong += 1 + 0 * call(second - 4, 99);
	wrong += fault != second;
	*(volatile uint16_t *)second = 13 << 4;
	mprotect(second, PAGE, rights);
	changed(second, 2);
	wrong += both(second) != 13;
	return wrong;
}

/* The instruction jumps back into the first page: of the second page only its half is executed. */
static long try_jump(unsigned char *second)
{
	const int rights = PROT_READ | PROT_WRITE | PROT_EXEC;
	unsigned char *first = second - PAGE;
	const uint16_t low = 0x67;
	long wrong = 0;

	mmap(second, PAGE, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	for (unsigned i = 0; i < 16; i++) {
		/* li a0, i; ret */
		uint16_t row[2] = {(uint16_t)(0x4501 | i << 2), 0x8082};

		memcpy(first + 4 * i, row, 4);
	}
	memcpy(second - 2, &low, 2);
	for (unsigned i = 0; i < 16; i++) {
		/* jalr x0, 4 * i(a0) */
		*(volatile uint16_t *)second = (uint16_t)(4 * i << 4 | 5);
		changed(first, PAGE + 2);
		wrong += call(second - 2, (long)first) != i;
	}
	return wrong;
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO};
	long wrong[6] = {0};
	int ends[2];

	pipe(ends);
	sigaction(SIGSEGV, &action, NULL);
	text = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* The last pair lies on both sides of a large power of two: tables of code may end there.
	 */
	unsigned char *apart = (unsigned char *)0x40000000;

	TRUTH(mmap(apart - PAGE, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == apart - PAGE);
	for (unsigned i = 1; i <= PAGES; i++) {
		unsigned char *second = i < PAGES ? text + i * PAGE : apart;

		wrong[0] += try_second_half(second);
		wrong[1] += try_first_half(second);
		wrong[2] += try_one_byte(second);
		wrong[3] += try_by_call(second, ends);
		wrong[4] += try_other_page(second);
		wrong[5] += try_jump(second);
	}
	for (int i = 0; i < 6; i++)
		SHOW(wrong[i]);
	return 0;
}
