/*
 * frames.h - where functions begin and end by the records that unwinding needs (.eh_frame), which a
 * stripped file still has: code without a symbol is told apart by them.
 *
 * libdw finds the records; of each the range of code is taken, if it is given as compilers for
 * RISC-V give it, relative to where it stands and in four bytes. What holds afterwards: ranges
 * ascend by start, are not empty and lie within one section with code. Of ranges that begin at the
 * same address the shortest is kept; ranges may overlap.
 */
#ifndef IMAGE_FRAMES_H
#define IMAGE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame_range {
	uint64_t start, end; /* the first address after it */
};

struct frames {
	struct frame_range *items;
	size_t count, capacity;
};

/* An empty table if there are no records, or the file cannot be read. `bytes` is not kept. */
void frames_read(struct frames *frames, const uint8_t *bytes, size_t size, const char *name);
void frames_release(struct frames *frames);

/* The range that contains the address, of several the last that begins at or below it; NULL if
 * there is none. */
const struct frame_range *frames_find(const struct frames *frames, uint64_t address);

#endif
