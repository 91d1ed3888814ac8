/* A static program that may be loaded anywhere and relocates itself, with neither a C library nor a
 * loader: what -static-pie makes of a program without a run-time system of its own. */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>

static long call(long number, long a, long b, long c)
{
	register long a7 __asm__("a7") = number, a0 __asm__("a0") = a, a1 __asm__("a1") = b,
			 a2 __asm__("a2") = c;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2) : "memory");
	return a0;
}

static void say(const char *text)
{
	size_t length = 0;

	while (text[length])
		length++;
	call(64, 1, (long)text, (long)length);
}

/* Pointers that are wrong until they are relocated. */
static const char *volatile lines[] = {"one pointer\n", "another\n", "the last\n"};
static void (*volatile say_by_pointer)(const char *) = say;

extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));
extern const Elf64_Dyn _DYNAMIC[] __attribute__((visibility("hidden")));

__attribute__((used)) static void run(const long *stack)
{
	uintptr_t base = (uintptr_t)&__ehdr_start;
	const Elf64_Rela *rela = NULL;
	uint64_t bytes = 0;
	long count = 0;

	for (const Elf64_Dyn *d = _DYNAMIC; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_RELA)
			rela = (const Elf64_Rela *)(base + d->d_un.d_ptr);
		if (d->d_tag == DT_RELASZ)
			bytes = d->d_un.d_val;
	}
	for (uint64_t i = 0; i < bytes / sizeof(*rela); i++)
		if (ELF64_R_TYPE(rela[i].r_info) == R_RISCV_RELATIVE) {
			*(uint64_t *)(base + rela[i].r_offset) = base + (uint64_t)rela[i].r_addend;
			count++;
		}
	__asm__ volatile("" ::: "memory");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		say_by_pointer(lines[i]);
	/* The kernel's table says where the program was put. */
	const long *p = stack + 1 + stack[0] + 1;
	while (*p)
		p++;
	for (const Elf64_auxv_t *aux = (const Elf64_auxv_t *)(p + 1); aux->a_type != AT_NULL; aux++)
		if (aux->a_type == AT_PHDR)
			say(aux->a_un.a_val - __ehdr_start.e_phoff == base
				    ? "loaded where AT_PHDR says\n"
				    : "AT_PHDR is wrong\n");
	call(94, count == 4 ? 40 : (int)count, 0, 0);
}

__asm__(".globl _start\n_start:\n\t.option push\n\t.option norelax\n\tlla gp, __global_pointer$\n"
	"\t.option pop\n\tmv a0, sp\n\tandi sp, sp, -16\n\ttail run\n");
