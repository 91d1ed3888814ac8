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
		[FILE_PIPE_BOTH] = &file_pipe_both,
		[FILE_EVENT] = &file_event,
		[FILE_TIMER] = &file_timer,
		[FILE_SIGNAL] = &file_signal,
		[FILE_EPOLL] = &file_epoll,
		[FILE_SOCKET] = &file_socket,
		[FILE_PERF] = &file_perf,
		[FILE_NOTIFY] = &file_notify_kind,
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

int64_t file_position(const struct file *file)
{
	return file->node ? (int64_t)file->position : lseek(file->fd, 0, SEEK_CUR);
}

int64_t file_set_position(struct file *file, int64_t position)
{
	if (!file->node)
		return lseek(file->fd, position, SEEK_SET) < 0 ? -errno : 0;
	file->position = (uint64_t)position;
	return 0;
}

bool file_charge_growth(struct file *file, uint64_t offset, uint64_t bytes)
{
	uint64_t end = offset + bytes;

	return !file->node ||
	       (end >= bytes && (end <= host_size(file) || node_charge(file->node, end)));
}

int64_t file_truncate(struct file *file, int64_t bytes)
{
	if (bytes > 0 && !file_charge_growth(file, 0, (uint64_t)bytes))
		return -ENOSPC;
	if (ftruncate(file->fd, bytes) != 0)
		return -errno;
	if (file->node)
		node_charge(file->node, (uint64_t)bytes);
	return 0;
}

static int64_t host_read(struct process *process, struct file *file, void *to, size_t bytes,
			 int64_t offset)
{
	const bool has_own = file->node && offset == NO_OFFSET;
	int64_t got;

	shared_flush(process, file->fd);
	if (has_own)
		offset = file_position(file);
	do
		got = offset == NO_OFFSET ? read(file->fd, to, bytes)
					  : pread(file->fd, to, bytes, offset);
	while (got < 0 && errno == EINTR);
	if (has_own && got > 0)
		file->position += (uint64_t)got;
	return got < 0 ? -errno : got;
}

/* A write that makes a memory file longer is charged first. */
static bool charge_write(struct file *file, size_t bytes, int64_t offset)
{
	return !file->node || file_charge_growth(file, (uint64_t)offset, bytes);
}

/* Raises SIGXFSZ and returns -EFBIG. */
static int too_large(struct process *process)
{
	siginfo_t info = {.si_signo = SIGXFSZ};

	signal_raise(process, process->current, SIGXFSZ, &info);
	return -EFBIG;
}

int file_check_size(struct process *process, int fd, uint64_t bytes)
{
	struct stat info;

	if (bytes <= process->limits[RLIMIT_FSIZE].rlim_cur || fstat(fd, &info) != 0 ||
	    !S_ISREG(info.st_mode) || (uint64_t)info.st_size >= bytes)
		return 0;
	return too_large(process);
}

/* Cuts a write at the limit on the size of files; an error if nothing is left of it. */
static int limit_write(struct process *process, const struct file *file, int64_t offset,
		       size_t *bytes)
{
	const uint64_t limit = process->limits[RLIMIT_FSIZE].rlim_cur;
	struct stat info;

	if (limit == RLIM_INFINITY || file->kind != FILE_HOST || !*bytes ||
	    fstat(file->fd, &info) != 0 || !S_ISREG(info.st_mode))
		return 0;
	if (file->flags & O_APPEND)
		offset = info.st_size;
	else if (offset == NO_OFFSET)
		offset = file_position(file);
	if ((uint64_t)offset >= limit)
		return too_large(process);
	if (*bytes > limit - (uint64_t)offset)
		*bytes = limit - (uint64_t)offset;
	return 0;
}

static int64_t host_write(struct process *process, struct file *file, const void *from,
			  size_t bytes, int64_t offset)
{
	int64_t put;

	if (file->fd < 0)
		return (int64_t)bytes;
	int failed = limit_write(process, file, offset, &bytes);
	if (failed)
		return failed;
	const bool has_own = file->node && offset == NO_OFFSET;
	/* Appending is not told by an offset where to write either. */
	if (file->node && file->flags & O_APPEND)
		offset = (int64_t)host_size(file);
	else if (has_own)
		offset = file_position(file);
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
	if (has_own)
		file->position = (uint64_t)(offset + put);
	shared_changed(process, file->fd,
		       !file->node && file->flags & O_APPEND ? SHARED_AT_END : offset, put);
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
	if (file->node && lseek(file->fd, (off_t)file->position, SEEK_SET) < 0)
		return -errno;
	off_t at = lseek(file->fd, offset, whence);
	if (file->node && at >= 0)
		file->position = (uint64_t)at;
	return at < 0 ? -errno : at;
}

static void host_close(struct file *file)
{
	locks_close(file);
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
