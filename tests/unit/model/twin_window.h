/*
 * twin_window.h - the techniques of technique.h, slow and obvious: every window is analysed
 * instruction by instruction, from nothing.
 */
#ifndef TWIN_WINDOW_H
#define TWIN_WINDOW_H

#include "model/technique.h"

struct twin_trace {
	const struct trace_step *steps;
	const struct label *labels;
	size_t count;
	uint32_t window_most;
};

/* The last step before `i` that stored to the byte; -1 if there is none. */
static inline long twin_store_of(const struct twin_trace *t, size_t i, uint64_t byte)
{
	for (long k = (long)i - 1; k >= 0; k--)
		if (t->steps[k].op->is_store &&
		    byte - t->steps[k].address < t->steps[k].op->access_bytes)
			return k;
	return -1;
}

static inline bool twin_near(const struct twin_trace *t, size_t i, long k)
{
	return k >= 0 && (long)i - k < (long)t->window_most;
}

/* Who last asked for each step's block before it: a miss, or a load that found a store fetching
 * it (then *is_store of that step says so no longer). */
struct twin_fetch {
	long step; /* -1: nobody */
	bool is_store;
	bool is_forwarded; /* every byte was stored since */
	bool is_store_fill;
};

static inline struct twin_fetch twin_fetch_of(const struct twin_trace *t,
					      const struct technique *technique,
					      const struct twin_fetch *before, size_t i)
{
	struct twin_fetch fetch = {-1, false, true, false};

	if (!t->steps[i].op->is_load || t->labels[i].data == DATA_LONG_MISS)
		return fetch;
	for (long k = (long)i - 1; k >= 0 && fetch.step < 0; k--) {
		const struct trace_op *op = t->steps[k].op;

		if (!op->access_bytes || t->labels[k].block != t->labels[i].block)
			continue;
		if (t->labels[k].data == DATA_LONG_MISS) {
			fetch.step = k;
			fetch.is_store = !op->is_load;
		} else if (before[k].is_store_fill) {
			fetch.step = k;
		}
	}
	for (unsigned b = 0; b < t->steps[i].op->access_bytes; b++) {
		long store = twin_store_of(t, i, t->steps[i].address + b);

		if (!twin_near(t, i, store) || store < fetch.step)
			fetch.is_forwarded = false;
	}
	if (!twin_near(t, i, fetch.step) || !technique->pending_hits)
		fetch.step = -1;
	fetch.is_store_fill = fetch.step >= 0 && fetch.is_store && !fetch.is_forwarded &&
			      technique->store_fills_miss;
	return fetch;
}

/* Depth of step i in a window that starts at `start`; whether it is a miss there. */
static inline uint32_t twin_depth(const struct twin_trace *t, const struct twin_fetch *fetches,
				  const uint32_t *depths, size_t start, size_t i, bool *is_miss)
{
	const struct trace_op *op = t->steps[i].op;
	uint32_t depth = 0;

	for (unsigned s = 0; s < TRACE_SOURCES; s++)
		for (long k = (long)i - 1; k >= (long)start && op->sources[s]; k--) {
			const uint8_t *d = t->steps[k].op->destinations;

			if (d[0] != op->sources[s] && d[1] != op->sources[s])
				continue;
			if (depths[k] > depth)
				depth = depths[k];
			break;
		}
	for (unsigned b = 0; op->is_load && b < op->access_bytes; b++) {
		long k = twin_store_of(t, i, t->steps[i].address + b);

		if (k >= (long)start && depths[k] > depth)
			depth = depths[k];
	}
	*is_miss = op->is_load && t->labels[i].data == DATA_LONG_MISS;
	const struct twin_fetch *fetch = &fetches[i];
	if (fetch->step >= (long)start && !fetch->is_forwarded) {
		if (fetch->is_store_fill)
			*is_miss = true;
		else if (depths[fetch->step] > depth)
			depth = depths[fetch->step];
	}
	return depth + *is_miss;
}

static inline struct technique_result twin_evaluate(const struct technique *technique,
						    const struct design_point *point,
						    const struct twin_trace *t)
{
	struct technique_result result = {0};
	struct twin_fetch *fetches = mem_alloc_array(t->count + 1, sizeof(*fetches));
	uint32_t *depths = mem_alloc_array(t->count + 1, sizeof(*depths));
	uint64_t limit = technique->mshr_aware ? point->mshrs : MSHRS_UNLIMITED;
	bool is_swam = technique->windows != WINDOWS_PLAIN;
	double sum = 0;
	long last = -1;

	for (size_t i = 0; i < t->count; i++)
		fetches[i] = twin_fetch_of(t, technique, fetches, i);
	for (size_t i = 0; i < t->count;) {
		size_t start = i;
		uint32_t longest = 0;
		uint64_t occupied = 0, misses = 0;

		if (is_swam && !(t->steps[i].op->is_load && t->labels[i].data == DATA_LONG_MISS)) {
			i++;
			continue;
		}
		for (; i < t->count && i < start + point->rob_size && occupied < limit; i++) {
			bool is_miss;

			depths[i] = twin_depth(t, fetches, depths, start, i, &is_miss);
			if (!is_miss)
				continue;
			misses++;
			longest = depths[i] > longest ? depths[i] : longest;
			occupied += technique->windows != WINDOWS_SWAM_MLP || depths[i] == 1;
		}
		result.serialized += longest;
		result.windows += misses > 0;
	}
	for (size_t i = 0; i < t->count; i++) {
		bool is_miss = t->steps[i].op->is_load && t->labels[i].data == DATA_LONG_MISS;
		long store = fetches[i].is_store_fill ? fetches[i].step : -1;

		if (!is_miss && (store < 0 || (long)i - store >= (long)point->rob_size))
			continue;
		if (last >= 0)
			sum += (long)i - last < (long)point->rob_size ? (double)((long)i - last)
								      : (double)point->rob_size;
		last = (long)i;
		result.misses++;
	}
	result.mean_distance = result.misses > 1 ? sum / (double)(result.misses - 1) : 0;
	double hidden = 0;
	if (technique->compensation == COMPENSATION_FIXED)
		hidden = (double)result.serialized *
			 ((double)technique->fixed_quarters * point->rob_size / 4 / point->width);
	if (technique->compensation == COMPENSATION_DISTANCE)
		hidden = result.mean_distance * (double)result.misses / point->width;
	result.compensation_cycles = hidden;
	result.cycles = (double)result.serialized * point->memory_latency_cycles - hidden;
	free(fetches);
	free(depths);
	return result;
}

#endif
