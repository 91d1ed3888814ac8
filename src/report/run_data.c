#include <string.h>

#include "report/common.h"
#include "report/run_data.h"
#include "value/member.h"

#define LEAST_TEXT 0.005 /* of the misses or of the cycles for data: what text shows */
#define OBJECTS	   10	 /* that text shows at most */
#define READERS	   3	 /* lines of each that text shows */

double run_data_cycles(const struct data_report *d, const json_t *of)
{
	return stacks_cycles(d->run->stacks, stacks_read_slots(of, "slots").total);
}

static bool is_fetch(const json_t *object)
{
	return strcmp(member_text(object, "kind"), "fetch") == 0;
}

/* "pool.c:12", if it is known where an object was allocated. */
static const char *place_of(const struct data_report *d, const json_t *object)
{
	const char *file = member_text(object, "file");

	return *file ? common_place(d->run->doc, file, member_whole(object, "line")) : NULL;
}

const char *run_data_name(const struct data_report *d, const json_t *object)
{
	return common_object_name(d->run->doc, object, place_of(d, object));
}

static bool has_member(const json_t *data, const char *name)
{
	return json_object_get(data, name) != NULL;
}

void run_data_columns(const struct data_report *d, struct doc_table *table)
{
	struct doc_column *column = doc_column(table, "misses", DOC_PERCENT, 1);

	column->about = "of all misses of data in the L1D";
	column->flags = DOC_HEAT;
	column = doc_column(table, "cycles", DOC_PERCENT, 1);
	column->about = "of the run's cycles, lost while the oldest instruction waited for it";
	column->flags = DOC_HEAT;
	doc_column(table, "accesses", DOC_SHORT, 0)->about = "look-ups in the L1D";
	doc_column(table, "L1D misses", DOC_SHORT, 0);
	if (has_member(d->data, "l2_misses"))
		doc_column(table, "L2 misses", DOC_SHORT, 0)->flags = DOC_OPTIONAL;
	if (has_member(d->data, "l3_misses"))
		doc_column(table, "L3 misses", DOC_SHORT, 0)->flags = DOC_OPTIONAL;
	doc_column(table, "TLB misses", DOC_SHORT, 0)->flags = DOC_OPTIONAL;
}

void run_data_cells(const struct data_report *d, struct doc_table *table, const json_t *of)
{
	doc_value(table, common_ratio(member_number(of, "l1d_misses"), d->misses));
	doc_value(table, common_ratio(run_data_cycles(d, of), d->run->cycles));
	doc_value(table, member_number(of, "accesses"));
	doc_value(table, member_number(of, "l1d_misses"));
	if (has_member(d->data, "l2_misses"))
		doc_value(table, member_number(of, "l2_misses"));
	if (has_member(d->data, "l3_misses"))
		doc_value(table, member_number(of, "l3_misses"));
	doc_value(table, member_number(of, "dtlb_misses"));
}

bool run_data_is_much(const struct data_report *d, const json_t *of)
{
	return common_ratio(member_number(of, "l1d_misses"), d->misses) >= LEAST_TEXT ||
	       common_ratio(run_data_cycles(d, of), d->cycles) >= LEAST_TEXT;
}

static void reader_rows(const struct data_report *d, struct doc_table *table, const json_t *object)
{
	const json_t *reader;
	size_t i, shown = 0;

	json_array_foreach(json_object_get(object, "readers"), i, reader)
	{
		struct doc_row *row = doc_child(
			table, doc_words(d->run->doc, "%s in %s",
					 common_place(d->run->doc, member_text(reader, "file"),
						      member_whole(reader, "line")),
					 member_text(reader, "function")));

		row->target = run_annotation_id(d->run, member_text(reader, "function"));
		row->is_kept = run_data_is_much(d, reader) && shown++ < READERS;
		run_data_cells(d, table, reader);
	}
}

static void objects_table(const struct data_report *d)
{
	struct doc_table *table = doc_table(d->run->doc, "data-objects", NULL, "object");
	const json_t *object;
	size_t i;

	table->text_limit = OBJECTS;
	table->limit = 30;
	table->has_filter = table->has_whole_names = true;
	run_data_columns(d, table);
	doc_column(table, "blocks", DOC_SHORT, 0)->flags = DOC_OPTIONAL;
	doc_column(table, "bytes", DOC_SHORT, 0)->flags = DOC_OPTIONAL;
	json_array_foreach(d->objects, i, object)
	{
		doc_row(table, run_data_name(d, object))->is_folded = true;
		run_data_cells(d, table, object);
		if (is_fetch(object))
			continue;
		if (member_whole(object, "blocks"))
			doc_value(table, member_number(object, "blocks"));
		else
			doc_cell_none(table);
		if (member_whole(object, "bytes"))
			doc_value(table, member_number(object, "bytes"));
		else
			doc_cell_none(table);
		reader_rows(d, table, object);
	}
}

static double weight_of(const struct data_report *d, const json_t *of, bool by_cycles)
{
	return by_cycles ? run_data_cycles(d, of) : member_number(of, "l1d_misses");
}

/* The object with most misses, or most cycles. */
static const json_t *worst_of(const struct data_report *d, bool by_cycles)
{
	const json_t *object, *worst = NULL;
	double most = 0;
	size_t i;

	json_array_foreach(d->objects, i, object)
	{
		const double weight = weight_of(d, object, by_cycles);

		if (weight > most && !is_fetch(object)) {
			worst = object;
			most = weight;
		}
	}
	return worst;
}

static const json_t *worst_reader(const struct data_report *d, const json_t *object, bool by_cycles)
{
	const json_t *reader, *worst = NULL;
	double most = 0;
	size_t i;

	json_array_foreach(json_object_get(object, "readers"), i, reader)
	{
		const double weight = weight_of(d, reader, by_cycles);

		if (weight > most) {
			worst = reader;
			most = weight;
		}
	}
	return worst;
}

static void say_object(const struct data_report *d, struct doc_text *text, const json_t *object)
{
	const char *kind = member_text(object, "kind"), *name = member_text(object, "name");
	const char *place = place_of(d, object);

	if (*name == '(') {
		doc_say(text, "%s", name);
	} else if (strcmp(kind, "heap") == 0 || (strcmp(kind, "mapping") == 0 && place)) {
		doc_say(text, "what is allocated ");
		if (place) {
			doc_say(text, "at ");
			doc_word(text, place);
			doc_say(text, " ");
		}
		doc_say(text, "in ");
		doc_word(text, name);
	} else if (strcmp(kind, "stack") == 0) {
		doc_say(text, "the stack of ");
		doc_word(text, name);
	} else {
		doc_word(text, name);
	}
}

static void say_reader(const struct data_report *d, struct doc_text *text, const json_t *object,
		       bool by_cycles)
{
	const json_t *reader = worst_reader(d, object, by_cycles);

	if (!reader)
		return;
	const double all = weight_of(d, object, by_cycles), most = weight_of(d, reader, by_cycles);
	doc_say(text, ", %s in ", 2 * most >= all ? "mostly" : "most often");
	doc_word(text, member_text(reader, "function"));
	if (member_whole(reader, "line")) {
		doc_say(text, " at ");
		doc_word(text, common_place(d->run->doc, member_text(reader, "file"),
					    member_whole(reader, "line")));
	}
}

static void say_share(const struct data_report *d, struct doc_text *text, double part, double whole)
{
	doc_bold(text, "%s %%", doc_decimal(d->run->doc, 100 * common_ratio(part, whole), 1));
}

/* Which object has most misses, and which most of the cycles, if that is another. */
static void verdict(const struct data_report *d)
{
	struct doc_text *text = doc_text(d->run->doc, DOC_VERDICT);
	const json_t *worst = worst_of(d, false), *costs = worst_of(d, true);

	if (!worst) {
		doc_say(text, "No access to data has missed.");
		return;
	}
	const double most = member_number(worst, "l1d_misses");
	doc_say(text, "%s misses of data, ",
		2 * most >= d->misses ? "Most of the" : "The largest part of the");
	say_share(d, text, most, d->misses);
	doc_say(text, ", are of ");
	say_object(d, text, worst);
	say_reader(d, text, worst, false);
	doc_say(text, ".");
	if (!costs)
		return;
	doc_say(text, " Waiting for data takes ");
	say_share(d, text, d->cycles, d->run->cycles);
	doc_say(text, " of the run's cycles, of which ");
	say_share(d, text, run_data_cycles(d, costs), d->cycles);
	doc_say(text, costs == worst ? " are for the same" : " are for ");
	if (costs != worst) {
		say_object(d, text, costs);
		say_reader(d, text, costs, true);
	}
	doc_say(text, ".");
}

void run_data(const struct run_report *run)
{
	struct data_report d = {.run = run, .data = json_object_get(run->result, "data")};

	if (!d.data)
		return;
	d.objects = json_object_get(d.data, "objects");
	d.misses = member_number(d.data, "l1d_misses");
	d.cycles = run_data_cycles(&d, d.data);
	doc_section(run->doc, "data", "What data misses");
	verdict(&d);
	objects_table(&d);
	doc_note(
		run->doc,
		"Accesses of wrong paths are counted, prefetches and page walks are not. Cycles "
		"are those that `exact` charges to data: to the object that the oldest instruction "
		"waits for.");
	run_data_types(&d);
	run_data_sets(&d);
	doc_end(run->doc);
}
