/* Numbers as bytes, written and read. */
#include "../test.h"
#include "base/array.h"
#include "base/bytes.h"

TEST(a_part_fits_into_a_block)
{
	assert_true(reader_fits(0, 0, 0));
	assert_true(reader_fits(4, 0, 4));
	assert_true(reader_fits(3, 1, 4));
	assert_true(reader_fits(0, 4, 4));
	assert_false(reader_fits(5, 0, 4));
	assert_false(reader_fits(3, 2, 4));
	assert_false(reader_fits(0, 5, 4));
	assert_false(reader_fits(UINT64_MAX, 2, 4));
	assert_false(reader_fits(2, UINT64_MAX, 4));
}

TEST(numbers_are_little_endian)
{
	static const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
	struct reader reader = reader_of(bytes, 15);

	assert_int_equal(reader_left(&reader), 15);
	assert_int_equal(reader_u8(&reader), 1);
	assert_int_equal(reader_left(&reader), 14);
	assert_int_equal(reader_u16(&reader), 0x0302);
	assert_int_equal(reader_u32(&reader), 0x07060504);
	assert_true(reader_u64(&reader) == UINT64_C(0x0f0e0d0c0b0a0908));
	assert_int_equal(reader_left(&reader), 0);
	assert_false(reader.bad);
	/* One byte more is too many, and nothing is read after that. */
	assert_int_equal(reader_u8(&reader), 0);
	assert_true(reader.bad);
	assert_int_equal(reader_left(&reader), 0);
	reader = reader_of(bytes, 3);
	assert_int_equal(reader_u32(&reader), 0);
	assert_true(reader.bad);
	assert_null(reader_take(&reader, 0));
	assert_int_equal(reader_u8(&reader), 0);
	assert_int_equal(reader_left(&reader), 0);
	reader = reader_of(bytes, 3);
	assert_ptr_equal(reader_take(&reader, 1), bytes);
	assert_ptr_equal(reader_take(&reader, 2), bytes + 1);
	assert_ptr_equal(reader_take(&reader, 0), bytes + 3);
	assert_null(reader_take(&reader, 1));
}

TEST(leb128_has_one_form)
{
	static const struct {
		uint8_t bytes[11];
		size_t count;
		uint64_t value;
		bool bad;
	} rows[] = {
		{{0}, 1, 0, false},
		{{0x7f}, 1, 127, false},
		{{0x80, 0x01}, 2, 128, false},
		{{0xe5, 0x8e, 0x26}, 3, 624485, false},
		{{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01},
		 10,
		 UINT64_C(1) << 63,
		 false},
		{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
		 10,
		 UINT64_MAX,
		 false},
		/* A bit beyond the 64th, an eleventh byte, a needless last byte, too few. */
		{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}, 10, 0, true},
		{{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x81}, 11, 0, true},
		{{0x80, 0x00}, 2, 0, true},
		{{0x85}, 1, 0, true},
		{{0}, 0, 0, true},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct reader reader = reader_of(rows[i].bytes, rows[i].count);
		struct bytes written = {0};

		assert_true(reader_leb128(&reader) == rows[i].value);
		assert_int_equal(reader.bad, rows[i].bad);
		assert_int_equal(reader_is_done(&reader), !rows[i].bad);
		if (rows[i].bad)
			continue;
		bytes_put_leb128(&written, rows[i].value);
		assert_int_equal(written.count, rows[i].count);
		assert_memory_equal(written.bytes, rows[i].bytes, rows[i].count);
		free(written.bytes);
	}
}

TEST(a_block_grows_with_what_is_put)
{
	static const uint8_t start[] = {'a', 'b', 0x34, 0x12, 8, 7, 6, 5, 4, 3, 2, 1};
	struct bytes block = {0};

	bytes_put(&block, NULL, 0);
	assert_null(block.bytes);
	bytes_put(&block, "ab", 2);
	bytes_put_number(&block, UINT64_C(0xff1234), 2);
	bytes_put_number(&block, UINT64_C(0x0102030405060708), 8);
	assert_int_equal(block.count, sizeof(start));
	for (unsigned i = 0; i < 70000; i++)
		bytes_put_number(&block, i, 4);
	assert_memory_equal(block.bytes, start, sizeof(start));
	for (unsigned i = 0; i < 70000; i++)
		assert_int_equal(bytes_load(block.bytes + sizeof(start) + 4 * (size_t)i, 4), i);
	free(block.bytes);
}

TEST(small_differences_fold_to_small_numbers)
{
	static const uint64_t differences[] = {0, UINT64_MAX, 1, UINT64_MAX - 1, 2};

	for (uint64_t i = 0; i < ARRAY_COUNT(differences); i++) {
		assert_true(bytes_fold(differences[i]) == i);
		assert_true(bytes_unfold(i) == differences[i]);
	}
	assert_true(bytes_fold(UINT64_C(1) << 63) == UINT64_MAX);
	assert_true(bytes_unfold(UINT64_MAX) == UINT64_C(1) << 63);
}
