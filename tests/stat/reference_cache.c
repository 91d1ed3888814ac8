/*
 * reference_cache [-c FILE] PROGRAM [ARGUMENT...]: executes the program functionally, one
 * instruction at a time, with a direct-mapped cache that stores do not allocate in, and prints
 * "FUNCTION LOAD-MISSES STORE-MISSES" for every function that has any. Functions of one name are
 * added up.
 *
 * Instructions are decoded here by their bits, addresses come from the registers, and the cache is
 * an array of tags: no part of the cores' decoder or caches is used. FILE must have one such cache
 * of LINES lines. One thing depends on time, which a functional execution has not: a load that is
 * served by the write buffer does not reach the cache. Which loads were (the n-th execution of the
 * instruction at a pc) is taken from a simulation's events EVENT_ISSUE and EVENT_FORWARD.
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

#define LINES	   128
#define LINE_BYTES 32

/* By half a word of code. */
struct code_place {
	uint32_t issued, executed;
	uint32_t *forwarded; /* numbers of executions, ascending */
	size_t forwarded_count, forwarded_capacity, next;
	uint64_t misses[2]; /* of loads and of stores */
};

struct reference {
	const struct symbols *symbols;
	uint64_t low, high, bias;
	struct code_place *places;
	uint64_t tags[LINES]; /* line number + 1; 0: empty */
};

struct access {
	uint64_t address;
	unsigned bytes; /* 0: none */
	bool loads, stores;
};

static _Noreturn void give_up(const char *sentence)
{
	fprintf(stderr, "reference_cache: %s\n", sentence);
	exit(2);
}

static struct code_place *place_of(const struct reference *r, uint64_t pc)
{
	uint64_t at = pc - r->bias - r->low;

	return at < r->high - r->low ? &r->places[at / 2] : NULL;
}

static void note_forwards(void *context, const struct cycle *cycle)
{
	struct reference *r = context;
	struct code_place *place = NULL;

	for (uint32_t i = 0; i < cycle->event_count; i++)
		if (cycle->events[i].kind == EVENT_FORWARD &&
		    (place = place_of(r, cycle->events[i].pc)))
			*ARRAY_PUSH(place->forwarded, place->forwarded_count,
				    place->forwarded_capacity) = place->issued;
	for (uint32_t i = 0; i < cycle->event_count; i++)
		if (cycle->events[i].kind == EVENT_ISSUE &&
		    (place = place_of(r, cycle->events[i].pc)))
			place->issued++;
}

static struct access compressed(uint32_t b, const uint64_t *x)
{
	unsigned function = b >> 13 & 7, kind = function & 3;
	bool stores = function >= 5;
	uint64_t offset;

	if ((b & 3) == 1 || !kind)
		return (struct access){0};
	unsigned bytes = kind == 2 ? 4 : 8;
	if ((b & 3) == 0) {
		offset = bytes == 4 ? (b >> 10 & 7) << 3 | (b >> 6 & 1) << 2 | (b >> 5 & 1) << 6
				    : (b >> 10 & 7) << 3 | (b >> 5 & 3) << 6;
		return (struct access){x[8 + (b >> 7 & 7)] + offset, bytes, !stores, stores};
	}
	if (stores)
		offset = bytes == 4 ? (b >> 9 & 15) << 2 | (b >> 7 & 3) << 6
				    : (b >> 10 & 7) << 3 | (b >> 7 & 7) << 6;
	else
		offset = bytes == 4 ? (b >> 12 & 1) << 5 | (b >> 4 & 7) << 2 | (b >> 2 & 3) << 6
				    : (b >> 12 & 1) << 5 | (b >> 5 & 3) << 3 | (b >> 2 & 7) << 6;
	return (struct access){x[2] + offset, bytes, !stores, stores};
}

static struct access decode(const struct process *process)
{
	const uint64_t *x = process->cpu.hart.r;
	uint64_t pc = process->cpu.hart.pc;
	uint16_t halves[2] = {0};

	if (!memory_read(&process->memory, &halves[0], pc, 2))
		return (struct access){0};
	if ((halves[0] & 3) != 3)
		return compressed(halves[0], x);
	memory_read(&process->memory, &halves[1], pc + 2, 2);
	uint32_t b = halves[0] | (uint32_t)halves[1] << 16;
	uint64_t base = x[b >> 15 & 31];
	unsigned bytes = 1u << (b >> 12 & 3);
	int32_t offset = (int32_t)b >> 20;

	switch (b & 0x7f) {
	case 0x03:
	case 0x07: return (struct access){base + (uint64_t)offset, bytes, true, false};
	case 0x23:
	case 0x27:
		offset = (offset & ~31) | (int32_t)(b >> 7 & 31);
		return (struct access){base + (uint64_t)offset, bytes, false, true};
	case 0x2f: /* atomics: load-reserved only loads, store-conditional is seen to store */
		return (struct access){base, bytes, b >> 27 != 3, b >> 27 != 2};
	default: return (struct access){0};
	}
}

static void touch(struct reference *r, struct code_place *place, uint64_t address, bool is_store)
{
	uint64_t line = address / LINE_BYTES, *tag = &r->tags[line % LINES];

	if (*tag == line + 1)
		return;
	if (place)
		place->misses[is_store]++;
	if (!is_store)
		*tag = line + 1;
}

static void make(struct reference *r, struct code_place *place, const struct access *access)
{
	bool is_forwarded = place && place->next < place->forwarded_count &&
			    place->forwarded[place->next] == place->executed;
	uint64_t last = access->address + access->bytes - 1;

	if (is_forwarded)
		place->next++;
	for (int is_store = 0; access->bytes && is_store < 2; is_store++) {
		if (!(is_store ? access->stores : access->loads && !is_forwarded))
			continue;
		touch(r, place, access->address, is_store);
		if (last / LINE_BYTES != access->address / LINE_BYTES)
			touch(r, place, last, is_store);
	}
}

static void execute(struct reference *r, struct process *process)
{
	bool runs = true;

	while (runs) {
		uint64_t before = process->cpu.instructions;
		struct code_place *place = place_of(r, process->cpu.hart.pc);
		struct access access = decode(process);

		runs = process_run(process, before + 1);
		if (process->cpu.instructions == before)
			continue;
		make(r, place, &access);
		if (place)
			place->executed++;
	}
}

static void print(const struct reference *r)
{
	for (size_t i = 0; i < symbols_count(r->symbols); i++) {
		const struct symbol *s = symbols_at(r->symbols, i);
		uint64_t sums[2] = {0};
		bool is_first = true;

		for (size_t k = 0; k < i; k++)
			is_first &= strcmp(symbols_at(r->symbols, k)->name, s->name) != 0;
		for (size_t k = i; is_first && k < symbols_count(r->symbols); k++) {
			const struct symbol *same = symbols_at(r->symbols, k);

			for (uint64_t a = 0; strcmp(same->name, s->name) == 0 && a < same->bytes;
			     a += 2)
				for (int w = 0; w < 2; w++)
					sums[w] += r->places[(same->address + a - r->low) / 2]
							   .misses[w];
		}
		if (sums[0] || sums[1])
			printf("%s %llu %llu\n", s->name, (unsigned long long)sums[0],
			       (unsigned long long)sums[1]);
	}
}

int main(int argc, char **argv)
{
	struct reference r = {0};
	struct config config;
	struct err err = {.text = ""};
	size_t bytes;
	int option;

	config_reset(&config);
	while ((option = getopt(argc, argv, "+c:")) != -1)
		if (option != 'c' || !config_load_file(&config, optarg, NULL, NULL, &err))
			give_up(err.text);
	if (optind >= argc || !config_settle(&config, &err))
		give_up("which program?");
	uint8_t *image = image_read(argv[optind], &bytes, &err);
	struct symbols *symbols = image ? symbols_read(image, bytes, argv[optind], &err) : NULL;
	if (!symbols)
		give_up(err.text);
	r.symbols = symbols;
	r.low = symbols_at(symbols, 0)->address;
	r.high = harness_code_end(symbols);
	r.places = mem_alloc_array((r.high - r.low) / 2 + 1, sizeof(*r.places));
	struct process *process = harness_process(argv + optind, image, bytes, &err);
	struct simulation *simulation = process ? simulation_create(&config, process, &err) : NULL;
	if (!simulation)
		give_up(err.text);
	r.bias = process->bias;
	simulation_attach(simulation,
			  (struct observer){note_forwards, &r,
					    EVENT_BIT(EVENT_ISSUE) | EVENT_BIT(EVENT_FORWARD)});
	while (simulation_run(simulation, UINT64_C(1) << 40))
		;
	simulation_destroy(simulation);
	process_destroy(process);
	process = harness_process(argv + optind, image, bytes, &err);
	if (!process)
		give_up(err.text);
	execute(&r, process);
	print(&r);
	process_destroy(process);
	for (size_t i = 0; i <= (r.high - r.low) / 2; i++)
		free(r.places[i].forwarded);
	free(r.places);
	symbols_free(symbols);
	free(image);
	return 0;
}
