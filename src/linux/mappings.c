/* The stretches of the address space that came from files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

void mapping_add(struct process *process, const struct file_mapping *mapping)
{
	struct file_mapping copy = *mapping;

	copy.path = printable_copy(mapping->path);
	process->mapping_path_bytes += strlen(copy.path) + 1;
	*ARRAY_PUSH(process->mappings, process->mapping_count, process->mapping_capacity) = copy;
}

static void free_path(struct process *process, const struct file_mapping *mapping)
{
	process->mapping_path_bytes -= strlen(mapping->path) + 1;
	free(mapping->path);
}

const struct file_mapping *mapping_find(const struct process *process, uint64_t address,
					bool is_shared)
{
	for (size_t i = 0; i < process->mapping_count; i++) {
		const struct file_mapping *m = &process->mappings[i];

		if (address - m->start < m->bytes && (m->shared || !is_shared))
			return m;
	}
	return NULL;
}

static bool overlaps(const struct file_mapping *m, uint64_t start, uint64_t bytes)
{
	return m->start < start + bytes && start < m->start + m->bytes;
}

const struct file_mapping *mapping_first(const struct process *process, uint64_t start,
					 uint64_t bytes)
{
	const struct file_mapping *first = NULL;

	for (size_t i = 0; i < process->mapping_count; i++) {
		const struct file_mapping *m = &process->mappings[i];

		if (overlaps(m, start, bytes) && (!first || m->start < first->start))
			first = m;
	}
	return first;
}

bool mapping_write_back(struct process *process, uint64_t start, uint64_t bytes)
{
	bool ok = true;

	for (size_t i = 0; i < process->mapping_count; i++)
		if (process->mappings[i].shared && overlaps(&process->mappings[i], start, bytes))
			ok &= shared_write_back(process, process->mappings[i].shared);
	return ok;
}

/* Makes two mappings of one that extends on both sides of the address. The second is added at the
 * end of the list. */
static void split_at(struct process *process, uint64_t address, bool is_shared)
{
	for (size_t i = 0; i < process->mapping_count; i++) {
		struct file_mapping *m = &process->mappings[i];
		uint64_t before = address - m->start;

		if (address <= m->start || before >= m->bytes || (is_shared && !m->shared))
			continue;
		struct file_mapping rest = *m;

		m->bytes = before;
		rest.start += before;
		rest.bytes -= before;
		rest.offset += before;
		rest.valid_bytes -= before < rest.valid_bytes ? before : rest.valid_bytes;
		if (m->valid_bytes > before)
			m->valid_bytes = before;
		mapping_add(process, &rest);
		if (rest.shared)
			shared_share(process, rest.shared);
		return;
	}
}

static bool is_inside(const struct file_mapping *m, uint64_t start, uint64_t bytes)
{
	return m->start >= start && m->start - start < bytes;
}

void mapping_remove(struct process *process, uint64_t start, uint64_t bytes)
{
	if (!bytes)
		return; /* a mapping that nothing is taken from stays one */
	split_at(process, start, false);
	split_at(process, start + bytes, false);
	for (size_t i = 0; i < process->mapping_count;) {
		const struct file_mapping m = process->mappings[i];

		if (!is_inside(&m, start, bytes)) {
			i++;
			continue;
		}
		process->mappings[i] = process->mappings[--process->mapping_count];
		if (m.shared)
			shared_forget(process, &m);
		free_path(process, &m);
	}
}

void mapping_move(struct process *process, uint64_t from, uint64_t to, uint64_t bytes)
{
	split_at(process, from, false);
	split_at(process, from + bytes, false);
	for (size_t i = 0; i < process->mapping_count; i++)
		if (is_inside(&process->mappings[i], from, bytes))
			process->mappings[i].start += to - from;
}

/* Makes one mapping of two that meet at the address and continue each other, as Linux does. */
static void merge_at(struct process *process, uint64_t address)
{
	struct file_mapping *left = NULL, *right = NULL;

	for (size_t i = 0; i < process->mapping_count; i++) {
		struct file_mapping *m = &process->mappings[i];

		if (m->shared && m->start + m->bytes == address)
			left = m;
		else if (m->shared && m->start == address)
			right = m;
	}
	if (!left || !right || left->shared != right->shared ||
	    left->protection != right->protection || left->may_write != right->may_write ||
	    left->offset + left->bytes != right->offset)
		return;
	left->bytes += right->bytes;
	shared_drop(process, right->shared);
	free_path(process, right);
	*right = process->mappings[--process->mapping_count];
}

int64_t mapping_protect(struct process *process, uint64_t start, uint64_t bytes,
			unsigned protection)
{
	for (size_t i = 0; i < process->mapping_count; i++) {
		const struct file_mapping *m = &process->mappings[i];

		if (m->shared && overlaps(m, start, bytes) && protection & PAGE_WRITE &&
		    !m->may_write)
			return -EACCES;
	}
	if (!memory_protect(&process->memory, start, bytes, protection))
		return -ENOMEM;
	split_at(process, start, true);
	split_at(process, start + bytes, true);
	for (size_t i = 0; i < process->mapping_count; i++) {
		struct file_mapping *m = &process->mappings[i];

		if (m->shared && is_inside(m, start, bytes)) {
			m->protection = protection;
			shared_refresh(process, m);
		} else if (!m->shared && m->valid_bytes < m->bytes && overlaps(m, start, bytes)) {
			memory_protect(&process->memory, m->start + m->valid_bytes,
				       m->bytes - m->valid_bytes, 0);
		}
	}
	for (uint64_t at = start; at <= start + bytes;) {
		merge_at(process, at);
		const struct file_mapping *m = mapping_find(process, at, true);

		if (!m)
			m = mapping_first(process, at, start + bytes - at);
		if (!m)
			break;
		at = m->start > at ? m->start : m->start + m->bytes;
	}
	return 0;
}

bool mapping_is_past_end(const struct process *process, uint64_t address, unsigned ways)
{
	const struct file_mapping *m = mapping_find(process, address, false);

	if (!m)
		return false;
	if (!m->shared)
		return address - m->start >= m->valid_bytes;
	return m->protection & ways &&
	       !shared_is_present(m->shared, m->offset + (address - m->start));
}

void mapping_release_all(struct process *process)
{
	while (process->mapping_count)
		mapping_remove(process, 0, GUEST_SPACE_BYTES);
	free(process->mappings);
	free(process->shared);
}
