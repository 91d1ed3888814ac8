/* One instruction at a time, by a plain switch: the twin cpu_run is tested against. */
#include "base/bits.h"
#include "isa/cpu.h"
#include "isa/fpu.h"
#include "isa/softfloat.h"

static enum cpu_stop fault(struct cpu *cpu, uint64_t address, unsigned bytes, unsigned flag,
			   enum cpu_stop stop)
{
	bool is_first = !memory_allows(cpu->memory, address, flag);

	cpu->fault_address =
		is_first ? address : bits_align_down(address + bytes - 1, GUEST_PAGE_BYTES);
	return stop;
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
#define LOAD(type, address)                                                           \
	type loaded;                                                                  \
	uint64_t load_at = (address);                                                 \
	if (!memory_allows_access(memory, load_at, sizeof(type), PAGE_READ))          \
		return fault(cpu, load_at, sizeof(type), PAGE_READ, STOP_LOAD_FAULT); \
	memcpy(&loaded, memory->base + load_at, sizeof(type));
#define STORE(type, address, value)                                                      \
	type stored = (value);                                                           \
	uint64_t store_at = (address);                                                   \
	if (!memory_allows_access(memory, store_at, sizeof(type), PAGE_WRITE))           \
		return fault(cpu, store_at, sizeof(type), PAGE_WRITE, STOP_STORE_FAULT); \
	memory_code_changes(memory, store_at, sizeof(type));                             \
	memcpy(memory->base + store_at, &stored, sizeof(type));
#define ALIGNED(type, address)                  \
	if ((address) % sizeof(type)) {         \
		cpu->fault_address = (address); \
		return STOP_MISALIGNED;         \
	}
#define ATOMIC(type, address)                                                             \
	ALIGNED(type, address)                                                            \
	if (!memory_allows_access(memory, (address), sizeof(type), PAGE_WRITE))           \
		return fault(cpu, (address), sizeof(type), PAGE_WRITE, STOP_STORE_FAULT); \
	LOAD(type, address)
#define ATOMIC_LOAD(type, address) \
	ALIGNED(type, address)     \
	LOAD(type, address)
#define RESERVE(address, value)         \
	hart->reserved_value = (value); \
	hart->reservation = (address)
#define RESERVED(address, value) (hart->reservation == (address) && hart->reserved_value == (value))
#define UNRESERVE		 hart->reservation = NO_RESERVATION
#define FFLAGS			 (&hart->fflags)
#define FRM			 (hart->frm)
#define CSR(how, operand, is_write)                                                \
	{                                                                          \
		uint64_t old;                                                      \
		if (!csr_access(cpu, (unsigned)IMM, how, operand, is_write, &old)) \
			return STOP_ILLEGAL;                                       \
		WR(old);                                                           \
		break;                                                             \
	}
#define ILLEGAL return STOP_ILLEGAL;
#define ECALL                \
	cpu->instructions++; \
	return STOP_ECALL;
#define EBREAK	  return STOP_EBREAK;
#define SYNC_CODE (void)0

enum cpu_stop cpu_step(struct cpu *cpu)
{
	struct hart *hart = &cpu->hart;
	struct memory *memory = cpu->memory;
	const struct insn *slot = code_at(cpu->code, hart->pc, &cpu->fault_address);

	if (!slot)
		return STOP_FETCH_FAULT;
	/* A store may empty the slot it was decoded into. */
	const struct insn copy = *slot, *insn = &copy;
	uint64_t next = hart->pc + insn->bytes;

	switch ((enum op)insn->op) {
#include "isa/semantics.h"
	case OP_COUNT: BUG("undecoded instruction at 0x%llx", (unsigned long long)hart->pc);
	}
	hart->pc = next;
	cpu->instructions++;
	return STOP_LIMIT;
}
