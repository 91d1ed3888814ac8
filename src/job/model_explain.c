#include "job/model_explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define KINDS_SHOWN	10
#define FUNCTIONS_SHOWN 10
#define LINES_SHOWN	20
#define CHAIN_SHOWN	16 /* rows */

/* Through what a miss depends on the one before it in its chain: the last of these that there is.
 */
enum dependence { ON_NOTHING, ON_REGISTERS, ON_MEMORY, ON_PENDING_HIT, ON_STORE_ADDRESS, ON_KINDS };

static const char *const dependence_names[ON_KINDS] = {"nothing", "registers", "memory",
						       "pending hit", "store address"};
static const char *const end_names[WINDOW_ENDS] = {"window full", "MSHRs taken",
						   "end of the trace"};

/* What the misses of one instruction, line or function add up to. */
struct share {
	struct trace_place place;
	uint64_t pc;
	double cycles;
	uint64_t misses;	       /* in windows, hidden ones too */
	uint64_t serialized[ON_KINDS]; /* those on longest chains */
	size_t index;		       /* its place before the last sort */
};

/* Windows with the same chain. */
struct window_kind {
	struct model_window first;
	uint64_t hash;
	uint64_t windows; /* 0: the place is free */
	double cycles;
};

struct explainer {
	const struct model *model;
	size_t point, technique_number;
	const struct technique *technique;
	const struct trace_places *places;
	const struct skeleton *skeleton;
	struct technique_result result;
	double *cycles;	     /* of each miss */
	uint8_t *dependence; /* the same: enum dependence, or ON_KINDS if it is on no chain */
	bool *is_in_window;
	uint64_t window_misses;
	struct window_kind *kinds; /* open addressing */
	size_t kind_mask, kind_count;
	uint64_t ended_windows[WINDOW_ENDS], ended_serialized[WINDOW_ENDS];
	double ended_cycles[WINDOW_ENDS];
};

static void evaluate(struct explainer *e, const struct technique_observer *observer)
{
	struct model_components components;

	model_evaluate(e->model, e->point, e->technique_number, &components, &e->result, observer);
}

static enum dependence dependence_of(unsigned path)
{
	return path & MISS_PATH_STORE_ADDRESS ? ON_STORE_ADDRESS
	       : path & MISS_PATH_PENDING_HIT ? ON_PENDING_HIT
	       : path & MISS_PATH_MEMORY      ? ON_MEMORY
					      : ON_REGISTERS;
}

/* A place on a chain, from its last miss back to its first. */
struct walk {
	const struct skeleton *skeleton;
	const struct skeleton_miss *miss;
	uint32_t left; /* misses of the chain up to this one */
	enum dependence dependence;
	const struct skeleton_miss *previous;
};

/* Finds out how the miss depends on the one before it. */
static void look_back(struct walk *walk)
{
	unsigned path;

	walk->dependence = ON_NOTHING;
	walk->previous = NULL;
	if (walk->left < 2)
		return;
	walk->previous = skeleton_previous(walk->skeleton, walk->miss, walk->left, &path);
	walk->dependence = dependence_of(path);
}

static struct walk walk_begin(const struct skeleton *s, const struct model_window *window)
{
	struct walk walk = {
		.skeleton = s, .miss = &s->misses[window->last_of_chain], .left = window->chain};

	look_back(&walk);
	return walk;
}

/* False after the first miss of the chain. */
static bool walk_on(struct walk *walk)
{
	if (!walk->previous)
		return false;
	walk->miss = walk->previous;
	walk->left--;
	look_back(walk);
	return true;
}

/* ---- cycles of each miss ---- */

static void note_timeline_miss(void *context, size_t miss, double cycles)
{
	((struct explainer *)context)->cycles[miss] = cycles;
}

static void note_chain(void *context, const struct model_window *window)
{
	struct explainer *e = context;
	struct walk walk = walk_begin(e->skeleton, window);

	do
		e->dependence[walk.miss - e->skeleton->misses] = (uint8_t)walk.dependence;
	while (walk_on(&walk));
	for (size_t i = window->first; i < window->first + window->count; i++)
		e->is_in_window[i] = true;
	e->window_misses += window->count;
}

/* The cycles of windows, by what they were made from. */
static void share_cycles(struct explainer *e)
{
	const struct technique_result *r = &e->result;
	double by_chain = r->cycles + r->compensation_cycles, by_miss = 0;

	if (e->technique->compensation == COMPENSATION_DISTANCE)
		by_miss = -r->compensation_cycles;
	else
		by_chain -= r->compensation_cycles;
	for (size_t i = 0; i < e->skeleton->count; i++) {
		if (e->dependence[i] < ON_KINDS)
			e->cycles[i] += by_chain / (double)r->serialized;
		if (e->is_in_window[i])
			e->cycles[i] += by_miss / (double)e->window_misses;
	}
}

/* ---- kinds of windows ---- */

static struct window_kind *find_kind(struct explainer *e, uint64_t hash)
{
	for (uint64_t at = hash;; at++) {
		struct window_kind *kind = &e->kinds[at & e->kind_mask];

		if (!kind->windows || kind->hash == hash)
			return kind;
	}
}

static void grow_kinds(struct explainer *e)
{
	struct window_kind *old = e->kinds;
	size_t old_mask = e->kind_mask;

	if (e->kind_count * 2 < e->kind_mask)
		return;
	e->kind_mask = 2 * old_mask + 1;
	e->kinds = mem_alloc_array(e->kind_mask + 1, sizeof(*e->kinds));
	for (size_t i = 0; i <= old_mask; i++)
		if (old[i].windows)
			*find_kind(e, old[i].hash) = old[i];
	free(old);
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static void note_window(void *context, const struct model_window *window)
{
	struct explainer *e = context;
	struct walk walk = walk_begin(e->skeleton, window);
	uint64_t hash = mix(1, window->ended);
	double cycles = 0;

	do
		hash = mix(mix(hash, walk.miss->pc), walk.dependence);
	while (walk_on(&walk));
	for (size_t i = window->first; i < window->first + window->count; i++)
		cycles += e->cycles[i];
	e->ended_windows[window->ended]++;
	e->ended_serialized[window->ended] += window->chain;
	e->ended_cycles[window->ended] += cycles;
	struct window_kind *kind = find_kind(e, hash);
	if (!kind->windows) {
		*kind = (struct window_kind){.first = *window, .hash = hash};
		e->kind_count++;
	}
	kind->windows++;
	kind->cycles += cycles;
	grow_kinds(e);
}

static int by_kind_cycles(const void *left, const void *right)
{
	const struct window_kind *a = left, *b = right;

	if (!a->windows || !b->windows)
		return !a->windows - !b->windows;
	if (a->cycles != b->cycles)
		return a->cycles > b->cycles ? -1 : 1;
	return a->first.start < b->first.start ? -1 : a->first.start > b->first.start;
}

/* ---- as JSON ---- */

static double part_of(const struct explainer *e, double cycles)
{
	return e->result.cycles != 0 ? cycles / e->result.cycles : 0;
}

/* The misses of a chain from the first to the last; neighbours of one instruction that depend in
 * the same way are one row. */
static json_t *chain_json(const struct explainer *e, const struct model_window *window)
{
	json_t *chain = json_array(), *row = NULL;
	const struct skeleton_miss *last = NULL;
	struct walk walk = walk_begin(e->skeleton, window);
	enum dependence dependence = ON_KINDS;
	json_int_t times = 0;

	do {
		if (last && last->pc == walk.miss->pc && dependence == walk.dependence) {
			times++;
		} else {
			struct trace_place place = trace_places_find(e->places, walk.miss->pc);
			char pc[32];

			/* What is left out are the first ones. */
			if (json_array_size(chain) == CHAIN_SHOWN)
				break;
			snprintf(pc, sizeof(pc), "0x%llx", (unsigned long long)walk.miss->pc);
			row = json_pack("{s:s, s:s, s:s, s:I, s:s}", "pc", pc, "function",
					place.function, "file", place.file, "line",
					(json_int_t)place.line, "depends_on",
					dependence_names[walk.dependence]);
			json_array_insert_new(chain, 0, row);
			dependence = walk.dependence;
			times = 1;
		}
		last = walk.miss;
		json_object_set_new(row, "instruction", json_integer((json_int_t)last->sequence));
		json_object_set_new(row, "misses", json_integer(times));
	} while (walk_on(&walk));
	return chain;
}

static json_t *windows_json(struct explainer *e)
{
	json_t *windows = json_array();

	qsort(e->kinds, e->kind_mask + 1, sizeof(*e->kinds), by_kind_cycles);
	for (size_t i = 0; i < e->kind_count && i < KINDS_SHOWN; i++) {
		const struct window_kind *kind = &e->kinds[i];
		const struct model_window *first = &kind->first;

		json_array_append_new(
			windows,
			json_pack("{s:I, s:f, s:f, s:I, s:I, s:I, s:I, s:s, s:o}", "windows",
				  (json_int_t)kind->windows, "cycles", kind->cycles, "share",
				  part_of(e, kind->cycles), "from", (json_int_t)first->start, "to",
				  (json_int_t)first->end, "misses", (json_int_t)first->misses,
				  "serialized_misses", (json_int_t)first->chain, "ended_by",
				  end_names[first->ended], "chain", chain_json(e, first)));
	}
	return windows;
}

static json_t *ends_json(const struct explainer *e)
{
	json_t *ends = json_array();

	for (unsigned i = 0; i < WINDOW_ENDS; i++)
		if (e->ended_windows[i])
			json_array_append_new(ends, json_pack("{s:s, s:I, s:I, s:f, s:f}",
							      "ended_by", end_names[i], "windows",
							      (json_int_t)e->ended_windows[i],
							      "serialized_misses",
							      (json_int_t)e->ended_serialized[i],
							      "cycles", e->ended_cycles[i], "share",
							      part_of(e, e->ended_cycles[i])));
	return ends;
}

static int by_pc(const void *left, const void *right)
{
	const struct share *a = left, *b = right;

	return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static int by_function(const void *left, const void *right)
{
	const struct share *a = left, *b = right;

	return strcmp(a->place.function, b->place.function);
}

static int by_line(const void *left, const void *right)
{
	const struct share *a = left, *b = right;
	int order = by_function(a, b);

	if (!order)
		order = strcmp(a->place.file, b->place.file);
	if (order)
		return order;
	/* Instructions without a line are rows of their own. */
	if (!a->place.line && !b->place.line)
		return by_pc(a, b);
	return a->place.line < b->place.line ? -1 : a->place.line > b->place.line;
}

static int by_cycles(const void *left, const void *right)
{
	const struct share *a = left, *b = right;

	if (a->cycles != b->cycles)
		return a->cycles > b->cycles ? -1 : 1;
	return by_line(a, b);
}

/* Equal ones keep their order, whatever sort qsort takes: their sum has rounding. */
static int in_order(const void *left, const void *right, void *compare)
{
	const struct share *a = left, *b = right;
	int order = (*(int (**)(const void *, const void *))compare)(a, b);

	return order ? order : a->index < b->index ? -1 : 1;
}

/* Adds up those that `compare` finds equal; returns how many are left. */
static size_t group(struct share *shares, size_t count,
		    int (*compare)(const void *left, const void *right))
{
	size_t groups = 0;

	if (!count)
		return 0;
	for (size_t i = 0; i < count; i++)
		shares[i].index = i;
	qsort_r(shares, count, sizeof(*shares), in_order, &compare);
	for (size_t i = 0; i < count; i++) {
		struct share *into = groups ? &shares[groups - 1] : NULL;

		if (!into || compare(into, &shares[i]) != 0) {
			shares[groups++] = shares[i];
			continue;
		}
		into->cycles += shares[i].cycles;
		into->misses += shares[i].misses;
		for (unsigned k = 0; k < ON_KINDS; k++)
			into->serialized[k] += shares[i].serialized[k];
	}
	return groups;
}

static json_t *share_json(const struct explainer *e, const struct share *share, bool has_line)
{
	json_t *depends = json_object(), *row;
	uint64_t serialized = 0;

	for (unsigned k = 0; k < ON_KINDS; k++) {
		serialized += share->serialized[k];
		json_object_set_new(depends, dependence_names[k],
				    json_integer((json_int_t)share->serialized[k]));
	}
	row = json_pack("{s:s, s:f, s:f, s:I, s:I, s:o}", "function", share->place.function,
			"cycles", share->cycles, "share", part_of(e, share->cycles),
			"serialized_misses", (json_int_t)serialized, "misses",
			(json_int_t)share->misses, "depends_on", depends);
	if (has_line) {
		json_object_set_new(row, "file", json_string(share->place.file));
		json_object_set_new(row, "line", json_integer((json_int_t)share->place.line));
	}
	return row;
}

static json_t *top_json(const struct explainer *e, struct share *shares, size_t count, size_t most,
			bool has_line)
{
	json_t *rows = json_array();

	if (count)
		qsort(shares, count, sizeof(*shares), by_cycles);
	for (size_t i = 0; i < count && i < most; i++)
		json_array_append_new(rows, share_json(e, &shares[i], has_line));
	return rows;
}

/* A share for each instruction; misses are grouped now and then, since there are many. Returns how
 * many; the caller frees them. */
static size_t make_shares(const struct explainer *e, struct share **result)
{
	struct share *shares = NULL;
	size_t count = 0, capacity = 0, most = 65536;

	for (size_t i = 0; i < e->skeleton->count; i++) {
		if (count == most) {
			count = group(shares, count, by_pc);
			most = count * 2 > most ? most * 2 : most;
		}
		struct share *share = ARRAY_PUSH(shares, count, capacity);

		*share = (struct share){.pc = e->skeleton->misses[i].pc, .cycles = e->cycles[i]};
		share->misses = e->is_in_window[i];
		if (e->dependence[i] < ON_KINDS)
			share->serialized[e->dependence[i]]++;
	}
	count = group(shares, count, by_pc);
	for (size_t i = 0; i < count; i++)
		shares[i].place = trace_places_find(e->places, shares[i].pc);
	*result = shares;
	return count;
}

json_t *model_explain(const struct model *model, size_t point, size_t technique_number,
		      const struct technique *technique, const struct trace_places *places)
{
	const struct skeleton *skeleton = model_skeleton(model, point, technique_number);
	const size_t count = skeleton->count;
	struct explainer e = {
		.model = model,
		.point = point,
		.technique_number = technique_number,
		.technique = technique,
		.places = places,
		.skeleton = skeleton,
		.cycles = mem_alloc_array(count + 1, sizeof(double)),
		.dependence = mem_alloc_array(count + 1, sizeof(uint8_t)),
		.is_in_window = mem_alloc_array(count + 1, sizeof(bool)),
		.kind_mask = 255,
		.kinds = mem_alloc_array(256, sizeof(struct window_kind)),
	};
	struct technique_observer observer = {.window = note_chain, .context = &e};
	struct share *shares;

	memset(e.dependence, ON_KINDS, count);
	if (technique->windows == WINDOWS_TIMELINE)
		observer.miss = note_timeline_miss;
	evaluate(&e, &observer);
	if (technique->windows != WINDOWS_TIMELINE)
		share_cycles(&e);
	observer = (struct technique_observer){.window = note_window, .context = &e};
	evaluate(&e, &observer);

	size_t instructions = make_shares(&e, &shares);
	size_t lines = group(shares, instructions, by_line);
	json_t *line_rows = top_json(&e, shares, lines, LINES_SHOWN, true);
	size_t functions = group(shares, lines, by_function);
	json_t *result =
		json_pack("{s:f, s:o, s:o, s:o, s:o}", "cycles", e.result.cycles, "functions",
			  top_json(&e, shares, functions, FUNCTIONS_SHOWN, false), "lines",
			  line_rows, "windows", windows_json(&e), "ends", ends_json(&e));
	free(shares);
	free(e.cycles);
	free(e.dependence);
	free(e.is_in_window);
	free(e.kinds);
	return result;
}
