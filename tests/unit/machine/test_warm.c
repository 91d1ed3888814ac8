/* Warming leaves in caches, TLBs and predictor exactly what a plain model holds that is given the
 * same instructions one by one, and the program where executing it alone leaves it. */
#include "../test.h"
#include "base/array.h"
#include "machine/parts.h"
#include "machine/warm.h"
#include "plain_model.h"

#define WARMED 400000

static void assert_holds(const struct lists *lists, const struct cache *cache)
{
	for (uint64_t i = 0; i < lists->sets * lists->ways; i++) {
		uint64_t key = lists->items[i].is_there ? lists->items[i].number + 1 : 0;

		assert_int_equal(cache->keys[i], key);
		if (key)
			assert_int_equal(!!(cache->lines[i].flags & CACHE_LINE_DIRTY),
					 lists->items[i].is_dirty);
	}
}

struct reference {
	struct model model;
	struct predictor *predictor;
	uint64_t line; /* of the last fetch */
};

static void reference_access(struct reference *r, const struct insn *insn, uint64_t address)
{
	static const unsigned bytes_of[] = {
		[OP_LB] = 1, [OP_LBU] = 1, [OP_SB] = 1, [OP_LH] = 2,  [OP_LHU] = 2, [OP_SH] = 2,
		[OP_LW] = 4, [OP_LWU] = 4, [OP_SW] = 4, [OP_FLW] = 4, [OP_FSW] = 4};
	unsigned bytes =
		insn->op < ARRAY_COUNT(bytes_of) && bytes_of[insn->op] ? bytes_of[insn->op] : 8;
	uint64_t line_bytes = r->model.l1[SIDE_DATA].unit_bytes;
	bool stores = insn->unit == UNIT_STORE;

	for (uint64_t at = address; at < address + bytes; at = (at / line_bytes + 1) * line_bytes)
		model_access(&r->model, SIDE_DATA, at, stores);
}

/* One instruction, by itself. */
static void reference_step(struct reference *r, struct process *process)
{
	struct cpu *cpu = &process->cpu;
	uint64_t pc = cpu->hart.pc, line_bytes = r->model.l1[SIDE_INSTRUCTION].unit_bytes;
	uint32_t raw = 0;

	assert_true(memory_read(&process->memory, &raw, pc, 4) ||
		    memory_read(&process->memory, &raw, pc, 2));
	struct insn insn = insn_decode(raw);
	uint64_t address = cpu->hart.r[insn.rs1] + (uint64_t)(int64_t)insn.imm;
	for (uint64_t at = pc; at < pc + insn.bytes; at += 2)
		if (at / line_bytes != r->line) {
			r->line = at / line_bytes;
			model_access(&r->model, SIDE_INSTRUCTION, at, false);
		}
	enum cpu_stop stop = cpu_step(cpu);
	if (stop == STOP_LIMIT) {
		if (insn.unit == UNIT_LOAD || insn.unit == UNIT_STORE)
			reference_access(r, &insn, address);
		else if (insn.unit == UNIT_AMO) {
			/* Aligned, so in one line. */
			model_access(&r->model, SIDE_DATA, address, false);
			if (!insn_only_reserves(insn.op))
				model_access(&r->model, SIDE_DATA, address, true);
		}
		plain_branch(r->predictor, &insn, pc, cpu->hart.pc);
	}
	if (stop != STOP_LIMIT || cpu->instructions >= process_slice_end(process))
		process_handle(process, stop);
}

struct bytes {
	uint8_t *list;
	size_t count, capacity;
};

static void collect(void *context, const void *bytes, size_t count)
{
	struct bytes *all = context;

	all->list = mem_realloc(all->list, all->count + count, 1);
	memcpy(all->list + all->count, bytes, count);
	all->count += count;
}

static void check(const char *name)
{
	struct process *a = plain_start(name), *b = plain_start(name), *c = plain_start(name);
	struct config config;
	struct warm warm;
	struct err err;

	if (!a)
		skip();
	config_reset(&config);
	struct hierarchy *hierarchy = parts_hierarchy(&config, &err);
	struct predictor *predictor = parts_predictor(&config, 64, &err);
	struct reference r = {.predictor = parts_predictor(&config, 64, &err), .line = UINT64_MAX};
	r.model = model_create(&config);
	warm_init(&warm, hierarchy, predictor);
	/* In pieces, whose ends change nothing. */
	for (uint64_t until = 12345; until < WARMED; until += 12345)
		assert_true(warm_run(&warm, a, until));
	assert_true(warm_run(&warm, a, WARMED));
	while (b->cpu.instructions < WARMED)
		reference_step(&r, b);
	assert_true(process_run(c, WARMED));

	assert_int_equal(a->cpu.instructions, WARMED);
	assert_memory_equal(&a->cpu.hart, &c->cpu.hart, sizeof(c->cpu.hart));
	assert_memory_equal(&b->cpu.hart, &c->cpu.hart, sizeof(c->cpu.hart));
	assert_holds(&r.model.l1[SIDE_INSTRUCTION], &hierarchy->level[CACHE_L1I].cache);
	assert_holds(&r.model.l1[SIDE_DATA], &hierarchy->level[CACHE_L1D].cache);
	assert_holds(&r.model.l2, &hierarchy->level[CACHE_L2].cache);
	for (unsigned side = 0; side < SIDE_COUNT; side++)
		for (uint64_t i = 0; i < r.model.tlb[side].sets * r.model.tlb[side].ways; i++) {
			const struct item *item = &r.model.tlb[side].items[i];

			assert_int_equal(hierarchy->tlb[side].entries[i].key,
					 item->is_there ? item->number + 1 : 0);
		}
	struct bytes left = {0}, right = {0};
	predictor_state(predictor, collect, &left);
	predictor_state(r.predictor, collect, &right);
	assert_int_equal(left.count, right.count);
	assert_memory_equal(left.list, right.list, left.count);

	free(left.list);
	free(right.list);
	model_release(&r.model);
	predictor_destroy(r.predictor);
	predictor_destroy(predictor);
	hierarchy_destroy(hierarchy);
	plain_end(a);
	plain_end(b);
	plain_end(c);
}

TEST(test_warming_is_exact)
{
	static const char *const names[] = {"chess", "netflow", "stencil", "interp"};

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		check(names[i]);
}

/* The instruction at the process's pc, and a step. */
static struct insn step_alone(struct process *process)
{
	struct cpu *cpu = &process->cpu;
	uint32_t raw = 0;

	assert_true(memory_read(&process->memory, &raw, cpu->hart.pc, 4) ||
		    memory_read(&process->memory, &raw, cpu->hart.pc, 2));
	enum cpu_stop stop = cpu_step(cpu);
	if (stop != STOP_LIMIT || cpu->instructions >= process_slice_end(process))
		process_handle(process, stop);
	return insn_decode(raw);
}

/* Arrivals by a call, or from outside. The function is the one that the 40th call calls, and a part
 * of it, so that it has branches to outside. */
TEST(calls_are_counted_as_stepping_counts_them)
{
	struct process *a = plain_start("hanoi"), *b = plain_start("hanoi"),
		       *c = plain_start("hanoi");
	struct warm_function function = {0};
	struct warm warm;
	unsigned calls = 0;
	uint64_t arrivals = 0;

	if (!a)
		skip();
	while (calls < 40) {
		struct insn insn = step_alone(b);

		calls += insn_control(&insn) == CONTROL_CALL;
	}
	function.entry = b->cpu.hart.pc;
	function.end = function.entry + 16;
	warm_init(&warm, NULL, NULL);
	for (uint64_t wanted = 1; wanted <= 60; wanted += 1 + wanted / 2) {
		while (arrivals < wanted) {
			const uint64_t pc = c->cpu.hart.pc;
			struct insn insn = step_alone(c);
			const enum control control = insn_control(&insn);

			assert_true(c->state == PROCESS_RUNNING);
			arrivals += c->cpu.hart.pc == function.entry &&
				    (control == CONTROL_CALL || control == CONTROL_INDIRECT_CALL ||
				     pc < function.entry || pc >= function.end);
		}
		assert_true(warm_run_to_call(&warm, a, &function, wanted, UINT64_MAX));
		assert_int_equal(function.calls, wanted);
		assert_int_equal(a->cpu.instructions, c->cpu.instructions);
		assert_memory_equal(&a->cpu.hart, &c->cpu.hart, sizeof(c->cpu.hart));
	}
	/* Not beyond a number of instructions, and not beyond the end of the program. */
	const uint64_t now = a->cpu.instructions;
	assert_false(warm_run_to_call(&warm, a, &function, UINT64_MAX, now + 100));
	assert_int_equal(a->cpu.instructions, now + 100);
	assert_false(warm_run_to_call(&warm, a, &function, UINT64_MAX, UINT64_MAX));
	assert_true(a->state != PROCESS_RUNNING);
	plain_end(a);
	plain_end(b);
	plain_end(c);
}

/* A program whose first instruction is the function's has been called once. */
TEST(a_program_may_begin_with_the_function)
{
	struct process *a = plain_start("hanoi");
	struct warm warm;

	if (!a)
		skip();
	struct warm_function function = {.entry = a->cpu.hart.pc, .end = a->cpu.hart.pc + 4};
	warm_init(&warm, NULL, NULL);
	assert_true(warm_run_to_call(&warm, a, &function, 1, UINT64_MAX));
	assert_int_equal(a->cpu.instructions, 0);
	/* It is not called again for being asked again. */
	assert_false(warm_run_to_call(&warm, a, &function, 2, 50));
	assert_int_equal(function.calls, 1);
	plain_end(a);
}

/* What is warmed between an interruption and going on is not counted, and the log goes on as it
 * was. */
TEST(an_interruption_is_not_counted)
{
	struct process *a = plain_start("hanoi");
	struct config config;
	struct warm warm;
	struct err err;

	if (!a)
		skip();
	config_reset(&config);
	struct hierarchy *hierarchy = parts_hierarchy(&config, &err);
	struct predictor *predictor = parts_predictor(&config, 64, &err);
	warm_init(&warm, hierarchy, predictor);
	for (int keeps_log = 0; keeps_log < 2; keeps_log++) {
		warm_run(&warm, a, a->cpu.instructions + 2000);
		hierarchy_keep_log(hierarchy, keeps_log);
		const struct memory_events before = hierarchy->events;
		warm_interrupt(&warm);
		assert_false(hierarchy->keeps_log);
		warm_run(&warm, a, a->cpu.instructions + 5000);
		assert_memory_not_equal(&hierarchy->events, &before, sizeof(before));
		warm_resume(&warm);
		assert_memory_equal(&hierarchy->events, &before, sizeof(before));
		assert_int_equal(hierarchy->keeps_log, keeps_log);
	}
	predictor_destroy(predictor);
	hierarchy_destroy(hierarchy);
	/* Without parts there is nothing to keep. */
	warm_init(&warm, NULL, NULL);
	warm_interrupt(&warm);
	warm_resume(&warm);
	plain_end(a);
}
