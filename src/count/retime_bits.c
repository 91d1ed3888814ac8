#include "base/bits.h"
#include "count/retime_rule.h"
#include "isa/insn.h"

static uint64_t bits_to_count(uint64_t most)
{
	uint64_t bits = 0;

	while (most >> bits)
		bits++;
	return bits;
}

/* A time: its distance from the last commit, its sign, and one bit more, so that what lies too far
 * back is noticed in time. */
static uint64_t time_bits(const struct retime_limits *limits)
{
	return limits->stamp_bits + 2;
}

/* The issue queue is kept as the number of instructions that leave it in each of the next
 * cycles. */
static uint64_t queue_bits(const struct retime_rule *rule)
{
	uint64_t bits = 0;

	for (unsigned i = 0; rule->has_queue && i < (rule->is_split ? QUEUES : 1); i++)
		bits += bits_to_count(rule->queue_size[i]);
	return bits * (rule->queue_mask + 1);
}

/* An entry has a count, and of which cycle it tells. */
static uint64_t unit_bits(const struct retime_rule *rule, const struct retime_limits *limits)
{
	uint64_t bits = 0;

	for (unsigned kind = 0; kind < KINDS; kind++)
		bits += bits_to_count(rule->units[kind]) + time_bits(limits) -
			bits_log2(limits->unit_cycles);
	return bits * limits->unit_cycles;
}

uint64_t retime_bits(const struct config *c, const struct retime_limits *limits)
{
	const struct retime_rule rule = retime_rule_of(c, limits);
	/* Times of the last instructions, by what waits for them; registers; and seven times more:
	 * of the fetch group, the redirection, the serialisation, the stores, the last feed and the
	 * last dispatch, and of the issue queue. */
	uint64_t times =
		rule.fetch_buffer + rule.room + rule.rob_size + rule.lsq_size + REG_SINK + 7;

	if (rule.max_branches != UNLIMITED)
		times += rule.max_branches;
	times += rule.mshrs;
	/* A store has a time for its data, its issue and its write. */
	times += 3 * limits->stores + 2 * limits->lines + limits->pages;
	/* Not times: instructions of the fetch group, cycles of a wrong path. */
	return times * time_bits(limits) + bits_to_count(rule.fetch_width) + limits->stamp_bits +
	       1 + unit_bits(&rule, limits) + queue_bits(&rule);
}

/* A row of a line or page has the bits of the address above those that number it, and whether it is
 * in use. One of a store has the address, its bytes, whether it is of the second granule, and which
 * of the others are older. */
uint64_t retime_shared_bits(const struct config *c, const struct retime_limits *limits)
{
	const uint32_t far = c->cache_levels > 1 ? c->l2_line : c->l1d_line;
	const uint64_t line_bits = bits_log2(limits->lines), bits = limits->address_bits + 1;

	return limits->lines * (2 * (bits - line_bits) - bits_log2(c->l1d_line) - bits_log2(far)) +
	       limits->pages * (bits - bits_log2(limits->pages) - bits_log2(c->page_bytes)) +
	       limits->stores * (bits + 8 + 1 + limits->stores);
}
