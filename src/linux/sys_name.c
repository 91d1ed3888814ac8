/* System calls that make, remove and change names: directories, FIFOs, links, rename. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "linux/file_operations.h"
#include "linux/notify.h"
#include "linux/path.h"
#include "linux/special.h"
#include "linux/syscall.h"

static void note_created_name(struct process *process, struct place *place, mode_t mode)
{
	int fd = place_open_to_change(place, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);

	/* What cannot be opened, or was put there meanwhile and is read-only, keeps its mode. */
	if (fd < 0)
		fd = place_open(place, O_PATH | O_NOFOLLOW, 0);
	if (fd < 0)
		return;
	path_note_created(process, fd, mode);
	close(fd);
	notify_made(process, place->guest, false);
}

/* Whether the last component of a path is this; slashes at the end do not count. */
static bool ends_in(const char *path, const char *name)
{
	size_t end = strlen(path), start;

	while (end && path[end - 1] == '/')
		end--;
	for (start = end; start && path[start - 1] != '/';)
		start--;
	return end - start == strlen(name) && strncmp(path + start, name, end - start) == 0;
}

/* Whether the last component of a path is a name, and not ".", ".." or the root. */
static bool ends_in_name(const char *path)
{
	return !ends_in(path, "") && !ends_in(path, ".") && !ends_in(path, "..");
}

/* Opens the directory in which a new name is to be made, copied to `leaf`. What exists is EEXIST,
 * whatever it is and however it is written; only directories may be written with a slash. */
static int open_to_create(struct process *process, uint64_t dirfd, uint64_t address,
			  bool is_directory, struct place *place, char leaf[PATH_BYTES])
{
	char path[PATH_BYTES];
	int failed = path_read(process, address, path);
	size_t length = failed ? 0 : strlen(path);

	if (failed)
		return failed;
	bool has_slash = length && path[length - 1] == '/';
	while (length > 1 && path[length - 1] == '/')
		path[--length] = 0;
	failed = files_resolve(&process->files, (int32_t)dirfd, path, false, place);
	if (place->is_special || (!failed && !ends_in_name(path)))
		return -EEXIST;
	if (failed == -ENOENT && has_slash && !is_directory)
		place->is_node = false;
	if (failed)
		return failed;
	int fd = place_open(place, O_PATH | O_NOFOLLOW, 0);
	if (fd >= 0) {
		close(fd);
		return -EEXIST;
	}
	if (fd != -ENOENT)
		return fd;
	return has_slash && !is_directory ? -ENOENT : place_open_parent(place, leaf);
}

/* Whether what open_to_create answered says that the name is one for a node. */
static bool is_new_node(int failed, const struct place *place)
{
	return failed == -ENOENT && place->is_node && !place->is_special;
}

static int64_t make_node(struct process *process, const struct place *place, mode_t mode,
			 const char *target)
{
	int failed = nodes_make(&process->files.nodes, place->guest, mode, target, NULL);

	if (!failed)
		notify_made(process, place->guest, false);
	return failed;
}

static int64_t link_node(struct process *process, struct node *node, const struct place *to)
{
	if (S_ISDIR(node->mode))
		return -EPERM;
	int failed = nodes_link(&process->files.nodes, node, to->guest);
	if (!failed)
		notify_made(process, to->guest, true);
	return failed;
}

int64_t sys_mkdirat(struct process *process, const uint64_t argument[6])
{
	char leaf[PATH_BYTES];
	struct place place;
	int fd = open_to_create(process, argument[0], argument[1], true, &place, leaf);
	const mode_t mode = path_created_mode(process, argument[2]);

	if (is_new_node(fd, &place))
		return make_node(process, &place, S_IFDIR | mode, NULL);
	if (fd < 0)
		return fd;
	int failed = mkdirat(fd, leaf, mode) == 0 ? 0 : -errno;
	if (!failed)
		note_created_name(process, &place, mode);
	close(fd);
	return failed;
}

/* A FIFO in a mount: an empty file stands for it. */
static int64_t make_fifo(struct process *process, struct place *place, mode_t mode)
{
	struct stat info;
	int failed = 0;
	struct node *node = node_create(&process->files.nodes, S_IFIFO | mode, 0, NULL, &failed);
	int fd = node ? place_open(place, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, mode) : failed;

	if (fd >= 0) {
		path_note_created(process, fd, mode);
		failed = fstat(fd, &info) != 0				 ? -errno
			 : inode_set_fifo(&process->inodes, &info, node) ? 0
									 : -ENOSPC;
		close(fd);
		if (!failed)
			notify_made(process, place->guest, false);
	}
	if (node && (fd < 0 || failed))
		node_close(node);
	return fd < 0 ? fd : failed;
}

/* Without privileges there are no devices to be made. A name of a socket would be for others. */
int64_t sys_mknodat(struct process *process, const uint64_t argument[6])
{
	const uint64_t type = argument[2] & S_IFMT;
	const mode_t mode = path_created_mode(process, argument[2]);
	char leaf[PATH_BYTES];
	struct place place;

	if (type == S_IFDIR)
		return -EPERM;
	if (type && type != S_IFREG && type != S_IFIFO && type != S_IFSOCK && type != S_IFCHR &&
	    type != S_IFBLK)
		return -EINVAL;
	int fd = open_to_create(process, argument[0], argument[1], false, &place, leaf);
	const bool is_node = is_new_node(fd, &place);
	if (fd < 0 && !is_node)
		return fd;
	if (fd >= 0)
		close(fd);
	if (type && type != S_IFREG && type != S_IFIFO)
		return -EPERM;
	if (is_node)
		return make_node(process, &place, (type ? (mode_t)type : S_IFREG) | mode, NULL);
	if (type == S_IFIFO)
		return make_fifo(process, &place, mode);
	fd = place_open(&place, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, mode);
	if (fd < 0)
		return fd;
	path_note_created(process, fd, mode);
	close(fd);
	notify_made(process, place.guest, false);
	return 0;
}

/* A name of a mount is about to go; a FIFO without another goes with it. */
static void forget_fifo(struct process *process, struct place *place)
{
	struct stat info;

	if (!process->inodes.fifo_count)
		return;
	int fd = place_open(place, O_PATH | O_NOFOLLOW, 0);
	if (fd < 0)
		return;
	if (fstat(fd, &info) == 0 && info.st_nlink == 1)
		inode_drop_fifo(&process->inodes, &info);
	close(fd);
}

static int64_t remove_node(struct process *process, const struct place *place, int flags)
{
	const struct notify_target what = notify_look(process, place->guest);
	int failed = nodes_remove(&process->files.nodes, place->guest, flags & AT_REMOVEDIR);

	if (!failed)
		notify_removed(process, place->guest, &what);
	return failed;
}

int64_t sys_unlinkat(struct process *process, const uint64_t argument[6])
{
	char leaf[PATH_BYTES], path[PATH_BYTES];
	struct place place;
	int flags = (int)argument[2];

	if (flags & ~AT_REMOVEDIR)
		return -EINVAL;
	int failed = path_read(process, argument[1], path);
	if (!failed)
		failed = files_resolve(&process->files, (int32_t)argument[0], path, false, &place);
	const bool is_node = failed == -ENOENT && place.is_special && place.is_node;
	if ((!failed || is_node) && !ends_in_name(path))
		return !(flags & AT_REMOVEDIR) ? -EISDIR
		       : ends_in(path, "..")   ? -ENOTEMPTY
		       : ends_in(path, ".")    ? -EINVAL
					       : -EBUSY;
	const struct notify_target what = notify_look(process, failed ? "" : place.guest);
	if (is_node)
		return remove_node(process, &place, flags);
	int fd = failed ? failed : place_open_parent_to_remove(&process->files, &place, leaf);
	if (fd < 0)
		return fd;
	forget_fifo(process, &place);
	failed = unlinkat(fd, leaf, flags) == 0 ? 0 : -errno;
	close(fd);
	if (!failed)
		notify_removed(process, place.guest, &what);
	return failed;
}

int64_t sys_symlinkat(struct process *process, const uint64_t argument[6])
{
	char target[PATH_BYTES], leaf[PATH_BYTES];
	struct place place;
	int failed = path_read(process, argument[0], target);

	if (failed || !target[0])
		return failed ? failed : -ENOENT;
	int fd = open_to_create(process, argument[1], argument[2], false, &place, leaf);
	if (is_new_node(fd, &place))
		return make_node(process, &place, S_IFLNK | 0777, target);
	if (fd < 0)
		return fd;
	failed = symlinkat(target, fd, leaf) == 0 ? 0 : -errno;
	if (!failed)
		note_created_name(process, &place, PERMISSION_BITS);
	close(fd);
	return failed;
}

/* What linkat makes a second name of: with AT_EMPTY_PATH and no path, what the descriptor is. */
static int find_linked(struct process *process, const uint64_t argument[6], int flags,
		       struct place *place)
{
	char path[PATH_BYTES];
	int failed = path_read(process, argument[1], path);

	if (failed || path[0] || !(flags & AT_EMPTY_PATH))
		return failed ? failed
			      : files_resolve(&process->files, (int32_t)argument[0], path,
					      flags & AT_SYMLINK_FOLLOW, place);
	const struct file *file = files_get_any(&process->files, argument[0]);
	if ((int32_t)argument[0] != AT_FDCWD && !file)
		return -EBADF;
	if (file && file->kind != FILE_HOST)
		return -EXDEV;
	return files_resolve(&process->files, AT_FDCWD, file ? file->path : ".", true, place);
}

/* The open file that linkat is to name, where it says so by its descriptor; or NULL. */
static struct file *find_linked_file(struct process *process, const uint64_t argument[6], int flags)
{
	char path[PATH_BYTES];
	struct place place;

	if (path_read(process, argument[1], path) != 0)
		return NULL;
	if (!path[0])
		return flags & AT_EMPTY_PATH ? files_get_any(&process->files, argument[0]) : NULL;
	if (!(flags & AT_SYMLINK_FOLLOW) ||
	    files_resolve(&process->files, (int32_t)argument[0], path, true, &place) != -ENOENT ||
	    !place.is_special)
		return NULL;
	const struct special special = special_find(&process->files, place.guest);
	return special.kind == SPECIAL_DESCRIPTOR
		       ? files_get_any(&process->files, special.descriptor)
		       : NULL;
}

/* Whether a file that has no name lies in the mount that its path says. */
static bool is_unnamed_in(const struct process *process, const struct file *file,
			  const struct mount *mount)
{
	char directory[PATH_BYTES];
	struct place place;
	struct stat info;

	if (file->kind != FILE_HOST || file->node || file->read_only_mount ||
	    !(file->flags & UNNAMED) || fstat(file->fd, &info) != 0 || info.st_nlink)
		return false;
	strcpy(directory, file->path);
	char *slash = strrchr(directory, '/');
	slash[slash == directory] = 0;
	return files_resolve(&process->files, AT_FDCWD, directory, false, &place) == 0 &&
	       place.mount == mount;
}

/* Names a file that linkat has by its descriptor. */
static int64_t link_file(struct process *process, const struct file *file,
			 const uint64_t argument[6])
{
	char leaf[PATH_BYTES], path[64];
	struct place to;
	int fd = open_to_create(process, argument[2], argument[3], false, &to, leaf);
	int failed = 0;

	if (is_new_node(fd, &to)) {
		struct node *node = file->node;

		if (!node || (node->fd >= 0 && !node->names && !node->may_be_named))
			return node ? -ENOENT : -EXDEV;
		return link_node(process, node, &to);
	}
	if (fd < 0)
		return fd;
	if (!is_unnamed_in(process, file, to.mount)) {
		failed = -EXDEV;
	} else {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
		failed = linkat(AT_FDCWD, path, fd, leaf, AT_SYMLINK_FOLLOW) == 0 ? 0 : -errno;
	}
	close(fd);
	if (!failed)
		notify_made(process, to.guest, true);
	return failed;
}

int64_t sys_linkat(struct process *process, const uint64_t argument[6])
{
	char from_leaf[PATH_BYTES], to_leaf[PATH_BYTES];
	int flags = (int)argument[4], from_fd = -1, to_fd;
	struct place from, to;
	struct stat info;

	if (flags & ~(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	const struct file *file = find_linked_file(process, argument, flags);
	if (file && (file->node || file->flags & UNNAMED))
		return link_file(process, file, argument);
	int failed = find_linked(process, argument, flags, &from);
	struct node *node = failed == -ENOENT ? path_node(&from) : NULL;
	if (node) {
		int made = open_to_create(process, argument[2], argument[3], false, &to, to_leaf);

		if (made >= 0)
			close(made);
		if (!is_new_node(made, &to))
			return made < 0 ? made : -EXDEV;
		return link_node(process, node, &to);
	}
	if (failed)
		return failed == -ENOENT && from.is_special ? -EXDEV : failed;
	int fd = place_open(&from, O_PATH | O_NOFOLLOW, 0);
	if (fd < 0)
		return fd;
	bool is_directory = fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
	close(fd);
	to_fd = open_to_create(process, argument[2], argument[3], false, &to, to_leaf);
	if (to_fd < 0)
		return to_fd;
	if (from.mount != to.mount)
		failed = -EXDEV;
	else if (is_directory)
		failed = -EPERM;
	else
		from_fd = place_open_parent(&from, from_leaf);
	if (!failed && from_fd < 0)
		failed = from_fd;
	if (!failed && linkat(from_fd, from_leaf, to_fd, to_leaf, 0) != 0)
		failed = -errno;
	if (from_fd >= 0)
		close(from_fd);
	close(to_fd);
	if (!failed)
		notify_made(process, to.guest, true);
	return failed;
}

static int check_directory(struct place *place)
{
	int fd = place_open(place, O_PATH | O_NOFOLLOW, 0);
	struct stat info;

	if (fd < 0)
		return fd;
	bool is_directory = fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
	close(fd);
	return is_directory ? 0 : -ENOTDIR;
}

static void note_moved(struct process *process, const struct place *from, const struct place *to,
		       const struct notify_target *what, const struct notify_target *replaced,
		       unsigned flags)
{
	const struct notify_target none = {0};
	const bool is_exchange = flags & RENAME_EXCHANGE;

	notify_moved(process, from->guest, to->guest, what, is_exchange ? &none : replaced);
	if (is_exchange)
		notify_moved(process, to->guest, from->guest, replaced, &none);
}

/* One of the names is under NODES_PATH; `names` says whether both paths end in a name. */
static int64_t rename_node(struct process *process, const struct place *from,
			   const struct place *to, unsigned flags, bool has_slash, int names)
{
	if (!from->is_node || !to->is_node)
		return -EXDEV;
	if (names)
		return names;
	if (flags & RENAME_WHITEOUT)
		return -EINVAL;
	if (has_slash && !S_ISDIR(path_node(from)->mode))
		return -ENOTDIR;
	const struct notify_target what = notify_look(process, from->guest);
	const struct notify_target replaced = notify_look(process, to->guest);
	int failed = nodes_rename(&process->files.nodes, from->guest, to->guest, flags);
	if (!failed)
		note_moved(process, from, to, &what, &replaced, flags);
	return failed;
}

/* What renaming "." or ".." answers, before any name is looked up; 0 for names. */
static int check_names(const char *from, const char *to, unsigned flags)
{
	if (!ends_in_name(from))
		return -EBUSY;
	if (!ends_in_name(to))
		return flags & RENAME_NOREPLACE ? -EEXIST : -EBUSY;
	return 0;
}

/* Both names must lie in the same mount. */
static int64_t rename_names(struct process *process, const uint64_t argument[6], unsigned flags)
{
	char from_leaf[PATH_BYTES], to_leaf[PATH_BYTES], from_path[PATH_BYTES], to_path[PATH_BYTES];
	struct place from, to;

	if (flags & ~(unsigned)(RENAME_NOREPLACE | RENAME_EXCHANGE | RENAME_WHITEOUT) ||
	    (flags & RENAME_EXCHANGE && flags != RENAME_EXCHANGE))
		return -EINVAL;
	int failed = path_read(process, argument[1], from_path);
	if (failed)
		return failed;
	/* Both directories are found before a name is looked up, and so before it is too long. */
	int from_failed =
		files_resolve(&process->files, (int32_t)argument[0], from_path, false, &from);
	const bool is_special = from_failed == -ENOENT && from.is_special;
	if (from_failed && from_failed != -ENAMETOOLONG && !is_special)
		return from_failed;
	failed = path_read(process, argument[3], to_path);
	if (failed)
		return failed;
	size_t length = strlen(to_path);
	const bool has_slash = length && to_path[length - 1] == '/';
	while (length > 1 && to_path[length - 1] == '/')
		to_path[--length] = 0;
	int to_failed = files_resolve(&process->files, (int32_t)argument[2], to_path, false, &to);
	const int names = check_names(from_path, to_path, flags);
	const bool is_to_node = to_failed == -ENOENT && to.is_node;
	if (to_failed && to_failed != -ENAMETOOLONG && !is_to_node &&
	    !(is_special && to_failed == -ENOENT))
		return to_failed;
	/* What "." is in is not there. */
	if (is_to_node && !to.is_special && !ends_in_name(to_path))
		return -ENOENT;
	if (is_special || is_to_node)
		return rename_node(process, &from, &to, flags, has_slash, names);
	if (!from_failed && !to_failed && from.mount != to.mount)
		return -EXDEV;
	if (names)
		return names;
	if (from_failed || to_failed)
		return from_failed ? from_failed : to_failed;
	/* A device is left behind, which a guest may not make. */
	if (flags & RENAME_WHITEOUT)
		return -EINVAL;
	int from_fd = place_open_parent_to_remove(&process->files, &from, from_leaf);
	if (from_fd < 0)
		return from_fd;
	int to_fd = place_open_parent_to_remove(&process->files, &to, to_leaf);
	if (to_fd < 0) {
		close(from_fd);
		return to_fd;
	}
	/* A name with a slash at its end is for a directory. */
	if (has_slash)
		failed = check_directory(flags & RENAME_EXCHANGE ? &to : &from);
	const struct notify_target what = notify_look(process, from.guest);
	const struct notify_target replaced = notify_look(process, to.guest);
	if (!failed && !flags)
		forget_fifo(process, &to);
	if (!failed && syscall(SYS_renameat2, from_fd, from_leaf, to_fd, to_leaf, flags) != 0)
		failed = -errno;
	close(from_fd);
	close(to_fd);
	if (!failed)
		note_moved(process, &from, &to, &what, &replaced, flags);
	return failed;
}

int64_t sys_renameat(struct process *process, const uint64_t argument[6])
{
	return rename_names(process, argument, 0);
}

int64_t sys_renameat2(struct process *process, const uint64_t argument[6])
{
	return rename_names(process, argument, (unsigned)argument[4]);
}
