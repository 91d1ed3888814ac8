/*
 * data_heap.h - what a program allocates, and where: calls of malloc, calloc, realloc,
 * reallocarray, aligned_alloc, memalign, posix_memalign, valloc, pvalloc, mmap, mremap and the C++
 * operators new are seen by their symbols, when they are called and when they return.
 *
 * Of nested ones (operator new calls malloc) the outermost counts. A block belongs to the source
 * line that called it. Passed over, to the line that called them in turn, are
 *   - functions without a source line, if one further out has one: those of the C library;
 *   - those whose name ends as an allocator's (xmalloc, mem_alloc, my_strdup) and those of
 * namespace std, inlined ones too;
 *   - those that were given the size in one of their first three arguments, or as the product of
 *     two, and returned what they were given, up to 64 bytes beside it: after the first such
 *     return also for the blocks that follow.
 * A realloc makes the block one of its own line. Freed blocks are not looked for: their memory
 * belongs to who had it last, which is where the accesses that free them count.
 *
 * Not seen: allocators of other names, but for what they take from these; inlined ones.
 */
#ifndef JOB_DATA_HEAP_H
#define JOB_DATA_HEAP_H

#include "job/data_objects.h"

struct heap_site;
struct heap_pending;
struct heap_entries;

struct data_heap {
	struct data_objects *objects;
	struct followed_functions *functions;
	struct call_tree *tree;
	struct heap_site *sites; /* by the address behind a call */
	size_t site_count, site_capacity;
	struct index site_index;
	struct heap_pending *pending; /* by thread: an allocator that has not returned */
	size_t pending_count, pending_capacity, last; /* asked for last */
	struct heap_entries *entries;		      /* of a file */
	size_t entries_count, entries_capacity;
	uint8_t *learned; /* by function: whether it passes on what it is given */
	size_t learned_count;
	uint8_t *kinds; /* by function: an allocator's number, plus one */
	size_t kinds_count;
};

void data_heap_init(struct data_heap *heap, struct data_objects *objects, struct call_tree *tree);
void data_heap_release(struct data_heap *heap);
/* Files were mapped or unmapped: what was found at addresses is looked for anew. */
void data_heap_remap(struct data_heap *heap);
/* Gives the transfer to the tree too. */
void data_heap_transfer(struct data_heap *heap, const struct cycle_transfer *transfer);

#endif
