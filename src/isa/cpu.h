/*
 * cpu.h - architectural state, and the functions that execute instructions on
 * it.
 *
 * A hart holds the registers of one guest thread; a cpu is the hart that is
 * running, the memory and decoded instructions it runs on, and the count of
 * instructions committed so far by all threads. Guest faults are values:
 * execution stops before the instruction that cannot complete, with hart.pc at
 * it, and returns the reason.
 *
 * The structs are open because inner loops access them.
 */
#ifndef ISA_CPU_H
#define ISA_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "guest/memory.h"
#include "isa/code.h"
#include "isa/insn.h"

#define NO_RESERVATION UINT64_MAX

struct hart {
	uint64_t r[REG_COUNT];
	uint64_t pc;
	uint32_t fflags;
	uint32_t frm;
	uint64_t reservation; /* address of the last load-reserved */
	uint64_t reserved_value;
	uint32_t masked_bits; /* upper bits of the addresses of data that are ignored (Supm) */
};

/* Where an access to that address goes. */
static inline uint64_t hart_data_address(const struct hart *hart, uint64_t address)
{
	if (LIKELY(!hart->masked_bits))
		return address;
	return (uint64_t)((int64_t)(address << hart->masked_bits) >> hart->masked_bits);
}

/* Who keeps the counters that a program reads as CSRs. */
struct cpu_counters {
	/* False if the program may not read the counter: none is there, or nothing uses it. */
	bool (*read)(void *context, unsigned csr, uint64_t *value);
	void *context;
};

struct cpu {
	struct hart hart;
	struct memory *memory;
	struct code *code;
	uint64_t instructions;	/* committed so far by all threads */
	uint64_t fault_address; /* the address of the last fault */
	const uint64_t *clock;	/* the count that serves as time; NULL: instructions */
	uint64_t clock_before;	/* if there is one: the time when it began */
	/* NULL: cycle is the time, and there are no other counters. */
	const struct cpu_counters *counters;
};

enum cpu_stop {
	STOP_LIMIT, /* cpu.instructions reached the limit asked for */
	STOP_ECALL,
	STOP_EBREAK,
	STOP_ILLEGAL,
	STOP_LOAD_FAULT,
	STOP_STORE_FAULT,
	STOP_FETCH_FAULT,
	STOP_MISALIGNED, /* an atomic access not aligned to its size */
};

/* Nanoseconds, or cycles, the program has been running. */
static inline uint64_t cpu_time(const struct cpu *cpu)
{
	return cpu->clock ? cpu->clock_before + *cpu->clock : cpu->instructions;
}

void hart_init(struct hart *hart);

/* Runs until cpu.instructions reaches `limit` or something stops it. An ecall
 * counts as committed, and hart.pc stays at it: the caller steps over it. */
enum cpu_stop cpu_run(struct cpu *cpu, uint64_t limit);
/* The same, never by translated code (isa/translate.h). */
enum cpu_stop cpu_interpret(struct cpu *cpu, uint64_t limit);

/* Executes the one instruction at hart.pc; STOP_LIMIT means success. cpu_run is tested against
 * it, and uses it for the rare cases that its handlers leave out. */
enum cpu_stop cpu_step(struct cpu *cpu);

enum csr_access { CSR_WRITE, CSR_SET, CSR_CLEAR };

#define CSR_FFLAGS   0x001
#define CSR_FRM	     0x002
#define CSR_FCSR     0x003
#define CSR_CYCLE    0xc00
#define CSR_TIME     0xc01
#define CSR_INSTRET  0xc02
#define CSR_COUNTERS 32 /* cycle and those that follow it; the last is hpmcounter31 */

static inline bool csr_is_counter(unsigned csr)
{
	return csr - CSR_CYCLE < CSR_COUNTERS;
}

/* Reads a CSR into *old and, if is_write, changes it. False where a user
 * program may not: no such CSR, or a write to a read-only one. */
bool csr_access(struct cpu *cpu, unsigned csr, enum csr_access how, uint64_t operand, bool is_write,
		uint64_t *old);
const char *csr_name(unsigned csr); /* NULL if the name is not known */

#endif
