#include "linux/locks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/syscall.h"

#define LOCKS_MAX 4096

static bool is_same_place(const struct file_lock *a, const struct file_lock *b)
{
	return a->device == b->device && a->inode == b->inode && a->is_whole == b->is_whole;
}

static bool overlaps(const struct file_lock *a, const struct file_lock *b)
{
	return is_same_place(a, b) && a->start <= b->end && b->start <= a->end;
}

/* The first in the kernel's order, which F_GETLK tells. */
const struct file_lock *lock_find_other(const struct locks *locks, const struct file_lock *wanted)
{
	for (size_t i = 0; i < locks->count; i++) {
		const struct file_lock *one = &locks->items[i];

		if (wanted->type != F_UNLCK && one->owner != wanted->owner &&
		    overlaps(one, wanted) && (one->type == F_WRLCK || wanted->type == F_WRLCK))
			return one;
	}
	return NULL;
}

static void insert(struct locks *locks, size_t at, const struct file_lock *lock)
{
	(void)ARRAY_PUSH(locks->items, locks->count, locks->capacity);
	memmove(&locks->items[at + 1], &locks->items[at],
		(locks->count - 1 - at) * sizeof(*locks->items));
	locks->items[at] = *lock;
}

static void take_out(struct locks *locks, size_t at)
{
	locks->count--;
	memmove(&locks->items[at], &locks->items[at + 1],
		(locks->count - at) * sizeof(*locks->items));
}

static bool is_of_same(const struct file_lock *a, const struct file_lock *b)
{
	return a->owner == b->owner && is_same_place(a, b);
}

/* Takes the range out of what its owner has; up to one more lock is left. */
static void cut_out(struct locks *locks, const struct file_lock *wanted)
{
	for (size_t i = 0; i < locks->count;) {
		const struct file_lock one = locks->items[i];
		struct file_lock before = one, behind = one;

		if (one.owner != wanted->owner || !overlaps(&one, wanted)) {
			i++;
			continue;
		}
		take_out(locks, i);
		before.end = wanted->start - 1;
		if (one.start < wanted->start)
			insert(locks, i++, &before);
		if (one.end > wanted->end) {
			behind.start = wanted->end + 1;
			insert(locks, i++, &behind);
		}
	}
}

static bool is_next(const struct file_lock *one, const struct file_lock *behind)
{
	return one->end != INT64_MAX && one->end + 1 == behind->start;
}

/* Neighbours of one kind are one lock. */
static void join(struct locks *locks, struct file_lock *wanted)
{
	for (size_t i = 0; i < locks->count;) {
		const struct file_lock one = locks->items[i];

		if (!is_of_same(&one, wanted) || one.type != wanted->type ||
		    (!is_next(&one, wanted) && !is_next(wanted, &one))) {
			i++;
			continue;
		}
		if (one.start < wanted->start)
			wanted->start = one.start;
		if (one.end > wanted->end)
			wanted->end = one.end;
		take_out(locks, i);
	}
}

static void wake_waiters(struct process *process)
{
	for (uint64_t i = 0; i < FILES_MAX; i++) {
		struct file *file = files_get_any(&process->files, i);

		if (file && file->kind == FILE_HOST)
			file_notify(file, POLLMSG);
	}
}

bool lock_set(struct process *process, const struct file_lock *wanted)
{
	struct locks *locks = &process->locks;
	struct file_lock lock = *wanted;
	size_t at = 0;

	if (wanted->type != F_UNLCK && locks->count + 2 > LOCKS_MAX)
		return false;
	/* The locks of an owner stand where its first was, in the order of the file. */
	while (at < locks->count && !is_of_same(&locks->items[at], wanted))
		at++;
	cut_out(locks, wanted);
	if (wanted->type != F_UNLCK) {
		join(locks, &lock);
		while (at < locks->count && is_of_same(&locks->items[at], &lock) &&
		       locks->items[at].start < lock.start)
			at++;
		insert(locks, at, &lock);
	}
	wake_waiters(process);
	return true;
}

void locks_leave(struct process *process, const struct file *file)
{
	struct locks *locks = &process->locks;
	struct file_lock every = {.end = INT64_MAX};
	const size_t before = locks->count;
	struct stat info;

	if (!before || !file || file->kind != FILE_HOST || file->flags & O_PATH ||
	    fstat(file->fd, &info) != 0)
		return;
	every.device = info.st_dev;
	every.inode = info.st_ino;
	cut_out(locks, &every);
	if (locks->count != before)
		wake_waiters(process);
}

void locks_close(struct file *file)
{
	struct process *process = file->lock_process;
	size_t kept = 0;

	if (!process)
		return;
	for (size_t i = 0; i < process->locks.count; i++)
		if (process->locks.items[i].owner != file)
			process->locks.items[kept++] = process->locks.items[i];
	process->locks.count = kept;
	wake_waiters(process);
}

void locks_release(struct locks *locks)
{
	free(locks->items);
	*locks = (struct locks){0};
}

/* struct flock of 64-bit Linux. */
struct guest_lock {
	int16_t type, whence;
	int32_t unused;
	int64_t start, bytes;
	int32_t owner, unused_end;
};

/* Which bytes of the file are meant. */
static int64_t read_range(const struct file *file, const struct guest_lock *lock,
			  struct file_lock *wanted)
{
	struct stat info;
	int64_t start = lock->start, from = 0;

	if (fstat(file->fd, &info) != 0)
		return -errno;
	wanted->device = info.st_dev;
	wanted->inode = info.st_ino;
	if (lock->whence == SEEK_CUR)
		from = file_position(file);
	else if (lock->whence == SEEK_END)
		from = info.st_size;
	if (__builtin_add_overflow(from, start, &start))
		return -EOVERFLOW;
	if (start < 0)
		return -EINVAL;
	wanted->start = start;
	wanted->end = INT64_MAX;
	if (lock->bytes > 0 && __builtin_add_overflow(start, lock->bytes - 1, &wanted->end))
		return -EOVERFLOW;
	if (lock->bytes < 0) {
		wanted->end = start - 1;
		wanted->start = start + lock->bytes;
	}
	return wanted->start < 0 ? -EINVAL : 0;
}

/* Sets a lock, waiting for it where that is asked for. */
static int64_t take(struct process *process, struct file *file, const struct file_lock *wanted,
		    bool waits)
{
	if (lock_find_other(&process->locks, wanted))
		return waits ? wait_for(process, file, POLLMSG) : -EAGAIN;
	file->lock_process = process;
	return lock_set(process, wanted) ? 0 : -ENOLCK;
}

static int64_t tell_other(struct process *process, const struct file_lock *other, uint64_t address)
{
	const uint64_t none[6] = {0};
	struct guest_lock lock = {.type = F_UNLCK};

	if (!other)
		return memory_write(&process->memory, address, &lock.type, sizeof(lock.type))
			       ? 0
			       : -EFAULT;
	lock = (struct guest_lock){.type = (int16_t)other->type,
				   .start = other->start,
				   .bytes = other->end == INT64_MAX ? 0
								    : other->end - other->start + 1,
				   .owner = other->owner ? -1 : (int32_t)sys_getpid(process, none)};
	return memory_write(&process->memory, address, &lock, sizeof(lock)) ? 0 : -EFAULT;
}

int64_t lock_range(struct process *process, struct file *file, int command, uint64_t address)
{
	const uint32_t mode = file->flags & O_ACCMODE;
	bool is_query = command == F_GETLK || command == F_OFD_GETLK;
	bool is_of_file = command >= F_OFD_GETLK;
	struct file_lock wanted = {.owner = is_of_file ? file : NULL};
	struct guest_lock lock;

	if (!memory_read(&process->memory, &lock, address, sizeof(lock)))
		return -EFAULT;
	if (lock.whence < SEEK_SET || lock.whence > SEEK_END || lock.type < F_RDLCK ||
	    lock.type > F_UNLCK || (is_query && lock.type == F_UNLCK && !is_of_file) ||
	    (is_of_file && lock.owner))
		return -EINVAL;
	wanted.type = lock.type;
	int64_t failed = file->kind == FILE_HOST ? read_range(file, &lock, &wanted) : 0;
	if (failed)
		return failed;
	if (!is_query && ((lock.type == F_RDLCK && mode == O_WRONLY) ||
			  (lock.type == F_WRLCK && mode == O_RDONLY)))
		return -EBADF;
	if (is_query)
		return tell_other(
			process,
			file->kind == FILE_HOST ? lock_find_other(&process->locks, &wanted) : NULL,
			address);
	return file->kind == FILE_HOST ? take(process, file, &wanted,
					      command == F_SETLKW || command == F_OFD_SETLKW)
				       : 0;
}

/* A lock that is mandatory does not exist any more and is granted. */
int64_t sys_flock(struct process *process, const uint64_t argument[6])
{
	struct file *file = files_get(&process->files, argument[0]);
	int operation = (int)argument[1] & ~LOCK_NB;
	struct file_lock wanted = {.owner = file, .is_whole = true, .end = INT64_MAX};
	struct stat info;

	if (operation & LOCK_MAND)
		return 0;
	if (operation != LOCK_SH && operation != LOCK_EX && operation != LOCK_UN)
		return -EINVAL;
	if (!file)
		return -EBADF;
	if (file->kind != FILE_HOST || fstat(file->fd, &info) != 0)
		return 0;
	wanted.device = info.st_dev;
	wanted.inode = info.st_ino;
	wanted.type = operation == LOCK_SH ? F_RDLCK : operation == LOCK_EX ? F_WRLCK : F_UNLCK;
	return take(process, file, &wanted, !((int)argument[1] & LOCK_NB));
}
