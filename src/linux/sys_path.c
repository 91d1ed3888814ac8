/* System calls that open files by path, and go to directories; sys_name.c has those that make and
 * remove names, sys_stat.c those that describe files, sys_attribute.c those that change a file's
 * size, mode, owner or times. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/notify.h"
#include "linux/path.h"
#include "linux/special.h"
#include "linux/syscall.h"
#include "linux/system_files.h"

int path_read(struct process *process, uint64_t address, char path[PATH_BYTES])
{
	int64_t length = memory_read_string(&process->memory, path, address, PATH_BYTES);

	return length == -1 ? -EFAULT : length == -2 ? -ENAMETOOLONG : 0;
}

int path_find(struct process *process, uint64_t dirfd, uint64_t address, bool follow,
	      struct place *place)
{
	char path[PATH_BYTES];
	int failed = path_read(process, address, path);

	return failed ? failed
		      : files_resolve(&process->files, (int32_t)dirfd, path, follow, place);
}

/* A relative name suggests a file of the user's working directory, an absolute one a file that has
 * this name on the host, too. Whether it is there the jailed worker cannot know. */
static void warn_refused(struct process *process, const struct place *place, uint64_t address)
{
	char directory[PATH_BYTES], given[PATH_BYTES];

	/* These describe the host's processes and devices, so no directory of it would help.
	 * Language runtimes ask for them first and do without; the hint is kept for the program's
	 * own files. */
	static const char *const systems[] = {"/proc/", "/sys/", "/dev/"};

	for (size_t i = 0; i < ARRAY_COUNT(systems); i++)
		if (strncmp(place->guest, systems[i], strlen(systems[i])) == 0)
			return;
	if (process->warned_open || path_read(process, address, given) != 0)
		return;
	process->warned_open = true;
	bool is_relative = given[0] != '/';
	strcpy(directory, is_relative ? process->files.cwd : place->guest);
	char *slash = strrchr(directory, '/');
	if (!is_relative)
		slash[slash == directory] = 0;
	process_warn(process,
		     "the program asked for \"%s\", which no --mount covers: answered ENOENT "
		     "(to allow it: --mount %s=%s, if that directory of the host has it; further "
		     "ones are not reported)",
		     place->guest, directory, is_relative ? "." : directory);
}

static void warn_read_only(struct process *process, const struct place *place)
{
	if (!process->warned_read_only)
		process_warn(
			process,
			"the program tried to write \"%s\", which is mounted to be read alone: "
			"answered EROFS (to allow it: leave :ro out of its --mount; further ones "
			"are not reported)",
			place->guest);
	process->warned_read_only = true;
}

mode_t path_created_mode(const struct process *process, uint64_t mode)
{
	return (mode_t)mode & PERMISSION_BITS & ~(mode_t)process->files.umask;
}

static void empty(struct process *process, int fd)
{
	shared_flush(process, fd);
	if (ftruncate(fd, 0) == 0)
		shared_changed(process, fd, 0, 0);
}

struct node *path_node(const struct place *place)
{
	return place->is_node && place->is_special ? special_find(place->files, place->guest).node
						   : NULL;
}

/* Opens a file or FIFO that only this run has; a new one is empty already. */
static int64_t open_node(struct process *process, struct node *node, int flags, const char *path,
			 struct file **out)
{
	if (S_ISFIFO(node->mode) && !(flags & O_PATH))
		return fifo_open(process, node, (uint32_t)flags, path, out);
	*out = file_create(FILE_HOST, node->fd, path);
	(*out)->node = node;
	node_open(node);
	if (flags & O_TRUNC && node->fd >= 0) {
		empty(process, node->fd);
		node_charge(node, 0);
	}
	return 0;
}

/* Opens what a descriptor is open to once more. Where that has no name any more, and for a pipe,
 * the new descriptor shares its position with the old one. */
static int64_t open_again(struct process *process, struct file *file, int flags, struct file **out)
{
	const uint32_t mode = (uint32_t)flags & O_ACCMODE, old_mode = file->flags & O_ACCMODE;
	struct place place;
	struct stat old, new;

	if (file->node && file->kind != FILE_DIRECTORY)
		return open_node(process, file->node, flags, file->path, out);
	if (file->kind == FILE_STANDARD || file->kind == FILE_CONTENT) {
		if (mode != old_mode)
			return -EACCES;
		*out = file_create(file->kind, file->fd, file->path);
		(*out)->image_bytes = file->image_bytes;
		return 0;
	}
	if (file->kind == FILE_HOST && file->path[0] == '/' &&
	    files_resolve(&process->files, AT_FDCWD, file->path, true, &place) == 0) {
		/* Emptied when it is known to be the same. */
		int fd = place_open(&place, flags & ~(O_CREAT | O_EXCL | O_TRUNC), 0);

		if (fd >= 0 && fstat(fd, &new) == 0 && fstat(file->fd, &old) == 0 &&
		    new.st_ino == old.st_ino &&new.st_dev == old.st_dev) {
			if (flags & O_TRUNC && mode != O_RDONLY)
				empty(process, fd);
			*out = file_create(FILE_HOST, fd, file->path);
			(*out)->read_only_mount = place.is_read_only;
			return 0;
		}
		if (fd >= 0)
			close(fd);
		else if (fd != -ENOENT)
			return fd;
	}
	if (mode != old_mode)
		return -EACCES;
	file->references++;
	*out = file;
	return 0;
}

static int64_t open_special(struct process *process, const struct place *place, int flags,
			    struct file **out)
{
	struct special special = special_find(&process->files, place->guest);
	bool writes = (flags & O_ACCMODE) != O_RDONLY;

	if (flags & O_CREAT && flags & O_EXCL)
		return -EEXIST;
	if (flags & O_DIRECTORY && special.kind != SPECIAL_DIRECTORY)
		return -ENOTDIR;
	if (flags & O_NOFOLLOW && special.kind != SPECIAL_DIRECTORY &&
	    !special_is_plain(special.kind) && !(flags & O_PATH && special.node))
		return -ELOOP;
	switch (special.kind) {
	case SPECIAL_DIRECTORY:
		if (writes || flags & O_CREAT)
			return -EISDIR;
		*out = file_create(FILE_DIRECTORY, -1, place->guest);
		(*out)->node = special.node;
		if (special.node)
			node_open(special.node);
		return 0;
	case SPECIAL_LINK: /* the link itself, with O_PATH */
	case SPECIAL_NODE:
		return special.node ? open_node(process, special.node, flags, place->guest, out)
				    : -ENOENT;
	case SPECIAL_DEVICE: *out = file_create(special.device, -1, place->guest); return 0;
	case SPECIAL_DESCRIPTOR:
		return open_again(process, files_get_any(&process->files, special.descriptor),
				  flags, out);
	case SPECIAL_TEXT: return writes ? -EACCES : system_file_open(process, place->guest, out);
	case SPECIAL_PROGRAM:
		if (writes)
			return -ETXTBSY;
		*out = content_open_program(process);
		return *out ? 0 : -ENAMETOOLONG;
	default: return -ENOENT;
	}
}

void path_note_created(struct process *process, int fd, mode_t mode)
{
	struct stat info;

	if (fstat(fd, &info) != 0)
		return;
	inode_create(&process->inodes, info.st_dev, info.st_ino);
	if ((info.st_mode & PERMISSION_BITS) != mode && !S_ISLNK(info.st_mode))
		fchmod(fd, mode);
}

static int64_t open_in_mount(struct process *process, struct place *place, int flags, mode_t mode,
			     struct file **out)
{
	bool may_create = flags & O_CREAT && !(flags & O_EXCL);
	int fd = place_open(place, may_create ? flags & ~O_CREAT : flags, mode);
	bool is_new = fd >= 0 && flags & O_CREAT && flags & O_EXCL;
	struct stat info;

	/* What is a directory is not opened as if it could be created. */
	if (fd >= 0 && may_create && fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
		close(fd);
		return -EISDIR;
	}
	if (fd == -ENOENT && may_create) {
		fd = place_open(place, flags, mode);
		is_new = fd >= 0;
	}
	if (fd < 0)
		return fd;
	if (!is_new && process->inodes.fifo_count && fstat(fd, &info) == 0) {
		struct node *fifo = inode_fifo(&process->inodes, &info);

		if (fifo) {
			close(fd);
			return open_node(process, fifo, flags, place->guest, out);
		}
	}
	if (is_new) {
		path_note_created(process, fd, mode);
		notify_made(process, place->guest, false);
	}
	if (!is_new && flags & O_TRUNC)
		shared_changed(process, fd, 0, 0);
	*out = file_create(FILE_HOST, fd, place->guest);
	(*out)->read_only_mount = place->is_read_only;
	return 0;
}

/* Whether the directory is there that a resolved path for a node leads to. */
static bool has_directory(const struct place *place)
{
	char path[PATH_BYTES];

	if (!place->is_node)
		return false;
	snprintf(path, sizeof(path), "%.*s", (int)(strrchr(place->guest, '/') - place->guest),
		 place->guest);
	const struct node *directory = special_find(place->files, path).node;
	return directory && S_ISDIR(directory->mode);
}

/* What is written with a slash at its end is a directory, which cannot be created here, whether it
 * exists or not. */
static int find_to_open(struct process *process, const uint64_t argument[6], bool creates,
			bool follow, struct place *place)
{
	char path[PATH_BYTES];
	int failed = path_read(process, argument[1], path);
	size_t length = failed ? 0 : strlen(path);
	bool has_slash = length > 1 && path[length - 1] == '/';

	*place = (struct place){0};
	while (creates && length > 1 && path[length - 1] == '/')
		path[--length] = 0;
	if (!failed)
		failed = files_resolve(&process->files, (int32_t)argument[0], path,
				       follow && !(creates && has_slash), place);
	if (creates && has_slash && (!failed || (failed == -ENOENT && has_directory(place))))
		return -EISDIR;
	return failed;
}

/* O_TMPFILE: a file without a name, which linkat may give it. */
static int64_t open_unnamed(struct process *process, const struct place *resolved, int flags,
			    mode_t mode, struct file **out)
{
	struct place place = *resolved;
	char path[PATH_BYTES];
	struct stat info;
	int failed = 0;

	if (place.is_node) {
		const struct node *directory = path_node(&place);

		if (!directory || !S_ISDIR(directory->mode))
			return directory ? -ENOTDIR : -ENOENT;
		struct node *node =
			node_create(&process->files.nodes, S_IFREG | mode, 0, NULL, &failed);
		if (!node)
			return failed;
		node->may_be_named = !(flags & O_EXCL);
		*out = file_create(FILE_HOST, node->fd, place.guest);
		(*out)->node = node;
	} else if (place.is_special) {
		return special_find(&process->files, place.guest).kind == SPECIAL_DIRECTORY
			       ? -EROFS
			       : -ENOTDIR;
	} else {
		int fd = place_open_unnamed(&place, flags, mode);

		if (fd < 0)
			return fd;
		path_note_created(process, fd, mode);
		*out = file_create(FILE_HOST, fd, place.guest);
	}
	failed = stat_file(process, *out, &info);
	if (!failed && snprintf(path, sizeof(path), "%s/#%llu",
				strcmp(place.guest, "/") == 0 ? "" : place.guest,
				(unsigned long long)info.st_ino) >= (int)sizeof(path))
		failed = -ENAMETOOLONG;
	if (failed) {
		file_release(*out);
		return failed;
	}
	free((*out)->path);
	(*out)->path = mem_strdup(path);
	return 0;
}

/* A file of the resolved path, which need not be there if flags allow to create it. */
static int64_t open_resolved(struct process *process, struct place *place, int64_t failed,
			     int flags, mode_t mode, struct file **out)
{
	struct node *node;

	if (flags & UNNAMED)
		return failed && failed != -ENOENT ? failed
		       : failed && !place->is_special
			       ? failed
			       : open_unnamed(process, place, flags, mode, out);
	if (failed == -ENOENT && place->is_special)
		return open_special(process, place, flags, out);
	if (failed == -ENOENT && place->is_node && flags & O_CREAT) {
		failed = nodes_make(&process->files.nodes, place->guest, S_IFREG | mode, NULL,
				    &node);
		if (failed)
			return failed;
		notify_made(process, place->guest, false);
		return open_node(process, node, flags, place->guest, out);
	}
	return failed ? failed : open_in_mount(process, place, flags, mode, out);
}

/* The flags of openat that go together. */
static int check_open_flags(int *flags)
{
	if (*flags & O_PATH)
		*flags &= O_DIRECTORY | O_NOFOLLOW | O_PATH;
	if (!(*flags & UNNAMED))
		return 0;
	return (*flags & (O_TMPFILE | O_CREAT)) == O_TMPFILE && (*flags & O_ACCMODE) != O_RDONLY
		       ? 0
		       : -EINVAL;
}

int64_t sys_openat(struct process *process, const uint64_t argument[6])
{
	const int known = O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_NONBLOCK |
			  O_DIRECTORY | O_NOFOLLOW | O_DSYNC | O_SYNC | O_NOATIME | O_PATH |
			  UNNAMED;
	int flags = (int)argument[2] & known;
	struct file *file = process->files.pinned[FIFO_PINNED].file;
	int64_t failed = check_open_flags(&flags);
	struct place place;

	if (failed)
		return failed;
	if (file) {
		file->references++;
		failed = fifo_wait(process, file);
	} else {
		/* A last link is not followed to be created. */
		const bool follow = !(flags & O_NOFOLLOW) && !(flags & O_CREAT && flags & O_EXCL);

		failed = find_to_open(process, argument, flags & O_CREAT, follow, &place);
		if (failed == -ENOENT && !place.is_special && !place.is_node && !place.mount &&
		    place.guest[0])
			warn_refused(process, &place, argument[1]);
		failed = open_resolved(process, &place, failed, flags,
				       path_created_mode(process, argument[3]), &file);
		if (failed == -EROFS && place.mount)
			warn_read_only(process, &place);
	}
	if (failed || process->restart) {
		if (file)
			file_release(file);
		return failed;
	}
	if (file->references == 1 && !file_is_pipe(file))
		file->flags = (uint32_t)(flags & (O_ACCMODE | O_APPEND | O_NONBLOCK | O_DIRECTORY |
						  O_PATH | UNNAMED));
	if (file->references == 1 || file_is_pipe(file))
		file->opener = process;
	if (flags & O_TRUNC)
		notify_file(process, file, IN_MODIFY);
	notify_file(process, file, IN_OPEN);
	return files_install(&process->files, file, 0, argument[2] & O_CLOEXEC);
}

int64_t sys_getcwd(struct process *process, const uint64_t argument[6])
{
	uint64_t bytes = strlen(process->files.cwd) + 1;

	if (argument[1] < bytes)
		return -ERANGE;
	if (!memory_write(&process->memory, argument[0], process->files.cwd, bytes))
		return -EFAULT;
	return (int64_t)bytes;
}

int64_t sys_chdir(struct process *process, const uint64_t argument[6])
{
	struct place place;
	int failed = path_find(process, (uint64_t)AT_FDCWD, argument[0], true, &place);

	if (failed == -ENOENT && place.is_special)
		failed = special_find(&process->files, place.guest).kind == SPECIAL_DIRECTORY
				 ? 0
				 : -ENOTDIR;
	else if (!failed) {
		int fd = place_open(&place, O_PATH | O_DIRECTORY, 0);

		if (fd < 0)
			return fd;
		close(fd);
	}
	if (!failed)
		strcpy(process->files.cwd, place.guest);
	return failed;
}

int64_t sys_fchdir(struct process *process, const uint64_t argument[6])
{
	const struct file *file = files_get_any(&process->files, argument[0]);

	if (!file)
		return -EBADF;
	if (!file_is_directory(file))
		return -ENOTDIR;
	strcpy(process->files.cwd, file->path);
	return 0;
}

static int64_t sync_one(struct process *process, uint64_t descriptor)
{
	const struct file *file = files_get(&process->files, descriptor);

	if (!file)
		return -EBADF;
	if (file->kind != FILE_HOST)
		return -EINVAL;
	return file->node || fsync(file->fd) == 0 ? 0 : -errno;
}

int64_t sys_fsync(struct process *process, const uint64_t argument[6])
{
	return sync_one(process, argument[0]);
}

int64_t sys_fdatasync(struct process *process, const uint64_t argument[6])
{
	return sync_one(process, argument[0]);
}

int64_t sys_sync(struct process *process, const uint64_t argument[6])
{
	(void)process, (void)argument;
	return 0;
}

int64_t sys_fadvise64(struct process *process, const uint64_t argument[6])
{
	const struct file *file = files_get(&process->files, argument[0]);

	if (!file)
		return -EBADF;
	if (S_ISFIFO(file_operations(file)->mode))
		return -ESPIPE;
	return (int64_t)argument[2] < 0 || (uint32_t)argument[3] > POSIX_FADV_NOREUSE ? -EINVAL : 0;
}

int64_t sys_umask(struct process *process, const uint64_t argument[6])
{
	uint32_t old = process->files.umask;

	process->files.umask = (uint32_t)argument[0] & 0777;
	return old;
}
