/* made_up_base.h - a run that is made up, with losses of several kinds at places that are known. */
#ifndef TESTS_UNIT_EXPERIMENT_MADE_UP_BASE_H
#define TESTS_UNIT_EXPERIMENT_MADE_UP_BASE_H

#include "../test.h"

#include <jansson.h>

#define MADE_UP_CYCLES	     1000
#define MADE_UP_INSTRUCTIONS 700

static const char made_up_base_text[] =
	"{'schema': 'cyclestack-run-2',"
	" 'program': {'name': 'made', 'arguments': ['-x'], 'sha256': '0'},"
	" 'configuration': {'name': 'midcore', 'changes': [], 'sha256': '0'},"
	" 'skipped_instructions': 0, 'partial': false, 'status': 3,"
	" 'values': {'cycles': 1000, 'instructions': 700},"
	" 'stacks': {'exact': {'components': {'base': 350, 'branch': 300, 'l2d': 200,"
	"   'resource': 50, 'l1i': 100}}},"
	" 'exact': {'slots_per_cycle': 4, 'functions': [], 'threads': [], 'intervals': [],"
	"   'causes': {'base': 1040, 'branch': 1200, 'l2d': 800, 'latency': 200,"
	"     'serialise': 60, 'dependence': 300, 'l1i': 400}},"
	" 'hottest': ["
	"  {'function': 'f', 'pc': '0x1000', 'text': 'beqz', 'file': 'a.c', 'line': 10,"
	"   'executed': 9, 'slots': {'branch': 1000, 'base': 7}},"
	"  {'function': 'g', 'pc': '0x2000', 'text': 'ld', 'file': 'b.c', 'line': 5,"
	"   'executed': 9, 'slots': {'l2d': 300}},"
	"  {'function': 'h', 'pc': '0x3000', 'text': 'div', 'file': '', 'line': 0,"
	"   'executed': 9, 'slots': {'latency': 150}},"
	"  {'function': 'g', 'pc': '0x2004', 'text': 'ld', 'file': 'b.c', 'line': 6,"
	"   'executed': 9, 'slots': {'l2d': 200}},"
	"  {'function': 'g', 'pc': '0x2008', 'text': 'ld', 'file': 'b.c', 'line': 7,"
	"   'executed': 9, 'slots': {'l2d': 150}},"
	"  {'function': 'k', 'pc': '0x5000', 'text': 'ecall', 'file': 'c.c', 'line': 1,"
	"   'executed': 9, 'slots': {'serialise': 50}},"
	"  {'function': 'f', 'pc': '0x1004', 'text': 'ld', 'file': 'a.c', 'line': 10,"
	"   'executed': 9, 'slots': {'branch': 50, 'l2d': 20}},"
	"  {'function': 'h', 'pc': '0x3004', 'text': 'div', 'file': '', 'line': 0,"
	"   'executed': 9, 'slots': {'latency': 50}},"
	"  {'function': 'f', 'pc': '0x1010', 'text': 'bnez', 'file': 'a.c', 'line': 11,"
	"   'executed': 9, 'slots': {'branch': 30}},"
	"  {'function': 'g', 'pc': '0x900', 'text': 'beqz', 'file': 'a.c', 'line': 10,"
	"   'executed': 9, 'slots': {'branch': 20}}"
	" ]}";

static inline json_t *made_up_base(void)
{
	char *text = strdup(made_up_base_text);
	json_error_t where;

	for (char *p = text; *p; p++)
		*p = *p == '\'' ? '"' : *p;
	json_t *base = json_loads(text, 0, &where);
	if (!base)
		fail_msg("%s", where.text);
	free(text);
	return base;
}

#endif
