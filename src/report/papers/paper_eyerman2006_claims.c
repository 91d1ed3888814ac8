#include "report/papers/paper_eyerman2006.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "value/member.h"

#define LIMIT 0.04 /* of section 5.2 */

static const json_t *programs_of(const json_t *result)
{
	return json_object_get(json_object_get(result, "judge"), "programs");
}

static const json_t *summary_of(const json_t *result, const char *what)
{
	return json_object_get(json_object_get(json_object_get(result, "judge"), "summary"), what);
}

static double mean_error(const json_t *result, const char *method)
{
	return member_number(summary_of(result, "mean_error"), method);
}

static double per_event(const json_t *program, const char *event, const char *method)
{
	return member_number(json_object_get(json_object_get(program, "per_event"), event), method);
}

/* Values of a program. */

static double error_of(const json_t *program, const char *method)
{
	return member_number(json_object_get(json_object_get(program, "methods"), method),
			     "max_error");
}

static double share_of(const json_t *program, const char *component)
{
	return member_number(json_object_get(json_object_get(program, "truth"), "a"), component) /
	       member_number(program, "cycles");
}

static double naive_excess(const json_t *program, const char *component)
{
	const json_t *naive = json_object_get(json_object_get(program, "methods"), "naive");

	return -member_number(json_object_get(naive, "components"), component) /
	       member_number(program, "cycles");
}

/* The component that differs most between the two orders, and by how much of the cycles. */
static double order_gap(const json_t *program, const char **component)
{
	json_t *truth = json_object_get(program, "truth"), *value;
	double most = -1;
	const char *name;

	*component = "";
	json_object_foreach(json_object_get(truth, "a"), name, value)
	{
		double gap = fabs(json_number_value(value) -
				  member_number(json_object_get(truth, "b"), name)) /
			     member_number(program, "cycles");

		if (gap > most) {
			most = gap;
			*component = name;
		}
	}
	return fmax(most, 0);
}

static double order_gap_of(const json_t *program, const char *unused)
{
	const char *component;

	(void)unused;
	return order_gap(program, &component);
}

/* Mean errors fall from each of the methods to the next. */
static void decide_order(struct claim_outcome *outcome, const struct claim *claim,
			 const json_t *result)
{
	const json_t *means = summary_of(result, "mean_error");
	bool holds = true;

	claim_say(outcome, "mean error ");
	claim_say_percents(outcome, claim->methods, means, 2);
	for (size_t i = 1; claim->methods[i]; i++)
		holds &= member_number(means, claim->methods[i]) <
			 member_number(means, claim->methods[i - 1]);
	claim_set(outcome, holds);
}

/* The largest error of a method, program by program. */
static void decide_below(struct claim_outcome *outcome, const struct claim *claim,
			 const json_t *result)
{
	size_t on = 0, i;
	json_t *program;

	claim_say(outcome, "largest %.2f %%, mean %.2f %%",
		  100 * member_number(summary_of(result, "largest_error"), claim->of),
		  100 * mean_error(result, claim->of));
	json_array_foreach(programs_of(result), i, program)
	{
		if (error_of(program, claim->of) < claim->limit) {
			on++;
			continue;
		}
		claim_say(outcome, "; ");
		claim_say_program(outcome, program);
		claim_say(outcome, " %.2f %%", 100 * error_of(program, claim->of));
	}
	claim_set_counted(outcome, claim, on, json_array_size(programs_of(result)));
}

/* The mean error of the second method is hardly above that of the first. */
static void decide_adds_little(struct claim_outcome *outcome, const struct claim *claim,
			       const json_t *result)
{
	claim_say(outcome, "mean error ");
	claim_say_percents(outcome, claim->methods, summary_of(result, "mean_error"), 2);
	claim_set(outcome,
		  mean_error(result, claim->methods[1]) - mean_error(result, claim->methods[0]) <=
			  claim->limit);
}

/* The largest error of each of the methods is above the limit. */
static void decide_above(struct claim_outcome *outcome, const struct claim *claim,
			 const json_t *result)
{
	const json_t *largest = summary_of(result, "largest_error");
	bool holds = true;

	claim_say(outcome, "largest error ");
	claim_say_percents(outcome, claim->methods, largest, 1);
	for (size_t i = 0; claim->methods[i]; i++)
		holds &= member_number(largest, claim->methods[i]) > claim->limit;
	claim_set(outcome, holds);
}

/* Section 5.2 names five with a negative base. */
static bool is_named_negative(const json_t *program)
{
	static const char *const named[] = {"gap", "gcc", "mcf", "twolf", "vpr", NULL};
	const struct paper_program *paper =
		paper_program_of(paper_eyerman2006_programs, member_text(program, "name"));

	for (size_t i = 0; paper && named[i]; i++)
		if (strcmp(paper->name, named[i]) == 0)
			return true;
	return false;
}

static void decide_negative(struct claim_outcome *outcome, const struct claim *claim,
			    const json_t *result)
{
	size_t i, negative = 0, explained = 0, named = 0, named_negative = 0;
	json_t *program;

	(void)claim;
	json_array_foreach(programs_of(result), i, program)
	{
		double excess = naive_excess(program, "base");

		named += is_named_negative(program);
		named_negative += is_named_negative(program) && excess > 0;
		if (excess <= 0)
			continue;
		claim_say(outcome, "%s", negative++ ? ", " : "negative: ");
		claim_say_program(outcome, program);
		claim_say(outcome, " %.0f %%", -100 * excess);
		explained +=
			per_event(program, "l2d", "naive") > per_event(program, "l2d", "simulated");
	}
	claim_say(outcome, "%s%zu of the %zu that stand for programs the paper names",
		  negative ? "; among them " : "on no program: ", named_negative, named);
	claim_set(outcome, negative && explained == negative);
}

static void decide_most_negative(struct claim_outcome *outcome, const struct claim *claim,
				 const json_t *result)
{
	const json_t *lowest = claim_largest(programs_of(result), naive_excess, "base");
	const struct paper_program *paper =
		paper_program_of(paper_eyerman2006_programs, member_text(lowest, "name"));

	claim_say(outcome, "lowest: ");
	claim_say_program(outcome, lowest);
	claim_say(outcome, " %.0f %% of the cycles", -100 * naive_excess(lowest, "base"));
	claim_set(outcome,
		  naive_excess(lowest, "base") > 0 && paper && strcmp(paper->name, claim->of) == 0);
}

/* What methods charge per event, on each program that has such events. */
static void decide_per_event(struct claim_outcome *outcome, const struct claim *claim,
			     const json_t *result)
{
	struct claim_outcome against = {.ours = ""};
	size_t on = 0, of = 0, i;
	json_t *program;

	json_array_foreach(programs_of(result), i, program)
	{
		if (member_number(json_object_get(program, "events"), claim->of) <= 0)
			continue;
		of++;
		if (claim->holds_on(program, claim->of)) {
			on++;
			continue;
		}
		claim_say(&against, "%s", against.ours[0] ? ", " : "; not on ");
		claim_say_program(&against, program);
	}
	claim_say(outcome, "cycles per event, mean of the programs: ");
	for (size_t k = 0; claim->methods[k]; k++) {
		double sum = 0;

		json_array_foreach(programs_of(result), i, program)
		{
			if (member_number(json_object_get(program, "events"), claim->of) > 0)
				sum += per_event(program, claim->of, claim->methods[k]);
		}
		claim_say(outcome, "%s%s %.1f", k ? ", " : "", claim->methods[k], sum / (double)of);
	}
	claim_say(outcome, "%s", against.ours);
	claim_set_counted(outcome, claim, on, of);
}

static bool is_l1i_delay(const json_t *program, const char *event)
{
	double cycles = per_event(program, event, "simulated");

	return cycles >= 7.5 && cycles < 9.5;
}

static bool is_power5_low(const json_t *program, const char *event)
{
	return per_event(program, event, "power5") < per_event(program, event, "simulated");
}

static bool is_branch_order(const json_t *program, const char *event)
{
	return per_event(program, event, "power5") < per_event(program, event, "naive") &&
	       per_event(program, event, "naive") < per_event(program, event, "fmt");
}

static bool is_mostly_resolution(const json_t *program, const char *event)
{
	return per_event(program, event, "simulated") > 10;
}

static bool is_long_order(const json_t *program, const char *event)
{
	return per_event(program, event, "naive") > 1.5 * per_event(program, event, "power5") &&
	       per_event(program, event, "power5") >= per_event(program, event, "fmt");
}

static void decide_overlap(struct claim_outcome *outcome, const struct claim *claim,
			   const json_t *result)
{
	const json_t *programs = programs_of(result),
		     *worst = claim_largest(programs, member_number, "overlap"),
		     *full = claim_largest(programs, member_number, "overlap_full");
	size_t count = json_array_size(programs),
	       small = claim_count_within(programs, member_number, "overlap", claim->limit);
	double most = member_number(worst, "overlap");

	claim_say(outcome, "at most 1 %% on %zu of %zu programs, largest %.2f %%", small, count,
		  100 * most);
	claim_say_where(outcome, worst);
	claim_say(outcome, "; with a full window at most %.2f %%",
		  100 * member_number(full, "overlap_full"));
	claim_set(outcome, 2 * small > count && most <= 0.054);
}

static void decide_two_orders(struct claim_outcome *outcome, const struct claim *claim,
			      const json_t *result)
{
	const json_t *worst = claim_largest(programs_of(result), order_gap_of, NULL);
	const char *component;
	double most = order_gap(worst, &component);

	claim_say(outcome, "at most %.2f %% of the cycles (%s of ", 100 * most, component);
	claim_say_program(outcome, worst);
	claim_say(outcome, ")");
	claim_set(outcome, most <= claim->limit);
}

/* A simulated component is a small part of the cycles. */
static void decide_hidden(struct claim_outcome *outcome, const struct claim *claim,
			  const json_t *result)
{
	const json_t *programs = programs_of(result),
		     *worst = claim_largest(programs, share_of, claim->of);

	claim_say(outcome, "at most %.2f %%", 100 * share_of(worst, claim->of));
	claim_say_where(outcome, worst);
	claim_set_counted(outcome, claim,
			  claim_count_within(programs, share_of, claim->of, claim->limit),
			  json_array_size(programs));
}

static void decide_storage(struct claim_outcome *outcome, const struct claim *claim,
			   const json_t *result)
{
	const json_t *methods = json_object_get(json_array_get(programs_of(result), 0), "methods");
	double fmt = member_number(json_object_get(methods, "fmt"), "bits");
	double sfmt = member_number(json_object_get(methods, "sfmt"), "bits");

	claim_say(outcome, "fmt %.0f bits, sfmt %.0f, global counters included", fmt, sfmt);
	claim_set(outcome, sfmt < claim->limit * fmt);
}

#define METHODS(...) ((const char *const[]){__VA_ARGS__, NULL})

const struct claim paper_eyerman2006_claims[] = {
	{.id = "order",
	 .claim = "counting right-path misses only improves on naive, POWER5 on both, FMT on all "
		  "of them",
	 .section = "5.2",
	 .test = "mean error: naive > naive-nonspec > power5 > fmt",
	 .decide = decide_order,
	 .methods = METHODS("naive", "naive-nonspec", "power5", "fmt")},
	{.id = "fmt-below-4",
	 .claim = "every component of FMT is within 4 % (2.5 % on average)",
	 .section = "5.2",
	 .test = "its largest error is below 4 % of the cycles",
	 .decide = decide_below,
	 .of = "fmt",
	 .limit = LIMIT},
	{.id = "sfmt-below-4",
	 .claim = "every component of sFMT is within 4 % (2.7 % on average)",
	 .section = "5.2",
	 .test = "its largest error is below 4 % of the cycles",
	 .decide = decide_below,
	 .of = "sfmt",
	 .limit = LIMIT},
	{.id = "shared-adds-little",
	 .claim = "sharing the I-side counters adds very little error (2.5 % becomes 2.7 % on "
		  "average)",
	 .section = "4.1.2, 5.2",
	 .test = "mean error of sfmt at most 0.5 % above that of fmt",
	 .decide = decide_adds_little,
	 .methods = METHODS("fmt", "sfmt"),
	 .limit = 0.005},
	{.id = "earlier-approaches",
	 .claim = "earlier approaches have errors above 30 %",
	 .section = "1",
	 .test = "the largest error of naive, naive-nonspec and power5 is above 30 %",
	 .decide = decide_above,
	 .methods = METHODS("naive", "naive-nonspec", "power5"),
	 .limit = 0.3},
	{.id = "negative-base",
	 .claim = "naive charges more cycles than there are, where long misses overlap",
	 .section = "5.2",
	 .test = "naive's base is negative on some program, and on each such program a long miss "
		 "costs less than naive charges",
	 .decide = decide_negative},
	{.id = "negative-base-most",
	 .claim = "gcc is the most notable example",
	 .section = "5.2",
	 .test = "naive's base is negative and lowest on the compiler",
	 .decide = decide_most_negative,
	 .of = "gcc"},
	{.id = "l1i-delay",
	 .claim = "an L1I miss costs its delay: between 8 and 9 cycles with an L2 of 9",
	 .section = "3.1.1",
	 .test = "simulated cycles per miss round to 8 or 9",
	 .decide = decide_per_event,
	 .of = "l1i",
	 .methods = METHODS("simulated", "fmt", "naive"),
	 .holds_on = is_l1i_delay},
	{.id = "l1i-power5",
	 .claim = "POWER5 underestimates the I-cache penalty",
	 .section = "3.1.1",
	 .test = "power5 below simulated, per L1I miss",
	 .decide = decide_per_event,
	 .of = "l1i",
	 .methods = METHODS("power5", "simulated"),
	 .holds_on = is_power5_low},
	{.id = "branch-order",
	 .claim = "naive underestimates the penalty of a misprediction, and POWER5 more so",
	 .section = "3.1.2",
	 .test = "power5 < naive < fmt, per misprediction",
	 .decide = decide_per_event,
	 .of = "branch",
	 .methods = METHODS("power5", "naive", "fmt", "simulated"),
	 .holds_on = is_branch_order},
	{.id = "branch-resolution",
	 .claim = "for many programs the resolution time is the main part of the penalty",
	 .section = "3.1.2",
	 .test = "on more than half of the programs, simulated cycles per misprediction above "
		 "twice the front end's 5 stages",
	 .decide = decide_per_event,
	 .of = "branch",
	 .methods = METHODS("simulated"),
	 .holds_on = is_mostly_resolution,
	 .is_most = true},
	{.id = "long-order",
	 .claim = "naive charges far too much for long misses; POWER5 slightly more than FMT",
	 .section = "3.2.2",
	 .test = "naive > 1.5 x power5 and power5 >= fmt, per miss",
	 .decide = decide_per_event,
	 .of = "l2d",
	 .methods = METHODS("naive", "power5", "fmt", "simulated"),
	 .holds_on = is_long_order},
	{.id = "overlap",
	 .claim = "front-end and long data penalties seldom overlap: at most 1 % of the cycles "
		  "for most programs, up to 5 % for a couple",
	 .section = "3.3.2",
	 .test = "at most 1 % on more than half of the programs, and on none above 5.4 %, table "
		 "1's largest",
	 .decide = decide_overlap,
	 .limit = 0.01},
	{.id = "two-orders",
	 .claim = "the order in which the simulated components are taken matters little",
	 .section = "5.2",
	 .test = "no component differs by more than 2 % of the cycles",
	 .decide = decide_two_orders,
	 .limit = 0.02},
	{.id = "l1d-hidden",
	 .claim = "L1 data misses are hidden almost completely",
	 .section = "2",
	 .test = "the simulated l1d component is at most 5 % of the cycles",
	 .decide = decide_hidden,
	 .of = "l1d",
	 .limit = 0.05},
	{.id = "storage",
	 .claim = "sFMT needs a fraction of FMT's storage",
	 .section = "4.1.2",
	 .test = "sfmt needs less than half the bits of fmt",
	 .decide = decide_storage,
	 .limit = 0.5},
	{0},
};

enum { OLDER, YOUNGER, WRONG, LOSSES };

static const char *const loss_names[] = {"older_lost", "younger_lost", "wrong_path_kept"};

/* Older counts as clearing at resolution loses them; the others as clearing at commit does. */
static void read_losses(const json_t *program, double losses[LOSSES])
{
	const json_t *all = json_object_get(program, "sfmt_losses");

	losses[OLDER] = member_number(json_object_get(all, "sfmt-resolve"), "older_lost");
	losses[YOUNGER] = member_number(json_object_get(all, "sfmt"), "younger_lost");
	losses[WRONG] = member_number(json_object_get(all, "sfmt"), "wrong_path_kept");
}

static double iside_of(const json_t *program)
{
	const json_t *truth = json_object_get(json_object_get(program, "truth"), "a");

	return member_number(truth, "l1i") + member_number(truth, "l2i") +
	       member_number(truth, "l3i") + member_number(truth, "itlb");
}

static json_t *losses_object(const char *name, double cycles, double iside,
			     const double losses[LOSSES])
{
	json_t *object = json_pack("{s:s, s:I}", "name", name, "iside", (json_int_t)iside);

	for (unsigned i = 0; i < LOSSES; i++)
		json_object_set_new(
			object, loss_names[i],
			json_pack("{s:I, s:f, s:o}", "cycles", (json_int_t)losses[i], "of_run",
				  cycles > 0 ? losses[i] / cycles : 0, "of_iside",
				  iside > 0 ? json_real(losses[i] / iside) : json_null()));
	return object;
}

/* Everything one way of clearing gets wrong. */
static double wrong_by(const json_t *program, const char *kind)
{
	const json_t *losses = json_object_get(json_object_get(program, "sfmt_losses"), kind);

	return member_number(losses, "older_lost") + member_number(losses, "younger_lost") +
	       member_number(losses, "wrong_path_kept");
}

struct losses_total {
	double cycles, iside, losses[LOSSES];
	double commit, resolve;		  /* everything wrong by each */
	double most_commit, most_resolve; /* of any run, as a part of it */
	size_t resolve_is_worse, programs;
};

static void say_answer(struct claim_outcome *words, const struct losses_total *t,
		       const json_t *result)
{
	bool is_little = t->most_commit < LIMIT / 2;

	if (t->iside <= 0) {
		claim_say(words, "These programs have no I-side cycles to lose.");
		return;
	}
	claim_say(
		words,
		"Clearing at commit, as published, loses younger right-path counts worth %.1f %% of "
		"the simulated I-side cycles and keeps wrong-path counts worth %.1f %%; together that "
		"is at most %.2f %% of a run, %s the 4 %% that the method is held to. ",
		100 * t->losses[YOUNGER] / t->iside, 100 * t->losses[WRONG] / t->iside,
		100 * t->most_commit, is_little ? "little beside" : "not little beside");
	claim_say(
		words,
		"Clearing at resolution throws away older counts worth %.1f %% of the I-side cycles; "
		"all in all it is worse on %zu of %zu programs, and wrong by up to %.2f %% of a "
		"run. ",
		100 * t->losses[OLDER] / t->iside, t->resolve_is_worse, t->programs,
		100 * t->most_resolve);
	claim_say(
		words,
		"In total clearing at %s loses less: %.1f %% of the I-side cycles against %.1f %%. ",
		t->commit <= t->resolve ? "commit" : "resolution",
		100 * fmin(t->commit, t->resolve) / t->iside,
		100 * fmax(t->commit, t->resolve) / t->iside);
	double all = mean_error(result, "sfmt"), counters = mean_error(result, "sfmt-counters"),
	       resolve = mean_error(result, "sfmt-resolve");
	claim_say(
		words,
		"Mean error: %.2f %% clearing all of the table at commit, %.2f %% only its I-side "
		"counters, %.2f %% clearing at resolution, fmt %.2f %%",
		100 * all, 100 * counters, 100 * resolve, 100 * mean_error(result, "fmt"));
	claim_say(
		words, "%s.",
		all < counters && fabs(counters - resolve) < (counters - all) / 2
			? ": what the published clearing gains over the others it gains in the branch "
			  "penalties it clears as well, not in the I-side counts"
			: "");
}

void paper_eyerman2006_derive(json_t *result)
{
	json_t *programs = json_array(), *program;
	struct losses_total total = {0};
	struct claim_outcome answer = {.ours = ""};
	size_t i;

	json_array_foreach(programs_of(result), i, program)
	{
		double losses[LOSSES], cycles = member_number(program, "cycles"),
				       iside = iside_of(program);

		read_losses(program, losses);
		json_array_append_new(
			programs, losses_object(json_string_value(json_object_get(program, "name")),
						cycles, iside, losses));
		total.programs++;
		total.cycles += cycles;
		total.iside += iside;
		double commit = wrong_by(program, "sfmt"),
		       resolve = wrong_by(program, "sfmt-resolve");
		total.commit += commit;
		total.resolve += resolve;
		total.most_commit = fmax(total.most_commit, commit / cycles);
		total.most_resolve = fmax(total.most_resolve, resolve / cycles);
		total.resolve_is_worse += resolve > commit;
		for (unsigned k = 0; k < LOSSES; k++)
			total.losses[k] += losses[k];
	}
	say_answer(&answer, &total, result);
	json_object_set_new(result, "clearing",
			    json_pack("{s:o, s:o, s:s}", "programs", programs, "total",
				      losses_object("all", total.cycles, total.iside, total.losses),
				      "answer", answer.ours));
}
