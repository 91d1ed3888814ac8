/* The stretches of the address space that came from files. */
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/process.h"

/* The bytes of the UTF-8 sequence that begins here; 0 if none does. */
static size_t utf8_bytes(const unsigned char *p)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t bytes = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : 4;
	uint32_t code = bytes == 1 ? p[0] : p[0] & (0x7fu >> bytes);

	if (bytes == 4 && p[0] >> 3 != 30)
		return 0;
	for (size_t i = 1; i < bytes; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	bool is_surrogate = code >= 0xd800 && code < 0xe000;
	return code < least[bytes] || code > 0x10ffff || is_surrogate ? 0 : bytes;
}

/* Names of files are any bytes, but messages and results are UTF-8: what is not becomes '?'. */
static char *printable_copy(const char *path)
{
	char *copy = mem_strdup(path);

	for (unsigned char *p = (unsigned char *)copy; *p;) {
		size_t bytes = utf8_bytes(p);

		if (!bytes)
			*p = '?';
		p += bytes ? bytes : 1;
	}
	return copy;
}

void mapping_add(struct process *process, uint64_t start, uint64_t bytes, uint64_t offset,
		 const char *path, struct file *write_back)
{
	if (write_back)
		write_back->references++;
	*ARRAY_PUSH(process->mappings, process->mapping_count, process->mapping_capacity) =
		(struct file_mapping){start, bytes, offset, printable_copy(path), write_back};
}

static void release(struct file_mapping *mapping)
{
	if (mapping->write_back)
		file_release(mapping->write_back);
	free(mapping->path);
}

/* Writes the part of a mapping from `from` to `to`; a mapping never makes its file longer. */
static bool write_part(const struct process *process, const struct file_mapping *m, uint64_t from,
		       uint64_t to)
{
	struct stat info;

	if (fstat(m->write_back->fd, &info) != 0)
		return false;
	uint64_t end = m->start;
	if (info.st_size > (int64_t)m->offset)
		end += (uint64_t)info.st_size - m->offset;
	if (end < to)
		to = end;
	while (from < to) {
		ssize_t put = pwrite(m->write_back->fd, process->memory.base + from, to - from,
				     (off_t)(m->offset + (from - m->start)));

		if (put <= 0)
			return false;
		from += (uint64_t)put;
	}
	return true;
}

bool mapping_write_back(struct process *process, uint64_t start, uint64_t bytes)
{
	bool ok = true;

	for (size_t i = 0; i < process->mapping_count; i++) {
		const struct file_mapping *m = &process->mappings[i];
		uint64_t m_end = m->start + m->bytes;
		uint64_t from = start > m->start ? start : m->start;
		uint64_t to = start + bytes < m_end ? start + bytes : m_end;

		if (m->write_back && from < to)
			ok &= write_part(process, m, from, to);
	}
	return ok;
}

/* Makes two mappings of one that extends on both sides of the address. The second is added at the
 * end of the list. */
static void split_at(struct process *process, uint64_t address)
{
	for (size_t i = 0; i < process->mapping_count; i++) {
		struct file_mapping *m = &process->mappings[i];
		uint64_t before = address - m->start;

		if (address <= m->start || before >= m->bytes)
			continue;
		const struct file_mapping whole = *m;

		m->bytes = before;
		mapping_add(process, address, whole.bytes - before, whole.offset + before,
			    whole.path, whole.write_back);
		return;
	}
}

static bool is_inside(const struct file_mapping *m, uint64_t start, uint64_t bytes)
{
	return m->start >= start && m->start - start < bytes;
}

void mapping_remove(struct process *process, uint64_t start, uint64_t bytes)
{
	size_t kept = 0;

	split_at(process, start);
	split_at(process, start + bytes);
	for (size_t i = 0; i < process->mapping_count; i++) {
		struct file_mapping *m = &process->mappings[i];

		if (is_inside(m, start, bytes))
			release(m);
		else
			process->mappings[kept++] = *m;
	}
	process->mapping_count = kept;
}

void mapping_move(struct process *process, uint64_t from, uint64_t to, uint64_t bytes)
{
	split_at(process, from);
	split_at(process, from + bytes);
	for (size_t i = 0; i < process->mapping_count; i++)
		if (is_inside(&process->mappings[i], from, bytes))
			process->mappings[i].start += to - from;
}

void mapping_release_all(struct process *process)
{
	mapping_write_back(process, 0, GUEST_SPACE_BYTES);
	for (size_t i = 0; i < process->mapping_count; i++)
		release(&process->mappings[i]);
	free(process->mappings);
}
