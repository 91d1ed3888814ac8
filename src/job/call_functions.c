#include "job/call_functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The dynamic linker's code that finds a function when it is first called. */
#define RESOLVER "_dl_runtime_resolve"

struct wanted {
	const struct followed_functions *functions;
	const struct origin *origin;
};

static bool same(const void *context, size_t number)
{
	const struct wanted *wanted = context;

	return origin_same_function(&wanted->functions->items[number].origin, wanted->origin);
}

static uint64_t hash_of(const struct origin *origin)
{
	return index_hash_number(index_hash_text(origin->function), origin->entry);
}

static uint32_t look_up(struct followed_functions *f, uint64_t pc)
{
	const struct origin origin = origin_of_function(&f->libraries, f->process, pc);
	const struct wanted wanted = {f, &origin};
	const uint64_t hash = hash_of(&origin);
	const size_t found = index_find(&f->index, hash, same, &wanted);

	if (found != INDEX_NONE)
		return (uint32_t)found;
	/* An entry in the program itself is an address of its file. */
	const bool is_own = origin.symbol && !origin.library;
	const uint64_t entry = origin.entry + (is_own ? f->process->bias : 0);
	const bool resolves = strncmp(origin.function, RESOLVER, strlen(RESOLVER)) == 0;

	*ARRAY_PUSH(f->items, f->count, f->capacity) = (struct followed_function){
		.about = {.entry = origin.entry ? entry : 0, .is_stub = !origin.symbol || resolves},
		.origin = origin,
		.pc = pc,
	};
	index_add(&f->index, hash, f->count - 1);
	return (uint32_t)(f->count - 1);
}

uint32_t call_functions_find(struct followed_functions *f, uint64_t pc)
{
	const size_t place = pc / 2 & ((1u << CALL_FUNCTIONS_CACHE_BITS) - 1);

	if (f->cached[place].pc != pc + 1) {
		f->cached[place].function = look_up(f, pc);
		f->cached[place].pc = pc + 1;
	}
	return f->cached[place].function;
}

void call_functions_forget(struct followed_functions *f)
{
	memset(f->cached, 0, sizeof(f->cached));
}

bool call_functions_changed(struct followed_functions *f)
{
	const struct process *process = f->process;

	if (process->mapping_count == f->mappings && process->mapping_path_bytes == f->path_bytes)
		return false;
	f->mappings = process->mapping_count;
	f->path_bytes = process->mapping_path_bytes;
	call_functions_forget(f);
	return true;
}

static uint32_t find(void *context, uint64_t pc)
{
	return call_functions_find(context, pc);
}

static const struct call_function *about(void *context, uint32_t function)
{
	const struct followed_functions *f = context;

	return &f->items[function].about;
}

static void signal_stack(void *context, uint64_t *low, uint64_t *high)
{
	const struct followed_functions *f = context;
	const struct thread *thread = f->process->current;

	*low = thread->altstack;
	*high = thread->altstack + thread->altstack_bytes;
}

struct call_functions call_functions_of(struct followed_functions *f)
{
	return (struct call_functions){find, about, signal_stack, f};
}

void call_functions_release(struct followed_functions *f)
{
	libraries_release(&f->libraries);
	index_release(&f->index);
	free(f->items);
}
