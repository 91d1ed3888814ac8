#include <stdlib.h>

#include "base/array.h"
#include "base/bits.h"
#include "count/sites.h"

#define FIRST_ROOM 1024 /* places; a power of two, as every later number of them */

struct sites {
	unsigned levels; /* of caches */
	struct site *places;
	bool *is_used;
	size_t count, room;
};

static void *create(const struct config *config, uint32_t in_flight)
{
	struct sites *sites = mem_alloc(sizeof(*sites));

	(void)in_flight;
	sites->levels = config->cache_levels;
	sites->room = FIRST_ROOM;
	sites->places = mem_alloc_array(sites->room, sizeof(*sites->places));
	sites->is_used = mem_alloc_array(sites->room, sizeof(*sites->is_used));
	return sites;
}

static void destroy(void *counter)
{
	struct sites *sites = counter;

	free(sites->places);
	free(sites->is_used);
	free(sites);
}

/* The place of an address, or the free one where it belongs. At most half of them are used. */
static size_t place_of(const struct sites *sites, uint64_t pc)
{
	size_t i = (size_t)((pc >> 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (sites->room - 1);

	while (sites->is_used[i] && sites->places[i].pc != pc)
		i = (i + 1) & (sites->room - 1);
	return i;
}

static void grow(struct sites *sites)
{
	struct site *places = sites->places;
	bool *is_used = sites->is_used;
	const size_t room = sites->room;

	sites->room = 2 * room;
	sites->places = mem_alloc_array(sites->room, sizeof(*sites->places));
	sites->is_used = mem_alloc_array(sites->room, sizeof(*sites->is_used));
	for (size_t i = 0; i < room; i++) {
		if (!is_used[i])
			continue;
		const size_t place = place_of(sites, places[i].pc);
		sites->places[place] = places[i];
		sites->is_used[place] = true;
	}
	free(places);
	free(is_used);
}

static struct site *site_of(struct sites *sites, uint64_t pc)
{
	size_t place = place_of(sites, pc);

	if (LIKELY(sites->is_used[place]))
		return &sites->places[place];
	if (2 * (sites->count + 1) > sites->room) {
		grow(sites);
		place = place_of(sites, pc);
	}
	sites->count++;
	sites->is_used[place] = true;
	sites->places[place].pc = pc;
	return &sites->places[place];
}

static void add_misses(uint64_t misses[SITE_MISSES], unsigned tags)
{
	static const unsigned bits[SITE_MISSES] = {DATA_MISS_TLB, DATA_MISS_L1, DATA_MISS_L2,
						   DATA_MISS_L3};

	for (unsigned i = 0; i < SITE_MISSES; i++)
		misses[i] += (tags & bits[i]) != 0;
}

/* The phase after a miss in the last cache is that of memory. */
static enum site_source source_of(const struct sites *sites, const struct cycle_waits *waits)
{
	for (unsigned i = 3; waits && i; i--)
		if (waits->data[i])
			return i >= sites->levels ? SITE_MEMORY : (enum site_source)i;
	return SITE_L1D;
}

static void retire(struct sites *sites, const struct cycle_retired *insn,
		   const struct cycle_waits *waits)
{
	struct site *site = site_of(sites, insn->pc);

	if (insn->marks & RETIRED_BRANCH) {
		site->branches++;
		site->taken += (insn->marks & RETIRED_TAKEN) != 0;
		site->mispredicted += (insn->marks & RETIRED_MISPREDICTED) != 0;
	}
	site->stores += (insn->marks & RETIRED_STORES) != 0;
	if (insn->marks & RETIRED_LOADS) {
		site->loads++;
		add_misses(site->misses, insn->tags);
		site->sources[source_of(sites, waits)]++;
	}
}

static void take_store_misses(struct sites *sites, const struct cycle *c)
{
	for (uint32_t i = 0; i < c->event_count; i++)
		if (c->events[i].kind == EVENT_STORE_MISS)
			add_misses(site_of(sites, c->events[i].pc)->store_misses,
				   c->events[i].detail);
}

static void cycle(void *counter, const struct cycle *c)
{
	const unsigned wanted = RETIRED_BRANCH | RETIRED_LOADS | RETIRED_STORES;
	const struct cycle_waits *waits = c->waits;
	struct sites *sites = counter;

	for (unsigned i = 0; i < c->committed; i++) {
		const struct cycle_retired *insn = &c->retired[i];
		const struct cycle_waits *own = insn->has_waits ? waits++ : NULL;

		if (insn->marks & wanted)
			retire(sites, insn, own);
	}
	if (UNLIKELY(c->event_kinds & EVENT_BIT(EVENT_STORE_MISS)))
		take_store_misses(sites, c);
}

/* In order, a miss that begins holds up what needs it: the furthest that began is the source. */
static void commit_in_order(struct sites *sites, const struct cycle_event *e)
{
	const bool stores = e->insn_class == CLASS_STORE;
	const bool loads = e->insn_class == CLASS_LOAD || e->insn_class == CLASS_ATOMIC;

	if (!(e->detail & COMMIT_BRANCH) && !loads && !stores)
		return;
	struct site *site = site_of(sites, e->pc);
	if (e->detail & COMMIT_BRANCH) {
		site->branches++;
		site->taken += (e->detail & COMMIT_TAKEN) != 0;
		site->mispredicted += (e->detail & COMMIT_MISPREDICTED) != 0;
	}
	site->stores += stores;
	if (loads) {
		const struct cycle_waits waits = {.data = {0, e->detail & DATA_MISS_L1,
							   e->detail & DATA_MISS_L2,
							   e->detail & DATA_MISS_L3}};

		site->loads++;
		add_misses(site->misses, e->detail);
		site->sources[source_of(sites, &waits)]++;
	}
}

static void cycle_in_order(void *counter, const struct cycle *c)
{
	struct sites *sites = counter;

	for (uint32_t i = 0; i < c->event_count; i++) {
		const struct cycle_event *e = &c->events[i];

		if (EVENT_BIT(e->kind) & EVENTS_OF_COMMIT)
			commit_in_order(sites, e);
	}
	if (UNLIKELY(c->event_kinds & EVENT_BIT(EVENT_STORE_MISS)))
		take_store_misses(sites, c);
}

const struct site *sites_find(const struct sites *sites, uint64_t pc)
{
	const size_t place = place_of(sites, pc);

	return sites->is_used[place] ? &sites->places[place] : NULL;
}

const struct observer_kind count_sites = {
	.name = "sites",
	.summary = "what happened at each branch, load and store",
	.events = EVENTS_RETIRED | EVENT_BIT(EVENT_STORE_MISS),
	.create = create,
	.cycle = cycle,
	.destroy = destroy,
};

const struct observer_kind count_sites_in_order = {
	.name = "sites",
	.summary = "what happened at each branch, load and store",
	.events = EVENTS_OF_COMMIT | EVENT_BIT(EVENT_STORE_MISS),
	.create = create,
	.cycle = cycle_in_order,
	.destroy = destroy,
};
