/*
 * builder.h - a sequence under construction, and the choice of its operands.
 *
 * pick_* draw from the sequence's own random numbers. Each call stands in a
 * statement of its own: C does not say in which order arguments are evaluated,
 * and the same seed must give the same program whatever compiler built this.
 */
#ifndef LOCKSTEP_BUILDER_H
#define LOCKSTEP_BUILDER_H

#include "base/rng.h"
#include "sequence.h"
#include "value.h"

#define MAX_BASES  5
#define MAX_FIXUPS 64
#define NO_REG	   32u

/* A register that holds an address throughout the sequence. */
struct base {
	unsigned reg;
	int64_t offset; /* from the start of the window; may lie outside of it */
};

/* A forward jump whose target is a unit boundary still to come. */
struct fixup {
	const struct insn *row;
	size_t position; /* of the instruction that takes the offset */
	size_t origin;	 /* what the offset counts from */
	uint32_t word;	 /* with every other field in place */
	unsigned units_left;
};

/* Units that control flow enters at the top only. */
struct block {
	struct block *outer;
	struct fixup fixups[MAX_FIXUPS];
	unsigned fixup_count;
};

struct builder {
	struct rng rng;
	struct value_source values;
	struct code *code;
	struct sequence *sequence;
	uint64_t *coverage;
	const unsigned *weights;
	unsigned row_count; /* the rows that may be chosen, from the first */
	struct block *block;
	struct base bases[MAX_BASES];
	unsigned base_count;
	unsigned constants_reg; /* NO_REG if this sequence has none */
	unsigned sum_reg;	/* the same; adds up results that will be overwritten */
	uint32_t busy;		/* registers that must not be written now */
	unsigned limit;
	unsigned short_jumps; /* unresolved, of small reach: compound units could be too long */
	unsigned loop_depth;
	bool in_call;
	unsigned recent_x, recent_f; /* written last, so that results are used again */
};

unsigned pick_below(struct builder *b, unsigned bound);
bool pick_one_in(struct builder *b, unsigned n);

bool builder_is_busy(const struct builder *b, unsigned reg);

/* A register that may be written, in first .. first+count-1; NO_REG if none. */
unsigned pick_free(struct builder *b, unsigned first, unsigned count);
unsigned pick_rd(struct builder *b);
unsigned pick_rd_nonzero(struct builder *b);
unsigned pick_rs(struct builder *b);
unsigned pick_rs_short(struct builder *b);
unsigned pick_fd(struct builder *b);
unsigned pick_fs(struct builder *b);
int pick_imm12(struct builder *b);
unsigned pick_rounding(struct builder *b);

/* An offset into the window for an access of that size: aligned, anywhere, or
 * across a line or the page. */
int64_t pick_target(struct builder *b, unsigned size);
const struct base *pick_base(struct builder *b);

/* A base register in first .. first+count-1 and an offset in multiples of size,
 * at most `max`, from which an access stays in the window; false if none is
 * found. */
bool pick_scaled(struct builder *b, unsigned first, unsigned count, unsigned max, unsigned size,
		 unsigned *reg, unsigned *imm);

/* Appends an instruction and counts it. */
void builder_emit(struct builder *b, const struct insn *row, uint32_t word);
void builder_addi(struct builder *b, unsigned rd, unsigned rs1, int imm);
void builder_branch(struct builder *b, const char *name, unsigned rs1, unsigned rs2,
		    size_t target); /* a position in the code */

#endif
