#include "../test.h"
#include "base/array.h"
#include "base/bits.h"
#include "base/rng.h"
#include "mem/prefetch.h"
#include "twin_prefetch.h"

#define LINE 64
#define PAGE 4096

static const struct prefetch_kind *const kinds[] = {&prefetch_next_line, &prefetch_adjacent_line,
						    &prefetch_stride, &prefetch_stream};

enum { ACCESSES = 2048, SPAN_LINES = 1 << 16 };

/* A cache that never evicts, large enough for every test's addresses. */
struct played {
	uint8_t *lines; /* 0: not present; 1: present; 2: prefetched and not yet used */
	unsigned misses;
	unsigned named;
};

/* Plays addresses[i], accessed by the instruction at pcs[i], and counts the remaining misses. */
static void play(const struct prefetch_kind *kind, const uint64_t *addresses, const uint64_t *pcs,
		 struct played *played)
{
	struct prefetcher prefetcher;

	*played = (struct played){.lines = calloc(SPAN_LINES, 1)};
	prefetcher_init(&prefetcher, kind, LINE, PAGE);
	for (unsigned i = 0; i < ACCESSES; i++) {
		uint8_t *line = &played->lines[addresses[i] / LINE];
		struct prefetch_access access = {addresses[i], pcs[i], *line != 0, *line == 2};
		uint64_t lines[PREFETCH_MOST_LINES];
		unsigned count = kind->observe(&prefetcher, &access, lines);

		assert_true(addresses[i] / LINE < SPAN_LINES);
		played->misses += !*line;
		*line = 1;
		for (unsigned n = 0; n < count; n++) {
			played->named++;
			if (!played->lines[lines[n] / LINE])
				played->lines[lines[n] / LINE] = 2;
		}
	}
	free(played->lines);
	prefetcher_release(&prefetcher);
}

static unsigned misses(const struct prefetch_kind *kind, const uint64_t *addresses,
		       const uint64_t *pcs)
{
	struct played played;

	play(kind, addresses, pcs, &played);
	return played.misses;
}

TEST(next_line_follows_a_run_up_but_not_down)
{
	uint64_t up[ACCESSES];
	uint64_t down[ACCESSES];
	uint64_t pcs[ACCESSES] = {0};

	for (unsigned i = 0; i < ACCESSES; i++) {
		up[i] = i * LINE;
		down[i] = (ACCESSES - 1 - i) * LINE;
	}
	/* Only the first line of each of the 32 pages misses. */
	assert_int_equal(misses(&prefetch_next_line, up, pcs), ACCESSES * LINE / PAGE);
	assert_int_equal(misses(&prefetch_next_line, down, pcs), ACCESSES);
}

TEST(adjacent_line_completes_pairs_and_no_more)
{
	uint64_t pairs[ACCESSES];
	uint64_t apart[ACCESSES];
	uint64_t pcs[ACCESSES] = {0};
	struct played played;

	for (unsigned i = 0; i < ACCESSES; i++) {
		pairs[i] = (i ^ 1) * LINE; /* the upper of each pair first */
		apart[i] = i * 2 * LINE;
	}
	play(&prefetch_adjacent_line, pairs, pcs, &played);
	assert_int_equal(played.misses, ACCESSES / 2);
	assert_int_equal(played.named, ACCESSES / 2);
	assert_int_equal(misses(&prefetch_adjacent_line, apart, pcs), ACCESSES);
}

TEST(stride_follows_each_instruction_through_interleaving)
{
	uint64_t strides[ACCESSES];
	uint64_t random[ACCESSES];
	uint64_t pcs[ACCESSES];
	struct rng rng = {1};
	unsigned pages;

	/* Two instructions alternate: one goes up by 3 lines, one down by 5. */
	for (unsigned i = 0; i < ACCESSES; i++) {
		pcs[i] = 0x1000 + 4 * (i % 2);
		strides[i] = i % 2 ? (SPAN_LINES - 1 - (uint64_t)i / 2 * 5) * LINE
				   : (uint64_t)i / 2 * 3 * LINE;
		random[i] = rng_below(&rng, SPAN_LINES) * LINE;
	}
	/* At most one miss per page, which a stride cannot predict, and those before it is
	 * learned. */
	pages = ACCESSES / 2 * (3 + 5) * LINE / PAGE;
	assert_true(misses(&prefetch_stride, strides, pcs) <= pages + 8);
	assert_true(misses(&prefetch_next_line, strides, pcs) > ACCESSES * 9 / 10);
	assert_true(misses(&prefetch_stride, random, pcs) > ACCESSES * 9 / 10);
	/* The same addresses from one pc have no constant stride. */
	memset(pcs, 0, sizeof(pcs));
	assert_true(misses(&prefetch_stride, strides, pcs) > ACCESSES * 9 / 10);
}

TEST(stride_takes_short_strides_a_line_at_a_time)
{
	uint64_t addresses[ACCESSES];
	uint64_t pcs[ACCESSES] = {0};

	for (unsigned i = 0; i < ACCESSES; i++)
		addresses[i] = PAGE * 5 - 8 - (uint64_t)i * 8;
	assert_true(ACCESSES * 8 <= PAGE * 5 - 8);
	/* 256 lines on 4 pages. */
	assert_in_range(misses(&prefetch_stride, addresses, pcs), 4, 5);
}

TEST(stream_runs_ahead_both_ways_in_16_pages)
{
	uint64_t pcs[ACCESSES] = {0};

	for (uint64_t pages = 1; pages <= 17; pages++) {
		uint64_t addresses[ACCESSES];
		unsigned count = 0;
		unsigned missed;

		/* Goes through `pages` pages at the same time, one line in each in turn,
		 * downwards in odd ones. */
		for (uint64_t round = 0; count < ACCESSES; round++)
			for (uint64_t page = 0; page < pages && count < ACCESSES; page++) {
				uint64_t line = round % (PAGE / LINE);

				if (page % 2)
					line = PAGE / LINE - 1 - line;
				addresses[count++] = ((round * LINE / PAGE * pages + page) * PAGE +
						      line * LINE) %
						     ((uint64_t)SPAN_LINES * LINE);
			}
		missed = misses(&prefetch_stream, addresses, pcs);
		/* Three in each page: it takes two moves to detect a direction. */
		if (pages <= 16)
			assert_true(missed <= 3 * (ACCESSES * LINE / PAGE + pages));
		else
			assert_int_equal(missed, ACCESSES);
	}
}

TEST(stream_finds_no_direction_in_alternating_steps)
{
	uint64_t addresses[ACCESSES];
	uint64_t pcs[ACCESSES] = {0};
	struct played played;

	/* Within a page every move up is followed by one down. */
	for (unsigned i = 0; i < ACCESSES; i++)
		addresses[i] = i / 32 * (uint64_t)PAGE + (i % 2 ? 32 + i % 32 : i % 32) * LINE;
	play(&prefetch_stream, addresses, pcs, &played);
	assert_int_equal(played.named, 0);
	assert_int_equal(played.misses, ACCESSES);
}

/* For any accesses: never another page, never the accessed line, no line twice, only whole
 * lines. */
TEST(none_ever_leaves_the_page)
{
	for (size_t k = 0; k < ARRAY_COUNT(kinds); k++) {
		for (uint64_t tlb_page = 1024; tlb_page <= 1 << 20; tlb_page *= 4) {
			uint64_t page = tlb_page < PAGE ? tlb_page : PAGE;
			struct prefetcher prefetcher;
			struct rng rng = {k};
			uint64_t address = 0;
			unsigned named = 0;

			prefetcher_init(&prefetcher, kinds[k], LINE, tlb_page);
			for (int i = 0; i < 50000; i++) {
				struct prefetch_access access = {.hit = rng_below(&rng, 2)};
				uint64_t lines[PREFETCH_MOST_LINES];
				unsigned count;

				/* Runs up and down with odd steps, from both ends of the address
				 * space. */
				if (rng_below(&rng, 20) == 0)
					address = rng_next(&rng) | -rng_below(&rng, 2);
				else
					address += (uint64_t)(i / 1000 % 2 ? -72 : 40) *
						   (1 + (uint64_t)i / 10000 * 3);
				access.address = address;
				access.pc = address ? (uint64_t)i / 1000 : UINT64_MAX;
				count = kinds[k]->observe(&prefetcher, &access, lines);
				assert_true(count <= PREFETCH_MOST_LINES);
				named += count;
				for (unsigned n = 0; n < count; n++) {
					assert_int_equal(lines[n] % LINE, 0);
					assert_int_equal(lines[n] / page, address / page);
					assert_int_not_equal(lines[n] / LINE, address / LINE);
					for (unsigned m = 0; m < n; m++)
						assert_int_not_equal(lines[n], lines[m]);
				}
			}
			assert_true(named > 1000);
			prefetcher_release(&prefetcher);
		}
	}
}

TEST(kinds_are_found_by_name)
{
	for (size_t k = 0; k < ARRAY_COUNT(kinds); k++)
		assert_ptr_equal(prefetch_find(kinds[k]->name), kinds[k]);
	assert_ptr_equal(prefetch_find("next-line"), &prefetch_next_line);
	assert_null(prefetch_find("none"));
	assert_null(prefetch_find("next_lines"));
	assert_null(prefetch_find(""));
}

TEST(each_names_what_its_description_says)
{
	for (uint64_t seed = 0; seed < 40; seed++) {
		const struct prefetch_kind *kind = kinds[seed % 4];
		uint64_t line_bytes = 16u << seed / 4 % 4, page_bytes = 1024u << seed / 16 % 4,
			 named = 0;
		struct prefetcher prefetcher;
		struct twin_prefetcher *twin =
			twin_prefetcher_create(kind->name, line_bytes, page_bytes);
		struct rng rng = {seed};
		uint64_t address = 1 << 20;

		prefetcher_init(&prefetcher, kind, line_bytes, page_bytes);
		for (unsigned step = 0; step < 20000; step++) {
			static const int64_t moves[] = {8,   8,	  8,   64,   64,
							-16, -16, 200, 4096, -5000};
			struct prefetch_access access = {.pc = rng_below(&rng, 3) * 64,
							 .hit = rng_below(&rng, 2)};
			uint64_t lines[PREFETCH_MOST_LINES] = {0}, wanted[4] = {0};

			/* A move is repeated for a while, so that there is something to learn. */
			address += (uint64_t)moves[step / 13 * 7 % 10];
			if (!rng_below(&rng, 40))
				address = rng_below(&rng, 1 << 16);
			access.address = address;
			access.first_use = access.hit && rng_below(&rng, 2);
			unsigned count = kind->observe(&prefetcher, &access, lines);

			assert_int_equal(count, twin_prefetcher_observe(twin, address, access.pc,
									access.hit,
									access.first_use, wanted));
			assert_memory_equal(lines, wanted, sizeof(lines));
			named += count;
		}
		assert_true(named > 100);
		prefetcher_release(&prefetcher);
		free(twin);
	}
}

/* Of two prefetchers one is not shown the hits; they name the same lines for the rest, unless the
 * kind says that it sees hits. */
TEST(those_that_see_no_hits_do_without_them)
{
	for (size_t k = 0; k < ARRAY_COUNT(kinds); k++) {
		struct prefetcher all, some;
		struct rng rng = {.state = 7};
		bool differs = false;

		prefetcher_init(&all, kinds[k], LINE, PAGE);
		prefetcher_init(&some, kinds[k], LINE, PAGE);
		for (unsigned i = 0; i < 20000; i++) {
			uint64_t a[PREFETCH_MOST_LINES] = {0}, b[PREFETCH_MOST_LINES] = {0};
			struct prefetch_access access = {
				.address = 24 * i % (8 * PAGE), .pc = 4, .hit = rng_below(&rng, 2)};

			access.first_use = access.hit && !rng_below(&rng, 4);
			unsigned count = kinds[k]->observe(&all, &access, a);
			if (access.hit && !access.first_use)
				differs |= count != 0;
			else
				differs |= count != kinds[k]->observe(&some, &access, b) ||
					   memcmp(a, b, sizeof(a)) != 0;
		}
		assert_int_equal(differs, kinds[k]->sees_hits);
		prefetcher_release(&all);
		prefetcher_release(&some);
	}
}

/* One access, whether it hits and is a first use, and the lines it makes the prefetcher name. */
struct on_paper {
	uint64_t address;
	bool hit, first_use;
	uint64_t lines[PREFETCH_MOST_LINES];
	unsigned count;
};

static void follow_paper(const struct prefetch_kind *kind, const struct on_paper *steps,
			 size_t count)
{
	struct prefetcher prefetcher;

	prefetcher_init(&prefetcher, kind, 64, 4096);
	for (size_t i = 0; i < count; i++) {
		const struct on_paper *step = &steps[i];
		struct prefetch_access access = {step->address, 0x40, step->hit, step->first_use};
		uint64_t lines[PREFETCH_MOST_LINES];
		unsigned named = kind->observe(&prefetcher, &access, lines);

		if (named != step->count)
			fail_msg("%s, step %zu: %u lines instead of %u", kind->name, i, named,
				 step->count);
		for (unsigned n = 0; n < named; n++)
			assert_int_equal(lines[n], step->lines[n]);
	}
	prefetcher_release(&prefetcher);
}

/* Lines of 64 bytes, pages of 4096: the last line of a page is 63. */
TEST(lines_are_those_worked_out_on_paper)
{
	static const struct on_paper next_line[] = {
		{0, false, false, {64}, 1},   {20, true, false, {0}, 0},
		{64, true, true, {128}, 1},   {3968 + 63, false, false, {4032}, 1},
		{4032, false, false, {0}, 0}, {4096, false, false, {4160}, 1},
	};
	static const struct on_paper adjacent_line[] = {
		{0, false, false, {64}, 1},	 {64, false, false, {0}, 1},
		{128, true, false, {0}, 0},	 {128, true, true, {0}, 0},
		{4032, false, false, {3968}, 1}, {3968, false, false, {4032}, 1},
	};
	/* The stride of 200 is seen with the second access, confirmed by the third and the fourth;
	 * 800 is in line 768, 1000 in 960, 1200 in 1152. */
	static const struct on_paper stride[] = {
		{0, false, false, {0}, 0},
		{200, false, false, {0}, 0},
		{400, true, false, {0}, 0},
		{600, false, false, {768, 960}, 2},
		{800, false, false, {960, 1152}, 2},
		/* At full confidence one odd step unlearns nothing, a second one does. */
		{2000, false, false, {2176, 2368}, 2},
		{100, false, false, {0}, 0},
		{300, false, false, {0}, 0},
		{500, false, false, {0}, 0},
		{700, false, false, {896, 1088}, 2},
		/* At two confirmations one odd step does. */
		{720, false, false, {0}, 0},
		{740, false, false, {0}, 0},
		{760, false, false, {768, 832}, 2}, /* a stride of 20: a line each */
	};
	/* 20 is shorter than a line: the next lines. The second would be in the next page. */
	static const struct on_paper short_stride[] = {
		{3900, false, false, {0}, 0},	 {3920, false, false, {0}, 0},
		{3940, false, false, {0}, 0},	 {3960, false, false, {3968, 4032}, 2},
		{3980, false, false, {4032}, 1}, {4000, false, false, {4032}, 1},
		{4020, false, false, {4032}, 1}, {4040, false, false, {0}, 0},
	};
	/* Two moves up: four lines at an access, up to eight ahead. Then near the end of the page,
	 * and two moves down. */
	static const struct on_paper stream[] = {
		{10 * 64, false, false, {0}, 0},
		{11 * 64, false, false, {0}, 0},
		{11 * 64 + 8, true, false, {0}, 0},
		{12 * 64, true, false, {13 * 64, 14 * 64, 15 * 64, 16 * 64}, 4},
		{13 * 64, false, false, {17 * 64, 18 * 64, 19 * 64, 20 * 64}, 4},
		{14 * 64, false, false, {21 * 64, 22 * 64}, 2},
		{15 * 64, false, false, {23 * 64}, 1},
		{60 * 64, false, false, {61 * 64, 62 * 64, 63 * 64}, 3},
		{61 * 64, false, false, {0}, 0},
		{59 * 64, false, false, {0}, 0},
		{58 * 64, false, false, {57 * 64, 56 * 64, 55 * 64, 54 * 64}, 4},
	};

	follow_paper(&prefetch_next_line, next_line, ARRAY_COUNT(next_line));
	follow_paper(&prefetch_adjacent_line, adjacent_line, ARRAY_COUNT(adjacent_line));
	follow_paper(&prefetch_stride, stride, ARRAY_COUNT(stride));
	follow_paper(&prefetch_stride, short_stride, ARRAY_COUNT(short_stride));
	follow_paper(&prefetch_stream, stream, ARRAY_COUNT(stream));
}

/* What every kind relies on, by itself. */
TEST(a_line_is_added_once_and_within_the_page)
{
	struct prefetcher prefetcher;
	uint64_t lines[PREFETCH_MOST_LINES + 1] = {0};

	prefetcher_init(&prefetcher, &prefetch_next_line, 64, 1024);
	assert_int_equal(prefetch_name_line(&prefetcher, 100, 127, lines, 0), 0);
	assert_int_equal(prefetch_name_line(&prefetcher, 100, 1024, lines, 0), 0);
	assert_int_equal(prefetch_name_line(&prefetcher, 1024, 1023, lines, 0), 0);
	assert_int_equal(prefetch_name_line(&prefetcher, 100, 130, lines, 0), 1);
	assert_int_equal(lines[0], 128);
	assert_int_equal(prefetch_name_line(&prefetcher, 100, 191, lines, 1), 1);
	assert_int_equal(prefetch_name_line(&prefetcher, 100, 1023, lines, 1), 2);
	assert_int_equal(lines[1], 960);
	assert_int_equal(prefetch_name_line(&prefetcher, 100, 0, lines, 2), 3);
	assert_int_equal(prefetch_name_line(&prefetcher, 100, 256, lines, 3), 4);
	assert_int_equal(prefetch_name_line(&prefetcher, 100, 512, lines, 4), 4);
	assert_int_equal(lines[4], 0);
	prefetcher_release(&prefetcher);
}
