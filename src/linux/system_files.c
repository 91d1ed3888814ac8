#include "linux/system_files.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "config/config.h"
#include "linux/file_operations.h"
#include "linux/path.h"

#define CPUS   "/sys/devices/system/cpu"
#define CACHES CPUS "/cpu0/cache/index*"
#define UNITS  "/sys/bus/event_source/devices"
/* A file that would be longer cannot be opened. */
#define TEXT_BYTES_MAX (16 << 20)

struct cache {
	unsigned level;
	const char *type;
	uint32_t size_bytes, line_bytes, ways;
};

/* The caches of the machine, as Linux numbers them. Their number. */
static size_t list_caches(const struct config *c, struct cache caches[4])
{
	size_t count = 0;

	if (!c)
		return 0;
	caches[count++] = (struct cache){1, "Data", c->l1d_size, c->l1d_line, c->l1d_ways};
	caches[count++] = (struct cache){1, "Instruction", c->l1i_size, c->l1i_line, c->l1i_ways};
	if (c->cache_levels >= 2)
		caches[count++] = (struct cache){2, "Unified", c->l2_size, c->l2_line, c->l2_ways};
	if (c->cache_levels >= 3)
		caches[count++] = (struct cache){3, "Unified", c->l3_size, c->l3_line, c->l3_ways};
	return count;
}

static struct cache cache_of(const struct process *process, size_t index)
{
	struct cache caches[4];

	BUG_ON(index >= list_caches(process->machine, caches));
	return caches[index];
}

/* `index` is the number of the name that a wildcard stands for. */
typedef void write_text(FILE *out, const struct process *process, size_t index);

static void write_cpuinfo(FILE *out, const struct process *process, size_t index)
{
	(void)process, (void)index;
	fprintf(out, "processor\t: 0\nhart\t\t: 0\n"
		     "isa\t\t: rv64imafdc_zicntr_zicsr_zifencei_zihpm_zba_zbb_zbc_zbs\n"
		     "mmu\t\t: sv39\nuarch\t\t: cyclestack\n"
		     "mvendorid\t: 0x0\nmarchid\t\t: 0x0\nmimpid\t\t: 0x0\n\n");
}

/* The part of the program's file that is at the address; NULL if none is. */
static const struct elf_segment *segment_at(const struct process *process, uint64_t address)
{
	for (size_t i = process->elf.segment_count; i-- > 0;) {
		const struct elf_segment *s = &process->elf.segments[i];
		uint64_t start = bits_align_down(s->vaddr + process->bias, GUEST_PAGE_BYTES);

		if (address >= start && address < s->vaddr + process->bias + s->mem_bytes)
			return s;
	}
	return NULL;
}

/* Adjacent pages with the same protection, of the same file or of none. */
struct area {
	uint64_t start, end;
	unsigned protection;
	const struct file_mapping *mapping;
	const struct elf_segment *segment;
};

static uint64_t area_offset(const struct process *process, const struct area *area)
{
	const struct elf_segment *s = area->segment;

	if (area->mapping)
		return area->mapping->offset + (area->start - area->mapping->start);
	return s ? area->start - process->bias - s->vaddr + s->file_offset : 0;
}

static const char *area_name(const struct process *process, const struct area *area,
			     const char *program)
{
	if (area->mapping)
		return area->mapping->path;
	if (area->segment)
		return program;
	if (area->start >= process->brk_start && area->start < process->brk)
		return "[heap]";
	return process->initial_sp >= area->start && process->initial_sp < area->end ? "[stack]"
										     : "";
}

static void write_area(FILE *out, const struct process *process, const struct area *area,
		       const char *program)
{
	const struct file_mapping *m = area->mapping;
	char text[64];
	int length = snprintf(text, sizeof(text), "%08llx-%08llx %c%c%c%c %08llx 00:00 0",
			      (unsigned long long)area->start, (unsigned long long)area->end,
			      area->protection & PAGE_READ ? 'r' : '-',
			      area->protection & PAGE_WRITE ? 'w' : '-',
			      area->protection & PAGE_EXEC ? 'x' : '-', m && m->shared ? 's' : 'p',
			      (unsigned long long)area_offset(process, area));
	const char *name = area_name(process, area, program);

	fprintf(out, *name ? "%s%*s%s\n" : "%s\n", text, length < 73 ? 73 - length : 1, " ", name);
}

static int compare_starts(const void *a, const void *b)
{
	const struct file_mapping *left = *(const struct file_mapping *const *)a;
	const struct file_mapping *right = *(const struct file_mapping *const *)b;

	return left->start < right->start ? -1 : left->start > right->start;
}

/* The file mappings by address; the list ends with NULL. */
static const struct file_mapping **sorted_mappings(const struct process *process)
{
	const struct file_mapping **sorted =
		mem_alloc_array(process->mapping_count + 1, sizeof(*sorted));

	for (size_t i = 0; i < process->mapping_count; i++)
		sorted[i] = &process->mappings[i];
	qsort(sorted, process->mapping_count, sizeof(*sorted), compare_starts);
	return sorted;
}

static uint64_t earlier(uint64_t end, uint64_t at, uint64_t boundary)
{
	return boundary > at && boundary < end ? boundary : end;
}

/* Where the area that begins at the address must end: at the next mapping, segment or heap. */
static uint64_t next_boundary(const struct process *process, uint64_t at,
			      const struct file_mapping *next)
{
	uint64_t end = earlier(GUEST_SPACE_BYTES, at, process->brk_start);

	for (size_t i = 0; i < process->elf.segment_count; i++) {
		const struct elf_segment *s = &process->elf.segments[i];
		uint64_t start = s->vaddr + process->bias;

		end = earlier(end, at, bits_align_down(start, GUEST_PAGE_BYTES));
		end = earlier(end, at, bits_align_up(start + s->mem_bytes, GUEST_PAGE_BYTES));
	}
	if (next)
		end = earlier(earlier(end, at, next->start), at, next->start + next->bytes);
	return end;
}

/* The first page at or after the address that is mapped; GUEST_SPACE_BYTES if there is none. */
static uint64_t next_mapped(const struct memory *memory, uint64_t at)
{
	const uint64_t pages = GUEST_SPACE_BYTES >> GUEST_PAGE_BITS;
	uint64_t page = at >> GUEST_PAGE_BITS, word;

	while (page < pages && !(memory->pages[page] & PAGE_MAPPED)) {
		/* Most of the space is not mapped. */
		memcpy(&word, memory->pages + page, sizeof(word));
		page += page % 8 || word ? 1 : 8;
	}
	return page << GUEST_PAGE_BITS;
}

static void write_maps(FILE *out, const struct process *process, size_t index)
{
	const struct file_mapping **mappings = sorted_mappings(process), **next = mappings;
	const uint8_t *pages = process->memory.pages;
	const unsigned same = PAGE_MAPPED | PAGE_PROTECTION;
	char program[PATH_BYTES];
	uint64_t at = 0;

	(void)index;
	if (program_path(process, program) < 0)
		program[0] = 0;
	while ((at = next_mapped(&process->memory, at)) < GUEST_SPACE_BYTES &&
	       ftell(out) <= TEXT_BYTES_MAX) {
		while (*next && (*next)->start + (*next)->bytes <= at)
			next++;
		const uint64_t first = at, end = next_boundary(process, at, *next);
		const unsigned flags = pages[at >> GUEST_PAGE_BITS] & same;

		while (at < end && (pages[at >> GUEST_PAGE_BITS] & same) == flags)
			at += GUEST_PAGE_BYTES;
		write_area(
			out, process,
			&(struct area){.start = first,
				       .end = at,
				       .protection = flags,
				       .mapping = *next && (*next)->start <= first ? *next : NULL,
				       .segment = segment_at(process, first)},
			program);
	}
	free(mappings);
}

static size_t living_threads(const struct process *process)
{
	size_t count = 0;

	for (size_t i = 0; i < process->thread_count; i++)
		count += process->threads[i]->state != THREAD_DEAD;
	return count;
}

static void write_status(FILE *out, const struct process *process, size_t index)
{
	unsigned long long kb = process->memory.charged_bytes / 1024;

	(void)index;
	fprintf(out,
		"Name:\t%s\nUmask:\t%04o\nState:\tR (running)\nTgid:\t1000\nNgid:\t0\nPid:\t1000\n"
		"PPid:\t1\nTracerPid:\t0\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nFDSize:\t%u\n"
		"Groups:\t \n",
		process->threads[0]->name, process->files.umask, FILES_MAX);
	fprintf(out,
		"VmPeak:\t%8llu kB\nVmSize:\t%8llu kB\nVmHWM:\t%8llu kB\nVmRSS:\t%8llu kB\n"
		"Threads:\t%zu\n",
		kb, kb, kb, kb, living_threads(process));
	fprintf(out, "Cpus_allowed:\t1\nCpus_allowed_list:\t0\nMems_allowed:\t1\n"
		     "Mems_allowed_list:\t0\n");
	fprintf(out, "voluntary_ctxt_switches:\t%llu\nnonvoluntary_ctxt_switches:\t0\n",
		(unsigned long long)process->context_switches);
}

static uint64_t image_start(const struct process *process)
{
	return process->elf.segments[0].vaddr + process->bias;
}

/* proc(5) has the fields. */
static void write_stat(FILE *out, const struct process *process, size_t index)
{
	const unsigned long long ticks = process->cpu.instructions / 10000000;
	(void)index;
	fprintf(out, "1000 (%s) R 1 1000 1000 0 -1 0 %llu 0 0 0 %llu 0 0 0 20 0 %zu 0 0 %llu %llu ",
		process->threads[0]->name, (unsigned long long)process->access_faults, ticks,
		living_threads(process), (unsigned long long)process->memory.charged_bytes,
		(unsigned long long)(process->memory.charged_bytes / GUEST_PAGE_BYTES));
	fprintf(out, "18446744073709551615 %llu %llu %llu 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 ",
		(unsigned long long)image_start(process), (unsigned long long)process->brk_start,
		(unsigned long long)process->initial_sp);
	fprintf(out, "%llu %llu %llu 0 0 0 0 0\n", (unsigned long long)image_start(process),
		(unsigned long long)process->brk_start, (unsigned long long)process->brk_start);
}

static void write_comm(FILE *out, const struct process *process, size_t index)
{
	(void)index;
	fprintf(out, "%s\n", process->threads[0]->name);
}

/* Files whose text is one word. */
#define WORD(name, text)                                                                 \
	static void write_##name(FILE *out, const struct process *process, size_t index) \
	{                                                                                \
		(void)process, (void)index;                                              \
		fputs(text "\n", out);                                                   \
	}
WORD(paranoid, "-1")
WORD(sample_rate, "100000")
WORD(mlock_kb, "516")
WORD(processors, "0")
WORD(type_raw, "4")
WORD(type_software, "1")
WORD(format_event, "config:0-15")
#undef WORD

#define CACHE_TEXT(name, format, value)                                                        \
	static void write_cache_##name(FILE *out, const struct process *process, size_t index) \
	{                                                                                      \
		const struct cache c = cache_of(process, index);                               \
		fprintf(out, format "\n", value);                                              \
	}
CACHE_TEXT(level, "%u", c.level)
CACHE_TEXT(type, "%s", c.type)
CACHE_TEXT(size, "%uK", c.size_bytes / 1024)
CACHE_TEXT(line, "%u", c.line_bytes)
CACHE_TEXT(ways, "%u", c.ways)
CACHE_TEXT(sets, "%u", c.size_bytes / c.line_bytes / c.ways)
CACHE_TEXT(cpus, "%s", c.level ? "0" : "")
CACHE_TEXT(cpu_map, "%s", c.level ? "1" : "")
#undef CACHE_TEXT

static void write_event(FILE *out, const struct process *process, size_t index)
{
	const struct counting_unit *unit = &process->perf.unit;
	char name[PERF_NAME_BYTES];

	fprintf(out, "event=0x%x\n", (unsigned)unit->list(unit->context, index, name));
}

static const struct row {
	const char *path; /* '*' stands for the number of a cache or the name of an event */
	write_text *write;
} rows[] = {
	{"/proc/cpuinfo", write_cpuinfo},
	{SYSTEM_SELF "/comm", write_comm},
	{SYSTEM_SELF "/maps", write_maps},
	{SYSTEM_SELF "/stat", write_stat},
	{SYSTEM_SELF "/status", write_status},
	{"/proc/sys/kernel/perf_event_max_sample_rate", write_sample_rate},
	{"/proc/sys/kernel/perf_event_mlock_kb", write_mlock_kb},
	{"/proc/sys/kernel/perf_event_paranoid", write_paranoid},
	{UNITS "/cpu/events/*", write_event},
	{UNITS "/cpu/format/event", write_format_event},
	{UNITS "/cpu/type", write_type_raw},
	{UNITS "/software/type", write_type_software},
	{CACHES "/coherency_line_size", write_cache_line},
	{CACHES "/level", write_cache_level},
	{CACHES "/number_of_sets", write_cache_sets},
	{CACHES "/shared_cpu_list", write_cache_cpus},
	{CACHES "/shared_cpu_map", write_cache_cpu_map},
	{CACHES "/size", write_cache_size},
	{CACHES "/type", write_cache_type},
	{CACHES "/ways_of_associativity", write_cache_ways},
	{CPUS "/online", write_processors},
	{CPUS "/possible", write_processors},
	{CPUS "/present", write_processors},
};

/* The path of the name that a row's wildcard stands for; false if there are not so many. */
static bool make_path(const struct process *process, const struct row *row, size_t index,
		      char path[PATH_BYTES])
{
	const struct counting_unit *unit = &process->perf.unit;
	const char *star = strchr(row->path, '*');
	char name[PERF_NAME_BYTES];
	struct cache caches[4];

	if (!star) {
		snprintf(path, PATH_BYTES, "%s", row->path);
		return index == 0;
	}
	if (row->write == write_event) {
		if (!unit->list || unit->list(unit->context, index, name) < 0)
			return false;
	} else {
		if (index >= list_caches(process->machine, caches))
			return false;
		snprintf(name, sizeof(name), "%zu", index);
	}
	snprintf(path, PATH_BYTES, "%.*s%s%s", (int)(star - row->path), row->path, name, star + 1);
	return true;
}

static const struct row *find(const struct process *process, const char *path, size_t *index)
{
	char made[PATH_BYTES];

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		if (fnmatch(rows[i].path, path, FNM_PATHNAME) != 0)
			continue;
		for (*index = 0; make_path(process, &rows[i], *index, made); ++*index)
			if (strcmp(made, path) == 0)
				return &rows[i];
	}
	return NULL;
}

bool system_file_exists(const struct process *process, const char *path)
{
	size_t index;

	return find(process, path, &index);
}

void system_files_each(const struct process *process, bool (*call)(void *context, const char *path),
		       void *context)
{
	char path[PATH_BYTES];

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		for (size_t k = 0; make_path(process, &rows[i], k, path); k++)
			if (!call(context, path))
				return;
}

int system_file_open(struct process *process, const char *path, struct file **out)
{
	char *text = NULL;
	size_t bytes = 0, index;
	const struct row *row = find(process, path, &index);
	FILE *stream = open_memstream(&text, &bytes);

	BUG_ON(!row);
	if (!stream)
		return -ENOMEM;
	row->write(stream, process, index);
	if (fclose(stream) != 0 || bytes > TEXT_BYTES_MAX ||
	    !memory_charge_host(&process->memory, bytes)) {
		free(text);
		return -ENOMEM;
	}
	*out = file_create(FILE_TEXT, -1, path);
	(*out)->object = text;
	(*out)->image_bytes = (*out)->charged_bytes = bytes;
	(*out)->charged = &process->memory;
	return 0;
}
