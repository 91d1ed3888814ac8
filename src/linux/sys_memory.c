/* System calls on the address space. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/syscall.h"

#define LOWEST_MAPPING UINT64_C(0x10000)
/* As many as Linux allows a process by default; each call adds at most one. */
#define MAPPINGS_MAX 65530

static bool has_too_many_mappings(const struct process *process)
{
	return process->mapping_count >= MAPPINGS_MAX;
}

static unsigned protection_of(uint64_t prot)
{
	return (prot & PROT_READ ? PAGE_READ : 0) | (prot & PROT_WRITE ? PAGE_WRITE : 0) |
	       (prot & PROT_EXEC ? PAGE_EXEC : 0);
}

static bool is_range(uint64_t address, uint64_t bytes)
{
	return bytes <= GUEST_SPACE_BYTES && address <= GUEST_SPACE_BYTES - bytes;
}

static void forget_range(struct process *process, uint64_t address, uint64_t bytes)
{
	mapping_write_back(process, address, bytes);
	mapping_remove(process, address, bytes);
}

/* Copies a part of a file into mapped pages. The file is copied, not mapped: if it became shorter,
 * an access to a mapping would fault in this process. */
static int64_t fill_from_file(struct process *process, const struct file *file, uint64_t address,
			      uint64_t bytes, uint64_t offset)
{
	struct stat info;

	if (fstat(file->fd, &info) != 0)
		return -errno;
	uint64_t size = (uint64_t)info.st_size > offset ? (uint64_t)info.st_size - offset : 0;
	uint64_t fill = size < bytes ? bits_align_up(size, GUEST_PAGE_BYTES) : bytes;
	if (!memory_charge(&process->memory, address, fill))
		return -ENOMEM;
	for (uint64_t done = 0; done < fill;) {
		ssize_t got = pread(file->fd, process->memory.base + address + done, fill - done,
				    (off_t)(offset + done));

		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += (uint64_t)got;
	}
	return 0;
}

static int64_t map_file(struct process *process, struct file *file, uint64_t address,
			uint64_t bytes, uint64_t offset, bool is_shared, bool is_writable)
{
	bool writes = is_shared && is_writable && (file->flags & O_ACCMODE) == O_RDWR;
	int64_t failed = fill_from_file(process, file, address, bytes, offset);

	if (!failed)
		mapping_add(process, address, bytes, offset, file->path, writes ? file : NULL);
	return failed;
}

int64_t sys_mmap(struct process *process, const uint64_t argument[6])
{
	const uint64_t flags = argument[3], prot = argument[2], offset = argument[5];
	uint64_t address = argument[0];
	struct file *file = NULL;

	if (!argument[1] || offset % GUEST_PAGE_BYTES || argument[1] > GUEST_SPACE_BYTES)
		return argument[1] > GUEST_SPACE_BYTES ? -ENOMEM : -EINVAL;
	if (!(flags & MAP_TYPE) || prot & ~(uint64_t)(PROT_READ | PROT_WRITE | PROT_EXEC))
		return -EINVAL;
	if (has_too_many_mappings(process))
		return -ENOMEM;
	uint64_t bytes = bits_align_up(argument[1], GUEST_PAGE_BYTES);
	if (!(flags & MAP_ANONYMOUS)) {
		file = files_get(&process->files, argument[4]);
		if (!file)
			return -EBADF;
		if (file->kind != FILE_HOST)
			return -ENODEV;
		if ((file->flags & O_ACCMODE) == O_WRONLY)
			return -EACCES;
		if ((flags & MAP_TYPE) != MAP_PRIVATE && prot & PROT_WRITE &&
		    (file->flags & O_ACCMODE) != O_RDWR)
			return -EACCES;
		if ((int64_t)offset < 0 || offset + bytes < offset)
			return -EOVERFLOW;
	}
	if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) {
		if (address % GUEST_PAGE_BYTES)
			return -EINVAL;
		if (!is_range(address, bytes) || address < LOWEST_MAPPING)
			return address < LOWEST_MAPPING ? -EPERM : -ENOMEM;
		if (flags & MAP_FIXED_NOREPLACE &&
		    !memory_is_free(&process->memory, address, bytes))
			return -EEXIST;
	} else {
		address = bits_align_down(address, GUEST_PAGE_BYTES);
		if (address < LOWEST_MAPPING || !is_range(address, bytes) ||
		    !memory_is_free(&process->memory, address, bytes))
			address = memory_find_free(&process->memory, bytes, LOWEST_MAPPING,
						   process->mmap_below);
		if (!address)
			return -ENOMEM;
	}
	forget_range(process, address, bytes);
	if (!memory_map(&process->memory, address, bytes, protection_of(prot)))
		return -ENOMEM;
	if (file) {
		int64_t failed = map_file(process, file, address, bytes, offset,
					  (flags & MAP_TYPE) != MAP_PRIVATE, prot & PROT_WRITE);

		if (failed) {
			memory_unmap(&process->memory, address, bytes);
			return failed;
		}
	}
	return (int64_t)address;
}

int64_t sys_munmap(struct process *process, const uint64_t argument[6])
{
	uint64_t bytes = bits_align_up(argument[1], GUEST_PAGE_BYTES);

	if (argument[0] % GUEST_PAGE_BYTES || !argument[1] || argument[1] > GUEST_SPACE_BYTES ||
	    !is_range(argument[0], bytes))
		return -EINVAL;
	if (has_too_many_mappings(process))
		return -ENOMEM;
	forget_range(process, argument[0], bytes);
	memory_unmap(&process->memory, argument[0], bytes);
	return 0;
}

int64_t sys_mprotect(struct process *process, const uint64_t argument[6])
{
	uint64_t bytes = bits_align_up(argument[1], GUEST_PAGE_BYTES);

	if (argument[0] % GUEST_PAGE_BYTES ||
	    argument[2] & ~(uint64_t)(PROT_READ | PROT_WRITE | PROT_EXEC))
		return -EINVAL;
	if (argument[1] > GUEST_SPACE_BYTES || !is_range(argument[0], bytes))
		return -ENOMEM;
	return memory_protect(&process->memory, argument[0], bytes, protection_of(argument[2]))
		       ? 0
		       : -ENOMEM;
}

static unsigned protection_at(const struct process *process, uint64_t address)
{
	return process->memory.pages[address >> GUEST_PAGE_BITS] & PAGE_PROTECTION;
}

static struct file_mapping *shared_mapping_before(struct process *process, uint64_t end)
{
	for (size_t i = 0; i < process->mapping_count; i++) {
		struct file_mapping *m = &process->mappings[i];

		if (m->write_back && m->start + m->bytes == end)
			return m;
	}
	return NULL;
}

/* What a mapping that ends at `old_end` is extended by comes from the same file, if the mapping is
 * a shared one; `address` is where it is to be. */
static bool fill_extension(struct process *process, uint64_t old_end, uint64_t address,
			   uint64_t bytes)
{
	const struct file_mapping *m = shared_mapping_before(process, old_end);

	return !m ||
	       fill_from_file(process, m->write_back, address, bytes, m->offset + m->bytes) == 0;
}

static void extend_mapping(struct process *process, uint64_t end, uint64_t bytes)
{
	struct file_mapping *m = shared_mapping_before(process, end);

	if (m)
		m->bytes += bytes;
}

static int64_t extend_in_place(struct process *process, uint64_t end, uint64_t bytes,
			       unsigned protection)
{
	if (!memory_map(&process->memory, end, bytes, protection))
		return -ENOMEM;
	if (!fill_extension(process, end, end, bytes)) {
		memory_unmap(&process->memory, end, bytes);
		return -ENOMEM;
	}
	extend_mapping(process, end, bytes);
	return 0;
}

int64_t sys_mremap(struct process *process, const uint64_t argument[6])
{
	struct memory *memory = &process->memory;
	uint64_t from = argument[0], to = argument[4], flags = argument[3];

	if (from % GUEST_PAGE_BYTES || !argument[1] || !argument[2] ||
	    argument[1] > GUEST_SPACE_BYTES || flags & ~(uint64_t)(MREMAP_MAYMOVE | MREMAP_FIXED))
		return -EINVAL;
	if (argument[2] > GUEST_SPACE_BYTES || has_too_many_mappings(process))
		return -ENOMEM;
	uint64_t old_bytes = bits_align_up(argument[1], GUEST_PAGE_BYTES);
	uint64_t new_bytes = bits_align_up(argument[2], GUEST_PAGE_BYTES);
	if (!memory_is_mapped(memory, from, old_bytes))
		return -EFAULT;
	unsigned protection = protection_at(process, from);
	if (flags & MREMAP_FIXED) {
		if (!(flags & MREMAP_MAYMOVE) || to % GUEST_PAGE_BYTES || to < LOWEST_MAPPING ||
		    !is_range(to, new_bytes) || (to < from + old_bytes && from < to + new_bytes))
			return -EINVAL;
		forget_range(process, to, new_bytes);
	} else if (new_bytes <= old_bytes) {
		forget_range(process, from + new_bytes, old_bytes - new_bytes);
		memory_unmap(memory, from + new_bytes, old_bytes - new_bytes);
		return (int64_t)from;
	} else if (is_range(from, new_bytes) &&
		   memory_is_free(memory, from + old_bytes, new_bytes - old_bytes)) {
		int64_t failed = extend_in_place(process, from + old_bytes, new_bytes - old_bytes,
						 protection);

		return failed ? failed : (int64_t)from;
	} else if (!(flags & MREMAP_MAYMOVE)) {
		return -ENOMEM;
	} else {
		to = memory_find_free(memory, new_bytes, LOWEST_MAPPING, process->mmap_below);
		if (!to)
			return -ENOMEM;
	}
	uint64_t kept = old_bytes < new_bytes ? old_bytes : new_bytes, more = new_bytes - kept;
	if (!memory_map(memory, to, new_bytes, protection))
		return -ENOMEM;
	if (!memory_copy(memory, to, from, kept) ||
	    (more && !fill_extension(process, from + kept, to + kept, more))) {
		memory_unmap(memory, to, new_bytes);
		return -ENOMEM;
	}
	forget_range(process, from + kept, old_bytes - kept);
	mapping_move(process, from, to, kept);
	extend_mapping(process, to + kept, more);
	memory_unmap(memory, from, old_bytes);
	return (int64_t)to;
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
		memory_unmap(memory, new_end, old_end - new_end);
	}
	process->brk = wanted;
	return (int64_t)wanted;
}

int64_t sys_msync(struct process *process, const uint64_t argument[6])
{
	uint64_t bytes = bits_align_up(argument[1], GUEST_PAGE_BYTES);

	if (argument[0] % GUEST_PAGE_BYTES || argument[2] & ~(uint64_t)7)
		return -EINVAL;
	if (argument[1] > GUEST_SPACE_BYTES ||
	    !memory_is_mapped(&process->memory, argument[0], bytes))
		return -ENOMEM;
	return mapping_write_back(process, argument[0], bytes) ? 0 : -EIO;
}

int64_t sys_madvise(struct process *process, const uint64_t argument[6])
{
	uint64_t bytes = bits_align_up(argument[1], GUEST_PAGE_BYTES);

	if (argument[0] % GUEST_PAGE_BYTES)
		return -EINVAL;
	if (argument[1] > GUEST_SPACE_BYTES ||
	    !memory_is_mapped(&process->memory, argument[0], bytes))
		return -ENOMEM;
	if (argument[2] == MADV_DONTNEED) {
		/* Pages of a mapped file would have to be read again from the file, so they
		 * stay. */
		for (size_t i = 0; i < process->mapping_count; i++) {
			const struct file_mapping *m = &process->mappings[i];

			if (argument[0] < m->start + m->bytes && m->start < argument[0] + bytes)
				return 0;
		}
		memory_zero(&process->memory, argument[0], bytes);
	}
	return argument[2] <= MADV_POPULATE_WRITE ? 0 : -EINVAL;
}

int64_t sys_mincore(struct process *process, const uint64_t argument[6])
{
	uint64_t pages = bits_align_up(argument[1], GUEST_PAGE_BYTES) / GUEST_PAGE_BYTES;
	const uint8_t resident = 1;

	if (argument[0] % GUEST_PAGE_BYTES)
		return -EINVAL;
	if (argument[1] > GUEST_SPACE_BYTES ||
	    !memory_is_mapped(&process->memory, argument[0], pages * GUEST_PAGE_BYTES))
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

	return argument[1] <= GUEST_SPACE_BYTES && memory_is_mapped(&process->memory, start, bytes)
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
