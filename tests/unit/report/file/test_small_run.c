/* One small run in every format that is written to a file: each line worked out. */
#include "../../test.h"
#include "../printed.h"

#include "doc/doc_csv.h"
#include "report/file/callgrind.h"
#include "report/file/folded.h"
#include "report/report.h"

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

/* The table that the command writes with --csv. */
static bool csv_write(FILE *out, const json_t *result, struct err *err)
{
	const struct report_kind *kind = report_kind_of(result, err);
	struct doc doc;
	bool ok =
		report_build(&doc, result, NULL, err) && doc_csv_write(out, &doc, kind->table, err);

	doc_release(&doc);
	return ok;
}

static void is_written(bool (*write)(FILE *, const json_t *, struct err *), const char *text,
		       const char *wanted)
{
	json_t *result = json_of(text);
	struct printed p;
	struct err err;

	/* A document takes blocks of so many sizes that malloc keeps some of them. */
	if (write != csv_write)
		PRINTS_AND_GIVES_BACK(p, write(p.out, result, &err));
	if (!write(printed_open(&p), result, &err))
		fail_msg("%s", err.text);
	printed_is(&p, wanted);
	json_decref(result);
}

TEST(as_csv)
{
	is_written(csv_write, run,
		   "kind,function,name,file,line,cause,component,executed,slots,cycles\n"
		   "program,,sort;er,,,base,base,21,30,7.5\n"
		   "program,,sort;er,,,unit.int_alu,resource,21,8,2\n"
		   "program,,sort;er,,,mshr,l2d,21,11,2.75\n"
		   "program,,sort;er,,,itlb,itlb,21,2,0.5\n"
		   "program,,sort;er,,,l2d,l2d,21,9,2.25\n"
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
		   "topdown,,level1,,,,backend_bound,21,81,10.125\n"
		   "topdown,,level2,,,,core_bound,21,9,1.125\n"
		   "function,sort,sort,a.c,3,base,base,13,23,5.75\n"
		   "function,sort,sort,a.c,3,mshr,l2d,13,11,2.75\n"
		   "function,sort,sort,a.c,3,l2d,l2d,13,9,2.25\n"
		   "function,,,,,base,base,8,7,1.75\n"
		   "function,,,,,unit.int_alu,resource,8,8,2\n"
		   "function,(other),(other),,,itlb,itlb,0,2,0.5\n"
		   "line,sort,a.c:4,a.c,4,base,base,5,20,5\n"
		   "line,sort,b.h:9,b.h,9,mshr,l2d,6,11,2.75\n"
		   "line,sort,a.c:5,a.c,5,l2d,l2d,0,9,2.25\n"
		   "line,sort,a.c:0,a.c,,base,base,0,3,0.75\n"
		   "line,,?:0,,,base,base,8,7,1.75\n"
		   "line,,?:0,,,unit.int_alu,resource,8,8,2\n"
		   "line,(other),?:0,,,itlb,itlb,0,2,0.5\n"
		   "thread,,71,,,base,base,,12,3\n"
		   "thread,,72,,,base,base,,3,0.75\n"
		   "interval,,1,,,base,base,14,20,5\n"
		   "interval,,2,,,base,base,7,4,1\n"
		   "instruction,sort,\"0x100 add a0, a1\",a.c,4,base,base,5,20,5\n"
		   "instruction,main,0x200 ret,c.c,6,mshr,l2d,9,1,0.25\n");
}

TEST(as_callgrind)
{
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

TEST(as_folded_stacks)
{
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

TEST(a_sweep_as_csv)
{
	is_written(
		csv_write, sweep,

		"program,arguments,machine,changes,base machine,instructions,cycles,IPC,change,base,l1i,l2i,l3i,itlb,branch,l1d,l2d,l3d,dtlb,walk,bandwidth,resource\n"
		"\"a,b\",,mid,,yes,11,12,0.916666666666667,0,5,0,,,,,,,,,,,7\n"
		"c,,'=mid,rob.size=3 x=y,yes,13,14,0.928571428571429,0,,,14,,,,,,,,,,\n");
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

TEST(counters_as_csv)
{
	is_written(csv_write, counters,

		   "signal,where,epoch,start,cycles,count\n"
		   "loads,,0,1,10,3\n"
		   "loads,,0,11,9,4\n"
		   "loads,,0,total,,7\n"
		   "\"l1d,misses\",loop,1,20,5,6\n"
		   "\"l1d,misses\",loop,1,total,saturated,6\n"
		   "ipc,loop,1,total,saturated,0.8\n"
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

TEST(what_cannot_be_written_is_told)
{
	is_refused(callgrind_write, run,
		   "cannot write the callgrind stacks: No space left on device");
	is_refused(folded_write, run, "cannot write the folded stacks: No space left on device");
}
