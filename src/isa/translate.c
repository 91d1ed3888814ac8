#include "isa/translate.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/array.h"
#include "isa/softfloat.h"
#include "isa/translate_block.h"

/* Instructions that the interpreter executes at once where translated code does not serve. */
#define INTERPRETED_AT_ONCE 1000

/* How often code of a page may change before it is asked how often it does, and for how many
 * instructions of the whole run. */
#define KILLS_FREE	      64
#define INSTRUCTIONS_PER_KILL 100000

#define NO_TARGET UINT64_MAX

#if defined(__x86_64__)
/* lzcnt would be another instruction where it is not known. */
static bool has_lzcnt(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0x80000001, &a, &b, &c, &d) && c & bit_LZCNT;
}

static bool can_translate(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
	       __builtin_cpu_supports("popcnt") && has_lzcnt();
}
#else
static bool can_translate(void)
{
	return false;
}
#endif

bool code_cache_map(struct code_cache *cache)
{
	*cache = (struct code_cache){0};
	int fd = can_translate() ? memfd_create("cyclestack code", MFD_CLOEXEC) : -1;
	if (fd < 0)
		return false;
	void *writable = MAP_FAILED, *executable = MAP_FAILED;
	if (ftruncate(fd, CACHE_BYTES) == 0)
		writable = mmap(NULL, CACHE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (writable != MAP_FAILED)
		executable = mmap(NULL, CACHE_BYTES, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	close(fd);
	if (executable != MAP_FAILED) {
		*cache = (struct code_cache){writable, executable};
		return true;
	}
	if (writable != MAP_FAILED)
		munmap(writable, CACHE_BYTES);
	return false;
}

void code_cache_unmap(struct code_cache *cache)
{
	if (cache->writable) {
		munmap(cache->writable, CACHE_BYTES);
		munmap((void *)(uintptr_t)cache->executable, CACHE_BYTES);
	}
	*cache = (struct code_cache){0};
}

static struct jump_target *jump_target(struct translator *translator, uint64_t pc)
{
	struct jump_target *const targets =
		(struct jump_target *)(void *)(translator->writable + CACHE_TARGETS);

	return &targets[jump_target_slot(pc)];
}

/* With tables that are zero. */
static void begin(struct translator *translator)
{
	translator->hot = translator->writable + CACHE_BLOCKS;
	translator->cold = translator->writable + CACHE_COLD;
	translator->block_count = 0;
	translator->generation++;
	/* Only a jump to address 0, which belongs here, would find an empty slot. */
	jump_target(translator, 0)->pc = NO_TARGET;
}

static void forget_all(struct translator *translator)
{
	memset(translator->slots, 0, BLOCK_SLOTS * sizeof(translator->slots[0]));
	memset(translator->page_lists, 0, PAGE_LISTS * sizeof(translator->page_lists[0]));
	memset(translator->writable + CACHE_TARGETS, 0, JUMP_TARGETS * sizeof(struct jump_target));
	begin(translator);
}

void code_translate(struct code *code, const struct code_cache *cache)
{
	if (!cache->writable)
		return;
	struct translator *translator = mem_alloc(sizeof(*translator));
	translator->code = code;
	translator->writable = cache->writable;
	translator->executable = cache->executable;
	translator->blocks = mem_alloc_array(BLOCKS_MAX, sizeof(translator->blocks[0]));
	translator->slots = mem_alloc_array(BLOCK_SLOTS, sizeof(translator->slots[0]));
	translator->page_lists = mem_alloc_array(PAGE_LISTS, sizeof(translator->page_lists[0]));
	translator->kills = mem_alloc_array(PAGE_LISTS, sizeof(translator->kills[0]));
	translate_stubs(translator);
	begin(translator);
	code->translator = translator;
}

void translator_destroy(struct translator *translator)
{
	if (!translator)
		return;
	free(translator->blocks);
	free(translator->slots);
	free(translator->page_lists);
	free(translator->kills);
	free(translator);
}

/* The slot of the block at pc, dead or not, or the empty one where it belongs. */
static uint32_t *slot_of(struct translator *translator, uint64_t pc)
{
	uint64_t at = (pc >> 1) * UINT64_C(0x9e3779b97f4a7c15) >> 40;

	for (;; at++) {
		uint32_t *const slot = &translator->slots[at % BLOCK_SLOTS];

		if (!*slot || translator->blocks[*slot - 1].pc == pc)
			return slot;
	}
}

struct block *translator_find(struct translator *translator, uint64_t pc)
{
	const uint32_t slot = *slot_of(translator, pc);
	struct block *const block = slot ? &translator->blocks[slot - 1] : NULL;

	return block && !block->is_dead ? block : NULL;
}

/* What jumps to a dead block arrives here. */
static void redirect(struct translator *translator, const struct block *block, uint32_t to)
{
	struct x86 x = {translator->writable + block->entry};

	x86_set_target(x86_jump(&x), translator->writable + to);
}

struct block *translator_add(struct translator *translator, uint64_t pc, const uint8_t *entry)
{
	const uint32_t place = (uint32_t)(entry - translator->writable);
	uint32_t *const slot = slot_of(translator, pc);
	struct block *const block = &translator->blocks[translator->block_count++];

	if (*slot)
		redirect(translator, &translator->blocks[*slot - 1], place);
	*slot = translator->block_count;
	*block = (struct block){.pc = pc, .entry = place};
	return block;
}

static uint32_t *page_list(struct translator *translator, uint64_t page)
{
	return &translator->page_lists[page % PAGE_LISTS];
}

void translator_note_page(struct translator *translator, struct block *block, unsigned which,
			  uint64_t address)
{
	uint32_t *const list = page_list(translator, address >> GUEST_PAGE_BITS);

	block->pages[which] = (uint32_t)(address >> GUEST_PAGE_BITS);
	block->next[which] = *list;
	*list = (uint32_t)(block - translator->blocks) * 2 + which + 1;
}

void translator_forget_page(struct translator *translator, uint64_t address)
{
	const uint64_t page = address >> GUEST_PAGE_BITS;
	uint32_t *node = page_list(translator, page);
	bool has_killed = false;

	translator->forgot_pages++;
	while (*node) {
		const unsigned which = (*node - 1) % 2;
		struct block *const block = &translator->blocks[(*node - 1) / 2];
		struct jump_target *const target = jump_target(translator, block->pc);

		if (block->pages[which] != page) {
			node = &block->next[which];
			continue;
		}
		*node = block->next[which];
		if (block->is_dead)
			continue;
		block->is_dead = true;
		redirect(translator, block, block->dead);
		if (target->pc == block->pc)
			target->pc = NO_TARGET;
		has_killed = true;
	}
	translator->kills[page % PAGE_LISTS] += has_killed;
}

/* Translating costs as much as interpreting some thousand instructions. What changes more often
 * than that pays is interpreted: programs that keep data beside code, or code on the stack. */
static bool changes_often(const struct translator *translator, const struct cpu *cpu)
{
	const uint32_t kills = translator->kills[(cpu->hart.pc >> GUEST_PAGE_BITS) % PAGE_LISTS];

	return kills > KILLS_FREE && kills > cpu->instructions / INSTRUCTIONS_PER_KILL;
}

static bool has_room(const struct translator *translator)
{
	return translator->hot + CACHE_ROOM <= translator->writable + CACHE_COLD &&
	       translator->cold + CACHE_ROOM <= translator->writable + CACHE_BYTES &&
	       translator->block_count + BLOCKS_AT_ONCE <= BLOCKS_MAX;
}

static struct block *find_or_translate(struct translator *translator, uint64_t pc)
{
	struct block *block = translator_find(translator, pc);

	if (block)
		return block;
	if (!has_room(translator))
		forget_all(translator);
	const uint64_t forgot = translator->forgot_pages;
	block = translate_block(translator, pc);
	/* The pages changed that were being translated. */
	if (translator->forgot_pages != forgot) {
		forget_all(translator);
		return NULL;
	}
	return block;
}

/* Runs translated code from a block on. Why it was left. */
static uint32_t enter(struct translator *translator, struct cpu *cpu, const struct block *block,
		      uint64_t limit)
{
	const struct left left =
		translator->enter((uint8_t *)&cpu->hart + HART_BIAS, cpu->memory->base,
				  translator->executable + block->entry, limit - cpu->instructions);

	cpu->instructions = limit - left.left;
	cpu->hart.fflags |= translate_flags((uint32_t)(left.why >> 32));
	return (uint32_t)left.why;
}

enum cpu_stop translator_run(struct translator *translator, struct cpu *cpu, uint64_t limit)
{
	struct hart *const hart = &cpu->hart;
	uint32_t why = LEFT_FOR_STEP;
	uint64_t generation = 0;

	BUG_ON(limit > INT64_MAX);
	while (cpu->instructions < limit) {
		const uint64_t left = limit - cpu->instructions;
		enum cpu_stop stop = STOP_LIMIT;
		struct block *block = NULL;

		if (hart->frm != RM_RNE || changes_often(translator, cpu)) {
			stop = cpu_interpret(cpu,
					     left < INTERPRETED_AT_ONCE
						     ? limit
						     : cpu->instructions + INTERPRETED_AT_ONCE);
			why = LEFT_FOR_STEP;
			if (stop != STOP_LIMIT)
				return stop;
			continue;
		}
		block = find_or_translate(translator, hart->pc);
		if (block && why > LEFT_FOR_STEP && generation == translator->generation)
			x86_set_target(translator->writable + why,
				       translator->writable + block->entry);
		if (block && why == LEFT_FOR_CODE)
			*jump_target(translator, hart->pc) = (struct jump_target){
				hart->pc,
				(uint64_t)(uintptr_t)translator->executable + block->entry};
		generation = translator->generation;
		why = LEFT_FOR_STEP;
		if (block && block->count > left)
			return cpu_interpret(cpu, limit);
		if (block && block->count)
			why = enter(translator, cpu, block, limit);
		if (why != LEFT_FOR_STEP)
			continue;
		if (cpu->instructions >= limit)
			break;
		stop = cpu_step(cpu);
		if (stop != STOP_LIMIT)
			return stop;
	}
	return STOP_LIMIT;
}
