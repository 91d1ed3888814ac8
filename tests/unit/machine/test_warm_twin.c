/* Warming leaves every part as executing and warming one instruction at a time does: on random
 * programs with self-modifying code, accesses that cross lines and pages, atomics, counter reads
 * and system calls, on random machines, in pieces of any length. */
#include "../test.h"
#include "base/array.h"
#include "base/rng.h"
#include "isa/noted.h"
#include "isa/undo.h"
#include "machine/parts.h"
#include "machine/warm.h"
#include "plain_model.h"

#define CODE	   UINT64_C(0x3000000)
#define CODE_BYTES 8192
#define FAR_CODE   (CODE + 4 * CODE_CHUNK_BYTES) /* decoded in another array */
#define DATA	   UINT64_C(0x5000000)
#define DATA_BYTES 65536
#define TABLE_AT   (DATA + DATA_BYTES + 2048)
#define TARGETS	   16
#define SLOTS	   4 /* places in the code that the program changes */

/* Registers with a use: those from x16 on are written at random, and system calls write x10. */
enum { LINK = 1, MULTIPLIER = 2, TABLE = 3, MASK = 4, RANDOM = 6, BASE = 7, WALKER = 8, FIXED = 9 };
enum { ODD = 11, NEAR_END = 12, PATCHED = 13, PATCH = 14, PATCH_CHANGE = 15 };

struct program {
	uint8_t code[CODE_BYTES];
	unsigned bytes;
	uint64_t targets[TARGETS];
	unsigned slots[SLOTS], slot_count;
};

static uint32_t r_type(uint32_t base, unsigned rd, unsigned rs1, unsigned rs2)
{
	return base | rd << 7 | rs1 << 15 | rs2 << 20;
}

static uint32_t i_type(uint32_t base, unsigned rd, unsigned rs1, int imm)
{
	return base | rd << 7 | rs1 << 15 | (uint32_t)imm << 20;
}

static uint32_t s_type(uint32_t base, unsigned rs1, unsigned rs2, int imm)
{
	uint32_t bits = (uint32_t)imm;

	return base | rs1 << 15 | rs2 << 20 | (bits >> 5 & 127) << 25 | (bits & 31) << 7;
}

static uint32_t b_type(uint32_t base, unsigned rs1, unsigned rs2, int imm)
{
	uint32_t bits = (uint32_t)imm;

	return base | rs1 << 15 | rs2 << 20 | (bits >> 12 & 1) << 31 | (bits >> 5 & 63) << 25 |
	       (bits >> 1 & 15) << 8 | (bits >> 11 & 1) << 7;
}

static uint32_t j_type(unsigned rd, int imm)
{
	uint32_t bits = (uint32_t)imm;

	return 0x6f | rd << 7 | (bits >> 20 & 1) << 31 | (bits >> 1 & 1023) << 21 |
	       (bits >> 11 & 1) << 20 | (bits >> 12 & 255) << 12;
}

static void put(struct program *p, uint32_t raw)
{
	unsigned bytes = insn_is_compressed(raw) ? 2 : 4;

	memcpy(p->code + p->bytes, &raw, bytes);
	p->bytes += bytes;
}

static unsigned any(struct rng *rng)
{
	return 16 + (unsigned)rng_below(rng, 16);
}

/* Jumps over some instructions that are not executed then; `most` instructions in between. */
static void put_piece(struct program *p, struct rng *rng, unsigned depth)
{
	static const uint32_t loads[] = {0x3,	 0x1003, 0x2003, 0x3003,
					 0x4003, 0x5003, 0x6003, 0x3007};
	static const uint32_t stores[] = {0x23, 0x1023, 0x2023, 0x3023};
	static const uint32_t branches[] = {0x63, 0x1063, 0x4063, 0x5063, 0x6063, 0x7063};
	static const uint32_t atomics[] = {0x0000202f, 0x0000302f, 0x0800202f,
					   0xe000302f, 0xa000302f, 0x1800302f};
	const unsigned bases[] = {WALKER, WALKER, WALKER, FIXED, ODD, NEAR_END};
	unsigned base = bases[rng_below(rng, ARRAY_COUNT(bases))];
	unsigned at = p->bytes, target;

	switch (rng_below(rng, depth ? 12 : 16)) {
	case 0:
	case 1:
		put(p, i_type(loads[rng_below(rng, 8)], any(rng), base,
			      (int)rng_below(rng, 256) - 128));
		break;
	case 2:
		put(p, s_type(stores[rng_below(rng, 4)], base, any(rng),
			      (int)rng_below(rng, 256) - 128));
		break;
	case 3: /* the walker goes on, round and round */
		put(p, i_type(0x13, WALKER, WALKER, (int)rng_below(rng, 160) - 40));
		put(p, r_type(0x7033, WALKER, WALKER, MASK));
		put(p, r_type(0x6033, WALKER, WALKER, BASE));
		break;
	case 4:
		put(p, r_type(0x2000033, RANDOM, RANDOM, MULTIPLIER));
		put(p, i_type(0x13, RANDOM, RANDOM, 1013));
		put(p, i_type(0x5013, any(rng), RANDOM, 33));
		break;
	case 5: put(p, r_type(0x33, any(rng), any(rng), any(rng))); break;
	case 6:
	case 7: put(p, 0x0001); break; /* c.nop, so that later instructions cross lines */
	case 8: put(p, i_type(0x13, any(rng), any(rng), (int)rng_below(rng, 4096) - 2048)); break;
	case 9: put(p, r_type(0x2000053, any(rng), any(rng), any(rng))); break;
	case 10:
	case 11: /* a branch or jump over other pieces; sometimes to the next instruction */
		put(p, 0);
		p->bytes += 2;
		for (unsigned i = (unsigned)rng_below(rng, 4); i-- && depth < 3;)
			put_piece(p, rng, depth + 1);
		target = p->bytes - at;
		p->bytes = at;
		put(p, rng_below(rng, 4)
			       ? b_type(branches[rng_below(rng, 6)], any(rng), RANDOM, (int)target)
			       : j_type(rng_below(rng, 2) ? 0 : LINK, (int)target));
		p->bytes = at + target;
		break;
	case 12: { /* anywhere, through the table */
		unsigned through = rng_below(rng, 2) ? any(rng) : LINK, links[] = {0, 1, 5, 20};

		put(p, i_type(0x5013, 16, RANDOM, 40));
		put(p, i_type(0x7013, 16, 16, (TARGETS - 1) * 8));
		put(p, r_type(0x33, 16, 16, TABLE));
		put(p, i_type(0x3003, through, 16, 0));
		put(p, i_type(0x67, links[rng_below(rng, 4)], through, 0));
		break;
	}
	case 13: /* aligned: FIXED is */
		if (rng_below(rng, 2))
			put(p, r_type(0x1000302f, any(rng), FIXED, 0)); /* lr.d */
		put(p, r_type(atomics[rng_below(rng, 6)], any(rng), FIXED, any(rng)));
		break;
	case 14: /* fence.i, flags, instructions executed, sched_yield */
		if (rng_below(rng, 4)) {
			const uint32_t rare[] = {0x100f, 0x001020f3 | 16 << 7, 0xc0202073 | 17 << 7,
						 0xc0102073 | 18 << 7};

			put(p, rare[rng_below(rng, 4)] & ~(1u << 7));
		} else {
			put(p, i_type(0x13, 17, 0, 124));
			put(p, 0x73);
		}
		break;
	default: /* code that changes, of the pages that are executed */
		put(p, r_type(0x4033, PATCH, PATCH, PATCH_CHANGE));
		put(p, s_type(0x2023, PATCHED, PATCH, 8 * (int)rng_below(rng, SLOTS)));
	}
}

static void make(struct program *p, struct rng *rng)
{
	*p = (struct program){0};
	/* The instructions that the program changes, 8 bytes apart. */
	for (unsigned i = 0; i < SLOTS; i++) {
		put(p, 0x13);
		put(p, i_type(0x13, any(rng), any(rng), 3));
	}
	for (unsigned i = 0; i < TARGETS; i++) {
		p->targets[i] = CODE + p->bytes;
		for (unsigned n = 1 + (unsigned)rng_below(rng, 12); n--;)
			put_piece(p, rng, 0);
	}
	put(p, j_type(0, -(int)p->bytes));
	assert_true(p->bytes < CODE_BYTES);
}

/* The program in place of a workload that has just been started. */
static struct process *start(const struct program *p)
{
	struct process *process = plain_start("hanoi");

	if (!process)
		skip();
	struct memory *memory = &process->memory;
	uint64_t *r = process->cpu.hart.r;
	/* One target is a jump back from far away. */
	const uint32_t far_code[] = {0x13, i_type(0x67, 0, PATCHED, 8 * SLOTS)};
	uint64_t targets[TARGETS];
	memcpy(targets, p->targets, sizeof(targets));
	targets[TARGETS - 1] = FAR_CODE;

	assert_true(memory_map(memory, CODE, CODE_BYTES, PAGE_READ | PAGE_WRITE | PAGE_EXEC));
	assert_true(memory_map(memory, FAR_CODE, GUEST_PAGE_BYTES, PAGE_READ | PAGE_EXEC));
	assert_true(memory_map(memory, DATA - GUEST_PAGE_BYTES, DATA_BYTES + 2 * GUEST_PAGE_BYTES,
			       PAGE_READ | PAGE_WRITE));
	memory_load(memory, CODE, p->code, p->bytes);
	memory_load(memory, FAR_CODE, far_code, sizeof(far_code));
	memory_load(memory, TABLE_AT, targets, sizeof(targets));
	for (unsigned i = 16; i < 32; i++)
		r[i] = CODE;
	r[LINK] = CODE;
	r[TABLE] = TABLE_AT;
	r[MASK] = DATA_BYTES - 1;
	r[BASE] = r[WALKER] = DATA;
	r[RANDOM] = 1;
	r[FIXED] = DATA + 4096;
	r[ODD] = DATA + 61;
	r[NEAR_END] = DATA + 8192 - 3;
	r[PATCHED] = CODE;
	r[PATCH] = 0x13;
	r[PATCH_CHANGE] = 0x13 ^ i_type(0x13, 19, 19, 1);
	r[MULTIPLIER] = UINT64_C(6364136223846793005);
	process->cpu.hart.pc = CODE;
	return process;
}

static void set(struct config *config, const char *key, const char *const *words, struct rng *rng,
		size_t count)
{
	char text[100];
	struct err err;

	snprintf(text, sizeof(text), "%s=%s", key, words[rng_below(rng, count)]);
	if (!config_set(config, text, &err))
		fail_msg("%s", err.text);
}

#define SET(key, ...)                                             \
	{                                                         \
		static const char *const words[] = {__VA_ARGS__}; \
		set(config, key, words, rng, ARRAY_COUNT(words)); \
	}

static void random_machine(struct config *config, struct rng *rng)
{
	config_reset(config);
	SET("l1i.replacement", "lru", "lrr", "random", "plru", "srrip")
	SET("l1d.replacement", "lru", "lrr", "random", "plru", "srrip", "plru")
	SET("l2.replacement", "lru", "lrr", "random", "plru", "srrip")
	SET("l1i.prefetch", "none", "next_line", "stride", "stream")
	SET("l1d.prefetch", "none", "next_line", "stride", "stride", "stream", "adjacent_line")
	SET("l2.prefetch", "none", "next_line", "stride", "stream")
	SET("l1d.write", "back", "back", "through")
	SET("l1i.size_bytes", "1024", "2048", "8192")
	SET("l1d.size_bytes", "1024", "2048", "8192")
	SET("l2.size_bytes", "8192", "16384")
	SET("l1i.line_bytes", "16", "32", "64")
	SET("l1d.line_bytes", "16", "32", "64")
	SET("l2.line_bytes", "64")
	SET("l1i.ways", "1", "2", "4", "8")
	SET("l1d.ways", "1", "2", "4", "8")
	SET("l2.ways", "4", "8")
	SET("page.size_bytes", "1024", "4096", "16384")
	SET("itlb.entries", "4", "16")
	SET("itlb.ways", "1", "4")
	SET("dtlb.entries", "4", "16")
	SET("dtlb.ways", "1", "4")
	SET("tlb2.entries", "0", "32")
	SET("tlb2.ways", "4")
	SET("tlb.miss", "fixed", "walk")
	SET("predictor.kind", "static_taken", "static_not_taken", "bimodal", "gshare", "hybrid",
	    "tage", "tage", "tage")
	SET("predictor.bimodal_entries", "16", "1024")
	SET("predictor.gshare_entries", "4096")
	SET("predictor.tage_tables", "1", "4", "6", "12")
	SET("predictor.tage_entries", "16", "256")
	SET("predictor.tage_longest_history_bits", "20", "130", "256")
	SET("indirect.kind", "btb", "history")
	SET("indirect.entries", "8", "256")
	SET("btb.sets", "1", "64")
	SET("btb.ways", "1", "4")
	SET("return_stack.entries", "1", "4", "16")
}

struct machine {
	struct hierarchy *hierarchy;
	struct predictor *predictor;
};

static struct machine machine_create(const struct config *config)
{
	struct err err = {.text = ""};
	struct machine machine = {parts_hierarchy(config, &err), parts_predictor(config, 64, &err)};

	assert_string_equal(err.text, "");
	return machine;
}

static void machine_destroy(struct machine machine)
{
	hierarchy_destroy(machine.hierarchy);
	predictor_destroy(machine.predictor);
}

static void touch(struct warm *w, bool writes, uint64_t pc, const struct step_access *access)
{
	struct hierarchy *h = w->hierarchy;
	uint64_t line = UINT64_MAX;

	for (uint64_t at = access->address; at < access->address + access->bytes; at++) {
		uint64_t old = line;

		line = hierarchy_line_of(h, SIDE_DATA, at);
		if (line == old)
			continue;
		if (writes)
			hierarchy_touch_store(h, pc, at);
		else
			hierarchy_touch_load(h, pc, at);
	}
}

/* One instruction, by itself: `w` is warmed and keeps the same notes as the one under test. */
static void step(struct warm *w, struct process *process, bool warms)
{
	struct cpu *cpu = &process->cpu;
	uint64_t pc = cpu->hart.pc;
	struct step_access access;
	struct insn *slot = code_at(cpu->code, pc, &cpu->fault_address);

	assert_non_null(slot);
	const struct insn insn = *slot;
	enum cpu_stop stop = cpu_step_watched(cpu, slot, &access);
	if (stop == STOP_LIMIT && warms) {
		w->last_pc = pc;
		w->last_control = insn_control(&insn);
		for (uint64_t at = pc; at < pc + insn.bytes; at += 2) {
			uint64_t line = hierarchy_line_of(w->hierarchy, SIDE_INSTRUCTION, at);

			if (line != w->fetch_line)
				hierarchy_touch_fetch(w->hierarchy, at);
			w->fetch_line = line;
		}
		if (insn.unit != UNIT_STORE)
			touch(w, false, pc, &access);
		if (insn.unit == UNIT_STORE ||
		    (insn.unit == UNIT_AMO && !insn_only_reserves(insn.op)))
			touch(w, true, pc, &access);
		plain_branch(w->predictor, &insn, pc, cpu->hart.pc);
	}
	if (stop != STOP_LIMIT || cpu->instructions >= process_slice_end(process)) {
		process_handle(process, stop);
		if (warms)
			w->last_control = CONTROL_NONE;
	}
	assert_int_equal(process->state, PROCESS_RUNNING);
}

struct bytes {
	uint8_t *list;
	size_t count, capacity;
};

static void collect(void *context, const void *bytes, size_t count)
{
	struct bytes *all = context;

	while (all->count + count > all->capacity) {
		all->capacity = 2 * all->capacity + count;
		all->list = mem_realloc(all->list, all->capacity, 1);
	}
	memcpy(all->list + all->count, bytes, count);
	all->count += count;
}

static void collect_tlb(struct bytes *all, const struct tlb *tlb)
{
	for (size_t i = 0; tlb->entries && i < (tlb->set_mask + 1) * tlb->ways; i++)
		collect(all, &tlb->entries[i].key, sizeof(tlb->entries[i].key));
}

/* Everything that later accesses and predictions depend on, and what was counted. */
static struct bytes state_of(const struct warm *w)
{
	const struct hierarchy *h = w->hierarchy;
	struct bytes all = {0};
	struct hierarchy_counters counters;

	for (unsigned c = 0; c <= h->last; c++) {
		const struct cache *cache = &h->level[c].cache;
		size_t sets = cache->set_mask + 1;

		collect(&all, cache->keys, sets * cache->ways * sizeof(*cache->keys));
		for (size_t i = 0; i < sets * cache->ways; i++) {
			const uint8_t bits[] = {cache->lines[i].flags, cache->lines[i].rank,
						cache->lines[i].level};

			collect(&all, bits, sizeof(bits));
			collect(&all, &cache->lines[i].ready_at, sizeof(uint64_t));
		}
		if (cache->trees)
			collect(&all, cache->trees, sets * sizeof(*cache->trees));
		collect(&all, &cache->rng, sizeof(cache->rng));
	}
	collect_tlb(&all, &h->tlb[SIDE_INSTRUCTION]);
	collect_tlb(&all, &h->tlb[SIDE_DATA]);
	collect_tlb(&all, &h->tlb2);
	collect(&all, h->walk_cache.entries, h->walk_cache.count * sizeof(*h->walk_cache.entries));
	hierarchy_count(h, &counters);
	collect(&all, &counters, sizeof(counters));
	predictor_state(w->predictor, collect, &all);
	return all;
}

static void assert_same(const struct warm *a, const struct warm *b)
{
	struct bytes left = state_of(a), right = state_of(b);

	assert_int_equal(left.count, right.count);
	assert_memory_equal(left.list, right.list, left.count);
	free(left.list);
	free(right.list);
}

static void assert_same_course(const struct warm *a, const struct process *left,
			       const struct warm *b, const struct process *right)
{
	assert_int_equal(left->cpu.instructions, right->cpu.instructions);
	assert_memory_equal(&left->cpu.hart, &right->cpu.hart, sizeof(left->cpu.hart));
	assert_int_equal(a->fetch_line, b->fetch_line);
	assert_int_equal(a->last_pc, b->last_pc);
	assert_int_equal(a->last_control, b->last_control);
}

static void compare(uint64_t seed, uint64_t *kinds)
{
	struct rng random = {seed}, *rng = &random;
	struct program p;
	struct config config;
	struct warm a, b;

	make(&p, rng);
	random_machine(&config, rng);
	struct process *left = start(&p), *right = start(&p);
	struct machine one = machine_create(&config), other = machine_create(&config);
	warm_init(&a, one.hierarchy, one.predictor);
	warm_init(&b, other.hierarchy, other.predictor);
	for (unsigned piece = 0; piece < 30; piece++) {
		uint64_t until =
			left->cpu.instructions + 1 + rng_below(rng, 1u << rng_below(rng, 12));
		/* Executing without warming uses other handlers for the same decoded code. */
		bool warms = rng_below(rng, 8);

		if (warms && rng_below(rng, 4) == 0) {
			struct warm_function f = {.entry = p.targets[rng_below(rng, TARGETS)]};
			uint64_t arrivals = 0;

			f.end = f.entry + 2 * rng_below(rng, 20);
			uint64_t wanted = 1 + rng_below(rng, 3);
			bool is_there = warm_run_to_call(&a, left, &f, wanted, until);
			while (right->cpu.instructions < until && arrivals < wanted) {
				step(&b, right, true);
				arrivals += right->cpu.hart.pc == f.entry &&
					    (b.last_control == CONTROL_CALL ||
					     b.last_control == CONTROL_INDIRECT_CALL ||
					     b.last_pc < f.entry || b.last_pc >= f.end);
			}
			assert_int_equal(f.calls, arrivals);
			assert_int_equal(is_there, arrivals == wanted);
			kinds[0] += is_there;
		} else {
			assert_true(warms ? warm_run(&a, left, until) : process_run(left, until));
			while (right->cpu.instructions < until)
				step(&b, right, warms);
			kinds[1] += !warms;
		}
		assert_same_course(&a, left, &b, right);
	}
	assert_same(&a, &b);
	uint8_t bytes[2][CODE_BYTES + 1], *data = mem_alloc(2 * DATA_BYTES);
	assert_true(memory_read(&left->memory, bytes[0], CODE, CODE_BYTES));
	assert_true(memory_read(&right->memory, bytes[1], CODE, CODE_BYTES));
	assert_memory_equal(bytes[0], bytes[1], CODE_BYTES);
	kinds[2] += !!memcmp(bytes[0], p.code, p.bytes);
	assert_true(memory_read(&left->memory, data, DATA, DATA_BYTES));
	assert_true(memory_read(&right->memory, data + DATA_BYTES, DATA, DATA_BYTES));
	assert_memory_equal(data, data + DATA_BYTES, DATA_BYTES);
	kinds[3] += left->syscall_count > 0;
	free(data);
	machine_destroy(one);
	machine_destroy(other);
	plain_end(left);
	plain_end(right);
}

TEST(warming_in_batches_leaves_what_single_steps_leave)
{
	uint64_t kinds[4] = {0};

	for (uint64_t seed = 0; seed < 300; seed++)
		compare(seed, kinds);
	/* There were calls, pieces without warming, changed code and system calls. */
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		assert_true(kinds[i] > 20);
}
