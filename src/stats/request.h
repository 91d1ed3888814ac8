/*
 * request.h - what a run of the statistics module is asked for, as texts: pairs SIGNAL@WHERE,
 * derived values, the timer, and changes while the program runs.
 *
 * Texts become settings where the program's file may be read, in the jailed worker; so a request is
 * what command lines, configuration packets and logs have in common. A log is text: the line
 * "cyclestack-stat-log-1", then for every epoch a line of its first cycle, its period and its
 * pairs, separated by blanks.
 *
 * A mailbox is memory that the worker and its parent share, by which the parent hands over changes
 * that arrive while the program runs. Either side may find anything in it: what is read is copied
 * and checked.
 */
#ifndef STATS_REQUEST_H
#define STATS_REQUEST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define STATS_CHANGES_MOST 65536
#define STATS_TEXT_BYTES   60000 /* of all pairs of a change */
#define STATS_LOG_HEADING  "cyclestack-stat-log-1"

struct stats_wish {
	uint64_t at; /* the cycle at which it takes effect; 0: the end of the interval */
	uint32_t period_cycles;
	char **pairs;
	size_t pair_count, pair_capacity;
};

void stats_wish_add(struct stats_wish *wish, const char *pair);
void stats_wish_release(struct stats_wish *wish);

struct stats_mailbox {
	_Atomic uint32_t posted; /* changes posted; set by the parent */
	_Atomic uint32_t taken;	 /* changes taken; set by the worker */
	uint64_t at;
	uint32_t period_cycles;
	char pairs[STATS_TEXT_BYTES]; /* separated by blanks */
};

/* Shared with processes that are forked from now on; NULL with a sentence. */
struct stats_mailbox *stats_mailbox_create(struct err *err);
void stats_mailbox_destroy(struct stats_mailbox *mailbox); /* NULL is allowed */
/* False if the change before has not been taken yet. */
bool stats_mailbox_post(struct stats_mailbox *mailbox, const struct stats_wish *wish);
/* Whether there was a change; *wish is then the caller's. */
bool stats_mailbox_take(struct stats_mailbox *mailbox, struct stats_wish *wish);

/* A derived value, and where it is wanted: a place or a pattern over places; NULL: wherever
 * something is counted. */
struct stats_formula {
	char *text, *where;
};

struct stats_request {
	struct stats_wish first;
	bool first_is_foreign;	    /* it came from somebody else: what it may cost is bounded */
	struct stats_wish *changes; /* of a log, in order of cycles */
	size_t change_count, change_capacity;
	struct stats_formula *formulas;
	size_t formula_count, formula_capacity;
	unsigned width_bits;
	size_t counters_most, ranges_most;
	const char *map; /* the bytes of a linker map; NULL: none */
	size_t map_bytes;
	struct stats_mailbox *mailbox; /* NULL: none */
	bool is_watched;	       /* the worker sends every interval */
	/* The module as a circuit has at least so many counters and ranges. */
	size_t circuit_counters, circuit_ranges;
};

void stats_request_release(struct stats_request *request);
void stats_request_add_formula(struct stats_request *request, const char *text, const char *where);

/* A line of a group: a signal, or a formula. False with a sentence that names the line. */
bool stats_request_add_group(struct stats_request *request, const char *name, const char *where,
			     const char *text, size_t bytes, struct err *err);

/* Replaces the first wish and the changes by those of a log. False with a sentence. */
bool stats_request_read_log(struct stats_request *request, const char *text, size_t bytes,
			    struct err *err);

#endif
