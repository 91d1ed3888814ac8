/*
 * branch_kind.h - converts the kinds of control transfers of src/isa to those of src/pred; these
 * two folders do not include each other.
 */
#ifndef CORE_BRANCH_KIND_H
#define CORE_BRANCH_KIND_H

#include "isa/branch.h"
#include "pred/predictor.h"

/* The control must not be CONTROL_NONE. */
static inline enum branch_kind branch_kind_of(enum control control)
{
	_Static_assert((int)CONTROL_CONDITIONAL == BRANCH_CONDITIONAL + 1 &&
			       (int)CONTROL_JUMP == BRANCH_JUMP + 1 &&
			       (int)CONTROL_CALL == BRANCH_CALL + 1 &&
			       (int)CONTROL_INDIRECT == BRANCH_INDIRECT + 1 &&
			       (int)CONTROL_INDIRECT_CALL == BRANCH_INDIRECT_CALL + 1 &&
			       (int)CONTROL_RETURN == BRANCH_RETURN + 1,
		       "the same kinds in the same order");
	return (enum branch_kind)(control - 1);
}

#endif
