/*
 * code.h - decoded instructions, found by address.
 *
 * The address space is divided into chunks of 64 MB; a chunk in which anything
 * was executed has an array with one 16-byte slot for every halfword. Address
 * space for all of them is reserved at once, and backed by host memory only
 * where it is touched, so that no program can make the tool reserve more. A slot
 * is filled when its address is first executed. When the guest changes or unmaps
 * bytes of a decoded page, memory calls code_changed and the page's slots
 * become empty again, so that self-modifying code and reused mappings work
 * without a fence. If the decoded pages become too many, all slots become
 * empty: they take eight times the memory of the code.
 */
#ifndef ISA_CODE_H
#define ISA_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "guest/memory.h"
#include "isa/insn.h"

#define CODE_CHUNK_BITS	 26
#define CODE_CHUNK_BYTES (UINT64_C(1) << CODE_CHUNK_BITS)
#define CODE_CHUNKS	 (GUEST_SPACE_BYTES >> CODE_CHUNK_BITS)
/* Two slots after the last stay empty, so that execution past the end of the chunk stops
 * there. */
#define CODE_CHUNK_SLOTS (CODE_CHUNK_BYTES / 2)

#define CODE_CHUNK_MAP_BYTES (CODE_CHUNK_SLOTS * sizeof(struct insn) + GUEST_PAGE_BYTES)
#define CODE_RESERVED_BYTES  (CODE_CHUNKS * CODE_CHUNK_MAP_BYTES)
/* Guest pages with decoded instructions: 32 MB of code, 256 MB of slots. */
#define CODE_DECODED_PAGES_MAX 8192

struct translator;

struct code {
	struct memory *memory;
	struct translator *translator; /* owned; NULL: cpu_run interprets */
	struct insn *slots;	       /* of all chunks */
	uint64_t features; /* the extensions of the machine (profile.h): all others are illegal */
	uint64_t decoded_pages;
	const void
		*handlers; /* the table that the slots' handlers are from; NULL: they have none */
	struct insn *chunks[CODE_CHUNKS];
};

/* With the extensions of the default profile. Registers itself with the memory; destroy before the
 * memory is released. NULL with errno if the host has not so much address space. */
struct code *code_create(struct memory *memory);
void code_destroy(struct code *code);

/* The slots of the chunk that holds address, creating it if it does not exist; NULL if the
 * address is outside the guest's space. */
struct insn *code_chunk(struct code *code, uint64_t address);

/* Decodes what is at pc into its slot (all but the handler). False if the
 * guest may not execute there; *fault_address then says which byte. */
bool code_decode(struct code *code, uint64_t pc, struct insn *slot, uint64_t *fault_address);

/* The addresses whose slots are filled, in ascending order, at most so many; returns how many. */
size_t code_list(const struct code *code, uint64_t *pcs, size_t most);
/* Fills the slots of these addresses, as far as the guest may execute there. */
void code_fill(struct code *code, const uint64_t *pcs, size_t count);

/* Empties all slots. */
void code_forget(struct code *code);

/* An interpreter begins, whose handlers are in this table; those of another one go. */
static inline void code_use_handlers(struct code *code, const void *handlers)
{
	if (LIKELY(code->handlers == handlers))
		return;
	if (code->handlers)
		code_forget(code);
	code->handlers = handlers;
}

/* The decoded instruction at pc; NULL if it cannot be fetched. */
struct insn *code_at_slow(struct code *code, uint64_t pc, uint64_t *fault_address);

static inline struct insn *code_at(struct code *code, uint64_t pc, uint64_t *fault_address)
{
	struct insn *slots = pc < GUEST_SPACE_BYTES ? code->chunks[pc >> CODE_CHUNK_BITS] : NULL;

	if (LIKELY(slots)) {
		struct insn *slot = &slots[(pc % CODE_CHUNK_BYTES) / 2];

		if (LIKELY(slot->bytes))
			return slot;
	}
	return code_at_slow(code, pc, fault_address);
}

#endif
