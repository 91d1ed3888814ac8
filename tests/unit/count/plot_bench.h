/*
 * plot_bench.h - records for tests of interval plots, on a machine of two cache levels whose memory
 * takes 250 cycles.
 */
#ifndef TESTS_COUNT_PLOT_BENCH_H
#define TESTS_COUNT_PLOT_BENCH_H

#include "count/interval_plot.h"

#define MEMORY 250

struct bench {
	struct interval_plot *plot;
	uint64_t now;
};

static inline struct bench bench_open(uint64_t warm_up)
{
	struct config config;

	config_reset(&config);
	config.cache_levels = 2;
	config.memory_latency = MEMORY;
	return (struct bench){interval_plot_create(&config, warm_up), 0};
}

static inline void bench_close(struct bench *bench)
{
	interval_plot_destroy(bench->plot);
}

/* A cycle in which every stage is busy. */
static inline struct cycle flowing(void)
{
	return (struct cycle){.repeat = 1,
			      .issued = 4,
			      .useful_issued = 3,
			      .dispatched = 4,
			      .useful_dispatched = 4,
			      .committed = 4,
			      .rob_used = 50,
			      .head_state = HEAD_DONE};
}

static inline struct cycle stopped(void)
{
	return (struct cycle){.repeat = 1, .rob_used = 9, .head_state = HEAD_WAITS};
}

/* A cycle in which the window is full behind a long miss. */
static inline struct cycle blocked(void)
{
	return (struct cycle){.repeat = 1,
			      .rob_used = 128,
			      .dispatch_stall = DISPATCH_ROB,
			      .head_state = HEAD_L2D};
}

static inline void give(struct bench *bench, struct cycle cycle, uint64_t times)
{
	for (uint64_t i = 0; i < times; i++) {
		cycle.number = bench->now;
		interval_plot_cycle(bench->plot, &cycle);
		bench->now += cycle.repeat;
	}
}

static inline void give_event(struct bench *bench, struct cycle cycle, struct cycle_event event)
{
	cycle.events = &event;
	cycle.event_count = 1;
	give(bench, cycle, 1);
}

static const struct cycle_event l1i_miss = {
	.kind = EVENT_FETCH_MISS, .detail = FETCH_MISS_L1, .pc = 0x1234};
static const struct cycle_event load_miss = {
	.kind = EVENT_LOAD_MISS, .detail = DATA_MISS_L1 | DATA_MISS_L2, .pc = 0x5678};
static const struct cycle_event dispatch = {
	.kind = EVENT_BRANCH_DISPATCH, .mispredicted = 1, .pc = 0x9abc};
static const struct cycle_event resolve = {.kind = EVENT_MISPREDICT, .pc = 0x9abc};

static inline struct interval_view look(const struct bench *bench, enum interval_kind kind)
{
	struct interval_view view;

	interval_plot_read(bench->plot, kind, &view);
	return view;
}

static inline uint64_t found(const struct bench *bench, enum interval_kind kind)
{
	return look(bench, kind).found;
}

static inline void give_l1i_miss(struct bench *bench)
{
	give_event(bench, flowing(), l1i_miss);
	give(bench, flowing(), 5);
	give(bench, stopped(), 4);
}

static inline void give_branch(struct bench *bench, unsigned resolution)
{
	give_event(bench, flowing(), dispatch);
	give(bench, flowing(), resolution - 1);
	give_event(bench, flowing(), resolve);
	give(bench, stopped(), 5);
}

static inline void give_long(struct bench *bench, bool overlaps)
{
	give_event(bench, flowing(), load_miss);
	give(bench, flowing(), 10);
	if (overlaps)
		give_event(bench, flowing(), load_miss);
	struct cycle waits = blocked();
	waits.repeat = MEMORY - 15;
	give(bench, waits, 1);
	give(bench, flowing(), 400);
}

#endif
