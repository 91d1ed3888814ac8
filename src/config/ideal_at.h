/*
 * ideal_at.h - what is ideal for some instructions alone: the value of the parameter ideal.at, a
 * list of ranges of instruction addresses with the events that cost these instructions less.
 *
 *   VALUE = none | RANGE/RANGE/...     RANGE = PC[-PC]:EVENT+EVENT+...     EVENT = NAME[=PERCENT%]
 *
 * A range has the instructions that begin at its first address, at its last, or between them.
 * Addresses are hexadecimal numbers that begin with 0x. `branch`, `latency` and `time` may leave a
 * part of what they take away: latency=25%. Of mispredictions, that part is drawn by
 * ideal_at_keeps, with the same ones in every run. What several ranges say of an instruction holds
 * together; of several percentages the least.
 *
 * A struct ideal_at is a value: what is beyond its ranges is 0, so that equal lists are equal
 * bytes. Not here: symbols and lines of source, which depend on the program.
 */
#ifndef CONFIG_IDEAL_AT_H
#define CONFIG_IDEAL_AT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define IDEAL_AT_MOST	    32	 /* ranges */
#define IDEAL_AT_TEXT_BYTES 4096 /* enough for any list as text */

/* EVENT(id, name, whether it may have a percentage). Those before `latency` hide what the switch
 * ideal.NAME hides from all instructions; `latency` is ideal.units; `time` is latency, l1d and dtlb
 * together. */
#define IDEAL_AT_EVENTS(EVENT)        \
	EVENT(BRANCH, branch, true)   \
	EVENT(L1I, l1i, false)        \
	EVENT(L2I, l2i, false)        \
	EVENT(L3I, l3i, false)        \
	EVENT(ITLB, itlb, false)      \
	EVENT(L1D, l1d, false)        \
	EVENT(L2D, l2d, false)        \
	EVENT(L3D, l3d, false)        \
	EVENT(DTLB, dtlb, false)      \
	EVENT(LATENCY, latency, true) \
	EVENT(TIME, time, true)

enum ideal_at_event {
#define EVENT(id, name, has_percent) IDEAL_AT_##id,
	IDEAL_AT_EVENTS(EVENT)
#undef EVENT
		IDEAL_AT_EVENT_COUNT
};

#define IDEAL_AT_BIT(id) (UINT32_C(1) << IDEAL_AT_##id)

struct ideal_range {
	uint64_t first, last;
	uint32_t events; /* as IDEAL_AT_BITs */
	/* What is left of each; 0 without the event. */
	uint16_t branch_percent, latency_percent, time_percent;
};

struct ideal_at {
	struct ideal_range ranges[IDEAL_AT_MOST];
	uint64_t count;
};

/* What is ideal for one instruction. */
struct ideal_of {
	uint32_t events; /* with no TIME: it is the two percentages, or at 0 % L1D and DTLB */
	uint32_t branch_percent, latency_percent, data_percent; /* what is left; 100: all of it */
};

/* Reads a list. False with a sentence without a subject, and `at` is as it was. */
bool ideal_at_read(struct ideal_at *at, const char *text, struct err *err);
/* The list as ideal_at_read takes it. */
void ideal_at_text(const struct ideal_at *at, char text[IDEAL_AT_TEXT_BYTES]);
bool ideal_at_same(const struct ideal_at *a, const struct ideal_at *b);

/* Whether anything is said of the instruction at `pc`. */
static inline bool ideal_at_has(const struct ideal_at *at, uint64_t pc)
{
	bool has = false;

	for (uint64_t i = 0; i < at->count; i++)
		has |= pc >= at->ranges[i].first && pc <= at->ranges[i].last;
	return has;
}

/* What is ideal for the instruction at `pc`. */
struct ideal_of ideal_at_find(const struct ideal_at *at, uint64_t pc);

/* Whether a branch at `pc`, fetched after so many other instructions, is mispredicted as it would
 * be if such a part of the mispredictions is left. */
static inline bool ideal_at_keeps(uint64_t fetched, uint64_t pc, uint32_t percent)
{
	const uint64_t drawn = (fetched * 0x9e3779b97f4a7c15 + pc) * 0xd1342543de82ef95;

	return (drawn >> 32) * 100 >> 32 < percent;
}

/* `percent` of a number of cycles, rounded to the nearest. */
static inline uint64_t ideal_at_part(uint64_t cycles, uint32_t percent)
{
	return (cycles * percent + 50) / 100;
}

#endif
