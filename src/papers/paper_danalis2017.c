#include "papers/paper_danalis2017.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/inspect_figures.h"
#include "papers/path.h"
#include "value/member.h"

#define NEAR	     0.05 /* what two slopes that are called equal may differ by */
#define KERNELS	     7
#define SECTION2     3
#define MISPREDICTED "branches mispredicted"
#define RETIRED	     "conditional branches, retired"
#define EXECUTED     "conditional branches, executed"
#define L1_MISSES    "data cache reads, level 1, misses"

/* Table 1. */
static const struct {
	const char *name, *category;
	double stated[KERNELS];
} categories[] = {
	{"CE", EXECUTED, {2, 2, 2, 2, 2.5, 2, 1}},
	{"CR", RETIRED, {2, 2, 2, 2, 2, 2, 1}},
	{"T", "conditional branches taken, retired", {1.5, 1, 2, 1.5, 1.5, 1, 1}},
	{"D", "direct jumps, retired", {0, 0, 0, 0, 0, 1, 0}},
	{"M", MISPREDICTED, {0, 0, 0, 0.5, 0.5, 0, 0}},
};

/* The experiment of section 2. */
static const struct {
	const char *name, *kernel;
	double executed, retired, mispredicted;
} experiment[SECTION2] = {
	{"figure 1: every second time", "branch_plain", 2, 2, 0},
	{"figure 2: at random", "branch_random", 2.5, 2, 0.5},
	{"figure 5: and redundant work", "branch_random_work", 2, 2, 0.5},
};

static const json_t *inspection_of(const json_t *result)
{
	return json_object_get(result, "inspection");
}

/* Of several events of executed branches the one with the fewest: what is fetched on a wrong path
 * need not be executed. */
static const json_t *event_of(const json_t *result, const char *category)
{
	const json_t *found = inspect_event_of(inspection_of(result), category), *event;
	size_t i;

	if (strcmp(category, EXECUTED) != 0)
		return found;
	json_array_foreach(json_object_get(inspection_of(result), "events"), i, event)
	{
		if (strcmp(member_text(event, "verdict"), category) == 0 &&
		    inspect_slope(event, "branch_e") < inspect_slope(found, "branch_e"))
			found = event;
	}
	return found;
}

static double slope_of(const json_t *result, const char *category, const char *point)
{
	const json_t *event = event_of(result, category);

	return event ? inspect_slope(event, point) : NAN;
}

static const char *kernel_of(struct doc *doc, size_t i)
{
	return doc_words(doc, "branch_%c", (int)('a' + i));
}

static void build_section_2(struct doc *doc, const struct paper_figure *figure,
			    const json_t *result)
{
	struct doc_table *table = doc_table(doc, NULL, NULL, "loop");

	(void)figure;
	doc_column(table, "executed", DOC_NUMBER, 2);
	doc_column(table, "paper", DOC_NUMBER, 1);
	doc_column(table, "retired", DOC_NUMBER, 2);
	doc_column(table, "paper", DOC_NUMBER, 1);
	doc_column(table, "mispredicted", DOC_NUMBER, 2);
	doc_column(table, "paper", DOC_NUMBER, 1);
	for (size_t i = 0; i < SECTION2; i++) {
		doc_row(table, experiment[i].name);
		doc_value(table, slope_of(result, EXECUTED, experiment[i].kernel));
		doc_value(table, experiment[i].executed);
		doc_value(table, slope_of(result, RETIRED, experiment[i].kernel));
		doc_value(table, experiment[i].retired);
		doc_value(table, slope_of(result, MISPREDICTED, experiment[i].kernel));
		doc_value(table, experiment[i].mispredicted);
	}
	doc_paragraph(doc, "Conditional branches an iteration: the slope over iterations, in "
			   "which what starting and stopping the counters adds has no part.");
}

static void build_table_1(struct doc *doc, const struct paper_figure *figure, const json_t *result)
{
	struct doc_table *table = doc_table(doc, NULL, NULL, "category");

	(void)figure;
	for (size_t k = 0; k < KERNELS; k++)
		doc_column(table, doc_words(doc, "bench%zu", k + 1), DOC_NUMBER, 2);
	for (size_t i = 0; i < ARRAY_COUNT(categories); i++) {
		doc_row(table, doc_words(doc, "%s, paper", categories[i].name));
		for (size_t k = 0; k < KERNELS; k++)
			doc_value(table, categories[i].stated[k]);
		doc_row(table, doc_words(doc, "%s, ours", categories[i].name));
		for (size_t k = 0; k < KERNELS; k++)
			doc_value(table,
				  slope_of(result, categories[i].category, kernel_of(doc, k)));
	}
}

/* A figure that every inspection has, drawn for this one. */
static void build_inspected(struct doc *doc, const struct paper_figure *figure,
			    const json_t *result)
{
	for (const struct inspect_figure *f = inspect_figures; f->id; f++)
		if (strcmp(f->id, figure->of) == 0)
			f->build(doc, inspection_of(result));
}

/* clang-format off */

static const struct paper_program programs[] = {{0}};

static const struct paper_parameter parameters[] = {
	{"first-level data cache", "l1d.size_bytes", "32768"},
	{"second-level cache", "l2.size_bytes", "262144"},
	{"levels of cache", "cache.levels", "3"},
	{"line", "l2.line_bytes", "64"},
	{0},
};

static const struct paper_figure figures[] = {
	{"section-2", "Section 2", "Non-obvious code behaviour",
	 "Conditional branches of the loops of figures 1, 2 and 5.",
	 {{"executed: 2, 2.5 and 2 times the iterations", "2"},
	  {"retired: always two an iteration", "2"},
	  {"mispredicted: 0, 0.5 and 0.5 times the iterations", "2"}},
	 .build = build_section_2},
	{"figure-10", "Figure 10", "Controlling the misprediction rate",
	 "Executed conditional branches where one condition in K holds.",
	 {{"2.5 at K = 2, slightly above the naive curve for intermediate K", "3.2"}},
	 .is_figure_only = true, .has_picture = true, .build = build_inspected, .of = "figure10"},
	{"figure-12", "Figure 12", "Cache hits",
	 "Hits of each level over the size of the buffer.",
	 {{"sharp transitions at L1 = 32 KB, L2 = 256 KB and L3 = 32 MB", "4"}},
	 .is_figure_only = true, .has_picture = true, .build = build_inspected, .of = "figure12"},
	{"figure-13", "Figure 13", "Cache misses",
	 "Misses of each level over the size of the buffer.",
	 {{"sharp transitions at L1 = 32 KB, L2 = 256 KB and L3 = 32 MB", "4"}},
	 .is_figure_only = true, .has_picture = true, .build = build_inspected, .of = "figure13"},
	{"figure-14", "Figure 14", "Effect of the unit size on hits in the L2",
	 "Hits of the second level by the distance of elements.",
	 {{"beyond the L2 the hit rate stays high for small units and drops for large ones", "4"}},
	 .is_figure_only = true, .has_picture = true, .build = build_inspected, .of = "figure14"},
	{"figure-15", "Figure 15", "Effect of the block size on hits in the L2",
	 "Hits of the second level by the pages of a block.",
	 {{"about 30 % past the L2 with 16 pages a block or less, almost none beyond 32", "4"}},
	 .is_figure_only = true, .has_picture = true, .build = build_inspected, .of = "figure15"},
	{"figure-16", "Figure 16", "Access patterns with and without offset",
	 "The order of nine blocks where eight fit.",
	 {{"in order every access misses; with the first block left for the end most hit", "4.1"}},
	 .build = build_inspected, .of = "figure16"},
	{"figure-17", "Figure 17", "Cache replacement and access pattern",
	 "Cost of an access over the size of the buffer, by offset.",
	 {{"offset 1 helps at 36 KB, offset 2 at 40 KB", "4.1"}},
	 .is_figure_only = true, .has_picture = true, .build = build_inspected, .of = "figure17"},
	{"table-1", "Table 1", "Expected values of the categories",
	 "Slopes of the events that were found to count each category, on the seven kernels.",
	 {{"no two rows are identical", "5"}},
	 .build = build_table_1},
	{"machine", "Section 4", "The machine", "What the paper says of its caches, and ours.",
	 {{0}},
	 .table = &paper_machine_table},
	{0},
};

static const struct paper_figure additions[] = {{0}};

/* clang-format on */

/* The loops of section 2 have the slopes that the paper gives for the category `path`. */
static void decide_experiment(struct claim_outcome *outcome, const struct claim *claim,
			      const json_t *result, const json_t *unused)
{
	bool is_retired = strcmp(claim->path, RETIRED) == 0, holds = true;

	(void)unused;
	for (size_t i = 0; i < SECTION2; i++) {
		double ours = slope_of(result, claim->path, experiment[i].kernel);
		double stated = is_retired ? experiment[i].retired : experiment[i].mispredicted;

		claim_say(outcome, "%s%.2f", i ? ", " : "", ours);
		holds &= fabs(ours - stated) <= claim->limit;
	}
	claim_set(outcome, holds);
}

/* Executed beyond retired, in two of the loops. */
static void decide_excess(struct claim_outcome *outcome, const struct claim *claim,
			  const json_t *result, const json_t *unused)
{
	double plain = slope_of(result, EXECUTED, "branch_plain") - 2;
	double random = slope_of(result, EXECUTED, "branch_random") - 2;

	(void)unused;
	claim_say(outcome, "%.2f beyond two without mispredictions, %.2f with them", plain, random);
	claim_set(outcome, fabs(plain) <= claim->limit && random > claim->limit);
}

static void decide_work(struct claim_outcome *outcome, const struct claim *claim,
			const json_t *result, const json_t *unused)
{
	double work = slope_of(result, EXECUTED, "branch_random_work") - 2;

	(void)unused;
	claim_say(outcome, "%.2f beyond two", work);
	claim_set(outcome, fabs(work) <= claim->limit);
}

/* The executed ones depend on how far a core runs ahead, and are left out. */
static void decide_table_1(struct claim_outcome *outcome, const struct claim *claim,
			   const json_t *result, const json_t *unused)
{
	double worst = 0;

	(void)unused;
	for (size_t i = 1; i < ARRAY_COUNT(categories); i++)
		for (size_t k = 0; k < KERNELS; k++) {
			char kernel[] = "branch_a";

			kernel[sizeof(kernel) - 2] = (char)('a' + k);
			double off = fabs(slope_of(result, categories[i].category, kernel) -
					  categories[i].stated[k]);
			worst = off <= worst ? worst : off;
		}
	claim_say(outcome, "at most %.3f from the table", worst);
	claim_set(outcome, worst <= claim->limit);
}

static void decide_naive(struct claim_outcome *outcome, const struct claim *claim,
			 const json_t *result, const json_t *unused)
{
	static const int between[] = {3, 4, 6, 8};
	double sum = 0;

	(void)unused;
	for (size_t i = 0; i < ARRAY_COUNT(between); i++) {
		char point[32];

		snprintf(point, sizeof(point), "branch_k:%d", between[i]);
		double beyond = slope_of(result, MISPREDICTED, point) - 1.0 / between[i];
		claim_say(outcome, "%sK = %d: %+.3f", i ? ", " : "", between[i], beyond);
		sum += beyond;
	}
	claim_set(outcome, sum > claim->limit);
}

static double capacity(const json_t *result, size_t level)
{
	return json_number_value(
		json_array_get(path_value(result, "inspection.machine.data_bytes"), level));
}

static void decide_sharp(struct claim_outcome *outcome, const struct claim *claim,
			 const json_t *result, const json_t *unused)
{
	double size = capacity(result, 0);
	char below[64], above[64];

	(void)unused;
	snprintf(below, sizeof(below), "read:%.0f:%.0f",
		 path_number(result, "inspection.machine.line_bytes"), size / 2);
	snprintf(above, sizeof(above), "read:%.0f:%.0f",
		 path_number(result, "inspection.machine.line_bytes"), size * 4);
	double low = slope_of(result, L1_MISSES, below), high = slope_of(result, L1_MISSES, above);
	claim_say(outcome,
		  "L1 of %.0f bytes: %.2f misses an access at half of it, %.2f at four times", size,
		  low, high);
	claim_set(outcome, low <= claim->limit && high >= 1 - claim->limit);
}

static void decide_offset(struct claim_outcome *outcome, const struct claim *claim,
			  const json_t *result, const json_t *unused)
{
	double plain = slope_of(result, L1_MISSES, "order:36864");
	double offset = slope_of(result, L1_MISSES, "order:1:36864");

	(void)unused;
	claim_say(outcome, "%.2f misses an access in order, %.2f with offset 1", plain, offset);
	claim_set(outcome, offset < claim->limit * plain);
}

static const struct claim claims[] = {
	{.id = "retired",
	 .section = "2",
	 .claim = "two conditional branches an iteration retire, mispredicted or not",
	 .test = "each is within 0.05 of 2",
	 .decide = decide_experiment,
	 .path = RETIRED,
	 .limit = NEAR},
	{.id = "mispredicted",
	 .section = "2",
	 .claim = "0, 0.5 and 0.5 branches an iteration are mispredicted",
	 .test = "each is within 0.05",
	 .decide = decide_experiment,
	 .path = MISPREDICTED,
	 .limit = NEAR},
	{.id = "executed",
	 .section = "2",
	 .claim =
		 "more branches are executed than retire where some are mispredicted, and only there",
	 .test = "within 0.05 of two without mispredictions, above with them",
	 .decide = decide_excess,
	 .limit = NEAR},
	{.id = "redundant-work",
	 .section = "2",
	 .claim =
		 "work between the two branches keeps the second from being executed on wrong paths",
	 .test = "within 0.05 of two",
	 .decide = decide_work,
	 .limit = NEAR,
	 .reason =
		 "the work keeps most of them away, but our core still executes about one branch of "
		 "the wrong path for each misprediction"},
	{.id = "table-1",
	 .section = "5",
	 .claim = "events of CR, T, D and M have the slopes of table 1",
	 .test = "every slope is within 0.05 of the table",
	 .decide = decide_table_1,
	 .limit = NEAR},
	{.id = "not-naive",
	 .section = "3.2",
	 .claim =
		 "for intermediate K more branches are mispredicted than if `not taken` were predicted "
		 "always",
	 .test = "over K = 3, 4, 6, 8 more than 1/K on average",
	 .decide = decide_naive,
	 .limit = 0},
	{.id = "sharp",
	 .section = "4",
	 .claim = "misses go from none to all at the size of a cache",
	 .test = "at half of the L1 below 0.05 an access, at four times above 0.95",
	 .decide = decide_sharp,
	 .limit = NEAR},
	{.id = "offset",
	 .section = "4.1",
	 .claim = "a block more than fits makes every access miss in order, and few with offset 1",
	 .test = "with offset 1 less than half of the misses",
	 .decide = decide_offset,
	 .limit = 0.5},
	{0},
};

const struct paper paper_danalis2017 = {
	.name = "danalis2017",
	.short_title = "Danalis et al. 2017",
	.authors = (const char *const[]){"Anthony Danalis", "Heike Jagode", "Hanumantharayappa",
					 "Sangamesh Ragate", "Jack Dongarra", NULL},
	.title = "Counter Inspection Toolkit: Making Sense out of Hardware Performance Events",
	.venue = "Parallel Tools Workshop 2017",
	.year = 2017,
	.machine = "haswell-like",
	.programs = programs,
	.parameters = parameters,
	.figures = figures,
	.additions = additions,
	.claims = claims,
	.needs = (const char *const[]){"inspection", NULL},
};
