/*
 * The interpreter that notes accesses and control transfers: as exec_fast.c, whose comment says how
 * its handlers find each other, with a note written by each of their handlers. Noting takes some
 * 2 ns; with cpu_run_watched, whose callers gather runs of instructions first, it took 20 (chess).
 */
#include "base/bits.h"
#include "isa/bitmanip.h"
#include "isa/cpu.h"
#include "isa/fpu.h"
#include "isa/noted.h"
#include "isa/softfloat.h"

#define SLOT_PC(slot) (chunk_pc + ((uint64_t)((const char *)(slot) - (const char *)slots) >> 3))

/* A slot is 16 bytes for 2 bytes of code, so its address times 32 grows as the note's pc does. */
#define NOTE(kind, detail, address)                                                          \
	{                                                                                    \
		notes->what = ((uint64_t)(uintptr_t)ip << (NOTE_PC_BIT - 3)) + note_base +   \
			      ((kind) | (LENGTH & NOTE_LONG) | (detail) << NOTE_DETAIL_BIT); \
		notes->where = (address);                                                    \
		notes++;                                                                     \
	}
#define TAKEN (NOTE_TAKEN >> NOTE_DETAIL_BIT)

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
#define GO_RELATIVE                                          \
	ip = (struct insn *)((char *)ip + (int64_t)IMM * 8); \
	DISPATCH
#define BRANCH(taken)                                                                   \
	if (taken) {                                                                    \
		NOTE(NOTE_CONTROL, CONTROL_CONDITIONAL | TAKEN, (uint64_t)(int64_t)IMM) \
		GO_RELATIVE                                                             \
	}                                                                               \
	NOTE(NOTE_CONTROL, CONTROL_CONDITIONAL, 0)                                      \
	NEXT
#define JUMP_RELATIVE                                                                  \
	NOTE(NOTE_CONTROL, (uint64_t)insn_control(ip) | TAKEN, (uint64_t)(int64_t)IMM) \
	GO_RELATIVE
#define JUMP_TO(address)                                                        \
	{                                                                       \
		uint64_t offset = (address)-chunk_pc;                           \
		NOTE(NOTE_CONTROL, (uint64_t)insn_control(ip) | TAKEN, address) \
		if (UNLIKELY(offset >= CODE_CHUNK_BYTES)) {                     \
			cpu->hart.pc = (address);                               \
			goto relocate;                                          \
		}                                                               \
		ip = (struct insn *)((char *)slots + offset * 8);               \
		DISPATCH                                                        \
	}

#define ALLOWED(address, bytes, flag)                            \
	(LIKELY((address) < GUEST_SPACE_BYTES) &&                \
	 LIKELY(pages[(address) >> GUEST_PAGE_BITS] & (flag)) && \
	 ((bytes) == 1 ||                                        \
	  LIKELY(((address) & (GUEST_PAGE_BYTES - 1)) <= GUEST_PAGE_BYTES - (bytes))))
#define BYTES_LOG(type) ((uint64_t)__builtin_ctz(sizeof(type)))
#define LOAD(type, address)                                       \
	type loaded;                                              \
	uint64_t load_at = (address);                             \
	if (UNLIKELY(!ALLOWED(load_at, sizeof(type), PAGE_READ))) \
		goto corner;                                      \
	memcpy(&loaded, base + load_at, sizeof(type));            \
	NOTE(NOTE_LOAD, BYTES_LOG(type), load_at)
/* Of an atomic, ATOMIC has noted the store. */
#define STORE(type, address, value)                                 \
	uint64_t store_at = (address);                              \
	type stored = (value);                                      \
	if (UNLIKELY(!ALLOWED(store_at, sizeof(type), PAGE_STORE))) \
		goto corner;                                        \
	memcpy(base + store_at, &stored, sizeof(type));             \
	if (!IS_ATOMIC)                                             \
	NOTE(NOTE_STORE, BYTES_LOG(type), store_at)
#define IS_ATOMIC ((op >= OP_LR_W && op <= OP_AMOMAXU_D) || op == OP_AMOCAS_W || op == OP_AMOCAS_D)
#define ATOMIC(type, address)                                                                  \
	if (UNLIKELY((address) % sizeof(type) || !ALLOWED(address, sizeof(type), PAGE_STORE))) \
		goto corner;                                                                   \
	LOAD(type, address)                                                                    \
	NOTE(NOTE_STORE, BYTES_LOG(type), load_at)
#define ATOMIC_LOAD(type, address)              \
	if (UNLIKELY((address) % sizeof(type))) \
		goto corner;                    \
	LOAD(type, address)
#define RESERVE(address, value)             \
	cpu->hart.reserved_value = (value); \
	cpu->hart.reservation = (address)
#define RESERVED(address, value) \
	(cpu->hart.reservation == (address) && cpu->hart.reserved_value == (value))
#define UNRESERVE		    cpu->hart.reservation = NO_RESERVATION
#define BLOCK_ALLOWED(address)	    goto corner;
#define BLOCK_ZERO(address)	    goto corner;
#define COMPARE_AND_SWAP_16	    goto corner;
#define FFLAGS			    (&cpu->hart.fflags)
#define FRM			    (cpu->hart.frm)
#define CSR(how, operand, is_write) goto corner;
#define ILLEGAL			    goto corner;
#define ECALL			    goto corner;
#define EBREAK			    goto corner;
#define SYNC_CODE		    (void)0

#define TARGET_INSIDE(pc, displacement) \
	((((pc) + (uint64_t)(int64_t)(displacement)) ^ (pc)) < CODE_CHUNK_BYTES)

#define OFFSET(label) (int32_t)((const char *)&&label - (const char *)&&undecoded)

struct note *cpu_run_noted(struct cpu *cpu, struct note *notes, uint64_t limit, uint64_t stop_pc)
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
	struct insn *slots, *ip, *stop_slot = NULL, none = {0};
	uint64_t chunk_pc, note_base, fault_address;
	enum op op;
	int64_t left;

	BUG_ON(limit > INT64_MAX);
	if (cpu->instructions >= limit || cpu->hart.pc == stop_pc)
		return notes;
	left = (int64_t)(limit - cpu->instructions);
	code_use_handlers(cpu->code, handlers);
	slots = stop_pc % 2 ? NULL : code_chunk(cpu->code, stop_pc);
	stop_slot = slots ? &slots[stop_pc % CODE_CHUNK_BYTES / 2] : &none;
	stop_slot->handler = OFFSET(corner);

relocate:
	slots = code_chunk(cpu->code, cpu->hart.pc);
	if (!slots)
		goto out;
	chunk_pc = bits_align_down(cpu->hart.pc, CODE_CHUNK_BYTES);
	note_base = (chunk_pc << NOTE_PC_BIT) - ((uint64_t)(uintptr_t)slots << (NOTE_PC_BIT - 3));
	ip = slots + (cpu->hart.pc - chunk_pc) / 2;
	DISPATCH

undecoded:
	left++;
	cpu->hart.pc = SLOT_PC(ip);
	if (cpu->hart.pc - chunk_pc >= CODE_CHUNK_BYTES)
		goto relocate;
	if (!code_decode(cpu->code, cpu->hart.pc, ip, &fault_address))
		goto out;
	ip->handler = handlers[ip->bytes == 4][ip->op];
	if ((ip->unit == UNIT_BRANCH || ip->unit == UNIT_JUMP) &&
	    !TARGET_INSIDE(cpu->hart.pc, ip->imm))
		ip->handler = OFFSET(corner);
	/* Decoding may have emptied all slots. */
	stop_slot->handler = OFFSET(corner);
	DISPATCH

corner:
	left++;
	cpu->hart.pc = SLOT_PC(ip);
	goto out;

out_of_budget:
	left = 0;
	cpu->hart.pc = SLOT_PC(ip);

out:
	cpu->instructions = limit - (uint64_t)left;
	stop_slot->handler = 0;
	return notes;

#define OP(id) short_##id : op = OP_##id;
#define LENGTH 2
#include "isa/semantics.h"
#undef OP
#undef LENGTH
#define OP(id) long_##id : op = OP_##id;
#define LENGTH 4
#include "isa/semantics.h"
}
