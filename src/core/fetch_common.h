/*
 * fetch_common.h - what fetch of every kind of core does in the same way: finds decoded
 * instructions, tells those that read counters, and counts branches when they commit.
 *
 * A core keeps a struct decoded_chunk, which remembers the chunk of decoded instructions used
 * last; code that changes keeps its slots, emptied, so the memory stays valid.
 */
#ifndef CORE_FETCH_COMMON_H
#define CORE_FETCH_COMMON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "core/branch_kind.h"
#include "isa/branch.h"
#include "isa/cpu.h"
#include "linux/syscall.h"
#include "pred/predictor.h"
#include "signal/cycle.h"

struct decoded_chunk {
	struct insn *first; /* the slot of `pc`; NULL: none yet */
	uint64_t pc;
};

/* The decoded instruction at pc; NULL if there is none, and cpu->fault_address says where. */
static inline struct insn *fetch_decoded(struct decoded_chunk *chunk, struct cpu *cpu, uint64_t pc)
{
	uint64_t offset = pc - chunk->pc, fault;

	if (LIKELY(chunk->first && offset < CODE_CHUNK_BYTES)) {
		struct insn *slot = &chunk->first[offset / 2];

		if (LIKELY(slot->bytes))
			return slot;
	}
	struct insn *slot = code_at(cpu->code, pc, &fault);
	if (slot) {
		chunk->pc = bits_align_down(pc, CODE_CHUNK_BYTES);
		chunk->first = slot - (pc - chunk->pc) / 2;
	} else {
		cpu->fault_address = fault;
	}
	return slot;
}

/* Whether the next instruction, whose registers are those of the cpu, reads what the core counts: a
 * counter CSR, or a system call on counters or clocks that advance by cycles. It is executed in an
 * empty core, in a cycle that nothing was counted in before, so that it reads the counts of all
 * older instructions and of no younger ones. On a wrong path it is not executed at all: fetch stops
 * there. */
static inline bool fetch_reads_counters(const struct process *process, const struct insn *insn)
{
	if (insn->unit == UNIT_CSR)
		return csr_is_counter((unsigned)insn->imm);
	return insn->op == OP_ECALL && syscall_reads_counters(process);
}

/* A branch that is ideal by itself was predicted and is followed to where the program goes: the
 * predictor goes on as behind a right prediction, for the sake of the branches around it. */
static inline void fetch_predict_rightly(struct predictor *predictor, unsigned control, uint64_t pc,
					 unsigned bytes, bool is_taken, uint64_t next_pc,
					 const struct prediction *prediction)
{
	const enum branch_kind kind = branch_kind_of(control);

	if (prediction_judge(prediction, kind, is_taken, next_pc) == PREDICTION_WRONG)
		predictor_recover(predictor, kind, pc, bytes, is_taken, next_pc, prediction);
}

/* Counts a control transfer that commits; `is_branch`: conditional, indirect or a return. */
static inline void fetch_count_control(struct core_totals *n, unsigned control, bool is_branch,
				       bool is_wrong)
{
	n->mispredictions += is_wrong;
	if (!is_branch)
		return;
	n->branches++;
	if (control == CONTROL_CONDITIONAL) {
		n->conditional++;
		n->conditional_mispredictions += is_wrong;
	} else if (control == CONTROL_RETURN) {
		n->return_mispredictions += is_wrong;
	} else {
		n->indirect_mispredictions += is_wrong;
	}
}

#endif
