/*
 * One instruction at a time, by a plain switch: what a simulated core executes with,
 * on the right path and on wrong ones, and the twin that cpu_run is tested against.
 * One text, included twice below by itself with WRONG_PATH defined as 0 and 1.
 */
#ifndef WRONG_PATH
#include "base/array.h"
#include "base/bits.h"
#include "isa/cpu.h"
#include "isa/fpu.h"
#include "isa/softfloat.h"
#include "isa/undo.h"

static enum cpu_stop fault(struct cpu *cpu, uint64_t address, unsigned bytes, unsigned flag,
			   enum cpu_stop stop)
{
	bool is_first = !memory_allows(cpu->memory, address, flag);

	cpu->fault_address =
		is_first ? address : bits_align_down(address + bytes - 1, GUEST_PAGE_BYTES);
	return stop;
}

static void log_store(struct undo_log *log, const struct memory *memory, uint64_t address,
		      unsigned bytes)
{
	struct undo_store *store = ARRAY_PUSH(log->stores, log->count, log->capacity);

	store->address = address;
	store->bytes = bytes;
	store->old = 0;
	memcpy(&store->old, memory->base + address, bytes);
}

#define OP(id)	     case OP_##id:
#define NEXT	     break;
#define A	     (hart->r[insn->rs1])
#define B	     (hart->r[insn->rs2])
#define C	     (hart->r[insn->rs3])
#define IMM	     (insn->imm)
#define RM_FIELD     (insn->rm)
#define IS_X0(field) (insn->field == 0)
#define WR(value)    hart->r[insn->rd] = (value)
#define PC	     (hart->pc)
#define LINK	     (hart->pc + insn->bytes)
#define BRANCH(taken)                               \
	if (taken)                                  \
		next = PC + (uint64_t)(int64_t)IMM; \
	break;
#define JUMP_RELATIVE                       \
	next = PC + (uint64_t)(int64_t)IMM; \
	break;
#define JUMP_TO(address)  \
	next = (address); \
	break;
#define LOAD(type, at)                                                                 \
	type loaded;                                                                   \
	uint64_t load_at = (at);                                                       \
	if (UNLIKELY(!memory_allows_access(memory, load_at, sizeof(type), PAGE_READ))) \
		return fault(cpu, load_at, sizeof(type), PAGE_READ, STOP_LOAD_FAULT);  \
	access->address = load_at;                                                     \
	access->bytes = sizeof(type);                                                  \
	memcpy(&loaded, memory->base + load_at, sizeof(type));
#define STORE(type, at, value)                                                                   \
	type stored = (value);                                                                   \
	uint64_t store_at = (at);                                                                \
	if (UNLIKELY(!memory_allows_access(memory, store_at, sizeof(type), PAGE_STORE))) {       \
		if (!memory_allows_access(memory, store_at, sizeof(type), PAGE_WRITE))           \
			return fault(cpu, store_at, sizeof(type), PAGE_WRITE, STOP_STORE_FAULT); \
		memory_code_changes(memory, store_at, sizeof(type));                             \
	}                                                                                        \
	access->address = store_at;                                                              \
	access->bytes = sizeof(type);                                                            \
	LOG_STORE(store_at, sizeof(type));                                                       \
	memcpy(memory->base + store_at, &stored, sizeof(type));
#define ALIGNED(type, at)                  \
	if ((at) % sizeof(type)) {         \
		cpu->fault_address = (at); \
		return STOP_MISALIGNED;    \
	}
#define ATOMIC(type, at)                                                             \
	ALIGNED(type, at)                                                            \
	if (!memory_allows_access(memory, (at), sizeof(type), PAGE_WRITE))           \
		return fault(cpu, (at), sizeof(type), PAGE_WRITE, STOP_STORE_FAULT); \
	LOAD(type, at)
#define ATOMIC_LOAD(type, at) \
	ALIGNED(type, at)     \
	LOAD(type, at)
#define RESERVE(at, value)              \
	hart->reserved_value = (value); \
	hart->reservation = (at)
#define RESERVED(at, value) (hart->reservation == (at) && hart->reserved_value == (value))
#define UNRESERVE	    hart->reservation = NO_RESERVATION
#define FFLAGS		    (&hart->fflags)
#define FRM		    (hart->frm)
#define ILLEGAL		    return STOP_ILLEGAL;
#define EBREAK		    return STOP_EBREAK;
#define SYNC_CODE	    (void)0

#define WRONG_PATH 0
#include "isa/exec_core.c" /* NOLINT(bugprone-suspicious-include) */
#undef WRONG_PATH
#define WRONG_PATH 1
#include "isa/exec_core.c" /* NOLINT(bugprone-suspicious-include) */
#undef WRONG_PATH

enum cpu_stop cpu_step(struct cpu *cpu)
{
	const struct insn *slot = code_at(cpu->code, cpu->hart.pc, &cpu->fault_address);
	struct step_access access;

	if (!slot)
		return STOP_FETCH_FAULT;
	/* A store may empty the slot it was decoded into. */
	const struct insn insn = *slot;
	return cpu_step_watched(cpu, &insn, &access);
}

#else

#if WRONG_PATH
#define LOG_STORE(address, bytes) log_store(log, memory, address, bytes)
/* Flags and modes are undone with the hart; what counts time is not guessed. */
#define CSR(how, operand, is_write)                                                \
	{                                                                          \
		uint64_t old;                                                      \
		if (IMM > CSR_FCSR ||                                              \
		    !csr_access(cpu, (unsigned)IMM, how, operand, is_write, &old)) \
			return STOP_ILLEGAL;                                       \
		WR(old);                                                           \
		break;                                                             \
	}
#define ECALL return STOP_ECALL;
enum cpu_stop cpu_step_logged(struct cpu *cpu, const struct insn *insn, struct undo_log *log,
			      struct step_access *access)
#else
#define LOG_STORE(address, bytes) (void)0
#define CSR(how, operand, is_write)                                                \
	{                                                                          \
		uint64_t old;                                                      \
		if (!csr_access(cpu, (unsigned)IMM, how, operand, is_write, &old)) \
			return STOP_ILLEGAL;                                       \
		WR(old);                                                           \
		break;                                                             \
	}
#define ECALL                \
	cpu->instructions++; \
	return STOP_ECALL;
enum cpu_stop cpu_step_watched(struct cpu *cpu, const struct insn *insn, struct step_access *access)
#endif
{
	struct hart *hart = &cpu->hart;
	struct memory *memory = cpu->memory;
	uint64_t next = hart->pc + insn->bytes;

	access->bytes = 0;
	switch ((enum op)insn->op) {
#include "isa/semantics.h"
	case OP_COUNT: BUG("undecoded instruction at 0x%llx", (unsigned long long)hart->pc);
	}
	hart->pc = next;
#if !WRONG_PATH
	cpu->instructions++;
#endif
	return STOP_LIMIT;
}

#undef LOG_STORE
#undef CSR
#undef ECALL
#endif
