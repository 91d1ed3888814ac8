/* The address space at its limits: charges, hints, hooks and the pool, by numbers worked out on
 * paper. */
#include "../test.h"
#include "guest/memory.h"

#define PAGE  UINT64_C(4096)
#define SPACE (UINT64_C(1) << 38)

static void make(struct memory *memory, uint64_t limit)
{
	struct err err;

	assert_true(memory_init(memory, limit, &err));
	assert_int_equal(memory->charged_bytes, 0);
	assert_int_equal(memory->limit_bytes, limit);
}

TEST(numbers_of_the_space)
{
	assert_int_equal(GUEST_PAGE_BYTES, 4096);
	assert_int_equal(GUEST_SPACE_BYTES, 274877906944);
	assert_int_equal(MEMORY_POOL_BYTES, 274877906944);
	assert_int_equal(MEMORY_RESERVED_BYTES, 274877906944 + 2 * 67108864 + 274877906944);
	assert_true(memory_is_range(0, SPACE));
	assert_true(memory_is_range(SPACE, 0));
	assert_true(memory_is_range(SPACE - 5, 5));
	assert_false(memory_is_range(SPACE - 5, 6));
	assert_false(memory_is_range(1, SPACE));
	assert_false(memory_is_range(0, SPACE + 1));
	assert_false(memory_is_range(UINT64_MAX, 1));
	assert_true(memory_is_user_range(0, UINT64_C(1) << 47));
	assert_true(memory_is_user_range((UINT64_C(1) << 47) - 3, 3));
	assert_false(memory_is_user_range((UINT64_C(1) << 47) - 3, 4));
	assert_false(memory_is_user_range(0, (UINT64_C(1) << 47) + 1));
	assert_false(memory_is_user_range(UINT64_MAX - 1, 1));
}

TEST(an_access_needs_both_of_its_ends)
{
	struct memory m;

	make(&m, 1 << 20);
	assert_true(memory_map(&m, 4 * PAGE, PAGE, PAGE_READ));
	assert_true(memory_allows_access(&m, 4 * PAGE, 8, PAGE_READ));
	assert_true(memory_allows_access(&m, 5 * PAGE - 8, 8, PAGE_READ));
	assert_false(memory_allows_access(&m, 5 * PAGE - 7, 8, PAGE_READ));
	assert_true(memory_allows_access(&m, 5 * PAGE - 1, 1, PAGE_READ));
	assert_false(memory_allows_access(&m, 5 * PAGE - 1, 2, PAGE_READ));
	assert_false(memory_allows_access(&m, 4 * PAGE - 1, 2, PAGE_READ));
	assert_false(memory_allows_access(&m, 4 * PAGE, 8, PAGE_WRITE));
	assert_false(memory_allows(&m, SPACE, PAGE_READ));
	assert_true(memory_map(&m, SPACE - PAGE, PAGE, PAGE_READ));
	assert_true(memory_allows(&m, SPACE - 1, PAGE_READ));
	assert_false(memory_allows_access(&m, SPACE - 1, 2, PAGE_READ));
	assert_true(memory_map(&m, 5 * PAGE, PAGE, PAGE_READ));
	assert_true(memory_allows_access(&m, 5 * PAGE - 1, 2, PAGE_READ));
	memory_release(&m);
}

TEST(prefixes_end_where_the_permission_does)
{
	struct memory m;

	make(&m, 1 << 20);
	assert_true(memory_map(&m, 8 * PAGE, 2 * PAGE, PAGE_READ | PAGE_WRITE));
	assert_true(memory_map(&m, 10 * PAGE, PAGE, PAGE_READ));
	assert_true(memory_map(&m, 11 * PAGE, PAGE, PAGE_EXEC));
	assert_int_equal(memory_readable(&m, 8 * PAGE, 4 * PAGE), 3 * PAGE);
	assert_int_equal(memory_writable(&m, 8 * PAGE, 4 * PAGE), 2 * PAGE);
	assert_int_equal(memory_readable(&m, 8 * PAGE + 5, 100), 100);
	assert_int_equal(memory_readable(&m, 11 * PAGE - 5, 5), 5);
	assert_int_equal(memory_readable(&m, 11 * PAGE - 5, 6), 5);
	assert_int_equal(memory_writable(&m, 10 * PAGE - 1, PAGE), 1);
	assert_int_equal(memory_writable(&m, 10 * PAGE, PAGE), 0);
	assert_int_equal(memory_readable(&m, 8 * PAGE, 0), 0);
	/* A page that may be written may be read. */
	assert_true(memory_protect(&m, 8 * PAGE, PAGE, PAGE_WRITE));
	assert_int_equal(memory_readable(&m, 8 * PAGE, PAGE), PAGE);
	memory_release(&m);
}

TEST(strings_at_the_end_of_their_room)
{
	struct memory m;
	char text[8];

	make(&m, 1 << 20);
	assert_true(memory_map(&m, 4 * PAGE, PAGE, PAGE_READ | PAGE_WRITE));
	assert_true(memory_write(&m, 4 * PAGE, "abcdefg", 8));
	assert_int_equal(memory_read_string(&m, text, 4 * PAGE, 8), 7);
	assert_string_equal(text, "abcdefg");
	assert_int_equal(memory_read_string(&m, text, 4 * PAGE, 7), -2);
	assert_int_equal(memory_read_string(&m, text, 4 * PAGE + 7, 1), 0);
	assert_string_equal(text, "");
	assert_true(memory_write(&m, 5 * PAGE - 3, "xyz", 3));
	assert_int_equal(memory_read_string(&m, text, 5 * PAGE - 3, 3), -2);
	assert_int_equal(memory_read_string(&m, text, 5 * PAGE - 3, 4), -1);
	assert_int_equal(memory_read_string(&m, text, 5 * PAGE, 4), -1);
	memory_release(&m);
}

TEST(every_charge_is_counted_once_and_given_back)
{
	struct memory m;

	make(&m, 10 * PAGE);
	assert_true(memory_map(&m, 16 * PAGE, 3 * PAGE, PAGE_READ));
	assert_int_equal(m.charged_bytes, 3 * PAGE);
	/* Mapped anew: the same pages. */
	assert_true(memory_map(&m, 17 * PAGE, 4 * PAGE, PAGE_READ));
	assert_int_equal(m.charged_bytes, 5 * PAGE);
	/* A reservation over charged pages gives them back. */
	assert_true(memory_map(&m, 16 * PAGE, 2 * PAGE, 0));
	assert_int_equal(m.charged_bytes, 3 * PAGE);
	assert_true(memory_is_mapped(&m, 16 * PAGE, 5 * PAGE));
	assert_true(memory_charge(&m, 16 * PAGE, 3 * PAGE));
	assert_int_equal(m.charged_bytes, 5 * PAGE);
	assert_true(memory_charge(&m, 16 * PAGE, 3 * PAGE));
	assert_int_equal(m.charged_bytes, 5 * PAGE);
	assert_true(memory_protect(&m, 16 * PAGE, 5 * PAGE, PAGE_READ));
	assert_int_equal(m.charged_bytes, 5 * PAGE);
	/* At the limit, and one byte over it; what was refused is told. */
	assert_int_equal(m.refused_bytes, 0);
	assert_int_equal(m.filled_bytes, 3 * PAGE);
	assert_true(memory_charge_host(&m, 7 * PAGE));
	assert_int_equal(m.charged_bytes, 12 * PAGE);
	assert_int_equal(m.refused_bytes, 0);
	assert_false(memory_charge_host(&m, 1));
	assert_int_equal(m.refused_bytes, 1);
	assert_int_equal(m.charged_bytes, 12 * PAGE);
	memory_uncharge_host(&m, 2 * PAGE);
	assert_int_equal(m.charged_bytes, 10 * PAGE);
	assert_int_equal(m.filled_bytes, 8 * PAGE);
	/* What can be accessed may be many times as much. */
	assert_false(memory_map(&m, 32 * PAGE, 151 * PAGE, PAGE_WRITE));
	assert_int_equal(m.refused_bytes, 151 * PAGE);
	assert_true(memory_is_free(&m, 32 * PAGE, 151 * PAGE));
	assert_true(memory_map(&m, 32 * PAGE, 150 * PAGE, PAGE_WRITE));
	assert_int_equal(m.charged_bytes, 160 * PAGE);
	/* Pages that are replaced make room for those that replace them. */
	assert_true(memory_map(&m, 32 * PAGE, 150 * PAGE, PAGE_EXEC));
	assert_false(memory_map(&m, 32 * PAGE, 151 * PAGE, PAGE_EXEC));
	assert_int_equal(m.refused_bytes, 151 * PAGE);
	assert_true(memory_map(&m, 200 * PAGE, 7 * PAGE, 0));
	assert_false(memory_protect(&m, 200 * PAGE, PAGE, PAGE_READ));
	assert_int_equal(m.refused_bytes, PAGE);
	assert_false(memory_charge(&m, 200 * PAGE, 2 * PAGE));
	assert_int_equal(m.refused_bytes, 2 * PAGE);
	assert_true(memory_protect(&m, 200 * PAGE, 7 * PAGE, 0));
	assert_false(memory_charge_host(&m, UINT64_MAX));
	memory_unmap(&m, 16 * PAGE, 200 * PAGE);
	assert_int_equal(m.charged_bytes, 5 * PAGE);
	assert_int_equal(m.filled_bytes, 5 * PAGE);
	assert_true(memory_is_free(&m, 0, 100 * PAGE));
	assert_false(memory_protect(&m, 16 * PAGE, PAGE, PAGE_READ));
	memory_release(&m);
}

/* Flags are cleared in blocks of many pages, of which some hold nothing. */
TEST(a_long_range_is_unmapped_to_its_last_page)
{
	static const uint64_t mapped[] = {0, 1, 4095, 4096, 4097, 8191, 8192, 9000, 9999};
	struct memory m;

	make(&m, UINT64_C(1) << 30);
	for (size_t i = 0; i < sizeof(mapped) / sizeof(mapped[0]); i++)
		assert_true(memory_map(&m, (100 + mapped[i]) * PAGE, PAGE, PAGE_READ));
	assert_true(memory_map(&m, 99 * PAGE, PAGE, PAGE_READ));
	assert_true(memory_map(&m, 10100 * PAGE, PAGE, PAGE_READ));
	memory_unmap(&m, 100 * PAGE, 10000 * PAGE);
	assert_true(memory_is_free(&m, 100 * PAGE, 10000 * PAGE));
	assert_true(memory_is_mapped(&m, 99 * PAGE, PAGE));
	assert_true(memory_is_mapped(&m, 10100 * PAGE, PAGE));
	assert_int_equal(m.charged_bytes, 2 * PAGE);
	assert_false(memory_is_free(&m, 0, SPACE + PAGE));
	assert_false(memory_is_free(&m, SPACE - PAGE, 2 * PAGE));
	assert_true(memory_is_free(&m, SPACE - PAGE, PAGE));
	memory_release(&m);
}

TEST(the_highest_free_range_is_found)
{
	struct memory m;

	make(&m, 1 << 20);
	assert_int_equal(memory_find_free(&m, 4 * PAGE, 16 * PAGE, 64 * PAGE), 60 * PAGE);
	assert_true(memory_map(&m, 60 * PAGE, 4 * PAGE, 0));
	/* Free are [16, 60), and below it is asked with and without the hint. */
	assert_int_equal(memory_find_free(&m, 4 * PAGE, 16 * PAGE, 64 * PAGE), 56 * PAGE);
	assert_true(memory_map(&m, 40 * PAGE, PAGE, 0));
	assert_int_equal(memory_find_free(&m, 19 * PAGE, 16 * PAGE, 64 * PAGE), 41 * PAGE);
	assert_int_equal(memory_find_free(&m, 20 * PAGE, 16 * PAGE, 64 * PAGE), 20 * PAGE);
	assert_int_equal(memory_find_free(&m, 24 * PAGE, 16 * PAGE, 64 * PAGE), 16 * PAGE);
	assert_int_equal(memory_find_free(&m, 25 * PAGE, 16 * PAGE, 64 * PAGE), 0);
	/* A smaller one may lie above where a larger one was found. */
	assert_int_equal(memory_find_free(&m, PAGE, 16 * PAGE, 64 * PAGE), 59 * PAGE);
	/* What becomes free is found again. */
	assert_true(memory_map(&m, 58 * PAGE, 2 * PAGE, 0));
	assert_int_equal(memory_find_free(&m, 2 * PAGE, 16 * PAGE, 64 * PAGE), 56 * PAGE);
	memory_unmap(&m, 61 * PAGE, 2 * PAGE);
	assert_int_equal(memory_find_free(&m, 2 * PAGE, 16 * PAGE, 64 * PAGE), 61 * PAGE);
	assert_true(memory_map(&m, 61 * PAGE, 2 * PAGE, PAGE_READ));
	assert_int_equal(memory_find_free(&m, 2 * PAGE, 16 * PAGE, 64 * PAGE), 56 * PAGE);
	assert_true(memory_map(&m, 56 * PAGE, 2 * PAGE, 0));
	assert_true(memory_move(&m, 20 * PAGE, 61 * PAGE, 2 * PAGE));
	assert_int_equal(memory_find_free(&m, 2 * PAGE, 16 * PAGE, 64 * PAGE), 61 * PAGE);
	/* A hint from above does not count below it. */
	assert_int_equal(memory_find_free(&m, 2 * PAGE, 16 * PAGE, 50 * PAGE), 48 * PAGE);
	memory_release(&m);
}

struct hooks {
	uint64_t changed[8], stored[8], decoded[8];
	size_t changed_count, stored_count, decoded_count;
};

static void on_change(void *context, uint64_t address, uint64_t bytes)
{
	struct hooks *hooks = context;

	assert_int_equal(bytes, 4096);
	hooks->changed[hooks->changed_count++] = address;
}

static void on_store(void *context, uint64_t address)
{
	struct hooks *hooks = context;

	hooks->stored[hooks->stored_count++] = address;
}

static void on_decode(void *context, uint64_t address)
{
	struct hooks *hooks = context;

	hooks->decoded[hooks->decoded_count++] = address;
}

TEST(hooks_are_called_page_by_page)
{
	struct hooks hooks = {0};
	struct memory m;
	uint64_t at;

	make(&m, 1 << 20);
	m.code_changed = on_change;
	m.shared_store = on_store;
	m.shared_decoded = on_decode;
	m.code_context = m.shared_context = &hooks;
	assert_true(memory_map(&m, 8 * PAGE, 4 * PAGE, PAGE_READ | PAGE_WRITE | PAGE_EXEC));
	assert_true(memory_before_store(&m, 8 * PAGE, 4 * PAGE));
	assert_true(memory_allows(&m, 8 * PAGE, PAGE_STORE));
	memory_mark_decoded(&m, 9 * PAGE + 100);
	memory_mark_decoded(&m, 10 * PAGE);
	assert_int_equal(hooks.decoded_count, 0);
	assert_false(memory_allows(&m, 9 * PAGE, PAGE_STORE));
	assert_true(memory_allows(&m, 8 * PAGE, PAGE_STORE));
	/* A write that touches the last byte of one and the first of the other. */
	assert_true(memory_write(&m, 10 * PAGE - 1, "ab", 2));
	assert_int_equal(hooks.changed_count, 2);
	assert_int_equal(hooks.changed[0], 9 * PAGE);
	assert_int_equal(hooks.changed[1], 10 * PAGE);
	assert_true(memory_allows(&m, 9 * PAGE, PAGE_STORE));
	assert_false(memory_allows(&m, 9 * PAGE, PAGE_DECODED));
	/* One that ends before it does not. */
	memory_mark_decoded(&m, 10 * PAGE);
	assert_true(memory_write(&m, 10 * PAGE - 2, "ab", 2));
	assert_int_equal(hooks.changed_count, 2);
	memory_load(&m, 10 * PAGE, "", 0);
	assert_int_equal(hooks.changed_count, 2);
	memory_load(&m, 10 * PAGE + 7, "a", 1);
	assert_int_equal(hooks.changed_count, 3);
	/* A page that may not be written does not become writable. */
	assert_true(memory_protect(&m, 11 * PAGE, PAGE, PAGE_READ | PAGE_EXEC));
	memory_mark_decoded(&m, 11 * PAGE);
	memory_load(&m, 11 * PAGE, "a", 1);
	assert_int_equal(hooks.changed_count, 4);
	assert_false(memory_allows(&m, 11 * PAGE, PAGE_STORE | PAGE_WRITE));
	/* Each of these changes what was decoded: protect, map, unmap, zero, move. */
	memory_mark_decoded(&m, 8 * PAGE);
	assert_true(memory_protect(&m, 8 * PAGE, PAGE, PAGE_READ | PAGE_WRITE));
	assert_int_equal(hooks.changed_count, 5);
	memory_mark_decoded(&m, 8 * PAGE);
	memory_zero(&m, 8 * PAGE, 0);
	assert_int_equal(hooks.changed_count, 5);
	memory_zero(&m, 8 * PAGE, PAGE);
	assert_int_equal(hooks.changed_count, 6);
	memory_mark_decoded(&m, 8 * PAGE);
	assert_true(memory_move(&m, 20 * PAGE, 8 * PAGE, PAGE));
	assert_int_equal(hooks.changed_count, 7);
	assert_false(memory_allows(&m, 20 * PAGE, PAGE_DECODED));
	memory_mark_decoded(&m, 20 * PAGE);
	assert_true(memory_map(&m, 20 * PAGE, PAGE, PAGE_READ));
	assert_int_equal(hooks.changed_count, 8);
	hooks.changed_count = 0;
	memory_mark_decoded(&m, 20 * PAGE);
	memory_unmap(&m, 20 * PAGE, PAGE);
	assert_int_equal(hooks.changed_count, 1);
	assert_int_equal(hooks.changed[0], 20 * PAGE);
	/* Shared pages: the owner decides about stores. */
	assert_true(memory_pool_take(&m, 4 * PAGE, &at));
	assert_true(memory_show(&m, 40 * PAGE, 4 * PAGE, at));
	assert_int_equal(hooks.stored_count, 0);
	memory_protect_shared(&m, 40 * PAGE, 3 * PAGE, PAGE_READ | PAGE_WRITE);
	assert_false(memory_allows(&m, 40 * PAGE, PAGE_STORE));
	assert_true(memory_write(&m, 42 * PAGE - 1, "ab", 2));
	assert_int_equal(hooks.stored_count, 2);
	assert_int_equal(hooks.stored[0], 41 * PAGE);
	assert_int_equal(hooks.stored[1], 42 * PAGE);
	memory_open_stores(&m, 41 * PAGE);
	assert_true(memory_allows(&m, 41 * PAGE, PAGE_STORE));
	assert_true(memory_write(&m, 42 * PAGE - 1, "cd", 2));
	assert_int_equal(hooks.stored_count, 3);
	assert_int_equal(hooks.stored[2], 42 * PAGE);
	memory_open_stores(&m, 43 * PAGE);
	assert_false(memory_allows(&m, 43 * PAGE, PAGE_STORE));
	memory_mark_decoded(&m, 41 * PAGE + 17);
	assert_int_equal(hooks.decoded_count, 1);
	assert_int_equal(hooks.decoded[0], 41 * PAGE);
	assert_false(memory_allows(&m, 41 * PAGE, PAGE_STORE));
	memory_code_changes(&m, 41 * PAGE, 1);
	assert_false(memory_allows(&m, 41 * PAGE, PAGE_STORE | PAGE_DECODED));
	memory_open_stores(&m, 41 * PAGE);
	memory_close_stores(&m, 41 * PAGE + 5);
	assert_false(memory_allows(&m, 41 * PAGE, PAGE_STORE));
	assert_true(memory_allows(&m, 41 * PAGE, PAGE_WRITE));
	/* What memory_protect does to others it does not do to these, nor charge them. */
	uint64_t charged = m.charged_bytes;
	assert_true(memory_protect(&m, 40 * PAGE, 4 * PAGE, PAGE_READ));
	assert_int_equal(m.charged_bytes, charged);
	assert_true(memory_allows(&m, 41 * PAGE, PAGE_WRITE));
	memory_release(&m);
}

static uint64_t take(struct memory *m, uint64_t pages)
{
	uint64_t at = UINT64_MAX;

	assert_true(memory_pool_take(m, pages * PAGE, &at));
	return at / PAGE;
}

TEST(the_pool_gives_the_first_gap_that_is_large_enough)
{
	struct memory m;
	uint64_t at = 77, value = 0;

	make(&m, 1 << 20);
	assert_false(memory_pool_take(&m, SPACE + PAGE, &at));
	assert_int_equal(take(&m, 3), 0);
	assert_int_equal(take(&m, 2), 3);
	assert_int_equal(take(&m, 4), 5);
	assert_int_equal(take(&m, 1), 9);
	memory_pool_free(&m, 3 * PAGE, 2 * PAGE);
	memory_pool_free(&m, 5 * PAGE, 4 * PAGE);
	/* A gap of 6 pages at 3. */
	assert_int_equal(take(&m, 7), 10);
	assert_int_equal(take(&m, 5), 3);
	assert_int_equal(take(&m, 2), 17);
	assert_int_equal(take(&m, 1), 8);
	memory_pool_free(&m, 0, 3 * PAGE);
	assert_int_equal(take(&m, 4), 19);
	assert_int_equal(take(&m, 3), 0);
	assert_int_equal(m.extent_count, 7);
	for (size_t i = 1; i < m.extent_count; i++)
		assert_int_equal(m.extents[i].start,
				 m.extents[i - 1].start + m.extents[i - 1].bytes);
	/* All that is left, and no page more. */
	assert_false(memory_pool_take(&m, SPACE - 22 * PAGE, &at));
	assert_int_equal(at, 77);
	assert_int_equal(take(&m, SPACE / PAGE - 23), 23);
	assert_false(memory_pool_take(&m, PAGE, &at));
	memory_pool_free(&m, 23 * PAGE, SPACE - 23 * PAGE);
	/* What is cleared is zero, and its neighbours are not. */
	assert_true(memory_show(&m, 100 * PAGE, 3 * PAGE, 0));
	memory_protect_shared(&m, 100 * PAGE, 3 * PAGE, PAGE_READ | PAGE_WRITE);
	for (uint64_t i = 0; i < 3; i++) {
		value = i + 1;
		assert_true(memory_write(&m, (100 + i) * PAGE, &value, 8));
	}
	memory_pool_clear(&m, PAGE, PAGE);
	memory_pool_clear(&m, 0, 0);
	assert_true(memory_read(&m, &value, 100 * PAGE, 8));
	assert_int_equal(value, 1);
	assert_true(memory_read(&m, &value, 101 * PAGE, 8));
	assert_int_equal(value, 0);
	assert_true(memory_read(&m, &value, 102 * PAGE, 8));
	assert_int_equal(value, 3);
	/* What is moved to where a page of the pool was shown does not reach the pool. */
	assert_true(memory_show(&m, 200 * PAGE, PAGE, 2 * PAGE));
	memory_unmap(&m, 200 * PAGE, PAGE);
	assert_true(memory_map(&m, 210 * PAGE, PAGE, PAGE_READ | PAGE_WRITE));
	value = 77;
	assert_true(memory_write(&m, 210 * PAGE, &value, 8));
	assert_true(memory_move(&m, 200 * PAGE, 210 * PAGE, PAGE));
	assert_true(memory_read(&m, &value, 200 * PAGE, 8));
	assert_int_equal(value, 77);
	assert_true(memory_read(&m, &value, 102 * PAGE, 8));
	assert_int_equal(value, 3);
	/* The range that showed them is fresh memory afterwards, and only there. */
	assert_true(memory_map(&m, 99 * PAGE, PAGE, PAGE_READ | PAGE_WRITE));
	value = 9;
	assert_true(memory_write(&m, 99 * PAGE, &value, 8));
	memory_unmap(&m, 100 * PAGE, PAGE);
	assert_true(memory_map(&m, 100 * PAGE, PAGE, PAGE_READ));
	assert_true(memory_read(&m, &value, 100 * PAGE, 8));
	assert_int_equal(value, 0);
	assert_true(memory_read(&m, &value, 102 * PAGE, 8));
	assert_int_equal(value, 3);
	assert_true(memory_read(&m, &value, 99 * PAGE, 8));
	assert_int_equal(value, 9);
	memory_release(&m);
}

/* Below a MiB pages are copied, from there on the host moves them. */
TEST(moves_of_any_length_bring_every_page)
{
	static const uint64_t lengths[] = {1, 2, 255, 256, 257, 600};
	struct memory m;

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		uint64_t pages = lengths[i], from = 1000 * PAGE, to = 5000 * PAGE, got;

		make(&m, UINT64_C(1) << 30);
		assert_true(memory_map(&m, from, pages * PAGE, PAGE_READ | PAGE_WRITE));
		for (uint64_t page = 0; page < pages; page++)
			assert_true(
				memory_write(&m, from + page * PAGE + 8 * page % PAGE, &page, 8));
		/* One that is filled and may not be accessed comes with the others. */
		assert_true(memory_protect(&m, from, PAGE, 0));
		assert_true(memory_move(&m, to, from, pages * PAGE));
		assert_int_equal(m.host_moves, pages >= 256);
		assert_true(memory_is_mapped(&m, to, pages * PAGE));
		assert_false(memory_is_free(&m, to, PAGE));
		assert_true(memory_is_free(&m, to + pages * PAGE, PAGE));
		assert_true(memory_is_free(&m, from, pages * PAGE));
		assert_false(memory_allows(&m, to, PAGE_READ));
		assert_true(memory_protect(&m, to, PAGE, PAGE_READ));
		for (uint64_t page = 0; page < pages; page++) {
			assert_true(memory_read(&m, &got, to + page * PAGE + 8 * page % PAGE, 8));
			assert_int_equal(got, page);
		}
		assert_true(memory_move(&m, from, to, 0));
		assert_int_equal(m.charged_bytes, pages * PAGE);
		memory_release(&m);
	}
}
