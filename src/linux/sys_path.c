/* System calls that take a path; sys_stat.c has those that describe files. */
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

	/* A directory of the host's would not help there. */
	if (strncmp(place->guest, "/proc/", 6) == 0 || strncmp(place->guest, "/dev/", 5) == 0)
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

/* The mode of a file that the guest creates. A set-user-ID or set-group-ID file would belong to the
 * user of the host who runs the tool, so a guest sets permission bits only. */
#define PERMISSION_BITS 0777

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
	    special.kind != SPECIAL_DEVICE)
		return -ELOOP;
	switch (special.kind) {
	case SPECIAL_DIRECTORY:
		if (writes || flags & O_CREAT)
			return -EISDIR;
		*out = file_create(FILE_DIRECTORY, -1, place->guest);
		return 0;
	case SPECIAL_DEVICE: *out = file_create(special.device, -1, place->guest); return 0;
	case SPECIAL_DESCRIPTOR:
		return open_again(process, files_get(&process->files, special.descriptor), flags,
				  out);
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

int64_t sys_openat(struct process *process, const uint64_t argument[6])
{
	const int known = O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_NONBLOCK |
			  O_DIRECTORY | O_NOFOLLOW | O_DSYNC | O_SYNC | O_NOATIME | O_PATH;
	int flags = (int)argument[2] & known;
	struct place place;
	struct file *file = NULL;
	/* A last link is not followed to be created. */
	bool follow = !(flags & O_NOFOLLOW) && !(flags & O_CREAT && flags & O_EXCL);
	int64_t failed = path_find(process, argument[0], argument[1], follow, &place);

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
		file->flags = (uint32_t)(flags & (O_ACCMODE | O_APPEND | O_NONBLOCK | O_DIRECTORY));
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
	const struct file *file = files_get(&process->files, argument[0]);

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

int64_t sys_mkdirat(struct process *process, const uint64_t argument[6])
{
	char leaf[PATH_BYTES];
	struct place place;
	int failed = path_find(process, argument[0], argument[1], false, &place);
	int fd = failed ? failed : place_open_parent(&place, leaf);

	if (fd < 0)
		return fd == -EBUSY || fd == -EINVAL || place.is_special ? -EEXIST : fd;
	failed = mkdirat(fd, leaf, created_mode(process, argument[2])) == 0 ? 0 : -errno;
	if (!failed)
		note_created_name(process, &place);
	close(fd);
	return failed;
}

int64_t sys_unlinkat(struct process *process, const uint64_t argument[6])
{
	char leaf[PATH_BYTES];
	struct place place;
	int failed = path_find(process, argument[0], argument[1], false, &place);
	int fd = failed ? failed : place_open_parent_to_remove(&process->files, &place, leaf);

	if (argument[2] & ~(uint64_t)AT_REMOVEDIR)
		failed = -EINVAL;
	if (fd < 0)
		return fd;
	if (!failed)
		failed = unlinkat(fd, leaf, (int)argument[2]) == 0 ? 0 : -errno;
	close(fd);
	return failed;
}

int64_t sys_symlinkat(struct process *process, const uint64_t argument[6])
{
	char target[PATH_BYTES], leaf[PATH_BYTES];
	struct place place;
	int failed = path_read(process, argument[0], target);

	if (!failed)
		failed = path_find(process, argument[1], argument[2], false, &place);
	int fd = failed ? failed : place_open_parent(&place, leaf);
	if (fd < 0)
		return fd;
	failed = symlinkat(target, fd, leaf) == 0 ? 0 : -errno;
	if (!failed)
		note_created_name(process, &place);
	close(fd);
	return failed;
}

static int open_one(const struct process *process, const struct place *place, char leaf[PATH_BYTES],
		    bool is_rename)
{
	return is_rename ? place_open_parent_to_remove(&process->files, place, leaf)
			 : place_open_parent(place, leaf);
}

/* link and rename take two paths, which must lie in the same mount. */
static int64_t with_two_places(struct process *process, const uint64_t argument[6], bool is_rename,
			       unsigned flags)
{
	char from_leaf[PATH_BYTES], to_leaf[PATH_BYTES];
	struct place from, to;
	int failed = path_find(process, argument[0], argument[1], false, &from);

	if (!failed)
		failed = path_find(process, argument[2], argument[3], false, &to);
	if (failed)
		return failed;
	if (from.mount != to.mount)
		return -EXDEV;
	int from_fd = open_one(process, &from, from_leaf, is_rename);
	if (from_fd < 0)
		return from_fd;
	int to_fd = open_one(process, &to, to_leaf, is_rename);
	if (to_fd < 0) {
		close(from_fd);
		return to_fd;
	}
	if (is_rename)
		failed = (int)syscall(SYS_renameat2, from_fd, from_leaf, to_fd, to_leaf, flags);
	else
		failed = linkat(from_fd, from_leaf, to_fd, to_leaf, 0);
	failed = failed == 0 ? 0 : -errno;
	close(from_fd);
	close(to_fd);
	return failed;
}

int64_t sys_linkat(struct process *process, const uint64_t argument[6])
{
	return with_two_places(process, argument, false, 0);
}

int64_t sys_renameat(struct process *process, const uint64_t argument[6])
{
	return with_two_places(process, argument, true, 0);
}

int64_t sys_renameat2(struct process *process, const uint64_t argument[6])
{
	if (argument[4] & ~(uint64_t)3)
		return -EINVAL;
	return with_two_places(process, argument, true, (unsigned)argument[4]);
}

static int truncate_file(struct process *process, int fd, uint64_t bytes)
{
	shared_flush(process, fd);
	if (ftruncate(fd, (off_t)bytes) != 0)
		return -errno;
	shared_changed(process, fd, 0, 0);
	return 0;
}

int64_t sys_truncate(struct process *process, const uint64_t argument[6])
{
	struct place place;
	int failed = path_find(process, (uint64_t)AT_FDCWD, argument[0], true, &place);
	int fd = failed ? failed : place_open(&place, O_WRONLY, 0);

	if (fd < 0)
		return fd;
	failed = truncate_file(process, fd, argument[1]);
	close(fd);
	return failed;
}

/* A host file the guest may change, or the errno that says why not. */
static int writable_file(struct process *process, uint64_t descriptor, struct file **file)
{
	*file = files_get(&process->files, descriptor);
	if (!*file)
		return -EBADF;
	if ((*file)->kind != FILE_HOST)
		return -EINVAL;
	return (*file)->read_only_mount ? -EROFS : 0;
}

int64_t sys_ftruncate(struct process *process, const uint64_t argument[6])
{
	struct file *file;
	int failed = writable_file(process, argument[0], &file);

	if (failed)
		return failed == -EROFS ? -EINVAL : failed;
	shared_flush(process, file->fd);
	failed = (int)file_truncate(file, (int64_t)argument[1]);
	shared_changed(process, file->fd, 0, 0);
	return failed;
}

int64_t sys_fallocate(struct process *process, const uint64_t argument[6])
{
	struct file *file;
	int failed = writable_file(process, argument[0], &file);

	if (failed)
		return failed;
	if (argument[1])
		return -EOPNOTSUPP;
	if (!file_charge_growth(file, argument[2], argument[3]))
		return -ENOSPC;
	if (posix_fallocate(file->fd, (off_t)argument[2], (off_t)argument[3]) != 0)
		return -EINVAL;
	shared_changed(process, file->fd, 0, 0);
	return 0;
}

int64_t sys_fchmod(struct process *process, const uint64_t argument[6])
{
	struct file *file;
	int failed = writable_file(process, argument[0], &file);

	if (failed)
		return failed;
	return fchmod(file->fd, (mode_t)argument[1] & PERMISSION_BITS) == 0 ? 0 : -errno;
}

int64_t sys_fchmodat(struct process *process, const uint64_t argument[6])
{
	struct place place;
	int failed = path_find(process, argument[0], argument[1], true, &place);

	if (failed)
		return failed;
	if (place.mount->read_only)
		return -EROFS;
	int fd = place_open(&place, O_RDONLY | O_NONBLOCK, 0);
	if (fd < 0)
		return fd;
	failed = fchmod(fd, (mode_t)argument[2] & PERMISSION_BITS) == 0 ? 0 : -errno;
	close(fd);
	return failed;
}

/* There is one user and one group, 0, as in a user namespace that maps no other: giving a file to
 * them changes nothing, and any other number is none. */
static int check_owner(uint64_t owner, uint64_t group)
{
	return (!(uint32_t)owner || (uint32_t)owner == UINT32_MAX) &&
			       (!(uint32_t)group || (uint32_t)group == UINT32_MAX)
		       ? 0
		       : -EINVAL;
}

int64_t sys_fchown(struct process *process, const uint64_t argument[6])
{
	const struct file *file = files_get(&process->files, argument[0]);

	if (!file)
		return -EBADF;
	return file->read_only_mount ? -EROFS : check_owner(argument[1], argument[2]);
}

int64_t sys_fchownat(struct process *process, const uint64_t argument[6])
{
	int flags = (int)argument[4];
	struct place place;
	struct stat info;

	if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	int failed = stat_at(process, argument[0], argument[1], flags, &info);
	if (failed)
		return failed;
	if (path_find(process, argument[0], argument[1], !(flags & AT_SYMLINK_NOFOLLOW), &place) ==
		    0 &&
	    place.mount->read_only)
		return -EROFS;
	return check_owner(argument[2], argument[3]);
}

/* Sets the times of the host's file, and those that the guest will read. */
static int set_times(struct process *process, int fd, const struct timespec times[2])
{
	const uint64_t now = process_now_ns(process);
	struct stat info;

	if (futimens(fd, times) != 0 || fstat(fd, &info) != 0)
		return -errno;
	struct inode *inode = inode_get(&process->inodes, info.st_dev, info.st_ino);
	if (!inode)
		return -ENOMEM;
	for (int i = 0; i < 2; i++) {
		if (times && times[i].tv_nsec == UTIME_OMIT)
			continue;
		inode->has_times[i] = true;
		if (times && times[i].tv_nsec != UTIME_NOW)
			inode->times[i] = times[i];
		else
			inode->times[i] = (struct timespec){.tv_sec = GUEST_EPOCH_SECONDS +
								      (time_t)(now / 1000000000),
							    .tv_nsec = (long)(now % 1000000000)};
	}
	return 0;
}

int64_t sys_utimensat(struct process *process, const uint64_t argument[6])
{
	struct timespec times[2], *given = NULL;
	struct place place;
	int fd, failed;

	if (argument[2]) {
		if (!memory_read(&process->memory, times, argument[2], sizeof(times)))
			return -EFAULT;
		given = times;
	}
	if (!argument[1]) {
		struct file *file;

		failed = writable_file(process, argument[0], &file);
		return failed ? failed : set_times(process, file->fd, given);
	}
	failed = path_find(process, argument[0], argument[1], true, &place);
	if (failed)
		return failed;
	if (place.mount->read_only)
		return -EROFS;
	fd = place_open(&place, O_RDONLY | O_NONBLOCK, 0);
	if (fd < 0)
		return fd;
	failed = set_times(process, fd, given);
	close(fd);
	return failed;
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
	return files_get(&process->files, argument[0]) ? 0 : -EBADF;
}

int64_t sys_umask(struct process *process, const uint64_t argument[6])
{
	uint32_t old = process->files.umask;

	process->files.umask = (uint32_t)argument[0] & 0777;
	return old;
}
