#include "../test.h"

#include <nettle/sha2.h>

#include "config/check.h"
#include "base/nearest.h"
#include "random_config.h"

static char *dump_text(const struct config *config)
{
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	config_dump(config, out);
	fclose(out);
	return text;
}

static bool same_bytes(const struct config *a, const struct config *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

TEST(rows_are_consistent)
{
	struct config config;

	config_reset(&config);
	for (enum config_id id = 0; id < CONFIG_COUNT; id++) {
		const struct config_row *row = &config_rows[id];

		assert_int_equal(config_find(row->key), id);
		assert_non_null(strchr(row->key, '.'));
		assert_true(strlen(row->key) < 64);
		assert_true(strlen(row->help) > 0);
		assert_true(row->least <= row->most);
		assert_true((row->fallback >= row->least && row->fallback <= row->most) ||
			    (row->type == CONFIG_IS_COUNT && row->fallback == UNLIMITED));
		assert_int_equal(config_get(&config, id), row->fallback);
		if (row->type == CONFIG_IS_CHOICE)
			assert_null(row->words[row->most + 1]);
	}
	assert_true(config_check(&config, NULL));
	/* Why there is no rule that a line fits into a page. */
	assert_true(config_rows[CONFIG_l2_line].most <= config_rows[CONFIG_page_bytes].least);
}

TEST(reset_is_the_machine_of_the_paper)
{
	struct config config;

	config_reset(&config);
	assert_int_equal(config.core_kind, CORE_OOO);
	assert_int_equal(config.rob_size, 128);
	assert_int_equal(config.l1d_write, WRITE_BACK);
	assert_int_equal(config.l1d_mshrs, UNLIMITED);
	assert_int_equal(config.predictor_kind, PREDICTOR_HYBRID);
	assert_false(config.ideal_l1d);
}

TEST(set_takes_every_type)
{
	struct config config;
	struct err err;

	config_reset(&config);
	assert_true(config_set(&config, "rob.size=256", &err));
	assert_int_equal(config.rob_size, 256);
	assert_true(config_set(&config, "l2.mshrs=16", &err));
	assert_int_equal(config.l2_mshrs, 16);
	assert_true(config_set(&config, "l2.mshrs=unlimited", &err));
	assert_int_equal(config.l2_mshrs, UNLIMITED);
	assert_true(config_set(&config, "l1i.replacement=srrip", &err));
	assert_int_equal(config.l1i_replacement, REPLACE_SRRIP);
	assert_true(config_set(&config, "l1d.prefetch=stream+stride", &err));
	assert_int_equal(config.l1d_prefetch, PREFETCH_STRIDE | PREFETCH_STREAM);
	char text[CONFIG_TEXT_BYTES];
	config_value_text(&config, CONFIG_l1d_prefetch, text);
	assert_string_equal(text, "stride+stream");
	config.l1d_prefetch = config_rows[CONFIG_l1d_prefetch].most;
	config_value_text(&config, CONFIG_l1d_prefetch, text);
	assert_string_equal(text, "next_line+adjacent_line+stride+stream");
	assert_true(config_set(&config, "l1d.prefetch=none", &err));
	assert_int_equal(config.l1d_prefetch, PREFETCH_NONE);
	assert_true(config_set(&config, "ideal.l2d=true", &err));
	assert_true(config.ideal_l2d);
	assert_true(config_set(&config, "ideal.l2d=false", &err));
	assert_false(config.ideal_l2d);
	assert_true(config_set(&config, "l1d.size_bytes=32k", &err));
	assert_int_equal(config.l1d_size, 32768);
	assert_true(config_set(&config, "l2.size_bytes=4M", &err));
	assert_int_equal(config.l2_size, 4 << 20);
	assert_true(config_set(&config, "page.size_bytes=1G", &err));
	assert_int_equal(config.page_bytes, 1 << 30);
}

#define PREFETCH_SENTENCE                                                                         \
	"l1d.prefetch must be \"none\" or words joined with +, each once, out of \"next_line\", " \
	"\"adjacent_line\", \"stride\" and \"stream\", not \""

TEST(set_refuses_with_a_sentence)
{
	static const struct {
		const char *assignment, *sentence;
	} cases[] = {
		{"rob.size", "\"rob.size\" is not of the form key=value, such as rob.size=256"},
		{"", "\"\" is not of the form key=value, such as rob.size=256"},
		{"rob.sise=4", "there is no parameter \"rob.sise\"; did you mean rob.size?"},
		{"l1d.size=4", "there is no parameter \"l1d.size\"; did you mean l1d.size_bytes?"},
		{"ways=4", "there is no parameter \"ways\"; did you mean l1i.ways?"},
		{"=4", "\"=4\" is not of the form key=value, such as rob.size=256"},
		{"rob.\033[2J=4", "there is no parameter \"rob.?[2J\""},
		{"rob.size=", "rob.size must be a whole number from 4 to 1024, not \"\""},
		{"rob.size=3", "rob.size must be a whole number from 4 to 1024, not \"3\""},
		{"rob.size=1025", "rob.size must be a whole number from 4 to 1024, not \"1025\""},
		{"rob.size=-4", "rob.size must be a whole number from 4 to 1024, not \"-4\""},
		{"rob.size=+4", "rob.size must be a whole number from 4 to 1024, not \"+4\""},
		{"rob.size= 4", "rob.size must be a whole number from 4 to 1024, not \" 4\""},
		{"rob.size=0x80", "rob.size must be a whole number from 4 to 1024, not \"0x80\""},
		{"rob.size=2k", "rob.size must be a whole number from 4 to 1024, not \"2k\""},
		{"rob.size=128 ", "rob.size must be a whole number from 4 to 1024, not \"128 \""},
		{"rob.size=unlimited",
		 "rob.size must be a whole number from 4 to 1024, not \"unlimited\""},
		{"rob.size=4294967424",
		 "rob.size must be a whole number from 4 to 1024, not \"4294967424\""},
		{"rob.size=18446744073709551744",
		 "rob.size must be a whole number from 4 to 1024, not \"18446744073709551744\""},
		{"l1d.size_bytes=4194304k",
		 "l1d.size_bytes must be a whole number from 64 to 16777216, not \"4194304k\""},
		{"l1d.size_bytes=1kk",
		 "l1d.size_bytes must be a whole number from 64 to 16777216, not \"1kk\""},
		{"l1d.mshrs=0",
		 "l1d.mshrs must be a whole number from 1 to 1024 or \"unlimited\", not \"0\""},
		{"l1d.mshrs=4294967295", "l1d.mshrs must be a whole number from 1 to 1024 or "
					 "\"unlimited\", not \"4294967295\""},
		{"l1d.write=around",
		 "l1d.write must be \"back\", \"through\" or \"live\", not \"around\""},
		{"l1d.replacement=LRU", "l1d.replacement must be \"lru\", \"lrr\", \"random\", "
					"\"plru\" or \"srrip\", not \"LRU\""},
		{"l1d.prefetch=stride+stride", PREFETCH_SENTENCE "stride+stride\""},
		{"l1d.prefetch=stride+", PREFETCH_SENTENCE "stride+\""},
		{"l1d.prefetch=none+stride", PREFETCH_SENTENCE "none+stride\""},
		{"l1d.prefetch=", PREFETCH_SENTENCE "\""},
		{"ideal.l1i=1", "ideal.l1i must be true or false, not \"1\""},
		{"ideal.l1i=TRUE", "ideal.l1i must be true or false, not \"TRUE\""},
	};
	struct config config, before;

	config_reset(&config);
	before = config;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err;

		assert_false(config_set(&config, cases[i].assignment, &err));
		assert_string_equal(err.text, cases[i].sentence);
		assert_true(same_bytes(&config, &before));
	}
}

/* Each line is a change of the default machine that breaks one rule. */
TEST(check_names_the_rule)
{
	static const struct {
		const char *changes[5];
		const char *sentence;
	} cases[] = {
		{{"fetch.buffer=7"},
		 "fetch.width (8) must not be above fetch.buffer (7): what is fetched in a cycle must "
		 "fit"},
		{{"rob.size=4", "dispatch.width=5"},
		 "dispatch.width (5) must not be above rob.size (4): what is dispatched in a cycle "
		 "must fit"},
		{{"rob.size=4", "commit.width=5"},
		 "commit.width (5) must not be above rob.size (4): no more can be committed than is "
		 "there"},
		{{"l1i.line_bytes=48"}, "l1i.line_bytes must be a power of two, not 48"},
		{{"l1d.ways=3"},
		 "l1d.size_bytes (16384) cannot be divided into 3 equal ways (l1d.ways)"},
		{{"l2.size_bytes=24000"},
		 "l2.size_bytes (24000) divided by l2.ways (8) must be a power of two, not 3000"},
		{{"l1d.size_bytes=64"},
		 "l1d.size_bytes (64) divided by l1d.ways (4) leaves 16 bytes a way, less than "
		 "l1d.line_bytes (32)"},
		{{"l2.size_bytes=1G", "l2.line_bytes=32"},
		 "l2.size_bytes (1073741824) divided by l2.line_bytes (32) must be at most 16777216 "
		 "lines, not 33554432"},
		{{"l1d.ways=3", "l1d.size_bytes=12k", "l1d.replacement=plru"},
		 "l1d.replacement = plru needs l1d.ways to be a power of two, not 3"},
		{{"l1i.line_bytes=128"},
		 "l1i.line_bytes (128) must not be above l2.line_bytes (64): an L2 line holds whole "
		 "L1 lines"},
		{{"l1d.line_bytes=128"},
		 "l1d.line_bytes (128) must not be above l2.line_bytes (64): an L2 line holds whole "
		 "L1 lines"},
		{{"cache.levels=3", "l3.line_bytes=32"},
		 "l2.line_bytes (64) must not be above l3.line_bytes (32): an L3 line holds whole L2 "
		 "lines"},
		{{"cache.levels=3", "l3.ways=3"},
		 "l3.size_bytes (8388608) cannot be divided into 3 equal ways (l3.ways)"},
		{{"page.size_bytes=5000"}, "page.size_bytes must be a power of two, not 5000"},
		{{"itlb.ways=3"}, "itlb.entries (64) cannot be divided into sets of 3 (itlb.ways)"},
		{{"dtlb.entries=96"},
		 "dtlb.entries (96) divided by dtlb.ways (4) must be a power of two, not 24"},
		{{"predictor.kind=none"},
		 "predictor.kind = none is for core.kind = inorder; out of order, the simplest is "
		 "static_not_taken"},
		{{"predictor.bimodal_entries=1000"},
		 "predictor.bimodal_entries must be a power of two, not 1000"},
		{{"predictor.gshare_entries=5000"},
		 "predictor.gshare_entries must be a power of two, not 5000"},
		{{"predictor.chooser_entries=3"},
		 "predictor.chooser_entries must be a power of two, not 3"},
		{{"predictor.gshare_entries=2048"},
		 "predictor.gshare_history_bits (12) must not be above the 11 bits that index "
		 "predictor.gshare_entries (2048)"},
		{{"predictor.kind=tage", "predictor.tage_entries=1000"},
		 "predictor.tage_entries must be a power of two, not 1000"},
		{{"predictor.kind=tage", "predictor.tage_longest_history_bits=9"},
		 "predictor.tage_longest_history_bits (9) must be at least 10: each of the 6 "
		 "predictor.tage_tables looks further back, the first 5 "
		 "(predictor.tage_shortest_history_bits)"},
		{{"core.kind=inorder", "l1i.latency_cycles=3"},
		 "inorder.mispredict_cycles (3) must be above l1i.latency_cycles (3): a branch "
		 "resolves in execute, behind 3 stages of fetch and one of decode"},
		{{"core.kind=inorder", "predictor.kind=none", "inorder.taken_branch_cycles=1"},
		 "inorder.taken_branch_cycles (1) must be above l1i.latency_cycles (1) with "
		 "predictor.kind = none: a branch resolves in execute, behind 1 stage of fetch and "
		 "one of decode"},
		{{"btb.sets=3"}, "btb.sets must be a power of two, not 3"},
		{{"indirect.kind=history", "indirect.entries=3"},
		 "indirect.entries must be a power of two, not 3"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct config config;
		struct err err;

		config_reset(&config);
		for (size_t j = 0; cases[i].changes[j]; j++) {
			/* It is the last change that breaks it, not one on the way. */
			if (!cases[i].changes[j + 1] && j > 0)
				assert_true(config_check(&config, NULL));
			assert_true(config_set(&config, cases[i].changes[j], &err));
		}
		assert_false(config_check(&config, &err));
		assert_string_equal(err.text, cases[i].sentence);
	}
}

TEST(check_ignores_what_does_not_apply)
{
	static const char *const cases[][2] = {
		{"predictor.kind=gshare", "predictor.bimodal_entries=1000"},
		{"predictor.kind=bimodal", "predictor.gshare_entries=1000"},
		{"cache.levels=1", "l2.ways=3"},
		{"cache.levels=2", "l3.ways=3"},
		{"core.kind=inorder", "fetch.buffer=1"},
		{"predictor.kind=perfect", "btb.sets=3"},
		{"indirect.kind=btb", "indirect.entries=3"},
		{"memory.kind=fixed", "dram.banks=3"},
		{"tlb2.entries=0", "tlb2.ways=3"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct config config;
		struct err err;

		config_reset(&config);
		assert_true(config_set(&config, cases[i][0], &err));
		assert_true(config_set(&config, cases[i][1], &err));
		assert_true(config_settle(&config, &err));
		/* And is then gone. */
		enum config_id id = 0;
		size_t bytes = strcspn(cases[i][1], "=");
		while (strlen(config_rows[id].key) != bytes ||
		       memcmp(config_rows[id].key, cases[i][1], bytes) != 0)
			id++;
		assert_int_equal(config_get(&config, id), config_rows[id].fallback);
	}
}

TEST(dump_reads_back_to_the_same_machine)
{
	struct rng rng = {.state = 20061025};
	unsigned kinds[2] = {0, 0}, levels[4] = {0, 0, 0, 0};

	for (int i = 0; i < 1000; i++) {
		struct config config, again;
		char hash[65], hash_again[65];
		struct err err = {.text = ""};

		random_config(&rng, &config);
		config_hash(&config, hash);
		char *text = dump_text(&config);
		config_reset(&again);
		bool good = config_load_text(&again, text, strlen(text), "dump", NULL, &err);
		assert_string_equal(err.text, "");
		assert_true(good);
		free(text);
		config_hash(&again, hash_again);
		assert_string_equal(hash, hash_again);
		assert_true(config_settle(&config, &err));
		assert_true(same_bytes(&config, &again));
		config_hash(&config, hash_again);
		assert_string_equal(hash, hash_again);
		kinds[config.core_kind]++;
		levels[config.cache_levels]++;
	}
	/* The machines were not all alike. */
	assert_true(kinds[0] > 100 && kinds[1] > 100);
	assert_true(levels[1] > 100 && levels[2] > 50 && levels[3] > 20);
}

TEST(hash_and_difference_see_what_applies)
{
	struct rng rng = {.state = 7};

	for (int i = 0; i < 50; i++) {
		struct config config;
		char hash[65], other_hash[65];
		enum config_id ids[CONFIG_COUNT];

		random_config(&rng, &config);
		config_hash(&config, hash);
		assert_int_equal(strspn(hash, "0123456789abcdef"), 64);
		assert_int_equal(config_diff(&config, &config, ids), 0);
		for (enum config_id id = 0; id < CONFIG_COUNT; id++) {
			struct config other = config;
			uint32_t value = config_get(&config, id);

			/* tests/unit/config/test_ideal_at.c has this of lists. */
			if (config_rows[id].type == CONFIG_IS_LIST)
				continue;
			config_put(&other, id,
				   value == config_rows[id].least ? config_rows[id].least + 1
								  : config_rows[id].least);
			config_hash(&other, other_hash);
			size_t count = config_diff(&config, &other, ids);

			if (!config_applies(&config, id)) {
				assert_string_equal(hash, other_hash);
				assert_int_equal(count, 0);
				continue;
			}
			assert_string_not_equal(hash, other_hash);
			assert_true(count >= 1);
			bool found = false;
			for (size_t j = 0; j < count; j++)
				found |= ids[j] == id;
			assert_true(found);
		}
	}
}

/* Results are filed under it: it may change only together with what it stands for. */
TEST(hash_is_of_sorted_lines)
{
	char hash[65], wanted[65], text[CONFIG_TEXT_BYTES];
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx sha;
	struct config config;
	const char *last = "";
	char *lines;
	size_t bytes;
	FILE *out = open_memstream(&lines, &bytes);

	config_reset(&config);
	for (;;) {
		enum config_id next = CONFIG_COUNT;

		for (enum config_id id = 0; id < CONFIG_COUNT; id++)
			if (strcmp(config_rows[id].key, last) > 0 &&
			    (next == CONFIG_COUNT ||
			     strcmp(config_rows[id].key, config_rows[next].key) < 0))
				next = id;
		if (next == CONFIG_COUNT)
			break;
		last = config_rows[next].key;
		config_value_text(&config, next, text);
		if (config_applies(&config, next) && strcmp(last, "ideal.at") != 0 &&
		    strcmp(last, "isa.profile") != 0)
			fprintf(out, "%s=%s\n", last, text);
	}
	fclose(out);
	assert_memory_equal(lines, "btb.sets=512\nbtb.ways=4\ncache.levels=2\n", 39);
	sha256_init(&sha);
	sha256_update(&sha, bytes, (const uint8_t *)lines);
	sha256_digest(&sha, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(wanted + 2 * i, 3, "%02x", digest[i]);
	free(lines);
	config_hash(&config, hash);
	assert_string_equal(hash, wanted);
}

TEST(difference_says_what_only_one_has)
{
	struct config a, b;
	enum config_id ids[CONFIG_COUNT];
	struct err err;

	config_reset(&a);
	config_reset(&b);
	assert_true(config_set(&b, "rob.size=256", &err));
	assert_int_equal(config_diff(&a, &b, ids), 1);
	assert_int_equal(ids[0], CONFIG_rob_size);
	assert_true(config_set(&b, "rob.size=128", &err));
	assert_true(config_set(&b, "cache.levels=3", &err));
	assert_int_equal(config_diff(&a, &b, ids), 10);
	assert_int_equal(ids[0], CONFIG_cache_levels);
	for (size_t i = 1; i < 8; i++)
		assert_int_equal(strncmp(config_rows[ids[i]].key, "l3.", 3), 0);
	assert_int_equal(ids[8], CONFIG_ideal_l3i);
	assert_int_equal(ids[9], CONFIG_ideal_l3d);
}

TEST(nearest_word_is_the_one_meant)
{
	assert_int_equal(nearest_distance("lru", "lru"), 0);
	assert_int_equal(nearest_distance("lrru", "lru"), 1);
	assert_int_equal(nearest_distance("lu", "lru"), 1);
	assert_int_equal(nearest_distance("lur", "lru"), 1);
	assert_int_equal(nearest_distance("size", "size_bytes"), 1);
	assert_int_equal(nearest_distance("", "abc"), 3);
	assert_int_equal(nearest_distance("kitten", "sitting"), 3);
	assert_string_equal(config_nearest("robsize").word, "rob.size");
	assert_string_equal(config_nearest("l2.latency").word, "l2.latency_cycles");
	assert_string_equal(config_nearest("memory.latency_cycle").word, "memory.latency_cycles");
	assert_string_equal(config_nearest("predictor.tage_table").word, "predictor.tage_tables");
	char long_key[300];
	memset(long_key, 'x', sizeof(long_key) - 1);
	long_key[299] = 0;
	assert_null(config_nearest(long_key).word);
}
