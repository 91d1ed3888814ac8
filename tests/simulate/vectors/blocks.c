/* Loops, calls through pointers, branches by chance, system calls and code that is replaced by
 * shorter instructions, without a library: what is executed depends on nothing outside. */
static unsigned long state = 1;
static unsigned long volatile sink;

static long call(long number, long a, long b, long c)
{
	register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c,
			 a7 __asm__("a7") = number;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
	return a0;
}

static unsigned long next(void)
{
	state = state * 6364136223846793005ul + 1442695040888963407ul;
	return state >> 33;
}

static void even(void)
{
	sink += next();
}
static void odd(void)
{
	if (next() & 4)
		sink ^= 5;
	else
		sink += 7;
}

unsigned char patched[8] __attribute__((section(".patched,\"awx\",@progbits#"), aligned(4))) = {
	0x13, 0x05, 0x15, 0x00, /* addi a0, a0, 1 */
	0x82, 0x80,		/* ret */
};

void _start(void)
{
	static void (*const volatile table[])(void) = {even, odd};
	long (*const volatile add)(long) = (long (*)(long))(void *)patched;

	for (unsigned i = 0; i < 600; i++) {
		table[next() & 1]();
		for (unsigned long k = next() % 7; k; k--)
			sink += k;
		sink += (unsigned long)add((long)i);
		if (i % 100 == 50) {
			/* addi a0, a0, 1 becomes two of 2 bytes each, or one again. */
			*(volatile unsigned int *)patched = i % 200 == 50 ? 0x05050505 : 0x00150513;
			__asm__ volatile(
				".option push\n.option arch, +zifencei\nfence.i\n.option pop" ::
					: "memory");
		}
		if (i % 64 == 0)
			call(64, 1, (long)".", 1);
	}
	call(93, 0, 0, 0);
	__builtin_unreachable();
}
