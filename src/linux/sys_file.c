/* System calls on open files: reading, writing, seeking, closing. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/notify.h"
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

/* What is checked of a descriptor before the buffers: its access mode, then its kind. */
static int64_t check_transfer(const struct file *file, int64_t offset, bool is_write)
{
	const struct file_operations *operations = file_operations(file);

	if (offset != NO_OFFSET && !operations->has_offset)
		return -ESPIPE;
	if ((file->flags & O_ACCMODE) == (is_write ? O_RDONLY : O_WRONLY))
		return -EBADF;
	return (is_write ? !operations->write : !operations->read) ? -EINVAL : 0;
}

/* A transfer that moved something is told to who watches the file. */
static int64_t note_transfer(struct process *process, const struct file *file, bool is_write,
			     int64_t done)
{
	if (done > 0 && !process->restart)
		notify_file(process, file, is_write ? IN_MODIFY : IN_ACCESS);
	return done;
}

static int64_t transfer_one(struct process *process, const uint64_t argument[6], int64_t offset,
			    bool is_write)
{
	struct file *file = files_get(&process->files, argument[0]);
	struct iovec range = {(void *)(uintptr_t)argument[1], argument[2]};

	if (!file)
		return -EBADF;
	int64_t failed = check_transfer(file, offset, is_write);
	if (failed)
		return failed;
	if (!memory_is_user_range(memory_unmasked(&process->memory, argument[1]), argument[2]))
		return -EFAULT;
	if (range.iov_len > RANGES_BYTES_MAX)
		range.iov_len = RANGES_BYTES_MAX;
	/* Without a byte to read, a socket is not asked. */
	if (!argument[2] && !is_write && file->kind == FILE_SOCKET)
		return 0;
	return note_transfer(process, file, is_write,
			     ranges_transfer(process, file, &range, 1, offset, is_write));
}

static int64_t transfer_list(struct process *process, const uint64_t argument[6], int64_t offset,
			     bool is_write)
{
	struct file *file = files_get(&process->files, argument[0]);
	struct iovec ranges[IOV_MAX];

	if (!file)
		return -EBADF;
	int64_t failed = check_transfer(file, offset, is_write);
	if (failed)
		return failed;
	/* Without a byte to transfer, a list does not reach the file. */
	int64_t total = ranges_read(process, argument[1], argument[2], ranges);
	return total <= 0 ? total
			  : note_transfer(process, file, is_write,
					  ranges_transfer(process, file, ranges,
							  (size_t)argument[2], offset, is_write));
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

/* With flags, which ask for more than the plain calls do, and at the file's own position if the
 * offset is -1. */
static int64_t transfer_with_flags(struct process *process, const uint64_t argument[6],
				   bool is_write)
{
	const int64_t offset = (int64_t)argument[3];

	if ((uint32_t)argument[5])
		return -EOPNOTSUPP;
	return offset < -1 ? -EINVAL : transfer_list(process, argument, offset, is_write);
}

int64_t sys_preadv2(struct process *process, const uint64_t argument[6])
{
	return transfer_with_flags(process, argument, false);
}

int64_t sys_pwritev2(struct process *process, const uint64_t argument[6])
{
	return transfer_with_flags(process, argument, true);
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

static int64_t close_descriptor(struct process *process, uint64_t descriptor)
{
	locks_leave(process, files_get_any(&process->files, descriptor));
	return files_close(&process->files, descriptor);
}

int64_t sys_close(struct process *process, const uint64_t argument[6])
{
	return close_descriptor(process, argument[0]);
}

/* Threads share their descriptors, so a copy of the caller's own is not made. */
int64_t sys_close_range(struct process *process, const uint64_t argument[6])
{
	uint32_t first = (uint32_t)argument[0], last = (uint32_t)argument[1];

	if (first > last ||
	    (uint32_t)argument[2] & ~(uint32_t)(CLOSE_RANGE_UNSHARE | CLOSE_RANGE_CLOEXEC))
		return -EINVAL;
	for (uint32_t i = first; i < FILES_MAX && i <= last; i++)
		if (!(argument[2] & CLOSE_RANGE_CLOEXEC))
			close_descriptor(process, i);
		else if (files_get_any(&process->files, i))
			process->files.descriptors[i].close_on_exec = true;
	return 0;
}

int64_t sys_dup(struct process *process, const uint64_t argument[6])
{
	struct file *file = files_get_any(&process->files, argument[0]);

	if (!file)
		return -EBADF;
	file->references++;
	return files_install(&process->files, file, 0, false);
}

int64_t sys_dup3(struct process *process, const uint64_t argument[6])
{
	struct file *file = files_get_any(&process->files, argument[0]);
	uint32_t to = (uint32_t)argument[1], flags = (uint32_t)argument[2];

	if (flags & ~(uint32_t)O_CLOEXEC || (uint32_t)argument[0] == to)
		return -EINVAL;
	if (!file || to >= process->files.limit)
		return -EBADF;
	file->references++;
	close_descriptor(process, to);
	process->files.descriptors[to] = (struct descriptor){file, flags & O_CLOEXEC};
	return to;
}

static int64_t host_result(int result)
{
	return result < 0 ? -errno : result;
}

/* The commands that a descriptor takes that only stands for a place. */
static bool is_of_descriptor(int command)
{
	return command == F_DUPFD || command == F_DUPFD_CLOEXEC || command == F_GETFD ||
	       command == F_SETFD || command == F_GETFL;
}

int64_t sys_fcntl(struct process *process, const uint64_t argument[6])
{
	struct file *file = files_get_any(&process->files, argument[0]);

	if (!file || (file->flags & O_PATH && !is_of_descriptor((int)argument[1])))
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
		const bool is_pipe = file_is_pipe(file);
		const uint32_t settable = O_APPEND | O_NONBLOCK | (is_pipe ? O_DIRECT : 0);

		if (argument[2] & O_DIRECT && !(file_operations(file)->mode & S_IFMT) &&
		    file->kind != FILE_HOST)
			return -EINVAL;

		file->flags = (file->flags & ~settable) | ((uint32_t)argument[2] & settable);
		if (file->kind == FILE_HOST && !file->node &&
		    fcntl(file->fd, F_SETFL, (int)(file->flags & settable)) != 0)
			return -errno;
		return 0;
	}
	case F_GETPIPE_SZ:
	case F_SETPIPE_SZ:
		if (!file_is_pipe(file))
			return -EBADF;
		return argument[1] == F_GETPIPE_SZ ? pipe_size(file)
						   : pipe_resize(file, (uint32_t)argument[2]);
	case F_ADD_SEALS:
	case F_GET_SEALS:
		if (!file->node || file->fd < 0)
			return -EINVAL;
		/* The host does not know the guest's mappings. */
		if ((int)argument[1] == F_ADD_SEALS && argument[2] & F_SEAL_WRITE &&
		    !(fcntl(file->fd, F_GET_SEALS) & F_SEAL_SEAL) &&
		    shared_is_writable(process, file->fd))
			return -EBUSY;
		return host_result(fcntl(file->fd, (int)argument[1], (int)argument[2]));
	case F_GETLK:
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW: return lock_range(process, file, (int)argument[1], argument[2]);
	default: return -EINVAL;
	}
}

/* The bytes that can be read now; false for what has no such number. */
static bool unread_bytes(const struct file *file, int32_t *value)
{
	struct stat info;

	switch (file->kind) {
	case FILE_NOTIFY: *value = notify_unread(file); return true;
	case FILE_SOCKET: *value = socket_unread(file); return true;
	case FILE_PIPE_READ:
	case FILE_PIPE_WRITE:
	case FILE_PIPE_BOTH: *value = (int32_t)pipe_used(file); return true;
	case FILE_HOST:
		if (fstat(file->fd, &info) != 0 || !S_ISREG(info.st_mode))
			return false;
		*value = (int32_t)(info.st_size - file_position(file));
		return true;
	default: return false;
	}
}

int64_t sys_ioctl(struct process *process, const uint64_t argument[6])
{
	struct file *file = files_get(&process->files, argument[0]);
	int32_t value;

	if (!file)
		return -EBADF;
	if (file->kind == FILE_PERF)
		return perf_ioctl(process, file, (uint32_t)argument[1], argument[2]);
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
		if (!unread_bytes(file, &value))
			break;
		return memory_write(&process->memory, argument[2], &value, 4) ? 0 : -EFAULT;
	default: break;
	}
	/* Nothing here is a terminal or a device; epoll has commands of its own, and not these. */
	return file->kind == FILE_EPOLL ? -EINVAL : -ENOTTY;
}
