#include <sys/mman.h>

#include "../test.h"
#include "base/rng.h"
#include "guest/memory.h"

#define PAGE GUEST_PAGE_BYTES

static void make(struct memory *memory, uint64_t limit)
{
	struct err err;

	assert_true(memory_init(memory, limit, &err));
}

TEST(fresh_pages_are_zero_and_obey_their_protection)
{
	struct memory m;
	uint64_t value = 1;

	make(&m, 1 << 20);
	assert_true(memory_map(&m, 16 * PAGE, PAGE, PAGE_READ));
	assert_true(memory_read(&m, &value, 16 * PAGE, 8));
	assert_int_equal(value, 0);
	assert_false(memory_write(&m, 16 * PAGE, &value, 8));
	assert_true(memory_protect(&m, 16 * PAGE, PAGE, PAGE_WRITE));
	value = 7;
	assert_true(memory_write(&m, 17 * PAGE - 8, &value, 8));
	assert_false(memory_write(&m, 17 * PAGE - 7, &value, 8));
	assert_false(memory_read(&m, &value, 15 * PAGE, 8));
	memory_unmap(&m, 16 * PAGE, PAGE);
	assert_false(memory_read(&m, &value, 16 * PAGE, 8));
	assert_true(memory_map(&m, 16 * PAGE, PAGE, PAGE_READ));
	assert_true(memory_read(&m, &value, 17 * PAGE - 8, 8));
	assert_int_equal(value, 0);
	memory_release(&m);
}

TEST(addresses_outside_the_space_are_refused)
{
	static const uint64_t wild[] = {
		GUEST_SPACE_BYTES, GUEST_SPACE_BYTES - 1, UINT64_MAX, UINT64_C(1) << 63,
		UINT64_MAX - 7,	   GUEST_SPACE_BYTES * 2, 0};
	struct memory m;
	uint64_t value = 0;
	char text[16];

	make(&m, 1 << 20);
	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
		assert_false(memory_read(&m, &value, wild[i], 8));
		assert_false(memory_write(&m, wild[i], &value, 8));
		assert_int_equal(memory_readable(&m, wild[i], UINT64_MAX), 0);
		assert_int_equal(memory_read_string(&m, text, wild[i], sizeof(text)), -1);
	}
	memory_release(&m);
}

TEST(what_can_be_accessed_is_limited_to_a_multiple)
{
	const uint64_t most = 4 * MEMORY_OVERCOMMIT;
	struct memory m;

	make(&m, 4 * PAGE);
	assert_true(memory_map(&m, 0x100000, 1000 * PAGE, 0)); /* a reservation is free */
	assert_true(memory_protect(&m, 0x100000, most * PAGE, PAGE_READ | PAGE_WRITE));
	assert_false(memory_protect(&m, 0x100000, (most + 1) * PAGE, PAGE_READ));
	assert_true(memory_protect(&m, 0x100000, most * PAGE, 0)); /* they count on */
	assert_false(memory_map(&m, 0x10000, PAGE, PAGE_READ));
	memory_unmap(&m, 0x100000, PAGE);
	assert_true(memory_map(&m, 0x10000, PAGE, PAGE_READ));
	assert_int_equal(m.charged_bytes, most * PAGE);
	assert_int_equal(m.filled_bytes, 0);
	memory_release(&m);
}

TEST(pages_count_against_the_limit_when_they_are_filled)
{
	const uint64_t at = 0x100000;
	uint64_t value = 7;
	struct memory m;

	make(&m, 4 * PAGE);
	assert_true(memory_map(&m, at, 10 * PAGE, PAGE_READ | PAGE_WRITE));
	/* Reading fills nothing, and a store is not yet fast. */
	assert_true(memory_read(&m, &value, at + 9 * PAGE, 8));
	assert_int_equal(value, 0);
	assert_false(memory_allows(&m, at, PAGE_STORE));
	assert_true(memory_before_store(&m, at + PAGE - 4, 8));
	assert_int_equal(m.filled_bytes, 2 * PAGE);
	assert_true(memory_allows(&m, at, PAGE_STORE) && memory_allows(&m, at + PAGE, PAGE_STORE));
	assert_true(memory_before_store(&m, at, 8));
	assert_true(memory_write(&m, at + 2 * PAGE, &value, 8));
	assert_int_equal(m.filled_bytes, 3 * PAGE);
	/* All or nothing. */
	assert_false(memory_before_store(&m, at + 4 * PAGE - 4, 8));
	assert_int_equal(m.filled_bytes, 3 * PAGE);
	assert_false(m.is_exhausted);
	assert_false(memory_write(&m, at + 4 * PAGE - 4, &value, 8));
	assert_true(m.is_exhausted);
	assert_true(memory_before_store(&m, at + 3 * PAGE, 8));
	assert_false(memory_charge_host(&m, 1));
	/* What is protected keeps what it holds, and what is given up counts no more. */
	assert_true(memory_protect(&m, at, 10 * PAGE, PAGE_READ));
	assert_true(memory_protect(&m, at, 10 * PAGE, PAGE_READ | PAGE_WRITE));
	assert_true(memory_allows(&m, at, PAGE_STORE));
	assert_false(memory_allows(&m, at + 5 * PAGE, PAGE_STORE));
	memory_zero(&m, at, PAGE);
	assert_false(memory_allows(&m, at, PAGE_STORE));
	assert_int_equal(m.filled_bytes, 3 * PAGE);
	assert_true(memory_map(&m, at + PAGE, PAGE, PAGE_READ | PAGE_WRITE));
	assert_int_equal(m.filled_bytes, 2 * PAGE);
	assert_true(memory_move(&m, at + 50 * PAGE, at, 10 * PAGE));
	assert_int_equal(m.filled_bytes, 2 * PAGE);
	assert_true(memory_allows(&m, at + 53 * PAGE, PAGE_STORE));
	assert_false(memory_allows(&m, at + 54 * PAGE, PAGE_STORE));
	memory_unmap(&m, at + 50 * PAGE, 10 * PAGE);
	assert_int_equal(m.filled_bytes, 0);
	/* What is behind again is empty. */
	assert_true(memory_map(&m, at, 10 * PAGE, PAGE_READ | PAGE_WRITE));
	assert_false(memory_allows(&m, at + 3 * PAGE, PAGE_STORE));
	memory_release(&m);
}

TEST(strings_end_at_their_nul_or_say_why_not)
{
	struct memory m;
	char text[8];

	make(&m, 1 << 20);
	assert_true(memory_map(&m, PAGE, PAGE, PAGE_READ | PAGE_WRITE));
	memory_load(&m, 2 * PAGE - 4, "abc", 4);
	assert_int_equal(memory_read_string(&m, text, 2 * PAGE - 4, sizeof(text)), 3);
	assert_string_equal(text, "abc");
	memory_load(&m, 2 * PAGE - 4, "abcd", 4);
	assert_int_equal(memory_read_string(&m, text, 2 * PAGE - 4, sizeof(text)), -1);
	memory_load(&m, PAGE, "0123456789", 11);
	assert_int_equal(memory_read_string(&m, text, PAGE, sizeof(text)), -2);
	memory_release(&m);
}

/* A twin with one flag per page, for a small window of the space. */
#define WINDOW 64

TEST(random_maps_and_searches_agree_with_a_plain_array)
{
	struct memory m;
	bool twin[WINDOW] = {false};
	struct rng rng = {7};

	make(&m, 1 << 24);
	for (int step = 0; step < 20000; step++) {
		uint64_t start = rng_below(&rng, WINDOW), pages = 1 + rng_below(&rng, 6);

		if (start + pages > WINDOW)
			pages = WINDOW - start;
		uint64_t kind = rng_below(&rng, 3);
		if (kind == 2) {
			uint64_t expected = 0;

			for (uint64_t s = 1; s + pages <= WINDOW; s++) {
				bool is_free = true;

				for (uint64_t i = 0; i < pages; i++)
					is_free &= !twin[s + i];
				if (is_free)
					expected = s;
			}
			assert_int_equal(memory_find_free(&m, pages * PAGE, PAGE, WINDOW * PAGE),
					 expected * PAGE);
			continue;
		}
		if (kind == 0)
			assert_true(memory_map(&m, start * PAGE, pages * PAGE, PAGE_READ));
		else
			memory_unmap(&m, start * PAGE, pages * PAGE);
		for (uint64_t i = 0; i < pages; i++)
			twin[start + i] = kind == 0;
	}
	memory_release(&m);
}

struct changes {
	uint64_t address, count;
};

static void note_change(void *context, uint64_t address, uint64_t bytes)
{
	struct changes *changes = context;

	assert_int_equal(bytes, PAGE);
	changes->address = address;
	changes->count++;
}

TEST(a_change_of_a_decoded_page_is_reported_once)
{
	struct memory m;
	struct changes changes = {0, 0};
	uint32_t word = 0;

	make(&m, 1 << 20);
	m.code_changed = note_change;
	m.code_context = &changes;
	assert_true(memory_map(&m, PAGE, 2 * PAGE, PAGE_READ | PAGE_WRITE | PAGE_EXEC));
	memory_mark_decoded(&m, PAGE + 10);
	assert_false(memory_allows(&m, PAGE, PAGE_STORE));
	assert_true(memory_write(&m, PAGE + 100, &word, 4));
	assert_int_equal(changes.count, 1);
	assert_int_equal(changes.address, PAGE);
	assert_true(memory_allows(&m, PAGE, PAGE_STORE));
	assert_true(memory_write(&m, PAGE + 100, &word, 4));
	assert_int_equal(changes.count, 1);
	memory_mark_decoded(&m, 2 * PAGE);
	memory_unmap(&m, PAGE, 2 * PAGE);
	assert_int_equal(changes.count, 2);
	memory_release(&m);
}

TEST(pages_of_the_pool_are_the_same_wherever_they_are_shown)
{
	struct memory m;
	uint64_t at, value = 42, got;

	make(&m, 1 << 20);
	assert_true(memory_pool_take(&m, 4 * PAGE, &at));
	assert_true(memory_show(&m, 100 * PAGE, 4 * PAGE, at));
	assert_true(memory_show(&m, 200 * PAGE, 2 * PAGE, at + PAGE));
	assert_false(memory_read(&m, &got, 100 * PAGE, 8));
	memory_protect_shared(&m, 100 * PAGE, 4 * PAGE, PAGE_READ | PAGE_WRITE);
	memory_protect_shared(&m, 200 * PAGE, 2 * PAGE, PAGE_READ);
	assert_false(memory_allows(&m, 101 * PAGE, PAGE_STORE));
	memory_open_stores(&m, 101 * PAGE);
	memory_open_stores(&m, 200 * PAGE);
	assert_true(memory_allows(&m, 101 * PAGE, PAGE_STORE));
	assert_false(memory_allows(&m, 200 * PAGE, PAGE_STORE));
	assert_true(memory_write(&m, 101 * PAGE, &value, 8));
	assert_true(memory_read(&m, &got, 200 * PAGE, 8));
	assert_int_equal(got, value);
	memory_unmap(&m, 100 * PAGE, 4 * PAGE);
	assert_true(memory_read(&m, &got, 200 * PAGE, 8));
	assert_int_equal(got, value);
	assert_true(memory_map(&m, 101 * PAGE, PAGE, PAGE_READ));
	assert_true(memory_read(&m, &got, 101 * PAGE, 8));
	assert_int_equal(got, 0);
	memory_unmap(&m, 200 * PAGE, 2 * PAGE);
	memory_pool_free(&m, at, 4 * PAGE);
	assert_true(memory_pool_take(&m, 4 * PAGE, &at));
	assert_true(memory_show(&m, 100 * PAGE, 4 * PAGE, at));
	memory_protect_shared(&m, 100 * PAGE, 4 * PAGE, PAGE_READ);
	assert_true(memory_read(&m, &got, 101 * PAGE, 8));
	assert_int_equal(got, 0);
	memory_release(&m);
}

/* Small ranges are copied, large ones moved by the host. */
TEST(what_is_moved_keeps_contents_protection_and_charge)
{
	const uint64_t sizes[] = {PAGE, 3 * PAGE, 1024 * PAGE};
	struct memory m;

	for (size_t i = 0; i < 3; i++) {
		const uint64_t from = 10000 * PAGE, to = 50000 * PAGE, bytes = sizes[i];
		uint64_t value = 5 + i, got = 0;

		/* There is no room for both. */
		make(&m, bytes + bytes / 2);
		assert_true(memory_map(&m, from, bytes, PAGE_READ | PAGE_WRITE));
		assert_true(memory_write(&m, from + bytes - 8, &value, 8));
		assert_true(memory_protect(&m, from, PAGE, PAGE_READ));
		uint64_t charged = m.charged_bytes;

		assert_true(memory_move(&m, to, from, bytes));
		assert_int_equal(m.charged_bytes, charged);
		assert_true(memory_is_free(&m, from, bytes));
		assert_true(memory_read(&m, &got, to + bytes - 8, 8));
		assert_int_equal(got, value);
		assert_false(memory_write(&m, to, &value, 8));
		memory_unmap(&m, to, bytes);
		assert_int_equal(m.charged_bytes, 0);
		assert_true(memory_map(&m, from, bytes, PAGE_READ));
		assert_true(memory_read(&m, &got, from + bytes - 8, 8));
		assert_int_equal(got, 0);
		memory_release(&m);
	}
}

/* Nothing can be read after the page table, so a search that goes past its end does not return. */
static void guard_table(struct memory *m)
{
	const uint64_t bytes = GUEST_SPACE_BYTES >> GUEST_PAGE_BITS;
	uint8_t *table = mmap(NULL, bytes + PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_ptr_not_equal(table, MAP_FAILED);
	assert_int_equal(mprotect(table + bytes, PAGE, PROT_NONE), 0);
	munmap(m->pages, bytes);
	m->pages = table;
}

TEST(the_search_for_mapped_pages_ends_with_the_page_table)
{
	struct memory m;

	make(&m, 1 << 20);
	guard_table(&m);
	for (uint64_t back = 0; back < 20; back++)
		assert_int_equal(memory_next_mapped(&m, GUEST_SPACE_BYTES - back * PAGE),
				 GUEST_SPACE_BYTES);
	for (uint64_t mapped = 1; mapped < 20; mapped++) {
		const uint64_t at = GUEST_SPACE_BYTES - mapped * PAGE;

		assert_true(memory_map(&m, at, PAGE, PAGE_READ));
		for (uint64_t back = mapped; back < 40; back++)
			assert_int_equal(memory_next_mapped(&m, GUEST_SPACE_BYTES - back * PAGE),
					 at);
		assert_int_equal(memory_next_mapped(&m, at + PAGE), GUEST_SPACE_BYTES);
		memory_unmap(&m, at, PAGE);
	}
	munmap(m.pages + (GUEST_SPACE_BYTES >> GUEST_PAGE_BITS), PAGE);
	memory_release(&m);
}
