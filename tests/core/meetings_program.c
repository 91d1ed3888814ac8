/*
 * meetings_program SEED ooo|inorder: writes a random assembler program in which rare things meet,
 * and a random machine for it.
 *
 * The first line, a comment, has the machine's parameters as KEY=VALUE words. The program is a loop
 * of pieces, each of which makes one rare thing likely: accesses that cross lines and pages,
 * atomics, loads of what stores cover in part or whole, loads that read before an older store has
 * its address, branches inside the arms of branches that resolve late, calls deeper than the return
 * stack, indirect jumps of few targets, serialising instructions. Arms of branches hold pieces
 * again, so all of them also happen on wrong paths. The function `region` is called in each round,
 * by itself too, and always from one place, behind which there is a store.
 *
 * Registers: s0 counts rounds, s1 is the data, s2 random, s3 a sum, s4 a multiplier, s5 where
 * the store behind the call of `region` goes.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

#define ROUNDS 400

struct maker {
	struct rng rng;
	unsigned labels;
};

static unsigned below(struct maker *m, unsigned count)
{
	return (unsigned)rng_below(&m->rng, count);
}

static const char *one_of(struct maker *m, const char *const *words)
{
	unsigned count = 0;

	while (words[count])
		count++;
	return words[below(m, count)];
}

#define ONE_OF(m, ...) one_of(m, (const char *const[]){__VA_ARGS__, NULL})

/* t0 = random bits: `mask` of them, above the lowest, which a multiplication makes regular. */
static void random_bits(struct maker *m, unsigned mask)
{
	printf("\tmul s2, s2, s4\n\taddi s2, s2, 1023\n\tsrli t0, s2, %u\n\tandi t0, t0, %u\n",
	       20 + below(m, 20), mask);
}

/* t1 = the address of 8 bytes that are near the end of a unit of so many bytes. */
static void near_end(struct maker *m, unsigned shift, unsigned mask)
{
	random_bits(m, mask);
	printf("\tslli t0, t0, %u\n\tadd t1, s1, t0\n\taddi t1, t1, %u\n", shift,
	       (1U << (shift < 10 ? shift : 10)) - 1 - below(m, 7));
}

static void load_and_store(struct maker *m)
{
	printf("\t%s t2, 0(t1)\n\tadd s3, s3, t2\n\t%s s3, %u(t1)\n",
	       ONE_OF(m, "ld", "lw", "lhu", "ld"), ONE_OF(m, "sd", "sw", "sh", "sd"), below(m, 3));
}

static void cross_lines(struct maker *m)
{
	near_end(m, 3 + below(m, 4), 63);
	load_and_store(m);
}

static void cross_pages(struct maker *m)
{
	random_bits(m, 15);
	printf("\tslli t0, t0, 12\n\tadd t1, s1, t0\n\tli t3, %u\n\tadd t1, t1, t3\n",
	       4096 - 1 - below(m, 7));
	load_and_store(m);
}

static void atomics(struct maker *m)
{
	random_bits(m, 7);
	printf("\tslli t0, t0, 3\n\tadd t1, s1, t0\n");
	if (below(m, 2))
		printf("\tsb s2, %u(t1)\n", below(m, 8));
	if (below(m, 3))
		printf("\t%s t2, s2, (t1)\n", ONE_OF(m, "amoadd.d", "amoswap.w", "amomaxu.d"));
	else
		printf("\tlr.d t2, (t1)\n\tadd t2, t2, s2\n\tsc.d t3, t2, (t1)\n");
	printf("\tadd s3, s3, t2\n\tld t2, %u(t1)\n\txor s3, s3, t2\n", below(m, 8));
}

static void forward(struct maker *m)
{
	near_end(m, 3, 15);
	printf("\t%s s3, 0(t1)\n", ONE_OF(m, "sd", "sw"));
	if (below(m, 2))
		printf("\tsb s2, %u(t1)\n", below(m, 8));
	printf("\t%s t2, %u(t1)\n\tadd s3, s3, t2\n", ONE_OF(m, "ld", "lw", "lbu", "lh"),
	       below(m, 6));
}

/* The store's address is late by a division, and the loads may read the same bytes. */
static void read_early(struct maker *m)
{
	random_bits(m, 7);
	printf("\tslli t0, t0, 3\n\tori t2, t0, 1\n\tmul t3, t0, t2\n\tdivu t3, t3, t2\n"
	       "\tadd t3, t3, s1\n\t%s s2, %u(t3)\n",
	       ONE_OF(m, "sd", "sw", "sb"), below(m, 5));
	printf("\tadd t1, s1, t0\n\t%s t2, %u(t1)\n\tld t3, %u(s1)\n\tadd s3, s3, t2\n"
	       "\txor s3, s3, t3\n",
	       ONE_OF(m, "ld", "lw", "lb"), below(m, 4), below(m, 8) * 8);
}

static void serialise(struct maker *m)
{
	switch (below(m, 6)) {
	case 0: printf("\tfence\n"); break;
	case 1: printf("\tfence.i\n"); break;
	case 2: printf("\trdcycle t2\n"); break;
	case 3: printf("\tfrflags t2\n\tadd s3, s3, t2\n"); break;
	case 4: printf("\trdinstret t2\n"); break;
	default: printf("\tli a7, 172\n\tecall\n"); break;
	}
}

static void call_deeply(struct maker *m)
{
	random_bits(m, 15);
	printf("\tmv a0, t0\n\tcall deep\n");
}

static void jump_somewhere(struct maker *m)
{
	unsigned label = m->labels++;

	random_bits(m, 3);
	printf("\tslli t0, t0, 3\n\tla t1, targets%u\n\tadd t1, t1, t0\n\tld t1, 0(t1)\n\tjr t1\n",
	       label);
	for (unsigned i = 0; i < 3; i++)
		printf("target%u_%u:\taddi s3, s3, %u\n\tsd s3, %u(s1)\n\tj behind%u\n", label, i,
		       i, i * 8, label);
	printf("behind%u:\n\t.section .rodata\n\t.balign 8\ntargets%u:\t.dword target%u_0, "
	       "target%u_1, target%u_2, target%u_0\n\t.text\n",
	       label, label, label, label, label, label);
}

static void pieces(struct maker *m, unsigned count, unsigned depth);

/* A branch on what comes from memory by way of a division: its arms are fetched long before. */
static void branch_late(struct maker *m, unsigned depth)
{
	unsigned label = m->labels++;

	random_bits(m, 1023);
	printf("\tslli t0, t0, 6\n\tadd t1, s1, t0\n\tld t2, 0(t1)\n\tadd t2, t2, s2\n"
	       "\tsrli t2, t2, %u\n\tli t3, 3\n\tdivu t2, t2, t3\n\tandi t2, t2, 1\n"
	       "\tbnez t2, yes%u\n\tj no%u\nyes%u:\n",
	       20 + below(m, 20), label, label, label);
	pieces(m, 1 + below(m, 2), depth + 1);
	printf("\tj end%u\nno%u:\n", label, label);
	pieces(m, 1 + below(m, 2), depth + 1);
	printf("end%u:\n", label);
}

static void piece(struct maker *m, unsigned depth)
{
	switch (below(m, depth < 2 ? 11 : 8)) {
	case 0: cross_lines(m); break;
	case 1: cross_pages(m); break;
	case 2: atomics(m); break;
	case 3: forward(m); break;
	case 4: read_early(m); break;
	case 5:
		read_early(m);
		serialise(m);
		break;
	case 6: call_deeply(m); break;
	case 7: jump_somewhere(m); break;
	default: branch_late(m, depth); break;
	}
}

static void pieces(struct maker *m, unsigned count, unsigned depth)
{
	while (count--)
		piece(m, depth);
}

static void program(struct maker *m)
{
	printf("\t.globl _start, region\n_start:\tla s1, data\n\tli s0, %u\n\tli s2, %u\n"
	       "\tli s3, 1\n\tli s4, 1103515245\nround:\n",
	       ROUNDS, below(m, 1U << 30));
	pieces(m, 2, 0);
	printf("\tsrli a0, s2, 33\n\tandi a0, a0, 3\n\tcall caller\n");
	pieces(m, 2, 0);
	printf("\taddi s0, s0, -1\n\tbeqz s0, done\n\tj round\n"
	       "done:\tandi a0, s3, 63\n\tli a7, 93\n\tecall\n"
	       "caller:\taddi sp, sp, -16\n\tsd ra, 0(sp)\n\tcall region\n\tsd s3, 0(s5)\n"
	       "\tld ra, 0(sp)\n\taddi sp, sp, 16\n\tret\n"
	       "\t.type region, @function\nregion:\taddi sp, sp, -16\n\tsd ra, 0(sp)\n"
	       "\tsd a0, 8(sp)\n");
	pieces(m, 3, 1);
	random_bits(m, 1023);
	printf("\tslli t0, t0, 6\n\tadd s5, s1, t0\n\tsd s3, 512(s1)\n\tsd s3, 1024(s1)\n\tld a0, 8(sp)\n\tbeqz a0, 1f\n"
	       "\taddi a0, a0, -1\n\tcall caller\n1:\tld ra, 0(sp)\n\taddi sp, sp, 16\n\tret\n"
	       "\t.size region, . - region\n"
	       "deep:\tbeqz a0, 1f\n\taddi sp, sp, -16\n\tsd ra, 0(sp)\n\taddi a0, a0, -1\n"
	       "\tcall deep\n\tld ra, 0(sp)\n\taddi sp, sp, 16\n1:\tret\n"
	       "\t.bss\n\t.balign 4096\ndata:\t.skip 131072\n");
}

static void say(const char *key, const char *value)
{
	printf(" %s=%s", key, value);
}

static void machine_ooo(struct maker *m)
{
	say("l1d.mshrs", ONE_OF(m, "1", "2", "2", "8"));
	say("l2.mshrs", ONE_OF(m, "1", "2", "unlimited"));
	say("store.buffer", ONE_OF(m, "1", "2", "3", "unlimited"));
	say("rob.size", ONE_OF(m, "16", "64", "128"));
	say("lsq.size", ONE_OF(m, "8", "64"));
	say("core.max_branches", ONE_OF(m, "2", "5", "unlimited"));
	say("wrong_path.unmapped", ONE_OF(m, "zero", "stop"));
	if (below(m, 4)) {
		say("lsq.disambiguation", "predict");
		say("store_sets.entries", ONE_OF(m, "4", "16", "1024"));
		say("store_sets.sets", ONE_OF(m, "1", "2", "16"));
		say("store_sets.clear_cycles", ONE_OF(m, "37", "100", "1000"));
	} else {
		say("lsq.disambiguation", ONE_OF(m, "perfect", "conservative"));
	}
}

/* Branches that resolve later than they issue, and bubbles that outlast what is in flight; not for
 * every program, and without a change of the rest. */
static void machine_latencies(uint64_t seed, bool is_inorder)
{
	struct maker m = {.rng.state = ~seed};

	if (seed % 2 == 0)
		return;
	say("int_alu.latency_cycles", ONE_OF(&m, "1", "2", "5"));
	if (is_inorder) {
		say("inorder.taken_branch_cycles", ONE_OF(&m, "0", "9", "16"));
		say("inorder.mispredict_cycles", ONE_OF(&m, "3", "20"));
	}
}

static void machine(struct maker *m, bool is_inorder)
{
	const uint64_t seed = m->rng.state;

	printf("#");
	if (is_inorder) {
		say("inorder.write_buffer_entries", ONE_OF(m, "1", "2", "4"));
		say("inorder.issue_width", ONE_OF(m, "1", "2", "2"));
		say("inorder.long_operations", ONE_OF(m, "pipelined", "blocking"));
		say("dtlb.ways", "4");
	} else {
		machine_ooo(m);
	}
	say("return_stack.entries", ONE_OF(m, "1", "2", "4"));
	say("btb.sets", ONE_OF(m, "1", "4", "64"));
	say("btb.ways", ONE_OF(m, "1", "2"));
	say("indirect.kind", ONE_OF(m, "btb", "history"));
	say("predictor.kind", ONE_OF(m, "gshare", "bimodal", "tage", "static_taken"));
	say("l1d.size_bytes", ONE_OF(m, "512", "2048"));
	say("l1d.ways", ONE_OF(m, "1", "2"));
	say("l1d.line_bytes", ONE_OF(m, "8", "16", "32"));
	say("l1d.write", ONE_OF(m, "back", "back", "through"));
	say("dtlb.entries", ONE_OF(m, "4", "8"));
	say("tlb.miss", ONE_OF(m, "fixed", "walk"));
	say("memory.latency_cycles", ONE_OF(m, "30", "100"));
	say("memory.line_cycles", ONE_OF(m, "0", "7"));
	machine_latencies(seed, is_inorder);
	printf("\n");
}

int main(int argc, char **argv)
{
	struct maker m = {0};

	if (argc != 3)
		return 2;
	m.rng.state = strtoull(argv[1], NULL, 0);
	machine(&m, !strcmp(argv[2], "inorder"));
	program(&m);
	return 0;
}
