/*
 * observe [-c FILE] [-s KEY=VALUE]... OUTPUT PROGRAM: simulates the program and writes to OUTPUT
 * what every signal adds up to, record by record, from the cycle in which the instruction at the
 * symbol first_read is fetched up to the one before second_read is: lines "NUMBER SUM", for the
 * signals that the machine's counters have.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "image/image.h"
#include "image/symbols.h"
#include "machine/simulation.h"
#include "pmu/pmu.h"

struct between {
	uint64_t pc[2];
	uint64_t *sums;
	unsigned passed; /* how many of the two have been fetched */
};

static _Noreturn void give_up(const char *sentence)
{
	fprintf(stderr, "observe: %s\n", sentence);
	exit(2);
}

static bool fetches(const struct cycle *cycle, uint64_t pc)
{
	for (uint32_t i = 0; i < cycle->event_count; i++) {
		const struct cycle_event *e = &cycle->events[i];

		if (e->kind == EVENT_FETCH && e->pc == pc && !e->wrong_path && !e->again)
			return true;
	}
	return false;
}

static void add(void *context, const struct cycle *cycle)
{
	struct between *between = context;

	if (between->passed < 2 && fetches(cycle, between->pc[between->passed]))
		between->passed++;
	for (size_t i = 0; between->passed == 1 && i < signal_count(); i++)
		between->sums[i] += signal_sum(&signal_rows[i], cycle);
}

static void find_places(struct between *between, const uint8_t *image, size_t bytes)
{
	static const char *const names[2] = {"first_read", "second_read"};
	struct err err;
	struct symbols *symbols = symbols_read(image, bytes, "the program", &err);

	for (unsigned i = 0; i < 2; i++) {
		const struct symbol *symbol = symbols ? symbols_by_name(symbols, names[i]) : NULL;

		if (!symbol)
			give_up("first_read or second_read is missing");
		between->pc[i] = symbol->address;
	}
	symbols_free(symbols);
}

int main(int argc, char **argv)
{
	struct config config;
	struct err err;
	size_t bytes;
	int option;

	config_reset(&config);
	while ((option = getopt(argc, argv, "+c:s:")) != -1)
		if (!(option == 'c' ? config_load_file(&config, optarg, NULL, NULL, &err)
				    : config_set(&config, optarg, &err)))
			give_up(err.text);
	if (optind + 2 != argc || !config_settle(&config, &err))
		give_up(optind + 2 != argc ? "OUTPUT PROGRAM?" : err.text);
	uint8_t *image = image_read(argv[optind + 1], &bytes, &err);
	if (!image)
		give_up(err.text);
	const struct process_options options = {
		.program = "program",
		.image = image,
		.image_bytes = bytes,
		.argv = (const char *const[]){"program", NULL},
		.seed = 1,
		.memory_limit_bytes = UINT64_C(4) << 30,
	};
	struct process *process = process_create(&options, &err);
	struct simulation *simulation = process ? simulation_create(&config, process, &err) : NULL;
	struct pmu *pmu = simulation ? pmu_create(&config, process, &err) : NULL;
	if (!pmu)
		give_up(err.text);
	struct between between = {.sums = mem_alloc_array(signal_count(), sizeof(uint64_t))};
	find_places(&between, image, bytes);
	simulation_attach(simulation, (struct observer){add, &between, EVENT_BIT(EVENT_KINDS) - 1});
	pmu_attach(pmu, simulation);
	while (simulation_run(simulation, UINT64_C(1) << 40))
		;
	FILE *out = fopen(argv[optind], "w");
	if (!out || between.passed != 2)
		give_up("the program did not come to second_read, or OUTPUT cannot be written");
	for (size_t i = 0; i < signal_count(); i++)
		if (events_has_signal(&config, &signal_rows[i]))
			fprintf(out, "%zu %llu\n", i, (unsigned long long)between.sums[i]);
	fclose(out);
	pmu_destroy(pmu);
	simulation_destroy(simulation);
	process_destroy(process);
	free(between.sums);
	free(image);
	return 0;
}
