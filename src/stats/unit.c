#include "stats/unit.h"

#include <string.h>

/* An event of the kind in which every field that `bits` names is set, and every other is 0. */
static struct cycle_event event_of(unsigned kind, unsigned class_, unsigned bits, uint16_t detail)
{
	return (struct cycle_event){
		.kind = (uint8_t)kind,
		.wrong_path = bits & 1,
		.mispredicted = bits >> 1 & 1,
		.again = bits >> 2 & 1,
		.insn_class = (uint8_t)class_,
		.detail = detail,
		.slot = bits,
		.amount = bits,
	};
}

bool unit_of_events(const struct signal_row *signal, unsigned kind)
{
	for (unsigned class_ = 0; class_ < CLASS_COUNT; class_++)
		for (unsigned bits = 0; bits < 8; bits++)
			for (unsigned shift = 0; shift <= 16; shift++) {
				struct cycle_event e = event_of(
					kind, class_, bits, (uint16_t)(UINT32_C(0xffff) >> shift));

				if (signal->amount(&e) != 1)
					return false;
			}
	return true;
}

bool unit_of_cycles(const struct signal_row *signal)
{
	struct cycle c;

	/* Records whose bytes are all equal: stalls and states of every number, counts of many. */
	for (unsigned byte = 0; byte < 256; byte++) {
		memset(&c, (int)byte, sizeof(c));
		if (signal->value(&c) != 1)
			return false;
	}
	for (uint16_t number = 0; number < 64; number++) {
		memset(&c, 0, sizeof(c));
		c.fetch_stall = c.dispatch_stall = c.head_state = c.head_late = number;
		if (signal->value(&c) != 1)
			return false;
	}
	return true;
}

bool unit_of_commits(const struct signal_row *signal)
{
	return signal->events == EVENTS_OF_COMMIT && unit_of_events(signal, EVENT_COMMIT) &&
	       unit_of_events(signal, EVENT_COMMIT_PLAIN);
}

/* Bits of `detail` at a commit that do not say of a miss. */
#define BRANCH_BITS (COMMIT_BRANCH | COMMIT_MISPREDICTED | COMMIT_TAKEN | COMMIT_WRITES)

/* The bits that all such events have whose amount is not 0: of misses none, one or all. */
static unsigned common_bits(const struct signal_row *signal, unsigned class_, unsigned misses)
{
	unsigned common = UINT16_MAX;

	for (unsigned bits = 0; bits < 8; bits++)
		for (unsigned i = 0; i < 16; i++) {
			const struct cycle_event e = event_of(
				EVENT_COMMIT, class_, bits, (uint16_t)(i * COMMIT_BRANCH | misses));

			if (signal->amount(&e))
				common &= e.detail;
		}
	return common;
}

uint16_t unit_needs_commits(const struct signal_row *signal)
{
	unsigned common = UINT16_MAX;

	_Static_assert(BRANCH_BITS == 15 * COMMIT_BRANCH && COMMIT_BRANCH << 4 == UINT16_MAX + 1,
		       "the four highest bits");
	if (!(signal->events & EVENT_BIT(EVENT_COMMIT)))
		return 0;
	for (unsigned class_ = 0; class_ < CLASS_COUNT; class_++) {
		common &= common_bits(signal, class_, 0);
		common &= common_bits(signal, class_, COMMIT_BRANCH - 1);
		for (unsigned miss = 1; miss < COMMIT_BRANCH; miss *= 2)
			common &= common_bits(signal, class_, miss);
	}
	/* Few branches are mispredicted, and few instructions miss. */
	const unsigned rare = common & ~(BRANCH_BITS & ~COMMIT_MISPREDICTED);
	const unsigned from = rare ? rare : common;
	return (uint16_t)(from ? from & -from : UINT16_MAX);
}

void unit_filter_add(struct unit_filter *filter, const struct signal_row *signal)
{
	for (unsigned kind = EVENT_FETCH_ACCESS; kind < EVENT_KINDS; kind++)
		for (uint16_t detail = 0; detail < MEMORY_EVENT_COUNT; detail++)
			for (unsigned bits = 0; bits < 2; bits++) {
				struct cycle_event e = event_of(kind, 0, bits, detail);

				e.amount = 1;
				filter->counts[kind - EVENT_FETCH_ACCESS][detail] |=
					signal->events & EVENT_BIT(kind) && signal->amount(&e);
			}
}
