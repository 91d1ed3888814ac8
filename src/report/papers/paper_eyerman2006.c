#include "report/papers/paper_eyerman2006.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "report/papers/path.h"
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

static void add_bar(struct content *content, struct content_drawing *drawing, const char *name,
		    const json_t *components, double instructions)
{
	struct content_group *group = content_group(content, drawing, name);

	for (size_t i = 0; i < COMPONENT_COUNT; i++)
		content_set(group, i,
			    member_number(components, component_rows[i].name) / instructions);
}

static void draw_example(struct content *content, const json_t *program, double instructions)
{
	static const char *const shown[] = {"naive",	     "naive-nonspec", "power5", "fmt",
					    "fmt-published", "sfmt",	      "afmt"};
	struct content_drawing *drawing = content_drawing(
		content, CONTENT_STACKS,
		content_words(content, "CPI stacks of %s", member_text(program, "name")),
		"Cycles per instruction by component: exact with its values, both simulated "
		"stacks, then each counter architecture; what is below zero was charged twice.");

	drawing->heading = content_words(content, "cycles per instruction; CPI %.3f",
					 member_number(program, "cycles") / instructions);
	drawing->places = 2;
	for (int i = 0; i < COMPONENT_COUNT; i++)
		content_series(content, drawing, component_rows[i].name, SVG_NONE, i);
	add_bar(content, drawing, "exact", components_of(program, "exact"), instructions);
	drawing->groups[0].is_labelled = true;
	add_bar(content, drawing, "simulated A", path_value(program, "truth.a"), instructions);
	add_bar(content, drawing, "simulated B", path_value(program, "truth.b"), instructions);
	drawing->groups[2].ends_block = true;
	for (size_t i = 0; i < ARRAY_COUNT(shown); i++)
		add_bar(content, drawing, shown[i], components_of(program, shown[i]), instructions);
}

static const json_t *program_named(const json_t *result, const char *name)
{
	json_t *program;
	size_t i;

	json_array_foreach(path_value(result, "judge.programs"), i, program)
	{
		if (strcmp(member_text(program, "name"), name) == 0)
			return program;
	}
	return NULL;
}

static void build_example(struct content *content, const struct paper_figure *figure,
			  const json_t *result)
{
	const json_t *program = program_named(result, member_text(result, "example"));
	double instructions = member_number(program, "instructions");
	const json_t *stacks[] = {components_of(program, "exact"), path_value(program, "truth.a")};

	(void)figure;
	if (!program) {
		content_paragraph(content, "Not finished.");
		return;
	}
	draw_example(content, program, instructions);
	struct content_table *table = content_table(content, NULL, "stack");
	for (int k = 0; k < COMPONENT_COUNT; k++)
		if (json_object_get(stacks[0], component_rows[k].name))
			content_column(content, table, component_rows[k].name, CONTENT_NUMBER, 3);
	content_column(content, table, "CPI", CONTENT_NUMBER, 3);
	for (size_t i = 0; i < ARRAY_COUNT(stacks); i++) {
		content_row(content, table, i ? "simulated, order A" : "exact");
		for (size_t k = 0; k + 1 < table->column_count; k++) {
			const json_t *part = json_object_get(stacks[i], table->columns[k].title);

			if (part)
				content_value(table, json_number_value(part) / instructions);
			else
				content_value_of(table, NULL);
		}
		content_value(table, member_number(program, "cycles") / instructions);
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

static void mark_events(struct content *content, struct content_drawing *drawing,
			const json_t *events, const char *kind)
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
				content_mark(content, drawing, cycle, words);
		}
	}
}

struct plot {
	struct content *content;
	const json_t *shown, *other; /* mean and example; for a stretch only the example */
};

/* Curves show `shown`; when a reader points at one, the value of `other` is given too. */
static struct content_series *add_series(const struct plot *plot, struct content_panel *panel,
					 const char *member, const char *words, const char *curve)
{
	struct content_series *series =
		content_plot_series(plot->content, panel, json_object_get(plot->shown, member));

	if (plot->other)
		series->others = content_numbers(
			plot->content, json_object_get(plot->other, member), series->value_count);
	series->words = words;
	series->curve = curve;
	return series;
}

static void draw_interval(struct content *content, const json_t *source)
{
	const json_t *example = json_object_get(source, "example");
	const char *kind = member_text(source, "kind");
	bool is_stretch = strcmp(kind, "stretch") == 0;
	struct plot plot = {content, is_stretch ? example : json_object_get(source, "mean"),
			    is_stretch ? NULL : example};
	struct content_drawing *drawing = content_drawing(
		content, CONTENT_PLOT,
		content_words(content, "Useful instructions issued per cycle in %s",
			      member_text(source, "program")),
		"Over it what is issued, then what is dispatched and committed, then entries of "
		"the reorder buffer in use; cycle by cycle, the event at 0.");
	struct content_series *series;

	drawing->first = -member_number(source, "before");
	drawing->x_title = "cycles";
	drawing->x_name = "cycle";
	drawing->shown = is_stretch ? "example" : "mean";
	drawing->other = is_stretch ? NULL : "example";
	drawing->places = is_stretch ? 0 : 2;
	mark_events(content, drawing, json_object_get(example, "events"), kind);

	struct content_panel *panel = content_panel(drawing, 58, 140, 4, 4);
	series = content_plot_series(content, panel, json_object_get(example, "useful_issued"));
	series->name = "issued, useful: one example";
	series->colour = SVG_PALE;
	series->style = CONTENT_AREA;
	series = add_series(&plot, panel, "useful_issued", "issued, useful", "issued");
	series->name = content_words(content, "mean of %.0f", member_number(source, "found"));
	series->colour = SVG_FIRST;
	series->style = is_stretch ? CONTENT_UNDRAWN : CONTENT_LINE;

	panel = content_panel(drawing, 34, 70, 4, 3);
	series = add_series(&plot, panel, "useful_dispatched", "dispatched, useful", "dispatched");
	series->name = "dispatched, useful";
	series->colour = SVG_SECOND;
	series->style = CONTENT_LINE;
	series = add_series(&plot, panel, "dispatched", "dispatched, all", NULL);
	series->style = CONTENT_UNDRAWN;
	series = add_series(&plot, panel, "committed", "committed", "committed");
	series->name = is_stretch ? "committed" : "committed (both: mean)";
	series->colour = SVG_THIRD;
	series->style = CONTENT_DASHED;

	panel = content_panel(drawing, 32, 50, 8, 2);
	series = add_series(&plot, panel, "rob_used", "reorder buffer", "window / 16");
	series->name = is_stretch ? "reorder buffer in use" : "reorder buffer in use: mean";
	series->colour = SVG_PALE;
	series->style = CONTENT_AREA;
	series->curve_unit = 16;
}

static void build_plot(struct content *content, const struct paper_figure *figure,
		       const json_t *result)
{
	json_t *plot;
	size_t i;

	json_array_foreach(json_object_get(result, "plots"), i, plot)
	{
		if (strcmp(member_text(plot, "kind"), figure->of) != 0)
			continue;
		content_paragraph(
			content,
			content_words(content,
				      "From the first %s instructions of %s, the program with "
				      "most clean events of the kind: %s; the example is the "
				      "first, in cycle %s.%s",
				      content_whole(content, member_number(plot, "instructions")),
				      member_text(plot, "program"),
				      content_whole(content, member_number(plot, "found")),
				      content_whole(content, member_number(plot, "first_cycle")),
				      strcmp(figure->of, "stretch") == 0
					      ? " Letters: i an L1I miss, B a mispredicted branch "
						"entering the window, D an L2 miss of a load; all "
						"of the right path."
					      : ""));
		draw_interval(content, plot);
		return;
	}
	content_paragraph(content, "No clean event was found.");
}

/* All methods, including variants: bits and errors. */
static void build_methods(struct content *content, const struct paper_figure *figure,
			  const json_t *result)
{
	json_t *all = json_object_get(json_array_get(path_value(result, "judge.programs"), 0),
				      "methods"),
	       *method;
	struct content_table *table = content_table(content, NULL, "method");
	const char *name;

	(void)figure;
	content_column(content, table, "bits", CONTENT_NUMBER, 0);
	content_column(content, table, "mean error", CONTENT_PERCENT, 2);
	content_column(content, table, "largest error", CONTENT_PERCENT, 2);
	json_object_foreach(all, name, method)
	{
		content_row(content, table, name);
		content_value_of(table, json_object_get(method, "bits"));
		content_value_of(
			table,
			json_object_get(path_value(result, "judge.summary.mean_error"), name));
		content_value_of(
			table,
			json_object_get(path_value(result, "judge.summary.largest_error"), name));
	}
}

/* Shows the components that the truth has: resource is added to base. */
static void add_stack(struct content *content, struct content_table *table, const char *name,
		      const json_t *components, double cycles)
{
	content_row(content, table, name);
	for (size_t k = 0; k < table->column_count; k++) {
		const char *component = table->columns[k].title;
		double part = member_number(components, component);

		if (strcmp(component, "base") == 0)
			part += member_number(components, "resource");
		content_value(table, part / cycles);
	}
}

static void build_stacks(struct content *content, const struct paper_figure *figure,
			 const json_t *result)
{
	json_t *program, *value;
	const char *name;
	size_t i;

	(void)figure;
	content_paragraph(content,
			  "As a part of the run's cycles; base with the stalls behind long units.");
	json_array_foreach(path_value(result, "judge.programs"), i, program)
	{
		json_t *a = json_object_get(json_object_get(program, "truth"), "a");
		const json_t *b = path_value(program, "truth.b");
		double cycles = member_number(program, "cycles");
		struct content_table *table = content_table(
			content, paper_both_names(content, result, member_text(program, "name")),
			"stack");

		json_object_foreach(a, name, value)
			content_column(content, table, name, CONTENT_PERCENT, 1);
		add_stack(content, table, "simulated, order A", a, cycles);
		add_stack(content, table, "simulated, order B", b, cycles);
		for (size_t k = 0; k < ARRAY_COUNT(methods); k++)
			add_stack(content, table, methods[k], components_of(program, methods[k]),
				  cycles);
	}
}

/* clang-format off */

#define COST(event, method) \
	PAPER_COLUMN(method, "per_event." event "." method, CONTENT_NUMBER, 1)
#define PER_EVENT(event) \
	{.rows = "judge.programs", .names = "program", \
	 .columns = PAPER_COLUMNS(PAPER_COLUMN("events", "events." event, CONTENT_COUNT, 0), \
		COST(event, "naive"), COST(event, "naive-nonspec"), COST(event, "power5"), \
		COST(event, "fmt"), COST(event, "sfmt"), COST(event, "afmt"), \
		COST(event, "exact"), COST(event, "simulated"))}

static const struct paper_table l1i_table = PER_EVENT("l1i");
static const struct paper_table branch_table = PER_EVENT("branch");
static const struct paper_table l2d_table = PER_EVENT("l2d");

static const struct paper_table overlap_table = {
	.rows = "judge.programs", .names = "program",
	.columns = PAPER_COLUMNS(
		PAPER_COLUMN("paper", "stated.overlap", CONTENT_PERCENT, 2),
		PAPER_COLUMN("ours", "overlap", CONTENT_PERCENT, 2),
		PAPER_COLUMN("ours, with a full window", "overlap_full", CONTENT_PERCENT, 2)),
};

#define ERROR(method, colour) \
	{method, "methods." method ".max_error", CONTENT_PERCENT, 2, colour, \
	 "judge.summary.mean_error." method}

static const struct paper_table error_table = {
	.note = "As a part of the run's cycles.",
	.rows = "judge.programs", .names = "program", .total_name = "mean",
	.columns = PAPER_COLUMNS(
		ERROR("naive", SVG_MUTED), ERROR("naive-nonspec", SVG_LINE),
		ERROR("power5", SVG_PALE), ERROR("fmt", SVG_SECOND),
		ERROR("fmt-published", SVG_NONE), ERROR("fmt-rob", SVG_NONE),
		ERROR("sfmt", SVG_THIRD), ERROR("sfmt-resolve", SVG_NONE),
		ERROR("sfmt-counters", SVG_NONE), ERROR("sfmt-resolve-counters", SVG_NONE),
		ERROR("afmt", SVG_WARN), ERROR("exact", SVG_FIRST)),
	.bars = &(const struct paper_bars){
		"Largest error of a component",
		"In percent of the run's cycles, by program and method; a bar higher than the axis "
		"has its number above it; the dashed line is at 4 %.",
		.top = 0.2, .limit = 0.04},
};

#define LOSS(title, member) \
	PAPER_COLUMN(title, member ".cycles", CONTENT_NUMBER, 0), \
	PAPER_COLUMN("of run", member ".of_run", CONTENT_PERCENT, 2), \
	PAPER_COLUMN("of I-side", member ".of_iside", CONTENT_PERCENT, 1)

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
	 .is_figure_only = true, .table = &l1i_table, .script_part = "events:Cycles per L1I miss"},
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
	 .script_part = "events:Cycles per misprediction"},
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
	 .script_part = "events:Cycles per long data miss"},
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
	 .is_figure_only = true, .build = build_stacks, .script_part = "stacks"},
	{"figure-12", "Figure 12", "Largest error of a component",
	 "Per program and method, against the simulated stacks.",
	 {{"FMT and sFMT: below 4 % on every program", "5.2"},
	  {"FMT 2.5 % and sFMT 2.7 % on average", "5.2"},
	  {"earlier approaches: errors above 30 %", "1"}},
	 .is_figure_only = true, .table = &error_table, .has_picture = true,
	 .script_part = "errors"},
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
};
