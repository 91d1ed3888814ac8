/*
 * said.h - what a command of this program says on its standard error, line by line: sentences,
 * which are kept, and the line about its progress, of which the last one counts.
 */
#ifndef WEB_SAID_H
#define WEB_SAID_H

#include <stdbool.h>
#include <stddef.h>

#define SAID_MOST	100
#define SAID_LINE_BYTES 2048

/* A sentence; whether it is about what the program tried and may not (contained.h). */
struct said_sentence {
	char *text;
	bool is_contained;
};

struct said {
	struct said_sentence *items;
	size_t count, capacity;
	size_t left_out; /* sentences beyond SAID_MOST */
	char progress[256];
	double share;	   /* of the work that is done; negative: not known */
	bool has_progress; /* a new line has come since somebody looked */
	bool is_partial;   /* it has said so of its result */
	char line[SAID_LINE_BYTES];
	size_t used;
};

void said_init(struct said *said);
void said_release(struct said *said);
void said_take(struct said *said, const char *bytes, size_t size);
/* There is no more: what is left is a line. */
void said_end(struct said *said);
void said_add(struct said *said, const char *sentence);
void said_add_contained(struct said *said, const char *sentence);

#endif
