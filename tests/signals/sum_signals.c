/*
 * sum_signals [-c FILE] [-s KEY=VALUE]... [-n COUNT] PROGRAM [ARGUMENT...]: simulates the program
 * with every kind of event and adds up every signal, record by record.
 *
 * Checks for each signal: if it has both, its values per cycle equal those of its events; if it
 * has a running total, that equals the sum; what belongs to instructions below an address and what
 * belongs to the others adds up to the whole. The list of retired instructions, if the core has
 * one, says the same as the commit events, and waits for the store buffer are the cycles in which
 * the oldest instruction waits for it. Prints "VALUE SUM" for every counted value of a
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

/* Of the lists of retired instructions. */
struct retired {
	uint64_t differ; /* instructions of which the commit event says something else */
	uint64_t branches, mispredictions;
	struct core_totals totals;
	uint64_t waits, parts;	    /* cycles for the store buffer; too long parts of them */
	uint64_t head_cycles, open; /* in HEAD_STORE; of these at the end of the run */
};

struct adder {
	struct retired retired;
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

static bool is_same(const struct cycle_retired *insn, const struct cycle_event *e)
{
	const unsigned tags = COMMIT_BRANCH - 1, detail = e->detail, marks = insn->marks;

	return insn->pc == e->pc && (insn->tags & tags) == (detail & tags) &&
	       !(marks & RETIRED_BRANCH) == !(detail & COMMIT_BRANCH) &&
	       !(marks & RETIRED_MISPREDICTED) == !(detail & COMMIT_MISPREDICTED) &&
	       !(marks & RETIRED_TAKEN) == !(detail & COMMIT_TAKEN);
}

static void add_waits(struct retired *r, const struct cycle_waits *w)
{
	for (unsigned i = 0; i < 5; i++)
		r->waits += w->store[i];
	r->parts += w->store_walk > w->store[0] ||
		    w->store_queue > w->store[1] + w->store[2] + w->store[3] ||
		    w->data_walk > w->data[0] || w->fetch_walk > w->fetch[0];
}

static void add_retired(struct retired *r, const struct cycle *cycle)
{
	const struct cycle_waits *waits = cycle->waits;
	unsigned next = 0;

	for (uint32_t i = 0; i < cycle->event_count; i++)
		if (cycle->events[i].kind == EVENT_COMMIT ||
		    cycle->events[i].kind == EVENT_COMMIT_PLAIN)
			r->differ += next == cycle->committed ||
				     !is_same(&cycle->retired[next++], &cycle->events[i]);
	r->differ += next != cycle->committed;
	for (unsigned i = 0; i < cycle->committed; i++) {
		r->branches += !!(cycle->retired[i].marks & RETIRED_BRANCH);
		r->mispredictions += !!(cycle->retired[i].marks & RETIRED_MISPREDICTED);
		if (cycle->retired[i].has_waits)
			add_waits(r, waits++);
	}
	r->totals = *cycle->totals;
	if (cycle->committed)
		r->open = 0;
	if (cycle->head_state == HEAD_STORE) {
		r->head_cycles += cycle->repeat;
		r->open += cycle->repeat;
	}
}

static void add(void *context, const struct cycle *cycle)
{
	struct adder *adder = context;

	if (cycle->retired)
		add_retired(&adder->retired, cycle);
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

static bool check_retired(const struct retired *r)
{
	const bool ok = !r->differ && !r->parts && r->waits == r->head_cycles - r->open &&
			r->branches == r->totals.branches &&
			r->mispredictions == r->totals.mispredictions;

	if (!ok)
		printf("# retired: %llu differ from their events, %llu have too long parts; the store "
		       "buffer: %llu waited, %llu in cycles; %llu branches, %llu mispredicted\n",
		       (unsigned long long)r->differ, (unsigned long long)r->parts,
		       (unsigned long long)r->waits, (unsigned long long)(r->head_cycles - r->open),
		       (unsigned long long)r->branches, (unsigned long long)r->mispredictions);
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
	struct err err = {.text = ""};
	size_t bytes;
	int option;

	config_reset(&config);
	while ((option = getopt(argc, argv, "+c:s:n:")) != -1) {
		bool ok = option == 'c'	  ? config_load_file(&config, optarg, NULL, NULL, &err)
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
	simulation_attach(
		simulation,
		(struct observer){add, &adder, (EVENT_BIT(EVENT_KINDS) - 1) | EVENTS_RETIRED});
	while (simulation_run_to(simulation, UINT64_C(1) << 40, limit))
		;
	bool ok = check(&adder, simulation);
	if (config.core_kind == CORE_OOO)
		ok &= check_retired(&adder.retired);
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
