#include "library/library.h"

#include <stddef.h>
#include <string.h>

#include "isa/insn.h"

/* What an observer of the first version of the library has. */
#define OBSERVER_FIRST_BYTES offsetof(struct cs_observer, on_cycle)

bool cs_attach(struct cs_machine *machine, const struct cs_observer *observer)
{
	struct attached attached = {0};

	if (observer->size != OBSERVER_FIRST_BYTES &&
	    !library_fits(machine, "an observer", observer->size, sizeof(*observer)))
		return false;
	if (machine->is_stepping)
		return err_set(&machine->err, "an observer cannot attach another");
	if (machine->run.simulation)
		return err_set(&machine->err, "observers attach before the simulation begins");
	if (machine->process && machine->process->state != PROCESS_RUNNING)
		return err_set(&machine->err, "%s has ended: there is nothing to observe",
			       machine->program.name);
	memcpy(&attached.observer, observer, observer->size);
	if (attached.observer.on_sample && !attached.observer.sample_cycles)
		return err_set(&machine->err, "a sample of 0 cycles has no end");
	*ARRAY_PUSH(machine->observers, machine->observer_count, machine->observer_capacity) =
		attached;
	machine->wants_instructions |= attached.observer.on_instruction != NULL;
	return true;
}

unsigned library_insn_bytes(const struct cs_machine *machine, uint64_t pc)
{
	uint64_t fault_address;
	const struct insn *insn = code_at(machine->process->cpu.code, pc, &fault_address);

	return insn ? insn->bytes : 0;
}

/* One instruction if someone watches them, else as many as the process runs
 * before it must be asked, but not past the limit. */
static void run_piece(struct cs_machine *machine, uint64_t limit)
{
	struct process *process = machine->process;
	struct cpu *cpu = &process->cpu;
	uint64_t slice_end = process_slice_end(process), pc = cpu->hart.pc;
	uint64_t instructions = cpu->instructions, calls = process->syscall_count;
	enum cpu_stop stop = STOP_LIMIT;
	unsigned bytes = 0;

	if (!machine->wants_instructions) {
		stop = cpu_run(cpu, slice_end < limit ? slice_end : limit);
	} else if (instructions < slice_end) {
		/* Asked before: a store may empty the slot it is decoded into. */
		bytes = library_insn_bytes(machine, pc);
		stop = cpu_step(cpu);
	}
	uint64_t number = cpu->hart.r[17];
	if (stop != STOP_LIMIT || cpu->instructions >= slice_end)
		process_handle(process, stop);
	/* A call that has to wait is taken back, and counted when it is made again. */
	if (machine->wants_instructions && cpu->instructions > instructions)
		NOTIFY(machine, on_instruction, pc, bytes);
	if (process->syscall_count > calls)
		NOTIFY(machine, on_syscall, number);
}

enum cs_state library_state(const struct cs_machine *machine)
{
	if (!machine->process)
		return CS_READY;
	/* The process runs ahead of the simulation. */
	if (machine->run.simulation && !machine->is_over)
		return CS_RUNNING;
	if (machine->has_failed)
		return CS_FAILED;
	if (machine->is_over && job_ending(&machine->run) == JOB_PARTIAL)
		return CS_LIMITED;
	switch (machine->process->state) {
	case PROCESS_RUNNING: return CS_RUNNING;
	case PROCESS_EXITED: return CS_EXITED;
	case PROCESS_KILLED: return CS_KILLED;
	default: return CS_FAILED;
	}
}

enum cs_state cs_step(struct cs_machine *machine, uint64_t instructions)
{
	struct process *process = machine->process;

	if (!process) {
		err_set(&machine->err, "%s is not started", machine->program.name);
		return CS_READY;
	}
	if (machine->is_stepping)
		err_set(&machine->err, "an observer cannot step the machine it observes");
	else if (machine->run.simulation && !machine->is_over && instructions)
		err_set(&machine->err, "%s is being simulated: cs_simulate continues it",
			machine->program.name);
	if (machine->is_stepping || machine->run.simulation || machine->has_failed ||
	    process->state != PROCESS_RUNNING || !instructions)
		return library_state(machine);

	/* No run gets there; the interpreter counts down from a signed number. */
	uint64_t left = INT64_MAX - process->cpu.instructions;
	uint64_t limit = process->cpu.instructions + (instructions < left ? instructions : left);
	machine->is_stepping = true;
	while (process->state == PROCESS_RUNNING && process->cpu.instructions < limit)
		run_piece(machine, limit);
	if (process->state == PROCESS_FAILED)
		machine->err = process->error;
	else if (process->state != PROCESS_RUNNING)
		NOTIFY(machine, on_exit, process_exit_status(process));
	machine->is_stepping = false;
	return library_state(machine);
}
