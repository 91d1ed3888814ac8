/* Moving bytes between descriptors inside the kernel, and files in memory. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/syscall.h"

static bool is_pipe(const struct file *file)
{
	return file->kind == FILE_PIPE_READ || file->kind == FILE_PIPE_WRITE;
}

static bool can(const struct file *file, int unwanted_mode)
{
	return (int)(file->flags & O_ACCMODE) != unwanted_mode;
}

/* Where a transfer is on a file: at an offset that the guest keeps, or at the file's own. */
struct position {
	uint64_t address; /* of the guest's offset, or 0 */
	int64_t offset;
};

static int64_t read_position(struct process *process, const struct file *file, uint64_t address,
			     struct position *position)
{
	*position = (struct position){address, NO_OFFSET};
	if (address && !memory_read(&process->memory, &position->offset, address, 8))
		return -EFAULT;
	if (!address && file->kind == FILE_HOST)
		position->offset = lseek(file->fd, 0, SEEK_CUR);
	return 0;
}

static bool is_before_start(const struct position *position)
{
	return position->address && position->offset < 0;
}

static int64_t advance(struct process *process, const struct file *file,
		       const struct position *position, int64_t done)
{
	int64_t next = position->offset + done;

	if (position->offset == NO_OFFSET || done <= 0)
		return done;
	if (!position->address)
		return lseek(file->fd, next, SEEK_SET) < 0 ? -errno : done;
	return memory_write(&process->memory, position->address, &next, 8) ? done : -EFAULT;
}

/* Reads at one position and writes at another. What the second file does not take is not taken from
 * the first either: only a source that can be read again may be longer than what is written. */
static int64_t copy(struct process *process, struct file *in, struct position *from,
		    struct file *out, struct position *to, uint64_t bytes)
{
	size_t most = bytes < TRANSFER_BYTES ? (size_t)bytes : TRANSFER_BYTES;
	uint8_t *buffer = mem_alloc(most ? most : 1);
	int64_t done = file_read(process, in, buffer, most, from->offset);

	if (done > 0)
		done = file_write(process, out, buffer, (size_t)done, to->offset);
	free(buffer);
	if (process->restart || done <= 0)
		return done;
	int64_t failed = advance(process, in, from, done);
	if (failed > 0)
		failed = advance(process, out, to, done);
	return failed;
}

int64_t sys_sendfile(struct process *process, const uint64_t argument[6])
{
	struct file *out = files_get(&process->files, argument[0]);
	struct file *in = files_get(&process->files, argument[1]);
	struct position from, to = {0, NO_OFFSET};

	/* The offset is read before the descriptors are looked at. */
	if (argument[2] && memory_readable(&process->memory, argument[2], 8) != 8)
		return -EFAULT;
	if (!in || !can(in, O_WRONLY))
		return -EBADF;
	if (argument[2] && !file_operations(in)->has_offset)
		return -ESPIPE;
	int64_t failed = read_position(process, in, argument[2], &from);
	if (failed)
		return failed;
	if (is_before_start(&from) || (int64_t)argument[3] < 0)
		return -EINVAL;
	if (!out || !can(out, O_RDONLY))
		return -EBADF;
	if (in->kind != FILE_HOST || file_is_directory(in) || out->flags & O_APPEND)
		return -EINVAL;
	return argument[3] ? copy(process, in, &from, out, &to, argument[3]) : 0;
}

int64_t sys_copy_file_range(struct process *process, const uint64_t argument[6])
{
	struct file *in = files_get(&process->files, argument[0]);
	struct file *out = files_get(&process->files, argument[2]);
	struct position from, to;
	struct stat in_info, out_info;

	if (!in || !out)
		return -EBADF;
	int64_t failed = read_position(process, in, argument[1], &from);
	if (!failed)
		failed = read_position(process, out, argument[3], &to);
	if (failed)
		return failed;
	if ((uint32_t)argument[5])
		return -EINVAL;
	if (is_before_start(&from) || is_before_start(&to))
		return -EINVAL;
	if (file_is_directory(in) || file_is_directory(out))
		return -EISDIR;
	if (in->kind != FILE_HOST || out->kind != FILE_HOST)
		return -EINVAL;
	if (fstat(in->fd, &in_info) != 0 || fstat(out->fd, &out_info) != 0)
		return -errno;
	if (!S_ISREG(in_info.st_mode) || !S_ISREG(out_info.st_mode))
		return -EINVAL;
	if (!can(in, O_WRONLY) || !can(out, O_RDONLY) || out->flags & O_APPEND)
		return -EBADF;
	uint64_t bytes = argument[4];
	if ((uint64_t)from.offset + bytes < bytes || (uint64_t)to.offset + bytes < bytes)
		return -EOVERFLOW;
	bool is_same = in_info.st_dev == out_info.st_dev && in_info.st_ino == out_info.st_ino;
	if (is_same && (uint64_t)to.offset + bytes > (uint64_t)from.offset &&
	    (uint64_t)to.offset < (uint64_t)from.offset + bytes)
		return -EINVAL;
	return bytes ? copy(process, in, &from, out, &to, bytes) : 0;
}

/* Makes the call that fits the flag, not the file, decide whether it waits. */
static int64_t copy_with_flags(struct process *process, struct file *in, struct position *from,
			       struct file *out, struct position *to, uint64_t bytes,
			       uint64_t flags)
{
	uint32_t in_flags = in->flags, out_flags = out->flags;

	if (flags & SPLICE_F_NONBLOCK) {
		in->flags |= is_pipe(in) ? O_NONBLOCK : 0;
		out->flags |= is_pipe(out) ? O_NONBLOCK : 0;
	}
	int64_t done = copy(process, in, from, out, to, bytes);
	in->flags = in_flags;
	out->flags = out_flags;
	return done;
}

#define SPLICE_FLAGS (SPLICE_F_MOVE | SPLICE_F_NONBLOCK | SPLICE_F_MORE | SPLICE_F_GIFT)

/* The bytes that can be moved now, so that nothing taken from a pipe is lost: 0 if none, and then
 * the file that has to become ready. */
static uint64_t movable(struct process *process, struct file *in, struct file *out, uint64_t bytes,
			struct file **blocked, short *events)
{
	bool in_ready = file_operations(in)->ready(process, in) & (POLLIN | POLLHUP);
	bool out_ready = file_operations(out)->ready(process, out) & (POLLOUT | POLLERR);

	*blocked = in_ready ? out : in;
	*events = in_ready ? POLLOUT : POLLIN;
	if (!in_ready || !out_ready)
		return 0;
	if (is_pipe(in) && pipe_used(in) < bytes)
		bytes = pipe_used(in);
	if (is_pipe(out) && PIPE_BYTES - pipe_used(out) < bytes)
		bytes = PIPE_BYTES - pipe_used(out);
	return bytes;
}

int64_t sys_splice(struct process *process, const uint64_t argument[6])
{
	struct file *in = files_get(&process->files, argument[0]);
	struct file *out = files_get(&process->files, argument[2]);
	struct file *blocked;
	struct position from, to;
	uint64_t bytes = argument[4];
	short events;

	if (!bytes)
		return 0;
	if (argument[5] & ~(uint64_t)SPLICE_FLAGS)
		return -EINVAL;
	if (!in || !out)
		return -EBADF;
	if ((is_pipe(in) && argument[1]) || (is_pipe(out) && argument[3]))
		return -ESPIPE;
	int64_t failed = read_position(process, out, argument[3], &to);
	if (!failed)
		failed = read_position(process, in, argument[1], &from);
	if (failed)
		return failed;
	if (!can(in, O_WRONLY) || !can(out, O_RDONLY))
		return -EBADF;
	if (is_before_start(&from) || is_before_start(&to) ||
	    (argument[1] && !file_operations(in)->has_offset) ||
	    (argument[3] && !file_operations(out)->has_offset))
		return -EINVAL;
	if ((!is_pipe(in) && !is_pipe(out)) ||
	    (is_pipe(in) && is_pipe(out) && in->object == out->object) ||
	    (!is_pipe(out) && out->flags & O_APPEND))
		return -EINVAL;
	/* A closed end of the pipe is found by reading or writing it. */
	bool is_end =
		is_pipe(in) && !pipe_used(in) && file_operations(in)->ready(process, in) & POLLHUP;
	if (is_end)
		return 0;
	if (is_pipe(out) && file_operations(out)->ready(process, out) & POLLERR)
		return file_broken_pipe(process);
	bytes = movable(process, in, out, bytes, &blocked, &events);
	if (!bytes) {
		bool waits = !(argument[5] & SPLICE_F_NONBLOCK) && !(blocked->flags & O_NONBLOCK);

		return waits ? wait_for(process, blocked, events) : -EAGAIN;
	}
	return copy_with_flags(process, in, &from, out, &to, bytes, argument[5]);
}

int64_t sys_tee(struct process *process, const uint64_t argument[6])
{
	struct file *in = files_get(&process->files, argument[0]);
	struct file *out = files_get(&process->files, argument[1]);
	uint64_t bytes = argument[2] < PIPE_BYTES ? argument[2] : PIPE_BYTES;
	struct file *blocked;
	short events;

	if (argument[3] & ~(uint64_t)SPLICE_FLAGS)
		return -EINVAL;
	if (!argument[2])
		return 0;
	if (!in || !out)
		return -EBADF;
	if (!can(in, O_WRONLY) || !can(out, O_RDONLY))
		return -EBADF;
	if (!is_pipe(in) || !is_pipe(out) || in->object == out->object)
		return -EINVAL;
	if (!pipe_used(in) && file_operations(in)->ready(process, in) & POLLHUP)
		return 0;
	if (file_operations(out)->ready(process, out) & POLLERR)
		return file_broken_pipe(process);
	bytes = movable(process, in, out, bytes, &blocked, &events);
	if (!bytes) {
		bool waits = !(argument[3] & SPLICE_F_NONBLOCK) && !(blocked->flags & O_NONBLOCK);

		return waits ? wait_for(process, blocked, events) : -EAGAIN;
	}
	uint8_t *buffer = mem_alloc(bytes);
	int64_t done = file_write(process, out, buffer, pipe_peek(in, buffer, bytes), NO_OFFSET);
	free(buffer);
	return done;
}

/* Pages are copied, not given: SPLICE_F_GIFT asks for nothing that could be seen. */
int64_t sys_vmsplice(struct process *process, const uint64_t argument[6])
{
	const struct file *file = files_get(&process->files, argument[0]);
	const uint64_t list[6] = {argument[0], argument[1], argument[2]};
	struct iovec ranges[IOV_MAX];

	if (argument[3] & ~(uint64_t)SPLICE_FLAGS)
		return -EINVAL;
	if (!file)
		return -EBADF;
	int64_t total = ranges_read(process, argument[1], argument[2], ranges);
	/* The kind of file is looked at only where there is something to move. */
	if (total <= 0)
		return total;
	if (!is_pipe(file))
		return -EBADF;
	return can(file, O_RDONLY) ? sys_writev(process, list) : sys_readv(process, list);
}

#define MEMORY_NAME_BYTES 250

int64_t sys_memfd_create(struct process *process, const uint64_t argument[6])
{
	char name[MEMORY_NAME_BYTES], path[MEMORY_NAME_BYTES + 32];
	const uint32_t flags = (uint32_t)argument[1];

	if (flags & ~(uint32_t)(MFD_CLOEXEC | MFD_ALLOW_SEALING))
		return -EINVAL;
	int64_t length = memory_read_string(&process->memory, name, argument[0], sizeof(name));
	if (length < 0)
		return length == -1 ? -EFAULT : -EINVAL;
	/* A file of the host with no name, so that whatever works on files works on it. */
	int fd = memfd_create("guest", MFD_CLOEXEC | (flags & MFD_ALLOW_SEALING));
	if (fd < 0)
		return -errno;
	snprintf(path, sizeof(path), "/memfd:%s (deleted)", name);
	struct file *file = file_create(FILE_HOST, fd, path);
	file->charged = &process->memory;
	file->flags = O_RDWR;
	return files_install(&process->files, file, 0, flags & MFD_CLOEXEC);
}
