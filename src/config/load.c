/* Config files: libconfig parses the text, this file interprets the resulting tree. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <libconfig.h>

#include "base/array.h"
#include "config/check.h"
#include "config/config.h"
#include "base/nearest.h"
#include "config/presets.h"
#include "config/scan.h"

#define BASED_ON "based_on"
/* The limit on machines based on machines; it ends circular references. */
#define MOST_BASES 8

struct load {
	struct config config;
	const char *name;
	const char *presets;
	unsigned bases; /* that led here */
	bool is_file;	/* so that it may start from a file */
	bool has_base;
	struct scan scan;
	unsigned lines[CONFIG_COUNT]; /* where each parameter was given; 0: nowhere */
	/* The first error in the order of the file. */
	unsigned bad_line;
	struct err err;
};

static bool load_preset(struct config *config, const char *name, const char *presets,
			unsigned bases, struct err *err);
static bool load_file(struct config *config, const char *path, const char *presets, unsigned bases,
		      struct config_left_out *left_out, struct err *err);

/* Describes the value found, as the end of "must be ..., not". */
static void describe(const config_setting_t *setting, const struct scan_setting *scanned,
		     char *text, size_t bytes)
{
	char quoted[CHECK_QUOTE_BYTES];
	const char *string;

	switch (config_setting_type(setting)) {
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		if (scanned && scanned->number[0])
			snprintf(text, bytes, "%s", scanned->number);
		else
			snprintf(text, bytes, "%lld", config_setting_get_int64(setting));
		break;
	case CONFIG_TYPE_FLOAT:
		snprintf(text, bytes, "the fraction %g", config_setting_get_float(setting));
		break;
	case CONFIG_TYPE_STRING:
		string = config_setting_get_string(setting);
		check_quote(string, strlen(string), quoted);
		snprintf(text, bytes, "the text \"%s\"", quoted);
		break;
	case CONFIG_TYPE_BOOL:
		snprintf(text, bytes, "%s", config_setting_get_bool(setting) ? "true" : "false");
		break;
	case CONFIG_TYPE_GROUP: snprintf(text, bytes, "a group"); break;
	default: snprintf(text, bytes, "a list"); break;
	}
}

/* Reads the setting's value if the row accepts it. */
static bool read_setting(const config_setting_t *setting, const struct scan_setting *scanned,
			 enum config_id id, uint32_t *value)
{
	const struct config_row *row = &config_rows[id];
	bool is_number = row->type == CONFIG_IS_NUMBER || row->type == CONFIG_IS_COUNT;
	const char *text;
	long long number;
	double real;

	switch (config_setting_type(setting)) {
	case CONFIG_TYPE_INT:
	case CONFIG_TYPE_INT64:
		number = config_setting_get_int64(setting);
		*value = (uint32_t)number;
		return is_number && !(scanned && scanned->number[0]) && number >= row->least &&
		       number <= row->most;
	case CONFIG_TYPE_FLOAT: /* 1e6 */
		real = config_setting_get_float(setting);
		if (!is_number || !(real >= row->least && real <= row->most))
			return false;
		*value = (uint32_t)real;
		return (double)*value == real;
	case CONFIG_TYPE_BOOL:
		*value = config_setting_get_bool(setting) != 0;
		return row->type == CONFIG_IS_SWITCH;
	case CONFIG_TYPE_STRING:
		text = config_setting_get_string(setting);
		if (is_number)
			return config_read_number(id, text, value);
		return row->words && config_read_words(row, text, value);
	default: return false;
	}
}

/* The word of a choice that a text is near to. */
static struct nearest nearest_word(const config_setting_t *setting, const struct config_row *row)
{
	struct nearest nearest = {0};

	if (!row->words || config_setting_type(setting) != CONFIG_TYPE_STRING)
		return nearest;
	for (size_t i = 0; row->words[i]; i++)
		nearest_consider(&nearest, config_setting_get_string(setting), row->words[i]);
	return nearest;
}

static bool is_group(const char *key)
{
	size_t bytes = strlen(key);

	for (enum config_id id = 0; id < CONFIG_COUNT; id++)
		if (strncmp(config_rows[id].key, key, bytes) == 0 &&
		    config_rows[id].key[bytes] == '.')
			return true;
	return false;
}

static bool fail_unknown(struct load *load, const char *key)
{
	char quoted[CHECK_QUOTE_BYTES];
	struct nearest nearest = config_nearest(key);

	if (is_group(key))
		return err_set(&load->err,
			       "%s is a group of parameters and has no value itself: write "
			       "%s = { NAME = VALUE; };",
			       key, key);
	nearest_consider(&nearest, key, BASED_ON);
	check_quote(key, strlen(key), quoted);
	return err_set(&load->err, "there is no parameter \"%s\"%s", quoted,
		       nearest_ask(&nearest, "; did you mean ", "?").text);
}

static bool apply_parameter(struct load *load, const config_setting_t *setting, const char *key)
{
	const struct scan_setting *scanned = scan_find(&load->scan, key);
	enum config_id id = config_find(key);
	char expected[256], found[CHECK_QUOTE_BYTES + 16];
	uint32_t value;

	if (id == CONFIG_COUNT)
		return fail_unknown(load, key);
	if (config_rows[id].type == CONFIG_IS_LIST &&
	    config_setting_type(setting) == CONFIG_TYPE_STRING) {
		load->lines[id] = (unsigned)config_setting_source_line(setting);
		return config_read_value(&load->config, id, config_setting_get_string(setting),
					 &load->err);
	}
	if (!read_setting(setting, scanned, id, &value)) {
		struct nearest nearest = nearest_word(setting, &config_rows[id]);

		config_expected(id, expected, sizeof(expected));
		describe(setting, scanned, found, sizeof(found));
		return err_set(&load->err, "%s must be %s, not %s%s", key, expected, found,
			       nearest_ask(&nearest, "; did you mean \"", "\"?").text);
	}
	config_put(&load->config, id, value);
	load->lines[id] = config_setting_source_line(setting);
	return true;
}

static bool apply_group(struct load *load, const config_setting_t *group, const char *prefix)
{
	for (int i = 0; i < config_setting_length(group); i++) {
		const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
		char key[SCAN_KEY_BYTES];

		snprintf(key, sizeof(key), "%s%s%s", prefix, prefix[0] ? "." : "",
			 config_setting_name(setting));
		/* The setting before a syntax error may lack its value. */
		if (config_setting_type(setting) == CONFIG_TYPE_NONE || strcmp(key, BASED_ON) == 0)
			continue;
		load->bad_line = config_setting_source_line(setting);
		bool is_inner = config_setting_is_group(setting) &&
				config_find(key) == CONFIG_COUNT &&
				(is_group(key) || config_setting_length(setting));
		if (is_inner ? !apply_group(load, setting, key)
			     : !apply_parameter(load, setting, key))
			return false;
	}
	return true;
}

/* The file that a relative name means: beside the file that has the name. */
static void path_beside(const char *file, const char *name, char *path, size_t bytes)
{
	const char *slash = strrchr(file, '/');

	if (slash && name[0] != '/')
		snprintf(path, bytes, "%.*s/%s", (int)(slash - file), file, name);
	else
		snprintf(path, bytes, "%s", name);
}

static bool load_base(struct load *load, const char *name)
{
	char path[PATH_MAX];
	struct stat info;

	if (!strpbrk(name, "/."))
		return load_preset(&load->config, name, load->presets, load->bases + 1, &load->err);
	if (!load->is_file)
		return err_set(&load->err, "only a file can start from a file");
	path_beside(load->name, name, path, sizeof(path));
	if (stat(path, &info) != 0)
		return err_set_errno(&load->err, errno, "cannot start from %s", path);
	/* One that a file names must not be waited for. */
	if (!S_ISREG(info.st_mode))
		return err_set(&load->err, "cannot start from %s: it is not a file", path);
	config_reset(&load->config);
	return load_file(&load->config, path, load->presets, load->bases + 1, NULL, &load->err);
}

/* The machine that the file starts from, if it names one. */
static bool apply_base(struct load *load, const config_setting_t *root)
{
	const config_setting_t *setting = config_setting_get_member(root, BASED_ON);
	char found[CHECK_QUOTE_BYTES + 16];

	load->has_base = setting != NULL;
	if (!setting)
		return true;
	load->bad_line = config_setting_source_line(setting);
	if (config_setting_type(setting) != CONFIG_TYPE_STRING) {
		describe(setting, NULL, found, sizeof(found));
		return err_set(&load->err,
			       BASED_ON " must be the name of a preset or file in quotes, not %s",
			       found);
	}
	if (load->bases == MOST_BASES)
		return err_set(&load->err,
			       "machines are based on each other more than %d deep, or in a circle",
			       MOST_BASES);
	return load_base(load, config_setting_get_string(setting));
}

/* The broken rule whose last line comes first. */
static bool check_whole(struct load *load)
{
	struct check_violation violations[CHECK_MOST_VIOLATIONS];
	size_t count = check_rules(&load->config, violations);
	const struct check_violation *first = NULL;

	for (size_t i = 0; i < count; i++) {
		unsigned line = 0;

		for (size_t j = 0; j < ARRAY_COUNT(violations[i].ids); j++) {
			enum config_id id = violations[i].ids[j];

			if (id != CONFIG_COUNT && load->lines[id] > line)
				line = load->lines[id];
		}
		if (!first || line < load->bad_line) {
			first = &violations[i];
			load->bad_line = line;
		}
	}
	return !first || err_set(&load->err, "%s", first->text);
}

/* Why libconfig could not read the text. */
static void explain_parse(struct load *load, const config_t *tree)
{
	const struct scan_setting *first, *second = scan_duplicate(&load->scan, &first);

	load->bad_line = (unsigned)config_error_line(tree);
	if (second && second->line == load->bad_line &&
	    strcmp(config_error_text(tree), "duplicate setting name") == 0)
		err_set(&load->err, "%s is given twice, the first time on line %u", second->key,
			first->line);
	else if (load->scan.dotted_line && load->scan.dotted_line == load->bad_line)
		err_set(&load->err, "keys are not dotted in a file: write rob = { size = 128; }; "
				    "for rob.size");
	else if (load->scan.unit_line && load->scan.unit_line == load->bad_line)
		err_set(&load->err, "a number with a unit is written in quotes: \"32KB\"");
	else
		err_set(&load->err,
			"%s here or shortly before; a file is made of NAME = VALUE; and "
			"NAME = { ... };",
			config_error_text(tree));
}

/* Everything in a tree that libconfig could read. */
static bool apply_tree(struct load *load, const config_setting_t *root)
{
	if (apply_base(load, root))
		return apply_group(load, root, "") && check_whole(load);

	struct err base_err = load->err;
	unsigned base_line = load->bad_line;

	if (apply_group(load, root, "") || load->bad_line > base_line) {
		load->err = base_err;
		load->bad_line = base_line;
	}
	return false;
}

/* On false, load->err is the sentence about load->bad_line. */
static bool load_tree(struct load *load, const char *text)
{
	bool good = false;
	config_t tree;

	config_init(&tree);
	/* The scan has refused includes; a directory that cannot exist is a second safeguard. */
	config_set_include_dir(&tree, "/dev/null/none");
	if (config_read_string(&tree, text)) {
		good = apply_tree(load, config_root_setting(&tree));
	} else if (apply_group(load, config_root_setting(&tree), "") ||
		   load->bad_line >= (unsigned)config_error_line(&tree)) {
		/* An error on an earlier line is reported first, even if parsing stopped
		 * later. */
		explain_parse(load, &tree);
	}
	config_destroy(&tree);
	return good;
}

static struct config_left_out count_left_out(const struct load *load)
{
	struct config_left_out left_out = {0, CONFIG_COUNT};

	for (enum config_id id = 0; id < CONFIG_COUNT && !load->has_base; id++) {
		/* Nothing is ideal, or has other instructions, unless it is said. */
		if (load->lines[id] || !config_applies(&load->config, id) ||
		    config_rows[id].when == WHEN_IF_SAID ||
		    strncmp(config_rows[id].key, "ideal.", 6) == 0)
			continue;
		if (!left_out.count++)
			left_out.first = id;
	}
	return left_out;
}

/* A 0 follows the bytes of `text`. */
static bool load_bytes(struct config *config, const char *text, size_t bytes, const char *name,
		       const char *presets, unsigned bases, bool is_file,
		       struct config_left_out *left_out, struct err *err)
{
	struct load load = {.name = name, .presets = presets, .bases = bases, .is_file = is_file};
	bool good = false;

	if (bytes > CONFIG_FILE_BYTES)
		return err_set(err, "%s: the file is longer than %d bytes", name,
			       CONFIG_FILE_BYTES);
	memcpy(&load.config, config, sizeof(load.config));
	if (scan_text(&load.scan, text, bytes, name, err)) {
		good = load_tree(&load, text);
		if (good)
			memcpy(config, &load.config, sizeof(load.config));
		else if (load.bad_line)
			err_set(err, "%s:%u: %s", name, load.bad_line, load.err.text);
		else
			err_set(err, "%s: %s", name, load.err.text);
	}
	if (left_out)
		*left_out = count_left_out(&load);
	scan_release(&load.scan);
	return good;
}

static bool load_file(struct config *config, const char *path, const char *presets, unsigned bases,
		      struct config_left_out *left_out, struct err *err)
{
	FILE *in = fopen(path, "re");
	bool good;

	if (!in)
		return err_set_errno(err, errno, "%s", path);
	/* Reads one byte more than is allowed, to detect a longer file. */
	char *text = mem_alloc(CONFIG_FILE_BYTES + 2);
	size_t bytes = fread(text, 1, CONFIG_FILE_BYTES + 1, in);

	good = ferror(in)
		       ? err_set_errno(err, errno, "%s", path)
		       : load_bytes(config, text, bytes, path, presets, bases, true, left_out, err);
	free(text);
	fclose(in);
	return good;
}

static bool load_preset(struct config *config, const char *name, const char *presets,
			unsigned bases, struct err *err)
{
	char *path = presets_find(presets, name, err);

	if (!path)
		return false;
	config_reset(config);
	bool good = load_file(config, path, presets, bases, NULL, err);
	free(path);
	return good;
}

bool config_load_text(struct config *config, const char *text, size_t bytes, const char *name,
		      const char *presets, struct err *err)
{
	char *copy = mem_alloc(bytes + 1);

	memcpy(copy, text, bytes);
	bool good = load_bytes(config, copy, bytes, name, presets, 0, false, NULL, err);
	free(copy);
	return good;
}

bool config_load_file(struct config *config, const char *path, const char *presets,
		      struct config_left_out *left_out, struct err *err)
{
	return load_file(config, path, presets, 0, left_out, err);
}

bool config_load_preset(struct config *config, const char *name, const char *presets,
			struct err *err)
{
	return load_preset(config, name, presets, 0, err);
}
