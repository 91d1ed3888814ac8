#include "web/said.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/printable.h"
#include "web/contained.h"

#define PREFIX "cyclestack: "

void said_init(struct said *said)
{
	*said = (struct said){.share = -1};
}

void said_release(struct said *said)
{
	for (size_t i = 0; i < said->count; i++)
		free(said->items[i].text);
	free(said->items);
	said_init(said);
}

static void add(struct said *said, const char *sentence, bool is_contained)
{
	char text[SAID_LINE_BYTES];

	if (said->count == SAID_MOST) {
		said->left_out++;
		return;
	}
	printable_copy(text, sizeof(text) - 1, (const uint8_t *)sentence, strlen(sentence));
	*ARRAY_PUSH(said->items, said->count, said->capacity) =
		(struct said_sentence){mem_strdup(text), is_contained};
}

void said_add(struct said *said, const char *sentence)
{
	add(said, sentence, false);
}

void said_add_contained(struct said *said, const char *sentence)
{
	add(said, sentence, true);
}

/* "12.3 M instructions, 23 %, ..." or "3 of 10 simulations, 30 %, ...". */
static bool take_progress(struct said *said, const char *text)
{
	double number;
	unsigned long done, all;
	int used = 0;
	const char *percent = strstr(text, " %");

	if (sscanf(text, "%lf M instructions%n", &number, &used) != 1 || !used) {
		used = 0;
		if (sscanf(text, "%lu of %lu %n", &done, &all, &used) != 2 || !used)
			return false;
	}
	snprintf(said->progress, sizeof(said->progress), "%s", text);
	said->share = -1;
	if (percent) {
		const char *begin = percent;

		while (begin > text && begin[-1] >= '0' && begin[-1] <= '9')
			begin--;
		if (begin < percent)
			said->share = strtod(begin, NULL) / 100;
	}
	said->has_progress = true;
	return true;
}

static void take_line(struct said *said)
{
	char *text = said->line;

	said->line[said->used] = 0;
	said->used = 0;
	const bool is_ours = strncmp(text, PREFIX, strlen(PREFIX)) == 0;
	if (is_ours)
		text += strlen(PREFIX);
	if (!*text || (is_ours && take_progress(said, text)))
		return;
	char *hint = strstr(text, " (see: cyclestack ");
	if (hint)
		*hint = 0;
	if (is_ours &&
	    (strncmp(text, "stopped by --", 13) == 0 || strncmp(text, "interrupted ", 12) == 0))
		said->is_partial = strstr(text, "the result is partial") != NULL;
	char *contained = is_ours ? contained_sentence(text) : NULL;
	add(said, contained ? contained : text, contained);
	free(contained);
}

void said_take(struct said *said, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] == '\n')
			take_line(said);
		else if (said->used + 1 < sizeof(said->line))
			said->line[said->used++] = bytes[i] ? bytes[i] : '?';
	}
}

void said_end(struct said *said)
{
	if (said->used)
		take_line(said);
}
