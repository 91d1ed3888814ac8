/*
 * mprotect takes rights away and gives them back, page by page; faults reach the handler.
 */
#include "check.h"
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#define PAGE 4096

static char *base;
static volatile sig_atomic_t faults;
static sigjmp_buf back;

static void repair(int number, siginfo_t *info, void *context)
{
	uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1);

	(void)number;
	(void)context;
	faults++;
	mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE);
}

static void leave(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

static int faulting(volatile char *p, int writing)
{
	if (sigsetjmp(back, 1))
		return 1;
	if (writing)
		*p = 1;
	else
		(void)*p;
	return 0;
}

int main(void)
{
	struct sigaction action = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO};
	static const int rights[] = {PROT_NONE, PROT_READ, PROT_READ | PROT_WRITE,
				     PROT_READ | PROT_EXEC};
	char *whole;

	base = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(base, 5, 16 * PAGE);
	sigaction(SIGSEGV, &action, NULL);
	TRY(mprotect(base, 16 * PAGE, PROT_NONE));
	for (int i = 0; i < 16; i += 2)
		base[i * PAGE + 100]++;
	SHOW(faults);
	for (int i = 0; i < 16; i++)
		(void)*(volatile char *)(base + i * PAGE);
	SHOW(faults);
	SHOW(base[100]);
	SHOW(base[PAGE + 100]);

	signal(SIGSEGV, leave);
	for (size_t i = 0; i < sizeof(rights) / sizeof(rights[0]); i++) {
		TRY(mprotect(base, PAGE, rights[i]));
		printf("rights %d: load %s, store %s\n", rights[i],
		       faulting(base, 0) ? "faults" : "works",
		       faulting(base, 1) ? "faults" : "works");
	}
	TRY(mprotect(base, 16 * PAGE, PROT_READ));
	TRY(mprotect(base + 3 * PAGE, PAGE, PROT_READ | PROT_WRITE));
	for (int i = 2; i < 5; i++)
		SHOW(faulting(base + i * PAGE, 1));
	whole = base + 4 * PAGE - 4;
	mprotect(base + 4 * PAGE, PAGE, PROT_NONE);
	SHOW(faulting(whole + 3, 0));
	SHOW(faulting(whole + 4, 0));
	TRY(mprotect(base + 1, PAGE, PROT_READ));
	TRY(munmap(base + 8 * PAGE, PAGE));
	TRY(mprotect(base + 7 * PAGE, 3 * PAGE, PROT_READ));
	TRY(mprotect((void *)0, PAGE, PROT_READ));
	return 0;
}
