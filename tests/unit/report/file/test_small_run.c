/* One small run in every format that is written to a file: each line worked out. */
#include "../printed.h"

#include "report/file/callgrind.h"
#include "report/file/csv.h"
#include "report/file/folded.h"

/* 4 slots a cycle: 60 slots in 15 cycles, 2 of them (itlb) in no function, 3 (base) of sort in no
 * line. */
static const char run[] =
	"{'schema': 'cyclestack-run-2',"
	" 'program': {'name': 'sort;er', 'arguments': ['-n', ''], 'sha256': '00'},"
	" 'configuration': {'name': 'm', 'changes': [], 'sha256': '11'},"
	" 'skipped_instructions': 0, 'partial': false, 'status': 0,"
	" 'values': {'cycles': 15, 'instructions': 21},"
	" 'stacks': {"
	"'fmt': {'components': {'base': -2, 'l1i': 0, 'l2i': 0, 'itlb': 17}, 'bits': 7},"
	"'exact': {'components': {'base': 7, 'l1i': 0, 'l2i': 0, 'itlb': 1, 'branch': 0, 'l1d': 0,"
	" 'l2d': 5, 'dtlb': 0, 'resource': 2}, 'bits': null}},"
	" 'stages': {'commit': {'base': 8, 'l2d': 7}},"
	" 'topdown': {'slots_per_cycle': 8, 'level1': {'retiring': 40, 'backend_bound': 81},"
	" 'level2': {'core_bound': 9}},"
	" 'exact': {'slots_per_cycle': 4,"
	" 'causes': {'base': 30, 'unit.int_alu': 8, 'mshr': 11, 'itlb': 2, 'l2d': 9},"
	" 'functions': ["
	"{'name': 'sort', 'file': 'a.c', 'line': 3, 'executed': 13,"
	" 'slots': {'base': 23, 'mshr': 11, 'l2d': 9}, 'lines': ["
	"{'file': 'a.c', 'line': 4, 'executed': 5, 'slots': {'base': 20}},"
	"{'file': 'b.h', 'line': 9, 'executed': 6, 'slots': {'mshr': 11}},"
	"{'file': 'b.h', 'line': 10, 'executed': 2, 'slots': {}},"
	"{'file': 'a.c', 'line': 5, 'executed': 0, 'slots': {'l2d': 9}}]},"
	"{'name': '', 'file': '', 'line': 0, 'executed': 8,"
	" 'slots': {'base': 7, 'unit.int_alu': 8}, 'lines': ["
	"{'file': '', 'line': 0, 'executed': 8, 'slots': {'base': 7, 'unit.int_alu': 8}}]}],"
	" 'threads': [{'id': 71, 'slots': {'base': 12}}, {'id': 72, 'slots': {'base': 3}}],"
	" 'intervals': [{'instructions': 14, 'cycles': 5, 'slots': {'base': 20}},"
	" {'instructions': 7, 'cycles': 1, 'slots': {'base': 4}}]},"
	" 'annotation': {'function': 'sort', 'instructions': ["
	"{'pc': '0x100', 'text': 'add a0, a1', 'file': 'a.c', 'line': 4, 'executed': 5,"
	" 'slots': {'base': 20}}]},"
	" 'more_annotations': [{'function': 'main', 'instructions': ["
	"{'pc': '0x200', 'text': 'ret', 'file': 'c.c', 'line': 6, 'executed': 9,"
	" 'slots': {'mshr': 1}}]}]}";

static void is_written(bool (*write)(FILE *, const json_t *, struct err *), const char *text,
		       const char *wanted)
{
	json_t *result = json_of(text);
	struct printed p;
	struct err err;

	PRINTS_AND_GIVES_BACK(p, write(p.out, result, &err));
	if (!write(printed_open(&p), result, &err))
		fail_msg("%s", err.text);
	printed_is(&p, wanted);
	json_decref(result);
}

static void as_csv(void **state)
{
	(void)state;
	is_written(csv_write, run,
		   "kind,function,name,file,line,cause,component,executed,slots,cycles\n"
		   "program,,sort;er,,,base,base,21,30,7.500000\n"
		   "program,,sort;er,,,unit.int_alu,resource,21,8,2\n"
		   "program,,sort;er,,,mshr,l2d,21,11,2.750000\n"
		   "program,,sort;er,,,itlb,itlb,21,2,0.500000\n"
		   "program,,sort;er,,,l2d,l2d,21,9,2.250000\n"
		   "method,,exact,,,,base,21,,7\n"
		   "method,,exact,,,,l1i,21,,0\n"
		   "method,,exact,,,,l2i,21,,0\n"
		   "method,,exact,,,,itlb,21,,1\n"
		   "method,,exact,,,,branch,21,,0\n"
		   "method,,exact,,,,l1d,21,,0\n"
		   "method,,exact,,,,l2d,21,,5\n"
		   "method,,exact,,,,dtlb,21,,0\n"
		   "method,,exact,,,,resource,21,,2\n"
		   "method,,fmt,,,,base,21,,-2\n"
		   "method,,fmt,,,,l1i,21,,0\n"
		   "method,,fmt,,,,l2i,21,,0\n"
		   "method,,fmt,,,,itlb,21,,17\n"
		   "stage,,commit,,,,base,21,,8\n"
		   "stage,,commit,,,,l2d,21,,7\n"
		   "topdown,,level1,,,,retiring,21,40,5\n"
		   "topdown,,level1,,,,backend_bound,21,81,10.125000\n"
		   "topdown,,level2,,,,core_bound,21,9,1.125000\n"
		   "function,sort,sort,a.c,3,base,base,13,23,5.750000\n"
		   "function,sort,sort,a.c,3,mshr,l2d,13,11,2.750000\n"
		   "function,sort,sort,a.c,3,l2d,l2d,13,9,2.250000\n"
		   "function,,,,,base,base,8,7,1.750000\n"
		   "function,,,,,unit.int_alu,resource,8,8,2\n"
		   "function,(other),(other),,,itlb,itlb,0,2,0.500000\n"
		   "line,sort,a.c:4,a.c,4,base,base,5,20,5\n"
		   "line,sort,b.h:9,b.h,9,mshr,l2d,6,11,2.750000\n"
		   "line,sort,a.c:5,a.c,5,l2d,l2d,0,9,2.250000\n"
		   "line,sort,a.c:0,a.c,,base,base,0,3,0.750000\n"
		   "line,,?:0,,,base,base,8,7,1.750000\n"
		   "line,,?:0,,,unit.int_alu,resource,8,8,2\n"
		   "line,(other),?:0,,,itlb,itlb,0,2,0.500000\n"
		   "thread,,71,,,base,base,,12,3\n"
		   "thread,,72,,,base,base,,3,0.750000\n"
		   "interval,,1,,,base,base,14,20,5\n"
		   "interval,,2,,,base,base,7,4,1\n"
		   "instruction,sort,\"0x100 add a0, a1\",a.c,4,base,base,5,20,5\n"
		   "instruction,main,0x200 ret,c.c,6,mshr,l2d,9,1,0.250000\n");
}

static void as_callgrind(void **state)
{
	(void)state;
	is_written(
		callgrind_write, run,
		"# callgrind format\n"
		"version: 1\n"
		"creator: cyclestack\n"
		"cmd: sort;er -n ???\n"
		"desc: Unit: slots, 4 to a cycle\n"
		"positions: line\n"
		"event: slots : slots of all causes\n"
		"event: base : slots used, and slots fetch could not fill: taken branches, ends of lines\n"
		"event: unit_int_alu : window full behind an operation that was ready while all integer units were taken\n"
		"event: mshr : window full behind a load, or behind stores without room, that find no MSHR\n"
		"event: itlb : fetch missed in the I-TLB\n"
		"event: l2d : window full behind a load, or behind stores without room, that missed in the L2\n"
		"events: slots base unit_int_alu mshr itlb l2d\n"
		"summary: 60 30 8 11 2 9\n"
		"\n"
		"fl=(2) a.c\n"
		"fn=(1) sort\n"
		"4 20 20 0 0 0 0\n"
		"fi=(3) b.h\n"
		"9 11 0 0 11 0 0\n"
		"fe=(2)\n"
		"5 9 0 0 0 0 9\n"
		"0 3 3 0 0 0 0\n"
		"\n"
		"fl=(1) ???\n"
		"fn=(2) ???\n"
		"0 15 7 8 0 0 0\n"
		"\n"
		"fl=(1)\n"
		"fn=(3) (other)\n"
		"0 2 0 0 0 2 0\n"
		"\n"
		"totals: 60 30 8 11 2 9\n");
}

static void as_folded_stacks(void **state)
{
	(void)state;
	is_written(folded_write, run,
		   "sort,er;sort;a.c:4;base 20\n"
		   "sort,er;sort;b.h:9;mshr 11\n"
		   "sort,er;sort;a.c:5;l2d 9\n"
		   "sort,er;sort;a.c:0;base 3\n"
		   "sort,er;?;?:0;base 7\n"
		   "sort,er;?;?:0;unit.int_alu 8\n"
		   "sort,er;(other);?:0;itlb 2\n");
}

#define MACHINE(name, changes) \
	"'configuration': {'name': '" name "', 'changes': [" changes "], 'sha256': '22'}"

static const char sweep[] = "{'schema': 'cyclestack-sweep-1', " MACHINE(
	"mid",
	"") ", 'runs': ["
	    "{'program': 'a,b', " MACHINE(
		    "mid",
		    "") ", 'instructions': 11, 'cycles': 12,"
			" 'components': {'base': 5, 'l1i': 0, 'resource': 7}},"
			"{'program': 'c', " MACHINE(
				"=mid",
				"'rob.size=3', 'x=y'") ", 'instructions': 13,"
						       " 'cycles': 14, 'components': {'l2i': 14}}]}";

static void a_sweep_as_csv(void **state)
{
	(void)state;
	is_written(
		csv_write_sweep, sweep,

		"program,machine,changes,instructions,cycles,base,l1i,l2i,l3i,itlb,branch,l1d,l2d,l3d,dtlb,walk,bandwidth,resource\n"
		"\"a,b\",mid,,11,12,5,0,,,,,,,,,,,7\n"
		"c,'=mid,rob.size=3 x=y,13,14,,,14,,,,,,,,,,\n");
}

static const char counters[] =
	"{'schema': 'cyclestack-stat-1', 'program': {'name': 'p', 'arguments': [],"
	" 'sha256': '00'}, " MACHINE(
		"mid",
		"") ", 'skipped_instructions': 0,"
		    " 'partial': false, 'status': 0, 'values': {'cycles': 50, 'instructions': 40},"
		    " 'module': {'counters': 2, 'ranges': 1, 'width': 8, 'bits': 99},"
		    " 'epochs': [{'cycle': 0, 'every': 10, 'pairs': []},"
		    " {'cycle': 20, 'every': 5, 'pairs': []}],"
		    " 'intervals': [{'epoch': 0, 'start': 1, 'cycles': 10, 'dispatched': 91},"
		    " {'epoch': 0, 'start': 11, 'cycles': 9, 'dispatched': 92},"
		    " {'epoch': 1, 'start': 20, 'cycles': 5, 'dispatched': 93}],"
		    " 'intervals_cut': false, 'counters': ["
		    "{'signal': 'loads', 'where': '', 'unit': 'u', 'epoch': 0, 'total': 7,"
		    " 'saturated': false, 'ranges': 0, 'intervals': [3, 4]},"
		    "{'signal': 'l1d,misses', 'where': 'loop', 'unit': 'u', 'epoch': 1, 'total': 6,"
		    " 'saturated': true, 'ranges': 1, 'intervals': [6]}],"
		    " 'derived': [{'name': 'ipc', 'formula': 'a/b', 'where': 'loop', 'epoch': 1,"
		    " 'value': 0.8, 'saturated': true, 'intervals': [0.5]},"
		    "{'name': 'none', 'formula': 'a/0', 'where': '', 'epoch': 0, 'value': null,"
		    " 'saturated': false, 'intervals': [null]}]}";

static void counters_as_csv(void **state)
{
	(void)state;
	is_written(csv_write_stat, counters,

		   "signal,where,epoch,start,cycles,count\n"
		   "loads,,0,1,10,3\n"
		   "loads,,0,11,9,4\n"
		   "loads,,0,total,,7\n"
		   "\"l1d,misses\",loop,1,20,5,6\n"
		   "\"l1d,misses\",loop,1,total,saturated,6\n"
		   "ipc,loop,1,total,saturated,0.800000\n"
		   "none,,0,total,,\n");
}

/* A device that is full, and a result of another kind. */
static void is_refused(bool (*write)(FILE *, const json_t *, struct err *), const char *text,
		       const char *sentence)
{
	FILE *out = fopen("/dev/full", "w");
	json_t *result = json_of(text), *empty = json_object();
	struct printed p;
	struct err err;

	if (!out)
		skip();
	assert_false(write(out, result, &err));
	assert_string_equal(err.text, sentence);
	fclose(out);
	assert_false(write(printed_open(&p), empty, &err));
	printed_is(&p, "");
	json_decref(empty);
	json_decref(result);
}

static void what_cannot_be_written_is_told(void **state)
{
	(void)state;
	is_refused(csv_write, run, "cannot write the CSV: No space left on device");
	is_refused(callgrind_write, run,
		   "cannot write the callgrind profile: No space left on device");
	is_refused(folded_write, run, "cannot write the folded stacks: No space left on device");
	is_refused(csv_write_sweep, sweep, "cannot write the CSV: No space left on device");
	is_refused(csv_write_stat, counters, "cannot write the CSV: No space left on device");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_csv),
		cmocka_unit_test(as_callgrind),
		cmocka_unit_test(as_folded_stacks),
		cmocka_unit_test(a_sweep_as_csv),
		cmocka_unit_test(counters_as_csv),
		cmocka_unit_test(what_cannot_be_written_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
