/* A small run as text, every line worked out: columns, shares, bars, what is cut and what is named.
 */
#include "../printed.h"

#include "report/text/run_text.h"

/* 4 slots a cycle: 4000 slots in 1000 cycles. The components are 500, 50, 130, 210, 50 and 60
 * cycles of base, l1i, branch, l2d (with mshr), dtlb and resource. */
static const char run[] =
	"{'schema': 'cyclestack-run-2',"
	" 'program': {'name': 'sort', 'arguments': [], 'sha256': '00'},"
	" 'configuration': {'name': 'm', 'changes': [], 'sha256': '11'},"
	" 'skipped_instructions': 0, 'partial': false, 'status': 0,"
	" 'values': {'cycles': 1000, 'instructions': 800},"
	" 'stacks': {"
	"'fmt': {'components': {'base': -20, 'l1i': 60, 'l2i': 0, 'itlb': 0, 'branch': 700,"
	" 'l1d': 0, 'l2d': 200, 'dtlb': 60}, 'bits': 12345},"
	"'a-method-with-a-long-name-of-its-own': {'components': {'base': 1000, 'l1i': 0, 'l2i': 0,"
	" 'itlb': 0, 'branch': 0, 'l1d': 0, 'l2d': 0, 'dtlb': 0, 'resource': 0}, 'bits': 0},"
	"'exact': {'components': {'base': 500, 'l1i': 50, 'l2i': 0, 'itlb': 0, 'branch': 130,"
	" 'l1d': 0, 'l2d': 210, 'dtlb': 50, 'resource': 60}, 'bits': null}},"
	" 'stages': {'dispatch': {'base': 400, 'l1i': 50, 'l2i': 0, 'itlb': 0, 'branch': 130,"
	" 'l1d': 0, 'l2d': 310, 'dtlb': 50, 'resource': 60},"
	" 'commit': {'base': 300, 'l1i': 150, 'l2i': 0, 'itlb': 0, 'branch': 130,"
	" 'l1d': 0, 'l2d': 310, 'dtlb': 50, 'resource': 60}},"
	" 'topdown': {'slots_per_cycle': 4,"
	" 'level1': {'retiring': 2000, 'bad_speculation': 600, 'frontend_bound': 400,"
	" 'backend_bound': 1000},"
	" 'level2': {'retiring': 2000, 'branch_mispredicts': 520, 'machine_clears': 80,"
	" 'fetch_latency': 300, 'fetch_bandwidth': 100, 'memory_bound': 700, 'core_bound': 300}},"
	" 'exact': {'slots_per_cycle': 4,"
	" 'causes': {'base': 1600, 'dependence': 400, 'latency': 240, 'mshr': 160, 'l1i': 200,"
	" 'branch': 500, 'btb': 20, 'l2d': 680, 'dtlb': 200},"
	" 'functions': ["
	"{'name': 'sort_records', 'file': 'a.c', 'line': 1, 'executed': 400,"
	" 'slots': {'base': 800, 'branch': 500, 'l2d': 680, 'btb': 20}, 'lines': []},"
	"{'name': 'a_function_whose_name_is_longer_than_a_third', 'file': 'a.c', 'line': 9,"
	" 'executed': 300, 'slots': {'base': 800, 'dependence': 400}, 'lines': []},"
	"{'name': 'third', 'file': 'b.c', 'line': 1, 'executed': 0,"
	" 'slots': {'latency': 240, 'mshr': 160}, 'lines': []}],"
	" 'threads': [{'id': 7, 'slots': {'base': 1600, 'l1i': 200}},"
	" {'id': 8, 'slots': {'dependence': 400, 'dtlb': 200}}],"
	" 'intervals': ["
	"{'instructions': 400, 'cycles': 400, 'slots': {'base': 1200, 'branch': 400}},"
	"{'instructions': 360, 'cycles': 450, 'slots': {'base': 400, 'l2d': 680, 'dependence': 400,"
	" 'latency': 160, 'mshr': 160}},"
	"{'instructions': 40, 'cycles': 150, 'slots': {'branch': 100, 'dtlb': 200, 'l1i': 200,"
	" 'btb': 20, 'latency': 80}}]}}";

static void is_run(const struct terminal *terminal, unsigned functions, const char *wanted)
{
	json_t *result = json_of(run);
	struct printed p;

	PRINTS_AND_GIVES_BACK(p, run_text_print(p.out, result, terminal, functions));
	run_text_print(printed_open(&p), result, terminal, functions);
	printed_is(&p, wanted);
	json_decref(result);
}

static void on_a_hundred_columns(void **state)
{
	const struct terminal terminal = {.width = 100, .height = 24};

	(void)state;
	is_run(&terminal, 2,
	       "50.0 % of the cycles are lost; the largest part, 21.0 %, to l2d: second-level data misses.\n"
	       "\n"
	       "Where the cycles went: 1000 cycles, 800 instructions, CPI 1.250\n"
	       "  component        cycles     CPI  share\n"
	       "= base                500   0.625  50.0% ===========================================================\n"
	       "   base               400   0.500  40.0%\n"
	       "   dependence         100   0.125  10.0%\n"
	       "i l1i                  50   0.062   5.0% iiiiii\n"
	       "I l2i                   0   0.000   0.0%\n"
	       "t itlb                  0   0.000   0.0%\n"
	       "B branch              130   0.163  13.0% BBBBBBBBBBBBBBB\n"
	       "   btb                  5   0.006   0.5%\n"
	       "   branch             125   0.156  12.5%\n"
	       "d l1d                   0   0.000   0.0%\n"
	       "D l2d                 210   0.263  21.0% DDDDDDDDDDDDDDDDDDDDDDDDD\n"
	       "   mshr                40   0.050   4.0%\n"
	       "   l2d                170   0.212  17.0%\n"
	       "T dtlb                 50   0.062   5.0% TTTTTT\n"
	       "R resource             60   0.075   6.0% RRRRRRR\n"
	       "   latency             60   0.075   6.0%\n"
	       "base: useful work, operands, and slots fetch cannot fill; dependence: window full behind operations\n"
	       "  of one cycle and loads that hit; l1i: first-level instruction cache misses; branch: mispredicted\n"
	       "  branches; l2d: second-level data misses; mshr: window full behind a load, or behind stores without\n"
	       "  room, that find no MSHR; dtlb: data TLB misses; resource: long operations, units taken, full store\n"
	       "  buffers, loads held back or replayed; latency: window full behind an operation of more than one\n"
	       "  cycle\n"
	       "\n"
	       "What each way of counting says, in percent of the cycles\n"
	       "                                   base   l1i   l2i  itlb branch   l1d   l2d  dtlb resource   bits\n"
	       "exact                              50.0   5.0   0.0   0.0   13.0   0.0  21.0   5.0      6.0      -\n"
	       "fmt                                -2.0   6.0   0.0   0.0   70.0   0.0  20.0   6.0        -  12.3k\n"
	       "a-method-with-a...name-of-its-own 100.0   0.0   0.0   0.0    0.0   0.0   0.0   0.0      0.0      0\n"
	       "\n"
	       "The same, seen at each stage of the pipeline\n"
	       "            base   l1i   l2i  itlb branch   l1d   l2d  dtlb resource\n"
	       "dispatch    40.0   5.0   0.0   0.0   13.0   0.0  31.0   5.0      6.0\n"
	       "commit      30.0  15.0   0.0   0.0   13.0   0.0  31.0   5.0      6.0\n"
	       "\n"
	       "Top-down: what became of the slots for instructions\n"
	       "  retiring              50.0% ###################################\n"
	       "  bad_speculation       15.0% ###########\n"
	       "    branch_mispredicts  13.0%\n"
	       "    machine_clears       2.0%\n"
	       "  frontend_bound        10.0% #######\n"
	       "    fetch_latency        7.5%\n"
	       "    fetch_bandwidth      2.5%\n"
	       "  backend_bound         25.0% ##################\n"
	       "    memory_bound        17.5%\n"
	       "    core_bound           7.5%\n"
	       "\n"
	       "The hottest 2 of 4 functions, each bar its own stack\n"
	       "=:base i:l1i I:l2i t:itlb B:branch d:l1d D:l2d T:dtlb R:resource\n"
	       "function                             share     CPI\n"
	       "sort_records                         50.0%   1.250 ===================BBBBBBBBBBBBBDDDDDDDDDDDDDDDDD\n"
	       "a_function_whose...ger_than_a_third  30.0%   1.000 =================================================\n"
	       "2 more functions have 20.0% of the cycles\n"
	       "\n"
	       "By thread\n"
	       "thread 7      45.0% =======================================================================iiiiiiiii\n"
	       "thread 8      15.0% =====================================================TTTTTTTTTTTTTTTTTTTTTTTTTTT\n"
	       "\n"
	       "Over time: 3 intervals, 1 a line; a full bar is CPI 1.250, the last line is a shorter time\n"
	       " up to     CPI\n"
	       "   400   1.000 ===================================================BBBBBBBBBBBBBBBBB\n"
	       "   760   1.250 ======================================DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDRRRRRRR\n"
	       "   800   3.750 iiiiiiiiiiiiiiiiiiiiiiiiiiiiBBBBBBBBBBBBBBBBBTTTTTTTTTTTTTTTTTTTTTTTTTTTTRRRRRRRRRRRR\n");
}

static void below_72_columns_names_are_shorter(void **state)
{
	struct terminal terminal = {.width = 72, .height = 24};

	(void)state;
	is_run(&terminal, 1,
	       "50.0 % of the cycles are lost; the largest part, 21.0 %, to l2d:\n"
	       "second-level data misses.\n"
	       "\n"
	       "Where the cycles went: 1000 cycles, 800 instructions, CPI 1.250\n"
	       "  component        cycles     CPI  share\n"
	       "= base                500   0.625  50.0% ===============================\n"
	       "   base               400   0.500  40.0%\n"
	       "   dependence         100   0.125  10.0%\n"
	       "i l1i                  50   0.062   5.0% iii\n"
	       "I l2i                   0   0.000   0.0%\n"
	       "t itlb                  0   0.000   0.0%\n"
	       "B branch              130   0.163  13.0% BBBBBBBB\n"
	       "   btb                  5   0.006   0.5%\n"
	       "   branch             125   0.156  12.5%\n"
	       "d l1d                   0   0.000   0.0%\n"
	       "D l2d                 210   0.263  21.0% DDDDDDDDDDDDD\n"
	       "   mshr                40   0.050   4.0%\n"
	       "   l2d                170   0.212  17.0%\n"
	       "T dtlb                 50   0.062   5.0% TTT\n"
	       "R resource             60   0.075   6.0% RRRR\n"
	       "   latency             60   0.075   6.0%\n"
	       "base: useful work, operands, and slots fetch cannot fill; dependence:\n"
	       "  window full behind operations of one cycle and loads that hit; l1i:\n"
	       "  first-level instruction cache misses; branch: mispredicted branches;\n"
	       "  l2d: second-level data misses; mshr: window full behind a load, or\n"
	       "  behind stores without room, that find no MSHR; dtlb: data TLB misses;\n"
	       "  resource: long operations, units taken, full store buffers, loads held\n"
	       "  back or replayed; latency: window full behind an operation of more\n"
	       "  than one cycle\n"
	       "\n"
	       "What each way of counting says, in percent of the cycles\n"
	       "                          base   l1i   l2i  itlb branch   l1d   l2d\n"
	       "exact                     50.0   5.0   0.0   0.0   13.0   0.0  21.0\n"
	       "fmt                       -2.0   6.0   0.0   0.0   70.0   0.0  20.0\n"
	       "a-method-wi...of-its-own 100.0   0.0   0.0   0.0    0.0   0.0   0.0\n"
	       "\n"
	       "                          dtlb resource   bits\n"
	       "exact                      5.0      6.0      -\n"
	       "fmt                        6.0        -  12.3k\n"
	       "a-method-wi...of-its-own   0.0      0.0      0\n"
	       "\n"
	       "The same, seen at each stage of the pipeline\n"
	       "            base   l1i   l2i  itlb branch   l1d   l2d  dtlb resource\n"
	       "dispatch    40.0   5.0   0.0   0.0   13.0   0.0  31.0   5.0      6.0\n"
	       "commit      30.0  15.0   0.0   0.0   13.0   0.0  31.0   5.0      6.0\n"
	       "\n"
	       "Top-down: what became of the slots for instructions\n"
	       "  retiring              50.0% #####################\n"
	       "  bad_speculation       15.0% ######\n"
	       "    branch_mispredicts  13.0%\n"
	       "    machine_clears       2.0%\n"
	       "  frontend_bound        10.0% ####\n"
	       "    fetch_latency        7.5%\n"
	       "    fetch_bandwidth      2.5%\n"
	       "  backend_bound         25.0% ###########\n"
	       "    memory_bound        17.5%\n"
	       "    core_bound           7.5%\n"
	       "\n"
	       "The hottest 1 of 4 functions, each bar its own stack\n"
	       "=:base i:l1i I:l2i t:itlb B:branch d:l1d D:l2d T:dtlb R:resource\n"
	       "function      share     CPI\n"
	       "sort_records  50.0%   1.250 ==================BBBBBBBBBBBDDDDDDDDDDDDDDD\n"
	       "3 more functions have 50.0% of the cycles\n"
	       "\n"
	       "By thread\n"
	       "thread 7      45.0% ==============================================iiiiii\n"
	       "thread 8      15.0% ===================================TTTTTTTTTTTTTTTTT\n"
	       "\n"
	       "Over time: 3 intervals, 1 a line; a full bar is CPI 1.250, the last line\n"
	       "  is a shorter time\n"
	       " up to     CPI\n"
	       "   400   1.000 ===================================BBBBBBBBBBB\n"
	       "   760   1.250 =========================DDDDDDDDDDDDDDDDDDDDDDDDDDDRRRRR\n"
	       "   800   3.750 iiiiiiiiiiiiiiiiiiiBBBBBBBBBBBTTTTTTTTTTTTTTTTTTTRRRRRRRR\n");
	terminal.width = 71;
	is_run(&terminal, 4,
	       "50.0 % of the cycles are lost; the largest part, 21.0 %, to l2d:\n"
	       "second-level data misses.\n"
	       "\n"
	       "Where the cycles went: 1000 cycles, 800 instructions, CPI 1.250\n"
	       "  component   cycles     CPI  share\n"
	       "= base           500   0.625  50.0% ===================================\n"
	       "   base          400   0.500  40.0%\n"
	       "   dependence    100   0.125  10.0%\n"
	       "i l1i             50   0.062   5.0% iiii\n"
	       "I l2i              0   0.000   0.0%\n"
	       "t itlb             0   0.000   0.0%\n"
	       "B branch         130   0.163  13.0% BBBBBBBBB\n"
	       "   btb             5   0.006   0.5%\n"
	       "   branch        125   0.156  12.5%\n"
	       "d l1d              0   0.000   0.0%\n"
	       "D l2d            210   0.263  21.0% DDDDDDDDDDDDDDD\n"
	       "   mshr           40   0.050   4.0%\n"
	       "   l2d           170   0.212  17.0%\n"
	       "T dtlb            50   0.062   5.0% TTTT\n"
	       "R resource        60   0.075   6.0% RRRR\n"
	       "   latency        60   0.075   6.0%\n"
	       "base: useful work, operands, and slots fetch cannot fill; dependence:\n"
	       "  window full behind operations of one cycle and loads that hit; l1i:\n"
	       "  first-level instruction cache misses; branch: mispredicted branches;\n"
	       "  l2d: second-level data misses; mshr: window full behind a load, or\n"
	       "  behind stores without room, that find no MSHR; dtlb: data TLB misses;\n"
	       "  resource: long operations, units taken, full store buffers, loads\n"
	       "  held back or replayed; latency: window full behind an operation of\n"
	       "  more than one cycle\n"
	       "\n"
	       "What each way of counting says, in percent of the cycles\n"
	       "                         base   l1i   l2i  itlb branch   l1d   l2d\n"
	       "exact                    50.0   5.0   0.0   0.0   13.0   0.0  21.0\n"
	       "fmt                      -2.0   6.0   0.0   0.0   70.0   0.0  20.0\n"
	       "a-method-w...of-its-own 100.0   0.0   0.0   0.0    0.0   0.0   0.0\n"
	       "\n"
	       "                         dtlb resource   bits\n"
	       "exact                     5.0      6.0      -\n"
	       "fmt                       6.0        -  12.3k\n"
	       "a-method-w...of-its-own   0.0      0.0      0\n"
	       "\n"
	       "The same, seen at each stage of the pipeline\n"
	       "            base   l1i   l2i  itlb branch   l1d   l2d  dtlb resource\n"
	       "dispatch    40.0   5.0   0.0   0.0   13.0   0.0  31.0   5.0      6.0\n"
	       "commit      30.0  15.0   0.0   0.0   13.0   0.0  31.0   5.0      6.0\n"
	       "\n"
	       "Top-down: what became of the slots for instructions\n"
	       "  retiring              50.0% #####################\n"
	       "  bad_speculation       15.0% ######\n"
	       "    branch_mispredicts  13.0%\n"
	       "    machine_clears       2.0%\n"
	       "  frontend_bound        10.0% ####\n"
	       "    fetch_latency        7.5%\n"
	       "    fetch_bandwidth      2.5%\n"
	       "  backend_bound         25.0% ##########\n"
	       "    memory_bound        17.5%\n"
	       "    core_bound           7.5%\n"
	       "\n"
	       "The hottest 4 of 4 functions, each bar its own stack\n"
	       "=:base i:l1i I:l2i t:itlb B:branch d:l1d D:l2d T:dtlb R:resource\n"
	       "function                  share     CPI\n"
	       "sort_records              50.0%   1.250 ============BBBBBBBBDDDDDDDDDDD\n"
	       "a_function_...an_a_third  30.0%   1.000 ===============================\n"
	       "third                     10.0%       - DDDDDDDDDDDDRRRRRRRRRRRRRRRRRRR\n"
	       "(other)                   10.0%   1.000 iiiiiiiiiiiiiiiiTTTTTTTTTTTTTTT\n"
	       "\n"
	       "By thread\n"
	       "thread 7      45.0% =============================================iiiiii\n"
	       "thread 8      15.0% ==================================TTTTTTTTTTTTTTTTT\n"
	       "\n"
	       "Over time: 3 intervals, 1 a line; a full bar is CPI 1.250, the last\n"
	       "  line is a shorter time\n"
	       " up to     CPI\n"
	       "   400   1.000 ==================================BBBBBBBBBBB\n"
	       "   760   1.250 =========================DDDDDDDDDDDDDDDDDDDDDDDDDDRRRRR\n"
	       "   800   3.750 iiiiiiiiiiiiiiiiiiiBBBBBBBBBBBTTTTTTTTTTTTTTTTTTTRRRRRRR\n");
	terminal.width = 40;
	is_run(&terminal, 3,
	       "50.0 % of the cycles are lost; the\n"
	       "largest part, 21.0 %, to l2d:\n"
	       "second-level data misses.\n"
	       "\n"
	       "Where the cycles went: 1000 cycles, 800\n"
	       "  instructions, CPI 1.250\n"
	       "  component   cycles     CPI  share\n"
	       "= base           500   0.625  50.0% ====\n"
	       "   base          400   0.500  40.0%\n"
	       "   dependence    100   0.125  10.0%\n"
	       "i l1i             50   0.062   5.0%\n"
	       "I l2i              0   0.000   0.0%\n"
	       "t itlb             0   0.000   0.0%\n"
	       "B branch         130   0.163  13.0% B\n"
	       "   btb             5   0.006   0.5%\n"
	       "   branch        125   0.156  12.5%\n"
	       "d l1d              0   0.000   0.0%\n"
	       "D l2d            210   0.263  21.0% DD\n"
	       "   mshr           40   0.050   4.0%\n"
	       "   l2d           170   0.212  17.0%\n"
	       "T dtlb            50   0.062   5.0%\n"
	       "R resource        60   0.075   6.0%\n"
	       "   latency        60   0.075   6.0%\n"
	       "base: useful work, operands, and slots\n"
	       "  fetch cannot fill; dependence: window\n"
	       "  full behind operations of one cycle\n"
	       "  and loads that hit; l1i: first-level\n"
	       "  instruction cache misses; branch:\n"
	       "  mispredicted branches; l2d:\n"
	       "  second-level data misses; mshr: window\n"
	       "  full behind a load, or behind stores\n"
	       "  without room, that find no MSHR; dtlb:\n"
	       "  data TLB misses; resource: long\n"
	       "  operations, units taken, full store\n"
	       "  buffers, loads held back or replayed;\n"
	       "  latency: window full behind an\n"
	       "  operation of more than one cycle\n"
	       "\n"
	       "What each way of counting says, in\n"
	       "  percent of the cycles\n"
	       "               base   l1i   l2i  itlb\n"
	       "exact          50.0   5.0   0.0   0.0\n"
	       "fmt            -2.0   6.0   0.0   0.0\n"
	       "a-met...s-own 100.0   0.0   0.0   0.0\n"
	       "\n"
	       "              branch   l1d   l2d  dtlb\n"
	       "exact           13.0   0.0  21.0   5.0\n"
	       "fmt             70.0   0.0  20.0   6.0\n"
	       "a-met...s-own    0.0   0.0   0.0   0.0\n"
	       "\n"
	       "              resource   bits\n"
	       "exact              6.0      -\n"
	       "fmt                  -  12.3k\n"
	       "a-met...s-own      0.0      0\n"
	       "\n"
	       "The same, seen at each stage of the\n"
	       "  pipeline\n"
	       "            base   l1i   l2i  itlb\n"
	       "dispatch    40.0   5.0   0.0   0.0\n"
	       "commit      30.0  15.0   0.0   0.0\n"
	       "\n"
	       "           branch   l1d   l2d  dtlb\n"
	       "dispatch     13.0   0.0  31.0   5.0\n"
	       "commit       13.0   0.0  31.0   5.0\n"
	       "\n"
	       "           resource\n"
	       "dispatch        6.0\n"
	       "commit          6.0\n"
	       "\n"
	       "Top-down: what became of the slots for\n"
	       "  instructions\n"
	       "  retiring              50.0% #####\n"
	       "  bad_speculation       15.0% ##\n"
	       "    branch_mispredicts  13.0%\n"
	       "    machine_clears       2.0%\n"
	       "  frontend_bound        10.0% #\n"
	       "    fetch_latency        7.5%\n"
	       "    fetch_bandwidth      2.5%\n"
	       "  backend_bound         25.0% ###\n"
	       "    memory_bound        17.5%\n"
	       "    core_bound           7.5%\n"
	       "\n"
	       "The hottest 3 of 4 functions, each bar\n"
	       "  its own stack\n"
	       "=:base i:l1i I:l2i t:itlb B:branch d:l1d\n"
	       "  D:l2d T:dtlb R:resource\n"
	       "function        share     CPI\n"
	       "sort_records    50.0%   1.250 ====BBBDDD\n"
	       "a_func...third  30.0%   1.000 ==========\n"
	       "third           10.0%       - DDDDRRRRRR\n"
	       "1 more function has 10.0% of the cycles\n"
	       "\n"
	       "By thread\n"
	       "thread 7      45.0% ==================ii\n"
	       "thread 8      15.0% =============TTTTTTT\n"
	       "\n"
	       "Over time: 3 intervals, 1 a line; a full\n"
	       "  bar is CPI 1.250, the last line is a\n"
	       "  shorter time\n"
	       " up to     CPI\n"
	       "   400   1.000 ===============BBBBB\n"
	       "   760   1.250 ===========DDDDDDDDDDDDRR\n"
	       "   800   3.750 iiiiiiiiBBBBBTTTTTTTTRRRR\n");
}

static void in_colour_with_eighths_of_blocks(void **state)
{
	const struct terminal terminal = {.width = 64, .height = 24, .colour = true, .utf8 = true};

	(void)state;
	is_run(&terminal, 0,
	       "50.0 % of the cycles are lost; the largest part, 21.0 %, to l2d:\n"
	       "second-level data misses.\n"
	       "\n"
	       "\033[1mWhere the cycles went: 1000 cycles, 800 instructions, CPI 1.250\n"
	       "\033[0m  component   cycles     CPI  share\n"
	       "\033[1;38;5;246m=\033[0m base           500   0.625  50.0% \033[38;5;246m████████████████████████████\033[0m\n"
	       "   base          400   0.500  40.0%\n"
	       "   dependence    100   0.125  10.0%\n"
	       "\033[1;38;5;74mi\033[0m l1i             50   0.062   5.0% \033[38;5;74m██▊\033[0m\n"
	       "\033[1;38;5;25mI\033[0m l2i              0   0.000   0.0%\n"
	       "\033[1;38;5;80mt\033[0m itlb             0   0.000   0.0%\n"
	       "\033[1;38;5;178mB\033[0m branch         130   0.163  13.0% \033[38;5;178m███████▎\033[0m\n"
	       "   btb             5   0.006   0.5%\n"
	       "   branch        125   0.156  12.5%\n"
	       "\033[1;38;5;216md\033[0m l1d              0   0.000   0.0%\n"
	       "\033[1;38;5;166mD\033[0m l2d            210   0.263  21.0% \033[38;5;166m███████████▊\033[0m\n"
	       "   mshr           40   0.050   4.0%\n"
	       "   l2d           170   0.212  17.0%\n"
	       "\033[1;38;5;175mT\033[0m dtlb            50   0.062   5.0% \033[38;5;175m██▊\033[0m\n"
	       "\033[1;38;5;36mR\033[0m resource        60   0.075   6.0% \033[38;5;36m███▍\033[0m\n"
	       "   latency        60   0.075   6.0%\n"
	       "base: useful work, operands, and slots fetch cannot fill;\n"
	       "  dependence: window full behind operations of one cycle and\n"
	       "  loads that hit; l1i: first-level instruction cache misses;\n"
	       "  branch: mispredicted branches; l2d: second-level data misses;\n"
	       "  mshr: window full behind a load, or behind stores without\n"
	       "  room, that find no MSHR; dtlb: data TLB misses; resource: long\n"
	       "  operations, units taken, full store buffers, loads held back\n"
	       "  or replayed; latency: window full behind an operation of more\n"
	       "  than one cycle\n"
	       "\n"
	       "\033[1mWhat each way of counting says, in percent of the cycles\n"
	       "\033[0m                       base   l1i   l2i  itlb branch   l1d   l2d\n"
	       "exact                  50.0   5.0   0.0   0.0   13.0   0.0  21.0\n"
	       "fmt                  \033[1;31m  -2.0\033[0m   6.0   0.0   0.0   70.0   0.0  20.0\n"
	       "a-method-...f-its-own 100.0   0.0   0.0   0.0    0.0   0.0   0.0\n"
	       "\n"
	       "                       dtlb resource   bits\n"
	       "exact                   5.0      6.0      -\n"
	       "fmt                     6.0        -  12.3k\n"
	       "a-method-...f-its-own   0.0      0.0      0\n"
	       "\n"
	       "\033[1mThe same, seen at each stage of the pipeline\n"
	       "\033[0m            base   l1i   l2i  itlb branch   l1d   l2d  dtlb\n"
	       "dispatch    40.0   5.0   0.0   0.0   13.0   0.0  31.0   5.0\n"
	       "commit      30.0  15.0   0.0   0.0   13.0   0.0  31.0   5.0\n"
	       "\n"
	       "           resource\n"
	       "dispatch        6.0\n"
	       "commit          6.0\n"
	       "\n"
	       "\033[1mTop-down: what became of the slots for instructions\n"
	       "\033[0m  retiring              50.0% #################\n"
	       "  bad_speculation       15.0% #####\n"
	       "    branch_mispredicts  13.0%\n"
	       "    machine_clears       2.0%\n"
	       "  frontend_bound        10.0% ###\n"
	       "    fetch_latency        7.5%\n"
	       "    fetch_bandwidth      2.5%\n"
	       "  backend_bound         25.0% #########\n"
	       "    memory_bound        17.5%\n"
	       "    core_bound           7.5%\n"
	       "\n"
	       "\033[1mBy thread\n"
	       "\033[0m=:base i:l1i I:l2i t:itlb B:branch d:l1d D:l2d T:dtlb R:resource\n"
	       "thread 7      45.0% \033[48;5;246;38;5;16m=======================================\033[0m\033[48;5;74;38;5;16miiiii\033[0m\n"
	       "thread 8      15.0% \033[48;5;246;38;5;16m=============================\033[0m\033[48;5;175;38;5;16mTTTTTTTTTTTTTTT\033[0m\n"
	       "\n"
	       "\033[1mOver time: 3 intervals, 1 a line; a full bar is CPI 1.250, the\n"
	       "  last line is a shorter time\n"
	       "\033[0m up to     CPI\n"
	       "   400   1.000 \033[48;5;246;38;5;16m=============================\033[0m\033[48;5;178;38;5;16mBBBBBBBBBB\033[0m\n"
	       "   760   1.250 \033[48;5;246;38;5;16m======================\033[0m\033[48;5;166;38;5;231mDDDDDDDDDDDDDDDDDDDDDDD\033[0m\033[48;5;36;38;5;231mRRRR\033[0m\n"
	       "   800   3.750 \033[48;5;74;38;5;16miiiiiiiiiiiiiiii\033[0m\033[48;5;178;38;5;16mBBBBBBBBBB\033[0m\033[48;5;175;38;5;16mTTTTTTTTTTTTTTTT\033[0m\033[48;5;36;38;5;231mRRRRRRR\033[0m\n");
}

static void has_at(const json_t *result, unsigned width, unsigned height, const char *wanted,
		   bool ends)
{
	const struct terminal terminal = {.width = width, .height = height};
	struct printed p;

	run_text_print(printed_open(&p), result, &terminal, 0);
	fclose(p.out);
	const char *found = strstr(p.text, wanted);
	if (!found || (ends && found[strlen(wanted)]))
		fail_msg("\n%s\nis not in\n%s", wanted, p.text);
	free(p.text);
}

static void has(const json_t *result, unsigned width, unsigned height, const char *wanted)
{
	has_at(result, width, height, wanted, false);
}

/* Of 1000 cycles one is 0.1 %. */
static void shares_have_five_columns(void **state)
{
	static const struct {
		int cycles;
		const char *shown;
	} cases[] = {{99995, ">9999"}, {99994, " 9999"}, {10000, " 1000"}, {9999, "999.9"},
		     {1, "  0.1"},     {-1, " -0.1"},	 {-999, "-99.9"},  {-1000, " -100"},
		     {-9994, " -999"}, {-9995, "<-999"}};

	(void)state;
	for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
		json_t *result = json_of(run);
		json_t *fmt = json_object_get(json_object_get(result, "stacks"), "fmt");
		char line[128];

		json_object_set_new(json_object_get(fmt, "components"), "base",
				    json_integer(cases[i].cycles));
		snprintf(line, sizeof(line), "\n%-33s %s   6.0   0.0", "fmt", cases[i].shown);
		has(result, 100, 24, line);
		json_decref(result);
	}
}

/* The file may be from elsewhere: more than everything, and names that are in no group. */
static void unknown_parts_of_top_down_come_last(void **state)
{
	json_t *result = json_of(run);
	json_t *level2 = json_object_get(json_object_get(result, "topdown"), "level2");

	(void)state;
	json_object_set_new(level2, "memory_bound", json_integer(4001));
	json_object_set_new(level2, "core_bound", json_integer(4000));
	json_object_set_new(level2, "odd", json_integer(40));
	has(result, 100, 24,
	    "\n  backend_bound         25.0% ##################\n"
	    "    memory_bound        >100%\n"
	    "    core_bound         100.0%\n"
	    "    odd                  1.0%\n"
	    "\nBy thread\n");
	json_decref(result);
}

static void multiply(json_t *value, json_int_t by)
{
	const char *key;
	json_t *member;
	size_t i;

	if (json_is_integer(value))
		json_integer_set(value, json_integer_value(value) * by);
	json_array_foreach(value, i, member) multiply(member, by);
	json_object_foreach(value, key, member)
	{
		if (strcmp(key, "slots_per_cycle") != 0)
			multiply(member, by);
	}
}

/* 10^12 cycles are 13 digits: with 30 columns besides and a bar of ten they need 53. */
static void cycles_are_shortened_if_there_is_no_room(void **state)
{
	json_t *result = json_of(run);

	(void)state;
	multiply(result, 1000000000);
	has(result, 53, 24,
	    "\n  component          cycles     CPI  share\n"
	    "= base         500000000000   0.625  50.0% ==========\n"
	    "   base        400000000000   0.500  40.0%\n");
	has(result, 52, 24,
	    "\n  component   cycles     CPI  share\n"
	    "= base          500G   0.625  50.0% ================\n"
	    "   base         400G   0.500  40.0%\n");
	json_decref(result);
	/* Seven digits, one more than a short number may have. */
	result = json_of(run);
	multiply(result, 1000);
	has(result, 100, 24,
	    "\n  component         cycles     CPI  share\n"
	    "= base              500000   0.625  50.0% "
	    "==========================================================\n");
	json_decref(result);
}

/* A component of one half of a column has a bar, of less none; one in a hundred is explained. */
static void small_components_have_no_bar(void **state)
{
	json_t *result = json_of(run);
	json_t *exact = json_object_get(result, "exact"),
	       *causes = json_object_get(exact, "causes");
	json_t *components = json_object_get(
		json_object_get(json_object_get(result, "stacks"), "exact"), "components");

	(void)state;
	/* Of 59 columns for 850 cycles, 8 cycles have 0.56 and 7 have 0.49. */
	static const struct {
		const char *name;
		int cycles;
	} stack[] = {{"base", 850}, {"l1i", 8},	 {"branch", 7},
		     {"l2d", 116},  {"dtlb", 9}, {"resource", 10}};
	json_object_clear(causes);
	for (size_t i = 0; i < ARRAY_COUNT(stack); i++) {
		json_object_set_new(components, stack[i].name, json_integer(stack[i].cycles));
		json_object_set_new(causes, i == 5 ? "store" : stack[i].name,
				    json_integer(4 * stack[i].cycles));
	}
	json_object_set_new(causes, "base", json_integer(4 * 840));
	json_object_set_new(causes, "dependence", json_integer(39));
	json_object_set_new(causes, "serialise", json_integer(1));
	json_object_del(exact, "functions");
	json_object_set_new(exact, "functions", json_array());
	json_object_del(exact, "threads");
	json_object_del(exact, "intervals");
	json_object_del(result, "stages");
	json_object_del(result, "topdown");
	json_object_del(json_object_get(result, "stacks"), "fmt");
	json_object_del(json_object_get(result, "stacks"), "a-method-with-a-long-name-of-its-own");
	/* There is nothing else to tell. */
	has_at(result, 100, 24,
	       "\n= base                850   1.062  85.0% "
	       "===========================================================\n"
	       "   base               840   1.050  84.0%\n"
	       "   dependence          10   0.012   1.0%\n"
	       "   serialise            0   0.000   0.0%\n"
	       "i l1i                   8   0.010   0.8% i\n"
	       "I l2i                   0   0.000   0.0%\n"
	       "t itlb                  0   0.000   0.0%\n"
	       "B branch                7   0.009   0.7%\n"
	       "d l1d                   0   0.000   0.0%\n"
	       "D l2d                 116   0.145  11.6% DDDDDDDD\n"
	       "T dtlb                  9   0.011   0.9% T\n"
	       "R resource             10   0.013   1.0% R\n"
	       "   store               10   0.013   1.0%\n"
	       "base: useful work, operands, and slots fetch cannot fill; l2d: second-level data "
	       "misses; resource:\n"
	       "  long operations, units taken, full store buffers, loads held back or replayed; "
	       "store: window full\n"
	       "  behind a store without a store buffer entry, unless a miss of an older store "
	       "holds it\n",
	       true);
	json_decref(result);
}

/* A run of 20 intervals, of 10 instructions each but for the last. */
static json_t *long_run(int last)
{
	json_t *result = json_of(run), *list = json_array();

	for (int i = 0; i < 20; i++)
		json_array_append_new(list, json_pack("{s:i, s:i, s:{s:i}}", "instructions",
						      i == 19 ? last : 10, "cycles", i + 1, "slots",
						      "base", 4 * (i + 1)));
	json_object_set_new(json_object_get(result, "exact"), "intervals", list);
	/* Without threads the legend is above the intervals. */
	json_object_del(json_object_get(result, "exact"), "threads");
	return result;
}

/* Of the height six lines are for other text; eight lines are the least. */
static void intervals_share_lines(void **state)
{
	json_t *result = long_run(10);

	(void)state;
	has(result, 100, 26, "\nOver time: 20 intervals, 1 a line; a full bar is CPI 2.000\n");
	/* 19 and 20 cycles for 20 instructions. */
	has(result, 100, 25, "\nOver time: 20 intervals, 2 a line; a full bar is CPI 1.950\n");
	has(result, 100, 16, "\nOver time: 20 intervals, 2 a line; a full bar is CPI 1.950\n");
	/* Of the last line with 3, cycles 16 to 18 for 30 instructions; 19 and 20 are shorter. */
	has(result, 100, 15,
	    "\nOver time: 20 intervals, 3 a line; a full bar is CPI 1.700, the last line is a "
	    "shorter time\n");
	has(result, 100, 1,
	    "\nOver time: 20 intervals, 3 a line; a full bar is CPI 1.700, the last line is a "
	    "shorter time\n"
	    "=:base i:l1i I:l2i t:itlb B:branch d:l1d D:l2d T:dtlb R:resource\n"
	    " up to     CPI\n"
	    "    30   0.200 ==========\n");
	json_decref(result);
	/* The first line need not be the longest. */
	result = long_run(40);
	has(result, 100, 26, "1 a line; a full bar is CPI 0.500\n");
	json_decref(result);
	/* Nine of ten instructions are as good as ten, eight are not. */
	result = long_run(9);
	has(result, 100, 26, "1 a line; a full bar is CPI 2.222\n");
	json_decref(result);
	result = long_run(8);
	has(result, 100, 26,
	    "1 a line; a full bar is CPI 1.900, the last line is a shorter time\n");
	json_decref(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_have_five_columns),
		cmocka_unit_test(unknown_parts_of_top_down_come_last),
		cmocka_unit_test(cycles_are_shortened_if_there_is_no_room),
		cmocka_unit_test(small_components_have_no_bar),
		cmocka_unit_test(intervals_share_lines),
		cmocka_unit_test(on_a_hundred_columns),
		cmocka_unit_test(below_72_columns_names_are_shorter),
		cmocka_unit_test(in_colour_with_eighths_of_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
