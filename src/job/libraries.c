#include "job/libraries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "image/build_id.h"
#include "image/elf_file.h"
#include "image/frames.h"
#include "image/spans.h"

#define DEBUG_FOLDER "/usr/lib/debug"

struct library {
	char *path;
	const char *name;	      /* the path without its directory */
	uint8_t *bytes, *debug_bytes; /* NULL: there are none */
	struct debug debug;
	struct frames frames;
	struct span *segments;	/* in the file */
	uint64_t *addresses;	/* of the segments */
	uint64_t *memory_bytes; /* the same */
	size_t segment_count;
};

static void read_segments(struct library *library, size_t size)
{
	struct elf_file file;
	GElf_Phdr header;
	size_t count = 0;

	if (!elf_file_open(&file, library->bytes, size, library->path, NULL))
		return;
	elf_getphdrnum(file.elf, &count);
	library->segments = mem_alloc_array(count, sizeof(*library->segments));
	library->addresses = mem_alloc_array(count, sizeof(*library->addresses));
	library->memory_bytes = mem_alloc_array(count, sizeof(*library->memory_bytes));
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(file.elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		library->segments[library->segment_count] =
			(struct span){header.p_offset, header.p_offset + header.p_filesz};
		library->memory_bytes[library->segment_count] = header.p_memsz;
		library->addresses[library->segment_count++] = header.p_vaddr;
	}
	elf_file_close(&file);
}

/* A file that the library's debugging information was split off to; NULL if there is none that has
 * its build id. The directories of --debug-dir come before the program's own. */
static uint8_t *read_debug_file(struct process *process, const struct build_id *id, size_t *size)
{
	const size_t mounts = process->options.debug_mount_count;
	char name[BUILD_ID_PATH_BYTES + sizeof(DEBUG_FOLDER)];

	strcpy(name, DEBUG_FOLDER);
	build_id_path(id, name + strlen(DEBUG_FOLDER));
	for (size_t i = 0; i < 2 * mounts + 1; i++) {
		/* Each directory has it by itself, or as a system root does. */
		const char *below = name + (i % 2 ? 0 : strlen(DEBUG_FOLDER)) + 1;
		uint8_t *bytes = i < 2 * mounts
					 ? process_read_debug_file(process, i / 2, below, size)
					 : process_read_file(process, name, size);
		struct build_id found;

		if (bytes && build_id_read(&found, bytes, *size) && found.count == id->count &&
		    memcmp(found.bytes, id->bytes, id->count) == 0)
			return bytes;
		free(bytes);
	}
	return NULL;
}

static struct library *read_library(struct process *process, const char *path)
{
	struct library *library = mem_alloc(sizeof(*library));
	struct debug_options options = process->debug.options;
	const char *slash = strrchr(path, '/');
	struct build_id id;
	size_t size, debug_size = 0;

	library->path = mem_strdup(path);
	library->name = library->path + (slash ? slash + 1 - path : 0);
	library->bytes = process_read_file(process, path, &size);
	if (!library->bytes)
		return library;
	read_segments(library, size);
	if (build_id_read(&id, library->bytes, size))
		library->debug_bytes = read_debug_file(process, &id, &debug_size);
	options.bytes = library->debug_bytes ? library->debug_bytes : library->bytes;
	options.size = library->debug_bytes ? debug_size : size;
	options.name = library->path;
	debug_init(&library->debug, &options);
	frames_read(&library->frames, library->bytes, size, library->path);
	return library;
}

static struct library *find_library(struct libraries *libraries, struct process *process,
				    const char *path)
{
	for (size_t i = 0; i < libraries->count; i++)
		if (strcmp(libraries->items[i]->path, path) == 0)
			return libraries->items[i];
	struct library *library = read_library(process, path);
	*ARRAY_PUSH(libraries->items, libraries->count, libraries->capacity) = library;
	return library;
}

/* The address that code has in its file. */
static bool find_address(const struct process *process, const struct file_mapping *mapping,
			 const struct library *library, uint64_t pc, uint64_t *address)
{
	/* The loader is one mapping, of addresses. */
	if (process->elf.interp && strcmp(mapping->path, process->elf.interp) == 0) {
		*address = pc - process->interp_base;
		return true;
	}
	uint64_t offset = pc - mapping->start + mapping->offset;
	for (size_t i = 0; i < library->segment_count; i++)
		if (offset >= library->segments[i].start && offset < library->segments[i].end) {
			*address = library->addresses[i] + (offset - library->segments[i].start);
			return true;
		}
	return false;
}

struct debug *libraries_find(struct libraries *libraries, struct process *process, uint64_t pc,
			     uint64_t *address, const struct frame_range **frame)
{
	const struct file_mapping *mapping = mapping_find(process, pc, false);
	struct library *library = mapping ? find_library(libraries, process, mapping->path) : NULL;

	if (!library || !library->bytes)
		return NULL;
	if (!find_address(process, mapping, library, pc, address))
		return NULL;
	*frame = frames_find(&library->frames, *address);
	return &library->debug;
}

/* Whether the address is in what a segment has beyond its file, if the mapping has the end of the
 * segment's file. */
static bool find_empty(const struct file_mapping *mapping, const struct library *library,
		       uint64_t address, uint64_t *in_file)
{
	for (size_t i = 0; i < library->segment_count; i++) {
		const struct span *segment = &library->segments[i];
		const uint64_t start = mapping->start + (segment->start - mapping->offset);

		if (mapping->offset > segment->start ||
		    segment->start - mapping->offset >= mapping->bytes ||
		    address - start >= library->memory_bytes[i])
			continue;
		*in_file = library->addresses[i] + (address - start);
		return true;
	}
	return false;
}

static const char *without_directory(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether code of the file is mapped: no other file is read, which may be large. */
static bool is_library(const struct process *process, const char *path)
{
	for (size_t i = 0; i < process->mapping_count; i++)
		if (memory_allows(&process->memory, process->mappings[i].start, PAGE_EXEC) &&
		    strcmp(process->mappings[i].path, path) == 0)
			return true;
	return false;
}

const char *libraries_find_data(struct libraries *libraries, struct process *process,
				uint64_t address, struct debug **debug, uint64_t *in_file)
{
	const struct file_mapping *mapping = mapping_find(process, address, false);

	*debug = NULL;
	if (mapping) {
		if (!is_library(process, mapping->path))
			return without_directory(mapping->path);
		struct library *library = find_library(libraries, process, mapping->path);

		if (library->bytes && find_address(process, mapping, library, address, in_file))
			*debug = &library->debug;
		return library->name;
	}
	for (size_t i = 0; i < process->mapping_count; i++) {
		mapping = &process->mappings[i];
		if (!is_library(process, mapping->path))
			continue;
		struct library *library = find_library(libraries, process, mapping->path);

		if (!library->bytes || !find_empty(mapping, library, address, in_file))
			continue;
		*debug = &library->debug;
		return library->name;
	}
	return NULL;
}

/* The name of a function without "@FILE", to be freed; NULL if it is one of another file. */
static char *name_in(const struct library *library, const char *wanted)
{
	const size_t bytes = strlen(wanted), of_file = strlen(library->name);

	if (bytes > of_file + 1 && wanted[bytes - of_file - 1] == '@' &&
	    strcmp(wanted + bytes - of_file, library->name) == 0) {
		char *name = mem_strdup(wanted);

		name[bytes - of_file - 1] = '\0';
		return name;
	}
	return strchr(wanted, '@') ? NULL : mem_strdup(wanted);
}

struct debug *libraries_select(struct libraries *libraries, size_t *next, const char *wanted,
			       const struct symbol **symbol)
{
	while (*next < libraries->count) {
		struct library *library = libraries->items[(*next)++];
		char *name = library->bytes ? name_in(library, wanted) : NULL;
		const struct symbols *symbols = name ? debug_symbols(&library->debug, NULL) : NULL;

		*symbol = symbols ? symbols_select(symbols, name, NULL) : NULL;
		free(name);
		if (*symbol)
			return &library->debug;
	}
	return NULL;
}

/* Where an address of a file is in memory; false if this mapping does not have it. */
static bool find_pc(const struct process *process, const struct file_mapping *mapping,
		    const struct library *library, uint64_t address, uint64_t *pc)
{
	if (process->elf.interp && strcmp(mapping->path, process->elf.interp) == 0) {
		*pc = process->interp_base + address;
		return true;
	}
	for (size_t i = 0; i < library->segment_count; i++) {
		const struct span *segment = &library->segments[i];
		const uint64_t within = address - library->addresses[i];
		const uint64_t offset = segment->start + within - mapping->offset;

		if (within < segment->end - segment->start && offset < mapping->bytes) {
			*pc = mapping->start + offset;
			return true;
		}
	}
	return false;
}

bool libraries_locate(struct libraries *libraries, struct process *process, const char *wanted,
		      uint64_t *entry, uint64_t *end)
{
	for (size_t i = 0; i < process->mapping_count; i++) {
		const struct file_mapping *mapping = &process->mappings[i];
		struct library *library = find_library(libraries, process, mapping->path);
		char *name = library->bytes ? name_in(library, wanted) : NULL;
		const struct symbols *symbols = name ? debug_symbols(&library->debug, NULL) : NULL;
		const struct symbol *symbol = symbols ? symbols_select(symbols, name, NULL) : NULL;

		free(name);
		if (symbol && find_pc(process, mapping, library, symbol->address, entry)) {
			*end = *entry + symbol->bytes;
			return true;
		}
	}
	return false;
}

void libraries_release(struct libraries *libraries)
{
	for (size_t i = 0; i < libraries->count; i++) {
		struct library *library = libraries->items[i];

		debug_release(&library->debug);
		frames_release(&library->frames);
		free(library->path);
		free(library->bytes);
		free(library->debug_bytes);
		free(library->segments);
		free(library->addresses);
		free(library->memory_bytes);
		free(library);
	}
	free(libraries->items);
	*libraries = (struct libraries){0};
}
