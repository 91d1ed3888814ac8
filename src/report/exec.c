#include "report/common.h"
#include "report/report.h"
#include "value/member.h"

static void calls(struct doc *doc, json_t *syscalls)
{
	const char *name;
	json_t *count;

	if (!json_object_size(syscalls))
		return;
	doc_section(doc, "calls", "System calls");
	struct doc_table *table = doc_table(doc, "calls-table", NULL, "call");
	doc_column(table, "times", DOC_COUNT, 0);
	json_object_foreach(syscalls, name, count)
	{
		doc_row(table, name);
		doc_value_of(table, count);
	}
	doc_end(doc);
}

REPORT_BUILDER(exec)
{
	const json_t *program = json_object_get(result, "program");

	(void)options;
	(void)err;
	doc->title = doc_words(doc, "%s - cyclestack", member_text(program, "name"));
	doc_say(&doc->heading, "%s", member_text(program, "name"));
	if (json_is_true(json_object_get(result, "partial")))
		doc_warn(doc, "partial: a limit ended the run");
	doc_figure(doc, "instructions", DOC_COUNT, 0, member_number(result, "instructions"));
	doc_figure(doc, "bytes of memory", DOC_COUNT, 0, member_number(result, "memory_bytes"));
	doc_section(doc, "about", "What was run");
	common_words_fact(doc, "arguments", json_object_get(program, "arguments"), "none");
	doc_word(doc_fact(doc, "program, SHA-256"), member_text(program, "sha256"));
	doc_say(doc_fact(doc, "exit status"), "%lld", (long long)member_whole(result, "status"));
	doc_end(doc);
	calls(doc, json_object_get(result, "syscalls"));
	return true;
}
