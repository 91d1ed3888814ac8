/* Where a made-up run lost its cycles: which lines, functions and kinds have a place, which
 * instructions their machines spare, and what is too small for one. */
#include "made_up_base.h"

#include "base/array.h"
#include "experiment/advise_sites.h"

struct found {
	json_t *base;
	struct stacks stacks;
	struct config config;
	struct advise_sites sites;
};

static void find_in(struct found *found, json_t *base, const char *change)
{
	struct err err = {.text = ""};

	found->base = base;
	if (!stacks_read(&found->stacks, found->base, &err))
		fail_msg("%s", err.text);
	config_default(&found->config);
	if (change && !config_set(&found->config, change, &err))
		fail_msg("%s", err.text);
	advise_sites_find(&found->sites, found->base, &found->stacks, &found->config);
}

static void find(struct found *found, const char *change)
{
	find_in(found, made_up_base(), change);
}

static void release(struct found *found)
{
	advise_sites_release(&found->sites);
	stacks_release(&found->stacks);
	json_decref(found->base);
}

/* A line for each place. */
static void is_found(const struct found *found, const char *want)
{
	char text[4096] = "";
	size_t at = 0;

	for (size_t i = 0; i < found->sites.count; i++) {
		const struct advise_site *site = &found->sites.list[i];

		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s %s %s %s:%lld %lld",
				       advise_kind_names[site->kind],
				       advise_scope_names[site->scope], site->function, site->file,
				       (long long)site->line, (long long)site->slots.total);
		for (size_t k = 0; k < site->change_count; k++)
			at += (size_t)snprintf(text + at, sizeof(text) - at, " %s",
					       site->changes[k]);
		at += (size_t)snprintf(text + at, sizeof(text) - at, "\n");
	}
	assert_string_equal(text, want);
}

TEST(places_are_lines_then_functions_then_the_program)
{
	struct found found;

	find(&found, NULL);
	is_found(&found,
		 /* The line wherever it was inlined; the loss of line 11 is less than 1 %. */
		 "branch line f a.c:10 1070 ideal.at=0x900:branch/0x1000:branch/0x1004:branch\n"
		 "branch program f a.c:10 1200 ideal.branch=true\n"
		 /* No instruction is known that waits for code, and the loss is known all the same.
		  */
		 "code program  :0 400 ideal.l1i=true ideal.itlb=true\n"
		 "data line g b.c:5 300 ideal.at=0x2000:l1d\n"
		 "data line g b.c:6 200 ideal.at=0x2004:l1d\n"
		 "data line g b.c:7 150 ideal.at=0x2008:l1d\n"
		 "data function g :0 650 ideal.at=0x2000-0x2008:l1d\n"
		 "data program g b.c:5 800 ideal.l1d=true\n"
		 /* Without lines each instruction is a place. */
		 "latency line h :0 150 ideal.at=0x3000:latency\n"
		 "latency line h :0 50 ideal.at=0x3004:latency\n"
		 "latency program h :0 200 ideal.units=true\n"
		 "dependence program  :0 300 ideal.dependence=true\n"
		 /* No machine takes it away. */
		 "serialise program k c.c:1 60\n");
	release(&found);
}

TEST(a_place_lists_its_instructions_by_what_they_lost)
{
	struct found found;

	find(&found, NULL);
	const struct advise_site *line = &found.sites.list[0], *program = &found.sites.list[1];
	assert_int_equal(line->instruction_count, 3);
	assert_string_equal(json_string_value(json_object_get(line->instructions[0], "pc")),
			    "0x1000");
	assert_string_equal(json_string_value(json_object_get(line->instructions[2], "pc")),
			    "0x900");
	assert_int_equal(program->instruction_count, 4);
	assert_string_equal(json_string_value(json_object_get(program->instructions[2], "pc")),
			    "0x1010");
	/* Only slots of the kind. */
	assert_int_equal(line->slots.causes[CAUSE_BRANCH], 1070);
	assert_int_equal(line->slots.causes[CAUSE_L2D], 0);
	assert_int_equal(line->config.ideal_at.count, 3);
	assert_true(program->config.ideal_branch);
	release(&found);
}

TEST(what_the_user_made_ideal_stays_so)
{
	struct found found;

	find(&found, "ideal.at=0x4-0x8:l1i");
	assert_string_equal(found.sites.list[0].changes[0],
			    "ideal.at=0x4-0x8:l1i/0x900:branch/0x1000:branch/0x1004:branch");
	release(&found);
	find(&found, "ideal.branch=true");
	/* There is no such loss to take away from the program; nothing is changed. */
	assert_string_equal(advise_kind_names[found.sites.list[1].kind], "branch");
	assert_int_equal(found.sites.list[1].change_count, 0);
	release(&found);
}

/* Not even one of 300 has a hundredth of what the line lost. That it has no machine then is no
 * matter of the loss, of which the program has a place. */
TEST(a_line_of_which_no_instruction_can_be_spared_is_no_place)
{
	json_t *base = made_up_base(), *hottest = json_object_get(base, "hottest");
	struct found found;
	char pc[32];

	json_array_clear(hottest);
	for (int i = 0; i < 300; i++) {
		snprintf(pc, sizeof(pc), "0x%x", 0x1000 + 4 * i);
		json_array_append_new(hottest, json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:{s:i}}",
							 "function", "f", "pc", pc, "text", "beqz",
							 "file", "a.c", "line", 10, "executed", 9,
							 "slots", "branch", 4));
	}
	find_in(&found, base, NULL);
	assert_string_equal(advise_kind_names[found.sites.list[0].kind], "branch");
	assert_int_equal(found.sites.list[0].scope, ADVISE_PROGRAM);
	assert_int_equal(found.sites.list[0].line, 10);
	assert_string_equal(found.sites.list[0].changes[0], "ideal.branch=true");
	assert_string_equal(advise_kind_names[found.sites.list[1].kind], "code");
	release(&found);
}

static void lose(json_t *slots, const char *latency, const char *unit, int to_latency, int to_unit)
{
	json_object_set_new(slots, latency, json_integer(to_latency));
	json_object_set_new(slots, unit, json_integer(to_unit));
}

/* The machine of its line, on which each operation takes a cycle, does not take a loss away that
 * is due to a unit which is taken. */
TEST(the_program_has_a_place_where_a_unit_is_taken_at_one_line)
{
	static const struct {
		const char *unit, *change;
	} units[] = {{"unit.int_muldiv", "ideal.int_muldiv=true"},
		     {"unit.fp_add", "ideal.fp_add=true"},
		     {"unit.fp_muldiv", "ideal.fp_muldiv=true"}};

	for (size_t i = 0; i < ARRAY_COUNT(units); i++) {
		json_t *base = made_up_base(), *hottest = json_object_get(base, "hottest");
		struct found found;
		char want[256], text[256] = "";

		lose(json_object_get(json_object_get(base, "exact"), "causes"), "latency",
		     units[i].unit, 120, 80);
		lose(json_object_get(json_array_get(hottest, 2), "slots"), "latency", units[i].unit,
		     110, 80);
		lose(json_object_get(json_array_get(hottest, 7), "slots"), "latency", units[i].unit,
		     10, 0);
		find_in(&found, base, NULL);
		snprintf(want, sizeof(want), "ideal.at=0x3000:latency;ideal.units=true;%s;",
			 units[i].change);
		for (size_t k = 0; k < found.sites.count; k++)
			for (size_t c = 0; found.sites.list[k].kind == ADVISE_LATENCY &&
					   c < found.sites.list[k].change_count;
			     c++)
				snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s;",
					 found.sites.list[k].changes[c]);
		assert_string_equal(text, want);
		release(&found);
	}
}

/* Each cause but base is of exactly one kind, unless only the machine can do anything about it. */
TEST(kinds_share_no_cause)
{
	uint64_t all = 0;

	for (enum advise_kind i = 0; i < ADVISE_KIND_COUNT; i++) {
		assert_int_equal(all & advise_kind_causes(i), 0);
		all |= advise_kind_causes(i);
	}
	all |= UINT64_C(1) << CAUSE_QUEUES | UINT64_C(1) << CAUSE_MAX_BRANCHES |
	       UINT64_C(1) << CAUSE_BASE;
	assert_int_equal(all, (UINT64_C(1) << CAUSE_COUNT) - 1);
}
