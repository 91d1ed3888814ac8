/*
 * lengths.h - how many bytes each instruction of a foreign trace has, learned from where execution
 * goes on.
 *
 * An instruction that does not jump is as long as the distance to the next one. A call is as long
 * as the distance to where its return goes: calls wait on a stack for that. A return is matched
 * with the last call that it can belong to, a few calls down if need be, so that calls that are
 * left by longjmp, exit or never do not spoil those below them; a tail call is a jump and leaves
 * the stack as it is. Of different lengths for one address the usual one is kept.
 *
 * Memory is bounded: addresses beyond LENGTHS_MOST, and those for which the table has no place near
 * theirs, are not known; of calls nested deeper than the stack the outermost are forgotten.
 */
#ifndef TRACE_LENGTHS_H
#define TRACE_LENGTHS_H

#include <stdint.h>

#define LENGTHS_MOST	   (UINT32_C(1) << 20)
#define LENGTHS_BYTES_MOST 15

struct lengths;

struct lengths *lengths_create(void);
void lengths_destroy(struct lengths *lengths); /* NULL is accepted */

/* The instruction at `pc` was followed by the one at `next_pc` without a jump. */
void lengths_pass(struct lengths *lengths, uint64_t pc, uint64_t next_pc);
/* It was a call; or a return, which went to `next_pc`. */
void lengths_call(struct lengths *lengths, uint64_t pc);
void lengths_return(struct lengths *lengths, uint64_t next_pc);

/* In bytes; 0: not known. */
uint8_t lengths_at(const struct lengths *lengths, uint64_t pc);

#endif
