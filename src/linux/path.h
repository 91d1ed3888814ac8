/*
 * path.h - what the system calls that take a path share.
 *
 * Addresses are the guest's, and hostile.
 */
#ifndef LINUX_PATH_H
#define LINUX_PATH_H

#include <fcntl.h>

#include "linux/process.h"

/* Copies a path of the guest's; 0, -EFAULT or -ENAMETOOLONG. */
int path_read(struct process *process, uint64_t address, char path[PATH_BYTES]);
/* The same, resolved by files_resolve. */
int path_find(struct process *process, uint64_t dirfd, uint64_t address, bool follow,
	      struct place *place);
/* The flag that O_TMPFILE has beside O_DIRECTORY. */
#define UNNAMED (O_TMPFILE & ~O_DIRECTORY)
/* The mode of what the guest creates: without what its umask takes away. */
mode_t path_created_mode(const struct process *process, uint64_t mode);
/* The node that the resolved path is, or NULL. */
struct node *path_node(const struct place *place);
/* What stat tells the guest of an open file, and of one by (dirfd, path) as newfstatat takes them:
 * 0 or a negative errno. */
int stat_file(struct process *process, const struct file *file, struct stat *info);
/* What lstat tells of an absolute path of the guest's. */
int stat_path(struct process *process, const char *path, struct stat *info);
int stat_at(struct process *process, uint64_t dirfd, uint64_t address, int flags,
	    struct stat *info);
/* The target of /proc/self/exe. Its length, or -ENAMETOOLONG. */
int64_t program_path(const struct process *process, char path[PATH_BYTES]);

/* The mode bits that a guest sets. A set-user-ID or set-group-ID file would belong to the user of
 * the host who runs the tool. */
#define PERMISSION_BITS 0777

/* Gives a file that was just created its number, and the mode that the guest is to see: the host
 * has taken away its own umask. */
void path_note_created(struct process *process, int fd, mode_t mode);

/* content.c: what FILE_CONTENT holds. */
struct file *content_open_program(const struct process *process);
uint64_t content_bytes(const struct file *file);
int64_t content_read(const struct process *process, const struct file *file, void *to, size_t bytes,
		     uint64_t offset);

#endif
