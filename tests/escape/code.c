/*
 * code MODE: wild control flow, one way per run. Functions have names that the tool's
 * message about the fault is expected to show.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <linux/futex.h>
#include <unistd.h>

#define PAGE 4096

static unsigned char *page(int rights)
{
	unsigned char *p =
		mmap(NULL, 2 * PAGE, rights | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* li a0, 1; ret */
	static const uint32_t code[] = {0x00100513, 0x00008067};

	memcpy(p, code, sizeof(code));
	asm volatile("fence.i" ::: "memory");
	return p;
}

static long run(void *address)
{
	return ((long (*)(void))address)();
}

static int self_modifying(int fenced)
{
	volatile uint32_t *code = (volatile uint32_t *)page(PROT_READ | PROT_EXEC);
	long sum = 0, early = 0;

	for (uint32_t i = 1; i <= 1000; i++) {
		code[0] = 0x00000513 | i << 20;
		if (fenced)
			asm volatile("fence.i" ::: "memory");
		long seen = run((void *)code);

		sum += seen;
		early += seen < 0 || seen > (long)i;
	}
	if (fenced)
		printf("sum %ld\n", sum);
	else
		printf("%s\n", early ? "impossible values" : "plausible values");
	return 0;
}

static int __attribute__((noinline)) recurse_for_ever(volatile char *above)
{
	volatile char block[256];

	block[0] = above[0] + 1;
	return recurse_for_ever(block) + block[0];
}

static void __attribute__((noinline)) illegal_here(void)
{
	asm volatile(".4byte 0xffffffff");
}

static void __attribute__((noinline)) zero_here(void)
{
	asm volatile(".2byte 0");
}

static void __attribute__((noinline)) break_here(void)
{
	asm volatile("ebreak");
}

static void __attribute__((noinline)) privileged_here(void)
{
	asm volatile(".4byte 0x30200073");
}

static void __attribute__((noinline)) store_here(void)
{
	*(volatile int *)(1l << 45) = 1;
}

static void __attribute__((noinline)) stack_here(void)
{
	asm volatile("li sp, 64\nsd ra, 0(sp)");
}

static int bad_handler(void)
{
	struct sigaction action = {.sa_handler = (void (*)(int))(uintptr_t)0x1234567000};

	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	return 1;
}

static void nothing(int number)
{
	(void)number;
}

static int bad_altstack(void)
{
	stack_t stack = {.ss_sp = (void *)(uintptr_t)0x1234567000, .ss_size = 65536};
	struct sigaction action = {.sa_handler = nothing, .sa_flags = SA_ONSTACK};

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	return 1;
}

static int bad_sigreturn(long sp)
{
	asm volatile("mv sp, %0\nli a7, 139\necall" ::"r"(sp));
	return 1;
}

static int garbage_sigreturn(void)
{
	static unsigned char frame[65536] __attribute__((aligned(16)));

	memset(frame, 0xa5, sizeof(frame));
	return bad_sigreturn((long)frame + 4096);
}

static void *robust_wild(void *mode)
{
	static struct robust_list_head head;
	static struct robust_list ring[2];

	if (!strcmp(mode, "robust-loop")) {
		ring[0].next = &ring[1];
		ring[1].next = &ring[0];
		head.list.next = &ring[0];
		syscall(SYS_set_robust_list, &head, sizeof(head));
	} else if (!strcmp(mode, "robust-wild")) {
		syscall(SYS_set_robust_list, (void *)(uintptr_t)0x1234567000, sizeof(head));
	} else if (!strcmp(mode, "robust-entry")) {
		head.list.next = (void *)(uintptr_t)0xfffffffffffffff8u;
		head.futex_offset = 0x7fffffff00000000;
		syscall(SYS_set_robust_list, &head, sizeof(head));
	}
	return NULL;
}

static int robust(char *mode)
{
	pthread_t thread;

	pthread_create(&thread, NULL, robust_wild, mode);
	pthread_join(thread, NULL);
	puts("lived");
	return 0;
}

static int tid_wild(void)
{
	syscall(SYS_set_tid_address, (void *)(uintptr_t)0x1234567001);
	puts("lived");
	return 0;
}

static long clone_and_leave(long flags, void *stack)
{
	register long a0 asm("a0") = flags;
	register long a1 asm("a1") = (long)stack;
	register long a2 asm("a2") = 8;
	register long a3 asm("a3") = 16;
	register long a4 asm("a4") = 24;
	register long a7 asm("a7") = SYS_clone;

	/* The child never returns into C: it has no thread pointer and maybe no stack. */
	asm volatile("ecall\n"
		     "bnez a0, 1f\n"
		     "li a7, 93\n"
		     "ecall\n"
		     "1:"
		     : "+r"(a0), "+r"(a7)
		     : "r"(a1), "r"(a2), "r"(a3), "r"(a4)
		     : "memory");
	return a0;
}

static int clone_wild(void)
{
	static const long thread = 0x3d0f00, processes[] = {0x100, 0x0, -1, 0x11, 0x01000f00};
	int refused = 0;

	clone_and_leave(thread, (void *)(uintptr_t)64);
	clone_and_leave(thread, (void *)(uintptr_t)0xfffffffffffffff0);
	clone_and_leave(thread, NULL);
	for (size_t i = 0; i < sizeof(processes) / sizeof(processes[0]); i++)
		refused += clone_and_leave(processes[i], NULL) < 0;
	refused += syscall(SYS_clone3, 8, 64) < 0;
	refused += syscall(SYS_clone3, (void *)(uintptr_t)0xfffffffffffff000, 88) < 0;
	sched_yield();
	printf("refused %d\n", refused);
	return 0;
}

static int kill_others(void)
{
	/* Signal 0 only asks: the guest must not be able to see anyone but itself. */
	printf("init %s, parent %s\n", kill(1, 0) && getpid() != 1 ? "unseen" : "seen",
	       getppid() > 1 && kill(getppid(), 0) == 0 ? "seen" : "unseen");
	return 0;
}

int main(int argc, char **argv)
{
	char *mode = argc > 1 ? argv[1] : (char *)(uintptr_t) "";

	setvbuf(stdout, NULL, _IONBF, 0);
	if (!strcmp(mode, "fenced"))
		return self_modifying(1);
	if (!strcmp(mode, "unfenced"))
		return self_modifying(0);
	if (!strcmp(mode, "odd"))
		printf("%ld\n", run(page(PROT_READ | PROT_EXEC) + 1));
	else if (!strcmp(mode, "unmapped"))
		run((void *)(uintptr_t)0x1234567000);
	else if (!strcmp(mode, "null"))
		run((void *)(uintptr_t)0);
	else if (!strcmp(mode, "kernel"))
		run((void *)(uintptr_t)0xffffffff80000000u);
	else if (!strcmp(mode, "noexec"))
		run(page(PROT_READ));
	else if (!strcmp(mode, "straddle")) {
		unsigned char *p = page(PROT_READ | PROT_EXEC);

		memcpy(p + PAGE - 2, "\x13\x05", 2);
		munmap(p + PAGE, PAGE);
		run(p + PAGE - 2);
	} else if (!strcmp(mode, "illegal"))
		illegal_here();
	else if (!strcmp(mode, "zero"))
		zero_here();
	else if (!strcmp(mode, "privileged"))
		privileged_here();
	else if (!strcmp(mode, "ebreak"))
		break_here();
	else if (!strcmp(mode, "store"))
		store_here();
	else if (!strcmp(mode, "stack"))
		stack_here();
	else if (!strcmp(mode, "recursion")) {
		volatile char first[1] = {0};

		return recurse_for_ever(first);
	} else if (!strcmp(mode, "handler"))
		return bad_handler();
	else if (!strcmp(mode, "altstack"))
		return bad_altstack();
	else if (!strcmp(mode, "sigreturn"))
		return bad_sigreturn(64);
	else if (!strcmp(mode, "sigreturn-garbage"))
		return garbage_sigreturn();
	else if (!strncmp(mode, "robust-", 7))
		return robust(mode);
	else if (!strcmp(mode, "tid"))
		return tid_wild();
	else if (!strcmp(mode, "clone"))
		return clone_wild();
	else if (!strcmp(mode, "kill"))
		return kill_others();
	else
		return 2;
	return 0;
}
