/*
 * Thousands of random operations on one file through mappings and descriptors leave what Linux
 * leaves.
 *
 * data: yes
 */
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE  4096
#define PAGES 12
#define VIEWS 6
#define FDS   3
#define STEPS 4000

static uint64_t state = 88172645463325252u;
static off_t size;

static unsigned pick(unsigned below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 20) % below;
}

struct view {
	char *at;
	size_t first, pages; /* of the file */
	int can_write;
};

/* How many bytes of a view lie within the file. */
static size_t within(const struct view *view)
{
	off_t left = size - (off_t)(view->first * PAGE);

	return !view->at || left <= 0		   ? 0
	       : (size_t)left < view->pages * PAGE ? (size_t)left
						   : view->pages * PAGE;
}

static void map(struct view *view, int fd)
{
	if (view->at)
		munmap(view->at, view->pages * PAGE);
	view->first = pick(PAGES);
	view->pages = 1 + pick(5);
	view->can_write = pick(4) != 0;
	view->at =
		mmap(NULL, view->pages * PAGE, view->can_write ? PROT_READ | PROT_WRITE : PROT_READ,
		     MAP_SHARED, fd, (off_t)(view->first * PAGE));
	if (view->at == MAP_FAILED)
		exit(98);
}

static void scribble(char *to, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		to[i] = (char)pick(256);
}

int main(int argc, char **argv)
{
	static char buffer[3 * PAGE];
	struct view views[VIEWS] = {{0}};
	uint64_t digest = DIGEST_START;
	int fds[FDS];

	check_enter(argc, argv, chdir);
	for (int i = 0; i < FDS; i++)
		fds[i] = open("file", O_RDWR | O_CREAT, 0644);
	size = 5 * PAGE + 123;
	ftruncate(fds[0], size);
	for (int step = 0; step < STEPS; step++) {
		struct view *view = &views[pick(VIEWS)];
		int fd = fds[pick(FDS)];
		size_t bytes = within(view), at = bytes ? pick((unsigned)bytes) : 0;
		size_t part = bytes ? 1 + pick((unsigned)(bytes - at < 300 ? bytes - at : 300)) : 0;
		off_t offset = pick((PAGES - 1) * PAGE);
		ssize_t got;

		switch (pick(12)) {
		case 0: map(view, fd); break;
		case 1:
		case 2:
		case 3:
			if (view->can_write)
				scribble(view->at + at, part);
			break;
		case 4: digest = check_digest(digest, view->at + at, part); break;
		case 5:
			scribble(buffer, 100);
			pwrite(fd, buffer, 100, offset);
			if (size < offset + 100)
				size = offset + 100;
			break;
		case 6:
			got = pread(fd, buffer, sizeof(buffer), offset);
			digest = check_digest(digest, buffer, got > 0 ? (size_t)got : 0);
			break;
		case 7:
			lseek(fd, offset, SEEK_SET);
			if (pick(2)) {
				got = read(fd, buffer, 777);
				digest = check_digest(digest, buffer, got > 0 ? (size_t)got : 0);
			} else {
				scribble(buffer, 333);
				write(fd, buffer, 333);
				if (size < offset + 333)
					size = offset + 333;
			}
			break;
		case 8:
			if (!pick(3)) {
				size = pick(PAGES * PAGE);
				ftruncate(fd, size);
			}
			break;
		case 9:
			if (view->at)
				msync(view->at, view->pages * PAGE, pick(2) ? MS_SYNC : MS_ASYNC);
			break;
		case 10:
			if (view->at && pick(2)) {
				size_t pages = 1 + pick(6);

				view->at = mremap(view->at, view->pages * PAGE, pages * PAGE,
						  MREMAP_MAYMOVE);
				view->pages = pages;
			} else if (view->at) {
				view->can_write = pick(3) != 0;
				mprotect(view->at, view->pages * PAGE,
					 view->can_write ? PROT_READ | PROT_WRITE : PROT_READ);
			}
			break;
		case 11:
			if (!pick(4)) {
				close(fd);
				for (int i = 0; i < FDS; i++)
					if (fds[i] == fd)
						fds[i] = open("file", O_RDWR);
			} else if (view->at && pick(2)) {
				munmap(view->at, view->pages * PAGE);
				*view = (struct view){0};
			}
			break;
		}
		if (step % 500 == 499)
			printf("%d %lld %016llx\n", step, (long long)size,
			       (unsigned long long)digest);
	}
	for (int i = 0; i < VIEWS; i++)
		digest = check_digest(digest, views[i].at, within(&views[i]));
	for (off_t at = 0; (size_t)at < (size_t)size; at += sizeof(buffer))
		digest = check_digest(digest, buffer,
				      (size_t)pread(fds[0], buffer, sizeof(buffer), at));
	printf("%lld %016llx\n", (long long)size, (unsigned long long)digest);
	return 0;
}
