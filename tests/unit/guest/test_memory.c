#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/rng.h"
#include "guest/memory.h"

#define PAGE GUEST_PAGE_BYTES

static void make(struct memory *memory, uint64_t limit)
{
	struct err err;

	assert_true(memory_init(memory, limit, &err));
}

static void fresh_pages_are_zero_and_obey_their_protection(void **state)
{
	struct memory m;
	uint64_t value = 1;

	(void)state;
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

static void addresses_outside_the_space_are_refused(void **state)
{
	static const uint64_t wild[] = {
		GUEST_SPACE_BYTES, GUEST_SPACE_BYTES - 1, UINT64_MAX, UINT64_C(1) << 63,
		UINT64_MAX - 7,	   GUEST_SPACE_BYTES * 2, 0};
	struct memory m;
	uint64_t value = 0;
	char text[16];

	(void)state;
	make(&m, 1 << 20);
	for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
		assert_false(memory_read(&m, &value, wild[i], 8));
		assert_false(memory_write(&m, wild[i], &value, 8));
		assert_int_equal(memory_readable(&m, wild[i], UINT64_MAX), 0);
		assert_int_equal(memory_read_string(&m, text, wild[i], sizeof(text)), -1);
	}
	memory_release(&m);
}

static void the_limit_counts_what_was_ever_accessible(void **state)
{
	struct memory m;

	(void)state;
	make(&m, 4 * PAGE);
	assert_true(memory_map(&m, 0x100000, 1000 * PAGE, 0)); /* a reservation is free */
	assert_true(memory_protect(&m, 0x100000, 4 * PAGE, PAGE_READ | PAGE_WRITE));
	assert_false(memory_protect(&m, 0x100000, 5 * PAGE, PAGE_READ));
	assert_true(memory_protect(&m, 0x100000, 4 * PAGE, 0)); /* its contents stay, and count */
	assert_false(memory_map(&m, 0x10000, PAGE, PAGE_READ));
	memory_unmap(&m, 0x100000, PAGE);
	assert_true(memory_map(&m, 0x10000, PAGE, PAGE_READ));
	assert_int_equal(m.charged_bytes, 4 * PAGE);
	memory_release(&m);
}

static void strings_end_at_their_nul_or_say_why_not(void **state)
{
	struct memory m;
	char text[8];

	(void)state;
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

static void random_maps_and_searches_agree_with_a_plain_array(void **state)
{
	struct memory m;
	bool twin[WINDOW] = {false};
	struct rng rng = {7};

	(void)state;
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

static void a_change_of_a_decoded_page_is_reported_once(void **state)
{
	struct memory m;
	struct changes changes = {0, 0};
	uint32_t word = 0;

	(void)state;
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

static void pages_of_the_pool_are_the_same_wherever_they_are_shown(void **state)
{
	struct memory m;
	uint64_t at, value = 42, got;

	(void)state;
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
static void what_is_moved_keeps_contents_protection_and_charge(void **state)
{
	const uint64_t sizes[] = {PAGE, 3 * PAGE, 1024 * PAGE};
	struct memory m;

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fresh_pages_are_zero_and_obey_their_protection),
		cmocka_unit_test(addresses_outside_the_space_are_refused),
		cmocka_unit_test(the_limit_counts_what_was_ever_accessible),
		cmocka_unit_test(strings_end_at_their_nul_or_say_why_not),
		cmocka_unit_test(random_maps_and_searches_agree_with_a_plain_array),
		cmocka_unit_test(a_change_of_a_decoded_page_is_reported_once),
		cmocka_unit_test(pages_of_the_pool_are_the_same_wherever_they_are_shown),
		cmocka_unit_test(what_is_moved_keeps_contents_protection_and_charge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
