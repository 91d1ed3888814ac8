#include "config/ideal_at.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/nearest.h"

#define WORD_BYTES 96

static const struct {
	const char *name;
	bool has_percent;
} events[IDEAL_AT_EVENT_COUNT] = {
#define EVENT(id, name, has_percent) [IDEAL_AT_##id] = {#name, has_percent},
	IDEAL_AT_EVENTS(EVENT)
#undef EVENT
};

/* A part of the text. */
struct piece {
	const char *at, *end;
};

/* The piece up to the next `separator`, which is left out of what remains. False after the last. */
static bool take_piece(struct piece *rest, char separator, struct piece *piece)
{
	if (!rest->at)
		return false;
	const char *end = memchr(rest->at, separator, (size_t)(rest->end - rest->at));

	*piece = (struct piece){rest->at, end ? end : rest->end};
	rest->at = end ? end + 1 : NULL;
	return true;
}

/* For sentences: at most so much as helps, and only what can be printed. */
static const char *quoted(const struct piece *piece, char text[WORD_BYTES])
{
	enum { MOST = 60 };
	const size_t bytes = (size_t)(piece->end - piece->at), shown = bytes < MOST ? bytes : MOST;

	for (size_t i = 0; i < shown; i++)
		text[i] = piece->at[i] >= ' ' && piece->at[i] <= '~' ? piece->at[i] : '?';
	snprintf(text + shown, WORD_BYTES - shown, "%s", shown < bytes ? "..." : "");
	return text;
}

static bool read_address(const struct piece *piece, uint64_t *address, struct err *err)
{
	const bool is_hex = piece->end - piece->at > 2 && piece->at[0] == '0' &&
			    (piece->at[1] == 'x' || piece->at[1] == 'X');
	const char *digit = is_hex ? piece->at + 2 : piece->end;
	char text[WORD_BYTES];

	*address = 0;
	for (; digit < piece->end && isxdigit((unsigned char)*digit); digit++) {
		const int letter = tolower((unsigned char)*digit);

		if (*address >> 60)
			return err_set(err, "\"%s\" is longer than an address of 64 bits",
				       quoted(piece, text));
		*address = *address * 16 +
			   (uint64_t)(letter <= '9' ? letter - '0' : letter - 'a' + 10);
	}
	return (is_hex && digit == piece->end) ||
	       err_set(err, "\"%s\" is no address; write it in hexadecimal, such as 0x10400",
		       quoted(piece, text));
}

static bool read_addresses(struct piece piece, struct ideal_range *range, struct err *err)
{
	struct piece rest = piece, first, last;
	char text[WORD_BYTES];

	take_piece(&rest, '-', &first);
	last = rest.at ? rest : first;
	if (!read_address(&first, &range->first, err) || !read_address(&last, &range->last, err))
		return false;
	return range->first <= range->last ||
	       err_set(err, "\"%s\" ends before it begins", quoted(&piece, text));
}

static enum ideal_at_event find_event(const struct piece *name)
{
	const size_t bytes = (size_t)(name->end - name->at);
	enum ideal_at_event event = 0;

	while (event < IDEAL_AT_EVENT_COUNT && (strlen(events[event].name) != bytes ||
						memcmp(events[event].name, name->at, bytes) != 0))
		event++;
	return event;
}

static bool fail_unknown(const struct piece *name, struct err *err)
{
	struct nearest nearest = {0};
	char text[WORD_BYTES], all[256];
	size_t used = 0;

	quoted(name, text);
	for (enum ideal_at_event i = 0; i < IDEAL_AT_EVENT_COUNT; i++) {
		nearest_consider(&nearest, text, events[i].name);
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", i ? ", " : "",
					 events[i].name);
	}
	const struct nearest_question ask = nearest_ask(&nearest, "; did you mean ", "?");

	return err_set(err, "there is no event \"%s\"%s%s", text,
		       ask.text[0] ? ask.text : "; there are ", ask.text[0] ? "" : all);
}

/* What follows the "=" of an event: a whole number up to 100 and a percent sign. */
static bool read_percent(const struct piece *piece, uint16_t *percent, struct err *err)
{
	const char *digit = piece->at;
	char text[WORD_BYTES];

	*percent = 0;
	for (; digit < piece->end && isdigit((unsigned char)*digit) && *percent <= 100; digit++)
		*percent = (uint16_t)(*percent * 10 + (*digit - '0'));
	return (digit > piece->at && digit + 1 == piece->end && *digit == '%' && *percent <= 100) ||
	       err_set(err, "\"%s\" is no part of a time; write what is left of it, such as 50%%",
		       quoted(piece, text));
}

static bool read_event(struct piece piece, struct ideal_range *range, struct err *err)
{
	struct piece rest = piece, name;
	uint16_t percent = 0;
	char text[WORD_BYTES];

	take_piece(&rest, '=', &name);
	const enum ideal_at_event event = find_event(&name);

	if (event == IDEAL_AT_EVENT_COUNT)
		return fail_unknown(&name, err);
	if (range->events >> event & 1)
		return err_set(err, "a range has \"%s\" twice", events[event].name);
	if (rest.at && !events[event].has_percent)
		return err_set(err,
			       "\"%s\" has a percentage, which only branch, latency and time "
			       "can have",
			       quoted(&piece, text));
	if (rest.at && !read_percent(&rest, &percent, err))
		return false;
	range->events |= UINT32_C(1) << event;
	if (event == IDEAL_AT_BRANCH)
		range->branch_percent = percent;
	else if (event == IDEAL_AT_LATENCY)
		range->latency_percent = percent;
	else if (event == IDEAL_AT_TIME)
		range->time_percent = percent;
	return true;
}

static bool read_range(struct piece piece, struct ideal_range *range, struct err *err)
{
	struct piece rest = piece, addresses, event;
	char text[WORD_BYTES];

	take_piece(&rest, ':', &addresses);
	if (!rest.at)
		return err_set(err,
			       "\"%s\" is no range of instructions; write PC:EVENT or "
			       "PC-PC:EVENT+EVENT, such as 0x10400-0x1041c:l1d+dtlb",
			       quoted(&piece, text));
	if (!read_addresses(addresses, range, err))
		return false;
	while (take_piece(&rest, '+', &event))
		if (!read_event(event, range, err))
			return false;
	return true;
}

bool ideal_at_read(struct ideal_at *at, const char *text, struct err *err)
{
	struct piece rest = {text, text + strlen(text)}, piece;
	struct ideal_at read;

	memset(&read, 0, sizeof(read));
	while (strcmp(text, "none") != 0 && take_piece(&rest, '/', &piece)) {
		if (read.count == IDEAL_AT_MOST)
			return err_set(err, "there are more than %d ranges", IDEAL_AT_MOST);
		if (!read_range(piece, &read.ranges[read.count++], err))
			return false;
	}
	memcpy(at, &read, sizeof(read));
	return true;
}

static size_t event_text(const struct ideal_range *range, enum ideal_at_event event, char *text,
			 size_t bytes)
{
	const unsigned percent = event == IDEAL_AT_BRANCH    ? range->branch_percent
				 : event == IDEAL_AT_LATENCY ? range->latency_percent
				 : event == IDEAL_AT_TIME    ? range->time_percent
							     : 0;
	const bool is_first = !(range->events & ((UINT32_C(1) << event) - 1));
	size_t used =
		(size_t)snprintf(text, bytes, "%c%s", is_first ? ':' : '+', events[event].name);

	if (percent)
		used += (size_t)snprintf(text + used, bytes - used, "=%u%%", percent);
	return used;
}

void ideal_at_text(const struct ideal_at *at, char text[IDEAL_AT_TEXT_BYTES])
{
	const size_t bytes = IDEAL_AT_TEXT_BYTES;
	size_t used = 0;

	snprintf(text, bytes, "none");
	for (uint64_t i = 0; i < at->count; i++) {
		const struct ideal_range *range = &at->ranges[i];

		used += (size_t)snprintf(text + used, bytes - used, "%s0x%" PRIx64, i ? "/" : "",
					 range->first);
		if (range->last != range->first)
			used += (size_t)snprintf(text + used, bytes - used, "-0x%" PRIx64,
						 range->last);
		for (enum ideal_at_event event = 0; event < IDEAL_AT_EVENT_COUNT; event++)
			if (range->events >> event & 1)
				used += event_text(range, event, text + used, bytes - used);
	}
}

bool ideal_at_same(const struct ideal_at *a, const struct ideal_at *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

struct ideal_of ideal_at_find(const struct ideal_at *at, uint64_t pc)
{
	struct ideal_of of = {.branch_percent = 100, .latency_percent = 100, .data_percent = 100};

	for (uint64_t i = 0; i < at->count; i++) {
		const struct ideal_range *range = &at->ranges[i];

		if (pc < range->first || pc > range->last)
			continue;
		of.events |= range->events & ~IDEAL_AT_BIT(TIME);
		if (range->events & IDEAL_AT_BIT(BRANCH) &&
		    range->branch_percent < of.branch_percent)
			of.branch_percent = range->branch_percent;
		if (range->events & IDEAL_AT_BIT(LATENCY) &&
		    range->latency_percent < of.latency_percent)
			of.latency_percent = range->latency_percent;
		if (!(range->events & IDEAL_AT_BIT(TIME)))
			continue;
		if (range->time_percent < of.latency_percent)
			of.latency_percent = range->time_percent;
		if (range->time_percent < of.data_percent)
			of.data_percent = range->time_percent;
	}
	if (!of.data_percent)
		of.events |= IDEAL_AT_BIT(L1D) | IDEAL_AT_BIT(DTLB);
	return of;
}
