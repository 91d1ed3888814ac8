/*
 * locks.h - locks on files: of the whole (flock), of ranges by description (F_OFD_SETLK), and of
 * ranges by the process (F_SETLK).
 *
 * There is one process, so its own ranges never exclude each other; descriptions exclude each other
 * and the process. A lock of the whole and a lock of a range are not compared, as on a local file
 * system. Who waits watches its own file; each release wakes all who wait.
 *
 * Not modelled: a deadlock among waits for the process's own locks, which cannot be.
 */
#ifndef LINUX_LOCKS_H
#define LINUX_LOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file;
struct process;

struct file_lock {
	uint64_t device, inode;	  /* of the host */
	const struct file *owner; /* NULL: the process */
	bool is_whole;		  /* flock's */
	int type;		  /* F_RDLCK, F_WRLCK; F_UNLCK to give up */
	int64_t start, end;	  /* inclusive */
};

struct locks {
	struct file_lock *items;
	size_t count, capacity;
};

/* A lock that excludes this one; NULL if there is none. Of several it is that of the owner who has
 * locks of the file for longest, and of those the first in the file. */
const struct file_lock *lock_find_other(const struct locks *locks, const struct file_lock *wanted);
/* Puts the lock in place of what its owner has there. Nothing excludes it. False if there are too
 * many. */
bool lock_set(struct process *process, const struct file_lock *wanted);
/* The process is about to close one of its descriptors (NULL: it is none). Its own locks of the
 * file go, whatever descriptor they were taken by, and whether the file has others. */
void locks_leave(struct process *process, const struct file *file);
/* The file is about to go, with its locks. */
void locks_close(struct file *file);
void locks_release(struct locks *locks);

#endif
