#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t edits(const char *a, size_t bytes_a, const char *b, size_t bytes_b)
{
	/* Three rows are enough: a swap reads two rows back. */
	size_t rows[3][NEAREST_FAR];

	for (size_t j = 0; j <= bytes_b; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= bytes_a; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3];

		row[0] = i;
		for (size_t j = 1; j <= bytes_b; j++) {
			row[j] = least(least(above[j], row[j - 1]) + 1,
				       above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], rows[(i + 1) % 3][j - 2] + 1);
		}
	}
	return rows[bytes_a % 3][bytes_b];
}

size_t nearest_distance(const char *given, const char *known)
{
	size_t bytes_given = strlen(given), bytes_known = strlen(known);

	if (bytes_given >= NEAREST_FAR || bytes_known >= NEAREST_FAR)
		return NEAREST_FAR;
	if (bytes_given && bytes_given < bytes_known && memcmp(given, known, bytes_given) == 0)
		return 1;
	return edits(given, bytes_given, known, bytes_known);
}

void nearest_consider(struct nearest *nearest, const char *given, const char *known)
{
	nearest_consider_edits(nearest, given, known, nearest_distance(given, known));
}

void nearest_consider_edits(struct nearest *nearest, const char *given, const char *known,
			    size_t edits)
{
	const size_t below = nearest->word ? nearest->edits : NEAREST_EDITS + 1;

	if (edits >= below || edits >= strlen(given))
		return;
	nearest->word = known;
	nearest->edits = edits;
}

struct nearest_question nearest_ask(const struct nearest *nearest, const char *before,
				    const char *after)
{
	struct nearest_question question = {""};

	if (nearest->word)
		snprintf(question.text, sizeof(question.text), "%s%s%s", before, nearest->word,
			 after);
	return question;
}
