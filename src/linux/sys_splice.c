/* Moving bytes between descriptors inside the kernel, and files in memory. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/notify.h"
#include "linux/syscall.h"

static bool is_pipe(const struct file *file)
{
	return file_is_pipe(file);
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
		position->offset = file_position(file);
	return 0;
}

static bool is_before_start(const struct position *position)
{
	return position->address && position->offset < 0;
}

static int64_t advance(struct process *process, struct file *file, const struct position *position,
		       int64_t done)
{
	int64_t next = position->offset + done;

	if (position->offset == NO_OFFSET || done <= 0)
		return done;
	if (!position->address) {
		int64_t failed = file_set_position(file, next);

		return failed ? failed : done;
	}
	return memory_write(&process->memory, position->address, &next, 8) ? done : -EFAULT;
}

/* Reads at one position and writes at another. What the second file does not take is not taken from
 * the first either: only a source that can be read again may be longer than what is written. */
static int64_t copy_piece(struct process *process, struct file *in, struct position *from,
			  struct file *out, struct position *to, size_t bytes, uint8_t *buffer)
{
	int64_t done = file_read(process, in, buffer, bytes, from->offset);

	/* Pages of a file stay pages in a pipe. */
	if (done > 0 && is_pipe(out) && pipe_room(out))
		done = (int64_t)pipe_give(out, buffer, (size_t)done, (uint64_t)from->offset);
	else if (done > 0)
		done = file_write(process, out, buffer, (size_t)done, to->offset);
	if (process->restart || done <= 0)
		return done;
	int64_t failed = advance(process, in, from, done);
	if (failed > 0)
		failed = advance(process, out, to, done);
	return failed;
}

static void move_position(struct position *position, int64_t bytes)
{
	if (position->offset != NO_OFFSET)
		position->offset += bytes;
}

/* From a file to another, or to a socket that waits, all is copied that there is; positions tell
 * how far that is while it waits. */
static int64_t copy(struct process *process, struct file *in, struct position *from,
		    struct file *out, struct position *to, uint64_t bytes)
{
	const bool is_whole = !is_pipe(in) && !is_pipe(out);
	struct thread *thread = process->current;
	uint64_t done = thread->is_restarting ? thread->progress_bytes : 0;
	int64_t got;

	if (bytes > RANGES_BYTES_MAX)
		bytes = RANGES_BYTES_MAX;
	const size_t most = bytes < TRANSFER_BYTES ? (size_t)bytes : TRANSFER_BYTES;
	uint8_t *buffer = mem_alloc(most ? most : 1);
	do {
		size_t part = bytes - done < most ? bytes - done : most;

		got = copy_piece(process, in, from, out, to, part, buffer);
		if (process->restart || got <= 0)
			break;
		done += (uint64_t)got;
		move_position(from, got);
		move_position(to, got);
	} while (is_whole && done < bytes);
	free(buffer);
	thread->progress_bytes = process->restart ? done : 0;
	if (done && !process->restart) {
		notify_file(process, in, IN_ACCESS);
		notify_file(process, out, IN_MODIFY);
	}
	return done ? (int64_t)done : got;
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
	if (is_pipe(out) && pipe_room(out) < bytes)
		bytes = pipe_room(out);
	return bytes;
}

/* Between two pipes, whose ends and flags both count. */
static int64_t move_pages(struct process *process, struct file *in, struct file *out,
			  uint64_t bytes, uint64_t flags, bool keeps)
{
	/* Whether it waits is decided when it begins. */
	bool waits = process->current->is_restarting ||
		     (!(flags & SPLICE_F_NONBLOCK) && !((in->flags | out->flags) & O_NONBLOCK));
	bool is_ended = file_operations(in)->ready(process, in) & POLLHUP;
	bool is_broken = file_operations(out)->ready(process, out) & POLLERR;

	if (!pipe_used(in) && !is_ended)
		return waits ? wait_for(process, in, POLLIN) : -EAGAIN;
	if (is_broken)
		return file_broken_pipe(process);
	if (!pipe_room(out))
		return waits ? wait_for(process, out, POLLOUT) : -EAGAIN;
	return (int64_t)pipe_move(in, out, bytes, keeps);
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
	if (is_pipe(in) && is_pipe(out))
		return move_pages(process, in, out, bytes, argument[5], false);
	/* A closed end of the pipe is found by reading or writing it. */
	bool is_end =
		is_pipe(in) && !pipe_used(in) && file_operations(in)->ready(process, in) & POLLHUP;
	if (is_end)
		return 0;
	if (is_pipe(out) && file_operations(out)->ready(process, out) & POLLERR)
		return file_broken_pipe(process);
	bytes = movable(process, in, out, bytes, &blocked, &events);
	if (!bytes) {
		bool waits = process->current->is_restarting ||
			     (!(argument[5] & SPLICE_F_NONBLOCK) && !(blocked->flags & O_NONBLOCK));

		return waits ? wait_for(process, blocked, events) : -EAGAIN;
	}
	return copy_with_flags(process, in, &from, out, &to, bytes, argument[5]);
}

int64_t sys_tee(struct process *process, const uint64_t argument[6])
{
	struct file *in = files_get(&process->files, argument[0]);
	struct file *out = files_get(&process->files, argument[1]);

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
	return move_pages(process, in, out, argument[2], argument[3], true);
}

/* Gives the pages of memory to a pipe, as far as there is room now. */
static int64_t give_ranges(struct process *process, struct file *file, const struct iovec *ranges,
			   size_t count, uint64_t flags)
{
	uint8_t page[GUEST_PAGE_BYTES];
	int64_t done = 0;

	if (file_operations(file)->ready(process, file) & POLLERR)
		return file_broken_pipe(process);
	if (!pipe_room(file))
		return flags & SPLICE_F_NONBLOCK ? -EAGAIN : wait_for(process, file, POLLOUT);
	for (size_t i = 0; i < count; i++) {
		uint64_t address = (uint64_t)(uintptr_t)ranges[i].iov_base;
		uint64_t end = address + ranges[i].iov_len;

		while (address < end && pipe_room(file)) {
			uint64_t part = GUEST_PAGE_BYTES - address % GUEST_PAGE_BYTES;

			if (part > end - address)
				part = end - address;
			if (!memory_read(&process->memory, page, address, part))
				return done ? done : -EFAULT;
			address += pipe_give(file, page, part, address);
			done += (int64_t)part;
		}
	}
	return done;
}

/* Pages are copied, not given: SPLICE_F_GIFT asks for nothing that could be seen. */
int64_t sys_vmsplice(struct process *process, const uint64_t argument[6])
{
	struct file *file = files_get(&process->files, argument[0]);
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
	if (can(file, O_RDONLY))
		return give_ranges(process, file, ranges, (size_t)argument[2], argument[3]);
	return sys_readv(process, list);
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
	int failed;
	struct node *node = node_create(&process->files.nodes, S_IFREG | 0777,
					flags & MFD_ALLOW_SEALING, NULL, &failed);
	if (!node)
		return failed;
	snprintf(path, sizeof(path), "/memfd:%s (deleted)", name);
	struct file *file = file_create(FILE_HOST, node->fd, path);
	file->node = node;
	file->flags = O_RDWR;
	return files_install(&process->files, file, 0, flags & MFD_CLOEXEC);
}
