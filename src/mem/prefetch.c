#include "mem/prefetch.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"

#define KIND(id, word) {#word, &prefetch_##word},
static const struct {
	const char *word;
	const struct prefetch_kind *kind;
} kinds[] = {CONFIG_WORDS_prefetch(KIND)};
#undef KIND

static bool same_name(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
			return false;
	return *a == *b;
}

const struct prefetch_kind *prefetch_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (same_name(kinds[i].word, name))
			return kinds[i].kind;
	return NULL;
}

void prefetcher_init(struct prefetcher *prefetcher, const struct prefetch_kind *kind,
		     uint64_t line_bytes, uint64_t tlb_page_bytes)
{
	*prefetcher = (struct prefetcher){
		.kind = kind,
		.line_bytes = line_bytes,
		.page_bytes =
			tlb_page_bytes < PREFETCH_PAGE_BYTES ? tlb_page_bytes : PREFETCH_PAGE_BYTES,
		.state = kind->state_bytes ? mem_alloc(kind->state_bytes) : NULL,
	};
}

void prefetcher_release(struct prefetcher *prefetcher)
{
	free(prefetcher->state);
	*prefetcher = (struct prefetcher){0};
}

unsigned prefetch_name_line(const struct prefetcher *prefetcher, uint64_t near, uint64_t candidate,
			    uint64_t *lines, unsigned count)
{
	uint64_t line = bits_align_down(candidate, prefetcher->line_bytes);

	if (bits_align_down(near ^ line, prefetcher->page_bytes) ||
	    line == bits_align_down(near, prefetcher->line_bytes) || count == PREFETCH_MOST_LINES)
		return count;
	for (unsigned i = 0; i < count; i++)
		if (lines[i] == line)
			return count;
	lines[count] = line;
	return count + 1;
}
