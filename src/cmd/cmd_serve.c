#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/command.h"
#include "cmd/guest.h"
#include "cmd/program.h"
#include "job/functions.h"
#include "web/web.h"

/* For the page, which lets people choose among them: read in a worker, printed as JSON. */
static int list_functions(const struct args *args)
{
	struct program program = {0};
	struct err err;
	json_t *list = program_open(&program, args, &err) ? job_functions(&program, &err) : NULL;
	int status = 0;

	if (list)
		json_dumpf(list, stdout, JSON_COMPACT);
	else
		status = fail_err(command_named("serve"), &err);
	json_decref(list);
	program_release(&program);
	return status;
}

/* The directories above the file are made as they are needed. */
static bool make_parents(char *path, struct err *err)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(path, 0700) != 0 && errno != EEXIST)
			return err_set_errno(err, errno, "cannot make the directory %s", path);
		*slash = '/';
	}
	return true;
}

/* The store that is given, or that of the environment, or the user's own. */
static char *store_path(const struct args *args, struct err *err)
{
	const char *given = args_get(args, OPTION_STORE), *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");

	if (!given)
		given = getenv("CYCLESTACK_STORE");
	char *path = NULL;

	if (given && *given) {
		char *here = given[0] == '/' ? NULL : getcwd(NULL, 0);

		path = here ? mem_format("%s/%s", here, given) : mem_strdup(given);
		free(here);
		return path;
	}
	if (state && state[0] == '/')
		path = mem_format("%s/cyclestack/store.db", state);
	else if (home && home[0] == '/')
		path = mem_format("%s/.local/state/cyclestack/store.db", home);
	if (!path)
		err_usage(err, "where should results be kept? Give --store FILE");
	else if (make_parents(path, err))
		return path;
	free(path);
	return NULL;
}

/* --tls CERT KEY: the key is the only operand there can be. */
static bool read_tls(struct web_options *options, const struct args *args, struct err *err)
{
	options->certificate = args_get(args, OPTION_TLS);
	options->key = args->rest_count ? args->rest[0] : NULL;
	if (args->rest_count > 1 || (options->key && !options->certificate))
		return err_usage(err, "it runs no program: give options only");
	return !options->certificate || options->key ||
	       err_usage(err, "--tls: give the certificate and the key: --tls CERT KEY");
}

static bool read_options(struct web_options *options, const struct args *args, struct err *err)
{
	web_limits_init(&options->server.limits);
	for (size_t i = 0; i < args->counts[OPTION_ALLOW]; i++)
		if (!web_limits_set(&options->server.limits, args->values[OPTION_ALLOW][i], err))
			return false;
	options->listen = args_get(args, OPTION_LISTEN);
	options->names = args->values[OPTION_NAME];
	options->name_count = args->counts[OPTION_NAME];
	options->token_path = args_get(args, OPTION_TOKEN);
	options->is_behind_proxy = args_get(args, OPTION_BEHIND_PROXY);
	return read_tls(options, args, err) && jobs_from_args(&options->server.jobs, args, err);
}

static void say_listening(const char *url)
{
	fprintf(stderr, "cyclestack: serving at %s\n", url);
	fflush(stderr);
}

static void warn(const char *sentence)
{
	say_warning(NULL, sentence);
}

int cmd_serve(const struct args *args)
{
	struct web_options options = {.listening = say_listening, .warn = warn};
	char presets[8192], groups[8192], *store = NULL, *state = NULL;
	struct err err;

	if (args_get(args, OPTION_LIST_FUNCTIONS))
		return list_functions(args);
	bool ok =
		read_options(&options, args, &err) &&
		presets_directory(presets, sizeof(presets), &err) &&
		installed_directory("groups", "CYCLESTACK_GROUPS", groups, sizeof(groups), &err) &&
		(store = store_path(args, &err));
	if (ok) {
		state = mem_format("%s.serve", store);
		options.server.state = state;
		options.server.store = store;
		options.server.presets = presets;
		options.server.groups = groups;
		options.server.version = version_text();
		ok = web_serve(&options, &err);
	}
	free(state);
	free(store);
	return ok ? 0 : fail_err(command_named("serve"), &err);
}
