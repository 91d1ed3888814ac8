/*
 * sequence.h - one random but valid instruction sequence.
 *
 * A sequence is 20 to 60 units. A unit is what must stay together: mostly one
 * instruction, but also an address computation with the atomic that uses it, an
 * LR with its SC, a write of frm with the write that makes it legal again, a
 * loop, a call. Branches go to unit boundaries only, so whatever holds at every
 * boundary holds always:
 *   - base registers hold addresses from which the window can be reached;
 *   - the harness register is untouched;
 *   - frm is a legal rounding mode;
 *   - no LR is waiting for its SC, so an SC by itself fails on any machine.
 *
 * The same (seed, number) gives the same sequence, whatever else is generated.
 * Not generated, because machines may differ: misaligned atomics, an SC after
 * stores of this hart to the reserved bytes, an SC of another size or elsewhere
 * in the reserved line, reserved encodings, self-modified code.
 */
#ifndef LOCKSTEP_SEQUENCE_H
#define LOCKSTEP_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "insn.h"
#include "layout.h"

/* Machine code at a fixed address, growing. */
struct code {
	uint8_t *bytes;
	size_t count, capacity;
	uint64_t address;
};

void code_emit(struct code *code, uint32_t word); /* 2 or 4 bytes, as the word says */
void code_pad(struct code *code, size_t count);	  /* zeros, which are illegal instructions */
uint64_t code_here(const struct code *code);

struct sequence_request {
	uint64_t seed;
	unsigned number;
	enum insn_level level;
	unsigned cut;  /* stop after this many units */
	bool sabotage; /* end an uncut sequence with one register off by one */
};

#define SEQUENCE_MAX_UNITS 64

struct sequence {
	uint64_t entry[RECORD_SLOTS]; /* what it starts with */
	uint64_t start, end;
	uint64_t unit_address[SEQUENCE_MAX_UNITS];
	unsigned units;	      /* emitted */
	unsigned harness_reg; /* holds `start`; ends up pointing at the saver */
	unsigned sabotaged_reg;
};

/* The floating-point operands that all sequences of a seed share. */
void sequence_constants(uint64_t seed, uint8_t constants[CONSTANTS_BYTES]);

/* Appends the sequence to `code`. It ends by loading the upper half of
 * saver(harness_reg) into the harness register and jumping there; savers[] has
 * an address for each register. `coverage` has INSN_VARIANTS counters a row. */
void sequence_generate(struct sequence *sequence, const struct sequence_request *request,
		       struct code *code, const uint64_t savers[32], uint64_t *coverage);

#endif
