/*
 * random_config.h - random machines that config_check allows, for tests. Geometry
 * is put together from powers of two; whatever still breaks a rule is drawn again.
 * Included by one test program, hence all here.
 */
#ifndef TEST_RANDOM_CONFIG_H
#define TEST_RANDOM_CONFIG_H

#include "base/bits.h"
#include "base/rng.h"
#include "config/config.h"

static inline uint32_t random_between(struct rng *rng, uint32_t least, uint32_t most)
{
	return least + (uint32_t)rng_below(rng, (uint64_t)most - least + 1);
}

/* A power of two in the row's range. */
static inline uint32_t random_power(struct rng *rng, enum config_id id)
{
	unsigned most = bits_log2(config_rows[id].most), least = bits_log2(config_rows[id].least);

	least += !bits_is_power_of_two(config_rows[id].least);
	return UINT32_C(1) << random_between(rng, least, most);
}

/* Small numbers are as likely as large ones. */
static inline uint32_t random_value(struct rng *rng, enum config_id id)
{
	const struct config_row *row = &config_rows[id];

	if (row->type == CONFIG_IS_COUNT && rng_below(rng, 4) == 0)
		return UNLIMITED;
	if (rng_below(rng, 2) && row->most > row->least + 16)
		return random_between(rng, row->least, row->least + 16);
	return random_between(rng, row->least, row->most);
}

static inline void random_cache(struct rng *rng, struct config *config, enum config_id size,
				enum config_id line, enum config_id ways)
{
	uint64_t bytes;

	do {
		config_put(config, line, random_power(rng, line));
		config_put(config, ways, random_value(rng, ways));
		bytes = (uint64_t)config_get(config, ways) * config_get(config, line)
			<< rng_below(rng, 20);
	} while (bytes < config_rows[size].least || bytes > config_rows[size].most);
	config_put(config, size, (uint32_t)bytes);
}

static inline void random_config(struct rng *rng, struct config *config)
{
	static const enum config_id powers[] = {CONFIG_page_bytes,	CONFIG_bimodal_entries,
						CONFIG_gshare_entries,	CONFIG_chooser_entries,
						CONFIG_tage_entries,	CONFIG_btb_sets,
						CONFIG_indirect_entries};

	config_reset(config);
	do {
		for (enum config_id id = 0; id < CONFIG_COUNT; id++)
			config_put(config, id, random_value(rng, id));
		for (size_t i = 0; i < sizeof(powers) / sizeof(powers[0]); i++)
			config_put(config, powers[i], random_power(rng, powers[i]));
		random_cache(rng, config, CONFIG_l1i_size, CONFIG_l1i_line, CONFIG_l1i_ways);
		random_cache(rng, config, CONFIG_l1d_size, CONFIG_l1d_line, CONFIG_l1d_ways);
		random_cache(rng, config, CONFIG_l2_size, CONFIG_l2_line, CONFIG_l2_ways);
		random_cache(rng, config, CONFIG_l3_size, CONFIG_l3_line, CONFIG_l3_ways);
		config->itlb_entries = config->itlb_ways << rng_below(rng, 6);
		config->dtlb_entries = config->dtlb_ways << rng_below(rng, 6);
	} while (!config_check(config, NULL));
}

#endif
