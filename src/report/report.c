#include "report/report.h"

#include <string.h>

#include "value/layout.h"
#include "value/member.h"

const struct report_kind report_kinds[] = {
	{"cyclestack-judge-1", report_judge, "stacks-in-cycles"},
	{"cyclestack-reproduce-1", report_reproduce, "verdicts"},
	{"cyclestack-run-2", report_run, "rows"},
	{"cyclestack-run-1", report_run, "counts"},
	{"cyclestack-exec-1", report_exec, "calls-table"},
	{"cyclestack-advise-1", report_advise, "software"},
	{"cyclestack-stat-1", report_stat, "rows"},
	{"cyclestack-repeat-1", report_repeat, "rows"},
	{"cyclestack-sweep-1", report_sweep, "runs"},
	{"cyclestack-diff-1", report_diff, "totals-table"},
	{"cyclestack-collected-1", report_collected, "rows"},
	{"cyclestack-results-1", report_results, "results"},
	{"cyclestack-query-1", report_query, "rows"},
	{"cyclestack-model-1", report_model, "points"},
	{"cyclestack-inspect-1", report_inspect, "verdicts"},
	{"cyclestack-compose-1", report_compose, "metrics"},
	{"cyclestack-signals-1", report_signals, NULL},
	{"cyclestack-explain-1", report_explain, "explained"},
	{"cyclestack-workloads-1", report_workloads, "workloads"},
	{"cyclestack-measure-1", report_measure, NULL},
	{"cyclestack-trace-info-1", report_trace, NULL},
	{"cyclestack-cycles-info-1", report_cycles, NULL},
	{"cyclestack-config-1", report_config, NULL},
	{"cyclestack-config-list-1", report_config_list, NULL},
	{"cyclestack-config-keys-1", report_config_keys, NULL},
	{"cyclestack-config-check-1", report_config_check, NULL},
	{"cyclestack-config-diff-1", report_config_diff, NULL},
	{0},
};

const struct report_kind *report_kind_of(const json_t *result, struct err *err)
{
	const char *schema = member_text(result, "schema");

	for (const struct report_kind *kind = report_kinds; kind->schema; kind++)
		if (strcmp(kind->schema, schema) == 0)
			return kind;
	err_set(err, "there is nothing to show of the schema \"%s\"", schema);
	return NULL;
}

bool report_build(struct doc *doc, const json_t *result, const struct report_options *options,
		  struct err *err)
{
	static const struct report_options usual = {0};
	const struct layout *layout = layout_of(result, err);
	const struct report_kind *kind = layout ? report_kind_of(result, err) : NULL;

	doc_init(doc, layout ? layout->name : "");
	return kind && layout_check(result, layout, err) &&
	       kind->build(doc, result, options ? options : &usual, err);
}
