#include "stats/map.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define LINE_BYTES	   1024
#define NAME_BYTES	   512
#define FUNCTIONS_MOST	   (1u << 20)
#define NAME_FORMAT	   "%511s"
#define CODE_SECTION	   ".text"
#define CODE_SECTION_BYTES (sizeof(CODE_SECTION) - 1)

/* The input section that the lines are about. */
struct section {
	char name[NAME_BYTES];
	uint64_t low, bytes; /* bytes 0: none */
	size_t first;	     /* its first function */
};

static bool is_code(const char *name)
{
	return strncmp(name, CODE_SECTION, CODE_SECTION_BYTES) == 0 &&
	       (!name[CODE_SECTION_BYTES] || name[CODE_SECTION_BYTES] == '.');
}

static void add_function(struct stats_map *map, const char *name, uint64_t low)
{
	if (map->count < FUNCTIONS_MOST)
		*ARRAY_PUSH(map->functions, map->count, map->capacity) =
			(struct stats_map_function){mem_strdup(name), low, low};
}

static int compare_lows(const void *left, const void *right)
{
	const struct stats_map_function *a = left, *b = right;

	return a->low < b->low ? -1 : a->low > b->low;
}

/* Each function ends before the next higher one, the last with the section. */
static void end_section(struct stats_map *map, struct section *section)
{
	const char *suffix = section->name + CODE_SECTION_BYTES;
	size_t count = map->count - section->first;
	uint64_t high = section->low + section->bytes - 1;

	if (section->bytes && !count && *suffix == '.' && suffix[1])
		add_function(map, suffix + 1, section->low);
	count = map->count - section->first;
	if (!section->bytes || !count)
		return;
	qsort(map->functions + section->first, count, sizeof(*map->functions), compare_lows);
	for (size_t i = map->count; i-- > section->first;) {
		map->functions[i].high = high;
		if (i > section->first && map->functions[i - 1].low < map->functions[i].low)
			high = map->functions[i].low - 1;
	}
	section->bytes = 0;
}

static void begin_section(struct stats_map *map, struct section *section, uint64_t low,
			  uint64_t bytes)
{
	bool is_used = bytes && low && low + bytes > low && is_code(section->name);

	section->low = low;
	section->bytes = is_used ? bytes : 0;
	section->first = map->count;
}

static void read_line(struct stats_map *map, struct section *section, const char *line)
{
	unsigned long long low, bytes;
	char name[NAME_BYTES];
	char rest[2];

	if (line[0] == ' ' && line[1] == '.') {
		int found = sscanf(line, " " NAME_FORMAT " 0x%llx 0x%llx", name, &low, &bytes);

		end_section(map, section);
		snprintf(section->name, sizeof(section->name), "%s", name);
		begin_section(map, section, low, found == 3 ? bytes : 0);
		return;
	}
	/* A long name has the rest of its line on the next one. */
	if (!section->bytes && section->name[0] &&
	    sscanf(line, " 0x%llx 0x%llx", &low, &bytes) == 2) {
		begin_section(map, section, low, bytes);
		return;
	}
	if (section->bytes && line[0] == ' ' &&
	    sscanf(line, " 0x%llx " NAME_FORMAT " %1s", &low, name, rest) == 2 &&
	    low - section->low < section->bytes && strncmp(name, "0x", 2) != 0)
		add_function(map, name, low);
}

bool stats_map_read(struct stats_map *map, const char *text, size_t bytes, struct err *err)
{
	struct section section = {.name = ""};

	*map = (struct stats_map){0};
	for (size_t at = 0; at < bytes;) {
		const char *end = memchr(text + at, '\n', bytes - at);
		size_t length = end ? (size_t)(end - text) - at : bytes - at;
		char line[LINE_BYTES] = "";

		if (length < sizeof(line) && !memchr(text + at, 0, length)) {
			memcpy(line, text + at, length);
			line[length] = 0;
			read_line(map, &section, line);
		}
		at += length + 1;
	}
	end_section(map, &section);
	return map->count ||
	       err_set(err, "the map names no function in a section .text: it is not one that GNU "
			    "ld wrote with -Map");
}

void stats_map_release(struct stats_map *map)
{
	for (size_t i = 0; i < map->count; i++)
		free(map->functions[i].name);
	free(map->functions);
	*map = (struct stats_map){0};
}
