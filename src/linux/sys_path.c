/* System calls that take a path, and those that describe files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/syscall.h"

/* struct stat of 64-bit RISC-V Linux. */
struct guest_stat {
	uint64_t dev, ino;
	uint32_t mode, nlink, uid, gid;
	uint64_t rdev, pad1;
	int64_t size;
	int32_t blksize, pad2;
	int64_t blocks;
	int64_t atime, atime_ns, mtime, mtime_ns, ctime, ctime_ns;
	uint32_t unused[2];
};
_Static_assert(sizeof(struct guest_stat) == 128, "the kernel's layout");

static int read_path(struct process *process, uint64_t address, char path[PATH_BYTES])
{
	int64_t length = memory_read_string(&process->memory, path, address, PATH_BYTES);

	return length == -1 ? -EFAULT : length == -2 ? -ENAMETOOLONG : 0;
}

static int find_place(struct process *process, uint64_t dirfd, uint64_t address, bool follow,
		      struct place *place)
{
	char path[PATH_BYTES];
	int failed = read_path(process, address, path);

	return failed ? failed
		      : files_resolve(&process->files, (int32_t)dirfd, path, follow, place);
}

static void warn_refused(struct process *process, const struct place *place)
{
	char directory[PATH_BYTES];

	if (process->warned_open)
		return;
	process->warned_open = true;
	strcpy(directory, place->guest);
	char *slash = strrchr(directory, '/');
	slash[slash == directory] = 0;
	process_warn(process,
		     "the program asked for \"%s\", which no --mount covers: answered ENOENT "
		     "(to allow it: --mount %s=HOST_DIRECTORY; further ones are not reported)",
		     place->guest, directory);
}

static struct file *open_device(const char *name)
{
	if (strcmp(name, "/dev/null") == 0)
		return file_create(FILE_NULL, -1, name);
	if (strcmp(name, "/dev/zero") == 0)
		return file_create(FILE_ZERO, -1, name);
	if (strcmp(name, "/dev/urandom") == 0 || strcmp(name, "/dev/random") == 0)
		return file_create(FILE_RANDOM, -1, name);
	return NULL;
}

/* The mode of a file that the guest creates. A set-user-ID or set-group-ID file would belong to the
 * user of the host who runs the tool, so a guest sets permission bits only. */
#define PERMISSION_BITS 0777

static mode_t created_mode(const struct process *process, uint64_t mode)
{
	return (mode_t)mode & PERMISSION_BITS & ~(mode_t)process->files.umask;
}

int64_t sys_openat(struct process *process, const uint64_t argument[6])
{
	const int known = O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_NONBLOCK |
			  O_DIRECTORY | O_NOFOLLOW | O_DSYNC | O_SYNC | O_NOATIME | O_PATH;
	int flags = (int)argument[2] & known;
	struct place place;
	int found = find_place(process, argument[0], argument[1], !(flags & O_NOFOLLOW), &place);

	if (found && found != -ENOENT)
		return found;
	struct file *file = found || !place.mount ? open_device(place.guest) : NULL;
	if (!file && (found || !place.mount)) {
		if (!place.mount && place.guest[0])
			warn_refused(process, &place);
		return found;
	}
	if (!file) {
		int fd = place_open(&place, flags, created_mode(process, argument[3]));

		if (fd < 0)
			return fd;
		file = file_create(FILE_HOST, fd, place.guest);
		file->read_only_mount = place.mount->read_only;
	}
	file->flags = (uint32_t)(flags & (O_ACCMODE | O_APPEND | O_NONBLOCK | O_DIRECTORY));
	return files_install(&process->files, file, 0, argument[2] & O_CLOEXEC);
}

static struct guest_stat describe(const struct stat *info)
{
	return (struct guest_stat){
		.dev = info->st_dev,
		.ino = info->st_ino,
		.mode = info->st_mode,
		.nlink = (uint32_t)info->st_nlink,
		.uid = info->st_uid,
		.gid = info->st_gid,
		.rdev = info->st_rdev,
		.size = info->st_size,
		.blksize = (int32_t)info->st_blksize,
		.blocks = info->st_blocks,
		.atime = info->st_atim.tv_sec,
		.atime_ns = info->st_atim.tv_nsec,
		.mtime = info->st_mtim.tv_sec,
		.mtime_ns = info->st_mtim.tv_nsec,
		.ctime = info->st_ctim.tv_sec,
		.ctime_ns = info->st_ctim.tv_nsec,
	};
}

static int stat_file(const struct file *file, struct stat *info)
{
	if (file->kind == FILE_HOST)
		return fstat(file->fd, info) == 0 ? 0 : -errno;
	/* A C library chooses its buffering by this, and so its instructions:
	 * the same whether output goes to a terminal, a file or a pipe. */
	mode_t mode = file_operations(file)->mode;
	*info = (struct stat){
		.st_mode = mode,
		.st_nlink = 1,
		.st_blksize = 4096,
		.st_ino = file->kind + 1u,
		.st_rdev = S_ISCHR(mode) ? 0x103u + file->kind : 0,
		.st_uid = 1000,
		.st_gid = 1000,
	};
	return 0;
}

/* stat by descriptor where the path is empty and flags allow it, else by path. */
static int stat_at(struct process *process, uint64_t dirfd, uint64_t address, int flags,
		   struct stat *info)
{
	char path[PATH_BYTES];
	struct place place;
	int failed = read_path(process, address, path);

	if (failed)
		return failed;
	if (!path[0] && flags & AT_EMPTY_PATH && (int32_t)dirfd != AT_FDCWD) {
		const struct file *file = files_get(&process->files, dirfd);

		return file ? stat_file(file, info) : -EBADF;
	}
	failed = files_resolve(&process->files, (int32_t)dirfd, path[0] ? path : ".",
			       !(flags & AT_SYMLINK_NOFOLLOW), &place);
	if (!path[0] && !(flags & AT_EMPTY_PATH))
		return -ENOENT;
	if (failed == -ENOENT && !place.mount) {
		struct file *device = open_device(place.guest);

		if (!device)
			return failed;
		failed = stat_file(device, info);
		file_release(device);
		return failed;
	}
	if (failed)
		return failed;
	int fd = place_open(&place, O_PATH | (flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0), 0);
	if (fd < 0)
		return fd;
	failed = fstat(fd, info) == 0 ? 0 : -errno;
	close(fd);
	return failed;
}

int64_t sys_fstat(struct process *process, const uint64_t argument[6])
{
	const struct file *file = files_get(&process->files, argument[0]);
	struct stat info;

	if (!file)
		return -EBADF;
	int failed = stat_file(file, &info);
	if (failed)
		return failed;
	struct guest_stat out = describe(&info);
	return memory_write(&process->memory, argument[1], &out, sizeof(out)) ? 0 : -EFAULT;
}

int64_t sys_newfstatat(struct process *process, const uint64_t argument[6])
{
	struct stat info;
	int failed = stat_at(process, argument[0], argument[1], (int)argument[3], &info);

	if (failed)
		return failed;
	struct guest_stat out = describe(&info);
	return memory_write(&process->memory, argument[2], &out, sizeof(out)) ? 0 : -EFAULT;
}

static struct statx_timestamp statx_time(struct timespec time)
{
	return (struct statx_timestamp){.tv_sec = time.tv_sec, .tv_nsec = (uint32_t)time.tv_nsec};
}

int64_t sys_statx(struct process *process, const uint64_t argument[6])
{
	struct stat info;
	int failed = stat_at(process, argument[0], argument[1], (int)argument[2], &info);

	if (failed)
		return failed;
	struct statx out = {
		.stx_mask = STATX_BASIC_STATS,
		.stx_blksize = (uint32_t)info.st_blksize,
		.stx_nlink = (uint32_t)info.st_nlink,
		.stx_uid = info.st_uid,
		.stx_gid = info.st_gid,
		.stx_mode = (uint16_t)info.st_mode,
		.stx_ino = info.st_ino,
		.stx_size = (uint64_t)info.st_size,
		.stx_blocks = (uint64_t)info.st_blocks,
		.stx_atime = statx_time(info.st_atim),
		.stx_mtime = statx_time(info.st_mtim),
		.stx_ctime = statx_time(info.st_ctim),
	};
	return memory_write(&process->memory, argument[4], &out, sizeof(out)) ? 0 : -EFAULT;
}

static int64_t write_statfs(struct process *process, uint64_t address)
{
	/* The values are fixed, so that results do not depend on the host's free space. */
	struct statfs out = {.f_type = 0x01021994, /* tmpfs */
			     .f_bsize = 4096,
			     .f_blocks = 1 << 20,
			     .f_bfree = 1 << 19,
			     .f_bavail = 1 << 19,
			     .f_files = 1 << 20,
			     .f_ffree = 1 << 19,
			     .f_namelen = 255,
			     .f_frsize = 4096};

	_Static_assert(sizeof(out) == 120, "the kernel's layout, the same on RISC-V");
	return memory_write(&process->memory, address, &out, sizeof(out)) ? 0 : -EFAULT;
}

int64_t sys_statfs(struct process *process, const uint64_t argument[6])
{
	struct stat info;
	int failed = stat_at(process, (uint64_t)AT_FDCWD, argument[0], 0, &info);

	return failed ? failed : write_statfs(process, argument[1]);
}

int64_t sys_fstatfs(struct process *process, const uint64_t argument[6])
{
	if (!files_get(&process->files, argument[0]))
		return -EBADF;
	return write_statfs(process, argument[1]);
}

static int64_t access_at(struct process *process, const uint64_t argument[6], int flags)
{
	struct stat info;
	struct place place;
	int mode = (int)argument[2];

	if (mode & ~7)
		return -EINVAL;
	int failed = stat_at(process, argument[0], argument[1], flags, &info);
	if (failed)
		return failed;
	failed = find_place(process, argument[0], argument[1], true, &place);
	if (!failed && place.mount->read_only && mode & W_OK)
		return -EROFS;
	/* The guest has the rights of any class of users for reading and writing; it may
	 * execute a file only if some class may. */
	if (mode & X_OK && !(info.st_mode & 0111))
		return -EACCES;
	if (getuid() != 0 &&
	    ((mode & R_OK && !(info.st_mode & 0444)) || (mode & W_OK && !(info.st_mode & 0222))))
		return -EACCES;
	return 0;
}

int64_t sys_faccessat(struct process *process, const uint64_t argument[6])
{
	return access_at(process, argument, 0);
}

int64_t sys_faccessat2(struct process *process, const uint64_t argument[6])
{
	return access_at(process, argument, (int)argument[3]);
}

int64_t sys_readlinkat(struct process *process, const uint64_t argument[6])
{
	char text[PATH_BYTES];
	struct place place;
	ssize_t length;
	int failed = find_place(process, argument[0], argument[1], false, &place);

	if ((int64_t)argument[3] <= 0)
		return -EINVAL;
	if (failed && failed != -ENOENT)
		return failed;
	if (strcmp(place.guest, "/proc/self/exe") == 0) {
		const char *name = process->options.argv[0];

		length = snprintf(text, sizeof(text), "%s%s", name[0] == '/' ? "" : "/", name);
		if (length >= (ssize_t)sizeof(text))
			return -ENAMETOOLONG;
	} else if (failed) {
		return failed;
	} else {
		int fd = place_open(&place, O_PATH | O_NOFOLLOW, 0);

		if (fd < 0)
			return fd;
		length = readlinkat(fd, "", text, sizeof(text));
		int reason = errno;
		close(fd);
		if (length < 0)
			return reason == ENOENT ? -EINVAL : -reason;
	}
	if ((uint64_t)length > argument[3])
		length = (ssize_t)argument[3];
	return memory_write(&process->memory, argument[2], text, (uint64_t)length) ? length
										   : -EFAULT;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct directory_entry *)a)->name,
		      ((const struct directory_entry *)b)->name);
}

static int list_directory(const struct files *files, struct file *file)
{
	/* A name's block has a header of the allocator's. */
	const size_t block_bytes = 16;
	size_t capacity = 0;
	int fd = dup(file->fd);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);

	if (!directory) {
		int reason = errno;

		if (fd >= 0)
			close(fd);
		return -reason;
	}
	rewinddir(directory); /* the duplicate shares its position with the original */
	file_drop_listing(file);
	uint64_t used = files_listed_bytes(files), room = LISTINGS_BYTES_MAX - used;
	for (struct dirent *entry; (entry = readdir(directory)) && file->listed_bytes <= room;) {
		*ARRAY_PUSH(file->entries, file->entry_count, capacity) = (struct directory_entry){
			mem_strdup(entry->d_name), entry->d_ino, entry->d_type};
		file->listed_bytes +=
			sizeof(file->entries[0]) + strlen(entry->d_name) + 1 + block_bytes;
	}
	closedir(directory);
	if (file->listed_bytes > room) {
		file_drop_listing(file);
		return -ENOMEM;
	}
	if (file->entry_count)
		qsort(file->entries, file->entry_count, sizeof(file->entries[0]), by_name);
	file->listed = true;
	return 0;
}

/* The bytes of struct linux_dirent64 before the name. */
#define ENTRY_HEADER_BYTES 19

/* Writes one struct linux_dirent64 of at most `room` bytes; returns its size, or a negative errno.
 * Some file systems have names of more than 255 bytes, so the name is copied from where it is. */
static int64_t write_entry(struct memory *memory, uint64_t address, uint64_t room,
			   const struct directory_entry *entry, uint64_t next)
{
	static const uint8_t zeros[8];
	uint8_t header[ENTRY_HEADER_BYTES];
	size_t length = strlen(entry->name);
	uint64_t bytes = bits_align_up(ENTRY_HEADER_BYTES + length + 1, 8);
	uint16_t size = (uint16_t)bytes;

	if (bytes > UINT16_MAX)
		return -EOVERFLOW;
	if (bytes > room)
		return -EINVAL;
	if (memory_writable(memory, address, bytes) != bytes)
		return -EFAULT;
	memcpy(header, &entry->inode, 8);
	memcpy(header + 8, &next, 8);
	memcpy(header + 16, &size, 2);
	header[18] = entry->type;
	memory_write(memory, address, header, sizeof(header));
	memory_write(memory, address + sizeof(header), entry->name, length);
	memory_write(memory, address + sizeof(header) + length, zeros,
		     bytes - sizeof(header) - length);
	return (int64_t)bytes;
}

int64_t sys_getdents64(struct process *process, const uint64_t argument[6])
{
	struct file *file = files_get(&process->files, argument[0]);
	uint64_t used = 0;

	if (!file)
		return -EBADF;
	if (file->kind != FILE_HOST)
		return -ENOTDIR;
	if (!file->listed) {
		int failed = list_directory(&process->files, file);

		if (failed)
			return failed;
	}
	for (; file->entry_next < file->entry_count; file->entry_next++) {
		int64_t bytes =
			write_entry(&process->memory, argument[1] + used, argument[2] - used,
				    &file->entries[file->entry_next], file->entry_next + 1);

		if (bytes < 0)
			return used ? (int64_t)used : bytes;
		used += (uint64_t)bytes;
	}
	return (int64_t)used;
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
	int failed = find_place(process, (uint64_t)AT_FDCWD, argument[0], true, &place);

	if (failed == -ENOENT && !place.mount && strcmp(place.guest, "/") == 0)
		failed = 0; /* the root always exists, possibly empty */
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
	struct stat info;

	if (!file)
		return -EBADF;
	if (stat_file(file, &info) != 0 || !S_ISDIR(info.st_mode))
		return -ENOTDIR;
	strcpy(process->files.cwd, file->path);
	return 0;
}

int64_t sys_mkdirat(struct process *process, const uint64_t argument[6])
{
	char leaf[PATH_BYTES];
	struct place place;
	int failed = find_place(process, argument[0], argument[1], false, &place);
	int fd = failed ? failed : place_open_parent(&place, leaf);

	if (fd < 0)
		return fd == -EBUSY || fd == -EINVAL ? -EEXIST : fd;
	failed = mkdirat(fd, leaf, created_mode(process, argument[2])) == 0 ? 0 : -errno;
	close(fd);
	return failed;
}

int64_t sys_unlinkat(struct process *process, const uint64_t argument[6])
{
	char leaf[PATH_BYTES];
	struct place place;
	int failed = find_place(process, argument[0], argument[1], false, &place);
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
	int failed = read_path(process, argument[0], target);

	if (!failed)
		failed = find_place(process, argument[1], argument[2], false, &place);
	int fd = failed ? failed : place_open_parent(&place, leaf);
	if (fd < 0)
		return fd;
	failed = symlinkat(target, fd, leaf) == 0 ? 0 : -errno;
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
	int failed = find_place(process, argument[0], argument[1], false, &from);

	if (!failed)
		failed = find_place(process, argument[2], argument[3], false, &to);
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

int64_t sys_truncate(struct process *process, const uint64_t argument[6])
{
	struct place place;
	int failed = find_place(process, (uint64_t)AT_FDCWD, argument[0], true, &place);
	int fd = failed ? failed : place_open(&place, O_WRONLY, 0);

	if (fd < 0)
		return fd;
	failed = ftruncate(fd, (off_t)argument[1]) == 0 ? 0 : -errno;
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
	return file_truncate(file, (int64_t)argument[1]);
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
	return posix_fallocate(file->fd, (off_t)argument[2], (off_t)argument[3]) ? -EINVAL : 0;
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
	int failed = find_place(process, argument[0], argument[1], true, &place);

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
		return failed ? failed : futimens(file->fd, given) == 0 ? 0 : -errno;
	}
	failed = find_place(process, argument[0], argument[1], true, &place);
	if (failed)
		return failed;
	if (place.mount->read_only)
		return -EROFS;
	fd = place_open(&place, O_RDONLY | O_NONBLOCK, 0);
	if (fd < 0)
		return fd;
	failed = futimens(fd, given) == 0 ? 0 : -errno;
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
