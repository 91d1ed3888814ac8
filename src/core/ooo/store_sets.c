#include "core/ooo/store_sets.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static uint64_t clear_cycles_of(const struct config *config)
{
	return config->store_sets_clear == UNLIMITED ? UINT64_MAX : config->store_sets_clear;
}

void store_sets_init(struct store_sets *sets, const struct config *config)
{
	*sets = (struct store_sets){
		.set_of = mem_alloc_array(config->store_sets_entries, sizeof(uint32_t)),
		.last_store =
			mem_alloc_array((size_t)config->store_sets_sets + 1, sizeof(uint64_t)),
		.mask = config->store_sets_entries - 1,
		.sets = config->store_sets_sets,
		.clear_cycles = clear_cycles_of(config),
	};
}

bool store_sets_fit(const struct store_sets *sets, const struct config *config)
{
	return sets->set_of && sets->mask == config->store_sets_entries - 1 &&
	       sets->sets == config->store_sets_sets &&
	       sets->clear_cycles == clear_cycles_of(config);
}

void store_sets_release(struct store_sets *sets)
{
	free(sets->set_of);
	free(sets->last_store);
}

static uint32_t *place_of(struct store_sets *sets, uint64_t pc)
{
	return &sets->set_of[pc / 2 & sets->mask];
}

uint32_t store_sets_find(struct store_sets *sets, uint64_t pc, uint64_t now)
{
	if (now / sets->clear_cycles != sets->cleared) {
		sets->cleared = now / sets->clear_cycles;
		memset(sets->set_of, 0, ((size_t)sets->mask + 1) * sizeof(*sets->set_of));
	}
	return *place_of(sets, pc);
}

uint64_t store_sets_enter(struct store_sets *sets, uint32_t set, uint64_t store)
{
	uint64_t before = sets->last_store[set];

	sets->last_store[set] = store;
	return before;
}

void store_sets_leave(struct store_sets *sets, uint32_t set, uint64_t store)
{
	if (sets->last_store[set] == store)
		sets->last_store[set] = 0;
}

void store_sets_forget_stores(struct store_sets *sets)
{
	memset(sets->last_store, 0, ((size_t)sets->sets + 1) * sizeof(*sets->last_store));
}

void store_sets_join(struct store_sets *sets, uint64_t load_pc, uint64_t store_pc, uint64_t now)
{
	uint32_t load = store_sets_find(sets, load_pc, now);
	uint32_t store = store_sets_find(sets, store_pc, now);
	uint32_t set = load && (!store || load < store) ? load : store;

	if (!set) {
		set = sets->next + 1;
		sets->next = set % sets->sets;
	}
	*place_of(sets, load_pc) = *place_of(sets, store_pc) = set;
}
