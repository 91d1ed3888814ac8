/*
 * pairs.h - what the user wants counted, SIGNAL@WHERE, and the settings of the module that count
 * it; SIGNAL@WHERE%THREAD in one thread.
 *
 * SIGNAL is a name or a pattern over names. WHERE is nothing (all code), 0xLOW-0xHIGH (inclusive),
 * a function, FILE:LINE, or a pattern over functions; a pattern gives a pair for each name that it
 * matches. A function is named by any of its spellings (names.h) that no other function has;
 * results have the one that is shown. Functions come from the program's symbols or, if there is
 * one, from a linker map, lines from its DWARF. Code in several pieces takes a range and a counter
 * for each, which are added up; equal ranges are one.
 *
 * THREAD is the number that the program's gettid has in that thread; WHERE%THREAD without WHERE is
 * all of its code. It is a part of the pair's place: "%1001", "main%1001".
 *
 * There are at most STATS_COUNTERS_MOST pairs, since each takes a counter; adding them costs time
 * in proportion to their number. Code that takes texts from others bounds what looking names up may
 * cost, too: see `looks_most`.
 *
 * Aliases of a function are one place. A line of a file that was compiled in several directories is
 * all of them; FILE matches the end of a path after a slash.
 */
#ifndef STATS_PAIRS_H
#define STATS_PAIRS_H

#include "base/index.h"
#include "image/lines.h"
#include "image/names.h"
#include "image/symbols.h"
#include "stats/map.h"
#include "stats/module.h"

#define STATS_PAIR_BYTES 1024

/* Where things are in the program; each may be NULL. */
struct stats_places {
	const struct symbols *symbols;
	const struct lines *lines;
	const struct stats_map *map;
	uint64_t bias;	/* added to every address of the file */
	bool raw_names; /* of a linker map: functions are named as in the file */
};

struct stats_pair {
	const struct signal_row *signal;
	char *where;	 /* "" for all code; with the thread */
	uint32_t thread; /* 0: every thread */
	struct stats_range *pieces;
	size_t piece_count, piece_capacity; /* 0 pieces: all code */
	size_t first_counter;		    /* it has as many as pieces, at least one */
	size_t first_there;		    /* the first pair at the same place */
};

struct stats_pairs {
	struct stats_pair *items;
	size_t count, capacity;
	struct index by_name, by_place;
	/* Comparisons of names so far, and how many may be made; 0: any number. */
	uint64_t looks, looks_most;
	/* The settings' arrays; set by stats_pairs_settle. */
	struct stats_range *ranges;
	struct stats_selection *counters;
};

/* Adds the pairs of one SIGNAL@WHERE that are not there already. False with a sentence. */
bool stats_pairs_add(struct stats_pairs *pairs, const char *text, const struct stats_places *places,
		     struct err *err);
/* Adds a signal at the places of an existing pair, unless it is there. */
void stats_pairs_add_signal(struct stats_pairs *pairs, const struct signal_row *signal, size_t at);
/* The pair of that signal at that place; NULL if there is none. */
const struct stats_pair *stats_pairs_find(const struct stats_pairs *pairs,
					  const struct signal_row *signal, const char *where);
/* Selects ranges and counters; *settings then refers to `pairs`. False with a sentence that says
 * how many are needed if there are more than `counters_most` or `ranges_most`. */
bool stats_pairs_settle(struct stats_pairs *pairs, size_t counters_most, size_t ranges_most,
			struct stats_settings *settings, struct err *err);
void stats_pairs_release(struct stats_pairs *pairs);

/* The sum of a pair's counters. */
uint64_t stats_pair_sum(const struct stats_pair *pair, const uint64_t *values, uint64_t most,
			bool *is_saturated);

#endif
