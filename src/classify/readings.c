#include "classify/readings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define FIRST_LINE   "cyclestack-readings 1"
#define NUMBER_LARGE 9007199254740992.0 /* a double has all whole numbers up to here */

/* The text behind the words read so far, within one line. */
struct cursor {
	const char *at, *end;
	size_t line;
};

static bool next_word(struct cursor *cursor, const char **word, size_t *length)
{
	if (cursor->at < cursor->end && *cursor->at == ' ')
		cursor->at++;
	*word = cursor->at;
	while (cursor->at < cursor->end && *cursor->at != ' ')
		cursor->at++;
	*length = (size_t)(cursor->at - *word);
	return *length > 0;
}

static bool is_word(const char *word, size_t length, const char *text)
{
	return length == strlen(text) && memcmp(word, text, length) == 0;
}

/* Digits only, at most 2^64 - 1; *rest is what follows. */
static bool read_digits(const char *at, const char *end, uint64_t *value, const char **rest)
{
	const char *start = at;

	*value = 0;
	for (; at < end && *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(*value, UINT64_C(10), value) ||
		    __builtin_add_overflow(*value, (uint64_t)(*at - '0'), value))
			return false;
	*rest = at;
	return at > start;
}

static bool next_number(struct cursor *cursor, uint64_t *value)
{
	const char *word, *rest;
	size_t length;

	return next_word(cursor, &word, &length) &&
	       read_digits(word, word + length, value, &rest) && rest == word + length;
}

static bool next_event(struct cursor *cursor, struct readings_event *event)
{
	const char *word, *rest;
	uint64_t type;
	size_t length;

	if (!next_word(cursor, &word, &length) || !read_digits(word, word + length, &type, &rest) ||
	    type > UINT32_MAX || rest == word + length || *rest != ':' ||
	    !read_digits(rest + 1, word + length, &event->config, &rest) || rest != word + length)
		return false;
	event->type = (uint32_t)type;
	event->refused = 0;
	return true;
}

/* The place of the event in the list of all; a new one is added. */
static size_t find_event(struct readings *readings, const struct readings_event *event)
{
	for (size_t i = 0; i < readings->event_count; i++) {
		struct readings_event *known = &readings->events[i];

		if (known->type != event->type || known->config != event->config)
			continue;
		if (!event->refused)
			known->refused = 0;
		return i;
	}
	*ARRAY_PUSH(readings->events, readings->event_count, readings->event_room) = *event;
	return readings->event_count - 1;
}

static size_t find_point(struct readings *readings, const struct readings_point *point)
{
	/* The last is the likeliest: runs of a point follow each other. */
	for (size_t i = readings->point_count; i > 0; i--) {
		const struct readings_point *known = &readings->points[i - 1];

		if (known->unit == point->unit && known->value == point->value &&
		    strcmp(known->kernel, point->kernel) == 0)
			return i - 1;
	}
	*ARRAY_PUSH(readings->points, readings->point_count, readings->point_room) = *point;
	return readings->point_count - 1;
}

static bool read_refused(struct readings *readings, struct cursor *cursor, struct err *err)
{
	struct readings_event event;
	uint64_t number;

	if (!next_event(cursor, &event) || !next_number(cursor, &number) || number == 0 ||
	    number > 4095)
		return err_set(err, "expected \"refused TYPE:CONFIG ERRNO\"");
	event.refused = (int)number;
	if (readings->event_count == READINGS_EVENTS_MOST)
		return err_set(err, "more than %d events", READINGS_EVENTS_MOST);
	find_event(readings, &event);
	return true;
}

static bool read_events(struct readings *readings, struct cursor *cursor, struct err *err)
{
	struct readings_part *part = &readings->parts[readings->part_count - 1];

	while (cursor->at < cursor->end) {
		struct readings_event event;

		if (!next_event(cursor, &event))
			return err_set(err, "expected TYPE:CONFIG, two numbers");
		if (readings->event_count == READINGS_EVENTS_MOST)
			return err_set(err, "more than %d events", READINGS_EVENTS_MOST);
		size_t place = find_event(readings, &event);
		for (size_t i = 0; i < part->count; i++)
			if (part->events[i] == place)
				return err_set(err, "the event %u:%llu occurs twice", event.type,
					       (unsigned long long)event.config);
		*ARRAY_PUSH(part->events, part->count, part->room) = place;
	}
	return true;
}

static bool read_name(struct cursor *cursor, char name[READINGS_NAME_BYTES])
{
	const char *word;
	size_t length;

	if (!next_word(cursor, &word, &length) || length >= READINGS_NAME_BYTES)
		return false;
	for (size_t i = 0; i < length; i++)
		if ((word[i] < 'a' || word[i] > 'z') && (word[i] < '0' || word[i] > '9') &&
		    word[i] != '_')
			return false;
	memcpy(name, word, length);
	name[length] = 0;
	return true;
}

static bool read_value(struct cursor *cursor, double *value)
{
	const char *word, *rest;
	uint64_t number;
	size_t length;

	if (!next_word(cursor, &word, &length))
		return false;
	if (is_word(word, length, "-")) {
		*value = NAN;
		return true;
	}
	if (!read_digits(word, word + length, &number, &rest) || rest != word + length ||
	    (double)number > NUMBER_LARGE)
		return false;
	*value = (double)number;
	return true;
}

static bool read_run(struct readings *readings, struct cursor *cursor, struct err *err)
{
	size_t part = readings->part_count - 1, count = readings->parts[part].count;
	struct readings_point point;
	uint64_t iterations, repeat;

	if (!read_name(cursor, point.kernel) || !next_number(cursor, &point.unit) ||
	    !next_number(cursor, &point.value) || !next_number(cursor, &iterations) ||
	    !next_number(cursor, &repeat) || (double)iterations > NUMBER_LARGE)
		return err_set(err, "expected \"run KERNEL UNIT VALUE ITERATIONS REPEAT\"");
	if (readings->run_count == READINGS_RUNS_MOST)
		return err_set(err, "more than %d runs", READINGS_RUNS_MOST);
	struct readings_run *run =
		ARRAY_PUSH(readings->runs, readings->run_count, readings->run_room);
	*run = (struct readings_run){.point = find_point(readings, &point),
				     .iterations = (double)iterations,
				     .part = part,
				     .values = mem_alloc_array(count, sizeof(double))};
	for (size_t i = 0; i < count; i++)
		if (!read_value(cursor, &run->values[i]))
			return err_set(err, "expected %zu numbers, one for each event", count);
	if (cursor->at != cursor->end)
		return err_set(err, "more numbers than events");
	return true;
}

struct document {
	bool is_open, has_events;
	size_t runs;
};

static bool read_line(struct readings *readings, struct cursor *cursor, struct document *document,
		      struct err *err)
{
	const char *word;
	size_t length;
	uint64_t runs;

	if (is_word(cursor->at, (size_t)(cursor->end - cursor->at), FIRST_LINE)) {
		if (document->is_open)
			return err_set(err, "readings begin before the ones above have ended");
		*document = (struct document){.is_open = true};
		*ARRAY_PUSH(readings->parts, readings->part_count, readings->part_room) =
			(struct readings_part){0};
		return true;
	}
	if (!document->is_open)
		return err_set(err, "expected \"%s\"", FIRST_LINE);
	if (!next_word(cursor, &word, &length))
		return err_set(err, "the line is empty");
	if (is_word(word, length, "refused") && !document->has_events)
		return read_refused(readings, cursor, err);
	if (is_word(word, length, "events") && !document->has_events) {
		document->has_events = true;
		return read_events(readings, cursor, err);
	}
	if (is_word(word, length, "run") && document->has_events) {
		document->runs++;
		return read_run(readings, cursor, err);
	}
	if (is_word(word, length, "end") && document->has_events) {
		document->is_open = false;
		if (next_number(cursor, &runs) && cursor->at == cursor->end &&
		    runs == document->runs)
			return true;
		return err_set(err, "expected \"end %zu\", the number of runs", document->runs);
	}
	return err_set(err, "expected refused, events, run or end, in this order");
}

bool readings_parse(struct readings *readings, const char *text, struct err *err)
{
	struct document document = {0};
	struct cursor cursor = {.at = text};

	*readings = (struct readings){0};
	while (*cursor.at) {
		const char *newline = strchr(cursor.at, '\n');

		cursor.line++;
		if (!newline)
			return err_set(err, "readings, line %zu: it is cut off", cursor.line);
		cursor.end = newline;
		if (!read_line(readings, &cursor, &document, err))
			return err_prefix(err, "readings, line %zu", cursor.line);
		cursor.at = newline + 1;
	}
	if (document.is_open || !readings->part_count)
		return err_set(err, "readings, line %zu: they end before \"end\"", cursor.line + 1);
	return true;
}

void readings_release(struct readings *readings)
{
	for (size_t i = 0; i < readings->run_count; i++)
		free(readings->runs[i].values);
	for (size_t i = 0; i < readings->part_count; i++)
		free(readings->parts[i].events);
	free(readings->events);
	free(readings->points);
	free(readings->runs);
	free(readings->parts);
	*readings = (struct readings){0};
}
