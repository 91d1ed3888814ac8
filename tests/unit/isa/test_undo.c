/* Random paths that store over code, execute it, and are undone, as wrong paths are: what is
 * executed is always what an array of instructions holds, of which each checkpoint keeps a copy. */
#include "../test.h"
#include "base/rng.h"
#include "isa/undo.h"

#define CODE	0x10000
#define STORES	0x20000 /* where the storing instruction is */
#define SLOTS	32
#define NESTED	4
#define A0	10
#define T0	5
#define T1	6
#define SW_CODE 0x0062a023 /* sw t1, 0(t0) */

struct path {
	struct cpu cpu;
	struct undo_log log;
	uint32_t held[SLOTS]; /* what `addi a0, x0, N` in each slot gives */
	struct checkpoint checkpoints[NESTED];
	uint32_t kept[NESTED][SLOTS];
	unsigned depth;
};

static uint32_t load_immediate(uint32_t value)
{
	return value << 20 | A0 << 7 | 0x13;
}

static void execute_at(struct path *path, uint64_t pc)
{
	struct step_access access = {0};
	uint64_t fault;

	path->cpu.hart.pc = pc;
	const struct insn *insn = code_at(path->cpu.code, pc, &fault);
	assert_non_null(insn);
	/* What follows a checkpoint may be undone. */
	assert_int_equal(path->depth ? cpu_step_logged(&path->cpu, insn, &path->log, &access)
				     : cpu_step_watched(&path->cpu, insn, &access),
			 STOP_LIMIT);
}

static void execute(struct path *path, unsigned slot)
{
	execute_at(path, CODE + 4 * slot);
	assert_int_equal(path->cpu.hart.r[A0], path->held[slot]);
}

static void store(struct path *path, unsigned slot, uint32_t value)
{
	path->cpu.hart.r[T0] = CODE + 4 * slot;
	path->cpu.hart.r[T1] = load_immediate(value);
	execute_at(path, STORES);
	path->held[slot] = value;
}

static void take(struct path *path)
{
	if (path->depth == NESTED)
		return;
	memcpy(path->kept[path->depth], path->held, sizeof(path->held));
	checkpoint_take(&path->checkpoints[path->depth++], &path->cpu, &path->log);
}

static void restore(struct path *path, unsigned to)
{
	if (to >= path->depth)
		return;
	checkpoint_restore(&path->checkpoints[to], &path->cpu, &path->log);
	memcpy(path->held, path->kept[to], sizeof(path->held));
	path->depth = to;
	/* What the program sees is back, too. */
	for (unsigned i = 0; i < SLOTS; i++) {
		uint32_t word;

		assert_true(memory_read(path->cpu.memory, &word, CODE + 4 * i, 4));
		assert_int_equal(word, load_immediate(path->held[i]));
	}
}

static void begin(struct path *path, struct memory *memory)
{
	const unsigned all = PAGE_READ | PAGE_WRITE | PAGE_EXEC;
	const uint32_t sw = SW_CODE;
	struct err err;

	assert_true(memory_init(memory, UINT64_MAX, &err));
	assert_true(memory_map(memory, CODE, GUEST_PAGE_BYTES, all));
	assert_true(memory_map(memory, STORES, GUEST_PAGE_BYTES, all));
	*path = (struct path){.cpu.memory = memory};
	hart_init(&path->cpu.hart);
	path->cpu.code = code_create(memory);
	assert_non_null(path->cpu.code);
	undo_init(&path->log);
	assert_true(memory_write(memory, STORES, &sw, 4));
	for (unsigned i = 0; i < SLOTS; i++)
		store(path, i, i);
}

TEST(what_is_executed_is_what_memory_holds)
{
	struct rng rng = {1};
	struct memory memory;
	struct path path;

	begin(&path, &memory);
	for (unsigned i = 0; i < 20000; i++) {
		const unsigned slot = (unsigned)rng_below(&rng, SLOTS);

		switch (rng_below(&rng, 8)) {
		case 0: take(&path); break;
		case 1: restore(&path, (unsigned)rng_below(&rng, NESTED)); break;
		case 2:
		case 3: store(&path, slot, (uint32_t)rng_below(&rng, 2048)); break;
		default: execute(&path, slot); break;
		}
	}
	undo_release(&path.log);
	code_destroy(path.cpu.code);
	memory_release(&memory);
}
