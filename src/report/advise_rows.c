#include <string.h>

#include "base/array.h"
#include "report/advise.h"
#include "report/common.h"
#include "value/member.h"

/* What a kind of loss is, if it is at one place, and if it is in the whole program. */
static const struct kind {
	const char *name, *without, *everywhere, *loss;
} kinds[] = {
	{"branch", "if its branches were predicted", "if every branch were predicted",
	 "mispredicted branches"},
	{"code", "if its instructions were in the L1I", "if all instructions were in the L1I",
	 "fetch that waits for instructions"},
	{"data", "if its data were in the L1D", "if all data were in the L1D",
	 "accesses that wait for data"},
	{"pages", "if its pages were in the D-TLB", "if all pages were in the D-TLB",
	 "accesses that wait for address translation"},
	{"latency", "if its operations took a cycle", "if every operation took a cycle",
	 "operations of more than one cycle"},
	{"dependence", "if its operations did not wait for each other",
	 "if no operation waited for another's result", "operations that wait for each other"},
	{"units", "if its operations found a unit", "if every operation found a unit",
	 "units that are taken"},
	{"stores", "if its stores found room", "if every store found room",
	 "stores that find no room"},
	{"forward", "if its loads did not wait for stores",
	 "if no load waited for the store that it reads", "loads that wait for older stores"},
	{"order", "if its loads were never held back or replayed",
	 "if no load were held back or replayed", "loads held back or replayed"},
	{"serialise", "without its serialising instructions",
	 "without its serialising instructions", "instructions that are alone in the core"},
};

static const struct kind *kind_of(const json_t *place)
{
	const char *name = member_text(place, "kind");

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

bool advice_is_program(const json_t *place)
{
	return strcmp(member_text(place, "scope"), "program") == 0;
}

/* Whether more is taken away with the latencies of all operations: waiting for their units. */
static bool frees_units(const json_t *place)
{
	return advice_is_program(place) && strcmp(member_text(place, "kind"), "latency") == 0 &&
	       json_array_size(json_object_get(place, "changes")) > 1;
}

const char *advice_without(const json_t *place)
{
	const struct kind *kind = kind_of(place);

	if (frees_units(place))
		return "if every operation took a cycle and found a unit";
	return !kind			  ? "without its loss"
	       : advice_is_program(place) ? kind->everywhere
					  : kind->without;
}

bool advice_has_gain(const json_t *row)
{
	return json_is_number(json_object_get(row, "gain"));
}

/* What is certain of a gain, in parts of the cycles. */
double advice_sure(const struct advice *advice, const json_t *row)
{
	return common_ratio(member_number(row, "gain") - member_number(row, "error"),
			    advice->cycles);
}

bool advice_is_bound(const json_t *step)
{
	return json_is_true(json_object_get(step, "bound"));
}

/* Whether text has the row: it gains something, or nobody knows. */
bool advice_is_shown(const struct advice *advice, const json_t *row)
{
	return !advice_has_gain(row) || advice_sure(advice, row) >= ADVICE_SHOWN;
}

const char *advice_percent(const struct advice *advice, double cycles)
{
	return doc_words(advice->doc, "%s %%",
			 doc_decimal(advice->doc, 100 * common_ratio(cycles, advice->cycles), 1));
}

const char *advice_place(struct doc *doc, const json_t *place)
{
	const char *scope = member_text(place, "scope"), *file = member_text(place, "file");
	const json_t *insns = json_object_get(place, "instructions");

	if (strcmp(scope, "program") == 0)
		return "the program";
	if (strcmp(scope, "function") == 0)
		return member_text(place, "function");
	if (*file && member_whole(place, "line"))
		return common_place(doc, file, member_whole(place, "line"));
	return member_text(json_array_get(insns, 0), "pc");
}

size_t advice_simulated(const json_t *rows, bool with_bounds)
{
	const json_t *row;
	size_t count = 0, i;

	json_array_foreach(rows, i, row) count +=
		advice_has_gain(row) && (with_bounds || !advice_is_bound(row));
	return count;
}

bool advice_is_same_place(const json_t *a, const json_t *b)
{
	static const char *const members[] = {"scope", "function", "file", "line"};

	for (size_t i = 0; i < ARRAY_COUNT(members); i++)
		if (!json_equal(json_object_get(a, members[i]), json_object_get(b, members[i])))
			return false;
	return true;
}

const char *advice_joined(struct doc *doc, const json_t *words, const char *before,
			  const char *between)
{
	const char *text = "";
	const json_t *word;
	size_t i;

	json_array_foreach(words, i, word) text =
		doc_words(doc, "%s%s%s%s", text, i ? between : "", before, json_string_value(word));
	return text;
}

/* Empty if it is none that is known. */
const char *advice_pattern(const json_t *place)
{
	const char *name = member_text(json_object_get(place, "pattern"), "name");

	return strcmp(name, "none") == 0 ? "" : name;
}

const char *advice_loss(const json_t *place)
{
	const struct kind *kind = kind_of(place);

	return kind ? kind->loss : "a loss";
}
