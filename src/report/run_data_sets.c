#include <inttypes.h>

#include "report/common.h"
#include "report/run_data.h"
#include "value/member.h"

/* A set with so many times as many misses as the mean of the sets, and as it has ways, is crowded;
 * that is said if such sets have so much of all misses. */
#define CROWD_TIMES 4.0
#define CROWD_SHARE 0.05
#define SETS	    8 /* that are shown at first */

static const json_t *object_numbered(const struct data_report *d, int64_t number)
{
	const json_t *object;
	size_t i;

	json_array_foreach(d->objects, i, object)
	{
		if (member_whole(object, "number") == number)
			return object;
	}
	return NULL;
}

static double sum_of(const json_t *list)
{
	const json_t *value;
	double sum = 0;
	size_t i;

	json_array_foreach(list, i, value)
	{
		sum += json_number_value(value);
	}
	return sum;
}

static double entry_of(const json_t *list, int64_t i)
{
	return i < 0 ? 0 : json_number_value(json_array_get(list, (size_t)i));
}

/* The objects of a set: "a 60 %, b 40 %". */
static const char *sharers(const struct data_report *d, const json_t *set, double misses)
{
	const char *words = "";
	const json_t *share;
	size_t i;

	json_array_foreach(json_object_get(set, "objects"), i, share)
	{
		const json_t *object = object_numbered(d, member_whole(share, "object"));

		words = doc_words(d->run->doc, "%s%s%s %.0f %%", words, i ? ", " : "",
				  object ? run_data_name(d, object) : "(other)",
				  100 * common_ratio(member_number(share, "misses"), misses));
	}
	return words;
}

/* Says how misses are spread over the sets of a cache, and lists those that have most. */
static void sets_of(const struct data_report *d, const json_t *cache)
{
	const json_t *accesses = json_object_get(cache, "accesses");
	const json_t *misses = json_object_get(cache, "misses"), *set;
	const size_t count = json_array_size(misses);
	const double all = sum_of(misses), mean = common_ratio(all, (double)count);
	const char *name = member_text(cache, "name");
	struct doc *doc = d->run->doc;
	const double ways = member_number(cache, "ways");
	double crowded = 0;
	size_t i, crowds = 0;

	for (i = 0; i < count; i++) {
		const double here = entry_of(misses, (int64_t)i);

		if (count > 1 && here > CROWD_TIMES * mean && here > CROWD_TIMES * ways) {
			crowded += here;
			crowds++;
		}
	}
	struct doc_text *text = doc_text(doc, DOC_PARAGRAPH);
	doc_say(text, "%s, %zu sets of %" PRId64 " lines of %" PRId64 " bytes: ", name, count,
		member_whole(cache, "ways"), member_whole(cache, "line_bytes"));
	const bool is_crowded = crowds && crowded >= CROWD_SHARE * all;
	if (is_crowded)
		doc_say(text,
			"%zu of the sets %s more than %.0f times the mean of the misses, "
			"together %s %% of them.",
			crowds, crowds == 1 ? "has" : "have", CROWD_TIMES,
			doc_decimal(doc, 100 * common_ratio(crowded, all), 1));
	else
		doc_say(text, "no set has much more of the misses than others.");
	struct doc_table *table =
		doc_table(doc,
			  doc_words(doc, "data-sets-%c%c%s", name[0] == 'L' ? 'l' : name[0],
				    name[1], name[1] && name[2] ? "d" : ""),
			  NULL, doc_words(doc, "set of the %s", name));
	table->limit = table->text_limit = SETS;
	doc_column(table, "accesses", DOC_COUNT, 0);
	doc_column(table, "misses", DOC_COUNT, 0);
	doc_column(table, "share", DOC_PERCENT, 1)->about = "of the cache's misses of data";
	doc_column(table, "of", DOC_WORDS, 0)->flags = DOC_WHOLE | DOC_UNSORTED;
	json_array_foreach(json_object_get(cache, "crowded"), i, set)
	{
		const int64_t number = member_whole(set, "set");
		const double here = entry_of(misses, number);

		doc_row(table, doc_words(doc, "%" PRId64, number));
		doc_value(table, entry_of(accesses, number));
		doc_value(table, here);
		doc_value(table, common_ratio(here, all));
		doc_cell_words(table, sharers(d, set, here));
	}
	if (!is_crowded)
		doc_only(doc, DOC_IN_PAGE | DOC_IN_CSV);
}

void run_data_sets(const struct data_report *d)
{
	const json_t *cache;
	size_t i;

	doc_heading(d->run->doc, "Sets of the caches");
	json_array_foreach(json_object_get(d->data, "caches"), i, cache)
	{
		sets_of(d, cache);
	}
}
