#include "report/papers/reproduce_paper.h"

#include <string.h>

const char *const paper_authors[] = {"Stijn Eyerman", "Lieven Eeckhout", "Tejas Karkhanis",
				     "James E. Smith", NULL};
const char *const paper_title =
	"A Performance Counter Architecture for Computing Accurate CPI Components";
const char *const paper_venue = "ASPLOS 2006";
const int paper_year = 2006;

const struct paper_program paper_programs[] = {
	{"bzip2", "blocksort", 0.12, false},
	{"crafty", "chess", 1.03, false},
	{"eon", "raytrace", 0.01, false},
	{"gap", "algebra", 5.40, true},
	{"gcc", "compiler", 0.93, true},
	{"gzip", "lzpack", 0.04, false},
	{"mcf", "netflow", 0.02, true},
	{"parser", "parser", 0.43, false},
	{"perlbmk", "interp", 1.00, false},
	{"twolf", "annealer", 4.97, true},
	{"vortex", "objdb", 3.10, false},
	{"vpr", "router", 0.89, true},
	{NULL, NULL, 0, false},
};

const struct paper_figure paper_figures[] = {
	{"figure-1",
	 "Figure 1",
	 "Example CPI stack",
	 "The cycles per instruction of one program, split by cause: twolf there, annealer here.",
	 {{"base 0.3, L1 I-cache 0.18, L2 D-cache 0.56, branch mispredictions 0.16; CPI 1.35", "2"},
	  {"a perfect L2 D-cache could improve performance by at most 41 %", "2"}},
	 true},
	{"figure-2",
	 "Figure 2",
	 "Interval analysis",
	 "Useful instructions issued per cycle over a stretch of a real run: misses cut it into "
	 "intervals.",
	 {{"an interval begins where issue resumes after the miss before, and includes the time "
	   "without useful issue",
	   "3"}},
	 true},
	{"figure-3",
	 "Figure 3",
	 "An I-cache miss interval",
	 "Issue around an L1I miss with nothing else near; cycle 0 is the miss.",
	 {{"issue goes on while the front end empties, and the refill afterwards takes as long, so "
	   "the penalty is the miss delay",
	   "3.1.1"}},
	 true},
	{"figure-4",
	 "Figure 4",
	 "Penalty per L1I miss",
	 "Cycles charged to the L1I per miss of the right path, by each method and by simulation.",
	 {{"L2 latency 9 cycles; the penalty lies between 8 and 9 cycles, because of the fetch "
	   "buffer",
	   "3.1.1"},
	  {"the naive penalty is accurate; POWER5 charges substantially less, sometimes nothing",
	   "3.1.1"}},
	 true},
	{"figure-5",
	 "Figure 5",
	 "A branch misprediction interval",
	 "Issue around a mispredicted branch; cycle 0 is its dispatch.",
	 {{"the penalty is the time from the branch's dispatch to its resolution plus the length "
	   "of the front end",
	   "3.1.2"}},
	 true},
	{"figure-6",
	 "Figure 6",
	 "Penalty per misprediction",
	 "Cycles charged to branches per committed misprediction.",
	 {{"naive takes the front end's length (5 stages, table 2), a significant underestimation",
	   "3.1.2"},
	  {"POWER5 is lower still", "3.1.2"},
	  {"for many programs the resolution time is the main part of the penalty", "3.1.2"}},
	 true},
	{"figure-7",
	 "Figure 7",
	 "An isolated long data miss",
	 "Issue around one miss of the L2 by a load; cycle 0 is the miss.",
	 {{"the window fills behind the load, then dispatch, issue and commit cease", "3.2.2"},
	  {"memory takes 250 cycles", "table 2"}},
	 true},
	{"figure-8",
	 "Figure 8",
	 "Overlapping long data misses",
	 "Issue around two or more misses of the L2 that begin close to each other.",
	 {{"further misses within the window add no penalty", "3.2.2"}},
	 true},
	{"figure-9",
	 "Figure 9",
	 "Penalty per long data miss",
	 "Cycles charged to the L2's data misses, per miss of the right path.",
	 {{"naive charges the whole latency to every miss and overestimates severely", "3.2.2"},
	  {"POWER5 counts from the head of the window on, FMT from the full window on; the "
	   "difference is small",
	   "3.2.2"}},
	 true},
	{"table-1",
	 "Table 1",
	 "Overlap of front-end and long data miss penalties",
	 "Share of cycles in which both kinds of penalty are running.",
	 {{"at most 1 % for most programs, up to 5 % for a couple", "3.3.2"},
	  {"the percentages of the paper's programs stand in the table", "table 1"}},
	 false},
	{"figure-10",
	 "Figure 10",
	 "The tables: FMT and sFMT",
	 "The storage each method takes on this machine.",
	 {{"the I-side counters of every row cost a few hundred bits; sFMT needs a fraction of "
	   "FMT's storage",
	   "4.1.2"}},
	 true},
	{"table-2",
	 "Table 2",
	 "The machine",
	 "The paper's machine and the preset used here.",
	 {{0}},
	 false},
	{"figure-11",
	 "Figure 11",
	 "Normalised CPI stacks",
	 "Every method's stack beside the simulated one, in both orders.",
	 {{"naive's base is negative for several programs, such as gap, gcc, mcf, twolf and vpr, "
	   "most notably gcc",
	   "5.2"},
	  {"POWER5 gives meaningful but inaccurate stacks, for example of crafty, eon, gap, gzip, "
	   "perlbmk and vortex",
	   "5.2"},
	  {"the order of the simulated stacks matters little", "5.2"}},
	 true},
	{"figure-12",
	 "Figure 12",
	 "Largest error of a component",
	 "Per program and method, against the simulated stacks.",
	 {{"FMT and sFMT: below 4 % on every program", "5.2"},
	  {"FMT 2.5 % and sFMT 2.7 % on average", "5.2"},
	  {"earlier approaches: errors above 30 %", "1"}},
	 true},
	{NULL, NULL, NULL, NULL, {{0}}, false},
};

const struct paper_parameter paper_parameters[] = {
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

const struct paper_program *paper_program_of(const char *name)
{
	if (name[0] != '@')
		return NULL;
	size_t length = strcspn(++name, ":");

	for (const struct paper_program *p = paper_programs; p->name; p++)
		if (strlen(p->ours) == length && strncmp(p->ours, name, length) == 0)
			return p;
	return NULL;
}
