#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/process.h"

/* The layout that Linux uses on Sv39, without randomisation. */
#define STACK_TOP	  (GUEST_SPACE_BYTES - GUEST_PAGE_BYTES)
#define STACK_BYTES	  (UINT64_C(8) << 20)
#define STACK_GUARD_BYTES (UINT64_C(1) << 20)
#define PIE_BASE	  UINT64_C(0x2aaaaaa000)
#define ARGUMENTS_LIMIT	  (STACK_BYTES / 4)
#define FILE_LIMIT	  (INT64_C(256) << 20)

/* I, M, A, F, D and C of the misa register. Linux has no bit for B: a program learns of Zba, Zbb,
 * Zbc and Zbs by riscv_hwprobe. */
#define HWCAP (1u << 8 | 1u << 12 | 1u << 0 | 1u << 5 | 1u << 3 | 1u << 2)

static uint64_t image_span(const struct elf *elf, uint64_t *lowest)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *s = &elf->segments[i];

		if (s->vaddr < low)
			low = bits_align_down(s->vaddr, GUEST_PAGE_BYTES);
		if (s->vaddr + s->mem_bytes > high)
			high = s->vaddr + s->mem_bytes;
	}
	*lowest = low;
	return bits_align_up(high, GUEST_PAGE_BYTES) - low;
}

/* What a program begins with must fit. */
static bool map_within(struct memory *memory, uint64_t address, uint64_t bytes, unsigned protection)
{
	return memory->charged_bytes <= memory->limit_bytes &&
	       bytes <= memory->limit_bytes - memory->charged_bytes &&
	       memory_map(memory, address, bytes, protection);
}

static bool load_segments(struct process *process, const struct elf *elf, const uint8_t *image,
			  uint64_t bias, const char *name, struct err *err)
{
	struct memory *memory = &process->memory;

	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *s = &elf->segments[i];
		uint64_t start = bits_align_down(s->vaddr + bias, GUEST_PAGE_BYTES);
		uint64_t end = bits_align_up(s->vaddr + bias + s->mem_bytes, GUEST_PAGE_BYTES);
		unsigned protection = (s->readable ? PAGE_READ : 0) |
				      (s->writable ? PAGE_WRITE : 0) |
				      (s->executable ? PAGE_EXEC : 0);
		/* Segments may share a page at their ends, so what is mapped stays. */
		uint64_t fresh = start;

		while (fresh < end && !memory_is_free(memory, fresh, GUEST_PAGE_BYTES))
			fresh += GUEST_PAGE_BYTES;
		if (fresh < end && !map_within(memory, fresh, end - fresh, PAGE_READ | PAGE_WRITE))
			return err_set(err,
				       "%s: segment %zu needs %llu bytes of memory, more than the "
				       "limit allows; raise it with --memory",
				       name, i, (unsigned long long)(end - fresh));
		memory_load(memory, s->vaddr + bias, image + s->file_offset, s->file_bytes);
		if (end > start && !memory_protect(memory, start, end - start, protection))
			return err_set(err,
				       "%s: segment %zu does not fit the memory limit; raise "
				       "it with --memory",
				       name, i);
	}
	return true;
}

static uint8_t *read_descriptor(int fd, size_t *bytes)
{
	struct stat info;
	bool ok = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= FILE_LIMIT;
	uint8_t *image = NULL;

	*bytes = ok ? (size_t)info.st_size : 0;
	image = mem_alloc(*bytes);
	for (size_t done = 0; ok && done < *bytes;) {
		ssize_t got = pread(fd, image + done, *bytes - done, (off_t)done);

		ok = got > 0;
		done += ok ? (size_t)got : 0;
	}
	if (ok)
		return image;
	free(image);
	return NULL;
}

static int open_file(struct process *process, const char *path, struct place *place)
{
	int fd = files_resolve(&process->files, AT_FDCWD, path, true, place);

	return fd ? fd : place_open(place, O_RDONLY, 0);
}

uint8_t *process_read_file(struct process *process, const char *path, size_t *bytes)
{
	struct place place;
	int fd = open_file(process, path, &place);
	uint8_t *image = fd < 0 ? NULL : read_descriptor(fd, bytes);

	if (fd >= 0)
		close(fd);
	return image;
}

uint8_t *process_read_debug_file(struct process *process, size_t mount, const char *path,
				 size_t *bytes)
{
	int fd = mount_read(&process->options.debug_mounts[mount], path);
	uint8_t *image = fd < 0 ? NULL : read_descriptor(fd, bytes);

	if (fd >= 0)
		close(fd);
	return image;
}

/* Reads the interpreter through the mounts (the sysroot is one of them). */
static bool read_interp(struct process *process, uint8_t **image, size_t *bytes, struct err *err)
{
	const char *path = process->elf.interp;
	struct place place;
	int fd = open_file(process, path, &place);

	if (fd < 0)
		return err_set(err,
			       "%s: dynamically linked: its interpreter %s is not to be found%s%s; "
			       "give --sysroot DIR with a directory that holds it (on Debian "
			       "/usr/riscv64-linux-gnu), or link with -static",
			       process->options.program, path, place.mount ? " under " : "",
			       place.mount ? place.mount->host : "");
	*image = read_descriptor(fd, bytes);
	close(fd);
	return *image || err_set(err, "%s: its interpreter %s cannot be read as a file",
				 process->options.program, path);
}

static bool load_interp(struct process *process, struct err *err)
{
	struct elf interp;
	uint8_t *image;
	size_t bytes;
	uint64_t lowest;

	if (!read_interp(process, &image, &bytes, err))
		return false;
	elf_init(&interp);
	bool ok = elf_parse(&interp, image, bytes, process->elf.interp, err);
	if (ok && (interp.interp || !interp.position_independent))
		ok = err_set(err, "%s: not a program interpreter", process->elf.interp);
	if (ok) {
		uint64_t span = image_span(&interp, &lowest);
		uint64_t base = memory_find_free(&process->memory, span, GUEST_PAGE_BYTES,
						 process->mmap_below);

		ok = base ? load_segments(process, &interp, image, base - lowest,
					  process->elf.interp, err)
			  : err_set(err, "%s: no room in the address space", process->elf.interp);
		process->interp_base = base - lowest;
		process->cpu.hart.pc = interp.entry + process->interp_base;
		mapping_add(process, &(struct file_mapping){.start = base,
							    .bytes = span,
							    .valid_bytes = span,
							    .path = process->elf.interp});
	}
	elf_release(&interp);
	free(image);
	return ok;
}

bool loader_load(struct process *process, struct err *err)
{
	const struct process_options *options = &process->options;
	struct elf *elf = &process->elf;
	uint64_t lowest;

	if (!elf_parse(elf, options->image, options->image_bytes, options->program, err))
		return false;
	if (elf->position_independent && !elf->entry)
		return err_set(err, "%s: a shared library, not a program: it has no entry point",
			       options->program);
	uint64_t span = image_span(elf, &lowest);
	if (elf->position_independent)
		process->bias = PIE_BASE - lowest;
	if (span > STACK_TOP - STACK_BYTES - STACK_GUARD_BYTES - (lowest + process->bias))
		return err_set(err, "%s: the program's segments reach into its stack at 0x%llx",
			       options->program, (unsigned long long)(STACK_TOP - STACK_BYTES));
	if (!load_segments(process, elf, options->image, process->bias, options->program, err))
		return false;
	process->brk_start = process->brk = lowest + process->bias + span;
	process->cpu.hart.pc = elf->entry + process->bias;

	process->mmap_below = STACK_TOP - STACK_BYTES - STACK_GUARD_BYTES;
	unsigned stack_protection =
		PAGE_READ | PAGE_WRITE | (elf->stack_executable ? PAGE_EXEC : 0);
	if (!map_within(&process->memory, STACK_TOP - STACK_BYTES, STACK_BYTES, stack_protection))
		return err_set(err,
			       "%s: the memory limit leaves no room for an 8 MB stack; raise "
			       "it with --memory",
			       options->program);

	process->stack_low = STACK_TOP - STACK_BYTES;

	/* The code that a signal handler returns to: li a7, rt_sigreturn; ecall. */
	const uint32_t trampoline[2] = {0x08b00893, 0x00000073};
	process->mmap_below -= GUEST_PAGE_BYTES;
	process->sigreturn_address = process->mmap_below;
	if (!map_within(&process->memory, process->sigreturn_address, GUEST_PAGE_BYTES,
			PAGE_READ | PAGE_EXEC))
		return err_set(err, "%s: the memory limit is too low", options->program);
	memory_load(&process->memory, process->sigreturn_address, trampoline, sizeof(trampoline));
	return !elf->interp || load_interp(process, err);
}

static uint64_t push_string(struct process *process, uint64_t *sp, const char *text)
{
	size_t bytes = strlen(text) + 1;

	*sp -= bytes;
	memory_load(&process->memory, *sp, text, bytes);
	return *sp;
}

static size_t count_strings(const char *const *list, size_t *bytes)
{
	size_t count = 0;

	for (; list && list[count]; count++)
		*bytes += strlen(list[count]) + 1 + 8;
	return count;
}

bool loader_build_stack(struct process *process, struct err *err)
{
	const struct process_options *options = &process->options;
	size_t bytes = 0;
	size_t argc = count_strings(options->argv, &bytes);
	size_t envc = count_strings(options->env, &bytes);
	uint64_t sp = STACK_TOP - 8;

	if (bytes > ARGUMENTS_LIMIT)
		return err_set(err, "%s: arguments and environment take %zu bytes, more than %llu",
			       options->program, bytes, (unsigned long long)ARGUMENTS_LIMIT);
	uint64_t *words = mem_alloc_array(argc + envc + 64, sizeof(*words));
	uint64_t execfn = push_string(process, &sp, options->argv[0]);
	for (size_t i = envc; i-- > 0;)
		words[1 + argc + 1 + i] = push_string(process, &sp, options->env[i]);
	for (size_t i = argc; i-- > 0;)
		words[1 + i] = push_string(process, &sp, options->argv[i]);
	words[0] = argc;
	process->environment_end = execfn;
	process->environment_start = envc ? words[1 + argc + 1] : execfn;
	process->arguments_start = argc ? words[1] : process->environment_start;

	uint64_t random[2] = {rng_next(&process->rng), rng_next(&process->rng)};
	sp = (sp - sizeof(random)) & ~UINT64_C(15);
	memory_load(&process->memory, sp, random, sizeof(random));

	const uint64_t auxv[][2] = {
		{AT_PHDR, process->elf.phdr_vaddr ? process->elf.phdr_vaddr + process->bias : 0},
		{AT_PHENT, process->elf.phentsize},
		{AT_PHNUM, process->elf.phnum},
		{AT_PAGESZ, GUEST_PAGE_BYTES},
		{AT_BASE, process->interp_base},
		{AT_FLAGS, 0},
		{AT_ENTRY, process->elf.entry + process->bias},
		{AT_UID, GUEST_USER_ID},
		{AT_EUID, GUEST_USER_ID},
		{AT_GID, GUEST_USER_ID},
		{AT_EGID, GUEST_USER_ID},
		{AT_HWCAP, HWCAP},
		{AT_CLKTCK, 100},
		{AT_RANDOM, sp},
		{AT_SECURE, 0},
		{AT_EXECFN, execfn},
		{AT_NULL, 0},
	};
	size_t count = 1 + argc + 1 + envc + 1;
	memcpy(&words[count], auxv, sizeof(auxv));
	count += sizeof(auxv) / sizeof(words[0]);
	sp = (sp - count * 8) & ~UINT64_C(15);
	memory_load(&process->memory, sp, words, count * 8);
	process->auxv_bytes = sizeof(auxv);
	process->auxv_start = sp + count * 8 - sizeof(auxv);
	process->cpu.hart.r[REG_SP] = process->initial_sp = sp;
	free(words);
	return true;
}
