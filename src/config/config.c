#include "config/config.h"

#include <stdlib.h>
#include <string.h>

#include <nettle/sha2.h>

#include "config/check.h"
#include "base/nearest.h"
#include "base/number.h"

#define WORD(id, word) #word,
static const char *const words_core[] = {CONFIG_WORDS_core(WORD) NULL};
static const char *const words_profile[] = {CONFIG_WORDS_profile(WORD) NULL};
static const char *const words_disambiguation[] = {CONFIG_WORDS_disambiguation(WORD) NULL};
static const char *const words_issue_queue[] = {CONFIG_WORDS_issue_queue(WORD) NULL};
static const char *const words_unmapped[] = {CONFIG_WORDS_unmapped(WORD) NULL};
static const char *const words_replacement[] = {CONFIG_WORDS_replacement(WORD) NULL};
static const char *const words_write[] = {CONFIG_WORDS_write(WORD) NULL};
static const char *const words_prefetch[] = {CONFIG_WORDS_prefetch(WORD) NULL};
static const char *const words_memory[] = {CONFIG_WORDS_memory(WORD) NULL};
static const char *const words_row_policy[] = {CONFIG_WORDS_row_policy(WORD) NULL};
static const char *const words_tlb_miss[] = {CONFIG_WORDS_tlb_miss(WORD) NULL};
static const char *const words_predictor[] = {CONFIG_WORDS_predictor(WORD) NULL};
static const char *const words_pairing[] = {CONFIG_WORDS_pairing(WORD) NULL};
static const char *const words_long_operations[] = {CONFIG_WORDS_long_operations(WORD) NULL};
static const char *const words_indirect[] = {CONFIG_WORDS_indirect(WORD) NULL};
#undef WORD

/* The number of words, without the NULL at the end. */
#define LAST_WORD(words) (sizeof(words) / sizeof((words)[0]) - 2)

const struct config_row config_rows[CONFIG_COUNT] = {
#define ROW(field, key, kind, when, ...) \
	[CONFIG_##field] = {key, kind, WHEN_##when, offsetof(struct config, field), __VA_ARGS__},
#define NUMBER(field, key, when, least, most, fallback, help) \
	ROW(field, key, CONFIG_IS_NUMBER, when, least, most, fallback, NULL, help)
#define COUNT(field, key, when, least, most, fallback, help) \
	ROW(field, key, CONFIG_IS_COUNT, when, least, most, fallback, NULL, help)
#define CHOICE(field, key, when, choices, fallback, help)                                \
	ROW(field, key, CONFIG_IS_CHOICE, when, 0, LAST_WORD(words_##choices), fallback, \
	    words_##choices, help)
#define SET(field, key, when, choices, fallback, help)                                            \
	ROW(field, key, CONFIG_IS_SET, when, 0, (2u << LAST_WORD(words_##choices)) - 1, fallback, \
	    words_##choices, help)
#define SWITCH(field, key, when, fallback, help) \
	ROW(field, key, CONFIG_IS_SWITCH, when, 0, 1, fallback, NULL, help)
#define LIST(field, key, when, help) ROW(field, key, CONFIG_IS_LIST, when, 0, 0, 0, NULL, help)
#include "config/parameters.def"
#undef ROW
#undef NUMBER
#undef COUNT
#undef CHOICE
#undef SET
#undef SWITCH
#undef LIST
};

/* Every field but a switch and a list is read and written as a uint32_t. */
_Static_assert(sizeof(enum config_core) == sizeof(uint32_t), "a choice is 32 bits wide");

static struct ideal_at *list_of(struct config *config, enum config_id id)
{
	return (struct ideal_at *)((char *)config + config_rows[id].offset);
}

static const struct ideal_at *list_in(const struct config *config, enum config_id id)
{
	return (const struct ideal_at *)((const char *)config + config_rows[id].offset);
}

uint32_t config_get(const struct config *config, enum config_id id)
{
	const char *field = (const char *)config + config_rows[id].offset;
	uint32_t value;

	if (config_rows[id].type == CONFIG_IS_SWITCH)
		return *(const bool *)field;
	if (config_rows[id].type == CONFIG_IS_LIST)
		return (uint32_t)list_in(config, id)->count;
	memcpy(&value, field, sizeof(value));
	return value;
}

void config_put(struct config *config, enum config_id id, uint32_t value)
{
	char *field = (char *)config + config_rows[id].offset;

	if (config_rows[id].type == CONFIG_IS_SWITCH) {
		*(bool *)field = value != 0;
	} else if (config_rows[id].type == CONFIG_IS_LIST) {
		BUG_ON(value);
		memset(field, 0, sizeof(struct ideal_at));
	} else {
		memcpy(field, &value, sizeof(value));
	}
}

bool config_is_same(const struct config *a, const struct config *b, enum config_id id)
{
	if (config_rows[id].type == CONFIG_IS_LIST)
		return ideal_at_same(list_in(a, id), list_in(b, id));
	return config_get(a, id) == config_get(b, id);
}

void config_copy(struct config *to, const struct config *from, enum config_id id)
{
	if (config_rows[id].type == CONFIG_IS_LIST)
		*list_of(to, id) = *list_in(from, id);
	else
		config_put(to, id, config_get(from, id));
}

void config_reset(struct config *config)
{
	/* Padding is cleared too, so that equal machines are equal bytes. */
	memset(config, 0, sizeof(*config));
	for (enum config_id id = 0; id < CONFIG_COUNT; id++)
		config_put(config, id, config_rows[id].fallback);
}

enum config_id config_find(const char *key)
{
	enum config_id id = 0;

	while (id < CONFIG_COUNT && strcmp(config_rows[id].key, key) != 0)
		id++;
	return id;
}

/* A key without a dot may be the part before the dot or the part after it. */
static size_t distance_to_part(const char *key, const char *known)
{
	const char *dot = strchr(known, '.');
	char group[CHECK_QUOTE_BYTES];

	snprintf(group, sizeof(group), "%.*s", (int)(dot - known), known);
	size_t to_group = nearest_distance(key, group);
	size_t to_rest = nearest_distance(key, dot + 1);

	return 1 + (to_group < to_rest ? to_group : to_rest);
}

struct nearest config_nearest(const char *key)
{
	struct nearest nearest = {0};

	for (enum config_id id = 0; id < CONFIG_COUNT; id++) {
		const char *known = config_rows[id].key;
		size_t distance = nearest_distance(key, known);

		if (!strchr(key, '.')) {
			size_t part = distance_to_part(key, known);

			distance = part < distance ? part : distance;
		}
		nearest_consider_edits(&nearest, key, known, distance);
	}
	return nearest;
}

bool config_applies(const struct config *config, enum config_id id)
{
	const struct config *c = config;

	switch (config_rows[id].when) {
#define WHEN(name, text, condition) \
	case WHEN_##name: return condition;
		CONFIG_WHENS(WHEN)
#undef WHEN
	}
	BUG("parameter %d applies to no known machine", (int)id);
}

bool config_is_named(const struct config *config, enum config_id id)
{
	const struct config_row *row = &config_rows[id];

	if (row->when == WHEN_IF_SAID && config_get(config, id) == row->fallback)
		return false;
	return config_applies(config, id) &&
	       (row->type != CONFIG_IS_LIST || config_get(config, id));
}

const char *config_when_text(enum config_when when)
{
	static const char *const texts[] = {
#define WHEN(name, text, condition) text,
		CONFIG_WHENS(WHEN)
#undef WHEN
	};

	return texts[when];
}

static void set_text(const struct config_row *row, uint32_t value, char text[CONFIG_TEXT_BYTES])
{
	size_t used = 0;

	snprintf(text, CONFIG_TEXT_BYTES, "none");
	for (uint32_t i = 0; row->words[i]; i++)
		if (value >> i & 1 && used < CONFIG_TEXT_BYTES)
			used += (size_t)snprintf(text + used, CONFIG_TEXT_BYTES - used, "%s%s",
						 used ? "+" : "", row->words[i]);
}

void config_value_text(const struct config *config, enum config_id id, char text[CONFIG_TEXT_BYTES])
{
	const struct config_row *row = &config_rows[id];
	uint32_t value = config_get(config, id);

	if (row->type == CONFIG_IS_LIST)
		ideal_at_text(list_in(config, id), text);
	else if (row->type == CONFIG_IS_CHOICE)
		snprintf(text, CONFIG_TEXT_BYTES, "%s", row->words[value]);
	else if (row->type == CONFIG_IS_SET)
		set_text(row, value, text);
	else if (row->type == CONFIG_IS_SWITCH)
		snprintf(text, CONFIG_TEXT_BYTES, "%s", value ? "true" : "false");
	else if (row->type == CONFIG_IS_COUNT && value == UNLIMITED)
		snprintf(text, CONFIG_TEXT_BYTES, "unlimited");
	else
		snprintf(text, CONFIG_TEXT_BYTES, "%u", value);
}

void config_expected(enum config_id id, char *text, size_t bytes)
{
	const struct config_row *row = &config_rows[id];
	size_t used = 0;

	switch (row->type) {
	case CONFIG_IS_NUMBER:
		snprintf(text, bytes, "a whole number from %u to %u", row->least, row->most);
		break;
	case CONFIG_IS_COUNT:
		snprintf(text, bytes, "a whole number from %u to %u or \"unlimited\"", row->least,
			 row->most);
		break;
	case CONFIG_IS_SWITCH: snprintf(text, bytes, "true or false"); break;
	case CONFIG_IS_LIST:
		snprintf(text, bytes,
			 "\"none\" or ranges joined with /, such as 0x10400-0x1041c:l1d+dtlb");
		break;
	case CONFIG_IS_SET:
		used = (size_t)snprintf(text, bytes,
					"\"none\" or words joined with +, each once, out of ");
		/* fall through */
	case CONFIG_IS_CHOICE:
		for (uint32_t i = 0; row->words[i] && used < bytes; i++)
			used += (size_t)snprintf(text + used, bytes - used, "%s\"%s\"",
						 i == 0			      ? ""
						 : row->words[i + 1]	      ? ", "
						 : row->type == CONFIG_IS_SET ? " and "
									      : " or ",
						 row->words[i]);
		break;
	}
}

bool config_read_number(enum config_id id, const char *text, uint32_t *value)
{
	const struct config_row *row = &config_rows[id];
	const char *unit = strrchr(row->key, '_');
	bool is_bytes = unit && strcmp(unit, "_bytes") == 0;
	uint64_t number;

	if (row->type == CONFIG_IS_COUNT && strcmp(text, "unlimited") == 0) {
		*value = UNLIMITED;
		return true;
	}
	if (!number_read(text, is_bytes ? NUMBER_OF_BYTES : NUMBER_OF_THINGS, &number) ||
	    number < row->least || number > row->most)
		return false;
	*value = (uint32_t)number;
	return true;
}

/* The place of the word of so many bytes, or UINT32_MAX. */
static uint32_t find_word(const struct config_row *row, const char *text, size_t bytes)
{
	for (uint32_t i = 0; row->words[i]; i++)
		if (strlen(row->words[i]) == bytes && memcmp(row->words[i], text, bytes) == 0)
			return i;
	return UINT32_MAX;
}

bool config_read_words(const struct config_row *row, const char *text, uint32_t *value)
{
	if (row->type == CONFIG_IS_CHOICE) {
		*value = find_word(row, text, strlen(text));
		return *value != UINT32_MAX;
	}
	*value = 0;
	if (strcmp(text, "none") == 0)
		return true;
	for (;;) {
		size_t bytes = strcspn(text, "+");
		uint32_t place = find_word(row, text, bytes);

		if (place == UINT32_MAX || *value >> place & 1)
			return false;
		*value |= 1u << place;
		if (!text[bytes])
			return true;
		text += bytes + 1;
	}
}

static bool read_value(enum config_id id, const char *text, uint32_t *value)
{
	const struct config_row *row = &config_rows[id];

	switch (row->type) {
	case CONFIG_IS_COUNT:
	case CONFIG_IS_NUMBER: return config_read_number(id, text, value);
	case CONFIG_IS_SWITCH:
		*value = strcmp(text, "true") == 0;
		return *value || strcmp(text, "false") == 0;
	case CONFIG_IS_CHOICE:
	case CONFIG_IS_SET: return config_read_words(row, text, value);
	case CONFIG_IS_LIST: break;
	}
	BUG("parameter %d is of no known type", (int)id);
}

bool config_read_value(struct config *config, enum config_id id, const char *text, struct err *err)
{
	const char *key = config_rows[id].key;
	char quoted[CHECK_QUOTE_BYTES], expected[256];
	uint32_t value;

	if (config_rows[id].type == CONFIG_IS_LIST) {
		struct err why;

		return ideal_at_read(list_of(config, id), text, &why) ||
		       err_set(err, "%s: %s", key, why.text);
	}
	if (!read_value(id, text, &value)) {
		config_expected(id, expected, sizeof(expected));
		check_quote(text, strlen(text), quoted);
		return err_set(err, "%s must be %s, not \"%s\"", key, expected, quoted);
	}
	config_put(config, id, value);
	return true;
}

bool config_set(struct config *config, const char *assignment, struct err *err)
{
	char key[CHECK_QUOTE_BYTES], quoted[CHECK_QUOTE_BYTES];
	size_t length = strcspn(assignment, "=");

	check_quote(assignment, strlen(assignment), quoted);
	if (!length || !assignment[length])
		return err_set(err, "\"%s\" is not of the form key=value, such as rob.size=256",
			       quoted);
	snprintf(key, sizeof(key), "%.*s", (int)(length < sizeof(key) ? length : sizeof(key) - 1),
		 assignment);
	enum config_id id = config_find(key);
	if (id == CONFIG_COUNT) {
		struct nearest nearest = config_nearest(key);

		check_quote(assignment, length, quoted);
		return err_set(err, "there is no parameter \"%s\"%s", quoted,
			       nearest_ask(&nearest, "; did you mean ", "?").text);
	}
	return config_read_value(config, id, assignment + length + 1, err);
}

bool config_set_matters(const struct config *config, const char *assignment, struct err *err)
{
	char key[CHECK_QUOTE_BYTES];
	enum config_id id;

	snprintf(key, sizeof(key), "%.*s", (int)strcspn(assignment, "="), assignment);
	id = config_find(key);
	if (id == CONFIG_COUNT || config_applies(config, id))
		return true;
	return err_set(err, "%s has no effect on this machine: it is of machines with %s", key,
		       config_when_text(config_rows[id].when));
}

bool config_settle(struct config *config, struct err *err)
{
	struct config settled;

	if (!config_check(config, err))
		return false;
	config_reset(&settled);
	for (enum config_id id = 0; id < CONFIG_COUNT; id++)
		if (config_applies(config, id))
			config_copy(&settled, config, id);
	memcpy(config, &settled, sizeof(settled));
	return true;
}

size_t config_diff(const struct config *a, const struct config *b, enum config_id ids[CONFIG_COUNT])
{
	size_t count = 0;

	for (enum config_id id = 0; id < CONFIG_COUNT; id++) {
		bool applies = config_applies(a, id);

		if (applies != config_applies(b, id) || (applies && !config_is_same(a, b, id)))
			ids[count++] = id;
	}
	return count;
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(config_rows[*(const enum config_id *)a].key,
		      config_rows[*(const enum config_id *)b].key);
}

void config_hash(const struct config *config, char hash[65])
{
	enum config_id ids[CONFIG_COUNT];
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;

	for (enum config_id id = 0; id < CONFIG_COUNT; id++)
		ids[id] = id;
	qsort(ids, CONFIG_COUNT, sizeof(ids[0]), compare_keys);
	sha256_init(&sha);
	for (size_t i = 0; i < CONFIG_COUNT; i++) {
		char value[CONFIG_TEXT_BYTES], line[CONFIG_TEXT_BYTES + CHECK_QUOTE_BYTES];

		if (!config_is_named(config, ids[i]))
			continue;
		config_value_text(config, ids[i], value);
		int bytes = snprintf(line, sizeof(line), "%s=%s\n", config_rows[ids[i]].key, value);
		sha256_update(&sha, (size_t)bytes, (const uint8_t *)line);
	}
	sha256_digest(&sha, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(hash + 2 * i, 3, "%02x", digest[i]);
}
