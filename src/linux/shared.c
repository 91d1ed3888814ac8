#include "linux/shared.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/process.h"

enum page_state { PAGE_ABSENT, PAGE_CLEAN, PAGE_DIRTY };

struct dirty_page {
	uint64_t page;
	uint8_t *copy; /* as it was before the first store */
};

struct shared_file {
	uint64_t device, inode; /* of the host */
	struct file *file;	/* NULL: anonymous */
	struct file *keeps;	/* of an anonymous one: the file that it belongs to, or NULL */
	uint64_t size;		/* of the file, as last seen */
	uint64_t first, pages;	/* the part of the file that has a place in the pool */
	uint64_t at;		/* that place */
	uint8_t *states;	/* enum page_state of each of these pages */
	struct dirty_page *dirty;
	size_t dirty_count, dirty_capacity;
	size_t mappings;
};

/* A file up to this size gets a place for all of it at once. */
#define WHOLE_PAGES (UINT64_C(1) << (34 - GUEST_PAGE_BITS))

static uint64_t pages_in(uint64_t bytes)
{
	return bits_align_up(bytes, GUEST_PAGE_BYTES) >> GUEST_PAGE_BITS;
}

static uint8_t *content(const struct process *process, const struct shared_file *s, uint64_t page)
{
	return process->memory.pool + s->at + ((page - s->first) << GUEST_PAGE_BITS);
}

static uint64_t page_cost(const struct shared_file *s)
{
	return s->file ? 2 * GUEST_PAGE_BYTES : GUEST_PAGE_BYTES;
}

static bool has_place(const struct shared_file *s, uint64_t page)
{
	return page >= s->first && page - s->first < s->pages;
}

static uint8_t *state_of(const struct shared_file *s, uint64_t page)
{
	return &s->states[page - s->first];
}

bool shared_is_present(const struct shared_file *s, uint64_t offset)
{
	uint64_t page = offset >> GUEST_PAGE_BITS;

	return has_place(s, page) && *state_of(s, page) != PAGE_ABSENT;
}

static const struct file_mapping *mapping_at(const struct process *process, uint64_t address)
{
	for (size_t i = 0; i < process->mapping_count; i++)
		if (process->mappings[i].shared &&
		    address - process->mappings[i].start < process->mappings[i].bytes)
			return &process->mappings[i];
	return NULL;
}

/* Calls for every guest page that shows this page. */
static void each_place(struct process *process, const struct shared_file *s, uint64_t page,
		       void (*call)(struct memory *memory, uint64_t address))
{
	for (size_t i = 0; i < process->mapping_count; i++) {
		const struct file_mapping *m = &process->mappings[i];
		uint64_t within = (page << GUEST_PAGE_BITS) - m->offset;

		if (m->shared == s && within < m->bytes)
			call(&process->memory, m->start + within);
	}
}

void shared_before_store(void *context, uint64_t address)
{
	struct process *process = context;
	const struct file_mapping *m = mapping_at(process, address);

	BUG_ON(!m);
	struct shared_file *s = m->shared;
	uint64_t page = (m->offset + (address - m->start)) >> GUEST_PAGE_BITS;
	if (s->file && *state_of(s, page) == PAGE_CLEAN) {
		uint8_t *copy = mem_alloc(GUEST_PAGE_BYTES);

		memcpy(copy, content(process, s, page), GUEST_PAGE_BYTES);
		*ARRAY_PUSH(s->dirty, s->dirty_count, s->dirty_capacity) =
			(struct dirty_page){page, copy};
		*state_of(s, page) = PAGE_DIRTY;
	}
	each_place(process, s, page, memory_open_stores);
}

void shared_was_decoded(void *context, uint64_t address)
{
	struct process *process = context;
	const struct file_mapping *m = mapping_at(process, address);

	BUG_ON(!m);
	each_place(process, m->shared, (m->offset + (address - m->start)) >> GUEST_PAGE_BITS,
		   memory_close_stores);
}

static void forget_code(struct memory *memory, uint64_t address)
{
	memory_code_changes(memory, address, 1);
}

void shared_refresh(struct process *process, const struct file_mapping *m)
{
	for (uint64_t done = 0, part; done < m->bytes; done += part) {
		bool is_present = shared_is_present(m->shared, m->offset + done);

		for (part = GUEST_PAGE_BYTES;
		     done + part < m->bytes &&
		     shared_is_present(m->shared, m->offset + done + part) == is_present;)
			part += GUEST_PAGE_BYTES;
		memory_protect_shared(&process->memory, m->start + done, part,
				      is_present ? m->protection : 0);
	}
}

static void refresh_all(struct process *process, const struct shared_file *s)
{
	for (size_t i = 0; i < process->mapping_count; i++)
		if (process->mappings[i].shared == s)
			shared_refresh(process, &process->mappings[i]);
}

/* Reads a part of the file; what lies past its end stays as it is. False if it cannot be read. */
static bool read_part(const struct shared_file *s, uint8_t *to, uint64_t offset, uint64_t bytes)
{
	for (uint64_t done = 0; done < bytes;) {
		ssize_t got = pread(s->file->fd, to + done, bytes - done, (off_t)(offset + done));

		if (got <= 0)
			return got == 0;
		done += (uint64_t)got;
	}
	return true;
}

/* Forgets the stores to pages from `page` to `end`. */
static void drop_copies(struct shared_file *s, uint64_t page, uint64_t end)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->dirty_count; i++) {
		if (s->dirty[i].page >= page && s->dirty[i].page < end)
			free(s->dirty[i].copy);
		else
			s->dirty[kept++] = s->dirty[i];
	}
	s->dirty_count = kept;
}

/* Gives up the memory of pages. */
static void discard(struct process *process, struct shared_file *s, uint64_t page, uint64_t end)
{
	drop_copies(s, page, end);
	for (uint64_t next; page < end; page = next) {
		next = page + 1;
		if (*state_of(s, page) == PAGE_ABSENT)
			continue;
		while (next < end && *state_of(s, next) != PAGE_ABSENT)
			next++;
		memset(state_of(s, page), PAGE_ABSENT, next - page);
		memory_pool_clear(&process->memory, s->at + ((page - s->first) << GUEST_PAGE_BITS),
				  (next - page) << GUEST_PAGE_BITS);
		memory_uncharge_host(&process->memory, (next - page) * page_cost(s));
	}
}

/* Makes the pages present that are within the file and can be read. False where the memory limit is
 * reached. */
static bool populate(struct process *process, struct shared_file *s, uint64_t page, uint64_t end)
{
	uint64_t file_end = pages_in(s->size);

	if (end > file_end)
		end = file_end;
	for (uint64_t next; page < end; page = next) {
		next = page + 1;
		if (*state_of(s, page) != PAGE_ABSENT)
			continue;
		while (next < end && *state_of(s, next) == PAGE_ABSENT)
			next++;
		if (!memory_charge_host(&process->memory, (next - page) * page_cost(s)))
			return false;
		memset(state_of(s, page), PAGE_CLEAN, next - page);
		if (s->file && !read_part(s, content(process, s, page), page << GUEST_PAGE_BITS,
					  (next - page) << GUEST_PAGE_BITS))
			discard(process, s, page, next);
	}
	return true;
}

static struct shared_file *find(const struct process *process, int fd, struct stat *info)
{
	if (!process->shared_count || syscall(SYS_fstat, fd, info) != 0)
		return NULL;
	for (size_t i = 0; i < process->shared_count; i++) {
		struct shared_file *s = process->shared[i];

		if (s->file && s->device == info->st_dev && s->inode == info->st_ino)
			return s;
	}
	return NULL;
}

bool shared_is_writable(const struct process *process, int fd)
{
	struct stat info;
	const struct shared_file *s = find(process, fd, &info);

	for (size_t i = 0; s && i < process->mapping_count; i++)
		if (process->mappings[i].shared == s && process->mappings[i].may_write)
			return true;
	return false;
}

void shared_share(struct process *process, struct shared_file *s)
{
	s->mappings++;
	process->shared_mappings++;
}

struct shared_file *shared_get(struct process *process, struct file *file, uint64_t bytes,
			       int64_t *failed)
{
	struct stat info = {.st_size = (off_t)bytes};
	struct shared_file *s = file ? find(process, file->fd, &info) : NULL;

	if (!s && file && syscall(SYS_fstat, file->fd, &info) != 0) {
		*failed = -errno;
		return NULL;
	}
	if (!s && file && !S_ISREG(info.st_mode)) {
		*failed = -ENODEV;
		return NULL;
	}
	if (!s) {
		s = mem_alloc(sizeof(*s));
		*s = (struct shared_file){.device = info.st_dev,
					  .inode = info.st_ino,
					  .size = (uint64_t)info.st_size};
		*ARRAY_PUSH(process->shared, process->shared_count, process->shared_capacity) = s;
	}
	/* What is written needs a descriptor that allows it. */
	if (file && (!s->file || ((s->file->flags & O_ACCMODE) == O_RDONLY &&
				  (file->flags & O_ACCMODE) == O_RDWR))) {
		if (s->file)
			file_release(s->file);
		file->references++;
		s->file = file;
	}
	shared_share(process, s);
	return s;
}

static struct shared_file *kept(const struct process *process, const struct file *file)
{
	for (size_t i = 0; i < process->shared_count; i++)
		if (process->shared[i]->keeps == file)
			return process->shared[i];
	return NULL;
}

struct shared_file *shared_get_kept(struct process *process, struct file *file, uint64_t bytes,
				    int64_t *failed)
{
	struct shared_file *s = kept(process, file);

	if (s && s->size != bytes) {
		*failed = -EINVAL;
		return NULL;
	}
	if (s) {
		shared_share(process, s);
		return s;
	}
	s = shared_get(process, NULL, bytes, failed);
	file->references++;
	s->keeps = file;
	return s;
}

uint8_t *shared_content(const struct process *process, const struct file *file)
{
	const struct shared_file *s = file ? kept(process, file) : NULL;

	return s && shared_is_present(s, 0) ? content(process, s, 0) : NULL;
}

uint64_t shared_kept_bytes(const struct process *process, const struct file *file)
{
	const struct shared_file *s = kept(process, file);

	return s ? s->size : 0;
}

const struct file *shared_file_of(const struct shared_file *s)
{
	return s->file;
}

void shared_drop(struct process *process, struct shared_file *s)
{
	size_t i = 0;

	process->shared_mappings--;
	if (--s->mappings)
		return;
	shared_write_back(process, s);
	if (s->pages) {
		discard(process, s, s->first, s->first + s->pages);
		memory_pool_free(&process->memory, s->at, s->pages << GUEST_PAGE_BITS);
	}
	while (process->shared[i] != s)
		i++;
	process->shared[i] = process->shared[--process->shared_count];
	if (s->file)
		file_release(s->file);
	if (s->keeps)
		file_release(s->keeps);
	free(s->states);
	free(s->dirty);
	free(s);
}

/* Shows the mappings again after the content has moved in the pool. */
static void show_again(struct process *process, const struct shared_file *s)
{
	for (size_t i = 0; i < process->mapping_count; i++) {
		const struct file_mapping *m = &process->mappings[i];

		if (m->shared == s &&
		    !memory_show(&process->memory, m->start, m->bytes,
				 s->at + (m->offset - (s->first << GUEST_PAGE_BITS))))
			BUG("mremap: errno %d", errno);
	}
	refresh_all(process, s);
}

/* Gives the pages a place in the pool; all pages of a file lie there one after the other. */
static bool make_place(struct process *process, struct shared_file *s, uint64_t page, uint64_t end)
{
	const struct shared_file old = *s;
	uint64_t file_end = pages_in(s->size), at;

	if (s->pages && has_place(s, page) && has_place(s, end - 1))
		return true;
	if (s->pages) {
		/* A file that is mapped piece by piece does not move each time. */
		if (end < page + 2 * old.pages)
			end = page + 2 * old.pages;
		page = page < old.first ? page : old.first;
		end = end > old.first + old.pages ? end : old.first + old.pages;
	} else if (file_end <= WHOLE_PAGES && page < WHOLE_PAGES) {
		page = 0;
		end = end > file_end ? end : file_end;
	}
	if (end - page > MEMORY_POOL_BYTES >> GUEST_PAGE_BITS ||
	    !memory_pool_take(&process->memory, (end - page) << GUEST_PAGE_BITS, &at))
		return false;
	s->first = page;
	s->pages = end - page;
	s->at = at;
	s->states = mem_alloc(s->pages);
	for (uint64_t i = old.first; i < old.first + old.pages; i++) {
		if (*state_of(&old, i) == PAGE_ABSENT)
			continue;
		memcpy(content(process, s, i), content(process, &old, i), GUEST_PAGE_BYTES);
		*state_of(s, i) = *state_of(&old, i);
	}
	if (old.pages) {
		show_again(process, s);
		memory_pool_free(&process->memory, old.at, old.pages << GUEST_PAGE_BITS);
		free(old.states);
	}
	return true;
}

int64_t shared_show(struct process *process, struct shared_file *s, uint64_t address,
		    uint64_t bytes, uint64_t offset)
{
	uint64_t page = offset >> GUEST_PAGE_BITS, end = page + pages_in(bytes);

	if (!make_place(process, s, page, end) || !populate(process, s, page, end) ||
	    !memory_show(&process->memory, address, bytes,
			 s->at + ((page - s->first) << GUEST_PAGE_BITS)))
		return -ENOMEM;
	return 0;
}

void shared_forget(struct process *process, const struct file_mapping *gone)
{
	struct shared_file *s = gone->shared;
	uint64_t page = gone->offset >> GUEST_PAGE_BITS, count = gone->bytes >> GUEST_PAGE_BITS;
	bool *is_shown = mem_alloc(count);

	shared_write_back(process, s);
	for (size_t i = 0; i < process->mapping_count; i++) {
		const struct file_mapping *m = &process->mappings[i];
		uint64_t first = m->offset >> GUEST_PAGE_BITS;
		uint64_t end = first + (m->bytes >> GUEST_PAGE_BITS);

		if (m->shared != s)
			continue;
		first = first > page ? first : page;
		end = end < page + count ? end : page + count;
		if (first < end)
			memset(is_shown + (first - page), 1, end - first);
	}
	for (uint64_t i = 0, next; i < count; i = next) {
		for (next = i + 1; next < count && is_shown[next] == is_shown[i];)
			next++;
		/* An anonymous content is nowhere else. */
		if (!is_shown[i] && s->file)
			discard(process, s, page + i, page + next);
	}
	free(is_shown);
	shared_drop(process, s);
}

/* Writes what differs from the copy, in one piece: what lies between is read from the file first,
 * so bytes that another process wrote there stay. */
static bool write_page(const struct process *process, const struct shared_file *s,
		       const struct dirty_page *dirty)
{
	const uint8_t *now = content(process, s, dirty->page);
	uint64_t offset = dirty->page << GUEST_PAGE_BITS;
	uint64_t bytes = s->size > offset ? s->size - offset : 0, first = 0;
	uint8_t merged[GUEST_PAGE_BYTES];

	if (bytes > GUEST_PAGE_BYTES)
		bytes = GUEST_PAGE_BYTES;
	while (first < bytes && now[first] == dirty->copy[first])
		first++;
	while (bytes > first && now[bytes - 1] == dirty->copy[bytes - 1])
		bytes--;
	if (first == bytes)
		return true;
	ssize_t got = pread(s->file->fd, merged + first, bytes - first, (off_t)(offset + first));
	/* A mapping never makes its file longer. */
	if (got <= 0)
		return got == 0;
	for (uint64_t i = first; i < first + (uint64_t)got; i++)
		if (now[i] != dirty->copy[i])
			merged[i] = now[i];
	return pwrite(s->file->fd, merged + first, (size_t)got, (off_t)(offset + first)) == got;
}

/* With O_APPEND the host would write at the end, whatever the offset. */
static void set_append(const struct shared_file *s, bool is_on)
{
	const uint32_t kept = s->file->flags & (O_APPEND | O_NONBLOCK);

	if (!s->file->node && kept & O_APPEND)
		fcntl(s->file->fd, F_SETFL, (int)(is_on ? kept : kept & ~(uint32_t)O_APPEND));
}

bool shared_write_back(struct process *process, struct shared_file *s)
{
	bool ok = true;

	if (!s->dirty_count)
		return true;
	set_append(s, false);
	for (size_t i = 0; i < s->dirty_count; i++) {
		const struct dirty_page *dirty = &s->dirty[i];

		ok &= write_page(process, s, dirty);
		free(dirty->copy);
		*state_of(s, dirty->page) = PAGE_CLEAN;
		each_place(process, s, dirty->page, memory_close_stores);
	}
	set_append(s, true);
	s->dirty_count = 0;
	return ok;
}

void shared_flush(struct process *process, int fd)
{
	struct stat info;
	struct shared_file *s = find(process, fd, &info);

	if (s)
		shared_write_back(process, s);
}

/* What lies past the end in the file's last page is zero. */
static void clear_tail(struct process *process, struct shared_file *s)
{
	uint64_t used = s->size % GUEST_PAGE_BYTES, page = s->size >> GUEST_PAGE_BITS;

	if (used && shared_is_present(s, s->size)) {
		memset(content(process, s, page) + used, 0, GUEST_PAGE_BYTES - used);
		each_place(process, s, page, forget_code);
	}
}

static void resize(struct process *process, struct shared_file *s, uint64_t size)
{
	uint64_t place_end = s->first + s->pages;

	if (size > s->size)
		clear_tail(process, s);
	s->size = size;
	uint64_t page = pages_in(size) > s->first ? pages_in(size) : s->first;
	if (page < place_end)
		discard(process, s, page, place_end);
	clear_tail(process, s);
	for (size_t i = 0; i < process->mapping_count; i++) {
		const struct file_mapping *m = &process->mappings[i];
		uint64_t first = m->offset >> GUEST_PAGE_BITS;

		/* Where the limit is reached the rest stays absent. */
		if (m->shared == s)
			populate(process, s, first, first + pages_in(m->bytes));
	}
	refresh_all(process, s);
}

void shared_changed(struct process *process, int fd, int64_t offset, int64_t bytes)
{
	struct stat info;
	struct shared_file *s = find(process, fd, &info);

	if (!s)
		return;
	/* Stores that were not written back were made to what a truncation removed, since
	 * everything else was written back before. */
	if ((uint64_t)info.st_size != s->size)
		resize(process, s, (uint64_t)info.st_size);
	if (bytes <= 0)
		return;
	if (offset == SHARED_AT_POSITION)
		offset = lseek(fd, 0, SEEK_CUR) - bytes;
	if (offset == SHARED_AT_END)
		offset = info.st_size - bytes;
	if (offset < 0)
		return;
	uint64_t end = pages_in((uint64_t)(offset + bytes));
	for (uint64_t page = (uint64_t)offset >> GUEST_PAGE_BITS; page < end; page++) {
		if (!shared_is_present(s, page << GUEST_PAGE_BITS))
			continue;
		(void)read_part(s, content(process, s, page), page << GUEST_PAGE_BITS,
				GUEST_PAGE_BYTES);
		each_place(process, s, page, forget_code);
	}
}
