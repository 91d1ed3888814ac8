#include "job/origin.h"

#include <string.h>

#define UNKNOWN "(unknown)"

/* The file that was mapped at pc, without its directory; NULL if there is none. */
static const char *mapped_file(const struct process *process, uint64_t pc)
{
	const struct file_mapping *mapping = mapping_find(process, pc, false);
	const char *slash = mapping ? strrchr(mapping->path, '/') : NULL;

	return slash ? slash + 1 : mapping ? mapping->path : NULL;
}

static bool in_program(const struct process *process, uint64_t address)
{
	for (size_t i = 0; i < process->elf.segment_count; i++)
		if (address - process->elf.segments[i].vaddr < process->elf.segments[i].mem_bytes)
			return true;
	return false;
}

/* *debug: what is known of the file, or NULL; *address: that of the code in it. */
static struct origin function_at(struct libraries *libraries, struct process *process, uint64_t pc,
				 struct debug **debug, uint64_t *address)
{
	struct origin origin = {.function = UNKNOWN, .file = "", .directory = ""};

	*address = pc - process->bias;
	*debug = &process->debug;
	const bool is_own = in_program(process, *address);
	const char *file = is_own ? NULL : mapped_file(process, pc);
	const struct frame_range *frame = NULL;

	if (!is_own)
		*debug = libraries_find(libraries, process, pc, address, &frame);
	if (file)
		origin.function = file;
	if (!*debug)
		return origin;
	const char *function = debug_function(*debug, *address, &origin.symbol);
	if (function) {
		const uint64_t entry = origin.symbol->address;

		origin.debug = *debug;
		origin.function = function;
		origin.library = file;
		origin.entry = is_own ? entry : pc - *address + entry;
	} else if (frame) {
		origin.unnamed = frame->start;
		origin.entry = pc - *address + frame->start;
	}
	return origin;
}

struct origin origin_of_function(struct libraries *libraries, struct process *process, uint64_t pc)
{
	struct debug *debug;
	uint64_t address;

	return function_at(libraries, process, pc, &debug, &address);
}

struct origin origin_of(struct libraries *libraries, struct process *process, uint64_t pc)
{
	struct debug *debug;
	uint64_t address;
	struct origin origin = function_at(libraries, process, pc, &debug, &address);
	const struct lines *lines = debug ? debug_lines(debug) : NULL;
	struct source_line line;

	if (lines && lines_find(lines, address, &line)) {
		origin.file = line.file;
		origin.directory = line.directory;
		origin.line = line.line;
	}
	if (debug)
		origin.call_count = debug_inlined(debug, address, &origin.calls);
	return origin;
}

bool origin_same_function(const struct origin *a, const struct origin *b)
{
	return a->entry == b->entry && strcmp(a->function, b->function) == 0;
}

json_t *origin_name(const struct origin *origin)
{
	if (origin->unnamed)
		return json_sprintf("%s+0x%llx", origin->function,
				    (unsigned long long)origin->unnamed);
	return origin->library ? json_sprintf("%s@%s", origin->function, origin->library)
			       : json_string(origin->function);
}
