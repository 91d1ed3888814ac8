#include "isa/code.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/array.h"

#define CHUNK_MAP_BYTES ((CODE_CHUNK_SLOTS + 2) * sizeof(struct insn))

static void code_changed(void *context, uint64_t address, uint64_t bytes)
{
	struct code *code = context;
	struct insn *slots = code->chunks[address >> CODE_CHUNK_BITS];
	uint64_t first = (address % CODE_CHUNK_BYTES) / 2;

	/* An instruction that begins in the last halfword of the page before extends into this
	 * page. */
	struct insn *before = NULL;
	if (first)
		before = slots ? &slots[first - 1] : NULL;
	else if (address && code->chunks[(address - 1) >> CODE_CHUNK_BITS])
		before = &code->chunks[(address - 1) >> CODE_CHUNK_BITS][CODE_CHUNK_SLOTS - 1];
	if (before)
		*before = (struct insn){0};
	if (slots && madvise(&slots[first], bytes / 2 * sizeof(struct insn), MADV_DONTNEED) != 0)
		BUG("madvise: errno %d", errno);
}

struct code *code_create(struct memory *memory)
{
	struct code *code = mem_alloc(sizeof(*code));

	code->memory = memory;
	memory->code_changed = code_changed;
	memory->code_context = code;
	return code;
}

void code_destroy(struct code *code)
{
	if (!code)
		return;
	for (unsigned i = 0; i < CODE_CHUNKS; i++)
		if (code->chunks[i])
			munmap(code->chunks[i], CHUNK_MAP_BYTES);
	code->memory->code_changed = NULL;
	free(code);
}

struct insn *code_chunk(struct code *code, uint64_t address)
{
	if (address >= GUEST_SPACE_BYTES)
		return NULL;
	struct insn **chunk = &code->chunks[address >> CODE_CHUNK_BITS];
	if (!*chunk) {
		void *slots = mmap(NULL, CHUNK_MAP_BYTES, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (slots == MAP_FAILED)
			BUG("cannot reserve %zu bytes for decoded instructions: errno %d",
			    (size_t)CHUNK_MAP_BYTES, errno);
		*chunk = slots;
	}
	return *chunk;
}

bool code_decode(struct code *code, uint64_t pc, struct insn *slot, uint64_t *fault_address)
{
	struct memory *memory = code->memory;
	uint16_t half[2] = {0, 0};

	*fault_address = pc;
	if (!memory_allows(memory, pc, PAGE_EXEC))
		return false;
	memcpy(&half[0], memory->base + pc, 2);
	if (!insn_is_compressed(half[0])) {
		*fault_address = pc + 2;
		if (!memory_allows(memory, pc + 2, PAGE_EXEC))
			return false;
		memcpy(&half[1], memory->base + pc + 2, 2);
		memory_mark_decoded(memory, pc + 2);
	}
	memory_mark_decoded(memory, pc);
	*slot = insn_decode(half[0] | (uint32_t)half[1] << 16);
	return true;
}

struct insn *code_at_slow(struct code *code, uint64_t pc, uint64_t *fault_address)
{
	struct insn *slots = code_chunk(code, pc);

	*fault_address = pc;
	if (!slots)
		return NULL;
	struct insn *slot = &slots[(pc % CODE_CHUNK_BYTES) / 2];
	if (!slot->bytes && !code_decode(code, pc, slot, fault_address))
		return NULL;
	return slot;
}
