/* Accesses that memory does not allow, and CSRs, on the right path and on wrong ones: where the
 * path ends, and what an instruction does that goes on in spite of a fault. */
#include "../test.h"
#include "base/array.h"
#include "isa/profile.h"
#include "isa/undo.h"

#define CODE	 UINT64_C(0x10000)
#define READ	 UINT64_C(0x20000) /* can be read alone, and no page follows it */
#define UNFILLED UINT64_C(0x30000) /* can be written, but its first store goes beyond the limit */
#define NOWHERE	 UINT64_C(0x40000)
#define T0	 5
#define T1	 6
#define A0	 10
#define BEFORE	 0x1234 /* in a0, and the number of instructions */
#define FFLAGS	 0x15

#define LW	  0x0002a503		  /* lw a0, 0(t0) */
#define SW	  0x0062a023		  /* sw t1, 0(t0) */
#define LR	  0x1002a52f		  /* lr.w a0, (t0) */
#define AMOADD	  0x0062a52f		  /* amoadd.w a0, t1, (t0) */
#define CBO_ZERO  0x0042a00f		  /* cbo.zero (t0) */
#define CBO_CLEAN 0x0012a00f		  /* cbo.clean (t0) */
#define AMOCAS_Q  0x2862c52f		  /* amocas.q a0, t1, (t0) */
#define CSRR(csr) ((csr) << 20 | 0x2573u) /* csrr a0, csr */

enum way { RIGHT, WRONG, WRONG_IGNORING, WAYS };

struct row {
	uint32_t word;
	uint64_t address;
	enum cpu_stop stops[WAYS];
	uint64_t fault, a0[WAYS]; /* a0: if it does not stop */
	unsigned accessed;	  /* bytes, by those ways that do not stop at the fault */
	unsigned logged;	  /* stores on a wrong path */
};

static const struct row rows[] = {
	{LW, READ, {0}, 0, {0}, 4, 0},
	{LW, NOWHERE, {STOP_LOAD_FAULT, STOP_LOAD_FAULT, STOP_LIMIT}, NOWHERE, {0}, 0, 0},
	/* The second half of it alone. */
	{LW,
	 READ + GUEST_PAGE_BYTES - 2,
	 {STOP_LOAD_FAULT, STOP_LOAD_FAULT, STOP_LIMIT},
	 READ + GUEST_PAGE_BYTES,
	 {0},
	 0,
	 0},
	{SW,
	 NOWHERE,
	 {STOP_STORE_FAULT, STOP_STORE_FAULT, STOP_LIMIT},
	 NOWHERE,
	 {BEFORE, BEFORE, BEFORE},
	 0,
	 0},
	{SW,
	 READ,
	 {STOP_STORE_FAULT, STOP_STORE_FAULT, STOP_LIMIT},
	 READ,
	 {BEFORE, BEFORE, BEFORE},
	 0,
	 0},
	{SW,
	 UNFILLED + 8,
	 {STOP_STORE_FAULT, STOP_STORE_FAULT, STOP_LIMIT},
	 UNFILLED + 8,
	 {BEFORE, BEFORE, BEFORE},
	 0,
	 0},
	/* Over instructions that are decoded. */
	{SW, CODE + 64, {0}, 0, {BEFORE, BEFORE, BEFORE}, 4, 1},
	{AMOADD, NOWHERE, {STOP_STORE_FAULT, STOP_STORE_FAULT, STOP_LIMIT}, NOWHERE, {0}, 0, 0},
	{AMOADD, READ, {STOP_STORE_FAULT, STOP_STORE_FAULT, STOP_LIMIT}, READ, {0}, 0, 0},
	{AMOADD, CODE + 64, {0}, 0, {0}, 4, 1},
	{LR, NOWHERE, {STOP_LOAD_FAULT, STOP_LOAD_FAULT, STOP_LIMIT}, NOWHERE, {0}, 0, 0},
	{LR, READ + 2, {STOP_MISALIGNED, STOP_MISALIGNED, STOP_MISALIGNED}, READ + 2, {0}, 0, 0},
	/* A block of 64 bytes, in eight pieces of the log; it begins where it is aligned. */
	{CBO_ZERO, CODE + 128, {0}, 0, {BEFORE, BEFORE, BEFORE}, 64, 8},
	{CBO_ZERO,
	 READ,
	 {STOP_STORE_FAULT, STOP_STORE_FAULT, STOP_LIMIT},
	 READ,
	 {BEFORE, BEFORE, BEFORE},
	 0,
	 0},
	{CBO_ZERO,
	 UNFILLED + 64,
	 {STOP_STORE_FAULT, STOP_STORE_FAULT, STOP_LIMIT},
	 UNFILLED + 64,
	 {BEFORE, BEFORE, BEFORE},
	 0,
	 0},
	{CBO_CLEAN, READ, {0}, 0, {BEFORE, BEFORE, BEFORE}, 0, 0},
	{CBO_CLEAN,
	 NOWHERE + 5,
	 {STOP_STORE_FAULT, STOP_STORE_FAULT, STOP_LIMIT},
	 NOWHERE + 5,
	 {BEFORE, BEFORE, BEFORE},
	 0,
	 0},
	{AMOCAS_Q,
	 READ + 8,
	 {STOP_MISALIGNED, STOP_MISALIGNED, STOP_MISALIGNED},
	 READ + 8,
	 {0},
	 0,
	 0},
	{AMOCAS_Q, NOWHERE, {STOP_STORE_FAULT, STOP_STORE_FAULT, STOP_LIMIT}, NOWHERE, {0}, 0, 0},
	{AMOCAS_Q, CODE + 64, {0}, 0, {0}, 16, 0},
	{CSRR(CSR_FFLAGS), 0, {0}, 0, {FFLAGS, FFLAGS, FFLAGS}, 0, 0},
	{CSRR(CSR_CYCLE), 0, {STOP_LIMIT, STOP_ILLEGAL, STOP_ILLEGAL}, 0, {BEFORE}, 0, 0},
	/* There is no such CSR. */
	{CSRR(0), 0, {STOP_ILLEGAL, STOP_ILLEGAL, STOP_ILLEGAL}, 0, {0}, 0, 0},
};

static void check(const struct row *row, enum way way)
{
	const unsigned all = PAGE_READ | PAGE_WRITE | PAGE_EXEC;
	struct undo_log log;
	struct memory memory;
	struct err err;
	uint64_t fault, left;

	assert_true(memory_init(&memory, GUEST_PAGE_BYTES, &err));
	assert_true(memory_map(&memory, CODE, GUEST_PAGE_BYTES, all));
	assert_true(memory_map(&memory, READ, GUEST_PAGE_BYTES, PAGE_READ));
	assert_true(memory_map(&memory, UNFILLED, GUEST_PAGE_BYTES, PAGE_READ | PAGE_WRITE));
	memory_load(&memory, CODE, &row->word, 4);
	struct cpu cpu = {.memory = &memory, .instructions = BEFORE, .fault_address = 1};
	hart_init(&cpu.hart);
	cpu.hart.pc = CODE;
	cpu.hart.fflags = FFLAGS;
	cpu.hart.r[A0] = BEFORE;
	cpu.hart.r[T0] = row->address;
	cpu.hart.r[T1] = 0x55;
	cpu.code = code_create(&memory);
	cpu.code->features = FEATURES_ALL;
	undo_init(&log);
	log.ignores_faults = way == WRONG_IGNORING;
	const struct insn *insn = code_at(cpu.code, CODE, &fault);
	struct step_access access = {.address = 1};
	const enum cpu_stop stop = way == RIGHT ? cpu_step_watched(&cpu, insn, &access)
						: cpu_step_logged(&cpu, insn, &log, &access);
	const bool goes_on = row->stops[way] == STOP_LIMIT;

	assert_int_equal(stop, row->stops[way]);
	assert_int_equal(cpu.hart.pc, goes_on ? CODE + 4 : CODE);
	assert_int_equal(cpu.hart.r[A0], goes_on ? row->a0[way] : BEFORE);
	assert_int_equal(cpu.fault_address, goes_on || !row->fault ? 1 : row->fault);
	assert_int_equal(cpu.instructions, way == RIGHT && goes_on ? BEFORE + 1 : BEFORE);
	assert_int_equal(access.bytes, goes_on ? row->accessed : 0);
	assert_int_equal(log.count, way == RIGHT ? 0 : row->logged);
	if (access.bytes)
		assert_int_equal(access.address, row->address);
	/* Only a store that is done has changed memory. */
	if (memory_read(&memory, &left, row->address, 8))
		assert_int_equal(left, row->logged && row->word != CBO_ZERO ? 0x55 : 0);
	undo_release(&log);
	code_destroy(cpu.code);
	memory_release(&memory);
}

TEST(a_path_ends_at_what_it_may_not_do)
{
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
		for (enum way way = RIGHT; way < WAYS; way++)
			check(&rows[i], way);
}
