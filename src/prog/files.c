#include "prog/files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"

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

struct file *files_get(const struct files *files, uint64_t descriptor)
{
	/* The kernel takes the low 32 bits of the register. */
	uint32_t number = (uint32_t)descriptor;

	return number < FILES_MAX ? files->descriptors[number].file : NULL;
}

struct file *file_create(enum file_kind kind, int fd, const char *path)
{
	struct file *file = mem_alloc(sizeof(*file));

	*file = (struct file){.kind = kind, .references = 1, .fd = fd, .path = mem_strdup(path)};
	return file;
}

void file_release(struct file *file)
{
	if (--file->references)
		return;
	if (file->pipe) {
		unsigned *ends =
			file->kind == FILE_PIPE_READ ? &file->pipe->readers : &file->pipe->writers;

		--*ends;
		if (!file->pipe->readers && !file->pipe->writers)
			free(file->pipe);
	}
	/* The three standard descriptors belong to whoever started us. */
	if (file->fd >= 0 && file->kind != FILE_STANDARD)
		close(file->fd);
	for (size_t i = 0; i < file->entry_count; i++)
		free(file->entries[i].name);
	free(file->entries);
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
	struct file *file = files_get(files, descriptor);

	if (!file)
		return -EBADF;
	files->descriptors[(uint32_t)descriptor] = (struct descriptor){0};
	file_release(file);
	return 0;
}

/* Joins and removes ".", ".." and doubled slashes, without looking at links. */
static int normalise(const char *cwd, const char *path, char out[PATH_BYTES])
{
	size_t used = 0;
	const char *parts[2] = {path[0] == '/' ? "" : cwd, path};

	for (int i = 0; i < 2; i++) {
		for (const char *p = parts[i]; *p;) {
			size_t bytes = strcspn(p, "/");

			if (bytes == 2 && p[0] == '.' && p[1] == '.') {
				while (used && out[--used] != '/')
					;
			} else if (bytes && !(bytes == 1 && p[0] == '.')) {
				if (used + bytes + 2 > PATH_BYTES)
					return -ENAMETOOLONG;
				out[used++] = '/';
				memcpy(out + used, p, bytes);
				used += bytes;
			}
			p += bytes;
			p += strspn(p, "/");
		}
	}
	if (!used)
		out[used++] = '/';
	out[used] = 0;
	return 0;
}

/* What follows the mount's name in an absolute path; NULL if it is not under it. */
static const char *below_mount(const struct mount *mount, const char *path)
{
	size_t bytes = strcmp(mount->guest, "/") == 0 ? 0 : strlen(mount->guest);

	if (strncmp(path, mount->guest, bytes) != 0 || (path[bytes] != '/' && path[bytes] != 0))
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

		if (below_mount(mount, path) && length >= best) {
			best = length;
			found = mount;
		}
	}
	return found;
}

static bool stays_beneath(const struct mount *mount, const char *said)
{
	const char *rest = below_mount(mount, said);
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
			       .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};

	rest += strspn(rest, "/");
	long fd = syscall(SYS_openat2, mount->fd, *rest ? rest : ".", &how, sizeof(how));
	if (fd < 0)
		return errno != EXDEV;
	close((int)fd);
	return true;
}

int files_resolve(const struct files *files, int dirfd, const char *path, struct place *place)
{
	const char *from = files->cwd;

	place->mount = NULL;
	if (!path[0])
		return -ENOENT;
	if (path[0] != '/' && dirfd != AT_FDCWD) {
		const struct file *file = files_get(files, (uint32_t)dirfd);
		struct stat info;

		if (!file)
			return -EBADF;
		if (file->kind != FILE_HOST || fstat(file->fd, &info) != 0 ||
		    !S_ISDIR(info.st_mode))
			return -ENOTDIR;
		from = file->path;
	}
	int failed = normalise(from, path, place->guest);
	if (failed)
		return failed;

	/* Links inside a mount give "link/.." a meaning that normalising cannot
	 * know. So unless what the guest said leads out of the mount it starts in
	 * and into another, the kernel gets the rest as said (and keeps ".." from
	 * leading out). A trailing slash it should see too. */
	char said[2 * PATH_BYTES];
	snprintf(said, sizeof(said), "%s%s%s", path[0] == '/' ? "" : from,
		 path[0] == '/' ? "" : "/", path);
	const struct mount *as_said = find_mount(files, said);
	place->mount = find_mount(files, place->guest);
	bool use_said = as_said &&
			(!place->mount || place->mount == as_said || stays_beneath(as_said, said));
	if (use_said)
		place->mount = as_said;
	if (!place->mount)
		return -ENOENT;
	const char *rest = below_mount(place->mount, use_said ? said : place->guest);
	rest += strspn(rest, "/");
	if (strlen(rest) >= PATH_BYTES)
		return -ENAMETOOLONG;
	strcpy(place->rest, *rest ? rest : ".");
	return 0;
}

static int open_beneath(const struct mount *mount, const char *rest, int flags, mode_t mode)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC),
		.mode = flags & O_CREAT ? mode & 07777 : 0,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, mount->fd, rest, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

int place_open(const struct place *place, int flags, mode_t mode)
{
	bool writes = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);

	if (place->mount->read_only && writes && !(flags & O_PATH)) {
		int fd = open_beneath(place->mount, place->rest, O_PATH, 0);

		if (fd < 0)
			return flags & O_CREAT ? -EROFS : fd;
		close(fd);
		/* O_CREAT of what exists, only to read it, is allowed. */
		if ((flags & O_ACCMODE) != O_RDONLY || flags & O_TRUNC)
			return -EROFS;
		if (flags & O_EXCL)
			return -EEXIST;
		flags &= ~O_CREAT;
	}
	return open_beneath(place->mount, place->rest, flags, mode);
}

int place_open_parent(const struct place *place, char leaf[PATH_BYTES])
{
	char rest[PATH_BYTES];

	strcpy(rest, place->rest);
	size_t used = strlen(rest);
	while (used > 1 && rest[used - 1] == '/')
		rest[--used] = 0;
	char *slash = strrchr(rest, '/');
	const char *name = slash ? slash + 1 : rest;
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return strcmp(place->rest, ".") == 0 ? -EBUSY : -EINVAL;
	strcpy(leaf, name);
	if (slash)
		*slash = 0;
	if (place->mount->read_only)
		return -EROFS;
	return open_beneath(place->mount, slash ? rest : ".", O_PATH | O_DIRECTORY, 0);
}
