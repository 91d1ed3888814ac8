/*
 * step.h - an executed instruction as traces, their readers and the models see it.
 *
 * An op is an instruction at an address, with what the models need of it: its registers, the unit
 * that executes it, how it accesses memory and changes control flow. A step is one execution of an
 * op: where it accessed memory, and which instruction was executed after it.
 *
 * Registers share one numbering: 0 is none (also RISC-V's x0), x1..x31 are 1..31, f0..f31 are
 * 32..63. Traces of other origin use their own numbers, 1..255. Not in a trace: values, and which
 * thread executed a step; threads follow each other as they took turns.
 */
#ifndef TRACE_STEP_H
#define TRACE_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/branch.h"
#include "isa/insn.h"

#define TRACE_REGISTERS	   256
#define TRACE_SOURCES	   4
#define TRACE_DESTINATIONS 2

struct trace_op {
	uint64_t pc;
	struct insn insn;     /* op is OP_ILLEGAL in traces of other origin */
	uint32_t raw;	      /* the instruction's bytes; 0 in traces of other origin */
	uint32_t number;      /* its index among the ops of its reader or recorder */
	uint8_t bytes;	      /* its length */
	uint8_t unit;	      /* enum unit */
	uint8_t control;      /* enum control */
	uint8_t access_bytes; /* 0: does not access memory */
	bool is_load, is_store;
	uint8_t sources[TRACE_SOURCES];
	uint8_t destinations[TRACE_DESTINATIONS];
	/* Sources before this index are those of the address, the others data; of a load all are
	 * of the address. */
	uint8_t address_sources;
};

struct trace_step {
	const struct trace_op *op;
	uint64_t address; /* of its access to memory; 0 if it has none */
	uint64_t next_pc; /* of the instruction executed after it */
};

/* Fills everything from the instruction but `number`. */
void trace_op_init(struct trace_op *op, uint64_t pc, const struct insn *insn, uint32_t raw);

/* Receives steps in order; they and their ops are valid during the call. A call without steps says
 * that the numbers of ops begin anew: an op may have the number that another had. False ends the
 * source. */
typedef bool trace_sink(void *context, const struct trace_step *steps, size_t count);

#endif
