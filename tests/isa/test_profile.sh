#!/bin/bash
# Which instructions a processor has is a parameter: what it lacks stops a program, what it has gives
# the results that the manuals work out, on the interpreter and on both cores; and a program is told.
. "$(dirname "$0")/../head.sh"
needs "$cross"

build() { # NAME: from standard input
	cat >"$1.c"
	"$cross" -O1 -static -o "$1" "$1.c" 2>log || tap_not_ok "$1 is built" "$(cat log)"
}
# everywhere NAME WANTED PROFILE STATUS: by exec, translated and not, and on two cores.
everywhere() {
	local way

	for way in "exec --isa $3" "exec --no-translate --isa $3" \
		"run --quiet --counters none --set isa.profile=$3" \
		"run --quiet --counters none --config leon2 --set isa.profile=$3"; do
		# shellcheck disable=SC2086
		tap_is "$1 by $way" "$("$CYCLESTACK" $way "./$1" 2>said) $?" "$2 $4"
	done
}

# Values worked out by hand from the text of the extensions.
build values <<'END'
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define R(name, opcode, f3, f7) \
	static uint64_t name(uint64_t a, uint64_t b) \
	{ uint64_t d; __asm__(".insn r " #opcode ", " #f3 ", " #f7 ", %0, %1, %2" : "=r"(d) : "r"(a), "r"(b)); return d; }
R(czero_eqz, 0x33, 5, 7)
R(czero_nez, 0x33, 7, 7)
R(mop_rr_3, 0x73, 4, 0x47)
static double d_of(uint64_t b) { double d; memcpy(&d, &b, 8); return d; }
#define TO_X(name, rs2, f3, f7) \
	static uint64_t name(double a, uint64_t *flags) \
	{ uint64_t d; __asm__ volatile("fsflags zero\n.insn r 0x53, " #f3 ", " #f7 ", %0, %2, f" #rs2 "\nfrflags %1" \
		: "=&r"(d), "=r"(*flags) : "f"(a)); return d; }
TO_X(fcvtmod, 8, 1, 0x61)
#define ROUND(name, rs2, f3) \
	static double name(double a, uint64_t *flags) \
	{ double d; __asm__ volatile("fsflags zero\n.insn r 0x53, " #f3 ", 0x21, %0, %2, f" #rs2 "\nfrflags %1" \
		: "=&f"(d), "=r"(*flags) : "f"(a)); return d; }
ROUND(fround_rne, 4, 0)
ROUND(fround_rmm, 4, 4)
ROUND(froundnx_rup, 5, 3)
#define TWO(name, f3, f7) \
	static double name(double a, double b) \
	{ double d; __asm__(".insn r 0x53, " #f3 ", " #f7 ", %0, %1, %2" : "=f"(d) : "f"(a), "f"(b)); return d; }
TWO(fminm, 2, 0x15)
TWO(fmaxm, 3, 0x15)
#define FLI(n) ({ double d; __asm__(".insn r 0x53, 0, 0x79, %0, x" #n ", x1" : "=f"(d)); d; })
static uint8_t block[256] __attribute__((aligned(64)));
int main(void)
{
	uint64_t f = 0;
	printf("%lx %lx %lx %lx\n", czero_eqz(5, 0), czero_eqz(5, 8), czero_nez(5, 0), czero_nez(5, 8));
	printf("%lx\n", mop_rr_3(7, 9));
	/* 2^32 + 5.5 is 5 modulo 2^32, and beyond the range: NV and not NX. */
	uint64_t x = fcvtmod(4294967301.5, &f);
	printf("%lx %lx", x, f);
	x = fcvtmod(-1.5, &f); printf(" %lx %lx", x, f);
	x = fcvtmod(2147483648.0, &f); printf(" %lx %lx", x, f);
	x = fcvtmod(d_of(0x7ff0000000000000), &f); printf(" %lx %lx\n", x, f);
	double r = fround_rne(2.5, &f); printf("%g %lx", r, f);
	r = fround_rmm(-2.5, &f); printf(" %g %lx", r, f);
	r = froundnx_rup(-0.25, &f); printf(" %g %lx\n", r, f);
	printf("%g %g %d\n", fminm(-0.0, 0.0), fmaxm(-0.0, 0.0), __builtin_isnan(fminm(1, d_of(0x7ff8000000000001))));
	printf("%g %g %g %g %g\n", FLI(0), FLI(2), FLI(9), FLI(29), FLI(30));
	memset(block, 1, sizeof(block));
	__asm__ volatile(".insn i 0x0f, 2, x0, %0, 4" : : "r"(block + 100) : "memory");
	unsigned sum = 0;
	for (unsigned i = 0; i < sizeof(block); i++)
		sum += block[i] * (i + 1);
	__asm__ volatile(".insn i 0x0f, 2, x0, %0, 1\n.insn i 0x0f, 2, x0, %0, 2\n.insn i 0x0f, 2, x0, %0, 0" : : "r"(block));
	printf("%u %d\n", sum, block[0]);
	__asm__ volatile(".4byte 0x00d00073, 0x01d00073, 0x0100000f\n.2byte 0x6081, 0x6281");
	return 0;
}
END
# The zeroed block is bytes 64 to 127: of 1 + ... + 256 = 32896 they are 65 + ... + 128 = 6176.
wanted="0 5 5 0
0
5 10 ffffffffffffffff 1 ffffffff80000000 10 0 10
2 0 -3 0 -0 1
-0 0 1
-1 1.52588e-05 0.3125 65536 inf
26720 1"
everywhere values "$wanted" rva23u64 0
everywhere values "" rva22u64 132
tap_check "the sentence says which extension, and who has it" \
	grep -q "belongs to Zicond (conditional zero); executed are those of rva22u64; isa.profile = rva23u64 has it" said

# Compare and swap, into registers and into none, equal and not; a pair of registers.
build swaps <<'END'
#include <stdint.h>
#include <stdio.h>
static uint64_t place[2] __attribute__((aligned(16))) = {7, 8};
static uint64_t rd = 7, high = 8, rs = 100, rs_high = 200;
#define CAS(word) { \
	register uint64_t d __asm__("a2") = rd, e __asm__("a3") = high, t __asm__("a4") = rs, u __asm__("a5") = rs_high; \
	register uint64_t *at __asm__("a0") = place; \
	__asm__ volatile(".4byte " #word : "+r"(d), "+r"(e) : "r"(t), "r"(u), "r"(at) : "memory"); \
	rd = d; high = e; }
int main(void)
{
	CAS(0x28e5462f); /* amocas.q a2, a4, (a0) */
	printf("%lu %lu %lu %lu\n", rd, high, place[0], place[1]);
	CAS(0x28e5362f); /* amocas.d: not equal */
	printf("%lu %lu\n", rd, place[0]);
	rd = 0xffffffff80000000; place[0] = 0x1180000000; rs = 5;
	CAS(0x28e5262f); /* amocas.w: the low words are equal */
	printf("%lx %lx\n", rd, place[0]);
	place[0] = 0;
	CAS(0x28e5302f); /* amocas.d zero, a4, (a0): compared with 0 */
	printf("%lx\n", place[0]);
	CAS(0x2805302f); /* amocas.d zero, zero, (a0): not equal */
	printf("%lx\n", place[0]);
	return 0;
}
END
everywhere swaps "7 8 100 200
100 100
ffffffff80000000 1100000005
5
5" max 0
everywhere swaps "" rva23u64 132

# Faults are precise: the block that cannot be written, the operand that is not aligned.
build faults <<'END'
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
static void *wanted;
static int faults;
static void handler(int number, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	faults += number == SIGSEGV && info->si_addr == wanted;
	c->uc_mcontext.__gregs[0] += 4;
}
int main(void)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
	char *page = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(page + 4096, 4096);
	sigaction(SIGSEGV, &action, NULL);
	wanted = page + 70;
	__asm__ volatile(".insn i 0x0f, 2, x0, %0, 4" : : "r"(wanted));
	printf("%d\n", faults);
	__asm__ volatile(".insn i 0x0f, 2, x0, %0, 1" : : "r"(wanted)); /* can be read */
	printf("%d\n", faults);
	wanted = page + 4096 + 3;
	__asm__ volatile(".insn i 0x0f, 2, x0, %0, 2" : : "r"(wanted));
	printf("%d\n", faults);
	return 0;
}
END
everywhere faults "1
1
2" rva22u64 0

# Pointer masking: loads and stores, atomics, system calls and threads; and what Linux refuses.
build masking <<'END'
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
static char text[] = "tagged\n";
static long number = 5;
static int set(unsigned long control) { return prctl(55, control, 0, 0, 0) ? errno : 0; }
static void *tagged(void *p, uint64_t tag) { return (void *)((uint64_t)p | tag << 57); }
static void *thread(void *unused) { return (void *)*(volatile long *)tagged(&number, 3); }
int main(void)
{
	pthread_t id;
	void *seen;
	printf("%d %d %d %d", set(17ul << 24), set(1), set(1ul << 40), prctl(55, 0, 1, 0, 0));
	printf(" %d", set(1ul << 24));
	printf(" %x\n", prctl(56, 0, 0, 0, 0));
	volatile long *p = tagged(&number, 85);
	*p += 2;
	__atomic_fetch_add((long *)tagged(&number, 42), 3, __ATOMIC_SEQ_CST);
	printf("%ld\n", *p);
	fflush(stdout);
	printf("%ld", (long)write(1, tagged(text, 1), 7));
	printf(" %d", set(7ul << 24 | 1));
	printf(" %x\n", prctl(56, 0, 0, 0, 0));
	fflush(stdout);
	write(1, tagged(text, 1), 7);
	pthread_create(&id, NULL, thread, NULL);
	printf("%d", set(0));
	pthread_join(id, &seen);
	printf(" %ld %d\n", (long)seen, set(16ul << 24));
	printf("%d", *(volatile char *)((uint64_t)text | UINT64_C(0xabcd) << 48));
	printf(" %d\n", set(0));
	fflush(stdout);
	return *(volatile long *)tagged(&number, 1) != 0;
}
END
everywhere masking "22 22 22 -1 0 7000000
10
-1 0 7000001
tagged
16 10 0
116 0" rva23u64 139
build refused <<'END'
#include <errno.h>
#include <stdio.h>
#include <sys/prctl.h>
int main(void)
{
	errno = 0;
	int answer = prctl(56, 0, 0, 0, 0);
	printf("%d %d\n", answer, errno);
	return 0;
}
END
tap_is "a machine without pointer masking refuses it" "$("$CYCLESTACK" exec ./refused)" "-1 22"

# What a program is told.
build told <<'END'
#include <stdio.h>
#include <string.h>
int main(void)
{
	char line[1000];
	FILE *f = fopen("/proc/cpuinfo", "r");
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, "isa", 3))
			fputs(strchr(line, 'r'), stdout);
	return 0;
}
END
tap_is "/proc/cpuinfo of the default" "$("$CYCLESTACK" exec ./told)" \
	rv64imafdc_zicntr_zicsr_zifencei_zihpm_zba_zbb_zbc_zbs
tap_is "/proc/cpuinfo of rva20u64" "$("$CYCLESTACK" exec --isa rva20u64 ./told)" rv64imafdc_zicntr_zicsr_zifencei_zihpm
tap_is "/proc/cpuinfo of rva22u64" "$("$CYCLESTACK" exec --isa rva22u64 ./told)" \
	rv64imafdc_zicbom_zicbop_zicboz_zicntr_zicsr_zifencei_zihintpause_zihpm_zfhmin_zba_zbb_zbs_zkt
tap_is "/proc/cpuinfo of rva23u64" "$("$CYCLESTACK" exec --isa rva23u64 ./told)" \
	rv64imafdc_zicbom_zicbop_zicboz_zicntr_zicond_zicsr_zifencei_zihintntl_zihintpause_zihpm_zimop_zawrs_zfa_zfhmin_zcb_zcmop_zba_zbb_zbs_zkt_supm
"$CYCLESTACK" exec --isa rv99 ./told 2>said
tap_is "another word is refused" "$? $(grep -c -- "--isa rv99: expected .*rva23u64" said)" "2 1"
"$CYCLESTACK" trace record --isa rva23u64 --output t.trace ./values >/dev/null 2>said
tap_is "a trace of such a program is recorded and read" "$? $("$CYCLESTACK" trace info t.trace 2>&1 | grep -c instructions)" "0 1"
"$CYCLESTACK" run --set isa.profile=rva23u64 --annotate main ./values 2>said >shown
tap_is "annotate shows what they are" "$(grep -oE 'czero.eqz|fcvtmod.w.d|froundnx.d|cbo.zero|c.mop.1|wrs.nto' shown | sort -u | wc -l)" 6
tap_done
