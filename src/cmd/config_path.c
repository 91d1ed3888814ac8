/* Finds the machine that a command line names, and the directory of the presets. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cmd/command.h"
#include "config/config.h"
#include "config/doubt.h"
#include "linux/files.h"

bool presets_directory(char *path, size_t bytes, struct err *err)
{
	return installed_directory("configs", "CYCLESTACK_CONFIGS", path, bytes, err);
}

void preset_about(const char *directory, const char *name, char *text, size_t bytes)
{
	char path[3 * PATH_BYTES];

	text[0] = 0;
	snprintf(path, sizeof(path), "%s/%s.cfg", directory, name);
	FILE *in = fopen(path, "re");
	if (!in)
		return;
	if (!fgets(text, (int)bytes, in) || text[0] != '#')
		text[0] = 0;
	text[strcspn(text, "\n")] = 0;
	fclose(in);
	memmove(text, text + strspn(text, "# "), strlen(text + strspn(text, "# ")) + 1);
}

bool config_open(struct config *config, const char *name, struct config_left_out *left_out,
		 struct err *err)
{
	bool is_file = strpbrk(name, "/.") != NULL;
	char presets[2 * PATH_BYTES];

	config_reset(config);
	*left_out = (struct config_left_out){0, CONFIG_COUNT};
	bool has_presets = presets_directory(presets, sizeof(presets), err);
	/* A file rarely needs the presets; if it does, loading it gives an error. */
	if (is_file)
		return config_load_file(config, name, has_presets ? presets : NULL, left_out, err);
	if (!has_presets)
		return false;
	return config_load_preset(config, name, presets, err) || err_as_usage(err);
}

/* Sentences about a machine that can be simulated and may not be the one that is meant. */
void config_say_doubts(const struct config *config, const char *name,
		       const struct config_left_out *left_out)
{
	struct doubt doubts[DOUBT_MOST];
	size_t count = doubt_all(config, doubts);

	if (left_out->count) {
		fputs("cyclestack: ", stderr);
		print_printable(stderr, name);
		fprintf(stderr,
			" leaves out %zu parameters, %s first, which are those of " CONFIG_UNNAMED_BASE
			"; say so with based_on = \"" CONFIG_UNNAMED_BASE "\";\n",
			left_out->count, config_rows[left_out->first].key);
	}
	for (size_t i = 0; i < count; i++)
		fprintf(stderr, "cyclestack: a doubtful machine: %s\n", doubts[i].text);
}

static bool fail_change(struct err *err)
{
	err_as_usage(err);
	return err_prefix(err, "--set");
}

static bool fail_set(struct err *err)
{
	struct err reason = *err;
	size_t length = strlen(reason.text);
	bool is_question = length && reason.text[length - 1] == '?';

	return err_usage(err, "--set: %s%s `cyclestack config keys` lists keys and values",
			 reason.text, is_question ? "" : ";");
}

bool config_from_args(struct config *config, const struct args *args, struct err *err)
{
	const char *name = args_get(args, OPTION_CONFIG);
	const char *const *changes = args->values[OPTION_SET];
	size_t count = args->counts[OPTION_SET];
	struct config_left_out left_out = {0, CONFIG_COUNT};

	config_default(config);
	if (name && !config_open(config, name, &left_out, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!config_set(config, changes[i], err))
			return fail_set(err);
	for (size_t i = 0; i < count; i++)
		if (!config_set_matters(config, changes[i], err))
			return fail_change(err);
	/* The loaded configuration has been checked, so a rule that fails now was broken by
	 * --set. */
	if (!config_settle(config, err))
		return fail_change(err);
	if (!args_get(args, OPTION_QUIET))
		config_say_doubts(config, name, &left_out);
	return true;
}
