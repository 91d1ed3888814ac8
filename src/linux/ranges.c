/* Lists of buffers of the guest's, and reading and writing between them and a file. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/file_operations.h"

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
		const uint64_t start =
			memory_unmasked(&process->memory, (uint64_t)(uintptr_t)ranges[i].iov_base);

		if (!memory_is_user_range(start, ranges[i].iov_len))
			return -EFAULT;
		if (ranges[i].iov_len > RANGES_BYTES_MAX - total)
			ranges[i].iov_len = RANGES_BYTES_MAX - total;
		total += ranges[i].iov_len;
	}
	return (int64_t)total;
}

size_t ranges_move(struct process *process, const struct iovec *ranges, size_t count, size_t skip,
		   uint8_t *buffer, size_t bytes, enum ranges_way way)
{
	size_t done = 0;

	for (size_t i = 0; i < count && done < bytes; i++) {
		if (skip >= ranges[i].iov_len) {
			skip -= ranges[i].iov_len;
			continue;
		}
		uint64_t address = (uint64_t)(uintptr_t)ranges[i].iov_base + skip;
		size_t part = ranges[i].iov_len - skip;
		size_t want = part < bytes - done ? part : bytes - done;
		size_t can = way == RANGES_GET ? memory_readable(&process->memory, address, want)
					       : memory_writable(&process->memory, address, want);

		if (way == RANGES_GET)
			memory_read(&process->memory, buffer + done, address, can);
		else if (way == RANGES_PUT)
			memory_write(&process->memory, address, buffer + done, can);
		done += can;
		skip = 0;
		if (can < want)
			break;
	}
	return done;
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
	return (offset == NO_OFFSET ? file_position(file) : offset) < info.st_size;
}

/* How much of the buffers counts where not all of them can be accessed. */
static bool is_enough(const struct file *file, bool is_write, size_t *usable, size_t total)
{
	if (*usable == total)
		return true;
	if (file_operations(file)->is_record || (is_write && file->kind == FILE_SOCKET))
		return false;
	/* What is put into a pipe goes by pages. */
	if (is_write && file_is_pipe(file))
		*usable = bits_align_down(*usable, GUEST_PAGE_BYTES);
	return *usable > 0;
}

/* One read or write of a file, and the part of the ranges that it is for. */
struct piece {
	const struct iovec *ranges;
	size_t count, skip, bytes;
	uint8_t *buffer;
	int64_t offset;
};

static int64_t write_piece(struct process *process, struct file *file, const struct piece *piece)
{
	size_t usable = ranges_move(process, piece->ranges, piece->count, piece->skip,
				    piece->buffer, piece->bytes, RANGES_GET);

	return is_enough(file, true, &usable, piece->bytes)
		       ? file_write(process, file, piece->buffer, usable, piece->offset)
		       : -EFAULT;
}

static int64_t read_piece(struct process *process, struct file *file, const struct piece *piece)
{
	size_t usable = ranges_move(process, piece->ranges, piece->count, piece->skip, NULL,
				    piece->bytes, RANGES_ASK);
	int64_t got = -EFAULT;

	if (is_enough(file, false, &usable, piece->bytes))
		got = file_read(process, file, piece->buffer, usable, piece->offset);
	else if (!has_something(process, file, piece->offset))
		got = file_read(process, file, piece->buffer, piece->bytes, piece->offset);
	/* What is there without having been ready cannot be given. */
	if (got > (int64_t)usable)
		return -EFAULT;
	if (got > 0)
		ranges_move(process, piece->ranges, piece->count, piece->skip, piece->buffer,
			    (size_t)got, RANGES_PUT);
	return got;
}

/* Whether a call goes on after a piece that was not the whole. What is read by messages, or as far
 * as there is something, ends with the first. */
static bool goes_on(const struct file *file, bool is_write, bool is_short)
{
	struct stat info;

	switch (file->kind) {
	case FILE_NULL:
	case FILE_ZERO:
	case FILE_FULL:
	case FILE_RANDOM:
	case FILE_CONTENT:
	case FILE_TEXT: return !is_short;
	case FILE_HOST: return !is_short && fstat(file->fd, &info) == 0 && S_ISREG(info.st_mode);
	case FILE_STANDARD:
		return !is_short &&
		       (is_write || (fstat(file->fd, &info) == 0 && S_ISREG(info.st_mode)));
	default: return is_write && file_operations(file)->is_stream;
	}
}

/* Bytes that fill no page are added to the last page of a pipe, so they are in the first piece. */
static size_t piece_bytes(size_t left, bool is_write)
{
	if (left <= TRANSFER_BYTES)
		return left;
	return is_write ? TRANSFER_BYTES - GUEST_PAGE_BYTES + left % GUEST_PAGE_BYTES
			: TRANSFER_BYTES;
}

int64_t ranges_transfer(struct process *process, struct file *file, const struct iovec *ranges,
			size_t count, int64_t offset, bool is_write)
{
	struct thread *thread = process->current;
	size_t total = 0, done = is_write && thread->is_restarting ? thread->progress_bytes : 0;
	struct piece piece = {.ranges = ranges, .count = count, .offset = NO_OFFSET};
	int64_t got = 0;
	bool more;

	for (size_t i = 0; i < count; i++)
		total += ranges[i].iov_len;
	if (done > total)
		done = total; /* another thread has changed the list */
	piece.buffer = mem_alloc(total < TRANSFER_BYTES ? total : TRANSFER_BYTES);
	do {
		piece.skip = done;
		piece.bytes = piece_bytes(total - done, is_write);
		if (offset != NO_OFFSET)
			piece.offset = offset + (int64_t)done;
		got = is_write ? write_piece(process, file, &piece)
			       : read_piece(process, file, &piece);
		more = got >= 0 && !process->restart && done + (size_t)got < total &&
		       goes_on(file, is_write, (size_t)got < piece.bytes);
		done += got > 0 ? (size_t)got : 0;
	} while (more);
	free(piece.buffer);
	thread->progress_bytes = process->restart ? done : 0;
	return done ? (int64_t)done : got;
}
