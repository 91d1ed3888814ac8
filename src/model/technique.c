#include "model/technique.h"

#include <stdio.h>

#include "base/bits.h"
#include "model/timeline.h"

const struct technique technique_default = {
	.windows = WINDOWS_SWAM_MLP,
	.compensation = COMPENSATION_DISTANCE,
	.pending_hits = true,
	.mshr_aware = true,
	.store_fills_miss = true,
};

const struct technique technique_timeline = {
	.windows = WINDOWS_TIMELINE,
	.pending_hits = true,
	.mshr_aware = true,
	.store_fills_miss = true,
	.store_addresses = true,
	.store_mshrs = true,
	.base_times = true,
};

void technique_text(const struct technique *t, char text[TECHNIQUE_TEXT_BYTES])
{
	static const char *const windows[] = {"plain", "swam", "swam-mlp", "timeline", "retime"};
	char compensation[32] = "no compensation";

	if (t->windows == WINDOWS_RETIME) {
		snprintf(text, TECHNIQUE_TEXT_BYTES, "%s", windows[t->windows]);
		return;
	}

	if (t->windows == WINDOWS_TIMELINE) {
		snprintf(text, TECHNIQUE_TEXT_BYTES, "timeline%s%s%s%s%s",
			 t->pending_hits ? "" : ", no pending hits",
			 t->mshr_aware ? "" : ", MSHRs ignored",
			 t->store_addresses ? "" : ", store addresses ignored",
			 t->store_mshrs ? "" : ", stores without MSHRs",
			 t->base_times ? "" : ", mean base rate");
		return;
	}

	if (t->compensation == COMPENSATION_FIXED)
		snprintf(compensation, sizeof(compensation), "%u/4 of the window",
			 t->fixed_quarters);
	if (t->compensation == COMPENSATION_DISTANCE)
		snprintf(compensation, sizeof(compensation), "distance");
	snprintf(text, TECHNIQUE_TEXT_BYTES, "%s, %spending hits, %s%s", windows[t->windows],
		 t->pending_hits ? "" : "no ", compensation,
		 t->mshr_aware ? "" : ", MSHRs ignored");
}

/* How many misses of a chain that ends with this one lie within `room` before it. */
static inline uint32_t chain_length(const struct skeleton *s, const struct skeleton_miss *miss,
				    uint64_t room)
{
	const uint16_t *distances = s->distances + miss->first;
	uint32_t length = 0;

	while (length < miss->count && distances[length] <= room)
		length++;
	return length;
}

/* Fills the window that starts at `start` from the miss `i` on; returns the miss after it. */
static inline size_t fill_window(const struct skeleton *s, const struct technique *t,
				 uint32_t rob_size, uint64_t limit, uint64_t start, size_t i,
				 struct model_window *window)
{
	const bool only_independent = t->windows >= WINDOWS_SWAM_MLP;
	uint64_t occupied = 0;

	*window = (struct model_window){.start = start, .end = start + rob_size, .first = i};
	for (; i < s->count; i++) {
		const struct skeleton_miss *miss = &s->misses[i];

		if (miss->sequence >= window->end)
			break;
		uint32_t chain = chain_length(s, miss, miss->sequence - start);
		window->misses += chain > 0;
		if (chain > window->chain) {
			window->chain = chain;
			window->last_of_chain = i;
		}
		occupied += only_independent ? chain == 1 : chain > 0;
		if (UNLIKELY(occupied >= limit)) {
			window->end = miss->sequence + 1;
			window->ended = WINDOW_MSHRS;
			i++;
			break;
		}
	}
	window->count = i - window->first;
	if (window->ended == WINDOW_FULL && window->end > s->instructions) {
		window->end = s->instructions;
		window->ended = WINDOW_TRACE_END;
	}
	return i;
}

static void find_distance(const struct skeleton *s, uint32_t rob_size,
			  struct technique_result *result)
{
	uint64_t sum = 0, last = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct skeleton_miss *miss = &s->misses[i];

		/* A miss only because of a store that is not in the window with it is none. */
		if (s->distances[miss->first] >= rob_size)
			continue;
		if (result->misses) {
			uint64_t distance = miss->sequence - last;

			sum += distance < rob_size ? distance : rob_size;
		}
		last = miss->sequence;
		result->misses++;
	}
	if (result->misses > 1)
		result->mean_distance = (double)sum / (double)(result->misses - 1);
}

void technique_evaluate(const struct technique *t, const struct design_point *point,
			const struct skeleton *s, struct technique_result *result,
			const struct technique_observer *observer)
{
	const uint64_t limit = t->mshr_aware ? point->mshrs : MSHRS_UNLIMITED;
	uint64_t start = 0;

	BUG_ON(s->options.window_most < point->rob_size ||
	       s->options.pending_hits != t->pending_hits);
	*result = (struct technique_result){0};
	for (size_t i = 0; i < s->count;) {
		const struct skeleton_miss *miss = &s->misses[i];
		struct model_window window;

		if (t->windows == WINDOWS_PLAIN) {
			start += (miss->sequence - start) / point->rob_size * point->rob_size;
		} else if (s->distances[miss->first]) {
			i++; /* a miss only with a store before it starts no window */
			continue;
		} else {
			start = miss->sequence;
		}
		i = fill_window(s, t, point->rob_size, limit, start, i, &window);
		start = window.end;
		if (!window.misses)
			continue;
		result->windows++;
		result->serialized += window.chain;
		result->ended[window.ended]++;
		if (observer && observer->window)
			observer->window(observer->context, &window);
	}
	find_distance(s, point->rob_size, result);
	if (t->windows == WINDOWS_TIMELINE) {
		result->cycles = timeline_cycles(t, point, s, observer);
		return;
	}
	if (t->compensation == COMPENSATION_FIXED)
		result->compensation_cycles = (double)result->serialized * t->fixed_quarters / 4 *
					      point->rob_size / point->width;
	if (t->compensation == COMPENSATION_DISTANCE)
		result->compensation_cycles =
			result->mean_distance / point->width * (double)result->misses;
	result->cycles = (double)result->serialized * point->memory_latency_cycles -
			 result->compensation_cycles;
}
