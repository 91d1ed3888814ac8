/*
 * The presets of configs/: each states every parameter that its machine has, and
 * what the papers' tables say. Run from the project's root.
 */
#include "../test.h"
#include "base/array.h"
#include "config/config.h"
#include "config/doubt.h"

#define PRESETS "configs"

static const char *const names[] = {"bigcore",	    "boom",	"chen2008",   "eyerman2006",
				    "haswell-like", "leon2",	"littlecore", "midcore",
				    "u74",	    "xiangshan"};

enum { NAMES = sizeof(names) / sizeof(names[0]) };

static struct config load(const char *name)
{
	struct config config;
	struct err err = {.text = ""};

	if (!config_load_preset(&config, name, PRESETS, &err))
		fail_msg("%s", err.text);
	return config;
}

TEST(these_are_the_presets)
{
	struct err err;
	char **found = config_presets(PRESETS, &err);

	assert_non_null(found);
	for (size_t i = 0; i < NAMES; i++) {
		assert_string_equal(found[i], names[i]);
		free(found[i]);
	}
	assert_null(found[NAMES]);
	free(found);
}

/* Whatever the file is read over, the machine is the same. */
TEST(each_states_every_parameter)
{
	for (size_t i = 0; i < NAMES; i++) {
		struct config wanted = load(names[i]), config;
		char path[256];

		snprintf(path, sizeof(path), PRESETS "/%s.cfg", names[i]);
		for (enum config_id id = 0; id < CONFIG_COUNT; id++) {
			struct err err = {.text = ""};

			if (!config_applies(&wanted, id) || id == CONFIG_isa_profile)
				continue;
			memcpy(&config, &wanted, sizeof(config));
			config_put(&config, id,
				   config_get(&wanted, id) == config_rows[id].least
					   ? config_rows[id].most
					   : config_rows[id].least);
			if (!config_load_file(&config, path, NULL, NULL, &err))
				fail_msg("%s", err.text);
			if (config_get(&config, id) != config_get(&wanted, id))
				fail_msg("%s does not state %s", path, config_rows[id].key);
		}
	}
}

/* What a file that names no base is filled from has a name. */
TEST(the_machine_of_reset_is_a_preset)
{
	struct config config, named = load(CONFIG_UNNAMED_BASE);
	enum config_id ids[CONFIG_COUNT];

	config_reset(&config);
	assert_int_equal(config_diff(&config, &named, ids), 0);
}

TEST(none_is_doubtful)
{
	struct doubt doubts[DOUBT_MOST];

	for (size_t i = 0; i < NAMES; i++) {
		struct config config = load(names[i]);

		if (doubt_all(&config, doubts))
			fail_msg("%s: %s", names[i], doubts[0].text);
	}
}

TEST(contradictions_are_doubted)
{
	static const char *const rows[][2] = {
		{"fetch.width=1", "dispatch.width (4) is above fetch.width (1)"},
		{"commit.width=1", "dispatch.width (4) is above commit.width (1)"},
		{"l2.latency_cycles=999", "l2.latency_cycles (999) is above memory.latency_cycles"},
		{"memory.latency_cycles=1",
		 "l1d.latency_cycles (4) is above memory.latency_cycles (1)"},
		{"l2.size_bytes=16k", "l1d.size_bytes (32768) is above l2.size_bytes (16384)"},
		{"tlb2.entries=8", "dtlb.entries"},
		{"int_div.latency_cycles=1", "int_mul.latency_cycles (3) is above"},
		{"rob.size=64", NULL},
		{"tlb2.entries=0", NULL},
		{"cache.levels=1", NULL},
	};

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct config config = load("midcore");
		struct doubt doubts[DOUBT_MOST];
		struct err err = {.text = ""};
		bool found = false;

		if (!config_set(&config, rows[i][0], &err))
			fail_msg("%s", err.text);
		const size_t count = doubt_all(&config, doubts);
		for (size_t k = 0; rows[i][1] && k < count; k++)
			found |= strncmp(doubts[k].text, rows[i][1], strlen(rows[i][1])) == 0;
		if (rows[i][1] ? !found : count != 0)
			fail_msg("%s: %zu doubts, %s", rows[i][0], count,
				 count ? doubts[0].text : "none");
	}
}

TEST(each_states_nothing_its_machine_lacks)
{
	for (size_t i = 0; i < NAMES; i++) {
		struct config config = load(names[i]), settled = config;
		struct err err;

		assert_true(config_settle(&settled, &err));
		assert_memory_equal(&config, &settled, sizeof(config));
	}
}

TEST(each_dump_reads_back)
{
	for (size_t i = 0; i < NAMES; i++) {
		struct config config = load(names[i]), again;
		char hash[65], hash_again[65], *text;
		struct err err = {.text = ""};
		size_t bytes;
		FILE *out = open_memstream(&text, &bytes);

		config_dump(&config, out);
		fclose(out);
		config_reset(&again);
		assert_true(config_load_text(&again, text, bytes, "dump", NULL, &err));
		free(text);
		assert_memory_equal(&config, &again, sizeof(config));
		config_hash(&config, hash);
		config_hash(&again, hash_again);
		assert_string_equal(hash, hash_again);
		for (size_t j = 0; j < i; j++) {
			struct config other = load(names[j]);

			config_hash(&other, hash_again);
			assert_string_not_equal(hash, hash_again);
		}
	}
}

TEST(the_default_machine_is_eyerman2006)
{
	struct config config = load("eyerman2006"), reset;

	config_reset(&reset);
	assert_memory_equal(&config, &reset, sizeof(config));
}

/* Eyerman et al. 2006, table 2. */
TEST(eyerman2006_is_as_in_the_paper)
{
	struct config c = load("eyerman2006");

	assert_int_equal(c.core_kind, CORE_OOO);
	assert_int_equal(c.rob_size, 128);
	assert_int_equal(c.lsq_size, 64);
	assert_int_equal(c.issue_queue_size, c.rob_size);
	assert_int_equal(c.decode_width, 4);
	assert_int_equal(c.dispatch_width, 4);
	assert_int_equal(c.commit_width, 4);
	assert_int_equal(c.fetch_width, 8);
	assert_int_equal(c.issue_width, 8);
	assert_int_equal(c.frontend_depth, 5);
	assert_int_equal(c.l1d_latency, 2);
	assert_int_equal(c.int_mul_latency, 3);
	assert_int_equal(c.int_div_latency, 20);
	assert_int_equal(c.l1i_size, 8 << 10);
	assert_int_equal(c.l1i_ways, 1);
	assert_int_equal(c.l1d_size, 16 << 10);
	assert_int_equal(c.l1d_ways, 4);
	assert_int_equal(c.cache_levels, 2);
	assert_int_equal(c.l2_size, 1 << 20);
	assert_int_equal(c.l2_ways, 8);
	assert_int_equal(c.l2_latency, 9);
	assert_int_equal(c.memory_latency, 250);
	assert_int_equal(c.predictor_kind, PREDICTOR_HYBRID);
	/* Chosen here. */
	assert_int_equal(c.l1i_latency, 1);
	assert_int_equal(c.l1i_line, 32);
	assert_int_equal(c.l1d_line, 32);
	assert_int_equal(c.l2_line, 64);
	assert_int_equal(c.l1d_mshrs, UNLIMITED);
	assert_int_equal(c.l2_mshrs, UNLIMITED);
	assert_int_equal(c.store_buffer, UNLIMITED);
	assert_int_equal(c.itlb_entries, 64);
	assert_int_equal(c.itlb_ways, 4);
	assert_int_equal(c.dtlb_entries, 128);
	assert_int_equal(c.dtlb_ways, 4);
	assert_int_equal(c.page_bytes, 4096);
	assert_int_equal(c.itlb_miss, 30);
	assert_int_equal(c.dtlb_miss, 30);
	assert_int_equal(c.int_alu_count, 4);
	assert_int_equal(c.int_muldiv_count, 1);
	assert_int_equal(c.memory_ports, 2);
	assert_int_equal(c.fp_add_count, 4);
	assert_int_equal(c.fp_muldiv_count, 1);
	assert_int_equal(c.btb_sets, 512);
	assert_int_equal(c.btb_ways, 4);
	assert_int_equal(c.ras_entries, 8);
}

/* Chen and Aamodt 2008, table 1. */
TEST(chen2008_is_as_in_the_paper)
{
	struct config c = load("chen2008");

	assert_int_equal(c.core_kind, CORE_OOO);
	assert_int_equal(c.fetch_width, 4);
	assert_int_equal(c.decode_width, 4);
	assert_int_equal(c.dispatch_width, 4);
	assert_int_equal(c.issue_width, 4);
	assert_int_equal(c.commit_width, 4);
	assert_int_equal(c.rob_size, 256);
	assert_int_equal(c.lsq_size, 256);
	assert_int_equal(c.issue_queue_size, 256);
	assert_int_equal(c.predictor_kind, PREDICTOR_GSHARE);
	assert_int_equal(c.gshare_entries * 2 / 8, 4096);
	assert_int_equal(c.l1i_size, 16 << 10);
	assert_int_equal(c.l1i_line, 32);
	assert_int_equal(c.l1i_ways, 4);
	assert_int_equal(c.l1i_latency, 1);
	assert_int_equal(c.l1d_size, 16 << 10);
	assert_int_equal(c.l1d_line, 32);
	assert_int_equal(c.l1d_ways, 4);
	assert_int_equal(c.l1d_latency, 2);
	assert_int_equal(c.cache_levels, 2);
	assert_int_equal(c.l2_size, 128 << 10);
	assert_int_equal(c.l2_line, 64);
	assert_int_equal(c.l2_ways, 8);
	assert_int_equal(c.l2_latency, 10);
	assert_int_equal(c.memory_latency, 200);
	assert_int_equal(c.l2_mshrs, UNLIMITED);
	assert_true(c.ideal_itlb);
	assert_true(c.ideal_dtlb);
	assert_int_equal(c.l1d_prefetch, PREFETCH_NONE);
	assert_int_equal(c.l2_prefetch, PREFETCH_NONE);
}

/* Hough et al. 2006, section 2.2 and figure 5, each of whose variations can be had. */
TEST(leon2_is_as_in_the_paper)
{
	static const char *const variations[][2] = {
		{"l1i.ways=2", "l1i.size_bytes=8k"},  {"l1i.ways=3", "l1i.size_bytes=12k"},
		{"l1i.ways=4", "l1i.size_bytes=16k"}, {"l1i.size_bytes=1k", NULL},
		{"l1i.size_bytes=2k", NULL},	      {"l1i.line_bytes=16", NULL},
		{"l1i.replacement=lrr", NULL},	      {"l1i.replacement=lru", NULL},
	};
	struct config c = load("leon2");
	struct err err = {.text = ""};

	assert_int_equal(c.core_kind, CORE_INORDER);
	assert_int_equal(c.inorder_issue_width, 1);
	assert_int_equal(c.l1i_size, 4096);
	assert_int_equal(c.l1i_ways, 1);
	assert_int_equal(c.l1i_line, 8 * 4);
	assert_int_equal(c.l1i_replacement, REPLACE_RANDOM);
	assert_int_equal(c.l1d_write, WRITE_THROUGH);
	assert_int_equal(c.cache_levels, 1);
	assert_int_equal(c.predictor_kind, PREDICTOR_NONE);
	for (size_t i = 0; i < sizeof(variations) / sizeof(variations[0]); i++) {
		struct config varied = c;

		for (size_t j = 0; j < 2 && variations[i][j]; j++)
			assert_true(config_set(&varied, variations[i][j], &err));
		assert_true(config_check(&varied, &err));
	}
}

TEST(bigcore_and_littlecore_are_what_they_are_called)
{
	struct config big = load("bigcore"), little = load("littlecore");

	assert_int_equal(big.core_kind, CORE_OOO);
	assert_int_equal(big.dispatch_width, 8);
	assert_int_equal(big.rob_size, 512);
	assert_int_equal(big.predictor_kind, PREDICTOR_TAGE);
	assert_int_equal(big.cache_levels, 3);
	assert_int_equal(big.l1d_prefetch, PREFETCH_STRIDE);
	assert_int_equal(big.l2_prefetch, PREFETCH_STREAM);
	assert_int_equal(big.l3_prefetch, PREFETCH_ADJACENT_LINE);
	assert_int_equal(little.core_kind, CORE_INORDER);
	assert_int_equal(little.inorder_issue_width, 2);
}
