#include "isa/code.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/array.h"
#include "isa/profile.h"
#include "isa/translate.h"

static void code_changed(void *context, uint64_t address, uint64_t bytes)
{
	struct code *code = context;
	struct insn *slots = code->chunks[address >> CODE_CHUNK_BITS];
	uint64_t first = (address % CODE_CHUNK_BYTES) / 2;

	code->decoded_pages--;
	if (code->translator)
		translator_forget_page(code->translator, address);
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
	void *slots = mmap(NULL, CODE_RESERVED_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (slots == MAP_FAILED)
		return NULL;
	struct code *code = mem_alloc(sizeof(*code));
	code->memory = memory;
	code->features = profile_features(PROFILE_RV64GCB);
	code->slots = slots;
	memory->code_changed = code_changed;
	memory->code_context = code;
	return code;
}

void code_destroy(struct code *code)
{
	if (!code)
		return;
	munmap(code->slots, CODE_RESERVED_BYTES);
	code->memory->code_changed = NULL;
	translator_destroy(code->translator);
	free(code);
}

struct insn *code_chunk(struct code *code, uint64_t address)
{
	if (address >= GUEST_SPACE_BYTES)
		return NULL;
	uint64_t number = address >> CODE_CHUNK_BITS;
	if (!code->chunks[number])
		code->chunks[number] =
			code->slots + number * (CODE_CHUNK_MAP_BYTES / sizeof(struct insn));
	return code->chunks[number];
}

void code_forget(struct code *code)
{
	for (uint64_t i = 0; i < CODE_CHUNKS; i++)
		/* The last instruction of a chunk may extend into the next one's first page. */
		if (code->chunks[i] || (i && code->chunks[i - 1]))
			memory_code_changes(code->memory, i << CODE_CHUNK_BITS, CODE_CHUNK_BYTES);
}

static void mark_decoded(struct code *code, uint64_t address)
{
	code->decoded_pages += !memory_allows(code->memory, address, PAGE_DECODED);
	memory_mark_decoded(code->memory, address);
}

bool code_decode(struct code *code, uint64_t pc, struct insn *slot, uint64_t *fault_address)
{
	struct memory *memory = code->memory;
	uint16_t half[2] = {0, 0};

	*fault_address = pc;
	if (!memory_allows(memory, pc, PAGE_EXEC))
		return false;
	if (code->decoded_pages >= CODE_DECODED_PAGES_MAX)
		code_forget(code);
	memcpy(&half[0], memory->base + pc, 2);
	if (!insn_is_compressed(half[0])) {
		*fault_address = pc + 2;
		if (!memory_allows(memory, pc + 2, PAGE_EXEC))
			return false;
		memcpy(&half[1], memory->base + pc + 2, 2);
		mark_decoded(code, pc + 2);
	}
	mark_decoded(code, pc);
	*slot = insn_decode_for(half[0] | (uint32_t)half[1] << 16, code->features);
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

/* The same of one page, whose slots begin there. */
static size_t list_page(const struct insn *slots, uint64_t address, uint64_t *pcs, size_t most)
{
	size_t count = 0;

	for (uint64_t i = 0; i < GUEST_PAGE_BYTES / 2 && count < most; i++)
		if (slots[i].bytes)
			pcs[count++] = address + 2 * i;
	return count;
}

size_t code_list(const struct code *code, uint64_t *pcs, size_t most)
{
	size_t count = 0;

	for (uint64_t i = 0; i < CODE_CHUNKS; i++)
		for (uint64_t at = 0; code->chunks[i] && at < CODE_CHUNK_BYTES;
		     at += GUEST_PAGE_BYTES) {
			const uint64_t address = i * CODE_CHUNK_BYTES + at;

			if (memory_allows(code->memory, address, PAGE_DECODED))
				count += list_page(&code->chunks[i][at / 2], address, pcs + count,
						   most - count);
		}
	return count;
}

void code_fill(struct code *code, const uint64_t *pcs, size_t count)
{
	uint64_t fault_address;

	for (size_t i = 0; i < count; i++)
		code_at(code, pcs[i], &fault_address);
}
