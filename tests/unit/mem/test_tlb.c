#include "../test.h"
#include "base/array.h"
#include "base/rng.h"
#include "mem/tlb.h"

/* One page a slot, with the time of its last use; 0: never used. */
struct slot {
	uint64_t page;
	uint64_t used;
	uint64_t ready_at;
};

static void compare(unsigned entries, unsigned ways, uint64_t page_bytes)
{
	struct tlb_parameters parameters = {entries, ways, 30};
	struct slot *slots = calloc(entries, sizeof(*slots));
	struct rng rng = {entries + ways};
	struct tlb tlb;

	assert_true(tlb_check(&parameters, "t", NULL));
	tlb_init(&tlb, &parameters, page_bytes);
	for (uint64_t step = 1; step < 20000; step++) {
		/* Small steps within a region that changes from time to time. */
		uint64_t page = rng_below(&rng, 2 * entries) + (step / 4096 << 20);
		uint64_t address = page * page_bytes + rng_below(&rng, page_bytes);
		struct slot *set = slots + page % (entries / ways) * ways;
		struct slot *slot = &set[0];
		struct tlb_entry *entry;
		bool expected = false;
		bool hit;

		for (unsigned way = 0; way < ways && !expected; way++) {
			expected = set[way].used && set[way].page == page;
			if (expected || set[way].used < slot->used)
				slot = &set[way];
		}
		if (!expected)
			*slot = (struct slot){.page = page};
		slot->used = step;
		entry = tlb_touch(&tlb, address, &hit);
		assert_int_equal(hit, expected);
		assert_int_equal(entry->ready_at, slot->ready_at);
		if (!hit)
			entry->ready_at = slot->ready_at = step + 30;
	}
	tlb_release(&tlb);
	free(slots);
}

TEST(it_hits_and_misses_as_its_twin)
{
	static const unsigned shapes[][2] = {{1, 1},  {4, 1},  {4, 4},	 {64, 4},
					     {12, 3}, {48, 6}, {64, 64}, {256, 2}};

	for (size_t i = 0; i < ARRAY_COUNT(shapes); i++)
		for (uint64_t page_bytes = 1024; page_bytes <= 1 << 21; page_bytes *= 4)
			compare(shapes[i][0], shapes[i][1], page_bytes);
}

TEST(impossible_shapes_are_refused_with_a_sentence)
{
	struct err err;

	assert_false(tlb_check(&(struct tlb_parameters){64, 3, 30}, "dtlb", &err));
	assert_string_equal(err.text, "dtlb: 64 entries in 3 ways do not make a number of sets "
				      "that is a power of two");
	assert_false(tlb_check(&(struct tlb_parameters){0, 1, 30}, "dtlb", &err));
	assert_false(tlb_check(&(struct tlb_parameters){4, 0, 30}, "dtlb", &err));
	assert_false(tlb_check(&(struct tlb_parameters){12, 2, 30}, "dtlb", &err));
}
