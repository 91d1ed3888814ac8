/* Host files, the three standard descriptors and the emulated devices. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/file_operations.h"

const struct file_operations *file_operations(const struct file *file)
{
	static const struct file_operations *const rows[FILE_KINDS] = {
		[FILE_HOST] = &file_host,
		[FILE_STANDARD] = &file_standard,
		[FILE_NULL] = &file_null,
		[FILE_ZERO] = &file_zero,
		[FILE_RANDOM] = &file_random,
		[FILE_PIPE_READ] = &file_pipe_read,
		[FILE_PIPE_WRITE] = &file_pipe_write,
		[FILE_EVENT] = &file_event,
		[FILE_TIMER] = &file_timer,
		[FILE_SIGNAL] = &file_signal,
		[FILE_EPOLL] = &file_epoll,
		[FILE_SOCKET] = &file_socket,
		[FILE_PERF] = &file_perf,
		[FILE_FULL] = &file_full,
		[FILE_DIRECTORY] = &file_directory,
		[FILE_CONTENT] = &file_content,
		[FILE_TEXT] = &file_text,
	};

	return rows[file->kind];
}

static uint64_t host_size(const struct file *file)
{
	struct stat info;

	return fstat(file->fd, &info) == 0 && info.st_size > 0 ? (uint64_t)info.st_size : 0;
}

static uint64_t charged_size(uint64_t bytes)
{
	return bits_align_up(bytes, GUEST_PAGE_BYTES);
}

/* Charges a memory file for the size it has from now on. */
static bool charge_size(struct file *file, uint64_t bytes)
{
	if (!file->charged)
		return true;
	if (bytes > INT64_MAX / 2)
		return false;
	uint64_t have = file->charged_bytes, want = charged_size(bytes);
	if (want > have && !memory_charge_host(file->charged, want - have))
		return false;
	if (want < have)
		memory_uncharge_host(file->charged, have - want);
	file->charged_bytes = want;
	return true;
}

bool file_charge_growth(struct file *file, uint64_t offset, uint64_t bytes)
{
	uint64_t end = offset + bytes;

	return !file->charged ||
	       (end >= bytes && (end <= host_size(file) || charge_size(file, end)));
}

int64_t file_truncate(struct file *file, int64_t bytes)
{
	if (bytes > 0 && !file_charge_growth(file, 0, (uint64_t)bytes))
		return -ENOSPC;
	if (ftruncate(file->fd, bytes) != 0)
		return -errno;
	charge_size(file, (uint64_t)bytes);
	return 0;
}

static int64_t host_read(struct process *process, struct file *file, void *to, size_t bytes,
			 int64_t offset)
{
	int64_t got;

	shared_flush(process, file->fd);
	do
		got = offset == NO_OFFSET ? read(file->fd, to, bytes)
					  : pread(file->fd, to, bytes, offset);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

/* A write that makes a memory file longer is charged first. */
static bool charge_write(struct file *file, size_t bytes, int64_t offset)
{
	if (!file->charged)
		return true;
	if (offset == NO_OFFSET)
		offset = file->flags & O_APPEND ? (int64_t)host_size(file)
						: lseek(file->fd, 0, SEEK_CUR);
	return file_charge_growth(file, (uint64_t)offset, bytes);
}

static int64_t host_write(struct process *process, struct file *file, const void *from,
			  size_t bytes, int64_t offset)
{
	int64_t put;

	if (file->fd < 0)
		return (int64_t)bytes;
	if (!charge_write(file, bytes, offset))
		return -ENOSPC;
	shared_flush(process, file->fd);
	do
		put = offset == NO_OFFSET ? write(file->fd, from, bytes)
					  : pwrite(file->fd, from, bytes, offset);
	while (put < 0 && errno == EINTR);
	if (put < 0 && errno == EPIPE)
		return file_broken_pipe(process);
	if (put < 0)
		return -errno;
	shared_changed(process, file->fd, file->flags & O_APPEND ? SHARED_AT_END : offset, put);
	return put;
}

static int64_t host_seek(struct file *file, int64_t offset, int whence)
{
	if (file->listed) {
		if (whence != SEEK_SET || (uint64_t)offset > file->entry_count)
			return -EINVAL;
		file->entry_next = (size_t)offset;
		if (!offset)
			file->listed = false; /* rewinddir reads the directory again */
		return offset;
	}
	off_t at = lseek(file->fd, offset, whence);
	return at < 0 ? -errno : at;
}

static void host_close(struct file *file)
{
	if (file->charged)
		memory_uncharge_host(file->charged, file->charged_bytes);
}

static short always_ready(struct process *process, struct file *file)
{
	(void)process, (void)file;
	return POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM;
}

static short standard_ready(struct process *process, struct file *file)
{
	(void)process;
	return (file->flags & O_ACCMODE) == O_RDONLY ? POLLIN | POLLRDNORM : POLLOUT | POLLWRNORM;
}

static int64_t null_read(struct process *process, struct file *file, void *to, size_t bytes,
			 int64_t offset)
{
	(void)process, (void)file, (void)to, (void)bytes, (void)offset;
	return 0;
}

static int64_t zero_read(struct process *process, struct file *file, void *to, size_t bytes,
			 int64_t offset)
{
	(void)process, (void)file, (void)offset;
	memset(to, 0, bytes);
	return (int64_t)bytes;
}

static int64_t random_read(struct process *process, struct file *file, void *to, size_t bytes,
			   int64_t offset)
{
	(void)file, (void)offset;
	for (size_t i = 0; i < bytes; i++)
		((uint8_t *)to)[i] = (uint8_t)(rng_next(&process->rng) >> 32);
	return (int64_t)bytes;
}

static int64_t device_write(struct process *process, struct file *file, const void *from,
			    size_t bytes, int64_t offset)
{
	(void)process, (void)file, (void)from, (void)offset;
	return (int64_t)bytes;
}

static int64_t full_write(struct process *process, struct file *file, const void *from,
			  size_t bytes, int64_t offset)
{
	(void)process, (void)file, (void)from, (void)bytes, (void)offset;
	return -ENOSPC;
}

static int64_t directory_read(struct process *process, struct file *file, void *to, size_t bytes,
			      int64_t offset)
{
	(void)process, (void)file, (void)to, (void)bytes, (void)offset;
	return -EISDIR;
}

/* What has not been listed is at its beginning. */
static int64_t directory_seek(struct file *file, int64_t offset, int whence)
{
	return file->listed ? host_seek(file, offset, whence) : offset ? -EINVAL : 0;
}

int64_t file_seek_nowhere(struct file *file, int64_t offset, int whence)
{
	(void)file, (void)offset, (void)whence;
	return 0;
}

const struct file_operations file_host = {.has_offset = true,
					  .read = host_read,
					  .write = host_write,
					  .seek = host_seek,
					  .ready = always_ready,
					  .close = host_close};
const struct file_operations file_standard = {.mode = S_IFIFO | 0600,
					      .has_poll = true,
					      .read = host_read,
					      .write = host_write,
					      .ready = standard_ready};
const struct file_operations file_directory = {.mode = S_IFDIR | 0755,
					       .read = directory_read,
					       .seek = directory_seek,
					       .ready = always_ready};
#define DEVICE(name, get, put)                                          \
	const struct file_operations name = {.mode = S_IFCHR | 0666,    \
					     .has_offset = true,        \
					     .read = get,               \
					     .write = put,              \
					     .seek = file_seek_nowhere, \
					     .ready = always_ready}
DEVICE(file_null, null_read, device_write);
DEVICE(file_zero, zero_read, device_write);
DEVICE(file_random, random_read, device_write);
DEVICE(file_full, zero_read, full_write);
