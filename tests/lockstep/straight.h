/*
 * straight.h - units without control flow: single instructions, and the few
 * that must stay together (see sequence.h).
 */
#ifndef LOCKSTEP_STRAIGHT_H
#define LOCKSTEP_STRAIGHT_H

#include "builder.h"

/* Emits a unit around `row`, which is of any kind but KIND_CONTROL. False, with
 * nothing emitted, if the sequence's free registers do not allow it. */
bool straight_emit(struct builder *b, const struct insn *row);

#endif
