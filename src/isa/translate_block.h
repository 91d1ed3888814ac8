/*
 * translate_block.h - what the parts of the translator share: the registers of the host, and the
 * block under translation.
 *
 * Some guest registers live in host registers while translated code runs (the pinned ones), the
 * others in the hart. Code that is always executed is written at `x`; what is rare (exits) at
 * `cold`, far from it.
 *
 * A block counts all its instructions at its beginning; an exit in its middle gives back those that
 * were not executed.
 */
#ifndef ISA_TRANSLATE_BLOCK_H
#define ISA_TRANSLATE_BLOCK_H

#include "base/bits.h"
#include "isa/insn.h"
#include "isa/translate.h"
#include "isa/translate_x86.h"

/* Fixed uses of host registers. RAX, RCX, RDX, XMM0 and XMM1 are free for each instruction. */
#define HOST_HART X86_RBP /* the hart's registers, biased so that many displacements are short */
#define HOST_LEFT X86_RBX /* instructions until the limit */
#define HOST_BASE X86_R15 /* where guest address 0 is */
#define HART_BIAS 128
/* Pinned registers of the other kind, and those that are not pinned. */
#define NOT_PINNED 255

/* The most instructions of a block: refunds are single bytes. */
#define BLOCK_INSTRUCTIONS 64
/* Room that a block of that many surely finds. */
#define BLOCK_ROOM_BYTES (16 * 1024)

#define SIZE_MASKS 9

/* Why translated code was left, with hart.pc at the next instruction. Any other number is that of
 * the distance in the cache which translate_link wrote about. */
enum { LEFT_FOR_CODE, LEFT_FOR_STEP };

/* The flags in the host's mxcsr, and where translated code may store it on the stack. */
#define MXCSR_FLAGS	63
#define HOST_MXCSR_SLOT 4

/* At the beginning of the cache, for the code to read. */
struct code_constants {
	/* Two each: AVX reads 16 bytes. */
	uint64_t sign64[2], magnitude64[2], sign32[2], magnitude32[2], box[2];
	/* By the bytes of an access: what no address of an aligned one has. */
	uint64_t wrong[SIZE_MASKS];
	/* From which on a number is not for an unsigned integer: of 32 bits, and of half of 64. */
	uint64_t limit32_of_64[2], limit64_of_64[2], limit32_of_32[2], limit64_of_32[2];
	uint32_t mxcsr;			/* all exceptions masked, no flag */
	uint8_t flags[MXCSR_FLAGS + 1]; /* the guest's for those of the host */
};

/* Where an exit gives back instructions: the distance from `done` to the block's end. */
struct refund {
	uint8_t *at;
	unsigned done;
};

struct translation {
	struct translator *translator;
	struct x86 x, cold;
	const struct code_constants *constants; /* in the writable mapping */
	uint64_t pc;
	unsigned done;	       /* instructions of the block before this one */
	const uint8_t *corner; /* the exit before this instruction; NULL: none was written */
	uint32_t boxed;	       /* floating-point registers known to hold a single-precision value */
	struct refund refunds[BLOCK_INSTRUCTIONS + 2];
	unsigned refund_count;
};

/* Where jumps to an address in a register find their target, by a hash of the address. */
#define JUMP_TARGET_BITS 14
#define JUMP_TARGETS	 (1u << JUMP_TARGET_BITS)
struct jump_target {
	uint64_t pc; /* odd, or 0 in any slot but that of 0: none */
	uint64_t code;
};

static inline unsigned jump_target_slot(uint64_t pc)
{
	return (unsigned)(pc >> 1) & (JUMP_TARGETS - 1);
}

/* The host register of a guest register, or NOT_PINNED. */
extern const uint8_t translate_pins[REG_COUNT];

static inline bool is_pinned(unsigned reg)
{
	return translate_pins[reg] != NOT_PINNED;
}

static inline int32_t hart_offset(unsigned reg)
{
	return (int32_t)reg * 8 - HART_BIAS;
}

/* A guest register as an operand of the host. x0 has none. */
static inline struct x86_operand guest_operand(unsigned reg)
{
	return is_pinned(reg) ? x86_reg(translate_pins[reg]) : x86_at(HOST_HART, hart_offset(reg));
}

/* A host register with the value of the guest's integer register: its own, or this one. */
unsigned translate_read(struct translation *t, unsigned reg, unsigned temporary);
/* The host register in which a result for a guest register is computed, and its end. */
static inline unsigned result_register(unsigned reg)
{
	return is_pinned(reg) ? translate_pins[reg] : X86_RAX;
}
void translate_write(struct translation *t, unsigned reg, unsigned from);
/* The result is this constant. */
void translate_write_constant(struct translation *t, unsigned reg, uint64_t value);

/* Leaves the code, exactly before this instruction, for the interpreter to execute it. */
void translate_corner_if(struct translation *t, enum x86_condition condition);
void translate_corner(struct translation *t);
/* Where that goes on. */
const uint8_t *translate_corner_exit(struct translation *t);
/* Leaves the code for a fixed address; the exit is replaced by a jump once that is translated. The
 * distance is that of a jump that was written. */
void translate_link(struct translation *t, uint8_t *distance, uint64_t pc);

/* Each translates instructions of its kind; false, with nothing written, if it has no template. */
bool translate_integer(struct translation *t, const struct insn *insn);
bool translate_memory(struct translation *t, const struct insn *insn);
bool translate_atomic(struct translation *t, const struct insn *insn);
bool translate_float(struct translation *t, const struct insn *insn);

/* Branches and jumps, which end a block; it goes on at *next, unless that is NO_NEXT. */
#define NO_NEXT UINT64_MAX
bool translate_control(struct translation *t, const struct insn *insn, uint64_t *next);

/* Parts of a block, by their place in the cache. */
struct block {
	uint64_t pc;
	uint32_t entry;
	uint32_t dead;	  /* the exit that looks for the block at the same pc */
	uint32_t next[2]; /* in the lists of the pages it is in: a node each, or 0 */
	uint32_t pages[2];
	uint8_t count; /* instructions */
	bool is_dead;
};

/* The cache: what the code reads, then code that is run often, then the rest. */
#define CACHE_BYTES   (UINT32_C(32) << 20)
#define CACHE_TARGETS 4096
#define CACHE_STUBS   (CACHE_TARGETS + JUMP_TARGETS * (uint32_t)sizeof(struct jump_target))
#define CACHE_BLOCKS  (CACHE_STUBS + 4096)
#define CACHE_COLD    (CACHE_BYTES / 2)

/* Blocks that are translated at once, each following the one before in the code, and the room that
 * surely suffices for them in each part. */
#define BLOCKS_AT_ONCE 16
#define CACHE_ROOM     (BLOCKS_AT_ONCE * BLOCK_ROOM_BYTES)

#define BLOCKS_MAX  (1u << 17)
#define BLOCK_SLOTS (2 * BLOCKS_MAX)
#define PAGE_LISTS  4096

struct left {
	uint64_t why; /* and the host's mxcsr in the upper half */
	uint64_t left;
};

struct translator {
	struct code *code;
	uint8_t *writable;
	const uint8_t *executable;
	/* Runs code of the cache on a hart, of which the address is biased. */
	struct left (*enter)(uint8_t *hart, uint8_t *base, const uint8_t *code, uint64_t left);
	const uint8_t *exit_common, *exit_lookup, *exit_jump, *exit_step, *exit_link;
	uint8_t *hot, *cold;
	struct block *blocks;
	uint32_t block_count;
	uint32_t *slots;       /* by a hash of the pc: the number of a block plus 1, or 0 */
	uint32_t *page_lists;  /* nodes: twice the number of a block, plus which page, plus 1 */
	uint32_t *kills;       /* by the same hash of a page: how often blocks in it have died */
	uint64_t generation;   /* how often all blocks have been forgotten */
	uint64_t forgot_pages; /* how often blocks of a page have */
};

/* The block at pc; NULL if there is none. */
struct block *translator_find(struct translator *translator, uint64_t pc);
/* A new block at pc, whose code begins at `entry`. It replaces a dead one. */
struct block *translator_add(struct translator *translator, uint64_t pc, const uint8_t *entry);
/* The block has bytes of this page. */
void translator_note_page(struct translator *translator, struct block *block, unsigned which,
			  uint64_t address);
/* Translates what is at pc, and some of what follows. NULL if nothing can be fetched there. */
struct block *translate_block(struct translator *translator, uint64_t pc);
/* The guest's flags for those in the host's mxcsr. */
uint32_t translate_flags(uint32_t mxcsr);
/* Writes the code that enters and leaves blocks. */
void translate_stubs(struct translator *translator);

#endif
