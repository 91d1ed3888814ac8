/* System calls on the address space, and the list of mapped files. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/syscall.h"

#define LOWEST_MAPPING UINT64_C(0x10000)

void mapping_add(struct process *process, uint64_t start, uint64_t bytes, uint64_t offset,
		 const char *path, int write_back)
{
	*ARRAY_PUSH(process->mappings, process->mapping_count, process->mapping_capacity) =
		(struct file_mapping){start, bytes, offset, mem_strdup(path), write_back};
}

void mapping_write_back(struct process *process, uint64_t start, uint64_t bytes)
{
	for (size_t i = 0; i < process->mapping_count; i++) {
		const struct file_mapping *m = &process->mappings[i];
		uint64_t from = start > m->start ? start : m->start;
		uint64_t to =
			start + bytes < m->start + m->bytes ? start + bytes : m->start + m->bytes;
		struct stat info;

		if (m->write_back < 0 || from >= to || fstat(m->write_back, &info) != 0)
			continue;
		/* A mapping never makes its file longer. */
		uint64_t end = info.st_size > (int64_t)m->offset
				       ? m->start + ((uint64_t)info.st_size - m->offset)
				       : m->start;
		if (end < to)
			to = end;
		while (from < to) {
			ssize_t put = pwrite(m->write_back, process->memory.base + from, to - from,
					     (off_t)(m->offset + (from - m->start)));

			if (put <= 0)
				break;
			from += (uint64_t)put;
		}
	}
}

void mapping_remove(struct process *process, uint64_t start, uint64_t bytes)
{
	const uint64_t end = start + bytes;
	const size_t count = process->mapping_count;
	size_t kept = 0;

	/* The part after a hole in a mapping is added at the end of the list. */
	for (size_t i = 0; i < count; i++) {
		const struct file_mapping m = process->mappings[i];
		uint64_t m_end = m.start + m.bytes;

		if (start > m.start && end < m_end)
			mapping_add(process, end, m_end - end, m.offset + (end - m.start), m.path,
				    m.write_back < 0 ? -1 : dup(m.write_back));
	}
	for (size_t i = 0; i < process->mapping_count; i++) {
		struct file_mapping m = process->mappings[i];
		uint64_t m_end = m.start + m.bytes;

		if (start <= m.start && end >= m_end) {
			if (m.write_back >= 0)
				close(m.write_back);
			free(m.path);
			continue;
		}
		if (start > m.start && start < m_end) {
			m.bytes = start - m.start;
		} else if (end > m.start && end < m_end) {
			m.offset += end - m.start;
			m.start = end;
			m.bytes = m_end - end;
		}
		process->mappings[kept++] = m;
	}
	process->mapping_count = kept;
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

static int64_t map_file(struct process *process, const struct file *file, uint64_t address,
			uint64_t bytes, uint64_t offset, bool is_shared, bool is_writable)
{
	int write_back = -1;

	/* The file is copied, not mapped: if it became shorter, an access to a mapping would
	 * fault in this process. */
	for (uint64_t done = 0; done < bytes;) {
		ssize_t got = pread(file->fd, process->memory.base + address + done, bytes - done,
				    (off_t)(offset + done));

		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += (uint64_t)got;
	}
	if (is_shared && is_writable && (file->flags & O_ACCMODE) == O_RDWR)
		write_back = dup(file->fd);
	mapping_add(process, address, bytes, offset, file->path, write_back);
	return 0;
}

int64_t sys_mmap(struct process *process, const uint64_t argument[6])
{
	const uint64_t flags = argument[3], prot = argument[2], offset = argument[5];
	uint64_t address = argument[0];
	const struct file *file = NULL;

	if (!argument[1] || offset % GUEST_PAGE_BYTES || argument[1] > GUEST_SPACE_BYTES)
		return argument[1] > GUEST_SPACE_BYTES ? -ENOMEM : -EINVAL;
	if (!(flags & MAP_TYPE) || prot & ~(uint64_t)(PROT_READ | PROT_WRITE | PROT_EXEC))
		return -EINVAL;
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

int64_t sys_mremap(struct process *process, const uint64_t argument[6])
{
	struct memory *memory = &process->memory;
	uint64_t from = argument[0], to = argument[4], flags = argument[3];

	if (from % GUEST_PAGE_BYTES || !argument[1] || !argument[2] ||
	    argument[1] > GUEST_SPACE_BYTES || flags & ~(uint64_t)(MREMAP_MAYMOVE | MREMAP_FIXED))
		return -EINVAL;
	if (argument[2] > GUEST_SPACE_BYTES)
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
		return memory_map(memory, from + old_bytes, new_bytes - old_bytes, protection)
			       ? (int64_t)from
			       : -ENOMEM;
	} else if (!(flags & MREMAP_MAYMOVE)) {
		return -ENOMEM;
	} else {
		to = memory_find_free(memory, new_bytes, LOWEST_MAPPING, process->mmap_below);
		if (!to)
			return -ENOMEM;
	}
	if (!memory_map(memory, to, new_bytes, protection))
		return -ENOMEM;
	memory_load(memory, to, memory->base + from, old_bytes < new_bytes ? old_bytes : new_bytes);
	forget_range(process, from, old_bytes);
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
	mapping_write_back(process, argument[0], bytes);
	return 0;
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
