#include "linux/files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "linux/file_operations.h"
#include "linux/notify.h"
#include "linux/special.h"

void files_init(struct files *files, const struct mount *mounts, size_t mount_count,
		const char *cwd)
{
	static const char *const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};

	*files = (struct files){
		.mounts = mounts, .mount_count = mount_count, .umask = 022, .limit = FILES_MAX};
	strncpy(files->cwd, cwd, sizeof(files->cwd) - 1);
	for (int i = 0; i < 3; i++) {
		struct file *file = file_create(FILE_STANDARD, i, names[i]);

		file->flags = i == 0 ? O_RDONLY : O_WRONLY;
		files->descriptors[i].file = file;
	}
}

void files_release(struct files *files)
{
	for (uint64_t i = 0; i < FILES_MAX; i++)
		files_close(files, i);
}

struct file *files_get_any(const struct files *files, uint64_t descriptor)
{
	/* The kernel takes the low 32 bits of the register. */
	uint32_t number = (uint32_t)descriptor;

	return number < FILES_MAX ? files->descriptors[number].file : NULL;
}

struct file *files_get(const struct files *files, uint64_t descriptor)
{
	struct file *file = files_get_any(files, descriptor);

	for (int i = 0; i < PINNED_MAX; i++)
		if (files->pinned[i].file && files->pinned[i].descriptor == descriptor)
			return files->pinned[i].file;
	return file && file->flags & O_PATH ? NULL : file;
}

struct file *file_create(enum file_kind kind, int fd, const char *path)
{
	struct file *file = mem_alloc(sizeof(*file));

	*file = (struct file){.kind = kind, .references = 1, .fd = fd, .path = mem_strdup(path)};
	return file;
}

void file_drop_listing(struct file *file)
{
	for (size_t i = 0; i < file->entry_count; i++)
		free(file->entries[i].name);
	free(file->entries);
	file->entries = NULL;
	file->entry_count = file->entry_next = 0;
	if (file->listings)
		*file->listings -= file->listed_bytes;
	file->listed_bytes = 0;
	file->listed = false;
}

void file_watch(struct file *file, struct watch *watch, bool is_last)
{
	watch->file = file;
	watch->link = &file->watches;
	while (is_last && *watch->link)
		watch->link = &(*watch->link)->next;
	watch->next = *watch->link;
	if (watch->next)
		watch->next->link = &watch->next;
	*watch->link = watch;
}

void file_unwatch(struct watch *watch)
{
	if (!watch->link)
		return;
	*watch->link = watch->next;
	if (watch->next)
		watch->next->link = watch->link;
	watch->link = NULL;
}

void file_notify(struct file *file, short events)
{
	/* A waiter that wakes changes no list of watches. */
	for (struct watch *watch = file->watches; watch; watch = watch->next)
		if (events & (watch->events | POLLERR | POLLHUP))
			watch->wake(watch, events);
}

void file_release(struct file *file)
{
	if (--file->references)
		return;
	while (file->watches) {
		struct watch *watch = file->watches;

		file_unwatch(watch);
		watch->closed(watch);
	}
	if (file->opener)
		notify_closed(file->opener, file);
	if (file_operations(file)->close)
		file_operations(file)->close(file);
	/* The three standard descriptors belong to the process that started this one. */
	if (file->fd >= 0 && !file->node && file->kind != FILE_STANDARD &&
	    file->kind != FILE_CONTENT)
		close(file->fd);
	if (file->node)
		node_close(file->node);
	file_drop_listing(file);
	free(file->path);
	free(file);
}

int files_install(struct files *files, struct file *file, int least, bool close_on_exec)
{
	for (int i = least; i < (int)files->limit; i++) {
		if (files->descriptors[i].file)
			continue;
		files->descriptors[i] = (struct descriptor){file, close_on_exec};
		return i;
	}
	file_release(file);
	return -EMFILE;
}

int files_close(struct files *files, uint64_t descriptor)
{
	struct file *file = files_get_any(files, descriptor);

	if (!file)
		return -EBADF;
	files->descriptors[(uint32_t)descriptor] = (struct descriptor){0};
	file_release(file);
	return 0;
}

const char *path_below(const char *directory, const char *path)
{
	size_t bytes = strcmp(directory, "/") == 0 ? 0 : strlen(directory);

	if (strncmp(path, directory, bytes) != 0 || (path[bytes] != '/' && path[bytes] != 0))
		return NULL;
	return path + bytes;
}

static const struct mount *find_mount(const struct files *files, const char *path)
{
	const struct mount *found = NULL;
	size_t best = 0;

	for (size_t i = 0; i < files->mount_count; i++) {
		const struct mount *mount = &files->mounts[i];
		size_t length = strlen(mount->guest);

		if (path_below(mount->guest, path) && length >= best) {
			best = length;
			found = mount;
		}
	}
	return found;
}

/* A walk over a path in the guest's name space. `done` holds what is resolved:
 * absolute, without links, "." or "..", and without its slash when empty. */
struct walk {
	const struct files *files;
	char done[PATH_BYTES];
	char ahead[2 * PATH_BYTES];
	unsigned links;
};

#define LINKS_MAX 40

static void walk_up(struct walk *walk)
{
	char *slash = strrchr(walk->done, '/');

	if (slash)
		*slash = 0;
}

/* Puts a link's target in place of the component just read. */
static int walk_into(struct walk *walk, const char *target, ssize_t length)
{
	if (++walk->links > LINKS_MAX)
		return -ELOOP;
	size_t ahead = strlen(walk->ahead);
	if ((size_t)length + 1 + ahead >= sizeof(walk->ahead))
		return -ENAMETOOLONG;
	memmove(walk->ahead + length + 1, walk->ahead, ahead + 1);
	memcpy(walk->ahead, target, (size_t)length);
	walk->ahead[length] = '/';
	/* The slash just added must not make a last component a directory. */
	if (!ahead)
		walk->ahead[length] = 0;
	if (target[0] == '/')
		walk->done[0] = 0;
	else
		walk_up(walk);
	return 0;
}

static int walk_into_link(struct walk *walk, int fd)
{
	char target[PATH_BYTES];
	ssize_t length = readlinkat(fd, "", target, sizeof(target));

	return length < 0 ? -errno : walk_into(walk, target, length);
}

bool file_is_directory(const struct file *file)
{
	struct stat info;

	return file->kind == FILE_DIRECTORY ||
	       (file->kind == FILE_HOST && file->fd >= 0 && fstat(file->fd, &info) == 0 &&
		S_ISDIR(info.st_mode));
}

/* The same for a name that no mount has. */
static int walk_look_special(struct walk *walk, bool is_last, bool follow)
{
	struct special special = special_find(walk->files, walk->done);
	const struct file *file;

	switch (special.kind) {
	case SPECIAL_NONE:
	case SPECIAL_DIRECTORY: return 0;
	case SPECIAL_LINK:
		return follow || !is_last
			       ? walk_into(walk, special.target, (ssize_t)strlen(special.target))
			       : 0;
	case SPECIAL_DESCRIPTOR:
		file = files_get_any(walk->files, special.descriptor);
		/* An open directory is where its path leads; other files have no names. */
		if ((follow || !is_last) && file_is_directory(file))
			return walk_into(walk, file->path, (ssize_t)strlen(file->path));
		return is_last ? 0 : -ENOTDIR;
	default: return is_last ? 0 : -ENOTDIR;
	}
}

/* Examines the file that `done` now names: follows a link, refuses a file that is not the last
 * component. */
static int walk_look(struct walk *walk, bool is_last, bool follow)
{
	const struct mount *mount = find_mount(walk->files, walk->done);
	struct stat info;

	if (!mount) /* above a mount or under none: decided when the whole path is known */
		return walk_look_special(walk, is_last, follow);
	const char *rest = path_below(mount->guest, walk->done);
	rest += *rest == '/';
	int fd = mount_look(mount, *rest ? rest : ".");
	if (fd == -ENOENT && (is_last || special_find(walk->files, walk->done).kind))
		return walk_look_special(walk, is_last, follow);
	if (fd < 0)
		return fd;
	int failed = fstat(fd, &info) == 0 ? 0 : -errno;
	if (!failed && S_ISLNK(info.st_mode) && (follow || !is_last))
		failed = walk_into_link(walk, fd);
	else if (!failed && !is_last && !S_ISDIR(info.st_mode))
		failed = -ENOTDIR;
	close(fd);
	return failed;
}

static int walk_step(struct walk *walk, bool follow)
{
	size_t skip = strspn(walk->ahead, "/");
	size_t bytes = strcspn(walk->ahead + skip, "/");
	const char *name = walk->ahead + skip;
	size_t used = strlen(walk->done);
	bool is_up = bytes == 2 && memcmp(name, "..", 2) == 0;
	bool is_here = !bytes || (bytes == 1 && name[0] == '.');

	if (!is_up && !is_here) {
		if (used + 1 + bytes >= sizeof(walk->done))
			return -ENAMETOOLONG;
		walk->done[used] = '/';
		memcpy(walk->done + used + 1, name, bytes);
		walk->done[used + 1 + bytes] = 0;
	}
	memmove(walk->ahead, name + bytes, strlen(name + bytes) + 1);
	if (is_up)
		walk_up(walk);
	if (is_up || is_here)
		return 0;
	return walk_look(walk, walk->ahead[0] == 0, follow);
}

/* Whether the name is special and not in the mount that covers it. */
static bool is_special(const struct files *files, const struct place *place)
{
	if (!special_find(files, place->guest).kind)
		return false;
	if (!place->mount)
		return true;
	const char *rest = path_below(place->mount->guest, place->guest);
	rest += *rest == '/';
	int fd = mount_look(place->mount, *rest ? rest : ".");
	if (fd >= 0)
		close(fd);
	return fd == -ENOENT;
}

/* Whether the name is for a node: below the directory that no mount has. */
static bool is_for_node(const struct place *place)
{
	const struct mount *mount = place->mount;

	if (!path_below(NODES_PATH, place->guest) ||
	    (mount && path_below(NODES_PATH, mount->guest)))
		return false;
	if (!mount)
		return true;
	const char *rest = path_below(mount->guest, NODES_PATH);
	int fd = mount_look(mount, rest + 1);
	if (fd >= 0)
		close(fd);
	return fd == -ENOENT;
}

int files_resolve(const struct files *files, int dirfd, const char *path, bool follow,
		  struct place *place)
{
	struct walk walk = {.files = files};
	size_t length = strlen(path);
	int failed = 0;

	place->files = files;
	place->mount = NULL;
	place->guest[0] = 0;
	place->is_special = place->is_node = false;
	if (!length)
		return -ENOENT;
	if (path[0] != '/') {
		const struct file *file = files_get_any(files, (uint32_t)dirfd);

		if (dirfd != AT_FDCWD && !file)
			return -EBADF;
		if (dirfd != AT_FDCWD && !file_is_directory(file))
			return -ENOTDIR;
		/* Neither path contains links or dots. */
		strcpy(walk.done, dirfd == AT_FDCWD ? files->cwd : file->path);
		if (strcmp(walk.done, "/") == 0)
			walk.done[0] = 0;
	}
	if (length >= PATH_BYTES)
		return -ENAMETOOLONG;
	strcpy(walk.ahead, path);
	while (!failed && walk.ahead[0])
		failed = walk_step(&walk, follow);
	strcpy(place->guest, walk.done[0] ? walk.done : "/");
	place->mount = find_mount(files, place->guest);
	if (failed)
		return failed;
	place->is_special = is_special(files, place);
	place->is_node = is_for_node(place);
	if (place->is_special && path[length - 1] == '/' &&
	    special_is_plain(special_find(files, place->guest).kind))
		return -ENOTDIR;
	if (place->is_special || place->is_node)
		place->mount = NULL;
	if (!place->mount)
		return -ENOENT;
	const char *rest = path_below(place->mount->guest, place->guest);
	rest += *rest == '/';
	/* A trailing slash asks for a directory, which the kernel then checks. */
	snprintf(place->rest, sizeof(place->rest), "%s%s", *rest ? rest : ".",
		 path[length - 1] == '/' ? "/" : "");
	return 0;
}
