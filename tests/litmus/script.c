/*
 * script.c - checks one litmus program: litmus SOURCE PROGRAM SYMBOLS [--show]
 *
 * SOURCE is assembly; its lines that begin with `#:` say how to run PROGRAM, which was made from
 * it, and what to expect (README.md lists them). SYMBOLS is the output of nm for PROGRAM. Prints a
 * line `ok TEXT` or `not ok TEXT` for every test, followed by differences as comments; --show adds
 * the times of all instructions.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "litmus.h"

#define MOST_WORDS 16

struct label {
	char *name;
	uint64_t address;
};

/* The cycles of a test, to which later tests can refer. */
struct total {
	char *name;
	uint64_t cycles;
};

struct script {
	const char *path;
	unsigned line;
	struct label *labels;
	size_t label_count, label_capacity;
	struct total *totals;
	size_t total_count, total_capacity;
	struct litmus_setup common; /* lines before the first test */
	bool shows;
	bool is_good;
};

/* The current test. */
struct test {
	char *text;
	char *name; /* NULL if no other test refers to it */
	struct litmus_setup setup;
	struct litmus_result result;
	bool has_run, is_good;
};

static _Noreturn void fail(const struct script *script, const char *what, const char *word)
{
	fprintf(stderr, "%s:%u: %s: %s\n", script->path, script->line, what, word);
	exit(2);
}

static char *read_file(const char *path, size_t *bytes)
{
	FILE *in = fopen(path, "rb");
	char *text;

	if (!in || fseek(in, 0, SEEK_END)) {
		perror(path);
		exit(2);
	}
	*bytes = (size_t)ftell(in);
	rewind(in);
	text = mem_alloc(*bytes + 1);
	if (fread(text, 1, *bytes, in) != *bytes) {
		perror(path);
		exit(2);
	}
	fclose(in);
	return text;
}

static uint64_t parse_sum(const struct script *script, const char **at);

static uint64_t parse_factor(const struct script *script, const char **at)
{
	const char *start = *at;
	size_t length = 0;
	uint64_t value;
	char *end;

	if (**at == '(') {
		++*at;
		value = parse_sum(script, at);
		if (**at != ')')
			fail(script, "no ) in", start);
		++*at;
		return value;
	}
	if (isdigit((unsigned char)**at)) {
		value = strtoull(*at, &end, 0);
		*at = end;
		return value;
	}
	while (isalnum((unsigned char)start[length]) || start[length] == '_')
		length++;
	*at += length;
	for (size_t i = 0; i < script->label_count; i++)
		if (length && strlen(script->labels[i].name) == length &&
		    !memcmp(script->labels[i].name, start, length))
			return script->labels[i].address;
	fail(script, "not a number or label", start);
}

static uint64_t parse_product(const struct script *script, const char **at)
{
	uint64_t value = parse_factor(script, at);

	while (**at == '*') {
		++*at;
		value *= parse_factor(script, at);
	}
	return value;
}

static uint64_t parse_sum(const struct script *script, const char **at)
{
	uint64_t value = parse_product(script, at);

	while (**at == '+' || **at == '-') {
		bool adds = *(*at)++ == '+';
		uint64_t more = parse_product(script, at);

		value = adds ? value + more : value - more;
	}
	return value;
}

static uint64_t number(const struct script *script, const char *word)
{
	const char *at = word;
	uint64_t value = parse_sum(script, &at);

	if (*at)
		fail(script, "not a number", word);
	return value;
}

/* The index, among the instructions committed, of LABEL or LABEL@N. */
static size_t place(const struct script *script, const struct test *test, const char *word)
{
	const char *at = word;
	uint64_t pc = parse_sum(script, &at), nth = 0;
	size_t index;

	if (*at == '@') {
		at++;
		nth = parse_sum(script, &at);
	}
	if (*at)
		fail(script, "not an instruction", word);
	if (!litmus_find(&test->result, pc, nth, &index))
		fail(script, "never executed", word);
	return index;
}

static void read_labels(struct script *script, const char *path)
{
	size_t bytes;
	char *text = read_file(path, &bytes), *rest = text, *line;

	while ((line = strsep(&rest, "\n"))) {
		char *name = strrchr(line, ' ');

		if (name)
			*ARRAY_PUSH(script->labels, script->label_count, script->label_capacity) =
				(struct label){mem_strdup(name + 1), strtoull(line, NULL, 16)};
	}
	free(text);
}

static unsigned register_number(const struct script *script, const char *name)
{
	static const char *const names[] = {"zero", "ra", "sp",	 "gp",	"tp", "t0", "t1", "t2",
					    "s0",   "s1", "a0",	 "a1",	"a2", "a3", "a4", "a5",
					    "a6",   "a7", "s2",	 "s3",	"s4", "s5", "s6", "s7",
					    "s8",   "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

	for (unsigned i = 0; i < ARRAY_COUNT(names); i++)
		if (!strcmp(names[i], name))
			return i;
	fail(script, "not a register", name);
}

struct counter_name {
	const char *name;
	size_t offset;
};

#define CORE(field)                                                \
	{                                                          \
#field, offsetof(struct litmus_result, core.field) \
	}
#define FETCH(name, value)                                                        \
	{                                                                         \
		"fetch." name, offsetof(struct litmus_result, fetch_stall[value]) \
	}
#define DISPATCH(name, value)                                                           \
	{                                                                               \
		"dispatch." name, offsetof(struct litmus_result, dispatch_stall[value]) \
	}
#define HEAD(name, value)                                                 \
	{                                                                 \
		"head." name, offsetof(struct litmus_result, head[value]) \
	}
#define EXCESS(name, bit)                                         \
	{                                                         \
		name, offsetof(struct litmus_result, excess[bit]) \
	}
#define MEMORY(name, field)                                        \
	{                                                          \
		name, offsetof(struct litmus_result, memory.field) \
	}
#define LATE(name, value)                                                 \
	{                                                                 \
		"late." name, offsetof(struct litmus_result, late[value]) \
	}
#define CACHE(name, which, side, field)                                                          \
	{                                                                                        \
		name "." #field, offsetof(struct litmus_result, memory.cache[which][side].field) \
	}
#define CACHE_ALL(name, which, side)                                        \
	CACHE(name, which, side, accesses), CACHE(name, which, side, hits), \
		CACHE(name, which, side, misses), CACHE(name, which, side, pending)
#define TLB(name, side, field)                                                          \
	{                                                                               \
		name "." #field, offsetof(struct litmus_result, memory.tlb[side].field) \
	}
#define MOST(name, field)                                   \
	{                                                   \
		name, offsetof(struct litmus_result, field) \
	}

static const struct counter_name counter_names[] = {
	CORE(committed),
	CORE(fetched),
	CORE(dispatched),
	CORE(issued),
	CORE(squashed),
	CORE(wrong_fetched),
	CORE(branches),
	CORE(mispredictions),
	CORE(conditional_mispredictions),
	CORE(indirect_mispredictions),
	CORE(return_mispredictions),
	CORE(misfetches),
	CORE(loads),
	CORE(stores),
	CORE(forwarded),
	CORE(serialised),
	CORE(replays),
	CORE(held_loads),
	FETCH("itlb", FETCH_ITLB),
	FETCH("l1i", FETCH_L1I),
	FETCH("l2i", FETCH_L2I),
	FETCH("l3i", FETCH_L3I),
	FETCH("buffer", FETCH_BUFFER),
	FETCH("misfetch", FETCH_MISFETCH),
	FETCH("branches", FETCH_BRANCHES),
	FETCH("nowhere", FETCH_NOWHERE),
	FETCH("serialise", FETCH_SERIALISE),
	DISPATCH("rob", DISPATCH_ROB),
	DISPATCH("iq", DISPATCH_IQ),
	DISPATCH("lsq", DISPATCH_LSQ),
	DISPATCH("serialise", DISPATCH_SERIALISE),
	DISPATCH("branches", DISPATCH_BRANCHES),
	HEAD("store", HEAD_STORE),
	HEAD("waits", HEAD_WAITS),
	HEAD("unit", HEAD_UNIT),
	HEAD("dtlb", HEAD_DTLB),
	EXCESS("head.walk", 0),
	EXCESS("head.bandwidth", 1),
	EXCESS("fetch.walk", 2),
	EXCESS("fetch.bandwidth", 3),
	MEMORY("walk.loads", walk_loads),
	MEMORY("walk.misses", walk_misses),
	MEMORY("memory.walks", memory_walks),
	MEMORY("memory.busy", memory_busy),
	MEMORY("memory.queue", memory_queue),
	MEMORY("memory.row_hits", rows[0]),
	MEMORY("memory.row_closed", rows[1]),
	MEMORY("memory.row_conflicts", rows[2]),
	MEMORY("tlb2.hits", tlb2[SIDE_DATA].hits),
	MEMORY("tlb2.misses", tlb2[SIDE_DATA].misses),
	HEAD("l1d", HEAD_L1D),
	HEAD("l2d", HEAD_L2D),
	LATE("int_alu", LATE_INT_ALU),
	LATE("int_muldiv", LATE_INT_MULDIV),
	LATE("memory", LATE_MEMORY),
	LATE("fp_add", LATE_FP_ADD),
	LATE("fp_muldiv", LATE_FP_MULDIV),
	LATE("wait", LATE_WAIT),
	LATE("store_dtlb", LATE_STORE_DTLB),
	LATE("store_l1d", LATE_STORE_L1D),
	LATE("store_l2d", LATE_STORE_L2D),
	LATE("store_mshr", LATE_STORE_MSHR),
	CACHE_ALL("l1i", CACHE_L1I, SIDE_INSTRUCTION),
	CACHE_ALL("l2i", CACHE_L2, SIDE_INSTRUCTION),
	CACHE_ALL("l1d", CACHE_L1D, SIDE_DATA),
	CACHE_ALL("l2d", CACHE_L2, SIDE_DATA),
	TLB("itlb", SIDE_INSTRUCTION, misses),
	TLB("dtlb", SIDE_DATA, misses),
	TLB("dtlb", SIDE_DATA, pending),
	MOST("rob.most", rob_most),
	MOST("iq.most", iq_most),
	MOST("lsq.most", lsq_most),
	MOST("store_buffer.most", store_buffer_most),
};

static uint64_t counter(const struct script *script, const struct test *test, const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(counter_names); i++) {
		if (strcmp(counter_names[i].name, name))
			continue;
		uint64_t value;
		memcpy(&value, (const char *)&test->result + counter_names[i].offset,
		       sizeof(value));
		return value;
	}
	fail(script, "not a counter", name);
}

static struct litmus_step *add_step(struct litmus_setup *setup, enum step_kind kind)
{
	struct litmus_step *step =
		ARRAY_PUSH(setup->steps, setup->step_count, setup->step_capacity);

	*step = (struct litmus_step){.kind = kind};
	return step;
}

static void warm(struct script *script, struct litmus_setup *setup, char **words, size_t count)
{
	static const struct {
		const char *name;
		enum step_kind kind;
		size_t words;
	} kinds[] = {{"text", STEP_FETCH, 4},
		     {"data", STEP_LOAD, 4},
		     {"dtlb", STEP_DTLB, 4},
		     {"taken", STEP_TAKEN, 5},
		     {"not_taken", STEP_NOT_TAKEN, 4}};

	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		if (count != kinds[i].words || strcmp(words[1], kinds[i].name))
			continue;
		struct litmus_step *step = add_step(setup, kinds[i].kind);

		step->at = number(script, words[2]);
		step->bytes = number(script, words[count - 1]);
		step->value = count == 5 ? number(script, words[3]) : 0;
		return;
	}
	fail(script, "not understood", count > 1 ? words[1] : words[0]);
}

/* Reads a line about the initial state of a test. False if it is about something else. */
static bool set_up(struct script *script, struct litmus_setup *setup, char **words, size_t count)
{
	struct err err;

	if (!strcmp(words[0], "set")) {
		for (size_t i = 1; i < count; i++)
			if (!config_set(&setup->config, words[i], &err))
				fail(script, "cannot be set", err.text);
	} else if (!strcmp(words[0], "preset") && count == 2) {
		config_reset(&setup->config);
		if (!config_load_preset(&setup->config, words[1], "configs", &err))
			fail(script, "cannot be loaded", err.text);
	} else if (!strcmp(words[0], "entry") && count == 2) {
		setup->entry = number(script, words[1]);
	} else if (!strcmp(words[0], "reg") && count == 3) {
		struct litmus_step *step = add_step(setup, STEP_REGISTER);

		step->at = register_number(script, words[1]);
		step->value = number(script, words[2]);
	} else if (!strcmp(words[0], "word") && count == 3) {
		struct litmus_step *step = add_step(setup, STEP_WORD);

		step->at = number(script, words[1]);
		step->value = number(script, words[2]);
	} else if (!strcmp(words[0], "chain") && count == 4) {
		struct litmus_step *step = add_step(setup, STEP_CHAIN);

		step->at = number(script, words[1]);
		step->value = number(script, words[2]);
		step->bytes = number(script, words[3]);
	} else if (!strcmp(words[0], "warm")) {
		warm(script, setup, words, count);
	} else {
		return false;
	}
	return true;
}

static void show(const struct script *script, const struct litmus_result *r)
{
	printf("#   fetch dispatch commit\n");
	for (size_t i = 0; i < r->count; i++) {
		const char *name = "";

		for (size_t n = 0; n < script->label_count; n++)
			if (script->labels[n].address == r->pc[i])
				name = script->labels[n].name;
		printf("# %7" PRIu64 " %8" PRIu64 " %6" PRIu64 "  %#" PRIx64 " %s\n",
		       r->fetched_at[i], r->dispatched_at[i], r->committed_at[i], r->pc[i], name);
	}
}

static void report_mismatch(const struct script *script, struct test *test, const char *line,
			    uint64_t got)
{
	if (test->is_good)
		printf("not ok %s\n", test->text);
	test->is_good = false;
	printf("#   line %u: %s, but it is %" PRId64 "\n", script->line, line, (int64_t)got);
}

static void run(struct script *script, struct test *test)
{
	struct err err;

	if (test->has_run)
		return;
	test->has_run = true;
	if (!litmus_run(&test->setup, &test->result, &err)) {
		printf("not ok %s\n#   %s\n", test->text, err.text);
		test->is_good = false;
	} else if (script->shows) {
		printf("# %s\n", test->text);
		show(script, &test->result);
	}
}

/* The last two words are the relation and the expected value. */
static void expect(struct script *script, struct test *test, const char *line, char **words,
		   size_t count)
{
	const uint64_t *times = NULL;
	uint64_t got;

	run(script, test);
	/* A run that failed has no times to compare. */
	if (!test->is_good && !test->result.cycles)
		return;
	if (count < 3)
		fail(script, "not understood", line);
	if (!strcmp(words[0], "fetch"))
		times = test->result.fetched_at;
	if (!strcmp(words[0], "dispatch"))
		times = test->result.dispatched_at;
	if (!strcmp(words[0], "commit"))
		times = test->result.committed_at;
	if (times && count == 6 && !strcmp(words[2], "->")) {
		got = times[place(script, test, words[3])] - times[place(script, test, words[1])];
	} else if (times && count == 4) {
		got = times[place(script, test, words[1])];
	} else if (!strcmp(words[0], "count") && count == 4) {
		got = counter(script, test, words[1]);
	} else if (!strcmp(words[0], "cycles") && count == 3) {
		got = test->result.cycles;
	} else if (!strcmp(words[0], "cycles") && count == 5 && !strcmp(words[1], "-")) {
		size_t i = 0;

		while (i < script->total_count && strcmp(script->totals[i].name, words[2]))
			i++;
		if (i == script->total_count)
			fail(script, "no test of that name", words[2]);
		got = test->result.cycles - script->totals[i].cycles;
	} else {
		fail(script, "not understood", line);
	}
	uint64_t wanted = number(script, words[count - 1]);
	const char *sign = words[count - 2];
	bool holds = *sign == '=' ? got == wanted : *sign == '>' ? got > wanted : got < wanted;
	if (!holds)
		report_mismatch(script, test, line, got);
}

static void end_test(struct script *script, struct test *test)
{
	if (!test->text)
		return;
	run(script, test);
	if (test->is_good)
		printf("ok %s\n", test->text);
	script->is_good &= test->is_good;
	if (test->name)
		*ARRAY_PUSH(script->totals, script->total_count, script->total_capacity) =
			(struct total){test->name, test->result.cycles};
	litmus_release(&test->result);
	free(test->setup.steps);
	free(test->text);
}

static void begin_test(const struct script *script, struct test *test, const char *text)
{
	const struct litmus_setup *common = &script->common;

	*test = (struct test){.text = mem_strdup(text), .setup = *common, .is_good = true};
	test->setup.steps = NULL;
	test->setup.step_count = test->setup.step_capacity = 0;
	for (size_t i = 0; i < common->step_count; i++)
		*add_step(&test->setup, common->steps[i].kind) = common->steps[i];
}

static void read_line(struct script *script, struct test *test, const char *line)
{
	char *copy = mem_strdup(line), *rest = copy, *word, *words[MOST_WORDS];
	size_t count = 0;

	while (count < MOST_WORDS && (word = strsep(&rest, " \t")))
		if (*word)
			words[count++] = word;
	if (!count)
		fail(script, "not understood", "an empty line");
	if (!strcmp(words[0], "test")) {
		end_test(script, test);
		begin_test(script, test, line + strlen("test "));
	} else if (!test->text) {
		if (!set_up(script, &script->common, words, count))
			fail(script, "not understood before a test", line);
	} else if (!strcmp(words[0], "as") && count == 2) {
		test->name = mem_strdup(words[1]);
	} else if (test->has_run || !set_up(script, &test->setup, words, count)) {
		expect(script, test, line, words, count);
	}
	free(copy);
}

int main(int argc, char **argv)
{
	struct script script = {.path = argv[1], .is_good = true};
	struct test test = {0};
	size_t bytes;

	if (argc < 4) {
		fprintf(stderr, "usage: litmus SOURCE PROGRAM SYMBOLS [--show]\n");
		return 2;
	}
	script.shows = argc > 4 && !strcmp(argv[4], "--show");
	config_reset(&script.common.config);
	char *image = read_file(argv[2], &bytes);
	script.common.image = (const uint8_t *)image;
	script.common.image_bytes = bytes;
	read_labels(&script, argv[3]);
	char *source = read_file(argv[1], &bytes), *rest = source, *line;
	while ((line = strsep(&rest, "\n"))) {
		script.line++;
		if (!strncmp(line, "#: ", 3))
			read_line(&script, &test, line + 3 + strspn(line + 3, " \t"));
	}
	end_test(&script, &test);
	for (size_t i = 0; i < script.label_count; i++)
		free(script.labels[i].name);
	for (size_t i = 0; i < script.total_count; i++)
		free(script.totals[i].name);
	free(script.labels);
	free(script.totals);
	free(script.common.steps);
	free(source);
	free(image);
	return !script.is_good;
}
