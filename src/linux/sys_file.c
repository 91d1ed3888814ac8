/* System calls on open files: reading, writing, seeking, polling. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/syscall.h"

#define TRANSFER_BYTES (1 << 20) /* longer transfers are done in part, as POSIX allows */

static int64_t wait_for_pipe(struct process *process)
{
	process->current->state = THREAD_PIPE;
	process->current->wake_at_ns = NEVER_NS;
	process->restart = true;
	return 0;
}

static int64_t pipe_read(struct process *process, struct file *file, uint8_t *to, size_t bytes)
{
	struct pipe_buffer *pipe = file->pipe;
	size_t done = 0;

	if (!bytes)
		return 0;
	if (!pipe->used) {
		if (!pipe->writers)
			return 0;
		if (file->flags & O_NONBLOCK)
			return -EAGAIN;
		return wait_for_pipe(process);
	}
	for (; done < bytes && pipe->used; done++, pipe->used--) {
		to[done] = pipe->bytes[pipe->first];
		pipe->first = (pipe->first + 1) % PIPE_BYTES;
	}
	thread_wake_pipes(process);
	return (int64_t)done;
}

static int64_t broken_pipe(struct process *process)
{
	siginfo_t info = {.si_signo = SIGPIPE};

	signal_raise(process, process->current, SIGPIPE, &info);
	return -EPIPE;
}

static int64_t pipe_write(struct process *process, struct file *file, const uint8_t *from,
			  size_t bytes)
{
	struct pipe_buffer *pipe = file->pipe;
	size_t done = 0;

	if (!pipe->readers)
		return broken_pipe(process);
	/* A write of up to PIPE_BUF bytes is atomic: all of it is written, or it waits. */
	size_t need = bytes <= PIPE_BUF ? bytes : 1;
	if (PIPE_BYTES - pipe->used < need) {
		if (file->flags & O_NONBLOCK)
			return -EAGAIN;
		return wait_for_pipe(process);
	}
	for (; done < bytes && pipe->used < PIPE_BYTES; done++, pipe->used++)
		pipe->bytes[(pipe->first + pipe->used) % PIPE_BYTES] = from[done];
	thread_wake_pipes(process);
	return (int64_t)done;
}

#define NO_OFFSET (-1)

static int64_t read_some(struct process *process, struct file *file, void *to, size_t bytes,
			 int64_t offset)
{
	int64_t got;

	if ((file->flags & O_ACCMODE) == O_WRONLY)
		return -EBADF;
	switch (file->kind) {
	case FILE_HOST:
	case FILE_STANDARD:
		do
			got = offset == NO_OFFSET ? read(file->fd, to, bytes)
						  : pread(file->fd, to, bytes, offset);
		while (got < 0 && errno == EINTR);
		return got < 0 ? -errno : got;
	case FILE_NULL: return 0;
	case FILE_ZERO: memset(to, 0, bytes); return (int64_t)bytes;
	case FILE_RANDOM:
		for (size_t i = 0; i < bytes; i++)
			((uint8_t *)to)[i] = (uint8_t)(rng_next(&process->rng) >> 32);
		return (int64_t)bytes;
	case FILE_PIPE_READ:
		return offset == NO_OFFSET ? pipe_read(process, file, to, bytes) : -ESPIPE;
	case FILE_PIPE_WRITE: return -EBADF;
	}
	return -EBADF;
}

static int64_t write_some(struct process *process, struct file *file, const void *from,
			  size_t bytes, int64_t offset)
{
	int64_t put;

	if ((file->flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	switch (file->kind) {
	case FILE_HOST:
	case FILE_STANDARD:
		if (file->fd < 0)
			return (int64_t)bytes;
		do
			put = offset == NO_OFFSET ? write(file->fd, from, bytes)
						  : pwrite(file->fd, from, bytes, offset);
		while (put < 0 && errno == EINTR);
		if (put < 0 && errno == EPIPE)
			return broken_pipe(process);
		return put < 0 ? -errno : put;
	case FILE_NULL:
	case FILE_ZERO:
	case FILE_RANDOM: return (int64_t)bytes;
	case FILE_PIPE_WRITE:
		return offset == NO_OFFSET ? pipe_write(process, file, from, bytes) : -ESPIPE;
	case FILE_PIPE_READ: return -EBADF;
	}
	return -EBADF;
}

/* One read or write between a file and a list of guest ranges. Data passes through a buffer of
 * this process, so that the host kernel never gets a guest address. */
static int64_t transfer(struct process *process, struct file *file, const struct iovec *ranges,
			size_t count, int64_t offset, bool is_write)
{
	size_t total = 0;

	for (size_t i = 0; i < count; i++) {
		if (ranges[i].iov_len > INT64_MAX - total)
			return -EINVAL;
		total += ranges[i].iov_len;
	}
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
	if (usable || !total)
		done = is_write ? write_some(process, file, buffer, usable, offset)
				: read_some(process, file, buffer, usable, offset);
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
	if (offset != NO_OFFSET && file->kind == FILE_STANDARD)
		return -ESPIPE;
	if (offset < NO_OFFSET)
		return -EINVAL;
	return transfer(process, file, &range, 1, offset, is_write);
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
	if (offset != NO_OFFSET && file->kind == FILE_STANDARD)
		return -ESPIPE;
	if (!memory_read(&process->memory, ranges, argument[1], (uint64_t)count * 16))
		return -EFAULT;
	return transfer(process, file, ranges, (size_t)count, offset, is_write);
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

int64_t sys_sendfile(struct process *process, const uint64_t argument[6])
{
	struct file *out = files_get(&process->files, argument[0]);
	struct file *in = files_get(&process->files, argument[1]);
	int64_t offset = NO_OFFSET;

	if (!out || !in)
		return -EBADF;
	if (in->kind != FILE_HOST)
		return -EINVAL;
	if (argument[2]) {
		if (!memory_read(&process->memory, &offset, argument[2], 8))
			return -EFAULT;
		if (offset < 0)
			return -EINVAL;
	}
	size_t bytes = argument[3] < TRANSFER_BYTES ? argument[3] : TRANSFER_BYTES;
	uint8_t *buffer = mem_alloc(bytes);
	int64_t start = offset == NO_OFFSET ? lseek(in->fd, 0, SEEK_CUR) : offset;
	int64_t done = read_some(process, in, buffer, bytes, start < 0 ? 0 : start);
	if (done > 0)
		done = write_some(process, out, buffer, (size_t)done, NO_OFFSET);
	if (done > 0 && offset == NO_OFFSET)
		lseek(in->fd, start + done, SEEK_SET);
	if (done > 0 && offset != NO_OFFSET) {
		offset += done;
		if (!memory_write(&process->memory, argument[2], &offset, 8))
			done = -EFAULT;
	}
	free(buffer);
	return done;
}

int64_t sys_lseek(struct process *process, const uint64_t argument[6])
{
	struct file *file = files_get(&process->files, argument[0]);
	int whence = (int)argument[2];

	if (!file)
		return -EBADF;
	if (whence < 0 || whence > SEEK_HOLE)
		return -EINVAL;
	if (file->kind == FILE_NULL || file->kind == FILE_ZERO || file->kind == FILE_RANDOM)
		return 0;
	if (file->kind != FILE_HOST)
		return -ESPIPE;
	if (file->listed) {
		if (whence != SEEK_SET || argument[1] > file->entry_count)
			return -EINVAL;
		file->entry_next = argument[1];
		if (!argument[1])
			file->listed = false; /* rewinddir reads the directory again */
		return (int64_t)argument[1];
	}
	off_t at = lseek(file->fd, (off_t)argument[1], whence);
	return at < 0 ? -errno : at;
}

int64_t sys_close(struct process *process, const uint64_t argument[6])
{
	int64_t result = files_close(&process->files, argument[0]);

	thread_wake_pipes(process); /* a reader may now be at the end */
	return result;
}

int64_t sys_close_range(struct process *process, const uint64_t argument[6])
{
	uint32_t first = (uint32_t)argument[0], last = (uint32_t)argument[1];

	if (first > last || argument[2])
		return -EINVAL;
	for (uint32_t i = first; i < FILES_MAX && i <= last; i++)
		files_close(&process->files, i);
	thread_wake_pipes(process);
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
	/* Nothing here is a terminal or a device. */
	return files_get(&process->files, argument[0]) ? -ENOTTY : -EBADF;
}

int64_t sys_flock(struct process *process, const uint64_t argument[6])
{
	return files_get(&process->files, argument[0]) ? 0 : -EBADF;
}

int64_t sys_pipe2(struct process *process, const uint64_t argument[6])
{
	const uint64_t known = O_CLOEXEC | O_NONBLOCK;
	struct pipe_buffer *pipe;
	int32_t ends[2];

	if (argument[1] & ~known)
		return -EINVAL;
	pipe = mem_alloc(sizeof(*pipe));
	pipe->readers = pipe->writers = 1;
	struct file *reader = file_create(FILE_PIPE_READ, -1, "pipe");
	struct file *writer = file_create(FILE_PIPE_WRITE, -1, "pipe");
	reader->pipe = writer->pipe = pipe;
	reader->flags = O_RDONLY | ((uint32_t)argument[1] & O_NONBLOCK);
	writer->flags = O_WRONLY | ((uint32_t)argument[1] & O_NONBLOCK);
	ends[0] = files_install(&process->files, reader, 0, argument[1] & O_CLOEXEC);
	if (ends[0] < 0) {
		file_release(writer);
		return ends[0];
	}
	ends[1] = files_install(&process->files, writer, 0, argument[1] & O_CLOEXEC);
	if (ends[1] < 0) {
		files_close(&process->files, (uint64_t)ends[0]);
		return ends[1];
	}
	if (!memory_write(&process->memory, argument[0], ends, sizeof(ends))) {
		files_close(&process->files, (uint64_t)ends[0]);
		files_close(&process->files, (uint64_t)ends[1]);
		return -EFAULT;
	}
	return 0;
}

/* The events poll would report for a file now. */
static short readiness(const struct file *file, short events)
{
	switch (file->kind) {
	case FILE_PIPE_READ:
		return (short)((file->pipe->used ? events & POLLIN : 0) |
			       (file->pipe->writers ? 0 : POLLHUP));
	case FILE_PIPE_WRITE:
		return (short)((file->pipe->used < PIPE_BYTES ? events & POLLOUT : 0) |
			       (file->pipe->readers ? 0 : POLLERR));
	case FILE_STANDARD: {
		struct pollfd one = {file->fd, events, 0};

		return poll(&one, 1, 0) > 0 ? one.revents : 0;
	}
	default: return events & (POLLIN | POLLOUT);
	}
}

/* 0 if nothing is ready: the thread then sleeps until `deadline`, or forever. */
static int64_t poll_list(struct process *process, struct pollfd *list, size_t count)
{
	int64_t ready = 0;

	for (size_t i = 0; i < count; i++) {
		const struct file *file = files_get(&process->files, (uint32_t)list[i].fd);

		list[i].revents = 0;
		if (list[i].fd < 0)
			continue;
		list[i].revents = file ? readiness(file, list[i].events) : POLLNVAL;
		ready += list[i].revents != 0;
	}
	return ready;
}

/* Waits in virtual time, unless one of the descriptors is a standard one: its input comes from
 * the host, so the host waits. */
static int64_t poll_wait(struct process *process, const struct pollfd *list, size_t count,
			 uint64_t timeout_ns)
{
	struct thread *thread = process->current;

	for (size_t i = 0; i < count; i++) {
		const struct file *file = files_get(&process->files, (uint32_t)list[i].fd);

		if (timeout_ns && list[i].fd >= 0 && file && file->kind == FILE_STANDARD) {
			struct pollfd one = {file->fd, list[i].events, 0};
			int host_ms = timeout_ns == NEVER_NS || timeout_ns > 1000000000
					      ? 1000
					      : (int)(timeout_ns / 1000000);

			if (poll(&one, 1, host_ms) > 0 || timeout_ns == NEVER_NS) {
				process->restart = true;
				return 0;
			}
		}
	}
	if (timeout_ns == NEVER_NS)
		return wait_for_pipe(process);
	if (timeout_ns) {
		thread->state = THREAD_SLEEP;
		thread->remain_address = 0;
		thread->wake_at_ns = process_now_ns(process) + timeout_ns;
	}
	return 0;
}

static bool read_timeout(struct process *process, uint64_t address, uint64_t *timeout_ns,
			 int64_t *failed)
{
	int64_t time[2];

	*timeout_ns = NEVER_NS;
	if (!address)
		return true;
	*failed = -EFAULT;
	if (!memory_read(&process->memory, time, address, sizeof(time)))
		return false;
	*failed = -EINVAL;
	if (time[0] < 0 || time[1] < 0 || time[1] >= 1000000000)
		return false;
	*timeout_ns = time[0] > 1000000000 ? NEVER_NS
					   : (uint64_t)time[0] * 1000000000 + (uint64_t)time[1];
	return true;
}

int64_t sys_ppoll(struct process *process, const uint64_t argument[6])
{
	struct pollfd list[FILES_MAX];
	uint64_t timeout_ns;
	int64_t failed;

	if (argument[1] > FILES_MAX)
		return -EINVAL;
	if (!memory_read(&process->memory, list, argument[0], argument[1] * sizeof(list[0])))
		return -EFAULT;
	if (!read_timeout(process, argument[2], &timeout_ns, &failed))
		return failed;
	int64_t ready = poll_list(process, list, argument[1]);
	if (!memory_write(&process->memory, argument[0], list, argument[1] * sizeof(list[0])))
		return -EFAULT;
	return ready ? ready : poll_wait(process, list, argument[1], timeout_ns);
}

int64_t sys_pselect6(struct process *process, const uint64_t argument[6])
{
	struct pollfd list[FILES_MAX];
	uint64_t sets[3][FILES_MAX / 64] = {{0}};
	uint64_t timeout_ns, bytes = (argument[0] + 63) / 64 * 8;
	static const short events[3] = {POLLIN, POLLOUT, POLLPRI};
	size_t count = 0;
	int64_t failed, set_bits = 0;

	if (argument[0] > FILES_MAX)
		return -EINVAL;
	for (int s = 0; s < 3; s++)
		if (argument[1 + s] &&
		    !memory_read(&process->memory, sets[s], argument[1 + s], bytes))
			return -EFAULT;
	if (!read_timeout(process, argument[4], &timeout_ns, &failed))
		return failed;
	for (uint64_t fd = 0; fd < argument[0]; fd++) {
		short wanted = 0;

		for (int s = 0; s < 3; s++)
			if (sets[s][fd / 64] >> (fd % 64) & 1)
				wanted |= events[s];
		if (!wanted)
			continue;
		if (!files_get(&process->files, fd))
			return -EBADF;
		list[count++] = (struct pollfd){(int)fd, wanted, 0};
	}
	if (!poll_list(process, list, count)) {
		failed = poll_wait(process, list, count, timeout_ns);
		if (process->restart)
			return failed;
	}
	memset(sets, 0, sizeof(sets));
	for (size_t i = 0; i < count; i++)
		for (int s = 0; s < 3; s++) {
			short seen = list[i].revents;

			if (s == 0 && seen & (POLLHUP | POLLERR))
				seen |= POLLIN;
			if (!(list[i].events & events[s]) || !(seen & events[s]))
				continue;
			sets[s][list[i].fd / 64] |= UINT64_C(1) << (list[i].fd % 64);
			set_bits++;
		}
	for (int s = 0; s < 3; s++)
		if (argument[1 + s] &&
		    !memory_write(&process->memory, argument[1 + s], sets[s], bytes))
			return -EFAULT;
	return set_bits;
}
