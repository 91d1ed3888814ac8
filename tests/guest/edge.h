/*
 * The edge of what is mapped: what a system call reads or writes there shows how many bytes it
 * takes. BEFORE(object) copies an object to where it ends at the last byte of a page that an
 * inaccessible page follows, and PAST(object) to one byte more, of which the last cannot be
 * accessed. RAW makes a system call without the C library between.
 */
#ifndef GUEST_EDGE_H
#define GUEST_EDGE_H

#include "check.h"
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EDGE_PAGE 4096
#define RAW(call, ...) \
	(errno = 0, check_result(#call "(" #__VA_ARGS__ ")", syscall(SYS_##call, __VA_ARGS__)))

/* The end of a page that can be accessed, in front of one that cannot; each call maps another. */
static inline char *edge_new(void)
{
	char *at = mmap(NULL, 3 * EDGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);

	if (at == MAP_FAILED)
		exit(98);
	mprotect(at + 2 * EDGE_PAGE, EDGE_PAGE, PROT_NONE);
	return at + 2 * EDGE_PAGE;
}

static inline void *edge_copy(const void *from, size_t bytes, size_t beyond)
{
	static char *edge;

	if (!edge)
		edge = edge_new();
	memset(edge - 2 * EDGE_PAGE, 0, 2 * EDGE_PAGE);
	return memcpy(edge - bytes + beyond, from, bytes - beyond);
}

#define BEFORE(object) edge_copy(&(object), sizeof(object), 0)
#define PAST(object)   edge_copy(&(object), sizeof(object), 1)

#endif
