/* What ideal.at takes: every form it is documented in, and nothing else; and what it says of an
 * instruction, compared with a reading of the text for each. */
#include "../test.h"
#include "base/array.h"
#include "base/rng.h"
#include "config/config.h"

static struct ideal_at read_good(const char *text)
{
	struct err err = {.text = ""};
	struct ideal_at at;

	memset(&at, 0xff, sizeof(at));
	if (!ideal_at_read(&at, text, &err))
		fail_msg("%s: %s", text, err.text);
	return at;
}

static void expect_text(const char *text, const char *wanted)
{
	const struct ideal_at at = read_good(text);
	char shown[IDEAL_AT_TEXT_BYTES];

	ideal_at_text(&at, shown);
	assert_string_equal(shown, wanted);
	const struct ideal_at again = read_good(shown);
	assert_true(ideal_at_same(&at, &again));
}

TEST(a_list_is_shown_as_it_is_read)
{
	expect_text("none", "none");
	expect_text("0x0:branch", "0x0:branch");
	expect_text("0X10fF:l1d", "0x10ff:l1d");
	expect_text("0x10-0x10:l1d", "0x10:l1d");
	expect_text("0x10400-0x1041c:dtlb+l1d", "0x10400-0x1041c:l1d+dtlb");
	expect_text("0x0-0xffffffffffffffff:time=25%", "0x0-0xffffffffffffffff:time=25%");
	expect_text("0x2:time/0x1:latency=0%/0x2:latency=100%",
		    "0x2:time/0x1:latency/0x2:latency=100%");
	expect_text("0x000000000000000000002:time=007%+itlb+l1i+l2i+l2d+l3i+l3d+branch+latency=50%",
		    "0x2:branch+l1i+l2i+l3i+itlb+l2d+l3d+latency=50%+time=7%");
}

TEST(anything_else_is_refused_with_a_sentence)
{
	static const struct {
		const char *text, *sentence;
	} cases[] = {
		{"", "\"\" is no range of instructions; write PC:EVENT or PC-PC:EVENT+EVENT, such "
		     "as 0x10400-0x1041c:l1d+dtlb"},
		{"None", "\"None\" is no range of instructions; write PC:EVENT or "
			 "PC-PC:EVENT+EVENT, such as 0x10400-0x1041c:l1d+dtlb"},
		{"0x10400", "\"0x10400\" is no range of instructions; write PC:EVENT or "
			    "PC-PC:EVENT+EVENT, such as 0x10400-0x1041c:l1d+dtlb"},
		{"10400:l1d", "\"10400\" is no address; write it in hexadecimal, such as 0x10400"},
		{"0x:l1d", "\"0x\" is no address; write it in hexadecimal, such as 0x10400"},
		{":l1d", "\"\" is no address; write it in hexadecimal, such as 0x10400"},
		{"main:l1d", "\"main\" is no address; write it in hexadecimal, such as 0x10400"},
		{"0x1g:l1d", "\"0x1g\" is no address; write it in hexadecimal, such as 0x10400"},
		{" 0x1:l1d", "\" 0x1\" is no address; write it in hexadecimal, such as 0x10400"},
		{"-0x1:l1d", "\"\" is no address; write it in hexadecimal, such as 0x10400"},
		{"0x1-:l1d", "\"\" is no address; write it in hexadecimal, such as 0x10400"},
		{"0x1-0x2-0x3:l1d",
		 "\"0x2-0x3\" is no address; write it in hexadecimal, such as 0x10400"},
		{"0x10000000000000000:l1d",
		 "\"0x10000000000000000\" is longer than an address of 64 bits"},
		{"0x2-0x1:l1d", "\"0x2-0x1\" ends before it begins"},
		{"0x1:", "there is no event \"\"; there are branch, l1i, l2i, l3i, itlb, l1d, l2d, "
			 "l3d, dtlb, latency, time"},
		{"0x1:l1d+", "there is no event \"\"; there are branch, l1i, l2i, l3i, itlb, l1d, "
			     "l2d, l3d, dtlb, latency, time"},
		{"0x1:latncy", "there is no event \"latncy\"; did you mean latency?"},
		{"0x1:l1d:dtlb", "there is no event \"l1d:dtlb\"; there are branch, l1i, l2i, l3i, "
				 "itlb, l1d, l2d, l3d, dtlb, latency, time"},
		{"0x1:l1d+l1d", "a range has \"l1d\" twice"},
		{"0x1:time+time=5%", "a range has \"time\" twice"},
		{"0x1:l1d=50%",
		 "\"l1d=50%\" has a percentage, which only branch, latency and time can have"},
		{"0x1:time=", "\"\" is no part of a time; write what is left of it, such as 50%"},
		{"0x1:time=%", "\"%\" is no part of a time; write what is left of it, such as 50%"},
		{"0x1:time=50",
		 "\"50\" is no part of a time; write what is left of it, such as 50%"},
		{"0x1:time=0.5",
		 "\"0.5\" is no part of a time; write what is left of it, such as 50%"},
		{"0x1:time=101%",
		 "\"101%\" is no part of a time; write what is left of it, such as 50%"},
		{"0x1:time=-1%",
		 "\"-1%\" is no part of a time; write what is left of it, such as 50%"},
		{"0x1:time=65586%",
		 "\"65586%\" is no part of a time; write what is left of it, such as 50%"},
		{"0x1:time=50%%",
		 "\"50%%\" is no part of a time; write what is left of it, such as 50%"},
		{"0x1:l1d/", "\"\" is no range of instructions; write PC:EVENT or "
			     "PC-PC:EVENT+EVENT, such as 0x10400-0x1041c:l1d+dtlb"},
		{"/0x1:l1d", "\"\" is no range of instructions; write PC:EVENT or "
			     "PC-PC:EVENT+EVENT, such as 0x10400-0x1041c:l1d+dtlb"},
		{"none/0x1:l1d", "\"none\" is no range of instructions; write PC:EVENT or "
				 "PC-PC:EVENT+EVENT, such as 0x10400-0x1041c:l1d+dtlb"},
		{"0x1:\x1b[31m\xff", "there is no event \"?[31m?\"; there are branch, l1i, l2i, "
				     "l3i, itlb, l1d, l2d, l3d, dtlb, latency, time"},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		struct ideal_at at = read_good("0x5:itlb"), before = at;
		struct err err = {.text = ""};

		if (ideal_at_read(&at, cases[i].text, &err))
			fail_msg("accepted: %s", cases[i].text);
		assert_string_equal(err.text, cases[i].sentence);
		assert_true(ideal_at_same(&at, &before));
	}
}

/* The longest list there can be, and one range more. */
TEST(as_many_ranges_as_it_says)
{
	static const char longest[] =
		"0x8fffffffffffffff-0xffffffffffffffff:branch+l1i+l2i+l3i+itlb+l1d+l2d+l3d+dtlb+"
		"latency=100%+time=100%";
	char text[(IDEAL_AT_MOST + 1) * sizeof(longest)] = "", shown[IDEAL_AT_TEXT_BYTES];
	struct ideal_at at;
	struct err err = {.text = ""};

	for (unsigned i = 0; i < IDEAL_AT_MOST; i++)
		strcat(strcat(text, i ? "/" : ""), longest);
	at = read_good(text);
	assert_int_equal(at.count, IDEAL_AT_MOST);
	ideal_at_text(&at, shown);
	assert_string_equal(shown, text);
	strcat(strcat(text, "/"), longest);
	assert_false(ideal_at_read(&at, text, &err));
	assert_string_equal(err.text, "there are more than 32 ranges");
}

/* A long word is quoted in part. */
TEST(sentences_stay_short)
{
	char text[2000] = "0x1:";
	struct ideal_at at;
	struct err err;

	memset(text + 4, 'e', sizeof(text) - 5);
	assert_false(ideal_at_read(&at, text, &err));
	assert_true(strlen(err.text) < 250);
	assert_non_null(strstr(err.text, "eee...\""));
}

/* Random bytes, made of what lists are made of: read or refused, what is read is shown and read
 * again. */
TEST(any_text_is_read_or_refused)
{
	static const char *const words[] = {
		"0x", "0x1", "-",   ":",    "+",  "/",	  "=",	  "%", "1",  "ff", "l1d", "l1",
		"e",  "50",  "100", "time", "la", "none", "tlb=", " ", "\t", "x",  "i",	  "branch"};
	struct rng rng = {1};
	unsigned good = 0;

	for (unsigned n = 0; n < 200000; n++) {
		char text[128] = "0x1:l1d";
		struct ideal_at at;
		struct err err = {.text = ""};

		if (rng_below(&rng, 2))
			text[0] = 0;
		for (uint64_t k = rng_below(&rng, 9); k > 0; k--)
			strcat(text, words[rng_below(&rng, ARRAY_COUNT(words))]);
		if (ideal_at_read(&at, text, &err)) {
			char shown[IDEAL_AT_TEXT_BYTES];

			good++;
			ideal_at_text(&at, shown);
			const struct ideal_at again = read_good(shown);
			assert_true(ideal_at_same(&at, &again));
		} else {
			assert_true(strlen(err.text) > 10);
			for (const char *c = err.text; *c; c++)
				assert_true(*c >= ' ' && *c <= '~');
		}
	}
	assert_true(good > 1000);
}

TEST(what_holds_for_an_instruction)
{
	const struct ideal_at at = read_good("0x100-0x110:l1d+latency=50%/0x108-0x109:branch=20%/"
					     "0x108:branch/0x110-0x200:time=30%+l1i/0x200:time");
	static const struct {
		uint64_t pc;
		uint32_t events, branch, latency, data;
	} cases[] = {
		{0xff, 0, 100, 100, 100},
		{0x100, IDEAL_AT_BIT(L1D) | IDEAL_AT_BIT(LATENCY), 100, 50, 100},
		{0x108, IDEAL_AT_BIT(L1D) | IDEAL_AT_BIT(LATENCY) | IDEAL_AT_BIT(BRANCH), 0, 50,
		 100},
		{0x109, IDEAL_AT_BIT(L1D) | IDEAL_AT_BIT(LATENCY) | IDEAL_AT_BIT(BRANCH), 20, 50,
		 100},
		{0x110, IDEAL_AT_BIT(L1D) | IDEAL_AT_BIT(LATENCY) | IDEAL_AT_BIT(L1I), 100, 30, 30},
		{0x112, IDEAL_AT_BIT(L1I), 100, 30, 30},
		{0x200, IDEAL_AT_BIT(L1I) | IDEAL_AT_BIT(L1D) | IDEAL_AT_BIT(DTLB), 100, 0, 0},
		{0x201, 0, 100, 100, 100},
		{UINT64_MAX, 0, 100, 100, 100},
	};

	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		const struct ideal_of of = ideal_at_find(&at, cases[i].pc);

		assert_int_equal(of.events, cases[i].events);
		assert_int_equal(of.branch_percent, cases[i].branch);
		assert_int_equal(of.latency_percent, cases[i].latency);
		assert_int_equal(ideal_at_has(&at, cases[i].pc),
				 cases[i].events || cases[i].latency < 100);
		assert_int_equal(of.data_percent, cases[i].data);
	}
	assert_int_equal(ideal_at_part(7, 50), 4);
	assert_int_equal(ideal_at_part(20, 25), 5);
	assert_int_equal(ideal_at_part(1, 49), 0);
	assert_int_equal(ideal_at_part(12345, 100), 12345);
}

/* Nearly that part of the mispredictions are kept, also of branches that are fetched every so many
 * instructions; those of a smaller part are among those of a larger one. */
TEST(a_part_of_the_mispredictions_is_kept)
{
	for (uint64_t every = 1; every < 40; every++) {
		unsigned kept[101] = {0};

		for (uint64_t n = 0; n < 4000; n++)
			for (uint32_t percent = 0; percent <= 100; percent += 5) {
				const bool is_kept = ideal_at_keeps(n * every, 0x10400, percent);

				kept[percent] += is_kept;
				if (is_kept && percent < 100)
					assert_true(
						ideal_at_keeps(n * every, 0x10400, percent + 5));
			}
		for (uint32_t percent = 0; percent <= 100; percent += 5)
			assert_in_range(kept[percent] + 200, 40 * percent, 40 * percent + 400);
		assert_int_equal(kept[0], 0);
		assert_int_equal(kept[100], 4000);
	}
}

/* In a configuration: with the others, by name, in dump, hash and difference only if there is one.
 */
TEST(a_machine_has_it_only_if_it_is_given)
{
	struct config plain, none, other, again;
	enum config_id ids[CONFIG_COUNT];
	char hash[65], hash_none[65], hash_other[65], *dump;
	struct err err = {.text = ""};
	size_t bytes;

	config_default(&plain);
	config_default(&none);
	config_default(&other);
	assert_true(config_set(&none, "ideal.at=none", &err));
	assert_true(config_set(&other, "ideal.at=0x10400-0x10420:l2d+time=25%", &err));
	assert_true(config_set_matters(&none, "ideal.at=none", &err));
	assert_true(config_settle(&other, &err));
	assert_int_equal(config_get(&other, CONFIG_ideal_at), 1);
	config_hash(&plain, hash);
	config_hash(&none, hash_none);
	config_hash(&other, hash_other);
	assert_string_equal(hash, hash_none);
	assert_string_not_equal(hash, hash_other);
	assert_int_equal(config_diff(&plain, &none, ids), 0);
	assert_int_equal(config_diff(&plain, &other, ids), 1);
	assert_int_equal(ids[0], CONFIG_ideal_at);

	FILE *out = open_memstream(&dump, &bytes);
	config_dump(&plain, out);
	fclose(out);
	assert_null(strstr(dump, "\tat = "));
	free(dump);
	out = open_memstream(&dump, &bytes);
	config_dump(&other, out);
	fclose(out);
	assert_non_null(strstr(dump, "\tat = \"0x10400-0x10420:l2d+time=25%\";"));
	config_reset(&again);
	assert_true(config_load_text(&again, dump, bytes, "dump", NULL, &err));
	assert_int_equal(config_diff(&other, &again, ids), 0);
	config_hash(&again, hash);
	assert_string_equal(hash, hash_other);
	free(dump);
}

static void expect_refused(const char *text, const char *sentence)
{
	struct config config, before;
	struct err err = {.text = ""};

	config_default(&config);
	memcpy(&before, &config, sizeof(config));
	assert_false(config_load_text(&config, text, strlen(text), "file", NULL, &err));
	assert_string_equal(err.text, sentence);
	assert_memory_equal(&config, &before, sizeof(config));
}

TEST(a_file_that_gives_a_bad_list_is_told_its_line)
{
	expect_refused("rob = { size = 64; };\nideal = {\n\tat = \"0x10:l1x\";\n};\n",
		       "file:3: ideal.at: there is no event \"l1x\"; did you mean l1i?");
	expect_refused("ideal = { at = 16; };\n",
		       "file:1: ideal.at must be \"none\" or ranges joined with /, such as "
		       "0x10400-0x1041c:l1d+dtlb, not 16");
	expect_refused("ideal = { at = true; };\n",
		       "file:1: ideal.at must be \"none\" or ranges joined with /, such as "
		       "0x10400-0x1041c:l1d+dtlb, not true");
	expect_refused("ideal = { at = (\"0x10:l1d\"); };\n",
		       "file:1: ideal.at must be \"none\" or ranges joined with /, such as "
		       "0x10400-0x1041c:l1d+dtlb, not a list");
	expect_refused("cache = { levels = 2; };\n\nideal = { at = \"0x1:l1d/0x10:l3d\"; };\n",
		       "file:3: ideal.at has misses of an L3, and cache.levels is 2");
	expect_refused("ideal = { at = \"0x1:l2i\"; };\ncache = { levels = 1; };\n",
		       "file:2: ideal.at has misses of an L2, and cache.levels is 1");
}
