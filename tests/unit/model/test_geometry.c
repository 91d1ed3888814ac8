/*
 * What the model takes from a machine: the numbers of a design point, each unlike all others; and
 * which machines share labels and curves, parameter by parameter.
 */
#include "../test.h"
#include "base/array.h"
#include "model/curve.h"
#include "model/label.h"
#include "model/model.h"

static struct config unequal(unsigned levels)
{
	struct config config;

	config_reset(&config);
	config.cache_levels = levels;
	config.rob_size = 97;
	config.dispatch_width = 3;
	config.issue_width = 5;
	config.l1d_latency = 4;
	config.l2_latency = 13;
	config.l3_latency = 31;
	config.memory_latency = 211;
	config.l1i_latency = 2;
	config.l1d_mshrs = 30;
	config.l2_mshrs = 20;
	config.l3_mshrs = 10;
	return config;
}

TEST(a_point_has_the_machines_numbers)
{
	static const uint32_t hits[] = {0, 4, 4 + 13, 4 + 13 + 31}, mshrs[] = {0, 30, 20, 10};

	for (unsigned levels = 1; levels <= 3; levels++) {
		struct config config = unequal(levels);
		struct design_point point = model_design_point(&config);

		assert_int_equal(point.rob_size, 97);
		assert_int_equal(point.width, 3);
		assert_int_equal(point.memory_latency_cycles, 211);
		assert_int_equal(point.hit_latency_cycles, hits[levels]);
		/* The fewest of all caches that a miss passes. */
		assert_int_equal(point.mshrs, mshrs[levels]);
		config.l1d_mshrs = 5;
		assert_int_equal(model_design_point(&config).mshrs, 5);
		config.l1d_mshrs = config.l2_mshrs = config.l3_mshrs = UNLIMITED;
		assert_int_equal(model_design_point(&config).mshrs, MSHRS_UNLIMITED);
		config.ideal_l2d = true;
		assert_int_equal(model_design_point(&config).memory_latency_cycles, 0);
		config.ideal_l2d = false;
		config.ideal_l1d = true;
		assert_int_equal(model_design_point(&config).memory_latency_cycles, 0);
	}
}

/* Another value of the parameter; false if there is none. */
static bool change(struct config *config, enum config_id id)
{
	const struct config_row *row = &config_rows[id];
	uint32_t value = config_get(config, id);

	config_put(config, id, value != row->most && value != UNLIMITED ? value + 1 : row->least);
	return config_get(config, id) != value;
}

static bool begins(const char *key, const char *const *beginnings)
{
	for (; *beginnings; beginnings++)
		if (strncmp(key, *beginnings, strlen(*beginnings)) == 0)
			return true;
	return false;
}

static bool ends(const char *key, const char *end)
{
	return strlen(key) >= strlen(end) && strcmp(key + strlen(key) - strlen(end), end) == 0;
}

/* Labels are what hits, misses and is predicted: they depend on what is kept where, and not on
 * what takes how long, nor on the core. */
TEST(labels_depend_on_what_is_kept_where)
{
	static const char *const kept[] = {"l1",     "l2.",	      "l3.",   "page.",
					   "cache.", "itlb.",	      "dtlb.", "predictor.",
					   "btb.",   "return_stack.", NULL};
	static const char *const core[] = {
		"core.",   "fetch.",	   "decode.",	     "frontend.", "dispatch.",	"issue.",
		"commit.", "rob.",	   "lsq.",	     "store.",	  "wrong_path", "int_",
		"fp_",	   "memory.ports", "memory.latency", NULL};

	for (enum config_id id = 0; id < CONFIG_COUNT; id++) {
		const struct config base = unequal(3);
		struct config other = base;
		const char *key = config_rows[id].key;
		bool is_time = ends(key, "latency_cycles") || ends(key, "miss_cycles") ||
			       ends(key, ".mshrs");

		if (!config_applies(&base, id) || !change(&other, id))
			continue;
		/* A change of kind brings other parameters with it. */
		if (id == CONFIG_core_kind || id == CONFIG_issue_queue_kind)
			continue;
		bool same = labeller_same_geometry(&base, &other);
		if (begins(key, kept) && same != is_time)
			fail_msg("labels %s on %s", same ? "do not depend" : "depend", key);
		if (begins(key, core) && !same && id != CONFIG_disambiguation)
			fail_msg("labels depend on %s", key);
	}
}

/* Curves are over the window, the MSHRs and the latency of memory: they hold for machines that
 * differ in nothing else. */
TEST(curves_are_over_five_parameters)
{
	for (enum config_id id = 0; id < CONFIG_COUNT; id++) {
		const struct config base = unequal(3);
		struct config other = base;
		bool wanted = id == CONFIG_rob_size || id == CONFIG_l1d_mshrs ||
			      id == CONFIG_l2_mshrs || id == CONFIG_l3_mshrs ||
			      id == CONFIG_memory_latency;

		if (!config_applies(&base, id) || !change(&other, id))
			continue;
		if (curve_same_machine(&base, &other) != wanted)
			fail_msg("curves %s over %s", wanted ? "are not" : "are",
				 config_rows[id].key);
	}
}
