/*
 * data_objects.h - what an address of data belongs to while a program runs.
 *
 *   a variable     by its ELF symbol, of the program or of a library; "(data of FILE)": the rest
 *                  of a file that is mapped
 *   a heap block   by where it was allocated (data_heap.h); "(heap outside of blocks)": what the
 *                  allocator keeps between blocks, and blocks that were not seen; but what
 *                  calloc and realloc store to the heap before they return is the block's
 *   a stack        by the function whose frame it is: that of the instruction, if its address is
 *                  relative to sp; else the one in whose frame the address is when the instruction
 *                  after it is fetched; else that of the instruction
 *   a thread's own variable, by its symbol
 *   a mapping      "(anonymous memory)"
 *
 * What is fetched is executed, so allocations and frames are those of what has been fetched, which
 * is ahead of an access by no more than the window and the store buffer hold. A block that is freed
 * keeps its site until its memory belongs to another, so a load that is late is still its block's.
 *
 * Bounded: beyond DATA_OBJECTS_MOST, objects are "(other)".
 */
#ifndef JOB_DATA_OBJECTS_H
#define JOB_DATA_OBJECTS_H

#include "count/data_cells.h"
#include "count/data_map.h"
#include "job/call_functions.h"

#define DATA_OBJECTS_MOST 20000

enum data_kind {
	DATA_OTHER,
	DATA_FETCH, /* no object: what the instruction side has of WALK and BANDWIDTH */
	DATA_UNKNOWN,
	DATA_VARIABLE,
	DATA_HEAP,
	DATA_HEAP_REST,
	DATA_STACK,
	DATA_THREAD,
	DATA_MAPPING,
	DATA_KINDS
};
extern const char *const data_kind_names[DATA_KINDS];

struct data_object {
	enum data_kind kind;
	char *name;
	char *library;		 /* the file it is in, if it is not the program's; or NULL */
	char *file;		 /* where it was allocated, or NULL */
	uint32_t line;		 /* 0: not known */
	uint64_t start;		 /* of a variable, as it is mapped */
	uint64_t bytes, blocks;	 /* of a variable; allocated in all */
	const struct type *type; /* of a variable; NULL: not known */
	char *key;		 /* says which it is */
};

struct data_cached {
	uint64_t address; /* plus one; 0: nothing */
	uint32_t object;
};

#define DATA_CACHE_BITS 14
#define DATA_FILLERS	16

/* Open for reading. */
struct data_objects {
	struct process *process;
	struct followed_functions *functions;
	const struct call_tree *tree;
	struct data_object *items;
	size_t count, capacity;
	struct index index;
	struct data_map map; /* numbers of objects, of what was allocated */
	struct data_cached cached[1u << DATA_CACHE_BITS];
	uint64_t tls_bytes;
	/* Whose block is filled by an allocator that has not returned, or 0; and its functions. */
	uint32_t filling;
	uint32_t fillers[DATA_FILLERS];
	unsigned filler_count;
	uint64_t changes;
};

void data_objects_init(struct data_objects *objects, struct followed_functions *functions,
		       const struct call_tree *tree);
void data_objects_release(struct data_objects *objects);

/* The number of the object of that key, which is made if it is not there: then *is_new, and the
 * caller fills it. */
uint32_t data_objects_named(struct data_objects *objects, enum data_kind kind, const char *key,
			    bool *is_new);
/* For struct data_finder. */
struct data_touched data_objects_find(void *objects, uint64_t pc, uint64_t address, bool stores);
/* An allocator begins to fill a block of this object; a function is called by it. */
void data_objects_fill(struct data_objects *objects, uint32_t object);
void data_objects_fill_by(struct data_objects *objects, uint32_t function);
/* Memory was allocated, or (with 0) is no block any more. */
void data_objects_set(struct data_objects *objects, uint64_t start, uint64_t bytes,
		      uint32_t object);
/* Files were mapped or unmapped. */
void data_objects_remap(struct data_objects *objects);

#endif
