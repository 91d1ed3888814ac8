/*
 * Calls on the address space refuse wrong addresses, lengths and flags, and touch whole pages.
 *
 * data: yes
 * link: static
 * beside: host
 */
#include "edge.h"
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/stat.h>

#define PAGE 4096l
#define RW   (PROT_READ | PROT_WRITE)
#define ANON (MAP_PRIVATE | MAP_ANONYMOUS)

static sigjmp_buf back;
static volatile int code, number;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)context;
	number = signal;
	code = info->si_code;
	siglongjmp(back, 1);
}

/* What a load of the byte, and a store to it, come to. */
static void probe(const char *what, volatile char *at)
{
	printf("%s:", what);
	number = 0;
	if (!sigsetjmp(back, 1))
		printf(" %d", *at);
	else
		printf(" %s %d", number == SIGBUS ? "SIGBUS" : "SIGSEGV", code);
	if (!sigsetjmp(back, 1)) {
		*at = *at;
		puts(", stores");
	} else {
		printf(", %s %d\n", number == SIGBUS ? "SIGBUS" : "SIGSEGV", code);
	}
}

/* A mapping's address is no property of the call. */
static char *map(const char *text, void *at)
{
	printf("%s -> %s\n", text, at == MAP_FAILED ? check_error(errno) : "mapped");
	return at;
}
#define MAP(...)  map("mmap(" #__VA_ARGS__ ")", mmap(__VA_ARGS__))
#define MOVE(...) map("mremap(" #__VA_ARGS__ ")", mremap(__VA_ARGS__))

static void mapping(int rw, int r, int w, int dir)
{
	int pipes[2];
	char *at = mmap(NULL, 16 * PAGE, PROT_NONE, ANON, -1, 0);

	puts("# mmap");
	pipe(pipes);
	MAP(NULL, 0, RW, ANON, -1, 0);
	MAP(NULL, 1, RW, ANON, -1, 0);
	MAP(NULL, -1, RW, ANON, -1, 0);
	MAP(NULL, 1l << 50, RW, ANON, -1, 0);
	MAP(NULL, PAGE, RW, ANON, -1, 1);
	MAP(NULL, PAGE, RW, MAP_ANONYMOUS, -1, 0);
	MAP(NULL, PAGE, RW, MAP_PRIVATE, -1, 0);
	MAP(NULL, PAGE, RW, MAP_PRIVATE, rw, 100);
	MAP(NULL, PAGE, RW, MAP_PRIVATE, rw, -PAGE);
	MAP(NULL, PAGE, RW, MAP_PRIVATE, r, 0);
	MAP(NULL, PAGE, RW, MAP_SHARED, r, 0);
	MAP(NULL, PAGE, PROT_READ, MAP_SHARED, r, 0);
	MAP(NULL, PAGE, PROT_READ, MAP_SHARED, w, 0);
	MAP(NULL, PAGE, PROT_READ, MAP_PRIVATE, w, 0);
	MAP(NULL, PAGE, PROT_READ, MAP_PRIVATE, dir, 0);
	MAP(NULL, PAGE, PROT_READ, MAP_SHARED, dir, 0);
	MAP(NULL, PAGE, PROT_READ, MAP_SHARED, pipes[0], 0);
	MAP(NULL, PAGE, PROT_READ, MAP_SHARED_VALIDATE, r, 0);
	MAP(NULL, PAGE, RW, MAP_SHARED_VALIDATE, r, 0);
	MAP(at + 1, PAGE, RW, ANON | MAP_FIXED, -1, 0);
	MAP(NULL, PAGE, RW, ANON | MAP_FIXED_NOREPLACE, -1, 1);
	MAP((void *)-PAGE, PAGE, RW, ANON | MAP_FIXED, -1, 0);
	TRUTH(MAP(at + PAGE, PAGE, RW, ANON | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED);
	TRUTH(MAP(at + PAGE, PAGE, RW, ANON, -1, 0) != at + PAGE);
	TRUTH(MAP(at + PAGE, PAGE + 1, RW, ANON | MAP_FIXED, -1, 0) == at + PAGE);
	probe("before", at + PAGE - 1);
	probe("first", at + PAGE);
	probe("last", at + 3 * PAGE - 1);
	probe("after", at + 3 * PAGE);
	TRY(munmap(at + 5 * PAGE, PAGE));
	TRUTH(MAP(at + 5 * PAGE, PAGE, PROT_READ, ANON | MAP_FIXED_NOREPLACE, -1, 0) ==
	      at + 5 * PAGE);
	probe("read only", at + 5 * PAGE);
	TRY(munmap(at + 5 * PAGE, 2 * PAGE));
	TRUTH(MAP(at + 5 * PAGE + 5, PAGE, RW, ANON, -1, 0) == at + 5 * PAGE);
	puts("# munmap and mprotect");
	TRY(munmap(at + 1, PAGE));
	TRY(munmap(at, 0));
	TRY(munmap(at, -1));
	TRY(munmap(at, 1l << 50));
	TRY(munmap(at + 8 * PAGE, 1));
	probe("gone", at + 8 * PAGE);
	probe("end", at + 9 * PAGE - 1);
	probe("kept", at + 9 * PAGE);
	TRY(munmap(at + 8 * PAGE, PAGE));
	TRY(mprotect(at + 1, PAGE, RW));
	TRY(mprotect(at, 0, RW));
	TRY(mprotect(at, PAGE, 16));
	TRY(mprotect(at, -PAGE, RW));
	TRY(mprotect(at + 7 * PAGE, 2 * PAGE, RW));
	TRY(mprotect(at + 8 * PAGE, PAGE, RW));
	TRY(mprotect(at + 10 * PAGE, PAGE + 1, RW));
	probe("second", at + 11 * PAGE);
	probe("third", at + 12 * PAGE);
	TRY(mprotect(at + 10 * PAGE, PAGE, PROT_READ));
	probe("read only", at + 10 * PAGE);
	TRY(mprotect(at + 11 * PAGE, PAGE, PROT_NONE));
	probe("none", at + 11 * PAGE);
}

static void files(int rw, int r)
{
	char *a, *b;

	puts("# files");
	ftruncate(rw, PAGE + 10);
	pwrite(rw, "ab", 2, PAGE);
	a = MAP(NULL, 4 * PAGE, RW, MAP_SHARED, rw, 0);
	b = MAP(NULL, 4 * PAGE, RW, MAP_PRIVATE, rw, PAGE);
	probe("shared", a + PAGE);
	probe("its tail", a + 2 * PAGE - 1);
	probe("past the end", a + 2 * PAGE);
	probe("private", b);
	probe("its tail", b + PAGE - 1);
	probe("past the end", b + PAGE);
	probe("further", b + 3 * PAGE);
	TRY(mprotect(b, 4 * PAGE, PROT_READ));
	probe("read only", b);
	probe("past the end", b + PAGE);
	TRY(mprotect(b, 4 * PAGE, RW));
	probe("past the end", b + 2 * PAGE);
	a[PAGE + 1] = 'X';
	b[2] = 'Y';
	TRY(msync(a, 4 * PAGE, MS_SYNC));
	char in[4] = {0};
	pread(rw, in, 3, PAGE);
	printf("%c%c%d\n", in[0], in[1], in[2]);
	TRY(msync(a + 1, PAGE, MS_SYNC));
	TRY(msync(a, PAGE, MS_SYNC | MS_ASYNC));
	TRY(msync(a, PAGE, MS_ASYNC | MS_INVALIDATE));
	TRY(msync(a, PAGE, 8));
	TRY(msync(a, 0, MS_SYNC));
	TRY(msync(a, -PAGE, MS_SYNC));
	TRY(munmap(a + 2 * PAGE, PAGE));
	TRY(msync(a, 3 * PAGE, MS_SYNC));
	TRY(msync(a, 2 * PAGE, MS_SYNC));
	int tiny = open("tiny", O_RDWR | O_CREAT, 0644);
	write(tiny, "t", 1);
	char *single = MAP(NULL, 2 * PAGE, RW, MAP_SHARED, tiny, 0);
	probe("of one byte", single);
	probe("past the end", single + PAGE);
	/* What is cut off is no part of the file any more. */
	for (int type = MAP_SHARED; type <= MAP_PRIVATE; type++) {
		char *cut = mmap(NULL, 4 * PAGE, RW, type, rw, PAGE);

		TRUTH(mremap(cut, 4 * PAGE, 2 * PAGE, 0) == cut);
		probe("kept", cut);
		probe("past the end", cut + PAGE);
		probe("cut off", cut + 2 * PAGE);
		probe("cut off", cut + 3 * PAGE);
	}
	char *c = MAP(NULL, PAGE, PROT_READ, MAP_SHARED, r, 0);
	TRY(mprotect(c, PAGE, RW));
	TRY(mprotect(c, PAGE, PROT_NONE));
	TRY(mprotect(c, PAGE, PROT_READ));
	probe("read again", c);
}

static void advice(void)
{
	char *at = mmap(NULL, 8 * PAGE, RW, ANON, -1, 0);
	unsigned char here[8];

	puts("# advice");
	memset(at, 7, 8 * PAGE);
	munmap(at + 6 * PAGE, PAGE);
	/* Those between ask for what a kernel may be built without. */
	for (int i = -1; i <= 30; i++)
		if (i < 9 || (i > 17 && i != 25))
			printf("advice %d: %s\n", i,
			       madvise(at, PAGE, i) == 0 ? "taken" : check_error(errno));
	memset(at, 7, 6 * PAGE);
	TRY(madvise(at + 1, PAGE, MADV_NORMAL));
	TRY(madvise(at, 0, MADV_NORMAL));
	TRY(madvise(at, -1, MADV_NORMAL));
	TRY(madvise(at, -PAGE, MADV_NORMAL));
	TRY(madvise(at, 1l << 50, MADV_NORMAL));
	TRY(madvise(at + 5 * PAGE, 2 * PAGE, MADV_NORMAL));
	TRY(madvise(at + PAGE, PAGE + 1, MADV_DONTNEED));
	printf("%d %d %d %d %d\n", at[PAGE - 1], at[PAGE], at[2 * PAGE], at[3 * PAGE - 1],
	       at[3 * PAGE]);
	TRY(mincore(at, 2 * PAGE, here));
	TRY(mincore(at + 1, PAGE, here));
	TRY(mincore(at, 8 * PAGE, here));
	TRY(mincore(at, PAGE, (void *)1));
	TRY(mincore(at, -1, here));
	char *edge = edge_new();
	TRY(mincore(at + PAGE, PAGE + 1, (void *)(edge - 2)));
	TRY(mincore(at + PAGE, PAGE + 1, (void *)(edge - 1)));
	TRY(mincore(at + PAGE, PAGE, (void *)(edge - 1)));
	memset(here, 9, sizeof(here));
	at[0] = 1;
	mincore(at, 1, here);
	printf("%d %d\n", here[0] & 1, here[1]);
	TRY(mlock(at, PAGE));
	TRY(mlock(at + 5 * PAGE, PAGE + 1));
	TRY(mlock(at + 5 * PAGE + 1, PAGE - 1));
	TRY(mlock(at + 5 * PAGE + 1, PAGE));
	TRY(munlock(at, PAGE));
	TRY(munlock(at + 6 * PAGE, PAGE));
}

static void moving(int rw)
{
	char *at = mmap(NULL, 32 * PAGE, RW, ANON, -1, 0), *to;

	puts("# mremap");
	for (int i = 0; i < 32; i++)
		memset(at + i * PAGE, i, PAGE);
	MOVE(at + 1, PAGE, PAGE, 0);
	MOVE(at, PAGE, 0, 0);
	MOVE(at, -1, PAGE, 0);
	MOVE(at, PAGE, PAGE, 8);
	MOVE(at, PAGE, PAGE, MREMAP_FIXED, at + 16 * PAGE);
	MOVE(at, PAGE, PAGE, MREMAP_FIXED | MREMAP_MAYMOVE, at + 16 * PAGE + 1);
	MOVE(at, 2 * PAGE, 2 * PAGE, MREMAP_FIXED | MREMAP_MAYMOVE, at + PAGE);
	MOVE(at + PAGE, 2 * PAGE, 2 * PAGE, MREMAP_FIXED | MREMAP_MAYMOVE, at);
	MOVE(at, PAGE, 2 * PAGE, 0);
	MOVE(at, 0, PAGE, MREMAP_MAYMOVE);
	TRUTH(MOVE(at, PAGE, PAGE, 0) == at);
	/* Shorter: the rest is free. */
	TRUTH(MOVE(at + 20 * PAGE, 4 * PAGE, 2 * PAGE - 5, 0) == at + 20 * PAGE);
	probe("kept", at + 22 * PAGE - 1);
	probe("freed", at + 22 * PAGE);
	probe("freed", at + 24 * PAGE - 1);
	probe("kept", at + 24 * PAGE);
	/* Longer in its place, as far as there is room. */
	MOVE(at + 21 * PAGE, PAGE, 4 * PAGE, 0);
	TRUTH(MOVE(at + 21 * PAGE, PAGE, 3 * PAGE, 0) == at + 21 * PAGE);
	probe("kept", at + 21 * PAGE);
	probe("new", at + 22 * PAGE);
	probe("new", at + 24 * PAGE - 1);
	probe("kept", at + 24 * PAGE);
	/* To a place of one's choice, shorter and longer. */
	to = at + 28 * PAGE;
	TRUTH(MOVE(at + 8 * PAGE, 3 * PAGE, PAGE, MREMAP_FIXED | MREMAP_MAYMOVE, to) == to);
	probe("moved", to);
	probe("not replaced", to + PAGE);
	probe("from", at + 8 * PAGE);
	probe("from", at + 11 * PAGE - 1);
	probe("after", at + 11 * PAGE);
	TRUTH(MOVE(at + 12 * PAGE, PAGE, 2 * PAGE, MREMAP_FIXED | MREMAP_MAYMOVE, to) == to);
	probe("moved", to);
	probe("new", to + PAGE);
	probe("not replaced", to + 2 * PAGE);
	probe("from", at + 12 * PAGE);
	probe("after", at + 13 * PAGE);
	/* Anywhere. */
	to = MOVE(at + 13 * PAGE, PAGE, 3 * PAGE, MREMAP_MAYMOVE);
	probe("moved", to);
	probe("new", to + 3 * PAGE - 1);
	probe("from", at + 13 * PAGE);
	MOVE(at + 12 * PAGE, PAGE, PAGE, MREMAP_MAYMOVE);
	MOVE(at + 14 * PAGE, 0, PAGE, MREMAP_MAYMOVE);
	puts("# mremap of what is shared");
	ftruncate(rw, 6 * PAGE);
	for (int i = 0; i < 6; i++)
		pwrite(rw, &(char){'a' + i}, 1, i * PAGE);
	char *shared = mmap(NULL, 2 * PAGE, RW, MAP_SHARED, rw, PAGE);
	to = MOVE(shared + PAGE, 0, 2 * PAGE, MREMAP_MAYMOVE);
	printf("%c%c\n", to[0], to[PAGE]);
	to[0] = 'Z';
	printf("%c\n", shared[PAGE]);
	MOVE(shared, 0, PAGE, 0);
	to = MOVE(shared, 2 * PAGE, 4 * PAGE, MREMAP_MAYMOVE);
	printf("%c%c%c%c\n", to[0], to[PAGE], to[2 * PAGE], to[3 * PAGE]);
	to = MOVE(to + PAGE, 2 * PAGE, PAGE, MREMAP_FIXED | MREMAP_MAYMOVE, at);
	printf("%c\n", at[0]);
	probe("after", at + PAGE);
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

	check_enter(argc, argv, chdir);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	mkdir("dir", 0755);
	int rw = open("file", O_RDWR | O_CREAT, 0644), r = open("file", O_RDONLY);
	int w = open("file", O_WRONLY), dir = open("dir", O_RDONLY);

	ftruncate(rw, 3 * PAGE);
	mapping(rw, r, w, dir);
	files(rw, r);
	advice();
	moving(rw);
	return 0;
}
