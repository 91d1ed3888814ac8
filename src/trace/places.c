#include "trace/places.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define UNKNOWN	  "(unknown)"
#define TEXT_MOST (UINT32_C(1) << 24) /* of the text, in bytes */

struct range {
	uint64_t start, end;
	struct trace_place place;
};

struct trace_places {
	json_t *root; /* owns the strings */
	struct range *ranges;
	size_t count;
};

static int by_start(const void *left, const void *right)
{
	uint64_t a = ((const struct range *)left)->start, b = ((const struct range *)right)->start;

	return a < b ? -1 : a > b;
}

static bool same_place(const struct trace_place *a, const struct trace_place *b)
{
	return a->line == b->line && strcmp(a->function, b->function) == 0 &&
	       strcmp(a->file, b->file) == 0;
}

static struct trace_place place_of(struct debug *debug, uint64_t address)
{
	const struct lines *lines = debug_lines(debug);
	const char *function = debug_function(debug, address, NULL);
	struct trace_place place = {function ? function : UNKNOWN, "", 0};
	struct source_line line;

	if (lines && lines_find(lines, address, &line)) {
		place.file = line.file;
		place.line = line.line;
	}
	return place;
}

/* Ranges [start, end, function, file, line], the strings once each. */
static char *ranges_text(const struct range *ranges, size_t count)
{
	json_t *list = json_array(), *names = json_array(), *known = json_object();
	char *text;

	for (size_t i = 0; i < count; i++) {
		const char *strings[2] = {ranges[i].place.function, ranges[i].place.file};
		json_int_t at[2];

		for (unsigned s = 0; s < 2; s++) {
			const json_t *found = json_object_get(known, strings[s]);

			at[s] = found ? json_integer_value(found)
				      : (json_int_t)json_array_size(names);
			if (!found) {
				json_object_set_new(known, strings[s], json_integer(at[s]));
				json_array_append_new(names, json_string(strings[s]));
			}
		}
		json_array_append_new(list, json_pack("[I,I,I,I,I]", (json_int_t)ranges[i].start,
						      (json_int_t)ranges[i].end, at[0], at[1],
						      (json_int_t)ranges[i].place.line));
	}
	json_t *root = json_pack("{s:O,s:O}", "names", names, "ranges", list);
	text = json_dumps(root, JSON_COMPACT);
	json_decref(root);
	json_decref(names);
	json_decref(list);
	json_decref(known);
	return text;
}

char *trace_places_text(const struct recorder *recorder, struct process *process)
{
	size_t ops = recorder_op_count(recorder), count = 0;
	struct range *ranges = mem_alloc_array(ops + 1, sizeof(*ranges));

	for (size_t i = 0; i < ops; i++) {
		const struct trace_op *op = recorder_op(recorder, i);

		ranges[i] = (struct range){op->pc, op->pc + op->bytes,
					   place_of(&process->debug, op->pc - process->bias)};
	}
	qsort(ranges, ops, sizeof(*ranges), by_start);
	for (size_t i = 0; i < ops; i++) {
		struct range *last = count ? &ranges[count - 1] : NULL;

		if (last && ranges[i].start <= last->end &&
		    same_place(&last->place, &ranges[i].place))
			last->end = ranges[i].end > last->end ? ranges[i].end : last->end;
		else
			ranges[count++] = ranges[i];
	}
	char *text = ranges_text(ranges, count);
	/* A trace without places is a trace still. */
	if (!text || strlen(text) > TEXT_MOST) {
		free(text);
		text = mem_strdup("");
	}
	free(ranges);
	return text;
}

static const char *name_at(const json_t *names, const json_t *index)
{
	json_int_t at = json_is_integer(index) ? json_integer_value(index) : -1;

	return at >= 0 && (size_t)at < json_array_size(names)
		       ? json_string_value(json_array_get(names, (size_t)at))
		       : NULL;
}

static bool read_range(struct range *range, const json_t *names, const json_t *row)
{
	const char *function = name_at(names, json_array_get(row, 2));
	const char *file = name_at(names, json_array_get(row, 3));
	json_int_t line = json_integer_value(json_array_get(row, 4));

	*range = (struct range){(uint64_t)json_integer_value(json_array_get(row, 0)),
				(uint64_t)json_integer_value(json_array_get(row, 1)),
				{function, file, (uint32_t)line}};
	return json_array_size(row) == 5 && function && file && line >= 0 && line <= UINT32_MAX &&
	       range->start < range->end;
}

struct trace_places *trace_places_read(const char *text, size_t bytes, struct err *err)
{
	struct trace_places *places = mem_alloc(sizeof(*places));
	bool ok = true;

	if (!bytes)
		return places;
	places->root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);
	const json_t *names = json_object_get(places->root, "names");
	const json_t *list = json_object_get(places->root, "ranges");
	size_t count = json_array_size(list);
	ok = json_is_array(names) && json_is_array(list);
	places->ranges = mem_alloc_array(count + 1, sizeof(*places->ranges));
	for (size_t i = 0; ok && i < count; i++) {
		ok = read_range(&places->ranges[i], names, json_array_get(list, i)) &&
		     (!i || places->ranges[i - 1].start <= places->ranges[i].start);
		places->count++;
	}
	if (ok)
		return places;
	trace_places_free(places);
	err_set(err, "the trace's functions and lines are not what `trace record` writes");
	return NULL;
}

void trace_places_free(struct trace_places *places)
{
	if (!places)
		return;
	json_decref(places->root);
	free(places->ranges);
	free(places);
}

struct trace_place trace_places_find(const struct trace_places *places, uint64_t pc)
{
	size_t low = 0, high = places ? places->count : 0;

	/* The last range that begins at or before pc. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (places->ranges[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (low && pc < places->ranges[low - 1].end)
		return places->ranges[low - 1].place;
	return (struct trace_place){UNKNOWN, "", 0};
}
