/* What is measured of a program equals what a plain model counts that is given its instructions one
 * by one. */
#include "../test.h"
#include "../machine/plain_model.h"
#include "measure/measure.h"

/* Numbers, each once, in the order of their hash. */
struct set {
	uint64_t *items; /* the number plus one */
	size_t room;
};

static bool add_new(struct set *set, uint64_t number)
{
	size_t at = number * UINT64_C(0x9e3779b97f4a7c15) % set->room;

	while (set->items[at] && set->items[at] != number + 1)
		at = (at + 1) % set->room;
	bool is_new = !set->items[at];
	set->items[at] = number + 1;
	return is_new;
}

struct twin {
	struct model near, far;
	struct predictor *predictor;
	struct set code, data;
	uint64_t line;
	struct measurement out;
};

static void step(struct twin *t, struct process *process)
{
	struct cpu *cpu = &process->cpu;
	uint64_t pc = cpu->hart.pc;
	uint32_t raw = 0;

	assert_true(memory_read(&process->memory, &raw, pc, 4) ||
		    memory_read(&process->memory, &raw, pc, 2));
	struct insn insn = insn_decode(raw);
	uint64_t address = cpu->hart.r[insn.rs1] + (uint64_t)(int64_t)insn.imm;
	if (add_new(&t->code, pc)) {
		t->out.code_bytes += insn.bytes;
		t->out.static_branches += insn.unit == UNIT_BRANCH;
	}
	for (uint64_t at = pc; at < pc + insn.bytes; at += 2)
		if (at / 32 != t->line) {
			t->line = at / 32;
			model_access(&t->near, SIDE_INSTRUCTION, at, false);
			model_access(&t->far, SIDE_INSTRUCTION, at, false);
		}
	if (insn.unit == UNIT_LOAD || insn.unit == UNIT_STORE || insn.unit == UNIT_AMO) {
		bool stores = insn.unit == UNIT_STORE;

		t->out.data_bytes += 64 * add_new(&t->data, address / 64);
		model_access(&t->near, SIDE_DATA, address, stores);
		bool is_long = model_access(&t->far, SIDE_DATA, address, stores);
		t->out.long_misses += is_long;
		t->out.long_loads += is_long && !stores;
	}
	enum cpu_stop stop = cpu_step(cpu);
	if (stop == STOP_LIMIT)
		t->out.mispredictions += plain_branch(t->predictor, &insn, pc, cpu->hart.pc);
	if (stop != STOP_LIMIT || cpu->instructions >= process_slice_end(process))
		process_handle(process, stop);
}

static bool stop_at_once(void *context)
{
	++*(unsigned *)context;
	return true;
}

static bool never_stop(void *context)
{
	++*(unsigned *)context;
	return false;
}

static void check(const char *name, bool is_stopped)
{
	struct process *a = plain_start(name), *b = plain_start(name);
	struct config near, far;
	struct measurement out;
	struct err err = {.text = ""};
	unsigned asked = 0;

	if (!a)
		skip();
	config_reset(&near);
	near.l1i_size = 1024;
	near.dtlb_entries = 4;
	near.dtlb_ways = 2;
	near.bimodal_entries = near.gshare_entries = near.chooser_entries = 64;
	near.gshare_history = 5;
	config_reset(&far);
	far.l1d_size = 512;
	far.l2_size = 4096;
	far.l2_ways = 2;
	struct twin t = {.near = model_create(&near),
			 .far = model_create(&far),
			 .predictor = parts_predictor(&near, 1, &err),
			 .code = {mem_alloc_array(1 << 18, 8), 1 << 18},
			 .data = {mem_alloc_array(1 << 18, 8), 1 << 18},
			 .line = UINT64_MAX};
	assert_true(measure_run(a, &near, &far, is_stopped ? stop_at_once : never_stop, &asked,
				&out, &err));
	assert_int_equal(asked, is_stopped ? 1 : a->cpu.instructions / 1000000);
	assert_int_equal(out.instructions, a->cpu.instructions);
	assert_int_equal(a->state == PROCESS_RUNNING, is_stopped);
	while (b->state == PROCESS_RUNNING && b->cpu.instructions < a->cpu.instructions)
		step(&t, b);
	/* The last system call is no instruction more. */
	if (!is_stopped && b->state == PROCESS_RUNNING)
		step(&t, b);
	assert_int_equal(b->cpu.instructions, out.instructions);
	assert_int_equal(out.code_bytes, t.out.code_bytes);
	assert_int_equal(out.static_branches, t.out.static_branches);
	assert_int_equal(out.data_bytes, t.out.data_bytes);
	assert_int_equal(out.mispredictions, t.out.mispredictions);
	assert_int_equal(out.l1i_misses, t.near.l1_misses[SIDE_INSTRUCTION]);
	assert_int_equal(out.dtlb_misses, t.near.tlb_misses[SIDE_DATA]);
	assert_int_equal(out.long_misses, t.out.long_misses);
	assert_int_equal(out.long_loads, t.out.long_loads);
	assert_true(out.mispredictions > 100 && out.l1i_misses > 100 && out.dtlb_misses > 10);
	assert_true(out.long_loads > 10 && out.long_misses > out.long_loads);
	model_release(&t.near);
	model_release(&t.far);
	predictor_destroy(t.predictor);
	free(t.code.items);
	free(t.data.items);
	plain_end(a);
	plain_end(b);
}

TEST(a_whole_program_is_measured)
{
	check("hanoi", false);
}

TEST(a_program_is_stopped)
{
	check("chess", true);
}

/* Each part that cannot be built has its sentence. */
TEST(machines_that_cannot_be_built_are_refused)
{
	struct process *a = plain_start("hanoi");
	struct config good, bad;
	struct measurement out;
	struct err err = {.text = ""};

	if (!a)
		skip();
	config_reset(&good);
	config_reset(&bad);
	bad.l1d_ways = 3;
	assert_false(measure_run(a, &bad, &good, NULL, NULL, &out, &err));
	assert_non_null(strstr(err.text, "l1d"));
	err.text[0] = 0;
	assert_false(measure_run(a, &good, &bad, NULL, NULL, &out, &err));
	assert_non_null(strstr(err.text, "l1d"));
	assert_int_equal(out.instructions, 0);
	plain_end(a);
}
