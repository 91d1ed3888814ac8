#include "isa/profile.h"
#include "linux/system_files.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "config/config.h"
#include "linux/file_operations.h"
#include "linux/path.h"

#define CPUS   "/sys/devices/system/cpu"
#define CACHES CPUS "/cpu0/cache/index*"
#define TASKS  SYSTEM_SELF "/task/*"
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

static void write_features(FILE *out, uint64_t features, unsigned first, unsigned end)
{
	for (unsigned i = first; i < end; i++)
		if (features >> i & 1)
			fprintf(out, "_%s", feature_rows[i].name);
}

/* The extensions that every machine has are among the others, in the kernel's order. */
static void write_cpuinfo(FILE *out, const struct process *process, size_t index)
{
	const uint64_t features = process->cpu.code->features;

	(void)index;
	fputs("processor\t: 0\nhart\t\t: 0\nisa\t\t: rv64imafdc", out);
	write_features(out, features, 0, FEATURE_ZICOND);
	fputs("_zicntr", out);
	write_features(out, features, FEATURE_ZICOND, FEATURE_ZIHINTNTL);
	fputs("_zicsr_zifencei", out);
	write_features(out, features, FEATURE_ZIHINTNTL, FEATURE_ZIMOP);
	fputs("_zihpm", out);
	write_features(out, features, FEATURE_ZIMOP, FEATURE_COUNT);
	fprintf(out, "\n"
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

/* Whether what is mapped has no name any more. A copy does not keep its file, so its path is
 * looked up; memory that is shared without a file never had one. */
static bool is_nameless(const struct process *process, const struct file_mapping *m)
{
	const struct file *file = m->shared ? shared_file_of(m->shared) : NULL;
	struct place place;
	struct stat info;

	if (m->path[0] != '/' || strncmp(m->path, "/memfd:", 7) == 0)
		return false;
	if (file && file->node)
		return !file->node->names;
	if (file)
		return fstat(file->fd, &info) == 0 && !info.st_nlink;
	if (m->shared)
		return true;
	int failed = files_resolve(&process->files, AT_FDCWD, m->path, false, &place);
	if (failed)
		return failed == -ENOENT && !place.is_special;
	int fd = place_open(&place, O_PATH | O_NOFOLLOW, 0);
	if (fd >= 0)
		close(fd);
	return fd == -ENOENT;
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

	fprintf(out, *name ? "%s%*s%s%s\n" : "%s\n", text, length < 73 ? 73 - length : 1, " ", name,
		m && is_nameless(process, m) ? " (deleted)" : "");
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
	while ((at = memory_next_mapped(&process->memory, at)) < GUEST_SPACE_BYTES &&
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

/* The thread of that number among those that there are; the first stays when it has ended. NULL if
 * there are not so many. */
static const struct thread *nth_thread(const struct process *process, size_t index)
{
	for (size_t i = 0; i < process->thread_count; i++)
		if ((!i || process->threads[i]->state != THREAD_DEAD) && index-- == 0)
			return process->threads[i];
	return NULL;
}

/* R where it could run, S where it waits. */
static char state_of(const struct thread *thread)
{
	return thread->state == THREAD_RUNNABLE ? 'R' : 'S';
}

static void write_status(FILE *out, const struct process *process, size_t index)
{
	const struct thread *thread = nth_thread(process, index);
	unsigned long long kb = process->memory.charged_bytes / 1024;
	unsigned long long filled_kb = process->memory.filled_bytes / 1024;

	fprintf(out,
		"Name:\t%s\nUmask:\t%04o\nState:\t%s\nTgid:\t1000\nNgid:\t0\nPid:\t%d\n"
		"PPid:\t1\nTracerPid:\t0\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nFDSize:\t%u\n"
		"Groups:\t \n",
		thread->name, process->files.umask,
		state_of(thread) == 'R' ? "R (running)" : "S (sleeping)", thread->tid, FILES_MAX);
	fprintf(out,
		"VmPeak:\t%8llu kB\nVmSize:\t%8llu kB\nVmHWM:\t%8llu kB\nVmRSS:\t%8llu kB\n"
		"Threads:\t%zu\n",
		kb, kb, filled_kb, filled_kb, living_threads(process));
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
static void write_stat_of(FILE *out, const struct process *process, const struct thread *thread,
			  uint64_t instructions)
{
	fprintf(out, "%d (%s) %c 1 1000 1000 0 -1 0 %llu 0 0 0 %llu 0 0 0 20 0 %zu 0 0 %llu %llu ",
		thread->tid, thread->name, state_of(thread),
		(unsigned long long)process->access_faults,
		(unsigned long long)instructions / 10000000, living_threads(process),
		(unsigned long long)process->memory.charged_bytes,
		(unsigned long long)(process->memory.filled_bytes / GUEST_PAGE_BYTES));
	fprintf(out, "18446744073709551615 %llu %llu %llu 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 ",
		(unsigned long long)image_start(process), (unsigned long long)process->brk_start,
		(unsigned long long)process->initial_sp);
	fprintf(out, "%llu %llu %llu 0 0 0 0 0\n", (unsigned long long)image_start(process),
		(unsigned long long)process->brk_start, (unsigned long long)process->brk_start);
}

static void write_stat(FILE *out, const struct process *process, size_t index)
{
	(void)index;
	write_stat_of(out, process, process->threads[0], process->cpu.instructions);
}

static void write_comm(FILE *out, const struct process *process, size_t index)
{
	fprintf(out, "%s\n", nth_thread(process, index)->name);
}

/* Bytes of the guest's memory, as they are now. */
static void write_guest(FILE *out, const struct process *process, uint64_t from, uint64_t to)
{
	uint64_t bytes = memory_readable(&process->memory, from, to - from);

	fwrite(process->memory.base + from, 1, bytes, out);
}

static void write_cmdline(FILE *out, const struct process *process, size_t index)
{
	(void)index;
	write_guest(out, process, process->arguments_start, process->environment_start);
}

static void write_environ(FILE *out, const struct process *process, size_t index)
{
	(void)index;
	write_guest(out, process, process->environment_start, process->environment_end);
}

static void write_auxv(FILE *out, const struct process *process, size_t index)
{
	(void)index;
	write_guest(out, process, process->auxv_start, process->auxv_start + process->auxv_bytes);
}

static void write_statm(FILE *out, const struct process *process, size_t index)
{
	unsigned long long pages = process->memory.charged_bytes / GUEST_PAGE_BYTES;
	unsigned long long filled = process->memory.filled_bytes / GUEST_PAGE_BYTES;

	(void)index;
	fprintf(out, "%llu %llu 0 0 0 %llu 0\n", pages, filled, pages);
}

static void write_bound(FILE *out, uint64_t value)
{
	if (value == RLIM_INFINITY)
		fprintf(out, "%-20s ", "unlimited");
	else
		fprintf(out, "%-20llu ", (unsigned long long)value);
}

static void write_limits(FILE *out, const struct process *process, size_t index)
{
	static const char *const names[][2] = {
		[RLIMIT_CPU] = {"Max cpu time", "seconds"},
		[RLIMIT_FSIZE] = {"Max file size", "bytes"},
		[RLIMIT_DATA] = {"Max data size", "bytes"},
		[RLIMIT_STACK] = {"Max stack size", "bytes"},
		[RLIMIT_CORE] = {"Max core file size", "bytes"},
		[RLIMIT_RSS] = {"Max resident set", "bytes"},
		[RLIMIT_NPROC] = {"Max processes", "processes"},
		[RLIMIT_NOFILE] = {"Max open files", "files"},
		[RLIMIT_MEMLOCK] = {"Max locked memory", "bytes"},
		[RLIMIT_AS] = {"Max address space", "bytes"},
		[RLIMIT_LOCKS] = {"Max file locks", "locks"},
		[RLIMIT_SIGPENDING] = {"Max pending signals", "signals"},
		[RLIMIT_MSGQUEUE] = {"Max msgqueue size", "bytes"},
		[RLIMIT_NICE] = {"Max nice priority", ""},
		[RLIMIT_RTPRIO] = {"Max realtime priority", ""},
		[RLIMIT_RTTIME] = {"Max realtime timeout", "us"},
	};

	(void)index;
	fprintf(out, "%-25s %-20s %-20s %-10s\n", "Limit", "Soft Limit", "Hard Limit", "Units");
	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		fprintf(out, "%-25s ", names[i][0]);
		write_bound(out, process->limits[i].rlim_cur);
		write_bound(out, process->limits[i].rlim_max);
		fprintf(out, names[i][1][0] ? "%-10s\n" : "\n", names[i][1]);
	}
}

/* Of the host no more is told than which of its directories the guest may write to. */
static void write_mounts(FILE *out, const struct process *process, size_t index)
{
	const struct files *files = &process->files;
	struct place place;
	bool has_root = false;

	(void)index;
	for (size_t i = 0; i < files->mount_count; i++)
		has_root |= strcmp(files->mounts[i].guest, "/") == 0;
	if (!has_root)
		fprintf(out, "none / tmpfs ro 0 0\n");
	for (size_t i = 0; i < files->mount_count; i++)
		fprintf(out, "none %s tmpfs %s 0 0\n", files->mounts[i].guest,
			files->mounts[i].read_only ? "ro" : "rw");
	fprintf(out, "proc /proc proc ro 0 0\nsysfs /sys sysfs ro 0 0\n");
	if (files_resolve(files, AT_FDCWD, NODES_PATH, false, &place) == -ENOENT && place.is_node)
		fprintf(out, "tmpfs %s tmpfs rw 0 0\n", NODES_PATH);
}

static void write_meminfo(FILE *out, const struct process *process, size_t index)
{
	static const char *const zero[] = {"Buffers",  "Cached",    "SwapCached", "Active",
					   "Inactive", "SwapTotal", "SwapFree",	  "Dirty",
					   "Shmem",    "Slab"};
	const unsigned long long total = process->memory.limit_bytes / 1024;
	const unsigned long long free = total - process->memory.filled_bytes / 1024;

	(void)index;
	fprintf(out, "MemTotal:       %8llu kB\nMemFree:        %8llu kB\n", total, free);
	fprintf(out, "MemAvailable:   %8llu kB\n", free);
	for (size_t i = 0; i < ARRAY_COUNT(zero); i++)
		fprintf(out, "%s:%*s0 kB\n", zero[i], (int)(22 - strlen(zero[i])), "");
}

/* The time that the one processor was busy, and the time it was not, in hundredths of seconds. */
static void processor_ticks(const struct process *process, unsigned long long ticks[2])
{
	const uint64_t ns_per_tick = 10000000;
	uint64_t all = process_now_ns(process) / ns_per_tick;

	ticks[0] = process->cpu.instructions / ns_per_tick;
	ticks[1] = all > ticks[0] ? all - ticks[0] : 0;
}

static void write_system_stat(FILE *out, const struct process *process, size_t index)
{
	unsigned long long ticks[2];

	(void)index;
	processor_ticks(process, ticks);
	for (int i = 0; i < 2; i++)
		fprintf(out, "cpu%s %llu 0 0 %llu 0 0 0 0 0 0\n", i ? "0" : " ", ticks[0],
			ticks[1]);
	fprintf(out, "intr 0\nctxt %llu\nbtime %d\nprocesses 1\nprocs_running 1\n",
		(unsigned long long)process->context_switches, GUEST_EPOCH_SECONDS);
	fprintf(out, "procs_blocked 0\nsoftirq 0 0 0 0 0 0 0 0 0 0 0\n");
}

static void write_uptime(FILE *out, const struct process *process, size_t index)
{
	unsigned long long ticks[2];

	(void)index;
	processor_ticks(process, ticks);
	const unsigned long long all = ticks[0] + ticks[1];
	fprintf(out, "%llu.%02llu %llu.%02llu\n", all / 100, all % 100, ticks[1] / 100,
		ticks[1] % 100);
}

static void write_loadavg(FILE *out, const struct process *process, size_t index)
{
	(void)index;
	fprintf(out, "0.00 0.00 0.00 1/%zu %d\n", living_threads(process),
		process->next_tid ? process->next_tid - 1 : 0);
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
WORD(mux_interval, "4")
WORD(pid_max, "4194304")
WORD(zero, "0")
WORD(random_state, "256")
WORD(system_name, "Linux")
WORD(release, "6.1.0")
WORD(host_name, "cyclestack")
WORD(last_capability, "40")
WORD(map_count, "65530")
WORD(pipe_bytes, "1048576")
WORD(backlog, "4096")
WORD(cgroup, "0::/")
WORD(huge_pages, "always madvise [never]")
WORD(huge_page_bytes, "2097152")
WORD(version, "Linux version 6.1.0 (cyclestack) #1")
WORD(file_systems, "nodev\tproc\nnodev\tsysfs\nnodev\ttmpfs")
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
	const char *path; /* '*' stands for the number of a cache or thread, or an event's name */
	write_text *write;
} rows[] = {
	{"/proc/cpuinfo", write_cpuinfo},
	{"/proc/filesystems", write_file_systems},
	{"/proc/loadavg", write_loadavg},
	{"/proc/meminfo", write_meminfo},
	{"/proc/stat", write_system_stat},
	{"/proc/uptime", write_uptime},
	{"/proc/version", write_version},
	{SYSTEM_SELF "/auxv", write_auxv},
	{SYSTEM_SELF "/cgroup", write_cgroup},
	{SYSTEM_SELF "/cmdline", write_cmdline},
	{SYSTEM_SELF "/comm", write_comm},
	{SYSTEM_SELF "/environ", write_environ},
	{SYSTEM_SELF "/limits", write_limits},
	{SYSTEM_SELF "/maps", write_maps},
	{SYSTEM_SELF "/mounts", write_mounts},
	{SYSTEM_SELF "/oom_score_adj", write_zero},
	{SYSTEM_SELF "/stat", write_stat},
	{SYSTEM_SELF "/statm", write_statm},
	{SYSTEM_SELF "/status", write_status},
	{TASKS "/comm", write_comm},
	{TASKS "/status", write_status},
	{"/proc/sys/fs/pipe-max-size", write_pipe_bytes},
	{"/proc/sys/kernel/cap_last_cap", write_last_capability},
	{"/proc/sys/kernel/hostname", write_host_name},
	{"/proc/sys/kernel/osrelease", write_release},
	{"/proc/sys/kernel/ostype", write_system_name},
	{"/proc/sys/kernel/perf_event_max_sample_rate", write_sample_rate},
	{"/proc/sys/kernel/perf_event_mlock_kb", write_mlock_kb},
	{"/proc/sys/kernel/perf_event_paranoid", write_paranoid},
	{"/proc/sys/kernel/pid_max", write_pid_max},
	{"/proc/sys/kernel/random/entropy_avail", write_random_state},
	{"/proc/sys/net/core/somaxconn", write_backlog},
	{"/proc/sys/vm/max_map_count", write_map_count},
	{"/proc/sys/vm/overcommit_memory", write_zero},
	{"/sys/kernel/mm/transparent_hugepage/enabled", write_huge_pages},
	{"/sys/kernel/mm/transparent_hugepage/hpage_pmd_size", write_huge_page_bytes},
	{UNITS "/cpu/events/*", write_event},
	{UNITS "/cpu/format/event", write_format_event},
	{UNITS "/cpu/perf_event_mux_interval_ms", write_mux_interval},
	{UNITS "/cpu/type", write_type_raw},
	{UNITS "/software/perf_event_mux_interval_ms", write_mux_interval},
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
	} else if (strncmp(row->path, TASKS, strlen(TASKS)) == 0) {
		const struct thread *thread = nth_thread(process, index);

		if (!thread)
			return false;
		snprintf(name, sizeof(name), "%d", thread->tid);
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
