/*
 * run.h - one run of the queue: its order, where it stands, and its directory.
 *
 * A run is a directory runs/ID with order.json, state.json, the files it needs (links to uploads)
 * and, in the end, result.json, result.html, output and errors. state.json is replaced whole
 * whenever the state changes; what a killed server leaves is read again, and a run that was under
 * way then is marked as interrupted.
 */
#ifndef WEB_RUN_H
#define WEB_RUN_H

#include <jansson.h>

#include "web/child.h"
#include "web/events.h"
#include "web/live.h"
#include "web/said.h"

#define RUN_STATES(STATE)                                                                       \
	STATE(QUEUED, "queued", "waits for its turn")                                           \
	STATE(RUNNING, "running", "is simulated")                                               \
	STATE(DONE, "done", "has its result")                                                   \
	STATE(PARTIAL, "partial", "was stopped, and has the result of what had been simulated") \
	STATE(FAILED, "failed", "has no result; `said` has the reason")                         \
	STATE(STOPPED, "stopped", "was stopped before it had a result")                         \
	STATE(INTERRUPTED, "interrupted",                                                       \
	      "the server ended while it was simulated; it has no result")

enum run_state {
#define STATE(id, name, meaning) RUN_##id,
	RUN_STATES(STATE)
#undef STATE
		RUN_STATE_COUNT
};

/* What a pipe says, kept in a file up to a limit. */
struct run_capture {
	int fd; /* negative: not open */
	uint64_t bytes;
	bool is_cut;
};

struct run {
	uint64_t id;
	enum run_state state;
	json_t *order;
	double created, started, ended; /* seconds since 1970; 0: not yet */
	int status;			/* of the command; -1: none */
	struct said said;
	size_t said_told; /* sentences that watchers have */
	uint64_t bytes;	  /* of its directory */
	uint64_t packets, packets_lost;
	/* While it runs: */
	struct child child;
	struct live *live;
	struct run_capture captures[2]; /* output and errors */
	uint64_t memory;
	bool is_stopping;
	double stop_asked; /* 0: nobody has */
	double kill_at;
	/* Kept for a while after it has ended. */
	struct events events;
};

const char *run_state_name(enum run_state state);
bool run_is_over(const struct run *run);

struct run *run_create(uint64_t id, json_t *order);
void run_destroy(struct run *run);
/* From its directory. NULL if it is none, or not complete. */
struct run *run_load(int runs, const char *name);
/* False with a sentence. */
bool run_save(const struct run *run, int runs, struct err *err);
/* Its directory, with a file for the order, and links to what it needs of the uploads. */
bool run_save_order(const struct run *run, int runs, int uploads, struct err *err);
/* The name of its directory. */
void run_directory(const struct run *run, char name[32]);

/* As the API has it: all of it, or what a list has. */
json_t *run_json(const struct run *run, bool is_whole);

#endif
