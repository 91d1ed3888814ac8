/*
 * recount [-c FILE] SIGNAL PROGRAM [ARGUMENT...]: simulates the program with every kind of event,
 * keeps what each event adds to the signal by its pc, and prints "FUNCTION SUM" for every function
 * that has any. Functions of one name are added up. It uses no part of the statistics module.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "image/image.h"
#include "image/symbols.h"
#include "machine/simulation.h"
#include "../harness.h"

struct recount {
	const struct signal_row *signal;
	uint64_t low, high, bias, *sums; /* a sum for every second address */
};

static _Noreturn void give_up(const char *sentence)
{
	fprintf(stderr, "recount: %s\n", sentence);
	exit(2);
}

static void add(void *context, const struct cycle *cycle)
{
	struct recount *r = context;

	for (uint32_t i = 0; i < cycle->event_count; i++) {
		const struct cycle_event *e = &cycle->events[i];
		uint64_t at = e->pc - r->bias - r->low;

		if (r->signal->events & EVENT_BIT(e->kind) && at < r->high - r->low)
			r->sums[at / 2] += r->signal->amount(e);
	}
}

static void print(const struct recount *r, const struct symbols *symbols)
{
	for (size_t i = 0; i < symbols_count(symbols); i++) {
		const struct symbol *s = symbols_at(symbols, i);
		bool is_first = true;
		uint64_t sum = 0;

		for (size_t k = 0; k < i; k++)
			is_first &= strcmp(symbols_at(symbols, k)->name, s->name) != 0;
		for (size_t k = i; is_first && k < symbols_count(symbols); k++) {
			const struct symbol *same = symbols_at(symbols, k);

			for (uint64_t a = 0; strcmp(same->name, s->name) == 0 && a < same->bytes;
			     a += 2)
				sum += r->sums[(same->address + a - r->low) / 2];
		}
		if (sum)
			printf("%s %llu\n", s->name, (unsigned long long)sum);
	}
}

int main(int argc, char **argv)
{
	struct recount r = {0};
	struct config config;
	struct err err = {.text = ""};
	size_t bytes;
	int option;

	config_reset(&config);
	while ((option = getopt(argc, argv, "+c:")) != -1)
		if (option != 'c' || !config_load_file(&config, optarg, NULL, NULL, &err))
			give_up(err.text);
	if (optind + 2 > argc || !config_settle(&config, &err))
		give_up("which signal of which program?");
	r.signal = signal_find(argv[optind++]);
	if (!r.signal || !r.signal->amount)
		give_up("there is no such signal over events");
	uint8_t *image = image_read(argv[optind], &bytes, &err);
	struct symbols *symbols = image ? symbols_read(image, bytes, argv[optind], &err) : NULL;
	if (!symbols)
		give_up(err.text);
	r.low = symbols_at(symbols, 0)->address;
	r.high = harness_code_end(symbols);
	r.sums = mem_alloc_array((r.high - r.low) / 2 + 1, sizeof(*r.sums));
	struct process *process = harness_process(argv + optind, image, bytes, &err);
	struct simulation *simulation = process ? simulation_create(&config, process, &err) : NULL;
	if (!simulation)
		give_up(err.text);
	r.bias = process->bias;
	simulation_attach(simulation, (struct observer){add, &r, EVENT_BIT(EVENT_KINDS) - 1});
	while (simulation_run(simulation, UINT64_C(1) << 40))
		;
	print(&r, symbols);
	simulation_destroy(simulation);
	process_destroy(process);
	symbols_free(symbols);
	free(r.sums);
	free(image);
	return 0;
}
