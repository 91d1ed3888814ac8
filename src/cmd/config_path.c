/* Which machine a command line names, and where on the host presets lie. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/command.h"
#include "config/config.h"
#include "prog/files.h"

bool presets_directory(char *path, size_t bytes, struct err *err)
{
	const char *given = getenv("CYCLESTACK_CONFIGS");
	static const char *const places[] = {"configs", "../share/cyclestack/configs"};
	char self[PATH_BYTES];

	if (given) {
		snprintf(path, bytes, "%s", given);
		if (access(path, R_OK | X_OK) == 0)
			return true;
		return err_set_errno(err, errno, "CYCLESTACK_CONFIGS names %s", path);
	}
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (length < 0)
		return err_set_errno(err, errno, "cannot find where this program is installed");
	self[length] = 0;
	char *slash = strrchr(self, '/');
	slash[slash == self] = 0;
	for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
		snprintf(path, bytes, "%s/%s", self, places[i]);
		if (access(path, R_OK | X_OK) == 0)
			return true;
	}
	return err_set(err,
		       "the presets are not installed with this program: looked in %s/configs and "
		       "%s/../share/cyclestack/configs; set CYCLESTACK_CONFIGS to where they are",
		       self, self);
}

bool config_open(struct config *config, const char *name, int *status, struct err *err)
{
	bool is_file = strpbrk(name, "/.") != NULL;
	char presets[2 * PATH_BYTES];

	*status = EXIT_TOOL;
	config_reset(config);
	bool has_presets = presets_directory(presets, sizeof(presets), err);
	/* A file seldom needs them, and says so if it does. */
	if (is_file)
		return config_load_file(config, name, has_presets ? presets : NULL, err);
	if (!has_presets)
		return false;
	*status = EXIT_USAGE;
	return config_load_preset(config, name, presets, err);
}

bool config_from_args(struct config *config, const struct args *args, int *status, struct err *err)
{
	const char *name = args_get(args, OPTION_CONFIG);

	config_reset(config);
	if (name && !config_open(config, name, status, err))
		return false;
	*status = EXIT_USAGE;
	for (size_t i = 0; i < args->counts[OPTION_SET]; i++)
		if (!config_set(config, args->values[OPTION_SET][i], err))
			return err_prefix(err, "--set");
	/* What was loaded was checked; what breaks a rule now is what was set. */
	return config_settle(config, err) || err_prefix(err, "--set");
}
