/*
 * champsim.h - traces in the format of the ChampSim simulator.
 *
 * A file is a sequence of 64-byte records, little endian: ip (8), is_branch (1), branch_taken (1),
 * destination registers (2), source registers (4), destination addresses (2 x 8), source addresses
 * (4 x 8); 0 is none. The byte load_type, which later versions append, is neither written nor
 * read. The kind of a branch is told by registers: 6 is the stack pointer, 25 the flags, 26 the
 * instruction pointer.
 *
 * Exported, sp is 6 and other registers are their number in step.h plus 64; instructions that are
 * no branch have all of theirs. A branch has the registers that tell its kind, and before them fill
 * the four places those it reads: what a conditional compares, the target of an indirect one, the
 * link register of a return. The simulator takes what reads and writes 26 and reads 25 or others
 * for a conditional; its versions before 2023 knew only 25 alone there, and take ours for branches
 * of no kind. Lost are: the link register that a call writes, because 26 and 6 have its places; sp,
 * where a branch compares it; instruction bytes, lengths, access sizes, accesses at address 0.
 *
 * Imported, every register number of theirs is one of ours and no two are the same; accesses have 8
 * bytes; everything that is no load, store or branch is simple arithmetic; an instruction with
 * several accesses is several steps at its address. Addresses are taken as they are. Lengths are
 * found by lengths.h, and are 4 where it knows none. The flags that a conditional reads are a
 * register like others.
 */
#ifndef TRACE_CHAMPSIM_H
#define TRACE_CHAMPSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "trace/file.h"

#define CHAMPSIM_RECORD_BYTES 64
/* A longer export would not fit what a worker may send. */
#define CHAMPSIM_RECORDS_MOST ((UINT32_C(1) << 29) / CHAMPSIM_RECORD_BYTES - 1024)

/* Writes the records of a whole trace to `out`. False with a sentence if the trace is damaged, or
 * has more than CHAMPSIM_RECORDS_MOST instructions. */
bool champsim_export(struct trace_reader *reader, FILE *out, uint64_t *instructions,
		     struct err *err);

/* Writes a trace of the records to `out`. False with a sentence that names the offset of the first
 * record that is none; then nothing is written. */
bool champsim_import(const uint8_t *bytes, size_t size, const char *name, FILE *out,
		     uint64_t *instructions, struct err *err);

#endif
