/*
 * undo.h - execution on a path that may be wrong, and undoing it.
 *
 * A core executes each instruction when it is fetched; that a branch was
 * mispredicted is known only later, in simulated time. At such a branch it
 * takes a checkpoint of the hart and a mark in the log of stores; what follows
 * runs through cpu_run_logged, which logs the bytes every store overwrites.
 * Going back restores both. Checkpoints nest: going back to an older one
 * discards the younger ones.
 *
 * Stores on the right path are not logged, because they are never undone.
 */
#ifndef ISA_UNDO_H
#define ISA_UNDO_H

#include <stddef.h>
#include <stdint.h>

#include "isa/cpu.h"

struct undo_store {
	uint64_t address;
	uint64_t bytes; /* 1, 2, 4 or 8 */
	uint64_t old;
};

struct undo_log {
	struct undo_store *stores;
	size_t count, capacity;
	/* Loads from memory that is not there give 0, and stores to it do nothing, instead
	 * of ending the path, since hardware takes faults at commit; neither is then an access.
	 * Atomics do both. One that is not aligned ends the path in any case. */
	bool ignores_faults;
};

struct checkpoint {
	struct hart hart;
	size_t mark;
};

/* Where an instruction read or wrote memory, for the core's timing. */
struct step_access {
	uint64_t address;
	uint8_t bytes; /* 0: no access */
};

void undo_init(struct undo_log *log);
void undo_release(struct undo_log *log);

/* The memory accesses of runs of instructions: instruction number n uses slot n & mask, and
 * leaves it unchanged if it does not access memory. */
struct step_ring {
	struct step_access *slots;
	uint32_t mask;
};

struct step_end {
	uint32_t count; /* instructions executed */
	enum cpu_stop stop;
};

/* Executes consecutive decoded instructions, the first at hart.pc, numbered from `first` on. Only
 * the last may jump; atomics, fences, CSR accesses and system calls are runs of one. STOP_LIMIT
 * means success, possibly of fewer than `count` instructions if a store has changed code. Anything
 * else means that the instruction at hart.pc could not be executed.
 *
 * On the right path: no store is logged, cpu.instructions advances, all CSRs can be read. System
 * calls and faults stop as in cpu_step. */
struct step_end cpu_run_watched(struct cpu *cpu, const struct insn *insn,
				const struct step_ring *accesses, uint32_t first, uint32_t count);

/* On the wrong path: stores are logged, cpu.instructions does not advance, and the path
 * ends where execution stops (a fault, a system call, a counter read). */
struct step_end cpu_run_logged(struct cpu *cpu, const struct insn *insn,
			       const struct step_ring *accesses, uint32_t first, uint32_t count,
			       struct undo_log *log);

/* The same for one instruction, of any kind. */
enum cpu_stop cpu_step_watched(struct cpu *cpu, const struct insn *insn,
			       struct step_access *access);
enum cpu_stop cpu_step_logged(struct cpu *cpu, const struct insn *insn, struct undo_log *log,
			      struct step_access *access);

void checkpoint_take(struct checkpoint *checkpoint, const struct cpu *cpu,
		     const struct undo_log *log);
void checkpoint_restore(const struct checkpoint *checkpoint, struct cpu *cpu, struct undo_log *log);

#endif
