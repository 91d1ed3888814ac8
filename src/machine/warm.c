#include "machine/warm.h"

#include "base/err.h"
#include "core/branch_kind.h"
#include "isa/noted.h"
#include "isa/undo.h"

/* Instructions executed before what they did is replayed: the notes of so many, usually half as
 * many of 16 bytes, stay in the host's first-level cache. */
#define BATCH_INSNS 1024

#define NO_LINE UINT64_MAX

void warm_init(struct warm *warm, struct hierarchy *hierarchy, struct predictor *predictor)
{
	BUG_ON(!hierarchy != !predictor);
	*warm = (struct warm){
		.hierarchy = hierarchy, .predictor = predictor, .fetch_line = NO_LINE};
}

/* Fetches the lines of straight-line code from the one after the last fetched on. */
static inline uint64_t fetch_on(struct hierarchy *h, uint64_t line, uint64_t last, unsigned bits)
{
	while (UNLIKELY(line != last))
		hierarchy_touch_fetch(h, ++line << bits);
	return line;
}

static inline void access_data(struct hierarchy *h, enum hierarchy_operation operation, uint64_t pc,
			       uint64_t address, unsigned bytes)
{
	uint64_t last = address + bytes - 1;

	hierarchy_touch_quickly(h, operation, pc, address);
	while (UNLIKELY(!hierarchy_same_line(h, SIDE_DATA, address, last))) {
		address = hierarchy_next_line(h, SIDE_DATA, address, last);
		hierarchy_touch(h, operation, pc, hierarchy_line_of(h, SIDE_DATA, address));
	}
}

static void predict(struct warm *warm, enum control control, uint64_t pc, uint64_t end,
		    uint64_t next)
{
	/* A conditional branch to the next instruction counts as not taken. */
	bool taken = control != CONTROL_CONDITIONAL || next != end;

	predictor_warm(warm->predictor, branch_kind_of(control), pc, (unsigned)(end - pc), taken,
		       next);
}

/* Warms with what has been executed from `pc` on, until the next instruction was the one at `end`.
 * A line is fetched when the first note beyond its beginning is met, or before `end`: in between
 * nothing else uses the hierarchy. */
static void replay(struct warm *warm, const struct note *note, const struct note *notes_end,
		   uint64_t pc, uint64_t end)
{
	struct hierarchy *const h = warm->hierarchy;
	const unsigned bits = h->level[CACHE_L1I].cache.line_bits;
	uint64_t line = warm->fetch_line >> bits;

	if (pc >> bits != line) {
		line = pc >> bits;
		hierarchy_touch_fetch(h, pc);
	}
	for (; note < notes_end; note++) {
		const uint64_t at = note_pc(note);

		pc = note_end(note);
		line = fetch_on(h, line, (pc - 1) >> bits, bits);
		if (note_kind_of(note) != NOTE_CONTROL) {
			access_data(h,
				    note_kind_of(note) == NOTE_STORE ? ACCESS_STORE : ACCESS_LOAD,
				    at, note->where, note_access_bytes(note));
			continue;
		}
		uint64_t next = note_next_pc(note);
		predict(warm, note_control(note), at, pc, next);
		pc = next;
		/* The target's line only if something was executed there. */
		if (pc >> bits != line && (note + 1 < notes_end || pc != end)) {
			line = pc >> bits;
			hierarchy_touch_fetch(h, pc);
		}
	}
	if (pc != end)
		line = fetch_on(h, line, (end - 1) >> bits, bits);
	warm->fetch_line = line << bits;
}

/* Finds the last instruction executed: that of the last note, or one in the straight-line code
 * after it, which begins at `pc` if there is no note. */
static void find_last(struct warm *warm, struct cpu *cpu, const struct note *last, uint64_t pc)
{
	uint64_t fault;

	warm->last_control = CONTROL_NONE;
	if (last) {
		warm->last_pc = note_pc(last);
		warm->last_control = note_control(last);
		pc = warm->last_control ? note_next_pc(last) : note_end(last);
	}
	while (pc != cpu->hart.pc) {
		warm->last_pc = pc;
		warm->last_control = CONTROL_NONE;
		pc += code_at(cpu->code, pc, &fault)->bytes;
	}
}

/* Executes one instruction of any kind, and warms with it. */
static enum cpu_stop run_alone(struct warm *warm, struct cpu *cpu)
{
	struct hierarchy *h = warm->hierarchy;
	struct step_access access;
	uint64_t pc = cpu->hart.pc;
	const struct insn *slot = code_at(cpu->code, pc, &cpu->fault_address);

	if (!slot)
		return STOP_FETCH_FAULT;
	const struct insn insn = *slot; /* a store may empty the slot */
	enum cpu_stop stop = cpu_step_watched(cpu, slot, &access);
	if (stop != STOP_LIMIT)
		return stop;
	warm->last_pc = pc;
	warm->last_control = insn_control(&insn);
	if (!h)
		return stop;
	uint64_t first = hierarchy_line_of(h, SIDE_INSTRUCTION, pc);
	uint64_t last = hierarchy_line_of(h, SIDE_INSTRUCTION, pc + insn.bytes - 1);
	if (first != warm->fetch_line)
		hierarchy_touch_fetch(h, pc);
	if (last != first)
		hierarchy_touch_fetch(h, last);
	warm->fetch_line = last;
	if (access.bytes && insn.unit != UNIT_STORE)
		access_data(h, ACCESS_LOAD, pc, access.address, access.bytes);
	if (access.bytes &&
	    (insn.unit == UNIT_STORE || (insn.unit == UNIT_AMO && !insn_only_reserves(insn.op))))
		access_data(h, ACCESS_STORE, pc, access.address, access.bytes);
	if (warm->last_control != CONTROL_NONE)
		predict(warm, warm->last_control, pc, pc + insn.bytes, cpu->hart.pc);
	return stop;
}

/* Executes instructions, at least one and at most `most`, up to the one at `stop_pc`, and warms
 * with those that were executed. */
static enum cpu_stop run_batch(struct warm *warm, struct cpu *cpu, uint64_t most, uint64_t stop_pc)
{
	struct note notes[BATCH_INSNS * NOTES_PER_INSN_MOST];
	uint64_t pc = cpu->hart.pc, done = cpu->instructions;
	uint64_t limit = done + (most < BATCH_INSNS ? most : BATCH_INSNS);
	struct note *end = cpu_run_noted(cpu, notes, limit, stop_pc);

	if (cpu->instructions == done)
		return run_alone(warm, cpu);
	if (warm->hierarchy)
		replay(warm, notes, end, pc, cpu->hart.pc);
	find_last(warm, cpu, end > notes ? end - 1 : NULL, pc);
	return STOP_LIMIT;
}

/* One batch of instructions, and what the process has to do after it. */
static void advance(struct warm *warm, struct process *process, uint64_t instructions,
		    uint64_t stop_pc)
{
	uint64_t slice_end = process_slice_end(process);
	uint64_t until = instructions < slice_end ? instructions : slice_end;
	uint64_t done = process->cpu.instructions;
	enum cpu_stop stop = STOP_LIMIT;

	if (done < until)
		stop = run_batch(warm, &process->cpu, until - done, stop_pc);
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
