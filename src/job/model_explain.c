#include "job/model_explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define WINDOWS_SHOWN 10
#define LINES_SHOWN   20
#define CHAIN_SHOWN   16

/* What the misses of one instruction add up to. */
struct line_share {
	uint64_t pc;
	uint64_t serialized; /* misses of longest chains */
	uint64_t misses;     /* of windows, hidden ones too */
};

struct explainer {
	const struct skeleton *skeleton;
	const struct trace_places *places;
	struct line_share *lines; /* open addressing by pc; pc is plus 1 */
	size_t line_mask, line_count;
	struct model_window longest[WINDOWS_SHOWN];
	size_t window_count;
};

static struct line_share *line_of(struct explainer *e, uint64_t pc)
{
	size_t at = (size_t)((pc * UINT64_C(0x9e3779b97f4a7c15)) >> 32);

	for (;; at++) {
		struct line_share *line = &e->lines[at & e->line_mask];

		if (line->pc == pc + 1)
			return line;
		if (line->pc)
			continue;
		line->pc = pc + 1;
		e->line_count++;
		return line;
	}
}

static void grow_lines(struct explainer *e)
{
	struct line_share *old = e->lines;
	size_t old_mask = e->line_mask;

	if (e->line_count * 2 < e->line_mask)
		return;
	e->line_mask = 2 * old_mask + 1;
	e->line_count = 0;
	e->lines = mem_alloc_array(e->line_mask + 1, sizeof(*e->lines));
	for (size_t i = 0; i <= old_mask; i++)
		if (old[i].pc)
			*line_of(e, old[i].pc - 1) = old[i];
	free(old);
}

/* The miss of the skeleton at that sequence number. */
static const struct skeleton_miss *miss_at(const struct skeleton *s, uint64_t sequence)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->misses[middle].sequence < sequence)
			low = middle + 1;
		else
			high = middle;
	}
	return low < s->count && s->misses[low].sequence == sequence ? &s->misses[low] : NULL;
}

/* The k-th miss before the end of the window's longest chain: where the latest chain of k + 1
 * misses begins. */
static const struct skeleton_miss *chain_miss(const struct skeleton *s,
					      const struct model_window *window, uint32_t k)
{
	const struct skeleton_miss *last = &s->misses[window->last_of_chain];

	return miss_at(s, last->sequence - s->distances[last->first + k]);
}

static void keep_longest(struct explainer *e, const struct model_window *window)
{
	size_t at = e->window_count;

	while (at && e->longest[at - 1].chain < window->chain)
		at--;
	if (at == WINDOWS_SHOWN)
		return;
	if (e->window_count < WINDOWS_SHOWN)
		e->window_count++;
	memmove(&e->longest[at + 1], &e->longest[at],
		(e->window_count - 1 - at) * sizeof(e->longest[0]));
	e->longest[at] = *window;
}

static void visit(void *context, const struct model_window *window)
{
	struct explainer *e = context;

	keep_longest(e, window);
	for (size_t i = window->first; i < window->first + window->count; i++) {
		line_of(e, e->skeleton->misses[i].pc)->misses++;
		grow_lines(e);
	}
	for (uint32_t k = 0; k < window->chain; k++) {
		const struct skeleton_miss *miss = chain_miss(e->skeleton, window, k);

		line_of(e, miss ? miss->pc : e->skeleton->misses[window->last_of_chain].pc)
			->serialized++;
		grow_lines(e);
	}
}

static json_t *place_json(const struct trace_places *places, uint64_t pc)
{
	struct trace_place place = trace_places_find(places, pc);
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)pc);
	return json_pack("{s:s, s:s, s:s, s:I}", "pc", text, "function", place.function, "file",
			 place.file, "line", (json_int_t)place.line);
}

static json_t *window_json(const struct explainer *e, const struct model_window *window)
{
	static const char *const ends[] = {"window full", "MSHRs taken", "end of the trace"};
	json_t *chain = json_array();

	/* From the first miss to the last. */
	for (uint32_t k = window->chain; k-- > 0;) {
		const struct skeleton_miss *miss = chain_miss(e->skeleton, window, k);

		if (!miss || k >= CHAIN_SHOWN)
			continue;
		json_t *row = place_json(e->places, miss->pc);
		json_object_set_new(row, "instruction", json_integer((json_int_t)miss->sequence));
		json_array_append_new(chain, row);
	}
	return json_pack("{s:I, s:I, s:I, s:I, s:s, s:o}", "from", (json_int_t)window->start, "to",
			 (json_int_t)window->end, "misses", (json_int_t)window->misses,
			 "serialized_misses", (json_int_t)window->chain, "ended_by",
			 ends[window->ended], "chain", chain);
}

static int by_share(const void *left, const void *right)
{
	const struct line_share *a = left, *b = right;

	if (a->serialized != b->serialized)
		return a->serialized > b->serialized ? -1 : 1;
	return a->pc < b->pc ? -1 : a->pc > b->pc;
}

json_t *model_explain(const struct model *model, size_t point, size_t technique,
		      const struct trace_places *places)
{
	struct explainer e = {
		.skeleton = model_skeleton(model, point, technique),
		.places = places,
		.line_mask = 255,
		.lines = mem_alloc_array(256, sizeof(struct line_share)),
	};
	struct model_components components;
	struct technique_result result;
	json_t *windows = json_array(), *lines = json_array();

	model_evaluate(model, point, technique, &components, &result, visit, &e);
	for (size_t i = 0; i < e.window_count; i++)
		json_array_append_new(windows, window_json(&e, &e.longest[i]));
	qsort(e.lines, e.line_mask + 1, sizeof(*e.lines), by_share);
	for (size_t i = 0; i <= e.line_mask && i < LINES_SHOWN && e.lines[i].pc; i++) {
		json_t *row = place_json(places, e.lines[i].pc - 1);

		json_object_set_new(row, "serialized_misses",
				    json_integer((json_int_t)e.lines[i].serialized));
		json_object_set_new(row, "misses", json_integer((json_int_t)e.lines[i].misses));
		json_object_set_new(row, "share",
				    json_real(result.serialized ? (double)e.lines[i].serialized /
									  (double)result.serialized
								: 0));
		json_array_append_new(lines, row);
	}
	free(e.lines);
	return json_pack("{s:o, s:o}", "lines", lines, "windows", windows);
}
