/* Random programs, executed by translated code and by cpu_step, one instruction at a time:
 * registers, memory, flags, counts, faults and their addresses are the same wherever a budget ends.
 * The programs jump about, store over their own code and run into each kind of fault. */
#include "../test.h"
#include "base/rng.h"
#include "isa/profile.h"
#include "isa/softfloat.h"
#include "isa/translate_block.h"

#define CODE	    UINT64_C(0x10000)
#define CODE_BYTES  (3 * GUEST_PAGE_BYTES) /* the last page cannot be written */
#define DATA	    UINT64_C(0x3f0000000)
#define DATA_BYTES  (4 * GUEST_PAGE_BYTES) /* the last page cannot be written */
#define LIMIT_BYTES (UINT64_C(1) << 24)
#define POINTERS    6

struct machine {
	struct memory memory;
	struct cpu cpu;
};

struct pair {
	struct rng rng;
	struct machine plain, translated;
	struct code_cache cache;
	unsigned pointers[POINTERS]; /* registers that the program does not write */
	bool stores_over_code;
	bool is_patient; /* what changes often is interpreted */
	bool is_dense;	 /* mostly floating point, of few registers */
};

static uint64_t below(struct pair *p, uint64_t bound)
{
	return rng_next(&p->rng) % bound;
}

static unsigned one_of(struct pair *p, const unsigned *values, size_t count)
{
	return values[below(p, count)];
}

#define ONE_OF(p, ...)                               \
	one_of((p), (const unsigned[]){__VA_ARGS__}, \
	       sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned))

static bool is_pointer(const struct pair *p, unsigned reg)
{
	for (unsigned i = 0; i < POINTERS; i++)
		if (p->pointers[i] == reg)
			return true;
	return false;
}

static unsigned pick_pointer(struct pair *p)
{
	return p->pointers[below(p, POINTERS)];
}

static uint32_t with_field(uint32_t raw, unsigned low, unsigned width, uint32_t value)
{
	const uint32_t mask = ((UINT32_C(1) << width) - 1) << low;

	return (raw & ~mask) | (value << low & mask);
}

/* A short way within the program, forwards or backwards. */
static uint32_t branch_bits(struct pair *p)
{
	const uint32_t d = (uint32_t)(int32_t)(((int)below(p, 48) - 20) * 2);

	return (d >> 11 & 1) << 7 | (d >> 1 & 0xf) << 8 | (d >> 5 & 0x3f) << 25 |
	       (d >> 12 & 1) << 31;
}

static uint32_t jump_bits(struct pair *p)
{
	const uint32_t d = (uint32_t)(int32_t)(((int)below(p, 400) - 200) * 2);

	return (d & 0xff000) | (d >> 11 & 1) << 20 | (d >> 1 & 0x3ff) << 21 | (d >> 20 & 1) << 31;
}

static bool has_rounding(const struct insn_kind *kind)
{
	return strchr(kind->operands, 'm');
}

/* The same, with floating-point registers of which two are kept in the host's and two are not. */
static uint32_t with_few_registers(struct pair *p, const struct insn_kind *kind, uint32_t raw)
{
	static const struct {
		char letter;
		unsigned low;
	} places[] = {{'D', 7}, {'S', 15}, {'T', 20}, {'R', 27}};

	for (unsigned i = 0; i < 4; i++)
		if (strchr(kind->operands, places[i].letter))
			raw = with_field(raw, places[i].low, 5, ONE_OF(p, 0, 8, 11, 31));
	return raw;
}

/* An instruction of any kind that the table has, with any operands. */
static uint32_t random_word(struct pair *p)
{
	for (;;) {
		const unsigned op = p->is_dense && !below(p, 6) ? ONE_OF(p, OP_FLD, OP_FMV_W_X)
								: (unsigned)below(p, OP_ILLEGAL);
		const struct insn_kind *kind = &insn_kinds[op];
		uint32_t raw = kind->match | ((uint32_t)rng_next(&p->rng) & ~kind->mask);

		/* Rare, since they end what is under way. */
		if (kind->unit == UNIT_SYSTEM && below(p, 24))
			continue;
		if (kind->unit == UNIT_CSR && below(p, p->is_dense ? 4 : 24))
			continue;
		if (kind->unit == UNIT_JUMP_INDIRECT && below(p, 4))
			continue;
		if (kind->unit == UNIT_CSR)
			raw = with_field(raw, 20, 12,
					 ONE_OF(p, CSR_FFLAGS, CSR_FFLAGS, CSR_FRM, CSR_FCSR,
						CSR_CYCLE, CSR_TIME, CSR_INSTRET, 0x300));
		if (has_rounding(kind) && below(p, p->is_dense ? 3 : 8))
			raw = with_field(raw, 12, 3, ONE_OF(p, RM_RNE, 7, 7, RM_RTZ));
		if (kind->unit == UNIT_BRANCH)
			raw = kind->match | (raw & 0x01fff000) | branch_bits(p);
		if (kind->unit == UNIT_JUMP)
			raw = kind->match | (raw & 0xf80) | jump_bits(p);
		if ((kind->unit == UNIT_LOAD || kind->unit == UNIT_STORE ||
		     kind->unit == UNIT_AMO || kind->unit == UNIT_JUMP_INDIRECT ||
		     (kind->unit == UNIT_FENCE && kind->needs)) &&
		    below(p, 16))
			raw = with_field(raw, 15, 5, pick_pointer(p));
		if (kind->unit == UNIT_JUMP_INDIRECT && below(p, 2))
			raw = with_field(raw, 20, 12, 4 * (uint32_t)below(p, 64));
		if (p->is_dense && !strpbrk(kind->operands, "DSTR") && kind->unit != UNIT_CSR &&
		    below(p, 8))
			continue;
		if (p->is_dense)
			raw = with_few_registers(p, kind, raw);
		/* Most accesses are aligned. */
		if (kind->unit == UNIT_LOAD && below(p, 8))
			raw = with_field(raw, 20, 3, 0);
		if (kind->unit == UNIT_STORE && below(p, 8))
			raw = with_field(raw, 7, 3, 0);
		const struct insn insn = insn_decode(raw);
		if (insn.rd < REG_FP && is_pointer(p, insn.rd))
			continue;
		return raw;
	}
}

static uint16_t random_short(struct pair *p)
{
	for (;;) {
		const uint16_t raw = (uint16_t)rng_next(&p->rng);

		if (!insn_is_compressed(raw))
			continue;
		const struct insn insn = insn_decode(raw);
		if (insn.op == OP_ILLEGAL || insn.op == OP_EBREAK ||
		    (insn.rd < REG_FP && is_pointer(p, insn.rd)))
			continue;
		return raw;
	}
}

/* Interesting numbers, single, double or neither. */
static uint64_t random_number(struct pair *p)
{
	static const uint64_t doubles[] = {
		0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
		0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001,
		0xfff8000000001234, 0x0000000000000001, 0x000fffffffffffff, 0x0010000000000000,
		0x0010000000000001, 0x7fefffffffffffff, 0x41dfffffffc00000, 0xc1e0000000000000,
		0x43e0000000000000, 0x3fe0000000000000, 0x4340000000000001, 0x36a0000000000000,
		0x380fffffffffffff, 0x47efffffe0000000, 0x47effffff0000000, 0x3ff8000000000000,
	};
	static const uint32_t singles[] = {
		0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
		0x7fc00000, 0x7f800001, 0xffc12345, 0x00000001, 0x007fffff, 0x00800000,
		0x00800001, 0x7f7fffff, 0x4effffff, 0xcf000000, 0x5f000000, 0x3f000000,
	};

	switch (below(p, 8)) {
	case 0: return doubles[below(p, sizeof(doubles) / sizeof(doubles[0]))];
	case 1:
	case 2: return 0xffffffff00000000 | singles[below(p, sizeof(singles) / 4)];
	case 3: return 0xffffffff00000000 | (0x3f000000 + (rng_next(&p->rng) & 0x81ffffff));
	case 4: return 0x3f00000000000000 + (rng_next(&p->rng) & 0x80ffffffffffffff);
	case 5: return below(p, 2000) - 1000;
	case 6: return (uint64_t)(int64_t)(int32_t)rng_next(&p->rng);
	default: return rng_next(&p->rng);
	}
}

static uint64_t random_pointer(struct pair *p)
{
	const uint64_t code = CODE + 4 * below(p, CODE_BYTES / 4);

	switch (below(p, 24)) {
	case 0: return p->stores_over_code ? code : DATA;
	case 1: return DATA + below(p, DATA_BYTES);
	case 2: return DATA - 2048 + 8 * below(p, 512);
	case 3: return GUEST_SPACE_BYTES - 8 * below(p, 64);
	case 4: return UINT64_MAX - below(p, 64);
	case 5: return DATA + GUEST_PAGE_BYTES * below(p, 5) - 8 + below(p, 16);
	case 6:
	case 7: return CODE + 2 * GUEST_PAGE_BYTES + 4 * below(p, GUEST_PAGE_BYTES / 4);
	default: return DATA + 8 * below(p, DATA_BYTES / 8);
	}
}

static void fill_hart(struct pair *p)
{
	struct hart hart;

	hart_init(&hart);
	for (unsigned i = 1; i < REG_SINK; i++)
		hart.r[i] = random_number(p);
	for (unsigned i = 0; i < POINTERS; i++)
		hart.r[p->pointers[i]] = random_pointer(p);
	hart.fflags = (uint32_t)below(p, 32) & (uint32_t)below(p, 32);
	hart.frm = below(p, 8) ? RM_RNE : (uint32_t)below(p, 8);
	hart.pc = CODE + 2 * below(p, CODE_BYTES / 2 + 2);
	p->plain.cpu.hart = p->translated.cpu.hart = hart;
}

static void machine_init(struct machine *m)
{
	struct err err;

	*m = (struct machine){0};
	assert_true(memory_init(&m->memory, LIMIT_BYTES, &err));
	m->cpu.memory = &m->memory;
	m->cpu.code = code_create(&m->memory);
	assert_non_null(m->cpu.code);
	m->cpu.code->features = FEATURES_ALL;
	assert_true(memory_map(&m->memory, CODE, CODE_BYTES, PAGE_PROTECTION));
	assert_true(memory_map(&m->memory, DATA, DATA_BYTES, PAGE_READ | PAGE_WRITE));
	assert_true(memory_protect(&m->memory, DATA + DATA_BYTES - GUEST_PAGE_BYTES,
				   GUEST_PAGE_BYTES, PAGE_READ));
}

static void machine_release(struct machine *m)
{
	code_destroy(m->cpu.code);
	memory_release(&m->memory);
}

static void write_program(struct pair *p)
{
	static uint8_t bytes[CODE_BYTES];
	size_t at = 0;

	while (at < sizeof(bytes)) {
		const bool is_short = at + 4 > sizeof(bytes) || !below(p, 5);
		const uint32_t word = is_short ? random_short(p) : random_word(p);

		memcpy(bytes + at, &word, is_short ? 2 : 4);
		at += is_short ? 2 : 4;
	}
	for (unsigned i = 0; i < 2; i++) {
		struct memory *memory = i ? &p->translated.memory : &p->plain.memory;

		assert_true(memory_protect(memory, CODE, CODE_BYTES, PAGE_PROTECTION));
		memory_load(memory, CODE, bytes, sizeof(bytes));
		assert_true(memory_protect(memory, CODE + CODE_BYTES - GUEST_PAGE_BYTES,
					   GUEST_PAGE_BYTES, PAGE_READ | PAGE_EXEC));
	}
}

/* Whether the host has what translation takes. */
static bool pair_init(struct pair *p, uint64_t seed)
{
	*p = (struct pair){.rng.state = seed};
	if (!code_cache_map(&p->cache))
		return false;
	machine_init(&p->plain);
	machine_init(&p->translated);
	code_translate(p->translated.cpu.code, &p->cache);
	assert_non_null(p->translated.cpu.code->translator);
	return true;
}

static void pair_release(struct pair *p)
{
	machine_release(&p->plain);
	machine_release(&p->translated);
	code_cache_unmap(&p->cache);
}

/* Code that changes often is translated all the same. */
static void forgive_kills(struct pair *p)
{
	memset(p->translated.cpu.code->translator->kills, 0, PAGE_LISTS * sizeof(uint32_t));
}

/* As if so much had been translated that all of it is forgotten before more is. */
static void fill_cache(struct pair *p)
{
	struct translator *translator = p->translated.cpu.code->translator;

	switch (below(p, 3)) {
	case 0: translator->hot = translator->writable + CACHE_COLD - CACHE_ROOM + 1; break;
	case 1: translator->cold = translator->writable + CACHE_BYTES - CACHE_ROOM + 1; break;
	default:
		/* Never back: the blocks beyond are in the lists of pages. */
		if (translator->block_count < BLOCKS_MAX - BLOCKS_AT_ONCE)
			translator->block_count = BLOCKS_MAX - BLOCKS_AT_ONCE;
		break;
	}
}

static enum cpu_stop run_plain(struct cpu *cpu, uint64_t limit)
{
	enum cpu_stop stop = STOP_LIMIT;

	while (stop == STOP_LIMIT && cpu->instructions < limit)
		stop = cpu_step(cpu);
	return stop;
}

static void assert_same(const struct pair *p, bool has_fault)
{
	const struct cpu *a = &p->plain.cpu, *b = &p->translated.cpu;

	assert_int_equal(a->instructions, b->instructions);
	assert_int_equal(a->hart.pc, b->hart.pc);
	for (unsigned i = 0; i < REG_SINK; i++)
		if (a->hart.r[i] != b->hart.r[i])
			fail_msg("register %u is %llx, not %llx, before %llx", i,
				 (unsigned long long)b->hart.r[i], (unsigned long long)a->hart.r[i],
				 (unsigned long long)a->hart.pc);
	assert_int_equal(a->hart.fflags, b->hart.fflags);
	assert_int_equal(a->hart.frm, b->hart.frm);
	assert_int_equal(a->hart.reservation, b->hart.reservation);
	if (a->hart.reservation != NO_RESERVATION)
		assert_int_equal(a->hart.reserved_value, b->hart.reserved_value);
	if (has_fault)
		assert_int_equal(a->fault_address, b->fault_address);
}

static void assert_same_memory(const struct pair *p)
{
	const uint8_t *a = p->plain.memory.base, *b = p->translated.memory.base;

	assert_memory_equal(a + CODE, b + CODE, CODE_BYTES);
	assert_memory_equal(a + DATA, b + DATA, DATA_BYTES);
	assert_int_equal(p->plain.memory.filled_bytes, p->translated.memory.filled_bytes);
}

/* Over an instruction that cannot be executed, or to somewhere else. */
static void go_on(struct pair *p)
{
	struct cpu *const cpu = &p->plain.cpu;
	uint64_t fault_address;
	const struct insn *insn = code_at(cpu->code, cpu->hart.pc, &fault_address);

	cpu->hart.pc = insn && below(p, 16) ? cpu->hart.pc + insn->bytes
					    : CODE + 2 * below(p, CODE_BYTES / 2 + 2);
	cpu->hart.r[pick_pointer(p)] = random_pointer(p);
	cpu->hart.r[REG_FP + below(p, 32)] = random_number(p);
	p->translated.cpu.hart = cpu->hart;
}

/* Runs both from the same state on in pieces, and counts how each ended. */
static void run_both(struct pair *p, unsigned pieces, unsigned *stops)
{
	while (pieces--) {
		const uint64_t most = below(p, 4) ? 40 : 400;
		const uint64_t limit = p->plain.cpu.instructions + below(p, most);
		const enum cpu_stop stop = run_plain(&p->plain.cpu, limit);

		if (!p->is_patient)
			forgive_kills(p);
		if (!below(p, 8))
			fill_cache(p);
		assert_int_equal(cpu_run(&p->translated.cpu, limit), stop);
		assert_same(p, stop == STOP_LOAD_FAULT || stop == STOP_STORE_FAULT ||
				       stop == STOP_FETCH_FAULT || stop == STOP_MISALIGNED);
		stops[stop]++;
		if (stop != STOP_LIMIT)
			go_on(p);
	}
}

static void run_programs(uint64_t seed, unsigned programs, bool stores_over_code, bool is_dense)
{
	struct pair *const p = test_malloc(sizeof(*p));
	unsigned stops[STOP_MISALIGNED + 1] = {0};

	if (!pair_init(p, seed)) {
		test_free(p);
		skip();
	}
	p->stores_over_code = stores_over_code;
	p->is_dense = is_dense;
	p->is_patient = seed % 2 == 0;
	for (unsigned i = 0; i < programs; i++) {
		for (unsigned k = 0; k < POINTERS; k++)
			p->pointers[k] = 1 + (unsigned)below(p, 31);
		write_program(p);
		for (unsigned start = 0; start < 12; start++) {
			fill_hart(p);
			run_both(p, 60, stops);
		}
		assert_same_memory(p);
	}
	/* All of it has happened, and much of it in translated code. */
	assert_true(p->plain.cpu.instructions > UINT64_C(4000) * programs);
	for (unsigned i = 0; i <= STOP_MISALIGNED; i++)
		assert_int_not_equal(stops[i], 0);
	pair_release(p);
	test_free(p);
}

TEST(random_programs_do_what_the_interpreter_does)
{
	run_programs(1, 150, false, false);
}

TEST(programs_that_store_over_themselves_do_what_the_interpreter_does)
{
	run_programs(5, 150, true, false);
	/* What changes often is interpreted. */
	run_programs(6, 50, true, false);
}

TEST(floating_point_in_few_registers_does_what_the_interpreter_does)
{
	run_programs(3, 150, false, true);
}

/* Registers and words of the program below. */
enum { RA = 1, WORD = 6, STEP = 7, LEFT = 8, UPPER = 9, SUM = 10, FUNCTION = 18 };
#define FUNCTIONS	   6
#define ADDI(rd, rs1, imm) ((uint32_t)(imm) << 20 | (rs1) << 15 | (rd) << 7 | 0x13)
#define ADD(rd, rs1, rs2)  ((rs2) << 20 | (rs1) << 15 | (rd) << 7 | 0x33)
#define JALR(rd, rs1)	   ((rs1) << 15 | (rd) << 7 | 0x67)
#define SW(rs2, rs1)	   ((rs2) << 20 | (rs1) << 15 | 0x2023)
#define SH_2(rs2, rs1)	   ((rs2) << 20 | (rs1) << 15 | 0x1123) /* sh rs2, 2(rs1) */
#define EBREAK		   0x00100073

static uint32_t jump_to(int32_t distance)
{
	const uint32_t d = (uint32_t)distance;

	return RA << 7 | (d & 0xff000) | (d >> 11 & 1) << 20 | (d >> 1 & 0x3ff) << 21 |
	       (d >> 20 & 1) << 31 | 0x6f;
}

/* The first begins with an instruction that straddles pages. */
static uint64_t function_address(unsigned i)
{
	return CODE + GUEST_PAGE_BYTES - 2 + 0x1fe * i;
}

/* A loop that calls functions, directly and by registers, and replaces their first instructions. */
static void write_patching_program(struct memory *memory, uint64_t seed)
{
	struct rng rng = {seed};
	uint64_t at = CODE + 2;
	const uint32_t again = 0x00041063; /* bne x8, x0 */

	for (unsigned i = 0; i < FUNCTIONS; i++) {
		const uint32_t body[] = {ADDI(SUM, SUM, i + 1), JALR(0, RA)};

		memory_load(memory, function_address(i), body, sizeof(body));
	}
	for (unsigned i = 0; i < 20; i++) {
		const unsigned f = (unsigned)rng_below(&rng, FUNCTIONS);
		const int32_t distance = (int32_t)(function_address(f) - at);
		const uint32_t choices[][2] = {{jump_to(distance), ADD(0, 0, 0)},
					       {jump_to(distance), ADD(0, 0, 0)},
					       {JALR(RA, FUNCTION + f), ADD(0, 0, 0)},
					       {SW(WORD, FUNCTION + f), ADD(WORD, WORD, STEP)},
					       {SH_2(UPPER, FUNCTION), ADDI(UPPER, UPPER, 16)}};

		memory_load(memory, at, choices[rng_below(&rng, 5)], 8);
		at += 8;
	}
	const uint32_t back = (uint32_t)(CODE + 2 - (at + 4));
	const uint32_t end[] = {ADDI(LEFT, LEFT, -1),
				again | (back >> 11 & 1) << 7 | (back >> 1 & 0xf) << 8 |
					(back >> 5 & 0x3f) << 25 | (back >> 12 & 1) << 31,
				EBREAK};
	memory_load(memory, at, end, sizeof(end));
}

TEST(code_that_is_replaced_after_it_was_chained_is_translated_again)
{
	struct pair *const p = test_malloc(sizeof(*p));

	if (!pair_init(p, 3)) {
		test_free(p);
		skip();
	}
	for (unsigned i = 0; i < 100; i++) {
		enum cpu_stop stop = STOP_LIMIT;
		struct hart hart;

		write_patching_program(&p->plain.memory, i);
		write_patching_program(&p->translated.memory, i);
		hart_init(&hart);
		hart.pc = CODE + 2;
		hart.r[LEFT] = 30;
		hart.r[WORD] = ADDI(SUM, SUM, 100);
		hart.r[UPPER] = ADDI(SUM, SUM, 7) >> 16;
		hart.r[STEP] = UINT64_C(1) << 20;
		for (unsigned f = 0; f < FUNCTIONS; f++)
			hart.r[FUNCTION + f] = function_address(f);
		p->plain.cpu.hart = p->translated.cpu.hart = hart;
		while (stop == STOP_LIMIT) {
			const uint64_t limit = p->plain.cpu.instructions + below(p, 300);

			stop = run_plain(&p->plain.cpu, limit);
			forgive_kills(p);
			if (!below(p, 4))
				fill_cache(p);
			assert_int_equal(cpu_run(&p->translated.cpu, limit), stop);
			assert_same(p, false);
		}
		assert_int_equal(stop, STOP_EBREAK);
		assert_int_equal(p->plain.cpu.hart.r[LEFT], 0);
	}
	assert_same_memory(p);
	pair_release(p);
	test_free(p);
}
