#include "report/run.h"

#include "report/common.h"
#include "value/member.h"

static void key_figures(const struct run_report *run)
{
	struct doc *doc = run->doc;

	doc_figure(doc, "cycles", DOC_COUNT, 0, run->cycles);
	doc_figure(doc, "instructions", DOC_COUNT, 0, run->instructions);
	doc_figure(doc, "cycles per instruction", DOC_NUMBER, 3,
		   common_ratio(run->cycles, run->instructions));
	doc_figure(doc, "instructions per cycle", DOC_NUMBER, 3,
		   common_ratio(run->instructions, run->cycles));
	doc_only(doc, DOC_IN_PAGE);
}

static void about(const struct run_report *run)
{
	const json_t *program = json_object_get(run->result, "program");
	struct doc *doc = run->doc;

	doc_section(doc, "about", "What was run")->short_title = "About";
	doc_word(doc_fact(doc, "program"), member_text(program, "name"));
	common_words_fact(doc, "arguments", json_object_get(program, "arguments"), "none");
	doc_word(doc_fact(doc, "program, SHA-256"), member_text(program, "sha256"));
	common_machine_facts(doc, json_object_get(run->result, "configuration"));
	doc_say(doc_fact(doc, "skipped before"), "%s instructions",
		doc_whole(doc, member_number(run->result, "skipped_instructions")));
	doc_say(doc_fact(doc, "exit status"), "%lld%s",
		(long long)member_whole(run->result, "status"),
		json_is_true(json_object_get(run->result, "partial"))
			? ", partial: a limit ended the run"
			: "");
	doc_end(doc);
	doc_only(doc, DOC_IN_PAGE);
}

/* A run without stacks has its counts alone. */
static void counts_alone(struct doc *doc, const json_t *result)
{
	run_sample(doc, result);
	run_phases(doc, result);
	run_what_if(doc, result);
	run_counts(doc, result);
	run_values(doc, result);
}

static bool whole(const struct run_report *run, struct err *err)
{
	key_figures(run);
	run_sample(run->doc, run->result);
	run_phases(run->doc, run->result);
	run_stack(run);
	run_causal(run);
	run_functions(run);
	if (!run_calls(run, err))
		return false;
	run_data(run);
	run_annotations(run);
	run_over_time(run);
	run_threads(run);
	run_what_if(run->doc, run->result);
	run_methods(run);
	run_views(run);
	run_counts(run->doc, run->result);
	run_values(run->doc, run->result);
	about(run);
	run_rows(run);
	return true;
}

REPORT_BUILDER(run)
{
	struct stacks stacks;

	common_heading(doc, result);
	if (options->events) {
		run_events(doc, result, options->events);
		run_what_if(doc, result);
		return true;
	}
	if (!json_object_get(result, "exact")) {
		counts_alone(doc, result);
		return true;
	}
	if (!stacks_read(&stacks, result, err))
		return false;
	const struct run_report run = {
		doc, result, &stacks, options, (double)stacks.cycles, (double)stacks.instructions};
	const bool ok = whole(&run, err);

	stacks_release(&stacks);
	return ok;
}
