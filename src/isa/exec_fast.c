/*
 * The fast interpreter: threaded code over the array of decoded instructions.
 *
 * Each handler ends in its own indirect jump, so that the host's predictor sees
 * one jump per guest instruction kind. Every handler exists twice, for 2-byte
 * and 4-byte instructions: with the length a constant, the address of the next
 * slot does not wait for a load (a loop-carried load of the length costs about
 * seven cycles per instruction). Handlers are stored as offsets from
 * `undecoded`, so an empty slot, whose offset is 0, jumps there.
 */
#include "base/bits.h"
#include "isa/bitmanip.h"
#include "isa/cpu.h"
#include "isa/fpu.h"
#include "isa/softfloat.h"
#include "isa/translate.h"

#define SLOT_PC(slot) (chunk_pc + ((uint64_t)((const char *)(slot) - (const char *)slots) >> 3))

#define A	     (r[ip->rs1])
#define B	     (r[ip->rs2])
#define C	     (r[ip->rs3])
#define IMM	     (ip->imm)
#define RM_FIELD     (ip->rm)
#define IS_X0(field) (ip->field == 0)
#define WR(value)    r[ip->rd] = (value)
#define PC	     SLOT_PC(ip)
#define LINK	     (PC + LENGTH)

#define DISPATCH                              \
	do {                                  \
		if (UNLIKELY(--left < 0))     \
			goto out_of_budget;   \
		goto *(origin + ip->handler); \
	} while (0);
#define NEXT              \
	ip += LENGTH / 2; \
	DISPATCH
/* A slot is 16 bytes for 2 bytes of code. Instructions with a target outside the chunk have
 * the `corner` handler and do not reach this. */
#define JUMP_RELATIVE                                        \
	ip = (struct insn *)((char *)ip + (int64_t)IMM * 8); \
	DISPATCH
#define BRANCH(taken)         \
	if (taken) {          \
		JUMP_RELATIVE \
	}                     \
	NEXT
#define JUMP_TO(address)                                          \
	{                                                         \
		uint64_t offset = (address)-chunk_pc;             \
		if (UNLIKELY(offset >= CODE_CHUNK_BYTES)) {       \
			cpu->hart.pc = (address);                 \
			goto relocate;                            \
		}                                                 \
		ip = (struct insn *)((char *)slots + offset * 8); \
		DISPATCH                                          \
	}

#define ALLOWED(address, bytes, flag)                            \
	(LIKELY((address) < GUEST_SPACE_BYTES) &&                \
	 LIKELY(pages[(address) >> GUEST_PAGE_BITS] & (flag)) && \
	 ((bytes) == 1 ||                                        \
	  LIKELY(((address) & (GUEST_PAGE_BYTES - 1)) <= GUEST_PAGE_BYTES - (bytes))))
#define LOAD(type, address)                                       \
	type loaded;                                              \
	uint64_t load_at = (address);                             \
	if (UNLIKELY(!ALLOWED(load_at, sizeof(type), PAGE_READ))) \
		goto corner;                                      \
	memcpy(&loaded, base + load_at, sizeof(type));
#define STORE(type, address, value)                                 \
	uint64_t store_at = (address);                              \
	type stored = (value);                                      \
	if (UNLIKELY(!ALLOWED(store_at, sizeof(type), PAGE_STORE))) \
		goto corner;                                        \
	memcpy(base + store_at, &stored, sizeof(type));
#define ATOMIC(type, address)                                                                  \
	if (UNLIKELY((address) % sizeof(type) || !ALLOWED(address, sizeof(type), PAGE_STORE))) \
		goto corner;                                                                   \
	LOAD(type, address)
#define ATOMIC_LOAD(type, address)              \
	if (UNLIKELY((address) % sizeof(type))) \
		goto corner;                    \
	LOAD(type, address)
#define RESERVE(address, value)             \
	cpu->hart.reserved_value = (value); \
	cpu->hart.reservation = (address)
#define RESERVED(address, value) \
	(cpu->hart.reservation == (address) && cpu->hart.reserved_value == (value))
#define UNRESERVE	       cpu->hart.reservation = NO_RESERVATION
#define BLOCK_ALLOWED(address) goto corner;
#define BLOCK_ZERO(address)    goto corner;
#define COMPARE_AND_SWAP_16    goto corner;
#define FFLAGS		       (&cpu->hart.fflags)
#define FRM		       (cpu->hart.frm)
/* Rare instructions that need exact counts and addresses are executed by cpu_step. */
#define CSR(how, operand, is_write) goto corner;
#define ILLEGAL			    goto corner;
#define ECALL			    goto corner;
#define EBREAK			    goto corner;
#define SYNC_CODE		    (void)0

#define TARGET_INSIDE(pc, displacement) \
	((((pc) + (uint64_t)(int64_t)(displacement)) ^ (pc)) < CODE_CHUNK_BYTES)

#define OFFSET(label) (int32_t)((const char *)&&label - (const char *)&&undecoded)

enum cpu_stop cpu_run(struct cpu *cpu, uint64_t limit)
{
	struct translator *const translator = cpu->code->translator;

	return translator ? translator_run(translator, cpu, limit) : cpu_interpret(cpu, limit);
}

enum cpu_stop cpu_interpret(struct cpu *cpu, uint64_t limit)
{
	static const int32_t handlers[2][OP_COUNT] = {
#define INSN(id, mnemonic, match, mask, operands, unit) \
	[0][OP_##id] = OFFSET(short_##id), [1][OP_##id] = OFFSET(long_##id),
#include "isa/insns.def"
#undef INSN
		[0][OP_ILLEGAL] = OFFSET(short_ILLEGAL),
		[1][OP_ILLEGAL] = OFFSET(long_ILLEGAL),
	};
	const char *const origin = &&undecoded;
	uint64_t *const r = cpu->hart.r;
	uint8_t *const base = cpu->memory->base;
	const uint8_t *const pages = cpu->memory->pages;
	struct insn *slots, *ip;
	uint64_t chunk_pc;
	int64_t left;

	BUG_ON(limit > INT64_MAX);
	if (cpu->instructions >= limit)
		return STOP_LIMIT;
	left = (int64_t)(limit - cpu->instructions);
	code_use_handlers(cpu->code, handlers);

relocate:
	slots = code_chunk(cpu->code, cpu->hart.pc);
	/* Also where a jump led that was the last of the budget. */
	if (!slots && left <= 0)
		goto no_budget;
	if (!slots) {
		cpu->fault_address = cpu->hart.pc;
		cpu->instructions = limit - (uint64_t)left;
		return STOP_FETCH_FAULT;
	}
	chunk_pc = bits_align_down(cpu->hart.pc, CODE_CHUNK_BYTES);
	ip = slots + (cpu->hart.pc - chunk_pc) / 2;
	DISPATCH

undecoded:
	left++;
	cpu->hart.pc = SLOT_PC(ip);
	if (cpu->hart.pc - chunk_pc >= CODE_CHUNK_BYTES)
		goto relocate;
	if (!code_decode(cpu->code, cpu->hart.pc, ip, &cpu->fault_address)) {
		cpu->instructions = limit - (uint64_t)left;
		return STOP_FETCH_FAULT;
	}
	ip->handler = handlers[ip->bytes == 4][ip->op];
	if ((ip->unit == UNIT_BRANCH || ip->unit == UNIT_JUMP) &&
	    !TARGET_INSIDE(cpu->hart.pc, ip->imm))
		ip->handler = OFFSET(corner);
	DISPATCH

/* Cases that the handlers leave out (page-straddling or forbidden accesses, stores into
 * decoded pages, CSRs, system calls) are not counted and are executed by cpu_step. */
corner:
	left++;
	cpu->hart.pc = SLOT_PC(ip);
	cpu->instructions = limit - (uint64_t)left;
	{
		enum cpu_stop stop = cpu_step(cpu);

		if (stop != STOP_LIMIT)
			return stop;
	}
	left--;
	goto relocate;

out_of_budget:
	cpu->hart.pc = SLOT_PC(ip);
no_budget:
	cpu->instructions = limit;
	return STOP_LIMIT;

#define OP(id) short_##id:
#define LENGTH 2
#include "isa/semantics.h"
#undef OP
#undef LENGTH
#define OP(id) long_##id:
#define LENGTH 4
#include "isa/semantics.h"
}
