/*
 * events.h - what happens to a run while it is watched: numbered texts in the form of server-sent
 * events, of which the last ones are kept, up to a number of bytes.
 *
 * Numbers rise by one from the time at which a server began with the run, in microseconds. So they
 * are above all that a server before it gave, also to a watcher who now asks this one. A watcher
 * that asks for one that is gone, or that nobody has given, begins with the first that is there.
 */
#ifndef WEB_EVENTS_H
#define WEB_EVENTS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct events {
	char **texts; /* a ring */
	size_t capacity, count, head;
	uint64_t first; /* the number of the oldest */
	size_t bytes, bytes_most;
};

void events_init(struct events *events, uint64_t first, size_t bytes_most);
void events_release(struct events *events);
/* Takes the JSON. */
void events_add(struct events *events, const char *kind, json_t *json);
/* The number that the next one gets. */
uint64_t events_next(const struct events *events);
/* The text of a number, or of the oldest there is; NULL if it has not happened. *number is its. */
const char *events_at(const struct events *events, uint64_t *number);

#endif
