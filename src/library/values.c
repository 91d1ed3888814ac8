#include "library/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/insn.h"
#include "linux/syscall.h"

enum value_kind {
	VALUE_INSTRUCTIONS,
	VALUE_STATUS,
	VALUE_MEMORY,
	VALUE_THREADS,
	VALUE_SYSCALLS,
	VALUE_UNKNOWN_SYSCALLS,
	VALUE_SYSCALL,
	VALUE_PC,
	VALUE_REGISTER,
	VALUE_FCSR,
};

struct value_row {
	char *name;
	enum value_kind kind;
	unsigned index;
};

static void add_value(struct cs_machine *machine, enum value_kind kind, unsigned index,
		      const char *prefix, const char *name)
{
	char text[64];

	snprintf(text, sizeof(text), "%s%s", prefix, name);
	*ARRAY_PUSH(machine->values, machine->value_count, machine->value_capacity) =
		(struct value_row){mem_strdup(text), kind, index};
}

void library_list_values(struct cs_machine *machine)
{
	char text[32];

	add_value(machine, VALUE_INSTRUCTIONS, 0, "", "instructions");
	add_value(machine, VALUE_STATUS, 0, "", "status");
	add_value(machine, VALUE_MEMORY, 0, "", "memory_bytes");
	add_value(machine, VALUE_THREADS, 0, "", "threads");
	add_value(machine, VALUE_SYSCALLS, 0, "", "syscalls");
	add_value(machine, VALUE_UNKNOWN_SYSCALLS, 0, "", "unknown_syscalls");
	add_value(machine, VALUE_PC, 0, "", "pc");
	for (unsigned i = 0; i < REG_SINK; i++) {
		snprintf(text, sizeof(text), "%u", i % REG_FP);
		add_value(machine, VALUE_REGISTER, i, i < REG_FP ? "x" : "f", text);
	}
	add_value(machine, VALUE_FCSR, 0, "", "fcsr");
	for (unsigned i = 0; i < LIBRARY_SYSCALLS; i++) {
		const char *name = syscall_name(i, text);

		/* One without a row has only a number. */
		if (name != text)
			add_value(machine, VALUE_SYSCALL, i, "syscalls.", name);
	}
}

void library_release_values(struct cs_machine *machine)
{
	for (size_t i = 0; i < machine->value_count; i++)
		free(machine->values[i].name);
	free(machine->values);
}

static bool read_value(struct cs_machine *machine, const struct value_row *row, uint64_t *out)
{
	const struct process *process = machine->process;
	const struct hart *hart = &process->cpu.hart;
	uint64_t alive = 0;

	switch (row->kind) {
	case VALUE_INSTRUCTIONS:
		*out = machine->run.simulation
			       ? machine->run.skipped +
					 simulation_instructions(machine->run.simulation)
			       : process->cpu.instructions;
		return true;
	case VALUE_STATUS:
		if (library_state(machine) == CS_RUNNING || library_state(machine) == CS_LIMITED)
			return err_set(&machine->err, "%s is still running", machine->program.name);
		*out = (uint64_t)process_exit_status(process);
		return true;
	case VALUE_MEMORY: *out = process->memory.charged_bytes; return true;
	case VALUE_THREADS:
		for (size_t i = 0; i < process->thread_count; i++)
			alive += process->threads[i]->state != THREAD_DEAD;
		*out = alive;
		return true;
	case VALUE_SYSCALLS: *out = process->syscall_count; return true;
	case VALUE_UNKNOWN_SYSCALLS: *out = process->unknown_calls; return true;
	case VALUE_SYSCALL: *out = process->syscall_counts[row->index]; return true;
	case VALUE_PC: *out = hart->pc; return true;
	case VALUE_REGISTER: *out = hart->r[row->index]; return true;
	case VALUE_FCSR: *out = hart->frm << 5 | hart->fflags; return true;
	}
	BUG("value %d", row->kind);
}

bool cs_value(struct cs_machine *machine, const char *name, uint64_t *out)
{
	if (!machine->process)
		return err_set(&machine->err, "%s is not started", machine->program.name);
	for (size_t i = 0; i < machine->value_count; i++)
		if (strcmp(machine->values[i].name, name) == 0)
			return read_value(machine, &machine->values[i], out);
	return err_set(&machine->err, "there is no value \"%s\"", name);
}

const char *cs_value_name(const struct cs_machine *machine, size_t i)
{
	return i < machine->value_count ? machine->values[i].name : NULL;
}

bool cs_describe_pc(struct cs_machine *machine, uint64_t pc, char *text, size_t bytes)
{
	if (!machine->process)
		return err_set(&machine->err, "%s is not started", machine->program.name);
	process_describe_pc(machine->process, pc, text, bytes);
	return true;
}

bool cs_disassemble(struct cs_machine *machine, uint64_t pc, char *text, size_t bytes)
{
	char whole[INSN_TEXT_BYTES];
	uint32_t raw = 0;
	uint16_t half;

	if (!machine->process)
		return err_set(&machine->err, "%s is not started", machine->program.name);
	const struct memory *memory = &machine->process->memory;
	for (unsigned i = 0; i < 4 && (i == 0 || !insn_is_compressed(raw)); i += 2) {
		if (pc % 2 || !memory_allows(memory, pc + i, PAGE_EXEC))
			return err_set(&machine->err, "%s cannot execute at 0x%llx",
				       machine->program.name, (unsigned long long)pc);
		memcpy(&half, memory->base + pc + i, sizeof(half));
		raw |= (uint32_t)half << 8 * i;
	}
	struct insn insn = insn_decode(raw);
	snprintf(text, bytes, "%s", insn_disassemble(&insn, raw, pc, whole));
	return true;
}
