/* An annotated function, every line worked out: columns, causes, gaps of the source, and widths. */
#include "../directory.h"

#include "../printed.h"
#include "report/text/annotate.h"

/* 4 slots a cycle; the run has 8000 slots, the function 4000. Line 5 has 2400 slots, line 20 1200,
 * line 26 360, one of list.h 40; lines of no known number none. */
static const char run[] =
	"{'schema': 'cyclestack-run-2',"
	" 'program': {'name': 'sort', 'arguments': [], 'sha256': '00'},"
	" 'configuration': {'name': 'm', 'changes': [], 'sha256': '11'},"
	" 'skipped_instructions': 0, 'partial': false, 'status': 0,"
	" 'values': {'cycles': 2000, 'instructions': 800},"
	" 'stacks': {'exact': {'components': {'base': 1200, 'l1i': 0, 'l2i': 0, 'itlb': 0,"
	" 'branch': 300, 'l1d': 300, 'l2d': 190, 'dtlb': 10, 'resource': 0}, 'bits': null}},"
	" 'exact': {'slots_per_cycle': 4, 'causes': {'base': 4800, 'branch': 1200, 'l1d': 1200,"
	" 'l2d': 760, 'dtlb': 40}, 'functions': [], 'threads': [], 'intervals': []},"
	" 'annotation': {'function': 'sort', 'instructions': ["
	"{'pc': '0x10000', 'text': 'lw a0, 0(a1)', 'file': 'sort.c', 'line': 5, 'executed': 100,"
	" 'slots': {'base': 400, 'l1d': 1000, 'l2d': 600}},"
	"{'pc': '0x10004', 'text': 'j 0x10000 <sort>', 'file': 'sort.c', 'line': 20,"
	" 'executed': 12345, 'slots': {'branch': 1141, 'l1d': 59}},"
	"{'pc': '10008', 'text': 'addi a0, a0, 1', 'file': 'sort.c', 'line': 5, 'executed': 101,"
	" 'slots': {'base': 380, 'branch': 20}},"
	"{'pc': '0x1000c', 'text': 'ret', 'file': 'list.h', 'line': 0, 'executed': 0,"
	" 'slots': {'dtlb': 39, 'base': 1}},"
	"{'pc': '0x10010', 'text': 'nop', 'file': 'sort.c', 'line': 26, 'executed': 7,"
	" 'slots': {'base': 360}},"
	"{'pc': '0x10014', 'text': 'nop', 'file': 'sort.c', 'line': 33, 'executed': 3, 'slots': {}},"
	"{'pc': '0x10018', 'text': 'nop', 'file': '', 'line': 0, 'executed': 3, 'slots': {}},"
	"{'pc': '0x1001c', 'text': 'nop', 'file': '/lib/x.c', 'line': 12345678, 'executed': 3,"
	" 'slots': {}},"
	"{'pc': '0x10020', 'text': 'nop', 'file': '/y.c', 'line': 2, 'executed': 3, 'slots': {}},"
	"{'pc': '0x10024', 'text': 'nop', 'file': 'list.h', 'line': 3, 'executed': 3, 'slots': {}}"
	"]}}";

/* Lines of 40 characters, of which the third has tabs. */
static void write_source(void)
{
	FILE *out = fopen("sort.c", "w");

	assert_non_null(out);
	for (int i = 1; i <= 34; i++)
		fprintf(out, "%sline %d is a text of forty characters...%s\n", i == 5 ? "\t" : "",
			i, i == 26 ? "\r" : "");
	fclose(out);
}

static void is_annotated(const struct terminal *terminal, const char *wanted)
{
	json_t *result = json_of(run);
	struct printed p;

	write_source();
	PRINTS_AND_GIVES_BACK(p, annotate_print(p.out, result, terminal));
	annotate_print(printed_open(&p), result, terminal);
	printed_is(&p, wanted);
	json_decref(result);
}

static void on_a_hundred_columns(void **state)
{
	const struct terminal terminal = {.width = 100, .height = 24};

	(void)state;
	is_annotated(
		&terminal,
		"\n"
		"sort: 1000 cycles, 50.0% of the run; > marks what has a tenth of them\n"
		"  share cycles  times line                                              causes\n"
		"\n"
		"sort.c\n"
		"> 60.0%    600           5     line 5 is a text of forty characters...  l1d 42%, base 32%, l2d 25%\n"
		"> 50.0%    500    100      10000 lw a0, 0(a1)                           l1d 50%, l2d 30%, base 20%\n"
		"> 10.0%    100    101      10008 addi a0, a0, 1                         base 95%, branch 5%\n"
		"                         6 line 6 is a text of forty characters...\n"
		"                         7 line 7 is a text of forty characters...\n"
		"                         8 line 8 is a text of forty characters...\n"
		"   ...\n"
		"                        17 line 17 is a text of forty characters...\n"
		"                        18 line 18 is a text of forty characters...\n"
		"                        19 line 19 is a text of forty characters...\n"
		"> 30.0%    300          20 line 20 is a text of forty characters...     branch 95%\n"
		"> 30.0%    300  12.3k      10004 j 0x10000 <sort>                       branch 95%\n"
		"                        21 line 21 is a text of forty characters...\n"
		"                        22 line 22 is a text of forty characters...\n"
		"                        23 line 23 is a text of forty characters...\n"
		"                        24 line 24 is a text of forty characters...\n"
		"                        25 line 25 is a text of forty characters...\n"
		"   9.0%     90          26 line 26 is a text of forty characters...     base 100%\n"
		"   9.0%     90      7      10010 nop                                    base 100%\n"
		"                        27 line 27 is a text of forty characters...\n"
		"                        28 line 28 is a text of forty characters...\n"
		"                        29 line 29 is a text of forty characters...\n"
		"                        30 line 30 is a text of forty characters...\n"
		"                        31 line 31 is a text of forty characters...\n"
		"                        32 line 32 is a text of forty characters...\n"
		"                        33 line 33 is a text of forty characters...\n"
		"                    3      10014 nop\n"
		"\n"
		"list.h\n"
		"(not found: to see its lines add --source and the directory it is in)\n"
		"   1.0%     10           ?                                              dtlb 98%\n"
		"   1.0%     10      0      1000c ret                                    dtlb 98%\n"
		"                         3 \n"
		"                    3      10024 nop\n"
		"\n"
		"of unknown source\n"
		"                         ? \n"
		"                    3      10018 nop\n"
		"\n"
		"/lib/x.c\n"
		"(not found: to see its lines add --source /lib)\n"
		"                      12345678 \n"
		"                    3      1001c nop\n"
		"\n"
		"/y.c\n"
		"(not found: to see its lines add --source /)\n"
		"                         2 \n"
		"                    3      10020 nop\n"
		"\n"
		"base: slots used, and slots fetch could not fill: taken branches, ends of lines\n"
		"branch: a misprediction: its wrong path and the refill after it\n"
		"l1d: window full behind a load, or behind stores without room, that missed in the L1D\n"
		"l2d: window full behind a load, or behind stores without room, that missed in the L2\n");
}

/* From 120 columns on causes have 44 columns, from 80 on 28, from 60 on 15, else 10. */
static void causes_have_more_room_on_wider_terminals(void **state)
{
	struct terminal terminal = {.height = 24};

	(void)state;
	terminal.width = 120;
	is_annotated(
		&terminal,
		"\n"
		"sort: 1000 cycles, 50.0% of the run; > marks what has a tenth of them\n"
		"  share cycles  times line                                                  causes\n"
		"\n"
		"sort.c\n"
		"> 60.0%    600           5     line 5 is a text of forty characters...      l1d 42%, base 32%, l2d 25%\n"
		"> 50.0%    500    100      10000 lw a0, 0(a1)                               l1d 50%, l2d 30%, base 20%\n"
		"> 10.0%    100    101      10008 addi a0, a0, 1                             base 95%, branch 5%\n"
		"                         6 line 6 is a text of forty characters...\n"
		"                         7 line 7 is a text of forty characters...\n"
		"                         8 line 8 is a text of forty characters...\n"
		"   ...\n"
		"                        17 line 17 is a text of forty characters...\n"
		"                        18 line 18 is a text of forty characters...\n"
		"                        19 line 19 is a text of forty characters...\n"
		"> 30.0%    300          20 line 20 is a text of forty characters...         branch 95%\n"
		"> 30.0%    300  12.3k      10004 j 0x10000 <sort>                           branch 95%\n"
		"                        21 line 21 is a text of forty characters...\n"
		"                        22 line 22 is a text of forty characters...\n"
		"                        23 line 23 is a text of forty characters...\n"
		"                        24 line 24 is a text of forty characters...\n"
		"                        25 line 25 is a text of forty characters...\n"
		"   9.0%     90          26 line 26 is a text of forty characters...         base 100%\n"
		"   9.0%     90      7      10010 nop                                        base 100%\n"
		"                        27 line 27 is a text of forty characters...\n"
		"                        28 line 28 is a text of forty characters...\n"
		"                        29 line 29 is a text of forty characters...\n"
		"                        30 line 30 is a text of forty characters...\n"
		"                        31 line 31 is a text of forty characters...\n"
		"                        32 line 32 is a text of forty characters...\n"
		"                        33 line 33 is a text of forty characters...\n"
		"                    3      10014 nop\n"
		"\n"
		"list.h\n"
		"(not found: to see its lines add --source and the directory it is in)\n"
		"   1.0%     10           ?                                                  dtlb 98%\n"
		"   1.0%     10      0      1000c ret                                        dtlb 98%\n"
		"                         3 \n"
		"                    3      10024 nop\n"
		"\n"
		"of unknown source\n"
		"                         ? \n"
		"                    3      10018 nop\n"
		"\n"
		"/lib/x.c\n"
		"(not found: to see its lines add --source /lib)\n"
		"                      12345678 \n"
		"                    3      1001c nop\n"
		"\n"
		"/y.c\n"
		"(not found: to see its lines add --source /)\n"
		"                         2 \n"
		"                    3      10020 nop\n"
		"\n"
		"base: slots used, and slots fetch could not fill: taken branches, ends of lines\n"
		"branch: a misprediction: its wrong path and the refill after it\n"
		"l1d: window full behind a load, or behind stores without room, that missed in the L1D\n"
		"l2d: window full behind a load, or behind stores without room, that missed in the L2\n");
	terminal.width = 119;
	is_annotated(
		&terminal,
		"\n"
		"sort: 1000 cycles, 50.0% of the run; > marks what has a tenth of them\n"
		"  share cycles  times line                                                                 causes\n"
		"\n"
		"sort.c\n"
		"> 60.0%    600           5     line 5 is a text of forty characters...                     l1d 42%, base 32%, l2d 25%\n"
		"> 50.0%    500    100      10000 lw a0, 0(a1)                                              l1d 50%, l2d 30%, base 20%\n"
		"> 10.0%    100    101      10008 addi a0, a0, 1                                            base 95%, branch 5%\n"
		"                         6 line 6 is a text of forty characters...\n"
		"                         7 line 7 is a text of forty characters...\n"
		"                         8 line 8 is a text of forty characters...\n"
		"   ...\n"
		"                        17 line 17 is a text of forty characters...\n"
		"                        18 line 18 is a text of forty characters...\n"
		"                        19 line 19 is a text of forty characters...\n"
		"> 30.0%    300          20 line 20 is a text of forty characters...                        branch 95%\n"
		"> 30.0%    300  12.3k      10004 j 0x10000 <sort>                                          branch 95%\n"
		"                        21 line 21 is a text of forty characters...\n"
		"                        22 line 22 is a text of forty characters...\n"
		"                        23 line 23 is a text of forty characters...\n"
		"                        24 line 24 is a text of forty characters...\n"
		"                        25 line 25 is a text of forty characters...\n"
		"   9.0%     90          26 line 26 is a text of forty characters...                        base 100%\n"
		"   9.0%     90      7      10010 nop                                                       base 100%\n"
		"                        27 line 27 is a text of forty characters...\n"
		"                        28 line 28 is a text of forty characters...\n"
		"                        29 line 29 is a text of forty characters...\n"
		"                        30 line 30 is a text of forty characters...\n"
		"                        31 line 31 is a text of forty characters...\n"
		"                        32 line 32 is a text of forty characters...\n"
		"                        33 line 33 is a text of forty characters...\n"
		"                    3      10014 nop\n"
		"\n"
		"list.h\n"
		"(not found: to see its lines add --source and the directory it is in)\n"
		"   1.0%     10           ?                                                                 dtlb 98%\n"
		"   1.0%     10      0      1000c ret                                                       dtlb 98%\n"
		"                         3 \n"
		"                    3      10024 nop\n"
		"\n"
		"of unknown source\n"
		"                         ? \n"
		"                    3      10018 nop\n"
		"\n"
		"/lib/x.c\n"
		"(not found: to see its lines add --source /lib)\n"
		"                      12345678 \n"
		"                    3      1001c nop\n"
		"\n"
		"/y.c\n"
		"(not found: to see its lines add --source /)\n"
		"                         2 \n"
		"                    3      10020 nop\n"
		"\n"
		"base: slots used, and slots fetch could not fill: taken branches, ends of lines\n"
		"branch: a misprediction: its wrong path and the refill after it\n"
		"l1d: window full behind a load, or behind stores without room, that missed in the L1D\n"
		"l2d: window full behind a load, or behind stores without room, that missed in the L2\n");
	terminal.width = 79;
	is_annotated(
		&terminal,
		"\n"
		"sort: 1000 cycles, 50.0% of the run; > marks what has a tenth of them\n"
		"  share cycles  times line                                      causes\n"
		"\n"
		"sort.c\n"
		"> 60.0%    600           5     line 5 is a text of forty characters... l1d 42%\n"
		"> 50.0%    500    100  10000 lw a0, 0(a1)                       l1d 50%\n"
		"> 10.0%    100    101  10008 addi a0, a0, 1                     base 95%\n"
		"                         6 line 6 is a text of forty characters...\n"
		"                         7 line 7 is a text of forty characters...\n"
		"                         8 line 8 is a text of forty characters...\n"
		"   ...\n"
		"                        17 line 17 is a text of forty characters...\n"
		"                        18 line 18 is a text of forty characters...\n"
		"                        19 line 19 is a text of forty characters...\n"
		"> 30.0%    300          20 line 20 is a text of forty characters... branch 95%\n"
		"> 30.0%    300  12.3k  10004 j 0x10000 <sort>                   branch 95%\n"
		"                        21 line 21 is a text of forty characters...\n"
		"                        22 line 22 is a text of forty characters...\n"
		"                        23 line 23 is a text of forty characters...\n"
		"                        24 line 24 is a text of forty characters...\n"
		"                        25 line 25 is a text of forty characters...\n"
		"   9.0%     90          26 line 26 is a text of forty characters... base 100%\n"
		"   9.0%     90      7  10010 nop                                base 100%\n"
		"                        27 line 27 is a text of forty characters...\n"
		"                        28 line 28 is a text of forty characters...\n"
		"                        29 line 29 is a text of forty characters...\n"
		"                        30 line 30 is a text of forty characters...\n"
		"                        31 line 31 is a text of forty characters...\n"
		"                        32 line 32 is a text of forty characters...\n"
		"                        33 line 33 is a text of forty characters...\n"
		"                    3  10014 nop\n"
		"\n"
		"list.h\n"
		"(not found: to see its lines add --source and the directory it is in)\n"
		"   1.0%     10           ?                                      dtlb 98%\n"
		"   1.0%     10      0  1000c ret                                dtlb 98%\n"
		"                         3 \n"
		"                    3  10024 nop\n"
		"\n"
		"of unknown source\n"
		"                         ? \n"
		"                    3  10018 nop\n"
		"\n"
		"/lib/x.c\n"
		"(not found: to see its lines add --source /lib)\n"
		"                      12345678 \n"
		"                    3  1001c nop\n"
		"\n"
		"/y.c\n"
		"(not found: to see its lines add --source /)\n"
		"                         2 \n"
		"                    3  10020 nop\n"
		"\n"
		"base: slots used, and slots fetch could not fill: taken branches, ends of lines\n"
		"branch: a misprediction: its wrong path and the refill after it\n"
		"l1d: window full behind a load, or behind stores without room, that missed in\n"
		"  the L1D\n"
		"l2d: window full behind a load, or behind stores without room, that missed in\n"
		"  the L2\n");
	terminal.width = 60;
	is_annotated(&terminal, "\n"
				"sort: 1000 cycles, 50.0% of the run; > marks what has a\n"
				"  tenth of them\n"
				"  share cycles  times line                   causes\n"
				"\n"
				"sort.c\n"
				"> 60.0%    600           5     line 5 is a text of f l1d 42%\n"
				"> 50.0%    500    100  10000 lw a0, 0(a1)    l1d 50%\n"
				"> 10.0%    100    101  10008 addi a0, a0, 1  base 95%\n"
				"                         6 line 6 is a text of forty charact\n"
				"                         7 line 7 is a text of forty charact\n"
				"                         8 line 8 is a text of forty charact\n"
				"   ...\n"
				"                        17 line 17 is a text of forty charac\n"
				"                        18 line 18 is a text of forty charac\n"
				"                        19 line 19 is a text of forty charac\n"
				"> 30.0%    300          20 line 20 is a text of f branch 95%\n"
				"> 30.0%    300  12.3k  10004 j 0x10000 <sort> branch 95%\n"
				"                        21 line 21 is a text of forty charac\n"
				"                        22 line 22 is a text of forty charac\n"
				"                        23 line 23 is a text of forty charac\n"
				"                        24 line 24 is a text of forty charac\n"
				"                        25 line 25 is a text of forty charac\n"
				"   9.0%     90          26 line 26 is a text of fo base 100%\n"
				"   9.0%     90      7  10010 nop             base 100%\n"
				"                        27 line 27 is a text of forty charac\n"
				"                        28 line 28 is a text of forty charac\n"
				"                        29 line 29 is a text of forty charac\n"
				"                        30 line 30 is a text of forty charac\n"
				"                        31 line 31 is a text of forty charac\n"
				"                        32 line 32 is a text of forty charac\n"
				"                        33 line 33 is a text of forty charac\n"
				"                    3  10014 nop\n"
				"\n"
				"list.h\n"
				"(not found: to see its lines add --source and the directory\n"
				"  it is in)\n"
				"   1.0%     10           ?                   dtlb 98%\n"
				"   1.0%     10      0  1000c ret             dtlb 98%\n"
				"                         3 \n"
				"                    3  10024 nop\n"
				"\n"
				"of unknown source\n"
				"                         ? \n"
				"                    3  10018 nop\n"
				"\n"
				"/lib/x.c\n"
				"(not found: to see its lines add --source /lib)\n"
				"                      12345678 \n"
				"                    3  1001c nop\n"
				"\n"
				"/y.c\n"
				"(not found: to see its lines add --source /)\n"
				"                         2 \n"
				"                    3  10020 nop\n"
				"\n"
				"base: slots used, and slots fetch could not fill: taken\n"
				"  branches, ends of lines\n"
				"branch: a misprediction: its wrong path and the refill after\n"
				"  it\n"
				"l1d: window full behind a load, or behind stores without\n"
				"  room, that missed in the L1D\n"
				"l2d: window full behind a load, or behind stores without\n"
				"  room, that missed in the L2\n");
	terminal.width = 59;
	is_annotated(&terminal, "\n"
				"sort: 1000 cycles, 50.0% of the run; > marks what has a\n"
				"  tenth of them\n"
				" cycles  times line                              causes\n"
				"\n"
				"sort.c\n"
				">   600           5     line 5 is a text of forty c l1d 42%\n"
				">   500    100  10000 lw a0, 0(a1)               l1d 50%\n"
				">   100    101  10008 addi a0, a0, 1             base 95%\n"
				"                  6 line 6 is a text of forty characters...\n"
				"                  7 line 7 is a text of forty characters...\n"
				"                  8 line 8 is a text of forty characters...\n"
				"   ...\n"
				"                 17 line 17 is a text of forty characters..\n"
				"                 18 line 18 is a text of forty characters..\n"
				"                 19 line 19 is a text of forty characters..\n"
				">   300          20 line 20 is a text of forty c branch 95%\n"
				">   300  12.3k  10004 j 0x10000 <sort>           branch 95%\n"
				"                 21 line 21 is a text of forty characters..\n"
				"                 22 line 22 is a text of forty characters..\n"
				"                 23 line 23 is a text of forty characters..\n"
				"                 24 line 24 is a text of forty characters..\n"
				"                 25 line 25 is a text of forty characters..\n"
				"     90          26 line 26 is a text of forty ch base 100%\n"
				"     90      7  10010 nop                        base 100%\n"
				"                 27 line 27 is a text of forty characters..\n"
				"                 28 line 28 is a text of forty characters..\n"
				"                 29 line 29 is a text of forty characters..\n"
				"                 30 line 30 is a text of forty characters..\n"
				"                 31 line 31 is a text of forty characters..\n"
				"                 32 line 32 is a text of forty characters..\n"
				"                 33 line 33 is a text of forty characters..\n"
				"             3  10014 nop\n"
				"\n"
				"list.h\n"
				"(not found: to see its lines add --source and the directory\n"
				"  it is in)\n"
				"     10           ?                              dtlb 98%\n"
				"     10      0  1000c ret                        dtlb 98%\n"
				"                  3 \n"
				"             3  10024 nop\n"
				"\n"
				"of unknown source\n"
				"                  ? \n"
				"             3  10018 nop\n"
				"\n"
				"/lib/x.c\n"
				"(not found: to see its lines add --source /lib)\n"
				"               12345678 \n"
				"             3  1001c nop\n"
				"\n"
				"/y.c\n"
				"(not found: to see its lines add --source /)\n"
				"                  2 \n"
				"             3  10020 nop\n"
				"\n"
				"base: slots used, and slots fetch could not fill: taken\n"
				"  branches, ends of lines\n"
				"branch: a misprediction: its wrong path and the refill\n"
				"  after it\n"
				"l1d: window full behind a load, or behind stores without\n"
				"  room, that missed in the L1D\n"
				"l2d: window full behind a load, or behind stores without\n"
				"  room, that missed in the L2\n");
	terminal.width = 40;
	is_annotated(&terminal, "\n"
				"sort: 1000 cycles, 50.0% of the run; >\n"
				"  marks what has a tenth of them\n"
				" cycles  times line           causes\n"
				"\n"
				"sort.c\n"
				">   600           5     line 5 i l1d 42%\n"
				">   500    100  10000 lw a0, 0(a l1d 50%\n"
				">   100    101  10008 addi a0,  base 95%\n"
				"                  6 line 6 is a text of \n"
				"                  7 line 7 is a text of \n"
				"                  8 line 8 is a text of \n"
				"   ...\n"
				"                 17 line 17 is a text of\n"
				"                 18 line 18 is a text of\n"
				"                 19 line 19 is a text of\n"
				">   300          20 line 20 i branch 95%\n"
				">   300  12.3k  10004 j 0x100 branch 95%\n"
				"                 21 line 21 is a text of\n"
				"                 22 line 22 is a text of\n"
				"                 23 line 23 is a text of\n"
				"                 24 line 24 is a text of\n"
				"                 25 line 25 is a text of\n"
				"     90          26 line 26 is base 100%\n"
				"     90      7  10010 nop     base 100%\n"
				"                 27 line 27 is a text of\n"
				"                 28 line 28 is a text of\n"
				"                 29 line 29 is a text of\n"
				"                 30 line 30 is a text of\n"
				"                 31 line 31 is a text of\n"
				"                 32 line 32 is a text of\n"
				"                 33 line 33 is a text of\n"
				"             3  10014 nop\n"
				"\n"
				"list.h\n"
				"(not found: to see its lines add\n"
				"  --source and the directory it is in)\n"
				"     10           ?           dtlb 98%\n"
				"     10      0  1000c ret     dtlb 98%\n"
				"                  3 \n"
				"             3  10024 nop\n"
				"\n"
				"of unknown source\n"
				"                  ? \n"
				"             3  10018 nop\n"
				"\n"
				"/lib/x.c\n"
				"(not found: to see its lines add\n"
				"  --source /lib)\n"
				"               12345678 \n"
				"             3  1001c nop\n"
				"\n"
				"/y.c\n"
				"(not found: to see its lines add\n"
				"  --source /)\n"
				"                  2 \n"
				"             3  10020 nop\n"
				"\n"
				"base: slots used, and slots fetch could\n"
				"  not fill: taken branches, ends of\n"
				"  lines\n"
				"branch: a misprediction: its wrong path\n"
				"  and the refill after it\n"
				"l1d: window full behind a load, or\n"
				"  behind stores without room, that\n"
				"  missed in the L1D\n"
				"l2d: window full behind a load, or\n"
				"  behind stores without room, that\n"
				"  missed in the L2\n");
}

static void in_colour(void **state)
{
	const struct terminal terminal = {.width = 80, .height = 24, .colour = true};

	(void)state;
	is_annotated(
		&terminal,
		"\n"
		"\033[1msort: 1000 cycles, 50.0% of the run; > marks what has a tenth of them\n"
		"\033[0m  share cycles  times line                          causes\n"
		"\n"
		"\033[1msort.c\n"
		"\033[0m\033[1;31m> 60.0%    600           5     line 5 is a text of fo l1d 42%, base 32%, l2d 25%\033[0m\n"
		"\033[33m> 50.0%    500    100      10000 lw a0, 0(a1)       l1d 50%, l2d 30%, base 20%\033[0m\n"
		"\033[33m> 10.0%    100    101      10008 addi a0, a0, 1     base 95%, branch 5%\033[0m\n"
		"                         6 line 6 is a text of forty characters...\n"
		"                         7 line 7 is a text of forty characters...\n"
		"                         8 line 8 is a text of forty characters...\n"
		"   ...\n"
		"                        17 line 17 is a text of forty characters...\n"
		"                        18 line 18 is a text of forty characters...\n"
		"                        19 line 19 is a text of forty characters...\n"
		"\033[1;31m> 30.0%    300          20 line 20 is a text of forty characters... branch 95%\033[0m\n"
		"\033[33m> 30.0%    300  12.3k      10004 j 0x10000 <sort>   branch 95%\033[0m\n"
		"                        21 line 21 is a text of forty characters...\n"
		"                        22 line 22 is a text of forty characters...\n"
		"                        23 line 23 is a text of forty characters...\n"
		"                        24 line 24 is a text of forty characters...\n"
		"                        25 line 25 is a text of forty characters...\n"
		"   9.0%     90          26 line 26 is a text of forty characters... base 100%\n"
		"\033[2m   9.0%     90      7      10010 nop                base 100%\033[0m\n"
		"                        27 line 27 is a text of forty characters...\n"
		"                        28 line 28 is a text of forty characters...\n"
		"                        29 line 29 is a text of forty characters...\n"
		"                        30 line 30 is a text of forty characters...\n"
		"                        31 line 31 is a text of forty characters...\n"
		"                        32 line 32 is a text of forty characters...\n"
		"                        33 line 33 is a text of forty characters...\n"
		"\033[2m                    3      10014 nop\033[0m\n"
		"\n"
		"\033[1mlist.h\n"
		"\033[0m(not found: to see its lines add --source and the directory it is in)\n"
		"   1.0%     10           ?                          dtlb 98%\n"
		"\033[2m   1.0%     10      0      1000c ret                dtlb 98%\033[0m\n"
		"                         3 \n"
		"\033[2m                    3      10024 nop\033[0m\n"
		"\n"
		"\033[1mof unknown source\n"
		"\033[0m                         ? \n"
		"\033[2m                    3      10018 nop\033[0m\n"
		"\n"
		"\033[1m/lib/x.c\n"
		"\033[0m(not found: to see its lines add --source /lib)\n"
		"                      12345678 \n"
		"\033[2m                    3      1001c nop\033[0m\n"
		"\n"
		"\033[1m/y.c\n"
		"\033[0m(not found: to see its lines add --source /)\n"
		"                         2 \n"
		"\033[2m                    3      10020 nop\033[0m\n"
		"\n"
		"base: slots used, and slots fetch could not fill: taken branches, ends of lines\n"
		"branch: a misprediction: its wrong path and the refill after it\n"
		"l1d: window full behind a load, or behind stores without room, that missed in\n"
		"  the L1D\n"
		"l2d: window full behind a load, or behind stores without room, that missed in\n"
		"  the L2\n");
}

/* Forty columns have 14 for a line's number and text. */
static void numbers_of_lines_may_be_too_long(void **state)
{
	const struct terminal terminal = {.width = 40, .height = 24};
	json_t *result = json_of(run);
	json_t *list = json_object_get(json_object_get(result, "annotation"), "instructions");
	struct printed p;

	(void)state;
	json_object_set_new(json_array_get(list, 7), "line", json_integer(1234567890123));
	json_object_set_new(json_array_get(list, 8), "line", json_integer(12345678901234));
	annotate_print(printed_open(&p), result, &terminal);
	fclose(p.out);
	assert_non_null(strstr(p.text, "\n               1234567890123 \n"));
	assert_non_null(strstr(p.text, "\n               12345678901234\n"));
	free(p.text);
	json_object_set_new(json_array_get(list, 8), "line", json_integer(123456789012345));
	annotate_print(printed_open(&p), result, &terminal);
	fclose(p.out);
	assert_non_null(strstr(p.text, "\n               123456...12345\n"));
	free(p.text);
	json_decref(result);
}

/* Each function's lines are shares of its own slots, and its place is in the run. */
static void functions_are_annotated_one_by_one(void **state)
{
	const struct terminal terminal = {.width = 100, .height = 24};
	json_t *result = json_of(run);
	struct printed p;

	(void)state;
	json_object_set_new(result, "more_annotations",
			    json_of("[{'function': 'next', 'instructions': [{'pc': '0x20000',"
				    " 'text': 'nop', 'file': 'z.c', 'line': 1, 'executed': 2,"
				    " 'slots': {'base': 400}}]}]"));
	annotate_print(printed_open(&p), result, &terminal);
	fclose(p.out);
	const char *second = strstr(p.text, "\nnext: ");
	assert_non_null(second);
	assert_string_equal(
		second,
		"\nnext: 100 cycles, 5.0% of the run; > marks what has a tenth of them\n"
		"  share cycles  times line                                              causes\n"
		"\nz.c\n"
		"(not found: to see its lines add --source and the directory it is in)\n"
		">100.0%    100           1                                              base 100%\n"
		">100.0%    100      2      20000 nop                                    base 100%\n"
		"\nbase: slots used, and slots fetch could not fill: taken branches, ends of "
		"lines\n");
	free(p.text);
	json_decref(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIRECTORY(functions_are_annotated_one_by_one),
		IN_DIRECTORY(numbers_of_lines_may_be_too_long),
		IN_DIRECTORY(on_a_hundred_columns),
		IN_DIRECTORY(causes_have_more_room_on_wider_terminals),
		IN_DIRECTORY(in_colour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
