/*
 * sum_signals [-c FILE] [-s KEY=VALUE]... [-n COUNT] PROGRAM [ARGUMENT...]: simulates the program
 * with every kind of event and adds up every signal, record by record.
 *
 * Checks for each signal: if it has both, its values per cycle equal those of its events; if it
 * has a running total, that equals the sum; what belongs to instructions below an address and what
 * belongs to the others adds up to the whole. Prints "VALUE SUM" for every counted value of a
 * result, in the order of results, and a line "# ..." for everything that does not hold. Status 0:
 * everything held;
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "image/image.h"
#include "machine/simulation.h"
#include "value/counted.h"
#include "../harness.h"

struct sums {
	uint64_t whole, by_events, below, above;
};

struct adder {
	struct sums *sums;
	uint64_t divide; /* not so; 2: it could not be run. */
	uint64_t records;
};

static _Noreturn void give_up(const char *sentence)
{
	fprintf(stderr, "sum_signals: %s\n", sentence);
	exit(2);
}

/* The sum of the events alone, even if the signal has a value too. */
static uint64_t sum_events(const struct signal_row *row, const struct cycle *cycle)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < cycle->event_count; i++)
		if (row->events & EVENT_BIT(cycle->events[i].kind))
			sum += row->amount(&cycle->events[i]);
	return sum;
}

static void add(void *context, const struct cycle *cycle)
{
	struct adder *adder = context;

	if (!adder->records++)
		adder->divide = cycle->fetch_pc;
	for (size_t i = 0; i < signal_count(); i++) {
		const struct signal_row *row = &signal_rows[i];
		struct sums *sums = &adder->sums[i];

		sums->whole += signal_sum(row, cycle);
		if (row->amount)
			sums->by_events += sum_events(row, cycle);
		sums->below += signal_sum_in(row, cycle, 0, adder->divide);
		sums->above += signal_sum_in(row, cycle, adder->divide, UINT64_MAX);
	}
}

static bool expect(const struct signal_row *row, const char *what, uint64_t left, uint64_t right)
{
	if (left != right)
		printf("# %s: %s: %llu is not %llu\n", row->name, what, (unsigned long long)left,
		       (unsigned long long)right);
	return left == right;
}

static bool check(const struct adder *adder, const struct simulation *simulation)
{
	bool ok = true;

	for (size_t i = 0; i < signal_count(); i++) {
		const struct signal_row *row = &signal_rows[i];
		const struct sums *sums = &adder->sums[i];

		if (row->amount)
			ok &= expect(row, "cycles = events", sums->whole, sums->by_events);
		if (row->total)
			ok &= expect(row, "total = sum", simulation_total(simulation, row),
				     sums->whole);
		ok &= expect(row, "by address = whole", sums->below + sums->above, sums->whole);
	}
	return ok;
}

static void print_values(const struct adder *adder)
{
	for (const struct counted_row *row = counted_rows; row->name; row++) {
		const struct signal_row *signal = signal_find(row->signal);

		printf("%s %llu\n", row->name,
		       (unsigned long long)adder->sums[signal - signal_rows].whole);
	}
}

int main(int argc, char **argv)
{
	uint64_t limit = UINT64_MAX;
	struct config config;
	struct err err = {""};
	size_t bytes;
	int option;

	config_reset(&config);
	while ((option = getopt(argc, argv, "+c:s:n:")) != -1) {
		bool ok = option == 'c'	  ? config_load_file(&config, optarg, NULL, &err)
			  : option == 's' ? config_set(&config, optarg, &err)
					  : option == 'n';

		if (!ok)
			give_up(err.text);
		if (option == 'n')
			limit = strtoull(optarg, NULL, 0);
	}
	if (optind == argc || !config_settle(&config, &err))
		give_up(optind == argc ? "which program?" : err.text);
	uint8_t *image = image_read(argv[optind], &bytes, &err);
	if (!image)
		give_up(err.text);
	struct process *process = harness_process(argv + optind, image, bytes, &err);
	struct simulation *simulation = process ? simulation_create(&config, process, &err) : NULL;
	if (!simulation)
		give_up(err.text);
	struct adder adder = {.sums = mem_alloc_array(signal_count(), sizeof(*adder.sums))};
	simulation_attach(simulation, (struct observer){add, &adder, EVENT_BIT(EVENT_KINDS) - 1});
	while (simulation_run_to(simulation, UINT64_C(1) << 40, limit))
		;
	bool ok = check(&adder, simulation);
	print_values(&adder);
	if (!simulation_check(simulation, &err)) {
		printf("# %s\n", err.text);
		ok = false;
	}
	simulation_destroy(simulation);
	process_destroy(process);
	free(adder.sums);
	free(image);
	return ok ? 0 : 1;
}
