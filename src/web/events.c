#include "web/events.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"

void events_init(struct events *e, uint64_t first, size_t bytes_most)
{
	*e = (struct events){.first = first, .bytes_most = bytes_most};
}

static void drop_oldest(struct events *e)
{
	e->bytes -= strlen(e->texts[e->head]);
	free(e->texts[e->head]);
	e->head = (e->head + 1) % e->capacity;
	e->count--;
	e->first++;
}

void events_release(struct events *e)
{
	while (e->count)
		drop_oldest(e);
	free(e->texts);
	e->texts = NULL;
	e->capacity = e->head = 0;
}

static void grow(struct events *e)
{
	const size_t capacity = e->capacity ? 2 * e->capacity : 64;
	char **texts = mem_alloc_array(capacity, sizeof(*texts));

	for (size_t i = 0; i < e->count; i++)
		texts[i] = e->texts[(e->head + i) % e->capacity];
	free(e->texts);
	e->texts = texts;
	e->capacity = capacity;
	e->head = 0;
}

void events_add(struct events *e, const char *kind, json_t *json)
{
	char *data = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(6));

	BUG_ON(!data);
	if (e->count == e->capacity)
		grow(e);
	char *text = mem_format("id: %llu\nevent: %s\ndata: %s\n\n",
				(unsigned long long)events_next(e), kind, data);
	e->texts[(e->head + e->count++) % e->capacity] = text;
	e->bytes += strlen(text);
	free(data);
	json_decref(json);
	while (e->count > 1 && e->bytes > e->bytes_most)
		drop_oldest(e);
}

uint64_t events_next(const struct events *e)
{
	return e->first + e->count;
}

const char *events_at(const struct events *e, uint64_t *number)
{
	if (*number < e->first || *number > events_next(e))
		*number = e->first;
	if (*number >= events_next(e))
		return NULL;
	return e->texts[(e->head + (size_t)(*number - e->first)) % e->capacity];
}
