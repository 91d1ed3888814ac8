/* The fast interpreter against its slow twin, on real programs, and what a
 * process promises: the same run every time, two at once, slices at any place. */
#include "../test.h"
#include "base/array.h"
#include "base/rng.h"
#include "linux/process.h"

struct image {
	uint8_t *bytes;
	size_t size;
};

static bool read_workload(const char *name, struct image *image)
{
	const char *build = getenv("BUILD");
	char path[4096];

	snprintf(path, sizeof(path), "%s/workloads/%s", build ? build : "build", name);
	FILE *in = fopen(path, "rb");
	if (!in)
		return false;
	fseek(in, 0, SEEK_END);
	image->size = (size_t)ftell(in);
	rewind(in);
	image->bytes = mem_alloc(image->size);
	assert_int_equal(fread(image->bytes, 1, image->size, in), image->size);
	fclose(in);
	return true;
}

static struct process *start(const struct image *image, const char *name)
{
	const char *argv[] = {name, "test", NULL};
	struct process_options options = {.program = name,
					  .image = image->bytes,
					  .image_bytes = image->size,
					  .argv = argv,
					  .seed = 1,
					  .memory_limit_bytes = UINT64_C(1) << 30};
	struct err err;
	struct process *process = process_create(&options, &err);

	assert_non_null(process);
	return process;
}

static void run_stepwise(struct process *process, uint64_t limit)
{
	while (process->state == PROCESS_RUNNING && process->cpu.instructions < limit) {
		enum cpu_stop stop = cpu_step(&process->cpu);

		if (stop != STOP_LIMIT || process->cpu.instructions >= process_slice_end(process))
			process_handle(process, stop);
	}
}

static void assert_same(const struct process *a, const struct process *b)
{
	assert_int_equal(a->cpu.instructions, b->cpu.instructions);
	assert_memory_equal(&a->cpu.hart, &b->cpu.hart, REG_SINK * sizeof(uint64_t));
	assert_int_equal(a->cpu.hart.pc, b->cpu.hart.pc);
	assert_int_equal(a->cpu.hart.fflags, b->cpu.hart.fflags);
	assert_int_equal(a->memory.charged_bytes, b->memory.charged_bytes);
	for (uint64_t page = 0; page < GUEST_SPACE_BYTES >> GUEST_PAGE_BITS; page++) {
		uint64_t address = page << GUEST_PAGE_BITS;

		if (!(a->memory.pages[page] & PAGE_READ))
			continue;
		assert_memory_equal(a->memory.base + address, b->memory.base + address,
				    GUEST_PAGE_BYTES);
	}
}

static const char *const names[] = {"heapsort", "interp", "fft", "raytrace", "hospital"};

TEST(the_fast_interpreter_equals_its_slow_twin)
{
	struct rng rng = {3};

	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		struct image image;

		if (!read_workload(names[i], &image))
			skip();
		struct process *fast = start(&image, names[i]), *slow = start(&image, names[i]);

		while (fast->state == PROCESS_RUNNING) {
			uint64_t limit = fast->cpu.instructions + 1 + rng_below(&rng, 200000);

			process_run(fast, limit);
			run_stepwise(slow, limit);
			assert_same(fast, slow);
		}
		assert_int_equal(fast->state, PROCESS_EXITED);
		assert_int_equal(fast->status, 0);
		assert_int_equal(slow->state, PROCESS_EXITED);
		process_destroy(fast);
		process_destroy(slow);
		free(image.bytes);
	}
}

TEST(two_processes_are_independent)
{
	struct image image;

	if (!read_workload("heapsort", &image))
		skip();
	struct process *alone = start(&image, "heapsort");
	while (process_run(alone, alone->cpu.instructions + 1000000))
		;
	struct process *a = start(&image, "heapsort"), *b = start(&image, "heapsort");
	bool is_running = true;
	while (is_running) {
		is_running = process_run(a, a->cpu.instructions + 777);
		is_running |= process_run(b, b->cpu.instructions + 12345);
	}
	assert_int_equal(a->cpu.instructions, alone->cpu.instructions);
	assert_int_equal(b->cpu.instructions, alone->cpu.instructions);
	assert_same(a, alone);
	process_destroy(a);
	process_destroy(b);
	process_destroy(alone);
	free(image.bytes);
}
