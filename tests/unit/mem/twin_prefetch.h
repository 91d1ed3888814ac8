/*
 * twin_prefetch.h - the prefetchers once more, from their descriptions: each keeps what it needs to
 * know in the plainest form and looks at all of it at every access.
 *
 *   next_line      at a miss, or the first use of a line it brought in: the line after
 *   adjacent_line  at a miss: the other line of the aligned pair
 *   stride         64 entries by pc / 2: last address, stride, confidence. The same stride again:
 * one more, up to 3; another one: at 3 one less, else it is the new stride, at 0. From 2 on: the
 * next two addresses by the stride, or by a line if the stride is shorter stream         the 16
 * pages used last. From the second move in a direction on: lines up to 8 ahead, none twice while
 * the direction is the same, at most 4 at an access
 *
 * None names the line of the access itself, or one outside its page of at most 4 KB.
 */
#ifndef TESTS_MEM_TWIN_PREFETCH_H
#define TESTS_MEM_TWIN_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct twin_stride {
	bool valid;
	uint64_t pc, address;
	int64_t stride;
	int confidence;
};

struct twin_stream {
	uint64_t page, used; /* 0: empty */
	int64_t line;
	int direction, moves;
	bool named[4096];
};

struct twin_prefetcher {
	const char *kind;
	uint64_t line_bytes, page_bytes, stamp;
	struct twin_stride strides[64];
	struct twin_stream streams[16];
};

static inline struct twin_prefetcher *twin_prefetcher_create(const char *kind, uint64_t line_bytes,
							     uint64_t tlb_page_bytes)
{
	struct twin_prefetcher *t = calloc(1, sizeof(*t));

	t->kind = kind;
	t->line_bytes = line_bytes;
	t->page_bytes = tlb_page_bytes < 4096 ? tlb_page_bytes : 4096;
	return t;
}

static inline void twin_name(const struct twin_prefetcher *t, uint64_t near, uint64_t candidate,
			     uint64_t lines[4], unsigned *count)
{
	uint64_t line = candidate / t->line_bytes * t->line_bytes;

	if (line / t->page_bytes != near / t->page_bytes ||
	    line / t->line_bytes == near / t->line_bytes)
		return;
	for (unsigned i = 0; i < *count; i++)
		if (lines[i] == line)
			return;
	if (*count < 4)
		lines[(*count)++] = line;
}

static inline void twin_stride_names(struct twin_prefetcher *t, uint64_t address, uint64_t pc,
				     uint64_t lines[4], unsigned *count)
{
	struct twin_stride *e = &t->strides[pc / 2 % 64];

	if (!e->valid || e->pc != pc) {
		*e = (struct twin_stride){.valid = true, .pc = pc, .address = address};
		return;
	}
	int64_t stride = (int64_t)(address - e->address);

	e->address = address;
	if (stride == e->stride)
		e->confidence = e->confidence == 3 ? 3 : e->confidence + 1;
	else if (e->confidence == 3)
		e->confidence = 2;
	else {
		e->stride = stride;
		e->confidence = 0;
	}
	if (e->confidence < 2 || e->stride == 0)
		return;
	int64_t step = e->stride, line = (int64_t)t->line_bytes;

	if (llabs(step) < line)
		step = step > 0 ? line : -line;
	twin_name(t, address, address + (uint64_t)step, lines, count);
	twin_name(t, address, address + 2 * (uint64_t)step, lines, count);
}

static inline void twin_stream_names(struct twin_prefetcher *t, uint64_t address, uint64_t lines[4],
				     unsigned *count)
{
	uint64_t page = address / t->page_bytes;
	int64_t line = (int64_t)(address % t->page_bytes / t->line_bytes);
	int64_t last = (int64_t)(t->page_bytes / t->line_bytes) - 1;
	struct twin_stream *s = NULL, *oldest = &t->streams[0];

	for (unsigned i = 0; i < 16; i++) {
		if (t->streams[i].used && t->streams[i].page == page)
			s = &t->streams[i];
		if (t->streams[i].used < oldest->used)
			oldest = &t->streams[i];
	}
	if (!s) {
		s = oldest;
		*s = (struct twin_stream){.page = page, .line = line};
	}
	s->used = ++t->stamp;
	if (line == s->line)
		return;
	int direction = line > s->line ? 1 : -1;

	if (direction != s->direction) {
		s->direction = direction;
		s->moves = 0;
		memset(s->named, 0, sizeof(s->named));
	}
	s->moves++;
	s->line = line;
	if (s->moves < 2)
		return;
	for (int ahead = 1; ahead <= 8 && *count < 4; ahead++) {
		int64_t next = line + ahead * direction;

		if (next < 0 || next > last || s->named[next])
			continue;
		s->named[next] = true;
		twin_name(t, address, page * t->page_bytes + (uint64_t)next * t->line_bytes, lines,
			  count);
	}
}

/* Writes the lines it names and returns their number. */
static inline unsigned twin_prefetcher_observe(struct twin_prefetcher *t, uint64_t address,
					       uint64_t pc, bool hit, bool first_use,
					       uint64_t lines[4])
{
	unsigned count = 0;

	if (strcmp(t->kind, "next_line") == 0) {
		if (!hit || first_use)
			twin_name(t, address, address + t->line_bytes, lines, &count);
	} else if (strcmp(t->kind, "adjacent_line") == 0) {
		uint64_t pair = 2 * t->line_bytes, base = address / pair * pair;

		if (!hit)
			twin_name(t, address,
				  address - base < t->line_bytes ? base + t->line_bytes : base,
				  lines, &count);
	} else if (strcmp(t->kind, "stride") == 0) {
		twin_stride_names(t, address, pc, lines, &count);
	} else {
		twin_stream_names(t, address, lines, &count);
	}
	return count;
}

#endif
