/*
 * Pipes: two files of one ring of pages; and FIFOs, which any number of files may have open.
 *
 * A write goes to pages of its own, of which the last may have room left; only a part that fits
 * there as a whole is added to it. So a pipe may be full with fewer bytes than its size, as in the
 * kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/syscall.h"

#define PIPE_PAGES (PIPE_BYTES / GUEST_PAGE_BYTES)
/* What a process without privileges can make it: /proc/sys/fs/pipe-max-size. */
#define PIPE_BYTES_MAX (1 << 20)

struct pipe_page {
	uint32_t first, used; /* bytes */
	bool is_shared;	      /* nothing is added to it */
	bool is_packet;	      /* a read ends with it, and what it leaves of it is lost */
	uint8_t bytes[GUEST_PAGE_BYTES];
};

struct pipe_ring {
	struct pipe_page *pages; /* a ring */
	size_t limit, first, count;
	size_t used;		   /* bytes in all pages */
	struct file *ends;	   /* all that have it open */
	unsigned readers, writers; /* of them */
	/* How often an end of that kind was opened, from 1 on. */
	uint64_t read_openings, write_openings;
	struct node *node;     /* of a FIFO; NULL: has no name */
	struct memory *memory; /* that it is charged to */
};

static uint64_t charge_of(size_t pages)
{
	return sizeof(struct pipe_ring) + pages * sizeof(struct pipe_page);
}

static struct pipe_page *page_at(const struct pipe_ring *pipe, size_t number)
{
	return &pipe->pages[(pipe->first + number) % pipe->limit];
}

static bool can_read(const struct file *file)
{
	return file->kind != FILE_PIPE_WRITE;
}

static bool can_write(const struct file *file)
{
	return file->kind != FILE_PIPE_READ;
}

static void notify_readers(const struct pipe_ring *pipe, short events)
{
	for (struct file *end = pipe->ends; end; end = end->next_end)
		if (can_read(end))
			file_notify(end, events);
}

static void notify_writers(const struct pipe_ring *pipe, short events)
{
	for (struct file *end = pipe->ends; end; end = end->next_end)
		if (can_write(end))
			file_notify(end, events);
}

static bool is_full(const struct pipe_ring *pipe)
{
	return pipe->count == pipe->limit;
}

size_t pipe_used(const struct file *file)
{
	return ((const struct pipe_ring *)file->object)->used;
}

size_t pipe_room(const struct file *file)
{
	const struct pipe_ring *pipe = file->object;

	return pipe->readers ? (pipe->limit - pipe->count) * GUEST_PAGE_BYTES : 0;
}

/* Takes bytes off the first page, and the page with its last byte; true if that made room in a full
 * pipe, for which writers wait. */
static bool drop(struct pipe_ring *pipe, size_t bytes)
{
	struct pipe_page *page = page_at(pipe, 0);
	bool was_full = is_full(pipe);

	page->first += (uint32_t)bytes;
	page->used -= (uint32_t)bytes;
	pipe->used -= bytes;
	if (page->used)
		return false;
	pipe->first = (pipe->first + 1) % pipe->limit;
	pipe->count--;
	return was_full;
}

static int64_t pipe_read(struct process *process, struct file *file, void *to, size_t bytes,
			 int64_t offset)
{
	struct pipe_ring *pipe = file->object;
	bool makes_room = false;
	size_t done = 0;

	(void)offset;
	if (!bytes)
		return 0;
	if (!pipe->used) {
		if (!pipe->writers)
			return 0;
		return file->flags & O_NONBLOCK ? -EAGAIN : wait_for(process, file, POLLIN);
	}
	while (done < bytes && pipe->count) {
		const struct pipe_page *page = page_at(pipe, 0);
		size_t part = page->used < bytes - done ? page->used : bytes - done;
		bool is_packet = page->is_packet;

		memcpy((uint8_t *)to + done, page->bytes + page->first, part);
		makes_room |= drop(pipe, is_packet ? page->used : part);
		done += part;
		if (is_packet)
			break;
	}
	/* Who waits to write waits for this; an edge is no edge where there was room before. */
	if (makes_room)
		notify_writers(pipe, POLLOUT | POLLWRNORM);
	return (int64_t)done;
}

/* Fills a new page. */
static void put(struct pipe_ring *pipe, const uint8_t *from, size_t bytes, bool is_shared,
		bool is_packet)
{
	struct pipe_page *page = page_at(pipe, pipe->count++);

	*page = (struct pipe_page){
		.used = (uint32_t)bytes, .is_shared = is_shared, .is_packet = is_packet};
	memcpy(page->bytes, from, bytes);
	pipe->used += bytes;
}

/* Adds to the last page what does not fill one, if it has room for that. */
static size_t add_to_last(struct pipe_ring *pipe, const uint8_t *from, size_t bytes)
{
	const size_t part = bytes % GUEST_PAGE_BYTES;

	if (!pipe->count || !part)
		return 0;
	struct pipe_page *last = page_at(pipe, pipe->count - 1);
	const size_t end = last->first + last->used;
	if (last->is_shared || last->is_packet || end + part > GUEST_PAGE_BYTES)
		return 0;
	memcpy(last->bytes + end, from, part);
	last->used += (uint32_t)part;
	pipe->used += part;
	return part;
}

static int64_t pipe_write(struct process *process, struct file *file, const void *from,
			  size_t bytes, int64_t offset)
{
	struct pipe_ring *pipe = file->object;
	size_t done = 0;

	(void)offset;
	if (!bytes)
		return 0;
	if (!pipe->readers)
		return file_broken_pipe(process);
	/* Who has waited for room takes pages of its own. */
	if (!process->current->is_restarting)
		done = add_to_last(pipe, from, bytes);
	if (!done && is_full(pipe)) {
		if (!(file->flags & O_NONBLOCK))
			return wait_for(process, file, POLLOUT);
		/* The kernel tells the reader of every write that ends, also of this. */
		notify_readers(pipe, POLLIN | POLLRDNORM);
		return -EAGAIN;
	}
	while (done < bytes && !is_full(pipe)) {
		size_t part = bytes - done < GUEST_PAGE_BYTES ? bytes - done : GUEST_PAGE_BYTES;

		put(pipe, (const uint8_t *)from + done, part, false, file->flags & O_DIRECT);
		done += part;
	}
	notify_readers(pipe, POLLIN | POLLRDNORM);
	return (int64_t)done;
}

size_t pipe_give(struct file *file, const void *from, size_t bytes, uint64_t address)
{
	struct pipe_ring *pipe = file->object;
	size_t done = 0;

	while (done < bytes && !is_full(pipe)) {
		size_t part = GUEST_PAGE_BYTES - (address + done) % GUEST_PAGE_BYTES;

		if (part > bytes - done)
			part = bytes - done;
		put(pipe, (const uint8_t *)from + done, part, true, false);
		done += part;
	}
	if (done)
		notify_readers(pipe, POLLIN | POLLRDNORM);
	return done;
}

size_t pipe_move(struct file *in, struct file *out, size_t bytes, bool keeps)
{
	struct pipe_ring *from = in->object, *to = out->object;
	bool makes_room = false;
	size_t done = 0;

	for (size_t i = 0; done < bytes && i < from->count && !is_full(to); i += keeps) {
		const struct pipe_page *page = page_at(from, i);
		bool is_whole = page->used <= bytes - done;
		size_t part = is_whole ? page->used : bytes - done;
		struct pipe_page *copy = page_at(to, to->count++);

		*copy = *page;
		copy->used = (uint32_t)part;
		copy->is_shared |= keeps || !is_whole;
		to->used += part;
		done += part;
		if (!keeps)
			makes_room |= drop(from, part);
	}
	if (done)
		notify_readers(to, POLLIN | POLLRDNORM);
	if (makes_room)
		notify_writers(from, POLLOUT | POLLWRNORM);
	return done;
}

int64_t pipe_size(const struct file *file)
{
	const struct pipe_ring *pipe = file->object;

	return (int64_t)pipe->limit * GUEST_PAGE_BYTES;
}

int64_t pipe_resize(struct file *file, uint32_t bytes)
{
	struct pipe_ring *pipe = file->object;
	size_t limit = 1;

	if (bytes > UINT32_C(1) << 31)
		return -EINVAL;
	while (limit * GUEST_PAGE_BYTES < bytes)
		limit *= 2;
	if (limit > pipe->limit && limit * GUEST_PAGE_BYTES > PIPE_BYTES_MAX)
		return -EPERM;
	if (limit < pipe->count)
		return -EBUSY;
	if (!memory_charge_host(pipe->memory, charge_of(limit)))
		return -ENOMEM;
	struct pipe_page *pages = mem_alloc_array(limit, sizeof(*pages));
	for (size_t i = 0; i < pipe->count; i++)
		pages[i] = *page_at(pipe, i);
	memory_uncharge_host(pipe->memory, charge_of(pipe->limit));
	free(pipe->pages);
	pipe->pages = pages;
	pipe->limit = limit;
	pipe->first = 0;
	if (!is_full(pipe))
		notify_writers(pipe, POLLOUT | POLLWRNORM);
	return pipe_size(file);
}

/* A FIFO that no writer has had open since the reader opened it has not ended. */
static short read_ready(struct process *process, struct file *file)
{
	const struct pipe_ring *pipe = file->object;
	const bool has_ended = !pipe->writers && file->position != pipe->write_openings;

	(void)process;
	return (short)((pipe->used ? POLLIN | POLLRDNORM : 0) | (has_ended ? POLLHUP : 0));
}

static short write_ready(struct process *process, struct file *file)
{
	const struct pipe_ring *pipe = file->object;

	(void)process;
	return (short)((is_full(pipe) ? 0 : POLLOUT | POLLWRNORM) | (pipe->readers ? 0 : POLLERR));
}

static short both_ready(struct process *process, struct file *file)
{
	return (short)(read_ready(process, file) | write_ready(process, file));
}

static void pipe_free(struct pipe_ring *pipe)
{
	memory_uncharge_host(pipe->memory, charge_of(pipe->limit));
	if (pipe->node)
		pipe->node->pipe = NULL;
	free(pipe->pages);
	free(pipe);
}

static void pipe_close(struct file *file)
{
	struct pipe_ring *pipe = file->object;
	struct file **link = &pipe->ends;

	while (*link != file)
		link = &(*link)->next_end;
	*link = file->next_end;
	pipe->readers -= can_read(file);
	pipe->writers -= can_write(file);
	if (!pipe->ends) {
		pipe_free(pipe);
		return;
	}
	if (can_read(file) && !pipe->readers)
		notify_writers(pipe, POLLOUT | POLLERR);
	if (can_write(file) && !pipe->writers)
		notify_readers(pipe, POLLIN | POLLHUP);
}

const struct file_operations file_pipe_read = {.name = "pipe",
					       .mode = S_IFIFO | 0600,
					       .has_poll = true,
					       .read = pipe_read,
					       .ready = read_ready,
					       .close = pipe_close};
const struct file_operations file_pipe_write = {.name = "pipe",
						.mode = S_IFIFO | 0600,
						.has_poll = true,
						.is_stream = true,
						.write = pipe_write,
						.ready = write_ready,
						.close = pipe_close};
const struct file_operations file_pipe_both = {.name = "pipe",
					       .mode = S_IFIFO | 0600,
					       .has_poll = true,
					       .is_stream = true,
					       .read = pipe_read,
					       .write = pipe_write,
					       .ready = both_ready,
					       .close = pipe_close};

bool file_is_pipe(const struct file *file)
{
	return file->kind == FILE_PIPE_READ || file->kind == FILE_PIPE_WRITE ||
	       file->kind == FILE_PIPE_BOTH;
}

/* An empty one that nobody has open; NULL at the memory limit. */
static struct pipe_ring *pipe_create(struct memory *memory)
{
	if (!memory_charge_host(memory, charge_of(PIPE_PAGES)))
		return NULL;
	struct pipe_ring *pipe = mem_alloc(sizeof(*pipe));
	*pipe = (struct pipe_ring){.pages = mem_alloc_array(PIPE_PAGES, sizeof(*pipe->pages)),
				   .limit = PIPE_PAGES,
				   .memory = memory,
				   .read_openings = 1,
				   .write_openings = 1};
	return pipe;
}

static struct file *pipe_end(struct pipe_ring *pipe, enum file_kind kind, uint32_t flags,
			     const char *path)
{
	struct file *file = file_create(kind, -1, path), **link = &pipe->ends;

	file->object = pipe;
	file->flags = flags;
	while (*link)
		link = &(*link)->next_end;
	*link = file;
	pipe->readers += can_read(file);
	pipe->writers += can_write(file);
	return file;
}

int64_t sys_pipe2(struct process *process, const uint64_t argument[6])
{
	const uint32_t flags = (uint32_t)argument[1], kept = flags & (O_NONBLOCK | O_DIRECT);

	if (flags & ~(uint32_t)(O_CLOEXEC | O_NONBLOCK | O_DIRECT))
		return -EINVAL;
	struct pipe_ring *pipe = pipe_create(&process->memory);
	if (!pipe)
		return -ENFILE;
	struct file *reader = pipe_end(pipe, FILE_PIPE_READ, O_RDONLY | kept, "pipe");
	struct file *writer = pipe_end(pipe, FILE_PIPE_WRITE, O_WRONLY | kept, "pipe");
	return file_open_pair(process, reader, writer, flags & O_CLOEXEC, argument[0]);
}

/* Whether an end of the other kind was opened since this one began to wait for it. */
static bool has_partner(const struct file *file)
{
	const struct pipe_ring *pipe = file->object;

	return file->kind == FILE_PIPE_READ ? pipe->write_openings != file->position
					    : pipe->read_openings != file->position;
}

int64_t fifo_wait(struct process *process, struct file *file)
{
	struct pinned_file *kept = &process->current->pinned[FIFO_PINNED];

	if (has_partner(file)) {
		file->position = 0;
		return 0;
	}
	if (!kept->file) {
		file->references++;
		*kept = (struct pinned_file){FIFO_DESCRIPTOR, file};
	}
	return wait_for(process, file, POLLMSG);
}

int64_t fifo_open(struct process *process, struct node *node, uint32_t flags, const char *path,
		  struct file **out)
{
	const uint32_t mode = flags & O_ACCMODE;
	const enum file_kind kind = mode == O_RDONLY   ? FILE_PIPE_READ
				    : mode == O_WRONLY ? FILE_PIPE_WRITE
						       : FILE_PIPE_BOTH;

	if (mode == O_ACCMODE)
		return -EINVAL;
	if (mode == O_WRONLY && flags & O_NONBLOCK && !(node->pipe && node->pipe->readers))
		return -ENXIO;
	struct pipe_ring *pipe = node->pipe ? node->pipe : pipe_create(&process->memory);
	if (!pipe)
		return -ENOMEM;
	node->pipe = pipe;
	pipe->node = node;
	struct file *file = pipe_end(pipe, kind, flags & (O_ACCMODE | O_NONBLOCK), path);
	node_open(node);
	file->node = node;
	pipe->read_openings += can_read(file);
	pipe->write_openings += can_write(file);
	if (can_read(file))
		notify_writers(pipe, POLLMSG);
	if (can_write(file))
		notify_readers(pipe, POLLMSG);
	*out = file;
	if (kind == FILE_PIPE_READ && !pipe->writers) {
		file->position = pipe->write_openings;
		return flags & O_NONBLOCK ? 0 : fifo_wait(process, file);
	}
	if (kind == FILE_PIPE_WRITE && !pipe->readers) {
		file->position = pipe->read_openings;
		return fifo_wait(process, file);
	}
	return 0;
}
