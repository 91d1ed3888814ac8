#include "machine/warm.h"

#include "base/err.h"
#include "core/branch_kind.h"
#include "isa/undo.h"

/* Instructions executed at a time; a run of them without a branch is rarely longer. */
#define BLOCK_MOST 32

#define NO_LINE UINT64_MAX

struct block {
	uint32_t count;
	struct insn insns[BLOCK_MOST]; /* copies: a store may empty the slots */
	struct step_access accesses[BLOCK_MOST];
};

void warm_init(struct warm *warm, struct hierarchy *hierarchy, struct predictor *predictor)
{
	BUG_ON(!hierarchy != !predictor);
	*warm = (struct warm){
		.hierarchy = hierarchy, .predictor = predictor, .fetch_line = NO_LINE};
}

static void fetch(struct warm *warm, uint64_t pc, const struct insn *insn)
{
	struct hierarchy *h = warm->hierarchy;
	uint64_t first = hierarchy_line_of(h, SIDE_INSTRUCTION, pc);
	uint64_t last = hierarchy_line_of(h, SIDE_INSTRUCTION, pc + insn->bytes - 1);

	if (first != warm->fetch_line)
		hierarchy_touch_fetch(h, pc);
	if (last != first)
		hierarchy_touch_fetch(h, last);
	warm->fetch_line = last;
}

static void access_data(struct warm *warm, uint64_t pc, const struct insn *insn,
			const struct step_access *access)
{
	struct hierarchy *h = warm->hierarchy;
	uint64_t at = access->address, last = at + access->bytes - 1;
	bool crosses = !hierarchy_same_line(h, SIDE_DATA, at, last);
	bool writes = insn->unit == UNIT_STORE ||
		      (insn->unit == UNIT_AMO && !insn_only_reserves(insn->op));

	if (insn->unit != UNIT_STORE) {
		hierarchy_touch_load(h, pc, at);
		if (crosses)
			hierarchy_touch_load(h, pc, hierarchy_line_of(h, SIDE_DATA, last));
	}
	if (writes) {
		hierarchy_touch_store(h, pc, at);
		if (crosses)
			hierarchy_touch_store(h, pc, hierarchy_line_of(h, SIDE_DATA, last));
	}
}

/* Whether an instruction must be executed alone or be the last of a run. */
static bool is_alone(const struct insn *insn)
{
	return insn->unit == UNIT_AMO || insn->unit >= UNIT_FENCE;
}

/* Copies the instructions from pc on that can be executed at once: at most `most`, and none beyond
 * `stop_pc`. Without any, the first cannot be fetched. */
static const struct insn *gather(struct cpu *cpu, struct block *block, uint64_t most,
				 uint64_t stop_pc)
{
	uint64_t pc = cpu->hart.pc, fault;
	const struct insn *first = code_at(cpu->code, pc, &cpu->fault_address);

	block->count = 0;
	for (const struct insn *slot = first; slot;) {
		if (block->count && is_alone(slot))
			break;
		block->insns[block->count] = *slot;
		block->accesses[block->count].bytes = 0;
		block->count++;
		pc += slot->bytes;
		if (is_alone(slot) || insn_control(slot) != CONTROL_NONE ||
		    block->count == BLOCK_MOST || block->count == most || pc == stop_pc ||
		    pc % CODE_CHUNK_BYTES < 4)
			break;
		slot = code_at(cpu->code, pc, &fault);
	}
	return first;
}

/* Executes a run of instructions and warms with those that were executed. */
static enum cpu_stop run_block(struct warm *warm, struct cpu *cpu, uint64_t most, uint64_t stop_pc)
{
	struct block block;
	const struct insn *slot = gather(cpu, &block, most, stop_pc);
	const struct step_ring accesses = {block.accesses, BLOCK_MOST - 1};
	uint64_t pc = cpu->hart.pc;

	/* Decoding the last ones may have emptied the slots of the first. */
	if (slot && !slot->bytes)
		slot = gather(cpu, &block, 1, stop_pc);
	if (!slot)
		return STOP_FETCH_FAULT;
	struct step_end end = cpu_run_watched(cpu, slot, &accesses, 0, block.count);
	for (uint32_t i = 0; i < end.count; i++) {
		const struct insn *insn = &block.insns[i];

		warm->last_pc = pc;
		if (warm->hierarchy) {
			fetch(warm, pc, insn);
			if (block.accesses[i].bytes)
				access_data(warm, pc, insn, &block.accesses[i]);
		}
		pc += insn->bytes;
	}
	if (!end.count)
		return end.stop;
	const struct insn *last = &block.insns[end.count - 1];
	warm->last_control = insn_control(last);
	if (warm->predictor && warm->last_control != CONTROL_NONE) {
		uint64_t next = cpu->hart.pc;
		bool taken = warm->last_control != CONTROL_CONDITIONAL || next != pc;

		predictor_warm(warm->predictor, branch_kind_of(warm->last_control), warm->last_pc,
			       last->bytes, taken, next);
	}
	return end.stop;
}

/* One run of instructions, and what the process has to do after it. */
static void advance(struct warm *warm, struct process *process, uint64_t instructions,
		    uint64_t stop_pc)
{
	uint64_t slice_end = process_slice_end(process);
	uint64_t until = instructions < slice_end ? instructions : slice_end;
	uint64_t done = process->cpu.instructions;
	enum cpu_stop stop = STOP_LIMIT;

	if (done < until)
		stop = run_block(warm, &process->cpu, until - done, stop_pc);
	if (stop != STOP_LIMIT || process->cpu.instructions >= slice_end) {
		process_handle(process, stop);
		warm->last_control = CONTROL_NONE;
	}
}

bool warm_run(struct warm *warm, struct process *process, uint64_t instructions)
{
	while (process->state == PROCESS_RUNNING && process->cpu.instructions < instructions)
		advance(warm, process, instructions, NO_LINE);
	return process->state == PROCESS_RUNNING;
}

void warm_interrupt(struct warm *warm)
{
	if (!warm->hierarchy)
		return;
	warm->events = warm->hierarchy->events;
	warm->keeps_log = warm->hierarchy->keeps_log;
	warm->fetch_line = NO_LINE;
	hierarchy_keep_log(warm->hierarchy, false);
	/* The stack pointer moves on without the core: everything is written back. */
	hierarchy_set_dead(warm->hierarchy, 0, 0);
}

void warm_resume(struct warm *warm)
{
	if (!warm->hierarchy)
		return;
	warm->hierarchy->events = warm->events;
	hierarchy_keep_log(warm->hierarchy, warm->keeps_log);
}

static bool arrived(const struct warm *warm, const struct process *process,
		    const struct warm_function *function)
{
	bool is_called =
		warm->last_control == CONTROL_CALL || warm->last_control == CONTROL_INDIRECT_CALL;

	return process->state == PROCESS_RUNNING && process->cpu.hart.pc == function->entry &&
	       (is_called || warm->last_pc < function->entry || warm->last_pc >= function->end);
}

bool warm_run_to_call(struct warm *warm, struct process *process, struct warm_function *function,
		      uint64_t calls, uint64_t instructions)
{
	/* A program may begin with the function. */
	if (!process->cpu.instructions && !function->calls)
		function->calls += arrived(warm, process, function);
	while (process->state == PROCESS_RUNNING && process->cpu.instructions < instructions &&
	       function->calls < calls) {
		advance(warm, process, instructions, function->entry);
		function->calls += arrived(warm, process, function);
	}
	return function->calls == calls && process->state == PROCESS_RUNNING;
}
