#include "config/scan.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct scanner {
	struct scan *scan;
	const char *name;
	const char *at, *end;
	unsigned line;
	const char *word; /* the last name seen */
	size_t word_bytes;
	char key[SCAN_KEY_BYTES]; /* the enclosing groups, each followed by a dot */
	size_t key_bytes[SCAN_MOST_DEPTH + 1];
	unsigned lists_at[SCAN_MOST_DEPTH + 1]; /* the number of enclosing lists at each depth */
	unsigned depth;
	struct scan_setting *setting; /* the setting whose value is read next, or NULL */
};

static bool starts(const struct scanner *s, const char *text)
{
	size_t bytes = strlen(text);

	return (size_t)(s->end - s->at) >= bytes && memcmp(s->at, text, bytes) == 0;
}

static void skip_byte(struct scanner *s)
{
	s->line += *s->at == '\n';
	s->at++;
}

/* Skips up to and including `text`, or to the end. */
static void skip_past(struct scanner *s, const char *text)
{
	while (s->at < s->end && !starts(s, text))
		skip_byte(s);
	for (; s->at < s->end && *text; text++)
		skip_byte(s);
}

static void skip_comment(struct scanner *s)
{
	/* The star of the opening must not be taken for that of the end. */
	s->at += 2;
	skip_past(s, "*/");
}

static void skip_string(struct scanner *s)
{
	for (s->at++; s->at < s->end && *s->at != '"'; skip_byte(s))
		if (*s->at == '\\' && s->at + 1 < s->end)
			skip_byte(s);
	if (s->at < s->end)
		s->at++;
}

/* isalpha() and the like depend on the locale. */
static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_byte(char c)
{
	return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '*';
}

/* The value of a digit, or `base` if it is none in that base. */
static unsigned digit_value(char c, unsigned base)
{
	unsigned value = is_digit(c) ? (unsigned)(c - '0') : base;

	if (is_letter(c))
		value = (unsigned)((c | ('a' - 'A')) - 'a') + 10;
	return value < base ? value : base;
}

static void take_name(struct scanner *s)
{
	s->word = s->at;
	while (s->at < s->end && is_name_byte(*s->at))
		s->at++;
	s->word_bytes = (size_t)(s->at - s->word);
	if (s->at < s->end && *s->at == '.' && !s->scan->dotted_line)
		s->scan->dotted_line = s->line;
}

/* A whole number of more than 31 bits is kept as text, because libconfig would
 * keep only its low bits. */
static void take_number(struct scanner *s)
{
	const char *start = s->at;
	unsigned base = starts(s, "0x") || starts(s, "0X") ? 16 : 10;
	uint64_t value = 0;

	for (s->at += base == 16 ? 2 : 0; s->at < s->end; s->at++) {
		unsigned digit = digit_value(*s->at, base);

		if (digit == base)
			break;
		if (value <= INT32_MAX)
			value = value * base + digit;
	}
	if (s->setting && value > INT32_MAX)
		snprintf(s->setting->number, SCAN_NUMBER_BYTES, "%.*s", (int)(s->at - start),
			 start);
	if (s->at < s->end && is_letter(*s->at) && !s->scan->unit_line)
		s->scan->unit_line = s->line;
}

static bool open_group(struct scanner *s, struct err *err)
{
	bool is_list = *s->at != '{';

	if (s->depth == SCAN_MOST_DEPTH)
		return err_set(err, "%s:%u: groups are nested more than %d deep", s->name, s->line,
			       SCAN_MOST_DEPTH);
	s->depth++;
	s->lists_at[s->depth] = s->lists_at[s->depth - 1] + is_list;
	s->key_bytes[s->depth] = s->key_bytes[s->depth - 1];
	if (s->setting) {
		size_t bytes = strlen(s->setting->key);

		memcpy(s->key, s->setting->key, bytes + 1);
		if (bytes + 1 < SCAN_KEY_BYTES)
			memcpy(s->key + bytes++, ".", 2);
		s->key_bytes[s->depth] = bytes;
	}
	s->setting = NULL;
	s->at++;
	return true;
}

static void close_group(struct scanner *s)
{
	s->depth -= s->depth > 0;
	s->setting = NULL;
	s->at++;
}

static bool take_setting(struct scanner *s, struct err *err)
{
	struct scan *scan = s->scan;

	if (scan->count == SCAN_MOST_SETTINGS)
		return err_set(err, "%s:%u: there are more than %d settings", s->name, s->line,
			       SCAN_MOST_SETTINGS);
	struct scan_setting *setting = ARRAY_PUSH(scan->settings, scan->count, scan->capacity);

	memset(setting, 0, sizeof(*setting));
	snprintf(setting->key, SCAN_KEY_BYTES, "%.*s%.*s", (int)s->key_bytes[s->depth], s->key,
		 (int)(s->word_bytes < SCAN_KEY_BYTES ? s->word_bytes : SCAN_KEY_BYTES),
		 s->word ? s->word : "");
	setting->line = s->line;
	setting->in_list = s->lists_at[s->depth] > 0;
	s->setting = setting;
	s->at++;
	return true;
}

static bool take_token(struct scanner *s, struct err *err)
{
	char c = *s->at;

	if (c == '#' || starts(s, "//"))
		skip_past(s, "\n");
	else if (starts(s, "/*"))
		skip_comment(s);
	else if (c == '"')
		skip_string(s);
	else if (c == '@')
		return err_set(err,
			       "%s:%u: files cannot be included; to start from a preset, say "
			       "based_on = \"NAME\";",
			       s->name, s->line);
	else if (is_letter(c) || c == '*')
		take_name(s);
	else if (is_digit(c))
		take_number(s);
	else if (c == '{' || c == '(' || c == '[')
		return open_group(s, err);
	else if (c == '}' || c == ')' || c == ']')
		close_group(s);
	else if (c == '=' || c == ':')
		return take_setting(s, err);
	else
		skip_byte(s);
	return true;
}

bool scan_text(struct scan *scan, const char *text, size_t bytes, const char *name, struct err *err)
{
	struct scanner s = {.scan = scan, .name = name, .at = text, .end = text + bytes, .line = 1};

	*scan = (struct scan){0};
	if (memchr(text, 0, bytes))
		return err_set(err, "%s: this is not a text file", name);
	while (s.at < s.end)
		if (!take_token(&s, err))
			return false;
	return true;
}

void scan_release(struct scan *scan)
{
	free(scan->settings);
}

const struct scan_setting *scan_find(const struct scan *scan, const char *key)
{
	for (size_t i = 0; i < scan->count; i++)
		if (strcmp(scan->settings[i].key, key) == 0)
			return &scan->settings[i];
	return NULL;
}

const struct scan_setting *scan_duplicate(const struct scan *scan,
					  const struct scan_setting **first)
{
	for (size_t i = 0; i < scan->count; i++)
		for (size_t j = 0; j < i; j++)
			if (!scan->settings[i].in_list &&
			    strcmp(scan->settings[i].key, scan->settings[j].key) == 0) {
				*first = &scan->settings[j];
				return &scan->settings[i];
			}
	return NULL;
}
