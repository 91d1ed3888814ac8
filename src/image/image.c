#include "image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

#define IMAGE_LIMIT (INT64_C(1) << 30)

static bool read_bytes(int fd, const char *path, size_t bytes, uint8_t *to, struct err *err)
{
	while (bytes) {
		ssize_t got = read(fd, to, bytes);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_set_errno(err, errno, "cannot read %s", path);
		if (!got)
			return err_set(err, "%s became shorter while it was read", path);
		to += got;
		bytes -= (size_t)got;
	}
	return true;
}

uint8_t *image_read(const char *path, size_t *bytes, struct err *err)
{
	struct stat info;
	uint8_t *image = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || fstat(fd, &info) != 0) {
		err_set_errno(err, errno, "cannot open %s", path);
	} else if (S_ISDIR(info.st_mode)) {
		err_set(err, "%s is a directory, not a RISC-V program", path);
	} else if (!S_ISREG(info.st_mode)) {
		err_set(err, "%s is not a regular file", path);
	} else if (info.st_size > IMAGE_LIMIT) {
		err_set(err, "%s has %lld bytes; programs over 1 GB are not loaded", path,
			(long long)info.st_size);
	} else {
		*bytes = (size_t)info.st_size;
		image = mem_alloc(*bytes);
		if (!read_bytes(fd, path, *bytes, image, err)) {
			free(image);
			image = NULL;
		}
	}
	if (fd >= 0)
		close(fd);
	return image;
}
