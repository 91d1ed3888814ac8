/* System calls on open files: reading, writing, seeking, closing. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/syscall.h"

struct file *file_create_object(enum file_kind kind, void *object, uint32_t flags)
{
	struct file *file = file_create(kind, -1, "");

	free(file->path);
	file->object = object;
	file->flags = flags;
	file->path = mem_strdup(file_operations(file)->name);
	return file;
}

int64_t file_open_pair(struct process *process, struct file *first, struct file *second,
		       bool close_on_exec, uint64_t address)
{
	int32_t numbers[2] = {files_install(&process->files, first, 0, close_on_exec), -1};

	if (numbers[0] < 0) {
		file_release(second);
		return numbers[0];
	}
	numbers[1] = files_install(&process->files, second, 0, close_on_exec);
	if (numbers[1] >= 0 && memory_write(&process->memory, address, numbers, sizeof(numbers)))
		return 0;
	files_close(&process->files, (uint64_t)numbers[0]);
	if (numbers[1] < 0)
		return numbers[1];
	files_close(&process->files, (uint64_t)numbers[1]);
	return -EFAULT;
}

int64_t file_broken_pipe(struct process *process)
{
	siginfo_t info = {.si_signo = SIGPIPE};

	signal_raise(process, process->current, SIGPIPE, &info);
	return -EPIPE;
}

int64_t file_read(struct process *process, struct file *file, void *to, size_t bytes,
		  int64_t offset)
{
	const struct file_operations *operations = file_operations(file);

	if ((file->flags & O_ACCMODE) == O_WRONLY)
		return -EBADF;
	return operations->read ? operations->read(process, file, to, bytes, offset) : -EINVAL;
}

int64_t file_write(struct process *process, struct file *file, const void *from, size_t bytes,
		   int64_t offset)
{
	const struct file_operations *operations = file_operations(file);

	if ((file->flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	return operations->write ? operations->write(process, file, from, bytes, offset) : -EINVAL;
}

/* A blocking write to a stream ends when all is written; what is done by then is kept with the
 * thread while it waits. */
static int64_t write_all(struct process *process, struct file *file, const uint8_t *from,
			 size_t bytes, int64_t offset)
{
	struct thread *thread = process->current;
	size_t done = thread->is_restarting ? thread->progress_bytes : 0;

	if (!file_operations(file)->is_stream || file->flags & O_NONBLOCK)
		return file_write(process, file, from, bytes, offset);
	if (done > bytes)
		done = bytes; /* another thread has made the buffer inaccessible */
	while (done < bytes || !bytes) {
		int64_t put = file_write(process, file, from + done, bytes - done, offset);

		if (put < 0)
			return done ? (int64_t)done : put;
		if (process->restart || !bytes)
			break;
		done += (size_t)put;
	}
	thread->progress_bytes = process->restart ? done : 0;
	return (int64_t)done;
}

/* One read or write between a file and a list of guest ranges. Data passes through a buffer of
 * this process, so that the host kernel never gets a guest address. */
static int64_t transfer(struct process *process, struct file *file, const struct iovec *ranges,
			size_t count, int64_t offset, bool is_write, bool is_list)
{
	size_t total = 0;

	/* The access mode is checked before the buffer. */
	if ((file->flags & O_ACCMODE) == (is_write ? O_RDONLY : O_WRONLY))
		return -EBADF;
	for (size_t i = 0; i < count; i++) {
		if (ranges[i].iov_len > INT64_MAX - total)
			return -EINVAL;
		total += ranges[i].iov_len;
	}
	/* Without a byte to transfer, a list does not reach the file. */
	if (!total && is_list)
		return 0;
	if (total > TRANSFER_BYTES)
		total = TRANSFER_BYTES;

	uint8_t *buffer = mem_alloc(total);
	size_t usable = 0;
	for (size_t i = 0; i < count && usable < total; i++) {
		uint64_t address = (uint64_t)(uintptr_t)ranges[i].iov_base;
		size_t want =
			ranges[i].iov_len < total - usable ? ranges[i].iov_len : total - usable;
		size_t can = is_write ? memory_readable(&process->memory, address, want)
				      : memory_writable(&process->memory, address, want);

		if (is_write && can)
			memory_read(&process->memory, buffer + usable, address, can);
		usable += can;
		if (can < want)
			break;
	}
	int64_t done = -EFAULT;
	bool is_enough = file_operations(file)->is_record ? usable == total : usable || !total;
	if (is_enough)
		done = is_write ? write_all(process, file, buffer, usable, offset)
				: file_read(process, file, buffer, usable, offset);
	size_t put = 0;
	for (size_t i = 0; !is_write && i < count && (int64_t)put < done; i++) {
		size_t part = ranges[i].iov_len < (size_t)done - put ? ranges[i].iov_len
								     : (size_t)done - put;

		memory_write(&process->memory, (uint64_t)(uintptr_t)ranges[i].iov_base,
			     buffer + put, part);
		put += part;
	}
	free(buffer);
	return done;
}

static int64_t transfer_one(struct process *process, const uint64_t argument[6], int64_t offset,
			    bool is_write)
{
	struct file *file = files_get(&process->files, argument[0]);
	struct iovec range = {(void *)(uintptr_t)argument[1], argument[2]};

	if (!file)
		return -EBADF;
	if (offset != NO_OFFSET && !file_operations(file)->has_offset)
		return -ESPIPE;
	if (offset < NO_OFFSET)
		return -EINVAL;
	return transfer(process, file, &range, 1, offset, is_write, false);
}

static int64_t transfer_list(struct process *process, const uint64_t argument[6], int64_t offset,
			     bool is_write)
{
	struct file *file = files_get(&process->files, argument[0]);
	struct iovec ranges[IOV_MAX];
	int64_t count = (int32_t)argument[2];

	if (!file)
		return -EBADF;
	if (count < 0 || count > IOV_MAX || offset < NO_OFFSET)
		return -EINVAL;
	if (offset != NO_OFFSET && !file_operations(file)->has_offset)
		return -ESPIPE;
	if (!memory_read(&process->memory, ranges, argument[1], (uint64_t)count * 16))
		return -EFAULT;
	return transfer(process, file, ranges, (size_t)count, offset, is_write, true);
}

int64_t sys_read(struct process *process, const uint64_t argument[6])
{
	return transfer_one(process, argument, NO_OFFSET, false);
}

int64_t sys_write(struct process *process, const uint64_t argument[6])
{
	return transfer_one(process, argument, NO_OFFSET, true);
}

int64_t sys_pread64(struct process *process, const uint64_t argument[6])
{
	if ((int64_t)argument[3] < 0)
		return -EINVAL;
	return transfer_one(process, argument, (int64_t)argument[3], false);
}

int64_t sys_pwrite64(struct process *process, const uint64_t argument[6])
{
	if ((int64_t)argument[3] < 0)
		return -EINVAL;
	return transfer_one(process, argument, (int64_t)argument[3], true);
}

int64_t sys_readv(struct process *process, const uint64_t argument[6])
{
	return transfer_list(process, argument, NO_OFFSET, false);
}

int64_t sys_writev(struct process *process, const uint64_t argument[6])
{
	return transfer_list(process, argument, NO_OFFSET, true);
}

int64_t sys_preadv(struct process *process, const uint64_t argument[6])
{
	if ((int64_t)argument[3] < 0)
		return -EINVAL;
	return transfer_list(process, argument, (int64_t)argument[3], false);
}

int64_t sys_pwritev(struct process *process, const uint64_t argument[6])
{
	if ((int64_t)argument[3] < 0)
		return -EINVAL;
	return transfer_list(process, argument, (int64_t)argument[3], true);
}

int64_t sys_lseek(struct process *process, const uint64_t argument[6])
{
	struct file *file = files_get(&process->files, argument[0]);
	int whence = (int)argument[2];

	if (!file)
		return -EBADF;
	if (whence < 0 || whence > SEEK_HOLE)
		return -EINVAL;
	return file_operations(file)->seek
		       ? file_operations(file)->seek(file, (int64_t)argument[1], whence)
		       : -ESPIPE;
}

int64_t sys_close(struct process *process, const uint64_t argument[6])
{
	return files_close(&process->files, argument[0]);
}

int64_t sys_close_range(struct process *process, const uint64_t argument[6])
{
	uint32_t first = (uint32_t)argument[0], last = (uint32_t)argument[1];

	if (first > last || argument[2])
		return -EINVAL;
	for (uint32_t i = first; i < FILES_MAX && i <= last; i++)
		files_close(&process->files, i);
	return 0;
}

int64_t sys_dup(struct process *process, const uint64_t argument[6])
{
	struct file *file = files_get(&process->files, argument[0]);

	if (!file)
		return -EBADF;
	file->references++;
	return files_install(&process->files, file, 0, false);
}

int64_t sys_dup3(struct process *process, const uint64_t argument[6])
{
	struct file *file = files_get(&process->files, argument[0]);
	uint32_t to = (uint32_t)argument[1];

	if (!file)
		return -EBADF;
	if (argument[0] == argument[1] || argument[2] & ~(uint64_t)O_CLOEXEC)
		return -EINVAL;
	if (to >= process->files.limit)
		return -EBADF;
	file->references++;
	files_close(&process->files, to);
	process->files.descriptors[to] = (struct descriptor){file, !!(argument[2] & O_CLOEXEC)};
	return to;
}

static int64_t host_result(int result)
{
	return result < 0 ? -errno : result;
}

int64_t sys_fcntl(struct process *process, const uint64_t argument[6])
{
	struct file *file = files_get(&process->files, argument[0]);

	if (!file)
		return -EBADF;
	struct descriptor *descriptor = &process->files.descriptors[(uint32_t)argument[0]];
	switch ((int)argument[1]) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		if (argument[2] >= process->files.limit)
			return -EINVAL;
		file->references++;
		return files_install(&process->files, file, (int)argument[2],
				     argument[1] == F_DUPFD_CLOEXEC);
	case F_GETFD: return descriptor->close_on_exec;
	case F_SETFD: descriptor->close_on_exec = argument[2] & FD_CLOEXEC; return 0;
	case F_GETFL: return file->flags;
	case F_SETFL: {
		const uint32_t settable = O_APPEND | O_NONBLOCK;

		file->flags = (file->flags & ~settable) | ((uint32_t)argument[2] & settable);
		if (file->kind == FILE_HOST &&
		    fcntl(file->fd, F_SETFL, (int)(file->flags & settable)) != 0)
			return -errno;
		return 0;
	}
	case F_GETPIPE_SZ:
		return file->kind == FILE_PIPE_READ || file->kind == FILE_PIPE_WRITE ? PIPE_BYTES
										     : -EBADF;
	case F_SETPIPE_SZ:
		/* A pipe has the size it has; asking for no more is granted. */
		if (file->kind != FILE_PIPE_READ && file->kind != FILE_PIPE_WRITE)
			return -EBADF;
		return argument[2] <= PIPE_BYTES ? PIPE_BYTES : -EPERM;
	case F_ADD_SEALS:
	case F_GET_SEALS:
		if (!file->charged)
			return -EINVAL;
		return host_result(fcntl(file->fd, (int)argument[1], (int)argument[2]));
	case F_GETLK: {
		int16_t unlocked = F_UNLCK; /* there is one process, so no other can hold a lock */

		return memory_write(&process->memory, argument[2], &unlocked, 2) ? 0 : -EFAULT;
	}
	case F_SETLK:
	case F_SETLKW: return 0;
	default: return -EINVAL;
	}
}

int64_t sys_ioctl(struct process *process, const uint64_t argument[6])
{
	struct file *file = files_get(&process->files, argument[0]);
	int32_t value;

	if (!file)
		return -EBADF;
	switch ((uint32_t)argument[1]) {
	case FIOCLEX:
	case FIONCLEX:
		process->files.descriptors[(uint32_t)argument[0]].close_on_exec =
			(uint32_t)argument[1] == FIOCLEX;
		return 0;
	case FIONBIO:
		if (!memory_read(&process->memory, &value, argument[2], 4))
			return -EFAULT;
		file->flags = (file->flags & ~(uint32_t)O_NONBLOCK) | (value ? O_NONBLOCK : 0);
		return 0;
	case FIONREAD:
		if (file->kind == FILE_SOCKET)
			value = socket_unread(file);
		else if (file->kind == FILE_PIPE_READ || file->kind == FILE_PIPE_WRITE)
			value = (int32_t)pipe_used(file);
		else
			return -ENOTTY;
		return memory_write(&process->memory, argument[2], &value, 4) ? 0 : -EFAULT;
	default: return -ENOTTY; /* nothing here is a terminal or a device */
	}
}

int64_t sys_flock(struct process *process, const uint64_t argument[6])
{
	return files_get(&process->files, argument[0]) ? 0 : -EBADF;
}
