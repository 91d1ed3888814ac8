#include "measure/measure.h"

#include "core/branch_kind.h"
#include "machine/parts.h"
#include "measure/bitset.h"

#define DATA_LINE_BITS	 6
#define STOP_CHECK_INSNS 1000000

struct meter {
	struct measurement *out;
	struct hierarchy *near, *far;
	struct predictor *predictor;
	struct bitset code, data;
	uint64_t fetch_line;
};

static void meter_fetch(struct meter *m, uint64_t pc, const struct insn *insn)
{
	if (bitset_add(&m->code, pc / 2)) {
		m->out->code_bytes += insn->bytes;
		m->out->static_branches += insn->unit == UNIT_BRANCH;
	}
	/* A fetch unit accesses each line once as it enters it. */
	for (uint64_t at = pc; at < pc + insn->bytes; at += 2) {
		uint64_t line = hierarchy_line_of(m->near, SIDE_INSTRUCTION, at);

		if (line == m->fetch_line)
			continue;
		m->fetch_line = line;
		hierarchy_touch_fetch(m->near, at);
		hierarchy_touch_fetch(m->far, at);
	}
}

static void meter_data(struct meter *m, uint64_t pc, const struct insn *insn, uint64_t address)
{
	bool is_store = insn->unit == UNIT_STORE;
	enum memory_level level;

	if (address >= GUEST_SPACE_BYTES)
		return; /* the instruction will fault */
	if (bitset_add(&m->data, address >> DATA_LINE_BITS))
		m->out->data_bytes += 1 << DATA_LINE_BITS;
	if (is_store) {
		hierarchy_touch_store(m->near, pc, address);
		level = hierarchy_touch_store(m->far, pc, address);
	} else {
		hierarchy_touch_load(m->near, pc, address);
		level = hierarchy_touch_load(m->far, pc, address);
	}
	if (level == LEVEL_MEMORY) {
		m->out->long_misses++;
		m->out->long_loads += !is_store;
	}
}

static void meter_branch(struct meter *m, uint64_t pc, const struct insn *insn, uint64_t next)
{
	enum control control = insn_control(insn);

	if (control == CONTROL_NONE)
		return;
	bool taken = control != CONTROL_CONDITIONAL || next != pc + insn->bytes;
	if (predictor_warm(m->predictor, branch_kind_of(control), pc, insn->bytes, taken, next) ==
	    PREDICTION_WRONG)
		m->out->mispredictions++;
}

static enum cpu_stop meter_step(struct meter *m, struct cpu *cpu)
{
	uint64_t pc = cpu->hart.pc, fault;
	const struct insn *slot = code_at(cpu->code, pc, &fault);

	if (!slot)
		return cpu_step(cpu);
	const struct insn insn = *slot; /* a store may empty the slot */

	meter_fetch(m, pc, &insn);
	if (insn.unit == UNIT_LOAD || insn.unit == UNIT_STORE || insn.unit == UNIT_AMO)
		meter_data(m, pc, &insn, cpu->hart.r[insn.rs1] + (uint64_t)(int64_t)insn.imm);
	enum cpu_stop stop = cpu_step(cpu);
	if (stop == STOP_LIMIT)
		meter_branch(m, pc, &insn, cpu->hart.pc);
	return stop;
}

static void meter_run(struct meter *m, struct process *process, bool (*should_stop)(void *),
		      void *context)
{
	uint64_t check_at = STOP_CHECK_INSNS;

	while (process->state == PROCESS_RUNNING) {
		enum cpu_stop stop = meter_step(m, &process->cpu);

		if (stop != STOP_LIMIT || process->cpu.instructions >= process_slice_end(process))
			process_handle(process, stop);
		if (process->cpu.instructions >= check_at) {
			check_at += STOP_CHECK_INSNS;
			if (should_stop && should_stop(context))
				return;
		}
	}
}

static void meter_finish(struct meter *m, const struct process *process)
{
	struct hierarchy_counters counters;

	hierarchy_count(m->near, &counters);
	m->out->instructions = process->cpu.instructions;
	m->out->l1i_misses = counters.cache[CACHE_L1I][SIDE_INSTRUCTION].misses;
	m->out->dtlb_misses = counters.tlb[SIDE_DATA].misses;
}

bool measure_run(struct process *process, const struct config *near, const struct config *far,
		 bool (*should_stop)(void *context), void *context, struct measurement *out,
		 struct err *err)
{
	struct meter m = {.out = out, .fetch_line = UINT64_MAX};

	*out = (struct measurement){0};
	bitset_init(&m.code, GUEST_SPACE_BYTES / 2);
	bitset_init(&m.data, GUEST_SPACE_BYTES >> DATA_LINE_BITS);
	m.near = parts_hierarchy(near, err);
	m.far = m.near ? parts_hierarchy(far, err) : NULL;
	m.predictor = m.far ? parts_predictor(near, 1, err) : NULL;
	bool ok = m.predictor;
	if (ok) {
		meter_run(&m, process, should_stop, context);
		meter_finish(&m, process);
	}
	bitset_release(&m.code);
	bitset_release(&m.data);
	predictor_destroy(m.predictor);
	hierarchy_destroy(m.far);
	hierarchy_destroy(m.near);
	return ok;
}
