#include "papers/paper_eyerman2006.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "papers/path.h"
#include "report/judge.h"
#include "report/judge_stack.h"
#include "value/component.h"
#include "value/member.h"

/* The paper's methods and those of ours that get a column; variants of one rule do not. */
static const char *const methods[] = {"naive", "naive-nonspec", "power5", "fmt",
				      "sfmt",  "afmt",		"exact"};

/* The stack that a method makes of a program. */
static const json_t *components_of(const json_t *program, const char *method)
{
	return json_object_get(json_object_get(json_object_get(program, "methods"), method),
			       "components");
}

static void add_bar(struct doc_drawing *drawing, const char *name, const json_t *components,
		    double instructions)
{
	struct doc_group *group = doc_group(drawing, name);

	for (size_t i = 0; i < COMPONENT_COUNT; i++)
		doc_set(group, i, member_number(components, component_rows[i].name) / instructions);
}

static void draw_example(struct doc *doc, const json_t *program, double instructions)
{
	static const char *const shown[] = {"naive",	     "naive-nonspec", "power5", "fmt",
					    "fmt-published", "sfmt",	      "afmt"};
	struct doc_drawing *drawing = doc_drawing(
		doc, DOC_STACKS, doc_words(doc, "CPI stacks of %s", member_text(program, "name")),
		"Cycles per instruction by component: exact with its values, both simulated "
		"stacks, then each counter architecture; what is below zero was charged twice.");

	drawing->heading = doc_words(doc, "cycles per instruction; CPI %.3f",
				     member_number(program, "cycles") / instructions);
	drawing->places = 2;
	for (int i = 0; i < COMPONENT_COUNT; i++)
		doc_series(drawing, component_rows[i].name, doc_component(i));
	add_bar(drawing, "exact", components_of(program, "exact"), instructions);
	drawing->groups[0].is_labelled = true;
	add_bar(drawing, "simulated A", path_value(program, "truth.a"), instructions);
	add_bar(drawing, "simulated B", path_value(program, "truth.b"), instructions);
	drawing->groups[2].ends_block = true;
	for (size_t i = 0; i < ARRAY_COUNT(shown); i++)
		add_bar(drawing, shown[i], components_of(program, shown[i]), instructions);
	doc_only(doc, DOC_IN_PAGE); /* text could not show what is below zero */
}

static void build_example(struct doc *doc, const struct paper_figure *figure, const json_t *result)
{
	const json_t *program =
		member_named(path_value(result, "judge.programs"), member_text(result, "example"));
	double instructions = member_number(program, "instructions");
	const json_t *stacks[] = {components_of(program, "exact"), path_value(program, "truth.a")};

	(void)figure;
	if (!program) {
		doc_paragraph(doc, "Not finished.");
		return;
	}
	draw_example(doc, program, instructions);
	struct doc_table *table = doc_table(doc, NULL, NULL, "stack");
	for (int k = 0; k < COMPONENT_COUNT; k++)
		if (json_object_get(stacks[0], component_rows[k].name))
			doc_column(table, component_rows[k].name, DOC_NUMBER, 3);
	doc_column(table, "CPI", DOC_NUMBER, 3);
	for (size_t i = 0; i < ARRAY_COUNT(stacks); i++) {
		doc_row(table, i ? "simulated, order A" : "exact");
		for (size_t k = 0; k + 1 < table->column_count; k++) {
			const json_t *part = json_object_get(stacks[i], table->columns[k].title);

			if (part)
				doc_value(table, json_number_value(part) / instructions);
			else
				doc_value_of(table, NULL);
		}
		doc_value(table, member_number(program, "cycles") / instructions);
	}
}

/* `kinds` are the plots in which an event is labelled with words; in a stretch it has a letter. */
static const struct event_row {
	const char *what, *words, *letter, *kinds;
} event_rows[] = {
	{"l1i", "L1I miss", "i", "l1i"},
	{"branch", "branch enters window", "B", "branch"},
	{"resolved", "resolved", NULL, "branch"},
	{"long", "L2 miss", "D", "long overlap"},
	{"full", "full behind miss", NULL, "long overlap"},
	{"data", "data", NULL, "long overlap"},
};

static void mark_events(struct doc_drawing *drawing, const json_t *events, const char *kind)
{
	json_t *event;
	size_t i;

	json_array_foreach(events, i, event)
	{
		for (size_t k = 0; k < ARRAY_COUNT(event_rows); k++) {
			const struct event_row *row = &event_rows[k];
			double cycle = member_number(event, "cycle");
			const char *words = row->letter;

			if (strcmp(kind, "stretch") != 0)
				words = cycle >= 0 && strstr(row->kinds, kind) ? row->words : NULL;
			if (words && strcmp(row->what, member_text(event, "what")) == 0)
				doc_mark(drawing, cycle, words);
		}
	}
}

struct plot {
	struct doc_drawing *drawing;
	const json_t *shown, *other; /* mean and example; for a stretch only the example */
};

/* Curves show `shown`; when a reader points at one, the value of `other` is given too. */
static struct doc_series *add_series(const struct plot *plot, struct doc_panel *panel,
				     const char *member, const char *words, const char *curve)
{
	struct doc_series *series =
		doc_plot_series(plot->drawing, panel, json_object_get(plot->shown, member));

	if (plot->other)
		series->others =
			doc_numbers(plot->drawing->doc, json_object_get(plot->other, member),
				    series->value_count);
	series->words = words;
	series->curve = curve;
	return series;
}

static void draw_interval(struct doc *doc, const json_t *source)
{
	const json_t *example = json_object_get(source, "example");
	const char *kind = member_text(source, "kind");
	bool is_stretch = strcmp(kind, "stretch") == 0;
	struct doc_drawing *drawing = doc_drawing(
		doc, DOC_PLOT,
		doc_words(doc, "Useful instructions issued per cycle in %s",
			  member_text(source, "program")),
		"Over it what is issued, then what is dispatched and committed, then entries of "
		"the reorder buffer in use; cycle by cycle, the event at 0.");
	struct plot plot = {drawing, is_stretch ? example : json_object_get(source, "mean"),
			    is_stretch ? NULL : example};
	struct doc_series *series;

	drawing->first = -member_number(source, "before");
	drawing->x_title = "cycles";
	drawing->x_name = "cycle";
	drawing->shown = is_stretch ? "example" : "mean";
	drawing->other = is_stretch ? NULL : "example";
	drawing->places = is_stretch ? 0 : 2;
	mark_events(drawing, json_object_get(example, "events"), kind);

	struct doc_panel *panel = doc_panel(drawing, 58, 140, 4, 4);
	series = doc_plot_series(drawing, panel, json_object_get(example, "useful_issued"));
	series->name = "issued, useful: one example";
	series->colour = (struct doc_colour){DOC_PALE, 0};
	series->style = DOC_AREA;
	series = add_series(&plot, panel, "useful_issued", "issued, useful", "issued");
	series->name = doc_words(doc, "mean of %.0f", member_number(source, "found"));
	series->colour = doc_method(1);
	series->style = is_stretch ? DOC_UNDRAWN : DOC_LINE;

	panel = doc_panel(drawing, 34, 70, 4, 3);
	series = add_series(&plot, panel, "useful_dispatched", "dispatched, useful", "dispatched");
	series->name = "dispatched, useful";
	series->colour = doc_method(2);
	series->style = DOC_LINE;
	series = add_series(&plot, panel, "dispatched", "dispatched, all", NULL);
	series->style = DOC_UNDRAWN;
	series = add_series(&plot, panel, "committed", "committed", "committed");
	series->name = is_stretch ? "committed" : "committed (both: mean)";
	series->colour = doc_method(3);
	series->style = DOC_DASHED;

	panel = doc_panel(drawing, 32, 50, 8, 2);
	series = add_series(&plot, panel, "rob_used", "reorder buffer", "window / 16");
	series->name = is_stretch ? "reorder buffer in use" : "reorder buffer in use: mean";
	series->colour = (struct doc_colour){DOC_PALE, 0};
	series->style = DOC_AREA;
	series->curve_unit = 16;
}

static void build_plot(struct doc *doc, const struct paper_figure *figure, const json_t *result)
{
	json_t *plot;
	size_t i;

	json_array_foreach(json_object_get(result, "plots"), i, plot)
	{
		if (strcmp(member_text(plot, "kind"), figure->of) != 0)
			continue;
		doc_paragraph(
			doc, doc_words(doc,
				       "From the first %s instructions of %s, the program with "
				       "most clean events of the kind: %s; the example is the "
				       "first, in cycle %s.%s",
				       doc_whole(doc, member_number(plot, "instructions")),
				       member_text(plot, "program"),
				       doc_whole(doc, member_number(plot, "found")),
				       doc_whole(doc, member_number(plot, "first_cycle")),
				       strcmp(figure->of, "stretch") == 0
					       ? " Letters: i an L1I miss, B a mispredicted branch "
						 "entering the window, D an L2 miss of a load; all "
						 "of the right path."
					       : ""));
		draw_interval(doc, plot);
		return;
	}
	doc_paragraph(doc, "No clean event was found.");
}

/* All methods, including variants: bits and errors. */
static void build_methods(struct doc *doc, const struct paper_figure *figure, const json_t *result)
{
	json_t *all = json_object_get(json_array_get(path_value(result, "judge.programs"), 0),
				      "methods"),
	       *method;
	struct doc_table *table = doc_table(doc, NULL, NULL, "method");
	const char *name;

	const json_t *means =
		path_value(result, "judge.summary.folded.mean_error|judge.summary.mean_error");
	const json_t *largest = path_value(
		result, "judge.summary.folded.largest_error|judge.summary.largest_error");

	(void)figure;
	doc_column(table, "bits", DOC_NUMBER, 0);
	doc_column(table, "mean error", DOC_PERCENT, 2);
	doc_column(table, "largest error", DOC_PERCENT, 2);
	json_object_foreach(all, name, method)
	{
		doc_row(table, name);
		doc_value_of(table, json_object_get(method, "bits"));
		doc_value_of(table, json_object_get(means, name));
		doc_value_of(table, json_object_get(largest, name));
	}
}

static void add_stack(struct doc_table *table, const char *name, const json_t *program,
		      const struct judge_stack *stack)
{
	doc_row(table, name);
	for (size_t k = 0; k < table->column_count; k++)
		doc_value(table, stack->cycles[component_named(table->columns[k].title)] /
					 member_number(program, "cycles"));
}

static void add_stacks(struct doc_table *table, const json_t *program)
{
	static const char *const orders[][2] = {{"simulated, order A", "truth.a"},
						{"simulated, order B", "truth.b"}};

	for (size_t k = 0; k < ARRAY_COUNT(orders); k++) {
		const struct judge_stack stack =
			judge_stack_truth(program, path_value(program, orders[k][1]));

		add_stack(table, orders[k][0], program, &stack);
	}
	for (size_t k = 0; k < ARRAY_COUNT(methods); k++) {
		const struct judge_stack stack =
			judge_stack_method(program, components_of(program, methods[k]));

		add_stack(table, methods[k], program, &stack);
	}
}

static void build_stacks(struct doc *doc, const struct paper_figure *figure, const json_t *result)
{
	json_t *program;
	size_t i;

	(void)figure;
	doc_paragraph(doc, "As a part of the run's cycles.");
	json_array_foreach(path_value(result, "judge.programs"), i, program)
	{
		struct doc_table *table = doc_table(
			doc, NULL, paper_both_names(doc, result, member_text(program, "name")),
			"stack");

		for (int k = 0; k < COMPONENT_COUNT; k++)
			if (judge_stack_has(program, (enum component)k))
				doc_column(table, component_rows[k].name, DOC_PERCENT, 1);
		add_stacks(table, program);
	}
}

/* Figures that are parts of a judgement. */

/* Variants of one rule have a table of their own, figure 10: drawings show what the paper shows. */
static void drop_variants(json_t *by_method)
{
	static const char sfmt[] = "sfmt-";
	const char *name;
	json_t *unused;
	void *next;

	json_object_foreach_safe(by_method, next, name, unused)
	{
		if (strcmp(name, "fmt-rob") == 0 || strncmp(name, sfmt, sizeof(sfmt) - 1) == 0)
			json_object_del(by_method, name);
	}
}

/* The errors of methods become those with resource in base, as in the paper. */
static void use_folded(json_t *by_method)
{
	const char *unused;
	json_t *method;

	json_object_foreach(by_method, unused, method)
	{
		json_t *folded = json_object_get(method, "folded"),
		       *errors = json_object_get(method, "errors");

		if (!folded)
			continue;
		json_object_set(errors, "base", json_object_get(folded, "base"));
		json_object_del(errors, "resource");
		json_object_del(folded, "base");
		json_object_update(method, folded);
		json_object_del(method, "folded");
	}
}

/* The judgement without variants; its programs have the paper's names as well. */
static json_t *judgement(const json_t *result)
{
	json_t *judge = json_deep_copy(json_object_get(result, "judge")), *program, *by_method;
	const char *unused;
	size_t i;

	json_t *summary = json_object_get(judge, "summary");
	json_object_update(summary, json_object_get(summary, "folded"));
	json_object_del(summary, "folded");
	json_object_foreach(summary, unused, by_method) drop_variants(by_method);
	json_array_foreach(json_object_get(judge, "programs"), i, program)
	{
		const json_t *pair = paper_program_entry(result, member_text(program, "name"));

		drop_variants(json_object_get(program, "methods"));
		use_folded(json_object_get(program, "methods"));
		json_object_foreach(json_object_get(program, "per_event"), unused, by_method)
			drop_variants(by_method);
		if (pair)
			json_object_set_new(program, "name",
					    json_sprintf("%s: %s", member_text(pair, "paper"),
							 member_text(pair, "ours")));
	}
	return judge;
}

static void judged_event(const struct judge_report *judge, const struct paper_figure *figure)
{
	judge_event(judge, figure->of);
}

static void judged_stacks(const struct judge_report *judge, const struct paper_figure *figure)
{
	(void)figure;
	judge_cards(judge);
}

static void judged_errors(const struct judge_report *judge, const struct paper_figure *figure)
{
	(void)figure;
	judge_errors(judge);
}

/* clang-format off */

#define COST(event, method) \
	PAPER_COLUMN(method, "per_event." event "." method, DOC_NUMBER, 1)
#define PER_EVENT(event) \
	{.rows = "judge.programs", .names = "program", \
	 .columns = PAPER_COLUMNS(PAPER_COLUMN("events", "events." event, DOC_SHORT, 0), \
		COST(event, "naive"), COST(event, "naive-nonspec"), COST(event, "power5"), \
		COST(event, "fmt"), COST(event, "sfmt"), COST(event, "afmt"), \
		COST(event, "exact"), COST(event, "simulated"))}

static const struct paper_table l1i_table = PER_EVENT("l1i");
static const struct paper_table branch_table = PER_EVENT("branch");
static const struct paper_table l2d_table = PER_EVENT("l2d");

static const struct paper_table overlap_table = {
	.rows = "judge.programs", .names = "program",
	.columns = PAPER_COLUMNS(
		PAPER_COLUMN("paper", "stated.overlap", DOC_PERCENT, 2),
		PAPER_COLUMN("ours", "overlap", DOC_PERCENT, 2),
		PAPER_COLUMN("ours, with a full window", "overlap_full", DOC_PERCENT, 2)),
};

#define ERROR(method, colour) \
	{method, "methods." method ".folded.max_error|methods." method ".max_error", DOC_PERCENT, \
	 2, colour, "judge.summary.folded.mean_error." method "|judge.summary.mean_error." method}

static const struct paper_table error_table = {
	.note = "As a part of the run's cycles; base and resource are one component, as in the "
		"paper.",
	.rows = "judge.programs", .names = "program", .total_name = "mean",
	.columns = PAPER_COLUMNS(
		ERROR("naive", PAPER_MUTED), ERROR("naive-nonspec", PAPER_LINE),
		ERROR("power5", PAPER_PALE), ERROR("fmt", PAPER_SECOND),
		ERROR("fmt-published", PAPER_NOT_DRAWN), ERROR("fmt-rob", PAPER_NOT_DRAWN),
		ERROR("sfmt", PAPER_THIRD), ERROR("sfmt-resolve", PAPER_NOT_DRAWN),
		ERROR("sfmt-counters", PAPER_NOT_DRAWN), ERROR("sfmt-resolve-counters", PAPER_NOT_DRAWN),
		ERROR("afmt", PAPER_WARN), ERROR("exact", PAPER_FIRST)),
	.bars = &(const struct paper_bars){
		"Largest error of a component",
		"In percent of the run's cycles, by program and method; a bar higher than the axis "
		"has its number above it; the dashed line is at 4 %.",
		.top = 0.2, .limit = 0.04},
};

#define LOSS(title, member) \
	PAPER_COLUMN(title, member ".cycles", DOC_NUMBER, 0), \
	PAPER_COLUMN("of run", member ".of_run", DOC_PERCENT, 2), \
	PAPER_COLUMN("of I-side", member ".of_iside", DOC_PERCENT, 1)

static const struct paper_table clearing_table = {
	.rows = "clearing.programs", .names = "program",
	.total_name = "all", .total = "clearing.total",
	.columns = PAPER_COLUMNS(
		LOSS("older lost, at resolution", "older_lost"),
		LOSS("younger lost, at commit", "younger_lost"),
		LOSS("wrong path kept", "wrong_path_kept")),
	.conclusion = "clearing.answer",
};

/* Table 1 gives the overlap in percent; a result has fractions. */
const struct paper_program paper_eyerman2006_programs[] = {
	{"bzip2", "blocksort", 0.12 / 100}, {"crafty", "chess", 1.03 / 100},
	{"eon", "raytrace", 0.01 / 100},    {"gap", "algebra", 5.40 / 100},
	{"gcc", "compiler", 0.93 / 100},    {"gzip", "lzpack", 0.04 / 100},
	{"mcf", "netflow", 0.02 / 100},     {"parser", "parser", 0.43 / 100},
	{"perlbmk", "interp", 1.00 / 100},  {"twolf", "annealer", 4.97 / 100},
	{"vortex", "objdb", 3.10 / 100},    {"vpr", "router", 0.89 / 100},
	{NULL, NULL, 0},
};

static const struct paper_parameter parameters[] = {
	{"reorder buffer", "rob.size", "128"},
	{"load/store queue", "lsq.size", "64"},
	{"fetch width", "fetch.width", "8"},
	{"decode width", "decode.width", "4"},
	{"dispatch width", "dispatch.width", "4"},
	{"issue width", "issue.width", "8"},
	{"commit width", "commit.width", "4"},
	{"front-end stages", "frontend.depth", "5"},
	{"load latency", "l1d.latency_cycles", "2"},
	{"multiplication", "int_mul.latency_cycles", "3"},
	{"division", "int_div.latency_cycles", "20"},
	{"L1I bytes", "l1i.size_bytes", "8192"},
	{"L1I ways", "l1i.ways", "1"},
	{"L1D bytes", "l1d.size_bytes", "16384"},
	{"L1D ways", "l1d.ways", "4"},
	{"L2 bytes", "l2.size_bytes", "1048576"},
	{"L2 ways", "l2.ways", "8"},
	{"L2 latency", "l2.latency_cycles", "9"},
	{"memory latency", "memory.latency_cycles", "250"},
	{"branch predictor", "predictor.kind", "hybrid"},
	{NULL, NULL, NULL},
};

static const struct paper_figure figures[] = {
	{"figure-1", "Figure 1", "Example CPI stack",
	 "The cycles per instruction of one program, split by cause: twolf there, annealer here.",
	 {{"base 0.3, L1 I-cache 0.18, L2 D-cache 0.56, branch mispredictions 0.16; CPI 1.35", "2"},
	  {"a perfect L2 D-cache could improve performance by at most 41 %", "2"}},
	 .is_figure_only = true, .build = build_example, .has_picture = true},
	{"figure-2", "Figure 2", "Interval analysis",
	 "Useful instructions issued per cycle over a stretch of a real run: misses cut it into "
	 "intervals.",
	 {{"an interval begins where issue resumes after the miss before, and includes the time "
	   "without useful issue", "3"}},
	 .is_figure_only = true, .build = build_plot, .of = "stretch", .has_picture = true},
	{"figure-3", "Figure 3", "An I-cache miss interval",
	 "Issue around an L1I miss with nothing else near; cycle 0 is the miss.",
	 {{"issue goes on while the front end empties, and the refill afterwards takes as long, "
	   "so the penalty is the miss delay", "3.1.1"}},
	 .is_figure_only = true, .build = build_plot, .of = "l1i", .has_picture = true},
	{"figure-4", "Figure 4", "Penalty per L1I miss",
	 "Cycles charged to the L1I per miss of the right path, by each method and by simulation.",
	 {{"L2 latency 9 cycles; the penalty lies between 8 and 9 cycles, because of the fetch "
	   "buffer", "3.1.1"},
	  {"the naive penalty is accurate; POWER5 charges substantially less, sometimes nothing",
	   "3.1.1"}},
	 .is_figure_only = true, .table = &l1i_table, .judged = judged_event, .of = "l1i"},
	{"figure-5", "Figure 5", "A branch misprediction interval",
	 "Issue around a mispredicted branch; cycle 0 is its dispatch.",
	 {{"the penalty is the time from the branch's dispatch to its resolution plus the length "
	   "of the front end", "3.1.2"}},
	 .is_figure_only = true, .build = build_plot, .of = "branch", .has_picture = true},
	{"figure-6", "Figure 6", "Penalty per misprediction",
	 "Cycles charged to branches per committed misprediction.",
	 {{"naive takes the front end's length (5 stages, table 2), a significant underestimation",
	   "3.1.2"},
	  {"POWER5 is lower still", "3.1.2"},
	  {"for many programs the resolution time is the main part of the penalty", "3.1.2"}},
	 .is_figure_only = true, .table = &branch_table,
	 .judged = judged_event, .of = "branch"},
	{"figure-7", "Figure 7", "An isolated long data miss",
	 "Issue around one miss of the L2 by a load; cycle 0 is the miss.",
	 {{"the window fills behind the load, then dispatch, issue and commit cease", "3.2.2"},
	  {"memory takes 250 cycles", "table 2"}},
	 .is_figure_only = true, .build = build_plot, .of = "long", .has_picture = true},
	{"figure-8", "Figure 8", "Overlapping long data misses",
	 "Issue around two or more misses of the L2 that begin close to each other.",
	 {{"further misses within the window add no penalty", "3.2.2"}},
	 .is_figure_only = true, .build = build_plot, .of = "overlap", .has_picture = true},
	{"figure-9", "Figure 9", "Penalty per long data miss",
	 "Cycles charged to the L2's data misses, per miss of the right path.",
	 {{"naive charges the whole latency to every miss and overestimates severely", "3.2.2"},
	  {"POWER5 counts from the head of the window on, FMT from the full window on; the "
	   "difference is small", "3.2.2"}},
	 .is_figure_only = true, .table = &l2d_table,
	 .judged = judged_event, .of = "l2d"},
	{"table-1", "Table 1", "Overlap of front-end and long data miss penalties",
	 "Share of cycles in which both kinds of penalty are running.",
	 {{"at most 1 % for most programs, up to 5 % for a couple", "3.3.2"},
	  {"the percentages of the paper's programs stand in the table", "table 1"}},
	 .table = &overlap_table},
	{"figure-10", "Figure 10", "The tables: FMT and sFMT",
	 "The storage each method takes on this machine.",
	 {{"the I-side counters of every row cost a few hundred bits; sFMT needs a fraction of "
	   "FMT's storage", "4.1.2"}},
	 .is_figure_only = true, .build = build_methods},
	{"table-2", "Table 2", "The machine",
	 "The paper's machine and the preset used here.",
	 {{0}},
	 .table = &paper_machine_table},
	{"figure-11", "Figure 11", "Normalised CPI stacks",
	 "Every method's stack beside the simulated one, in both orders.",
	 {{"naive's base is negative for several programs, such as gap, gcc, mcf, twolf and vpr, "
	   "most notably gcc", "5.2"},
	  {"POWER5 gives meaningful but inaccurate stacks, for example of crafty, eon, gap, "
	   "gzip, perlbmk and vortex", "5.2"},
	  {"the order of the simulated stacks matters little", "5.2"}},
	 .is_figure_only = true, .build = build_stacks, .judged = judged_stacks},
	{"figure-12", "Figure 12", "Largest error of a component",
	 "Per program and method, against the simulated stacks.",
	 {{"FMT and sFMT: below 4 % on every program", "5.2"},
	  {"FMT 2.5 % and sFMT 2.7 % on average", "5.2"},
	  {"earlier approaches: errors above 30 %", "1"}},
	 .is_figure_only = true, .table = &error_table, .has_picture = true,
	 .judged = judged_errors},
	{0},
};

static const struct paper_figure additions[] = {
	{"clearing", "Clearing", "What does clearing the sFMT lose?",
	 "A mispredicted branch clears the shared table. Clearing at its resolution "
	 "(sfmt-resolve) loses older counts of the right path that no commit has added yet; "
	 "clearing at its commit (sfmt), as published, loses counts of the right path made since "
	 "the resolution; and counts of wrong paths that a commit adds before they are cleared "
	 "stay. In cycles, percent of the run and percent of the simulated I-side components.",
	 .table = &clearing_table},
	{0},
};

/* clang-format on */

const struct paper paper_eyerman2006 = {
	.name = "eyerman2006",
	.short_title = "Eyerman et al. 2006",
	.authors = (const char *const[]){"Stijn Eyerman", "Lieven Eeckhout", "Tejas Karkhanis",
					 "James E. Smith", NULL},
	.title = "A Performance Counter Architecture for Computing Accurate CPI Components",
	.venue = "ASPLOS 2006",
	.year = 2006,
	.programs = paper_eyerman2006_programs,
	.stated_as = "overlap",
	.example = "annealer",
	.machine = "eyerman2006",
	.parameters = parameters,
	.figures = figures,
	.additions = additions,
	.claims = paper_eyerman2006_claims,
	.needs = (const char *const[]){"judge", "plots", NULL},
	.derive = paper_eyerman2006_derive,
	.judgement = judgement,
};
