/* System calls that take a path; sys_stat.c has those that describe files, sys_attribute.c those
 * that change a file's size, mode, owner or times. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/file_operations.h"
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

static mode_t created_mode(const struct process *process, uint64_t mode)
{
	return (mode_t)mode & PERMISSION_BITS & ~(mode_t)process->files.umask;
}

/* Opens what a descriptor is open to once more. Where that has no name any more, and for a pipe,
 * the new descriptor shares its position with the old one. */
static int64_t open_again(struct process *process, struct file *file, int flags, struct file **out)
{
	const uint32_t mode = (uint32_t)flags & O_ACCMODE, old_mode = file->flags & O_ACCMODE;
	struct place place;
	struct stat old, new;

	if (file->kind == FILE_STANDARD || file->kind == FILE_CONTENT) {
		if (mode != old_mode)
			return -EACCES;
		*out = file_create(file->kind, file->fd, file->path);
		(*out)->image_bytes = file->image_bytes;
		return 0;
	}
	if (file->kind == FILE_HOST && file->path[0] == '/' &&
	    files_resolve(&process->files, AT_FDCWD, file->path, true, &place) == 0) {
		int fd = place_open(&place, flags & ~(O_CREAT | O_EXCL), 0);

		if (fd >= 0 && fstat(fd, &new) == 0 && fstat(file->fd, &old) == 0 &&
		    new.st_ino == old.st_ino &&new.st_dev == old.st_dev) {
			*out = file_create(FILE_HOST, fd, file->path);
			(*out)->read_only_mount = place.mount->read_only;
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
	    special.kind != SPECIAL_DEVICE && special.kind != SPECIAL_TEXT)
		return -ELOOP;
	switch (special.kind) {
	case SPECIAL_DIRECTORY:
		if (writes || flags & O_CREAT)
			return -EISDIR;
		*out = file_create(FILE_DIRECTORY, -1, place->guest);
		return 0;
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

/* Gives a file that was just created its number. */
static void note_created(struct process *process, int fd)
{
	struct stat info;

	if (fstat(fd, &info) == 0)
		inode_create(&process->inodes, info.st_dev, info.st_ino);
}

static int64_t open_in_mount(struct process *process, const struct place *place, int flags,
			     mode_t mode, struct file **out)
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
	if (is_new)
		note_created(process, fd);
	else if (flags & O_TRUNC)
		shared_changed(process, fd, 0, 0);
	*out = file_create(FILE_HOST, fd, place->guest);
	(*out)->read_only_mount = place->mount->read_only;
	return 0;
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
	return !failed && creates && has_slash ? -EISDIR : failed;
}

int64_t sys_openat(struct process *process, const uint64_t argument[6])
{
	const int known = O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_NONBLOCK |
			  O_DIRECTORY | O_NOFOLLOW | O_DSYNC | O_SYNC | O_NOATIME | O_PATH;
	int flags = (int)argument[2] & known;
	struct place place;
	struct file *file = NULL;

	if (flags & O_PATH)
		flags &= O_DIRECTORY | O_NOFOLLOW | O_PATH;
	/* A last link is not followed to be created. */
	bool follow = !(flags & O_NOFOLLOW) && !(flags & O_CREAT && flags & O_EXCL);
	int64_t failed = find_to_open(process, argument, flags & O_CREAT, follow, &place);

	if (failed == -ENOENT && place.is_special)
		failed = open_special(process, &place, flags, &file);
	else if (!failed)
		failed = open_in_mount(process, &place, flags, created_mode(process, argument[3]),
				       &file);
	else if (failed == -ENOENT && !place.mount && place.guest[0])
		warn_refused(process, &place, argument[1]);
	if (failed)
		return failed;
	if (file->references == 1)
		file->flags = (uint32_t)(flags & (O_ACCMODE | O_APPEND | O_NONBLOCK | O_DIRECTORY |
						  O_PATH));
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

static void note_created_name(struct process *process, const struct place *place)
{
	int fd = place_open(place, O_PATH | O_NOFOLLOW, 0);

	if (fd < 0)
		return;
	note_created(process, fd);
	close(fd);
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

int64_t sys_mkdirat(struct process *process, const uint64_t argument[6])
{
	char leaf[PATH_BYTES];
	struct place place;
	int fd = open_to_create(process, argument[0], argument[1], true, &place, leaf);

	if (fd < 0)
		return fd;
	int failed = mkdirat(fd, leaf, created_mode(process, argument[2])) == 0 ? 0 : -errno;
	if (!failed)
		note_created_name(process, &place);
	close(fd);
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
	if (!failed && !ends_in_name(path))
		failed = !(flags & AT_REMOVEDIR) ? -EISDIR
			 : ends_in(path, "..")	 ? -ENOTEMPTY
			 : ends_in(path, ".")	 ? -EINVAL
						 : -EBUSY;
	int fd = failed ? failed : place_open_parent_to_remove(&process->files, &place, leaf);
	if (fd < 0)
		return fd;
	failed = unlinkat(fd, leaf, flags) == 0 ? 0 : -errno;
	close(fd);
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
	if (fd < 0)
		return fd;
	failed = symlinkat(target, fd, leaf) == 0 ? 0 : -errno;
	if (!failed)
		note_created_name(process, &place);
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

int64_t sys_linkat(struct process *process, const uint64_t argument[6])
{
	char from_leaf[PATH_BYTES], to_leaf[PATH_BYTES];
	int flags = (int)argument[4], from_fd = -1, to_fd;
	struct place from, to;
	struct stat info;

	if (flags & ~(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	int failed = find_linked(process, argument, flags, &from);
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
	return failed;
}

static int check_directory(const struct place *place)
{
	int fd = place_open(place, O_PATH | O_NOFOLLOW, 0);
	struct stat info;

	if (fd < 0)
		return fd;
	bool is_directory = fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
	close(fd);
	return is_directory ? 0 : -ENOTDIR;
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
	if (from_failed && from_failed != -ENAMETOOLONG)
		return from_failed;
	failed = path_read(process, argument[3], to_path);
	if (failed)
		return failed;
	size_t length = strlen(to_path);
	const bool has_slash = length && to_path[length - 1] == '/';
	while (length > 1 && to_path[length - 1] == '/')
		to_path[--length] = 0;
	int to_failed = files_resolve(&process->files, (int32_t)argument[2], to_path, false, &to);
	if (to_failed && to_failed != -ENAMETOOLONG)
		return to_failed;
	if (!from_failed && !to_failed && from.mount != to.mount)
		return -EXDEV;
	if (!ends_in_name(from_path))
		return -EBUSY;
	if (!ends_in_name(to_path))
		return flags & RENAME_NOREPLACE ? -EEXIST : -EBUSY;
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
	if (!failed && syscall(SYS_renameat2, from_fd, from_leaf, to_fd, to_leaf, flags) != 0)
		failed = -errno;
	close(from_fd);
	close(to_fd);
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

static int64_t sync_one(struct process *process, uint64_t descriptor)
{
	const struct file *file = files_get(&process->files, descriptor);

	if (!file)
		return -EBADF;
	if (file->kind != FILE_HOST)
		return -EINVAL;
	return fsync(file->fd) == 0 ? 0 : -errno;
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
