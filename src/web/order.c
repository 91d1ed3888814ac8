#include "web/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "config/config.h"
#include "web/request.h"

#define EVERY_USUAL 1000000

static const struct order_command commands[] = {
	{.name = "run", .has_machine = true},
	{.name = "stat", .has_machine = true},
	{.name = "judge",
	 .has_machine = true,
	 .is_many = true,
	 .is_silent = true,
	 .is_one_text = true},
	{.name = "sweep",
	 .has_machine = true,
	 .is_many = true,
	 .is_silent = true,
	 .is_one_text = true,
	 .has_grid = true},
	{.name = "advise", .has_machine = true, .is_many = true, .is_silent = true},
	{.name = "model",
	 .has_machine = true,
	 .is_many = true,
	 .is_silent = true,
	 .has_grid = true},
	{.name = "exec"},
};

static bool is_name_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_';
}

bool order_is_upload(const char *text)
{
	return strlen(text) == UPLOAD_ID_BYTES &&
	       strspn(text, "0123456789abcdef") == UPLOAD_ID_BYTES;
}

bool order_is_word(const char *text)
{
	const size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if (!is_name_character(text[i]))
			return false;
	return length && length <= ORDER_NAME_MOST && text[0] != '-';
}

bool order_is_file_name(const char *text)
{
	const size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if (!is_name_character(text[i]) && text[i] != '.')
			return false;
	return length && length <= ORDER_NAME_MOST && text[0] != '.' && text[0] != '-' &&
	       text[0] != '_';
}

static bool fail(char field[ORDER_FIELD_BYTES], const char *name, struct err *err,
		 const char *expected)
{
	snprintf(field, ORDER_FIELD_BYTES, "%s", name);
	return err_set(err, "%s: expected %s", name, expected);
}

/* @NAME or @NAME:SIZE, of letters, digits, dashes and underscores, or real/ before the name. */
static bool is_workload(const char *text)
{
	char name[2 * ORDER_NAME_MOST];

	if (text[0] != '@' || strlen(text) >= sizeof(name))
		return false;
	snprintf(name, sizeof(name), "%s", text + 1);
	char *size = strchr(name, ':');
	if (size)
		*size++ = 0;
	const char *base = strncmp(name, "real/", 5) == 0 ? name + 5 : name;
	return order_is_word(base) && (!size || order_is_word(size));
}

static const char *text_of(const json_t *body, const char *name)
{
	return json_string_value(json_object_get(body, name));
}

/* Whether the value is a text of at most so many bytes that a command line can have. */
static bool is_text(const json_t *value, size_t most)
{
	return json_is_string(value) && json_string_length(value) <= most &&
	       strlen(json_string_value(value)) == json_string_length(value) &&
	       web_is_text(json_string_value(value));
}

static bool check_list(const json_t *body, const char *name, size_t most, const char *expected,
		       bool (*is_good)(const char *text), char field[ORDER_FIELD_BYTES],
		       struct err *err)
{
	const json_t *list = json_object_get(body, name), *item;
	size_t i;

	if (!list)
		return true;
	if (!json_is_array(list) || json_array_size(list) > most)
		return fail(field, name, err, expected);
	json_array_foreach((json_t *)(uintptr_t)list, i, item)
	{
		if (!is_text(item, ORDER_TEXT_MOST) ||
		    (is_good && !is_good(json_string_value(item))))
			return fail(field, name, err, expected);
	}
	return true;
}

static bool is_argument(const char *text)
{
	(void)text;
	return true;
}

/* A pair has no blank, which separates pairs elsewhere. */
static bool is_pair(const char *text)
{
	return *text && !strpbrk(text, " \t\r\n");
}

static bool is_group(const char *text)
{
	char name[ORDER_NAME_MOST + 2];
	const size_t length = strcspn(text, "@");

	snprintf(name, sizeof(name), "%.*s", (int)(length < sizeof(name) ? length : sizeof(name)),
		 text);
	return length <= ORDER_NAME_MOST && order_is_word(name) && !strpbrk(text, " \t\r\n");
}

/* KEY=VALUE,VALUE. */
static bool is_grid(const char *text)
{
	char key[ORDER_NAME_MOST + 1];
	const size_t length = strcspn(text, "=");

	snprintf(key, sizeof(key), "%.*s", (int)(length < sizeof(key) ? length : 0), text);
	return text[length] == '=' && config_find(key) != CONFIG_COUNT;
}

static bool check_upload(const json_t *value)
{
	return json_is_string(value) && order_is_upload(json_string_value(value));
}

static bool check_files(const json_t *body, char field[ORDER_FIELD_BYTES], struct err *err)
{
	static const char expected[] =
		"a list of at most 64 of {\"name\", \"upload\"}, where each name is other than the "
		"others, has letters, digits, dots, dashes and underscores alone, and begins with a "
		"letter or digit";
	const json_t *list = json_object_get(body, "files");
	json_t *names = json_object();
	bool ok = !list || (json_is_array(list) && json_array_size(list) <= ORDER_FILES_MOST);

	for (size_t i = 0; ok && i < json_array_size(list); i++) {
		const json_t *file = json_array_get(list, i), *name = json_object_get(file, "name");

		ok = json_is_string(name) && json_object_size(file) == 2 &&
		     strlen(json_string_value(name)) == json_string_length(name) &&
		     order_is_file_name(json_string_value(name)) &&
		     !json_object_get(names, json_string_value(name)) &&
		     check_upload(json_object_get(file, "upload"));
		if (ok)
			json_object_set_new(names, json_string_value(name), json_true());
	}
	json_decref(names);
	return ok || fail(field, "files", err, expected);
}

bool order_check_set(const json_t *set, char field[ORDER_FIELD_BYTES], struct err *err)
{
	const char *key;
	json_t *value;

	if (!set)
		return true;
	if (!json_is_object(set) || json_object_size(set) > ORDER_SETS_MOST)
		return fail(field, "set", err, "an object of parameters and their values");
	json_object_foreach((json_t *)(uintptr_t)set, key, value)
	{
		snprintf(field, ORDER_FIELD_BYTES, "set.%.100s", key);
		if (strlen(key) > ORDER_NAME_MOST || !web_is_text(key))
			return err_set(err, "there is no such parameter");
		if (!is_text(value, CONFIG_TEXT_BYTES))
			return err_set(err, "%s: expected its value as text", key);
	}
	return true;
}

static bool check_parameters(const json_t *set, char field[ORDER_FIELD_BYTES], struct err *err)
{
	const char *key;
	json_t *value;

	if (!order_check_set(set, field, err))
		return false;
	json_object_foreach((json_t *)(uintptr_t)set, key, value)
	{
		const struct nearest nearest = config_nearest(key);

		snprintf(field, ORDER_FIELD_BYTES, "set.%.100s", key);
		if (config_find(key) == CONFIG_COUNT)
			return err_set(err, "there is no parameter \"%s\"%s", key,
				       nearest_ask(&nearest, "; did you mean ", "?").text);
	}
	return true;
}

static bool check_number(json_t *body, const char *name, uint64_t least, uint64_t most,
			 uint64_t usual, char field[ORDER_FIELD_BYTES], struct err *err)
{
	const json_t *value = json_object_get(body, name);
	char expected[96];

	if (!value) {
		json_object_set_new(body, name, json_integer((json_int_t)usual));
		return true;
	}
	if (json_is_integer(value) && json_integer_value(value) >= 0 &&
	    (uint64_t)json_integer_value(value) >= least &&
	    (uint64_t)json_integer_value(value) <= most)
		return true;
	snprintf(expected, sizeof(expected), "a whole number from %llu to %llu",
		 (unsigned long long)least, (unsigned long long)most);
	return fail(field, name, err, expected);
}

static bool check_members(const json_t *body, const char *const *names, size_t count,
			  char field[ORDER_FIELD_BYTES], struct err *err)
{
	const char *name;
	json_t *value;

	if (!json_is_object(body))
		return err_set(err, "the body is not a JSON object");
	json_object_foreach((json_t *)(uintptr_t)body, name, value)
	{
		bool is_known = false;

		for (size_t i = 0; i < count; i++)
			is_known |= strcmp(names[i], name) == 0;
		if (!is_known) {
			snprintf(field, ORDER_FIELD_BYTES, "%.100s", name);
			return err_set(err, "there is no member \"%.60s\" here", name);
		}
	}
	return true;
}

static bool check_counting(json_t *order, char field[ORDER_FIELD_BYTES], struct err *err)
{
	return check_list(order, "counters", ORDER_PAIRS_MOST,
			  "a list of at most 4096 pairs SIGNAL@WHERE without blanks", is_pair,
			  field, err) &&
	       check_list(order, "groups", ORDER_FILES_MOST,
			  "a list of groups: NAME or NAME@WHERE without blanks", is_group, field,
			  err) &&
	       check_number(order, "every", 1, UINT32_MAX, EVERY_USUAL, field, err);
}

static bool counts_something(const json_t *order, char field[ORDER_FIELD_BYTES], struct err *err)
{
	return json_array_size(json_object_get(order, "counters")) ||
	       json_array_size(json_object_get(order, "groups")) ||
	       fail(field, "counters", err, "what is to be counted: pairs SIGNAL@WHERE, or groups");
}

static bool check_command(const json_t *order, char field[ORDER_FIELD_BYTES], struct err *err)
{
	char expected[ORDER_FIELD_BYTES] = "one of";
	size_t used = strlen(expected);

	if (order_command(order))
		return true;
	for (size_t i = 0; i < ARRAY_COUNT(commands); i++)
		used += (size_t)snprintf(expected + used, sizeof(expected) - used, "%s %s",
					 i ? "," : "", commands[i].name);
	return fail(field, "command", err, expected);
}

static bool check_program(const json_t *order, char field[ORDER_FIELD_BYTES], struct err *err)
{
	const char *program = text_of(order, "program");
	const json_t *name = json_object_get(order, "name");
	const json_t *input = json_object_get(order, "input");

	if (!program || (!is_workload(program) && !order_is_upload(program)))
		return fail(field, "program", err,
			    "a workload such as \"@chess:test\", or the id of an upload");
	if (name && !is_text(name, 255))
		return fail(field, "name", err, "a text of at most 255 bytes");
	if (input && !check_upload(input))
		return fail(field, "input", err, "the id of an upload");
	const char *config = text_of(order, "machine");
	if (json_object_get(order, "machine") && (!config || !order_is_word(config)))
		return fail(field, "machine", err, "the name of a preset");
	return true;
}

/* Commands that run the program again and again give it no input; some take it and its arguments as
 * words of one text. */
static bool check_silent(const json_t *order, char field[ORDER_FIELD_BYTES], struct err *err)
{
	const struct order_command *command = order_command(order);
	const json_t *list = json_object_get(order, "arguments"), *item;
	char expected[ORDER_FIELD_BYTES];
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, item)
	{
		const char *text = json_string_value(item);

		if (command->is_one_text && (!*text || strpbrk(text, " \t\"'\\")))
			return fail(field, "arguments", err,
				    "arguments of a sweep or judge to have no blanks and quotes");
	}
	if (command->is_silent && json_object_get(order, "input")) {
		snprintf(expected, sizeof(expected),
			 "no standard input: a program of %s reads nothing", command->name);
		return fail(field, "input", err, expected);
	}
	return true;
}

static bool check_switch(const json_t *order, const char *name, char field[ORDER_FIELD_BYTES],
			 struct err *err)
{
	const json_t *value = json_object_get(order, name);

	return !value || json_is_boolean(value) || fail(field, name, err, "true or false");
}

static bool check_order(json_t *order, const struct web_limits *limits,
			char field[ORDER_FIELD_BYTES], struct err *err)
{
	const bool counts = order_is(order, "stat");

	return check_command(order, field, err) && check_program(order, field, err) &&
	       check_list(order, "arguments", ORDER_ARGUMENTS_MOST,
			  "a list of at most 256 texts without control characters", is_argument,
			  field, err) &&
	       check_list(order, "grid", ORDER_FILES_MOST,
			  "a list of KEY=VALUE,VALUE with known parameters", is_grid, field, err) &&
	       check_list(order, "annotate", ORDER_FILES_MOST,
			  "a list of functions whose lines and instructions are wanted", is_pair,
			  field, err) &&
	       check_switch(order, "reuse", field, err) &&
	       check_switch(order, "against", field, err) && check_files(order, field, err) &&
	       check_parameters(json_object_get(order, "set"), field, err) &&
	       check_counting(order, field, err) &&
	       (!counts || counts_something(order, field, err)) &&
	       check_silent(order, field, err) &&
	       check_number(order, "intervals", 0, INT64_MAX, 0, field, err) &&
	       check_number(order, "instructions", 1, limits->instructions, limits->instructions,
			    field, err) &&
	       check_number(order, "seconds", 1, limits->seconds, limits->seconds, field, err) &&
	       check_number(order, "memory", 1 << 20, limits->memory, limits->memory, field, err);
}

json_t *order_read(const json_t *body, const struct web_limits *limits,
		   char field[ORDER_FIELD_BYTES], struct err *err)
{
	static const char *const members[] = {
		"command", "program",  "name",	 "arguments", "input",	"files",     "machine",
		"set",	   "counters", "groups", "every",     "grid",	"intervals", "instructions",
		"seconds", "memory",   "reuse",	 "annotate",  "against"};

	field[0] = 0;
	if (!check_members(body, members, ARRAY_COUNT(members), field, err))
		return NULL;
	json_t *order = json_deep_copy(body);
	if (check_order(order, limits, field, err)) {
		if (!json_object_get(order, "machine"))
			json_object_set_new(order, "machine", json_string(CONFIG_DEFAULT));
		return order;
	}
	json_decref(order);
	return NULL;
}

json_t *order_read_counters(const json_t *body, char field[ORDER_FIELD_BYTES], struct err *err)
{
	static const char *const members[] = {"counters", "groups", "every"};

	field[0] = 0;
	if (!check_members(body, members, ARRAY_COUNT(members), field, err))
		return NULL;
	json_t *order = json_deep_copy(body);
	if (check_counting(order, field, err) && counts_something(order, field, err))
		return order;
	json_decref(order);
	return NULL;
}

const struct order_command *order_command(const json_t *order)
{
	const char *given = text_of(order, "command");

	for (size_t i = 0; given && i < ARRAY_COUNT(commands); i++)
		if (strcmp(commands[i].name, given) == 0)
			return &commands[i];
	return NULL;
}

bool order_is(const json_t *order, const char *command)
{
	const char *given = text_of(order, "command");

	return given && strcmp(given, command) == 0;
}

uint64_t order_memory(const json_t *order, const struct web_limits *limits)
{
	const uint64_t one = (uint64_t)json_integer_value(json_object_get(order, "memory"));
	const struct order_command *command = order_command(order);

	return command && command->is_many && limits->parallel > 1 ? one * limits->parallel : one;
}
