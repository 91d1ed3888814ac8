/*
 * stacks.c - checks the CPI stacks of one program: stacks SOURCE PROGRAM SYMBOLS [--show]
 *
 * The program is run by the litmus harness, whose lines `#:` set it up and check the times that
 * the calculation uses. Lines `#=` after them give the stack of a counter architecture in that
 * test:
 *
 *   #= KIND[,KIND...] COMPONENT=CYCLES ...
 *
 * CYCLES is a sum of products without spaces. A component that is not named must be 0. For the
 * sfmt kinds lost.older, lost.younger and lost.wrong can be named too; otherwise they are not
 * compared.
 *
 * The linker replaces litmus_run by the function below (--wrap), which adds an observer: every
 * core that the harness creates, with skipping and without, is observed by all architectures.
 * Besides what the lines say, both must give the same stacks, and every stack must add up to the
 * cycles.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "core/core.h"
#include "count/count.h"
#include "count/sfmt.h"
#include "litmus.h"

#define MOST_KINDS 32
#define CORES	   2 /* cores of one run: with skipping and without */

/* One core and the counters that observe it. */
struct observed {
	const struct core *core;
	void *counters[MOST_KINDS];
	uint64_t cycles;
};

struct outcome {
	struct stack stacks[MOST_KINDS];
	struct sfmt_losses losses[MOST_KINDS];
	uint64_t cycles;
};

struct run {
	struct outcome outcomes[CORES];
	unsigned outcome_count;
};

struct line {
	unsigned number;
	char *text;
};

struct test {
	char *text;
	struct line *lines;
	size_t line_count, line_capacity;
};

struct book {
	struct test *tests;
	size_t test_count, test_capacity;
	struct run *runs; /* one for every test, in order */
	size_t run_count, run_capacity;
	struct observed observed[CORES];
	bool is_good;
};

/* Global, because the harness calls the wrapped functions without a context. */
static struct book book;

int litmus_main(int argc, char **argv);
bool __real_litmus_run(const struct litmus_setup *setup, struct litmus_result *result,
		       struct err *err);
bool __wrap_litmus_run(const struct litmus_setup *setup, struct litmus_result *result,
		       struct err *err);

static struct observed *observed_of(const struct core *core)
{
	for (unsigned i = 0; i < CORES; i++)
		if (book.observed[i].core == core)
			return &book.observed[i];
	fprintf(stderr, "stacks: more than %u cores at once\n", CORES);
	exit(2);
}

static void core_created(const struct core *core, const struct config *config)
{
	struct observed *observed = observed_of(NULL);

	observed->core = core;
	for (size_t i = 0; i < observer_methods(); i++)
		observed->counters[i] =
			observer_kinds[i]->create(config, core->kind->in_flight(config));
}

static void core_stepped(const struct core *core, const struct cycle *record)
{
	struct observed *observed = observed_of(core);

	for (size_t i = 0; i < observer_methods(); i++)
		observer_kinds[i]->cycle(observed->counters[i], record);
	observed->cycles += record->repeat;
}

static bool is_sfmt(const struct observer_kind *kind)
{
	return !strncmp(kind->name, "sfmt", 4) || kind == &count_afmt;
}

static void core_destroyed(const struct core *core)
{
	struct observed *observed = observed_of(core);
	struct run *run = &book.runs[book.run_count - 1];
	struct outcome *o = &run->outcomes[run->outcome_count++];

	o->cycles = observed->cycles;
	for (size_t i = 0; i < observer_methods(); i++) {
		observer_kinds[i]->read(observed->counters[i], observed->cycles, &o->stacks[i]);
		if (is_sfmt(observer_kinds[i]))
			sfmt_read_losses(observed->counters[i], &o->losses[i]);
		observer_kinds[i]->destroy(observed->counters[i]);
	}
	*observed = (struct observed){0};
}

static const struct litmus_observer observer = {core_created, core_stepped, core_destroyed};

bool __wrap_litmus_run(const struct litmus_setup *setup, struct litmus_result *result,
		       struct err *err)
{
	struct litmus_setup observed = *setup;

	*ARRAY_PUSH(book.runs, book.run_count, book.run_capacity) = (struct run){0};
	observed.observer = &observer;
	return __real_litmus_run(&observed, result, err);
}

static _Noreturn void fail(unsigned line, const char *what, const char *word)
{
	fprintf(stderr, "line %u: %s: %s\n", line, what, word);
	exit(2);
}

static int64_t product(unsigned line, const char **at)
{
	int64_t value = 1;

	for (;; ++*at) {
		char *end;

		if (!isdigit((unsigned char)**at))
			fail(line, "not a number", *at);
		value *= strtoll(*at, &end, 10);
		*at = end;
		if (**at != '*')
			return value;
	}
}

static int64_t sum(unsigned line, const char *text)
{
	bool is_negative = *text == '-';
	const char *at = text + is_negative;
	int64_t value = product(line, &at);

	if (is_negative)
		value = -value;
	while (*at == '+' || *at == '-') {
		bool adds = *at++ == '+';
		int64_t more = product(line, &at);

		value += adds ? more : -more;
	}
	if (*at)
		fail(line, "not understood", at);
	return value;
}

static enum component component_on_line(unsigned line, const char *name)
{
	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		if (!strcmp(component_rows[i].name, name))
			return i;
	fail(line, "not a component", name);
}

static bool expect(const struct line *line, const char *kind, const char *what, int64_t got,
		   int64_t wanted)
{
	if (got == wanted)
		return true;
	printf("#   line %u: %s has %" PRId64 " in %s instead of %" PRId64 "\n", line->number, kind,
	       got, what, wanted);
	return false;
}

/* Reads one word, `what`=CYCLES: adds to the expected stack, or compares at once. */
static bool take_word(const struct line *line, const struct outcome *o, size_t kind, char *word,
		      struct stack *wanted)
{
	char *value = strchr(word, '=');

	if (!value)
		fail(line->number, "no = in", word);
	*value++ = '\0';
	int64_t cycles = sum(line->number, value);
	value[-1] = '\0';
	const char *name = observer_kinds[kind]->name;
	if (!strcmp(word, "lost.older"))
		return expect(line, name, word, (int64_t)o->losses[kind].older, cycles);
	if (!strcmp(word, "lost.younger"))
		return expect(line, name, word, (int64_t)o->losses[kind].younger, cycles);
	if (!strcmp(word, "lost.wrong"))
		return expect(line, name, word, (int64_t)o->losses[kind].wrong, cycles);
	wanted->cycles[component_on_line(line->number, word)] = cycles;
	return true;
}

static bool check_kind(const struct line *line, const struct outcome *o, const char *name,
		       const char *words)
{
	const struct observer_kind *kind = observer_kind_named(name);
	struct stack wanted = {0};
	bool is_good = true;
	size_t k = 0;

	if (!kind)
		fail(line->number, "no such architecture", name);
	while (observer_kinds[k] != kind)
		k++;
	char *copy = mem_strdup(words), *rest = copy, *word;
	while ((word = strsep(&rest, " \t")))
		if (*word)
			is_good &= take_word(line, o, k, word, &wanted);
	free(copy);
	for (enum component i = COMPONENT_BASE; i < COMPONENT_COUNT; i++)
		is_good &= expect(line, name, component_rows[i].name, o->stacks[k].cycles[i],
				  wanted.cycles[i]);
	return is_good;
}

static bool check_line(const struct line *line, const struct outcome *o)
{
	char *copy = mem_strdup(line->text), *rest = copy, *name;
	char *names = strsep(&rest, " \t");
	bool is_good = true;

	if (!rest)
		fail(line->number, "no components in", line->text);
	while ((name = strsep(&names, ",")))
		is_good &= check_kind(line, o, name, rest);
	free(copy);
	return is_good;
}

/* Checks what must hold for every program. */
static bool check_always(const struct run *run)
{
	if (run->outcome_count != CORES) {
		printf("#   the program did not run\n");
		return false;
	}
	const struct outcome *a = &run->outcomes[0], *b = &run->outcomes[1];
	bool is_good = true;

	for (size_t i = 0; i < observer_methods(); i++) {
		if (memcmp(&a->stacks[i], &b->stacks[i], sizeof(struct stack)) ||
		    memcmp(&a->losses[i], &b->losses[i], sizeof(struct sfmt_losses))) {
			printf("#   %s differs with and without skipping\n",
			       observer_kinds[i]->name);
			is_good = false;
		}
		if (stack_sum(&a->stacks[i]) != (int64_t)a->cycles) {
			printf("#   %s adds up to %" PRId64 " of %" PRIu64 " cycles\n",
			       observer_kinds[i]->name, stack_sum(&a->stacks[i]), a->cycles);
			is_good = false;
		}
	}
	return is_good;
}

static void show(const struct outcome *o)
{
	for (size_t i = 0; i < observer_methods(); i++) {
		printf("# %-22s", observer_kinds[i]->name);
		for (enum component k = COMPONENT_BASE; k < COMPONENT_COUNT; k++)
			if (o->stacks[i].cycles[k])
				printf(" %s=%" PRId64, component_rows[k].name,
				       o->stacks[i].cycles[k]);
		if (is_sfmt(observer_kinds[i]))
			printf(" lost.older=%" PRIu64 " lost.younger=%" PRIu64
			       " lost.wrong=%" PRIu64,
			       o->losses[i].older, o->losses[i].younger, o->losses[i].wrong);
		printf("\n");
	}
}

static void check_test(const struct test *test, const struct run *run, bool shows)
{
	bool is_good = check_always(run);

	if (run->outcome_count && shows)
		show(&run->outcomes[0]);
	for (size_t i = 0; run->outcome_count && i < test->line_count; i++)
		is_good &= check_line(&test->lines[i], &run->outcomes[0]);
	printf("%s stacks: %s\n", is_good ? "ok" : "not ok", test->text);
	book.is_good &= is_good;
}

static void read_source(const char *path)
{
	FILE *in = fopen(path, "r");
	char *line = NULL;
	size_t capacity = 0;
	ssize_t length;

	if (!in) {
		perror(path);
		exit(2);
	}
	for (unsigned number = 1; (length = getline(&line, &capacity, in)) > 0; number++) {
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		if (!strncmp(line, "#: test ", 8))
			*ARRAY_PUSH(book.tests, book.test_count, book.test_capacity) =
				(struct test){.text = mem_strdup(line + 8)};
		if (strncmp(line, "#= ", 3))
			continue;
		if (!book.test_count)
			fail(number, "a stack before the first test", line);
		struct test *test = &book.tests[book.test_count - 1];
		*ARRAY_PUSH(test->lines, test->line_count, test->line_capacity) =
			(struct line){number, mem_strdup(line + 3)};
	}
	free(line);
	fclose(in);
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: stacks SOURCE PROGRAM SYMBOLS [--show]\n");
		return 2;
	}
	if (observer_methods() > MOST_KINDS)
		fail(0, "too many architectures", "raise MOST_KINDS");
	read_source(argv[1]);
	book.is_good = litmus_main(argc, argv) == 0;
	if (book.run_count != book.test_count)
		fail(0, "not as many runs as tests", argv[1]);
	for (size_t i = 0; i < book.test_count; i++)
		check_test(&book.tests[i], &book.runs[i], argc > 4);
	for (size_t i = 0; i < book.test_count; i++) {
		for (size_t n = 0; n < book.tests[i].line_count; n++)
			free(book.tests[i].lines[n].text);
		free(book.tests[i].lines);
		free(book.tests[i].text);
	}
	free(book.tests);
	free(book.runs);
	return !book.is_good;
}
