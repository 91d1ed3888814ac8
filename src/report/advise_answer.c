#include <math.h>
#include <string.h>

#include "base/array.h"
#include "report/advise.h"
#include "report/common.h"
#include "value/member.h"

#define NEARLY_ALL 0.9 /* of a loss that is at one line */
#define KILOBIT	   1024.0

/* The gain, with how far it may be off. */
static void say_gain(const struct advice *advice, struct doc_text *text, const json_t *row)
{
	doc_bold(text, "%s", advice_percent(advice, member_number(row, "gain")));
	if (member_number(row, "error") > 0)
		doc_say(text, " (+-%s)", advice_percent(advice, member_number(row, "error")));
}

static bool is_known_place(const json_t *place)
{
	return *member_text(place, "function") || *member_text(place, "file");
}

static void say_function(struct doc_text *text, const json_t *place)
{
	const char *name = member_text(place, "function");

	if (strcmp(name, "(unknown)") == 0)
		doc_say(text, "code without a symbol");
	else
		doc_word(text, name);
}

/* Which part of a loss of the program is at the line that has most of it, as far as its
 * instructions are listed. */
static double share_of_line(const json_t *place)
{
	const struct stacks_slots all = stacks_read_slots(place, "slots");
	const json_t *insn;
	int64_t here = 0;
	size_t i;

	json_array_foreach(json_object_get(place, "instructions"), i, insn)
	{
		const struct stacks_slots slots = stacks_read_slots(insn, "slots");

		if (!json_equal(json_object_get(insn, "line"), json_object_get(place, "line")) ||
		    !json_equal(json_object_get(insn, "file"), json_object_get(place, "file")))
			continue;
		for (int k = 0; k < CAUSE_COUNT; k++)
			here += all.causes[k] ? slots.causes[k] : 0;
	}
	return common_ratio((double)here, (double)all.total);
}

static void say_line(const struct advice *advice, struct doc_text *text, const json_t *place)
{
	if (member_whole(place, "line")) {
		doc_say(text, "at ");
		doc_word(text, common_place(advice->doc, member_text(place, "file"),
					    member_whole(place, "line")));
		doc_say(text, " ");
	}
	doc_say(text, "in ");
	say_function(text, place);
}

static void say_place(const struct advice *advice, struct doc_text *text, const json_t *place)
{
	const char *scope = member_text(place, "scope");
	const double share = advice_is_program(place) ? share_of_line(place) : 0;

	if (strcmp(scope, "line") == 0) {
		doc_say(text, "at ");
		doc_word(text, advice_place(advice->doc, place));
		doc_say(text, " in ");
		say_function(text, place);
	} else if (strcmp(scope, "function") == 0) {
		doc_say(text, "in ");
		say_function(text, place);
	} else if (share >= NEARLY_ALL && member_whole(place, "line")) {
		say_line(advice, text, place);
		doc_say(text, ", which has nearly all of this loss");
	} else {
		doc_say(text, "all over the program");
		if (!is_known_place(place))
			return;
		doc_say(text, ", %s ", share >= 0.5 ? "most of it" : "the largest part");
		say_line(advice, text, place);
	}
}

/* The place that is named: that of the largest gain, but a line or function that has at least half
 * of what the whole program would gain says more than the program does. NULL if none gains
 * enough. */
static const json_t *best_place(const struct advice *advice)
{
	const json_t *best = NULL, *place;
	size_t i;

	json_array_foreach(advice->software, i, place)
	{
		if (!advice_has_gain(place) || advice_sure(advice, place) < advice->worth)
			continue;
		if (!best)
			best = place;
		else if (advice_is_program(best) && !advice_is_program(place) &&
			 2 * member_number(place, "gain") >= member_number(best, "gain"))
			return place;
	}
	return best;
}

/* The real step that gains most, NULL if none gains enough; `least`: at all. */
static const json_t *best_step(const struct advice *advice, double least)
{
	const json_t *step;
	size_t i;

	json_array_foreach(advice->machine, i, step)
	{
		if (!advice_is_bound(step) && advice_has_gain(step) &&
		    advice_sure(advice, step) >= least)
			return step;
	}
	return NULL;
}

static void say_storage(const struct advice *advice, struct doc_text *text, const json_t *step)
{
	const double bits = member_number(step, "bits");

	if (bits > 0)
		doc_say(text, " for %s kbit of storage",
			doc_decimal(advice->doc, bits / KILOBIT, 1));
	else if (bits < 0)
		doc_say(text, " and needs %s kbit less storage",
			doc_decimal(advice->doc, -bits / KILOBIT, 1));
	else
		doc_say(text, " and needs no storage");
}

static void say_nothing(const struct advice *advice, struct doc_text *text)
{
	const size_t places = advice_simulated(advice->software, true),
		     steps = advice_simulated(advice->machine, false);
	const json_t *best = best_step(advice, -INFINITY),
		     *place = json_array_get(advice->software, 0);

	doc_bold(text, "Nothing to gain");
	if (!places && !steps) {
		doc_say(text, ": no cause that a change could take away has 1 %% of the cycles, so "
			      "no change was simulated.");
		return;
	}
	doc_say(text,
		": of %zu change%s in the program and %zu of the machine that %s simulated, none "
		"takes away %s of the cycles",
		places, places == 1 ? "" : "s", steps, places + steps == 1 ? "was" : "were",
		advice_percent(advice, advice->worth * advice->cycles));
	if (place && advice_has_gain(place) &&
	    (!best || member_number(place, "gain") > member_number(best, "gain"))) {
		doc_say(text, "; the most, ");
		say_gain(advice, text, place);
		doc_say(text, ", would go away ");
		say_place(advice, text, place);
		doc_say(text, " %s", advice_without(place));
	} else if (best) {
		doc_say(text, "; the most, ");
		say_gain(advice, text, best);
		doc_say(text, ", would go away with %s", member_text(best, "what"));
	}
	doc_say(text, ".");
}

/* Losses of other kinds that are nearly as large at the same place: their gains overlap, so the
 * reader should know of both. */
static void say_others(const struct advice *advice, struct doc_text *text, const json_t *best)
{
	const json_t *place;
	size_t i;

	json_array_foreach(advice->software, i, place)
	{
		if (place == best || advice_is_program(place) || !advice_has_gain(place) ||
		    !advice_is_same_place(place, best) ||
		    2 * advice_sure(advice, place) < advice_sure(advice, best))
			continue;
		doc_say(text, ", or ");
		say_gain(advice, text, place);
		doc_say(text, " %s", advice_without(place));
	}
}

/* The place whose loss no machine takes away, if that is larger than what any change gains. */
static const json_t *hopeless_place(const struct advice *advice, const json_t *best)
{
	const json_t *place;
	size_t i;

	json_array_foreach(advice->software, i, place)
	{
		const double lost = member_number(place, "lost");

		if (!advice_has_gain(place) &&
		    !json_array_size(json_object_get(place, "changes")) &&
		    lost >= advice->worth * advice->cycles &&
		    (!best || lost > member_number(best, "gain")))
			return place;
	}
	return NULL;
}

static void say_hopeless(const struct advice *advice, struct doc_text *text, const json_t *place)
{
	doc_bold(text, "%s", advice_percent(advice, member_number(place, "lost")));
	doc_say(text, " of the cycles are lost to %s, ", advice_loss(place));
	say_place(advice, text, place);
	doc_say(text, "; no machine takes that away, so what it would gain was not simulated. ");
}

void advice_say_answer(const struct advice *advice)
{
	struct doc_text *text = doc_text(advice->doc, DOC_VERDICT);
	const json_t *place = best_place(advice), *step = best_step(advice, advice->worth),
		     *hopeless = hopeless_place(advice, place);

	if (!place && !step && !hopeless) {
		say_nothing(advice, text);
		return;
	}
	if (hopeless)
		say_hopeless(advice, text, hopeless);
	if (place) {
		doc_say(text, "In the program most is to be gained ");
		say_place(advice, text, place);
		doc_say(text, ": ");
		say_gain(advice, text, place);
		doc_say(text, " of the cycles would go away %s", advice_without(place));
		if (!advice_is_program(place))
			say_others(advice, text, place);
		doc_say(text, ".");
	} else {
		doc_say(text, "In the program no change that was simulated gains %s of the cycles.",
			advice_percent(advice, advice->worth * advice->cycles));
	}
	if (step) {
		doc_say(text, " Of the machine, ");
		doc_bold(text, "%s", member_text(step, "what"));
		doc_say(text, " gains most, ");
		say_gain(advice, text, step);
		say_storage(advice, text, step);
		doc_say(text, ".");
	} else {
		doc_say(text, " Of the machine no step that was simulated gains %s.",
			advice_percent(advice, advice->worth * advice->cycles));
	}
}
