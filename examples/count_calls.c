/*
 * count_calls PROGRAM [ARGUMENT...]: runs a RISC-V program and says which
 * functions it called most and which instructions it executed most.
 *
 * Everything comes through one observer. It is told each instruction's address;
 * what the instruction is, is asked once per address. A call is counted for the
 * address executed after a jal or jalr (between two threads that may rarely be
 * the other thread's; good enough for a list of the most frequent).
 */
#include <cyclestack.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN 10

struct place {
	uint64_t pc; /* 0: free */
	uint64_t executed;
	uint64_t called;
	bool is_call;
};

struct histogram {
	struct cs_machine *machine;
	struct place *places; /* open addressing; capacity is a power of two */
	size_t count, capacity;
	bool after_call;
	uint64_t calls;
};

static struct place *find(struct place *places, size_t capacity, uint64_t pc)
{
	size_t i = (size_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (capacity - 1);

	while (places[i].pc && places[i].pc != pc)
		i = (i + 1) & (capacity - 1);
	return &places[i];
}

static bool grow(struct histogram *histogram)
{
	size_t capacity = histogram->capacity ? 2 * histogram->capacity : 4096;
	struct place *places = calloc(capacity, sizeof(*places));

	if (!places)
		return false;
	for (size_t i = 0; i < histogram->capacity; i++)
		if (histogram->places[i].pc)
			*find(places, capacity, histogram->places[i].pc) = histogram->places[i];
	free(histogram->places);
	histogram->places = places;
	histogram->capacity = capacity;
	return true;
}

static void count_instruction(void *context, uint64_t pc, unsigned bytes)
{
	struct histogram *histogram = context;
	char text[80];

	(void)bytes;
	/* Half full at most; if memory runs out the last free places still serve. */
	if (histogram->count * 2 >= histogram->capacity && !grow(histogram) &&
	    histogram->count + 1 >= histogram->capacity)
		return;
	struct place *place = find(histogram->places, histogram->capacity, pc);
	if (!place->pc) {
		place->pc = pc;
		histogram->count++;
		place->is_call = cs_disassemble(histogram->machine, pc, text, sizeof(text)) &&
				 strncmp(text, "jal", 3) == 0;
	}
	place->executed++;
	place->called += histogram->after_call;
	histogram->calls += histogram->after_call;
	histogram->after_call = place->is_call;
}

static void show_warning(void *context, const char *text)
{
	(void)context;
	fprintf(stderr, "warning: %s\n", text);
}

static int by_calls(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->called != y->called)
		return x->called < y->called ? 1 : -1;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static int by_executions(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->executed != y->executed)
		return x->executed < y->executed ? 1 : -1;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static void show(struct histogram *histogram)
{
	char where[256], text[80];
	uint64_t instructions = 0, syscalls = 0;

	cs_value(histogram->machine, "instructions", &instructions);
	cs_value(histogram->machine, "syscalls", &syscalls);
	fprintf(stderr,
		"%" PRIu64 " instructions at %zu addresses, %" PRIu64 " calls, %" PRIu64
		" system calls\n",
		instructions, histogram->count, histogram->calls, syscalls);
	if (!histogram->count)
		return;
	qsort(histogram->places, histogram->capacity, sizeof(struct place), by_calls);
	fprintf(stderr, "\n       calls  of\n");
	for (size_t i = 0; i < SHOWN && histogram->places[i].called; i++) {
		const struct place *place = &histogram->places[i];

		cs_describe_pc(histogram->machine, place->pc, where, sizeof(where));
		fprintf(stderr, "%12" PRIu64 "  %s\n", place->called, where);
	}
	qsort(histogram->places, histogram->capacity, sizeof(struct place), by_executions);
	fprintf(stderr, "\n    executed  instruction\n");
	for (size_t i = 0; i < SHOWN && histogram->places[i].executed; i++) {
		const struct place *place = &histogram->places[i];

		cs_describe_pc(histogram->machine, place->pc, where, sizeof(where));
		/* The program may have unmapped it since. */
		if (!cs_disassemble(histogram->machine, place->pc, text, sizeof(text)))
			strcpy(text, "?");
		char *tab = strchr(text, '\t');
		if (tab)
			*tab = ' ';
		fprintf(stderr, "%12" PRIu64 "  %-28s %s\n", place->executed, text, where);
	}
}

int main(int argc, char **argv)
{
	char error[1024];
	uint64_t status = 1;

	if (argc < 2) {
		fprintf(stderr, "usage: count_calls PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	struct cs_machine *machine = cs_open(argv[1], error, sizeof(error));
	if (!machine) {
		fprintf(stderr, "count_calls: %s\n", error);
		return 1;
	}
	struct histogram histogram = {.machine = machine};
	struct cs_observer observer = {
		.size = sizeof(observer),
		.context = &histogram,
		.on_instruction = count_instruction,
		.on_warning = show_warning,
	};
	bool ok = cs_attach(machine, &observer);
	for (int i = 2; ok && i < argc; i++)
		ok = cs_configure(machine, "argv", argv[i]);
	ok = ok && cs_start(machine);
	while (ok && cs_step(machine, 1000000) == CS_RUNNING)
		continue;
	if (ok)
		show(&histogram);
	if (!ok || !cs_value(machine, "status", &status) || cs_step(machine, 0) == CS_FAILED)
		fprintf(stderr, "count_calls: %s\n", cs_error(machine));
	free(histogram.places);
	cs_close(machine);
	return (int)status;
}
