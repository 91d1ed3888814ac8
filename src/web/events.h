/*
 * events.h - what happens to a run while it is watched: numbered texts in the form of server-sent
 * events, of which the last ones are kept, up to a number of bytes.
 *
 * Numbers begin with 1 and rise by one; a watcher that asks for one that is gone begins with the
 * first that is there.
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

void events_init(struct events *events, size_t bytes_most);
void events_release(struct events *events);
/* Takes the JSON. */
void events_add(struct events *events, const char *kind, json_t *json);
/* The number that the next one gets. */
uint64_t events_next(const struct events *events);
/* The text of a number, or of the oldest there is; NULL if it has not happened. *number is its. */
const char *events_at(const struct events *events, uint64_t *number);

#endif
