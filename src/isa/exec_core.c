/*
 * Executes runs of consecutive instructions by threaded code, for a simulated core, on the
 * right path and on wrong paths; cpu_step is a run of one instruction, and cpu_run is
 * tested against it. This file includes itself twice, with WRONG_PATH defined as 0 and as
 * 1.
 */
#ifndef WRONG_PATH
#include "base/array.h"
#include "base/bits.h"
#include "isa/bitmanip.h"
#include "isa/cpu.h"
#include "isa/fpu.h"
#include "isa/softfloat.h"
#include "isa/undo.h"

/* The first byte of an access that is not allowed. */
static uint64_t faulting(const struct cpu *cpu, uint64_t address, unsigned bytes, unsigned flag)
{
	bool is_first = !memory_allows(cpu->memory, address, flag);

	return is_first ? address : bits_align_down(address + bytes - 1, GUEST_PAGE_BYTES);
}

static void log_store(struct undo_log *log, const struct memory *memory, uint64_t address,
		      unsigned bytes)
{
	while (bytes) {
		struct undo_store *store = ARRAY_PUSH(log->stores, log->count, log->capacity);
		const unsigned part = bytes < sizeof(store->old) ? bytes : sizeof(store->old);

		store->address = address;
		store->bytes = part;
		store->old = 0;
		memcpy(&store->old, memory->base + address, part);
		address += part;
		bytes -= part;
	}
}

/* The operands and result of amocas.q: a register and the next, of which x0 has none. */
static unsigned __int128 pair_at(const struct hart *hart, unsigned reg)
{
	return reg ? (unsigned __int128)hart->r[reg + 1] << 64 | hart->r[reg] : 0;
}

static void write_pair(struct hart *hart, unsigned reg, unsigned __int128 value)
{
	if (reg == REG_SINK)
		return;
	hart->r[reg] = (uint64_t)value;
	hart->r[reg + 1] = (uint64_t)(value >> 64);
}

/* Threaded code takes 34 host instructions per instruction; a call and a switch took 41
 * (chess). */
#define OP(id) op_##id:
#define NEXT                     \
	at++;                    \
	pc += insn->bytes;       \
	insn += insn->bytes / 2; \
	if (at == end)           \
		goto done;       \
	goto *(origin + handlers[insn->op]);
#define A	     (hart->r[insn->rs1])
#define B	     (hart->r[insn->rs2])
#define C	     (hart->r[insn->rs3])
#define IMM	     (insn->imm)
#define RM_FIELD     (insn->rm)
#define IS_X0(field) (insn->field == 0)
#define WR(value)    hart->r[insn->rd] = (value)
#define PC	     pc
#define LINK	     (pc + insn->bytes)
#define BRANCH(taken)                                                           \
	{                                                                       \
		pc += (taken) ? (uint64_t)(int64_t)IMM : (uint64_t)insn->bytes; \
		at++;                                                           \
		goto done;                                                      \
	}
#define JUMP_RELATIVE                         \
	{                                     \
		pc += (uint64_t)(int64_t)IMM; \
		at++;                         \
		goto done;                    \
	}
#define JUMP_TO(address)        \
	{                       \
		pc = (address); \
		at++;           \
		goto done;      \
	}
#define STOP(why)           \
	{                   \
		stop = why; \
		goto done;  \
	}
#define FAULT(address, bytes, flag, why)                                  \
	{                                                                 \
		cpu->fault_address = faulting(cpu, address, bytes, flag); \
		STOP(why)                                                 \
	}
#define NOTE_ACCESS(where, size)                                                    \
	{                                                                           \
		struct step_access *access = &accesses->slots[at & accesses->mask]; \
		access->address = (where);                                          \
		access->bytes = (size);                                             \
	}
#define LOAD(type, where)                                                                \
	type loaded;                                                                     \
	uint64_t load_at = (where);                                                      \
	if (UNLIKELY(!memory_allows_access(memory, load_at, sizeof(type), PAGE_READ)) && \
	    (load_at = hart_data_address(hart, load_at),                                 \
	     !memory_allows_access(memory, load_at, sizeof(type), PAGE_READ))) {         \
		if (!IGNORES_FAULTS)                                                     \
			FAULT(load_at, sizeof(type), PAGE_READ, STOP_LOAD_FAULT)         \
		NOTE_ACCESS(0, 0)                                                        \
		memset(&loaded, 0, sizeof(type));                                        \
	} else {                                                                         \
		NOTE_ACCESS(load_at, sizeof(type))                                       \
		memcpy(&loaded, memory->base + load_at, sizeof(type));                   \
	}
/* A store into decoded code ends the run: the following instructions may have changed, and the
 * store's own slot may be empty. */
#define STORE(type, where, value)                                                           \
	type stored = (value);                                                              \
	uint64_t store_at = (where);                                                        \
	if (UNLIKELY(!memory_allows_access(memory, store_at, sizeof(type), PAGE_STORE))) {  \
		store_at = hart_data_address(hart, store_at);                               \
		if (!memory_allows_access(memory, store_at, sizeof(type), PAGE_WRITE)) {    \
			if (!IGNORES_FAULTS)                                                \
				FAULT(store_at, sizeof(type), PAGE_WRITE, STOP_STORE_FAULT) \
			NOTE_ACCESS(0, 0)                                                   \
			NEXT                                                                \
		}                                                                           \
		kept = *insn;                                                               \
		insn = &kept;                                                               \
		end = at + 1;                                                               \
		if (!memory_before_store(memory, store_at, sizeof(type))) {                 \
			if (!IGNORES_FAULTS) {                                              \
				cpu->fault_address = store_at;                              \
				STOP(STOP_STORE_FAULT)                                      \
			}                                                                   \
			NOTE_ACCESS(0, 0)                                                   \
			NEXT                                                                \
		}                                                                           \
	}                                                                                   \
	NOTE_ACCESS(store_at, sizeof(type))                                                 \
	LOG_STORE(store_at, sizeof(type));                                                  \
	memcpy(memory->base + store_at, &stored, sizeof(type));
#define ALIGNED(type, where)                  \
	if ((where) % sizeof(type)) {         \
		cpu->fault_address = (where); \
		STOP(STOP_MISALIGNED)         \
	}
#define ATOMIC(type, where)                                                          \
	const uint64_t atomic_at = hart_data_address(hart, (where));                 \
	ALIGNED(type, atomic_at)                                                     \
	if (!memory_allows_access(memory, atomic_at, sizeof(type), PAGE_WRITE)) {    \
		if (!IGNORES_FAULTS)                                                 \
			FAULT(atomic_at, sizeof(type), PAGE_WRITE, STOP_STORE_FAULT) \
		NOTE_ACCESS(0, 0)                                                    \
		WR(0);                                                               \
		NEXT                                                                 \
	}                                                                            \
	LOAD(type, atomic_at)
#define ATOMIC_LOAD(type, where)                                     \
	const uint64_t atomic_at = hart_data_address(hart, (where)); \
	ALIGNED(type, atomic_at)                                     \
	LOAD(type, atomic_at)
#define RESERVE(where, value)           \
	hart->reserved_value = (value); \
	hart->reservation = hart_data_address(hart, (where))
#define RESERVED(where, value) \
	(hart->reservation == hart_data_address(hart, (where)) && hart->reserved_value == (value))
#define BLOCK_AT(where) bits_align_down(hart_data_address(hart, (where)), CACHE_BLOCK_BYTES)
/* Any access will do for the instructions that manage a block; without one it is a store's fault.
 */
#define BLOCK_ALLOWED(where)                                                        \
	const uint64_t block_at = BLOCK_AT(where);                                  \
	if (!memory_allows(memory, block_at, PAGE_READ | PAGE_WRITE | PAGE_EXEC)) { \
		if (!IGNORES_FAULTS) {                                              \
			cpu->fault_address = hart_data_address(hart, (where));      \
			STOP(STOP_STORE_FAULT)                                      \
		}                                                                   \
	}
#define BLOCK_ZERO(where)                                                      \
	struct cache_block {                                                   \
		uint8_t bytes[CACHE_BLOCK_BYTES];                              \
	};                                                                     \
	const uint64_t block_at = BLOCK_AT(where);                             \
	if (!memory_allows(memory, block_at, PAGE_WRITE) && !IGNORES_FAULTS) { \
		cpu->fault_address = hart_data_address(hart, (where));         \
		STOP(STOP_STORE_FAULT)                                         \
	}                                                                      \
	STORE(struct cache_block, block_at, (struct cache_block){{0}})
#define COMPARE_AND_SWAP_16                                           \
	ATOMIC(unsigned __int128, A)                                  \
	if (loaded == pair_at(hart, insn->rs3)) {                     \
		STORE(unsigned __int128, A, pair_at(hart, insn->rs2)) \
	}                                                             \
	write_pair(hart, insn->rd, loaded);
#define UNRESERVE hart->reservation = NO_RESERVATION
#define FFLAGS	  (&hart->fflags)
#define FRM	  (hart->frm)
#define ILLEGAL	  STOP(STOP_ILLEGAL)
#define EBREAK	  STOP(STOP_EBREAK)
#define SYNC_CODE (void)0
#define CSR(how, operand, is_write)                                                \
	{                                                                          \
		uint64_t old;                                                      \
		if (!CSR_IS_KNOWN ||                                               \
		    !csr_access(cpu, (unsigned)IMM, how, operand, is_write, &old)) \
			STOP(STOP_ILLEGAL)                                         \
		WR(old);                                                           \
		NEXT                                                               \
	}
#define OFFSET(label) (int32_t)((const char *)&&label - (const char *)&&op_ILLEGAL)

#define WRONG_PATH 0
#include "isa/exec_core.c" /* NOLINT(bugprone-suspicious-include) */
#undef WRONG_PATH
#define WRONG_PATH 1
#include "isa/exec_core.c" /* NOLINT(bugprone-suspicious-include) */
#undef WRONG_PATH

enum cpu_stop cpu_step_watched(struct cpu *cpu, const struct insn *insn, struct step_access *access)
{
	const struct step_ring accesses = {access, 0};

	access->bytes = 0;
	return cpu_run_watched(cpu, insn, &accesses, 0, 1).stop;
}

enum cpu_stop cpu_step_logged(struct cpu *cpu, const struct insn *insn, struct undo_log *log,
			      struct step_access *access)
{
	const struct step_ring accesses = {access, 0};

	access->bytes = 0;
	return cpu_run_logged(cpu, insn, &accesses, 0, 1, log).stop;
}

enum cpu_stop cpu_step(struct cpu *cpu)
{
	const struct insn *slot = code_at(cpu->code, cpu->hart.pc, &cpu->fault_address);
	struct step_access access;

	return slot ? cpu_step_watched(cpu, slot, &access) : STOP_FETCH_FAULT;
}

#else

#if WRONG_PATH
#define LOG_STORE(address, bytes) log_store(log, memory, address, bytes)
#define IGNORES_FAULTS		  log->ignores_faults
/* Flags and rounding modes are restored with the hart; counter reads are not executed on a
 * wrong path. */
#define CSR_IS_KNOWN		  (IMM <= CSR_FCSR)
#define ECALL			  STOP(STOP_ECALL)
struct step_end cpu_run_logged(struct cpu *cpu, const struct insn *insn,
			       const struct step_ring *accesses, uint32_t first, uint32_t count,
			       struct undo_log *log)
#else
#define LOG_STORE(address, bytes) (void)0
#define IGNORES_FAULTS		  false
#define CSR_IS_KNOWN		  true
#define ECALL                        \
	{                            \
		cpu->instructions++; \
		STOP(STOP_ECALL)     \
	}
struct step_end cpu_run_watched(struct cpu *cpu, const struct insn *insn,
				const struct step_ring *accesses, uint32_t first, uint32_t count)
#endif
{
	static const int32_t handlers[OP_COUNT] = {
#define INSN(id, mnemonic, match, mask, operands, unit) [OP_##id] = OFFSET(op_##id),
#include "isa/insns.def"
#undef INSN
	};
	const char *const origin = &&op_ILLEGAL;
	struct hart *const hart = &cpu->hart;
	struct memory *const memory = cpu->memory;
	uint64_t pc = hart->pc;
	uint32_t at = first, end = first + count;
	enum cpu_stop stop = STOP_LIMIT;
	struct insn kept;

	goto *(origin + handlers[insn->op]);
#include "isa/semantics.h"
done:
	hart->pc = pc;
#if !WRONG_PATH
	cpu->instructions += at - first;
#endif
	return (struct step_end){at - first, stop};
}

#undef LOG_STORE
#undef IGNORES_FAULTS
#undef CSR_IS_KNOWN
#undef ECALL
#endif
