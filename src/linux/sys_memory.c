/* System calls on the address space. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/path.h"
#include "linux/syscall.h"

#define LOWEST_MAPPING UINT64_C(0x10000)
/* As many as Linux allows a process by default; each call adds at most two. */
#define MAPPINGS_MAX 65530
/* Each takes up to two of the host's mappings, whose number is limited too. */
#define SHARED_MAPPINGS_MAX 8192
/* The host memory that the names of mapped files may take; each mapping has a copy. */
#define MAPPING_PATH_BYTES_MAX (UINT64_C(32) << 20)

static bool has_too_many_mappings(const struct process *process)
{
	return process->mapping_count >= MAPPINGS_MAX ||
	       process->shared_mappings >= SHARED_MAPPINGS_MAX ||
	       process->mapping_path_bytes >= MAPPING_PATH_BYTES_MAX;
}

static unsigned protection_of(uint64_t prot)
{
	return (prot & PROT_READ ? PAGE_READ : 0) | (prot & PROT_WRITE ? PAGE_WRITE : 0) |
	       (prot & PROT_EXEC ? PAGE_EXEC : 0);
}

/* Ends what is mapped there, in the list of mappings and in memory: one without the other would
 * leave pages that nothing is charged for. */
static void unmap_range(struct process *process, uint64_t address, uint64_t bytes)
{
	mapping_write_back(process, address, bytes);
	mapping_remove(process, address, bytes);
	memory_unmap(&process->memory, address, bytes);
}

/* Copies a part of a file into mapped pages. The file is copied, not mapped: if it became shorter,
 * an access to a mapping would fault in this process. The size of what the file has, in whole
 * pages, or a negative errno. */
static int64_t fill_from_file(struct process *process, const struct file *file, uint64_t address,
			      uint64_t bytes, uint64_t offset)
{
	bool is_content = file->kind == FILE_CONTENT;
	struct stat info;

	if (is_content)
		info.st_size = (off_t)content_bytes(file);
	else if (fstat(file->fd, &info) != 0)
		return -errno;
	else if (!S_ISREG(info.st_mode))
		return -ENODEV;
	shared_flush(process, file->fd);
	uint64_t size = (uint64_t)info.st_size > offset ? (uint64_t)info.st_size - offset : 0;
	uint64_t fill = size < bytes ? bits_align_up(size, GUEST_PAGE_BYTES) : bytes;
	if (!memory_charge(&process->memory, address, fill))
		return -ENOMEM;
	for (uint64_t done = 0; done < fill;) {
		uint8_t *to = process->memory.base + address + done;
		int64_t got = is_content
				      ? content_read(process, file, to, fill - done, offset + done)
				      : pread(file->fd, to, fill - done, (off_t)(offset + done));

		if (got < 0)
			return is_content ? got : -errno;
		if (!got)
			break;
		done += (uint64_t)got;
	}
	return (int64_t)fill;
}

static int64_t map_private(struct process *process, const struct file *file, uint64_t address,
			   uint64_t bytes, uint64_t offset, unsigned protection)
{
	int64_t valid;

	if (!memory_map(&process->memory, address, bytes, protection))
		return -ENOMEM;
	if (!file)
		return 0;
	valid = fill_from_file(process, file, address, bytes, offset);
	if (valid < 0) {
		memory_unmap(&process->memory, address, bytes);
		return valid;
	}
	memory_protect(&process->memory, address + (uint64_t)valid, bytes - (uint64_t)valid, 0);
	mapping_add(process, &(struct file_mapping){.start = address,
						    .bytes = bytes,
						    .offset = offset,
						    .path = file->path,
						    .valid_bytes = (uint64_t)valid});
	return 0;
}

/* Adds a mapping of a content that is counted already; the count is given back if that fails. */
static int64_t map_content(struct process *process, const struct file_mapping *mapping)
{
	int64_t failed = shared_show(process, mapping->shared, mapping->start, mapping->bytes,
				     mapping->offset);

	if (failed) {
		shared_forget(process, mapping);
		return failed;
	}
	mapping_add(process, mapping);
	/* Joined to its neighbours, too. */
	return mapping_protect(process, mapping->start, mapping->bytes, mapping->protection);
}

/* Whether a file in memory can be written no more. */
static bool is_sealed(const struct file *file)
{
	const int seals = file->node && file->fd >= 0 ? fcntl(file->fd, F_GET_SEALS) : 0;

	return seals > 0 && seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE);
}

static int64_t map_shared(struct process *process, struct file *file, uint64_t address,
			  uint64_t bytes, uint64_t offset, unsigned protection)
{
	const bool is_perf = file && file->kind == FILE_PERF;
	int64_t failed;
	char anonymous[] = "/dev/zero";
	struct file_mapping mapping = {
		.start = address,
		.bytes = bytes,
		.offset = offset,
		.path = file ? file->path : anonymous,
		.shared = is_perf ? perf_content(process, file, bytes, offset, &failed)
				  : shared_get(process, file, bytes, &failed),
		.protection = protection,
		.may_write = !file || ((file->flags & O_ACCMODE) == O_RDWR && !is_sealed(file)),
	};

	failed = mapping.shared ? map_content(process, &mapping) : failed;
	if (is_perf && !failed)
		perf_event_show(process, perf_event_of(file));
	return failed;
}

/* What a file and its access mode allow. */
static int64_t check_mapping(const struct file *file, uint64_t type, uint64_t prot, uint64_t offset,
			     uint64_t bytes)
{
	const bool is_shared = type == MAP_SHARED || type == MAP_SHARED_VALIDATE;
	const uint32_t mode = file ? file->flags & O_ACCMODE : O_RDWR;

	/* Only what has a size, or is a socket, has a last offset. */
	if (file && offset > INT64_MAX - bytes &&
	    (file->kind == FILE_HOST || file->kind == FILE_CONTENT || file->kind == FILE_SOCKET))
		return -EOVERFLOW;
	if (is_shared && prot & PROT_WRITE && mode == O_RDONLY)
		return -EACCES;
	if (is_shared && prot & PROT_WRITE && file && is_sealed(file))
		return -EPERM;
	if (!is_shared && type != MAP_PRIVATE)
		return -EINVAL;
	if (mode == O_WRONLY)
		return -EACCES;
	if (file && file->kind == FILE_PERF)
		return is_shared ? 0 : -EINVAL;
	return file && file->kind != FILE_HOST && file->kind != FILE_CONTENT ? -ENODEV : 0;
}

int64_t sys_mmap(struct process *process, const uint64_t argument[6])
{
	const uint64_t flags = argument[3], prot = argument[2], offset = argument[5];
	const bool is_shared = (flags & MAP_TYPE) != MAP_PRIVATE;
	uint64_t address = argument[0];
	struct file *file = NULL;

	if (offset % GUEST_PAGE_BYTES)
		return -EINVAL;
	if (!(flags & MAP_ANONYMOUS)) {
		file = files_get(&process->files, argument[4]);
		if (!file)
			return -EBADF;
	}
	if (!argument[1])
		return -EINVAL;
	if (argument[1] > GUEST_SPACE_BYTES)
		return -ENOMEM;
	uint64_t bytes = bits_align_up(argument[1], GUEST_PAGE_BYTES);
	if (offset + bytes < offset)
		return -EOVERFLOW;
	if (has_too_many_mappings(process))
		return -ENOMEM;
	if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) {
		if (!memory_is_range(address, bytes))
			return -ENOMEM;
		if (address % GUEST_PAGE_BYTES)
			return -EINVAL;
		if (address < LOWEST_MAPPING)
			return -EPERM;
		if (flags & MAP_FIXED_NOREPLACE &&
		    !memory_is_free(&process->memory, address, bytes))
			return -EEXIST;
	}
	int64_t failed = check_mapping(file, flags & MAP_TYPE, prot, offset, bytes);
	if (failed)
		return failed;
	if (!(flags & (MAP_FIXED | MAP_FIXED_NOREPLACE))) {
		address = bits_align_down(address, GUEST_PAGE_BYTES);
		if (address < LOWEST_MAPPING || !memory_is_range(address, bytes) ||
		    !memory_is_free(&process->memory, address, bytes))
			address = memory_find_free(&process->memory, bytes, LOWEST_MAPPING,
						   process->mmap_below);
		if (!address)
			return -ENOMEM;
	}
	unmap_range(process, address, bytes);
	failed = is_shared
			 ? map_shared(process, file, address, bytes, file ? offset : 0,
				      protection_of(prot))
			 : map_private(process, file, address, bytes, offset, protection_of(prot));
	return failed ? failed : (int64_t)address;
}

int64_t sys_munmap(struct process *process, const uint64_t argument[6])
{
	uint64_t bytes = bits_align_up(argument[1], GUEST_PAGE_BYTES);

	if (argument[0] % GUEST_PAGE_BYTES || !argument[1] || argument[1] > GUEST_SPACE_BYTES ||
	    !memory_is_range(argument[0], bytes))
		return -EINVAL;
	if (has_too_many_mappings(process))
		return -ENOMEM;
	unmap_range(process, argument[0], bytes);
	return 0;
}

int64_t sys_mprotect(struct process *process, const uint64_t argument[6])
{
	uint64_t bytes = bits_align_up(argument[1], GUEST_PAGE_BYTES);

	if (argument[0] % GUEST_PAGE_BYTES)
		return -EINVAL;
	if (!argument[1])
		return 0;
	if (argument[1] > GUEST_SPACE_BYTES || !memory_is_range(argument[0], bytes))
		return -ENOMEM;
	if (argument[2] & ~(uint64_t)(PROT_READ | PROT_WRITE | PROT_EXEC))
		return -EINVAL;
	if (has_too_many_mappings(process))
		return -ENOMEM;
	/* Linux changes what comes before an address that cannot be changed; here it is all or
	 * nothing. */
	if (!memory_is_mapped(&process->memory, argument[0], bytes))
		return -ENOMEM;
	return mapping_protect(process, argument[0], bytes, protection_of(argument[2]));
}

static unsigned protection_at(const struct process *process, uint64_t address)
{
	return process->memory.pages[address >> GUEST_PAGE_BITS] & PAGE_PROTECTION;
}

/* Whether the old range is in one shared mapping, in none, or in more than one. */
static int64_t find_shared(const struct process *process, uint64_t from, uint64_t bytes,
			   const struct file_mapping **shared)
{
	const struct file_mapping *first = mapping_first(process, from, bytes ? bytes : 1);

	*shared = NULL;
	if (!first)
		return 0;
	for (size_t i = 0; i < process->mapping_count; i++) {
		const struct file_mapping *m = &process->mappings[i];

		if (!m->shared || m->start >= from + bytes || from >= m->start + m->bytes)
			continue;
		if (from < m->start || from - m->start + bytes > m->bytes)
			return -EFAULT;
		*shared = m;
	}
	return 0;
}

/* Shows what a shared mapping shows at `from` at another place too, or continues it there. */
static int64_t map_again(struct process *process, const struct file_mapping *m, uint64_t from,
			 uint64_t to, uint64_t bytes)
{
	struct file_mapping copy = *m;

	copy.start = to;
	copy.bytes = bytes;
	copy.offset += from - m->start;
	copy.path = mem_strdup(m->path);
	shared_share(process, copy.shared);
	int64_t failed = map_content(process, &copy);
	free(copy.path);
	return failed;
}

/* More of what ends at `end`, at the place `to`, which is free. */
static int64_t extend(struct process *process, const struct file_mapping *shared, uint64_t end,
		      uint64_t to, uint64_t bytes, unsigned protection)
{
	if (!bytes)
		return 0;
	if (shared)
		return map_again(process, shared, end, to, bytes);
	/* What follows in the file is not known any more. */
	if (mapping_find(process, end - 1, false))
		return -ENOMEM;
	return memory_map(&process->memory, to, bytes, protection) ? 0 : -ENOMEM;
}

static int64_t move_range(struct process *process, const struct file_mapping *shared, uint64_t from,
			  uint64_t to, uint64_t old_bytes, uint64_t new_bytes)
{
	struct memory *memory = &process->memory;
	uint64_t kept = old_bytes < new_bytes ? old_bytes : new_bytes;
	int64_t failed;

	if (shared) {
		failed = map_again(process, shared, from, to, new_bytes);
		if (failed)
			return failed;
		unmap_range(process, from, old_bytes);
		return (int64_t)to;
	}
	failed = extend(process, NULL, from + kept, to + kept, new_bytes - kept,
			protection_at(process, from));
	if (failed)
		return failed;
	if (!memory_move(memory, to, from, kept)) {
		memory_unmap(memory, to + kept, new_bytes - kept);
		return -ENOMEM;
	}
	mapping_move(process, from, to, kept);
	unmap_range(process, from + kept, old_bytes - kept);
	return (int64_t)to;
}

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

/* Moves what private memory holds, and leaves empty memory where it was. */
static int64_t move_and_keep(struct process *process, const uint64_t argument[6])
{
	struct memory *memory = &process->memory;
	const uint64_t from = argument[0], flags = argument[3];
	const uint64_t bytes = bits_align_up(argument[1], GUEST_PAGE_BYTES);
	uint64_t to = argument[4];

	if (flags & ~(uint64_t)(MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP) ||
	    !(flags & MREMAP_MAYMOVE) || from % GUEST_PAGE_BYTES || !bytes ||
	    argument[1] > GUEST_SPACE_BYTES ||
	    bytes != bits_align_up(argument[2], GUEST_PAGE_BYTES))
		return -EINVAL;
	if (flags & MREMAP_FIXED &&
	    (to % GUEST_PAGE_BYTES || to < LOWEST_MAPPING || !memory_is_range(to, bytes) ||
	     (to < from + bytes && from < to + bytes)))
		return -EINVAL;
	if (has_too_many_mappings(process))
		return -ENOMEM;
	if (!memory_is_mapped(memory, from, bytes))
		return -EFAULT;
	if (mapping_first(process, from, bytes))
		return -EINVAL;
	const unsigned protection = protection_at(process, from);
	if (flags & MREMAP_FIXED) {
		unmap_range(process, to, bytes);
	} else {
		to = memory_find_free(memory, bytes, LOWEST_MAPPING, process->mmap_below);
		if (!to)
			return -ENOMEM;
	}
	int64_t moved = move_range(process, NULL, from, to, bytes, bytes);
	return moved < 0 || memory_map(memory, from, bytes, protection) ? moved : -ENOMEM;
}

int64_t sys_mremap(struct process *process, const uint64_t argument[6])
{
	if (argument[3] & MREMAP_DONTUNMAP)
		return move_and_keep(process, argument);
	struct memory *memory = &process->memory;
	uint64_t from = argument[0], to = argument[4], flags = argument[3];
	const struct file_mapping *shared;

	if (from % GUEST_PAGE_BYTES || !argument[2] || argument[1] > GUEST_SPACE_BYTES ||
	    flags & ~(uint64_t)(MREMAP_MAYMOVE | MREMAP_FIXED) || flags == MREMAP_FIXED)
		return -EINVAL;
	if (argument[2] > GUEST_SPACE_BYTES)
		return flags & MREMAP_FIXED ? -EINVAL : -ENOMEM;
	if (has_too_many_mappings(process))
		return -ENOMEM;
	uint64_t old_bytes = bits_align_up(argument[1], GUEST_PAGE_BYTES);
	uint64_t new_bytes = bits_align_up(argument[2], GUEST_PAGE_BYTES);
	if (flags & MREMAP_FIXED &&
	    (to % GUEST_PAGE_BYTES || to < LOWEST_MAPPING || !memory_is_range(to, new_bytes) ||
	     (to < from + old_bytes && from < to + new_bytes)))
		return -EINVAL;
	if (!memory_is_mapped(memory, from, old_bytes ? old_bytes : GUEST_PAGE_BYTES))
		return -EFAULT;
	int64_t failed = find_shared(process, from, old_bytes ? old_bytes : 1, &shared);
	if (failed)
		return failed;
	/* An old size of nothing maps a shared mapping once more. */
	if (!old_bytes && !shared)
		return -EINVAL;
	if (flags & MREMAP_FIXED) {
		unmap_range(process, to, new_bytes);
		/* Where it lay there itself, nothing is left to be mapped once more. */
		if (!memory_is_mapped(memory, from, GUEST_PAGE_BYTES))
			return -EFAULT;
		failed = find_shared(process, from, old_bytes ? old_bytes : 1, &shared);
		if (failed)
			return failed;
	} else if (old_bytes && new_bytes <= old_bytes) {
		unmap_range(process, from + new_bytes, old_bytes - new_bytes);
		return (int64_t)from;
	} else if (old_bytes && memory_is_range(from, new_bytes) &&
		   memory_is_free(memory, from + old_bytes, new_bytes - old_bytes)) {
		failed = extend(process, shared, from + old_bytes, from + old_bytes,
				new_bytes - old_bytes, protection_at(process, from));
		return failed ? failed : (int64_t)from;
	} else if (!(flags & MREMAP_MAYMOVE)) {
		return -ENOMEM;
	} else {
		to = memory_find_free(memory, new_bytes, LOWEST_MAPPING, process->mmap_below);
		if (!to)
			return -ENOMEM;
	}
	if (!old_bytes) {
		failed = map_again(process, shared, from, to, new_bytes);
		return failed ? failed : (int64_t)to;
	}
	return move_range(process, shared, from, to, old_bytes, new_bytes);
}

int64_t sys_brk(struct process *process, const uint64_t argument[6])
{
	struct memory *memory = &process->memory;
	uint64_t wanted = argument[0];

	if (wanted < process->brk_start || wanted >= process->mmap_below)
		return (int64_t)process->brk;
	uint64_t old_end = bits_align_up(process->brk, GUEST_PAGE_BYTES);
	uint64_t new_end = bits_align_up(wanted, GUEST_PAGE_BYTES);
	if (new_end > old_end) {
		if (!memory_is_free(memory, old_end, new_end - old_end) ||
		    !memory_map(memory, old_end, new_end - old_end, PAGE_READ | PAGE_WRITE))
			return (int64_t)process->brk;
	} else if (new_end < old_end) {
		if (has_too_many_mappings(process))
			return (int64_t)process->brk;
		unmap_range(process, new_end, old_end - new_end);
	}
	process->brk = wanted;
	return (int64_t)wanted;
}

int64_t sys_msync(struct process *process, const uint64_t argument[6])
{
	uint64_t bytes = bits_align_up(argument[1], GUEST_PAGE_BYTES);

	if (argument[0] % GUEST_PAGE_BYTES ||
	    argument[2] & ~(uint64_t)(MS_ASYNC | MS_INVALIDATE | MS_SYNC) ||
	    (argument[2] & MS_ASYNC && argument[2] & MS_SYNC))
		return -EINVAL;
	/* A size that rounding up takes past the last number is 0, as in the kernel. */
	if (bytes > GUEST_SPACE_BYTES || !memory_is_mapped(&process->memory, argument[0], bytes))
		return -ENOMEM;
	return mapping_write_back(process, argument[0], bytes) ? 0 : -EIO;
}

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/* Numbers 5 to 7 were never given out. */
static bool is_advice(int advice)
{
	return (advice >= MADV_NORMAL && advice <= MADV_DONTNEED) ||
	       (advice >= MADV_FREE && advice <= MADV_COLLAPSE);
}

int64_t sys_madvise(struct process *process, const uint64_t argument[6])
{
	uint64_t bytes = bits_align_up(argument[1], GUEST_PAGE_BYTES);

	/* A range may reach to the end of the numbers, and not beyond. */
	if (!is_advice((int)argument[2]) || argument[0] % GUEST_PAGE_BYTES || bytes < argument[1] ||
	    argument[0] + bytes < argument[0])
		return -EINVAL;
	if (argument[1] > GUEST_SPACE_BYTES ||
	    !memory_is_mapped(&process->memory, argument[0], bytes))
		return -ENOMEM;
	if ((int)argument[2] == MADV_DONTNEED) {
		/* What is shared stays as it is. Pages of a copy would have to be read again from
		 * the file, so they stay too. */
		uint64_t at = argument[0], end = argument[0] + bytes;

		while (at < end) {
			const struct file_mapping *m = mapping_first(process, at, end - at);
			uint64_t next = m && m->start > at ? m->start : m ? at : end;

			memory_zero(&process->memory, at, next - at);
			at = m ? m->start + m->bytes : end;
		}
	}
	return 0;
}

int64_t sys_mincore(struct process *process, const uint64_t argument[6])
{
	uint64_t pages = bits_align_up(argument[1], GUEST_PAGE_BYTES) / GUEST_PAGE_BYTES;
	const uint8_t resident = 1;

	if (argument[0] % GUEST_PAGE_BYTES)
		return -EINVAL;
	if (!memory_is_range(argument[0], argument[1]))
		return -ENOMEM;
	if (!memory_is_user_range(memory_unmasked(&process->memory, argument[2]), pages))
		return -EFAULT;
	if (!memory_is_mapped(&process->memory, argument[0], pages * GUEST_PAGE_BYTES))
		return -ENOMEM;
	for (uint64_t i = 0; i < pages; i++)
		if (!memory_write(&process->memory, argument[2] + i, &resident, 1))
			return -EFAULT;
	return 0;
}

static int64_t lock_range(struct process *process, const uint64_t argument[6])
{
	uint64_t start = bits_align_down(argument[0], GUEST_PAGE_BYTES);
	uint64_t bytes =
		bits_align_up(argument[1] + argument[0] % GUEST_PAGE_BYTES, GUEST_PAGE_BYTES);

	return bytes <= GUEST_SPACE_BYTES && memory_is_mapped(&process->memory, start, bytes)
		       ? 0
		       : -ENOMEM;
}

int64_t sys_mlock(struct process *process, const uint64_t argument[6])
{
	return lock_range(process, argument);
}

int64_t sys_munlock(struct process *process, const uint64_t argument[6])
{
	return lock_range(process, argument);
}

int64_t sys_riscv_flush_icache(struct process *process, const uint64_t argument[6])
{
	(void)process, (void)argument; /* every store updates decoded instructions already */
	return 0;
}
