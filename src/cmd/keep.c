#include "cmd/keep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "report/file/file.h"

#define HEAD	    "cyclestack-kept-1 "
#define HASH_BYTES  64
#define HEAD_BYTES  (sizeof(HEAD) - 1 + HASH_BYTES + 1 + HASH_BYTES + 1)
#define SUFFIX	    ".kept"
#define NAME_BYTES  (HASH_BYTES + sizeof(SUFFIX))
#define ENTRY_BYTES (64 << 20)	   /* a longer one is not read, and not written */
#define ASIDE	    ".cyclestack-" /* how report/file/file.h begins names while it writes */

static void hash_text(char text[HASH_BYTES + 1], struct sha256_ctx *sha)
{
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_digest(sha, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

static void hash_bytes(char text[HASH_BYTES + 1], const char *bytes, size_t count)
{
	struct sha256_ctx sha;

	sha256_init(&sha);
	sha256_update(&sha, count, (const uint8_t *)bytes);
	hash_text(text, &sha);
}

static void add_number(struct sha256_ctx *sha, uint64_t number)
{
	uint8_t bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(number >> 8 * i);
	sha256_update(sha, sizeof(bytes), bytes);
}

/* The length goes before the text, so that no two lists of texts are the same bytes. */
static void add_text(struct sha256_ctx *sha, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	add_number(sha, text ? length : UINT64_MAX);
	sha256_update(sha, length, (const uint8_t *)text);
}

static void add_texts(struct sha256_ctx *sha, const char *const *texts, size_t count)
{
	add_number(sha, count);
	for (size_t i = 0; i < count; i++)
		add_text(sha, texts[i]);
}

static void add_program(struct sha256_ctx *sha, const struct program *program)
{
	size_t variables = 0;

	while (program->env && program->env[variables])
		variables++;
	add_text(sha, program->hash);
	add_texts(sha, (const char *const *)program->argv, program->argc);
	add_texts(sha, program->env, variables);
	add_texts(sha, program->denied, program->denied_count);
	add_text(sha, program->cwd);
	add_number(sha, program->seed);
	add_number(sha, program->memory_bytes);
	add_number(sha, program->strict);
	add_number(sha, program->keeps_mtime);
	add_number(sha, program->stdin_is_file);
}

/* Files of the host, what is asked of the statistics module and machines that are only supposed are
 * not part of a name; and what a run sends besides its result is not kept. */
static bool has_name(const struct job *job)
{
	return !job->program->mount_count && !job->stat && !job->what_if_count &&
	       !job->circuit_count && !job->records_cycles;
}

/* Everything that decides the job's result. */
static void name_of(const struct keep *keep, const struct job *job, char name[NAME_BYTES])
{
	char hash[HASH_BYTES + 1];
	struct sha256_ctx sha;

	config_hash(&job->machine->config, hash);
	sha256_init(&sha);
	add_text(&sha, keep->tool);
	add_program(&sha, job->program);
	add_text(&sha, hash);
	add_text(&sha, job->machine->name);
	add_texts(&sha, job->machine->changes, job->machine->change_count);
	for (size_t i = 0; job->observers && job->observers[i]; i++)
		add_text(&sha, job->observers[i]->name);
	add_text(&sha, NULL);
	add_number(&sha, job->skip);
	add_text(&sha, job->roi);
	add_number(&sha, job->roi_call);
	add_number(&sha, job->is_cold);
	add_number(&sha, job->max_instructions);
	add_number(&sha, job->by_cycles);
	add_number(&sha, job->is_silent);
	add_number(&sha, job->is_whole);
	add_number(&sha, job->has_functions);
	add_number(&sha, job->interval);
	add_number(&sha, job->has_window);
	add_number(&sha, job->window_from);
	add_number(&sha, job->window_to);
	add_texts(&sha, job->annotate, job->annotate_count);
	hash_text(name, &sha);
	memcpy(name + HASH_BYTES, SUFFIX, sizeof(SUFFIX));
}

static void note(struct keep *keep, const char *name)
{
	*ARRAY_PUSH(keep->names, keep->count, keep->capacity) = mem_strdup(name);
}

static void say_ignored(const char *name, const char *reason)
{
	struct err err;

	err_set(&err, "the kept simulation %s is ignored: %s; it is made anew", name, reason);
	say_warning(NULL, err.text);
}

/* The file's bytes, of which *count; NULL with a reason, or without one if there is no file. */
static char *read_entry(const struct keep *keep, const char *name, size_t *count,
			const char **reason)
{
	int fd = openat(keep->directory, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat info;
	char *bytes = NULL;

	*reason = fd < 0 && errno != ENOENT ? strerror(errno) : NULL;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size > ENTRY_BYTES) {
		*reason = "it is no file of a size that is ever written";
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

static char *find(void *context, const struct job *job, size_t *bytes)
{
	struct keep *keep = context;
	char name[NAME_BYTES], head[HEAD_BYTES + 1], hash[HASH_BYTES + 1];
	const char *reason;
	size_t count = 0;

	if (!has_name(job))
		return NULL;
	name_of(keep, job, name);
	char *text = read_entry(keep, name, &count, &reason);
	if (text && count >= HEAD_BYTES) {
		hash_bytes(hash, text + HEAD_BYTES, count - HEAD_BYTES);
		snprintf(head, sizeof(head), HEAD "%.*s %s\n", HASH_BYTES, name, hash);
		if (memcmp(text, head, HEAD_BYTES) == 0) {
			*bytes = count - HEAD_BYTES;
			memmove(text, text + HEAD_BYTES, *bytes);
			keep->found++;
			note(keep, name);
			return text;
		}
	}
	if (text || reason)
		say_ignored(name, text ? "it is damaged" : reason);
	free(text);
	return NULL;
}

static void refuse(void *context, const struct job *job, const char *reason)
{
	struct keep *keep = context;
	char name[NAME_BYTES];

	name_of(keep, job, name);
	keep->found--;
	say_ignored(name, reason);
}

/* That a result cannot be kept is no failure of the command that made it. */
static void put(void *context, const struct job *job, const char *result, size_t bytes)
{
	struct keep *keep = context;
	char name[NAME_BYTES], hash[HASH_BYTES + 1];
	struct report_target target;
	struct err err;

	if (!has_name(job) || bytes > ENTRY_BYTES - HEAD_BYTES)
		return;
	name_of(keep, job, name);
	hash_bytes(hash, result, bytes);
	char *text = mem_alloc(HEAD_BYTES + bytes + 1);
	snprintf(text, HEAD_BYTES + 1, HEAD "%.*s %s\n", HASH_BYTES, name, hash);
	memcpy(text + HEAD_BYTES, result, bytes);
	if (report_target_open_entry(&target, keep->directory, name, &err) &&
	    report_write_file(&target, text, HEAD_BYTES + bytes, &err))
		note(keep, name);
	else if (keep->is_lasting)
		say_warning(NULL, err.text);
	report_target_release(&target);
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
static void remove_old(const struct keep *keep)
{
	const time_t before = time(NULL) - (time_t)KEEP_DAYS * 24 * 60 * 60;
	int fd = openat(keep->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd >= 0 ? fdopendir(fd) : NULL;

	if (!list && fd >= 0)
		close(fd);
	for (struct dirent *entry; list && (entry = readdir(list));) {
		struct stat info;
		bool is_aside = entry->d_name[0] == '.';

		if (is_ours(entry->d_name) && (is_aside || !keep->is_lasting) &&
		    fstatat(keep->directory, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(info.st_mode) && info.st_mtime < before)
			unlinkat(keep->directory, entry->d_name, 0);
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

bool keep_open(struct keep *keep, const struct args *args, struct err *err)
{
	const char *path = args_get(args, OPTION_KEEP);

	*keep = (struct keep){.is_lasting = path,
			      .shelf = {.find = find, .refuse = refuse, .keep = put}};
	keep->directory = path ? open_directory(path) : open_usual();
	if (keep->directory < 0 && path)
		return err_set_errno(err, errno, "cannot keep simulations in %s", path);
	if (keep->directory >= 0 && !hash_tool(keep->tool)) {
		close(keep->directory);
		keep->directory = -1;
	}
	if (keep->directory >= 0)
		remove_old(keep);
	keep->shelf.context = keep;
	return true;
}

const struct job_shelf *keep_shelf(const struct keep *keep)
{
	return keep->directory >= 0 ? &keep->shelf : NULL;
}

void keep_close(struct keep *keep, bool is_whole)
{
	if (!is_whole && keep->count)
		fprintf(stderr,
			"cyclestack: %zu finished simulation%s kept: the same command goes on from "
			"there\n",
			keep->count, keep->count == 1 ? " is" : "s are");
	for (size_t i = 0; i < keep->count; i++) {
		if (is_whole && !keep->is_lasting)
			unlinkat(keep->directory, keep->names[i], 0);
		free(keep->names[i]);
	}
	free(keep->names);
	if (keep->directory >= 0)
		close(keep->directory);
	*keep = (struct keep){.directory = -1};
}
