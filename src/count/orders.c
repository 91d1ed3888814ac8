#include "count/orders.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/err.h"

/* Whether the set contains everything that this cause needs, and not the cause itself. */
static bool can_be_next(const struct orders *orders, uint32_t set, unsigned cause)
{
	return !(set & 1u << cause) && (orders->needs[cause] & ~set) == 0;
}

static bool is_set(const struct orders *orders, uint32_t set)
{
	for (unsigned i = 0; i < orders->count; i++)
		if (set & 1u << i && orders->needs[i] & ~set)
			return false;
	return true;
}

size_t orders_find(const struct orders *orders, uint32_t set)
{
	size_t low = 0, high = orders->set_count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (orders->sets[middle] <= set)
			low = middle;
		else
			high = middle;
	}
	BUG_ON(orders->sets[low] != set);
	return low;
}

/* A set comes after all its subsets, so one pass in each direction counts the ways. */
static void count_ways(struct orders *orders)
{
	const size_t last = orders->set_count - 1;

	orders->ways_to = mem_alloc_array(orders->set_count, sizeof(*orders->ways_to));
	orders->ways_from = mem_alloc_array(orders->set_count, sizeof(*orders->ways_from));
	orders->ways_to[0] = orders->ways_from[last] = 1;
	for (size_t i = 0; i <= last; i++)
		for (unsigned k = 0; k < orders->count; k++)
			if (can_be_next(orders, orders->sets[i], k))
				orders->ways_to[orders_find(orders, orders->sets[i] | 1u << k)] +=
					orders->ways_to[i];
	for (size_t i = last; i-- > 0;)
		for (unsigned k = 0; k < orders->count; k++)
			if (can_be_next(orders, orders->sets[i], k))
				orders->ways_from[i] += orders->ways_from[orders_find(
					orders, orders->sets[i] | 1u << k)];
}

void orders_init(struct orders *orders, unsigned count, const uint32_t *needs)
{
	size_t capacity = 0;

	BUG_ON(count > ORDERS_MOST);
	*orders = (struct orders){.count = count};
	for (unsigned i = 0; i < count; i++) {
		orders->needs[i] = needs[i];
		BUG_ON(needs[i] >> count || needs[i] & 1u << i);
		for (unsigned k = 0; k < count; k++)
			BUG_ON(needs[i] & 1u << k && needs[k] & ~needs[i]);
	}
	for (uint32_t set = 0; set < 1u << count; set++)
		if (is_set(orders, set))
			*ARRAY_PUSH(orders->sets, orders->set_count, capacity) = set;
	count_ways(orders);
}

void orders_release(struct orders *orders)
{
	free(orders->sets);
	free(orders->ways_to);
	free(orders->ways_from);
}

uint64_t orders_all(const struct orders *orders)
{
	return orders->ways_from[0];
}

struct orders_cost orders_cost_of(const struct orders *orders, const uint64_t *cycles,
				  unsigned cause)
{
	struct orders_cost cost = {.lowest = INT64_MAX, .highest = INT64_MIN};
	/* Cycles times orders may need more than 64 bits. */
	__int128 sum = 0;

	for (size_t i = 0; i < orders->set_count; i++) {
		if (!can_be_next(orders, orders->sets[i], cause))
			continue;
		const size_t after = orders_find(orders, orders->sets[i] | 1u << cause);
		const int64_t added = (int64_t)(cycles[after] - cycles[i]);
		const uint64_t ways = orders->ways_to[i] * orders->ways_from[after];

		if (added < cost.lowest)
			cost.lowest = added;
		if (added > cost.highest)
			cost.highest = added;
		sum += (__int128)added * ways;
	}
	cost.mean = (double)sum / (double)orders_all(orders);
	return cost;
}

bool orders_interaction(const struct orders *orders, const uint64_t *cycles, unsigned first,
			unsigned second, double *mean)
{
	const uint32_t one = 1u << first, other = 1u << second;
	uint64_t all_ways = 0;
	__int128 sum = 0;

	for (size_t i = 0; i < orders->set_count; i++) {
		const uint32_t set = orders->sets[i];

		if (!can_be_next(orders, set, first) || !can_be_next(orders, set, second))
			continue;
		const size_t both = orders_find(orders, set | one | other);
		const uint64_t ways = orders->ways_to[i] * orders->ways_from[both];

		sum += (__int128)(int64_t)(cycles[both] - cycles[orders_find(orders, set | one)] -
					   cycles[orders_find(orders, set | other)] + cycles[i]) *
		       ways;
		all_ways += ways;
	}
	if (all_ways)
		*mean = (double)sum / (double)all_ways;
	return all_ways > 0;
}
