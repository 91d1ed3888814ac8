#include "stats/pairs.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/nearest.h"
#include "base/number.h"
#include "stats/formula.h"

#define LOOKS_DEMANGLED 8 /* what comparing a decoded name costs beside a plain one */

/* What is looked for in an index. */
struct sought {
	const struct stats_pairs *pairs;
	const struct signal_row *signal;
	const char *where;
};

static bool is_there(const void *context, size_t number)
{
	const struct sought *sought = context;

	return strcmp(sought->pairs->items[number].where, sought->where) == 0;
}

static bool is_pair(const void *context, size_t number)
{
	const struct sought *sought = context;

	return sought->pairs->items[number].signal == sought->signal && is_there(context, number);
}

static uint64_t hash_of(const struct signal_row *signal, const char *where)
{
	return index_hash_number(index_hash_text(where), (uint64_t)(signal - signal_rows));
}

static size_t number_of(const struct stats_pairs *pairs, const struct signal_row *signal,
			const char *where)
{
	const struct sought sought = {pairs, signal, where};

	return index_find(&pairs->by_name, hash_of(signal, where), is_pair, &sought);
}

const struct stats_pair *stats_pairs_find(const struct stats_pairs *pairs,
					  const struct signal_row *signal, const char *where)
{
	size_t number = number_of(pairs, signal, where);

	return number == INDEX_NONE ? NULL : &pairs->items[number];
}

/* A pair without pieces, which is not there yet. */
static struct stats_pair *new_pair(struct stats_pairs *pairs, const struct signal_row *signal,
				   const char *where, uint32_t thread)
{
	const struct sought sought = {pairs, signal, where};
	const uint64_t place = index_hash_text(where);
	size_t number = pairs->count,
	       first = index_find(&pairs->by_place, place, is_there, &sought);
	struct stats_pair *pair = ARRAY_PUSH(pairs->items, pairs->count, pairs->capacity);

	*pair = (struct stats_pair){.signal = signal,
				    .where = mem_strdup(where),
				    .thread = thread,
				    .first_there = first == INDEX_NONE ? number : first};
	index_add(&pairs->by_name, hash_of(signal, where), number);
	if (first == INDEX_NONE)
		index_add(&pairs->by_place, place, number);
	return pair;
}

/* Whether one of the first `count` pieces is that one. */
static bool has_piece(const struct stats_pair *pair, size_t count, const struct stats_range *piece)
{
	for (size_t i = 0; i < count; i++)
		if (pair->pieces[i].low == piece->low && pair->pieces[i].high == piece->high)
			return true;
	return false;
}

/* A pair that is there already gets the pieces that it lacks: several static functions may have one
 * name. */
static void add_pair(struct stats_pairs *pairs, const struct signal_row *signal, const char *where,
		     uint32_t thread, const struct stats_range *pieces, size_t count)
{
	const size_t number = number_of(pairs, signal, where);
	struct stats_pair *pair = number == INDEX_NONE ? new_pair(pairs, signal, where, thread)
						       : &pairs->items[number];

	/* Pieces of one call differ: only those of an earlier one can be there already. */
	const size_t before = pair->piece_count;
	for (size_t i = 0; i < count; i++) {
		pairs->looks += before;
		if (!has_piece(pair, before, &pieces[i]))
			*ARRAY_PUSH(pair->pieces, pair->piece_count, pair->piece_capacity) =
				pieces[i];
	}
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
	/* Found when a place has been. */
	const struct signal_row **signals;
	size_t signal_count, signal_capacity;
};

static void add_wanted(struct wanted *wanted, const struct signal_row *signal)
{
	*ARRAY_PUSH(wanted->signals, wanted->signal_count, wanted->signal_capacity) = signal;
}

/* Finds the signals that the name or pattern is of. */
static bool find_signals(struct wanted *wanted, struct err *err)
{
	const char *name = wanted->signal;

	if (wanted->signal_count)
		return true;
	if (!name_is_pattern(name)) {
		const struct signal_row *signal = formula_signal(name, err);

		if (signal)
			add_wanted(wanted, signal);
		return signal;
	}
	for (size_t i = 0; i < signal_count(); i++)
		if (fnmatch(name, signal_rows[i].name, 0) == 0)
			add_wanted(wanted, &signal_rows[i]);
	return wanted->signal_count ||
	       err_set(err, "no signal matches \"%s\"; `cyclestack signals` lists them", name);
}

/* False with a sentence if there is more of them, or of the work for them, than there may be. */
static bool check_limits(const struct stats_pairs *pairs, const struct wanted *wanted,
			 struct err *err)
{
	if (pairs->count > STATS_COUNTERS_MOST)
		return err_set(err,
			       "\"%s\" at \"%s\" makes more than %d pairs, the most there can be",
			       wanted->signal, wanted->where, STATS_COUNTERS_MOST);
	return !pairs->looks_most || pairs->looks <= pairs->looks_most ||
	       err_set(err,
		       "\"%s\" at \"%s\": finding what these pairs name takes too long: ask for "
		       "fewer, or with fewer patterns",
		       wanted->signal, wanted->where);
}

/* Adds a pair for each signal at a place, which is without its thread. */
static bool add_signals(struct stats_pairs *pairs, struct wanted *wanted, const char *place,
			const struct stats_range *pieces, size_t count, struct err *err)
{
	char where[2 * STATS_PAIR_BYTES];

	if (!find_signals(wanted, err))
		return false;
	snprintf(where, sizeof(where), "%.*s", STATS_PAIR_BYTES, place);
	if (wanted->thread)
		snprintf(where + strlen(where), sizeof(where) - strlen(where), "%%%u",
			 wanted->thread);
	for (size_t i = 0; i < wanted->signal_count; i++) {
		pairs->looks++;
		add_pair(pairs, wanted->signals[i], where, wanted->thread, pieces, count);
		if (!check_limits(pairs, wanted, err))
			return false;
	}
	return true;
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

static bool add_addresses(struct stats_pairs *pairs, struct wanted *wanted, struct err *err)
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

static bool add_line(struct stats_pairs *pairs, struct wanted *wanted, const char *colon,
		     const struct stats_places *places, struct err *err)
{
	const char *where = wanted->where;
	struct stats_range *pieces = NULL;
	size_t count = 0, capacity = 0;
	uint64_t line;

	if (!number_read(colon + 1, NUMBER_OF_THINGS, &line) || !line)
		return err_set(err, "\"%s\" is not FILE:LINE with the number of a line", where);
	pairs->looks += places->lines ? lines_count(places->lines) : 0;
	if (!check_limits(pairs, wanted, err))
		return false;
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

/* A function of the places, in the file's addresses. */
struct function {
	const char *raw; /* its name in the file */
	struct stats_range range;
	const struct symbol *symbol; /* NULL: it is in the map */
};

static bool function_at(const struct stats_places *places, size_t i, struct function *function)
{
	if (places->map) {
		if (i >= places->map->count)
			return false;
		const struct stats_map_function *f = &places->map->functions[i];
		*function = (struct function){f->name, {f->low, f->high}, NULL};
		return true;
	}
	if (!places->symbols || i >= symbols_count(places->symbols))
		return false;
	const struct symbol *symbol = symbols_at(places->symbols, i);
	*function = (struct function){
		symbol->name, {symbol->address, symbol->address + symbol->bytes - 1}, symbol};
	return true;
}

/* The name for results, to be freed. */
static char *shown_name(const struct stats_places *places, const struct function *function)
{
	char *name = NULL;

	if (function->symbol)
		return mem_strdup(symbols_shown(places->symbols, function->symbol));
	if (!places->raw_names)
		name = name_demangle(function->raw);
	return name ? name : mem_strdup(function->raw);
}

static bool add_function(struct stats_pairs *pairs, struct wanted *wanted, const char *name,
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
	struct nearest nearest = {0};
	struct function function;

	for (size_t i = 0; function_at(places, i, &function); i++)
		nearest_consider(&nearest, where, function.raw);
	return err_set(err, "the program has no function %s\"%s\"%s",
		       matches ? "that matches " : "", where,
		       nearest_ask(&nearest, "; did you mean ", "?").text);
}

/* How many functions of different names are named in a way; their names, for a sentence. */
static size_t count_names(const struct stats_places *places, const char *where, enum name_way way,
			  char *names, size_t bytes)
{
	char *first = NULL;
	struct function function;
	size_t count = 0;

	names[0] = '\0';
	for (size_t i = 0; function_at(places, i, &function); i++) {
		if (!name_fits(function.raw, where, way))
			continue;
		char *name = shown_name(places, &function);
		size_t used = strlen(names);

		if (!first || strcmp(first, name) != 0) {
			snprintf(names + used, bytes - used, "%s%s", used ? "; " : "", name);
			count++;
		}
		if (!first)
			first = name;
		else
			free(name);
	}
	free(first);
	return count;
}

static size_t count_functions(const struct stats_places *places)
{
	if (places->map)
		return places->map->count;
	return places->symbols ? symbols_count(places->symbols) : 0;
}

/* Makes sure that all functions may be looked at once more. */
static bool spend_looks(struct stats_pairs *pairs, const struct wanted *wanted,
			const struct stats_places *places, enum name_way way, struct err *err)
{
	pairs->looks += count_functions(places) * (way == NAME_RAW ? 1 : LOOKS_DEMANGLED);
	return check_limits(pairs, wanted, err);
}

/* How `where` names functions; NAME_WAYS if it names none. False with a sentence if it is no
 * pattern and names several. */
static bool find_way(struct stats_pairs *pairs, const struct wanted *wanted,
		     const struct stats_places *places, enum name_way *way, struct err *err)
{
	const char *where = wanted->where;
	enum name_way ways = name_is_pattern(where) ? NAME_WAYS : NAME_PATTERN;
	char names[ERR_TEXT_BYTES / 2];
	size_t count = 0;

	for (*way = NAME_RAW; *way < ways; ++*way) {
		if (!spend_looks(pairs, wanted, places, *way, err))
			return false;
		if ((count = count_names(places, where, *way, names, sizeof(names))))
			break;
	}
	if (!count)
		*way = NAME_WAYS;
	return count < 2 || *way >= NAME_PATTERN ||
	       err_set(err,
		       "\"%s\" means several functions, which a pattern would count one by one: %s",
		       where, names);
}

static bool add_functions(struct stats_pairs *pairs, struct wanted *wanted,
			  const struct stats_places *places, struct err *err)
{
	const char *where = wanted->where;
	struct function function;
	enum name_way way;
	bool ok = true;

	if (!find_way(pairs, wanted, places, &way, err) ||
	    !spend_looks(pairs, wanted, places, way, err))
		return false;
	for (size_t i = 0; ok && way < NAME_WAYS && function_at(places, i, &function); i++) {
		if (!name_fits(function.raw, where, way))
			continue;
		char *name = shown_name(places, &function);

		ok = add_function(pairs, wanted, name, function.range, places->bias, err);
		free(name);
	}
	if (!ok || way < NAME_WAYS)
		return ok;
	/* An alias is not in the list. */
	const struct symbol *symbol =
		!places->map && places->symbols ? symbols_by_name(places->symbols, where) : NULL;
	if (!symbol)
		return fail_function(where, name_is_pattern(where), places, err);
	return add_function(
		pairs, wanted, symbols_shown(places->symbols, symbol),
		(struct stats_range){symbol->address, symbol->address + symbol->bytes - 1},
		places->bias, err);
}

/* Divides SIGNAL@WHERE%THREAD. */
static bool read_wanted(struct wanted *wanted, const char *text, struct err *err)
{
	const char *at = strchr(text, '@'), *where = at ? at + 1 : "";
	const char *percent = strrchr(where, '%');
	uint64_t thread = 0;

	/* C++ has functions of that name. */
	if (percent && percent - where >= 8 && strncmp(percent - 8, "operator", 8) == 0)
		percent = NULL;

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

static bool add_wanted_pairs(struct stats_pairs *pairs, struct wanted *wanted,
			     const struct stats_places *places, struct err *err)
{
	const char *where = wanted->where, *colon = strrchr(where, ':');

	if (!where[0])
		return add_signals(pairs, wanted, "", NULL, 0, err);
	if (strncmp(where, "0x", 2) == 0)
		return add_addresses(pairs, wanted, err);
	if (colon && colon > where && colon[-1] != ':' && colon[1] >= '0' && colon[1] <= '9')
		return add_line(pairs, wanted, colon, places, err);
	return add_functions(pairs, wanted, places, err);
}

bool stats_pairs_add(struct stats_pairs *pairs, const char *text, const struct stats_places *places,
		     struct err *err)
{
	struct wanted wanted = {.signals = NULL};
	bool ok = read_wanted(&wanted, text, err) && add_wanted_pairs(pairs, &wanted, places, err);

	free(wanted.signals);
	return ok;
}

/* A range that is looked for among those that are there. */
struct sought_range {
	const struct stats_range *ranges;
	struct stats_range range;
};

static bool is_range(const void *context, size_t number)
{
	const struct sought_range *sought = context;

	return sought->ranges[number].low == sought->range.low &&
	       sought->ranges[number].high == sought->range.high;
}

static uint32_t range_of(struct stats_pairs *pairs, struct index *index, struct stats_range range)
{
	const struct sought_range sought = {pairs->ranges, range};
	const uint64_t hash = index_hash_number(index_hash_number(0, range.low), range.high);
	size_t number = index_find(index, hash, is_range, &sought);

	if (number == INDEX_NONE) {
		number = index->count;
		pairs->ranges[number] = range;
		index_add(index, hash, number);
	}
	return (uint32_t)number;
}

bool stats_pairs_settle(struct stats_pairs *pairs, size_t counters_most, size_t ranges_most,
			struct stats_settings *settings, struct err *err)
{
	size_t counters = 0, pieces = 0;
	struct index index = {0};

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
				pair->signal, range_of(pairs, &index, pair->pieces[k]),
				pair->thread};
	}
	const size_t ranges = index.count;
	index_release(&index);
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
	index_release(&pairs->by_name);
	index_release(&pairs->by_place);
	free(pairs->ranges);
	free(pairs->counters);
	*pairs = (struct stats_pairs){0};
}
