#include "web/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

#define DEPTH_MOST 4

int place_open_directory(int directory, const char *name, struct err *err)
{
	int fd = -1;

	if (mkdirat(directory, name, 0700) == 0 || errno == EEXIST)
		fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		err_set_errno(err, errno, "cannot make the directory %s", name);
	return fd;
}

int place_open_file(int directory, const char *name, uint64_t *bytes)
{
	struct stat info;
	int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0 && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))) {
		close(fd);
		fd = -1;
	}
	if (fd >= 0)
		*bytes = (uint64_t)info.st_size;
	return fd;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		const ssize_t done = write(fd, bytes, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		bytes += done;
		size -= (size_t)done;
	}
	return true;
}

bool place_write(int directory, const char *name, const void *bytes, size_t size, bool syncs,
		 struct err *err)
{
	char *aside = mem_format("%s.new", name);
	int fd = openat(directory, aside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
			0600);
	bool ok = fd >= 0 && write_all(fd, bytes, size) && (!syncs || fdatasync(fd) == 0);

	if (fd >= 0)
		ok = close(fd) == 0 && ok;
	ok = ok && renameat(directory, aside, directory, name) == 0;
	if (!ok) {
		err_set_errno(err, errno, "cannot write %s", name);
		unlinkat(directory, aside, 0);
	}
	free(aside);
	return ok;
}

char *place_read(int directory, const char *name, size_t most, size_t *size)
{
	uint64_t bytes = 0;
	int fd = place_open_file(directory, name, &bytes);
	char *text = NULL;
	size_t used = 0;

	if (fd >= 0 && bytes <= most) {
		text = mem_alloc((size_t)bytes + 1);
		while (used < bytes) {
			const ssize_t got = read(fd, text + used, (size_t)bytes - used);

			if (got <= 0)
				break;
			used += (size_t)got;
		}
		text[used] = 0;
	}
	if (fd >= 0)
		close(fd);
	*size = used;
	return text;
}

/* Calls itself for directories within; adds up, and removes if it is asked to. */
static uint64_t walk(int directory, const char *name, bool removes, int depth)
{
	struct stat info;
	uint64_t bytes = 0;

	if (fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
		return 0;
	if (!S_ISDIR(info.st_mode)) {
		if (removes)
			unlinkat(directory, name, 0);
		return S_ISREG(info.st_mode) ? (uint64_t)info.st_blocks * 512 : 0;
	}
	int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
	if (!list) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	for (struct dirent *entry; depth < DEPTH_MOST && (entry = readdir(list));)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			bytes += walk(fd, entry->d_name, removes, depth + 1);
	closedir(list);
	if (removes)
		unlinkat(directory, name, AT_REMOVEDIR);
	return bytes;
}

uint64_t place_bytes(int directory, const char *name)
{
	return walk(directory, name, false, 0);
}

void place_remove(int directory, const char *name)
{
	walk(directory, name, true, 0);
}
