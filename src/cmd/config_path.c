/* Finds the machine that a command line names, and the directory of the presets. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/command.h"
#include "config/config.h"
#include "linux/files.h"

bool presets_directory(char *path, size_t bytes, struct err *err)
{
	return installed_directory("configs", "CYCLESTACK_CONFIGS", path, bytes, err);
}

bool config_open(struct config *config, const char *name, int *status, struct err *err)
{
	bool is_file = strpbrk(name, "/.") != NULL;
	char presets[2 * PATH_BYTES];

	*status = EXIT_TOOL;
	config_reset(config);
	bool has_presets = presets_directory(presets, sizeof(presets), err);
	/* A file rarely needs the presets; if it does, loading it gives an error. */
	if (is_file)
		return config_load_file(config, name, has_presets ? presets : NULL, err);
	if (!has_presets)
		return false;
	*status = EXIT_USAGE;
	return config_load_preset(config, name, presets, err);
}

static bool fail_set(struct err *err)
{
	struct err reason = *err;
	size_t length = strlen(reason.text);
	bool is_question = length && reason.text[length - 1] == '?';

	return err_set(err, "--set: %s%s `cyclestack config keys` lists keys and values",
		       reason.text, is_question ? "" : ";");
}

bool config_from_args(struct config *config, const struct args *args, int *status, struct err *err)
{
	const char *name = args_get(args, OPTION_CONFIG);
	const char *const *changes = args->values[OPTION_SET];
	size_t count = args->counts[OPTION_SET];

	config_default(config);
	if (name && !config_open(config, name, status, err))
		return false;
	*status = EXIT_USAGE;
	for (size_t i = 0; i < count; i++)
		if (!config_set(config, changes[i], err))
			return fail_set(err);
	for (size_t i = 0; i < count; i++)
		if (!config_set_matters(config, changes[i], err))
			return err_prefix(err, "--set");
	/* The loaded configuration has been checked, so a rule that fails now was broken by
	 * --set. */
	return config_settle(config, err) || err_prefix(err, "--set");
}
