#include "job/causal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "count/ledger.h"

bool causal_name_read(struct causal_name *name, const char *text, struct err *err)
{
	const char *colon = strrchr(text, ':');
	uint64_t line = 0;

	*name = (struct causal_name){.text = text};
	/* The name of a function has no colon in it, or two that are neighbours. */
	if (!colon || (colon > text && colon[-1] == ':'))
		return true;
	name->is_line = true;
	name->file_bytes = (size_t)(colon - text);
	for (const char *digit = colon + 1; isdigit((unsigned char)*digit) && line <= UINT32_MAX;)
		line = line * 10 + (uint64_t)(*digit++ - '0');
	if (!name->file_bytes || colon[1 + strspn(colon + 1, "0123456789")] || !line ||
	    line > UINT32_MAX)
		return err_set(err,
			       "--causal: \"%s\" is neither a number of lines nor FILE:LINE nor a "
			       "function",
			       text);
	name->line = (uint32_t)line;
	return true;
}

bool causal_name_is_file(const struct causal_name *name, const char *file)
{
	const size_t bytes = strlen(file);

	if (bytes < name->file_bytes)
		return false;
	const char *end = file + bytes - name->file_bytes;

	return memcmp(end, name->text, name->file_bytes) == 0 && (end == file || end[-1] == '/');
}

static uint64_t slots_of(const struct origin *origin)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		sum += origin->row->slots[i];
	return sum;
}

static int compare_addresses(const void *left, const void *right)
{
	const struct origin *a = left, *b = right;

	return (a->row->pc > b->row->pc) - (a->row->pc < b->row->pc);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Orders by place: a line of a file, or a function. */
static int compare_places(const struct origin *a, const struct origin *b)
{
	int order = compare_numbers(!a->line, !b->line);

	if (!order && a->line) {
		order = strcmp(a->file, b->file);
		order = order ? order : strcmp(a->directory, b->directory);
		return order ? order : compare_numbers(a->line, b->line);
	}
	order = order ? order : compare_numbers(a->entry, b->entry);
	return order ? order : strcmp(a->function, b->function);
}

static int compare_for_groups(const void *left, const void *right)
{
	const struct origin *a = *(const struct origin *const *)left;
	const struct origin *b = *(const struct origin *const *)right;
	const int order = compare_places(a, b);

	return order ? order : compare_numbers(a->row->pc, b->row->pc);
}

static bool is_named(const struct causal_name *name, const struct origin *origin)
{
	if (name->is_line)
		return origin->line == name->line && causal_name_is_file(name, origin->file);
	if (name->symbol)
		return origin->symbol == name->symbol;
	if (!origin->library)
		return strcmp(origin->function, name->text) == 0;
	const size_t bytes = strlen(origin->function);

	return strncmp(origin->function, name->text, bytes) == 0 &&
	       (!name->text[bytes] ||
		(name->text[bytes] == '@' && strcmp(name->text + bytes + 1, origin->library) == 0));
}

/* A range of a place, while the hottest are chosen. */
struct piece {
	struct ideal_range range;
	uint64_t slots;
};

static int compare_hottest(const void *left, const void *right)
{
	const struct piece *a = left, *b = right;

	return a->slots != b->slots ? (a->slots < b->slots ? 1 : -1)
				    : compare_numbers(a->range.first, b->range.first);
}

static int compare_firsts(const void *left, const void *right)
{
	const struct piece *a = left, *b = right;

	return compare_numbers(a->range.first, b->range.first);
}

/* Whether an instruction belongs to a place: to the one named, or to the one of the origin. */
static bool belongs(const struct causal_place *place, const struct origin *origin)
{
	return place->name ? is_named(place->name, origin)
			   : compare_places(place->origin, origin) == 0;
}

/* Instructions that follow each other among those that had slots are one range. */
static void fill_place(struct causal_place *place, const struct origin *origins, size_t count,
		       size_t most)
{
	struct piece *pieces = NULL;
	size_t piece_count = 0, capacity = 0;
	uint64_t hottest = 0;
	bool goes_on = false;

	for (size_t i = 0; i < count; i++) {
		const uint64_t slots = slots_of(&origins[i]), pc = origins[i].row->pc;

		if (!belongs(place, &origins[i])) {
			goes_on = false;
			continue;
		}
		if (!goes_on)
			*ARRAY_PUSH(pieces, piece_count, capacity) =
				(struct piece){.range = {.first = pc}};
		pieces[piece_count - 1].range.last = pc;
		pieces[piece_count - 1].slots += slots;
		place->slots += slots;
		place->executed += origins[i].row->executed;
		if (!place->origin || (place->name && slots > hottest))
			place->origin = &origins[i];
		hottest = slots > hottest ? slots : hottest;
		goes_on = true;
	}
	if (piece_count)
		qsort(pieces, piece_count, sizeof(*pieces), compare_hottest);
	piece_count = piece_count < most ? piece_count : most;
	if (piece_count)
		qsort(pieces, piece_count, sizeof(*pieces), compare_firsts);
	for (size_t i = 0; i < piece_count; i++) {
		struct ideal_range *range = &place->at.ranges[place->at.count++];

		range->first = pieces[i].range.first;
		range->last = pieces[i].range.last;
		place->covered += pieces[i].slots;
	}
	free(pieces);
}

struct group {
	const struct origin *hottest;
	uint64_t slots, most, executed;
};

static int compare_groups(const void *left, const void *right)
{
	const struct group *a = left, *b = right;

	return a->slots != b->slots ? (a->slots < b->slots ? 1 : -1)
				    : compare_places(a->hottest, b->hottest);
}

/* All places, the hottest first. The caller frees them. */
static struct group *find_groups(const struct origin *origins, size_t count, size_t *group_count)
{
	const struct origin **sorted = mem_alloc_array(count, sizeof(struct origin *));
	struct group *groups = NULL;
	size_t capacity = 0;

	*group_count = 0;
	for (size_t i = 0; i < count; i++)
		sorted[i] = &origins[i];
	if (count)
		qsort(sorted, count, sizeof(struct origin *), compare_for_groups);
	for (size_t i = 0; i < count; i++) {
		const uint64_t slots = slots_of(sorted[i]);

		if (!i || compare_places(sorted[i - 1], sorted[i]) != 0)
			*ARRAY_PUSH(groups, *group_count, capacity) = (struct group){0};
		struct group *group = &groups[*group_count - 1];
		if (!group->hottest || slots > group->most) {
			group->hottest = sorted[i];
			group->most = slots;
		}
		group->slots += slots;
		group->executed += sorted[i]->row->executed;
	}
	if (*group_count)
		qsort(groups, *group_count, sizeof(*groups), compare_groups);
	free(sorted);
	return groups;
}

size_t causal_choose(struct origin *origins, size_t count, const struct causal_name *names,
		     size_t name_count, size_t hottest, size_t ranges, struct causal_place *places)
{
	size_t group_count, chosen = name_count;

	BUG_ON(ranges > IDEAL_AT_MOST);
	if (count)
		qsort(origins, count, sizeof(*origins), compare_addresses);
	struct group *groups = find_groups(origins, count, &group_count);

	for (size_t i = 0; i < name_count; i++)
		places[i] = (struct causal_place){.name = &names[i]};
	for (size_t i = 0; i < group_count && chosen < name_count + hottest; i++) {
		/* What has committed nothing is a wrong path, or no instruction at all. A line of a
		 * function that was named is a place of its own. */
		bool is_there = !groups[i].slots || !groups[i].executed;

		for (size_t k = 0; k < name_count; k++)
			is_there |= names[k].is_line == !!groups[i].hottest->line &&
				    is_named(&names[k], groups[i].hottest);
		if (!is_there)
			places[chosen++] = (struct causal_place){.origin = groups[i].hottest};
	}
	for (size_t i = 0; i < chosen; i++)
		fill_place(&places[i], origins, count, ranges);
	free(groups);
	return chosen;
}

void causal_machine(struct config *machine, const struct config *run,
		    const struct causal_place *place, unsigned percent)
{
	struct ideal_at *at = &machine->ideal_at;

	*machine = *run;
	BUG_ON(at->count + place->at.count > IDEAL_AT_MOST);
	for (uint64_t i = 0; i < place->at.count; i++) {
		struct ideal_range *range = &at->ranges[at->count++];

		range->first = place->at.ranges[i].first;
		range->last = place->at.ranges[i].last;
		range->events = IDEAL_AT_BIT(TIME) | IDEAL_AT_BIT(BRANCH);
		range->time_percent = range->branch_percent = (uint16_t)percent;
	}
}
