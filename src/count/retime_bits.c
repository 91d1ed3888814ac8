#include "core/frontend.h"
#include "count/retime.h"
#include "isa/insn.h"

/* Of an address in a table, beyond what its place says: enough that two that are in use are seldom
 * taken for one. */
#define KEY_BITS 16

static uint64_t bits_to_count(uint64_t most)
{
	uint64_t bits = 0;

	while (most >> bits)
		bits++;
	return bits;
}

/* The issue queue is kept as how many leave it in each of the next cycles. */
static uint64_t queue_bits(const struct config *c, const struct retime_limits *limits)
{
	if (c->issue_queue_kind == ISSUE_QUEUE_SPLIT)
		return 3 * limits->unit_cycles * bits_to_count(c->issue_width);
	return c->issue_queue_size < c->rob_size
		       ? limits->unit_cycles * bits_to_count(c->issue_width)
		       : 0;
}

uint64_t retime_bits(const struct config *c, const struct retime_limits *limits)
{
	const uint64_t units = bits_to_count(c->int_alu_count) +
			       bits_to_count(c->int_muldiv_count) + bits_to_count(c->memory_ports) +
			       bits_to_count(c->fp_add_count) + bits_to_count(c->fp_muldiv_count) +
			       bits_to_count(c->issue_width);
	/* Times of the last instructions, by what waits for them; registers; and five times more:
	 * of the fetch group, the redirection, the serialisation, the stores and the last branch.
	 */
	uint64_t stamps =
		c->fetch_buffer + frontend_room(c) + c->rob_size + c->lsq_size + REG_SINK + 5;

	if (c->max_branches < c->rob_size)
		stamps += c->max_branches;
	if (c->l1d_mshrs != UNLIMITED)
		stamps += c->l1d_mshrs;
	/* A store has a time for its data, its address and its write. */
	stamps += 3 * limits->stores + 2 * limits->lines + limits->pages;
	return stamps * limits->stamp_bits + units * limits->unit_cycles + queue_bits(c, limits);
}

uint64_t retime_shared_bits(const struct retime_limits *limits)
{
	return (uint64_t)KEY_BITS * (limits->stores + 2 * limits->lines + limits->pages);
}
