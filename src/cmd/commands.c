#include <string.h>

#include "base/array.h"
#include "cmd/command.h"
#include "config/config.h"

const struct option_row option_rows[OPTION_COUNT] = {
#define OPTION(id, name, value, fallback, help) [OPTION_##id] = {name, value, fallback, help},
#include "cmd/options.def"
};

static const struct {
	char letter;
	enum option_id id;
} short_rows[] = {
#define SHORT(letter, id) {letter, OPTION_##id},
#include "cmd/options.def"
};

char option_letter(enum option_id id)
{
	for (size_t i = 0; i < ARRAY_COUNT(short_rows); i++)
		if (short_rows[i].id == id)
			return short_rows[i].letter;
	return 0;
}

enum option_id option_of_letter(char letter)
{
	for (size_t i = 0; i < ARRAY_COUNT(short_rows); i++)
		if (short_rows[i].letter == letter)
			return short_rows[i].id;
	return OPTION_COUNT;
}

const struct status_row status_rows[] = {
	{"0", "All went well; for programs that are run, their own status."},
	{"1", "A verdict that was asked for came out negative."},
	{"2", "The command line was wrong: nothing was run."},
	{"124", "A limit was reached; the result is marked partial."},
	{"125", "The tool itself failed, or a file could not be read or written."},
	{"128+N", "The program was killed by signal N."},
	{"130", "Interrupted; the partial result was printed."},
	{NULL, NULL},
};

#define GUEST_OPTIONS                                                                             \
	OPTION_MOUNT, OPTION_SYSROOT, OPTION_DEBUG_DIR, OPTION_RAW_NAMES, OPTION_ENV, OPTION_CWD, \
		OPTION_ARGV0, OPTION_SEED, OPTION_MEMORY, OPTION_MAX_INSNS, OPTION_TIMEOUT,       \
		OPTION_DENY, OPTION_STRICT, OPTION_MTIME, OPTION_STDIN, OPTION_NO_LANDLOCK

/* Every result has every format. */
#define FORMAT_OPTIONS OPTION_REPORT, OPTION_HTML, OPTION_JSON, OPTION_CSV, OPTION_TABLE, OPTION_SVG

/* What is measured can be stored. */
#define STORE_OPTIONS OPTION_STORE, OPTION_TAG

#define COMMON_OPTIONS OPTION_VERBOSE, OPTION_HELP, OPTION_COUNT

static const enum option_id exec_options[] = {
	FORMAT_OPTIONS, STORE_OPTIONS,	      OPTION_STDOUT, OPTION_STDERR,
	GUEST_OPTIONS,	OPTION_PROGRESS,      OPTION_ISA,    OPTION_NO_TRANSLATE,
	OPTION_BBV,	OPTION_INTERVAL_SIZE, COMMON_OPTIONS};
static const enum option_id run_options[] = {OPTION_CONFIG,	   OPTION_SET,
					     OPTION_SKIP,	   OPTION_ROI,
					     OPTION_SAMPLE,	   OPTION_TIME,
					     OPTION_COUNTERS,	   OPTION_WITHIN,
					     OPTION_GAIN_BUDGET,   OPTION_WHAT_IF,
					     OPTION_CAUSAL,	   OPTION_EVENTS,
					     OPTION_FUNCTIONS,	   OPTION_ANNOTATE,
					     OPTION_SOURCE,	   OPTION_INTERVAL_SIZE,
					     OPTION_MAX_K,	   OPTION_LOAD_SIMPOINTS,
					     OPTION_LOAD_WEIGHTS,  OPTION_SAVE_SIMPOINTS,
					     OPTION_SAVE_WEIGHTS,  OPTION_CALLS,
					     OPTION_DATA,	   OPTION_INTERVALS,
					     FORMAT_OPTIONS,	   STORE_OPTIONS,
					     OPTION_REUSE,	   OPTION_FOLDED,
					     OPTION_CALLGRIND,	   OPTION_PPROF,
					     OPTION_FIREFOX,	   OPTION_PIPEVIEW,
					     OPTION_WINDOW,	   OPTION_COLD,
					     OPTION_RECORD_CYCLES, OPTION_STDOUT,
					     OPTION_STDERR,	   OPTION_THREADS,
					     GUEST_OPTIONS,	   OPTION_QUIET,
					     OPTION_PROGRESS,	   COMMON_OPTIONS};
static const enum option_id stat_options[] = {OPTION_EVENTS,
					      OPTION_GROUP,
					      OPTION_DERIVE,
					      OPTION_EVERY,
					      OPTION_INTERVAL_PRINT,
					      OPTION_FIELD_SEPARATOR,
					      OPTION_REPEAT,
					      OPTION_JOBS,
					      OPTION_MAP,
					      OPTION_COUNTER_COUNT,
					      OPTION_RANGE_COUNT,
					      OPTION_WIDTH,
					      OPTION_LOG,
					      OPTION_REPLAY,
					      OPTION_TO,
					      OPTION_LISTEN,
					      OPTION_KEY,
					      OPTION_CONFIG,
					      OPTION_SET,
					      OPTION_RTL,
					      FORMAT_OPTIONS,
					      STORE_OPTIONS,
					      OPTION_REUSE,
					      OPTION_STDOUT,
					      OPTION_STDERR,
					      GUEST_OPTIONS,
					      OPTION_QUIET,
					      OPTION_PROGRESS,
					      COMMON_OPTIONS};
static const enum option_id collect_options[] = {
	OPTION_LISTEN,	   OPTION_DATABASE, OPTION_STORE,  OPTION_KEY,	OPTION_RUNS,
	OPTION_LIMIT_SIZE, OPTION_SHOW,	    OPTION_REPORT, OPTION_HTML, OPTION_CSV,
	OPTION_TABLE,	   OPTION_SVG,	    OPTION_QUIET,  OPTION_HELP, OPTION_COUNT};
static const enum option_id configure_options[] = {OPTION_EVENTS, OPTION_GROUP, OPTION_EVERY,
						   OPTION_AT,	  OPTION_KEY,	OPTION_HELP,
						   OPTION_COUNT};
static const enum option_id advise_options[] = {OPTION_CONFIG, OPTION_SET,	OPTION_WHOLE_BELOW,
						OPTION_JOBS,   OPTION_KEEP,	FORMAT_OPTIONS,
						STORE_OPTIONS, OPTION_REUSE,	GUEST_OPTIONS,
						OPTION_QUIET,  OPTION_PROGRESS, COMMON_OPTIONS};
static const enum option_id judge_options[] = {
	OPTION_CONFIG,	    OPTION_SET,	   OPTION_ORDERS,   OPTION_QUICK,  OPTION_WITHIN,
	OPTION_GAIN_BUDGET, OPTION_RTL,	   OPTION_COUNTERS, OPTION_JOBS,   OPTION_KEEP,
	FORMAT_OPTIONS,	    STORE_OPTIONS, OPTION_REUSE,    GUEST_OPTIONS, OPTION_QUIET,
	OPTION_PROGRESS,    COMMON_OPTIONS};
static const enum option_id reproduce_options[] = {OPTION_SIZE,	    OPTION_JOBS,      OPTION_KEEP,
						   FORMAT_OPTIONS,  STORE_OPTIONS,    OPTION_REUSE,
						   OPTION_PICTURES, OPTION_SYNTHESIS, OPTION_QUIET,
						   OPTION_PROGRESS, COMMON_OPTIONS};
static const enum option_id show_options[] = {FORMAT_OPTIONS, OPTION_SQLITE,	OPTION_STORE,
					      OPTION_EVENTS,  OPTION_FUNCTIONS, OPTION_SOURCE,
					      OPTION_HELP,    OPTION_COUNT};
static const enum option_id diff_options[] = {OPTION_FAIL_ABOVE, FORMAT_OPTIONS, OPTION_SQLITE,
					      STORE_OPTIONS,	 OPTION_HELP,	 OPTION_COUNT};
static const enum option_id results_options[] = {
	OPTION_STORE,	   OPTION_OF_PROGRAM, OPTION_OF_MACHINE, OPTION_OF_COMMAND,
	OPTION_TAG,	   OPTION_NOT_TAG,    OPTION_STEPS,	 OPTION_LIMIT,
	OPTION_OLDER_THAN, OPTION_TO_SIZE,    OPTION_DRY_RUN,	 OPTION_TIMEOUT,
	FORMAT_OPTIONS,	   OPTION_OUTPUT,     OPTION_HELP,	 OPTION_COUNT};
static const enum option_id pipeview_options[] = {OPTION_WINDOW, OPTION_REPORT, OPTION_HTML,
						  OPTION_CSV,	 OPTION_TABLE,	OPTION_SVG,
						  OPTION_HELP,	 OPTION_COUNT};
static const enum option_id sweep_options[] = {
	OPTION_CONFIG, OPTION_SET,   OPTION_VARY,   OPTION_GRID,  OPTION_JOBS,	   FORMAT_OPTIONS,
	STORE_OPTIONS, OPTION_REUSE, GUEST_OPTIONS, OPTION_QUIET, OPTION_PROGRESS, COMMON_OPTIONS};
static const enum option_id signals_options[] = {OPTION_CODES,	 OPTION_CONFIG, OPTION_SET,
						 FORMAT_OPTIONS, OPTION_HELP,	OPTION_COUNT};
static const enum option_id explain_options[] = {FORMAT_OPTIONS, OPTION_HELP, OPTION_COUNT};
static const enum option_id workloads_options[] = {OPTION_NAMES,   OPTION_ELF,	OPTION_ARGS,
						   OPTION_MEASURE, OPTION_SIZE, FORMAT_OPTIONS,
						   OPTION_HELP,	   OPTION_COUNT};
static const enum option_id config_options[] = {OPTION_CONFIG,	OPTION_SET,  OPTION_NAMES,
						FORMAT_OPTIONS, OPTION_HELP, OPTION_COUNT};
static const enum option_id model_options[] = {
	OPTION_CONFIG,	     OPTION_SET,	OPTION_GRID,	      OPTION_TECHNIQUE,
	OPTION_PENDING_HITS, OPTION_MSHR_AWARE, OPTION_STORE_FILLS,   OPTION_COMPENSATION,
	OPTION_AGAINST,	     OPTION_EXPLAIN,	OPTION_SAVE_SKELETON, OPTION_SKELETON,
	OPTION_JOBS,	     FORMAT_OPTIONS,	STORE_OPTIONS,	      OPTION_REUSE,
	GUEST_OPTIONS,	     OPTION_QUIET,	OPTION_PROGRESS,      OPTION_HELP,
	OPTION_COUNT};
static const enum option_id trace_options[] = {OPTION_OUTPUT,	OPTION_FROM,   OPTION_COUNT_STEPS,
					       FORMAT_OPTIONS,	GUEST_OPTIONS, OPTION_ISA,
					       OPTION_PROGRESS, OPTION_HELP,   OPTION_COUNT};

static const enum option_id inspect_options[] = {
	OPTION_ON,	OPTION_CONFIG, OPTION_SET,	OPTION_EVENTS,	    OPTION_VERIFY,
	OPTION_COMPOSE, OPTION_JOBS,   OPTION_READINGS, OPTION_EVENT_NAMES, OPTION_SAVE_READINGS,
	FORMAT_OPTIONS, STORE_OPTIONS, OPTION_QUIET,	OPTION_PROGRESS,    COMMON_OPTIONS};

static const enum option_id serve_options[] = {OPTION_LISTEN, OPTION_STORE, OPTION_NAME,
					       OPTION_TOKEN,  OPTION_TLS,   OPTION_BEHIND_PROXY,
					       OPTION_JOBS,   OPTION_ALLOW, OPTION_LIST_FUNCTIONS,
					       OPTION_HELP,   OPTION_COUNT};

const struct command commands[] = {
	{
		.name = "exec",
		.summary = "run a RISC-V program functionally, at full speed",
		.operands = "PROGRAM [ARGUMENT...]",
		.detail =
			"Runs an ordinary 64-bit RISC-V Linux program (RV64GC, static or dynamic) "
			"without simulating time. Its input, output and exit status pass through; "
			"a program killed by signal N gives 128+N. The program is jailed: it has "
			"standard input, output and error, and of the file system only what "
			"--mount and --sysroot give it. The same program with the same input runs "
			"the same instructions wherever and whenever it is run.\n"
			"--bbv writes its basic-block vectors, for SimPoint and the like.\n"
			"@NAME or @NAME:SIZE names a built-in workload instead of a file.",
		.example = "cyclestack exec --mount /data=. ./a.out /data/input.txt",
		.options = exec_options,
		.stores_results = true,
		.stops_at_operand = 1,
		.run = cmd_exec,
	},
	{
		.name = "run",
		.summary = "simulate a program: where did the cycles go?",
		.operands = "PROGRAM [ARGUMENT...]",
		.detail =
			"Runs the program on a simulated core, out of order or in order, cycle by cycle and down "
			"wrong paths, and charges every cycle to a cause, a function and a source "
			"line. Prints the CPI stack of the whole program, the hottest functions "
			"each with its own stack, and what happened in each structure; --annotate "
			"goes down to lines and instructions, --counters all adds what each way of "
			"counting makes of it, stages and top-down, --intervals shows the stack "
			"over time, --html writes it all as one page. --config names the machine, "
			"--set changes single parameters. "
			"With --skip the first instructions run without time before the core takes "
			"over, and warm its caches, TLBs and predictor; with --roi only the first "
			"or the Nth call of a function is simulated, and what follows is not run, "
			"or with :all every call, between which the program runs without time; "
			"--cold warms nothing, which is faster. --max-insns counts simulated instructions. Ctrl-C "
			"prints what is known so far.",
		.example = "cyclestack run --set rob.size=256 @netflow:test",
		.options = run_options,
		.stores_results = true,
		.shows_components = true,
		.stops_at_operand = 1,
		.run = cmd_run,
	},
	{
		.name = "stat",
		.summary = "count any signal in any code, interval by interval",
		.operands = "PROGRAM [ARGUMENT...]",
		.detail =
			"Runs the program on a simulated core with a bank of counters beside it, "
			"after Hough et al. (2006). Each -e SIGNAL@WHERE is a counter: a signal of "
			"`cyclestack signals`, or a pattern, in a part of the code: a FUNCTION, a "
			"pattern over functions, FILE:LINE, 0xLOW-0xHIGH (inclusive), or "
			"everywhere without @WHERE; %THREAD behind it counts one thread, by the "
			"number its gettid has (@%1001: all of its code). A count belongs to the instruction that "
			"causes it. Every --every cycles the counters are read and start anew; a "
			"counter that reaches all ones stops there, and its total is marked as a "
			"lower bound. Counting changes nothing in the run.\n"
			"Groups of signals and derived values are text files: a signal or NAME = "
			"FORMULA a line.",
		.example = "cyclestack stat -e committed@main -e 'l1d.*@inner' -g branch "
			   "@netflow:test",
		.options = stat_options,
		.stores_results = true,
		.stops_at_operand = true,
		.run = cmd_stat,
	},
	{
		.name = "collect",
		.summary = "receive what stat --to sends, into a database",
		.operands = "",
		.detail =
			"Stores every packet as it arrives in a SQLite file, and goes on with it "
			"when it is started again. A packet that is lost, comes twice or late "
			"costs no total; what is missing is said. --show prints the runs, their "
			"intervals and totals; a run whose last packet did not arrive is incomplete "
			"after the last cycle that is known. Without --key every program of this "
			"machine can send, and say what it likes. The packets are described in "
			"docs/packets.md.",
		.example = "cyclestack collect --listen 5000 --database runs.db",
		.options = collect_options,
		.run = cmd_collect,
	},
	{
		.name = "configure",
		.summary = "change what a running stat --listen counts",
		.operands = "HOST:PORT",
		.detail =
			"Sends a configuration packet: what is to be counted from now on, and how "
			"often. It takes effect at the cycle that --at names, or at the end of an "
			"interval. Prints whether it was accepted. A run that was started without "
			"--events waits for the first one.",
		.example = "cyclestack configure 127.0.0.1:5001 -e committed@main --every 10k",
		.options = configure_options,
		.run = cmd_configure,
	},
	{
		.name = "advise",
		.summary = "say what would help a program, simulated before it is said",
		.operands = "PROGRAM [ARGUMENT...]",
		.detail =
			"Simulates the program once and finds what it loses and where; then simulates it "
			"on machines on which just that is gone: the source lines and functions that lose "
			"most, each without its mispredictions, misses, page walks or long operations; each part of the "
			"machine made ideal, which is a bound; and real steps against what was lost, such "
			"as a cache twice as large or one unit more, with the bits of storage that each "
			"needs. Prints both, what gains most first, with the change that `run --set` "
			"reproduces each number with. A program in which nothing is to be gained is told so.\n"
			"A program of at least --whole-below instructions is simulated in windows where "
			"the machine can change while it runs, and gains have an interval that holds in 19 of 20 "
			"cases. The program prints and reads nothing here. --set describes "
			"the machine that is advised about.",
		.example = "cyclestack advise @objdb:test",
		.options = advise_options,
		.stores_results = true,
		.stops_at_operand = 1,
		.run = cmd_advise,
	},
	{
		.name = "judge",
		.summary = "judge every way of counting against simulated truth",
		.operands = "PROGRAM...",
		.detail =
			"Runs each program on the machine, observed by all counter architectures, "
			"and again on machines in which caches, TLBs, the predictor and what "
			"else a core waits for are made perfect one after the other, in two "
			"orders; what each adds is what its component should be. Prints every "
			"stack beside that truth, the largest error of each method, what a miss "
			"costs by each, and the storage it takes. About twenty simulations a "
			"program, on all cores of the machine. "
			"With --orders all the range and the mean of each component over all "
			"orders in which structures can become real, and how much each pair of "
			"them interacts. "
			"With --quick each program is run once, and what becomes of it on the other "
			"machines is measured in windows of that run: the truth, and with it every "
			"error, is known within an interval, and where that does not tell two methods "
			"apart, or an error from the limit of 4 %, it is said to be open. `exact` is "
			"what these windows say, and is not judged. "
			"Programs print nothing here and read nothing.\n"
			"A program in quotes can have arguments: \"./a.out 10\".\n"
			"With --rtl nothing is judged: the counter architectures of --counters, by "
			"default all that have a circuit, are written as Verilog for the machine, "
			"and one program's cycles as their stimulus; in place of the program a file of "
			"run --record-cycles may be given.",
		.example = "cyclestack judge --html judge.html @chess:test @netflow:test",
		.options = judge_options,
		.stores_results = true,
		.shows_components = true,
		.run = cmd_judge,
	},
	{
		.name = "sweep",
		.summary = "run programs on many machines and compare them",
		.operands = "PROGRAM...",
		.detail = "Runs each program on the machine that --config and --set give, on each "
			  "variation of it (--vary), and with --grid on each of these with every "
			  "combination of the values given; on all cores of the host. Prints each "
			  "parameter that varies, cycles, IPC, CPI, misses for a thousand "
			  "instructions (MPKI) and where the cycles went; `change` is that of the "
			  "cycles beside the base, the machine without variations, which is always "
			  "among them. Equal machines are simulated once. Programs print nothing "
			  "here and read nothing.\n"
			  "A program in quotes can have arguments: \"./a.out 10\".",
		.example =
			"cyclestack sweep --config leon2 --grid l1i.size_bytes=1k,2k,4k @hanoi:test",
		.options = sweep_options,
		.stores_results = true,
		.run = cmd_sweep,
	},
	{
		.name = "reproduce",
		.summary = "reproduce every table and figure of a paper",
		.operands = "eyerman2006|chen2008|hough2006|danalis2017",
		.detail =
			"Runs the workloads that stand for the twelve programs of Eyerman, "
			"Eeckhout, Karkhanis and Smith (ASPLOS 2006) on that paper's machine, "
			"judges every way of counting as `judge` does, looks for clean misses in "
			"real runs and plots what happens around them, and prints every table and "
			"figure with our numbers, beside each only what the paper's text or "
			"tables state; then its claims, and whether they hold here. A claim that "
			"does not hold is a result, not a failure: the exit status is 0. Ctrl-C "
			"reports the programs that are finished.\n"
			"chen2008 does the same for Chen and Aamodt's analytical model of long "
			"data misses, over ten memory-bound workloads.\n"
			"hough2006 is the statistics module of Hough et al. (2006): its size in bits, "
			"memory writes by cache policy, and variations of the instruction cache of "
			"leon2, each twice.\n"
			"danalis2017 is event inspection (Danalis et al. 2017): what `inspect` finds on "
			"midcore beside the paper's figures and table; a size plays no part.\n"
			"--size test takes half a minute on two cores, small several minutes, ref "
			"hours.",
		.example = "cyclestack reproduce eyerman2006 --size test --html paper.html",
		.options = reproduce_options,
		.stores_results = true,
		.run = cmd_reproduce,
	},
	{
		.name = "show",
		.summary = "show a kept result again, in any format",
		.operands = "RESULT.json|FILE#ID|@ID",
		.detail =
			"Reads a result that any command wrote with --json, this version or an earlier "
			"one, and shows it as that command did: as text, with --html as a page, with "
			"--csv as a table (--table chooses which), with --svg as a picture, with "
			"--sqlite as a store of its own. Nothing is simulated again. - reads standard input. FILE#ID is a result of the store FILE (see "
			"results), @ID one of the store of --store.",
		.example = "cyclestack show --html chess.html chess.json",
		.options = show_options,
		.run = cmd_show,
	},
	{
		.name = "results",
		.summary = "list, query, export, tag and remove stored results",
		.operands =
			"list|query SQL|export DIR|add FILE...|tag NAME ID...|untag NAME ID...|prune",
		.detail =
			"Works on a store, the SQLite file of --store or of the environment variable "
			"CYCLESTACK_STORE, into which other commands put what they have measured, and "
			"collect what it has received. list shows what is there, and has filters; query "
			"prints what one SELECT says over the tables and views of docs/store.md, as text, "
			"with --csv or with --json; export writes each result as a file into a directory, "
			"as --json wrote it; add puts files into the store that --json wrote. tag and "
			"untag mark results, which then are found by --tag. prune removes the results that "
			"its filters name, and says what it removes; --dry-run only says it.\n"
			"A stored result is named FILE#ID wherever a result is expected, or @ID in the "
			"store of --store.",
		.example =
			"cyclestack results query --store results.db \"SELECT machine, mpki FROM mpki "
			"WHERE structure = 'l1d' AND program = 'chess'\"",
		.options = results_options,
		.run = cmd_results,
	},
	{
		.name = "diff",
		.summary = "compare two results, value by value",
		.operands = "A.json B.json",
		.detail =
			"Reads two results written by run --json (or two by exec --json) and "
			"prints cycles, instructions and CPI, what changed by component, function, "
			"source line and, if both were run with --calls, path of calls, then every other value that differs: A, B, the "
			"difference and how many percent of A that is. Says so if "
			"program or configuration are not the same. Partial results are compared "
			"only if both stopped after the same instruction.\n"
			"With --fail-above the exit status is 1 if B needs more cycles than A by "
			"more than so many percent.",
		.example = "cyclestack diff --fail-above 1% before.json after.json",
		.options = diff_options,
		.stores_results = true,
		.stores_if_told = true,
		.run = cmd_diff,
	},
	{
		.name = "pipeview",
		.summary = "show a pipeline written by run --pipeview",
		.operands = "FILE",
		.detail =
			"Prints a row for each instruction and a column for each cycle: F fetched, "
			"D in the front end, W waits in the window, X executes, C complete, R "
			"retired. What was squashed is dim and in small letters. Below, the cycles "
			"in which nothing was retired and why. --window shows only these cycles; "
			"--html writes the same as one page. Files of other simulators in the "
			"format Kanata 0004 of the Konata viewer are read too.",
		.example = "cyclestack pipeview --window 1200:1300 pipeline.txt",
		.options = pipeview_options,
		.run = cmd_pipeview,
	},
	{
		.name = "signals",
		.summary = "list what can be observed in a cycle of the core",
		.operands = "[NAME...]",
		.detail = "Lists the signals: what each counts, in which unit, whether hardware "
			  "could count it (hw) or only a simulator can know it (oracle), and to "
			  "which instruction a count belongs: the one to be fetched next (fetch), "
			  "the oldest in the core (oldest), or the event's own. Names may be "
			  "patterns. With --codes and --config or --set: the events that this "
			  "machine has, by their codes.",
		.example = "cyclestack signals 'l1d.*' head.l2d",
		.options = signals_options,
		.run = cmd_signals,
	},
	{
		.name = "explain",
		.summary = "say what a name means, and what usually helps",
		.operands = "[WORD...]",
		.detail =
			"Says what every thing is that has one of these names, which may be patterns: "
			"components and causes of a CPI stack, with what usually makes them smaller in "
			"the program and in the machine; ways of counting, top-down categories, signals, "
			"counted values, units; parameters, with what they take and their value in "
			"midcore; options, commands, presets, workloads; results and their members. One "
			"name may be several things. Without a word: the kinds of names there are, and all "
			"components and causes. Options are asked for as they are written, or without "
			"their dashes; those that explain itself has only without.",
		.example = "cyclestack explain l2d rob.size --within 'l1d.prefetch*'",
		.options = explain_options,
		.takes_options_as_words = true,
		.run = cmd_explain,
	},
	{
		.name = "workloads",
		.summary = "list the built-in workloads, or measure what they are like",
		.operands = "[NAME...]",
		.detail =
			"Lists the programs that can be named as @NAME or @NAME:SIZE wherever a "
			"program is expected, or describes those named. SIZE is test, small (the default) or ref: about "
			"1, 30 and 500 million instructions. With --elf and --args another "
			"simulator can be given the very same program.",
		.example = "qemu-riscv64 $(cyclestack workloads --elf chess) "
			   "$(cyclestack workloads --args chess:test)",
		.options = workloads_options,
		.run = cmd_workloads,
	},
	{
		.name = "config",
		.summary = "list, print, check and compare machines",
		.operands = "list|keys|dump|check FILE...|diff A B",
		.detail =
			"list names the presets; keys lists every parameter with its range, default "
			"and meaning; dump prints the complete machine that --config and --set "
			"describe, as a file that reads back to the same machine, or in a format that "
			"is asked for; check reads files "
			"and says what is wrong with the first wrong line of each; diff prints the "
			"parameters in which two machines, presets or files, differ.\n"
			"A file may start from a preset, or from another file beside it, with "
			"based_on = \"NAME\"; and then holds "
			"only what is different.",
		.example = "cyclestack config dump --config eyerman2006 --set rob.size=256 >my.cfg",
		.options = config_options,
		.run = cmd_config,
	},
	{
		.name = "trace",
		.summary = "record a program's instructions; read, check and convert such traces",
		.operands = "record PROGRAM [ARGUMENT...]|info FILE|head FILE|verify FILE|"
			    "export FILE|import FILE",
		.detail =
			"record runs a program functionally and writes the instructions it "
			"executes, with the addresses they access and the way branches go, to "
			"--output: a compact file of which any part can be read by itself. It "
			"serves `model` for any number of machines. info says what a trace holds "
			"and how many bits an instruction takes; head prints --count "
			"instructions from --from on; verify reads all of it and compares every "
			"check value. Of a damaged file everything before the damage is usable, "
			"and the error says where that is.\n"
			"export writes the format of the ChampSim simulator (64-byte records, not "
			"compressed), import reads it. That format has no instruction bytes, "
			"access sizes, lengths or classes: imported instructions are loads, "
			"stores, branches or simple arithmetic, accesses have 8 bytes, and an "
			"instruction with several accesses becomes several.\n"
			"info, head and verify also read what run --record-cycles wrote.",
		.example = "cyclestack trace record --output chess.trace @chess:test",
		.options = trace_options,
		.stops_at_operand = 2,
		.run = cmd_trace,
	},
	{
		.name = "model",
		.summary = "predict CPI from a trace, without simulating time",
		.operands = "TRACE|PROGRAM [ARGUMENT...]",
		.detail =
			"Predicts the CPI of design points from the instructions a program "
			"executes: base + branch + icache + dmiss. The last is the cost of long "
			"data misses by the techniques of Chen and Aamodt (2008): --technique "
			"plain, swam or swam-mlp, each with or without pending hits, limits on "
			"MSHRs and compensation; --technique timeline goes beyond them. --grid makes design points: every value of every "
			"grid with every other. One reading of the trace serves all points of one "
			"cache geometry. --against simulates every point too, five simulations "
			"each: the whole machine, and its components by themselves. --explain says "
			"which loads and windows the data misses of the first point come from.\n"
			"The program prints nothing here and reads nothing.",
		.example = "cyclestack model --config chen2008 --grid rob.size=64,128,256 "
			   "--grid l2.mshrs=4,8,unlimited @netflow:test",
		.options = model_options,
		.stores_results = true,
		.stops_at_operand = 1,
		.run = cmd_model,
	},
	{
		.name = "inspect",
		.summary = "find out what hardware events really count",
		.operands = "",
		.detail =
			"Counts events around small programs whose branches, loads, misses are known "
			"beforehand, and says of each event what it counts: branches retired or "
			"executed, taken, mispredicted; hits and misses of each cache and TLB; kinds of "
			"instructions; nothing; or none of these. Categories that a machine makes no "
			"difference between are given together. Finds the sizes of caches, lines, "
			"pages and TLBs on the way. The verdicts are made from the readings alone: "
			"what the events are called plays no part, except with --verify.\n"
			"--on sim (the default) inspects the counters that a program inside the "
			"simulated machine sees through perf_event_open; --on host those of this "
			"machine. Takes a few minutes; --events, names or patterns, makes it no "
			"shorter in the simulator, where all are counted at once.\n"
			"--compose METRIC, such as --compose l1d.read_misses, asks the other "
			"question: which sum of events measures it? The answer is also given as perf and PAPI read it. Where no sum "
			"does, it says on which kernels the nearest one fails.",
		.example = "cyclestack inspect --config boom --html events.html",
		.options = inspect_options,
		.stores_results = true,
		.run = cmd_inspect,
	},
	{
		.name = "serve",
		.summary = "a page in the browser: choose a program, run it, watch it, compare",
		.operands = "",
		.detail =
			"Serves a page on which a program is uploaded or a workload chosen, with a "
			"machine and what is to be counted, and run: with its progress, its counters "
			"and its empty dispatch slots while it runs, and its result afterwards, which "
			"stays at its address. Everything that the page does is an API, /api/v1, that "
			"/api/v1/openapi.json describes.\n"
			"It listens at --listen, by default 127.0.0.1:8650; runs and uploads are kept "
			"in the directory FILE.serve beside --store FILE. Every program runs in a "
			"jailed worker of its own, as with the other commands. Beyond this machine "
			"--token is required, and --tls or --behind-proxy.",
		.example = "cyclestack serve --listen 8650 --allow memory=4G",
		.options = serve_options,
		.run = cmd_serve,
	},
	{0},
};

const struct command *command_named(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}
