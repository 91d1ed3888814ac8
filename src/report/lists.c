/* Short results, each a list of things with what is known of them. */
#include <string.h>

#include "base/array.h"
#include "report/common.h"
#include "report/report.h"
#include "value/member.h"

REPORT_BUILDER(signals)
{
	static const char *const members[] = {"source", "unit", "owner", "meaning"};
	const json_t *signal;
	size_t i;

	(void)options;
	(void)err;
	common_list_heading(doc, "What can be observed in a cycle of the core");
	struct doc_table *table = doc_table(doc, "signals", NULL, "signal");
	table->has_filter = true;
	table->has_whole_names = true;
	doc_column(table, "source", DOC_WORDS, 0)->about =
		"hw: hardware could count it; oracle: only a simulator knows it";
	doc_column(table, "unit", DOC_WORDS, 0);
	doc_column(table, "owner", DOC_WORDS, 0)->about = "to which instruction a count belongs";
	doc_column(table, "category", DOC_WORDS, 0)->where = DOC_IN_PAGE | DOC_IN_CSV;
	doc_column(table, "meaning", DOC_WORDS, 0)->flags = DOC_WHOLE;
	json_array_foreach(json_object_get(result, "signals"), i, signal)
	{
		doc_row(table, member_text(signal, "name"));
		for (size_t k = 0; k < 3; k++)
			doc_cell_words(table, member_text(signal, members[k]));
		doc_cell_words(table, member_text(signal, "category"));
		doc_cell_words(table, member_text(signal, members[3]));
	}
	return true;
}

/* Names are written as they are typed, with @; which in CSV would be the beginning of a formula. */
static void workload_table(struct doc *doc, const json_t *workloads, const char *id, bool is_csv)
{
	static const char *const sizes[] = {"test", "small", "ref"};
	struct doc_table *table = doc_table(doc, id, NULL, "workload");
	const json_t *workload;
	size_t i;

	doc_only(doc, is_csv ? DOC_IN_CSV : DOC_IN_TEXT | DOC_IN_PAGE);
	for (size_t k = 0; k < ARRAY_COUNT(sizes); k++) {
		struct doc_column *column = doc_column(table, sizes[k], DOC_COUNT, 0);

		column->about = doc_words(doc, "instructions at size %s", sizes[k]);
		column->where = DOC_IN_PAGE | DOC_IN_CSV;
	}
	doc_column(table, "about", DOC_WORDS, 0)->flags = DOC_WHOLE;
	json_array_foreach(workloads, i, workload)
	{
		const json_t *instructions = json_object_get(workload, "instructions");

		doc_row(table,
			doc_words(doc, "%s%s", is_csv ? "" : "@", member_text(workload, "name")));
		for (size_t k = 0; k < ARRAY_COUNT(sizes); k++)
			doc_value_of(table, json_object_get(instructions, sizes[k]));
		doc_cell_words(table, member_text(workload, "about"));
	}
}

REPORT_BUILDER(workloads)
{
	const json_t *workloads = json_object_get(result, "workloads");

	(void)options;
	(void)err;
	common_list_heading(doc, "Built-in workloads");
	workload_table(doc, workloads, "workloads-table", false);
	workload_table(doc, workloads, "workloads", true);
	return true;
}

/* "@chess:test" without what all have in common. */
static const char *measured_name(struct doc *doc, const char *name)
{
	name += *name == '@';
	return doc_words(doc, "%.*s", (int)strcspn(name, ":"), name);
}

REPORT_BUILDER(measure)
{
	static const struct {
		const char *title, *member, *about;
		double unit; /* 0: per 1000 instructions */
		unsigned places;
	} columns[] = {
		{"M insns", "instructions", "millions of instructions", 1e6, 2},
		{"KB code", "code_bytes", "KB of code that is executed", 1024, 1},
		{"branches", "static_branches", "branches in the code", 1, 0},
		{"KB data", "data_bytes", "KB of data that are touched", 1024, 0},
		{"branch", "mispredictions", "mispredictions per 1000 instructions", 0, 2},
		{"L1I", "l1i_misses", "L1I misses per 1000 instructions", 0, 2},
		{"long D", "long_misses", "long data misses per 1000 instructions", 0, 2},
		{"D-TLB", "dtlb_misses", "D-TLB misses per 1000 instructions", 0, 2},
	};
	const json_t *workload;
	size_t i;

	(void)options;
	(void)err;
	common_list_heading(doc, "What the workloads are like");
	struct doc_table *table =
		doc_table(doc, "measured",
			  doc_words(doc, "At size %s; branch and misses per 1000 instructions",
				    member_text(result, "size")),
			  "workload");
	for (size_t k = 0; k < ARRAY_COUNT(columns); k++)
		doc_column(table, columns[k].title, DOC_NUMBER, columns[k].places)->about =
			columns[k].about;
	json_array_foreach(json_object_get(result, "workloads"), i, workload)
	{
		const double thousands = member_number(workload, "instructions") / 1000;

		doc_row(table, measured_name(doc, member_text(workload, "name")));
		for (size_t k = 0; k < ARRAY_COUNT(columns); k++)
			doc_value(table,
				  common_ratio(member_number(workload, columns[k].member),
					       columns[k].unit > 0 ? columns[k].unit : thousands));
	}
	return true;
}

static void fact_row(struct doc_table *table, const char *name, const char *value)
{
	doc_row(table, name);
	doc_cell_words(table, value);
}

/* The same as one row. */
static void recording_csv(struct doc *doc, const json_t *result, const char *const *members)
{
	const json_t *program = json_object_get(result, "program");
	struct doc_table *table = doc_table(doc, "recording", NULL, "program");

	doc_only(doc, DOC_IN_CSV);
	doc_column(table, "sha256", DOC_WORDS, 0);
	for (size_t i = 0; members[i]; i++)
		doc_column(table, members[i], DOC_NUMBER, 2);
	doc_row(table, member_text(program, "name"));
	doc_cell_words(table, member_text(program, "sha256"));
	for (size_t i = 0; members[i]; i++)
		doc_value(table, member_number(result, members[i]));
}

/* What a recording holds. The last of the members is how many bits each takes. */
static void recording(struct doc *doc, const json_t *result, const char *const *members)
{
	const json_t *program = json_object_get(result, "program");
	const char *name = program ? member_text(program, "name") : NULL;
	size_t i;

	common_list_heading(doc,
			    doc_words(doc, "Recording of %s", name ? name : "a program not known"));
	struct doc_table *table = doc_table(doc, NULL, NULL, "");
	doc_only(doc, DOC_IN_TEXT | DOC_IN_PAGE);
	doc_column(table, "", DOC_WORDS, 0)->flags = DOC_UNSORTED;
	fact_row(table, "program", name ? name : "not known: the trace was imported");
	if (program)
		fact_row(table, "sha256", member_text(program, "sha256"));
	for (i = 0; members[i + 1]; i++)
		fact_row(table, members[i],
			 doc_words(doc, "%lld", (long long)member_whole(result, members[i])));
	fact_row(table, "bits each", doc_decimal(doc, member_number(result, members[i]), 2));
	recording_csv(doc, result, members);
}

REPORT_BUILDER(trace)
{
	static const char *const members[] = {"instructions", "frames", "bytes",
					      "bits_per_instruction", NULL};

	(void)options;
	(void)err;
	recording(doc, result, members);
	return true;
}

REPORT_BUILDER(cycles)
{
	static const char *const members[] = {"cycles", "records",	  "frames",
					      "bytes",	"bits_per_cycle", NULL};

	(void)options;
	(void)err;
	recording(doc, result, members);
	return true;
}
