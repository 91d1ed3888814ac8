/* The small things that everything else stands on, each against a slow twin or published values. */
#include "../test.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/crc32.h"
#include "base/err.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "base/rng.h"

/* The first numbers of splitmix64 with the seed 1234567, as its authors' program prints them. */
TEST(random_numbers_are_those_of_splitmix64)
{
	static const uint64_t wanted[] = {
		UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
		UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
		UINT64_C(16408922859458223821)};
	struct rng rng = {1234567}, copy = {1234567};

	for (size_t i = 0; i < ARRAY_COUNT(wanted); i++)
		assert_true(rng_next(&rng) == wanted[i]);
	for (uint64_t bound = 1; bound < 2000; bound++) {
		/* The upper half of the product: by pieces of 32 bits. */
		uint64_t number = rng_next(&copy), low = (number & UINT32_MAX) * bound;
		uint64_t high = (number >> 32) * bound + (low >> 32);

		if (bound == 1)
			rng.state = copy.state - UINT64_C(0x9e3779b97f4a7c15);
		assert_true(rng_below(&rng, bound) == high >> 32);
	}
}

static uint32_t slow_crc(const uint8_t *bytes, size_t count)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < count * 8; i++) {
		uint32_t bit = (crc ^ bytes[i / 8] >> i % 8) & 1;

		crc = crc >> 1 ^ (bit ? 0xedb88320 : 0);
	}
	return ~crc;
}

TEST(crc32_is_that_of_802_3)
{
	struct rng rng = {1};
	uint8_t bytes[300];

	/* The check value that lists of such codes give. */
	assert_true(crc32_add(0, "123456789", 9) == 0xcbf43926);
	assert_true(crc32_add(0, "", 0) == 0);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)rng_next(&rng);
	for (size_t count = 0; count <= sizeof(bytes); count++) {
		size_t first = rng_below(&rng, count + 1);
		uint32_t crc = crc32_add(crc32_add(0, bytes, first), bytes + first, count - first);

		assert_true(crc == slow_crc(bytes, count));
	}
}

/* By recursion over the ends of the words. */
static size_t slow_edits(const char *a, size_t m, const char *b, size_t n)
{
	if (!m || !n)
		return m + n;
	size_t best = slow_edits(a, m - 1, b, n - 1) + (a[m - 1] != b[n - 1]);
	size_t shorter_a = slow_edits(a, m - 1, b, n) + 1,
	       shorter_b = slow_edits(a, m, b, n - 1) + 1;

	best = shorter_a < best ? shorter_a : best;
	best = shorter_b < best ? shorter_b : best;
	if (m > 1 && n > 1 && a[m - 1] == b[n - 2] && a[m - 2] == b[n - 1]) {
		size_t swapped = slow_edits(a, m - 2, b, n - 2) + 1;

		best = swapped < best ? swapped : best;
	}
	return best;
}

TEST(distances_are_numbers_of_edits)
{
	char longest[NEAREST_FAR + 1], other[NEAREST_FAR + 1];
	struct rng rng = {2};

	for (int i = 0; i < 3000; i++) {
		char a[6] = "", b[6] = "";
		size_t m = rng_below(&rng, 6), n = rng_below(&rng, 6);

		for (size_t j = 0; j < m; j++)
			a[j] = (char)('a' + rng_below(&rng, 3));
		for (size_t j = 0; j < n; j++)
			b[j] = (char)('a' + rng_below(&rng, 3));
		bool is_short = m && m < n && strncmp(a, b, m) == 0;
		assert_int_equal(nearest_distance(a, b), is_short ? 1 : slow_edits(a, m, b, n));
	}
	memset(longest, 'x', NEAREST_FAR);
	longest[NEAREST_FAR] = 0;
	memcpy(other, longest, sizeof(other));
	assert_int_equal(nearest_distance(longest, "x"), NEAREST_FAR);
	assert_int_equal(nearest_distance("x", longest), NEAREST_FAR);
	longest[NEAREST_FAR - 1] = other[NEAREST_FAR - 1] = 0;
	assert_int_equal(nearest_distance(longest, other), 0);
	other[0] = 'y';
	assert_int_equal(nearest_distance(longest, other), 1);
	other[NEAREST_FAR - 2] = 'y';
	assert_int_equal(nearest_distance(longest, other), 2);
}

TEST(the_first_of_the_nearest_words_is_kept)
{
	static const char *const words[] = {"list", "lost", "last", "most"};
	struct nearest nearest = {0};

	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		nearest_consider(&nearest, "mist", words[i]);
	assert_string_equal(nearest.word, "list");
	assert_int_equal(nearest.edits, 1);
	nearest_consider(&nearest, "mist", "mist");
	assert_string_equal(nearest.word, "mist");
	assert_int_equal(nearest.edits, 0);
	nearest = (struct nearest){0};
	nearest_consider(&nearest, "mist", "cat");
	assert_null(nearest.word);
	nearest_consider(&nearest, "mist", "cast");
	assert_string_equal(nearest.word, "cast");
	assert_string_equal(nearest_ask(&nearest, "did you mean @", "? ").text,
			    "did you mean @cast? ");
	/* Three edits are too many, and so are all letters. */
	nearest = (struct nearest){0};
	nearest_consider(&nearest, "misty", "castle");
	nearest_consider(&nearest, "ab", "cd");
	assert_null(nearest.word);
	assert_string_equal(nearest_ask(&nearest, "did you mean ", "?").text, "");
}

/* Encodes by the table of RFC 3629, section 3. */
static size_t encode(uint32_t code, uint8_t out[4])
{
	if (code < 0x80) {
		out[0] = (uint8_t)code;
		return 1;
	}
	size_t bytes = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const uint8_t marks[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = bytes - 1; i; i--, code >>= 6)
		out[i] = (uint8_t)(0x80 | (code & 0x3f));
	out[0] = (uint8_t)(marks[bytes] | code);
	return bytes;
}

static bool is_shown(uint32_t code)
{
	static const uint32_t disturbing[] = {0x61c,  0x200e, 0x200f, 0x2028, 0x2029,
					      0x202a, 0x202b, 0x202c, 0x202d, 0x202e,
					      0x2066, 0x2067, 0x2068, 0x2069};

	for (size_t i = 0; i < ARRAY_COUNT(disturbing); i++)
		if (code == disturbing[i])
			return false;
	return code >= 0x20 && (code < 0x7f || code > 0x9f) && (code < 0xd800 || code > 0xdfff) &&
	       code <= 0x10ffff;
}

TEST(every_character_is_shown_or_replaced)
{
	for (uint32_t code = 0; code < 0x110400; code++) {
		uint8_t text[6] = "a";
		char out[8];
		size_t bytes = encode(code, text + 1);

		text[1 + bytes] = 'z';
		size_t got = printable_copy(out, sizeof(out) - 1, text, bytes + 2);
		if (is_shown(code)) {
			assert_int_equal(got, bytes + 2);
			assert_memory_equal(out, text, got);
		} else {
			/* What is no character is replaced byte by byte. */
			bool is_character = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);

			assert_int_equal(got, 2 + (is_character ? 1 : bytes));
			assert_true(out[0] == 'a' && out[1] == '?' && out[got - 1] == 'z');
		}
		assert_int_equal(out[got], 0);
	}
}

TEST(what_is_not_utf8_is_replaced_and_cuts_are_whole)
{
	static const struct {
		const char *text;
		size_t limit;
		const char *wanted;
	} rows[] = {
		{"\xc0\x80", 9, "??"},
		{"\xc1\xbf", 9, "??"},
		{"\xe0\x9f\xbf", 9, "???"},
		{"\xf0\x8f\xbf\xbf", 9, "????"},
		{"\xf5\x80\x80\x80", 9, "????"},
		{"\xe2\x82", 9, "??"},
		{"\xc3", 9, "?"},
		{"\xc3\x41", 9, "?A"},
		{"\xe2\x82\x41", 9, "??A"},
		{"\xff\xfe", 9, "??"},
		{"\x80", 9, "?"},
		{"a\xc3\xa4z", 3, "a\xc3\xa4"},
		{"a\xc3\xa4z", 2, "a"},
		{"a\xc3\xa4z", 1, "a"},
		{"a\xc3\xa4z", 0, ""},
		{"\xf0\x9f\x98\x80", 4, "\xf0\x9f\x98\x80"},
		{"\xf0\x9f\x98\x80", 3, ""},
		{"a\tb\x7f", 9, "a?b?"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char out[16];

		memset(out, '#', sizeof(out));
		size_t got = printable_copy(out, rows[i].limit, (const uint8_t *)rows[i].text,
					    strlen(rows[i].text));
		assert_string_equal(out, rows[i].wanted);
		assert_int_equal(got, strlen(rows[i].wanted));
		assert_int_equal(out[rows[i].limit + 1], '#');
	}
}

TEST(bits_are_fields_signs_and_powers)
{
	for (unsigned i = 0; i < 64; i++) {
		uint64_t power = UINT64_C(1) << i;

		assert_true(bits_is_power_of_two(power));
		assert_int_equal(bits_log2(power), i);
		assert_int_equal(bits_log2(power | 1), i);
		assert_true(bits_sign_extend(power, i + 1) == (int64_t)(UINT64_MAX << i));
		if (i < 63)
			assert_true(bits_sign_extend(power, i + 2) == (int64_t)power);
		if (i > 1)
			assert_false(bits_is_power_of_two(power + 1));
		for (unsigned width = 1; width < 64 - i; width++)
			assert_true(bits_field(UINT64_MAX << i, i, width) ==
				    UINT64_MAX >> (64 - width));
	}
	assert_false(bits_is_power_of_two(0));
	for (uint64_t value = 0; value < 40; value++) {
		assert_int_equal(bits_align_down(value, 8), value / 8 * 8);
		assert_int_equal(bits_align_up(value, 8), (value + 7) / 8 * 8);
	}
}

TEST(arrays_grow_and_are_empty_at_first)
{
	uint64_t *items = NULL;
	size_t count = 0, capacity = 0;

	for (uint64_t i = 0; i < 1000; i++) {
		*ARRAY_PUSH(items, count, capacity) = i;
		assert_int_equal(count, i + 1);
		assert_true(capacity >= count && capacity < 2 * count + 8);
	}
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(items[i], i);
	free(items);
	for (size_t item = 1; item <= 4096; item *= 2) {
		uint8_t *block = mem_alloc_aligned(3, item < 8 ? 8 : item);

		assert_int_equal((uintptr_t)block % item, 0);
		for (size_t i = 0; i < 3 * item; i++)
			assert_int_equal(block[i], 0);
		free(block);
	}
	char *copy = mem_strdup("text");
	assert_string_equal(copy, "text");
	free(copy);
}

/* Nothing is a block too, which can be freed, and a list of nothing may grow. */
TEST(nothing_can_be_allocated)
{
	char *blocks[] = {mem_alloc(0),		  mem_alloc_array(0, 8),
			  mem_alloc_array(8, 0),  mem_realloc(NULL, 0, 8),
			  mem_strndup("text", 0), mem_format("%s", "")};

	for (size_t i = 0; i < ARRAY_COUNT(blocks); i++) {
		assert_non_null(blocks[i]);
		if (i > 3)
			assert_string_equal(blocks[i], "");
		blocks[i] = mem_realloc(blocks[i], 2, 4);
		memset(blocks[i], 'x', 8);
		free(blocks[i]);
	}
}

TEST(a_stream_has_all_that_was_written)
{
	char *text;
	size_t bytes;
	FILE *out = mem_stream_open(&text, &bytes);

	for (unsigned i = 0; i < 10000; i++)
		fputc('a' + (int)(i % 26), out);
	mem_stream_close(out);
	assert_int_equal(bytes, 10000);
	assert_int_equal(strlen(text), 10000);
	assert_int_equal(text[9999], 'a' + 9999 % 26);
	free(text);
}

/* What the child leaves: its status, and its sentence in `text`. */
static int in_child(void (*run)(void), char *text, size_t bytes)
{
	int ends[2], status;

	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		run();
		_exit(0);
	}
	close(ends[1]);
	ssize_t got = read(ends[0], text, bytes - 1);
	text[got > 0 ? got : 0] = 0;
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static volatile size_t too_many = SIZE_MAX / 2;

static void ask_for_array(void)
{
	mem_alloc_array(too_many, 4);
}

static void ask_for_aligned(void)
{
	mem_alloc_aligned(too_many, 64);
}

static void ask_for_more(void)
{
	mem_realloc(NULL, too_many, 4);
}

/* From here on the process gets no more memory than it has. */
static void get_no_more(void)
{
	static const struct rlimit none = {0};

	setrlimit(RLIMIT_AS, &none);
}

static void ask_for_text(void)
{
	get_no_more();
	mem_format("%*d", 1 << 26, 1);
}

static void ask_for_stream(void)
{
	static void *volatile last;
	size_t bytes;
	char *text;

	get_no_more();
	while ((last = malloc(64)))
		;
	mem_stream_open(&text, &bytes);
}

/* A stream to where nothing can be written, as one into memory is when there is none. */
static void close_a_bad_stream(void)
{
	FILE *full = fopen("/dev/full", "w");

	fputs("text", full);
	mem_stream_close(full);
}

static void close_a_stream_that_was_bad(void)
{
	FILE *full = fopen("/dev/full", "w");

	fputs("text", full);
	fflush(full);
	mem_stream_close(full);
}

TEST(memory_that_is_not_to_be_had_is_said)
{
	static void (*const ways[])(void) = {
		ask_for_array,
		ask_for_aligned,
		ask_for_more,
		ask_for_text,
		ask_for_stream,
		close_a_bad_stream,
		close_a_stream_that_was_bad,
	};
	char text[256];

#ifdef __SANITIZE_ADDRESS__
	skip(); /* its allocator ends the process itself */
#endif
	for (size_t i = 0; i < ARRAY_COUNT(ways); i++) {
		assert_int_equal(in_child(ways[i], text, sizeof(text)), 125);
		assert_ptr_equal(strstr(text, "cyclestack: out of memory: "), text);
		assert_int_equal(text[strlen(text) - 1], '\n');
	}
}

TEST(sentences_fit_and_say_where)
{
	struct err err;
	char wide[2 * ERR_TEXT_BYTES];

	assert_false(err_set(&err, "%d is %s", 3, "odd"));
	assert_string_equal(err.text, "3 is odd");
	assert_false(err_prefix(&err, "file %d", 7));
	assert_string_equal(err.text, "file 7: 3 is odd");
	assert_int_equal(err.kind, ERR_INPUT);
	assert_false(err_as_usage(&err));
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, "file 7: 3 is odd");
	err_tool(&err, "%d", 4);
	assert_int_equal(err.kind, ERR_TOOL);
	err_prefix(&err, "a");
	assert_int_equal(err.kind, ERR_TOOL);
	assert_string_equal(err.text, "a: 4");
	assert_false(err_stopped(&err, "it"));
	assert_int_equal(err.kind, ERR_STOPPED);
	assert_false(err_as_tool(&err));
	assert_int_equal(err.kind, ERR_TOOL);
	assert_false(err_usage(&err, "that"));
	assert_int_equal(err.kind, ERR_USAGE);
	assert_false(err_set_errno(&err, ENOENT, "cannot open %s", "x"));
	assert_string_equal(err.text, "cannot open x: No such file or directory");
	assert_int_equal(err.kind, ERR_INPUT);
	memset(wide, 'w', sizeof(wide) - 1);
	wide[sizeof(wide) - 1] = 0;
	err_set(&err, "%s", wide);
	assert_int_equal(strlen(err.text), ERR_TEXT_BYTES - 1);
	err_prefix(&err, "before");
	assert_int_equal(strlen(err.text), ERR_TEXT_BYTES - 1);
	assert_memory_equal(err.text, "before: www", 11);
	err_set_errno(&err, ENOENT, "%s", wide);
	assert_true(strlen(err.text) < ERR_TEXT_BYTES);
	assert_false(err_set(NULL, "nobody asks"));
	assert_false(err_as_usage(NULL));
	assert_false(err_prefix(NULL, "nobody"));
	assert_false(err_set_errno(NULL, ENOENT, "nobody"));
}
