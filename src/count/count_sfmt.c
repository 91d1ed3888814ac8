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
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "count/blocked.h"
#include "count/branch_table.h"
#include "count/fmt.h"

#define NO_SLOT UINT32_MAX

struct sfmt {
	struct config config;
	bool at_resolve, only_counters, is_aged;
	struct count_age age;
	struct branch_table table;
	struct count_blocked blocked;
	uint64_t global[COMPONENT_COUNT];
	uint64_t running;
	struct branch_row *refilling;
	bool is_refilling;

	uint64_t stalls[I_COUNTERS]; /* the shared I-side counters */
	uint64_t *bit_epoch;	     /* by slot: the epoch in which its bit was set */
	uint64_t epoch;		     /* incremented to clear all bits */
	uint32_t awaited;	     /* slot of the instruction a miss delays, or NO_SLOT */

	/* The cycles in `stalls` that belong to the right path and to wrong paths (oracle). */
	uint64_t right, wrong;
	struct sfmt_losses losses;
};

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
	sfmt->awaited = NO_SLOT;
	return sfmt;
}

static void destroy(void *counter)
{
	struct sfmt *sfmt = counter;

	branch_table_release(&sfmt->table);
	free(sfmt->bit_epoch);
	free(sfmt);
}

static void clear_stalls(struct sfmt *sfmt)
{
	memset(sfmt->stalls, 0, sizeof(sfmt->stalls));
	sfmt->right = sfmt->wrong = 0;
}

static void clear_for_branch(struct sfmt *sfmt)
{
	/* When the branch resolves, fetch has been on its wrong path, so right-path stalls are
	 * older than the branch. When it commits, older instructions have committed already, so
	 * right-path stalls are younger. */
	if (sfmt->at_resolve)
		sfmt->losses.older += sfmt->right;
	else
		sfmt->losses.younger += sfmt->right;
	clear_stalls(sfmt);
	if (sfmt->only_counters)
		return;
	sfmt->epoch++;
	if (sfmt->at_resolve)
		return;
	for (uint64_t n = sfmt->table.head; n < sfmt->table.tail; n++) {
		struct branch_row *row = branch_table_row(&sfmt->table, n);

		row->since = sfmt->running;
		row->penalty = 0;
	}
}

static void add_stalls(struct sfmt *sfmt)
{
	for (unsigned i = 0; i < I_COUNTERS; i++)
		sfmt->global[COMPONENT_L1I + i] += count_saturated(sfmt->stalls[i]);
	sfmt->losses.wrong += sfmt->wrong;
	clear_stalls(sfmt);
	sfmt->epoch++;
}

static void resolve(struct sfmt *sfmt, const struct cycle_event *e)
{
	struct branch_row *row = branch_table_resolve(&sfmt->table, e->slot);

	row->penalty = sfmt->running - row->since;
	sfmt->refilling = row;
	sfmt->is_refilling = true;
	sfmt->awaited = NO_SLOT;
	if (sfmt->at_resolve)
		clear_for_branch(sfmt);
}

static void commit(struct sfmt *sfmt, const struct cycle_event *e)
{
	if (e->detail & FETCH_WAITS && sfmt->bit_epoch[e->slot] == sfmt->epoch)
		add_stalls(sfmt);
	if (!(e->detail & COMMIT_BRANCH))
		return;
	struct branch_row *row = branch_table_commit(&sfmt->table);
	if (!(e->detail & COMMIT_MISPREDICTED))
		return;
	sfmt->global[COMPONENT_BRANCH] += count_saturated(row->penalty);
	if (sfmt->refilling == row)
		sfmt->refilling = NULL;
	if (!sfmt->at_resolve)
		clear_for_branch(sfmt);
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
			resolve(sfmt, e);
			awaited = NO_SLOT;
			break;
		case EVENT_REPLAY:
			branch_table_replay(&sfmt->table, e->amount);
			sfmt->is_refilling = false;
			sfmt->refilling = NULL;
			sfmt->awaited = awaited = NO_SLOT;
			break;
		case EVENT_COMMIT: commit(sfmt, e); break;
		case EVENT_FETCH_MISS: sfmt->awaited = e->slot; break;
		default: break;
		}
	}
	/* The awaited instruction is delivered. A miss that begins in this cycle delays a later
	 * instruction. */
	if (c->fetched && awaited != NO_SLOT) {
		sfmt->bit_epoch[awaited] = sfmt->epoch;
		if (sfmt->awaited == awaited)
			sfmt->awaited = NO_SLOT;
	}
}

static void count_stall(struct sfmt *sfmt, const struct cycle *c, enum component stall,
			uint64_t cycles)
{
	sfmt->stalls[stall - COMPONENT_L1I] += cycles;
	if (c->wrong_path)
		sfmt->wrong += cycles;
	else
		sfmt->right += cycles;
}

static void count_not_full(struct sfmt *sfmt, const struct cycle *c, uint64_t cycles)
{
	enum component stall = count_fetch_stall(c);

	sfmt->running += cycles;
	if (stall != COMPONENT_BASE) {
		count_stall(sfmt, c, stall, cycles);
	} else if (sfmt->is_refilling) {
		if (sfmt->refilling)
			sfmt->refilling->penalty += cycles;
		else
			sfmt->global[COMPONENT_BRANCH] += cycles;
	}
}

static void cycle(void *counter, const struct cycle *c)
{
	struct sfmt *sfmt = counter;
	uint64_t before_full = count_is_full(c, sfmt->config.rob_size, false) ? 0 : c->repeat;

	if (c->event_kinds || sfmt->awaited != NO_SLOT)
		take_events(sfmt, c);
	count_blocked_follow(&sfmt->blocked, c);
	if (sfmt->is_aged) {
		uint64_t young = count_age_cycles(&sfmt->age, &sfmt->config, c);

		if (young < before_full)
			before_full = young;
	}
	if (c->dispatched) {
		sfmt->is_refilling = false;
		sfmt->refilling = NULL;
	}
	count_not_full(sfmt, c, before_full);
	if (before_full < c->repeat)
		count_blocked_add(&sfmt->blocked, c, c->repeat - before_full);
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
		.read = read, .describe = describe, .bits = bits, .destroy = destroy          \
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
	.read = read,
	.bits = aged_bits,
	.destroy = destroy,
};
