/*
 * count_functions PROGRAM [ARGUMENT...]: executes the program functionally, one instruction at a
 * time, and prints "FUNCTION committed CONDITIONAL" for every function in which any was executed.
 * Conditional branches are told by the bits of the instruction, without the decoder that the cores
 * use. Functions of one name are added up.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "image/image.h"
#include "image/symbols.h"
#include "linux/process.h"
#include "../harness.h"

static _Noreturn void give_up(const char *sentence)
{
	fprintf(stderr, "count_functions: %s\n", sentence);
	exit(2);
}

static bool is_conditional(const struct memory *memory, uint64_t pc)
{
	uint16_t bits = 0;

	if (!memory_read(memory, &bits, pc, sizeof(bits)))
		return false;
	if ((bits & 3) == 3)
		return (bits & 0x7f) == 0x63;
	return (bits & 3) == 1 && bits >> 14 == 3; /* c.beqz and c.bnez */
}

int main(int argc, char **argv)
{
	struct err err = {.text = ""};
	size_t bytes;

	if (argc < 2)
		give_up("which program?");
	uint8_t *image = image_read(argv[1], &bytes, &err);
	struct symbols *symbols = image ? symbols_read(image, bytes, argv[1], &err) : NULL;
	if (!symbols)
		give_up(err.text);
	struct process *process = harness_process(argv + 1, image, bytes, &err);
	size_t count = symbols_count(symbols);
	uint64_t low = symbols_at(symbols, 0)->address, high = harness_code_end(symbols);
	uint64_t *executed = mem_alloc_array((high - low) / 2 + 1, sizeof(*executed));
	uint8_t *branches = mem_alloc((high - low) / 2 + 1);
	if (!process)
		give_up(err.text);
	bool runs = true;
	while (runs) {
		uint64_t pc = process->cpu.hart.pc, before = process->cpu.instructions;
		bool is_branch = is_conditional(&process->memory, pc);

		runs = process_run(process, before + 1);
		uint64_t at = pc - process->bias - low;
		if (process->cpu.instructions != before && at < high - low) {
			executed[at / 2]++;
			branches[at / 2] = is_branch;
		}
	}
	for (size_t i = 0; i < count; i++) {
		const struct symbol *s = symbols_at(symbols, i);
		uint64_t committed = 0, conditional = 0;
		bool is_first = true;

		for (size_t k = 0; k < i; k++)
			is_first &= strcmp(symbols_at(symbols, k)->name, s->name) != 0;
		for (size_t k = i; is_first && k < count; k++) {
			const struct symbol *same = symbols_at(symbols, k);

			if (strcmp(same->name, s->name) != 0)
				continue;
			for (uint64_t a = same->address; a < same->address + same->bytes; a += 2) {
				committed += executed[(a - low) / 2];
				conditional +=
					branches[(a - low) / 2] ? executed[(a - low) / 2] : 0;
			}
		}
		if (committed)
			printf("%s %llu %llu\n", s->name, (unsigned long long)committed,
			       (unsigned long long)conditional);
	}
	free(executed);
	free(branches);
	process_destroy(process);
	symbols_free(symbols);
	free(image);
	return 0;
}
