#include "papers/paper_hough2006.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers/path.h"
#include "value/member.h"

#define SMALL_WAY "icachesetsz1"

/* clang-format off */

static const struct paper_program programs[] = {
	{"Numeric Heapsort", "heapsort", 233},
	{"BLASTN", "seqsearch", 185548},
	{"Towers of Hanoi", "hanoi", 0},
	{0},
};

const struct hough2006_machine hough2006_machines[] = {
	{"base", ""},
	{"icachesets2", "l1i.ways=2,l1i.size_bytes=8k"},
	{"icachesets3", "l1i.ways=3,l1i.size_bytes=12k"},
	{"icachesets4", "l1i.ways=4,l1i.size_bytes=16k"},
	{SMALL_WAY, "l1i.size_bytes=1k"},
	{"icachesetsz2", "l1i.size_bytes=2k"},
	{"icachelinesz4", "l1i.line_bytes=16"},
	{"icachereplacelrr", "l1i.replacement=lrr"},
	{"icachereplacelru", "l1i.replacement=lru"},
	{0},
};

static const struct paper_parameter parameters[] = {
	{"core", "core.kind", "inorder"},
	{"instructions issued a cycle", "inorder.issue_width", "1"},
	{"instruction cache", "l1i.size_bytes", "4096"},
	{0},
};

static const struct paper_table storage_table = {
	.note = "In bits of storage: the timer, range registers, selections and counters of 32 bits. "
		"Each series starts from 2 ranges, 2 signals and 2 counters and makes one of them N; "
		"the naive design has N ranges, N signals and a counter for each pair. Besides, "
		"each of N ranges compares every pc that may come in a cycle with both its ends: the bits "
		"compared with one pc, as in the paper, and with four.",
	.rows = "variations.storage",
	.names = "N",
	.name = "n",
	.columns = PAPER_COLUMNS(PAPER_DRAWN("N ranges", "ranges", DOC_NUMBER, 0, PAPER_FIRST),
				 PAPER_DRAWN("N signals", "signals", DOC_NUMBER, 0, PAPER_SECOND),
				 PAPER_DRAWN("N counters", "counters", DOC_NUMBER, 0, PAPER_THIRD),
				 PAPER_DRAWN("naive", "naive", DOC_NUMBER, 0, PAPER_WARN),
				 PAPER_COLUMN("compared, 1 pc", "compared", DOC_NUMBER, 0),
				 PAPER_COLUMN("4 pcs", "compared_four", DOC_NUMBER, 0)),
	.lines = &(const struct paper_lines){
		"Bits of storage of the statistics module",
		"Lines over the number of ranges, signals or counters, beside the naive design; below them the same "
		"without the naive design.",
		"N", "bits", 3},
};

static const struct paper_table synthesis_table = {
	.note = "The same series in LUTs of an FPGA, if --synthesis names a file of sizes, such as "
		"docs/results/synthesis.txt: the circuits that stat --rtl writes, with one pc of 64 bits and signals of "
		"one bit, after yosys synth_ecp5. tools/evaluate synthesis makes such a file, and needs yosys.",
	.rows = "variations.synthesis",
	.names = "N",
	.name = "n",
	.columns = PAPER_COLUMNS(PAPER_DRAWN("N ranges", "ranges", DOC_NUMBER, 0, PAPER_FIRST),
				 PAPER_DRAWN("N signals", "signals", DOC_NUMBER, 0, PAPER_SECOND),
				 PAPER_DRAWN("N counters", "counters", DOC_NUMBER, 0, PAPER_THIRD),
				 PAPER_DRAWN("naive", "naive", DOC_NUMBER, 0, PAPER_WARN)),
	.lines = &(const struct paper_lines){
		"LUTs of the statistics module",
		"Lines over the number of ranges, signals or counters, beside the naive design; below them the same "
		"without the naive design.",
		"N", "LUTs", 3},
};

/* What circuits take when one number grows that is no part of figure 3. */
#define SWEPT(name_, rows_, names_, note_, title_, ...)                                                      \
	static const struct paper_table name_ = {                                                            \
		.note = note_,                                                                               \
		.rows = "variations." rows_,                                                                 \
		.names = "N",                                                                                \
		.name = "n",                                                                                 \
		.columns = PAPER_COLUMNS(__VA_ARGS__),                                                       \
		.lines = &(const struct paper_lines){title_, "Lines over " names_ ".", names_, "LUTs", 0},   \
	}

SWEPT(ports_table, "pc_ports", "pc ports",
      "Of the file of --synthesis: the module with 2 ranges, 2 signals and 2 counters. Each port is compared with both ends of every range.",
      "LUTs of the statistics module by pc ports",
      PAPER_DRAWN("module", "module", DOC_NUMBER, 0, PAPER_FIRST));
SWEPT(widths_table, "widths", "bits of a counter",
      "Of the file of --synthesis: the module with 2 ranges, 2 signals and 2 counters.", "LUTs of the statistics module by width",
      PAPER_DRAWN("module", "module", DOC_NUMBER, 0, PAPER_FIRST));
SWEPT(branch_rows_table, "branch_rows", "branch rows",
      "Of the file of --synthesis: the circuits that judge --rtl writes for the machine eyerman2006 with a window of 64 instructions, by rows "
      "for branches in flight and the next one.",
      "LUTs of counter architectures by branch rows",
      PAPER_DRAWN("fmt", "fmt", DOC_NUMBER, 0, PAPER_FIRST),
      PAPER_DRAWN("sfmt", "sfmt", DOC_NUMBER, 0, PAPER_SECOND));
SWEPT(rob_sizes_table, "rob_sizes", "entries of the reorder buffer",
      "The same with 8 branch rows, by entries of the reorder buffer. That of vclk is not drawn.",
      "LUTs of counter architectures by window",
      PAPER_DRAWN("fmt", "fmt", DOC_NUMBER, 0, PAPER_FIRST),
      PAPER_DRAWN("sfmt", "sfmt", DOC_NUMBER, 0, PAPER_SECOND),
      PAPER_DRAWN("power5", "power5", DOC_NUMBER, 0, PAPER_THIRD),
      PAPER_COLUMN("vclk", "vclk", DOC_NUMBER, 0));

static const struct paper_table slopes_table = {
	.note = "A straight line through each series, by least squares: what one more costs, and how far the "
		"farthest point is from the line. A mux of S signals for each of C counters is S x C: the "
		"slope of signals grows with the counters.",
	.rows = "variations.slopes",
	.names = "series",
	.name = "name",
	.columns = PAPER_COLUMNS(PAPER_COLUMN("points", "points", DOC_NUMBER, 0),
				 PAPER_COLUMN("at 0", "base", DOC_NUMBER, 0),
				 PAPER_COLUMN("for each", "slope", DOC_NUMBER, 1),
				 PAPER_COLUMN("residual", "residual", DOC_NUMBER, 0),
				 PAPER_COLUMN("residual (%)", "percent", DOC_NUMBER, 1),
				 PAPER_COLUMN("R2", "explained", DOC_NUMBER, 4)),
};

static const struct paper_table writes_table = {
	.note = "Writes to memory: lines written back, or stores written through. The paper does not "
		"describe its proposed policy. Ours (l1d.write = live) drops a dirty line of the "
		"thread's stack that lies wholly below the stack pointer when it leaves the cache: "
		"the next to use it writes it first. No result depends on it: the simulator keeps "
		"data elsewhere than in its caches.",
	.rows = "variations.programs",
	.names = "program",
	.columns = PAPER_COLUMNS(PAPER_DRAWN("write-back", "back", DOC_NUMBER, 0, PAPER_FIRST),
				 PAPER_COLUMN("write-through", "through", DOC_NUMBER, 0),
				 PAPER_DRAWN("live only", "live", DOC_NUMBER, 0, PAPER_SECOND),
				 PAPER_COLUMN("saved (%)", "saved_percent", DOC_NUMBER, 1),
				 PAPER_COLUMN("paper: write-back", "stated.writes", DOC_NUMBER, 0)),
	.bars = &(const struct paper_bars){.title = "Lines written to memory",
		.description = "By a write-back cache, and by one that drops dirty lines of the stack which "
		"nobody can read any more."},
};

static const struct paper_table cycles_table = {
	.note = "Cycles relative to the base, and by how many cycles two runs of the same "
		"configuration differ at most. The paper does not name its program.",
	.rows = "variations.machines",
	.names = "configuration",
	.name = "name",
	.columns = PAPER_COLUMNS(PAPER_COLUMN("heapsort", "ratios.heapsort", DOC_NUMBER, 4),
				 PAPER_COLUMN("seqsearch", "ratios.seqsearch", DOC_NUMBER, 4),
				 PAPER_COLUMN("hanoi", "ratios.hanoi", DOC_NUMBER, 4),
				 PAPER_COLUMN("two runs differ by", "differ", DOC_NUMBER, 0)),
};

static const struct paper_figure figures[] = {
	{"figure-3", "Figure 3", "Size of the module",
	 "What the module takes as its parts grow in number.",
	 {{"the series grow linearly, the naive design rapidly", "5"}},
	 .is_figure_only = true, .has_picture = true, .table = &storage_table},
	{"figure-3-luts", "Figure 3", "Size of the module in LUTs",
	 "What the circuit takes as its parts grow in number.",
	 {{0}},
	 .is_figure_only = true, .has_picture = true, .table = &synthesis_table},
	{"figure-3-slopes", "Section 5", "What one more costs",
	 "Straight lines through the series of figure 3.",
	 {{0}},
	 .is_figure_only = true, .table = &slopes_table},
	{"figure-4", "Figure 4", "Memory writes by cache policy",
	 "Writes to memory of each program.",
	 {{"the proposed policy saves 5.5 %, 3.0 % and 0 % of the write-backs", "6"}},
	 .has_picture = true, .table = &writes_table},
	{"figure-5", "Figure 5", "Variations of the instruction cache",
	 "Cycles of each configuration, twice.",
	 {{"only a way of 1 KB differs: 872,955,971 cycles instead of 384,334,061", "6"},
	  {"two runs differ by up to 19 cycles, because the core does not start precisely", "6"}},
	 .table = &cycles_table},
	{"machine", "Section 2.2", "The machine",
	 "What the paper says of its core, and ours.",
	 {{0}},
	 .table = &paper_machine_table},
	{0},
};

static const struct paper_figure additions[] = {
	{"sizes-ports", "By ports", "The module by pc ports",
	 "What the circuit takes when several instructions commit in a cycle.", {{0}}, .table = &ports_table},
	{"sizes-width", "By width", "The module by width",
	 "What the circuit takes with counters of more bits.", {{0}}, .table = &widths_table},
	{"sizes-branches", "By branches", "Counter architectures by branch rows",
	 "What the circuits take when more branches are in flight.", {{0}}, .table = &branch_rows_table},
	{"sizes-rob", "By window", "Counter architectures by window",
	 "What the circuits take when more instructions are in flight.", {{0}}, .table = &rob_sizes_table},
	{0},
};

/* clang-format on */

static void decide_linear(struct claim_outcome *outcome, const struct claim *claim,
			  const json_t *result, const json_t *measured)
{
	static const char *const series[] = {"ranges", "signals", "counters"};
	const json_t *rows = path_value(result, "variations.storage");
	size_t count = json_array_size(rows);
	bool holds = count >= 2;

	(void)claim;
	(void)measured;
	if (count < 2) {
		claim_say(outcome, "nothing was measured");
		return;
	}
	const json_t *first = json_array_get(rows, 0), *last = json_array_get(rows, count - 1);
	double growth =
		strtod(member_text(last, "n"), NULL) / strtod(member_text(first, "n"), NULL);
	for (size_t i = 0; i < 3; i++)
		holds &= member_number(last, series[i]) <= growth * member_number(first, series[i]);
	double naive = member_number(last, "naive") / member_number(first, "naive");
	claim_say(outcome, "for N %.0f times as large ours is at most %.1f times, naive %.1f times",
		  growth,
		  fmax(fmax(member_number(last, "ranges") / member_number(first, "ranges"),
			    member_number(last, "signals") / member_number(first, "signals")),
		       member_number(last, "counters") / member_number(first, "counters")),
		  naive);
	claim_set(outcome, holds && naive > growth);
}

static void decide_repeats(struct claim_outcome *outcome, const struct claim *claim,
			   const json_t *result, const json_t *measured)
{
	double most = 0;
	json_t *row;
	size_t i;

	(void)measured;
	json_array_foreach(path_value(result, "variations.machines"), i, row)
	{
		most = fmax(most, member_number(row, "differ"));
	}
	claim_say(outcome, "at most %.0f cycles", most);
	claim_set(outcome, most <= claim->limit);
}

static double ratio_of(const json_t *result, const char *machine, const json_t *program)
{
	const json_t *entry = paper_program_entry(result, member_text(program, "name"));
	const json_t *row = member_named(path_value(result, "variations.machines"), machine);

	return member_number(json_object_get(row, "ratios"), member_text(entry, "ours"));
}

static void decide_small_way(struct claim_outcome *outcome, const struct claim *claim,
			     const json_t *result, const json_t *measured)
{
	size_t on = 0, i;
	json_t *program;

	json_array_foreach(measured, i, program)
	{
		double small = ratio_of(result, SMALL_WAY, program), other = 1;

		for (const struct hough2006_machine *m = hough2006_machines; m->name; m++)
			if (strcmp(m->name, SMALL_WAY) != 0)
				other = fmax(other, ratio_of(result, m->name, program));
		on += small > 1 + claim->limit && other <= 1 + claim->limit;
		claim_say_program(outcome, i ? ", " : "", program, "");
		claim_say(outcome, " %.2f, others up to %.2f", small, other);
	}
	claim_set_counted(outcome, claim, on, json_array_size(measured));
}

static void decide_writes(struct claim_outcome *outcome, const struct claim *claim,
			  const json_t *result, const json_t *measured)
{
	size_t on = 0, i;
	json_t *program;

	(void)result;
	json_array_foreach(measured, i, program)
	{
		on += member_number(program, "back") < member_number(program, "through");
		claim_say_program(outcome, i ? ", " : "", program, "");
		claim_say(outcome, " %.0f of %.0f", member_number(program, "back"),
			  member_number(program, "through"));
	}
	claim_set_counted(outcome, claim, on, json_array_size(measured));
}

static const struct claim claims[] = {
	{.id = "linear",
	 .section = "5",
	 .claim = "the module grows linearly with ranges, signals and counters, the naive design "
		  "faster",
	 .test = "no series grows faster than N, and the naive one does",
	 .decide = decide_linear},
	{.id = "repeats",
	 .section = "6",
	 .claim = "two runs of a configuration differ by under 20 cycles",
	 .test = "they differ by 0 cycles",
	 .decide = decide_repeats,
	 .limit = 0},
	{.id = "small-way",
	 .section = "6",
	 .claim = "of the instruction caches only the way of 1 KB costs cycles",
	 .test = "it costs more than 1 %, every other variation less",
	 .decide = decide_small_way,
	 .limit = 0.01,
	 .reason =
		 "parts of a loop compete for the same lines of a cache with one way, also at 2 KB, and the loop "
		 "of seqsearch fits 1 KB: in the first 20 million instructions at size small 1 and 2 KB cost "
		 "heapsort 9.8 and 6.7 %, hanoi 2.6 and 2.5 %, seqsearch 0.2 and 0.1 %; with two ways of LRU and "
		 "the same size heapsort and hanoi lose at most 0.2 %"},
	{.id = "write-back",
	 .section = "6",
	 .claim = "a write-back cache writes less to memory than a write-through one",
	 .test = "fewer lines written back than stores written through",
	 .decide = decide_writes},
	{0},
};

const struct paper paper_hough2006 = {
	.name = "hough2006",
	.short_title = "Hough et al. 2006",
	.authors = (const char *const[]){"Richard Hough", "Phillip Jones", "Scott Friedman",
					 "Roger Chamberlain", "Jason Fritts", "John Lockwood",
					 "Ron Cytron", NULL},
	.title = "Cycle-Accurate Microarchitecture Performance Evaluation",
	.venue = "Workshop on Introspective Architecture 2006",
	.year = 2006,
	.machine = "leon2",
	.programs = programs,
	.stated_as = "writes",
	.parameters = parameters,
	.figures = figures,
	.additions = additions,
	.claims = claims,
	.needs = (const char *const[]){"variations", NULL},
};
