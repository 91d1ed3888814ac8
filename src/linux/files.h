/*
 * files.h - the guest's descriptors, and the host directories mounted for it.
 *
 * A guest path is walked component by component in the guest's name space: links and ".." are
 * resolved as if the mounts were the whole file system. The resolved path lies in the mount with
 * the longest matching guest name, and has no links any more. It is then opened from that mount's
 * directory on, one directory after the other, and no link is followed (openat2): what another
 * process puts in the place of a directory meanwhile leads nowhere, and no path leaves the mount
 * even if the walk is wrong. Where openat2 does not exist every open is refused. Names that exist
 * without a mount, such as /dev/null, are in special.h.
 *
 * Whether a file may be changed is decided by what was opened, not by its name: a directory that is
 * mounted has the rights of its mount wherever it is met on the way.
 *
 * What is no file of the host (pipes, sockets, events, timers) is an object of this process; it has
 * no host descriptor. Every kind is a row of operations (file_operations.h).
 *
 * Who waits for a file puts a watch on it; whatever changes what the file is ready for calls
 * file_notify. Blocking calls, poll, select and epoll all wait this way and no other.
 */
#ifndef LINUX_FILES_H
#define LINUX_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"
#include "linux/nodes.h"

#define FILES_MAX  1024
#define PATH_BYTES 4096
/* The host memory that the snapshots of all listed directories may take. */
#define LISTINGS_BYTES_MAX (UINT64_C(256) << 20)

struct mount {
	char *guest; /* absolute, normalised: "/data", or "/" */
	char *host;  /* the host's name, for messages */
	int fd;	     /* O_PATH directory */
	bool read_only;
};

/* mount.c: opens the host directory. False with a sentence; nothing to close then. */
bool mount_open(struct mount *mount, const char *guest, const char *host, bool read_only,
		struct err *err);
/* From "GUEST=HOST" or "GUEST=HOST:ro". */
bool mount_parse(struct mount *mount, const char *text, struct err *err);
/* False with a sentence if one directory of the host is mounted both read-only and writable. */
bool mounts_agree(const struct mount *mounts, size_t count, struct err *err);
void mount_close(struct mount *mount);

enum file_kind {
	FILE_HOST,
	FILE_STANDARD,
	FILE_NULL,
	FILE_ZERO,
	FILE_RANDOM,
	FILE_PIPE_READ,
	FILE_PIPE_WRITE,
	FILE_FULL,
	FILE_DIRECTORY, /* one that no mount holds */
	FILE_CONTENT,	/* the program itself, or standard input from a file: read-only, with a
			   position of its own */
	FILE_EVENT,
	FILE_TIMER,
	FILE_SIGNAL,
	FILE_EPOLL,
	FILE_SOCKET,
	FILE_PERF,
	FILE_TEXT, /* of /proc and /sys, as it was when it was opened */
	FILE_NOTIFY,
	FILE_PIPE_BOTH, /* a FIFO that was opened to read and write */
	FILE_KINDS
};

struct file;
struct process;

/* One waiter on one file. The waiter owns it; it must be removed before the waiter goes. */
struct watch {
	struct file *file;
	struct watch *next, **link; /* the file's list; link is NULL while on none */
	short events;		    /* POLLIN, POLLOUT ...; errors and hang-ups come unasked */
	void (*wake)(struct watch *watch, short events);
	void (*closed)(struct watch *watch); /* the file is about to go */
};

struct directory_entry {
	char *name;
	uint64_t inode;
	uint8_t type;
};

struct file {
	enum file_kind kind;
	unsigned references;
	int fd;		/* host descriptor, or -1 */
	uint32_t flags; /* O_APPEND, O_NONBLOCK, O_PATH and the access mode */
	bool read_only_mount;
	char *path;		/* the guest's name for it */
	void *object;		/* what the kind keeps, or NULL */
	struct watch *watches;	/* who waits for it */
	struct node *node;	/* that only this run has, or NULL */
	struct file *next_end;	/* of the same pipe */
	struct process *opener; /* that is told when it closes; NULL: it was not opened by name */
	struct memory *charged; /* a text: its size counts against this limit */
	uint64_t charged_bytes;
	struct process *lock_process;	 /* that has taken a lock by it; NULL: none */
	struct directory_entry *entries; /* a sorted snapshot, once listed */
	size_t entry_count, entry_next;
	uint64_t listed_bytes; /* of host memory that the snapshot takes */
	uint64_t *listings;    /* the sum that they are part of, or NULL before the first */
	bool listed;
	/* Of FILE_CONTENT and of a regular node; of an end of a FIFO, the number of openings of
	 * the other kind that it waits to change. */
	uint64_t position;
	uint64_t image_bytes; /* of the program itself, which is in memory */
};

struct descriptor {
	struct file *file;
	bool close_on_exec;
};

/* What a descriptor stood for when a call began that is made again: closing it, or opening another
 * in its place, does not change what the call waits for. */
struct pinned_file {
	uint64_t descriptor;
	struct file *file; /* NULL: none */
};
#define PINNED_MAX 2 /* splice has two */

struct files {
	const struct process *process;	       /* that /proc tells about */
	struct pinned_file pinned[PINNED_MAX]; /* of the call that is being made again */
	struct nodes nodes;		       /* of /dev/shm, and what memfd_create makes */
	struct descriptor descriptors[FILES_MAX];
	const struct mount *mounts;
	size_t mount_count;
	char cwd[PATH_BYTES];
	uint32_t umask;
	uint32_t limit; /* descriptors at and above this are refused */
	/* The host memory that the snapshots of directories take, also of those that no descriptor
	 * stands for any more. */
	uint64_t listed_bytes;
};

void files_init(struct files *files, const struct mount *mounts, size_t mount_count,
		const char *cwd);
void files_release(struct files *files);

/* The file behind a guest descriptor; NULL if it is not open, or if it only stands for a place
 * (O_PATH) and so cannot be read, written or waited for. */
struct file *files_get(const struct files *files, uint64_t descriptor);
/* The same for the calls that take a descriptor that only stands for a place, too. */
struct file *files_get_any(const struct files *files, uint64_t descriptor);
/* A new file with one reference, to be installed or released. */
struct file *file_create(enum file_kind kind, int fd, const char *path);
void file_release(struct file *file);
/* Whether it is a directory, of a mount or not. */
bool file_is_directory(const struct file *file);
void file_drop_listing(struct file *file);
/* The newest watch is woken first, one that is `last` after all others. */
void file_watch(struct file *file, struct watch *watch, bool is_last);
void file_unwatch(struct watch *watch);
/* Wakes who waits for one of these events. */
void file_notify(struct file *file, short events);
/* Takes over the caller's reference. The lowest free number >= least, or -EMFILE
 * (the file is released then). */
int files_install(struct files *files, struct file *file, int least, bool close_on_exec);
int files_close(struct files *files, uint64_t descriptor); /* 0 or -EBADF */

/* A resolved guest path: the mount, and the rest of the path under it. */
struct place {
	const struct files *files;
	const struct mount *mount;
	char rest[PATH_BYTES];	/* relative; "." for the mount itself */
	char guest[PATH_BYTES]; /* absolute and normalised */
	bool is_special;	/* special.h has it, and no mount */
	bool is_node;	   /* at or below NODES_PATH, which no mount has; it need not be there */
	bool is_read_only; /* what was opened last may not be changed */
};

/* Resolves (dirfd, path) as the *at calls do; `follow` says whether a link in the
 * last component is followed. 0 or a negative errno; -ENOENT
 * with place->mount == NULL where no mount covers it, the name is special or that of a node. */
int files_resolve(const struct files *files, int dirfd, const char *path, bool follow,
		  struct place *place);
/* The part of an absolute path that follows the directory's; NULL if the path is not under it. */
const char *path_below(const char *directory, const char *path);

/* place.c: what a name in a mount is, links themselves included, as a descriptor that stands for a
 * place; or a negative errno. Only to look: it says nothing about rights. */
int mount_look(const struct mount *mount, const char *rest);
/* A file beneath a mount's directory, to be read, without following a link; or a negative errno. */
int mount_read(const struct mount *mount, const char *rest);
/* Opens the place and tells in is_read_only whether it may be changed; a descriptor or a negative
 * errno. -ELOOP for a link, unless flags have O_PATH and O_NOFOLLOW. */
int place_open(struct place *place, int flags, mode_t mode);
/* A new file without a name in the directory that the place is; flags have O_TMPFILE. */
int place_open_unnamed(struct place *place, int flags, mode_t mode);
/* The same, to change what is there: -EROFS if it may not be. */
int place_open_to_change(struct place *place, int flags);
/* Whether what is there now may not be changed, to tell the guest so; what changes it asks again.
 */
bool place_is_read_only(struct place *place);
/* Opens the directory that holds the last component, copied to `leaf`; for calls
 * that create. -EROFS where nothing may be changed. */
int place_open_parent(struct place *place, char leaf[PATH_BYTES]);
/* The same for calls that remove or rename: -EBUSY for what is or contains a place where something
 * is mounted, since under another name it would be reached without its mount. */
int place_open_parent_to_remove(const struct files *files, struct place *place,
				char leaf[PATH_BYTES]);

#endif
