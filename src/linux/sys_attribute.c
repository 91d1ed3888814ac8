/* System calls that change a file's size, mode, owner or times. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "linux/file_operations.h"
#include "linux/notify.h"
#include "linux/path.h"
#include "linux/syscall.h"

static int truncate_file(struct process *process, int fd, uint64_t bytes)
{
	int failed = file_check_size(process, fd, bytes);

	if (failed)
		return failed;
	shared_flush(process, fd);
	if (ftruncate(fd, (off_t)bytes) != 0)
		return -errno;
	shared_changed(process, fd, 0, 0);
	return 0;
}

static int64_t truncate_node(struct process *process, struct node *node, uint64_t bytes)
{
	struct file file = {.kind = FILE_HOST, .fd = node->fd, .node = node};

	if (node->fd < 0)
		return S_ISDIR(node->mode) ? -EISDIR : -EINVAL;
	int64_t failed = file_check_size(process, node->fd, bytes);
	if (failed)
		return failed;
	shared_flush(process, node->fd);
	failed = file_truncate(&file, (int64_t)bytes);
	shared_changed(process, node->fd, 0, 0);
	return failed;
}

int64_t sys_truncate(struct process *process, const uint64_t argument[6])
{
	struct place place;

	if ((int64_t)argument[1] < 0)
		return -EINVAL;
	int failed = path_find(process, (uint64_t)AT_FDCWD, argument[0], true, &place);
	struct node *node = failed == -ENOENT ? path_node(&place) : NULL;
	if (node) {
		failed = (int)truncate_node(process, node, argument[1]);
		if (!failed)
			notify_path(process, place.guest, IN_MODIFY);
		return failed;
	}
	int fd = failed ? failed : place_open_to_change(&place, O_WRONLY);

	if (fd < 0)
		return fd;
	failed = truncate_file(process, fd, argument[1]);
	close(fd);
	if (!failed)
		notify_path(process, place.guest, IN_MODIFY);
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

	if ((int64_t)argument[1] < 0)
		return -EINVAL;
	int failed = writable_file(process, argument[0], &file);

	if (failed)
		return failed == -EROFS ? -EINVAL : failed;
	/* The host's descriptor of a node is for every opening of it. */
	if (file->node && (file->flags & O_ACCMODE) == O_RDONLY)
		return -EINVAL;
	failed = file_check_size(process, file->fd, argument[1]);
	if (failed)
		return failed;
	shared_flush(process, file->fd);
	failed = (int)file_truncate(file, (int64_t)argument[1]);
	shared_changed(process, file->fd, 0, 0);
	if (!failed)
		notify_file(process, file, IN_MODIFY);
	return failed;
}

/* The modes of fallocate that there are, by what the file's content may become. */
static int check_allocation(uint64_t mode, int64_t offset, int64_t bytes)
{
	const uint64_t modes = FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE |
			       FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE |
			       FALLOC_FL_UNSHARE_RANGE;
	uint64_t kind = mode & ~(uint64_t)FALLOC_FL_KEEP_SIZE;
	bool keeps_size = mode & FALLOC_FL_KEEP_SIZE;

	if (offset < 0 || bytes <= 0)
		return -EINVAL;
	/* At most one kind; a hole leaves the size, and a shift of the rest changes it. */
	if (mode & ~modes || kind & (kind - 1) || (kind == FALLOC_FL_PUNCH_HOLE && !keeps_size) ||
	    ((kind == FALLOC_FL_COLLAPSE_RANGE || kind == FALLOC_FL_INSERT_RANGE) && keeps_size))
		return -EOPNOTSUPP;
	return 0;
}

int64_t sys_fallocate(struct process *process, const uint64_t argument[6])
{
	struct file *file = files_get(&process->files, argument[0]);
	uint32_t mode = (uint32_t)argument[1];
	int64_t offset = (int64_t)argument[2], bytes = (int64_t)argument[3];
	struct stat info;

	if (!file)
		return -EBADF;
	int failed = check_allocation(mode, offset, bytes);
	if (failed)
		return failed;
	if ((file->flags & O_ACCMODE) == O_RDONLY)
		return -EBADF;
	failed = stat_file(process, file, &info);
	if (failed)
		return failed;
	if (S_ISFIFO(info.st_mode))
		return -ESPIPE;
	if (!S_ISREG(info.st_mode) || file->kind != FILE_HOST)
		return -ENODEV;
	if (offset > INT64_MAX - bytes)
		return -EFBIG;
	/* That the host will have room is promised by nothing but the size. */
	if (mode == FALLOC_FL_KEEP_SIZE)
		return 0;
	if (mode == (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE)) {
		shared_flush(process, file->fd);
		if (fallocate(file->fd, (int)mode, offset, bytes) != 0)
			return -errno;
	} else if (mode) {
		return -EOPNOTSUPP; /* as file systems that cannot do it say */
	} else {
		failed = file_check_size(process, file->fd, argument[2] + argument[3]);
		if (failed)
			return failed;
		if (!file_charge_growth(file, argument[2], argument[3]))
			return -ENOSPC;
		failed = posix_fallocate(file->fd, offset, bytes);
		if (failed)
			return -failed;
	}
	shared_changed(process, file->fd, 0, 0);
	notify_file(process, file, IN_MODIFY);
	return 0;
}

/* A host file whose attributes the guest may change, or NULL with 0 for what has attributes of its
 * own that no one reads, or the errno that says why not. */
static int changeable_file(struct process *process, uint64_t descriptor, struct file **file)
{
	*file = files_get(&process->files, descriptor);
	if (!*file)
		return -EBADF;
	if ((*file)->kind == FILE_HOST || (*file)->node)
		return (*file)->read_only_mount ? -EROFS : 0;
	uint32_t mode = file_operations(*file)->mode;
	*file = NULL;
	/* Events, timers and the like are all one inode. */
	if (!(mode & S_IFMT))
		return -EOPNOTSUPP;
	return S_ISFIFO(mode) || S_ISSOCK(mode) ? 0 : -EROFS;
}

static void set_node_mode(struct node *node, uint64_t mode)
{
	node->mode = (node->mode & S_IFMT) | ((mode_t)mode & PERMISSION_BITS);
}

int64_t sys_fchmod(struct process *process, const uint64_t argument[6])
{
	struct file *file;
	int failed = changeable_file(process, argument[0], &file);

	if (failed || !file)
		return failed;
	if (file->node)
		set_node_mode(file->node, argument[1]);
	else if (fchmod(file->fd, (mode_t)argument[1] & PERMISSION_BITS) != 0)
		return -errno;
	notify_file(process, file, IN_ATTRIB);
	return 0;
}

static int64_t change_mode(struct process *process, const uint64_t argument[6], int flags)
{
	const uint64_t by_descriptor[6] = {argument[0], argument[2]};
	char path[PATH_BYTES];
	struct place place;

	if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	int failed = path_read(process, argument[1], path);
	if (failed)
		return failed;
	if (!path[0] && flags & AT_EMPTY_PATH && (int32_t)argument[0] != AT_FDCWD)
		return sys_fchmod(process, by_descriptor);
	failed = files_resolve(&process->files, (int32_t)argument[0],
			       !path[0] && flags & AT_EMPTY_PATH ? "." : path,
			       !(flags & AT_SYMLINK_NOFOLLOW), &place);
	struct node *node = failed == -ENOENT ? path_node(&place) : NULL;
	if (node && S_ISLNK(node->mode))
		return -EOPNOTSUPP;
	if (node) {
		set_node_mode(node, argument[2]);
		notify_path(process, place.guest, IN_ATTRIB);
		return 0;
	}
	if (failed)
		return failed;
	int fd = place_open_to_change(&place, O_RDONLY | O_NONBLOCK);
	if (fd < 0)
		return fd == -ELOOP ? -EOPNOTSUPP : fd;
	failed = fchmod(fd, (mode_t)argument[2] & PERMISSION_BITS) == 0 ? 0 : -errno;
	close(fd);
	if (!failed)
		notify_path(process, place.guest, IN_ATTRIB);
	return failed;
}

int64_t sys_fchmodat(struct process *process, const uint64_t argument[6])
{
	return change_mode(process, argument, 0);
}

int64_t sys_fchmodat2(struct process *process, const uint64_t argument[6])
{
	return change_mode(process, argument, (int)argument[3]);
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

/* Whether the file is given to anybody; -1 leaves it. */
static bool has_owner(uint64_t owner, uint64_t group)
{
	return (uint32_t)owner != UINT32_MAX || (uint32_t)group != UINT32_MAX;
}

int64_t sys_fchown(struct process *process, const uint64_t argument[6])
{
	struct file *file;
	int failed = changeable_file(process, argument[0], &file);

	if (!failed)
		failed = check_owner(argument[1], argument[2]);
	if (!failed && file && has_owner(argument[1], argument[2]))
		notify_file(process, file, IN_ATTRIB);
	return failed;
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
	    place_is_read_only(&place))
		return -EROFS;
	failed = check_owner(argument[2], argument[3]);
	if (!failed && place.guest[0] && has_owner(argument[2], argument[3]))
		notify_path(process, place.guest, IN_ATTRIB);
	return failed;
}

/* What utimensat is to set the times of. */
struct timed {
	int fd; /* of the host; -1 for a node, and for what has no times that anyone reads */
	bool is_opened; /* to be closed */
	bool is_link;
	struct node *node;
	char guest[PATH_BYTES]; /* the guest's name for it */
};

/* Sets the times of the host's file, and those that the guest will read. A link itself cannot be
 * opened, so its times on the host stay. */
static int set_times(struct process *process, const struct timed *timed,
		     const struct timespec given[2])
{
	const uint64_t now = process_now_ns(process);
	struct timespec *times = timed->node ? timed->node->times : NULL;
	struct inode *inode = NULL;
	struct stat info;

	if (!timed->node) {
		if ((!timed->is_link && futimens(timed->fd, given) != 0) ||
		    fstat(timed->fd, &info) != 0)
			return -errno;
		inode = inode_get(&process->inodes, info.st_dev, info.st_ino);
		if (!inode)
			return -ENOMEM;
		times = inode->times;
	}
	for (int i = 0; i < 2; i++) {
		if (given && given[i].tv_nsec == UTIME_OMIT)
			continue;
		if (inode)
			inode->has_times[i] = true;
		if (given && given[i].tv_nsec != UTIME_NOW)
			times[i] = given[i];
		else
			times[i] = (struct timespec){.tv_sec = GUEST_EPOCH_SECONDS +
							       (time_t)(now / 1000000000),
						     .tv_nsec = (long)(now % 1000000000)};
	}
	return 0;
}

static bool is_file_time(const struct timespec *time)
{
	return time->tv_nsec == UTIME_NOW || time->tv_nsec == UTIME_OMIT ||
	       (time->tv_nsec >= 0 && time->tv_nsec < 1000000000);
}

static int find_timed(struct process *process, const uint64_t argument[6], struct timed *timed)
{
	int flags = (int)argument[3];
	char path[PATH_BYTES] = "";
	struct place place;
	struct file *file;

	*timed = (struct timed){.fd = -1};
	if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	bool is_by_descriptor = !argument[1] && (int32_t)argument[0] != AT_FDCWD;
	if (is_by_descriptor && flags)
		return -EINVAL;
	int failed = is_by_descriptor ? 0 : path_read(process, argument[1], path);
	if (failed)
		return failed;
	if (is_by_descriptor ||
	    (!path[0] && flags & AT_EMPTY_PATH && (int32_t)argument[0] != AT_FDCWD)) {
		failed = changeable_file(process, argument[0], &file);
		if (!failed && file) {
			timed->node = file->node;
			timed->fd = file->node ? -1 : file->fd;
			strcpy(timed->guest, file->path);
		}
		return failed;
	}
	failed = files_resolve(&process->files, (int32_t)argument[0],
			       !path[0] && flags & AT_EMPTY_PATH ? "." : path,
			       !(flags & AT_SYMLINK_NOFOLLOW), &place);
	timed->node = failed == -ENOENT ? path_node(&place) : NULL;
	strcpy(timed->guest, place.guest);
	if (failed)
		return timed->node ? 0 : failed;
	int fd = place_open_to_change(&place, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
	timed->is_link = fd == -ELOOP;
	if (timed->is_link)
		fd = place_open_to_change(&place, O_PATH | O_NOFOLLOW);
	timed->is_opened = fd >= 0;
	timed->fd = fd;
	return fd < 0 ? fd : 0;
}

int64_t sys_utimensat(struct process *process, const uint64_t argument[6])
{
	struct timespec times[2], *given = argument[2] ? times : NULL;
	struct timed timed;

	if (given && !memory_read(&process->memory, times, argument[2], sizeof(times)))
		return -EFAULT;
	/* Where nothing is to be set, not even the path is looked at. */
	if (given && times[0].tv_nsec == UTIME_OMIT && times[1].tv_nsec == UTIME_OMIT)
		return 0;
	int failed = find_timed(process, argument, &timed);
	if (!failed && given && !(is_file_time(&times[0]) && is_file_time(&times[1])))
		failed = -EINVAL;
	if (!failed && (timed.fd >= 0 || timed.node))
		failed = set_times(process, &timed, given);
	if (!failed && timed.guest[0] == '/')
		notify_path(process, timed.guest,
			    given && times[1].tv_nsec == UTIME_OMIT   ? IN_ACCESS
			    : given && times[0].tv_nsec == UTIME_OMIT ? IN_MODIFY
								      : IN_ATTRIB);
	if (timed.is_opened)
		close(timed.fd);
	return failed;
}
