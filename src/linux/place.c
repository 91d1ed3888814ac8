/* Opens resolved paths on the host, directory by directory. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "linux/files.h"

/* Opens what lies below a directory and is reached without a link. */
static int open_below(int directory, const char *path, int flags, mode_t mode)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC),
		.mode = flags & O_CREAT ? mode : 0,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
	};
	long fd = syscall(SYS_openat2, directory, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

int mount_look(const struct mount *mount, const char *rest)
{
	return open_below(mount->fd, rest, O_PATH | O_NOFOLLOW, 0);
}

int mount_read(const struct mount *mount, const char *rest)
{
	return open_below(mount->fd, rest, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
}

static bool is_root(const struct mount *mount, const struct stat *info)
{
	struct stat root;

	return fstat(mount->fd, &root) == 0 && root.st_dev == info->st_dev &&
	       root.st_ino == info->st_ino;
}

static bool has_one_right(const struct place *place)
{
	return place->mount->read_only || place->files->mount_count == 1;
}

/* A writable mount may hold, on the host, a directory that is mounted itself, maybe elsewhere: from
 * there on that mount's rights hold. */
static void note_rights(struct place *place, int fd)
{
	bool is_mounted = false, is_read_only = false;
	struct stat info;

	if (has_one_right(place) || fstat(fd, &info) != 0 || !S_ISDIR(info.st_mode))
		return;
	for (size_t i = 0; i < place->files->mount_count; i++) {
		const struct mount *mount = &place->files->mounts[i];

		if (mount == place->mount || !is_root(mount, &info))
			continue;
		is_mounted = true;
		is_read_only |= mount->read_only;
	}
	if (is_mounted)
		place->is_read_only = is_read_only;
}

/* Where the last component of a relative path begins. Slashes after it belong to it. */
static const char *last_component(const char *path)
{
	size_t end = strlen(path);

	while (end && path[end - 1] == '/')
		end--;
	while (end && path[end - 1] != '/')
		end--;
	return path + end;
}

/* Goes down to the directory that holds the last component, and learns the rights there. Each
 * directory is held while the next one is opened, so that none can be exchanged for another after
 * it has been looked at. */
static int descend(struct place *place, const char *leaf)
{
	const int flags = O_PATH | O_DIRECTORY;
	int fd = open_below(place->mount->fd, ".", flags, 0);
	char name[PATH_BYTES];

	place->is_read_only = place->mount->read_only;
	for (const char *at = place->rest; fd >= 0 && at < leaf;) {
		/* Where no other rights can be met, one call makes all the steps. */
		size_t bytes = has_one_right(place) ? (size_t)(leaf - at) - 1 : strcspn(at, "/");

		memcpy(name, at, bytes);
		name[bytes] = 0;
		int next = open_below(fd, name, flags, 0);
		close(fd);
		fd = next;
		if (fd >= 0)
			note_rights(place, fd);
		at += bytes + 1;
	}
	return fd;
}

/* What opening for writing answers where nothing may be changed; 0 if it may be opened after all,
 * only to be read. */
static int refuse_writing(int directory, const char *leaf, int flags)
{
	int fd = open_below(directory, leaf, O_PATH | O_NOFOLLOW, 0);
	struct stat info;

	if (fd < 0)
		return flags & O_CREAT ? -EROFS : fd;
	bool is_directory = fstat(fd, &info) == 0 && S_ISDIR(info.st_mode);
	close(fd);
	if (is_directory)
		return -EISDIR;
	/* O_CREAT of what exists, only to read it, is allowed. */
	if ((flags & O_ACCMODE) != O_RDONLY || flags & O_TRUNC)
		return -EROFS;
	return flags & O_EXCL ? -EEXIST : 0;
}

int place_open(struct place *place, int flags, mode_t mode)
{
	const char *leaf = last_component(place->rest);
	int directory = descend(place, leaf), failed = 0;
	bool writes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);

	if (directory < 0)
		return directory;
	if (place->is_read_only && writes && !(flags & O_PATH)) {
		failed = refuse_writing(directory, leaf, flags);
		flags &= ~O_CREAT;
	}
	int fd = failed ? failed : open_below(directory, leaf, flags, mode);
	close(directory);
	if (fd >= 0)
		note_rights(place, fd);
	return fd;
}

int place_open_unnamed(struct place *place, int flags, mode_t mode)
{
	int directory = place_open(place, O_PATH | O_DIRECTORY, 0);

	if (directory < 0)
		return directory;
	int fd = place->is_read_only ? -EROFS : open_below(directory, ".", flags, mode);
	close(directory);
	return fd;
}

int place_open_to_change(struct place *place, int flags)
{
	int fd = place_open(place, flags, 0);

	if (fd < 0 || !place->is_read_only)
		return fd;
	close(fd);
	return -EROFS;
}

bool place_is_read_only(struct place *place)
{
	int fd = place_open(place, O_PATH | O_NOFOLLOW, 0);

	if (fd >= 0)
		close(fd);
	return place->is_read_only;
}

int place_open_parent(struct place *place, char leaf[PATH_BYTES])
{
	const char *name = last_component(place->rest);

	strcpy(leaf, name);
	leaf[strcspn(leaf, "/")] = 0;
	if (strcmp(leaf, ".") == 0 || strcmp(leaf, "..") == 0)
		return strcmp(place->rest, ".") == 0 ? -EBUSY : -EINVAL;
	int fd = descend(place, name);
	if (fd < 0 || !place->is_read_only)
		return fd;
	close(fd);
	return -EROFS;
}

/* Whether the guest's path is that of a mount, or a mount's path continues it. */
static bool has_mount_below(const struct files *files, const char *path)
{
	for (size_t i = 0; i < files->mount_count; i++)
		if (path_below(path, files->mounts[i].guest))
			return true;
	return false;
}

/* Whether the host's directory is mounted somewhere, maybe under another name. The jail allows no
 * call that asks for attributes by name, so it is opened. */
static bool is_mounted(const struct files *files, int directory, const char *leaf)
{
	int fd = open_below(directory, leaf, O_PATH | O_NOFOLLOW, 0);
	struct stat info;
	bool found = false;

	if (fd < 0)
		return false;
	bool is_known = fstat(fd, &info) == 0;
	close(fd);
	for (size_t i = 0; is_known && !found && i < files->mount_count; i++)
		found = is_root(&files->mounts[i], &info);
	return found;
}

int place_open_parent_to_remove(const struct files *files, struct place *place,
				char leaf[PATH_BYTES])
{
	int fd = place_open_parent(place, leaf);

	if (fd >= 0 && (has_mount_below(files, place->guest) || is_mounted(files, fd, leaf))) {
		close(fd);
		return -EBUSY;
	}
	return fd;
}
