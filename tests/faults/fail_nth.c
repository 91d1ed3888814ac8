/*
 * fail_nth.c - a library for LD_PRELOAD that makes one call of one kind fail.
 *
 * FAIL_KIND names the kind, FAIL_GENERATION the process: 0 is the one that was started, 1 its fork
 * children, 2 theirs. Every process counts its own calls from its start or fork; the call with the
 * number FAIL_NTH fails as the kernel or the C library would let it fail, and 0 lets none fail.
 * FAIL_COUNTS names a file of 3 numbers of 64 bits, into which every generation writes the most
 * calls that one of its processes has made: a worker that is in its jail cannot open a file.
 *
 * The C library calls itself without asking the dynamic linker, except to allocate. A stream that
 * is opened for writing, and standard output, therefore become streams that call the write below.
 * What a process other than the first writes to descriptors 0 to 2 is the guest's, and is left
 * alone. So is what libconfig and libseccomp allocate: libseccomp 2.5 frees twice in seccomp_load()
 * where it gets no memory, and what libconfig 1.5 does then was not tried.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define GENERATIONS 3

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t item_bytes);
void *__libc_realloc(void *block, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

enum kind { MEMORY, WRITE, FSYNC, RENAME, FORK, PIPE, OPEN, MMAP, LINK, THREAD, KINDS };

static const struct {
	const char *name;
	int reason;
} kinds[KINDS] = {
	[MEMORY] = {"memory", ENOMEM}, [WRITE] = {"write", ENOSPC}, [FSYNC] = {"fsync", EIO},
	[RENAME] = {"rename", EACCES}, [FORK] = {"fork", EAGAIN},   [PIPE] = {"pipe", EMFILE},
	[OPEN] = {"open", EMFILE},     [MMAP] = {"mmap", ENOMEM},   [LINK] = {"link", EACCES},
	[THREAD] = {"thread", EAGAIN},
};

static struct {
	bool is_ready;
	enum kind kind;
	unsigned generation, failing_generation;
	uint64_t nth, calls;
	uint64_t *counts;
	struct {
		uintptr_t from, to;
	} spared[2];
	size_t spared_count;
	pid_t (*fork)(void);
	int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	FILE *(*fdopen)(int, const char *);
	FILE *(*fopen)(const char *, const char *);
} plan;

/* True, with errno, if this call is to fail. */
static bool fails(enum kind kind)
{
	if (!plan.is_ready || kind != plan.kind || plan.generation >= GENERATIONS)
		return false;
	uint64_t calls = __atomic_add_fetch(&plan.calls, 1, __ATOMIC_RELAXED);
	uint64_t *most = &plan.counts[plan.generation];
	uint64_t before = __atomic_load_n(most, __ATOMIC_RELAXED);
	while (before < calls && !__atomic_compare_exchange_n(most, &before, calls, false,
							      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	if (calls != plan.nth || plan.generation != plan.failing_generation)
		return false;
	errno = kinds[kind].reason;
	return true;
}

static bool fails_for(const void *caller)
{
	for (size_t i = 0; i < plan.spared_count; i++)
		if ((uintptr_t)caller >= plan.spared[i].from &&
		    (uintptr_t)caller < plan.spared[i].to)
			return false;
	return fails(MEMORY);
}

void *malloc(size_t bytes)
{
	return fails_for(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t item_bytes)
{
	return fails_for(__builtin_return_address(0)) ? NULL : __libc_calloc(count, item_bytes);
}

void *realloc(void *block, size_t bytes)
{
	return fails_for(__builtin_return_address(0)) ? NULL : __libc_realloc(block, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	return fails_for(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, bytes);
}

/* Not left to the C library, whose call of malloc would not show who wants the copy. */
char *strdup(const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *copy = fails_for(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);

	return copy ? memcpy(copy, text, bytes) : NULL;
}

char *__strdup(const char *text) __attribute__((alias("strdup"), copy(strdup)));

ssize_t write(int fd, const void *from, size_t bytes)
{
	bool is_guests = plan.generation > 0 && fd <= STDERR_FILENO;

	return !is_guests && fails(WRITE) ? -1 : syscall(SYS_write, fd, from, bytes);
}

int fsync(int fd)
{
	return fails(FSYNC) ? -1 : (int)syscall(SYS_fsync, fd);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
	return fails(RENAME)
		       ? -1
		       : (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, 0);
}

int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags)
{
	return fails(LINK)
		       ? -1
		       : (int)syscall(SYS_linkat, from_directory, from, to_directory, to, flags);
}

int rename(const char *from, const char *to)
{
	return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

pid_t fork(void)
{
	if (fails(FORK))
		return -1;
	pid_t child = plan.fork();
	if (child == 0) {
		plan.generation++;
		plan.calls = 0;
	}
	return child;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
		   void *context)
{
	return fails(THREAD) ? errno : plan.pthread_create(thread, attributes, run, context);
}

int pipe2(int ends[2], int flags)
{
	return fails(PIPE) ? -1 : (int)syscall(SYS_pipe2, ends, flags);
}

int pipe(int ends[2])
{
	return pipe2(ends, 0);
}

int openat(int directory, const char *path, int flags, ...)
{
	va_list list;

	va_start(list, flags);
	unsigned mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, unsigned) : 0;
	va_end(list);
	return fails(OPEN) ? -1 : (int)syscall(SYS_openat, directory, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list list;

	va_start(list, flags);
	unsigned mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, unsigned) : 0;
	va_end(list);
	return openat(AT_FDCWD, path, flags, mode);
}

void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	return fails(MMAP) ? MAP_FAILED
			   : (void *)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);
}

static ssize_t write_cookie(void *cookie, const char *from, size_t bytes)
{
	ssize_t wrote = write((int)(intptr_t)cookie, from, bytes);

	return wrote < 0 ? 0 : wrote;
}

static int close_cookie(void *cookie)
{
	return close((int)(intptr_t)cookie);
}

static FILE *open_stream(int fd)
{
	cookie_io_functions_t calls = {.write = write_cookie, .close = close_cookie};

	return fopencookie((void *)(intptr_t)fd, "w", calls);
}

FILE *fdopen(int fd, const char *mode)
{
	return plan.kind == WRITE && *mode == 'w' ? open_stream(fd) : plan.fdopen(fd, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	return fails(OPEN) ? NULL : plan.fopen(path, mode);
}

static int spare(struct dl_phdr_info *info, size_t bytes, void *unused)
{
	bool is_spared = strstr(info->dlpi_name, "/libconfig.so") ||
			 strstr(info->dlpi_name, "/libseccomp.so");

	(void)bytes;
	(void)unused;
	for (int i = 0; is_spared && i < info->dlpi_phnum && plan.spared_count < 2; i++)
		if (info->dlpi_phdr[i].p_flags & PF_X) {
			uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

			plan.spared[plan.spared_count].from = from;
			plan.spared[plan.spared_count++].to = from + info->dlpi_phdr[i].p_memsz;
		}
	return 0;
}

static const char *variable(const char *name)
{
	const char *text = getenv(name);

	if (!text) {
		fprintf(stderr, "fail_nth: %s is not set\n", name);
		_exit(99);
	}
	return text;
}

__attribute__((constructor)) static void prepare(void)
{
	const char *kind = variable("FAIL_KIND");

	while (plan.kind < KINDS && strcmp(kinds[plan.kind].name, kind) != 0)
		plan.kind++;
	plan.failing_generation = (unsigned)atoi(variable("FAIL_GENERATION"));
	plan.nth = strtoull(variable("FAIL_NTH"), NULL, 10);
	*(void **)&plan.fork = dlsym(RTLD_NEXT, "fork");
	*(void **)&plan.pthread_create = dlsym(RTLD_NEXT, "pthread_create");
	*(void **)&plan.fdopen = dlsym(RTLD_NEXT, "fdopen");
	*(void **)&plan.fopen = dlsym(RTLD_NEXT, "fopen");
	dl_iterate_phdr(spare, NULL);
	int fd = open(variable("FAIL_COUNTS"), O_RDWR | O_CLOEXEC);
	plan.counts = mmap(NULL, GENERATIONS * sizeof(*plan.counts), PROT_READ | PROT_WRITE,
			   MAP_SHARED, fd, 0);
	if (plan.kind == KINDS || plan.counts == MAP_FAILED) {
		fprintf(stderr, "fail_nth: no kind %s, or no file FAIL_COUNTS\n", kind);
		_exit(99);
	}
	close(fd);
	if (plan.kind == WRITE)
		stdout = open_stream(STDOUT_FILENO);
	plan.is_ready = true;
}
