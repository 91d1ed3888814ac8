#include "trace/step.h"

static uint8_t register_of(unsigned reg)
{
	return reg < REG_SINK ? (uint8_t)reg : 0;
}

void trace_op_init(struct trace_op *op, uint64_t pc, const struct insn *insn, uint32_t raw)
{
	bool accesses =
		insn->unit == UNIT_LOAD || insn->unit == UNIT_STORE || insn->unit == UNIT_AMO;

	*op = (struct trace_op){
		.pc = pc,
		.insn = *insn,
		.raw = raw,
		.bytes = insn->bytes,
		.unit = insn->unit,
		.control = (uint8_t)insn_control(insn),
		.is_load = insn->unit == UNIT_LOAD || insn->unit == UNIT_AMO,
		.is_store = insn->unit == UNIT_STORE ||
			    (insn->unit == UNIT_AMO && !insn_only_reserves(insn->op)),
		.sources = {register_of(insn->rs1), register_of(insn->rs2), register_of(insn->rs3)},
		.destinations = {register_of(insn->rd)},
		.address_sources = 1,
	};
	op->insn.handler = 0;
	if (accesses)
		op->access_bytes = (uint8_t)insn_access_bytes(insn->op);
}
