#include "web/uploads.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "web/order.h"
#include "web/place.h"

#define ABOUT_MOST 65536

static void file_name(const struct upload *upload, char name[40])
{
	snprintf(name, 40, "new-%llu", (unsigned long long)upload->number);
}

static size_t count_uploads(const struct server *server)
{
	const int fd = openat(server->state, "uploads", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
	size_t count = 0;

	for (struct dirent *entry; list && (entry = readdir(list));)
		count += order_is_upload(entry->d_name);
	if (list)
		closedir(list);
	return count;
}

struct upload *upload_begin(struct server *server, unsigned *status, struct err *err)
{
	char name[40];

	*status = 507;
	if (count_uploads(server) >= server->options.limits.uploads) {
		err_set(err, "%llu uploads are kept, which is the limit: delete some",
			(unsigned long long)server->options.limits.uploads);
		return NULL;
	}
	struct upload *upload = mem_alloc(sizeof(*upload));
	upload->number = ++server->next_upload;
	sha256_init(&upload->hash);
	file_name(upload, name);
	upload->fd = openat(server->uploads_fd, name,
			    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (upload->fd >= 0)
		return upload;
	err_set_errno(err, errno, "cannot keep an upload");
	free(upload);
	return NULL;
}

bool upload_add(struct server *server, struct upload *upload, const void *bytes, size_t size,
		unsigned *status, struct err *err)
{
	const char *rest = bytes;
	size_t left = size;

	*status = 413;
	if (upload->bytes + size > server->options.limits.upload)
		return err_set(err, "it is larger than the %llu bytes that an upload may have",
			       (unsigned long long)server->options.limits.upload);
	*status = 507;
	if (!server_has_room(server, size))
		return err_set(err, "the results and uploads take all the room that they may have: "
				    "delete some");
	while (left) {
		const ssize_t done = write(upload->fd, rest, left);

		if (done <= 0)
			return err_set_errno(err, errno, "cannot keep the upload");
		rest += done;
		left -= (size_t)done;
	}
	sha256_update(&upload->hash, size, bytes);
	upload->bytes += size;
	server->disk_bytes += size;
	return true;
}

void upload_cancel(struct server *server, struct upload *upload)
{
	char name[40];

	if (!upload)
		return;
	file_name(upload, name);
	close(upload->fd);
	unlinkat(server->uploads_fd, name, 0);
	server->disk_bytes -=
		upload->bytes < server->disk_bytes ? upload->bytes : server->disk_bytes;
	free(upload);
}

static void id_of(struct upload *upload, char id[UPLOAD_ID_BYTES + 1])
{
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_digest(&upload->hash, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(id + 2 * i, 3, "%02x", digest[i]);
}

static bool write_about(struct server *server, const char *id, json_t *about, struct err *err)
{
	char *name = mem_format("%s.json", id), *text = json_dumps(about, JSON_COMPACT);
	const bool ok = place_write(server->uploads_fd, name, text, strlen(text), false, err);

	free(name);
	free(text);
	return ok;
}

json_t *upload_end(struct server *server, struct upload *upload, const char *name, struct err *err)
{
	char from[40], id[UPLOAD_ID_BYTES + 1], created[32];
	const time_t now = time(NULL);
	struct tm parts;

	file_name(upload, from);
	id_of(upload, id);
	gmtime_r(&now, &parts);
	strftime(created, sizeof(created), "%Y-%m-%dT%H:%M:%SZ", &parts);
	json_t *about = json_pack("{s:s, s:s, s:I, s:s}", "id", id, "name", name ? name : "",
				  "bytes", (json_int_t)upload->bytes, "created", created);
	const bool was_there = uploads_has(server, id);
	if (fsync(upload->fd) != 0 ||
	    renameat(server->uploads_fd, from, server->uploads_fd, id) != 0) {
		err_set_errno(err, errno, "cannot keep the upload");
	} else if (write_about(server, id, about, err)) {
		/* It took the place of a file with the same bytes. */
		if (was_there)
			server->disk_bytes -= upload->bytes;
		close(upload->fd);
		free(upload);
		return about;
	}
	upload_cancel(server, upload);
	json_decref(about);
	return NULL;
}

json_t *uploads_json(const struct server *server)
{
	const int fd = openat(server->state, "uploads", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent **entries = NULL;
	json_t *list = json_array();

	if (fd < 0)
		return list;
	const int count = scandirat(server->state, "uploads", &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		const size_t length = strlen(name);

		if (length == UPLOAD_ID_BYTES + 5 && strcmp(name + UPLOAD_ID_BYTES, ".json") == 0) {
			size_t bytes;
			char *text = place_read(server->uploads_fd, name, ABOUT_MOST, &bytes);
			json_t *about = text ? json_loadb(text, bytes, 0, NULL) : NULL;

			if (json_is_object(about))
				json_array_append(list, about);
			json_decref(about);
			free(text);
		}
		free(entries[i]);
	}
	free(entries);
	close(fd);
	return list;
}

bool uploads_has(const struct server *server, const char *id)
{
	uint64_t bytes;
	const int fd = order_is_upload(id) ? place_open_file(server->uploads_fd, id, &bytes) : -1;

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool uploads_delete(struct server *server, const char *id)
{
	char about[UPLOAD_ID_BYTES + 6];

	if (!uploads_has(server, id))
		return false;
	snprintf(about, sizeof(about), "%s.json", id);
	const uint64_t bytes = place_bytes(server->uploads_fd, id);
	place_remove(server->uploads_fd, about);
	place_remove(server->uploads_fd, id);
	server->disk_bytes -= bytes < server->disk_bytes ? bytes : server->disk_bytes;
	return true;
}
