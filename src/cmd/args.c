#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/nearest.h"
#include "base/number.h"
#include "cmd/command.h"

struct nearest nearest_command(const char *text)
{
	struct nearest nearest = {0};

	for (const struct command *c = commands; c->name; c++)
		nearest_consider(&nearest, text, c->name);
	return nearest;
}

static bool fail_unknown(const struct command *command, const char *text, size_t length,
			 struct err *err)
{
	char name[64];
	struct nearest nearest = {0};

	snprintf(name, sizeof(name), "%.*s", (int)(length < 60 ? length : 60), text);
	for (const enum option_id *id = command->options; *id != OPTION_COUNT; id++)
		nearest_consider(&nearest, name, option_rows[*id].name);
	return err_usage(err, "%s has no option --%s%s", command->name, name,
			 nearest_ask(&nearest, "; did you mean --", "?").text);
}

static void push_value(struct args *args, enum option_id id, const char *value)
{
	args->values[id] = mem_realloc(args->values[id], args->counts[id] + 1, sizeof(char *));
	args->values[id][args->counts[id]++] = value;
}

static bool add_value(struct args *args, enum option_id id, const char *value, struct err *err)
{
	const struct option_row *row = &option_rows[id];

	/* A script whose variable is empty must not get a default or a file without a name. */
	if (row->value && !*value)
		return err_usage(err, "--%s was given an empty value: --%s%s%s", row->name,
				 row->name, option_value_is_optional(row) ? "" : " ", row->value);
	push_value(args, id, value);
	return true;
}

/* The value of an option is `attached` to it, or the next word. */
static bool take_value(struct args *args, enum option_id id, const char *attached, int argc,
		       char **argv, int *i, struct err *err)
{
	const struct option_row *row = &option_rows[id];

	if (attached)
		return add_value(args, id, attached, err);
	if (option_value_is_optional(row)) {
		push_value(args, id, "");
		return true;
	}
	if (*i + 1 >= argc)
		return err_usage(err, "--%s needs a value: --%s %s", row->name, row->name,
				 row->value);
	return add_value(args, id, argv[++*i], err);
}

/* Takes the option at argv[*i], and its value if that is the next word. */
static bool take_option(struct args *args, const struct command *command, int argc, char **argv,
			int *i, struct err *err)
{
	const char *text = argv[*i] + 2;
	size_t length = strcspn(text, "=");

	for (const enum option_id *id = command->options; *id != OPTION_COUNT; id++) {
		const struct option_row *row = &option_rows[*id];

		if (strlen(row->name) != length || strncmp(row->name, text, length) != 0)
			continue;
		if (row->value)
			return take_value(args, *id, text[length] ? text + length + 1 : NULL, argc,
					  argv, i, err);
		if (text[length])
			return err_usage(err, "--%s takes no value", row->name);
		return add_value(args, *id, "", err);
	}
	return fail_unknown(command, text, length, err);
}

static bool accepts(const struct command *command, enum option_id id)
{
	const enum option_id *known = command->options;

	while (*known != OPTION_COUNT && *known != id)
		known++;
	return id != OPTION_COUNT && *known == id;
}

/* Takes the letters at argv[*i]: switches, the last of which may be an option with its value. */
static bool take_letters(struct args *args, const struct command *command, int argc, char **argv,
			 int *i, struct err *err)
{
	for (const char *letter = argv[*i] + 1; *letter; letter++) {
		enum option_id id = option_of_letter(*letter);

		if (!accepts(command, id))
			return err_usage(err, "%s has no option %s; options are written --name",
					 command->name, argv[*i]);
		if (option_rows[id].value)
			return take_value(args, id, letter[1] ? letter + 1 : NULL, argc, argv, i,
					  err);
		if (!add_value(args, id, "", err))
			return false;
	}
	return true;
}

/* Whether a word that begins with a dash is an operand all the same. */
static bool is_asked_about(const struct command *command, const char *word)
{
	if (!command->takes_options_as_words)
		return false;
	if (word[1] != '-')
		return !accepts(command, option_of_letter(word[1]));
	for (const enum option_id *id = command->options; *id != OPTION_COUNT; id++) {
		const char *name = option_rows[*id].name;

		if (strncmp(word + 2, name, strlen(name)) == 0 &&
		    (!word[2 + strlen(name)] || word[2 + strlen(name)] == '='))
			return false;
	}
	return true;
}

/* A script sets it once for all its commands. */
static void take_usual_store(struct args *args, const struct command *command)
{
	const char *usual = getenv("CYCLESTACK_STORE");

	if (!usual || !*usual || args->counts[OPTION_STORE] || !accepts(command, OPTION_STORE))
		return;
	push_value(args, OPTION_STORE, usual);
	args->has_usual_store = true;
}

bool args_parse(struct args *args, const struct command *command, int argc, char **argv,
		struct err *err)
{
	bool only_operands = false;

	*args = (struct args){
		.command = command,
		.rest = mem_alloc_array((size_t)argc + 1, sizeof(char *)),
	};
	for (int i = 0; i < argc; i++) {
		const char *word = argv[i];

		if (only_operands || word[0] != '-' || !word[1] ||
		    (strcmp(word, "--") != 0 && is_asked_about(command, word))) {
			args->rest[args->rest_count++] = argv[i];
			only_operands |= args->rest_count == command->stops_at_operand;
		} else if (strcmp(word, "--") == 0) {
			only_operands = true;
		} else if (word[1] != '-' ? !take_letters(args, command, argc, argv, &i, err)
					  : !take_option(args, command, argc, argv, &i, err)) {
			return false;
		}
	}
	take_usual_store(args, command);
	return true;
}

void args_release(struct args *args)
{
	for (int id = 0; id < OPTION_COUNT; id++)
		free(args->values[id]);
	free(args->rest);
}

const char *args_get(const struct args *args, enum option_id id)
{
	return args->counts[id] ? args->values[id][args->counts[id] - 1] : NULL;
}

static bool get_scaled(const struct args *args, enum option_id id, enum number_of of,
		       uint64_t least, uint64_t most, uint64_t *value, struct err *err)
{
	const char *text = args_get(args, id);

	if (!text || number_parse(text, of, least, most, value, err))
		return true;
	err_as_usage(err);
	return err_prefix(err, "--%s", option_rows[id].name);
}

bool args_get_count(const struct args *args, enum option_id id, uint64_t least, uint64_t most,
		    uint64_t *value, struct err *err)
{
	return get_scaled(args, id, NUMBER_OF_THINGS, least, most, value, err);
}

bool args_get_bytes(const struct args *args, enum option_id id, uint64_t least, uint64_t most,
		    uint64_t *value, struct err *err)
{
	return get_scaled(args, id, NUMBER_OF_BYTES, least, most, value, err);
}

bool args_get_seconds(const struct args *args, enum option_id id, double *value, struct err *err)
{
	const char *text = args_get(args, id);
	char *end;

	if (!text || (!*text && option_value_is_optional(&option_rows[id])))
		return true;
	double number = strtod(text, &end);
	if (end == text || *end || !(number > 0) || number > 1e9)
		return err_usage(err, "--%s: \"%s\" is not a number of seconds above 0",
				 option_rows[id].name, text);
	*value = number;
	return true;
}
