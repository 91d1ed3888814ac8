#include "../test.h"
#include "base/number.h"

TEST(numbers_are_read_as_people_write_them)
{
	static const struct {
		const char *text;
		uint64_t things, bytes;
	} rows[] = {
		{"0", 0, 0},
		{"42", 42, 42},
		{"10k", 10000, 10240},
		{"10K", 10000, 10240},
		{"3M", 3000000, 3 << 20},
		{"2G", 2000000000, UINT64_C(2) << 30},
		{"4Ki", 4096, 4096},
		{"4Mi", 4 << 20, 4 << 20},
		{"1e6", 1000000, 1000000},
		{"1E6", 1000000, 1000000},
		{"1e+6", 1000000, 1000000},
		{"1.5e6", 1500000, 1500000},
		{"1.5k", 1500, 1536},
		{"2_000", 2000, 2000},
		{"1_000_000", 1000000, 1000000},
		{"0.25M", 250000, 262144},
		{"1e0k", 1000, 1024},
		{"0e99", 0, 0},
		{"18446744073709551615", UINT64_MAX, UINT64_MAX},
		{"1.00", 1, 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t value = 7;

		assert_true(number_read(rows[i].text, NUMBER_OF_THINGS, &value));
		assert_int_equal(value, rows[i].things);
		assert_true(number_read(rows[i].text, NUMBER_OF_BYTES, &value));
		assert_int_equal(value, rows[i].bytes);
	}
}

TEST(only_bytes_end_in_b)
{
	static const char *const texts[] = {"32KB", "32kB", "32KiB", "32768B", "0.03125MiB"};
	uint64_t value;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_true(number_read(texts[i], NUMBER_OF_BYTES, &value));
		assert_int_equal(value, 32768);
		assert_false(number_read(texts[i], NUMBER_OF_THINGS, &value));
	}
}

TEST(what_is_no_whole_number_of_64_bits_is_refused)
{
	static const char *const texts[] = {
		"",
		"k",
		"-1",
		"+1",
		" 1",
		"1 ",
		"0x10",
		"1e",
		"1e-3",
		"e6",
		"1.",
		".5",
		"1.5",
		"1.5555k",
		"1__0",
		"_1",
		"1_",
		"1kk",
		"1kM",
		"1i",
		"1b",
		"1e20",
		"1e99999999999",
		"18446744073709551616",
		"99999999999T",
		"123456789012345678901234567890",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		uint64_t value = 7;

		if (number_read(texts[i], NUMBER_OF_BYTES, &value))
			fail_msg("\"%s\" was read as %llu", texts[i], (unsigned long long)value);
		assert_int_equal(value, 7);
	}
}

TEST(the_range_is_said)
{
	struct err err;
	uint64_t value;

	assert_false(number_parse("1e3", NUMBER_OF_THINGS, 1, 999, &value, &err));
	assert_string_equal(err.text, "\"1e3\" is not a number from 1 to 999 (suffixes k, M, G)");
	assert_true(number_parse("1e3", NUMBER_OF_THINGS, 1, 1000, &value, &err));
	assert_int_equal(value, 1000);
	assert_false(number_parse("0", NUMBER_OF_THINGS, 1, 999, &value, &err));
	assert_string_equal(err.text, "\"0\" is not a number from 1 to 999 (suffixes k, M, G)");
	assert_false(number_parse("many", NUMBER_OF_THINGS, 0, 9, &value, &err));
	assert_string_equal(err.text, "\"many\" is not a number from 0 to 9 (suffixes k, M, G)");
	/* What could not be read changes nothing. */
	assert_int_equal(value, 1000);
}

TEST(nothing_is_zero_in_every_form)
{
	static const char *const forms[] = {"0", "00", "0.0", "0e9", "0.000k", "0e99"};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		uint64_t value = 7;

		if (!number_read(forms[i], NUMBER_OF_THINGS, &value) || value)
			fail_msg("%s", forms[i]);
	}
}
