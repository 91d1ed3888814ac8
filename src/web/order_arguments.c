/* The command line that an order becomes. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "web/order.h"

struct words {
	char **items;
	size_t count, capacity;
};

static void add(struct words *words, const char *text)
{
	*ARRAY_PUSH(words->items, words->count, words->capacity) = mem_strdup(text);
}

/* OPTION=VALUE in one word: the value is none of the command line's, however it begins. */
static void add_option(struct words *words, const char *option, const char *value)
{
	*ARRAY_PUSH(words->items, words->count, words->capacity) =
		mem_format("--%s=%s", option, value);
}

static void add_count(struct words *words, const char *option, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	add_option(words, option, text);
}

static void add_number(struct words *words, const char *option, const json_t *value)
{
	add_count(words, option, (uint64_t)json_integer_value(value));
}

static char **end(struct words *words)
{
	*ARRAY_PUSH(words->items, words->count, words->capacity) = NULL;
	return words->items;
}

void order_arguments_free(char **arguments)
{
	for (char **one = arguments; one && *one; one++)
		free(*one);
	free(arguments);
}

static void add_list(struct words *words, const char *option, const json_t *list)
{
	const json_t *item;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, item)
	{
		add_option(words, option, json_string_value(item));
	}
}

static void add_counting(struct words *words, const json_t *order)
{
	add_list(words, "events", json_object_get(order, "counters"));
	add_list(words, "group", json_object_get(order, "groups"));
	add_number(words, "every", json_object_get(order, "every"));
}

static void add_port(struct words *words, const char *option, unsigned port)
{
	char text[32];

	snprintf(text, sizeof(text), "127.0.0.1:%u", port);
	add_option(words, option, text);
}

/* What a live display shows of every run: the dispatch slots, and why they were empty. */
static void add_stat(struct words *words, const json_t *order, const struct order_place *place)
{
	add_counting(words, order);
	add_option(words, "events", "cycles");
	add_option(words, "events", "committed");
	add_option(words, "events", "slots");
	add_option(words, "events", "lost*");
	add_option(words, "counter-count", "4096");
	add_option(words, "range-count", "1024");
	if (place->key) {
		add_option(words, "key", place->key);
		add_port(words, "to", place->to);
		add_port(words, "listen", place->listen);
	}
}

static void add_machine(struct words *words, const json_t *order)
{
	const char *key;
	json_t *value;

	add_option(words, "config", json_string_value(json_object_get(order, "machine")));
	json_object_foreach(json_object_get(order, "set"), key, value)
	{
		char *text = mem_format("%s=%s", key, json_string_value(value));

		add_option(words, "set", text);
		free(text);
	}
}

static void add_limits(struct words *words, const json_t *order)
{
	add_number(words, "max-insns", json_object_get(order, "instructions"));
	add_number(words, "timeout", json_object_get(order, "seconds"));
	add_number(words, "memory", json_object_get(order, "memory"));
}

/* The program, and what it is called with: its own words, or one text. */
static void add_program(struct words *words, const json_t *order, bool is_one_text)
{
	const char *given = json_string_value(json_object_get(order, "program"));
	char *program = mem_strdup(given[0] == '@' ? given : "./" ORDER_PROGRAM);
	const json_t *item;
	size_t i;

	if (!is_one_text)
		add(words, program);
	json_array_foreach(json_object_get(order, "arguments"), i, item)
	{
		if (is_one_text) {
			char *longer = mem_format("%s %s", program, json_string_value(item));

			free(program);
			program = longer;
		} else {
			add(words, json_string_value(item));
		}
	}
	if (is_one_text)
		add(words, program);
	free(program);
}

char **order_arguments(const json_t *order, const struct order_place *place)
{
	const struct order_command *command = order_command(order);
	const char *given = json_string_value(json_object_get(order, "program"));
	const char *name = json_string_value(json_object_get(order, "name"));
	const json_t *intervals = json_object_get(order, "intervals");
	struct words words = {0};

	add(&words, "cyclestack");
	add(&words, command->name);
	if (command->has_machine)
		add_machine(&words, order);
	if (order_is(order, "stat"))
		add_stat(&words, order, place);
	if (order_is(order, "run") && json_integer_value(intervals))
		add_number(&words, "intervals", intervals);
	if (order_is(order, "run"))
		add_list(&words, "annotate", json_object_get(order, "annotate"));
	if (command->has_grid)
		add_list(&words, "grid", json_object_get(order, "grid"));
	if (order_is(order, "model") && json_is_true(json_object_get(order, "against")))
		add(&words, "--against");
	if (command->is_many)
		add_count(&words, "jobs", place->limits->parallel);
	add_limits(&words, order);
	if (json_array_size(json_object_get(order, "files")))
		add_option(&words, "mount", "/files=files:ro");
	if (json_object_get(order, "input"))
		add_option(&words, "stdin", "input");
	/* By this name results know an upload. */
	if (name && *name && given[0] != '@')
		add_option(&words, "argv0", name);
	if (place->store)
		add_option(&words, "store", place->store);
	if (place->store && json_is_true(json_object_get(order, "reuse")) && command->has_machine)
		add(&words, "--reuse");
	if (!command->is_silent)
		add_option(&words, "stderr", "/dev/fd/3");
	add_option(&words, "json", "result.json");
	add_option(&words, "html", "result.html");
	add(&words, "--progress=0.5");
	if (command->has_machine)
		add(&words, "--quiet");
	add_program(&words, order, command->is_one_text);
	return end(&words);
}

char **order_configure_arguments(const json_t *counters, const char *key, unsigned port)
{
	struct words words = {0};
	char to[32];

	snprintf(to, sizeof(to), "127.0.0.1:%u", port);
	add(&words, "cyclestack");
	add(&words, "configure");
	add_counting(&words, counters);
	/* What the live display shows stays. */
	add_option(&words, "events", "cycles");
	add_option(&words, "events", "committed");
	add_option(&words, "events", "slots");
	add_option(&words, "events", "lost*");
	add_option(&words, "key", key);
	add(&words, to);
	return end(&words);
}
