/*
 * branch.h - which kind of control transfer an instruction is, from its link
 * registers x1 and x5 (RISC-V Unprivileged ISA, table of return-address stack
 * hints).
 */
#ifndef ISA_BRANCH_H
#define ISA_BRANCH_H

#include <stdbool.h>

#include "isa/insn.h"

enum control {
	CONTROL_NONE,
	CONTROL_CONDITIONAL,
	CONTROL_JUMP,
	CONTROL_CALL,
	CONTROL_INDIRECT,
	CONTROL_INDIRECT_CALL,
	CONTROL_RETURN,
};

static inline bool insn_is_link(unsigned reg)
{
	return reg == 1 || reg == 5;
}

static inline enum control insn_control(const struct insn *insn)
{
	switch (insn->unit) {
	case UNIT_BRANCH: return CONTROL_CONDITIONAL;
	case UNIT_JUMP: return insn_is_link(insn->rd) ? CONTROL_CALL : CONTROL_JUMP;
	case UNIT_JUMP_INDIRECT:
		if (insn_is_link(insn->rd))
			return CONTROL_INDIRECT_CALL;
		return insn_is_link(insn->rs1) ? CONTROL_RETURN : CONTROL_INDIRECT;
	default: return CONTROL_NONE;
	}
}

#endif
