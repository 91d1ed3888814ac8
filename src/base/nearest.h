/*
 * nearest.h - edit distance between two words, for suggestions: insertions,
 * removals, replacements and swaps of neighbours. A word that only lacks its end
 * counts as one edit, since shortened names are the commonest mistake. Bytes are
 * compared as they are; words longer than 63 bytes are never near.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

#define NEAREST_FAR 64

size_t nearest_distance(const char *given, const char *known);

/* The nearest of several words: starts with a limit, and keeps the first of the words with the
 * smallest distance below it. */
struct nearest {
	size_t below;
	const char *word; /* NULL: none is near */
};

void nearest_consider(struct nearest *nearest, const char *given, const char *known);

#endif
