/* Pipes: two files of one buffer. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/syscall.h"

struct pipe {
	uint8_t bytes[PIPE_BYTES];
	size_t first, used;
	struct file *reader, *writer; /* NULL once closed */
	struct memory *memory;	      /* that it is charged to */
};

size_t pipe_used(const struct file *file)
{
	return ((const struct pipe *)file->object)->used;
}

size_t pipe_peek(const struct file *file, void *to, size_t bytes)
{
	const struct pipe *pipe = file->object;
	size_t count = bytes < pipe->used ? bytes : pipe->used;
	size_t until_end = PIPE_BYTES - pipe->first;
	size_t part = count < until_end ? count : until_end;

	memcpy(to, pipe->bytes + pipe->first, part);
	memcpy((uint8_t *)to + part, pipe->bytes, count - part);
	return count;
}

static int64_t pipe_read(struct process *process, struct file *file, void *to, size_t bytes,
			 int64_t offset)
{
	struct pipe *pipe = file->object;

	(void)offset;
	if (!bytes)
		return 0;
	if (!pipe->used) {
		if (!pipe->writer)
			return 0;
		return file->flags & O_NONBLOCK ? -EAGAIN : wait_for(process, file, POLLIN);
	}
	/* Who waits to write waits for this; an edge is no edge where there was room before. */
	bool was_full = PIPE_BYTES - pipe->used < PIPE_BUF;
	size_t done = pipe_peek(file, to, bytes);
	pipe->first = (pipe->first + done) % PIPE_BYTES;
	pipe->used -= done;
	if (pipe->writer && was_full)
		file_notify(pipe->writer, POLLOUT | POLLWRNORM);
	return (int64_t)done;
}

static int64_t pipe_write(struct process *process, struct file *file, const void *from,
			  size_t bytes, int64_t offset)
{
	struct pipe *pipe = file->object;
	size_t done = 0;

	(void)offset;
	if (!bytes)
		return 0;
	if (!pipe->reader)
		return file_broken_pipe(process);
	/* A write of up to PIPE_BUF bytes is atomic: all of it is written, or it waits. */
	size_t need = bytes <= PIPE_BUF ? bytes : 1;
	if (PIPE_BYTES - pipe->used < need)
		return file->flags & O_NONBLOCK ? -EAGAIN : wait_for(process, file, POLLOUT);
	for (; done < bytes && pipe->used < PIPE_BYTES; done++, pipe->used++)
		pipe->bytes[(pipe->first + pipe->used) % PIPE_BYTES] =
			((const uint8_t *)from)[done];
	file_notify(pipe->reader, POLLIN | POLLRDNORM);
	return (int64_t)done;
}

static short read_ready(struct process *process, struct file *file)
{
	const struct pipe *pipe = file->object;

	(void)process;
	return (short)((pipe->used ? POLLIN | POLLRDNORM : 0) | (pipe->writer ? 0 : POLLHUP));
}

static short write_ready(struct process *process, struct file *file)
{
	const struct pipe *pipe = file->object;

	(void)process;
	return (short)((PIPE_BYTES - pipe->used >= PIPE_BUF ? POLLOUT | POLLWRNORM : 0) |
		       (pipe->reader ? 0 : POLLERR));
}

static void pipe_close(struct file *file)
{
	struct pipe *pipe = file->object;
	bool is_reader = file->kind == FILE_PIPE_READ;
	struct file *other = is_reader ? pipe->writer : pipe->reader;

	if (is_reader)
		pipe->reader = NULL;
	else
		pipe->writer = NULL;
	if (other) {
		file_notify(other, is_reader ? POLLOUT | POLLERR : POLLIN | POLLHUP);
	} else {
		memory_uncharge_host(pipe->memory, sizeof(*pipe));
		free(pipe);
	}
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

static struct file *pipe_end(struct pipe *pipe, enum file_kind kind, uint32_t flags)
{
	struct file *file = file_create(kind, -1, "pipe");

	file->object = pipe;
	file->flags = flags;
	return file;
}

int64_t sys_pipe2(struct process *process, const uint64_t argument[6])
{
	const uint32_t flags = (uint32_t)argument[1];

	if (flags & ~(uint32_t)(O_CLOEXEC | O_NONBLOCK | O_DIRECT))
		return -EINVAL;
	if (!memory_charge_host(&process->memory, sizeof(struct pipe)))
		return -ENFILE;
	struct pipe *pipe = mem_alloc(sizeof(*pipe));
	pipe->memory = &process->memory;
	pipe->reader = pipe_end(pipe, FILE_PIPE_READ, O_RDONLY | (flags & O_NONBLOCK));
	pipe->writer = pipe_end(pipe, FILE_PIPE_WRITE, O_WRONLY | (flags & O_NONBLOCK));
	return file_open_pair(process, pipe->reader, pipe->writer, flags & O_CLOEXEC, argument[0]);
}
