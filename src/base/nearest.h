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

/* A word that needs more edits is not suggested, nor one for which all letters change: a wrong
 * suggestion is worse than none. */
#define NEAREST_EDITS 2

/* The nearest of several words, the first of those with the fewest edits; starts as {0}. */
struct nearest {
	const char *word; /* NULL: none is near */
	size_t edits;	  /* if there is a word */
};

void nearest_consider(struct nearest *nearest, const char *given, const char *known);
/* Considers a word whose number of edits is known. */
void nearest_consider_edits(struct nearest *nearest, const char *given, const char *known,
			    size_t edits);

/* "BEFORE word AFTER" without blanks between them; empty if none is near. */
struct nearest_question {
	char text[128];
};

struct nearest_question nearest_ask(const struct nearest *nearest, const char *before,
				    const char *after);

#endif
