/*
 * All shared mappings of a file and all calls on it see one content, and it is in the file at the
 * end.
 *
 * data: yes
 */
#include "check.h"
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE	   4096
#define MAPS(call) printf("%s -> %s\n", #call, (call) == MAP_FAILED ? check_error(errno) : "mapped")

static sigjmp_buf back;
static volatile int code;

static void caught(int number, siginfo_t *info, void *context)
{
	code = info->si_code;
	siglongjmp(back, number);
}

/* The signal that a load from here gives, 0 if none. */
static int load_fault(volatile char *at)
{
	int number = sigsetjmp(back, 1);

	if (!number)
		*at;
	return number;
}

static int store_fault(volatile char *at)
{
	int number = sigsetjmp(back, 1);

	if (!number)
		*at = 1;
	return number;
}

static void one_content(int fd)
{
	char buffer[64] = "";
	char *a = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	char *b = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, PAGE);
	int other = open("file", O_RDWR), linked = open("link", O_RDWR);
	char *c = mmap(NULL, 4 * PAGE, PROT_READ, MAP_SHARED, linked, 0);

	strcpy(a + PAGE + 10, "through a");
	printf("%s, %s\n", b + 10, c + PAGE + 10);
	pread(other, buffer, 9, PAGE + 10);
	puts(buffer);
	pwrite(linked, "by pwrite", 9, PAGE + 12);
	printf("%s, %s, %s\n", a + PAGE + 10, b + 10, c + PAGE + 10);
	lseek(fd, 2 * PAGE - 3, SEEK_SET);
	write(fd, "across", 6);
	printf("%.6s %.3s\n", a + 2 * PAGE - 3, b + PAGE);
	b[PAGE + 50] = 'x';
	lseek(other, 2 * PAGE + 50, SEEK_SET);
	read(other, buffer, 1);
	SHOW(buffer[0]);
	char *own = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, PAGE);
	puts(own + 10);
	strcpy(own + 10, "mine");
	puts(a + PAGE + 10);
	munmap(a, 3 * PAGE);
	strcpy(b + 10, "after the first is gone");
	puts(c + PAGE + 10);
	munmap(b, 2 * PAGE);
	puts(c + PAGE + 10);
	munmap(c, 4 * PAGE);
	pread(fd, buffer, 23, PAGE + 10);
	puts(buffer);
	close(other);
	close(linked);
}

static void ends(int fd)
{
	char *m = mmap(NULL, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int lost;

	TRY(ftruncate(fd, PAGE + 100));
	SHOW(m[PAGE + 99]);
	SHOW(m[PAGE + 100]);
	SHOW(m[2 * PAGE - 1]);
	SHOW(load_fault(m + 2 * PAGE - 1));
	SHOW(load_fault(m + 2 * PAGE) == SIGBUS);
	SHOW(code == BUS_ADRERR);
	SHOW(store_fault(m + 7 * PAGE) == SIGBUS);
	lost = write(1, m + 3 * PAGE, 10);
	TRUTH(lost == -1 && errno == EFAULT);
	TRY(ftruncate(fd, 6 * PAGE));
	SHOW(load_fault(m + 5 * PAGE));
	SHOW(m[5 * PAGE]);
	SHOW(load_fault(m + 6 * PAGE) == SIGBUS);
	pwrite(fd, "grown", 5, 6 * PAGE + 1);
	puts(m + 6 * PAGE + 1);
	close(open("file", O_RDWR | O_TRUNC));
	SHOW(load_fault(m) == SIGBUS);
	TRY(truncate("file", PAGE));
	SHOW(load_fault(m));
	SHOW(m[0]);
	TRY(munmap(m, 8 * PAGE));
	m = mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	SHOW(load_fault(m + PAGE) == SIGBUS);
	SHOW(load_fault(m));
	munmap(m, 2 * PAGE);
}

static void protection(int fd)
{
	int reader = open("file", O_RDONLY), adder = open("file", O_RDWR | O_APPEND);
	char *m, buffer[16] = "";

	MAPS(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, reader, 0));
	m = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, reader, 0);
	TRY(mprotect(m, PAGE, PROT_READ | PROT_WRITE));
	TRY(mprotect(m, PAGE, PROT_NONE));
	SHOW(load_fault(m) == SIGSEGV);
	TRY(mprotect(m, PAGE, PROT_READ));
	SHOW(store_fault(m) == SIGSEGV);
	munmap(m, PAGE);
	m = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	SHOW(store_fault(m) == SIGSEGV);
	TRY(mprotect(m, PAGE, PROT_READ | PROT_WRITE));
	strcpy(m + 5, "later");
	TRY(mprotect(m, PAGE, PROT_READ));
	SHOW(store_fault(m) == SIGSEGV);
	TRY(msync(m, 2 * PAGE, MS_SYNC));
	TRY(msync(m, PAGE, MS_SYNC | MS_ASYNC));
	TRY(msync(m + 1, PAGE, MS_SYNC));
	pread(fd, buffer, 5, 5);
	puts(buffer);
	munmap(m, 2 * PAGE);
	m = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, adder, 0);
	strcpy(m, "head");
	munmap(m, PAGE);
	SHOW(lseek(fd, 0, SEEK_END));
	pread(fd, buffer, 5, 0);
	puts(buffer);
	TRY(write(adder, "tail", 4));
	SHOW(lseek(fd, 0, SEEK_END));
	close(reader);
	close(adder);
}

static void moves(int fd)
{
	char *m, *n;

	ftruncate(fd, 8 * PAGE);
	for (int i = 0; i < 8; i++)
		pwrite(fd, "ABCDEFGH" + i, 1, i * PAGE);
	m = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, PAGE);
	m[1] = '1';
	n = mremap(m, 2 * PAGE, 6 * PAGE, MREMAP_MAYMOVE);
	printf("%.2s%.1s%.1s\n", n, n + PAGE, n + 5 * PAGE);
	n[5 * PAGE + 1] = '6';
	n = mremap(n, 6 * PAGE, PAGE, 0);
	printf("%.3s\n", n);
	munmap(n, PAGE);
	n = mmap(NULL, 8 * PAGE, PROT_READ, MAP_SHARED, fd, 0);
	printf("%.3s %.2s\n", n + PAGE, n + 6 * PAGE);
	TRY(madvise(n, 8 * PAGE, MADV_DONTNEED));
	printf("%.3s %.2s\n", n + PAGE, n + 6 * PAGE);
	munmap(n, 8 * PAGE);
	m = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	SHOW(m[PAGE]);
	strcpy(m + PAGE, "of no file");
	madvise(m, 2 * PAGE, MADV_DONTNEED);
	puts(m + PAGE);
	munmap(m, 2 * PAGE);
}

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO};
	int fd;

	check_enter(argc, argv, chdir);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	fd = open("file", O_CREAT | O_RDWR, 0644);
	ftruncate(fd, 4 * PAGE);
	link("file", "link");
	one_content(fd);
	ends(fd);
	protection(fd);
	moves(fd);
	MAPS(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, open(".", O_RDONLY), 0));
	MAPS(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, open("file", O_WRONLY), 0));
	MAPS(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, open("file", O_PATH), 0));
	return 0;
}
