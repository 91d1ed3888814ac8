/* Steps of machines: against which losses, with which changes, that each is a machine of its own
 * that `--set` makes too, and what storage it needs. */
#include "../test.h"

#include "base/array.h"
#include "experiment/advise_steps.h"
#include "machine/storage.h"

#define BIT(id) (UINT64_C(1) << CAUSE_##id)
#define ALL	((UINT64_C(1) << CAUSE_COUNT) - 1 - BIT(BASE))

static const struct advise_step *step_with(const struct advise_steps *steps, const char *change)
{
	for (size_t i = 0; i < steps->count; i++)
		for (size_t k = 0; k < steps->list[i].change_count; k++)
			if (strcmp(steps->list[i].changes[k], change) == 0)
				return &steps->list[i];
	return NULL;
}

TEST(without_a_loss_there_is_no_step)
{
	struct advise_steps steps;
	struct config config;

	config_default(&config);
	advise_steps_make(&steps, &config, 0);
	assert_int_equal(steps.count, 0);
	advise_steps_release(&steps);
	/* Nothing takes away serialising instructions. */
	advise_steps_make(&steps, &config, BIT(SERIALISE));
	assert_int_equal(steps.count, 0);
	advise_steps_release(&steps);
}

TEST(steps_address_what_was_lost)
{
	struct advise_steps steps;
	struct config config;

	config_default(&config);
	advise_steps_make(&steps, &config, BIT(UNIT_INT_MULDIV));
	assert_int_equal(steps.count, 3);
	assert_true(steps.list[0].is_bound);
	assert_string_equal(steps.list[0].changes[0], "ideal.int_muldiv=true");
	assert_int_equal(steps.list[0].bits, 0);
	assert_false(steps.list[1].is_bound);
	assert_string_equal(steps.list[1].changes[0], "int_muldiv.count=2");
	assert_int_equal(steps.list[1].config.int_muldiv_count, 2);
	assert_int_equal(steps.list[1].bits, 0);
	assert_string_equal(steps.list[2].changes[0], "int_div.latency_cycles=6");
	for (size_t i = 0; i < steps.count; i++)
		assert_int_equal(steps.list[i].causes, BIT(UNIT_INT_MULDIV));
	advise_steps_release(&steps);
}

TEST(a_step_says_which_of_the_losses_it_addresses)
{
	struct advise_steps steps;
	struct config config;

	config_default(&config);
	advise_steps_make(&steps, &config, BIT(L2D) | BIT(L2I) | BIT(BRANCH) | BIT(BTB));
	const struct advise_step *l2 = step_with(&steps, "l2.size_bytes=2097152");
	assert_non_null(l2);
	assert_int_equal(l2->causes, BIT(L2D) | BIT(L2I));
	/* The switch of all branches is one bound. */
	const struct advise_step *branch = step_with(&steps, "ideal.branch=true");
	assert_non_null(branch);
	assert_int_equal(branch->causes, BIT(BRANCH) | BIT(BTB));
	/* A window has three parts. */
	const struct advise_step *window = step_with(&steps, "rob.size=384");
	assert_non_null(window);
	assert_int_equal(window->change_count, 3);
	assert_string_equal(window->changes[1], "lsq.size=192");
	assert_string_equal(window->changes[2], "issue_queue.size=192");
	/* The prefetcher that is there stays. */
	assert_non_null(step_with(&steps, "l1d.prefetch=stride+stream"));
	assert_null(step_with(&steps, "l1i.size_bytes=65536"));
	advise_steps_release(&steps);
}

TEST(storage_is_that_of_the_machine_beyond_the_one_that_runs)
{
	struct advise_steps steps;
	struct config config;

	config_default(&config);
	advise_steps_make(&steps, &config, BIT(L1D) | BIT(DTLB));
	const struct advise_step *l1d = step_with(&steps, "l1d.size_bytes=65536");
	/* 512 lines more, and a bit less in every tag; 64 sets more. */
	assert_int_equal(l1d->bits,
			 1024 * (512 + 35 + 3) + 128 * 7 - 512 * (512 + 36 + 3) - 64 * 7);
	const struct advise_step *pages = step_with(&steps, "page.size_bytes=65536");
	assert_true(pages->bits < 0);
	advise_steps_release(&steps);
}

/* On every preset, against every loss: what the changes say is the machine, no two are alike, none
 * is the one that runs. */
TEST(every_step_is_a_machine_that_set_makes)
{
	char **names;
	struct err err = {.text = ""};
	size_t presets = 0;

	names = config_presets("configs", &err);
	assert_non_null(names);
	for (char **name = names; *name; name++, presets++) {
		struct advise_steps steps;
		struct config config;
		char runs[65];

		config_reset(&config);
		if (!config_load_preset(&config, *name, "configs", &err))
			fail_msg("%s", err.text);
		config_hash(&config, runs);
		advise_steps_make(&steps, &config, ALL);
		assert_true(steps.count > 20);
		char(*hashes)[65] = mem_alloc_array(steps.count, sizeof(*hashes));
		for (size_t i = 0; i < steps.count; i++) {
			const struct advise_step *step = &steps.list[i];
			struct config made = config;

			for (size_t k = 0; k < step->change_count; k++)
				if (!config_set(&made, step->changes[k], &err))
					fail_msg("%s: %s", *name, err.text);
			if (!config_settle(&made, &err))
				fail_msg("%s: %s", *name, err.text);
			for (size_t k = 0; k < step->change_count; k++)
				if (!config_set_matters(&made, step->changes[k], &err))
					fail_msg("%s: %s", *name, err.text);
			config_hash(&made, hashes[i]);
			char hash[65];
			config_hash(&step->config, hash);
			assert_string_equal(hash, hashes[i]);
			assert_string_not_equal(hash, runs);
			for (size_t k = 0; k < i; k++)
				assert_string_not_equal(hash, hashes[k]);
			const struct storage before = storage_of(&config),
					     after = storage_of(&made);
			assert_int_equal(step->bits,
					 step->is_bound ? 0
							: (int64_t)storage_sum(&after) -
								  (int64_t)storage_sum(&before));
			assert_true(step->causes && *step->what);
		}
		free(hashes);
		advise_steps_release(&steps);
		free(*name);
	}
	free(names);
	assert_true(presets > 5);
}

TEST(a_part_at_its_limit_or_without_one_has_no_step)
{
	struct advise_steps steps;
	struct config config;
	struct err err;

	config_default(&config);
	assert_true(config_set(&config, "int_alu.count=16", &err) &&
		    config_set(&config, "store.buffer=unlimited", &err) &&
		    config_settle(&config, &err));
	advise_steps_make(&steps, &config, BIT(UNIT_INT_ALU) | BIT(STORE));
	for (size_t i = 0; i < steps.count; i++)
		assert_true(steps.list[i].is_bound);
	advise_steps_release(&steps);
}

TEST(a_part_that_is_ideal_has_no_bound)
{
	struct advise_steps steps;
	struct config config;
	struct err err;

	config_default(&config);
	assert_true(config_set(&config, "ideal.store=true", &err) && config_settle(&config, &err));
	advise_steps_make(&steps, &config, BIT(STORE));
	assert_int_equal(steps.count, 1);
	assert_string_equal(steps.list[0].changes[0], "store.buffer=64");
	advise_steps_release(&steps);
}

TEST(every_cause_but_two_has_a_switch)
{
	for (enum cause i = CAUSE_BASE; i < CAUSE_COUNT; i++)
		assert_int_equal(advise_ideal_of(i) == CONFIG_COUNT,
				 i == CAUSE_BASE || i == CAUSE_SERIALISE);
}
