#include <stdio.h>
#include <string.h>

#include "doc/number.h"
#include "report/common.h"
#include "report/run.h"

#define WORDS_BYTES 256

static const char *const miss_titles[STACKS_MISSES] = {"dtlb misses", "l1d misses", "l2d misses",
						       "l3d misses"};
static const char *const store_titles[STACKS_MISSES] = {
	"dtlb misses of stores", "l1d misses of stores", "l2d misses of stores",
	"l3d misses of stores"};
static const char *const source_titles[STACKS_SOURCES] = {"from l1d", "from l2", "from l3",
							  "from memory"};

static void number_columns(struct doc_table *table, const char *const *titles, size_t count)
{
	for (size_t i = 0; i < count; i++)
		doc_column(table, titles[i], DOC_COUNT, 0)->where = DOC_IN_CSV;
}

void run_site_columns(struct doc_table *table)
{
	static const char *const branches[] = {"branches", "taken", "mispredicted"};
	static const char *const accesses[] = {"loads", "stores"};
	struct doc_column *what = doc_column(table, "what happened", DOC_WORDS, 0);

	what->about = "of branches, how many were taken and mispredicted; of loads, the misses "
		      "that they began and from where their data came; of stores, their misses";
	what->where = DOC_IN_PAGE;
	number_columns(table, branches, 3);
	number_columns(table, accesses, 2);
	number_columns(table, miss_titles, STACKS_MISSES);
	number_columns(table, store_titles, STACKS_MISSES);
	number_columns(table, source_titles, STACKS_SOURCES);
}

/* A share as few digits as tell it from none and from all. */
static void add_share(char words[WORDS_BYTES], const char *before, int64_t part, int64_t whole)
{
	const double percent = 100 * common_ratio((double)part, (double)whole);
	const bool is_tiny = part && percent<0.1, is_nearly_all = percent> 99 && part < whole;
	const size_t used = strlen(words);
	char number[NUMBER_BYTES];

	number_plain(number, percent, percent < 10 && part ? 1 : 0);
	snprintf(words + used, WORDS_BYTES - used, "%s %s%%", before,
		 is_tiny	 ? "<0.1"
		 : is_nearly_all ? ">99"
				 : number);
}

static void add(char words[WORDS_BYTES], const char *text)
{
	const size_t used = strlen(words);

	snprintf(words + used, WORDS_BYTES - used, "%s", text);
}

/* "l1d 3.1% l2d 0.4%"; false if there is none. */
static bool add_misses(char words[WORDS_BYTES], const char *before, const int64_t *misses,
		       int64_t whole)
{
	bool has_some = false;

	for (size_t i = 0; i < STACKS_MISSES; i++) {
		if (!misses[i])
			continue;
		char name[32];

		snprintf(name, sizeof(name), "%s%s", has_some ? " " : before, stacks_misses[i]);
		add_share(words, name, misses[i], whole);
		has_some = true;
	}
	return has_some;
}

static void add_branches(char words[WORDS_BYTES], const struct stacks_site *site)
{
	if (!site->branches)
		return;
	add_share(words, "taken", site->taken, site->branches);
	if (site->mispredicted)
		add_share(words, ", mispredicted", site->mispredicted, site->branches);
}

static void add_loads(char words[WORDS_BYTES], const struct stacks_site *site)
{
	static const char *const names[STACKS_SOURCES] = {"", "L2", "L3", "memory"};
	bool has_source = false;

	if (!site->loads)
		return;
	if (*words)
		add(words, "; ");
	const bool has_misses = add_misses(words, "misses ", site->misses, site->loads);
	for (size_t i = STACKS_FROM_L2; i < STACKS_SOURCES; i++) {
		char name[32];

		if (!site->sources[i])
			continue;
		snprintf(name, sizeof(name), "%s%s",
			 has_source   ? ", "
			 : has_misses ? "; from "
				      : "from ",
			 names[i]);
		add_share(words, name, site->sources[i], site->loads);
		has_source = true;
	}
	if (!has_misses && !has_source)
		add(words, "hits");
}

static void add_stores(char words[WORDS_BYTES], const struct stacks_site *site)
{
	char more[WORDS_BYTES] = "";

	if (!site->stores || !add_misses(more, "stores miss ", site->store_misses, site->stores))
		return;
	if (*words)
		add(words, "; ");
	add(words, more);
}

static void number_cells(struct doc_table *table, const int64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		doc_value(table, (double)values[i]);
}

void run_site_cells(struct doc_table *table, const struct stacks_site *site)
{
	static const struct stacks_site none = {0};
	char words[WORDS_BYTES] = "";

	if (!site)
		site = &none;
	add_branches(words, site);
	add_loads(words, site);
	add_stores(words, site);
	doc_cell_words(table, words);
	number_cells(table, (const int64_t[]){site->branches, site->taken, site->mispredicted}, 3);
	number_cells(table, (const int64_t[]){site->loads, site->stores}, 2);
	number_cells(table, site->misses, STACKS_MISSES);
	number_cells(table, site->store_misses, STACKS_MISSES);
	number_cells(table, site->sources, STACKS_SOURCES);
}
