#include "cmd/reuse.h"

#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/stored.h"
#include "experiment/shelf.h"

#define DEV_NULL makedev(1, 3)

/* What would be made beside the result, and is not when nothing runs. */
static const enum option_id made_by_runs[] = {
	OPTION_STDOUT, OPTION_STDERR, OPTION_RECORD_CYCLES, OPTION_INTERVAL_PRINT, OPTION_TO,
	OPTION_LISTEN, OPTION_RTL};

static bool check_options(const struct args *args, struct err *err)
{
	if (!args_get(args, OPTION_STORE))
		return err_usage(err, "--reuse takes results from a store: give --store FILE, or "
				      "set CYCLESTACK_STORE");
	for (size_t i = 0; i < ARRAY_COUNT(made_by_runs); i++)
		if (args_get(args, made_by_runs[i]))
			return err_usage(err,
					 "--%s needs a run, and with --reuse there may be none: "
					 "leave one out",
					 option_rows[made_by_runs[i]].name);
	return true;
}

/* The SHA-256 of what a file holds from where it would be read, without reading it there. */
static bool hash_rest(int fd, char hash[JOB_KEY_BYTES])
{
	uint8_t part[65536], digest[SHA256_DIGEST_SIZE];
	off_t at = lseek(fd, 0, SEEK_CUR);
	struct sha256_ctx sha;
	ssize_t got;

	if (at < 0)
		return false;
	sha256_init(&sha);
	while ((got = pread(fd, part, sizeof(part), at)) > 0) {
		sha256_update(&sha, (size_t)got, part);
		at += got;
	}
	sha256_digest(&sha, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(hash + 2 * i, 3, "%02x", digest[i]);
	return got == 0;
}

/* What the program can read of its standard input; false if that cannot be known. */
static bool hash_input(char hash[JOB_KEY_BYTES])
{
	struct stat info;

	snprintf(hash, JOB_KEY_BYTES, "nothing");
	if (fstat(STDIN_FILENO, &info) != 0)
		return false;
	if (S_ISCHR(info.st_mode) && info.st_rdev == DEV_NULL)
		return true;
	return S_ISREG(info.st_mode) && hash_rest(STDIN_FILENO, hash);
}

static bool make_key(struct reuse *reuse, const struct job *job)
{
	char tool[JOB_KEY_BYTES], input[JOB_KEY_BYTES], all[2 * JOB_KEY_BYTES];

	if (!job->machine || !shelf_hash_tool(tool) || !hash_input(input))
		return false;
	snprintf(all, sizeof(all), "%s %s", tool, input);
	return job_key(job, all, reuse->key);
}

/* With --reuse a program has nobody to ask at a terminal. */
static bool close_terminal(struct err *err)
{
	const int fd = isatty(STDIN_FILENO) ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
	const bool ok = fd < 0 || dup2(fd, STDIN_FILENO) == STDIN_FILENO;

	if (fd >= 0)
		close(fd);
	return ok || err_tool(err, "standard input cannot be closed");
}

static bool look(struct reuse *reuse, const struct args *args, json_t **result, struct err *err)
{
	const char *path = args_get(args, OPTION_STORE);
	struct store *store = store_is_own(path, err) ? stored_open(args, false, err) : NULL;
	bool ok = store && results_find(store, reuse->key, &reuse->id, err);

	if (!store)
		err_prefix(err, "--reuse takes no result from %s", path);
	if (ok && reuse->id) {
		size_t count;
		struct err why;
		char *text = results_get(store, reuse->id, &count, &why);

		*result = text ? job_read(text, count, &why) : NULL;
		free(text);
		if (!*result) {
			struct err warning;

			err_set(&warning, "the stored %s; it is made anew", why.text);
			say_warning(NULL, warning.text);
		}
	}
	store_close(store);
	return ok;
}

bool reuse_find(struct reuse *reuse, const struct job *job, const struct args *args,
		struct outputs *outputs, json_t **result, struct err *err)
{
	const bool is_wanted = args_get(args, OPTION_REUSE);

	*reuse = (struct reuse){.has_key = false};
	*result = NULL;
	if (is_wanted && (!check_options(args, err) || !close_terminal(err)))
		return false;
	if (!args_get(args, OPTION_STORE))
		return true;
	reuse->has_key = make_key(reuse, job);
	if (!is_wanted)
		return true;
	if (!reuse->has_key) {
		say_warning(NULL, "--reuse: what this program reads cannot be known beforehand "
				  "(--mount, --sysroot, or a pipe as its input: give --stdin FILE "
				  "or < /dev/null), so it is run");
		return true;
	}
	if (!look(reuse, args, result, err))
		return false;
	if (!*result)
		return true;
	outputs->is_stored = !args_get(args, OPTION_TAG);
	outputs->key = reuse->key;
	if (!args_get(args, OPTION_QUIET))
		fprintf(stderr,
			"cyclestack: this is result %lld of the store: nothing is run, and the "
			"program prints nothing\n",
			(long long)reuse->id);
	return true;
}

void reuse_made(const struct reuse *reuse, struct outputs *outputs,
		const struct worker_report *report)
{
	if (reuse->has_key && report->stop == WORKER_GO_ON)
		outputs->key = reuse->key;
}
