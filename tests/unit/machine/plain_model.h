/*
 * plain_model.h - caches and TLBs as lists, and a predictor asked one branch at a time: what a
 * hierarchy and predictor hold that are given the same instructions; for programs without wrong
 * paths and without time.
 */
#ifndef TESTS_MACHINE_PLAIN_MODEL_H
#define TESTS_MACHINE_PLAIN_MODEL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "core/branch_kind.h"
#include "image/image.h"
#include "linux/process.h"
#include "machine/parts.h"

/* A set-associative store of numbers, least recently used first out: a list per set, most recent
 * first. */
struct lists {
	uint64_t unit_bytes, sets, ways;
	struct item {
		uint64_t number;
		bool is_there, is_dirty;
	} * items;
};

static inline struct lists lists_create(uint64_t size_bytes, uint64_t unit_bytes, uint64_t ways)
{
	struct lists lists = {unit_bytes, size_bytes / unit_bytes / ways, ways, NULL};

	lists.items = mem_alloc_array(lists.sets * ways, sizeof(struct item));
	return lists;
}

/* Makes the unit of the address its set's most recent and returns it; *was_there, or what it
 * pushed out. */
static inline struct item *lists_use(struct lists *lists, uint64_t address, bool *was_there,
				     struct item *victim)
{
	uint64_t number = address / lists->unit_bytes;
	struct item *set = lists->items + number % lists->sets * lists->ways;
	struct item found = {number, true, false};
	uint64_t at = 0;

	while (at < lists->ways - 1 && !(set[at].is_there && set[at].number == number))
		at++;
	*was_there = set[at].is_there && set[at].number == number;
	*victim = (struct item){0};
	if (*was_there)
		found = set[at];
	else
		*victim = set[at];
	memmove(set + 1, set, at * sizeof(*set));
	set[0] = found;
	return set;
}

struct model {
	struct lists l1[SIDE_COUNT], l2, tlb[SIDE_COUNT];
	uint64_t l1_misses[SIDE_COUNT], tlb_misses[SIDE_COUNT];
};

/* Whether it came from memory. */
static inline bool model_access(struct model *m, enum hierarchy_side side, uint64_t address,
				bool writes)
{
	struct item victim, ignored;
	bool was_there, in_l2;

	lists_use(&m->tlb[side], address, &was_there, &ignored);
	m->tlb_misses[side] += !was_there;
	struct item *line = lists_use(&m->l1[side], address, &was_there, &victim);
	line->is_dirty |= writes;
	m->l1_misses[side] += !was_there;
	if (was_there)
		return false;
	lists_use(&m->l2, address, &in_l2, &ignored);
	if (victim.is_there && victim.is_dirty)
		lists_use(&m->l2, victim.number * m->l1[side].unit_bytes, &was_there, &ignored)
			->is_dirty = true;
	return !in_l2;
}

static inline struct model model_create(const struct config *config)
{
	struct model m = {.l2 = lists_create(config->l2_size, config->l2_line, config->l2_ways)};

	m.l1[SIDE_INSTRUCTION] = lists_create(config->l1i_size, config->l1i_line, config->l1i_ways);
	m.l1[SIDE_DATA] = lists_create(config->l1d_size, config->l1d_line, config->l1d_ways);
	m.tlb[SIDE_INSTRUCTION] = lists_create((uint64_t)config->itlb_entries * config->page_bytes,
					       config->page_bytes, config->itlb_ways);
	m.tlb[SIDE_DATA] = lists_create((uint64_t)config->dtlb_entries * config->page_bytes,
					config->page_bytes, config->dtlb_ways);
	return m;
}

static inline void model_release(struct model *m)
{
	for (unsigned side = 0; side < SIDE_COUNT; side++) {
		free(m->l1[side].items);
		free(m->tlb[side].items);
	}
	free(m->l2.items);
}

/* Predicts it and learns; whether it was mispredicted. */
static inline bool plain_branch(struct predictor *p, const struct insn *insn, uint64_t pc,
				uint64_t next)
{
	enum control control = insn_control(insn);
	enum branch_kind kind = control == CONTROL_NONE ? 0 : branch_kind_of(control);
	bool taken = control != CONTROL_CONDITIONAL || next != pc + insn->bytes;
	struct prediction prediction;

	if (control == CONTROL_NONE)
		return false;
	predictor_predict(p, kind, pc, insn->bytes, &prediction);
	bool is_wrong = prediction_judge(&prediction, kind, taken, next) == PREDICTION_WRONG;
	if (is_wrong)
		predictor_recover(p, kind, pc, insn->bytes, taken, next, &prediction);
	predictor_update(p, kind, pc, insn->bytes, taken, next, &prediction);
	return is_wrong;
}

/* A workload in its size for tests; NULL if it is not built. */
static inline struct process *plain_start(const char *name)
{
	const char *build = getenv("BUILD"), *argv[] = {name, "test", NULL};
	struct process_options options = {.program = name,
					  .argv = argv,
					  .seed = 1,
					  .memory_limit_bytes = UINT64_C(1) << 30,
					  .silent = true};
	char path[4096];
	struct err err;

	snprintf(path, sizeof(path), "%s/workloads/%s", build ? build : "build", name);
	options.image = image_read(path, &options.image_bytes, NULL);
	return options.image ? process_create(&options, &err) : NULL;
}

static inline void plain_end(struct process *process)
{
	const uint8_t *image = process->options.image;

	process_destroy(process);
	free((void *)(uintptr_t)image);
}

#endif
