/* System calls on open files: reading, writing, seeking, closing. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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

/* Whether a read would find a byte. Where it does not, the buffer is not looked at. */
static bool has_something(struct process *process, struct file *file, int64_t offset)
{
	struct stat info;

	if (file->kind != FILE_HOST)
		return file_operations(file)->ready(process, file) & POLLIN;
	if (fstat(file->fd, &info) != 0 || S_ISDIR(info.st_mode))
		return false;
	if (!S_ISREG(info.st_mode))
		return true;
	return (offset == NO_OFFSET ? lseek(file->fd, 0, SEEK_CUR) : offset) < info.st_size;
}

/* How much of the buffers counts where not all of them can be accessed. */
static bool is_enough(const struct file *file, bool is_write, size_t *usable, size_t total)
{
	if (*usable == total)
		return true;
	if (file_operations(file)->is_record || (is_write && file->kind == FILE_SOCKET))
		return false;
	/* What is put into a pipe goes by pages. */
	if (is_write && file->kind == FILE_PIPE_WRITE)
		*usable = bits_align_down(*usable, GUEST_PAGE_BYTES);
	return *usable > 0;
}

/* One read or write between a file and a list of guest ranges. Data passes through a buffer of
 * this process, so that the host kernel never gets a guest address. */
static int64_t transfer(struct process *process, struct file *file, const struct iovec *ranges,
			size_t count, int64_t offset, bool is_write)
{
	size_t total = 0, usable = 0, put = 0;

	for (size_t i = 0; i < count && total < TRANSFER_BYTES; i++)
		total += ranges[i].iov_len < TRANSFER_BYTES ? ranges[i].iov_len : TRANSFER_BYTES;
	if (total > TRANSFER_BYTES)
		total = TRANSFER_BYTES;
	uint8_t *buffer = mem_alloc(total);
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
	if (is_enough(file, is_write, &usable, total))
		done = is_write ? write_all(process, file, buffer, usable, offset)
				: file_read(process, file, buffer, usable, offset);
	else if (!is_write && !has_something(process, file, offset))
		done = file_read(process, file, buffer, total, offset);
	/* What is there without having been ready cannot be given. */
	if (done > 0 && !is_write && usable < total && (size_t)done > usable)
		done = -EFAULT;
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
	int64_t failed = check_transfer(file, offset, is_write);
	if (failed)
		return failed;
	if (!memory_is_user_range(argument[1], argument[2]))
		return -EFAULT;
	/* Without a byte to read, a socket is not asked. */
	if (!argument[2] && !is_write && file->kind == FILE_SOCKET)
		return 0;
	return transfer(process, file, &range, 1, offset, is_write);
}

int64_t ranges_read(struct process *process, uint64_t address, uint64_t count,
		    struct iovec ranges[IOV_MAX])
{
	uint64_t total = 0;

	if (count > IOV_MAX)
		return -EINVAL;
	if (!memory_read(&process->memory, ranges, address, count * sizeof(ranges[0])))
		return -EFAULT;
	for (uint64_t i = 0; i < count; i++)
		if (ranges[i].iov_len > INT64_MAX)
			return -EINVAL;
	/* A single range is cut to what one call transfers before it is checked. */
	if (count == 1 && ranges[0].iov_len > RANGES_BYTES_MAX)
		ranges[0].iov_len = RANGES_BYTES_MAX;
	for (uint64_t i = 0; i < count; i++) {
		if (!memory_is_user_range((uint64_t)(uintptr_t)ranges[i].iov_base,
					  ranges[i].iov_len))
			return -EFAULT;
		if (ranges[i].iov_len > RANGES_BYTES_MAX - total)
			ranges[i].iov_len = RANGES_BYTES_MAX - total;
		total += ranges[i].iov_len;
	}
	return (int64_t)total;
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
			  : transfer(process, file, ranges, (size_t)argument[2], offset, is_write);
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

/* Threads share their descriptors, so a copy of the caller's own is not made. */
int64_t sys_close_range(struct process *process, const uint64_t argument[6])
{
	uint32_t first = (uint32_t)argument[0], last = (uint32_t)argument[1];

	if (first > last ||
	    (uint32_t)argument[2] & ~(uint32_t)(CLOSE_RANGE_UNSHARE | CLOSE_RANGE_CLOEXEC))
		return -EINVAL;
	for (uint32_t i = first; i < FILES_MAX && i <= last; i++)
		if (!(argument[2] & CLOSE_RANGE_CLOEXEC))
			files_close(&process->files, i);
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
	files_close(&process->files, to);
	process->files.descriptors[to] = (struct descriptor){file, flags & O_CLOEXEC};
	return to;
}

static int64_t host_result(int result)
{
	return result < 0 ? -errno : result;
}

/* struct flock of 64-bit Linux. */
struct guest_lock {
	int16_t type, whence;
	int32_t unused;
	int64_t start, bytes;
	int32_t owner, unused_end;
};

/* There is one process, so no other holds a lock: each is granted that is a lock. */
static int64_t lock_file(struct process *process, const struct file *file, int command,
			 uint64_t address)
{
	const uint32_t mode = file->flags & O_ACCMODE;
	bool is_query = command == F_GETLK || command == F_OFD_GETLK;
	bool is_of_file = command >= F_OFD_GETLK;
	struct guest_lock lock;

	if (!memory_read(&process->memory, &lock, address, sizeof(lock)))
		return -EFAULT;
	if (lock.whence < SEEK_SET || lock.whence > SEEK_END || lock.type < F_RDLCK ||
	    lock.type > F_UNLCK || (is_query && lock.type == F_UNLCK && !is_of_file) ||
	    (is_of_file && lock.owner))
		return -EINVAL;
	if (!is_query && ((lock.type == F_RDLCK && mode == O_WRONLY) ||
			  (lock.type == F_WRLCK && mode == O_RDONLY)))
		return -EBADF;
	lock.type = F_UNLCK;
	return !is_query || memory_write(&process->memory, address, &lock.type, sizeof(lock.type))
		       ? 0
		       : -EFAULT;
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
		const uint32_t settable = O_APPEND | O_NONBLOCK;

		if (argument[2] & O_DIRECT && !(file_operations(file)->mode & S_IFMT) &&
		    file->kind != FILE_HOST)
			return -EINVAL;

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
	case F_GETLK:
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW: return lock_file(process, file, (int)argument[1], argument[2]);
	default: return -EINVAL;
	}
}

/* The bytes that can be read now; false for what has no such number. */
static bool unread_bytes(const struct file *file, int32_t *value)
{
	struct stat info;

	switch (file->kind) {
	case FILE_SOCKET: *value = socket_unread(file); return true;
	case FILE_PIPE_READ:
	case FILE_PIPE_WRITE: *value = (int32_t)pipe_used(file); return true;
	case FILE_HOST:
		if (fstat(file->fd, &info) != 0 || !S_ISREG(info.st_mode))
			return false;
		*value = (int32_t)(info.st_size - lseek(file->fd, 0, SEEK_CUR));
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

/* A lock that is mandatory does not exist any more and is granted; the others are all granted,
 * since there is one process. */
int64_t sys_flock(struct process *process, const uint64_t argument[6])
{
	int operation = (int)argument[1] & ~LOCK_NB;

	if (operation & LOCK_MAND)
		return 0;
	if (operation != LOCK_SH && operation != LOCK_EX && operation != LOCK_UN)
		return -EINVAL;
	return files_get(&process->files, argument[0]) ? 0 : -EBADF;
}
