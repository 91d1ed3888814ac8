/* gain: the machines that are measured, on every preset and with what a machine may lack: each has
 * one cause more than the one before, stands for others only where that cause is all that differs,
 * and no cause is left out or counted twice. */
#include "../test.h"
#include "core/core.h"
#include "job/gain.h"

static const char *const presets[] = {"eyerman2006", "chen2008",  "midcore",	  "bigcore",
				      "boom",	     "xiangshan", "haswell-like", "leon2",
				      "littlecore",  "u74"};

static struct config preset(const char *name)
{
	struct config config;
	struct err err;

	assert_true(config_load_preset(&config, name, "configs", &err));
	return config;
}

static const struct config *machine_of(const struct gain *g, const struct config *run, size_t link)
{
	return link + 1 == g->count ? run : &g->machines[link];
}

/* The parameters that differ, all of them switches that are on in the first. */
static size_t differences(const struct config *ideal, const struct config *real,
			  enum config_id ids[CONFIG_COUNT])
{
	const size_t count = config_diff(ideal, real, ids);

	for (size_t i = 0; i < count; i++)
		if (ids[i] != CONFIG_ideal_mshrs)
			assert_true(config_get(ideal, ids[i]) && !config_get(real, ids[i]));
	return count;
}

static void check_chain(const struct gain *g, const struct config *run)
{
	enum config_id ids[CONFIG_COUNT];

	for (size_t i = 0; i + 1 < g->count; i++) {
		const struct config *next = machine_of(g, run, i + 1);
		const size_t count = differences(&g->machines[i], next, ids);
		const bool is_before_mshrs =
			i + 2 < g->count && g->chain[i + 2].cause == CAUSE_MSHR;
		struct err err;

		/* MSHRs are without a limit in one machine alone. */
		assert_int_equal(count, is_before_mshrs ? 2 : 1);
		assert_true(config_check(&g->machines[i], &err));
		assert_non_null(core_kind_of(&g->machines[i], &err));
	}
}

static void check_likes(const struct gain *g, const struct config *run)
{
	enum config_id ids[CONFIG_COUNT];

	for (size_t i = 0; i + 1 < g->count; i++) {
		const struct windows_like *like = &g->like[i];
		const size_t place = like->machine == WINDOWS_RUN ? g->count - 1 : like->machine;

		assert_true(place > i);
		if (like->unless[0])
			assert_int_equal(
				differences(&g->machines[i], machine_of(g, run, place), ids), 1);
	}
}

static void check_causes(const struct gain *g)
{
	uint64_t all = 0;

	for (size_t i = 0; i < g->count; i++) {
		assert_true(g->causes[i] >> g->chain[i].cause & 1);
		assert_int_equal(all & g->causes[i], 0);
		all |= g->causes[i];
	}
	assert_true(all == (UINT64_C(1) << CAUSE_COUNT) - 1);
}

static void check(const struct config *config)
{
	struct gain g;

	gain_init(&g, config);
	assert_true(g.count >= 2);
	check_chain(&g, config);
	check_likes(&g, config);
	check_causes(&g);
}

TEST(every_preset)
{
	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++) {
		const struct config config = preset(presets[i]);

		check(&config);
	}
}

TEST(what_a_machine_lacks)
{
	static const char *const changes[] = {
		"l1d.mshrs=unlimited",	 "l2.mshrs=4",		 "store.buffer=unlimited",
		"ideal.ports=true",	 "ideal.l1d=true",	 "ideal.branch=true",
		"ideal.units=true",	 "memory.line_cycles=8", "predictor.kind=perfect",
		"tlb.miss=walk",	 "cache.levels=1",	 "cache.levels=3",
		"ideal.dependence=true",
	};
	struct err err;

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		for (size_t k = 0; k < sizeof(changes) / sizeof(changes[0]); k++) {
			struct config config = preset("midcore");

			assert_true(config_set(&config, changes[i], &err));
			assert_true(config_set(&config, changes[k], &err));
			if (config_settle(&config, &err) && core_kind_of(&config, &err))
				check(&config);
		}
}

/* Causes of which a machine has no link of their own are measured with others of their component.
 */
TEST(causes_share_links)
{
	const struct config config = preset("midcore");
	struct gain g;

	gain_init(&g, &config);
	for (size_t i = 0; i < g.count; i++)
		for (enum cause k = CAUSE_BASE; k < CAUSE_COUNT; k++)
			if (g.causes[i] >> k & 1 &&
			    component_exists(config.cache_levels,
					     cause_component(config.cache_levels, k)))
				assert_int_equal(
					cause_component(config.cache_levels, k),
					cause_component(config.cache_levels, g.chain[i].cause));
}
