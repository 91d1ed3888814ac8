/*
 * noted.h - fast execution that notes what a warming of caches and predictors wants to know: each
 * access to memory and each control transfer, in program order. What is executed between two notes
 * follows from their addresses, since it is straight-line code.
 *
 * A note is written whenever the instruction has been executed. Rare instructions (system calls,
 * CSR accesses, accesses that fault or cross a page, stores into decoded code) are not executed:
 * the caller executes them one by one.
 */
#ifndef ISA_NOTED_H
#define ISA_NOTED_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/branch.h"
#include "isa/cpu.h"

enum note_kind { NOTE_LOAD, NOTE_STORE, NOTE_CONTROL };

/* An atomic that may write is a load and a store; a store-conditional that fails, too. */
struct note {
	/* From bit 0 on: kind, 2 bits; 1 if the instruction has 4 bytes. Then, of an access, the
	 * logarithm of its bytes, 2 bits; of a control transfer its enum control, 3 bits, and 1 if
	 * it is taken. From bit 8 on: the instruction's address. */
	uint64_t what;
	uint64_t where; /* the address; of a direct transfer the displacement, if it is taken */
};

#define NOTES_PER_INSN_MOST 2

#define NOTE_LONG	4
#define NOTE_DETAIL_BIT 3
#define NOTE_TAKEN	64
#define NOTE_PC_BIT	8
#define NO_STOP_PC	UINT64_MAX

static inline enum note_kind note_kind_of(const struct note *note)
{
	return (enum note_kind)(note->what & 3);
}

static inline uint64_t note_pc(const struct note *note)
{
	return note->what >> NOTE_PC_BIT;
}

/* The address after the instruction. */
static inline uint64_t note_end(const struct note *note)
{
	return note_pc(note) + 2 + (note->what & NOTE_LONG) / 2;
}

static inline unsigned note_access_bytes(const struct note *note)
{
	return 1u << (note->what >> NOTE_DETAIL_BIT & 3);
}

static inline enum control note_control(const struct note *note)
{
	return note_kind_of(note) == NOTE_CONTROL
		       ? (enum control)(note->what >> NOTE_DETAIL_BIT & 7)
		       : CONTROL_NONE;
}

/* The address of the instruction executed after a control transfer. */
static inline uint64_t note_next_pc(const struct note *note)
{
	if (!(note->what & NOTE_TAKEN))
		return note_end(note);
	return note_control(note) >= CONTROL_INDIRECT ? note->where : note_pc(note) + note->where;
}

/* Executes from hart.pc on until cpu.instructions is `limit`, the next instruction is a rare one,
 * or it is the one at `stop_pc` (NO_STOP_PC: none is); if the first is, nothing is executed. Writes
 * notes, for which there must be room, and returns their end. */
struct note *cpu_run_noted(struct cpu *cpu, struct note *notes, uint64_t limit, uint64_t stop_pc);

#endif
