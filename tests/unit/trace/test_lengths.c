/* The lengths of instructions that a trace without them shows, of calls above all. */
#include "../test.h"
#include "trace/lengths.h"

#define BASE UINT64_C(0x400000)

TEST(what_does_not_jump_is_as_long_as_the_distance)
{
	static const struct {
		uint64_t distance;
		uint8_t bytes;
	} cases[] = {{1, 1}, {15, 15}, {16, 0}, {0, 0}, {-UINT64_C(1), 0}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lengths *lengths = lengths_create();

		lengths_pass(lengths, BASE, BASE + cases[i].distance);
		assert_int_equal(lengths_at(lengths, BASE), cases[i].bytes);
		assert_int_equal(lengths_at(lengths, BASE + 1), 0);
		lengths_destroy(lengths);
	}
	lengths_destroy(NULL);
}

/* As after a signal. */
TEST(the_usual_length_is_kept)
{
	struct lengths *lengths = lengths_create();

	lengths_pass(lengths, BASE, BASE + 5);
	lengths_pass(lengths, BASE, BASE + 5);
	lengths_pass(lengths, BASE, BASE + 9);
	assert_int_equal(lengths_at(lengths, BASE), 5);
	for (unsigned i = 0; i < 3; i++)
		lengths_pass(lengths, BASE, BASE + 9);
	assert_int_equal(lengths_at(lengths, BASE), 9);
	for (unsigned i = 0; i < 1000; i++)
		lengths_pass(lengths, BASE, BASE + 9);
	for (unsigned i = 0; i < 101; i++)
		lengths_pass(lengths, BASE, BASE + 5);
	assert_int_equal(lengths_at(lengths, BASE), 5);
	lengths_destroy(lengths);
}

TEST(a_return_tells_the_length_of_its_call)
{
	struct lengths *lengths = lengths_create();

	lengths_call(lengths, BASE);
	lengths_call(lengths, BASE + 0x100);
	lengths_call(lengths, BASE + 0x200);
	lengths_return(lengths, BASE + 0x202);
	lengths_return(lengths, BASE + 0x107);
	assert_int_equal(lengths_at(lengths, BASE), 0);
	lengths_return(lengths, BASE + 5);
	assert_int_equal(lengths_at(lengths, BASE + 0x200), 2);
	assert_int_equal(lengths_at(lengths, BASE + 0x100), 7);
	assert_int_equal(lengths_at(lengths, BASE), 5);
	/* There is no call left. */
	lengths_return(lengths, BASE + 3);
	assert_int_equal(lengths_at(lengths, BASE), 5);
	lengths_destroy(lengths);
}

/* The 63 calls above it were left by a longjmp; the 64th would be too many. */
TEST(calls_that_never_return_do_not_hide_those_below)
{
	for (unsigned left = 62; left <= 64; left++) {
		struct lengths *lengths = lengths_create();

		lengths_call(lengths, BASE);
		for (unsigned i = 0; i < left; i++)
			lengths_call(lengths, BASE + 0x1000 + UINT64_C(0x100) * i);
		lengths_return(lengths, BASE + 6);
		assert_int_equal(lengths_at(lengths, BASE), left < 64 ? 6 : 0);
		assert_int_equal(lengths_at(lengths, BASE + 0x1000), 0);
		/* What was left is not there any more. */
		lengths_return(lengths, BASE + 0x1003);
		assert_int_equal(lengths_at(lengths, BASE + 0x1000), left < 64 ? 0 : 3);
		lengths_destroy(lengths);
	}
}

/* A return to where no call was made, as from a function that was called before the trace began. */
TEST(a_return_of_no_call_takes_none_away)
{
	struct lengths *lengths = lengths_create();

	lengths_call(lengths, BASE);
	lengths_return(lengths, BASE);
	lengths_return(lengths, BASE - 1);
	lengths_return(lengths, BASE + 16);
	lengths_return(lengths, BASE + 5);
	assert_int_equal(lengths_at(lengths, BASE), 5);
	lengths_destroy(lengths);
}

/* Deeper than the stack: the innermost are known, and nothing else happens. */
TEST(deep_recursion)
{
	struct lengths *lengths = lengths_create();

	lengths_call(lengths, BASE);
	for (unsigned i = 0; i < 65536; i++)
		lengths_call(lengths, BASE + 0x100);
	for (unsigned i = 0; i < 65536; i++)
		lengths_return(lengths, BASE + 0x103);
	lengths_return(lengths, BASE + 5);
	assert_int_equal(lengths_at(lengths, BASE + 0x100), 3);
	assert_int_equal(lengths_at(lengths, BASE), 0);
	lengths_destroy(lengths);
}

/* Addresses that all belong at one place of the table: what has no room is not known, soon. */
TEST(addresses_that_compete_for_one_place)
{
	/* The inverse of the factor that spreads addresses. */
	const uint64_t inverse = UINT64_C(0xf1de83e19937733d);
	struct lengths *lengths = lengths_create();
	unsigned known = 0;

	assert_true(inverse * UINT64_C(0x9e3779b97f4a7c15) == 1);
	for (uint64_t i = 0; i < 2000000; i++)
		lengths_pass(lengths, i * inverse, i * inverse + 3);
	for (uint64_t i = 0; i < 2000000; i++)
		known += lengths_at(lengths, i * inverse) == 3;
	assert_int_equal(known, 32);
	lengths_destroy(lengths);
}
