#include "cmd/stored.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

static bool can_store(const struct args *args)
{
	return args && args->command && args->command->stores_results;
}

/* diff reads from the store that the environment names, and adds to it only if it is asked to. */
bool stored_is_wanted(const struct args *args)
{
	return can_store(args) && args_get(args, OPTION_STORE) &&
	       !(args->command->stores_if_told && args->has_usual_store);
}

struct store *stored_open(const struct args *args, bool writes, struct err *err)
{
	const char *path = args_get(args, OPTION_STORE);

	if (!path) {
		err_usage(err, "which store? Give --store FILE, or set CYCLESTACK_STORE");
		return NULL;
	}
	/* A write past the limit for files is then an error like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	return store_open(path, writes, err);
}

bool stored_check(const struct args *args, struct err *err)
{
	if (!stored_is_wanted(args)) {
		if (can_store(args) && args_get(args, OPTION_TAG))
			return err_usage(err, "--tag is for a stored result: give --store FILE");
		return true;
	}
	for (size_t i = 0; i < args->counts[OPTION_TAG]; i++)
		if (!results_is_tag(args->values[OPTION_TAG][i]))
			return err_usage(err,
					 "--tag %s: letters, digits and -_.:+/ can be in a tag, at "
					 "most 64",
					 args->values[OPTION_TAG][i]);
	struct store *store = stored_open(args, true, err);
	store_close(store);
	return store;
}

bool stored_put(const struct args *args, const json_t *result, const char *key, struct err *err)
{
	const struct result_receipt receipt = {
		.key = key,
		.version = version_text(),
		.tags = args->values[OPTION_TAG],
		.tag_count = args->counts[OPTION_TAG],
	};
	int64_t id;

	if (!stored_is_wanted(args))
		return true;
	struct store *store = stored_open(args, true, err);
	const bool ok = store && results_add(store, result, NULL, 0, &receipt, &id, err);
	store_close(store);
	return ok || err_prefix(err, "the result is not stored");
}

char *stored_read_file(const char *path, size_t *count, json_t **result, struct err *err)
{
	FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	char *bytes, part[65536];
	json_error_t where;

	*result = NULL;
	if (!in) {
		err_set_errno(err, errno, "%s", path);
		return NULL;
	}
	FILE *out = mem_stream_open(&bytes, count);
	size_t sum = 0;
	for (size_t got; sum <= RESULT_BYTES_MOST && (got = fread(part, 1, sizeof(part), in));)
		sum += fwrite(part, 1, got, out);
	const int reason = ferror(in) ? errno : 0;
	mem_stream_close(out);
	if (in != stdin)
		fclose(in);
	if (reason)
		err_set_errno(err, reason, "%s", path);
	else if (sum > RESULT_BYTES_MOST)
		err_set(err, "%s: a result of more than %d bytes is too long", path,
			RESULT_BYTES_MOST);
	else if (!(*result = json_loadb(bytes, *count, JSON_REJECT_DUPLICATES, &where)))
		err_set(err,
			"%s: line %d, column %d: %s; a result as --json writes it was expected",
			path, where.line, where.column, where.text);
	if (*result)
		return bytes;
	free(bytes);
	return NULL;
}

static json_t *read_file(const char *path, struct err *err)
{
	json_t *result;
	size_t count;

	free(stored_read_file(path, &count, &result, err));
	return result;
}

static json_t *read_stored(struct store *store, const struct result_name *name, struct err *err)
{
	json_error_t where;
	size_t count;
	char *text = results_text(store, name, &count, err);

	if (!text)
		return NULL;
	json_t *result = json_loadb(text, count, JSON_REJECT_DUPLICATES, &where);
	free(text);
	if (!result)
		err_set(err, "line %d, column %d: %s", where.line, where.column, where.text);
	return result;
}

/* The text of the result's name in an operand that is one; NULL if it names a file. */
static const char *name_in(const char *operand, struct result_name *name)
{
	const char *number = *operand == '@' ? operand : strrchr(operand, '#');

	if (access(operand, F_OK) == 0 || !number || (number == operand && *operand != '@'))
		return NULL;
	return result_name_read(name, number + 1) ? number : NULL;
}

bool stored_is_name(const char *operand)
{
	struct result_name name;

	return name_in(operand, &name);
}

json_t *stored_read(const struct args *args, const char *operand, struct err *err)
{
	struct result_name name;
	const char *number = name_in(operand, &name);
	struct store *store;
	char *path = NULL;

	if (!number)
		return read_file(operand, err);
	if (number == operand) {
		store = stored_open(args, false, err);
	} else {
		path = mem_strndup(operand, (size_t)(number - operand));
		store = store_open(path, false, err);
	}
	json_t *result = store ? read_stored(store, &name, err) : NULL;
	if (store && !result)
		err_prefix(err, "%s", path ? path : args_get(args, OPTION_STORE));
	store_close(store);
	free(path);
	return result;
}
