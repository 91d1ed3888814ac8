/*
 * translate.h - executes by translating instructions to the host's code (x86-64).
 *
 * Blocks of instructions are translated when they are first executed, and jump directly to each
 * other. What is rare (accesses that straddle pages or lack a permission, CSRs, system calls, ends
 * of budgets, operations without a template) leaves the translated code with the hart exactly
 * before the instruction, which the interpreter then executes. Results, accrued flags, faults and
 * counts are those of the interpreter, bit for bit.
 *
 * The code lies in one memory of fixed size that is mapped twice, to write and to run, since no
 * memory of the process is ever both, and none becomes executable later: it can be made before the
 * process is jailed. When it is full, all blocks are forgotten. A block is forgotten when bytes of
 * its pages change, by the stores that take the slow path because the page has decoded
 * instructions.
 *
 * Not translated: instructions of a hart whose dynamic rounding mode is not the nearest. Watched
 * execution and warming use the interpreter.
 */
#ifndef ISA_TRANSLATE_H
#define ISA_TRANSLATE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/cpu.h"

/* The same memory twice. Both are NULL where there is none. */
struct code_cache {
	uint8_t *writable;
	const uint8_t *executable;
};

struct translator;

/* False, which is no error, where the host is not x86-64 with AVX2, FMA and BMI2 or forbids such
 * mappings. */
bool code_cache_map(struct code_cache *cache);
void code_cache_unmap(struct code_cache *cache);

/* From now on cpu_run translates what it executes of this code. The cache serves one translator
 * only and outlives it, which code_destroy ends. Nothing happens if the cache has no memory. */
void code_translate(struct code *code, const struct code_cache *cache);
void translator_destroy(struct translator *translator);
/* Bytes of this page change. */
void translator_forget_page(struct translator *translator, uint64_t address);

/* As cpu_run. */
enum cpu_stop translator_run(struct translator *translator, struct cpu *cpu, uint64_t limit);

#endif
