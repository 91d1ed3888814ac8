#include "job/data_heap.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"

#define SITE_FRAMES_MOST 64 /* how far out a site is looked for */
#define HEADER_MOST	 64 /* what a function puts before a block that it passes on */

/* Where the bytes are among the arguments, and which has the block. */
enum size_of { BYTES_0, BYTES_1, BYTES_2, BYTES_0_BY_1, BYTES_1_BY_2, BYTES_NONE };

struct allocator {
	const char *name;
	enum size_of size;
	bool by_pointer; /* the block's address is stored where a0 points */
	bool maps, unmaps;
	bool fills; /* it writes to the block before it returns */
};

static const struct allocator allocators[] = {
	{.name = "malloc", .size = BYTES_0},
	{.name = "calloc", .size = BYTES_0_BY_1, .fills = true},
	{.name = "realloc", .size = BYTES_1, .fills = true},
	{.name = "reallocarray", .size = BYTES_1_BY_2, .fills = true},
	{.name = "aligned_alloc", .size = BYTES_1},
	{.name = "memalign", .size = BYTES_1},
	{.name = "posix_memalign", .size = BYTES_2, .by_pointer = true},
	{.name = "valloc", .size = BYTES_0},
	{.name = "pvalloc", .size = BYTES_0},
	{.name = "mmap", .size = BYTES_1, .maps = true},
	{.name = "mmap64", .size = BYTES_1, .maps = true},
	{.name = "mremap", .size = BYTES_2, .maps = true},
	{.name = "munmap", .size = BYTES_NONE, .unmaps = true},
	{.name = "free", .size = BYTES_NONE},
	{.name = "_Znwm", .size = BYTES_0},
	{.name = "_Znam", .size = BYTES_0},
	{.name = "_ZnwmRKSt9nothrow_t", .size = BYTES_0},
	{.name = "_ZnamRKSt9nothrow_t", .size = BYTES_0},
	{.name = "_ZnwmSt11align_val_t", .size = BYTES_0},
	{.name = "_ZnamSt11align_val_t", .size = BYTES_0},
	{.name = "_ZnwmSt11align_val_tRKSt9nothrow_t", .size = BYTES_0},
	{.name = "_ZnamSt11align_val_tRKSt9nothrow_t", .size = BYTES_0},
};

/* The allocators of a file, by their addresses in it. */
struct heap_entries {
	const struct debug *debug;
	uint64_t addresses[ARRAY_COUNT(allocators)]; /* 0: it has none of that name */
};

/* What is behind the address that a call returns to. */
struct heap_site {
	uint64_t pc;
	uint32_t function; /* of calls */
	bool has_line, is_wrapper;
	uint32_t object[2]; /* plus one; of a block, of a mapping; 0: not asked for yet */
	char *where;	    /* the function, inlined or not; as `file` owned */
	char *file;
	uint32_t line;
};

#define NO_OBJECT UINT32_MAX

struct heap_pending {
	uint32_t thread;
	const struct allocator *allocator; /* that has not returned; NULL: none */
	size_t depth;			   /* of frames, with its own */
	uint64_t bytes, pointer;
	uint32_t object;
	/* If the function that called it may be about to pass the block on: the object that the
	 * block has then, or NO_OBJECT, and that function. */
	uint32_t outer, function;
	/* The same of the last block, until the function has returned: its frames; 0: none. */
	size_t passing;
	uint64_t block, block_bytes;
	uint32_t block_object;
};

void data_heap_init(struct data_heap *heap, struct data_objects *objects, struct call_tree *tree)
{
	*heap = (struct data_heap){
		.objects = objects, .functions = objects->functions, .tree = tree};
}

static void forget_sites(struct data_heap *heap)
{
	for (size_t i = 0; i < heap->site_count; i++) {
		free(heap->sites[i].where);
		free(heap->sites[i].file);
	}
	heap->site_count = 0;
	index_release(&heap->site_index);
	heap->site_index = (struct index){0};
}

void data_heap_release(struct data_heap *heap)
{
	forget_sites(heap);
	free(heap->sites);
	free(heap->pending);
	free(heap->entries);
	free(heap->learned);
	free(heap->kinds);
}

void data_heap_remap(struct data_heap *heap)
{
	forget_sites(heap);
}

static const struct heap_entries *entries_of(struct data_heap *heap, const struct debug *debug)
{
	for (size_t i = 0; i < heap->entries_count; i++)
		if (heap->entries[i].debug == debug)
			return &heap->entries[i];
	struct heap_entries *entries =
		ARRAY_PUSH(heap->entries, heap->entries_count, heap->entries_capacity);
	*entries = (struct heap_entries){.debug = debug};
	for (size_t i = 0; debug->symbols && i < ARRAY_COUNT(allocators); i++) {
		const struct symbol *symbol = symbols_by_name(debug->symbols, allocators[i].name);

		entries->addresses[i] = symbol ? symbol->address : 0;
	}
	return entries;
}

/* The allocator that the function is; NULL if it is none. */
static const struct allocator *allocator_of(struct data_heap *heap, uint32_t function)
{
	const struct followed_functions *functions = heap->functions;

	if (function >= heap->kinds_count) {
		heap->kinds = mem_realloc(heap->kinds, functions->count, 1);
		for (; heap->kinds_count < functions->count; heap->kinds_count++) {
			const struct origin *origin = &functions->items[heap->kinds_count].origin;
			const struct heap_entries *entries =
				origin->debug && origin->symbol ? entries_of(heap, origin->debug)
								: NULL;
			uint8_t kind = 0;

			for (uint8_t i = 0; entries && !kind && i < ARRAY_COUNT(allocators); i++)
				if (entries->addresses[i] &&
				    entries->addresses[i] == origin->symbol->address)
					kind = i + 1;
			heap->kinds[heap->kinds_count] = kind;
		}
	}
	return heap->kinds[function] ? &allocators[heap->kinds[function] - 1] : NULL;
}

static uint64_t bytes_of(enum size_of size, const uint64_t arguments[3])
{
	switch (size) {
	case BYTES_0: return arguments[0];
	case BYTES_1: return arguments[1];
	case BYTES_2: return arguments[2];
	case BYTES_0_BY_1: return arguments[0] * arguments[1];
	case BYTES_1_BY_2: return arguments[1] * arguments[2];
	default: return 0;
	}
}

/* Whether a name ends as that of an allocator does: the last part of a scope, without arguments. */
static bool is_wrapper_name(const char *name)
{
	static const char *const ends[] = {
		"malloc", "calloc", "zalloc",	    "realloc",	"memalign", "strdup",  "strndup",
		"memdup", "_alloc", "reallocarray", "allocate", "alloc0",   "mallocz", "xalloc"};
	const char *rest = strncmp(name, "void ", 5) == 0 ? name + 5 : name;
	size_t length = strcspn(name, "(<");

	if (strncmp(rest, "std::", 5) == 0 || strncmp(rest, "__gnu_cxx::", 11) == 0 ||
	    strncmp(rest, "operator new", 12) == 0)
		return true;
	/* What a compiler has cut out of a function: xmalloc.part.0. */
	const char *dot = memchr(name, '.', length);
	length = dot && dot > name ? (size_t)(dot - name) : length;
	for (size_t i = 0; i < ARRAY_COUNT(ends); i++) {
		const size_t bytes = strlen(ends[i]);

		if (length >= bytes && strncasecmp(name + length - bytes, ends[i], bytes) == 0)
			return true;
	}
	return false;
}

/* Passes over inlined functions that are wrappers. */
static void find_place(struct heap_site *site, const struct origin *origin)
{
	const char *function = origin->function, *file = origin->file;

	site->line = origin->line;
	for (size_t i = origin->call_count; i--;) {
		const struct inlined_call *call = &origin->calls[i];

		function = call->name;
		if (!is_wrapper_name(call->name))
			break;
		file = call->file;
		site->line = call->line;
		function = i ? origin->calls[i - 1].name : origin->function;
		if (!i)
			break;
	}
	site->is_wrapper = is_wrapper_name(function);
	site->where = mem_strdup(function);
	site->file = mem_strdup(file);
	site->has_line = *file && site->line;
}

struct wanted_site {
	const struct data_heap *heap;
	uint64_t pc;
};

static bool same_site(const void *context, size_t number)
{
	const struct wanted_site *wanted = context;

	return wanted->heap->sites[number].pc == wanted->pc;
}

static struct heap_site *site_at(struct data_heap *heap, uint64_t pc)
{
	const struct wanted_site wanted = {heap, pc};
	const uint64_t hash = index_hash_number(1, pc);
	const size_t found = index_find(&heap->site_index, hash, same_site, &wanted);

	if (found != INDEX_NONE)
		return &heap->sites[found];
	struct followed_functions *functions = heap->functions;
	/* The call is before it. */
	const struct origin origin = origin_of(&functions->libraries, functions->process, pc - 1);
	struct heap_site *site = ARRAY_PUSH(heap->sites, heap->site_count, heap->site_capacity);
	*site = (struct heap_site){.pc = pc, .function = call_functions_find(functions, pc - 2)};
	find_place(site, &origin);
	index_add(&heap->site_index, hash, heap->site_count - 1);
	return site;
}

static uint8_t *learned_of(struct data_heap *heap, uint32_t function)
{
	if (function >= heap->learned_count) {
		const size_t count = heap->functions->count;

		heap->learned = mem_realloc(heap->learned, count, 1);
		memset(heap->learned + heap->learned_count, 0, count - heap->learned_count);
		heap->learned_count = count;
	}
	return &heap->learned[function];
}

static bool is_passed_over(struct data_heap *heap, const struct heap_site *site)
{
	return site->is_wrapper || *learned_of(heap, site->function);
}

/* The site among the frames before `top`, whose return address is that of the allocator's call. */
static struct heap_site *find_site(struct data_heap *heap, const struct call_thread *thread,
				   size_t top)
{
	struct heap_site *innermost = NULL;
	uint64_t plain = 0, first = 0;

	for (size_t i = 0; i < SITE_FRAMES_MOST && i < top; i++) {
		const struct call_frame *frame = &thread->frames[top - 1 - i];

		if (frame->is_signal)
			break;
		innermost = site_at(heap, frame->return_to);
		if (!first)
			first = frame->return_to;
		if (is_passed_over(heap, innermost))
			continue;
		if (innermost->has_line)
			return innermost;
		if (!plain)
			plain = frame->return_to;
	}
	return plain ? site_at(heap, plain) : first ? site_at(heap, first) : NULL;
}

static uint32_t object_of(struct data_heap *heap, struct heap_site *site, bool maps)
{
	struct data_objects *objects = heap->objects;
	bool is_new;

	if (site && site->object[maps])
		return site->object[maps] - 1;
	char *key = mem_format("%s %s:%u %s", maps ? "mmap" : "heap", site ? site->file : "",
			       site ? site->line : 0, site ? site->where : "");
	const uint32_t number = data_objects_named(objects, DATA_HEAP, key, &is_new);
	struct data_object *object = &objects->items[number];

	free(key);
	if (is_new) {
		object->name = mem_strdup(site ? site->where : "(unknown)");
		object->file = mem_strdup(site ? site->file : "");
		object->line = site ? site->line : 0;
	}
	if (site)
		site->object[maps] = number + 1;
	return number;
}

static struct heap_pending *pending_of(struct data_heap *heap, uint32_t thread)
{
	if (heap->last < heap->pending_count && heap->pending[heap->last].thread == thread)
		return &heap->pending[heap->last];
	for (heap->last = 0; heap->last < heap->pending_count; heap->last++)
		if (heap->pending[heap->last].thread == thread)
			return &heap->pending[heap->last];
	struct heap_pending *pending =
		ARRAY_PUSH(heap->pending, heap->pending_count, heap->pending_capacity);
	*pending = (struct heap_pending){.thread = thread};
	return pending;
}

static void give(struct data_heap *heap, uint32_t object, uint64_t block, uint64_t bytes)
{
	data_objects_set(heap->objects, block, bytes, object);
	heap->objects->items[object].bytes += bytes;
	heap->objects->items[object].blocks++;
}

/* Whether the function was given these bytes. */
static bool was_given(const struct call_frame *frame, uint64_t bytes)
{
	const uint64_t *a = frame->arguments;

	for (unsigned i = 0; i < 3; i++) {
		const uint64_t product = a[i] * a[(i + 1) % 3];

		if ((a[i] && bytes - a[i] <= HEADER_MOST) ||
		    (product && bytes - product <= HEADER_MOST))
			return true;
	}
	return false;
}

/* An allocator begins: all of the stack that tells whose block it will be is there. */
static void enter(struct data_heap *heap, const struct call_thread *thread,
		  struct heap_pending *pending, const struct allocator *allocator,
		  const uint64_t arguments[3])
{
	const size_t top = thread->count;

	pending->allocator = allocator;
	pending->depth = top;
	pending->bytes = allocator->unmaps ? arguments[1] : bytes_of(allocator->size, arguments);
	pending->pointer = arguments[0];
	pending->outer = NO_OBJECT;
	if (allocator->size == BYTES_NONE)
		return;
	struct heap_site *site = find_site(heap, thread, top);
	const bool is_caller = site && site->pc == thread->frames[top - 1].return_to;

	pending->object = object_of(heap, site, allocator->maps);
	if (!is_caller || top < 2 || thread->frames[top - 2].is_signal ||
	    !was_given(&thread->frames[top - 2], pending->bytes))
		return;
	pending->function = site->function;
	pending->outer = object_of(heap, find_site(heap, thread, top - 1), allocator->maps);
}

static void returned(struct data_heap *heap, struct heap_pending *pending, uint64_t value)
{
	const struct allocator *allocator = pending->allocator;
	uint64_t block = value;

	if (allocator->unmaps && !value)
		data_objects_set(heap->objects, pending->pointer, pending->bytes, 0);
	if (allocator->by_pointer && value)
		return;
	if (allocator->by_pointer && !memory_read(&heap->functions->process->memory, &block,
						  pending->pointer, sizeof(block)))
		return;
	if (allocator->size == BYTES_NONE || !block || block >= GUEST_SPACE_BYTES)
		return;
	give(heap, pending->object, block, pending->bytes);
	pending->passing = pending->outer == NO_OBJECT ? 0 : pending->depth - 1;
	pending->block = block;
	pending->block_bytes = pending->bytes;
	pending->block_object = pending->object;
}

/* The function that was given the bytes of a block and called its allocator returns it: the block
 * is its caller's, and so will be those that follow. */
static void passed_on(struct data_heap *heap, const struct heap_pending *pending)
{
	struct data_object *before = &heap->objects->items[pending->block_object];

	*learned_of(heap, pending->function) = 1;
	before->blocks--;
	before->bytes -= pending->block_bytes;
	give(heap, pending->outer, pending->block, pending->block_bytes);
}

/* What the allocator that now runs fills, and by which function. */
static void note_filling(struct data_heap *heap, const struct heap_pending *pending,
			 uint32_t function)
{
	const struct allocator *allocator = pending->allocator;
	const uint32_t filling = allocator && allocator->fills ? pending->object : 0;

	if (filling != heap->objects->filling)
		data_objects_fill(heap->objects, filling);
	data_objects_fill_by(heap->objects, function);
}

void data_heap_transfer(struct data_heap *heap, const struct cycle_transfer *t)
{
	struct call_tree *tree = heap->tree;

	call_tree_transfer(tree, t);
	if (t->kind >= TRANSFER_LEAVE)
		return;
	const struct call_thread *thread = &tree->threads[tree->thread];
	const bool returns = t->kind == TRANSFER_RETURN || t->kind == TRANSFER_LAST;
	struct heap_pending *pending = pending_of(heap, thread->id);

	if (pending->allocator && thread->count < pending->depth) {
		if (returns && thread->count == pending->depth - 1)
			returned(heap, pending, t->arguments[0]);
		pending->allocator = NULL;
	}
	if (pending->passing && thread->count < pending->passing) {
		if (returns && thread->count == pending->passing - 1 &&
		    t->arguments[0] - pending->block <= HEADER_MOST)
			passed_on(heap, pending);
		pending->passing = 0;
	}
	const uint32_t function = call_functions_find(heap->functions, t->target);
	note_filling(heap, pending, function);
	if (returns || pending->allocator || !thread->count)
		return;
	if (heap->functions->items[function].about.entry != t->target)
		return;
	const struct allocator *allocator = allocator_of(heap, function);
	if (!allocator)
		return;
	enter(heap, thread, pending, allocator, t->arguments);
	note_filling(heap, pending, function);
}
