#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/nearest.h"
#include "report/common.h"
#include "report/run.h"
#include "value/counted.h"
#include "value/member.h"

/* Caches and TLBs: the title, and the beginning of the names of their values. */
static const struct {
	const char *title, *name;
} structures[] = {
	{"L1I", "l1i"},
	{"L1D", "l1d"},
	{"L2, instructions", "l2.instructions"},
	{"L2, data", "l2.data"},
	{"L3, instructions", "l3.instructions"},
	{"L3, data", "l3.data"},
	{"I-TLB", "itlb"},
	{"D-TLB", "dtlb"},
};

/* How far an estimate may be off; results of 0.1.0 have what was measured for its kind. */
static double what_if_error(const json_t *answer)
{
	return member_number(answer, json_object_get(answer, "error") ? "error" : "largest_error");
}

void run_what_if(struct doc *doc, const json_t *result)
{
	const json_t *answers = json_object_get(result, "what_if");
	const json_t *values = json_object_get(result, "values");
	const double instructions = member_number(values, "instructions");
	json_t *answer, *change;
	bool has_none = false;
	size_t i, k;

	if (!json_array_size(answers))
		return;
	doc_section(doc, "what-if", "What if the machine were another one")->short_title =
		"What if";
	struct doc_table *table = doc_table(doc, "what-if-table", NULL, "change");
	doc_column(table, "cycles", DOC_COUNT, 0);
	doc_column(table, "CPI", DOC_NUMBER, 4);
	doc_column(table, "gain", DOC_PERCENT, 2)->about =
		"the part of the cycles that would go away";
	doc_column(table, "+-", DOC_PERCENT, 2)->about =
		"by which the gain may be wrong in 19 of 20 cases";
	doc_column(table, "windows", DOC_COUNT, 0)->about =
		"in which the other machine was simulated";
	doc_row(table, "this run");
	doc_value(table, member_number(values, "cycles"));
	doc_value(table, common_ratio(member_number(values, "cycles"), instructions));
	json_array_foreach(answers, i, answer)
	{
		const char *name = "";

		json_array_foreach(json_object_get(answer, "changes"), k, change) name =
			doc_words(doc, "%s%s%s", name, k ? " " : "", json_string_value(change));
		doc_row(table, name);
		if (!json_object_get(answer, "cycles")) {
			has_none = true;
			continue;
		}
		doc_value(table, member_number(answer, "cycles"));
		doc_value(table, common_ratio(member_number(answer, "cycles"), instructions));
		doc_value(table, member_number(answer, "gain"));
		doc_value(table, what_if_error(answer));
		if (json_object_get(answer, "windows"))
			doc_value(table, member_number(answer, "windows"));
	}
	if (json_object_get(json_array_get(answers, 0), "windows"))
		doc_note(doc, "Simulated: in windows of the run a copy of it goes on as the other "
			      "machine, with what caches and predictors hold, and is compared with "
			      "one that goes on as it is.");
	else
		doc_note(doc, "Estimated from the run, by a version that timed its instructions "
			      "again; +- is the largest error of this kind of change over the "
			      "workloads.");
	if (has_none)
		doc_note(doc, "There is no answer where every window ended at once, at a system "
			      "call or a read of a counter, or the program shares memory with a "
			      "file; --set simulates the change.");
	doc_end(doc);
}

static double value_of(const json_t *values, const char *structure, const char *what)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.%s", structure, what);
	return member_number(values, name);
}

static void count_row(struct doc *doc, struct doc_table *table, const char *name, double value,
		      const char *words)
{
	doc_row(table, name);
	doc_value(table, value);
	doc_cell_words(table, words ? words : doc_words(doc, "%s", ""));
}

static void counts_table(struct doc *doc, const json_t *values)
{
	struct doc_table *table = doc_table(doc, "counts", NULL, "");
	const double cycles = member_number(values, "cycles");
	const double instructions = member_number(values, "instructions");
	const double fetched = member_number(values, "fetched");
	const double wrong = member_number(values, "branches.mispredicted");

	doc_column(table, "count", DOC_COUNT, 0);
	doc_column(table, "", DOC_WORDS, 0);
	count_row(doc, table, "cycles", cycles, NULL);
	count_row(doc, table, "instructions", instructions,
		  doc_words(doc, "IPC %s, CPI %s",
			    doc_decimal(doc, common_ratio(instructions, cycles), 3),
			    doc_decimal(doc, common_ratio(cycles, instructions), 3)));
	count_row(doc, table, "fetched", fetched,
		  doc_words(doc, "%s%% on wrong paths",
			    doc_decimal(
				    doc,
				    100 * common_ratio(member_number(values, "fetched.wrong_path"),
						       fetched),
				    1)));
	count_row(doc, table, "issued", member_number(values, "issued"), NULL);
	count_row(doc, table, "squashed", member_number(values, "squashed"), NULL);
	count_row(
		doc, table, "mispredictions", wrong,
		doc_words(doc, "%s per 1000 instructions, %s%% of branches",
			  doc_decimal(doc, 1000 * common_ratio(wrong, instructions), 2),
			  doc_decimal(doc,
				      100 * common_ratio(wrong, member_number(values, "branches")),
				      2)));
}

static void structures_table(struct doc *doc, const json_t *values)
{
	struct doc_table *table = doc_table(doc, "caches", NULL, "");
	const double instructions = member_number(values, "instructions");

	doc_column(table, "accesses", DOC_COUNT, 0);
	doc_column(table, "misses", DOC_COUNT, 0);
	doc_column(table, "pending", DOC_COUNT, 0)->about = "to a line that is already asked for";
	doc_column(table, "per 1000", DOC_NUMBER, 2)->about = "misses per 1000 instructions";
	doc_column(table, "miss rate", DOC_PERCENT, 2);
	for (size_t i = 0; i < ARRAY_COUNT(structures); i++) {
		const double accesses = value_of(values, structures[i].name, "accesses");
		const double misses = value_of(values, structures[i].name, "misses");

		if (accesses == 0)
			continue;
		doc_row(table, structures[i].title);
		doc_value(table, accesses);
		doc_value(table, misses);
		doc_value(table, value_of(values, structures[i].name, "pending"));
		doc_value(table, 1000 * common_ratio(misses, instructions));
		doc_value(table, common_ratio(misses, accesses));
	}
}

void run_counts(struct doc *doc, const json_t *result)
{
	const json_t *values = json_object_get(result, "values");

	doc_section(doc, "counts-section", "What happened")->short_title = "Counts";
	counts_table(doc, values);
	structures_table(doc, values);
	doc_end(doc);
}

void run_values(struct doc *doc, const json_t *result)
{
	json_t *values = json_object_get(result, "values"), *value;
	const double instructions = member_number(values, "instructions");
	const char *name;

	doc_section(doc, "values", "All counted values")->short_title = "Values";
	doc_fold(doc, doc_words(doc, "%zu values", json_object_size(values)));
	struct doc_table *table = doc_table(doc, "values-table", NULL, "value");
	doc_column(table, "count", DOC_COUNT, 0);
	doc_column(table, "per 1000", DOC_NUMBER, 2)->about = "per 1000 instructions";
	doc_column(table, "meaning", DOC_WORDS, 0);
	table->has_filter = true;
	json_object_foreach(values, name, value)
	{
		const struct counted_row *row = counted_named(name);

		doc_row(table, name);
		doc_value_of(table, value);
		doc_value(table, 1000 * common_ratio(json_number_value(value), instructions));
		doc_cell_words(table, row ? row->meaning : "");
	}
	doc_end(doc);
	doc_end(doc);
	doc_only(doc, DOC_IN_PAGE | DOC_IN_CSV);
}

static bool word_matches(const char *word, size_t length, const char *name)
{
	char *pattern = mem_alloc(length + 1);

	memcpy(pattern, word, length);
	const bool matches = fnmatch(pattern, name, 0) == 0;
	free(pattern);
	return matches;
}

/* Whether a word of the list matches the name. */
static bool list_matches(const char *list, const char *name)
{
	for (const char *word = list; *word;) {
		size_t length = strcspn(word, ",");

		if (length && word_matches(word, length, name))
			return true;
		word += length + (word[length] == ',');
	}
	return false;
}

static bool check_word(const char *word, size_t length, struct err *err)
{
	struct nearest nearest = {0};
	char given[NEAREST_FAR];

	snprintf(given, sizeof(given), "%.*s",
		 (int)(length < sizeof(given) ? length : sizeof(given) - 1), word);
	for (const struct counted_row *row = counted_rows; row->name; row++) {
		if (word_matches(word, length, row->name))
			return true;
		nearest_consider(&nearest, given, row->name);
	}
	return err_set(err, "--events: there is no \"%s\"; %s--events '*' prints them all", given,
		       nearest_ask(&nearest, "did you mean ", "? ").text);
}

bool run_events_check(const char *list, struct err *err)
{
	bool ok = true;

	for (const char *word = list; ok && *word;) {
		size_t length = strcspn(word, ",");

		ok = !length || check_word(word, length, err);
		word += length + (word[length] == ',');
	}
	return ok;
}

void run_events(struct doc *doc, const json_t *result, const char *list)
{
	const json_t *values = json_object_get(result, "values");
	const double instructions = member_number(values, "instructions");

	struct doc_table *table = doc_table(doc, "events", NULL, NULL);
	doc_column(table, "count", DOC_COUNT, 0);
	doc_column(table, "event", DOC_WORDS, 0);
	doc_column(table, "per 1000", DOC_NUMBER, 2)->flags = DOC_OPTIONAL;
	doc_column(table, "meaning", DOC_WORDS, 0)->flags = DOC_OPTIONAL;
	for (const struct counted_row *row = counted_rows; row->name; row++) {
		const double value = member_number(values, row->name);

		if (!list_matches(list, row->name))
			continue;
		doc_row(table, row->name);
		doc_value(table, value);
		doc_cell_words(table, row->name);
		doc_value(table, 1000 * common_ratio(value, instructions));
		doc_cell_words(table, row->meaning);
	}
}
