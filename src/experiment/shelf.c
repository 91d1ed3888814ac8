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
#include "store/results.h"

#define DIRECTORY   "/cyclestack"
#define USUAL_NAME  "/kept.db"
#define BEFORE	    ".kept" /* how names of files end that version 0.3.0 kept */
#define PATH_BYTES  4096
#define DAY_SECONDS (24 * 60 * 60)

static void note(struct shelf *shelf, int64_t id)
{
	*ARRAY_PUSH(shelf->ids, shelf->count, shelf->capacity) = id;
}

/* False if the point has none. */
static bool key_of(const struct shelf *shelf, const struct point *point, char key[JOB_KEY_BYTES])
{
	return point->kind->key && point->kind->key(point, shelf->tool, key);
}

static void say_ignored(const struct shelf *shelf, int64_t id, const char *reason)
{
	struct err err;

	err_set(&err, "the kept simulation %lld of %s is ignored: %s; it is made anew",
		(long long)id, shelf->path, reason);
	shelf->warn(shelf->context, err.text);
}

/* The result of that number; NULL with a sentence. */
static json_t *read_result(struct store *store, const struct point *point, int64_t id,
			   struct err *err)
{
	size_t count;
	char *text = results_get(store, id, &count, err);
	json_t *result = text ? point->kind->read(point, text, count, err) : NULL;

	free(text);
	if (!result || point->kind->owns(point, result, err))
		return result;
	json_decref(result);
	return NULL;
}

/* Who did not make the file has no result in it. */
static struct store *open_own(const struct shelf *shelf, bool writes, struct err *err)
{
	struct stat info;

	if (stat(shelf->path, &info) != 0 ? !writes || errno != ENOENT
					  : !store_is_own(shelf->path, err))
		return NULL;
	return store_open(shelf->path, writes, err);
}

json_t *shelf_find(struct shelf *shelf, const struct point *point)
{
	char key[JOB_KEY_BYTES];
	json_t *result = NULL;
	int64_t id = 0;
	struct err err = {.text = ""};

	if (!shelf || !shelf->path || !key_of(shelf, point, key))
		return NULL;
	struct store *store = open_own(shelf, false, &err);
	if (!store || !results_find(store, key, &id, &err)) {
		if (*err.text && !shelf->is_told)
			shelf->warn(shelf->context, err.text);
		shelf->is_told |= *err.text != '\0';
	} else if (id) {
		result = read_result(store, point, id, &err);
		if (result)
			note(shelf, id);
		else
			say_ignored(shelf, id, err.text);
	}
	store_close(store);
	return result;
}

/* That a result cannot be kept is no failure of the experiment that made it. */
void shelf_put(struct shelf *shelf, const struct point *point, const json_t *result)
{
	char key[JOB_KEY_BYTES];
	struct err err = {.text = ""};
	int64_t id;

	if (!shelf || !shelf->path || !key_of(shelf, point, key))
		return;
	const struct result_receipt receipt = {
		.key = key, .version = shelf->version, .is_step = true};
	struct store *store = open_own(shelf, true, &err);
	if (store && results_add(store, result, NULL, 0, &receipt, &id, &err))
		note(shelf, id);
	else if (shelf->is_lasting)
		shelf->warn(shelf->context, err.text);
	store_close(store);
}

/* What was kept as files by an earlier version and is too old to be wanted. */
static void remove_old_files(const char *directory, time_t before)
{
	DIR *list = opendir(directory);

	for (struct dirent *entry; list && (entry = readdir(list));) {
		const size_t length = strlen(entry->d_name);
		struct stat info;

		if (length == JOB_KEY_BYTES - 1 + strlen(BEFORE) &&
		    strspn(entry->d_name, "0123456789abcdef") == JOB_KEY_BYTES - 1 &&
		    strcmp(entry->d_name + JOB_KEY_BYTES - 1, BEFORE) == 0 &&
		    fstatat(dirfd(list), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(info.st_mode) && info.st_mtime < before)
			unlinkat(dirfd(list), entry->d_name, 0);
	}
	if (list)
		closedir(list);
}

static void add_id(void *context, const struct result_row *row)
{
	struct shelf *shelf = context;

	note(shelf, row->id);
}

/* Results of commands that were never given again. */
static void remove_old_results(const struct shelf *shelf, time_t before)
{
	const struct results_filter filter = {.before = (uint64_t)before, .with_steps = true};
	struct shelf old = {0};
	struct store *store = open_own(shelf, false, NULL);
	const bool has_old =
		store && results_each(store, &filter, false, add_id, &old, NULL) && old.count;

	store_close(store);
	store = has_old ? open_own(shelf, true, NULL) : NULL;
	if (store)
		results_remove(store, old.ids, old.count, NULL);
	store_close(store);
	free(old.ids);
}

/* The store in the user's cache directory, which is made if need be; NULL if there is none. */
static char *usual_path(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char path[PATH_BYTES];
	int length;

	if (cache && cache[0] == '/')
		length = snprintf(path, sizeof(path), "%s", cache);
	else if (home && home[0] == '/')
		length = snprintf(path, sizeof(path), "%s/.cache", home);
	else
		return NULL;
	if (length >= PATH_BYTES - 64 || (mkdir(path, 0700) != 0 && errno != EEXIST))
		return NULL;
	strcat(path, DIRECTORY);
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return NULL;
	remove_old_files(path, time(NULL) - (time_t)SHELF_DAYS * DAY_SECONDS);
	strcat(path, USUAL_NAME);
	return mem_strdup(path);
}

bool shelf_hash_tool(char hash[JOB_KEY_BYTES])
{
	FILE *in = fopen("/proc/self/exe", "re");
	uint8_t part[65536], digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;

	if (!in)
		return false;
	sha256_init(&sha);
	for (size_t got; (got = fread(part, 1, sizeof(part), in));)
		sha256_update(&sha, got, part);
	const bool ok = !ferror(in);
	fclose(in);
	sha256_digest(&sha, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(hash + 2 * i, 3, "%02x", digest[i]);
	return ok;
}

/* Makes the store, or says why it cannot be used. */
static bool check(struct shelf *shelf, struct err *err)
{
	struct store *store =
		store_is_own_place(shelf->path, err) ? open_own(shelf, true, err) : NULL;

	store_close(store);
	return store;
}

bool shelf_open(struct shelf *shelf, const char *path, struct err *err)
{
	*shelf = (struct shelf){.is_lasting = path};
	shelf->path = path ? mem_strdup(path) : usual_path();
	if (!shelf->path)
		return true;
	bool ok = check(shelf, err);
	if (ok && shelf_hash_tool(shelf->tool)) {
		if (!path)
			remove_old_results(shelf, time(NULL) - (time_t)SHELF_DAYS * DAY_SECONDS);
		return true;
	}
	free(shelf->path);
	shelf->path = NULL;
	return ok || !path || err_prefix(err, "cannot keep simulations in %s", path);
}

void shelf_close(struct shelf *shelf, bool is_whole)
{
	struct store *store = is_whole && !shelf->is_lasting && shelf->count && shelf->path
				      ? open_own(shelf, true, NULL)
				      : NULL;

	if (store)
		results_remove(store, shelf->ids, shelf->count, NULL);
	store_close(store);
	free(shelf->ids);
	free(shelf->path);
	*shelf = (struct shelf){.path = NULL};
}
