/* System calls that describe files: stat and its kin, access, readlink, directory listings. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/array.h"
#include "linux/file_operations.h"
#include "linux/notify.h"
#include "linux/path.h"
#include "linux/special.h"
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

static int describe_host(struct process *process, int fd, struct stat *info)
{
	if (fstat(fd, info) != 0)
		return -errno;
	return inode_describe(&process->inodes, process->options.keeps_mtime, info);
}

/* A file or directory that is on no disk. */
static int describe_name(struct process *process, const char *path, mode_t mode, uint64_t bytes,
			 struct stat *info)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *path; path++)
		hash = (hash ^ (uint8_t)*path) * UINT64_C(0x100000001b3);
	*info = (struct stat){.st_dev = INODE_DEVICE_NONE,
			      .st_ino = hash,
			      .st_mode = mode,
			      .st_nlink = 1,
			      .st_size = (off_t)bytes};
	return inode_describe(&process->inodes, false, info);
}

/* A text of /proc or /sys; Linux does not say how long it is either. */
static int describe_text(struct process *process, const char *path, struct stat *info)
{
	uint64_t bytes = strncmp(path, "/sys/", 5) == 0 ? GUEST_PAGE_BYTES : 0;

	return describe_name(process, path, S_IFREG | 0444, bytes, info);
}

int stat_file(struct process *process, const struct file *file, struct stat *info)
{
	if (file->node)
		return inode_describe_node(&process->inodes, file->node, info);
	if (file->kind == FILE_HOST)
		return describe_host(process, file->fd, info);
	if (file->kind == FILE_DIRECTORY)
		return describe_name(process, file->path, S_IFDIR | 0755, 0, info);
	if (file->kind == FILE_CONTENT)
		return describe_name(process, file->path, S_IFREG | 0755, content_bytes(file),
				     info);
	if (file->kind == FILE_TEXT)
		return describe_text(process, file->path, info);
	/* A C library chooses its buffering by this, and so its instructions:
	 * the same whether output goes to a terminal, a file or a pipe. */
	mode_t mode = file_operations(file)->mode;
	*info = (struct stat){
		.st_mode = mode,
		.st_nlink = 1,
		.st_blksize = 4096,
		.st_dev = 2,
		.st_ino = file->kind + 1u,
		.st_rdev = S_ISCHR(mode) ? 0x103u + file->kind : 0,
	};
	return 0;
}

static int stat_special(struct process *process, const struct place *place, bool follow,
			struct stat *info)
{
	struct special special = special_find(&process->files, place->guest);
	struct file device = {.kind = special.device, .fd = -1};

	if (special.node)
		return inode_describe_node(&process->inodes, special.node, info);
	switch (special.kind) {
	case SPECIAL_DIRECTORY:
		return describe_name(process, place->guest, S_IFDIR | 0755, 0, info);
	case SPECIAL_DEVICE: return stat_file(process, &device, info);
	case SPECIAL_TEXT: return describe_text(process, place->guest, info);
	case SPECIAL_PROGRAM:
		if (follow)
			return describe_name(process, place->guest, S_IFREG | 0755,
					     process->options.image_bytes, info);
		break;
	case SPECIAL_DESCRIPTOR:
		if (follow)
			return stat_file(process,
					 files_get_any(&process->files, special.descriptor), info);
		break;
	default: break;
	}
	return describe_name(process, place->guest, S_IFLNK | 0777,
			     special.target ? strlen(special.target) : 0, info);
}

#define STAT_FLAGS (AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH | AT_STATX_SYNC_TYPE)

/* stat by descriptor where the path is empty and flags allow it, else by path. The flags are
 * checked before the path. */
int stat_at(struct process *process, uint64_t dirfd, uint64_t address, int flags, struct stat *info)
{
	char path[PATH_BYTES];
	struct place place;

	if (flags & ~STAT_FLAGS)
		return -EINVAL;
	int failed = path_read(process, address, path);
	if (failed)
		return failed;
	if (!path[0] && flags & AT_EMPTY_PATH && (int32_t)dirfd != AT_FDCWD) {
		const struct file *file = files_get_any(&process->files, dirfd);

		return file ? stat_file(process, file, info) : -EBADF;
	}
	failed = files_resolve(&process->files, (int32_t)dirfd, path[0] ? path : ".",
			       !(flags & AT_SYMLINK_NOFOLLOW), &place);
	if (!path[0] && !(flags & AT_EMPTY_PATH))
		return -ENOENT;
	if (failed == -ENOENT && place.is_special)
		return stat_special(process, &place, !(flags & AT_SYMLINK_NOFOLLOW), info);
	if (failed)
		return failed;
	int fd = place_open(&place, O_PATH | (flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0), 0);
	if (fd < 0)
		return fd;
	failed = describe_host(process, fd, info);
	close(fd);
	return failed;
}

int stat_path(struct process *process, const char *path, struct stat *info)
{
	struct place place;
	int failed = files_resolve(&process->files, AT_FDCWD, path, false, &place);

	if (failed == -ENOENT && place.is_special)
		return stat_special(process, &place, false, info);
	int fd = failed ? failed : place_open(&place, O_PATH | O_NOFOLLOW, 0);
	if (fd < 0)
		return fd;
	failed = describe_host(process, fd, info);
	close(fd);
	return failed;
}

int64_t sys_fstat(struct process *process, const uint64_t argument[6])
{
	const struct file *file = files_get_any(&process->files, argument[0]);
	struct stat info;

	if (!file)
		return -EBADF;
	int failed = stat_file(process, file, &info);
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

	if (argument[3] & STATX__RESERVED ||
	    (argument[2] & AT_STATX_SYNC_TYPE) == AT_STATX_SYNC_TYPE)
		return -EINVAL;
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
		.stx_dev_minor = (uint32_t)info.st_dev,
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
	if (!files_get_any(&process->files, argument[0]))
		return -EBADF;
	return write_statfs(process, argument[1]);
}

static int64_t access_at(struct process *process, const uint64_t argument[6], int flags)
{
	struct stat info;
	struct place place;
	int mode = (int)argument[2];

	if (mode & ~7 || flags & ~(AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH))
		return -EINVAL;
	/* Who the guest is and who it acts for are the same. */
	flags &= ~AT_EACCESS;
	int failed = stat_at(process, argument[0], argument[1], flags, &info);
	if (failed)
		return failed;
	failed = path_find(process, argument[0], argument[1], !(flags & AT_SYMLINK_NOFOLLOW),
			   &place);
	if (!failed && mode & W_OK && place_is_read_only(&place))
		return -EROFS;
	/* The guest has the rights of any class of users for reading, writing and searching
	 * directories; it may execute a file only if some class may. */
	if (mode & X_OK && !(info.st_mode & 0111) && !S_ISDIR(info.st_mode))
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

int64_t program_path(const struct process *process, char path[PATH_BYTES])
{
	const char *name = process->name;
	int length = snprintf(path, PATH_BYTES, "%s%s", name[0] == '/' ? "" : "/", name);

	return length < PATH_BYTES ? length : -ENAMETOOLONG;
}

/* What /proc/self/fd shows for a file: its path, or its kind and inode. */
static int64_t describe_link(struct process *process, const struct file *file,
			     char text[PATH_BYTES])
{
	struct stat info;
	int failed = stat_file(process, file, &info);

	if (failed)
		return failed;
	if (S_ISFIFO(info.st_mode) && !file->node)
		return snprintf(text, PATH_BYTES, "pipe:[%llu]", (unsigned long long)info.st_ino);
	/* A file in memory has that in its name already. */
	bool is_deleted = !info.st_nlink && (file->kind == FILE_HOST || file->node) &&
			  strncmp(file->path, "/memfd:", 7) != 0;
	return snprintf(text, PATH_BYTES, "%s%s", file->path, is_deleted ? " (deleted)" : "");
}

static int64_t read_special_link(struct process *process, const struct place *place,
				 char text[PATH_BYTES])
{
	struct special special = special_find(&process->files, place->guest);

	switch (special.kind) {
	case SPECIAL_LINK: return snprintf(text, PATH_BYTES, "%s", special.target);
	case SPECIAL_PROGRAM: return program_path(process, text);
	case SPECIAL_DESCRIPTOR:
		return describe_link(process, files_get_any(&process->files, special.descriptor),
				     text);
	default: return -EINVAL;
	}
}

/* What a descriptor is open to, where that is a link itself. */
static int64_t read_open_link(struct process *process, const uint64_t argument[6])
{
	const struct file *file = files_get_any(&process->files, argument[0]);
	char text[PATH_BYTES];

	if (!file)
		return (int32_t)argument[0] == AT_FDCWD ? -ENOENT : -EBADF;
	ssize_t length = -1;
	if (file->node && file->node->target)
		length = snprintf(text, sizeof(text), "%s", file->node->target);
	else if (file->kind == FILE_HOST)
		length = readlinkat(file->fd, "", text, sizeof(text));
	if (length < 0)
		return -ENOENT;
	if ((uint64_t)length > argument[3])
		length = (ssize_t)argument[3];
	return memory_write(&process->memory, argument[2], text, (uint64_t)length) ? length
										   : -EFAULT;
}

int64_t sys_readlinkat(struct process *process, const uint64_t argument[6])
{
	char text[PATH_BYTES];
	struct place place;
	ssize_t length;

	if ((int32_t)argument[3] <= 0)
		return -EINVAL;
	int failed = path_read(process, argument[1], text);
	if (failed)
		return failed;
	if (!text[0])
		return read_open_link(process, argument);
	failed = path_find(process, argument[0], argument[1], false, &place);
	if (failed && failed != -ENOENT)
		return failed;
	if (place.is_special) {
		length = read_special_link(process, &place, text);
		if (length < 0)
			return length;
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

/* A listing under way. */
struct listing {
	struct file *file;
	size_t capacity;
};

static void add_entry(void *context, const char *name)
{
	/* A name's block has a header of the allocator's. */
	const size_t block_bytes = 16;
	const uint64_t bytes = sizeof(struct directory_entry) + strlen(name) + 1 + block_bytes;
	struct listing *listing = context;
	struct file *file = listing->file;

	*ARRAY_PUSH(file->entries, file->entry_count, listing->capacity) =
		(struct directory_entry){.name = mem_strdup(name)};
	file->listed_bytes += bytes;
	*file->listings += bytes;
}

static int read_host_names(struct listing *listing)
{
	struct file *file = listing->file;
	int fd = dup(file->fd);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);

	if (!directory) {
		int reason = errno;

		if (fd >= 0)
			close(fd);
		return -reason;
	}
	rewinddir(directory); /* the duplicate shares its position with the original */
	for (struct dirent *entry;
	     (entry = readdir(directory)) && *file->listings <= LISTINGS_BYTES_MAX;)
		add_entry(listing, entry->d_name);
	closedir(directory);
	return 0;
}

/* Whether the name is that of a mount or of something that no mount holds. */
static bool is_not_in_directory(const struct files *files, const char *path)
{
	for (size_t i = 0; i < files->mount_count; i++)
		if (strcmp(files->mounts[i].guest, path) == 0)
			return true;
	return special_find(files, path).kind != SPECIAL_NONE;
}

/* What lstat would tell of one name of a directory. */
static int stat_entry(struct process *process, const struct file *directory, const char *name,
		      struct stat *info)
{
	/* The directory is open: its own names need no walk from the root. */
	const struct open_how how = {.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
				     .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
	const char *parent = strcmp(directory->path, "/") == 0 ? "" : directory->path;
	char path[PATH_BYTES];
	struct place place;
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", parent, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	if (directory->kind == FILE_HOST && strcmp(name, "..") != 0 &&
	    !is_not_in_directory(&process->files, path)) {
		long opened = syscall(SYS_openat2, directory->fd, name, &how, sizeof(how));

		fd = opened < 0 ? -errno : (int)opened;
	} else {
		int failed = files_resolve(&process->files, AT_FDCWD, path, false, &place);

		if (place.is_special)
			return stat_special(process, &place, false, info);
		fd = failed ? failed : place_open(&place, O_PATH | O_NOFOLLOW, 0);
	}
	if (fd < 0)
		return fd;
	int failed = describe_host(process, fd, info);
	close(fd);
	return failed;
}

/* A name that cannot be described is listed without inode and type. */
static int describe_entry(struct process *process, const struct file *directory,
			  struct directory_entry *entry)
{
	struct stat info;
	int failed = stat_entry(process, directory, entry->name, &info);

	entry->inode = failed ? 0 : info.st_ino;
	entry->type = failed ? DT_UNKNOWN : (uint8_t)IFTODT(info.st_mode);
	return failed;
}

static int list_directory(struct process *process, struct file *file)
{
	struct listing listing = {.file = file};
	size_t kept = 0;
	int failed = 0;

	file_drop_listing(file);
	file->listings = &process->files.listed_bytes;
	if (file->kind == FILE_HOST) {
		failed = read_host_names(&listing);
	} else {
		add_entry(&listing, ".");
		add_entry(&listing, "..");
	}
	if (!failed)
		special_list(&process->files, file->path, add_entry, &listing);
	if (!failed && *file->listings > LISTINGS_BYTES_MAX)
		failed = -ENOMEM;
	if (failed) {
		file_drop_listing(file);
		return failed;
	}
	qsort(file->entries, file->entry_count, sizeof(file->entries[0]), by_name);
	for (size_t i = 0; i < file->entry_count; i++) {
		struct directory_entry *entry = &file->entries[i];
		/* The name of a mount may be that of a directory, too. A name that went since it
		 * was read is left out. */
		bool is_double = kept && strcmp(file->entries[kept - 1].name, entry->name) == 0;

		if (is_double || describe_entry(process, file, entry) == -ENOENT)
			free(entry->name);
		else
			file->entries[kept++] = *entry;
	}
	file->entry_count = kept;
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
	uint64_t used = 0, room = (int32_t)argument[2] < 0 ? 0 : (uint32_t)argument[2];

	if (!file)
		return -EBADF;
	if (file->kind != FILE_HOST && file->kind != FILE_DIRECTORY)
		return -ENOTDIR;
	notify_file(process, file, IN_ACCESS);
	if (!file->listed) {
		int failed = list_directory(process, file);

		if (failed)
			return failed;
	}
	for (; file->entry_next < file->entry_count; file->entry_next++) {
		int64_t bytes = write_entry(&process->memory, argument[1] + used, room - used,
					    &file->entries[file->entry_next], file->entry_next + 1);

		if (bytes < 0)
			return used ? (int64_t)used : bytes;
		used += (uint64_t)bytes;
	}
	return (int64_t)used;
}
