/*
 * answer.h - what a request is answered with: a status and bytes, a file, what a task will have
 * written, or the events of a run. HTTP is not known here; http.c sends it.
 */
#ifndef WEB_ANSWER_H
#define WEB_ANSWER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct task;

/* What a browser may do with it. */
enum answer_policy {
	ANSWER_PAGE,   /* a page of the server's: its own script, style and requests */
	ANSWER_RESULT, /* the page of a result: its policy is in it, and it is in a sandbox */
	ANSWER_DATA,   /* nothing */
};

struct answer {
	unsigned status; /* 0: none yet */
	enum answer_policy policy;
	const char *type;
	char *text; /* owned, unless is_static */
	size_t bytes;
	bool is_static;
	int fd;		     /* a file, in place of text; negative: none; owned */
	char name[96];	     /* under which a browser may save it; "": none */
	char cookie[512];    /* Set-Cookie; "": none */
	char location[64];   /* "": none */
	unsigned allowed;    /* methods, of a 405 */
	struct task *task;   /* what it will be; NULL: none */
	uint64_t watches;    /* the run whose events it is; 0: none */
	uint64_t from_event; /* the first of them */
};

void answer_init(struct answer *answer);
void answer_release(struct answer *answer);

/* Takes the JSON. */
void answer_json(struct answer *answer, unsigned status, json_t *json);
/* {"error": SENTENCE}, made printable. */
void answer_error(struct answer *answer, unsigned status, const char *sentence);
void answer_static(struct answer *answer, const char *type, const char *text, size_t bytes);
void answer_file(struct answer *answer, const char *type, int fd);

#endif
