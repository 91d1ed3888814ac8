/*
 * notify.h - what inotify tells: changes that the program itself makes to files.
 *
 * A watch is on a file as stat numbers it. A call that changes, opens, reads or closes a file tells
 * it here, after it is done; if no inotify descriptor is open that costs one comparison. What
 * others do to the files of a mount is not seen.
 *
 * Queues are bounded as Linux bounds them (16,384 events, then one that says that some were lost),
 * and events and watches are charged to --memory.
 */
#ifndef LINUX_NOTIFY_H
#define LINUX_NOTIFY_H

#include "linux/process.h"

/* What an event tells of a file before it is gone. */
struct notify_target {
	bool is_known;
	uint64_t inode;
	bool is_directory;
	bool has_other_names;
};

/* What is at the path now, a link itself included; not known if nobody watches. */
struct notify_target notify_look(struct process *process, const char *path);

/* One event of what the path names, told to watchers of its directory by its name and to watchers
 * of itself: IN_OPEN, IN_ATTRIB, IN_MODIFY ... */
void notify_path(struct process *process, const char *path, uint32_t events);
/* The same of an open file. */
void notify_file(struct process *process, const struct file *file, uint32_t events);
/* A name was made: IN_CREATE to the directory; IN_ATTRIB to a file that had another name. */
void notify_made(struct process *process, const char *path, bool is_second);
/* A name was removed. */
void notify_removed(struct process *process, const char *path, const struct notify_target *what);
/* A file has got another name, in the place of `replaced`. */
void notify_moved(struct process *process, const char *from, const char *to,
		  const struct notify_target *what, const struct notify_target *replaced);
/* The last descriptor of an open file has gone. */
void notify_closed(struct process *process, const struct file *file);

/* The bytes of events that can be read. */
int32_t notify_unread(const struct file *file);

#endif
