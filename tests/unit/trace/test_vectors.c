/* Basic-block vectors are those of a slow twin, which executes one instruction at a time and looks
 * at each whether a block ends with it. */
#include "trace/vectors.h"

#include <stdlib.h>

#include "../test.h"
#include "base/array.h"
#include "image/image.h"
#include "isa/branch.h"

#define BLOCKS_MOST  20000
#define THREADS_MOST 64

/* The arguments must live as long as the process. */
static struct process *start(const uint8_t *image, size_t bytes, const char *const *argv)
{
	const struct process_options options = {.program = argv[0],
						.image = image,
						.image_bytes = bytes,
						.argv = argv,
						.seed = 1,
						.memory_limit_bytes = UINT64_C(1) << 30,
						.silent = true};
	struct err err;

	return process_create(&options, &err);
}

static void write_line(void *context, const struct vector_entry *entries, size_t count)
{
	vectors_write_line(context, entries, count);
}

/* In pieces of some odd length: where they end changes nothing. */
static struct bytes count_fast(struct process *process, uint64_t interval, uint64_t piece)
{
	struct bytes text = {0};
	struct vectors *vectors = vectors_create(process, interval, write_line, &text);

	while (vectors_run(vectors, process->cpu.instructions + piece))
		;
	vectors_finish(vectors);
	vectors_destroy(vectors);
	return text;
}

struct twin {
	uint64_t starts[BLOCKS_MOST], executed[BLOCKS_MOST];
	size_t count;
	/* Of each thread: where it is, and in which block; 0: none. */
	struct {
		uint64_t pc;
		size_t block;
	} threads[THREADS_MOST];
	struct bytes text;
};

static size_t block_at(struct twin *twin, uint64_t pc)
{
	size_t i = 0;

	while (i < twin->count && twin->starts[i] != pc)
		i++;
	assert_true(i < BLOCKS_MOST);
	twin->starts[i] = pc;
	twin->count += i == twin->count;
	return i + 1;
}

static void end_line(struct twin *twin)
{
	struct vector_entry entries[BLOCKS_MOST];
	size_t count = 0;

	for (size_t i = 0; i < twin->count; i++)
		if (twin->executed[i])
			entries[count++] =
				(struct vector_entry){(uint32_t)i + 1, twin->executed[i]};
	memset(twin->executed, 0, sizeof(twin->executed));
	if (count)
		vectors_write_line(&twin->text, entries, count);
}

static void step(struct twin *twin, struct process *process)
{
	struct cpu *cpu = &process->cpu;
	const uint64_t pc = cpu->hart.pc, before = cpu->instructions;
	const size_t thread = (size_t)process->current->tid % THREADS_MOST;
	uint64_t fault;
	size_t block = twin->threads[thread].pc == pc ? twin->threads[thread].block : 0;
	const struct insn *insn = code_at(cpu->code, pc, &fault);
	const bool ends = insn && insn_control(insn) != CONTROL_NONE;
	const enum cpu_stop stop = cpu_step(cpu);

	if (cpu->instructions > before) {
		if (!block)
			block = block_at(twin, pc);
		twin->executed[block - 1]++;
	}
	twin->threads[thread].pc = cpu->hart.pc;
	twin->threads[thread].block = stop != STOP_LIMIT || ends ? 0 : block;
	if (stop != STOP_LIMIT || cpu->instructions >= process_slice_end(process))
		process_handle(process, stop);
}

static struct bytes count_slowly(struct process *process, uint64_t interval)
{
	struct twin *twin = mem_alloc(sizeof(*twin));
	uint64_t ends = interval;

	while (process->state == PROCESS_RUNNING) {
		step(twin, process);
		if (process->cpu.instructions >= ends) {
			end_line(twin);
			ends += interval;
		}
	}
	end_line(twin);
	const struct bytes text = twin->text;

	free(twin);
	return text;
}

TEST(vectors_are_those_of_a_slow_twin)
{
	static const struct {
		const char *name;
		uint64_t interval, piece;
	} rows[] = {
		{"heapsort", 9973, 123456}, {"netflow", 100000, 777}, {"interp", 5000, 1000000}};
	const char *build = getenv("BUILD");

	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		char path[512];
		size_t bytes;
		struct err err;

		snprintf(path, sizeof(path), "%s/workloads/%s", build ? build : "build",
			 rows[i].name);
		uint8_t *image = image_read(path, &bytes, &err);

		if (!image)
			skip();
		const char *const argv[] = {rows[i].name, "test", NULL};
		struct process *process = start(image, bytes, argv);
		struct process *slow = start(image, bytes, argv);
		struct bytes fast = count_fast(process, rows[i].interval, rows[i].piece);
		struct bytes twin = count_slowly(slow, rows[i].interval);

		assert_int_equal(process->cpu.instructions, slow->cpu.instructions);
		assert_int_equal(fast.count, twin.count);
		assert_memory_equal(fast.bytes, twin.bytes, twin.count);
		free(fast.bytes);
		free(twin.bytes);
		process_destroy(process);
		process_destroy(slow);
		free(image);
	}
}

TEST(a_line_is_that_of_simpoint)
{
	const struct vector_entry entries[] = {{1, 45}, {12, 4000000000000}};
	struct bytes text = {0};

	vectors_write_line(&text, entries, 2);
	vectors_write_line(&text, entries + 1, 1);
	bytes_put(&text, "", 1);
	assert_string_equal((const char *)text.bytes,
			    "T:1:45 :12:4000000000000\nT:12:4000000000000\n");
	free(text.bytes);
}
