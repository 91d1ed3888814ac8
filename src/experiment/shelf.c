#include "experiment/shelf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"

#define HEAD	    "cyclestack-kept-1 "
#define HASH_BYTES  (JOB_KEY_BYTES - 1)
#define HEAD_BYTES  (sizeof(HEAD) - 1 + HASH_BYTES + 1 + HASH_BYTES + 1)
#define SUFFIX	    ".kept"
#define NAME_BYTES  (HASH_BYTES + sizeof(SUFFIX))
#define ENTRY_BYTES (64 << 20)	   /* a longer one is not read, and not written */
#define ASIDE	    ".cyclestack-" /* how names begin while a file is written */

static void hash_text(char text[HASH_BYTES + 1], struct sha256_ctx *sha)
{
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_digest(sha, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

/* False if the point has none. */
static bool name_of(const struct shelf *shelf, const struct point *point, char name[NAME_BYTES])
{
	if (!point->kind->key || !point->kind->key(point, shelf->tool, name))
		return false;
	memcpy(name + HASH_BYTES, SUFFIX, sizeof(SUFFIX));
	return true;
}

/* The first line of an entry. */
static void make_head(char head[HEAD_BYTES + 1], const char *name, const char *result, size_t count)
{
	char hash[HASH_BYTES + 1];
	struct sha256_ctx sha;

	sha256_init(&sha);
	sha256_update(&sha, count, (const uint8_t *)result);
	hash_text(hash, &sha);
	snprintf(head, HEAD_BYTES + 1, HEAD "%.*s %s\n", HASH_BYTES, name, hash);
}

static void note(struct shelf *shelf, const char *name)
{
	*ARRAY_PUSH(shelf->names, shelf->count, shelf->capacity) = mem_strdup(name);
}

static void say_ignored(const struct shelf *shelf, const char *name, const char *reason)
{
	struct err err;

	err_set(&err, "the kept simulation %s is ignored: %s; it is made anew", name, reason);
	shelf->warn(shelf->context, err.text);
}

/* Whether only the user and root could have written it, or put it there. A checksum does not say
 * who did: the one who changes a result computes it anew. */
static bool is_trusted(const struct stat *info)
{
	const bool is_kept_apart = S_ISDIR(info->st_mode) && info->st_mode & S_ISVTX;

	return (info->st_uid == geteuid() || info->st_uid == 0) &&
	       (is_kept_apart || !(info->st_mode & (S_IWGRP | S_IWOTH)));
}

/* The file's bytes, of which *count; NULL with a reason, or without one if there is no file. */
static char *read_entry(const struct shelf *shelf, const char *name, size_t *count,
			const char **reason)
{
	int fd = openat(shelf->directory, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat info;
	char *bytes = NULL;

	*reason = fd < 0 && errno != ENOENT ? strerror(errno) : NULL;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > ENTRY_BYTES) {
		*reason = "it is no file of a size that is ever written";
	} else if (!is_trusted(&info)) {
		*reason = "another user owns it or can write to it";
	} else {
		size_t size = (size_t)info.st_size;

		bytes = mem_alloc(size + 1);
		*count = 0;
		for (ssize_t got; *count < size; *count += (size_t)got)
			if ((got = read(fd, bytes + *count, size - *count)) <= 0)
				break;
	}
	close(fd);
	return bytes;
}

/* The result of an entry's bytes; NULL with a sentence. */
static json_t *open_entry(const struct point *point, const char *name, const char *text,
			  size_t count, struct err *err)
{
	char head[HEAD_BYTES + 1];
	json_t *result = NULL;

	if (count >= HEAD_BYTES)
		make_head(head, name, text + HEAD_BYTES, count - HEAD_BYTES);
	if (count < HEAD_BYTES || memcmp(text, head, HEAD_BYTES) != 0)
		err_set(err, "it is damaged");
	else
		result = point->kind->read(point, text + HEAD_BYTES, count - HEAD_BYTES, err);
	if (!result || point->kind->owns(point, result, err))
		return result;
	json_decref(result);
	return NULL;
}

json_t *shelf_find(struct shelf *shelf, const struct point *point)
{
	char name[NAME_BYTES];
	const char *reason;
	size_t count = 0;
	struct err err;

	if (!shelf || shelf->directory < 0 || !name_of(shelf, point, name))
		return NULL;
	char *text = read_entry(shelf, name, &count, &reason);
	json_t *result = text ? open_entry(point, name, text, count, &err) : NULL;
	if (result)
		note(shelf, name);
	else if (text || reason)
		say_ignored(shelf, name, text ? err.text : reason);
	free(text);
	return result;
}

/* That a result cannot be kept is no failure of the experiment that made it. */
void shelf_put(struct shelf *shelf, const struct point *point, const char *result, size_t bytes)
{
	char name[NAME_BYTES];
	struct err err;

	if (!shelf || shelf->directory < 0 || bytes > ENTRY_BYTES - HEAD_BYTES ||
	    !name_of(shelf, point, name))
		return;
	char *text = mem_alloc(HEAD_BYTES + bytes + 1);
	make_head(text, name, result, bytes);
	memcpy(text + HEAD_BYTES, result, bytes);
	if (shelf->write(shelf->directory, name, text, HEAD_BYTES + bytes, &err))
		note(shelf, name);
	else if (shelf->is_lasting)
		shelf->warn(shelf->context, err.text);
	free(text);
}

static bool is_ours(const char *name)
{
	size_t length = strlen(name);

	return strncmp(name, ASIDE, strlen(ASIDE)) == 0 ||
	       (length == NAME_BYTES - 1 && strcmp(name + HASH_BYTES, SUFFIX) == 0 &&
		strspn(name, "0123456789abcdef") == HASH_BYTES);
}

/* Removes what is too old to be wanted: entries of the usual directory, and everywhere files that a
 * command was killed while writing. */
static void remove_old(const struct shelf *shelf)
{
	const time_t before = time(NULL) - (time_t)SHELF_DAYS * 24 * 60 * 60;
	int fd = openat(shelf->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd >= 0 ? fdopendir(fd) : NULL;

	if (!list && fd >= 0)
		close(fd);
	for (struct dirent *entry; list && (entry = readdir(list));) {
		struct stat info;
		bool is_aside = entry->d_name[0] == '.';

		if (is_ours(entry->d_name) && (is_aside || !shelf->is_lasting) &&
		    fstatat(shelf->directory, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(info.st_mode) && info.st_mtime < before)
			unlinkat(shelf->directory, entry->d_name, 0);
	}
	if (list)
		closedir(list);
}

/* -1 with errno. */
static int open_directory(const char *path)
{
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return -1;
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* The user's cache directory, made if need be; -1 if there is none. */
static int open_usual(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char path[4096];

	if (cache && cache[0] == '/')
		snprintf(path, sizeof(path) - 16, "%s", cache);
	else if (home && home[0] == '/')
		snprintf(path, sizeof(path) - 16, "%s/.cache", home);
	else
		return -1;
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return -1;
	strcat(path, "/cyclestack");
	return open_directory(path);
}

static bool hash_tool(char hash[HASH_BYTES + 1])
{
	FILE *in = fopen("/proc/self/exe", "re");
	struct sha256_ctx sha;
	uint8_t part[65536];

	if (!in)
		return false;
	sha256_init(&sha);
	for (size_t got; (got = fread(part, 1, sizeof(part), in));)
		sha256_update(&sha, got, part);
	bool ok = !ferror(in);
	fclose(in);
	hash_text(hash, &sha);
	return ok;
}

/* Closes a directory in which another user could exchange files. */
static bool check_directory(struct shelf *shelf)
{
	struct stat info;

	if (fstat(shelf->directory, &info) == 0 && is_trusted(&info))
		return true;
	close(shelf->directory);
	shelf->directory = -1;
	return false;
}

bool shelf_open(struct shelf *shelf, const char *path, struct err *err)
{
	*shelf = (struct shelf){.is_lasting = path};
	shelf->directory = path ? open_directory(path) : open_usual();
	if (shelf->directory < 0 && path)
		return err_set_errno(err, errno, "cannot keep simulations in %s", path);
	if (shelf->directory >= 0 && !check_directory(shelf) && path)
		return err_set(err,
			       "cannot keep simulations in %s: another user owns that directory "
			       "or can write to it (chmod go-w %s)",
			       path, path);
	if (shelf->directory >= 0 && !hash_tool(shelf->tool)) {
		close(shelf->directory);
		shelf->directory = -1;
	}
	if (shelf->directory >= 0)
		remove_old(shelf);
	return true;
}

void shelf_close(struct shelf *shelf, bool is_whole)
{
	for (size_t i = 0; i < shelf->count; i++) {
		if (is_whole && !shelf->is_lasting)
			unlinkat(shelf->directory, shelf->names[i], 0);
		free(shelf->names[i]);
	}
	free(shelf->names);
	if (shelf->directory >= 0)
		close(shelf->directory);
	*shelf = (struct shelf){.directory = -1};
}
