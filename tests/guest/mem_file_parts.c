/*
 * Of a mapped file, parts are unmapped, protected and moved; the others stay what they were.
 *
 * data: yes
 * link: static
 */
#include "check.h"
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE  4096
#define PAGES 8

static sigjmp_buf back;

static void caught(int number)
{
	siglongjmp(back, number);
}

/* One letter for each page: its first byte, or '-' where there is nothing. */
static void show(const char *title, const volatile char *map)
{
	volatile char line[PAGES + 1] = "";

	for (volatile int i = 0; i < PAGES; i++)
		line[i] = sigsetjmp(back, 1) ? '-' : map[i * PAGE];
	printf("%-28s %s\n", title, (const char *)line);
}

static void show_file(int fd)
{
	char line[PAGES + 1] = "";

	for (int i = 0; i < PAGES; i++)
		pread(fd, &line[i], 1, i * PAGE);
	printf("%-28s %s\n", "  the file", line);
}

static void fill(int fd)
{
	char page[PAGE];

	ftruncate(fd, PAGES * PAGE);
	for (int i = 0; i < PAGES; i++) {
		memset(page, 'a' + i, PAGE);
		pwrite(fd, page, PAGE, i * PAGE);
	}
}

static void try_one(const char *kind, int fd, int flags)
{
	const int rights = PROT_READ | PROT_WRITE;
	char *map, *moved;

	printf("%s\n", kind);
	fill(fd);
	map = mmap(NULL, PAGES * PAGE, rights, flags, fd, 0);
	/* The middle: what is written before, on both sides and in it, and after. */
	map[1 * PAGE] = 'B';
	map[3 * PAGE] = 'D';
	map[6 * PAGE] = 'G';
	TRY(munmap(map + 3 * PAGE, 2 * PAGE));
	show("without the middle", map);
	show_file(fd);
	map[2 * PAGE] = 'C';
	map[5 * PAGE] = 'F';
	TRY(msync(map + 5 * PAGE, 3 * PAGE, MS_SYNC));
	show("written on both sides", map);
	show_file(fd);
	/* The first and the last page, and one that is gone already. */
	TRY(munmap(map, PAGE));
	TRY(munmap(map + 7 * PAGE, PAGE));
	TRY(munmap(map + 3 * PAGE, PAGE));
	pwrite(fd, "x", 1, 5 * PAGE);
	pwrite(fd, "y", 1, 1 * PAGE);
	show("without the ends", map);
	show_file(fd);
	/* A part from elsewhere in the file, in the hole. */
	TRUTH(mmap(map + 3 * PAGE, PAGE, rights, flags | MAP_FIXED, fd, 7 * PAGE) ==
	      map + 3 * PAGE);
	map[3 * PAGE] = 'H';
	show("the last in the hole", map);
	show_file(fd);
	TRY(mprotect(map + 2 * PAGE, PAGE, PROT_NONE));
	show("one protected", map);
	TRY(mprotect(map + 2 * PAGE, PAGE, PROT_READ));
	show("one to be read", map);
	if (!sigsetjmp(back, 1)) {
		*(volatile char *)(map + 2 * PAGE) = '!';
		puts("written");
	} else {
		puts("refused");
	}
	moved = mremap(map + 5 * PAGE, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, map);
	TRUTH(moved == map);
	map[1 * PAGE] = 'z';
	show("two moved to the front", map);
	show_file(fd);
	TRY(munmap(map, PAGES * PAGE));
	show("nothing", map);
	show_file(fd);
}

int main(int argc, char **argv)
{
	int fd;

	check_enter(argc, argv, chdir);
	signal(SIGSEGV, caught);
	fd = open("file", O_CREAT | O_RDWR, 0644);
	try_one("shared", fd, MAP_SHARED);
	try_one("private", fd, MAP_PRIVATE);
	return 0;
}
