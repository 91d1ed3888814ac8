/* Read-only files with a position of their own: the program itself, which is in memory, standard
 * input from a file, and texts about process and processor. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "linux/file_operations.h"
#include "linux/path.h"

struct file *content_open_program(const struct process *process)
{
	char path[PATH_BYTES];

	if (program_path(process, path) < 0)
		return NULL;
	struct file *file = file_create(FILE_CONTENT, -1, path);
	file->image_bytes = process->options.image_bytes;
	return file;
}

uint64_t content_bytes(const struct file *file)
{
	struct stat info;

	if (file->fd < 0)
		return file->image_bytes;
	return fstat(file->fd, &info) == 0 ? (uint64_t)info.st_size : 0;
}

int64_t content_read(const struct process *process, const struct file *file, void *to, size_t bytes,
		     uint64_t offset)
{
	if (file->fd >= 0) {
		ssize_t got = pread(file->fd, to, bytes, (off_t)offset);

		return got < 0 ? -errno : got;
	}
	uint64_t size = file->image_bytes;
	if (offset >= size)
		return 0;
	if (bytes > size - offset)
		bytes = size - offset;
	memcpy(to, (file->object ? (const uint8_t *)file->object : process->options.image) + offset,
	       bytes);
	return (int64_t)bytes;
}

static int64_t read_next(struct process *process, struct file *file, void *to, size_t bytes,
			 int64_t offset)
{
	if (offset != NO_OFFSET)
		return content_read(process, file, to, bytes, (uint64_t)offset);
	int64_t got = content_read(process, file, to, bytes, file->position);
	if (got > 0)
		file->position += (uint64_t)got;
	return got;
}

static int64_t seek(struct file *file, int64_t offset, int whence)
{
	int64_t size = (int64_t)content_bytes(file), from = 0;

	switch (whence) {
	case SEEK_SET: break;
	case SEEK_CUR: from = (int64_t)file->position; break;
	case SEEK_END: from = size; break;
	default: /* there are no holes but the one at the end */
		if (offset < 0 || offset >= size)
			return -ENXIO;
		if (whence == SEEK_HOLE)
			offset = size;
	}
	if (__builtin_add_overflow(from, offset, &from))
		return -EOVERFLOW;
	if (from < 0)
		return -EINVAL;
	file->position = (uint64_t)from;
	return from;
}

static short is_ready(struct process *process, struct file *file)
{
	(void)process, (void)file;
	return POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM;
}

const struct file_operations file_content = {.mode = S_IFREG | 0755,
					     .has_offset = true,
					     .read = read_next,
					     .seek = seek,
					     .ready = is_ready};

static void close_text(struct file *file)
{
	memory_uncharge_host(file->charged, file->charged_bytes);
	free(file->object);
}

const struct file_operations file_text = {.mode = S_IFREG | 0444,
					  .has_offset = true,
					  .read = read_next,
					  .seek = seek,
					  .ready = is_ready,
					  .close = close_text};
