#include "stats/pairs.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/nearest.h"
#include "base/number.h"
#include "stats/formula.h"

#define NEAR_EDITS 5
#define PAIRS_MOST 65536

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

const struct stats_pair *stats_pairs_find(const struct stats_pairs *pairs,
					  const struct signal_row *signal, const char *where)
{
	for (size_t i = 0; i < pairs->count; i++)
		if (pairs->items[i].signal == signal && strcmp(pairs->items[i].where, where) == 0)
			return &pairs->items[i];
	return NULL;
}

static bool has_piece(const struct stats_pair *pair, const struct stats_range *piece)
{
	for (size_t i = 0; i < pair->piece_count; i++)
		if (pair->pieces[i].low == piece->low && pair->pieces[i].high == piece->high)
			return true;
	return false;
}

/* A pair that is there already gets the pieces that it lacks: several static functions may have one
 * name. */
static void add_pair(struct stats_pairs *pairs, const struct signal_row *signal, const char *where,
		     uint32_t thread, const struct stats_range *pieces, size_t count)
{
	struct stats_pair *pair = NULL;

	for (size_t i = 0; i < pairs->count; i++)
		if (pairs->items[i].signal == signal && strcmp(pairs->items[i].where, where) == 0)
			pair = &pairs->items[i];
	if (!pair) {
		pair = ARRAY_PUSH(pairs->items, pairs->count, pairs->capacity);
		*pair = (struct stats_pair){
			.signal = signal, .where = mem_strdup(where), .thread = thread};
	}
	for (size_t i = 0; i < count; i++)
		if (!has_piece(pair, &pieces[i]))
			*ARRAY_PUSH(pair->pieces, pair->piece_count, pair->piece_capacity) =
				pieces[i];
}

void stats_pairs_add_signal(struct stats_pairs *pairs, const struct signal_row *signal, size_t at)
{
	const struct stats_pair pair = pairs->items[at];

	add_pair(pairs, signal, pair.where, pair.thread, pair.pieces, pair.piece_count);
}

/* What a text asks for: a signal or a pattern over signals, in a thread or, if that is 0, in all.
 */
struct wanted {
	char signal[STATS_PAIR_BYTES], where[STATS_PAIR_BYTES];
	uint32_t thread;
};

/* Adds a pair for each signal that the name or pattern is of, at a place without its thread. */
static bool add_signals(struct stats_pairs *pairs, const struct wanted *wanted, const char *place,
			const struct stats_range *pieces, size_t count, struct err *err)
{
	const char *name = wanted->signal;
	char where[2 * STATS_PAIR_BYTES];
	bool found = false;

	snprintf(where, sizeof(where), "%.*s", STATS_PAIR_BYTES, place);
	if (wanted->thread)
		snprintf(where + strlen(where), sizeof(where) - strlen(where), "%%%u",
			 wanted->thread);

	if (!is_pattern(name)) {
		const struct signal_row *signal = formula_signal(name, err);

		if (signal)
			add_pair(pairs, signal, where, wanted->thread, pieces, count);
		return signal;
	}
	for (size_t i = 0; i < signal_count() && pairs->count < PAIRS_MOST; i++)
		if (fnmatch(name, signal_rows[i].name, 0) == 0) {
			add_pair(pairs, &signal_rows[i], where, wanted->thread, pieces, count);
			found = true;
		}
	return found ||
	       err_set(err, "no signal matches \"%s\"; `cyclestack signals` lists them", name);
}

static bool read_address(const char **text, uint64_t *address)
{
	char *end;

	if (strncmp(*text, "0x", 2) != 0 || !strspn(*text + 2, "0123456789abcdefABCDEF") ||
	    strspn(*text + 2, "0123456789abcdefABCDEF") > 16)
		return false;
	*address = strtoull(*text, &end, 16);
	*text = end;
	return true;
}

static bool add_addresses(struct stats_pairs *pairs, const struct wanted *wanted, struct err *err)
{
	const char *where = wanted->where;
	struct stats_range range;
	const char *at = where;

	if (!read_address(&at, &range.low) || *at++ != '-' || !read_address(&at, &range.high) ||
	    *at)
		return err_set(err, "\"%s\" is not 0xLOW-0xHIGH, two addresses", where);
	if (range.low > range.high)
		return err_set(err, "the range %s ends before it begins", where);
	return add_signals(pairs, wanted, where, &range, 1, err);
}

static bool file_is(const char *path, const char *name, size_t length)
{
	size_t all = strlen(path);

	return all >= length && memcmp(path + all - length, name, length) == 0 &&
	       (all == length || path[all - length - 1] == '/');
}

static bool add_line(struct stats_pairs *pairs, const struct wanted *wanted, const char *colon,
		     const struct stats_places *places, struct err *err)
{
	const char *where = wanted->where;
	struct stats_range *pieces = NULL;
	size_t count = 0, capacity = 0;
	uint64_t line;

	if (!number_read(colon + 1, NUMBER_OF_THINGS, &line) || !line)
		return err_set(err, "\"%s\" is not FILE:LINE with the number of a line", where);
	for (size_t i = 0; places->lines && i < lines_count(places->lines); i++) {
		const struct line_range *range = lines_at(places->lines, i);
		uint64_t low = range->start + places->bias;

		if (range->line != line || !file_is(lines_file(places->lines, range->file), where,
						    (size_t)(colon - where)))
			continue;
		if (count && pieces[count - 1].high + 1 == low)
			pieces[count - 1].high = range->end - 1 + places->bias;
		else
			*ARRAY_PUSH(pieces, count, capacity) =
				(struct stats_range){low, range->end - 1 + places->bias};
	}
	bool ok = count ? add_signals(pairs, wanted, where, pieces, count, err)
			: err_set(err, "the program has no code of line %s%s", where,
				  places->lines && lines_count(places->lines)
					  ? ""
					  : ": it was compiled without -g");
	free(pieces);
	return ok;
}

/* Function number i of the places, in the file's addresses. */
static bool function_at(const struct stats_places *places, size_t i, const char **name,
			struct stats_range *range)
{
	if (places->map) {
		if (i >= places->map->count)
			return false;
		*name = places->map->functions[i].name;
		*range = (struct stats_range){places->map->functions[i].low,
					      places->map->functions[i].high};
		return true;
	}
	if (!places->symbols || i >= symbols_count(places->symbols))
		return false;
	const struct symbol *symbol = symbols_at(places->symbols, i);
	*name = symbol->name;
	*range = (struct stats_range){symbol->address, symbol->address + symbol->bytes - 1};
	return true;
}

static bool add_function(struct stats_pairs *pairs, const struct wanted *wanted, const char *name,
			 struct stats_range range, uint64_t bias, struct err *err)
{
	range.low += bias;
	range.high += bias;
	return add_signals(pairs, wanted, name, &range, 1, err);
}

/* The sentence about a function that is not there. */
static bool fail_function(const char *where, bool matches, const struct stats_places *places,
			  struct err *err)
{
	struct nearest nearest = {NEAR_EDITS, NULL};
	struct stats_range range;
	const char *name;

	for (size_t i = 0; function_at(places, i, &name, &range); i++)
		nearest_consider(&nearest, where, name);
	return err_set(err, "the program has no function %s\"%s\"%s%s%s",
		       matches ? "that matches " : "", where, nearest.word ? "; did you mean " : "",
		       nearest.word ? nearest.word : "", nearest.word ? "?" : "");
}

static bool add_functions(struct stats_pairs *pairs, const struct wanted *wanted,
			  const struct stats_places *places, struct err *err)
{
	const char *where = wanted->where;
	bool ok = true, found = false, matches = is_pattern(where);
	struct stats_range range;
	const char *name;

	for (size_t i = 0; ok && function_at(places, i, &name, &range); i++) {
		if (matches ? fnmatch(where, name, 0) != 0 : strcmp(where, name) != 0)
			continue;
		found = true;
		ok = add_function(pairs, wanted, name, range, places->bias, err);
		if (ok && pairs->count >= PAIRS_MOST)
			return err_set(err, "\"%s\" at \"%s\" makes more than %d pairs",
				       wanted->signal, where, PAIRS_MOST);
	}
	if (!ok || found)
		return ok;
	/* An alias is not in the list. */
	const struct symbol *symbol = !matches && !places->map && places->symbols
					      ? symbols_by_name(places->symbols, where)
					      : NULL;
	if (!symbol)
		return fail_function(where, matches, places, err);
	range = (struct stats_range){symbol->address, symbol->address + symbol->bytes - 1};
	return add_function(pairs, wanted, where, range, places->bias, err);
}

/* Divides SIGNAL@WHERE%THREAD. */
static bool read_wanted(struct wanted *wanted, const char *text, struct err *err)
{
	const char *at = strchr(text, '@'), *where = at ? at + 1 : "";
	const char *percent = strrchr(where, '%');
	uint64_t thread = 0;

	if (strlen(text) >= STATS_PAIR_BYTES)
		return err_set(err, "\"%.40s...\" is longer than %d bytes", text,
			       STATS_PAIR_BYTES - 1);
	snprintf(wanted->signal, sizeof(wanted->signal), "%.*s",
		 (int)(at ? at - text : (int)strlen(text)), text);
	if (!wanted->signal[0])
		return err_set(err, "\"%s\" names no signal: it should be SIGNAL@WHERE", text);
	if (at && !*where)
		return err_set(err,
			       "\"%s\" says nothing after @: leave the @ out to count in all code",
			       text);
	if (percent &&
	    (!number_read(percent + 1, NUMBER_OF_THINGS, &thread) || !thread || thread > INT32_MAX))
		return err_set(
			err,
			"\"%s\": after %% the number of a thread is expected, 1 to %d, as its "
			"gettid has it",
			text, INT32_MAX);
	wanted->thread = (uint32_t)thread;
	snprintf(wanted->where, sizeof(wanted->where), "%.*s",
		 (int)(percent ? percent - where : (int)strlen(where)), where);
	return true;
}

bool stats_pairs_add(struct stats_pairs *pairs, const char *text, const struct stats_places *places,
		     struct err *err)
{
	struct wanted wanted;

	if (!read_wanted(&wanted, text, err))
		return false;
	if (!wanted.where[0])
		return add_signals(pairs, &wanted, "", NULL, 0, err);
	if (strncmp(wanted.where, "0x", 2) == 0)
		return add_addresses(pairs, &wanted, err);
	const char *colon = strrchr(wanted.where, ':');
	if (colon && colon > wanted.where && colon[-1] != ':' && colon[1] >= '0' && colon[1] <= '9')
		return add_line(pairs, &wanted, colon, places, err);
	return add_functions(pairs, &wanted, places, err);
}

static uint32_t range_of(struct stats_pairs *pairs, size_t *count, struct stats_range range)
{
	for (size_t i = 0; i < *count; i++)
		if (pairs->ranges[i].low == range.low && pairs->ranges[i].high == range.high)
			return (uint32_t)i;
	pairs->ranges[*count] = range;
	return (uint32_t)(*count)++;
}

bool stats_pairs_settle(struct stats_pairs *pairs, size_t counters_most, size_t ranges_most,
			struct stats_settings *settings, struct err *err)
{
	size_t counters = 0, pieces = 0, ranges = 0;

	for (size_t i = 0; i < pairs->count; i++) {
		pairs->items[i].first_counter = counters;
		pieces += pairs->items[i].piece_count;
		counters += pairs->items[i].piece_count ? pairs->items[i].piece_count : 1;
	}
	free(pairs->ranges);
	free(pairs->counters);
	pairs->ranges = mem_alloc_array(pieces + 1, sizeof(*pairs->ranges));
	pairs->counters = mem_alloc_array(counters + 1, sizeof(*pairs->counters));
	for (size_t i = 0; i < pairs->count; i++) {
		const struct stats_pair *pair = &pairs->items[i];
		struct stats_selection *counter = pairs->counters + pair->first_counter;

		*counter = (struct stats_selection){pair->signal, STATS_ALWAYS, pair->thread};
		for (size_t k = 0; k < pair->piece_count; k++)
			counter[k] = (struct stats_selection){
				pair->signal, range_of(pairs, &ranges, pair->pieces[k]),
				pair->thread};
	}
	if (counters > counters_most || ranges > ranges_most)
		return err_set(err,
			       "this needs %zu counters and %zu ranges, and the module has %zu and "
			       "%zu: give --counter-count %zu --range-count %zu, or ask for less",
			       counters, ranges, counters_most, ranges_most,
			       counters > counters_most ? counters : counters_most,
			       ranges > ranges_most ? ranges : ranges_most);
	settings->ranges = pairs->ranges;
	settings->range_count = ranges;
	settings->counters = pairs->counters;
	settings->counter_count = counters;
	return true;
}

uint64_t stats_pair_sum(const struct stats_pair *pair, const uint64_t *values, uint64_t most,
			bool *is_saturated)
{
	size_t count = pair->piece_count ? pair->piece_count : 1;
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		sum += values[pair->first_counter + i];
		*is_saturated |= values[pair->first_counter + i] == most;
	}
	return sum;
}

void stats_pairs_release(struct stats_pairs *pairs)
{
	for (size_t i = 0; i < pairs->count; i++) {
		free(pairs->items[i].where);
		free(pairs->items[i].pieces);
	}
	free(pairs->items);
	free(pairs->ranges);
	free(pairs->counters);
	*pairs = (struct stats_pairs){0};
}
