/*
 * Every common system call answers EFAULT to a pointer it cannot use, whichever way the
 * pointer is bad, and never touches what lies beyond. Prints only what is wrong.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096
#define P    INT64_C(0x5eed0001)
#define GOOD INT64_C(0x5eed0002)
#define IN   INT64_C(0x5eed0003)
#define OUT  INT64_C(0x5eed0004)

/* What the kernel does through the pointer decides which pages are bad for it. */
enum use { READS, WRITES };

struct attempt {
	const char *name;
	long number;
	enum use use;
	long args[6];
};

static const struct attempt attempts[] = {
	{"read", SYS_read, WRITES, {OUT, P, 16}},
	{"write", SYS_write, READS, {IN, P, 16}},
	{"readv", SYS_readv, READS, {OUT, P, 1}},
	{"writev", SYS_writev, READS, {IN, P, 1}},
	{"openat", SYS_openat, READS, {AT_FDCWD, P, 0}},
	{"pipe2", SYS_pipe2, WRITES, {P, 0}},
	{"fstat", SYS_fstat, WRITES, {OUT, P}},
	{"newfstatat path", SYS_newfstatat, READS, {AT_FDCWD, P, GOOD, 0}},
	{"newfstatat", SYS_newfstatat, WRITES, {OUT, GOOD, P, AT_EMPTY_PATH}},
	{"statx", SYS_statx, READS, {AT_FDCWD, P, 0, 0xfff, GOOD}},
	{"faccessat", SYS_faccessat, READS, {AT_FDCWD, P, 0}},
	{"readlinkat", SYS_readlinkat, READS, {AT_FDCWD, P, GOOD, 16}},
	{"mkdirat", SYS_mkdirat, READS, {AT_FDCWD, P, 0755}},
	{"unlinkat", SYS_unlinkat, READS, {AT_FDCWD, P, 0}},
	{"chdir", SYS_chdir, READS, {P}},
	{"truncate", SYS_truncate, READS, {P, 0}},
	{"uname", SYS_uname, WRITES, {P}},
	{"clock_gettime", SYS_clock_gettime, WRITES, {1, P}},
	{"clock_getres", SYS_clock_getres, WRITES, {1, P}},
	{"gettimeofday", SYS_gettimeofday, WRITES, {P, 0}},
	{"nanosleep", SYS_nanosleep, READS, {P, 0}},
	{"clock_nanosleep", SYS_clock_nanosleep, READS, {1, 0, P, 0}},
	{"getitimer", SYS_getitimer, WRITES, {0, P}},
	{"setitimer", SYS_setitimer, READS, {0, P, 0}},
	{"times", SYS_times, WRITES, {P}},
	{"getrusage", SYS_getrusage, WRITES, {0, P}},
	{"sysinfo", SYS_sysinfo, WRITES, {P}},
	{"prlimit64 get", SYS_prlimit64, WRITES, {0, 7, 0, P}},
	{"prlimit64 set", SYS_prlimit64, READS, {0, 7, P, 0}},
	{"getrandom", SYS_getrandom, WRITES, {P, 16, 0}},
	{"rt_sigaction set", SYS_rt_sigaction, READS, {10, P, 0, 8}},
	{"rt_sigaction get", SYS_rt_sigaction, WRITES, {10, 0, P, 8}},
	{"rt_sigprocmask set", SYS_rt_sigprocmask, READS, {0, P, 0, 8}},
	{"rt_sigprocmask get", SYS_rt_sigprocmask, WRITES, {0, 0, P, 8}},
	{"rt_sigpending", SYS_rt_sigpending, WRITES, {P, 8}},
	{"rt_sigsuspend", SYS_rt_sigsuspend, READS, {P, 8}},
	{"rt_sigtimedwait", SYS_rt_sigtimedwait, READS, {P, 0, GOOD, 8}},
	{"sigaltstack set", SYS_sigaltstack, READS, {P, 0}},
	{"sigaltstack get", SYS_sigaltstack, WRITES, {0, P}},
	{"futex wait", SYS_futex, READS, {P, FUTEX_WAIT, 0, GOOD}},
	{"ppoll", SYS_ppoll, READS, {P, 1, GOOD, 0, 8}},
	{"pselect6", SYS_pselect6, READS, {1, P, 0, 0, GOOD, 0}},
};

static unsigned char *good, *readonly, *none, *gone;
static int ends[2];

static long resolve(long argument, long pointer)
{
	switch (argument) {
	case P: return pointer;
	case GOOD: return (long)good;
	case OUT: return ends[0];
	case IN: return ends[1];
	}
	return argument;
}

static int wrong;

static void try(const struct attempt *t, const char *way, long pointer)
{
	long a[6];
	long result;

	for (int i = 0; i < 6; i++)
		a[i] = resolve(t->args[i], pointer);
	memset(good, 0, PAGE);
	errno = 0;
	result = syscall(t->number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (result == -1 && errno == EFAULT)
		return;
	if (result == -1)
		printf("%s with %s pointer: %s, not EFAULT\n", t->name, way,
		       strerrorname_np(errno));
	else
		printf("%s with %s pointer: %ld, not EFAULT\n", t->name, way, result);
	wrong++;
}

int main(void)
{
	good = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(good, 0, 4 * PAGE);
	readonly = good + PAGE;
	none = good + 2 * PAGE;
	gone = good + 3 * PAGE;
	mprotect(readonly, PAGE, PROT_READ);
	mprotect(none, PAGE, PROT_NONE);
	munmap(gone, PAGE);
	if (pipe(ends))
		return 2;

	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++) {
		const struct attempt *t = &attempts[i];

		if (!strcmp(t->name, "read"))
			write(ends[1], "some bytes that wait to be read, for ever and ever", 50);
		try(t, "a tiny", 8);
		try(t, "an unmapped", (long)gone + 64);
		try(t, "a forbidden", (long)none + 64);
		try(t, "a kernel", (long)0xffffffff80000000u);
		try(t, "the last", -64);
		try(t, "a huge", 1l << 50);
		if (t->use == WRITES)
			try(t, "a read-only", (long)readonly + 64);
	}
	for (int i = 0; i < PAGE; i++)
		wrong += readonly[i] != 0;
	printf("%zu calls, %d wrong\n", sizeof(attempts) / sizeof(attempts[0]), wrong);
	return wrong != 0;
}
