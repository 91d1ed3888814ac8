/*
 * fmt: the frontend miss event table (Eyerman et al. 2006, section 4.1.1), by two rules.
 *
 * published: exactly as the paper says. Every branch counts its cycles in the window except full
 * cycles; when a mispredicted one commits it adds them, and the global counter continues until an
 * instruction of the right path enters the window, unless one has entered it already. Branches that
 * wait together for one long miss count the same cycles twice, so the base can be negative.
 *
 * exclusive: I-side counters do not count in full cycles, and a mispredicted branch counts from
 * its dispatch to the first dispatch after its resolution, without full cycles and without I-side
 * stalls after the resolution. No cycle is then counted twice.
 *
 * In both, a full cycle is charged to what the oldest instruction waits for (blocked.h). A window
 * is full if its reorder buffer is, or if the next instruction finds no free entry in issue queue
 * or load/store queue; fmt-rob follows the paper's text and uses the reorder buffer alone.
 *
 * Where the paper says nothing: which branches have rows (here conditional, indirect and return
 * branches, all that can be mispredicted); what becomes of rows at the end of the run (they are
 * added); how wide the counters are (COUNT_LOCAL_BITS, and they saturate); whether a full window
 * whose oldest instruction is complete is a stall (it is not); what a load is that missed in the
 * D-TLB and in a cache (blocked.h); loads that are fetched again (their rows are removed).
 */
#include "count/fmt.h"

#include <stdlib.h>

#include "base/array.h"
#include "count/fmt_rule.h"
#include "count/usual.h"

static void *create(const struct config *config, uint32_t slots, bool is_published, bool only_rob)
{
	struct fmt *fmt = mem_alloc(sizeof(*fmt));

	fmt->rob_size = config->rob_size;
	count_blocked_init(&fmt->blocked, config);
	fmt->is_published = is_published;
	fmt->only_rob = only_rob;
	branch_table_init(&fmt->table, slots);
	return fmt;
}

static void *create_exclusive(const struct config *config, uint32_t slots)
{
	return create(config, slots, false, false);
}

static void *create_published(const struct config *config, uint32_t slots)
{
	return create(config, slots, true, false);
}

static void *create_rob(const struct config *config, uint32_t slots)
{
	return create(config, slots, false, true);
}

static void destroy(void *counter)
{
	struct fmt *fmt = counter;

	branch_table_release(&fmt->table);
	free(fmt);
}

static void take_events(struct fmt *fmt, const struct cycle *c)
{
	for (uint32_t i = 0; i < c->event_count; i++) {
		const struct cycle_event *e = &c->events[i];

		switch ((enum cycle_event_kind)e->kind) {
		case EVENT_BRANCH_FETCH: branch_table_fetch(&fmt->table); break;
		case EVENT_BRANCH_DISPATCH:
			branch_table_dispatch(&fmt->table, e->slot, fmt->running);
			break;
		case EVENT_MISPREDICT: fmt_resolve(fmt, e->slot); break;
		case EVENT_REPLAY: fmt_replay(fmt, e->amount); break;
		case EVENT_COMMIT:
			if (e->detail & COMMIT_BRANCH)
				fmt_commit(fmt, fmt->is_published, e->detail & COMMIT_MISPREDICTED);
			break;
		default: break;
		}
	}
}

static void cycle(void *counter, const struct cycle *c)
{
	struct fmt *fmt = counter;

	if (c->event_kinds)
		take_events(fmt, c);
	fmt_record(fmt, fmt->is_published, c, count_is_full(c, fmt->rob_size, fmt->only_rob),
		   count_fetch_stall(c));
}

void fmt_read_words(const void *counter, struct fmt_words *words)
{
	const struct fmt *fmt = counter;

	*words = (struct fmt_words){0};
	for (unsigned i = 0; i < COMPONENT_COUNT; i++) {
		words->global[i] = fmt->global[i] + fmt->blocked.cycles[i];
		words->early[i] = fmt->blocked.early[i];
	}
	for (uint64_t n = fmt->table.head; n <= fmt->table.fetch; n++)
		for (unsigned i = 0; i < I_COUNTERS; i++)
			words->stalls[i] += branch_table_row(&fmt->table, n)->stalls[i];
}

static void read(const void *counter, uint64_t cycles, struct stack *stack)
{
	struct fmt_words words;

	fmt_read_words(counter, &words);
	fmt_words_stack(&words, cycles, stack);
}

/* A row has the I-side counters, the branch penalty, a bit for a misprediction, and the index in
 * the reorder buffer by which a resolving branch finds it. */
static uint64_t bits(const struct config *config)
{
	uint64_t row = (config->cache_levels + 1) * COUNT_LOCAL_BITS + COUNT_LOCAL_BITS + 1;
	unsigned place = 1;

	while (1u << place < config->rob_size)
		place++;
	return count_global_bits(config) + count_branch_rows(config) * (row + place) +
	       count_blocked_bits(config);
}

const struct observer_kind count_fmt = {
	.name = "fmt",
	.summary = "frontend miss event table, every cycle charged once",
	.needs_ooo = true,
	.is_hardware = true,
	.is_usual = true,
	.events = EVENTS_USUAL,
	.create = create_exclusive,
	.cycle = cycle,
	.group = &count_usual,
	.read = read,
	.bits = bits,
	.destroy = destroy,
};

const struct observer_kind count_fmt_published = {
	.name = "fmt-published",
	.summary = "frontend miss event table, to the letter of the paper",
	.needs_ooo = true,
	.is_hardware = true,
	.is_usual = true,
	.events = EVENTS_USUAL,
	.create = create_published,
	.cycle = cycle,
	.group = &count_usual,
	.read = read,
	.bits = bits,
	.destroy = destroy,
};

const struct observer_kind count_fmt_rob = {
	.name = "fmt-rob",
	.summary = "fmt, full meaning the reorder buffer alone",
	.needs_ooo = true,
	.is_hardware = true,
	.events = EVENTS_USUAL,
	.create = create_rob,
	.cycle = cycle,
	.read = read,
	.bits = bits,
	.destroy = destroy,
};
