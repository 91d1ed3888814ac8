#include "web/contained.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* A sentence that has `mark`, and what stands in it between two texts: %s of the new sentence. */
static const struct {
	const char *mark, *from, *to, *text;
} rows[] = {
	{", which no --mount covers:", "asked for \"", "\", which no --mount",
	 "The program tried to open \"%s\", which was not given to it: it was told that there is no "
	 "such file. It sees its own files alone, and nothing of the host's."},
	{"which is mounted to be read alone:", "tried to write \"", "\", which is mounted",
	 "The program tried to write \"%s\": it was told that nothing can be written there. Nothing "
	 "of it reaches a disk but what it prints, up to a limit."},
	{"asked for a network", "a network (", ")",
	 "The program tried to reach a network (%s): it was told that there is none, and nothing was "
	 "sent."},
	{"asked for a second process", "", " at ",
	 "The program tried to start another process (%s): it was told that it cannot, and there is "
	 "none."},
	{"asked to become another one", "", " at ",
	 "The program tried to become another program (%s): it was told that it cannot, and went "
	 "on."},
	{"bytes that --memory allows and writes to more", "has filled the ", " bytes",
	 "The program tried to fill more memory than the %s bytes that it may: it was killed."},
	{"that --memory allows are in use", " of the ", " that --memory",
	 "The program asked for more memory than the %s bytes that it may fill: it was told that there "
	 "is no more."},
	{"stopped by --timeout", " after ", " instructions",
	 "The program went on for longer than it may: it was stopped when its time was over, after %s "
	 "instructions."},
	{"stopped by --max-insns", " after ", " instructions",
	 "The program went on beyond the instructions that it may execute: it was stopped after %s "
	 "instructions."},
};

char *contained_sentence(const char *said)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		const char *from = strstr(said, rows[i].mark) ? strstr(said, rows[i].from) : NULL;
		const char *part = from ? from + strlen(rows[i].from) : NULL;
		const char *to = part ? strstr(part, rows[i].to) : NULL;

		if (!to)
			continue;
		char *name = mem_strndup(part, (size_t)(to - part));
		const char *hole = strstr(rows[i].text, "%s");
		char *text = mem_format("%.*s%s%s", (int)(hole - rows[i].text), rows[i].text, name,
					hole + 2);
		free(name);
		return text;
	}
	return NULL;
}
