/*
 * sfmt: the shared frontend miss event table (Eyerman et al. 2006, section 4.1.2).
 *
 * Rows have only the branch penalty, counted as fmt does; there is one shared set of I-side
 * counters. The first instruction delivered after a miss carries a bit; when an instruction whose
 * bit is set commits, the counters are added and cleared and the bits of all instructions are
 * cleared. A mispredicted branch clears the table: when it commits, as published, or (resolve)
 * already when it resolves; the whole table, or (counters) the I-side counters only. The whole
 * table includes, at commit, the bits and the penalties that other branches have counted so far;
 * at resolution, the bits. Full cycles are those of fmt (blocked.h).
 *
 * The paper clears "the entire sFMT". Of a branch that is in the window when an older mispredicted
 * one commits, that throws away cycles which have nothing to do with a wrong path: it was fetched
 * after the older one had resolved. So sfmt, as published, is too low where mispredictions are
 * close together, and sometimes by chance nearer to the truth, because what it throws away contains
 * cycles in which older instructions would have kept the window anyway. sfmt-counters keeps them.
 *
 * afmt (ours) is sfmt-counters that takes the window for full as soon as a data miss at its head is
 * so old that dispatch at full width would have filled it (count_age): the rule that removes what
 * sfmt loses by chance, at its cause.
 *
 * Where the paper says nothing, fmt's file says what is done.
 */
#include "count/sfmt.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"
#include "count/fmt.h"
#include "count/sfmt_rule.h"
#include "count/usual.h"

static struct sfmt *create(const struct config *config, uint32_t slots, bool at_resolve,
			   bool only_counters)
{
	struct sfmt *sfmt = mem_alloc(sizeof(*sfmt));

	sfmt->config = *config;
	count_blocked_init(&sfmt->blocked, config);
	sfmt->at_resolve = at_resolve;
	sfmt->only_counters = only_counters;
	branch_table_init(&sfmt->table, slots);
	sfmt->bit_epoch = mem_alloc_array(slots, sizeof(*sfmt->bit_epoch));
	sfmt->epoch = 1;
	sfmt->awaited = SFMT_NO_SLOT;
	return sfmt;
}

static void destroy(void *counter)
{
	struct sfmt *sfmt = counter;

	branch_table_release(&sfmt->table);
	free(sfmt->bit_epoch);
	free(sfmt);
}

static void take_events(struct sfmt *sfmt, const struct cycle *c)
{
	uint32_t awaited = sfmt->awaited;

	for (uint32_t i = 0; i < c->event_count; i++) {
		const struct cycle_event *e = &c->events[i];

		switch ((enum cycle_event_kind)e->kind) {
		case EVENT_BRANCH_FETCH: branch_table_fetch(&sfmt->table); break;
		case EVENT_BRANCH_DISPATCH:
			branch_table_dispatch(&sfmt->table, e->slot, sfmt->running);
			break;
		case EVENT_MISPREDICT:
			sfmt_resolve(sfmt, e);
			awaited = SFMT_NO_SLOT;
			break;
		case EVENT_REPLAY:
			sfmt_replay(sfmt, e->amount);
			awaited = SFMT_NO_SLOT;
			break;
		case EVENT_COMMIT: sfmt_commit(sfmt, e); break;
		case EVENT_FETCH_MISS: sfmt->awaited = e->slot; break;
		default: break;
		}
	}
	sfmt_deliver(sfmt, c, awaited);
}

static void cycle(void *counter, const struct cycle *c)
{
	struct sfmt *sfmt = counter;

	if (c->event_kinds || sfmt->awaited != SFMT_NO_SLOT)
		take_events(sfmt, c);
	sfmt_record(sfmt, sfmt->is_aged, c, count_is_full(c, sfmt->config.rob_size, false),
		    count_fetch_stall(c));
}

void sfmt_read_words(const void *counter, struct fmt_words *words)
{
	const struct sfmt *sfmt = counter;

	for (unsigned i = 0; i < COMPONENT_COUNT; i++) {
		words->global[i] = sfmt->global[i] + sfmt->blocked.cycles[i];
		words->early[i] = sfmt->blocked.early[i];
	}
	for (unsigned i = 0; i < I_COUNTERS; i++)
		words->stalls[i] = count_saturated(sfmt->stalls[i]);
}

static void read(const void *counter, uint64_t cycles, struct stack *stack)
{
	struct fmt_words words;

	sfmt_read_words(counter, &words);
	fmt_words_stack(&words, cycles, stack);
}

void sfmt_read_losses(const void *counter, struct sfmt_losses *losses)
{
	*losses = ((const struct sfmt *)counter)->losses;
}

static void describe(const struct observer_kind *kind, void *counter, json_t *result)
{
	const struct sfmt_losses *losses = &((const struct sfmt *)counter)->losses;

	json_object_set_new(observer_member(result, "losses"), kind->name,
			    json_pack("{s:I, s:I, s:I}", "older_lost", (json_int_t)losses->older,
				      "younger_lost", (json_int_t)losses->younger,
				      "wrong_path_kept", (json_int_t)losses->wrong));
}

/* The shared counters; for each row the branch penalty, a bit for a misprediction and an index; a
 * bit for every entry of the reorder buffer. */
static uint64_t bits(const struct config *config)
{
	unsigned place = 1;

	while (1u << place < config->rob_size)
		place++;
	return count_global_bits(config) + (config->cache_levels + 1) * COUNT_LOCAL_BITS +
	       count_branch_rows(config) * (COUNT_LOCAL_BITS + 1 + place) + config->rob_size +
	       count_blocked_bits(config);
}

static void *create_commit(const struct config *config, uint32_t slots)
{
	return create(config, slots, false, false);
}

static void *create_resolve(const struct config *config, uint32_t slots)
{
	return create(config, slots, true, false);
}

static void *create_counters(const struct config *config, uint32_t slots)
{
	return create(config, slots, false, true);
}

static void *create_resolve_counters(const struct config *config, uint32_t slots)
{
	return create(config, slots, true, true);
}

static void *create_aged(const struct config *config, uint32_t slots)
{
	struct sfmt *sfmt = create(config, slots, false, true);

	sfmt->is_aged = true;
	return sfmt;
}

/* One more counter, with values up to the size of the reorder buffer. */
static uint64_t aged_bits(const struct config *config)
{
	return bits(config) + bits_log2(config->rob_size) + 1;
}

#define SFMT_KIND(text, about, creates, usual)                                                \
	{                                                                                     \
		.name = text, .summary = about, .needs_ooo = true, .is_hardware = true,       \
		.is_usual = usual, .events = EVENTS_USUAL, .create = creates, .cycle = cycle, \
		.group = usual ? &count_usual : NULL, .read = read, .describe = describe,     \
		.bits = bits, .destroy = destroy                                              \
	}

const struct observer_kind count_sfmt = SFMT_KIND(
	"sfmt", "shared frontend miss event table, cleared at commit", create_commit, true);
const struct observer_kind count_sfmt_resolve =
	SFMT_KIND("sfmt-resolve", "sfmt, cleared when the branch resolves", create_resolve, false);
const struct observer_kind count_sfmt_counters = SFMT_KIND(
	"sfmt-counters", "sfmt, clearing the I-side counters only", create_counters, false);
const struct observer_kind count_sfmt_resolve_counters =
	SFMT_KIND("sfmt-resolve-counters", "sfmt-resolve, clearing the I-side counters only",
		  create_resolve_counters, false);

const struct observer_kind count_afmt = {
	.name = "afmt",
	.summary = "sfmt that knows a full window by the age of the miss at its head",
	.needs_ooo = true,
	.is_hardware = true,
	.is_usual = true,
	.events = EVENTS_USUAL,
	.create = create_aged,
	.cycle = cycle,
	.group = &count_usual,
	.read = read,
	.bits = aged_bits,
	.destroy = destroy,
};
