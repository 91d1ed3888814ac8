#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "linux/files.h"

bool mount_open(struct mount *mount, const char *guest, const char *host, bool read_only,
		struct err *err)
{
	int fd = open(host, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_set_errno(err, errno, "cannot mount %s", host);
	*mount = (struct mount){mem_strdup(guest), mem_strdup(host), fd, read_only};
	return true;
}

void mount_close(struct mount *mount)
{
	close(mount->fd);
	free(mount->guest);
	free(mount->host);
}

/* A path whose every component is a name. */
static bool is_plain_path(const char *path)
{
	for (const char *p = path; *p;) {
		size_t length = strcspn(p + 1, "/");

		if (*p != '/' || !length || (length == 1 && p[1] == '.') ||
		    (length == 2 && p[1] == '.' && p[2] == '.'))
			return false;
		p += length + 1;
	}
	return true;
}

bool mount_parse(struct mount *mount, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	char guest[PATH_BYTES], host[PATH_BYTES];

	if (!equals || text[0] != '/' || !equals[1] || strlen(text) >= PATH_BYTES)
		return err_set(err,
			       "\"%s\" is not GUEST=HOST or GUEST=HOST:ro with GUEST an absolute "
			       "path, such as /data=.",
			       text);
	size_t length = (size_t)(equals - text);
	while (length > 1 && text[length - 1] == '/')
		length--;
	snprintf(guest, sizeof(guest), "%.*s", (int)length, text);
	if (length > 1 && !is_plain_path(guest))
		return err_set(err, "write GUEST of \"%s\" without //, . and ..", text);
	snprintf(host, sizeof(host), "%s", equals + 1);
	size_t host_length = strlen(host);
	bool read_only = host_length > 3 && strcmp(host + host_length - 3, ":ro") == 0;
	if (read_only)
		host[host_length - 3] = 0;
	return mount_open(mount, guest, host, read_only, err);
}

static bool is_same_directory(const struct mount *a, const struct mount *b)
{
	struct stat first, second;

	return fstat(a->fd, &first) == 0 && fstat(b->fd, &second) == 0 &&
	       first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool mounts_agree(const struct mount *mounts, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++) {
			const struct mount *fixed = &mounts[mounts[i].read_only ? i : j];
			const struct mount *open = &mounts[mounts[i].read_only ? j : i];

			if (mounts[i].read_only != mounts[j].read_only &&
			    is_same_directory(fixed, open))
				return err_usage(err,
						 "%s is mounted at %s read-only and at %s "
						 "writable: mount it in one way, or a directory "
						 "within it",
						 open->host, fixed->guest, open->guest);
		}
	return true;
}
